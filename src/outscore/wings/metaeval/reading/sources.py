"""Scores of people and of metrics from any source, and their joining by test set, item and system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from outscore._types import FloatArray
from outscore.data.coercion import LARGEST_NUMBER
from outscore.errors import DataError, Problem
from outscore.options import opt
from outscore.text.naming import listed, printable, quoted
from outscore.text.numbers import format_count, format_counted
from outscore.wings.metaeval.judgements import Judgements


class Key(NamedTuple):
    """What identifies an item in all sources. The document is part of it only if ids repeat across documents."""

    test_set: str
    item: str
    document: str = ""

    def __str__(self) -> str:
        return f"{self.document} {self.item}".strip()


@dataclass(frozen=True, eq=False)
class Source:
    """The scores of S systems on n items by one metric, or by people."""

    name: str  # the metric
    where: str  # where the scores are, for messages
    systems: Sequence[str]
    keys: Sequence[Key]
    values: FloatArray  # shape (S, n): NaN if there is no score
    # What the source knows of documents, or of the clusters that the user named.
    documents: Mapping[Key, str] = field(default_factory=dict)
    repeated: int = 0  # number of cells with several scores, which are averaged
    # The system scores that the metric itself computes.
    system_scores: Mapping[str, float] = field(default_factory=dict)

    def on(self, systems: Sequence[str], keys: Sequence[Key]) -> FloatArray:
        """Return the scores of these systems and items, NaN if there are none."""
        values = self.values
        if self.keys != keys:
            values = _taken(values.T, self.keys, keys).T
        return values if self.systems == systems else _taken(values, self.systems, systems)


def _taken(values: FloatArray, names: Sequence[object], wanted: Sequence[object]) -> FloatArray:
    """Return the rows of `wanted` among those of `known`, NaN where there is none."""
    index_of = {name: index for index, name in enumerate(names)}
    padded = np.append(values, np.full((1, values.shape[1]), np.nan), axis=0)
    return np.asarray(padded[[index_of.get(name, -1) for name in wanted]])


def joined(
    human: Source, metrics: Sequence[Source], *, labels: tuple[str, ...] = (), notes: Sequence[str] = ()
) -> list[Judgements]:
    """Return the judgements of each test set on all systems that people and all metrics score.

    Raises DataError if metrics have the same name, no system has all scores, a metric lacks scores of rated outputs, or
    an item is in two documents.
    """
    names = [source.name for source in metrics]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        what = f"two metrics are called {quoted(twice)}"
        raise DataError(Problem("metrics", what, "Give each its own name.", "duplicate-metric"))
    sources = (human, *metrics)
    every = [human.keys, *(source.keys for source in metrics if source.keys != human.keys)]
    keys = list(dict.fromkeys(key for keys_of_source in every for key in keys_of_source))
    documents = _documents(sources)
    repeated = sum(source.repeated for source in sources)
    notes_kept = [*notes]
    if repeated:
        notes_kept.append(f"{format_counted(repeated, 'output')} with several scores have their mean.")
    judgements, unrated = [], []
    for test_set in dict.fromkeys(key.test_set for key in keys):
        keys_of_set = [key for key in keys if key.test_set == test_set]
        if np.isfinite(human.on(human.systems, keys_of_set)).any():
            judgements.append(_of_test_set(human, metrics, keys_of_set, documents, labels))
        else:
            unrated.append(test_set or "scores")
    if not judgements:
        what = "expected human scores, got none"
        raise DataError(Problem(human.where, what, "Check that this is the right file.", "empty"))
    if unrated:
        notes_kept.append(f"Left out, because people rated nothing of them: {listed(unrated)}.")
    return [data.noting(notes_kept) for data in judgements]


def _of_test_set(
    human: Source, metrics: Sequence[Source], keys: Sequence[Key], documents: Mapping[Key, str], labels: tuple[str, ...]
) -> Judgements:
    rated, scored = _systems_in(human, keys), [_systems_in(source, keys) for source in metrics]
    systems = [system for system in rated if all(system in systems_scored for systems_scored in scored)]
    unrated = [
        system
        for system in dict.fromkeys(system_name for systems_scored in scored for system_name in systems_scored)
        if system not in rated
    ]
    lacking = [system for system in rated if system not in systems]
    name = keys[0].test_set or "scores"
    if not systems:
        what = "expected systems with scores of people and all metrics, got none"
        advice = "Check that systems have the same names everywhere."
        raise DataError(Problem(printable(keys[0].test_set or "metrics"), what, advice, "no-items"))
    values = human.on(systems, keys)
    matrices = {source.name: source.on(systems, keys) for source in metrics}
    for source in metrics:
        if not (np.isfinite(matrices[source.name]) & np.isfinite(values)).any():
            what = f"expected scores of rated outputs by {printable(source.name)}, got none"
            advice = "Check that items have the same ids everywhere."
            raise DataError(Problem(source.where, what, advice, "no-items"))
    for source, scores in ((human, values), *((source, matrices[source.name]) for source in metrics)):
        largest = float(np.nanmax(np.abs(scores), initial=0.0))
        if largest > LARGEST_NUMBER:
            what = f"expected numbers of at most {LARGEST_NUMBER:g} in size, got {largest:g}"
            raise DataError(Problem(source.where, what, "Scale the scores of all systems.", "out-of-scale"))
    whys = {"not all metrics score them": lacking, "people rated none of their outputs": unrated}
    return Judgements(
        name=printable(name),
        systems=tuple(map(printable, systems)),
        items=tuple(printable(str(key)) for key in keys),
        human=values,
        metrics=matrices,
        documents=tuple(printable(documents.get(key, "")) for key in keys) if documents else None,
        system_scores={
            source.name: np.array([source.system_scores[system] for system in systems])
            for source in metrics
            if all(system in source.system_scores for system in systems)
        },
        labels=labels,
        notes=tuple(
            f"Left out, because {why}: {listed(names_left_out)}."
            for why, names_left_out in whys.items()
            if names_left_out
        ),
    )


def _systems_in(source: Source, keys: Sequence[Key]) -> list[str]:
    """Return the systems with a score of one of the items."""
    values = source.on(source.systems, keys)
    return [system for system, scores in zip(source.systems, values, strict=True) if np.isfinite(scores).any()]


def _documents(sources: Sequence[Source]) -> dict[Key, str]:
    """Return the document of each item that has one in any source."""
    documents: dict[Key, tuple[str, str]] = {}
    for source in sources:
        for key, document in source.documents.items():
            document_before, where_before = documents.setdefault(key, (document, source.where))
            if document_before != document:
                raise in_two_documents(source.where, str(key), document, f"{document_before} in {where_before}")
    return {key: document for key, (document, _) in documents.items()}


def in_two_documents(where: str, item: str, first: str, second: str) -> DataError:
    """Return the error of an item in two documents or clusters."""
    what = f"item {quoted(item)} is in {quoted(first)} and in {quoted(second)}"
    advice = f"Name a column with one value per item, or pass {opt('clusters', 'none')}."
    return DataError(Problem(where, what, advice, "two-labels"))


def check_length(where: str, what_has: str, count: int, expected: int, advice: str = "") -> None:
    """Raise DataError unless there is one document or score per item."""
    if count != expected:
        what = f"expected {what_has} ({format_count(expected)}), got {format_count(count)}"
        raise DataError(Problem(where, what, advice, "wrong-length"))
