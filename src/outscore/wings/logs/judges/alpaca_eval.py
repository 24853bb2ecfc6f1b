"""Logs of AlpacaEval: ``annotations.json``, a judge's preference for each answer of a system."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from outscore.data.items import ItemTexts
from outscore.errors import OutscoreError
from outscore.text.naming import printable
from outscore.wings.logs.base import Aggregate, Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import beside, first_keys, first_of_items, rows_in
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, aggregates_of, digest_of, name_of_text, text_in

_KEYS = frozenset(("instruction", "generator_1", "generator_2", "preference"))


class AlpacaEval(LogFormat):
    """Annotations of AlpacaEval 1 and 2.

    An item is an instruction: logs have no ids, and rows have no fixed order. Its score is the preference less 1,
    so the mean is the win rate. A draw, 1.5 or in old files 0, is half a win; null is no score. The
    length-controlled win rate is not a mean of items, and is not available.
    """

    name = "AlpacaEval"

    def recognizes(self, file: LogFile) -> bool:
        if b'"output_1"' not in file.head and b'"generator_1"' not in file.head:
            return False
        keys = first_keys(file.head)
        # A first answer may be longer than the inspected bytes.
        is_cut = not keys.is_whole and file.name == "annotations.json"
        return keys.keys() >= _KEYS or (is_cut and keys.keys() >= {"instruction", "output_1"})

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            yield from _logs_of(file)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        texts: dict[str, ItemTexts] = {}
        rows = ((name_of_text(row.instruction), row) for _, row in rows_in(log.file, _Texts))
        for item, row in first_of_items(rows, items):
            answers = {name_in(row.generator_1): row.output_1, name_in(row.generator_2): row.output_2}
            answer = answers.get(log.system, row.output_2)
            target = row.output_1 if answer is not row.output_1 else row.output_2
            texts[item] = ItemTexts(text_in(row.instruction), text_in(target), text_in(answer))
        return texts


class _Row(msgspec.Struct):
    instruction: Any = None
    generator_1: Any = None
    generator_2: Any = None
    preference: Any = None
    annotator: Any = None
    dataset: Any = None


class _Texts(msgspec.Struct):
    instruction: Any = None
    output_1: Any = None
    generator_1: Any = None
    output_2: Any = None
    generator_2: Any = None


def _logs_of(file: LogFile) -> Iterable[Log]:
    """Yield the log in a file, or those of several systems, if files were concatenated."""
    rows = list(rows_in(file, _Row))
    if not rows:
        raise wrong_log(file.where, "expected one row per instruction, got none", slug="empty")
    by_system: dict[str, list[tuple[str, _Row]]] = {}
    for where, row in rows:
        by_system.setdefault(name_in(row.generator_2), []).append((where, row))
    folder = _system_folder(file, {name_in(row.annotator) for _, row in rows})
    names = {name_in(row.generator_1) for _, row in rows}
    if len(by_system) > 1 and names == {folder}:  # inverted, against several references
        by_system = {folder: [row for rows in by_system.values() for row in rows]}
    for generator, rows_of_system in by_system.items():
        yield _log_of(file, generator, folder if len(by_system) == 1 else "", rows_of_system)


def _system_folder(file: LogFile, annotators: Collection[str]) -> str:
    """Return the name of a system's folder: ``results/SYSTEM/ANNOTATOR/annotations.json``; "" of other places."""
    annotator = file.path.resolve().parent
    system = annotator.parent
    return system.name if annotator.name in annotators and system.parent.name == "results" else ""


def _log_of(file: LogFile, generator: str, folder: str, rows: Sequence[tuple[str, _Row]]) -> Log:
    references = {name_in(row.generator_1) for _, row in rows}
    reversed_ = bool(folder) and folder != generator and references == {folder}
    if reversed_:
        references = {name_in(row.generator_2) for _, row in rows}
    system = folder or generator
    if not system:
        raise wrong_log(rows[0][0], 'the name of the system as "generator_2" is missing')
    notes = []
    if reversed_:
        notes.append(f"generator_1 is {printable(system)}, so preferences are inverted")
    elif folder and generator != folder:
        notes.append(f"names the system {printable(generator) or 'nothing'}, and its folder {printable(folder)}")
    records = RecordBuilder()
    for where, row in rows:
        item = name_of_text(row.instruction)
        if not item:
            raise wrong_log(where, 'expected text as "instruction"')
        score = _score(row.preference, where)
        records.add(
            item,
            scores={"win_rate": 1 - score if reversed_ else score},
            labels={"dataset": name_in(row.dataset)},
            digests={"document": digest_of(row.instruction)},
        )
    if not all(records.labels["dataset"]) or len(set(records.labels["dataset"])) == 1:
        records.labels.clear()
    annotators = sorted({name_in(row.annotator) for _, row in rows} - {""})
    annotator = ", ".join(annotators[:3]) or printable(file.path.resolve().parent.name)
    aggregates = _of_leaderboard(file, annotator, (system, generator))
    metric = LogMetric(name="win_rate", scores=records.scores("win_rate"), is_main=True, aggregates=aggregates, **SHARE)
    facts = {"judge": annotator, "reference": ", ".join(sorted(references - {""})[:3])}
    return records.log(file.path, system, annotator, [metric], facts=facts, notes=notes)


def _score(preference: object, where: str) -> float:
    """Return the fraction of a win of a preference, NaN if the judge has none."""
    value = as_score(preference)
    if math.isnan(value):
        return value
    if value == 0:
        return 0.5  # draws in old files
    if not 1 <= value <= 2:
        raise wrong_log(where, f'expected a "preference" from 1 to 2, got {value:g}')
    return value - 1


def _of_leaderboard(file: LogFile, annotator: str, names: Sequence[str]) -> Sequence[Aggregate]:
    """Return AlpacaEval's own table entry of a system, if it exists next to the log or above it."""
    row: Mapping[str, str] | None = None
    for board in _leaderboards(file, annotator):
        try:
            table = csv.reader(io.StringIO(board.data.decode(errors="replace")))
            columns = next(table, [])
            by_name = {line[0]: dict(zip(columns, line, strict=False)) for line in table if line}
        except (OutscoreError, csv.Error):
            continue  # the log itself is complete
        row = next((by_name[name] for name in names if name in by_name), None)
        if row is not None:
            break
    if row is None:
        return ()
    n = as_score(row.get("n_total"))
    values = {"mean": as_score(row.get("win_rate")), "stderr": as_score(row.get("standard_error"))}
    return aggregates_of(values, int(n) if math.isfinite(n) else None, scale=100.0)


def _leaderboards(file: LogFile, annotator: str) -> Iterable[LogFile]:
    """Yield the tables of this annotator, from the log's folder up to the named folder."""
    folder = file.path.parent
    above = (folder, *folder.parents)
    folders = above[: above.index(file.root) + 1] if file.root in above else above[:1]
    tables = [
        beside(folder, "leaderboard.csv"),
        *(beside(parent, f"{annotator}_leaderboard.csv") for parent in folders),
    ]
    yield from (board for board in tables if board is not None)
