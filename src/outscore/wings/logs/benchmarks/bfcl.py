"""Logs of BFCL, the Berkeley Function Calling Leaderboard: ``BFCL_v4_CATEGORY_score.json`` and the results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from outscore.errors import DataError
from outscore.text.naming import listed, printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, name_in, wrong_log
from outscore.wings.logs.files import beside, folder_name, keys_at, rows_in, whole_path
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, aggregates_of, count_in

_NAME = re.compile(r"(?:(BFCL_v\d+|gorilla_openfunctions_v\d+_test)_)?(.+)_score\.json")
_FIRST = "gorilla_openfunctions_v1_test_"  # of results only, in the first version
_GROUPS = frozenset(
    ("non_live", "live", "multi_turn", "agentic", "memory", "kv", "vector", "rec_sum", "format_sensitivity")
)
_NO_SYSTEM = _GROUPS | {"score", "scores"}
_MOST_NUMBERED = 100_000  # entries without names; a category has some hundred


class Bfcl(LogFormat):
    """Scores of BFCL, which list only failed entries; the others are in the results, which are read as well.

    Results are expected where bfcl writes them: ``result/MODEL/...`` next to ``score/MODEL/...``. In 2024, a failed
    entry was identified by its place among the results, from 1; its prompt may contain its name. Such scores need
    no results: their entries are CATEGORY_0, CATEGORY_1, ... as in later versions. Results of July 2024, with
    entries numbered from 0 as ``idx`` or ``id``, get the same names.
    """

    name = "BFCL"
    suffixes = ("_score.json",)

    def recognizes(self, file: LogFile) -> bool:
        return {"accuracy", "correct_count", "total_count"} <= keys_at(file.head.lstrip().partition(b"\n")[0]).keys()

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(_log_of, files)


class _Line(msgspec.Struct):
    accuracy: Any = None
    correct_count: Any = None
    total_count: Any = None
    id: Any = None
    prompt: Any = None


class _Entry(msgspec.Struct):
    id: Any = None
    idx: Any = None


def _log_of(file: LogFile) -> Log:
    counts: _Line | None = None
    failed: dict[str | int, None] = {}
    match = _NAME.fullmatch(file.name)
    category = match[2] if match is not None else file.name
    # Whether all failed entries are identified by place; versions with names contain one in the file's name.
    numbered = match is not None and match[1] is None
    for where, line in rows_in(file, _Line):
        if counts is None:
            counts = line
            continue
        item = _entry_of(line)
        if item == "":
            raise wrong_log(where, 'a name as "id" is missing')
        failed[item] = None  # a turn that failed twice is listed twice
        numbered &= isinstance(line.id, int) and item in (line.id, f"{category}_{line.id - 1}")
    counts = counts or _Line()
    total, correct = count_in(counts.total_count), count_in(counts.correct_count)
    if total is None or correct is None:
        raise wrong_log(file.where, "the numbers of all and of correct entries are missing")
    if correct + len(failed) != total:
        what = f"expected {total - correct:,} failed entries, got {len(failed):,}"
        raise wrong_log(file.where, what)
    notes = []
    if not correct and all(isinstance(item, str) for item in failed):
        ids = [str(item) for item in failed]
    elif (results := _results_beside(file)) is not None:
        ids = _ids_in(results, category)
    elif numbered and total <= _MOST_NUMBERED:
        ids = [f"{category}_{number}" for number in range(total)]
        notes.append("has no results next to it, so its entries are numbered")
    else:
        raise _no_results(file)
    wrong = {_entry_at(item, ids) if isinstance(item, int) else item for item in failed}
    if len(ids) != total or len(wrong) != len(failed) or not wrong <= set(ids):
        strange = sorted(wrong - set(ids))
        what = f"expected the {total:,} entries of the scores among the results, got {len(ids):,}"
        what += f", without {listed(strange)}" if strange else ""
        raise wrong_log(file.where, what, "Take the results of this run.")
    records = RecordBuilder()
    for item in ids:
        records.add(item, scores={"correct": float(item not in wrong)})
    scores, aggregates = records.scores("correct"), aggregates_of({"mean": counts.accuracy}, total)
    return records.log(
        file.path,
        printable(folder_name(file.path.parent, _NO_SYSTEM)) or "unnamed",
        f"BFCL {printable(category)}",
        [LogMetric(name="correct", scores=scores, is_main=True, aggregates=aggregates, **SHARE)],
        facts={"version": match[1]} if match is not None and match[1] else {},
        named_by_path=True,
        notes=notes,
    )


def _entry_of(line: _Line) -> str | int:
    """Return the name of a failed entry, or its place among the results.

    The name in the prompt is more reliable than a place: numbers of entries may have gaps.
    """
    if not isinstance(line.id, int) or isinstance(line.id, bool):
        return name_in(line.id)
    name = line.prompt.get("id") if isinstance(line.prompt, dict) else None
    return name_in(name) if isinstance(name, str) and name else line.id


def _entry_at(number: int, ids: Sequence[str]) -> str:
    """Return the entry at a place from 1 if its own number from 0 agrees; otherwise the place as text.

    Results that are numbered from 0 without gaps are in the order of evaluation.
    """
    item = ids[number - 1] if 0 < number <= len(ids) else ""
    return item if item.endswith(f"_{number - 1}") else str(number)


def _results_beside(file: LogFile) -> LogFile | None:
    """Return the results that belong to scores; None if they are missing."""
    path = whole_path(file.path)
    parts = path.parent.parts
    indices = [index for index, part in enumerate(parts) if part in ("score", "scores")]
    folders = [Path(*parts[:index], parts[index].replace("score", "result"), *parts[index + 1 :]) for index in indices]
    names = [f"{prefix}{_stem(file)}_result.json" for prefix in ("", _FIRST)]
    candidates = (beside(folder, name) for folder in (*reversed(folders), path.parent) for name in names)
    return next(filter(None, candidates), None)


def _stem(file: LogFile) -> str:
    return file.name.removesuffix("_score.json")


def _no_results(file: LogFile) -> DataError:
    what = "the results next to the scores are missing; scores list only failed entries"
    advice = f"Put {_stem(file)}_result.json of this run into result/MODEL next to score/MODEL, or next to the scores."
    return wrong_log(file.where, what, advice, "no-results")


def _ids_in(file: LogFile, category: str) -> list[str]:
    """Return the names of the entries in results; numbered entries are named by their number."""
    ids: dict[str, None] = {}
    for where, entry in rows_in(file, _Entry):
        number_given = entry.idx if entry.id is None else entry.id
        number = count_in(number_given)
        item = name_in(number_given) if number is None else f"{category}_{number}"
        if not item or item in ids:
            raise wrong_log(where, 'expected a new name or number as "id" or "idx" on each line')
        ids[item] = None
    return list(ids)
