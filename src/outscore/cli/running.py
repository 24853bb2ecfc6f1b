"""The command of a command line, and its exit status, which is known before anything is printed."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from functools import partial
from types import FrameType
from typing import IO, NoReturn, cast

from outscore._version import __version__
from outscore.cli.streams import FAILED, INTERRUPTION, HeldOutput, Interruption, complain, status_of
from outscore.errors import OutscoreError


def command_of(argv: Sequence[str]) -> Callable[[], object]:
    """Import the modules of a command line, without the program's name, and return a function that runs it."""
    if [*argv] == ["--version"]:
        return partial(print, __version__)
    from outscore.cli.plain import plain_command

    plain = plain_command(argv)
    if plain is not None:
        return plain
    from outscore.cli.app import parsed

    return partial(parsed, argv)


def run(command: Callable[[], object]) -> int:
    """Run a command, print its standard output, and return the exit status.

    The output is printed after the command has ended and its files are written, so that the reader of standard output
    cannot affect them. Failing to write the output is an error, except for a closed pipe.
    """
    output = None if sys.stdout is None else HeldOutput(sys.stdout)
    status, problem, interruption = 0, "", ""
    with _signals() as received:
        try:
            try:
                with nullcontext() if output is None else redirect_stdout(cast("IO[str]", output)):
                    ended = command()
                status = ended if isinstance(ended, int) else 0
            except OutscoreError as error:
                status, problem = FAILED, str(error)
            if output is not None and not received:
                try:
                    output.release()
                except OSError as error:
                    reason = (error.strerror or str(error)).lower()
                    written = f"standard output: cannot write: {reason}. Pass a file with -o. [cannot-write]"
                    status, problem = FAILED, f"{problem}\n{written}".lstrip()
        except KeyboardInterrupt as error:
            interruption = str(error) or INTERRUPTION
            if not received:
                received.append(signal.SIGINT)
        if received:  # also if a library caught the exception
            status, problem = status_of(received[0]), interruption or INTERRUPTION
        if problem:
            complain(problem)
        return status


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Interrupt the command on SIGTERM and SIGHUP, so that it leaves no half-written file; yield the signals."""
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        del frame
        received.append(number)
        # The terminal and its shell both send SIGHUP, and supervisors repeat signals. Once is enough.
        signal.signal(number, signal.SIG_IGN)
        raise Interruption(number)

    former = {}
    with suppress(ValueError):  # only the main thread can set signal handlers
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # nohup ignores SIGHUP.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                former[number] = signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
