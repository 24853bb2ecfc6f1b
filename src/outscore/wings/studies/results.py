"""Results of studies of leaderboards (BK12)."""

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

# Columns with the settings of a study, after its tables, and the columns of a threshold.
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
    """The rule for thresholds."""

    WINDOW = "window"
    ISOTONIC = "isotonic"
    LOGISTIC = "logistic"
    SCALED = "scaled"


class PartOrder(StrEnum):
    """How the items of a smaller test set are chosen."""

    INITIAL = "initial"
    RANDOM = "random"


@dataclass(frozen=True)
class StudySetting:
    """The settings of a study's p-values and thresholds.

    Attributes
    ----------
    metric : MetricDescription
    test : str
        The name of the test of the p-values, one-sided in the observed direction.
    n_resamples : int
        Number of resamples of every test set, if p-values are sampled.
    exact : bool
        Whether all p-values are exact rather than sampled.
    fit : Fit
        The rule for thresholds.
    window : tuple of float
        p-values from the first to the second count as near 0.05.
    min_pairs : int
        The smallest number of tests for a threshold.
    confidence_level : float
        Confidence level of all intervals.
    seed : int
    version : str
    unit : str
        The resampling unit: items, or clusters.
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
        """The system with the higher score is the candidate, in each test, as in BK12."""
        return "data"

    @property
    def window_low(self) -> Share:
        """Lower end of the window of p-values near 0.05."""
        return self.window[0]

    @property
    def window_high(self) -> Share:
        """Upper end of that window."""
        return self.window[1]


@dataclass(frozen=True)
class StudyPair:
    """Two systems; the candidate is the one that scores higher, so gain >= 0.

    Attributes
    ----------
    baseline : str
        The system with the lower score.
    candidate : str
        The system with the higher score.
    gain : float
        The gain in the unit of the score; never negative.
    p_value : float
        One-sided, before any correction: P(gain of a resample >= 2 gain).
    relation : str or None
        "same-family", "different-family", or a further relation of the leaderboard. None if unknown.
    """

    baseline: str
    candidate: str
    gain: Size
    p_value: PValue
    relation: str | None


@dataclass(frozen=True)
class Threshold:
    """The gain above which 95% of the pairs of a relation are significant.

    Attributes
    ----------
    relation : str
        "all", "same-family", "different-family", or a further relation of the pairs.
    threshold : float or None
        The gain above which 95% of the pairs are significant, in the unit of the score. None if there is none, for
        which see `reason`.
    low : float or None
        Lower end of its interval, from a bootstrap over systems. None if there is no interval.
    high : float or None
        Upper end of its interval. None likewise.
    n_pairs : int
        Number of tests used; a pair counts once for every test set.
    reason : str or None
        Why there is no threshold, or no interval. None if there are both.
    """

    relation: str
    threshold: float | None
    low: float | None
    high: float | None
    n_pairs: Natural
    reason: str | None = None


class _Study(Shown):
    """Base class of studies."""

    setting: StudySetting

    @property
    def version(self) -> str:
        """The version of outscore that wrote this."""
        return self.setting.version

    def _rows(self, rows: Sequence[object]) -> Table:
        """Return the rows of a table; its last column is `metric`."""
        return table("* metric=setting.metric.spec", [(row, self) for row in rows])


@dataclass(frozen=True, repr=False)
class GainStudy(_Study):
    """Confidence against gain, and thresholds.

    This is the JSON output of outscore study gain.

    Attributes
    ----------
    setting : StudySetting
    n_items : int
        Number of items in the test set.
    n_units : int
        Number of units in the test set: clusters if there are any, else items.
    n_systems : int
        Number of systems on the leaderboard.
    pairs : tuple of StudyPair
        Every pair once (BK12, section 3).
    thresholds : tuple of Threshold
        Thresholds of all pairs first, then by relation: same-family, different-family, and further ones.
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
        """Return one record per pair, or one per threshold."""
        return self._rows(self.thresholds if thresholds else self.pairs)


@dataclass(frozen=True)
class SizePoint:
    """The threshold of test sets of one size.

    Attributes
    ----------
    items : int
        Units (see `unit`) of each test set.
    order : PartOrder
        Whether test sets are the first units of the whole one, or random subsets of it. The whole set is listed
        once, as the first units.
    n_test_sets : int
        Number of test sets of this size.
    threshold : Threshold
        The threshold from the pooled tests on these test sets.
    low_gain : float or None
        5th percentile of the gains of the tests in the window; the 95th is the threshold. None without a threshold.
    median_gain : float or None
        Their median. None without a threshold.
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
    """The least-squares fit of thresholds by size: threshold = slope / sqrt(items).

    Attributes
    ----------
    relation : str
        The relation, as for the points.
    order : PartOrder
        Whether test sets are the first units of the whole one, or random subsets of it. The whole set is included
        in either.
    slope : float or None
        The slope of threshold = slope / sqrt(items), with items in units; in the unit of the score. None with fewer
        than two sizes.
    r_squared : float or None
        R squared about the mean threshold; negative if the fit is worse than the mean. None if unknown.
    exponent : float or None
        Slope of log threshold against log items: -0.5 for 1/sqrt(items). None if unknown.
    n_sizes : int
        Number of sizes with a threshold.
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

    This is the JSON output of outscore study size.

    Attributes
    ----------
    setting : StudySetting
    n_items : int
        Number of items in the test set; sizes are in units.
    n_units : int
        Number of units in the test set: clusters if there are any, else items.
    n_systems : int
        Number of systems on the leaderboard.
    points : tuple of SizePoint
        One point per size, order and relation (BK12, Figures 9 and 10).
    fits : tuple of SizeFit
        Fits of thresholds by size.
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
        """Return one record per size and relation."""
        return self._rows(self.points)

    @property
    def main_order(self) -> PartOrder:
        """The order with the most tests: random subsets, if there are any."""
        random = any(point.order is PartOrder.RANDOM for point in self.points)
        return PartOrder.RANDOM if random else PartOrder.INITIAL

    def along(self, order: PartOrder) -> tuple[SizePoint, ...]:
        """Return the points of an order; the whole set, if it is one of the sizes, comes last in both."""
        return tuple(point for point in self.points if point.order is order or point.items == self.n_units)


