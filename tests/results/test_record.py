"""One synthetic record: its JSON, its schema and its table follow from its class."""

from __future__ import annotations

import csv
import inspect
import io
import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from io import BytesIO
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outscore
from outscore.results.record import (
    Null,
    PValue,
    Table,
    csv_text,
    doc,
    encode,
    json_text,
    parquet_bytes,
    record,
    schema_of_record,
    table,
)


class Side(StrEnum):
    """Which side."""

    LEFT = "left"
    RIGHT = "right"


@record
class Ends:
    """Two ends."""

    low: float | None = doc("The lower one. None where there is none.")
    high: Null = doc("The upper one.")


@record
class Thing:
    """A thing of the tests.

    Written by nobody.
    """

    schema: ClassVar = "outscore/thing/1"
    json_keys: ClassVar = "twice p_values ends.low top=ends.high -inner"

    side: Side
    ends: Ends | None = doc("What stands elsewhere.")
    p_values: Mapping[str, PValue] = doc("By name.")
    inner: int = doc("Not written.")
    added: int | None = doc("New. None where old.", default=None, since="0.3.0", null=True, minimum=1)
    _hidden: int = 0

    @cached_property
    def twice(self) -> tuple[int, int]:
        """Twice what is inside."""
        return (2 * self.inner, 2 * self.inner)


THING = Thing(Side.LEFT, Ends(1.5, math.inf), {"a": 0.5}, 3)


def test_keys_are_those_that_are_named_then_the_other_fields() -> None:
    assert list(encode(THING)) == ["schema", "twice", "p_values", "ends_low", "top", "side", "added"]
    assert json.loads(json_text(THING)) == {
        "schema": "outscore/thing/1",
        "twice": [6, 6],
        "p_values": {"a": 0.5},
        "ends_low": 1.5,
        "top": None,  # JSON has no infinity
        "side": "left",
        "added": None,
    }
    assert encode(THING, finite=False)["top"] == math.inf
    assert '"twice": [6, 6]' in json_text(THING)


def test_a_schema_says_what_fields_and_docstrings_say() -> None:
    schema = schema_of_record(Thing)
    assert (schema["$id"], schema["title"]) == ("outscore/thing/1", "A thing of the tests")
    assert schema["required"] == ["schema", "twice", "p_values", "ends_low", "top", "side"]
    of = schema["properties"]
    assert of["twice"] == {
        "description": "Twice what is inside.",
        "type": "array",
        "items": {"type": "integer"},
        "minItems": 2,
        "maxItems": 2,
    }
    p_value = of["p_values"]["additionalProperties"]
    assert (p_value["type"], p_value["exclusiveMinimum"], p_value["maximum"]) == ("number", 0, 1)
    assert of["ends_low"] == {"description": "The lower one. Null where there is none.", "type": ["number", "null"]}
    assert of["top"]["type"] == ["number", "null"]
    assert of["side"] == {"description": "Which side.", "enum": ["left", "right"]}
    assert of["added"] == {
        "description": "New. Null where old. Since outscore 0.3.0.",
        "type": ["integer", "null"],
        "minimum": 1,
    }


def test_the_docstring_of_a_record_lists_its_fields() -> None:
    assert inspect.getdoc(Thing) == DOCSTRING


DOCSTRING = """A thing of the tests.

Written by nobody.

Attributes
----------
side : Side
ends : Ends | None
    What stands elsewhere.
p_values : Mapping[str, PValue]
    By name.
inner : int
    Not written.
added : int | None
    New. None where old.
_hidden : int"""


def test_a_table_takes_each_column_from_the_first_record_that_has_it() -> None:
    rows = table("inner low ends.high where=side", [(THING, THING.ends), (THING, None)])
    assert rows[0] == {"inner": 3, "low": 1.5, "ends_high": math.inf, "where": "left"}
    assert rows[1]["low"] is None
    [first, second] = csv.DictReader(io.StringIO(csv_text(rows)))
    assert first == {"inner": "3", "low": "1.5", "ends_high": "inf", "where": "left"}
    assert second["low"] == ""
    assert csv_text([]) == ""
    assert csv_text([{"a": "=1", "b": True}]) == "a,b\n'=1,true\n"


def _plainly(value: Any) -> str:
    """Return JSON as the standard library writes it, but for lists of numbers, which stand on one line."""
    text = json.dumps(encode(value), indent=2, allow_nan=False)
    return re.sub(r"\[\n\s+([^][{}\"]*)\n\s+\]", lambda numbers: f"[{' '.join(numbers[1].split())}]", text) + "\n"


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(Side)
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(st.dictionaries(st.text(), values))
def test_json_is_what_the_standard_library_writes(value: dict[str, Any]) -> None:
    assert json_text(value) == _plainly(value)


def test_json_of_records_is_what_the_standard_library_writes_of_objects(ranking: outscore.Ranking) -> None:
    several = {"a": [THING, np.float64(0.1), (Ends(None, 2.0), [])]}
    assert json_text(several) == _plainly(several)
    assert ranking.to_json() == _plainly(ranking)
    with pytest.raises(TypeError):
        json_text({"a": object()})


@pytest.fixture(scope="module")
def ranking() -> outscore.Ranking:
    rng = np.random.default_rng(4)
    systems = {f"s{i}": (rng.random(60) < 0.4 + 0.05 * i).astype(float).tolist() for i in range(6)}
    ranked = outscore.rank(systems, metric="accuracy", tests=["bootstrap", "randomization"], n_resamples=100)
    assert isinstance(ranked, outscore.Ranking)
    return ranked


def test_pairs_in_columns_are_the_table_of_pairs(ranking: outscore.Ranking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outscore.results.record._ROWS_TOGETHER", 4)
    rows, of_pairs = ranking.records(pairs=True), replace(ranking, pairs=tuple(ranking.pairs)).records(pairs=True)
    assert list(rows) == list(of_pairs) == rows[:]
    assert (len(rows), rows[-1], rows[3:5]) == (15, list(rows)[-1], list(rows)[3:5])
    assert isinstance(rows, Table)
    assert isinstance(of_pairs, Table)
    assert rows.types == of_pairs.types
    assert {name: type(value) for name, value in rows[0].items()}["p_maxt"] is float


def test_a_table_knows_the_types_of_its_columns() -> None:
    none = Thing(Side.LEFT, None, {"a": 0.5}, 3)
    rows = table("* a=p_values.a inner", [(none,), (none,)])
    assert rows.types == {"ends_low": float, "top": float, "side": str, "added": int, "a": float, "inner": int}
    both = Table.joined([rows, [], table("* a=p_values.a inner", [(THING,)])])
    assert (len(both), both[1]["top"], both[2]["top"], both.types) == (3, None, math.inf, rows.types)
    assert table("inner low", [(none, None)], kinds=(Thing, Ends)).types == {"inner": int, "low": float}
    assert list(Table.joined([])) == list(table("inner", [])) == []


def test_a_column_without_a_value_has_its_type_in_parquet() -> None:
    polars = pytest.importorskip("polars")
    rows = table("side top=ends.high added inner", [(Thing(Side.LEFT, None, {}, 3),)])
    frame = polars.read_parquet(BytesIO(parquet_bytes(rows, "here")))
    assert dict(frame.schema) == {
        "side": polars.String,
        "top": polars.Float64,
        "added": polars.Int64,
        "inner": polars.Int64,
    }
    assert frame.rows() == [("left", None, None, 3)]
    assert polars.read_parquet(BytesIO(parquet_bytes(Table({}, {}), "here"))).shape == (0, 0)
