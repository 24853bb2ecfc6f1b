"""The texts of `--help` and `--help-all`: the options of a command in groups, and examples."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from outscore.design.options import all_options

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.argument import Argument

_OTHERS = "Other options"
_WIDTH, _COLUMN = 80, 26
_SHORT_CHOICES = 16  # characters of choices that are shown in place of the value
# Options of the same name are in the same group in all commands, in the order of the table.
_GROUP_OF = {option.written: group for group, option in all_options()}
_PLACES = {name: index for index, name in enumerate(_GROUP_OF)}
_METAVARS = {
    **dict.fromkeys(
        ("reference", "source", "output", "report", "chart", "config", "junit", "comment", "board", "to"), "FILE"
    ),
    **dict.fromkeys(("metric", "test", "baseline", "id", "score", "run", "rater", "template", "task"), "NAME"),
    **dict.fromkeys(("n-resamples", "seed", "items", "looks", "n-sets", "checks", "comparisons"), "N"),
    **dict.fromkeys(("cluster", "stratum", "test-set"), "LABELS"),
}
_HIDDEN = ("--empty-",)  # of cyclopts
# The options that --help shows, for commands with more than _MOST options.
_MOST = 18
COMMON: Mapping[str, str] = {
    "compare": "metric reference baseline against id missing cluster run runs test-set unpaired claim margin alpha "
    "test format output report chart details quiet",
    "rank": "metric reference families cluster run runs alpha correction test table pairs format output report chart "
    "methods details quiet",
    "score": "metric reference cluster stratum run alpha format output methods quiet",
    "gate": "metric reference margin alpha inconclusive comment github junit format output quiet",
    "gate accept": "metric reference cluster run output quiet",
    "gate order": "metric reference cluster seed output",
    "plan power": "gain hurt helped sd items claim margin alpha test metric format output chart quiet",
    "plan gain": "items power hurt helped sd alpha test metric reference format output chart quiet",
    "plan items": "gain power hurt helped sd claim margin alpha test metric reference format output chart quiet",
    "plan human": "gain documents ratings power cluster rater stratum alpha comparisons format output quiet",
    "plan runs": "gain items power item-sd run-sd run metric reference alpha format output chart quiet",
    "plan gate": "margin power hurt sd alpha looks metric reference format output quiet",
    "meta": "statistic epsilon systems cluster weights correction alpha test emulate pairs format output report chart "
    "quiet",
    "replicate": "reference metric sizes unit train out replicates seed jobs format output quiet",
    "study gain": "metric reference families cluster format output report chart quiet jobs",
    "study size": "sizes subsets metric reference families cluster format output report chart quiet jobs",
    "study domains": "stratum metric reference families cluster format output report chart quiet jobs",
    "study calibration": "repeats items metric reference families cluster test format output chart quiet jobs",
    "study transfer": "to from stratum metric reference families cluster format output chart quiet jobs",
}

# By command: a comment, and a command line.
EXAMPLES: Mapping[str, Sequence[tuple[str, str]]] = {
    "": (
        ("compare two systems, with one score per line", "outscore compare baseline.txt candidate.txt"),
        ("rank many systems", "outscore rank board.toml"),
    ),
    "compare": (
        ("binary scores, one 0 or 1 per line", "outscore compare baseline.txt candidate.txt -m accuracy"),
        (
            "translations, with an HTML report",
            "outscore compare old.txt new.txt -r reference.txt -m chrf --report new.html",
        ),
    ),
    "rank": (
        ("the systems of a leaderboard file", "outscore rank board.toml"),
        ("one file per system, every pair listed", "outscore rank old.txt new.txt -r reference.txt -m chrf --pairs"),
    ),
    "score": (
        ("binary scores of one system", "outscore score candidate.txt -m accuracy"),
        ("two systems on two metrics", "outscore score old.txt new.txt -r reference.txt -m bleu,chrf"),
    ),
    "gate": (
        ("the base commit and the head commit", "outscore gate old.csv new.csv -m accuracy --margin 0.02"),
        ("a stored baseline, which counts its checks", "outscore gate store.json new.csv --margin 0.02"),
    ),
    "gate accept": (
        ("store a baseline", "outscore gate accept old.csv -m accuracy -o store.json"),
        ("replace it", "outscore gate accept new.csv -m accuracy -o store.json"),
    ),
    "logs": (
        ("all logs in a folder", "outscore logs results/"),
        ("one metric, as JSON", "outscore logs base.json new.json -m exact --format json"),
    ),
    "meta": (
        ("files of mt-metrics-eval", "outscore meta human-scores/en-de.mqm.seg.score metric-scores/en-de"),
        ("columns of a table", "outscore meta scores.csv:human scores.csv:comet scores.csv:bleu"),
    ),
    "judges": (
        ("consistency, position bias, agreement", "outscore judges verdicts.csv"),
        ("scores, by column", "outscore judges ratings.csv --columns judge=model --level ordinal"),
    ),
    "gate order": (
        ("the items of a baseline", "outscore gate order old.csv -m accuracy --seed 7"),
        ("the items of a stored baseline, to a file", "outscore gate order store.json -o order.txt"),
    ),
    "plan": (
        ("the gain that 500 items detect", "outscore plan gain --hurt 5% --items 500"),
        ("the number of items for a gain of 2 points", "outscore plan items --hurt 5% --gain 2%"),
    ),
    "plan table": (
        ("the p-values of +1% and +2%", "outscore plan table --items 500,2000 --gain 1%,2%"),
        ("for a paper", "outscore plan table --items 2000 --gain 2% -o table.tex"),
    ),
    "plan power": (
        ("binary items", "outscore plan power --hurt 5% --gain 2% --items 500,1000,2000"),
        ("from a pilot", "outscore plan power baseline.txt candidate.txt --gain 0.03 --items 900"),
    ),
    "plan gain": (
        ("binary items", "outscore plan gain --hurt 5% --items 500"),
        ("from a pilot", "outscore plan gain baseline.txt candidate.txt -m accuracy --items 500"),
    ),
    "plan items": (
        ("for ten comparisons", "outscore plan items --hurt 5% --gain 2% --comparisons 10"),
        (
            "to show that a system is at most a point worse",
            "outscore plan items --hurt 5% --claim not-worse --margin 1%",
        ),
    ),
    "plan human": (
        ("which gains more documents and ratings detect", "outscore plan human esa.csv"),
        ("how many documents a gain of 3 points needs", "outscore plan human esa.csv --gain 3"),
    ),
    "plan runs": (
        (
            "from a pilot with a column of seeds",
            "outscore plan runs pilot.csv:base pilot.csv:new --run seed --gain 0.1",
        ),
        ("from standard deviations", "outscore plan runs --item-sd 0.35 --run-sd 0.006 --gain 0.04 --items 1000"),
    ),
    "plan gate": (
        ("the number of items to pass an equal candidate", "outscore plan gate --hurt 5% --margin 2%"),
        ("from a pilot", "outscore plan gate baseline.txt candidate.txt -m accuracy --margin 3%"),
    ),
    "study": (
        ("the gain above which differences are significant", "outscore study gain board.toml"),
        ("whether gains carry over to other domains", "outscore study transfer board.toml --to other.toml"),
    ),
    "study gain": (
        ("a leaderboard file", "outscore study gain board.toml"),
        ("a table with one row per pair", "outscore study gain board.toml -o pairs.csv"),
    ),
    "study size": (
        ("random subsets of 200 and 400 items", "outscore study size board.toml --sizes 200,400"),
        ("only the first items", "outscore study size board.toml --sizes 200,400 --subsets 0"),
    ),
    "study domains": (
        ("two leaderboard files", "outscore study domains board.toml other.toml"),
        ("the strata of one leaderboard", "outscore study domains board.toml --stratum domains.txt"),
    ),
    "study calibration": (
        ("test sets as large as the leaderboard's", "outscore study calibration board.toml --repeats 50"),
        ("smaller test sets", "outscore study calibration board.toml --items 100 --repeats 50"),
    ),
    "study transfer": (
        ("to another leaderboard", "outscore study transfer board.toml --to other.toml"),
        ("from one stratum to the others", "outscore study transfer board.toml --stratum domains.txt --from news"),
    ),
    "replicate": (
        (
            "ten training sets for each of three sizes",
            "outscore replicate --train train.txt --out runs -- ./fit.sh {train} {out}",
        ),
        ("one size", "outscore replicate --train x.txt --out y --sizes 1 -- ./fit.sh {train} {out}"),
    ),
    "rows": (
        ("one system", "outscore rows new.txt -r reference.txt -m chrf -o new.npz"),
        ("several systems, to a folder", "outscore rows old.txt new.txt -r reference.txt -m chrf -o kept/"),
    ),
    "metrics": (("all metrics", "outscore metrics"), ("one metric in full", "outscore metrics bleu")),
    "formats": (("all formats", "outscore formats"), ("one format in full", "outscore formats conllu")),
    "--install-completion": (
        ("for the current shell", "outscore --install-completion"),
        ("for zsh", "outscore --install-completion --shell zsh"),
    ),
    "schema": (("all JSON formats", "outscore schema"), ("one JSON Schema", "outscore schema comparison")),
    "skill": (("the folder", "outscore skill"), ("one file", "outscore skill SKILL.md")),
}


@dataclass(frozen=True)
class CommandHelp:
    """The help of a command.

    Attributes
    ----------
    command : str
        The words after the program's name, such as "plan runs".
    summary, description : str
        The first sentence, and the text after it.
    options : sequence of tuple
        The group, the option with its value, and its description.
    commands : sequence of tuple
        The task, name and summary of each subcommand.
    """

    command: str
    usage: str
    summary: str
    description: str
    options: Sequence[tuple[str, str, str]]
    commands: Sequence[tuple[str, str, str]]

    @classmethod
    def of(cls, app: App, names: Sequence[str], commands: Sequence[tuple[str, str, str]] = ()) -> CommandHelp:
        """Return the help of a command; `commands` are its subcommands, if they should not be imported."""
        function = app.default_command
        first, *rest = _paragraphs((function and function.__doc__) or app.help)
        options = []
        if function is not None:
            arguments = app.assemble_argument_collection(parse_docstring=True)
            placed = sorted((_option(argument) for argument in arguments if not argument.children), key=itemgetter(0))
            options = [option for _, option in placed]
        rows = list(commands) or [
            ("Commands", name, _paragraphs(app[name].help)[0]) for name in app if not name.startswith("-")
        ]
        systems = [called for group, called, _ in options if not group]
        words = ["outscore", *names, *(["[options]"] if options else []), *(systems or (["COMMAND"] if rows else []))]
        return cls(" ".join(names), " ".join(words), first, "\n\n".join(rest), options, rows)

    @cached_property
    def _common(self) -> Sequence[tuple[str, str, str]]:
        if len(self.options) <= _MOST or self.command not in COMMON:
            return self.options
        names = {f"--{name}" for name in COMMON[self.command].split()}
        return [option for option in self.options if not option[0] or names & {*option[1].replace(",", "").split()}]

    def text(self, *, everything: bool, width: int = _WIDTH) -> str:
        """Return the text of `--help`, or of `--help-all`: all options with their full descriptions."""
        lines = [f"Usage: {self.usage}", "", *textwrap.wrap(self.summary, width), ""]
        if everything and self.description:
            for paragraph in self.description.split("\n\n"):
                lines += [*textwrap.wrap(paragraph, width), ""]
        lines += ["Examples:"]
        for what, line in EXAMPLES.get(self.command, ()):
            lines += [f"  # {what}", f"  {line}"]
        for index, (task, name, summary) in enumerate(self.commands):
            if index == 0 or task != self.commands[index - 1][0]:
                lines += ["", f"{task}:"]
            lines += _row(name, summary, width)
        shown, group = self.options if everything else self._common, None
        reads_boards = any("--missing" in called for _, called, _ in self.options)
        for title, called, help_text in shown:
            if title != group:
                lines += ["", f"{(title if reads_boards else title.partition(' (')[0]) or 'Arguments'}:"]
                group = title
            if not everything and len(called) > _COLUMN - 4:
                called = f"{called.rpartition(' ')[0]} VALUE"
            lines += _row(called, help_text if everything else _first_sentence(help_text), width)
        if len(shown) < len(self.options):
            lines += ["", f"outscore {self.command} --help-all lists all {len(self.options)} options."]
        return "\n".join(lines)


def _option(argument: Argument) -> tuple[int, tuple[str, str, str]]:
    """Return the place of an option in the help, and its group, its names with the value, and its description."""
    names = sorted((name for name in argument.names if not name.startswith(_HIDDEN)), key=len)
    help_text = " ".join(str(argument.parameter.help or "").split())
    if argument.index is not None:
        return -1, ("", f"{names[0]}...", help_text)
    name = next(name for name in names if name.startswith("--")).removeprefix("--")
    default = argument.field_info.default
    words = "|".join(argument.get_choices() or ())
    value = words if 0 < len(words) < _SHORT_CHOICES else _METAVARS.get(name, "VALUE")
    if len(words) >= _SHORT_CHOICES:
        help_text += f" [choices: {words.replace('|', ', ')}]"
    if default not in (None, False, argument.field_info.empty) and "efault" not in help_text:
        help_text += f" [default: {default}]"
    called = f"{', '.join(names)} {'' if argument.is_flag() else value}".rstrip()
    return _PLACES.get(name, len(_PLACES)), (group_of(name), called, help_text)


def _row(called: str, help_text: str, width: int) -> list[str]:
    """Return the lines of an option or command with its description."""
    lines = textwrap.wrap(help_text, width - _COLUMN)
    if len(called) > _COLUMN - 4:
        return [f"  {called}", *(" " * _COLUMN + line for line in lines)]
    return [
        f"  {called:{_COLUMN - 2}}{lines[0] if lines else ''}".rstrip(),
        *(" " * _COLUMN + line for line in lines[1:]),
    ]


def _first_sentence(text: str) -> str:
    sentence, stop, _ = text.partition(". ")
    return f"{sentence}." if stop else text


def _paragraphs(doc: str) -> list[str]:
    """Return the paragraphs of a docstring before its sections."""
    before = textwrap.dedent(f"    {doc.strip()}").split("\n\nParameters\n", 1)[0].split("    Parameters\n", 1)[0]
    return [" ".join(part.split()) for part in before.split("\n\n") if part.strip()]


def group_of(option: str) -> str:
    """Return the title of the group that an option belongs to."""
    return _GROUP_OF.get(option, _OTHERS)
