"""Reducers: one score per item from its samples.

Samples are drawn independently for each item. Tests and intervals resample items and keep the samples of an item
together (Davison & Hinkley 1997, section 3.8). All reducers are U-statistics, unbiased for k new samples: averages over
all C(N, k) subsets of an item's N ≥ k samples, computed in integers. Items may have different numbers of samples.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.text.naming import nearest, quoted

Kind: TypeAlias = Literal["mean", "pass@", "pass^", "maj@", "best@"]
_OF_SUBSETS: tuple[Kind, ...] = ("pass@", "pass^", "maj@", "best@")
_SPEC = re.compile(r"(pass@|pass\^|maj@|best@)([0-9]{1,9})")


@dataclass(frozen=True)
class Reducer:
    """A function from the samples of an item to one score.

    With N samples, c of them correct:

    - ``mean``: their mean;
    - ``pass@k``: P(at least one of k is correct) = 1 − C(N − c, k)/C(N, k) (Chen et al. 2021);
    - ``pass^k``: P(all k are correct) = C(c, k)/C(N, k);
    - ``maj@k``: P(the most frequent answer of k is correct). If j other answers are as frequent, it counts 1/(1 + j).
      All correct answers are one answer;
    - ``best@k``: the mean score of the one of k that a selector ranks first; ties are averaged.

    Attributes
    ----------
    k : int
        1 for the mean.

    Examples
    --------
    >>> scores = np.array([[1, 0], [1, 0], [0, 1], [0, 0], [0, np.nan]])
    >>> reducer_named("pass@2").reduced(scores)
    array([0.7, 0.5])
    """

    kind: Kind
    k: int = 1

    @property
    def name(self) -> str:
        """Its name: ``pass@5``."""
        return self.kind if self.kind == "mean" else f"{self.kind}{self.k}"

    @property
    def needs(self) -> Literal["answer", "selector"] | None:
        """Data that each sample needs besides its score."""
        match self.kind:
            case "maj@":
                return "answer"
            case "best@":
                return "selector"
        return None

    @property
    def binary(self) -> bool:
        """Whether samples must be correct or incorrect, 1 or 0."""
        return self.kind in ("pass@", "pass^", "maj@")

    @property
    def of_subsets(self) -> bool:
        """Whether it averages over subsets of k samples, so that items may have any number of samples from k on."""
        return self.kind != "mean"

    def reduced(
        self,
        scores: FloatArray,
        answers: AnyArray | None = None,
        selector: FloatArray | None = None,
        *,
        place: Callable[[int], str] = "item {}".format,
        empty_votes: bool = False,
    ) -> FloatArray:
        """Return one score per item. The order of samples does not matter.

        Parameters
        ----------
        scores : ndarray, shape (m, n)
            Up to m samples of n items; NaN for missing samples.
        answers : ndarray of object, shape (m, n), optional
            Votes for maj@k. None, NaN and blank text are empty answers.
        selector : ndarray, shape (m, n), optional
            Values by which best@k ranks samples, largest first.
        place : callable
            Returns the place of an item in the user's terms, given its index.
        empty_votes : bool
            Whether empty answers are one answer that can win a vote; otherwise all are different.

        Returns
        -------
        ndarray, shape (n,)
            Correct to 1e-15, relative to the mean magnitude of the scores.

        Raises
        ------
        DataError
            Items with fewer than k samples, scores other than 0 and 1 if these are required, equal answers with
            different scores, or a sample without a selector.
        """
        there = ~np.isnan(scores)
        counts = there.sum(axis=0)
        if (counts < self.k).any():
            wanted = f"expected at least {self.k} sample{'s' * (self.k > 1)} for {self.name}, got "
            advice = "Draw more samples, remove these items, or use a smaller k."
            few = np.flatnonzero(counts < self.k)
            raise DataError(*(Problem(place(int(i)), f"{wanted}{counts[i]}", advice, "few-samples") for i in few))
        if self.binary:
            _check_right_or_wrong(scores, there, self.name, place)
        right = np.where(there, scores, 0.0).sum(axis=0)
        match self.kind:
            case "mean":
                return _means(scores, there)
            case "pass@":
                return _by_counts(lambda n, c: _subsets_ratio(n, n - c, self.k, complement=True), counts, right)
            case "pass^":
                return _by_counts(lambda n, c: _subsets_ratio(n, c, self.k), counts, right)
            case "maj@":
                if answers is None:
                    raise TypeError(f"{self.name} needs answers")
                votes = (_votes(scores[:, i], answers[:, i], empty_votes, place, i) for i in range(len(counts)))
                return np.array([_majority(c, others, self.k) for c, others in votes], dtype=np.float64)
            case "best@":
                if selector is None:
                    raise TypeError(f"{self.name} needs a selector")
                return _picked(scores, selector, there, self.k, place)

    def within_variance(self, scores: FloatArray) -> FloatArray:
        """Return an unbiased estimate of the sampling variance of each item's score.

        mean: s²/N for N ≥ 2. pass@k and pass^k, for N ≥ 2k: f̂ₖ² − f̂₂ₖ. Here f̂ₖ is C(N − c, k)/C(N, k) for pass@k and
        C(c, k)/C(N, k) for pass^k. The expectation of f̂₂ₖ is the square of that of f̂ₖ.

        Parameters
        ----------
        scores : ndarray, shape (m, n)
            As for `reduced`, already checked.

        Returns
        -------
        ndarray, shape (n,)
            Never negative. NaN if an item has too few samples, and for maj@k and best@k.
        """
        there = ~np.isnan(scores)
        counts = there.sum(axis=0)
        if self.kind == "mean":
            deviations = np.where(there, scores - _means(scores, there), 0.0)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                squares = _sums(deviations**2) - _sums(deviations) ** 2 / counts
                return np.where(counts >= 2, np.maximum(squares, 0.0) / (counts - 1) / counts, np.nan)
        if self.kind in ("maj@", "best@"):
            return np.full(len(counts), np.nan)
        right = np.where(there, scores, 0.0).sum(axis=0)
        alike = right if self.kind == "pass^" else counts - right
        return _by_counts(lambda n, c: _variance_of_ratio(n, c, self.k), counts, alike)

    def remark(self, scores: FloatArray) -> str | None:
        """Return a remark on items with at most k samples, which have a single subset, or None.

        Examples
        --------
        >>> reducer_named("pass@2").remark(np.array([[1.0, 0.0], [1.0, 0.0], [np.nan, 1.0]]))
        '1 of 2 items has at most 2 samples, so pass@2 is not averaged over subsets there.'
        """
        if self.kind == "mean":
            return None
        counts = (~np.isnan(scores)).sum(axis=0)
        single = int((counts == self.k).sum())
        if single == 0:
            return None
        samples = f"at most {self.k} sample{'s' * (self.k > 1)}"
        if single == len(counts):
            return f"All items have {samples}, so {self.name} is not averaged over subsets."
        has = "item has" if len(counts) == 1 else "items has" if single == 1 else "items have"
        return f"{single:,} of {len(counts):,} {has} {samples}, so {self.name} is not averaged over subsets there."


def reducer_named(spec: str) -> Reducer:
    """Return the reducer with this name, ignoring case.

    It is ``mean``, ``pass@5``, ``pass^5``, ``maj@8`` or ``best@4``, with any k ≥ 1. Raise OptionError for an unknown
    name.

    Examples
    --------
    >>> reducer_named("Maj@8")
    Reducer(kind='maj@', k=8)
    """
    written = spec.strip().lower()
    if written == "mean":
        return Reducer("mean")
    if matched := _SPEC.fullmatch(written):
        kind, k = next(kind for kind in _OF_SUBSETS if kind == matched[1]), int(matched[2])
        if k >= 1:
            return Reducer(kind, k)
        what = f"expected at least 1 sample, got {quoted(spec)}"
        raise OptionError(Problem(opt("reduce"), what, f'For one sample, write "{kind}1".', "bad-k"))
    digits = re.search(r"[1-9][0-9]{0,8}", written)
    # "pass5" is as close to pass^5 as to pass@5, but a user who means pass^5 writes the ^.
    kinds = [kind for kind in _OF_SUBSETS if kind != "pass^" or "^" in written or not written.startswith("pass")]
    known = ["mean", *(f"{kind}{digits[0] if digits else 5}" for kind in kinds)]
    raise OptionError(
        Problem(opt("reduce"), f"unknown reducer {quoted(spec)}", nearest(written, known), "unknown-reducer")
    )


def sampling_share(variance: float, *within: FloatArray) -> float | None:
    """Return the proportion of the variance of a mean score, or of a gain, that is due to sampling.

    Parameters
    ----------
    variance : float
        Variance of that mean: s²/n of the n items' scores, or of their differences.
    *within : ndarray, shape (n,)
        `Reducer.within_variance` of each system.

    Returns
    -------
    float or None
        In [0, 1]; None if an item has no estimate, or the variance is 0.

    Examples
    --------
    >>> sampling_share(0.01, np.array([0.02, 0.04]))
    1.0
    >>> sampling_share(0.05, np.array([0.02, 0.04]), np.array([0.0, 0.04]))
    0.5
    """
    if not variance > 0 or any(np.isnan(variances).any() for variances in within):
        return None
    return min(sum(float(variances.sum()) / len(variances) ** 2 for variances in within) / variance, 1.0)


def narrowing(share: float, times: float = 2.0) -> float:
    """Return by what proportion an interval narrows with this many times as many samples.

    The sampling variance becomes this many times smaller: exactly for means, approximately for pass@k.

    Examples
    --------
    >>> round(narrowing(0.18), 3)
    0.046
    """
    return 1 - math.sqrt(1 - share * (1 - 1 / times))


def _check_right_or_wrong(scores: FloatArray, there: BoolArray, name: str, place: Callable[[int], str]) -> None:
    """Raise if a sample scores neither 0 nor 1."""
    graded = there & (scores != 0) & (scores != 1)
    if not graded.any():
        return
    problems = []
    for i in np.flatnonzero(graded.any(axis=0)):
        value = float(scores[graded[:, i], i][0])
        what = f"expected samples that score 0 or 1 for {name}, got {value:g}"
        problems.append(Problem(place(int(i)), what, 'Use "mean" for graded scores.', "not-right-or-wrong"))
    raise DataError(*problems)


# Sums and means


def _sums(values: FloatArray) -> FloatArray:
    """Return sums over axis 0, in ascending order with compensation (Neumaier 1974), as if in doubled precision."""
    ordered = np.sort(values, axis=0)
    total, lost = np.zeros(ordered.shape[1]), np.zeros(ordered.shape[1])
    for row in ordered:
        after = total + row
        lost += np.where(np.abs(total) >= np.abs(row), (total - after) + row, (row - after) + total)
        total = after
    return total + lost


def _means(scores: FloatArray, there: BoolArray) -> FloatArray:
    """Return the means of the existing samples, at least one per item, always within their range."""
    means = _sums(np.where(there, scores, 0.0)) / there.sum(axis=0).clip(1)
    lowest = np.where(there, scores, np.inf).min(axis=0, initial=np.inf)
    highest = np.where(there, scores, -np.inf).max(axis=0, initial=-np.inf)
    return np.asarray(np.clip(means, lowest, highest))


# Ratios of numbers of subsets. Python divides integers of any size with a single rounding.


def _by_counts(ratio: Callable[[int, int], float], counts: IntArray, alike: FloatArray) -> FloatArray:
    """Return a function of each item's numbers of samples and of equal ones, computed once per pair of them."""
    base = int(counts.max(initial=0)) + 1
    codes, index = np.unique(counts * base + alike.astype(np.int64), return_inverse=True)
    return np.array([ratio(*divmod(int(code), base)) for code in codes], dtype=np.float64)[index]


