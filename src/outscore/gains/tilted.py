"""Small p-values by importance sampling, for events that plain draws rarely meet.

Units are drawn with probabilities that push the gain towards the event (tilted), and each sample has the weight f/g,
the ratio of its plain and tilted probabilities (Johns 1988; Davison & Hinkley 1997, section 9.4). g is a mixture with a
fixed proportion of plain draws (Hesterberg 1995), which bounds the weights by the inverse of that proportion.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.data.strata import members_of
from outscore.gains.pair import Pair
from outscore.laws.law import Probability, clopper_pearson, few_exceeding, illinois
from outscore.laws.resampling import BootstrapScheme, SwapScheme
from outscore.laws.resampling.engine import exactly_summable
from outscore.laws.resampling.schemes import Scheme
from outscore.laws.student import student_quantile

N_TILTED = 4_000  # tilted samples: the relative error of a p-value of 1e-10 is about 5%
_MOST_CELLS = 2**29  # maximum number of drawn units, at some 16 ns each: with more units, fewer samples
_FEWEST_TILTED = 500  # minimum number of tilted samples
LEAST_TILTED = 1e-300  # smaller probabilities are not resolved
_KEY = 8  # separates these random streams from those of the schemes

# Proportions of the mixture. Most draws are at the likeliest way to meet the event. Draws part of the way cover other
# ways, and plain draws bound the weight of a draw by 1/proportion.
_PLAIN, _PART, _WHOLE = 0.1, 0.2, 0.7
_PART_OF_THE_WAY = 0.7
_SMALLEST_SHARE = 0.1  # of a side: the rarer side has at least this proportion of the draws

_PROMISING = 3  # starting points of the search for the likeliest way
_TURNS = 12
_STEPS = (0.1, 0.3, 1.0, 3.0, 10.0)  # steps uphill, in differences between the exponents of two units
_NEAR_ENOUGH = 0.01  # of the way to the threshold
_BETTER = 1e-3  # of the cost, which is a log-probability: a smaller improvement stops the search
_NOTHING = 1e-6  # of the sizes that a total adds up
_STEEPEST = 300.0  # maximum difference between the exponents of two units
_NEGLIGIBLE = 12.0  # log-probabilities: ways less likely by a factor of e^-12 are ignored
_ALIKE = 0.99  # correlation of exponents above which two ways are the same
_GRID = 2.0**20  # exponents are multiples of 1/grid, so that their sums are exact
_WORDS = 2**16
_CELLS = 2**21  # units drawn per block
_SHARD = 256
_DIFFERENCE = 0.02  # step of numerical differentiation, in standard deviations of a total

# Conditions for using the estimate.
_FEWEST_HITS = 5.0  # effective number, (Σw)²/Σw²
_LEAST_ERROR = 0.005  # relative: even if all hits have equal weights, unseen ones may not
_LEVEL, _CONTRADICTION = 0.95, 0.9999  # levels of the interval, and of the plain interval that it must overlap


@dataclass(frozen=True)
class Event:
    """Gains of at most `low` or at least `high` (beyond them if strict). Equal up to rounding is equal."""

    low: float
    high: float
    strict: bool
    tolerance: float

    def met(self, gains: FloatArray) -> BoolArray:
        slack = -self.tolerance if self.strict else self.tolerance
        if self.strict:
            return np.asarray((gains < self.low + slack) | (gains > self.high - slack))
        return np.asarray((gains <= self.low + slack) | (gains >= self.high - slack))

    @property
    def sides(self) -> list[tuple[float, float]]:
        """Each finite limit, preceded by the sign that makes it a lower one."""
        return [(side, side * limit) for side, limit in ((1.0, self.high), (-1.0, self.low)) if math.isfinite(limit)]


class _Draws(ABC):
    """Plain or tilted draws of weights; exponents eᵢ tilt them: g(w) = f(w)·exp(Σ wᵢeᵢ − K(e)).

    Attributes
    ----------
    scheme : Scheme
        The plain scheme.
    """

    scheme: Scheme

    @abstractmethod
    def cumulant(self, exponents: FloatArray) -> float:
        """Return K(e) = log E exp(Σ wᵢeᵢ)."""

    @abstractmethod
    def mean(self, exponents: FloatArray) -> FloatArray:
        """Return the expected weights when tilted, shape (n,)."""

    @abstractmethod
    def variances(self, columns: FloatArray) -> FloatArray:
        """Return the plain variances of the totals of columns, shape (c,)."""

    @abstractmethod
    def extremes(self, columns: FloatArray) -> FloatArray:
        """Return totals of some of the most extreme draws, shape (m, c)."""

    @abstractmethod
    def settled(self, exponents: FloatArray) -> FloatArray:
        """Return the nearest exponents with which draws are exact and the same on every machine."""

    @abstractmethod
    def sampler(self, exponents: FloatArray) -> Callable[[np.random.Generator, int], AnyArray]:
        """Return a function that draws `count` weight vectors by settled exponents, shape (count, n)."""


class _Bootstrap(_Draws):
    """Multinomial(n; pᵢ ∝ e^{eᵢ}); with strata Multinomial(n_h − 1; …) in each. K(e) = Σ_h m_h·log mean_h e^{eᵢ}."""

    def __init__(self, n: int, strata: AnyArray | None) -> None:
        self.scheme = BootstrapScheme(n, strata)
        self._parts: list[tuple[IntArray, int]] = (
            [(np.arange(n), n)] if strata is None else [(members, len(members) - 1) for members in members_of(strata)]
        )

    def cumulant(self, exponents: FloatArray) -> float:
        return math.fsum(draws * _log_mean_exp(exponents[members]) for members, draws in self._parts)

    def mean(self, exponents: FloatArray) -> FloatArray:
        weights = np.empty(len(exponents))
        for members, draws in self._parts:
            weights[members] = draws * _shares(exponents[members])
        return weights

    def variances(self, columns: FloatArray) -> FloatArray:
        return np.asarray(sum(draws * columns[members].var(axis=0) for members, draws in self._parts))

    def extremes(self, columns: FloatArray) -> FloatArray:
        if len(self._parts) == 1:
            return columns * len(columns)
        return np.concatenate([columns[members] * draws for members, draws in self._parts])

    def settled(self, exponents: FloatArray) -> FloatArray:
        return np.rint(exponents * _GRID) / _GRID

    def sampler(self, exponents: FloatArray) -> Callable[[np.random.Generator, int], AnyArray]:
        n = len(exponents)
        parts = [(members, draws, _Picker(_shares(exponents[members]))) for members, draws in self._parts]

        def weights(stream: np.random.Generator, count: int) -> AnyArray:
            drawn = np.empty((count, n), dtype=np.int64)
            for members, draws, picker in parts:
                size = len(members)
                picks = picker.draw(stream, count * draws).reshape(count, draws).astype(np.int64)
                picks += np.arange(count)[:, None] * size
                part = np.bincount(picks.ravel(), minlength=count * size).reshape(count, size)
                if len(parts) == 1:
                    return part
                drawn[:, members] = part
            return drawn

        return weights


class _Swaps(_Draws):
    """Independent swaps with probability e^{eᵢ}/(1 + e^{eᵢ}). K(e) = Σ log((1 + e^{eᵢ})/2)."""

    def __init__(self, n: int) -> None:
        self.scheme = SwapScheme(n)

    def cumulant(self, exponents: FloatArray) -> float:
        return float((np.logaddexp(0.0, exponents) - math.log(2)).sum())

    def mean(self, exponents: FloatArray) -> FloatArray:
        return np.asarray(1 / (1 + np.exp(-exponents)))

    def variances(self, columns: FloatArray) -> FloatArray:
        return np.asarray((columns**2).sum(axis=0) / 4)

    def extremes(self, columns: FloatArray) -> FloatArray:
        return np.asarray(columns.sum(axis=0, keepdims=True))

    def settled(self, exponents: FloatArray) -> FloatArray:
        words = self._words(exponents)
        return np.asarray(np.log(words / (_WORDS - words)))

    def sampler(self, exponents: FloatArray) -> Callable[[np.random.Generator, int], AnyArray]:
        n, words = len(exponents), self._words(exponents).astype(np.uint16)

        def weights(stream: np.random.Generator, count: int) -> AnyArray:
            drawn = stream.bit_generator.random_raw(-(-count * n // 4)).view(np.uint16)[: count * n]
            return (drawn.reshape(count, n) < words).view(np.uint8)

        return weights

    def _words(self, exponents: FloatArray) -> FloatArray:
        """Return the number of 2¹⁶ words by which each unit is swapped, never none or all."""
        return np.clip(np.rint(self.mean(exponents) * _WORDS), 1, _WORDS - 1)


class _Picker:
    """Draws units with exact probabilities: by 16-bit words where they suffice, otherwise by a second draw."""

    def __init__(self, shares: FloatArray) -> None:
        words = shares * _WORDS
        whole = np.floor(words).astype(np.int64)
        n = len(shares)
        self._open = n
        self._table = np.full(_WORDS, n, dtype=np.uint16 if n < _WORDS else np.int32)
        self._table[: whole.sum()] = np.repeat(np.arange(n), whole)
        self._rest = np.cumsum(words - whole)
        self._rest /= self._rest[-1] or 1.0
        self._rest[-1] = 1.0

    def draw(self, stream: np.random.Generator, size: int) -> IntArray:
        words = stream.bit_generator.random_raw(-(-size // 4)).view(np.uint16)[:size]
        picks = np.take(self._table, words, mode="wrap")
        open_places = np.flatnonzero(picks == self._open)
        picks[open_places] = np.searchsorted(self._rest, stream.random(len(open_places)), side="right")
        return picks


def _log_mean_exp(values: FloatArray) -> float:
    top = float(values.max())
    return top + math.log(float(np.exp(values - top).mean()))


def _shares(exponents: FloatArray) -> FloatArray:
    sizes = np.exp(exponents - exponents.max())
    return np.asarray(sizes / sizes.sum())


@dataclass(frozen=True, eq=False)
class _Way:
    """A tilt whose expected totals meet the event, or come nearest to it.

    Attributes
    ----------
    exponents : ndarray, shape (n,)
    totals : ndarray, shape (c,)
        Expected totals.
    cost : float
        Σ w̄ᵢeᵢ − K(e): minus the log-probability of such totals, approximately.
    reached : bool
        Whether the gain of these totals reaches the limit.
    """

    exponents: FloatArray
    totals: FloatArray
    cost: float
    reached: bool


@dataclass(frozen=True, eq=False)
class _Mixture:
    """Tilts, of which the first is plain, and their numbers of draws.

    Attributes
    ----------
    exponents : ndarray, shape (k, n)
    cumulants : ndarray, shape (k,)
    counts : ndarray of int, shape (k,)
    """

    exponents: FloatArray
    cumulants: FloatArray
    counts: IntArray

    def log_weights(self, sums: FloatArray) -> FloatArray:
        """Return log f/g of draws with these Σ wᵢeᵢ, shape (b, k) to (b,): g = Σ_k α_k·f·exp(Σ wᵢeᵢ − K)."""
        terms = sums - self.cumulants + np.log(self.counts / self.counts.sum())
        top = terms.max(axis=1)
        return np.asarray(-(top + np.log(np.exp(terms - top[:, None]).sum(axis=1))))


@dataclass(frozen=True, eq=False)
class Tilting:
    """Importance sampling of the gain of one pair.

    Attributes
    ----------
    draws : _Draws
    columns : ndarray, shape (n, c)
        A unit's contribution to the totals.
    gains : callable
        From totals, shape (b, c), to gains, shape (b,).
    linear : bool
        Whether an event is all totals on one side of a plane, so that there is one likeliest way to meet it.
    halves : bool
        Whether the columns are those of two systems side by side.
    seed : int
    n_resamples : int
        r, of the mixture.
    """

    draws: _Draws
    columns: FloatArray
    gains: Callable[[FloatArray], FloatArray]
    linear: bool
    halves: bool
    seed: int
    n_resamples: int = N_TILTED

    def probability(self, event: Event) -> Probability | None:
        """Return the probability of the event, with a confidence interval; None if the estimate is unreliable.

        Shards have their own streams and sums are exact, so the result is the same on every machine.
        """
        mixture = self._mixture(event)
        if mixture is None:
            return None
        logs = [self._log_weights_of_hits(mixture, event, place) for place in range(len(mixture.counts))]
        return _estimate(logs, mixture.counts)

    def _log_weights_of_hits(self, mixture: _Mixture, event: Event, place: int) -> FloatArray:
        """Return log f/g of those draws of one tilt that meet the event."""
        c, scheme = self.columns.shape[1], self.draws.scheme
        summed = [exactly_summable(scheme, part) for part in (self.columns, mixture.exponents.T)]
        rows = np.column_stack([part.astype(np.float64) for part in summed])
        draw = self.draws.sampler(mixture.exponents[place])
        height = min(_SHARD, max(1, _CELLS // len(rows)))
        found = []
        for shard, start in enumerate(range(0, int(mixture.counts[place]), height)):
            stream = np.random.Generator(
                np.random.SFC64(np.random.SeedSequence(self.seed, spawn_key=(_KEY, place, shard)))
            )
            count = min(height, int(mixture.counts[place]) - start)
            totals = draw(stream, count).astype(np.float64) @ rows
            hits = event.met(self.gains(totals[:, :c]))
            found.append(mixture.log_weights(totals[hits, c:]))
        return np.concatenate(found)

    def _mixture(self, event: Event) -> _Mixture | None:
        """Return plain draws and, for each way to meet the event, draws all and part of the way; None without a way."""
        ways = self._ways(event)
        if not ways:
            return None
        likeliest = min(way.cost for way in ways)
        likely = np.maximum([math.exp(likeliest - way.cost) for way in ways], _SMALLEST_SHARE)
        likely /= likely.sum()
        n = len(self.columns)
        exponents, shares = [np.zeros(n)], [_PLAIN]
        for way, share in zip(ways, likely, strict=True):
            exponents += [way.exponents, _PART_OF_THE_WAY * way.exponents]
            shares += [_WHOLE * share, _PART * share]
        settled = np.array([exponents[0], *map(self.draws.settled, exponents[1:])])
        cumulants = np.array([0.0, *map(self.draws.cumulant, settled[1:])])
        counts = np.maximum(np.floor(np.array(shares) * self.n_resamples), 2).astype(np.int64)
        counts[1] += max(self.n_resamples - counts.sum(), 0)
        return _Mixture(settled, cumulants, counts)

    def _ways(self, event: Event) -> list[_Way]:
        """Return the likeliest ways to meet the event, without those of negligible probability."""
        ways: list[_Way] = []
        for side, limit in event.sides:
            tried: list[_Way] = []
            for start in self._promising(side, limit):
                tried.append(self._likeliest(side, limit, start, tried))
            met = sorted((way for way in tried if way.reached), key=lambda way: way.cost)
            for way in met:
                if not any(_alike(way, other) for other in ways):
                    ways.append(way)
            if not met and not self._impossible(side, limit, tried):
                return []
        least = min((way.cost for way in ways), default=0.0)
        return [way for way in ways if way.cost <= least + _NEGLIGIBLE]

    def _impossible(self, side: float, limit: float, tried: Sequence[_Way]) -> bool:
        """Return whether a gain that no way reaches is, as far as is known, beyond all draws.

        That is, all ways are tilted to the maximum, none is near the limit, and no sample of a single unit meets it.
        """
        gains = self.gains(np.vstack([self.draws.extremes(self.columns), *(way.totals for way in tried)]))
        return float((side * gains).max()) < limit - _NEAR_ENOUGH * abs(limit)

    def _starts(self, side: float) -> Iterator[FloatArray]:
        """Yield starting directions: the influence values of the gain, of each system's score, of each total."""
        gradient = self._gradient(self._totals(np.zeros(len(self.columns))))
        yield side * gradient
        if self.linear:
            return
        if self.halves:
            k = len(gradient) // 2
            for half in (slice(0, k), slice(k, None)):
                alone = np.zeros_like(gradient)
                alone[half] = side * gradient[half]
                yield alone
        axes = np.eye(len(gradient))[self._spreads > 0]
        yield from (*axes, *-axes)

    def _promising(self, side: float, limit: float) -> list[_Way]:
        """Return the starting points of the search: the few likeliest ways that meet the limit, or all if none does."""
        ways = [self._along(side, limit, direction) for direction in self._starts(side)]
        if not self.linear:
            ways = [way if way.reached else self._climbed(side, limit, way) for way in ways]
        return sorted((way for way in ways if way.reached), key=lambda way: way.cost)[:_PROMISING] or ways

    def _likeliest(self, side: float, limit: float, best: _Way, tried: Sequence[_Way]) -> _Way:
        """Return the likeliest totals at which the gain meets its limit, starting from a way.

        There, exponents are proportional to the influence values: eᵢ = λ·rowᵢ·∇gain(totals), with λ such that the gain
        of the expected totals is the limit (the saddlepoint equation). This is iterated until the way gets no likelier,
        or equals one that was tried before.
        """
        for _ in range(_TURNS):
            for other in tried:
                if best.reached and other.reached and _alike(best, other):
                    return other
            direction = side * self._gradient(best.totals)
            way = self._along(side, limit, direction)
            if best.reached and not (way.reached and way.cost < best.cost * (1 - _BETTER)):
                middle = (way.exponents + best.exponents) / 2
                way = self._scaled(side, limit, middle)
                if not (way.reached and way.cost < best.cost * (1 - _BETTER)):
                    break
            best = way
        return best

    def _climbed(self, side: float, limit: float, way: _Way) -> _Way:
        """Return the way reached uphill from one that meets no limit, up to the limit or a peak of the gain."""
        gain = side * float(self.gains(way.totals[None, :])[0])
        for _ in range(_TURNS):
            uphill = self.columns @ (side * self._gradient(way.totals))
            reach = float(np.ptp(uphill))
            if reach == 0 or not math.isfinite(reach):
                break
            steps = [way.exponents + step / reach * uphill for step in _STEPS]
            gains = side * self.gains(np.array([self._totals(exponents) for exponents in steps]))
            beyond = np.flatnonzero(gains >= limit)
            place = int(beyond[0]) if len(beyond) else int(np.argmax(gains))
            if not gains[place] > gain:
                break
            gain, way = float(gains[place]), self._way(steps[place], reached=bool(len(beyond)))
            if way.reached:
                nearest = self._scaled(side, limit, way.exponents)
                return nearest if nearest.reached else way
        return way

    def _along(self, side: float, limit: float, direction: FloatArray) -> _Way:
        return self._scaled(side, limit, self.columns @ direction)

    def _scaled(self, side: float, limit: float, exponents: FloatArray) -> _Way:
        """Return the exponents times the least λ at which the expected totals meet the limit, or the nearest."""
        reach = float(np.ptp(exponents))

        def lacking(scale: float) -> float:
            gain = float(self.gains(self._totals(scale * exponents)[None, :])[0])
            return side * gain - limit

        start = lacking(0.0)
        if reach == 0 or not math.isfinite(reach):
            return self._way(np.zeros(len(exponents)), reached=False)
        if start >= 0:
            return self._way(np.zeros(len(exponents)), reached=True)
        spread, steepest = float(self.draws.variances(exponents[:, None])[0]), _STEEPEST / reach
        low, below, high = 0.0, start, min(-start / spread if spread > 0 else 1 / reach, steepest)
        above, best = lacking(high), (start, 0.0)
        while above < 0:
            best = max(best, (above, high))
            if high >= steepest:
                # Draws can meet the extreme end of all gains, but their mean never does.
                return self._way(best[1] * exponents, reached=best[0] >= _NEAR_ENOUGH * start)
            low, below = high, above
            high = min(1.5 * high, steepest)
            above = lacking(high)
        scale = illinois(
            lacking,
            (low, below),
            (high, above),
            lambda low, high: high - low <= 1e-6 * high,
            halving=4,
            steps=40,
            near_enough=_NEAR_ENOUGH * -start,
        )
        return self._way(scale * exponents, reached=True)

    def _way(self, exponents: FloatArray, *, reached: bool) -> _Way:
        weights = self.draws.mean(exponents)
        cost = float(weights @ exponents) - self.draws.cumulant(exponents)
        return _Way(exponents, self._totals(exponents), cost, reached)

    def _totals(self, exponents: FloatArray) -> FloatArray:
        totals = np.asarray(self.draws.mean(exponents) @ self.columns)
        # If a score jumps where a total becomes 0, draws get there, but their mean never does.
        return np.where(np.abs(totals) <= _NOTHING * self._sizes, 0.0, totals)

    def _gradient(self, totals: FloatArray) -> FloatArray:
        """Return the derivatives of the gain by each total, shape (c,), by differences within the spread of draws."""
        steps = np.diag(_DIFFERENCE * self._spreads)
        up, down = totals + steps, np.where(totals >= 0, np.maximum(totals - steps, 0), totals - steps)
        with np.errstate(all="ignore"):
            rise = self.gains(up) - self.gains(down)
            slopes = rise / np.diag(up - down)
        return np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0)

    @cached_property
    def _sizes(self) -> FloatArray:
        return np.asarray(self.draws.mean(np.zeros(len(self.columns))) @ np.abs(self.columns))

    @cached_property
    def _spreads(self) -> FloatArray:
        return np.sqrt(self.draws.variances(self.columns))


