"""What a result finds of the factors of its design: runs, samples, templates, missing scores, a constant baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from outscore.design import Design
from outscore.naming import printable
from outscore.numbers import format_count, state_p
from outscore.reducers import sampling_sentence, sampling_share
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
from outscore.rows import MissingTreatment, Rows, RunDesign
from outscore.significance.influence import spread_of
from outscore.significance.p_values import sd_factors

if TYPE_CHECKING:
    from outscore.significance.comparing import Contest
    from outscore.significance.variance import GainVariance

__all__ = ["averages", "claims_of", "crossed_with", "findings_of", "findings_of_scores"]

_SAMPLED: Mapping[RunDesign | None, bool] = {RunDesign.RANDOM: True, RunDesign.FIXED: False}
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

    runs, templates = contest.design.runs, contest.design.templates
    if runs is not None:
        label = "samples" if runs is RunDesign.SAMPLES else "runs"
        yield finding(label, _said_of_runs, "runs", _runs, _SAMPLED.get(runs), "run")
    if templates is not None:
        yield finding("templates", _said_of_templates, "templates", _templates, _SAMPLED.get(templates))
    yield finding("missing", _said_of_missing, "missing", _missing)
    yield finding("run sd", _said_of_run_sd, "run_sd", _run_sd)
    yield finding("variance", _said_of_components, "components", _components)
    yield finding("these templates", _said_of_these_templates)
    yield finding("sampling", _said_of_sampling, "sampling_share", _sampling_share)
    yield finding("more", _said_of_more)
    yield finding("these runs", _said_of_these_runs)
    yield finding("tipping", _said_of_tipping, "tipping_run_sd", _tipping_run_sd)
    yield Finding("baseline", None, "against", contest.design.against)
    yield Finding("scores", None, "over", averages(contest.design, contest.systems))


def claims_of(design: Design) -> tuple[Finding, ...]:
    """Return what a result of several comparisons says of their design."""
    return (Finding("runs", None, "runs", design.runs, _SAMPLED.get(design.runs)),)


def findings_of_scores(design: Design) -> tuple[Finding, ...]:
    """Return what scores of systems say of their design."""
    if design.runs is None:
        return ()
    where = f"Intervals say where {_SCORED[design.runs]} would lie on other {design.units.name}s of the same kind."
    return (Finding("runs", where, "runs", design.runs),)


def crossed_with(design: Design) -> str:
    """Return what the law of a gain is over, as well as items: "templates and runs"."""
    return "clusters" if design.two_way is not None else " and ".join(f"{name}s" for name in reversed(design.factors))


def _variance(contest: Contest) -> GainVariance | None:
    """Return what items and runs add to the variance of the gain, where the systems have several runs."""
    if contest.pair.runs is None:
        return None
    from outscore.significance.variance import gain_variance

    return gain_variance(contest.pair)


def _runs(contest: Contest) -> RunsAnalysis | None:
    design, pair, variance = contest.design, contest.pair, _variance(contest)
    if design.runs is None:
        return None
    if variance is None or pair.runs is None or "run" not in design.factors:
        of = [system.runs for system in contest.systems]
        counts = [1 if one is None else len(one.averaged or one.names) for one in of]
        return RunsAnalysis(design.runs, (counts[0], counts[1]))
    m = [factor.n_runs for factor in variance.factors]
    now = variance.anew(variance.n_units, m)
    more_runs = more_items = None
    if design.claims_other_runs and now > 0 and min(pair.runs.n_runs) > 1:
        added = [factor.n_runs + (factor.kind == "run") for factor in variance.factors]
        more_runs = 1 - math.sqrt(variance.anew(variance.n_units, added) / now)
        more_items = 1 - math.sqrt(variance.anew(1.1 * variance.n_units, m) / now)
    return RunsAnalysis(
        design.runs,
        (pair.runs.n_runs[0], pair.runs.n_runs[1]),
        pair.runs.paired,
        tuple(variance.run_scores[0].tolist()),
        tuple(variance.run_scores[1].tolist()),
        _fixed_p_value(contest),
        more_runs,
        more_items,
        variance.share_won,
    )


def _fixed_p_value(contest: Contest) -> float | None:
    """What these very runs and templates tell, where something is claimed of others."""
    return contest.p_on_new_items if contest.design.claims_other_runs else None


def _templates(contest: Contest) -> TemplatesAnalysis | None:
    design, variance, runs = contest.design, _variance(contest), contest.systems[0].runs
    if design.templates is None or variance is None or runs is None:
        return None
    if design.factors == ("run",):  # averaged
        return TemplatesAnalysis(design.templates, runs.averaged)
    alone = design.factors == ("template",)
    scores = [tuple(of.tolist()) for of in (variance.run_scores if alone else variance.template_scores)]
    fixed = _fixed_p_value(contest) if alone else None
    return TemplatesAnalysis(design.templates, runs.names if alone else runs.templates, scores[0], scores[1], fixed)


def _missing(contest: Contest) -> MissingScores | None:
    one, other = (system.missing for system in contest.systems)
    if one is None or other is None:
        return None
    return MissingScores(one.count, other.count, one.cells, other.cells, one.treated)


def _components(contest: Contest) -> RunComponents | None:
    variance = _variance(contest)
    if variance is None or not contest.design.claims_other_runs:
        return None
    from outscore.significance.crossed import CrossedT

    items, runs, interaction = variance.components
    of_templates, test = variance.of_templates, contest.runs[0].test
    runs -= of_templates
    if isinstance(test, CrossedT) and test.run_sd is not None:
        # What is lent stands for the runs, and one run tells nothing of interaction, which items hold.
        items, interaction = variance.items, 0.0
        runs = test.error(contest.pair)[0] ** 2 - items - of_templates
    whole = math.fsum((items, runs, interaction, of_templates))
    if whole == 0:
        return None
    templates = of_templates / whole if "template" in contest.design.factors else None
    return RunComponents(items / whole, max(runs, 0.0) / whole, interaction / whole, templates)


def _run_sd(contest: Contest) -> RunSd | None:
    variance = _variance(contest)
    if variance is None or "run" not in contest.design.factors or all(len(of) < 2 for of in variance.run_scores):
        return None
    estimate, degrees = variance.run_sd
    low, high = sd_factors(degrees, 0.05)
    return RunSd(estimate, estimate * low, estimate * high)


def _tipping_run_sd(contest: Contest) -> float | None:
    """Return by how much runs may vary before the gain of these is no longer significant."""
    variance = _variance(contest)
    if variance is None or contest.pair.runs is None or contest.design.factors != ("run",):
        return None
    if contest.design.claims_other_runs:
        return None
    from outscore.significance.variance import tipping_run_sd

    return tipping_run_sd(variance, contest.pair.gain, contest.settings.alpha, contest.pair.runs.n_drawn)


def _sampling_share(contest: Contest) -> float | None:
    """Return the share of the gain's variance that sampling answers anew would change."""
    within = [system.sampling_variance for system in contest.systems if system.sampling_variance is not None]
    if len(within) < 2 or contest.pair.linear is None or contest.design.weights is not None:
        return None
    return sampling_share(float(spread_of(contest.pair).variance), *within)


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


