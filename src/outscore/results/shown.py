"""What results of studies and plans can do: be a table, show themselves in a notebook, be drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from outscore.results.frames import native_frame

__all__ = ["Shown"]


class Shown(ABC):
    """A result that is a table, and that reports write and draw.

    When it is to be shown it asks reports to do so: a look upwards that pyproject.toml allows by name.
    """

    @abstractmethod
    def records(self) -> Sequence[Mapping[str, object]]:
        """Return the rows of the tidy table, with the same names in each: what CSV and data frames hold."""

    def to_dataframe(self, *, backend: Any = None) -> Any:
        """Return the tidy table as a data frame of the user's own library.

        Parameters
        ----------
        backend : str or module, optional
            Such as "pandas" or "polars"; by default the library that the program has imported already.

        Raises
        ------
        MissingDependencyError
            No data frame library is installed.
        """
        records = self.records()
        return native_frame({name: [record[name] for record in records] for name in records[0]}, backend)

    def chart(self) -> Any:
        """Return an Altair chart, which notebooks draw and which can be saved.

        Raises
        ------
        MissingDependencyError
            Altair is not installed.
        """
        from outscore.reports.overviews import chart_of

        return chart_of([self])  # type: ignore[list-item]

    def __repr__(self) -> str:
        from outscore.reports.overviews import to_text

        return to_text([self]).rstrip("\n")  # type: ignore[list-item]

    def _repr_html_(self) -> str:
        from outscore.reports.html.overviews import fragment

        return fragment(self)  # type: ignore[arg-type]
