"""Output of promptfoo."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore import compare
from outscore.errors import OptionError, OutscoreError
from outscore.wings.logs.harnesses.promptfoo import Promptfoo
from tests.fuzz.targets import CORPUS
from tests.kit import RunDesign
from tests.logs.kit import LogFile, NamedLog, inventory_of
from tests.logs.reading import item_means, logs_in, metric_of, standard_error

NAME = "promptfoo"


def result(q: object, success: object = True, **more: Any) -> dict[str, Any]:
    own = {"provider": {"id": "a"}, "promptIdx": 0, "testIdx": 0, "vars": {"q": q}, "success": success, "score": 1}
    return {**own, "namedScores": {}, "failureReason": 0, **more}


def written(folder: Path, results: Sequence[Any], **summary: Any) -> Path:
    path = folder / "output.json"
    whole = {"version": 3, "timestamp": "t", "prompts": [], "results": results, **summary}
    path.write_text(json.dumps({"evalId": "e", "results": whole, "config": {}}))
    return path


def test_pass_rates_are_those_of_the_oracle(logs: Callable[[str], Path]) -> None:
    folder = logs("promptfoo-made-numersense")
    read = {log.system: log for log in logs_in(folder, NAME)}
    rows = re.findall(
        r"^\| (replay:\S+) \| 36 \| ([\d.]+) \| ([\d.]+) \|$", (folder / "ORACLE.md").read_text(), re.MULTILINE
    )
    assert len(rows) == len(read) == 3
    for system, mean, error in rows:
        means = item_means(read[system], metric_of(read[system], "success"))
        assert len(means) == 36
        assert sum(means.values()) / 36 == pytest.approx(float(mean), abs=1e-9)
        assert standard_error(means) == pytest.approx(float(error), abs=1e-9)
    for log in read.values():
        assert (log.task, log.runs_are) == ("numersense replay", RunDesign.SAMPLES)
        assert set(log.runs or ()) == {"1", "2", "3"}
        assert len(set(log.labels["metadata.nums"])) == 8
        entries = inventory_of([NamedLog(log, None, "")]).entries
        assert [(entry.metric, entry.agrees) for entry in entries] == [
            (name, True) for name in ("success", "score", "exact", "numeric")
        ]


def test_texts_are_read_again(logs: Callable[[str], Path]) -> None:
    log = next(one for one in logs_in(logs("promptfoo-made-numersense"), NAME) if "sonnet" in one.system)
    texts = Promptfoo().texts(log, {log.item_ids[0]})
    assert texts[log.item_ids[0]].input == "[0#('13.11', '13.8')] 13.11 or 13.8 --- which one is bigger?"
    assert texts[log.item_ids[0]].answer


def test_errors_are_no_failures(tmp_path: Path) -> None:
    results = [result(1), result(2, False, failureReason=1, score=0.5), result(3, False, failureReason=2, score=0)]
    (log,) = logs_in(written(tmp_path, results), NAME)
    assert log.n_errors == 1
    assert np.array_equal(metric_of(log, "success").scores, [1, 0, np.nan], equal_nan=True)
    assert np.array_equal(metric_of(log, "score").scores, [1, 0.5, np.nan], equal_nan=True)


def test_tests_are_known_by_variables_and_not_by_number(tmp_path: Path) -> None:
    case = {"description": "d", "vars": {"q": 1}}
    results = [
        result(1, testIdx=0),
        result(1, testIdx=7),
        result({"b": 1, "a": 2}, testIdx=1),
        result({"a": 2, "b": 1}, testIdx=2),
        result(1, testCase=case),
        result(1, testCase={**case, "vars": {"q": 2}}),
        result(None, vars={}, testIdx=9),
    ]
    (log,) = logs_in(written(tmp_path, results), NAME)
    ids = list(log.item_ids)
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert ids[4] == "d"
    assert ids[5].startswith("d ")
    assert ids[6] == "test 9"
    assert log.runs is not None
    assert list(log.runs) == ["1", "2", "1", "2", "1", "1", "1"]
    assert log.notes == ["has tests without variables and descriptions, which are matched by number"]


def test_prompts_are_systems_of_their_own(tmp_path: Path) -> None:
    results = [result(1, promptIdx=i, promptId=f"p{i % 2}", provider={"id": "ab"[i // 2]}) for i in range(4)]
    assert [log.system for log in logs_in(written(tmp_path, results), NAME)] == [
        "a, prompt 1",
        "a, prompt 2",
        "b, prompt 1",
        "b, prompt 2",
    ]
    labelled = [
        result(1, promptIdx=i, promptId="p", provider={"id": "x", "label": label}) for i, label in enumerate("uv")
    ]
    assert [log.system for log in logs_in(written(tmp_path, labelled), NAME)] == ["u (x)", "v (x)"]


def _head(label: str, provider: str, passed: int, failed: int) -> dict[str, Any]:
    metrics = {"score": passed, "testPassCount": passed, "testFailCount": failed, "testErrorCount": 0}
    return {"id": f"id of {label}", "raw": label, "label": label, "provider": provider, "metrics": metrics}


def test_prompts_are_numbered_in_promptfoos_order_and_show_their_label(tmp_path: Path) -> None:
    labels = ["Add {{a}}", "Sum:\n" + "very " * 20, "terse"]
    results = [
        result(q, place < q, promptIdx=place, promptId=f"id of {label}", prompt={"label": label})
        for place, label in reversed(list(enumerate(labels)))  # the last prompt was done first
        for q in range(3)
    ]
    heads = [_head(label, "a", 2 - place, 1 + place) for place, label in enumerate(labels)]
    read = logs_in(written(tmp_path, results, prompts=heads), NAME)
    names = [
        "a, prompt 1 (Add {{a}})",
        "a, prompt 2 (Sum: very very very very very very very...)",
        "a, prompt 3 (terse)",
    ]
    assert [log.system for log in read] == names
    assert [metric_of(log, "success").scores.sum() for log in read] == [2, 1, 0]
    assert all(entry.agrees for entry in inventory_of([NamedLog(log, None, "") for log in read]).entries[::2])
    texts = Promptfoo().texts(read[2], read[2].item_ids)
    assert len(texts) == 3
    # A file of two of these prompts keeps their numbers.
    some = logs_in(written(tmp_path, results[:6], prompts=heads), NAME)
    assert [log.system for log in some] == names[1:]


@pytest.mark.parametrize(("key", "summary"), [("label", {"timestamp": "t"}), ("display", {})])
def test_version_2_tells_prompts_apart_by_their_text(key: str, summary: Any, tmp_path: Path) -> None:
    prompts = ("Add {{a}}", "Sum {{a}}")
    results = [
        {
            "provider": {"id": "p"},
            "prompt": {"raw": f"{prompt[:3]} {a}", key: prompt},
            "vars": {"a": a},
            "success": a < passed,
            "score": 1,
            "namedScores": {},
            "gradingResult": {},
        }
        for a in range(4)
        for prompt, passed in zip(prompts, (4, 1), strict=True)
    ]
    heads = [_head(prompt, "p", passed, 4 - passed) for prompt, passed in zip(prompts, (4, 1), strict=True)]
    for head in heads:
        head[key] = head.pop("label")
    whole = {"version": 2, **summary, "results": results, "stats": {}, "table": {"head": {"prompts": heads}}}
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"results": whole, "config": {}}))
    read = logs_in(path, NAME)
    assert [log.system for log in read] == ["p, prompt 1 (Add {{a}})", "p, prompt 2 (Sum {{a}})"]
    assert [metric_of(log, "success").scores.mean() for log in read] == [1, 0.25]
    assert [log.runs for log in read] == [None, None]
    assert all(inventory_of([NamedLog(log, None, "")]).entries[0].agrees for log in read)


def test_files_of_one_run_are_one_log(tmp_path: Path) -> None:
    results = [result(q, q > 0, id=f"uuid {q}") for q in range(3)]
    written(tmp_path, results)
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(json.dumps(one) + "\n" for one in results[::-1]))
    (log,) = logs_in(tmp_path, NAME)
    assert (Path(log.path).name, len(log)) == ("output.json", 3)
    assert len(logs_in(lines, NAME)) == 1
    lines.write_text("".join(json.dumps(one) + "\n" for one in [*results, result(3, id="uuid 3")]))
    with pytest.raises(OutscoreError, match=r"3 of 4 results that are also in .*output\.json"):
        logs_in(tmp_path, NAME)


def test_prompts_of_promptfoo_itself(logs: Callable[[str], Path]) -> None:
    folder = logs("faults/made-promptfoo")
    wanted = {"1 (Add {{a}} and {{b}})": 15 / 33, "2 (Sum: {{a}}+{{b}} =)": 22 / 33, "3 (terse)": 17 / 33}
    for path in (folder, folder / "out.json", folder / "sorted-by-promptIdx.json", folder / "out.jsonl"):
        read = [log for log in logs_in(path, NAME) if log.system.startswith("weak")]
        rates = {
            log.system.partition(", prompt ")[2]: np.nanmean(metric_of(log, "success").scores).item() for log in read
        }
        assert list(rates) == list(wanted)
        assert rates == pytest.approx(wanted)


@pytest.mark.parametrize(("version", "add", "total"), [("0.43.1", 5, 5), ("0.91.3", 8, 2)])
def test_version_2_of_promptfoo_itself(version: str, add: int, total: int, logs: Callable[[str], Path]) -> None:
    read = logs_in(logs("faults/made-promptfoo-v2") / f"promptfoo-{version}-version2.json", NAME)
    assert [log.system for log in read] == [
        "oldprov, prompt 1 (Add {{a}} and {{b}})",
        "oldprov, prompt 2 (Sum {{a}}+{{b}})",
    ]
    assert [metric_of(log, "success").scores.sum() for log in read] == [add, total]
    assert [len(log) for log in read] == [8, 8]


def test_a_table_of_promptfoo_itself() -> None:
    found = logs_in(CORPUS / "log-promptfoo" / "out.csv", "promptfoo")
    assert [log.system for log in found[::4]] == [
        "weak, prompt 1 (Add {{a}} and {{b}})",
        "strong, prompt 2 (Sum: {{a}}+{{b}} =)",
        "echo, prompt 3 (terse)",
    ]
    weak = found[0]
    assert (len(weak), weak.n_errors, weak.runs_are, set(weak.runs or ())) == (6, 3, RunDesign.SAMPLES, {*"123"})
    assert np.array_equal(metric_of(weak, "score").scores[:3], [0.08, 0.08, 0.75])
    assert weak.item_ids[3] == "test number 7"
    assert Promptfoo().texts(found[6], {"test number 7"})["test number 7"].answer == "Add 7 and 21"


def test_a_table_agrees_with_the_json_of_the_same_run(logs: Callable[[str], Path]) -> None:
    folder = logs("faults/made-promptfoo")
    tables, whole = logs_in(folder / "out.csv", "promptfoo"), logs_in(folder / "out.json", "promptfoo")
    assert len(tables) == len(whole) == 9
    for table, log in zip(tables, whole, strict=True):
        assert table.system.rpartition(", prompt")[2] == log.system.rpartition(", prompt")[2]
        for name, nearness in (("success", 0), ("score", 0.005), ("correct", 0.005), ("length", 0.005)):
            own, means = (item_means(one, metric_of(one, name)) for one in (table, log))
            assert own == pytest.approx(means, abs=nearness + 1e-12)


def test_a_table_beside_the_json_of_its_run_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, [result("a")])
    path.with_suffix(".csv").write_bytes((CORPUS / "log-promptfoo" / "out.csv").read_bytes())
    assert [Path(log.path).suffix for log in logs_in(tmp_path, "promptfoo")] == [".json"]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("a,[p] x,Status,Score,Named Scores,Grader Reason,Comment", "1,out,PASS,1,"),
        ("[p] x,Status,Score,Named Scores,Grader Reason,Comment", 'out,PASS,1,"{""a"":",,'),
        ("a,x,Status,Score,Named Scores,Grader Reason,Comment", "1,out,PASS,1,3,,,,,"),
    ],
)
def test_tables_of_other_forms(header: str, row: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{header}\n{row}\n")
    (log,) = logs_in(tmp_path / "a.csv", "promptfoo")
    assert [(metric.name, metric.scores.tolist()) for metric in log.metrics] == [("success", [1]), ("score", [1])]
    (tmp_path / "a.csv").write_text(f"{header}\n")
    with pytest.raises(OutscoreError, match="expected results of tests"):
        logs_in(tmp_path / "a.csv", "promptfoo")


def test_a_part_of_a_systems_name_is_no_column(tmp_path: Path) -> None:
    """A table of promptfoo repeats the names of its columns, so it has no columns for FILE:COLUMN."""
    heads = ",".join(f"[openai:{name}] P,Status,Score,Named Scores" for name in ("gpt-3.5", "gpt-4"))
    (tmp_path / "a.csv").write_text(f"q,{heads}\n1,x,PASS,1,{{}},y,PASS,1,{{}}\n2,x,FAIL,0,{{}},y,PASS,1,{{}}\n")
    with pytest.raises(OptionError, match=r'no system "gpt-3.5".*"openai:gpt-3.5".*\[unknown-system\]'):
        compare(f"{tmp_path}/a.csv:gpt-3.5", f"{tmp_path}/a.csv:openai:gpt-4")
    assert compare(f"{tmp_path}/a.csv:openai:gpt-3.5", f"{tmp_path}/a.csv:openai:gpt-4", metric="success").gain == 0.5


def test_lines_of_results(tmp_path: Path) -> None:
    path = tmp_path / "output.jsonl"
    path.write_text("".join(json.dumps(result(i, i > 0)) + "\n" for i in range(3)))
    (log,) = logs_in(path, NAME)
    assert metric_of(log, "success").scores.tolist() == [0, 1, 1]


def test_version_2_counts_in_a_table(tmp_path: Path) -> None:
    own = {"score": 1, "testPassCount": 1, "testFailCount": 1}
    results = [{"provider": "a", "vars": {"q": i}, "success": bool(i), "score": i, "gradingResult": {}} for i in (0, 1)]
    path = written(tmp_path, results, version=2, prompts=None, table={"head": {"prompts": [{"metrics": own}]}})
    (log,) = logs_in(path, NAME)
    assert [(of.statistic, of.value) for of in metric_of(log, "success").aggregates] == [("mean-of-records", 0.5)]


def test_a_file_that_was_cut_says_so(tmp_path: Path) -> None:
    metrics = {"score": 1.0, "testPassCount": 1, "testFailCount": 3, "testErrorCount": 0}
    (log,) = logs_in(written(tmp_path, [result(1)], prompts=[{"metrics": metrics}]), NAME)
    entries = inventory_of([NamedLog(log, None, "")]).entries
    assert {entry.explanation for entry in entries} == {"promptfoo counts 4 results, of which this file has 1"}


def test_named_scores_whose_assertions_weigh_differently_are_not_compared(tmp_path: Path) -> None:
    own = {"namedScores": {"x": 3.0}, "namedScoresCount": {"x": 2}, "namedScoreWeights": {"x": 3}}
    (log,) = logs_in(written(tmp_path, [result(1, namedScores={"x": 1, "score": 0})], prompts=[{"metrics": own}]), NAME)
    assert metric_of(log, "x").aggregates == []
    assert metric_of(log, "named/score").scores.tolist() == [0]


@pytest.mark.parametrize("results", [[], [1], [[]], ["x"]])
def test_results_of_other_forms(tmp_path: Path, results: Any) -> None:
    with pytest.raises(OutscoreError):
        logs_in(written(tmp_path, results), NAME)


@pytest.mark.parametrize(
    "changed",
    [
        {"provider": [1], "promptIdx": "x", "testCase": 3, "vars": [1], "namedScores": [1], "failureReason": "x"},
        {"provider": {"id": [1]}, "promptIdx": -5, "testCase": {"vars": 1, "metadata": [1], "description": [1]}},
        {"success": "yes", "score": [1], "namedScores": {"x": [1], "y": "z"}, "promptId": 3},
    ],
)
def test_values_of_other_forms_are_no_scores(tmp_path: Path, changed: Mapping[str, Any]) -> None:
    (log,) = logs_in(written(tmp_path, [result(1, **changed)], prompts={"a": 1}), NAME)
    assert len(log) == 1
    Promptfoo().texts(log, log.item_ids)


def test_outputs_alone_are_recognized(tmp_path: Path, logs: Callable[[str], Path]) -> None:
    for content in (
        '{"results": {"version": 3}}',
        '{"results": {"a": {"version": 3, "timestamp": "x"}}}',
        '{"results": [{"version": 3, "timestamp": "x"}]}',
        '{"testIdx": 1, "score": 0.5}',
        '{"text": "\\"results\\"", "version": 3, "timestamp": "x"}',
    ):
        (tmp_path / "a.json").write_text(content)
        assert not Promptfoo().recognizes(LogFile(tmp_path / "a.json"))
    root = logs("promptfoo-made-numersense").parent
    for path in root.rglob("*"):
        if path.is_file() and path.name.lower().endswith(Promptfoo.suffixes):
            is_output = path.name == "output.json" or "made-promptfoo" in path.parent.name
            assert Promptfoo().recognizes(LogFile(path)) == is_output, path
