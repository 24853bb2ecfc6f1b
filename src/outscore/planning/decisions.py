"""What tests decide on simulated test sets, many at once, without resampling each of them.

A test set of m units drawn from a pilot's n is a vector of weights on the pilot's rows. Whether a test is significant
on it follows from weighted moments: the law that the test would find by resampling the set is a law of sums, whose
first four cumulants give its tail to within O(1/m) (Edgeworth's expansion). `checking` runs the tests themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.exact.lattice import find_step
from outscore.planning.curvature import FLAT, Curvature, Line, line_through
from outscore.planning.levels import Level
from outscore.planning.right_or_wrong import sign_decisions
from outscore.significance import (
    Bootstrap,
    BootstrapUncentred,
    McNemar,
    PairedT,
    Randomization,
    Sign,
    SignificanceTest,
    Wilcoxon,
)
from outscore.significance.pair import Pair
from outscore.strata import members_of

__all__ = ["TestSets", "decisions", "knows"]

_SPREADLESS = 1e-12


def knows(test: SignificanceTest) -> bool:
    """Say whether decisions of the test can be told."""
    return type(test) in _DECISIONS


@dataclass(frozen=True, eq=False)
class TestSets:
    """Simulated test sets: how often each unit of the pilot is in each of them.

    Attributes
    ----------
    pair : Pair
        The pilot.
    weights : ndarray, shape (b, n)
        Whole numbers; every row adds up to the m units of a test set.
    """

    __test__ = False  # no class of tests, whatever pytest thinks of its name

    pair: Pair
    weights: FloatArray

    @cached_property
    def totals(self) -> FloatArray:
        return self.weights @ self.pair.columns

    @cached_property
    def gains(self) -> FloatArray:
        """δ of each test set, shape (b,)."""
        return self.pair.gains(self.totals)

    @cached_property
    def strata(self) -> list[IntArray]:
        """The places of each stratum's units in the pilot; all of them where there are no strata."""
        n = self.pair.n_units
        return [np.arange(n)] if self.pair.strata is None else members_of(self.pair.strata)

    def stretches(self) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Yield the places of each stratum, its units in each set, m_h, and how many of them a resample draws."""
        fewer = 0 if self.pair.strata is None else 1
        for members in self.strata:
            size = self.weights[:, members].sum(axis=1)
            yield members, size, size - fewer

    @cached_property
    def grid(self) -> float:
        """The step of the differences where every draw weighs the same and they lie on a grid; else 0."""
        if not self.pair.equal_weights or self.pair.linear is None or self.pair.strata is not None:
            return 0.0
        d = self.pair.linear.d
        return find_step(d - d.min(), float(np.abs(d).max())) or 0.0

    def upper(self) -> FloatArray:
        """Return P(δ* ≥ 2δ) of each set: the recentred bootstrap."""
        return self._bootstrap_tail(2.0)

    def lower(self) -> FloatArray:
        """Return P(δ* ≤ 0) of each set: the uncentred bootstrap."""
        return self._bootstrap_tail(0.0)

    def _bootstrap_tail(self, multiple: float) -> FloatArray:
        """Return P(δ* ≥ 2δ), or P(δ* ≤ 0), where δ > 0; mirrored where δ < 0."""
        linear = self.pair.linear
        sign = np.sign(self.gains)
        curvature = FLAT
        if linear is not None:
            # δ* ≥ c is Σ w(d − cℓ) ≥ 0, an event of a sum.
            values = linear.d - multiple * self.gains[:, None] * linear.shared
        else:
            curvature = self._line.curvature
            # Linear about the set's own totals: its mean is put where the gain is 0 beyond the event.
            m = self.weights.sum(axis=1, keepdims=True)
            values = self.influence + (1 - multiple) * self.gains[:, None] / m
        # Where a gain is positive the upper event is asked for with multiple 2, the lower with 0.
        direction = sign if multiple == 0.0 else -sign
        bent = Curvature(curvature.shift * direction, curvature.stretch, curvature.skewness * direction)
        return _sum_beyond(self, values * direction[:, None], bent)

    @property
    def influence(self) -> FloatArray:
        """What each unit adds to the gain about the totals of each set, shape (b, n), with mean 0 over the set."""
        values = self._line.slopes @ self.pair.columns.T
        m = self.weights.sum(axis=1, keepdims=True)
        return np.asarray(values - np.einsum("bn,bn->b", self.weights, values)[:, None] / m)

    @cached_property
    def _line(self) -> Line:
        """The gain about the totals of each set, as its bootstrap replicates see it."""
        columns = self.pair.columns
        covariance = np.zeros((*self.totals.shape, columns.shape[1]))
        for members, size, draws in self.stretches():
            part, weights = columns[members], self.weights[:, members]
            totals = weights @ part
            own = _squares(weights, part) - totals[:, :, None] * (totals / size[:, None])[:, None]
            covariance += own * (size / draws)[:, None, None]
        return line_through(self.pair.gains, self.totals, covariance, _least(columns))

    def swapped(self) -> FloatArray:
        """Return P(δ' ≥ |δ|) of each set under random swaps."""
        stretch: float | FloatArray = 1.0
        if self.pair.linear is not None:
            squares = self.pair.linear.d**2
            second, fourth = self.weights @ squares, self.weights @ squares**2
            statistic = np.abs(self.totals[:, 0])
        else:
            k = self.pair.baseline.shape[1]
            # A swap moves both systems' totals about their mean, by half of what the unit's rows differ: the gain is
            # twice the odd part of the score there.
            middle = (self.totals[:, :k] + self.totals[:, k:]) / 2
            apart = self.pair.candidate - self.pair.baseline
            line = line_through(
                self.pair.metric.score, middle, _squares(self.weights, apart / 2), _least(self.pair.baseline)
            )
            values, stretch = line.slopes @ apart.T, line.odd_stretch
            statistic = np.abs(self.gains)
            squares = values * values
            second = np.einsum("bn,bn->b", self.weights, squares)
            fourth = np.einsum("bn,bn,bn->b", self.weights, squares, squares)
        spread = np.sqrt(second)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(spread > 0, statistic / (spread * stretch), 0.0)
            excess = np.where(spread > 0, -2 * fourth / second**2, 0.0)
            # Sums of signs move by two steps of the grid.
            half = np.where(spread > 0, self.grid / spread, 0.0)
        tail = np.where(spread > 0, _edgeworth(z, np.zeros_like(z), excess, half), 1.0)
        # Among swaps of m units that differ, the set itself is one of 2ᵐ: no p-value is smaller.
        differ = (self.pair.baseline != self.pair.candidate).any(axis=1)
        return np.asarray(np.maximum(tail, 0.5 ** (self.weights @ differ.astype(float))))

    @cached_property
    def differing(self) -> tuple[FloatArray, FloatArray]:
        """How many units of each set are helped, and hurt."""
        d = self.pair.changes(0.0)[:, 0]
        return self.weights @ (d > 0).astype(float), self.weights @ (d < 0).astype(float)

    def student_t(self) -> tuple[FloatArray, FloatArray]:
        """Return t of the paired differences of each set, infinite where they are all alike, and degrees of freedom."""
        d = self.pair.changes(0.0)[:, 0]
        largest = float((d**2).max(initial=0.0))
        total = self.weights @ d
        variance, uncertainty, degrees = np.zeros(len(total)), np.zeros(len(total)), np.zeros(len(total))
        for members, m, _ in self.stretches():
            weights = self.weights[:, members]
            squares = np.maximum(weights @ d[members] ** 2 - (weights @ d[members]) ** 2 / m, 0.0)
            squares = np.where(squares <= _SPREADLESS * m * largest, 0.0, squares)
            own = m * squares / (m - 1)
            variance, uncertainty, degrees = variance + own, uncertainty + own**2 / (m - 1), degrees + m - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(total == 0, 0.0, total / np.sqrt(variance))
            return t, np.where(uncertainty > 0, variance**2 / uncertainty, degrees)

    def signed_ranks(self) -> FloatArray:
        """Return z of Wilcoxon's signed ranks of each set, tied sizes at their mean rank."""
        d = self.pair.changes(0.0)[:, 0]
        sizes = np.abs(d)
        order = np.argsort(sizes, kind="stable")
        order = order[sizes[order] > 0]
        if len(order) == 0:
            return np.zeros(len(self.weights))
        ordered = sizes[order]
        starts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > 1e-12 * ordered[-1]]))
        counts = np.add.reduceat(self.weights[:, order], starts, axis=1)
        gained = np.add.reduceat(self.weights[:, order] * np.sign(d[order]), starts, axis=1)
        ranks = np.cumsum(counts, axis=1) - (counts - 1) / 2
        spread = np.sqrt((counts * ranks**2).sum(axis=1))
        total = (gained * ranks).sum(axis=1)
        return np.asarray(np.divide(total, spread, out=np.zeros(len(total)), where=spread > 0))


