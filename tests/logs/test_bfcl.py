"""Logs of BFCL."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from outscore.errors import DataError
from tests.logs.kit import Log, checked
from tests.logs.reading import logs_in

CATEGORY = "live_multiple"


def _write(path: Path, rows: Sequence[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _read(
    root: Path, *, failed: Sequence[Any], total: Any = 4, ids: Sequence[Any] | None = None, at: str = "live/"
) -> Log:
    correct = total - len(set(map(str, failed))) if isinstance(total, int) else 0
    first = {"accuracy": correct / total if total else 0, "correct_count": correct, "total_count": total}
    scores = root / "score" / "org_model" / at / f"BFCL_v4_{CATEGORY}_score.json"
    _write(scores, [first, *({"id": item, "valid": False} for item in failed)])
    if ids is not None:
        results = root / "result" / "org_model" / at / f"BFCL_v4_{CATEGORY}_result.json"
        _write(results, [{"id": item, "result": "x"} for item in ids])
    (log,) = logs_in(scores, "BFCL")
    return log


@pytest.mark.parametrize("at", ["", "live/", "agentic/memory/kv/"])
def test_what_did_not_fail_stands_in_the_results(at: str, tmp_path: Path) -> None:
    log = _read(tmp_path, failed=["e2"], ids=["e1", "e2", "e3", "e4"], at=at)
    assert (log.system, log.task, log.facts) == ("org_model", "BFCL live_multiple", {"version": "BFCL_v4"})
    assert log.metrics[0].scores.tolist() == [1, 0, 1, 1]
    assert checked(log, log.metrics[0])[:3] == (0.75, 0.75, True)


def test_an_entry_may_fail_twice(tmp_path: Path) -> None:
    log = _read(tmp_path, failed=["e2", "e2"], ids=["e1", "e2", "e3", "e4"])
    assert log.metrics[0].scores.tolist() == [1, 0, 1, 1]


def test_where_all_failed_no_results_are_needed(tmp_path: Path) -> None:
    assert _read(tmp_path, failed=["e1", "e2"], total=2).metrics[0].scores.tolist() == [0, 0]


def test_scores_without_results_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"the results next to the scores are missing.*result/MODEL") as caught:
        _read(tmp_path, failed=["e2"])
    assert caught.value.problems[0].slug == "no-results"


def _read_by_place(root: Path, failed: Sequence[Any], ids: Sequence[str]) -> Log:
    """Read scores and results as they were in the first version."""
    correct = len(ids) - len(failed)
    scores = root / "score" / "model" / "simple_score.json"
    _write(scores, [{"accuracy": correct / len(ids), "correct_count": correct, "total_count": len(ids)}, *failed])
    results = root / "result" / "model" / "gorilla_openfunctions_v1_test_simple_result.json"
    _write(results, [{"id": item, "result": "x"} for item in ids])
    (log,) = logs_in(scores, "BFCL")
    return log


def test_places_among_the_results_count_from_one(tmp_path: Path) -> None:
    log = _read_by_place(
        tmp_path, [{"id": 3}, {"id": 1, "prompt": {"id": "simple_0"}}], [f"simple_{k}" for k in range(4)]
    )
    assert (log.system, log.task) == ("model", "BFCL simple")
    assert log.item_ids == ["simple_0", "simple_1", "simple_2", "simple_3"]
    assert log.metrics[0].scores.tolist() == [0, 1, 0, 1]
    assert checked(log, log.metrics[0])[:3] == (0.5, 0.5, True)


def test_the_name_in_the_prompt_goes_before_the_place(tmp_path: Path) -> None:
    log = _read_by_place(
        tmp_path, [{"id": 2, "prompt": {"id": "live_3-3-1"}}], ["live_0-0-0", "live_3-3-0", "live_3-3-1"]
    )
    assert log.metrics[0].scores.tolist() == [1, 1, 0]


@pytest.mark.parametrize("place", [0, 2, 4])
def test_places_among_results_in_another_order_are_refused(place: int, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f'without "{place}"'):
        _read_by_place(tmp_path, [{"id": place}], ["simple_0", "simple_2", "simple_1"])


def test_where_all_failed_by_place_the_results_name_them(tmp_path: Path) -> None:
    log = _read_by_place(tmp_path, [{"id": 1}, {"id": 2}], ["simple_0", "simple_1"])
    assert (log.item_ids, log.metrics[0].scores.tolist()) == (["simple_0", "simple_1"], [0, 0])


def _of_july_2024(root: Path, failed: Sequence[int], key: str | None, total: int = 4) -> Path:
    """Write scores, and results whose entries have a number under a key; without a key no results."""
    scores = root / "score" / "model" / "simple_score.json"
    first = {"accuracy": 1 - len(failed) / total, "correct_count": total - len(failed), "total_count": total}
    _write(scores, [first, *({"id": place, "prompt": {"question": "?"}} for place in failed)])
    if key is not None:
        results = root / "result" / "model" / "gorilla_openfunctions_v1_test_simple_result.json"
        _write(results, [{key: k, "result": "x"} for k in range(total)])
    return scores


@pytest.mark.parametrize("key", ["idx", "id", None])
@pytest.mark.parametrize("failed", [[2, 4], [1, 2, 3, 4], []])
def test_numbered_entries_are_the_same_with_results_and_without(
    failed: list[int], key: str | None, tmp_path: Path
) -> None:
    (log,) = logs_in(_of_july_2024(tmp_path, failed, key), "BFCL")
    assert log.item_ids == [f"simple_{k}" for k in range(4)]
    assert log.metrics[0].scores.tolist() == [float(k + 1 not in failed) for k in range(4)]
    assert checked(log, log.metrics[0])[2]
    assert list(log.notes) == ([] if key else ["has no results next to it, so its entries are numbered"])


def test_a_name_that_is_not_that_of_its_place_needs_results(tmp_path: Path) -> None:
    path = tmp_path / "score" / "model" / "java_score.json"
    first = {"accuracy": 0.75, "correct_count": 3, "total_count": 4}
    for entry in ({"id": 2, "prompt": {"id": "java_3"}}, {"id": 0}, {"id": 5}):
        _write(path, [first, entry])
        with pytest.raises(DataError, match=r"expected the 4 entries|results next to"):
            logs_in(path, "BFCL")


def test_entries_of_july_2024(logs: Callable[[str], Path]) -> None:
    read = logs_in(logs("faults/bfcl-2024-07-idx"), "BFCL")
    assert len(read) == 24
    for log in read:
        assert checked(log, log.metrics[0])[2]
    (log,) = (log for log in read if log.task == "BFCL java" and log.system == "gpt-4o-2024-05-13")
    assert log.metrics[0].scores.mean() == pytest.approx(0.61)


@pytest.mark.parametrize(
    ("ids", "failed", "message"),
    [
        (["e1", "e2", "e3"], ["e2"], "4 entries of the scores among the results, got 3"),
        (["e1", "e3", "e4", "e5"], ["e2"], 'without "e2"'),
        (["e1", "e1", "e3", "e4"], ["e3"], "a new name"),
        (["e1", None, "e3", "e4"], ["e3"], "a new name"),
        (["e1", "e2", "e3", "e4"], [None], '"id"'),
    ],
)
def test_other_results_are_refused(ids: Any, failed: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        _read(tmp_path, failed=failed, ids=ids)


@pytest.mark.parametrize("total", [True, "4", -1, 10**30])
def test_hostile_counts(total: Any, tmp_path: Path) -> None:
    path = tmp_path / "a_score.json"
    _write(path, [{"accuracy": 1.0, "correct_count": 1, "total_count": total}])
    with pytest.raises(DataError, match=r"numbers of all and of correct|failed entries"):
        logs_in(path, "BFCL")
