"""All factors of a design, in the order of signatures and of axes of cells."""

from __future__ import annotations

from outscore.design.base import Factor
from outscore.design.clusters import Clusters, Orders
from outscore.design.constant import Constant
from outscore.design.crossed import CrossedFactor
from outscore.design.raters import Raters
from outscore.design.runs import Runs
from outscore.design.strata import Labelled, Strata
from outscore.design.templates import Templates
from outscore.design.test_sets import TestSets

FACTORS: tuple[type[Factor], ...] = (Runs, Constant, Templates, Raters, Strata, Clusters, Orders, TestSets, Labelled)


def place_of(factor: Factor) -> int:
    """Return the position of a factor in the order of all kinds."""
    return FACTORS.index(type(factor))


def crossed_factors() -> tuple[type[CrossedFactor], ...]:
    """Return the factors with which items can be crossed."""
    return tuple(kind for kind in FACTORS if issubclass(kind, CrossedFactor))
