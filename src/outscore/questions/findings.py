"""The findings of a result on its design: runs, samples, templates, missing scores, a constant baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from outscore.data.reducers import sampling_share
from outscore.data.rows import Rows, RunDesign
from outscore.design import CrossedFactor, Design
from outscore.design.clusters import Orders
from outscore.design.strata import Labelled
from outscore.laws.student import sd_factors
from outscore.results import (
    Comparison,
    FirstPosition,
    MissingScores,
    RunComponents,
    RunsAnalysis,
    RunSd,
    TemplatesAnalysis,
)
from outscore.results.findings import Finding
from outscore.results.record import deferred
from outscore.text.naming import in_a_row
from outscore.words import comparisons as words

if TYPE_CHECKING:
    from outscore.gains.pair import Pair
    from outscore.gains.variance import GainVariance
    from outscore.questions.settings import Settings
    from outscore.significance.base import SignificanceTest


class Contest(Protocol):
    """A candidate against the baseline, as `findings_of` uses it."""

    @property
    def systems(self) -> tuple[Rows, Rows]: ...
    @property
    def design(self) -> Design: ...
    @property
    def pair(self) -> Pair: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def test(self) -> SignificanceTest:
        """The test of the verdict."""

    @property
    def p_on_new_items(self) -> float:
        """The p-value of the bootstrap over items only."""


def findings_of(contest: Contest, comparison: Callable[[], Comparison]) -> Iterator[Finding]:
    """Yield the findings of a comparison, in the order of reports.

    Values are computed on access. So are sentences, from the comparison with these findings that `comparison` returns.
    """

    def finding(
        label: str,
        sentence: Callable[[Comparison], str | None],
        key: str | None = None,
        value: Callable[[Contest], object] = lambda _: None,
        *factor: Any,
    ) -> Finding:
        return Finding(label, deferred(lambda: sentence(comparison())), key, deferred(lambda: value(contest)), *factor)

    design = contest.design
    labelled = design.get(Labelled)
    if labelled is not None:
        yield finding("labels", words.labels_sentence, "prediction_powered", lambda _: labelled.powered)
    runs, others = _runs_and_others(design)
    if runs is not None:
        label = "samples" if runs.claim is RunDesign.SAMPLES else runs.plural
        yield finding(label, words.runs_sentence, "runs", _runs, runs.about_others, runs.name)
    for factor in others:
        sentence, value = partial(words.levels_sentence, factor.plural), partial(_levels, factor=factor)
        yield finding(factor.plural, sentence, factor.plural, value, factor.about_others)
    if design.crossed:
        yield finding("missing", words.missing_sentence, "missing", _missing)
    if runs in design.axes:
        yield finding("run sd", words.run_sd_sentence, "run_sd", _run_sd)
    if design.new_levels:
        yield finding("variance", words.components_sentence, "components", _components)
        for factor in others:
            yield finding(f"these {factor.plural}", partial(words.these_levels_sentence, factor.plural))
    if runs is not None:
        yield finding("sampling", words.samples_sentence, "sampling_share", _sampling_share)
        if design.new_levels:
            yield finding("more", words.more_sentence)
            yield finding("these runs", words.these_runs_sentence)
        else:
            yield finding("tipping", words.tipping_sentence, "tipping_run_sd", _tipping_run_sd)
    if design.against is not None and design.get(Orders) is not None:
        yield finding("position", words.position_sentence, "first_position", _first_position)
    if design.against is not None:
        yield Finding("baseline", None, "against", design.against)
    if (over := design.over(contest.systems)) is not None:
        yield Finding("scores", None, "over", over)
    if design.crossed_clusters is not None:
        yield Finding("clusters", None, "clusters", tuple(int(codes.max()) + 1 for codes in design.crossed_clusters))


def _runs_and_others(design: Design) -> tuple[CrossedFactor | None, Sequence[CrossedFactor]]:
    """Return the factor with levels per system (runs), and the factors whose levels systems share."""
    runs = next((factor for factor in design.crossed if not factor.always_shared), None)
    return runs, [factor for factor in design.crossed if factor.always_shared]


def claims_of(design: Design) -> tuple[Finding, ...]:
    """Return the findings on the design of several comparisons."""
    return tuple(
        Finding(factor.plural, None, factor.plural, factor.claim, factor.about_others) for factor in design.crossed
    )


def findings_of_scores(design: Design) -> tuple[Finding, ...]:
    """Return the findings on the design of scores."""
    if not design.crossed:
        return ()
    from outscore.words.scores import scope_of_scores

    runs, others = _runs_and_others(design)
    claim, clauses = None if runs is None else runs.claim, [factor.clause for factor in others]
    first, *more = claims_of(design)
    return replace(first, sentence=scope_of_scores(claim, clauses, design.units.name)), *more


def crossed_with(design: Design) -> str:
    """Return the random factors of a gain besides items: "templates and runs"."""
    if design.crossed_clusters is not None:
        return "clusters"
    return in_a_row([factor.plural for factor in reversed(design.axes)])


def _variance(contest: Contest) -> GainVariance | None:
    """Return the components of the variance of the gain, if items are crossed with factors."""
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
    n_baseline, n_candidate = (1 if axis is None else len(axis) for axis in axes)
    if variance is None or runs not in design.axes:
        return RunsAnalysis(runs.claim, (n_baseline, n_candidate))
    m = [part.n_levels for part in variance.factors]
    now = variance.anew(variance.n_units, m)
    more_runs = more_items = None
    if design.new_levels and 0 < now < math.inf and min(n_baseline, n_candidate) > 1:
        added = [part.n_levels + (part.factor == runs) for part in variance.factors]
        more_runs = 1 - math.sqrt(variance.anew(variance.n_units, added) / now)
        more_items = 1 - math.sqrt(variance.anew(1.1 * variance.n_units, m) / now)
    scores = [tuple(system.tolist()) for system in variance.scores[runs.name]]
    return RunsAnalysis(
        runs.claim,
        (n_baseline, n_candidate),
        runs.is_shared,
        scores[0],
        scores[1],
        _fixed_p_value(contest),
        more_runs,
        more_items,
        variance.share_won(runs.name),
    )


def _fixed_p_value(contest: Contest) -> float | None:
    """The result for these levels, if the claim is about others."""
    return contest.p_on_new_items if contest.design.new_levels else None


def _levels(contest: Contest, factor: CrossedFactor) -> TemplatesAnalysis | None:
    """Return the findings on the levels of a factor that systems share."""
    design, variance, cells = contest.design, _variance(contest), contest.systems[0].cells
    axis = None if cells is None else cells.axis(factor.name)
    if variance is None or axis is None:
        return None
    if factor not in design.axes:  # averaged
        return TemplatesAnalysis(factor.claim, axis.levels)
    scores = [tuple(system.tolist()) for system in variance.scores[factor.name]]
    fixed = _fixed_p_value(contest) if len(design.axes) == 1 else None
    return TemplatesAnalysis(factor.claim, axis.levels, scores[0], scores[1], fixed)


def _missing(contest: Contest) -> MissingScores | None:
    baseline, candidate = (system.missing for system in contest.systems)
    if baseline is None or candidate is None:
        return None
    return MissingScores(baseline.count, candidate.count, baseline.cells, candidate.cells, baseline.treated)


def _components(contest: Contest) -> RunComponents | None:
    variance = _variance(contest)
    if variance is None or not contest.design.new_levels:
        return None
    from outscore.significance.crossed import CrossedT

    test, (items, _, interaction) = contest.test, variance.components
    shared = {factor.plural: variance.component(factor.name) for factor in contest.design.axes if factor.always_shared}
    runs = math.fsum(variance.component(factor.name) for factor in contest.design.axes if not factor.always_shared)
    if isinstance(test, CrossedT) and test.run_sd is not None:
        # A borrowed standard deviation is that of runs. One run does not show the interaction, which is part of items.
        items, interaction = variance.items, 0.0
        runs = test.error(contest.pair)[0] ** 2 - items - math.fsum(shared.values())
    whole = math.fsum((items, runs, interaction, *shared.values()))
    if whole == 0 or math.isinf(whole):
        return None
    shares = {name: part / whole for name, part in shared.items()}
    templates = shares.pop("templates", None)
    return RunComponents(items / whole, max(runs, 0.0) / whole, interaction / whole, templates, shares or None)


def _run_sd(contest: Contest) -> RunSd | None:
    variance, (runs, _) = _variance(contest), _runs_and_others(contest.design)
    if variance is None or runs is None or all(len(scores) < 2 for scores in variance.scores.get(runs.name, ())):
        return None
    estimate, degrees = variance.level_sd(runs.name)
    low, high = sd_factors(degrees, 0.05)
    return RunSd(estimate, estimate * low, estimate * high)


def _tipping_run_sd(contest: Contest) -> float | None:
    """Return the standard deviation of runs above which the gain is no longer significant."""
    variance, crossing = _variance(contest), contest.pair.crossing
    if variance is None or crossing is None or contest.design.new_levels:
        return None
    if len(crossing.factors) > 1 or crossing.factors[0].always_shared:
        return None
    from outscore.gains.variance import tipping_sd

    return tipping_sd(variance, contest.pair.gain, contest.settings.alpha, [len(rows) for rows in crossing.drawn])


def _sampling_share(contest: Contest) -> float | None:
    """Return the share of the gain's variance that comes from sampling answers."""
    within = [system.sampling_variance for system in contest.systems if system.sampling_variance is not None]
    if len(within) < 2 or contest.pair.linear is None or contest.design.is_weighted:
        return None
    return sampling_share(float(contest.pair.spread.variance), *within)


