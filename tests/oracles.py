"""Slow and plain references: enumeration in fractions, convolution in whole numbers, moments on a lattice.

Nothing here shares code with the package, and all but `lattice_tail` share no formula with it either: no
transform, no tolerance, no rounding.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product
from math import comb, factorial, lcm, prod
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "Event",
    "Law",
    "Row",
    "Score",
    "bootstrap_law",
    "convolved_draws",
    "convolved_pairs",
    "convolved_signs",
    "drawn_sums",
    "event_probability",
    "f1",
    "fraction",
    "fractions",
    "lattice_tail",
    "long_convolved_draws",
    "precision",
    "quantile",
    "ratio",
    "recall",
    "sign_sums",
    "swap_law",
    "totals",
]

Row = tuple[Fraction, ...]
Law = dict[Fraction, Fraction]
Score = Callable[[Row], Fraction]
Event = Callable[[Fraction], bool]
FloatArray = npt.NDArray[np.float64]


def fraction(value: float | Fraction) -> Fraction:
    """What a float stands for: the simplest fraction (0.1 is 1/10, 0.333… is 1/3), or itself where there is none."""
    exact = Fraction(value)
    simple = exact.limit_denominator(1000)
    return simple if float(simple) == float(value) else Fraction(repr(value)) if isinstance(value, float) else exact


def fractions(values: Iterable[float | Fraction]) -> Row:
    return tuple(fraction(value) for value in values)


def _ratio(top: Fraction, bottom: Fraction) -> Fraction:
    return top / bottom if bottom else Fraction(0)


def ratio(row: Row) -> Fraction:
    return _ratio(row[0], row[1])


def precision(row: Row) -> Fraction:
    return _ratio(row[0], row[1])


def recall(row: Row) -> Fraction:
    return _ratio(row[0], row[2])


def f1(row: Row) -> Fraction:
    return _ratio(2 * row[0], row[1] + row[2])


def totals(rows: Sequence[Row], weights: Iterable[Fraction | int] | None = None) -> Row:
    weighted = zip([1] * len(rows) if weights is None else weights, rows, strict=True)
    return tuple(
        sum(column, Fraction(0)) for column in zip(*([w * x for x in row] for w, row in weighted), strict=True)
    )


def _compositions(n: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways of writing n as a sum of `parts` whole numbers."""
    for bars in combinations(range(n + parts - 1), parts - 1):
        edges = (-1, *bars, n + parts - 1)
        yield tuple(b - a - 1 for a, b in pairwise(edges))


def bootstrap_law(
    baseline: Sequence[Row], candidate: Sequence[Row], score: Score, strata: Sequence[int] | None = None
) -> Law:
    """The law of the gain over all nⁿ draws by their multinomial weights; n_h − 1 draws × n_h/(n_h − 1) in strata."""
    n = len(baseline)
    codes = [0] * n if strata is None else list(strata)
    members = [[i for i in range(n) if codes[i] == code] for code in sorted(set(codes))]
    fewer = 0 if strata is None else 1
    law: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    for drawn in product(*(_compositions(len(part) - fewer, len(part)) for part in members)):
        weights = [Fraction(0)] * n
        chance = Fraction(1)
        for part, counts in zip(members, drawn, strict=True):
            size, draws = len(part), len(part) - fewer
            chance *= Fraction(factorial(draws), prod(map(factorial, counts)) * size**draws)
            for i, count in zip(part, counts, strict=True):
                weights[i] = count * Fraction(size, draws)
        law[score(totals(candidate, weights)) - score(totals(baseline, weights))] += chance
    return dict(law)


def swap_law(baseline: Sequence[Row], candidate: Sequence[Row], score: Score) -> Law:
    """The law of the gain over all 2ⁿ swaps of rows."""
    law: Counter[Fraction] = Counter()
    for choices in product(*zip(baseline, candidate, strict=True)):
        kept = totals(choices)
        other = tuple(a + b - k for a, b, k in zip(totals(baseline), totals(candidate), kept, strict=True))
        law[score(kept) - score(other)] += 1
    return {gain: Fraction(count, 2 ** len(baseline)) for gain, count in law.items()}


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


