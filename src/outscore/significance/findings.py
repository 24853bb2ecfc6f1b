"""What a result finds of the factors of its design: runs, samples, templates, missing scores, a constant baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from outscore.design import Design
from outscore.naming import printable
from outscore.numbers import ScoreFormat, format_count, state_p
from outscore.reducers import sampling_sentence, sampling_share
from outscore.results import MetricDescription, MissingScores, RunComponents, RunsAnalysis, RunSd, TemplatesAnalysis
from outscore.results.findings import Finding
from outscore.results.shown import deferred
from outscore.rows import MissingTreatment, Rows, RunDesign
from outscore.significance.base import SignificanceTest
from outscore.significance.influence import spread_of
from outscore.significance.p_values import sd_factors
from outscore.significance.pair import AnyPair

if TYPE_CHECKING:
    from outscore.significance.variance import GainVariance

__all__ = ["Contest", "averages", "claims_of", "crossed_with", "findings_of", "findings_of_scores"]

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
Value = TypeVar("Value")


class Contest(Protocol):
    """A candidate against the baseline, as far as findings are made of it.

    Attributes
    ----------
    design : Design
    systems : tuple of Rows
        The baseline and the candidate.
    pair : AnyPair
    test : SignificanceTest
        The one that gives the verdict.
    alpha : float
    description : MetricDescription
    score_format : ScoreFormat
        How scores and gains are written; of the interval, which it computes.
    p_on_new_items : float
        What the bootstrap over items says of the gain.
    """

    @property
    def design(self) -> Design: ...
    @property
    def systems(self) -> tuple[Rows, Rows]: ...
    @property
    def pair(self) -> AnyPair: ...
    @property
    def test(self) -> SignificanceTest: ...
    @property
    def alpha(self) -> float: ...
    @property
    def description(self) -> MetricDescription: ...
    @property
    def score_format(self) -> ScoreFormat: ...
    @property
    def p_on_new_items(self) -> float: ...


def findings_of(contest: Contest) -> Iterator[Finding]:
    """Yield what a comparison finds, in the order of reports; values and sentences are computed when asked for."""
    design, of = contest.design, _Analysis(contest)
    runs, templates = design.runs, design.templates
    if runs is not None:
        label = "samples" if runs is RunDesign.SAMPLES else "runs"
        yield _finding(label, "runs", of.runs, of.said_of_runs, sampled=_SAMPLED.get(runs), level="run")
    if templates is not None:
        yield _finding("templates", "templates", of.templates, of.said_of_templates, sampled=_SAMPLED.get(templates))
    yield _finding("missing", "missing", of.missing, of.said_of_missing)
    yield _finding("run sd", "run_sd", of.run_sd, of.said_of_run_sd)
    yield _finding("variance", "components", of.components, of.said_of_components)
    if templates is not None:
        yield _finding("these templates", None, of.templates, of.said_of_these_templates)
    yield _finding("sampling", "sampling_share", of.sampling_share, sampling_sentence)
    if runs is not None:
        yield _finding("more", None, of.runs, _said_of_more)
        yield _finding("these runs", None, of.runs, of.said_of_these_runs)
        yield _finding("tipping", "tipping_run_sd", of.tipping_run_sd, of.said_of_tipping, otherwise=of.untold)
    yield Finding("baseline", key="against", value=design.against)
    yield Finding("scores", key="over", value=averages(design, contest.systems))


def claims_of(design: Design, over: str | None) -> tuple[Finding, ...]:
    """Return what a result of several comparisons says of their design, and `over`, of what scores are means."""
    runs = Finding("runs", key="runs", value=design.runs, sampled=_SAMPLED.get(design.runs))
    return runs, Finding("scores", key="over", value=over)


def findings_of_scores(design: Design) -> tuple[Finding, ...]:
    """Return what scores of systems say of their design."""
    if design.runs is None:
        return ()
    where = f"Intervals say where {_SCORED[design.runs]} would lie on other {design.units.name}s of the same kind."
    return (Finding("runs", where, "runs", design.runs),)


def crossed_with(design: Design) -> str:
    """Return what the law of a gain is over, as well as items: "templates and runs"."""
    return "clusters" if design.two_way is not None else " and ".join(f"{name}s" for name in reversed(design.factors))


def _finding(
    label: str,
    key: str | None,
    value: Callable[[], Value | None],
    sentence: Callable[[Value], str | None],
    *,
    otherwise: Callable[[], str | None] = lambda: None,
    sampled: bool | None = None,
    level: str | None = None,
) -> Finding:
    """Return a finding of which nothing is computed yet, with what is said where its value is None."""

    def said() -> str | None:
        known = value()
        return otherwise() if known is None else sentence(known)

    return Finding(label, deferred(said), key, None if key is None else deferred(value), sampled, level)


class _Analysis:
    """What the runs, templates and missing scores of a contest come to, each computed once."""

    def __init__(self, contest: Contest) -> None:
        self._of = contest
        self._design, self._pair = contest.design, contest.pair
        # Several findings are of the same analysis.
        self.runs, self.templates, self.components = cache(self._runs), cache(self._templates), cache(self._components)
        self.tipping_run_sd = cache(self._tipping_run_sd)

    @cached_property
    def _variance(self) -> GainVariance | None:
        """What items and runs add to the variance of the gain, where the systems have several runs."""
        if self._pair.runs is None:
            return None
        from outscore.significance.variance import gain_variance

        return gain_variance(self._pair)

    def _runs(self) -> RunsAnalysis | None:
        design, pair, variance = self._design, self._pair, self._variance
        if design.runs is None:
            return None
        if variance is None or pair.runs is None or "run" not in design.factors:
            of = [system.runs for system in self._of.systems]
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
            self._fixed_p_value,
            more_runs,
            more_items,
            variance.share_won,
        )

    @property
    def _fixed_p_value(self) -> float | None:
        """What these very runs and templates tell, where something is claimed of others."""
        return self._of.p_on_new_items if self._design.claims_other_runs else None

    def _templates(self) -> TemplatesAnalysis | None:
        design, variance, runs = self._design, self._variance, self._of.systems[0].runs
        if design.templates is None or variance is None or runs is None:
            return None
        if design.factors == ("run",):  # averaged
            return TemplatesAnalysis(design.templates, runs.averaged)
        alone = design.factors == ("template",)
        scores = [tuple(of.tolist()) for of in (variance.run_scores if alone else variance.template_scores)]
        fixed = self._fixed_p_value if alone else None
        return TemplatesAnalysis(design.templates, runs.names if alone else runs.templates, scores[0], scores[1], fixed)

    def missing(self) -> MissingScores | None:
        one, other = (system.missing for system in self._of.systems)
        if one is None or other is None:
            return None
        return MissingScores(one.count, other.count, one.cells, other.cells, one.treated)

    def _components(self) -> RunComponents | None:
        variance = self._variance
        if variance is None or not self._design.claims_other_runs:
            return None
        from outscore.significance.crossed import CrossedT

        items, runs, interaction = variance.components
        of_templates, test = variance.of_templates, self._of.test
        runs -= of_templates
        if isinstance(test, CrossedT) and test.run_sd is not None:
            # What is lent stands for the runs, and one run tells nothing of interaction, which items hold.
            items, interaction = variance.items, 0.0
            runs = test.error(self._pair)[0] ** 2 - items - of_templates
        whole = math.fsum((items, runs, interaction, of_templates))
        if whole == 0:
            return None
        templates = of_templates / whole if "template" in self._design.factors else None
        return RunComponents(items / whole, max(runs, 0.0) / whole, interaction / whole, templates)

    def run_sd(self) -> RunSd | None:
        variance = self._variance
        if variance is None or "run" not in self._design.factors or all(len(of) < 2 for of in variance.run_scores):
            return None
        estimate, degrees = variance.run_sd
        low, high = sd_factors(degrees, 0.05)
        return RunSd(estimate, estimate * low, estimate * high)

    def _tipping_run_sd(self) -> float | None:
        """Return by how much runs may vary before the gain of these is no longer significant."""
        variance = self._variance
        if variance is None or self._pair.runs is None or self._design.factors != ("run",):
            return None
        if self._design.claims_other_runs:
            return None
        from outscore.significance.variance import tipping_run_sd

        return tipping_run_sd(variance, self._pair.gain, self._of.alpha, self._pair.runs.n_drawn)

    def sampling_share(self) -> float | None:
        """Return the share of the gain's variance that sampling answers anew would change."""
        within = [system.sampling_variance for system in self._of.systems if system.sampling_variance is not None]
        if len(within) < 2 or self._pair.linear is None or self._design.weights is not None:
            return None
        return sampling_share(float(spread_of(self._pair).variance), *within)

    # Their sentences.

    @property
    def _names(self) -> tuple[str, str]:
        baseline, candidate = self._of.systems
        return printable(baseline.name), printable(candidate.name)

    @property
    def _points(self) -> str:
        return " points" if self._of.description.as_percentage else ""

    def _sd(self, value: float) -> str:
        """Write a standard deviation of scores by two digits."""
        return f"{value * self._of.description.factor:#.2g}".removesuffix(".")

    def _of_each(self, of: RunsAnalysis | TemplatesAnalysis) -> str:
        scores, (baseline, candidate) = self._of.score_format, self._names
        each = [", ".join(map(scores.score, own)) for own in (of.candidate_scores, of.baseline_scores)]
        of_baseline = "" if self._design.against is not None else f"; {baseline}: {each[1]}"
        return f"{candidate}: {each[0]}{of_baseline}"

    def said_of_runs(self, runs: RunsAnalysis) -> str | None:
        if not runs.baseline_scores:
            return None
        return f"{self._of_each(runs)}{'; paired by their names' if runs.paired else ''}."

    def said_of_templates(self, templates: TemplatesAnalysis) -> str:
        names = ", ".join(map(printable, templates.names))
        return f"{self._of_each(templates)} ({names})." if templates.baseline_scores else f"{names}."

    def said_of_missing(self, lost: MissingScores) -> str | None:
        if lost.baseline + lost.candidate == 0:
            return None
        baseline, candidate = self._names
        return (
            f"{candidate} lacks {format_count(lost.candidate)} of {format_count(lost.candidate_cells)} scores, "
            f"{baseline} {format_count(lost.baseline)} of {format_count(lost.baseline_cells)}: "
            f"{_TREATED[lost.treated]}."
        )

    def said_of_run_sd(self, sd: RunSd) -> str:
        return (
            f"From run to run a score has a standard deviation of {self._sd(sd.estimate)}{self._points} (95%: "
            f"{self._sd(sd.low)} to {self._sd(sd.high)})."
        )

    def said_of_components(self, parts: RunComponents) -> str:
        of_runs = self._design.runs is RunDesign.RANDOM
        said = [f"{parts.items:.0%} comes from items"]
        said += [] if parts.templates is None else [f"{parts.templates:.0%} from templates"]
        said += [f"{parts.runs:.0%} from runs"] if of_runs else []
        each = parts.templates is not None and of_runs
        last = "each with what they are together" if each else f"{parts.interaction:.0%} from their interaction"
        return f"Of the variance of this gain {', '.join(said)}, {last}."

    def said_of_these_templates(self, templates: TemplatesAnalysis) -> str | None:
        if templates.fixed_p_value is None:
            return None
        p = state_p(templates.fixed_p_value, self._of.alpha)
        return f"These very templates, on new items: {p} (bootstrap). That says nothing of other templates."

    def said_of_these_runs(self, runs: RunsAnalysis) -> str | None:
        if runs.fixed_p_value is None:
            return None
        p, parts = state_p(runs.fixed_p_value, self._of.alpha), self.components()
        of = "runs" if parts is None or parts.templates is None else "runs and templates"
        return f"Of these very {of}, on new items, {p} (bootstrap). That says nothing of other {of}."

    def said_of_tipping(self, sd: float) -> str:
        return (
            "Of other runs nothing is claimed: the gain would no longer be significant if a run's score varies by more "
            f"than {self._sd(sd)}{self._points} (standard deviation) from run to run."
        )

    def untold(self) -> str | None:
        templates = self.templates()
        if self._design.runs is not RunDesign.FIXED or (templates and templates.claim is not RunDesign.FIXED):
            return None
        return "Of other runs nothing is claimed: even of these runs no gain on new items is shown."


def _said_of_more(runs: RunsAnalysis) -> str | None:
    if runs.narrower_with_run is None or runs.narrower_with_items is None:
        return None
    return (
        f"One more run of each would narrow the interval by about {runs.narrower_with_run:.0%}, 10% more items by "
        f"about {runs.narrower_with_items:.0%}."
    )


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
