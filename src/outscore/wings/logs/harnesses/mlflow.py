"""Tables of MLflow's ``mlflow.evaluate``: ``eval_results_table.json``, one row per input."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from outscore.data.items import ItemTexts
from outscore.metrics.families.columns import direction_of
from outscore.text.naming import printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, wrong_log
from outscore.wings.logs.files import first_of_items, keys_at, path_name
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import directed, name_of_text, text_in

_TABLE = "eval_results_table"
_SCORE = "/score"
_VERSION = re.compile(r"/v\d+$")
# Metrics whose column has no "/score".
_BARE = ("latency", "token_count")
# MLflow declares these directions, which names do not tell. That of token_count is arbitrary, and left to the user.
_HIGHER = re.compile(r"answer_(correctness|relevance|similarity)|faithfulness|relevance|rougeLsum")
_LOWER = re.compile(r"toxicity|(flesch_kincaid|ari)_grade_level")
_TARGETS = ("target", "targets", "ground_truth", "label")


class Mlflow(LogFormat):
    """Tables of ``mlflow.evaluate``: an item is an input, and each column ``METRIC/VERSION/score`` a metric.

    The path names the system, without the folder ``artifacts``. Directions are those that MLflow declares for its own
    metrics; names of others tell theirs, or else users choose. Tested on a table of
    Wongyenchik/finetune-mlx-math-model at b2bbbad.
    """

    name = "MLflow"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        keys = keys_at(file.head if b'"columns"' in file.head else b"")
        if [keys.mark(key) for key in ("columns", "data")] != ["[", "["]:
            return False
        return _TABLE in file.name or b'/score"' in file.head[keys["columns"] : keys["data"]]

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(_log_of, files)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        table = _Columns(log.file)
        rows = ((name_of_text(table.input_of(row)), row) for row in table.rows)
        return {
            item: ItemTexts(
                table.input_of(row), table.text(row, *_TARGETS), table.text(row, "outputs", "predictions", "output")
            )
            for item, row in first_of_items(rows, items)
        }


class _Table(msgspec.Struct):
    columns: list[str]
    data: list[list[Any]]


class _Columns:
    """The rows of a table, and the positions of its inputs and metrics."""

    def __init__(self, file: LogFile) -> None:
        table: _Table = file.json(_Table)
        self.rows, self.columns = table.data, table.columns
        self.metrics = {
            name: index
            for index, column in enumerate(table.columns)
            if (name := column.removesuffix(_SCORE)) != column or column in _BARE
        }
        lengths = {len(row) for row in table.data} - {len(table.columns)}
        if lengths or not (table.data and self.metrics):
            what = f"rows of {lengths.pop()} cells for {len(table.columns)} columns" if lengths else "no scores"
            raise wrong_log(file.where, f"expected a table of inputs and scores, got {what}")

    def input_of(self, row: Sequence[Any]) -> str:
        """Return the input: its column, or all columns before the first metric other than outputs, as JSON."""
        text = self.text(row, "inputs", "input", "question", "questions")
        if text is not None:
            return text
        inputs = {
            column: row[index]
            for index, column in enumerate(self.columns[: min(self.metrics.values())])
            if column not in ("outputs", "predictions", "output")
        }
        return json.dumps(inputs, ensure_ascii=False)

    def text(self, row: Sequence[Any], *names: str) -> str | None:
        """Return the text in the first of some columns that exists."""
        return next((text_in(row[self.columns.index(name)]) for name in names if name in self.columns), None)


def _log_of(file: LogFile) -> Log:
    table = _Columns(file)
    records = RecordBuilder()
    for row in table.rows:
        scores = {name: as_score(row[column]) for name, column in table.metrics.items()}
        records.add(name_of_text(table.input_of(row)), scores=scores)
    metrics: list[LogMetric] = []
    for name in table.metrics:
        metrics += directed(
            printable(_VERSION.sub("", name)) or "unnamed", records.scores(name), _higher_is_better(name)
        )
    stem = file.name.removesuffix(".json").replace(_TABLE, "").strip("._-")
    return records.log(file.path, path_name(file, stem, {"artifacts"}), "MLflow", metrics, named_by_path=True)


def _higher_is_better(name: str) -> bool | None:
    plain_name = _VERSION.sub("", name)
    return (
        False if _LOWER.fullmatch(plain_name) else True if _HIGHER.fullmatch(plain_name) else direction_of(plain_name)
    )
