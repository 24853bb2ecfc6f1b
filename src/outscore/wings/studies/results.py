"""Results of studies of leaderboards (BK12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import ClassVar, Literal, TypeAlias

from outscore.results.comparisons import MetricDescription
from outscore.results.record import (
    UNITS,
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
    doc,
    record,
    table,
)
from outscore.results.shown import Several, Shown

ALL_PAIRS, SAME_FAMILY, DIFFERENT_FAMILY = "all", "same-family", "different-family"

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


@record
class StudySetting:
    """The settings of a study's p-values and thresholds."""

    metric: MetricDescription
    test: str = doc("The name of the test of the p-values, one-sided in the observed direction.")
    n_resamples: Positive = doc("Number of resamples of every test set, if p-values are sampled.")
    exact: bool = doc("Whether all p-values are exact rather than sampled.")
    fit: Fit = doc("The rule for thresholds.")
    window: tuple[float, float] = doc("p-values from the first to the second count as near 0.05.")
    min_pairs: Positive = doc("The smallest number of tests for a threshold.")
    confidence_level: Level = doc("Confidence level of all intervals.")
    seed: Seed
    version: Version
    unit: str = doc("The resampling unit: items, or clusters.", default="item", enum=UNITS)

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


@record
class StudyPair:
    """Two systems; the candidate is the one that scores higher, so gain >= 0."""

    baseline: str = doc("The system with the lower score.")
    candidate: str = doc("The system with the higher score.")
    gain: Size = doc("The gain in the unit of the score; never negative.")
    p_value: PValue = doc("One-sided, before any correction: P(gain of a resample >= 2 gain).")
    relation: str | None = doc(
        '"same-family", "different-family", or a further relation of the leaderboard. None if unknown.'
    )


@record
class Threshold:
    """The gain above which 95% of the pairs of a relation are significant."""

    relation: str = doc('"all", "same-family", "different-family", or a further relation of the pairs.')
    threshold: float | None = doc(
        "The gain above which 95% of the pairs are significant, in the unit of the score. None if there is none, for "
        "which see `reason`."
    )
    low: float | None = doc("Lower end of its interval, from a bootstrap over systems. None if there is no interval.")
    high: float | None = doc("Upper end of its interval. None likewise.")
    n_pairs: Natural = doc("Number of tests used; a pair counts once for every test set.")
    reason: str | None = doc("Why there is no threshold, or no interval. None if there are both.", default=None)


class _Study(Shown):
    """Base class of studies."""

    setting: StudySetting

    def _rows(self, rows: Sequence[object]) -> Table:
        """Return the rows of a table; its last column is `metric`."""
        return table("* metric=setting.metric.spec", [(row, self) for row in rows])


@record
class GainStudy(_Study):
    """Confidence against gain, and thresholds.

    This is the JSON output of outscore study gain.
    """

    schema: ClassVar = "outscore/study-gain/1"
    json_keys: ClassVar = f"pairs thresholds {_ABOUT} n_items n_units n_systems unit=setting.unit"

    setting: StudySetting
    n_items: Positive = doc("Number of items in the test set.")
    n_units: Positive = doc("Number of units in the test set: clusters if there are any, else items.")
    n_systems: int = doc("Number of systems on the leaderboard.", minimum=2)
    pairs: tuple[StudyPair, ...] = doc("Every pair once (BK12, section 3).", minItems=1)
    thresholds: tuple[Threshold, ...] = doc(
        "Thresholds of all pairs first, then by relation: same-family, different-family, and further ones."
    )
    signature: Signature
    warnings: Messages = ()

    def records(self, *, thresholds: bool = False) -> Sequence[Mapping[str, object]]:
        """Return one record per pair, or one per threshold."""
        return self._rows(self.thresholds if thresholds else self.pairs)


