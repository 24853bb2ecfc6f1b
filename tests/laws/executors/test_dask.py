"""A Dask cluster gives the same bits as one thread, whatever becomes of its workers, and is lost in one line."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import outscore
from outscore import StudyOptions, plan_power
from outscore._types import FloatArray
from outscore.errors import ClusterError, MissingDependencyError, OptionError
from outscore.laws.executors import completed, executor_of, mapped, task_size
from outscore.significance import Resampling
from tests.laws.executors.conftest import Apart
from tests.laws.kit import SHARD, BootstrapScheme, Engine
from tests.running import Runner

distributed = pytest.importorskip("distributed", reason="clusters are those of Dask, the extra [cluster]")

ROWS = np.random.default_rng(1).normal(size=(50, 3))
SCHEME = BootstrapScheme(len(ROWS))
R = 200 * SHARD + 5
SYSTEMS = np.random.default_rng(2).normal(size=(3, 60)) + np.array([[0.0], [0.1], [0.4]])


def first_column(totals: FloatArray) -> FloatArray:
    return totals[:, :1]


def ends(marker: Path, processes: Sequence[int], totals: FloatArray) -> FloatArray:
    """Kill processes, or that of the task where none is named, once."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return first_column(totals)
    for process in processes or [os.getpid()]:
        os.kill(process, signal.SIGKILL)
    return first_column(totals)


