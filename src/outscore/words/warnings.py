"""Warnings of results: each is one function of plain values, or one constant.

The rule that warns decides when its warning is due. The texts of metrics, factors and tests are in their classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outscore.options import opt
from outscore.text.naming import MOST_NAMED, capital, few_named, in_a_row, printable, quoted
from outscore.text.numbers import format_counted, format_share

# Few units, runs or clusters.

ADD_CLUSTERS = "Add clusters, or pass the other clustering only."
COMPARE_TO_LIST = "Compare the pair to list them."
FEW_VOUCH = "no test guarantees its error rate"
_NOTABLY_SKEWED = 0.5  # less is hardly seen in a histogram of influences
_UNKNOWN = "so the variance of the gain is unknown. The p-value is 1 and the interval is unbounded."


def two_levels(plural: str, where: str, rate: str, advice: str) -> str:
    """Warn that two runs, raters or clusters give no verdict; `rate` is the type I error rate of the test."""
    return (
        f"No verdict: two {plural} are too few to estimate how much {plural} vary. {where}, the type I error rate is "
        f"{rate} at a nominal 5%. {advice}"
    )


def add_level(factor: str) -> str:
    """Return the advice for a system with two levels of a factor."""
    return f"Add a {factor}, or pass {opt('run_law', 'fiducial')}."


def few_levels(count: int, plural: str, title: str | None, where: str, rate: str) -> str:
    """Warn that a test of few runs, raters or clusters is approximate."""
    return (
        f"With {count} {plural} the {title} is approximate. Its type I error rate is up to {rate} at a nominal 5% if "
        f"{where}."
    )


def far_level(system: str, factor: str, plural: str, name: str, score: float, others: tuple[float, float]) -> str:
    """Warn that a run of a system is an outlier; `others` are the lowest and highest score of its other runs."""
    low, high = others
    return (
        f"{system}: {factor} {quoted(name)} is an outlier. It scores {score:.4g}, the other {plural} {low:.4g} to "
        f"{high:.4g}. The crossed t-test assumes that scores of {plural} are nearly normal. If one in ten of one "
        f"system is bad, its type I error rate with 5 {plural} is up to 11.8% at a nominal 5%."
    )


def one_has_all(n_units: int, share: float) -> str:
    """Warn that one unit has nearly all of the weight."""
    return (
        f"No verdict: one of {n_units} units has {share:.1%} of the weight. The others are too light to estimate its "
        "variance."
    )


def few_carry(counted: str, *, score: bool = False) -> str:
    """Warn that few units carry the variance of a gain or score, given their number in words."""
    risk = "the interval may be too narrow" if score else FEW_VOUCH
    return f"{counted} the variance of the {'score' if score else 'gain'}. With so few, {risk}."


def one_more_like(name: str, p: str, *, changes: bool) -> str:
    """Return the effect on the verdict of one more unit like a given one."""
    return f"One more like {name} would {'' if changes else 'not '}change the verdict ({p})."


def without_one(name: str, p: str) -> str:
    """Return that a gain would be significant without one unit."""
    return f"Without {name} the gain would be significant ({p})."


def few_for_many_pairs(n_units: int, unit: str, n_pairs: int) -> str:
    """Warn that the correction over many pairs is too weak with few units."""
    return (
        f"With {n_units} {unit}s and {n_pairs} pairs, corrected p-values may be too small: in simulations with 10 "
        "topics, 12% to 18% of rankings of equal retrieval systems had a false positive at a nominal 5%."
    )


def few_clusters_carry(counts: Sequence[tuple[int, int, float]]) -> str:
    """Warn that few clusters carry the variance, given their number, all clusters and the share per clustering."""
    parts = [f"{few} of {n} clusters account{'s' if few == 1 else ''} for {share:.0%}" for few, n, share in counts]
    return f"{in_a_row(parts)} of the gain's variance over their clustering. With so few, {FEW_VOUCH}."


def nothing_without_one(n_units: int, unit: str) -> str:
    """Warn that the variance is unknown because the score is undefined without one unit."""
    return f"Without one of the {n_units} {unit}s the score is undefined, {_UNKNOWN}"


def nothing_without_one_in(n_pairs: int, n_all: int, unit: str) -> str:
    """Warn in how many pairs the score is undefined without one unit."""
    return (
        f"In {n_pairs} of {format_counted(n_all, 'pair')} the score is undefined without one of the {unit}s, {_UNKNOWN}"
    )


def few_carry_in(n_pairs: int, n_all: int, few: float, unit: str) -> str:
    """Warn in how many pairs few units carry the variance."""
    counted = f"In {n_pairs} of {format_counted(n_all, 'pair')} fewer than {few:g} {unit}s account for most of"
    return f"{few_carry(counted)} {COMPARE_TO_LIST}"


def few_carry_in_scores(names: Sequence[str], n_all: int, few: float, unit: str) -> str:
    """Warn for which systems few units carry the variance of the score."""
    which = f" ({in_a_row([printable(name) for name in names])})" if len(names) <= MOST_NAMED else ""
    counted = f"For {len(names)} of {format_counted(n_all, 'system')}{which} fewer than {few:g} {unit}s carry"
    return few_carry(counted, score=True)


def few_units(count: int, effective: float, unit: str, test: str) -> str:
    """Warn that a named test has too few units, given their effective number."""
    worth = "" if effective > 0.8 * count else f" (effectively {effective:.3g})"
    return (
        f"With {count} {unit}s{worth}, {test} has too many false positives. Omit {opt('tests')} for the default test, "
        "which controls the error rate better."
    )


def few_differ(count: int, unit: str, test: str) -> str:
    """Warn that the systems differ on so few units that a named test is unreliable."""
    return (
        f"The systems differ on only {format_counted(count, unit)}. With so few, {test} has too many false positives. "
        f"Omit {opt('tests')} for the default test, which controls the error rate better."
    )


def why_contrary(
    unit: str, *, exact: bool, n_units: int | None, n_differing: int | None, skewness: float | None, few_carry: bool
) -> str:
    """Return why the bootstrap and the default test would decide differently.

    `exact` is whether the default test is, `skewness` that of the units' influences if it is against the verdict, and
    `few_carry` whether few of them have much of the variance. The number of units, and that of units that differ, are
    given only if they are too small for a bootstrap that rejects.
    """
    if n_differing is not None:
        return f"With only {format_counted(n_differing, unit)} that differ, it has too many false positives."
    if n_units is not None:
        return f"With only {format_counted(n_units, unit)}, it has too many false positives."
    if skewness is not None and abs(skewness) >= _NOTABLY_SKEWED:
        return (
            f"The influences of {unit}s have skewness {skewness:.1f}, for which only the verdict's test is corrected."
        )
    if few_carry:
        return f"A few {unit}s have much of the variance, for which only the verdict's test allows."
    if exact:
        return "The verdict's test keeps its level on any data, the bootstrap only approximately."
    return "Both are approximate, and their p-values are close to α."


def few_for_bootstrap(count: int, unit: str, *, by_default: bool = False) -> str:
    """Warn that a ranking by the bootstrap, which may be the default test, has few units."""
    sentence = f"With {count} {unit}s the bootstrap has too many false positives."
    return sentence if by_default else f"{sentence} Omit {opt('tests')} for the default test, which does not."


def few_tasks(count: int) -> str:
    """Warn that a t-test over tasks has few of them."""
    return (
        f"With {count} tasks the t-test over tasks assumes nearly normal gains. With 5 tasks and one outlier its type "
        "I error rate is 33% at a nominal 5%. Check all gains and the sign-flip test."
    )


def without_tasks(candidate: str, tasks: Sequence[str]) -> str:
    """Warn which tasks decide a t-test over tasks."""
    each = "" if len(tasks) == 1 else "any one of "
    return f"{candidate}: dropping {each}{', '.join(map(quoted, tasks))} changes the verdict of the t-test over tasks."


# One test.

ALIKE_BY_SCORE = (
    "All gains are equal, so the variance of the gain is 0. The p-value and the interval come from the confidence "
    "interval of the score, which allows for unobserved scores."
)
IDENTICAL = "The systems have identical scores. Is it the same file or column twice?"


def none_differs(unit: str) -> str:
    """Warn that both systems score the same on every unit."""
    return f"No {unit} differs, so the variance of the gain is unknown. The systems may differ on other {unit}s."


STRATA_OF_TWO = (
    "More than half of the units are in strata of two, where the skewness cannot be estimated. If the differences are "
    "skewed, the test has too many false positives."
)
OF_RESPONSES = (
    "This test swaps single responses and assumes that they are independent, but responses of one item are not. In a "
    "simulation with 12 spans per sentence its type I error rate was 46.3% at a nominal 5%; that of swapping whole "
    "items was 3.7%. So it gives no verdict."
)
CENTRED_LATE = (
    "sacreBLEU centres the bootstrap after taking absolute values. Its type I error rate is 11.2% at a nominal 5% "
    "(measured: Calibration in the documentation). It also compares strictly, so identical systems get 1/(r + 1)"
)
COMPARED_STRICTLY = (
    "sacreBLEU compares strictly: it does not count swaps that give exactly the observed gain, so identical systems "
    "get 1/(r + 1). Without such swaps the two p-values differ only by their random permutations"
)


def alike_by_signs(test: str | None) -> str:
    """Say that the sign test replaces a test, given its title."""
    return f"All gains are equal, so the variance of the gain is 0. The sign test replaces the {test}."


def losses_unbounded(advice: str) -> str:
    """Warn that the score test knows only the observed losses."""
    return f"The score test assumes that no score lies outside the observed range. Larger losses are possible{advice}."


def few_for_score_test(count: int, least: int) -> str:
    """Warn that the score test has few units."""
    return (
        f"With {count} units the type I error rate of the score test is up to 8% at a nominal 5%. Use at least "
        f"{least} units."
    )


def emulated(test: str, difference: str, why_not: str | None) -> str:
    """Say why the p-value of sacreBLEU's formula differs, and whether sacreBLEU prints the same."""
    printed = "exactly what sacreBLEU prints for this seed"
    if why_not is not None:
        printed = f"not what sacreBLEU prints, because {why_not}"
    return f"{difference}. The p-value of {test} is {printed}."


