"""What `outscore compare` does with good input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

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