def _said_of_templates(c: Comparison) -> str | None:
    if c.templates is None:
        return None
    names = ", ".join(map(printable, c.templates.names))
    return f"{_of_each(c, c.templates)} ({names})." if c.templates.baseline_scores else f"{names}."


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
    said = [f"{parts.items:.0%} comes from items"]
    said += [] if parts.templates is None else [f"{parts.templates:.0%} from templates"]
    said += [f"{parts.runs:.0%} from runs"] if of_runs else []
    each = parts.templates is not None and of_runs
    said += ["each with what they are together" if each else f"{parts.interaction:.0%} from their interaction"]
    return f"Of the variance of this gain {', '.join(said)}."


def _said_of_these_templates(c: Comparison) -> str | None:
    if c.templates is None or c.templates.fixed_p_value is None:
        return None
    p = state_p(c.templates.fixed_p_value, c.alpha)
    return f"These very templates, on new items: {p} (bootstrap). That says nothing of other templates."


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
    of = "runs" if c.components is None or c.components.templates is None else "runs and templates"
    p = state_p(c.runs.fixed_p_value, c.alpha)
    return f"Of these very {of}, on new items, {p} (bootstrap). That says nothing of other {of}."


def _said_of_tipping(c: Comparison) -> str | None:
    if c.tipping_run_sd is not None:
        return (
            "Of other runs nothing is claimed: the gain would no longer be significant if a run's score varies by more "
            f"than {_sd(c, c.tipping_run_sd)}{_points(c)} (standard deviation) from run to run."
        )
    if c.runs is None or {of.claim for of in (c.runs, c.templates) if of is not None} != {RunDesign.FIXED}:
        return None
    return "Of other runs nothing is claimed: even of these runs no gain on new items is shown."


def averages(design: Design, systems: Sequence[Rows]) -> str | None:
    """Return of what the scores of systems are means, or how their samples were reduced."""
    over = []
    of_runs = [system.runs for system in systems if system.runs is not None]
    counts = sorted({len(of.averaged if design.factors == ("template",) and of.averaged else of) for of in of_runs})
    if design.runs is not None and counts:
        m = " or ".join(map(format_count, counts)) if len(counts) < 3 else f"{counts[0]} to {counts[-1]}"
        several = "" if counts == [1] else "s"
        if design.runs is RunDesign.SAMPLES:
            lacking = any(system.runs is not None and system.runs.lacking.any() for system in systems)
            how = f"{design.reducer} of" if design.reducer not in (None, "mean") else "means over"
            over.append(f"{how} {'up to ' if lacking else ''}{m} sample{several} an item")
        else:
            over.append(f"means over {m} run{several}{' each' if len(systems) > 1 and len(counts) == 1 else ''}")
    if design.templates is not None and of_runs:
        first = of_runs[0]
        alone = design.factors == ("template",)
        names = first.names if alone else first.averaged if design.factors == ("run",) else first.templates
        by_runs = bool(over) and design.runs is not RunDesign.SAMPLES
        over[-1:] = [*over[-1:], f"means over {len(names)} templates"]
        over = [" and ".join([over[0], over[1].removeprefix("means over ")])] if by_runs else over
    if design.weights is not None:
        kind = "macro" if len(set(design.weights)) == 1 else "weighted"
        over.append(f"{kind} average of {format_count(len(design.weights))} {design.strata_are}")
    return ", ".join(over) or None
