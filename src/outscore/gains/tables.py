"""Many systems on the same units, and all their pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.design import Units
from outscore.gains.canonical import row_order
from outscore.gains.crossing import Crossing
from outscore.gains.gain_laws import Resampling
from outscore.gains.influence import Leverage, Spread, combined, joined, spread_of_gaps, spread_of_steps
from outscore.gains.pair import Pair, mean_sizes, shared_denominators
from outscore.gains.pairing import remark_on_rounding
from outscore.gains.recomputed import RecomputedPair, recomputed_scores, scores_without
from outscore.gains.score_draws import Pairs, ScoreDraws, draw_scores
from outscore.gains.skewness import is_on_threshold
from outscore.gains.variance import covariance_of_levels, parts_of_gain
from outscore.laws.exact.steps import StepSums
from outscore.laws.resampling import BootstrapScheme
from outscore.laws.tolerances import FEW_RECOMPUTED_UNITS, NOISE
from outscore.metrics import Metric, RatioMetric
from outscore.metrics.base import RecomputedMetric

_WHOLE_TIE = 0.125  # totals of whole numbers closer than this are equal
_RESOLVED = 2.0**47  # up to this, rounding keeps equal totals that close
_DROWNING = 1e6 * 2.0**-52  # sums are rounded to 2⁻⁵² of the largest: a millionth of a gain's spread is too much


@dataclass(frozen=True, eq=False)
class SystemTable:
    """Many systems on the units that are resampled, in descending order of their scores: the input of a ranking.

    Rows of units add up, except those of a `RecomputedTable`.

    Attributes
    ----------
    rows : sequence of ndarray, shape (n_units, k)
        The best-scoring system first; see `order`.
    strata : ndarray of int, shape (n_units,), optional
        Codes of the units' strata.
    crossing : Crossing, optional
        The cells whose averages are the rows.
    """

    metric: Metric
    rows: Sequence[FloatArray]
    strata: AnyArray | None = None
    crossing: Crossing | None = None

    @staticmethod
    def order(metric: Metric, rows: Sequence[FloatArray]) -> IntArray:
        """Return the places of systems by their scores, best first; equal ones keep their order."""
        scores = [float(metric.score(system.sum(axis=0))) for system in without_common(metric, rows)[0]]
        return np.argsort(-np.array(scores) if metric.higher_is_better else np.array(scores), kind="stable")

    @property
    def n_units(self) -> int:
        return len(self.rows[0])

    @property
    def derivable(self) -> bool:
        """Whether the distributions of gains are quick to derive."""
        return isinstance(self.metric, RatioMetric)

    @cached_property
    def scores(self) -> FloatArray:
        """The systems' scores, shape (s,)."""
        return np.array([float(self.metric.score(rows.sum(axis=0))) for rows in self.rows])

    @cached_property
    def tolerances(self) -> FloatArray:
        """Maximum difference by rounding between equal scores, shape (s,)."""
        sizes = [abs(float(self.metric.score(np.abs(rows).sum(axis=0)))) for rows in self.rows]
        tolerances = NOISE * np.maximum(sizes, np.abs(self.scores))
        largest = max(float(np.abs(rows).max(initial=0.0)) for rows in self.rows) * self.n_units
        # Only where the usual tolerance would merge totals that differ (from 1.25e11 on), and where doubles still tell
        # them apart. Below, the usual tolerance is smaller. Beyond, nothing is known.
        if not _WHOLE_TIE < NOISE * largest < NOISE * _RESOLVED or self.shared is None:
            return tolerances
        if any((rows != np.rint(rows)).any() for rows in self.rows):
            return tolerances
        # Totals of whole numbers that differ, differ by at least 1, whatever their size.
        return np.minimum(tolerances, _WHOLE_TIE / float(self.shared.sum()))

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs, in the order of the better and then of the worse system."""
        better, worse = np.triu_indices(len(self.rows), k=1)
        if self.common is not None:
            # Scores with a huge common part differ by little more than rounding error. So each gain is computed from
            # the differences of two systems' rows, as in a comparison of the two.
            alone = [
                Pair(self.metric, self.rows[j], self.rows[i])
                for i, j in zip(better.tolist(), worse.tolist(), strict=True)
            ]
            gains = np.array([pair.gain for pair in alone])
            tolerances = np.array([pair.tolerance for pair in alone])
            return Pairs(better, worse, np.where(gains <= tolerances, 0.0, gains), tolerances)
        return _pairs_of(self.sign * self.scores, self.tolerances)

    @property
    def resampled(self) -> Sequence[FloatArray]:
        """The rows that are summed under resampling; gains are the same, except for rounding."""
        return self._split[0]

    @property
    def common(self) -> FloatArray | None:
        """The part that `resampled` subtracts from all systems' rows, shape (n_units, k); usually None."""
        return self._split[1]

    @property
    def sign(self) -> float:
        """1 if higher is better, −1 if lower is."""
        return 1.0 if self.metric.higher_is_better else -1.0

    @property
    def widest_gain(self) -> float:
        """The largest possible gain, infinite if the range of scores is unknown."""
        # As in `Pair.score_range`: scores of 0 and 1 show their range if both occur.
        shown = self.right is not None and bool(self.right.min() < self.right.max())
        low, high = self.metric.score_range or ((0.0, 1.0) if shown else (-math.inf, math.inf))
        return high - low

    @cached_property
    def _split(self) -> tuple[Sequence[FloatArray], FloatArray | None]:
        return without_common(self.metric, self.rows)

    @cached_property
    def identical(self) -> BoolArray:
        """Which pairs have the same rows, shape (m,)."""
        # By their bytes: one pass over s systems instead of one over s(s − 1)/2 pairs.
        keys: dict[bytes, int] = {}
        codes = np.array([keys.setdefault(np.ascontiguousarray(rows).tobytes(), len(keys)) for rows in self.rows])
        return np.asarray(codes[self.pairs.better] == codes[self.pairs.worse])

    def pair(self, index: int) -> Pair:
        """Return a pair, with the better system as its candidate."""
        better, worse = int(self.pairs.better[index]), int(self.pairs.worse[index])
        crossing = None if self.crossing is None else self.crossing.of(worse, better)
        return Pair(self.metric, self.rows[worse], self.rows[better], self.strata, crossing=crossing)

    def draws(self, resampling: Resampling) -> ScoreDraws:
        """Return bootstrap samples of all scores over these runs."""
        return draw_scores(self.metric, self.resampled, self.strata, resampling, shared=False)

    @cached_property
    def _gaps(self) -> FloatArray:
        """The change of each score without each unit, shape (s, n_units), higher being better."""
        totals = [(rows.sum(axis=0), rows) for rows in self.resampled]
        return np.array([self.sign * (self.metric.score(t) - self.metric.score(t - rows)) for t, rows in totals])

    @cached_property
    def _leverage(self) -> Leverage:
        # Systems may have different sizes, such as denominators of precision. One mean size of each unit lets all pairs
        # share the influences on s scores.
        sizes = [mean_sizes(self.metric, rows) for rows in self.rows]
        if isinstance(self.metric, RatioMetric):
            # Where all denominators are 0 all units count the same, as in a pair of such systems.
            sizes = [of_system if of_system.any() else np.ones(self.n_units) for of_system in sizes]
        return Leverage(np.mean(sizes, axis=0), self.strata)

    def influences(self) -> FloatArray:
        """Return the influences of units on the systems' scores, shape (s, n_units), higher being better."""
        return self._leverage.influences(self._gaps)

    def covariance(self) -> tuple[FloatArray, float]:
        """Return the covariances of the systems' scores over all that was sampled, shape (s, s), and their unit.

        They are in multiples of the unit's square. The unit is a power of two, so that no digit depends on the scale of
        the scores, and the largest influence is near 1, so that nothing overflows.
        """
        influences = self.influences()
        unit = math.ldexp(1.0, math.frexp(float(np.abs(influences).max(initial=0.0)))[1])
        influences = influences / unit
        covariance = np.asarray(influences @ influences.T)
        if self.crossing is not None and self.crossing.is_random:
            covariance = covariance + covariance_of_levels(self.crossing, self._leverage, unit)
        return covariance, unit

    def spreads(self) -> Spread:
        """Return the spreads of the gains of all pairs, shape (m,), over all that was sampled."""
        random_levels = self.crossing is not None and self.crossing.is_random
        if self.steps is not None and not random_levels:
            return spread_of_steps(self.n_units, self.steps.ups, self.steps.downs)
        if random_levels or self.shared is None:
            pairs = (self.pair(index) for index in range(len(self.pairs)))
            return joined([combined(parts_of_gain(pair)) for pair in pairs])
        shared = self.shared
        rest = shared.sum() - shared
        leverage, tops = Leverage(shared, self.strata), np.array([rows @ self._top for rows in self.resampled])
        parts, stop = [], 0
        for better in range(len(tops) - 1):
            part = slice(stop, stop := stop + len(tops) - 1 - better)
            # Differences first: huge scores that systems share cancel exactly.
            differences = self.sign * (tops[better] - tops[better + 1 :])
            owed = differences - self.pairs.gains[part, None] * shared
            gaps = np.divide(owed, rest, out=np.zeros_like(owed), where=rest > 0)
            parts.append(spread_of_gaps(leverage, gaps, self.pairs.tolerances[part, None]))
        return self._as_alone(joined(parts))

    def _as_alone(self, spreads: Spread) -> Spread:
        """Return the spreads of pairs, with those whose last digits count summed as in a comparison of the two."""
        skewness, effective = np.array(spreads.skewness), np.array(spreads.effective)
        # Next to a threshold κ₊ multiplies the last digits of κ by up to 160, and sums over units in another order have
        # other last digits. A ranking must not differ from a comparison, so these pairs are summed in its order.
        for index in np.flatnonzero(is_on_threshold(spreads)).tolist():
            pair = self.pair(index)
            order = row_order(pair.baseline, pair.candidate, strata=self.strata)
            strata = None if self.strata is None else self.strata[order]
            alone = Pair(self.metric, pair.baseline[order], pair.candidate[order], strata).spread
            skewness[index], effective[index] = alone.skewness, alone.effective
        return replace(spreads, skewness=skewness, effective=effective)

    def remarks_on_rounding(self, units: Units, item_ids: Sequence[str] | None) -> list[str]:
        """Return remarks on units so large that their rounding error affects gains, each once."""
        if self.common is None:
            return []
        remarks = [remark_on_rounding(self.pair(index), units, item_ids) for index in range(len(self.pairs))]
        return list(dict.fromkeys(remark for remark in remarks if remark is not None))

    @cached_property
    def shared(self) -> FloatArray | None:
        """The denominators that all systems share, shape (n_units,), or None."""
        return shared_denominators(self.metric, self.rows)

    @property
    def linear(self) -> bool:
        """Whether all gains are linear."""
        return self.shared is not None

    @property
    def _top(self) -> FloatArray:
        assert isinstance(self.metric, RatioMetric)
        return np.asarray(self.metric.numerator, dtype=np.float64)

    @property
    def linear_columns(self) -> FloatArray:
        """The numerators of all systems' scores, and the shared denominators, shape (n_units, s + 1)."""
        assert self.shared is not None
        return np.column_stack([*(rows @ self._top for rows in self.resampled), self.shared])

    @cached_property
    def right(self) -> FloatArray | None:
        """1 where a system is correct and 0 where it is not, shape (s, n_units); None if scores are not binary."""
        if self.shared is None or (self.shared != 1).any():
            return None
        tops = np.array([rows @ self._top for rows in self.rows])
        return tops if bool(((tops == 0) | (tops == 1)).all()) else None

    @cached_property
    def right_alone(self) -> tuple[IntArray, IntArray] | None:
        """Wins and losses of each pair: units that only the candidate, or only the baseline, has right, shape (m,).

        If lower is better, units that only it has wrong. None if scores are not binary.
        """
        if self.right is None:
            return None
        narrow: AnyArray = self.right.astype(np.float32) if self.n_units < 2**24 else self.right  # exact in either
        # Counts of units that both have right, for all pairs by one product.
        both = np.rint(narrow @ narrow.T).astype(np.int64)
        each, shared = np.diag(both), both[self.pairs.better, self.pairs.worse]
        alone = each[self.pairs.better] - shared, each[self.pairs.worse] - shared
        return alone if self.metric.higher_is_better else (alone[1], alone[0])

    @cached_property
    def flips(self) -> StepSums | None:
        """The sums of all pairs' differences over units that are swapped, if these are binary."""
        return None if self.right_alone is None else StepSums(*self.right_alone, self.n_units)

    @property
    def steps(self) -> StepSums | None:
        """The sums of all pairs' differences over units that are drawn, if these are binary.

        None with strata: their units have weights n_h/(n_h − 1), so the sums are not whole numbers.
        """
        return self.flips if self.strata is None else None


