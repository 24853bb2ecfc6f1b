"""Logs of Inspect."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import struct
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.errors import DataError, OutscoreError
from tests.kit import RunDesign
from tests.logs.kit import (
    Archive,
    Inspect,
    Log,
    LogFile,
    NamedLog,
    format_of_log,
    inventory_of,
    log_of_object,
    logs_of_frame,
)
from tests.logs.reading import item_means, logs_in, metric_of, standard_error

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NAME = "Inspect"
SETS = ("inspect-made-gsm8k-epochs", "inspect-eee-arc", "inspect-upstream-tests")

SPEC: dict[str, Any] = {
    "run_id": "r",
    "created": "2026-01-01T00:00:00+00:00",
    "task": "pkg/made",
    "model": "m",
    "dataset": {},
    "config": {},
}


def log_in(path: Path) -> Log:
    (log,) = logs_in(path, NAME)
    return log


def packed(path: Path, entries: Sequence[tuple[str, bytes]], method: int = 8, **changed: Any) -> Path:
    """Write a ZIP file as the APPNOTE has it; `changed` are fields of the directory that lie."""
    with path.open("wb") as file:
        directory = b""
        for name, data in entries:
            if method == 93:
                halves = data[: len(data) // 2], data[len(data) // 2 :]
                content = b"".join(zstd.compress(half) for half in halves)
            elif method == 8:
                maker = zlib.compressobj(9, zlib.DEFLATED, -15)
                content = maker.compress(data) + maker.flush()
            else:
                content = data
            of = {
                "crc": zlib.crc32(data),
                "size": len(data),
                "packed": len(content),
                "flags": 0,
                "at": file.tell(),
            } | changed
            shared = struct.pack(
                "<HHHHHLLLHH", 20, of["flags"], method, 0, 0, of["crc"], of["packed"], of["size"], len(name), 0
            )
            file.write(b"PK\3\4" + shared + name.encode() + content)
            directory += (
                b"PK\1\2" + struct.pack("<H", 20) + shared + struct.pack("<HHHLL", 0, 0, 0, 0, of["at"]) + name.encode()
            )
        at = file.tell()
        n = min(len(entries), 0xFFFF)
        file.write(directory + b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, n, n, len(directory), at, 0))
    return path


def sample(item: Any, value: Any = "C", epoch: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": item, "epoch": epoch, "scores": {"match": {"value": value}}, **more}


def entries_of(
    samples: Sequence[Mapping[str, Any]], header: Mapping[str, Any] | None = None
) -> list[tuple[str, bytes]]:
    head = {"version": 2, "status": "success", "eval": SPEC, **(header or {})}
    return [("summaries.json", json.dumps(samples).encode()), ("header.json", json.dumps(head).encode())]


def written(folder: Path, samples: Any, header: Any = None) -> Path:
    path = folder / "made.json"
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": SPEC, **(header or {}), "samples": samples}))
    return path


def figures(name: str, reducer: str | None = None, scorer: str | None = None, **values: float) -> dict[str, Any]:
    metrics = {key: {"name": key, "value": value} for key, value in values.items()}
    return {"name": name, "scorer": scorer or name, "reducer": reducer, "metrics": metrics}


@pytest.mark.parametrize("name", SETS)
def test_means_and_standard_errors_are_those_of_the_oracle(logs: Callable[[str], Path], name: str) -> None:
    rows = re.findall(r"^\| ([^|]+\.(?:json|eval)) \|(.*)\|$", (logs(name) / "ORACLE.md").read_text(), re.MULTILINE)
    assert rows
    for file, rest in rows:
        cells = [cell.strip() for cell in rest.split("|")]
        if cells[8] == "-":
            continue
        log = log_in(logs(name) / file)
        assert log.system == cells[3]
        metric = next(one for one in log.metrics if one.name in (cells[8], f"{cells[8]}/ok"))
        if cells[6] == "0":  # reductions alone
            assert "only scores" in log.notes[-1]
            continue
        assert (len(log), log.n_errors) == (int(cells[6]), int(cells[7]))
        means = item_means(log, metric)
        assert (len(means), int(np.isfinite(metric.scores).sum())) == (int(cells[9]), int(cells[10]))
        assert sum(means.values()) / len(means) == pytest.approx(float(cells[11]), abs=1e-9)
        if len(means) > 1:
            assert standard_error(means) == pytest.approx(float(cells[12]), abs=1e-9)


def test_what_inspect_computed_is_what_these_scores_give(logs: Callable[[str], Path]) -> None:
    for name in SETS:
        read = logs_in(logs(name), NAME)
        for entry in inventory_of([NamedLog(log, None, "") for log in read]).entries:
            cut = entry.explanation is not None and entry.explanation.startswith("computed over")
            assert entry.agrees or (cut and entry.agrees is False)
    statistics = {
        (metric.name, of.statistic)
        for log in logs_in(logs(SETS[0]), NAME)
        for metric in log.metrics
        for of in metric.aggregates
    }
    assert {
        ("exact", "mean"),
        ("exact", "clustered-stderr"),
        ("multi/ok", "stderr"),
        ("closeness", "pass@2"),
    } <= statistics


def test_epochs_are_samples_and_ids_are_texts(logs: Callable[[str], Path]) -> None:
    log = next(one for one in logs_in(logs(SETS[0]), NAME) if "405B" in one.system)
    assert log.runs_are is RunDesign.SAMPLES
    assert log.runs is not None
    assert set(log.runs) == {"1", "2", "3"}
    assert {"9", "gsm8k-main-test-#30"} <= set(log.item_ids)
    assert [metric.name for metric in log.metrics if metric.is_main] == ["exact"]
    assert (metric_of(log, "exact").lowest, metric_of(log, "closeness").lowest) == (0.0, None)
    assert len(set(log.labels["metadata.cluster"])) == 12


def test_layouts_of_one_log_say_the_same(logs: Callable[[str], Path]) -> None:
    folder = logs(SETS[2]) / "log" / "test_eval_log"
    for stem in ("log_formats", "log_read_sample"):
        one, other = log_in(folder / f"{stem}.eval"), log_in(folder / f"{stem}.json")
        assert (one.system, one.item_ids, one.digests, one.facts) == (
            other.system,
            other.item_ids,
            other.digests,
            other.facts,
        )
    made = logs_in(logs(SETS[0]), NAME)
    by_item = [dict(zip(log.item_ids, log.digests["document"], strict=True)) for log in made]
    assert all(by_item[0][item] == digest for of in by_item[1:] for item, digest in of.items())


def test_texts_are_read_again(logs: Callable[[str], Path]) -> None:
    for log in logs_in(logs(SETS[0]), NAME)[:3]:
        texts = Inspect().texts(log, {"9", "gsm8k-main-test-#30", "none"})
        assert set(texts) == {"9", "gsm8k-main-test-#30"}
        assert texts["9"].target == "460"
        assert texts["9"].input is not None
        assert texts["9"].input.startswith("Eliza")
        assert texts["9"].answer


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return logs that Inspect itself has written, and what it says of them."""
    if importlib.util.find_spec("inspect_ai") is None:
        pytest.skip("inspect_ai is not installed")
    folder = tmp_path_factory.mktemp("inspect")
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(root / "src"), str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "inspect_runs.py"), str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "INSPECT_LOG_LEVEL": "error"},
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    said: dict[str, Any] = json.loads(run.stdout[run.stdout.index('{"object"') :])
    return folder, said