# Texts and scales.

_WITHOUT = {
    "case": "lower-case all texts",
    "punctuation": "remove punctuation from all texts",
    "Unicode form": "convert all texts to Unicode's NFC",
}


def formatting(
    kinds: Sequence[str], advice: str, shares: Sequence[tuple[str, float]], scores: Sequence[tuple[str, str]]
) -> str:
    """Warn that formatting, such as "case", accounts for unequal proportions of the errors of two systems.

    `advice` is that of `ignoring`. `shares` has the two systems with their proportions, `scores` those without these
    errors.
    """
    parts = ", but ".join(
        f"{format_share(round(10_000 * share), 10_000)} of the errors of {printable(name)}" for name, share in shares
    )
    what = capital(in_a_row([kind if kind != "Unicode form" else "the Unicode form" for kind in kinds]))
    makes = "make" if len(kinds) > 1 else "makes"
    without = in_a_row([f"{printable(name)} scores {score}" for name, score in scores])
    return f"{what} {makes} up {parts}. Without these errors {without}. To ignore them, {advice}."


def ignoring(metric: str, options: Mapping[str, str | None]) -> str:
    """Return how to ignore kinds of formatting, by a metric's options, if it has one, or in the texts."""
    named = [option for option in options.values() if option is not None]
    by_hand = [_WITHOUT[kind] for kind, option in options.items() if option is None]
    return in_a_row([*([f"pass {metric}:{','.join(named)}"] if named else []), *by_hand])


