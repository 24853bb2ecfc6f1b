"""Scores of single systems, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore._version import __version__
from outscore.data.rows import Rows
from outscore.data.strata import members_of
from outscore.design import Design, Units
from outscore.design.scores import Scores, Systems
from outscore.design.strata import Labelled
from outscore.errors import DataError, OptionError, Problem
from outscore.gains.canonical import in_canonical_order
from outscore.gains.carriers import Carriers, few_carriers
from outscore.gains.crossing import Crossing, crossing_of, signature_of_levels
from outscore.gains.gain_laws import Resampling
from outscore.gains.influence import Spread, combined, effective_units
from outscore.gains.pair import Pair, SharedDenominators
from outscore.gains.recomputed import RecomputedPair, recomputed_scores, scores_without
from outscore.gains.variance import parts_of_gain
from outscore.metrics import AnyMetric, Metric, RatioMetric
from outscore.metrics.base import RecomputedMetric
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.comparing import remarks_on
from outscore.questions.findings import findings_of_scores
from outscore.questions.parts import by_test_set, over_strata
from outscore.questions.settings import check_resampling
from outscore.questions.signatures import encoded, joined
from outscore.results import Alternative, Interval
from outscore.results.findings import Finding
from outscore.results.scores import ScoreResult, StandardError, SystemScore
from outscore.significance.score_intervals import BoundedMean, effective_trials, proportion_interval
from outscore.significance.score_test import ScoreTest
from outscore.significance.t_tests import SkewT
from outscore.words.comparisons import worth_of_labels
from outscore.words.warnings import (
    OTHER_ITEMS,
    few_carry,
    name_the_range,
    no_score_without_one,
    same_score,
    two_levels_of_score,
)


class _Alone(Pair):
    """One system as a pair without a baseline: its gain is its score, turned so that higher is better.

    So the methods for distributions, intervals and influences of a gain apply to a score. They are exact if the score
    is linear in the weights of units, as for all ratios including F1.
    """

    favours_baseline = False

    @cached_property
    def gain(self) -> float:
        return self.sign * self.candidate_score

    @cached_property
    def linear(self) -> SharedDenominators | None:
        if not isinstance(self.metric, RatioMetric):
            return None
        top, bottom = (self.candidate @ np.asarray(part) for part in (self.metric.numerator, self.metric.denominator))
        return SharedDenominators(self.sign * top, bottom) if bottom.any() else None

    def gains(self, totals: FloatArray) -> FloatArray:
        k = self.candidate.shape[1]
        return super().gains(totals) if self.linear is not None else self.sign * self.metric.score(totals[:, :k])


class _RecomputedAlone(RecomputedPair):
    """One system as a pair without a baseline, on a metric that is recomputed."""

    favours_baseline = False

    @cached_property
    def gain(self) -> float:
        return self.sign * self.candidate_score

    def gains(self, weights: AnyArray) -> FloatArray:
        return self.sign * recomputed_scores(self.metric, [self.candidate], self.units, weights)[:, 0]

    @cached_property
    def _without(self) -> FloatArray:
        if self.known is not None:
            return self.known
        return scores_without(self.metric, [self.candidate], self.units)

    @property
    def jackknife(self) -> FloatArray:
        return np.asarray(self.sign * self._without[0])


@dataclass(frozen=True)
class SettledScore:
    """A score, its interval, a warning, its standard error, and whether few units carry its variance."""

    score: float
    interval: Interval
    warning: str | None = None
    standard_error: StandardError | None = None
    on_few: bool = False


def score_systems(
    systems: Systems | Scores | Sequence[Systems], resampling: Resampling, alpha: float, best_of: int | None = None
) -> ScoreResult:
    """Return the score of each system on every metric, with its interval (`settled_score`).

    Systems with clusters or strata are paired first. Systems that are not paired, each with its own items, are passed
    as a sequence. Intervals of scores need no resamples, whose settings are checked and reported. `best_of` is the
    number of systems from which each system was chosen as the best one.

    Errors are a system with one unit, fewer than two clusters, a cluster in several strata, and a level or number of
    resamples that is out of range.
    """
    check_resampling(resampling, alpha)
    several = [systems] if isinstance(systems, Systems | Scores) else systems
    parts = [
        given.paired() if isinstance(given, Systems) and (given.on_a_design or given.test_sets is not None) else given
        for given in several
    ]
    scores, findings, warnings = [], list[Finding](), [note for part in parts for note in part.notes]
    tasks = {task.task for part in parts if part.audit is not None for task in part.audit.tasks}
    for test_set, part in [named_part for given in parts for named_part in _by_test_set(given, named=len(tasks) > 1)]:
        for metric, of_metric in zip(part.metrics, part.rows, strict=True):
            remarks: list[str] = []
            for system in of_metric:
                design = part.design if isinstance(part, Scores) else Design(len(system))
                score, warning, labels = _scored(metric, system, design, alpha, best_of)
                scores.append(replace(score, test_set=test_set))
                findings += [Finding("labels", remark) for remark in labels[:1]]
                remarks += labels[1:]
                where = score.metric.title if test_set is None else f"{score.metric.title} on {test_set}"
                remarks += [] if warning is None else [f"{system.name}, {where}: {warning}"]
            warnings += [*remarks_on(metric, *of_metric), *remarks]
    if len({score.n_items for score in scores if score.test_set == scores[0].test_set}) > 1:
        warnings.append(OTHER_ITEMS)
    order = list(dict.fromkeys(score.metric.spec for score in scores))
    scores.sort(key=lambda score: order.index(score.metric.spec))
    design, levels = Design(2), dict[str, str]()
    if isinstance(parts[0], Scores):
        design, of_first = parts[0].design, parts[0].rows[0]
        counts = [[_n_levels(system, factor.name) for system in of_first] for factor in design.axes]
        levels = dict(signature_of_levels(design.axes, counts))
    if (powered := scores[0].prediction_powered) is not None:
        levels["labels"] = f"{powered.n_labelled}+{powered.n_unlabelled}"
    levels |= {} if best_of is None else {"best_of": str(best_of)}
    result = replace(_result_of(scores, resampling, alpha, design, levels, warnings), best_of=best_of)
    return replace(result, findings=(*result.findings, *findings), pairing=parts[0].audit)


def _by_test_set(scores: Systems | Scores, *, named: bool) -> Sequence[tuple[str | None, Systems | Scores]]:
    """Return the scores of the average, then those on each dataset with its name, or the scores without datasets.

    A single task of logs is named if `named`, because other systems have other tasks.
    """
    if not isinstance(scores, Scores) or scores.design.test_sets is None:
        return [(scores.audit.tasks[0].task if named and scores.audit is not None else None, scores)]
    return [("average", over_strata(scores)), *zip(scores.design.test_set_names, by_test_set(scores), strict=True)]


def settled_score(
    metric: AnyMetric, system: Rows, design: Design, alpha: float, without: FloatArray | None = None
) -> SettledScore:
    """Return one system's score with its interval, given its items in canonical order.

    Binary scores of independent items have the interval of Clopper and Pearson (1934), and in clusters, strata or with
    weights that of Korn and Graubard (1998). Means and ratios of sums with a known range have that of the score test
    with maximum empirical likelihood (`BoundedMean`). Others have that of the skewness-corrected t-test (`SkewT`),
    within the metric's range. `without` is the score without each unit, shape (n_units,), if known, of a metric that is
    recomputed.

    Notes
    -----
    Cost: negligible for binary scores of independent items. Otherwise n scores, or n × n for metrics that are
    recomputed, or some 200 passes over the distinct scores with a known range.
    """
    return _settled(metric, system, alone(metric, system, design, without), design, alpha)


def _n_levels(system: Rows, name: str) -> int:
    """Return the number of levels of a crossed factor in a system."""
    axis = None if system.cells is None else system.cells.axis(name)
    return 1 if axis is None else len(axis)


def _scored(
    metric: AnyMetric, system: Rows, design: Design, alpha: float, best_of: int | None
) -> tuple[SystemScore, str | None, Sequence[str]]:
    """Return the score of a system on a design, with its interval, its warning, and what to say of its labels."""
    if metric.fits_systems:
        metric, (system,), design = metric.on_systems([system], design)
    item_ids = system.item_ids
    (system,), design = in_canonical_order([system], design)
    units, labelled = design.units, design.get(Labelled)
    if units.count < 2:
        what = f"expected at least 2 {units.name}s, got {units.count}"
        raise DataError(Problem(system.where, what, "One has no variance, so its score has no interval.", "one-item"))
    pair = alone(metric, system, design)
    _check_levels(pair.crossing)
    settled = _settled(metric, system, pair, design, alpha, item_ids)
    score = SystemScore(
        system.name,
        describe_metric(metric),
        settled.score,
        settled.interval,
        len(system),
        units.count,
        design.over([system]),
        standard_error=settled.standard_error,
        prediction_powered=None if labelled is None else labelled.powered,
    )
    if best_of is not None:
        from outscore.questions.chosen import largest_of, lowered, share_of_best

        further = _settled(metric, system, pair, design, share_of_best(best_of, alpha / 2) * alpha).interval
        score = replace(
            score,
            overstatement=None if score.standard_error is None else largest_of(best_of) * score.standard_error.value,
            interval_as_chosen=lowered(settled.interval, further, higher_is_better=metric.higher_is_better),
        )
    if labelled is None:
        return score, settled.warning, ()
    worth = worth_of_labels(labelled.powered, "correlation")
    return score, settled.warning, [f"{system.name}: {remark}" for remark in (worth, *labelled.remarks)]


def _result_of(
    scores: Sequence[SystemScore],
    resampling: Resampling,
    alpha: float,
    design: Design,
    levels: Mapping[str, str],
    warnings: Sequence[str],
) -> ScoreResult:
    """Return the result of all systems on all metrics."""
    metrics = list(dict.fromkeys(score.metric.spec for score in scores))
    methods = sorted({score.interval.method for score in scores})
    sizes = sorted({score.n_units for score in scores})
    signature = joined(
        interval=",".join(methods),
        level=f"{1 - alpha:g}",
        r="exact" if all(score.interval.exact for score in scores) else "asymptotic",
        n=",".join(map(str, sizes[:3])) + (",..." if len(sizes) > 3 else ""),
        unit=design.units.name,
        seed=resampling.seed,
        metric=",".join(map(encoded, metrics)),
        **{**design.parts, **levels, "draws": None},  # nothing is drawn
        version=__version__,
    )
    return ScoreResult(
        tuple(scores),
        1 - alpha,
        design.units.name,
        resampling.n_resamples,
        resampling.seed,
        signature,
        __version__,
        tuple(dict.fromkeys(warnings)),
        findings_of_scores(design),
    )


def alone(
    metric: AnyMetric, system: Rows, design: Design, without: FloatArray | None = None
) -> _Alone | _RecomputedAlone:
    """Return one system as a pair without a baseline; `without` is the score without each unit, if it is known."""
    units = design.units
    if isinstance(metric, RecomputedMetric):
        whole_score = None if without is None else without[None]
        return _RecomputedAlone(metric, system.values, system.values, units, whole_score)
    assert isinstance(metric, Metric)
    rows = units.sums(system.values)
    return _Alone(metric, rows, rows, units.strata, crossing=crossing_of(metric, [system], units, design))


def _settled(
    metric: AnyMetric,
    system: Rows,
    pair: _Alone | _RecomputedAlone,
    design: Design,
    alpha: float,
    item_ids: Sequence[str] | None = None,
) -> SettledScore:
    """Return the score of a system with its interval."""
    units = design.units
    score, level = pair.candidate_score, 1 - alpha
    few = _few_levels(pair.crossing)
    binary = isinstance(pair, _Alone) and not design.axes and _is_binary(pair, system, design)
    if binary and units.clusters is None and units.strata is None:
        ends = proportion_interval(score, units.count, alpha)
        of_proportion = StandardError(math.sqrt(score * (1 - score) / (units.count - 1)), "analytic")
        return SettledScore(score, Interval(*ends, level, "clopper-pearson", exact=True), standard_error=of_proportion)
    parts = parts_of_gain(pair)
    spread = combined(parts)
    deviation = float(spread.error)
    of_items = pair.scores is not None and units.clusters is None and units.strata is None
    error = None
    if math.isfinite(deviation) and not design.new_levels:
        error = StandardError(deviation, "analytic" if of_items else "jackknife")
    if binary:
        assert isinstance(metric, RatioMetric)
        items = system.values @ np.asarray(metric.denominator)
        trials = effective_trials(score, pair.sizes, effective_units(items), spread, alpha)
        return SettledScore(
            score,
            Interval(*proportion_interval(score, trials, alpha), level, "korn-graubard", exact=False),
            None,
            error,
        )
    stated = pair.score_range
    if stated is not None and math.isfinite(stated[1] - stated[0]) and pair.linear is not None:
        turned = sorted(pair.sign * end for end in stated)
        low, high = BoundedMean.of(pair, (turned[0], turned[1]), parts).interval(alpha / 2)
        low, high = sorted((pair.sign * low, pair.sign * high))
        return SettledScore(score, Interval(low, high, level, ScoreTest.name, exact=False), few, error)
    low, high = _skewed_ends(pair.gain, spread, alpha)
    low, high = sorted((pair.sign * low, pair.sign * high))
    if stated is not None:
        low, high = max(low, stated[0]), min(high, stated[1])
    warning, carriers = few, None
    if deviation == 0:
        warning = same_score(units.name, binary=pair.binary and stated is None)
    elif (carriers := few_carriers(pair)) is not None:
        warning = _on_carriers(carriers, units, pair, item_ids)
    interval = Interval(low, high, level, SkewT.name, exact=False)
    return SettledScore(score, interval, warning, error, carriers is not None and carriers.is_known)


def _check_levels(crossing: Crossing | None) -> None:
    """Refuse a system with a single random run, template, ..."""
    if crossing is None or not crossing.is_random:
        return
    few, factor = crossing.fewest
    if few < 2:
        what = f"one {factor.name} per system does not show how much {factor.plural} vary"
        advice = f"Add {factor.plural}, or pass {opt(factor.plural, 'fixed')}."
        raise OptionError(Problem(opt(factor.plural, "random"), what, advice, f"one-{factor.name}"))


def _few_levels(crossing: Crossing | None) -> str | None:
    """Return a warning if a system has only two random runs, templates, ..."""
    if crossing is None or not crossing.is_random:
        return None
    few, factor = crossing.fewest
    return two_levels_of_score(factor.plural) if few == 2 else None


def _on_carriers(carriers: Carriers, units: Units, pair: Pair, item_ids: Sequence[str] | None) -> str:
    """Return a warning of the few units that carry the variance of a score."""
    if not carriers.is_known:
        return no_score_without_one(units.name)
    sentence = few_carry(carriers.counted(units, item_ids), score=True)
    if pair.linear is None or not pair.metric.takes_range:
        return sentence
    return f"{sentence} {name_the_range(pair.metric.name)}"


def _is_binary(pair: _Alone, system: Rows, design: Design) -> bool:
    """Return whether every item scores 0 or 1, of 0 to 1, with equal weights (in its stratum)."""
    metric = pair.metric
    if not isinstance(metric, RatioMetric) or metric.score_range not in (None, (0.0, 1.0)):
        return False
    top, bottom = (system.values @ np.asarray(part) for part in (metric.numerator, metric.denominator))
    right = top == bottom
    if not (right | (top == 0)).all() or (metric.score_range is None and right.all() == right.any()):
        return False
    if not design.is_weighted:
        return bool((bottom == 1).all())
    assert design.strata is not None
    return all(bool(bottom[members[0]] > 0 and np.ptp(bottom[members]) == 0) for members in members_of(design.strata))


def _skewed_ends(gain: float, spread: Spread, alpha: float) -> tuple[float, float]:
    """Return the ends of the interval of the skewness-corrected t-test. It has no width without variance."""
    if float(spread.error) == 0:
        return gain, gain
    low, high = SkewT().ends(np.array([gain]), spread, alpha, Alternative.TWO_SIDED)
    return float(low[0]), float(high[0])
