"""Errors that a user can cause, each with a message of one line.

::

    OutscoreError
    ├── DataError               a file or array has content that cannot be compared
    ├── OptionError             an option or argument is out of range
    │   ├── ResultKeyError        a result has no part of this name, or several (also a KeyError)
    │   └── ResultAttributeError  an attribute of single parts of a result with several (also an AttributeError)
    ├── NotApplicableError      a test or method does not fit the metric or the data
    ├── FileAccessError         a file cannot be opened, read or written
    ├── MissingDependencyError  an optional package is not installed
    └── ClusterError            a cluster cannot be reached, was lost, or runs another version

The library raises them. Only the command line prints them and exits with status 2.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from outscore.text.naming import printable

MOST_PROBLEMS = 10
MOST_OF_A_KIND = 3  # a wrong file may have one on every line
LONGEST_PART = 800  # characters; text from a damaged file may be as long as the file


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: its place, its description and its solution.

    Attributes
    ----------
    where : str
        The place, such as ``b.csv:17``, ``candidate[3]`` or ``alpha``.
    what : str
        The description, usually "expected X, got Y", without a full stop.
    advice : str
        The solution, a full sentence, or an empty text.
    slug : str
        A short, stable name of the kind of problem, for scripts and searches.
    """

    where: str
    what: str
    advice: str
    slug: str

    def __str__(self) -> str:
        where, what, advice = (
            text if len(text) <= LONGEST_PART else f"{text[:LONGEST_PART]}..."
            for text in (self.where, self.what, f" {self.advice}" if self.advice else "")
        )
        # Text from files and options has no control characters, and a problem is one line.
        return printable(f"{where}: {what}.{advice} [{self.slug}]")


class OutscoreError(Exception):
    """Base class of all errors that outscore raises on purpose.

    Parameters
    ----------
    *problems : Problem
        At least one. The message has one line per problem, or with more than ten the first three of each kind.
    """

    def __init__(self, *problems: Problem) -> None:
        if not problems:
            raise TypeError("an OutscoreError needs at least one problem")
        self.problems = problems
        super().__init__(*problems)

    def __str__(self) -> str:
        if len(self.problems) <= MOST_PROBLEMS:
            return "\n".join(map(str, self.problems))
        lines: list[str] = []
        seen = Counter[str]()
        for problem in self.problems:
            seen[problem.slug] += 1
            if seen[problem.slug] <= MOST_OF_A_KIND and len(lines) < MOST_PROBLEMS:
                lines.append(str(problem))
        return "\n".join([*lines, f"... and {len(self.problems) - len(lines):,} more like these."])


class DataError(OutscoreError, ValueError):
    """A file or array has content that cannot be compared."""


class OptionError(OutscoreError, ValueError):
    """An option or argument is out of range, or unknown."""


class ResultKeyError(OptionError, KeyError):
    """A result has no part of this name, or several."""


class ResultAttributeError(OptionError, AttributeError):
    """An attribute belongs to single parts, and the result has several parts."""


class WithFormerNames:
    """An object whose attributes of earlier versions are in the table of `outscore.former`."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            return import_module("outscore.former").attribute(self, name)


class NotApplicableError(OutscoreError, ValueError):
    """A test or method does not fit the metric or the data."""


class FileAccessError(OutscoreError, OSError):
    """A file cannot be opened, read or written."""


class MissingDependencyError(OutscoreError, ImportError):
    """A required optional package is not installed."""


class ClusterError(OutscoreError, RuntimeError):
    """A cluster cannot be reached, was lost, has no workers, or runs another version of outscore."""


def missing_package(where: str, *packages: str) -> MissingDependencyError:
    """Return the error of a package that is not installed, with the command to install it.

    The command has the names of the packages, because an extra of outscore works only if outscore is on the index.

    Parameters
    ----------
    *packages : str
        Names for pip: the missing package, and further packages that it needs.
    """
    what = f"needs the package {packages[0]}, which is not installed"
    return MissingDependencyError(Problem(where, what, f"Run: pip install {' '.join(packages)}", "missing-dependency"))
