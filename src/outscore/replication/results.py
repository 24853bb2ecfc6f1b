"""Results of training-set resampling: what became of every run, and where the board stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from outscore._version import __version__
from outscore.results.record import Keywords, Natural, Positive, Seed, Size, Version

_Part = Annotated[float, Keywords(exclusiveMinimum=0, maximum=1)]  # of a training set


class Unit(StrEnum):
    """What an item of a training set is."""

    LINES = "lines"
    BLOCKS = "blocks"
    CONLLU = "conllu"
    JSONL = "jsonl"

    @property
    def plural(self) -> str:
        """What people call the items."""
        return {Unit.BLOCKS: "blocks", Unit.CONLLU: "sentences", Unit.JSONL: "records"}.get(self, "lines")


class RunStatus(StrEnum):
    """What became of a run."""

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
        The share of the training set that was drawn, in (0, 1].
    n_items : int
        The items drawn, with replacement.
    replicate : int
        Which one of its size, from 1.
    status : RunStatus
        What became of the run; "kept" where an earlier call had finished it.
    exit_status : int or None
        Of the command; negative: the number of the signal that ended it. None where it never started.
    seconds : float
        How long the command ran.
    output : str or None
        The file of outputs. None where there is none.
    log : str
        The file that holds what the command printed.
    problem : str
        Why there is no output, for people; empty where there is one.
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
        """Whether there is a system."""
        return self.status in (RunStatus.FINISHED, RunStatus.KEPT)


@dataclass(frozen=True)
class Replication:
    """Systems trained on resampled training sets.

    Written by outscore replicate as JSON.

    Attributes
    ----------
    family : str
        The base command's name.
    directory : str
        Where the runs are.
    board : str or None
        The board of all finished systems in the directory. None where no run is finished.
    n_systems : int
        Systems on the board, of all families.
    families : sequence of str
        Families on the board. Systems that were added by hand may have none.
    train : sequence of str
        The files that were resampled, as they were named.
    unit : str
        What an item is, in the plural: "sentences", "lines".
    n_items : int
        Items of the whole training set.
    seed : int
        The seed of the draws.
    runs : sequence of ReplicateRun
        By size as asked for, then by number.
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
        """The runs that gave no system."""
        return [run for run in self.runs if not run.done]


@dataclass(frozen=True)
class Recipe:
    """What all systems of a family have in common.

    Attributes
    ----------
    command : sequence of str
        Its words, with placeholders.
    files : mapping of str to str
        By the name of each file that the command names, its SHA-256.
    train : sequence of str
        The SHA-256 of each training file.
    units : sequence of str
        What an item of each training file is, as `unit` takes it; "conllu": a sentence, "jsonl": a record.
    headers : sequence of int
        How many lines of header each training file has.
    seed : int
        The seed of the draws.
    suffix : str
        Of the files of outputs.
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
        The share of the training set that was drawn.
    n_items : int
        The items drawn, with replacement.
    replicate : int
        Which one of its size.
    recipe : Recipe
        What all systems of a family have in common.
    exit_status : int
        Of the command.
    seconds : float
        How long the command ran.
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
