"""Results of planning a human evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from outscore.results.record import Keywords, Level, Messages, Positive, Share, Signature, Size, Version, table
from outscore.results.shown import Shown


@dataclass(frozen=True)
class HumanPlanRow:
    """A number of documents and of ratings per document, and the gain that they detect.

    Attributes
    ----------
    documents : int
        Number of documents.
    ratings : int
        Number of ratings of each document of a system, by different raters.
    total : int
        Number of ratings of segments per system.
    se : float
        Standard error of a gain.
    gain : float
        The gain detected with the target power.
    needed : int or None
        The number of documents that detect the gain of interest, for this number of ratings. None without a gain of
        interest.
    """

    documents: Positive
    ratings: Positive
    total: Positive
    se: Size
    gain: Size
    needed: Positive | None


@dataclass(frozen=True)
class HumanComponents:
    """The standard deviations of a gain in a pilot, in points of the scale.

    Attributes
    ----------
    documents : float
        Between documents, including their raters.
    segments : float
        Between segments of a document.
    raters : float
        Of a score between raters: leniency.
    different : float
        Proportion of documents on which two systems have different raters.
    """

    documents: Size
    segments: Size
    raters: Size
    different: Share


@dataclass(frozen=True, repr=False)
class HumanPlan(Shown):
    """Documents and ratings for a human evaluation.

    This is the JSON output of outscore plan human.

    Attributes
    ----------
    basis : str
        The pilot, in a sentence.
    alpha : float
        The significance level over all comparisons.
    comparisons : int
        Number of comparisons. Each is tested at alpha / comparisons (Bonferroni).
    target : float
        The target power.
    gain : float or None
        The gain of interest, in points of the scale. None without one.
    components : HumanComponents
    rows : tuple of HumanPlanRow
        By ratings, then documents.
    notes : tuple of str
        Notes for readers.
    version : str
    signature : str
    """

    schema: ClassVar = "outscore/plan-human/1"

    basis: str
    alpha: Level
    comparisons: Positive
    target: Level
    gain: Size | None
    components: HumanComponents
    rows: Annotated[tuple[HumanPlanRow, ...], Keywords(minItems=1)]
    notes: Messages
    version: Version
    signature: Signature = ""

    @property
    def needed(self) -> Mapping[int, int]:
        """The number of documents that detect the gain of interest, by ratings per document."""
        return {row.ratings: row.needed for row in self.rows if row.needed is not None}

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per number of documents and ratings."""
        return table("documents ratings total se gain needed", [(row, self) for row in self.rows])
