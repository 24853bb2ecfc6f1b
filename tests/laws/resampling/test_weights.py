"""Weights have the law that they claim.

Statistical tests have fixed seeds and a level of 10⁻⁴ each; there are some 150 of them: were the seeds drawn anew,
about one run in 70 would raise a false alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import comb, factorial, prod

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare, norm

from outscore._types import AnyArray
from outscore.laws.resampling import SwapScheme, schemes
from tests.laws.kit import BootstrapScheme, multinomial_weights, plain_multinomial_weights

LEVEL = 1e-4
R = 20_000

Draw = Callable[..., AnyArray]


def _stream(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def _often_redrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Poisson totals only a third of a standard deviation below n: every third resample is drawn again."""
    monkeypatch.setattr(schemes, "_MARGIN", 0.3)


@pytest.fixture(params=["table", "plain", "often redrawn"])
def draw(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Draw:
    if request.param == "plain":
        return plain_multinomial_weights
    if request.param == "often redrawn":
        _often_redrawn(monkeypatch)
    return multinomial_weights


@pytest.mark.parametrize("n", [2, 3, 17, 63, 64, 65, 100, 501, 2000])
def test_every_resample_draws_n(draw: Draw, n: int) -> None:
    weights = draw(_stream(n), 300, n)
    assert weights.shape == (300, n)
    assert weights.dtype == np.uint8
    assert (weights.sum(axis=1, dtype=np.int64) == n).all()


def _cells(n: int, most: int) -> tuple[AnyArray, AnyArray]:
    """The law of the pair of two weights, each capped at `most`: trinomial."""
    law = np.zeros((n + 1, n + 1))
    for a in range(n + 1):
        for b in range(n + 1 - a):
            rest = n - a - b
            if a + b < 40:
                law[a, b] = comb(n, a) * comb(n - a, b) * (n - 2) ** rest / n**n
    capped = law[: most + 1, : most + 1].copy()
    capped[most, :] = law[most:, : most + 1].sum(axis=0)
    capped[:, most] = law[: most + 1, most:].sum(axis=1)
    capped[most, most] = law[most:, most:].sum()
    return capped, law.sum(axis=1)


@pytest.mark.parametrize("pair", [(0, 1), (1, 2), (0, 99), (63, 64), (31, 77)])
def test_pairs_of_weights_are_trinomial(draw: Draw, pair: tuple[int, int]) -> None:
    """Two items that share a word of the table, that do not, and that lie far apart: law and covariance at once."""
    n = 100
    weights = np.minimum(draw(_stream(sum(pair)), R, n), 3)
    seen = np.zeros((4, 4))
    np.add.at(seen, (weights[:, pair[0]], weights[:, pair[1]]), 1)
    expected, _ = _cells(n, 3)
    assert expected.sum() == pytest.approx(1)
    assert expected.min() * R > 40
    assert chisquare(seen.ravel(), expected.ravel() * R).pvalue > LEVEL


def test_single_weights_are_binomial(draw: Draw) -> None:
    n = 100
    weights = draw(_stream(8), R, n)
    _, expected = _cells(n, 3)
    expected = np.append(expected[:5], expected[5:].sum()) * R
    for item in (0, 1, 50, 99):
        seen = np.bincount(np.minimum(weights[:, item], 5), minlength=6)
        assert chisquare(seen, expected).pvalue > LEVEL


def test_all_items_are_drawn_equally_often(draw: Draw) -> None:
    for n in (65, 200):
        totals = draw(_stream(9), R, n).sum(axis=0, dtype=np.int64)
        assert chisquare(totals).pvalue > LEVEL


def test_whole_resamples_agree_with_the_reference(draw: Draw) -> None:
    """How many items are left out, and the sum of squares: they see dependence of any order."""
    n = 150
    tested, reference = draw(_stream(10), R, n), plain_multinomial_weights(_stream(11), R, n)
    left_out = [np.bincount((weights == 0).sum(axis=1), minlength=n) for weights in (tested, reference)]
    table = np.array(left_out)[:, np.array(left_out).min(axis=0) >= 10]
    assert chi2_contingency(table).pvalue > LEVEL
    squares = (tested.astype(np.int64) ** 2).sum(axis=1)
    z = (squares.mean() - (2 * n - 1)) / (squares.std() / R**0.5)
    assert 2 * norm.sf(abs(z)) > LEVEL


@pytest.mark.parametrize("n", [3, 4, 5])
def test_all_weights_of_few_units_are_multinomial(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every outcome of n draws, by the way that is meant for many units."""
    monkeypatch.setattr(schemes, "_FEWEST_FOR_TABLE", 2)
    _often_redrawn(monkeypatch)
    for draws in (n, n - 1):
        weights = multinomial_weights(_stream(10 * n + draws), 5 * R, n, draws).astype(np.int64)
        assert (weights.sum(axis=1) == draws).all()
        outcomes = {w: factorial(draws) / prod(map(factorial, w)) / n**draws for w in _outcomes(n, draws)}
        seen = dict(zip(*_distinct(weights), strict=True))
        assert chisquare([seen.get(w, 0) for w in outcomes], 5 * R * np.array(list(outcomes.values()))).pvalue > LEVEL


def _outcomes(n: int, draws: int) -> Iterator[tuple[int, ...]]:
    return (w for w in product(range(draws + 1), repeat=n) if sum(w) == draws)


def _distinct(weights: AnyArray) -> tuple[list[tuple[int, ...]], list[int]]:
    values, counts = np.unique(weights, axis=0, return_counts=True)
    return [tuple(row) for row in values.tolist()], counts.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("n", [64, 65, 200, 2000])
@pytest.mark.parametrize("stratum", [False, True])
def test_means_variances_and_covariances_of_weights(draw: Draw, n: int, stratum: bool) -> None:
    """Of all single weights and of neighbours, which come by one word, at distances of 1 to 5 and of half of all.

    Of 2,000 units a quarter of the resamples are enough: these are two and a half times as many weights as of 200, so
    that the averages, in which what is wrong everywhere is seen, have two thirds of their standard error.
    """
    draws, r = n - stratum, R if n < 2000 else R // 4
    weights = draw(_stream(n + stratum), r, n, draws).astype(np.float64) - draws / n
    variance = draws / n * (1 - 1 / n)
    for distance, true in ((0, variance), *((d, -draws / n**2) for d in (1, 2, 3, 4, 5, n // 2))):
        products = weights[:, : n - distance] * weights[:, distance:]
        z = (products.mean(axis=0) - true) / (products.std(axis=0) / r**0.5)
        # Of a few thousand places: 6 standard errors of the skewed squares, and the average of all.
        assert np.abs(z).max() < 6
        # Neighbours' products are nearly uncorrelated, and all squares move together: by resamples.
        averages = products.mean(axis=1)
        assert abs(averages.mean() - true) < 4 * averages.std() / r**0.5
    z = weights.mean(axis=0) / (variance / r) ** 0.5
    assert np.abs(z).max() < 5.5


def test_resamples_beyond_n_are_left_out_and_others_take_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    original = schemes.poisson_counts

    def counted(stream: np.random.Generator, rate: float, n: int, rows: int) -> AnyArray:
        calls.append(rows)
        return original(stream, rate, n, rows)

    monkeypatch.setattr(schemes, "poisson_counts", counted)
    _often_redrawn(monkeypatch)
    multinomial_weights(_stream(1), 1000, 100)
    assert calls[0] == 1112
    assert len(calls) > 2
    assert 150 < calls[1] < 400
    assert calls == sorted(calls, reverse=True)


STRATA = np.random.default_rng(0).permutation(np.array([0] * 70 + [1] * 3 + [2] * 200 + [3] * 2))


def test_strata_keep_their_size() -> None:
    scheme = BootstrapScheme(len(STRATA), STRATA)
    weights = scheme.weights(_stream(3), 500)
    assert scheme.scales is not None
    multiples, divisor = scheme.scales
    strata = STRATA
    for code, size in enumerate((70, 3, 200, 2)):
        members = weights[:, strata == code]
        assert (members.sum(axis=1, dtype=np.int64) == size - 1).all()
        assert members @ multiples[strata == code] / divisor == pytest.approx(np.full(500, size))
    assert chisquare(weights[:, strata == 2].sum(axis=0, dtype=np.int64)).pvalue > LEVEL


def test_few_strata_have_multiples_in_whole_numbers_and_many_fractions() -> None:
    few = BootstrapScheme(len(STRATA), STRATA).scales
    many = BootstrapScheme(1000, np.repeat(np.arange(6), [11, 24, 48, 102, 318, 497])).scales
    assert few is not None
    assert many is not None
    assert few[1] == 69 * 2 * 199
    assert (few[0] == np.rint(few[0])).all()
    assert many[1] == 1
    assert sorted(set(many[0].tolist())) == pytest.approx([n / (n - 1) for n in (497, 318, 102, 48, 24, 11)])


@pytest.mark.parametrize("n", [2, 3, 5, 70])
def test_whole_units_of_a_stratum_have_the_spread_of_weighted_draws(n: int) -> None:
    """Weights have mean 1 and variance 1, as n/(n − 1) × Binomial(n − 1, 1/n) has; 4.5 standard errors of 40,000."""
    strata = np.repeat([0, 1], n)
    weights = BootstrapScheme(2 * n, strata, whole=True).weights(_stream(n + 1), 40_000).astype(float)
    for code in (0, 1):
        assert (weights[:, strata == code].sum(axis=1) == n).all()
    for moment, true in ((weights, 1.0), ((weights - 1) ** 2, 1.0)):
        error = moment.std(axis=0) / 200
        assert (np.abs(moment.mean(axis=0) - true) <= 4.5 * error).all()


@pytest.mark.parametrize("n", [1, 7, 63, 64, 65, 200])
def test_swaps_are_fair_and_independent(n: int) -> None:
    bits = SwapScheme(n).weights(_stream(n), R)
    assert bits.shape == (R, n)
    assert set(np.unique(bits)) == {0, 1}
    z = (bits.sum(axis=0, dtype=np.int64) - R / 2) / (R / 4) ** 0.5
    assert 2 * norm.sf(np.abs(z)).min() * n > LEVEL
    for one, other in {(0, n - 1), (0, 1 % n), (n // 2, n - 1)}:
        if one != other:
            seen = np.bincount(2 * bits[:, one] + bits[:, other], minlength=4)
            assert chisquare(seen).pvalue > LEVEL
    # One resample against the next.
    assert chisquare(np.bincount(2 * bits[:-1:2, 0] + bits[1::2, 0], minlength=4)).pvalue > LEVEL
