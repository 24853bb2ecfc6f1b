"""Results of studies: what BK12 asked of all pairs of a leaderboard, asked of any leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum

from outscore.results.comparisons import MetricDescription
from outscore.results.shown import Shown

__all__ = [
    "ALL_PAIRS",
    "DIFFERENT_FAMILY",
    "SAME_FAMILY",
    "CalibrationBin",
    "CalibrationStudy",
    "DomainPoint",
    "DomainStudy",
    "Fit",
    "GainStudy",
    "PartOrder",
    "SizeFit",
    "SizePoint",
    "SizeStudy",
    "StudyPair",
    "StudySetting",
    "Threshold",
    "TransferBin",
    "TransferStudy",
    "record_of",
]

ALL_PAIRS, SAME_FAMILY, DIFFERENT_FAMILY = "all", "same-family", "different-family"


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
        One-sided, in the direction that the data took: gain ≥ 0, as in BK12.
    n_resamples : int
        r of every test set, where p-values are sampled.
    exact : bool
        Whether p-values were derived rather than sampled, all of them.
    fit : Fit
    window : tuple of float
        p-values from the first to the second count as near 0.05.
    min_pairs : int
        A threshold that would rest on fewer tests is refused.
    confidence_level : float
        Of intervals.
    seed : int
    version : str
    unit : str
        What is resampled and what test sets are made of: "item" or "cluster".
    """

    metric: MetricDescription
    test: str
    n_resamples: int
    exact: bool
    fit: Fit
    window: tuple[float, float]
    min_pairs: int
    confidence_level: float
    seed: int
    version: str
    unit: str = "item"


@dataclass(frozen=True)
class StudyPair:
    """Two systems; the candidate is the one that scores better, so that gain ≥ 0.

    Attributes
    ----------
    baseline, candidate : str
    gain : float
    p_value : float
        One-sided: P(δ* ≥ 2δ).
    relation : str or None
        "same-family", "different-family", or a further relation that the board names; None where it is not known.
    """

    baseline: str
    candidate: str
    gain: float
    p_value: float
    relation: str | None


@dataclass(frozen=True)
class Threshold:
    """A gain from which on 95% of the pairs of a relation are significant.

    Attributes
    ----------
    relation : str
        "all", or a relation of pairs.
    threshold : float or None
        None where it was refused; `reason` says why.
    low, high : float or None
        Interval, from a bootstrap over systems.
    n_pairs : int
        Tests that it rests on. Where there are several test sets a pair counts once for each.
    reason : str or None
        Why there is no threshold, or no interval.
    """

    relation: str
    threshold: float | None
    low: float | None
    high: float | None
    n_pairs: int
    reason: str | None = None


def record_of(
    held: StudyPair | Threshold | SizePoint | DomainPoint | CalibrationBin | TransferBin,
) -> dict[str, object]:
    """Return the fields of a row of a study by name; those of its threshold stand among its own."""
    found: dict[str, object] = {}
    for each in fields(held):
        value = getattr(held, each.name)
        if not isinstance(value, Threshold):
            found[each.name] = value.value if isinstance(value, StrEnum) else value
    threshold = getattr(held, "threshold", None)
    return found | record_of(threshold) if isinstance(threshold, Threshold) else found


@dataclass(frozen=True, repr=False)
class GainStudy(Shown):
    """Confidence against gain, for all pairs of a leaderboard (BK12, section 3).

    Attributes
    ----------
    setting : StudySetting
    n_items, n_units, n_systems : int
    pairs : tuple of StudyPair
        Every pair once.
    thresholds : tuple of Threshold
        Of all pairs, of same-family and different-family pairs, and of further relations.
    signature : str
    warnings : tuple of str
    """

    setting: StudySetting
    n_items: int
    n_units: int
    n_systems: int
    pairs: tuple[StudyPair, ...]
    thresholds: tuple[Threshold, ...]
    signature: str
    warnings: tuple[str, ...] = ()
    schema: str = field(default="outscore/study-gain/1")

    def records(self) -> Sequence[dict[str, object]]:
        """Return one record a pair."""
        return [record_of(pair) for pair in self.pairs]


@dataclass(frozen=True)
class SizePoint:
    """The threshold of test sets of one size.

    Attributes
    ----------
    items : int
        Units of each test set.
    order : PartOrder
        The first units of the whole set, or random subsets of it. The whole set itself comes once, as the first ones:
        it is no random subset.
    n_test_sets : int
    threshold : Threshold
        From the tests on all these test sets together.
    low_gain, median_gain : float or None
        5th percentile and median of the gains of the tests in the window; the 95th is the threshold.
    """

    items: int
    order: PartOrder
    n_test_sets: int
    threshold: Threshold
    low_gain: float | None
    median_gain: float | None


@dataclass(frozen=True)
class SizeFit:
    """How thresholds shrink with size: threshold = slope / √items, by least squares.

    Attributes
    ----------
    relation : str
    order : PartOrder
        Of the smaller test sets; the whole one counts with either.
    slope : float or None
        In the unit of the score; None with fewer than two sizes.
    r_squared : float or None
        About the mean threshold; can be negative where the law does not hold.
    exponent : float or None
        Slope of log threshold against log items: −0.5 where the law holds.
    n_sizes : int
    """

    relation: str
    order: PartOrder
    slope: float | None
    r_squared: float | None
    exponent: float | None
    n_sizes: int


