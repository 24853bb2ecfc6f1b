"""Raters: judges or annotators who score the outputs of all systems."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from outscore.data.rows import RunDesign
from outscore.design.crossed import CrossedFactor
from outscore.options import Option


@dataclass(frozen=True)
class Raters(CrossedFactor):
    """Raters: these ones, or a population of raters of which they are a sample."""

    name = "rater"
    columns = ("rater", "judge", "annotator", "rater_id", "judge_id", "annotator_id")
    symbol = "J"
    claims = MappingProxyType({"fixed": RunDesign.FIXED, "sampled": RunDesign.RANDOM, "random": RunDesign.RANDOM})
    known_as = "raters, judges or annotators"
    levels = "raters (annotators, judges), who score all systems"
    further = (
        Option(
            "standardize",
            "Replace scores by z-scores of each rater. They have the mean 0 and the standard deviation 1 over all that "
            "the rater scored in the table. This changes the question: from points to standard deviations of raters.",
            ("raters",),
            python='Literal["raters"] | None',
        ),
    )
