"""Lines in the form of simple-evals-ru."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from outscore.errors import DataError
from tests.fuzz.targets import CORPUS
from tests.logs.kit import log_formats
from tests.logs.reading import logs_in

NAME = "simple-evals"
LINES = CORPUS / "log-simple-evals" / "tiny.jsonl"


def test_the_path_names_model_and_benchmark(tmp_path: Path) -> None:
    for folder in ("gpqa", "bbh"):
        (tmp_path / folder).mkdir()
        shutil.copy(LINES, tmp_path / folder / "19_t_lite.jsonl")
    found = logs_in(tmp_path, NAME)
    assert [(log.system, log.task) for log in found] == [("19_t_lite", "bbh"), ("19_t_lite", "gpqa")]
    assert found[0].item_ids == ["Chemistry/q1", "Chemistry/q2", "Biology/q3"]
    assert found[0].metrics[0].scores.tolist() == [1, 0, 0]
    assert log_formats()[NAME].texts(found[0], {"Chemistry/q2"})["Chemistry/q2"].answer == "Answer: A"


@pytest.mark.parametrize(("value", "message"), [("yes", "true or false"), (1, "true or false")])
def test_hostile_lines(value: object, message: str, tmp_path: Path) -> None:
    first = json.loads(LINES.read_text().splitlines()[0])
    (tmp_path / "a.jsonl").write_text(json.dumps(first | {"is_correct": value}) + "\n")
    with pytest.raises(DataError, match=message):
        logs_in(tmp_path / "a.jsonl", NAME)


def test_lines_of_a_public_repository(logs: Callable[[str], Path], tmp_path: Path) -> None:
    # The copy ends within a line.
    lines = (logs("faults/unknown-others") / "simple-evals-ru.head.jsonl").read_text().splitlines()[:-1]
    (tmp_path / "19_t_lite.jsonl").write_text("\n".join(lines))
    (log,) = logs_in(tmp_path, NAME)
    assert (len(log), int(np.nansum(log.metrics[0].scores))) == (63, 20)
