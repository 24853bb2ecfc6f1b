"""Claims with a margin, where the truth is on the boundary: the candidate is worse by exactly the margin."""

from __future__ import annotations

import pytest

from outscore.results import Claim
from outscore.significance import (
    Bootstrap,
    BootstrapUncentred,
    PairedT,
    Randomization,
    ScoreTest,
    SignificanceTest,
)
from tests.calibration.checks import Check, assert_all, rate_of
from tests.calibration.margins import passing, size
from tests.calibration.measuring import Ask, Measured, measure
from tests.calibration.nulls import BEHIND, FEW_LOSSES, Losses, Population

pytestmark = pytest.mark.slow

COUNT = 150  # benchmarks/calibration.py draws many more


def checks(found: Measured, ask: Ask) -> list[Check]:
    made = []
    for test in found.tests:
        for alpha, slack in ((0.05, 1.2), (0.01, 1.6)):
            kept = found.population.continuous and test == "randomization"
            kept |= found.population.name.startswith("normal") and test == "paired-t"
            high = alpha if kept else slack * alpha
            made.append(rate_of(found, test, ask, alpha, alpha if kept and ask.claim is Claim.NOT_WORSE else 0.0, high))
    return made


@pytest.mark.parametrize("population", BEHIND, ids=str)
def test_a_candidate_that_is_worse_by_the_margin_passes_at_most_at_the_level_of_the_test(
    population: Population,
) -> None:
    asks = [Ask(claim, margin=-population.gain) for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)]
    tests = (Bootstrap(), BootstrapUncentred(), Randomization(), PairedT())
    found = measure(population, 200, COUNT, asks=asks, tests=tests)
    assert_all(check for ask in asks for check in checks(found, ask))


EXACT = [
    # Of many items that differ in many ways thousands of tables are enumerated.
    pytest.param(losses, marks=[pytest.mark.exhaustive] if losses.n * losses.helped >= 25 else [], id=str(losses))
    for n, margin in ((30, 0.1), (50, 0.05), (100, 0.01), (100, 0.05), (200, 0.02), (500, 0.01))
    for helped in (0.0, 0.01, 0.05, 0.2)
    for losses in [Losses(n, margin, helped)]
]


@pytest.mark.parametrize("losses", EXACT)
def test_the_score_test_keeps_its_level_of_right_and_wrong_answers(losses: Losses) -> None:
    """Exact: no figure is an estimate."""
    sizes = [size(ScoreTest(), claim, losses) for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)]
    assert sizes[1] <= sizes[0] + 1e-12  # both one-sided tests must reject
    assert sizes[0] <= 0.055


@pytest.mark.parametrize(
    ("losses", "test", "expected"),
    [
        (Losses(100, 0.01, 0.0), Bootstrap(), 0.366),
        (Losses(200, 0.02, 0.0), Bootstrap(), 0.089),
        (Losses(500, 0.01, 0.0), Bootstrap(), 0.123),
        (Losses(50, 0.05, 0.0), Randomization(), 0.279),
    ],
)
def test_warned_figures_of_resampling_tests_are_what_they_do(
    losses: Losses, test: SignificanceTest, expected: float
) -> None:
    assert size(test, Claim.NOT_WORSE, losses) == pytest.approx(expected, abs=5e-4)


def test_its_power_is_that_of_an_independent_simulation() -> None:
    """500 items, margin 0.02, 2% helped and hurt; a simulation of 20,000 test sets apart found 68.7%."""
    equal = Losses(500, 0.0, 0.02)
    assert passing(ScoreTest(), Claim.NOT_WORSE, 0.02, equal) == pytest.approx(0.687, abs=0.01)


@pytest.mark.parametrize("n", [100, 200])
@pytest.mark.parametrize("population", FEW_LOSSES, ids=str)
def test_few_and_large_losses_pass_at_most_at_the_level(population: Population, n: int) -> None:
    asks = [Ask(claim, margin=-population.gain) for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)]
    found = measure(population, n, COUNT, asks=asks, tests=(ScoreTest(),))
    assert_all(rate_of(found, "score", ask, 0.05, 0.0, 0.06) for ask in asks)
