"""Results of comparisons: frozen, typed, and free of any computation.

Everything that a report shows stands in these fields; a report is a pure function of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

__all__ = [
    "Alternative",
    "Check",
    "Claim",
    "Comparison",
    "ComparisonResult",
    "Estimator",
    "Histogram",
    "Interval",
    "IntervalMethod",
    "Method",
    "MetricDescription",
    "TestResult",
    "Ties",
    "Verdict",
]

COMPARISON_SCHEMA = "outscore/comparison/1"


class Alternative(StrEnum):
    """The alternative hypothesis about the gain δ, against a null value of 0 (or of the margin)."""

    GREATER = "greater"
    LESS = "less"
    TWO_SIDED = "two-sided"


class Ties(StrEnum):
    """Whether a replicate equal to the threshold counts (≥, conservative) or not (>, as in BK12)."""

    COUNT = "count"
    STRICT = "strict"


class Estimator(StrEnum):
    """How c of r replicates give a p-value: (c + 1)/(r + 1), or c/r as BK12 and Jansen print it."""

    ADD_ONE = "add-one"
    PLAIN = "plain"


class Method(StrEnum):
    """How laws are computed: exactly where one can, exactly or not at all, or by sampling."""

    AUTO = "auto"
    EXACT = "exact"
    MONTE_CARLO = "monte-carlo"


class Claim(StrEnum):
    """What is claimed of the candidate."""

    BETTER = "better"
    NOT_WORSE = "not-worse"
    EQUIVALENT = "equivalent"


class IntervalMethod(StrEnum):
    """How a bootstrap law gives an interval of the gain."""

    PERCENTILE = "percentile"
    BASIC = "basic"
    BCA = "bca"


class Verdict(StrEnum):
    """What the data say of the claim. A large p-value is never evidence of equality."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    NOT_WORSE = "not worse"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class MetricDescription:
    """The metric that was compared on."""

    name: str
    higher_is_better: bool
    as_percentage: bool


@dataclass(frozen=True)
class Interval:
    """An interval of the gain.

    Attributes
    ----------
    low, high : float
        In the unit of the score.
    confidence_level : float
        In (0, 1).
    method : IntervalMethod
    exact : bool
        Whether its quantiles are those of the exact bootstrap law rather than of samples.
    """

    low: float
    high: float
    confidence_level: float
    method: IntervalMethod
    exact: bool


@dataclass(frozen=True)
class Histogram:
    """The bootstrap law of the gain in bins.

    Attributes
    ----------
    edges : tuple of float, length m + 1
        Gains, ascending.
    probabilities : tuple of float, length m
        What lies between two edges; the outermost bins hold the tails too.
    exact : bool
    """

    edges: tuple[float, ...]
    probabilities: tuple[float, ...]
    exact: bool


@dataclass(frozen=True)
class Check:
    """The same test computed another way (Yeh's double check): other resamples, or the exact law.

    Attributes
    ----------
    computation : str
        "Monte Carlo", or which exact law.
    seed : int or None
        Of the resamples; None where exact.
    p_value, p_value_low, p_value_high : float
    n_resamples, n_exceeding : int or None
    agrees : bool
        Whether it is compatible with the reported p-value: the exact value in the 99.9% interval of the
        sampled one, or two sampled counts that a 0.1% test does not tell apart.
    """

    computation: str
    seed: int | None
    p_value: float
    p_value_low: float
    p_value_high: float
    n_resamples: int | None
    n_exceeding: int | None
    agrees: bool


@dataclass(frozen=True)
class TestResult:
    """One test of one pair of systems.

    Attributes
    ----------
    name : str
    alternative : Alternative
    ties : Ties
    statistic : float or None
        t, z, χ² or W where the test has one.
    p_value : float
        In (0, 1].
    adjusted_p_value : float
        Holm's adjustment over all candidates of the comparison, test by test.
    exact : bool
        Whether the p-value was derived rather than sampled.
    computation : str
        How: "Monte Carlo", "exact: lattice", ...
    n_resamples, n_exceeding : int or None
        r and c where sampled.
    p_value_low, p_value_high : float
        A bracket: the error bound where exact, Clopper–Pearson at 95% where sampled.
    assumes_independence : bool
        Whether the test wrongly takes the two systems' items to be independent (Yeh 2000, section 2).
    inflation : float or None
        For such a test, the factor 1/√(1 − r12) by which it overstates the standard deviation.
    signature : str
    checks : tuple of Check
    """

    __test__ = False  # not a test class, whatever pytest thinks of its name

    name: str
    alternative: Alternative
    ties: Ties
    statistic: float | None
    p_value: float
    adjusted_p_value: float
    exact: bool
    computation: str
    n_resamples: int | None
    n_exceeding: int | None
    p_value_low: float
    p_value_high: float
    assumes_independence: bool
    inflation: float | None
    signature: str
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """One candidate against the baseline.

    Attributes
    ----------
    metric : MetricDescription
    baseline, candidate : str
        Names.
    baseline_score, candidate_score : float
    gain : float
        Positive where the candidate is better, also for metrics where lower is better.
    interval : Interval
        Of the gain.
    helped, hurt, unchanged : int
        Items on which the candidate's own score is better, worse, the same; they add up to n_items.
    correlation : float or None
        r12, of the paired per-item scores; None where one of them is constant.
    claim : Claim
    margin : float or None
        Of the claims `not-worse` and `equivalent`, in the unit of the score.
    alpha : float
    verdict : Verdict
        From the first test, at level alpha, by its adjusted p-value.
    tests : tuple of TestResult
        In the order asked for.
    histogram : Histogram
        The bootstrap law of the gain.
    left_out : tuple of (str, str)
        Tests left out under "all", with the reason.
    warnings : tuple of str
        What a reader must know: a sampled p-value too close to alpha, a degenerate case, dropped items.
    """

    metric: MetricDescription
    baseline: str
    candidate: str
    baseline_score: float
    candidate_score: float
    gain: float
    interval: Interval
    helped: int
    hurt: int
    unchanged: int
    correlation: float | None
    claim: Claim
    margin: float | None
    alpha: float
    verdict: Verdict
    tests: tuple[TestResult, ...]
    histogram: Histogram
    left_out: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ComparisonResult:
    """Candidates compared with one baseline on one metric.

    Attributes
    ----------
    metric : MetricDescription
    n_items : int
    n_units : int
        Clusters where there are clusters, else items: what is resampled or swapped.
    comparisons : tuple of Comparison
        One a candidate.
    signature : str
        Of the first test of the first comparison.
    version : str
        Of outscore.
    seed : int
        Of the resamples.
    """

    metric: MetricDescription
    n_items: int
    n_units: int
    comparisons: tuple[Comparison, ...]
    signature: str
    version: str
    seed: int
    schema: str = field(default=COMPARISON_SCHEMA)
