"""The user's command with its placeholders, and programs run side by side.

No shell is used, so words are never split. Each program has its own process group, so its children end with it,
except for those that start their own session (``setsid``, a daemon).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from outscore.errors import FileAccessError, OptionError, Problem
from outscore.options import opt
from outscore.text.naming import quoted

# Other braces are kept: they may be JSON, or code.
_PLACEHOLDER = re.compile(r"\{(train\d*|out|seed|name)\}")
_POLL = 0.02  # seconds between checks of running programs
_GRACE = 5.0  # seconds between asking a program to end and ending it


@dataclass(frozen=True)
class Command:
    """A program and its arguments; if it is run `elsewhere`, the program is looked up there.

    Placeholders: ``{train}`` and, of files drawn together, ``{train2}``, ``{train3}``, …; ``{out}``, where the outputs
    are to be written; ``{seed}``, a seed for the trainer; ``{name}``, the name of the run. Refused are missing
    placeholders, those without a file, and a program that does not exist.
    """

    words: Sequence[str]
    n_train: int
    elsewhere: bool = False

    def __post_init__(self) -> None:
        if not self.words:
            raise _problem("expected a command", "Put it at the end, after --.")
        if any("\0" in word for word in self.words):
            raise _problem("expected words without NUL characters", "")
        placeholders = {name for word in self.words for name in _PLACEHOLDER.findall(word)}
        needed = ["train", *(f"train{i}" for i in range(2, self.n_train + 1)), "out"]
        for name in needed:
            if name not in placeholders and not (name == "train" and "train1" in placeholders):
                meaning = "the outputs are to be written" if name == "out" else "the name of the training set belongs"
                raise _problem(f"expected {{{name}}} in it", f"Write {{{name}}} where {meaning}.")
        for name in sorted(placeholders - {*needed, "train1", "seed", "name"}):
            raise _problem(f"{{{name}}} has no file", f"Files given with {opt('train')}: {self.n_train}.")
        is_given = self.elsewhere or _PLACEHOLDER.search(self.words[0]) is not None
        if not is_given and shutil.which(self.words[0]) is None:
            raise OptionError(
                Problem(
                    quoted(self.words[0]),
                    "no executable program has this name",
                    "Check its spelling and its permissions.",
                    "command-not-found",
                )
            )

    def filled(self, values: Mapping[str, str]) -> list[str]:
        """Return the words with placeholders replaced, once."""
        return [_PLACEHOLDER.sub(lambda match: values[match[1]], word) for word in self.words]

    @property
    def short_name(self) -> str:
        """The name of the script if the first argument is a file, else that of the program."""
        second = self.words[1] if len(self.words) > 1 else ""
        return PurePath(second if second and _is_file(second) else self.words[0]).stem

    def file_digests(self) -> dict[str, str]:
        """Return the SHA-256 of every file that the arguments name, as ``FILE`` or ``--option=FILE``.

        A changed script, configuration or test set makes other systems.
        """
        digests: dict[str, str] = {}
        for word in self.words[1:]:
            for name in (word, word.partition("=")[2]):
                if name and _is_file(name):
                    try:
                        digests[name] = digest_of(name)
                    except OSError as error:
                        what = f"cannot be read: {(error.strerror or str(error)).lower()}"
                        raise FileAccessError(Problem(quoted(name), what, "", "cannot-read")) from None
        return digests


def digest_of(name: str) -> str:
    """Return the SHA-256 of a file."""
    with Path(name).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _problem(what: str, advice: str) -> OptionError:
    return OptionError(Problem("the command", what, advice, "bad-command"))


@dataclass(frozen=True)
class Job:
    """A program to run."""

    words: Sequence[str]
    log: Path  # file for the output of the program
    prepare: Callable[[], None]  # called before the start; it makes the folder of the log


@dataclass(frozen=True)
class Exit:
    """How a program ended."""

    status: int | None  # exit status; negative: the number of a signal. None if the program could not be started.
    seconds: float
    timed_out: bool = False
    problem: str = ""  # why it could not be started


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
        """Ask the program to end after the time limit, and kill it some time later."""
        if self.end_sent is None and timeout is not None and self.seconds > timeout:
            self.end_sent = time.monotonic()
            self.end(gently=True)
        elif self.end_sent is not None and time.monotonic() - self.end_sent > _GRACE:
            self.end(gently=False)

    def end(self, *, gently: bool) -> None:
        """Signal the whole group. Its number is not reused while any of its processes lives."""
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
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Run all jobs, `n_parallel` at a time, and call `ended` after each, in the order in which they end.

    No process group is left running, neither after the end of a program nor after an interruption.

    Standard input of a job is empty. Programs inherit the open files `handles`. `meanwhile` is called repeatedly;
    an exception from it interrupts.
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
                meanwhile()
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
    finally:  # a second interruption does not wait
        for program in running:
            program.end(gently=False)
            program.process.wait()
