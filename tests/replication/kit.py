"""What several tests use of the modules of replication: a module moves with one edit here."""

from __future__ import annotations

from outscore.wings.replication import replicate
from outscore.wings.replication.results import ReplicateRun, Replication, RunStatus, Unit
from outscore.wings.replication.training_sets import Draw, TrainingSet, check_aligned, planned_draws, read_training_set
