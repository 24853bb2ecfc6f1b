"""Which logs are found in a folder, and what happens to those that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from outscore.errors import DataError, FileAccessError, Problem
from outscore.wings.logs import finding
from tests.logs.kit import LOG_FORMATS, Log, LogFile, LogFormat, LogMetric, are_logs, wrong_log
from tests.logs.kit import logs_found as logs_in

BAD = ("c", "g", "h")


class _Letters(LogFormat):
    """Made-up logs in which each file belongs to another one, which errors are about."""

    name = "letters"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        return True

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            if file.name[0] in BAD:
                raise wrong_log(f"elsewhere/{file.name}:3", "expected a number, got a word")
            scores = LogMetric(name="score", scores=np.array([1.0]))
            yield Log(path=str(file.path), system=file.name[0], task="t", item_ids=["1"], metrics=[scores])


def test_an_error_about_another_file_leaves_out_one_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "format_of_log", lambda file: _Letters())
    for letter in "abcdefghi":
        (tmp_path / f"{letter}.json").touch()
    left_out: list[str] = []
    assert [one.log.system for one in logs_in(str(tmp_path), left_out)] == list("abdefi")
    assert left_out == [
        f"{tmp_path}/{letter}.json is left out: elsewhere/{letter}.json:3: expected a number, got a word."
        for letter in BAD
    ]
    with pytest.raises(DataError, match="expected a number"):
        logs_in(str(tmp_path))


def test_results_that_cannot_be_read_leave_out_their_scores(tmp_path: Path) -> None:
    for model, entry in (("good", {"id": "java_1"}), ("bad", {"name": "java_1"})):
        for kind, rows in (
            ("score", [{"accuracy": 0.5, "correct_count": 1, "total_count": 2}, {"id": 1, "prompt": {"id": "java_0"}}]),
            ("result", [{"id": "java_0"}, entry]),
        ):
            path = tmp_path / kind / model / f"java_{kind}.json"
            path.parent.mkdir(parents=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    left_out: list[str] = []
    assert [one.log.system for one in logs_in(str(tmp_path), left_out)] == ["good"]
    (why,) = left_out
    assert why.startswith(
        f"{tmp_path}/score/bad/java_score.json is left out: {tmp_path}/result/bad/java_result.json:2: "
    )


def test_a_file_that_may_not_be_opened_is_left_out_if_that_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").touch()

    def sniffed(file: LogFile) -> LogFormat:
        if file.name == "b.json":
            raise FileAccessError(Problem(file.where, "cannot read file", "", "cannot-read"))
        return _Letters()

    monkeypatch.setattr(finding, "format_of_log", sniffed)
    assert are_logs(str(tmp_path / "b.json"))
    left_out: list[str] = []
    assert [one.log.system for one in logs_in(str(tmp_path), left_out)] == ["a"]
    assert left_out == [f"{tmp_path}/b.json is left out: cannot read file."]
    with pytest.raises(FileAccessError):
        logs_in(str(tmp_path))


def test_the_readme_counts_the_formats() -> None:
    text = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    named = "Inspect, lm-evaluation-harness, HELM, SWE-bench"
    assert set(named.split(", ")) <= set(LOG_FORMATS)
    assert f"{named} and {len(LOG_FORMATS) - 4} other formats" in text
