"""Results on systems that were scored on items of their own: two independent samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from outscore.results.comparisons import Alternative, Interval, MetricDescription, Verdict
from outscore.results.shown import Shown

__all__ = ["UnpairedComparison", "UnpairedResult", "UnpairedTest"]


@dataclass(frozen=True)
class UnpairedTest:
    """One test of two independent samples.

    Attributes
    ----------
    name : str
        "welch", "rank-sum" or "label-permutation".
    statistic : float
        t; the Mann-Whitney U of the candidate; the gain.
    p_value, adjusted_p_value : float
        The latter by Holm over the candidates.
    computation : str
        "t distribution", "exact", "normal approximation", "100,000 permutations".
    """

    name: str
    statistic: float
    p_value: float
    adjusted_p_value: float
    computation: str


@dataclass(frozen=True)
class UnpairedComparison:
    """A candidate and the baseline, each on items of its own.

    Attributes
    ----------
    baseline, candidate : str
    baseline_score, candidate_score : float
        Means of the items' scores.
    gain : float
        Positive where the candidate is better.
    interval : Interval
        Welch's, of the gain; one end is infinite where the alternative has one side.
    n_baseline, n_candidate : int
        Items.
    correlation : float or None
        Of the items' scores, where the systems have the same item ids, or as many items without ids; else None.
    verdict : Verdict
        By the first test.
    tests : tuple of UnpairedTest
    """

    baseline: str
    candidate: str
    baseline_score: float
    candidate_score: float
    gain: float
    interval: Interval
    n_baseline: int
    n_candidate: int
    correlation: float | None
    verdict: Verdict
    tests: tuple[UnpairedTest, ...]


@dataclass(frozen=True, repr=False)
class UnpairedResult(Shown):
    """Candidates compared with one baseline that was scored on other items.

    Attributes
    ----------
    metric : MetricDescription
    comparisons : tuple of UnpairedComparison
        One a candidate.
    alternative : Alternative
    alpha : float
    seed : int
        Of the permutations.
    signature : str
        Of the first test.
    version : str
        Of outscore.
    notes, warnings : tuple of str
    """

    metric: MetricDescription
    comparisons: tuple[UnpairedComparison, ...]
    alternative: Alternative
    alpha: float
    seed: int
    signature: str
    version: str
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def schema(self) -> str:
        """The name and version of the JSON form."""
        return "outscore/unpaired/1"

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a candidate and test."""
        return [
            {
                "metric": self.metric.spec,
                "baseline": one.baseline,
                "candidate": one.candidate,
                "baseline_score": one.baseline_score,
                "candidate_score": one.candidate_score,
                "gain": one.gain,
                "interval_low": one.interval.low,
                "interval_high": one.interval.high,
                "confidence_level": one.interval.confidence_level,
                "n_baseline": one.n_baseline,
                "n_candidate": one.n_candidate,
                "correlation": one.correlation,
                "verdict": one.verdict.value,
                "test": test.name,
                "alternative": self.alternative.value,
                "statistic": test.statistic,
                "p_value": test.p_value,
                "adjusted_p_value": test.adjusted_p_value,
                "computation": test.computation,
            }
            for one in self.comparisons
            for test in one.tests
        ]
