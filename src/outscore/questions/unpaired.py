"""Tests of systems that were scored on different items, as two independent samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore._version import __version__
from outscore.data.pairing import align
from outscore.data.rows import Rows
from outscore.design.scores import Scores, Systems
from outscore.errors import DataError, NotApplicableError, OptionError, Problem
from outscore.gains.gain_laws import Resampling
from outscore.gains.influence import satterthwaite
from outscore.laws.student import student_p_value, student_quantile
from outscore.metrics import AnyMetric, Metric
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.claims import verdict
from outscore.questions.comparing import remarks_on
from outscore.questions.settings import check_resampling
from outscore.questions.signatures import encoded, joined
from outscore.questions.system_scores import item_scores_of
from outscore.results import Alternative, Claim, Family, Interval
from outscore.results.scores import UnpairedComparison, UnpairedResult, UnpairedTest
from outscore.significance.base import SignificanceTest, one_sided
from outscore.significance.families import Place, corrected
from outscore.text.naming import nearest, quoted
from outscore.text.numbers import format_count
from outscore.words.warnings import COULD_BE_PAIRED, would_pair

_MOST_RANK_SUM_STEPS = 2 * 10**8  # additions for the exact distribution of a rank sum: a tenth of a second
_MOST_LABELLINGS = 200_000
_BLOCK = 2**22  # random keys at once
_ROUNDING = 1e-12
_LEAST = 5e-324
_ASYMPTOTIC = "asymptotic"

_ALIASES = {"permutation": "label-permutation", "ttest_ind": "welch", "mannwhitneyu": "rank-sum"}


@dataclass(frozen=True)
class _Outcome:
    statistic: float
    p_value: float
    computation: str


_Test = Callable[[FloatArray, FloatArray, Alternative, Resampling], _Outcome]


def _welch_error(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """Return the standard error of the difference of two means, and Welch and Satterthwaite's degrees of freedom."""
    parts = [(float(np.var(one, ddof=1)) / len(one), len(one) - 1) for one in (a, b)]
    return math.sqrt(sum(part for part, _ in parts)), float(satterthwaite(parts, added=math.fsum))


def _welch(a: FloatArray, b: FloatArray, alternative: Alternative, resampling: Resampling) -> _Outcome:
    """Welch's (1947) t-test, for unequal variances and numbers of items."""
    del resampling
    gain = float(b.mean() - a.mean())
    error, degrees = _welch_error(a, b)
    if error <= _tolerance(a, b):
        if abs(gain) <= _tolerance(a, b):
            return _Outcome(0.0, 1.0, _ASYMPTOTIC)
        what = "all items of each system have the same score"
        raise NotApplicableError(Problem("welch", what, f"Use {opt('tests', 'label-permutation')}.", "not-applicable"))
    return _Outcome(gain / error, student_p_value(gain / error, degrees, alternative), _ASYMPTOTIC)


def _rank_sum(a: FloatArray, b: FloatArray, alternative: Alternative, resampling: Resampling) -> _Outcome:
    """Wilcoxon's rank-sum test (Mann & Whitney 1947): exact for small samples, also with ties, else asymptotic.

    The exact distribution is over all ways to give len(b) of the midranks to the candidate. Two-sided p-values count
    the rank sums that are at least as far from their mean as the observed one, as in R's package coin.
    """
    del resampling
    from scipy.stats import mannwhitneyu, rankdata

    ranks = np.rint(2 * rankdata(np.concatenate([a, b]))).astype(np.int64)  # twice the midranks are whole numbers
    own = ranks[len(a) :]
    statistic = float(own.sum() / 2 - len(b) * (len(b) + 1) / 2)
    if np.ptp(ranks) == 0:
        return _Outcome(statistic, 1.0, "exact")
    if _rank_sum_steps(ranks, len(b)) > _MOST_RANK_SUM_STEPS:
        test = mannwhitneyu(b, a, alternative=alternative.value, method="asymptotic")
        return _Outcome(statistic, float(test.pvalue), _ASYMPTOTIC)
    least, step, probabilities = _rank_sums(ranks, len(b))
    mean = len(b) * (len(ranks) + 1)  # like all of these a whole number, so that ties are exact
    off, observed = least + step * np.arange(len(probabilities)) - mean, own.sum() - mean
    match alternative:
        case Alternative.TWO_SIDED:
            extreme = np.abs(off) >= abs(observed)
        case Alternative.GREATER:
            extreme = off >= observed
        case Alternative.LESS:
            extreme = off <= observed
    return _Outcome(statistic, min(float(probabilities[extreme].sum()), 1.0), "exact")


