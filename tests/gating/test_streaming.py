"""Items that come over a pipe: read line by line, as far as a gate needs them."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import outscore
from outscore.errors import OutscoreError
from tests.gating.kit import (
    GateOutcome,
    GateRule,
    Look,
    Margins,
    SequentialGate,
    StreamedItems,
    gate_order,
    gate_stream,
)

BASE = outscore.read({"base": {f"q{i}": int(i % 3 > 0) for i in range(300)}}, metric="accuracy")
RULE, LOOK = GateRule(Margins(0.2)), Look(1, 1, 0.05)


def items_of(text: str | bytes, metric: str = "accuracy", **options: str) -> StreamedItems:
    metrics = outscore.read({"a": [1, 0]}, metric=metric).metrics
    return StreamedItems(io.BytesIO(text.encode() if isinstance(text, str) else text), metrics, **options)


def problem(text: str | bytes, metric: str = "accuracy", **options: str) -> str:
    with pytest.raises(OutscoreError) as raised:
        list(items_of(text, metric, **options))
    (line,) = str(raised.value).splitlines()
    return line


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('{"id": "q1", "correct": 1}\n\n{"id": "q2", "correct": false, "note": {"x": []}}\n', {}),
        ('{"Item": "q1", "score": true}\n{"Item": "q2", "score": "0"}', {}),
        ("id,correct\nq1,1\nq2,0\n", {}),
        ('\ufeffqid,latency,score\r\nq1,0.2,1\r\n"q2",7,0', {}),
        ('id,answer,score\nq1,"two\nlines",1\nq2,"""so"" he said",0\n', {}),
        ("name,x,y\nq1,1,0\nq2,0,1\n", {"id_column": "name", "score_column": "x"}),
    ],
)
def test_lines_of_both_formats(text: str, options: dict[str, str]) -> None:
    found = [(item, scores) for _, item, scores in items_of(text, **options)]
    assert found == [("q1", {"accuracy": 1.0}), ("q2", {"accuracy": 0.0})]


@pytest.mark.parametrize("grades", ["PC", "CP", "NC", "IN"])
def test_words_are_the_same_in_any_order(grades: str) -> None:
    text = "id,score\n" + "".join(f"{place},{grade}\n" for place, grade in enumerate(grades))
    expected = [{"C": 1.0, "P": 0.5}.get(grade, 0.0) for grade in grades]
    assert [scores["mean"] for _, _, scores in items_of(text, "mean")] == expected
    assert 'expected C, P, I or N, as in the first item, got "x"' in problem(f"{text}9,x\n", "mean")
    assert 'expected a number, got "C"' in problem("id,score\n1,1\n2,C\n", "mean")


def test_numbers_as_ids_and_lines() -> None:
    text = 'id,answer,score\n1,"two\nlines",1\n2,none,0\n'
    assert [(where, item) for where, item, _ in items_of(text)] == [("-:2", "1"), ("-:4", "2")]
    assert [item for _, item, _ in items_of('{"id": 3, "score": 1}\n{"id": 4.0, "score": 1}')] == ["3", "4"]


@pytest.mark.parametrize(
    ("text", "where", "slug"),
    [
        ("", "-", "empty"),
        ("id,score\n", "-", "empty"),
        ('{"id": "a", "score": 1}\n{"id": "b", score', "-:2", "not-json"),
        ('{"id": "a", "score": 1}\n[1]\n', "-:2", "not-an-object"),
        ('{"id": "a", "score": 1}\n{"id": "b", "score": 1, "score": 0}\n', "-:2", "duplicate-field"),
        ('{"id": "a", "score": 1}\n{"id": "b"}\n', "-:2", "not-a-number"),
        ('{"id": "a", "score": 1}\n{"score": 1}\n', "-:2", "missing-id"),
        ("id,score\na,1\nb\n", "-:3", "ragged-row"),
        ('id,score\na,1\n"b,1\n', "-:3", "not-csv"),
        ("id,score\na,1\nb,n/a\n", "-:3", "not-a-number"),
        ("id,score\na,1\nb,nan\n", "-:3", "not-finite"),
        ("id,score\na,1\nb,0.5\n", "-:3", "not-binary"),
        ("id,score\na,1\nb,\xff".encode("latin-1"), "-:3", "not-utf8"),
        ("id,id\na,1\n", "-:1", "duplicate-column"),
        ("1,0\n2,1\n", "-:1", "no-header"),
        ("answer,score\nx,1\n", "-", "no-ids"),
        ("id,x,y\na,1,0\n", "-", "which-column"),
    ],
)
def test_broken_lines(text: str | bytes, where: str, slug: str) -> None:
    line = problem(text)
    assert line.startswith(f"{where}: ")
    assert line.endswith(f"[{slug}]")


def test_a_line_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outscore.wings.gating.streaming._LONGEST", 1_000)
    stream = io.BytesIO(b'{"id": "' + b"x" * 10**6)
    with pytest.raises(OutscoreError, match=r"^-:1: .*\[too-long\]$"):
        list(StreamedItems(stream, BASE.metrics))
    assert stream.tell() <= 2_000


