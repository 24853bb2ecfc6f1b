"""Designs: what is known of the items of a test set, each factor in a file of its own."""

from outscore.data.cells import Axis, Cells
from outscore.design.base import Factor, Units
from outscore.design.crossed import CrossedFactor
from outscore.design.design import Design
from outscore.design.registry import FACTORS

__all__ = ["FACTORS", "Axis", "Cells", "CrossedFactor", "Design", "Factor", "Units"]
