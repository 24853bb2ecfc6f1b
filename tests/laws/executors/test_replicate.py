"""`replicate` on a cluster: bytes go there and come back, and no run is lost with a worker."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from outscore.errors import ClusterError
from tests.laws.executors.conftest import Apart, wait_for
from tests.replication.kit import Replication, replicate
from tests.replication.test_replicate import gone, statuses, tree

pytest.importorskip("distributed", reason="clusters are those of Dask, the extra [cluster]")

COPY = "open(out, 'wb').write(open(train, 'rb').read())"


def trainer(program: str, *more: str) -> list[str]:
    head = "import os, signal, sys, time\ntrain, out, name = sys.argv[1:4]\n"
    return [sys.executable, "-ISc", head + program, "{train}", "{out}", "{name}", *more]


Make = Callable[..., Replication]


@pytest.fixture
def make(tmp_path: Path, address: str) -> Make:
    (tmp_path / "train.txt").write_bytes(b"".join(b"line %d\n" % i for i in range(20)))

    def call(command: Sequence[str], out: str = "runs", **more: Any) -> Replication:
        options = {"sizes": [1.0, 0.5], "replicates": 2, "seed": 4, "family": "f", "executor": address, **more}
        return replicate(command, [tmp_path / "train.txt"], tmp_path / out, **options)

    return call


def without_times(folder: Path) -> dict[str, bytes]:
    """Return all files but the records, which say how long a run took."""
    return {name: content for name, content in tree(folder).items() if not name.endswith(("run.json", ".lock"))}


def test_runs_on_a_cluster_are_those_made_here(make: Make, tmp_path: Path) -> None:
    command = trainer("print('of', name)\n" + COPY)
    assert statuses(make(command, "here", executor=None)) == ["finished"] * 4
    here = without_times(tmp_path / "here")
    assert here["f-1.0-01/log.txt"] == b"of f-1.0-01\n"
    there = make(command)
    assert statuses(there) == ["finished"] * 4
    assert without_times(tmp_path / "runs") == here
    assert statuses(make(command)) == ["kept"] * 4
    assert statuses(make(command, "here")) == ["kept"] * 4
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, get_context("spawn")) as processes:
        for name, executor in (("threads", threads), ("processes", processes)):
            assert statuses(make(command, name, executor=executor, jobs=2)) == ["finished"] * 4
            assert without_times(tmp_path / name) == here


def test_kept_training_sets_are_those_of_the_runs(make: Make, tmp_path: Path) -> None:
    make(trainer(COPY), keep_training_sets=True)
    for run in (tmp_path / "runs").glob("f-*"):
        assert (run / "train.txt").read_bytes() == (run / "out.txt").read_bytes()


def test_a_run_whose_worker_is_killed_is_made_again(make: Make, tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    once = "if name.endswith('02') and not os.path.exists(sys.argv[4]):\n"
    once += "    open(sys.argv[4], 'x').close(); os.kill(os.getppid(), signal.SIGKILL); sys.exit()\n"
    result = make(trainer(once + COPY, str(marker)), sizes=[1.0])
    assert marker.exists()
    assert statuses(result) == ["finished"] * 2


def test_a_run_that_kills_its_workers_fails_alone(make: Make) -> None:
    fatal = "if name == 'f-0.5-01': os.kill(os.getppid(), signal.SIGKILL); sys.exit()\n"
    result = make(trainer(fatal + COPY), jobs=1)
    assert statuses(result) == ["finished", "finished", "failed", "finished"]
    assert "lost with its worker 2 times" in result.failures[0].problem


def test_failures_timeouts_and_logs_come_back(make: Make, tmp_path: Path) -> None:
    program = "print('begun', flush=True)\nif name == 'f-1.0-01': sys.exit(3)\nif name == 'f-1.0-02': sys.exit()\n"
    result = make(trainer(program + COPY))
    assert statuses(result) == ["failed", "failed", "finished", "finished"]
    assert [run.problem for run in result.failures] == ["exit status 3", "nothing was written to {out}"]
    for run in result.runs:
        assert Path(run.log).read_text() == "begun\n"
    slow = make(trainer("time.sleep(600)"), "slow", sizes=[1.0], timeout=0.5)
    assert statuses(slow) == ["timed-out"] * 2


def test_what_the_command_names_must_be_the_same_there(make: Make, tmp_path: Path, cluster: Any) -> None:
    script = tmp_path / "fit.py"
    script.write_text("import sys\nopen(sys.argv[2], 'w').write('1\\n')\n")
    command = [sys.executable, str(script), "{train}", "{out}"]
    assert statuses(make(command, replicates=1)) == ["finished"] * 2
    relative = [sys.executable, "fit.py", "{train}", "{out}"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)  # where the workers are not
        failed = make(relative, "other", replicates=1)
    assert "the file fit.py does not exist in " in failed.failures[0].problem
    unknown = make(["no-such-program", "{train}", "{out}"], "third", replicates=1)
    assert unknown.failures[0].problem == "could not be started: no such file or directory"


def test_an_interruption_ends_runs_and_keeps_what_is_finished(make: Make, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    program = (
        "if name.endswith('02'):\n"
        "    open(sys.argv[4] + '.part', 'w').write(str(os.getpid())); os.rename(sys.argv[4] + '.part', sys.argv[4])\n"
        "    time.sleep(600)\n"
        "while not os.path.exists(sys.argv[4]): time.sleep(0.02)\n"
    )

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(trainer(program + COPY, str(pid)), sizes=[1.0], ended=interrupt)
    wait_for(lambda: gone(int(pid.read_text())))
    assert [path.parent.name for path in (tmp_path / "runs").glob("*/run.json")] == ["f-1.0-01"]
    assert "f-1.0-01" in (tmp_path / "runs" / "board.toml").read_text()


def test_finished_runs_are_kept_when_the_scheduler_dies(make: Make, apart: Apart, tmp_path: Path) -> None:
    fatal = "if name.endswith('02') and len(sys.argv) > 4: os.kill(int(sys.argv[4]), signal.SIGKILL); time.sleep(600)\n"
    pid = tmp_path / "scheduler"
    pid.write_text(str(apart.scheduler.pid))
    fatal = fatal.replace("int(sys.argv[4])", "int(open(sys.argv[4]).read())").replace(
        "len(sys.argv) > 4", "os.path.exists(sys.argv[4])"
    )
    command = trainer(fatal + COPY, os.fspath(pid))
    with pytest.raises(ClusterError, match=r"\[lost-cluster\]$"):
        make(command, sizes=[1.0], jobs=1, executor=apart.address)
    pid.unlink()
    assert statuses(make(command, sizes=[1.0])) == ["kept", "finished"]
