"""Results as text for a terminal, or for a file that people read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Literal

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from outscore.naming import printable
from outscore.reports import metric_table, wording
from outscore.reports.histogram import draw
from outscore.results import (
    Claim,
    Comparison,
    ComparisonResult,
    Verdict,
    comparison_format,
    format_adjusted_p,
    format_test_p,
    how_computed,
)

__all__ = ["several_to_text", "to_text"]

NARROWEST = 72
PROSE = 100  # longer lines are hard to read
GAP = 2  # between columns of a table
NARROWEST_NAME = 12
BRACKET = "bracket of p"

VERDICT_STYLES: dict[str, str] = {
    Verdict.BETTER: "bold green",
    Verdict.WORSE: "bold red",
    Verdict.EQUIVALENT: "bold cyan",
    Verdict.NOT_WORSE: "bold cyan",
    Verdict.INCONCLUSIVE: "bold yellow",
}

# All signs beyond ASCII that the reports use; what else there is stands in names.
PLAIN = str.maketrans(
    {
        "≤": "<=",
        "≥": ">=",
        "±": "+/-",
        "α": "alpha",
        "δ": "gain",
        "χ": "chi",
        "²": "^2",
        "†": "*",
        "‡": "**",
        "λ": "lambda",
        "─": "-",
        "√": "sqrt ",
        "·": "*",
        "−": "-",
        "–": "-",
    }
)

# Formulas are not broken over lines. No name holds the sign that stands for their blanks: `printable` spells
# out what is in Unicode's private area. (rich breaks lines at no-break spaces, too.)
UNBROKEN = "\ue000"
FORMULA = re.compile(r"(?:\b(?:p|r12|alpha)|α) [=<>≤] [-\d.]+|\bp is undefined|(?<=\d) points\b| in %")

# A line below the headings and nothing else: the rest of a table is white space.
UNDERLINED = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
UNDERLINED_ASCII = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


def plain_console(out: StringIO, width: int, *, color: bool) -> Console:
    """Return a console that writes into `out`, as wide as it is told."""
    # Nothing about the process is asked: the same result gives the same text wherever it is written.
    return Console(
        file=out,
        width=width,
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


def to_text(
    result: ComparisonResult,
    *,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    details: bool = False,
) -> str:
    """Write a comparison as text; see `outscore.reports.to_text`."""
    return several_to_text([result], width=width, color=color, ascii_only=ascii_only, details=details)


def several_to_text(
    results: Sequence[ComparisonResult],
    *,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    details: bool = False,
) -> str:
    """Write comparisons on several metrics as text; see `outscore.reports.several_to_text`."""
    out = StringIO()
    width = max(width, NARROWEST)
    console = plain_console(out, width, color=color)
    shown = details or len(results) == len(results[0].comparisons) == 1
    if len(results) > 1:
        console.print(_Report(results[0], width, ascii_only).metrics(results))
    if not shown:
        if len(results) == 1:
            console.print(_Report(results[0], width, ascii_only).candidates())
        console.print(Group("", *_Report(results[0], width, ascii_only).below_tables(results)))
    for result in results:
        report = _Report(result, width, ascii_only)
        if shown:
            if len(results) > 1:
                console.print(Group("", report.rule(result.metric.title, heavy=True), ""))
            console.print(report.everything())
        # Signatures are kept on one line, whatever the width, so that they can be copied.
        if result.metric.signature is not None:
            console.print(report.text(f"metric     {result.metric.signature}", "dim"), soft_wrap=True)
        console.print(report.text(f"signature  {result.signature}", "dim"), soft_wrap=True)
    text = out.getvalue().replace(UNBROKEN, " ")
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n")) + "\n"


class _Report:
    """The parts of a report on one result; each method returns one of them."""

    def __init__(self, result: ComparisonResult, width: int, ascii_only: bool) -> None:
        self.result = result
        self.several = len(result.comparisons) > 1
        self.width = width
        self.ascii_only = ascii_only

    def plain(self, content: str) -> str:
        content = printable(content)
        if self.ascii_only:
            content = content.translate(PLAIN).encode("ascii", "backslashreplace").decode("ascii")
        return FORMULA.sub(lambda found: found[0].replace(" ", UNBROKEN), content)

    def text(self, content: str, style: str = "") -> Text:
        return Text(self.plain(content), style=style)

    def prose(self, content: RenderableType) -> RenderableType:
        return Padding(content, (0, max(0, self.width - PROSE), 0, 0))

    def everything(self) -> Group:
        comparisons = self.result.comparisons
        parts: list[RenderableType] = [self.candidates(), ""] if self.several else []
        for comparison in comparisons:
            if self.several:
                parts += [self.rule(comparison.candidate), ""]
            parts += self.block(comparison)
        parts += self.labelled(self.common_notes())
        return Group(*parts)

    def candidates(self) -> Group:
        """Return all candidates in one table, which a report on several of them begins with."""
        return Group(self.prose(self.text(wording.summary(self.result), "bold")), "", self.systems())

    def below_tables(self, results: Sequence[ComparisonResult]) -> list[RenderableType]:
        """Return what must be known where the tables of several candidates or metrics are all that is shown."""
        lines = [
            (self.text(kind, "bold yellow" if kind == "warning" else "dim"), self.text(note))
            for kind, note in wording.notes_on(results)
        ]
        return self.labelled(lines)

    def metrics(self, results: Sequence[ComparisonResult]) -> Group:
        """Return all metrics in one table, which a report on several of them begins with."""
        rows, many = metric_table.rows(results), metric_table.with_candidates(results)
        names = {"metric": [self.plain(row.metric) for row in rows]}
        names |= {"candidate": [self.plain(row.candidate) for row in rows]} if many else {}
        numbers = {
            "baseline": [row.baseline_score for row in rows],
            "score" if many else "candidate": [row.candidate_score for row in rows],
            "gain": [row.gain for row in rows],
        }
        interval = wording.interval_heading(results[0].comparisons[0])
        rest = [*(["p"] if any(row.p for row in rows) else []), "verdict"]
        taken = {**numbers, interval: [row.interval for row in rows], "p": [row.p for row in rows]}
        widths = [max(map(cell_len, [heading, *column])) + GAP for heading, column in taken.items()]
        widths += [max(len(row.verdict) for row in rows)]
        widths += [max(map(cell_len, [heading, *column])) + GAP for heading, column in names.items()]
        if sum(widths) <= self.width:  # else names would be broken
            numbers[interval] = taken[interval]
        cells: list[list[str | Text]] = [
            *(list[str | Text](column) for column in (*names.values(), *numbers.values())),
            *([list[str | Text](row.p for row in rows)] if "p" in rest else []),
            [self.text(row.verdict, VERDICT_STYLES[row.verdict]) for row in rows],
        ]
        headings = [*names, *numbers, *rest]
        table = self.table(headings, zip(*cells, strict=True), right=list(numbers), wrapped=list(names))
        return Group(self.prose(self.text(metric_table.lead(results), "bold")), "", table)

    def rule(self, title: str, *, heavy: bool = False) -> Text:
        name = _folded(self.plain(title), self.width - 2)
        name.stylize("bold")
        rest = self.width - cell_len(name.plain.split("\n")[-1]) - 1
        light, thick = ("-", "=") if self.ascii_only else ("─", "━")
        return name.append(f" {(thick if heavy else light) * rest}", "dim")

    def block(self, c: Comparison) -> list[RenderableType]:
        return [
            self.prose(self.text(c.sentence, "" if self.several else "bold")),
            "",
            *self.labelled(self.facts(c)),
            *self.tests(c),
            *self.labelled(self.notes(c)),
            *self.histogram(c),
            "",
        ]

    def labelled(self, lines: Iterable[tuple[Text, Text]]) -> list[RenderableType]:
        """Return paragraphs with labels to their left, and an empty line below them if there are any."""
        grid = Table.grid(padding=(0, GAP, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for label, content in lines:
            grid.add_row(label, content)
        return [self.prose(grid), ""] if grid.rows else []

    def facts(self, c: Comparison) -> Iterable[tuple[Text, Text]]:
        verdict = self.text(f"{c.verdict}", VERDICT_STYLES[c.verdict])
        yield self.text("verdict", "dim"), Text.assemble(verdict, ". ", self.text(wording.explain_verdict(c)))
        yield self.text("items", "dim"), self.text(wording.items(c))
        yield self.text("r12", "dim"), self.text(wording.correlation(c))
        for warning in () if self.shared("warnings") else c.warnings:
            yield self.text("warning", "bold yellow"), self.text(warning)

    def notes(self, c: Comparison) -> Iterable[tuple[Text, Text]]:
        independence = wording.explain_independence(c)
        if independence is not None:
            yield self.text("†"), self.text(independence)
        emulation = wording.explain_emulation(c)
        if emulation is not None:
            yield self.text("‡"), self.text(emulation)
        if any(test.checks for test in c.tests):
            yield self.text("check", "dim"), self.text(wording.CHECKED)
        for left_out in () if self.shared("left_out") else wording.left_out(c):
            yield self.text("left out", "dim"), self.text(left_out)

    def shared(self, kind: Literal["warnings", "left_out"]) -> bool:
        """Return whether all of several candidates have the same ones, which are therefore said once, at the end."""
        every = [getattr(c, kind) for c in self.result.comparisons]
        return self.several and all(each == every[0] for each in every)

    def common_notes(self) -> Iterable[tuple[Text, Text]]:
        first = self.result.comparisons[0]
        for warning in first.warnings if self.shared("warnings") else ():
            yield self.text("warning", "bold yellow"), self.text(warning)
        for left_out in wording.left_out(first) if self.shared("left_out") else ():
            yield self.text("left out", "dim"), self.text(left_out)

    def table(
        self,
        headings: Sequence[str],
        rows: Iterable[Sequence[str | Text]],
        *,
        right: Sequence[str] = (),
        wrapped: Sequence[str] = (),
    ) -> RenderableType:
        """Return a table of which only the columns `wrapped` give way, so that no number is broken.

        Where even that is not enough (numbers of fifteen digits) all columns do: rich would cut numbers off.
        """
        cells = [[cell if isinstance(cell, Text) else self.text(cell) for cell in row] for row in rows]
        widths = [
            max(cell_len(line) for cell in column for line in cell.plain.split("\n"))
            for column in zip([self.text(heading) for heading in headings], *cells, strict=True)
        ]
        rigid = sum(
            GAP + (min(width, NARROWEST_NAME) if heading in wrapped else width)
            for heading, width in zip(headings, widths, strict=True)
        )
        if rigid > self.width:
            wrapped = headings
        table = Table(
            box=UNDERLINED_ASCII if self.ascii_only else UNDERLINED,
            show_edge=False,
            pad_edge=False,
            padding=(0, GAP - 1, 0, 0),
            header_style="none",
        )
        for heading in headings:
            side: Literal["left", "right"] = "right" if heading in right else "left"
            table.add_column(self.text(heading, "dim"), justify=side, overflow="fold", no_wrap=heading not in wrapped)
        for row in cells:
            table.add_row(*row)
        return table

    def tests(self, c: Comparison) -> list[RenderableType]:
        if not c.tests:
            return []
        alternatives = {test.alternative for test in c.tests}
        # What is the same for all tests is said once, above them. Of the two one-sided tests of equivalence the
        # worse counts, whichever side it is on.
        apart = len(alternatives) > 1 and c.claim is not Claim.EQUIVALENT
        if apart:
            heading = "tests of the gain"
        else:
            one = "two one-sided tests" if c.claim is Claim.EQUIVALENT else f"alternative: {c.tests[0].alternative}"
            heading = f"tests of H0: {wording.null_hypothesis(c, c.tests[0].alternative)} ({one})"

        rows: list[dict[str, str]] = []
        for test in c.tests:
            row = {"test": f"{test.name} {wording.mark(test)}".rstrip()}
            row |= {"alternative": test.alternative.value} if apart else {}
            row |= {"p": format_test_p(test, c.alpha)}
            row |= {"p (Holm)": format_adjusted_p(test, c.alpha)} if self.several else {}
            rows.append(row | {"computed": how_computed(test), BRACKET: wording.p_bracket(test, c.alpha)})
            for check in test.checks:
                again = {"test": f"  {wording.check_label(check)}", "p": format_test_p(check, c.alpha)}
                again |= {"computed": how_computed(check), BRACKET: wording.p_bracket(check, c.alpha)}
                rows.append({key: again.get(key, "") for key in row} | again)
        rows = [{key: self.plain(cell) for key, cell in row.items()} for row in rows]

        columns = {key: [row[key] for row in rows] for key in rows[0]}
        if not any(columns[BRACKET]):
            del columns[BRACKET]
        elif sum(max(map(len, [key, *cells])) + GAP for key, cells in columns.items()) > self.width:
            # Then numbers would be broken; what stands in one column together is broken between words.
            both = zip(columns.pop("computed"), columns.pop(BRACKET), strict=True)
            columns[f"computed ({BRACKET})"] = [f"{how} ({bracket})" if bracket else how for how, bracket in both]
        wrapped = ("computed", f"computed ({BRACKET})")
        table = self.table(list(columns), zip(*columns.values(), strict=True), wrapped=wrapped)
        return [self.text(heading, "dim"), Padding(table, (0, 0, 0, 2)), ""]

    def systems(self) -> RenderableType:
        first, comparisons = self.result.comparisons[0], self.result.comparisons
        scores = wording.table_format(comparisons)
        interval = wording.interval_heading(first)
        columns: dict[str, list[str]] = {
            "score": [
                scores.score(score) for score in (first.baseline_score, *(c.candidate_score for c in comparisons))
            ],
            "gain": ["", *(scores.gain(c.gain) for c in comparisons)],
            interval: ["", *(scores.interval(c.interval.low, c.interval.high) for c in comparisons)],
        }
        if all(c.tests for c in comparisons):
            columns["p"] = ["", *(format_test_p(c.tests[0], c.alpha) for c in comparisons)]
            columns["p (Holm)"] = ["", *(format_adjusted_p(c.tests[0], c.alpha) for c in comparisons)]
        columns["verdict"] = ["baseline", *(c.verdict.value for c in comparisons)]

        def room() -> int:
            return self.width - sum(max(map(len, [k, *v])) + GAP for k, v in columns.items())

        # What each candidate's own block says again is left out first.
        for spare in ("p", interval):
            if room() < NARROWEST_NAME:
                columns.pop(spare, None)
        names = [first.baseline, *(c.candidate for c in comparisons)]
        cells: list[list[str | Text]] = [
            [_folded(self.plain(name), max(room(), NARROWEST_NAME)) for name in names],
            *(list[str | Text](column) for heading, column in columns.items() if heading != "verdict"),
            [self.text(verdict, VERDICT_STYLES.get(verdict, "dim")) for verdict in columns["verdict"]],
        ]
        return self.table(["system", *columns], zip(*cells, strict=True), right=("score", "gain", interval))

    def histogram(self, c: Comparison) -> list[RenderableType]:
        scores = comparison_format(c)
        gain = "gain" if self.ascii_only else "δ"
        marks = [(0.0, "0"), (c.gain, f"{gain} = {scores.gain(c.gain)}")] if c.gain != 0 else [(0.0, f"{gain} = 0")]
        if c.margin is not None and c.claim is not Claim.BETTER:
            size = scores.size(c.margin)
            marks.append((-c.margin, f"-{size}"))
            if c.claim is Claim.EQUIVALENT:
                marks.append((c.margin, f"+{size}"))
        chart = draw(
            c.histogram,
            marks,
            c.interval,
            f"{wording.interval_heading(c)} {scores.interval(c.interval.low, c.interval.high)}",
            columns=min(self.width, PROSE) - 4,
            rows=4 if self.several else 7,
            ascii_only=self.ascii_only,
        )
        if chart is None:
            return [self.prose(self.text(f"every resample has the gain {scores.gain(c.gain)}", "dim"))]
        how = "exact" if c.histogram.exact else "sampled"
        heading = self.text(f"bootstrap law of the gain ({how}; the outermost bars hold the tails)", "dim")
        split = max(chart.zero, 0)
        bars = [Text.assemble((bar[:split], "red"), (bar[split:], "cyan")) for bar in chart.bars]
        below = [Text(line) for line in (chart.axis, *chart.labels)]
        return [heading, Padding(Group(*bars, *below), (0, 0, 0, 2))]


def _folded(name: str, room: int) -> Text:
    """Break a name that is wider than its column, after a sign that separates its parts where there is one."""
    lines = [""]
    for part in re.findall(r"[^/\\_.:-]*[/\\_.:-]*", name):
        for piece in [part] if cell_len(part) <= room else part:
            if cell_len(lines[-1] + piece) > room:
                lines.append("")
            lines[-1] += piece
    return Text("\n".join(lines))
