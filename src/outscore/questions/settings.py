"""What is asked of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from outscore.data.coercion import check_level
from outscore.data.rows import Rows
from outscore.design import Design
from outscore.design.scores import score_gain_of
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.gains.crossing import Crossing
from outscore.gains.gain_laws import Resampling
from outscore.metrics import AnyMetric
from outscore.metrics.base import LARGEST_NUMBER
from outscore.options import leave_out, opt
from outscore.results import Alternative, Claim, Estimator, IntervalMethod, RunLaw, Ties, Unit
from outscore.significance.auto import Auto
from outscore.significance.base import SignificanceTest

_MOST_RESAMPLES = 10**8
_TILTED_CELLS = 2**32  # units drawn by tilted resamples of a pair, at some 16 ns: a minute


@dataclass(frozen=True)
class Settings:
    """Everything that is asked of a comparison.

    Attributes
    ----------
    tests : sequence of SignificanceTest
        The first one gives the verdict.
    skip_inapplicable : bool
        Leave out tests that do not apply, saying so, instead of raising.
    resampling : Resampling
    alternative, ties, estimator, claim, interval : enumerations
    margin : float, optional
        Positive, in the unit of the score; for the claims that need one.
    alpha : float
        In (0, 1); the confidence level of intervals is 1 − alpha.
    double_check : bool
        Compute resampling tests a second time, another way.
    unit : Unit
        What randomization swaps.
    run_law : RunLaw
        Of the crossed t test.
    run_sd : float or "borrowed", optional
        The standard deviation of a run's score, where a system has one run.
    design : Design
        What was sampled: only tests that allow for it answer.
    """

    tests: Sequence[SignificanceTest] = field(default_factory=lambda: (Auto(),))
    skip_inapplicable: bool = False
    resampling: Resampling = field(default_factory=Resampling)
    alternative: Alternative = Alternative.TWO_SIDED
    ties: Ties = Ties.COUNT
    estimator: Estimator = Estimator.ADD_ONE
    claim: Claim = Claim.BETTER
    margin: float | None = None
    alpha: float = 0.05
    interval: IntervalMethod = IntervalMethod.TEST
    double_check: bool = False
    unit: Unit = Unit.ITEM
    run_law: RunLaw = RunLaw.SATTERTHWAITE
    run_sd: float | Literal["borrowed"] | None = None
    design: Design = field(default_factory=lambda: Design(0))

    @property
    def tilted(self) -> Resampling:
        """The resampling, with tilted resamples but of the papers' own estimator."""
        cells = _TILTED_CELLS if self.estimator is Estimator.ADD_ONE else 0
        return replace(self.resampling, tilted_cells=cells)

    @property
    def null_gains(self) -> Sequence[float]:
        """The null values of the gain that the claim can ask about."""
        return (0.0,) if self.margin is None else (-self.margin, self.margin)

    def with_margin(self, margin: float | str | None, metric: AnyMetric, systems: Sequence[Rows]) -> Settings:
        """Return the same with a margin as a user writes it, in the unit of the metric's score; None changes nothing.

        Raises
        ------
        OptionError
            What is no margin.
        """
        if margin is None:
            return self
        return replace(self, margin=score_gain_of(margin, opt("margin"), metric, systems))

    def on_design(self, design: Design, crossings: Sequence[Crossing] = ()) -> Settings:
        """Return the same for systems on a design.

        Raises
        ------
        OptionError
            One run of a system, of which nothing tells how it varies; what is said of runs where none are random.
        """
        factors = design.new_levels
        self._check_options(design)
        tests = self.tests
        if design.against is not None:
            of_two = [test for test in tests if test.assumes_independence]
            if of_two and not self.skip_inapplicable:
                what = "it takes two samples, and a constant is none"
                raise NotApplicableError(
                    Problem(opt("tests", of_two[0].name), what, "Name another test.", "not-applicable")
                )
            tests = [test for test in tests if not test.assumes_independence]
        if not factors:
            return replace(self, tests=tests, design=design)
        from outscore.gains.variance import one_level
        from outscore.significance.crossed import CrossedT

        crossed = CrossedT(self.run_law, self.run_sd)
        asked = self.run_sd is not None or self.run_law is not RunLaw.SATTERTHWAITE
        takes = (Auto, CrossedT) if asked else CrossedT  # what is said of runs is for the crossed t-test
        tests = [crossed if isinstance(test, takes) else test for test in tests]
        one = [of for of in crossings if of.fewest[0] == 1]
        if crossings and not one and self.run_sd is not None:
            what = "every system has several runs, which tell themselves how they vary"
            raise OptionError(Problem(opt("run_sd"), what, "Leave it out.", "run-sd-known"))
        if one and self.run_sd is None:
            raise one_level(one[0], self.alpha)
        return replace(self, tests=tests, design=design)

    def _check_options(self, design: Design) -> None:
        """Refuse options that make no sense on a design."""
        options = {opt("run_sd"): self.run_sd is not None, opt("run_law"): self.run_law is not RunLaw.SATTERTHWAITE}
        known = {
            opt("run_sd"): any(not factor.always_shared for factor in design.new_levels),
            opt("run_law"): design.new_levels,
        }
        for option, is_set in options.items():
            if is_set and not known[option]:
                what = "it is about runs that are random, and these are not"
                raise OptionError(
                    Problem(option, what, f"Pass {opt('runs', 'random')}, or leave it out.", "not-random")
                )
        if self.interval is IntervalMethod.TEST:
            return
        for factor in design.new_levels:
            what = f"the bootstrap law of items alone, of which {self.interval} intervals are made, knows no other "
            advice = f"Leave it out, or pass {opt(factor.plural, 'fixed')}."
            raise OptionError(Problem(opt("interval"), what + factor.plural, advice, f"{factor.plural}-random"))
        if design.crossed_clusters is not None:
            what = f"the bootstrap law, of which {self.interval} intervals are made, knows one clustering"
            raise OptionError(Problem(opt("interval"), what, "Leave it out.", "two-way"))

    def __post_init__(self) -> None:
        check_resampling(self.resampling, self.alpha)
        if self.claim is not Claim.BETTER and self.alternative is not Alternative.TWO_SIDED:
            raise OptionError(
                Problem(
                    opt("alternative"),
                    f'the claim "{self.claim}" has its own alternative',
                    leave_out(),
                    "alternative-with-claim",
                )
            )
        if self.claim is Claim.BETTER:
            if self.margin is not None:
                raise OptionError(
                    Problem(
                        opt("margin"),
                        'the claim "better" has no margin',
                        f"Use {opt('claim', 'not-worse')} or {opt('claim', 'equivalent')}.",
                        "margin-without-claim",
                    )
                )
        elif self.margin is None or not 1 / LARGEST_NUMBER <= self.margin <= LARGEST_NUMBER:
            got = "none" if self.margin is None else f"{self.margin:g}"
            between = " between 1e-100 and 1e100" if self.margin is not None and self.margin > 0 else ""
            raise OptionError(
                Problem(
                    opt("margin"),
                    f'the claim "{self.claim}" needs a positive margin{between}, got {got}',
                    "Give the largest loss that would not matter, in the unit of the score.",
                    "bad-margin",
                )
            )
        if self.unit is Unit.RESPONSE and not any(test.swaps for test in self.tests):
            raise OptionError(
                Problem(
                    opt("unit", "response"),
                    "none of the tests swaps responses",
                    f"Add {opt('tests', 'randomization')}.",
                    "unit-without-swaps",
                )
            )
        if not self.tests:
            raise OptionError(Problem(opt("tests"), "expected at least one test", "", "no-test"))
        first = self.tests[0]
        if first.emulates is not None:
            what = f"{first.name} reproduces a formula of {first.emulates} that misleads, and cannot give the verdict"
            advice = f"Name a sound test before it, as in {opt('tests', f'bootstrap,{first.name}')}."
            raise OptionError(Problem(opt("tests", first.name), what, advice, "emulation-first"))


def check_resampling(resampling: Resampling, alpha: float) -> None:
    """Refuse a level, a number of resamples or a seed out of range.

    Raises
    ------
    OptionError
    """
    check_level(alpha)
    r = resampling.n_resamples
    if not 1 <= r <= _MOST_RESAMPLES:
        what = f"expected a whole number from 1 to 10^8, got {r}"
        raise OptionError(Problem(opt("n_resamples"), what, "", "out-of-range"))
    if resampling.seed < 0:
        raise OptionError(Problem(opt("seed"), f"expected 0 or more, got {resampling.seed}", "", "out-of-range"))
