"""Sentences about comparisons: the summary, the meaning of the verdict, captions and notes of tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from outscore.data.reducers import narrowing
from outscore.data.rows import MissingTreatment, RunDesign
from outscore.options import opt, speaks_options
from outscore.results import (
    Alternative,
    Check,
    Claim,
    Comparison,
    ComparisonResult,
    Family,
    Interval,
    MetricDescription,
    Multiplicity,
    NextStep,
    RunsAnalysis,
    TemplatesAnalysis,
    TestedQuantity,
    TestResult,
    Ties,
    Verdict,
    comparison_format,
    format_adjusted_p,
    format_test_p,
)
from outscore.results.comparisons import DISTRIBUTION, PSEUDO_MEDIAN, RESPONSE, SHARE_OF_WINS, AnyComparison
from outscore.results.findings import Finding, PredictionPowered
from outscore.text.naming import MOST_NAMED, capital, in_a_row, name, plain, printable
from outscore.text.numbers import (
    NO_ITEM_DIFFERS,
    ScoreFormat,
    format_correlation,
    format_count,
    format_counted,
    format_exactly,
    format_factor,
    format_p,
    format_share,
    rounded_up,
    score_format,
    state_p,
)

CHECKED = "The p-value above, computed a second way: from other resamples, or exactly."
STRICT_TIES = "with ties of resamples not counted"
INDEPENDENCE = "Assumes that the two systems' scores are independent, although both are scored on the same items."
_SIDES = {Alternative.TWO_SIDED: "difference", Alternative.GREATER: "gain", Alternative.LESS: "loss"}
IN_SENTENCES = "Each candidate in sentences"
TESTS = "tests"
TESTS_OF_GAIN = "tests of the gain"
_TREATED = {
    MissingTreatment.ZERO: "They count as 0",
    MissingTreatment.DROPPED: "Their items are dropped",
    MissingTreatment.AVERAGED: "Items are averaged over their available scores",
}


def write_sentence(comparison: Comparison, *, name: Callable[[str], str] = printable) -> str:
    """Return one sentence for a paper: scores, gain, interval, and the first test with its p-value.

    `name` formats names for the report.
    """
    c, interval, scores = comparison, comparison.interval, comparison_format(comparison)
    unit = "tasks" if c.test.unit == "task" else "items"
    about = [*about_metric(c.metric, c.over, name), f"{format_count(c.n_items)} {unit}{in_clusters(c)}"]
    other = f"{scores.score(c.baseline_score)} for {name(c.baseline)}"
    if c.against is not None:
        other = f"a constant of {scores.size(c.against)}"
    lead = ""
    if c.claim is Claim.BETTER and c.verdict is Verdict.INCONCLUSIVE and c.withheld is None:
        lead = f", inconclusive at α = {format_exactly(c.alpha)}"
    if c.found is None:
        evidence = with_ends(interval, scores.interval(interval.low, interval.high))
    else:
        evidence = quantity_evidence(c.found, c.metric)
        lead = f", which was not tested. {quantity_lead(c.found, c, c.metric, c.test.unit, name=name)}"
    evidence += f"; {_tested(c)}"
    return (
        f"{name(c.candidate)} scores {scores.score(c.candidate_score)} against {other} ({', '.join(about)}): "
        f"a gain of {scores.gain(c.gain)}{c.metric.points}{lead} ({evidence}){claims(c.findings)}."
    )


def _tested(c: Comparison) -> str:
    """Return the first test, its p-value and how it was computed."""
    test = c.test
    p = state_p(test.adjusted_p_value, c.alpha, bound=test.is_bound)
    if c.multiplicity.size > 1:
        before, after = format_test_p(test, c.alpha), format_adjusted_p(test, c.alpha)
        correction = holm_over(c.multiplicity)
        if test.moments is not None and starts_from_larger(c):
            start = format_p(test.moments.p_value_corrected_from, c.alpha)
            correction += f", which starts from p = {start} for skewed gains,"
        p += f" before and after {correction}" if before == after else f" after {correction} and {before} before it"
    if test.computation == "asymptotic":
        how = _variance_of(test)
    elif test.n_resamples is not None:
        how = f", {'none of' if test.is_bound else 'estimated from'} {format_count(test.n_resamples)} resamples"
    elif test.computation.startswith("exact"):
        how = ", exact"
    else:
        how = ", an upper bound" if test.computation.startswith("bound") else ""
    return f"{describe_test(c)}, {p}{how}"


def holm_over(family: Multiplicity) -> str:
    """Return the correction of a family: "Holm's correction over 15 comparisons"."""
    return f"Holm's correction over {format_count(family.size)} comparisons"


_LARGER_START = "For skewed gains the correction starts from a larger p than that of the test."
_NOTABLY_LARGER = 1.05  # times p: less is not seen in the digits of p


def starts_from_larger(c: Comparison) -> bool:
    """Return whether a correction starts from another p-value than the one that is shown."""
    moments = c.test.moments
    return moments is not None and moments.p_value_corrected_from > _NOTABLY_LARGER * c.test.p_value


def explain_family(
    family: Multiplicity, candidates: int, datasets: int = 1, metrics: int = 1, *, skewed: bool = False
) -> str:
    """Return how the column "p (Holm)" of a table follows from the column "p", in a sentence.

    The table has so many candidates, datasets and metrics. Corrections have a p-value of their own if the test is
    corrected for skewness.
    """
    if family.size == 1:
        return "The p-values are not corrected."
    counts = {"metric": metrics, "candidate": candidates, "dataset": datasets}
    counts = {kind: count for kind, count in counts.items() if count > 1}
    within = {
        Family.TABLE: ("candidate", "dataset"),
        Family.CANDIDATES: ("candidate",),
        Family.DATASETS: ("dataset",),
        Family.ALL: tuple(counts),
    }[family.family]
    product = " × ".join(f"{format_count(count)} {kind}s" for kind, count in counts.items() if kind in within)
    if math.prod(counts[kind] for kind in counts if kind in within) != family.size:
        product = "all in this output"  # of other metrics, and of averages
    apart = [kind for kind in counts if kind not in within]
    several = f", for each {' and '.join(apart)} separately" if apart else ""
    start = f" {_LARGER_START}" if skewed else ""
    return f"p (Holm) is p after {holm_over(family)} ({product}){several}.{start}"


def how_computed(test: TestResult | Check) -> str:
    """Return how a p-value was computed, such as "exact: lattice" or "2,341 of 100,000 resamples"."""
    if isinstance(test, TestResult) and test.computation == "asymptotic":
        further = f"{test.distribution or ''}{_variance_of(test)}".removeprefix(", ")
        return f"{test.computation} ({further})" if further else test.computation
    if test.n_resamples is None:
        return test.computation
    assert test.n_exceeding is not None
    return f"{format_count(test.n_exceeding)} of {format_count(test.n_resamples)} resamples"


def _variance_of(test: TestResult) -> str:
    """Return the number of resamples behind the variance of an asymptotic p-value, or an empty text."""
    return "" if test.n_resamples is None else f", variance from {format_count(test.n_resamples)} resamples"


def of_a_loss(alternative: Alternative, quantity: str | None) -> str:
    """Return what a test "less" looks for; nothing for other sides."""
    if alternative is not Alternative.LESS:
        return ""
    return f" of a lower {quantity}" if quantity not in (None, DISTRIBUTION) else " of a loss"


def describe_test(comparison: Comparison) -> str:
    """Return the name of the first test with its side and, for a margin, its aim."""
    c, test = comparison, comparison.test
    two = c.claim is Claim.EQUIVALENT
    what = f"two one-sided {test.title}s" if two else f"{test.alternative.sided} {test.title}"
    if c.margin is not None and c.claim is not Claim.BETTER:
        aim, sign = ("equivalence", "±") if two else ("non-inferiority", "")
        what += f" of {aim} with a margin of {sign}{margin(c)}"
    else:
        what += of_a_loss(test.alternative, test.quantity) or (
            "" if test.quantity is None else f" of the {test.quantity}"
        )
    if test.unit == RESPONSE and test.n_units is not None:
        what += f" over {format_count(test.n_units)} differing responses"
    if test.ties is Ties.STRICT and "ties:strict" in test.signature.split("|"):  # of other tests it has no effect
        what += f" {STRICT_TIES}"
    return what + (" that assumes independence" if test.assumes_independence else "")


def contrary(second: TestResult) -> str:
    """Return that another test would decide differently than the one of the verdict."""
    how = "an upper bound" if second.is_bound else "exact" if second.n_resamples is None else "sampled"
    p = state_p(second.adjusted_p_value, bound=second.is_bound)
    p += " after Holm's correction" if second.correction_factor > 1 else ""
    return f"The {second.alternative.sided} {second.title} would decide differently ({p}, {how})."


def about_metric(metric: MetricDescription, over: str | None, name: Callable[[str], str] = printable) -> list[str]:
    """Return the description of a metric in brackets: its name, what scores are averaged over, its direction.

    `name` formats names for the report.
    """
    about = [name(metric.title) + (" in %" if metric.as_percentage else "")]
    if over is not None:
        # "mean, means over 5 runs" would say it twice.
        about = [*(about if metric.title != "mean" else []), over]
    return about + ([] if metric.higher_is_better else ["lower is better"])


def in_clusters(c: Comparison) -> str:
    """Return the clusters of the items, such as " in 12 clusters", or an empty text without clusters."""
    if c.clusters is not None:
        first, second = map(format_count, c.clusters)
        return f" in two crossed clusterings of {first} and {second} clusters"
    return "" if c.n_units == c.n_items else f" in {format_count(c.n_units)} clusters"


def counted_items(n_items: int, n_clusters: int | None, noun: str = "item") -> str:
    """Return the number of items, and of their clusters if there are any: "1,000 items in 12 clusters"."""
    clusters = "" if n_clusters is None else f" in {format_counted(n_clusters, 'cluster')}"
    return f"{format_counted(n_items, noun)}{clusters}"


def claims(findings: Iterable[Finding]) -> str:
    """Return the scope of a result, such as ", for new runs on new items". It is empty for items only."""
    parts = [
        f"{'new' if finding.sampled else 'these'} {finding.label}"
        for finding in findings
        if finding.sampled is not None
    ]
    return f", for {in_a_row(parts)} on new items" if parts else ""


def interval_title(interval: Interval) -> str:
    """Return the name of an interval in a sentence, such as "basic bootstrap bound"."""
    return f"{interval.title} {'interval' if math.isfinite(interval.low) == math.isfinite(interval.high) else 'bound'}"


def with_ends(interval: Interval, ends: str, *, title: str = "") -> str:
    """Return an interval with its ends: "95% interval -0.8 to +4.7", "95% score bound: at least -1.3"."""
    title = title or interval_title(interval)
    if ends == NO_ITEM_DIFFERS:
        return f"no interval, because {ends}"
    return f"{interval.level} {title}{':' if title.endswith('bound') else ''} {ends}"


def interval_heading(interval: Interval) -> str:
    """Return the heading of a column of intervals: "95% interval"."""
    return f"{interval.level} interval"


def margin(c: Comparison) -> str:
    """Return the margin with its unit: "1.0 points"."""
    return f"{comparison_format(c).size(c.margin or 0.0)}{c.metric.points}"


# Tests of another quantity than the gain.


def quantity_format(quantity: TestedQuantity, metric: MetricDescription) -> ScoreFormat:
    """Return how a tested quantity and its interval are written."""
    ends = [] if quantity.interval is None else [quantity.interval.low, quantity.interval.high]
    reaches = [] if quantity.interval is None else [quantity.interval.reach(quantity.estimate)]
    percentage = quantity.unit == "share" or (quantity.unit == "score" and metric.as_percentage)
    return score_format([], reaches, [quantity.estimate, *ends], percentage=percentage, thresholds=[quantity.null])


def quantity_value(quantity: TestedQuantity, metric: MetricDescription) -> str:
    """Return the estimate of a tested quantity with its unit: "38.2%", "+1.2 points"."""
    written = quantity_format(quantity, metric)
    if quantity.unit == "share":
        return f"{written.score(quantity.estimate)}%"
    return f"{written.gain(quantity.estimate)}{metric.points if quantity.unit == 'score' else ''}"


def quantity_ends(quantity: TestedQuantity, metric: MetricDescription) -> str:
    """Return the ends of the interval of a tested quantity, or an empty text without an interval."""
    interval, written = quantity.interval, quantity_format(quantity, metric)
    if interval is None:
        return ""
    if quantity.unit == "share":
        return written.scores(interval.low, interval.high)
    ends = written.interval(interval.low, interval.high)
    return f"{written.gain(0.0)} to {written.gain(0.0)}" if ends == NO_ITEM_DIFFERS else ends  # many equal items


def quantity_lead(
    quantity: TestedQuantity,
    who: AnyComparison,
    metric: MetricDescription,
    unit: str = "item",
    *,
    name: Callable[[str], str] = printable,
) -> str:
    """Return what was observed of a tested quantity, without the full stop."""
    if quantity.wins is not None and quantity.losses is not None:
        candidate, baseline, wins = name(who.candidate), name(who.baseline), quantity.wins >= quantity.losses
        count = format_count(max(quantity.wins, quantity.losses))
        subject = f"{candidate} wins against {baseline}" if wins else f"{candidate} loses to {baseline}"
        return f"{subject} on {count} of the {format_counted(quantity.wins + quantity.losses, unit)} that differ"
    value = quantity_value(quantity, metric)
    if quantity.quantity == PSEUDO_MEDIAN:
        sums = f" of the {unit}s' {'counts' if unit == 'item' else 'sums'}"
        what = f"differences{sums if quantity.unit == 'count' else ''}"
        return f"The typical pairwise average of {what} is {value}"
    return f"The {quantity.quantity} is {value}"


def quantity_evidence(quantity: TestedQuantity, metric: MetricDescription) -> str:
    """Return the name of a tested quantity and its interval, such as "share won 38.2%, 95% interval 35.8 to 40.6"."""
    parts = [quantity.quantity]
    if quantity.wins is not None:
        parts = [f"share won {quantity_value(quantity, metric)}"]
    if quantity.interval is not None:
        parts.append(with_ends(quantity.interval, quantity_ends(quantity, metric)))
    return ", ".join(parts)


def median_sentence(c: Comparison) -> str | None:
    """Return the median of the differences, or None if the first test is no sign test of scores."""
    if c.found is None or c.found.median is None or c.found.median_interval is None:
        return None
    scores, interval = comparison_format(c), c.found.median_interval
    ends = with_ends(interval, scores.interval(interval.low, interval.high))
    return f"{scores.gain(c.found.median)}{c.metric.points}, of the differences ({ends})"


def against_the_mean(
    quantity: TestedQuantity, who: AnyComparison, metric: MetricDescription, scores: ScoreFormat, unit: str = "item"
) -> str:
    """Return that the mean contradicts what the test found, so that there is no verdict on the mean."""
    lead, evidence = quantity_lead(quantity, who, metric, unit), quantity_evidence(quantity, metric)
    whose = f"its {metric.title}"
    if quantity.wins is None:
        favoured = who.baseline if quantity.direction is Verdict.WORSE else who.candidate
        lead = f"The test favours {printable(favoured)}. {lead}"
        whose = f"the {metric.title} of {printable(who.candidate)}"
    size = scores.gain(abs(who.gain)).removeprefix("+")
    side = "higher" if (who.gain > 0) == metric.higher_is_better else "lower"
    return f"{lead} ({evidence}), but {whose} is {size}{metric.points} {side}. {outweighed(unit, metric)}"


def outweighed(unit: str, metric: MetricDescription) -> str:
    """Return why a test of another quantity and the gain may contradict each other, and what to do."""
    return (
        f"A few {unit}s outweigh the many. The two answer different questions. For the {metric.title} use the default "
        "test."
    )


def against_the_gain(c: Comparison) -> str:
    """Return the same of a comparison."""
    assert c.found is not None
    return against_the_mean(c.found, c, c.metric, comparison_format(c), c.test.unit)


def interval_of(c: Comparison) -> str:
    """Return what the interval of the first test is of: "gain", "share of wins"."""
    return "gain" if c.found is None else c.found.quantity


def interval_cell(c: Comparison, scores: ScoreFormat) -> str:
    """Return the interval of the first test in a table, with its quantity if that is not the gain."""
    if c.found is None:
        return scores.interval(c.interval.low, c.interval.high)
    return f"{quantity_ends(c.found, c.metric)} ({'% won' if c.found.wins is not None else c.found.quantity})"


def explain_quantity(quantity: TestedQuantity, unit: str = "item") -> str:
    """Return what a test of another quantity than the gain shows, and what it does not."""
    sentences = []
    if quantity.direction is not Verdict.INCONCLUSIVE:
        if quantity.interval is not None and quantity.interval.holds(quantity.null):
            sentences.append("The interval excludes its end at the value that is rejected.")
        if quantity.pairs_above is not None:
            sentences.append(
                f"Unless differences are symmetric, this shows only that the share of pairs of {unit}s whose summed "
                f"difference is above 0 ({quantity.pairs_above:.1%}) is not 1/2."
            )
    return " ".join([*sentences, "The mean was not tested."])


# The meaning of a verdict.


def explain_verdict(c: Comparison) -> str:
    """Return the meaning of the verdict in full sentences, without the verdict itself.

    An inconclusive verdict is never described as "no difference".
    """
    if c.withheld is not None:
        return c.withheld
    alternative = c.test.alternative
    with_margin = c.claim is not Claim.BETTER and c.margin is not None
    level = f"at α = {format_exactly(c.alpha)}"
    if c.test.adjusted_p_value > c.test.p_value:
        level += " after Holm's correction"
    if with_margin:
        null = f"a {'gain or loss' if c.claim is Claim.EQUIVALENT else 'loss'} of {margin(c)} or more"
    else:
        more = {Alternative.GREATER: " or less", Alternative.LESS: " or more", Alternative.TWO_SIDED: ""}
        null = f"a gain of 0{more[alternative]}"
        if c.test.quantity is not None:
            value = "1/2" if c.found is not None and c.found.unit == "share" else "0"
            null = f"a {c.test.quantity} of {value}{more[alternative]}"
    if c.found is not None:
        rejects = "rejects" if c.verdict is not Verdict.INCONCLUSIVE else "does not reject"
        lead = "" if c.verdict is not Verdict.INCONCLUSIVE else "This does not show that the systems are equal. "
        about = f" in the {c.found.quantity}" if with_margin else ""
        return f"The test {rejects} {null}{about} {level}. {lead}{explain_quantity(c.found, c.test.unit)}"
    if c.verdict is not Verdict.INCONCLUSIVE:
        sentence = f"The test rejects {null} {level}."
        return f"{sentence} Superiority was not tested." if c.verdict is Verdict.NOT_WORSE else sentence

    if with_margin and _beyond_the_margin(c):
        side = "better" if c.gain > 0 else "worse"
        return f"The data contradict the claim. The candidate is {side} by more than {margin(c)}."
    sentence = f"The test does not reject {null} {level}."
    if c.helped == c.hurt == 0 and c.gain == 0:
        return f"{sentence} The systems score the same on every item here, but may differ on other items."
    if c.claim is not Claim.BETTER:
        sentence += " This does not show that the systems are equal or that they differ."
    else:
        sentence += " This does not show that the systems are equal."
    if c.claim is Claim.BETTER and alternative is Alternative.GREATER and c.gain < 0:
        sentence += " The candidate did worse here, but this one-sided test only detects improvements."
    step = next_step_sentence(c)
    return sentence if step is None else f"{sentence} {step}"


def next_step_sentence(c: Comparison) -> str | None:
    """Return how many items would show a true gain of this size, or None if that is not known."""
    step, size = c.next_step, f"true {'gain' if c.gain > 0 else 'loss'} of this size"
    if step is None:
        return None
    if step.detectable is not None:
        gain = comparison_format(c).gain(step.detectable).removeprefix("+")
        here, side = f"{format_count(step.n_units)} {step.unit}s", _SIDES[c.test.alternative]
        return f"With 80% power, {here} like these show only a true {side} of about {gain}{c.metric.points} or more."
    if step.is_out_of_reach:
        factors = in_a_row([finding.label for finding in c.findings if finding.sampled])
        return f"More {step.unit}s alone would not give a {size} 80% power. Add {factors}."
    runs = [] if c.runs is None else sorted(set(c.runs.n_runs))
    what = "samples" if c.runs is not None and c.runs.claim is RunDesign.SAMPLES else "runs"
    repeats = f" with {format_count(runs[0])} {what} each" if len(runs) == 1 else ""
    needed, more = _needed(step, f" {step.unit}s like these{repeats}")
    if c.claim is not Claim.BETTER:
        return f"If the true gain is of this size, the claim would be confirmed with 80% power on {needed}{more}."
    return f"A {size} would be found with 80% power on {needed}{more}."


def next_steps(comparisons: Sequence[tuple[Comparison, str]]) -> str | None:
    """Return the same of the inconclusive comparisons of a table, each with its label; those with the fewest items."""
    steps = [(c.next_step, label) for c, label in comparisons if c.next_step is not None and c.next_step.is_known]
    of_number: dict[str, list[str]] = {}
    for step, label in sorted(steps, key=lambda entry: entry[0].high):
        of_number.setdefault(_needed(step, f" {step.unit}s")[0], []).append(label)
    if not of_number:
        return None
    each = [f"{number} ({', '.join(labels)})" for number, labels in [*of_number.items()][:MOST_NAMED]]
    more = sum(len(labels) for labels in [*of_number.values()][MOST_NAMED:])
    numbers = in_a_row([*each, *([f"larger numbers ({format_count(more)} more)"] if more else [])])
    if comparisons[0][0].claim is not Claim.BETTER:
        return f"If the true gains are of these sizes, the claims would be confirmed with 80% power on {numbers}."
    return f"True differences of these sizes would be found with 80% power on {numbers}."


def _needed(step: NextStep, what: str) -> tuple[str, str]:
    """Return how many units are needed, and how many these are more if that is one number."""
    high = format_count(rounded_units(step.high, step.n_units))
    if math.isinf(step.high):
        return f"at least {format_count(rounded_units(step.low, step.n_units))}{what}", ""
    if step.low == step.high:
        return f"about {high}{what}", f" ({format_count(rounded_units(step.high - step.n_units))} more)"
    low = rounded_units(step.low)
    return (f"some {format_count(low)} to {high}{what}" if low > step.n_units else f"at most {high}{what}"), ""


def rounded_units(number: float, present: int = 0) -> int:
    """Return a number of units, rounded up to two significant digits, and more than the present number."""
    return max(math.ceil(rounded_up(number)) if math.isfinite(number) else 0, present + 1)


def _beyond_the_margin(c: Comparison) -> bool:
    """Return whether a gain or loss beyond the margin is significant at the same level."""
    margin = c.margin or 0.0
    if c.claim is Claim.EQUIVALENT:
        return c.interval.high < -margin or c.interval.low > margin
    return c.gain < -margin and c.test.p_value >= 1 - c.alpha


def inconclusive(alpha: float) -> str:
    """Return the meaning of an inconclusive verdict, as a note below a table."""
    level = format_exactly(alpha)
    return f"Inconclusive means not rejected at α = {level}. It does not show that the systems are equal."


def null_hypothesis(c: Comparison, alternative: Alternative, quantity: str | None = None) -> str:
    """Return H0 of a test as a formula in the displayed unit, such as "gain ≤ 0" or "|gain| ≥ 1.0"."""
    tested = quantity or "gain"
    if c.claim is not Claim.BETTER and c.margin is not None:
        size = comparison_format(c).size(c.margin)
        return f"|{tested}| ≥ {size}" if c.claim is Claim.EQUIVALENT else f"{tested} ≤ -{size}"
    sign = {Alternative.GREATER: "≤", Alternative.LESS: "≥", Alternative.TWO_SIDED: "="}
    return f"{tested} {sign[alternative]} {'1/2' if quantity == SHARE_OF_WINS else '0'}"


# Facts.


def items(c: Comparison) -> str:
    """Return the wins, losses and ties of the candidate, and the number of items without weight."""
    if c.helped is None or c.hurt is None or c.unchanged is None:
        return f"{format_count(c.n_items)}, without scores per item"
    counts = [(c.helped, "wins"), (c.hurt, "losses"), (c.unchanged, "ties")]
    weightless = c.n_items - sum(count for count, _ in counts)
    counts += [(weightless, "of weight 0")] if weightless else []
    return ", ".join(f"{format_count(count)} {what} ({format_share(count, c.n_items)})" for count, what in counts)


def correlation(c: Comparison) -> str | None:
    """Return the correlation of the systems' scores, or None if the baseline is a constant or few items have labels."""
    if c.against is not None or c.prediction_powered is not None:
        return None
    if c.helped is None:
        return f"undefined, because {c.metric.title} has no scores per item"
    if c.correlation is None:
        return "undefined, because one system has the same score on every item"
    return f"{format_correlation(c.correlation)} between the systems' item scores"