def drawn_sums(values: Sequence[Fraction]) -> Law:
    """The law of the sum of n draws of n values, of which few are distinct."""
    kinds = Counter(values)
    n = len(values)
    law: defaultdict[Fraction, int] = defaultdict(int)
    for counts in _compositions(n, len(kinds)):
        ways = factorial(n) // prod(map(factorial, counts))
        ways *= prod(times**count for times, count in zip(kinds.values(), counts, strict=True))
        law[sum((count * kind for count, kind in zip(counts, kinds, strict=True)), Fraction(0))] += ways
    return {value: Fraction(ways, n**n) for value, ways in law.items()}


def sign_sums(values: Sequence[Fraction]) -> Law:
    """The law of Σ ±v."""
    law: Counter[Fraction] = Counter({Fraction(0): 1})
    for value in values:
        added: Counter[Fraction] = Counter()
        for reached, ways in law.items():
            added[reached + value] += ways
            added[reached - value] += ways
        law = added
    return {value: Fraction(ways, 2 ** len(values)) for value, ways in law.items()}


def _unpacked(packed: int, size: int, lowest: int, stride: int, whole: int) -> Law:
    """Read the coefficients of a polynomial off its value at 2^(8·size)."""
    digits = packed.to_bytes(packed.bit_length() // 8 + size + 1, "little")
    return {
        Fraction(lowest + stride * k): Fraction(count, whole)
        for k in range(len(digits) // size)
        if (count := int.from_bytes(digits[k * size : (k + 1) * size], "little"))
    }


def convolved_draws(values: Sequence[int], strata: Sequence[int] | None = None) -> Law:
    """The law of the sum of n draws of n whole numbers: (Σ x^v)ⁿ, at an x so large that nothing carries over.

    In strata it is that of n_h − 1 draws × n_h/(n_h − 1): in whole numbers, times the common multiple of all n_h − 1.
    """
    return _convolved_draws(tuple(values), None if strata is None else tuple(strata))


@cache
def _convolved_draws(values: tuple[int, ...], strata: tuple[int, ...] | None) -> Law:
    """Return the law of values that are asked for again and again, at other scales."""
    if strata is None:
        groups, draws, divisor = [list(values)], [len(values)], 1
    else:
        members = [[v for v, c in zip(values, strata, strict=True) if c == code] for code in sorted(set(strata))]
        draws = [len(group) - 1 for group in members]
        divisor = lcm(*draws)
        groups = [[v * len(group) * divisor // (len(group) - 1) for v in group] for group in members]
    whole = prod(len(group) ** n for n, group in zip(draws, groups, strict=True))
    size = whole.bit_length() // 8 + 1
    packed = prod(
        sum(1 << (8 * size * (v - min(group))) for v in group) ** n for n, group in zip(draws, groups, strict=True)
    )
    lowest = sum(n * min(group) for n, group in zip(draws, groups, strict=True))
    return {value / divisor: chance for value, chance in _unpacked(packed, size, lowest, 1, whole).items()}


def convolved_signs(values: Sequence[int]) -> Law:
    """The law of Σ ±v over whole numbers: Π (1 + x^v), at an x so large that nothing carries over."""
    whole = 2 ** len(values)
    size = whole.bit_length() // 8 + 1
    packed = prod(1 + (1 << (8 * size * abs(v))) for v in values)
    return _unpacked(packed, size, -sum(map(abs, values)), 2, whole)


def convolved_pairs(pairs: Iterable[tuple[int, int]]) -> Counter[tuple[int, int]]:
    """How many of all choices of the pairs add up to each sum: a convolution in two dimensions, in whole numbers."""
    sums: Counter[tuple[int, int]] = Counter({(0, 0): 1})
    for (one, other), times in Counter(pairs).items():
        added: Counter[tuple[int, int]] = Counter()
        for (a, b), ways in sums.items():
            for k in range(times + 1):
                added[a + k * one, b + k * other] += ways * comb(times, k)
        sums = added
    return sums


def long_convolved_draws(values: Sequence[int], draws: int | None = None) -> tuple[int, npt.NDArray[np.longdouble]]:
    """The lowest value and the probabilities of the sum of n (or so many) draws, by convolution in extended precision.

    All terms are positive, so that nothing cancels: about sixteen digits, down to the smallest probability.
    """
    lowest, n = min(values), len(values) if draws is None else draws
    power = np.bincount(np.asarray(values) - lowest).astype(np.longdouble) / len(values)
    law: npt.NDArray[np.longdouble] = np.ones(1, dtype=np.longdouble)
    left = n
    while left:
        if left % 2:
            law = np.convolve(law, power)
        left //= 2
        if left:
            power = np.convolve(power, power)
    return lowest * n, law


def lattice_tail(values: FloatArray, x: float, *, signs: bool = False, points: int = 2**17) -> float:
    """P(S ≥ x) of a smooth law, S the sum of n draws or Σ ±v, on a cyclic lattice of `points` points.

    Every value is spread over six neighbouring lattice points by Lagrange's weights, which keep its first five
    moments; the law of the sum is one power (or product) of a transform. The lattice lies so that x falls in the
    middle between two points; what the midpoint rule leaves over the tail is h²/24 times the density's slope.
    A tail far out is that of the law with probabilities in proportion to exp(tilt · S), weighted back, whose
    mean is x.
    """
    tilt = _tilt(values, x, signs=signs)
    n = len(values)
    terms = np.stack([values, -values]) if signs else values[None, :]
    chances, mean, log_mass = _tilted(values, tilt, signs=signs)
    if signs:
        variance = (4 * chances[0] * chances[1] * values**2).sum()
    else:
        variance = n * np.cov(values, aweights=chances[0], ddof=0)
    reach = 12 * float(np.sqrt(variance))
    step = 2 * reach / points
    origin = (x + step / 2) / n  # of each term: the sum's point 0 is x + step/2
    places, weights = _spread((terms - origin) / step, points)
    weights = weights * chances[..., None]
    if signs:
        transform: npt.NDArray[Any] = np.ones(points // 2 + 1, dtype=np.complex128)
        for i in range(n):
            transform *= np.fft.rfft(np.bincount(places[:, i].ravel(), weights[:, i].ravel(), points))
    else:
        transform = np.fft.rfft(np.bincount(places.ravel(), weights.ravel(), points)) ** n
    law = np.fft.irfft(transform, points)
    above = np.arange(-1, int((mean + reach - x) / step))  # what lies more than 12 standard deviations out wraps around
    heights = law[above] * np.exp(log_mass - tilt * (x + step * (above + 0.5)))
    return float(heights[1:].sum() - (heights[1] - heights[0]) / 24)


def _tilted(values: FloatArray, tilt: float, *, signs: bool) -> tuple[FloatArray, float, float]:
    """The tilted probabilities of the terms, the mean of their sum, and the logarithm of E exp(tilt · S)."""
    terms = np.stack([values, -values]) if signs else values[None, :]
    masses = np.exp(tilt * terms)
    if signs:
        chances, log_mass = masses / masses.sum(axis=0), float(np.log(masses.mean(axis=0)).sum())
        return chances, float((chances * terms).sum()), log_mass
    chances = masses / masses.sum()
    return chances, len(values) * float((chances * terms).sum()), len(values) * float(np.log(masses.mean()))


def _tilt(values: FloatArray, x: float, *, signs: bool) -> float:
    """The tilt at which the sum's mean is x; none within four standard deviations of the mean."""
    sd = float(np.sqrt((values**2).sum())) if signs else float(values.std()) * len(values) ** 0.5
    if abs(x - (0.0 if signs else float(values.sum()))) < 4 * sd:
        return 0.0
    low, high = 0.0, 30 / sd
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _tilted(values, middle, signs=signs)[1] < x else (low, middle)
    return low


def _spread(places: FloatArray, points: int) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """The six points around every place, along a new last axis, and Lagrange's weights for them."""
    base = np.floor(places).astype(np.int64)
    part = places - base
    nodes = range(-2, 4)
    weights = [prod(((part - other) / (node - other) for other in nodes if other != node), start=1.0) for node in nodes]
    return (base[..., None] + np.array(nodes)) % points, np.stack(weights, axis=-1)