def decisions(test: SignificanceTest, sets: TestSets, level: Level) -> BoolArray:
    """Return where the test finds a gain, or for two sides a gain or a loss, shape (b,)."""
    return _DECISIONS[type(test)](sets, level)


def _least(rows: FloatArray) -> FloatArray:
    """Return what sums of rows cannot fall below, shape (columns,): 0 for counts."""
    return np.where((rows >= 0).all(axis=0), 0.0, -np.inf)


def _squares(weights: FloatArray, columns: FloatArray) -> FloatArray:
    """Return Σ w x x' of each set, shape (b, columns, columns)."""
    return (weights[:, None] * columns.T) @ columns


def _sum_beyond(sets: TestSets, values: FloatArray, bent: Curvature) -> FloatArray:
    """Return P(Σ w*u ≤ 0) for bootstrap weights w* on each set, shape (b,): by the cumulants of draws from it."""
    weights = sets.weights
    total = np.einsum("bn,bn->b", weights, values)
    second, third, fourth = (np.zeros(len(weights)) for _ in range(3))
    for members, m, draws in sets.stretches():
        own = weights[:, members]
        centred = values[:, members] - (np.einsum("bn,bn->b", own, values[:, members]) / m)[:, None]
        powers = centred * centred
        # Cumulants of one draw, times what a draw weighs to their order.
        variance = np.einsum("bn,bn->b", own, powers) / m
        weight = m / draws
        second += draws * weight**2 * variance
        third += draws * weight**3 * np.einsum("bn,bn,bn->b", own, powers, centred) / m
        fourth += draws * weight**4 * (np.einsum("bn,bn,bn->b", own, powers, powers) / m - 3 * variance**2)
    size = np.maximum(np.abs(values).max(axis=1), 1e-300)
    spread = np.sqrt(second)
    real = spread > _SPREADLESS * size * np.sqrt(weights.sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(real, total / spread, 0.0) + bent.shift
        skewness = np.where(real, third / (second * spread), 0.0) + bent.skewness
        excess = np.where(real, fourth / second**2, 0.0)
        half = np.where(real, sets.grid / 2 / spread, 0.0)
    # The lower tail of a sum is the upper one of its mirror image.
    tail = _edgeworth(z / bent.stretch, -skewness / bent.stretch**3, excess / bent.stretch**4, half)
    return np.where(real, tail, np.where(total > _SPREADLESS * size * weights.sum(axis=1), 0.0, 1.0))


def _edgeworth(z: FloatArray, skewness: FloatArray, excess: FloatArray, shift: FloatArray) -> FloatArray:
    """Return P(Z ≥ z) of a standardized sum with these cumulants, its mean shifted.

    Φ(−z) + φ(z) [κ₃/6 He₂ + κ₄/24 He₃ + κ₃²/72 He₅ + shift] (Feller, vol. 2, section XVI.4); half a step of a grid
    as a shift adds half of the atom at z.
    """
    from scipy.special import ndtr

    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    he2, he3, he5 = z**2 - 1, z**3 - 3 * z, z**5 - 10 * z**3 + 15 * z
    more = skewness / 6 * he2 + excess / 24 * he3 + skewness**2 / 72 * he5
    return np.asarray(ndtr(-z) + density * (more + shift))


def _bootstrap(sets: TestSets, level: Level) -> BoolArray:
    p = sets.upper()
    if level.two_sided:
        return np.asarray((p + sets.lower() <= level.each) & (sets.gains != 0))
    return np.asarray((p <= level.each) & (sets.gains > 0))


def _uncentred(sets: TestSets, level: Level) -> BoolArray:
    if level.two_sided:
        return np.asarray((2 * sets.lower() <= level.each) & (sets.gains != 0))
    return np.asarray((sets.lower() <= level.each) & (sets.gains > 0))


def _randomization(sets: TestSets, level: Level) -> BoolArray:
    if level.two_sided:
        return np.asarray((2 * sets.swapped() <= level.each) & (sets.gains != 0))
    return np.asarray((sets.swapped() <= level.each) & (sets.gains > 0))


def _student(sets: TestSets, level: Level) -> BoolArray:
    from scipy.special import stdtrit

    t, degrees = sets.student_t()
    critical = -stdtrit(degrees, level.each / (2 if level.two_sided else 1))
    return np.asarray((np.abs(t) if level.two_sided else t) >= critical)


def _sign(sets: TestSets, level: Level) -> BoolArray:
    helped, hurt = (part.astype(np.int64) for part in sets.differing)
    found = sign_decisions(0, helped, hurt, level) & (helped > hurt)
    return found | (sign_decisions(0, hurt, helped, level) & (hurt > helped)) if level.two_sided else found


def _wilcoxon(sets: TestSets, level: Level) -> BoolArray:
    from scipy.special import ndtri

    critical = -float(ndtri(level.each / (2 if level.two_sided else 1)))
    z = sets.signed_ranks()
    return np.asarray((np.abs(z) if level.two_sided else z) >= critical)


_DECISIONS: dict[type[SignificanceTest], Callable[[TestSets, Level], BoolArray]] = {
    Bootstrap: _bootstrap,
    BootstrapUncentred: _uncentred,
    Randomization: _randomization,
    PairedT: _student,
    Sign: _sign,
    McNemar: _sign,
    Wilcoxon: _wilcoxon,
}