def _subsets_ratio(n: int, c: int, k: int, *, complement: bool = False) -> float:
    """Return C(c, k)/C(n, k), or its complement."""
    every, some = math.comb(n, k), math.comb(c, k)
    return (every - some if complement else some) / every


def _variance_of_ratio(n: int, c: int, k: int) -> float:
    """Return f² − f₂ with f = C(c, k)/C(n, k), and f₂ the same for 2k; NaN if n < 2k."""
    if n < 2 * k:
        return math.nan
    every, pairs = math.comb(n, k), math.comb(n, 2 * k)
    return (math.comb(c, k) ** 2 * pairs - math.comb(c, 2 * k) * every**2) / (every**2 * pairs)


# Votes


def _votes(
    scores: FloatArray, answers: Sequence[Any] | AnyArray, empty_votes: bool, place: Callable[[int], str], item: int
) -> tuple[int, tuple[int, ...]]:
    """Return the number of correct samples of an item, and the counts of its incorrect answers, largest first."""
    right, empty = 0, 0
    wrong = Counter[Any]()
    of_right = set()
    for score, answer in zip(scores.tolist(), answers, strict=True):
        if score != score:  # missing sample
            continue
        is_empty = answer is None or answer != answer or (isinstance(answer, str) and not answer.strip())
        if is_empty and not empty_votes:
            right, empty = right + (score == 1), empty + (score == 0)
        else:
            vote = "" if is_empty else answer
            if score == 1:
                right += 1
                of_right.add(vote)
            else:
                wrong[vote] += 1
    if both := of_right & wrong.keys():
        what = f"expected the same score for equal answers, got 0 and 1 for {quoted(min(map(str, both)))}"
        raise DataError(Problem(place(item), what, "Score each distinct answer once.", "answer-scored-twice"))
    return right, (*sorted(wrong.values(), reverse=True), *[1] * empty)


