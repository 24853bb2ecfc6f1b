"""Results of planning: frozen and typed, without computation.

Gains are in the unit of the score, except in Jansen's table, where they are percentages of the items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import ClassVar, Literal

from outscore.questions.looks import ErrorRate
from outscore.results.comparisons import Alternative, Claim, MetricDescription
from outscore.results.findings import RunSd
from outscore.results.parts import only
from outscore.results.record import (
    Level,
    Margin,
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
from outscore.results.shown import Shown


@record
class PlanTableRow:
    """The p-value of a test set with these numbers of wins and losses."""

    items: Positive = doc("Number of items in the test set.")
    gain: float = doc("The requested gain, as a percentage of the items.", minimum=0, maximum=100)
    hurt_percent: float = doc("The requested percentage of losses.", minimum=0, maximum=100)
    helped: Natural = doc(
        "Wins: items on which the candidate is better. helped - hurt is the gain in items, rounded to an integer."
    )
    hurt: Natural = doc("Losses: items on which the candidate is worse.")
    p_value: PValue


@record
class PlanTableLimit:
    """The largest number of losses at which a gain is significant."""

    items: Positive = doc("Number of items in the test set.")
    gain: float = doc("The requested gain, as a percentage of the items.", minimum=0, maximum=100)
    gained: Positive = doc("Wins minus losses: the gain in items, rounded to an integer.")
    hurt: Natural | None = doc(
        "The largest number of losses at which p is at most alpha; null if the gain is never significant."
    )
    p_value: PValue | None = doc("The p-value with so many losses; null if there is no such number.")
    possible: Natural = doc("The largest possible number of losses: all items are wins or losses.")


@record
class PlanTable(Shown):
    """Jansen's expected p-values, and the losses allowed.

    This is the JSON output of outscore plan table.
    """

    schema: ClassVar = "outscore/plan-table/1"
    json_keys: ClassVar = "rows -test_title"

    test: str = doc("The test's name.")
    test_title: str = doc("The test's name in a sentence. Not part of the JSON.")
    alternative: Alternative
    alpha: Level = doc("The level with which reports compare the p-values.")
    rows: tuple[PlanTableRow, ...] = doc("Rows by items, then gain, then percentage of losses (Jansen's example 3).")
    notes: tuple[str, ...] = doc("Notes on rounded and omitted rows.")
    version: Version
    signature: Signature = doc("All settings of the table, as for comparisons.", default="")
    limits: tuple[PlanTableLimit, ...] = doc(
        "One per size and gain: the largest number of losses at which it is significant.", default=(), since="1.0.0"
    )

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record per row: items, gain, hurt_percent, helped, hurt, p_value."""
        return table("*", [(row,) for row in self.rows])


class PlanQuestion(StrEnum):
    """The quantity that a plan computes: the power, the smallest detectable gain, or the items needed."""

    POWER = "power"
    GAIN = "gain"
    ITEMS = "items"


@record
class PowerCheck:
    """How often the approximation and the test itself decided differently on the same simulated test sets."""

    n_sets: Positive = doc("Number of simulated test sets with both.")
    n_more: Natural = doc("Number of sets on which only the test itself is significant.")
    n_fewer: Natural = doc("Number of sets on which only the approximation is significant.")


@record
class Power:
    """The power of a test on test sets from an assumed population."""

    value: Share = doc("The proportion of test sets on which the test is significant.")
    low: Share = doc("Lower end of its 95% Clopper-Pearson interval if simulated, otherwise the power itself.")
    high: Share = doc("Upper end of that interval.")
    type_s: Share | None = doc(
        "The proportion of significant test sets with the wrong sign (Gelman & Carlin 2014); 0 for a one-sided test. "
        "None if no test set is significant, and for claims with a margin."
    )
    type_m: Size | None = doc(
        "The factor by which significant test sets overstate the true gain on average (exaggeration ratio of Gelman & "
        "Carlin 2014). None if no test set is significant, and for claims with a margin."
    )
    reversed: Share = doc(
        "The proportion of test sets on which the better system (for claims with a margin: the candidate) scores lower."
    )
    computation: str = doc('"exact: trinomial", "noncentral t", "2,000 simulated test sets", ...')
    n_sets: Positive | None = doc("Number of simulated test sets. None without simulation.", default=None)
    check: PowerCheck | None = doc(
        "How often the approximation and the test itself decided differently. None if not checked.", default=None
    )


_ROW = (
    "test items units gain power=power.value power.low power.high type_s=power.type_s type_m=power.type_m "
    "reversed=power.reversed computation=power.computation n_sets=power.n_sets"
)


