"""The builder of records that all readers of logs share."""

from __future__ import annotations

from math import nan

import pytest

from outscore.errors import DataError
from outscore.wings.logs.records import RecordBuilder
from tests.kit import LogMetric, RunDesign


def test_the_first_score_that_is_a_number_counts_and_records_without_one_are_nan() -> None:
    records = RecordBuilder()
    first, _ = records.add("a"), records.add("b")
    for value in (nan, 0.5, 1.0, nan):
        records.score(first, "f1", value)
    assert repr(records.scores("f1").tolist()) == "[0.5, nan]"
    assert repr(records.scores("other").tolist()) == "[nan, nan]"


def test_runs_are_those_that_differ() -> None:
    records = RecordBuilder()
    for item in ("a", "b", "a"):
        records.add(item, str(records.time(item)), {"f1": 1.0}, labels={"part": ""}, key=(item, len(records)))
    metric = LogMetric(name="f1", scores=records.scores("f1"))
    log = records.log("a.json", "one", "task", [metric], runs_are=RunDesign.SAMPLES)
    assert (list(log.item_ids), log.runs, log.runs_are) == (["a", "b", "a"], ["0", "0", "1"], RunDesign.SAMPLES)
    assert log.labels == {}
    assert records.places == {("a", 0): 0, ("b", 1): 1, ("a", 2): 2}
    again = records.log("a.json", "one", "task", [metric], runs_are=RunDesign.SAMPLES, has_runs=False)
    assert (again.runs, again.runs_are) == (None, None)


def test_too_many_metrics_are_refused() -> None:
    records = RecordBuilder(2, "scorers")
    place = records.add("a", scores={"f1": 1.0, "em": 1.0})
    with pytest.raises(DataError, match=r"^a\.json:3: expected at most 2 scorers, got more\..*\[too-many-metrics\]$"):
        records.score(place, "bleu", 1.0, "a.json:3")
