"""Rankings as text for a terminal, or for a file that people read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from io import StringIO

from rich.box import Box
from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from outscore.naming import printable
from outscore.numbers import format_count, format_exactly
from outscore.reports.names import cut, folded
from outscore.reports.rankings import wording
from outscore.reports.rankings.wording import CORRECTIONS, interval_heading, lead
from outscore.reports.terminal import GAP, NARROWEST, PLAIN, PROSE, plain_console
from outscore.results import Correction, Ranking, ranking_format

__all__ = ["ranking_to_text"]

NARROWEST_NAME = 12
WIDEST_NAME = 40
# From the surest on: shares of α, and the marks of p-values up to them.
MARKS = ((1 / 50, "█", "#"), (1 / 5, "▓", "+"), (1.0, "░", "*"))
UNMARKED = ("·", ".")
# A line below the headings, and a lighter one between clusters.
RULED = Box("    \n    \n ── \n    \n ┄┄ \n    \n    \n    \n")
RULED_ASCII = Box("    \n    \n -- \n    \n .. \n    \n    \n    \n", ascii=True)


def ranking_to_text(
    ranking: Ranking, *, width: int = 80, color: bool = False, ascii_only: bool = False, pairs: bool = False
) -> str:
    """Write a ranking as text; see `outscore.reports.rankings.ranking_to_text`."""
    out = StringIO()
    width = max(width, NARROWEST)
    console = plain_console(out, width, color=color)
    report = _Report(ranking, width, ascii_only)
    for part in report.parts(every_pair=pairs):
        console.print(part)
        console.print()
    # The signature is kept on one line, whatever the width, so that it can be copied.
    console.print(report.text(f"signature  {ranking.signature}", "dim"), soft_wrap=True)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().split("\n")) + "\n"


class _Report:
    """The parts of a report on one ranking; each method returns one of them."""

    def __init__(self, ranking: Ranking, width: int, ascii_only: bool) -> None:
        self.ranking, self.width, self.ascii_only = ranking, width, ascii_only
        self.scores = ranking_format(ranking)

    def plain(self, content: str) -> str:
        content = printable(content)
        if self.ascii_only:
            content = content.replace("–", "-").translate(PLAIN).encode("ascii", "backslashreplace").decode("ascii")
        return content

    def text(self, content: str, style: str = "") -> Text:
        return Text(self.plain(content), style=style)

    def prose(self, content: RenderableType) -> RenderableType:
        return Padding(content, (0, max(0, self.width - PROSE), 0, 0))

    def parts(self, *, every_pair: bool) -> list[RenderableType]:
        ranking = self.ranking
        found: list[RenderableType] = [self.prose(self.text(lead(ranking), "bold")), self.systems()]
        if wording.listed_pairs(ranking, every=every_pair):
            found.append(self.pairs())
        else:
            found.append(self.triangle())
        found.append(self.notes())
        return found

    def notes(self) -> RenderableType:
        grid = Table.grid(padding=(0, GAP, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        drawn = " Dotted lines part clusters." if self.ranking.systems[-1].cluster > 1 else ""
        grid.add_row(self.text("groups", "dim"), self.text(wording.explain_groups(self.ranking)))
        grid.add_row(self.text("clusters", "dim"), self.text(f"{wording.explain_clusters(self.ranking)}{drawn}"))
        for warning in self.ranking.warnings:
            grid.add_row(self.text("warning", "bold yellow"), self.text(warning))
        return self.prose(grid)

    def table(
        self,
        columns: dict[str, Sequence[str]],
        left: Sequence[str],
        names: Sequence[str],
        last: Collection[int] = (),
    ) -> Table:
        """Return a table of which only the columns of names give way, with a line below the `last` rows of clusters."""
        found = Table(
            box=RULED_ASCII if self.ascii_only else RULED,
            show_edge=False,
            pad_edge=False,
            padding=(0, GAP - 1, 0, 0),
            header_style="none",
        )
        room = min(max(self.room(columns, names), NARROWEST_NAME), WIDEST_NAME)
        for heading in columns:
            found.add_column(
                self.text(heading, "dim"),
                justify="left" if heading in (*left, *names) else "right",
                overflow="fold",
                no_wrap=heading not in names,
            )
        for place, row in enumerate(zip(*columns.values(), strict=True)):
            cells = (
                Text(folded(cell, room)) if heading in names else self.text(cell)
                for heading, cell in zip(columns, row, strict=True)
            )
            found.add_row(*cells, end_section=place in last)
        return found

    def room(self, columns: dict[str, Sequence[str]], names: Sequence[str]) -> int:
        """Return how wide each of the columns of names may be."""
        rigid = sum(_widest(heading, cells) + GAP for heading, cells in columns.items() if heading not in names)
        return (self.width - rigid - GAP * (len(names) - 1)) // len(names)

    def systems(self) -> Table:
        systems, scores = self.ranking.systems, self.scores
        unit = " (%)" if self.ranking.metric.as_percentage else ""
        families = any(system.family is not None for system in systems)
        to_next, to_best = zip(*wording.distances(self.ranking), strict=True)
        columns: dict[str, Sequence[str]] = {
            "rank": [wording.rank_range(system.rank_low, system.rank_high) for system in systems],
            "system": [self.plain(system.name) for system in systems],
            **({"family": [self.plain(system.family or "") for system in systems]} if families else {}),
            f"{self.plain(self.ranking.metric.title)}{unit}": [scores.score(system.score) for system in systems],
            interval_heading(self.ranking): [
                scores.scores(system.interval.low, system.interval.high) for system in systems
            ],
            "group": [system.group for system in systems],
            "to next": to_next,
            "to best": to_best,
            "P(best)": [wording.share(self.ranking, system.p_best) for system in systems],
        }
        longest = max(cell_len(name) for name in columns["system"])
        # What can be read off the other columns is left out where names would be broken; P(best) cannot be.
        # Families that are long give way, too.
        names: tuple[str, ...] = ("system",)
        if families and max(map(cell_len, columns["family"])) > NARROWEST_NAME:
            names = ("system", "family")
        for spare, least in (("to next", 2), ("to best", 2), ("P(best)", 1)):
            if self.room(columns, names) < min(longest, least * NARROWEST_NAME):
                columns.pop(spare, None)
        last = [i for i in range(len(systems) - 1) if systems[i].cluster != systems[i + 1].cluster]
        return self.table(columns, left=("group", "family"), names=names, last=last)

    def pairs(self) -> Table:
        ranking, scores = self.ranking, wording.gains_format(self.ranking)
        values = [wording.p_values(ranking, pair) for pair in ranking.pairs]
        columns: dict[str, Sequence[str]] = {
            "candidate": [self.plain(pair.candidate) for pair in ranking.pairs],
            "baseline": [self.plain(pair.baseline) for pair in ranking.pairs],
            "gain": [scores.gain(pair.gain) for pair in ranking.pairs],
            interval_heading(ranking): [
                scores.interval(pair.interval.low, pair.interval.high) for pair in ranking.pairs
            ],
        }
        headings = [self.plain(heading) for heading in wording.p_headings(ranking)]
        columns |= {heading: [row[place] for row in values] for place, heading in enumerate(headings)}
        columns["W/T/L"] = [
            "" if pair.wins is None else f"{pair.wins}/{pair.ties}/{pair.losses}" for pair in ranking.pairs
        ]
        # What is in every other format too is left out first, where names would have no room.
        n_tests = len(ranking.tests) - 1
        further = headings[len(headings) - n_tests :]
        names = ("candidate", "baseline")
        for spare in (*headings[2 : len(headings) - n_tests], interval_heading(ranking), "W/T/L", *further):
            if self.room(columns, names) < NARROWEST_NAME:
                columns.pop(spare, None)
        return self.table(columns, left=(), names=names)

    def triangle(self) -> Text:
        """Return all pairs as a triangle of marks: every system against those above it, numbered across."""
        ranking = self.ranking
        s = len(ranking.systems)
        digits = len(str(s - 1))
        if s - 1 + digits + GAP + NARROWEST_NAME > self.width:
            count = format_count(len(ranking.pairs))
            return self.text(f"{count} pairs: --pairs lists them, --format csv --pairs writes them.", "dim")
        by_names = {(pair.candidate, pair.baseline): pair.corrected(ranking.correction) for pair in ranking.pairs}
        names = [self.plain(system.name) for system in ranking.systems]
        room = min(self.width - (s - 1) - digits - 2, max(map(cell_len, names)))
        margin = digits + 1 + room + 1
        lines = [
            " " * margin + "".join(str(column).rjust(digits)[place] for column in range(1, s))
            for place in range(digits)
        ]
        for row, name in enumerate(names):
            marks = "".join(
                self._mark(by_names[ranking.systems[column].name, ranking.systems[row].name]) for column in range(row)
            )
            shown = cut(name, room, "~" if self.ascii_only else "…")
            lines.append(f"{row + 1:>{digits}} {shown}{' ' * (room - cell_len(shown))} {marks}")
        return Text("\n".join([*lines, "", self._legend()]))

    def _mark(self, p: float) -> str:
        for share, mark, ascii_mark in MARKS:
            if p <= share * self.ranking.alpha:
                return ascii_mark if self.ascii_only else mark
        return UNMARKED[self.ascii_only]

    def _legend(self) -> str:
        marks = [
            f"{ascii_mark if self.ascii_only else mark} p {'<=' if self.ascii_only else '≤'} "
            f"{format_exactly(share * self.ranking.alpha)}"
            for share, mark, ascii_mark in MARKS
        ]
        correction = self.ranking.correction
        how = "uncorrected" if correction is Correction.NONE else f"{CORRECTIONS[correction]}-corrected"
        return self.plain(f"{', '.join(marks)}, {UNMARKED[self.ascii_only]} larger; {how}. --pairs lists them all.")


def _widest(heading: str, cells: Sequence[str]) -> int:
    return max(cell_len(text) for text in (heading, *cells))
