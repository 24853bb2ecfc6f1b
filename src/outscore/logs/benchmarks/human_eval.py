"""Logs of OpenAI's HumanEval: ``SAMPLES_results.jsonl``, a line a sample."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.logs.base import Log, LogFile, LogFormat, LogMetric, name_in, wrong_log
from outscore.logs.heads import keys_at
from outscore.logs.places import folder_name
from outscore.logs.rows import first_of_items, rows_in
from outscore.logs.values import text_in
from outscore.text.naming import printable

_ENDING = "_results.jsonl"
_NO_SYSTEM = frozenset(("data", "humaneval", "human-eval", "human_eval", "results", "samples", "logs"))


class HumanEval(LogFormat):
    """Judged samples of human-eval; the rows of a task are its samples."""

    name = "HumanEval"
    suffixes = (".jsonl",)

    def recognizes(self, file: LogFile) -> bool:
        if b'"passed"' not in file.head:
            return False
        return {"task_id", "result", "passed"} <= keys_at(file.head).keys()

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(_log_of, files)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        rows = ((name_in(row.task_id), row) for _, row in rows_in(log.file, _TextRow))
        return {item: ItemTexts(answer=text_in(row.completion)) for item, row in first_of_items(rows, items)}


class _Row(msgspec.Struct):
    task_id: Any = None
    passed: Any = None


class _TextRow(msgspec.Struct):
    task_id: Any = None
    completion: Any = None


def _log_of(file: LogFile) -> Log:
    ids: list[str] = []
    runs: list[str] = []
    scores: list[float] = []
    counts: dict[str, int] = {}
    for where, row in rows_in(file, _Row):
        item = name_in(row.task_id)
        if not item:
            raise wrong_log(where, 'expected a name as "task_id", got none')
        if row.passed is not None and not isinstance(row.passed, bool):
            raise wrong_log(where, 'expected true or false as "passed", got something else')
        ids.append(item)
        runs.append(str(counts.get(item, 0)))
        counts[item] = counts.get(item, 0) + 1
        scores.append(math.nan if row.passed is None else float(row.passed))
    if not ids:
        raise wrong_log(file.where, "expected a line a sample, got none", slug="empty")
    several = len(counts) < len(ids)
    return Log(
        path=str(file.path),
        system=printable(_system_of(file)) or "unnamed",
        task=printable(ids[0].partition("/")[0]) if "/" in ids[0] else "HumanEval",
        item_ids=ids,
        metrics=[LogMetric(name="pass", scores=np.array(scores), lowest=0.0, highest=1.0, is_main=True)],
        runs=runs if several else None,
        runs_are=RunDesign.SAMPLES if several else None,
        named_by_path=True,
    )


def _system_of(file: LogFile) -> str:
    """Return what the file is called; its folder, where that is "samples", as human-eval calls answers."""
    stem = file.name.removesuffix(_ENDING).removesuffix(".jsonl")
    return folder_name(file.path.parent, _NO_SYSTEM) or stem if stem == "samples" else stem
