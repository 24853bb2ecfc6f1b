"""Tail probabilities of sums, by inversion of their transforms on a shifted contour.

With the distribution tilted by θ > 0,

    P(S ≥ x) = exp(K(θ) − θx) · (1/2π) ∫ φ_θ(t) exp(−itx) κ(θ + it) dt,

where κ(s) = 1/s, or step/(1 − exp(−s·step)) over one period for a sum on a grid. The formulas are those of Gil-Pelaez
(1951) and Davies (1973) for a real sum, and of Daniels (1987, eq. 6.1) for a sum on a grid, on the contour Re s = θ.
The integrand is smooth and decays like a Gaussian, so about a hundred nodes of the trapezoidal rule give all digits.
Near the middle, one contour one standard deviation wide serves all thresholds. Further out θ is the saddlepoint, and
the factor exp(K − θx) determines the size, so that a tail of 1e-200 has the same relative accuracy as one of 0.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.laws.exact.lattice import NOISE, ROUNDING, TIE
from outscore.laws.exact.returns import SURVEYED, coarse_returns, near_returns, near_steps, survey_spacing
from outscore.laws.exact.sums import CentredSum

_ROUNDING = 4 * float(np.finfo(np.float64).eps)
_DIGITS = 36.0  # aliasing is pushed below exp(−36) = 2e-16 of the result
_MIDDLE = 3.5  # standard deviations within which the central contour serves
_FAR_TAIL = 1e-5  # no tail this small is near the middle of a roughly normal sum
_NEXT_TO_NOTHING = 1e-9
_ROUGH_WORK = 5e5
_FULL_WORK = 6e6  # maximum work, in evaluations of one value at one node
_SURVEY_WORK = 2e5  # work that is always spent on looking for returns of the transform
_NODE_WORK = 40  # cost of a node in addition to its values
_FIRST_NODES = 112
_MOST_NODES = 2048  # per block: small products stay in one thread of the linear algebra library
_FEW_VALUES = 8  # off a grid, with this few values the transform returns near 1 repeatedly
_LIGHTEST_ATOM = 1e-18
_ETA = 1e-13
_ROUGHLY_SURVEYED = 2**15
_MOST_RETURNS = 40  # evaluated in full
_HALF_A_RETURN = 9.0  # over the standard deviation: exp(−9²/2) = 3e-18
_WIDE_BLUR = 0.05  # of the step
_QUARTER = 0.25  # of a grain: resolution of sums with a known grain
_WORTH_A_LOOK = 1e-11  # of the whole integral: returns with smaller bounds are not evaluated
_FOR_BARS = 1e-8  # an absolute error that is invisible in a histogram
_LONG_PERIOD, _LONGEST_PERIOD = 2**11, 2**20  # nodes
_WORTH_A_TRANSFORM = 12  # values per node from which a fast Fourier transform of the whole period is cheaper
_GOOD_ENOUGH = 1e-4  # relative error that needs no other method


@dataclass(frozen=True, slots=True)
class Tail:
    """P(S ≥ x) and P(S > x), and a bound on the absolute error of both.

    The bound is the sum of aliasing (Chernoff's bound), truncation (the transform at the last nodes and at the returns
    that coarse grids cause, unless a whole period was evaluated) and rounding.
    """

    inclusive: float
    exclusive: float
    error: float


class Tails:
    """The tails of a centred sum.

    Cost: about a hundred nodes times the number of distinct values, once for the middle and once for every threshold
    far from it. Both tails have relative accuracy.

    Parameters
    ----------
    total : CentredSum
    roughly : bool
        Spend a tenth of the work if the transform does not decay: an error of 1e-5 is small enough for a quantile.
    returning : float, optional
        If given, the transform returns at multiples of this t, until it has decayed there as well.
        The transform is known to come back at the multiples of this t, until it has died off there, too.
    """

    def __init__(self, total: CentredSum, *, roughly: bool = False, returning: float | None = None) -> None:
        self._total, self._roughly, self._returning = total, roughly, returning
        self._work = _ROUGH_WORK if roughly else _FULL_WORK
        self._inverses: dict[float, tuple[float, float]] = {}  # a threshold is often needed for both sides

    def at_least(self, x: float) -> Tail:
        """Return P(S ≥ x) and P(S > x).

        If values are on no grid and too few for the transform to decay, they are rounded to a fine grid, and `error`
        includes the effect of rounding.
        """
        total = self._total
        if total.variance == 0:
            return Tail(float(x <= 0), float(x < 0), 0.0)
        if total.grain is not None and total.step is None:
            # No value is within half a grain of x, except those equal to x.
            least, most = self._off_grain(x - total.grain / 2), self._off_grain(x + total.grain / 2)
            return Tail(least.inclusive, most.inclusive, max(least.error, most.error))
        return self._off_grain(x)

    def _off_grain(self, x: float) -> Tail:
        """Return `at_least` for a sum without grain, or a threshold that is not one of its values."""
        total = self._total
        tried = [] if total.step is None and total.n_values <= _FEW_VALUES else [self._inverted(x)]
        enough = 1e-4 if self._roughly else _GOOD_ENOUGH
        ways = (self._near_grid, self._bracketed)
        for another in ways if tried else reversed(ways):  # few values are cheap to bound, and often tightly
            if tried and tried[-1].error <= enough * (1e-5 + tried[-1].inclusive):
                return tried[-1]
            if another == self._bracketed and (total.step is not None or (tried and self._roughly)):
                break
            tail = another(x)
            if tail is not None:
                tried.append(tail)
        return min(tried, key=lambda tail: tail.error)

    def at_most(self, x: float) -> Tail:
        """Return P(S ≤ x) and P(S < x)."""
        return self.mirror.at_least(-x)

    @cached_property
    def mirror(self) -> Tails:
        """The tails of −S."""
        total = self._total.mirrored()
        if total is self._total:  # S is symmetric
            return self
        other = Tails(total, roughly=self._roughly, returning=self._returning)
        other.__dict__["mirror"] = self
        return other

    @property
    def _noise(self) -> float:
        """Maximum difference between sums that count as equal."""
        return (NOISE if self._total.grain is None else ROUNDING) * (self._total.high - self._total.low)

    @property
    def blurred(self) -> bool:
        """Whether values are nearly on a grid with points so blurred that any threshold may coincide with one."""
        if self._total.variance == 0 or self._grid is None:
            return False
        return self._grid.reach > _WIDE_BLUR * self._grid.step

    @property
    def settled(self) -> bool:
        """Whether the error in the middle, where it is largest, is negligible."""
        return self._total.variance == 0 or self._central.tail(0.0)[1] <= _NEXT_TO_NOTHING

    @cached_property
    def _central(self) -> _Contour:
        return self._contour(1 / math.sqrt(self._total.variance), 0.0)

    def _contour(self, theta: float, lowest: float) -> _Contour:
        cells = _ROUGHLY_SURVEYED if self._roughly else SURVEYED
        return _Contour(self._total, theta, lowest, self._work, cells, self._returning)

    @cached_property
    def _rounded(self) -> tuple[Tails, float]:
        """The tails of the sum R of the terms rounded to a grid, and a bound e on the rounding.

        With S = R + E, |E| < e except with probability 2η (Chernoff's bound, on both sides).
        """
        total = self._total
        nodes = self._work / (total.n_values + _NODE_WORK)
        rounded, lost = total.rounded(1.5 * _DIGITS * math.sqrt(total.variance) / nodes)
        return Tails(rounded, roughly=self._roughly), self._noise + _reach(lost)

    def _bracketed(self, x: float) -> Tail:
        """Return `at_least` from P(R ≥ x + e) − η ≤ P(S > x) ≤ P(S ≥ x) ≤ P(R ≥ x − e) + η."""
        rounded, reach = self._rounded
        least, most = rounded._inverted(x + reach), rounded._inverted(x - reach)
        point, mass = self._total.atom
        tied = mass if abs(point - x) <= reach else 0.0
        low, high = max(least.inclusive - least.error - _ETA, 0.0), min(most.inclusive + most.error + _ETA, 1.0)
        error = max(high - low - tied, 0.0) / 2
        return Tail(min(low + tied + error, 1.0), low + error, error)

    @cached_property
    def _grid(self) -> _NearGrid | None:
        """The grid near which nearly all values are, if there is one."""
        total = self._total
        for step in near_steps(total):
            rounded, lost = total.rounded(step)
            reach = _reach(lost)
            if reach <= step / 4 and rounded.variance > 0:
                coarsest = max(step, rounded.step or 0.0)
                factor = 0.499 * coarsest / reach if reach > 0 else math.inf
                magnified = None
                if reach > self._noise:
                    magnified = Tails(
                        total.magnified(step, factor), roughly=self._roughly, returning=2 * math.pi / coarsest
                    )
                return _NearGrid(coarsest, Tails(rounded, roughly=self._roughly), lost, reach, factor, magnified)
        return None

    def _near_grid(self, x: float) -> Tail | None:
        """Return `at_least` for values near a grid of step h.

        With S = R + E, R on the grid and |E| < e < h/4 except with probability 2η, R decides S ≥ x, unless x is within
        e of a point r of the grid. There P(S ≥ x) = P(R > r) + P(R = r, E ≥ x − r), and the same holds for
        R + mE ≥ r + m(x − r) as long as m(e + |x − r|) < h. With m that large the transform decays after about twenty
        returns, each of which is evaluated.
        """
        grid = self._grid
        if grid is None:
            return None
        low = grid.rounded._total.low
        point = low + round((x - low) / grid.step) * grid.step
        off = x - point
        # The mass in [point − h/2, point + h/2) of the grid of R, whose own step may be a multiple of h.
        least = grid.rounded._inverted(point - grid.step / 2)
        most = grid.rounded._inverted(point + grid.step / 2)
        further = 2 * _ETA + max(least.error, most.error)
        if grid.magnified is None and abs(off) <= max(grid.reach, self._noise):
            if self._total.grain is not None:  # the rounded part is real, but too small to be resolved
                further += least.inclusive - most.inclusive
            return Tail(least.inclusive, most.inclusive, further)  # rounding error, and a tie
        if off > grid.reach or grid.magnified is None:
            return _only(most if off > 0 else least, further)
        if off < -grid.reach:
            return _only(least, further)
        noise_tail = grid.magnified._inverted(point + grid.factor * off)
        # The rounding error of x − r, relative to the spread of E.
        blur = 8 * _ROUNDING * (self._total.high - self._total.low) / math.sqrt(grid.lost.variance)
        error = noise_tail.error + 2 * _ETA + min(blur, 1.0) * (least.inclusive - most.inclusive)
        return Tail(noise_tail.inclusive, noise_tail.exclusive, error)

    def _inverted(self, x: float) -> Tail:
        """Return `at_least` by inversion, from the near side of the mean, so that small tails keep their digits."""
        if x < 0:
            other = self.mirror._inverted(-x)
            return Tail(1 - other.exclusive, 1 - other.inclusive, other.error + _ROUNDING)
        return self._upper_real(x) if self._total.step is None else self._upper_on_grid(x, self._total.step)

    def _upper_on_grid(self, x: float, step: float) -> Tail:
        total = self._total
        place = (x - total.low) / step
        nearest = round(place)
        tied = abs(place - nearest) <= tie_on_grid(total)
        first = nearest if tied else math.ceil(place)
        inclusive, error = self._invert(total.low + first * step)
        if not tied:
            return Tail(inclusive, inclusive, error)
        exclusive, further = self._invert(total.low + (first + 1) * step)
        return Tail(inclusive, exclusive, max(error, further))

    def _upper_real(self, x: float) -> Tail:
        # The inversion gives P(S > x) + P(S = x)/2. The one atom that can be heavy was removed and is added back in
        # full.
        total = self._total
        tolerance = self._noise
        smooth, error = self._invert(x)
        point, mass = total.atom
        mass = mass if mass >= _LIGHTEST_ATOM else 0.0
        inclusive = smooth + (mass if point >= x - tolerance else 0.0)
        exclusive = smooth + (mass if point > x + tolerance else 0.0)
        return Tail(min(inclusive, 1.0), min(exclusive, 1.0), error)

    def below(self, x: FloatArray) -> FloatArray:
        """Return P(S < x) + P(S = x)/2 of many x, shape (m,), from one contour; NaN where the bound is too wide."""
        total = self._total
        if total.variance == 0:
            return (np.sign(x) + 1) / 2
        if total.step is None:
            upper, errors = self._central.tails(x)
            point, mass = total.atom
            if mass >= _LIGHTEST_ATOM:
                upper = upper + mass * np.where(np.abs(point - x) <= self._noise, 0.5, point > x)
        else:
            place, tie = (x - total.low) / total.step, tie_on_grid(total)
            nearest = np.rint(place)
            tied = np.abs(place - nearest) <= tie
            first = np.where(tied, nearest, np.ceil(place))
            both = np.concatenate([first, np.where(tied, first + 1, first)])
            uppers, errors = self._central.tails(total.low + both * total.step)
            upper, errors = uppers.reshape(2, -1).mean(axis=0), errors.reshape(2, -1).max(axis=0)
        return np.where(errors <= _FOR_BARS, np.clip(1 - upper, 0.0, 1.0), np.nan)

    def _invert(self, x: float) -> tuple[float, float]:
        """Return the tail at x ≥ 0 and a bound on its absolute error."""
        if x not in self._inverses:
            self._inverses[x] = self._newly_inverted(x)
        return self._inverses[x]

    def _newly_inverted(self, x: float) -> tuple[float, float]:
        total = self._total
        if x > total.high + TIE * (total.step or 0.0):
            return 0.0, 0.0
        if x <= _MIDDLE * math.sqrt(total.variance):
            value, error = self._central.tail(x)
            # A skewed sum can have far smaller tails this near: they need a contour of their own.
            if value >= _FAR_TAIL or error <= 1e-9 * value:
                return value, error
        # At the end of the support the saddlepoint goes to infinity; stop half a step before it.
        edge = total.high - (total.step / 2 if total.step is not None else 1e-9 * (total.high - total.low))
        return self._contour(_saddlepoint(total, min(x, edge)), x).tail(x)


@dataclass(frozen=True)
class _NearGrid:
    """Values near a grid: the sum rounded to it, the rounded part, and both with that part magnified."""

    step: float
    rounded: Tails
    lost: CentredSum
    reach: float
    factor: float
    magnified: Tails | None


def tie_on_grid(total: CentredSum) -> float:
    """Return the distance from a point of its grid, in steps, within which a threshold counts as on it."""
    if total.grain is not None or total.step is None:
        return _QUARTER
    return min(TIE, NOISE * (total.high - total.low) / total.step)


def _only(tail: Tail, error: float) -> Tail:
    """Return the probability of an event in which a tie does not matter."""
    return Tail(tail.inclusive, tail.inclusive, error)


def _reach(lost: CentredSum) -> float:
    """Return the value that a sum exceeds, on either side, with probability at most η (Chernoff's bound)."""
    if lost.variance == 0:
        return 0.0
    scales = np.geomspace(0.5, 50, 20) / math.sqrt(lost.variance)
    bounds = [
        min((part.cumulants(theta)[0] - math.log(_ETA)) / theta for theta in scales.tolist())
        for part in (lost, lost.mirrored())
    ]
    return float(max(bounds))


class _Contour:
    """The nodes of one contour: the transform times κ, for every threshold from `lowest` to a little above.

    Parameters
    ----------
    total : CentredSum
    theta : float
        θ, positive.
    lowest : float
        The lowest threshold that will be needed.
    work : float
        Maximum number of evaluations of one value at one node.
    cells : int
        Resolution of the search for returns; see `near_returns`.
    returning : float, optional
        As for `Tails`.
    """

    def __init__(
        self,
        total: CentredSum,
        theta: float,
        lowest: float,
        work: float,
        cells: int = SURVEYED,
        returning: float | None = None,
    ) -> None:
        self._cells = cells
        self._total, self._theta = total, theta
        self._log_mass = total.cumulants(theta)[0]
        log_size = self._log_mass - theta * lowest
        length = (_DIGITS + max(0.0, -log_size)) / theta
        longest = 1e3 * math.sqrt(total.variance)
        while (alias := aliasing(total, lowest, theta, length)) > math.exp(-_DIGITS + min(log_size, 0.0)):
            length *= 1.25
            if length > longest:
                break
        last = None
        if total.step is not None:
            period = _odd(math.ceil(length / total.step))  # so that nodes pair up around 0
            length, last = period * total.step, (period - 1) // 2
        self._alias, self._length = alias, length
        if returning is not None and last is None:
            self._evaluate_returns(total, returning)
        else:
            self._evaluate(total, last, work)
        self._reach = max(total.high, -total.low)
        self._rounding = _ROUNDING * max(total.n_terms, 10)

    def _evaluate(self, total: CentredSum, last: int | None, work: float) -> None:
        theta, spacing = self._theta, 2 * math.pi / self._length
        node_work = total.n_values + _NODE_WORK
        budget, survey = work / node_work, _SURVEY_WORK / node_work
        point, mass = total.atom
        heavy = total.step is None and mass >= _LIGHTEST_ATOM
        tilted_mass = mass * math.exp(theta * point - self._log_mass) if heavy else 0.0

        blocks: list[AnyArray] = []
        passed: list[tuple[int, float]] = []
        magnitude = 0.0
        done, count = 0, _FIRST_NODES
        glance = True  # without returns, the nodes up to the decay of the transform suffice
        while True:
            if last is not None:
                count = min(count, last + 1 - done)
            nodes = spacing * np.arange(done, done + count)
            s = theta + 1j * nodes
            kernel = 1 / s if total.step is None else total.step / -np.expm1(-s * total.step)
            transform = total.transform(theta, spacing, done, count)
            if heavy:
                transform = transform - tilted_mass * np.exp(1j * nodes * point)
            block = 2 * transform * kernel
            if done == 0:
                block[0] /= 2
            blocks.append(block)
            sizes = np.abs(block)
            passed.append((done + count // 2, magnitude + float(sizes[: count // 2].sum())))
            magnitude += float(sizes.sum())
            done += count
            if last is not None and done > last:
                self._truncation = 0.0
                break
            # Suppose that the last octave of nodes, or more, repeats twenty times: |φ| at this level, with κ decaying
            # like 1/t, up to a million times as many nodes.
            before = next((size for at, size in reversed(passed) if at <= done / 2), 0.0)
            self._truncation = (magnitude - before) * 20
            died = self._truncation < 1e-14 * magnitude
            glance = glance and done < survey
            if (died and (glance or done >= survey)) or done > budget:
                # Beyond, without a grid, φ is noise of a known level, of which κ leaves 1/√nodes.
                beyond = 10 * total.far_level() * self._length / math.pi / math.sqrt(done)
                enough = _WORTH_A_LOOK * magnitude if last is None else 0.0
                if not (glance and beyond > max(enough, 1e-12 * magnitude)):
                    beyond += coarse_returns(total, theta, self._length)
                    beyond += near_returns(total, theta, self._length, done * spacing, last, self._cells, enough=enough)
                at_an_end = (last is None and done >= survey) or done > budget or (last is not None and last > budget)
                if beyond < max(enough, 1e-12 * magnitude) or at_an_end:
                    self._truncation += beyond
                    break
                if not glance:
                    survey = math.inf  # only the whole period is conclusive
                glance = False
            slow = last is not None and (last - done) * total.n_values > _WORTH_A_TRANSFORM * last
            if last is not None and slow and (done >= _LONG_PERIOD or survey == math.inf) and last < _LONGEST_PERIOD:
                whole = total.whole_transform(theta, 2 * last + 1)
                if whole is not None:
                    self._keep_whole(total, whole, spacing)
                    return
            count = min(done, _MOST_NODES)

        self._keep(spacing * np.arange(done, dtype=np.float64), np.concatenate(blocks))

    def _keep_whole(self, total: CentredSum, transform: AnyArray, spacing: float) -> None:
        assert total.step is not None
        nodes: FloatArray = spacing * np.arange(len(transform), dtype=np.float64)
        terms = 2 * transform * (total.step / -np.expm1(-(self._theta + 1j * nodes) * total.step))
        terms[0] /= 2
        self._truncation = 0.0
        self._keep(nodes, terms)

    def _evaluate_returns(self, total: CentredSum, returning: float) -> None:
        """Evaluate the transform around 0 and around its returns, until they have decayed."""
        spacing = 2 * math.pi / self._length
        half = min(math.ceil(_HALF_A_RETURN / math.sqrt(total.variance) / spacing), int(returning / spacing / 2) + 1)
        nodes: list[FloatArray] = []
        blocks: list[AnyArray] = []
        magnitude = latest = 0.0
        stop = 0
        for number in range(_MOST_RETURNS):
            centre = round(number * returning / spacing)
            first, stop = max(stop, centre - half), centre + half + 1
            if first >= stop:
                continue
            places: FloatArray = spacing * np.arange(first, stop, dtype=np.float64)
            block = 2 * total.transform(self._theta, spacing, first, stop - first) / (self._theta + 1j * places)
            if number == 0:
                block[0] /= 2
            nodes.append(places)
            blocks.append(block)
            latest = float(np.abs(block).sum())
            magnitude += latest
            if latest < 1e-15 * magnitude:
                break
        self._truncation = 20 * latest + 10 * total.far_level() * self._length / math.pi / math.sqrt(half)
        self._truncation += coarse_returns(total, self._theta, self._length, after=stop * spacing)
        self._truncation += near_returns(
            total,
            self._theta,
            self._length,
            half * spacing,
            None,
            self._cells,
            (returning, half * spacing, stop * spacing),
        )
        # The remaining values may be on a grid of their own that is too fine to be found: its points are closer than a
        # return at the last node would imply.
        finest = 2 * math.pi / (survey_spacing(total) * self._cells / 4)
        kernels = [self._theta + 1j * t for t in nodes]
        density = sum(float(np.abs(block * s).sum()) for block, s in zip(blocks, kernels, strict=True))
        self._truncation += density * finest
        self._keep(np.concatenate(nodes), np.concatenate(blocks))

    def _keep(self, nodes: FloatArray, terms: AnyArray) -> None:
        sizes = np.abs(terms)
        self._magnitude = float(sizes.sum())
        # Terms below the rounding of the sum contribute nothing.
        kept = int(np.flatnonzero(sizes > 1e-20 * self._magnitude)[-1]) + 1
        self._real, self._imaginary = terms.real[:kept].copy(), terms.imag[:kept].copy()
        self._nodes = nodes[:kept]
        self._phases = float(sizes[:kept] @ self._nodes)

    def tails(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return `tail` of many thresholds, shape (m,) each; the bounds hold for all of them."""
        sizes = np.exp(self._log_mass - self._theta * x) / self._length
        phases = np.multiply.outer(x, self._nodes)
        values = np.cos(phases) @ self._real + np.sin(phases) @ self._imaginary
        lost = self._rounding * self._magnitude
        lost = lost + _ROUNDING * self._reach * (self._phases + self._theta * np.abs(values))
        alias = aliasing(self._total, float(x.min()), self._theta, self._length)
        return np.clip(sizes * values, 0.0, 1.0), alias + sizes * (self._truncation + lost)

    def tail(self, x: float) -> tuple[float, float]:
        """Return P(S ≥ x), ties counted half off a grid, and a bound on its absolute error."""
        size = math.exp(self._log_mass - self._theta * x) / self._length
        phases = self._nodes * x
        value = float((self._real * np.cos(phases) + self._imaginary * np.sin(phases)).sum())
        # Rounding of every factor, of the phases t·(S − x), and of the exponent K − θx.
        lost = self._rounding * self._magnitude
        lost += _ROUNDING * self._reach * (self._phases + self._theta * abs(value))
        return min(max(size * value, 0.0), 1.0), self._alias + size * (self._truncation + lost)


@cache
def _odd(least: int) -> int:
    """Return an odd number of at least `least`, with small factors if it is large, for fast Fourier transforms."""
    if least < _LONG_PERIOD:
        return least | 1
    products = (3**three * 5**five * 7**seven for three in range(20) for five in range(13) for seven in range(11))
    return int(min(product for product in products if product >= least))


def _saddlepoint(total: CentredSum, x: float) -> float:
    """Return θ with K'(θ) near x, to about one per cent; any θ > 0 gives the right value."""
    sd = math.sqrt(total.variance)
    low, high = 0.0, max(x / total.variance, 0.1 / sd)
    while total.cumulants(high)[1] < x:
        low, high = high, 2 * high
        if high * sd > 1e9:
            return high
    for _ in range(40):
        if high - low <= 0.01 * high:
            break
        middle = (low + high) / 2
        if total.cumulants(middle)[1] < x:
            low = middle
        else:
            high = middle
    return max(high, 1 / sd)


def aliasing(total: CentredSum, x: float, theta: float, length: float) -> float:
    """Return a bound on the aliasing of the trapezoidal rule, from P(S ≥ x ± k·length)."""
    below = math.exp(-theta * length)
    above = 0.0
    if x + length <= total.high:
        exponent = min(
            theta * length + total.cumulants(factor * theta)[0] - factor * theta * (x + length)
            for factor in (1.5, 2.0, 3.0, 5.0)
        )
        above = math.exp(exponent) if exponent < 0 else 1.0
    return below + 2 * above