def by_record(log: Any) -> dict[tuple[str, str], Any]:
    """Return the scores, labels and targets of a log, or of one as `inspect_runs` shows it, by item and run."""
    if isinstance(log, Log):
        scores = {of.name: [None if s != s else s for s in of.scores.tolist()] for of in log.metrics}
        log = {"scores": scores, "items": log.item_ids, "runs": log.runs, "labels": log.labels, "digests": log.digests}
    columns = {**log["scores"], **log["labels"], "target": log["digests"]["target"]}
    return {
        cell: {name: values[place] for name, values in sorted(columns.items())}
        for place, cell in enumerate(zip(log["items"], log["runs"], strict=True))
    }


def test_what_inspect_writes_in_three_layouts(made: tuple[Path, dict[str, Any]]) -> None:
    folder, said = made
    with zipfile.ZipFile(next((folder / "eval").glob("*.eval"))) as file:
        assert {entry.compress_type for entry in file.infolist()} == {93}
    with zipfile.ZipFile(next((folder / "chunked").glob("*.eval"))) as file:
        assert any(name.endswith("/sample.json") for name in file.namelist())
    read = [log_in(folder / layout) for layout in ("eval", "json", "chunked")]
    for log in read:
        assert by_record(log) == by_record(said["object"])
        assert log.digests["document"] == [by_record_digest(said["object"])[cell] for cell in cells_of(log)]
        assert (log.system, log.task, log.n_errors) == ("mockllm/model", "made", 1)
        assert [metric.name for metric in log.metrics if metric.is_main] == [said["headline"]] == ["grade"]
        assert all(entry.agrees for entry in inventory_of([NamedLog(log, None, "")]).entries)
        texts = Inspect().texts(log, {"2", "7"})
        assert texts["2"].answer is not None
        assert texts["2"].answer.startswith("answer to 2 long")
        assert texts["7"].input is not None
        assert texts["7"].input.startswith("Question 7?")
    own = {(scorer, name, reducer): of for scorer, name, reducer, of in said["figures"]}
    grade = {of.statistic: of.value for of in metric_of(read[0], "grade").aggregates}
    assert grade["mean"] == own["grade", "grade", "mean"]["accuracy"]
    assert grade["clustered-stderr"] == own["grade", "grade", "mean"]["stderr2"]
    assert grade["pass@2"] == own["grade", "grade", "pass_at_2"]["accuracy"]
    assert [metric_of(log, "grade").clusters for log in read] == [["metadata.topic"]] * 3
    once = log_in(folder / "once")
    assert (once.runs, once.runs_are) == (None, None)


