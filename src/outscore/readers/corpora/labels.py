"""Labels of classified items: one a line, or a column of CSV, TSV or JSON Lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self, TypeVar

from outscore.items import Corpus, GoldLabel, Label
from outscore.readers.base import Table
from outscore.readers.columns import texts_of
from outscore.readers.corpora.base import CorpusFormat
from outscore.readers.corpora.fields import column_of, table_in
from outscore.readers.files import lines_in
from outscore.readers.plain import Plain

__all__ = ["GoldLabels", "PredictedLabels"]

AnyLabel = TypeVar("AnyLabel", bound=str)

# Either side's own names come first: a file may hold both, as many classifiers write them.
_EITHER = ("label", "labels", "class", "category", "y")
_PREDICTED = ("prediction", "predictions", "predicted", "pred", "predicted_label", "prediction_label", "pred_label",
    "y_pred", "y_hat", "output", "system", "answer", *_EITHER)  # fmt: skip
_GOLD = ("gold", "gold_label", "reference", "ref", "target", "truth", "ground_truth", "true_label", "y_true",
    "expected", "actual", "answer", *_EITHER)  # fmt: skip


@dataclass(frozen=True)
class _Labels(CorpusFormat[AnyLabel]):
    """One label a line; or CSV, TSV (by the file's name) or JSON Lines with a column of labels, and perhaps of ids.

    Parameters
    ----------
    column : str, optional
        The column of labels, where its name does not tell.
    """

    column: str | None = None

    extensions = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".jsonlines")
    names: ClassVar[tuple[str, ...]]
    may_lack: ClassVar[bool] = False  # whether an item may be without a label

    def of_column(self, column: str) -> Self:
        return replace(self, column=column)

    def sniff(self, text: str) -> bool:
        return bool(text.strip())

    def parse(self, text: str, source: str) -> Corpus[AnyLabel]:
        table = table_in(text, source, self.column) or self._one_a_line(text.encode("utf-8", "surrogatepass"), source)
        column, ids = column_of(table, self.names, "labels", self.column)
        labels = texts_of(table, column, "a label", "missing-label", may_lack=self.may_lack)
        return Corpus(source, [self.item_type(label) for label in labels], table.lines or (), ids)

    def _one_a_line(self, data: bytes, source: str) -> Table:
        if not self.may_lack:
            return Plain().parse(data, source)
        cells = lines_in(data, source)
        return Table(source, {"": cells}, range(1, len(cells) + 1), bare=True)


@dataclass(frozen=True)
class PredictedLabels(_Labels[Label]):
    r"""The labels that a system gave. Null, an empty cell and a blank line are no answer: the label "", never right.

    Examples
    --------
    >>> PredictedLabels().parse("id,gold,pred\nq1,yes,no\nq2,no,", "a.csv").items
    ['no', '']
    """

    name = "labels"
    item_type = Label
    names = _PREDICTED
    may_lack = True


@dataclass(frozen=True)
class GoldLabels(_Labels[GoldLabel]):
    r"""The labels that are right.

    Examples
    --------
    >>> GoldLabels().parse("id,gold,pred\nq1,yes,no\nq2,no,no", "a.csv").items
    ['yes', 'no']
    """

    name = "gold labels"
    item_type = GoldLabel
    names = _GOLD
