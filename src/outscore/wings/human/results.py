"""Results of planning a human evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from outscore.results.record import (
    Level,
    Messages,
    Positive,
    Share,
    Signature,
    Size,
    Version,
    doc,
    record,
    table,
)
from outscore.results.shown import Shown


@record
class HumanPlanRow:
    """A number of documents and of ratings per document, and the gain that they detect."""

    documents: Positive = doc("Number of documents.")
    ratings: Positive = doc("Number of ratings of each document of a system, by different raters.")
    total: Positive = doc("Number of ratings of segments per system.")
    se: Size = doc("Standard error of a gain.")
    gain: Size = doc("The gain detected with the target power.")
    needed: Positive | None = doc(
        "The number of documents that detect the gain of interest, for this number of ratings. None without a gain of "
        "interest."
    )


@record
class HumanComponents:
    """The standard deviations of a gain in a pilot, in points of the scale."""

    documents: Size = doc("Between documents, including their raters.")
    segments: Size = doc("Between segments of a document.")
    raters: Size = doc("Of a score between raters: leniency.")
    different: Share = doc("Proportion of documents on which two systems have different raters.")


@record
class HumanPlan(Shown):
    """Documents and ratings for a human evaluation.

    This is the JSON output of outscore plan human.
    """

    schema: ClassVar = "outscore/plan-human/1"

    basis: str = doc("The pilot, in a sentence.")
    alpha: Level = doc("The significance level over all comparisons.")
    comparisons: Positive = doc("Number of comparisons. Each is tested at alpha / comparisons (Bonferroni).")
    target: Level = doc("The target power.")
    gain: Size | None = doc("The gain of interest, in points of the scale. None without one.")
    components: HumanComponents
    rows: tuple[HumanPlanRow, ...] = doc("By ratings, then documents.", minItems=1)
    notes: Messages = doc("Notes for readers.")
    version: Version
    signature: Signature = ""

    @property
    def needed(self) -> Mapping[int, int]:
        """The number of documents that detect the gain of interest, by ratings per document."""
        return {row.ratings: row.needed for row in self.rows if row.needed is not None}

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per number of documents and ratings."""
        return table("documents ratings total se gain needed", [(row, self) for row in self.rows])