@record
class SizePoint:
    """The threshold of test sets of one size."""

    json_keys: ClassVar = f"items order n_test_sets low_gain median_gain {_THRESHOLD}"

    items: Positive = doc("Units (see `unit`) of each test set.")
    order: PartOrder = doc(
        "Whether test sets are the first units of the whole one, or random subsets of it. The whole set is listed "
        "once, as the first units."
    )
    n_test_sets: Positive = doc("Number of test sets of this size.")
    threshold: Threshold = doc("The threshold from the pooled tests on these test sets.")
    low_gain: float | None = doc(
        "5th percentile of the gains of the tests in the window; the 95th is the threshold. None without a threshold."
    )
    median_gain: float | None = doc("Their median. None without a threshold.")


@record
class SizeFit:
    """The least-squares fit of thresholds by size: threshold = slope / sqrt(items)."""

    relation: str = doc("The relation, as for the points.")
    order: PartOrder = doc(
        "Whether test sets are the first units of the whole one, or random subsets of it. The whole set is included in "
        "either."
    )
    slope: float | None = doc(
        "The slope of threshold = slope / sqrt(items), with items in units; in the unit of the score. None with fewer "
        "than two sizes."
    )
    r_squared: float | None = doc(
        "R squared about the mean threshold; negative if the fit is worse than the mean. None if unknown.", maximum=1
    )
    exponent: float | None = doc("Slope of log threshold against log items: -0.5 for 1/sqrt(items). None if unknown.")
    n_sizes: Natural = doc("Number of sizes with a threshold.")


@record
class SizeStudy(_Study):
    """Thresholds by the size of the test set.

    This is the JSON output of outscore study size.
    """

    schema: ClassVar = "outscore/study-size/1"
    json_keys: ClassVar = f"points fits {_ABOUT} n_items n_systems n_units unit=setting.unit"

    setting: StudySetting
    n_items: Positive = doc("Number of items in the test set; sizes are in units.")
    n_units: Positive = doc("Number of units in the test set: clusters if there are any, else items.")
    n_systems: int = doc("Number of systems on the leaderboard.", minimum=2)
    points: tuple[SizePoint, ...] = doc("One point per size, order and relation (BK12, Figures 9 and 10).")
    fits: tuple[SizeFit, ...] = doc("Fits of thresholds by size.")
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


@record
class DomainPoint:
    """The threshold of one domain."""

    json_keys: ClassVar = f"domain n_items items n_test_sets score low_gain median_gain n_units {_THRESHOLD}"

    domain: str = doc("A stratum, or a leaderboard.")
    n_items: Positive = doc("Number of items in the domain.")
    items: Positive = doc("Units (see `unit`) of each test set drawn from it.")
    n_test_sets: Positive = doc("Number of test sets drawn from it.")
    score: float = doc("Mean score of the systems on the whole domain.")
    threshold: Threshold
    low_gain: float | None = doc("5th percentile of the gains of the tests in the window. None without a threshold.")
    median_gain: float | None = doc("Their median. None without a threshold.")
    n_units: Positive = doc("Number of units in the domain: clusters if there are any, else items.")