@record
class PlanRow:
    """One test at one size and gain."""

    json_keys: ClassVar = f"{_ROW} check=power.check -low -high"

    test: str = doc("The test's name.")
    items: Positive = doc("Number of items in the test set.")
    units: Positive = doc("Number of clusters if the pilot has clusters, else of items.")
    gain: float = doc("The true gain, in the unit of the score.")
    power: Power
    low: float | None = doc(
        "Lower end of the 95% interval of the result (the gain or the items) for the simulation error. None without "
        "simulation, and for plans of power.",
        default=None,
    )
    high: float | None = doc("Upper end of that interval. None likewise.", default=None)


class GainRow(PlanRow):
    """One test at one size, and the gain that it detects."""

    json_keys: ClassVar = f"{_ROW} gain_low=low gain_high=high check=power.check"


class ItemsRow(PlanRow):
    """One test at one gain, and the items that it needs."""

    json_keys: ClassVar = f"{_ROW} items_low=low items_high=high check=power.check"

    low: Size | None
    high: Size | None


@record
class Plan(Shown):
    """Power, detectable gains or items needed."""

    question: ClassVar[PlanQuestion]
    schema: ClassVar[str]
    json_keys: ClassVar = "rows basis metric alternative alpha comparisons level target claim margin notes -test_title"

    basis: str = doc("The assumptions on the items, in a sentence.")
    metric: MetricDescription = doc("Its `as_percentage` is true if gains are shown as percentage points.")
    alternative: Alternative
    alpha: Level = doc("The level over all comparisons.")
    comparisons: Positive = doc("Number of comparisons; each is tested at alpha / comparisons (Bonferroni).")
    target: Level | None = doc("The target power. None for plans of power.")
    rows: tuple[PlanRow, ...] = doc("One row per test, size and gain.", minItems=1)
    test_title: str = doc("The name of the first row's test in a sentence. Not part of the JSON.")
    notes: tuple[str, ...] = doc("Notes for readers.")
    seed: Seed | None = doc("The random seed of the simulation. None without simulation.")
    version: Version
    signature: Signature = doc(
        "All settings of the plan, as for comparisons; the pilot's data are not included.", default=""
    )
    claim: Claim = doc("The claim that the test should show.", default=Claim.BETTER, since="0.2.0")
    margin: Margin | None = doc(
        'The largest tolerated loss, in the unit of the score. None for the claim "better".',
        default=None,
        since="0.2.0",
        null=True,
    )

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
    rows: tuple[GainRow, ...]
    claim: Literal[Claim.BETTER]
    margin: None

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
    rows: tuple[ItemsRow, ...]

    @property
    def items(self) -> int:
        """The number of items that the first test needs, if one gain was asked for."""
        return self._first.items


@record
class RunsRow:
    """The runs of each system needed for a gain on one test set."""

    items: Positive = doc("Number of items in the test set.")
    runs: Positive | None = doc(
        "The fewest runs of each system with which the crossed t test has the power, at least 3. None if no number of "
        "runs is enough."
    )
    power: Share | None = doc("The power with these runs. None if no number is enough.")
    runs_low: Positive | None = doc(
        "The runs needed at the lower end of the 95% interval of the variance between runs. None without a pilot, and "
        "if no number is enough."
    )
    runs_high: Positive | None = doc("The runs needed at its upper end. None likewise.")
    normal_runs: float | None = doc(
        "The runs needed if all variances were known and the test were normal: the variance of one run of each system, "
        "divided by the allowed variance of the gain less that of the items. None if no number of runs is enough.",
        minimum=0,
    )


@record
class RunsCell:
    """The precision of the gain on a test set with a number of runs of each system."""

    items: Positive = doc("Number of items in the test set.")
    runs: Positive = doc("Number of runs of each system.")
    standard_error: Size = doc("The standard error of the gain.")
    half_width: Size = doc(
        "The expected half width of the interval of the gain. With one run, the standard deviation of a run's score is "
        "assumed to be known."
    )
    power: Share | None = doc("The power of the crossed t test. None with one or two runs, which give no verdict.")
    items_share: Share = doc("The fraction of the variance due to items.")
    runs_share: Share = doc("The fraction due to runs.")
    interaction_share: Share = doc("The fraction due to the interaction of items and runs.")


@record
class ItemsOfRuns:
    """The items needed for a gain with a number of runs of each system."""

    runs: Positive = doc("Number of runs of each system.")
    items: Positive | None = doc("None if no number of items, up to ten million, is enough.")


@record
class CheapestRuns:
    """The cheapest plan that has the power."""

    items: Positive | None = doc("None if no numbers of items and runs are enough.")
    runs: Positive | None = doc("Number of runs of each system. None likewise.")
    cost: Size | None = doc("The cost, in the unit of the costs. None likewise.")
    items_per_run: Size | None = doc("The best ratio, ignoring the interaction. None if runs do not vary.")


