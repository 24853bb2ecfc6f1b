"""`outscore logs`: what stands in the logs of evaluation harnesses."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from outscore.cli.output import Writes, writing
from outscore.errors import OptionError, Problem
from outscore.logs.checking import inventory_of
from outscore.logs.finding import logs_in
from outscore.readers.files import is_folder


def logs(
    *paths: Annotated[str, Parameter(name="PATH", allow_leading_hyphen=True)],
    task: Annotated[list[str] | None, Parameter(negative="")] = None,
    metric: Annotated[list[str] | None, Parameter(alias="-m", negative="")] = None,
    writes: Writes | None = None,
) -> None:
    """Show what stands in logs of evaluation harnesses: systems, tasks, metrics, and whether our sums are theirs.

    Logs are told from other files by what they hold; one in a folder that cannot be read is named in a warning. Each
    metric is called what --metric of outscore compare and outscore rank takes.

    Parameters
    ----------
    paths
        Logs, and folders that hold some, in whatever depth.
    task
        Show these tasks alone; may be repeated.
    metric
        Show these metrics alone; may be repeated.
    writes
        Where the answer goes.
    """
    with writing(writes or Writes()) as write:
        if not paths:
            what = "expected a log or a folder of logs, got none"
            raise OptionError(Problem("outscore logs", what, "Name where your harness writes.", "no-log"))
        left_out: list[str] = []
        logs_of_all = [
            one
            for path in paths
            for one in logs_in(path, left_out if is_folder(path) else None, tasks=task or (), metrics=metric or ())
        ]
        inventory = inventory_of(logs_of_all)
        write(replace(inventory, notes=(*inventory.notes, *left_out)).of(task or (), metric or ()))
