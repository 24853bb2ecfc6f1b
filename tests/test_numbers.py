"""Rounding never claims more than the number does."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from outscore.text.numbers import (
    ScoreFormat,
    format_bracket,
    format_correlation,
    format_count,
    format_exactly,
    format_factor,
    format_level,
    format_score,
    format_share,
    score_decimals,
    score_format,
    state_p,
)
from tests.kit import format_p

# p-values are tried at every order of magnitude, and next to alpha and to 1, where rounding could go wrong.
orders = st.builds(lambda mantissa, exponent: mantissa * 10.0**exponent, st.floats(0.1, 1), st.integers(-25, 0))
near = st.builds(
    lambda centre, step, exponent: min(max(centre + step * 10.0**exponent, 0.0), 1.0),
    st.sampled_from([0.05, 0.01, 0.1, 0.001, 0.0001, 1.0, 1 / 3, 1e-12]),
    st.floats(-1, 1),
    st.integers(-17, -3),
)
p_values = st.one_of(st.floats(0, 1), orders, near, st.sampled_from([0.0, 1.0, 5e-324, 1e-12, 0.05]))
alphas = st.one_of(st.sampled_from([0.05, 0.01, 0.1, 0.001, 1 / 3, 0.04999]), st.floats(1e-9, 0.999))
scores = st.floats(-1e6, 1e6)


def bounds(text: str) -> tuple[float, float]:
    """Return between which numbers a written p-value says that p lies."""
    if text.startswith("< "):
        return 0.0, math.nextafter(float(text[2:]), 0.0)
    if text.startswith("> "):
        return math.nextafter(float(text[2:]), 1.0), math.nextafter(1.0, 0.0)
    return float(text), float(text)


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0496, "0.0496"),
        (0.05, "0.0500"),
        (0.04999, "0.04999"),
        (0.050001, "0.050001"),
        (0.0499999999, "0.0499999999"),
        (0.429402952, "0.4294"),
        (0.0003214, "0.00032"),
        (0.001, "0.0010"),
        (1.25e-7, "1.25e-07"),
        (1e-12, "1.00e-12"),
        (9.9e-13, "< 1e-12"),
        (1e-300, "< 1e-12"),
        (0.0, "< 1e-12"),
        (0.99994, "0.9999"),
        (0.99996, "> 0.9999"),
        (1.0, "1.0000"),
        (float("nan"), "undefined"),
    ],
)
def test_p_values_as_people_read_them(p: float, text: str) -> None:
    assert format_p(p) == text


@given(p_values, alphas)
@example(0.05, 0.05)
@example(math.nextafter(0.05, 0), 0.05)
@example(math.nextafter(0.05, 1), 0.05)
@example(1e-15, 1e-14)
@example(0.999999, 0.99999)
def test_a_p_value_is_never_rounded_across_alpha(p: float, alpha: float) -> None:
    for shown in bounds(format_p(p, alpha)):
        assert (shown < alpha) == (p < alpha)
        assert (shown > alpha) == (p > alpha)


@given(p_values, alphas)
def test_a_p_value_is_never_shown_as_0_and_as_1_only_if_it_is(p: float, alpha: float) -> None:
    low, high = bounds(format_p(p, alpha))
    assert high > 0
    assert (low == 1) == (high == 1) == (p == 1)


@given(p_values, p_values, alphas)
def test_rounding_of_p_values_keeps_their_order(one: float, other: float, alpha: float) -> None:
    smaller, larger = sorted([one, other])
    assert bounds(format_p(smaller, alpha))[0] <= bounds(format_p(larger, alpha))[1]


@given(p_values, alphas)
def test_a_rounded_p_value_is_near(p: float, alpha: float) -> None:
    low, high = bounds(format_p(p, alpha))
    assert low - max(5.1e-5, 0) <= p <= high + 5.1e-5
    if 1e-12 <= p < 1e-3:
        assert low == pytest.approx(p, rel=0.06)


@given(p_values)
def test_a_stated_p_value_has_one_relation(p: float) -> None:
    assert state_p(p).count("=") + state_p(p).count("<") + state_p(p).count(">") == 1


def test_an_undefined_p_value_is_stated_as_such() -> None:
    assert state_p(float("nan")) == "p is undefined"


@given(orders, st.floats(0, 0.9), st.floats(0, 0.9))
def test_the_bound_of_a_p_value_is_not_rounded_down(p: float, below: float, above: float) -> None:
    low, high = p * (1 - below * 1e-4), min(p * (1 + above * 1e-4), 1.0)
    text = format_bracket(low, p, high)
    if text:
        assert text.startswith("± ")
        assert float(text[2:]) >= max(p - low, high - p) * (1 - 1e-6)
    else:
        assert low == p == high or high < 1e-12


@given(st.tuples(p_values, p_values, p_values))
def test_a_bracket_of_two_ends_holds_the_p_value(three: tuple[float, float, float]) -> None:
    low, p, high = sorted(three)
    text = format_bracket(low, p, high, bound=False)
    assume(text)
    first, last = map(float, text.split(" to "))
    assert first - 5.1e-5 <= p <= last + 5.1e-5


def test_brackets() -> None:
    assert format_bracket(0.9990, 0.9993, 0.9995, bound=False) == "0.9990 to 0.9995"
    assert format_bracket(0.0, 1e-5, 3.69e-5) == "0 to 3.69e-05"
    assert format_bracket(0.99, 0.9999, 0.99999) == "0.9900 to 1"
    assert format_bracket(0.9999999, 0.99999991, 1.0, bound=False) == "0.9999 to 1.0000"
    assert format_bracket(1 - 1e-14, 1 - 2.0**-53, 1.0) == ""
    assert format_bracket(0.0, 0.0, 0.0) == ""
    assert format_bracket(math.nan, math.nan, math.nan) == ""


@given(st.floats(1e-30, 1e30))
def test_decimals_keep_two_digits_of_the_scale(scale: float) -> None:
    decimals = score_decimals(scale)
    assert decimals >= 0
    if scale < 100:
        assert float(f"{scale:.{decimals}f}") == pytest.approx(scale, rel=0.06)


@pytest.mark.parametrize("scale", [0.0, math.inf, math.nan])
def test_decimals_of_a_scale_that_says_nothing(scale: float) -> None:
    assert score_decimals(scale) == 4


@pytest.mark.parametrize(
    ("value", "decimals", "percentage", "text"),
    [
        (0.68125, 1, True, "68.1"),
        (0.0425, 1, True, "4.3"),
        (-0.0425, 1, True, "-4.3"),
        (0.72375 - 0.68125, 1, True, "4.3"),
        (0.345, 2, False, "0.35"),
        (2.5, 0, False, "3"),
        (-0.04, 1, False, "0.0"),
        (1e300, 1, False, "1.000e+300"),
        (1234567.25, 1, False, "1234567.3"),
        (math.inf, 1, False, "inf"),
        (math.nan, 1, True, "undefined"),
        (0.0, 300, False, "0.0000000000"),
    ],
)
def test_scores(value: float, decimals: int, percentage: bool, text: str) -> None:
    assert format_score(value, decimals, percentage=percentage) == text


@given(scores, scores, st.integers(0, 10))
def test_rounding_of_scores_keeps_their_order_and_is_near(one: float, other: float, decimals: int) -> None:
    smaller, larger = sorted([one, other])
    assert float(format_score(smaller, decimals)) <= float(format_score(larger, decimals))
    assert float(format_score(one, decimals)) == pytest.approx(one, abs=0.501 * 10**-decimals, rel=1e-11)


@given(scores, st.integers(0, 6), st.booleans())
def test_a_gain_keeps_its_sign(value: float, decimals: int, percentage: bool) -> None:
    text = ScoreFormat(decimals, percentage).gain(value)
    shown = float(text)
    if abs(value) > 1e-9:
        assert math.copysign(1, shown) == math.copysign(1, value)
        assert shown != 0
    assert text.startswith("+") == (shown > 0)
    assert not (shown == 0 and text.startswith("-"))


@given(st.floats(-2, 2), st.floats(1e-3, 1), st.integers(0, 3))
def test_a_gain_is_not_rounded_across_a_margin(value: float, margin: float, decimals: int) -> None:
    assume(abs(abs(value) - margin) > 1e-9)
    margin = round(margin, 3)
    assume(abs(abs(value) - margin) > 1e-9)
    shown = float(ScoreFormat(decimals, thresholds=(-margin, margin)).gain(value))
    assert (shown > margin) == (value > margin)
    assert (shown < -margin) == (value < -margin)


@given(scores, st.integers(0, 6))
def test_mirrored_gains_are_written_alike(value: float, decimals: int) -> None:
    one, other = ScoreFormat(decimals).gain(value), ScoreFormat(decimals).gain(-value)
    assert one.lstrip("+-") == other.lstrip("+-")


def test_rounding_errors_are_no_gain() -> None:
    assert ScoreFormat(2, noise=1e-15).gain(0.1 + 0.2 - 0.3) == "0.00"
    assert ScoreFormat(1, noise=1e-15).gain(-5e-17) == "0.0"
    assert score_format([0.7, 0.7], [1e-17], [5e-17], percentage=True).gain(5e-17) == "0.0"


@pytest.mark.parametrize(
    ("scores", "half_widths", "gains", "percentage", "decimals"),
    [
        ([0.724, 0.681], [0.023], [0.043], True, 1),
        ([0.724, 0.7236], [0.023], [0.0004], True, 2),
        ([0.724, 0.7239999], [0.023], [0.0000001], True, 1),  # no few decimals would show it
        ([0.5, 0.6], [0.5], [0.1], True, 0),
        ([0.5, 0.6], [0.5], [0.1], False, 2),
        ([0.1234, 0.1251], [0.0082], [0.0017], False, 4),
        ([512.0, 498.0], [310.0], [14.0], False, 0),
        ([512.0, 498.0], [99.6], [14.0], False, 0),
        ([0.1, 0.2, 0.3], [0.023, 0.26, 2.6], [0.1, 0.1], False, 2),  # the median half width counts
        ([0.7, 0.7], [0.0], [0.0], True, 1),
        ([0.7, 0.7], [0.0], [0.0], False, 4),
        ([0.0, 0.0], [0.0], [0.0], False, 1),
        ([0.7, 0.9], [0.0], [0.2], False, 2),
        ([math.nan, 0.7], [math.nan], [math.nan], True, 1),
    ],
)
def test_decimals_suit_the_interval(
    scores: list[float], half_widths: list[float], gains: list[float], percentage: bool, decimals: int
) -> None:
    assert score_format(scores, half_widths, gains, percentage=percentage).decimals == decimals


@given(st.floats(1e-8, 99.4), st.floats(1, 100))
def test_the_half_width_has_two_significant_digits(half_width: float, score: float) -> None:
    written = score_format([score, score], [half_width]).score(half_width)
    digits = written.replace(".", "").lstrip("0")
    assert len(digits) == 2 or "." not in written
    assert float(written) == pytest.approx(half_width, rel=0.051)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.5), st.floats(0, 0.5))
def test_one_format_writes_a_whole_comparison(a: float, b: float, below: float, above: float) -> None:
    gain = b - a
    low, high = gain - below, gain + above
    written = score_format([a, b], [max(below, above)], [gain, low, high], percentage=True)
    for value in (low, gain, high):
        shown = float(written.gain(value))
        assert (shown > 0) == (value > 1e-11) or abs(value) < 1e-9
        assert (shown < 0) == (value < -1e-11) or abs(value) < 1e-9
    assert float(written.gain(low)) <= float(written.gain(high)) + 1e-9


@given(st.floats(0, 1), st.floats(0, 1), st.floats(1e-3, 0.3))
def test_a_reader_may_subtract_the_scores(a: float, b: float, half_width: float) -> None:
    """What is written of the gain and what the scores as written give differ by a tenth, or by rounding at best."""
    written = score_format([a, b], [half_width], [b - a], percentage=True).adding_up([a, b], b - a)
    gain, shown = abs(float(written.gain(b - a))), abs(float(written.score(a)) - float(written.score(b)))
    usual = score_format([a, b], [half_width], [b - a], percentage=True)
    assert usual.decimals <= written.decimals <= usual.decimals + 2
    if abs(gain - shown) > gain / 10 + 1e-9:
        assert written.decimals == usual.decimals  # no decimals within reach would do


def test_scores_that_contradict_their_gain_get_another_decimal() -> None:
    written = score_format([0.3944, 0.3793], [0.12], [-0.0151]).adding_up([0.3944, 0.3793], -0.0151)
    assert [written.score(0.3944), written.score(0.3793), written.gain(-0.0151)] == ["0.394", "0.379", "-0.015"]
    scores, gain = [0.68125, 0.65165], -0.0296
    written = score_format(scores, [0.023], [gain], percentage=True).adding_up(scores, gain)
    assert [written.score(0.68125), written.score(0.65165), written.gain(-0.0296)] == ["68.1", "65.2", "-3.0"]


def test_what_somebody_chose_is_written_with_all_its_digits() -> None:
    assert ScoreFormat(1, percentage=True).size(0.01) == "1.0"
    assert ScoreFormat(1, percentage=True).size(0.00125) == "0.125"
    assert ScoreFormat(4).size(0.005) == "0.0050"
    assert format_exactly(0.05) == "0.05"
    assert format_exactly(1e-7, at_least=2) == "1e-07"


@given(st.integers(0, 10**7), st.integers(1, 10**7))
def test_shares_are_0_or_100_only_if_they_are(count: int, total: int) -> None:
    assume(count <= total)
    text = format_share(count, total)
    assert (text == "0%") == (count == 0)
    assert (text == "100%") == (count == total)
    assert text not in ("0.0%", "100.0%")


def test_the_share_of_nothing() -> None:
    assert format_share(0, 0) == "undefined"


@given(st.floats(-1, 1))
def test_a_correlation_is_perfect_or_none_only_if_it_is(r12: float) -> None:
    shown = float(format_correlation(r12))
    assert (abs(shown) == 1) == (abs(r12) > 1 - 1e-12)
    assert (shown == 0) == (abs(r12) < 1e-9)
    assert shown == pytest.approx(r12, abs=6e-4)


def test_correlations_and_factors() -> None:
    assert format_correlation(0.345) == "0.345"
    assert format_correlation(math.nan) == "undefined"
    # Yeh 2000, section 2.1
    assert [format_factor(1 / math.sqrt(1 - r12)) for r12 in (0.38, 0.5, 0.8)] == ["1.27", "1.41", "2.24"]
    assert format_factor(1.0) == "1.00"
    assert format_factor(1.0001) == "1.0001"
    assert format_factor(math.nan) == "undefined"
    assert format_factor(math.inf) == "infinity"


def test_levels_and_counts() -> None:
    assert format_level(0.95) == "95%"
    assert format_level(0.90) == "90%"
    assert format_level(0.9999999999) == "99.99999999%"
    assert format_count(1234567) == "1,234,567"
    assert format_count(0) == "0"


@pytest.mark.parametrize(
    ("ends", "percentage", "written"),
    [
        ((0.39, 0.998), False, "0.39 to 0.998"),
        ((0.39, 1.0), False, "0.39 to 1.00"),
        ((0.0004, 0.39), False, "0.0004 to 0.39"),
        ((0.96, 0.99996), True, "96.00 to 99.996"),
        ((0.0, 1 - 1e-14), False, "0.00 to 1.00"),
        ((math.nan, math.inf), False, "at least undefined"),
    ],
)
def test_ends_of_intervals_of_scores_are_bounds_only_if_they_are(
    ends: tuple[float, float], percentage: bool, written: str
) -> None:
    assert ScoreFormat(2, percentage).scores(*ends) == written


def test_an_end_beside_0_is_above_or_below_0() -> None:
    assert ScoreFormat(2, noise=1e-12).interval(5e-324, math.inf) == "above 0"
    assert ScoreFormat(2, noise=1e-12).interval(-math.inf, -5e-324) == "below 0"
    assert ScoreFormat(2, noise=1e-12).interval(0.0, math.inf) == "at least 0.00"