def _first_position(contest: Contest) -> FirstPosition | None:
    """Return the effect of the position of an answer, if every item has verdicts in both orders."""
    from outscore.gains.positions import order_with_first, position_effect

    design, metric = contest.design, contest.pair.metric
    orders, clusters = design.get(Orders), design.clusters
    constant, scores = (metric.item_scores(system.values) for system in contest.systems)
    if orders is None or clusters is None or constant is None or scores is None:
        return None
    better = np.sign(np.where(np.isclose(scores, constant, rtol=1e-12, atol=0), 0, scores - constant))
    verdicts = 0.5 + 0.5 * better * (1 if metric.higher_is_better else -1)
    first_order = order_with_first(orders.names, orders.column, contest.systems[1].name)
    of_orders = []
    for code in (1, 0) if first_order == 1 else (0, 1):
        in_order = orders.codes == code
        counts = np.bincount(clusters[in_order], minlength=contest.pair.n_units)
        of_orders.append(np.bincount(clusters[in_order], verdicts[in_order], contest.pair.n_units) / counts)
    effect = position_effect(*of_orders)
    first, second = orders.names[::-1] if first_order == 1 else orders.names
    rates = tuple(float(verdicts_of_items.mean()) for verdicts_of_items in of_orders)
    share = None if first_order is None else effect.share
    return FirstPosition(share, effect.p_value, (first, second), (rates[0], rates[1]), (effect.first, effect.second))
