"""`outscore logs`: the content of evaluation logs."""

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
    follow_links: Annotated[bool, Parameter(negative="")] = False,
    writes: Writes | None = None,
) -> None:
    """List the systems, tasks and metrics in evaluation logs and check the scores against the harness's.

    Logs are recognized by their content. Unreadable logs in a folder are reported as warnings. Metrics are listed
    by the names that --metric of outscore compare and outscore rank accepts.

    Parameters
    ----------
    paths
        Logs, and folders with logs at any depth.
    task
        Show only these tasks; may be repeated.
    metric
        Show only these metrics; may be repeated.
    follow_links
        Follow links that lead out of a folder.
    writes
        Options of the output.
    """
    with writing(writes or Writes()) as write:
        if not paths:
            what = "expected a log or a folder of logs, got none"
            raise OptionError(Problem("outscore logs", what, "Pass the folder that your harness writes to.", "no-log"))
        left_out: list[str] = []
        logs_of_all = [
            one
            for path in paths
            for one in logs_in(
                path,
                left_out if is_folder(path) else None,
                tasks=task or (),
                metrics=metric or (),
                follow_links=follow_links,
            )
        ]
        inventory = inventory_of(logs_of_all)
        write(replace(inventory, notes=(*inventory.notes, *left_out)).of(task or (), metric or ()))
