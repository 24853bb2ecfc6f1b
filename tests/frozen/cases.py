"""Cases of the frozen corpus: command lines and Python calls, how they are run, and how what they leave is kept."""

from __future__ import annotations

import contextlib
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
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import outscore
from outscore.cli import main
from outscore.errors import OutscoreError
from tests.frozen import inputs
from tests.frozen.factor_calls import CALLS
from tests.reports.kit import Shown
from tests.running import COMMIT_VARIABLES

Json: TypeAlias = Any
HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "expected"
LONGEST = 8  # numbers of a list; of a longer one the length and the sum are kept
NAME = 120  # characters of a file's name at most

# All that may differ between two runs of the same program, or between two versions of it with the same results.
DIFFERS = (
    (re.escape(outscore.__version__) + r"(?![\d.]*\d)", "VERSION"),
    (r"\b(version|sacrebleu|jiwer|rapidfuzz|rouge-score)(:|\": \")[0-9][\w.+]*", r"\1\2VERSION"),
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


def cases() -> dict[str, str]:
    """Return all cases by the names of their files: a case is a command line, or `python: NAME` for a call."""
    named: dict[str, str] = {}
    for case in (*commands(), *(f"python: {name}" for name in CALLS)):
        name = re.sub(r"[^\w.,=+@^-]+", "_", case)[:NAME]
        assert name not in named, f"two cases have the name {name}"
        named[name] = case
    return named


@contextlib.contextmanager
def prepared(folder: Path) -> Iterator[Path]:
    """Write all inputs into an empty folder and be in it, as in a terminal of 80 columns."""
    before, environment = Path.cwd(), dict(os.environ)
    os.environ.update(COLUMNS="80", LINES="40", NO_COLOR="1", TZ="UTC")
    for name in ("OUTSCORE_SEED", "FORCE_COLOR", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", *COMMIT_VARIABLES):
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
    """Run one case in the prepared folder; what it writes there is kept, too, and removed.

    Of command lines joined by ` && ` what the last prints is kept, whatever the status of those before.
    """
    files = set(folder.rglob("*"))
    if case.startswith("python: "):
        kept = _called(CALLS[case.removeprefix("python: ")], folder)
    else:
        *_, (status, out, err) = map(run, case.split(" && "))
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
    return _shortened(data) if text in (plain, _on_lines(plain)) else text.split("\n")


def _on_lines(text: str) -> str:
    """Return indented JSON in which a list of numbers is one line."""
    return re.sub(r"\[\n\s+([^][{}\"]*)\n\s+\]", lambda part: f"[{' '.join(part[1].split())}]", text)


def _file(path: Path, folder: Path) -> Json:
    data = path.read_bytes()
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            header = normal(arrays["outscore.header"].tobytes().decode(), folder)
            numbers = {name: arrays[name] for name in arrays.files if name != "outscore.header"}
        return json.loads(header) | {name: {"shape": [*x.shape], "sum": x.sum().item()} for name, x in numbers.items()}
    if path.suffix == ".html":
        return visible(normal(data.decode(), folder))
    if path.suffix in (".json", ".csv", ".md", ".tex", ".txt", ".toml", ".xml"):
        text = normal(data.decode(), folder)
        return _chart(json.loads(text)) if '"$schema": "https://vega' in text[:4000] else _text(text, folder)
    return path.suffix


def visible(page: str) -> list[str]:
    """Return the text that a page shows, one line for each block."""
    for name in ("script", "style", "svg"):
        page = re.sub(rf"<{name}\b.*?</{name}>", " ", page, flags=re.DOTALL)
    page = re.sub(r"<(?!/?(?:a|b|abbr|button|code|em|label|option|span|strong|sub|sup|td|th)\b)[^>]*>", "\n", page)
    lines = html.unescape(re.sub(r"<[^>]*>", " ", page)).split("\n")
    return [line for line in (" ".join(words.split()) for words in lines) if line]


def _chart(spec: Json) -> Json:
    """Return the titles of a chart, and how many records each of its parts has."""
    titles: list[Json] = []
    records: list[int] = []

    def look(part: Json) -> None:
        for name, value in part.items() if isinstance(part, dict) else enumerate(part):
            if name == "values" and isinstance(value, list):
                records.append(len(value))
            elif name == "title" and isinstance(value, str | list):
                titles.append(value)
            elif isinstance(value, dict | list):
                look(value)

    look(spec)
    return {"titles": titles, "records": records}


def _shortened(data: Json) -> Json:
    """Return JSON without sentences, which cases of text have, and without long lists of numbers."""
    if isinstance(data, dict):
        kept = {name: value for name, value in data.items() if name != "sentence" or not isinstance(value, str)}
        return {name: _shortened(value) for name, value in kept.items()}
    if isinstance(data, list) and len(data) > LONGEST and all(isinstance(x, int | float) for x in data):
        return {"length": len(data), "sum": sum(data)}
    return [_shortened(value) for value in data] if isinstance(data, list) else data


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


def text_of(kept: Mapping[str, Json]) -> str:
    return _on_lines(json.dumps(kept, ensure_ascii=False, indent=1)) + "\n"


def file_of(name: str) -> Path:
    return EXPECTED / f"{name}.json"


def recorded() -> dict[str, dict[str, Json]]:
    """Return what is expected of each case, by its name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(EXPECTED.glob("*.json"))}
