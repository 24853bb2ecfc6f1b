"""What every result can do: be a table, show itself in a notebook, be drawn and written in every format."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outscore.results.frames import native_frame

if TYPE_CHECKING:
    from outscore.reports.showing import Shows

__all__ = ["Shown"]

Target = str | os.PathLike[str] | None


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
        return self._shows().chart(self)

    def to_html(self, path: Target = None) -> str:
        """Return the result as one self-contained page; with a path, write it there, too.

        Raises
        ------
        FileAccessError
            The file cannot be written.
        """
        return _written(self._shows().html(self), path)

    def to_markdown(self, path: Target = None, **options: Any) -> str:
        """Return the result as GitHub-flavoured Markdown; with a path, write it there, too."""
        return _written(self._shows().markdown(self, **options), path)

    def to_latex(self, path: Target = None, **options: Any) -> str:
        """Return the result as LaTeX (booktabs), for a paper; with a path, write it there, too.

        Of comparisons and rankings `bare=True` leaves the tabular alone; `details=True` adds what several candidates or
        metrics have of their own, and `pairs=True` all pairs of a ranking.
        """
        return _written(self._shows().latex(self, **options), path)

    def to_json(self, path: Target = None) -> str:
        """Return the result as JSON of a schema that is kept; with a path, write it there, too."""
        return _written(self._shows().json(self), path)

    def to_csv(self, path: Target = None, **options: Any) -> str:
        """Return the tidy table as CSV; with a path, write it there, too."""
        return _written(self._shows().csv(self, **options), path)

    def __repr__(self) -> str:
        return self._shows().text(self).rstrip("\n")

    def _repr_html_(self) -> str:
        return self._shows().notebook(self)

    def _shows(self) -> Shows:
        from outscore.reports.showing import shows

        return shows(self)


def _written(text: str, path: Target) -> str:
    """Write a text into a file, if there is to be one."""
    if path is not None:
        from outscore.errors import FileAccessError, Problem
        from outscore.naming import printable

        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            what = f"cannot write: {(error.strerror or str(error)).lower()}"
            problem = Problem(printable(os.fspath(path)), what, "Name another file.", "cannot-write")
            raise FileAccessError(problem) from None
    return text
