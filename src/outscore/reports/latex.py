"""Results as LaTeX tables (booktabs) to be put into a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from outscore.naming import printable
from outscore.reports import metric_table, wording
from outscore.results import (
    Comparison,
    ComparisonResult,
    comparison_format,
    format_adjusted_p,
    format_test_p,
    how_computed,
    write_sentence,
)

__all__ = ["NEEDS", "escape", "math", "several_to_latex", "table", "to_latex"]

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
}

NEEDS = r"% Needs \usepackage{booktabs} in the preamble."
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
}
NUMBER = re.compile(r"([-+±] ?)?(\d[\d,]*(?:\.\d+)?)(?:e([-+]\d+))?|≤|≥|±|α|<|>|\||%|\bH0\b|\bp\b")


def escape(text: str) -> str:
    r"""Return text that LaTeX sets as it stands.

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
    r"""Return numbers and formulas of a report as LaTeX sets them: true minus signs, powers of ten, relations.

    Examples
    --------
    >>> print(math("p = 3.20e-05"), math("-1.9"), math("p < 1e-12"), math("gain ≤ -1.0"), math("95%"))
    $p$ = $3.20 \times 10^{-5}$ $-1.9$ $p$ $<$ $10^{-12}$ gain $\leq$ $-1.0$ 95\%
    """

    def write(found: re.Match[str]) -> str:
        sign, digits, exponent = found.groups()
        if digits is None:
            return SIGNS[found[0]]
        sign = (sign or "").strip().replace("±", r"\pm ")
        if exponent is not None:
            power = f"10^{{{int(exponent)}}}"
            return f"${sign}{power}$" if digits == "1" else f"${sign}{digits} \\times {power}$"
        return f"${sign}{digits.replace(',', '{,}')}$" if sign else digits

    return NUMBER.sub(write, text)


def to_latex(result: ComparisonResult) -> str:
    """Write a comparison as a table of the systems and, where there is more than one test, a table of the tests.

    With one candidate the sentence is the caption. With several the caption says what was compared, and the
    sentences stand above the table, commented out, for pasting.
    """
    return "\n".join([NEEDS, *_tables(result)]) + "\n"


def several_to_latex(results: Sequence[ComparisonResult]) -> str:
    """Write comparisons on several metrics as a table of all of them, and then the tables of each."""
    many = metric_table.with_candidates(results)
    headings = [
        "Metric",
        *(["Candidate"] if many else []),
        "Baseline",
        "Score" if many else "Candidate",
        "Gain",
        "$p$",
        "Verdict",
    ]
    rows = []
    for row in metric_table.rows(results):
        names = [escape(row.metric), *([escape(row.candidate)] if many else [])]
        rows.append([*names, *map(math, (row.baseline_score, row.candidate_score, row.gain, row.p)), row.verdict])
    caption = metric_table.lead(results, name=escape, number=math)
    lines = [NEEDS, *table(caption, f"{'ll' if many else 'l'}rrrll", headings, rows)]
    for result in results:
        lines += ["", *_tables(result)]
    return "\n".join(lines) + "\n"


def _tables(result: ComparisonResult) -> list[str]:
    sentences = [write_sentence(c, name=escape, number=math) for c in result.comparisons]
    lines = [
        f"% outscore {result.version}: {printable(result.signature)}",
        *(f"% {printable(note)}" for note in _notes(result)),
    ]
    if len(sentences) > 1:
        lines += [f"% {sentence}" for sentence in sentences]
        caption = wording.summary(result, name=escape, number=math)
    else:
        caption = "".join(sentences)
    lines += _systems(result, caption)
    if any(len(c.tests) > 1 for c in result.comparisons):
        lines += ["", *_tests(result)]
    return lines


def table(caption: str, columns: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table (booktabs); its cells are LaTeX already."""
    body = [f"    {' & '.join(row)} \\\\" for row in rows]
    return [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{caption}}}",
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {' & '.join(headings)} \\\\",
        r"    \midrule",
        *body,
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]


def _p_values(c: Comparison, index: int, several: bool) -> list[str]:
    test = c.tests[index]
    return [math(p) for p in (format_test_p(test, c.alpha), format_adjusted_p(test, c.alpha))[: 1 + several]]


def _systems(result: ComparisonResult, caption: str) -> list[str]:
    first, several = result.comparisons[0], len(result.comparisons) > 1
    unit = r" (\%)" if result.metric.as_percentage else ""
    p_values = ["$p$", *(["$p$ (Holm)"] if several else [])] if first.tests else []
    metric = result.metric.spec
    metric = metric.capitalize() if metric.islower() else metric
    headings = ["System", f"{escape(metric)}{unit}", "Gain", wording.interval_heading(first, number=math)]
    blank = [""] * (3 + len(p_values))
    rows = [[escape(first.baseline), math(comparison_format(first).score(first.baseline_score)), *blank]]
    for c in result.comparisons:
        scores = comparison_format(c)
        interval = scores.interval(c.interval.low, c.interval.high, math)
        row = [escape(c.candidate), math(scores.score(c.candidate_score)), math(scores.gain(c.gain)), interval]
        rows.append([*row, *(_p_values(c, 0, several) if first.tests else []), c.verdict])
    return table(caption, f"lrrr{'l' * len(p_values)}l", [*headings, *p_values, "Verdict"], rows)


def _tests(result: ComparisonResult) -> list[str]:
    first, several = result.comparisons[0], len(result.comparisons) > 1
    rows = []
    for c in result.comparisons:
        for index, test in enumerate(c.tests):
            row = [escape(c.candidate)] if several else []
            row += [escape(f"{test.name}{wording.mark(test)}"), math(wording.null_hypothesis(c, test.alternative))]
            rows.append([*row, *_p_values(c, index, several), escape(how_computed(test))])
    p_values = ["$p$", *(["$p$ (Holm)"] if several else [])]
    headings = [*(["Candidate"] if several else []), "Test", "$H_0$", *p_values, "Computed"]
    caption = (
        f"Tests of the gain over {escape(first.baseline)}."
        if several
        else f"Tests of the gain of {escape(first.candidate)} over {escape(first.baseline)}."
    )
    notes = [wording.explain_independence(c, number=math) for c in result.comparisons]
    if any(notes):
        # One r12 a candidate: with several, the caption says only what they share.
        caption += f" $^\\dagger${wording.INDEPENDENCE if several else notes[0]}"
    emulations = dict.fromkeys(filter(None, map(wording.explain_emulation, result.comparisons)))
    caption += "".join(f" $^\\ddagger${escape(note)}" for note in emulations)
    return table(caption, "l" * len(headings), headings, rows)


def _notes(result: ComparisonResult) -> Iterable[str]:
    """Return what is no part of a table, each once, as comments."""
    notes = [] if result.metric.signature is None else [f"{result.metric.spec}: {result.metric.signature}"]
    notes += [f"Warning: {warning}" for c in result.comparisons for warning in c.warnings]
    notes += [f"Left out, {reason}" for c in result.comparisons for reason in wording.left_out(c)]
    return dict.fromkeys(notes)
