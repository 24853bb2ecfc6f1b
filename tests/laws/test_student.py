"""Tails and quantiles of Student's t and the normal distribution, compared with SciPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri, stdtr, stdtrit

from outscore._types import FloatArray
from outscore.results import Alternative
from tests.conftest import examples
from tests.laws.kit import normal_quantile, student_p_values, student_quantile, student_quantiles

DEGREES = st.floats(1, 1e7)


def upper_tail(t: float | FloatArray, degrees: float | FloatArray) -> FloatArray:
    return student_p_values(t, degrees, Alternative.GREATER)


@settings(max_examples=examples(300))
@given(t=st.floats(-200, 200), degrees=DEGREES)
def test_tails_are_those_of_scipy(t: float, degrees: float) -> None:
    expected = float(stdtr(degrees, -t))
    # Where both are tiny, the exponent's own rounding is some 1e-16 of it.
    assert float(upper_tail(t, degrees)) == pytest.approx(expected, rel=1e-12, abs=1e-300)


@settings(max_examples=examples(300))
@given(tail=st.floats(1e-30, 1 - 1e-9), degrees=DEGREES)
def test_quantiles_have_their_tail(tail: float, degrees: float) -> None:
    found = student_quantile(tail, degrees)
    assert found == pytest.approx(-float(stdtrit(degrees, tail)), rel=1e-9, abs=1e-9)
    assert float(upper_tail(found, degrees)) == pytest.approx(tail, rel=1e-11)


@given(tail=st.floats(1e-300, 1 - 1e-9))
def test_normal_quantiles_are_those_of_scipy(tail: float) -> None:
    assert normal_quantile(tail) == pytest.approx(-float(ndtri(tail)), rel=1e-11, abs=1e-11)


def test_one_value_is_the_same_alone_and_among_others() -> None:
    rng = np.random.default_rng(0)
    t, degrees = rng.normal(0, 3, 200), rng.uniform(1, 500, 200)
    alone = [float(upper_tail(one, nu)) for one, nu in zip(t, degrees, strict=True)]
    assert upper_tail(t, degrees) == pytest.approx(np.array(alone), rel=1e-14)
    own = [student_quantile(0.025, nu) for nu in degrees]
    assert student_quantiles(0.025, degrees) == pytest.approx(np.array(own), rel=1e-14)


def test_ends() -> None:
    assert upper_tail(np.array([math.inf, -math.inf, 0.0, 1e200]), 3.0).tolist() == [0.0, 1.0, 0.5, 0.0]
    assert float(upper_tail(1.96, math.inf)) == pytest.approx(0.0249978951482204, rel=1e-12)
    assert [student_quantile(tail, 3.0) for tail in (0.0, 0.5, 1.0)] == [math.inf, 0.0, -math.inf]
