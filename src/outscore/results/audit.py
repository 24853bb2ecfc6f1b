"""How the systems of logs were paired, item by item: an audit that results carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from outscore.results.record import Keywords, Natural, Positive


@dataclass(frozen=True)
class PairedLog:
    """What one system's logs of a task brought to the pairing.

    Attributes
    ----------
    system : str
        As the logs name it.
    paths : tuple of str
        The files, one a run where runs stand in files of their own.
    n_items : int
        Items with a score.
    n_runs : int
        The most runs of an item.
    missing : tuple of str
        Items that another system has a score on, and this one has not.
    n_duplicates : int
        Records that stood twice and were left out.
    n_unscored : int
        Answers without a score, beside errors.
    n_errors : int
        Answers that ended in an error.
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
    """Something in which the logs of a task differ, beside the system.

    Attributes
    ----------
    what : str
        "task version", "few-shot examples", "limit", "judge", "prompt", "target", ...
    values : tuple of str or None
        Of every system, in their order; null where its log does not say.
    items : tuple of str
        Of prompts and targets: the items on which they differ.
    """

    what: str
    values: tuple[str | None, ...] = ()
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskPairing:
    """How the logs of one task were paired, by one metric.

    Attributes
    ----------
    task : str
        The task's name.
    metric : str
        The metric's name in the logs.
    n_common : int
        Items that all systems have a score on.
    systems : tuple of PairedLog
        One a system, in their order.
    differences : tuple of LogDifference
        In what the logs differ, beside the system.
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
        One a task.
    treatment : str
        What became of items that a system lacks: "dropped", or "zero".
    """

    tasks: tuple[TaskPairing, ...]
    treatment: Annotated[str, Keywords(enum=["dropped", "zero"])]

    def on(self, metric: str) -> PairingAudit:
        """Return the audit of one metric alone; of several metrics under one name all of it."""
        own = tuple(of for of in self.tasks if of.metric == metric)
        return PairingAudit(own or self.tasks, self.treatment)
