"""Scores of single systems, each with an interval of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore._version import __version__
from outscore.coercion import check_level
from outscore.design import Design, Units
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import AnyMetric, Metric, RatioMetric
from outscore.metrics.base import RecomputedMetric
from outscore.metrics.options import describe_metric
from outscore.results import Alternative, Estimator, Interval
from outscore.results.scores import ScoreResult, StandardError, SystemScore
from outscore.rows import Rows
from outscore.scores import Scores, Systems
from outscore.significance.base import PairLaws, Question
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.canonical import in_canonical_order
from outscore.significance.comparing import averages, remarks_on
from outscore.significance.crossed import CrossedT
from outscore.significance.gain_laws import GainLaws, Resampling
from outscore.significance.influence import SKEWED, effective_units, enough_units, influence_if_cheap
from outscore.significance.pair import AnyPair, Pair, SharedDenominators
from outscore.significance.pairing import runs_of
from outscore.significance.recomputed import RecomputedPair, recomputed_scores
from outscore.significance.signatures import encoded, joined
from outscore.significance.t_tests import RobustT, SkewT

__all__ = ["check_resampling", "item_scores_of", "score_systems", "wilson_interval"]


class _Alone(Pair):
    """One system against nothing: its gain is its own score, turned so that higher is better.

    So every law, interval and influence of a gain is one of a score, and exact wherever the score is linear in the
    weights of units: of all ratios, F1 too.
    """

    is_turned = False

    @cached_property
    def gain(self) -> float:  # type: ignore[override]
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
    """One system against nothing, on a metric that is recomputed."""

    is_turned = False

    @cached_property
    def gain(self) -> float:  # type: ignore[override]
        return self.sign * self.candidate_score

    def gains(self, weights: AnyArray) -> FloatArray:
        return self.sign * recomputed_scores(self.metric, [self.candidate], self.units, weights)[:, 0]


def wilson_interval(successes: float, trials: float, alpha: float) -> Interval:
    """Return Wilson's (1927) interval of a proportion, all values that the score test does not reject.

    Examples
    --------
    >>> interval = wilson_interval(0, 10, 0.05)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0, 0.2775)
    """
    z = NormalDist().inv_cdf(1 - alpha / 2)
    share, weight = successes / trials, 1 + z * z / trials
    middle = (share + z * z / (2 * trials)) / weight
    reach = z / weight * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    # Rounding aside, the ends are 0 and 1 where all trials agree.
    low, high = 0.0 if successes == 0 else middle - reach, 1.0 if successes == trials else middle + reach
    return Interval(low, high, 1 - alpha, "wilson", exact=False)


@dataclass(frozen=True)
class _Settled:
    """What a score's interval is, a sentence that its reader must know, and its standard error."""

    interval: Interval
    warning: str | None = None
    standard_error: StandardError | None = None


def score_systems(systems: Systems | Scores | Sequence[Systems], resampling: Resampling, alpha: float) -> ScoreResult:
    """Return the score of each system on every metric, with its interval; what has clusters or strata is paired first.

    Right-or-wrong items that are drawn by themselves have Wilson's interval. Otherwise it is that of the bootstrap law
    of the score, score ± the 1 − α quantile of |score* − score|; of fewer effective units than keep its level that of
    the t-test with CR2 variance. Where the law is skewed it is widened by that of the t-test corrected for skewness.

    Parameters
    ----------
    systems : Systems or Scores, or a sequence of Systems
        Several that are not paired with each other, each on items of its own.
    resampling : Resampling
    alpha : float
        In (0, 1).

    Raises
    ------
    DataError
        A system of one unit, fewer than two clusters, a cluster in more than one stratum.
    OptionError
        A level or a number of resamples out of range.
    """
    check_resampling(resampling, alpha)
    several = [systems] if isinstance(systems, Systems | Scores) else systems
    parts = [
        one.paired() if isinstance(one, Systems) and (one.on_a_design or one.test_sets is not None) else one
        for one in several
    ]
    scores, warnings = [], [note for part in parts for note in part.notes]
    tasks = {task.task for part in parts if part.audit is not None for task in part.audit.tasks}
    for test_set, part in [own for one in parts for own in _by_test_set(one, named=len(tasks) > 1)]:
        for metric, of_metric in zip(part.metrics, part.rows, strict=True):
            remarks = []
            for system in of_metric:
                design = part.design if isinstance(part, Scores) else Design(len(system))
                score, warning = _scored(metric, system, design, resampling, alpha)
                scores.append(replace(score, test_set=test_set))
                where = score.metric.title if test_set is None else f"{score.metric.title} on {test_set}"
                remarks += [] if warning is None else [f"{system.name}, {where}: {warning}"]
            warnings += [*remarks_on(metric, *of_metric), *remarks]
    if len({one.n_items for one in scores if one.test_set == scores[0].test_set}) > 1:
        warnings.append("Not all systems are scored on as many items: their scores may not be comparable.")
    order = list(dict.fromkeys(score.metric.spec for score in scores))
    scores.sort(key=lambda score: order.index(score.metric.spec))
    design = parts[0].design if isinstance(parts[0], Scores) else Design(2)
    return replace(_result_of(scores, resampling, alpha, design, warnings), pairing=parts[0].audit)


