"""`outscore --install-completion`: shells that complete commands and options on TAB."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from cyclopts import App, Parameter

from outscore.errors import FileAccessError, OptionError, Problem
from outscore.naming import printable

__all__ = ["completion_of"]

Shell = Literal["bash", "zsh", "fish"]


def completion_of(app: App) -> Callable[..., None]:
    """Return the command that writes a completion script of an app, and has shells load it when they start."""

    def install_completion(
        *,
        shell: Shell | None = None,
        output: Annotated[str | None, Parameter(alias="-o", allow_leading_hyphen=True)] = None,
    ) -> None:
        """Have the shell complete commands and options on TAB.

        A script is written where the shell looks for such, and bash and zsh are told so in .bashrc and .zshrc. Call it
        again after an update. With -o the script goes to a file, and nothing else is touched.

        Parameters
        ----------
        shell
            The shell that calls by default.
        output
            Write the script to this file.
        """
        from pathlib import Path

        from cyclopts.completion.detect import ShellDetectionError, detect_shell

        try:
            target = shell or detect_shell()
            path = app.install_completion(
                shell=target, output=None if output is None else Path(output), add_to_startup=output is None
            )
        except ShellDetectionError:
            what = "expected bash, zsh or fish, got none, and it cannot be told which one runs"
            raise OptionError(Problem("--shell", what, "Name it.", "unknown-shell")) from None
        except OSError as error:
            reason = f"cannot write: {(error.strerror or str(error)).lower()}"
            where = printable(str(error.filename or output or "--install-completion"))
            raise FileAccessError(Problem(where, reason, "Name another file with -o.", "cannot-write")) from None
        print(f"Completion for {target}: {printable(str(path))}")  # noqa: T201 - the answer
        if output is None:
            needs = " (after compinit)" if target == "zsh" else ""
            print(f"It works in every {target} that is started from now on{needs}.")  # noqa: T201

    return install_completion
