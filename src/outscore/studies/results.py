"""Results of studies: what BK12 asked of all pairs of a leaderboard, asked of any leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, TypeAlias

from outscore.results.comparisons import MetricDescription
from outscore.results.record import (
    UNITS,
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
    Table,
    Version,
    table,
)
from outscore.results.shown import Several, Shown

ALL_PAIRS, SAME_FAMILY, DIFFERENT_FAMILY = "all", "same-family", "different-family"
_Systems = Annotated[int, Keywords(minimum=2)]

# What all studies say of how they came about, after their tables, and of a threshold among what else a row tells.
_ABOUT = (
    "version=setting.version signature metric=setting.metric test=setting.test alternative=setting.alternative "
    "direction=setting.direction exact=setting.exact n_resamples=setting.n_resamples seed=setting.seed fit=setting.fit "
    "window_low=setting.window_low window_high=setting.window_high min_pairs=setting.min_pairs "
    "confidence_level=setting.confidence_level warnings"
)
_THRESHOLD = (
    "relation=threshold.relation threshold=threshold.threshold low=threshold.low high=threshold.high "
    "n_pairs=threshold.n_pairs reason=threshold.reason"
)


class Fit(StrEnum):
    """How a threshold is come by."""

    WINDOW = "window"
    ISOTONIC = "isotonic"
    LOGISTIC = "logistic"
    SCALED = "scaled"


class PartOrder(StrEnum):
    """Which items of a test set make a smaller one."""

    INITIAL = "initial"
    RANDOM = "random"


@dataclass(frozen=True)
class StudySetting:
    """How the p-values and thresholds of a study came about.

    Attributes
    ----------
    metric : MetricDescription
    test : str
        The name of the test that gives the p-values: one-sided, in the direction that the data took.
    n_resamples : int
        How many resamples of every test set, where p-values are sampled.
    exact : bool
        Whether all p-values were derived rather than sampled.
    fit : Fit
        How thresholds are come by.
    window : tuple of float
        p-values from the first to the second count as near 0.05.
    min_pairs : int
        A threshold that would rest on fewer tests is refused.
    confidence_level : float
        Of all intervals.
    seed : int
    version : str
    unit : str
        What is resampled, and what test sets are made of.
    """

    metric: MetricDescription
    test: str
    n_resamples: Positive
    exact: bool
    fit: Fit
    window: tuple[float, float]
    min_pairs: Positive
    confidence_level: Level
    seed: Seed
    version: Version
    unit: Annotated[str, UNITS] = "item"

    @property
    def alternative(self) -> Literal["greater"]:
        """Tests are one-sided."""
        return "greater"

    @property
    def direction(self) -> Literal["data"]:
        """Of each test, from the data: the system that scores better is the candidate, as in BK12."""
        return "data"

    @property
    def window_low(self) -> Share:
        """The p-values from here to `window_high` count as near 0.05."""
        return self.window[0]

    @property
    def window_high(self) -> Share:
        """The end of that window."""
        return self.window[1]


@dataclass(frozen=True)
class StudyPair:
    """Two systems; the candidate is the one that scores better, so that gain >= 0.

    Attributes
    ----------
    baseline : str
        The system that scores worse.
    candidate : str
        The system that scores better.
    gain : float
        In the unit of the score; never negative.
    p_value : float
        One-sided, before any correction: P(gain of a resample >= 2 gain).
    relation : str or None
        "same-family", "different-family", or a further relation that the board names. None where it is not known.
    """

    baseline: str
    candidate: str
    gain: Size
    p_value: PValue
    relation: str | None


@dataclass(frozen=True)
class Threshold:
    """A gain from which on 95% of the pairs of a relation are significant.

    Attributes
    ----------
    relation : str
        "all", "same-family", "different-family", or a further relation of the pairs.
    threshold : float or None
        The gain from which on 95% of the pairs are significant, in the unit of the score. None where it was refused;
        `reason` says why.
    low : float or None
        Lower end of its interval, from a bootstrap over systems. None where there is none.
    high : float or None
        Upper end of its interval. None where there is none.
    n_pairs : int
        Tests that it rests on; a pair counts once for every test set.
    reason : str or None
        Why there is no threshold, or no interval. None where there are both.
    """

    relation: str
    threshold: float | None
    low: float | None
    high: float | None
    n_pairs: Natural
    reason: str | None = None


class _Study(Shown):
    """What studies have in common."""

    setting: StudySetting

    def _rows(self, rows: Sequence[object]) -> Table:
        """Return the rows of a table; the last column, `metric`, tells those of several studies apart."""
        return table("* metric=setting.metric.spec", [(row, self) for row in rows])


@dataclass(frozen=True, repr=False)
class GainStudy(_Study):
    """Confidence against gain, and thresholds.

    Written by outscore study gain as JSON.

    Attributes
    ----------
    setting : StudySetting
    n_items : int
        Items of the test set.
    n_units : int
        Units of the test set: clusters where there are clusters, else items.
    n_systems : int
        Systems of the leaderboard.
    pairs : tuple of StudyPair
        Every pair once (BK12, section 3).
    thresholds : tuple of Threshold
        Of all pairs first, then by relation: same-family, different-family, and further ones.
    signature : str
    warnings : tuple of str
    """

    schema: ClassVar = "outscore/study-gain/1"
    json_keys: ClassVar = f"pairs thresholds {_ABOUT} n_items n_units n_systems unit=setting.unit"

    setting: StudySetting
    n_items: Positive
    n_units: Positive
    n_systems: _Systems
    pairs: Annotated[tuple[StudyPair, ...], Keywords(minItems=1)]
    thresholds: tuple[Threshold, ...]
    signature: Signature
    warnings: Messages = ()

    def records(self, *, thresholds: bool = False) -> Sequence[Mapping[str, object]]:
        """Return one record a pair, or one a threshold."""
        return self._rows(self.thresholds if thresholds else self.pairs)


@dataclass(frozen=True)
class SizePoint:
    """The threshold of test sets of one size.

    Attributes
    ----------
    items : int
        Units (see `unit`) of each test set.
    order : PartOrder
        Whether test sets are the first units of the whole one, or random subsets of it. The whole set itself comes
        once, as the first ones: it is no random subset.
    n_test_sets : int
        Test sets of this size.
    threshold : Threshold
        From the tests on all these test sets together.
    low_gain : float or None
        5th percentile of the gains of the tests in the window; the 95th is the threshold. None where that was refused.
    median_gain : float or None
        Their median. None where the threshold was refused.
    """

    json_keys: ClassVar = f"items order n_test_sets low_gain median_gain {_THRESHOLD}"

    items: Positive
    order: PartOrder
    n_test_sets: Positive
    threshold: Threshold
    low_gain: float | None
    median_gain: float | None


@dataclass(frozen=True)
class SizeFit:
    """How thresholds shrink with size: threshold = slope / sqrt(items), by least squares.

    Attributes
    ----------
    relation : str
        As of the points.
    order : PartOrder
        Whether test sets are the first units of the whole one, or random subsets of it. The whole set itself counts
        with either.
    slope : float or None
        Of threshold = slope / sqrt(items), by least squares, items being units; in the unit of the score. None with
        fewer than two sizes.
    r_squared : float or None
        About the mean threshold; negative where the law does not hold. None where not known.
    exponent : float or None
        Slope of log threshold against log items: -0.5 where the law holds. None where not known.
    n_sizes : int
        Sizes that have a threshold.
    """

    relation: str
    order: PartOrder
    slope: float | None
    r_squared: Annotated[float, Keywords(maximum=1)] | None
    exponent: float | None
    n_sizes: Natural


@dataclass(frozen=True, repr=False)
class SizeStudy(_Study):
    """Thresholds by the size of the test set.

    Written by outscore study size as JSON.

    Attributes
    ----------
    setting : StudySetting
    n_items : int
        Items of the test set; sizes are in units.
    n_units : int
        Units of the test set: clusters where there are clusters, else items.
    n_systems : int
        Systems of the leaderboard.
    points : tuple of SizePoint
        One a size, order and relation (BK12, Figures 9 and 10).
    fits : tuple of SizeFit
        How thresholds shrink with size.
    signature : str
    warnings : tuple of str
    """

    schema: ClassVar = "outscore/study-size/1"
    json_keys: ClassVar = f"points fits {_ABOUT} n_items n_systems n_units unit=setting.unit"

    setting: StudySetting
    n_items: Positive
    n_units: Positive
    n_systems: _Systems
    points: tuple[SizePoint, ...]
    fits: tuple[SizeFit, ...]
    signature: Signature
    warnings: Messages = ()

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record a size and relation."""
        return self._rows(self.points)

    @property
    def main_order(self) -> PartOrder:
        """The order whose thresholds rest on most tests: random subsets, where there are any."""
        random = any(point.order is PartOrder.RANDOM for point in self.points)
        return PartOrder.RANDOM if random else PartOrder.INITIAL

    def along(self, order: PartOrder) -> tuple[SizePoint, ...]:
        """Return the points of test sets of an order; the whole set, where it is one of the sizes, ends both."""
        return tuple(point for point in self.points if point.order is order or point.items == self.n_units)


