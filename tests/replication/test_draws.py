"""Draws are uniform, with replacement, and depend on what they say they depend on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from outscore.errors import OptionError
from tests.replication.kit import Draw, planned_draws


def plain_indices(draw: Draw, n: int) -> list[int]:
    """Lemire's algorithm, a word at a time."""
    seed = np.random.SeedSequence(draw.seed, spawn_key=(0x7265706C, draw.n_items, draw.replicate))
    words = iter((int(word) >> 32) * n for word in np.random.Philox(seed).random_raw(4 * draw.n_items))
    products = [next(words) for _ in range(draw.n_items)]
    while unfair := [i for i, product in enumerate(products) if product % 2**32 < 2**32 % n]:
        for i in unfair:
            products[i] = next(words)
    return [product >> 32 for product in products]


@pytest.mark.parametrize("n", [1, 2, 100, 2**31 + 1, 2**32 - 1])
def test_draws_are_those_of_a_plain_loop(n: int) -> None:
    draw = Draw(1.0, 200, 3, 11)
    assert draw.indices(n).tolist() == plain_indices(draw, n)


def test_draws_stay_what_they_were() -> None:
    # Whoever repeats an experiment gets its training sets: on any machine, in any later version.
    assert Draw(0.5, 8, 1, 12345).indices(16).tolist() == [7, 14, 3, 2, 3, 4, 0, 13]
    assert Draw(0.5, 8, 1, 12345).trainer_seed == 309951702


def test_draws_do_not_depend_on_other_sizes_or_on_order() -> None:
    one = {(d.n_items, d.replicate): d.indices(100).tolist() for d in planned_draws(100, [1.0, 0.5, 0.25], 3, 7)}
    other = {(d.n_items, d.replicate): d.indices(100).tolist() for d in planned_draws(100, [0.25, 1.0], 2, 7)}
    assert all(one[key] == other[key] for key in other)


def test_draws_of_different_runs_and_seeds_differ() -> None:
    draws = [*planned_draws(50, [1.0, 0.5], 4, 1), *planned_draws(50, [1.0, 0.5], 4, 0)]
    assert len({tuple(draw.indices(50).tolist()) for draw in draws}) == len(draws)
    assert len({draw.trainer_seed for draw in draws}) == len(draws)
    assert all(0 <= draw.trainer_seed < 2**31 for draw in draws)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100, 2**20 + 1])
def test_indices_are_in_range(n: int) -> None:
    drawn = Draw(1.0, 5000, 1, 3).indices(n)
    assert drawn.shape == (5000,)
    assert drawn.min() >= 0
    assert drawn.max() < n
    assert drawn.dtype == np.int64


def test_every_item_is_equally_likely() -> None:
    # One chi-squared test of 60,000 draws with a fixed seed: had the seed not been fixed, it would fail
    # in one of 10,000 runs.
    counts = np.bincount(Draw(1.0, 60_000, 1, 5).indices(60), minlength=60)
    assert chisquare(counts).pvalue > 1e-4


def test_words_that_would_favour_items_are_drawn_again() -> None:
    # 2³² = n + 2³⁰ for this n: of every four words one would be a second chance for some item, and is refused.
    n = 3 * 2**30
    drawn = Draw(1.0, 40_000, 1, 5).indices(n)
    shares = np.bincount(drawn * 3 // n, minlength=3)
    assert chisquare(shares).pvalue > 1e-4
    assert chisquare(np.bincount(drawn % 3, minlength=3)).pvalue > 1e-4  # without refusals about (2, 1, 1) : 4


def test_sizes_are_rounded_to_items() -> None:
    assert [draw.n_items for draw in planned_draws(10, [1.0, 0.25, 0.1], 1, 0)] == [10, 2, 1]


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ([0.0], "above 0 and at most 1, got 0.0"),
        ([-0.5], "above 0"),
        ([50.0], r"got 50\.0\. Write 0\.5 for half of it"),
        ([float("nan")], "got nan"),
        ([float("inf")], "got inf"),
        ([], "expected a size"),
        ([0.04], "less than one item"),
        ([0.5, 0.5], "both draw 5 items"),
        ([0.5, 0.51], "0.5 and 0.51 both draw 5 items"),
    ],
)
def test_sizes_out_of_range_are_refused(sizes: list[float], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        planned_draws(10, sizes, 1, 0)


@pytest.mark.parametrize(("replicates", "seed", "says"), [(0, 0, "replicates"), (1, -1, "seed")])
def test_counts_out_of_range_are_refused(replicates: int, seed: int, says: str) -> None:
    with pytest.raises(OptionError, match=says):
        planned_draws(10, [1.0], replicates, seed)
