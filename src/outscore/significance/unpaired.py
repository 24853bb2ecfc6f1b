"""Tests of two systems that were scored on different items, by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.gains.gain_laws import Hypothesis, Resampling
from outscore.gains.influence import satterthwaite
from outscore.gains.pair import Pair
from outscore.laws.student import student_p_value, student_quantile
from outscore.laws.tolerances import (
    COUNTS_BLOCK,
    EQUAL_STATISTICS,
    FEWEST_PERMUTATIONS,
    MOST_LABELLINGS,
    MOST_PERMUTATION_STEPS,
    MOST_RANK_SUM_STEPS,
    MOST_RATE_ITEMS,
    NO_VARIANCE,
    NOISE,
)
from outscore.results import Alternative, Interval
from outscore.results.comparisons import DISTRIBUTION, SHARE_OF_PAIRS
from outscore.significance.base import one_sided, tail_of
from outscore.significance.two_rates import (
    Right,
    corrected_score,
    rates_interval,
    rates_p_value,
    smallest_p,
)
from outscore.significance.two_samples import TwoSamples, sample_of
from outscore.text.numbers import format_count
from outscore.words import unpaired as words

_STEPS_OF_DRAW = 8  # a hypergeometric draw takes as long as 8 exchanges of items
_NEARLY = 1.001  # the exact test knows its largest probability to about a thousandth
_ASYMPTOTIC, _EXACT = "asymptotic", "exact"
_FEWEST = 10  # items of a sample: below this Brunner and Munzel's t distribution is not used
_FEWEST_EFFECTIVE = 5.0  # placements that carry their variance, below which it is not used either


@dataclass(frozen=True, eq=False)
class Samples:
    """Two systems on different items."""

    baseline: Pair  # a pair without a baseline: its gain is its score, turned so that higher is better
    candidate: Pair  # likewise
    score_range: tuple[float, float] | None  # the range of the scores of items, turned likewise, if it is known
    right: tuple[Right, Right] | None  # the items that score better, if all score 0 or 1 and are independent
    in_clusters: bool
    resampling: Resampling  # for permutations

    @cached_property
    def gain(self) -> float:
        """The candidate's score minus the baseline's, turned so that positive is better."""
        return self.candidate.gain - self.baseline.gain

    @cached_property
    def scores(self) -> tuple[FloatArray, FloatArray] | None:
        """The scores of the items, sorted and turned so that higher is better, if they are independent."""
        if self.in_clusters:
            return None
        both = [pair.scores and np.sort(pair.sign * pair.scores[1]) for pair in (self.baseline, self.candidate)]
        return None if both[0] is None or both[1] is None else (both[0], both[1])

    @cached_property
    def two_samples(self) -> TwoSamples:
        """The two samples of the default test of scores that are not binary."""
        return TwoSamples((sample_of(self.baseline, self.score_range), sample_of(self.candidate, self.score_range)))


@dataclass(frozen=True)
class UnpairedOutcome:
    """The outcome of a test of two samples."""

    p_value: float  # NaN if there is none, because all scores of each system are equal
    statistic: float
    computation: str
    direction: int  # sign of the test's own statistic: 1 if it is in favour of the candidate, −1 if against it, or 0
    estimate: float | None = None  # of the quantity that is tested, if it is not the gain
    is_bound: bool = False  # whether the p-value is only an upper bound


def _outcome(p: float, statistic: float, computation: str) -> UnpairedOutcome:
    """Return the outcome of a test whose statistic is positive in favour of the candidate."""
    return UnpairedOutcome(p, statistic, computation, int(np.sign(statistic)))


class UnpairedMethod(ABC):
    """A test of two systems on different items."""

    name: ClassVar[str]
    title: ClassVar[str]  # name in sentences
    null: ClassVar[str | None] = None  # the sentence on its null hypothesis, if that is not the default test's
    caveat: ClassVar[str | None] = None  # what to write beside its p-value
    is_of_means: ClassVar[bool] = True  # whether the interval of the gain belongs beside its p-value
    quantity: ClassVar[str | None] = None  # what the test is about: None for the gain, `DISTRIBUTION` for no quantity
    cites: ClassVar[tuple[str, ...]]  # keys of the works that a methods paragraph cites
    has_margin: ClassVar[bool] = False  # whether it can test a difference other than 0
    needs_items: ClassVar[bool] = True  # whether it needs one score for each item, and independent items

    @classmethod
    def obstacle(cls, samples: Samples, hypothesis: Hypothesis) -> str | None:
        """Return why the test cannot be applied, worded to follow "it"; None if it can."""
        if hypothesis.null_gain != 0 and not cls.has_margin:
            return "does not support a margin"
        if cls.needs_items and samples.scores is None:
            return f"needs {'independent items' if samples.in_clusters else 'a metric that is a mean of item scores'}"
        return None

    @classmethod
    @abstractmethod
    def outcome(cls, samples: Samples, hypothesis: Hypothesis) -> UnpairedOutcome:
        """Return the outcome; the caller has checked `obstacle`."""

    @classmethod
    def interval(cls, samples: Samples, alpha: float, alternative: Alternative) -> Interval | None:
        """Return the values of the tested quantity that the test does not reject; None if it cannot be inverted."""
        del samples, alpha, alternative
        return None


class Unconditional(UnpairedMethod):
    """The default for items that score 0 or 1: exact at every size and for every rate (`two_rates`)."""

    name = "unconditional"
    title = "exact unconditional test"
    cites = ("gart1990", "berger1994")
    has_margin = True

    @classmethod
    def obstacle(cls, samples: Samples, hypothesis: Hypothesis) -> str | None:
        if samples.right is None:
            return "needs independent items that score 0 or 1"
        if max(right.of for right in samples.right) > MOST_RATE_ITEMS:
            return f"is used for up to {format_count(MOST_RATE_ITEMS)} items per system"
        return super().obstacle(samples, hypothesis)

    @classmethod
    def outcome(cls, samples: Samples, hypothesis: Hypothesis) -> UnpairedOutcome:
        assert samples.right is not None
        p = rates_p_value(*samples.right, hypothesis.null_gain, hypothesis.alternative)
        score = corrected_score(*samples.right, hypothesis.null_gain)
        least = smallest_p(hypothesis.alternative)
        is_bound = p <= least * _NEARLY
        return UnpairedOutcome(least if is_bound else p, score, _EXACT, int(np.sign(samples.gain)), is_bound=is_bound)

    @classmethod
    def interval(cls, samples: Samples, alpha: float, alternative: Alternative) -> Interval | None:
        assert samples.right is not None
        ends = rates_interval(*samples.right, alpha, alternative)
        return Interval(*ends, 1 - alpha, cls.name, exact=True, title="exact unconditional")


class TwoSampleSkewT(UnpairedMethod):
    """The default for all other scores: a t-test with the skewness of each sample (`two_samples`)."""

    name = "skew-t"
    title = "skewness-corrected two-sample t-test"
    cites = ("bell2002", "hall1992")
    has_margin = True
    needs_items = False

    @classmethod
    def outcome(cls, samples: Samples, hypothesis: Hypothesis) -> UnpairedOutcome:
        two = samples.two_samples
        if two.variance == 0:
            return UnpairedOutcome(math.nan, math.nan, _ASYMPTOTIC, 0)
        p = two.p_value(hypothesis.null_gain, hypothesis.alternative)
        t = two.statistic(hypothesis.null_gain)
        return UnpairedOutcome(p, t, _ASYMPTOTIC, int(np.sign(two.gain)))

    @classmethod
    def interval(cls, samples: Samples, alpha: float, alternative: Alternative) -> Interval | None:
        if samples.two_samples.variance == 0:
            return None
        low, high = samples.score_range or (-math.inf, math.inf)
        least, most = samples.two_samples.interval(alpha, alternative, high - low)
        # Units at the ends of a known range move the centre, which at α = 20% can leave out the gain itself.
        least, most = min(least, samples.gain), max(most, samples.gain)
        return Interval(least, most, 1 - alpha, cls.name, exact=False, title="skewness-corrected t")


class Welch(UnpairedMethod):
    """Welch's (1947) t-test, for replication: it assumes normal scores, of unequal variance."""

    name = "welch"
    title = "Welch's t-test"
    null = words.EQUAL_MEANS
    cites = ("welch1947",)
    has_margin = True

    @classmethod
    def outcome(cls, samples: Samples, hypothesis: Hypothesis) -> UnpairedOutcome:
        (a, b), gain = _scores(samples), samples.gain - hypothesis.null_gain
        error, degrees = _welch_error(a, b)
        # Equal scores may differ in their last bits, whose t would be huge and mean nothing.
        if error <= _tolerance(a, b):
            return UnpairedOutcome(math.nan, math.nan, _ASYMPTOTIC, 0)
        t = gain / error
        p = student_p_value(t, degrees, hypothesis.alternative)
        return UnpairedOutcome(p, t, _ASYMPTOTIC, int(np.sign(samples.gain)))

    @classmethod
    def interval(cls, samples: Samples, alpha: float, alternative: Alternative) -> Interval | None:
        error, degrees = _welch_error(*_scores(samples))
        if error <= _tolerance(*_scores(samples)):
            return None
        reach = student_quantile(tail_of(alpha, alternative), degrees) * error
        ends = samples.gain - reach, samples.gain + reach
        return one_sided(Interval(*ends, 1 - alpha, cls.name, exact=False, title="Welch"), alternative)


