"""Results of planning: frozen, typed, and free of any computation.

Gains are in the unit of the score, as everywhere, but for Jansen's table, whose gains are per cent of the items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from outscore.results.comparisons import Alternative, Claim, MetricDescription
from outscore.results.record import (
    Keywords,
    Level,
    Natural,
    Positive,
    PValue,
    Seed,
    Share,
    Signature,
    Since,
    Size,
    Version,
    table,
)
from outscore.results.shown import Shown

_Percent = Annotated[float, Keywords(minimum=0, maximum=100)]


@dataclass(frozen=True)
class PlanTableRow:
    """The p-value of a test set with so many items helped and hurt.

    Attributes
    ----------
    items : int
        Items of the test set.
    gain : float
        As asked for, in per cent of the items.
    hurt_percent : float
        Items hurt, as asked for, in per cent of the items.
    helped : int
        Items on which the candidate is better; helped - hurt is the gain in items, rounded to a whole number.
    hurt : int
        Items on which it is worse.
    p_value : float
    """

    items: Positive
    gain: _Percent
    hurt_percent: _Percent
    helped: Natural
    hurt: Natural
    p_value: PValue


@dataclass(frozen=True, repr=False)
class PlanTable(Shown):
    """Jansen's table of p-values to expect.

    Written by outscore plan table as JSON.

    Attributes
    ----------
    test : str
        The test's name.
    test_title : str
        What it is called in a sentence. Not written as JSON.
    alternative : Alternative
    alpha : float
        The level that reports compare the p-values with.
    rows : tuple of PlanTableRow
        By items, then gain, then share hurt (Jansen's example 3).
    notes : tuple of str
        What was rounded, and what was left out.
    version : str
    signature : str
        All that the table follows from, as of comparisons.
    """

    schema: ClassVar = "outscore/plan-table/1"
    json_keys: ClassVar = "rows -test_title"

    test: str
    test_title: str
    alternative: Alternative
    alpha: Level
    rows: tuple[PlanTableRow, ...]
    notes: tuple[str, ...]
    version: Version
    signature: Signature = ""

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record a row: items, gain, hurt_percent, helped, hurt, p_value."""
        return table("*", [(row,) for row in self.rows])


class PlanQuestion(StrEnum):
    """What a plan answers: the power, the smallest gain that is detected, or the items needed."""

    POWER = "power"
    GAIN = "gain"
    ITEMS = "items"


@dataclass(frozen=True)
class PowerCheck:
    """How often a shortcut and the test itself decided differently on the same simulated test sets.

    Attributes
    ----------
    n_sets : int
        Simulated test sets on which both were run.
    n_more : int
        Sets on which only the test itself is significant.
    n_fewer : int
        Sets on which only the shortcut is.
    """

    n_sets: Positive
    n_more: Natural
    n_fewer: Natural


@dataclass(frozen=True)
class Power:
    """How a test fares on test sets drawn from an assumed population.

    Attributes
    ----------
    value : float
        The share of test sets on which the test is significant.
    low : float
        Lower end of its Clopper-Pearson interval at 95% where simulated; `power` itself otherwise.
    high : float
        Upper end of that interval.
    type_s : float or None
        Of the significant test sets, the share that point the wrong way (Gelman & Carlin 2014); 0 for a one-sided test.
        None where none is significant, and for claims with a margin.
    type_m : float or None
        By which factor the gain of significant test sets overstates the true one on average (the exaggeration ratio of
        Gelman & Carlin 2014). None where none is significant, and for claims with a margin.
    reversed : float
        The share of all test sets on which the better system scores worse (the candidate, for claims with a margin).
    computation : str
        "exact: trinomial", "noncentral t", "2,000 simulated test sets", ...
    n_sets : int or None
        Simulated test sets. None where nothing was simulated.
    check : PowerCheck or None
        How often the shortcut that was simulated and the test itself decided differently. None where not checked.
    """

    value: Share
    low: Share
    high: Share
    type_s: Share | None
    type_m: Size | None
    reversed: Share
    computation: str
    n_sets: Positive | None = None
    check: PowerCheck | None = None


_ROW = (
    "test items units gain power=power.value power.low power.high type_s=power.type_s type_m=power.type_m "
    "reversed=power.reversed computation=power.computation n_sets=power.n_sets"
)


@dataclass(frozen=True)
class PlanRow:
    """One test at one size and gain.

    Attributes
    ----------
    test : str
        The test's name.
    items : int
        Items of the test set.
    units : int
        Clusters where the pilot has clusters, else items.
    gain : float
        The true gain, in the unit of the score.
    power : Power
    low : float or None
        What the power's simulation leaves open of the answer (the gain or the items), at 95%: its lower end. None where
        nothing was simulated, or the power was asked for.
    high : float or None
        What the simulation leaves open of the answer, at 95%: its upper end. None where nothing was simulated.
    """

    json_keys: ClassVar = f"{_ROW} check=power.check -low -high"

    test: str
    items: Positive
    units: Positive
    gain: float
    power: Power
    low: float | None = None
    high: float | None = None


class GainRow(PlanRow):
    """One test at one size, and the gain that it detects."""

    json_keys: ClassVar = f"{_ROW} gain_low=low gain_high=high check=power.check"


class ItemsRow(PlanRow):
    """One test at one gain, and the items that it needs."""

    json_keys: ClassVar = f"{_ROW} items_low=low items_high=high check=power.check"

    low: Size | None
    high: Size | None


@dataclass(frozen=True, repr=False)
class Plan(Shown):
    """Power, detectable gains or items needed.

    Attributes
    ----------
    basis : str
        What was assumed of the items, in a sentence.
    metric : MetricDescription
        Its `as_percentage` says whether gains are shown as points of a percentage.
    alternative : Alternative
    alpha : float
        The level over all comparisons together.
    comparisons : int
        Each is tested at alpha / comparisons (Bonferroni).
    target : float or None
        The power that was sought. None where the power was asked for.
    rows : tuple of PlanRow
        One a test, size and gain.
    test_title : str
        What the test of the first row is called in a sentence. Not written as JSON.
    notes : tuple of str
        What a reader must know.
    seed : int or None
        The seed of the simulation. None where nothing was simulated.
    version : str
    signature : str
        What the plan was asked, as of comparisons; a pilot's data are no part of it.
    claim : Claim
        What the test is to show.
    margin : float or None
        The largest loss that would not matter, in the unit of the score. None for the claim "better".
    """

    question: ClassVar[PlanQuestion]
    schema: ClassVar[str]
    json_keys: ClassVar = "rows basis metric alternative alpha comparisons level target claim margin notes -test_title"

    basis: str
    metric: MetricDescription
    alternative: Alternative
    alpha: Level
    comparisons: Positive
    target: Level | None
    rows: Annotated[tuple[PlanRow, ...], Keywords(minItems=1)]
    test_title: str
    notes: tuple[str, ...]
    seed: Seed | None
    version: Version
    signature: Signature = ""
    claim: Annotated[Claim, Since("0.2.0")] = Claim.BETTER
    margin: Annotated[float | None, Keywords(exclusiveMinimum=0), Since("0.2.0")] = None

    @property
    def level(self) -> Level:
        """The level of each comparison: alpha / comparisons."""
        return self.alpha / self.comparisons

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record a row: its test, items, units and gain, the power and its errors, how it was computed."""
        sought = self.question
        ends = "" if sought is PlanQuestion.POWER else f"{sought}_low=low {sought}_high=high"
        check = " ".join(f"check_{name}=power.check.{name}" for name in ("n_sets", "n_more", "n_fewer"))
        return table(f"{_ROW} {ends} {check}", [(row,) for row in self.rows])


class PowerPlan(Plan):
    """The power of tests.

    Written by outscore plan power as JSON.
    """

    question = PlanQuestion.POWER
    schema = "outscore/plan-power/1"

    target: None


class GainPlan(Plan):
    """The gains that test sets detect.

    Written by outscore plan gain as JSON.
    """

    question = PlanQuestion.GAIN
    schema = "outscore/plan-gain/1"

    target: Level
    rows: Annotated[tuple[GainRow, ...], Keywords(minItems=1)]
    claim: Annotated[Literal[Claim.BETTER], Since("0.2.0")]
    margin: Annotated[None, Since("0.2.0")]


class ItemsPlan(Plan):
    """The items that gains need.

    Written by outscore plan items as JSON.
    """

    question = PlanQuestion.ITEMS
    schema = "outscore/plan-items/1"

    target: Level
    rows: Annotated[tuple[ItemsRow, ...], Keywords(minItems=1)]
