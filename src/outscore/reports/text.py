"""Documents as text for a terminal, or for a file that people read; figures are drawn with characters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, product, takewhile
from typing import TYPE_CHECKING

from outscore.options import opt, speaks_options
from outscore.reports.documents import (
    Block,
    Document,
    Fact,
    Facts,
    Heading,
    Kind,
    Mark,
    Notes,
    Paragraph,
    Picture,
    Signature,
    Table,
    plain,
    write_marks,
)
from outscore.reports.names import broken, cell_len, cut
from outscore.results import Verdict
from outscore.text.naming import printable
from outscore.text.numbers import format_count

if TYPE_CHECKING:
    from outscore.reports.figures import Bars, Cells, Figure

NARROWEST = 72
PROSE = 100  # longer lines are hard to read
GAP = 2  # between columns of a table
NARROWEST_NAME, LEAST = 12, 6  # columns of a name: what it should have, and must have
# Columns of names for which other columns give way: 40, half a terminal, where most names are whole, or the first of
# these for which there is room. A name of 40 letters then takes two, three or four lines.
NAMES = (40, 24, 18, NARROWEST_NAME)
LONG = 20  # rows, about a screen; in longer tables, too, what is the same in rows is said once above them

# Signs of the private area, which text that can be shown holds none of, begin a style; one ends it.
BOLD, DIM, GREEN, RED, CYAN, YELLOW, LOSS, GAIN = "\ue020\ue021\ue022\ue023\ue024\ue025\ue026\ue027"
END, UNBROKEN = "\ue02e", "\ue02f"
CODES = {BOLD: "1", DIM: "2", GREEN: "1;32", RED: "1;31", CYAN: "1;36", YELLOW: "1;33", LOSS: "31", GAIN: "36"}
STYLE = re.compile(f"[{''.join(CODES)}{END}]")
BLANK_END = re.compile(rf"[^\S\n]+({END}?)$", re.MULTILINE)  # of a line, before the end of a style, too
VERDICTS: Mapping[str, str] = {
    Verdict.BETTER: GREEN,
    Verdict.WORSE: RED,
    Verdict.EQUIVALENT: CYAN,
    Verdict.NOT_WORSE: CYAN,
    Verdict.INCONCLUSIVE: YELLOW,
    # Of gates, which are imported for few.
    "passed": GREEN,
    "failed": RED,
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
        "†": "+",
        "‡": "++",
        "↓": "(v)",
        "λ": "lambda",
        "─": "-",
        "━": "=",
        "┄": ".",
        "√": "sqrt ",
        "·": "*",
        "−": "-",
        "–": "-",
    }
)

# Formulas are not broken over lines.
FORMULA = re.compile(r"(?:\b(?:p|r12|alpha)|α) [=<>≤] [-\d.]+|\bp is undefined|(?<=\d) points\b| in %")
_CELLS = {False: "·░▓█", True: ".*+#"}


def documents_to_text(
    documents: Sequence[Document], *, width: int = 80, color: bool = False, ascii_only: bool = False
) -> str:
    """Write documents as text for a terminal of so many columns: at least 72 are used, and at most 100 by sentences.

    No line is wider than `width` but signatures, which are kept whole so that they can be copied, and tables that
    nothing in them could be left out of. Nothing is said by colour alone. For output encodings that lack signs,
    `ascii_only` returns only ASCII, names included.
    """
    width = max(width, NARROWEST)
    writer, written = _Writer(width, min(width, PROSE), ascii_only), []
    for document in documents:
        text = ""
        for before, block in pairwise([None, *document.blocks]):
            assert block is not None
            between = "\n" if isinstance(before, Signature) and isinstance(block, Signature) else "\n\n"
            text += f"{between if before else ''}{writer.block(block)}"
        written.append(text)
    text = BLANK_END.sub(r"\1", "\n\n\n".join(written).replace(UNBROKEN, " "))
    return (STYLE.sub(_escape, text) if color else STYLE.sub("", text)) + "\n"


prose = plain  # of the paragraph on methods


def _escape(sign: re.Match[str]) -> str:
    return f"\x1b[{CODES.get(sign[0], '0')}m"


def _styled(style: str, text: str) -> str:
    return "\n".join(f"{style}{line}{END}" if line else "" for line in text.split("\n")) if style else text


def _cells(text: str) -> int:
    """Return how wide a text is on one line."""
    return cell_len(STYLE.sub("", text))


@dataclass(frozen=True)
class _Writer:
    """Writes blocks on so many columns, sentences on fewer."""

    width: int
    prose: int
    ascii_only: bool

    def block(self, block: Block) -> str:
        match block:
            case Paragraph(text, leading):
                return _styled(BOLD if leading else "", self.filled(text))
            case Heading(text, level):
                return self.heading(text, level)
            case Facts(facts):
                return self.facts(facts)
            case Notes(notes, warnings):
                lines = [*notes, *(f"Warning: {warning}" for warning in warnings)]
                return "\n".join(self.filled(note, "- ", "  ") for note in lines)
            case Table():
                parts = self.folded(block) if block.folded else [block]
                return "\n\n".join(map(self.table, parts))
            case Picture():
                return self.picture(block)
            case Signature(text, _, metric):
                return _styled(DIM, f"{'metric     ' if metric else 'signature  '}{self.shown(text)}")

    def shown(self, text: str) -> str:
        """Return text as it is shown, its marks as styles."""

        def write(mark: Mark | None, part: str) -> str:
            part = printable(part)
            if self.ascii_only:
                part = part.translate(PLAIN).encode("ascii", "backslashreplace").decode("ascii")
            if mark is Mark.VERDICT:
                return _styled(VERDICTS[part], part)
            if mark is Mark.LETTERS:
                return f" {part}"
            return _styled(BOLD, part) if mark is Mark.STRONG else part

        return FORMULA.sub(lambda formula: formula[0].replace(" ", UNBROKEN), write_marks(text, write))

    def filled(self, text: str, first: str = "", other: str = "") -> str:
        lines = _wrapped(self.shown(text), self.prose - len(other))
        return "\n".join(f"{other if k else first}{line}" for k, line in enumerate(lines))

    def heading(self, text: str, level: int) -> str:
        *lines, last = broken(self.shown(text), self.width - 2) or [""]
        rule = ("━" if level == 1 else "─") * (self.width - _cells(last) - 1)
        rule = rule.translate(PLAIN) if self.ascii_only else rule
        return "\n".join([*(_styled(BOLD, line) for line in lines), f"{_styled(BOLD, last)} {_styled(DIM, rule)}"])

    def facts(self, facts: Sequence[Fact]) -> str:
        styles = {Kind.FACT: DIM, Kind.WARNING: YELLOW, Kind.NOTE: ""}
        labels = [self.shown(fact.label) for fact in facts]
        widest = max(map(_cells, labels))
        lines = []
        for label, fact in zip(labels, facts, strict=True):
            text = f"{'; '.join(fact.of)}: {fact.text}" if fact.of else fact.text
            first = f"{_styled(styles[fact.kind], label)}{' ' * (widest + GAP - _cells(label))}"
            lines.append(self.filled(text, first, " " * (widest + GAP)))
        return "\n".join(lines)

    def picture(self, picture: Picture) -> str:
        figure = picture.figure
        if figure.cells is not None:
            names = [self.shown(name) for name in figure.cells.names]
            picture_lines = draw_cells(figure.cells, names, self.width, ascii_only=self.ascii_only)
            *lines, legend = picture_lines
            return "\n".join([*lines, self.filled(legend)])
        chart = draw_bars(figure, columns=self.prose - 4, rows=picture.rows, ascii_only=self.ascii_only)
        if chart is None:
            return _styled(DIM, self.filled(figure.nothing))
        split = max(chart.zero, 0)
        bars = [f"{_styled(LOSS, bar[:split])}{_styled(GAIN, bar[split:])}" for bar in chart.bars]
        lines = [*bars, chart.axis, *chart.labels]
        return "\n".join([_styled(DIM, self.filled(picture.caption)), *(f"  {line}" for line in lines)])

    def folded(self, table: Table) -> Iterator[Table]:
        """Yield a table that can be folded, or where it is too wide its parts."""
        places = range(1, len(table.headings))
        texts = zip(table.headings, *table.rows, strict=True)
        widths = [GAP + max(_cells(self.shown(text)) for text in column) for column in texts]
        if 0 in table.fitted:  # its texts are broken before columns go below
            widths[0] = min(widths[0], GAP + 2 * NARROWEST_NAME)
        if sum(widths) - GAP <= self.width:
            yield table
            return
        parts: list[list[int]] = []
        for start in places[:: table.folded]:
            together = list(places[start - 1 : start - 1 + table.folded])
            if parts and sum(widths[position] for position in (0, *parts[-1], *together)) - GAP <= self.width:
                parts[-1] += together
            else:
                parts.append(together)
        for k, part in enumerate(parts):
            shown = [0, *part]
            yield replace(
                table,
                headings=tuple(table.headings[position] for position in shown),
                rows=tuple(tuple(row[position] for position in shown) for row in table.rows),
                right=frozenset(new for new, old in enumerate(shown) if old in table.right),
                caption="" if k else table.caption,
            )

    def table(self, table: Table) -> str:
        outer = margin = GAP if table.indented else 0
        columns = [
            _Column(index, [self.shown(text) for text in texts])
            for index, texts in enumerate(zip(table.headings, *table.rows, strict=True))
        ]
        above: dict[int, str] = {}
        narrow = _whole(columns) > self.width - margin
        if table.grouped and (narrow or len(table.rows) > LONG):
            groups, columns = columns[: table.grouped], columns[table.grouped :]
            texts = ["; ".join(parts) for parts in zip(*(group.texts for group in groups), strict=True)]
            above = {row: text for row, text in enumerate(texts) if row <= 1 or text != texts[row - 1]}
            margin += GAP
        columns, once, left_out = _fitting(columns, table, self.width - margin, [row for row in above if row])
        places = [column.place for column in columns]
        widths = _widths(columns, table, self.width - margin)
        cells = [
            [
                _wrapped(text, width) if column.place in table.fitted or _cells(text) > width else [text]
                for column, width in zip(columns, widths, strict=True)
                for text in [column.texts[row]]
            ]
            for row in range(len(table.rows) + 1)
        ]
        widths = [max(_cells(line) for row in cells for line in row[k]) for k in range(len(columns))]
        whole = sum(widths) + GAP * (len(widths) - 1)
        under, parting = ("-", ".") if self.ascii_only else ("─", "┄")
        lines = _wrapped(f"In all rows: {'; '.join(once[0])}.", self.prose) if 0 in once else []
        for number, row in enumerate(cells):
            if number in above:
                heading = "; ".join([above[number], *(once.get(number, ()) if number else ())])
                lines += [f"{' ' * outer}{line}" for line in _wrapped(heading, self.width - outer)]
            for k in range(max(map(len, row))):
                line = []
                for text, width, index in zip(row, widths, places, strict=True):
                    part = text[k] if k < len(text) else ""
                    blank = " " * (width - _cells(part))
                    line.append(blank + part if index in table.right else part + blank)
                lines.append(" " * margin + _styled("" if number else DIM, (" " * GAP).join(line)))
            rule = under if number == 0 else parting if number - 1 in table.parted else ""
            lines += [f"{' ' * outer}{rule * (whole + margin - outer)}"] if rule else []
        if left_out:
            headings = ", ".join(table.headings[place] for place in left_out)
            lines += self.filled(f"Columns not shown at this width: {headings}.").split("\n")
        rendered = "\n".join(lines)
        if not table.caption:
            return rendered
        caption = self.filled(table.caption)
        return f"{_styled(DIM, caption)}\n{rendered}" if table.indented else f"{caption}\n\n{rendered}"


class _Column:
    """The heading and the cells of a column, as they are shown."""

    def __init__(self, place: int, texts: Sequence[str]) -> None:
        self.place, self.texts = place, texts
        self.widest = max(map(_cells, texts))

    def said_once(self, starts: Sequence[int]) -> Mapping[int, str]:
        """Return what is said of the rows from each of some starts to the next; nothing where these rows differ."""
        parts = {start: set(self.texts[max(start, 1) : end]) for start, end in pairwise([*starts, len(self.texts)])}
        if len(self.texts) - 1 <= len(parts) or any(len(texts) > 1 or "" in texts for texts in parts.values()):
            return {}
        return {start: f"{self.texts[0]} {texts.pop()}" for start, texts in parts.items()}

    @property
    def common_start(self) -> str:
        """The folders with which all names begin."""
        folders = zip(*(text.split("/")[:-1] for text in self.texts[1:] if text), strict=False)
        return "".join(f"{parts[0]}/" for parts in takewhile(lambda parts: len({*parts}) == 1, folders))


def _whole(columns: Sequence[_Column], most: int | None = None, named: Collection[int] = ()) -> int:
    """Return how wide columns are together, with at most so many columns of the terminal for those of names."""
    widths = (
        column.widest if most is None or column.place not in named else min(column.widest, most) for column in columns
    )
    return sum(width + GAP for width in widths) - GAP


def _fitting(
    columns: list[_Column], table: Table, width: int, starts: Sequence[int]
) -> tuple[list[_Column], Mapping[int, Sequence[str]], Sequence[int]]:
    """Return the columns that fit on so many columns of a terminal, what is said once above rows, and what is left out.

    What costs a reader least gives way first: texts in brackets get no column of their own, a column that is the same
    in all rows (or in all rows of each group, which begin at `starts`) is said once above them, folders in which all
    names begin are cut, and columns are left out in the order of the table. Names are folded only if they would not be
    whole without these columns.
    """

    def too_wide(columns: Sequence[_Column]) -> bool:
        return _whole(columns, NAMES[0], table.fitted) > width

    if table.joined is not None and too_wide(columns):
        columns = _with_brackets(columns, *table.joined)
    spare = [column for place in table.spare for column in columns if column.place == place]
    others = [column for column in columns if column.place not in (*table.spare, *table.fitted)]
    said: list[Mapping[int, str]] = []
    for column in (*spare, *others):
        once = column.said_once(starts or [0])
        if once and (too_wide(columns) or len(table.rows) > LONG):
            columns = [other for other in columns if other is not column]
            said.append(once)
    if too_wide(columns):
        columns, folders = _without_folders(columns, table.fitted)
        said += [{0: text} for text in folders]
    above = {start: [once[start] for once in said if start in once] for start in {*chain(*said)}}
    left = _left(columns, table, width)
    return left, above, [column.place for column in columns if column not in left]


def _with_brackets(columns: Sequence[_Column], first: int, second: int) -> list[_Column]:
    """Return columns with the texts of one in brackets behind those of another."""
    texts = {column.place: column.texts for column in columns}
    both = [f"{how} ({bracket})" if bracket else how for how, bracket in zip(texts[first], texts[second], strict=True)]
    return [_Column(first, both) if column.place == first else column for column in columns if column.place != second]


def _without_folders(columns: Sequence[_Column], named: Collection[int]) -> tuple[list[_Column], Iterator[str]]:
    """Return columns without the folders in which all names of one begin, and what is said of these folders."""
    shortened, headings = [], dict[str, list[str]]()
    for column in columns:
        folders = column.common_start if column.place in named else ""
        if folders:
            headings.setdefault(folders, []).append(column.texts[0])
            texts = (text.replace(folders, "", 1) for text in column.texts[1:])
            column = _Column(column.place, [column.texts[0], *texts])
        shortened.append(column)
    said = (f"{' and '.join(of)} begin{'s' * (len(of) == 1)} with {folders}" for folders, of in headings.items())
    return shortened, said


def _left(columns: Sequence[_Column], table: Table, width: int) -> list[_Column]:
    """Return the columns that are left where others give way to names of as many columns as possible of `NAMES`."""
    left: list[_Column] = []
    for most, count in product(NAMES, range(len(table.spare) + 1)):
        left = [column for column in columns if column.place not in table.spare[:count]]
        if _whole(left, most, table.fitted) <= width:
            break
    return left


def _widths(columns: Sequence[_Column], table: Table, width: int) -> list[int]:
    """Return how wide columns are: those that are fitted give way, or all where that is not enough."""
    whole = width - GAP * (len(columns) - 1)
    if not table.fitted or sum(column.widest for column in columns) <= whole:
        return [column.widest for column in columns]
    least = sum(min(column.widest, LEAST) if column.place in table.fitted else column.widest for column in columns)
    gives_way: Callable[[_Column], bool] = lambda column: least > whole or column.place in table.fitted  # noqa: E731
    rest = whole - sum(column.widest for column in columns if not gives_way(column))
    # As wide as the widest may be, so that all of them fit.
    giving = sorted(column.widest for column in columns if gives_way(column))
    most = 1
    for k, widest in enumerate(giving):
        most = max(1, rest // (len(giving) - k))
        if widest > most:
            break
        rest -= widest
    return [min(column.widest, most) if gives_way(column) else column.widest for column in columns]


def _wrapped(text: str, width: int) -> list[str]:
    """Return text on lines of at most so many columns, broken between words; a style goes on in the next line."""
    lines = [""]
    for word in text.split(" "):
        more = f" {word}" if lines[-1] else word
        if _cells(lines[-1] + more) <= width:
            lines[-1] += more
        elif _cells(word) <= width:
            lines.append(word)
        else:
            lines[-1:] = broken(lines[-1] + more, width, measure=_cells)
    closed, style = [], ""
    for line in lines:
        if line:
            text = style + line.rstrip(" ")
            signs = STYLE.findall(text)
            style = signs[-1] if signs and signs[-1] != END else ""
            closed.append(f"{text}{END}" if style else text)
    return closed or [""]


@dataclass(frozen=True, slots=True)
class Chart:
    """A histogram in lines of characters."""

    bars: tuple[str, ...]  # top to bottom, all of one width
    axis: str  # the line below the bars, with a tick at each mark
    labels: tuple[str, ...]  # what the ticks mean, in as many lines as keep them apart, and the interval
    zero: int  # The column of a gain of 0; bars left of it are losses. It may lie outside of the chart.


@dataclass(frozen=True, slots=True)
class _Glyphs:
    levels: str  # a cell filled from nothing to wholly
    zero: str
    axis: str
    tick: str
    left: str
    right: str
    span: tuple[str, str, str]  # left end, middle and right end of the interval


_BLOCKS = _Glyphs(" ▁▂▃▄▅▆▇█", "┊", "─", "┬", "◂", "▸", ("├", "─", "┤"))
_ASCII = _Glyphs(" .:#", "|", "-", "+", "<", ">", ("|", "-", "|"))


def draw_bars(figure: Figure, *, columns: int, rows: int, ascii_only: bool = False) -> Chart | None:
    r"""Draw a distribution with its flags, the most important first, and an interval below it.

    Parameters
    ----------
    figure : Figure
        With bars.
    columns, rows : int
        How much room there is for the bars.

    Returns
    -------
    Chart or None
        None where there is no shape to draw: fewer than two bins, because all resamples have the same gain.

    Examples
    --------
    >>> from outscore.reports.figures import Bars, Figure, Flag, Scale, Span
    >>> law = Bars((-0.2, -0.1, 0.0, 0.1, 0.2, 0.3), (0.05, 0.2, 0.5, 0.2, 0.05), ("worse", "better"))
    >>> flags = (Flag(0.0, "0", "zero"), Flag(0.05, "+0.05", "gain"))
    >>> figure = Figure("", (), Scale(""), Scale(""), (), bars=law, flags=flags, span=Span(-0.1, 0.2, "95%"))
    >>> chart = draw_bars(figure, columns=30, rows=3, ascii_only=True)
    >>> print("\n".join(line.rstrip() for line in [*chart.bars, chart.axis, *chart.labels]))
                ######
          ......######......
    ......##################......
    ------------+--+--------------
                0  +0.05
          |-----------------| 95%
    """
    bars = figure.bars
    if bars is None or not bars.has_shape:
        return None
    edges, m = bars.edges, len(bars.masses)
    glyphs = _ASCII if ascii_only else _BLOCKS
    width = m * min(columns // m, 8) if m <= columns else columns

    def column(value: float) -> int:
        """Return the column of a value; -1 left of the chart, and `width` right of it."""
        position = (value - edges[0]) / (edges[-1] - edges[0]) * width
        # The last edge belongs to the last column, and a value that rounding put just below an edge to the
        # column that begins there.
        return width - 1 if value == edges[-1] else min(max(math.floor(position + 1e-6), -1), width)

    zero = column(0.0)
    marks = [
        (column(flag.at), flag.said.replace("δ", "gain") if ascii_only else flag.said)
        for flag in figure.flags
        if math.isfinite(flag.at)
    ]
    labels = _labels(marks, width, columns, glyphs)
    if figure.span is not None and not math.isnan(figure.span.low + figure.span.high):
        # What has no end on one side is drawn to the edge.
        low, high = (min(max(end, edges[0] - 1.0), edges[-1] + 1.0) for end in (figure.span.low, figure.span.high))
        labels += _span(column(low), column(high), figure.span.said, width, columns, glyphs)
    ticks = {tick for tick, _ in marks if 0 <= tick < width}
    return Chart(
        bars=_bars(_in_columns(bars, width), rows, glyphs, zero),
        axis="".join(glyphs.tick if i in ticks else glyphs.axis for i in range(width)),
        labels=tuple(labels),
        zero=zero,
    )


def draw_cells(cells: Cells, names: Sequence[str], width: int, *, ascii_only: bool = False) -> list[str]:
    """Draw all pairs as a triangle of marks: every thing against those above it, numbered across.

    Names are as they are shown. The last line is the legend. Where there are too many pairs to be drawn, there is one
    line.
    """
    s, marks = len(names), _CELLS[ascii_only]
    digits = len(str(s - 1))
    if s - 1 + digits + 2 + NARROWEST_NAME > width:
        every = opt("pairs", True)
        csv = f"{opt('format', 'csv')} {every}" if speaks_options() else f"to_csv({every})"
        return [f"{format_count(cells.count)} pairs: {every} lists them, {csv} writes them."]
    room = min(width - (s - 1) - digits - 2, max(map(cell_len, names)))
    margin = digits + 1 + room + 1
    lines = [
        " " * margin + "".join(str(column).rjust(digits)[digit] for column in range(1, s)) for digit in range(digits)
    ]
    rows: list[list[str]] = [[""] * row for row in range(s)]
    for cell in cells.cells:
        rows[cell.column][cell.row] = marks[cell.level]
    for row, name in enumerate(names):
        shown = cut(name, room, "~" if ascii_only else "…")
        blank = " " * (room - cell_len(shown))
        lines.append(f"{row + 1:>{digits}} {shown}{blank} {''.join(rows[row])}")
    legend = [f"{mark} {level}" for mark, level in reversed([*zip(marks[1:], cells.levels[1:], strict=True)])]
    return [*lines, "", f"{', '.join(legend)}, {marks[0]} larger; {cells.how}. {opt('pairs', True)} lists them all."]


def _in_columns(law: Bars, width: int) -> list[float]:
    """Spread each bin evenly over the columns that it covers, in whole or in part."""
    edges = law.edges
    scale = width / (edges[-1] - edges[0])
    spread = [0.0] * width
    for left, right, probability in zip(edges, edges[1:], law.masses, strict=False):
        start, stop = (left - edges[0]) * scale, (right - edges[0]) * scale
        first = min(math.floor(start), width - 1)
        for i in range(first, min(math.ceil(stop), width)):
            covered = min(stop, i + 1) - max(start, i)
            if stop > start and covered > 0:
                spread[i] += probability * covered / (stop - start)
    return spread


def _bars(heights: Sequence[float], rows: int, glyphs: _Glyphs, zero: int) -> tuple[str, ...]:
    full = len(glyphs.levels) - 1
    levels = [round(height / max(heights) * rows * full) for height in heights]
    lines = []
    for row in reversed(range(rows)):
        cells = [glyphs.levels[min(max(level - row * full, 0), full)] for level in levels]
        if 0 <= zero < len(cells) and cells[zero] == " ":
            cells[zero] = glyphs.zero
        lines.append("".join(cells))
    return tuple(lines)


def _labels(marks: Sequence[tuple[int, str]], width: int, columns: int, glyphs: _Glyphs) -> list[str]:
    """Set labels below their ticks: centred, or else beside one another, or else in another line."""
    lines: list[str] = []
    for tick, label in marks:
        if tick < 0:
            text, starts = f"{glyphs.left} {label}", [0]
        elif tick >= width:
            text = f"{label} {glyphs.right}"
            starts = [max(0, width - len(text))]
        else:
            text, last = label, max(0, columns - len(label))
            centred = min(max(0, tick - len(text) // 2), last)
            starts = [centred, *(start for start in (tick, tick - len(text) + 1) if 0 <= start <= last)]
        # Free with two blanks to each side.
        spots = [
            (i, start)
            for i, line in enumerate(lines)
            for start in starts
            if not line[max(0, start - 2) : start + len(text) + 2].strip()
        ]
        if not spots:
            lines.append("")
        i, start = spots[0] if spots else (len(lines) - 1, starts[0])
        lines[i] = lines[i].ljust(start)[:start] + text + lines[i][start + len(text) :]
    return lines


def _span(low: int, high: int, label: str, width: int, columns: int, glyphs: _Glyphs) -> list[str]:
    """Draw the interval as a line with two ends, its label beside it or, where there is no room, below it."""
    low, high = max(low, 0), min(high, width - 1)
    left, middle, right = glyphs.span
    line = left if low >= high else left + middle * (high - low - 1) + right
    if high + 2 + len(label) <= columns:
        return [f"{' ' * low}{line} {label}"]
    if len(label) + 1 <= low:
        return [f"{label.rjust(low - 1)} {line}"]
    start = min(max(0, (low + high - len(label)) // 2), max(0, columns - len(label)))
    return [" " * low + line, " " * start + label]
