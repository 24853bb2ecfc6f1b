"""Conversions of JSON values in logs: numbers, texts, digests, facts, labels."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypedDict

import numpy as np

from outscore._types import FloatArray
from outscore.text.naming import printable
from outscore.wings.logs.base import Aggregate, Log, LogMetric, as_score, name_in

_MOST_LABELS, _LONGEST = 64, 200
_LONGEST_HEAD = 48
_NUMBER = re.compile(r"[-+]?[0-9.]+(e[-+]?\d+)?", re.IGNORECASE)
# Words in names of fields that hold answers or scores, which items share by chance.
ANSWERS = re.compile(
    r"(?<![a-z])(answers?|completion|correct|expected|final|gold|output|prediction|reference|response|result|score"
    r"|solution|target)(?![a-z])",
    re.IGNORECASE,
)


class Range(TypedDict):
    """The lowest and the highest score, as for `LogMetric`; None if unknown."""

    lowest: float | None
    highest: float | None


SHARE = Range(lowest=0.0, highest=1.0)
UNKNOWN = Range(lowest=None, highest=None)


def under(value: object, *keys: str) -> Any:
    """Return the value under nested keys; None if a key is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def text_in(value: object) -> str | None:
    """Return a text; None for other values."""
    return value if isinstance(value, str) else None


def name_of_text(text: object) -> str:
    """Return the name of a text that identifies an item: its beginning, and a digest to make it unique."""
    if not isinstance(text, str) or not text:
        return ""
    head = printable(" ".join(text[: 4 * _LONGEST_HEAD].split()))
    if len(head) > _LONGEST_HEAD:
        head = head[:_LONGEST_HEAD].rstrip() + "…"
    return f"{head} [{digest_of(text)[:10]}]"


def last_answer(messages: object) -> str | None:
    """Return the assistant's last text in a list of messages."""
    contents = (
        under(message, "content")
        for message in (reversed(messages) if isinstance(messages, list) else ())
        if under(message, "role") == "assistant"
    )
    return next((text for text in contents if isinstance(text, str)), None)


def number_in(value: object) -> float:
    """Return a number; NaN for truth values, texts and other values."""
    return math.nan if isinstance(value, bool | str) else as_score(value)


def count_in(value: object) -> int | None:
    """Return an integer of at least 0; None for other values."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def digest_of(content: str | bytes) -> str:
    """Return a digest of a text, "" for an empty text."""
    data = content.encode(errors="surrogatepass") if isinstance(content, str) else content
    return blake2b(data, digest_size=8).hexdigest() if data else ""


def filled(columns: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return the labels or digests that are set for any record."""
    return {name: column for name, column in columns.items() if any(column) or not column}


def facts_of(facts: Mapping[str, object]) -> dict[str, str]:
    """Return the facts that are short names or numbers."""
    return {name: shown for name, fact in facts.items() if (shown := name_in(fact)) and len(shown) <= _LONGEST}


def aggregates_of(values: Mapping[str, object], n: int | None = None, scale: float = 1.0) -> list[Aggregate]:
    """Return the harness's finite figures, by statistic."""
    numbers = {statistic: number_in(value) for statistic, value in values.items()}
    return [Aggregate(name, number, n, scale=scale) for name, number in numbers.items() if math.isfinite(number)]


def range_of(scores: FloatArray | None, lowest: float = 0.0, highest: float = 1.0) -> Range:
    """Return a range as for `LogMetric`, by default 0 to 1; None without scores, or if one is out of range."""
    if scores is None:
        return UNKNOWN
    given = scores[~np.isnan(scores)]
    if len(given) and not (lowest <= given.min() and given.max() <= highest):
        return UNKNOWN
    return {"lowest": lowest, "highest": highest}


def directed(
    name: str, scores: FloatArray, higher: bool | None, aggregates: Sequence[Aggregate] = (), *aliases: str
) -> list[LogMetric]:
    """Return a metric; or both directions of it as two metrics, if the log does not state its direction.

    Users then have to choose one, as the name of the metric is ambiguous.
    """
    if higher is not None:
        range_ = range_of(scores)
        return [
            LogMetric(
                name=name, scores=scores, higher_is_better=higher, aggregates=aggregates, aliases=aliases, **range_
            )
        ]
    return [
        LogMetric(
            name=f"{name}/{side}-is-better",
            title=f"{name} ({side} is better)",
            scores=scores,
            higher_is_better=side == "higher",
            aggregates=aggregates,
        )
        for side in ("higher", "lower")
    ]


class MetadataLabels:
    """Short texts, integers and truth values in the metadata of records, under common keys."""

    def __init__(self) -> None:
        self._columns: dict[str, list[str]] | None = None
        self._known: dict[str, str] = {}  # each label once

    def add(self, metadata: Mapping[str, Any]) -> None:
        """Add the metadata of the next record."""
        if self._columns is None:
            self._columns = {key: [] for key in list(metadata)[:_MOST_LABELS]}
        lost = []
        for key, labels in self._columns.items():
            label = _label(metadata.get(key))
            if label is None:
                lost.append(key)
            else:
                labels.append(self._known.setdefault(label, label))
        for key in lost:
            del self._columns[key]

    def telling(self, items: Sequence[str], but: str = "") -> dict[str, list[str]]:
        """Return, as ``metadata.KEY``, those that are neither constant nor unique to each of the items, one per record.

        `but` is a placeholder for omitted text, if there is one.
        """
        telling: dict[str, list[str]] = {}
        for key, labels in (self._columns or {}).items():
            n = len(set(labels))
            if but not in labels and 1 < n < len(set(zip(items, labels, strict=True))):
                telling[f"metadata.{printable(key)}"] = labels
        return telling

    def tells_apart(self, key: str, items: Sequence[str]) -> bool:
        """Return whether no two items have the same label."""
        labels = (self._columns or {}).get(key)
        return labels is not None and len(set(labels)) == len(set(items)) == len(set(zip(items, labels, strict=True)))


def proposed_labels(log: Log) -> list[str]:
    """Return the labels of a log that may be clusters or strata: neither answers nor measured numbers."""
    targets = log.digests.get("target")
    return [name for name, labels in log.labels.items() if not _holds_answers(name, labels, targets)]


def _holds_answers(name: str, labels: Sequence[str], targets: Sequence[str] | None) -> bool:
    if ANSWERS.search(name.rpartition(".")[2]):
        return True
    if all(map(_NUMBER.fullmatch, labels)) and any("." in label for label in labels):
        return True
    digests = {label: digest_of(label) for label in set(labels)} if targets else {}
    same = sum(digests[label] == target for label, target in zip(labels, targets or (), strict=False) if target)
    return 2 * same > len(labels)  # of most items


def _label(value: object) -> str | None:
    if isinstance(value, str):
        return printable(value) if 0 < len(value) <= _LONGEST else None
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) and abs(value) < 10**18 else None
