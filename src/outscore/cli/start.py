"""Start and end of the command line. It imports little, so that Ctrl-C works from the start."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from outscore.cli.streams import (
    FAILED,
    FENCES_ERRORS,
    INTERRUPTION,
    complain,
    flush_errors,
    memory_limit,
    out_of_memory,
    status_of,
)
from outscore.text.naming import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

TRACEBACK = "OUTSCORE_TRACEBACK"
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
_LONGEST = 400  # characters of an unexpected error's message


def started(argv: Sequence[str] | None, *, in_child: bool = False) -> int:
    """Run the command line, by default with the arguments of the process, and return the exit status.

    Every error has the status 2 and one line. The environment variable OUTSCORE_TRACEBACK=1 adds the traceback.
    """
    words = sys.argv[1:] if argv is None else argv
    alone = argv is None
    if alone and not in_child and memory_limit() is not None:
        from outscore.cli.limited import limited

        return limited(partial(started, None, in_child=True))
    # Read from the words, not from parsed options, because parsing errors are messages as well.
    fences = FENCES_ERRORS.set(any(word.partition("=")[0] == "--github" for word in words))
    try:
        with _importing(alone=alone):
            from outscore.cli.running import command_of, run

            command = command_of(words)
        status = run(command)
    except KeyboardInterrupt as error:
        complain(INTERRUPTION)
        status = status_of(getattr(error, "number", signal.SIGINT))
    except BaseException as error:  # panics of polars and exits of other packages are no Exceptions
        status = FAILED
        complain(_in_one_line(error))
    finally:
        flush_errors()
        FENCES_ERRORS.reset(fences)
    if alone:
        gc.freeze()  # the process ends, so its objects need not be searched for cycles
    return status


def _in_one_line(error: BaseException) -> str:
    """Return the line of an unexpected error, after its traceback if OUTSCORE_TRACEBACK is set."""
    before = ""
    if os.environ.get(TRACEBACK, "") not in ("", "0"):
        import traceback

        before = "".join(traceback.format_exception(error))
    text = printable(" ".join(str(error).split())[:_LONGEST])
    # An extension module that gets no memory is an ImportError: "failed to map segment", "cannot allocate memory".
    lacks = isinstance(error, ImportError) and ("memory" in str(error) or "map segment" in str(error))
    if isinstance(error, MemoryError) or (lacks and memory_limit() is not None):
        return before + out_of_memory(text if isinstance(error, MemoryError) else "")
    where, trace = "", error.__traceback__
    while trace is not None:
        where = f"{trace.tb_frame.f_code.co_filename.rpartition(os.sep)[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    what = f"{type(error).__name__}{text and f': {text}'} ({where})"
    return (
        f"{before}outscore: unexpected error: {what}. Please report it with the output of the same command under "
        f"{TRACEBACK}=1. [unexpected]"
    )


@contextmanager
def _importing(*, alone: bool) -> Iterator[None]:
    """During imports, end the process at once on Ctrl-C, disable garbage collection and limit OpenBLAS to one thread.

    An exception is not enough, because extension modules may turn it into an ImportError. Imports create hardly any
    garbage; not collecting it saves a tenth of the time of a small comparison. OpenBLAS reads its variable when NumPy
    is imported. The products are small, and further threads would spend processor time waiting. --jobs adds threads,
    and programs that a command starts do not inherit the variable. Garbage collection and OpenBLAS are changed only if
    the process is outscore's own (`alone`).
    """
    ends, collects = signal.getsignal(signal.SIGINT) is signal.default_int_handler, alone and gc.isenabled()
    asks = alone and not any(name in os.environ for name in (_BLAS_THREADS, "OMP_NUM_THREADS"))
    if asks:
        os.environ[_BLAS_THREADS] = "1"
    if ends:  # otherwise another handler is installed, or SIGINT is ignored
        try:
            signal.signal(signal.SIGINT, _end)
        except ValueError:  # only the main thread can set signal handlers
            ends = False
    if collects:
        gc.disable()
    try:
        yield
    finally:
        if asks:
            del os.environ[_BLAS_THREADS]
        if collects:
            gc.freeze()
            gc.enable()
        if ends:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    complain(INTERRUPTION)
    flush_errors()
    os._exit(status_of(signal.SIGINT))
