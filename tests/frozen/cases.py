"""Cases of the frozen corpus: command lines and Python calls, how they are run, and how what they leave is kept."""

from __future__ import annotations

import contextlib
import hashlib
import html
import io
import json
import os
import platform
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import outscore
from outscore.cli import main
from outscore.errors import OutscoreError
from outscore.results.shown import Shown
from tests.frozen import inputs
from tests.frozen.calls import CALLS

Json: TypeAlias = Any
HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "expected.jsonl"
LONGEST = 24  # of a list of JSON; of a longer one a digest is kept

# What last digits, and some messages and charts, depend on.
PACKAGES = ("numpy", "scipy", "polars", "pandas", "altair", "cyclopts", "sacrebleu", "jiwer", "rouge-score")


def _arithmetic() -> str:
    """Return a digest of what NumPy makes of some functions: last digits differ between kinds of processors."""
    x = np.linspace(0.001, 30, 4001)
    parts = (np.exp(-x), np.log(x), np.sin(x), np.tanh(x), x**1.7, np.fft.rfft(x), np.outer(x[:64], x[:64]) @ x[:64])
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:12]


VERSIONS = {
    "machine": platform.machine(),
    "arithmetic": _arithmetic(),
    "python": platform.python_version(),
    **{name: version(name) for name in PACKAGES},
}

# All that may differ between two runs of the same program, or between two versions of it with the same results.
DIFFERS = (
    (re.escape(outscore.__version__) + r"(?![\d.]*\d)", "VERSION"),
    (r"\bversion:[0-9][\w.+]*", "version:VERSION"),
    (re.escape(platform.python_version()) + r"\b", "PYTHON"),
    (r"\"seconds\": [\d.e-]+", '"seconds": 0'),
    (r"\b\d+\.\d s$", "0.0 s"),
    (r"^outscore: \w+, \d+% after \d+ s\n", ""),  # what a slow machine says of its progress
)


def normal(text: str, folder: Path) -> str:
    """Return a text without what may differ; numbers of a version stand in no other place than these."""
    text = text.replace(str(folder.resolve()), "FOLDER").replace(str(folder), "FOLDER")
    for pattern, name in DIFFERS:
        text = re.sub(pattern, name, text, flags=re.MULTILINE)
    return text


def commands() -> list[str]:
    """Return the command lines, without comments."""
    lines = (HERE / "commands.txt").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def cases() -> list[str]:
    """Return the names of all cases: a command line is its own name, a call is `python: NAME`."""
    return [*commands(), *(f"python: {name}" for name in CALLS)]


@contextlib.contextmanager
def prepared(folder: Path) -> Iterator[Path]:
    """Write all inputs into an empty folder and be in it, as in a terminal of 80 columns."""
    before, environment = Path.cwd(), dict(os.environ)
    os.environ.update(COLUMNS="80", LINES="40", NO_COLOR="1", TZ="UTC")
    for name in ("OUTSCORE_SEED", "FORCE_COLOR"):
        os.environ.pop(name, None)
    os.chdir(folder)
    try:
        inputs.prepare(folder)
        inputs.keep(lambda line: _kept(line, folder))
        yield folder
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)


def _kept(line: str, folder: Path) -> None:
    status, _, err = run(line)
    assert status == 0, (line, err)


