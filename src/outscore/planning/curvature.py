"""A score that is no straight line in its totals, as far as its replicates reach: slopes, and what these leave out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from outscore._types import FloatArray

__all__ = ["FLAT", "Curvature", "Line", "line_through"]

_PAIRS = 128  # of opposite points at least, at which a score is asked for
_NEGLIGIBLE = 1e-12  # of the largest variance: columns that others tell


@dataclass(frozen=True)
class Curvature:
    """What a straight line leaves out of the law of replicates, in standard deviations of the line.

    Attributes
    ----------
    shift : float or ndarray
        Of the mean: E δ* − δ.
    stretch : float or ndarray
        The standard deviation of δ*.
    skewness : float or ndarray
        What the third cumulant has beside that of the line.
    """

    shift: float | FloatArray
    stretch: float | FloatArray
    skewness: float | FloatArray


FLAT = Curvature(0.0, 1.0, 0.0)


@dataclass(frozen=True)
class Line:
    """A straight line through a function of totals, and how the function bends about it.

    Attributes
    ----------
    slopes : ndarray, shape (b, columns)
    curvature : Curvature
    odd_stretch : ndarray, shape (b,)
        The stretch of the function's odd part, f(T + Δ) − f(T − Δ), which has neither shift nor skewness.
    """

    slopes: FloatArray
    curvature: Curvature
    odd_stretch: FloatArray


def line_through(
    value_of: Callable[[FloatArray], FloatArray], totals: FloatArray, covariance: FloatArray, least: FloatArray
) -> Line:
    """Return the line that is nearest to a function of totals where their replicates lie.

    A derivative sees the function at one point. Replicates see it as far around as they spread, and where it has a
    kink there, as BLEU has where the output is as long as the reference, one side of the kink is not the other. So the
    function is asked for at points that have the replicates' mean and covariance, T ± C^½z, with z in orthogonal
    directions and as far from 0 as normal vectors are (a cubature, Genz & Monahan 1998). The line is that of least
    squares, E ∇f for normal replicates; shift, stretch and skewness are the moments of the rest. Without a kink they
    are those of the expansion by second derivatives (Hall 1992, section 2.4).

    Parameters
    ----------
    value_of : callable
        From totals, shape (r, columns), to values, shape (r,).
    totals : ndarray, shape (b, columns)
    covariance : ndarray, shape (b, columns, columns)
        Of the replicates of each.
    least : ndarray, shape (columns,)
        What totals cannot fall below: 0 for counts.
    """
    columns = totals.shape[1]
    directions = _directions(columns)
    root, inverse = _roots(covariance)
    steps = directions @ root

    def values(points: FloatArray) -> FloatArray:
        return np.asarray(value_of(np.maximum(points, least).reshape(-1, columns)).reshape(points.shape[:2]))

    up, down, middle = values(totals[:, None] + steps), values(totals[:, None] - steps), value_of(totals)
    odd, even = (up - down) / 2, (up + down) / 2 - middle[:, None]
    # Directions of one basis are orthogonal: least squares is a sum.
    slopes = np.einsum("bkl,bl->bk", inverse, odd @ directions / (directions[:, 0] @ directions[:, 0]))
    rest = odd - np.einsum("bpk,bk->bp", steps, slopes)
    shift = even.mean(axis=1)
    even = even - shift[:, None]
    variance = np.maximum(np.einsum("bk,bkl,bl->b", slopes, covariance, slopes), 0.0)
    deviation = np.sqrt(variance)

    def relative(moment: FloatArray, unit: FloatArray) -> FloatArray:
        return np.divide(moment, unit, out=np.zeros(len(moment)), where=unit > 0)

    odd_part, even_part = (relative((part**2).mean(axis=1), variance) for part in (rest, even))
    skewness = relative((3 * odd**2 * even + even**3).mean(axis=1), deviation**3)
    bent = Curvature(relative(shift, deviation), np.sqrt(1 + odd_part + even_part), skewness)
    return Line(slopes, bent, np.sqrt(1 + odd_part))


@cache
def _directions(columns: int) -> FloatArray:
    """Return points, shape (p, columns): several random orthogonal bases, each of its own length.

    Their second moments are those of a normal vector exactly, and their lengths the quantiles of its length.
    """
    from scipy.special import gammaincinv

    rng = np.random.default_rng(0)
    n_bases = math.ceil(_PAIRS / columns)
    squares = 2 * gammaincinv(columns / 2, (np.arange(n_bases) + 0.5) / n_bases)
    lengths = np.sqrt(squares * columns / squares.mean())
    return np.concatenate([length * np.linalg.qr(rng.normal(size=(columns, columns)))[0] for length in lengths])


def _roots(covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the symmetric roots of matrices and their inverses, both 0 in directions without variance."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _NEGLIGIBLE * values.max(axis=1, keepdims=True)
    root = np.sqrt(np.where(kept, values, 0.0))
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=kept)
    turned = np.swapaxes(vectors, 1, 2)
    return (vectors * root[:, None]) @ turned, (vectors * inverse[:, None]) @ turned
