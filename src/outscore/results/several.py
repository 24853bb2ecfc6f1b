"""Results on several metrics: the same systems, one result a metric, all on the same draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outscore.results.comparisons import Comparison, ComparisonResult
from outscore.results.shown import Shown

if TYPE_CHECKING:
    from outscore.results.rankings import Ranking

__all__ = ["ComparisonResults", "Rankings"]


@dataclass(frozen=True, repr=False)
class ComparisonResults(Shown):
    """Comparisons of the same systems on several metrics.

    Attributes
    ----------
    results : tuple of ComparisonResult
        One a metric, in the order asked for; also by iteration, and by index.
    """

    results: tuple[ComparisonResult, ...]

    def _reported(self) -> Sequence[ComparisonResult]:
        return self.results

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All comparisons, metric by metric."""
        return tuple(c for result in self.results for c in result.comparisons)

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence a metric and candidate."""
        return tuple(c.sentence for c in self.comparisons)

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a metric, candidate and test."""
        return [record for result in self.results for record in result.records()]

    def __iter__(self) -> Iterator[ComparisonResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, place: int) -> ComparisonResult:
        return self.results[place]


@dataclass(frozen=True, repr=False)
class Rankings(Shown):
    """Rankings of the same systems by several metrics.

    Attributes
    ----------
    results : tuple of Ranking
        One a metric, in the order asked for; also by iteration, and by index.
    """

    results: tuple[Ranking, ...]

    def _reported(self) -> Sequence[Ranking]:
        return self.results

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a metric and system."""
        return [record for result in self.results for record in result.records()]

    def __iter__(self) -> Iterator[Ranking]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, place: int) -> Ranking:
        return self.results[place]
