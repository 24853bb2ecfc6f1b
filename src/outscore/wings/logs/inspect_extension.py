"""The extension of Inspect: a hook that compares each finished task with the baseline in OUTSCORE_BASELINE.

Inspect imports this module by the entry point `inspect_ai`. No other module imports it.
"""

import os
from pathlib import PurePath

from inspect_ai.hooks import Hooks, TaskEnd, hooks
from inspect_ai.log import EvalLog

from outscore.api import compare
from outscore.errors import OutscoreError
from outscore.text.naming import quoted
from outscore.wings.logs.finding import logs_in

BASELINE = "OUTSCORE_BASELINE"


class Comparison(Hooks):
    """Prints the sentence of the comparison of a finished task with the baseline."""

    def enabled(self) -> bool:
        return bool(os.environ.get(BASELINE))

    async def on_task_end(self, data: TaskEnd) -> None:
        if data.log.status == "success":
            try:
                lines = compared(os.environ[BASELINE], data.log)
            except OutscoreError as error:
                lines = [f"outscore: {problem}" for problem in error.problems]
            print(*lines, sep="\n")  # noqa: T201 - Inspect shows it, whatever its display


def compared(baseline: str, log: EvalLog) -> list[str]:
    """Return the sentence that compares a log of Inspect with a baseline, and the warnings.

    The baseline is a log, or a folder with logs of one system. If the log has no samples, as in an eval set, its file
    is read.
    """
    task = log.eval.task.rpartition("/")[2]  # without its package, as `Log` has it
    if all(named.log.task != task for named in logs_in(baseline)):
        return [f"outscore: no comparison: {BASELINE} has no log of the task {quoted(task)}"]
    name = PurePath(baseline).name
    candidate = log.location if log.samples is None else log
    result = compare({name: baseline, log.eval.model: candidate}, baseline=name, task=task)
    return [line for comparison in result.comparisons for line in (comparison.sentence, *comparison.warnings)]


# Without a baseline there is no hook: Inspect would name it at the start of every evaluation.
if os.environ.get(BASELINE):
    hooks(name="baseline", description=f"Compares finished tasks with {BASELINE}")(Comparison)
