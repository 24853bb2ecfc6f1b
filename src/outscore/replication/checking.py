"""What the board is to be ranked with, looked up before hours of training, and outputs that could not be ranked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outscore.errors import OptionError, OutscoreError, Problem
from outscore.items import Corpus
from outscore.metrics import metric_named
from outscore.metrics.base import AnyOutputMetric, ColumnMetric
from outscore.metrics.outputs import output_metric_named
from outscore.naming import printable
from outscore.numbers import format_count
from outscore.readers.kept_files import is_kept
from outscore.readers.reading import Files, Reading
from outscore.readers.registry import InputFiles
from outscore.readers.systems import read_system
from outscore.rows import pair_corpora

__all__ = ["OutputCheck"]


@dataclass(frozen=True, eq=False)
class OutputCheck:
    """Whether outputs can be read, and fit their references or each other.

    Attributes
    ----------
    reading : Reading
        How the board will be read.
    golds : sequence of (AnyOutputMetric, Corpus)
        Each metric of outputs, and the references as it reads them. Empty where no references or metrics are named.
    columns : sequence of ColumnMetric
        The metrics of score tables. Empty where there are references, or no metric is named.
    """

    reading: Reading
    golds: Sequence[tuple[AnyOutputMetric[Any, Any], Corpus[Any]]] = ()
    columns: Sequence[ColumnMetric] = ()

    @classmethod
    def of(cls, metrics: Sequence[str], references: Files, reading: Reading) -> OutputCheck:
        """Look the metrics up and read the references."""
        if not references:
            lower = reading.lower_is_better
            return cls(reading, columns=[metric_named(name, lower_is_better=lower) for name in metrics])
        files = InputFiles()
        golds: list[tuple[AnyOutputMetric[Any, Any], Corpus[Any]]] = []
        for metric in map(output_metric_named, metrics):
            if len(references) > 1 and not metric.takes_several_references:
                what = f"{metric.name} takes one reference, got {len(references)}"
                raise OptionError(Problem("--reference", what, "Name one file.", "several-references"))
            first, *others = (files.read(path, metric.reference_type, reading.input_format) for path in references)
            for other in others:
                pair_corpora(other, first)
            golds.append((metric, first))
        return cls(reading, golds)

    def problem(self, output: Path, beside: Path | None = None) -> str:
        """Return why the outputs in a file cannot be ranked, for people; empty where they can."""
        if is_kept(str(output)):
            return ""
        files = InputFiles()
        try:
            for metric, gold in self.golds:
                metric.paired(files.read(str(output), metric.output_type, self.reading.input_format), gold)
            counts = [self._n_items(output, metric) for metric in self.columns]
        except OutscoreError as error:
            first = error.problems[0]
            # Without its folder, which is about to get another name.
            return f"{first.where.removeprefix(printable(str(output.parent)) + os.sep)}: {first.what}"
        if counts and beside is not None and not is_kept(str(beside)):
            with suppress(OutscoreError):  # it may have been made before there was a metric
                expected = self._n_items(beside, self.columns[0])
                if expected != counts[0]:
                    items = "1 item" if expected == 1 else f"{format_count(expected)} items"
                    as_in = printable(beside.parent.name)
                    return f"{output.name}: expected {items}, as in {as_in}, got {format_count(counts[0])}"
        return ""

    def _n_items(self, output: Path, metric: ColumnMetric) -> int:
        """Return how many items a score table holds, once the metric can read it."""
        reading = self.reading
        return len(read_system(str(output), metric, id_column=reading.id_column, score_column=reading.score_column))
