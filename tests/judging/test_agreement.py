"""Coefficients of agreement: published values, plain versions, and intervals where all raters agree."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import outscore
from outscore.metrics.families.raters import LEVELS, Agreement, Alpha
from tests.judging.kit import JudgesResult, coefficient_interval, proportion

from .plain import GWET, KRIPPENDORFF, alpha, by_chance, kappa, table, units_of


def found(result: JudgesResult) -> dict[str, float | None]:
    return {one.measure: one.value for one in result.agreement}


@pytest.mark.parametrize(
    ("level", "value"),
    [("nominal", 0.691358024691), ("ordinal", 0.806721419941), ("interval", 0.810844892812), ("ratio", 0.808943670784)],
)
def test_krippendorffs_example(level: str, value: float) -> None:
    result = outscore.judges(table(KRIPPENDORFF), level=level)
    assert found(result)["krippendorff-alpha"] == pytest.approx(value, abs=1e-12)
    assert alpha(units_of(KRIPPENDORFF), level) == pytest.approx(value, abs=1e-12)


def test_gwets_example() -> None:
    values = found(outscore.judges(table(GWET), level="nominal"))
    assert {name: round(value or 0, 3) for name, value in values.items()} == {
        "agreement": 0.818,
        "gwet-ac1": 0.775,
        "fleiss-kappa": 0.761,
        "krippendorff-alpha": 0.743,
    }
    units = units_of(GWET)
    assert by_chance(units, 5, "fleiss") == pytest.approx(values["fleiss-kappa"])
    assert by_chance(units, 5, "ac1") == pytest.approx(values["gwet-ac1"])


def test_the_interval_of_gwets_example_is_about_as_wide_as_his() -> None:
    (ac1,) = (one for one in outscore.judges(table(GWET), level="nominal").agreement if one.measure == "gwet-ac1")
    assert ac1.low is not None
    assert ac1.high is not None
    assert (ac1.high - ac1.low) / (2 * 2.2) == pytest.approx(0.143, abs=0.03)  # se .143, t quantile of 11 degrees


ratings = st.lists(st.lists(st.integers(1, 4).map(float), min_size=0, max_size=4), min_size=2, max_size=12)


def counts_of(units: list[list[float]]) -> np.ndarray:
    return np.array([[unit.count(value) for value in (1.0, 2.0, 3.0, 4.0)] for unit in units], dtype=float)


@given(units=ratings, level=st.sampled_from(LEVELS))
def test_alpha_is_that_of_pairs(units: list[list[float]], level: str) -> None:
    assume(len({rating for unit in units if len(unit) > 1 for rating in unit}) > 1)
    metric = Alpha((1.0, 2.0, 3.0, 4.0), level)
    assert float(metric.score(metric.rows(counts_of(units)).sum(axis=0))) == pytest.approx(alpha(units, level))


@given(units=ratings, level=st.sampled_from(LEVELS), seed=st.integers(0, 9))
def test_weights_of_units_are_repetitions(units: list[list[float]], level: str, seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, 3, len(units))
    repeated = [unit for unit, times in zip(units, weights.tolist(), strict=True) for _ in range(times)]
    assume(len({rating for unit in repeated if len(unit) > 1 for rating in unit}) > 1)
    metric = Alpha((1.0, 2.0, 3.0, 4.0), level)
    assert float(metric.score(weights @ metric.rows(counts_of(units)))) == pytest.approx(alpha(repeated, level))


@given(units=ratings, kind=st.sampled_from(["fleiss", "ac1"]))
def test_kappa_of_several_raters_is_that_of_pairs(units: list[list[float]], kind: str) -> None:
    assume(any(len(unit) > 1 for unit in units) and len({rating for unit in units for rating in unit}) > 1)
    metric = Agreement(4, kind)
    assert float(metric.score(metric.rows(counts_of(units)).sum(axis=0))) == pytest.approx(by_chance(units, 4, kind))


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_cohens_kappa_with_people(level: str) -> None:
    rng = np.random.default_rng(4)
    human = rng.integers(1, 6, 80)
    verdict = np.clip(human + rng.integers(-1, 2, 80), 1, 5)
    data = pl.DataFrame({"item": range(80), "score": verdict, "human": human})
    value = found(outscore.judges(data, level=level))["cohen-kappa"]
    pairs = list(zip(verdict.tolist(), human.tolist(), strict=True))
    assert value == pytest.approx(kappa(pairs, linear=level == "ordinal"))


def test_unanimous_raters_have_an_interval() -> None:
    data = pl.DataFrame(
        {"item": [*range(20)] * 2, "judge": ["a"] * 20 + ["b"] * 20, "verdict": ([1] * 12 + [0] * 8) * 2}
    )
    for one in outscore.judges(data).agreement:
        assert (one.value, one.high) == (1.0, 1.0), one
        assert one.low is not None
        assert 0.4 < one.low < 0.9, one
    agreement = outscore.judges(data).agreement[0]
    assert agreement.low == pytest.approx(0.025 ** (1 / 20))  # Clopper-Pearson


def test_one_value_has_no_coefficient() -> None:
    data = pl.DataFrame({"item": [*range(9)] * 2, "judge": ["a"] * 9 + ["b"] * 9, "verdict": [1] * 18})
    values = found(outscore.judges(data))
    assert values.pop("agreement") == 1.0
    assert set(values.values()) == {None}


def test_the_interval_contains_the_coefficient_and_shrinks() -> None:
    rng = np.random.default_rng(5)
    widths = []
    for n in (25, 100, 400):
        counts = np.eye(3)[rng.integers(0, 3, n)] * 2
        counts[: n // 5] = [1, 1, 0]
        metric = Agreement(3, "fleiss")
        ends = coefficient_interval(metric, partial(iter, [metric.rows(counts)]), 0.05)
        assert ends is not None
        assert ends[1] is not None
        assert ends[2] is not None
        assert ends[1] < ends[0] < ends[2]
        widths.append(ends[2] - ends[1])
    assert widths[0] > 1.7 * widths[1] > 2.9 * widths[2]


def test_items_are_the_units() -> None:
    values, items = np.array([1.0, 0.0, 1.0, 1.0, 0.0] * 8), np.arange(40)
    single, repeated = (proportion(np.repeat(values, times), np.repeat(items, times), 0.05) for times in (1, 4))
    assert single is not None
    assert repeated is not None
    assert (repeated.value, repeated.n_items) == (single.value, single.n_items)
    assert repeated.high - repeated.low == pytest.approx(single.high - single.low, rel=0.1)
