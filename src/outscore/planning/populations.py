"""What is assumed of the items of test sets to come: rates, a standard deviation, or a pilot (see `pilots`)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from outscore.data.coercion import number, score_gain, share
from outscore.design.scores import Scores
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.planning.levels import Level, Margin
from outscore.planning.powers import exact_margin_power, exact_power, normal_margin_power, normal_power
from outscore.planning.results import Power
from outscore.results import Claim, MetricDescription
from outscore.significance import Bootstrap, PairedT, Randomization, ScoreTest, SignificanceTest, SkewT
from outscore.significance.base import DecidesCounts, TellsNormalLimit
from outscore.text.numbers import format_exactly

OWN_GAIN = (
    "The gain planned for is the pilot's own, which may be luck, and more so where it was significant: plan for the "
    "smallest gain that would matter."
)
INDEPENDENCE = "takes the two systems for independent: no test set of paired systems should be planned for it"


@dataclass(frozen=True)
class Observed:
    """What the data of a population show themselves.

    Attributes
    ----------
    items : int
    gain : float
    decimals : int
        To which a comparison rounds the gain when it shows it.
    """

    items: int
    gain: float
    decimals: int


class Population(ABC):
    """A population of items, as far as a power depends on it; its true gain can be set.

    Attributes
    ----------
    metric : MetricDescription
        In whose unit gains are.
    default_tests : sequence of SignificanceTest
        First the default of `compare` on such items.
    seed, n_sets : int or None
        Of the simulation; None where powers are computed without one.
    observed : Observed or None
        Of a pilot.
    implied_gain : float or None
        The gain that the assumptions tell already.
    fewest_units : int
        Of a test set.
    """

    metric: MetricDescription
    default_tests: Sequence[SignificanceTest]
    seed: int | None = None
    n_sets: int | None = None
    observed: Observed | None = None
    implied_gain: float | None = None
    fewest_units: int = 2

    def in_unit(self, value: object, argument: str) -> float:
        """Return a gain or margin as a user writes it, in the unit of the score.

        Raises
        ------
        OptionError
        """
        return score_gain(value, argument, metric=self.metric.name, is_share=self.metric.as_percentage)

    @abstractmethod
    def describe(self) -> str:
        """Say in a sentence what is assumed."""

    @abstractmethod
    def obstacle(self, test: SignificanceTest) -> str | None:
        """Say why the power of a test cannot be told, as the end of "it …"; None where it can."""

    @abstractmethod
    def powers(self, tests: Sequence[SignificanceTest], items: int, gain: float, level: Level) -> list[Power]:
        """Return the power of each test on so many items with this true gain.

        Raises
        ------
        OptionError
            A gain that the population cannot have.
        """

    @abstractmethod
    def claim_tests(self, claim: Claim, margin: float) -> Sequence[str]:
        """Return the names of the tests that a claim with a margin is planned with, the default of `compare` first."""

    @abstractmethod
    def margin_power(self, margin: Margin, items: int, gain: float, level: Level) -> Power:
        """Return how often a claim with a margin is shown, where the true gain is this one.

        Raises
        ------
        OptionError
            A gain that the population cannot have, or with which the claim is false.
        """

    @abstractmethod
    def largest_gain(self) -> float:
        """Return the largest gain that the population can be given."""

    @abstractmethod
    def deviation(self, gain: float) -> float:
        """Return the standard deviation of the gain times the root of the items, roughly: for first guesses."""

    def units(self, items: int) -> int:
        """Return how many units, such as clusters, so many items are."""
        return items

    def notes(self, gains: Sequence[float]) -> Sequence[str]:
        """Return what a reader of powers at these gains must know."""
        del gains
        return ()

    def check_gain(self, gain: float) -> None:
        """Refuse a gain that is not positive, or larger than possible."""
        largest = self.largest_gain()
        if not 0 < gain <= largest * (1 + 1e-12):
            unit = " (a fraction: +2 points are 0.02, or 2%)" if self.metric.as_percentage else ""
            what = f"expected a gain above 0 and up to {largest:.4g}{unit}, got {gain:g}"
            raise OptionError(Problem(opt("gain"), what, "", "impossible-gain"))


@dataclass(frozen=True)
class Rates(Population):
    """Items that are right or wrong: the rates at which the candidate hurts and helps.

    With another true gain than `helped` − `hurt` the rate of hurt items stays, and that of helped ones follows, as in
    Jansen's table. Powers are exact.

    Parameters
    ----------
    hurt : float
        The share of items that the candidate gets wrong and the baseline right, in [0, 0.5); "5%" is understood.
    helped : float, optional
        The share that it is the other way round; by the gain where it is not given. As many as are hurt for two
        systems that are as good as each other, of which claims with a margin can be planned.
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
            what = f"helped and hurt items add up to {self.helped + self.hurt:g} of all items, which is more than 1"
            raise OptionError(Problem(opt("helped"), what, "", "rates-above-1"))
        if self.hurt >= 0.5:
            what = f"expected less than half of the items, got {self.hurt:g}: not more than these could be helped"
            raise OptionError(Problem(opt("hurt"), what, "Power is about a candidate that is better.", "no-gain"))

    @property
    def implied_gain(self) -> float | None:  # type: ignore[override]
        return None if self.helped is None else self.helped - self.hurt

    def describe(self) -> str:
        helped = "" if self.helped is None else f", {format_exactly(100 * self.helped)}% helped"
        return f"Items are right or wrong: {format_exactly(100 * self.hurt)}% hurt{helped}, independently."

    def obstacle(self, test: SignificanceTest) -> str | None:
        if isinstance(test, DecidesCounts):
            return None
        if test.assumes_independence:
            return INDEPENDENCE
        return "is no test whose power on right-or-wrong items is known: the default there is randomization"

    def largest_gain(self) -> float:
        return 1 - 2 * self.hurt

    def deviation(self, gain: float) -> float:
        return math.sqrt(max(2 * self.hurt + gain - gain**2, 1e-12))

    def check_gain(self, gain: float) -> None:
        if self.helped is not None and self.helped <= self.hurt:
            what = f"expected more items helped than hurt, got {self.helped:g} and {self.hurt:g}"
            claims = f"{opt('claim', 'not-worse')} or {opt('claim', 'equivalent')}"
            advice = f"For two systems as good as each other, pass {claims}."
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
                f"expected a margin below 1, and a gain from {-self.hurt:g} to {self.largest_gain():g} where "
                f"{self.hurt:g} of the items are hurt, got {margin.size:g} and {gain:g}"
            )
            raise OptionError(Problem(opt("margin"), what, "Write 1% as 0.01.", "impossible-gain"))
        return exact_margin_power(items, min(max(helped, 0.0), 1 - self.hurt), self.hurt, margin, level)


