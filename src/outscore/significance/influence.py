"""What each unit contributes to a gain: how surely so many units, of such sizes, know it."""

from __future__ import annotations

import math

import numpy as np

from outscore._dataclasses import dataclass
from outscore._types import AnyArray, FloatArray
from outscore.blocks import ONE_BLOCK, blocks
from outscore.significance.pair import AnyPair, SharedDenominators
from outscore.significance.recomputed import RecomputedPair
from outscore.strata import members_of

__all__ = [
    "ENOUGH_DIFFERING",
    "SKEWED",
    "Influence",
    "effective_units",
    "enough_units",
    "influence_if_cheap",
    "influence_of",
]

# docs/calibration.md: from where on the bootstrap keeps a level of 5%, and one of 1%.
_ENOUGH_UNITS, _ENOUGH_UNITS_AT_ONE_PERCENT = 50, 100
ENOUGH_DIFFERING = 10  # units on which systems differ, likewise
SKEWED = 0.1  # of the law of the gain: what exponential differences have at n = 400, normal ones never beyond 50
_MOST_RECOMPUTED = 1000  # units, left out one by one


def enough_units(alpha: float) -> int:
    """Return from how many effective units on the bootstrap keeps a level of alpha."""
    return _ENOUGH_UNITS if alpha > 0.01 else _ENOUGH_UNITS_AT_ONE_PERCENT


def effective_units(sizes: FloatArray) -> float:
    """Return Kish's effective number of units, (Σℓ)²/Σℓ²: n for units of one size, near 1 where one outweighs all."""
    largest = float(sizes.max(initial=0.0))
    if largest == 0 or sizes.min() == largest:
        return float(len(sizes))
    shares = sizes / largest
    return float(shares.sum() ** 2 / (shares @ shares))


@dataclass(frozen=True, eq=False)
class Influence:
    """A gain's error, unit by unit.

    Attributes
    ----------
    n_units : int
    variance : float
        Σ uᵢ² of the gain; uᵢ is what it owes to unit i, from the jackknife, adjusted for leverage as CR2 does
        (Bell & McCaffrey 2002). Infinite where one unit has all the size: nothing tells how units differ.
    degrees : float
        Satterthwaite's degrees of freedom of that variance, for units whose own variance is as their size.
    skewness : float
        Σ uᵢ³ / (Σ uᵢ²)^1.5: the skewness of the gain's law; 0 where there is no variance.
    """

    n_units: int
    variance: float
    degrees: float
    skewness: float


def influence_of(pair: AnyPair) -> Influence:
    """Return what each unit contributes to the pair's gain.

    With hᵢ = ℓᵢ/Σℓ the share of unit i in all sizes, and δ₍ᵢ₎ the gain without it, uᵢ = (δ − δ₍ᵢ₎)·√(1 − hᵢ): for a
    mean of items in clusters the terms of the CR2 variance, which is unbiased where items are independent. Their
    degrees of freedom are (Σℓ)²/(Σℓ² + (Σa)² − Σa²), aᵢ = ℓᵢ²/(Σℓ(1 − hᵢ)): n − 1 for units of one size. Strata are
    centred apart and add up, with Satterthwaite's degrees of freedom.

    Cost: n scores; n × n for metrics that are recomputed.
    """
    if pair.strata is None and pair.linear is not None and pair.linear.steps is not None:
        return _of_steps(pair.n_units, *pair.linear.steps)
    if pair.strata is None and pair.linear is not None and pair.equal_weights and pair.n_units > ONE_BLOCK:
        return _of_many(pair, pair.linear)
    without = pair.jackknife()
    sizes = np.ones(len(without)) if not pair.sizes.any() else pair.sizes
    if pair.strata is not None:
        return _of_strata((pair.gain - without) * (1 - sizes / sizes.sum()), pair.strata)
    share = sizes / sizes.sum()
    first = int(share.argmax())
    rest = 1 - share
    rest[first] = np.delete(share, first).sum()
    if rest[first] == 0:
        return Influence(len(share), math.inf, 1.0, 0.0)
    values = (pair.gain - without) * np.sqrt(rest)
    # Differences that are rounding alone are none.
    values[np.abs(values) <= pair.tolerance] = 0.0
    leverage = share**2 / rest
    others = np.delete(leverage, first)
    # (Σa)² − Σa², of which the largest square would leave nothing but its rounding.
    crossed = (2 * leverage[first] + others.sum()) * others.sum() - (others**2).sum()
    degrees = 1 / float((share**2).sum() + crossed)
    return Influence(len(values), float(values @ values), degrees, _skewness(values))


def influence_if_cheap(pair: AnyPair) -> Influence | None:
    """Return what units contribute, but for metrics that would have to be recomputed too often."""
    return None if isinstance(pair, RecomputedPair) and pair.n_units > _MOST_RECOMPUTED else influence_of(pair)


def _of_many(pair: AnyPair, linear: SharedDenominators) -> Influence:
    """Return the moments of (dᵢ − δℓ)·√(1 − 1/n)/((n − 1)·ℓ), of very many units of one size ℓ."""
    n, size = pair.n_units, float(linear.shared[0])
    mean = pair.gain * size
    scale = math.sqrt(1 - 1 / n) / ((n - 1) * size)
    negligible = pair.tolerance / scale
    square = cube = 0.0
    for at in blocks(n):
        off = linear.d[at] - mean
        off[np.abs(off) <= negligible] = 0.0
        squares = off * off
        square += float(squares.sum())
        cube += float(squares @ off)
    return Influence(n, square * scale**2, float(n - 1), cube / square**1.5 if square else 0.0)


def _of_steps(n: int, helped: int, hurt: int) -> Influence:
    """Return (dᵢ − δ)·√(1 − 1/n)/(n − 1) of units that count +1, −1 or 0: three counts tell its moments."""
    observed = helped - hurt
    scale = math.sqrt(1 - 1 / n) / (n * (n - 1))
    up, down, rest = (n * step - observed for step in (1, -1, 0))  # whole numbers
    square = helped * up**2 + hurt * down**2 + (n - helped - hurt) * rest**2
    cube = helped * up**3 + hurt * down**3 + (n - helped - hurt) * rest**3
    return Influence(n, square * scale**2, float(n - 1), cube / square**1.5)


def _of_strata(owed: FloatArray, strata: AnyArray) -> Influence:
    """Return influences given what the gain owes to each unit, (dᵢ − δℓᵢ)/Σℓ of a ratio, centred in each stratum."""
    values = np.zeros(len(owed))
    variances, degrees = [], []
    for members in members_of(strata):
        n = len(members)
        values[members] = (owed[members] - owed[members].mean()) * math.sqrt(n / (n - 1))
        variances.append(float(values[members] @ values[members]))
        degrees.append(n - 1)
    whole = math.fsum(variances)
    if whole == 0:
        return Influence(len(values), 0.0, float(sum(degrees)), 0.0)
    parts = math.fsum((v / whole) ** 2 / nu for v, nu in zip(variances, degrees, strict=True))
    return Influence(len(values), whole, 1 / parts, _skewness(values))


def _skewness(values: FloatArray) -> float:
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0:
        return 0.0
    scaled = values / largest
    return float((scaled**3).sum() / float(scaled @ scaled) ** 1.5)