@dataclass(frozen=True)
class DomainPoint:
    """The threshold of one domain.

    Attributes
    ----------
    domain : str
        A stratum, or a board.
    n_items : int
        Items of the domain.
    items : int
        Units (see `unit`) of each test set drawn from it.
    n_test_sets : int
        Test sets drawn from it.
    score : float
        Mean score of the systems on the whole domain.
    threshold : Threshold
    low_gain : float or None
        5th percentile of the gains of the tests in the window. None where the threshold was refused.
    median_gain : float or None
        Their median. None where the threshold was refused.
    n_units : int
        Units of the domain: clusters where there are clusters, else items.
    """

    json_keys: ClassVar = f"domain n_items items n_test_sets score low_gain median_gain n_units {_THRESHOLD}"

    domain: str
    n_items: Positive
    items: Positive
    n_test_sets: Positive
    score: float
    threshold: Threshold
    low_gain: float | None
    median_gain: float | None
    n_units: Positive


@dataclass(frozen=True, repr=False)
class DomainStudy(_Study):
    """Thresholds by domain.

    Written by outscore study domains as JSON.

    Attributes
    ----------
    setting : StudySetting
    items : int
        Units (see `unit`) of each test set.
    n_items : int
        Items of all domains together.
    n_units : int
        Units of all domains together: clusters where there are clusters, else items.
    n_systems : int
        Systems of different names.
    points : tuple of DomainPoint
        One a domain and relation (BK12, Figure 11).
    signature : str
    warnings : tuple of str
    """

    schema: ClassVar = "outscore/study-domains/1"
    json_keys: ClassVar = f"points {_ABOUT} items n_items n_units n_systems unit=setting.unit"

    setting: StudySetting
    items: Positive
    n_items: Positive
    n_units: Positive
    n_systems: _Systems
    points: tuple[DomainPoint, ...]
    signature: Signature
    warnings: Messages = ()

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record a domain and relation."""
        return self._rows(self.points)


@dataclass(frozen=True)
class CalibrationBin:
    """How often the system that a test set favours is the better one, for p-values of one bin.

    Attributes
    ----------
    low : float
        p-values above this, for the window also those that equal it, belong to the bin.
    high : float
        p-values up to this belong to the bin.
    n_tests : int
        Tests with such p-values.
    n_right : int
        How many of them point at the system that is better on the whole population.
    share : float or None
        n_right / n_tests. None where there are no such tests.
    share_low : float or None
        Lower end of its interval, from a bootstrap over systems and test sets. None where there is none.
    share_high : float or None
        Upper end of its interval. None where there is none.
    nominal : float or None
        Mean of 1 - p over these tests: the share that p-values would have if gains of all sizes, better and worse, were
        equally likely beforehand. A p-value that no resample met counts as 1/(r + 1). None where there are no tests.
    """

    low: Share
    high: Share
    n_tests: Natural
    n_right: Natural
    share: Share | None
    share_low: Share | None
    share_high: Share | None
    nominal: Share | None


@dataclass(frozen=True, repr=False)
class CalibrationStudy(_Study):
    """Whether p-values near 0.05 keep their promise.

    Written by outscore study calibration as JSON.

    Attributes
    ----------
    setting : StudySetting
    n_items : int
        Items of the population.
    n_units : int
        Units of the population: clusters where there are clusters, else items.
    items : int
        Units (see `unit`) of each test set, drawn with replacement.
    n_test_sets : int
        How many such sets.
    n_systems : int
        Systems of the leaderboard.
    n_equal : int
        Pairs that score the same on the population: there is no better system to point at, and they are left out.
    window : CalibrationBin
        BK12's (section 4.2): p-values near 0.05.
    bins : tuple of CalibrationBin
        From the smallest p-values to the largest.
    signature : str
    warnings : tuple of str
    """

    schema: ClassVar = "outscore/study-calibration/1"
    json_keys: ClassVar = f"window bins {_ABOUT} n_items items n_test_sets n_systems n_equal n_units unit=setting.unit"

    setting: StudySetting
    n_items: Positive
    n_units: Positive
    items: Positive
    n_test_sets: Positive
    n_systems: _Systems
    n_equal: Natural
    window: CalibrationBin
    bins: tuple[CalibrationBin, ...]
    signature: Signature
    warnings: Messages = ()

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record a bin, the window first."""
        return self._rows((self.window, *self.bins))


