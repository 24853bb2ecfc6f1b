"""What reports of comparisons say, each thing once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from outscore.options import opt
from outscore.reports.documents import (
    Block,
    Document,
    Fact,
    Facts,
    Heading,
    Kind,
    Mark,
    Medium,
    Paragraph,
    Picture,
    Signature,
    Table,
    capital,
    marked,
    name,
    plain,
    strong,
    verdict,
)
from outscore.reports.figures import p_levels
from outscore.reports.figures.comparisons import law_figure
from outscore.results import (
    Alternative,
    Check,
    Claim,
    Comparison,
    ComparisonResult,
    TestResult,
    Verdict,
    comparison_format,
    describe_test,
    format_adjusted_p,
    format_test_p,
    how_computed,
    write_sentence,
)
from outscore.results.comparisons import about_metric, in_clusters
from outscore.results.findings import claims, facts
from outscore.text.numbers import (
    ScoreFormat,
    format_bracket,
    format_correlation,
    format_count,
    format_exactly,
    format_factor,
    format_level,
    format_share,
    score_format,
    state_p,
)

_BRACKET = "bracket of p"
_WHOLE = 1000  # times 12 characters: names stay on one line
CHECKED = "The p-value above it computed another way: from other resamples, or exactly."
EMULATED = "Reproduces the formula of {tool}, to be compared with; the verdict does not rest on it."
INDEPENDENCE = "Takes the scores of the two systems to be independent, although they are scores of the same items."


def _margin(c: Comparison) -> str:
    points = " points" if c.metric.as_percentage else ""
    return f"{comparison_format(c).size(c.margin or 0.0)}{points}"


def null_hypothesis(c: Comparison, alternative: Alternative) -> str:
    """Return H0 of a test as a formula, in the unit that is shown: "gain ≤ 0", "gain ≤ -1.0", "|gain| ≥ 1.0"."""
    if c.claim is not Claim.BETTER and c.margin is not None:
        size = comparison_format(c).size(c.margin)
        return f"|gain| ≥ {size}" if c.claim is Claim.EQUIVALENT else f"gain ≤ -{size}"
    return {
        Alternative.GREATER: "gain ≤ 0",
        Alternative.LESS: "gain ≥ 0",
        Alternative.TWO_SIDED: "gain = 0",
    }[alternative]


def _null_effect(c: Comparison) -> str:
    """Return what the null hypothesis of the first test says of the candidate, as a noun."""
    if c.claim is not Claim.BETTER and c.margin is not None:
        either = "gain or loss" if c.claim is Claim.EQUIVALENT else "loss"
        return f"a {either} of {_margin(c)} or more"
    alternative = c.tests[0].alternative if c.tests else Alternative.GREATER
    more = {Alternative.GREATER: " or less", Alternative.LESS: " or more", Alternative.TWO_SIDED: ""}
    return f"a gain of 0{more[alternative]}"


def _beyond_the_margin(c: Comparison) -> bool:
    """Say whether the data reject the opposite of what the claim says, at the same level."""
    margin = c.margin or 0.0
    if c.claim is Claim.EQUIVALENT:
        return c.interval.high < -margin or c.interval.low > margin
    return bool(c.tests) and c.gain < -margin and c.tests[0].p_value >= 1 - c.alpha


def explain_verdict(c: Comparison) -> str:
    """Say in full sentences what the verdict means, without its word.

    An inconclusive verdict is never put as "no difference": what a test does not reject it does not show.
    """
    if c.withheld is not None:
        return c.withheld
    level = f"at α = {format_exactly(c.alpha)}"
    if any(test.adjusted_p_value > test.p_value for test in c.tests[:1]):
        level += " after Holm's correction"
    null, alternative = _null_effect(c), c.tests[0].alternative if c.tests else None
    if c.verdict is not Verdict.INCONCLUSIVE:
        sentence = f"The data reject {null} {level}"
        if c.verdict is Verdict.NOT_WORSE:
            return f"{sentence}. Whether it is better was not asked."
        if alternative is Alternative.TWO_SIDED and c.claim is Claim.BETTER:
            return f"{sentence}, and the candidate scores {'better' if c.gain > 0 else 'worse'}."
        return f"{sentence}."

    if c.claim is not Claim.BETTER and c.margin is not None and _beyond_the_margin(c):
        side = "better" if c.gain > 0 else "worse"
        return f"The data tell against the claim: the candidate is {side} by more than {_margin(c)}."
    sentence = f"The data do not settle it: {null} is not rejected {level}."
    if c.helped == c.hurt == 0 and c.gain == 0:
        return (
            f"{sentence} The systems score the same on every item here, which does not show that they would on others."
        )
    if c.claim is not Claim.BETTER:
        return f"{sentence} This is evidence neither that the systems are equal nor that they differ."
    sentence += " This is not evidence that the systems are equal."
    if alternative is Alternative.GREATER and c.gain < 0:
        sentence += " The candidate did worse here; the test asked only whether it is better."
    return sentence


def items(c: Comparison) -> str:
    """Return how many items were helped, hurt and unchanged, and how many have no weight."""
    weightless = c.n_items - sum(count for count in (c.helped, c.hurt, c.unchanged) if count is not None)
    counts: tuple[tuple[int | None, str], ...]
    counts = ((c.helped, "helped"), (c.hurt, "hurt"), (c.unchanged, "unchanged"))
    if c.helped is None:
        return f"{format_count(c.n_items)}, which have no scores of their own"
    if weightless:
        counts = (*counts, (weightless, "of weight 0"))
    return ", ".join(
        f"{format_count(count)} {what} ({format_share(count, c.n_items)})"
        for count, what in counts
        if count is not None
    )


def correlation(c: Comparison) -> str | None:
    """Return r12 and what it is; None where the baseline is a constant."""
    if c.against is not None:
        return None
    if c.helped is None:
        return f"undefined: items have no {c.metric.title} of their own"
    if c.correlation is None:
        return "undefined: one of the systems scores the same on every item"
    return f"{format_correlation(c.correlation)}, the correlation of the two systems' scores item by item"


def table_format(comparisons: Sequence[Comparison]) -> ScoreFormat:
    """Return how scores and gains are written in one table: one precision, as the widest of the intervals allows.

    A gain or an end that this would show as 0 gets up to two decimals more, and then so do all others.
    """
    first = comparisons[0]
    if len(comparisons) == 1:
        return comparison_format(first)
    whole = score_format(
        [score for c in comparisons for score in (c.baseline_score, c.candidate_score)],
        [max(2 * c.interval.reach(c.gain) for c in comparisons)],
        percentage=first.metric.as_percentage,
        thresholds=comparison_format(first).thresholds,
    )
    return whole.for_column(gain for c in comparisons for gain in (c.gain, c.interval.low, c.interval.high))


def interval_heading(c: Comparison) -> str:
    """Return the heading of a column of intervals: "95% interval"."""
    return f"{format_level(c.interval.confidence_level)} interval"


def p_bracket(test: TestResult | Check, alpha: float) -> str:
    """Return the bracket of a p-value: both ends where sampled, a bound where exact.

    Empty where nothing is lost, and where p is asymptotic: how far the distribution itself is off is not known.
    """
    exact = test.n_resamples is None
    if exact and test.computation == "asymptotic":
        return ""
    return format_bracket(test.p_value_low, test.p_value, test.p_value_high, alpha, bound=exact)


def explain_independence(c: Comparison) -> str | None:
    """Say what is wrong with the tests that assume independence, or return None if there are none."""
    factors = [test.inflation for test in c.tests if test.assumes_independence]
    if not factors:
        return None
    if c.correlation is None or factors[0] is None:
        return INDEPENDENCE
    grows = "overstates" if factors[0] >= 1 else "understates"
    factor = factors[0] if factors[0] >= 1 or factors[0] == 0 else 1 / factors[0]
    return (
        f"{INDEPENDENCE} With r12 = {format_correlation(c.correlation)} it {grows} the standard deviation "
        f"of the gain by a factor of {format_factor(factor)}."
    )


def explain_emulation(c: Comparison) -> str | None:
    """Say what the tests are that reproduce another tool's formula, or return None if there are none."""
    tools = dict.fromkeys(test.emulates for test in c.tests if test.emulates)
    return EMULATED.format(tool=" and ".join(tools)) if tools else None


