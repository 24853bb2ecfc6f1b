"""Standard output, held until the exit status is known, and standard error: closed pipes change nothing.

And exit statuses, with what is printed where the command line ends without an answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TextIO

from outscore.text.naming import fence

# Whether GitHub Actions reads standard error: no line of it may be taken for a workflow command.
FENCES_ERRORS: ContextVar[bool] = ContextVar("FENCES_ERRORS", default=False)
FAILED = 2
INTERRUPTION = "outscore: interrupted; nothing was written."


class Interruption(KeyboardInterrupt):
    """A signal asks the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def status_of(number: int) -> int:
    """Return the exit status of a process that a signal ended, as shells say it."""
    return 128 + number


@dataclass(eq=False)
class HeldOutput:
    """A stand-in for standard output that keeps text and bytes until `release`.

    Commands write their files before anything is printed, and a reader that leaves early interrupts nothing.

    Attributes
    ----------
    stream : text file
        Standard output, which answers everything but writing.
    held : list of str or bytes
    """

    stream: TextIO
    held: list[str | bytes] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    @property
    def buffer(self) -> HeldOutput:
        """What takes bytes."""
        return self

    def write(self, data: str | bytes) -> int:
        """Keep text or bytes."""
        self.held.append(data)
        return len(data)

    def writelines(self, lines: Iterable[str]) -> None:
        """Keep lines."""
        self.held.extend(lines)

    def flush(self) -> None:
        """Do nothing."""

    def release(self) -> None:
        """Write everything to standard output, or as much as its reader takes.

        Raises
        ------
        OSError
            It cannot be written for another reason than a closed pipe.
        """
        stream, encoding = self.stream, self.stream.encoding or "ascii"
        try:
            for data in self.held:
                if isinstance(data, bytes):
                    stream.flush()
                    stream.buffer.write(data)
                else:
                    stream.write(data.encode(encoding, errors="backslashreplace").decode(encoding))
            stream.flush()
        except BrokenPipeError:
            _drop(stream)
        except OSError:
            _drop(stream)
            raise


def complain(message: str) -> None:
    """Write a message to standard error, if anybody reads it, and so that no line of it is a workflow command."""
    before, after = fence(message, os.urandom(16).hex()) if FENCES_ERRORS.get() else ("", "")
    annotate(f"{before}{message}\n{after}")


def fail(message: str) -> int:
    """Say on standard error what is wrong, and return the exit status."""
    complain(message)
    return FAILED


def annotate(text: str) -> None:
    """Write text to standard error, if anybody reads it."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(text)


def flush_errors() -> None:
    """Write what standard error holds, or drop it: the interpreter exits with 120 where it cannot write that."""
    if sys.stderr is not None:
        try:
            sys.stderr.flush()
        except OSError:
            _drop(sys.stderr)


def _drop(stream: TextIO) -> None:
    """Send what a stream holds, and what is written to it later, to nowhere."""
    with suppress(OSError, ValueError):  # a stream of a program that calls the command line may have no descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
