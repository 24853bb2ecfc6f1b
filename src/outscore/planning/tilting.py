"""Giving a pilot another true gain: exponential tilting of its units' weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.errors import OptionError, Problem
from outscore.significance.pair import Pair
from outscore.strata import members_of

__all__ = ["Tilting", "gradients", "worth"]

_STEP = 1e-5  # of the total: the error of a central difference is the square of it
_FEWEST_UNITS = 10.0
_LEAST_SHARE = 0.2  # of the pilot's units that a tilted one must still be worth
_STEEPEST = 60.0  # in standard deviations of the influence
_LEAST_VARIANCE = 0.25  # of the pilot's own: with less, the units that carry the spread are all but left out


@dataclass(frozen=True, eq=False)
class Tilting:
    """The populations nearest to a pilot that have other gains.

    The pilot's units are a population in which each has probability 1/n. Of all populations of the same units, the
    one that has a given gain and is nearest to that in the sense of Kullback and Leibler gives a unit a probability
    in proportion to exp(λ zᵢ), zᵢ the influence of the unit on the gain (Efron 1981, "nonparametric
    tilting"; Davison & Hinkley 1997, section 4.4). Rows stay as real systems made them: units on which the candidate
    did well are drawn more often, others less. With λ = 0 it is the pilot itself. Strata are tilted one by one, by the
    same λ: each keeps its share.

    Parameters
    ----------
    pair : Pair
    """

    pair: Pair

    @cached_property
    def _slopes_along(self) -> FloatArray:
        columns = self.pair.columns
        values = columns @ gradients(self.pair.gains, columns.sum(axis=0)[None])[0]
        for members in self._strata:
            values[members] -= values[members].mean()
        return np.asarray(values * self.pair.n_units)

    @cached_property
    def _strata(self) -> list[IntArray]:
        n = self.pair.n_units
        return [np.arange(n)] if self.pair.strata is None else members_of(self.pair.strata)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the gain times the root of the number of units."""
        return float(self._slopes_along.std())

    @cached_property
    def influence(self) -> FloatArray:
        """Zᵢ, shape (n,), with mean 0 and standard deviation 1; all 0 where no unit differs from the others."""
        negligible = 1e-9 * max(self.pair.tolerance * 1e12, 1e-300)
        return self._slopes_along / self.spread if self.spread > negligible else np.zeros(self.pair.n_units)

    def tilted(self, steepness: float) -> FloatArray:
        """Return the units' probabilities for λ, shape (n,)."""
        probabilities = np.empty(self.pair.n_units)
        for members in self._strata:
            exponents = steepness * self.influence[members]
            grown = np.exp(exponents - exponents.max())
            probabilities[members] = grown / grown.sum() * (len(members) / len(probabilities))
        return probabilities

    def gain(self, steepness: float) -> float:
        """Return the true gain of the population tilted by λ."""
        return float(self.pair.gains(self.tilted(steepness)[None] @ self.pair.columns)[0])

    @cached_property
    def effective_units(self) -> float:
        """How many units carry the spread: (Σz²)²/Σz⁴, Kish's number for the weights z².

        It is the number of differing items where all differ alike, a third of the units for normal differences, and
        one where a single unit differs by far more than all others. The variance of n units has the relative standard
        error √(1/effective − 1/n).
        """
        squares = self.influence**2
        return float(squares.sum() ** 2 / (squares**2).sum()) if squares.any() else 0.0

    def variance(self, probabilities: FloatArray) -> float:
        """Return the variance of the influence in a population of the units; 1 is the pilot's own."""
        variance = 0.0
        for members in self._strata:
            own, influence = probabilities[members], self.influence[members]
            variance += float(own @ (influence - own @ influence / own.sum()) ** 2)
        return variance

    @property
    def _fewest(self) -> float:
        return max(_LEAST_SHARE * self.pair.n_units, min(_FEWEST_UNITS, self.pair.n_units / 2))

    @cached_property
    def steepest(self) -> float:
        """The largest λ at which the tilted units are worth enough of the pilot's (Kish's 1/Σw²), and spread enough."""
        return self._farthest(lambda tilted: worth(tilted) >= self._fewest and self._spread_enough(tilted))

    @cached_property
    def _lowest(self) -> float:
        # Towards smaller gains no number of units is asked for: the steps are short.
        return -self._farthest(self._spread_enough, sign=-1)

    def _spread_enough(self, tilted: FloatArray) -> bool:
        return self.variance(tilted) >= _LEAST_VARIANCE

    def _farthest(self, allowed: Callable[[FloatArray], bool], sign: int = 1) -> float:
        """Return the size of the steepest λ of this sign up to which tilting is allowed."""
        low, high = 0.0, _STEEPEST
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if allowed(self.tilted(sign * middle)) else (low, middle)
        return low

    def to(self, gain: float) -> FloatArray:
        """Return the units' probabilities with which the true gain is `gain`."""
        from scipy.optimize import brentq

        own = self.gain(0.0)
        end = self.steepest if gain > own else self._lowest
        if not min(own, self.gain(end)) <= gain <= max(own, self.gain(end)):
            what = (
                f"a gain of {gain:.4g} is too far from the pilot's {self.pair.gain:.4g}: it would rest on few of its "
                f"{self.pair.n_units} units, or leave out those that carry the spread (gains from "
                f"{self.gain(self._lowest):.4g} to {self.gain(self.steepest):.4g} can be told)"
            )
            raise OptionError(Problem("--gain", what, "Take a larger pilot.", "beyond-pilot"))
        if math.isclose(gain, own, rel_tol=1e-12) or end == 0:
            return self.tilted(0.0)
        return self.tilted(float(brentq(lambda steepness: self.gain(steepness) - gain, 0.0, end, xtol=1e-12)))


def worth(probabilities: FloatArray) -> float:
    """Return how many equally likely units these are worth: 1/Σw² (Kish)."""
    return 1 / float((probabilities**2).sum())


def gradients(value_of: Callable[[FloatArray], FloatArray], totals: FloatArray) -> FloatArray:
    """Return the slopes of a function of totals, shape (b, columns).

    Central differences; forward ones where a total is 0, as counts do not fall below.
    """
    steps = _STEP * np.abs(totals)
    flat = steps == 0
    steps[flat] = np.broadcast_to(_STEP * np.maximum(np.abs(totals).max(axis=1, keepdims=True), 1e-300), steps.shape)[
        flat
    ]
    slopes = np.empty_like(totals)
    for column in range(totals.shape[1]):
        up, down = totals.copy(), totals.copy()
        up[:, column] += steps[:, column]
        down[:, column] -= np.where(flat[:, column], 0.0, steps[:, column])
        slopes[:, column] = (value_of(up) - value_of(down)) / (up[:, column] - down[:, column])
    return slopes
