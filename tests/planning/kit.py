"""What several tests use of the modules of planning: a module moves with one edit here."""

from __future__ import annotations

from outscore.wings.planning import RunVariances, Simulation, pilot_of, plan_of_runs, variances_of
from outscore.wings.planning.levels import Margin
from outscore.wings.planning.pilots import OPTIMISM, Tilting, gradients, worth
from outscore.wings.planning.powers import (
    exact_margin_power,
    exact_power,
    normal_margin_power,
    normal_power,
    score_statistic,
)
from outscore.wings.planning.results import (
    GainPlan,
    GainRow,
    ItemsPlan,
    ItemsRow,
    Plan,
    PlanQuestion,
    PlanRow,
    PlanTable,
    PlanTableLimit,
    PlanTableRow,
    Power,
    PowerCheck,
    PowerPlan,
)