def without_formatting(verdict: str) -> str:
    """Return the verdict on texts without differences of formatting."""
    return f'The verdict would be "{verdict}".'


def other_direction(column: str, *, higher: bool) -> str:
    """Warn that the name of a column suggests that `higher` scores are better, but they were read otherwise."""
    better, taken = ("higher", "lower") if higher else ("lower", "higher")
    advice = f"leave {opt('lower_is_better')} out" if higher else f"pass {opt('lower_is_better', True)}"
    return (
        f"The name of the column {quoted(column)} suggests that {better} scores are better, but {taken} scores count "
        f"as better. If {better} scores are better, {advice}."
    )


def other_scale(low: Sequence[str], high: Sequence[str]) -> str:
    """Warn that some systems have scores from 0 to 1, and others from 0 to 100."""
    scales = f"The scores of {few_named(low)} are between 0 and 1, those of {few_named(high)} between 0 and 100."
    return f"{scales} Check that they are on one scale."


# P-values and intervals.


def bounds(tests: Sequence[str]) -> str:
    """Warn that p-values of these tests are bounds."""
    return (
        f"No resample reaches the threshold of {', '.join(tests)}. The p-value is an upper bound, the probability of "
        "the rarest resample."
    )


def bounds_in(n_pairs: int) -> str:
    """Warn that the p-values of some pairs are bounds."""
    return f"No resample reaches the threshold of {format_counted(n_pairs, 'pair')}. Those p-values are upper bounds."


