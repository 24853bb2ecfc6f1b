"""Results of comparisons: frozen, typed, and free of any computation.

Everything that a report shows stands in these fields; a report is a pure function of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from outscore._version import __version__
from outscore.naming import printable
from outscore.numbers import (
    ScoreFormat,
    format_count,
    format_level,
    format_p,
    score_format,
    state_p,
)
from outscore.results.shown import Shown

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
    "Unit",
    "Verdict",
]

COMPARISON_SCHEMA = "outscore/comparison/1"


class Alternative(StrEnum):
    """The alternative hypothesis about the gain δ, against a null value of 0 (or of the margin)."""

    GREATER = "greater"
    LESS = "less"
    TWO_SIDED = "two-sided"

    @property
    def sided(self) -> str:
        """What a test of it is called: "one-sided" or "two-sided"."""
        return "two-sided" if self is Alternative.TWO_SIDED else "one-sided"


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


class Unit(StrEnum):
    """What randomization swaps: the outputs of items, or single responses (Yeh 2000)."""

    ITEM = "item"
    RESPONSE = "response"


class Claim(StrEnum):
    """What is claimed of the candidate."""

    BETTER = "better"
    NOT_WORSE = "not-worse"
    EQUIVALENT = "equivalent"


class IntervalMethod(StrEnum):
    """How an interval of the gain is made: by the test of the verdict, or from the bootstrap law."""

    TEST = "test"
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
    """The metric that was compared on.

    Attributes
    ----------
    name : str
    higher_is_better, as_percentage : bool
    spec : str
        What a user writes for it, options included: "bleu:tokenize=zh". The name by default.
    signature : str or None
        Of what computed its rows: sacreBLEU's own, or the versions of the packages; None where outscore did alone.
    title : str
        What people read: as papers write it, "BLEU (tokenize=zh)". The spec by default.
    """

    name: str
    higher_is_better: bool
    as_percentage: bool
    spec: str = ""
    signature: str | None = None
    title: str = ""

    @property
    def factor(self) -> float:
        """What scores and gains are multiplied by where people see them: 100 for percentages."""
        return 100.0 if self.as_percentage else 1.0

    def __post_init__(self) -> None:
        if not self.spec:
            object.__setattr__(self, "spec", self.name)
        if not self.title:
            object.__setattr__(self, "title", self.spec)


@dataclass(frozen=True)
class Interval:
    """An interval of the gain.

    Attributes
    ----------
    low, high : float
        In the unit of the score. One of them is infinite where a one-sided test bounds the gain on one side.
    confidence_level : float
        In (0, 1).
    method : str
        How it was made: "symmetric", "percentile", "basic" or "bca" from the bootstrap law, or by the test that it
        inverts: "randomization", "t", "cr2-t", "skew-t", "wilcoxon", "score"; "a+b" is the least that holds both.
    exact : bool
        Whether it comes from an exact law rather than from samples or an approximation.
    """

    low: float
    high: float
    confidence_level: float
    method: str
    exact: bool

    def reach(self, gain: float) -> float:
        """Return how far its ends are from the gain, the further one that is finite; 0 where none is."""
        return max((abs(end - gain) for end in (self.low, self.high) if math.isfinite(end)), default=0.0)

    def holds(self, gain: float) -> bool:
        """Say whether it holds this gain; its ends do."""
        return self.low <= gain <= self.high


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

    @property
    def is_bound(self) -> bool:
        """Whether no resample reached the threshold, so that the p-value is an upper bound."""
        return _is_bound(self)


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
        Holm's adjustment over all candidates of the comparison, test by test; p_value itself for an emulated test,
        as the tools emulated correct nothing.
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
    emulates : str or None
        The tool whose formula the test reproduces, "sacreBLEU"; it is here to be compared with, and never first.
    unit : str
        What it resamples or swaps: "item", "cluster" or "response".
    n_units : int or None
        How many of them; of responses, those that the systems do not share.
    reason : str or None
        Why the default took this test, where that is not the bootstrap.
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
    emulates: str | None = None
    unit: str = "item"
    n_units: int | None = None
    reason: str | None = None

    @property
    def is_bound(self) -> bool:
        """Whether no resample reached the threshold, so that the p-value is an upper bound."""
        return self.emulates is None and _is_bound(self)


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
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
    helped, hurt, unchanged : int or None
        Items on which the candidate's own score is better, worse, the same; they add up to n_items. None where
        single items have no score.
    n_items : int
    n_units : int
        Clusters where there are clusters, else items.
    n_candidates : int
        How many were compared with the baseline, and Holm's correction goes over.
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
    helped: int | None
    hurt: int | None
    unchanged: int | None
    n_items: int
    n_units: int
    n_candidates: int
    correlation: float | None
    claim: Claim
    margin: float | None
    alpha: float
    verdict: Verdict
    tests: tuple[TestResult, ...]
    histogram: Histogram
    left_out: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """One sentence for a paper: scores, gain, interval, the first test and how it was computed."""
        return write_sentence(self)

    def _reported(self) -> Sequence[ComparisonResult]:
        """Return the result that holds this comparison and nothing else; its signature says the rest."""
        signature = self.tests[0].signature if self.tests else ""
        said = dict(part.split(":", 1) for part in signature.split("|") if ":" in part)
        version, seed = said.get("version", __version__), int(said.get("seed", 0))
        return (ComparisonResult(self.metric, self.n_items, self.n_units, (self,), signature, version, seed),)

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a test, with what there is to know of the comparison in each."""
        shared: dict[str, object] = {"metric": self.metric.spec}
        names = ("baseline", "candidate", "baseline_score", "candidate_score", "gain")
        shared |= {name: getattr(self, name) for name in names}
        shared |= {f"interval_{end}": getattr(self.interval, end) for end in ("low", "high")}
        shared |= {"confidence_level": self.interval.confidence_level, "interval_method": self.interval.method}
        counts = ("helped", "hurt", "unchanged", "n_items", "n_units", "correlation", "margin", "alpha")
        shared |= {name: getattr(self, name) for name in counts}
        shared |= {"claim": self.claim.value, "verdict": self.verdict.value}
        return [{**shared, **_test_record(test)} for test in self.tests or (None,)]


