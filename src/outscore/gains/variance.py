"""The variance of a gain, or of a score, over units and the levels of crossed factors.

The model of one factor is Y_sir = μ_s + a_si + b_sr + e_sir, for unit i and run r of system s: effects of units that
systems share, of runs, and their interaction. A gain over new units and new runs has the variance σ²_D/n + Σ τ_s²/m_s +
Σ ω_s²/(n·m_s), of which a test over units includes only the first term (McCullagh 2000; Owen 2007). With several
factors the variance is that over units plus, for each factor, that of the means by its levels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from outscore._types import FloatArray
from outscore.data.cells import margin, mean_of
from outscore.data.rows import Rows
from outscore.design import CrossedFactor
from outscore.errors import OptionError, Problem
from outscore.gains.crossing import Crossing
from outscore.gains.influence import Leverage, Spread, of_normal, satterthwaite
from outscore.gains.pair import Pair
from outscore.laws.student import normal_quantile, student_p_value
from outscore.laws.tolerances import NOISE
from outscore.metrics import AnyMetric
from outscore.options import opt
from outscore.results import Alternative
from outscore.words import warnings

_FAR = 0.01  # probability that one of the normal runs of a system is called far from the others


def parts_of_gain(pair: Pair) -> Sequence[Spread]:
    """Return the spreads of a pair's gain over all that was sampled: units or both clusterings, and levels."""
    if pair.crossing is not None and pair.crossing.is_random:
        return gain_variance(pair).parts
    return [cluster.spread for cluster in pair.in_clusters]


@dataclass(frozen=True)
class LevelsPart:
    """The contribution of a factor's levels to the variance of the gain, for one system or two that share them.

    `interaction` is V_E, the contribution of the interaction of items and levels, which is also included in the spread
    over units. It is 0 if items are crossed with several factors, where double counting is not corrected (Owen & Eckles
    2012).
    """

    factor: CrossedFactor
    n_levels: int  # m
    between: float  # V_R: the variance of the mean of m levels' scores, from their spread; with interaction
    interaction: float

    @property
    def degrees(self) -> float:
        return self.n_levels - 1.0

    @property
    def beyond_items(self) -> float:
        """S = max(V_R − c·V_E, 0) with c = max(0, (m − 3)/(m − 1)).

        With few levels interaction is counted twice, because V_R is too uncertain to correct it.
        """
        # V_R estimates levels plus interaction, and V_I already has the interaction, so V_I + V_R counts it twice. V_I
        # + V_R − V_E would be unbiased, but with few levels it is often too small by chance, and the test then rejects
        # too often (docs/calibration.md). c is 0 for m ≤ 3 and tends to 1, so that the correction grows with what is
        # known of V_R.
        m = self.n_levels
        return max(self.between - max(0.0, (m - 3) / (m - 1)) * self.interaction, 0.0)

    @property
    def beyond_interaction(self) -> float:
        """max(V_R − V_E, 0): the contribution of levels without interaction (Cornfield & Tukey 1956)."""
        return max(self.between - self.interaction, 0.0)


