"""The regularised incomplete beta function in NumPy: both tails, their quantiles, and binomial tails.

SciPy has all of them, but importing it takes longer than most commands. Tails are the continued fraction of Didonato &
Morris (1992, equation 9), which avoids cancellation, times a factor in Loader's (2000) form, which is accurate for
large parameters. Quantiles are found on the scale of ln(x/(1 − x)), on which both tails are log-concave, so that
Newton's method converges from any starting point.
"""

from __future__ import annotations

import math

import numpy as np

from outscore._types import AnyArray, FloatArray

_CONVERGED = 5e-16
_TOGETHER = 16  # terms between two checks for convergence
_MOST_TERMS = 20_000  # at most 1,000 were needed, for parameters from 0.01 to 1e7
_MOST_STEPS = 200
_NEAR = 1e-5  # the error after a step is about its third power
_FARTHEST = 700.0  # maximum |ln(x/y)|, where x or y is next to 0
_SHIFT = 10  # Stirling's series is used from here
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
_DEVIANCE = 1 / (2 * np.arange(16) + 3)
_NORMAL = ((0.010328, 0.802853, 2.515517), (0.001308, 0.189269, 1.432788, 1.0))
_MEAN = 0.3  # for smaller a, the fraction converges fast up to this x(a + b)


def log_tails(a: FloatArray, b: FloatArray, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ln I_x(a, b) and ln I_y(b, a), the logarithms of the lower and the upper tail, with a common shape.

    Both parameters are positive, and y = 1 − x is passed separately to keep its digits. The tail beyond the mean is
    summed, and the other is its complement. The relative error of the tails is about 1e-15, plus the effect of rounding
    x and y.
    """
    return _tails_and_front(*_together(a, b, x, y))[:2]


def _tails_and_front(
    a: FloatArray, b: FloatArray, x: FloatArray, y: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the logarithms of the lower and the upper tail, and of their derivative by ln(x/y)."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        front = _log_front(a, b, x, y)
        # The continued fraction converges fast up to about the mean. So the smaller tail is computed, by mirroring
        # where x is beyond the mean, and the larger one is its complement.
        below = x * np.maximum(b, _MEAN) <= y * np.maximum(a, _MEAN)
        a, b, x, y = (np.where(below, *sides) for sides in ((a, b), (b, a), (x, y), (y, x)))
        # ln of a probability, which rounding may leave just above 0.
        near = np.minimum(front - np.log(_fraction(a, b, x, y)), 0.0)
        far = np.log1p(-np.exp(near))
    return np.where(below, near, far), np.where(below, far, near), front


def _log_front(a: FloatArray, b: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return ln(xᵃyᵇ/B(a, b)), the derivative of I_x(a, b) by ln(x/y)."""
    n, excess = a + b, b * x - a * y
    # Loader's form: both logarithms are 0 at the mode, so that their errors are small relative to the tail even for
    # parameters of 1e7. From ln Γ the error would be 1e-16 times ln Γ(n), which is 1e8.
    of_a, of_b = _deviance(np.stack([excess / a, -excess / b]), np.stack([x * (n / a), y * (n / b)]))
    return np.asarray(0.5 * np.log(a / (2 * math.pi) * (b / n)) - a * of_a - b * of_b + _stirling_of(a, b))


def _log_beta(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return ln B(a, b)."""
    n = a + b
    sizes = (a - 0.5) * np.log(a / n) + (b - 0.5) * np.log(b / n) - 0.5 * np.log(n / (2 * math.pi))
    return np.asarray(sizes - _stirling_of(a, b))


def log_odds(a: FloatArray, b: FloatArray, lower: FloatArray, upper: FloatArray, start: FloatArray) -> FloatArray:
    """Return the ln(x/y) with I_x(a, b) = lower, with the common shape of all arguments, from a start near it.

    Halley's method for the logarithm of the smaller tail, which is concave. If a step would lead too far, it is a
    Newton step, which never passes the root from below and returns from beyond it. `lower` and `upper` = 1 − lower are
    positive, and both passed to keep their digits.
    """
    a, b, lower, upper, start = _together(a, b, lower, upper, start)
    mirrored = lower > upper
    a, b = np.where(mirrored, b, a), np.where(mirrored, a, b)
    # The smaller tail has all its digits. On its logarithm the search is for a relative error, so that tails of 1e-300
    # are as good as others.
    goal = np.log(np.where(mirrored, upper, lower))
    odds = np.clip(np.where(mirrored, -start, start), -_FARTHEST, _FARTHEST)
    for _ in range(_MOST_STEPS):
        x, y = 1 / (1 + np.exp(-odds)), 1 / (1 + np.exp(odds))
        log_tail, _, log_front = _tails_and_front(a, b, x, y)
        slope = np.exp(log_front - log_tail)
        # Halley's step needs the second derivative, which follows from the first: d ln f/dv = a·y − b·x for v =
        # ln(x/y). Where it would more than double Newton's step, Newton's is taken.
        newton = (goal - log_tail) / slope
        curved = 1 + 0.5 * newton * (a * y - b * x - slope)
        moved = np.clip(odds + newton / np.where(curved > 0.5, curved, 1.0), -_FARTHEST, _FARTHEST)
        # The next step would change the result by the third power of this one.
        if (np.abs(moved - odds) * np.maximum(slope, 1.0)).max(initial=0.0) < _NEAR:
            return np.where(mirrored, -moved, moved)
        odds = moved
    return np.where(mirrored, -odds, odds)


def quantiles(a: FloatArray, b: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the x with I_x(a, b) = lower, with a common shape; upper is 1 − lower, and both are positive."""
    odds = log_odds(a, b, lower, upper, _near_log_odds(*_together(a, b, lower, upper)))
    return np.where(odds <= -_FARTHEST, 0.0, 1 / (1 + np.exp(-odds)))


def binomial_at_least(successes: AnyArray, failures: AnyArray, chance: float | FloatArray) -> FloatArray:
    """Return P(X ≥ k) for k successes and n − k failures, X ~ Binomial(n, chance); counts need not be whole numbers.

    P(X ≤ k) is that of the failures.

    Examples
    --------
    >>> binomial_at_least(np.array([0.0, 8.0]), np.array([10.0, 2.0]), 0.5) * 1024
    array([1024.,   56.])
    """
    some, chance = np.where(successes > 0, successes, 1.0), np.asarray(chance)
    tail = np.exp(log_tails(some, failures + 1, chance, 1 - chance)[0])
    return np.asarray(np.where(successes > 0, tail, 1.0))


def _near_log_odds(a: FloatArray, b: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return an approximate ln(x/y) with I_x(a, b) = lower: Carter's (1947), or a power if a or b is small."""
    z = np.where(lower < upper, 1.0, -1.0) * near_normal_quantile(np.minimum(lower, upper))
    of_a, of_b = 1 / np.maximum(2 * a - 1, 1.0), 1 / np.maximum(2 * b - 1, 1.0)
    mean, third = 2 / (of_a + of_b), (z * z - 3) / 6
    w = z * np.sqrt(np.maximum(mean + third, 0.0)) / mean - (of_b - of_a) * (third + 5 / 6 - 2 / (3 * mean))
    near, log_sizes = np.log(a / b) - 2 * w, _log_beta(a, b)
    near = np.where((a < 1) & (a <= b), (np.log(lower * a) + log_sizes) / a, near)
    return np.where((b < 1) & (b < a), -(np.log(upper * b) + log_sizes) / b, near)


def near_normal_quantile(tail: FloatArray) -> FloatArray:
    """Return an approximate z with P(Z > z) = tail, for tails up to ½ (Abramowitz & Stegun 1964, 26.2.23)."""
    t = np.sqrt(-2 * np.log(tail))
    near = t - np.polyval(_NORMAL[0], t) / np.polyval(_NORMAL[1], t)
    return np.asarray(np.maximum(near, (0.5 - tail) * math.sqrt(2 * math.pi)))  # z is never below this


def _together(*values: float | AnyArray) -> tuple[FloatArray, ...]:
    """Return numbers as arrays of one shape."""
    return tuple(np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values)))


def _fraction(a: FloatArray, b: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return xᵃyᵇ / (B(a, b) I_x(a, b)), with a common shape, for x up to about the mean."""
    # Lentz's method, modified so that no denominator is 0 (Press et al. 1992, section 5.2): `ratio` and `shrinking` are
    # quotients of successive numerators and of successive denominators, and never overflow as these do.
    beyond = a * y - b * x + 1
    value = ratio = a / (a + 1) * beyond
    shrinking: AnyArray = np.zeros_like(value)
    for first in range(1, _MOST_TERMS, _TOGETHER):
        # Coefficients of many terms at once, and one check for convergence: on small arrays a call of NumPy costs as
        # much as a term.
        n = np.arange(first, first + _TOGETHER, dtype=np.float64).reshape(-1, *[1] * value.ndim)
        last, rest = a + 2 * n - 1, n * (b - n) * x
        alpha = (a + n - 1) / last * ((a + b + n - 1) / last) * rest * x
        beta = n + rest / last + (a + n) / (a + 2 * n + 1) * (beyond + n * (1 + y))
        for numerator, denominator in zip(alpha, beta, strict=True):
            shrinking, ratio = 1 / (denominator + numerator * shrinking), denominator + numerator / ratio
            value = value * (change := shrinking * ratio)
        if np.abs(change - 1).max(initial=0.0) <= _CONVERGED:
            break
    return np.asarray(value)


def _deviance(off: FloatArray, ratio: FloatArray) -> FloatArray:
    """Return r − 1 − ln r given r and r − 1, accurate for small values."""
    # ln r = 2 artanh((r − 1)/(r + 1)), whose series begins with r − 1: subtracting it loses no digits. With `log1p`
    # nearly all would cancel where r is near 1.
    s = off / (2 + off)
    near = s * (off - 2 * s * s * np.polyval(_DEVIANCE[::-1], s * s))
    return np.where((off > -0.5) & (off < 1), near, ratio - 1 - np.log(ratio))


def _stirling_of(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the part of ln(1/B(a, b)) that Stirling's formula leaves out."""
    # For each parameter ln Γ(z) − (z − ½) ln z + z − ½ ln 2π.
    z = np.stack([a, b, a + b])
    added = np.zeros_like(z)
    small = z < _SHIFT
    if small.any():
        # Γ(z + 10) = Γ(z)·z·…·(z + 9): the series of the larger argument is accurate, and the factors are undone one by
        # one in the form of the remainder, which stays small.
        between = z[small] + np.arange(_SHIFT)[:, None]
        added[small] = ((between + 0.5) * np.log1p(1 / between) - 1).sum(axis=0)
        z = np.where(small, z + _SHIFT, z)
    of_a, of_b, of_both = added + np.polyval(_STIRLING[::-1], 1 / (z * z)) / z
    return np.asarray(of_both - of_a - of_b)
