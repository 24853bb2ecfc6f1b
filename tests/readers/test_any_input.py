"""Whatever stands in a file or comes from Python: an answer, or one of our errors, each problem on one line."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.kit import format_of
from tests.readers.kit import in_words, is_missing, labels_from, number_in, system_from, text_in
from tests.readers.labelled import read_labels

from outscore import Labels, Rows
from outscore.data.rows import Missing
from outscore.errors import OutscoreError
from outscore.metrics import METRICS, ColumnMetric, Mean
from outscore.readers import read_system

NAMES = ["a.txt", "a.csv", "a.tsv", "a.jsonl", "a", "-", "a.csv.gz"]
names = st.sampled_from(NAMES)
metrics = st.sampled_from([metric() for metric in METRICS.values()])

# Text that is more like tables than text drawn at random is.
pieces = st.sampled_from(
    ["\n", "\r", "\t", ",", '"', '""', "'", ":", "{", "}", "[", "]", " ", "0", "1", "-1", "1.5", "nan", "1e999", "true",
     "null", '"id"', '"score"', "id", "score", "tp", "predicted", "gold", "item", "doc", "x", "é", "\ufeff", "\u2028",
     "\0", "\x1c", "\x85"]
)  # fmt: skip
table_like = st.lists(pieces, max_size=40).map("".join)
texts = st.one_of(st.text(), table_like)
data = st.one_of(st.binary(), texts.map(lambda text: text.encode("utf-8", "surrogatepass")))


def check(error: OutscoreError) -> None:
    for problem in error.problems:
        assert str(problem).isprintable()
        assert str(problem).endswith(f" [{problem.slug}]")


@settings(max_examples=40)
@given(names, data)
@example("a.txt", b"1\r2")
@example("a.csv", b"\xef\xbb\xbf\xef\xbb\xbf")
@example("a.jsonl", b'{"\\ud800": 1}')
def test_any_bytes_are_a_table_or_an_error(name: str, content: bytes) -> None:
    try:
        table = format_of(name, content).parse(content, name)
    except OutscoreError as error:
        check(error)
        return
    assert len(table) > 0
    assert table.lines is not None
    assert {len(column) for column in table.columns.values()} == {len(table.lines)}
    assert list(table.lines) == sorted(set(table.lines))
    assert table.lines[-1] <= content.count(b"\n") + 1


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["a.txt", "a.csv", "a.tsv", "a.jsonl", "a.gz"]),
    content=st.one_of(data, data.map(gzip.compress), data.map(lambda content: gzip.compress(content)[:-3])),
    column=st.one_of(st.none(), pieces),
    metric=metrics,
    options=st.fixed_dictionaries(
        {}, optional={"id_column": pieces, "score_column": pieces, "missing": st.sampled_from(Missing)}
    ),
)
def test_any_file_is_a_system_or_an_error(
    tmp_path: Path, name: str, content: bytes, column: str | None, metric: ColumnMetric, options: dict[str, Any]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    spec = str(path) if column is None else f"{path}:{column}"
    try:
        rows = read_system(spec, metric, **options)
    except OutscoreError as error:
        check(error)
    else:
        assert len(rows) >= 2
        assert np.all(np.isfinite(rows.values))
        assert rows.item_ids is None or len(rows.item_ids) == len(rows)
    try:
        labels = read_labels(spec, spec, options.get("id_column"))
    except OutscoreError as error:
        check(error)
    else:
        assert all(labels.labels)


@settings(max_examples=40)
@given(st.text(max_size=300))
def test_any_spec_is_an_error(spec: str) -> None:
    for read in (lambda: read_system(f"no such folder/{spec}", Mean()), lambda: read_labels("doc", f"no such/{spec}")):
        with pytest.raises(OutscoreError) as caught:
            read()
        check(caught.value)


# What survives CSV and TSV as it is: cells without control characters, and names that are no numbers.
cell_texts = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=6)
scores = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=40)
@given(st.lists(st.tuples(cell_texts, scores), min_size=1))
def test_tables_come_back_as_they_were_written(items: list[tuple[str, float]]) -> None:
    comma, tab = io.StringIO(), io.StringIO()
    csv.writer(comma).writerows([("text", "score"), *items])
    csv.writer(tab, delimiter="\t", quoting=csv.QUOTE_MINIMAL).writerows([("text", "score"), *items])
    jsonl = "".join(json.dumps({"text": text, "score": score}) + "\n" for text, score in items)
    expected = [text for text, _ in items], [score for _, score in items]
    for name, written in (("a.csv", comma.getvalue()), ("a.tsv", tab.getvalue()), ("a.jsonl", jsonl)):
        table = format_of(name, written.encode()).parse(written.encode(), name)
        assert (list(table.columns["text"]), [number_in(cell) for cell in table.columns["score"]]) == expected


leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=3),
    st.complex_numbers(), st.decimals(), st.fractions(), st.dates(), st.just(np.float32(1)), st.just(np.bool_(True)),
    st.just(10**400), st.just(object()), st.just(np.ma.masked), st.just(np.zeros(3)), st.just(np.zeros((1, 3))),
)  # fmt: skip
objects = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.tuples(inner, inner, inner),
        st.dictionaries(st.one_of(st.text(max_size=3), st.integers(), st.none()), inner, max_size=4),
        st.lists(inner, max_size=3).map(lambda items: np.array([*items, None], dtype=object)[:-1]),
    ),
    max_leaves=12,
)


@settings(max_examples=40)
@given(objects, metrics)
def test_any_object_is_a_system_or_an_error(given_object: Any, metric: ColumnMetric) -> None:
    try:
        rows = system_from(given_object, metric, name="baseline")
    except OutscoreError as error:
        check(error)
    else:
        assert isinstance(rows, Rows)
        assert np.all(np.isfinite(rows.values))
    try:
        labels = labels_from(given_object, "cluster")
    except OutscoreError as error:
        check(error)
    else:
        assert isinstance(labels, Labels)
        assert all(labels.labels)


@given(objects)
def test_any_cell_has_a_meaning(cell: Any) -> None:
    number, text = number_in(cell), text_in(cell)
    assert number is None or isinstance(number, float)
    assert text is None or (isinstance(text, str) and text)
    assert in_words(cell).isprintable()
    assert not (is_missing(cell) and number is not None)
