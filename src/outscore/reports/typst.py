"""Documents as Typst: their tables for a paper, and everything else as comments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from outscore.reports.documents import Document, Mark, Table, capital, remarks, write_marks
from outscore.text.naming import printable

# "--", "-?", "..." and a hyphen before a number are set as other signs. Some signs begin lists.
SPECIAL = re.compile(r"[\\#$*_`<>@~/\[\]{}]|-(?=[-?])|(?<![^\W_])-(?=\d)|\.(?=\.)|^[-+=](?=[=\s]|$)")
QUOTES = re.compile(r"[\"']")
FIRST_NUMBER = re.compile(r"^(\d+)\.(?=\s|$)")
NUMBER = re.compile(r"\b(?P<digits>\d+(?:\.\d+)?)e(?P<power>[-+]\d+)\b|(?<![\w)])-(?=\d)|\bH0\b|\bp\b(?!-)")
FORMULAS = {"-": "−", "H0": "$H_0$", "p": "$p$"}


def escape(text: str) -> str:
    r"""Return text escaped for Typst's markup.

    Examples
    --------
    >>> print(escape("a_b & 5% {#1} gpt-4o-mini http://x"))
    a\_b & 5% \{\#1\} gpt-4o-mini http:\/\/x
    """
    return QUOTES.sub(r"\\\g<0>", _words(printable(text)))


def number(text: str) -> str:
    r"""Return words, numbers and formulas of a report in Typst: minus signs, powers of ten.

    Examples
    --------
    >>> print(number("-1.9 to +0.3"), number("p = 3.20e-05"), number("1e-12"), number("Holm's"))
    −1.9 to +0.3 $p$ = $3.20 times 10^(-5)$ $10^(-12)$ Holm's
    """
    written, at = "", 0
    for match in NUMBER.finditer(text):
        written += _words(text[at : match.start()])
        factor = "" if match["digits"] in ("1", None) else f"{match['digits']} times "
        written += f"${factor}10^({int(match['power'])})$" if match["power"] else FORMULAS[match[0]]
        at = match.end()
    return written + _words(text[at:])


def _words(text: str) -> str:
    return FIRST_NUMBER.sub(r"\1\\.", SPECIAL.sub(r"\\\g<0>", text))


def documents_to_typst(documents: Sequence[Document], *, bare: bool = False) -> str:
    """Write the tables of documents for a paper, and everything else as comments above them.

    Bare, there are only the tables, without a figure and with their captions as comments.
    """
    parts = []
    for document in documents:
        lines = [f"// {remark}" for remark in remarks(document, prose)]
        tables = [_table(block, bare=bare) for block in document.blocks if isinstance(block, Table)]
        parts.append("\n".join([*lines, "\n\n".join(tables)]))
    return "\n\n".join(parts) + "\n"


def prose(text: str) -> str:
    """Return text with its marks."""
    return write_marks(text, _part)


def _part(mark: Mark | None, text: str) -> str:
    match mark:
        case Mark.NAME:
            return escape(text)
        case Mark.STRONG:
            return f"#strong[{number(text)}]"
        case Mark.RAISED:  # fonts have stars raised
            return escape(text) if text.startswith("*") else f"#super[{escape(text)}]"
        case Mark.CITED:
            return " ".join(f"@{key}" for key in text.split(","))
        case Mark.HANGING:  # without width, so that columns are aligned
            return f"#box(width: 0pt, align(left)[{_part(Mark.RAISED, text.strip())}])" if text.strip() else ""
        case Mark.LETTERS:
            # The same width in all cells, so that the digits of scores are aligned.
            return f"#box(width: 0pt, align(left)[#super[{escape(text.strip())}]])#hide[#super[{'b' * len(text)}]]"
        case _:
            return number(text)


def _table(table: Table, *, bare: bool) -> str:
    def cells(texts: Sequence[str]) -> str:
        return ", ".join(f"[{prose(text.strip())}]" for text in texts)

    sides = ", ".join("right" if column in table.right else "left" for column in range(len(table.headings)))
    caption = prose(table.title or table.caption)
    lines = [
        "table(",
        f"  columns: {len(table.headings)},",
        f"  align: ({sides}),",
        "  stroke: none,",
        "  table.hline(),",
        f"  table.header({cells([capital(heading.strip()) for heading in table.headings])}),",
        "  table.hline(stroke: 0.5pt),",
        *(f"  {cells(row)}," for row in table.rows),
        "  table.hline(),",
        ")",
    ]
    if bare:
        return "\n".join([f"// {caption}", f"#{lines[0]}", *lines[1:]])
    return "\n".join(["#figure(", *(f"  {line}" for line in lines[:-1]), "  ),", f"  caption: [{caption}],", ")"])
