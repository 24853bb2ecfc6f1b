"""How the systems of logs were paired, item by item: an audit that results carry."""

from __future__ import annotations

from outscore.results.record import Natural, Positive, doc, record


@record
class PairedLog:
    """One system's logs of a task, as paired."""

    system: str = doc("The system's name in the logs.")
    paths: tuple[str, ...] = doc("The files; one per run if runs are in separate files.")
    n_items: Natural = doc("Number of items with a score.")
    n_runs: Natural = doc("The largest number of runs of an item.")
    missing: tuple[str, ...] = doc("Items that have a score for another system, but not for this one.")
    n_duplicates: Natural = doc("Number of duplicate records, which were left out.")
    n_unscored: Natural = doc("Number of answers without a score, besides errors.")
    n_errors: Natural = doc("Number of answers that ended in an error.")


@record
class LogDifference:
    """A difference between the logs of a task, besides the system."""

    what: str = doc('"task version", "few-shot examples", "limit", "judge", "prompt", "target", ...')
    values: tuple[str | None, ...] = doc(
        "The value of every system, in their order; null if its log has none.", default=()
    )
    items: tuple[str, ...] = doc("For prompts and targets: the items on which they differ.", default=())


@record
class TaskPairing:
    """How the logs of one task were paired on one metric."""

    task: str = doc("The task's name.")
    metric: str = doc("The metric's name in the logs.")
    n_common: Positive = doc("Number of items with a score for all systems.")
    systems: tuple[PairedLog, ...] = doc("One per system, in their order.")
    differences: tuple[LogDifference, ...] = doc("Differences between the logs, besides the system.")


@record
class PairingAudit:
    """How the logs of several systems were paired."""

    tasks: tuple[TaskPairing, ...] = doc("One pairing per task.")
    treatment: str = doc('The treatment of missing items: "dropped", or "zero".', enum=["dropped", "zero"])

    def on(self, metric: str) -> PairingAudit:
        """Return the audit of one metric; if several metrics share a name, the whole audit."""
        tasks = tuple(task for task in self.tasks if task.metric == metric)
        return PairingAudit(tasks or self.tasks, self.treatment)
