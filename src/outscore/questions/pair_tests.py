"""The tests of a comparison: the tests that apply to its pairs, and their p-values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from outscore.design import Design, Units
from outscore.design.constant import Constant
from outscore.errors import NotApplicableError, Problem
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import AnyPair
from outscore.laws.law import Probability, clopper_pearson
from outscore.options import opt
from outscore.questions.settings import Settings
from outscore.questions.signatures import signature
from outscore.results import Check, Claim, LeftOut, Method, TestedQuantity, TestResult, Verdict
from outscore.significance.auto import Auto, default_test
from outscore.significance.base import Outcome, PairLaws, SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.intervals import agreeing_quantity
from outscore.significance.p_values import PValue, p_value


class PairTest:
    """A test of one pair, with the largest p-value of all null hypotheses of the claim, computed on access."""

    __test__ = False

    def __init__(
        self,
        test: SignificanceTest,
        pair: AnyPair,
        laws: PairLaws,
        hypotheses: Sequence[Hypothesis],
        settings: Settings,
        units: Units,
        second: Sequence[PairLaws],
    ) -> None:
        self.test, self.pair, self._second = test, pair, second
        self._seed = settings.resampling.seed
        self._alpha, self._laws = settings.alpha, laws
        self._hypotheses = [
            Hypothesis(test.alternative or one.alternative, one.null_gain, test.ties or one.ties) for one in hypotheses
        ]
        self.estimator = test.estimator or settings.estimator
        self._units = units
        self.caveat = test.caveat if test.emulates is None else test.caveat_on(pair, self._seed)

    @cached_property
    def _answer(self) -> tuple[Hypothesis, Outcome]:
        answers = [
            (hypothesis, self._laws.outcome(self.test, self.pair, hypothesis)) for hypothesis in self._hypotheses
        ]
        return max(answers, key=lambda answer: answer[1].probability.value)

    @property
    def hypothesis(self) -> Hypothesis:
        """The hypothesis with the largest p-value."""
        return self._answer[0]

    @property
    def outcome(self) -> Outcome:
        return self._answer[1]

    @cached_property
    def p_value(self) -> PValue:
        return p_value(self.outcome, self.estimator)

    @property
    def sampled(self) -> bool:
        return self.outcome.probability.n_resamples is not None

    @property
    def sign(self) -> int | None:
        """The direction of the test's own statistic; None if that is the gain."""
        return None if self.test.tests is None else self.outcome.sign

    @property
    def direction(self) -> float:
        """The sign of the test's own statistic, or the gain."""
        return self.pair.gain if self.sign is None else float(self.sign)

    @property
    def entering(self) -> float:
        """The p-value that corrections for several comparisons start from, at least the test's own."""
        moments = self.outcome.moments
        return self.p_value.value if moments is None else max(moments.p_value_corrected_from, self.p_value.value)

    def quantity(self, found: Verdict) -> TestedQuantity | None:
        """Return the tested quantity with its verdict; None if the test is of the gain."""
        quantity = self.test.quantity(self.pair, self._alpha, self._hypotheses)
        if quantity is None:
            return None
        if len(self._hypotheses) == 1:
            quantity = agreeing_quantity(quantity, self.sign or 0, self.p_value.value, self._alpha)
        return replace(quantity, direction=found)

    def result(
        self, adjusted: float, metric: str, drawn: Sequence[str], design: Mapping[str, str], *, inflation: float | None
    ) -> TestResult:
        """Return the result of the test; `design` is the design's part of the signature."""
        p, outcome, probability = self.p_value, self.outcome, self.outcome.probability
        asymptotic, crossing = outcome.asymptotic, self.pair.crossing
        computation, (unit, n_units) = outcome.computation, self.test.unit_of(self.pair, self._units)
        if asymptotic:
            computation = "asymptotic"
        elif p.is_bound and not self.sampled:
            computation = "bound: rarest resample"
        further = {**design}
        if crossing is not None:
            further |= crossing.signature
            further |= {} if outcome.degrees is None else {"df": f"{outcome.degrees:.4g}"}
        return TestResult(
            name=self.test.name,
            title=self.test.titled(*drawn, computation=computation),
            alternative=self.hypothesis.alternative,
            ties=self.hypothesis.ties,
            statistic=outcome.statistic,
            df=outcome.degrees,
            p_value=p.value,
            adjusted_p_value=adjusted,
            exact=not (self.sampled or asymptotic),
            computation=computation,
            n_resamples=probability.n_resamples,
            n_exceeding=probability.n_exceeding,
            p_value_low=p.low,
            p_value_high=p.high,
            assumes_independence=self.test.assumes_independence,
            inflation=inflation,
            signature=signature(
                self.test,
                self.hypothesis,
                probability,
                asymptotic=asymptotic,
                metric=metric,
                n_units=n_units,
                unit=unit,
                seed=self._seed,
                estimator=self.estimator,
                further=further,
            ),
            checks=tuple(check for laws in self._second if (check := self._checked(laws)) is not None),
            emulates=self.test.emulates,
            unit=unit,
            n_units=n_units,
            distribution=(outcome.computation or None) if asymptotic else None,
            moments=outcome.moments,
            quantity=None if self.sign is None else self.test.tests,
            sign=self.sign,
        )

    def _checked(self, laws: PairLaws) -> Check | None:
        """Return the test computed another way, or None if there is no other way."""
        test, resampling = self.test, laws.laws.resampling
        if not test.resamples:
            return None
        if resampling.method is Method.MONTE_CARLO:
            if self.sampled and resampling.seed == self._seed:
                return None
        elif not self.sampled or test.emulates is not None:  # an emulated test is sampled whatever the method
            return None
        try:
            outcome = test.outcome(self.pair, laws, self.hypothesis)
        except NotApplicableError:
            return None
        p, probability = p_value(outcome, self.estimator), outcome.probability
        return Check(
            computation=outcome.computation,
            seed=None if probability.n_resamples is None else resampling.seed,
            p_value=p.value,
            p_value_low=p.low,
            p_value_high=p.high,
            n_resamples=probability.n_resamples,
            n_exceeding=probability.n_exceeding,
            agrees=_agree(probability, self.outcome.probability),
        )