@dataclass(frozen=True)
class GainVariance:
    """The variance of a gain over items and the levels of crossed factors.

    Attributes
    ----------
    units : tuple of Spread
        Over units, with the levels fixed, or over the clusters of each of two crossed clusterings.
    factors : tuple of LevelsPart
        For each factor one per system, or one if systems share the levels.
    scores : mapping from str to tuple of ndarray, shape (m,)
        For each factor by name, the scores of its levels in each system, averaged over the other factors.
    has_constant : bool
        Whether the first system is a constant.
    """

    units: tuple[Spread, ...]
    n_units: int
    factors: tuple[LevelsPart, ...]
    scores: Mapping[str, tuple[FloatArray, ...]]
    has_constant: bool = False

    @property
    def items(self) -> float:
        """V_I: the variance over units."""
        # Sums of variances are `math.fsum` in this module: it is exact, so that the order of systems, runs and factors
        # does not change a digit, and exchanging two systems gives exactly the mirror image.
        return math.fsum(float(part.variance) for part in self.units)

    @property
    def degrees(self) -> float:
        """Degrees of freedom of V_I."""
        return self._of_units[0][1] if len(self.units) == 1 else float(satterthwaite(self._of_units, added=math.fsum))

    @property
    def _of_units(self) -> Sequence[tuple[float, float]]:
        return [(float(part.variance), float(part.design_degrees)) for part in self.units]

    @property
    def parts(self) -> Sequence[Spread]:
        """The spreads over units and over new levels of each factor."""
        return [*self.units, *(of_normal(factor.beyond_items, factor.degrees) for factor in self.factors)]

    @cached_property
    def total(self) -> float:
        """V = V_I + Σ S."""
        return self.items + math.fsum(factor.beyond_items for factor in self.factors)

    @cached_property
    def total_degrees(self) -> float:
        """ν = V² / (V_I²/ν_I + Σ V_R²/(m − 1))."""
        # V_R enters without the correction of S: subtracting V_E makes the estimate smaller, but not more certain.
        parts = [*self._of_units, *((factor.between, factor.degrees) for factor in self.factors)]
        return float(satterthwaite(parts, self.total, math.fsum))

    @property
    def components(self) -> tuple[float, float, float]:
        """The contributions of items, levels and interaction to the variance: σ²_D/n, Σ τ²/m, Σ ω²/(n·m).

        Method of moments, each at least 0 (Cornfield & Tukey 1956).
        """
        interaction = math.fsum(factor.interaction for factor in self.factors)
        levels = math.fsum(factor.beyond_interaction for factor in self.factors)
        return max(self.items - interaction, 0.0), levels, interaction

    def component(self, name: str) -> float:
        """Return the contribution of one factor's levels, a part of the second of the `components`."""
        return math.fsum(factor.beyond_interaction for factor in self.factors if factor.factor.name == name)

    def anew(self, n_units: float, n_levels: Sequence[int]) -> float:
        """Return the variance of the gain with other numbers of units and of levels of each factor (equation 1)."""
        items, _, _ = self.components
        variance = items * self.n_units / n_units
        for factor, m in zip(self.factors, n_levels, strict=True):
            variance += factor.beyond_interaction * factor.n_levels / m
            variance += factor.interaction * factor.n_levels * self.n_units / (m * n_units)
        return variance

    def level_sd(self, name: str) -> tuple[float, float]:
        """Return the standard deviation of a level's score, over the systems, and its degrees of freedom.

        The root of the mean of the systems' variances, which include the sampling of items within levels.
        """
        varying = self.scores[name][self.has_constant :]
        parts = [(_variance_of(scores), len(scores) - 1) for scores in varying if len(scores) > 1]
        if not parts:
            return math.nan, 0.0
        whole = math.fsum(variance for variance, _ in parts)
        return math.sqrt(whole / len(parts)), float(satterthwaite(parts, added=math.fsum))

    def share_won(self, name: str) -> float:
        """Return the proportion of pairs of levels in which the candidate scores better; ties count half."""
        baseline, candidate = self.scores[name]
        return float((np.sign(candidate[None] - baseline[:, None]) + 1).mean() / 2)


def gain_variance(pair: Pair) -> GainVariance:
    """Return the variance of a pair's gain, or of the score of one system, over units and levels of crossed factors.

    All parts are computed from influences of units on the cells' scores (`influence.Leverage`).
    """
    crossing = pair.crossing
    assert crossing is not None
    clusterings = () if pair.clusterings is None else tuple(cluster.spread for cluster in pair.in_clusters)
    variance: GainVariance = crossing.computed(
        "variance",
        lambda: variance_of(crossing, Leverage(pair.sizes, crossing.strata), clusterings),
    )
    return variance


def variance_of(crossing: Crossing, leverage: Leverage, clusterings: tuple[Spread, ...] = ()) -> GainVariance:
    """Return the variance of the gain of a baseline and a candidate, or of the score of one system.

    V = V_I + Σ_f V_f, where V_f is the variance of the means of the levels of factor f over other factors and items.
    `clusterings` replace the spread over units.
    """
    systems = [_known(crossing, index, leverage) for index in range(len(crossing.systems))]
    n_axes, alone = len(crossing.factors), len(crossing.factors) == 1 and not clusterings
    # A unit's influence on the mean over cells is the mean of its influences on the cells. Spreads of single cells
    # would include the interaction of that cell m times as much.
    means = [mean_of(margin(influences, 0, n_axes)) for _, influences in systems]
    units = means[-1] if len(systems) == 1 else means[1] - means[0]
    parts, scores = [], {}
    for axis, factor in enumerate(crossing.factors):
        tables = [(margin(levels, axis, n_axes), margin(values, axis, n_axes)) for levels, values in systems]
        scores[factor.name] = tuple(crossing.sign * of_levels for of_levels, _ in tables)
        if len(systems) > 1 and factor.is_shared:
            # The systems share the levels, so only the differences between the systems vary from level to level.
            (base, of_base), (levels, values) = tables
            tables = [(levels - base, values - of_base)]
        elif len(systems) > 1 and crossing.has_constant:
            # All cells of a constant are equal: it has no variance between levels.
            tables = tables[1:]
        parts += [_part(factor, levels, values, leverage, alone=alone) for levels, values in tables if len(levels) > 1]
    spread = _beyond_rounding(leverage, units, max(_size_of(*system) for system in systems))
    of_units = clusterings or (spread,)
    return GainVariance(of_units, crossing.n_units, tuple(parts), scores, crossing.has_constant)


