"""Logs of MT-bench: ``*_single.jsonl``, grades of single answers, and ``*_pair.jsonl``, verdicts on two."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
import numpy as np

from outscore.data.items import ItemTexts
from outscore.errors import OutscoreError
from outscore.text.naming import printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import beside, first_keys, first_of_items, rows_in
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, digest_of, facts_of, range_of, text_in

_JUDGES = re.compile(rb'"judge"\s*:\s*\[')
# The first question in the judge's input, before the answers.
_QUESTION = re.compile(r"(?:\[Question\]|### User:|\[User Question\])\n(.*?)\n\n(?:\[The Start|### |<\|The)", re.DOTALL)
_ANSWER = re.compile(r"\[The Start of Assistant's Answer\]\n(.*)\n\[The End of Assistant's Answer\]", re.DOTALL)
_TALK = re.compile(r"<\|The Start of Assistant A's Conversation with User\|>\n(.*)\n<\|The End", re.DOTALL)
_REFERENCE = re.compile(r"\[The Start of Reference Answer\]\n(.*?)\n\[The End of Reference Answer\]", re.DOTALL)
_WINNERS = ("model_1", "model_2", "tie")


class MTBench(LogFormat):
    """Judgements of FastChat's ``llm_judge``; one file holds all systems.

    An item is a turn of a question, "81 turn 1", and the two turns of a question are a cluster. Grades are 1 to 10;
    -1 means no grade, and is dropped if the answer was judged again. Verdicts on two answers exist for both orders:
    a win must be one in both, an error is no score, and everything else is a tie, half a win. Single grades were
    tested on real files, verdicts and grades on those of Stefanstud/FastChat at 1f5a7b8.
    """

    name = "MT-bench"

    def recognizes(self, file: LogFile) -> bool:
        if b'"question_id"' not in file.head or not _JUDGES.search(file.head):
            return False
        first = first_keys(file.head)
        keys, whole = first.keys(), first.is_whole
        if not keys >= {"question_id", "judge"} or "games" in keys:
            return False
        if keys >= {"model_1", "model_2"}:
            return not whole or bool(keys & {"g1_winner", "winner"})
        return "model" in keys and ("score" in keys if whole else bool(keys & {"score", "user_prompt", "judgment"}))

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            are_pairs = "model_1" in first_keys(file.head)
            yield from _pair_logs(file) if are_pairs else _single_logs(file)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        if log.metrics[0].name != "score":
            return {}  # prompts of verdicts contain both answers in an order that varies
        system_rows = (row for _, row in rows_in(log.file, _Grade) if name_in(row.model) == log.system)
        rows = ((_item(row, ""), text_in(row.user_prompt) or "") for row in system_rows)
        return {item: _texts_of(prompt) for item, prompt in first_of_items(rows, items)}


class _Row(msgspec.Struct, kw_only=True):
    question_id: Any = None
    turn: Any = 1
    judge: Any = None


class _Grade(_Row, kw_only=True):
    model: Any = None
    score: Any = None
    user_prompt: Any = None


class _Pair(_Row, kw_only=True):
    model_1: Any = None
    model_2: Any = None
    g1_winner: Any = None
    g2_winner: Any = None
    winner: Any = None
    g1_user_prompt: Any = None


class _Record(NamedTuple):
    item: str
    question: str
    turn: str
    digest: str
    score: float


def _gathered(metric: str, rows: Iterable[_Record]) -> RecordBuilder:
    records = RecordBuilder()
    for row in rows:
        labels = {"question": row.question, "turn": row.turn}
        records.add(row.item, scores={metric: row.score}, labels=labels, digests={"document": row.digest})
    return records


def _record(row: _Row, item: str, score: float, prompt: object) -> _Record:
    question = _QUESTION.search(prompt) if isinstance(prompt, str) else None
    return _Record(item, name_in(row.question_id), _turn(row), digest_of(question[1]) if question else "", score)


def _item(row: _Row, where: str) -> str:
    question, turn = name_in(row.question_id), _turn(row)
    if where and not question:
        raise wrong_log(where, 'expected a number or a name as "question_id"')
    if where and not turn:
        raise wrong_log(where, 'expected a number as "turn"')
    return f"{question} turn {turn}"


def _turn(row: _Row) -> str:
    """Return the turn; the first if the log has no turns."""
    return "1" if row.turn is None else name_in(row.turn)


def _judge(row: _Row) -> str:
    """Return the judge's model: the prompt next to it differs between questions."""
    return name_in(row.judge[0] if isinstance(row.judge, list) and row.judge else row.judge)


