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

from tests.running import Runner

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
    assert lines[4].split()[:5] == ["1.0", "2,000", "2", "0", "0"]
    assert lines[5].split()[:5] == ["0.5", "1,000", "2", "0", "0"]
    assert lines[-1] == "- Leaderboard file: runs/board.toml (4 systems; family: copy)"


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


@pytest.mark.parametrize(
    ("output", "slug"),
    [
        ("train.txt", "overwrites-input"),
        ("./script.py", "overwrites-input"),
        ("settings.json", "overwrites-input"),
        ("gold.txt", "overwrites-input"),
        ("runs/board.json", "overwrites-run"),
        ("summary.csv", "unknown-format"),
    ],
)
def test_a_summary_takes_the_place_of_no_other_file(
    outscore: Runner, train: str, tmp_path: Path, output: str, slug: str
) -> None:
    (tmp_path / "script.py").write_text(COPY[2])
    (tmp_path / "settings.json").write_text("{}")
    (tmp_path / "gold.txt").write_text("1\n" * 2000)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    command = [sys.executable, "script.py", "{train}", "{out}", "--settings=settings.json"]
    form = ["--format", "text"] if output.endswith(".py") else []
    run = outscore("replicate", "--train", train, "-r", "gold.txt", *SMALL, "-o", output, *form, "--", *command)
    assert (run.status, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.endswith(f"[{slug}]\n")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_name_of_the_file_says_the_format(outscore: Runner, train: str) -> None:
    run = outscore("replicate", "--train", train, *SMALL, "-o", "summary.json", "--", *COPY, "{train}", "{out}")
    assert (run.status, run.out, run.err) == (0, "", "")
    assert json.loads(Path("summary.json").read_text())["n_systems"] == 4


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
        (["--train", "train.txt", "--out", "runs", "--replicates", "1.5", "--", *COPY, "{train}", "{out}"], '"1.5"'),
        (["--train", "train.txt", "--out", "runs", "--sizes", "50", "--", *COPY, "{train}", "{out}"], "--sizes"),
        (["--train", "train.txt", "--out", "runs", "-m", "nonsense", "--", *COPY, "{train}", "{out}"], '"nonsense"'),
        (
            [
                "--train",
                "train.txt",
                "--out",
                "runs",
                "-m",
                "nonsense",
                "-r",
                "two.txt",
                "--",
                *COPY,
                "{train}",
                "{out}",
            ],
            '"nonsense"',
        ),
        (["--train", "train.txt", "--out", "runs", "-m", "bleu", "--", *COPY, "{train}", "{out}"], "--reference"),
        (
            ["--train", "train.txt", "--out", "runs", "-m", "las", "-r", "two.txt", "--", *COPY, "{train}", "{out}"],
            "two.txt:1",
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


# Its second run of a size waits for the file `go`.
WAITING = [
    sys.executable,
    "-ISc",
    "import os, sys, time\n"
    "top = os.getcwd() + '/'\n"
    "if sys.argv[3].endswith('02') and not os.path.exists(top + 'go'):\n"
    "  open(top + 'pid', 'w').write(f'{os.getpid()}.')\n"
    "  for _ in range(3000):\n"
    "    if os.path.exists(top + 'go'): break\n"
    "    time.sleep(0.02)\n"
    "  open(top + 'late', 'w').close()\n"
    "open(sys.argv[2], 'w').write('1')",
    "{train}",
    "{out}",
    "{name}",
]


def started(argv: list[str], folder: Path, *before: str) -> subprocess.Popen[str]:
    words = [*before, sys.executable, "-m", "outscore", *argv]
    return subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder)


def pid_in(folder: Path) -> int:
    """Return the process that waits, once it does."""
    for _ in range(1000):
        if (folder / "pid").exists() and (folder / "pid").read_text().endswith("."):
            return int((folder / "pid").read_text().rstrip("."))
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def ends(pid: int) -> bool:
    """Tell whether a process ends within ten seconds; who took it over may take a moment to clear it away."""
    stat = Path(f"/proc/{pid}/stat")
    for _ in range(500):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.usefixtures("hang_ups")
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_an_interruption_leaves_nothing_running_and_the_same_call_goes_on(
    outscore: Runner, train: str, tmp_path: Path, name: str, status: int
) -> None:
    argv = ["replicate", "--train", train, *SMALL, "--", *WAITING]
    outer = started(argv, tmp_path)
    pid = pid_in(tmp_path)
    outer.send_signal(signal.Signals[name])
    out, err = outer.communicate(timeout=60)
    assert (outer.returncode, out) == (status, "")
    assert err == "outscore: interrupted; finished runs are kept in runs. Repeat the call to continue.\n"
    assert ends(pid)
    (tmp_path / "go").touch()
    run = outscore(*argv)
    assert run.status == 0
    assert [line.split()[2:5] for line in run.out.splitlines()[4:6]] == [["1", "1", "0"], ["2", "0", "0"]]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interruption_of_redo_says_how_to_go_on(outscore: Runner, train: str, tmp_path: Path) -> None:
    argv = ["replicate", "--train", train, *SMALL, "--", *WAITING]
    (tmp_path / "go").touch()
    assert outscore(*argv).status == 0
    (tmp_path / "go").unlink()
    outer = started([argv[0], "--redo", *argv[1:]], tmp_path)
    pid = pid_in(tmp_path)
    outer.send_signal(signal.SIGINT)
    _, err = outer.communicate(timeout=60)
    assert outer.returncode == 130
    assert ends(pid)  # until then it holds the lock of its folder
    assert "goes on" not in err
    assert (
        "Repeat the call with --redo to make all of them again, or without --redo to make only the missing ones." in err
    )
    run = outscore(*argv)
    assert [line.split()[2:5] for line in run.out.splitlines()[4:6]] == [["0", "2", "0"], ["0", "2", "0"]]
    assert not list((tmp_path / "runs").glob("*.part"))


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_hang_up_that_is_ignored_stops_nothing(train: str, tmp_path: Path) -> None:
    argv = ["replicate", "--train", train, *SMALL, "--", *WAITING]
    outer = started(argv, tmp_path, "sh", "-c", 'trap "" HUP; exec "$@"', "sh")
    pid_in(tmp_path)
    outer.send_signal(signal.SIGHUP)
    (tmp_path / "go").touch()
    outer.communicate(timeout=60)
    assert outer.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no lock")
def test_a_trainer_that_outlives_its_call_does_not_write_into_the_next(
    outscore: Runner, train: str, tmp_path: Path
) -> None:
    argv = ["replicate", "--train", train, *SMALL, "--", *WAITING]
    outer = started(argv, tmp_path)
    pid = pid_in(tmp_path)
    outer.kill()
    # Not communicate(): nothing of its output is of interest.
    outer.wait(60)
    os.kill(pid, 0)  # it lives
    run = outscore(*argv)
    assert (run.status, run.out) == (2, "")
    assert run.err.endswith("[in-use]\n")
    (tmp_path / "go").touch()
    for _ in range(1000):
        if (tmp_path / "late").exists():
            break
        time.sleep(0.02)
    run = outscore(*argv)
    assert run.status == 0
    assert [line.split()[2:5] for line in run.out.splitlines()[4:6]] == [["1", "1", "0"], ["2", "0", "0"]]
    for stream in (outer.stdout, outer.stderr):
        assert stream is not None
        stream.close()


def test_sizes_in_per_cent_and_counts_with_an_exponent(outscore: Runner, train: str) -> None:
    argv = ["replicate", "--train", train, "--out", "runs", "--family", "copy", "-q", "--format", "json"]
    run = outscore(*argv, "--sizes", "33.3%,0.5", "--replicates", "0.2e1", "--", *COPY, "{train}", "{out}")
    assert run.status == 0
    assert [each["name"] for each in json.loads(run.out)["runs"]] == [
        f"copy-{size}-{number}" for size in ("0.333", "0.5") for number in ("01", "02")
    ]


def test_outputs_that_do_not_fit_their_references_fail_their_run(outscore: Runner, train: str, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("1\n" * 1000)
    argv = ["replicate", "--train", train, *SMALL, "-q"]
    scored = [*argv, "-r", "gold.txt", "-m", "chrf"]
    run = outscore(*scored, "--", *COPY, "{train}", "{out}")
    assert (run.status, run.out) == (1, "")
    told = run.err.splitlines()
    assert [line.split(": ")[1] for line in told] == ["copy-1.0-01", "copy-1.0-02"]
    assert all("failed: out.txt: expected 1000 items as in gold.txt, got 2000." in line for line in told)
    assert ".part" not in run.err
    # Another family is held to what the board says already.
    run = outscore(*argv[:-2], "other", "-q", "--", *COPY, "{train}", "{out}")
    assert (run.status, len(run.err.splitlines())) == (1, 2)