def explain_independence(c: Comparison) -> str | None:
    """Return the note on tests that assume independence, or None without such tests."""
    factors = [test.inflation for test in c.tests if test.assumes_independence]
    if not factors:
        return None
    if c.correlation is None or factors[0] is None:
        return INDEPENDENCE
    grows = "overstates" if factors[0] >= 1 else "understates"
    factor = factors[0] if factors[0] >= 1 or factors[0] == 0 else 1 / factors[0]
    return (
        f"{INDEPENDENCE} With a correlation of {format_correlation(c.correlation)} this {grows} the standard "
        f"deviation of the gain by a factor of {format_factor(factor)}."
    )


def explain_emulation(c: Comparison) -> str | None:
    """Return the note on tests that reproduce another tool's formula, or None without such tests."""
    tools = dict.fromkeys(test.emulates for test in c.tests if test.emulates)
    if not tools:
        return None
    return f"The formula of {' and '.join(tools)}, for comparison only. The verdict does not use it."


def emulated_sentence(c: Comparison) -> str | None:
    """Return one sentence with the p-values of other tools' formulas, or None without such tests."""
    emulations = [test for test in c.named_tests if test.emulates]
    if not emulations:
        return None
    values = [
        f"{state_p(test.p_value, c.alpha)} ({plain(name(test.name))}, {how_computed(test)})" for test in emulations
    ]
    tools = " and ".join(dict.fromkeys(test.emulates for test in emulations if test.emulates))
    return f"For comparison only, {tools}'s formula gives {' and '.join(values)}."