def lines(items: Sequence[str], lost: float, seed: int = 0) -> bytes:
    rng = np.random.default_rng(seed)
    base = dict(zip(BASE.rows[0][0].item_ids or (), BASE.rows[0][0].values[:, 0], strict=True))
    scores = {item: 0 if rng.random() < lost else int(base[item]) for item in items}
    return "".join(json.dumps({"id": item, "correct": score}) + "\n" for item, score in scores.items()).encode()


def test_it_reads_no_further_than_it_needs() -> None:
    order = gate_order(BASE, 3)
    stream = io.BytesIO(lines(order, 0.4))
    gate = SequentialGate(BASE, RULE, LOOK, 3)
    result = gate_stream(gate, StreamedItems(stream, BASE.metrics))
    assert result.outcome is GateOutcome.FAILED
    assert result.sequential is not None
    n = result.sequential.n_read
    assert n < 100
    assert stream.read() == b"".join(lines(order, 0.4).splitlines(keepends=True)[n:])


def test_the_order_of_lines_does_not_matter() -> None:
    data = lines([f"q{i}" for i in range(300)], 0.1).splitlines(keepends=True)
    results = []
    for order in (range(300), np.random.default_rng(0).permutation(300).tolist(), reversed(range(300))):
        gate = SequentialGate(BASE, RULE, LOOK, 3)
        stream = io.BytesIO(b"".join(data[i] for i in order))
        results.append(gate_stream(gate, StreamedItems(stream, BASE.metrics)))
    assert results[0] == results[1] == results[2]
    assert results[0].outcome is GateOutcome.PASSED


def test_the_end_before_it_is_certain() -> None:
    order = gate_order(BASE, 3)
    stream = io.BytesIO(lines([*order[:5], *order[6:40]], 0.0))
    result = gate_stream(SequentialGate(BASE, GateRule(Margins(0.02)), LOOK, 3), StreamedItems(stream, BASE.metrics))
    assert result.sequential is not None
    assert (result.outcome, result.sequential.n_read) == (GateOutcome.INCONCLUSIVE, 5)
    (warning,) = result.warnings
    assert warning.startswith(f'34 items could not be checked, because item "{order[5]}" comes before them')


@pytest.mark.parametrize(("last", "slug"), [("q1", "duplicate-item"), ("nobody", "unknown-item")])
def test_items_that_the_gate_refuses_are_told_by_their_line(last: str, slug: str) -> None:
    stream = io.BytesIO(f"id,correct\nq1,1\nq2,1\n{last},1\n".encode())
    with pytest.raises(OutscoreError, match=rf"^-:4: .*\[{slug}\]$"):
        gate_stream(SequentialGate(BASE, RULE, LOOK, 3), StreamedItems(stream, BASE.metrics))


def test_two_metrics_are_two_columns() -> None:
    both = [
        outscore.read({"a": [1, 0]}, metric=metric).metrics[0] for metric in ("accuracy", "mean:lowest=0,highest=1")
    ]
    rows = list(StreamedItems(io.BytesIO(b"id,correct,mean\na,1,0.5\n"), both))
    assert rows == [("-:2", "a", {"accuracy": 1.0, "mean": 0.5})]
    with pytest.raises(OutscoreError, match="a column for each of accuracy and mean"):
        list(StreamedItems(io.BytesIO(b"id,score\na,1\n"), both))
    with pytest.raises(OutscoreError, match="one column cannot hold the scores of 2 metrics"):
        StreamedItems(io.BytesIO(b""), both, score_column="x")


READER = """
import sys
import outscore
from outscore.wings.gating.streaming import StreamedItems, gate_stream
from outscore.questions.looks import GateRule, Look, Margins
from outscore.wings.gating.sequential import SequentialGate

base = outscore.read({"base": {f"q{i}": 1 for i in range(100_000)}}, metric="accuracy")
gate = SequentialGate(base, GateRule(Margins(0.02)), Look(1, 1, 0.05))
print("\\n".join(gate.order[:2000]), flush=True)
result = gate_stream(gate, StreamedItems(sys.stdin.buffer, base.metrics))
print(result.outcome.value, result.sequential.n_read)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="no pipes that break")
def test_a_producer_over_a_real_pipe_is_stopped(tmp_path: Path) -> None:
    """Each line is looked at when it comes, without waiting for more; then the pipe breaks."""
    reader = subprocess.Popen(
        [sys.executable, "-c", READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, env=os.environ
    )
    assert reader.stdin is not None
    assert reader.stdout is not None
    order = [reader.stdout.readline().decode().strip() for _ in range(2_000)]
    for item in order[:15]:
        reader.stdin.write(json.dumps({"id": item, "score": 0}).encode() + b"\n")
        reader.stdin.flush()
    reader.wait(timeout=60)  # 15 losses of 15 are certain, and the pipe is still open
    reader.stdin.write(b"{}\n")
    with pytest.raises(BrokenPipeError):
        reader.stdin.flush()
    outcome, n_read = reader.stdout.read().decode().split()
    assert (outcome, reader.returncode) == ("failed", 0)
    assert int(n_read) <= 15
    reader.stdout.close()
    with pytest.raises(BrokenPipeError):
        reader.stdin.close()
