"""Results of training-set resampling: the runs, and the leaderboard file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, ClassVar

from outscore._version import __version__
from outscore.results.record import Keywords, Natural, Positive, Seed, Size, Version, doc, record


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


@record
class ReplicateRun:
    """One training set drawn, and the system trained on it."""

    name: str = doc("The system's name, FAMILY-SIZE-REPLICATE, also that of its folder.")
    size: float = doc("The fraction of the training set that was drawn, in (0, 1].", exclusiveMinimum=0, maximum=1)
    n_items: Positive = doc("Number of items drawn, with replacement.")
    replicate: Positive = doc("The number of the replicate within its size, from 1.")
    status: RunStatus = doc('The status of the run; "kept" if an earlier call finished it.')
    exit_status: int | None = doc(
        "Exit status of the command; negative: the number of the signal that ended it. None if it never started."
    )
    seconds: Size = doc("Run time of the command.")
    output: str | None = doc("The file of outputs, or None.")
    log: str = doc("The file with the output of the command.")
    problem: str = doc("Why there is no output; empty if there is one.")

    @property
    def done(self) -> bool:
        """Whether the run produced a system."""
        return self.status in (RunStatus.FINISHED, RunStatus.KEPT)


@record
class Replication:
    """Systems trained on resampled training sets.

    This is the JSON output of outscore replicate.
    """

    schema: ClassVar = "outscore/replication/1"
    json_keys: ClassVar = "version"

    family: str = doc("The base command's name.")
    directory: str = doc("The folder of the runs.")
    board: str | None = doc(
        "The leaderboard file of all finished systems in the directory. None if no run is finished."
    )
    n_systems: Natural = doc("Number of systems in the leaderboard file, over all families.")
    families: Sequence[str] = doc("Families in the leaderboard file. Systems added by hand may have none.")
    train: Sequence[str] = doc("The resampled files, as named by the user.")
    unit: str = doc('The type of items, in the plural: "sentences", "lines".')
    n_items: Positive = doc("Number of items in the whole training set.")
    seed: Seed = doc("The random seed of the draws.")
    runs: Sequence[ReplicateRun] = doc("Runs by size in the order given, then by number.")

    @property
    def version(self) -> Version:
        """The version of outscore that wrote this."""
        return __version__

    @property
    def failures(self) -> Sequence[ReplicateRun]:
        """The runs that failed."""
        return [run for run in self.runs if not run.done]


@record
class Recipe:
    """The settings that all systems of a family share."""

    command: Sequence[str] = doc("The words of the command, with placeholders.", minItems=1)
    files: Mapping[str, str] = doc("The SHA-256 of each file that the command names, by file name.")
    train: Sequence[str] = doc("The SHA-256 of each training file.", minItems=1)
    units: Sequence[Annotated[str, Keywords(enum=[unit.value for unit in Unit])]] = doc(
        'The type of items of each training file, as for `unit`; "conllu": a sentence, "jsonl": a record.', minItems=1
    )
    headers: Sequence[Natural] = doc("Number of header lines of each training file.", minItems=1)
    seed: Seed = doc("The random seed of the draws.")
    suffix: str = doc("Suffix of the output files.")


@record
class FinishedRun:
    """The record of one run of a trainer (run.json).

    Written by outscore replicate, in the folder of every finished run.
    """

    schema: ClassVar = "outscore/replicate-run/1"

    name: str = doc("The system's name, also that of its folder.")
    family: str = doc("The base command's name.")
    size: float = doc("The fraction of the training set that was drawn.", exclusiveMinimum=0, maximum=1)
    n_items: Positive = doc("Number of items drawn, with replacement.")
    replicate: Positive = doc("The number of the replicate within its size.")
    recipe: Recipe = doc("The settings that all systems of a family share.")
    exit_status: int = doc("Exit status of the command.")
    seconds: Size = doc("Run time of the command.")
    output: str = doc("The file of outputs.")