def test_a_retry_and_a_conversion_are_the_log_that_they_were_made_of(made: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = made
    kept, failed = logs_in(folder / "retried", NAME)
    assert (len(kept), kept.n_errors, [metric.name for metric in kept.metrics]) == (3, 0, ["match"])
    assert (list(failed.metrics), failed.notes) == (
        [],
        [f"is another attempt at the run of {Path(kept.path).name}, and is left out"],
    )
    kept, converted = logs_in(folder / "converted", NAME)
    assert (Path(kept.path).suffix, Path(converted.path).suffix) == (".eval", ".json")
    assert converted.notes == [f"is the same run as {Path(kept.path).name}, and is left out"]
    scores = outscore.read(str(folder / "retried"), str(folder / "converted"), metric="match")
    assert len(scores.rows[0][0]) == 3


def test_logs_without_samples_hold_all_items(made: tuple[Path, dict[str, Any]]) -> None:
    log = log_in(made[0] / "no-samples")
    assert (len(log), log.notes) == (
        3,
        ["has no samples (log_samples=False), only scores averaged over epochs"],
    )
    assert all(entry.agrees for entry in inventory_of([NamedLog(log, None, "")]).entries)


def cells_of(log: Log) -> list[tuple[str, str]]:
    assert log.runs is not None
    return list(zip(log.item_ids, log.runs, strict=True))


def by_record_digest(log: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    return dict(zip(zip(log["items"], log["runs"], strict=True), log["digests"]["document"], strict=True))


def test_objects_and_frames_of_inspect_and_its_hook(made: tuple[Path, dict[str, Any]]) -> None:
    _, said = made
    assert by_record(said["frame"]) == by_record(said["object"])
    assert (said["frame"]["system"], said["frame"]["task"]) == ("mockllm/model", "made")
    assert by_record(said["ended"][0]) == by_record(said["object"])
    assert len(said["ended"]) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("made")
def test_the_examples_can_be_made_again(tmp_path: Path) -> None:
    examples = Path(__file__).resolve().parents[2] / "examples" / "logs" / "inspect"
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(examples / "make.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    for name in ("adds-well.eval", "adds-badly.eval"):
        assert by_record(log_in(tmp_path / name)) == by_record(log_in(examples / name))


def test_other_objects_are_none() -> None:
    assert log_of_object([1, 2]) is log_of_object({"eval": 1}) is log_of_object(None) is logs_of_frame([0.5]) is None


@pytest.mark.parametrize("method", [0, 8, 93])
def test_methods_of_compression(tmp_path: Path, method: int) -> None:
    entries = entries_of([sample("a"), sample("b", "I")])
    log = log_in(packed(tmp_path / "a.eval", entries, method))
    assert metric_of(log, "match").scores.tolist() == [1, 0]
    assert (log.task, log.runs) == ("made", None)


def test_what_stands_for_numbers(tmp_path: Path) -> None:
    values = ["C", "P", "I", "N", True, False, 0.25, "yes", "No", "0.5", float("nan"), None, 3]
    metric = metric_of(log_in(written(tmp_path, [sample(i, value) for i, value in enumerate(values)])), "match")
    nan = float("nan")
    expected = [1, 0.5, 0, 0, 1, 0, 0.25, 1, 0, 0.5, nan, nan, 3]
    assert np.array_equal(metric.scores, expected, equal_nan=True)
    assert metric.explanation is None
    assert metric.lowest is None


def test_texts_that_are_no_numbers_are_not_scored(tmp_path: Path) -> None:
    samples = [sample(1, "C"), sample(2, "maybe"), sample(3, {"a": 1, "b": None, "c": "x"}), sample(4, [1, 0])]
    log = log_in(written(tmp_path, samples, {"results": {"scores": [figures("match", accuracy=0.25)]}}))
    assert [metric.name for metric in log.metrics] == ["match", "match/a", "match/0", "match/1"]
    assert metric_of(log, "match").explanation == "Inspect counts 1 non-numeric values as 0; here they have no score"
    assert sum("is left out" in note for note in log.notes) == 2


def test_a_mapping_that_was_not_scored_adds_no_metric(tmp_path: Path) -> None:
    samples = [sample(1, float("nan")), sample(2, {"ok": 1.0})]
    log = log_in(written(tmp_path, samples))
    assert [metric.name for metric in log.metrics] == ["match/ok"]
    assert np.isnan(metric_of(log, "match/ok").scores[0])


def test_errors_have_no_scores(tmp_path: Path) -> None:
    samples = [sample(1), {"id": 2, "epoch": 1, "error": {"message": "m"}}, sample(3, "I", error={"message": "scored"})]
    log = log_in(written(tmp_path, samples))
    assert log.n_errors == 1
    assert np.array_equal(metric_of(log, "match").scores, [1, np.nan, 0], equal_nan=True)


def test_a_system_without_scores_is_explained_by_a_note_on_its_log(tmp_path: Path) -> None:
    path = written(tmp_path, [sample(1, "good")])
    with pytest.raises(DataError) as error:
        outscore.read(str(path))
    assert str(error.value) == (
        f"{path}: expected scores, got none. The log: scorer match has non-numeric values, and is left out. "
        "Pass a log with scores. [no-scores]"
    )


def test_the_headline_metric_is_the_main_one(tmp_path: Path) -> None:
    samples = [{"id": 1, "epoch": 1, "scores": {"a": {"value": 1}, "b": {"value": {"x": 1, "y": 0}}}}]
    scores = [figures("a", mean=1), figures("x", scorer="b", mean=1), figures("y", scorer="b", accuracy=0)]

    def main(**header: Any) -> list[str]:
        return [metric.name for metric in log_in(written(tmp_path, samples, header)).metrics if metric.is_main]

    assert main(results={"scores": scores}) == ["a"]
    assert main(results={"scores": scores, "headline": {"score": "y"}}) == ["b/y"]
    assert main(results={"scores": scores}, eval={**SPEC, "headline_metric": {"metric": "accuracy"}}) == ["b/y"]
    assert main(results={"scores": scores, "headline": {"score": "gone"}}) == ["a"]
    assert main(status="error", eval={**SPEC, "scorers": [{"name": "a"}]}) == ["a"]
    assert main(status="error") == []


@pytest.mark.parametrize(
    ("reducers", "reducer", "expected"),
    [
        (None, None, "mean"),
        (["mean"], "mean", "mean"),
        ([], None, "mean-of-records"),
        (["max"], None, "mean-of-records"),
        (["pass_at_2"], "pass_at_2", "pass@2"),
        (["pass_k_2"], "pass_k_2", "pass^2"),
        (["mode"], "mode", None),
    ],
)
def test_reducers(tmp_path: Path, reducers: Any, reducer: str | None, expected: str | None) -> None:
    samples = [sample(1, "C", 1), sample(1, "I", 2), sample(2, "C", 1)]
    header = {
        "eval": {**SPEC, "config": {"epochs_reducer": reducers}},
        "results": {"scores": [figures("match", reducer, accuracy=0.5)]},
    }
    aggregates = metric_of(log_in(written(tmp_path, samples, header)), "match").aggregates
    assert [of.statistic for of in aggregates] == ([] if expected is None else [expected])


def test_figures_with_options_of_their_own_are_left_out(tmp_path: Path) -> None:
    entry = figures("match", accuracy=0.5, std=0.1, stderr=0.2)
    entry["metrics"]["stderr"]["params"] = {"cluster": "none"}
    entry["metrics"]["accuracy"]["params"] = {"to_float": "mine"}
    log = log_in(written(tmp_path, [sample(1), sample(2)], {"results": {"scores": [entry]}}))
    assert metric_of(log, "match").aggregates == []


def test_logs_of_2024(tmp_path: Path) -> None:
    samples = [{"id": 1, "epoch": 1, "score": {"value": "C"}}, {"id": 2, "epoch": 1, "score": {"value": "I"}}]
    results = {"scorer": {"name": "match"}, "metrics": {"accuracy": {"name": "accuracy", "value": 0.5}}}
    log = log_in(written(tmp_path, samples, {"results": results}))
    assert [(of.statistic, of.value) for of in metric_of(log, "match").aggregates] == [("mean", 0.5)]


def test_facts_hold_no_secrets_and_no_prompts(tmp_path: Path) -> None:
    spec = {
        **SPEC,
        "task_args": {"shots": 5, "api_key": "sk-abcdefghijklmnop", "template": "Think.\n" * 99, "url": "http://a"},
        "model_args": {"headers": {"Cookie": "c"}, "deep": {"token": "t", "kept": 1}, "odd": "hf_abcdefghijklmnopq"},
        "model_roles": {"grader": {"model": "judge-1", "args": {"api_key": "k"}}},
        "model_generate_config": {"temperature": 0.5, "system_message": "You are"},
        "packages": {"inspect_ai": "0.3.285"},
    }
    facts = dict(log_in(written(tmp_path, [sample(1)], {"eval": spec})).facts)
    template = facts.pop("task argument template")
    assert re.fullmatch(r"text [0-9a-f]{16}", template)
    assert re.fullmatch(r"text [0-9a-f]{16}", facts.pop("model argument odd"))
    assert facts == {
        "task argument shots": "5",
        "model argument deep": '{"kept":1}',
        "model role grader": "judge-1",
        "temperature": "0.5",
        "inspect version": "0.3.285",
    }


def test_labels_are_short_and_repeat(tmp_path: Path) -> None:
    metadata = [
        {"repo": f"r{i % 2}", "number": i, "same": 1, "long": "x" * 300 + str(i % 2), "share": i % 2 / 2, "flag": i < 2}
        for i in range(4)
    ]
    log = log_in(written(tmp_path, [sample(i, metadata=of) for i, of in enumerate(metadata)]))
    assert {name: set(of) for name, of in log.labels.items()} == {
        "metadata.repo": {"r0", "r1"},
        "metadata.flag": {"true", "false"},
    }


def test_a_run_that_is_not_finished_is_read_from_its_journal(tmp_path: Path) -> None:
    start = json.dumps({"version": 2, "eval": SPEC, "plan": {}}).encode()
    parts = [("_journal/start.json", start)]
    for number in (10, 9):
        rows = [sample(f"s{number}"), sample("again", "I" if number == 9 else "C")]
        parts.append((f"_journal/summaries/{number}.json", json.dumps(rows).encode()))
    log = log_in(packed(tmp_path / "a.eval", parts, 93))
    assert dict(zip(log.item_ids, metric_of(log, "match").scores, strict=True)) == {"s9": 1, "again": 1, "s10": 1}
    assert log.notes == [
        "comes from a run that is unfinished or was killed",
        "1 samples were run again; the last attempt counts",
    ]


def test_samples_are_read_where_there_are_no_summaries(tmp_path: Path) -> None:
    header = entries_of([])[1]
    nested = sample("b", "I", metadata=None)
    entries = [
        header,
        ("samples/a_epoch_1.json", json.dumps(sample("a", "I")).encode()),
        ("samples/a_epoch_1.json", json.dumps(sample("a", "C", messages=[{"content": "x"}])).encode()),
        ("samples/b_epoch_1/sample.json", json.dumps(nested).encode()),
        ("samples/b_epoch_1/metadata.json", b'{"topic": "t"}'),
        ("samples/b_epoch_1/messages/0.json", b"not JSON"),
    ]
    log = log_in(packed(tmp_path / "a.eval", entries))
    assert dict(zip(log.item_ids, metric_of(log, "match").scores, strict=True)) == {"a": 1, "b": 0}


def test_names_are_never_paths(tmp_path: Path) -> None:
    entries = [
        entries_of([])[1],
        ("samples/../../../escaped_epoch_1.json", json.dumps(sample("x")).encode()),
        ("samples//etc/passwd_epoch_1.json", json.dumps(sample("y")).encode()),
        ("samples/../up_epoch_1/sample.json", json.dumps(sample("../../z")).encode()),
    ]
    folder = tmp_path / "in"
    folder.mkdir()
    log = log_in(packed(folder / "a.eval", entries))
    assert "../../z" in log.item_ids
    assert Inspect().texts(log, {"../../z"}).keys() <= {"../../z"}
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a.eval"]


def refusal(path: Path) -> str:
    with pytest.raises(OutscoreError) as caught:
        logs_in(path, NAME)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTSCORE_MAX_BYTES", "1M")
    zeros = b" " * 5_000_000 + b"[]"
    header = entries_of([])[1]
    for method in (8, 93):
        for lies in ({}, {"size": 10}, {"size": 900_000}):
            tracemalloc.start()
            path = packed(tmp_path / "a.eval", [("summaries.json", zeros)], method, **lies)
            tracemalloc.reset_peak()
            with Archive(str(path)) as archive, pytest.raises(DataError, match=r"too-large|damaged-zip"):
                archive.read("summaries.json")
            assert tracemalloc.get_traced_memory()[1] < 8_000_000
            tracemalloc.stop()
    many = [header, *((f"samples/{i}_epoch_1.json", b" " * 300_000 + b'{"id":%d}' % i) for i in range(5))]
    assert "too-large" in refusal(packed(tmp_path / "b.eval", many))
    frames = zstd.compress(b"") * 5_000
    path = packed(tmp_path / "c.eval", [("summaries.json", frames), header], 0)
    stored, compressed = (struct.pack("<HHHHH", 20, 0, method, 0, 0) for method in (0, 93))
    path.write_bytes(path.read_bytes().replace(stored, compressed))
    with Archive(str(path)) as archive, pytest.raises(DataError, match="more than 1,024 frames"):
        archive.read("summaries.json")


@pytest.mark.parametrize(
    ("changed", "slug"),
    [
        ({"at": 10**9}, "damaged-zip"),
        ({"crc": 1}, "damaged-zip"),
        ({"packed": 10**6}, "damaged-zip"),
        ({"flags": 1}, "encrypted"),
    ],
)
def test_directories_that_lie(tmp_path: Path, changed: Mapping[str, int], slug: str) -> None:
    assert slug in refusal(packed(tmp_path / "a.eval", entries_of([sample(1)]), 8, **changed))


def test_methods_that_are_not_known(tmp_path: Path) -> None:
    assert "compression-method" in refusal(packed(tmp_path / "a.eval", entries_of([sample(1)]), 12))


def test_files_that_are_cut(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.eval", entries_of([sample(i) for i in range(99)]))
    whole = path.read_bytes()
    for length in (5, len(whole) // 2, len(whole) - 30, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert "without its end" in refusal(path)
    path.write_bytes(b"#!/bin/sh\n" + whole)
    assert log_in_archive(path) == 99
    document = written(tmp_path, [sample(1)])
    document.write_bytes(document.read_bytes()[:-10])
    assert "not-json" in refusal(document)


def log_in_archive(path: Path) -> int:
    (log,) = Inspect().read([LogFile(path)])
    return len(log)


def test_archives_without_a_header(tmp_path: Path) -> None:
    assert "no-header" in refusal(packed(tmp_path / "a.eval", [("x.json", b"{}")]))


@pytest.mark.parametrize(
    "samples",
    [
        [sample([1])],
        [sample(None)],
        [sample(True)],
        [{"id": 1, "scores": [1]}],
        [{"id": 1, "scores": {"a": 1}}],
        [{"id": 1, "scores": {"a": {"value": 1}}, "metadata": [1]}],
        [1],
        {"a": 1},
    ],
)
def test_samples_of_other_forms(tmp_path: Path, samples: Any) -> None:
    assert "wrong-log" in refusal(written(tmp_path, samples))


@pytest.mark.parametrize(
    "header",
    [
        {"results": {"scores": {"a": 1}}},
        {"results": {"scores": [1, {"name": [1], "metrics": [1]}, {"name": "match", "metrics": {"accuracy": 1}}]}},
        {"results": {"scores": [figures("match", accuracy=float("nan"))], "headline": [1]}},
        {"results": {"completed_samples": "x", "scores": None, "scorer": 3}},
        {"eval": {**SPEC, "config": 1, "scorers": {"a": 1}, "model_roles": [1], "packages": 2, "task_args": [1]}},
        {"eval": SPEC | {"task": {"a": 1}, "created": "x"}, "plan": [1], "status": [1], "version": "x"},
        {"eval": {**SPEC, "scorers": [{"name": ["x"]}], "headline_metric": {"metric": []}}},
    ],
)
def test_headers_of_other_forms_are_no_obstacle(tmp_path: Path, header: dict[str, Any]) -> None:
    path = written(tmp_path, [sample(1)], header)
    (log,) = Inspect().read([LogFile(path)])
    assert metric_of(log, "match").scores.tolist() == [1]


def test_many_metrics_are_refused(tmp_path: Path) -> None:
    samples = [sample(i, {f"k{i}": 1}) for i in range(20_000)]
    assert "too-many-metrics" in refusal(written(tmp_path, samples))


def test_many_entries_and_samples_are_read(tmp_path: Path) -> None:
    rows = b"[" + b",".join(b'{"id":%d,"epoch":1,"scores":{"match":{"value":"C"}}}' % i for i in range(50_000)) + b"]"
    header = entries_of([])[1]
    names = [(f"samples/{i}_epoch_1.json", b"{}") for i in range(20_000)]
    path = packed(tmp_path / "a.eval", [*names, ("summaries.json", rows), header], 0)
    assert log_in_archive(path) == 50_000


def test_logs_alone_are_recognized(tmp_path: Path, logs: Callable[[str], Path]) -> None:
    for head in (
        '{"eval": {"HumanEval/0": [{"task_id": "HumanEval/0"}]}, "date": "x", "hash": "y"}',
        '{"results": {"a": 1}, "eval": {"task": "x"}}',
        '[{"eval": {"task": "x", "created": "y"}}]',
        '{"text": "\\"eval\\": {\\"task\\": \\"x\\", \\"created\\": \\"y\\"}", "eval": 1}',
        '{"a.json": {"eval": {"task": "x", "created": "y"}}}',
    ):
        path = tmp_path / "a.json"
        path.write_text(head)
        assert not Inspect().recognizes(LogFile(path))
    (tmp_path / "a.eval").write_text("{}")
    assert format_of_log(LogFile(tmp_path / "a.eval")) is None
    root = logs(SETS[0]).parent
    others = [path for path in root.rglob("*") if path.is_file() and not path.is_relative_to(root / "eee-fixtures")]
    here = Path(__file__).resolve().parents[2]
    others += [
        path for name in ("examples", "tests/fuzz/corpus") for path in (here / name).rglob("*") if path.is_file()
    ]
    folders = (*(root / name for name in SETS), here / "examples/logs/inspect", here / "tests/fuzz/corpus/log-Inspect")
    for path in others:
        file = LogFile(path)
        if file.name.lower().endswith(Inspect.suffixes):
            assert Inspect().recognizes(file) == any(path.is_relative_to(folder) for folder in folders), path


@pytest.mark.parametrize("packs", [False, True])
def test_a_number_and_its_figures_are_two_items(tmp_path: Path, packs: bool) -> None:
    samples = [sample(3), sample("3", "I"), sample(4)]
    path = packed(tmp_path / "a.eval", entries_of(samples), 8) if packs else written(tmp_path, samples)
    with pytest.raises(OutscoreError) as caught:
        log_in(path)
    assert caught.value.problems[0].slug == "two-forms-of-id"


def test_half_a_character_does_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path, [sample(r"\ud800", input="cut \ud83d"), sample("b", "I", input="\U0001f600")])
    log = log_in(path)
    assert list(log.item_ids) == [r"\ud800", "b"]
    assert metric_of(log, "match").scores.tolist() == [1, 0]
