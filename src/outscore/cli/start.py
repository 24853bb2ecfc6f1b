"""How the command line starts and ends. Little is imported here, so that it can be interrupted from the start."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

__all__ = ["INTERRUPTED", "INTERRUPTION", "started"]

INTERRUPTED = 130
INTERRUPTION = "outscore: interrupted; nothing was written."


def started(argv: Sequence[str] | None) -> int:
    """Run the command line, with the arguments of the process where there are none, and return the exit status."""
    with _interruptions_end_it(), _no_collection(alone=argv is None):
        from outscore.cli.running import command_of, run

        command = command_of(sys.argv[1:] if argv is None else argv)
    status = run(command)
    if argv is None:
        gc.freeze()  # the process ends: what it holds need not be searched for cycles before that
    return status


@contextmanager
def _interruptions_end_it() -> Iterator[None]:
    """End the process at once on Ctrl-C while modules are imported.

    An exception would not do: extension modules may turn it into an ImportError of their own.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # somebody else listens, or nobody shall
        return
    try:
        signal.signal(signal.SIGINT, _end)
    except ValueError:  # only the main thread may say what a signal does
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{INTERRUPTION}\n")
            sys.stderr.flush()
    os._exit(INTERRUPTED)


@contextmanager
def _no_collection(*, alone: bool) -> Iterator[None]:
    """Search for no garbage while modules are imported, which make hardly any, nor later among what they hold.

    That is a tenth of the time of a small comparison. It is for a process of our own, `alone`, and no other program's.
    """
    if not (alone and gc.isenabled()):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
