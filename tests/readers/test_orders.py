"""Verdicts of a judge in both orders: units without options, the first position, missing orders, unknown directions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from tests.kit import TestSetsResult
from tests.significance.kit import order_with_first, position_effect

import outscore
from outscore.cli import main
from outscore.errors import DataError
from outscore.results import Comparison


def verdicts(n: int = 40, *, seed: int = 3) -> pd.DataFrame:
    """Return verdicts of a judge who likes what it sees first, in random order of rows."""
    rng = np.random.default_rng(seed)
    rows = []
    for place in range(n):
        quality = rng.normal(0.2, 1)
        for order, bias in (("new-first", 0.5), ("new-second", -0.5)):
            seen = quality + bias + rng.normal(0, 0.5)
            rows.append((f"p{place}", order, 0.5 if abs(seen) < 0.2 else float(seen > 0)))
    return pd.DataFrame(rows, columns=["prompt", "order", "preference"]).sample(frac=1, random_state=seed)


def compared(frame: object, **how: Any) -> Comparison:
    comparison: Comparison = outscore.compare(frame, against=0.5, **how)[0]
    return comparison


def plain_share_and_counts(frame: pd.DataFrame) -> tuple[float, int, int]:
    of = frame.pivot_table(index="prompt", columns="order", values="preference")
    first, second = of["new-first"], of["new-second"]
    return float((first + 1 - second).mean() / 2), int((first > second).sum()), int((first < second).sum())


def test_both_orders_are_one_unit_as_with_the_option(tmp_path: Path) -> None:
    frame = verdicts()
    path = tmp_path / "verdicts.csv"
    frame.to_csv(path, index=False)
    for source in (frame, pl.DataFrame(frame), pl.DataFrame(frame).to_arrow(), path, f"{path}:preference"):
        own, named = compared(source), compared(source, clusters="prompt")
        assert (own.n_items, own.n_units) == (80, 40)
        assert own.tests == named.tests
        assert (own.interval, own.gain, own.first_position) == (named.interval, named.gain, named.first_position)
        assert own.warnings[0].startswith("The two orders of each prompt are one unit")
        assert len(own.warnings) == len(named.warnings) + 1
    assert compared(frame).p_value != compared(frame.drop(columns="order").reset_index(drop=True)).p_value


def test_the_share_of_the_first_position_and_its_test() -> None:
    frame = verdicts()
    found = compared(frame).first_position
    assert found is not None
    share, first, second = plain_share_and_counts(frame)
    assert found.share == pytest.approx(share)
    assert found.disagree == (first, second)
    assert found.orders == ("new-first", "new-second")
    assert found.p_value == pytest.approx(binomtest(first, first + second).pvalue)
    assert found.win_rates == pytest.approx(frame.groupby("order").preference.mean())


@given(st.lists(st.tuples(st.sampled_from([0, 0.5, 1]), st.sampled_from([0, 0.5, 1])), min_size=1, max_size=80))
def test_the_test_is_the_sign_test_and_mirrors(pairs: list[tuple[float, float]]) -> None:
    first, second = np.array(pairs, dtype=float).T
    effect, mirrored = position_effect(first, second), position_effect(second, first)
    assert effect.p_value == mirrored.p_value
    assert effect.share == pytest.approx(1 - mirrored.share)
    if effect.first + effect.second:
        assert effect.p_value == pytest.approx(binomtest(effect.first, effect.first + effect.second).pvalue)
    else:
        assert effect.p_value == 1


@pytest.mark.parametrize(
    ("column", "names", "system", "expected"),
    [
        ("order", ("new-first", "new-second"), "gpt", 0),
        ("order", ("gpt first", "gpt second"), "GPT", 0),
        ("order", ("first", "second"), "gpt", 0),
        ("order", ("1st", "2nd"), "gpt", 0),
        ("order", ("base_first", "new_first"), "gpt", 1),
        ("order", ("baseline-first", "baseline-second"), "gpt", 1),
        ("order", ("base-first", "base-second"), "base", 0),
        ("position", ("1", "2"), "gpt", 0),
        ("position", ("0", "1"), "gpt", 0),
        ("order", ("AB", "BA"), "b", 1),
        ("order", ("AB", "BA"), "gpt", None),
        ("order", ("1", "2"), "gpt", None),
        ("order", ("llama-first", "llama-second"), "gpt", None),
        ("swapped", ("False", "True"), "gpt", None),
        ("order", ("new-first", "gpt-first"), "gpt", None),
    ],
)
def test_the_order_in_which_a_system_is_first(
    column: str, names: tuple[str, str], system: str, expected: int | None
) -> None:
    assert order_with_first(names, column, system) == expected
    assert order_with_first(names[::-1], column, system) == (
        expected if column == "position" or expected is None else 1 - expected
    )


def test_orders_whose_direction_is_unknown_have_no_share(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    frame = verdicts()
    frame["order"] = frame["order"].map({"new-first": "AB", "new-second": "BA"})
    found = compared(frame).first_position
    assert found is not None
    assert found.share is None
    assert found.disagree == plain_share_and_counts(verdicts())[1:]
    path = tmp_path / "verdicts.csv"
    frame.to_csv(path, index=False)
    with pytest.raises(SystemExit):
        main(["compare", str(path), "--against", "0.5"])
    text = " ".join(capsys.readouterr().out.split())
    assert "a difference of" in text
    assert f"{found.disagree[0]} are better in the order AB" in text


def test_numbers_of_a_swapped_table_are_mirrored() -> None:
    """If the scores are those of the other system, the first position is preferred as often."""
    frame = verdicts()
    other = frame.assign(
        preference=1 - frame["preference"], order=frame["order"].map({"new-first": "second", "new-second": "first"})
    )
    one, two = compared(frame).first_position, compared(other).first_position
    assert one is not None
    assert two is not None
    assert one.share == pytest.approx(two.share)
    assert (one.p_value, one.disagree) == (two.p_value, two.disagree)


@pytest.mark.parametrize("lacks", ["row", "score"])
def test_an_item_with_one_order_is_an_error_or_left_out(lacks: str, tmp_path: Path) -> None:
    frame = verdicts().reset_index(drop=True)
    item = frame["prompt"][7]
    less = frame[frame.index != 7]
    if lacks == "score":
        less = frame.assign(preference=frame["preference"].mask(frame.index == 7))
    whole = compared(frame[frame["prompt"] != item])
    path = tmp_path / "verdicts.csv"
    less.to_csv(path, index=False)
    for source in (less, path):
        with pytest.raises(DataError, match=item if lacks == "row" else "preference"):
            compared(source)
        left = compared(source, drop_missing=True)
        assert (left.n_items, left.n_units, left.tests) == (78, 39, whole.tests)
        assert left.first_position == whole.first_position
        assert "Left out 1 item(s) with verdicts in one of the two orders only." in left.warnings


def test_other_tables_are_as_before() -> None:
    frame = verdicts().reset_index(drop=True)
    others = {
        "three orders": frame.assign(order=[f"o{place % 3}" for place in range(80)]),
        "mostly one order": frame[(frame["order"] == "new-first") | (frame["prompt"] == "p3")],
        "other clusters": frame.assign(document=[f"d{place // 4}" for place in range(80)]),
    }
    for case, table in others.items():
        how = {"clusters": "document"} if case == "other clusters" else {}
        found = compared(table, score_column="preference", **how)
        assert found.first_position is None, case
        assert not any("two orders" in warning for warning in found.warnings), case
    twice = pd.concat([frame, frame])
    assert compared(twice, clusters="prompt", score_column="preference").first_position is None
    with pytest.raises(DataError, match=str(frame["prompt"][0])):
        compared(frame[1:], zero_missing=True)
    assert isinstance(outscore.compare(frame, against=0.5, test_sets="order"), TestSetsResult)


def test_two_systems_in_both_orders_have_the_same_units(tmp_path: Path) -> None:
    frame = verdicts().rename(columns={"preference": "new"})
    frame["base"] = frame["new"].to_numpy()[::-1]
    path = tmp_path / "both.csv"
    frame.to_csv(path, index=False)
    systems = (f"{path}:base", f"{path}:new")
    own, named = outscore.compare(*systems)[0], outscore.compare(*systems, clusters="prompt")[0]
    assert own.tests == named.tests
    assert own.first_position is None


def test_ids_that_are_numbers_are_no_scores_and_no_units_of_their_own(tmp_path: Path) -> None:
    frame = verdicts()
    frame["prompt"] = frame["prompt"].str[1:].astype(int)
    path = tmp_path / "verdicts.csv"
    expected = compared(verdicts(), clusters="prompt")
    frame.rename(columns={"prompt": "item"}).to_csv(path, index=False)
    assert compared(path).tests == expected.tests
    frame.rename(columns={"prompt": "item"}).assign(id=range(len(frame))).to_csv(path, index=False)
    assert compared(f"{path}:preference").tests == expected.tests
    frame.assign(preference=np.where(frame["preference"] > 0.5, "ann", "bob")).to_csv(path, index=False)
    with pytest.raises(DataError, match=r"Write verdicts as 1 .better., .* or as A, B and tie\. \[which-column\]$"):
        compared(path)


def test_a_named_cluster_does_not_hide_a_missing_order(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.csv"
    verdicts().sort_values(["prompt", "order"]).iloc[1:].to_csv(path, index=False)
    with pytest.raises(DataError, match=r"\[missing-order\]$"):
        compared(path, clusters="prompt")
