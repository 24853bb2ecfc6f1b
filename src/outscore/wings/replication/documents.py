"""Reports of training-set resampling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from outscore.reports.documents import Document, name, overview
from outscore.reports.documents.layouts import Column, counts, numbers, table
from outscore.text.naming import printable
from outscore.text.numbers import format_count, format_seconds
from outscore.wings.replication.results import ReplicateRun, Replication, RunStatus


def replication_document(result: Replication) -> Document:
    """Return the report of runs: numbers by size, failures, and the leaderboard file."""
    train = ", ".join(map(name, result.train))
    sizes = list(dict.fromkeys(run.size for run in result.runs))
    by_size = [[run for run in result.runs if run.size == size] for size in sizes]
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

    def count(*statuses: RunStatus) -> Callable[[Sequence[ReplicateRun]], int]:
        return lambda runs: sum(run.status in statuses for run in runs)

    columns: list[Column[Sequence[ReplicateRun]]] = [
        numbers("size", lambda runs: repr(runs[0].size)),
        counts("items", lambda runs: runs[0].n_items),
        counts("finished", count(RunStatus.FINISHED)),
        counts("kept", count(RunStatus.KEPT)),
        counts("failed", lambda runs: sum(not run.done for run in runs)),
        numbers("median time", _median_time),
    ]
    return overview(result, "Training sets", (lead,), (table(by_size, columns),), notes, caption=f"{lead}.")


def tell_failure(run: ReplicateRun) -> str:
    """Describe a failed run on one line."""
    return printable(f"{run.name}: failed: {run.problem}. See {run.log}.")


def _median_time(runs: Sequence[ReplicateRun]) -> str:
    done = [run.seconds for run in runs if run.done]
    return format_seconds(median(done)) if done else "-"
