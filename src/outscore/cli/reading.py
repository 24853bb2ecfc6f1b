"""Options of commands that read systems: files, their columns and items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outscore.asking import read_scores
from outscore.cli import arguments
from outscore.design.options import options_of_function
from outscore.errors import OptionError, Problem
from outscore.readers.reading import Files, Reading, Work

if TYPE_CHECKING:
    from outscore.declared import BoardsOptionsOfCommands, ReadOptionsOfCommands
    from outscore.design.scores import Scores
    from outscore.laws.resampling import Progress
else:
    ReadOptionsOfCommands, BoardsOptionsOfCommands = (
        arguments.class_of(options, __name__) for options in ("read", "boards")
    )


_OPTIONS = [(option.argument, option.parameter, option.value) for option in options_of_function("read").values()]


@dataclass(frozen=True)
class SystemReads(ReadOptionsOfCommands):
    """How systems are read."""

    @property
    def reading(self) -> Reading:
        """The same, for the readers. Raise OptionError for more than two clusterings."""
        clusters = tuple(self.cluster or ())
        if len(clusters) > 2:
            what = f"expected one clustering or two crossed ones, got {len(clusters)}"
            raise OptionError(Problem("--cluster", what, "Pass at most two.", "two-way"))
        given: dict[str, Any] = {}
        for argument, parameter, only_value in _OPTIONS:
            value = getattr(self, parameter, None)  # only leaderboards have families, and only Python names
            given[argument] = value == only_value if only_value else value
        given["clusters"] = clusters[0] if len(clusters) == 1 else clusters or None
        given["references"] = Files(self.reference) if self.reference else None
        return Reading(**given)


@dataclass(frozen=True)
class BoardReads(SystemReads, BoardsOptionsOfCommands):
    """How the systems of a leaderboard are read."""

    def scores(self, systems: Sequence[str], *, jobs: int = 1, progress: Progress | None = None) -> Scores:
        """Return the scores of the systems in several files, or in one file of all systems.

        Raise OutscoreError if there is only one system, or reading fails.
        """
        work = Work(jobs=jobs, progress=progress)
        scores = read_scores(Files(systems), self.metric or None, self.reading, work)
        scores.check_names()
        return scores
