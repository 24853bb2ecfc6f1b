"""Results as LaTeX tables (booktabs) to be put into a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from outscore.naming import printable
from outscore.numbers import format_exactly
from outscore.reports import metric_table, wording
from outscore.results import (
    Comparison,
    ComparisonResult,
    describe_test,
    format_adjusted_p,
    format_test_p,
    how_computed,
    write_sentence,
)

__all__ = ["NEEDS", "bold", "capital", "escape", "math", "several_to_latex", "table", "to_latex"]

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


def to_latex(result: ComparisonResult, *, bare: bool = False, details: bool = False) -> str:
    """Write a comparison as a table of the systems: the best score in bold, significance marked.

    With one candidate the sentence is the caption, and there is a table of the tests where there are several. With
    several the caption says what was compared, and the sentences stand above the table, commented out, for pasting.

    Parameters
    ----------
    result : ComparisonResult
    bare : bool
        Whether to write the tabular alone; its caption is a comment.
    details : bool
        Whether to add the table of the tests of several candidates.
    """
    return several_to_latex([result], bare=bare, details=details)


def several_to_latex(results: Sequence[ComparisonResult], *, bare: bool = False, details: bool = False) -> str:
    """Write comparisons on several metrics as one table; with details, the tables of each after it. See `to_latex`."""
    lines = [NEEDS]
    if len(results) > 1:
        lines += _metrics(results, bare=bare)
    for result in results if details or len(results) == 1 else ():
        lines += [*([""] if len(results) > 1 else []), *_tables(result, bare=bare, details=details)]
    return "\n".join(lines) + "\n"


def _metrics(results: Sequence[ComparisonResult], *, bare: bool) -> list[str]:
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
    every = [c for result in results for c in result.comparisons]
    rows = []
    for c, row, best in zip(every, metric_table.rows(results), _are_best(results), strict=True):
        names = [escape(capital(row.metric)), *([escape(row.candidate)] if many else [])]
        scores = [math(row.baseline_score), f"{bold(math(row.candidate_score), best)}{_stars(c)}"]
        if not many:
            scores[0] = bold(scores[0], _is_baseline_best(c))
        rows.append([*names, *scores, math(row.gain), math(row.p), row.verdict])
    caption = f"{metric_table.lead(results, name=escape, number=math)}{_legend(every)}"
    lines = [f"% outscore {result.version}: {printable(result.signature)}" for result in results]
    lines += [f"% {printable(note)}" for note in dict.fromkeys(note for result in results for note in _notes(result))]
    return [*lines, *table(caption, f"{'ll' if many else 'l'}rrrll", headings, rows, bare=bare)]


def _tables(result: ComparisonResult, *, bare: bool, details: bool) -> list[str]:
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
    lines += _systems(result, f"{caption}{_legend(result.comparisons)}", bare=bare)
    if (details or len(sentences) == 1) and any(len(c.tests) > 1 for c in result.comparisons):
        lines += ["", *_tests(result, bare=bare)]
    return lines


def _better(c: Comparison, one: float, other: float) -> bool:
    return one > other if c.metric.higher_is_better else one < other


def _is_baseline_best(c: Comparison) -> bool:
    return not _better(c, c.candidate_score, c.baseline_score)


def _are_best(results: Sequence[ComparisonResult]) -> list[bool]:
    """Return of every candidate on every metric whether no system scores better."""
    found = []
    for result in results:
        scores = [result.comparisons[0].baseline_score, *(c.candidate_score for c in result.comparisons)]
        found += [not any(_better(c, score, c.candidate_score) for score in scores) for c in result.comparisons]
    return found


def bold(cell: str, best: bool) -> str:
    """Return a number in bold, if it is to be."""
    # Numbers with signs are formulas, which \textbf leaves as they are.
    return f"\\textbf{{\\boldmath {cell}}}" if best and "$" in cell else f"\\textbf{{{cell}}}" if best else cell


def _stars(c: Comparison) -> str:
    """Return the marks of a candidate's significance, which take no room: columns stay aligned."""
    if not c.tests:
        return ""
    reached = sum(c.tests[0].adjusted_p_value <= bound for bound in _bounds(c.alpha))
    return f"\\rlap{{$^{{{'*' * reached}}}$}}" if reached else ""


