"""No output replaces a file that a command reads, or another output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.running import Runner

Link: TypeAlias = Callable[[Path, Path], None]

BOARD = """references = "gold.labels"
metrics = "accuracy"
clusters = "clusters.txt"
strata = "strata.txt"
""" + "".join(f'[[systems]]\nname = "{name}"\nfile = "{name}.labels"\n' for name in "abc")
READ_BY_BOARDS = ["board.toml", "gold.labels", "c.labels", "clusters.txt", "strata.txt", "systems.tsv", "marks.tsv"]
STUDY = "board.toml --families systems.tsv:group --relations marks.tsv:kind --n-resamples 50"
SCORED = "a.labels b.labels -m accuracy -r gold.labels"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for turn, name in enumerate(("gold", "a", "b", "c")):
        labels = ["xy"[(i + (i * turn) % 5 // 4) % 2] for i in range(24)]
        (tmp_path / f"{name}.labels").write_text("\n".join(labels) + "\n")
    (tmp_path / "clusters.txt").write_text("".join(f"t{i // 2}\n" for i in range(24)))
    (tmp_path / "strata.txt").write_text("".join(f"d{i // 12}\n" for i in range(24)))
    (tmp_path / "systems.tsv").write_text("system\tgroup\na\tf\nb\tf\nc\tg\n")
    (tmp_path / "marks.tsv").write_text("system\tkind\na\tcombination\nb\t\nc\t\n")
    (tmp_path / "source.txt").write_text("text\n" * 24)
    (tmp_path / "board.toml").write_text(BOARD)
    return tmp_path


CASES = [
    *((f"study gain {STUDY}", name) for name in READ_BY_BOARDS),
    *(("rank board.toml --families systems.tsv:group --n-resamples 50", name) for name in READ_BY_BOARDS[:-1]),
    ("study domains board.toml --n-resamples 50", "strata.txt"),
    ("study calibration board.toml --transfer board.toml", "c.labels"),
    *((f"compare {SCORED} --cluster clusters.txt", name) for name in ("b.labels", "gold.labels", "clusters.txt")),
    *(
        (f"plan power {SCORED} --items 50 --gain 0.1 --cluster clusters.txt", name)
        for name in ("gold.labels", "clusters.txt")
    ),
]


@pytest.mark.parametrize(("command", "name"), CASES)
@pytest.mark.parametrize("option", ["-o", "--report"])
def test_what_is_read_is_not_written(outscore: Runner, folder: Path, command: str, name: str, option: str) -> None:
    before = (folder / name).read_bytes()
    run = outscore(*command.split(), "--format", "json", option, name)
    assert (run.status, run.out) == (2, "")
    advice = f"Choose another file for {option}."
    assert run.err == f"{name}: is also an input file. {advice} [overwrites-input]\n"
    assert (folder / name).read_bytes() == before


def test_sources_are_not_overwritten(outscore: Runner, folder: Path) -> None:
    run = outscore("compare", *SCORED.split(), "--source", "source.txt", "--report", "source.txt")
    assert run.err.endswith("for --report. [overwrites-input]\n")
    assert (folder / "source.txt").read_text() == "text\n" * 24


def test_a_chart_is_no_input(outscore: Runner, folder: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    (folder / "clusters.txt").rename(folder / "clusters.json")
    (folder / "board.toml").write_text(BOARD.replace("clusters.txt", "clusters.json"))
    before = (folder / "clusters.json").read_bytes()
    run = outscore("rank", "board.toml", "--chart", "clusters.json")
    assert run.err.endswith("for --chart. [overwrites-input]\n")
    assert (folder / "clusters.json").read_bytes() == before


def test_kept_rows_are_no_input(outscore: Runner, folder: Path) -> None:
    (folder / "gold.npz").write_bytes((folder / "gold.labels").read_bytes())
    run = outscore("rows", "a.labels", "-m", "accuracy", "-r", "gold.npz", "--input-format", "labels", "-o", "gold.npz")
    assert run.err.endswith("[overwrites-input]\n"), run.err


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_other_names_of_a_file_are_that_file(outscore: Runner, folder: Path, link: Link) -> None:
    link(folder / "c.labels", folder / "other.txt")
    assert outscore("rank", "board.toml", "-o", "other.txt").err.endswith("[overwrites-input]\n")


@pytest.mark.parametrize("option", ["--report", "--chart"])
@pytest.mark.parametrize("there", [True, False])
def test_two_outputs_are_two_files(outscore: Runner, folder: Path, option: str, there: bool) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    if there:
        (folder / "same.json").write_text("old")
    run = outscore("study", "gain", *STUDY.split(), "-o", "same.json", option, "./same.json")
    # A chart is drawn last, so its file is opened first.
    first, name, last = ("-o", "./same.json", option) if option == "--report" else (option, "same.json", "-o")
    said = f"{name}: would be written by {first} as well. Choose another file for {last}. [same-output]\n"
    assert (run.status, run.err) == (2, said)
    assert [path.read_text() for path in folder.glob("same.json")] == ["old"] * there


@pytest.mark.skipif(not Path(os.devnull).exists(), reason="no null device of this name")
def test_devices_may_be_written_twice(outscore: Runner, folder: Path) -> None:
    assert outscore("rank", "board.toml", "-o", os.devnull, "--report", os.devnull).status == 0


@pytest.mark.parametrize("command", [f"compare {SCORED}", "rank board.toml", "study gain board.toml"])
@pytest.mark.parametrize(("name", "advice"), [("x.html", "--format html for only its tables."), ("x.log", "--format.")])
def test_endings_that_mean_no_format_are_refused(
    outscore: Runner, folder: Path, command: str, name: str, advice: str
) -> None:
    run = outscore(*command.split(), "-o", name)
    assert run.status == 2
    assert f'got "{Path(name).suffix}"' in run.err
    assert run.err.endswith(f"{advice} [unknown-format]\n")
    assert not (folder / name).exists()
    assert outscore(*command.split(), "-o", name, "--format", "text").status == 0


def test_a_name_tells_the_format_of_a_comparison(outscore: Runner, folder: Path) -> None:
    run = outscore("compare", *SCORED.split(), "-o", "x.xlsx")
    assert run.err.startswith(
        '--output: expected a name ending in .txt, .json, .csv, .parquet, .md, .tex, .typ, .bib, got ".xlsx".'
    )
    assert outscore("compare", *SCORED.split(), "-o", "x.csv").status == 0
    assert (folder / "x.csv").read_text().startswith("metric,baseline,candidate,")