def emulated_sentence(c: Comparison) -> str | None:
    """Return one sentence with the p-values of other tools' formulas, or None where no test emulates one."""
    emulations = [test for test in c.tests if test.emulates]
    if not emulations:
        return None
    values = [
        f"{state_p(test.p_value, c.alpha)} ({plain(name(test.name))}, {how_computed(test)})" for test in emulations
    ]
    tools = " and ".join(dict.fromkeys(test.emulates for test in emulations if test.emulates))
    return f"To be compared with, and not what the verdict rests on: {tools}'s formula gives {' and '.join(values)}."


def mark(test: TestResult) -> str:
    """Return the sign after the name of a test that refers to a note: † assumes independence, ‡ emulates."""
    if test.emulates:
        return "‡"
    return "†" if test.assumes_independence else ""


def check_label(check: Check) -> str:
    """Return what stands before a double check below its test."""
    return "check: agrees" if check.agrees else "check: DISAGREES"


def left_out(c: Comparison) -> Iterator[str]:
    """Yield the reasons for which tests were left out, each after its tests."""
    tests: dict[str, list[str]] = {}
    for test, reason in c.left_out:
        tests.setdefault(reason.rstrip("."), []).append(name(test))
    for reason, names in tests.items():
        yield f"{', '.join(names)}: {reason}."


