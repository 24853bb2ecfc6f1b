"""Reading a pilot: two systems' rows, paired item by item."""

from __future__ import annotations

from dataclasses import dataclass

from outscore.metrics import Metric, metric_named
from outscore.planning import Pilot, Simulation, pilot_of
from outscore.readers import Tables, read_labels, read_system
from outscore.rows import Labels, Rows, align, align_labels

__all__ = ["Reading", "read_pilot"]


@dataclass(frozen=True)
class Reading:
    """How systems are read; each field is an option of `outscore compare`."""

    metric: str
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
    metric: Metric
    systems: list[Rows]
    if reading.references:
        # Dozens of metrics and formats: who reads columns does not wait for them.
        from outscore.metrics.outputs import output_metric_named
        from outscore.readers.outputs import read_outputs

        of = output_metric_named(reading.metric)
        metric, systems = read_outputs([baseline, candidate], reading.references, of, format_name=reading.input_format)
    else:
        metric = column_metric = metric_named(reading.metric, lower_is_better=reading.lower_is_better)
        systems = [
            read_system(
                spec,
                column_metric,
                id_column=reading.id_column,
                score_column=reading.score_column,
                drop_missing=reading.drop_missing,
                tables=tables,
            )
            for spec in (baseline, candidate)
        ]
    labels: Labels | None = None
    if reading.cluster is not None:
        own = None if reading.references else baseline
        labels = read_labels(reading.cluster, own, reading.id_column, item_ids=systems[0].item_ids, tables=tables)
        if labels.item_ids is None and len(labels.labels) == len(systems[0]):
            # Labels by position stay with their items when some are left out.
            labels = Labels(labels.name, labels.labels, systems[0].item_ids, labels.lines)
    first, second = align(systems, drop_missing=reading.drop_missing)
    clusters = None if labels is None else align_labels(labels, first)
    return pilot_of(metric, first, second, clusters=clusters, simulation=simulation)
