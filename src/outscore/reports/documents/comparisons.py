"""The documents of comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from outscore.reports.documents import (
    Block,
    Document,
    Fact,
    Heading,
    Kind,
    Paragraph,
    Picture,
    Table,
    message,
    name,
    plain,
    strong,
    verdict,
)
from outscore.reports.documents.layouts import (
    Column,
    Layout,
    Write,
    chosen,
    counts,
    facts_of,
    joined,
    known_fact,
    names,
    numbers,
    signatures,
    table,
)
from outscore.results import (
    Check,
    Claim,
    Comparison,
    ComparisonResult,
    TestResult,
    Verdict,
    comparison_format,
    format_adjusted_p,
    format_of_all,
    format_test_p,
)
from outscore.text.naming import printable
from outscore.text.numbers import ScoreFormat, format_bracket
from outscore.words.comparisons import (
    CHECKED,
    IN_SENTENCES,
    TESTS,
    TESTS_OF_GAIN,
    correlation,
    explain_emulation,
    explain_independence,
    explain_verdict,
    how_computed,
    inconclusive,
    interval_cell,
    interval_heading,
    items,
    law_caption,
    median_sentence,
    next_steps,
    null_hypothesis,
    see_details,
    see_more,
    summary,
    summary_of_metrics,
    tests_of_all,
    tests_of_one,
    write_sentence,
)

_BRACKET = "error bound"
_OF_ALL = ("prediction_powered", "overstatement")  # findings beside the table of several candidates
_BRIEFLY = ("missing", "first_position", "prediction_powered")  # findings of the short text


def table_format(comparisons: Sequence[Comparison]) -> ScoreFormat:
    """Return how scores and gains are written in the table of a result: as in its sentences."""
    first = comparisons[0]
    return format_of_all(comparisons) if first.decimals is None else comparison_format(first)


def p_bracket(test: TestResult | Check, alpha: float) -> str:
    """Return the bracket of a p-value: both ends where sampled, a bound where exact.

    Empty where nothing is lost, and where p is asymptotic: how far the distribution itself is off is not known.
    """
    exact = test.n_resamples is None
    if exact and test.computation == "asymptotic":
        return ""
    return format_bracket(test.p_value_low, test.p_value, test.p_value_high, alpha, bound=exact)


def mark(test: TestResult) -> str:
    """Return the sign after the name of a test that refers to a note: † assumes independence, ‡ emulates."""
    if test.emulates:
        return "‡"
    return "†" if test.assumes_independence else ""


def check_label(check: Check) -> str:
    """Return the label of a double check below its test."""
    return "check: agrees" if check.agrees else "check: DISAGREES"


# The columns of tables: one row per candidate, per metric and candidate, and per test.
_SYSTEMS = "system score gain interval p holm verdict"
_SYSTEMS_IN_MARKUP = "system metric_score gain interval wins losses ties p_of_test holm verdict"
_SYSTEMS_IN_A_PAPER = "system metric_score gain interval p holm verdict"
_METRICS = "metric candidate baseline its_score gain interval p holm verdict"
_METRICS_IN_MARKUP = "metric candidate baseline its_score gain p holm verdict"
_TESTS_OF_ONE = "test h0 alternative p holm computed bracket"
_TESTS_OF_ALL = "candidate test alternative h0 p holm computed bracket"
_TESTS_IN_A_PAPER = "candidate test h0 p holm computed"
_NAMED_TESTS = "metric_title candidate test h0_if_any p holm computed"


@dataclass(frozen=True)
class _Row:
    """A row of a table: a candidate, with one of its tests or a check of it."""

    c: Comparison
    scores: ScoreFormat
    tested: TestResult | Check
    label: str = ""

    def of_test(self, write: Callable[[TestResult], str]) -> str:
        """Return what is written of a test; nothing in the row of a check."""
        return write(self.tested) if isinstance(self.tested, TestResult) else ""


def _columns(rows: Sequence[_Row], *, many: bool = False, brief: bool = False) -> Mapping[str, Column[_Row]]:
    """Return the columns of tables; in `brief`, the caption says what is the same of all tests."""
    first, tests = rows[0].c, [row.tested for row in rows if isinstance(row.tested, TestResult)]
    named = {test.name for test in tests}
    # Of the two one-sided tests of equivalence the worse counts, whichever side it is on.
    sides = first.claim is not Claim.EQUIVALENT and len({test.alternative for test in tests}) > 1
    quantities, further = len({test.quantity for test in tests}) > 1, any(test.quantity is not None for test in tests)

    def score(heading: str) -> Column[_Row]:
        return numbers(heading, lambda row: row.scores.score(row.c.candidate_score))

    corrected = first.multiplicity.size > 1

    def p(heading: str) -> Column[_Row]:
        return Column(heading, lambda row: format_test_p(row.tested, row.c.alpha), gives_way=3 if corrected else 0)

    def h0(*, shown: bool) -> Column[_Row]:
        def cell(row: _Row) -> str:
            return row.of_test(lambda test: null_hypothesis(row.c, test.alternative, test.quantity))

        return Column("H0", cell, shown=shown)

    return {
        "metric": names("metric", lambda row: row.c.metric.heading),
        "metric_title": names("metric", lambda row: row.c.metric.title),
        "candidate": names("candidate", lambda row: row.c.candidate, shown=many),
        "system": names("system", lambda row: row.c.candidate),
        "baseline": numbers("baseline", lambda row: row.scores.score(row.c.baseline_score), gives_way=1),
        "score": score("score"),
        "metric_score": score(name(first.metric.heading)),
        "its_score": score("score" if many else "candidate"),
        "gain": numbers("gain", lambda row: row.scores.gain(row.c.gain)),
        "interval": numbers(interval_heading(first.interval), lambda row: interval_cell(row.c, row.scores)),
        "wins": counts("wins", lambda row: row.c.helped),
        "losses": counts("losses", lambda row: row.c.hurt),
        "ties": counts("ties", lambda row: row.c.unchanged),
        "test": Column("test", lambda row: row.label),
        "alternative": Column(
            "alternative", lambda row: row.of_test(lambda test: test.alternative.value), shown=sides or not brief
        ),
        "h0": h0(shown=quantities or not brief),
        "h0_if_any": h0(shown=further),
        "p": p("p"),
        "p_of_test": p(f"p ({name(*named)})" if len(named) == 1 else "p"),
        "holm": Column(
            "p (Holm)",
            lambda row: row.of_test(lambda test: format_adjusted_p(test, row.c.alpha)),
            shown=corrected,
        ),
        "computed": Column("computed", lambda row: how_computed(row.tested), fitted=brief, gives_way=0 if brief else 2),
        "bracket": Column(_BRACKET, lambda row: p_bracket(row.tested, row.c.alpha), if_any=brief),
        "verdict": Column("verdict", lambda row: verdict(row.c.verdict.value)),
    }


def _first_tests(comparisons: Sequence[Comparison]) -> list[_Row]:
    """Return a row for each candidate."""
    scores = table_format(comparisons)
    return [_Row(c, scores, c.test) for c in comparisons]


def _tests(
    comparisons: Sequence[Comparison], *, checks: bool = True, between: str = " ", indent: bool = False
) -> list[_Row]:
    """Return a row for each test, and after it for its checks."""
    rows, scores = list[_Row](), table_format(comparisons)
    for c in comparisons:
        for test in c.tests:
            rows.append(_Row(c, scores, test, f"{name(test.name)}{between}{mark(test)}".rstrip()))
            for check in test.checks if checks else ():
                rows.append(_Row(c, scores, check, f"{' ' if indent else f'{name(test.name)},'} {check_label(check)}"))
    return rows


def metrics_table(results: Sequence[ComparisonResult], columns: str = _METRICS) -> Table:
    """Return one row per metric and candidate, in the order of the results."""
    rows = [row for result in results for row in _first_tests(result.comparisons)]
    many = len(results[0].comparisons) > 1
    return table(rows, chosen(_columns(rows, many=many), columns), grouped=int(many))


def systems_table(result: ComparisonResult, columns: str = _SYSTEMS_IN_A_PAPER, title: str = "") -> Table:
    """Return the baseline and all candidates."""
    rows, first = _first_tests(result.comparisons), result.comparisons[0]
    shown = table(rows, chosen(_columns(rows), columns), title=title)
    cells = {"system": name(first.baseline), "verdict": "baseline"}
    cells[shown.headings[1]] = rows[0].scores.score(first.baseline_score)
    return replace(shown, rows=(tuple(cells.get(heading, "") for heading in shown.headings), *shown.rows))


def table_of_tests(comparisons: Sequence[Comparison], *, paper: bool = False) -> Table:
    """Return the tests of all candidates."""
    rows = _tests(comparisons, checks=not paper, between="" if paper else " ")
    columns = _columns(rows, many=len(comparisons) > 1)
    shown = chosen(columns, _TESTS_IN_A_PAPER if paper else _TESTS_OF_ALL)
    return table(rows, shown, title=tests_of_all(comparisons))


def _tests_of_one(c: Comparison) -> Table:
    """Return the tests of one comparison; the caption says what is the same for all."""
    rows = _tests([c], indent=True)
    shown = table(rows, chosen(_columns(rows, brief=True), _TESTS_OF_ONE), indented=True)
    caption = TESTS if "H0" in shown.headings else TESTS_OF_GAIN if "alternative" in shown.headings else tests_of_one(c)
    last = len(shown.headings) - 1
    return replace(shown, caption=caption, joined=(last - 1, last) if shown.headings[last] == _BRACKET else None)


def _named_tests(results: Sequence[ComparisonResult], comparisons: Sequence[Comparison]) -> Table:
    """Return the p-values of all tests that were named."""
    rows = _tests(comparisons, checks=False)
    columns = chosen(_columns(rows, many=len(results[0].comparisons) > 1), _NAMED_TESTS)
    return table(rows, columns[len(results) == 1 :])


def _of_terminal(results: Sequence[ComparisonResult]) -> Iterator[Block | Fact]:
    """Yield a table of several metrics or candidates, or what decides a single comparison."""
    every = [c for result in results for c in result.comparisons]
    if len(every) == 1:
        yield from _in_brief(every[0])
        return
    yield from _metrics(results) if len(results) > 1 else _candidates(results[0])
    if every[0].tests_named and any(len(c.tests) > 1 for c in every):
        yield _named_tests(results, every)
    yield from _notes_on(results, every, signs=True)
    yield Fact("details", see_more())


def _of_page(results: Sequence[ComparisonResult]) -> Iterator[Block | Fact]:
    """Yield a table of several metrics or candidates, or a single comparison in full."""
    every = [c for result in results for c in result.comparisons]
    if len(every) == 1:
        yield from _in_full(results)
        return
    yield from _metrics(results) if len(results) > 1 else _candidates(results[0], _SYSTEMS_IN_A_PAPER)
    yield from _notes_on(results, every)
    for result in results:
        yield from signatures(result)


def _in_full(results: Sequence[ComparisonResult]) -> Iterator[Block | Fact]:
    """Yield all that is known of each candidate on each metric."""
    yield from _metrics(results) if len(results) > 1 else ()
    for result in results:
        yield from _headed(result, several=len(results) > 1)
        yield from _one_by_one(result)
        yield from signatures(result)


def _in_markup(results: Sequence[ComparisonResult]) -> Iterator[Block | Fact]:
    """Yield the sentences on a candidate and its tables, or the table of several candidates, for each metric."""
    yield from _metrics(results, _METRICS_IN_MARKUP) if len(results) > 1 else ()
    for result in results:
        several = len(result.comparisons) > 1
        yield from _headed(result, _SYSTEMS_IN_MARKUP, several=len(results) > 1)
        tests = table_of_tests(result.comparisons)
        if several:  # a comment of several candidates stays short
            sentences = [
                (name(c.candidate), f"{write_sentence(c, name=name)} {explain_verdict(c)}") for c in result.comparisons
            ]
            yield Table(("candidate", "result"), tuple(sentences), caption=IN_SENTENCES, collapsed=True)
            yield replace(tests, caption=tests.title, collapsed=True)
            yield from _notes_on([result], result.comparisons, signs=True)
        else:
            (c,) = result.comparisons
            yield Paragraph(write_sentence(c, name=name), leading=True)
            yield Paragraph(f"{strong(f'Verdict: {c.verdict}.')} {explain_verdict(c)}")
            yield systems_table(result, _SYSTEMS_IN_MARKUP)
            yield tests
            yield from (*facts_of(c.findings), *warnings_of(c), *explanations(c), *left_out(c))
        yield from signatures(result)


def _in_a_paper(results: Sequence[ComparisonResult]) -> Iterator[Block | Fact]:
    """Yield the tables of one metric in full; captions explain the signs."""
    (result,) = results
    yield from reversed(signatures(result))
    yield from _notes_of(result, lambda c: (*warnings_of(c, explained=False), *left_out(c)))
    first, *others = sentences = [write_sentence(c, name=name) for c in result.comparisons]
    yield from map(Paragraph, sentences if others else ())
    yield systems_table(result, title=summary(result) if others else first)
    if any(len(c.tests) > 1 for c in result.comparisons):
        yield table_of_tests(result.comparisons, paper=True)


def _document(write: Callable[[Sequence[ComparisonResult]], Iterable[Block | Fact]]) -> Write:
    def documents(results: Sequence[ComparisonResult], **_: bool) -> list[Document]:
        first = results[0].comparisons[0]
        title = f"{printable(first.candidate)} against {printable(first.baseline)}"
        return [Document(title, tuple(joined(write(results))))]

    return documents


COMPARISONS = Layout(
    terminal=_document(_of_terminal),
    details=_document(_in_full),
    markup=_document(_in_markup),
    paper=lambda results, **_: [
        document for result in results for document in _document(_in_a_paper)([result], pairs=False)
    ],
    page=_document(_of_page),
)


def _metrics(results: Sequence[ComparisonResult], columns: str = _METRICS) -> Iterator[Block]:
    yield Paragraph(summary_of_metrics(results), leading=True)
    yield metrics_table(results, columns)


def _candidates(result: ComparisonResult, columns: str = _SYSTEMS) -> Iterator[Block]:
    yield Paragraph(summary(result), leading=True)
    yield systems_table(result, columns)


def _headed(result: ComparisonResult, columns: str = _SYSTEMS, *, several: bool) -> Iterator[Block]:
    """Yield the heading of one of several metrics, and the table of several candidates."""
    if several:
        yield Heading(name(result.metric.title))
    if len(result.comparisons) > 1:
        yield from _candidates(result, columns)


def _in_brief(c: Comparison) -> Iterator[Block | Fact]:
    """Yield what decides: the sentence, the verdict, the items and warnings; and the tests, if they were named."""
    yield Paragraph(write_sentence(c, name=name), leading=True)
    yield from (_verdict_of(c), Fact("items", items(c)))
    if c.second is not None:
        yield from known_fact("test", c.contrary)
    yield from facts_of(finding for finding in c.findings if finding.key in _BRIEFLY)
    yield from warnings_of(c)
    if c.tests_named:
        yield _tests_of_one(c)
        yield from (*explanations(c), *left_out(c))
    yield Fact("details", see_details(tests=not c.tests_named))


def _verdict_of(c: Comparison) -> Fact:
    """Return the verdict and what it means."""
    return Fact("verdict", f"{verdict(c.verdict.value)}. {explain_verdict(c)}")


def _one_by_one(result: ComparisonResult) -> Iterator[Block | Fact]:
    """Yield all that is known of each candidate, and last what all of them share."""
    from outscore.reports.figures.comparisons import law_figure  # the short text has no picture

    first, *others = result.comparisons
    warnings, left = (
        bool(others) and all(getattr(c, kind) == getattr(first, kind) for c in others)
        for kind in ("warnings", "left_out")
    )
    for c in result.comparisons:
        if others:
            yield Heading(name(c.candidate), level=2)
        yield Paragraph(write_sentence(c, name=name), leading=not others)
        yield from (_verdict_of(c), Fact("items", items(c)))
        yield from known_fact("test", c.contrary)
        yield from (*known_fact("median", median_sentence(c)), *known_fact("correlation", correlation(c)))
        yield from (*facts_of(c.findings), *([] if warnings else warnings_of(c)))
        yield _tests_of_one(c)
        yield from (*explanations(c), *([] if left else left_out(c)))
        yield Picture(law_figure(c), law_caption(c), rows=4 if others else 7)
    yield from (*(warnings_of(first) if warnings else []), *(left_out(first) if left else []))


def warnings_of(c: Comparison, *, explained: bool = True) -> list[Fact]:
    """Return the warnings; if `explained`, without the one that `explain_verdict` states."""
    return [message(warning) for warning in c.warnings if not (explained and warning == c.withheld)]


def left_out(c: Comparison) -> Iterator[Fact]:
    """Yield the reasons for which tests were left out, each after its tests."""
    tests: dict[str, list[str]] = {}
    for test in c.left_out:
        tests.setdefault(test.reason.rstrip("."), []).append(name(test.name))
    for reason, unused in tests.items():
        yield Fact("left out", f"{', '.join(unused)}: {reason}.")


def explanations(c: Comparison) -> Iterator[Fact]:
    """Yield what the signs beside tests mean."""
    if not any(mark(test) or test.checks for test in c.tests):
        return
    independence, emulation = explain_independence(c), explain_emulation(c)
    if independence is not None:
        yield Fact("†", independence, Kind.NOTE)
    if emulation is not None:
        yield Fact("‡", emulation, Kind.NOTE)
    if any(test.checks for test in c.tests):
        yield Fact("check", CHECKED)


def each_once(owned: Sequence[tuple[Fact, str]], count: int) -> Iterator[Fact]:
    """Yield facts, each once; one that is not true of all comparisons says of which it is."""
    owners: dict[Fact, list[str]] = {}
    for fact, owner in owned:
        owners.setdefault(fact, []).append(owner)
    for fact, owner_names in owners.items():
        unnamed = (owner for owner in owner_names if not fact.text.startswith((f"{plain(owner)}: ", f"{owner}'s ")))
        yield fact if len(owner_names) == count else replace(fact, of=tuple(unnamed))


def _notes_of(result: ComparisonResult, notes: Callable[[Comparison], Iterable[Fact]]) -> Iterator[Fact]:
    """Yield what must be known of all candidates."""
    owned = [(fact, name(c.candidate)) for c in result.comparisons for fact in notes(c)]
    return each_once(owned, len(result.comparisons))


def _notes_on(
    results: Sequence[ComparisonResult], comparisons: Sequence[Comparison], *, signs: bool = False
) -> Iterator[Fact]:
    """Yield what must be known of comparisons whose tables are all that is shown, each thing once."""
    owned, labelled = [], []
    for c in comparisons:
        owner = [name(c.candidate)] if len(results[0].comparisons) > 1 else []
        owner += [name(c.metric.title)] if len(results) > 1 else []
        of_all = facts_of(finding for finding in c.findings if finding.key in _OF_ALL)
        marks = explanations(c) if signs and c.tests_named and len(c.tests) > 1 else ()
        notes = (*of_all, *warnings_of(c, explained=False), *left_out(c), *marks)
        owned += [(fact, ", ".join(owner)) for fact in notes]
        if c.verdict is Verdict.INCONCLUSIVE and c.withheld is None:
            labelled.append((c, ", ".join(owner)))
    yield from each_once(owned, len(comparisons))
    if labelled:
        yield Fact("verdict", " ".join(filter(None, [inconclusive(labelled[0][0].alpha), next_steps(labelled)])))