@record
class RunsPlan(Shown):
    """The runs of each system needed for a gain.

    This is the JSON output of outscore plan runs.
    """

    schema: ClassVar = "outscore/plan-runs/1"
    json_keys: ClassVar = "rows intervals items_needed"

    basis: str = doc("The assumptions, in a sentence.")
    metric: MetricDescription
    alternative: Alternative
    alpha: Level = doc("The level over all comparisons.")
    comparisons: Positive = doc("Number of comparisons; each is tested at alpha / comparisons (Bonferroni).")
    target: Level = doc("The target power.")
    gain: float = doc("The true gain, in the unit of the score.", exclusiveMinimum=0)
    paired: bool = doc("True if run r of both systems is paired (same seed, for example).")
    rows: tuple[RunsRow, ...] = doc("One row per size.", minItems=1)
    intervals: tuple[RunsCell, ...] = doc("By size, then runs.")
    items_needed: tuple[ItemsOfRuns, ...] = doc("One row per number of runs that gives a verdict.")
    item_sd: Size = doc("Standard deviation of the differences between the systems' expected scores per unit.")
    run_effect_sd: Size = doc(
        "Standard deviation of the run effect, which all items of a run share: the root of the mean of the systems' "
        "variances; for paired runs, that of their difference."
    )
    interaction_sd: Size = doc("Standard deviation of the interaction of units and runs, likewise.")
    run_sd: RunSd | None = doc(
        "The pilot's standard deviation of a run's score, which includes the variance from its items. None without a "
        "pilot."
    )
    cheapest: CheapestRuns | None = doc("None without costs.")
    notes: Messages = doc("Notes for readers.")
    seed: Seed | None = doc("The random seed for drawing items. None if the components are given as numbers.")
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


@record
class GatePlanRow:
    """The items with which an equally good candidate passes one check."""

    look: Positive = doc("The number of the check, from 1.")
    level: Level = doc("The level of the check.")
    target: Level = doc("How often the candidate should pass.")
    runs: Positive | None = doc("Runs of each system if new runs are planned; null if each system has one run.")
    items: Positive | None = doc(
        "The smallest sufficient number of items; null if no number is enough with these runs."
    )
    units: Positive | None = doc("Number of clusters if the pilot has clusters, else of items; null likewise.")
    power: Share | None = doc(
        "How often the candidate passes with these items; null if no number is enough, or if the items were scaled "
        "from those of another check."
    )
    items_low: Size | None = doc(
        "Lower end of the 95% interval of the items for the simulation error. Null without simulation."
    )
    items_high: Size | None = doc("Upper end of that interval. Null likewise.")


@record
class GateRunsRow:
    """The runs of each system with which an equally good candidate passes one check, on the pilot's items."""

    look: Positive = doc("The number of the check, from 1.")
    level: Level = doc("The level of the check.")
    target: Level = doc("How often the candidate should pass.")
    items: Positive = doc("Number of the pilot's items.")
    runs: Positive | None = doc("The smallest sufficient number of runs, at least 3; null if no number is enough.")
    power: Share | None = doc("How often the candidate passes with these runs; null likewise.")


@record
class GatePlan(Shown):
    """The items needed for a gate.

    This is the JSON output of outscore plan gate.
    """

    schema: ClassVar = "outscore/plan-gate/1"
    json_keys: ClassVar = "rows runs_needed -test_title"

    basis: str = doc("The assumptions on the items, in a sentence.")
    metric: MetricDescription = doc("The metric, which sets the unit of the margin.")
    margin: Margin = doc("The largest tolerated loss, in the unit of the score; a fraction, never a percentage.")
    alpha: Level = doc("The level over all checks.")
    error: ErrorRate = doc("What alpha bounds.")
    looks: Positive | None = doc(
        "The number of planned checks; null if unlimited, with check k at level alpha/(k(k+1))."
    )
    look: Positive = doc("The planned check; other checks are reported as well.")
    test: str = doc('The test for passing: "score" if the range of the scores is known, else "skew-t".')
    test_title: str = doc("The test's name in a sentence. Not part of the JSON.")
    rows: tuple[GatePlanRow, ...] = doc("Rows by check, then runs, then power.", minItems=1)
    runs_needed: tuple[GateRunsRow, ...] = doc("Rows by check, then power; empty if no new runs are planned.")
    notes: Messages = doc("Notes for readers.")
    seed: Seed | None = doc("The random seed of the simulation. Null without simulation.")
    version: Version = doc("The version of outscore.")
    signature: Signature = doc(
        "All settings of the plan, as for comparisons; the pilot's data are not included.", default=""
    )

    @property
    def items(self) -> int | None:
        """The number of items that `look` needs, for the lowest power and number of runs asked for."""
        return next(row for row in self.rows if row.look == self.look).items

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record per check, number of runs and power."""
        return table("look level target runs items units power items_low items_high", [(row,) for row in self.rows])