def _alike(one: _Way, other: _Way) -> bool:
    a, b = (way.exponents - way.exponents.mean() for way in (one, other))
    return float(a @ b) >= _ALIKE * float(np.linalg.norm(a) * np.linalg.norm(b))


def _estimate(logs: Sequence[FloatArray], counts: IntArray) -> Probability | None:
    """Return the probability from draws of each tilt, stratified, with a log-normal interval; None if hits are too few.

    p = (1/r)·Σ f/g over hits. Its variance is the sum of those of the tilts, each for its number of draws.
    """
    r = int(counts.sum())
    top = max((float(part.max()) for part in logs if len(part)), default=-math.inf)
    if not math.isfinite(top):
        return None
    total, squares, variance, degrees = 0.0, 0.0, 0.0, 0.0
    for part, count in zip(logs, counts.tolist(), strict=True):
        weights = np.exp(part - top)
        added, squared = float(weights.sum()), float((weights**2).sum())
        own = max(squared - added**2 / count, 0.0) * count / (count - 1)
        total, squares, variance = total + added, squares + squared, variance + own
    effective = total**2 / squares
    if effective < _FEWEST_HITS:
        return None
    degrees = effective - 1
    relative = max(math.sqrt(variance) / total, _LEAST_ERROR)
    reach = student_quantile((1 - _LEVEL) / 2, degrees) * math.sqrt(math.log1p(relative**2))
    log_p = top + math.log(total / r)
    low, value, high = (math.exp(log_p + shift) for shift in (-reach, 0.0, reach))
    return Probability(min(value, 1.0), n_resamples=r, low=low, high=min(high, 1.0))


