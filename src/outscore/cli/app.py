"""The `outscore` command: its subcommands, and how shells complete them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from cyclopts import App, CycloptsError, Parameter

from outscore._version import __version__
from outscore.cli.helping import EPILOGUES, GroupedHelp
from outscore.cli.output import Writes
from outscore.cli.reading import BoardReads, SystemReads
from outscore.cli.streams import fail
from outscore.text.naming import printable

# Their options stand among the command's own. It is said here, since a plain comparison does without cyclopts.
for _options in (SystemReads, BoardReads, Writes):
    Parameter(name="*")(_options)


_COMPLETION = """Have the shell complete commands and options on TAB.

A script is written where the shell looks for such, and bash and zsh are told so in .bashrc and .zshrc. Call it again
after an update. With -o the script goes to a file, and nothing else is touched.
"""

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

# Where commands are that have no module of their name here: those of wings, and lists.
_PLACES = {
    **dict.fromkeys(("formats", "metrics", "schema"), "cli.lists"),
    "gate": "gating.command",
    "logs": "logs.command",
    "plan": "planning.command",
    "replicate": "replication.command",
    "study": "studies.command",
}


def command_app() -> App:
    """Return the command line with all its commands."""
    app = App(
        name="outscore",
        help="Does this system really outscore that one, or is it chance?",
        version=__version__,
        help_format="plaintext",
        help_formatter=GroupedHelp(),
        help_epilogue=EPILOGUES[""],
        suppress_keyboard_interrupt=False,
        # An option that takes several values is left out to take none: no --empty-window beside --window.
        default_parameter=Parameter(negative_iterable=()),
    )
    completion = "outscore.cli.completion:install_completion"
    name = "--install-completion"
    app.command(completion, name=name, help=_COMPLETION, help_epilogue=EPILOGUES[name])
    # Named, not imported: a command does not wait for what the others need.
    for name, summary in _COMMANDS.items():
        # Commands of commands say themselves what they end their help with.
        epilogue = {} if name in ("gate", "plan", "study") else {"help_epilogue": EPILOGUES[name]}
        app.command(f"outscore.{_PLACES.get(name, f'cli.{name}')}:{name}", name=name, help=summary, **epilogue)
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
