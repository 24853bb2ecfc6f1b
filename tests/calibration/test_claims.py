"""Claims with a margin, where the truth is on the boundary: the candidate is worse by exactly the margin."""

from __future__ import annotations

import pytest

from outscore.results import Claim
from outscore.significance import Bootstrap, BootstrapUncentred, PairedT, Randomization
from tests.calibration.checks import Check, assert_all, rate_of
from tests.calibration.measuring import Ask, Measured, measure
from tests.calibration.nulls import BEHIND, Population

pytestmark = pytest.mark.slow

COUNT = 2000


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