def tilted_where_few(plain: Probability, tilting: Tilting, event: Event) -> Probability:
    """Return the tilted estimate if few plain draws met the event and the two agree, else the plain estimate."""
    c, r = plain.n_exceeding, plain.n_resamples
    if c is None or r is None or c >= few_exceeding(r) or tilting.n_resamples < _FEWEST_TILTED:
        return plain
    tilted = tilting.probability(event)
    if tilted is None:
        return plain
    low, high = clopper_pearson(c, r, _CONTRADICTION)
    contradicts = tilted.low is None or tilted.high is None or tilted.high < low or tilted.low > high
    return plain if contradicts else tilted


def _n_tilted(n_units: int) -> int:
    return min(N_TILTED, _MOST_CELLS // n_units)


def bootstrap_tilting(pair: Pair, seed: int, n_resamples: int | None = None) -> Tilting:
    """Return importance sampling of a pair's gain under the bootstrap, by default with `_n_tilted` samples."""
    draws = _Bootstrap(pair.n_units, pair.strata)
    scales = draws.scheme.scales
    columns = pair.columns if scales is None else pair.columns * scales[0][:, None] / scales[1]
    r = _n_tilted(len(columns)) if n_resamples is None else n_resamples
    return Tilting(draws, columns, pair.gains, pair.linear is not None, pair.linear is None, seed, r)


def swap_tilting(pair: Pair, null_gain: float, seed: int, n_resamples: int | None = None) -> Tilting:
    """Return importance sampling of a pair's gain under swaps; units on which the systems agree are not swapped."""
    pair = pair.swapped
    changes = pair.changes(null_gain)
    differing = changes[(changes != 0).any(axis=1)]
    if len(differing) == 0:
        differing = changes[:1]
    r = _n_tilted(len(differing)) if n_resamples is None else n_resamples

    def gains(taken: FloatArray) -> FloatArray:
        return pair.gains_after(taken, null_gain)

    return Tilting(_Swaps(len(differing)), differing, gains, pair.linear is not None, False, seed, r)
