"""Formats of logs that other packages register as entry points."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import outscore
from outscore.cli import main
from outscore.errors import DataError, OptionError
from outscore.wings.logs.plugins import plugged_formats, plugins
from tests.kit import RunDesign
from tests.logs.kit import LOG_FORMATS, format_of_log, log_formats
from tests.logs.kit import logs_found as logs_in
from tests.packages import installed

MODULE = '''
from outscore.wings.logs.base import Log, LogFormat, LogMetric
from outscore.wings.logs.records import RecordBuilder

class Lines(LogFormat):
    """``#lines SYSTEM`` and a name and a score a line."""
    name = "lines"
    suffixes = (".lines.jsonl",)

    def recognizes(self, file):
        return file.head.startswith(b"#lines ")

    def read(self, files):
        for file in files:
            first, *rows = file.data.decode().splitlines()
            records = RecordBuilder()
            for row in rows:
                item, score = row.split()
                records.add(item, scores={"score": float(score)})
            metric = LogMetric(name="score", scores=records.scores("score"))
            yield records.log(file.path, first.split()[1], "made up", [metric])

MADE = Lines()

class Unfinished(LogFormat):
    name = "unfinished"

class Picky(Lines):
    name = "picky"

    def __init__(self):
        raise ValueError("not\\nso")

class Elsewhere(Lines):
    name = "elsewhere"
    suffixes = (".log",)

class Careless(Lines):
    name = "careless"

    def read(self, files):
        yield {"system": "a"}

class Blind(Lines):
    name = "blind"

    def recognizes(self, file):
        raise SystemExit(0)

