"""Reducers, against their definitions: averages over all subsets of an item's samples, written out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore._types import AnyArray, FloatArray
from outscore.errors import DataError, OptionError
from tests.kit import Reducer, narrowing, reducer_named, sampling_share
from tests.reports.kit import sampling_sentence

Subset = tuple[int, ...]


def _column(values: Sequence[float]) -> FloatArray:
    return np.array(values, dtype=np.float64)[:, None]


def _answers(values: Sequence[object]) -> AnyArray:
    column = np.empty((len(values), 1), dtype=object)
    column[:, 0] = values
    return column


def _over_subsets(n: int, k: int, value: Callable[[Subset], Fraction]) -> Fraction:
    every = [value(subset) for subset in combinations(range(n), k)]
    return sum(every, Fraction(0)) / len(every)


def _majority(subset: Subset, scores: Sequence[int], votes: Sequence[object]) -> Fraction:
    counts = Counter("right" if scores[i] else ("wrong", votes[i]) for i in subset)
    first = [vote for vote, count in counts.items() if count == max(counts.values())]
    return Fraction("right" in first, len(first))


def _best(subset: Subset, scores: Sequence[int], selector: Sequence[float]) -> Fraction:
    top = max(selector[i] for i in subset)
    picked = [scores[i] for i in subset if selector[i] == top]
    return Fraction(sum(picked), len(picked))


def _agrees(found: float, expected: Fraction) -> None:
    assert abs(Fraction(found) - expected) <= abs(expected) * Fraction(1, 10**15)


# By hand


def test_pass_by_hand() -> None:
    assert reducer_named("pass@2").reduced(_column([1, 1, 0, 0, 0])) == pytest.approx([7 / 10], rel=1e-15)
    assert reducer_named("pass@5").reduced(_column([1] * 3 + [0] * 7)) == pytest.approx([11 / 12], rel=1e-15)
    assert reducer_named("pass@2").within_variance(_column([1] * 3 + [0] * 7)) == pytest.approx([23 / 450], rel=1e-15)


@pytest.mark.parametrize(
    ("counts", "k", "expected"),
    [
        ((2, 2, 1), 2, 2 / 5),
        ((2, 2, 1), 3, 13 / 30),
        ((2, 2, 1), 5, 1 / 2),
        ((3, 1, 1), 3, 4 / 5),
        ((3, 2, 2, 1), 4, 1 / 2),
    ],
)
def test_majority_by_hand(counts: tuple[int, ...], k: int, expected: float) -> None:
    votes = [vote for vote, count in enumerate(counts) for _ in range(count)]
    found = Reducer("maj@", k).reduced(_column([float(vote == 0) for vote in votes]), _answers(votes))
    assert found == pytest.approx([expected], rel=1e-15)


def test_best_by_hand() -> None:
    found = reducer_named("best@2").reduced(_column([0, 1, 0, 1]), selector=_column([0.9, 0.7, 0.7, 0.2]))
    assert found == pytest.approx([1 / 4], rel=1e-15)


# Against all subsets

RIGHT_OR_WRONG = st.lists(st.integers(0, 1), min_size=1, max_size=9)


@given(RIGHT_OR_WRONG, st.data())
def test_pass_is_the_average_over_all_subsets(scores: list[int], data: st.DataObject) -> None:
    n = len(scores)
    k = data.draw(st.integers(1, n))
    some = _over_subsets(n, k, lambda subset: Fraction(max(scores[i] for i in subset)))
    every = _over_subsets(n, k, lambda subset: Fraction(min(scores[i] for i in subset)))
    _agrees(float(Reducer("pass@", k).reduced(_column(scores))[0]), some)
    _agrees(float(Reducer("pass^", k).reduced(_column(scores))[0]), every)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=9), st.data())
def test_majority_is_the_average_over_all_subsets(votes: list[int], data: st.DataObject) -> None:
    n = len(votes)
    k = data.draw(st.integers(1, n))
    # 0 and 1 are right, and one answer; 5 is empty.
    scores = [int(vote < 2) for vote in votes]
    answers = _answers([data.draw(st.sampled_from(["", " \n", None, math.nan])) if v == 5 else v for v in votes])
    apart = [(i if vote == 5 else -vote) for i, vote in enumerate(votes)]
    reducer = Reducer("maj@", k)
    _agrees(
        float(reducer.reduced(_column(scores), answers)[0]),
        _over_subsets(n, k, lambda subset: _majority(subset, scores, apart)),
    )
    _agrees(
        float(reducer.reduced(_column(scores), answers, empty_votes=True)[0]),
        _over_subsets(n, k, lambda subset: _majority(subset, scores, votes)),
    )


@given(st.lists(st.tuples(st.integers(-2, 3), st.integers(0, 3)), min_size=1, max_size=9), st.data())
def test_best_is_the_average_over_all_subsets(samples: list[tuple[int, int]], data: st.DataObject) -> None:
    n = len(samples)
    k = data.draw(st.integers(1, n))
    scores, selector = [score for score, _ in samples], [float(value) for _, value in samples]
    found = Reducer("best@", k).reduced(_column(scores), selector=_column(selector))
    expected = _over_subsets(n, k, lambda subset: _best(subset, scores, selector))
    assert abs(Fraction(float(found[0])) - expected) <= Fraction(1, 10**15) * max(max(scores), -min(scores))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_mean_is_the_rounded_mean(scores: list[float]) -> None:
    expected = sum(map(Fraction, scores), Fraction(0)) / len(scores)
    found = Fraction(float(reducer_named("mean").reduced(_column(scores))[0]))
    magnitude = sum((abs(Fraction(score)) for score in scores), Fraction(0)) / len(scores)
    assert abs(found - expected) <= abs(expected) * Fraction(1, 10**15) + magnitude * Fraction(1, 10**28)
    assert min(scores) <= float(found) <= max(scores)


# Unequal numbers of samples, and their order


@given(st.integers(0, 2**32 - 1))
def test_items_are_reduced_each_by_itself_in_any_order_of_samples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n, k = 9, 6, 3
    scores = rng.integers(0, 2, (m, n)).astype(float)
    answers = np.where(scores == 1, "r", rng.choice(list("abc"), (m, n))).astype(object)
    selector = rng.integers(0, 5, (m, n)).astype(float)
    absent = rng.random((m, n)) < 0.4
    absent[:k] = False
    scores[absent] = np.nan
    selector[absent & (rng.random((m, n)) < 0.5)] = np.nan
    order = rng.permuted(np.tile(np.arange(m)[:, None], (1, n)), axis=0)
    mixed = [np.take_along_axis(values, order, axis=0) for values in (scores, answers, selector)]
    for spec in ("mean", "pass@3", "pass^3", "maj@3", "best@3"):
        reducer = reducer_named(spec)
        found = reducer.reduced(scores, answers, selector)
        assert (reducer.reduced(*mixed) == found).all()
        for i in range(n):
            there = ~np.isnan(scores[:, i])
            alone = reducer.reduced(scores[there, i : i + 1], answers[there, i : i + 1], selector[there, i : i + 1])
            assert alone[0] == found[i]


def test_graded_scores_have_a_mean_and_a_best_in_any_order() -> None:
    rng = np.random.default_rng(3)
    scores, selector = rng.normal(size=(50, 4)), rng.integers(0, 4, (50, 4)).astype(float)
    order = rng.permutation(50)
    for spec in ("mean", "best@7"):
        found = reducer_named(spec).reduced(scores, selector=selector)
        assert (reducer_named(spec).reduced(scores[order], selector=selector[order]) == found).all()
    equal = np.full((7, 1), 0.1)
    for spec in ("mean", "best@3"):
        assert reducer_named(spec).reduced(equal, selector=np.arange(7.0)[:, None]) == 0.1


# Large numbers of samples


@pytest.mark.parametrize(("n", "c", "k"), [(1000, 3, 500), (1000, 999, 1), (1000, 500, 500), (1000, 1, 1000)])
def test_a_thousand_samples_overflow_nothing(n: int, c: int, k: int) -> None:
    scores = _column([1] * c + [0] * (n - c))
    every = math.comb(n, k)
    _agrees(float(Reducer("pass@", k).reduced(scores)[0]), 1 - Fraction(math.comb(n - c, k), every))
    _agrees(float(Reducer("pass^", k).reduced(scores)[0]), Fraction(math.comb(c, k), every))
    picked = Fraction(math.comb(c, k), every)  # the selector puts the wrong ones first
    _agrees(float(Reducer("best@", k).reduced(scores, selector=-scores)[0]), picked)
    # Against one wrong answer the right one wins by t > k − t, and half of the ties.
    if k > 1:
        ways = [math.comb(c, t) * math.comb(n - c, k - t) for t in range(k + 1)]
        won = sum(ways[k // 2 + 1 :]) + (Fraction(ways[k // 2], 2) if k % 2 == 0 else 0)
        _agrees(float(Reducer("maj@", k).reduced(scores, _answers(scores[:, 0].tolist()))[0]), won / Fraction(every))


def test_majority_of_many_different_answers() -> None:
    # 20 right and 80 answers that occur once: no right one, and a tie, only where one right one is drawn.
    n, c, k = 100, 20, 6
    scores = _column([1] * c + [0] * (n - c))
    found = Reducer("maj@", k).reduced(scores, _answers([*"r" * c, *range(n - c)]))
    ways = [math.comb(c, t) * math.comb(n - c, k - t) for t in range(k + 1)]
    _agrees(float(found[0]), Fraction(ways[1], k) / math.comb(n, k) + Fraction(sum(ways[2:]), math.comb(n, k)))


# The variance within items


@pytest.mark.parametrize(("spec", "n"), [("pass@1", 2), ("pass@2", 5), ("pass^2", 4), ("pass@3", 7), ("mean", 4)])
def test_within_variance_is_unbiased(spec: str, n: int) -> None:
    reducer, p = reducer_named(spec), 0.3
    sets = np.array(list(product([0.0, 1.0], repeat=n))).T
    weights = p ** sets.sum(axis=0) * (1 - p) ** (n - sets.sum(axis=0))
    values = reducer.reduced(sets)
    true = weights @ values**2 - (weights @ values) ** 2
    assert weights @ reducer.within_variance(sets) == pytest.approx(true, rel=1e-12)


def test_within_variance_of_means() -> None:
    scores = np.array([[1.0, 0.5, 3.0], [0.0, 0.5, np.nan], [0.0, 0.5, np.nan]])
    assert reducer_named("mean").within_variance(scores) == pytest.approx([1 / 9, 0.0, np.nan], nan_ok=True)
    binary = np.random.default_rng(1).integers(0, 2, (8, 20)).astype(float)
    expected = binary.var(axis=0, ddof=1) / 8
    assert reducer_named("mean").within_variance(binary) == pytest.approx(expected)
    assert reducer_named("pass@1").within_variance(binary) == pytest.approx(expected)
    assert reducer_named("pass^1").within_variance(binary) == pytest.approx(expected)
    assert np.isnan(reducer_named("pass@5").within_variance(binary)).all()
    assert np.isnan(reducer_named("best@2").within_variance(binary)).all()


def test_share_of_sampling() -> None:
    rng = np.random.default_rng(8)
    right = rng.beta(0.4, 0.6, 200_000)
    scores = (rng.random((10, 200_000)) < right).astype(float)
    reducer = reducer_named("pass@5")
    within = reducer.within_variance(scores)
    assert within.mean() == pytest.approx(0.0317, abs=0.0003)  # as simulated
    reduced = reducer.reduced(scores)
    share = sampling_share(float(reduced.var(ddof=1)) / len(reduced), within)
    failing = (1 - right) ** 5
    assert share == pytest.approx(1 - failing.var() / reduced.var(), abs=0.005)
    assert sampling_share(0.0, within) is None
    assert sampling_share(1.0, within, np.array([np.nan])) is None
    assert narrowing(1.0) == pytest.approx(1 - math.sqrt(0.5))
    assert narrowing(0.5, math.inf) == pytest.approx(1 - math.sqrt(0.5))
    assert sampling_sentence(0.001).endswith("by less than 1%.")


# Names and errors


@pytest.mark.parametrize("spec", ["mean", "pass@5", "pass^1", "maj@64", "best@4"])
def test_names_are_read_as_they_are_written(spec: str) -> None:
    assert reducer_named(spec).name == reducer_named(spec.upper()).name == reducer_named(f" {spec} ").name == spec
    assert reducer_named(spec).needs == {"maj@64": "answer", "best@4": "selector"}.get(spec)
    assert reducer_named(spec).binary == (spec[:4] in ("pass", "maj@"))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("pas@5", 'unknown reducer "pas@5". Did you mean "pass@5"? [unknown-reducer]'),
        ("pass5", 'unknown reducer "pass5". Did you mean "pass@5"? [unknown-reducer]'),
        ("majority@8", 'unknown reducer "majority@8". Did you mean "maj@8"? [unknown-reducer]'),
        ("best-4", 'unknown reducer "best-4". Did you mean "best@4"? [unknown-reducer]'),
        ("average", 'unknown reducer "average". Known: mean, pass@5, pass^5, maj@5, best@5. [unknown-reducer]'),
        ("pass@k", 'unknown reducer "pass@k". Did you mean "pass@5"? [unknown-reducer]'),
        ("pass@٣", 'unknown reducer "pass@٣". Did you mean "pass@5"? [unknown-reducer]'),
        ("", 'unknown reducer "". Known: mean, pass@5, pass^5, maj@5, best@5. [unknown-reducer]'),
        ("pass@0", 'expected at least 1 sample, got "pass@0". For one sample, write "pass@1". [bad-k]'),
    ],
)
def test_unknown_names(spec: str, said: str) -> None:
    with pytest.raises(OptionError) as caught:
        reducer_named(spec)
    assert str(caught.value) == f"reduce: {said}"


@given(st.text(max_size=12) | st.text("pasmjbet@^05", max_size=8))
def test_any_name_is_a_reducer_or_an_option_error(spec: str) -> None:
    try:
        name = reducer_named(spec).name
    except OptionError:
        return
    assert reducer_named(name).name == name


def _raised(reducer: str, *arguments: Any) -> str:
    with pytest.raises(DataError) as caught:
        reducer_named(reducer).reduced(*arguments, place=lambda i: f'b.csv, item "q{i + 1}"')
    return str(caught.value)


def test_errors_name_the_items() -> None:
    scores = np.array([[1.0, 0.0], [1.0, np.nan], [0.0, np.nan]])
    assert _raised("pass@2", scores) == (
        'b.csv, item "q2": expected at least 2 samples for pass@2, got 1. '
        "Draw more samples, remove these items, or use a smaller k. [few-samples]"
    )
    assert "expected at least 1 sample for mean, got 0." in _raised("mean", np.array([[np.nan]]))
    assert _raised("pass@1", np.array([[0.0, 0.5]])) == (
        'b.csv, item "q2": expected samples that score 0 or 1 for pass@1, got 0.5. '
        'Use "mean" for graded scores. [not-right-or-wrong]'
    )
    assert _raised("maj@1", np.array([[0.0], [1.0]]), _answers(["4", "4"])) == (
        'b.csv, item "q1": expected the same score for equal answers, got 0 and 1 for "4". '
        "Score each distinct answer once. [answer-scored-twice]"
    )
    assert _raised("best@1", np.array([[0.0, 1.0]]), None, np.array([[0.0, np.nan]])) == (
        'b.csv, item "q2": expected a selector for each sample, got none. '
        "Give samples without one the lowest value. [no-selector]"
    )


def test_empty_answers_are_scored_twice_only_where_they_are_one() -> None:
    scores, empty = np.array([[0.0], [1.0]]), _answers(["", None])
    assert reducer_named("maj@2").reduced(scores, empty) == 0.5
    with pytest.raises(DataError, match="answer-scored-twice"):
        reducer_named("maj@2").reduced(scores, empty, empty_votes=True)


def test_remark_where_there_is_one_subset() -> None:
    scores = np.array([[1.0, 0.0], [1.0, 0.0]])
    assert reducer_named("mean").remark(scores) is None
    assert reducer_named("pass@1").remark(scores) is None
    assert reducer_named("maj@2").remark(scores) == (
        "All items have at most 2 samples, so maj@2 is not averaged over subsets."
    )
