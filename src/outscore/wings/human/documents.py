"""Reports of plans of human evaluations."""

from __future__ import annotations

from outscore.reports.documents import Document, overview
from outscore.reports.documents.layouts import Column, counts, numbers, table
from outscore.text.naming import in_a_row
from outscore.text.numbers import format_count, format_exactly, format_probability
from outscore.wings.human.results import HumanPlan, HumanPlanRow


def human_plan_document(plan: HumanPlan) -> Document:
    """Return the report of a plan."""
    level = f"α = {format_exactly(plan.alpha)}, "
    level += "one comparison" if plan.comparisons == 1 else f"over {format_count(plan.comparisons)} comparisons"
    power = f"with a power of {format_probability(plan.target)} at {level}"
    first = plan.rows[0]
    answer = (
        f"{format_count(first.documents)} documents with {_ratings(first.ratings)} detect a gain of {first.gain:.1f} "
        f"points {power}."
    )
    if plan.gain is not None:
        needed = [
            f"{format_count(documents)} documents with {_ratings(ratings)}"
            for ratings, documents in plan.needed.items()
        ]
        answer = f"A gain of {plan.gain:g} points needs {in_a_row(needed).replace(' and ', ' or ')}, {power}."
    parts = plan.components
    varies = (
        f"{plan.basis} Standard deviations of a gain: {parts.documents:.1f} between documents and {parts.segments:.1f} "
        f"between segments of a document. Between raters the standard deviation of a score is {parts.raters:.1f}."
    )
    columns: list[Column[HumanPlanRow]] = [
        counts("documents", lambda row: row.documents),
        counts("ratings of each", lambda row: row.ratings),
        counts("ratings per system", lambda row: row.total),
        numbers("standard error", lambda row: f"{row.se:.2f}"),
        numbers("gain detected", lambda row: f"{row.gain:.1f}"),
    ]
    shown = table(plan.rows, columns, caption="Gains detected")
    return overview(plan, "Documents and ratings needed", [answer, varies], [shown], plan.notes, caption=answer)


def _ratings(count: int) -> str:
    return "one rating of each" if count == 1 else f"{format_count(count)} ratings of each"
