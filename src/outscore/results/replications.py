"""Results of training-set resampling: what became of every run, and where the board stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["REPLICATION_SCHEMA", "ReplicateRun", "Replication", "RunStatus", "Unit"]

REPLICATION_SCHEMA = "outscore/replication/1"


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
        The share of the training set, in (0, 1].
    n_items : int
        The items drawn, with replacement.
    replicate : int
        From 1.
    status : RunStatus
        `KEPT` where an earlier call had finished it.
    exit_status : int or None
        Of the command; negative: the number of the signal that ended it; None where it never started.
    seconds : float
        How long the command ran.
    output : str or None
        The file of outputs; None unless the run is done.
    log : str
        What the command printed.
    problem : str
        Why there is no output, for people; empty where there is one.
    """

    name: str
    size: float
    n_items: int
    replicate: int
    status: RunStatus
    exit_status: int | None
    seconds: float
    output: str | None
    log: str
    problem: str

    @property
    def done(self) -> bool:
        """Whether there is a system."""
        return self.status in (RunStatus.FINISHED, RunStatus.KEPT)


@dataclass(frozen=True)
class Replication:
    """What one call has made.

    Attributes
    ----------
    family : str
        The base command's name.
    directory : str
    board : str or None
        The board of all finished systems in the directory; None where there is none.
    n_systems : int
        On the board, of all families.
    families : sequence of str
        On the board; a system that a user has added may have none.
    train : sequence of str
        The files that were resampled, as they were named.
    unit : str
        What an item is, in the plural: ``sentences``, ``lines``.
    n_items : int
        In the whole training set.
    seed : int
    runs : sequence of ReplicateRun
        By size as asked for, then by number.
    """

    family: str
    directory: str
    board: str | None
    n_systems: int
    families: Sequence[str]
    train: Sequence[str]
    unit: str
    n_items: int
    seed: int
    runs: Sequence[ReplicateRun]

    @property
    def failures(self) -> Sequence[ReplicateRun]:
        """The runs that gave no system."""
        return [run for run in self.runs if not run.done]
