"""Results of planning: frozen, typed, and free of any computation.

Gains are in the unit of the score, as everywhere, but for Jansen's table, whose gains are per cent of the items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from outscore.results.comparisons import Alternative, Claim, MetricDescription
from outscore.results.shown import Shown

__all__ = ["Plan", "PlanQuestion", "PlanRow", "PlanTable", "PlanTableRow", "Power", "PowerCheck"]

PLAN_TABLE_SCHEMA = "outscore/plan-table/1"


@dataclass(frozen=True)
class PlanTableRow:
    """The p-value of a test set with so many items helped and hurt.

    Attributes
    ----------
    items : int
    gain : float
        As asked for, in per cent of the items.
    hurt_percent : float
        As asked for.
    helped, hurt : int
        Items; their difference is the gain in items, rounded to a whole number.
    p_value : float
        In (0, 1].
    """

    items: int
    gain: float
    hurt_percent: float
    helped: int
    hurt: int
    p_value: float


@dataclass(frozen=True, repr=False)
class PlanTable(Shown):
    """The p-values to expect, by items, gain and share of items hurt (Jansen's example 3).

    Attributes
    ----------
    test : str
        The name of the test.
    alternative : Alternative
    alpha : float
        The level that reports compare the p-values with.
    rows : tuple of PlanTableRow
        By items, then gain, then share hurt.
    notes : tuple of str
        What was rounded, and what was left out.
    version : str
        Of outscore.
    signature : str
        All that the table follows from, as of comparisons.
    """

    test: str
    alternative: Alternative
    alpha: float
    rows: tuple[PlanTableRow, ...]
    notes: tuple[str, ...]
    version: str
    signature: str = ""
    schema: str = field(default=PLAN_TABLE_SCHEMA)

    def records(self) -> Sequence[dict[str, object]]:
        """Return one record a row: items, gain, hurt_percent, helped, hurt, p_value."""
        return [asdict(row) for row in self.rows]


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
    n_more, n_fewer : int
        Sets on which only the test itself is significant, and sets on which only the shortcut is.
    """

    n_sets: int
    n_more: int
    n_fewer: int


@dataclass(frozen=True)
class Power:
    """How a test fares on test sets drawn from an assumed population.

    Attributes
    ----------
    value : float
        The share of test sets on which it is significant.
    low, high : float
        Clopper and Pearson's interval at 95% where simulated; equal to `value` otherwise.
    type_s : float or None
        Of the significant test sets, the share that point the wrong way (Gelman & Carlin 2014); 0 for a one-sided
        test; None where none is significant.
    type_m : float or None
        By which factor the gain of significant test sets overstates the true one on average (the exaggeration ratio
        of Gelman & Carlin 2014). Both are None for claims with a margin.
    reversed : float
        The share of test sets, significant or not, on which the better system scores worse (the candidate, for claims
        with a margin).
    computation : str
        "exact: trinomial", "noncentral t", "2,000 simulated test sets", ...
    n_sets : int or None
        Simulated test sets; None where nothing was simulated.
    check : PowerCheck or None
    """

    value: float
    low: float
    high: float
    type_s: float | None
    type_m: float | None
    reversed: float
    computation: str
    n_sets: int | None = None
    check: PowerCheck | None = None


@dataclass(frozen=True)
class PlanRow:
    """One test at one size and gain.

    Attributes
    ----------
    test : str
    items : int
    units : int
        Clusters where the pilot has clusters, else items.
    gain : float
        The true gain, in the unit of the score.
    power : Power
    low, high : float or None
        What the power's simulation leaves open of the answer (the gain or the items), at 95%; None where the power
        was asked for or was computed without simulation.
    """

    test: str
    items: int
    units: int
    gain: float
    power: Power
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, repr=False)
class Plan(Shown):
    """Power, detectable gains or items needed.

    Attributes
    ----------
    question : PlanQuestion
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
        The power that the gain or the items were sought for.
    rows : tuple of PlanRow
    notes : tuple of str
        What a reader must know.
    seed : int or None
        Of the simulation, where there was one.
    version : str
        Of outscore.
    signature : str
        What the plan was asked, as of comparisons; a pilot's data are no part of it.
    claim : Claim
        What the test is to show.
    margin : float or None
        Of the claims not-worse and equivalent, in the unit of the score.
    """

    question: PlanQuestion
    basis: str
    metric: MetricDescription
    alternative: Alternative
    alpha: float
    comparisons: int
    target: float | None
    rows: tuple[PlanRow, ...]
    notes: tuple[str, ...]
    seed: int | None
    version: str
    signature: str = ""
    claim: Claim = Claim.BETTER
    margin: float | None = None

    @property
    def schema(self) -> str:
        """The name and version of the JSON form."""
        return f"outscore/plan-{self.question}/1"

    @property
    def level(self) -> float:
        """The level of each comparison: α / m."""
        return self.alpha / self.comparisons

    def records(self) -> Sequence[dict[str, object]]:
        """Return one record a row: its test, items, units and gain, the power and its errors, how it was computed."""
        return [self._record(row) for row in self.rows]

    def _record(self, row: PlanRow) -> dict[str, object]:
        power, check = row.power, row.power.check
        found: dict[str, object] = {
            "test": row.test,
            "items": row.items,
            "units": row.units,
            "gain": row.gain,
            "power": power.value,
            "power_low": power.low,
            "power_high": power.high,
            "type_s": power.type_s,
            "type_m": power.type_m,
            "reversed": power.reversed,
            "computation": power.computation,
            "n_sets": power.n_sets,
        }
        if self.question is not PlanQuestion.POWER:
            found |= {f"{self.question}_low": row.low, f"{self.question}_high": row.high}
        for name in ("n_sets", "n_more", "n_fewer"):
            found[f"check_{name}"] = None if check is None else getattr(check, name)
        return found