@dataclass(frozen=True)
class DomainPoint:
    """The threshold of one domain.

    Attributes
    ----------
    domain : str
        A stratum, or a leaderboard.
    n_items : int
        Number of items in the domain.
    items : int
        Units (see `unit`) of each test set drawn from it.
    n_test_sets : int
        Number of test sets drawn from it.
    score : float
        Mean score of the systems on the whole domain.
    threshold : Threshold
    low_gain : float or None
        5th percentile of the gains of the tests in the window. None without a threshold.
    median_gain : float or None
        Their median. None without a threshold.
    n_units : int
        Number of units in the domain: clusters if there are any, else items.
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

    This is the JSON output of outscore study domains.

    Attributes
    ----------
    setting : StudySetting
    items : int
        Units (see `unit`) of each test set.
    n_items : int
        Number of items in all domains.
    n_units : int
        Number of units in all domains: clusters if there are any, else items.
    n_systems : int
        Number of systems with different names.
    points : tuple of DomainPoint
        One point per domain and relation (BK12, Figure 11).
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
        """Return one record per domain and relation."""
        return self._rows(self.points)


@dataclass(frozen=True)
class CalibrationBin:
    """How often the observed winner is the better system, for p-values in one bin.

    Attributes
    ----------
    low : float
        Lower end of the bin, exclusive; inclusive for the window.
    high : float
        Upper end of the bin, inclusive.
    n_tests : int
        Number of tests with such p-values.
    n_right : int
        Number of tests whose winner is better on the whole population.
    share : float or None
        n_right / n_tests. None without such tests.
    share_low : float or None
        Lower end of its interval, from a bootstrap over systems and test sets. None if there is none.
    share_high : float or None
        Upper end of its interval. None if there is none.
    nominal : float or None
        Mean of 1 - p over these tests: the proportion to expect if all gains, positive and negative, were equally
        likely a priori. A p-value whose statistic no resample reached counts as 1/(r + 1). None without tests.
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
    """The calibration of p-values near 0.05.

    This is the JSON output of outscore study calibration.

    Attributes
    ----------
    setting : StudySetting
    n_items : int
        Number of items in the population.
    n_units : int
        Number of units in the population: clusters if there are any, else items.
    items : int
        Units (see `unit`) of each test set, drawn with replacement.
    n_test_sets : int
        Number of test sets.
    n_systems : int
        Number of systems on the leaderboard.
    n_equal : int
        Number of pairs with equal scores on the population, which are left out.
    window : CalibrationBin
        BK12's window (section 4.2): p-values near 0.05.
    bins : tuple of CalibrationBin
        Bins from the smallest p-values to the largest.
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
        """Return one record per bin, the window first."""
        return self._rows((self.window, *self.bins))


@dataclass(frozen=True)
class TransferBin:
    """How many pairs with p-values in one bin on a leaderboard keep their sign on another.

    Attributes
    ----------
    other : str
        The other leaderboard.
    low : float
        Lower end of the bin of p-values on the first leaderboard, exclusive.
    high : float
        Upper end of the bin, inclusive.
    n_pairs : int
        Number of pairs with such p-values that are on both leaderboards.
    n_kept : int
        Number of those in which the same system scores better on the other leaderboard.
    share : float or None
        n_kept / n_pairs. None without such pairs.
    share_low : float or None
        Lower end of its Clopper-Pearson interval, which assumes independent pairs. None without such pairs.
    share_high : float or None
        Upper end of that interval. None without such pairs.
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
    """Gains on a leaderboard that others confirm.

    This is the JSON output of outscore study transfer.

    Attributes
    ----------
    setting : StudySetting
    board : str
        The leaderboard of the p-values.
    others : tuple of str
        The other leaderboards.
    n_items : int
        Number of items on the first leaderboard.
    n_units : int
        Number of units on the first leaderboard: clusters if there are any, else items.
    n_systems : int
        Number of systems on the first leaderboard.
    bins : tuple of TransferBin
        Bins by leaderboard, then from the smallest p-values to the largest (BK12, Table 1).
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
        """Return one record per bin and other leaderboard."""
        return self._rows(self.bins)


Study: TypeAlias = GainStudy | SizeStudy | DomainStudy | CalibrationStudy | TransferStudy


@dataclass(frozen=True, repr=False)
class Studies(Several[Study]):
    """Studies on several metrics.

    This is the JSON output of outscore study with several metrics.

    Attributes
    ----------
    results : tuple of Study
        Results in the order of the metrics.
    """

    schema: ClassVar = "outscore/studies/1"

    results: Annotated[tuple[Study, ...], Keywords(minItems=1)]
