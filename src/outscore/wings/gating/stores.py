"""The file of a baseline: its scores, a digest of its test set, and every check against it. It holds no texts."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from outscore._types import FloatArray
from outscore._version import __version__
from outscore.data.cells import Cells
from outscore.data.pairing import labels_of
from outscore.data.rows import Labels, Missing, Rows, RunDesign
from outscore.design.options import options_of_function
from outscore.design.runs import Runs
from outscore.design.scores import Systems
from outscore.design.settling import Declaration
from outscore.design.strata import StratumWeights
from outscore.destinations import cannot_write, file_destination
from outscore.errors import DataError, FileAccessError, OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.metrics.base import AnyOutputMetric
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.readers.files import read_bytes
from outscore.readers.kept.stored import STORE_SCHEMA, StoredSystem, damaged_store, is_newer_store
from outscore.text.naming import printable, quoted
from outscore.wings.gating.results import GateOutcome

if TYPE_CHECKING:
    from outscore.readers.kept.rows import KeptRows

_SECONDS_TO_WAIT = 600.0  # for another check against the same baseline
_SECONDS_BETWEEN_TRIES = 0.05  # short beside a check, and 20 system calls a second
_CONFLICT = re.compile(rb"^<{7} ", re.MULTILINE)
MOST_COMMITS = 20  # whose runs are kept, so that repeated runs are averaged


@dataclass(frozen=True)
class StoredRun:
    """One run of a system."""

    name: str
    # The values of the rows, column by column; null if an item is missing from the run.
    columns: list[list[list[int | float | None]]]


@dataclass(frozen=True)
class StoredMetric:
    """A metric, and the items of its rows."""

    spec: str  # the metric as users write it
    higher_is_better: bool
    statistics: list[str]  # the meaning of the k columns
    # Ids of the items; "first" for those of the first metric; None if items are paired by position.
    items: list[str] | Literal["first"] | None
    # For a metric of outputs: its options, the versions that computed the rows, and the digest of the references.
    kept: dict[str, Any] | None = None


@dataclass(frozen=True)
class StoredLook:
    """One check against the baseline."""

    look: int  # the number of the check, from 1, over all checks against this baseline
    commit: str | None
    run: str  # the digest of the candidate's scores
    level: float  # the level of the check
    outcome: GateOutcome
    candidate: str = ""  # the name of the candidate


@dataclass(frozen=True)
class StoredCommit:
    """The runs of a commit, to which repeated runs are added."""

    commit: str
    runs: list[StoredRun]  # runs on the baseline's items, in their order


class StoredDesign(TypedDict, total=False):
    """The kinds of the runs and strata of the systems; a missing key means that it was not declared."""

    runs: RunDesign
    paired_runs: bool
    weights: str | dict[str, str]
    collapse_strata: bool


# Options by which systems are read that are not stored. Labels are stored with the items; whether links are followed
# and items left out is decided at each check.
_NOT_STORED = {"clusters", "strata", "collapse_strata", "weights", "test_sets", "families", "names", "human", "judge"}
_NOT_STORED |= {"follow_links", Missing.DROP.argument}
_SEVERAL: Mapping[str, Any] = {"references": list[str], "task": str | list[str], "total": int | str}
STORED_OPTIONS: Mapping[str, Any] = {"metric": list[str]} | {
    argument: _SEVERAL.get(argument, bool if option.annotation == "bool" else str)
    for argument, option in options_of_function("read").items()
    if argument not in _NOT_STORED
}

if TYPE_CHECKING:
    StoredReading = dict[str, Any]
else:
    StoredReading = TypedDict("StoredReading", STORED_OPTIONS, total=False)
    StoredReading.__doc__ = "The options by which systems are read; a missing key has its default."


@dataclass(frozen=True)
class Store:
    """A baseline and all checks against it."""

    outscore: str  # the version that wrote the file
    system: str  # the name of the baseline
    commit: str | None
    run: str  # the digest of the baseline's scores
    digest: str  # SHA-256 of the test set: the ids of its items, with references, or documents and targets of logs
    declared: StoredDesign  # the kinds of the runs and strata of the systems
    reading: StoredReading  # the options by which systems are read
    labels: dict[str, list[str]]  # clusters, strata and test sets, one label per item
    metrics: list[StoredMetric]
    runs: list[StoredRun]  # the runs of the baseline
    looks: list[StoredLook] = field(default_factory=list)
    commits: list[StoredCommit] = field(default_factory=list)  # the newest last
    # The digests of the scores of earlier baselines and of candidates checked against them.
    former: list[str] = field(default_factory=list)
    schema: Literal["outscore/gate-store/1", "outscore/gate-store/2"] = STORE_SCHEMA

    @property
    def random_or_fixed(self) -> RunDesign | None:
        """The kind of several runs of the baseline; None if it has one run."""
        return self.declared.get("runs")

    @property
    def items_by_metric(self) -> list[list[str] | None]:
        """The ids of the items of each metric; None if items are paired by position."""
        first = self.metrics[0].items
        return [first if metric.items == "first" else metric.items for metric in self.metrics]  # type: ignore[misc]

    @property
    def n_items(self) -> int:
        """Number of the baseline's items on its first metric."""
        return len(self.runs[0].columns[0][0])

    def looks_at(self, commit: str | None) -> list[StoredLook]:
        """Return the checks of a commit; empty if it is unknown."""
        return [look for look in self.looks if commit is not None and look.commit == commit]

    def runs_of(self, commit: str | None) -> Sequence[StoredRun]:
        """Return the runs of a commit that are kept."""
        return [
            run
            for kept_commit in self.commits
            if kept_commit.commit == commit and commit is not None
            for run in kept_commit.runs
        ]

    def with_look(self, look: StoredLook, runs: Sequence[StoredRun]) -> Store:
        """Return the store with one more check; its scores are kept if their commit is known."""
        store = replace(self, looks=[*self.looks, look])
        named = [replace(run, name=f"{look.look}.{number}") for number, run in enumerate(runs, start=1)]
        earlier_runs = [*self.runs_of(look.commit), *named]
        if look.commit is None or not earlier_runs:
            return store
        others = [commit for commit in self.commits if commit.commit != look.commit]
        return replace(store, commits=[*others, StoredCommit(look.commit, earlier_runs)][-MOST_COMMITS:])

    def taking_the_place_of(self, old: Store) -> Store:
        """Return the store with the digests of an older baseline and of the candidates checked against it."""
        seen = [*old.former, old.run, *(look.run for look in old.looks if look.run)]
        return replace(self, former=list(dict.fromkeys(seen)))

    def continuing(self, old: Store) -> Store:
        """Return the store with the checks of an older one of the same scores, whose items may be in another order."""
        orders: list[list[int] | None] = []
        for items, old_items in zip(self.items_by_metric, old.items_by_metric, strict=True):
            if items is None or old_items is None or items == old_items:
                orders.append(None)
                continue
            index_of = {item: index for index, item in enumerate(old_items)}
            orders.append([index_of[item] for item in items])
        commits = [
            replace(commit, runs=[replace(run, columns=_reordered(run.columns, orders)) for run in commit.runs])
            for commit in old.commits
        ]
        return replace(self, looks=old.looks, commits=commits, former=old.former)