class Fisher(UnpairedMethod):
    """Fisher's exact test, for replication: conditional on the number of all items that score 1."""

    name = "fisher"
    title = "Fisher's exact test"
    null = words.EQUAL_RATES
    cites = ("fisher1935",)

    @classmethod
    def obstacle(cls, samples: Samples, hypothesis: Hypothesis) -> str | None:
        if samples.right is None:
            return "needs independent items that score 0 or 1"
        return super().obstacle(samples, hypothesis)

    @classmethod
    def outcome(cls, samples: Samples, hypothesis: Hypothesis) -> UnpairedOutcome:
        from scipy.stats import fisher_exact

        assert samples.right is not None
        # The candidate first, so that odds above 1 and the alternative "greater" are in its favour.
        table = np.array([[right.count, right.of - right.count] for right in reversed(samples.right)])
        odds, p = fisher_exact(table, alternative=hypothesis.alternative.value)
        return UnpairedOutcome(float(p), float(odds), _EXACT, int(np.sign(samples.gain)))


class Permutation(UnpairedMethod):
    """Welch's t under random assignments of items to systems (Janssen 1997).

    Notes
    -----
    Cost: see `_relabellings`.
    """

    name = "permutation"
    title = "studentized permutation test"
    null = words.DISTRIBUTIONS_DIFFER
    caveat = words.FOR_DISTRIBUTIONS
    cites = ("janssen1997",)

    @classmethod
    def outcome(cls, samples: Samples, hypothesis: Hypothesis) -> UnpairedOutcome:
        # A difference of means would test whether the two distributions are equal. In standard errors it also keeps the
        # level for equal means in large samples, whatever the two variances are.
        values, times, _ = _tied(*_scores(samples))
        n_b, n = len(_scores(samples)[1]), int(times.sum())
        values = values - float(values @ times) / n
        # Scores are centred first: sums of squares about a mean near 0 cancel fewer digits.
        powers = np.column_stack([values, values * values])
        totals = times @ powers
        no_gain = n * NOISE * float(np.abs(values).max())

        def squares(sums: FloatArray, m: int) -> FloatArray:
            """Return the sums of squares of a sample about its mean, 0 if they are rounding error."""
            left = sums[:, 1] - sums[:, 0] ** 2 / m
            return np.where(left > NOISE * totals[1], left, 0.0)

        def statistics(of_b: FloatArray) -> FloatArray:
            sums = of_b @ powers
            parts = [(sums, n_b), (totals - sums, n - n_b)]
            errors = sum(squares(sums_of_sample, m) / (m * (m - 1)) for sums_of_sample, m in parts)
            gains = sums[:, 0] / n_b - (totals[0] - sums[:, 0]) / (n - n_b)
            return _studentized(gains, np.asarray(errors), 0.0, no_gain)

        return _outcome(*_permuted(samples, statistics, hypothesis.alternative, EQUAL_STATISTICS))


