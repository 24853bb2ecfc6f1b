"""Which command a command line runs, and how errors leave it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import NoReturn

from outscore._version import __version__
from outscore.cli.start import INTERRUPTED, INTERRUPTION
from outscore.errors import OutscoreError

__all__ = ["command_of", "fail", "run"]

USAGE_ERROR = 2


def command_of(argv: Sequence[str]) -> Callable[[], object]:
    """Import what a command line needs, and return what runs it; cyclopts parses all but the plainest.

    Parameters
    ----------
    argv : sequence of str
        The arguments after the program's name.
    """
    if [*argv] == ["--version"]:
        return partial(print, __version__)
    if argv[:1] == ["compare"]:
        from outscore.cli.compare import plain_comparison

        comparison = plain_comparison(argv[1:])
        if comparison is not None:
            return comparison
    from outscore.cli.app import parsed

    return partial(parsed, argv)


def run(command: Callable[[], object]) -> int:
    """Run a command, and return the exit status.

    Parameters
    ----------
    command : callable
        As `command_of` returns it.
    """
    with suppress(ValueError):  # only the main thread may say what a signal does
        signal.signal(signal.SIGTERM, _interrupt)
        # Ignored, it is nohup's.
        if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, _interrupt)
    try:
        status = command()
        sys.stdout.flush()
    except OutscoreError as error:
        return fail(str(error))
    except KeyboardInterrupt:
        _complain(INTERRUPTION)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not fail again when it flushes.
        _forget_output()
    except OSError as error:
        _forget_output()
        reason = (error.strerror or str(error)).lower()
        return fail(f"standard output: cannot write: {reason}. Name a file with -o. [cannot-write]")
    else:
        return status if isinstance(status, int) else 0
    return 0


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Leave no half-written file behind when asked to stop."""
    del frame
    if sys.platform != "win32" and number == signal.SIGHUP:
        # Whoever hangs up often says so twice, the terminal and its shell: once is enough.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise KeyboardInterrupt


def _forget_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(message: str) -> int:
    """Say on standard error what is wrong, and return the exit status."""
    _complain(message)
    return USAGE_ERROR


def _complain(message: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(message + "\n")
