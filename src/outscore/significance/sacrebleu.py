"""The paired tests of sacreBLEU, for comparison only.

Formula, defaults and random numbers are those of sacreBLEU 2.6 (`sacrebleu/significance.py`). For sacreBLEU's own
metrics the p-values are those that it prints for the same seed. For other metrics only the formula is the same.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.errors import MissingDependencyError
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.tolerances import RANDOM_NUMBERS_BLOCK
from outscore.results import Alternative, Estimator, Ties
from outscore.significance.base import SignificanceTest
from outscore.significance.p_values import PValue
from outscore.words import warnings


def bootstrap_exceeding(gains: FloatArray, gain: float | FloatArray, tolerance: float | FloatArray = 0.0) -> AnyArray:
    """Count the bootstrap samples that exceed the gain by sacreBLEU's rule: |δ*| − mean |δ*| > |δ|, shape () or (m,).

    sacreBLEU takes absolute values before it centres. If |δ| is large, so is their mean, and only one of the two tails
    is counted. `gains` are δ*, not centred, shape (r,) or (r, m), and `tolerance` is the largest difference between
    equal gains caused by rounding.
    """
    sizes = np.abs(gains)
    return np.asarray((sizes - sizes.mean(axis=0) > np.abs(gain) + tolerance).sum(axis=0))


def randomization_exceeding(
    gains: FloatArray, gain: float | FloatArray, tolerance: float | FloatArray = 0.0
) -> AnyArray:
    """Count the permutations whose gain exceeds the observed one by sacreBLEU's rule: |δ'| > |δ|.

    Parameters and return value are those of `bootstrap_exceeding`.
    """
    return np.asarray((np.abs(gains) > np.abs(gain) + tolerance).sum(axis=0))


class _Emulation(SignificanceTest):
    """Base of both tests: two-sided, strict ties, (c + 1)/(r + 1), always sampled, no margin."""

    n_resamples: int
    what_differs: ClassVar[str]
    resamples = True
    emulates = "sacreBLEU"
    samples = frozenset({"item"})
    alternative = Alternative.TWO_SIDED
    ties = Ties.STRICT
    estimator = Estimator.ADD_ONE

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        del pair
        return "does not support a margin: sacreBLEU tests only for a difference" if hypothesis.null_gain != 0 else None

    def caveat_on(self, pair: Pair, seed: int) -> str:
        """Return why the p-value is not sound, and whether it is the one that sacreBLEU prints."""
        return warnings.emulated(self.name, self.what_differs, _why_not_its_own(pair, seed))

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del hypothesis
        seed = laws.resampling.seed
        if _why_not_its_own(pair, seed) is None:
            exceeding = self._exceeding_as_printed(pair, seed)
        else:
            exceeding = self._exceeding(pair, laws)
        return PValue.of_counts(int(exceeding), self.n_resamples)

    @abstractmethod
    def _exceeding_as_printed(self, pair: Pair, seed: int) -> AnyArray:
        """Return the count with sacreBLEU's random numbers and its own scores."""

    @abstractmethod
    def _exceeding(self, pair: Pair, laws: GainLaws) -> AnyArray:
        """Return the count with the samples of all other tests."""


def _why_not_its_own(pair: Pair, seed: int) -> str | None:
    """Return why sacreBLEU's printed p-value is not available, worded to follow "as"; None if it is."""
    from outscore.metrics.families.translation import TranslationMetric, sacrebleu_metrics

    metric = pair.metric
    if not isinstance(metric, TranslationMetric):
        return f"sacreBLEU has no {metric.name}"
    if seed == 0:
        return "sacreBLEU treats seed 0 as no seed and draws new samples every time"
    try:
        sacrebleu_metrics(metric.name)
    except MissingDependencyError:
        return "that takes sacreBLEU's own scores, and sacreBLEU is not installed"
    return None


def _own_scores(pair: Pair, totals: AnyArray) -> FloatArray:
    """Return sacreBLEU's scores of totals, shape (b, k) to (b,), with their dtype."""
    return np.array([pair.metric.own_score(total) for total in totals])  # type: ignore[attr-defined]


