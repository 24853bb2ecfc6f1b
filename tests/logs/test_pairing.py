"""Systems in logs: which they are, how they pair, what is refused and what is said."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import outscore
from outscore import Rankings
from outscore.errors import DataError, OutscoreError
from outscore.readers.sources import _COLUMNS_OF_LOGS, CSV_LOG, LOG_SUFFIXES
from outscore.wings.logs.harnesses import promptfoo_table, ragas
from outscore.wings.logs.results import Inventory
from tests.frozen.cases import run
from tests.kit import RunDesign
from tests.logs.kit import inventory_of, log_formats
from tests.logs.kit import logs_found as logs_in
from tests.logs.made import lm_eval_log

OLD = [1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1]
NEW = [1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1]


def slug_of(*systems: object, **reading: object) -> str:
    with pytest.raises(OutscoreError) as caught:
        outscore.read(*systems, **reading)  # type: ignore[arg-type]
    return caught.value.problems[0].slug


def test_a_folder_of_logs_is_its_systems(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "org/old", OLD)
    lm_eval_log(tmp_path / "b", "org/new", NEW)
    (tmp_path / "README.md").write_text("nothing", encoding="utf-8")
    scores = outscore.read(str(tmp_path))
    assert scores.names == ("org/old", "org/new")
    assert scores.metrics[0].name == "acc"
    np.testing.assert_array_equal(scores.values()[:, :, 0], [OLD, NEW])
    result = outscore.compare(str(tmp_path / "a"), str(tmp_path / "b"))
    assert (result.comparisons[0].baseline, result.comparisons[0].candidate) == ("org/old", "org/new")
    assert result.comparisons[0].gain == pytest.approx((sum(NEW) - sum(OLD)) / 12)
    assert result.pairing is not None
    assert result.pairing.tasks[0].n_common == 12


def test_a_folder_of_several_systems_needs_a_baseline(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "org/old", OLD)
    lm_eval_log(tmp_path / "b", "org/new", NEW)
    status, _, err = run(f"compare {tmp_path}")
    assert (status, "[no-candidate]" in err) == (2, True)
    status, out, _ = run(f"compare {tmp_path} --baseline org/new -q")
    assert status == 0
    assert out.startswith("org/old scores 0.50 against 0.75 for org/new")


def test_items_pair_by_id_whatever_their_order_and_type(tmp_path: Path) -> None:
    order = [5, 3, 11, 0, 1, 2, 4, 6, 7, 8, 9, 10]
    lm_eval_log(tmp_path / "a", "old", OLD, ids=list(range(12)))
    lm_eval_log(tmp_path / "b", "new", [NEW[place] for place in order], ids=[str(place) for place in order])
    scores = outscore.read(str(tmp_path))
    np.testing.assert_array_equal(scores.values()[:, :, 0], [OLD, NEW])


def test_one_model_in_two_files_is_two_systems_by_their_names(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "base", "org/m", OLD)
    lm_eval_log(tmp_path / "tuned", "org/m", NEW)
    assert outscore.read(str(tmp_path / "base"), str(tmp_path / "tuned")).names == ("base", "tuned")
    assert slug_of(str(tmp_path)) == "several-logs"
    assert outscore.read(f"x={tmp_path / 'base'}", f"y={tmp_path / 'tuned'}").names == ("x", "y")


def test_one_model_on_two_tasks_is_one_system(tmp_path: Path) -> None:
    for name, right in (("old", OLD), ("new", NEW)):
        for task in ("sums", "products"):
            lm_eval_log(tmp_path / f"{name}-{task}", name, right, task=task)
    paths = [str(tmp_path / f"{name}-{task}") for name in ("old", "new") for task in ("sums", "products")]
    scores = outscore.read(*paths)
    assert scores.names == ("old", "new")
    assert scores.design.test_set_names == ("sums", "products")
    one = outscore.read(*paths, task="products")
    assert one.design.test_sets is None
    assert one.design.ids == tuple(map(str, range(12)))
    assert slug_of(*paths, task="quotients") == "unknown-task"


def test_a_group_of_tasks_is_pooled_with_its_tasks_as_strata(tmp_path: Path) -> None:
    for name, right in (("old", OLD), ("new", NEW)):
        share = {"acc,none": sum(right) / 12}
        results: dict[str, object] = {"results": dict.fromkeys(["sums", "products", "arithmetic"], share)}
        results |= {"group_subtasks": {"arithmetic": ["sums", "products"]}}
        for task in ("sums", "products"):
            lm_eval_log(tmp_path / name / task, name, right, task=task, results=results)
    scores = outscore.read(str(tmp_path), task="arithmetic")
    assert scores.design.test_sets is None
    assert scores.design.stratum_names == ("products", "sums")
    assert len(scores.rows[0][0]) == 24


def test_tasks_that_not_all_have_are_refused_or_left_out(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    lm_eval_log(tmp_path / "b", "new", NEW)
    lm_eval_log(tmp_path / "c", "new", NEW, task="products")
    assert slug_of(str(tmp_path)) == "missing-task"
    scores = outscore.read(str(tmp_path), drop_missing=True)
    assert scores.design.test_sets is None
    assert any("products" in note for note in scores.notes)


def test_which_metric_is_open_is_said_and_parts_of_names_will_do(tmp_path: Path) -> None:
    for name, right in (("old", OLD), ("new", NEW)):
        lm_eval_log(tmp_path / name, name, {"em": right, "f1": right[::-1]})
    with pytest.raises(OutscoreError, match="-m em, -m f1"):
        outscore.read(str(tmp_path))
    assert outscore.read(str(tmp_path), metric="em").metrics[0].name == "em"
    both = outscore.read(str(tmp_path), metric=["f1,none", "em"])
    assert [metric.name for metric in both.metrics] == ["f1,none", "em"]
    assert [metric.title for metric in both.metrics] == ["f1", "em"]
    assert slug_of(str(tmp_path), metric="bleu") == "unknown-metric"


def test_another_document_under_the_same_id_is_refused(tmp_path: Path) -> None:
    same = [f"d{place}" for place in range(12)]
    lm_eval_log(tmp_path / "a", "old", OLD, doc_hash=same, prompt_hash=same)
    lm_eval_log(tmp_path / "b", "new", NEW, doc_hash=[*same[:-1], "other"], prompt_hash=same)
    assert slug_of(str(tmp_path)) == "different-documents"


def test_other_prompts_and_settings_are_told(tmp_path: Path) -> None:
    same = [f"d{place}" for place in range(12)]
    lm_eval_log(tmp_path / "a", "old", OLD, prompt_hash=same, results={"n-shot": {"sums": 0}})
    lm_eval_log(tmp_path / "b", "new", NEW, prompt_hash=[*same[:-1], "x"], results={"n-shot": {"sums": 5}})
    result = outscore.compare(str(tmp_path / "a"), str(tmp_path / "b"))
    assert result.pairing is not None
    told = {of.what: (of.values, of.items) for of in result.pairing.tasks[0].differences}
    assert told == {"few-shot examples": (("0", "5"), ()), "prompt": ((), ("11",))}
    assert "Besides the system, the logs differ in few-shot examples (0, 5)." in result.comparisons[0].warnings


def test_missing_items_are_left_out_counted_and_refused_where_they_tell(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    lm_eval_log(tmp_path / "b", "new", [*NEW[:-2], None, None])
    result = outscore.compare(str(tmp_path / "a"), str(tmp_path / "b"))
    assert result.n_items == 10
    assert result.pairing is not None
    assert result.pairing.tasks[0].systems[1].missing == ("10", "11")
    zero = outscore.compare(str(tmp_path / "a"), str(tmp_path / "b"), zero_missing=True)
    assert zero.n_items == 12
    assert zero.comparisons[0].candidate_score == pytest.approx(sum(NEW[:-2]) / 12)
    lm_eval_log(tmp_path / "b", "new", [*NEW[:4], *[None] * 8])
    assert slug_of(str(tmp_path)) == "unequally-missing"
    assert len(outscore.read(str(tmp_path), drop_missing=True).rows[0][0]) == 4


def test_duplicates_are_one_where_they_agree_and_refused_where_they_differ(tmp_path: Path) -> None:
    ids = [*range(12), 3]
    lm_eval_log(tmp_path / "a", "old", [*OLD, OLD[3]], ids=ids)
    lm_eval_log(tmp_path / "b", "new", NEW)
    scores = outscore.read(str(tmp_path))
    assert len(scores.rows[0][0]) == 12
    assert any("Duplicate records" in note for note in scores.notes)
    lm_eval_log(tmp_path / "a", "old", [*OLD, 1 - OLD[3]], ids=ids)
    assert slug_of(str(tmp_path)) == "duplicate-id"
    for keep, value in (("first", OLD[3]), ("last", 1 - OLD[3])):
        assert outscore.read(str(tmp_path), duplicates=keep).values()[0, 3, 0] == value
    both = outscore.read(str(tmp_path), runs="samples").values()[0, :, 0]
    np.testing.assert_array_equal(both, [*OLD[:3], 0.5, *OLD[4:]])


def test_several_logs_are_runs_if_that_is_said(tmp_path: Path) -> None:
    for run_number in range(3):
        stamp = f"2026-01-0{run_number + 1}T00-00-00"
        lm_eval_log(tmp_path / "a", "old", np.roll(OLD, run_number).tolist(), stamp=stamp)
        lm_eval_log(tmp_path / "b", "new", np.roll(NEW, run_number).tolist(), stamp=stamp)
    assert slug_of(str(tmp_path)) == "several-logs"
    scores = outscore.read(str(tmp_path), runs="random")
    assert scores.design.runs is RunDesign.RANDOM
    runs = scores.rows[0][0].cells
    assert runs is not None
    assert runs.values.shape[0] == 3
    files = sorted((tmp_path / "a").glob("samples*"))
    named = outscore.read(f"x={','.join(map(str, files))}", str(tmp_path / "b"), runs="fixed")
    assert named.names == ("x", "new")


def test_copies_are_suspected(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD * 3)
    lm_eval_log(tmp_path / "b", "new", OLD * 3)
    assert any("is not a copy" in note for note in outscore.read(str(tmp_path)).notes)
    for copy in "cdefg":
        lm_eval_log(tmp_path / copy, copy, OLD * 3)
    (note,) = [note for note in outscore.read(str(tmp_path)).notes if "exactly the same" in note]
    assert note == (
        "new, c, d, e and 2 more have exactly the same scores as old on all items. Check that the files are not copies."
    )


def test_the_system_that_empties_the_common_items_is_named(tmp_path: Path) -> None:
    for name in ("old", "new", "odd"):
        lm_eval_log(tmp_path / name, name, OLD, ids=range(100, 100 + len(OLD)) if name == "odd" else None)
    with pytest.raises(DataError) as caught:
        outscore.read(str(tmp_path))
    assert (
        'no item of "sums" has a score for all systems (new: "0", odd: "100"). '
        'Without "odd", the others share 12 items.' in str(caught.value)
    )


@pytest.mark.parametrize(
    ("reading", "option"),
    [
        ({"references": ["a"] * 12}, "not-for-logs"),
        ({"id_column": "id"}, "not-for-logs"),
        ({"lower_is_better": True}, "not-for-logs"),
    ],
)
def test_what_is_told_of_tables_is_refused(tmp_path: Path, reading: dict[str, object], option: str) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    lm_eval_log(tmp_path / "b", "new", NEW)
    assert slug_of(str(tmp_path / "a"), str(tmp_path / "b"), **reading) == option


def test_what_is_told_of_logs_is_refused_of_tables(tmp_path: Path) -> None:
    assert slug_of({"a": [1, 0], "b": [0, 1]}, task="x") == "no-logs"


def test_logs_beside_tables_are_refused(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    (tmp_path / "b.txt").write_text("1\n0\n", encoding="utf-8")
    assert slug_of(str(tmp_path / "a"), str(tmp_path / "b.txt")) == "mixed-logs"


def test_the_inventory_tells_whether_the_harness_agrees(tmp_path: Path) -> None:
    mean = sum(OLD) / 12
    lm_eval_log(tmp_path / "a", "old", OLD, results={"results": {"sums": {"acc,none": mean}}})
    lm_eval_log(tmp_path / "b", "new", NEW, results={"results": {"sums": {"acc,none": 0.9}}})
    first, second = inventory_of(logs_in(str(tmp_path))).entries
    assert (first.score, first.harness_score, first.agrees, first.explanation) == (mean, mean, True, None)
    assert (second.agrees, second.explanation) == (False, "the harness has mean 0.9, these scores have 0.75")
    status, out, _ = run(f"logs {tmp_path} --format json")
    assert status == 0
    written = json.loads(out)
    assert written["schema"] == "outscore/inventory/1"
    keys = (
        "system",
        "task",
        "metric",
        "n_items",
        "n_runs",
        "n_unscored",
        "n_errors",
        "score",
        "harness_score",
    )
    assert [written["entries"][1][key] for key in keys] == ["new", "sums", "acc", 12, 1, 0, 0, 0.75, 0.9]
    assert written["entries"][1]["agrees"] is False


def test_pages_show_what_was_asked_and_answered(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    lm_eval_log(tmp_path / "b", "new", NEW)
    page = tmp_path / "page.html"
    status, _, err = run(f"compare {tmp_path / 'a'} {tmp_path / 'b'} -q --report {page}")
    assert (status, err) == (0, "")
    text = page.read_text(encoding="utf-8")
    assert all(words in text for words in ("question 7", "old says 7", "new says 7"))


def test_every_suffix_of_logs_is_looked_at() -> None:
    assert all(
        suffix.endswith((*LOG_SUFFIXES, CSV_LOG)) for known in log_formats().values() for suffix in known.suffixes
    )


def test_every_mark_of_logs_in_csv_is_looked_at() -> None:
    """A further format of CSV needs its columns in `_COLUMNS_OF_LOGS`, and a line here."""
    marks = {"promptfoo": promptfoo_table._MARKS[-1:], "ragas": ragas._QUESTIONS}
    assert {name for name, known in log_formats().items() if CSV_LOG in known.suffixes} == {*marks}
    wanted = {column for columns in marks.values() for column in columns}
    assert {*_COLUMNS_OF_LOGS.pattern.decode().split("|")} == wanted


def test_paired_differences_are_those_of_the_sets_own_oracle(logs: Callable[[str], Path]) -> None:
    result = outscore.compare(
        str(logs("swebench-pro-evalresults")),
        baseline="claude-4sonnet-10132025",
        drop_missing=True,
        metric="resolved",
    )
    assert result.n_items == 496
    folder = logs("swebench-pro-evalresults") / "traj"
    pair = outscore.compare(
        str(folder / "claude-4sonnet-10132025"), str(folder / "claude-45sonnet-10132025"), drop_missing=True
    )
    assert pair.n_items == 562
    assert pair.comparisons[0].gain == pytest.approx(0.021352313167259787, abs=1e-12)
    assert (pair.comparisons[0].helped, pair.comparisons[0].hurt) == (59, 47)


def one_line(command: str) -> str:
    status, out, err = run(command)
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err


def test_errors_say_what_to_name(tmp_path: Path) -> None:
    for name, right in (("old", OLD), ("new", NEW)):
        lm_eval_log(tmp_path / name, name, right)
    assert 'Choose the baseline with --baseline; the logs contain "new", "old"' in one_line(f"compare {tmp_path}")
    assert 'these contain only "old"' in one_line(f"compare {tmp_path / 'old'}")
    assert "[cannot-read]" in one_line(f"compare {tmp_path / 'old'} {tmp_path / 'none.eval'}")
    assert "[cannot-read]" in one_line(f"logs {tmp_path / 'none.eval'}")
    assert '--stratum: "metadata.topic" is neither a file nor a label' in one_line(
        f"rank {tmp_path} --stratum metadata.topic"
    )
    assert "no task has all of" in one_line(f"rank {tmp_path} -m acc -m bleu")
    assert "--total: expected at least 12" in one_line(f"rank {tmp_path} --total 11")


def test_who_lacks_more_is_named_first_wherever_it_stands(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", [*NEW[:4], *[None] * 8])
    lm_eval_log(tmp_path / "b", "new", NEW)
    for order in ("a b", "b a"):
        named = " ".join(str(tmp_path / name) for name in order.split())
        assert one_line(f"compare {named}").startswith("old: lacks 8 of 12 items, new 0 of 12")


def test_what_is_missing_is_one_warning_of_all_tasks(tmp_path: Path) -> None:
    for task in ("sums", "products"):
        lm_eval_log(tmp_path / task / "a", "old", OLD, task=task, results={"n-shot": {task: 0}})
        lm_eval_log(tmp_path / task / "b", "new", [*NEW[:-1], None], task=task, results={"n-shot": {task: 5}})
    notes = outscore.read(str(tmp_path)).notes
    assert "22 items have a score for all systems; others are left out. Missing: 2 of new." in notes
    assert "Answers without a score: 2 of new." in notes
    differ = "products (and 1 more task): Besides the system, the logs differ in few-shot examples (0, 5)."
    assert [note for note in notes if "differ" in note] == [differ]


def test_tasks_with_metrics_of_their_own_take_each_the_one_that_they_have(tmp_path: Path) -> None:
    for name, right in (("old", OLD), ("new", NEW)):
        lm_eval_log(tmp_path / name, name, {"acc": right, "acc_norm": right}, task="sums")
        lm_eval_log(tmp_path / name / "m", name, {"exact_match": right, "f1": right}, task="words")
    scores = outscore.read(str(tmp_path), metric=["acc", "exact_match"])
    assert [metric.name for metric in scores.metrics] == ["acc and exact_match"]
    assert scores.design.test_sets is not None
    assert slug_of(str(tmp_path), metric=["acc", "acc_norm", "exact_match"]) == "unknown-metric"


def test_an_inventory_has_a_page_and_no_chart(tmp_path: Path) -> None:
    for task in ("sums", "products", "words"):
        lm_eval_log(tmp_path / task, "old", {"acc": OLD, "acc_norm": NEW}, task=task)
    page = tmp_path / "page.html"
    status, out, err = run(f"logs {tmp_path} --report {page}")
    assert (status, err) == (0, "")
    assert "- Metrics: -m acc, -m acc_norm; acc_norm by default.\n" in out
    text = page.read_text(encoding="utf-8")
    assert "products" in text
    assert f"Written by outscore {outscore.__version__}." in text
    assert "[no-chart]" in one_line(f"logs {tmp_path} --chart {tmp_path / 'a.svg'}")


def test_scores_that_are_infinite_are_refused(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", [1.0, float("inf"), 2.0])
    lm_eval_log(tmp_path / "b", "new", [1.0, 3.0, 2.0])
    assert "[not-finite]" in one_line(f"compare {tmp_path / 'a'} {tmp_path / 'b'}")


def test_an_inventory_without_scores_says_so() -> None:
    text = str(Inventory((), outscore.__version__, ("made.eval: has no scores.",)))
    assert "No system has scores in these logs.\n" in text
    assert "in logs of" not in text


def test_a_long_inventory_names_what_chooses_rows(tmp_path: Path) -> None:
    for place in range(51):
        lm_eval_log(tmp_path / str(place), "m", [1, 0], task=f"t{place}")
    options = "--task and --metric choose rows with scores, and --format csv has all of them."
    assert options in " ".join(run(f"logs {tmp_path}")[1].split())
    inventory = inventory_of(logs_in(str(tmp_path)))
    arguments = 'task and metric choose rows with scores, and format="csv" has all of them.'
    assert arguments in " ".join(inventory.to_text().split())


def test_an_inventory_of_nothing_scored_is_an_error(tmp_path: Path) -> None:
    lm_eval_log(tmp_path, "old", [None] * 12)
    status, out, err = run(f"logs {tmp_path}")
    assert (status, out) == (2, "")
    assert "no system has scores in these logs" in err


@pytest.mark.parametrize("metric", ["", " -m pass1"])
def test_a_system_of_a_log_is_named_after_a_colon(metric: str, tmp_path: Path) -> None:
    rows = [
        {
            "benchmark_id": "sums",
            "model": model,
            "example_id": f"sums/{k}",
            "pass1": float(k % 3 < n),
            "correct": int(k % 3 < n),
        }
        for n, model in enumerate(("org/a:free", "org/b", "org/c"))
        for k in range(24)
    ]
    path = tmp_path / "arena.jsonl"
    path.write_text("".join(json.dumps(row | {"count": 1}) + "\n" for row in rows), encoding="utf-8")
    status, out, _ = run(f"compare {path}:org/a:free new={path}:org/c{metric} -q")
    assert (status, out.startswith("new scores 0.67 against 0.00 for org/a:free (pass1")) == (0, True)
    lm_eval_log(tmp_path / "lm" / "a", "old", OLD)
    lm_eval_log(tmp_path / "lm" / "b", "new", NEW)
    result = outscore.compare(f"{tmp_path}/lm:old", f"{tmp_path}/lm:new", metric="acc")
    assert result.gain == pytest.approx((sum(NEW) - sum(OLD)) / 12)
    assert slug_of(f"{tmp_path}/lm:old", f"{tmp_path}/lm:knew") == "unknown-system"


def test_names_without_room_beside_their_rows_stand_above_them(tmp_path: Path) -> None:
    systems = (
        "somebody/Model-3.1-405B-Instruct",
        "somebody/Model-3.1-8B-Instruct-of-which-the-name-fills-more-than-all-of-a-line-of-80-columns",
    )
    for place, system in enumerate(systems):
        for task in ("high_school_computer_science", "sums"):
            lm_eval_log(tmp_path / str(place), system, {"acc": OLD, "acc_norm": OLD}, task=task)
    status, out, _ = run(f"logs {tmp_path}")
    lines = out.split("\n\n")[1].splitlines()
    assert status == 0
    assert max(map(len, lines)) <= 80
    assert lines[0] == "task; metric"
    assert set(lines[2]) == {"─"}
    assert lines[3] == "high_school_computer_science; acc"
    assert lines[4].split() == [systems[0], "12", "0.5000"]
    headings = [line.split(";")[0] for line in lines[3:] if not line.startswith("  ")]
    assert headings == ["high_school_computer_science"] * 2 + ["sums"] * 2


def test_a_warning_that_names_its_system_names_it_once(logs: Callable[[str], Path]) -> None:
    status, out, _ = run(f"compare {logs('inspect-made-gsm8k-epochs')} --baseline mockllm/gpt-4o-mini -m exact")
    assert status == 0
    assert re.search(r"warning +mockllm/Meta-Llama-3-8B-Instruct: 2 of 180 samples are missing", out)


def test_logs_that_cannot_be_read_are_left_out_if_that_is_wanted(tmp_path: Path) -> None:
    for name, right in (("old", OLD), ("new", NEW)):
        lm_eval_log(tmp_path / name, name, right)
    cut = lm_eval_log(tmp_path / "cut", "cut", NEW)
    cut.write_text(cut.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n"
    (tmp_path / "a.eval").write_text(pointer, encoding="utf-8")
    assert "[lfs-pointer]" in one_line(f"rank {tmp_path}")
    scores = outscore.read(str(tmp_path), skip_unreadable=True)
    assert scores.names == ("new", "old")
    left_out = [note for note in scores.notes if "left out" in note]
    assert [note.split(":")[0].split("/")[-1] for note in left_out] == ["a.eval is left out", cut.name]
    status, out, _ = run(f"logs {tmp_path} --format json")
    assert status == 0
    assert json.loads(out)["notes"] == left_out
    assert "[lfs-pointer]" in one_line(f"logs {tmp_path / 'a.eval'}")


def test_scores_of_single_systems_are_on_their_own_items_and_tasks(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    lm_eval_log(tmp_path / "b", "new", [*NEW[:4], *[None] * 8])
    lm_eval_log(tmp_path / "c", "new", NEW, task="products")
    scores = outscore.score(str(tmp_path)).scores
    assert [(one.system, one.test_set, one.n_items) for one in scores] == [
        ("old", "sums", 12),
        ("new", "average", 16),
        ("new", "sums", 4),
        ("new", "products", 12),
    ]


def test_second_splits_are_read_by_name_alone(tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "examples" / "logs" / "helm"
    scores = outscore.read(str(folder))
    assert scores.design.test_sets is None
    split = next(entry.task for entry in inventory_of(logs_in(str(folder))).entries if entry.task.endswith("(valid)"))
    assert len(outscore.read(str(folder), task=split).rows[0][0]) < len(scores.rows[0][0])


def test_systems_of_a_folder_without_the_named_task_are_left_out(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    lm_eval_log(tmp_path / "b", "new", NEW)
    lm_eval_log(tmp_path / "c", "other", NEW, task="products")
    scores = outscore.read(str(tmp_path), task="sums")
    assert scores.names == ("old", "new")
    assert 'Left out, as they have no log of the task: "other".' in scores.notes


def test_one_system_alone_has_no_candidate(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    with pytest.raises(OutscoreError) as caught:
        outscore.compare(str(tmp_path), baseline="old")
    assert caught.value.problems[0].slug == "one-system"


@pytest.mark.parametrize("name", ["no.json", "no", "", "no/where.eval"])
def test_a_name_of_nothing_is_said_to_be_one(tmp_path: Path, name: str) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    missing = str(tmp_path / name) if name else ""
    for command in (f"logs '{missing}'", f"compare {tmp_path / 'a'} '{missing}'"):
        status, _, err = run(command)
        assert (status, "[cannot-read]" in err) == (2, True)


@pytest.mark.skipif(os.name == "nt", reason="needs permissions and pipes")
def test_what_may_not_be_read_is_not_left_out_silently(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    file = lm_eval_log(tmp_path / "c", "new", NEW)
    (tmp_path / "b").mkdir()
    if os.geteuid() == 0:
        pytest.skip("everything may be read")
    for place in (file, tmp_path / "b"):
        place.chmod(0)
        try:
            assert slug_of(str(tmp_path)) == "cannot-read"
            assert "old" in outscore.read(str(tmp_path), skip_unreadable=True).names
        finally:
            place.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_pipes_and_links_in_a_circle_in_a_folder_are_no_logs(tmp_path: Path) -> None:
    lm_eval_log(tmp_path / "a", "old", OLD)
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "a" / "self").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "circle.json").symlink_to(tmp_path / "circle.json")
    assert outscore.read(str(tmp_path)).names == ("old",)


def test_judgements_against_different_references_are_refused(tmp_path: Path) -> None:
    for name, reference in (("old", "gpt-4"), ("new", "davinci")):
        rows = [
            {"instruction": f"say {i}", "generator_1": reference, "generator_2": name, "preference": 1 + i % 2}
            for i in range(12)
        ]
        path = tmp_path / name / "judge"
        path.mkdir(parents=True)
        (path / "annotations.json").write_text(json.dumps(rows), encoding="utf-8")
    assert slug_of(str(tmp_path)) == "different-references"


def test_a_metric_needs_to_be_in_the_logs_of_two_systems(tmp_path: Path) -> None:
    for name, metrics in (("a", ("acc", "f")), ("b", ("acc", "f")), ("c", ("acc",))):
        lm_eval_log(tmp_path / name, name, dict.fromkeys(metrics, OLD if name == "a" else NEW))
    scores = outscore.read(str(tmp_path), metric="f")
    assert scores.names == ("a", "b")
    assert 'Left out, as their logs have no metric "f": "c".' in scores.notes
    with pytest.raises(OutscoreError, match='the logs of "c" lack the metric "f", which other systems have'):
        outscore.read(str(tmp_path / "a"), str(tmp_path / "c"), metric="f")


def test_a_task_is_ranked_by_the_metric_that_is_usual_for_it(tmp_path: Path) -> None:
    for name, right in (("old", OLD), ("new", NEW)):
        lm_eval_log(tmp_path / name, name, {"acc": OLD, "acc_norm": right}, task="arc")
        lm_eval_log(tmp_path / name / "m", name, {"exact_match": right, "f1": right}, task="words")
    note = 'Metric of "arc": acc_norm, by convention. Others: -m acc.'
    assert note in outscore.read(str(tmp_path), task="arc").notes
    assert note not in outscore.read(str(tmp_path), task="arc", metric="acc_norm").notes
    ranked = outscore.rank(outscore.read(str(tmp_path)))
    assert isinstance(ranked, Rankings)
    assert [one.metric.title for one in ranked] == ["acc_norm (arc)", "exact_match (words)"]
    status, out, _ = run(f"rank {tmp_path}")
    assert (status, "arc (acc_norm)" in out, "words (exact_match)" in out, ",none" in out) == (0, True, True, False)
    assert out.startswith("new")


def test_filters_are_spellings_of_m_and_no_part_of_what_people_read(tmp_path: Path) -> None:
    for name, right in (("old", OLD), ("new", NEW)):
        lm_eval_log(tmp_path / name, name, {"acc": right})
    chart = tmp_path / "gain.svg"
    status, out, _ = run(f"compare {tmp_path} --baseline old -m acc,none --details --chart {chart}")
    assert (status, out.count(",none"), out.count("metric:acc,none")) == (
        0,
        1,
        1,
    )  # the signature holds what was passed
    assert ",none" not in chart.read_text(encoding="utf-8")
    assert outscore.read(str(tmp_path), metric="acc,none").metrics[0].title == "acc"
