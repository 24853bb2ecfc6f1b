"""Findings: the parts of results on runs, templates and other factors besides items.

A result gets the findings of its design. Reports print the label and sentence of each; JSON has the values under
the keys of the tables below; in Python, a key is an attribute. Other modules of results and reports do not depend
on the kinds of findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from outscore.data.rows import MissingTreatment, RunDesign
from outscore.results.intervals import METHODS, Interval
from outscore.results.record import IfAny, Keywords, Natural, Positive, PValue, Share, Size, found
from outscore.results.shown import deferring


@deferring("value", "sentence")
@dataclass(frozen=True)
class Finding:
    """One finding of a result, on a factor besides items.

    Attributes
    ----------
    label : str
        The label that reports print before the sentence: for a factor its name, such as "runs".
    sentence : str or None
        The sentence, or None if reports print nothing.
    key : str or None
        The key of the value in JSON, which is also an attribute of the result. None without a value.
    value : object
        The value. If it is None, the key is left out.
    sampled : bool or None
        For a factor: True if the result is about new levels, False if it is about these levels. None for other
        findings.
    level : str or None
        The name of a level of the factor, such as "run", if the value has `baseline_scores` and `candidate_scores`
        with one score per level for a chart.
    """

    label: str
    sentence: str | None = None
    key: str | None = None
    value: object = None
    sampled: bool | None = None
    level: str | None = None


def facts(findings: Iterable[Finding]) -> Iterator[tuple[str, str]]:
    """Yield the labels and sentences that reports print."""
    return ((one.label, one.sentence) for one in findings if one.sentence is not None)


def sampled(findings: Iterable[Finding]) -> list[str]:
    """Return the factors that a result samples as well as items, the last declared first: "templates", "runs"."""
    return [one.label for one in findings if one.sampled][::-1]


def drawn(findings: Iterable[Finding]) -> list[str]:
    """Return the factors that tests draw as well as items: those that are sampled, or else the first one."""
    factors = [one for one in findings if one.sampled is not None]
    return sampled(factors) or [one.label for one in factors[:1]]


@dataclass(frozen=True)
class RunComponents:
    """The components of the variance of a gain over items and runs, as fractions that sum to 1.

    Attributes
    ----------
    items : float
        The fraction due to items.
    runs : float
        The fraction due to runs, which all items of a run share.
    interaction : float
        The fraction due to the interaction of items and runs, including decoding noise. 0 if runs are crossed with
        templates: it is then in the others.
    templates : float or None
        The fraction due to random templates.
    others : mapping from str to float or None
        The fractions due to other random factors, such as raters, by name.
    """

    items: Share
    runs: Share
    interaction: Share
    templates: Annotated[Share | None, IfAny("0.4.0")] = None
    others: Annotated[Mapping[str, Share] | None, IfAny("0.8.0")] = None


@dataclass(frozen=True)
class RunSd:
    """The standard deviation of the score between runs, over both systems, in the unit of the score.

    Attributes
    ----------
    estimate : float
        The root of the mean of the systems' variances.
    low : float
        Lower end of its 95% interval, for normal runs.
    high : float
        Upper end of that interval.
    """

    estimate: Size
    low: Size
    high: Size


@dataclass(frozen=True)
class RunsAnalysis:
    """The runs, or samples, of two systems.

    Attributes
    ----------
    claim : RunDesign
        The scope of the result: "samples", "fixed" (these runs on new items), "random" (new runs on new items).
    n_runs : tuple of int
        Numbers of runs of the baseline and of the candidate; for samples, the largest number of an item.
    paired : bool
        Whether run r of both systems is paired (same seed, for example).
    baseline_scores : tuple of float
        Run by run; none of samples.
    candidate_scores : tuple of float
        Run by run; none of samples.
    fixed_p_value : float or None
        The p-value of the default test for these runs on new items. None unless runs are random.
    narrower_with_run : float or None
        The fraction by which one more run of each system would narrow the interval. None unless runs are random.
    narrower_with_items : float or None
        The fraction by which 10% more items would narrow it. None unless runs are random.
    share_won : float or None
        The proportion of pairs of runs in which the candidate scores better, with ties as half. None for samples.
    """

    claim: RunDesign
    n_runs: tuple[Positive, Positive]
    paired: bool = False
    baseline_scores: tuple[float, ...] = ()
    candidate_scores: tuple[float, ...] = ()
    fixed_p_value: PValue | None = None
    narrower_with_run: Share | None = None
    narrower_with_items: Share | None = None
    share_won: Share | None = None


@dataclass(frozen=True)
class TemplatesAnalysis:
    """The levels of a factor that both systems share: templates, or raters.

    Attributes
    ----------
    claim : RunDesign
        "fixed" (these levels, over which scores are averaged), or "random" (new levels).
    names : tuple of str
        Names of the levels.
    baseline_scores : tuple of float
        Scores by level; empty if scores are averaged over levels.
    candidate_scores : tuple of float
        Scores by level, likewise.
    fixed_p_value : float or None
        The p-value of the default test for these levels on new items. None unless this is the only random factor.
    """

    claim: RunDesign
    names: tuple[str, ...]
    baseline_scores: tuple[float, ...] = ()
    candidate_scores: tuple[float, ...] = ()
    fixed_p_value: PValue | None = None


@dataclass(frozen=True)
class MissingScores:
    """Missing scores of two systems, one per item and run.

    Attributes
    ----------
    baseline : int
        Number of scores that the baseline lacks.
    candidate : int
        Number of scores that the candidate lacks.
    baseline_cells : int
        Number of scores that the baseline should have.
    candidate_cells : int
        Number of scores that the candidate should have.
    treated : MissingTreatment
        The treatment: "zero" (each counts as 0), "dropped" (its item is left out), "averaged" (an item's score is
        the mean of its other scores).
    """

    baseline: Natural
    candidate: Natural
    baseline_cells: Natural
    candidate_cells: Natural
    treated: MissingTreatment


@dataclass(frozen=True)
class FirstPosition:
    """The effect of the position of an answer on a judge who saw the two answers to each item in both orders.

    Attributes
    ----------
    share : float or None
        The proportion of verdicts for the answer shown first, with ties as half. None if the names of the orders do
        not show which answer is first.
    p_value : float
        Of the exact sign test of the two numbers in `disagree`, two-sided.
    orders : tuple of str
        The names of the orders. If `share` is not None, the candidate's answer is first in the first of them.
    win_rates : tuple of float
        The proportion of wins of the candidate in each order, with ties as half.
    disagree : tuple of int
        Number of items whose verdict is better for the candidate in the first of `orders`, and in the second.
    """

    share: Share | None
    p_value: PValue
    orders: tuple[str, str]
    win_rates: tuple[Share, Share]
    disagree: tuple[Natural, Natural]


@dataclass(frozen=True)
class PredictionPowered:
    """Human labels of some items, corrected by a judge's labels of all (prediction-powered inference).

    Attributes
    ----------
    lambda_ : float
        The weight of the judge's labels, on the scale of human labels. In JSON "lambda".
    correlation : float or None
        The correlation of human and judge labels over labelled units: of differences between two systems, or of the
        scores of one system. None if one of them does not vary.
    worth_labels : float
        The number of further human labels that would be worth as much as the judge's labels.
    n_labelled : int
        Number of items with human labels.
    n_unlabelled : int
        Number of items with only a judge's label.
    labels_alone : float or None
        The gain or score by human labels only. None in rankings.
    judge_alone : float or None
        The gain or score by the judge's labels of all items, on the judge's scale. None in rankings.
    """

    json_keys: ClassVar = "lambda=lambda_"

    lambda_: float
    correlation: Annotated[float, Keywords(minimum=-1, maximum=1)] | None
    worth_labels: Size
    n_labelled: Positive
    n_unlabelled: Positive
    labels_alone: Annotated[float | None, IfAny("0.8.0")] = None
    judge_alone: Annotated[float | None, IfAny("0.8.0")] = None


# The tables: which findings results may have, by their keys in JSON, since which version.


class OfComparison:
    """The findings of comparisons.

    Attributes
    ----------
    runs : RunsAnalysis or None
        For systems with several runs, or samples of each item.
    components : RunComponents or None
        For random runs.
    run_sd : RunSd or None
        For systems with several runs.
    tipping_run_sd : float or None
        For fixed runs: the gain would not be significant for new runs if the standard deviation between runs were
        larger than this. None if the gain is not significant for these runs.
    sampling_share : float or None
        For samples: the fraction of the gain's variance that is due to sampling of answers.
    against : float or None
        The constant score of the baseline on every item, if it is a constant and not a system.
    templates : TemplatesAnalysis or None
        For templates that both systems share.
    raters : TemplatesAnalysis or None
        For raters (annotators, judges) who score both systems.
    missing : MissingScores or None
        For systems with runs, samples or templates.
    over : str or None
        The averages that scores are, or the reduction of samples: "means over 5 runs each", "pass@5 of 10 samples
        an item, macro average of 8 strata".
    clusters : tuple of int or None
        Numbers of clusters of two crossed clusterings of the items.
    first_position : FirstPosition or None
        For verdicts of a judge in both orders of the answers.
    prediction_powered : PredictionPowered or None
        For human labels of some items and a judge's labels of all.
    overstatement : float or None
        For the largest gain of several candidates: the expected part of the gain that is due to the choice of the
        largest, in the unit of the score.
    interval_as_chosen : Interval or None
        For the same gain: the interval that allows for the choice.
    """

    runs: Annotated[RunsAnalysis | None, IfAny("0.4.0")] = found()
    components: Annotated[RunComponents | None, IfAny("0.4.0")] = found()
    run_sd: Annotated[RunSd | None, IfAny("0.4.0")] = found()
    tipping_run_sd: Annotated[float | None, IfAny("0.4.0")] = found()
    sampling_share: Annotated[Share | None, IfAny("0.4.0")] = found()
    against: Annotated[float | None, IfAny("0.4.0")] = found()
    templates: Annotated[TemplatesAnalysis | None, IfAny("0.4.0")] = found()
    raters: Annotated[TemplatesAnalysis | None, IfAny("0.8.0")] = found()
    missing: Annotated[MissingScores | None, IfAny("0.4.0")] = found()
    over: Annotated[str | None, IfAny("0.4.0")] = found()
    clusters: Annotated[tuple[Positive, Positive] | None, IfAny("0.8.0")] = found()
    first_position: Annotated[FirstPosition | None, IfAny("0.8.0")] = found()
    prediction_powered: Annotated[PredictionPowered | None, IfAny("0.8.0")] = found()
    overstatement: Annotated[Size | None, IfAny("0.8.0")] = found()
    interval_as_chosen: Annotated[Annotated[Interval, METHODS] | None, IfAny("0.8.0")] = found()


class OfResult:
    """The findings of other results.

    Attributes
    ----------
    runs : RunDesign or None
        The kind of the systems' runs, if they have any.
    """

    runs: Annotated[RunDesign | None, IfAny("0.4.0")] = found()


class OfGate:
    """The findings of gates.

    Attributes
    ----------
    runs : RunDesign or None
        The kind of a system's runs, if it has several.
    """

    runs: Annotated[RunDesign | None, IfAny("0.6.0")] = found()
