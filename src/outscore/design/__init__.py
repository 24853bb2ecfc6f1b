"""Designs: the factors of a test set's items, such as clusters, strata and runs, one file per factor."""

from outscore.data.cells import Axis, Cells
from outscore.design.base import Factor, Units
from outscore.design.crossed import CrossedFactor
from outscore.design.design import Design
from outscore.design.registry import FACTORS

__all__ = ["FACTORS", "Axis", "Cells", "CrossedFactor", "Design", "Factor", "Units"]
