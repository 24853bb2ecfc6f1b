"""Tail probabilities of sums, by inversion of their transforms on a shifted contour.

With the law tilted by θ > 0 so that its mean is at the threshold x (the saddlepoint),

    P(S ≥ x) = exp(K(θ) − θx) · (1/2π) ∫ φ_θ(t) exp(−itx) κ(θ + it) dt,

where κ(s) = 1/s, or step/(1 − exp(−s·step)) over one period for a sum on a grid: the formulas of Gil-Pelaez
(1951) and Davies (1973) for a real sum and of Daniels (1987, eq. 6.1) for a sum on a grid, on the contour Re s = θ.
The integrand is smooth and dies off like a Gaussian, so that the trapezoidal rule gives all digits
from about a hundred nodes, and the factor exp(K − θx) carries the size: a tail of 1e-200 is as accurate,
relative to itself, as one of 0.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore.exact.lattice import TIE, find_step
from outscore.exact.sums import CentredSum

__all__ = ["Tail", "at_least"]

_ROUNDING = 4 * float(np.finfo(np.float64).eps)
_DIGITS = 36.0  # aliasing is pushed below exp(−36) = 2e-16 of the result
_FULL_WORK = 5e7  # the most work: evaluations of one value at one node
_SURVEY_WORK = 5e5  # the work spent in any case on looking for returns of the transform
_NODE_WORK = 40  # what a node costs beside its values
_FIRST_NODES = 64
_FEW_VALUES = 8  # off a grid, so few values bring the transform back near 1 again and again


@dataclass(frozen=True, slots=True)
class Tail:
    """P(S ≥ x) and P(S > x), and a bound on the absolute error of either.

    The bound adds up aliasing (Chernoff's bound), truncation (what the transform is at its last nodes and at
    the returns that coarse grids cause, where a whole period was not evaluated) and rounding.
    """

    inclusive: float
    exclusive: float
    error: float


def at_least(total: CentredSum, x: float) -> Tail:
    """Return P(S ≥ x) and P(S > x) for the centred sum S.

    Cost: about a hundred nodes times the number of distinct values; relative accuracy in both tails.
    Where values lie on no grid and there are too few of them for the transform to die off, the values are
    rounded to a fine grid and the bracket that follows is what `error` says.
    """
    if total.variance == 0:
        return Tail(float(x <= 0), float(x < 0), 0.0)
    if total.step is not None:
        return _at_least(total, x)
    inverted = _at_least(total, x) if total.n_values > _FEW_VALUES else None
    if inverted is not None and inverted.error <= 1e-9 + 1e-7 * inverted.inclusive:
        return inverted
    bracketed = _bracket(total, x)
    return bracketed if inverted is None or bracketed.error < inverted.error else inverted


def _at_least(total: CentredSum, x: float) -> Tail:
    if x < 0:
        other = _upper(total.mirrored(), -x)
        return Tail(1 - other.exclusive, 1 - other.inclusive, other.error + _ROUNDING)
    return _upper(total, x)


def _bracket(total: CentredSum, x: float) -> Tail:
    """Bracket the tail at x by the sum of the terms rounded to a grid.

    With S = R + E, where E is what rounding takes and |E| < e but for a probability of 2η (Chernoff),
    P(R ≥ x + e) − η ≤ P(S > x) ≤ P(S ≥ x) ≤ P(R ≥ x − e) + η.
    """
    nodes = _FULL_WORK / (total.n_values + _NODE_WORK)
    step = 1.5 * _DIGITS * math.sqrt(total.variance) / nodes
    rounded, lost = total.rounded(step)
    eta = 1e-13
    reach = 0.0
    if lost.variance > 0:
        scales = np.geomspace(0.5, 50, 20) / math.sqrt(lost.variance)
        reach = max(
            min((part.cumulants(theta)[0] - math.log(eta)) / theta for theta in scales)
            for part in (lost, lost.mirrored())
        )
    reach += 1e-12 * (total.high - total.low)
    least, most = _at_least(rounded, x + reach), _at_least(rounded, x - reach)
    point, mass = total.atom
    tied = mass if abs(point - x) <= reach else 0.0
    low, high = max(least.inclusive - least.error - eta, 0.0), min(most.inclusive + most.error + eta, 1.0)
    error = max(high - low - tied, 0.0) / 2
    return Tail(min(low + tied + error, 1.0), low + error, error)


def _upper(total: CentredSum, x: float) -> Tail:
    """`at_least` for x ≥ 0, above the mean."""
    if total.step is None:
        return _upper_real(total, x)
    place = (x - total.low) / total.step
    nearest = round(place)
    tied = abs(place - nearest) <= TIE
    first = nearest if tied else int(np.ceil(place))
    inclusive, error = _invert(total, total.low + first * total.step)
    if not tied:
        return Tail(inclusive, inclusive, error)
    exclusive, further = _invert(total, total.low + (first + 1) * total.step)
    return Tail(inclusive, exclusive, max(error, further))


def _upper_real(total: CentredSum, x: float) -> Tail:
    tolerance = 1e-12 * (total.high - total.low)
    point, mass = total.atom
    if mass < 1e-18:
        mass = 0.0
    # The inversion gives P(S > x) + P(S = x)/2; the one atom that can be heavy is taken out and put back whole.
    smooth, error = _invert(total, x, without_atom=mass > 0)
    inclusive = smooth + (mass if point >= x - tolerance else 0.0)
    exclusive = smooth + (mass if point > x + tolerance else 0.0)
    return Tail(min(inclusive, 1.0), min(exclusive, 1.0), error)


def _saddlepoint(total: CentredSum, x: float) -> float:
    """Return θ with K'(θ) near x: one per cent is near enough, any θ > 0 gives the right value."""
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
    return high


