"""The largest number of losses, and Jansen's table: his figures, his statements, and the p-values of comparisons."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import outscore
from outscore import plan_table
from outscore.errors import NotApplicableError, OptionError
from outscore.results import Alternative
from outscore.significance import TESTS, test_named
from tests.planning.kit import PlanTable

JANSENS: dict[str, Any] = {"test": "bootstrap-uncentred", "alternative": Alternative.GREATER}


def p_values(items: int, percent: float) -> list[float]:
    table = plan_table(items, f"{percent:g}%", **JANSENS)
    assert [row.hurt_percent for row in table.rows] == list(range(20))
    return [row.p_value for row in table.rows]


def by_definition(items: int, helped: int, hurt: int) -> float:
    """P(H* ≤ T*), summed over all H* and T*."""
    same = items - helped - hurt
    ways = sum(
        comb(items, h) * comb(items - h, t) * helped**h * hurt**t * same ** (items - h - t)
        for h in range(items + 1)
        for t in range(h, items - h + 1)
    )
    return float(Fraction(ways, items**items))


@pytest.mark.parametrize(("items", "gain"), [(20, 10.0), (40, 5.0), (60, 20.0)])
def test_rows_are_what_the_definition_says(items: int, gain: float) -> None:
    for row in plan_table(items, f"{gain:g}%", hurt_percents=[0, 5, 10, 20], **JANSENS).rows:
        assert row.helped - row.hurt == round(items * gain / 100)
        assert row.hurt == round(items * row.hurt_percent / 100)
        assert row.p_value == pytest.approx(by_definition(items, row.helped, row.hurt), rel=1e-11)


@pytest.mark.parametrize("name", ["bootstrap-uncentred", "bootstrap", "randomization", "paired-t", "sign", "wilcoxon"])
@pytest.mark.parametrize("alternative", [Alternative.GREATER, Alternative.TWO_SIDED])
def test_rows_are_what_a_comparison_of_such_systems_finds(name: str, alternative: Alternative) -> None:
    for row in plan_table(100, 0.04, hurt_percents=[0, 3, 19], test=test_named(name), alternative=alternative).rows:
        baseline = np.repeat([0, 1, 1], [row.helped, row.hurt, 100 - row.helped - row.hurt])
        candidate = np.repeat([1, 0, 1], [row.helped, row.hurt, 100 - row.helped - row.hurt])
        result = outscore.compare(baseline, candidate, metric="accuracy", tests=name, alternative=alternative)
        assert row.p_value == pytest.approx(result.comparisons[0].test.p_value, rel=1e-12)


def test_jansens_100_items() -> None:
    """He prints about 0.13 for +2% with none hurt, and more than 0.05 for +5% with 2% hurt."""
    assert p_values(100, 2)[0] == pytest.approx(0.132619555894753, rel=1e-12)
    assert min(p_values(100, 2)) > 0.05
    assert p_values(100, 5)[2] == pytest.approx(0.058420461, rel=1e-7)
    # +5% is significant only where next to nothing is hurt.
    assert [p <= 0.05 for p in p_values(100, 5)] == [True, True] + [False] * 18


def test_jansens_2000_items_find_two_per_cent_unless_more_than_13_per_cent_are_hurt() -> None:
    significant = [p <= 0.05 for p in p_values(2000, 2)]
    assert significant == [True] * 14 + [False] * 6


def test_jansens_10000_items_find_half_a_per_cent_unless_many_are_hurt() -> None:
    assert [p <= 0.05 for p in p_values(10_000, 0.5)] == [True] * 5 + [False] * 15
    # One per cent is found up to 17% hurt, and two per cent always.
    assert [p <= 0.05 for p in p_values(10_000, 1)] == [True] * 18 + [False] * 2
    assert max(p_values(10_000, 2)) < 0.003


def test_500_items_find_two_per_cent_only_where_up_to_2_per_cent_are_hurt_and_five_always() -> None:
    assert [p <= 0.05 for p in p_values(500, 2)] == [True] * 3 + [False] * 17
    assert max(p_values(500, 5)) <= 0.05


def test_the_p_value_grows_with_the_share_hurt_and_falls_with_size_and_gain() -> None:
    for items, gain in ((100, 1.0), (500, 2.0), (2000, 0.5)):
        assert (np.diff(p_values(items, gain)) > 0).all()
    assert all(b < a for a, b in zip(p_values(500, 2), p_values(2000, 2), strict=True))
    assert all(b < a for a, b in zip(p_values(500, 1), p_values(500, 2), strict=True))


def test_by_default_it_is_mcnemars_exact_test() -> None:
    """9 wins and no loss have p = 2/2⁹ = .0039, where Jansen's bootstrap has .00012."""
    for row in plan_table(1000, "0.9%", hurt_percents=[0, 0.3, 5]).rows:
        assert row.p_value == pytest.approx(2 * binom.cdf(row.hurt, row.hurt + row.helped, 0.5), rel=1e-12)
    (row,) = plan_table(1000, "0.9%", hurt_percents=0).rows
    assert row.p_value == pytest.approx(0.0039, abs=1e-5)
    (row,) = plan_table(1000, "0.9%", hurt_percents=0, **JANSENS).rows
    assert row.p_value == pytest.approx(0.00012, abs=5e-6)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("test", [None, "bootstrap-uncentred", "bootstrap", "paired-t", "sign", "wilcoxon", "mcnemar"])