def too_close(test: str, alpha: float) -> str:
    """Warn that a sampled p-value is too close to alpha."""
    return (
        f"The sampled p-value of {test} is too close to {alpha:g} to decide: its confidence interval contains "
        f"{alpha:g}. Increase {opt('n_resamples')}."
    )


def too_close_in(n_pairs: int, alpha: float) -> str:
    """Warn that some sampled p-values are too close to alpha."""
    return (
        f"The sampled p-values of {format_counted(n_pairs, 'pair')} are too close to {alpha:g} to decide: their "
        f"confidence intervals contain it. Increase {opt('n_resamples')}."
    )


def too_close_by_max_t(n_pairs: int, alpha: float) -> str:
    """Warn that some p-values of max-T are too close to alpha."""
    return (
        f"The sampled max-T p-values of {format_counted(n_pairs, 'pair')} are too close to {alpha:g} to decide. "
        f"Check whether the groups change with another {opt('seed')}."
    )


def check_disagrees(test: str, checked: float, p_value: float) -> str:
    """Warn that a double check found a different p-value."""
    return f"The double check of {test} disagrees: {checked:g} instead of {p_value:g}."


def no_spread(unit: str) -> str:
    """Warn that all resamples have the same gain."""
    return f"All resamples have the same gain, so resampling {unit}s cannot estimate its variance."


def contradicted(test: str, interval: str, *, rejected: bool) -> str:
    """Warn that the interval comes from another method and contradicts the test."""
    inside, verb = ("contains", "rejects it") if rejected else ("excludes", "does not reject it")
    return f"The interval {inside} a gain of 0, but {test} {verb}. They come from different methods ({interval})."


def contradicted_in(n_pairs: int, test: str, methods: Sequence[str]) -> str:
    """Warn that the intervals of some pairs contradict their p-values."""
    return (
        f"The intervals of {format_counted(n_pairs, 'pair')} contradict their uncorrected p-values. They come from "
        f"another method ({', '.join(methods)}), because {test} has no interval here."
    )


def rounded(name: str, unit: str) -> str:
    """Warn that the scores of a unit are so large that others are lost by rounding."""
    return (
        f"The scores of {name} are so large that the other {unit}s are partly lost to rounding. Check the scores, or "
        "leave it out."
    )


# Claims with a margin: the figures are from docs/calibration.md.

SKEW_T_AT_MARGINS = (
    "With a margin skew-t may be too optimistic if losses are rare, because it knows only those in the test set. If "
    "scores have a range, pass it, as in mean:lowest=0,highest=1. The score test then allows for unobserved losses."
)


def margin_of_levels(tests: Sequence[str], plurals: Sequence[str]) -> str:
    """Warn that tests of random runs, raters, ... were not validated for margins."""
    levels, fixed = in_a_row(plurals), in_a_row([opt(plural, "fixed") for plural in plurals])
    return (
        f"With a margin {' and '.join(tests)} may be too optimistic if losses are rare, because only those in the test "
        f"set are known. The error rate for new {levels} was not measured. For a claim about these {levels} only, pass "
        f"{fixed} and {opt('tests', 'score')}, which controls the error rate."
    )


def margin(tests: Sequence[str]) -> str:
    """Warn that tests have too many false positives at margins."""
    return (
        f"With a margin {' and '.join(tests)} may be far too optimistic, because only the losses in the test set are "
        "known. In simulations with candidates worse by exactly the margin, at a nominal 5%, the bootstrap passed up "
        "to 36.6% (100 binary items, margin 0.01; F1 up to 21%) and randomization 27.9% (50 items, margin 0.05). "
        f"{opt('tests', 'score')} controls the error rate."
    )