def _single_logs(file: LogFile) -> Iterable[Log]:
    systems: dict[tuple[str, str], list[_Record]] = {}
    for where, row in rows_in(file, _Grade):
        model = name_in(row.model)
        if not model:
            raise wrong_log(where, 'expected the name of a system as "model"')
        score = as_score(row.score)
        record = _record(row, _item(row, where), math.nan if score == -1 else score, row.user_prompt)
        systems.setdefault((model, _judge(row)), []).append(record)
    categories = _categories(file)
    for (model, judge), rows in systems.items():
        scored = {row.item for row in rows if not math.isnan(row.score)}
        records = _gathered("score", (row for row in rows if not math.isnan(row.score) or row.item not in scored))
        scores = records.scores("score")
        metric = LogMetric(name="score", scores=scores, is_main=True, **range_of(scores, 1.0, 10.0))
        notes = []
        if metric.lowest is None:
            notes.append(f"scores from {np.nanmin(scores):g} to {np.nanmax(scores):g} instead of 1 to 10")
        yield _log(file, model, judge, records, metric, categories, notes)


def _pair_logs(file: LogFile) -> Iterable[Log]:
    rows: list[tuple[str, str, str, _Pair]] = []
    shared: set[str] | None = None  # the system in every row: the baseline, if there is one
    for where, row in rows_in(file, _Pair):
        first, second = name_in(row.model_1), name_in(row.model_2)
        if not first or not second:
            raise wrong_log(where, 'expected names of systems as "model_1" and "model_2"')
        shared = {first, second} if shared is None else shared & {first, second}
        match = _QUESTION.search(text_in(row.g1_user_prompt) or "")
        row.g1_user_prompt = match[0] if match else ""  # answers are not kept
        rows.append((first, second, _item(row, where), row))
    shared = shared or set()
    seconds = {second for _, second, _, _ in rows}
    # The baseline is the second; if only two systems meet, it is that one.
    baseline = next(iter(shared & seconds if len(shared) > 1 else shared), "")
    systems: dict[tuple[str, str], list[_Record]] = {}
    for first, second, item, row in rows:
        won = _won(row)
        for model, opponent, score in ((first, second, won), (second, first, 1 - won)):
            if model == baseline:
                continue
            called = item if opponent == baseline else f"{item} against {opponent}"
            systems.setdefault((model, _judge(row)), []).append(_record(row, called, score, row.g1_user_prompt))
    categories = _categories(file)
    for (model, judge), games in systems.items():
        records = _gathered("win_rate", games)
        metric = LogMetric(name="win_rate", scores=records.scores("win_rate"), is_main=True, **SHARE)
        yield _log(file, model, judge, records, metric, categories, [], baseline)


def _won(row: _Pair) -> float:
    """Return the fraction of a win of the first system: a win in both orders, else a tie."""
    first, second = row.g1_winner, row.g2_winner
    if first is None and second is None:
        first = second = row.winner
    if first not in _WINNERS or second not in _WINNERS:
        return math.nan
    return 0.5 if first == "tie" or first != second else float(first == "model_1")


def _log(
    file: LogFile,
    system: str,
    judge: str,
    records: RecordBuilder,
    metric: LogMetric,
    categories: Mapping[str, str],
    notes: Sequence[str],
    baseline: str = "",
) -> Log:
    category_of = [categories.get(question) for question in records.labels["question"]]
    if any(category_of):
        records.labels["category"] = [category or "unknown" for category in category_of]
    bench = file.path.resolve().parent.parent.name
    return records.log(
        file.path,
        system,
        printable(bench) if bench.endswith("_bench") else "mt_bench",
        [metric],
        cluster="question",
        facts=facts_of({"judge": judge, "reference": baseline}),
        notes=notes,
    )


class _Question(msgspec.Struct):
    question_id: Any = None
    category: Any = None


def _categories(file: LogFile) -> Mapping[str, str]:
    """Return the category of each question from ``question.jsonl`` next to the judgements or in the parent folder."""
    folders = (file.path.parent, file.path.resolve().parent.parent)
    questions = next((path for folder in folders if (path := beside(folder, "question.jsonl")) is not None), None)
    categories: dict[str, str] = {}
    if questions is not None:
        with suppress(OutscoreError):  # judgements can be read without it
            for _, row in rows_in(questions, _Question):
                categories.setdefault(name_in(row.question_id), name_in(row.category))
    return categories


def _texts_of(prompt: str) -> ItemTexts:
    """Return the judge's input: the question, a reference, and the answer; for second turns, all of them."""
    reference, question = _REFERENCE.search(prompt), _QUESTION.search(prompt)
    answer = _ANSWER.search(prompt) or _TALK.search(prompt)
    return ItemTexts(
        question[1] if question else None, reference[1] if reference else None, answer[1].strip() if answer else None
    )
