"""Units of equal rows are drawn together where no other product has the same draws: the law is the same.

Statistical tests have fixed seeds and a level of 10⁻⁴ each; there are some 40 of them: were the seeds drawn anew,
about one run in 250 would raise a false alarm.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency, chisquare, norm

from outscore._types import FloatArray
from outscore.laws.resampling import schemes
from tests.laws.kit import SHARD, BootstrapScheme, Engine, GroupScheme, grouped
from tests.laws.resampling.plain import plain_replicates

LEVEL = 1e-4
R = 20_000


def _stream(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def _counts(seed: int, n: int = 600) -> FloatArray:
    rng = np.random.default_rng(seed)
    gold = rng.poisson(0.7, n)
    return np.column_stack([rng.binomial(gold, 0.7), gold, rng.binomial(gold, 0.6), gold]).astype(float)


def totals(sums: FloatArray) -> FloatArray:
    return sums


@pytest.mark.parametrize("sizes", [[1, 1, 2], [1, 2, 3], [2, 2, 2], [5], [1, 4]])
def test_all_counts_of_few_groups_are_multinomial(sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every outcome, with many resamples drawn again."""
    monkeypatch.setattr(schemes, "_MARGIN", 0.3)
    n = sum(sizes)
    weights = GroupScheme(np.array(sizes)).weights(_stream(n), 5 * R).astype(np.int64)
    assert (weights.sum(axis=1) == n).all()
    outcomes = [w for w in product(range(n + 1), repeat=len(sizes)) if sum(w) == n]
    chances = [
        factorial(n) * prod((m / n) ** k / factorial(k) for m, k in zip(sizes, w, strict=True)) for w in outcomes
    ]
    seen = {tuple(row): 0 for row in outcomes}
    for row, count in zip(*np.unique(weights, axis=0, return_counts=True), strict=True):
        seen[tuple(row.tolist())] = int(count)
    # Outcomes that are hardly ever met are taken together.
    rare = np.array(chances) * 5 * R < 10
    observed, expected = np.array(list(seen.values())), np.array(chances) * 5 * R
    if len(outcomes) > 1:
        observed, expected = (np.append(each[~rare], each[rare].sum()) for each in (observed, expected))
        kept = expected > 0
        assert chisquare(observed[kept], expected[kept]).pvalue > LEVEL


