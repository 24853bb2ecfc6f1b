"""Results of meta-evaluation: metrics ranked by their agreement with people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from outscore.errors import Problem, ResultKeyError
from outscore.results.intervals import Interval
from outscore.results.parts import Parts
from outscore.results.rankings import Correction
from outscore.results.record import (
    IfAny,
    Keywords,
    Level,
    Messages,
    Natural,
    Positive,
    PValue,
    Seed,
    Share,
    Signature,
    Size,
    Version,
    table,
)
from outscore.results.shown import Shown
from outscore.text.naming import quoted
from outscore.text.numbers import ScoreFormat, score_format


class OtherSystems(StrEnum):
    """Whether claims are about these systems or about new systems."""

    FIXED = "fixed"
    SAMPLED = "sampled"


@dataclass(frozen=True)
class RankedMetric:
    """One metric of a meta-evaluation.

    Attributes
    ----------
    name : str
        The metric's name.
    score : float
        Its agreement with people.
    epsilon : float or None
        The largest difference of scores that acc-t counts as a tie. None for other statistics and averages.
    interval : Interval
        The interval of the score.
    rank : int
        Rank by score, from 1.
    rank_low : int
        The best possible rank: 1 + the number of significantly better metrics.
    rank_high : int
        The worst possible rank: the number of metrics less those significantly worse.
    group : str
        Letters: two metrics that share one are not significantly different.
    tier : int
        Tier, from 1: every metric of an earlier tier is significantly better.
    tasks : mapping of str to float
        The score of each task of an average. Empty for one task.
    """

    name: str
    score: float
    epsilon: float | None
    interval: Interval
    rank: Positive
    rank_low: Positive
    rank_high: Positive
    group: str
    tier: Positive
    tasks: Mapping[str, float]


@dataclass(frozen=True)
class MetricPair:
    """Two metrics of a meta-evaluation.

    Attributes
    ----------
    better : str
        The metric with the higher score.
    worse : str
        The metric with the lower score.
    gain : float
        The difference of their scores.
    interval : Interval
        The interval of the gain, uncorrected.
    p_value : float
        The p-value, two-sided, before correction.
    corrected_p_value : float
        The p-value after correction for all pairs.
    """

    better: str
    worse: str
    gain: Size
    interval: Interval
    p_value: PValue
    corrected_p_value: PValue


@dataclass(frozen=True)
class MetaTask:
    """A language pair or task, and a statistic on it.

    Attributes
    ----------
    name : str
        The language pair or task.
    statistic : str
        The statistic of agreement.
    weight : float
        Its weight in the average, from 0 to 1.
    n_systems : int
        Number of compared systems.
    n_segments : int
        Number of segments that count.
    n_documents : int or None
        Number of documents. None if they are unknown.
    """

    name: str
    statistic: str
    weight: Share
    n_systems: Positive
    n_segments: Positive
    n_documents: Positive | None


@dataclass(frozen=True)
class EmulatedMetric:
    """A metric as another program ranks it.

    Attributes
    ----------
    name : str
        The metric's name.
    score : float
        The program's score.
    epsilon : float or None
        The program's threshold of ties. None without one.
    rank : int or None
        The program's rank. None if it is not emulated.
    """

    name: str
    score: float
    epsilon: float | None
    rank: Positive | None


@dataclass(frozen=True)
class EmulatedPair:
    """Two metrics as another program compares them.

    Attributes
    ----------
    better : str
        The metric with the higher score.
    worse : str
        The metric with the lower score.
    wins : int
        Pairs of translations on which only the better metric agrees with people.
    discordant : int
        Pairs of translations on which only one of the two metrics agrees with people.
    p_value : float
        One-sided: P(Bin(discordant, 1/2) >= wins), which the program samples.
    smallest_epsilon : sequence of float or None
        Wins, discordant pairs and p-value with the smallest of equally good thresholds. None if it is the program's.
    """

    better: str
    worse: str
    wins: Natural
    discordant: Natural
    p_value: PValue
    smallest_epsilon: tuple[float, float, float] | None


@dataclass(frozen=True)
class Emulation:
    """The results of another program.

    Attributes
    ----------
    program : str
        The program.
    metrics : sequence of EmulatedMetric
        Metrics in the program's order.
    pairs : sequence of EmulatedPair
        Pairs of metrics, if their p-values are emulated.
    differences : sequence of str
        Why the numbers differ from outscore's.
    """

    program: str
    metrics: Sequence[EmulatedMetric]
    pairs: Sequence[EmulatedPair]
    differences: Sequence[str]


@dataclass(frozen=True, repr=False)
class MetaResult(Shown, Parts[RankedMetric]):
    """Metrics ranked by their agreement with people.

    This is the JSON output of outscore meta. ``result["name"]`` is a metric, iteration returns the metrics in turn, and
    ``result.pair("a", "b")`` is the comparison of two of them.

    Attributes
    ----------
    statistic : str
        The statistic of agreement.
    title : str
        The name of the statistic in a sentence.
    metrics : sequence of RankedMetric
        Metrics, the best first.
    pairs : sequence of MetricPair
        Every pair once. Empty for one metric.
    tasks : sequence of MetaTask
        Language pairs and statistics. The score is their weighted average.
    unit : str
        The resampling unit: "document", "segment", or "system" if the claim is about new systems.
    n_units : int
        Number of units.
    systems : OtherSystems
        "fixed": claims are about these systems. "sampled": claims are about new systems like these.
    test : str
        The test of the pairs.
    correction : Correction
        The correction for the number of pairs.
    alpha : float
        The level of the corrected tests.
    n_resamples : int
        Maximum number of bootstrap samples or permutations.
    seed : int
    signature : str
    version : str
    warnings : tuple of str
    notes : tuple of str
        Notes on how the scores were read and what was left out.
    emulation : Emulation or None
        The results of another program. None, and not in the JSON, without the option emulate.
    """

    schema: ClassVar = "outscore/meta/1"
    json_keys: ClassVar = "metrics pairs version signature"

    statistic: str
    title: str
    metrics: Annotated[tuple[RankedMetric, ...], Keywords(minItems=1)]
    pairs: tuple[MetricPair, ...]
    tasks: Annotated[tuple[MetaTask, ...], Keywords(minItems=1)]
    unit: Annotated[str, Keywords(enum=["document", "segment", "system"])]
    n_units: Positive
    systems: OtherSystems
    test: str
    correction: Correction
    alpha: Level
    n_resamples: Positive
    seed: Seed
    signature: Signature
    version: Version
    warnings: Messages = ()
    notes: tuple[str, ...] = ()
    emulation: Annotated[Emulation | None, IfAny("0.8.0")] = None

    _part = "metric"

    def _all_parts(self) -> Sequence[RankedMetric]:
        return self.metrics

    def _labels(self, part: RankedMetric) -> Sequence[Collection[str]]:
        return ((part.name,),)

    def pair(self, one: str, other: str) -> MetricPair:
        """Return the comparison of two metrics.

        Raises
        ------
        ResultKeyError
            An unknown name, or the same metric twice.
        """
        names = {self[one].name, self[other].name}
        if len(names) < 2:
            what = f"expected two metrics, got {quoted(one)} twice"
            raise ResultKeyError(Problem("pair", what, "", "same-metric"))
        return next(pair for pair in self.pairs if {pair.better, pair.worse} == names)

    @property
    def score_format(self) -> ScoreFormat:
        """The format of scores and gains."""
        reaches = [pair.interval.reach(pair.gain) for pair in self.pairs]
        reaches = reaches or [metric.interval.reach(metric.score) for metric in self.metrics]
        return score_format([metric.score for metric in self.metrics], reaches)

    def records(self, *, pairs: bool = False) -> Sequence[Mapping[str, Any]]:
        """Return one row per metric, or one per pair."""
        if pairs:
            columns = "better worse gain interval.low interval.high p_value corrected_p_value statistic"
            return table(columns, [(pair, self) for pair in self.pairs], kinds=(MetricPair, MetaResult))
        columns = "name score epsilon rank rank_low rank_high group tier interval.low interval.high statistic"
        return table(columns, [(metric, self) for metric in self.metrics])
