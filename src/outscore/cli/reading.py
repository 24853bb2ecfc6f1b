"""How the commands have systems read: the options about files, their columns and their items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from outscore.readers.inputs import Reading
from outscore.resampling import Progress
from outscore.rows import Labels

if TYPE_CHECKING:
    from outscore.leaderboards import Leaderboard

__all__ = ["BoardReads", "SystemReads"]


@Parameter(name="*")
@dataclass(frozen=True)
class SystemReads:
    """How systems are read.

    Attributes
    ----------
    metric
        Of columns: mean (one score an item), accuracy (0 or 1), ratio (columns numerator, denominator),
        precision, recall or f1 (columns tp, predicted, gold), perplexity, bits-per-byte. Of outputs, with
        --reference: bleu, chrf, ter, rougeL, las, bracket-f1, aer, span-f1, accuracy, macro-f1, exact-match, wer,
        ap, ndcg@10, pearson and more; options as in bleu:tokenize=zh. Several as bleu,chrf or by repetition; in any
        letter case, and as sacreBLEU and trec_eval call them.
    reference
        A file of references: systems are then files of outputs. May be repeated for metrics that take several.
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
    cluster
        Items that belong together (documents, prompts): a column of the score table, a file of one label a line, or
        FILE:COLUMN. Clusters are resampled and swapped whole.
    stratum
        Parts of the test set whose size is fixed (domains, languages), named like clusters. Each needs two items, or
        clusters.
    collapse_strata
        Merge strata of one item, or cluster: into one together, a single one into the smallest other stratum.
    skip_unreadable
        Leave out systems that cannot be read, or that lack items of the others, and say which and why.
    """

    metric: Annotated[list[str] | None, Parameter(alias="-m", negative="")] = None
    reference: Annotated[list[str] | None, Parameter(alias="-r", negative="", allow_leading_hyphen=True)] = None
    input_format: str | None = None
    lower_is_better: Annotated[bool, Parameter(negative="")] = False
    id: str | None = None
    score: str | None = None
    missing: Literal["error", "drop"] = "error"
    cluster: str | None = None
    stratum: str | None = None
    collapse_strata: Annotated[bool, Parameter(negative="")] = False
    skip_unreadable: Annotated[bool, Parameter(negative="")] = False

    @property
    def reading(self) -> Reading:
        """The same, for the readers."""
        return Reading(
            metrics=tuple(self.metric or ()),
            references=tuple(self.reference or ()),
            input_format=self.input_format,
            lower_is_better=self.lower_is_better,
            id_column=self.id,
            score_column=self.score,
            clusters=self.cluster,
            strata=self.stratum,
            collapse_strata=self.collapse_strata,
            drop_missing=self.missing == "drop",
            skip_unreadable=self.skip_unreadable,
        )


@Parameter(name="*")
@dataclass(frozen=True)
class BoardReads(SystemReads):
    """How the systems of a leaderboard are read.

    Attributes
    ----------
    metric
        As for outscore compare. May be repeated: one answer each.
    families
        FILE:COLUMN of a table that holds a family (research group, base model) for every system.
    """

    families: str | None = None

    def leaderboard(self, systems: Sequence[str], *, jobs: int = 1, progress: Progress | None = None) -> Leaderboard:
        """Return the leaderboard of files, or of one file of all.

        Raises
        ------
        OutscoreError
            Whatever reading boards can raise.
        """
        # Who compares two systems does not wait for leaderboards.
        from outscore.cli.systems import board_of, refuse_mistaken
        from outscore.leaderboards import Leaderboard
        from outscore.readers.families import with_families

        refuse_mistaken(systems, metrics=self.metric or (), references=self.reference or ())
        reading = self.reading
        board = board_of(systems, reading, jobs=jobs, progress=progress)
        if self.families is not None:
            board = with_families(board, self.families)
        strata = Labels.collapsing(board.strata, reading.collapse_strata)
        return Leaderboard(replace(board, strata=strata), reading.drop_missing)
