"""Results of planning: frozen and typed, without computation.

Gains are in the unit of the score, except in Jansen's table, where they are percentages of the items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from outscore.questions.looks import ErrorRate
from outscore.results.comparisons import Alternative, Claim, MetricDescription
from outscore.results.findings import RunSd
from outscore.results.parts import only
from outscore.results.record import (
    Keywords,
    Level,
    Messages,
    Natural,
    Positive,
    PValue,
    Seed,
    Share,
    Signature,
    Since,
    Size,
    Table,
    Version,
    table,
)
from outscore.results.shown import Shown

_Percent = Annotated[float, Keywords(minimum=0, maximum=100)]


@dataclass(frozen=True)
class PlanTableRow:
    """The p-value of a test set with these numbers of wins and losses.

    Attributes
    ----------
    items : int
        Number of items in the test set.
    gain : float
        The requested gain, as a percentage of the items.
    hurt_percent : float
        The requested percentage of losses.
    helped : int
        Wins: items on which the candidate is better. helped - hurt is the gain in items, rounded to an integer.
    hurt : int
        Losses: items on which the candidate is worse.
    p_value : float
    """

    items: Positive
    gain: _Percent
    hurt_percent: _Percent
    helped: Natural
    hurt: Natural
    p_value: PValue


@dataclass(frozen=True)
class PlanTableLimit:
    """The largest number of losses at which a gain is significant.

    Attributes
    ----------
    items : int
        Number of items in the test set.
    gain : float
        The requested gain, as a percentage of the items.
    gained : int
        Wins minus losses: the gain in items, rounded to an integer.
    hurt : int or None
        The largest number of losses at which p is at most alpha; null if the gain is never significant.
    p_value : float or None
        The p-value with so many losses; null if there is no such number.
    possible : int
        The largest possible number of losses: all items are wins or losses.
    """

    items: Positive
    gain: _Percent
    gained: Positive
    hurt: Natural | None
    p_value: PValue | None
    possible: Natural


@dataclass(frozen=True, repr=False)
class PlanTable(Shown):
    """Jansen's expected p-values, and the losses allowed.

    This is the JSON output of outscore plan table.

    Attributes
    ----------
    test : str
        The test's name.
    test_title : str
        The test's name in a sentence. Not part of the JSON.
    alternative : Alternative
    alpha : float
        The level with which reports compare the p-values.
    rows : tuple of PlanTableRow
        Rows by items, then gain, then percentage of losses (Jansen's example 3).
    notes : tuple of str
        Notes on rounded and omitted rows.
    version : str
    signature : str
        All settings of the table, as for comparisons.
    limits : tuple of PlanTableLimit
        One per size and gain: the largest number of losses at which it is significant.
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
    limits: Annotated[tuple[PlanTableLimit, ...], Since("0.8.0")] = ()

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record per row: items, gain, hurt_percent, helped, hurt, p_value."""
        return table("*", [(row,) for row in self.rows])


class PlanQuestion(StrEnum):
    """The quantity that a plan computes: the power, the smallest detectable gain, or the items needed."""

    POWER = "power"
    GAIN = "gain"
    ITEMS = "items"


@dataclass(frozen=True)
class PowerCheck:
    """How often the approximation and the test itself decided differently on the same simulated test sets.

    Attributes
    ----------
    n_sets : int
        Number of simulated test sets with both.
    n_more : int
        Number of sets on which only the test itself is significant.
    n_fewer : int
        Number of sets on which only the approximation is significant.
    """

    n_sets: Positive
    n_more: Natural
    n_fewer: Natural


@dataclass(frozen=True)
class Power:
    """The power of a test on test sets from an assumed population.

    Attributes
    ----------
    value : float
        The proportion of test sets on which the test is significant.
    low : float
        Lower end of its 95% Clopper-Pearson interval if simulated, otherwise the power itself.
    high : float
        Upper end of that interval.
    type_s : float or None
        The proportion of significant test sets with the wrong sign (Gelman & Carlin 2014); 0 for a one-sided test.
        None if no test set is significant, and for claims with a margin.
    type_m : float or None
        The factor by which significant test sets overstate the true gain on average (exaggeration ratio of Gelman &
        Carlin 2014). None if no test set is significant, and for claims with a margin.
    reversed : float
        The proportion of test sets on which the better system (for claims with a margin: the candidate) scores lower.
    computation : str
        "exact: trinomial", "noncentral t", "2,000 simulated test sets", ...
    n_sets : int or None
        Number of simulated test sets. None without simulation.
    check : PowerCheck or None
        How often the approximation and the test itself decided differently. None if not checked.
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
        Number of items in the test set.
    units : int
        Number of clusters if the pilot has clusters, else of items.
    gain : float
        The true gain, in the unit of the score.
    power : Power
    low : float or None
        Lower end of the 95% interval of the result (the gain or the items) for the simulation error. None without
        simulation, and for plans of power.
    high : float or None
        Upper end of that interval. None likewise.
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
        The assumptions on the items, in a sentence.
    metric : MetricDescription
        Its `as_percentage` is true if gains are shown as percentage points.
    alternative : Alternative
    alpha : float
        The level over all comparisons.
    comparisons : int
        Number of comparisons; each is tested at alpha / comparisons (Bonferroni).
    target : float or None
        The target power. None for plans of power.
    rows : tuple of PlanRow
        One row per test, size and gain.
    test_title : str
        The name of the first row's test in a sentence. Not part of the JSON.
    notes : tuple of str
        Notes for readers.
    seed : int or None
        The random seed of the simulation. None without simulation.
    version : str
    signature : str
        All settings of the plan, as for comparisons; the pilot's data are not included.
    claim : Claim
        The claim that the test should show.
    margin : float or None
        The largest tolerated loss, in the unit of the score. None for the claim "better".
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

    @property
    def _first(self) -> PlanRow:
        return only([row for row in self.rows if row.test == self.rows[0].test], "row")

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record per row: its test, items, units and gain, the power and its errors, and the computation."""
        sought = self.question
        ends = "" if sought is PlanQuestion.POWER else f"{sought}_low=low {sought}_high=high"
        check = " ".join(f"check_{name}=power.check.{name}" for name in ("n_sets", "n_more", "n_fewer"))
        return table(f"{_ROW} {ends} {check}", [(row,) for row in self.rows])


class PowerPlan(Plan):
    """The power of tests.

    This is the JSON output of outscore plan power.
    """

    question = PlanQuestion.POWER
    schema = "outscore/plan-power/1"

    target: None

    @property
    def power(self) -> float:
        """The power of the first test, if one size and gain were asked for."""
        return self._first.power.value


class GainPlan(Plan):
    """The gains that test sets detect.

    This is the JSON output of outscore plan gain.
    """

    question = PlanQuestion.GAIN
    schema = "outscore/plan-gain/1"

    target: Level
    rows: Annotated[tuple[GainRow, ...], Keywords(minItems=1)]
    claim: Annotated[Literal[Claim.BETTER], Since("0.2.0")]
    margin: Annotated[None, Since("0.2.0")]

    @property
    def gain(self) -> float:
        """The smallest gain that the first test detects, if one size was asked for; a fraction, never a percentage."""
        return self._first.gain


class ItemsPlan(Plan):
    """The items needed for gains.

    This is the JSON output of outscore plan items.
    """

    question = PlanQuestion.ITEMS
    schema = "outscore/plan-items/1"

    target: Level
    rows: Annotated[tuple[ItemsRow, ...], Keywords(minItems=1)]

    @property
    def items(self) -> int:
        """The number of items that the first test needs, if one gain was asked for."""
        return self._first.items


_Above0 = Annotated[float, Keywords(exclusiveMinimum=0)]


@dataclass(frozen=True)
class RunsRow:
    """The runs of each system needed for a gain on one test set.

    Attributes
    ----------
    items : int
        Number of items in the test set.
    runs : int or None
        The fewest runs of each system with which the crossed t test has the power, at least 3. None if no number of
        runs is enough.
    power : float or None
        The power with these runs. None if no number is enough.
    runs_low : int or None
        The runs needed at the lower end of the 95% interval of the variance between runs. None without a pilot, and
        if no number is enough.
    runs_high : int or None
        The runs needed at its upper end. None likewise.
    normal_runs : float or None
        The runs needed if all variances were known and the test were normal: the variance of one run of each
        system, divided by the allowed variance of the gain less that of the items. None if no number of runs is
        enough.
    """

    items: Positive
    runs: Positive | None
    power: Share | None
    runs_low: Positive | None
    runs_high: Positive | None
    normal_runs: Annotated[float | None, Keywords(minimum=0)]


@dataclass(frozen=True)
class RunsCell:
    """The precision of the gain on a test set with a number of runs of each system.

    Attributes
    ----------
    items : int
        Number of items in the test set.
    runs : int
        Number of runs of each system.
    standard_error : float
        The standard error of the gain.
    half_width : float
        The expected half width of the interval of the gain. With one run, the standard deviation of a run's score
        is assumed to be known.
    power : float or None
        The power of the crossed t test. None with one or two runs, which give no verdict.
    items_share : float
        The fraction of the variance due to items.
    runs_share : float
        The fraction due to runs.
    interaction_share : float
        The fraction due to the interaction of items and runs.
    """

    items: Positive
    runs: Positive
    standard_error: Size
    half_width: Size
    power: Share | None
    items_share: Share
    runs_share: Share
    interaction_share: Share


@dataclass(frozen=True)
class ItemsOfRuns:
    """The items needed for a gain with a number of runs of each system.

    Attributes
    ----------
    runs : int
        Number of runs of each system.
    items : int or None
        None if no number of items, up to ten million, is enough.
    """

    runs: Positive
    items: Positive | None


@dataclass(frozen=True)
class CheapestRuns:
    """The cheapest plan that has the power.

    Attributes
    ----------
    items : int or None
        None if no numbers of items and runs are enough.
    runs : int or None
        Number of runs of each system. None likewise.
    cost : float or None
        The cost, in the unit of the costs. None likewise.
    items_per_run : float or None
        The best ratio, ignoring the interaction. None if runs do not vary.
    """

    items: Positive | None
    runs: Positive | None
    cost: Size | None
    items_per_run: Size | None


@dataclass(frozen=True, repr=False)
class RunsPlan(Shown):
    """The runs of each system needed for a gain.

    This is the JSON output of outscore plan runs.

    Attributes
    ----------
    basis : str
        The assumptions, in a sentence.
    metric : MetricDescription
    alternative : Alternative
    alpha : float
        The level over all comparisons.
    comparisons : int
        Number of comparisons; each is tested at alpha / comparisons (Bonferroni).
    target : float
        The target power.
    gain : float
        The true gain, in the unit of the score.
    paired : bool
        True if run r of both systems is paired (same seed, for example).
    rows : tuple of RunsRow
        One row per size.
    intervals : tuple of RunsCell
        By size, then runs.
    items_needed : tuple of ItemsOfRuns
        One row per number of runs that gives a verdict.
    item_sd : float
        Standard deviation of the differences between the systems' expected scores per unit.
    run_effect_sd : float
        Standard deviation of the run effect, which all items of a run share: the root of the mean of the systems'
        variances; for paired runs, that of their difference.
    interaction_sd : float
        Standard deviation of the interaction of units and runs, likewise.
    run_sd : RunSd or None
        The pilot's standard deviation of a run's score, which includes the variance from its items. None without a
        pilot.
    cheapest : CheapestRuns or None
        None without costs.
    notes : tuple of str
        Notes for readers.
    seed : int or None
        The random seed for drawing items. None if the components are given as numbers.
    version : str
    signature : str
    """

    schema: ClassVar = "outscore/plan-runs/1"
    json_keys: ClassVar = "rows intervals items_needed"

    basis: str
    metric: MetricDescription
    alternative: Alternative
    alpha: Level
    comparisons: Positive
    target: Level
    gain: _Above0
    paired: bool
    rows: Annotated[tuple[RunsRow, ...], Keywords(minItems=1)]
    intervals: tuple[RunsCell, ...]
    items_needed: tuple[ItemsOfRuns, ...]
    item_sd: Size
    run_effect_sd: Size
    interaction_sd: Size
    run_sd: RunSd | None
    cheapest: CheapestRuns | None
    notes: Messages
    seed: Seed | None
    version: Version
    signature: Signature = ""

    @property
    def runs(self) -> int | None:
        """The number of runs of each system, if the plan has one row; see `RunsRow`."""
        return only(self.rows, "row").runs

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record per size and number of runs, with the runs needed at that size."""
        needed = {row.items: row.runs for row in self.rows}
        cells = table(
            "items runs standard_error half_width power items_share runs_share interaction_share gain",
            [(cell, self) for cell in self.intervals],
        )
        runs_needed = [needed[cell.items] for cell in self.intervals]
        return Table({**cells.columns, "runs_needed": runs_needed}, {**cells.types, "runs_needed": int})


@dataclass(frozen=True)
class GatePlanRow:
    """The items with which an equally good candidate passes one check.

    Attributes
    ----------
    look : int
        The number of the check, from 1.
    level : float
        The level of the check.
    target : float
        How often the candidate should pass.
    runs : int or None
        Runs of each system if new runs are planned; null if each system has one run.
    items : int or None
        The smallest sufficient number of items; null if no number is enough with these runs.
    units : int or None
        Number of clusters if the pilot has clusters, else of items; null likewise.
    power : float or None
        How often the candidate passes with these items; null if no number is enough, or if the items were scaled
        from those of another check.
    items_low : float or None
        Lower end of the 95% interval of the items for the simulation error. Null without simulation.
    items_high : float or None
        Upper end of that interval. Null likewise.
    """

    look: Positive
    level: Level
    target: Level
    runs: Positive | None
    items: Positive | None
    units: Positive | None
    power: Share | None
    items_low: Size | None
    items_high: Size | None


@dataclass(frozen=True)
class GateRunsRow:
    """The runs of each system with which an equally good candidate passes one check, on the pilot's items.

    Attributes
    ----------
    look : int
        The number of the check, from 1.
    level : float
        The level of the check.
    target : float
        How often the candidate should pass.
    items : int
        Number of the pilot's items.
    runs : int or None
        The smallest sufficient number of runs, at least 3; null if no number is enough.
    power : float or None
        How often the candidate passes with these runs; null likewise.
    """

    look: Positive
    level: Level
    target: Level
    items: Positive
    runs: Positive | None
    power: Share | None


@dataclass(frozen=True, repr=False)
class GatePlan(Shown):
    """The items needed for a gate.

    This is the JSON output of outscore plan gate.

    Attributes
    ----------
    basis : str
        The assumptions on the items, in a sentence.
    metric : MetricDescription
        The metric, which sets the unit of the margin.
    margin : float
        The largest tolerated loss, in the unit of the score; a fraction, never a percentage.
    alpha : float
        The level over all checks.
    error : ErrorRate
        What alpha bounds.
    looks : int or None
        The number of planned checks; null if unlimited, with check k at level alpha/(k(k+1)).
    look : int
        The planned check; other checks are reported as well.
    test : str
        The test for passing: "score" if the range of the scores is known, else "skew-t".
    test_title : str
        The test's name in a sentence. Not part of the JSON.
    rows : tuple of GatePlanRow
        Rows by check, then runs, then power.
    runs_needed : tuple of GateRunsRow
        Rows by check, then power; empty if no new runs are planned.
    notes : tuple of str
        Notes for readers.
    seed : int or None
        The random seed of the simulation. Null without simulation.
    version : str
        The version of outscore.
    signature : str
        All settings of the plan, as for comparisons; the pilot's data are not included.
    """

    schema: ClassVar = "outscore/plan-gate/1"
    json_keys: ClassVar = "rows runs_needed -test_title"

    basis: str
    metric: MetricDescription
    margin: Annotated[float, Keywords(exclusiveMinimum=0)]
    alpha: Level
    error: ErrorRate
    looks: Positive | None
    look: Positive
    test: str
    test_title: str
    rows: Annotated[tuple[GatePlanRow, ...], Keywords(minItems=1)]
    runs_needed: tuple[GateRunsRow, ...]
    notes: Messages
    seed: Seed | None
    version: Version
    signature: Signature = ""

    @property
    def items(self) -> int | None:
        """The number of items that `look` needs, for the lowest power and number of runs asked for."""
        return next(row for row in self.rows if row.look == self.look).items

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record per check, number of runs and power."""
        return table("look level target runs items units power items_low items_high", [(row,) for row in self.rows])
