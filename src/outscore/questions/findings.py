"""What a result finds of the factors of its design: runs, samples, templates, missing scores, a constant baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from outscore.data.reducers import sampling_sentence, sampling_share
from outscore.data.rows import MissingTreatment, Rows, RunDesign
from outscore.design import CrossedFactor, Design
from outscore.laws.student import sd_factors
from outscore.results import (
    Comparison,
    MissingScores,
    RunComponents,
    RunsAnalysis,
    RunSd,
    TemplatesAnalysis,
    comparison_format,
)
from outscore.results.findings import Finding
from outscore.results.shown import deferred
from outscore.text.naming import in_a_row, printable
from outscore.text.numbers import format_count, state_p

if TYPE_CHECKING:
    from outscore.gains.pair import AnyPair
    from outscore.gains.variance import GainVariance
    from outscore.questions.settings import Settings
    from outscore.significance.base import SignificanceTest

_TREATED = {
    MissingTreatment.ZERO: "each counts as 0",
    MissingTreatment.DROPPED: "their items are left out",
    MissingTreatment.AVERAGED: "an item's score is of what is there",
}
_SCORED = {
    RunDesign.SAMPLES: "the score of as many other samples",
    RunDesign.FIXED: "the mean score of these very runs",
    RunDesign.RANDOM: "the mean score of as many new runs",
}


class Contest(Protocol):
    """A candidate against the baseline, as `findings_of` looks at it."""

    @property
    def systems(self) -> tuple[Rows, Rows]: ...
    @property
    def design(self) -> Design: ...
    @property
    def pair(self) -> AnyPair: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def test(self) -> SignificanceTest:
        """The test of the verdict."""

    @property
    def p_on_new_items(self) -> float:
        """The p-value of the bootstrap over items only."""


def findings_of(contest: Contest, comparison: Callable[[], Comparison]) -> Iterator[Finding]:
    """Yield what a comparison finds, in the order of reports.

    Parameters
    ----------
    contest : Contest
        Of which values are computed, when they are asked for.
    comparison : callable
        Returns the comparison that holds these findings: sentences, too, are written when they are asked for.
    """

    def finding(
        label: str,
        said: Callable[[Comparison], str | None],
        key: str | None = None,
        value: Callable[[Contest], object] = lambda _: None,
        *factor: Any,
    ) -> Finding:
        return Finding(label, deferred(lambda: said(comparison())), key, deferred(lambda: value(contest)), *factor)

    design = contest.design
    if not design.factors:
        return
    runs, others = _runs_and_others(design)
    if runs is not None:
        label = "samples" if runs.claim is RunDesign.SAMPLES else runs.plural
        yield finding(label, _said_of_runs, "runs", _runs, runs.about_others, runs.name)
    for factor in others:
        said, value = partial(_said_of_levels, factor.plural), partial(_levels, factor=factor)
        yield finding(factor.plural, said, factor.plural, value, factor.about_others)
    if design.crossed:
        yield finding("missing", _said_of_missing, "missing", _missing)
    if runs in design.axes:
        yield finding("run sd", _said_of_run_sd, "run_sd", _run_sd)
    if design.new_levels:
        yield finding("variance", _said_of_components, "components", _components)
        for factor in others:
            yield finding(f"these {factor.plural}", partial(_said_of_these_levels, factor.plural))
    if runs is not None:
        yield finding("sampling", _said_of_sampling, "sampling_share", _sampling_share)
        if design.new_levels:
            yield finding("more", _said_of_more)
            yield finding("these runs", _said_of_these_runs)
        else:
            yield finding("tipping", _said_of_tipping, "tipping_run_sd", _tipping_run_sd)
    if design.against is not None:
        yield Finding("baseline", None, "against", design.against)
    if (over := design.over(contest.systems)) is not None:
        yield Finding("scores", None, "over", over)
    if design.crossed_clusters is not None:
        yield Finding("clusters", None, "clusters", tuple(int(codes.max()) + 1 for codes in design.crossed_clusters))


def _runs_and_others(design: Design) -> tuple[CrossedFactor | None, Sequence[CrossedFactor]]:
    """Return the factor of which each system has levels of its own, runs, and those whose levels systems share."""
    runs = next((factor for factor in design.crossed if not factor.always_shared), None)
    return runs, [factor for factor in design.crossed if factor.always_shared]


def claims_of(design: Design) -> tuple[Finding, ...]:
    """Return what a result of several comparisons says of their design."""
    return tuple(
        Finding(factor.plural, None, factor.plural, factor.claim, factor.about_others) for factor in design.crossed
    )


def findings_of_scores(design: Design) -> tuple[Finding, ...]:
    """Return what scores of systems say of their design."""
    if not design.crossed:
        return ()
    runs, others = _runs_and_others(design)
    of = "the score" if runs is None else _SCORED[runs.claim]
    if others:
        of += f" with {in_a_row([factor.clause for factor in others])}"
    where = f"Intervals say where {of} would lie on other {design.units.name}s of the same kind."
    first, *more = claims_of(design)
    return replace(first, sentence=where), *more


def crossed_with(design: Design) -> str:
    """Return what the law of a gain is over, as well as items: "templates and runs"."""
    return "clusters" if design.crossed_clusters is not None else in_a_row([of.plural for of in reversed(design.axes)])


def _variance(contest: Contest) -> GainVariance | None:
    """Return what items and levels add to the variance of the gain, where items are crossed with something."""
    if contest.pair.crossing is None:
        return None
    from outscore.gains.variance import gain_variance

    return gain_variance(contest.pair)


def _runs(contest: Contest) -> RunsAnalysis | None:
    design, variance = contest.design, _variance(contest)
    runs, _ = _runs_and_others(design)
    if runs is None:
        return None
    axes = [None if system.cells is None else system.cells.axis(runs.name) for system in contest.systems]
    one, other = (1 if axis is None else len(axis) for axis in axes)
    if variance is None or runs not in design.axes:
        return RunsAnalysis(runs.claim, (one, other))
    m = [part.n_levels for part in variance.factors]
    now = variance.anew(variance.n_units, m)
    more_runs = more_items = None
    if design.new_levels and 0 < now < math.inf and min(one, other) > 1:
        added = [part.n_levels + (part.factor == runs) for part in variance.factors]
        more_runs = 1 - math.sqrt(variance.anew(variance.n_units, added) / now)
        more_items = 1 - math.sqrt(variance.anew(1.1 * variance.n_units, m) / now)
    scores = [tuple(of.tolist()) for of in variance.scores[runs.name]]
    return RunsAnalysis(
        runs.claim,
        (one, other),
        runs.is_shared,
        scores[0],
        scores[1],
        _fixed_p_value(contest),
        more_runs,
        more_items,
        variance.share_won(runs.name),
    )


def _fixed_p_value(contest: Contest) -> float | None:
    """What these very levels tell, where something is claimed of others."""
    return contest.p_on_new_items if contest.design.new_levels else None


def _levels(contest: Contest, factor: CrossedFactor) -> TemplatesAnalysis | None:
    """Return what there is to know of the levels of a factor that systems share."""
    design, variance, cells = contest.design, _variance(contest), contest.systems[0].cells
    axis = None if cells is None else cells.axis(factor.name)
    if variance is None or axis is None:
        return None
    if factor not in design.axes:  # averaged
        return TemplatesAnalysis(factor.claim, axis.levels)
    scores = [tuple(of.tolist()) for of in variance.scores[factor.name]]
    fixed = _fixed_p_value(contest) if len(design.axes) == 1 else None
    return TemplatesAnalysis(factor.claim, axis.levels, scores[0], scores[1], fixed)


def _missing(contest: Contest) -> MissingScores | None:
    one, other = (system.missing for system in contest.systems)
    if one is None or other is None:
        return None
    return MissingScores(one.count, other.count, one.cells, other.cells, one.treated)


def _components(contest: Contest) -> RunComponents | None:
    variance = _variance(contest)
    if variance is None or not contest.design.new_levels:
        return None
    from outscore.significance.crossed import CrossedT

    test, (items, _, interaction) = contest.test, variance.components
    own = {of.plural: variance.component(of.name) for of in contest.design.axes if of.always_shared}
    runs = math.fsum(variance.component(of.name) for of in contest.design.axes if not of.always_shared)
    if isinstance(test, CrossedT) and test.run_sd is not None:
        # What is lent stands for the runs, and one run tells nothing of interaction, which items hold.
        items, interaction = variance.items, 0.0
        runs = test.error(contest.pair)[0] ** 2 - items - math.fsum(own.values())
    whole = math.fsum((items, runs, interaction, *own.values()))
    if whole == 0 or math.isinf(whole):
        return None
    shares = {name: part / whole for name, part in own.items()}
    templates = shares.pop("templates", None)
    return RunComponents(items / whole, max(runs, 0.0) / whole, interaction / whole, templates, shares or None)


def _run_sd(contest: Contest) -> RunSd | None:
    variance, (runs, _) = _variance(contest), _runs_and_others(contest.design)
    if variance is None or runs is None or all(len(of) < 2 for of in variance.scores.get(runs.name, ())):
        return None
    estimate, degrees = variance.level_sd(runs.name)
    low, high = sd_factors(degrees, 0.05)
    return RunSd(estimate, estimate * low, estimate * high)


def _tipping_run_sd(contest: Contest) -> float | None:
    """Return by how much runs may vary before the gain of these is no longer significant."""
    variance, crossing = _variance(contest), contest.pair.crossing
    if variance is None or crossing is None or contest.design.new_levels:
        return None
    if len(crossing.factors) > 1 or crossing.factors[0].always_shared:
        return None
    from outscore.gains.variance import tipping_sd

    return tipping_sd(variance, contest.pair.gain, contest.settings.alpha, [len(rows) for rows in crossing.drawn])


def _sampling_share(contest: Contest) -> float | None:
    """Return the share of the gain's variance that sampling answers anew would change."""
    within = [system.sampling_variance for system in contest.systems if system.sampling_variance is not None]
    if len(within) < 2 or contest.pair.linear is None or contest.design.is_weighted:
        return None
    return sampling_share(float(contest.pair.spread.variance), *within)