def _by_test_set(of: Systems | Scores, *, named: bool) -> Sequence[tuple[str | None, Systems | Scores]]:
    """Return the scores on each test set, with its name, after those of their average; as they are without any.

    A single task of logs goes by its name, too, where it is `named`: other systems have others.
    """
    if not isinstance(of, Scores) or of.design.test_sets is None:
        return [(of.audit.tasks[0].task if named and of.audit is not None else None, of)]
    from outscore.significance.test_sets import by_test_set, over_strata

    return [("average", over_strata(of)), *zip(of.design.test_set_names, by_test_set(of), strict=True)]


def _scored(
    metric: AnyMetric, system: Rows, design: Design, resampling: Resampling, alpha: float
) -> tuple[SystemScore, str | None]:
    """Return the score of a system on a design with its interval, and what its reader must know."""
    (system,), design = in_canonical_order([system], design)
    units = design.units
    if units.count < 2:
        what = f"expected at least 2 {units.name}s, got {units.count}"
        raise DataError(Problem(system.where, what, "One has no spread, and its score no interval.", "one-item"))
    pair = _alone(metric, system, units)
    runs = runs_of(metric, [system], units, design)
    if runs is not None and runs.random and isinstance(pair, Pair):
        settled = _over_runs(replace(pair, runs=runs), resampling, alpha)
    else:
        settled = _settled(pair, units, resampling, alpha)
    low, high = sorted(float(pair.sign * end) for end in (settled.interval.low, settled.interval.high))
    if metric.score_range is not None:
        low, high = max(low, metric.score_range[0]), min(high, metric.score_range[1])
    interval, description = replace(settled.interval, low=low, high=high), describe_metric(metric)
    score = SystemScore(
        system.name,
        description,
        pair.candidate_score,
        interval,
        len(system),
        units.count,
        averages(design, [system]),
        standard_error=settled.standard_error,
    )
    return score, settled.warning


def _result_of(
    scores: Sequence[SystemScore],
    resampling: Resampling,
    alpha: float,
    design: Design,
    warnings: Sequence[str],
) -> ScoreResult:
    """Return the result of all systems on all metrics."""
    metrics = list(dict.fromkeys(one.metric.spec for one in scores))
    methods = sorted({one.interval.method for one in scores})
    sampled = any(not one.interval.exact and "symmetric" in one.interval.method for one in scores)
    sizes = sorted({one.n_units for one in scores})
    signature = joined(
        interval=",".join(methods),
        level=f"{1 - alpha:g}",
        r=resampling.n_resamples if sampled else "exact" if all(one.interval.exact for one in scores) else "asymptotic",
        n=",".join(map(str, sizes[:3])) + (",..." if len(sizes) > 3 else ""),
        unit=design.units.name,
        seed=resampling.seed,
        metric=",".join(map(encoded, metrics)),
        **design.parts,
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
        design.runs,
    )


