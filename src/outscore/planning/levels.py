"""At which level a planned comparison is tested."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

from outscore.errors import OptionError, Problem
from outscore.results import Alternative

__all__ = ["Level"]


@dataclass(frozen=True)
class Level:
    """The level of each of several planned comparisons, and its alternative.

    Each is tested at α/m (Bonferroni). Holm's correction, which `outscore compare` applies, rejects whatever
    Bonferroni's does and sometimes more, so that the power planned is a lower bound of the power that it has.

    Parameters
    ----------
    alpha : float
        Over all comparisons together, in (0, 0.5).
    comparisons : int
        m, at least 1.
    alternative : Alternative
        greater or two-sided; its name is taken, too.

    Raises
    ------
    OptionError
        Anything else.
    """

    alpha: float = 0.05
    comparisons: int = 1
    alternative: Alternative = Alternative.TWO_SIDED

    def __post_init__(self) -> None:
        if not (isinstance(self.alpha, Real) and 0 < self.alpha < 0.5):
            what = f"expected a number above 0 and below 0.5, got {self.alpha}"
            raise OptionError(Problem("--alpha", what, "", "out-of-range"))
        if not (isinstance(self.comparisons, Integral) and self.comparisons >= 1):
            what = f"expected a whole number, at least 1, got {self.comparisons}"
            raise OptionError(Problem("--comparisons", what, "", "out-of-range"))
        object.__setattr__(self, "alpha", float(self.alpha))
        object.__setattr__(self, "comparisons", int(self.comparisons))
        try:
            object.__setattr__(self, "alternative", Alternative(self.alternative))
        except ValueError:
            what = f'expected greater or two-sided, got "{self.alternative}"'
            raise OptionError(Problem("--alternative", what, "", "wrong-alternative")) from None
        if self.alternative is Alternative.LESS:
            what = "a gain is planned for, so that the alternative is greater or two-sided"
            raise OptionError(Problem("--alternative", what, "", "wrong-alternative"))

    @property
    def per_comparison(self) -> float:
        """The level of each comparison."""
        return self.alpha / self.comparisons

    @property
    def two_sided(self) -> bool:
        """Whether a loss can be significant, too."""
        return self.alternative is Alternative.TWO_SIDED