# Findings: runs, samples, templates, raters and missing scores. Each is None if it does not apply.


def runs_sentence(c: Comparison) -> str | None:
    """Return the scores of each run."""
    if c.runs is None or not c.runs.baseline_scores:
        return None
    return f"{_of_each(c, c.runs)}{'; paired by their names' if c.runs.paired else ''}."


def levels_sentence(key: str, c: Comparison) -> str | None:
    """Return the names of a factor's levels and the scores of each, given the factor's key."""
    analysis = _value(c, key)
    if analysis is None:
        return None
    names = ", ".join(map(printable, analysis.names))
    return f"{_of_each(c, analysis)} ({names})." if analysis.baseline_scores else f"{names}."


def missing_sentence(c: Comparison) -> str | None:
    """Return the numbers of missing scores, and how they are treated."""
    lost = c.missing
    if lost is None or lost.baseline + lost.candidate == 0:
        return None
    return (
        f"{printable(c.candidate)} lacks {format_count(lost.candidate)} of {format_count(lost.candidate_cells)} "
        f"scores, {printable(c.baseline)} {format_count(lost.baseline)} of {format_count(lost.baseline_cells)}. "
        f"{_TREATED[lost.treated]}."
    )


def run_sd_sentence(c: Comparison) -> str | None:
    """Return the standard deviation of scores across runs."""
    if c.run_sd is None:
        return None
    low, high = _sd(c, c.run_sd.low), _sd(c, c.run_sd.high)
    sd = f"{_sd(c, c.run_sd.estimate)}{c.metric.points} (95%: {low} to {high})"
    return f"The standard deviation of a score across runs is {sd}."


