"""Functions as metrics: how often they are called, and that scoring many test sets at once changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import rankdata

import outscore
from outscore import Recomputed
from outscore.design import Units
from outscore.errors import OptionError
from tests.significance.kit import recomputed_scores, scores_without

Array = NDArray[Any]
N, R = 60, 300


def auc(outputs: Any, references: Any, axis: int = -1) -> Any:
    """Return the area under the ROC curve, of one test set or many: (sum of positive ranks − least) / pairs."""
    assert axis == -1
    right = np.asarray(references) == 1
    ranks, positive = rankdata(outputs, axis=-1), right.sum(axis=-1)
    return ((ranks * right).sum(axis=-1) - positive * (positive + 1) / 2) / (positive * (right.shape[-1] - positive))


def auc_of_one(outputs: Sequence[float], references: Sequence[int]) -> float:
    assert isinstance(outputs, list)
    assert isinstance(references, list)
    return float(auc(np.array(outputs), np.array(references)))


class Counting:
    """A function that counts its calls, and knows the shapes that it was called with."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.shapes = function, list[tuple[int, ...]]()

    def __call__(self, *sides: Any, **keywords: Any) -> Any:
        self.shapes.append(np.shape(sides[0]))
        return self.function(*sides, **keywords)


def systems(n: int = N, seed: int = 1) -> tuple[list[float], list[float], list[int]]:
    rng = np.random.default_rng(seed)
    gold = np.arange(n) % 2
    return (gold * 0.8 + rng.normal(size=n)).tolist(), (gold * 1.1 + rng.normal(size=n)).tolist(), gold.tolist()


def compared(function: Callable[..., Any], vectorized: bool | None = None, n: int = N, **asked: Any) -> Any:
    worse, better, gold = systems(n)
    metric = Recomputed(function, "auc", vectorized=vectorized)
    asked = {"n_resamples": R, "seed": 7, **asked}
    return outscore.compare(worse, better, references=gold, metric=metric, **asked)


@pytest.mark.parametrize(
    ("asked", "calls"),
    [
        ({}, 2 * (1 + N + R)),  # the jackknife is of the test, the resamples of the bootstrap beside it
        ({"tests": "bootstrap"}, 2 * (1 + R)),
        ({"tests": "bootstrap", "interval": "percentile"}, 2 * (1 + R)),
        ({"tests": "bootstrap", "interval": "bca"}, 2 * (1 + N + R)),
        ({"tests": ["bootstrap", "randomization"]}, 2 * (1 + 2 * R)),
        ({"tests": "randomization", "interval": "percentile"}, 2 * (1 + 2 * R)),
        ({"tests": "bootstrap", "double_check": True}, 2 * (1 + 2 * R)),
    ],
    ids=str,
)
def test_a_function_is_called_once_for_each_score_that_is_needed(asked: dict[str, Any], calls: int) -> None:
    counted = Counting(auc_of_one)
    result = compared(counted, **asked)
    if not asked:
        str(result)
        assert len(counted.shapes) == 2 * (1 + N)  # short text has no resamples
    for _ in range(2):
        result.to_json()
        assert len(counted.shapes) == calls


def test_a_worse_candidate_costs_as_many_calls() -> None:
    worse, better, gold = systems()
    for interval in "test", "bca":
        counted = Counting(auc_of_one)
        result = outscore.compare(
            better, worse, references=gold, metric=Recomputed(counted), n_resamples=R, interval=interval
        )
        assert result.comparisons[0].gain < 0
        result.to_json()
        assert len(counted.shapes) == 2 * (1 + N + R)


def macro_recall(outputs: Sequence[str], references: Sequence[str]) -> float:
    found = {gold: [o == gold for o, r in zip(outputs, references, strict=True) if r == gold] for gold in "abc"}
    return float(np.mean([np.mean(of) if of else 0.0 for of in found.values()]))


def labels(n: int = 90) -> tuple[list[str], list[str], list[str]]:
    rng = np.random.default_rng(4)
    gold = rng.choice(list("abc"), n)
    worse, better = (np.where(rng.random(n) < share, gold, rng.choice(list("abc"), n)) for share in (0.3, 0.6))
    return worse.tolist(), better.tolist(), gold.tolist()


def test_equal_items_are_left_out_once() -> None:
    worse, better, gold = labels()
    counted = Counting(macro_recall)
    outscore.compare(worse, better, references=gold, metric=Recomputed(counted), n_resamples=R).to_json()
    left_out = len(counted.shapes) - 2 * (1 + R)
    assert 2 * 9 <= left_out <= 2 * 27  # of items in the order of both systems' labels and the right ones


@pytest.mark.parametrize("numbers", [False, True])
def test_the_jackknife_is_that_of_every_item_left_out(numbers: bool) -> None:
    outputs, _, gold = systems(30) if numbers else labels(30)
    items = sorted(zip(outputs, gold, strict=True), key=repr) * 2
    items = sorted([*items, (0.0, 0), (-0.0, 0), (0.0, False), (0.0, 0)], key=repr) if numbers else items
    metric = Recomputed(lambda ours, theirs: sum(map(len, map(repr, ours))) + len(set(theirs)) / 7)
    rows = metric.rows(*zip(*items, strict=True))
    units = Units(len(items))
    expected = [metric.score_of_set(np.delete(rows, i, axis=0)) for i in range(len(items))]
    assert scores_without(metric, [rows], units)[0].tolist() == expected