def _points(c: Comparison) -> str:
    return " points" if c.metric.as_percentage else ""


def _sd(c: Comparison, value: float) -> str:
    """Write a standard deviation of scores by two digits."""
    return f"{value * c.metric.factor:#.2g}".removesuffix(".")


def _of_each(c: Comparison, of: RunsAnalysis | TemplatesAnalysis) -> str:
    scores = comparison_format(c).score
    each = [", ".join(map(scores, own)) for own in (of.candidate_scores, of.baseline_scores)]
    of_baseline = "" if c.against is not None else f"; {printable(c.baseline)}: {each[1]}"
    return f"{printable(c.candidate)}: {each[0]}{of_baseline}"


def _said_of_runs(c: Comparison) -> str | None:
    if c.runs is None or not c.runs.baseline_scores:
        return None
    return f"{_of_each(c, c.runs)}{'; paired by their names' if c.runs.paired else ''}."


def _said_of_levels(key: str, c: Comparison) -> str | None:
    of = _value(c, key)
    if of is None:
        return None
    names = ", ".join(map(printable, of.names))
    return f"{_of_each(c, of)} ({names})." if of.baseline_scores else f"{names}."


def _value(c: Comparison, key: str) -> TemplatesAnalysis | None:
    """Return what a comparison finds of the levels of a factor, by its key."""
    found: Any = next((one.value for one in c.findings if one.key == key), None)
    return found if isinstance(found, TemplatesAnalysis) else None


