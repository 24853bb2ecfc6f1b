"""`outscore --install-completion`: how shells complete commands and options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.completion.detect import ShellDetectionError, detect_shell

from outscore.cli.app import command_app
from outscore.errors import FileAccessError, OptionError, Problem
from outscore.text.naming import printable

Shell = Literal["bash", "zsh", "fish"]


def install_completion(
    *,
    shell: Shell | None = None,
    output: Annotated[str | None, Parameter(alias="-o", allow_leading_hyphen=True)] = None,
) -> None:
    """Write a completion script, and have shells load it when they start.

    Parameters
    ----------
    shell
        The shell that calls by default.
    output
        Write the script to this file.
    """
    try:
        target = shell or detect_shell()
        path = command_app().install_completion(
            shell=target, output=None if output is None else Path(output), add_to_startup=output is None
        )
    except ShellDetectionError:
        what = "expected bash, zsh or fish, got none, and it cannot be told which one runs"
        raise OptionError(Problem("--shell", what, "Name it.", "unknown-shell")) from None
    except OSError as error:
        reason = f"cannot write: {(error.strerror or str(error)).lower()}"
        where = printable(str(error.filename or output or "--install-completion"))
        raise FileAccessError(Problem(where, reason, "Choose another file for -o.", "cannot-write")) from None
    print(f"Completion for {target}: {printable(str(path))}")  # noqa: T201 - the answer
    if output is None:
        needs = " (after compinit)" if target == "zsh" else ""
        print(f"It works in every {target} that is started from now on{needs}.")  # noqa: T201
