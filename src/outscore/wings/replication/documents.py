"""Reports of training-set resampling."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from outscore._version import __version__
from outscore.reports.documents import Document, Table, name, overview
from outscore.text.naming import printable
from outscore.text.numbers import format_count, format_seconds
from outscore.wings.replication.results import ReplicateRun, Replication, RunStatus

_COLUMNS = ("size", "items", "finished", "kept", "failed", "median time")


def replication_document(result: Replication) -> Document:
    """Return the report of runs: numbers by size, failures, and the leaderboard file."""
    train = ", ".join(map(name, result.train))
    sizes = list(dict.fromkeys(run.size for run in result.runs))
    rows = tuple(_row([run for run in result.runs if run.size == size]) for size in sizes)
    lead = (
        f"{name(result.family)}: training sets drawn from {format_count(result.n_items)} {result.unit} of {train}, "
        f"seed {result.seed}"
    )
    notes = [f"Failed runs keep their log, for example {name(result.failures[0].log)}."] if result.failures else []
    if result.board is None:
        notes.append("No run is finished, so there is no leaderboard file.")
    else:
        systems = "1 system" if result.n_systems == 1 else f"{format_count(result.n_systems)} systems"
        noun = "family" if len(result.families) == 1 else "families"
        families = f"; {noun}: {', '.join(map(name, result.families))}" if result.families else ""
        notes.append(f"Leaderboard file: {name(result.board)} ({systems}{families})")
    table = Table(_COLUMNS, rows, frozenset(range(len(_COLUMNS))))
    return overview(
        "Training sets", (lead,), (table,), notes, warnings=(), signature="", version=__version__, caption=f"{lead}."
    )


def tell_failure(run: ReplicateRun) -> str:
    """Describe a failed run on one line."""
    return printable(f"{run.name}: failed: {run.problem}. See {run.log}.")


def _row(runs: Sequence[ReplicateRun]) -> tuple[str, ...]:
    done = [run.seconds for run in runs if run.done]
    return (
        repr(runs[0].size),
        format_count(runs[0].n_items),
        format_count(sum(run.status is RunStatus.FINISHED for run in runs)),
        format_count(sum(run.status is RunStatus.KEPT for run in runs)),
        format_count(sum(not run.done for run in runs)),
        format_seconds(median(done)) if done else "-",
    )
