"""The `outscore` command: its subcommands, and how shells complete them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

from cyclopts import App, CycloptsError, Parameter

from outscore._version import __version__
from outscore.cli.helping import CommandHelp
from outscore.cli.output import Writes, terminal_layout
from outscore.cli.reading import BoardReads, SystemReads
from outscore.cli.streams import fail
from outscore.text.naming import printable

# Their options stand among the command's own. It is said here, since a plain comparison does without cyclopts.
for _options in (SystemReads, BoardReads, Writes):
    Parameter(name="*")(_options)


_HELP = {"-h", "--help", "--help-all"}
_WIDEST = 100  # columns of the help, however wide a terminal is

_COMPLETION = """Have the shell complete commands and options on TAB.

A script is written where the shell looks for such, and bash and zsh are told so in .bashrc and .zshrc. Call it again
after an update. With -o the script goes to a file, and nothing else is touched.
"""

_COMMANDS = {
    "compare": "Compare candidates with a baseline, and test whether the gain is real.",
    "formats": "List the formats of outputs and references.",
    "gate": "Fail if a candidate is worse than the baseline (regression gate).",
    "logs": "List systems, tasks and metrics in evaluation logs.",
    "meta": "Rank metrics by their agreement with people.",
    "metrics": "List the metrics, or show one in full.",
    "plan": "Plan a test set: size, power and detectable gains.",
    "rank": "Rank systems using all pairwise tests.",
    "replicate": "Train systems on resampled training sets.",
    "rows": "Score outputs once and keep the sufficient statistics.",
    "schema": "Print the JSON Schemas of all results.",
    "score": "Score systems, with confidence intervals.",
    "skill": "Print the folder of the files for agents.",
    "study": "Study when differences on a leaderboard are significant.",
}

# Where commands are that have no module of their name here: those of wings, and lists.
_PLACES = {
    **dict.fromkeys(("formats", "metrics", "schema", "skill"), "cli.lists"),
    "gate": "gating.command",
    "logs": "logs.command",
    "meta": "metaeval.command",
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
        suppress_keyboard_interrupt=False,
        # An option that takes several values is left out to take none: no --empty-window beside --window.
        default_parameter=Parameter(negative_iterable=()),
    )
    completion = "outscore.cli.completion:install_completion"
    name = "--install-completion"
    app.command(completion, name=name, help=_COMPLETION)
    # Named, not imported: a command does not wait for what the others need.
    for name, summary in _COMMANDS.items():
        app.command(f"outscore.{_PLACES.get(name, f'cli.{name}')}:{name}", name=name, help=summary)
    return app


def parsed(argv: Sequence[str]) -> object:
    """Run the command that a command line names, and return what it returns, or the exit status of a usage error."""
    words = [*argv[: argv.index("--")]] if "--" in argv else [*argv]
    if not argv or _asks_for_help(words):
        width = min(terminal_layout(to_file=False)["width"], _WIDEST)
        sys.stdout.write(help_of(words).text(everything="--help-all" in words, width=width) + "\n")
        return 0
    try:
        return command_app()(argv, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        return fail(f"outscore: {_one_line(str(error))} Try 'outscore {_command(argv)}--help'. [usage]")


def _asks_for_help(words: Sequence[str]) -> bool:
    """Tell whether a command line asks for help, or names a command of commands alone. Unknown commands have none."""
    app, rest = command_app(), list(words)
    while rest and rest[0] not in _HELP and rest[0] in app:
        app = app[rest.pop(0)]
    if app.default_command is None and rest and not rest[0].startswith("-"):
        return False
    return bool(_HELP & {*rest}) or (app.default_command is None and not rest)


def help_of(words: Sequence[str]) -> CommandHelp:
    """Return the help of the command that a command line begins with."""
    app, names = command_app(), list[str]()
    for word in words:
        if word in _HELP or word not in app:
            break
        app = app[word]
        names.append(word)
    return CommandHelp.of(app, names, () if names else [*_COMMANDS.items()])


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