class LabelPermutation(UnpairedMethod):
    """The difference of means under random assignments of items to systems (Pitman 1937), for replication.

    Notes
    -----
    Cost: see `_relabellings`.
    """

    name = "label-permutation"
    title = "permutation of labels"
    null = words.NO_VERDICT_ON_MEANS
    caveat = words.FOR_DISTRIBUTIONS
    quantity = DISTRIBUTION
    cites = ("pitman1937",)

    @classmethod
    def outcome(cls, samples: Samples, hypothesis: Hypothesis) -> UnpairedOutcome:
        a, b = _scores(samples)
        values, times, _ = _tied(a, b)
        values = values - float(values @ times) / (len(a) + len(b))
        total = float(values @ times)

        def statistics(of_b: FloatArray) -> FloatArray:
            sums = of_b @ values
            return np.asarray(sums / len(b) - (total - sums) / len(a))

        p, _, computation = _permuted(samples, statistics, hypothesis.alternative, _tolerance(a, b), doubled=False)
        return _outcome(p, samples.gain, computation)


class BrunnerMunzel(UnpairedMethod):
    """Brunner and Munzel's (2000) test of P(B > A) + P(B = A)/2 = 1/2.

    With few items, or where ties leave few placements with a variance, its t distribution does not hold. The p-value is
    then that of a permutation test of the same statistic (Neubert & Brunner 2007), and there is no interval.
    """

    name = "brunner-munzel"
    title = "Brunner-Munzel test"
    is_of_means = False
    quantity = SHARE_OF_PAIRS
    cites = ("brunner2000", "neubert2007")

    @classmethod
    def outcome(cls, samples: Samples, hypothesis: Hypothesis) -> UnpairedOutcome:
        _, times, _ = _tied(*_scores(samples))

        def statistics(of_b: FloatArray) -> FloatArray:
            share, variances, _ = _placements(times - of_b, of_b)
            return _studentized(share - 0.5, variances[0] + variances[1], NO_VARIANCE, 0.0)

        share, variance, degrees = cls._spread(samples)
        if degrees is None:
            p, t, computation = _permuted(samples, statistics, hypothesis.alternative, EQUAL_STATISTICS)
        else:
            t, computation = (share - 0.5) / math.sqrt(variance), _ASYMPTOTIC
            p = student_p_value(t, degrees, hypothesis.alternative)
        return UnpairedOutcome(p, t, computation, int(np.sign(share - 0.5)), share)

    @classmethod
    def interval(cls, samples: Samples, alpha: float, alternative: Alternative) -> Interval | None:
        share, variance, degrees = cls._spread(samples)
        if degrees is None:
            return None
        reach = student_quantile(tail_of(alpha, alternative), degrees) * math.sqrt(variance)
        ends = max(share - reach, 0.0), min(share + reach, 1.0)
        return one_sided(Interval(*ends, 1 - alpha, cls.name, exact=False, title="Brunner-Munzel"), alternative)

    @staticmethod
    def _spread(samples: Samples) -> tuple[float, float, float | None]:
        """Return the share, its variance, and Satterthwaite's degrees of freedom if t distributions hold."""
        a, b = _scores(samples)
        _, times, of_b = _tied(a, b)
        share, variances, effective = _placements((times - of_b)[None], of_b[None])
        parts = [(float(variance[0]), len(x) - 1) for variance, x in zip(variances, (a, b), strict=True)]
        is_small = min(len(a), len(b)) < _FEWEST or min(float(m[0]) for m in effective) < _FEWEST_EFFECTIVE
        degrees = None if is_small else float(satterthwaite(parts, added=math.fsum))
        return float(share[0]), math.fsum(part for part, _ in parts), degrees