@dataclass(frozen=True, repr=False)
class ComparisonResult(Shown):
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

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence a candidate, in their order; see `Comparison.sentence`."""
        return tuple(comparison.sentence for comparison in self.comparisons)

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a candidate and test."""
        return [record for comparison in self.comparisons for record in comparison.records()]


_TEST_COLUMNS = (
    "p_value",
    "adjusted_p_value",
    "p_value_low",
    "p_value_high",
    "exact",
    "n_resamples",
    "n_exceeding",
    "signature",
)


def _test_record(test: TestResult | None) -> dict[str, object]:
    named: dict[str, object] = {"test": None, "alternative": None}
    if test is not None:
        named = {"test": test.name, "alternative": test.alternative.value}
    return named | {name: None if test is None else getattr(test, name) for name in _TEST_COLUMNS}


# How results are put into words. It stands here, not among the reports, because a result shows itself in a
# terminal and in a notebook; reports use the same words with their own escapes.

_TESTS = {
    "bootstrap": "paired bootstrap test",
    "bootstrap-uncentred": "uncentred paired bootstrap test",
    "randomization": "paired randomization test",
    "score": "maximum-empirical-likelihood score test",
    "paired-t": "paired t-test",
    "sign": "sign test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "mcnemar": "McNemar test",
    "two-sample-t": "two-sample t-test",
    "two-proportion": "two-proportion z-test",
    "chi-squared": "chi-squared test",
    "cr2-t": "t-test (CR2)",
    "skew-t": "skewness-corrected t-test",
}

_INTERVALS = {
    "symmetric": "symmetric bootstrap",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "bca": "BCa bootstrap",
    "randomization": "inverted randomization",
    "t": "Student's t",
    "cr2-t": "CR2 t",
    "skew-t": "skewness-corrected t",
    "wilcoxon": "Hodges-Lehmann",
    "score": "score",
}


def interval_title(interval: Interval) -> str:
    """Return what an interval is called in a sentence: "symmetric bootstrap interval", "basic bootstrap bound"."""
    kinds = " and ".join(_INTERVALS.get(method, method) for method in interval.method.split("+"))
    return f"{kinds} {'interval' if math.isfinite(interval.low) == math.isfinite(interval.high) else 'bound'}"


def test_title(name: str) -> str:
    """Return what a test is called in a sentence."""
    return _TESTS.get(name, f"{printable(name)} test")


def comparison_format(comparison: Comparison) -> ScoreFormat:
    """Return how the scores and gains of a comparison are written."""
    interval = comparison.interval
    return score_format(
        [comparison.baseline_score, comparison.candidate_score],
        [2 * interval.reach(comparison.gain)],
        [comparison.gain],
        percentage=comparison.metric.as_percentage,
        thresholds=() if comparison.margin is None else (-comparison.margin, comparison.margin),
        add_up=True,
    )


