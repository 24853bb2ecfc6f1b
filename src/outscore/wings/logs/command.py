"""`outscore logs`: the content of evaluation logs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from cyclopts import Parameter

from outscore.cli import arguments
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, destination, writing
from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.readers.files import is_folder
from outscore.text.naming import printable
from outscore.wings.logs.checking import inventory_of
from outscore.wings.logs.finding import logs_in


@arguments.from_table("logs")
def logs(
    *paths: Annotated[str, Parameter(name="PATH", allow_leading_hyphen=True)],
    writes: Writes | None = None,
    **options: Any,
) -> None:
    """List the systems, tasks and metrics in evaluation logs and check the scores against the harness's.

    Logs are recognized by their content. Unreadable logs in a folder are reported as warnings. Metrics are listed
    by the names that --metric of outscore compare and outscore rank accepts.

    Parameters
    ----------
    paths
        Logs, and folders with logs at any depth.
    writes
        Options of the output.
    """
    values = arguments.values_of("logs", options)
    tasks, metrics, suggest_map = values["task"] or (), values["metric"] or (), values["suggest_map"]
    if suggest_map is not None:
        if paths:
            what = "expected one file, got more"
            raise OptionError(Problem(opt("suggest_map"), what, "Ask for one map at a time.", "several-files"))
        from outscore.wings.logs.mapped import suggested_map  # few logs need a map

        with destination(writes.output if writes is not None else None) as write:
            write(suggested_map(suggest_map))
        return
    with writing(writes or Writes()) as write:
        if not paths:
            what = "expected a log or a folder of logs, got none"
            raise OptionError(Problem("outscore logs", what, "Pass the folder that your harness writes to.", "no-log"))
        refuse_mistaken(paths, "logs")
        left_out: list[str] = []
        logs_of_all = [
            named_log
            for path in paths
            for named_log in logs_in(
                path,
                left_out if is_folder(path) else None,
                tasks=tasks,
                metrics=metrics,
                mapping=values["mapping"],
                follow_links=values["follow_links"],
            )
        ]
        inventory = inventory_of(logs_of_all)
        inventory = replace(inventory, notes=(*inventory.notes, *left_out)).of(tasks, metrics)
        if not any(entry.n_items for entry in inventory.entries):
            what = " ".join(["no system has scores in these logs.", *inventory.notes]).removesuffix(".")
            raise DataError(Problem(printable(paths[0]), what, "Pass logs with scores.", "no-scores"))
        write(inventory)
