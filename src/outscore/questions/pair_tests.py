"""The tests of a comparison: the tests that apply to its pairs, and their p-values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from outscore.design import Design, Units
from outscore.design.constant import Constant
from outscore.errors import NotApplicableError, Problem
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.law import clopper_pearson
from outscore.options import opt
from outscore.questions.settings import Settings
from outscore.questions.signatures import signature
from outscore.results import Check, Claim, LeftOut, Method, TestedQuantity, TestResult, Ties, Verdict
from outscore.results.record import deferred
from outscore.significance.auto import Auto, default_test
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.intervals import agreeing_quantity
from outscore.significance.p_values import IDENTICAL, PValue


@dataclass(frozen=True, eq=False)
class PairTest:
    """A test of one pair, with the largest p-value of all null hypotheses of the claim, computed on access."""

    __test__: ClassVar = False

    test: SignificanceTest
    pair: Pair
    laws: GainLaws  # the distributions of the pair's gain
    hypotheses: Sequence[Hypothesis]
    settings: Settings
    units: Units
    second: Sequence[GainLaws] = ()  # other ways to compute these distributions, for checks

    @cached_property
    def _answer(self) -> tuple[PValue[float], Hypothesis]:
        """The largest p-value and its hypothesis."""
        test, pair, answers = self.test, self.pair, []
        is_sound = test.resamples and test.emulates is None
        for null in self.hypotheses:
            hypothesis = Hypothesis(test.alternative or null.alternative, null.null_gain, test.ties or null.ties)
            # Resampling identical systems gives a p-value of 1, except if ties do not count, against a margin, or by a
            # formula that is emulated with its faults.
            is_certain = is_sound and hypothesis.null_gain == 0 and hypothesis.ties is Ties.COUNT
            p = IDENTICAL if is_certain and pair.n_differing == 0 else test.p_value(pair, self.laws, hypothesis)
            answers.append((p.estimated(test.estimator or self.settings.estimator), hypothesis))
        return max(answers, key=lambda answer: answer[0].probability)

    @property
    def p(self) -> PValue[float]:
        return self._answer[0]

    @property
    def hypothesis(self) -> Hypothesis:
        """The hypothesis with the largest p-value."""
        return self._answer[1]

    @property
    def entering(self) -> float:
        """The p-value that corrections for several comparisons start from, at least the test's own."""
        moments = self.p.moments
        return self.p.value if moments is None else max(moments.p_value_corrected_from, self.p.value)

    def quantity(self, direction: Verdict) -> TestedQuantity | None:
        """Return the tested quantity with its verdict; None if the test is of the gain."""
        quantity = self.test.quantity(self.pair, self.settings.alpha, self.hypotheses)
        if quantity is None:
            return None
        if len(self.hypotheses) == 1:
            quantity = agreeing_quantity(quantity, self.p.sign or 0, self.p.value, self.settings.alpha)
        return replace(quantity, direction=direction)

    def result(
        self, adjusted: float, metric: str, drawn: Sequence[str], design: Mapping[str, str], *, inflation: float | None
    ) -> TestResult:
        """Return the result of the test; `design` is the design's part of the signature."""
        test, p, crossing = self.test, self.p, self.pair.crossing
        computation, (unit, n_units) = p.how, test.unit_of(self.pair, self.units)
        if p.is_asymptotic:
            computation = "asymptotic"
        elif p.is_bound and p.n_resamples is None:
            computation = "bound: rarest resample"
        further = {**design}
        if crossing is not None:
            further |= crossing.signature
            further |= {} if p.degrees is None else {"df": f"{p.degrees:.4g}"}
        low, high = p.limits
        return TestResult(
            name=test.name,
            title=test.titled(*drawn, computation=computation),
            alternative=self.hypothesis.alternative,
            ties=self.hypothesis.ties,
            statistic=p.statistic,
            df=p.degrees,
            p_value=p.value,
            adjusted_p_value=adjusted,
            exact=p.n_resamples is None and not p.is_asymptotic,
            computation=computation,
            n_resamples=p.n_resamples,
            n_exceeding=None if p.n_resamples is None else int(p.n_exceeding),
            p_value_low=low,
            p_value_high=high,
            assumes_independence=test.assumes_independence,
            inflation=inflation,
            signature=deferred(
                lambda: signature(
                    test,
                    self.hypothesis,
                    p,
                    metric=metric,
                    n_units=n_units,
                    unit=unit,
                    seed=self.settings.resampling.seed,
                    further=further,
                )
            ),
            checks=tuple(check for laws in self.second if (check := self._checked(laws)) is not None),
            emulates=test.emulates,
            unit=unit,
            n_units=n_units,
            distribution=(p.how or None) if p.is_asymptotic else None,
            moments=p.moments,
            quantity=None if p.sign is None else test.tests,
            sign=p.sign,
        )

    def _checked(self, laws: GainLaws) -> Check | None:
        """Return the test computed another way, or None if there is no other way."""
        test, resampling, is_sampled = self.test, laws.resampling, self.p.n_resamples is not None
        if not test.resamples:
            return None
        if resampling.method is Method.MONTE_CARLO:
            if is_sampled and resampling.seed == self.settings.resampling.seed:
                return None
        elif not is_sampled or test.emulates is not None:  # an emulated test is sampled whatever the method
            return None
        try:
            p = test.p_value(self.pair, laws, self.hypothesis).estimated(self.p.estimator)
        except NotApplicableError:
            return None
        low, high = p.limits
        return Check(
            computation=p.how,
            seed=None if p.n_resamples is None else resampling.seed,
            p_value=p.value,
            p_value_low=low,
            p_value_high=high,
            n_resamples=p.n_resamples,
            n_exceeding=None if p.n_resamples is None else int(p.n_exceeding),
            agrees=_agree(p, self.p),
        )


def second_laws(pairs: Sequence[Pair], settings: Settings) -> list[GainLaws]:
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
    settings: Settings, pairs: Sequence[Pair], hypotheses: Sequence[Hypothesis], design: Design, units: Units
) -> tuple[list[SignificanceTest], list[LeftOut]]:
    """Return the tests that apply to all pairs, the first one for the verdict, and the tests that do not.

    The default test has its own name, and the paired bootstrap follows it, because papers cite it. A named test that
    does not apply raises `NotApplicableError`.
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


def _agree(first: PValue[float], second: PValue[float]) -> bool:
    """Return whether two computations of one probability agree, at a level of 0.1%."""
    if first.n_resamples is None:
        first, second = second, first
    if first.n_resamples is None:
        return bool(abs(first.probability - second.probability) <= first.error + second.error + 1e-9)
    if second.n_resamples is None:
        low, high = clopper_pearson(int(first.n_exceeding), first.n_resamples, 0.999)
        return bool(low - second.error <= second.probability <= high + second.error)
    pooled = float(first.n_exceeding + second.n_exceeding) / (first.n_resamples + second.n_resamples)
    variance = pooled * (1 - pooled) * (1 / first.n_resamples + 1 / second.n_resamples)
    return abs(first.probability - second.probability) <= 3.2905 * math.sqrt(variance)
