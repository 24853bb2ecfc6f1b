"""Designs: the factors of a test set's items, such as clusters, strata and runs, one file per factor."""

from outscore.data.cells import Axis, Cells
from outscore.design.base import Factor, Units
from outscore.design.clusters import Clusters
from outscore.design.crossed import CrossedFactor
from outscore.design.design import Design
from outscore.design.registry import FACTORS
from outscore.design.runs import Runs
from outscore.design.strata import Strata

__all__ = ["FACTORS", "Axis", "Cells", "Clusters", "CrossedFactor", "Design", "Factor", "Runs", "Strata", "Units"]