def test_equal_neighbours_among_numbers_are_left_out_once() -> None:
    from tests.kit import output_metric

    values = np.array([[-0.0, 1], [0.0, 1], [0.0, 1], [2, 1], [2, 1], [2, 3], [4, 2]], dtype=np.float64)
    expected = [output_metric("spearman").score_of_set(np.delete(values, i, axis=0)) for i in range(len(values))]
    assert scores_without(output_metric("spearman"), [values], Units(len(values)))[0].tolist() == expected


# Vectorized functions


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"tests": ["bootstrap", "randomization"], "interval": "bca"},
        {"clusters": [place // 3 for place in range(N)]},
        {"strata": [place // 20 for place in range(N)]},
        {"n": 14, "tests": "randomization"},
    ],
    ids=str,
)
def test_a_vectorized_function_gives_what_the_plain_one_gives(asked: dict[str, Any]) -> None:
    one, other = compared(auc_of_one, **asked), compared(auc, **asked)
    assert one.to_json() == other.to_json()


def test_a_vectorized_function_gets_blocks_of_bounded_size() -> None:
    counted = Counting(auc)
    compared(counted, vectorized=True, tests="bootstrap", n_resamples=4000)
    blocks = [shape for shape in counted.shapes if len(shape) == 2]
    assert all(b * n <= 2**16 and n == N for b, n in blocks)
    assert sum(b for b, _ in blocks) == 2 * 4000
    assert len(blocks) == 2 * -(-4000 // 256)  # 256 resamples are drawn together
    assert len(counted.shapes) - len(blocks) == 2 + 2  # both whole test sets, and two resamples that are compared


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
@pytest.mark.parametrize("function", [auc, auc_of_one])
def test_executors_change_nothing(pool: Any, function: Callable[..., Any]) -> None:
    with pool(2) as executor:
        assert compared(function, n_resamples=600, executor=executor) == compared(function, n_resamples=600)


def test_a_parameter_called_axis_makes_a_function_vectorized() -> None:
    assert compared(auc).comparisons[0] == compared(auc, vectorized=True).comparisons[0]
    counted = Counting(auc)
    compared(partial(auc, axis=-1), vectorized=False)
    with pytest.raises(OptionError, match=r"unexpected keyword argument 'axis'.*\[bad-score\]"):
        compared(auc_of_one, vectorized=True)
    with pytest.raises(OptionError, match=r"vectorized: expected True, False or None, got .yes."):
        Recomputed(counted, vectorized="yes")  # type: ignore[arg-type]


def flat(outputs: Array, references: Array, axis: int) -> Any:
    del axis
    return (outputs > references).mean()


def mixed_up(outputs: Array, references: Array, axis: int) -> Any:
    """Return the means of each test set less that of all, which is another number alone."""
    return (outputs > references).mean(axis=axis) - 0.5 * (outputs > references).mean()


def two_scores(outputs: Array, references: Array, axis: int) -> Any:
    means = (outputs > references).mean(axis=axis)
    return np.stack([means, means], axis=-1) if outputs.ndim > 1 else means


def broken(outputs: Array, references: Array, axis: int) -> Any:
    del references
    if outputs.ndim > 1:
        raise ValueError("one test set\nat a time")
    return outputs.mean(axis=axis)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (flat, r"auc: expected a number for each of 256 test sets, got float64 of shape \(\)\. "),
        (two_scores, r"auc: expected a number for each of 256 test sets, got float64 of shape \(256, 2\)\. "),
        (mixed_up, r"auc: scores a test set [\d.-]+ together with others, but [\d.-]+ alone\. "),
        (broken, r"auc: cannot score 256 test sets at once: ValueError: one test set at a time\. "),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_function_that_is_not_vectorized_is_told_in_one_line(function: Callable[..., Any], says: str) -> None:
    advice = r"Make it compute along `axis`, or pass vectorized=False\. \[bad-score\]$"
    with pytest.raises(OptionError, match=says + advice) as told:
        compared(function, tests="bootstrap")
    assert "\n" not in str(told.value)


items = st.one_of(
    st.lists(st.booleans(), min_size=2, max_size=9),
    st.lists(st.one_of(st.booleans(), st.integers(-(2**63), 2**65)), min_size=2, max_size=9),
    st.lists(st.one_of(st.integers(-9, 9), st.floats(-9, 9)), min_size=2, max_size=9),
    st.lists(st.one_of(st.text(max_size=3), st.integers(), st.tuples(st.integers())), min_size=2, max_size=9),
)


def share_equal(outputs: Array, references: Array, axis: int = -1) -> Any:
    assert isinstance(outputs, np.ndarray)
    return (outputs == references).astype(float).mean(axis=axis)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_arrays_hold_any_items_and_lose_nothing(data: st.DataObject) -> None:
    outputs = data.draw(items)
    other = [data.draw(st.sampled_from([item, *outputs])) for item in outputs]
    plain = Recomputed(lambda a, b: float(np.mean([x == y for x, y in zip(a, b, strict=True)])))
    together = Recomputed(share_equal)
    n = len(outputs)
    weights = np.random.default_rng(n).multinomial(n, [1 / n] * n, 20)
    one, many = (
        recomputed_scores(metric, [metric.rows(outputs, other)], Units(n), weights) for metric in (plain, together)
    )
    np.testing.assert_allclose(many, one, rtol=1e-12)
    assert together.score_of_set(together.rows(outputs, other)) == pytest.approx(plain.score_of(outputs, other))
