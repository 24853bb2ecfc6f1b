"""Runs from end to end, with trainers of a line."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError, FileAccessError, OptionError
from outscore.reports import report
from tests.replication.kit import ReplicateRun, Replication, RunStatus, replicate

# -S: without it most of a test's time is Python's start.
COPY = [sys.executable, "-ISc", "import sys; open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read())"]
N = 20


def python(program: str, *more: str) -> list[str]:
    return [sys.executable, "-ISc", f"import sys, os, time\n{program}", "{train}", "{out}", *more]


@pytest.fixture
def train(tmp_path: Path) -> Path:
    path = tmp_path / "my train.txt"
    path.write_bytes(b"".join(b"line %d\n" % i for i in range(N)))
    return path


Make = Callable[..., Replication]


@pytest.fixture
def make(train: Path, tmp_path: Path) -> Make:
    def call(command: Sequence[str] = (*COPY, "{train}", "{out}"), **more: Any) -> Replication:
        options = {"sizes": [1.0, 0.5], "replicates": 2, "seed": 4, "family": "copy", **more}
        return replicate(command, [train], tmp_path / "runs", **options)

    return call


def board_of(result: Replication) -> dict[str, Any]:
    assert result.board is not None
    return tomllib.loads(Path(result.board).read_text(encoding="utf-8"))


def statuses(result: Replication) -> list[str]:
    return [run.status.value for run in result.runs]


def output(run: ReplicateRun) -> list[str]:
    assert run.output is not None
    return Path(run.output).read_text().splitlines()


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for counts as ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # gone before it was opened, or before it was read
        return True
    return state == "Z"


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(500):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def test_runs_get_what_was_drawn_and_the_board_lists_them(make: Make, tmp_path: Path) -> None:
    result = make()
    assert [(run.name, run.n_items) for run in result.runs] == [
        ("copy-1.0-01", 20),
        ("copy-1.0-02", 20),
        ("copy-0.5-01", 10),
        ("copy-0.5-02", 10),
    ]
    assert statuses(result) == ["finished"] * 4
    lines = {f"line {i}" for i in range(N)}
    for run in result.runs:
        assert len(output(run)) == run.n_items
        assert set(output(run)) <= lines
        assert sorted(path.name for path in (tmp_path / "runs" / run.name).iterdir()) == [
            "log.txt",
            "out.txt",
            "run.json",
        ]
    assert len({tuple(output(run)) for run in result.runs}) == 4
    assert board_of(result)["systems"][2] == {"name": "copy-0.5-01", "file": "copy-0.5-01/out.txt", "family": "copy"}
    assert (result.n_systems, result.families, result.failures) == (4, ["copy"], [])


def test_numbers_of_any_kind_name_the_same_runs(make: Make) -> None:
    made = make(sizes=[1.0, 0.5])
    again = make(sizes=np.array([1, 0.5]), replicates=np.int64(2), seed=np.int64(4))
    assert statuses(again) == ["kept"] * 4
    assert [run.name for run in make(sizes=[1], replicates=np.int64(2)).runs] == [run.name for run in made.runs[:2]]
    assert statuses(make(sizes=[0.25], replicates=1, seed=np.int64(4), family="new")) == ["finished"]


def test_the_number_of_jobs_changes_nothing(make: Make, tmp_path: Path) -> None:
    one = make()
    contents = [output(run) for run in one.runs]
    many = make(redo=True, jobs=3)
    assert statuses(many) == ["finished"] * 4
    assert [output(run) for run in many.runs] == contents


def test_jobs_run_side_by_side(make: Make, tmp_path: Path) -> None:
    # Each waits for the other: one at a time, both would run out of time.
    (tmp_path / "met").mkdir()
    meet = python(
        "open(sys.argv[3] + sys.argv[4], 'w')\n"
        "while len(os.listdir(sys.argv[3])) < 2: time.sleep(0.01)\n"
        "open(sys.argv[2], 'w').write('1')",
        str(tmp_path / "met") + os.sep,
        "{name}",
    )
    assert statuses(make(meet, sizes=[1.0], jobs=2, timeout=30)) == ["finished"] * 2


def test_files_are_drawn_together(make: Make, train: Path, tmp_path: Path) -> None:
    other = tmp_path / "t.fr"
    other.write_bytes(b"".join(b"ligne %d\r\n" % i for i in range(N)))
    paste = python(
        "open(sys.argv[2], 'w').writelines(a[:-1] + '|' + b for a, b in zip(*map(open, sys.argv[1::2])))", "{train2}"
    )
    result = replicate(paste, [train, other], tmp_path / "pairs", sizes=[0.5], replicates=2)
    for run in result.runs:
        pairs = [line.split("|") for line in output(run)]
        assert len(pairs) == 10
        assert all(left.split()[1] == right.split()[1] for left, right in pairs)


def test_a_trainer_gets_its_seed_and_its_name(make: Make) -> None:
    result = make(python("open(sys.argv[2], 'w').write(' '.join(sys.argv[3:]))", "{seed}", "{name}"))
    told = [output(run)[0].split() for run in result.runs]
    assert [name for _, name in told] == [run.name for run in result.runs]
    assert len({seed for seed, _ in told}) == 4


def test_what_is_finished_is_not_run_again_and_more_is_added(make: Make, tmp_path: Path) -> None:
    make(sizes=[0.5])
    before = tree(tmp_path / "runs" / "copy-0.5-01")
    again = make(replicates=3)
    assert statuses(again) == ["finished"] * 3 + ["kept", "kept", "finished"]
    assert tree(tmp_path / "runs" / "copy-0.5-01") == before
    assert again.n_systems == 6


def test_half_written_runs_are_made_again(make: Make, tmp_path: Path) -> None:
    make()
    finished = tmp_path / "runs" / "copy-1.0-02"
    expected = (finished / "out.txt").read_bytes()
    finished.rename(finished.with_name("copy-1.0-02.part"))
    (finished.with_name("copy-1.0-02.part") / "out.txt").write_bytes(expected[:7])
    result = make()
    assert statuses(result) == ["kept", "finished", "kept", "kept"]
    assert (finished / "out.txt").read_bytes() == expected
    assert not finished.with_name("copy-1.0-02.part").exists()


def test_a_failed_run_stops_nothing_keeps_its_log_and_is_tried_again(make: Make, tmp_path: Path) -> None:
    (tmp_path / "bad luck").mkdir()
    program = (
        "if sys.argv[3].endswith('02') and os.path.exists(sys.argv[4]): print('no luck'); sys.exit(3)\n"
        "open(sys.argv[2], 'w').write('1')"
    )
    command = python(program, "{name}", str(tmp_path / "bad luck"))
    told: list[ReplicateRun] = []
    first = make(command, ended=told.append, jobs=2)
    assert statuses(first) == ["finished", "failed", "finished", "failed"]
    assert sorted(run.name for run in told) == sorted(run.name for run in first.runs)
    bad = first.failures[0]
    assert (bad.exit_status, bad.problem, bad.output) == (3, "exit status 3", None)
    assert Path(bad.log).read_text() == "no luck\n"
    assert [system["name"] for system in board_of(first)["systems"]] == ["copy-1.0-01", "copy-0.5-01"]
    (tmp_path / "bad luck").rmdir()
    assert statuses(make(command)) == ["kept", "finished", "kept", "finished"]
    assert not list((tmp_path / "runs").glob("*.failed"))


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("pass", "nothing was written to {out}"),
        ("open(sys.argv[2], 'w')", "the file {out} is empty"),
        ("os.mkdir(sys.argv[2])", "nothing was written to {out}"),
        ("os.kill(os.getpid(), 9)", "ended by SIGKILL"),
        ("open(sys.argv[2], 'w').write('1'); sys.exit(1)", "exit status 1"),
        ("os.symlink('/nowhere', sys.argv[2])", "nothing was written to {out}"),
    ],
)
def test_a_run_without_outputs_has_failed(make: Make, program: str, problem: str) -> None:
    result = make(python(program), sizes=[1.0], replicates=1)
    assert [run.problem for run in result.runs] == [problem]
    assert result.board is None


@pytest.mark.parametrize(
    "also", ["pass", "os.symlink('/', folder)", "os.symlink('/nowhere', folder)", "open(folder, 'w')"]
)
def test_a_trainer_that_removes_its_own_folder_stops_no_other(make: Make, tmp_path: Path, also: str) -> None:
    removes = f"folder = os.path.dirname(sys.argv[2]); import shutil; shutil.rmtree(folder); {also}"
    program = f"if sys.argv[3].endswith('01'): {removes}\nelse: open(sys.argv[2], 'w').write('1')"
    for _ in range(2):
        result = make(python(program, "{name}"), sizes=[1.0])
        assert {run.name[-2:]: run.status.value for run in result.failures} == {"01": "failed"}
        assert result.failures[0].problem == "its folder, in which {out} belongs, was removed or replaced"
        assert Path(result.failures[0].log).read_text() == "The trainer removed its folder, and the log in it.\n"
        assert result.n_systems == 1
        assert not list((tmp_path / "runs").glob("*.part"))


@pytest.mark.parametrize("place", ["os.path.join(os.path.dirname(sys.argv[2]), 'best.txt')", "sys.argv[3]"])
def test_outputs_that_are_a_link_are_copied(make: Make, tmp_path: Path, place: str) -> None:
    program = f"place = {place}; open(place, 'w').write('1\\n'); os.symlink(place, sys.argv[2])"
    elsewhere = tmp_path / "elsewhere.txt"
    (run,) = make(python(program, str(elsewhere)), sizes=[1.0], replicates=1).runs
    elsewhere.unlink(missing_ok=True)
    assert run.output is not None
    assert not Path(run.output).is_symlink()
    assert output(run) == ["1"]


def test_a_run_whose_outputs_are_gone_is_made_again(make: Make, tmp_path: Path) -> None:
    make(sizes=[1.0])
    lost = tmp_path / "runs" / "copy-1.0-02" / "out.txt"
    expected = lost.read_bytes()
    lost.unlink()
    assert statuses(make(sizes=[1.0])) == ["kept", "finished"]
    assert lost.read_bytes() == expected


def test_half_written_runs_that_nobody_asks_for_go(make: Make, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    strange = {"copy-1.0-01.part.txt", "copy-x-01.part", "copy-mine.part", "other-1.0-07.part", "copy-2-1.0-01.part"}
    for name in {"copy-0.25-07.part", "copy-1e-05-01.part", "copy-2.5e-05-01.part", "copy-1.0-123.part", *strange}:
        (runs / name).mkdir(parents=True)
    make(sizes=[1.0], replicates=1)
    assert {path.name for path in runs.glob("*.part*")} == strange


def test_a_run_out_of_time_is_ended_with_all_that_it_started(make: Make, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    program = "os.fork()\nopen(sys.argv[3], 'a').write(f'{os.getpid()} ')\ntime.sleep(60)"
    result = make(python(program, str(pids)), sizes=[1.0], replicates=1, timeout=5)
    assert [run.status for run in result.runs] == [RunStatus.TIMED_OUT]
    assert result.runs[0].problem == "not finished after 5.0 s"
    found = [int(pid) for pid in pids.read_text().split()]
    assert len(found) == 2
    wait_for(lambda: all(map(gone, found)))


def test_what_a_finished_run_left_behind_is_ended(make: Make, tmp_path: Path) -> None:
    program = (
        "pid = os.fork()\nif not pid: time.sleep(60)\n"
        "open(sys.argv[3], 'w').write(str(pid))\nopen(sys.argv[2], 'w').write('1')"
    )
    assert statuses(make(python(program, str(tmp_path / "pid")), sizes=[1.0], replicates=1)) == ["finished"]
    wait_for(lambda: gone(int((tmp_path / "pid").read_text())))


def test_an_interruption_ends_what_runs_keeps_what_is_done_and_leaves_a_board(make: Make, tmp_path: Path) -> None:
    program = (
        "if sys.argv[3].endswith('02'):\n"
        "  open(sys.argv[4], 'w').write(str(os.getpid()))\n"
        "  if not os.path.exists(sys.argv[4] + '.go'): time.sleep(60)\n"
        "open(sys.argv[2], 'w').write('1')"
    )
    command = python(program, "{name}", str(tmp_path / "pid"))

    def interrupt(done: int, total: int) -> None:
        if done:
            wait_for(lambda: (tmp_path / "pid").exists() and bool((tmp_path / "pid").read_text()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(command, sizes=[1.0], jobs=2, progress=interrupt)
    assert gone(int((tmp_path / "pid").read_text()))
    board = tomllib.loads((tmp_path / "runs" / "board.toml").read_text())
    assert [system["name"] for system in board["systems"]] == ["copy-1.0-01"]
    (tmp_path / "pid.go").touch()
    assert statuses(make(command, sizes=[1.0])) == ["kept", "finished"]


def test_families_share_a_board_and_training_sets(make: Make) -> None:
    make()
    second = make(family="second")
    assert second.families == ["copy", "second"]
    assert second.n_systems == 8
    assert [output(run) for run in second.runs] == [output(run) for run in make().runs]


def test_a_board_keeps_what_the_user_has_added(make: Make, tmp_path: Path) -> None:
    result = make(sizes=[1.0])
    assert result.board is not None
    board = Path(result.board)
    published = {"name": "published", "file": "../published.txt", "family": "other"}
    board.write_text(
        'clusters = "docs.txt"\n[[systems]]\nname = "published"\nfile = "../published.txt"\nfamily = "other"\n'
    )
    found = board_of(make(sizes=[1.0]))
    assert found["clusters"] == "docs.txt"
    assert found["systems"][0] == published
    assert len(found["systems"]) == 3


def test_systems_that_have_no_family_are_counted_and_name_none(make: Make, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "board.toml").write_text('[[systems]]\nname = "published"\nfile = "../published.txt"\n')
    result = make(sizes=[1.0])
    assert (result.n_systems, result.families) == (3, ["copy"])
    assert "(3 systems; family: copy)" in report([result], "text")


def test_redo_makes_the_runs_of_this_call_again_and_no_others(make: Make, tmp_path: Path) -> None:
    make()
    before = tree(tmp_path / "runs")
    again = make(sizes=[0.5], replicates=1, redo=True)
    assert statuses(again) == ["finished"]
    assert again.n_systems == 4
    after = tree(tmp_path / "runs")
    assert {name for name in before if before[name] != after[name]} <= {"copy-0.5-01/run.json"}
    assert before.keys() == after.keys()


def test_a_finished_run_stays_where_the_new_one_fails(make: Make, tmp_path: Path) -> None:
    kept = make(sizes=[1.0])
    again = make(python("sys.exit(3)"), sizes=[1.0], redo=True)
    assert [run.problem for run in again.runs] == ["exit status 3; the earlier run is kept"] * 2
    assert again.n_systems == 2
    assert all(output(run) for run in kept.runs)
    assert statuses(make(sizes=[1.0])) == ["kept"] * 2


def test_redo_does_not_mix_runs_made_in_two_ways(make: Make, tmp_path: Path) -> None:
    make()
    before = tree(tmp_path / "runs")
    with pytest.raises(OptionError, match=r"does not cover copy-1\.0-01") as caught:
        make(seed=5, sizes=[0.5], redo=True)
    assert "the seed 4, not 5" in str(caught.value)
    assert tree(tmp_path / "runs") == before


def test_a_run_that_was_being_replaced_when_the_call_was_killed_is_there_again(make: Make, tmp_path: Path) -> None:
    make(sizes=[1.0])
    run = tmp_path / "runs" / "copy-1.0-01"
    expected = tree(run)
    run.rename(run.with_name("copy-1.0-01.replaced"))
    assert statuses(make(sizes=[1.0])) == ["kept", "kept"]
    assert tree(run) == expected
    shutil.copytree(run, run.with_name("copy-1.0-01.replaced"))
    assert make(sizes=[1.0]).n_systems == 2
    assert not run.with_name("copy-1.0-01.replaced").exists()


def test_a_half_written_run_goes_where_a_finished_one_is_kept(make: Make, tmp_path: Path) -> None:
    make()
    expected = tree(tmp_path / "runs")
    for name in ("copy-1.0-01.part", "copy-0.5-01.part", "other-1.0-01.part"):
        (tmp_path / "runs" / name).mkdir()
    assert statuses(make(sizes=[1.0])) == ["kept"] * 2
    assert tree(tmp_path / "runs") == expected
    assert [path.name for path in (tmp_path / "runs").glob("*.part")] == ["other-1.0-01.part"]


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("numerator,denominator\\n1,x\\n", "out.csv:2"),
        ("other,columns\\n1,2\\n", "out.csv"),
        ("numerator,denominator\\n1,2\\n0,4\\n", "out.csv: expected 3 items, as in first-1.0-01, got 2"),
    ],
)
def test_score_tables_that_cannot_be_ranked_fail_their_run(make: Make, written: str, problem: str) -> None:
    options: dict[str, Any] = {"sizes": [1.0], "replicates": 1, "suffix": ".csv", "metrics": ["ratio"]}
    good = make(
        python("open(sys.argv[2], 'w').write('numerator,denominator\\n1,2\\n0,4\\n1,3\\n')"), family="first", **options
    )
    assert (statuses(good), board_of(good)["metrics"]) == (["finished"], ["ratio"])
    [bad] = make(python(f"open(sys.argv[2], 'w').write('{written}')"), **options).runs
    assert bad.problem.startswith(problem)


def test_references_are_named_from_the_board(
    make: Make, train: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.conllu").write_text("x")
    result = make(references=["gold.conllu"])
    assert board_of(result)["references"] == ["../gold.conllu"]
    assert result.runs[0].output is not None
    assert result.runs[0].output.endswith("out.conllu")


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux alone")
def test_a_reference_whose_name_is_no_text_is_refused(make: Make, tmp_path: Path) -> None:
    gold = os.fsencode(tmp_path / "gold") + b"\xff.txt"
    with open(gold, "wb"):  # noqa: PTH123 - pathlib takes no bytes
        pass
    with pytest.raises(OptionError, match="not-utf8"):
        make(references=[os.fsdecode(gold)])


def test_names_of_all_kinds_are_written_as_toml(make: Make) -> None:
    family = "zwölf'äpfel #1 = [x]"
    found = board_of(make(family=family, sizes=[1.0]))
    assert {system["family"] for system in found["systems"]} == {family}


def test_relative_folders_do_not_depend_on_the_trainers_folder(
    train: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = python("os.chdir('/'); open(sys.argv[2], 'w').write(open(sys.argv[1]).read())")
    assert statuses(replicate(command, [train], "runs", sizes=[1.0], replicates=1)) == ["finished"]


def test_drawn_sets_are_kept_where_they_are_wanted(make: Make, tmp_path: Path) -> None:
    run = make(sizes=[1.0], keep_training_sets=True).runs[0]
    assert (tmp_path / "runs" / run.name / "train.txt").read_text().splitlines() == output(run)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"command": [*COPY, "{train}", "{out}", "more"]}, 'another command: nothing instead of "more"'),
        ({"seed": 5}, "the seed 4, not 5"),
        ({"suffix": ".tsv"}, 'outputs named "out.txt"'),
        ({"header": 1}, "with 0 lines of header"),
    ],
)
def test_a_family_made_in_another_way_is_refused(
    make: Make, changed: dict[str, Any], says: str, tmp_path: Path
) -> None:
    make()
    before = tree(tmp_path / "runs")
    with pytest.raises(OptionError) as caught:
        make(**changed)
    assert says in str(caught.value)
    assert "redo" in str(caught.value)
    assert tree(tmp_path / "runs") == before
    assert statuses(make(**changed, redo=True)) == ["finished"] * 4


def test_a_changed_training_set_or_script_is_refused(make: Make, train: Path, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(COPY[2])
    command = [sys.executable, str(script), "{train}", "{out}"]
    make(command)
    script.write_text(COPY[2] + "\n")
    with pytest.raises(OptionError, match=r"another content of the file .*train\.py"):
        make(command)
    script.write_text(COPY[2])
    train.write_bytes(train.read_bytes().replace(b"line 3", b"line 4"))
    with pytest.raises(OptionError, match="another training set"):
        make(command)


def test_a_strange_folder_is_left_alone(make: Make, tmp_path: Path) -> None:
    (tmp_path / "runs" / "copy-1.0-02").mkdir(parents=True)
    (tmp_path / "runs" / "copy-1.0-02" / "thesis.tex").write_text("dear")
    with pytest.raises(OptionError, match="not-a-run"):
        make()
    with pytest.raises(OptionError, match="not-a-run"):
        make(redo=True)
    assert (tmp_path / "runs" / "copy-1.0-02" / "thesis.tex").read_text() == "dear"


@pytest.mark.parametrize("content", ["{", "[]", "[" * 50_000, '{"schema": "outscore/replicate-run/1"}', '{"schema": 3'])
def test_a_broken_record_is_told(make: Make, tmp_path: Path, content: str) -> None:
    make()
    (tmp_path / "runs" / "copy-1.0-02" / "run.json").write_text(content)
    with pytest.raises(DataError, match="bad-record"):
        make()


@pytest.mark.parametrize(
    ("content", "slug"),
    [
        ("systems = [", "not-toml"),
        (f"{'a.' * 200}b = 1", "unknown-key"),
        ("systems = 3", "bad-board"),
        ("systems = [3]", "bad-board"),
    ],
)
def test_a_broken_board_is_told_before_anything_runs(make: Make, tmp_path: Path, content: str, slug: str) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "board.toml").write_text(content)
    with pytest.raises(DataError, match=slug):
        make()
    assert not list((tmp_path / "runs").glob("copy*"))


def test_a_folder_that_cannot_be_made_is_told(make: Make, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(FileAccessError, match="cannot-write"):
        make()


def test_two_calls_do_not_make_the_same_family_at_once(make: Make, tmp_path: Path) -> None:
    go = tmp_path / "go"
    command = python(f"while not os.path.exists({str(go)!r}): time.sleep(0.01)\nopen(sys.argv[2], 'w').write('1')")
    first = threading.Thread(target=lambda: make(command, sizes=[1.0], replicates=1))
    first.start()
    try:
        wait_for(lambda: (tmp_path / "runs" / "copy-1.0-01.part" / "log.txt").exists())
        with pytest.raises(OptionError, match="in-use"):
            make(command, sizes=[1.0], replicates=1)
        assert statuses(make(family="other", sizes=[1.0], replicates=1)) == ["finished"]
    finally:
        go.touch()
        first.join()
    assert statuses(make(command, sizes=[1.0], replicates=1)) == ["kept"]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"jobs": 0}, "jobs: "),
        ({"timeout": 0}, "timeout: "),
        ({"timeout": float("nan")}, "timeout: "),
        ({"header": -1}, "header: "),
        ({"family": ""}, "family: "),
        ({"family": "../up"}, "family: "),
        ({"family": ".hidden"}, "family: "),
        ({"family": "a\nb"}, "family: "),
        ({"suffix": "txt"}, "suffix: "),
        ({"suffix": "./x"}, "suffix: "),
        ({"references": ["no-such-file"]}, "no-such-file"),
    ],
)
def test_options_out_of_range_are_refused(make: Make, changed: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises((OptionError, FileAccessError)) as caught:
        make(**changed)
    assert says in str(caught.value)
    assert not (tmp_path / "runs").exists()


def test_a_record_tells_how_a_system_was_made(make: Make, tmp_path: Path) -> None:
    run = make().runs[0]
    record = json.loads((tmp_path / "runs" / run.name / "run.json").read_text())
    assert record["schema"] == "outscore/replicate-run/1"
    assert record["recipe"]["command"] == [*COPY, "{train}", "{out}"]
    assert record["recipe"]["seed"] == 4
    assert (record["exit_status"], record["n_items"], record["output"]) == (0, 20, "out.txt")
    assert os.fspath(tmp_path) not in json.dumps(record["recipe"]["train"])


@pytest.mark.skipif(sys.platform == "win32", reason="words are text there")
def test_a_record_is_ascii_and_gives_back_words_that_are_no_text(make: Make, tmp_path: Path) -> None:
    command = [*COPY, "{train}", "{out}", "zwölf", os.fsdecode(b"\xff")]
    run = make(command).runs[0]
    text = (tmp_path / "runs" / run.name / "run.json").read_text(encoding="ascii")
    assert json.loads(text)["recipe"]["command"] == command
    assert statuses(make(command)) == ["kept"] * 4
