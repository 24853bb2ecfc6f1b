"""`outscore replicate`: what it prints, how it exits, what it does when it is interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import Runner

COPY = [sys.executable, "-ISc", "import sys; open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read())"]
SMALL = ["--out", "runs", "--sizes", "1.0,0.5", "--replicates", "2", "--family", "copy"]


@pytest.fixture
def train(tmp_path: Path) -> str:
    (tmp_path / "train.txt").write_text("".join(f"{i}\n" for i in range(2000)))
    return "train.txt"


def test_the_summary(outscore: Runner, train: str) -> None:
    run = outscore("replicate", "--train", train, *SMALL, "--", *COPY, "{train}", "{out}")
    assert (run.status, run.err) == (0, "")
    lines = run.out.splitlines()
    assert lines[0] == "copy: training sets drawn from 2,000 lines of train.txt, seed 12345"
    assert lines[2].split() == ["size", "items", "finished", "kept", "failed", "median", "time"]
    assert lines[3].split()[:5] == ["1.0", "2,000", "2", "0", "0"]
    assert lines[4].split()[:5] == ["0.5", "1,000", "2", "0", "0"]
    assert lines[-1] == "Board: runs/board.toml (4 systems; family: copy)"


def test_the_json(outscore: Runner, train: str) -> None:
    argv = ["replicate", "--train", train, *SMALL, "--seed", "0", "--format", "json", "--", *COPY, "{train}", "{out}"]
    found = json.loads(outscore(*argv).out)
    assert found["schema"] == "outscore/replication/1"
    assert (found["seed"], found["n_items"], found["n_systems"], found["families"]) == (0, 2000, 4, ["copy"])
    assert [run["status"] for run in found["runs"]] == ["finished"] * 4
    assert [run["status"] for run in json.loads(outscore(*argv).out)["runs"]] == ["kept"] * 4


def test_failures_are_told_at_once_and_give_status_1(outscore: Runner, train: str) -> None:
    run = outscore("replicate", "--train", train, *SMALL, "-q", "--", sys.executable, "-c", "{train} {out} !")
    assert (run.status, run.out) == (1, "")
    assert len(run.err.splitlines()) == 4
    assert (
        run.err.splitlines()[0] == "outscore: copy-1.0-01: failed: exit status 1. See runs/copy-1.0-01.failed/log.txt."
    )


def test_options_after_the_dashes_are_the_commands_own(outscore: Runner, train: str) -> None:
    program = "import sys; open(sys.argv[-1], 'w').write(repr(sys.argv[1:5]))"
    own = ["--train", "{train}", "--sizes", "-q"]
    run = outscore("replicate", "--train", train, *SMALL, "--", sys.executable, "-c", program, *own, "{out}")
    assert run.status == 0
    assert "'--sizes', '-q'" in Path("runs/copy-1.0-01/out.txt").read_text()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--train", "train.txt", "--out", "runs"], "expected a command"),
        (["--train", "train.txt", "--out", "runs", "--", "cp", "{train}"], "expected {out}"),
        (["--train", "train.txt", "--out", "runs", "--", "no-such-program", "{train}", "{out}"], "command-not-found"),
        (["--train", "none.txt", "--out", "runs", "--", *COPY, "{train}", "{out}"], "none.txt"),
        (["--train", "empty.txt", "--out", "runs", "--", *COPY, "{train}", "{out}"], "[empty]"),
        (["--train", "train.txt", "--out", "train.txt", "--", *COPY, "{train}", "{out}"], "cannot write"),
        (["--train", "train.txt", "--out", "runs", "--sizes", "0", "--", *COPY, "{train}", "{out}"], "--sizes"),
        (["--train", "train.txt", "--out", "runs", "--sizes", "half", "--", *COPY, "{train}", "{out}"], '"half"'),
        (["--train", "train.txt", "--out", "runs", "--sizes", "", "--", *COPY, "{train}", "{out}"], "--sizes"),
        (["--train", "train.txt", "--out", "runs", "--jobs", "0", "--", *COPY, "{train}", "{out}"], "--jobs"),
        (["--train", "train.txt", "--out", "runs", "--jobs", "-1", "--", *COPY, "{train}", "{out}"], "--jobs"),
        (["--train", "train.txt", "--out", "runs", "--timeout", "-1", "--", *COPY, "{train}", "{out}"], "--timeout"),
        (
            ["--train", "train.txt", "--out", "runs", "--replicates", "0", "--", *COPY, "{train}", "{out}"],
            "--replicates",
        ),
        (["--train", "train.txt", "--out", "runs", "--unit", "words", "--", *COPY, "{train}", "{out}"], "words"),
        (["--train", "train.txt", "--out", "runs", "--unit", "conllu", "--", *COPY, "{train}", "{out}"], "not-conllu"),
        (["--train", "train.txt", "--train", "two.txt", "--out", "runs", "--", "cp", "{train}", "{out}"], "{train2}"),
        (
            ["--train", "train.txt", "--train", "two.txt", "--out", "runs", "--", "cp", "{train}{train2}", "{out}"],
            "two.txt",
        ),
        (["--train", "train.txt", "--out", "runs", "--seed", "x", "--", *COPY, "{train}", "{out}"], "--seed"),
        (["--train", "train.txt", "--", *COPY, "{train}", "{out}"], "--out"),
        (["--train", "train.txt", "--out", "runs", "cp", "-v", "{train}", "{out}"], "-v"),
    ],
)
def test_mistakes_are_one_line_and_status_2(
    outscore: Runner, train: str, tmp_path: Path, options: list[str], says: str
) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "two.txt").write_text("1\n2\n")
    run = outscore("replicate", *options)
    assert (run.status, run.out) == (2, "")
    assert run.err.count("\n") == 1
    assert says in run.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_running_and_the_same_call_goes_on(
    outscore: Runner, train: str, tmp_path: Path, number: signal.Signals
) -> None:
    program = (
        "import os, sys, time\n"
        "if sys.argv[3].endswith('02') and not os.path.exists(os.path.dirname(sys.argv[2]) + '/../../go'):\n"
        "  open(os.path.dirname(sys.argv[2]) + '/../../pid', 'w').write(f'{os.getpid()}.')\n"
        "  time.sleep(60)\n"
        "open(sys.argv[2], 'w').write('1')"
    )
    argv = ["replicate", "--train", train, *SMALL, "--", sys.executable, "-ISc", program, "{train}", "{out}", "{name}"]
    outer = subprocess.Popen(
        [sys.executable, "-m", "outscore", *argv],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    for _ in range(1000):
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("."):
            break
        time.sleep(0.02)
    outer.send_signal(number)
    out, err = outer.communicate(timeout=60)
    assert (outer.returncode, out) == (130, "")
    assert err == "outscore: interrupted; what is finished is kept in runs. The same call goes on from there.\n"
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text().rstrip(".")), 0)
    (tmp_path / "go").touch()
    run = outscore(*argv)
    assert run.status == 0
    assert [line.split()[2:5] for line in run.out.splitlines()[3:5]] == [["1", "1", "0"], ["2", "0", "0"]]
