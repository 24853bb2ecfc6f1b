"""The units with most of the variance of a gain, if they are few, and the effect of one more on the p-value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore.design import Units
from outscore.gains.influence import Leverage, spread_of_gaps
from outscore.gains.pair import AnyPair
from outscore.gains.skewness import skew_p_values
from outscore.results import Alternative
from outscore.text.numbers import format_counted

FEW = 5.0  # effective units: below this no test reliably keeps its level
_MOST = 0.8  # of the variance


@dataclass(frozen=True)
class Carriers:
    """The units with most of the variance of a gain.

    Attributes
    ----------
    count : int
        Number of units with 80% of the variance.
    share : float
        Their proportion of the variance.
    worst : int or None
        The place of the unit with the influence most opposed to the gain; None if there is no gain.
    p_with_another : float or None
        The two-sided p-value with one more unit like that one.
    is_known : bool
        Whether the variance is known. It is not if the score is undefined without some unit.
    """

    count: int
    share: float
    worst: int | None = None
    p_with_another: float | None = None
    is_known: bool = True

    def counted(self, units: Units) -> str:
        """Return the number of units and their proportion in words: "3 of 500 items account for 81% of"."""
        verb = "accounts for" if self.count == 1 else "account for"
        return f"{self.count} of {format_counted(units.count, units.name)} {verb} {self.share:.0%} of"


def few_carriers(pair: AnyPair) -> Carriers | None:
    """Return the units with most of the variance if their effective number is below 5; else None."""
    spread = pair.spread
    if float(spread.effective) >= FEW or float(spread.variance) == 0:
        return None
    if np.isinf(spread.variance):
        return Carriers(1, 1.0, is_known=False)
    leverage = Leverage(pair.sizes, pair.strata)
    gaps = pair.gain - pair.jackknife
    squares = np.sort(leverage.influences(gaps) ** 2)[::-1]
    shares = np.cumsum(squares) / float(squares.sum())
    count = int(np.searchsorted(shares, _MOST)) + 1
    if pair.linear is None or pair.strata is not None or pair.gain == 0:
        return Carriers(count, float(shares[count - 1]))
    worst = int(np.argmin(np.sign(pair.gain) * gaps))
    d, shared = (np.append(part, part[worst]) for part in (pair.linear.d, np.abs(pair.linear.shared)))
    gain, whole = float(d.sum() / shared.sum()), float(shared.sum())
    another = spread_of_gaps(Leverage(shared), (d - gain * shared) / (whole - shared), pair.tolerance)
    t = gain / np.sqrt(another.variance) if float(another.variance) > 0 else np.inf
    p = float(skew_p_values(t, another, Alternative.TWO_SIDED))
    return Carriers(count, float(shares[count - 1]), worst, p)