def components_sentence(c: Comparison) -> str | None:
    """Return the components of the variance of the gain."""
    parts, of_runs = c.components, c.runs is not None and c.runs.claim is RunDesign.RANDOM
    if parts is None:
        return None
    shares = {"templates": parts.templates, **(parts.others or {})}
    named = {"items": parts.items, **{name: share for name, share in shares.items() if share is not None}}
    named |= {"runs": parts.runs} if of_runs else {}
    each = len(named) > 2
    named |= {} if each else {f"the interaction of {' and '.join(named)}": parts.interaction}
    listed = in_a_row([f"{name} ({share:.0%})" for name, share in named.items()])
    return f"The variance of the gain comes from {listed}{', each with its interactions' if each else ''}."


def these_levels_sentence(key: str, c: Comparison) -> str | None:
    """Return the result for the observed levels of a factor."""
    analysis = _value(c, key)
    if analysis is None or analysis.fixed_p_value is None:
        return None
    p = state_p(analysis.fixed_p_value, c.alpha)
    return f"For these {key} on new items, the default test gives {p}. This does not extend to other {key}."


def sampling_sentence(share: float) -> str:
    """Return the share of variance due to sampling, and the effect of more samples.

    Examples
    --------
    >>> sampling_sentence(0.18)
    'Sampling accounts for 18% of the variance. Twice as many samples would narrow the interval by about 5%.'
    """
    by = f"about {narrowing(share):.0%}" if narrowing(share) >= 0.005 else "less than 1%"
    return (
        f"Sampling accounts for {share:.0%} of the variance. Twice as many samples would narrow the interval by {by}."
    )