def _known(crossing: Crossing, index: int, leverage: Leverage) -> tuple[FloatArray, FloatArray]:
    """Return the scores of a system's cells, and the influences of units on them; higher is better."""
    cells = crossing.systems[index]
    scores, influences = np.empty(cells.shape[:-2]), np.empty(cells.shape[:-1])
    for at in np.ndindex(scores.shape):
        totals = cells[at].sum(axis=0)
        scores[at] = float(crossing.metric.score(totals))
        influences[at] = leverage.influences(scores[at] - crossing.metric.score(totals - cells[at]))
    return crossing.sign * scores, crossing.sign * influences


def _part(
    factor: CrossedFactor, scores: FloatArray, influences: FloatArray, leverage: Leverage, *, alone: bool
) -> LevelsPart:
    """Return the contribution of levels, given their scores, shape (m,), and the influences of units, (m, n)."""
    m, interaction = len(scores), 0.0
    # With several factors, the interactions of items with each of them overlap, and would be subtracted more than once.
    # If one unit has all the weight, there is no spread over units to compare with.
    if alone and not leverage.one_has_all:
        size = _size_of(scores, influences)
        errors = (
            _beyond_rounding(leverage, influence, size).variance for influence in influences - mean_of(influences)
        )
        interaction = math.fsum(map(float, errors)) / (m * (m - 1))
    return LevelsPart(factor, m, _variance_of(scores) / m, interaction)


def _size_of(scores: FloatArray, influences: FloatArray) -> float:
    return float(np.abs(scores).max() + np.abs(influences).max())


def _beyond_rounding(leverage: Leverage, influences: FloatArray, size: float) -> Spread:
    """Return the spread of influences, 0 if it is only rounding error of equal levels or systems."""
    alike = float(np.abs(influences).max()) <= NOISE * size
    return leverage.spread(np.zeros_like(influences) if alike else influences)


def _variance_of(scores: FloatArray) -> float:
    """Return s², 0 if scores differ only by rounding, and the same in any order."""
    centre = math.fsum(scores) / len(scores)
    deviations = scores - centre
    if float(np.abs(deviations).max()) <= NOISE * float(np.abs(scores).max()):
        return 0.0
    return math.fsum(deviations**2) / (len(scores) - 1)


def far_levels(scores: FloatArray, noise: float) -> list[int]:
    """Return the indices of levels, such as runs, that lie far from all others of their system.

    `scores` has one score per level, shape (m,). The externally studentised deviation of each is compared with
    Student's t with m − 2 degrees of freedom, at 1% over the m levels together (Grubbs 1969). If the others differ
    by less than `noise`, the standard deviation between levels that differed only by interaction with items, the
    noise is used.

    Examples
    --------
    >>> far_levels(np.array([0.81, 0.80, 0.82, 0.79, 0.31]), 0.01), far_levels(np.array([0.81, 0.80, 0.31]), 0.01)
    ([4], [])
    """
    m, far = len(scores), []
    # Of two levels, each is as far from the other.
    for level in range(m) if m > 2 else ():
        others = np.delete(scores, level)
        scale = max(math.sqrt(_variance_of(others)), noise) * math.sqrt(1 + 1 / (m - 1))
        off = abs(float(scores[level]) - math.fsum(others) / (m - 1))
        if off > NOISE * float(np.abs(scores).max()) and (
            scale == 0 or m * student_p_value(off / scale, m - 2, Alternative.TWO_SIDED) <= _FAR
        ):
            far.append(level)
    return far


def far_remarks(metric: AnyMetric, systems: Sequence[Rows], crossing: Crossing) -> list[str]:
    """Return a sentence for each run that lies far from the others of its system."""
    percent, remarks = 100.0 if metric.as_percentage else 1.0, []
    leverage = Leverage(crossing.sizes, crossing.strata)
    for factor in (factor for factor in crossing.factors if not factor.always_shared):
        for index, system in enumerate(systems):
            variance = variance_of(crossing.of(index), leverage)
            (scores,), axis = variance.scores[factor.name], system.cells and system.cells.axis(factor.name)
            noise = next(
                (math.sqrt(part.interaction * part.n_levels) for part in variance.factors if part.factor == factor), 0.0
            )
            for far in far_levels(scores, noise):
                name = axis.levels[far] if axis else str(far + 1)
                far_score, others = scores[far], np.delete(scores, far)
                low, high = percent * others.min(), percent * others.max()
                remarks.append(
                    warnings.far_level(system.name, factor.name, factor.plural, name, percent * far_score, (low, high))
                )
    return remarks


