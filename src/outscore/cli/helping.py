"""What `--help` says beside each option: examples, and to which group an option belongs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from outscore.design.options import CROSSED_OPTIONS
from outscore.options import FACTOR_OPTIONS, OPTIONS

if TYPE_CHECKING:
    from cyclopts.help import DefaultFormatter, HelpEntry, HelpPanel

_OTHERS = "Other options"
# One rule for all commands, whose options are called alike.
_GROUP_OF = {
    option.parameter.replace("_", "-"): title
    for title, options in ((FACTOR_OPTIONS, CROSSED_OPTIONS), *OPTIONS.items())
    for option in options
}

# By command: what it shows, and a command line.
EXAMPLES: Mapping[str, Sequence[tuple[str, str]]] = {
    "": (
        ("two systems, one score an item in each file", "outscore compare baseline.txt candidate.txt"),
        ("many systems, every pair tested", "outscore rank board.toml"),
    ),
    "compare": (
        ("right or wrong answers, one 0 or 1 a line", "outscore compare baseline.txt candidate.txt -m accuracy"),
        (
            "translations, and a page to look at",
            "outscore compare old.txt new.txt -r reference.txt -m chrf --report new.html",
        ),
    ),
    "rank": (
        ("the systems that a board lists", "outscore rank board.toml"),
        ("one file a system, every pair listed", "outscore rank old.txt new.txt -r reference.txt -m chrf --pairs"),
    ),
    "score": (
        ("right or wrong answers of one system", "outscore score candidate.txt -m accuracy"),
        ("two systems on two metrics", "outscore score old.txt new.txt -r reference.txt -m bleu,chrf"),
    ),
    "gate": (
        ("two systems", "outscore gate old.csv new.csv -m accuracy --margin 0.02"),
        ("a stored baseline, whose looks are counted", "outscore gate store.json new.csv --margin 0.02"),
    ),
    "gate accept": (
        ("a first baseline", "outscore gate accept old.csv -m accuracy -o store.json"),
        ("a new one, of another run", "outscore gate accept new.csv -m accuracy -o store.json"),
    ),
    "logs": (
        ("all logs in a folder", "outscore logs results/"),
        ("one metric, as JSON", "outscore logs base.json new.json -m exact --format json"),
    ),
    "gate order": (
        ("the items of a baseline", "outscore gate order old.csv -m accuracy --seed 7"),
        ("of a stored one, into a file", "outscore gate order store.json -o order.txt"),
    ),
    "plan": (
        ("which gain do 500 items detect?", "outscore plan gain --hurt 5% --items 500"),
        ("how many items does a gain of 2 points need?", "outscore plan items --hurt 5% --gain 2%"),
    ),
    "plan table": (
        ("the p-values of +1% and +2%", "outscore plan table --items 500,2000 --gain 1%,2%"),
        ("for a paper", "outscore plan table --items 2000 --gain 2% -o table.tex"),
    ),
    "plan power": (
        ("right or wrong answers", "outscore plan power --hurt 5% --gain 2% --items 500,1000,2000"),
        ("as a pilot tells", "outscore plan power baseline.txt candidate.txt --gain 0.03 --items 900"),
    ),
    "plan gain": (
        ("right or wrong answers", "outscore plan gain --hurt 5% --items 500"),
        ("as a pilot tells", "outscore plan gain baseline.txt candidate.txt -m accuracy --items 500"),
    ),
    "plan items": (
        ("over ten comparisons", "outscore plan items --hurt 5% --gain 2% --comparisons 10"),
        (
            "to show that a system is at most a point worse",
            "outscore plan items --hurt 5% --claim not-worse --margin 1%",
        ),
    ),
    "plan runs": (
        (
            "as a pilot with a column of seeds tells",
            "outscore plan runs pilot.csv:base pilot.csv:new --run seed --gain 0.1",
        ),
        ("from standard deviations", "outscore plan runs --item-sd 0.35 --run-sd 0.006 --gain 0.04 --items 1000"),
    ),
    "plan gate": (
        ("how many items pass an equal candidate?", "outscore plan gate --hurt 5% --margin 2%"),
        ("as a pilot tells", "outscore plan gate baseline.txt candidate.txt -m accuracy --margin 3%"),
    ),
    "study": (
        ("from which gain on are differences significant?", "outscore study gain board.toml"),
        ("does significance carry over to other domains?", "outscore study transfer board.toml --to other.toml"),
    ),
    "study gain": (
        ("a board", "outscore study gain board.toml"),
        ("one row a pair, as a table", "outscore study gain board.toml -o pairs.csv"),
    ),
    "study size": (
        ("smaller test sets", "outscore study size board.toml --sizes 200,400"),
        ("the first items alone", "outscore study size board.toml --sizes 200,400 --subsets 0"),
    ),
    "study domains": (
        ("two boards", "outscore study domains board.toml other.toml"),
        ("the strata of one", "outscore study domains board.toml --stratum domains.txt"),
    ),
    "study calibration": (
        ("test sets as large as the board's", "outscore study calibration board.toml --repeats 50"),
        ("smaller ones", "outscore study calibration board.toml --items 100 --repeats 50"),
    ),
    "study transfer": (
        ("to another board", "outscore study transfer board.toml --to other.toml"),
        ("from one stratum to the others", "outscore study transfer board.toml --stratum domains.txt --from news"),
    ),
    "replicate": (
        (
            "ten training sets of each of three sizes",
            "outscore replicate --train train.txt --out runs -- ./fit.sh {train} {out}",
        ),
        ("of one size", "outscore replicate --train x.txt --out y --sizes 1 -- ./fit.sh {train} {out}"),
    ),
    "rows": (
        ("one system", "outscore rows new.txt -r reference.txt -m chrf -o new.npz"),
        ("several, into a folder", "outscore rows old.txt new.txt -r reference.txt -m chrf -o kept/"),
    ),
    "metrics": (("all", "outscore metrics"), ("one in full", "outscore metrics bleu")),
    "formats": (("all", "outscore formats"), ("one in full", "outscore formats conllu")),
    "--install-completion": (
        ("for the shell that calls", "outscore --install-completion"),
        ("for a named one", "outscore --install-completion --shell zsh"),
    ),
    "schema": (("all", "outscore schema"), ("one", "outscore schema comparison")),
}


# The examples of a command, as its help ends.
EPILOGUES = {
    command: "\n".join(["Examples:", *(f"  # {what}\n  $ {line}" for what, line in examples)])
    for command, examples in EXAMPLES.items()
}


class GroupedHelp:
    """Show options in groups, in the order of `OPTIONS`, and all else as cyclopts does."""

    @cached_property
    def _formatter(self) -> DefaultFormatter:
        from cyclopts.help import DefaultFormatter  # who asks for no help does not wait for it

        return DefaultFormatter()

    def render_usage(self, console: Any, options: Any, usage: Any) -> None:
        """Show how the command is called."""
        self._formatter.render_usage(console, options, usage)

    def render_description(self, console: Any, options: Any, description: Any) -> None:
        """Show what the command does."""
        self._formatter.render_description(console, options, _unwrapped(description))

    def __call__(self, console: Any, options: Any, panel: HelpPanel) -> None:
        """Show one panel, or that of the options as one panel a group."""
        for entry in panel.entries:
            _unwrapped(entry.description)
        if panel.format != "parameter" or str(panel.title) != "Parameters":
            self._formatter(console, options, panel)
            return
        groups: dict[str, list[HelpEntry]] = {title: [] for title in (*OPTIONS, _OTHERS)}
        for entry in panel.entries:
            groups[group_of(entry.names[0].removeprefix("--"))].append(entry)
        for title, entries in groups.items():
            if entries:
                self._formatter(console, options, panel.copy(title=title, entries=entries))


def _unwrapped(description: Any) -> Any:
    """Leave the wrapping of docstrings to the terminal: of their line ends only those between paragraphs stay."""
    text = getattr(description, "primary_renderable", None)
    if text is not None and hasattr(text, "plain"):
        text.plain = "\n\n".join(" ".join(paragraph.split()) for paragraph in text.plain.split("\n\n"))
    return description


def group_of(option: str) -> str:
    """Return the title of the group that an option belongs to."""
    return _GROUP_OF.get(option, _OTHERS)