@dataclass(frozen=True)
class Spread(Population):
    """Items whose differences are normal with a known standard deviation.

    Parameters
    ----------
    sd : float
        The standard deviation of the candidate's score minus the baseline's, item by item; positive, in the unit of
        the scores.
    """

    sd: float

    metric = MetricDescription("mean", higher_is_better=True, as_percentage=False)
    default_tests = (SkewT(), Bootstrap(), PairedT())

    def __post_init__(self) -> None:
        object.__setattr__(self, "sd", number(self.sd, opt("sd")))
        if not (self.sd > 0 and math.isfinite(self.sd)):
            what = f"expected a positive number, got {self.sd:g}"
            advice = "Items that all differ alike need no test." if self.sd == 0 else ""
            raise OptionError(Problem(opt("sd"), what, advice, "out-of-range"))

    def describe(self) -> str:
        return (
            f"Differences between the systems' scores are normal, item by item, with a standard deviation of "
            f"{format_exactly(self.sd)}."
        )

    def obstacle(self, test: SignificanceTest) -> str | None:
        if isinstance(test, TellsNormalLimit):
            return None
        if test.assumes_independence:
            return INDEPENDENCE
        return "is about more than the mean and the standard deviation of the differences"

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
    """Refuse what is no pilot: other than two systems, or several metrics."""
    if len(scores) != 2:
        what = f"expected two systems for a pilot, baseline and candidate, got {len(scores)}"
        raise OptionError(Problem("pilot", what, "", "usage"))
    if len(scores.metrics) > 1:
        what = f"a pilot is of one metric, got {len(scores.metrics)}"
        raise OptionError(Problem(opt("metric"), what, "Plan for each of them.", "several-metrics"))


def _rate(value: float | str, option: str) -> float:
    rate = share(value, option, of="the rate of items helped or hurt")
    if not 0 <= rate <= 1:
        what = f"expected a share of the items from 0 to 1, got {rate:g}"
        raise OptionError(Problem(option, what, "Write 5% or 0.05.", "out-of-range"))
    return rate
