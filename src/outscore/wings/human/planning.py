"""Plans of human evaluations: how many documents, and how many ratings of each, from a pilot."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Unpack

from outscore._version import __version__
from outscore.data.coercion import number, share, wrong
from outscore.design.options import with_defaults
from outscore.errors import OptionError, Problem
from outscore.laws.student import normal_quantile, student_quantile
from outscore.options import opt
from outscore.readers.base import Table
from outscore.readers.registry import InputFiles
from outscore.signatures import declared_alone
from outscore.text.naming import printable
from outscore.text.numbers import format_counted, format_exactly
from outscore.wings.human.components import Components, PilotColumns, Ratings, components_of
from outscore.wings.human.results import HumanComponents, HumanPlan, HumanPlanRow

if TYPE_CHECKING:
    from outscore.declared import PlanHumanOptions

_TIMES = (0.5, 1, 1.5, 2, 3)  # the pilot's documents
_FEWEST = 3  # documents: two degrees of freedom
_MOST = 10**6
_FEW_RATERS = 10


@declared_alone
def plan_human(pilot: object, **options: Unpack[PlanHumanOptions]) -> HumanPlan:
    """Return the gains that a human evaluation detects, by its number of documents and of ratings per document.

    Parameters
    ----------
    pilot : path or data frame
        A file of human scores that `outscore.rank` reads, or a long table with the columns system, item, document and
        score, and perhaps rater.

    Returns
    -------
    HumanPlan

    Raises
    ------
    DataError, FileAccessError
        The pilot cannot be read, or is too small.
    OptionError
        An argument is out of range, or a column is missing.

    Notes
    -----
    The variance of a gain is that of the pilot's design times the pilot's documents over the planned ones. More raters
    of a document divide the variance between its ratings, which pilots with several ratings show. Pilots with one
    rating show only the variance between raters, so the plan then understates how much more ratings help.
    """
    values = with_defaults("plan_human", options)
    gain, documents, ratings, power, alpha, comparisons = (
        values[name] for name in ("gain", "documents", "ratings", "power", "alpha", "comparisons")
    )
    columns = (values[name] for name in ("clusters", "rater", "strata", "score_column", "task"))
    target = share(power, opt("power"), of="the power") if isinstance(power, str) else number(power, "power")
    wanted = None if gain is None else number(gain, opt("gain"))
    if wanted is not None and not wanted > 0:
        what = f"expected a number above 0, in points of the scale, got {wanted:g}"
        raise OptionError(Problem(opt("gain"), what, "", "out-of-range"))
    if not (0 < target < 1 and 0 < alpha < 1) or comparisons < 1 or min((*ratings, *(documents or (3,)))) < 1:
        what = "expected a power and a level between 0 and 1, and numbers of 1 or more"
        raise OptionError(Problem("plan human", what, "", "out-of-range"))
    if target <= alpha / (2 * comparisons):
        what = f"expected more than half the level of a comparison, got {format_exactly(target)}"
        raise OptionError(Problem(opt("power"), what, "The power is usually 80%.", "out-of-range"))
    files = InputFiles(values["records"])
    table = _table_of(pilot, files)
    notes = files.notes
    pilot_ratings = Ratings.of(table, PilotColumns(*columns))
    parts = components_of(pilot_ratings)
    sizes = documents or [max(_FEWEST, round(times * parts.documents)) for times in _TIMES]
    level = alpha / comparisons

    def detected(n: int, r: int) -> tuple[float, float]:
        se = math.sqrt(parts.variance(n, r))
        return se, (student_quantile(level / 2, max(n - 1, 1)) + normal_quantile(1 - target)) * se

    per_document = parts.segments / parts.documents
    rows = [
        HumanPlanRow(
            n, r, round(n * per_document) * r, *detected(n, r), None if wanted is None else _needed(detected, r, wanted)
        )
        for r in ratings
        for n in sizes
    ]
    return HumanPlan(
        basis=_basis(pilot_ratings, parts, table),
        alpha=alpha,
        comparisons=comparisons,
        target=target,
        gain=wanted,
        components=HumanComponents(
            math.sqrt(parts.document), math.sqrt(parts.segment), math.sqrt(parts.leniency), parts.different
        ),
        rows=tuple(rows),
        notes=(*notes, *_notes(parts, pilot_ratings)),
        version=__version__,
        signature=f"plan:human|power:{format_exactly(target)}|alpha:{format_exactly(alpha)}|comparisons:{comparisons}|version:{__version__}",
    )


def _table_of(pilot: object, files: InputFiles) -> Table:
    if isinstance(pilot, str | os.PathLike):
        return files.read(os.fspath(pilot))
    from outscore.readers.in_memory import table_from

    table = table_from(pilot, "pilot")
    if table is None:
        raise wrong("pilot", "a file or a data frame", pilot)
    return table


def _needed(detected: Any, ratings: int, gain: float) -> int:
    """Return the fewest documents that detect a gain."""
    low, high = _FEWEST - 1, _FEWEST
    while detected(high, ratings)[1] > gain:
        low, high = high, 2 * high
        if high > _MOST:
            what = f"detecting {gain:g} needs more than {_MOST:,} documents"
            raise OptionError(Problem(opt("gain"), what, "Use a larger gain.", "too-many"))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if detected(middle, ratings)[1] <= gain else (middle, high)
    return high


def _basis(ratings: Ratings, parts: Components, table: Table) -> str:
    return (
        f"Pilot {printable(table.source)}: {format_counted(int(ratings.systems.max()) + 1, 'system')}, "
        f"{format_counted(parts.documents, 'document')} with {format_counted(parts.segments, 'segment')}, "
        f"{format_counted(len(ratings.scores), 'rating')}."
    )


def _notes(parts: Components, ratings: Ratings) -> list[str]:
    notes = [
        *ratings.notes,
        "The plan assumes the pilot's mix of domains and lengths of documents, and the macro average over domains.",
    ]
    if parts.ratings > 1:
        notes.append(f"The pilot has {parts.ratings:.3g} ratings of each document by different raters (harmonic mean).")
    elif parts.different > 0 and 1 < parts.raters < len(
        {*zip(ratings.systems.tolist(), ratings.documents.tolist(), strict=True)}
    ):
        notes.append(
            f"Two systems have different raters on {parts.different:.0%} of the documents. With several raters per "
            "document, or raters who score all systems of a document, leniency matters less."
        )
        if parts.raters < _FEW_RATERS:
            notes.append(
                f"{format_counted(parts.raters, 'rater')} are too few to estimate the variance between raters well."
            )
    else:
        notes.append(
            "The pilot does not show how raters differ in leniency, so the plan assumes that more ratings do not help."
        )
    return notes
