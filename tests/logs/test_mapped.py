"""Logs by a map of fields, and suggested maps."""

from __future__ import annotations

import csv
import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

import outscore as library
from outscore.errors import OutscoreError
from outscore.wings.logs.mapped import FieldMap, known_direction, suggested_map
from tests.logs.kit import logs_found as logs_in
from tests.running import Runner

FAULTS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "faults"
MAP = """
records = "data.results"
item = "qid"
system = "meta.model"
run = "meta.seed"
labels = ["meta.subject"]
[metrics]
scores.acc = "higher"
"scores.wer" = "lower"
"""


def records(n: int = 40) -> list[dict[str, Any]]:
    rng = random.Random(5)
    return [
        {
            "qid": item,
            "meta": {"model": system, "seed": seed, "subject": ("law", "math")[item % 2]},
            "scores": {"acc": rng.random() < skill, "wer": round(rng.random(), 2), "took": rng.random()},
            "output": f"text {rng.random()}",
        }
        for system, skill in (("old", 0.4), ("new", 0.8))
        for seed in (1, 2)
        for item in range(n)
    ]


def written(name: str, document: object) -> Path:
    path = Path(name)
    path.write_text(json.dumps(document) if not isinstance(document, str) else document)
    return path


def mean(rows: list[dict[str, Any]], system: str, metric: str) -> float:
    of = [float(row["scores"][metric]) for row in rows if row["meta"]["model"] == system]
    return sum(of) / len(of)


def test_a_map_reads_nested_records_like_logs(outscore: Runner) -> None:
    rows = records()
    written("a.json", {"errors": [{"id": 1}], "data": {"results": rows}})
    written("map.toml", MAP)
    shown = json.loads(outscore("logs", "a.json", "--map", "map.toml", "--format", "json").out)["entries"]
    found = {(entry["system"], entry["metric"]): entry for entry in shown}
    for system in ("old", "new"):
        for metric, higher in (("scores.acc", True), ("scores.wer", False)):
            entry = found[system, metric]
            assert entry["score"] == pytest.approx(mean(rows, system, metric.rpartition(".")[2]))
            assert (entry["n_items"], entry["n_runs"], entry["higher_is_better"]) == (40, 2, higher)
    run = outscore("compare", "a.json", "--map", "map.toml", "--baseline", "old", "--runs", "fixed", "--format", "json")
    assert run.status == 0, run.err
    (compared,) = json.loads(run.out)["comparisons"]
    assert compared["gain"] == pytest.approx(mean(rows, "new", "acc") - mean(rows, "old", "acc"))
    wer = outscore("rank", "a.json", "--map", "map.toml", "--runs", "fixed", "-m", "wer", "--format", "json")
    assert json.loads(wer.out)["metric"]["higher_is_better"] is False
    for command in (("rank",), ("score",), ("compare", "--baseline", "old"), ("gate", "--margin", "1")):
        run = outscore(*command, "a.json", "--map", "map.toml", "--runs", "fixed", "--stratum", "meta.subject")
        assert run.status == (2 if command[0] == "gate" else 0), run.err
    assert (
        "--records: a map of the logs names their records"
        in outscore("rank", "a.json", "--map", "map.toml", "--records", "errors").err
    )


