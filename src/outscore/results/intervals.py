"""Intervals of scores and gains."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

from outscore.results.record import Level, Null, doc, record
from outscore.text.numbers import format_level

# The columns of an interval in CSV and Parquet.
INTERVAL_COLUMNS = "interval.low interval.high confidence_level=interval.confidence_level"

# Methods for intervals of a gain from its distribution, with their names in sentences; tests name their own.
_INTERVALS = {
    "symmetric": "symmetric bootstrap",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "bca": "BCa bootstrap",
}
_OF_TESTS = (
    "randomization",
    "t",
    "cr2-t",
    "skew-t",
    "wilcoxon",
    "sign",
    "score",
    "crossed-t",
    "two-way-t",
    "clopper-pearson",
    "korn-graubard",
    "brunner-munzel",
)
_ONE_METHOD = f"({'|'.join((*_INTERVALS, *_OF_TESTS))})"
# Keys of the works that a methods paragraph cites for each method.
CITES = {
    "symmetric": ("hall1988",),
    "percentile": ("efron1979",),
    "basic": ("davison1997",),
    "bca": ("efron1987",),
    "randomization": ("noreen1989",),
    "t": ("student1908",),
    "cr2-t": ("bell2002",),
    "skew-t": ("bell2002", "hall1992"),
    "wilcoxon": ("hodges1963",),
    "sign": ("dixon1946",),
    "score": ("tango1998", "owen1988"),
    "crossed-t": ("satterthwaite1946", "bell2002"),
    "two-way-t": ("bell2002", "cameron2011"),
    "clopper-pearson": ("clopper1934",),
    "korn-graubard": ("korn1998",),
    "welch": ("welch1947",),
    "unconditional": ("gart1990", "berger1994"),
    "brunner-munzel": ("brunner2000",),
}
# Properties of intervals by their methods, for JSON Schemas.
METHODS = {"method": {"pattern": rf"^{_ONE_METHOD}(\+{_ONE_METHOD})?$"}}
OF_SCORE = {"method": {"enum": ["clopper-pearson", "korn-graubard", "score", "skew-t"]}}


@record
class Interval:
    """An interval of a score or a gain."""

    json_keys: ClassVar = "-title"

    low: Null = doc(
        "Lower end, in the unit of the score. Minus infinity (in JSON null) if a one-sided test bounds the gain only "
        "from above."
    )
    high: Null = doc(
        "Upper end, in the unit of the score. Infinity (in JSON null) if a one-sided test bounds the gain only from "
        "below."
    )
    confidence_level: Level = doc("The level of the interval, for example 0.95.")
    method: str = doc(
        'The method: from the bootstrap distribution ("symmetric", "percentile", "basic", "bca"), or by inverting a '
        'test: "randomization", "t", "cr2-t", "skew-t", "wilcoxon", "score", "crossed-t", "two-way-t"; "a+b" is the '
        'smallest interval that contains both. "clopper-pearson" and "korn-graubard" for binary scores of one system, '
        'less a constant if there is one. For unpaired systems also "unconditional", "welch", "brunner-munzel" (of the '
        'share of pairs won) and "none".'
    )
    exact: bool = doc("Whether it comes from an exact distribution, rather than from resamples or an approximation.")
    title: str = doc(
        'The name of the method in a sentence: "Student\'s t". Not part of the JSON.', default="", shown=False
    )

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", _INTERVALS.get(self.method, self.method))

    @property
    def level(self) -> str:
        """The confidence level as text, such as 95%."""
        return format_level(self.confidence_level)

    @property
    def cites(self) -> tuple[str, ...]:
        """Keys of the works that a methods paragraph cites for the method."""
        return tuple(dict.fromkeys(key for method in self.method.split("+") for key in CITES[method]))

    @property
    def turned(self) -> Interval:
        """The interval of the same gain the other way round: from −high to −low."""
        return replace(self, low=0.0 - self.high, high=0.0 - self.low)

    def reach(self, gain: float) -> float:
        """Return the distance of its ends from the gain, the larger finite one; 0 if both are infinite."""
        return max((abs(end - gain) for end in (self.low, self.high) if math.isfinite(end)), default=0.0)

    def holds(self, gain: float) -> bool:
        """Return whether the interval contains this gain, ends included."""
        return self.low <= gain <= self.high
