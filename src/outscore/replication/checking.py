"""What the board is to be ranked with, looked up before hours of training, and outputs that could not be ranked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outscore.errors import OptionError, OutscoreError, Problem
from outscore.items import Corpus
from outscore.metrics import metric_named
from outscore.metrics.base import AnyOutputMetric
from outscore.metrics.outputs import output_metric_named
from outscore.naming import printable
from outscore.readers.corpora.registry import Corpora
from outscore.readers.kept_files import is_kept
from outscore.rows import pair_corpora

__all__ = ["OutputCheck"]


@dataclass(frozen=True, eq=False)
class OutputCheck:
    """Whether outputs can be read and fit their references.

    Attributes
    ----------
    golds : sequence of (AnyOutputMetric, Corpus)
        Each metric, and the references as it reads them. Empty where outputs are score tables or no metric is named.
    format_name : str or None
        As for `read_corpus`.
    """

    golds: Sequence[tuple[AnyOutputMetric[Any, Any], Corpus[Any]]]
    format_name: str | None = None

    @classmethod
    def of(cls, metrics: Sequence[str], references: Sequence[str], format_name: str | None) -> OutputCheck:
        """Look the metrics up and read the references.

        Parameters
        ----------
        metrics : sequence of str
            As users write them: of outputs where there are references, else of score tables.
        references : sequence of str
            Files.
        format_name : str or None

        Raises
        ------
        OptionError
            An unknown metric, or several references for one that takes one.
        FileAccessError, DataError
            References that a metric cannot read.
        """
        if not references:
            for name in metrics:
                metric_named(name)
            return cls(())
        corpora = Corpora()
        golds: list[tuple[AnyOutputMetric[Any, Any], Corpus[Any]]] = []
        for metric in map(output_metric_named, metrics):
            if len(references) > 1 and not metric.takes_several_references:
                what = f"{metric.name} takes one reference, got {len(references)}"
                raise OptionError(Problem("--reference", what, "Name one file.", "several-references"))
            first, *others = (corpora.read(path, metric.reference_type, format_name) for path in references)
            for other in others:
                pair_corpora(other, first)
            golds.append((metric, first))
        return cls(golds, format_name)

    def problem(self, output: Path) -> str:
        """Return why the outputs in a file cannot be ranked, for people; empty where they can."""
        if not self.golds or is_kept(str(output)):
            return ""
        corpora = Corpora()
        try:
            for metric, gold in self.golds:
                metric.paired(corpora.read(str(output), metric.output_type, self.format_name), gold)
        except OutscoreError as error:
            first = error.problems[0]
            # Without its folder, which is about to get another name.
            return f"{first.where.removeprefix(printable(str(output.parent)) + os.sep)}: {first.what}"
        return ""
