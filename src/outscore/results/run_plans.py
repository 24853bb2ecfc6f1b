"""The result of planning runs: how many of each system a gain needs, and what so many tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from outscore.results.comparisons import Alternative, MetricDescription
from outscore.results.findings import RunSd
from outscore.results.record import (
    Keywords,
    Level,
    Messages,
    Positive,
    Seed,
    Share,
    Signature,
    Size,
    Table,
    Version,
    table,
)
from outscore.results.shown import Shown

_Above0 = Annotated[float, Keywords(exclusiveMinimum=0)]


@dataclass(frozen=True)
class RunsRow:
    """The runs of each system that a gain needs on a test set.

    Attributes
    ----------
    items : int
        Items of the test set.
    runs : int or None
        Of each system, the fewest with which the crossed t test has the power, 3 at least. None where no number of
        runs will do.
    power : float or None
        With so many runs; None where no number will do.
    runs_low : int or None
        As many as that were needed if runs varied as little as the pilot's leave open, at 95%. None without a pilot,
        and where no number will do.
    runs_high : int or None
        If they varied as much as the pilot's leave open; None as before.
    normal_runs : float or None
        The runs needed if all variances were known and the test were normal: the variance of one run of each system,
        over what that of the gain may be beyond the items' own. None where no number of runs will do.
    """

    items: Positive
    runs: Positive | None
    power: Share | None
    runs_low: Positive | None
    runs_high: Positive | None
    normal_runs: Annotated[float | None, Keywords(minimum=0)]


@dataclass(frozen=True)
class RunsCell:
    """What a test set with so many runs of each system tells of the gain.

    Attributes
    ----------
    items : int
        Items of the test set.
    runs : int
        Of each system.
    standard_error : float
        Of the gain.
    half_width : float
        Half the width of the interval of the gain, as far as it is expected; of one run with the standard deviation of
        a run's score known.
    power : float or None
        Of the crossed t test. None with one and two runs, where it gives no verdict.
    items_share : float
        Of the variance: what items make.
    runs_share : float
        What runs make.
    interaction_share : float
        What items and runs make together.
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
    """The items that a gain needs with so many runs of each system.

    Attributes
    ----------
    runs : int
        Of each system.
    items : int or None
        None where no number of items, up to ten million, will do.
    """

    runs: Positive
    items: Positive | None


@dataclass(frozen=True)
class CheapestRuns:
    """What costs least and has the power.

    Attributes
    ----------
    items : int or None
        None where no number of items and runs will do.
    runs : int or None
        Of each system; None likewise.
    cost : float or None
        In the unit of the costs; None likewise.
    items_per_run : float or None
        The best proportion, where interaction is left out. None where runs do not vary.
    """

    items: Positive | None
    runs: Positive | None
    cost: Size | None
    items_per_run: Size | None


@dataclass(frozen=True, repr=False)
class RunsPlan(Shown):
    """The runs of each system that a gain needs.

    Written by outscore plan runs as JSON.

    Attributes
    ----------
    basis : str
        What was assumed, in a sentence.
    metric : MetricDescription
    alternative : Alternative
    alpha : float
        The level over all comparisons together.
    comparisons : int
        Each is tested at alpha / comparisons (Bonferroni).
    target : float
        The power that was sought.
    gain : float
        The true gain, in the unit of the score.
    paired : bool
        Whether run r of both systems shares its draw.
    rows : tuple of RunsRow
        One a size.
    intervals : tuple of RunsCell
        By size, then runs.
    items_needed : tuple of ItemsOfRuns
        One a number of runs with a verdict.
    item_sd : float
        Standard deviation of the differences between the systems' expected scores, unit by unit.
    run_effect_sd : float
        Standard deviation of what all items of a run share: the root of the mean of the systems' variances; of paired
        runs that of their difference.
    interaction_sd : float
        Standard deviation of what a unit has of its own in a run, likewise.
    run_sd : RunSd or None
        Of the pilot: the standard deviation of a run's score, which holds what its items add as well. None
        without a pilot.
    cheapest : CheapestRuns or None
        None where no costs were named.
    notes : tuple of str
        What a reader must know.
    seed : int or None
        Of the draws of items. None where the components are numbers.
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

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one record a size and number of runs, with the runs that its size needs."""
        needed = {row.items: row.runs for row in self.rows}
        cells = table(
            "items runs standard_error half_width power items_share runs_share interaction_share gain",
            [(cell, self) for cell in self.intervals],
        )
        runs_needed = [needed[cell.items] for cell in self.intervals]
        return Table({**cells.columns, "runs_needed": runs_needed}, {**cells.types, "runs_needed": int})
