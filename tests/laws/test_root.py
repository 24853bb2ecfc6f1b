"""Roots of functions of one number, compared with SciPy's."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from tests.laws.kit import root


@given(at=st.floats(-5, 5), power=st.sampled_from([1, 3, 5]), pull=st.floats(0.1, 3), sign=st.sampled_from([-1, 1]))
def test_roots_are_where_scipy_finds_them(at: float, power: int, pull: float, sign: int) -> None:
    def excess(x: float) -> float:
        return sign * ((x - at) ** power + math.expm1(pull * (x - at)))

    found = root(excess, -7.0, 9.0, within=1e-12)
    assert found == pytest.approx(float(brentq(excess, -7.0, 9.0, xtol=1e-13)), abs=1e-11)
    assert found == pytest.approx(at, abs=1e-11)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("at", [0.0, 2.0])
def test_an_end_can_be_the_root(at: float, sign: int) -> None:
    assert root(lambda x: sign * (x - at), 0.0, 2.0) == at


@given(st.floats(1e-12, 0.9))
def test_roots_next_to_a_pole_keep_their_digits(at: float) -> None:
    assert root(lambda s: 1 / s - 1 / at, 1e-13, 1.0) == pytest.approx(at, rel=1e-14)


def test_few_evaluations_are_enough() -> None:
    calls = list[float]()

    def excess(x: float) -> float:
        calls.append(x)
        return math.exp(x) - 2

    assert root(excess, -1.0, 3.0, within=1e-14) == pytest.approx(math.log(2), rel=1e-14)
    assert len(calls) <= 14
