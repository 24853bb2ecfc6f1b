"""Documents as LaTeX: their tables (booktabs) for a paper, and everything else as comments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from outscore.reports.documents import Document, Mark, Table, capital, remarks, write_marks
from outscore.text.naming import printable

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    # Ligatures that would swallow signs: --, '', ``, ?`
    "-": "-{}",
    "'": "'{}",
    "`": "{}`{}",
    # A bracket after a line break in a table would be its optional argument, and a star would belong to it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # Signs that outscore itself writes. What else a font lacks, such as Chinese, asks for XeLaTeX or LuaLaTeX.
    "α": r"$\alpha$",
    "δ": r"$\delta$",
    "χ": r"$\chi$",
    "²": "$^2$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "±": r"$\pm$",
    "†": r"$^\dagger$",
    "‡": r"$^\ddagger$",
    "√": r"$\surd$",
    "·": r"$\cdot$",
    "−": "$-$",
    "–": "{--}",
    "λ": r"$\lambda$",
    "↓": r"$\downarrow$",
}

NEEDS = r"% Needs \usepackage{booktabs} in the preamble."
_SIGNS_RAISED = {"†": r"\dagger", "‡": r"\ddagger"}
SIGNS = {
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "±": r"$\pm$",
    "α": r"$\alpha$",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "%": r"\%",
    "H0": "$H_0$",
    "p": "$p$",
    "–": "--",
    "-": "--",  # of a range
}
NUMBER = re.compile(
    r"(?:(?<!\d)([-+±] ?))?(\d[\d,]*(?:\.\d+)?)(?:e([-+]\d+))?|(?<=\d)[-–](?=\d)|≤|≥|±|α|<|>|\||%|\bH0\b|\bp\b(?!-)"
)


def escape(text: str) -> str:
    r"""Return text escaped for LaTeX.

    Examples
    --------
    >>> print(escape("a_b & 5% {#1} ~x^2 \\end"))
    a\_b \& 5\% \{\#1\} \textasciitilde{}x\textasciicircum{}2 \textbackslash{}end
    >>> print(escape("gpt-4--[mini]"))
    gpt-4-{}-{[}mini{]}
    """
    text = "".join(SPECIAL.get(c, c) for c in printable(text))
    # The break of a ligature is needed only before the same sign.
    return re.sub(r"([-'])\{\}(?!\1)", r"\1", text)


def math(text: str) -> str:
    r"""Return words, numbers and formulas of a report in LaTeX: minus signs, powers of ten, relations.

    Examples
    --------
    >>> print(math("p = 3.20e-05"), math("-1.9"), math("p < 1e-12"), math("gain ≤ -1.0"), math("95% of p-values"))
    $p$ = $3.20 \times 10^{-5}$ $-1.9$ $p$ $<$ $10^{-12}$ gain $\leq$ $-1.0$ 95\% of p-values
    >>> print(math("1-3"), math("1–3"), math("1 - 3"))
    1--3 1--3 1 $-3$
    """
    written, at = "", 0
    for number in NUMBER.finditer(text):
        written += escape(text[at : number.start()]) + _number(number)
        at = number.end()
    return written + escape(text[at:])


def _number(number: re.Match[str]) -> str:
    sign, digits, exponent = number.groups()
    if digits is None:
        return SIGNS[number[0]]
    sign = (sign or "").strip().replace("±", r"\pm ")
    if exponent is not None:
        power = f"10^{{{int(exponent)}}}"
        return f"${sign}{power}$" if digits == "1" else f"${sign}{digits} \\times {power}$"
    return f"${sign}{digits.replace(',', '{,}')}$" if sign else digits


def documents_to_latex(documents: Sequence[Document], *, bare: bool = False) -> str:
    """Write the tables of documents for a paper (booktabs), and everything else as comments above them.

    Bare, there are only the tabulars, with their captions as comments.
    """
    lines = [NEEDS]
    for index, document in enumerate(documents):
        lines += [""] if index else []
        lines += [f"% {remark}" for remark in remarks(document, prose)]
        tables = [block for block in document.blocks if isinstance(block, Table)]
        for k, table in enumerate(tables):
            lines += [""] if k else []
            lines += _table(table, bare=bare)
    return "\n".join(lines) + "\n"


def prose(text: str) -> str:
    """Return text with its marks; works are cited by natbib."""
    return write_marks(text, _part)


def _part(mark: Mark | None, text: str) -> str:
    match mark:
        case Mark.NAME:
            return escape(text)
        case Mark.STRONG:
            # Numbers with signs are formulas, which \textbf leaves as they are.
            number = math(text)
            return f"\\textbf{{\\boldmath {number}}}" if "$" in number else f"\\textbf{{{number}}}"
        case Mark.RAISED:
            return f"$^{{{_SIGNS_RAISED.get(text, text)}}}$"
        case Mark.CITED:
            return f"\\citep{{{text}}}"
        case Mark.HANGING:  # without width, so that columns are aligned
            return f"\\rlap{{{_part(Mark.RAISED, text.strip())}}}" if text.strip() else ""
        case Mark.LETTERS:
            # a1 is another letter than a.
            letters = "".join(f"$_{{{sign}}}$" if sign.isdigit() else sign for sign in text.strip())
            # The same width in all cells, so that the digits of scores are aligned.
            room = f"\\hphantom{{\\textsuperscript{{{'b' * len(text)}}}}}"
            return f"\\rlap{{\\textsuperscript{{{letters}}}}}{room}"
        case _:
            return math(text)


def _table(table: Table, *, bare: bool) -> list[str]:
    """Return the lines of a table (booktabs); bare, the caption is a comment."""
    sides = "".join("r" if column in table.right else "l" for column in range(len(table.headings)))
    caption = prose(table.title or table.caption)
    rows = [f"    {' & '.join(prose(cell.strip()) for cell in row)} \\\\" for row in table.rows]
    whole = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{caption}}}",
        f"  \\begin{{tabular}}{{{sides}}}",
        r"    \toprule",
        f"    {' & '.join(prose(capital(heading.strip())) for heading in table.headings)} \\\\",
        r"    \midrule",
        *rows,
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return [f"% {caption}", *(line[2:] for line in whole[3:-1])] if bare else whole
