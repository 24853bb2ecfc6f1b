"""What a reader must know of a result: each warning is one function of plain values, or one constant.

When a warning is due, the rule that warns decides. What a metric, a factor or a test says of itself is in its class.
"""

from __future__ import annotations

from collections.abc import Sequence

from outscore.options import opt
from outscore.text.naming import in_a_row, quoted
from outscore.text.numbers import format_counted

# Few units, runs or clusters.

ADD_CLUSTERS = "Add clusters, or pass the other clustering only."
FEW_VOUCH = "no test can vouch for its error rate"
_UNKNOWN = "so the variance of the gain is unknown. The p-value is 1, and the interval has no ends."


def two_levels(plural: str, where: str, rate: str, advice: str) -> str:
    """Say that two runs, raters or clusters give no verdict, as the test would err at that rate."""
    return (
        f"No verdict is given, because two {plural} do not show how much {plural} differ. {where}, the test rejects "
        f"{rate} of true nulls at a nominal 5%. {advice}"
    )


def add_level(factor: str) -> str:
    """Say what to do where a system has two levels of a factor."""
    return f"Add a {factor}, or pass {opt('run_law', 'fiducial')}."


def few_levels(count: int, plural: str, title: str | None, where: str, rate: str) -> str:
    """Say that a test of few runs, raters or clusters is rough."""
    return f"With {count} {plural} the {title} is rough: where {where} it rejects up to {rate} of true nulls at 5%."


def far_level(system: str, factor: str, plural: str, name: str, score: float, others: tuple[float, float]) -> str:
    """Say that a run of a system lies far from its others, which score from the first to the second number."""
    low, high = others
    return (
        f"{system}: {factor} {quoted(name)} scores {score:.4g}, far from its other {plural}, which score {low:.4g} to "
        f"{high:.4g}. Crossed t takes {plural} to be near normal: where one in ten of one system is bad, it rejects up "
        f"to 11.8% of true nulls at 5% with 5 {plural}."
    )


def one_has_all(n_units: int, share: float) -> str:
    """Say that one unit has nearly all of the weight."""
    return (
        f"No verdict is given, because one of {n_units} units has {share:.1%} of the weight. The others do not show "
        "how much that unit could vary."
    )


def few_carry(counted: str, *, score: bool = False) -> str:
    """Say that few units carry the variance of a gain, or of a score, given "3 of 500 items carry 81% of"."""
    risk = "the interval may be too narrow" if score else FEW_VOUCH
    return f"{counted} the variance of the {'score' if score else 'gain'}: with so few, {risk}."


def one_more_like(name: str, p: str, *, overturns: bool) -> str:
    """Say what one more unit like a given one would make of the verdict."""
    if overturns:
        return f"One more unit like {name} would overturn the verdict ({p})."
    return f"With one more unit like {name} the verdict would stay ({p})."


def few_clusters_carry(found: Sequence[tuple[int, int, float]]) -> str:
    """Say how many of how many clusters of each clustering carry which share of the variance."""
    said = [f"{few} of {n} clusters {'carries' if few == 1 else 'carry'} {share:.0%}" for few, n, share in found]
    return f"Of the variance of the gain over their clustering, {in_a_row(said)}: with so few, {FEW_VOUCH}."


def nothing_without_one(n_units: int, unit: str) -> str:
    """Say that the variance is unknown, as there is nothing to score without one unit."""
    return f"Without one of the {n_units} {unit}s there is nothing to score, {_UNKNOWN}"


def nothing_without_one_in(n_pairs: int, of: int, unit: str) -> str:
    """Say in how many of all pairs there is nothing to score without one unit."""
    return (
        f"In {n_pairs} of {format_counted(of, 'pair')} there is nothing to score without one of the {unit}s, {_UNKNOWN}"
    )


def few_carry_in(n_pairs: int, of: int, few: float, unit: str) -> str:
    """Say in how many of all pairs few units carry the variance."""
    counted = f"In {n_pairs} of {format_counted(of, 'pair')} fewer than {few:g} {unit}s carry"
    return f"{few_carry(counted)} A comparison of the pair names them."


def few_units(count: int, effective: float, unit: str, test: str) -> str:
    """Say that a test that a user named has too few units, by their effective number."""
    worth = "" if effective > 0.8 * count else f", worth {effective:.3g} of equal size,"
    return (
        f"With {count} {unit}s{worth} {test} rejects true nulls too often. Leave {opt('tests')} out for the default "
        "test, which keeps its level better."
    )


def few_differ(count: int, unit: str, test: str) -> str:
    """Say that the systems differ on few units, too few for a test that a user named."""
    return (
        f"The systems differ on {format_counted(count, unit)} only, and with so few {test} rejects true nulls too "
        f"often. Leave {opt('tests')} out for the default test, which keeps its level better."
    )


