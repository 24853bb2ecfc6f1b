"""`outscore schema`: the list of forms, and the JSON Schema of one."""

from __future__ import annotations

import json
from pathlib import Path

from outscore.schemas import names, schema_of
from tests.running import Runner


def test_the_list_has_one_line_for_every_form(outscore: Runner) -> None:
    run = outscore("schema")
    assert (run.status, run.err) == (0, "")
    *forms, blank, end = run.out.splitlines()
    assert [line.split()[0] for line in forms] == list(names())
    assert all(line.endswith(schema_of(name)["title"]) for line, name in zip(forms, names(), strict=True))
    assert max(map(len, forms)) <= 80
    assert not blank
    assert end.endswith("with or without the version.")


def test_a_schema_is_printed_or_written(outscore: Runner) -> None:
    printed = outscore("schema", "study-gain")
    assert (printed.status, printed.err) == (0, "")
    assert json.loads(printed.out) == schema_of("study-gain")
    written = outscore("schema", "outscore/study-gain/1", "-o", "s.json")
    assert (written.status, written.out) == (0, "")
    assert Path("s.json").read_text() == printed.out


def test_an_unknown_name_is_told_with_the_nearest(outscore: Runner) -> None:
    run = outscore("schema", "study-gian")
    assert (run.status, run.out) == (2, "")
    assert run.err == 'outscore schema: unknown JSON format "study-gian". Did you mean "study-gain"? [unknown-schema]\n'