def test_every_format_and_python_give_the_same_result(outscore: Runner) -> None:
    rows = [row for row in records() if row["meta"]["seed"] == 1]
    fields = {"item": "qid", "system": "meta.model", "metrics": {"scores.acc": "higher"}}
    written("a.json", rows)
    written("a.jsonl", "\n".join(map(json.dumps, rows)))
    with Path("a.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["qid", "meta.model", "scores.acc"])
        table.writerows([row["qid"], row["meta"]["model"], row["scores"]["acc"]] for row in rows)
    written("a.data", json.dumps(rows))  # a single file may have any name
    results = [
        library.compare(f"a.{ending}", baseline="old", mapping=fields) for ending in ("json", "jsonl", "csv", "data")
    ]
    assert len({(result.comparisons[0].gain, result.comparisons[0].p_value) for result in results}) == 1
    for name in ("old", "new"):  # without a field, the file names the system
        written(f"{name}.json", [row for row in rows if row["meta"]["model"] == name])
    del fields["system"]
    apart = library.compare("old.json", "new.json", mapping=fields)
    assert apart.comparisons[0].p_value == results[0].comparisons[0].p_value
    assert (apart.comparisons[0].baseline, apart.comparisons[0].candidate) == ("old", "new")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"systm": "x"}, 'map.toml: unknown key "systm". Did you mean "system"? [unknown-key]'),
        ({"system": "modl"}, 'map.toml: system: field "modl" not found in a.json. Did you mean "model"?'),
        ({"item": "?"}, 'map.toml: item: expected the name of a field, got "?". Name it, or omit the key. [wrong-map]'),
        ({"item": None}, 'map.toml: the key item is missing. Name the field of item ids: item = "id". [wrong-map]'),
        ({"run": 3}, "map.toml: run: expected the name of a field, got 3."),
        ({"labels": "x"}, 'map.toml: labels: expected a list of fields, got "x".'),
        ({"labels": ["none"]}, 'map.toml: labels: field "none" has no value in a.json.'),
        ({"metrics": {}}, "map.toml: the table [metrics] is missing."),
        ({"metrics": {"ok": "?"}}, 'map.toml: metrics: ok: expected "higher" or "lower" (the better scores), got "?".'),
        ({"metrics": {"text": "higher"}}, 'a.json:1: field "text": expected a number, got "x".'),
        ({"metrics": {"s.x": "higher"}}, 'map.toml: metrics: field "s.x" not found in a.json.'),
        ({"item": "gap"}, 'a.json:2: field "gap": expected the name of the item, got nothing.'),
        ({"records": "rows"}, '--records: the path "rows" is not in a.json.'),
    ],
)
def test_a_wrong_map_is_one_line_that_says_where(outscore: Runner, changes: dict[str, Any], message: str) -> None:
    rows = [{"id": i, "model": "m", "ok": 1, "text": "x", "none": None, "gap": [1, None][i]} for i in (0, 1)]
    written("a.json", rows)
    content = {"item": "id", "metrics": {"ok": "higher"}} | changes
    lines = [f"{key} = {json.dumps(value)}" for key, value in content.items() if key != "metrics" and value is not None]
    lines += ["[metrics]", *(f"{json.dumps(key)} = {json.dumps(of)}" for key, of in content["metrics"].items())]
    written("map.toml", "\n".join(lines if content["metrics"] else lines[:-1]))
    run = outscore("rank", "a.json", "--map", "map.toml")
    assert (run.status, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith(message), run.err


def test_maps_that_are_no_maps(outscore: Runner) -> None:
    written("a.json", [{"id": 1, "ok": 1}])
    for content, message in (("item =", "not valid TOML"), ("a." * 200 + "b = 1", "expected keys of at most 100")):
        written("map.toml", content)
        assert f"map.toml: {message}" in outscore("rank", "a.json", "--map", "map.toml").err
    assert "cannot read file" in outscore("rank", "a.json", "--map", "none.toml").err
    with pytest.raises(OutscoreError, match="mapping: expected a file or a mapping"):
        FieldMap.of([1])
    with pytest.raises(OutscoreError, match="mapping: applies only to files, not to objects or leaderboard files"):
        library.compare([1, 0], [1, 1], mapping="map.toml")


def test_an_unknown_log_of_records_gets_advice_and_its_suggestion_is_a_map(
    outscore: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = records()
    for name, document in (
        ("a.json", {"errors": [{"id": 1}], "data": {"results": rows}}),
        ("b.jsonl", "\n".join(map(json.dumps, rows))),
    ):
        written(name, document)
        assert f"outscore logs --suggest-map {name} suggests one for --map." in outscore("logs", name).err
        suggested = outscore("logs", "--suggest-map", name).out
        assert suggested == suggested_map(name) == suggested_map(name)
        content = tomllib.loads(suggested)
        expected = tomllib.loads(MAP)
        assert content.pop("metrics") == {"scores.acc": "higher", "scores.wer": "lower", "scores.took": "?"}
        assert content == {key: expected[key] for key in content}
        assert content.keys() ^ expected.keys() == {"metrics", *(["records"] if name == "b.jsonl" else [])}
        written("map.toml", suggested)
        run = outscore("rank", name, "--map", "map.toml", "--runs", "fixed")
        assert run.err.startswith("map.toml: metrics: scores.took: expected"), run.err
        written("map.toml", suggested.replace('"?"  #', '"lower"  #'))
        assert outscore("rank", name, "--map", "map.toml", "--runs", "fixed").status == 0
    written("c.jsonl", "\n".join(json.dumps(row) for row in rows[:40]))
    assert "For nested fields pass a map: outscore logs --suggest-map c.jsonl" in outscore("score", "c.jsonl").err
    with monkeypatch.context() as without:
        without.setattr("outscore.options.has_wing", lambda name: name != "logs")
        assert "Write each field as a column. [" in outscore("score", "c.jsonl").err
    outscore("logs", "--suggest-map", "b.jsonl", "-o", "saved.toml")
    assert Path("saved.toml").read_text() == suggested
    assert "expected one file, got more" in outscore("logs", "--suggest-map", "b.jsonl", "a.json").err


def test_what_is_unsure_is_marked(outscore: Runner) -> None:
    rows = [
        {"text": f"t{i}", "uuid": f"{i:08x}-0000-0000-0000-000000000000", "answer": "A", "pred": "B"} for i in (1, 2)
    ]
    written("a.json", {"x": [{"y": 1}], "rows": rows})
    content = tomllib.loads(suggested_map("a.json"))
    assert content == {"records": "rows", "item": "text", "metrics": {"?": "?"}}
    assert (
        "-m accuracy -r a.json:answer a.json:pred OTHER.json:pred --records rows"
        in outscore("logs", "--suggest-map", "a.json").out
    )
    written("a.json", [{"id": 1, "text": "x"}, {"id": 1, "text": "y"}])
    assert 'item = "id"  # its values repeat' in suggested_map("a.json")
    written("a.json", [{"x": "same"}, {"x": "same"}])
    assert tomllib.loads(suggested_map("a.json"))["item"] == "?"
    written("a.json", [1, 2])
    with pytest.raises(OutscoreError, match="expected records with fields"):
        suggested_map("a.json")


def test_directions_are_known_by_name_only() -> None:
    higher = ("bleu", "ChrF", "accuracy", "acc", "em", "scores.f1", "is_correct", "passed", "ndcg@10", "is_resolved")
    lower = ("wer", "TER", "perplexity", "mse", "latency", "loss")
    unknown = ("score", "value", "mean", "ratio", "faithfulness", "points")
    assert {known_direction(name) for name in higher} == {True}
    assert {known_direction(name) for name in lower} == {False}
    assert {known_direction(name) for name in unknown} == {None}


@pytest.mark.skipif(not FAULTS.exists(), reason="the shared logs are not beside the repository")
def test_runs_of_terminal_bench_by_a_map() -> None:
    folder = FAULTS / "unknown-terminal-bench"
    fields = {"records": "results", "item": "task_id", "metrics": {"is_resolved": "higher"}}
    logs = [one.log for one in logs_in(str(folder), [], mapping=fields)]
    # SOURCE.txt has the accuracies of the files, which count trials without a result as 0.
    means = [round(sum(score for score in log.metrics[0].scores if score == 1) / 80, 4) for log in logs]
    assert means == [0.4875, 0.45, 0.4875, 0.425, 0.4125]


def test_a_system_of_a_mapped_file(outscore: Runner) -> None:
    """FILE:SYSTEM and FOLDER/:SYSTEM choose a system, as without a map."""
    rows = [row for row in records() if row["meta"]["seed"] == 1]
    written("map.toml", 'item = "qid"\nsystem = "meta.model"\n[metrics]\n"scores.acc" = "higher"\n')
    Path("folder").mkdir()
    written("a.jsonl", "\n".join(map(json.dumps, rows)))
    written("folder/a.jsonl", "\n".join(map(json.dumps, rows)))
    expected = mean(rows, "new", "acc") - mean(rows, "old", "acc")
    for place in ("a.jsonl", "folder/"):
        run = outscore("compare", f"{place}:old", f"{place}:new", "--map", "map.toml", "--format", "json")
        assert run.status == 0, run.err
        (compared,) = json.loads(run.out)["comparisons"]
        assert (compared["baseline"], compared["candidate"]) == ("old", "new")
        assert compared["gain"] == pytest.approx(expected)
        run = outscore("compare", f"{place}:old", f"{place}:scores.acc", "--map", "map.toml")
        assert f'{place}:scores.acc: the logs have no system "scores.acc". Known: old, new. [unknown-system]' in run.err


def test_words_in_a_map_are_scores_with_a_note(outscore: Runner) -> None:
    rows = [{"id": i // 2, "model": "xy"[i % 2], "ok": ["yes", "no", "yes"][i % 3]} for i in range(30)]
    written("a.json", rows)
    written("map.toml", 'item = "id"\nsystem = "model"\n[metrics]\nok = "higher"\n')
    read = library.read("a.json", mapping="map.toml")
    assert any("Words were read as scores: yes = 1, no = 0." in note for note in read.notes), read.notes
    written("a.json", [*rows, {"id": 30, "model": "x", "ok": "maybe"}])
    err = outscore("score", "a.json", "--map", "map.toml").err
    assert 'a.json:31: field "ok": expected yes or no, as in most cells, got "maybe".' in err


def test_a_map_reads_whole_files(outscore: Runner) -> None:
    written("a.csv", "id,ok\n1,1\n2,0\n3,1\n")
    written("map.toml", 'item = "id"\n[metrics]\nok = "higher"\n')
    err = outscore("compare", "a.csv:ok", "a.csv", "--map", "map.toml").err
    assert err.startswith('a.csv:ok: the logs have no system "ok". Known: a.')  # a column is no system
    assert outscore("score", "-", "--map", "map.toml").err.startswith("--map: does not apply to standard input. ")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_tables_that_are_no_logs_need_a_map(outscore: Runner, name: str) -> None:
    written(name, "a b\n1 2\n")
    assert f"outscore logs --suggest-map {name} suggests one for --map." in outscore("logs", name).err
