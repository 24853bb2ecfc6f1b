"""Slow and plain references for the laws: enumeration in fractions, convolution in whole numbers.

Nothing here shares code or formulas with the package: no transform, no tolerance, no floating point.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod

__all__ = [
    "Event",
    "Law",
    "Row",
    "bootstrap_law",
    "convolved_bootstrap",
    "convolved_pairs",
    "convolved_signs",
    "event_probability",
    "f1",
    "fractions",
    "precision",
    "quantile",
    "ratio",
    "swap_law",
]

Row = tuple[Fraction, ...]
Law = dict[Fraction, Fraction]
Score = Callable[[Row], Fraction]
Event = Callable[[Fraction], bool]


def fractions(values: Iterable[float | int | Fraction]) -> Row:
    """The decimals that the floats are written as, exactly: 0.1 is 1/10."""
    return tuple(value if isinstance(value, Fraction) else Fraction(repr(value)) for value in values)


def ratio(totals: Row) -> Fraction:
    return totals[0] / totals[1] if totals[1] else Fraction(0)


def precision(totals: Row) -> Fraction:
    return totals[0] / totals[1] if totals[1] else Fraction(0)


def f1(totals: Row) -> Fraction:
    whole = totals[1] + totals[2]
    return 2 * totals[0] / whole if whole else Fraction(0)


def _total(rows: Sequence[Row], weights: Sequence[int]) -> Row:
    return tuple(
        sum((w * row[j] for w, row in zip(weights, rows, strict=True)), Fraction(0)) for j in range(len(rows[0]))
    )


def _compositions(n: int, parts: int) -> Iterable[tuple[int, ...]]:
    if parts == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in _compositions(n - first, parts - 1):
            yield (first, *rest)


def bootstrap_law(
    baseline: Sequence[Row], candidate: Sequence[Row], score: Score, strata: Sequence[int] | None = None
) -> Law:
    """The law of the gain over all nⁿ draws, stratum by stratum, by their multinomial weights."""
    n = len(baseline)
    codes = [0] * n if strata is None else list(strata)
    members = [[i for i in range(n) if codes[i] == code] for code in sorted(set(codes))]
    law: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    for drawn in product(*(_compositions(len(part), len(part)) for part in members)):
        weights = [0] * n
        chance = Fraction(1)
        for part, counts in zip(members, drawn, strict=True):
            chance *= Fraction(factorial(len(part)), prod(map(factorial, counts)) * len(part) ** len(part))
            for i, count in zip(part, counts, strict=True):
                weights[i] = count
        law[score(_total(candidate, weights)) - score(_total(baseline, weights))] += chance
    return dict(law)


def swap_law(baseline: Sequence[Row], candidate: Sequence[Row], score: Score) -> Law:
    """The law of the gain over all 2ⁿ swaps of rows."""
    law: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    for swaps in product((False, True), repeat=len(baseline)):
        one = [b if swapped else a for a, b, swapped in zip(baseline, candidate, swaps, strict=True)]
        other = [a if swapped else b for a, b, swapped in zip(baseline, candidate, swaps, strict=True)]
        everything = [1] * len(baseline)
        law[score(_total(other, everything)) - score(_total(one, everything))] += Fraction(1, 2 ** len(baseline))
    return dict(law)


def event_probability(law: Law, event: Event) -> Fraction:
    return sum((chance for value, chance in law.items() if event(value)), Fraction(0))


def quantile(law: Law, level: Fraction) -> Fraction:
    """The smallest value with P(X <= value) >= level."""
    reached = Fraction(0)
    for value in sorted(law):
        reached += law[value]
        if reached >= level:
            return value
    raise AssertionError("a law adds up to 1")


def _unpacked(packed: int, bits: int, lowest: int, whole: int) -> Law:
    """Read the coefficients of a polynomial off its value at 2^bits."""
    size = bits // 8
    digits = packed.to_bytes((packed.bit_length() + 7) // 8 + size, "little")
    return {
        Fraction(lowest + k): Fraction(count, whole)
        for k in range(len(digits) // size)
        if (count := int.from_bytes(digits[k * size : (k + 1) * size], "little"))
    }


def _bytes_for(count: int) -> int:
    return 8 * (count.bit_length() // 8 + 1)


def convolved_bootstrap(values: Sequence[int], strata: Sequence[int] | None = None) -> Law:
    """The law of the sum of n draws of n whole numbers: (Σ x^v)ⁿ at a power of two so large that nothing carries."""
    codes = [0] * len(values) if strata is None else list(strata)
    groups = [[v for v, c in zip(values, codes, strict=True) if c == code] for code in sorted(set(codes))]
    whole = prod(len(group) ** len(group) for group in groups)
    bits = _bytes_for(whole)
    packed = prod(sum(1 << (bits * (v - min(group))) for v in group) ** len(group) for group in groups)
    return _unpacked(packed, bits, sum(len(group) * min(group) for group in groups), whole)


def convolved_signs(values: Sequence[int]) -> Law:
    """The law of Σ ±v over whole numbers: Π (1 + x^2v)."""
    bits = _bytes_for(2 ** len(values))
    packed = prod(1 + (1 << (bits * 2 * abs(v))) for v in values)
    return _unpacked(packed, bits, -sum(map(abs, values)), 2 ** len(values))


def convolved_pairs(pairs: Sequence[tuple[int, int]]) -> Counter[tuple[int, int]]:
    """How many of all 2ⁿ choices of pairs add up to each sum."""
    sums: Counter[tuple[int, int]] = Counter({(0, 0): 1})
    for (one, other), times in Counter(pairs).items():
        added: Counter[tuple[int, int]] = Counter()
        for (a, b), count in sums.items():
            for k in range(times + 1):
                added[a + k * one, b + k * other] += count * comb(times, k)
        sums = added
    return sums
