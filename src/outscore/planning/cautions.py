"""What a planner is warned of, and what is refused: observed power."""

from __future__ import annotations

import math
from collections.abc import Sequence

from outscore.errors import OptionError, Problem
from outscore.numbers import format_count
from outscore.planning.levels import Level
from outscore.planning.populations import Observed, Population
from outscore.results.plans import PlanQuestion, PlanRow
from outscore.significance.influence import enough_units

__all__ = ["own_gain", "refuse_observed", "warnings_of"]

_ROUGH = 30
_OBSERVED = 5e-3  # of the gain
_SAME_SIZE = 0.05
_MORE_DECIMALS = 3  # than a comparison shows


def own_gain(question: PlanQuestion, population: Population, rows: Sequence[PlanRow]) -> Sequence[str]:
    """Return a note where the pilot's own gain is planned for."""
    if question is PlanQuestion.GAIN or not any(_is_observed(population, row.gain) for row in rows):
        return []
    return [
        "The gain planned for is the pilot's own, which may be luck, and more so where it was significant: plan for "
        "the smallest gain that would matter."
    ]


def warnings_of(level: Level, rows: Sequence[PlanRow]) -> Sequence[str]:
    """Return what a reader of these powers must know of units, and of several comparisons."""
    warnings = []
    few = enough_units(level.per_comparison)
    if any(row.units < few and row.test.startswith("bootstrap") for row in rows):
        warnings.append(
            f"With fewer than {few} units the bootstrap rejects true nulls too often, and part of its power is that: "
            "plan with randomization there."
        )
    if any(row.units < _ROUGH and row.power.n_sets is not None for row in rows):
        warnings.append(
            f"With fewer than {_ROUGH} units the shortcut from moments to decisions is rough: check it by running the "
            "tests themselves, with --checks."
        )
    if level.comparisons > 1:
        m = format_count(level.comparisons)
        warnings.append(
            f"Each of {m} comparisons is tested at α/{m} = {level.per_comparison:.4g}. Holm's "
            "correction finds at least as much, so that the power of a real comparison is this or more."
        )
    return warnings


def _is_observed(population: Population, gain: float) -> bool:
    observed = population.observed
    if observed is None:
        return False
    return abs(gain - observed.gain) <= _OBSERVED * abs(gain) or _is_rounded(gain, observed)


def _is_rounded(gain: float, observed: Observed) -> bool:
    """Say whether this is the observed gain as a comparison writes it, or with a few digits more."""
    for decimals in range(observed.decimals, observed.decimals + _MORE_DECIMALS + 1):
        unit = 10.0**-decimals
        whole = math.isclose(gain, round(gain / unit) * unit, rel_tol=1e-9)
        if whole and abs(gain - observed.gain) <= unit / 2 * (1 + 1e-9):
            return True
    return False


def refuse_observed(population: Population, items: int, gain: float) -> None:
    """Refuse the gain that these data show, on as many items: the power there is the p-value in other words."""
    observed = population.observed
    if observed is None or not _is_observed(population, gain):
        return
    if abs(items - observed.items) > _SAME_SIZE * observed.items:
        return
    raise OptionError(
        Problem(
            "--gain",
            f"{gain:g} is the gain that these {format_count(observed.items)} items themselves show. The power at it on "
            'as many items, "observed power", is the p-value in other words: about one half where p is near alpha, '
            "less where it is larger, whatever the systems are (Hoenig & Heisey 2001)",
            "Name the smallest gain that would matter; what these data say of the gain is its interval in outscore "
            "compare.",
            "observed-power",
        )
    )
