"""Signed values on a grid, added up one by one, against their transform and against all signs."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.laws.exact.signs import SignsLaw
from outscore.laws.exact.sums import SwitchedSum, Tails
from tests.kit import swap_law


@given(st.lists(st.integers(1, 30), min_size=1, max_size=10), st.integers(-150, 150))
def test_tails_are_the_shares_of_all_signs(values: list[int], twice: int) -> None:
    law = SignsLaw(np.array(values), 1.0, centre=0.0, scale=2.0, tie=1e-6)
    sums = [sum(signed) for signed in itertools.product(*((-v, v) for v in values))]
    for strict in (False, True):
        beyond = sum(s > twice if strict else s >= twice for s in sums)
        found = law.outside(-np.inf, float(twice), strict=strict)
        assert found.value == pytest.approx(float(Fraction(beyond, len(sums))), rel=1e-13, abs=0)
    assert law.quantile(0.5) == sorted(sums)[-(-len(sums) // 2) - 1]


@pytest.mark.parametrize("deviations", [0.0, 0.5, 2.0, 4.0, 6.0])
def test_it_agrees_with_the_transform_within_its_bounds(deviations: float) -> None:
    d = np.round(np.random.default_rng(8).normal(0.02, 0.1, 50), 3)
    law = swap_law(d, np.ones(50))
    assert isinstance(law, SignsLaw)
    total = SwitchedSum(d)
    place = round(deviations * np.sqrt(total.variance) - total.low)
    inverted, error = Tails(total).at_least(place)
    found = law.outside(-np.inf, 2 * (total.low + place) * law.step / 2)
    assert abs(found.value - inverted) <= found.error + error + 1e-300
    assert found.error <= 1e-13 * found.value


def test_far_tails_keep_their_digits() -> None:
    d = np.arange(1.0, 61.0)
    law = swap_law(d, np.ones(60))
    assert isinstance(law, SignsLaw)
    assert law.outside(-np.inf, float(d.mean())).value == 0.5**60
    assert law.outside(-np.inf, float(d.mean()) - 2 / 60).value == 2 * 0.5**60
