"""Base of the factors that items are crossed with, such as runs, templates and raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Self

from outscore.data.cells import Axis, Cells
from outscore.data.rows import Rows, RunDesign
from outscore.design.base import Factor
from outscore.errors import DataError, OptionError, Problem
from outscore.options import Option, opt
from outscore.text.naming import in_a_row, listed, nearest, quoted
from outscore.text.numbers import format_count

if TYPE_CHECKING:
    from outscore.declared import ReadingOptions


@dataclass(frozen=True)
class CrossedFactor(Factor):
    """A factor that is crossed with items: in every system, every item has a score for each of its levels.

    To add a factor, define a class with a name and add a line to `FACTORS`.

    Attributes
    ----------
    claim : RunDesign
        Whether the claim is about these levels or about new levels as well.
    name, plural : str
        Names of one level and of several. Both are options: the column of the levels, and the claim.
    columns : tuple of str
        Default names of the column of its levels in tables.
    symbol : str
        Symbol of the number of levels in signatures.
    claims : mapping from str to RunDesign
        Claims as written by users.
    known_as : str
        Names of its levels for advice, "raters (annotators, judges)".
    levels : str
        Description of its levels for the help, "prompt templates, which all systems meet".
    further : tuple of Option
        Those beside the column and the claim.
    always_shared : bool
        Whether all systems always have the same levels.
    """

    claim: RunDesign

    plural: ClassVar[str]
    columns: ClassVar[tuple[str, ...]] = ()
    symbol: ClassVar[str]
    claims: ClassVar[Mapping[str, RunDesign]] = MappingProxyType({"fixed": RunDesign.FIXED, "random": RunDesign.RANDOM})
    known_as: ClassVar[str]
    levels: ClassVar[str]
    options: ClassVar[tuple[Option, ...]]
    further: ClassVar[tuple[Option, ...]] = ()
    always_shared: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        cls.plural = f"{cls.name}s"
        cls.known_as = vars(cls).get("known_as", cls.plural)
        if "options" not in vars(cls):
            column = f"Column of {cls.levels}. For one file per {cls.name}, write NAME=FILE,FILE,... without {{runs}}."
            claim = (
                f"Claim about {cls.plural}: {' or '.join(cls.claims)}. fixed: it is about these {cls.plural}, and "
                f"scores are averaged over them. {cls.word_of(RunDesign.RANDOM)}: it is about new {cls.plural} as well."
            )
            claims = Option(cls.plural, claim, tuple(cls.claims), python="RunDesign | str | None")
            cls.options = (Option(cls.name, column), claims, *cls.further)

    @classmethod
    def word_of(cls, claim: RunDesign) -> str:
        """Return how users write a claim."""
        return next(word for word, meaning in cls.claims.items() if meaning is claim)

    @classmethod
    def declared(cls, options: ReadingOptions) -> Self | None:
        """Return the factor that options declare, or None.

        Raise OptionError if a column is given without a claim, or the claim is unknown.
        """
        column, claim = getattr(options, cls.name), getattr(options, cls.plural)
        if claim is not None:
            return cls(cls.claim_of(claim))
        if column is None:
            return None
        random = opt(cls.plural, cls.word_of(RunDesign.RANDOM))
        what = f"needs {opt(cls.plural, 'fixed')} (these {cls.plural}) or {random} (new {cls.plural} as well)"
        raise OptionError(Problem(opt(cls.name), what, "", f"{cls.plural}-undeclared"))

    @classmethod
    def claim_of(cls, word: str) -> RunDesign:
        """Return the claim that a user writes. Raise OptionError if it is unknown."""
        if word in cls.claims:
            return cls.claims[word]
        what, advice = f"unknown value {quoted(str(word))}", nearest(str(word), cls.claims)
        if word == RunDesign.SAMPLES:
            what = f"expected fixed (these {cls.plural}) or {cls.word_of(RunDesign.RANDOM)} (new {cls.plural} as well)"
            what, advice = f"{what}, got samples", f"All systems have the same {cls.plural}."
        raise OptionError(Problem(opt(cls.plural), what, advice, "unknown-value"))

    @property
    def is_random(self) -> bool:
        """Whether the claim is about new levels as well."""
        return self.claim is RunDesign.RANDOM

    @property
    def is_fixed(self) -> bool:
        """Whether the claim is about these levels."""
        return self.claim is RunDesign.FIXED

    @property
    def about_others(self) -> bool | None:
        """Whether the claim is about new levels as well or about these only; None for samples of items."""
        return self.is_random if self.is_random or self.is_fixed else None

    @property
    def is_shared(self) -> bool:
        """Whether all systems have the same levels."""
        return self.always_shared

    @property
    def sampled(self) -> frozenset[str]:
        return frozenset({self.name} if self.is_random else ())

    @property
    def signature(self) -> Mapping[str, str]:
        return {self.plural: self.word_of(self.claim)}

    @property
    def clause(self) -> str:
        """The levels that the claim is about, such as "new runs"."""
        return f"{'new' if self.is_random else 'these'} {self.plural}"

    @property
    def not_drawn(self) -> str:
        """Why a test that draws no levels does not apply, worded to follow "it"."""
        return f"treats {self.plural} as fixed, but the claim is about new ones: see {opt(self.plural, 'fixed')}"

    def placed(self, rows: Rows) -> Rows:
        """Return a system with an axis of its levels, if possible."""
        return rows

    def check(self, systems: Sequence[Rows]) -> None:
        """Raise DataError if systems have different levels, or too few."""
        of_systems = [() if axis is None else axis.levels for axis in _axes(self, [rows.cells for rows in systems])]
        for rows, levels in zip(systems, of_systems, strict=True):
            if len(levels) < 2 and (not levels or self.is_random):
                got = f"one: {quoted(levels[0])}" if levels else "none"
                what = f"expected at least 2 {self.plural}, got {got}"
                advice = (
                    f"Pass their column as {opt(self.name)}; estimating the variance needs 2 {self.plural} or more."
                )
                raise DataError(Problem(rows.where, what, advice, f"one-{self.name}"))
            if levels != of_systems[0]:
                apart = sorted(set(levels) ^ set(of_systems[0]))
                what = f"expected the {self.plural} of {systems[0].name}; only one of the systems has {listed(apart)}"
                advice = f"All systems must have the same {self.plural}, with the same names."
                raise DataError(Problem(rows.where, what, advice, f"different-{self.plural}"))

    def counted(self, systems: Sequence[Cells]) -> str:
        """Return the number of levels in words: "4 templates", "3 or 5 runs"."""
        counts = sorted({len(axis) for axis in _axes(self, systems) if axis is not None})
        m = " or ".join(map(format_count, counts)) if len(counts) < 3 else f"{counts[0]} to {counts[-1]}"
        return f"{m} {self.name if counts == [1] else self.plural}"


def _axes(factor: CrossedFactor, systems: Sequence[Cells | None]) -> Sequence[Axis | None]:
    """Return the axis of a factor in each system."""
    return [None if cells is None else cells.axis(factor.name) for cells in systems]


def over_levels(factors: Sequence[CrossedFactor], systems: Sequence[Rows]) -> Sequence[str]:
    """Return clauses on the levels that scores are averaged over, and on how samples were reduced."""
    cells = [system.cells for system in systems if system.cells is not None]
    if not cells:
        return []
    samples = [factor.counted(cells) for factor in factors if factor.claim is RunDesign.SAMPLES]
    means = [factor.counted(cells) for factor in factors if factor.claim is not RunDesign.SAMPLES]
    return [*samples, *([f"means over {in_a_row(means)}"] if means else [])]