def _said_of_missing(c: Comparison) -> str | None:
    lost = c.missing
    if lost is None or lost.baseline + lost.candidate == 0:
        return None
    return (
        f"{printable(c.candidate)} lacks {format_count(lost.candidate)} of {format_count(lost.candidate_cells)} "
        f"scores, {printable(c.baseline)} {format_count(lost.baseline)} of {format_count(lost.baseline_cells)}: "
        f"{_TREATED[lost.treated]}."
    )


def _said_of_run_sd(c: Comparison) -> str | None:
    if c.run_sd is None:
        return None
    low, high = _sd(c, c.run_sd.low), _sd(c, c.run_sd.high)
    sd = f"{_sd(c, c.run_sd.estimate)}{_points(c)} (95%: {low} to {high})"
    return f"From run to run a score has a standard deviation of {sd}."


def _said_of_components(c: Comparison) -> str | None:
    parts, of_runs = c.components, c.runs is not None and c.runs.claim is RunDesign.RANDOM
    if parts is None:
        return None
    shares = {"templates": parts.templates, **(parts.others or {})}
    others = [f"{share:.0%} from {name}" for name, share in shares.items() if share is not None]
    said = [f"{parts.items:.0%} comes from items", *others]
    said += [f"{parts.runs:.0%} from runs"] if of_runs else []
    each = len(said) > 2
    said += ["each with what they are together" if each else f"{parts.interaction:.0%} from their interaction"]
    return f"Of the variance of this gain {', '.join(said)}."


def _said_of_these_levels(key: str, c: Comparison) -> str | None:
    of = _value(c, key)
    if of is None or of.fixed_p_value is None:
        return None
    p = state_p(of.fixed_p_value, c.alpha)
    return f"For these {key} on new items the default test has {p}. That says nothing about other {key}."


def _said_of_sampling(c: Comparison) -> str | None:
    return None if c.sampling_share is None else sampling_sentence(c.sampling_share)


def _said_of_more(c: Comparison) -> str | None:
    if c.runs is None or c.runs.narrower_with_run is None:
        return None
    return (
        f"One more run of each would narrow the interval by about {c.runs.narrower_with_run:.0%}, 10% more items by "
        f"about {c.runs.narrower_with_items:.0%}."
    )


def _said_of_these_runs(c: Comparison) -> str | None:
    if c.runs is None or c.runs.fixed_p_value is None:
        return None
    of = in_a_row([one.label for one in c.findings if one.sampled])
    p = state_p(c.runs.fixed_p_value, c.alpha)
    return f"For these {of} on new items the default test has {p}. That says nothing about other {of}."


def _said_of_tipping(c: Comparison) -> str | None:
    if c.tipping_run_sd is not None:
        return (
            "Of other runs nothing is claimed: the gain would no longer be significant if a run's score varies by more "
            f"than {_sd(c, c.tipping_run_sd)}{_points(c)} (standard deviation) from run to run."
        )
    if c.runs is None or {one.sampled for one in c.findings if one.sampled is not None} != {False}:
        return None
    return "Of other runs nothing is claimed: even of these runs no gain on new items is shown."