def always_ends(_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuses(value: int) -> int:
    if value == 3:
        raise ZeroDivisionError("of the task")
    return value


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with distributed.Client(cluster, set_as_default=False) as one:
        yield one


@pytest.fixture(scope="module")
def expected() -> FloatArray:
    return Engine(5).replicates(SCHEME, ROWS, first_column, R)


def test_a_cluster_gives_the_same_bits_by_any_name(address: str, client: Any, expected: FloatArray) -> None:
    for name in (address, client, client.get_executor(retries=1)):
        engine = Engine(5, executor_of(name))
        np.testing.assert_array_equal(engine.replicates(SCHEME, ROWS, first_column, R), expected)
    assert client.status == "running", "a client of somebody else's stays open"


def test_every_question_gives_the_same_on_a_cluster(address: str) -> None:
    drawn = {"method": "monte-carlo", "n_resamples": 3 * SHARD, "executor": address}
    alone = {**drawn, "executor": None}
    table = dict(zip("abc", SYSTEMS, strict=True))

    def answers(asked: dict[str, Any]) -> list[str]:
        options = StudyOptions(resampling=Resampling(**{**asked, "n_resamples": 300}))
        pilot = outscore.pilot(*SYSTEMS[:2], metric="mean", n_sets=600, executor=asked["executor"])
        return [
            outscore.compare(*SYSTEMS, metric="mean", tests=["bootstrap", "randomization"], **asked).to_json(),
            outscore.rank(table, metric="mean", **asked).to_json(),
            outscore.score(table, metric="mean", **asked).to_json(),
            outscore.study_calibration(table, options, metric="mean", repeats=9).to_json(),
            plan_power(pilot, [50], 0.2, tests="paired-t").to_json(),
        ]

    assert answers(drawn) == answers(alone)
    gc.collect()  # connections are closed when nothing holds them
    deadline = time.monotonic() + 60
    while any(one.status == "running" for one in distributed.Client._instances) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [one for one in distributed.Client._instances if one.status == "running"], "connections are closed"


def test_what_a_lost_worker_was_to_do_is_done_again(address: str, expected: FloatArray, tmp_path: Path) -> None:
    told = []
    engine = Engine(5, executor_of(address), lambda done, of: told.append((done, of)))
    found = engine.replicates(SCHEME, ROWS, partial(ends, tmp_path / "once", ()), R)
    np.testing.assert_array_equal(found, expected)
    assert (tmp_path / "once").exists()
    assert told[-1] == (R, R)
    assert told == sorted(told)


def test_data_that_all_workers_lost_are_sent_again(
    cluster: Any, client: Any, expected: FloatArray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One task may be sent from the first worker that is killed to the second before that is gone, too.
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 9)
    client.wait_for_workers(2)
    processes = list(client.run(os.getpid).values())
    engine = Engine(5, executor_of(client))
    found = engine.replicates(SCHEME, ROWS, partial(ends, tmp_path / "once", processes), R)
    np.testing.assert_array_equal(found, expected)
    assert (tmp_path / "once").exists()


def test_what_ends_every_worker_is_told_in_a_line(address: str) -> None:
    with pytest.raises(ClusterError, match=r"lost with its worker 2 times.*\[lost-workers\]$"):
        list(mapped(executor_of(address), always_ends, [0]))


def test_errors_of_tasks_are_their_own_and_others_go_on(address: str) -> None:
    executor = executor_of(address)
    assert executor is not None
    with pytest.raises(ZeroDivisionError, match="of the task"):
        list(mapped(executor, refuses, range(9)))
    found = {task: ended.exception() for task, ended in completed(executor, refuses, range(9), at_once=2)}
    assert sorted(found) == list(range(9))
    assert [task for task, error in found.items() if error is not None] == [3]


def test_garbage_is_collected_while_another_connection_starts(address: str) -> None:
    executor = executor_of(address)
    assert task_size(executor, 10, 16) == 16, "it has connected"
    held = [executor]
    del executor
    collecting = Thread(target=held.clear, daemon=True)
    with distributed.utils.LoopRunner._lock:  # as while a client starts
        collecting.start()
        collecting.join(timeout=30)
        assert not collecting.is_alive()


def test_tasks_are_few_and_not_too_large(client: Any) -> None:
    executor = executor_of(client)
    deadline = time.monotonic() + 60
    while getattr(executor, "n_workers", 2) != 2 and time.monotonic() < deadline:  # one may be coming back
        time.sleep(0.1)
    assert task_size(executor, 10, 16) == 16
    assert task_size(executor, 800, 16) == 100
    assert task_size(executor, 10**6, 16) == 256


def test_a_scheduler_that_dies_is_told_in_a_line(apart: Apart, tmp_path: Path) -> None:
    engine = Engine(5, executor_of(apart.address))
    with pytest.raises(ClusterError, match=r"^dask://127.*the connection to its scheduler is lost.*\[lost-cluster\]$"):
        engine.replicates(SCHEME, ROWS, partial(ends, tmp_path / "once", [apart.scheduler.pid]), R)


@pytest.mark.parametrize(
    "name", ["dask://", "slurm://x", "dask://host", "dask://host:0", "dask://host:1e9", "dask://host:1/x", "tcp://h:1"]
)
def test_what_names_no_scheduler_is_refused_before_anything_is_read(
    outscore: Runner, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for command in ("compare a b", "rank a", "score a", "study gain a", "plan power a b --items 9 --gain 1"):
        run = outscore(*command.split(), "--executor", name)
        assert (run.status, run.out, run.err.count("\n")) == (2, "", 1), run.err
        assert run.err.startswith("--executor: expected dask://HOST:PORT, got ")
        assert run.err.endswith("[bad-executor]\n")
    monkeypatch.setenv("OUTSCORE_EXECUTOR", name)
    assert outscore("compare", "a", "b").err.startswith("OUTSCORE_EXECUTOR: expected dask://HOST:PORT, got ")
    assert outscore("compare", "a", "b", "--executor", "other").err.startswith("--executor: ")
    with pytest.raises(OptionError, match=r"^executor: expected dask://HOST:PORT"):
        outscore_compare(executor=name)


def outscore_compare(**more: Any) -> None:
    outscore.compare(*SYSTEMS[:2], metric="mean", method="monte-carlo", n_resamples=600, **more).to_json()


def test_an_asynchronous_client_and_a_missing_package_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"\[wrong-type\]$"):
        outscore_compare(executor=client.submit(len, ""))
    monkeypatch.setattr("outscore.laws.executors.dask.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"pip install distributed \["):
        outscore_compare(executor="dask://127.0.0.1:1")


def test_who_does_not_answer_as_a_scheduler_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outscore.laws.executors.dask._PATIENCE", 0.3)
    with closing(socket.socket()) as mute:
        mute.bind(("127.0.0.1", 0))
        nobody = mute.getsockname()[1]
        with pytest.raises(ClusterError, match=r"^dask://127.0.0.1:\d+: no Dask scheduler answered.*\[no-cluster\]$"):
            outscore_compare(executor=f"dask://127.0.0.1:{nobody}")
        mute.listen()
        with pytest.raises(ClusterError, match=r"\[no-cluster\]$"):
            outscore_compare(executor=f"dask://127.0.0.1:{nobody}")


def test_a_cluster_without_workers_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outscore.laws.executors.dask._WORKERS_PATIENCE", 0.2)
    with (
        distributed.LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as empty,
        pytest.raises(ClusterError, match=r"no workers joined.*\[no-workers\]$"),
    ):
        outscore_compare(executor=empty.scheduler_address.replace("tcp", "dask"))


def test_workers_of_another_version_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outscore.laws.executors.dask.__version__", "0.0.1")
    with pytest.raises(ClusterError, match=r"runs outscore \d.*, but this is 0\.0\.1\. .*\[other-version\]$"):
        outscore_compare(executor=client)


def command_line(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "outscore", *arguments], capture_output=True, text=True, cwd=folder, check=False
    )


def test_the_command_line_computes_on_a_cluster_and_loses_it_in_a_line(apart: Apart, tmp_path: Path) -> None:
    for name, scores in zip("ab", SYSTEMS, strict=False):
        (tmp_path / f"{name}.txt").write_text("".join(f"{x!r}\n" for x in scores.tolist()))
    asked = ("compare", "a.txt", "b.txt", "--method", "monte-carlo", "--n-resamples", "3e4", "--format", "json")
    alone = command_line(tmp_path, *asked)
    there = command_line(tmp_path, *asked, "--executor", apart.address)
    assert (there.returncode, there.stdout, there.stderr) == (0, alone.stdout, alone.stderr)
    trainer = [
        "-c",
        "import os, signal, sys, time\nname, out, pid, _ = sys.argv[1:]\n"
        "os.kill(int(pid), signal.SIGKILL) if name.endswith('2') else open(out, 'w').write('1\\n')",
    ]
    (tmp_path / "train.txt").write_text("1\n2\n")
    lost = command_line(
        tmp_path,
        *("replicate", "--train", "train.txt", "--out", "runs", "--sizes", "1", "--replicates", "2", "--jobs", "1"),
        *("--family", "f", "--executor", apart.address, "--", sys.executable, *trainer),
        *("{name}", "{out}", str(apart.scheduler.pid), "{train}"),
    )
    assert (lost.returncode, lost.stdout, lost.stderr.count("\n")) == (2, "", 1), lost.stderr
    assert lost.stderr.endswith("[lost-cluster]\n")
    assert (tmp_path / "runs" / "f-1.0-01" / "out.txt").read_text() == "1\n"
