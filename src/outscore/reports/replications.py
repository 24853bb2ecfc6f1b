"""What training-set resampling has made, as text."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from outscore.naming import printable
from outscore.numbers import format_count, format_seconds
from outscore.results.replications import ReplicateRun, Replication, RunStatus

__all__ = ["replication_to_text", "tell_failure"]

_COLUMNS = ("size", "items", "finished", "kept", "failed", "median time")


def replication_to_text(result: Replication) -> str:
    """Write a table of the runs by size, the failures, and where the board is."""
    train = ", ".join(map(printable, result.train))
    sizes = list(dict.fromkeys(run.size for run in result.runs))
    table = [_COLUMNS, *(_row([run for run in result.runs if run.size == size]) for size in sizes)]
    widths = [max(len(row[i]) for row in table) for i in range(len(_COLUMNS))]
    lines = [
        f"{printable(result.family)}: training sets drawn from {format_count(result.n_items)} {result.unit}"
        f" of {train}, seed {result.seed}",
        "",
        *("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table),
        "",
    ]
    if result.failures:
        lines.append(f"What failed keeps its log, as {printable(result.failures[0].log)}.")
    if result.board is None:
        lines.append("No run is finished: there is no board.")
    else:
        systems = "1 system" if result.n_systems == 1 else f"{format_count(result.n_systems)} systems"
        families = ", ".join(printable(family) for family in result.families)
        noun = "family" if len(result.families) == 1 else "families"
        told = f"; {noun}: {families}" if families else ""
        lines.append(f"Board: {printable(result.board)} ({systems}{told})")
    return "\n".join(lines) + "\n"


def tell_failure(run: ReplicateRun) -> str:
    """Say on one line what became of a run that gave no system."""
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