@dataclass(frozen=True)
class TransferBin:
    """Of pairs with p-values in one bin on one board, how many keep their sign on another.

    Attributes
    ----------
    other : str
        The other board.
    low : float
        p-values on the first board above this belong to the bin.
    high : float
        p-values up to this belong to the bin.
    n_pairs : int
        Pairs with such p-values that both boards have.
    n_kept : int
        Those in which the same system scores better on the other board.
    share : float or None
        n_kept / n_pairs. None where there are no such pairs.
    share_low : float or None
        Lower end of its Clopper-Pearson interval, which takes pairs to be independent. None where there are no such
        pairs.
    share_high : float or None
        Upper end of that interval. None where there are no such pairs.
    """

    other: str
    low: Share
    high: Share
    n_pairs: Natural
    n_kept: Natural
    share: Share | None
    share_low: Share | None
    share_high: Share | None


@dataclass(frozen=True, repr=False)
class TransferStudy(_Study):
    """Whether gains on one board are gains on others.

    Written by outscore study transfer as JSON.

    Attributes
    ----------
    setting : StudySetting
    board : str
        The board that the p-values are of.
    others : tuple of str
        The boards that they are held against.
    n_items : int
        Items of the first board.
    n_units : int
        Units of the first board: clusters where there are clusters, else items.
    n_systems : int
        Systems of the first board.
    bins : tuple of TransferBin
        By board, then from the smallest p-values to the largest (BK12, Table 1).
    signature : str
    warnings : tuple of str
    """

    schema: ClassVar = "outscore/study-transfer/1"
    json_keys: ClassVar = f"board others bins {_ABOUT} n_items n_units n_systems unit=setting.unit"

    setting: StudySetting
    board: str
    others: Annotated[tuple[str, ...], Keywords(minItems=1)]
    n_items: Positive
    n_units: Positive
    n_systems: _Systems
    bins: tuple[TransferBin, ...]
    signature: Signature
    warnings: Messages = ()

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record a bin and other board."""
        return self._rows(self.bins)


Study: TypeAlias = GainStudy | SizeStudy | DomainStudy | CalibrationStudy | TransferStudy


@dataclass(frozen=True, repr=False)
class Studies(Several[Study]):
    """Studies on several metrics.

    Written by outscore study with several metrics as JSON.

    Attributes
    ----------
    results : tuple of Study
        In the order asked for.
    """

    schema: ClassVar = "outscore/studies/1"

    results: Annotated[tuple[Study, ...], Keywords(minItems=1)]