def item_scores_of(metric: Metric, system: Rows) -> FloatArray | None:
    """Return the items' own scores, shape (n,), where the system's score is their mean, else None."""
    pair = _Alone(metric, system.values, system.values)
    return None if pair.scores is None else pair.scores[1]


def check_resampling(resampling: Resampling, alpha: float) -> None:
    """Refuse a level or a number of resamples out of range.

    Raises
    ------
    OptionError
    """
    check_level(alpha)
    r = resampling.n_resamples
    if not 1 <= r <= 10**8:
        what = f"expected a whole number from 1 to 10^8, got {r}"
        raise OptionError(Problem("--n-resamples", what, "", "out-of-range"))
    if resampling.seed < 0:
        raise OptionError(Problem("--seed", f"expected 0 or more, got {resampling.seed}", "", "out-of-range"))


def _alone(metric: AnyMetric, system: Rows, units: Units) -> AnyPair:
    if isinstance(metric, RecomputedMetric):
        return _RecomputedAlone(metric, system.values, system.values, units)
    assert isinstance(metric, Metric)
    rows = units.sums(system.values)
    return _Alone(metric, rows, rows, units.strata)


def _over_runs(pair: Pair, resampling: Resampling, alpha: float) -> _Settled:
    """Return the crossed t interval of a score over new items and new runs."""
    assert pair.runs is not None
    if pair.runs.n_runs[0] < 2:
        what = "one run of a system does not tell how runs vary"
        raise OptionError(Problem("--runs random", what, "Add runs, or pass --runs fixed.", "one-run"))
    question = Question(Alternative.TWO_SIDED)
    laws = PairLaws(GainLaws([pair], resampling), 0)
    interval = CrossedT().interval(pair, laws, alpha, question, Estimator.ADD_ONE)
    kind = pair.runs.kind if pair.runs.n_runs[0] == 2 else "template"
    few = f"two {kind}s tell little of how {kind}s vary: the interval is rough." if pair.runs.fewest == 2 else None
    return _Settled(interval, few)


def _settled(pair: AnyPair, units: Units, resampling: Resampling, alpha: float) -> _Settled:
    """Return the interval of a score, turned so that higher is better."""
    if pair.binary and pair.score_range == (0, 1) and units.clusters is None and units.strata is None:
        successes = round(pair.candidate_score * pair.n_units)
        interval = wilson_interval(successes, pair.n_units, alpha)
        turned = interval if pair.sign > 0 else replace(interval, low=-interval.high, high=-interval.low)
        share = successes / pair.n_units
        of_share = StandardError(math.sqrt(share * (1 - share) / (pair.n_units - 1)), "analytic")
        return _Settled(turned, standard_error=of_share)
    question = Question(Alternative.TWO_SIDED)
    laws = PairLaws(GainLaws([pair], resampling), 0)
    effective = effective_units(pair.sizes) if units.strata is None else float(pair.n_draws)
    influence = influence_if_cheap(pair)
    test = RobustT() if effective < enough_units(alpha) and influence is not None else Bootstrap()
    interval = test.interval(pair, laws, alpha, question, Estimator.ADD_ONE)
    if influence is None:
        return _Settled(interval)
    of_items = pair.scores is not None and units.clusters is None and units.strata is None
    how = "analytic" if of_items else "jackknife"
    error = StandardError(math.sqrt(influence.variance), how) if math.isfinite(influence.variance) else None
    if influence.variance == 0:
        warning = f"all {units.name}s have the same score, so the interval has no width."
        if pair.binary and pair.score_range is None:
            warning += " If scores are 0 or 1, name the metric accuracy."
        return _Settled(interval, warning, error)
    if abs(influence.skewness) >= SKEWED:
        other = SkewT().interval(pair, laws, alpha, question, Estimator.ADD_ONE)
        wider = replace(interval, low=min(interval.low, other.low), high=max(interval.high, other.high))
        interval = interval if wider == interval else replace(wider, method=f"{interval.method}+{other.method}")
    return _Settled(interval, standard_error=error)
