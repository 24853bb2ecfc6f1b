"""Populations of test sets whose true gain is known: what the calibration suite and its page draw from.

Every population draws whole data sets at once. Scores of the two systems are paired; where nothing else is said
the systems are exchangeable, item by item, so that the null hypothesis of randomization holds as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from outscore import F1, Mean, Precision, Ratio
from outscore.metrics import Metric

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Systems = tuple[FloatArray, FloatArray]
Draw = Callable[[np.random.Generator, int, int], Systems]


@dataclass(frozen=True)
class Population:
    """Where data sets come from.

    Attributes
    ----------
    name : str
    metric : Metric
    draw : callable
        (rng, count, n) to the rows of the baseline and of the candidate, shape (count, n units, k).
    gain : float
        The true gain: the score of the expected rows of the candidate less that of the baseline.
    symmetric : bool
        Whether d − δ is symmetric about 0, so that tests by signs and swaps hold their level.
    continuous : bool
        Whether differences have no ties and no zeros.
    exact : bool
        Whether scores are discrete enough for exact laws that cost next to nothing; the others are sampled.
    sizes : tuple of int
        Of the strata, in whose order units are drawn; empty where there are none.
    """

    name: str
    metric: Metric
    draw: Draw
    gain: float = 0.0
    symmetric: bool = True
    continuous: bool = False
    exact: bool = False
    sizes: tuple[int, ...] = ()

    @property
    def strata(self) -> IntArray | None:
        """Codes of the strata, shape (n,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes) if self.sizes else None

    def __str__(self) -> str:
        return f"{self.name}, gain {self.gain:g}" if self.gain else self.name


def _with_ones(scores: FloatArray) -> FloatArray:
    return np.stack([scores, np.ones_like(scores)], axis=-1)


def _differing_by(differences: FloatArray, rng: np.random.Generator) -> Systems:
    """Return a baseline of normal scores and a candidate that differs by so much: paired tests see no more."""
    baseline = rng.normal(size=differences.shape)
    return _with_ones(baseline), _with_ones(baseline + differences)


def normal(r12: float = 0.5, gain: float = 0.0) -> Population:
    """Normal scores of unit variance with correlation r12."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        shared, one, other = rng.normal(size=(3, count, n))
        common, own = np.sqrt(r12), np.sqrt(1 - r12)
        return _with_ones(common * shared + own * one), _with_ones(common * shared + own * other + gain)

    return Population(f"normal, r12 = {r12:g}", Mean(), draw, gain, continuous=True)


def student(gain: float = 0.0) -> Population:
    """Differences with Student's t law of 3 degrees of freedom: the variance is finite, the kurtosis is not."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        return _differing_by(rng.standard_t(3, size=(count, n)) + gain, rng)

    return Population("heavy tails: t(3)", Mean(), draw, gain, continuous=True)


def symmetric_lognormal(gain: float = 0.0) -> Population:
    """Differences of lognormal size (σ = 1.5) and random sign."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        sizes = rng.lognormal(0.0, 1.5, size=(count, n))
        return _differing_by(np.where(rng.random((count, n)) < 0.5, sizes, -sizes) + gain, rng)

    return Population("heavy tails: ± lognormal", Mean(), draw, gain, continuous=True)


def exponential(gain: float = 0.0) -> Population:
    """Differences that are exponential less their mean: skewness 2, mostly small losses, a few large wins."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        return _differing_by(rng.exponential(size=(count, n)) - 1 + gain, rng)

    return Population("skewed: exponential", Mean(), draw, gain, symmetric=False, continuous=True)


