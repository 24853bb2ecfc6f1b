"""What stands in logs of evaluation harnesses, and how the logs of several systems were paired."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from outscore.data.rows import RunDesign
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.results.record import IfAny, Messages, Natural, Version, table
from outscore.results.shown import Shown
from outscore.text.naming import nearest, quoted
from outscore.text.numbers import format_counted


@dataclass(frozen=True)
class InventoryEntry:
    """What a log holds of one system on one task by one metric.

    Attributes
    ----------
    system : str
        The system's name.
    task : str
        The task's name.
    metric : str
        As `metric` takes it.
    n_items : int
        Items that have a score.
    n_runs : int
        The most runs, epochs, trials or samples that an item has.
    n_unscored : int
        Answers without a score, beside those that ended in an error: never a 0.
    n_errors : int
        Answers that ended in an error.
    score : float or None
        The mean over items of the mean over their runs. None (null) where nothing is scored, or where the log names
        only items that score and does not say of how many.
    harness_score : float or None
        What the harness itself computed, in the unit of the scores; null where the log does not hold it.
    agrees : bool or None
        Whether all that the harness computed (mean, standard errors, pass@k, ...) equals ours, to 1e-9; null where
        nothing can be compared.
    explanation : str or None
        Why not, where it does not; null where there is nothing to explain.
    format : str
        The harness, or its format.
    path : str
        The file that holds the scores.
    is_main : bool
        Whether this metric is taken where none is named.
    lowest : float or None
        The lowest score of an item, where the format fixes it; else null.
    highest : float or None
        The highest score of an item, where the format fixes it; else null.
    higher_is_better : bool
        Whether a higher score is the better one.
    n_duplicates : int
        Records of an item and run that another record is of, too.
    labels : tuple of str
        What `clusters` and `strata` may name: each tells which items may hang together.
    notes : tuple of str
        What a reader must know of the log: it is unfinished, it was cut.
    runs_are : RunDesign or None
        What the runs are, where the format says so.
    aggregation : str or None
        What the harness reports in place of a mean, such as "median", so that its score cannot agree with ours; else
        null.
    groups : tuple of str or None
        Groups of tasks that the task is in, which `task` takes; null where there are none.
    aliases : tuple of str
        What else `metric` takes for the metric. Not written as JSON.
    """

    json_keys: ClassVar = "-aliases"

    system: str
    task: str
    metric: str
    n_items: Natural
    n_runs: Natural
    n_unscored: Natural
    n_errors: Natural
    score: float | None
    harness_score: float | None
    agrees: bool | None
    explanation: str | None
    format: str
    path: str
    is_main: bool
    lowest: float | None
    highest: float | None
    higher_is_better: bool
    n_duplicates: Natural
    labels: tuple[str, ...]
    notes: Messages = ()
    runs_are: Annotated[RunDesign | None, IfAny("0.5.0")] = None
    aggregation: Annotated[str | None, IfAny("0.8.0")] = None
    groups: Annotated[tuple[str, ...] | None, IfAny("0.8.0")] = None
    aliases: tuple[str, ...] = ()

    def names(self, field: str) -> tuple[str, ...]:
        """Return what users call the task or the metric."""
        return (self.task, *(self.groups or ())) if field == "task" else (self.metric, *self.aliases)


@dataclass(frozen=True, repr=False)
class Inventory(Shown):
    """What stands in logs: systems, tasks and metrics.

    Written by outscore logs as JSON.

    Attributes
    ----------
    entries : tuple of InventoryEntry
        In the order of systems, tasks and metrics as they were found.
    version : str
    notes : tuple of str
        Logs in which nothing is scored.
    """

    schema: ClassVar = "outscore/inventory/1"
    json_keys: ClassVar = "version"

    entries: tuple[InventoryEntry, ...]
    version: Version
    notes: Messages = ()

    def of(self, tasks: Sequence[str], metrics: Sequence[str]) -> Inventory:
        """Return the entries of some tasks and metrics, of all where none is named.

        Raises
        ------
        OptionError
            A task or metric that there is not.
        """
        entries = self.entries
        for field, wanted in (("task", tasks), ("metric", metrics)):
            known = dict.fromkeys(name for entry in entries for name in entry.names(field))
            for one in wanted:
                if one not in known:
                    what = f"unknown {field} {quoted(one)}"
                    raise OptionError(Problem(opt(field), what, nearest(one, known), f"unknown-{field}"))
            entries = tuple(entry for entry in entries if not wanted or not {*wanted}.isdisjoint(entry.names(field)))
        return replace(self, entries=entries)

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a system, task and metric."""
        columns = "system task metric n_items n_runs n_unscored n_errors score harness_score agrees format path"
        return table(columns, [(entry,) for entry in self.entries])


def shared_notes(notes: Iterable[tuple[str, str]], marked: Callable[[str], str] = str) -> list[str]:
    """Return notes on files, each (note, file), as sentences: one that several files share once.

    Parameters
    ----------
    notes : iterable of (str, str)
    marked : callable
        What marks the name of a file.

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
