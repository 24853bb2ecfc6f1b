"""The system in first place: how often the intervals of its score hold the true one, and by how much it overstates."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

import outscore

SHARED = 0.5  # of an item's latent error, by all systems


@dataclass(frozen=True)
class Choice:
    """Binary items of systems whose true accuracies are known.

    Attributes
    ----------
    name : str
    accuracies : tuple of float
    n : int
    sets : float
        How many sets are drawn, for one of the default test's.
    """

    name: str
    accuracies: tuple[float, ...]
    n: int
    sets: float = 0.05


@dataclass
class Found:
    """Sums over sets of what a ranking says of the system in first place.

    Attributes
    ----------
    sets : int
    plain : int
        Sets in which its own interval misses its true score.
    below, above : int
        Sets in which the interval that allows for the choice is above or below the true score.
    width : float
        Widths of that interval, in those of its own.
    bias, corrected : float
        Errors of the score, and of the score less the expected overstatement.
    squares, corrected_squares : float
        Their squares.
    """

    sets: int = 0
    plain: int = 0
    below: int = 0
    above: int = 0
    width: float = 0.0
    bias: float = 0.0
    corrected: float = 0.0
    squares: float = 0.0
    corrected_squares: float = 0.0


def judge(choice: Choice, count: int, seed: int = 0) -> Found:
    """Rank `count` sets of systems."""
    found = Found()
    truths = {f"s{place:02}": accuracy for place, accuracy in enumerate(choice.accuracies)}
    limits = np.array([NormalDist().inv_cdf(accuracy) for accuracy in choice.accuracies])[:, None]
    for index in range(count):
        rng = np.random.default_rng([seed, index, choice.n])
        errors = np.sqrt(SHARED) * rng.normal(size=choice.n)
        errors = errors + np.sqrt(1 - SHARED) * rng.normal(size=(len(truths), choice.n))
        systems = dict(zip(truths, (errors <= limits) * 1.0, strict=True))
        first = outscore.rank(systems, metric="accuracy", n_resamples=99, seed=index).systems[0]
        truth, own, chosen = truths[first.name], first.interval, first.interval_as_chosen
        assert first.overstatement is not None
        assert chosen is not None
        off, corrected = first.score - truth, first.score - first.overstatement - truth
        found.sets += 1
        found.plain += not own.holds(truth)
        found.below += truth < chosen.low
        found.above += truth > chosen.high
        found.width += (chosen.high - chosen.low) / (own.high - own.low) if own.high > own.low else 1.0
        found.bias, found.squares = found.bias + off, found.squares + off**2
        found.corrected, found.corrected_squares = found.corrected + corrected, found.corrected_squares + corrected**2
    return found


_SPREAD = tuple(0.65 + 0.1 * place / 19 for place in range(20))
CHOICES = (
    Choice("20 equal systems", (0.7,) * 20, 50),
    Choice("20 equal systems", (0.7,) * 20, 200),
    Choice("20 equal systems", (0.7,) * 20, 1000, 0.02),
    Choice("20 systems within 10 points", _SPREAD, 200),
    Choice("one of 20 better by 10 points", (0.7,) * 19 + (0.8,), 50),
    Choice("one of 20 better by 10 points", (0.7,) * 19 + (0.8,), 200),
    Choice("one of 20 better by 10 points", (0.7,) * 19 + (0.8,), 1000, 0.02),
    Choice("2 equal systems", (0.7,) * 2, 200),
    Choice("20 equal systems, 95%", (0.95,) * 20, 200),
)
