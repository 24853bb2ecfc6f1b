"""Tails of the bootstrap law of items that are right or wrong, for many data sets at once.

Of n items the candidate helps h and hurts t. A resample's gain in items is S = H* − T*, with (H*, T*) trinomial of n
draws and probabilities h/n and t/n. `outscore.exact` knows the law of one such data set; a power needs the tails of
thousands, and only these.
"""

from __future__ import annotations

import math

import numpy as np

from outscore._types import FloatArray, IntArray

__all__ = ["at_least", "at_most"]

_NEGLIGIBLE = 40.0
_BLOCK_CELLS = 2**18


def at_least(n: int, helped: IntArray, hurt: IntArray, least: IntArray) -> FloatArray:
    """Return P(S ≥ x) of many data sets of n items, shape (m,), to about 1e-13 of itself.

    Meant for x at or beyond the mean, x ≥ h − t: there the saddlepoint is not negative.

    The inversion formula on the contour through the saddlepoint θ (Daniels 1987, eq. 6.1), by the trapezoidal rule:

        P(S ≥ x) = 1/N Σ_k exp(K(s) − s x) / (1 − exp(−s)) at s = θ + 2πik/N,   K(s) = n log((h eˢ + t e⁻ˢ + u)/n),

    with u = n − h − t items unchanged and N beyond the range in which S has any probability worth the name.

    Parameters
    ----------
    n : int
    helped, hurt : ndarray of int, shape (m,)
        h and t; h + t ≤ n.
    least : ndarray of int, shape (m,)
        x.
    """
    helped, hurt, least = np.broadcast_arrays(helped, hurt, least)
    found = np.zeros(len(helped))
    found[least <= -n] = 1.0
    inside = (least > -n) & (least < n) & ((helped > 0) | (least <= 0))
    edge = least == n
    found[edge] = (helped[edge] / n) ** n
    # Without a helped item S is at most 0, and 0 only where no hurt item is drawn.
    none = inside & (helped == 0)
    at_zero = none & (least == 0)
    found[at_zero] = (1 - hurt[at_zero] / n) ** n
    found[none & (least < 0)] = np.nan  # below the mean, or not asked for
    rest = np.flatnonzero(inside & (helped > 0))
    # Data sets of a like spread need a like number of nodes.
    rest = rest[np.argsort(helped[rest] + hurt[rest], kind="stable")]
    done = 0
    while done < len(rest):
        nodes = _nodes(int(helped[rest[done]] + hurt[rest[done]]))
        count = min(max(1, _BLOCK_CELLS // nodes), len(rest) - done)
        block = rest[done : done + count]
        nodes = _nodes(int(helped[block[-1]] + hurt[block[-1]]))
        found[block] = _tail(n, helped[block].astype(float), hurt[block].astype(float), least[block], nodes)
        done += count
    return found


def at_most(n: int, helped: IntArray, hurt: IntArray, most: IntArray) -> FloatArray:
    """Return P(S ≤ x) of many data sets, shape (m,), for x ≤ h − t: the mirrored tail."""
    return at_least(n, hurt, helped, -np.asarray(most))


def _nodes(differing: int) -> int:
    """Return N: aliases of S ≥ x lie N further out, and those of S < x weigh exp(−θN) ≤ exp(−40) with θ ≥ 2/σ."""
    return 2 * math.ceil(10 * math.sqrt(differing + 1) + 20) + 1


def _tail(n: int, helped: FloatArray, hurt: FloatArray, least: IntArray, nodes: int) -> FloatArray:
    same = n - helped - hurt
    x = least.astype(float)
    # K'(θ) = x is a quadratic in exp(θ): h(n − x) e²ᶿ − u x eᶿ − t(n + x) = 0.
    lead = helped * (n - x)
    tilt = (same * x + np.sqrt((same * x) ** 2 + 4 * lead * hurt * (n + x))) / (2 * lead)
    spread = np.sqrt(np.maximum(helped + hurt - (helped - hurt) ** 2 / n, 1.0))
    theta = np.maximum(np.log(np.maximum(tilt, 1e-300)), 2 / spread)
    whole = helped * np.exp(theta) + hurt * np.exp(-theta) + same
    k = np.arange(_last_node(n, helped * np.exp(theta) / whole, hurt * np.exp(-theta) / whole, nodes) + 1)
    s = theta[:, None] + 2j * np.pi * k / nodes
    grown = np.exp(s)
    ratio = (helped[:, None] * grown + hurt[:, None] / grown + same[:, None]) / whole[:, None]
    with np.errstate(divide="ignore"):
        exponent = n * np.log(ratio) - 1j * x[:, None] * s.imag
    values = (np.exp(exponent) / (1 - 1 / grown)).real
    total = values[:, 0] + 2 * values[:, 1:].sum(axis=1)
    scale = np.exp(n * np.log(whole / n) - theta * x)
    return np.asarray(np.clip(total / nodes * scale, 0.0, 1.0))


def _last_node(n: int, up: FloatArray, down: FloatArray, nodes: int) -> int:
    """Return the last k at which the transform of a law tilted to these probabilities is more than exp(−40).

    |φ(t)|² is a convex parabola of cos t: between two points it is nowhere above both.
    """
    full = (nodes - 1) // 2
    variance = n * float((up + down - (up - down) ** 2).min())
    last = math.ceil(9.5 / math.sqrt(max(variance, 1e-9)) * nodes / (2 * math.pi)) + 1
    if last >= full:
        return full
    at = np.array([[2 * np.pi * last / nodes], [np.pi]])
    level = np.abs(up * np.exp(1j * at) + down * np.exp(-1j * at) + 1 - up - down)
    return last if float(level.max()) ** n < math.exp(-_NEGLIGIBLE) else full