def test_the_largest_number_of_losses_is_the_last_significant_one(test: str | None, alpha: float) -> None:
    """Every number of losses is tried, by a comparison of such systems."""
    items = 41
    table = plan_table(items, [4 / 41, 8 / 41, 15 / 41], hurt_percents=0, test=test, alpha=alpha)
    for limit in table.limits:
        p = []
        for hurt in range(limit.possible + 1):
            counts = [hurt + limit.gained, hurt, items - limit.gained - 2 * hurt]
            systems = np.repeat([0, 1, 1], counts), np.repeat([1, 0, 1], counts)
            result = outscore.compare(*systems, metric="accuracy", tests=test or "auto")
            p.append(result.comparisons[0].test.p_value)
        assert min(counts) in (0, 1)
        significant = [hurt for hurt, value in enumerate(p) if value <= alpha]
        assert significant == list(range(len(significant)))
        assert limit.hurt == (len(significant) - 1 if significant else None)
        assert limit.p_value == (pytest.approx(p[limit.hurt], rel=1e-12) if limit.hurt is not None else None)


def test_the_answer_is_the_largest_number_of_losses() -> None:
    answers = {
        100: "Significant with 100 items: +2% never.",
        300: "Significant with 300 items: +2% only without losses (6 wins).",
        350: "Significant with 350 items: +2% with at most 1 loss (8 wins).",
        500: "Significant with 500 items: +2% with at most 5 losses (15 wins).",
        10_000: "Significant with 10,000 items: +2% with any number of losses.",
    }
    for items, answer in answers.items():
        assert answer in " ".join(str(plan_table(items, "2%", hurt_percents=0)).split())
    many = str(plan_table([*answers], "2%", hurt_percents=0))
    assert "largest numbers of losses at which a gain is significant" in many
    assert "  500   +2%            5         245" in many


def test_all_sizes_and_gains_stand_in_one_table() -> None:
    table = plan_table([100, 500], ["1%", 0.02], hurt_percents=[0, 5])
    found = [(row.items, row.gain, row.hurt_percent, row.helped, row.hurt) for row in table.rows]
    assert found == [
        (100, 1, 0, 1, 0),
        (100, 1, 5, 6, 5),
        (100, 2, 0, 2, 0),
        (100, 2, 5, 7, 5),
        (500, 1, 0, 5, 0),
        (500, 1, 5, 30, 25),
        (500, 2, 0, 10, 0),
        (500, 2, 5, 35, 25),
    ]
    assert isinstance(table, PlanTable)
    assert table.notes == ()
    assert (table.test, table.alternative) == ("randomization", Alternative.TWO_SIDED)
    assert [(limit.items, limit.gain, limit.gained) for limit in table.limits] == [
        (100, 1, 1),
        (100, 2, 2),
        (500, 1, 5),
        (500, 2, 10),
    ]


def test_gains_that_are_no_whole_items_are_rounded_or_left_out() -> None:
    table = plan_table([1319, 100], [0.02, 0.005], hurt_percents=[0])
    assert [(row.items, row.gain, row.helped) for row in table.rows] == [(1319, 2, 26), (1319, 0.5, 7), (100, 2, 2)]
    assert len(table.notes) == 3
    assert "26.38 items: rounded to 26 (1.971%)" in table.notes[0]
    assert "left out" in table.notes[2]


def test_a_large_proportion_without_a_sign_is_noted() -> None:
    assert plan_table(500, [0.6, 0.02]).notes == ("0.6 was read as 60%. For 0.6%, write 0.6%.",)
    assert plan_table(500, ["60%", 0.1]).notes == ()


def test_shares_of_items_hurt_that_are_no_whole_items_are_named() -> None:
    table = plan_table([100, 200], 0.02, hurt_percents=[0, 0.5, 1, 15.5])
    assert [row.hurt for row in table.rows] == [0, 1, 1, 16, 0, 1, 2, 31]
    assert table.notes == ("Losses are rounded to whole items: with 100 items, 0.5% is 1 (1%).",)
    assert "7% is 4 (8%), and 1 more." in plan_table(50, 0.02, hurt_percents=range(10)).notes[0]


def test_rows_that_cannot_be_are_left_out() -> None:
    table = plan_table(100, "70%")
    assert max(row.helped + row.hurt for row in table.rows) == 100
    assert len(table.rows) == 16
    assert table.notes == ("4 row(s) were left out, as they would have more wins and losses than items.",)


@pytest.mark.parametrize(
    ("items", "gain", "slug"),
    [
        (1, 0.02, "out-of-range"),
        (10.5, 0.02, "out-of-range"),
        (100, 0.0, "out-of-range"),
        (100, -0.02, "out-of-range"),
        (100, "101%", "out-of-range"),
        (100, 2, "not-a-share"),
        (100, 1, "not-a-share"),
        (100, 0.0002, "impossible-gain"),
        ([], 0.02, "missing"),
    ],
)
def test_numbers_that_make_no_sense(items: int, gain: float | str, slug: str) -> None:
    with pytest.raises(OptionError) as caught:
        plan_table(items, gain)
    assert caught.value.problems[0].slug == slug


@pytest.mark.parametrize("name", [name for name, test in TESTS.items() if test.assumes_independence])
def test_tests_of_independent_systems_have_no_such_table(name: str) -> None:
    with pytest.raises(NotApplicableError, match="independent"):
        plan_table(100, 0.02, test=test_named(name))
