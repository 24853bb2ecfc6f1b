"""The JSON Schemas describe what is written: all of it, and nothing else."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from outscore.errors import OptionError
from outscore.results.intervals import _INTERVALS, _OF_TESTS
from outscore.schemas import names, schema_of
from outscore.significance import TESTS
from tests.readers.kit import FORMER_STORE_SCHEMA, STORE_SCHEMA
from tests.schemas.outputs import OUTPUTS, Json, prepare
from tests.schemas.reading import described, held, required, shortened, spoilt, strict, within
from tests.test_documentation import ROOT

AT_TIMES = "omitted without a value"
KEPT = {STORE_SCHEMA, FORMER_STORE_SCHEMA}  # files that outscore writes for itself


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of files to compare, rank and study."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OUTSCORE_SEED", raising=False)
    prepare(tmp_path)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", OUTPUTS)
def test_a_schema_describes_all_that_is_written_and_nothing_else(name: str) -> None:
    schema = schema_of(name)
    seen, smallest = set(), None
    for output in OUTPUTS[name]():
        smallest = output if smallest is None else min(smallest, output, key=lambda one: len(str(one)))
        for error in Draft202012Validator(strict(schema)).iter_errors(output):
            pytest.fail(f"{error.json_path}: {error.message[:300]}")
        seen |= set(held(output, schema))
    # Parts of comparisons that are there at times stand where these are asked for by themselves.
    wanted = schema if name == "outscore/comparison/1" else without_what_is_at_times(schema)
    assert sorted(set(described(wanted)) - seen) == []
    validator = Draft202012Validator(schema)
    smallest = shortened(smallest)
    assert validator.is_valid(smallest)
    changes = list(spoilt(smallest, schema))
    assert len(changes) > 10
    for what, changed in changes:
        assert not validator.is_valid(changed), what


def without_what_is_at_times(schema: Json) -> Json:
    """Return a schema without the keys that are omitted without a value."""
    changed = copy.deepcopy(schema)
    for part in within(changed):
        for key in [key for key, one in part.get("properties", {}).items() if AT_TIMES in one.get("description", "")]:
            del part["properties"][key]
    return changed


def test_every_form_that_the_source_names_has_a_schema() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert set(names()) == set(re.findall(r'"(outscore/[a-z-]+/\d+)"', source)) - KEPT == set(OUTPUTS)


@pytest.mark.parametrize("name", names())
def test_a_schema_is_valid_complete_and_needs_no_other(name: str) -> None:
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == schema["properties"]["schema"]["const"] == name
    assert schema["title"]
    assert "outscore" in schema["description"]
    assert json.dumps(schema, ensure_ascii=False).isascii()  # as people read it in a terminal
    for part in within(schema):
        assert "$ref" not in part
        assert part.get("type") != "array" or part["items"]
        assert part.get("type") != "object" or part.get("properties") or part["additionalProperties"]
        for key, one in part.get("properties", {}).items():
            assert {"type", "const", "enum", "oneOf"} & set(one), key
            assert len(one["description"]) > 5, key
            # What may be null says when, but for an end that only a one-sided test leaves open.
            may_be_null = "null" in one.get("type", ())
            assert re.search(r"\b[Nn]ull\b", one["description"]) or not may_be_null, key
        if "properties" in part and "required" in part:
            later = set(part["properties"]) - set(part["required"])
            assert all("Since outscore" in part["properties"][key]["description"] for key in later)


def test_what_a_version_requires_stays() -> None:
    """A key that is added is declared with `since`: what older releases wrote stays valid."""
    lines = [line for name in names() for line in required(schema_of(name), name)]
    kept = Path(__file__).with_name("required.txt").read_text(encoding="utf-8")
    assert lines == kept.splitlines()


def test_intervals_are_made_as_the_library_knows() -> None:
    interval = schema_of("comparison")["properties"]["comparisons"]["items"]["properties"]["interval"]
    allowed = re.compile(interval["properties"]["method"]["pattern"])
    made = {*_INTERVALS, *(method for test in TESTS.values() for method in test.intervals)}
    made.add("brunner-munzel")  # of unpaired systems
    titled = (*made, "cr2-t+skew-t", "randomization+score")
    assert all(allowed.search(method) for method in titled)
    assert not any(allowed.search(method) for method in ("test", "", "t+", "basic+t+score", "at", "symmetrical"))
    assert re.findall(r"[\w-]+", allowed.pattern.partition(")")[0]) == [*_INTERVALS, *_OF_TESTS]
    assert made == {*_INTERVALS, *_OF_TESTS}


def _more(table: Json) -> None:
    table["new"] = table["rows"][0]["new"] = 1


def _fewer(table: Json) -> None:
    del table["rows"][0]["p_value"]


def _never_zero(table: Json) -> None:
    table["rows"][0]["p_value"] = 0.0


def _other_form(table: Json) -> None:
    table["schema"] = "outscore/plan-table/2"


@pytest.mark.parametrize(
    ("change", "valid"), [(_more, True), (_fewer, False), (_never_zero, False), (_other_form, False)]
)
def test_keys_may_be_added_but_not_left_out(change: Callable[[Json], None], valid: bool) -> None:
    row = {"items": 100, "gain": 2.0, "hurt_percent": 0.0, "helped": 2, "hurt": 0, "p_value": 0.13}
    table: dict[str, Any] = {"schema": "outscore/plan-table/1", "rows": [row], "test": "bootstrap", "alpha": 0.05}
    table |= {"alternative": "greater", "notes": [], "version": "0.1.0", "signature": "plan:table"}
    validator = Draft202012Validator(schema_of("plan-table"))
    assert validator.is_valid(table)
    changed = copy.deepcopy(table)
    change(changed)
    assert validator.is_valid(changed) == valid


def test_a_version_may_be_left_out() -> None:
    assert schema_of("study-gain") == schema_of("outscore/study-gain/1")
    for unknown in ("study-gian", "outscore/study-gain/2", "outscore/study-gain", "../study-gain-1.json", ""):
        with pytest.raises(OptionError, match="unknown JSON format"):
            schema_of(unknown)