def second_laws(pairs: Sequence[AnyPair], settings: Settings) -> list[GainLaws]:
    """Return other ways to compute resampling tests (Yeh 2000, section 3.3: a second set of shuffles)."""
    first = settings.resampling
    second = int(np.random.SeedSequence(first.seed, spawn_key=(3,)).generate_state(1)[0])
    ways = [
        replace(first, method=Method.MONTE_CARLO),
        replace(first, method=Method.MONTE_CARLO, seed=second),
        replace(first, method=Method.EXACT),
    ]
    return [settings.laws_of(pairs, way) for way in ways]


def applicable_tests(
    settings: Settings, pairs: Sequence[AnyPair], hypotheses: Sequence[Hypothesis], design: Design, units: Units
) -> tuple[list[SignificanceTest], list[LeftOut]]:
    """Return the tests that apply to all pairs, the first one for the verdict, and the tests that do not.

    The default test has its own name, and the paired bootstrap follows it, because papers cite it.

    Raises
    ------
    NotApplicableError
        If a named test does not apply.
    """
    first, *others = settings.tests_on(design, [pair.crossing for pair in pairs if pair.crossing is not None])
    sampled = design.sampled
    if isinstance(first, Auto):
        first = default_test(pairs, hypotheses, settings.claim, units.name)
        plain = settings.claim is Claim.BETTER and sampled <= Bootstrap.samples
        if plain and units.name != "task" and not others:
            others = [Bootstrap()]
        others = [test for test in others if test != first]
    crossed = sampled | {factor.name for factor in design.axes}
    if design.against is not None:
        crossed |= {Constant.name}
    chosen: list[SignificanceTest] = []
    left_out: list[LeftOut] = []
    for test in (first, *others):
        obstacles = [
            obstacle for pair in pairs for hypothesis in hypotheses if (obstacle := test.obstacle(pair, hypothesis))
        ]
        if not sampled <= test.samples:
            obstacles += design.undrawn(test.samples)
        if not obstacles:
            chosen.append(test)
        elif settings.skip_inapplicable and test.requires and not test.requires & crossed:
            continue  # nobody misses it
        elif settings.skip_inapplicable:
            left_out.append(LeftOut(test.name, obstacles[0]))
        else:
            raise NotApplicableError(
                Problem(
                    opt("tests", test.name),
                    f"it {obstacles[0]}",
                    f"Use another test, or {opt('tests', 'all')}.",
                    "not-applicable",
                )
            )
    return chosen, left_out


def _agree(one: Probability, other: Probability) -> bool:
    """Return whether two computations of one probability agree, at a level of 0.1%."""
    if one.n_resamples is None:
        one, other = other, one
    if one.n_resamples is None or one.n_exceeding is None:
        return abs(one.value - other.value) <= one.error + other.error + 1e-9
    if other.n_resamples is None or other.n_exceeding is None:
        low, high = clopper_pearson(one.n_exceeding, one.n_resamples, 0.999)
        return low - other.error <= other.value <= high + other.error
    pooled = (one.n_exceeding + other.n_exceeding) / (one.n_resamples + other.n_resamples)
    variance = pooled * (1 - pooled) * (1 / one.n_resamples + 1 / other.n_resamples)
    return abs(one.value - other.value) <= 3.2905 * math.sqrt(variance)