def samples_sentence(c: Comparison) -> str | None:
    """Return the share of the variance due to sampling, or None without samples."""
    return None if c.sampling_share is None else sampling_sentence(c.sampling_share)


def more_sentence(c: Comparison) -> str | None:
    """Return how much one more run, or more items, would narrow the interval."""
    if c.runs is None or c.runs.narrower_with_run is None:
        return None
    return (
        f"One more run per system would narrow the interval by about {c.runs.narrower_with_run:.0%}. 10% more items "
        f"would narrow it by about {c.runs.narrower_with_items:.0%}."
    )


def these_runs_sentence(c: Comparison) -> str | None:
    """Return the result for these runs."""
    if c.runs is None or c.runs.fixed_p_value is None:
        return None
    factors = in_a_row([finding.label for finding in c.findings if finding.sampled])
    p = state_p(c.runs.fixed_p_value, c.alpha)
    return f"For these {factors} on new items, the default test gives {p}. This does not extend to other {factors}."


def tipping_sentence(c: Comparison) -> str | None:
    """Return the standard deviation across runs above which the gain is no longer significant."""
    if c.tipping_run_sd is not None:
        return (
            "This does not extend to other runs. For new runs, the gain would not be significant if scores had a "
            f"standard deviation above {_sd(c, c.tipping_run_sd)}{c.metric.points} across runs."
        )
    if c.runs is None or {finding.sampled for finding in c.findings if finding.sampled is not None} != {False}:
        return None
    return "This does not extend to other runs. Even for these runs, the gain is not significant on new items."


