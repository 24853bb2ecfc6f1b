"""Parquet: the table that CSV holds, with types."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.running import Runner

pl: Any = pytest.importorskip("polars")

SYSTEMS = {"one": "1101010110", "two": "0111010111", "three": "0000010101"}
RANK = ("rank", *(f"{name}.txt" for name in SYSTEMS), "-m", "accuracy", "--n-resamples", "200")
COMMANDS: dict[str, tuple[str, ...]] = {
    "compare": ("compare", "one.txt", "two.txt", "three.txt", "-m", "accuracy", "-m", "mean"),
    "rank": RANK,
    "pairs": (*RANK, "--pairs", "-t", "mcnemar,paired-t", "-m", "mean"),
    "score": ("score", "one.txt", "two.txt", "-m", "accuracy"),
    "gate": ("gate", "one.txt", "two.txt", "-m", "accuracy", "--margin", "0.9"),
    "study": ("study", "gain", *RANK[1:]),
    "thresholds": ("study", "gain", *RANK[1:], "--table", "thresholds"),
    "plan": ("plan", "power", "--items", "200", "--gain", "2%", "--hurt", "2%"),
    "table of a plan": ("plan", "table", "--items", "100", "--gain", "2%"),
}


@pytest.fixture
def files(tmp_path: Path) -> None:
    for name, answers in SYSTEMS.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{answer}\n" for answer in answers * 3))


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_parquet_is_csv_with_types(outscore: Runner, files: None, command: tuple[str, ...]) -> None:
    text, binary = outscore(*command, "--format", "csv"), outscore(*command, "-o", "table.parquet")
    assert (text.status, binary.status, binary.out, binary.err) == (0, 0, "", text.err)
    frame = pl.read_parquet("table.parquet")
    assert frame.height > 0
    assert {pl.Float64} < set(frame.dtypes) <= {pl.String, pl.Float64, pl.Int64, pl.Boolean}
    assert frame.equals(pl.read_csv(StringIO(text.out), schema=frame.schema))


def test_types_do_not_depend_on_what_there_is(outscore: Runner, files: None) -> None:
    outscore(*RANK, "--pairs", "-o", "pairs.parquet")
    types = {
        "gain": pl.Float64,
        "wins": pl.Int64,
        "p_maxt": pl.Float64,
        "exact": pl.Boolean,
        "n_exceeding": pl.Int64,
        "same_family": pl.Boolean,
        "metric": pl.String,
    }
    exact = pl.read_parquet("pairs.parquet")
    assert {name: exact.schema[name] for name in types} == types
    assert exact["n_exceeding"].null_count() == exact["same_family"].null_count() == exact.height
    outscore(*RANK, "--pairs", "--method", "monte-carlo", "-o", "pairs.parquet")
    sampled = pl.read_parquet("pairs.parquet")
    assert sampled["n_exceeding"].null_count() == 0
    assert pl.concat([exact, sampled]).height == 6


def test_a_pipe_is_written_and_a_terminal_is_not(
    outscore: Runner, files: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-m", "outscore", *RANK, "--format", "parquet"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert pl.read_parquet(BytesIO(done.stdout)).height == 3
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    run = outscore(*RANK[:1], "absent.txt", "--format", "parquet")  # before anything is read
    assert (run.status, run.out) == (2, "")
    assert (
        run.err == "--format: parquet is binary and cannot be printed to a terminal. Pass a file with -o. [terminal]\n"
    )
    assert outscore(*RANK, "-o", "table.parquet").status == 0


def test_without_polars_nothing_is_computed(outscore: Runner, files: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    run = outscore("rank", "absent.txt", "-o", "table.parquet")
    assert (run.status, run.out) == (2, "")
    assert run.err == (
        "--format: needs the package polars, which is not installed. Run: pip install polars [missing-dependency]\n"
    )


def test_a_file_is_whole_or_as_it_was(outscore: Runner, files: None) -> None:
    Path("table.parquet").write_bytes(b"old")
    assert outscore("rank", "one.txt", "absent.txt", "-o", "table.parquet").status == 2
    assert Path("table.parquet").read_bytes() == b"old"
    outscore(*RANK, "-o", "table.parquet")
    assert pl.read_parquet("table.parquet").height == 3
    assert not list(Path().glob(".*"))


def test_names_that_are_no_unicode_are_spelt_out(tmp_path: Path) -> None:
    import outscore

    systems = {"caf\udce9": [1, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5}
    ranking = outscore.rank(systems, metric="accuracy", n_resamples=100)
    frame = pl.read_parquet(BytesIO(ranking.to_parquet()))
    assert set(frame["name"]) == {"caf\\udce9", "b"}