def _on_a_grid(ranks: IntArray) -> tuple[int, int, IntArray]:
    """Return the smallest rank, the step of all ranks, and how many steps each rank is above the smallest, sorted."""
    above = np.sort(ranks) - ranks.min()
    step = max(int(np.gcd.reduce(above)), 1)
    return int(ranks.min()), step, above // step


def _rank_sum_steps(ranks: IntArray, k: int) -> int:
    """Return about how many additions `_rank_sums` takes."""
    _, _, above = _on_a_grid(ranks)
    k = min(k, len(ranks) - k)
    return len(above) * (k + 1) * (int(above[len(above) - k :].sum()) + 1)


def _rank_sums(ranks: IntArray, k: int) -> tuple[int, int, FloatArray]:
    """Return the smallest sum of k of the ranks, the step of sums, and the probability of each sum from there on.

    All subsets of k ranks are equally likely. The ranks are given away one by one: with j of them in the subset and
    N − i left, the next one joins with probability (k − j)/(N − i). All terms are positive, so the rounding errors are
    small relative to each probability.
    """
    n = len(ranks)
    if 2 * k > n:  # the others have the rest of the total
        least, step, others = _rank_sums(ranks, n - k)
        return int(ranks.sum()) - least - step * (len(others) - 1), step, others[::-1]
    smallest, step, above = _on_a_grid(ranks)
    # probabilities[j, s]: j of the ranks so far in the subset, with a sum of s steps.
    probabilities = np.zeros((k + 1, int(above[n - k :].sum()) + 1))
    probabilities[0, 0] = 1.0
    width = 1
    for i, rank in enumerate(above.tolist()):
        low, high = max(0, k - (n - i)), min(i, k)
        width = min(width + rank, probabilities.shape[1])
        part = probabilities[low : high + 1, :width]
        joins = ((k - np.arange(low, high + 1)) / (n - i))[:, None]
        moved = part[:, : width - rank] * joins
        part *= 1 - joins
        upper = min(high + 1, k)
        probabilities[low + 1 : upper + 1, rank:width] += moved[: upper - low]
    return k * smallest, step, probabilities[k]


