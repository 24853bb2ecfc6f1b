"""Results of MTEB, made by hand as its code writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from outscore.errors import DataError
from tests.logs.kit import LogFile, log_formats
from tests.logs.reading import logs_in

NAME = "MTEB"


def write(folder: Path, task: str, scores: object, **more: Any) -> Path:
    """Write the results of a task, as `TaskResult` has them."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"dataset_revision": f"of {task}", "task_name": task, "mteb_version": "2.1.0", "scores": scores}
    path = folder / f"{task}.json"
    path.write_text(json.dumps(content | {"evaluation_time": 3.0, "kg_co2_emissions": None} | more, indent=2))
    return path


def subset(score: object, name: str = "default") -> dict[str, Any]:
    return {"ndcg_at_10": 0.1, "main_score": score, "hf_subset": name, "languages": ["eng-Latn"]}


def test_items_are_tasks_and_subsets_that_hang_together(tmp_path: Path) -> None:
    folder = tmp_path / "org__m" / "rev1"
    write(folder, "NFCorpus", {"test": [subset(0.3)]})
    write(folder, "STS22", {"test": [subset(0.6, "de"), subset(0.7, "en")], "dev": [subset(0.5, "de")]})
    (log,) = logs_in(tmp_path, NAME)
    assert log.system == "org/m"
    assert log.item_ids == ["NFCorpus", "STS22/de", "STS22/en", "STS22/de (dev)"]
    assert log.metrics[0].scores.tolist() == [0.3, 0.6, 0.7, 0.5]
    assert log.labels == {"task": ["NFCorpus", "STS22", "STS22", "STS22"]}
    assert log.cluster == "task"
    assert log.digests == {"document": ["of NFCorpus", "of STS22", "of STS22", "of STS22"]}


def test_the_name_of_the_model_is_what_its_description_says(tmp_path: Path) -> None:
    folder = tmp_path / "x" / "rev1"
    write(folder, "NFCorpus", {"test": [subset(0.3)]})
    (folder / "model_meta.json").write_text('{"name": "org/real", "revision": "rev1"}')
    assert [log.system for log in logs_in(tmp_path, NAME)] == ["org/real"]


def test_two_revisions_of_a_model_are_told_apart(tmp_path: Path) -> None:
    for revision in ("rev1", "rev2"):
        write(tmp_path / "org__m" / revision, "NFCorpus", {"test": [subset(0.3)]})
    assert [log.system for log in logs_in(tmp_path, NAME)] == ["org/m@rev1", "org/m@rev2"]


def test_old_results_have_no_main_score(tmp_path: Path) -> None:
    folder = tmp_path / "org__m" / "rev1"
    folder.mkdir(parents=True)
    old = {
        "dataset_revision": "a",
        "mteb_dataset_name": "BSARDRetrieval",
        "mteb_version": "1.1.2",
        "test": {"map": 0.1},
    }
    (folder / "BSARDRetrieval.json").write_text(json.dumps(old))
    with pytest.raises(DataError, match=r"without one, from MTEB before 1[.]11"):
        logs_in(tmp_path, NAME)
    write(folder, "NFCorpus", {"test": [subset(0.3)]})
    (log,) = logs_in(tmp_path, NAME)
    assert log.notes == ['left out, as they have no main score: "BSARDRetrieval.json"']


def test_speeds_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "org__m" / "rev1"
    write(folder, "GPUSpeedTask", {"test": [subset(3453.8)]})
    with pytest.raises(DataError, match="only speeds"):
        logs_in(tmp_path, NAME)
    write(folder, "NFCorpus", {"test": [subset(0.3)]})
    (log,) = logs_in(tmp_path, NAME)
    assert log.item_ids == ["NFCorpus"]
    assert log.notes == ['left out, as their main score is a speed: "GPUSpeedTask.json"']


@pytest.mark.parametrize("scores", [{"test": 3}, {"test": [3]}, {"test": [{"hf_subset": "en"}]}])
def test_hostile_results_are_one_error(tmp_path: Path, scores: object) -> None:
    path = write(tmp_path, "NFCorpus", scores)
    with pytest.raises(DataError, match="NFCorpus"):
        logs_in(path, NAME)


@pytest.mark.parametrize("text", ['{"task_name": "a", "scores": {}}', '[{"dataset_revision": 1, "mteb_version": 2}]'])
def test_what_is_no_log_of_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    assert not log_formats()[NAME].recognizes(LogFile(tmp_path / "a.json"))
