"""Results of rankings: all pairs of many systems, on shared resamples."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, overload

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.errors import OptionError, Problem, ResultKeyError, WithFormerNames
from outscore.results.audit import PairingAudit
from outscore.results.comparisons import Alternative, MetricDescription
from outscore.results.findings import Finding, OfRanking, PredictionPowered
from outscore.results.intervals import METHODS, OF_SCORE, Interval
from outscore.results.parts import Parts
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
    Table,
    Version,
    column_types,
    doc,
    places_of,
    record,
    table,
    value_at,
)
from outscore.results.shown import Several, Shown
from outscore.text.naming import printable, quoted
from outscore.text.numbers import ScoreFormat, format_p, score_format


class Correction(StrEnum):
    """How p-values of all pairs are corrected for there being many."""

    MAX_T = "max-t"
    HOLM = "holm"
    BH = "bh"
    NONE = "none"

    @property
    def cites(self) -> tuple[str, ...]:
        """Keys of the works that a methods paragraph cites for it."""
        return _CITES[self]


_CITES = {
    Correction.MAX_T: ("westfall1993", "romano2005"),
    Correction.HOLM: ("holm1979",),
    Correction.BH: ("benjamini1995",),
    Correction.NONE: (),
}
_COLUMN_OF = {Correction.MAX_T: "p_maxt", Correction.HOLM: "p_holm", Correction.BH: "p_bh", Correction.NONE: "p_value"}
_PAIRS_TOGETHER = 4096  # made of columns at once
_MOST_MEASURED = 2000  # pairs whose intervals determine the precision of numbers


@record
class RankedSystem:
    """One system of a ranking."""

    json_keys: ClassVar = "-is_overstated"

    name: str = doc("The system's name.")
    family: str | None = doc(
        "A group of systems expected to be correlated, such as those of one research group or base model. None if "
        "unknown."
    )
    score: float = doc("The score; a fraction, never a percentage.")
    interval: Interval = doc(
        'The interval of the score, as in `outscore score`; for strengths by "skew-t", with infinite ends (in JSON '
        "null) if many bootstrap samples have infinite strengths.",
        properties=OF_SCORE,
    )
    rank: Positive = doc("Rank by score, from 1; systems of equal score share the better rank.")
    rank_low: Positive = doc(
        "The best possible rank: 1 + the number of significantly better systems, by the corrected tests."
    )
    rank_high: Positive = doc(
        "The worst possible rank: the number of systems less those significantly worse, by the corrected tests."
    )
    group: str = doc("Letters: two systems that share one are not significantly different.")
    cluster: Positive = doc(
        "Tier, from 1: a new one begins where every system above is significantly better than every system below (as "
        "at WMT). Systems within a tier may differ significantly."
    )
    among_best: bool = doc("Whether the system is not significantly worse than the best-scoring one.")
    p_best: Share = doc("Proportion of bootstrap samples in which the system scores best, with ties split.")
    gain_to_next: Size = doc("Gain over the next system, in the unit of the score; 0 for the last.")
    gain_to_best: Size = doc("Gain of the first system over this one, in the unit of the score.")
    overstatement: Size | None = doc(
        "For the first system and those tied with it: the expected part of the score that is due to the choice of the "
        "best system, in the unit of the score. None, and not written, for other systems.",
        default=None,
        since="1.0.0",
    )
    interval_as_chosen: Interval | None = doc(
        "For the same systems: the interval of the score, which allows for the choice.",
        default=None,
        since="1.0.0",
        properties=OF_SCORE,
    )
    is_overstated: bool = doc(
        "Whether the overstatement is at least a tenth of the standard error, and therefore reported. Not part of the "
        "JSON.",
        default=False,
    )


@record
class RankedPair(WithFormerNames):
    """One pair of a ranking: the candidate is the system with the higher score, so gain >= 0."""

    json_keys: ClassVar = (
        "baseline candidate gain interval p_value p_holm p_bh p_maxt exact same_family wins ties losses n_exceeding "
        "p_value_low p_value_high other_p_values is_bound"
    )

    baseline: str = doc("The system with the lower score.")
    candidate: str = doc("The system with the higher score.")
    gain: Size = doc("The gain in the unit of the score; negative only if `Ranking.pair` swaps the systems.")
    interval: Interval = doc(
        "The interval of the gain, uncorrected; from the bootstrap, or all gains that the first test does not reject. "
        "If the first test does not test the gain, it is the default test's, and reports leave it out.",
        properties=METHODS,
    )
    wins: Natural | None = doc("Items on which the candidate scores better. None if the metric has no scores per item.")
    ties: Natural | None = doc("Items on which both score the same. None if the metric has no scores per item.")
    losses: Natural | None = doc(
        "Items on which the candidate scores worse. None if the metric has no scores per item."
    )
    p_value: PValue = doc("The p-value of the ranking's first test, before any correction.")
    p_holm: PValue = doc("The p-value after Holm's correction over all pairs.")
    p_bh: PValue = doc("The p-value after Benjamini and Hochberg's correction over all pairs.")
    p_maxt: PValue | None = doc(
        "The p-value after step-down max-T correction over all pairs (Westfall & Young 1993; Romano & Wolf 2005). None "
        "if it was left out."
    )
    exact: bool = doc("Whether `p_value` is exact: neither sampled nor asymptotic.")
    n_exceeding: Natural | None = doc("Number of resamples that reached the statistic. None if nothing was sampled.")
    p_value_low: Share = doc(
        "Lower end of an interval of `p_value`: the error bound if exact, Clopper-Pearson at 95% if sampled."
    )
    p_value_high: Share = doc("Upper end of the interval.")
    other_p_values: Mapping[str, PValue] = doc(
        "The p-values of further tests, before any correction, by the tests' names."
    )
    same_family: bool | None = doc("Whether both systems have the same family. None if a family is unknown.")
    is_bound: bool = doc(
        "Whether `p_value` and its corrections are upper bounds, because no resample reached the gain.", default=False
    )
    p_beats: Share | None = doc(
        "For pairwise comparisons (arena): the probability that the candidate's answer is preferred, 1/(1 + "
        "exp(-gain)). None, and not written, in other rankings.",
        default=None,
        since="0.4.0",
    )
    computation: str | None = doc(
        '"asymptotic" if `p_value` is from a normal or t distribution. None if it is exact or sampled.',
        default=None,
        since="1.0.0",
    )
    p_value_corrected_from: PValue | None = doc(
        "The p-value from which `p_holm` and `p_maxt` start, if it is not `p_value`: for the default test with the "
        "lower threshold of skewness, because small skewness counts more the farther out in the tail.",
        default=None,
        since="1.0.0",
    )
    sign: int | None = doc(
        "The direction of the first test's own statistic, if it does not test the gain: 1 if it favours the candidate, "
        "-1 if it favours the baseline. The pair then counts as not significant. None for tests of the gain.",
        default=None,
        since="1.0.0",
        minimum=-1,
        maximum=1,
    )

    @property
    def opposed(self) -> bool:
        """Whether the first test's own statistic and the gain have different directions."""
        return self.sign is not None and self.sign * self.gain < 0

    @property
    def turned(self) -> RankedPair:
        """The same pair with baseline and candidate exchanged: the gain is not positive then."""
        return replace(
            self,
            baseline=self.candidate,
            candidate=self.baseline,
            gain=0.0 - self.gain,
            interval=self.interval.turned,
            wins=self.losses,
            losses=self.wins,
            p_beats=None if self.p_beats is None else 1 - self.p_beats,
            sign=None if self.sign is None else -self.sign,
        )

    def corrected(self, correction: Correction) -> float:
        """Return the p-value under a correction.

        Raises
        ------
        OptionError
            The correction is max-T, which was left out.
        """
        match correction:
            case Correction.MAX_T:
                if self.p_maxt is None:
                    raise _no_max_t()
                return self.p_maxt
            case Correction.HOLM:
                return self.p_holm
            case Correction.BH:
                return self.p_bh
            case Correction.NONE:
                return self.p_value