def _label_permutation(a: FloatArray, b: FloatArray, alternative: Alternative, resampling: Resampling) -> _Outcome:
    """The difference of means under all (or r random) assignments of items to systems (Pitman 1937)."""
    # Sorted, so that draws do not depend on the order of the items. They say which are of the smaller sample, or of
    # equal sizes of the one with the larger mean, so that those of exchanged samples are the same.
    both = np.sort(np.concatenate([a, b]))
    both -= float(both.mean())
    gain = float(b.mean() - a.mean())
    n, k = len(both), min(len(a), len(b))
    side = 1.0 if len(b) < len(a) or (len(b) == len(a) and gain >= 0) else -1.0
    total = float(both.sum())

    def count(sums: FloatArray) -> int:
        gains = side * (sums / k - (total - sums) / (n - k))
        slack = _tolerance(a, b)
        match alternative:
            case Alternative.TWO_SIDED:
                return int((np.abs(gains) >= abs(gain) - slack).sum())
            case Alternative.GREATER:
                return int((gains >= gain - slack).sum())
            case Alternative.LESS:
                return int((gains <= gain + slack).sum())

    n_labellings = math.comb(n, k)
    if n_labellings <= _MOST_LABELLINGS:
        chosen = np.array(list(combinations(range(n), k)))
        return _Outcome(gain, count(both[chosen].sum(axis=1)) / n_labellings, "exact")
    r, extreme = resampling.n_resamples, 0
    stream = np.random.Generator(np.random.Philox(resampling.seed))
    block = max(1, _BLOCK // n)
    for start in range(0, r, block):
        keys = stream.random((min(block, r - start), n))
        extreme += count(both[np.argpartition(keys, k - 1, axis=1)[:, :k]].sum(axis=1))
        if resampling.progress is not None:
            resampling.progress(min(start + block, r), r)
    return _Outcome(gain, (extreme + 1) / (r + 1), f"{format_count(r)} permutations")


UNPAIRED_TESTS: Mapping[str, _Test] = MappingProxyType(
    {"welch": _welch, "rank-sum": _rank_sum, "label-permutation": _label_permutation}
)


def unpaired_test_named(name: str) -> str:
    """Return the name of a test of unpaired samples, such as "welch", given that name or SciPy's.

    Raises
    ------
    OptionError
        If the name is unknown.
    """
    own = _ALIASES.get(name.strip().lower(), name.strip().lower())
    if own not in UNPAIRED_TESTS:
        what = f"expected one of {', '.join(UNPAIRED_TESTS)} for unpaired systems, got {quoted(name)}"
        raise OptionError(Problem(opt("tests"), what, nearest(own, list(UNPAIRED_TESTS)), "unknown-test"))
    return own


def tests_of_samples(tests: SignificanceTest | str | Sequence[SignificanceTest | str] | None) -> list[str]:
    """Return the names of tests from the argument of users, by default welch.

    Raises
    ------
    OptionError
        See `unpaired_test_named`.
    """
    several = [tests] if isinstance(tests, str | SignificanceTest) else tests or ["welch"]
    names = [name for test in several for name in (test if isinstance(test, str) else test.name).split(",")]
    return [unpaired_test_named(name) for name in names]


def refuse_of_pairs(**options: bool) -> None:
    """Refuse options of paired systems, given the names of the options in use.

    Raises
    ------
    OptionError
    """
    for option, is_set in options.items():
        if is_set:
            raise OptionError(
                Problem(
                    opt(option),
                    f"cannot be combined with {opt('unpaired', True)}",
                    "Leave it out.",
                    "unpaired",
                )
            )


def samples_of(systems: Systems | Scores) -> tuple[AnyMetric, Sequence[Rows]]:
    """Return the first metric, and the systems with one score per item.

    Raises
    ------
    OptionError
        If there are runs, samples, weights of strata or several datasets.
    DataError
        If there are several runs of an unknown kind.
    """
    of = systems.design if isinstance(systems, Scores) else systems.declared
    is_weighted = systems.design.is_weighted if isinstance(systems, Scores) else systems.declared.weights is not None
    labelled = systems.design if isinstance(systems, Scores) else systems
    zeroes = isinstance(systems, Systems) and systems.declared.zeroes_missing
    parts = {"weights": is_weighted, "test-set": labelled.test_sets is not None, "missing zero": zeroes}
    refuse_of_pairs(**{factor.plural: True for factor in of.crossed}, **parts)
    if isinstance(systems, Scores):
        return systems.metrics[0], systems.rows[0]
    return systems.declared.settled(systems.metrics[0], systems.rows[0])


def compare_samples(
    metric: AnyMetric,
    systems: Sequence[Rows],
    tests: Sequence[str],
    alternative: Alternative,
    alpha: float,
    resampling: Resampling,
    *,
    notes: Sequence[str] = (),
) -> UnpairedResult:
    """Compare candidates with a baseline, each scored on different items.

    The null hypothesis of Welch's t-test is that the means of the two populations are equal. For the other tests it is
    that the two distributions are equal.

    Parameters
    ----------
    metric : AnyMetric
        A metric whose score is the mean of item scores.
    systems : sequence of Rows
        The baseline first.
    tests : sequence of str
        The names of the tests. The first gives the verdict.
    alternative : Alternative
    alpha : float
    resampling : Resampling
        For the permutations of labels.
    notes : sequence of str

    Raises
    ------
    NotApplicableError
        If the metric is not a mean of item scores, or a test does not fit.
    DataError
        If a system has one item.
    OptionError
        If an argument is out of range.
    """
    check_resampling(resampling, alpha)
    sign = 1.0 if metric.higher_is_better else -1.0
    samples = [np.sort(sign * _sample(metric, rows)) for rows in systems]  # in any order of the items
    first, *others = samples
    by_candidate = [[UNPAIRED_TESTS[name](first, other, alternative, resampling) for name in tests] for other in others]
    places = [Place(name, candidate=i) for i in range(len(others)) for name in tests]
    p_values = [one.p_value for of_pair in by_candidate for one in of_pair]
    adjusted, families = corrected(p_values, p_values, places, Family.TABLE)
    comparisons = []
    for i, other in enumerate(others):
        gain = float(other.mean() - first.mean())
        results = tuple(
            UnpairedTest(
                name,
                one.statistic,
                max(one.p_value, _LEAST),
                max(adjusted[i * len(tests) + j], _LEAST),
                one.computation,
            )
            for j, (name, one) in enumerate(zip(tests, by_candidate[i], strict=True))
        )
        comparisons.append(
            UnpairedComparison(
                baseline=systems[0].name,
                candidate=systems[i + 1].name,
                baseline_score=sign * float(first.mean()),
                candidate_score=sign * float(other.mean()),
                gain=gain,
                interval=_interval(first, other, gain, alternative, alpha),
                n_baseline=len(first),
                n_candidate=len(other),
                correlation=_correlation(metric, systems[0], systems[i + 1]),
                verdict=verdict(Claim.BETTER, alternative, results[0].adjusted_p_value, gain, alpha),
                tests=results,
            )
        )
    description = describe_metric(metric)
    return UnpairedResult(
        description,
        tuple(comparisons),
        alternative,
        alpha,
        resampling.seed,
        _signature(description.spec, comparisons, [len(sample) for sample in samples], alternative, resampling),
        __version__,
        tuple(dict.fromkeys(_on_pairing(one) for one in comparisons)),
        (*notes, *remarks_on(metric, *systems)),
        multiplicity=families[0],
    )


def _signature(
    metric: str,
    comparisons: Sequence[UnpairedComparison],
    sizes: Sequence[int],
    alternative: Alternative,
    resampling: Resampling,
) -> str:
    first = comparisons[0].tests[0]
    return joined(
        test=first.name,
        alternative=alternative.value,
        r=resampling.n_resamples if first.computation.endswith("permutations") else first.computation,
        n=",".join(map(str, sizes)),
        unit="item",
        seed=resampling.seed,
        metric=encoded(metric),
        version=__version__,
    )


def _sample(metric: AnyMetric, rows: Rows) -> FloatArray:
    scores = item_scores_of(metric, rows) if isinstance(metric, Metric) else None
    if scores is None:
        what = f"needs a metric that is a mean of item scores, got {metric.name}"
        advice = "Pair the systems, or use a metric such as mean or accuracy."
        raise NotApplicableError(Problem(opt("unpaired"), what, advice, "not-applicable"))
    if len(scores) < 2:
        raise DataError(Problem(rows.where, f"expected at least 2 items, got {len(scores)}", "", "one-item"))
    return scores


def _tolerance(a: FloatArray, b: FloatArray) -> float:
    return _ROUNDING * max(float(np.abs(a).max()), float(np.abs(b).max()))


def _interval(a: FloatArray, b: FloatArray, gain: float, alternative: Alternative, alpha: float) -> Interval:
    error, degrees = _welch_error(a, b)
    tail = alpha / 2 if alternative is Alternative.TWO_SIDED else alpha
    reach = student_quantile(tail, degrees) * error
    return one_sided(Interval(gain - reach, gain + reach, 1 - alpha, "welch", exact=False), alternative)


def _correlation(metric: AnyMetric, baseline: Rows, candidate: Rows) -> float | None:
    """Return the correlation of the scores of items with the same id; None without ids or for constant scores."""
    if baseline.item_ids is None or candidate.item_ids is None:
        return None  # two lists of counts are often sorted: their order shows nothing
    try:
        paired = align([baseline, candidate])
    except DataError:
        return None
    one, other = (_sample(metric, rows) for rows in paired)
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _on_pairing(one: UnpairedComparison) -> str:
    """Return the benefit of pairing."""
    r12 = one.correlation
    if r12 is None:
        return COULD_BE_PAIRED
    return would_pair(one.candidate, one.baseline, r12, math.sqrt(max(1 - r12, 0.0)))
