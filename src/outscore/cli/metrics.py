"""`outscore metrics`: which metrics there are, and what each needs."""

from __future__ import annotations

import shutil
import sys

__all__ = ["metrics"]


def metrics() -> None:
    """List the metrics: what each reads, what its rows hold, whether it has exact laws, and what it equals.

    Ratios of sums have exact laws: under the bootstrap where both systems share the denominators, under
    randomization also where the counts differ. Other metrics have them for few items only.
    """
    from rich.console import Console
    from rich.table import Table

    from outscore.metrics import METRICS, Metric, RatioMetric
    from outscore.metrics.outputs import OUTPUT_METRICS
    from outscore.readers.corpora.registry import CORPUS_FORMATS

    table = Table(box=None, pad_edge=False, show_edge=False)
    for heading in ("metric", "reads", "a row holds", "exact", "equals"):
        table.add_column(heading, overflow="fold")

    def statistics(metric: type[Metric]) -> str:
        held = metric.statistics
        return ", ".join(held) if isinstance(held, tuple) else "depends on its options"

    def exact(metric: type[Metric]) -> str:
        return "yes" if issubclass(metric, RatioMetric) else "few items"

    for name, column_metric in METRICS.items():
        reads = f"columns {', '.join(column_metric.columns)}"
        table.add_row(name, reads, statistics(column_metric), exact(column_metric), "its formula")
    for name, metric in OUTPUT_METRICS.items():
        formats = [key for key, known in CORPUS_FORMATS.items() if known.item_type is metric.output_type]
        table.add_row(name, f"outputs: {', '.join(formats)}", statistics(metric), exact(metric), metric.citation)
    width = shutil.get_terminal_size((160, 24)).columns if sys.stdout.isatty() else 160
    Console(width=max(width, 80), highlight=False).print(table)
