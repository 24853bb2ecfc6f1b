"""One synthetic record: its JSON, its schema and its table follow from its class."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import pytest

import outscore
from outscore.results import record
from outscore.results.record import (
    Keywords,
    Null,
    PValue,
    Since,
    csv_text,
    encode,
    json_text,
    schema_of_record,
    table,
)


class Side(StrEnum):
    """Which side."""

    LEFT = "left"
    RIGHT = "right"


class Ends(NamedTuple):
    """Two ends.

    Attributes
    ----------
    low : float
        The lower one. None where there is none.
    high : float
        The upper one.
    """

    low: float | None
    high: Null


@dataclass(frozen=True)
class Thing:
    """A thing of the tests.

    Written by nobody.

    Attributes
    ----------
    side : Side
    ends : Ends
        What stands elsewhere.
    p_values : mapping of str to float
        By name.
    inner : int
        Not written.
    added : int
        New. None where old.
    """

    schema: ClassVar = "outscore/thing/1"
    json_keys: ClassVar = "twice p_values ends.low top=ends.high -inner"

    side: Side
    ends: Ends | None
    p_values: Mapping[str, PValue]
    inner: int
    added: Annotated[int | None, Since("0.3.0"), Keywords(minimum=1)] = None
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


def test_a_schema_says_what_annotations_and_docstrings_say() -> None:
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


def test_a_table_takes_each_column_from_the_first_record_that_has_it() -> None:
    rows = table("inner low ends.high where=side", [(THING, THING.ends), (THING, None)])
    assert rows[0] == {"inner": 3, "low": 1.5, "ends_high": math.inf, "where": "left"}
    assert rows[1]["low"] is None
    [first, second] = csv.DictReader(io.StringIO(csv_text(rows)))
    assert first == {"inner": "3", "low": "1.5", "ends_high": "inf", "where": "left"}
    assert second["low"] == ""
    assert csv_text([]) == ""
    assert csv_text([{"a": "=1", "b": True}]) == "a,b\n'=1,true\n"


def test_long_lists_are_written_piece_by_piece_and_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    systems = {f"s{i}": (rng.random(60) < 0.4 + 0.05 * i).astype(float).tolist() for i in range(6)}
    ranking = outscore.rank(systems, metric="accuracy", n_resamples=100)
    whole = ranking.to_json()
    monkeypatch.setattr(record, "_LONG", 4)
    assert ranking.to_json() == whole
    assert len(json.loads(whole)["pairs"]) == 15