def lognormal(gain: float = 0.0) -> Population:
    """Differences that are lognormal (σ = 1) less their mean: skewness 6.2."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        return _differing_by(rng.lognormal(size=(count, n)) - np.exp(0.5) + gain, rng)

    return Population("skewed: lognormal", Mean(), draw, gain, symmetric=False, continuous=True)


def graded(gain: float = 0.0) -> Population:
    """Grades from 1 to 5 around a quality that both systems share; most differences are 0 or ±1.

    A gain turns a share of the better system's grades of 1 to 4 into one grade more.
    """
    raised = abs(gain) / (1 - _share_of_fives())

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        quality = rng.normal(size=(count, n))
        baseline, candidate = _grades(quality, rng), _grades(quality, rng)
        better = candidate if gain > 0 else baseline
        better += (better < 5) & (rng.random((count, n)) < raised)
        return _with_ones(baseline), _with_ones(candidate)

    return Population("grades 1 to 5", Mean(), draw, gain, symmetric=gain == 0, exact=True)


def _grades(quality: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.clip(np.rint(3 + quality + 0.8 * rng.normal(size=quality.shape)), 1, 5)


def _share_of_fives() -> float:
    from scipy.stats import norm

    return float(norm.sf(1.5 / np.hypot(1, 0.8)))


def binary(name: str, right: float, differing: float, gain: float = 0.0) -> Population:
    """Right and wrong answers: the share that both get right, and the share on which the systems differ.

    With accuracies p, r12 = 1 − differing / 2p(1 − p).
    """

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        kind = rng.random((count, n))
        helped, hurt = (differing + gain) / 2, (differing - gain) / 2
        both = (kind >= differing) & (kind < differing + right)
        baseline = both | ((kind >= helped) & (kind < helped + hurt))
        return _with_ones(baseline.astype(np.float64)), _with_ones((both | (kind < helped)).astype(np.float64))

    return Population(name, Mean(), draw, gain, symmetric=gain == 0, exact=True)


def binary_independent(gain: float = 0.0) -> Population:
    """Both systems are right on 70%, independently: r12 = 0."""
    return binary("binary, r12 = 0", 0.49, 0.42, gain)


def binary_correlated(gain: float = 0.0) -> Population:
    """Both systems are right on 70% and differ on 21% of the items: r12 = 0.5."""
    return binary("binary, r12 = 0.5", 0.595, 0.21, gain)


def binary_alike(gain: float = 0.0) -> Population:
    """Both systems are right on 70% and differ on 4.2% of the items: r12 = 0.9."""
    return binary("binary, r12 = 0.9", 0.679, 0.042, gain)


def binary_rare(gain: float = 0.0) -> Population:
    """Both systems are right on 95% and differ on 1% of the items."""
    return binary("binary, 1% differ", 0.945, 0.01, gain)


def error_rate(gain: float = 0.0) -> Population:
    """Errors per word, lower is better: lengths from 1 to over 100, sentences of varying difficulty."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        words = 1.0 + rng.negative_binomial(2, 2 / 21, size=(count, n))
        expected = words * rng.gamma(2, 1 / 2, size=(count, n))
        errors = [rng.poisson(rate * expected).astype(np.float64) for rate in (0.1, 0.1 - gain)]
        baseline, candidate = (np.stack([part, words], axis=-1) for part in errors)
        return baseline, candidate

    return Population("error rate, varying lengths", Ratio(higher_is_better=False), draw, gain, symmetric=gain == 0)


def _retrieved(rng: np.random.Generator, count: int, n: int, found: float, spurious: float) -> Systems:
    """Draw (tp, predicted, gold): the candidate finds a share `found` of what the baseline's law finds.

    Gold: Poisson(2). Found: 70% on average, more in easy sentences than in hard ones. Spurious: Poisson(0.6),
    the candidate's Poisson(`spurious`), fewer in easy sentences.
    """
    gold = rng.poisson(2.0, size=(count, n))
    ease = rng.beta(3.5, 1.5, size=(count, n))
    systems = []
    for share, extra in ((1.0, 0.6), (found, spurious)):
        tp = rng.binomial(gold, share * ease)
        predicted = tp + rng.poisson(extra * (1 - ease) / 0.3)
        systems.append(np.stack([tp, predicted, gold], axis=-1).astype(np.float64))
    return systems[0], systems[1]


def _f1(found: float, spurious: float) -> float:
    return 2 * 1.4 * found / (1.4 * found + spurious + 2)