def first_tests(comparisons: Iterable[Comparison]) -> dict[str, list[str]]:
    """Return the candidates by the test that gives their verdict, that of most of them first."""
    candidates: dict[str, list[str]] = {}
    for c in comparisons:
        if c.tests:
            candidates.setdefault(describe_test(c), []).append(name(c.candidate))
    return dict(sorted(candidates.items(), key=lambda of: -len(of[1])))


def summary(result: ComparisonResult) -> str:
    """Return one sentence on what a table of several candidates holds: a heading, and a caption for a paper."""
    first = result.comparisons[0]
    about = [
        *about_metric(result.metric, first.over, name),
        f"{format_count(result.n_items)} items{in_clusters(first)}",
    ]
    tested = ""
    if first.tests:
        (usual, _), *others = first_tests(result.comparisons).items()
        apart = "; ".join(f"for {', '.join(candidates)}: {test}" for test, candidates in others)
        tested = f", and p-values of the {usual}{f' ({apart})' if apart else ''} before and after Holm's correction"
    return (
        f"{format_count(len(result.comparisons))} candidates against {name(first.baseline)} ({', '.join(about)}): "
        f"gains with uncorrected {interval_heading(first)}s{tested}{claims(first.findings)}."
    )


def summary_of_metrics(results: Sequence[ComparisonResult]) -> str:
    """Return one or two sentences on what a table of several metrics holds: a heading, and a caption for a paper."""
    first, count = results[0].comparisons[0], len(results[0].comparisons)
    who = f"{format_count(count)} candidates" if count > 1 else name(first.candidate)
    sentence = (
        f"{who} against {name(first.baseline)} on {format_count(len(results))} metrics. Positive gains are better."
    )
    if not first.tests:
        return sentence
    of = " or the ".join(first_tests(c for result in results for c in result.comparisons))
    holm = "after Holm's correction for the number of candidates, but " if count > 1 else ""
    return f"{sentence} The p-values are those of the {of}, {holm}not corrected for the number of metrics."


def comparison_documents(
    results: Sequence[ComparisonResult], medium: Medium, *, details: bool = False, pairs: bool = False
) -> list[Document]:
    """Return what a report says of comparisons of the same systems, one result a metric.

    Parameters
    ----------
    results : sequence of ComparisonResult
    medium : Medium
    details : bool
        Whether several candidates or metrics are not only shown in a table, but each by itself, too.
    pairs : bool
        Of rankings alone.
    """
    del pairs
    first = results[0].comparisons[0]
    title = plain(f"{name(first.candidate)} against {name(first.baseline)}")
    match medium:
        case Medium.PAPER:
            alone = [[result] for result in results] if details and len(results) > 1 else []
            parts = [_in_a_paper(table, details=details) for table in (results, *alone)]
        case Medium.MARKUP:
            parts = [_in_markup(results)]
        case _:
            parts = [_on_a_screen(results, medium, details=details)]
    return [Document(title, tuple(part)) for part in parts]


