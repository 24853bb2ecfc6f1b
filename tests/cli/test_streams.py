"""What nobody reads, cannot be written or goes wrong without warning: the exit status, the files and one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import pytest

from tests.cli.kit import run
from tests.running import Runner

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals")
GATE = ("gate", "old.csv", "new.csv", "-m", "accuracy", "--margin", "0.02")


@pytest.fixture(autouse=True)
def systems(outscore: Runner, tmp_path: Path) -> None:
    del outscore  # it goes to the folder
    for name, wrong in (("old", range(20)), ("new", range(20, 80)), ("same", range(20)), ("other", range(10, 32))):
        lines = [f"q{item},{int(item not in wrong)}" for item in range(400)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,accuracy", *lines]))


def status_of(
    *argv: str,
    out: int | IO[Any] = subprocess.DEVNULL,
    err: int | IO[Any] = subprocess.PIPE,
    environment: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Run the command as a process, and return its exit status and what it writes to standard error."""
    known: Mapping[str, str] = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(environment or {})}
    command = [sys.executable, "-m", "outscore", *argv]
    done = subprocess.run(command, stdout=out, stderr=err, env=known, text=True, check=False)
    return done.returncode, done.stderr or ""


@pytest.fixture
def closed() -> IO[bytes]:
    """The end of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "wb")


@pytest.mark.parametrize(
    ("candidate", "status", "more"),
    [
        ("same.csv", 0, ()),
        ("new.csv", 1, ("--github",)),
        ("other.csv", 3, ("--format", "json", "--github")),
        ("new.csv", 1, ("-o", "/dev/stdout")),
    ],
)
def test_a_closed_pipe_changes_neither_the_status_of_a_gate_nor_its_files(
    closed: IO[bytes], candidate: str, status: int, more: tuple[str, ...]
) -> None:
    files = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary.md"}
    with closed:
        argv = ("gate", "old.csv", candidate, *GATE[3:], "--junit", "junit.xml", *more)
        ended, err = status_of(*argv, out=closed, environment=files)
    assert ended == status
    assert not [line for line in err.splitlines() if not line.startswith("::")]
    assert "<testsuite" in Path("junit.xml").read_text(encoding="utf-8")
    if "--github" in more:
        assert f"exit-status={status}\n" in Path("output").read_text()
        assert Path("summary.md").exists()


def test_a_closed_pipe_loses_no_look_at_a_stored_baseline(closed: IO[bytes], outscore: Runner) -> None:
    assert outscore("gate", "accept", "old.csv", "-m", "accuracy", "-o", "store.json").status == 0
    with closed:
        assert status_of("gate", "store.json", "new.csv", "--margin", "0.02", out=closed) == (1, "")
    assert '"outcome": "failed"' in Path("store.json").read_text()


@pytest.mark.parametrize("argv", [("--help",), ("metrics",), ("compare", "old.csv", "new.csv", "-m", "accuracy")])
def test_other_commands_end_well_where_nobody_reads_their_output(closed: IO[bytes], argv: tuple[str, ...]) -> None:
    with closed:
        assert status_of(*argv, out=closed) == (0, "")


def test_an_error_that_nobody_reads_is_an_error(closed: IO[bytes]) -> None:
    with closed:
        assert status_of("gate", "old.csv", "nowhere.csv", *GATE[3:], out=closed, err=closed)[0] == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk")
@pytest.mark.parametrize("argv", [GATE, ("metrics",), ("--help",)])
def test_a_full_disk_is_an_error(argv: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        status, err = status_of(*argv, out=full)
    expected = "standard output: cannot write: no space left on device. Pass a file with -o. [cannot-write]\n"
    assert (status, err) == (2, expected)


def test_a_closed_standard_output_is_no_concern_of_a_command_that_writes_a_file() -> None:
    command = f"exec {sys.executable} -m outscore {' '.join(GATE)} -o report.txt >&-"
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(["sh", "-c", command], env=known, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert Path("report.txt").read_text(encoding="utf-8").startswith("Failed: ")


class Panic(BaseException):
    """What is no Exception, as a panic of polars is."""


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (MemoryError(), "outscore: out of memory. Use smaller files or more memory. [out-of-memory]"),
        (RecursionError("too\ndeep"), "outscore: unexpected error: RecursionError: too deep (test_streams.py:"),
        (ZeroDivisionError(), "outscore: unexpected error: ZeroDivisionError (test_streams.py:"),
        (BrokenPipeError(32, "Broken pipe"), "outscore: unexpected error: BrokenPipeError: [Errno 32] Broken pipe ("),
        (SystemExit(0), "outscore: unexpected error: SystemExit: 0 (test_streams.py:"),
        (Panic("\x1b[31m"), r"outscore: unexpected error: Panic: \x1b[31m (test_streams.py:"),
    ],
)
def test_an_unexpected_error_is_one_line_and_status_2(
    outscore: Runner, monkeypatch: pytest.MonkeyPatch, error: BaseException, line: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("outscore.wings.gating.command.gate_sources", fail)
    done = outscore(*GATE)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(line)
    assert done.err.count("\n") == 1
    monkeypatch.setenv("OUTSCORE_TRACEBACK", "1")
    done = outscore(*GATE)
    assert done.status == 2
    assert done.err.startswith("Traceback (most recent call last):\n")
    assert line in done.err


@pytest.mark.usefixtures("hang_ups")
@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_that_a_library_catches_ends_the_command_all_the_same(
    capsys: pytest.CaptureFixture[str], name: str, status: int
) -> None:
    def command() -> int:
        sys.stdout.write("an answer")
        try:
            os.kill(os.getpid(), signal.Signals[name])
        except KeyboardInterrupt:
            os.kill(os.getpid(), signal.Signals[name])  # once more is no concern
        return 0

    before = signal.getsignal(signal.Signals[name])
    assert run(command) == status
    assert signal.getsignal(signal.Signals[name]) is before
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "outscore: interrupted; nothing was written.\n")


@pytest.mark.parametrize("name", ["::add-mask::y.csv", "##[add-mask]y.csv"])
def test_no_line_of_an_error_is_a_workflow_command(outscore: Runner, name: str) -> None:
    done = outscore("gate", "old.csv", name, *GATE[3:], "--github")
    assert done.status == 2
    before, *lines, after = done.err.splitlines()
    token = before.removeprefix("::stop-commands::")
    assert len(token) == 32
    assert after == f"::{token}::"
    assert any(name in line for line in lines)
    assert "stop-commands" not in outscore("gate", "old.csv", "nowhere.csv", *GATE[3:], "--github").err
    assert "stop-commands" not in outscore("gate", "old.csv", name, *GATE[3:]).err


@pytest.fixture
def writer() -> Callable[[], subprocess.Popen[str]]:
    """Start a process that is about to write result.json, and wait until it has begun."""
    program = (
        "import time\nfrom outscore.destinations import file_destination\n"
        "with file_destination('result.json') as write:\n"
        "    write(b'half')\n    print('begun', flush=True)\n    time.sleep(300)\n"
    )

    def started() -> subprocess.Popen[str]:
        known = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen([sys.executable, "-c", program], env=known, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        return process

    return started


def test_the_next_run_removes_what_a_killed_one_left_and_nothing_else(
    outscore: Runner, writer: Callable[[], subprocess.Popen[str]]
) -> None:
    killed = writer()
    killed.kill()
    killed.communicate()
    (abandoned,) = Path().glob(".result.json.*.part")
    at_work = writer()
    assert not abandoned.exists()
    (own,) = Path().glob(".result.json.*.part")
    for other in (".result.json.part", ".other.json.abcdefgh.part", ".result.json.abcdefgh.bak"):
        Path(other).write_text("not ours")
    assert outscore("compare", "old.csv", "new.csv", "-m", "accuracy", "-o", "result.json").status == 0
    assert sorted(path.name for path in Path().glob(".*")) == sorted(
        [own.name, ".result.json.part", ".other.json.abcdefgh.part", ".result.json.abcdefgh.bak"]
    )
    at_work.terminate()
    at_work.communicate()
