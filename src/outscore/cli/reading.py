"""How the commands that take a whole leaderboard have its systems read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Parameter

from outscore.cli.systems import board_of
from outscore.leaderboards import Leaderboard
from outscore.readers.boards import with_families
from outscore.readers.inputs import Reading
from outscore.resampling import Progress

__all__ = ["Reads"]


@Parameter(name="*")
@dataclass(frozen=True)
class Reads:
    """How systems are read.

    Attributes
    ----------
    metric
        As for outscore compare. May be repeated: one answer each.
    reference
        A file of references: systems are then files of outputs. May be repeated.
    input_format
        How outputs and references are written, where neither name nor content tells, as NAME:OPTION=VALUE,...; outscore
        formats lists them.
    lower_is_better
        For mean and ratio: scores are losses or errors.
    id
        The column of item ids. Guessed by default.
    score
        The column of scores. Guessed by default.
    missing
        What to do about items that a system lacks.
    families
        FILE:COLUMN of a table that holds a family (research group, base model) for every system.
    cluster
        Items that belong together: a column of the table, a file of one label a line, or FILE:COLUMN.
    stratum
        Parts of the test set whose size is fixed, named like clusters.
    """

    metric: Annotated[list[str] | None, Parameter(alias="-m", negative="")] = None
    reference: Annotated[list[str] | None, Parameter(alias="-r", negative="")] = None
    input_format: str | None = None
    lower_is_better: Annotated[bool, Parameter(negative="")] = False
    id: str | None = None
    score: str | None = None
    missing: Literal["error", "drop"] = "error"
    families: str | None = None
    cluster: str | None = None
    stratum: str | None = None

    def leaderboard(self, systems: Sequence[str], *, jobs: int = 1, progress: Progress | None = None) -> Leaderboard:
        """Return the leaderboard of files, or of one file of all.

        Raises
        ------
        OutscoreError
            Whatever reading boards can raise.
        """
        reading = Reading(
            metrics=tuple(self.metric or ()),
            references=tuple(self.reference or ()),
            input_format=self.input_format,
            lower_is_better=self.lower_is_better,
            id_column=self.id,
            score_column=self.score,
            clusters=self.cluster,
            strata=self.stratum,
            drop_missing=self.missing == "drop",
        )
        board = board_of(systems, reading, jobs=jobs, progress=progress)
        if self.families is not None:
            board = with_families(board, self.families)
        return Leaderboard(board, self.missing == "drop")