def _reordered(
    metrics: list[list[list[int | float | None]]], orders: Sequence[list[int] | None]
) -> list[list[list[int | float | None]]]:
    """Return the columns of every metric, with its items, in their order."""
    return [
        columns if order is None else [[column[index] for index in order] for column in columns]
        for columns, order in zip(metrics, orders, strict=True)
    ]


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Lock a baseline while it is read and written, so that no check is lost. No lock file is left behind.

    A FileAccessError is raised if the lock cannot be acquired.
    """
    try:
        name = f"{Path(path).resolve()}.lock"
        if not Path(name).parent.is_dir():
            raise FileNotFoundError(2, "no such file or directory")
        release = _lock(name)
    except TimeoutError:
        what = f"another process has held the lock for {_SECONDS_TO_WAIT:g} seconds"
        raise FileAccessError(Problem(printable(path), what, "Try again later.", "locked")) from None
    except (OSError, ValueError) as error:
        raise cannot_write(path, "-o", error) from None
    try:
        yield
    finally:
        release()


def _lock(name: str) -> Callable[[], None]:
    """Lock a file, and return a function that removes and unlocks it. Raise TimeoutError if it stays locked."""
    if sys.platform == "win32":
        from filelock import FileLock

        lock = FileLock(name, timeout=_SECONDS_TO_WAIT)  # Timeout is a TimeoutError; releasing removes the file
        lock.acquire()
        return lock.release
    import fcntl

    last = time.monotonic() + _SECONDS_TO_WAIT
    while True:
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The process that held the lock removed the file before it unlocked it, and others may lock a new one.
            if os.path.samestat(os.fstat(handle), os.stat(name)):  # noqa: PTH116
                return partial(_remove_and_close, name, handle)
        except (BlockingIOError, FileNotFoundError):
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if time.monotonic() > last:
            raise TimeoutError
        time.sleep(_SECONDS_BETWEEN_TRIES)


def _remove_and_close(name: str, handle: int) -> None:
    with suppress(OSError):
        Path(name).unlink()
    os.close(handle)


def read_store(path: str) -> Store:
    """Return the baseline in a file. Damaged files, and those of newer versions, are refused."""
    import msgspec

    data = read_bytes(path)
    try:
        store = msgspec.json.decode(data, type=Store)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        if _CONFLICT.search(data):
            what, advice = "has an unresolved merge conflict", "Keep the side with more checks."
            raise DataError(Problem(printable(path), what, advice, "bad-store")) from None
        if is_newer_store(data):
            what = "was written by a newer version of outscore"
            raise DataError(Problem(printable(path), what, "Install that version.", "newer-store")) from None
        reason = " ".join(str(error).split())
        raise damaged_store(path, f"expected a baseline written by outscore gate accept, got: {reason}") from None
    _check_keys(data, path)
    _check(store, path)
    return store


def _check_keys(data: bytes, path: str) -> None:
    """Refuse objects with duplicate keys: programs differ in which value they use."""

    def unique(pairs: list[tuple[str, object]]) -> None:
        counts = Counter(key for key, _ in pairs)
        twice = next((key for key, count in counts.items() if count > 1), None)
        if twice is not None:
            raise damaged_store(path, f"expected each key once, got {quoted(twice)} twice")

    try:
        json.loads(data, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:  # also in skipped parts: bytes that are not UTF-8, deep nesting
        raise damaged_store(path, f"expected JSON, got: {error}") from None


def _check(store: Store, path: str) -> None:
    """Refuse a baseline whose parts do not match."""
    if not store.metrics or not store.runs:
        raise damaged_store(path, "expected a metric and a run, got none")
    for run in (*store.runs, *(run for commit in store.commits for run in commit.runs)):
        if len(run.columns) != len(store.metrics):
            raise damaged_store(path, f"run {run.name!r} has {len(run.columns)} metrics of {len(store.metrics)}")
        for metric, columns in zip(store.metrics, run.columns, strict=True):
            if len(columns) != len(metric.statistics) or len({len(column) for column in columns}) != 1:
                raise damaged_store(path, f"rows of {metric.spec} that do not fit its statistics")
    for metric, items, columns in zip(store.metrics, store.items_by_metric, store.runs[0].columns, strict=True):
        if items is not None and len(items) != len(columns[0]):
            raise damaged_store(path, f"{len(items)} items with {len(columns[0])} rows of {metric.spec}")
    for name, runs in (("runs", store.runs), *((commit.commit, commit.runs) for commit in store.commits)):
        if len({run.name for run in runs}) < len(runs):
            raise damaged_store(path, f"expected each run once, got one twice under {quoted(name)}")
    for items in store.items_by_metric:
        if items is not None and len(set(items)) < len(items):
            twice = next(item for item, count in Counter(items).items() if count > 1)
            raise damaged_store(path, f"expected each item once, got {quoted(twice)} twice")
    if len({commit.commit for commit in store.commits}) < len(store.commits):
        raise damaged_store(path, "expected each commit once, got one twice")
    for look in store.looks:
        if not 0 <= look.level < 1:  # 0 if nothing of alpha was left
            what = f"expected a level of check {look.look} from 0 to less than 1, got {look.level:g}"
            raise damaged_store(path, what)
    if [look.look for look in store.looks] != list(range(1, len(store.looks) + 1)):
        raise damaged_store(path, "checks are not numbered from 1")
    try:
        stored_declaration(store)
    except (ValueError, ZeroDivisionError):
        raise damaged_store(path, "weights of strata are not fractions") from None
    n = store.n_items
    for name, labels in store.labels.items():
        if len(labels) != n:
            raise damaged_store(path, f"{len(labels)} labels of {n} items under {name!r}")


def write_store(store: Store, path: str) -> None:
    """Write a baseline atomically, one line per check and run, so that versions can be compared.

    A FileAccessError is raised if the file cannot be written.
    """
    import msgspec

    parts: dict[str, Any] = msgspec.to_builtins(replace(store, schema=STORE_SCHEMA))
    lines = [f'"schema": {json.dumps(parts.pop("schema"))}']
    for key, value in parts.items():
        if isinstance(value, list) and value:
            rows = ",\n  ".join(_line(entry) for entry in value)
            lines.append(f'"{key}": [\n  {rows}\n ]')
        else:
            lines.append(f'"{key}": {_line(value)}')
    text = "{\n " + ",\n ".join(lines) + "\n}\n"
    with file_destination(path) as write:
        write(text.encode())


def _line(value: object) -> str:
    return json.dumps(value, allow_nan=False, separators=(", ", ": "))


def store_of(systems: Systems, name: str, commit: str | None, reading: StoredReading) -> Store:
    """Return a system, with its samples reduced, as a baseline. Some designs and rows of metrics cannot be stored."""
    declared = systems.declared
    for factor in declared.crossed:
        if not isinstance(factor, Runs):
            what, advice = (
                f"a baseline with {factor.plural} cannot be stored",
                f"Gate on one {factor.name}, or on two systems.",
            )
            raise OptionError(Problem(opt(factor.name), what, advice, "not-storable"))
    rows = [rows_of_metric for (rows_of_metric,) in systems.rows]
    labels = {
        called: list(labels_of(rows_of_metric.with_ids_of(rows[0]), rows[0]))
        for called, rows_of_metric in (
            ("clusters", systems.clusters),
            ("other_clusters", systems.other_clusters),
            ("strata", systems.strata),
            ("test_sets", systems.test_sets),
        )
        if rows_of_metric is not None
    }
    stored_design: StoredDesign = {}
    runs = declared.get(Runs)
    if runs is not None and runs.claim is not RunDesign.SAMPLES:
        stored_design["runs"] = runs.claim
        stored_design["paired_runs"] = runs.paired
    if declared.weights is not None:
        by_name = declared.weights
        stored_design["weights"] = (
            by_name if isinstance(by_name, str) else {key: str(share) for key, share in by_name.items()}
        )
    if systems.strata is not None and systems.strata.collapse:
        stored_design["collapse_strata"] = True
    return Store(
        outscore=__version__,
        system=name,
        commit=commit,
        run=run_digest(rows),
        digest=test_set_digest(systems),
        declared=stored_design,
        reading=reading,
        labels=labels,
        metrics=[
            _metric(metric, row, first=rows[0] if index else None)
            for index, (metric, row) in enumerate(zip(systems.metrics, rows, strict=True))
        ],
        runs=stored_runs(rows),
    )


def test_set_digest(systems: Systems) -> str:
    """Return the SHA-256 of a test set: its item ids, with references, or documents and targets."""
    digest = hashlib.sha256()
    for metric, (first_rows, *_) in zip(systems.metrics, systems.rows, strict=True):
        ids = [f"{len(first_rows)} items by position"] if first_rows.item_ids is None else sorted(first_rows.item_ids)
        digest.update("\n".join([describe_metric(metric).spec, *ids]).encode(errors="surrogatepass"))
        if isinstance(metric, AnyOutputMetric) and metric.origin.digest is not None:
            references = metric.origin.digest()
            digest.update((references.by_id or references.in_order).encode())
    if systems.fingerprint is not None:
        digest.update(systems.fingerprint().encode())
    return digest.hexdigest()


test_set_digest.__test__ = False  # type: ignore[attr-defined]


def run_digest(rows: Sequence[Rows]) -> str:
    """Return the SHA-256 of a system's scores, sorted by item id; repeated reads of a run have the same digest."""
    digest = hashlib.sha256()
    for row in rows:
        values = row.values if row.cells is None else row.cells.values
        if row.item_ids is not None:
            order = sorted(range(len(row)), key=row.item_ids.__getitem__)
            values = values[..., order, :]
            digest.update("\n".join(row.item_ids[index] for index in order).encode(errors="surrogatepass"))
        digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
    return digest.hexdigest()