a_number = 3
'''
DOCS = Path(__file__).resolve().parents[2] / "docs"
NAME = "a.lines.jsonl"
Register = Callable[..., None]
CONTENT = "#lines {}\na 1\nb 0\nc {}\n"


def written(folder: Path, content: str, name: str = NAME) -> str:
    path = folder / name
    path.write_text(content)
    return str(path)


@pytest.fixture
def register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Register]:
    """Install a tiny distribution that registers formats of logs, for one test."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def install(distribution: str = "tiny", **entries: str) -> None:
        installed(tmp_path, "outscore.logs", entries, distribution)
        (tmp_path / f"{distribution}_logs.py").write_text(MODULE)
        plugged_formats.cache_clear()

    yield install
    plugged_formats.cache_clear()
    for module in ("tiny_logs", "vast_logs"):
        sys.modules.pop(module, None)


def test_a_registered_format_is_read_like_any_other(register: Register, capsys: pytest.CaptureFixture[str]) -> None:
    register(lines="tiny_logs:Lines")
    assert [(plugin.name, plugin.distribution) for plugin in plugins()] == [("lines", "tiny 1.2")]
    Path("logs").mkdir()
    for system, score in (("one", 0), ("two", 1)):
        Path("logs", f"{system}.lines.jsonl").write_text(CONTENT.format(system, score))
    comparison = outscore.compare("logs", baseline="one").comparisons[0]
    assert (comparison.n_items, comparison.helped, comparison.hurt) == (3, 1, 0)
    with pytest.raises(SystemExit, match="0"):
        main(["logs", "logs"])
    assert capsys.readouterr().out.startswith("2 systems, 1 task and 1 metric in logs of lines.")


def test_an_object_is_a_format_as_a_class_is(register: Register, tmp_path: Path) -> None:
    register(lines="tiny_logs:MADE")
    (log,) = logs_in(written(tmp_path, CONTENT.format("one", 1)))
    assert (log.system, list(log.log.item_ids)) == ("one", ["a", "b", "c"])


def test_the_formats_of_the_documentation_can_be_installed(
    register: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (DOCS / "extending.md").read_text()
    entries = {"sample log": "log_format:SampleLog", "sample rows": "log_format:ROWS"}
    assert all(f'"{name}" = "{value}"' in page for name, value in entries.items())
    monkeypatch.syspath_prepend(DOCS / "examples_of_extending")
    register(**entries)
    rows = [
        {"question": "q1", "model": "one", "trial": 1, "points": 0.5, "answer": "yes"},
        {"question": "q1", "model": "one", "trial": 2, "points": None},
        {"question": "q1", "model": "two", "trial": 1, "points": 1, "answer": "no"},
    ]
    one, two = logs_in(written(tmp_path, "".join(f"{json.dumps(row)}\n" for row in rows)))
    assert (one.system, two.system, one.log.task) == ("one", "two", "samples")
    assert (one.log.runs, two.log.runs, one.log.runs_are) == (["1", "2"], None, RunDesign.SAMPLES)
    assert repr(one.log.metrics[0].scores.tolist()) == "[0.5, nan]"
    assert one.format is not None
    assert one.format.texts(two.log, ["q1"])["q1"].answer == "no"
    with pytest.raises(DataError, match=r"a\.lines\.jsonl:1: expected names as question and model"):
        logs_in(written(tmp_path, json.dumps({**rows[0], "model": ""})))


def test_nothing_is_imported_for_logs_of_formats_of_our_own(register: Register, tmp_path: Path) -> None:
    register(broken="no_such_module:Format", LiveBench="no_such_module:Format")
    row = {"question_id": 1, "task": "t", "model": "m", "score": 1, "category": "c", "tstamp": 1}
    known = format_of_log(logs_in(written(tmp_path, json.dumps(row), "a.jsonl"))[0].log.file)
    assert known is log_formats()["LiveBench"]
    assert set(log_formats()) == set(LOG_FORMATS)


def test_a_name_of_our_own_stays_ours(register: Register) -> None:
    register(LiveBench="no_such_module:Format", lines="tiny_logs:Lines")
    assert list(plugged_formats(frozenset(LOG_FORMATS))) == ["lines"]


def test_an_unknown_log_lists_registered_formats(register: Register, tmp_path: Path) -> None:
    register(lines="tiny_logs:Lines")
    with pytest.raises(outscore.OutscoreError, match=r"Known formats: Inspect, .*, ragas, lines\."):
        logs_in(written(tmp_path, "#other\n"))


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("lost", "no_such_module:Format", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'"),
        ("lost", "tiny_logs:Absent", "cannot be loaded: AttributeError"),
        ("number", "tiny_logs:a_number", "is neither a class that derives from LogFormat"),
        ("unfinished", "tiny_logs:Unfinished", "does not define read, recognizes"),
        ("other", "tiny_logs:Lines", 'has a different name: "lines"'),
        ("picky", "tiny_logs:Picky", "cannot be instantiated: ValueError: not so"),
        (
            "elsewhere",
            "tiny_logs:Elsewhere",
            "needs a tuple of lower-case suffixes that end",
        ),
        ("careless", "tiny_logs:Careless", "returns a dict instead of a Log"),
        ("blind", "tiny_logs:Blind", "cannot inspect a.lines.jsonl: SystemExit: 0"),
    ],
)
def test_broken_formats_are_one_line(
    register: Register, capsys: pytest.CaptureFixture[str], name: str, value: str, says: str
) -> None:
    register(**{name: value})
    Path("a.lines.jsonl").write_text(CONTENT.format("one", 1))
    with pytest.raises(SystemExit) as caught:
        main(["logs", "a.lines.jsonl"])
    printed = capsys.readouterr().err
    assert caught.value.code == 2
    assert printed.startswith(f'tiny 1.2: outscore.logs: {name}: "{value}" {says}')
    assert printed.endswith("Fix or remove that package. [broken-format]\n")
    assert printed.count("\n") == 1


def test_what_a_format_raises_names_its_package(register: Register, tmp_path: Path) -> None:
    register(lines="tiny_logs:Lines")
    with pytest.raises(
        OptionError, match=r"^tiny 1\.2: .* cannot read .*a\.lines\.jsonl: ValueError: not enough values"
    ):
        logs_in(written(tmp_path, "#lines one\na\n"))


def test_two_packages_with_the_same_name_are_refused(register: Register, tmp_path: Path) -> None:
    register("tiny", lines="tiny_logs:Lines")
    register("vast", lines="vast_logs:Lines")
    with pytest.raises(OptionError, match=r'the log format "lines" is registered by tiny 1\.2 and vast 1\.2\. Remove'):
        logs_in(written(tmp_path, CONTENT.format("one", 1)))