def f1(gain: float = 0.0) -> Population:
    """F1 over sentences; a gain comes from fewer spurious responses."""
    spurious = 2.8 / (_f1(1.0, 0.6) + gain) - 3.4
    return Population("F1", F1(), partial(_retrieved, found=1.0, spurious=spurious), gain, symmetric=gain == 0)


def precision() -> Population:
    """Precision of the same responses."""
    return Population("precision", Precision(), partial(_retrieved, found=1.0, spurious=0.6))


def f1_unlike() -> Population:
    """Equal F1 by other means: recall 0.7 and precision 0.7 against recall 0.56 and precision 0.93.

    The gain is 0, but the systems are not exchangeable.
    """
    found = 0.8
    spurious = 2.8 * found / 0.7 - 1.4 * found - 2
    draw = partial(_retrieved, found=found, spurious=spurious)
    return Population("F1, unlike systems", F1(), draw, symmetric=False)


_SIZES = np.array([4, 8, 12, 16])


def _clustered(rng: np.random.Generator, count: int, n: int, gain: float) -> tuple[FloatArray, FloatArray, IntArray]:
    """Draw items of n clusters with 10 items each on average: scores of both systems, and the first items.

    A fifth of the variance of the differences is their cluster's.
    """
    sizes = np.resize(_SIZES, n)
    code = np.repeat(np.arange(n), sizes)
    shape = (count, len(code))
    of_cluster = rng.normal(scale=np.sqrt(0.2), size=(count, n))[:, code]
    baseline = rng.normal(size=shape)
    candidate = baseline + of_cluster + rng.normal(scale=np.sqrt(0.8), size=shape) + gain
    return baseline, candidate, np.cumsum(sizes) - sizes


def clustered(gain: float = 0.0) -> Population:
    """Clusters of 4 to 16 items, resampled and swapped whole; n counts clusters."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        baseline, candidate, starts = _clustered(rng, count, n, gain)
        one, other = (np.add.reduceat(_with_ones(part), starts, axis=1) for part in (baseline, candidate))
        return one, other

    return Population("clusters", Mean(), draw, gain, continuous=True)


def clusters_ignored(gain: float = 0.0) -> Population:
    """The same items taken for independent; n still counts clusters, so that there are 10n items."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        baseline, candidate, _ = _clustered(rng, count, n, gain)
        return _with_ones(baseline), _with_ones(candidate)

    return Population("clusters ignored", Mean(), draw, gain, symmetric=False, continuous=True)


def cluster_codes(n: int) -> IntArray:
    """Return the cluster of every item of `clusters_ignored`."""
    return np.repeat(np.arange(n), np.resize(_SIZES, n))


def _named(sizes: Sequence[int]) -> str:
    alike = len(set(sizes)) == 1
    return f"{len(sizes)} strata of {sizes[0]}" if alike else f"strata of {', '.join(map(str, sizes))}"


def _strata_gains(rng: np.random.Generator, count: int, sizes: Sequence[int]) -> FloatArray:
    """Draw true gains of strata that add up to 0, unit by unit, shape (count, n); standard deviation 0.3."""
    of_strata = rng.normal(scale=0.3, size=(count, len(sizes)))
    of_strata -= (of_strata @ np.array(sizes) / sum(sizes))[:, None]
    return np.repeat(of_strata, sizes, axis=1)


def normal_strata(*sizes: int) -> Population:
    """Normal differences in strata that gain and lose, and nothing on the whole: by swaps only nearly exchangeable."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        assert n == sum(sizes)
        return _differing_by(_strata_gains(rng, count, sizes) + rng.normal(size=(count, n)), rng)

    return Population(f"{_named(sizes)}, normal", Mean(), draw, symmetric=False, continuous=True, sizes=sizes)


def binary_strata(*sizes: int) -> Population:
    """Right and wrong answers in such strata: 40% of the items differ."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        gains = _strata_gains(rng, count, sizes) / 4
        kind = rng.random((count, n))
        helped, hurt = kind < 0.2 + gains / 2, kind > 0.8 + gains / 2
        return _with_ones(hurt.astype(np.float64)), _with_ones(helped.astype(np.float64))

    return Population(f"{_named(sizes)}, right or wrong", Mean(), draw, symmetric=False, exact=True, sizes=sizes)