def _no_max_t() -> OptionError:
    return OptionError(Problem("correction", "max-T was left out of this ranking", "Rank with max_t=True.", "no-max-t"))


@dataclass(frozen=True, eq=False)
class IntervalColumn(Sequence[Interval]):
    """Intervals of many gains, whose ends are computed on access."""

    size: int  # m
    # Function from an array of places in 0 … m − 1 to arrays of the lower and upper ends.
    ends: Callable[[IntArray], tuple[FloatArray, FloatArray]]
    # As of `Interval`, of all of them.
    confidence_level: float
    method: str
    exact: bool
    title: str = ""

    @cached_property
    def _ends(self) -> tuple[FloatArray, FloatArray]:
        return self.ends(np.arange(self.size))

    @property
    def low(self) -> FloatArray:
        """All lower ends, shape (m,)."""
        return self._ends[0]

    @property
    def high(self) -> FloatArray:
        """All upper ends, shape (m,)."""
        return self._ends[1]

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> Interval: ...
    @overload
    def __getitem__(self, index: slice) -> list[Interval]: ...
    def __getitem__(self, index: int | slice) -> Interval | list[Interval]:
        if isinstance(index, slice):
            return self.at(range(self.size)[index])
        return self.at([range(self.size)[index]])[0]

    def at(self, places: Sequence[int]) -> list[Interval]:
        """Return the intervals at some places."""
        low, high = self.ends(np.array(places, dtype=np.int64))
        return [
            Interval(*ends, self.confidence_level, self.method, self.exact, self.title)
            for ends in zip(low.tolist(), high.tolist(), strict=True)
        ]


