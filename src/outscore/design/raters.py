"""Raters: judges or annotators who score the outputs of all systems."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from outscore.data.rows import RunDesign
from outscore.design.crossed import CrossedFactor


@dataclass(frozen=True)
class Raters(CrossedFactor):
    """Raters: these ones, or a population of raters of which they are a sample."""

    name = "rater"
    columns = ("rater", "judge", "annotator", "rater_id", "judge_id", "annotator_id")
    symbol = "J"
    claims = MappingProxyType({"fixed": RunDesign.FIXED, "sampled": RunDesign.RANDOM, "random": RunDesign.RANDOM})
    known_as = "raters, judges or annotators"
    levels = "raters (annotators, judges), who score all systems"