def _own_size(pair: Pair) -> float:
    """Return |δ| from sacreBLEU's own scores, summed as Python numbers in order."""
    scores = []
    for rows in pair.rows_as_given:
        # One after the other, as sacreBLEU adds them: NumPy's sum adds pairwise.
        totals = np.add.accumulate(rows, axis=0)[-1].tolist()
        scores.append(pair.metric.own_score([int(total) if total == int(total) else total for total in totals]))  # type: ignore[attr-defined]
    return float(abs(scores[0] - scores[1]))


def _parts(n_resamples: int, n: int) -> Iterator[int]:
    """Yield block sizes: 32 or more permutations, which use whole words of the generator, or bootstrap samples."""
    # A block of permutations that ends within a word of the generator would drop the rest of it, and all later numbers
    # would differ from sacreBLEU's.
    size = max(RANDOM_NUMBERS_BLOCK // max(n, 1) // 32, 1) * 32
    for start in range(0, n_resamples, size):
        yield min(size, n_resamples - start)


@dataclass(frozen=True)
class SacrebleuBootstrap(_Emulation):
    """The formula of sacreBLEU's `--paired-bs`, p = (#{|δ*| − mean |δ*| > |δ|} + 1) / (r + 1).

    Always two-sided, whatever the alternative. Because it centres after taking absolute values, it rejects 11.2% of
    true null hypotheses at a nominal 5% (docs/calibration.md), and gives 1/(r + 1) for two identical systems. Use
    `Bootstrap` instead.

    Parameters
    ----------
    n_resamples : int
        r; always sacreBLEU's default, independent of the other tests.
    """

    n_resamples: int = 1000

    what_differs = warnings.CENTRED_LATE
    name = "sacrebleu-bootstrap"
    cites = ("koehn2004", "post2018")
    centre = "mean-size"

    def _exceeding_as_printed(self, pair: Pair, seed: int) -> AnyArray:
        stream, gains = np.random.default_rng(seed), []
        # sacreBLEU sums statistics in single precision. Scores from exact sums differ in their last digits, and a
        # strict comparison then counts other samples.
        systems = [rows.astype(np.float32) for rows in pair.rows_as_given]
        for count in _parts(self.n_resamples, pair.n_units):
            samples = stream.choice(pair.n_units, size=(count, pair.n_units), replace=True)
            baseline, candidate = (
                _own_scores(pair, np.array([rows[sample].sum(0) for sample in samples])) for rows in systems
            )
            gains.append(candidate - baseline)
        return bootstrap_exceeding(np.concatenate(gains), _own_size(pair))

    def _exceeding(self, pair: Pair, laws: GainLaws) -> AnyArray:
        return bootstrap_exceeding(laws.gains(self.n_resamples, swapped=False), pair.gain, pair.tolerance)


@dataclass(frozen=True)
class SacrebleuRandomization(_Emulation):
    """The formula of sacreBLEU's `--paired-ar`, p = (#{|δ'| > |δ|} + 1) / (r + 1).

    Always two-sided, whatever the alternative. The comparison is strict: unlike `Randomization`, it does not count
    ties, so two identical systems get 1/(r + 1).

    Parameters
    ----------
    n_resamples : int
        r; always sacreBLEU's default, independent of the other tests.
    """

    n_resamples: int = 10_000

    what_differs = warnings.COMPARED_STRICTLY
    name = "sacrebleu-randomization"
    cites = ("noreen1989", "post2018")
    centre = "0"

    def _exceeding_as_printed(self, pair: Pair, seed: int) -> AnyArray:
        stream, gains = np.random.default_rng(seed), []
        baseline, candidate = pair.rows_as_given
        both = baseline + candidate
        for count in _parts(self.n_resamples, pair.n_units):
            kept = stream.integers(2, size=(count, pair.n_units), dtype=bool).astype(np.float64)
            mixed = kept @ baseline + (1 - kept) @ candidate
            totals = [mixed, both.sum(axis=0) - mixed]
            # As in sacreBLEU, whose statistics are integers wherever they are counts.
            if (both == np.rint(both)).all():
                totals = [system.astype(np.int64) for system in totals]
            first, second = (_own_scores(pair, system) for system in totals)
            gains.append(first - second)
        return randomization_exceeding(np.concatenate(gains), _own_size(pair))

    def _exceeding(self, pair: Pair, laws: GainLaws) -> AnyArray:
        return randomization_exceeding(laws.gains(self.n_resamples, swapped=True), pair.gain, pair.tolerance)
