"""The randomization law of a ratio of two counts: F1, precision and their like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest

from outscore._types import IntArray
from tests import oracles
from tests.laws.exact.claims import INFINITY, check, tails
from tests.laws.kit import Law, TwoCounts, enumerated_swap_law, swap_law, two_count_swap_law

Counts = tuple[IntArray, IntArray]


def _f1_counts(n: int, seed: int, *, recalls: tuple[float, float], spurious: float = 0.5, size: float = 2) -> Counts:
    """Rows (2 tp, predicted + gold) of two systems on n sentences with about `size` gold spans each."""
    rng = np.random.default_rng(seed)
    gold = rng.poisson(size, n)
    systems = []
    for part in recalls:
        tp = rng.binomial(gold, part)
        systems.append(np.column_stack([2 * tp, tp + rng.poisson(spurious, n) + gold]))
    return systems[0], systems[1]


def _precision_counts(n: int, seed: int) -> Counts:
    one, other = _f1_counts(n, seed, recalls=(0.4, 0.6), spurious=0.8)
    rng = np.random.default_rng(seed)
    gold = rng.poisson(2, n)
    return tuple(np.column_stack([part[:, 0] // 2, part[:, 1] - gold]) for part in (one, other))  # type: ignore[return-value]


def _gain(counts: Counts) -> Fraction:
    return _score(counts[1].sum(axis=0)) - _score(counts[0].sum(axis=0))


def _score(totals: Iterable[int]) -> Fraction:
    top, bottom = map(int, totals)
    return Fraction(top, bottom) if bottom else Fraction(0)


def _true_law(baseline: IntArray, candidate: IntArray) -> oracles.Law:
    """Every choice of rows, by a convolution in two dimensions in whole numbers."""
    changes = [(int(a), int(b)) for a, b in candidate - baseline if a or b]
    low, whole = baseline.sum(axis=0), (baseline + candidate).sum(axis=0)
    law: Counter[Fraction] = Counter()
    for (top, bottom), ways in oracles.convolved_pairs(changes).items():
        up = (int(low[0]) + top, int(low[1]) + bottom)
        law[_score(up) - _score((int(whole[0]) - up[0], int(whole[1]) - up[1]))] += ways
    return {gain: Fraction(ways, 2 ** len(changes)) for gain, ways in law.items()}


def _law(counts: Counts) -> Law:
    law = two_count_swap_law(TwoCounts(*counts))
    assert law is not None
    return law


CASES: dict[str, Counts] = {
    "two sentences": (np.array([[0, 3], [2, 4]]), np.array([[2, 3], [2, 5]])),
    "one differs": (np.array([[0, 3], [2, 4], [2, 2]]), np.array([[2, 3], [2, 4], [2, 2]])),
    "nothing found by one": (np.array([[0, 2], [0, 1]]), np.array([[2, 3], [1, 1]])),
    "twelve": _f1_counts(12, 1, recalls=(0.6, 0.7)),
    "thirty": _f1_counts(30, 2, recalls=(0.5, 0.8)),
    "sixty": _f1_counts(60, 3, recalls=(0.6, 0.75)),
    "sixty, precision": _precision_counts(60, 4),
    "hundred, a large gain": _f1_counts(100, 5, recalls=(0.2, 0.9), spurious=0.2),
    "hundred, the candidate is worse": _f1_counts(100, 6, recalls=(0.8, 0.5)),
    "hundred, no gain": (one := _f1_counts(100, 7, recalls=(0.6, 0.6)))
    and (one[0], one[0][np.random.default_rng(7).permutation(100)]),
    "even steps": tuple(2 * part for part in _f1_counts(40, 8, recalls=(0.5, 0.6))),  # type: ignore[dict-item]
    "long documents": tuple(
        part * np.random.default_rng(9).integers(1, 9, (30, 1)) for part in _f1_counts(30, 9, recalls=(0.5, 0.6))
    ),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("name", CASES)
def test_the_law_is_the_convolution(name: str) -> None:
    counts = CASES[name]
    law, true, gain = _law(counts), _true_law(*counts), _gain(counts)
    for threshold in (gain, -gain, abs(gain)):
        for event, claimed in tails(law, float(threshold)).items():
            expected = oracles.event_probability(
                true,
                {
                    ">=": lambda value, at=threshold: value >= at,
                    ">": lambda value, at=threshold: value > at,
                    "<=": lambda value, at=threshold: value <= at,
                    "<": lambda value, at=threshold: value < at,
                }[event],
            )
            check(claimed, expected, absolute=0)
    both = oracles.event_probability(true, lambda value: abs(value) >= abs(gain))
    check(law.outside(-abs(float(gain)), abs(float(gain))), both, absolute=0)


@pytest.mark.parametrize(("sentences", "recalls"), [(150, (0.3, 0.95)), (250, (0.35, 0.8)), (300, (0.5, 0.75))])
def test_small_tails_are_right_relative_to_themselves(sentences: int, recalls: tuple[float, float]) -> None:
    counts = _f1_counts(sentences, 11, recalls=recalls, spurious=0.3, size=1)
    expected = oracles.event_probability(_true_law(*counts), lambda value: value >= _gain(counts))
    assert expected < 1e-7
    claimed = _law(counts).outside(-INFINITY, float(_gain(counts)))
    check(claimed, expected, relative=1e-8, absolute=0)
    assert claimed.error < 1e-6 * claimed.value


def test_helped_everywhere_is_the_rarest_swap() -> None:
    """p = 2⁻⁶⁰: tilted naively, noise in cells that no swap can reach swamped it (values beyond 1 came out)."""
    rng = np.random.default_rng(0)
    gold = rng.poisson(3, 60) + 1
    tp = rng.binomial(gold, 0.3)
    spurious = rng.poisson(1, 60)
    baseline = np.column_stack([2 * tp, tp + spurious + gold])
    better = np.minimum(tp + 1, gold)
    candidate = np.column_stack([2 * better, better + np.maximum(spurious - 1, 0) + gold])
    differing = int((baseline != candidate).any(axis=1).sum())
    law = _law((baseline, candidate))
    gain = float(_gain((baseline, candidate)))
    assert differing > 40
    assert law.outside(-INFINITY, gain).value == pytest.approx(0.5**differing, rel=1e-9, abs=0)
    assert law.outside(-INFINITY, gain, strict=True).value == 0
    assert law.outside(-gain, gain).value == pytest.approx(2 * 0.5**differing, rel=1e-9, abs=0)


def test_what_no_swap_can_reach_does_not_count() -> None:
    """The candidate predicts half as much and finds five times more: 45 sentences, all swapped one way only."""
    changes = {(1, 1): 12, (0, -1): 15, (0, -2): 8, (1, 0): 3, (1, -1): 2, (2, 2): 2, (0, -3): 1, (2, 1): 1, (3, 3): 1}
    change = np.array([pair for pair, times in changes.items() for _ in range(times)])
    extra = np.array([[7, 52]]) - np.maximum(-change, 0).sum(axis=0)
    baseline = np.concatenate([np.maximum(-change, 0), extra])
    candidate = np.concatenate([np.maximum(change, 0), extra])
    counts = (baseline, candidate)
    true, gain = _true_law(*counts), _gain(counts)
    for strict in (False, True):
        expected = oracles.event_probability(true, lambda value: value > gain if strict else value >= gain)  # noqa: B023
        check(_law(counts).outside(-INFINITY, float(gain), strict=strict), expected, relative=1e-6, absolute=2e-15)


def test_equal_denominators_give_the_linear_law() -> None:
    rng = np.random.default_rng(12)
    gold = rng.poisson(2, 400) + 1
    baseline, candidate = (np.column_stack([rng.binomial(gold, part), gold]) for part in (0.6, 0.9))
    linear = swap_law((candidate - baseline)[:, 0].astype(float), gold.astype(float))
    assert linear is not None
    gain = float(_gain((baseline, candidate)))
    for share in (0.02, 0.2, 0.5, 1.0):
        expected = linear.outside(-INFINITY, share * gain).value
        found = _law((baseline, candidate)).outside(-INFINITY, share * gain)
        assert found.value == pytest.approx(expected, rel=1e-8, abs=0)


def test_lower_is_better_turns_the_law() -> None:
    counts = CASES["sixty"]
    gain = float(_gain(counts))
    turned = two_count_swap_law(TwoCounts(*counts, sign=-1))
    assert turned is not None
    assert turned.outside(-gain, INFINITY).value == pytest.approx(_law(counts).outside(-INFINITY, gain).value)


def test_large_sets_agree_with_enumeration_of_few_and_with_sampling_of_many() -> None:
    """2,000 sentences against 20,000 swaps drawn by NumPy; 5 standard errors: one false alarm in a million."""
    counts = _f1_counts(2000, 13, recalls=(0.70, 0.712))
    law = _law(counts)
    gain = float(_gain(counts))
    p = law.outside(-INFINITY, gain).value
    assert 0.01 < p < 0.4
    rng = np.random.default_rng(14)
    change = (counts[1] - counts[0]).astype(float)
    taken = rng.integers(0, 2, (20_000, 2000)).astype(np.float32) @ change.astype(np.float32)
    up, down = counts[0].sum(axis=0) + taken, counts[1].sum(axis=0) - taken
    gains = up[:, 0] / up[:, 1] - down[:, 0] / down[:, 1]
    assert abs(np.mean(gains >= gain - 1e-12) - p) < 5 * np.sqrt(p * (1 - p) / 20_000)

    few = (counts[0][:14], counts[1][:14])
    low, high = (part.sum(axis=0) for part in few)
    listed = enumerated_swap_law(
        (few[1] - few[0]).astype(float),
        lambda s: (high - s)[:, 0] / (high - s)[:, 1] - (low + s)[:, 0] / (low + s)[:, 1],
        tolerance=1e-12,
    )
    assert listed is not None
    gain = float(_gain(few))
    for low_limit, high_limit in ((-INFINITY, gain), (-abs(gain), abs(gain)), (gain, INFINITY)):
        expected = listed.outside(low_limit, high_limit).value
        assert _law(few).outside(low_limit, high_limit).value == pytest.approx(expected, rel=1e-12)


def test_equal_systems_and_grids_that_are_too_large_have_no_such_law() -> None:
    rows = np.array([[2, 3], [4, 5]])
    assert two_count_swap_law(TwoCounts(rows, rows)) is None
    rng = np.random.default_rng(15)
    large = rng.integers(0, 10**5, (500, 2))
    assert two_count_swap_law(TwoCounts(large, large[::-1])) is None


def test_a_probability_and_its_error_are_plain_numbers() -> None:
    found = _law(_f1_counts(200, 3, recalls=(0.5, 0.6))).outside(-INFINITY, 0.01)
    assert found.error > 0
    assert {type(found.value), type(found.error)} == {float}