def _on_a_screen(results: Sequence[ComparisonResult], medium: Medium, *, details: bool) -> Iterator[Block]:
    shown = details or len(results) == len(results[0].comparisons) == 1
    if len(results) > 1:
        yield Paragraph(summary_of_metrics(results), leading=True)
        yield _metrics_table(results, medium)
    elif not shown:
        yield from _candidates(results[0], medium)
    if not shown:
        yield Facts(tuple(_notes_on(results, medium)))
    for result in results:
        if shown and len(results) > 1:
            yield Heading(name(result.metric.title))
        yield from _everything(result, medium) if shown else ()
        yield from _signatures(result)


def _signatures(result: ComparisonResult) -> Iterator[Block]:
    if result.metric.signature is not None:
        yield Signature(result.metric.signature, result.version, name(result.metric.spec))
    yield Signature(result.signature, result.version)


def _candidates(result: ComparisonResult, medium: Medium) -> Iterator[Block]:
    yield Paragraph(summary(result), leading=True)
    yield systems_table(result, medium)


def _everything(result: ComparisonResult, medium: Medium) -> Iterator[Block]:
    several, first = len(result.comparisons) > 1, result.comparisons[0]
    yield from _candidates(result, medium) if several else ()
    warnings, left = (
        several and all(getattr(c, kind) == getattr(first, kind) for c in result.comparisons)
        for kind in ("warnings", "left_out")
    )
    for c in result.comparisons:
        if several:
            yield Heading(name(c.candidate), level=2)
        yield Paragraph(write_sentence(c, name=name), leading=not several)
        told = [
            Fact("verdict", f"{verdict(c.verdict.value)}. {explain_verdict(c)}"),
            Fact("items", items(c)),
            *(Fact("r12", r12) for r12 in [correlation(c)] if r12 is not None),
            *(Fact(label, sentence) for label, sentence in facts(c.findings)),
        ]
        yield Facts((*told, *([] if warnings else _other_warnings(c))))
        if c.tests:
            yield _tests_of_one(c, several=several)
        notes = [*explanations(c), *([] if left else _left_out(c))]
        if notes:
            yield Facts(tuple(notes))
        caption = f"{c.histogram.title} ({c.histogram.how}; the outermost bars hold the tails)"
        yield Picture(law_figure(c), caption, rows=4 if several else 7)
    common = [*(_other_warnings(first) if warnings else []), *(_left_out(first) if left else [])]
    if common:
        yield Facts(tuple(common))


def _in_markup(results: Sequence[ComparisonResult]) -> Iterator[Block]:
    medium = Medium.MARKUP
    if len(results) > 1:
        yield Paragraph(summary_of_metrics(results), leading=True)
        yield _metrics_table(results, medium)
    for result in results:
        several = len(result.comparisons) > 1
        if len(results) > 1:
            yield Heading(name(result.metric.title))
        yield from _candidates(result, medium) if several else ()
        for c in result.comparisons:
            yield Paragraph(write_sentence(c, name=name), leading=not several, bullet="- " if several else "")
            said = f"{strong(f'Verdict: {c.verdict}.')} {explain_verdict(c)}"
            yield Paragraph(said, bullet="  " if several else "")
        if not several:
            yield systems_table(result, medium)
        if any(c.tests for c in result.comparisons):
            yield tests_table(result.comparisons, medium)
        notes = list(_notes_of(result, medium))
        if notes:
            yield Facts(tuple(notes))
        yield from _signatures(result)


def _in_a_paper(results: Sequence[ComparisonResult], *, details: bool) -> Iterator[Block]:
    medium = Medium.PAPER
    for result in results:
        yield from reversed([*_signatures(result)])
    notes = dict.fromkeys(fact for result in results for fact in _notes_of(result, medium))
    if notes:
        yield Facts(tuple(notes))
    if len(results) > 1:
        yield _metrics_table(results, medium)
        return
    [result] = results
    sentences = [write_sentence(c, name=name) for c in result.comparisons]
    if len(sentences) > 1:
        yield from map(Paragraph, sentences)
    title = summary(result) if len(sentences) > 1 else sentences[0]
    yield replace(systems_table(result, medium), title=f"{title}{_legend(result.comparisons)}")
    if (details or len(sentences) == 1) and any(len(c.tests) > 1 for c in result.comparisons):
        yield tests_table(result.comparisons, medium)


