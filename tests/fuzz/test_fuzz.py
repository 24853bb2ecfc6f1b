"""Part of what ``python -m tests.fuzz`` does for an hour; the files are the same in every run."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest

from outscore.errors import DataError
from outscore.readers import read_table
from tests.fuzz.calls import VALID, Calls, calls, functions
from tests.fuzz.environments import environments
from tests.fuzz.targets import CORPUS, MENDED, Target, targets
from tests.fuzz.trying import once, trials

TARGETS = [*targets(), *calls()]
OF_TARGETS = pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])
# Numbers of the files that each reader is tried with; the slow tests try those that the others do not.
FILES = [pytest.param(range(50), id="few"), pytest.param(range(50, 150), id="more", marks=pytest.mark.slow)]
# Readers draw options at random, from which a file may be refused; a valid file is read with some of these.
DRAWS = 60


@OF_TARGETS
@pytest.mark.parametrize("numbers", FILES)
def test_a_mutated_file_is_a_result_or_an_error_of_one_line(target: Target, tmp_path: Path, numbers: range) -> None:
    some = list(islice(trials(target, 0, tmp_path, numbers.start), len(numbers)))
    failures = [f"--reader '{target.name}' --number {one.number}: {one.failure}" for one in some if one.failure]
    assert not failures, f"{len(failures)} of {len(some)} files; {failures[0]}"
    # Of calls with several wrong values all may be refused.
    assert isinstance(target, Calls) or not all(one.refused for one in some)


@OF_TARGETS
def test_a_valid_file_is_read(target: Target, tmp_path: Path) -> None:
    assert target.own, f"put valid files into {CORPUS / target.name}"
    target.prepare(tmp_path)
    beside = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    if target.name == "command-line":
        return
    refused = [
        name
        for name, data in target.own
        if all(once(target, tmp_path, beside, name, data, Random(draw))[0] for draw in range(DRAWS))
    ]
    # Some stand for no log by themselves.
    assert len(refused) < len(target.own) / 2, refused


@OF_TARGETS
def test_a_file_is_a_function_of_its_number(target: Target) -> None:
    for number in range(10):
        first, again = (target.case(Random(number)) for _ in range(2))
        assert first == again


@pytest.mark.parametrize("path", sorted(MENDED.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_handled_wrongly_once_is_handled_well(path: Path, tmp_path: Path) -> None:
    (target,) = (one for one in TARGETS if one.name == path.parent.name)
    target.prepare(tmp_path)
    beside = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for draw in range(DRAWS):
        assert once(target, tmp_path, beside, path.name, path.read_bytes(), Random(draw))[2] is None


def test_nobody_hears_threads_that_panic_at_damaged_parquet(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DataError, match="not-parquet"):
        read_table(str(MENDED / "table-Parquet" / "panic.parquet"))
    assert capfd.readouterr() == ("", "")


def test_every_public_function_is_called() -> None:
    assert {*VALID} == {*functions()}, "write a valid call of every public function into tests/fuzz/calls.py"


@pytest.mark.parametrize("target", calls(), ids=functions())
def test_a_wrong_value_of_any_argument_is_an_error_of_one_line(target: Calls, tmp_path: Path) -> None:
    target.prepare(tmp_path)
    beside = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    found = {data: once(target, tmp_path, beside, "call.json", data, Random(0)) for data in target.each()}
    failures = [f"{data.decode()}: {failure}" for data, (_, _, failure) in found.items() if failure]
    assert not failures, f"{len(failures)} of {len(found)} calls; {failures[0]}"
    assert any(refused for refused, _, _ in found.values())


@pytest.mark.slow
@pytest.mark.parametrize("target", environments(), ids=lambda target: target.circumstance)
def test_a_command_ends_well_in_odd_circumstances(target: Target, tmp_path: Path) -> None:
    """One command in each; `python -m tests.fuzz` tries others."""
    assert next(trials(target, 0, tmp_path)).failure is None


def test_folders_of_the_corpus_and_of_mended_files_are_those_of_readers() -> None:
    names = {target.name for target in TARGETS}
    assert {path.name for folder in (CORPUS, MENDED) for path in folder.iterdir()} <= names