class RecomputedTable(SystemTable):
    """The items of s systems, shape (n_items, c) each, on a metric without additive statistics."""

    metric: RecomputedMetric[Any, Any]  # type: ignore[assignment]

    def __init__(self, metric: RecomputedMetric[Any, Any], rows: Sequence[AnyArray], units: Units) -> None:
        super().__init__(metric, rows, units.strata)  # type: ignore[arg-type]
        self.units: Units
        self.__dict__["units"] = units

    @property
    def n_units(self) -> int:
        return self.units.count

    @property
    def derivable(self) -> bool:
        return self.n_units <= FEW_RECOMPUTED_UNITS

    @cached_property
    def scores(self) -> FloatArray:
        return np.array([self.metric.score_of_set(rows) for rows in self.rows])

    @cached_property
    def tolerances(self) -> FloatArray:
        return NOISE * np.abs(self.scores)

    @cached_property
    def identical(self) -> BoolArray:
        return np.array(
            [gain == 0 and self.pair(index).n_differing == 0 for index, gain in enumerate(self.pairs.gains)]
        )

    def pair(self, index: int) -> RecomputedPair:
        better, worse = int(self.pairs.better[index]), int(self.pairs.worse[index])
        known = self.without[[worse, better]] if "without" in self.__dict__ else None
        return RecomputedPair(self.metric, self.rows[worse], self.rows[better], self.units, known)

    @cached_property
    def without(self) -> FloatArray:
        """The systems' scores without each unit, shape (s, n_units)."""
        return scores_without(self.metric, self.rows, self.units)

    def draws(self, resampling: Resampling) -> ScoreDraws:
        scheme = BootstrapScheme(self.n_units, self.strata, whole=True)
        statistic = partial(recomputed_scores, self.metric, self.rows, self.units)
        sampled = resampling.engine.recomputed(scheme, statistic, resampling.n_resamples)
        deviations = np.ascontiguousarray((self.sign * (sampled - self.scores)).T)
        return ScoreDraws(deviations, resampling.executor)

    @cached_property
    def _gaps(self) -> FloatArray:
        return self.sign * (self.scores[:, None] - self.without)

    @cached_property
    def _leverage(self) -> Leverage:
        return Leverage(self.pair(0).sizes, self.strata)

    def spreads(self) -> Spread:
        of_pairs = zip(self.pairs.better, self.pairs.worse, self.pairs.tolerances, strict=True)
        return joined(
            [spread_of_gaps(self._leverage, self._gaps[i] - self._gaps[j], tolerance) for i, j, tolerance in of_pairs]
        )