def _is_bound(test: TestResult | Check) -> bool:
    return test.n_exceeding == 0 or test.computation.startswith("bound")


def format_test_p(test: TestResult | Check, alpha: float) -> str:
    """Write the p-value of a test before any correction: "0.0123", or "≤ 1e-05" where it is a bound."""
    return format_p(test.p_value, alpha, bound=test.is_bound)


def format_adjusted_p(test: TestResult, alpha: float) -> str:
    """Write a p-value after Holm's correction; nothing where the test emulates a tool that corrects nothing."""
    return "" if test.emulates else format_p(test.adjusted_p_value, alpha, bound=test.is_bound)


def how_computed(test: TestResult | Check) -> str:
    """Say how a p-value was computed: "exact: lattice", or "2,341 of 100,000 resamples"."""
    if test.n_resamples is None:
        return test.computation
    if test.n_exceeding is None:
        return f"{format_count(test.n_resamples)} resamples"
    return f"{format_count(test.n_exceeding)} of {format_count(test.n_resamples)} resamples"


def write_sentence(
    comparison: Comparison,
    *,
    name: Callable[[str], str] = printable,
    number: Callable[[str], str] = str,
) -> str:
    """Write one sentence for a paper: scores, gain, interval, the first test, its p-value, how it was computed.

    Parameters
    ----------
    comparison : Comparison
    name, number : callable
        How a report escapes names of systems, and writes numbers, signs and formulas such as "p = 0.03".
    """
    c = comparison
    scores = comparison_format(c)
    points = " points" if c.metric.as_percentage else ""

    about = [name(c.metric.title) + (f" in {number('%')}" if c.metric.as_percentage else "")]
    if not c.metric.higher_is_better:
        about.append("lower is better")
    clusters = "" if c.n_units == c.n_items else f" in {number(format_count(c.n_units))} clusters"
    about.append(f"{number(format_count(c.n_items))} items{clusters}")

    level = number(format_level(c.interval.confidence_level))
    found = [f"{level} {interval_title(c.interval)} {scores.interval(c.interval.low, c.interval.high, number)}"]
    if c.tests:
        found.append(_test_clause(c, name, number))
    return (
        f"{name(c.candidate)} scores {number(scores.score(c.candidate_score))} against "
        f"{number(scores.score(c.baseline_score))} for {name(c.baseline)} ({', '.join(about)}): "
        f"a gain of {number(scores.gain(c.gain))}{points} ({'; '.join(found)})."
    )


def describe_test(comparison: Comparison, *, number: Callable[[str], str] = str) -> str:
    """Return what the first test of a comparison is: its side, its name and, for a margin, its aim."""
    c, test = comparison, comparison.tests[0]
    what = test_title(test.name)
    what = f"two one-sided {what}s" if c.claim is Claim.EQUIVALENT else f"{test.alternative.sided} {what}"
    if c.margin is not None and c.claim is not Claim.BETTER:
        points = " points" if c.metric.as_percentage else ""
        aim, sign = ("equivalence", "±") if c.claim is Claim.EQUIVALENT else ("non-inferiority", "")
        margin = comparison_format(c).size(c.margin)
        what += f" of {aim} with a margin of {number(sign + margin)}{points}"
    elif test.alternative is Alternative.LESS:
        what += " of a loss"
    if test.unit == Unit.RESPONSE and test.n_units is not None:
        what += f" over {number(format_count(test.n_units))} responses that differ"
    return what + (" that assumes independence" if test.assumes_independence else "")


def _test_clause(c: Comparison, name: Callable[[str], str], number: Callable[[str], str]) -> str:
    test = c.tests[0]
    p = number(state_p(test.adjusted_p_value, c.alpha, bound=test.is_bound))
    if c.n_candidates > 1 or test.adjusted_p_value > test.p_value:
        over = f" for {c.n_candidates} candidates" if c.n_candidates > 1 else ""
        before, after = format_test_p(test, c.alpha), format_adjusted_p(test, c.alpha)
        if before == after:
            p += f" before and after Holm's correction{over}"
        else:
            p += f" after Holm's correction{over} and {number(before)} before it"
    if test.n_resamples is not None:
        met = "none of" if test.is_bound else "estimated from"
        how = f", {met} {number(format_count(test.n_resamples))} resamples"
    elif test.computation.startswith("exact"):
        how = ", computed exactly"
    elif test.computation.startswith("bound"):
        how = ", an upper bound"
    else:
        how = f" from the {name(test.computation)}" if test.computation else ""
    return f"{describe_test(c, number=number)}, {p}{how}"