def other_warnings(c: Comparison) -> list[str]:
    """Return the warnings without the one that `explain_verdict` states."""
    return [warning for warning in c.warnings if warning != c.withheld]


def _other_warnings(c: Comparison) -> list[Fact]:
    return [Fact("warning", warning, Kind.WARNING) for warning in other_warnings(c)]


def _warnings(c: Comparison) -> list[Fact]:
    return [Fact("warning", warning, Kind.WARNING) for warning in c.warnings]


def _left_out(c: Comparison) -> list[Fact]:
    return [Fact("left out", reason) for reason in left_out(c)]


def explanations(c: Comparison) -> Iterator[Fact]:
    """Yield what the signs beside tests mean."""
    independence, emulation = explain_independence(c), explain_emulation(c)
    if independence is not None:
        yield Fact("†", independence, Kind.NOTE)
    if emulation is not None:
        yield Fact("‡", emulation, Kind.NOTE)
    if any(test.checks for test in c.tests):
        yield Fact("check", CHECKED)


def _notes_of(result: ComparisonResult, medium: Medium) -> Iterator[Fact]:
    """Yield what must be known of all candidates, each thing once; what is not true of all says of whom it is."""
    owners: dict[Fact, list[str]] = {}
    for c in result.comparisons:
        # In a paper the captions explain the signs.
        explained = [] if medium is Medium.PAPER else list(explanations(c))
        found = [] if medium is Medium.PAPER else [Fact(label, sentence) for label, sentence in facts(c.findings)]
        warnings = _other_warnings(c) if medium is Medium.MARKUP else _warnings(c)
        for fact in (*found, *warnings, *explained, *_left_out(c)):
            owners.setdefault(fact, []).append(name(c.candidate))
    for fact, of in owners.items():
        yield fact if len(of) == len(result.comparisons) else replace(fact, of=_unnamed(fact, of))


def _unnamed(fact: Fact, owners: Sequence[str]) -> tuple[str, ...]:
    """Return of whom a fact is, without the one whom it names itself."""
    return tuple(owner for owner in owners if not fact.text.startswith(f"{plain(owner)}: "))


def _notes_on(results: Sequence[ComparisonResult], medium: Medium) -> Iterator[Fact]:
    """Yield what must be known of comparisons whose tables are all that is shown, each thing once."""
    every = [c for result in results for c in result.comparisons]
    owners: dict[Fact, list[str]] = {}
    for c in every:
        who = [name(c.candidate)] if len(results[0].comparisons) > 1 else []
        what = [name(c.metric.title)] if len(results) > 1 else []
        for fact in (*_warnings(c), *_left_out(c)):
            owners.setdefault(fact, []).append(", ".join([*who, *what]))
    for fact, of in owners.items():
        yield replace(fact, of=_unnamed(fact, of) if len(of) < len(every) else ())
    unsettled = next((c for c in every if c.verdict is Verdict.INCONCLUSIVE and c.withheld is None), None)
    if unsettled is not None:
        level = format_exactly(unsettled.alpha)
        said = f"Inconclusive means not rejected at α = {level}, which is no evidence that the systems are equal."
        yield Fact("verdict", said)
    if medium is Medium.TERMINAL:
        yield Fact("details", f"{opt('details', True)} shows the tests, the items and the law of each gain.")