# Rankings.

FALSE_DISCOVERY = (
    "The Benjamini–Hochberg correction controls the false discovery rate, not the family-wise error rate. The "
    "probability that some rank interval is wrong may exceed alpha."
)
DIRECTION_FROM_DATA = (
    "The p-values are one-sided in the direction of the data, as in BK12. Under the null hypothesis they are half as "
    "large as they should be."
)


def few_resamples(n_resamples: int, least: float, n_pairs: int) -> str:
    """Warn that Holm's correction makes the smallest p-value too large."""
    return (
        f"With {n_resamples} resamples the smallest p-value is {least:.2g}, or {min(n_pairs * least, 1.0):.2g} after "
        f"Holm's correction over {n_pairs} pairs. Increase {opt('n_resamples')}, or use max-t."
    )


def opposed_in(pairs: Sequence[tuple[str, str]], n_all: int, test: str, quantity: str) -> str:
    """Warn of the pairs, candidates first, in which a test of another quantity than the gain contradicts the mean."""
    named = [f"{printable(baseline)} over {printable(candidate)}" for candidate, baseline in pairs[:MOST_NAMED]]
    more = [] if len(pairs) <= MOST_NAMED else [f"{len(pairs) - MOST_NAMED} more"]
    return (
        f"In {len(pairs)} of {format_counted(n_all, 'pair')} the {quantity} favours the system with the worse score "
        f"({in_a_row([*named, *more])}). {test} tests the {quantity}, so these count as not significant."
    )


def same_rows(n_pairs: int) -> str:
    """Warn that the systems of some pairs are identical."""
    return f"The p-value is 1 for {format_counted(n_pairs, 'pair')} of systems with identical scores."


# Scores, and unpaired systems.


def may_be_correlated(options: Sequence[str]) -> str:
    """Warn that items may be correlated, and name the options that resample them together."""
    together = f"{' or '.join(options)} resamples them together."
    return f"Items may be correlated; they are resampled one by one. {together}"


OTHER_ITEMS = "The systems have different numbers of items, so their scores may not be comparable."
COULD_BE_PAIRED = (
    "If the systems share items, pair them. With a correlation r of the item scores, the interval is then about √(1 − "
    "r) times as wide. A correlation of 0.5 is worth twice as many items."
)


def same_score(unit: str, *, binary: bool) -> str:
    """Warn that an interval has no width, with advice if scores look binary."""
    advice = " If scores are 0 or 1, use the metric accuracy." if binary else ""
    return f"all {unit}s have the same score, so the interval has no width.{advice}"


def same_score_in(names: Sequence[str], unit: str) -> str:
    """Warn for which systems of a ranking the interval of the score has no width."""
    return f"All {unit}s of {few_named(names)} have the same score, so the interval has no width."


def two_levels_of_score(plural: str) -> str:
    """Warn that the interval of a score over two runs, raters, ... is unreliable."""
    return f"two {plural} are too few to estimate how much {plural} vary, so the interval is unreliable."


def no_score_without_one(unit: str) -> str:
    """Warn that the interval of a score is unbounded because the score is undefined without one unit."""
    return f"the score is undefined without one of the {unit}s, so its interval is unbounded."


def name_the_range(metric: str) -> str:
    """Return how to pass the range of scores to a metric."""
    return f"If scores have a range, pass it, as in {metric}:lowest=0,highest=1."


def would_pair(candidate: str, baseline: str, r12: float, factor: float) -> str:
    """Say how much narrower the interval would be with paired items."""
    return (
        f"{candidate} and {baseline} have the same item ids. If these are the same items, omit "
        f"{opt('unpaired', True)}. With the correlation of {r12:.2f} between the scores, a paired interval is about "
        f"√(1 − {r12:.2f}) = {factor:.2f} times as wide."
    )


def best_of_several(k: int, errors: float) -> str:
    """Warn that a candidate was chosen as the best of k; `errors` is the overstatement in standard errors."""
    return (
        f"The candidate was chosen as the best of {k:,}. On the items of the choice its score is too high by up to "
        f"{errors:.2f} standard errors, and so is the gain. No p-value of this pair alone corrects for that. "
        "Compare all candidates, or test it on other items."
    )