def position_sentence(c: Comparison) -> str | None:
    """Return whether a judge prefers the answer shown first, and whether the orders disagree more often than by chance.

    If it is not certain which answer is first, this is the difference between the two orders.
    """
    position = c.first_position
    if position is None:
        return None
    n, (first, second) = sum(position.disagree), map(printable, position.orders)
    p = state_p(position.p_value, c.alpha)
    if position.share is not None:
        sentences = f"The answer shown first wins {position.share:.1%} of the verdicts, with ties as half."
        which = f"{format_count(position.disagree[0])} are for the first answer"
    else:
        rates = [f"{rate:.1%}" for rate in position.win_rates]
        points = 100 * abs(position.win_rates[0] - position.win_rates[1])
        sentences = (
            f"The win rate is {rates[0]} in the order {first} and {rates[1]} in the order {second}, a difference of "
            f"{points:.1f} points."
        )
        which = f"{format_count(position.disagree[0])} are better in the order {first}"
    if n == 0:
        return f"{sentences} Both orders agree on every item."
    return f"{sentences} On {format_counted(n, 'item')} the orders disagree, and {which} (exact sign test, {p})."


def worth_of_labels(powered: PredictionPowered, correlation: str = "correlation of differences") -> str:
    """Return what a judge's labels of items without a human label are worth."""
    more, correlation_of_labels = round(powered.worth_labels), powered.correlation
    judged = format_counted(powered.n_unlabelled, "judge label")
    worth = f"worth {format_counted(more, 'more human label')}" if more else "worth no further human label"
    correlation_text = (
        "no correlation"
        if correlation_of_labels is None
        else f"{correlation} {format_correlation(correlation_of_labels)}"
    )
    return f"{judged} on other items are {worth} ({correlation_text})."