class RankSum(UnpairedMethod):
    """Wilcoxon's rank-sum test (Mann & Whitney 1947): exact for small samples, also with ties, else asymptotic.

    The exact distribution is over all ways to give len(b) of the midranks to the candidate. Two-sided p-values count
    the rank sums that are at least as far from their mean as the observed one, as in R's package coin.
    """

    name = "rank-sum"
    title = "rank-sum test"
    null = words.NO_VERDICT_ON_RANKS
    is_of_means = False
    quantity = DISTRIBUTION
    cites = ("mann1947",)

    @classmethod
    def outcome(cls, samples: Samples, hypothesis: Hypothesis) -> UnpairedOutcome:
        a, b = _scores(samples)
        p, statistic, computation = rank_sum(a, b, hypothesis.alternative)
        return UnpairedOutcome(p, statistic, computation, int(np.sign(statistic - len(a) * len(b) / 2)))


# Of gains without an interval, because all scores of each system are equal.
NO_INTERVAL = Interval(-math.inf, math.inf, 0.95, "none", exact=False)

UNPAIRED_TESTS: Mapping[str, type[UnpairedMethod]] = MappingProxyType(
    {
        test.name: test
        for test in (
            *(Unconditional, TwoSampleSkewT, Permutation, BrunnerMunzel),
            *(Fisher, Welch, RankSum, LabelPermutation),
        )
    }
)


