"""How the systems of logs were paired, item by item: an audit that results carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from outscore.results.record import Keywords, Natural, Positive


@dataclass(frozen=True)
class PairedLog:
    """One system's logs of a task, as paired.

    Attributes
    ----------
    system : str
        The system's name in the logs.
    paths : tuple of str
        The files; one per run if runs are in separate files.
    n_items : int
        Number of items with a score.
    n_runs : int
        The largest number of runs of an item.
    missing : tuple of str
        Items that have a score for another system, but not for this one.
    n_duplicates : int
        Number of duplicate records, which were left out.
    n_unscored : int
        Number of answers without a score, besides errors.
    n_errors : int
        Number of answers that ended in an error.
    """

    system: str
    paths: tuple[str, ...]
    n_items: Natural
    n_runs: Natural
    missing: tuple[str, ...]
    n_duplicates: Natural
    n_unscored: Natural
    n_errors: Natural


@dataclass(frozen=True)
class LogDifference:
    """A difference between the logs of a task, besides the system.

    Attributes
    ----------
    what : str
        "task version", "few-shot examples", "limit", "judge", "prompt", "target", ...
    values : tuple of str or None
        The value of every system, in their order; null if its log has none.
    items : tuple of str
        For prompts and targets: the items on which they differ.
    """

    what: str
    values: tuple[str | None, ...] = ()
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskPairing:
    """How the logs of one task were paired on one metric.

    Attributes
    ----------
    task : str
        The task's name.
    metric : str
        The metric's name in the logs.
    n_common : int
        Number of items with a score for all systems.
    systems : tuple of PairedLog
        One per system, in their order.
    differences : tuple of LogDifference
        Differences between the logs, besides the system.
    """

    task: str
    metric: str
    n_common: Positive
    systems: tuple[PairedLog, ...]
    differences: tuple[LogDifference, ...]


@dataclass(frozen=True)
class PairingAudit:
    """How the logs of several systems were paired.

    Attributes
    ----------
    tasks : tuple of TaskPairing
        One pairing per task.
    treatment : str
        The treatment of missing items: "dropped", or "zero".
    """

    tasks: tuple[TaskPairing, ...]
    treatment: Annotated[str, Keywords(enum=["dropped", "zero"])]

    def on(self, metric: str) -> PairingAudit:
        """Return the audit of one metric; if several metrics share a name, the whole audit."""
        own = tuple(of for of in self.tasks if of.metric == metric)
        return PairingAudit(own or self.tasks, self.treatment)
