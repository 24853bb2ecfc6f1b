"""Commands in odd circumstances: closed pipes, full disks, limits, locales, signals.

The exit status is the usual one, or says why not; a file of results is whole, or is not there; there is no trace.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import ClassVar

from tests.fuzz.targets import Target

__all__ = ["Environment", "environments"]

_SECONDS = 60  # for one command on a busy machine
_OUTPUT = "output.json"
_COMMANDS: Mapping[str, Sequence[str]] = {
    "compare": ("compare", "old.csv", "new.csv", "-m", "accuracy"),
    "compare with a bootstrap": ("compare", "old.csv", "new.csv", "-t", "bootstrap", "--n-resamples", "2000"),
    "compare into a file": ("compare", "old.csv", "new.csv", "-m", "accuracy", "-o", _OUTPUT),
    "report": ("compare", "old.csv", "new.csv", "-m", "accuracy", "--report", _OUTPUT.replace("json", "html")),
    "rank": ("rank", "old.csv", "new.csv", "third.csv"),
    "rank into a file": ("rank", "old.csv", "new.csv", "third.csv", "-o", _OUTPUT),
    "score": ("score", "old.csv", "--format", "csv"),
    "gate that passes": ("gate", "old.csv", "third.csv", "-m", "accuracy", "--margin", "0.1"),
    "gate that fails": ("gate", "old.csv", "new.csv", "-m", "accuracy", "--margin", "0.02", "-o", _OUTPUT),
    "gate of a baseline": ("gate", "store.json", "third.csv", "--margin", "0.1"),
    "accept": ("gate", "accept", "old.csv", "-m", "accuracy", "-o", "store.json", "--same-run"),
    "error": ("compare", "old.csv", "nowhere.csv"),
    "plan": ("plan", "power", "--items", "200", "--gain", "5%", "--hurt", "5%", "-t", "mcnemar"),
    "help": ("--help",),
    "metrics": ("metrics",),
}


@dataclass(frozen=True)
class _Outcome:
    status: int
    out: bytes
    err: str
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class _Circumstance:
    """How a command is run.

    Attributes
    ----------
    variables : mapping of str to str
        Of the environment.
    limits : sequence of (int, tuple of int)
        Limits of resources, and the values that are tried.
    out : str
        Where standard output goes: "kept", or a name of `_standard_output`.
    closed : tuple of int
        File descriptors that are closed.
    signals : tuple of signal.Signals
        One of them is sent after up to a second.
    refused : bool
        Whether the command may end with status 2 in place of its usual one.
    same : bool
        Whether output is the usual one to the last byte.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    limits: Sequence[tuple[int, tuple[int, ...]]] = ()
    out: str = "kept"
    closed: tuple[int, ...] = ()
    signals: tuple[signal.Signals, ...] = ()
    refused: bool = False
    same: bool = False


