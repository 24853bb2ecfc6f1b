"""The sentences of comparisons of systems that were scored on different items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from outscore.data.rows import Missing
from outscore.options import opt
from outscore.results import Claim, MetricDescription, TestedQuantity, Verdict
from outscore.results.comparisons import DISTRIBUTION, SHARE_OF_PAIRS
from outscore.results.scores import UnpairedComparison, UnpairedResult, UnpairedTest
from outscore.text.naming import name, printable
from outscore.text.numbers import ScoreFormat, format_counted, rounded_up, score_format, state_p
from outscore.words.comparisons import (
    counted_items,
    holm_over,
    of_a_loss,
    outweighed,
    quantity_ends,
    quantity_value,
    with_ends,
)
from outscore.words.warnings import COULD_BE_PAIRED, name_the_range, would_pair

# What tests test, in a paragraph on methods, if that is not the gain.
TESTED: Mapping[str | None, str] = {
    SHARE_OF_PAIRS: f"the {SHARE_OF_PAIRS}",
    DISTRIBUTION: "for a common distribution of all scores",
}
# What p is for, of tests that are not the default.
_NULL = "The null hypothesis of this p-value is that"
_ONE_DISTRIBUTION = f"{_NULL} all scores have one distribution."
DISTRIBUTIONS_DIFFER = (
    f"{_ONE_DISTRIBUTION} A small one shows that the distributions differ. It is not exact for equal means."
)
NO_VERDICT_ON_MEANS = f"{_ONE_DISTRIBUTION} It gives no verdict on means."
NO_VERDICT_ON_RANKS = f"{_ONE_DISTRIBUTION} It gives no verdict on means or on the {SHARE_OF_PAIRS}."
EQUAL_RATES = f"{_NULL} both systems have the same rate of correct items."
EQUAL_MEANS = f"{_NULL} the means are equal. It assumes that means are normal."
FOR_DISTRIBUTIONS = "p is for equal distributions"
_OF_DEFAULT = "interval of the default test"


def unpaired_sentence(result: UnpairedResult, comparison: UnpairedComparison, scores: ScoreFormat) -> str:
    """Return the sentences of two systems that were scored on different items."""
    c, test = comparison, comparison.tests[0]
    baseline_items = counted_items(c.n_baseline, c.baseline_clusters)
    candidate_items = counted_items(c.n_candidate, c.candidate_clusters)
    gain = (
        f"{name(c.candidate)} has {result.metric.heading} {scores.score(c.candidate_score)} on {candidate_items}, "
        f"{name(c.baseline)} {scores.score(c.baseline_score)} on {baseline_items}: a gain of "
        f"{scores.gain(c.gain)}{result.metric.points}"
    )
    tested = f"{describe_unpaired(result, test, scores)}, {_p(result, test)}"
    if math.isnan(test.p_value):
        return f"{gain}. {c.withheld}"
    if c.found is not None:
        ends = "without an interval"
        if c.found.interval is not None:
            ends = with_ends(c.found.interval, quantity_ends(c.found, result.metric))
        won = (
            f"{name(c.candidate)} scores better in {quantity_value(c.found, result.metric)} of all pairs of their items"
        )
        further = c.withheld or "The gain was not tested."
        return f"{gain}. {won} (ties count half; {ends}; {tested}): {c.found.direction.value}. {further}"
    if not test.is_of_means:
        answer = f"{gain} ({tested}): {c.verdict.value}."
    else:
        title = _OF_DEFAULT if test.interval is None else ""
        ends = with_ends(c.interval, scores.interval(c.interval.low, c.interval.high), title=title)
        ends += "" if test.caveat is None else f"; {test.caveat}"
        answer = f"{gain} ({ends}; {tested}): {c.verdict.value}."
    return " ".join(dict.fromkeys(filter(None, [answer, test.null, c.withheld])))


def _p(result: UnpairedResult, test: UnpairedTest) -> str:
    p = state_p(test.adjusted_p_value, result.alpha, bound=test.is_bound)
    return f"{p} after {holm_over(result.multiplicity)}" if result.multiplicity.size > 1 else p


def describe_unpaired(result: UnpairedResult, test: UnpairedTest, scores: ScoreFormat) -> str:
    """Return the name of a test with its side and, for a margin, its aim."""
    title = test.title
    if result.claim is Claim.BETTER or result.margin is None:
        return f"{result.alternative.sided} {title}{of_a_loss(result.alternative, test.quantity)}"
    margin = f"{scores.size(result.margin)}{result.metric.points}"
    if result.claim is Claim.EQUIVALENT:
        return f"two one-sided {title}s of equivalence with a margin of ±{margin}"
    return f"one-sided {title} of non-inferiority with a margin of {margin}"


def quantity_of(test: UnpairedTest) -> TestedQuantity | None:
    """Return what a test found of the share of pairs won, to be written; None of other tests."""
    if test.quantity is None or test.estimate is None:
        return None
    return TestedQuantity(test.quantity, Verdict.INCONCLUSIVE, test.estimate, 0.5, test.interval, "share")


def gains_format(result: UnpairedResult) -> ScoreFormat:
    """Return how scores and gains are written."""
    return _format(result.comparisons, result.metric, result.margin)


def _format(comparisons: Sequence[UnpairedComparison], metric: MetricDescription, margin: float | None) -> ScoreFormat:
    return score_format(
        [score for comparison in comparisons for score in (comparison.baseline_score, comparison.candidate_score)],
        [comparison.interval.reach(comparison.gain) for comparison in comparisons],
        [
            gain
            for comparison in comparisons
            for gain in (comparison.gain, comparison.interval.low, comparison.interval.high)
        ],
        percentage=metric.as_percentage,
        thresholds=[] if margin is None else [margin, -margin],
    )


def no_p_value(c: UnpairedComparison, metric: MetricDescription) -> str:
    """Say why there is no p-value, and no interval if there is none."""
    scores, unit = _format([c], metric, None), "%" if metric.as_percentage else ""
    baseline = f"{printable(c.baseline)} are {scores.score(c.baseline_score)}{unit}"
    other = f"{printable(c.candidate)} are {scores.score(c.candidate_score)}{unit}"
    nothing = "no p-value and no interval" if c.interval.method == "none" else "no p-value"
    return f"All scores of {baseline} and all of {other}, so there is {nothing}."


def against_the_share(metric: MetricDescription) -> str:
    """Say why there is no verdict on the gain, if the share of pairs won is on the other side."""
    return f"The gain points the other way, so there is no verdict on it. {outweighed('item', metric)}"


def against_the_range() -> str:
    """Say why there is no verdict on the gain, if that of a test that uses the range is on the other side."""
    return "The gain with the range of scores taken into account points the other way, so there is no verdict."


def borrowed(system: str, other: str, unit: str, metric: str | None) -> str:
    """Warn that the spread of one system is that of both, and how to avoid it if the metric can take a range."""
    carried = f"Fewer than 5 {unit}s of {printable(system)} carry the variance of its score"
    used = f"the spread of those of {printable(other)} was used as well"
    return f"{carried}, so {used}.{'' if metric is None else f' {name_the_range(metric)}'}"


def shared_ids(candidate: str, baseline: str, n_shared: int) -> str:
    """Warn that two systems share some of their items, if ids do not only number them."""
    return (
        f"{printable(candidate)} and {printable(baseline)} share {format_counted(n_shared, 'item id')}. If these are "
        f"the same items, the samples are not independent: replace {opt('unpaired', True)} by "
        f"{Missing.DROP.option}, which compares on the common items."
    )


def binary_and_graded(binary: str, graded: str, metric: str | None) -> str:
    """Warn that one system has only scores of 0 and 1, which the other has not."""
    scales = f"All scores of {printable(binary)} are 0 or 1, and those of {printable(graded)} are not."
    return f"{scales} Check that they are on one scale.{'' if metric is None else f' {name_the_range(metric)}'}"


def next_step(comparison: UnpairedComparison, low: float, high: float) -> str:
    """Return how many times the items would show a true gain of the observed size."""
    size = f"true {'gain' if comparison.gain > 0 else 'loss'} of {printable(comparison.candidate)} of this size"
    least, most = (f"{rounded_up(times):g}" for times in (low, high))
    times = f"about {most}" if low == high else f"some {least} to {most}" if low > 1 else f"at most {most}"
    return f"A {size} would be found with 80% power on {times} times as many items like these."


def on_pairing(comparison: UnpairedComparison) -> str:
    """Return the benefit of pairing."""
    r12 = comparison.correlation
    if r12 is None:
        return COULD_BE_PAIRED
    return would_pair(comparison.candidate, comparison.baseline, r12, math.sqrt(max(1 - r12, 0.0)))
