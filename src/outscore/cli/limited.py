"""The command under a limit on its memory, where libraries end the process with any exit status.

OpenBLAS ends it with status 1 if it gets no memory, which a gate uses for "failed"; V8 and Rust abort. So the command
runs in a child, and the parent, which needs hardly any memory, turns such an end into status 2 and one line.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType

from outscore.cli.streams import FAILED, complain, out_of_memory, status_of

# How the child spells status 1, which libraries use. Other commands of shells and of outscore do not end with it.
_ONE = 65
_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OF_MEMORY = (-1, signal.SIGKILL, signal.SIGABRT)  # -1 is the status 1; kernels kill, and V8 and Rust abort


def limited(run: Callable[[], int]) -> int:
    """Run a command in a child, and return its exit status. In the child, return the status to exit with."""
    child = os.fork()
    if not child:
        status = run()
        return _ONE if status == 1 else status

    def forward(number: int, frame: FrameType | None) -> None:
        del frame
        os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, forward)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to the child as well
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == _ONE:
        return 1
    if -status in _ENDS:
        return status_of(-status)
    if status == 1 or status < 0:
        complain(_line_of(-status))
        return FAILED
    return status


def _line_of(number: int) -> str:
    """Return the line about a process that a library or a signal (`number`) ended."""
    ended = "a library" if number < 0 else signal.Signals(number).name
    if number in _OF_MEMORY:
        return out_of_memory(f"{ended} ended the process", probably=True)
    advice = "Run it without a limit on memory (ulimit -v), and report it if it ends so again."
    return f"outscore: {ended} ended the process. {advice} [unexpected]"