def f1_strata(*sizes: int) -> Population:
    """F1 over all units of strata, whose items have 1 to 3 gold responses on average."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        gold = rng.poisson(np.repeat(np.linspace(1, 3, len(sizes)), sizes), size=(count, n))
        ease = rng.beta(3.5, 1.5, size=(count, n))
        systems = []
        for _ in range(2):
            tp = rng.binomial(gold, ease)
            systems.append(np.stack([tp, tp + rng.poisson(2 * (1 - ease)), gold], axis=-1).astype(np.float64))
        return systems[0], systems[1]

    return Population(f"{_named(sizes)}, F1", F1(), draw, sizes=sizes)


# The systems are equally good, and swapping them unit by unit changes nothing.
EXCHANGEABLE = (
    normal(),
    student(),
    symmetric_lognormal(),
    graded(),
    binary_independent(),
    binary_correlated(),
    binary_alike(),
    binary_rare(),
    error_rate(),
    f1(),
    precision(),
    clustered(),
)
# The systems are equally good, but not alike.
ONLY_EQUAL = (exponential(), lognormal(), f1_unlike())
# The systems are equally good in all strata together, which have some 30 units to draw or more.
STRATIFIED = (
    normal_strata(*[2] * 100),
    normal_strata(*[3] * 40),
    normal_strata(*[4] * 25),
    normal_strata(*[5] * 20),
    binary_strata(*[5] * 20),
    normal_strata(10, 20, 40, 80, 350),
    f1_strata(*[2] * 40),
    f1_strata(*[5] * 20),
)
# So few that resampling has too few points.
FEW_STRATA = (normal_strata(*[2] * 5), normal_strata(*[3] * 5), normal_strata(*[5] * 2), binary_strata(*[3] * 5))
# One is better.
GAINS = (
    normal(gain=0.3),
    graded(0.1),
    binary_correlated(0.05),
    binary_alike(0.02),
    error_rate(0.02),
    f1(0.03),
)
# The candidate is worse by a margin.
BEHIND = (
    normal(gain=-0.3),
    student(-0.5),
    binary_correlated(-0.1),
    error_rate(-0.03),
    f1(-0.05),
    clustered(-0.2),
)


@dataclass(frozen=True)
class Losses:
    """Right-or-wrong items on which a candidate that is worse by a margin is right and wrong: all from one trinomial.

    Attributes
    ----------
    n : int
    margin, helped : float
        The share of items on which the candidate alone is right; on `helped + margin` it alone is wrong.
    """

    n: int
    margin: float
    helped: float

    def probabilities(self, least: float = 1e-9) -> list[tuple[int, int, float]]:
        """Return how many items are helped and hurt, and how likely that is; what is less likely is left out."""
        from scipy.stats import multinomial

        hurt = self.helped + self.margin
        up, down = (part.ravel() for part in np.mgrid[: self.n + 1, : self.n + 1])
        up, down = up[up + down <= self.n], down[up + down <= self.n]
        law = multinomial(self.n, [self.helped, hurt, 1 - self.helped - hurt])
        found = law.pmf(np.column_stack([up, down, self.n - up - down]))
        kept = found > least
        return list(zip(up[kept].tolist(), down[kept].tolist(), found[kept].tolist(), strict=True))


def right_or_wrong(helped: int, hurt: int, n: int) -> Systems:
    """Return rows of a baseline and a candidate, one of which alone is right on so many items; shape (n, 2) each."""
    kinds = [helped, hurt, n - helped - hurt]
    return _with_ones(np.repeat([0.0, 1.0, 1.0], kinds)), _with_ones(np.repeat([1.0, 0.0, 1.0], kinds))


def graded_losses(hurt: float, helped: float, loss: float) -> Population:
    """Scores between 0 and 1: a share of items loses a whole point or `loss`, half of each, and a share wins 0.1."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        kind = rng.random((count, n))
        changes = np.select([kind < hurt / 2, kind < hurt, kind < hurt + helped], [-1.0, -loss, 0.1], 0.0)
        baseline = np.where(changes < 0, -changes, 0.5)
        return _with_ones(baseline), _with_ones(baseline + changes)

    gain = 0.1 * helped - hurt * (1 + loss) / 2
    name = f"graded, {hurt:.0%} hurt, {helped:.0%} helped"
    return Population(name, Mean(lowest=0, highest=1), draw, gain, symmetric=False, exact=True)


