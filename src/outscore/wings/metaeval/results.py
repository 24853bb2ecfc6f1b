"""Results of meta-evaluation: metrics ranked by their agreement with people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar

from outscore.errors import Problem, ResultKeyError
from outscore.results.intervals import Interval
from outscore.results.parts import Parts
from outscore.results.rankings import Correction
from outscore.results.record import (
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
    doc,
    record,
    table,
)
from outscore.results.shown import Shown
from outscore.text.naming import quoted
from outscore.text.numbers import ScoreFormat, score_format


class OtherSystems(StrEnum):
    """Whether claims are about these systems or about new systems."""

    FIXED = "fixed"
    SAMPLED = "sampled"


@record
class RankedMetric:
    """One metric of a meta-evaluation."""

    name: str = doc("The metric's name.")
    score: float = doc("Its agreement with people.")
    epsilon: float | None = doc(
        "The largest difference of scores that acc-t counts as a tie. None for other statistics and averages."
    )
    interval: Interval = doc("The interval of the score.")
    rank: Positive = doc("Rank by score, from 1.")
    rank_low: Positive = doc("The best possible rank: 1 + the number of significantly better metrics.")
    rank_high: Positive = doc("The worst possible rank: the number of metrics less those significantly worse.")
    group: str = doc("Letters: two metrics that share one are not significantly different.")
    tier: Positive = doc("Tier, from 1: every metric of an earlier tier is significantly better.")
    tasks: Mapping[str, float] = doc("The score of each task of an average. Empty for one task.")


@record
class MetricPair:
    """Two metrics of a meta-evaluation."""

    better: str = doc("The metric with the higher score.")
    worse: str = doc("The metric with the lower score.")
    gain: Size = doc("The difference of their scores.")
    interval: Interval = doc("The interval of the gain, uncorrected.")
    p_value: PValue = doc("The p-value, two-sided, before correction.")
    corrected_p_value: PValue = doc("The p-value after correction for all pairs.")


@record
class MetaTask:
    """A language pair or task, and a statistic on it."""

    name: str = doc("The language pair or task.")
    statistic: str = doc("The statistic of agreement.")
    weight: Share = doc("Its weight in the average, from 0 to 1.")
    n_systems: Positive = doc("Number of compared systems.")
    n_segments: Positive = doc("Number of segments that count.")
    n_documents: Positive | None = doc("Number of documents. None if they are unknown.")


@record
class EmulatedMetric:
    """A metric as another program ranks it."""

    name: str = doc("The metric's name.")
    score: float = doc("The program's score.")
    epsilon: float | None = doc("The program's threshold of ties. None without one.")
    rank: Positive | None = doc("The program's rank. None if it is not emulated.")


@record
class EmulatedPair:
    """Two metrics as another program compares them."""

    better: str = doc("The metric with the higher score.")
    worse: str = doc("The metric with the lower score.")
    wins: Natural = doc("Pairs of translations on which only the better metric agrees with people.")
    discordant: Natural = doc("Pairs of translations on which only one of the two metrics agrees with people.")
    p_value: PValue = doc("One-sided: P(Bin(discordant, 1/2) >= wins), which the program samples.")
    smallest_epsilon: tuple[float, float, float] | None = doc(
        "Wins, discordant pairs and p-value with the smallest of equally good thresholds. None if it is the program's."
    )


@record
class Emulation:
    """The results of another program."""

    program: str = doc("The program.")
    metrics: Sequence[EmulatedMetric] = doc("Metrics in the program's order.")
    pairs: Sequence[EmulatedPair] = doc("Pairs of metrics, if their p-values are emulated.")
    differences: Sequence[str] = doc("Why the numbers differ from outscore's.")


@record
class MetaResult(Shown, Parts[RankedMetric]):
    """Metrics ranked by their agreement with people.

    This is the JSON output of outscore meta. ``result["name"]`` is a metric, iteration returns the metrics in turn, and
    ``result.pair("a", "b")`` is the comparison of two of them.
    """

    schema: ClassVar = "outscore/meta/1"
    json_keys: ClassVar = "metrics pairs version signature"

    statistic: str = doc("The statistic of agreement.")
    title: str = doc("The name of the statistic in a sentence.")
    metrics: tuple[RankedMetric, ...] = doc("Metrics, the best first.", minItems=1)
    pairs: tuple[MetricPair, ...] = doc("Every pair once. Empty for one metric.")
    tasks: tuple[MetaTask, ...] = doc("Language pairs and statistics. The score is their weighted average.", minItems=1)
    unit: str = doc(
        'The resampling unit: "document", "segment", or "system" if the claim is about new systems.',
        enum=["document", "segment", "system"],
    )
    n_units: Positive = doc("Number of units.")
    systems: OtherSystems = doc(
        '"fixed": claims are about these systems. "sampled": claims are about new systems like these.'
    )
    test: str = doc("The test of the pairs.")
    correction: Correction = doc("The correction for the number of pairs.")
    alpha: Level = doc("The level of the corrected tests.")
    n_resamples: Positive = doc("Maximum number of bootstrap samples or permutations.")
    seed: Seed
    signature: Signature
    version: Version
    warnings: Messages = ()
    notes: tuple[str, ...] = doc("Notes on how the scores were read and what was left out.", default=())
    emulation: Emulation | None = doc(
        "The results of another program. None, and not in the JSON, without the option emulate.",
        default=None,
        since="1.0.0",
    )

    _part = "metric"

    def _all_parts(self) -> Sequence[RankedMetric]:
        return self.metrics

    def _labels(self, part: RankedMetric) -> Sequence[Collection[str]]:
        return ((part.name,),)

    def pair(self, one: str, other: str) -> MetricPair:
        """Return the comparison of two metrics; raise ResultKeyError for an unknown name, or the same metric twice."""
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