def default_test(samples: Samples, hypothesis: Hypothesis) -> type[UnpairedMethod]:
    """Return the exact test for independent items that score 0 or 1, else the t-test of two samples."""
    return Unconditional if Unconditional.obstacle(samples, hypothesis) is None else TwoSampleSkewT


def rank_sum(a: FloatArray, b: FloatArray, alternative: Alternative) -> tuple[float, float, str]:
    """Return p, the Mann-Whitney U of b and how p was computed (`RankSum`)."""
    from scipy.stats import mannwhitneyu, rankdata

    ranks = np.rint(2 * rankdata(np.concatenate([a, b]))).astype(np.int64)  # twice the midranks are whole numbers
    candidate_ranks = ranks[len(a) :]
    statistic = float(candidate_ranks.sum() / 2 - len(b) * (len(b) + 1) / 2)
    if np.ptp(ranks) == 0:
        return 1.0, statistic, _EXACT
    if _rank_sum_steps(ranks, len(b)) > MOST_RANK_SUM_STEPS:
        test = mannwhitneyu(b, a, alternative=alternative.value, method="asymptotic")
        return float(test.pvalue), statistic, _ASYMPTOTIC
    least, step, probabilities = _rank_sums(ranks, len(b))
    mean = len(b) * (len(ranks) + 1)  # like all of these a whole number, so that ties are exact
    off, observed = least + step * np.arange(len(probabilities)) - mean, candidate_ranks.sum() - mean
    match alternative:
        case Alternative.TWO_SIDED:
            extreme = np.abs(off) >= abs(observed)
        case Alternative.GREATER:
            extreme = off >= observed
        case Alternative.LESS:
            extreme = off <= observed
    return min(float(probabilities[extreme].sum()), 1.0), statistic, _EXACT


def _scores(samples: Samples) -> tuple[FloatArray, FloatArray]:
    assert samples.scores is not None
    return samples.scores


