"""The `outscore` command: its subcommands, and how shells complete them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Literal

from cyclopts import App, CycloptsError, Parameter

from outscore._version import __version__
from outscore.cli.helping import GroupedHelp, examples_of
from outscore.cli.output import Writes
from outscore.cli.reading import BoardReads, SystemReads
from outscore.cli.streams import fail
from outscore.errors import FileAccessError, OptionError, Problem
from outscore.naming import printable

Shell = Literal["bash", "zsh", "fish"]
# Their options stand among the command's own. It is said here, since a plain comparison does without cyclopts.
for _options in (SystemReads, BoardReads, Writes):
    Parameter(name="*")(_options)


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


_COMMANDS = {
    "compare": "Compare candidates with a baseline: a real gain, or chance.",
    "formats": "List the formats of outputs and references, or show one with its options.",
    "gate": "Let a candidate pass, or not: is it worse than a baseline by more than a margin?",
    "logs": "Show what stands in logs of evaluation harnesses, and whether our sums are theirs.",
    "metrics": "List the metrics, or show one in full.",
    "plan": "Plan a test set: what it can show, and how large it has to be.",
    "rank": "Rank systems: every pair tested on shared draws, corrected for there being many.",
    "replicate": "Train systems on resampled training sets, and write a board of them.",
    "rows": "Score systems once, and keep their rows in files that stand in for outputs.",
    "schema": "List the forms of JSON that outscore writes, or print the JSON Schema of one.",
    "score": "Score systems by themselves: each score on each metric, with its interval.",
    "study": "Ask of a leaderboard from which gain on systems really differ.",
}


def command_app() -> App:
    """Return the command line with all its commands."""
    app = App(
        name="outscore",
        help="Does this system really outscore that one, or is it chance?",
        version=__version__,
        help_format="plaintext",
        help_formatter=GroupedHelp(),
        help_epilogue=examples_of(""),
        suppress_keyboard_interrupt=False,
        # An option that takes several values is left out to take none: no --empty-window beside --window.
        default_parameter=Parameter(negative_iterable=()),
    )
    app.command(completion_of(app), name="--install-completion", help_epilogue=examples_of("--install-completion"))
    # Named, not imported: a command does not wait for what the others need.
    for name, summary in _COMMANDS.items():
        # Commands of commands say themselves what they end their help with.
        epilogue = {} if name in ("gate", "plan", "study") else {"help_epilogue": examples_of(name)}
        module = "lists" if name in ("formats", "metrics", "schema") else name
        app.command(f"outscore.cli.{module}:{name}", name=name, help=summary, **epilogue)
    return app


def parsed(argv: Sequence[str]) -> object:
    """Run the command that a command line names, and return what it returns, or the exit status of a usage error."""
    try:
        return command_app()(argv or ["--help"], exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        return fail(f"outscore: {_one_line(str(error))} Try 'outscore {_command(argv)}--help'. [usage]")


def options_of(command: str) -> Sequence[str]:
    """Return the long options of a command, such as ``study gain``."""
    app = command_app()
    for name in command.split():
        app = app[name]
    return [name for one in app.assemble_argument_collection() for name in one.names if name.startswith("--")]


def _command(argv: Sequence[str]) -> str:
    """Return the subcommand that was meant, and the one of its own, as what its help is asked of."""
    with suppress(Exception):  # a message is no place to fail
        return "".join(f"{name} " for name in command_app().parse_commands(argv)[0])
    return ""


def _one_line(message: str) -> str:
    text = printable(" ".join(message.split()))
    return text if text.endswith((".", "?", "!")) else f"{text}."
