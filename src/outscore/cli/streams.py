"""Standard output, which is held until the exit status is known, standard error, and exit statuses.

Closed pipes are ignored.
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

# Whether GitHub Actions reads standard error. Its lines must not be taken for workflow commands.
FENCES_ERRORS: ContextVar[bool] = ContextVar("FENCES_ERRORS", default=False)
FAILED = 2
# MB for small files. Measured for a gate of 300 items: 160 suffice. Other versions of NumPy and SciPy need more.
_LEAST_MEMORY = 256
INTERRUPTION = "outscore: interrupted; nothing was written."


class Interruption(KeyboardInterrupt):
    """A signal that ends the process."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def status_of(number: int) -> int:
    """Return the exit status of a process that a signal ended, as in shells."""
    return 128 + number


@dataclass(eq=False)
class HeldOutput:
    """A replacement of standard output that keeps text and bytes until `release`.

    Commands write their files before anything is printed, so a closed pipe does not interrupt them.

    Attributes
    ----------
    stream : text file
        Standard output. It is used for everything except writing.
    """

    stream: TextIO
    held: list[str | bytes] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    @property
    def buffer(self) -> HeldOutput:
        """The binary buffer: the same object."""
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
        """Write everything to standard output, or up to the point where the pipe is closed.

        Raise OSError if writing fails for another reason than a closed pipe.
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
    """Write a message to standard error. Its lines are never workflow commands."""
    before, after = fence(message, os.urandom(16).hex()) if FENCES_ERRORS.get() else ("", "")
    annotate(f"{before}{message}\n{after}")


def fail(message: str) -> int:
    """Write an error message to standard error, and return the exit status."""
    complain(message)
    return FAILED


def memory_limit() -> int | None:
    """Return the limit on the memory of this process in bytes, or None."""
    if sys.platform == "win32":
        return None
    import resource

    limits = [resource.getrlimit(resource_kind)[0] for resource_kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min((limit for limit in limits if limit != resource.RLIM_INFINITY), default=None)


def out_of_memory(what: str = "", *, probably: bool = False) -> str:
    """Return the line about too little memory, with the limit if there is one."""
    limit, begin = memory_limit(), f"outscore: {'probably ' if probably else ''}out of memory"
    if limit is None:
        return f"{begin}{what and f': {what}'}. Use smaller files or more memory. [out-of-memory]"
    problem = f"{begin} under the limit of {limit / 1e6:,.0f} MB{what and f': {what}'}"
    least = f" to at least {_LEAST_MEMORY} MB" if limit < _LEAST_MEMORY * 1e6 else ""
    return f"{problem}. Raise the limit (ulimit -v){least}, or use smaller files. [out-of-memory]"


def annotate(text: str) -> None:
    """Write text to standard error, if it is open."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(text)


def flush_errors() -> None:
    """Flush standard error, or drop its content if that fails, because the interpreter would then exit with 120."""
    if sys.stderr is not None:
        try:
            sys.stderr.flush()
        except OSError:
            _drop(sys.stderr)


def _drop(stream: TextIO) -> None:
    """Discard the content of a stream and everything written to it later."""
    with suppress(OSError, ValueError):  # the stream of a calling program may have no descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