def stored_runs(rows: Sequence[Rows]) -> list[StoredRun]:
    """Return the runs of a system, from its rows on every metric."""
    first = rows[0].cells
    if first is None:
        return [StoredRun("1", [_columns(row.values) for row in rows])]
    (runs,) = first.axes
    return [
        StoredRun(name, [_columns((row.cells or first).values[run]) for row in rows])
        for run, name in enumerate(runs.levels)
    ]


def _columns(values: FloatArray) -> list[list[int | float | None]]:
    """Return the rows column by column: integers without a decimal point, null for NaN."""
    columns: list[list[int | float | None]] = []
    for column in np.asarray(values, dtype=np.float64).T:
        if np.isfinite(column).all() and (column == np.rint(column)).all() and (np.abs(column) < 2**53).all():
            columns.append([int(cell) for cell in column.tolist()])
        else:
            columns.append([None if np.isnan(cell) else cell for cell in column.tolist()])
    return columns


def _values(columns: Sequence[Sequence[int | float | None]]) -> FloatArray:
    return np.array([[np.nan if cell is None else cell for cell in column] for column in columns], dtype=np.float64).T


def _metric(metric: AnyMetric, rows: Rows, *, first: Rows | None) -> StoredMetric:
    described = describe_metric(metric)
    statistics, kept = list(getattr(metric, "statistics", ())), None
    if not statistics or rows.values.dtype.kind not in "iuf" or not np.isfinite(rows.values).all():
        what = f"rows of {described.spec} cannot be stored: they are not finite numbers that can be summed"
        raise OptionError(Problem(opt("metric"), what, "Gate on two systems, or on another metric.", "not-storable"))
    if isinstance(metric, AnyOutputMetric):
        from outscore.readers.kept.rows import KeptRows, implementation_of, packed

        digest = metric.origin.digest
        if digest is None:
            what = f"rows of {described.spec} cannot be stored: their references are unknown"
            raise OptionError(Problem(opt("metric"), what, f"Accept outputs with {opt('references')}.", "not-storable"))
        kept_rows = KeptRows(metric.origin.named, metric, implementation_of(metric), digest(), rows)
        kept = dict(packed(kept_rows).header)
    return StoredMetric(described.spec, metric.higher_is_better, statistics, items_of(rows, first), kept)


