"""What results say of runs, templates and whatever else was sampled or declared beside items: their findings.

Whatever makes a result gives it the findings of its design. Reports print label and sentence of each, JSON holds the
values under the keys of the tables below, and in Python a key is an attribute. No other module of results and reports
knows what there is to be found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

from outscore.data.rows import MissingTreatment, RunDesign
from outscore.results.record import IfAny, Natural, Positive, PValue, Share, Size, found
from outscore.results.shown import deferring


@deferring("value", "sentence")
@dataclass(frozen=True)
class Finding:
    """One thing that a result says of what was sampled or declared beside items.

    Attributes
    ----------
    label : str
        What reports print before the sentence: of a factor its name, such as "runs".
    sentence : str or None
        None where reports print nothing.
    key : str or None
        The key of the value in JSON, which is also an attribute of the result. None where there is no value.
    value : object
        None where there is nothing to tell: the key is then left out.
    sampled : bool or None
        Of a factor: whether the result is about others like these (True), or about these only (False). None of all
        other findings.
    level : str or None
        What one of a factor's levels is called, such as "run", where the value has `baseline_scores` and
        `candidate_scores`, one a level, that can be drawn.
    """

    label: str
    sentence: str | None = None
    key: str | None = None
    value: object = None
    sampled: bool | None = None
    level: str | None = None


def facts(findings: Iterable[Finding]) -> Iterator[tuple[str, str]]:
    """Yield what reports print, a label and a sentence each."""
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
    """What the variance of a gain over items and runs is made of, in shares that add up to 1.

    Attributes
    ----------
    items : float
        Of the items.
    runs : float
        Of the runs: what all items of a run share.
    interaction : float
        Of items and runs together, decoding noise among it. 0 where runs meet templates: it is then in the others.
    templates : float or None
        Of templates that are random: what all items with a template share.
    others : mapping from str to float or None
        Of other factors that are random, such as raters, by name.
    """

    items: Share
    runs: Share
    interaction: Share
    templates: Annotated[Share | None, IfAny("0.4.0")] = None
    others: Annotated[Mapping[str, Share] | None, IfAny("0.8.0")] = None


@dataclass(frozen=True)
class RunSd:
    """The standard deviation of a run's score from run to run, over both systems, in the unit of the score.

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
    """What there is to know of the runs, or samples, of two systems.

    Attributes
    ----------
    claim : RunDesign
        Of what the result is: "samples", "fixed" (these very runs on new items), "random" (new runs on new items).
    n_runs : tuple of int
        Of the baseline and of the candidate; the most samples of an item.
    paired : bool
        Whether run r of both shares its seed.
    baseline_scores : tuple of float
        Run by run; none of samples.
    candidate_scores : tuple of float
        Run by run; none of samples.
    fixed_p_value : float or None
        The p-value of the default test for these runs on new items. None where runs are not random.
    narrower_with_run : float or None
        By which share one more run of each system would narrow the interval. None where runs are not random.
    narrower_with_items : float or None
        By which share 10% more items would. None where runs are not random.
    share_won : float or None
        The share of pairs of a run of each system of which the candidate's scores better, ties half. None of samples.
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
    """What there is to know of the levels of a factor that both systems meet: of templates, or of raters.

    Attributes
    ----------
    claim : RunDesign
        "fixed" (these very levels, over which scores are averaged), or "random" (others like them, too).
    names : tuple of str
        Of the levels.
    baseline_scores : tuple of float
        Level by level; none where scores are averaged over levels.
    candidate_scores : tuple of float
        Level by level, likewise.
    fixed_p_value : float or None
        The p-value of the default test for these levels on new items. None where these are not random, or others are,
        too.
    """

    claim: RunDesign
    names: tuple[str, ...]
    baseline_scores: tuple[float, ...] = ()
    candidate_scores: tuple[float, ...] = ()
    fixed_p_value: PValue | None = None


@dataclass(frozen=True)
class MissingScores:
    """How many scores, one an item and run, two systems lack.

    Attributes
    ----------
    baseline : int
        How many the baseline lacks.
    candidate : int
        How many the candidate lacks.
    baseline_cells : int
        Of how many the baseline should have.
    candidate_cells : int
        Of how many the candidate should have.
    treated : MissingTreatment
        What became of them: "zero" (each counts as 0), "dropped" (its item is left out), "averaged" (an item's score is
        the mean of what is there).
    """

    baseline: Natural
    candidate: Natural
    baseline_cells: Natural
    candidate_cells: Natural
    treated: MissingTreatment


# The tables: which findings results may have, by their keys in JSON, since which version.


class OfComparison:
    """What comparisons may find.

    Attributes
    ----------
    runs : RunsAnalysis or None
        Of systems with several runs, or samples of each item.
    components : RunComponents or None
        Of runs that are random.
    run_sd : RunSd or None
        Of systems with several runs.
    tipping_run_sd : float or None
        Of runs that are fixed: the gain would no longer be significant if runs' scores varied by more than this, as a
        standard deviation. None where these runs tell nothing on new items.
    sampling_share : float or None
        Of samples: the share of the gain's variance that other answers to the same items would change.
    against : float or None
        The constant that the baseline scores on every item, where it is one and no system.
    templates : TemplatesAnalysis or None
        Of templates that both systems meet.
    raters : TemplatesAnalysis or None
        Of raters (annotators, judges) who score both systems.
    missing : MissingScores or None
        Of systems with runs, samples or templates.
    over : str or None
        Of what scores are means, or how samples of items were reduced: "means over 5 runs each", "pass@5 of 10 samples
        an item, macro average of 8 strata".
    clusters : tuple of int or None
        How many clusters each of two crossed clusterings of the items has.
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


class OfResult:
    """What other results may find.

    Attributes
    ----------
    runs : RunDesign or None
        What the runs of the systems are, where they have some.
    """

    runs: Annotated[RunDesign | None, IfAny("0.4.0")] = found()


class OfGate:
    """What gates may find.

    Attributes
    ----------
    runs : RunDesign or None
        What several runs of a system are.
    """

    runs: Annotated[RunDesign | None, IfAny("0.6.0")] = found()
