"""What several tests use of the modules of gating: a module moves with one edit here."""

from __future__ import annotations

from outscore.questions.looks import ErrorRate, GateRule, InconclusivePolicy, Look, Margins, spent_level
from outscore.wings.gating.configuration import Configuration, read_configuration
from outscore.wings.gating.results import GateOutcome, GateResult, SequentialStop
from outscore.wings.gating.rule import gate_scores, outcome_of, outcomes_of
from outscore.wings.gating.sequential import (
    EProcess,
    SequentialGate,
    gate_order,
    order_of_items,
    powers_of_equal,
    sequential_gate,
)
from outscore.wings.gating.stores import MOST_COMMITS, StoredReading, locked, read_store, stored_labels, stored_systems
from outscore.wings.gating.streaming import StreamedItems, gate_stream