@pytest.mark.parametrize("margin", [0.3, 1.3])
def test_counts_of_groups_have_the_law_of_sums_of_weights(margin: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of 1, 2, 7 and 64 units: each binomial, all pairs with the covariance −m m'/n."""
    monkeypatch.setattr(schemes, "_MARGIN", margin)
    sizes = np.array([1] * 37 + [2] * 9 + [7] * 5 + [64] * 2)
    n = int(sizes.sum())
    weights = GroupScheme(sizes).weights(_stream(n), R).astype(np.int64)
    assert (weights.sum(axis=1) == n).all()
    for group in (0, 1, 36, 37, 45, 46, 50, 51, 52):
        chances = binom.pmf(np.arange(n + 1), n, sizes[group] / n)
        likely = np.flatnonzero(chances * R > 20)
        low, high = likely[0], likely[-1]
        seen = np.bincount(np.clip(weights[:, group], low, high) - low, minlength=high - low + 1)
        expected = chances[low : high + 1] * R
        expected[0] += chances[:low].sum() * R
        expected[-1] += chances[high + 1 :].sum() * R
        assert chisquare(seen, expected).pvalue > LEVEL
    deviations = weights - sizes
    for one, other in ((0, 1), (0, 3), (3, 4), (36, 37), (37, 38), (45, 46), (46, 51), (51, 52), (0, 52)):
        products = deviations[:, one] * deviations[:, other]
        z = (products.mean() + sizes[one] * sizes[other] / n) / (products.std() / R**0.5)
        assert 2 * norm.sf(abs(z)) > LEVEL


@pytest.mark.parametrize(("n", "of_group"), [(300, 300), (300, 150), (2000, 1000), (2000, 2000)])
def test_groups_of_half_and_of_all_units(n: int, of_group: int) -> None:
    """Several counts stand for a large group, and their sum is binomial."""
    rows = np.concatenate([np.ones(of_group), np.arange(n - of_group) // 50 + 2.0])[:, None]
    groups = grouped(rows)
    assert groups is not None
    scheme, units = groups
    large = rows[units, 0] == 1
    assert scheme.sizes[large].sum() == of_group
    assert scheme.sizes.max() <= 64
    counts = scheme.weights(_stream(n + of_group), R)[:, large].sum(axis=1, dtype=np.int64)
    if of_group == n:
        assert (counts == n).all()
        return
    edges = binom.ppf(np.arange(1, 20) / 20, n, of_group / n)
    chances = np.diff(binom.cdf(edges, n, of_group / n), prepend=0.0, append=1.0)
    seen = np.bincount(np.searchsorted(edges, counts), minlength=20)
    assert chisquare(seen, chances * R).pvalue > LEVEL


@pytest.mark.parametrize("kind", ["counts", "right or wrong", "decimals"])
def test_replicates_are_those_of_the_plain_reference_and_of_any_blocks(kind: str) -> None:
    rng = np.random.default_rng(0)
    rows = {
        "counts": _counts(0),
        "right or wrong": rng.integers(0, 2, (500, 2)).astype(float),
        "decimals": rng.integers(0, 4, (500, 3)) / 10 - 0.1,
    }[kind]
    assert grouped(rows) is not None
    scheme = BootstrapScheme(len(rows), shared=False)
    expected = plain_replicates(5, scheme, rows, totals, 300)
    np.testing.assert_array_equal(Engine(5).replicates(scheme, rows, totals, 300), expected)
    r = 20 * SHARD + 17
    more = Engine(5).replicates(scheme, rows, totals, r)
    np.testing.assert_array_equal(more[:300], expected)
    for block_cells in (1, 1000, 10**9):
        found = Engine(5, block_cells=block_cells).replicates(scheme, rows, totals, r)
        np.testing.assert_array_equal(found, more)
    with ThreadPoolExecutor(3) as threads:
        np.testing.assert_array_equal(Engine(5, executor=threads).replicates(scheme, rows, totals, r), more)


def test_totals_have_the_law_that_they_have_of_units() -> None:
    rows = _counts(1)
    drawn = [
        Engine(3).replicates(BootstrapScheme(len(rows), shared=shared), rows, totals, R)[:, [0, 2]]
        for shared in (True, False)
    ]
    assert not np.array_equal(drawn[0], drawn[1])
    edges = [np.quantile(drawn[0][:, column], np.arange(1, 8) / 8) for column in (0, 1)]
    cells = [np.searchsorted(edges[0], one[:, 0]) * 8 + np.searchsorted(edges[1], one[:, 1]) for one in drawn]
    table = np.array([np.bincount(each, minlength=64) for each in cells])
    assert chi2_contingency(table[:, table.min(axis=0) >= 10]).pvalue > LEVEL


def test_neither_the_order_of_units_nor_of_systems_matters() -> None:
    rows = _counts(2)
    scheme = BootstrapScheme(len(rows), shared=False)
    expected = Engine(1).replicates(scheme, rows, totals, 500)
    shuffled = rows[np.random.default_rng(1).permutation(len(rows))]
    np.testing.assert_array_equal(Engine(1).replicates(scheme, shuffled, totals, 500), expected)
    exchanged = Engine(1).replicates(scheme, rows[:, [2, 3, 0, 1]], totals, 500)
    np.testing.assert_array_equal(exchanged[:, [2, 3, 0, 1]], expected)
    negative = np.where(shuffled == 0, -0.0, shuffled)
    np.testing.assert_array_equal(Engine(1).replicates(scheme, negative, totals, 500), expected)


def test_groups_are_units_with_the_same_rows() -> None:
    rows = _counts(3)
    groups = grouped(rows)
    assert groups is not None
    scheme, units = groups
    assert scheme.n_units == len(rows)
    assert (np.diff(scheme.sizes) >= 0).all()
    of_rows: dict[bytes, int] = {}
    for unit, size in zip(units, scheme.sizes, strict=True):
        of_rows[rows[unit].tobytes()] = of_rows.get(rows[unit].tobytes(), 0) + int(size)
    true: dict[bytes, int] = {}
    for row in rows:
        true[row.tobytes()] = true.get(row.tobytes(), 0) + 1
    assert of_rows == true


@pytest.mark.parametrize(
    "rows",
    [
        np.random.default_rng(0).normal(size=(500, 1)),
        np.column_stack([np.arange(500) // 25, np.arange(500) % 25]).astype(float),
        np.zeros((100, 1)),
    ],
    ids=["all differ", "differ together", "few units"],
)
def test_units_are_drawn_themselves_where_groups_do_not_pay(rows: FloatArray) -> None:
    assert grouped(rows) is None
    one, other = (
        Engine(1).replicates(BootstrapScheme(len(rows), shared=shared), rows, totals, 300) for shared in (True, False)
    )
    np.testing.assert_array_equal(one, other)


def test_products_that_share_their_draws_have_the_same_ones() -> None:
    rows = _counts(4)
    scheme = BootstrapScheme(len(rows))
    whole = Engine(1).replicates(scheme, rows, totals, 500)
    for columns in ([0], [1, 2]):
        np.testing.assert_array_equal(Engine(1).replicates(scheme, rows[:, columns], totals, 500), whole[:, columns])
    weights = Engine(1).recomputed(scheme, np.asarray, 500)
    np.testing.assert_array_equal(weights @ rows, whole)


def test_strata_and_weights_of_units_know_no_groups() -> None:
    rows, strata = _counts(5), np.arange(600) % 3
    for one, other in ((BootstrapScheme(600, strata), BootstrapScheme(600, strata, shared=False)),):
        np.testing.assert_array_equal(
            Engine(1).replicates(one, rows, totals, 300), Engine(1).replicates(other, rows, totals, 300)
        )
    np.testing.assert_array_equal(
        Engine(1).recomputed(BootstrapScheme(600), np.asarray, 300),
        Engine(1).recomputed(BootstrapScheme(600, shared=False), np.asarray, 300),
    )