def _bounds(alpha: float) -> tuple[float, float, float]:
    return (alpha, alpha / 5, alpha / 50)


def _legend(comparisons: Sequence[Comparison]) -> str:
    """Return what bold and the marks mean, as the end of a caption; nothing of marks where there are none."""
    tested = [c for c in comparisons if c.tests]
    told = " The best score is in bold."
    most = max((sum(c.tests[0].adjusted_p_value <= bound for bound in _bounds(c.alpha)) for c in tested), default=0)
    if most:
        c = tested[0]
        marks = ", ".join(
            f"$^{{{'*' * stars}}}$ {math(f'p ≤ {format_exactly(bound)}')}"
            for stars, bound in enumerate(_bounds(c.alpha)[:most], 1)
        )
        tests = {describe_test(c, number=math) for c in tested}
        told += f" {marks}, {tests.pop() if len(tests) == 1 else 'first test of each comparison'}"
        told += f" after Holm's correction for {c.n_candidates} candidates." if c.n_candidates > 1 else "."
    return told


def capital(text: str) -> str:
    """Return text as a heading begins: "Accuracy", but "chrF"."""
    first = text.split(" ")[0]
    return text[:1].upper() + text[1:] if first.islower() else text


def table(
    caption: str, columns: str, headings: Sequence[str], rows: Iterable[Sequence[str]], *, bare: bool = False
) -> list[str]:
    """Return the lines of a table (booktabs); its cells are LaTeX already. Bare, the caption is a comment."""
    body = [f"    {' & '.join(row)} \\\\" for row in rows]
    whole = [
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
    return [f"% {caption}", *(line[2:] for line in whole[3:-1])] if bare else whole


def _p_values(c: Comparison, index: int, several: bool) -> list[str]:
    test = c.tests[index]
    return [math(p) for p in (format_test_p(test, c.alpha), format_adjusted_p(test, c.alpha))[: 1 + several]]


def _systems(result: ComparisonResult, caption: str, *, bare: bool) -> list[str]:
    first, several = result.comparisons[0], len(result.comparisons) > 1
    unit = r" (\%)" if result.metric.as_percentage else ""
    p_values = ["$p$", *(["$p$ (Holm)"] if several else [])] if first.tests else []
    scores, best = wording.table_format(result.comparisons), _are_best([result])
    metric = f"{escape(capital(result.metric.title))}{unit}"
    headings = ["System", metric, "Gain", wording.interval_heading(first, number=math)]
    blank = [""] * (3 + len(p_values))
    baseline = bold(math(scores.score(first.baseline_score)), all(map(_is_baseline_best, result.comparisons)))
    rows = [[escape(first.baseline), baseline, *blank]]
    for c, is_best in zip(result.comparisons, best, strict=True):
        interval = math(scores.interval(c.interval.low, c.interval.high))
        score = f"{bold(math(scores.score(c.candidate_score)), is_best)}{_stars(c)}"
        row = [escape(c.candidate), score, math(scores.gain(c.gain)), interval]
        rows.append([*row, *(_p_values(c, 0, several) if first.tests else []), c.verdict])
    return table(caption, f"lrrr{'l' * len(p_values)}l", [*headings, *p_values, "Verdict"], rows, bare=bare)


def _tests(result: ComparisonResult, *, bare: bool) -> list[str]:
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
    return table(caption, "l" * len(headings), headings, rows, bare=bare)


def _notes(result: ComparisonResult) -> Iterable[str]:
    """Return what is no part of a table, each once, as comments."""
    notes = [] if result.metric.signature is None else [f"{result.metric.spec}: {result.metric.signature}"]
    notes += [f"Warning: {warning}" for c in result.comparisons for warning in c.warnings]
    notes += [f"Left out, {reason}" for c in result.comparisons for reason in wording.left_out(c)]
    return dict.fromkeys(notes)