def few_for_bootstrap(count: int, unit: str) -> str:
    """Say that a ranking by the bootstrap has few units."""
    return (
        f"With {count} {unit}s the bootstrap rejects true nulls too often. Leave {opt('tests')} out: the default does "
        "not."
    )


def few_tasks(count: int) -> str:
    """Say that a t-test over tasks has few of them."""
    return (
        f"With {count} tasks the t-test over tasks rests on gains near normal: of 5 with one outlier it rejects 33% of "
        "true nulls at 5%. Look at all gains, and at the sign flips beside it."
    )


def without_tasks(candidate: str, tasks: Sequence[str]) -> str:
    """Say which tasks decide a t-test over tasks."""
    return f"{candidate}: without {', '.join(map(quoted, tasks))} alone the t-test over tasks would say otherwise."


# One test.

ALIKE_BY_SCORE = (
    "All gains are alike, so the variance of the gain is 0. The p-value and the interval are those of the score's own "
    "interval, which allows for scores that were not seen."
)
STRATA_OF_TWO = (
    "More than half of the units are in strata of two, and of two units the skewness is always 0. The test cannot "
    "correct for it there, and skewed differences reject too often."
)
OF_RESPONSES = (
    "Responses of one item depend on each other, and a test that swaps them one by one takes them to be independent: "
    "with 12 spans a sentence, as hard as their sentence is, it rejects 46.3% of true nulls where 5% is meant, and "
    "swaps of whole items 3.7%. The verdict is that of the items."
)
CENTRED_LATE = (
    "sacreBLEU centres the bootstrap after taking absolute values, which rejects 11.2% of true nulls at a nominal 5% "
    "(see docs/calibration.md), and compares strictly, so that identical systems get 1/(r + 1)"
)
COMPARED_STRICTLY = (
    "sacreBLEU compares strictly: a swap that gives just the observed gain is not counted, so that identical systems "
    "get 1/(r + 1); where no swap does, only the draws make them differ"
)


def alike_by_signs(test: str | None) -> str:
    """Say that the sign test takes the place of a test, by its title."""
    return f"All gains are alike, so the variance of the gain is 0, and the sign test takes the place of the {test}."


def losses_unbounded(advice: str) -> str:
    """Say that the score test knows only the losses seen, and what to do."""
    return (
        "The score test takes the lowest and the highest score that were seen for the worst and the best that there "
        f"are: losses not yet seen are not bounded{advice}."
    )


def few_for_score_test(count: int, enough: int) -> str:
    """Say that the score test has few units."""
    return (
        f"With {count} units the score test rejects up to 8% of true nulls where 5% is meant; from {enough} units on "
        "it was measured to keep its level."
    )


def emulated(test: str, difference: str, why_not: str | None) -> str:
    """Say why the p-value of sacreBLEU's formula differs, and whether it is the one that sacreBLEU prints."""
    printed = "the very one that sacreBLEU prints for this seed"
    if why_not is not None:
        printed = f"not the one that sacreBLEU prints, as {why_not}"
    return f"The p-value of {test} differs from the sound one because {difference}; it is {printed}."


# P-values and intervals.


def bounds(tests: Sequence[str]) -> str:
    """Say that p-values of these tests are bounds."""
    return (
        f"No resample reaches the threshold of {', '.join(tests)}: the p-value given is a bound, the probability of "
        "the rarest resample."
    )


def bounds_in(n_pairs: int) -> str:
    """Say that p-values of so many pairs are bounds."""
    return f"No resample reaches the threshold of {n_pairs} pair(s): their p-values are bounds."


def too_close(test: str, alpha: float) -> str:
    """Say that a sampled p-value is too close to alpha."""
    return (
        f"The sampled p-value of {test} is too close to {alpha:g} to call: its interval holds {alpha:g}. Raise "
        f"{opt('n_resamples')}."
    )


def too_close_in(n_pairs: int, alpha: float) -> str:
    """Say that so many sampled p-values are too close to alpha."""
    return (
        f"The sampled p-values of {n_pairs} pair(s) are too close to {alpha:g} to call: their intervals hold it. Raise "
        f"{opt('n_resamples')}."
    )


def too_close_by_max_t(n_pairs: int, alpha: float) -> str:
    """Say that so many p-values of max-T are too close to alpha."""
    return (
        f"The max-T p-values of {n_pairs} pair(s), sampled, are too close to {alpha:g} to call: with another seed the "
        f"groups could be others. Raise {opt('n_resamples')}."
    )


def check_disagrees(test: str, checked: float, p_value: float) -> str:
    """Say that a double check found another p-value."""
    return f"The double check of {test} disagrees: {checked:g} against {p_value:g}."


def no_spread(unit: str) -> str:
    """Say that all resamples have one gain."""
    return f"All resamples give the same gain: resampling {unit}s sees no spread at all."


