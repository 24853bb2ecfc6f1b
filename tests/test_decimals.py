"""The precision in which scores are stored does not change a result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import outscore
from outscore.metrics import Mean
from outscore.readers import read_system
from tests.kit import as_written, output_metric, shortest_decimals
from tests.readers.kit import corpus_from, system_from

GRADES = [0.1, 0.3, 1.0, 0.7, 0.0, 0.9, 0.2]


def _grades(seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return grades in tenths of two systems that often tie."""
    stream = np.random.default_rng(seed)
    baseline = stream.integers(0, 11, int(stream.integers(8, 41)))
    return baseline / 10, np.clip(baseline + stream.choice([-2, -1, 0, 0, 1, 2], len(baseline)), 0, 10) / 10


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_p_value_of_grades_does_not_depend_on_their_dtype(seed: int, dtype: type) -> None:
    wide = _grades(seed)
    narrow: list[Any] = [scores.astype(dtype) for scores in wide]
    for tests in ("randomization", None):
        one, other = (outscore.compare(*scores, tests=tests).comparisons[0] for scores in (wide, narrow))
        assert one.test.p_value == other.test.p_value
        assert (one.interval, one.gain, one.helped, one.hurt) == (other.interval, other.gain, other.helped, other.hurt)


def test_one_system_in_single_precision_ties_with_another_in_double() -> None:
    result = outscore.compare(np.array(GRADES), np.array(GRADES, dtype=np.float32))
    assert result.comparisons[0].unchanged == len(GRADES)


@pytest.mark.parametrize(
    "data",
    [
        np.array(GRADES, dtype=np.float32),
        np.array(GRADES, dtype=np.float16),
        list(np.array(GRADES, dtype=np.float16)),
        np.array(GRADES, dtype=np.float32).tolist(),
        pl.Series(GRADES, dtype=pl.Float32),
        pl.Series(GRADES, dtype=pl.Float16),
        pd.Series(GRADES, dtype="float16"),
        pl.DataFrame({"score": pl.Series(GRADES, dtype=pl.Float32)}),
        pd.DataFrame({"score": np.array(GRADES, dtype=np.float16)}),
    ],
)
def test_scores_in_memory_are_read_as_the_shortest_decimals(data: object) -> None:
    assert system_from(data, Mean(), name="a").values[:, 0].tolist() == GRADES


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float16])
def test_parquet_columns_are_read_as_the_shortest_decimals(dtype: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"score": pl.Series(GRADES, dtype=dtype)}).write_parquet(path)
    assert read_system(str(path), Mean()).values[:, 0].tolist() == GRADES


@pytest.mark.parametrize("ending", ["jsonl", "csv", "txt"])
def test_text_with_the_digits_of_single_precision_is_read_as_the_shortest_decimals(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{ending}"
    numbers = np.array(GRADES, dtype=np.float32).tolist()
    assert "0.30000001192092896" in str(numbers)
    lines = {
        "jsonl": [json.dumps({"id": i, "score": number}) for i, number in enumerate(numbers)],
        "csv": ["id,score", *(f"{i},{number}" for i, number in enumerate(numbers))],
        "txt": list(map(str, numbers)),
    }[ending]
    path.write_text("\n".join(lines))
    assert read_system(str(path), Mean()).values[:, 0].tolist() == GRADES


def test_predicted_numbers_are_read_as_the_shortest_decimals() -> None:
    outputs = corpus_from(np.array(GRADES, dtype=np.float32), float, "a").items
    assert output_metric("mae").rows(outputs, GRADES)[:, 0].tolist() == [0.0] * len(GRADES)
    halves = corpus_from(np.array(GRADES, dtype=np.float16), float, "a").items
    assert output_metric("mae").rows(halves, GRADES)[:, 0].tolist() == [0.0] * len(GRADES)


@pytest.mark.parametrize(
    "numbers",
    [
        [0.1, 0.30000001192092896],  # 0.1 is a double
        [0.5, 0.25, 3.0],
        [1.00048828125, 7.000244140625],  # 4,096ths
        [16777218.0, 123456792.0],  # whole numbers
        [1234567.25, 0.5],
        [1e300, 0.5],
        [float("nan"), 0.1],
        [],
    ],
)
def test_double_precision_is_never_altered(numbers: list[float]) -> None:
    array = np.array(numbers)
    assert as_written(array) is array


def test_each_column_is_checked_separately() -> None:
    columns = np.column_stack([np.array(GRADES, dtype=np.float32).astype(float), GRADES])
    assert as_written(columns).T.tolist() == [GRADES, GRADES]
    whole = np.ones((3, 2))
    assert as_written(whole) is whole


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_decimals_are_those_that_numpy_prints(dtype: type) -> None:
    stream = np.random.default_rng(1)
    bits = stream.integers(0, 2 ** (8 * np.dtype(dtype).itemsize), 20_000, dtype=np.uint32)
    numbers: Any = np.frombuffer(bits.astype(f"u{np.dtype(dtype).itemsize}").tobytes(), dtype=dtype)
    numbers = np.concatenate([numbers[np.isfinite(numbers)], (stream.random(5_000) * 100).astype(dtype)])
    numbers = numbers[numbers != np.rint(numbers)]
    assert shortest_decimals(numbers).tolist() == [float(str(number)) for number in numbers]


def test_scores_of_a_log_are_read_as_the_shortest_decimals(tmp_path: Path) -> None:
    numbers = np.array(GRADES, dtype=np.float32).tolist()
    for system in ("a", "b"):
        rows = [{"doc_id": i, "doc": {}, "target": "", "grade": number} for i, number in enumerate(numbers)]
        path = tmp_path / system / "samples_t_2026-01-02T03-04-05.678901.jsonl"
        path.parent.mkdir()
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scores = outscore.read(tmp_path / "a", tmp_path / "b", metric="grade")
    assert scores.rows[0][0].values[:, 0].tolist() == GRADES
