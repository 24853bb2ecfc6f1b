"""Errors caused by input or options. Each problem is one line.

::

OutscoreError ├── DataError               a file or an array has invalid data ├── OptionError             an option
or argument is invalid │   ├── ResultKeyError        a result has no part of this name, or several (also a KeyError)
│   └── ResultAttributeError  a result with several parts lacks an attribute of single parts (also an
AttributeError) ├── NotApplicableError      a test or method does not apply to the metric or the data ├──
FileAccessError         a file cannot be opened, read or written ├── MissingDependencyError  an optional package is
not installed └── ClusterError            a cluster cannot be reached, was lost, or runs another version

The library raises errors. Only the command line prints them, and exits with status 2.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from outscore.text.naming import printable

MOST_PROBLEMS = 10
MOST_OF_A_KIND = 3  # a wrong file may have one on every line
LONGEST_PART = 800  # characters; text from a damaged file may be as long as the file


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: where it is, what is wrong, and what to do.

    Attributes
    ----------
    where : str
        The place in the user's terms: ``b.csv:17``, ``candidate[3]``, ``alpha``.
    what : str
        What is wrong, such as "expected X, got Y", without a full stop.
    advice : str
        What to do, as a sentence; may be empty.
    slug : str
        A short, stable code for scripts and searches.
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
        # Escape control characters in users' text, and keep a problem on one line.
        return printable(f"{where}: {what}.{advice} [{self.slug}]")


class OutscoreError(Exception):
    """Base class of the errors that outscore raises.

    Parameters
    ----------
    *problems : Problem
        At least one. The message has one line each; if there are more than ten, the first three of each kind.
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
    """A file or an array has invalid data."""


class OptionError(OutscoreError, ValueError):
    """An option or argument is invalid."""


class ResultKeyError(OptionError, KeyError):
    """A result has no part of this name, or several."""


class ResultAttributeError(OptionError, AttributeError):
    """A result with several parts lacks an attribute of single parts."""


class NotApplicableError(OutscoreError, ValueError):
    """A test or method does not apply to the metric or the data."""


class FileAccessError(OutscoreError, OSError):
    """A file cannot be opened, read or written."""


class MissingDependencyError(OutscoreError, ImportError):
    """A required optional package is not installed."""


class ClusterError(OutscoreError, RuntimeError):
    """A cluster cannot be reached, was lost, has no workers, or runs another version of outscore."""


def missing_package(where: str, *packages: str) -> MissingDependencyError:
    """Return the error of a missing package, with the command that installs it.

    The command names packages, not an extra of outscore, which may not be installed from an index.

    Parameters
    ----------
    where : str
    *packages : str
        Names for pip: the missing package, and others that are needed with it.
    """
    what = f"needs the package {packages[0]}, which is not installed"
    return MissingDependencyError(Problem(where, what, f"Run: pip install {' '.join(packages)}", "missing-dependency"))