def items_of(rows: Rows, first: Rows | None) -> list[str] | Literal["first"] | None:
    """Return the item ids to store: in full, unless they are those of other rows."""
    if first is not None and first.item_ids == rows.item_ids:
        return "first"
    return None if rows.item_ids is None else list(rows.item_ids)


def stored_systems(store: Store, path: str, runs: Sequence[StoredRun]) -> list[StoredSystem]:
    """Return the runs of a baseline or a commit as systems. Rows of metrics that this version lacks are refused."""
    systems = []
    for run in runs:
        rows: dict[str, Rows | KeptRows] = {}
        for metric, items, columns in zip(store.metrics, store.items_by_metric, run.columns, strict=True):
            ids = None if items is None else tuple(items)
            try:
                values = _values(columns)
            except OverflowError:
                raise damaged_store(path, f"a number that is too large in rows of {metric.spec}") from None
            rows[metric.spec] = _rows(store, metric, *_present_items(values, ids), path)
        systems.append(StoredSystem(path, rows))
    return systems


def _present_items(values: FloatArray, ids: tuple[str, ...] | None) -> tuple[FloatArray, tuple[str, ...] | None]:
    """Return the rows of items that the run has."""
    present = np.flatnonzero(~np.isnan(values[:, 0]))
    if len(present) == len(values) or ids is None:
        return values, ids
    return values[present], tuple(ids[index] for index in present.tolist())


