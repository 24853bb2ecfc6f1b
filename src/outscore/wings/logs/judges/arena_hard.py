"""Logs of Arena-Hard: ``model_judgment/JUDGE/SYSTEM.jsonl``, two verdicts per prompt, one in each order."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from outscore.data.items import ItemTexts
from outscore.text.naming import printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, name_in, wrong_log
from outscore.wings.logs.files import first_keys, first_of_items, rows_in
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, digest_of, facts_of, text_in, under

# The score of a verdict for assistant A.
_WORTH = {"A>>B": 1.0, "A>B": 0.75, "A=B": 0.5, "A<B": 0.25, "A<<B": 0.0}
_WORTH |= {verdict[::-1].translate(str.maketrans("<>", "><")): worth for verdict, worth in _WORTH.items()}
_PROMPT = re.compile(r"<\|User Prompt\|>\n(.*?)\n\n<\|The Start of ", re.DOTALL)
_ANSWERS = {
    who: re.compile(
        rf"<\|The Start of Assistant {who}'s Answer\|>\n(.*)\n<\|The End of Assistant {who}'s Answer\|>", re.DOTALL
    )
    for who in "AB"
}


class ArenaHard(LogFormat):
    """Judgements of Arena-Hard-Auto, v0.1 and v2.0.

    An item is a prompt. The system is assistant B in the first game and A in the second. Its score is the mean of
    both, with verdicts as 1 (much better), 0.75, 0.5 (a tie), 0.25 or 0. Without a verdict in one game there is no
    score. "win_rate" counts all wins alike. The harness's own figure differs from both: it counts a clear verdict
    three times, in a mean or in a Bradley-Terry fit. Each category of v2.0 is a separate task, as it has its own
    baseline. v0.1 was tested on files of forks (qwopqwop200/ko-arena-hard-auto at 9d13932, with only verdicts, and
    zeppombal/arena-hard-auto at dff24ac); v2.0 is untested on real files.
    """

    name = "Arena-Hard"

    def recognizes(self, file: LogFile) -> bool:
        if b'"games"' not in file.head:
            return False
        keys = first_keys(file.head).keys()
        return keys >= {"model", "games"} and bool(keys & {"question_id", "uid"})

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            yield from _logs_of(file)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        texts: dict[str, ItemTexts] = {}
        rows = (row for _, row in rows_in(log.file, _Row) if name_in(row.model) == log.system)
        for item, row in first_of_items(((_item(row), row) for row in rows), items):
            prompt = _prompt_of(row.games)
            parts = (pattern.search(prompt) for pattern in (_PROMPT, _ANSWERS["A"], _ANSWERS["B"]))
            texts[item] = ItemTexts(*(part[1] if part else None for part in parts))
        return texts


class _Game(msgspec.Struct):
    score: Any = None
    user_prompt: Any = None
    prompt: Any = None


class _Row(msgspec.Struct):
    question_id: Any = None
    uid: Any = None
    model: Any = None
    judge: Any = None
    category: Any = None
    baseline: Any = None
    games: list[_Game | None] | None = None


def _item(row: _Row) -> str:
    return name_in(row.uid) or name_in(row.question_id)


def _logs_of(file: LogFile) -> Iterable[Log]:
    logs = defaultdict[tuple[str, str, str], RecordBuilder](RecordBuilder)
    baselines = defaultdict[tuple[str, str, str], set[str]](set)
    for where, row in rows_in(file, _Row):
        item, model = _item(row), name_in(row.model)
        if not item:
            raise wrong_log(where, 'expected a name as "uid" or "question_id"')
        if not model:
            raise wrong_log(where, 'expected the name of a system as "model"')
        judge = name_in(row.judge) or printable(file.path.resolve().parent.name)
        key = model, _task(name_in(row.category)), judge
        worth = _worth_of(row.games)
        scores = {"score": sum(worth), "win_rate": sum((1 + np.sign(points - 0.5)) / 2 for points in worth)}
        question = _PROMPT.search(_prompt_of(row.games))
        logs[key].add(
            item,
            scores={name: score / 2 if worth else math.nan for name, score in scores.items()},
            digests={"document": digest_of(question[1]) if question else ""},
        )
        baselines[key] |= {name_in(row.baseline)} - {""}
    for (model, task, judge), records in logs.items():
        metrics = [
            LogMetric(name=name, scores=records.scores(name), is_main=name == "score", **SHARE)
            for name in ("score", "win_rate")
        ]
        facts = facts_of({"judge": judge, "reference": ", ".join(sorted(baselines[model, task, judge])[:3])})
        yield records.log(file.path, model, task, metrics, facts=facts)


def _task(category: str) -> str:
    """Return the task: v0.1 is a single one, v2.0 has a leaderboard per category."""
    if not category or category.startswith("arena-hard"):
        return category or "arena-hard-v0.1"
    return f"arena-hard-v2.0/{category}"


def _worth_of(games: Sequence[_Game | None] | None) -> Sequence[float]:
    """Return the scores of the two verdicts for the system, as B and then as A; empty if one is missing."""
    if games is None or len(games) != 2:
        return ()
    verdicts = [None if game is None else game.score for game in games]
    first, second = (_WORTH.get(verdict) if isinstance(verdict, str) else None for verdict in verdicts)
    return () if first is None or second is None else (1 - first, second)


def _prompt_of(games: Sequence[_Game | None] | None) -> str:
    """Return the judge's input in the first game: text in v0.1, messages in v2.0."""
    game = games[0] if games else None
    if game is None:
        return ""
    if isinstance(game.user_prompt, str):
        return game.user_prompt
    last = game.prompt[-1] if isinstance(game.prompt, list) and game.prompt else None
    return text_in(under(last, "content")) or ""
