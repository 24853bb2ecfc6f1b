"""Findings: the parts of results on runs, templates and other factors besides items.

A result gets the findings of its design. Reports print the label and sentence of each; JSON has the values under
the keys of the tables below; in Python, a key is an attribute. Other modules of results and reports do not depend
on the kinds of findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from outscore.data.rows import MissingTreatment, RunDesign
from outscore.results.intervals import METHODS, Interval
from outscore.results.record import Natural, Positive, PValue, Share, Size, doc, found, record


@record
class Finding:
    """One finding of a result, on a factor besides items."""

    label: str = doc('The label that reports print before the sentence: for a factor its name, such as "runs".')
    sentence: str | None = doc("The sentence, or None if reports print nothing.", default=None, deferred=True)
    key: str | None = doc(
        "The key of the value in JSON, which is also an attribute of the result. None without a value.", default=None
    )
    value: object = doc("The value. If it is None, the key is left out.", default=None, deferred=True)
    sampled: bool | None = doc(
        "For a factor: True if the result is about new levels, False if it is about these levels. None for other "
        "findings.",
        default=None,
    )
    level: str | None = doc(
        'The name of a level of the factor, such as "run", if the value has `baseline_scores` and `candidate_scores` '
        "with one score per level for a chart.",
        default=None,
    )


def facts(findings: Iterable[Finding]) -> Iterator[tuple[str, str]]:
    """Yield the labels and sentences that reports print."""
    return ((finding.label, finding.sentence) for finding in findings if finding.sentence is not None)


def sampled(findings: Iterable[Finding]) -> list[str]:
    """Return the factors that a result samples as well as items, the last declared first: "templates", "runs"."""
    return [finding.label for finding in findings if finding.sampled][::-1]


def drawn(findings: Iterable[Finding]) -> list[str]:
    """Return the factors that tests draw as well as items: those that are sampled, or else the first one."""
    factors = [finding for finding in findings if finding.sampled is not None]
    return sampled(factors) or [finding.label for finding in factors[:1]]


@record
class RunComponents:
    """The components of the variance of a gain over items and runs, as fractions that sum to 1."""

    items: Share = doc("The fraction due to items.")
    runs: Share = doc("The fraction due to runs, which all items of a run share.")
    interaction: Share = doc(
        "The fraction due to the interaction of items and runs, including decoding noise. 0 if runs are crossed with "
        "templates: it is then in the others."
    )
    templates: Share | None = doc("The fraction due to random templates.", default=None, since="0.4.0")
    others: Mapping[str, Share] | None = doc(
        "The fractions due to other random factors, such as raters, by name.", default=None, since="1.0.0"
    )


@record
class RunSd:
    """The standard deviation of the score between runs, over both systems, in the unit of the score."""

    estimate: Size = doc("The root of the mean of the systems' variances.")
    low: Size = doc("Lower end of its 95% interval, for normal runs.")
    high: Size = doc("Upper end of that interval.")


@record
class RunsAnalysis:
    """The runs, or samples, of two systems."""

    claim: RunDesign = doc(
        'The scope of the result: "samples", "fixed" (these runs on new items), "random" (new runs on new items).'
    )
    n_runs: tuple[Positive, Positive] = doc(
        "Numbers of runs of the baseline and of the candidate; for samples, the largest number of an item."
    )
    paired: bool = doc("Whether run r of both systems is paired (same seed, for example).", default=False)
    baseline_scores: tuple[float, ...] = doc("Run by run; none of samples.", default=())
    candidate_scores: tuple[float, ...] = doc("Run by run; none of samples.", default=())
    fixed_p_value: PValue | None = doc(
        "The p-value of the default test for these runs on new items. None unless runs are random.", default=None
    )
    narrower_with_run: Share | None = doc(
        "The fraction by which one more run of each system would narrow the interval. None unless runs are random.",
        default=None,
    )
    narrower_with_items: Share | None = doc(
        "The fraction by which 10% more items would narrow it. None unless runs are random.", default=None
    )
    share_won: Share | None = doc(
        "The proportion of pairs of runs in which the candidate scores better, with ties as half. None for samples.",
        default=None,
    )


@record
class TemplatesAnalysis:
    """The levels of a factor that both systems share: templates, or raters."""

    claim: RunDesign = doc('"fixed" (these levels, over which scores are averaged), or "random" (new levels).')
    names: tuple[str, ...] = doc("Names of the levels.")
    baseline_scores: tuple[float, ...] = doc("Scores by level; empty if scores are averaged over levels.", default=())
    candidate_scores: tuple[float, ...] = doc("Scores by level, likewise.", default=())
    fixed_p_value: PValue | None = doc(
        "The p-value of the default test for these levels on new items. None unless this is the only random factor.",
        default=None,
    )


@record
class MissingScores:
    """Missing scores of two systems, one per item and run."""

    baseline: Natural = doc("Number of scores that the baseline lacks.")
    candidate: Natural = doc("Number of scores that the candidate lacks.")
    baseline_cells: Natural = doc("Number of scores that the baseline should have.")
    candidate_cells: Natural = doc("Number of scores that the candidate should have.")
    treated: MissingTreatment = doc(
        'The treatment: "zero" (each counts as 0), "dropped" (its item is left out), "averaged" (an item\'s score '
        "is the mean of its other scores)."
    )


@record
class FirstPosition:
    """The effect of the position of an answer on a judge who saw the two answers to each item in both orders."""

    share: Share | None = doc(
        "The proportion of verdicts for the answer shown first, with ties as half. None if the names of the orders do "
        "not show which answer is first."
    )
    p_value: PValue = doc("Of the exact sign test of the two numbers in `disagree`, two-sided.")
    orders: tuple[str, str] = doc(
        "The names of the orders. If `share` is not None, the candidate's answer is first in the first of them."
    )
    win_rates: tuple[Share, Share] = doc("The proportion of wins of the candidate in each order, with ties as half.")
    disagree: tuple[Natural, Natural] = doc(
        "Number of items whose verdict is better for the candidate in the first of `orders`, and in the second."
    )


@record
class PredictionPowered:
    """Human labels of some items, corrected by a judge's labels of all (prediction-powered inference)."""

    json_keys: ClassVar = "lambda=lambda_"

    lambda_: float = doc('The weight of the judge\'s labels, on the scale of human labels. In JSON "lambda".')
    correlation: float | None = doc(
        "The correlation of human and judge labels over labelled units: of differences between two systems, or of the "
        "scores of one system. None if one of them does not vary.",
        minimum=-1,
        maximum=1,
    )
    worth_labels: Size = doc("The number of further human labels that would be worth as much as the judge's labels.")
    n_labelled: Positive = doc("Number of items with human labels.")
    n_unlabelled: Positive = doc("Number of items with only a judge's label.")
    labels_alone: float | None = doc(
        "The gain or score by human labels only. None in rankings.", default=None, since="1.0.0"
    )
    judge_alone: float | None = doc(
        "The gain or score by the judge's labels of all items, on the judge's scale. None in rankings.",
        default=None,
        since="1.0.0",
    )


