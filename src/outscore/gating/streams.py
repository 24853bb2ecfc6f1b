"""A candidate whose items come one by one: its baseline, and the look that is counted."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import IO

from outscore.design.scores import Scores
from outscore.errors import DataError, Problem
from outscore.gating import stores
from outscore.gating.gates import (
    check_baseline,
    commit_at_work,
    look_at,
    looking,
    merged_systems,
    on_metrics,
    one_system,
    read_like,
    refuse_known,
)
from outscore.gating.results import GateOutcome, GateResult
from outscore.gating.sequential import SequentialGate
from outscore.gating.stores import StoredLook
from outscore.gating.streaming import StreamedItems, gate_stream
from outscore.questions.looks import GateRule, look_at_two
from outscore.readers.door import read_systems
from outscore.readers.kept.stored import store_path
from outscore.readers.reading import InMemory, Reading, Source, Work
from outscore.text.naming import printable


def baseline_scores(baseline: Source, metric: object, reading: Reading, work: Work | None = None) -> Scores:
    """Return the scores of a baseline, stored or not, without any candidate."""
    check_baseline(baseline)
    path = store_path(baseline)
    if path is not None:
        refuse_known(path, reading, streamed=True)
        return _stored(stores.read_store(path), path, metric)
    return one_system(read_systems([baseline], metric or None, reading, one_table=False, work=work)).paired()


def gate_streamed(
    baseline: Source,
    stream: IO[bytes],
    metric: object,
    reading: Reading,
    rule: GateRule,
    *,
    seed: int,
    commit: str | None = None,
    work: Work | None = None,
) -> GateResult:
    """Return what a gate says of the items of a stream, JSON lines or CSV, which is read until that is certain.

    A look at a stored baseline is counted when the first item has come, before it is looked at: one that is broken off
    is a look, too. Its scores join no average, as items may be lacking.

    Raises
    ------
    OptionError, NotApplicableError, DataError
        As `SequentialGate` and `StreamedItems`.
    """
    commit = commit_at_work(commit)
    path = store_path(baseline)
    if path is None:
        scores = baseline_scores(baseline, metric, reading, work)
        gate = SequentialGate(scores, rule, look_at_two(rule, commit), seed)
        return gate_stream(gate, _items(stream, scores, reading))
    with looking(path):
        return _at_stored(path, stream, metric, reading, rule, seed, commit)


def _at_stored(
    path: str, stream: IO[bytes], metric: object, reading: Reading, rule: GateRule, seed: int, commit: str | None
) -> GateResult:
    """Return what a gate says of a stream against a stored baseline; what holds no item is no look."""
    refuse_known(path, reading, streamed=True)
    store = stores.read_store(path)
    scores = _stored(store, path, metric)
    SequentialGate(scores, rule, look_at(store, rule, commit), seed)  # what it refuses, before anything is read
    items = iter(_items(stream, scores, read_like(store, reading)))
    first = next(items)
    with stores.locked(path):
        run, store = store.run, stores.read_store(path)
        if store.run != run:
            what = "another baseline took its place while the first item was waited for"
            raise DataError(Problem(printable(path), what, "Look again.", "other-baseline"))
        look = look_at(store, rule, commit)
        gate = SequentialGate(scores, rule, look, seed)
        entry = StoredLook(look.total, commit, "", look.level, GateOutcome.UNDECIDED)
        stores.write_store(store.with_look(entry, []), path)
    result = gate_stream(gate, chain([first], items))
    with stores.locked(path):
        store = stores.read_store(path)
        # Another baseline may have taken its place meanwhile.
        if len(store.looks) >= look.total and store.looks[look.total - 1] == entry:
            looks = [*store.looks]
            looks[look.total - 1] = replace(entry, outcome=result.outcome)
            stores.write_store(replace(store, looks=looks), path)
    return result


def _items(stream: IO[bytes], scores: Scores, reading: Reading) -> StreamedItems:
    return StreamedItems(stream, scores.metrics, id_column=reading.id_column, score_column=reading.score_column)


def _stored(store: stores.Store, path: str, metric: object) -> Scores:
    """Return the scores of a stored baseline alone."""
    sources = [InMemory(one) for one in stores.stored_systems(store, path, store.runs)]
    systems = read_systems(sources, store.reading.get("metric"), Reading(), one_table=False)
    return on_metrics(merged_systems(store, path, systems).paired(), metric)