_MIB = 2**20
_CIRCUMSTANCES: Mapping[str, _Circumstance] = {
    "usual": _Circumstance(same=True),
    "closed-pipe": _Circumstance(out="closed"),
    "head": _Circumstance(out="head"),
    "full-disk": _Circumstance(out="full", refused=True),
    "closed-output": _Circumstance(closed=(1,), refused=True),
    "closed-error": _Circumstance(closed=(2,)),
    "closed-input": _Circumstance(closed=(0,), same=True),
    "all-closed": _Circumstance(closed=(0, 1, 2), refused=True),
    "locale-C": _Circumstance({"LC_ALL": "C", "LANG": "C"}),
    "locale-POSIX": _Circumstance({"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}),
    "locale-Turkish": _Circumstance({"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}, same=True),
    "locale-unknown": _Circumstance({"LC_ALL": "xx_YY.ISO-8859-9"}),
    "ascii": _Circumstance({"PYTHONIOENCODING": "ascii"}),
    "no-home": _Circumstance({"HOME": "/nowhere", "XDG_CACHE_HOME": "/nowhere", "TMPDIR": "/nowhere"}, same=True),
    "no-variables": _Circumstance({"HOME": "", "PATH": "", "TERM": "", "TMPDIR": "", "COLUMNS": "0"}),
    "narrow": _Circumstance({"COLUMNS": "1", "TERM": "dumb"}),
    "wide": _Circumstance({"COLUMNS": "100000", "FORCE_COLOR": "1"}),
    "optimized": _Circumstance({"PYTHONOPTIMIZE": "1"}, same=True),
    "warnings": _Circumstance({"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1"}, same=True),
    "file-size": _Circumstance(limits=[(resource.RLIMIT_FSIZE, (0, 100, 1000, 5000))], refused=True),
    "open-files": _Circumstance(limits=[(resource.RLIMIT_NOFILE, (4, 6, 8, 16, 32))], refused=True),
    "memory": _Circumstance(
        limits=[(resource.RLIMIT_AS, tuple(size * _MIB for size in (100, 150, 200, 250, 300, 400, 600)))], refused=True
    ),
    "interrupted": _Circumstance(signals=(signal.SIGINT,)),
    "ended": _Circumstance(signals=(signal.SIGTERM, signal.SIGHUP)),
    "killed": _Circumstance(signals=(signal.SIGKILL,)),
}


def _systems(folder: Path) -> None:
    """Write three systems, of which the second is clearly worse than the first, and an accepted baseline."""
    for name, wrong in (("old", range(20)), ("new", range(20, 80)), ("third", range(1, 20))):
        lines = [f"q{item},{int(item not in wrong)}" for item in range(400)]
        (folder / f"{name}.csv").write_text("\n".join(["id,accuracy", *lines]))
    store = [*_COMMANDS["accept"]]
    store[2] = "new.csv"
    if not (folder / "store.json").exists():
        _run(store, _Circumstance(), folder, Random(0))


@cache
def _usual(command: str) -> _Outcome:
    with TemporaryDirectory() as folder:
        _systems(Path(folder))
        return _run(_COMMANDS[command], _Circumstance(), Path(folder), Random(0))


@contextmanager
def _standard_output(kind: str) -> Iterator[int]:
    """Yield where standard output goes: a pipe that nobody reads, or a disk that is full."""
    if kind in ("kept", "head"):
        yield subprocess.PIPE
        return
    if kind == "full":
        out = os.open("/dev/full", os.O_WRONLY)
    else:
        reader, out = os.pipe()
        os.close(reader)
    try:
        yield out
    finally:
        os.close(out)


def _run(command: Sequence[str], how: _Circumstance, folder: Path, random: Random) -> _Outcome:
    """Run a command; `random` chooses the limits, the signal and when it is sent."""
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))), **how.variables}
    limits = [(kind, random.choice(values)) for kind, values in how.limits]

    def limited() -> None:
        for number in how.closed:
            os.close(number)
        for kind, value in limits:
            resource.setrlimit(kind, (value, value))

    with _standard_output(how.out) as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "outscore", *command],
            cwd=folder,
            env=known,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.PIPE,
            preexec_fn=limited,
        )
        try:
            if how.signals:
                try:
                    process.wait(random.random())
                except subprocess.TimeoutExpired:
                    process.send_signal(random.choice(how.signals))
            if how.out == "head":
                assert process.stdout is not None
                process.stdout.readline()
                process.stdout.close()
                process.stdout = None
            written, err = process.communicate(timeout=_SECONDS)
        finally:
            process.kill()
            process.wait()
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
    return _Outcome(process.returncode, written or b"", err.decode(errors="replace"), files)


@dataclass(frozen=True)
class Environment(Target):
    """A circumstance, in which commands are run."""

    writes: ClassVar[bool] = True

    @property
    def circumstance(self) -> str:
        """The name of the circumstance."""
        return self.name.removeprefix("environment-")

    @property
    def own(self) -> Sequence[tuple[str, bytes]]:
        return [(f"{place}.json", json.dumps(command).encode()) for place, command in enumerate(_COMMANDS)]

    def case(self, random: Random) -> tuple[str, bytes]:
        return "command.json", json.dumps([random.choice([*_COMMANDS]), random.random()]).encode()

    def prepare(self, folder: Path) -> None:
        _systems(folder)

    def read(self, path: str, random: Random) -> None:
        command, draw = json.loads(Path(path).read_bytes())
        how, usual = _CIRCUMSTANCES[self.circumstance], _usual(command)
        with TemporaryDirectory() as place:
            folder = Path(place)
            for name in ("old.csv", "new.csv", "third.csv", "store.json"):
                shutil.copy(Path(path).with_name(name), folder / name)
            before = {name.name: name.read_bytes() for name in folder.iterdir()}
            found = _run(_COMMANDS[command], how, folder, Random(draw))
        told = f"{command}: status {found.status}, usually {usual.status}; {found.err[-1500:]}"
        by_signal = {of for sent in how.signals for of in (128 + sent, -sent)}
        allowed = {usual.status, *by_signal} | ({2} if how.refused else set())
        assert found.status in allowed, told
        # Before the first line of the command runs, an interruption ends Python itself, in its own modules.
        of_python = re.search(r'File "(?!<frozen)', found.err) is None
        assert "Traceback" not in found.err or (of_python and found.status in by_signal), told
        assert "[unexpected]" not in found.err, told
        if found.status == 2 and 2 not in how.closed:
            assert found.err.rstrip().endswith("]"), told
        if how.same:
            assert (found.out, found.err) == (usual.out, usual.err), told
        killed = signal.SIGKILL in how.signals
        for name in {*found.files, *before}:
            assert name in found.files, f"removed {name}; {told}"
            data = found.files[name]
            if (killed and name.endswith((".part", ".lock"))) or data == before.get(name):
                continue
            assert name in usual.files, f"left {name}; {told}"
            assert data == usual.files[name], f"{name} is not whole; {told}"


def environments() -> Sequence[Environment]:
    """Return all circumstances that this machine has."""
    return [
        Environment(f"environment-{name}")
        for name, how in _CIRCUMSTANCES.items()
        if how.out != "full" or Path("/dev/full").exists()
    ]
