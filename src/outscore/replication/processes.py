"""Programs run side by side, each in a process group of its own, so that what it started ends with it.

A process that leaves the group for a session of its own (``setsid``, a daemon) is not followed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Exit", "Job", "run_jobs"]

_POLL = 0.02  # seconds between looks at what is running
_GRACE = 5.0  # seconds between asking a program to end and ending it


@dataclass(frozen=True)
class Job:
    """A program to run.

    Attributes
    ----------
    words : sequence of str
    log : Path
        Where everything goes that it prints.
    prepare : callable
        Called right before it starts; it makes the folder of the log.
    """

    words: Sequence[str]
    log: Path
    prepare: Callable[[], None]


@dataclass(frozen=True)
class Exit:
    """How a program ended.

    Attributes
    ----------
    status : int or None
        Negative: the number of a signal. None where it could not be started.
    seconds : float
    timed_out : bool
    problem : str
        Why it could not be started.
    """

    status: int | None
    seconds: float
    timed_out: bool = False
    problem: str = ""


@dataclass
class _Running:
    job: Job
    process: subprocess.Popen[bytes]
    started: float = field(default_factory=time.monotonic)
    end_sent: float | None = None  # when it was asked to end

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def overdue(self, timeout: float | None) -> None:
        """Ask it to end once its time is over, and end it where it does not."""
        if self.end_sent is None and timeout is not None and self.seconds > timeout:
            self.end_sent = time.monotonic()
            self.end(gently=True)
        elif self.end_sent is not None and time.monotonic() - self.end_sent > _GRACE:
            self.end(gently=False)

    def end(self, *, gently: bool) -> None:
        """Signal the whole group. Its number stays its own as long as anything of it lives."""
        if sys.platform == "win32":
            self.process.kill()
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGTERM if gently else signal.SIGKILL)


def run_jobs(
    jobs: Sequence[Job],
    n_parallel: int,
    timeout: float | None,
    ended: Callable[[Job, Exit], None],
    handles: Sequence[int] = (),
) -> None:
    """Run all jobs, `n_parallel` at a time, and call `ended` after each, in the order in which they end.

    No process group is left running, whatever happens: not after the end of a program (what it left behind is ended),
    nor after an interruption.

    Standard input of a job is empty; `handles` are open files that programs inherit.
    """
    waiting = list(reversed(jobs))
    running: list[_Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < n_parallel:
                job = waiting.pop()
                job.prepare()
                try:
                    running.append(_Running(job, _start(job, handles)))
                except (OSError, ValueError) as error:
                    reason = getattr(error, "strerror", None) or str(error)
                    ended(job, Exit(None, 0.0, problem=reason.lower()))
            for program in list(running):
                status = program.process.poll()
                if status is None:
                    program.overdue(timeout)
                    continue
                running.remove(program)
                program.end(gently=False)
                ended(program.job, Exit(status, program.seconds, timed_out=program.end_sent is not None))
            if running:
                time.sleep(_POLL)
    finally:
        _end_all(running)


def _start(job: Job, handles: Sequence[int]) -> subprocess.Popen[bytes]:
    with job.log.open("wb") as log:
        return subprocess.Popen(
            job.words,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=handles,
        )


def _end_all(running: Sequence[_Running]) -> None:
    last = time.monotonic() + _GRACE
    try:
        for program in running:
            program.end(gently=True)
        for program in running:
            with suppress(subprocess.TimeoutExpired):
                program.process.wait(max(0.0, last - time.monotonic()))
    finally:  # a second interruption does not wait any longer
        for program in running:
            program.end(gently=False)
            program.process.wait()
