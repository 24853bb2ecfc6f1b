"""The documents of comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from outscore.reports.documents import (
    Block,
    Document,
    Fact,
    Facts,
    Heading,
    Kind,
    Medium,
    Paragraph,
    Picture,
    Signature,
    Table,
    message,
    name,
    plain,
    strong,
    verdict,
)
from outscore.reports.figures.comparisons import law_figure
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
from outscore.results.findings import facts
from outscore.text.numbers import (
    ScoreFormat,
    format_bracket,
    format_count,
)
from outscore.words.comparisons import (
    CHECKED,
    TESTS,
    TESTS_OF_GAIN,
    correlation,
    explain_emulation,
    explain_independence,
    explain_verdict,
    found,
    how_computed,
    inconclusive,
    interval_cell,
    interval_heading,
    items,
    law_caption,
    null_hypothesis,
    said_of_median,
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


def comparison_documents(
    results: Sequence[ComparisonResult], medium: Medium, *, details: bool = False, pairs: bool = False
) -> list[Document]:
    """Return the documents of comparisons of the same systems, one result per metric.

    Parameters
    ----------
    details : bool
        Whether several candidates or metrics are shown in full, and not only in a table.
    pairs : bool
        Not used; for rankings.
    """
    del pairs
    first = results[0].comparisons[0]
    title = plain(f"{name(first.candidate)} against {name(first.baseline)}")
    if medium is Medium.PAPER:
        return [Document(title, tuple(_in_a_paper(result))) for result in results]
    return [Document(title, tuple(_on_a_page(results, medium, details=details)))]


def _on_a_page(results: Sequence[ComparisonResult], medium: Medium, *, details: bool) -> Iterator[Block]:
    """Yield a table of several metrics or candidates, and each result by itself where there is room for it."""
    alone, brief = len(results) == len(results[0].comparisons) == 1, medium is Medium.TERMINAL and not details
    shown = details or alone or medium is Medium.MARKUP
    if len(results) > 1:
        yield Paragraph(summary_of_metrics(results), leading=True)
        yield metrics_table(results, medium)
    elif not shown:
        yield from _candidates(results[0], medium)
    if not shown:
        every = [c for result in results for c in result.comparisons]
        if brief and every[0].tests_named and any(len(c.tests) > 1 for c in every):
            yield _further_tests(results)
        yield Facts(tuple(_notes_on(results, medium)))
    for result in results:
        if shown and len(results) > 1:
            yield Heading(name(result.metric.title))
        if shown and len(result.comparisons) > 1:
            yield from _candidates(result, medium)
        if medium is Medium.MARKUP:
            yield from _in_markup(result)
        elif shown:
            yield from _in_brief(result.comparisons[0]) if brief else _one_by_one(result)
        if not brief:
            yield from _signatures(result)


def _signatures(result: ComparisonResult) -> Iterator[Block]:
    if result.metric.signature is not None:
        yield Signature(result.metric.signature, result.version, name(result.metric.spec))
    yield Signature(result.signature, result.version)


def _candidates(result: ComparisonResult, medium: Medium) -> Iterator[Block]:
    yield Paragraph(summary(result), leading=True)
    yield systems_table(result, medium)


def _in_brief(c: Comparison) -> Iterator[Block]:
    """Yield what decides: the sentence, the verdict, the items and warnings; and the tests, if they were named."""
    yield Paragraph(write_sentence(c, name=name), leading=True)
    briefly = [Fact(one.label, one.sentence) for one in c.findings if one.key in _BRIEFLY and one.sentence is not None]
    known = [_verdict_of(c), Fact("items", items(c)), *briefly, *warnings_of(c)]
    if not c.tests_named:
        yield Facts((*known, Fact("details", see_details())))
        return
    yield Facts(tuple(known))
    yield _tests_of_one(c)
    yield Facts((*explanations(c), *left_out(c), Fact("details", see_details(tests=False))))


def _verdict_of(c: Comparison) -> Fact:
    """Return the verdict with its p-value and interval, and what it means."""
    return Fact("verdict", f"{verdict(c.verdict.value)} ({found(c)}). {explain_verdict(c)}")


def _one_by_one(result: ComparisonResult) -> Iterator[Block]:
    """Yield all that is known of each candidate, and last what all of them share."""
    several, first = len(result.comparisons) > 1, result.comparisons[0]
    warnings, left = (
        several and all(getattr(c, kind) == getattr(first, kind) for c in result.comparisons)
        for kind in ("warnings", "left_out")
    )
    for c in result.comparisons:
        if several:
            yield Heading(name(c.candidate), level=2)
        yield Paragraph(write_sentence(c, name=name), leading=not several)
        told = [
            _verdict_of(c),
            Fact("items", items(c)),
            *(Fact("median", median) for median in [said_of_median(c)] if median is not None),
            *(Fact("correlation", r12) for r12 in [correlation(c)] if r12 is not None),
            *(Fact(label, sentence) for label, sentence in facts(c.findings)),
        ]
        yield Facts((*told, *([] if warnings else warnings_of(c))))
        yield _tests_of_one(c)
        notes = [*explanations(c), *([] if left else left_out(c))]
        if notes:
            yield Facts(tuple(notes))
        yield Picture(law_figure(c), law_caption(c), rows=4 if several else 7)
    common = [*(warnings_of(first) if warnings else []), *(left_out(first) if left else [])]
    if common:
        yield Facts(tuple(common))


def _in_markup(result: ComparisonResult) -> Iterator[Block]:
    """Yield sentences, then one table for all candidates."""
    several = len(result.comparisons) > 1
    for c in result.comparisons:
        yield Paragraph(write_sentence(c, name=name), leading=not several, bullet="- " if several else "")
        said = f"{strong(f'Verdict: {c.verdict}.')} {explain_verdict(c)}"
        yield Paragraph(said, bullet="  " if several else "")
    if not several:
        yield systems_table(result, Medium.MARKUP)
    yield tests_table(result.comparisons, Medium.MARKUP)
    notes = list(_notes_of(result, Medium.MARKUP))
    if notes:
        yield Facts(tuple(notes))


def _in_a_paper(result: ComparisonResult) -> Iterator[Block]:
    """Yield the tables of one metric in full."""
    yield from reversed([*_signatures(result)])
    notes = list(_notes_of(result, Medium.PAPER))
    if notes:
        yield Facts(tuple(notes))
    sentences = [write_sentence(c, name=name) for c in result.comparisons]
    if len(sentences) > 1:
        yield from map(Paragraph, sentences)
    yield replace(systems_table(result, Medium.PAPER), title=summary(result) if len(sentences) > 1 else sentences[0])
    if any(len(c.tests) > 1 for c in result.comparisons):
        yield tests_table(result.comparisons, Medium.PAPER)


def warnings_of(c: Comparison, *, explained: bool = True) -> list[Fact]:
    """Return the warnings; if `explained`, without the one that `explain_verdict` states."""
    return [message(said) for said in c.warnings if not (explained and said == c.withheld)]


def left_out(c: Comparison) -> Iterator[Fact]:
    """Yield the reasons for which tests were left out, each after its tests."""
    tests: dict[str, list[str]] = {}
    for test in c.left_out:
        tests.setdefault(test.reason.rstrip("."), []).append(name(test.name))
    for reason, names in tests.items():
        yield Fact("left out", f"{', '.join(names)}: {reason}.")


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


def _notes_of(result: ComparisonResult, medium: Medium) -> Iterator[Fact]:
    """Yield what must be known of all candidates."""
    told = []
    for c in result.comparisons:
        facts_of = [*warnings_of(c, explained=medium is Medium.MARKUP)]
        if medium is not Medium.PAPER:  # there captions explain the signs
            found = [Fact(label, sentence) for label, sentence in facts(c.findings)]
            facts_of = [*found, *facts_of, *explanations(c)]
        told += [(fact, name(c.candidate)) for fact in (*facts_of, *left_out(c))]
    return each_once(told, len(result.comparisons))


def each_once(told: Sequence[tuple[Fact, str]], count: int) -> Iterator[Fact]:
    """Yield facts, each once; one that is not true of all comparisons says of which it is."""
    owners: dict[Fact, list[str]] = {}
    for fact, owner in told:
        owners.setdefault(fact, []).append(owner)
    for fact, of in owners.items():
        unnamed = (owner for owner in of if not fact.text.startswith((f"{plain(owner)}: ", f"{owner}'s ")))
        yield fact if len(of) == count else replace(fact, of=tuple(unnamed))


def _notes_on(results: Sequence[ComparisonResult], medium: Medium) -> Iterator[Fact]:
    """Yield what must be known of comparisons whose tables are all that is shown, each thing once."""
    every = [c for result in results for c in result.comparisons]
    told = []
    for c in every:
        who = [name(c.candidate)] if len(results[0].comparisons) > 1 else []
        what = [name(c.metric.title)] if len(results) > 1 else []
        signs = explanations(c) if medium is Medium.TERMINAL and c.tests_named and len(c.tests) > 1 else ()
        labels = [Fact(one.label, one.sentence) for one in c.findings if one.key in _OF_ALL and one.sentence]
        said = (*labels, *warnings_of(c, explained=False), *left_out(c), *signs)
        told += [(fact, ", ".join([*who, *what])) for fact in said]
    yield from each_once(told, len(every))
    unsettled = next((c for c in every if c.verdict is Verdict.INCONCLUSIVE and c.withheld is None), None)
    if unsettled is not None:
        yield Fact("verdict", inconclusive(unsettled.alpha))
    if medium is Medium.TERMINAL:
        yield Fact("details", see_more())


def metrics_table(results: Sequence[ComparisonResult], medium: Medium) -> Table:
    """Return one row per metric and candidate, in the order of the results."""
    every = [(c, table_format(result.comparisons)) for result in results for c in result.comparisons]
    many = len(results[0].comparisons) > 1
    columns = [("metric", [name(c.metric.heading) for c, _ in every], False)]
    columns += [("candidate", [name(c.candidate) for c, _ in every], False)] if many else []
    fitted = tuple(range(len(columns)))
    columns += [
        ("baseline", [scores.score(c.baseline_score) for c, scores in every], True),
        ("score" if many else "candidate", [scores.score(c.candidate_score) for c, scores in every], True),
        ("gain", [scores.gain(c.gain) for c, scores in every], True),
    ]
    spare: tuple[tuple[int, int], ...] = ()
    if medium in (Medium.TERMINAL, Medium.PAGE):
        spare = ((fitted[-1] + 1, 1), (len(columns), 1))
        intervals = [interval_cell(c, scores) for c, scores in every]
        columns.append((interval_heading(every[0][0].interval), intervals, True))
    columns.append(("p", [format_test_p(c.test, c.alpha) for c, _ in every], False))
    if every[0][0].multiplicity.size > 1:
        columns.append(("p (Holm)", [format_adjusted_p(c.test, c.alpha) for c, _ in every], False))
    columns.append(("verdict", [verdict(c.verdict.value) for c, _ in every], False))
    return Table.of_columns(columns, fitted=fitted, spare=spare, grouped=many)


def systems_table(result: ComparisonResult, medium: Medium) -> Table:
    """Return the baseline and all candidates."""
    first = result.comparisons[0]
    scores, comparisons = table_format(result.comparisons), result.comparisons
    values = [first.baseline_score, *(c.candidate_score for c in comparisons)]
    columns = [
        ("system", [name(first.baseline), *(name(c.candidate) for c in comparisons)], False),
        ("score" if medium is Medium.TERMINAL else name(first.metric.heading), list(map(scores.score, values)), True),
        ("gain", ["", *(scores.gain(c.gain) for c in comparisons)], True),
        (
            interval_heading(first.interval),
            ["", *(interval_cell(c, scores) for c in comparisons)],
            True,
        ),
    ]
    if medium is Medium.MARKUP:
        for heading, kind in (("wins", "helped"), ("losses", "hurt"), ("ties", "unchanged")):
            counts = (getattr(c, kind) for c in comparisons)
            columns.append((heading, ["", *("" if count is None else format_count(count) for count in counts)], True))
    tests = {c.test.name for c in comparisons}
    heading = f"p ({name(*tests)})" if medium is Medium.MARKUP and len(tests) == 1 else "p"
    plain_p = (format_test_p(c.test, c.alpha) for c in comparisons)
    columns.append((heading, ["", *plain_p], medium is Medium.PAGE))
    if first.multiplicity.size > 1:
        adjusted = (format_adjusted_p(c.test, c.alpha) for c in comparisons)
        columns.append(("p (Holm)", ["", *adjusted], medium is Medium.PAGE))
    columns.append(("verdict", ["baseline", *(verdict(c.verdict.value) for c in comparisons)], False))
    # What each candidate's own block says again is left out first.
    spare = ((4, 1), (3, 1)) if tests else ((3, 1),)
    return Table.of_columns(columns, fitted=(0,), spare=spare)


def _tests_of_one(c: Comparison) -> Table:
    """Return the tests of one comparison; what is the same for all is said once, above them."""
    several, alternatives = c.multiplicity.size > 1, {test.alternative for test in c.tests}
    # Of the two one-sided tests of equivalence the worse counts, whichever side it is on.
    apart = len(alternatives) > 1 and c.claim is not Claim.EQUIVALENT
    mixed = len({test.quantity for test in c.tests}) > 1
    caption = TESTS if mixed else TESTS_OF_GAIN if apart else tests_of_one(c)
    between = [*(["H0"] if mixed else []), *(["alternative"] if apart else [])]
    headings = ["test", *between, "p", *(["p (Holm)"] if several else []), "computed", _BRACKET]
    rows = []
    for test in c.tests:
        row = [f"{name(test.name)} {mark(test)}".rstrip()]
        row += [null_hypothesis(c, test.alternative, test.quantity)] if mixed else []
        row += [test.alternative.value] if apart else []
        row += [format_test_p(test, c.alpha), *([format_adjusted_p(test, c.alpha)] if several else [])]
        rows.append([*row, how_computed(test), p_bracket(test, c.alpha)])
        for check in test.checks:
            row = [f"  {check_label(check)}", *([""] * len(between)), format_test_p(check, c.alpha)]
            row += [""] if several else []
            rows.append([*row, how_computed(check), p_bracket(check, c.alpha)])
    if not any(row[-1] for row in rows):
        headings, rows = headings[:-1], [row[:-1] for row in rows]
    last = len(headings) - 1
    computed = headings.index("computed")
    return Table(
        tuple(headings),
        tuple(map(tuple, rows)),
        caption=caption,
        fitted=(computed,),
        joined=(computed, last) if last > computed else None,
        indented=True,
    )


def _further_tests(results: Sequence[ComparisonResult]) -> Table:
    """Return the p-values of all tests that were named, where there are several comparisons."""
    every = [(c, test) for result in results for c in result.comparisons for test in c.tests]
    columns = [("metric", [name(c.metric.title) for c, _ in every], False)] if len(results) > 1 else []
    if len(results[0].comparisons) > 1:
        columns.append(("candidate", [name(c.candidate) for c, _ in every], False))
    fitted = tuple(range(len(columns)))
    columns += [
        ("test", [f"{name(test.name)} {mark(test)}".rstrip() for _, test in every], False),
        ("p", [format_test_p(test, c.alpha) for c, test in every], False),
    ]
    if any(test.quantity is not None for _, test in every):
        h0 = [null_hypothesis(c, test.alternative, test.quantity) for c, test in every]
        columns.insert(len(columns) - 1, ("H0", h0, False))
    if every[0][0].multiplicity.size > 1:
        columns.append(("p (Holm)", [format_adjusted_p(test, c.alpha) for c, test in every], False))
    spare = ((len(columns), 1),)
    columns.append(("computed", [how_computed(test) for _, test in every], False))
    return Table.of_columns(columns, fitted=fitted, spare=spare)


def tests_table(comparisons: Sequence[Comparison], medium: Medium) -> Table:
    """Return the tests of all candidates."""
    first, several, paper = comparisons[0], len(comparisons) > 1, medium is Medium.PAPER
    adjusted = first.multiplicity.size > 1
    headings = [*(["candidate"] if several else []), "test", *([] if paper else ["alternative"]), "H0", "p"]
    headings += [*(["p (Holm)"] if adjusted else []), "computed", *([] if paper else [_BRACKET])]
    rows = []
    for c in comparisons:
        candidate = [name(c.candidate)] if several else []
        for test in c.tests:
            h0, between = null_hypothesis(c, test.alternative, test.quantity), "" if paper else " "
            row = [*candidate, f"{name(test.name)}{between}{mark(test)}".rstrip()]
            row += [*([] if paper else [test.alternative.value]), h0, format_test_p(test, c.alpha)]
            row += [format_adjusted_p(test, c.alpha)] if adjusted else []
            rows.append([*row, how_computed(test), *([] if paper else [p_bracket(test, c.alpha)])])
            for check in () if paper else test.checks:
                row = [*candidate, f"{name(test.name)}, {check_label(check)}", "", "", format_test_p(check, c.alpha)]
                rows.append([*row, *([""] if adjusted else []), how_computed(check), p_bracket(check, c.alpha)])
    return Table(tuple(headings), tuple(map(tuple, rows)), title=tests_of_all(comparisons))
