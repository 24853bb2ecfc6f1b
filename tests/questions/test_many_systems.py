"""Many systems: max-T that draws what its decisions need, p-values and pairs in columns, what a page shows of them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outscore
from outscore._types import BoolArray, FloatArray
from outscore.errors import OptionError
from outscore.questions.ranks.groups import _one_by_one
from outscore.questions.ranks.max_t import _unclear
from outscore.results import Correction, Estimator, RankedPair, Ranking
from outscore.results.rankings import PairColumns
from tests.laws.kit import clopper_pearson, step_ratio_quantiles, subset_share
from tests.reports.kit import MOST_IN_MATRIX, matrix_figure, readable_pairs
from tests.significance.kit import PValue

N = 400


def answers(s: int, seed: int, spread: float = 0.4) -> FloatArray:
    """Right or wrong answers of systems of different ability, shape (s, N)."""
    rng = np.random.default_rng(seed)
    chance = 1 / (1 + np.exp(-(rng.normal(0, spread, s)[:, None] - rng.normal(0, 1.5, N))))
    return (rng.random((s, N)) < chance).astype(np.float64)


def test_clear_decisions_take_few_resamples_and_others_as_many_as_allowed() -> None:
    systems = {f"s{i}": of.tolist() for i, of in enumerate(answers(6, 3, spread=3.0))}
    clear = outscore.rank(systems, metric="accuracy", n_resamples=500_000)
    assert clear.n_resamples == 16_384
    assert "maxt:r=16384" in clear.signature
    # Two systems whose p-value is nearly the level are never clear.
    helped, hurt = 70, 47
    one = np.zeros(N)
    other = np.zeros(N)
    one[:helped], other[helped : helped + hurt] = 1, 1
    level = outscore.rank({"a": one.tolist(), "b": other.tolist()}, metric="accuracy").pairs[0].p_value
    close = outscore.rank({"a": one.tolist(), "b": other.tolist()}, metric="accuracy", alpha=level, n_resamples=50_000)
    assert close.n_resamples == 57_344  # whole blocks


@pytest.mark.parametrize("n", [30, 60, 100, 200, 1000])
@pytest.mark.parametrize("level", [0.025, 0.005])
def test_limits_of_many_binary_pairs_are_those_of_single_ones(n: int, level: float) -> None:
    """Exact up to 64 units; then off by a few per cent of the width with 100 units, by one with 1,000."""
    rng = np.random.default_rng(n)
    differing = np.maximum(2, np.rint(n * rng.choice([0.05, 0.2, 0.5], 40)).astype(int))
    ups = rng.binomial(differing, rng.choice([0.4, 0.5, 0.6, 0.75], 40))
    downs = differing - ups
    low = step_ratio_quantiles(ups.astype(float), downs.astype(float), n, level)
    high = -step_ratio_quantiles(downs.astype(float), ups.astype(float), n, level)
    for i in range(40):
        expected = exact_limits(int(ups[i]), int(downs[i]), n, level)
        width = expected[1] - expected[0]
        allowed = 0.001 if n <= 64 else 4 / n
        assert (low[i], high[i]) == pytest.approx(expected, abs=allowed * width)


def exact_limits(ups: int, downs: int, n: int, level: float) -> tuple[float, float]:
    """The limits of the gain by bisection of the exact share of subsets, from both sides."""
    ends = []
    for one, other in ((ups, downs), (downs, ups)):
        d = np.concatenate([np.ones(one), -np.ones(other), np.zeros(n - one - other)])
        share = subset_share(d, np.ones(n))
        assert share is not None
        low, high = -1.0, (one - other) / n
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if share(middle) > level else (middle, high)
        ends.append(high)
    return ends[0], -ends[1]


def test_a_level_that_no_swap_reaches_leaves_no_limit() -> None:
    ones = np.ones(1)
    assert step_ratio_quantiles(3 * ones, ones, 5, 0.025).tolist() == [-np.inf]  # 2⁻⁵ > 0.025
    assert step_ratio_quantiles(3 * ones, ones, 6, 0.025).tolist() != [-np.inf]


def test_intervals_of_many_binary_pairs_agree_with_their_exact_p_values() -> None:
    systems = {f"s{i}": of for i, of in enumerate(answers(12, 6))}
    ranking = outscore.rank(systems)
    compared = {name: systems[name] for name in ("s0", "s1")}
    exact = outscore.compare(compared).comparisons[0].interval
    for pair in ranking.pairs:
        assert pair.exact
        assert (pair.interval.method, pair.interval.exact) == ("randomization", False)
        if pair.gain > 0:
            assert (pair.p_value > 0.05) == pair.interval.holds(0.0)
        if {pair.baseline, pair.candidate} == {"s0", "s1"}:
            sign = 1 if pair.candidate == "s1" else -1
            ends = sorted((sign * exact.low, sign * exact.high))
            assert [pair.interval.low, pair.interval.high] == pytest.approx(ends, abs=0.01 * (ends[1] - ends[0]))


def test_the_interval_of_many_binary_items_takes_no_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = answers(2, 6)
    counted = outscore.compare({"a": first, "b": second}).comparisons[0].interval
    monkeypatch.setattr("outscore.laws.exact.subsets.MOST_COMBINATIONS", 1)
    monkeypatch.setattr("outscore.gains.gain_laws.GainLaws.subset_totals", None)
    approximate = outscore.compare({"a": first, "b": second}).comparisons[0].interval
    assert (counted.exact, approximate.exact) == (True, False)
    assert [approximate.low, approximate.high] == pytest.approx(
        [counted.low, counted.high], abs=0.01 * counted.reach(0)
    )


def test_unclear_decisions_are_those_whose_interval_holds_the_level() -> None:
    counts, r, risk = np.arange(0, 400, 3), 4000, 0.002
    expected = sum(low < 0.05 < high for low, high in (clopper_pearson(int(c), r, 1 - risk) for c in counts))
    assert 20 < expected < 80
    assert _unclear(counts, r, 0.05, risk) == expected


@st.composite
def some_p_values(draw: st.DrawFn) -> list[PValue[float]]:
    r = draw(st.integers(1, 500))
    p_values = []
    for _ in range(draw(st.integers(1, 5))):
        least, factor = draw(st.sampled_from([5e-324, 1e-9, 0.01])), draw(st.sampled_from([1, 2]))
        if draw(st.booleans()):
            c = draw(st.integers(0, r))
            p = PValue.of_counts(c, r)
        else:
            p = PValue(draw(st.floats(0, 1)), "exact", draw(st.sampled_from([0.0, 1e-15, 1e-3])), least=least)
        p_values.append(replace(p, factor=factor))
    return p_values


@given(some_p_values(), st.sampled_from(list(Estimator)))
def test_p_values_in_columns_are_those_of_single_pairs(p_values: list[PValue[float]], estimator: Estimator) -> None:
    columns = PValue.of_pairs(p_values).estimated(estimator)
    expected = [p.estimated(estimator) for p in p_values]
    assert columns.value.tolist() == [p.value for p in expected]
    assert list(zip(*columns.limits, strict=True)) == [p.limits for p in expected]
    assert columns.is_bound.tolist() == [p.is_bound for p in expected]


@st.composite
def differing(draw: st.DrawFn) -> BoolArray:
    s = draw(st.integers(1, 8))
    upper = np.triu(np.array(draw(st.lists(st.booleans(), min_size=s * s, max_size=s * s))).reshape(s, s), 1)
    return np.asarray(upper | upper.T)


@given(differing())
def test_columns_of_systems_alike_hold_all_pairs_alike_and_no_others(different: BoolArray) -> None:
    s = len(different)
    members = np.array([[column >> i & 1 for i in range(s)] for column in _one_by_one(different)])
    np.testing.assert_array_equal(members.T @ members > 0, ~different)


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    systems = {f"s{i:03d}": of.tolist() for i, of in enumerate(answers(110, 5))}
    return outscore.rank(systems, metric="accuracy", n_resamples=1000)


def test_pairs_in_columns_are_pairs(ranking: Ranking) -> None:
    pairs = ranking.pairs
    assert isinstance(pairs, PairColumns)
    assert len(pairs) == len(list(pairs)) == 110 * 109 // 2
    assert pairs[-1] == list(pairs)[-1] == pairs[len(pairs) - 1 :][0]
    assert isinstance(pairs[0], RankedPair)
    assert PairColumns.of(pairs[:50]) == pairs[:50]
    assert PairColumns.of(pairs[:50]) != pairs[1:51]
    assert pairs.corrected(Correction.HOLM)[7] == pairs[7].corrected(Correction.HOLM)
    assert pairs[3].wins is not None
    assert pairs[3].wins + (pairs[3].ties or 0) + (pairs[3].losses or 0) == N
    assert pairs[3].gain == pytest.approx((pairs[3].wins - (pairs[3].losses or 0)) / N)
    assert pairs[3].interval.low <= pairs[3].gain <= pairs[3].interval.high
    written = json.loads(ranking.to_json())["pairs"]
    assert len(written) == len(pairs)
    assert written[3]["interval"]["low"] == pairs[3].interval.low


def test_without_max_t_no_pair_is_corrected_by_it() -> None:
    systems = {f"s{i}": of.tolist() for i, of in enumerate(answers(3, 7))}
    pairs = outscore.rank(systems, metric="accuracy", max_t=False).pairs
    assert isinstance(pairs, PairColumns)
    with pytest.raises(OptionError, match="max-T was left out"):
        pairs.corrected(Correction.MAX_T)


@pytest.mark.slow
def test_of_many_pairs_a_page_shows_those_that_can_be_read() -> None:
    scores = np.random.default_rng(5).normal(size=(110, 30))
    ranking = outscore.rank({f"s{i:03d}": of.tolist() for i, of in enumerate(scores)}, n_resamples=1000)
    shown = readable_pairs(ranking)
    places = {system.name: place for place, system in enumerate(ranking.systems)}
    of = {tuple(sorted((places[pair.candidate], places[pair.baseline]))) for pair in shown}
    assert {(i, i + 1) for i in range(109)} | {(0, i) for i in range(1, 110)} <= of
    assert len(shown) < len(ranking.pairs)
    figure = matrix_figure(ranking)
    assert figure.cells is not None
    assert len(figure.cells.cells) == MOST_IN_MATRIX * (MOST_IN_MATRIX - 1) // 2
    assert all(shown[cell.place] is not None and cell.column < MOST_IN_MATRIX for cell in figure.cells.cells)
    said = f"{len(shown):,} of {len(ranking.pairs):,} pairs"
    assert said in ranking.to_html()
