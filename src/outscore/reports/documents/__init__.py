"""Documents: the sentences, facts, tables and pictures of a report in their order, whatever its format.

Text is one string. Marks in it are written by each format in its own way (`outscore.text.naming`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from outscore.text.naming import Mark, Note, capital, marked, name, plain, strong, verdict, write_marks

if TYPE_CHECKING:
    from outscore.reports.figures import Figure

__all__ = [
    "Block",
    "Document",
    "Fact",
    "Facts",
    "Heading",
    "Kind",
    "Mark",
    "Notes",
    "Paragraph",
    "Picture",
    "Signature",
    "Table",
    "capital",
    "marked",
    "message",
    "name",
    "overview",
    "plain",
    "remarks",
    "strong",
    "verdict",
    "write_marks",
]


class Kind(StrEnum):
    """Kinds of facts."""

    FACT = "fact"
    WARNING = "warning"
    NOTE = "note"  # its label is a sign, such as †


@dataclass(frozen=True)
class Paragraph:
    """One or more sentences; the leading one is the answer."""

    text: str
    leading: bool = False
    bullet: str = ""  # "- " begins an item of a list, "  " goes on with it


@dataclass(frozen=True)
class Heading:
    """The heading of what follows; 1 is the highest level."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Fact:
    """Something that is known, under a label."""

    label: str
    text: str
    kind: Kind = Kind.FACT
    of: tuple[str, ...] = ()  # names of the systems of which it holds; none where it holds of all

    @property
    def sentence(self) -> str:
        """The fact as an item of a list."""
        owners = f"{', '.join(self.of)}: " if self.of else ""
        match self.kind:
            case Kind.WARNING:
                return f"{owners}{strong('Warning:')} {self.text}"
            case Kind.NOTE:
                return f"{owners}{self.label} {self.text}"
            case Kind.FACT:
                return f"{owners}{self.label.capitalize()}: {self.text}"


def message(text: str) -> Fact:
    """Return a warning of a result, or a note on what was taken."""
    return Fact("note", text) if isinstance(text, Note) else Fact("warning", text, Kind.WARNING)


@dataclass(frozen=True)
class Facts:
    """Facts, their labels one below the other."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Notes:
    """A list of notes that a reader needs to understand the rest, and warnings after them.

    Warnings that are a `Note` go to the notes.
    """

    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        taken = tuple(text for text in self.warnings if isinstance(text, Note))
        object.__setattr__(self, "notes", (*self.notes, *taken))
        object.__setattr__(self, "warnings", tuple(text for text in self.warnings if not isinstance(text, Note)))


@dataclass(frozen=True)
class Table:
    """A table of text."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()  # columns of numbers
    caption: str = ""  # the text above it
    title: str = ""  # the text above it in a paper, which leaves the paragraphs out
    # Columns that are folded if there is little room. A table without any is never folded.
    fitted: tuple[int, ...] = ()
    # Columns that are left out if there is little room, in this order.
    spare: tuple[int, ...] = ()
    # Two columns that become one if there is little room, the second in brackets.
    joined: tuple[int, int] | None = None
    parted: frozenset[int] = frozenset()  # rows with a line below them
    indented: bool = False  # whether it belongs to its caption
    # Columns per group after the first column. Groups that do not fit go below, after the first column again. A table
    # of 0 is not split.
    folded: int = 0
    # The number of first columns whose cells are written once, above their rows, if there is little room or many rows.
    grouped: int = 0
    collapsed: bool = False  # whether GitHub shows only the caption until a reader opens the table


@dataclass(frozen=True)
class Picture:
    """A figure with its caption."""

    figure: Figure
    caption: str = ""
    rows: int = 7  # its height in lines on a terminal


@dataclass(frozen=True)
class Signature:
    """The signature of a result, on one line so that it can be copied."""

    text: str
    version: str = ""  # of outscore
    metric: str = ""  # the metric if this is the signature of a metric; else empty


Block: TypeAlias = Paragraph | Heading | Facts | Notes | Table | Picture | Signature


@dataclass(frozen=True)
class Document:
    """The contents of a report."""

    title: str  # a few words, for HTML reports
    blocks: tuple[Block, ...]

    @property
    def lead(self) -> str:
        """The first paragraph, without marks: the answer."""
        return next(plain(block.text) for block in self.blocks if isinstance(block, Paragraph))

    def not_said(self, notes: Sequence[str]) -> tuple[str, ...]:
        """Return the notes of a figure that no paragraph holds."""
        text = " ".join(plain(block.text) for block in self.blocks if isinstance(block, Paragraph))
        return tuple(note for note in notes if note not in text)


def overview(
    result: Any,
    title: str,
    paragraphs: Sequence[str],
    tables: Sequence[Table],
    notes: Sequence[str],
    *,
    caption: str,
    brief: str = "",
    warnings: Sequence[str] | None = None,
) -> Document:
    """Return a document of paragraphs, tables and notes, the same for every medium.

    The first paragraph is the answer. `caption` says what the tables show, for papers, which leave the paragraphs out.
    `brief` says how to see more, and replaces the signature in the short text of a terminal. Signature and warnings are
    those of the result, if it has any, unless other warnings are given.
    """
    first, *others = paragraphs
    signature = getattr(result, "signature", "")
    warnings = getattr(result, "warnings", ()) if warnings is None else warnings
    blocks: list[Block] = [Paragraph(first, leading=True), *map(Paragraph, others)]
    for table in tables:
        own_caption = f" {table.caption.rstrip(':.')}." if table.caption else ""
        blocks.append(replace(table, title=f"{caption}{own_caption}"))
    if brief:
        facts = [Fact("note", note) for note in notes]
        facts += map(message, warnings)
        return Document(title, (*blocks, Facts((*facts, Fact("details", brief)))))
    blocks += [Notes(tuple(notes), tuple(warnings))] if notes or warnings else []
    blocks += [Signature(signature, result.version)] if signature else []
    return Document(title, tuple(blocks))


def remarks(document: Document, write: Callable[[str], str]) -> list[str]:
    """Return everything but tables and pictures as lines for comments, signatures first; `write` writes paragraphs."""
    lines: list[str] = []
    for block in sorted(document.blocks, key=lambda block: not isinstance(block, Signature)):
        match block:
            case Signature(text, version, metric):
                lines.append(f"{plain(metric) if metric else f'outscore {version}'}: {plain(text)}")
            case Paragraph(text):
                lines.append(write(text))
            case Heading(text):
                lines.append(plain(text))
            case Facts(facts):
                lines += [plain(fact.sentence) for fact in facts]
            case Notes(notes, warnings):
                lines += map(plain, (*notes, *(f"Warning: {warning}" for warning in warnings)))
    return lines
