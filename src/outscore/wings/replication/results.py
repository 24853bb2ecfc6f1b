"""Results of training-set resampling: the runs, and the leaderboard file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from outscore._version import __version__
from outscore.results.record import Keywords, Natural, Positive, Seed, Size, Version

_Part = Annotated[float, Keywords(exclusiveMinimum=0, maximum=1)]  # of a training set


class Unit(StrEnum):
    """The type of items of a training set."""

    LINES = "lines"
    BLOCKS = "blocks"
    CONLLU = "conllu"
    JSONL = "jsonl"

    @property
    def plural(self) -> str:
        """The name of the items in messages."""
        return {Unit.BLOCKS: "blocks", Unit.CONLLU: "sentences", Unit.JSONL: "records"}.get(self, "lines")


class RunStatus(StrEnum):
    """The status of a run."""

    FINISHED = "finished"
    KEPT = "kept"
    FAILED = "failed"
    TIMED_OUT = "timed-out"


@dataclass(frozen=True)
class ReplicateRun:
    """One training set drawn, and the system trained on it.

    Attributes
    ----------
    name : str
        The system's name, FAMILY-SIZE-REPLICATE, also that of its folder.
    size : float
        The fraction of the training set that was drawn, in (0, 1].
    n_items : int
        Number of items drawn, with replacement.
    replicate : int
        The number of the replicate within its size, from 1.
    status : RunStatus
        The status of the run; "kept" if an earlier call finished it.
    exit_status : int or None
        Exit status of the command; negative: the number of the signal that ended it. None if it never started.
    seconds : float
        Run time of the command.
    output : str or None
        The file of outputs, or None.
    log : str
        The file with the output of the command.
    problem : str
        Why there is no output; empty if there is one.
    """

    name: str
    size: _Part
    n_items: Positive
    replicate: Positive
    status: RunStatus
    exit_status: int | None
    seconds: Size
    output: str | None
    log: str
    problem: str

    @property
    def done(self) -> bool:
        """Whether the run produced a system."""
        return self.status in (RunStatus.FINISHED, RunStatus.KEPT)


@dataclass(frozen=True)
class Replication:
    """Systems trained on resampled training sets.

    This is the JSON output of outscore replicate.

    Attributes
    ----------
    family : str
        The base command's name.
    directory : str
        The folder of the runs.
    board : str or None
        The leaderboard file of all finished systems in the directory. None if no run is finished.
    n_systems : int
        Number of systems in the leaderboard file, over all families.
    families : sequence of str
        Families in the leaderboard file. Systems added by hand may have none.
    train : sequence of str
        The resampled files, as named by the user.
    unit : str
        The type of items, in the plural: "sentences", "lines".
    n_items : int
        Number of items in the whole training set.
    seed : int
        The random seed of the draws.
    runs : sequence of ReplicateRun
        Runs by size in the order given, then by number.
    """

    schema: ClassVar = "outscore/replication/1"
    json_keys: ClassVar = "version"

    family: str
    directory: str
    board: str | None
    n_systems: Natural
    families: Sequence[str]
    train: Sequence[str]
    unit: str
    n_items: Positive
    seed: Seed
    runs: Sequence[ReplicateRun]

    @property
    def version(self) -> Version:
        """The version of outscore that wrote this."""
        return __version__

    @property
    def failures(self) -> Sequence[ReplicateRun]:
        """The runs that failed."""
        return [run for run in self.runs if not run.done]


@dataclass(frozen=True)
class Recipe:
    """The settings that all systems of a family share.

    Attributes
    ----------
    command : sequence of str
        The words of the command, with placeholders.
    files : mapping of str to str
        The SHA-256 of each file that the command names, by file name.
    train : sequence of str
        The SHA-256 of each training file.
    units : sequence of str
        The type of items of each training file, as for `unit`; "conllu": a sentence, "jsonl": a record.
    headers : sequence of int
        Number of header lines of each training file.
    seed : int
        The random seed of the draws.
    suffix : str
        Suffix of the output files.
    """

    command: Annotated[Sequence[str], Keywords(minItems=1)]
    files: Mapping[str, str]
    train: Annotated[Sequence[str], Keywords(minItems=1)]
    units: Annotated[Sequence[Annotated[str, Keywords(enum=[unit.value for unit in Unit])]], Keywords(minItems=1)]
    headers: Annotated[Sequence[Natural], Keywords(minItems=1)]
    seed: Seed
    suffix: str


@dataclass(frozen=True)
class FinishedRun:
    """The record of one run of a trainer (run.json).

    Written by outscore replicate, in the folder of every finished run.

    Attributes
    ----------
    name : str
        The system's name, also that of its folder.
    family : str
        The base command's name.
    size : float
        The fraction of the training set that was drawn.
    n_items : int
        Number of items drawn, with replacement.
    replicate : int
        The number of the replicate within its size.
    recipe : Recipe
        The settings that all systems of a family share.
    exit_status : int
        Exit status of the command.
    seconds : float
        Run time of the command.
    output : str
        The file of outputs.
    """

    schema: ClassVar = "outscore/replicate-run/1"

    name: str
    family: str
    size: _Part
    n_items: Positive
    replicate: Positive
    recipe: Recipe
    exit_status: int
    seconds: Size
    output: str
