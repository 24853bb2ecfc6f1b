"""Results as text for a terminal, or for a file that people read."""

from __future__ import annotations

from io import StringIO

from rich.box import Box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from outscore.numbers import format_p, score_format
from outscore.reports import wording
from outscore.reports.histogram import draw
from outscore.results import Claim, Comparison, ComparisonResult, Verdict, comparison_format, how_computed, printable

__all__ = ["to_text"]

NARROWEST, PROSE, WIDE = 40, 100, 100

VERDICT_STYLES = {
    Verdict.BETTER: "bold green",
    Verdict.WORSE: "bold red",
    Verdict.EQUIVALENT: "bold cyan",
    Verdict.NOT_WORSE: "bold cyan",
    Verdict.INCONCLUSIVE: "bold yellow",
}

# All signs beyond ASCII that the reports use; what else there is stands in names.
PLAIN = str.maketrans({"≤": "<=", "≥": ">=", "±": "+/-", "α": "alpha", "δ": "gain", "†": "*"})

# A line below the headings and nothing else: the rest of a table is white space.
UNDERLINED = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
UNDERLINED_ASCII = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


def to_text(result: ComparisonResult, *, width: int = 80, color: bool = False, ascii_only: bool = False) -> str:
    """Write a comparison as text; see `outscore.reports.to_text`."""
    out = StringIO()
    # Nothing about the process is asked: the same result gives the same text wherever it is written.
    console = Console(
        file=out,
        width=max(width, NARROWEST),
        color_system="standard" if color else None,
        force_terminal=color,
        force_jupyter=False,
        legacy_windows=False,
        no_color=not color,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    report = _Report(result, max(width, NARROWEST), ascii_only)
    console.print(report.everything())
    # The signature is kept on one line, whatever the width, so that it can be copied.
    console.print(report.text(f"signature  {result.signature}", "dim"), soft_wrap=True)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().split("\n")) + "\n"


class _Report:
    def __init__(self, result: ComparisonResult, width: int, ascii_only: bool) -> None:
        self.result = result
        self.width = width
        self.ascii_only = ascii_only

    def text(self, content: str, style: str = "") -> Text:
        content = printable(content)
        if self.ascii_only:
            content = content.translate(PLAIN).encode("ascii", "backslashreplace").decode("ascii")
        return Text(content, style=style)

    def everything(self) -> Group:
        comparisons = self.result.comparisons
        parts: list[RenderableType] = []
        if len(comparisons) > 1:
            parts += [self.prose(wording.summary(self.result)), "", self.systems(), ""]
        for comparison, sentence in zip(comparisons, self.result.sentences, strict=True):
            if len(comparisons) > 1:
                parts += [self.rule(comparison.candidate), ""]
            parts += self.block(comparison, sentence)
        parts += self.common_notes()
        return Group(*parts)

    def prose(self, content: str, style: str = "") -> RenderableType:
        right = max(0, self.width - PROSE)
        return Padding(self.text(content, style), (0, right, 0, 0))

    def rule(self, title: str) -> Rule:
        return Rule(
            self.text(title, "bold"), characters="-" if self.ascii_only else "─", style="dim", align="left"
        )

    def block(self, c: Comparison, sentence: str) -> list[RenderableType]:
        parts: list[RenderableType] = [self.prose(sentence, "bold"), "", self.facts(c), ""]
        if c.tests:
            parts += [self.tests(c), ""]
        notes = self.notes(c)
        if notes:
            parts += [*notes, ""]
        parts += [*self.histogram(c), ""]
        return parts

    def facts(self, c: Comparison) -> RenderableType:
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column()
        verdict = self.text(f"{c.verdict}", VERDICT_STYLES[c.verdict])
        verdict.append_text(self.text(f". {wording.explain_verdict(c)}", "none"))
        grid.add_row(self.text("verdict", "dim"), verdict)
        grid.add_row(self.text("items", "dim"), self.text(wording.items(c)))
        for warning in self.own(c, "warnings"):
            grid.add_row(self.text("warning", "bold yellow"), self.text(warning))
        return Padding(grid, (0, max(0, self.width - PROSE), 0, 0))

    def tests(self, c: Comparison) -> RenderableType:
        several = len(self.result.comparisons) > 1
        alternatives = {test.alternative for test in c.tests}
        brackets = [wording.p_bracket(test, c.alpha) for test in c.tests]
        # What is the same for all tests is said once, in the heading.
        apart = len(alternatives) > 1
        table = Table(
            box=UNDERLINED_ASCII if self.ascii_only else UNDERLINED,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1),
            header_style="none",
        )
        headings = ["test", *(["H0"] if apart else []), "p", *(["p (Holm)"] if several else []), "computed"]
        for heading in [*headings, *(["bracket of p"] if any(brackets) else [])]:
            table.add_column(self.text(heading, "dim"), overflow="fold")
        for test, bracket in zip(c.tests, brackets, strict=True):
            sign = " †" if test.assumes_independence else ""
            cells = [
                f"{test.name}{sign}",
                *([f"{test.alternative}: {wording.null_hypothesis(c, test.alternative)}"] if apart else []),
                format_p(test.p_value, c.alpha),
                *([format_p(test.adjusted_p_value, c.alpha)] if several else []),
                how_computed(test),
                *([bracket] if any(brackets) else []),
            ]
            table.add_row(*map(self.text, cells))
        if apart:
            heading = "tests, each with its H0"
        else:
            alternative = c.tests[0].alternative
            heading = f"tests of H0: {wording.null_hypothesis(c, alternative)} (alternative: {alternative})"
        return Group(self.text(heading, "dim"), Padding(table, (0, 0, 0, 2)))