def f1_losses(hurt: float, helped: float, *, easy: bool) -> Population:
    """F1 over sentences: the candidate finds nothing of some that the baseline may find, and all of some others."""
    a, b = (20.0, 1.0) if easy else (3.5, 1.5)
    share = a / (a + b)

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        gold = rng.poisson(2.0, size=(count, n))
        ease = rng.beta(a, b, size=(count, n))
        tp = rng.binomial(gold, ease)
        spurious = rng.poisson(2 * (1 - ease))
        kind = rng.random((count, n))
        found = np.select([kind < hurt, kind < hurt + helped], [0, gold], tp)
        systems = [np.stack([one, one + spurious, gold], axis=-1).astype(np.float64) for one in (tp, found)]
        return systems[0], systems[1]

    before = 2 * share
    after = before * (1 - hurt) + helped * (2 - before)
    scores = [2 * tp / (tp + 2 * (1 - share) + 2) for tp in (before, after)]
    name = f"F1 of {scores[0]:.2f}, {hurt:.0%} hurt, {helped:.0%} helped"
    return Population(name, F1(), draw, scores[1] - scores[0], symmetric=False)


def attachment_losses(hurt: float, helped: float) -> Population:
    """Shares of right words, sentences of 1 to over 100: some lose or win half of their words."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        words = 1 + rng.negative_binomial(2, 2 / 21, size=(count, n))
        right = rng.binomial(words, 0.5)
        kind = rng.random((count, n))
        other = np.select([kind < hurt, kind < hurt + helped], [0, words], right)
        systems = [np.stack([one, words], axis=-1).astype(np.float64) for one in (right, other)]
        return systems[0], systems[1]

    name = f"words in sentences, {hurt:.0%} hurt, {helped:.0%} helped"
    return Population(name, Ratio(lowest=0, highest=1), draw, (helped - hurt) / 2, symmetric=False)


def cluster_losses(hurt: float, helped: float) -> Population:
    """Clusters of 4 to 16 right-or-wrong items, some of which are lost or won as a whole."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        sizes = np.broadcast_to(np.resize(_SIZES, n).astype(np.float64), (count, n))
        kind = rng.random((count, n))
        changes = np.select([kind < hurt, kind < hurt + helped], [-1.0, 1.0], 0.0)
        baseline = np.where(changes > 0, 0.0, sizes)
        return np.stack([baseline, sizes], axis=-1), np.stack([baseline + changes * sizes, sizes], axis=-1)

    name = f"clusters, {hurt:.0%} lost, {helped:.0%} won"
    return Population(name, Mean(lowest=0, highest=1), draw, helped - hurt, symmetric=False)


# The candidate is worse by a margin, by few and large losses.
FEW_LOSSES = (
    graded_losses(0.02, 0.0, 0.5),
    graded_losses(0.02, 0.05, 0.2),
    graded_losses(0.1, 0.2, 0.2),
    f1_losses(0.02, 0.0, easy=True),
    f1_losses(0.05, 0.02, easy=True),
    f1_losses(0.1, 0.05, easy=True),
    f1_losses(0.1, 0.05, easy=False),
    attachment_losses(0.05, 0.0),
    attachment_losses(0.1, 0.05),
    cluster_losses(0.05, 0.0),
    cluster_losses(0.1, 0.05),
    cluster_losses(0.3, 0.2),
)