@lru_cache(maxsize=2**16)
def _majority(right: int, others: tuple[int, ...], k: int) -> float:
    """Return the probability that the most frequent of k answers is correct, with ties shared equally.

    Σ_t C(c, t) Σ_j (1 + j)⁻¹ [x^(k−t) y^j] Π_a (Σ_{u<t} C(n_a, u) x^u + y C(n_a, t) x^t) / C(N, k): t of the k are
    correct, no incorrect answer is drawn more than t times, and j of them are drawn exactly t times.

    Parameters
    ----------
    right : int
        c: number of correct answers.
    others : tuple of int
        n_a: counts of the incorrect answers, largest first.
    """
    n = right + sum(others)
    if k == n:
        largest = others[0] if others else 0
        return 0.0 if right < max(largest, 1) else 1 / (1 + others.count(right))
    # A polynomial in x is one integer, with enough bits per coefficient to avoid overflow.
    bits = n + 1
    ways: Counter[int] = Counter()  # of drawing k with j incorrect answers tied with the correct one
    for t in range(1, min(right, k) + 1):
        rest = k - t
        window = (1 << bits * (rest + 1)) - 1
        # Incorrect answers with fewer than t samples may be drawn in any number.
        rare = sum(count for count in others if count < t)
        products = [_packed((math.comb(rare, u) for u in range(min(rare, rest) + 1)), bits)]
        for count in others:
            if count < t:
                break
            less = _packed((math.comb(count, u) for u in range(min(t, rest + 1))), bits)
            as_often = math.comb(count, t)
            most = rest // t  # maximum number of tied answers
            after = [product * less & window for product in products]
            if len(after) <= most:
                after.append(0)
            for j, product in enumerate(products[: len(after) - 1]):
                after[j + 1] += (product * as_often << bits * t) & window
            products = after
        for j, product in enumerate(products):
            ways[j] += math.comb(right, t) * (product >> bits * rest)
    common = math.lcm(*range(1, max(ways, default=0) + 2))
    return sum(count * (common // (1 + j)) for j, count in ways.items()) / (common * math.comb(n, k))


def _packed(coefficients: Any, bits: int) -> int:
    """Return a polynomial as one integer."""
    return sum(coefficient << bits * power for power, coefficient in enumerate(coefficients))


# Selection by the largest selector


def _picked(
    scores: FloatArray, selector: FloatArray, there: BoolArray, k: int, place: Callable[[int], str]
) -> FloatArray:
    """Return the mean score of the sample that the selector ranks first among k.

    With samples in ascending order, this is Σ_j C(j − 1, k − 1) score_(j)/C(N, k). Ties share their weights.
    """
    without = (there & np.isnan(selector)).any(axis=0)
    if without.any():
        what, advice = "expected a selector for each sample, got none", "Give samples without one the lowest value."
        raise DataError(*(Problem(place(int(i)), what, advice, "no-selector") for i in np.flatnonzero(without)))
    m, n = scores.shape
    order = np.argsort(np.where(there, selector, np.nan), axis=0)  # missing samples come last
    ranked, gold = (np.take_along_axis(values, order, axis=0) for values in (selector, scores))
    there = np.take_along_axis(there, order, axis=0)
    rank = np.broadcast_to(np.arange(m)[:, None], (m, n))
    is_first = np.ones((m, n), dtype=np.bool_)
    is_first[1:] = ranked[1:] != ranked[:-1]
    is_last = np.ones((m, n), dtype=np.bool_)
    is_last[:-1] = is_first[1:] | ~there[1:]
    below = np.maximum.accumulate(np.where(is_first, rank, 0), axis=0)
    up_to = np.minimum.accumulate(np.where(is_last, rank + 1, m)[::-1], axis=0)[::-1]
    counts = np.broadcast_to(there.sum(axis=0), (m, n))
    keys, at = np.unique(np.stack([counts[there], below[there], up_to[there]]), axis=1, return_inverse=True)
    shares = [(math.comb(b, k) - math.comb(a, k)) / (math.comb(count, k) * (b - a)) for count, a, b in keys.T.tolist()]
    weighted = np.zeros((m, n))
    weighted[there] = np.array(shares)[at.ravel()] * gold[there]
    # Rounded weights of equal scores need not add up to one.
    low = np.where(there, gold, np.inf).min(axis=0, initial=np.inf)
    high = np.where(there, gold, -np.inf).max(axis=0, initial=-np.inf)
    return np.asarray(np.clip(_sums(weighted), low, high))