def labels_sentence(c: Comparison) -> str | None:
    """Return what a judge's labels are worth in a comparison."""
    return None if c.prediction_powered is None else worth_of_labels(c.prediction_powered)


def largest_gain(c: Comparison, n_candidates: int) -> str:
    """Return what the largest gain of several candidates owes to having been chosen."""
    scores, interval = comparison_format(c), c.interval_as_chosen or c.interval
    gain, expected = scores.apart(c.gain, c.gain - (c.overstatement or 0.0), gains=True)
    ends = f"{interval.level}: {scores.interval(interval.low, interval.high)}"
    return (
        f"{name(c.candidate)}'s gain was the largest of {n_candidates}: expect about {expected}{c.metric.points} on "
        f"new items ({ends}) rather than {gain}{c.metric.points}."
    )


def _sd(c: Comparison, value: float) -> str:
    """Return a standard deviation of scores with two digits."""
    return f"{value * c.metric.factor:#.2g}".removesuffix(".")


def _of_each(c: Comparison, analysis: RunsAnalysis | TemplatesAnalysis) -> str:
    scores = comparison_format(c).score
    each = [
        ", ".join(map(scores, scores_of_system))
        for scores_of_system in (analysis.candidate_scores, analysis.baseline_scores)
    ]
    of_baseline = "" if c.against is not None else f"; {printable(c.baseline)}: {each[1]}"
    return f"{printable(c.candidate)}: {each[0]}{of_baseline}"


def _value(c: Comparison, key: str) -> TemplatesAnalysis | None:
    """Return the findings on the levels of a factor, given its key."""
    value: Any = next((finding.value for finding in c.findings if finding.key == key), None)
    return value if isinstance(value, TemplatesAnalysis) else None


# Tables and figures.


def first_tests(comparisons: Iterable[Comparison]) -> dict[str, list[str]]:
    """Return the candidates by the test that gives their verdict, the most frequent test first."""
    candidates: dict[str, list[str]] = {}
    for c in comparisons:
        candidates.setdefault(describe_test(c), []).append(name(c.candidate))
    return dict(sorted(candidates.items(), key=lambda entry: -len(entry[1])))