def _welch_error(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """Return the standard error of the difference of two means, and Welch and Satterthwaite's degrees of freedom."""
    parts = [(float(np.var(scores, ddof=1)) / len(scores), len(scores) - 1) for scores in (a, b)]
    return math.sqrt(sum(part for part, _ in parts)), float(satterthwaite(parts, added=math.fsum))


def _tolerance(a: FloatArray, b: FloatArray) -> float:
    return NOISE * max(float(np.abs(a).max()), float(np.abs(b).max()))


def _tied(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the distinct scores in increasing order, and how many items of both and of b (sorted) have each."""
    values, times = np.unique(np.concatenate([a, b]), return_counts=True)
    of_b = np.diff(np.searchsorted(b, np.append(values, np.inf)))
    return values, times.astype(np.float64), of_b.astype(np.float64)


def _studentized(gains: FloatArray, variances: FloatArray, nothing: float, no_gain: float) -> FloatArray:
    """Return gains in standard errors: infinite without a variance, and 0 without a gain."""
    some = variances > nothing
    certain = np.where(np.abs(gains) > no_gain, np.copysign(np.inf, gains), 0.0)
    return np.where(some, gains / np.sqrt(np.where(some, variances, 1.0)), certain)


def _relabellings(samples: Samples) -> tuple[bool, Iterator[FloatArray]]:
    """Return assignments of the items to the systems, and before them whether these are all or a random sample.

    An assignment is how many items of the candidate have each distinct score; they come in blocks, shape (r, k). As
    the scores are in order, random assignments do not depend on the order of the items. Those of exchanged samples are
    the same: the items of the smaller sample are drawn, or of equal sizes of the one with the larger mean.

    Notes
    -----
    Cost: of n items with k distinct scores, a random assignment takes about 8k steps, or n/2 + 2k if that is less. With
    2e8 steps at most, 100,000 permutations are possible for 800 items, or for more with 250 distinct scores. 10,000
    items with distinct scores have 8,000. That takes 2 to 5 seconds, and 10 for Brunner and Munzel's test. At least
    2,000 are drawn, which takes half a minute for 400,000 distinct scores.
    """
    _, times, _ = _tied(*_scores(samples))
    n_a, n_b = map(len, _scores(samples))
    k = min(n_a, n_b)
    is_exact = math.comb(n_a + n_b, k) <= MOST_LABELLINGS
    counts = times.astype(np.int64)
    subsets = _every_subset(counts, k) if is_exact else _random_subsets(counts, k, samples.resampling)
    of_candidate = n_b < n_a or (n_b == n_a and samples.gain >= 0)
    return is_exact, (block.astype(np.float64) if of_candidate else times - block for block in subsets)


def _every_subset(times: IntArray, k: int) -> Iterator[IntArray]:
    """Yield all subsets of k items, in blocks, as counts of each distinct score."""
    subsets = combinations(np.repeat(np.arange(len(times)), times).tolist(), k)
    while block := list(islice(subsets, max(1, COUNTS_BLOCK // len(times)))):
        cells = np.array(block) + len(times) * np.arange(len(block))[:, None]
        yield np.bincount(cells.ravel(), minlength=len(block) * len(times)).reshape(len(block), -1)


def _random_subsets(times: IntArray, k: int, resampling: Resampling) -> Iterator[IntArray]:
    """Yield random subsets of k items, in blocks, as counts of each distinct score."""
    drawing, exchanging = _STEPS_OF_DRAW * len(times), k + 2 * len(times)
    r = min(resampling.n_resamples, max(MOST_PERMUTATION_STEPS // min(drawing, exchanging), FEWEST_PERMUTATIONS))
    block = max(1, COUNTS_BLOCK // len(times))
    # Both methods draw from the same distribution. Which one is faster depends on the number of distinct scores.
    stream = np.random.Generator(np.random.Philox(resampling.seed))
    for start in range(0, r, block):
        size = min(block, r - start)
        if drawing < exchanging:
            yield stream.multivariate_hypergeometric(times, k, size=size, method="marginals")
        else:
            yield stream.multivariate_hypergeometric(times, k, size=size, method="count")
        if resampling.progress is not None:
            resampling.progress(min(start + block, r), r)


def _permuted(
    samples: Samples,
    statistics: Callable[[FloatArray], FloatArray],
    alternative: Alternative,
    least: float,
    *,
    doubled: bool = True,
) -> tuple[float, float, str]:
    """Return p, the observed statistic and how p was computed.

    Statistics that differ by at most `least` are equal. A two-sided p is twice the smaller one-sided one if it is
    `doubled`, else it counts the statistics that are as far from 0.
    """
    observed = float(statistics(_tied(*_scores(samples))[2][None])[0])
    slack = max(EQUAL_STATISTICS * abs(observed), least) if math.isfinite(observed) else 0.0
    reached, n_drawn = np.zeros(3, dtype=np.int64), 0
    is_exact, blocks = _relabellings(samples)
    for of_candidate in blocks:
        values = statistics(of_candidate)
        n_drawn += len(values)
        extreme = values >= observed - slack, values <= observed + slack, np.abs(values) >= abs(observed) - slack
        reached += [int(np.count_nonzero(events)) for events in extreme]
    # The observed assignment is among all, and is added to sampled ones: (c + 1)/(r + 1).
    more = 0 if is_exact else 1
    greater, less, farther = ((reached + more) / (n_drawn + more)).tolist()
    match alternative:
        case Alternative.GREATER:
            p = greater
        case Alternative.LESS:
            p = less
        case Alternative.TWO_SIDED:
            # Samples of unequal sizes have skewed statistics: counted by distance, one tail would get all of the level.
            p = min(2 * min(greater, less), 1.0) if doubled else farther
    return p, observed, _EXACT if is_exact else f"{format_count(n_drawn)} permutations"


def _placements(
    of_a: FloatArray, of_b: FloatArray
) -> tuple[FloatArray, tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Return P(B > A) + P(B = A)/2, and for A and B the variance of its mean placement and its effective number.

    `of_a` and `of_b`, shape (r, k), are how many items of each sample have each of k scores, in increasing order.
    """
    below_a, below_b = (
        (np.cumsum(times, axis=1) - times / 2) / times.sum(axis=1, keepdims=True) for times in (of_a, of_b)
    )
    share = (of_b * below_a).sum(axis=1) / of_b.sum(axis=1)
    variances, effective = [], []
    for times, off in ((of_a, below_b - (1 - share)[:, None]), (of_b, below_a - share[:, None])):
        n, squares = times.sum(axis=1), off * off
        second, fourth = (times * squares).sum(axis=1), (times * squares * squares).sum(axis=1)
        variances.append(second / (n * (n - 1)))
        some = fourth > NO_VARIANCE**2
        effective.append(np.where(some, second**2 / np.where(some, fourth, 1.0), 0.0))
    return share, (variances[0], variances[1]), (effective[0], effective[1])


def _on_a_grid(ranks: IntArray) -> tuple[int, int, IntArray]:
    """Return the smallest rank, the step of all ranks, and how many steps each rank is above the smallest, sorted."""
    above = np.sort(ranks) - ranks.min()
    step = max(int(np.gcd.reduce(above)), 1)
    return int(ranks.min()), step, above // step


def _rank_sum_steps(ranks: IntArray, k: int) -> int:
    """Return about how many additions `_rank_sums` takes."""
    _, _, above = _on_a_grid(ranks)
    # As in `_rank_sums`, which counts the subsets of the smaller sample.
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
        # Only sums that are possible so far are touched.
        width = min(width + rank, probabilities.shape[1])
        part = probabilities[low : high + 1, :width]
        joins = ((k - np.arange(low, high + 1)) / (n - i))[:, None]
        moved = part[:, : width - rank] * joins
        part *= 1 - joins
        upper = min(high + 1, k)
        probabilities[low + 1 : upper + 1, rank:width] += moved[: upper - low]
    return k * smallest, step, probabilities[k]