def covariance_of_levels(crossing: Crossing, leverage: Leverage, unit: float = 1.0) -> FloatArray:
    """Return the contribution of new levels, such as runs, to the covariances of the systems' scores, shape (s, s).

    Systems share the levels of paired runs, templates and raters; other levels are drawn for each system separately. As
    in `variance_of`, the contribution of interaction with units is subtracted if one factor has four levels or more. So
    the variance of a gain is that of `gain_variance`, unless that is truncated at 0. Higher is better. Covariances are
    in multiples of the unit's square.
    """
    systems = [
        (scores / unit, influences / unit)
        for scores, influences in (_known(crossing, index, leverage) for index in range(len(crossing.systems)))
    ]
    n_axes = len(crossing.factors)

    def of_means(values: Sequence[FloatArray], *, shared: bool) -> FloatArray:
        """Return the covariances of means over m levels, shape (m, ...) each."""
        off = [
            (value - value.mean(axis=0)).ravel() / math.sqrt(len(value) * max(len(value) - 1, 1)) for value in values
        ]
        if shared:
            return np.asarray(np.array(off) @ np.array(off).T)
        return np.diag([float(deviations @ deviations) for deviations in off])

    covariance = np.zeros((len(systems), len(systems)))
    for axis, factor in enumerate(crossing.factors):
        covariance += of_means([margin(scores, axis, n_axes) for scores, _ in systems], shared=factor.is_shared)
    if n_axes == 1:
        (factor,), counts = crossing.factors, [len(scores) for scores, _ in systems]
        # As in `LevelsPart.beyond_items`, c V_E is subtracted. A covariance of systems with different m gets the
        # geometric mean of their c, which keeps the subtracted matrix positive semidefinite.
        kept = [max(0.0, (m - 3) / (m - 1)) if m > 1 else 0.0 for m in counts]
        within = of_means([influences for _, influences in systems], shared=factor.is_shared)
        covariance -= np.sqrt(np.multiply.outer(kept, kept)) * within
    return covariance


def one_level(crossing: Crossing, alpha: float) -> OptionError:
    """Return the error that levels cannot be random if a system has only one, with alternatives."""
    factor = crossing.fewest[1]
    what = f"a variance between {factor.plural} cannot be estimated from one {factor.name} per system"
    if crossing.shared is not None and len(crossing.systems) == 2 and len(crossing.factors) == 1:
        variance = variance_of(crossing, Leverage(crossing.shared, crossing.strata))
        before, after = (math.fsum(scores) / len(scores) for scores in variance.scores[factor.name])
        gain = crossing.sign * (after - before)
        tipping = tipping_sd(variance, gain, alpha, [len(rows) for rows in crossing.drawn])
        if tipping is None:
            what += f". Its gain of {gain:.4g} is not significant even on new items alone"
        else:
            what += (
                f". On new items alone its gain of {gain:.4g} is significant, but not if the score of one "
                f"{factor.name} varies by more than {tipping:.3g} (sd) from {factor.name} to {factor.name}"
            )
    # The error says what the data can still tell: how variable runs may be before the gain is not significant.
    advice = f"Add runs, pass {opt('run_sd')} with a published value (or borrowed), or {opt('runs', 'fixed')}."
    return OptionError(Problem(opt(factor.plural, "random"), what, advice, f"one-{factor.name}"))


def tipping_sd(variance: GainVariance, gain: float, alpha: float, n_levels: Sequence[int]) -> float | None:
    """Return the smallest sd of a run's score between runs at which the gain is not significant, two-sided.

    τ* = √((δ̂/z)² − V_I) / √(Σ 1/m_s). None if the gain is not significant over items only.

    Examples
    --------
    >>> from outscore.gains.influence import of_normal
    >>> known = GainVariance((of_normal(0.011**2, 499.0),), 500, (), {})
    >>> round(tipping_sd(known, 0.03, 0.05, (1, 1)), 10)
    0.0075261542
    """
    left = (gain / normal_quantile(alpha / 2)) ** 2 - variance.items
    return math.sqrt(left / sum(1 / m for m in n_levels)) if left > 0 else None