def on_items_of(store: Store, rows: Sequence[Rows]) -> list[Rows]:
    """Return a system's rows in the order of a baseline's items, NaN if an item is missing."""
    ordered = []
    for items, row in zip(store.items_by_metric, rows, strict=True):
        if items is None or row.item_ids is None or list(row.item_ids) == items:
            ordered.append(row)
            continue
        index_of = {item: index for index, item in enumerate(row.item_ids)}
        index = np.array([index_of.get(item, -1) for item in items])
        values = row.values[index].astype(np.float64)
        values[index < 0] = np.nan
        cells = row.cells
        if cells is not None:
            cell_values = cells.take(index).values.astype(np.float64)
            cell_values[..., index < 0, :] = np.nan
            cells = Cells(cells.axes, cell_values)
        ordered.append(replace(row, values=values, item_ids=tuple(items), cells=cells, lines=None))
    return ordered


def _rows(
    store: Store, metric: StoredMetric, values: FloatArray, ids: tuple[str, ...] | None, path: str
) -> Rows | KeptRows:
    if metric.kept is None:
        return Rows(printable(store.system), values, ids, path=printable(path))
    from outscore.readers.kept.files import checked_content
    from outscore.readers.kept.rows import kept_rows_of

    content = checked_content(path, metric.kept, values, None if ids is None else list(ids), None)
    return kept_rows_of(content, path)


def stored_labels(store: Store, path: str) -> dict[str, Labels]:
    """Return the clusters, strata and test sets of a baseline's items."""
    items = store.metrics[0].items
    ids = tuple(items) if isinstance(items, list) else None
    labels = {name: Labels(printable(path), tuple(label_list), ids) for name, label_list in store.labels.items()}
    strata = labels.get("strata")
    if strata is not None and store.declared.get("collapse_strata"):
        labels["strata"] = replace(strata, collapse=True)
    return labels


def stored_declaration(store: Store) -> Declaration:
    """Return the kinds of a baseline's runs and strata."""
    from fractions import Fraction

    declared = store.declared
    weights: StratumWeights | None = None
    if "weights" in declared:
        by_name = declared["weights"]
        weights = by_name if isinstance(by_name, str) else {key: Fraction(share) for key, share in by_name.items()}
    claim = store.random_or_fixed
    crossed = () if claim is None else (Runs(claim, bool(declared.get("paired_runs"))),)
    return Declaration(crossed, weights=weights)
