"""Results as GitHub-flavoured Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from outscore.naming import printable
from outscore.numbers import format_count
from outscore.reports import metric_table, wording
from outscore.results import (
    Comparison,
    ComparisonResult,
    TestResult,
    format_adjusted_p,
    format_test_p,
    how_computed,
    write_sentence,
)

__all__ = ["escape", "escape_cell", "several_to_markdown", "table", "to_markdown"]


def escape(text: str) -> str:
    r"""Return text that Markdown, GitHub's included, shows as it stands, also at the beginning of a line.

    Examples
    --------
    >>> print(escape("a_b|c <script> *x*"), escape("1. One"))
    a\_b\|c \<script\> \*x\* &#49;. One
    """
    # What would begin a list, where the text begins a line.
    return re.sub(r"^([-+=]|\d+(?=[.)]))", lambda found: _escape_first(found[1]), escape_cell(text))


def escape_cell(text: str) -> str:
    r"""Return text that Markdown shows as it stands in a cell of a table, which never begins a line.

    Examples
    --------
    >>> print(escape_cell("a|b"), escape_cell("0.1326"), escape_cell("+2%"))
    a\|b 0.1326 +2%
    """
    return re.sub(r"([\\`*_{}\[\]<>|~#&!$@]|:(?=\w))", r"\\\1", printable(text))


def _escape_first(start: str) -> str:
    return f"\\{start}" if start in "-+=" else f"&#{ord(start[0])};{start[1:]}"


def to_markdown(result: ComparisonResult) -> str:
    """Write a comparison as Markdown: the sentences, a table of the systems, a table of the tests, notes."""
    several = len(result.comparisons) > 1
    parts: list[str] = []
    if several:
        parts += [wording.summary(result, name=escape), _systems(result)]
    for comparison, sentence in zip(result.comparisons, _sentences(result), strict=True):
        verdict = f"**Verdict: {comparison.verdict}.** {wording.explain_verdict(comparison)}"
        parts.append(f"{sentence}\n\n{verdict}" if not several else f"- {sentence}\n\n  {verdict}")
    if not several:
        parts.append(_systems(result))
    if any(comparison.tests for comparison in result.comparisons):
        parts.append(_tests(result))
    notes = list(_notes(result))
    if notes:
        parts.append("\n".join(f"- {note}" for note in notes))
    if result.metric.signature is not None:
        parts.append(f"{escape(result.metric.spec)}: {_code(result.metric.signature)}")
    return "\n\n".join([*parts, _code(result.signature)]) + "\n"


def several_to_markdown(results: Sequence[ComparisonResult]) -> str:
    """Write comparisons on several metrics as Markdown: a table of all of them, and a section for each."""
    many = metric_table.with_candidates(results)
    numbers = ["baseline", "score" if many else "candidate", "gain"]
    headings = ["metric", *(["candidate"] if many else []), *numbers, "p", "verdict"]
    rows = []
    for row in metric_table.rows(results):
        names = [escape_cell(row.metric), *([escape_cell(row.candidate)] if many else [])]
        rows.append([*names, row.baseline_score, row.candidate_score, row.gain, row.p, f"**{row.verdict}**"])
    parts = [metric_table.lead(results, name=escape), table(headings, rows, right=numbers)]
    for result in results:
        parts += [f"## {escape(result.metric.title)}", to_markdown(result).rstrip("\n")]
    return "\n\n".join(parts) + "\n"


def _code(text: str) -> str:
    return f"`{printable(text).replace('`', ' ')}`"


def _sentences(result: ComparisonResult) -> Iterable[str]:
    for comparison in result.comparisons:
        yield write_sentence(comparison, name=escape)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[str]) -> str:
    """Return a table; its cells are Markdown already, and the columns headed `right` hold numbers."""
    lines = [headings, ["---:" if heading in right else "---" for heading in headings], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _systems(result: ComparisonResult) -> str:
    first, several = result.comparisons[0], len(result.comparisons) > 1
    scores = wording.table_format(result.comparisons)
    counts = ["helped", "hurt", "unchanged"]
    unit = " (%)" if result.metric.as_percentage else ""
    tests = {c.tests[0].name for c in result.comparisons if c.tests}
    p_values = [f"p ({escape(tests.pop())})"] if len(tests) == 1 else ["p"] * bool(tests)
    p_values += ["p (Holm)"] if several and p_values else []
    numbers = [f"{escape(result.metric.title)}{unit}", "gain", wording.interval_heading(first), *counts]
    headings = ["system", *numbers, *p_values, "verdict"]
    rows = [[escape_cell(first.baseline), scores.score(first.baseline_score)]]
    rows[0] += [""] * (len(headings) - 3) + ["baseline"]
    for c in result.comparisons:
        row = [escape_cell(c.candidate), scores.score(c.candidate_score), scores.gain(c.gain)]
        row.append(scores.interval(c.interval.low, c.interval.high))
        row += ["" if count is None else format_count(count) for count in (c.helped, c.hurt, c.unchanged)]
        if first.tests:
            row += _p_values(c, c.tests[0], several)
        rows.append([*row, f"**{c.verdict}**"])
    return table(headings, rows, right=numbers)


def _p_values(c: Comparison, test: TestResult, several: bool) -> list[str]:
    return [format_test_p(test, c.alpha), format_adjusted_p(test, c.alpha)][: 1 + several]


def _tests(result: ComparisonResult) -> str:
    several = len(result.comparisons) > 1
    p_values = ["p", *(["p (Holm)"] if several else [])]
    headings = [*(["candidate"] if several else []), "test", "alternative", "H0", *p_values, "computed", "bracket of p"]
    rows = []
    for c in result.comparisons:
        for test in c.tests:
            row = [escape_cell(c.candidate)] if several else []
            # A bar would end the cell of the table.
            h0 = wording.null_hypothesis(c, test.alternative).replace("|", "\\|")
            name = f"{escape(test.name)} {wording.mark(test)}".rstrip()
            row += [name, test.alternative, h0, *_p_values(c, test, several)]
            rows.append([*row, how_computed(test), wording.p_bracket(test, c.alpha)])
            for check in test.checks:
                row = [escape_cell(c.candidate)] if several else []
                row += [f"{escape(test.name)}, {wording.check_label(check)}", "", "", format_test_p(check, c.alpha)]
                row += [""] if several else []
                rows.append([*row, how_computed(check), wording.p_bracket(check, c.alpha)])
    return table(headings, rows, right=())


def _notes(result: ComparisonResult) -> Iterator[str]:
    """Yield the notes of all candidates, each note once; with several candidates it names whose it is."""
    notes: dict[str, list[str]] = {}
    for c in result.comparisons:
        found = [f"Warning: {warning}" for warning in c.warnings]
        independence = wording.explain_independence(c)
        if independence is not None:
            found.append(f"† {independence}")
        emulation = wording.explain_emulation(c)
        if emulation is not None:
            found.append(f"‡ {emulation}")
        found += [f"Check: {wording.CHECKED}"] if any(test.checks for test in c.tests) else []
        found += [f"Left out, {reason}" for reason in wording.left_out(c)]
        for note in found:
            notes.setdefault(note, []).append(c.candidate)
    for note, candidates in notes.items():
        everywhere = len(candidates) == len(result.comparisons)
        yield escape(note) if everywhere else f"{', '.join(map(escape, candidates))}: {escape(note)}"
