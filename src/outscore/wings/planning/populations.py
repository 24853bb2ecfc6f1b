"""Assumptions on the items of planned test sets: rates, a standard deviation, or a pilot (see `pilots`)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from outscore.data.coercion import number, score_gain, share
from outscore.design.scores import Scores
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.results import Claim, MetricDescription
from outscore.significance import Bootstrap, PairedT, Randomization, ScoreTest, SignificanceTest, SkewT
from outscore.significance.base import DecidesCounts, TellsNormalLimit
from outscore.text.numbers import format_exactly
from outscore.wings.planning.levels import Level, Margin
from outscore.wings.planning.powers import exact_margin_power, exact_power, normal_margin_power, normal_power
from outscore.wings.planning.results import Power

OWN_GAIN = (
    "The planned gain is the pilot's own, which may be due to chance, especially if it was significant. Plan for "
    "the smallest gain of interest."
)
INDEPENDENCE = "assumes independent systems, so it is not suited to plan for paired ones"


@dataclass(frozen=True)
class Observed:
    """The observed data of a pilot."""

    items: int
    gain: float
    decimals: int  # decimals to which a comparison rounds the gain


class Population(ABC):
    """A population of items, for computing power. Its true gain can be set."""

    metric: MetricDescription  # the metric, which sets the unit of gains
    default_tests: Sequence[SignificanceTest]  # default tests, first that of `compare` on such items
    # seed, n_sets: of the simulation; None if powers are not simulated.
    seed: int | None = None
    n_sets: int | None = None
    observed: Observed | None = None  # the observed data of a pilot
    implied_gain: float | None = None  # the gain that the assumptions imply
    fewest_units: int = 2  # the smallest number of units of a test set

    def in_unit(self, value: object, argument: str) -> float:
        """Return a gain or margin, which users may write as text, in the unit of the score."""
        return score_gain(value, argument, metric=self.metric.name, is_share=self.metric.as_percentage)

    @abstractmethod
    def describe(self) -> str:
        """Return the assumptions in a sentence."""

    @abstractmethod
    def obstacle(self, test: SignificanceTest) -> str | None:
        """Return why the power of a test cannot be computed, as the end of "it …"; None if it can."""

    @abstractmethod
    def powers(self, tests: Sequence[SignificanceTest], items: int, gain: float, level: Level) -> list[Power]:
        """Return the power of each test with this number of items and this true gain, if the population can have it."""

    @abstractmethod
    def claim_tests(self, claim: Claim, margin: float) -> Sequence[str]:
        """Return the names of the tests for a claim with a margin, the default of `compare` first."""

    @abstractmethod
    def margin_power(self, margin: Margin, items: int, gain: float, level: Level) -> Power:
        """Return the power to show a claim with a margin at this true gain, at which the claim must be true."""

    @abstractmethod
    def largest_gain(self) -> float:
        """Return the largest possible gain of the population."""

    @abstractmethod
    def deviation(self, gain: float) -> float:
        """Return an approximate standard deviation of the gain times the root of the items, for first guesses."""

    def units(self, items: int) -> int:
        """Return the number of units, such as clusters, of so many items."""
        return items

    def notes(self, gains: Sequence[float]) -> Sequence[str]:
        """Return notes on the powers at these gains."""
        del gains
        return ()

    def check_gain(self, gain: float) -> None:
        """Refuse a gain that is not positive, or too large."""
        largest = self.largest_gain()
        if not 0 < gain <= largest * (1 + 1e-12):
            unit = " (a fraction: +2 points are 0.02, or 2%)" if self.metric.as_percentage else ""
            what = f"expected a gain above 0 and up to {largest:.4g}{unit}, got {gain:g}"
            raise OptionError(Problem(opt("gain"), what, "", "impossible-gain"))


@dataclass(frozen=True)
class Rates(Population):
    """Binary items, with the rates of losses and wins.

    For a true gain other than `helped` − `hurt`, the rate of losses is kept and that of wins is changed, as in
    Jansen's table. Powers are exact.

    Parameters
    ----------
    hurt : float
        The proportion of losses, in [0, 0.5): items that the baseline gets right and the candidate wrong. May be
        text such as "5%".
    helped : float, optional
        The proportion of wins. Default: from the gain. Equal to `hurt` for equally good systems, for which claims
        with a margin can be planned.
    """

    hurt: float
    helped: float | None = None

    metric = MetricDescription("accuracy", higher_is_better=True, as_percentage=True)
    default_tests = (Randomization(), Bootstrap(), PairedT())

    def __post_init__(self) -> None:
        object.__setattr__(self, "hurt", _rate(self.hurt, opt("hurt")))
        if self.helped is not None:
            object.__setattr__(self, "helped", _rate(self.helped, opt("helped")))
        if self.helped is not None and self.helped + self.hurt > 1 + 1e-12:
            what = f"wins and losses add up to {self.helped + self.hurt:g} of all items, which is more than 1"
            raise OptionError(Problem(opt("helped"), what, "", "rates-above-1"))
        if self.hurt >= 0.5:
            what = f"expected less than half of the items, got {self.hurt:g}: wins could not outnumber such losses"
            raise OptionError(
                Problem(opt("hurt"), what, "Power is computed for a candidate that is better.", "no-gain")
            )

    @property
    def implied_gain(self) -> float | None:  # type: ignore[override]
        return None if self.helped is None else self.helped - self.hurt

    def describe(self) -> str:
        helped = "" if self.helped is None else f", {format_exactly(100 * self.helped)}% wins"
        return f"Scores are binary: {format_exactly(100 * self.hurt)}% losses{helped}; items are independent."

    def obstacle(self, test: SignificanceTest) -> str | None:
        if isinstance(test, DecidesCounts):
            return None
        if test.assumes_independence:
            return INDEPENDENCE
        return "has no known power on binary scores, for which the default is randomization"

    def largest_gain(self) -> float:
        return 1 - 2 * self.hurt

    def deviation(self, gain: float) -> float:
        return math.sqrt(max(2 * self.hurt + gain - gain**2, 1e-12))

    def check_gain(self, gain: float) -> None:
        if self.helped is not None and self.helped <= self.hurt:
            what = f"expected more wins than losses, got {self.helped:g} and {self.hurt:g}"
            claims = f"{opt('claim', 'not-worse')} or {opt('claim', 'equivalent')}"
            advice = f"For equally good systems, pass {claims}."
            raise OptionError(Problem(opt("helped"), what, advice, "no-gain"))
        super().check_gain(gain)

    def powers(self, tests: Sequence[SignificanceTest], items: int, gain: float, level: Level) -> list[Power]:
        self.check_gain(gain)
        helped = min(self.hurt + gain, 1 - self.hurt)
        return [exact_power(test, items, helped, self.hurt, level) for test in tests if isinstance(test, DecidesCounts)]

    def claim_tests(self, claim: Claim, margin: float) -> Sequence[str]:
        del claim, margin
        return (ScoreTest.name,)

    def margin_power(self, margin: Margin, items: int, gain: float, level: Level) -> Power:
        margin.check(gain)
        helped = self.hurt + gain
        if not (margin.size < 1 and -1e-12 <= helped <= 1 - self.hurt + 1e-12):
            what = (
                f"expected a margin below 1 and, with {self.hurt:g} losses, a gain from {-self.hurt:g} to "
                f"{self.largest_gain():g}, got {margin.size:g} and {gain:g}"
            )
            raise OptionError(Problem(opt("margin"), what, "Write 1% as 0.01.", "impossible-gain"))
        return exact_margin_power(items, min(max(helped, 0.0), 1 - self.hurt), self.hurt, margin, level)


@dataclass(frozen=True)
class Spread(Population):
    """Items with normally distributed differences of known standard deviation.

    Parameters
    ----------
    sd : float
        The standard deviation of the candidate's score minus the baseline's per item; positive, in the unit of the
        scores.
    """

    sd: float

    metric = MetricDescription("mean", higher_is_better=True, as_percentage=False)
    default_tests = (SkewT(), Bootstrap(), PairedT())

    def __post_init__(self) -> None:
        object.__setattr__(self, "sd", number(self.sd, opt("sd")))
        if not (self.sd > 0 and math.isfinite(self.sd)):
            what = f"expected a positive number, got {self.sd:g}"
            advice = "Items with identical differences need no test." if self.sd == 0 else ""
            raise OptionError(Problem(opt("sd"), what, advice, "out-of-range"))

    def describe(self) -> str:
        return f"Score differences per item are normal, with a standard deviation of {format_exactly(self.sd)}."

    def obstacle(self, test: SignificanceTest) -> str | None:
        if isinstance(test, TellsNormalLimit):
            return None
        if test.assumes_independence:
            return INDEPENDENCE
        return "depends on more than the mean and the standard deviation of the differences"

    def largest_gain(self) -> float:
        return math.inf

    def deviation(self, gain: float) -> float:
        del gain
        return self.sd

    def powers(self, tests: Sequence[SignificanceTest], items: int, gain: float, level: Level) -> list[Power]:
        self.check_gain(gain)
        return [normal_power(test, items, gain, self.sd, level) for test in tests if isinstance(test, TellsNormalLimit)]

    def claim_tests(self, claim: Claim, margin: float) -> Sequence[str]:
        del claim, margin
        return SkewT.name, ScoreTest.name

    def margin_power(self, margin: Margin, items: int, gain: float, level: Level) -> Power:
        margin.check(gain)
        return normal_margin_power(items, gain, self.sd, margin, level)


def check_pilot(scores: Scores) -> None:
    """Refuse systems that are not a pilot: not two systems, or several metrics."""
    if len(scores) != 2:
        what = f"expected two systems for a pilot, baseline and candidate, got {len(scores)}"
        raise OptionError(Problem("pilot", what, "", "usage"))
    if len(scores.metrics) > 1:
        what = f"a pilot has one metric, got {len(scores.metrics)}"
        raise OptionError(Problem(opt("metric"), what, "Plan for each of them.", "several-metrics"))


def _rate(value: float | str, option: str) -> float:
    rate = share(value, option, of="the proportion of wins or losses")
    if not 0 <= rate <= 1:
        what = f"expected a proportion of the items from 0 to 1, got {rate:g}"
        raise OptionError(Problem(option, what, "Write 5% or 0.05.", "out-of-range"))
    return rate
