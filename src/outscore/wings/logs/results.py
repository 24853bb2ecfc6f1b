"""The content of evaluation logs, and the audit of paired logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from outscore.data.rows import RunDesign
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.results.record import Messages, Natural, Version, doc, record, table
from outscore.results.shown import Shown
from outscore.text.naming import nearest, quoted
from outscore.text.numbers import format_counted


@record
class InventoryEntry:
    """The scores of one system on one task and metric in a log."""

    json_keys: ClassVar = "-aliases"

    system: str = doc("The system's name.")
    task: str = doc("The task's name.")
    metric: str = doc("The metric, as for `metric`.")
    n_items: Natural = doc("Number of items with a score.")
    n_runs: Natural = doc("The largest number of runs, epochs, trials or samples of an item.")
    n_unscored: Natural = doc("Number of answers without a score, besides errors; they do not count as 0.")
    n_errors: Natural = doc("Number of answers that ended in an error.")
    score: float | None = doc(
        "The mean over items of the mean over their runs. None (null) if nothing is scored, or if the log lists only "
        "items that score, without their total."
    )
    harness_score: float | None = doc("The harness's own score, in the unit of the scores; null if the log lacks it.")
    agrees: bool | None = doc(
        "Whether the harness's figures (mean, standard errors, pass@k, ...) equal ours, to 1e-9; null if nothing can "
        "be compared."
    )
    explanation: str | None = doc("Why they differ; null if there is nothing to explain.")
    format: str = doc("The harness, or its format.")
    path: str = doc("The file with the scores.")
    is_main: bool = doc("Whether this metric is the default.")
    lowest: float | None = doc("The lowest score of an item, if the format fixes it; else null.")
    highest: float | None = doc("The highest score of an item, if the format fixes it; else null.")
    higher_is_better: bool = doc("Whether higher scores are better.")
    n_duplicates: Natural = doc("Number of records that repeat an item and run.")
    labels: tuple[str, ...] = doc(
        "Labels for `clusters` and `strata`, by which items may be correlated. Fields that hold answers are left out."
    )
    notes: Messages = doc("Notes on the log: it is unfinished or truncated.", default=())
    runs_are: RunDesign | None = doc("The kind of the runs, if the format fixes it.", default=None, since="0.5.0")
    aggregation: str | None = doc(
        'The harness\'s aggregation if it is not the mean, such as "median"; its score then differs from ours. Else '
        "null.",
        default=None,
        since="1.0.0",
    )
    groups: tuple[str, ...] | None = doc(
        "Groups of tasks with this task, for `task`; null if there are none.", default=None, since="1.0.0"
    )
    aliases: tuple[str, ...] = doc("Other names of the metric for `metric`. Not part of the JSON.", default=())

    def names(self, field: str) -> tuple[str, ...]:
        """Return the user's name of the task or the metric."""
        return (self.task, *(self.groups or ())) if field == "task" else (self.metric, *self.aliases)


@record
class Inventory(Shown):
    """The content of logs: systems, tasks and metrics.

    This is the JSON output of outscore logs.
    """

    schema: ClassVar = "outscore/inventory/1"
    json_keys: ClassVar = "version"

    entries: tuple[InventoryEntry, ...] = doc("Entries in the order in which systems, tasks and metrics were found.")
    version: Version
    notes: Messages = doc("Notes on logs without scores.", default=())

    def of(self, tasks: Sequence[str], metrics: Sequence[str]) -> Inventory:
        """Return the entries of some tasks and metrics; of all if none is named.

        Raises
        ------
        OptionError
            A task or metric does not exist.
        """
        entries = self.entries
        for field, wanted in (("task", tasks), ("metric", metrics)):
            names = dict.fromkeys(name for entry in entries for name in entry.names(field))
            for name in wanted:
                if name not in names:
                    what = f"unknown {field} {quoted(name)}"
                    raise OptionError(Problem(opt(field), what, nearest(name, names), f"unknown-{field}"))
            entries = tuple(entry for entry in entries if not wanted or not {*wanted}.isdisjoint(entry.names(field)))
        return replace(self, entries=entries)

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per system, task and metric."""
        columns = "system task metric n_items n_runs n_unscored n_errors score harness_score agrees format path"
        return table(columns, [(entry,) for entry in self.entries])


def shared_notes(notes: Iterable[tuple[str, str]], marked: Callable[[str], str] = str) -> list[str]:
    """Return notes on files, each (note, file), as sentences; notes that several files share are merged.

    `marked` marks the name of a file.

    Examples
    --------
    >>> shared_notes([("is unfinished", "a.eval"), ("is unfinished", "b.eval"), ("was cut", "a.eval")])
    ['a.eval (and 1 more log): is unfinished.', 'a.eval: was cut.']
    """
    by_note: dict[str, dict[str, None]] = {}
    for note, path in notes:
        by_note.setdefault(note, {})[path] = None
    sentences = []
    for note, paths in by_note.items():
        first = marked(next(iter(paths)))
        more = f" (and {format_counted(len(paths) - 1, 'more log')})" if len(paths) > 1 else ""
        sentences.append(f"{first}{more}: {note.removesuffix('.')}.")
    return sentences
