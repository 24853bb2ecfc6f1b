"""Words and left-overs together have the law that they claim, to the last of 53 bits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import factorial

import numpy as np
import pytest
from scipy.stats import chisquare

from outscore._types import AnyArray
from tests.laws.kit import Fractions, WordLaws, poisson_fours, poisson_rate, poisson_singles

WHOLE = 2 ** (16 + 16 + 53)  # a chance of 1, in whole numbers that hold all chances of two tables and a fraction


def chances_of(laws: WordLaws | Fractions, law: int, share: int = WHOLE) -> dict[int, int]:
    """Return the chance of each value that a law draws, in whole numbers that add up to `share`."""
    chances: dict[int, int] = {}

    def add(values: AnyArray, shares: AnyArray) -> None:
        for value, one in zip(values.tolist(), shares.tolist(), strict=True):
            chances[value] = chances.get(value, 0) + one

    if isinstance(laws, Fractions):
        inside = np.flatnonzero((laws.ends > np.uint64(law << 53)) & (laws.ends <= np.uint64((law + 1) << 53)))
        ends = np.array([0, *(int(end) - (law << 53) for end in laws.ends[inside])], dtype=object)
        add(laws.values[inside], np.diff(ends) * (share >> 53))
        return chances
    word, resolved = share >> laws.bits, int(laws.resolved[law])
    values, counts = np.unique(laws.values[law << laws.bits :][:resolved], return_counts=True)
    add(values, counts.astype(object) * word)
    rest = chances_of(laws.rest, law, word)
    left_over = (1 << laws.bits) - resolved
    add(np.array(list(rest)), np.array(list(rest.values()), dtype=object) * left_over)
    return chances


def exact_poisson(mean: float) -> list[Decimal]:
    """Return the chances of 0 … 254 to 60 digits."""
    with localcontext(prec=60):
        return [(-Decimal(mean)).exp() * Decimal(mean) ** k / factorial(k) for k in range(255)]


@pytest.mark.parametrize("rate", [0.1875, 0.84375, 0.96875, 0.998])
def test_fours_are_independent_poisson_counts(rate: float) -> None:
    chances = chances_of(poisson_fours(rate), 0)
    assert sum(chances.values()) == WHOLE
    single = exact_poisson(rate)
    furthest, missing = Decimal(0), Decimal(1)
    with localcontext(prec=60):
        for value, chance in chances.items():
            true = Decimal(1)
            for count in value.to_bytes(4, "big"):
                true *= single[count]
            furthest = max(furthest, abs(Decimal(chance) / WHOLE - true))
            missing -= true
        # What doubles lose of the likeliest four.
        assert furthest < Decimal(2) ** -53
        assert missing < Decimal("1e-20")


@pytest.mark.parametrize("rate", [0.84375, 0.96875])
def test_counts_of_groups_are_poisson(rate: float) -> None:
    sizes = np.array([1, 2, 3, 7, 40, 64])
    laws = poisson_singles(rate, sizes)
    for law, size in enumerate(sizes.tolist()):
        chances, true = chances_of(laws, law), exact_poisson(rate * size)
        assert sum(chances.values()) == WHOLE
        assert max(abs(Decimal(chances.get(k, 0)) / WHOLE - true[k]) for k in range(255)) < Decimal(2) ** -53
        assert set(chances) >= {k for k in range(255) if true[k] > Decimal("1e-15")}


def test_counts_rarer_than_can_be_told_are_all_that_is_left_out() -> None:
    for rate in (0.84375, 0.96875):
        listed = set(poisson_fours(rate).rest.rest.values.tolist())  # type: ignore[union-attr]
        single = [float(chance) for chance in exact_poisson(rate)]
        for four in np.ndindex(9, 9, 9, 9):
            assert int.from_bytes(bytes(four), "big") in listed
        for count in range(1, 255):
            if single[count] * single[0] ** 3 > 1e-39:
                assert count in listed


@pytest.mark.parametrize("bits", [0, 1, 2])
def test_left_overs_are_drawn_as_they_should_be(bits: int) -> None:
    """Nearly everything is left over where tables are small; the false-alarm rate is 10⁻⁴."""
    law = np.arange(4, dtype=np.uint8), np.array([0.45, 0.3, 0.2, 0.05])
    stream = np.random.Generator(np.random.SFC64(bits))
    for laws in (WordLaws.of([law], bits), WordLaws.of([law], 3, bits)):
        drawn = laws.draw(stream, 40_000)
        assert chisquare(np.bincount(drawn, minlength=4), 40_000 * law[1]).pvalue > 1e-4


def test_laws_in_turn_are_each_their_own() -> None:
    sizes = np.array([2, 5, 30])
    laws, places = poisson_singles(0.875, sizes), np.array([2, 0, 0, 1, 2], dtype=np.uint16)
    drawn = laws.draw(np.random.Generator(np.random.SFC64(1)), 5 * 20_000, places).reshape(-1, 5)
    for column, law in enumerate(places.tolist()):
        true = np.array([float(chance) for chance in exact_poisson(0.875 * int(sizes[law]))])
        likely = np.flatnonzero(true * 20_000 > 20)
        seen = np.bincount(np.clip(drawn[:, column], likely[0], likely[-1]), minlength=255)[likely]
        expected = true[likely] * 20_000
        expected[0], expected[-1] = true[: likely[0] + 1].sum() * 20_000, true[likely[-1] :].sum() * 20_000
        assert chisquare(seen, expected * seen.sum() / expected.sum()).pvalue > 1e-4


def test_many_sizes_share_few_rates_which_are_below_the_wanted_one() -> None:
    rates = set()
    for n in [*range(64, 3000), 10**4, 10**5, 10**6]:
        for draws in (n, n - 1):
            rate = poisson_rate(n, draws)
            margin = (draws - rate * n) / draws**0.5
            assert 1.3 - 1e-9 <= margin <= 1.3 * 1.25 + 0.1
            rates.add(rate)
    assert len(rates) <= 32
