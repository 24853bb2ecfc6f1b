"""Options of commands that read systems: files, their columns and items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, make_dataclass
from typing import TYPE_CHECKING, Literal

from outscore.asking import read_scores
from outscore.cli import arguments
from outscore.design.options import CROSSED_OPTIONS, CrossedOptions, said_of
from outscore.errors import OptionError, Problem
from outscore.readers.reading import Files, Reading, Work

if TYPE_CHECKING:
    from outscore.design.scores import Scores
    from outscore.laws.resampling import Progress

if TYPE_CHECKING:
    _CrossedReads = CrossedOptions
else:
    _CrossedReads = arguments.from_table()(
        make_dataclass(
            "_CrossedReads",
            [(of.argument, object, arguments.default_of(of)) for of in CROSSED_OPTIONS],
            frozen=True,
            kw_only=True,
            namespace={"__doc__": "Options of crossed factors.", "__module__": __name__},
        )
    )


@arguments.from_table()
@dataclass(frozen=True)
class SystemReads(_CrossedReads):
    """How systems are read."""

    metric: list[str] | None = None
    reference: list[str] | None = None
    input_format: str | None = None
    lower_is_better: bool = False
    id: str | None = None
    score: str | None = None
    records: str | None = None
    missing: Literal["error", "drop", "zero"] = "error"
    cluster: list[str] | None = None
    stratum: str | None = None
    collapse_strata: bool = False
    skip_unreadable: bool = False
    weights: str | None = None
    test_set: str | None = None
    task: list[str] | None = None
    map: str | None = None
    total: str | None = None
    duplicates: Literal["first", "last"] | None = None
    follow_links: bool = False
    human: str | None = None
    judge: str | None = None

    @property
    def reading(self) -> Reading:
        """The same, for the readers.

        Raises
        ------
        OptionError
            More than two clusterings.
        """
        clusters = tuple(self.cluster or ())
        if len(clusters) > 2:
            what = f"expected one clustering or two crossed ones, got {len(clusters)}"
            raise OptionError(Problem("--cluster", what, "Pass at most two.", "two-way"))
        return Reading(
            references=Files(self.reference) if self.reference else None,
            families=self.families if isinstance(self, BoardReads) else None,
            input_format=self.input_format,
            lower_is_better=self.lower_is_better,
            id_column=self.id,
            score_column=self.score,
            records=self.records,
            clusters=clusters[0] if len(clusters) == 1 else clusters or None,
            strata=self.stratum,
            collapse_strata=self.collapse_strata,
            drop_missing=self.missing == "drop",
            skip_unreadable=self.skip_unreadable,
            zero_missing=self.missing == "zero",
            weights=self.weights,
            test_sets=self.test_set,
            task=self.task,
            mapping=self.map,
            total=self.total,
            duplicates=self.duplicates,
            follow_links=self.follow_links,
            human=self.human,
            judge=self.judge,
            **said_of(self),  # type: ignore[arg-type]
        )


@arguments.from_table()
@dataclass(frozen=True)
class BoardReads(SystemReads):
    """How the systems of a leaderboard are read."""

    families: str | None = None

    def scores(self, systems: Sequence[str], *, jobs: int = 1, progress: Progress | None = None) -> Scores:
        """Return the scores of the systems in several files, or in one file of all systems.

        Raises
        ------
        OutscoreError
            If there is only one system, or reading fails.
        """
        work = Work(jobs=jobs, progress=progress)
        scores = read_scores(Files(systems), self.metric or None, self.reading, work)
        scores.check_names()
        return scores