def _metrics_table(results: Sequence[ComparisonResult], medium: Medium) -> Table:
    """Return one row a metric and candidate, in the order of the results; all numbers with the same decimals."""
    formats = [table_format(result.comparisons) for result in results]
    decimals = max(one.decimals for one in formats)
    every = [
        (c, replace(scores, decimals=decimals), best)
        for scores, result in zip(formats, results, strict=True)
        for c, best in zip(result.comparisons, _are_best(result), strict=True)
    ]
    paper, many = medium is Medium.PAPER, len(results[0].comparisons) > 1

    def candidate_score(c: Comparison, scores: ScoreFormat, best: bool) -> str:
        score = scores.score(c.candidate_score)
        return f"{strong(score) if best else score}{_stars(c)}" if paper else score

    def baseline_score(c: Comparison, scores: ScoreFormat) -> str:
        score = scores.score(c.baseline_score)
        return strong(score) if paper and not many and _is_baseline_best(c) else score

    metrics = [name(c.metric.heading) for c, _, _ in every]
    columns = [("metric", list(map(capital, metrics)) if paper else metrics, False)]
    columns += [("candidate", [name(c.candidate) for c, _, _ in every], False)] if many else []
    fitted = tuple(range(len(columns)))
    columns += [
        ("baseline", [baseline_score(c, scores) for c, scores, _ in every], True),
        ("score" if many else "candidate", [candidate_score(*row) for row in every], True),
        ("gain", [scores.gain(c.gain) for c, scores, _ in every], True),
    ]
    spare: tuple[tuple[int, int], ...] = ()
    if medium in (Medium.TERMINAL, Medium.PAGE):
        spare = ((len(columns), _WHOLE),)
        intervals = [scores.interval(c.interval.low, c.interval.high) for c, scores, _ in every]
        columns.append((interval_heading(every[0][0]), intervals, True))
    if any(c.tests for c, _, _ in every):
        columns.append(("p", [format_adjusted_p(c.tests[0], c.alpha) if c.tests else "" for c, _, _ in every], False))
    columns.append(("verdict", [verdict(c.verdict.value) for c, _, _ in every], False))
    title = f"{summary_of_metrics(results)}{_legend([c for c, _, _ in every])}"
    return Table.of_columns(columns, title=title, fitted=fitted, spare=spare)


def systems_table(result: ComparisonResult, medium: Medium) -> Table:
    """Return the baseline and all candidates."""
    first, several = result.comparisons[0], len(result.comparisons) > 1
    scores, comparisons = table_format(result.comparisons), result.comparisons
    paper = medium is Medium.PAPER
    candidates = [scores.score(c.candidate_score) for c in comparisons]
    baseline = scores.score(first.baseline_score)
    if paper:
        candidates = [
            f"{strong(score) if best else score}{_stars(c)}"
            for score, c, best in zip(candidates, comparisons, _are_best(result), strict=True)
        ]
        baseline = strong(baseline) if all(map(_is_baseline_best, comparisons)) else baseline
    columns = [
        ("system", [name(first.baseline), *(name(c.candidate) for c in comparisons)], False),
        ("score" if medium is Medium.TERMINAL else name(first.metric.heading), [baseline, *candidates], True),
        ("gain", ["", *(scores.gain(c.gain) for c in comparisons)], True),
        (
            interval_heading(first),
            ["", *(scores.interval(c.interval.low, c.interval.high) for c in comparisons)],
            True,
        ),
    ]
    if medium is Medium.MARKUP:
        for kind in ("helped", "hurt", "unchanged"):
            counts = (getattr(c, kind) for c in comparisons)
            columns.append((kind, ["", *("" if count is None else format_count(count) for count in counts)], True))
    tests = {c.tests[0].name for c in comparisons if c.tests}
    if tests:
        heading = f"p ({name(*tests)})" if medium is Medium.MARKUP and len(tests) == 1 else "p"
        plain_p = (format_test_p(c.tests[0], c.alpha) if c.tests else "" for c in comparisons)
        columns.append((heading, ["", *plain_p], medium is Medium.PAGE))
        if several:
            adjusted = (format_adjusted_p(c.tests[0], c.alpha) if c.tests else "" for c in comparisons)
            columns.append(("p (Holm)", ["", *adjusted], medium is Medium.PAGE))
    baseline_verdict = "" if paper else "baseline"
    columns.append(("verdict", [baseline_verdict, *(verdict(c.verdict.value) for c in comparisons)], False))
    # What each candidate's own block says again is left out first.
    spare = ((4, 1), (3, 1)) if tests else ((3, 1),)
    return Table.of_columns(columns, fitted=(0,), spare=spare)


def _tests_of_one(c: Comparison, *, several: bool) -> Table:
    """Return the tests of one comparison; what is the same for all is said once, above them."""
    alternatives = {test.alternative for test in c.tests}
    # Of the two one-sided tests of equivalence the worse counts, whichever side it is on.
    apart = len(alternatives) > 1 and c.claim is not Claim.EQUIVALENT
    if apart:
        caption = "tests of the gain"
    else:
        one = "two one-sided tests" if c.claim is Claim.EQUIVALENT else f"alternative: {c.tests[0].alternative}"
        caption = f"tests of H0: {null_hypothesis(c, c.tests[0].alternative)} ({one})"
    headings = ["test", *(["alternative"] if apart else []), "p", *(["p (Holm)"] if several else [])]
    headings += ["computed", _BRACKET]
    rows = []
    for test in c.tests:
        row = [f"{name(test.name)} {mark(test)}".rstrip(), *([test.alternative.value] if apart else [])]
        row += _p_values(c, test, several=several)
        rows.append([*row, how_computed(test), p_bracket(test, c.alpha)])
        for check in test.checks:
            row = [f"  {check_label(check)}", *([""] if apart else []), format_test_p(check, c.alpha)]
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