@dataclass(frozen=True, repr=False)
class SizeStudy(Shown):
    """Thresholds by the size of the test set (BK12, Figures 9 and 10).

    Attributes
    ----------
    setting : StudySetting
    n_items, n_units, n_systems : int
        Of the whole test set; sizes are in units.
    points : tuple of SizePoint
    fits : tuple of SizeFit
    signature : str
    warnings : tuple of str
    """

    setting: StudySetting
    n_items: int
    n_units: int
    n_systems: int
    points: tuple[SizePoint, ...]
    fits: tuple[SizeFit, ...]
    signature: str
    warnings: tuple[str, ...] = ()
    schema: str = field(default="outscore/study-size/1")

    def records(self) -> Sequence[dict[str, object]]:
        """Return one record a size and relation."""
        return [record_of(point) for point in self.points]

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
    n_items : int
        Of the whole domain.
    items, n_test_sets : int
        Units of each test set drawn from it, and how many such sets.
    score : float
        Mean score of the systems on the whole domain.
    threshold : Threshold
    low_gain, median_gain : float or None
    n_units : int
        Of the whole domain.
    """

    domain: str
    n_items: int
    items: int
    n_test_sets: int
    score: float
    threshold: Threshold
    low_gain: float | None
    median_gain: float | None
    n_units: int


@dataclass(frozen=True, repr=False)
class DomainStudy(Shown):
    """Thresholds of test sets of one size from several domains (BK12, Figure 11).

    Attributes
    ----------
    setting : StudySetting
    items : int
        Units of each test set.
    n_items, n_units : int
        Of all domains together.
    n_systems : int
        Systems of different names.
    points : tuple of DomainPoint
    signature : str
    warnings : tuple of str
    """

    setting: StudySetting
    items: int
    n_items: int
    n_units: int
    n_systems: int
    points: tuple[DomainPoint, ...]
    signature: str
    warnings: tuple[str, ...] = ()
    schema: str = field(default="outscore/study-domains/1")

    def records(self) -> Sequence[dict[str, object]]:
        """Return one record a domain and relation."""
        return [record_of(point) for point in self.points]


@dataclass(frozen=True)
class CalibrationBin:
    """How often the system that a test set favours is the better one, for p-values of one bin.

    Attributes
    ----------
    low, high : float
        p-values p with low < p ≤ high; the window's ends both belong to it.
    n_tests : int
    n_right : int
        Tests that point at the system that is better on the whole population.
    share : float or None
        n_right / n_tests.
    share_low, share_high : float or None
        Interval of it, from a bootstrap over systems and test sets.
    nominal : float or None
        Mean of 1 − p over these tests: the share that p-values would have if gains of all sizes, better and worse,
        were equally likely beforehand. A p-value that no resample met counts as 1/(r + 1).
    """

    low: float
    high: float
    n_tests: int
    n_right: int
    share: float | None
    share_low: float | None
    share_high: float | None
    nominal: float | None


@dataclass(frozen=True, repr=False)
class CalibrationStudy(Shown):
    """Whether p-values near 0.05 keep what they promise (BK12, section 4.2).

    Attributes
    ----------
    setting : StudySetting
    n_items, n_units : int
        Of the population.
    items, n_test_sets : int
        Units of each test set, drawn with replacement from the population, and how many such sets.
    n_systems : int
    n_equal : int
        Pairs whose scores on the population are equal: there is no better system to point at, and they are left out.
    window : CalibrationBin
        BK12's: 92% on 1,600 sentences of English-Chinese translation.
    bins : tuple of CalibrationBin
    signature : str
    warnings : tuple of str
    """

    setting: StudySetting
    n_items: int
    n_units: int
    items: int
    n_test_sets: int
    n_systems: int
    n_equal: int
    window: CalibrationBin
    bins: tuple[CalibrationBin, ...]
    signature: str
    warnings: tuple[str, ...] = ()
    schema: str = field(default="outscore/study-calibration/1")

    def records(self) -> Sequence[dict[str, object]]:
        """Return one record a bin, the window first."""
        return [record_of(each) for each in (self.window, *self.bins)]


@dataclass(frozen=True)
class TransferBin:
    """Of pairs with p-values in one bin on one board, how many keep their sign on another.

    Attributes
    ----------
    other : str
        The other board.
    low, high : float
        low < p ≤ high, on the first board.
    n_pairs, n_kept : int
        Pairs that both boards have, and those in which the same system scores better on the other.
    share, share_low, share_high : float or None
        n_kept / n_pairs and its Clopper–Pearson interval, which takes pairs to be independent.
    """

    other: str
    low: float
    high: float
    n_pairs: int
    n_kept: int
    share: float | None
    share_low: float | None
    share_high: float | None


@dataclass(frozen=True, repr=False)
class TransferStudy(Shown):
    """Whether gains of some significance on one board are gains on others (BK12, Table 1).

    Attributes
    ----------
    setting : StudySetting
    board : str
        The one that p-values are from.
    others : tuple of str
    n_items, n_units, n_systems : int
        Of the first board.
    bins : tuple of TransferBin
    signature : str
    warnings : tuple of str
    """

    setting: StudySetting
    board: str
    others: tuple[str, ...]
    n_items: int
    n_units: int
    n_systems: int
    bins: tuple[TransferBin, ...]
    signature: str
    warnings: tuple[str, ...] = ()
    schema: str = field(default="outscore/study-transfer/1")

    def records(self) -> Sequence[dict[str, object]]:
        """Return one record a bin and other board."""
        return [record_of(each) for each in self.bins]