@record
class DomainStudy(_Study):
    """Thresholds by domain.

    This is the JSON output of outscore study domains.
    """

    schema: ClassVar = "outscore/study-domains/1"
    json_keys: ClassVar = f"points {_ABOUT} items n_items n_units n_systems unit=setting.unit"

    setting: StudySetting
    items: Positive = doc("Units (see `unit`) of each test set.")
    n_items: Positive = doc("Number of items in all domains.")
    n_units: Positive = doc("Number of units in all domains: clusters if there are any, else items.")
    n_systems: int = doc("Number of systems with different names.", minimum=2)
    points: tuple[DomainPoint, ...] = doc("One point per domain and relation (BK12, Figure 11).")
    signature: Signature
    warnings: Messages = ()

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record per domain and relation."""
        return self._rows(self.points)


@record
class CalibrationBin:
    """How often the observed winner is the better system, for p-values in one bin."""

    low: Share = doc("Lower end of the bin, exclusive; inclusive for the window.")
    high: Share = doc("Upper end of the bin, inclusive.")
    n_tests: Natural = doc("Number of tests with such p-values.")
    n_right: Natural = doc("Number of tests whose winner is better on the whole population.")
    share: Share | None = doc("n_right / n_tests. None without such tests.")
    share_low: Share | None = doc(
        "Lower end of its interval, from a bootstrap over systems and test sets. None if there is none."
    )
    share_high: Share | None = doc("Upper end of its interval. None if there is none.")
    nominal: Share | None = doc(
        "Mean of 1 - p over these tests: the proportion to expect if all gains, positive and negative, were equally "
        "likely a priori. A p-value whose statistic no resample reached counts as 1/(r + 1). None without tests."
    )


@record
class CalibrationStudy(_Study):
    """The calibration of p-values near 0.05.

    This is the JSON output of outscore study calibration.
    """

    schema: ClassVar = "outscore/study-calibration/1"
    json_keys: ClassVar = f"window bins {_ABOUT} n_items items n_test_sets n_systems n_equal n_units unit=setting.unit"

    setting: StudySetting
    n_items: Positive = doc("Number of items in the population.")
    n_units: Positive = doc("Number of units in the population: clusters if there are any, else items.")
    items: Positive = doc("Units (see `unit`) of each test set, drawn with replacement.")
    n_test_sets: Positive = doc("Number of test sets.")
    n_systems: int = doc("Number of systems on the leaderboard.", minimum=2)
    n_equal: Natural = doc("Number of pairs with equal scores on the population, which are left out.")
    window: CalibrationBin = doc("BK12's window (section 4.2): p-values near 0.05.")
    bins: tuple[CalibrationBin, ...] = doc("Bins from the smallest p-values to the largest.")
    signature: Signature
    warnings: Messages = ()

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record per bin, the window first."""
        return self._rows((self.window, *self.bins))


@record
class TransferBin:
    """How many pairs with p-values in one bin on a leaderboard keep their sign on another."""

    other: str = doc("The other leaderboard.")
    low: Share = doc("Lower end of the bin of p-values on the first leaderboard, exclusive.")
    high: Share = doc("Upper end of the bin, inclusive.")
    n_pairs: Natural = doc("Number of pairs with such p-values that are on both leaderboards.")
    n_kept: Natural = doc("Number of those in which the same system scores better on the other leaderboard.")
    share: Share | None = doc("n_kept / n_pairs. None without such pairs.")
    share_low: Share | None = doc(
        "Lower end of its Clopper-Pearson interval, which assumes independent pairs. None without such pairs."
    )
    share_high: Share | None = doc("Upper end of that interval. None without such pairs.")


@record
class TransferStudy(_Study):
    """Gains on a leaderboard that others confirm.

    This is the JSON output of outscore study transfer.
    """

    schema: ClassVar = "outscore/study-transfer/1"
    json_keys: ClassVar = f"board others bins {_ABOUT} n_items n_units n_systems unit=setting.unit"

    setting: StudySetting
    board: str = doc("The leaderboard of the p-values.")
    others: tuple[str, ...] = doc("The other leaderboards.", minItems=1)
    n_items: Positive = doc("Number of items on the first leaderboard.")
    n_units: Positive = doc("Number of units on the first leaderboard: clusters if there are any, else items.")
    n_systems: int = doc("Number of systems on the first leaderboard.", minimum=2)
    bins: tuple[TransferBin, ...] = doc(
        "Bins by leaderboard, then from the smallest p-values to the largest (BK12, Table 1)."
    )
    signature: Signature
    warnings: Messages = ()

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record per bin and other leaderboard."""
        return self._rows(self.bins)


Study: TypeAlias = GainStudy | SizeStudy | DomainStudy | CalibrationStudy | TransferStudy


@record
class Studies(Several[Study]):
    """Studies on several metrics.

    This is the JSON output of outscore study with several metrics.
    """

    schema: ClassVar = "outscore/studies/1"

    results: tuple[Study, ...] = doc("Results in the order of the metrics.", minItems=1)
