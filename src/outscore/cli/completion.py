"""`outscore --install-completion`: shell completion of commands and options."""

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
    """Install shell completion of commands and options.

    The script is written to the shell's usual place, and .bashrc or .zshrc loads it. Run this again after an update.
    With -o only the script is written.

    Parameters
    ----------
    shell
        Shell. Default: the current one.
    output
        Output file of the script. No other file is changed.
    """
    try:
        target = shell or detect_shell()
        path = command_app().install_completion(
            shell=target, output=None if output is None else Path(output), add_to_startup=output is None
        )
    except ShellDetectionError:
        what = "the current shell is not recognized"
        raise OptionError(Problem("--shell", what, "Pass --shell bash, zsh or fish.", "unknown-shell")) from None
    except OSError as error:
        reason = f"cannot write: {(error.strerror or str(error)).lower()}"
        where = printable(str(error.filename or output or "--install-completion"))
        raise FileAccessError(Problem(where, reason, "Pass another file with -o.", "cannot-write")) from None
    print(f"Completion for {target}: {printable(str(path))}")  # noqa: T201 - the answer
    if output is None:
        needs = " (after compinit)" if target == "zsh" else ""
        print(f"It works in every new {target} session{needs}.")  # noqa: T201
