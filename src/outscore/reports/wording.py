"""What the reports for people say in words, each thing once.

Every function takes `number`, with which a report writes numbers, signs and formulas in its own format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from outscore.naming import printable
from outscore.numbers import (
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
    how_computed,
)

__all__ = [
    "CHECKED",
    "EMULATED",
    "INDEPENDENCE",
    "check_label",
    "correlation",
    "emulated_sentence",
    "explain_emulation",
    "explain_independence",
    "explain_verdict",
    "first_test",
    "interval_heading",
    "items",
    "left_out",
    "mark",
    "notes_on",
    "null_hypothesis",
    "p_bracket",
    "summary",
    "table_format",
]

Write: TypeAlias = Callable[[str], str]

CHECKED = "The p-value above it computed another way: from other resamples, or exactly."
EMULATED = "Reproduces the formula of {tool}, to be compared with; the verdict does not rest on it."
INDEPENDENCE = "Takes the scores of the two systems to be independent, although they are scores of the same items."


def _margin(c: Comparison, number: Write) -> str:
    points = " points" if c.metric.as_percentage else ""
    return f"{number(comparison_format(c).size(c.margin or 0.0))}{points}"


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


def _null_effect(c: Comparison, number: Write) -> str:
    """Return what the null hypothesis of the first test says of the candidate, as a noun."""
    if c.claim is not Claim.BETTER and c.margin is not None:
        either = "gain or loss" if c.claim is Claim.EQUIVALENT else "loss"
        return f"a {either} of {_margin(c, number)} or more"
    alternative = c.tests[0].alternative if c.tests else Alternative.GREATER
    more = {Alternative.GREATER: " or less", Alternative.LESS: " or more", Alternative.TWO_SIDED: ""}
    return f"a gain of {number('0')}{more[alternative]}"


def _beyond_the_margin(c: Comparison) -> bool:
    """Say whether the data reject the opposite of what the claim says, at the same level."""
    margin = c.margin or 0.0
    if c.claim is Claim.EQUIVALENT:
        return c.interval.high < -margin or c.interval.low > margin
    return bool(c.tests) and c.gain < -margin and c.tests[0].p_value >= 1 - c.alpha


def explain_verdict(c: Comparison, *, number: Write = str) -> str:
    """Say in full sentences what the verdict means, without its word.

    An inconclusive verdict is never put as "no difference": what a test does not reject it does not show.
    """
    level = f"at {number(f'α = {format_exactly(c.alpha)}')}"
    if any(test.adjusted_p_value > test.p_value for test in c.tests[:1]):
        level += " after Holm's correction"
    null, asked = _null_effect(c, number), c.tests[0].alternative if c.tests else None
    if c.verdict is not Verdict.INCONCLUSIVE:
        told = f"The data reject {null} {level}"
        if c.verdict is Verdict.NOT_WORSE:
            return f"{told}. Whether it is better was not asked."
        if asked is Alternative.TWO_SIDED and c.claim is Claim.BETTER:
            return f"{told}, and the candidate scores {'better' if c.gain > 0 else 'worse'}."
        return f"{told}."

    if c.claim is not Claim.BETTER and c.margin is not None and _beyond_the_margin(c):
        side = "better" if c.gain > 0 else "worse"
        return f"The data tell against the claim: the candidate is {side} by more than {_margin(c, number)}."
    told = f"The data do not settle it: {null} is not rejected {level}."
    if c.helped == c.hurt == 0 and c.gain == 0:
        return f"{told} The systems score the same on every item here, which does not show that they would on others."
    if c.claim is not Claim.BETTER:
        return f"{told} This is evidence neither that the systems are equal nor that they differ."
    told += " This is not evidence that the systems are equal."
    if asked is Alternative.GREATER and c.gain < 0:
        told += " The candidate did worse here; the test asked only whether it is better."
    return told


def items(c: Comparison, *, number: Write = str) -> str:
    """Return how many items were helped, hurt and unchanged."""
    counts = ((c.helped, "helped"), (c.hurt, "hurt"), (c.unchanged, "unchanged"))
    if c.helped is None:
        return f"{number(format_count(c.n_items))}, which have no scores of their own"
    return ", ".join(
        f"{number(format_count(count))} {what} ({number(format_share(count, c.n_items))})"
        for count, what in counts
        if count is not None
    )


def correlation(c: Comparison, *, number: Write = str) -> str:
    """Return r12 and what it is."""
    if c.helped is None:
        return f"undefined: items have no {c.metric.title} of their own"
    if c.correlation is None:
        return "undefined: one of the systems scores the same on every item"
    return f"{number(format_correlation(c.correlation))}, the correlation of the two systems' scores item by item"


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


def interval_heading(c: Comparison, *, number: Write = str) -> str:
    """Return the heading of a column of intervals: "95% interval"."""
    return f"{number(format_level(c.interval.confidence_level))} interval"


def p_bracket(test: TestResult | Check, alpha: float) -> str:
    """Return the bracket of a p-value: both ends where sampled, a bound where exact; empty where nothing is lost."""
    exact = test.n_resamples is None
    return format_bracket(test.p_value_low, test.p_value, test.p_value_high, alpha, bound=exact)


def explain_independence(c: Comparison, *, number: Write = str) -> str | None:
    """Say what is wrong with the tests that assume independence, or return None if there are none."""
    factors = [test.inflation for test in c.tests if test.assumes_independence]
    if not factors:
        return None
    if c.correlation is None or factors[0] is None:
        return INDEPENDENCE
    grows = "overstates" if factors[0] >= 1 else "understates"
    factor = factors[0] if factors[0] >= 1 or factors[0] == 0 else 1 / factors[0]
    return (
        f"{INDEPENDENCE} With r12 = {number(format_correlation(c.correlation))} it {grows} the standard deviation "
        f"of the gain by a factor of {number(format_factor(factor))}."
    )


def explain_emulation(c: Comparison) -> str | None:
    """Say what the tests are that reproduce another tool's formula, or return None if there are none."""
    tools = dict.fromkeys(test.emulates for test in c.tests if test.emulates)
    return EMULATED.format(tool=" and ".join(tools)) if tools else None


