"""What `outscore compare` does with good input."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.running import Run, Runner

GREATER = ("--alternative", "greater")


def parsed(run: Run) -> dict[str, Any]:
    assert run.status == 0, run.err
    found: dict[str, Any] = json.loads(run.out)
    return found


def only_test(run: Run) -> dict[str, Any]:
    [comparison] = parsed(run)["comparisons"]
    [test] = comparison["tests"]
    found: dict[str, Any] = test
    return found


def test_binary_items_take_the_randomization_test(outscore: Runner, jansen: tuple[str, str]) -> None:
    found = parsed(outscore("compare", *jansen, "--format", "json"))
    assert found["signature"].startswith("test:randomization|centre:0|alternative:two-sided|ties:count|r:exact|n:10|")
    [comparison] = found["comparisons"]
    test, beside = comparison["tests"]
    assert list(test)[-1] == "reason"
    assert (test["name"], test["reason"], beside["name"]) == ("randomization", None, "bootstrap")
    assert comparison["warnings"] == []
    # C(7, 4) / 2^7 + C(7, 5) / 2^7 + ..., of both sides: more than 1.
    assert test["p_value"] == 1.0
    interval = comparison["interval"]
    assert (interval["method"], interval["exact"], interval["confidence_level"]) == ("randomization", True, 0.95)
    assert (interval["low"], interval["high"]) == (pytest.approx(-0.5, abs=1e-5), pytest.approx(0.75, abs=1e-5))


@pytest.mark.parametrize(("alternative", "open_end"), [("greater", "high"), ("less", "low")])
def test_a_one_sided_test_bounds_the_gain_on_one_side(
    alternative: str, open_end: str, outscore: Runner, jansen: tuple[str, str]
) -> None:
    asked = ("compare", *jansen, "--alternative", alternative)
    interval = parsed(outscore(*asked, "--format", "json"))["comparisons"][0]["interval"]
    assert [end for end in ("low", "high") if interval[end] is None] == [open_end]
    text = outscore(*asked).out
    assert f"bound: at {'least' if alternative == 'greater' else 'most'}" in " ".join(text.split())
    assert "inf" not in text


@pytest.mark.parametrize(
    ("options", "p_value"),
    [
        (["-t", "bootstrap", *GREATER], 0.429402952),
        (["-t", "bootstrap", *GREATER, "--ties", "strict"], 0.288713728),
        (["-t", "bootstrap-uncentred", *GREATER], 0.421732332),
        (["-t", "mcnemar", *GREATER], 0.5),
        (["-t", "mcnemar", "--alternative", "two-sided"], 1.0),
        (["-t", "bootstrap-uncentred"], 2 * 0.421732332),
    ],
)
def test_options_reach_the_tests(
    options: Sequence[str], p_value: float, outscore: Runner, jansen: tuple[str, str]
) -> None:
    assert only_test(outscore("compare", *jansen, "--format", "json", *options))["p_value"] == pytest.approx(p_value)


def test_monte_carlo_options(outscore: Runner, jansen: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap = ["compare", *jansen, "--format", "json", "-t", "bootstrap", *GREATER]
    sampled = [*bootstrap, "--method", "monte-carlo", "--n-resamples", "1e3"]
    default = only_test(outscore(*sampled))
    assert default["n_resamples"] == 1000
    assert default["p_value"] == (default["n_exceeding"] + 1) / 1001
    assert only_test(outscore(*sampled, "--estimator", "plain"))["p_value"] == default["n_exceeding"] / 1000
    assert only_test(outscore(*sampled, "--jobs", "2")) == default
    zero = only_test(outscore(*sampled, "--seed", "0"))
    assert zero["n_exceeding"] != default["n_exceeding"]
    monkeypatch.setenv("OUTSCORE_SEED", "0")
    assert only_test(outscore(*sampled)) == zero
    drawn = parsed(outscore(*sampled, "--seed", "none"))
    assert only_test(outscore(*sampled, "--seed", str(drawn["seed"]))) == drawn["comparisons"][0]["tests"][0]


def test_files_of_every_kind_give_the_same_result(
    outscore: Runner, jansen: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("--test", "randomization", "--format", "json")
    expected = only_test(outscore("compare", *jansen, *asked))["p_value"]
    baseline = (tmp_path / jansen[0]).read_text().split()
    candidate = (tmp_path / jansen[1]).read_text().split()
    order = [3, 1, 4, 0, 5, 9, 2, 6, 8, 7]  # pairing is by id, whatever the order
    (tmp_path / "a.csv").write_text("item,score\r\n" + "".join(f"q{i},{x}\r\n" for i, x in enumerate(baseline)))
    (tmp_path / "b.jsonl").write_text("".join(f'{{"id": "q{i}", "correct": {candidate[i]}}}\n' for i in order))
    with gzip.open(tmp_path / "b.tsv.gz", "wt") as file:
        file.write("id\tscore\n" + "".join(f"q{i}\t{candidate[i]}\n" for i in order))
    (tmp_path / "both.tsv").write_text(
        "item\told\tnew\n"
        + "".join(f"q{i}\t{x}\t{y}\n" for i, (x, y) in enumerate(zip(baseline, candidate, strict=True)))
    )
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO((tmp_path / jansen[1]).read_bytes())))
    for pair in [
        ("a.csv", "b.jsonl"),
        ("a.csv", "b.tsv.gz"),
        ("both.tsv:old", "both.tsv:new"),
        ("baseline.txt", "both.tsv:new"),
        ("baseline.txt", "-"),
    ]:
        assert only_test(outscore("compare", *pair, *asked))["p_value"] == expected, pair


@pytest.mark.parametrize("cluster", ["doc", "docs.txt", "items.tsv:doc"])
def test_clusters_from_a_column_a_file_or_another_table(cluster: str, outscore: Runner, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = [(f"q{i}", i // 3, rng.integers(2), rng.integers(2)) for i in range(30)]
    (tmp_path / "a.csv").write_text("id,doc,score\n" + "".join(f"{i},{d},{x}\n" for i, d, x, _ in lines))
    (tmp_path / "b.csv").write_text("id,score\n" + "".join(f"{i},{y}\n" for i, _, _, y in lines))
    (tmp_path / "docs.txt").write_text("".join(f"{d}\n" for _, d, _, _ in lines))
    (tmp_path / "items.tsv").write_text("id\tdoc\n" + "".join(f"{i}\t{d}\n" for i, d, _, _ in reversed(lines)))
    found = parsed(
        outscore("compare", "a.csv", "b.csv", "--cluster", cluster, "--format", "json", "-t", "randomization")
    )
    assert (found["n_items"], found["n_units"]) == (30, 10)
    assert "unit:cluster" in found["signature"]


@pytest.mark.parametrize(("name", "start"), [("r.json", "{"), ("r.tex", "%"), ("r.md", ""), ("r.txt", "experimental")])
def test_output_files_are_written_in_the_format_of_their_name(
    name: str, start: str, outscore: Runner, jansen: tuple[str, str], tmp_path: Path
) -> None:
    run = outscore("compare", *jansen, "-o", name)
    assert (run.status, run.out, run.err) == (0, "", "")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*jansen, name])


def test_an_interruption_leaves_no_file(jansen: tuple[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "outscore", "compare", *jansen, "--method", "monte-carlo", "--n-resamples", "1e8"]
    process = subprocess.Popen([*command, "-o", "r.json"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".r.json.*")) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()  # where interruptions are ignored, as in the background of a shell
    assert process.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(jansen)


def test_a_reader_that_goes_away_is_no_error(jansen: tuple[str, str], tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "outscore", "compare", *jansen],
            cwd=tmp_path,
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(write)
    assert done.stderr == b""


def test_an_ascii_terminal_gets_ascii(jansen: tuple[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "outscore", "compare", *jansen],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.isascii()
    assert b"p = 1.0000" in done.stdout


def test_the_default_comparison_does_not_wait_for_scipy(jansen: tuple[str, str], tmp_path: Path) -> None:
    for name in jansen:
        (tmp_path / name).write_text((tmp_path / name).read_text() * 7)
    code = (
        "import sys\nfrom outscore.cli import main\n"
        f"try: main(['compare', *{jansen!r}])\nexcept SystemExit: pass\n"
        "heavy = {'scipy', 'pandas', 'polars', 'narwhals'} & set(sys.modules)\nsys.exit(' '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_help_names_every_test(outscore: Runner) -> None:
    from outscore.significance import TESTS

    run = outscore("compare", "--help-all")
    assert run.status == 0
    assert all(name in run.out for name in TESTS)
