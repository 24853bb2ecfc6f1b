"""The sentences of comparisons of systems that were scored on different items."""

from __future__ import annotations

import math
from collections.abc import Mapping

from outscore.options import opt
from outscore.results import Alternative, Claim, TestedQuantity, Verdict
from outscore.results.scores import UnpairedComparison, UnpairedResult, UnpairedTest
from outscore.text.naming import name, printable
from outscore.text.numbers import ScoreFormat, format_counted, score_format, state_p
from outscore.words.comparisons import holm_over, interval_title, quantity_ends, quantity_value, with_ends
from outscore.words.warnings import COULD_BE_PAIRED, name_the_range, would_pair

TITLES = {
    "unconditional": "exact unconditional test",
    "skew-t": "skewness-corrected two-sample t-test",
    "permutation": "studentized permutation test",
    "brunner-munzel": "Brunner-Munzel test",
    "fisher": "Fisher's exact test",
    "welch": "Welch's t-test",
    "rank-sum": "rank-sum test",
    "label-permutation": "permutation of labels",
}
# What tests test, in a paragraph on methods, if that is not the gain.
TESTED: Mapping[str | None, str] = {
    "share of pairs won": "the share of pairs won",
    "distribution": "for a common distribution of all scores",
}
_ONE_DISTRIBUTION = "The null hypothesis of this p-value is that all scores have one distribution"
# What p is for, of tests that are not the default.
_NULLS = {
    "permutation": f"{_ONE_DISTRIBUTION}. A small one shows that the distributions differ, and the means.",
    "fisher": "The null hypothesis of this p-value is that both systems have the same rate of correct items.",
    "welch": "The null hypothesis of this p-value is that the means are equal. It assumes that means are normal.",
}
_OF_DEFAULT = "interval of the default test"


def unpaired_sentence(result: UnpairedResult, comparison: UnpairedComparison, scores: ScoreFormat) -> str:
    """Return the sentences of two systems that were scored on different items."""
    c, test = comparison, comparison.tests[0]
    baseline_items = _items(c.n_baseline, "other", c.baseline_clusters)
    candidate_items = _items(c.n_candidate, "item", c.candidate_clusters)
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
            title, written = interval_title(c.found.interval), quantity_ends(c.found, result.metric)
            ends = with_ends(c.found.interval, written, title=title)
        won = (
            f"{name(c.candidate)} scores better in {quantity_value(c.found, result.metric)} of all pairs of their items"
        )
        further = c.withheld or "The gain was not tested."
        return f"{gain}. {won} (ties count half; {ends}; {tested}): {c.found.direction.value}. {further}"
    if test.name == "rank-sum":
        answer = f"{gain} ({tested}): {c.verdict.value}."
    else:
        title = _OF_DEFAULT if test.interval is None else interval_title(c.interval)
        ends = with_ends(c.interval, scores.interval(c.interval.low, c.interval.high), title=title)
        ends += "; p is for equal distributions" if "permutation" in test.name else ""
        answer = f"{gain} ({ends}; {tested}): {c.verdict.value}."
    return " ".join(filter(None, [answer, _NULLS.get(test.name), c.withheld]))


def _items(n_items: int, noun: str, n_clusters: int | None) -> str:
    clusters = "" if n_clusters is None else f" in {format_counted(n_clusters, 'cluster')}"
    return f"{format_counted(n_items, noun)}{clusters}"


def _p(result: UnpairedResult, test: UnpairedTest) -> str:
    p = state_p(test.adjusted_p_value, result.alpha, bound=test.is_bound)
    return f"{p} after {holm_over(result.multiplicity)}" if result.multiplicity.size > 1 else p


def describe_unpaired(result: UnpairedResult, test: UnpairedTest, scores: ScoreFormat) -> str:
    """Return the name of a test with its side and, for a margin, its aim."""
    title = TITLES[test.name]
    if result.claim is Claim.BETTER or result.margin is None:
        of_loss = " of a loss" if result.alternative is Alternative.LESS else ""
        return f"{result.alternative.sided} {title}{of_loss}"
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
    return score_format(
        [score for one in result.comparisons for score in (one.baseline_score, one.candidate_score)],
        [one.interval.reach(one.gain) for one in result.comparisons],
        [gain for one in result.comparisons for gain in (one.gain, one.interval.low, one.interval.high)],
        percentage=result.metric.as_percentage,
        thresholds=[] if result.margin is None else [result.margin, -result.margin],
    )


def no_p_value(baseline: str, baseline_score: float, candidate: str, candidate_score: float) -> str:
    """Say why there is no p-value and no interval."""
    one, other = f"{printable(baseline)} are {baseline_score:g}", f"{printable(candidate)} are {candidate_score:g}"
    return f"All scores of {one} and all of {other}, so there is no p-value and no interval."


def no_verdict(test: str) -> str:
    """Say why a test of equal distributions gives no verdict."""
    share = " or on the share of pairs won" if test == "rank-sum" else ""
    return f"{_ONE_DISTRIBUTION}. It gives no verdict on means{share}."


def against_the_gain(quantity: str | None) -> str:
    """Say why there is no verdict on the gain, given what was tested."""
    if quantity is None:
        return "The gain with the range of scores taken into account points the other way, so there is no verdict."
    return (
        "The gain points the other way, so there is no verdict on it: a few items outweigh the many. The two answer "
        f"different questions. For the gain use {opt('tests', 'auto')}."
    )


def borrowed(system: str, other: str, unit: str, metric: str | None) -> str:
    """Warn that the spread of one system is that of both, and how to avoid it if the metric can take a range."""
    carried = f"Fewer than 5 {unit}s of {printable(system)} carry the variance of its score"
    used = f"the spread of those of {printable(other)} was used as well"
    return f"{carried}, so {used}.{'' if metric is None else f' {name_the_range(metric)}'}"


def on_pairing(comparison: UnpairedComparison) -> str:
    """Return the benefit of pairing."""
    r12 = comparison.correlation
    if r12 is None:
        return COULD_BE_PAIRED
    return would_pair(comparison.candidate, comparison.baseline, r12, math.sqrt(max(1 - r12, 0.0)))
