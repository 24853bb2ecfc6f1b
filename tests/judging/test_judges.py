"""Judges: consistency, position bias, flips, comparison of judges, and errors by system."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2_contingency, t

import outscore
from tests.judging.kit import rates_compared
from tests.significance.kit import sign_p_value

Rows = list[dict[str, object]]


def in_orders(*pairs: str, **more: object) -> Rows:
    """Return verdicts on an item each, in the orders AB and BA: "AB" is A in the first order and B in the second."""
    return [
        {"item": f"q{item}", "order": order, "verdict": {"-": "tie"}.get(verdict, verdict), **more}
        for item, pair in enumerate(pairs)
        for order, verdict in zip(("AB", "BA"), pair, strict=True)
    ]


@given(one=st.integers(0, 60), other=st.integers(0, 60))
def test_the_sign_test_is_scipys(one: int, other: int) -> None:
    expected = binomtest(one, one + other).pvalue if one + other else 1.0
    assert sign_p_value(one, other) == pytest.approx(expected)


def test_consistency_and_first_position() -> None:
    # A in both orders 5 times, B 3 times, twice a tie; the first place 9 times, the second place once; half a tie once.
    pairs = ["AA"] * 5 + ["BB"] * 3 + ["--"] * 2 + ["AB"] * 9 + ["BA"] + ["A-"]
    result = outscore.judges(pl.DataFrame(in_orders(*pairs)))
    assert result.consistency is not None
    assert result.consistency.value == pytest.approx(10 / 21)
    position = result.first_position
    assert position is not None
    assert (position.first, position.second, position.n_items) == (10, 1, 21)
    assert position.share == pytest.approx((5 + 3 + 2 + 18 + 0 + 1.5) / 42)
    assert position.p_value == pytest.approx(binomtest(10, 11).pvalue)


@pytest.mark.parametrize(
    ("orders", "verdicts"),
    [
        (("AB", "BA"), ("A", "B", "tie")),
        (("swapped", "original"), None),
        (("first", "second"), ("1", "0", "0.5")),
        (("1", "2"), ("yes", "no", "tie")),
        (("new-first", "new-second"), ("new", "old", "tie")),
        (("old", "new"), ("old", "new", "draw")),
        (("gpt-4o", "gpt-4"), ("gpt-4o", "gpt-4", "tie")),
        (("gpt-4 gpt-4o", "gpt-4o gpt-4"), ("gpt-4", "gpt-4o", "tie")),
    ],
)
def test_every_way_of_writing_verdicts(orders: tuple[str, str], verdicts: tuple[str, ...] | None) -> None:
    pairs = ["AA"] * 5 + ["BB"] * 3 + ["--"] * 2 + ["AB"] * 9 + ["BA"] + ["A-"]
    data = pl.DataFrame(in_orders(*pairs))
    expected = outscore.judges(data)
    if verdicts is None:  # places, in two orders whose names tell which is which
        places = {("AB", "A"): "first", ("AB", "B"): "second", ("BA", "A"): "second", ("BA", "B"): "first"}
        written = [places.get((row["order"], row["verdict"]), "tie") for row in data.to_dicts()]
        names = {"AB": "original", "BA": "swapped"}
    else:
        written = [dict(zip(("A", "B", "tie"), verdicts, strict=True))[one] for one in data["verdict"]]
        names = dict(zip(("AB", "BA"), orders, strict=True))
    own = outscore.judges(
        data.with_columns(
            pl.Series("verdict", written), pl.Series("order", [names[order] for order in data["order"]])
        ).reverse()
    )
    assert own.first_position == expected.first_position
    assert own.consistency == expected.consistency


def test_letters_of_places() -> None:
    answers = pl.DataFrame(in_orders("AA", "AA", "BB", "AB", "AB", "AA"))
    places = answers.with_columns(
        verdict=pl.when(pl.col("order") == "BA")
        .then(pl.col("verdict").replace({"A": "B", "B": "A"}))
        .otherwise(pl.col("verdict"))
    )
    expected, own = outscore.judges(answers), outscore.judges(places, positions=True)
    assert own.first_position == expected.first_position
    assert own.consistency == expected.consistency


def test_flips_are_pairs_of_repetitions() -> None:
    verdicts = {"q1": [1, 1, 0], "q2": [1, 1, 1], "q3": [0, 0, 0], "q4": [1, 0]}
    rows = [
        {"item": item, "run": run, "verdict": verdict}
        for item, of in verdicts.items()
        for run, verdict in enumerate(of)
    ]
    flips = outscore.judges(pl.DataFrame(rows)).flips
    assert flips is not None
    assert flips.value == pytest.approx((2 / 3 + 0 + 0 + 1) / 4)
    assert flips.n_items == 4


def with_people(n: int, accuracies: dict[str, float], seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 2, n)
    frames = [
        pl.DataFrame(
            {
                "item": [f"q{i}" for i in range(n)],
                "judge": [judge] * n,
                "verdict": np.where(rng.random(n) < right, human, 1 - human),
                "human": human,
            }
        )
        for judge, right in accuracies.items()
    ]
    return pl.concat(frames)


def test_two_judges_are_compared_as_two_systems_are() -> None:
    data = with_people(150, {"large": 0.9, "small": 0.75}, seed=1)
    (pair,) = outscore.judges(data).comparison
    right = {judge: (of["verdict"] == of["human"]).cast(int).to_list() for (judge,), of in data.group_by("judge")}
    compared = outscore.compare(right["small"], right["large"], metric="accuracy")
    assert (pair.higher, pair.lower, pair.measure) == ("large", "small", "agreement")
    assert pair.difference == pytest.approx(compared.gain)
    assert pair.p_value == pair.corrected_p_value == pytest.approx(compared.p_value)
    assert pair.low < pair.difference < pair.high


def test_a_judge_called_human_is_people() -> None:
    data = with_people(60, {"large": 0.9, "small": 0.75}, seed=2)
    people = data.filter(pl.col("judge") == "large").with_columns(verdict=pl.col("human"), judge=pl.lit("human"))
    stacked = pl.concat([data, people]).drop("human")
    assert outscore.judges(stacked).agreement == outscore.judges(data).agreement


def test_scores_are_compared_by_alpha() -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=100)
    frames = [
        {"item": i, "judge": judge, "score": human[i] + sd * rng.normal(), "human": human[i]}
        for judge, sd in (("large", 0.3), ("small", 1.0))
        for i in range(100)
    ]
    result = outscore.judges(pl.DataFrame(frames))
    assert result.level == "interval"
    assert "interval" in result.notes[0]
    assert {one.measure for one in result.agreement} == {"krippendorff-alpha"}
    (pair,) = result.comparison
    assert (pair.higher, pair.measure) == ("large", "krippendorff-alpha")
    assert pair.p_value < 0.001


def errors_of(sensitivities: dict[str, float], seed: int, n: int = 200) -> Any:
    rng = np.random.default_rng(seed)
    rows: Rows = []
    for system, sensitivity in sensitivities.items():
        human = rng.random(n) < 0.6
        verdict = np.where(human, rng.random(n) < sensitivity, rng.random(n) < 0.2)
        rows += [{"item": i, "system": system, "verdict": int(verdict[i]), "human": int(human[i])} for i in range(n)]
    (errors,) = outscore.judges(pl.DataFrame(rows)).errors
    return errors


def test_errors_by_system() -> None:
    errors = errors_of({"own": 0.95, "other": 0.7}, seed=5)
    rates = {(one.system, one.measure): one for one in errors.rates}
    assert rates["own", "sensitivity"].value == pytest.approx(0.95, abs=0.06)
    assert rates["other", "specificity"].value == pytest.approx(0.8, abs=0.1)
    assert all(one.low is not None and one.low < one.value < (one.high or 0) for one in errors.rates)
    bias = next(one for one in errors.differences if one.measure == "bias")
    expected = rates["own", "bias"].value - rates["other", "bias"].value
    assert bias.higher == "own"
    assert bias.difference == pytest.approx(expected)
    assert errors.p_value is not None
    assert errors.p_value < 0.001
    assert (errors_of({"own": 0.8, "other": 0.8}, seed=6).p_value or 0) > 0.05


@pytest.mark.parametrize("shared", [True, False])
def test_the_test_of_rates_is_mcnemars_or_pearsons(shared: bool) -> None:
    rng = np.random.default_rng(8)
    right = (rng.random((2, 60)) < [[0.9], [0.7]]).astype(float)
    zeros = np.zeros((60, 2))
    rows = [np.column_stack([of, np.ones(60)]) for of in right]
    if not shared:
        rows = [np.vstack([rows[0], zeros]), np.vstack([zeros, rows[1]])]
    found = rates_compared("sensitivity", "a", "b", rows, 0.05)
    if shared:
        wins, losses = ((right[0] > right[1]).sum(), (right[1] > right[0]).sum())
        square = (wins - losses) ** 2 / (wins + losses)
    else:
        square = chi2_contingency([right.sum(axis=1), 60 - right.sum(axis=1)], correction=False).statistic
    assert found.p_value == pytest.approx(2 * t.sf(np.sqrt(square), len(rows[0]) - 1))
    assert found.low < found.difference == pytest.approx(float(right[0].mean() - right[1].mean()))
    assert (found.p_value < 0.05) == (found.low > 0)


def test_systems_without_errors_have_an_interval() -> None:
    rows = [np.column_stack([np.ones(20), np.ones(20)])] * 2
    found = rates_compared("sensitivity", "a", "b", rows, 0.05)
    assert (found.difference, found.p_value) == (0.0, 1.0)
    assert -0.3 < found.low < 0 < found.high < 0.3


def test_errors_of_systems_on_other_items() -> None:
    rng = np.random.default_rng(7)
    rows = [
        {"item": f"{system}{i}", "system": system, "verdict": int(rng.random() < right), "human": 1}
        for system, right in (("a", 0.9), ("b", 0.5))
        for i in range(100)
    ]
    (errors,) = outscore.judges(pl.DataFrame(rows)).errors
    (sensitivity,) = (one for one in errors.differences if one.measure == "sensitivity")
    assert sensitivity.p_value < 1e-6
    assert not any(one.measure == "specificity" for one in errors.rates)


def test_orders_and_repetitions_of_an_item_are_one_unit() -> None:
    rows = [
        {"item": f"q{i}", "order": order, "run": run, "verdict": "A" if i % 3 else "B", "human": "A" if i % 4 else "B"}
        for i in range(40)
        for order in ("AB", "BA")
        for run in range(3)
    ]
    several = outscore.judges(pl.DataFrame(rows)).agreement[0]
    single = outscore.judges(pl.DataFrame(rows).filter(pl.col("order") == "AB", pl.col("run") == 0)).agreement[0]
    assert several.value == pytest.approx(single.value)
    assert several.low == pytest.approx(single.low, abs=0.02)
    assert several.n_items == single.n_items == 40