def contradicted(test: str, interval: str, *, rejected: bool) -> str:
    """Say that an interval and a test that it is not of contradict each other."""
    inside, said = ("holds", "rejects it") if rejected else ("leaves out", "does not reject it")
    return f"The interval {inside} a gain of 0, and {test} {said}: the interval is not the test's own ({interval})."


def contradicted_in(n_pairs: int, test: str, methods: Sequence[str]) -> str:
    """Say that the intervals of so many pairs contradict their p-values."""
    return (
        f"The intervals of {n_pairs} pair(s) contradict their p-values before correction: the test {test} has no "
        f"interval of its own here ({', '.join(methods)} instead)."
    )


def rounded(name: str, unit: str) -> str:
    """Say that the scores of a unit are so large that others are lost beside them."""
    return (
        f"The scores of {name} are so large that their rounding shows in the gain: the other {unit}s count for less "
        "than they should. Check it, or leave it out."
    )


# Claims with a margin: the figures are those of docs/calibration.md.

SKEW_T_AT_MARGINS = (
    "With a margin skew-t can be too sure where losses are rare, as it knows only those in the test set. Where scores "
    "have a range, say so, as in mean:lowest=0,highest=1: the score test allows for losses not yet seen."
)


def margin_of_levels(tests: Sequence[str], plurals: Sequence[str]) -> str:
    """Say that tests of random runs, raters, ... were not validated for margins."""
    levels, fixed = in_a_row(plurals), in_a_row([opt(plural, "fixed") for plural in plurals])
    return (
        f"With a margin {' and '.join(tests)} can be too sure where losses are rare, as it knows only those in the "
        f"test set: no test of random {levels} was validated for claims with a margin. With {fixed} "
        f"{opt('tests', 'score')} keeps its level, for these {levels}."
    )


def margin(tests: Sequence[str]) -> str:
    """Say that tests do not keep their level at margins."""
    return (
        f"With a margin {' and '.join(tests)} can be far too sure, knowing only the losses in the test set: of "
        "candidates that are worse by exactly the margin, where 5% is meant, the bootstrap passes up to 36.6% "
        "(100 right-or-wrong items, margin 0.01; F1 up to 21%) and randomization 27.9% (50 items, 0.05). "
        f"{opt('tests', 'score')} keeps its level."
    )


# Rankings.

FALSE_DISCOVERY = (
    "Benjamini and Hochberg's correction bounds the share of false discoveries, not the chance of any: rank "
    "intervals by it may all together be wrong more often than alpha says."
)
DIRECTION_FROM_DATA = (
    "One-sided p-values in the direction that the data took, as BK12 report them: under the null hypothesis "
    "they are half as large as they should be."
)


def few_resamples(n_resamples: int, least: float, n_pairs: int) -> str:
    """Say that Holm's correction makes the smallest p-value too large."""
    return (
        f"With {n_resamples} resamples the smallest p-value is {least:.2g}, and Holm's correction over {n_pairs} pairs "
        f"makes it {min(n_pairs * least, 1.0):.2g}: raise {opt('n_resamples')}, or use max-t."
    )


def same_rows(n_pairs: int) -> str:
    """Say that the systems of so many pairs are the same."""
    return f"{n_pairs} pair(s) of systems have the same rows: their p-values are 1."


# Scores, and unpaired systems.

OTHER_ITEMS = "Not all systems are scored on as many items: their scores may not be comparable."
COULD_BE_PAIRED = (
    "On the same items systems could be paired: with a correlation r12 of the items' scores the interval is "
    "about √(1 − r12) times as wide, with 0.5 as if there were twice as many items."
)


def same_score(unit: str, *, binary: bool) -> str:
    """Say that an interval has no width, and what to do where scores look binary."""
    advice = " If scores are 0 or 1, name the metric accuracy." if binary else ""
    return f"all {unit}s have the same score, so the interval has no width.{advice}"


def two_levels_of_score(plural: str) -> str:
    """Say that the interval of a score over two runs, raters, ... is rough."""
    return f"two {plural} tell little of how {plural} vary: the interval is rough."


def no_score_without_one(unit: str) -> str:
    """Say that the interval of a score has no ends, as there is nothing to score without one unit."""
    return f"without one of the {unit}s there is nothing to score, so its interval has no ends."


def name_the_range(metric: str) -> str:
    """Say how a metric is told the range of its scores."""
    return f"If scores have a range, name it, as in {metric}:lowest=0,highest=1."


def would_pair(candidate: str, baseline: str, r12: float, factor: float) -> str:
    """Say how much narrower the interval would be with paired items."""
    return (
        f"{candidate} and {baseline} can be paired: if their items are the same, their scores correlate with "
        f"{r12:.2f}, and the paired interval is about √(1 − {r12:.2f}) = {factor:.2f} times as wide. Then compare them "
        f"without {opt('unpaired', True)}."
    )
