"""The settings of comparisons and rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from outscore.data.coercion import LARGEST_NUMBER, check_level
from outscore.design import CrossedFactor, Design
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.gains.crossing import Crossing
from outscore.gains.gain_laws import GainLaws, Resampling
from outscore.gains.pair import Pair
from outscore.options import leave_out, opt
from outscore.results import Alternative, Claim, Estimator, Family, IntervalMethod, Method, RunLaw, Ties
from outscore.significance.auto import Auto
from outscore.significance.base import SignificanceTest

_MOST_RESAMPLES = 10**8


@dataclass(frozen=True)
class SharedSettings:
    """The settings that comparisons and rankings share."""

    # The first one gives the verdict, or ranks and groups.
    tests: Sequence[SignificanceTest] = field(default_factory=lambda: (Auto(),))
    resampling: Resampling = field(default_factory=Resampling)
    alternative: Alternative = Alternative.TWO_SIDED
    ties: Ties = Ties.COUNT
    estimator: Estimator = Estimator.ADD_ONE
    alpha: float = 0.05  # In (0, 1). Intervals have the confidence level 1 − alpha.
    interval: IntervalMethod = IntervalMethod.TEST
    run_law: RunLaw = RunLaw.SATTERTHWAITE  # the distribution of the crossed t-test
    # The standard deviation of a run's score, for systems with one run.
    run_sd: float | Literal["borrowed"] | None = None
    skip_inapplicable: bool = False  # skip tests that do not apply, with a note, instead of raising

    def tests_on(self, design: Design, crossings: Sequence[Crossing] = ()) -> Sequence[SignificanceTest]:
        """Return the tests of systems on a design.

        Errors are a system with one run whose variance is unknown, and options of random runs without such runs.
        """
        tests, new = self.tests, design.new_levels
        if self.run_sd is not None or self.run_law is not RunLaw.SATTERTHWAITE:
            self._check_run_options(new)
        if self.interval is not IntervalMethod.TEST:
            self._check_interval(design)
        if design.against is not None:
            of_two = [test for test in tests if test.assumes_independence]
            if of_two and not self.skip_inapplicable:
                what = f"cannot be combined with {opt('against')}"
                raise NotApplicableError(
                    Problem(opt("tests", of_two[0].name), what, "Use another test.", "not-applicable")
                )
            tests = [test for test in tests if not test.assumes_independence]
        if not new:
            return tests
        from outscore.gains.variance import one_level
        from outscore.significance.crossed import CrossedT

        crossed = CrossedT(self.run_law, self.run_sd)
        has_run_options = self.run_sd is not None or self.run_law is not RunLaw.SATTERTHWAITE
        takes = (Auto, CrossedT) if has_run_options else CrossedT  # options of runs apply to the crossed t-test
        single = [crossing for crossing in crossings if crossing.fewest[0] == 1]
        if crossings and not single and self.run_sd is not None:
            what = "every system has several runs, so their standard deviation is estimated"
            raise OptionError(Problem(opt("run_sd"), what, leave_out(), "run-sd-known"))
        if single and self.run_sd is None:
            raise one_level(single[0], self.alpha)
        return [crossed if isinstance(test, takes) else test for test in tests]

    def _check_run_options(self, new: Sequence[CrossedFactor]) -> None:
        """Refuse options of random runs without such runs."""
        options = {
            opt("run_sd"): self.run_sd is not None and all(factor.always_shared for factor in new),
            opt("run_law"): self.run_law is not RunLaw.SATTERTHWAITE and not new,
        }
        for option, is_wrong in options.items():
            if is_wrong:
                what = "applies only to random runs"
                raise OptionError(Problem(option, what, f"Pass {opt('runs', 'random')}, or omit it.", "not-random"))

    def _check_interval(self, design: Design) -> None:
        """Refuse bootstrap intervals for new levels of factors and for crossed clusterings."""
        for factor in design.new_levels:
            what = f"{self.interval} intervals do not support new {factor.plural}"
            advice = f"Omit it, or pass {opt(factor.plural, 'fixed')}."
            raise OptionError(Problem(opt("interval"), what, advice, f"{factor.plural}-random"))
        if design.crossed_clusters is not None:
            what = f"{self.interval} intervals do not support two crossed clusterings"
            raise OptionError(Problem(opt("interval"), what, leave_out(), "two-way"))

    def __post_init__(self) -> None:
        check_resampling(self.resampling, self.alpha)
        if not self.tests:
            raise OptionError(Problem(opt("tests"), "expected at least one test", "", "no-test"))
        first = self.tests[0]
        if first.emulates is not None:
            what = f"{first.name} is only for comparison with {first.emulates} and cannot give the verdict"
            advice = f"Put another test first, as in {opt('tests', f'bootstrap,{first.name}')}."
            raise OptionError(Problem(opt("tests", first.name), what, advice, "emulation-first"))


@dataclass(frozen=True)
class Settings(SharedSettings):
    """The settings of a comparison."""

    claim: Claim = Claim.BETTER
    margin: float | None = None  # positive, in the unit of the score, for claims with a margin
    double_check: bool = False  # compute resampling tests a second way
    family: Family = Family.TABLE  # the comparisons that are corrected together

    @property
    def tests_named(self) -> bool:
        """Whether the user chose tests or a double check."""
        return self.double_check or len(self.tests) > 1 or not isinstance(self.tests[0], Auto)

    def laws_of(self, pairs: Sequence[Pair], resampling: Resampling | None = None) -> GainLaws:
        """Return the distributions of the gains of pairs.

        Linear gains, and the bootstrap beside the default test, start with some of the resamples. Other named tests
        need all of them.
        """
        if resampling is None:
            chooses, named = self.resampling.method is Method.AUTO, not isinstance(self.tests[0], Auto)
            is_staged = chooses and (not named or all(pair.linear is not None for pair in pairs))
            resampling = replace(self.resampling, alpha=self.alpha if is_staged else None)
        return GainLaws(pairs, resampling)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_claim(self.claim, self.alternative, self.margin)


def check_claim(claim: Claim, alternative: Alternative, margin: float | None) -> None:
    """Refuse a claim with another alternative, without a margin that it needs, or with one that it does not have."""
    if claim is not Claim.BETTER and alternative is not Alternative.TWO_SIDED:
        raise OptionError(
            Problem(
                opt("alternative"),
                f'the claim "{claim}" has its own alternative',
                leave_out(),
                "alternative-with-claim",
            )
        )
    if claim is Claim.BETTER:
        if margin is not None:
            raise OptionError(
                Problem(
                    opt("margin"),
                    'the claim "better" has no margin',
                    f"Use {opt('claim', 'not-worse')} or {opt('claim', 'equivalent')}.",
                    "margin-without-claim",
                )
            )
    elif margin is None or not 1 / LARGEST_NUMBER <= margin <= LARGEST_NUMBER:
        got = "none" if margin is None else f"{margin:g}"
        between = " between 1e-100 and 1e100" if margin is not None and margin > 0 else ""
        raise OptionError(
            Problem(
                opt("margin"),
                f'the claim "{claim}" needs a positive margin{between}, got {got}',
                "Pass the largest loss that does not matter, in the unit of the score.",
                "bad-margin",
            )
        )


def check_resampling(resampling: Resampling, alpha: float) -> None:
    """Refuse a level, number of resamples or seed that is out of range."""
    check_level(alpha)
    r = resampling.n_resamples
    if not 1 <= r <= _MOST_RESAMPLES:
        what = f"expected a whole number from 1 to 10^8, got {r}"
        raise OptionError(Problem(opt("n_resamples"), what, "", "out-of-range"))
    if resampling.seed < 0:
        raise OptionError(Problem(opt("seed"), f"expected 0 or more, got {resampling.seed}", "", "out-of-range"))
