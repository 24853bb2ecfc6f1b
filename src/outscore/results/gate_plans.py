"""The result of planning a gate: how many items an equal candidate needs in order to pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from outscore.results.comparisons import MetricDescription
from outscore.results.gates import ErrorRate
from outscore.results.record import (
    Keywords,
    Level,
    Messages,
    Positive,
    Seed,
    Share,
    Signature,
    Size,
    Version,
    table,
)
from outscore.results.shown import Shown


@dataclass(frozen=True)
class GatePlanRow:
    """The items with which an equal candidate passes at one look.

    Attributes
    ----------
    look : int
        The number of the look, from 1.
    level : float
        What it may spend.
    target : float
        How often the candidate is to pass.
    runs : int or None
        Runs of each system, where new runs are planned as well; null where each has one.
    items : int or None
        The least that are enough; null where no number is, with so many runs.
    units : int or None
        Clusters where the pilot has clusters, else items; null likewise.
    power : float or None
        How often the candidate passes with so many; null where no number is enough, and where items were scaled from
        those of another look.
    items_low : float or None
        What a pilot's simulation leaves open of the items, at 95%: its lower end. Null where nothing was simulated.
    items_high : float or None
        Its upper end; null likewise.
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
    """The runs of each system with which an equal candidate passes at one look, on the pilot's items.

    Attributes
    ----------
    look : int
        The number of the look, from 1.
    level : float
        What it may spend.
    target : float
        How often the candidate is to pass.
    items : int
        The pilot's.
    runs : int or None
        The fewest that are enough, 3 at least; null where no number is.
    power : float or None
        How often the candidate passes with so many; null likewise.
    """

    look: Positive
    level: Level
    target: Level
    items: Positive
    runs: Positive | None
    power: Share | None


@dataclass(frozen=True, repr=False)
class GatePlan(Shown):
    """The items that a gate needs.

    Written by outscore plan gate as JSON.

    Attributes
    ----------
    basis : str
        What was assumed of the items, in a sentence.
    metric : MetricDescription
        In whose unit the margin is.
    margin : float
        The largest loss that is tolerated, in the unit of the score; a fraction, never a percentage.
    alpha : float
        The level of all looks together.
    error : ErrorRate
        What alpha bounds.
    looks : int or None
        How many looks are planned; null where every look is provided for, by alpha/(k(k+1)).
    look : int
        The look that was asked for; others stand beside it.
    test : str
        By which the candidate passes: "score" where the range of the scores is known, else "skew-t".
    test_title : str
        What it is called in a sentence. Not written as JSON.
    rows : tuple of GatePlanRow
        By look, then runs, then power.
    runs_needed : tuple of GateRunsRow
        By look, then power; empty where no new runs are planned.
    notes : tuple of str
        What a reader must know.
    seed : int or None
        The seed of the simulation. Null where nothing was simulated.
    version : str
        Of outscore.
    signature : str
        What the plan was asked, as of comparisons; a pilot's data are no part of it.
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

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record a look, number of runs and power."""
        return table("look level target runs items units power items_low items_high", [(row,) for row in self.rows])