def _pairs_of(scores: FloatArray, tolerances: FloatArray) -> Pairs:
    """Return all pairs of systems by their scores, signed so that higher is better."""
    better, worse = np.triu_indices(len(scores), k=1)
    # The systems are in order of their scores, so a negative gain is rounding error and counts as 0.
    either, gains = np.maximum(tolerances[better], tolerances[worse]), scores[better] - scores[worse]
    return Pairs(better, worse, np.where(gains <= either, 0.0, gains), either)


def without_common(metric: Metric, rows: Sequence[FloatArray]) -> tuple[Sequence[FloatArray], FloatArray | None]:
    """Return rows without the part of huge scores whose rounding error would dominate gains, and that part.

    If gains are linear in the scores of units, subtracting the same number from all systems' scores of a unit does not
    change them. The number is the median, which is the common value of a unit that is huge for all systems. Rows, shape
    (n_units, k) for each system, that do not need it are returned unchanged, with None.
    """
    if not isinstance(metric, RatioMetric) or shared_denominators(metric, rows) is None:
        return rows, None
    column = next((j for j, c in enumerate(metric.numerator) if c != 0 and metric.denominator[j] == 0), None)
    if column is None:
        return rows, None
    scores = np.array([system[:, column] for system in rows])
    # Without the widest unit: if it is huge for some systems only, its median is not a common value.
    spreads = np.sort(np.ptp(scores, axis=0))[:-1]
    largest = float(np.abs(scores).max(initial=0.0))
    if largest == 0 or not _DROWNING * scores.shape[1] > float(np.linalg.norm(spreads / largest)) > 0:
        return rows, None
    common = np.zeros_like(rows[0])
    # The lower of two medians, which is one of the scores: their mean would be rounded.
    common[:, column] = np.sort(scores, axis=0)[(len(rows) - 1) // 2]
    return [system - common for system in rows], common