def tests_table(comparisons: Sequence[Comparison], medium: Medium) -> Table:
    """Return the tests of all candidates."""
    first, several, paper = comparisons[0], len(comparisons) > 1, medium is Medium.PAPER
    adjusted = first.n_candidates > 1
    headings = [*(["candidate"] if several else []), "test", *([] if paper else ["alternative"]), "H0", "p"]
    headings += [*(["p (Holm)"] if adjusted else []), "computed", *([] if paper else [_BRACKET])]
    rows = []
    for c in comparisons:
        candidate = [name(c.candidate)] if several else []
        for test in c.tests:
            h0, between = null_hypothesis(c, test.alternative), "" if paper else " "
            row = [*candidate, f"{name(test.name)}{between}{mark(test)}".rstrip()]
            row += [*([] if paper else [test.alternative.value]), h0, *_p_values(c, test, several=adjusted)]
            rows.append([*row, how_computed(test), *([] if paper else [p_bracket(test, c.alpha)])])
            for check in () if paper else test.checks:
                row = [*candidate, f"{name(test.name)}, {check_label(check)}", "", "", format_test_p(check, c.alpha)]
                rows.append([*row, *([""] if adjusted else []), how_computed(check), p_bracket(check, c.alpha)])
    of = "" if several else f" of {name(first.candidate)}"
    notes = [explain_independence(c) for c in comparisons]
    # One r12 a candidate: with several, the caption says only what they share.
    independence = f" †{INDEPENDENCE if several else notes[0]}" if any(notes) else ""
    emulations = dict.fromkeys(filter(None, map(explain_emulation, comparisons)))
    title = f"Tests of the gain{of} over {name(first.baseline)}.{independence}"
    title += "".join(f" ‡{note}" for note in emulations)
    return Table(tuple(headings), tuple(map(tuple, rows)), title=title)


def _p_values(c: Comparison, test: TestResult, *, several: bool) -> list[str]:
    return [format_test_p(test, c.alpha), *([format_adjusted_p(test, c.alpha)] if several else [])]


def _better(c: Comparison, one: float, other: float) -> bool:
    return one > other if c.metric.higher_is_better else one < other


def _is_baseline_best(c: Comparison) -> bool:
    return not _better(c, c.candidate_score, c.baseline_score)


def _are_best(result: ComparisonResult) -> list[bool]:
    """Return of every candidate whether no system scores better."""
    scores = [result.comparisons[0].baseline_score, *(c.candidate_score for c in result.comparisons)]
    return [not any(_better(c, score, c.candidate_score) for score in scores) for c in result.comparisons]


def _reached(c: Comparison) -> int:
    return sum(c.tests[0].adjusted_p_value <= bound for bound in p_levels(c.alpha)) if c.tests else 0


def _stars(c: Comparison) -> str:
    """Return the marks of a candidate's significance."""
    return marked(Mark.HANGING, "*" * _reached(c))


def _legend(comparisons: Sequence[Comparison]) -> str:
    """Return what bold and the marks mean, as the end of a caption; nothing of marks where there are none."""
    caption = " The best score is in bold."
    most = max(map(_reached, comparisons))
    if most:
        c = next(c for c in comparisons if c.tests)
        bounds = enumerate(p_levels(c.alpha)[:most], 1)
        marks = ", ".join(f"{marked(Mark.RAISED, '*' * stars)} p ≤ {format_exactly(bound)}" for stars, bound in bounds)
        tests = list(first_tests(comparisons))
        caption += f" {marks}, {tests[0] if len(tests) == 1 else 'these tests'}"
        caption += f" after Holm's correction for {c.n_candidates} candidates." if c.n_candidates > 1 else "."
    return caption