def summary(result: ComparisonResult) -> str:
    """Return the caption of a table of several candidates."""
    first = result.comparisons[0]
    about = [
        *about_metric(result.metric, first.over, name),
        f"{format_count(result.n_items)} items{in_clusters(first)}",
    ]
    of_quantity = "" if first.found is None else f" of the {first.found.quantity}"
    corrects = first.multiplicity.size > 1
    (usual, _), *others = first_tests(result.comparisons).items()
    apart = "; ".join(f"for {', '.join(candidates)}: {test}" for test, candidates in others)
    tested = f", and p-values of the {usual}{f' ({apart})' if apart else ''}"
    if corrects:
        further = " of all metrics" if first.multiplicity.size != len(result.comparisons) else ""
        tested += f" before and after {holm_over(first.multiplicity)}{further}"
    return (
        f"{format_count(len(result.comparisons))} candidates against {name(first.baseline)} ({', '.join(about)}): "
        f"gains with uncorrected {interval_heading(first.interval)}s{of_quantity}{tested}{claims(first.findings)}."
        f"{f' {_LARGER_START}' if corrects and any(map(starts_from_larger, result.comparisons)) else ''}"
    )


def gains_notes(interval: Interval | None, family: Multiplicity) -> tuple[str, ...]:
    """Return what the intervals and colours of a chart of several gains are, with the correction of each."""
    corrects, notes = family.size > 1, list[str]()
    if interval is not None:
        notes.append(f"Uncorrected {interval_heading(interval)}s." if corrects else f"{interval_heading(interval)}s")
    notes += [f"Verdicts are after {holm_over(family)}."] if corrects else []
    return (" ".join(notes),) if notes else ()


def summary_of_metrics(results: Sequence[ComparisonResult]) -> str:
    """Return the caption of a table of several metrics."""
    first, count = results[0].comparisons[0], len(results[0].comparisons)
    who = f"{format_count(count)} candidates" if count > 1 else name(first.candidate)
    sizes = dict.fromkeys(f"{format_count(r.n_items)} items{in_clusters(r.comparisons[0])}" for r in results)
    sentence = (
        f"{who} against {name(first.baseline)} on {format_count(len(results))} metrics ({' or '.join(sizes)}). "
        "Positive gains are better."
    )
    tests = " or the ".join(first_tests(c for result in results for c in result.comparisons))
    if first.multiplicity.size == 1:
        return f"{sentence} The p-values are from the {tests}, not corrected for the number of metrics."
    skewed = any(starts_from_larger(c) for result in results for c in result.comparisons)
    corrected = explain_family(first.multiplicity, count, metrics=len(results), skewed=skewed)
    return f"{sentence} The p-values are from the {tests}. {corrected}"


def tests_of_one(c: Comparison) -> str:
    """Return the heading of the tests of one comparison, which share a null hypothesis."""
    alternative = "two one-sided tests" if c.claim is Claim.EQUIVALENT else f"alternative: {c.test.alternative}"
    return f"tests of H0: {null_hypothesis(c, c.test.alternative, c.test.quantity)} ({alternative})"


def tests_of_all(comparisons: Sequence[Comparison]) -> str:
    """Return the title of a table of the tests of all candidates, with its footnotes."""
    first, several = comparisons[0], len(comparisons) > 1
    owner = "" if several else f" of {name(first.candidate)}"
    notes = [explain_independence(c) for c in comparisons]
    # Candidates differ in their correlation, so the caption of several omits it.
    independence = f" †{INDEPENDENCE if several else notes[0]}" if any(notes) else ""
    emulations = dict.fromkeys(filter(None, map(explain_emulation, comparisons)))
    title = f"Tests of the gain{owner} over {name(first.baseline)}.{independence}"
    return title + "".join(f" ‡{note}" for note in emulations)


def law_caption(c: Comparison) -> str:
    """Return the caption of the distribution of the gain."""
    return f"{c.histogram.title} ({c.histogram.how}; the outermost bars hold the tails)"


def law_on_a_page(c: Comparison, factors: Sequence[str]) -> str:
    """Return the caption of the distribution of the gain in an HTML report; `factors` are those beside items."""
    over = f"and {' and '.join(factors)} like these" if factors else "like this one"
    return (
        f"{capital(c.histogram.title)} ({c.histogram.how}): how the gain would vary over test sets {over}. The "
        "baseline is better left of 0 (hatched). The outermost bars hold the tails."
    )


def law_title(unit: str, levels: Sequence[str]) -> str:
    """Return the title of the bootstrap distribution over items, for fixed levels of sampled factors such as runs."""
    return f"bootstrap distribution of the gain over {unit}s, for these {in_a_row(levels)}"


def crossed_law_title(over: str) -> str:
    """Return the title of the distribution of the gain over items and other factors, such as runs."""
    return f"distribution of the gain over items and {over}"


def verdict_level(alpha: float) -> str:
    """Return the level of the verdicts."""
    return f"Verdicts at α = {format_exactly(alpha)}."


def one_gain(gain: str) -> str:
    """Return the text in place of a histogram if every resample has the same gain."""
    return f"every resample has the gain {gain}"


def see_more() -> str:
    """Return how to see more than a table."""
    return f"{details()} shows the items, the tests and the distribution of each gain, and the signature."


def see_details(*, tests: bool = True) -> str:
    """Return how to see more of one comparison. `tests`: whether other tests were not shown."""
    return f"{details()} shows the distribution{', other tests' if tests else ''} and the signature."


def details() -> str:
    """Return the option that shows results in full."""
    return opt("details", True) if speaks_options() else "to_text(details=True)"
