"""What the reports for people say in words, each thing once.

Every function takes `number`, with which a report writes numbers, signs and formulas in its own format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from outscore.numbers import (
    format_bracket,
    format_correlation,
    format_count,
    format_exactly,
    format_factor,
    format_level,
    format_share,
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
    printable,
)

__all__ = [
    "explain_check",
    "explain_independence",
    "explain_verdict",
    "interval_heading",
    "items",
    "left_out",
    "null_hypothesis",
    "p_bracket",
    "summary",
]

Write = Callable[[str], str]

UNSETTLED = "The data do not settle it; this is not evidence that the systems are equal"


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


def _denied(c: Comparison, number: Write) -> str:
    """Return the null hypothesis in words, to be followed by "is rejected" or "is not rejected"."""
    if c.claim is not Claim.BETTER and c.margin is not None:
        either = "the two differ" if c.claim is Claim.EQUIVALENT else "the candidate is worse"
        return f"that {either} by {_margin(c, number)} or more"
    alternative = c.tests[0].alternative if c.tests else Alternative.GREATER
    return {
        Alternative.GREATER: f"that the gain is {number('0')} or less",
        Alternative.LESS: f"that the gain is {number('0')} or more",
        Alternative.TWO_SIDED: f"that the gain is {number('0')}",
    }[alternative]


def explain_verdict(c: Comparison, *, number: Write = str) -> str:
    """Say in full sentences what the verdict means, without its word."""
    level = f"at α = {number(format_exactly(c.alpha))}"
    denied = _denied(c, number).capitalize()
    if c.verdict is not Verdict.INCONCLUSIVE:
        more = ""
        if c.verdict is Verdict.NOT_WORSE:
            more = " Whether it is better was not asked."
        elif c.tests and c.tests[0].alternative is Alternative.TWO_SIDED and c.claim is Claim.BETTER:
            more = f" The candidate scores {'better' if c.gain > 0 else 'worse'}."
        return f"{denied} is rejected {level}.{more}"

    told = f"{denied} is not rejected {level}."
    if c.helped == c.hurt == 0 and c.gain == 0:
        return (
            f"{told} The systems score the same on every item here, which does not show that they would on others."
        )
    if c.claim is not Claim.BETTER:
        return f"{told} {UNSETTLED}, nor that they differ."
    if c.tests and c.tests[0].alternative is Alternative.GREATER and c.gain < 0:
        return f"{told} The candidate scores worse here; the test asked only whether it is better. {UNSETTLED}."
    return f"{told} {UNSETTLED}."


def items(c: Comparison, *, number: Write = str) -> str:
    """Return how many items were helped, hurt and unchanged, and how the paired scores correlate."""
    n = c.helped + c.hurt + c.unchanged
    counted = ", ".join(
        f"{number(format_count(count))} {what} ({number(format_share(count, n))})"
        for count, what in ((c.helped, "helped"), (c.hurt, "hurt"), (c.unchanged, "unchanged"))
    )
    r12 = "" if c.correlation is None else f"; r12 = {number(format_correlation(c.correlation))}"
    return counted + r12


def interval_heading(c: Comparison, *, number: Write = str) -> str:
    """Return the heading of a column of intervals: "95% interval"."""
    return f"{number(format_level(c.interval.confidence_level))} interval"


def p_bracket(test: TestResult | Check, alpha: float) -> str:
    """Return the bracket of a p-value; empty where there is nothing to say."""
    return format_bracket(test.p_value_low, test.p_value, test.p_value_high, alpha)


def explain_independence(c: Comparison, *, number: Write = str) -> str | None:
    """Say what is wrong with the tests that assume independence, or return None if there are none."""
    factors = [test.inflation for test in c.tests if test.assumes_independence]
    if not factors:
        return None
    said = "Takes the scores of the two systems to be independent, although they are scores of the same items"
    if c.correlation is None or factors[0] is None:
        return f"{said}."
    grows = "overstates" if factors[0] >= 1 else "understates"
    factor = factors[0] if factors[0] >= 1 or factors[0] == 0 else 1 / factors[0]
    return (
        f"{said}: with r12 = {number(format_correlation(c.correlation))} it {grows} the standard deviation of the "
        f"gain by a factor of {number(format_factor(factor))}."
    )


def explain_check(test: TestResult, check: Check, alpha: float, *, number: Write = str) -> str:
    """Say what the double check of a test found."""
    ends = format_bracket(check.p_value_low, check.p_value, check.p_value_high, alpha)
    if check.n_resamples is None:
        how = check.computation
    else:
        resamples = number(format_count(check.n_resamples))
        # A number that names something is not separated into thousands.
        how = f"{resamples} other resamples" + ("" if check.seed is None else f", seed {check.seed}")
    agrees = "agrees" if check.agrees else "DISAGREES with the p-value above"
    bracket = f", {number(ends)}" if " to " in ends else ""
    return f"{test.name}: {number(state_p(check.p_value, alpha))} ({how}{bracket}): {agrees}."


def left_out(c: Comparison) -> Iterator[str]:
    """Yield the tests that were left out, each with the reason."""
    for name, reason in c.left_out:
        yield f"{name}: {reason.rstrip('.')}."


def summary(result: ComparisonResult, *, name: Write = printable, number: Write = str) -> str:
    """Return one sentence on what a table of several candidates holds: a heading, and a caption for a paper."""
    first = result.comparisons[0]
    clusters = "" if result.n_units == result.n_items else f" in {number(format_count(result.n_units))} clusters"
    about = [
        name(result.metric.name) + (f" in {number('%')}" if result.metric.as_percentage else ""),
        *([] if result.metric.higher_is_better else ["lower is better"]),
        f"{number(format_count(result.n_items))} items{clusters}",
    ]
    tested = (
        f", and p-values of the {describe_test(first, number=number)}, after Holm's correction" if first.tests else ""
    )
    return (
        f"{number(format_count(len(result.comparisons)))} candidates against {name(first.baseline)} "
        f"({', '.join(about)}): gains with uncorrected {interval_heading(first, number=number)}s{tested}."
    )
