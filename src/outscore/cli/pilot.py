"""Reading a pilot: two systems' rows, paired item by item."""

from __future__ import annotations

from dataclasses import dataclass

from outscore.errors import OptionError, Problem
from outscore.metrics import Metric
from outscore.planning import Pilot, Simulation, pilot_of
from outscore.readers import Tables, read_labels
from outscore.readers.inputs import Reading as SystemReading
from outscore.readers.inputs import are_outputs, read_systems
from outscore.rows import Labels, align, align_labels

__all__ = ["Reading", "read_pilot"]


@dataclass(frozen=True)
class Reading:
    """How systems are read; each field is an option of `outscore compare`."""

    metric: str | None
    references: tuple[str, ...]
    input_format: str | None
    lower_is_better: bool
    id_column: str | None
    score_column: str | None
    drop_missing: bool
    cluster: str | None


def read_pilot(baseline: str, candidate: str, reading: Reading, simulation: Simulation) -> Pilot:
    """Return the pilot of two files.

    Raises
    ------
    OutscoreError
        Whatever reading and pairing them can raise, and a pilot without any spread.
    """
    tables = Tables()
    inputs = SystemReading(
        reading.references,
        reading.input_format,
        id_column=reading.id_column,
        score_column=reading.score_column,
        lower_is_better=reading.lower_is_better,
        drop_missing=reading.drop_missing,
        tables=tables,
    )
    specs = [baseline, candidate]
    [(metric, systems)] = read_systems(specs, None if reading.metric is None else [reading.metric], inputs)
    if not isinstance(metric, Metric):
        what = f"{metric.name} has no statistics that add up, from which larger test sets could be drawn"
        raise OptionError(Problem("--metric", what, "Name another metric.", "recomputed-metric"))
    labels: Labels | None = None
    if reading.cluster is not None:
        own = None if are_outputs(specs, reading.references) else baseline
        labels = read_labels(reading.cluster, own, reading.id_column, item_ids=systems[0].item_ids, tables=tables)
        if labels.item_ids is None and len(labels.labels) == len(systems[0]):
            # Labels by position stay with their items when some are left out.
            labels = Labels(labels.name, labels.labels, systems[0].item_ids, labels.lines)
    first, second = align(systems, drop_missing=reading.drop_missing)
    clusters = None if labels is None else align_labels(labels, first)
    return pilot_of(metric, first, second, clusters=clusters, simulation=simulation)