def emulated_sentence(c: Comparison) -> str | None:
    """Return one sentence with the p-values of other tools' formulas, or None where no test emulates one."""
    found = [test for test in c.tests if test.emulates]
    if not found:
        return None
    values = [f"{state_p(test.p_value, c.alpha)} ({printable(test.name)}, {how_computed(test)})" for test in found]
    tools = " and ".join(dict.fromkeys(test.emulates for test in found if test.emulates))
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
    for name, reason in c.left_out:
        tests.setdefault(reason.rstrip("."), []).append(name)
    for reason, names in tests.items():
        yield f"{', '.join(names)}: {reason}."


def first_test(comparisons: Iterable[Comparison], *, number: Write = str) -> str:
    """Return what gives the verdict of all these: one test, or, where the default took several, the first of each."""
    tests = {describe_test(c, number=number) for c in comparisons if c.tests}
    return tests.pop() if len(tests) == 1 else "first test of each"


def notes_on(results: Sequence[ComparisonResult]) -> Iterator[tuple[str, str]]:
    """Yield what must be known of comparisons whose tables are all that is shown, each thing once: its kind, its words.

    What is not true of all of them is said of those of which it is.
    """
    every = [c for result in results for c in result.comparisons]
    notes: dict[tuple[str, str], list[Comparison]] = {}
    for c in every:
        for warning in c.warnings:
            notes.setdefault(("warning", warning), []).append(c)
        for reason in left_out(c):
            notes.setdefault(("left out", reason), []).append(c)
    for (kind, note), of in notes.items():
        where = [_in_short(c, results) for c in of] if len(of) < len(every) else []
        yield kind, f"{'; '.join(where)}: {note}" if where else note
    unsettled = next((c for c in every if c.verdict is Verdict.INCONCLUSIVE), None)
    if unsettled is not None:
        level = format_exactly(unsettled.alpha)
        yield "verdict", f"inconclusive: not rejected at α = {level}, which is no evidence that the systems are equal."
    yield "details", "--details shows the tests, the items and the law of each gain."


def _in_short(c: Comparison, results: Sequence[ComparisonResult]) -> str:
    names = [c.candidate] if len(results[0].comparisons) > 1 else []
    return ", ".join([*names, *([c.metric.title] if len(results) > 1 else [])])


def summary(result: ComparisonResult, *, name: Write = printable, number: Write = str) -> str:
    """Return one sentence on what a table of several candidates holds: a heading, and a caption for a paper."""
    first = result.comparisons[0]
    clusters = "" if result.n_units == result.n_items else f" in {number(format_count(result.n_units))} clusters"
    about = [
        name(result.metric.title) + (f" in {number('%')}" if result.metric.as_percentage else ""),
        *([] if result.metric.higher_is_better else ["lower is better"]),
        f"{number(format_count(result.n_items))} items{clusters}",
    ]
    tested = ""
    if first.tests:
        of = first_test(result.comparisons, number=number)
        tested = f", and p-values of the {of} before and after Holm's correction"
    return (
        f"{number(format_count(len(result.comparisons)))} candidates against {name(first.baseline)} "
        f"({', '.join(about)}): gains with uncorrected {interval_heading(first, number=number)}s{tested}."
    )
