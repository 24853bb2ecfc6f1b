"""Exit statuses of the command line, and what it prints where it ends without an answer."""

from __future__ import annotations

from outscore.cli.streams import complain

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


def fail(message: str) -> int:
    """Say on standard error what is wrong, and return the exit status."""
    complain(message)
    return FAILED