# The tables: which findings results may have, by their keys in JSON, since which version.


class OfComparison:
    """The findings of comparisons."""

    runs: RunsAnalysis | None = found("For systems with several runs, or samples of each item.", since="0.4.0")
    components: RunComponents | None = found("For random runs.", since="0.4.0")
    run_sd: RunSd | None = found("For systems with several runs.", since="0.4.0")
    tipping_run_sd: float | None = found(
        "For fixed runs: the gain would not be significant for new runs if the standard deviation between runs were "
        "larger than this. None if the gain is not significant for these runs.",
        since="0.4.0",
    )
    sampling_share: Share | None = found(
        "For samples: the fraction of the gain's variance that is due to sampling of answers.", since="0.4.0"
    )
    against: float | None = found(
        "The constant score of the baseline on every item, if it is a constant and not a system.", since="0.4.0"
    )
    templates: TemplatesAnalysis | None = found("For templates that both systems share.", since="0.4.0")
    raters: TemplatesAnalysis | None = found("For raters (annotators, judges) who score both systems.", since="1.0.0")
    missing: MissingScores | None = found("For systems with runs, samples or templates.", since="0.4.0")
    over: str | None = found(
        'The averages that scores are, or the reduction of samples: "means over 5 runs each", "pass@5 of 10 samples an '
        'item, macro average of 8 strata".',
        since="0.4.0",
    )
    clusters: tuple[Positive, Positive] | None = found(
        "Numbers of clusters of two crossed clusterings of the items.", since="1.0.0"
    )
    first_position: FirstPosition | None = found(
        "For verdicts of a judge in both orders of the answers.", since="1.0.0"
    )
    prediction_powered: PredictionPowered | None = found(
        "For human labels of some items and a judge's labels of all.", since="1.0.0"
    )
    overstatement: Size | None = found(
        "For the largest gain of several candidates: the expected part of the gain that is due to the choice of the "
        "largest, in the unit of the score.",
        since="1.0.0",
    )
    interval_as_chosen: Interval | None = found(
        "For the same gain: the interval that allows for the choice.", since="1.0.0", properties=METHODS
    )


class OfResult:
    """The findings of other results."""

    runs: RunDesign | None = found("The kind of the systems' runs, if they have any.", since="0.4.0")


class OfRanking:
    """The findings of rankings."""

    runs: RunDesign | None = found(
        "The kind of the systems' runs, if they have any, which sets the scope of the claims.", since="0.4.0"
    )


class OfGate:
    """The findings of gates."""

    runs: RunDesign | None = found("The kind of a system's runs, if it has several.", since="0.6.0")
