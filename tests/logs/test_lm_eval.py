"""Logs of lm-evaluation-harness."""

from __future__ import annotations

import gzip
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.errors import DataError
from tests.logs.kit import Log, LogFile, checked, format_of_log, inventory_of, log_formats
from tests.logs.kit import logs_found as found
from tests.logs.reading import item_means, logs_in, metric_of, standard_error

NAME = "lm-evaluation-harness"
TIME = "2026-01-02T03-04-05.678901"
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "logs" / "lm-eval"


def row(doc: object, form: str | None = "none", **metrics: object) -> dict[str, Any]:
    """Return a row of samples as 0.4.13 writes it; without filter and metrics, as before 0.4.7."""
    named = {} if form is None else {"filter": form, "metrics": list(metrics)}
    texts = {"doc": {"q": "?"}, "target": "1", "arguments": {"gen_args_0": {"arg_0": f"Question {doc}", "arg_1": {}}}}
    hashes = {"doc_hash": f"d{doc}", "prompt_hash": f"p{doc}", "target_hash": "t"}
    return {"doc_id": doc, **texts, "resps": [["a"]], "filtered_resps": ["a"], **named, **hashes, **metrics}


def write(folder: Path, rows: Sequence[Mapping[str, Any]], task: str = "t", **results: Any) -> Path:
    """Write the samples of a task, and the results if there are any."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{TIME}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    if results:
        (folder / f"results_{TIME}.json").write_text(json.dumps(results, indent=2), "utf-8")
    return path


def only(path: Path) -> Log:
    (log,) = logs_in(path, NAME)
    return log


def test_means_and_standard_errors_are_the_harness_own(logs: Callable[[str], Path]) -> None:
    read = logs_in(logs("lmeval-made-replay"), NAME)
    assert len(read) == 18
    for log in read:
        for metric in log.metrics:
            means = item_means(log, metric)
            own = {of.statistic: of.value for of in metric.aggregates}
            assert sum(means.values()) / len(means) == pytest.approx(own["mean"], abs=1e-12)
            assert standard_error(means) == pytest.approx(own["stderr"], abs=1e-12)


def test_filters_are_metrics_of_their_own(logs: Callable[[str], Path]) -> None:
    (log,) = (
        one for one in logs_in(logs("lmeval-made-replay"), NAME) if one.task == "gsm8k_replay" and "gemma" in one.system
    )
    assert log.system == "replay/gemma-2-2b-it"
    assert [metric.name for metric in log.metrics] == ["exact_match,strict-match", "exact_match,flexible-extract"]
    assert len(log) == 120
    assert metric_of(log, "exact_match,strict-match").scores.mean() == pytest.approx(0.4166666666666667)
    assert log.runs is None


def test_a_log_that_was_cut_says_so(logs: Callable[[str], Path]) -> None:
    notes = {note for log in logs_in(logs("lmeval-pyfade"), NAME) for note in log.notes}
    assert notes == {"has 3 of the 100 evaluated documents"}


def test_two_models_in_one_folder_are_told_apart_by_their_results(logs: Callable[[str], Path]) -> None:
    systems = {log.system for log in logs_in(logs("lmeval-pyfade") / "eval_mmlu_pro_plus", NAME)}
    assert systems == {"/workspace/gemma3_12b_u2", "/workspace/gemma-3-12b-it-base"}


def test_how_tasks_weigh_in_a_group_is_what_its_score_says(tmp_path: Path) -> None:
    def groups(score: float) -> Mapping[str, str]:
        folder = tmp_path / str(score)
        write(folder, [row(0, acc=1.0)], "a")
        results = {
            "a": {"acc,none": 1.0, "sample_len": 30},
            "b": {"acc,none": 0.0, "sample_len": 10},
            "inner": {"alias": "inner"},
            "outer": {"acc,none": score, "acc_stderr,none": 0.1},
        }
        write(folder, [row(0, acc=1.0)], "a", results=results, group_subtasks={"outer": ["inner"], "inner": ["a", "b"]})
        return only(folder).groups

    assert groups(0.75) == {"outer": "size"}
    assert groups(0.5) == {"outer": "macro"}
    assert groups(0.6) == {}


def test_rows_without_filters_are_under_those_of_the_results(tmp_path: Path) -> None:
    rows = [row(doc, None, exact_match=score) for score in (1.0, 0.0) for doc in range(3)]
    results = {
        "t": {"alias": "t", "exact_match,strict": 1.0, "exact_match_stderr,strict": 0.0, "exact_match,flexible": 0.0}
    }
    log = only(write(tmp_path / "a", rows, results=results).parent)
    assert log.item_ids == ["0", "1", "2"]
    assert {metric.name: metric.scores.mean() for metric in log.metrics} == {
        "exact_match,strict": 1.0,
        "exact_match,flexible": 0.0,
    }
    alone = only(write(tmp_path / "b", rows).parent)
    assert [metric.name for metric in alone.metrics] == ["exact_match,1", "exact_match,2"]
    assert "rows have no filters; those of a document are named 1 to 2" in alone.notes


def test_arrays_from_before_0_4_3(tmp_path: Path) -> None:
    rows = [row(doc, None, acc=float(doc % 2)) for doc in range(4)]
    (tmp_path / "pretrained__org__m_my_task.jsonl").write_text(json.dumps(rows, indent=2))
    results: dict[str, Any] = {
        "results": {"task": {}, "my_task": {"acc,none": 0.5, "acc_stderr,none": 0.28867513459481287}}
    }
    results["config"] = {"model": "hf", "model_args": "pretrained=org/m,dtype=float16"}
    (tmp_path / "results.json").write_text(json.dumps(results))
    log = only(tmp_path)
    assert (log.system, log.task) == ("org/m", "my_task")
    assert checked(log, log.metrics[0])[:3] == (0.5, 0.5, True)


def test_results_alone_are_refused(tmp_path: Path) -> None:
    old = {"results": {"arc": {"acc": 0.5, "acc_stderr": 0.1}}, "versions": {"arc": 0}, "config": {}}
    path = tmp_path / "anything.json"
    path.write_text(json.dumps(old))
    with pytest.raises(DataError, match=r"before 0[.]4; means cannot be compared item by item"):
        found(str(path))


def test_results_alone_beside_other_logs_are_a_note_behind_their_own_path(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text(json.dumps({"results": {"arc": {"acc": 0.5, "acc_stderr": 0.1}}, "versions": {"arc": 0}}))
    other = tmp_path / "inspect.json"
    spec = {"task": "made", "model": "m", "created": "2026-01-01T00:00:00+00:00"}
    samples = [{"id": i, "epoch": 1, "scores": {"match": {"value": "C"}}} for i in range(3)]
    other.write_text(json.dumps({"version": 2, "status": "success", "eval": spec, "samples": samples}))
    notes = outscore.read(str(tmp_path), metric="match", task="made").notes
    assert (
        len([note for note in notes if note.startswith(f"{old}: samples are missing next to the results, written")])
        == 1
    )
    notes = inventory_of(found(str(tmp_path))).notes
    assert [note.partition(": ")[0] for note in notes] == [str(old)]


def test_an_aggregation_that_is_no_mean_stands_in_place_of_agrees(tmp_path: Path) -> None:
    configs = {"t": {"metric_list": [{"metric": "m", "aggregation": "median", "higher_is_better": False}]}}
    write(tmp_path, [row(0, m=1.0), row(1, m=5.0), row(2, m=0.0)], results={"t": {"m,none": 1.0}}, configs=configs)
    (entry,) = inventory_of(found(str(tmp_path))).entries
    assert (entry.agrees, entry.aggregation) == (None, "median")
    table = str(inventory_of(found(str(tmp_path))))
    assert " median" in table
    assert "m: the harness reports median, not the mean over documents" in " ".join(table.split())


def test_the_aggregations_of_the_harness_itself_are_named(logs: Callable[[str], Path]) -> None:
    entries = inventory_of(found(str(logs("faults") / "made-lm-eval" / "out" / "all"))).entries
    assert {(one.metric, one.agrees, one.aggregation) for one in entries if one.task == "mycustom"} == {
        ("ok", True, None),
        ("len_chars", None, "median"),
        ("maybe", True, None),
    }


def test_a_group_of_tasks_is_one_in_an_inventory(tmp_path: Path) -> None:
    write(tmp_path, [row(0, acc=1.0)], "a")
    of_groups = {"a": {"acc,none": 1.0}, "both": {"acc,none": 1.0}}
    write(tmp_path, [row(0, acc=1.0)], "b", results=of_groups, group_subtasks={"both": ["a"]})
    inventory = inventory_of(found(str(tmp_path)))
    assert [one.task for one in inventory.of(["both"], ["acc,none"]).entries] == ["a"]
    assert [one.task for one in inventory.of(["both", "b"], []).entries] == ["a", "b"]


def test_results_that_are_named_alone_bring_their_samples(tmp_path: Path) -> None:
    write(tmp_path, [row(0, acc=1.0)], results={"t": {"acc,none": 1.0}}, model_name="org/m")
    log = only(tmp_path / f"results_{TIME}.json")
    assert (log.system, log.task) == ("org/m", "t")


def test_results_called_after_the_output_path(tmp_path: Path) -> None:
    write(tmp_path, [row(0, acc=1.0)])
    (tmp_path / f"mine_{TIME}.json").write_text(json.dumps({"results": {"t": {"acc,none": 1.0}}, "model_name": "m"}))
    assert only(tmp_path).system == "m"


def test_results_of_another_time_say_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "org__m", [row(0, acc=1.0)])
    other = path.parent / "results_2020-01-02T03-04-05.678901.json"
    other.write_text(json.dumps({"results": {"t": {"acc,none": 0.0}}, "model_name": "m"}))
    log, lonely = logs_in(path.parent, NAME)
    assert log.system == "org__m"
    assert log.metrics[0].aggregates == []
    assert (lonely.path, lonely.metrics) == (str(other), ())
    assert any("named after the folder" in note for note in log.notes)


def test_metrics_that_only_later_documents_have(tmp_path: Path) -> None:
    rows = [row(0, acc=1.0), row(1, acc=0.0, other=0.5), row(2, other=None)]
    log = only(write(tmp_path, rows, results={"t": {"other,none": 0.5, "acc,none": 0.5, "sample_len": 3}}).parent)
    np.testing.assert_array_equal(metric_of(log, "other").scores, [np.nan, 0.5, np.nan])
    np.testing.assert_array_equal(metric_of(log, "acc").scores, [1.0, 0.0, np.nan])
    assert checked(log, metric_of(log, "acc"))[2]


def test_lists_of_numbers_are_left_out_and_named(tmp_path: Path) -> None:
    path = write(tmp_path, [row(0, acc=1.0, bleu=["a", "b"]), row(1, acc=0.0, bleu=["a", "b"])])
    log = only(path)
    assert [metric.name for metric in log.metrics] == ["acc"]
    assert any('"bleu"' in note for note in log.notes)
    alone = write(tmp_path / "alone", [row(0, word_perplexity=[-10.0, 3])])
    with pytest.raises(DataError, match=r'only lists \("word_perplexity"\)'):
        found(str(alone))
    write(tmp_path / "two", [row(0, word_perplexity=[-10.0, 3])], "wikitext")
    write(tmp_path / "two", [row(0, acc=1.0)], "arc")
    assert ["wikitext" in log.path for log in logs_in(tmp_path / "two", NAME) if log.notes and not log.metrics] == [
        True
    ]


def test_perplexity_is_of_log_likelihoods_of_which_higher_is_better(tmp_path: Path) -> None:
    results = {"t": {"perplexity,none": math.exp(1.5), "perplexity_stderr,none": 0.3}}
    directions = {"t": {"perplexity": False}}
    log = only(
        write(
            tmp_path, [row(0, perplexity=-1.0), row(1, perplexity=-2.0)], results=results, higher_is_better=directions
        )
    )
    assert log.metrics[0].higher_is_better
    assert checked(log, log.metrics[0])[2]
    assert any("log-likelihoods" in note for note in log.notes)


def test_other_aggregations_explain_why_they_are_no_means(tmp_path: Path) -> None:
    configs = {"t": {"metric_list": [{"metric": "m", "aggregation": "median", "higher_is_better": False}]}}
    log = only(
        write(tmp_path, [row(0, m=1.0), row(1, m=5.0), row(2, m=0.0)], results={"t": {"m,none": 1.0}}, configs=configs)
    )
    assert not log.metrics[0].higher_is_better
    assert checked(log, log.metrics[0])[2:] == (None, "the harness reports median, not the mean over documents")


def test_bypass_is_no_metric(tmp_path: Path) -> None:
    log = only(write(tmp_path, [row(0, bypass=None, acc=1.0)], results={"t": {"bypass,none": 999}}))
    assert [metric.name for metric in log.metrics] == ["acc"]


def test_not_a_number_is_no_score(tmp_path: Path) -> None:
    log = only(write(tmp_path, [row(0, acc=float("nan")), row(1, acc=True)]))
    np.testing.assert_array_equal(log.metrics[0].scores, [np.nan, 1.0])


def test_repeated_documents_are_left_in(tmp_path: Path) -> None:
    log = only(write(tmp_path, [row(0, acc=1.0), row(0, acc=0.0), row(1, acc=1.0)]))
    assert log.item_ids == ["0", "0", "1"]


def test_compressed_samples(tmp_path: Path) -> None:
    path = write(tmp_path, [row(0, acc=1.0)], results={"t": {"acc,none": 1.0}}, model_name="m")
    (tmp_path / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    assert only(tmp_path).system == "m"


@pytest.mark.parametrize(
    "text",
    [
        '{"doc_id": 0, "acc": 1',
        '{"doc_id": 0, "filter": 3, "metrics": ["acc"], "acc": 1}',
        '{"doc_id": 0, "filter": "none", "metrics": "acc", "acc": 1}',
        '{"doc_id": 0, "filter": "none", "metrics": [["acc"]], "acc": 1}',
        '{"doc_id": [], "filter": "none", "metrics": ["acc"], "acc": 1}',
        '{"doc_id": 0, "filter": "none", "metrics": ["doc_hash"], "doc_hash": {}}',
        '{"doc_id": 0, "filter": "none", "metrics": ["acc"]}' + "[" * 100_000,
        json.dumps({"doc_id": 0, "filter": "none", "metrics": [f"m{i}" for i in range(500)]}),
        json.dumps({"doc_id": 0} | {f"m{i}": 1 for i in range(500)}),
        '{"doc_id": NaN, "acc": ' + "[" * 100_000,
        '[{"doc_id": 0, "doc": {}, "acc": 1}, 3]',
        '[{"doc_id": 0, "doc": {}, "acc": 1}',
        '"doc_id"',
    ],
)
def test_hostile_rows_are_one_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / f"samples_t_{TIME}.jsonl"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        only(path)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize("text", ["[]", "3", "null"])
def test_results_that_are_no_object_are_refused(tmp_path: Path, text: str) -> None:
    samples = write(tmp_path, [row(0, acc=1.0)])
    (tmp_path / f"results_{TIME}.json").write_text(text)
    with pytest.raises(DataError, match="expected an object with results"):
        only(samples)


@pytest.mark.parametrize(
    "text",
    [
        '{"results": 3}',
        '{"results": {"t": 3}, "n-samples": [], "configs": 0, "group_subtasks": 1}',
        '{"results": {"t": {"acc,none": "1"}}, "n-samples": {"t": {"effective": -1}}, "model_name": ["m"]}',
        '{"results": {"t": {"acc,none": NaN}}, "group_subtasks": {"g": [{}, "t"]}, "configs": {"t": []}}',
    ],
)
def test_results_of_wrong_types_say_nothing(tmp_path: Path, text: str) -> None:
    samples = write(tmp_path, [row(0, acc=1.0)])
    (tmp_path / f"results_{TIME}.json").write_text(text)
    log = only(samples)
    assert log.system == tmp_path.name
    assert log.metrics[0].aggregates == []


def test_groups_in_circles_end(tmp_path: Path) -> None:
    circle = {"g": ["h", "t"], "h": ["g"]}
    write(tmp_path, [row(0, acc=1.0)], results={"t": {"acc,none": 1.0}, "g": {"acc,none": 1.0}}, group_subtasks=circle)
    assert only(tmp_path).groups == {"g": "macro"}


def test_texts_are_those_of_the_items_asked_for(tmp_path: Path) -> None:
    choices = row(1, acc=1.0) | {
        "arguments": {
            "gen_args_0": {"arg_0": "Which?", "arg_1": " no"},
            "gen_args_1": {"arg_0": "Which?", "arg_1": " yes"},
        },
        "filtered_resps": [["-3.0", "False"], ["-1.0", "True"]],
    }
    log = only(write(tmp_path, [row(0, acc=1.0), choices, row(2, acc=1.0)]))
    texts = log_formats()[NAME].texts(log, {"1", "2"})
    assert set(texts) == {"1", "2"}
    assert (texts["2"].input, texts["2"].target, texts["2"].answer) == ("Question 2", "1", "a")
    assert (texts["1"].input, texts["1"].answer) == ("Which?", "yes")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scores.jsonl", '{"doc_id": 1, "score": 0.5}\n'),
        ("results_2024.json", '{"results": {"a": {"score": 1}}}'),
        ("a.json", '{"results": {"t": {"alias": "t"}}}'),
        ("a.json", '[{"doc_id": 1, "score": 0.5}]'),
        (f"results_{TIME}.json", '{"config_general": {}, "results": {"t": {"acc": 1}}}'),
    ],
)
def test_what_is_no_log_of_it(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert not log_formats()[NAME].recognizes(LogFile(path))


def test_the_example_is_what_lm_eval_writes_and_agrees_with_it(tmp_path: Path) -> None:
    pytest.importorskip("lm_eval", reason="lm_eval is not installed")
    environment = os.environ | {"HF_HOME": str(tmp_path / "cache"), "PYTHONWARNINGS": "default"}
    command = [sys.executable, str(EXAMPLE / "make.py"), str(tmp_path / "logs")]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    kept = {(log.system, log.task): log for log in logs_in(EXAMPLE, NAME)}
    made = {(log.system, log.task): log for log in logs_in(tmp_path / "logs", NAME)}
    assert set(kept) == set(made)
    assert len(made) == 6
    for key, log in made.items():
        assert list(log.item_ids) == list(kept[key].item_ids)
        assert log.groups == ({} if log.task == "sums" else {"compare": "size"})
        for metric in log.metrics:
            assert checked(log, metric)[2:] == (True, None)
            np.testing.assert_array_equal(metric.scores, metric_of(kept[key], metric.name).scores)


@pytest.mark.slow  # the command looks for all of its tasks first
def test_the_command_of_lm_eval_with_log_samples(tmp_path: Path) -> None:
    pytest.importorskip("lm_eval", reason="lm_eval is not installed")
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    environment = os.environ | offline | {"PYTHONWARNINGS": "default"}
    options = ["--model", "dummy", "--tasks", "sums,compare", "--include_path", "tasks", "--log_samples"]
    command = [sys.executable, "-m", "lm_eval", "run", *options, "--output_path", str(tmp_path / "logs")]
    subprocess.run(command, check=True, capture_output=True, env=environment, cwd=EXAMPLE)
    made = logs_in(tmp_path / "logs", NAME)
    assert {log.task for log in made} == {"sums", "compare_larger", "compare_smaller"}
    for log in made:
        for metric in log.metrics:
            assert checked(log, metric)[2:] == (True, None)


def test_only_this_format_recognizes_its_files() -> None:
    for path in sorted(EXAMPLE.glob("made-up__*/*")):
        assert format_of_log(LogFile(path)) is log_formats()[NAME]


@pytest.mark.parametrize(
    ("named", "filters", "main"),
    [
        ({"acc": 1.0, "acc_norm": 0.0, "other": 1.0}, ["none"], "acc_norm"),
        ({"perplexity": 1.0, "acc": 0.0}, ["none"], "acc"),
        ({"exact_match": 1.0}, ["flexible-extract", "strict-match"], "exact_match,strict-match"),
        ({"exact_match": 1.0}, ["remove_whitespace", "last"], "exact_match,remove_whitespace"),
        ({"own": 1.0, "not_configured": 0.0}, ["none"], "own"),
        ({"em": 1.0, "f1": 0.0}, ["none"], None),
    ],
)
def test_the_main_metric_is_that_of_the_task_and_of_convention(
    tmp_path: Path, named: Mapping[str, float], filters: Sequence[str], main: str | None
) -> None:
    rows = [row(doc, form, **named) for doc in range(3) for form in filters]
    configs = {"t": {"metric_list": [{"metric": name} for name in named if name != "not_configured"]}}
    log = only(write(tmp_path, rows, results={"t": {}}, configs=configs).parent)
    assert [metric.name for metric in log.metrics if metric.is_main] == ([] if main is None else [main])
    assert all(metric.is_by_convention for metric in log.metrics if metric.is_main)


def test_sentences_call_a_metric_by_its_name_and_a_filter_that_says_something(tmp_path: Path) -> None:
    strict, plain = only(write(tmp_path, [row(0, "strict-match", m=1.0), row(0, acc=1.0)])).metrics
    assert (strict.name, strict.shown) == ("m,strict-match", "m (strict-match)")
    assert (plain.name, plain.shown, plain.aliases) == ("acc", "acc", ("acc,none",))
