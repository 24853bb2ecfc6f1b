"""`outscore schema`: the list of forms, and the JSON Schema of one."""

from __future__ import annotations

import json
from pathlib import Path

from outscore.schemas import schema_of
from tests.running import Runner


def test_a_schema_is_printed_or_written(outscore: Runner) -> None:
    printed = outscore("schema", "study-gain")
    assert (printed.status, printed.err) == (0, "")
    assert json.loads(printed.out) == schema_of("study-gain")
    written = outscore("schema", "outscore/study-gain/1", "-o", "s.json")
    assert (written.status, written.out) == (0, "")
    assert Path("s.json").read_text() == printed.out
