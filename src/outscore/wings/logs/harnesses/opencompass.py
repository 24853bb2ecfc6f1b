"""Logs of OpenCompass: ``results/MODEL/DATASET.json`` with details, if these were dumped."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.text.naming import printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, json_in, name_in, wrong_log
from outscore.wings.logs.files import first_of_items
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, aggregates_of, digest_of, number_in

_DETAILS = re.compile(rb'"details"\s*:\s*[\[{]')
_IS_RIGHT = re.compile(rb'"(?:is_|cascade_)?correct"\s*:')
_OWN_KEYS = re.compile(rb'"(?:example_abbr|origin_prediction)"\s*:')
_AVERAGE = re.compile(r"(?:accuracy|score)(?: \(\d+ runs average\))?")


class OpenCompass(LogFormat):
    """Results of OpenCompass with details: a question is an item, correct or incorrect.

    Replicas of a question are samples. Based on the code of OpenCompass 0.5; untested on real files.
    """

    name = "OpenCompass"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        head = file.head
        if not head.lstrip().startswith(b"{") or not _DETAILS.search(head) or not _IS_RIGHT.search(head):
            return False
        return file.path.parent.parent.name == "results" or _OWN_KEYS.search(head) is not None

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(_log_of, files)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        return {
            item: ItemTexts(
                _first(detail.prompt, detail.origin_prompt),
                _first(detail.references, detail.answer, detail.gold),
                _first(detail.predictions, detail.pred, detail.prediction),
            )
            for item, detail in first_of_items(_details(_contents(log.file), log.file.where), items)
        }


class _Detail(msgspec.Struct):
    correct: Any = None
    is_correct: Any = None
    cascade_correct: Any = None
    example_abbr: Any = None
    prompt: Any = None
    origin_prompt: Any = None
    references: Any = None
    answer: Any = None
    gold: Any = None
    predictions: Any = None
    pred: Any = None
    prediction: Any = None


def _first(*values: object) -> str | None:
    """Return the first text among values, or within them."""
    for value in values:
        while isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, Mapping):
            value = value.get("prompt")
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
    return None


def _contents(file: LogFile) -> Mapping[str, msgspec.Raw]:
    contents: Mapping[str, msgspec.Raw] = file.json(dict[str, msgspec.Raw], bare_as_null=True)
    return contents


def _details(contents: Mapping[str, msgspec.Raw], where: str) -> Iterator[tuple[str, _Detail]]:
    """Yield the details with the names of questions, at least their numbers."""
    pairs: Iterable[tuple[object, msgspec.Raw]]
    details = bytes(contents.get("details", b"null"))
    if details.lstrip().startswith(b"["):
        pairs = enumerate(json_in(details, where, list[msgspec.Raw]))
    else:  # their kind may be listed with them
        by_key = json_in(details, where, dict[str, msgspec.Raw])
        pairs = ((key, raw) for key, raw in by_key.items() if bytes(raw).lstrip().startswith(b"{"))
    for key, raw in pairs:
        number = printable(str(key))
        detail = json_in(bytes(raw), f"{where}: details[{number}]", _Detail)
        yield name_in(detail.example_abbr) or number, detail


def _log_of(file: LogFile) -> Log:
    contents = _contents(file)
    records = RecordBuilder()
    for item, detail in _details(contents, file.where):
        right = next(
            (flag for flag in (detail.correct, detail.is_correct, detail.cascade_correct) if flag is not None), None
        )
        replicas = right if isinstance(right, list) else [right]
        digests = {
            "target": _digest(detail.references, detail.answer, detail.gold),
            "prompt": _digest(detail.prompt, detail.origin_prompt),
        }
        for replica, detail_of_replica in enumerate(replicas):
            score = math.nan if isinstance(detail_of_replica, str) else as_score(detail_of_replica)
            records.add(item, str(replica), {"accuracy": score}, digests=digests)
    if not records:
        raise wrong_log(file.where, "expected details of questions, got none", slug="empty")
    averages = [json_in(bytes(raw), file.where) for name, raw in contents.items() if _AVERAGE.fullmatch(name)]
    metric = LogMetric(
        name="accuracy",
        scores=records.scores("accuracy"),
        is_main=True,
        aggregates=aggregates_of({"mean": next(filter(math.isfinite, map(number_in, averages)), None)}, scale=100.0),
        explanation="the evaluator of this dataset has its own score",
        **SHARE,
    )
    system, task = printable(file.path.resolve().parent.name), printable(file.name.removesuffix(".json"))
    return records.log(file.path, system, task, [metric], runs_are=RunDesign.SAMPLES)


def _digest(*values: object) -> str:
    value = next((value for value in values if value is not None), None)
    return "" if value is None else digest_of(repr(value))
