"""How often the default test rejects true nulls, and on how few units its verdicts rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from outscore.results import Alternative
from tests.calibration.populations import Population
from tests.calibration.sets import Sets, rejected
from tests.significance.kit import FEW


@dataclass(frozen=True)
class Judged:
    """What the default test made of many data sets whose systems are equally good; all but counts are proportions.

    Attributes
    ----------
    sets : int
    at_5, at_1 : float
        Rejected at 5% and at 1%, two-sided.
    one_sided : float
        Rejected at 5%, one-sided, of the side that rejects more.
    effective : float
        The median of the effective numbers of units.
    few : float
        Data sets with fewer than 5 effective units, on which results carry a warning.
    unwarned : float
        Rejected at 5%, two-sided, without that warning.
    """

    sets: int
    at_5: float
    at_1: float
    one_sided: float
    effective: float
    few: float
    unwarned: float


def judged(batches: Iterable[Sets], null: float = 0.0) -> Judged:
    """Return what the default test makes of data sets whose true gain is `null`."""
    found, sides, effective = [], [], []
    for sets in batches:
        found.append(sets.p_values(null=null))
        sides.append([sets.p_values(side, null) for side in (Alternative.GREATER, Alternative.LESS)])
        effective.append(np.asarray(sets.spread.effective))
    p, m = np.concatenate(found), np.concatenate(effective)
    one_sided = max(rejected(np.concatenate(side), 0.05) for side in zip(*sides, strict=True))
    few = m < FEW
    unwarned = float(((p <= 0.05) & ~few).mean())
    return Judged(
        len(p), rejected(p, 0.05), rejected(p, 0.01), one_sided, float(np.median(m)), float(few.mean()), unwarned
    )


def judge(population: Population, n: int, count: int, seed: int = 0) -> Judged:
    """Judge data sets of a population of n units."""
    return judged(population.drawn(n, count, seed))
