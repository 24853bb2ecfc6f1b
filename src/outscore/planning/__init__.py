"""Planning: how large a test set has to be, and what one of a given size can show."""

from __future__ import annotations

from outscore.planning.levels import Level
from outscore.planning.pilots import Pilot, Simulation, pilot_of
from outscore.planning.plans import detectable_gain, items_needed, power
from outscore.planning.populations import Population, Rates, Spread
from outscore.planning.tables import plan_table

__all__ = [
    "Level",
    "Pilot",
    "Population",
    "Rates",
    "Simulation",
    "Spread",
    "detectable_gain",
    "items_needed",
    "pilot_of",
    "plan_table",
    "power",
]
