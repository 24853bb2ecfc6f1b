"""Runs on workers, with files transferred as bytes."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from outscore.laws.executors.dask import still_wanted
from outscore.wings.replication.runs import LOG
from outscore.wings.replication.trainers import Command, Exit, Job, digest_of, run_jobs
from outscore.wings.replication.training_sets import Draw, TrainingSet

_MOST_LOG = 2**23  # bytes of a log that are transferred: its end


@dataclass(frozen=True)
class Brought:
    """The result of a remote run."""

    exit: Exit
    output: bytes | None  # the content of ``{out}``; None if it is not a file
    log: bytes


@dataclass(frozen=True, eq=False)
class Errand:
    """The common part of a family's runs. It is sent to a worker once, and called there with each draw."""

    command: Command
    sets: Sequence[TrainingSet]
    suffix: str  # suffix of ``{out}``
    files: Mapping[str, str]  # files of the command, which must exist on the worker with the same names and contents
    timeout: float | None

    def __call__(self, named: tuple[str, Draw]) -> Brought:
        """Carry out one run in a temporary folder."""
        name, draw = named
        problem = self._other_file()
        if problem:
            return Brought(Exit(None, 0.0, problem=problem), None, b"")
        with tempfile.TemporaryDirectory(prefix="outscore-", ignore_cleanup_errors=True) as folder:
            here = Path(folder)
            exits: list[Exit] = []
            values = values_of(here, self.sets, self.suffix, name, draw)
            job = Job(tuple(self.command.filled(values)), here / LOG, lambda: write_sets(self.sets, draw, here))
            run_jobs([job], 1, self.timeout, lambda _, exit_: exits.append(exit_), meanwhile=_end_unwanted)
            output = Path(values["out"])
            return Brought(exits[0], output.read_bytes() if output.is_file() else None, _end_of(here / LOG))

    def _other_file(self) -> str:
        """Return what is wrong with a file of the command; empty if nothing is."""
        for name, digest in self.files.items():
            try:
                same = digest_of(name) == digest
            except OSError:
                return f"the file {name} does not exist in {Path.cwd()} on {socket.gethostname()}"
            if not same:
                return f"the file {name} in {Path.cwd()} on {socket.gethostname()} differs from the local one"
        return ""


def files_of(folder: Path, sets: Sequence[TrainingSet]) -> Sequence[Path]:
    """Return the paths of the drawn training sets of a run."""
    numbers = ["", *(str(i) for i in range(2, len(sets) + 1))]
    return [folder / f"train{number}{train_set.suffix}" for number, train_set in zip(numbers, sets, strict=True)]


def values_of(folder: Path, sets: Sequence[TrainingSet], suffix: str, name: str, draw: Draw) -> Mapping[str, str]:
    """Return the values of the placeholders of a run in `folder`."""
    # Absolute, so that trainers may change their folder, and no path looks like an option.
    values = {f"train{i}": str(file.absolute()) for i, file in enumerate(files_of(folder, sets), 1)}
    values |= {"train": values["train1"], "out": str((folder / f"out{suffix}").absolute())}
    return values | {"seed": str(draw.trainer_seed), "name": name}


def write_sets(sets: Sequence[TrainingSet], draw: Draw, folder: Path) -> None:
    """Write the drawn training sets of a run into its folder."""
    indices = draw.indices(len(sets[0]))
    for train_set, file in zip(sets, files_of(folder, sets), strict=True):
        train_set.write(indices, file)


class _UnwantedError(Exception):
    """The run has been cancelled."""


def _end_unwanted() -> None:
    if not still_wanted():
        raise _UnwantedError


def _end_of(log: Path) -> bytes:
    try:
        with log.open("rb") as file:
            left_out = file.seek(0, os.SEEK_END) - _MOST_LOG
            if left_out <= 0:
                file.seek(0)
                return file.read()
            file.seek(left_out)
            return b"[%d bytes are left out]\n" % left_out + file.read(_MOST_LOG)
    except OSError:
        return b"The trainer removed its folder, and the log in it.\n"
