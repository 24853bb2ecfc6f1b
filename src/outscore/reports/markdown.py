"""Documents as GitHub-flavoured Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from outscore.reports.documents import (
    Block,
    Document,
    Facts,
    Heading,
    Mark,
    Notes,
    Paragraph,
    Picture,
    Signature,
    Table,
    plain,
    strong,
    write_marks,
)
from outscore.text.naming import printable

LINE_START = r"^([-+=>]|\d+(?=[.)]))"  # begins a list or a quotation


# What GitHub links to, and tells people and issues about: @name and @team, #1, GH-1, owner/repository#1, and addresses
# of issues. It ignores backslashes there, but not code. A letter or digit before "@" makes it no mention.
# docs.github.com: "Basic writing and formatting syntax", "Autolinked references and URLs". What may stand before "#1"
# is read once, from the start of a word: a name of a million letters takes no longer than as many words.
_MENTION = re.compile(
    r"(?:(?<![a-z0-9])@[a-z0-9](?:[\w./-]*\w)?|(?:(?<![\w./@-])[\w./@-]*+)?#\d+|(?<![a-z0-9])GH-\d+"
    r"|https?://[^\s|`]+/(?:issues|pull|discussions)/\d+[^\s|`]*)+",
    re.IGNORECASE,
)


def escape(text: str) -> str:
    r"""Return text escaped for Markdown, GitHub's included, also at the beginning of a line.

    Examples
    --------
    >>> print(escape("a_b|c <script> *x*"), escape("1. One"))
    a\_b\|c \<script\> \*x\* &#49;. One
    """
    return re.sub(LINE_START, lambda match: _escape_first(match[1]), escape_cell(text))


def escape_cell(text: str) -> str:
    r"""Return text escaped for Markdown in a cell of a table, which never begins a line. Mentions become code.

    Examples
    --------
    >>> print(escape_cell("a|b"), escape_cell("0.1326"), escape_cell("+2%"), escape_cell("p < 1e-12"))
    a\|b 0.1326 +2% p < 1e-12
    >>> print(escape_cell("@bob against model@rev"), escape_cell("run #2"))
    `@bob` against model\@rev run `#2`
    """
    shown, parts, end = printable(text), list[str](), 0
    for mention in _MENTION.finditer(shown):
        parts += [_escape_signs(shown[end : mention.start()]), code(mention[0])]
        end = mention.end()
    return "".join([*parts, _escape_signs(shown[end:])])


def _escape_signs(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]|~#&!$@]|<(?=[A-Za-z/!?])|(?<=\S)>|:(?=\w))", r"\\\1", text)


def _escape_first(start: str) -> str:
    return f"\\{start}" if start in "-+=>" else f"&#{ord(start[0])};{start[1:]}"


def documents_to_markdown(documents: Sequence[Document]) -> str:
    """Write documents as GitHub-flavoured Markdown."""
    return "\n".join("\n\n".join(filter(None, map(_block, document.blocks))) + "\n" for document in documents)


def _block(block: Block) -> str:
    match block:
        case Paragraph(text, _, bullet):
            return f"{bullet}{prose(text)}"
        case Heading(text):
            return f"## {prose(text)}"
        case Facts(facts):
            return "\n".join(f"- {prose(fact.sentence)}" for fact in facts)
        case Notes(notes, warnings):
            items = [*notes, *(f"{strong('Warning:')} {warning}" for warning in warnings)]
            return "\n".join(f"- {prose(item)}" for item in items)
        case Table():
            return _table(block)
        case Picture():
            return ""  # text has none
        case Signature(text, _, metric):
            return f"{f'{prose(metric)}: ' if metric else ''}{code(text)}"


def prose(text: str) -> str:
    """Return text with its marks, as a line of its own."""
    return re.sub(LINE_START, lambda match: _escape_first(match[1]), _cell(text))


def _cell(text: str) -> str:
    def write(mark: Mark | None, part: str) -> str:
        if mark in (Mark.RAISED, Mark.HANGING, Mark.LETTERS):
            return f"<sup>{escape_cell(part.strip())}</sup>" if part.strip() else ""
        return f"**{escape_cell(part)}**" if mark in (Mark.STRONG, Mark.VERDICT) else escape_cell(part)

    return write_marks(text, write)


def _table(table: Table) -> str:
    headings, *rows = ([_cell(cell.strip()) for cell in line] for line in (table.headings, *table.rows))
    sides = ["---:" if column in table.right else "---" for column in range(len(headings))]
    lines = (f"| {' | '.join(line)} |" for line in (headings, sides, *rows))
    if table.collapsed:
        summary = _MENTION.sub(r"<code>\g<0></code>", html.escape(plain(table.caption).rstrip(":")))
        return "\n".join([f"<details><summary>{summary}</summary>", "", *lines, "", "</details>"])
    return "\n".join([*([prose(table.caption), ""] if table.caption else []), *lines])


def code(text: str) -> str:
    """Return text as code."""
    return f"`{printable(text).replace('`', ' ')}`"
