"""The `outscore` command and its subcommands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cyclopts import App, CycloptsError, Parameter

from outscore._version import __version__
from outscore.cli.former import current_argument
from outscore.cli.helping import CommandHelp
from outscore.cli.output import Writes, terminal_layout
from outscore.cli.reading import BoardReads, SystemReads
from outscore.cli.streams import fail
from outscore.options import named_otherwise, opt, speaking_options
from outscore.text.naming import printable

# Their options are listed with the command's own. A plain comparison does not import cyclopts, so this is set here.
for _options in (SystemReads, BoardReads, Writes):
    Parameter(name="*")(_options)


_HELP = {"-h", "--help", "--help-all"}
_NARROWEST = 40  # leaves room for text beside the names of options
_WIDEST = 100  # columns of the help at most


# By task, as in the help.
_COMMANDS = {
    "Systems": {
        "compare": "Compare candidates with a baseline, and test whether the gain is real.",
        "rank": "Rank systems using all pairwise tests.",
        "score": "Score systems, with confidence intervals.",
        "gate": "Fail if a candidate is worse than the baseline (regression gate).",
        "plan": "Plan a test set: size, power and detectable gains.",
    },
    "Files": {
        "logs": "List systems, tasks and metrics in evaluation logs.",
        "rows": "Score outputs once and keep the sufficient statistics.",
    },
    "Judges and metrics": {
        "judges": "Check judges: consistency, position bias, agreement with people.",
        "meta": "Rank metrics by their agreement with people.",
    },
    "Research": {
        "study": "Study when differences on a leaderboard are significant.",
        "replicate": "Train systems on many resampled training sets.",
    },
    "Lists": {
        "metrics": "List the metrics, or show one in full.",
        "formats": "List the formats of outputs and references.",
        "schema": "Print the JSON Schemas of results.",
        "skill": "Print the folder with the files for coding agents.",
    },
}

# The modules of commands that are not in cli/NAME.py: those of wings, and lists.
_PLACES = {
    **dict.fromkeys(("formats", "metrics", "schema", "skill"), "cli.lists"),
    "gate": "wings.gating.command",
    "judges": "wings.judging.command",
    "logs": "wings.logs.command",
    "meta": "wings.metaeval.command",
    "plan": "wings.planning.command",
    "replicate": "wings.replication.command",
    "study": "wings.studies.command",
}


def command_app() -> App:
    """Return the command line with all its commands."""
    app = App(
        name="outscore",
        help="Does this system really outscore that one, or is it chance?",
        version=__version__,
        suppress_keyboard_interrupt=False,
        # No --empty-window beside --window: omit an option of several values to pass none.
        default_parameter=Parameter(negative_iterable=()),
    )
    summary = "Install shell completion of commands and options."
    app.command("outscore.cli.completion:install_completion", name="--install-completion", help=summary)
    # Named, not imported: a command imports only what it needs.
    for name, summary in (command for commands in _COMMANDS.values() for command in commands.items()):
        app.command(f"outscore.{_PLACES.get(name, f'cli.{name}')}:{name}", name=name, help=summary)
    return app


def parsed(argv: Sequence[str]) -> object:
    """Run the command that a command line names, and return what it returns, or the exit status of a usage error."""
    app, words = command_app(), [*argv[: argv.index("--")]] if "--" in argv else [*argv]
    command, names = _walked(app, words)
    argv = [*_current(words, "-".join(names)), *argv[len(words) :]]
    rest = words[len(names) :]
    # A command of commands alone shows its help; a command that is not there has none.
    of_commands = command.default_command is None
    unknown = of_commands and rest and not rest[0].startswith("-")
    if not unknown and (_HELP & {*rest} or (of_commands and not rest)):
        width = min(max(terminal_layout(to_file=False)["width"], _NARROWEST), _WIDEST)
        shown = _help(command, names).text(everything="--help-all" in words, width=width)
        print(shown)  # noqa: T201 - it does nothing where standard output is closed
        return 0
    try:
        return app(argv, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        help_command = " ".join(["outscore", *names, "--help"])
        return fail(f"outscore: {_one_line(_in_our_words(str(error)))} Try '{help_command}'. [usage]")


def _current(words: Sequence[str], user: str) -> Iterator[str]:
    """Yield the words of a command with today's options; one that was renamed prints a line. May raise OptionError."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        option, equals, value = word.partition("=")
        if option.startswith("--"):
            given = option[2:].replace("-", "_")
            with speaking_options():
                argument = current_argument(user, given, value if equals else following, option)
                option = option if argument == given else opt(argument)
        yield f"{option}{equals}{value}"


def _in_our_words(error: str) -> str:
    """Return an error of cyclopts, with what the command line calls an argument of Python."""
    match = re.match(r"Unknown option: (--[\w-]+)", error)
    with speaking_options():
        ours = [] if match is None else named_otherwise(match[1])
    return f"{match[0]}. Use {' or '.join(ours)}." if match and ours else error


def help_of(names: Sequence[str]) -> CommandHelp:
    """Return the help of the command with these names."""
    return _help(*_walked(command_app(), names))


def _help(command: App, names: Sequence[str]) -> CommandHelp:
    commands = [(task, *summary) for task, several in _COMMANDS.items() for summary in several.items()]
    return CommandHelp.of(command, names, () if names else commands)


def _walked(app: App, words: Sequence[str]) -> tuple[App, Sequence[str]]:
    """Return the command that words begin with, and its names."""
    names = list[str]()
    for word in words:
        if word in _HELP or word not in app:
            break
        app = app[word]
        names.append(word)
    return app, names


def options_of(command: str) -> Sequence[str]:
    """Return the long options of a command, such as ``study gain``."""
    app, _ = _walked(command_app(), command.split())
    return [name for argument in app.assemble_argument_collection() for name in argument.names if name.startswith("--")]


def _one_line(message: str) -> str:
    text = printable(" ".join(message.split()))
    return text if text.endswith((".", "?", "!")) else f"{text}."
