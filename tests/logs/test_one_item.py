"""Logs with one item, or with one item in common: no question has an answer, and each says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.running import Runner


def _log(name: str, passed: Mapping[str, bool]) -> None:
    keys = {"completion": "", "result": ""}
    records = [{"task_id": task, "passed": right, **keys} for task, right in passed.items()]
    Path(name).write_text("\n".join(map(json.dumps, records)))


@pytest.mark.parametrize(
    "command", ["rank", "compare", "study gain", "gate --margin 0.1", "plan power --gain 5% --items 10", "score"]
)
@pytest.mark.parametrize(("more", "missing"), [({}, ()), ({"T/3": True}, ("--missing", "drop"))])
def test_one_item_is_too_few(
    outscore: Runner, command: str, more: Mapping[str, bool], missing: tuple[str, ...]
) -> None:
    _log("a_results.jsonl", {"T/0": True, **more})
    _log("b_results.jsonl", {"T/0": False})
    run = outscore(*command.split(), "b_results.jsonl", "a_results.jsonl", *missing)
    assert run.status == 2
    assert "2 items" in run.err
    assert "[one-item]" in run.err