@dataclass(frozen=True, eq=False)
class OtherPValues(Sequence[Mapping[str, float]]):
    """The p-values of further tests, by their names, of each of m pairs."""

    of_tests: Mapping[str, FloatArray]
    size: int

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> Mapping[str, float]: ...
    @overload
    def __getitem__(self, index: slice) -> list[Mapping[str, float]]: ...
    def __getitem__(self, index: int | slice) -> Mapping[str, float] | list[Mapping[str, float]]:
        if not isinstance(index, slice):
            return {name: float(values[index]) for name, values in self.of_tests.items()}
        return [self[row] for row in range(self.size)[index]]


@dataclass(frozen=True, eq=False)
class PairColumns(Sequence[RankedPair]):
    """All pairs of a ranking in columns, so that half a million fit in memory. Pairs are created on access."""

    # Arrays or lists of values by the fields of `RankedPair`; fields with only default values may be missing.
    columns: Mapping[str, Sequence[Any] | AnyArray]

    @classmethod
    def of(cls, pairs: Sequence[RankedPair]) -> PairColumns:
        """Return pairs in columns, unchanged if they already are."""
        if isinstance(pairs, PairColumns):
            return pairs
        return cls({declared.name: [getattr(pair, declared.name) for pair in pairs] for declared in fields(RankedPair)})

    def column(self, name: str) -> AnyArray:
        """Return a column of numbers or truth values as an array, shape (m,)."""
        return np.asarray(self.columns[name])

    @property
    def signed(self) -> bool:
        """Whether the first test has a direction of its own, because it does not test the gain."""
        return any(sign is not None for sign in self.columns.get("sign", ())[:1])

    @property
    def opposed(self) -> BoolArray:
        """Whether the first test's own statistic and the gain of each pair have different directions, shape (m,)."""
        if not self.signed:
            return np.zeros(len(self), dtype=bool)
        return (self.column("sign") < 0) & (self.column("gain") > 0)

    def table(self, columns: str, ranking: Ranking) -> Table:
        """Return the `results.record.table` of the pairs, each with its ranking, column by column."""
        places, m = places_of(columns, RankedPair), len(self)
        owned = {declared.name: declared.default for declared in fields(RankedPair)}
        cells = {
            name: self._at(path, owned[path[0]]) if path[0] in owned else [value_at(ranking, path)] * m
            for name, path in places.items()
        }
        return Table(cells, column_types(places, (RankedPair, Ranking)))

    def _at(self, path: tuple[str, ...], default: object) -> Sequence[object] | AnyArray:
        column = self.columns.get(path[0], [default] * len(self))
        match column, path[1:]:
            case IntervalColumn(), ["low" | "high" as end]:
                return column.low if end == "low" else column.high
            case OtherPValues(), [test]:
                return column.of_tests[test]
            case _, []:
                return column
            case _:
                return [value_at(value, path[1:]) for value in column]

    def corrected(self, correction: Correction) -> AnyArray:
        """Return what `RankedPair.corrected` returns, shape (m,)."""
        if correction is Correction.MAX_T and len(self) and self.columns["p_maxt"][0] is None:
            raise _no_max_t()
        return self.column(_COLUMN_OF[correction])

    def __len__(self) -> int:
        return len(self.columns["gain"])

    @overload
    def __getitem__(self, index: int) -> RankedPair: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RankedPair, ...]: ...
    def __getitem__(self, index: int | slice) -> RankedPair | tuple[RankedPair, ...]:
        if isinstance(index, slice):
            return tuple(self._made(index))
        row = range(len(self))[index]
        return next(self._made(slice(row, row + 1)))

    def __iter__(self) -> Iterator[RankedPair]:
        for start in range(0, len(self), _PAIRS_TOGETHER):
            yield from self._made(slice(start, start + _PAIRS_TOGETHER))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(pair == other_pair for pair, other_pair in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def _made(self, index: slice) -> Iterator[RankedPair]:
        parts = [column[index] for column in self.columns.values()]
        values = [part.tolist() if isinstance(part, np.ndarray) else part for part in parts]
        return (RankedPair(**dict(zip(self.columns, row, strict=True))) for row in zip(*values, strict=True))


@record
class EmulatedSystem:
    """A system of a ranking by the rule of another tool."""

    name: str = doc("The system's name.")
    rank_low: Positive = doc(
        "The best rank by the rule: 1 + the number of systems that win against it, or the place below the nearest one."
    )
    rank_high: Positive = doc(
        "The worst rank by the rule: the number of systems less those that it wins against, or the place above the "
        "nearest one."
    )
    wins: Natural = doc("Number of systems against which it wins significantly.")
    losses: Natural = doc("Number of systems against which it loses significantly.")
    tier: Positive = doc(
        "Tier, from 1: a new one begins where every system above wins against every system below; by WMT25's rule, "
        "where no rank interval spans both sides."
    )


@record
class Emulation:
    """What the rule of another tool concludes, for comparison with the ranking."""

    tool: str = doc('The tool: "WMT24", "WMT25" or "WMT26".')
    n_significant: Natural = doc(
        "Number of pairs with an uncorrected p-value below the rule's level: 0.05, or 0.025 for the one-sided tests of "
        "WMT25."
    )
    systems: tuple[EmulatedSystem, ...] = doc("In the order of the ranking.")
    p_values: tuple[PValue, ...] = doc("The p-values of all pairs, in the order of the ranking's pairs.")
    what_differs: str = doc("The reason why the conclusions differ.")


@record
class Ranking(Shown, Parts[RankedSystem], OfRanking):
    """Systems ranked on one metric, and all their pairs.

    This is the JSON output of outscore rank. ``ranking["name"]`` is a system, iteration returns the systems in turn,
    and ``ranking.pair("a", "b")`` is the comparison of two of them.
    """

    schema: ClassVar = "outscore/ranking/1"
    json_keys: ClassVar = (
        "systems pairs version signature metric n_items n_units tests alternative correction alpha n_resamples seed "
        "warnings -test_title"
    )

    metric: MetricDescription
    n_items: Positive = doc("Number of items in the test set; of pairwise comparisons for bradley-terry.")
    n_units: Positive = doc("Number of resampling units: clusters if there are any, else items.")
    tests: tuple[str, ...] = doc(
        "Names of the tests; the corrected p-values of the first determine groups and ranks.", minItems=1
    )
    alternative: Alternative = doc(
        '"two-sided" by default; "greater" reproduces BK12, in the observed direction of each pair.'
    )
    correction: Correction = doc("The correction for ranks, groups and tiers.")
    alpha: Level = doc("The level of the corrected tests.")
    systems: tuple[RankedSystem, ...] = doc("Systems, the best first.", minItems=2)
    pairs: Sequence[RankedPair] = doc(
        "Every pair once, in the order of the candidate's and then the baseline's rank.", minItems=1
    )
    n_resamples: Positive = doc("Number of resamples, if anything is sampled.")
    seed: Seed
    signature: Signature = doc(deferred=True)
    version: Version
    warnings: Messages = ()
    test_set: str | None = doc("The test set, or the average of several.", default=None, since="0.4.0")
    findings: tuple[Finding, ...] = doc("Findings on the design of the systems' scores.", default=())
    over: str | None = doc("The averages that scores are, as for a comparison.", default=None, since="0.4.0")
    pairing: PairingAudit | None = doc(
        "How evaluation logs were paired; null for other systems.", default=None, since="0.5.0"
    )
    test_title: str = doc("The name of the first test in a sentence. Not part of the JSON.", default="")
    emulated: Emulation | None = doc(
        "What the rule of another tool concludes. None, and not in the JSON, without the option emulate.",
        default=None,
        since="1.0.0",
    )
    prediction_powered: PredictionPowered | None = doc(
        "For human labels of some items and a judge's labels of all; the correlation is that of all pairs' "
        "differences.",
        default=None,
        since="1.0.0",
    )

    _part = "system"

    def __post_init__(self) -> None:
        if not self.test_title:
            object.__setattr__(self, "test_title", f"{printable(self.tests[0])} test")

    def _all_parts(self) -> Sequence[RankedSystem]:
        return self.systems

    def _labels(self, part: RankedSystem) -> Sequence[Collection[str]]:
        return ((part.name,),)

    def pair(self, baseline: str, candidate: str) -> RankedPair:
        """Return the comparison of two systems, in the order of `outscore.compare`: the gain of `candidate`.

        Parameters
        ----------
        baseline, candidate : str
            Names of two systems.

        Returns
        -------
        RankedPair
            The one of `pairs`; turned round if `candidate` is the system that scores worse: with a negative gain, its
            interval, and wins and losses exchanged. The p-values are the same in both directions. In a one-sided
            ranking they are those of the better system.

        Raises
        ------
        ResultKeyError
            An unknown name, or the same system twice; also a `KeyError`.

        Examples
        --------
        >>> import outscore
        >>> ranking = outscore.rank({"a": [1, 0, 0, 1], "b": [1, 1, 0, 1]}, metric="accuracy")
        >>> ranking.pair("a", "b").gain, ranking.pair("b", "a").gain
        (0.25, -0.25)
        """
        first, second = (self.systems.index(self[name]) for name in (baseline, candidate))
        if first == second:
            what = f"expected two systems, got {quoted(baseline)} twice"
            raise ResultKeyError(Problem("pair", what, "", "same-system"))
        better, worse = sorted((first, second))
        # The order of `pairs`: those of the best system first, each with all systems below it.
        pair = self.pairs[better * (2 * len(self.systems) - better - 1) // 2 + worse - better - 1]
        return pair if pair.candidate == candidate else pair.turned

    @cached_property
    def pair_columns(self) -> PairColumns:
        """The pairs in columns."""
        return PairColumns.of(self.pairs)

    @cached_property
    def score_format(self) -> ScoreFormat:
        """The format of scores and gains, from the median half width of the intervals of gains."""
        step = max(1, -(-len(self.pairs) // _MOST_MEASURED))
        gains, intervals = self.pair_columns.column("gain")[::step], self.pair_columns.columns["interval"][::step]
        return score_format(
            [system.score for system in self.systems],
            [interval.reach(gain) for interval, gain in zip(intervals, gains.tolist(), strict=True)],
            percentage=self.metric.as_percentage,
        )

    @property
    def of_battles(self) -> bool:
        """Whether items are pairwise comparisons, so that pairs have a probability of winning."""
        return any(p is not None for p in self.pair_columns.columns.get("p_beats", ())[:1])

    def records(self, *, pairs: bool = False) -> Sequence[Mapping[str, object]]:
        """Return one row per system, or one per pair; the last column is `metric`."""
        if not pairs:
            columns = (
                "name family score rank rank_low rank_high group cluster among_best p_best interval.low interval.high "
                "gain_to_next gain_to_best overstatement interval_as_chosen.low interval_as_chosen.high "
                "metric=metric.spec"
            )
            return table(columns, [(system, self) for system in self.systems])
        others = " ".join(f"p_{test}=other_p_values.{test}" for test in self.tests[1:])
        others += " p_beats" if self.of_battles else ""
        columns = (
            "baseline candidate gain interval.low interval.high wins ties losses p_value p_holm p_bh p_maxt "
            f"p_value_low p_value_high exact n_exceeding same_family is_bound {others} metric=metric.spec"
        )
        return self.pair_columns.table(columns, self)


@record
class Rankings(Several[Ranking]):
    """Rankings on several metrics.

    This is the JSON output of outscore rank with several metrics.
    """

    schema: ClassVar = "outscore/rankings/1"

    results: tuple[Ranking, ...] = doc(
        "One per metric, in the order given; the object can also be iterated, and indexed by number or by the metric's "
        'name: ``results["bleu"]``.',
        minItems=1,
    )


def format_corrected_p(ranking: Ranking, pair: RankedPair, correction: Correction) -> str:
    """Return a pair's p-value under a correction as text, possibly as a bound.

    With r resamples, no p-value of max-T is below 1/(r + 1), so this is an upper bound if no resample reached the
    gain. The other corrections turn a bound into a bound.
    """
    p = pair.corrected(correction)
    smallest = 1 / (ranking.n_resamples + 1)
    bound = p <= smallest * (1 + 1e-9) if correction is Correction.MAX_T else pair.is_bound and p < 1
    return format_p(p, ranking.alpha, bound=bound)
