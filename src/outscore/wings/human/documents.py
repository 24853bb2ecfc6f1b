"""Reports of plans of human evaluations."""

from __future__ import annotations

from outscore.reports.documents import Document, Table, overview
from outscore.text.naming import in_a_row
from outscore.text.numbers import format_count, format_exactly, format_probability
from outscore.wings.human.results import HumanPlan


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
    table = Table.of_columns(
        [
            ("documents", [format_count(row.documents) for row in plan.rows], True),
            ("ratings of each", [format_count(row.ratings) for row in plan.rows], True),
            ("ratings per system", [format_count(row.total) for row in plan.rows], True),
            ("standard error", [f"{row.se:.2f}" for row in plan.rows], True),
            ("gain detected", [f"{row.gain:.1f}" for row in plan.rows], True),
        ],
        caption="Gains detected",
    )
    return overview(
        "Documents and ratings needed",
        [answer, varies],
        [table],
        plan.notes,
        warnings=(),
        signature=plan.signature,
        version=plan.version,
        caption=answer,
    )


def _ratings(count: int) -> str:
    return "one rating of each" if count == 1 else f"{format_count(count)} ratings of each"