def run(line: str) -> tuple[int, str, str]:
    """Run `outscore LINE` in this process, its standard input from the file after ` < `; status, output, errors."""
    line, _, given = line.partition(" < ")
    data = Path(given.strip()).read_bytes() if given else b""
    streams = io.TextIOWrapper(io.BytesIO(data)), *(io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        main(shlex.split(line))
        code: object = 0
    except SystemExit as end:
        code = end.code
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    texts = []
    for stream in streams[1:]:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return code if isinstance(code, int) else 1, texts[0], texts[1]


def outcome(case: str, folder: Path) -> dict[str, Json]:
    """Run one case in the prepared folder; what it writes there is kept, too, and removed."""
    files = set(folder.rglob("*"))
    if case.startswith("python: "):
        kept = _called(CALLS[case.removeprefix("python: ")], folder)
    else:
        status, out, err = run(case)
        kept = {"status": status} | _streams(out, err, folder)
    written: dict[str, Json] = {}
    for path in sorted(set(folder.rglob("*")) - files, reverse=True):
        if path.is_dir():
            path.rmdir()
        else:
            written[path.relative_to(folder).as_posix()] = _file(path, folder)
            path.unlink()
    if written:
        kept["files"] = dict(sorted(written.items()))
    return {"case": case} | kept


def _streams(out: str, err: str, folder: Path) -> dict[str, Json]:
    kept: dict[str, Json] = {}
    if out:
        kept["out"] = _text(out, folder)
    if errors := normal(err, folder):
        kept["err"] = errors
    return kept


def _text(text: str, folder: Path) -> Json:
    """Return JSON as it is, in the order of its keys, where it is written as all JSON is; and text as lines."""
    text = normal(text, folder)
    try:
        data = json.loads(text)
    except ValueError:
        return text.split("\n")
    plain = json.dumps(data, indent=2) + "\n"
    on_lines = re.sub(r"\[\n\s+([^][{}\"]*)\n\s+\]", lambda part: f"[{' '.join(part[1].split())}]", plain)
    return _shortened(data) if text in (plain, on_lines) else text.split("\n")


def _file(path: Path, folder: Path) -> Json:
    data = path.read_bytes()
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return {name: digest(arrays[name].tobytes()) for name in arrays.files if name != "about"}
    if path.suffix == ".html":
        return visible(normal(data.decode(), folder))
    if path.suffix in (".json", ".csv", ".md", ".tex", ".txt", ".toml"):
        text = normal(data.decode(), folder)
        return digest(text.encode()) if '"$schema": "https://vega' in text[:4000] else _text(text, folder)
    return path.suffix


def visible(page: str) -> Json:
    """Return the size and the digest of the text that a page shows, and how it begins."""
    for name in ("script", "style", "svg"):
        page = re.sub(rf"<{name}\b.*?</{name}>", " ", page, flags=re.DOTALL)
    words = html.unescape(re.sub(r"<[^>]*>", " ", page)).split()
    return {"words": len(words), "digest": digest(" ".join(words).encode()), "begins": " ".join(words[:30])}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _shortened(data: Json) -> Json:
    """Return JSON in which a long list of numbers is a digest; texts and records stand in full."""
    if isinstance(data, dict):
        return {name: _shortened(value) for name, value in data.items()}
    if isinstance(data, list):
        if len(data) > LONGEST and not any(isinstance(x, dict | str) for x in data):
            return f"{len(data)} numbers, {digest(json.dumps(data).encode())}"
        return [_shortened(value) for value in data]
    return data


def _called(call: Callable[[], object], folder: Path) -> dict[str, Json]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return {"value": _value(call(), folder)}
        except OutscoreError as error:
            return {"error": type(error).__name__, "message": normal(str(error), folder)}


def _value(value: Any, folder: Path) -> Json:
    if isinstance(value, Shown):
        return _text(value.to_json(), folder)
    if isinstance(value, Mapping):
        return {str(name): _value(one, folder) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_value(one, folder) for one in value]
    if isinstance(value, str) and "\n" in value:
        return _text(value, folder)
    if isinstance(value, str):
        return normal(value, folder)
    assert value is None or isinstance(value, bool | int | float), value
    return value


def line_of(kept: Mapping[str, Json]) -> str:
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def recorded() -> tuple[dict[str, str], dict[str, dict[str, Json]]]:
    """Return the versions under which the corpus was written, and what is expected of each case."""
    if not EXPECTED.exists():
        return {}, {}
    head, *lines = EXPECTED.read_text(encoding="utf-8").splitlines()
    kept = [json.loads(line) for line in lines]
    return json.loads(head), {one["case"]: one for one in kept}
