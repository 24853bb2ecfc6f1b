"""Errors that a user can cause, each told in one line.

::

    OutscoreError
    ├── DataError               a file or an array holds something that cannot be compared
    ├── OptionError             an option or argument is out of its range
    │   ├── ResultKeyError        a result has no part of this name, or several (also a KeyError)
    │   └── ResultAttributeError  an attribute of a single part, and the result has several (also an AttributeError)
    ├── NotApplicableError      this test, or this way of computing it, does not fit the metric or the data
    ├── FileAccessError         a file cannot be opened, read or written
    ├── MissingDependencyError  an optional package is not installed
    └── ClusterError            a cluster cannot be reached, was lost, or runs another version

The library raises; only the command line prints them and exits with status 2.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from outscore.text.naming import printable

MOST_PROBLEMS = 10
MOST_OF_A_KIND = 3  # a wrong file has one in every line
LONGEST_PART = 800  # of a line; what a damaged file names, or a library says of it, may be as long as the file


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what, and what to do about it.

    Attributes
    ----------
    where : str
        A place in the user's own terms: ``b.csv:17``, ``candidate[3]``, ``alpha``.
    what : str
        What is wrong, usually "expected X, got Y", without a final full stop.
    advice : str
        What to do, a full sentence; may be empty.
    slug : str
        A short stable name of the kind of problem, for scripts and searches.
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
        # Whatever a file or an option says: no text of a user's gets at the terminal, and one problem is one line.
        return printable(f"{where}: {what}.{advice} [{self.slug}]")


class OutscoreError(Exception):
    """Base of all errors that outscore raises on purpose.

    Parameters
    ----------
    *problems : Problem
        At least one; the message is one line each. Of more than ten it has the first three of every kind.
    """

    def __init__(self, *problems: Problem) -> None:
        if not problems:
            raise TypeError("an OutscoreError tells at least one problem")
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
    """A file or an array holds something that cannot be compared."""


class OptionError(OutscoreError, ValueError):
    """An option or argument is out of its range, or unknown."""


class ResultKeyError(OptionError, KeyError):
    """A result has no part of this name, or several."""


class ResultAttributeError(OptionError, AttributeError):
    """An attribute is that of a single part, and the result has several parts."""


class NotApplicableError(OutscoreError, ValueError):
    """A test, or a way of computing it, does not fit the metric or the data."""


class FileAccessError(OutscoreError, OSError):
    """A file cannot be opened, read or written."""


class MissingDependencyError(OutscoreError, ImportError):
    """An optional package is needed and not installed."""


class ClusterError(OutscoreError, RuntimeError):
    """A cluster cannot be reached, was lost, has no workers, or runs another version of outscore."""


def missing_package(where: str, *packages: str) -> MissingDependencyError:
    """Return the error of a package that is not installed, with the command that installs it.

    The command has the names of the packages and not of an extra of outscore, which need not come from an index.

    Parameters
    ----------
    where : str
    *packages : str
        As pip calls them: the one that is missing, and others that are needed beside it.
    """
    what = f"needs the package {packages[0]}, which is not installed"
    return MissingDependencyError(Problem(where, what, f"Run: pip install {' '.join(packages)}", "missing-dependency"))
