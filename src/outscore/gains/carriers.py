"""The units with most of the variance of a gain, if they are few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from outscore.design import Units
from outscore.gains.influence import Leverage
from outscore.gains.pair import Pair
from outscore.gains.pairing import name_of_unit
from outscore.gains.recomputed import RecomputedPair
from outscore.text.naming import in_a_row
from outscore.text.numbers import format_counted

FEW = 5.0  # effective units: below this no test reliably keeps its level
_MOST = 0.8  # of the variance
_MOST_NAMED = 3


@dataclass(frozen=True)
class Carriers:
    """The units with most of the variance of a gain."""

    places: Sequence[int] = ()  # indices of the units with 80% of the variance, that with the largest part first
    share: float = 1.0  # their proportion of the variance
    gaps: Sequence[float] = ()  # the change of the gain by each unit, shape (n,)
    is_known: bool = True  # False if the score is undefined without some unit, so that the variance is unknown

    def counted(self, units: Units, item_ids: Sequence[str] | None) -> str:
        """Return the units and their proportion in words: "2 of 500 items (item 8 and item 3) account for 81% of"."""
        named = in_a_row([name_of_unit(units, index, item_ids) for index in self.places[:_MOST_NAMED]])
        others = "" if len(self.places) <= _MOST_NAMED else ", ..."
        verb = "accounts for" if len(self.places) == 1 else "account for"
        counted = format_counted(units.count, units.name)
        return f"{len(self.places)} of {counted} ({named}{others}) {verb} {self.share:.0%} of"

    def worst(self, excess: float) -> int:
        """Return the index of the unit most opposed to the gain; `excess` is the gain minus the null gain."""
        return int(np.argmin(np.sign(excess) * np.asarray(self.gaps)))


def few_carriers(pair: Pair) -> Carriers | None:
    """Return the units with most of the variance if their effective number is below 5; else None."""
    spread = pair.spread
    if float(spread.effective) >= FEW or float(spread.error) == 0:
        return None
    if np.isinf(spread.error):
        return Carriers(is_known=False)
    gaps = pair.gain - pair.jackknife
    influences = Leverage(pair.sizes, pair.strata).influences(gaps)
    # Relative to the largest influence: squares of influences of 1e-170 would underflow to 0.
    squares = np.square(influences / np.abs(influences).max())
    # A stable order, so that equal units are named in the order of the file on every machine.
    order = np.argsort(-squares, kind="stable")
    shares = np.cumsum(squares[order]) / float(squares.sum())
    count = int(np.searchsorted(shares, _MOST)) + 1
    return Carriers(order[:count].tolist(), float(shares[count - 1]), gaps.tolist())


def with_copies(pair: Pair, unit: int, copies: int) -> Pair | None:
    """Return the pair with one unit repeated; None if the pair is not a sum over single units."""
    # Only rows of single units can be repeated. With random runs, or with two clusterings, the cells and codes of a
    # unit would have to be repeated as well, and its copies would not be independent.
    if isinstance(pair, RecomputedPair) or pair.clusterings is not None or (pair.crossing and pair.crossing.is_random):
        return None
    times = np.ones(pair.n_units, dtype=np.intp)
    times[unit] = copies
    # No variance can be estimated from one unit, in all or in a stratum.
    if times.sum() < 2 or (pair.strata is not None and np.bincount(pair.strata, times).min() < 2):
        return None
    every = np.repeat(np.arange(pair.n_units), times)
    return replace(
        pair,
        baseline=pair.baseline[every],
        candidate=pair.candidate[every],
        strata=None if pair.strata is None else pair.strata[every],
        scored=None,
        crossing=None,
        given=None,
    )