def _invert(total: CentredSum, x: float, *, without_atom: bool = False) -> tuple[float, float]:
    """Return the tail at x and a bound on its absolute error."""
    step = total.step
    slack = TIE * step if step is not None else 0.0
    if x > total.high + slack:
        return 0.0, 0.0
    sd = math.sqrt(total.variance)
    # At the very end of the support the saddlepoint runs off to infinity; stop half a step short of it.
    edge = total.high - (step / 2 if step is not None else 1e-9 * (total.high - total.low))
    theta = max(_saddlepoint(total, min(x, edge)), 1 / sd)
    log_size = total.cumulants(theta)[0] - theta * x

    length = (_DIGITS + max(0.0, -log_size)) / theta
    while (alias := _alias(total, x, theta, length)) > np.exp(-_DIGITS + min(log_size, 0.0)) and length < 1e3 * sd:
        length *= 1.25
    if step is None:
        last = None
    else:
        period = int(np.ceil(length / step)) | 1  # odd, so that nodes pair up around 0
        length, last = period * step, (period - 1) // 2

    spacing = 2 * np.pi / length
    budget = _FULL_WORK / (total.n_values + _NODE_WORK)
    survey = _SURVEY_WORK / (total.n_values + _NODE_WORK)
    point, mass = total.atom
    tilted_mass = mass * np.exp(theta * point - total.cumulants(theta)[0]) if without_atom else 0.0

    value = magnitude = 0.0
    done, count = 0, _FIRST_NODES
    whole = last is not None and last <= budget
    while True:
        if last is not None:
            count = min(count, last + 1 - done)
        nodes = spacing * np.arange(done, done + count)
        s = theta + 1j * nodes
        kernel = 1 / s if step is None else step / -np.expm1(-s * step)
        transform = total.transform(theta, spacing, done, count)
        if without_atom:
            transform = transform - tilted_mass * np.exp(1j * nodes * point)
        terms = transform * np.exp(-1j * nodes * x) * kernel
        twice = np.full(count, 2.0)
        if done == 0:
            twice[0] = 1.0
        value += float((terms.real * twice).sum())
        sizes = np.abs(terms)
        magnitude += float((sizes * twice).sum())
        done += count
        if last is not None and done > last:
            truncation = 0.0
            break
        # Suppose that the last octave repeats itself twenty times: |φ| at this level, κ falling off like 1/t,
        # up to a million times as many nodes.
        truncation = float(sizes[count // 2 :].sum()) * 40
        settled = truncation < 1e-14 * magnitude
        if (settled and done >= survey and not whole) or done > budget:
            truncation += _returns(total, theta, length)
            break
        count = min(done, 8192)

    size = float(np.exp(log_size)) / length
    rounding = size * magnitude * _ROUNDING * max(total.n_terms, 10)
    return min(max(size * value, 0.0), 1.0), alias + size * truncation + rounding


def _alias(total: CentredSum, x: float, theta: float, length: float) -> float:
    """Bound what the trapezoidal rule adds from P(S ≥ x ± k·length)."""
    below = np.exp(-theta * length)
    above = 0.0
    if x + length <= total.high:
        exponents = [
            theta * length + total.cumulants(factor * theta)[0] - factor * theta * (x + length)
            for factor in (1.5, 2.0, 3.0, 5.0)
        ]
        above = np.exp(min(min(exponents), 0.0)) if min(exponents) < 0 else 1.0
    return float(below + 2 * above)


def _returns(total: CentredSum, theta: float, length: float) -> float:
    """Return the sum of the integrand over the returns of the transform that coarse grids would cause.

    Where all values but a few lie on a coarse grid, |φ(t)| comes back near 1 at multiples of 2π over its step,
    far beyond the first nodes.
    """
    steps = {float(f"{step:.9g}") for picked in total.sample_values() if (step := find_step(picked)) is not None}
    finest = 0.0 if total.step is None else total.step
    width = length / math.sqrt(total.variance)  # nodes that one return is wide
    worst = 0.0
    for step in steps:
        count = 8 if finest == 0 else min(8, int(step / finest / 2 + 1e-6))
        if count:
            heights = np.abs(total.transform(theta, 2 * np.pi / step, 1, count))
            worst = max(worst, float((heights / np.arange(1, count + 1)).sum()) * step / np.pi * width)
    return worst
