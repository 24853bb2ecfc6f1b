"""Comparisons of very many items: what they hold an item, and that blocks and few points change nothing."""

from __future__ import annotations

import math
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore import Mean, compare
from outscore._types import FloatArray
from outscore.data.blocks import ONE_BLOCK, exact_sum
from outscore.gains import pair
from outscore.results import ComparisonResult
from tests.laws.kit import poisson_fours, poisson_rate

N = 200_000


def right_or_wrong(n: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(7)
    first = (rng.random(n) < 0.7).astype(np.float64)
    return first, np.where(rng.random(n) < 0.9, first, (rng.random(n) < 0.701).astype(np.float64))


def real(n: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(8)
    first = rng.integers(0, 10**6, n) / 1e6
    second: FloatArray = np.clip(first + rng.normal(0.005, 0.2, n), 0, 1)  # so different that few samples decide
    return first, second.round(6)


def any_real(n: int) -> tuple[FloatArray, FloatArray]:
    first, second = np.random.default_rng(9).random((2, n))
    return first, second


def files(folder: Path, n: int, kind: str, form: str) -> list[str]:
    names = []
    for name, scores in zip("ab", (right_or_wrong if kind == "right or wrong" else real)(n), strict=True):
        path = folder / f"{name}{n}.{form}"
        if form == "parquet":
            pl.DataFrame({"score": scores}).write_parquet(path)
        else:
            line = "{:.0f}\n" if kind == "right or wrong" else "{:.6f}\n"
            path.write_text("".join(map(line.format, scores.tolist())))
        names.append(str(path))
    return names


def everything(names: list[str]) -> ComparisonResult:
    result = compare(*names)
    result.to_json()
    return result


@pytest.mark.parametrize(("kind", "most"), [("right or wrong", 95), ("real", 210)])
@pytest.mark.parametrize("form", ["txt", "parquet"])
def test_few_bytes_an_item(kind: str, most: int, form: str, tmp_path: Path) -> None:
    names = files(tmp_path, N, kind, form)
    everything(files(tmp_path, 100, kind, form))  # imports
    poisson_fours(poisson_rate(N, N))  # a table that does not grow with the number of items
    tracemalloc.start()
    try:
        everything(names)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak / N < most


@pytest.mark.parametrize("kind", ["right or wrong", "real"])
@pytest.mark.parametrize("form", ["txt", "parquet"])
def test_no_call_of_python_an_item(kind: str, form: str, tmp_path: Path) -> None:
    def calls(n: int) -> int:
        names, count = files(tmp_path, n, kind, form), 0

        def counted(frame: FrameType, event: str, argument: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(counted)
        try:
            everything(names)
        finally:
            sys.setprofile(None)
        return count

    calls(100)
    assert calls(2 * N) - calls(N) < N / 10


@pytest.mark.parametrize("kind", ["right or wrong", "real"])
def test_lines_and_parquet_are_one(kind: str, tmp_path: Path) -> None:
    one, other = (everything(files(tmp_path, 20_000, kind, form)) for form in ("txt", "parquet"))
    assert one.comparisons[0].test.p_value == other.comparisons[0].test.p_value
    assert one.comparisons[0].interval == other.comparisons[0].interval


@given(
    st.lists(st.floats(-1e100, 1e100), max_size=5),
    st.integers(0, 3),
    st.sampled_from([1.0, 1e-12, 1e90]),
)
def test_exact_sum_is_that_of_python(values: list[float], seed: int, scale: float) -> None:
    noise = np.random.default_rng(seed).normal(size=ONE_BLOCK + 7) * scale
    every = np.concatenate([noise, values, -noise[::2]])
    assert exact_sum(every) == math.fsum(every)


def test_exact_sum_of_what_has_none() -> None:
    many = np.ones(ONE_BLOCK + 1)
    assert math.isnan(exact_sum(np.append(many, np.nan)))
    assert exact_sum(np.append(many, np.inf)) == np.inf


@pytest.mark.parametrize("kind", [right_or_wrong, real, any_real])
def test_blocks_change_no_difference(
    kind: Callable[[int], tuple[FloatArray, FloatArray]], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = kind(3000)
    before[::50] += 1e-13  # noise of rounding
    after[::7] = before[::7]
    whole = pair._differences(before, after)
    monkeypatch.setattr("outscore.data.blocks.ONE_BLOCK", 64)
    parts = pair._differences(before, after)
    assert np.array_equal(whole.values, parts.values)
    assert np.array_equal(whole.noise, parts.noise)


def test_moments_of_many_units_are_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    def influence() -> tuple[float, ...]:
        rows = [np.column_stack([scores, np.ones(len(scores))]) for scores in real(5000)]
        spread = pair.Pair(Mean(), rows[0], rows[1]).spread
        return float(spread.variance), float(spread.degrees), float(spread.skewness)

    few = influence()
    for module in ("outscore.data.blocks", "outscore.gains.pair"):
        monkeypatch.setattr(f"{module}.ONE_BLOCK", 64)
    assert influence() == pytest.approx(few, rel=1e-9)
