"""Sample size and power: how many items a test set needs, and which gains it detects."""

from __future__ import annotations

from outscore.wings.planning.gates import plan_gate
from outscore.wings.planning.levels import Level
from outscore.wings.planning.pilots import Pilot, pilot_of
from outscore.wings.planning.plans import plan_gain, plan_items, plan_power
from outscore.wings.planning.populations import Population, Rates, Spread
from outscore.wings.planning.runs import RunVariances, plan_of_runs, variances_of
from outscore.wings.planning.simulating import Simulation
from outscore.wings.planning.tables import plan_table

__all__ = [
    "Level",
    "Pilot",
    "Population",
    "Rates",
    "RunVariances",
    "Simulation",
    "Spread",
    "pilot_of",
    "plan_gain",
    "plan_gate",
    "plan_items",
    "plan_of_runs",
    "plan_power",
    "plan_table",
    "variances_of",
]
