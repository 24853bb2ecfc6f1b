"""Logs of SWE-bench."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.logs.kit import Log, checked, inventory_of, logs_found
from tests.logs.reading import item_means, logs_in, metric_of, standard_error

NAME = "SWE-bench"
IDS = ["astropy__astropy-12907", "django__django-11066", "django__django-11095", "sympy__sympy-13974"]
REPORT = {
    "patch_is_None": False,
    "patch_exists": True,
    "patch_successfully_applied": True,
    "resolved": False,
    "tests_status": {"FAIL_TO_PASS": {"success": ["a"], "failure": ["b", "c"]}},
}


def _clustered(differences: dict[str, float], clusters: dict[str, str]) -> float:
    mean = sum(differences.values()) / len(differences)
    sums: dict[str, float] = {}
    for item, difference in differences.items():
        sums[clusters[item]] = sums.get(clusters[item], 0.0) + difference - mean
    n = len(sums)
    return math.sqrt(sum(one * one for one in sums.values()) * n / (n - 1)) / len(differences)


def _read(path: Path, data: Any) -> Log:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))
    (log,) = logs_in(path, NAME)
    return log


def _scores(log: Log) -> dict[str, float]:
    return dict(zip(log.item_ids, metric_of(log, "resolved").scores.tolist(), strict=True))


def test_reports_of_a_system_are_one_log(logs: Callable[[str], Path]) -> None:
    read = logs_in(logs("swebench-harness-reports"), NAME)
    wanted = {
        "20251118_gemini-3-pro-74pct": (0.7244897959183674, 0.04536272273239541, 0.807482993197279),
        "vexp-swebench-1774184993333": (0.7448979591836735, 0.04426082366171139, 0.8003401360544218),
    }
    assert {log.system for log in read} == wanted.keys()
    for log in read:
        mean, error, share = wanted[log.system]
        means = item_means(log, metric_of(log, "resolved"))
        assert len(means) == 98
        assert np.mean(list(means.values())) == pytest.approx(mean, abs=1e-12)
        assert standard_error(means) == pytest.approx(error, abs=1e-12)
        assert metric_of(log, "fail_to_pass").scores.mean() == pytest.approx(share, abs=1e-12)


def test_repositories_are_clusters(logs: Callable[[str], Path]) -> None:
    first, second = logs_in(logs("swebench-harness-reports"), NAME)
    a, b = _scores(first), _scores(second)
    differences = {item: a[item] - b[item] for item in a}
    clusters = dict(zip(first.item_ids, first.labels["repo"], strict=True))
    assert len(set(clusters.values())) == 12
    assert _clustered(differences, clusters) == pytest.approx(0.030048969609270296, abs=1e-12)


def test_lists_with_a_score_have_a_denominator(logs: Callable[[str], Path]) -> None:
    read = logs_in(logs("swebench-verified-resolved"), NAME)
    wanted = {"Live-SWE-Agent (Opus 4.5)": 0.792, "OpenHands (Opus 4.5)": 0.776, "Sonar Foundation (Opus 4.5)": 0.792}
    assert {log.system: round(len(log) / (len(log) + log.n_unlisted), 12) for log in read} == wanted
    for log in read:
        assert len(log) + log.n_unlisted == 500
        assert not log.needs_total
        assert log.task == "SWE-bench Verified"
        assert checked(log, metric_of(log, "resolved"))[2]


def test_pro(logs: Callable[[str], Path]) -> None:
    read = {log.system: log for log in logs_in(logs("swebench-pro-evalresults"), NAME)}
    counts = {system: len(log) for system, log in read.items()}
    assert counts["claude-4sonnet-10132025"] == 562
    a, b = _scores(read["claude-45sonnet-10132025"]), _scores(read["claude-sonnet-4-paper"])
    assert sum(a.values()) / len(a) == pytest.approx(0.436986301369863, abs=1e-12)
    common = [item for item in a if item in b]
    log = read["claude-45sonnet-10132025"]
    clusters = dict(zip(log.item_ids, log.labels["repo"], strict=True))
    differences = {item: a[item] - b[item] for item in common}
    assert len({clusters[item] for item in common}) == 11
    assert _clustered(differences, clusters) == pytest.approx(0.03139457657429755, abs=1e-12)


def test_a_list_alone_asks_for_its_denominator(tmp_path: Path) -> None:
    log = _read(tmp_path / "submission" / "results" / "results.json", {"no_generation": IDS[2:], "resolved": IDS[:1]})
    assert log.system == "submission"
    assert _scores(log) == {IDS[0]: 1.0, IDS[2]: 0.0, IDS[3]: 0.0}
    assert log.needs_total
    assert log.n_unlisted == 0


@pytest.mark.parametrize(
    ("split", "task", "size"),
    [
        ("verified", "SWE-bench Verified", 500),
        ("bash-only", "SWE-bench Verified", 500),
        ("lite", "SWE-bench Lite", 300),
        ("test", "SWE-bench", 2294),
        ("multilingual", "SWE-bench Multilingual", 300),
        ("multimodal", "SWE-bench Multimodal", None),
    ],
)
def test_the_path_names_an_official_split(split: str, task: str, size: int | None, tmp_path: Path) -> None:
    path = tmp_path / "evaluation" / split / "2025_a" / "results" / "results.json"
    log = _read(path, {"no_logs": [], "resolved": IDS})
    assert (log.system, log.task, log.needs_total) == ("2025_a", task, size is None)
    assert log.n_unlisted == (0 if size is None else size - 4)


def test_older_lists(tmp_path: Path) -> None:
    lists = {"no_generation": [], "generated": IDS, "with_logs": IDS[:3], "applied": IDS[:2], "resolved": IDS[1:2]}
    log = _read(tmp_path / "a" / "results.json", lists)
    assert _scores(log) == {IDS[1]: 1.0, IDS[0]: 0.0, IDS[2]: 0.0, IDS[3]: 0.0}


def test_details_name_every_instance(tmp_path: Path) -> None:
    rows = {item: {"cost": 0.1, "api_calls": 3, "resolved": place == 0} for place, item in enumerate(IDS)}
    log = _read(tmp_path / "evaluation" / "bash-only" / "2025_m" / "per_instance_details.json", rows)
    assert (log.system, log.task, log.needs_total, log.n_unlisted) == ("2025_m", "SWE-bench Verified", False, 0)
    assert sum(_scores(log).values()) == 1


def _summary(**more: Any) -> dict[str, Any]:
    return {
        "total_instances": 6,
        "submitted_instances": 4,
        "resolved_instances": 1,
        "completed_ids": IDS[:3],
        "resolved_ids": IDS[:1],
        "unresolved_ids": IDS[1:3],
        "error_ids": IDS[3:],
    } | more


def test_a_summary_counts_what_it_does_not_name(tmp_path: Path) -> None:
    log = _read(tmp_path / "org__model-4.5.run-1.json", _summary())
    assert log.system == "org__model-4.5"
    assert log.n_unlisted == 2
    score, own, agrees, _ = checked(log, log.metrics[0])
    assert score == own == pytest.approx(1 / 6)
    assert agrees
    assert list(log.notes) == [
        "answers to 4 of 6 instances were submitted; the others count as not resolved, as in the harness",
        "1 instance ended in an error and count as not resolved, as in the harness",
    ]


def test_a_summary_of_version_2_names_all(tmp_path: Path) -> None:
    more = {"incomplete_ids": ["a__a-1", "a__a-2"], "empty_patch_ids": [], "submitted_ids": [*IDS, "other__other-1"]}
    log = _read(tmp_path / "m.r.json", _summary(schema_version=2, **more))
    assert log.n_unlisted == 0
    assert len(log) == 6
    assert "other__other-1" not in log.item_ids


@pytest.mark.parametrize("path", ["evaluation/verified", "evaluation/java/verified", "runs"])
def test_results_with_a_total_of_their_own_are_a_summary(path: str, tmp_path: Path) -> None:
    rows = _summary(incomplete_ids=["a__a-1", "a__a-2"])
    rows["resolved"] = rows.pop("resolved_ids")
    log = _read(tmp_path / path / "2024_m" / "results" / "results.json", rows)
    assert (log.system, log.task, log.needs_total) == ("2024_m", "SWE-bench", False)
    assert _scores(log) == {IDS[0]: 1.0, **dict.fromkeys([*IDS[1:], "a__a-1", "a__a-2"], 0.0)}
    score, own, agrees, _ = checked(log, log.metrics[0])
    assert score == own == pytest.approx(1 / 6)
    assert agrees


def test_long_lists_may_stand_before_what_was_resolved(tmp_path: Path) -> None:
    ids = [f"some_owner__some_repository-{place}" for place in range(3_000)]
    rows = {"total_instances": 3_000, "resolved_instances": 600, "completed_ids": ids, "resolved": ids[:600]}
    log = _read(tmp_path / "m" / "results.json", rows)
    assert checked(log, log.metrics[0])[0] == pytest.approx(0.2)


def test_results_of_multi_swe_bench(logs: Callable[[str], Path]) -> None:
    read = logs_in(logs("faults/multi-swe-bench-results"), NAME)
    resolved = {log.system.removeprefix("20240825_SWE-agent_"): sum(_scores(log).values()) for log in read}
    wanted = {
        "deepseek-chat-v2": 9,
        "deepseek-coder-v2": 7,
        "gpt-4o-2024-05-13": 6,
        "gpt-4o-mini-2024-07-18": 1,
        "doubao-pro-128k": 1,
    }
    assert resolved == wanted
    assert {frozenset(log.item_ids) for log in read} == {frozenset(read[0].item_ids)}
    for log in read:
        assert (len(log), log.n_unlisted, checked(log, log.metrics[0])[2]) == (91, 0, True)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"resolved_instances": 2}, "expected 2 instances in the list of resolved ones, got 1"),
        ({"unresolved_ids": IDS[:3]}, f'instances in "unresolved_ids" are also resolved: "{IDS[0]}"'),
        ({"error_ids": IDS[:1]}, 'in "error_ids" are also'),
    ],
)
def test_a_summary_that_contradicts_itself_is_refused(more: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        _read(tmp_path / "m.r.json", _summary(**more))


@pytest.mark.parametrize(
    ("name", "system"),
    [("gpt-4.1.json", "gpt-4.1"), ("gpt-4.1.eval.json", "gpt-4.1"), ("m.2024.json", "m")],
)
def test_a_version_is_no_run(name: str, system: str, tmp_path: Path) -> None:
    log = _read(tmp_path / name, _summary())
    assert log.system == system


def test_a_resolved_instance_outside_the_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="are not among the completed ones"):
        _read(tmp_path / "m.r.json", _summary(resolved_ids=["x__x-1"]))


def test_more_instances_than_the_total_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="at most 2 instances, got 4"):
        _read(tmp_path / "m.r.json", _summary(total_instances=2))


def test_a_summary_and_the_reports_of_its_run_are_one_log(tmp_path: Path) -> None:
    (tmp_path / "m.r.json").write_text(json.dumps(_summary()))
    folder = tmp_path / "logs" / "run_evaluation" / "r" / "m" / IDS[1]
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(json.dumps({IDS[1]: REPORT}))
    (log,) = logs_in(tmp_path, NAME)
    assert log.n_unlisted == 2
    shares = dict(zip(log.item_ids, metric_of(log, "fail_to_pass").scores.tolist(), strict=True))
    assert shares[IDS[1]] == pytest.approx(1 / 3)
    assert math.isnan(shares[IDS[0]])


def test_both_forms_of_a_report_and_folders_without_one(tmp_path: Path) -> None:
    run = tmp_path / "system" / "logs"
    for item, report in ((IDS[0], {IDS[0]: REPORT}), (IDS[1], REPORT | {"resolved": True})):
        (run / item).mkdir(parents=True)
        (run / item / "report.json").write_text(json.dumps(report))
    (run / IDS[2]).mkdir()
    (log,) = logs_in(tmp_path, NAME)
    assert log.system == "system"
    assert log.n_errors == 1
    scores = _scores(log)
    assert (scores[IDS[0]], scores[IDS[1]]) == (0.0, 1.0)
    assert math.isnan(scores[IDS[2]])


def test_two_runs_of_one_model_have_two_names(tmp_path: Path) -> None:
    for run in ("r1", "r2"):
        folder = tmp_path / "run_evaluation" / run / "m" / IDS[0]
        folder.mkdir(parents=True)
        (folder / "report.json").write_text(json.dumps(REPORT))
    assert [log.system for log in logs_in(tmp_path, NAME)] == ["r1/m", "r2/m"]


@pytest.mark.parametrize(
    ("score", "total"),
    [(50.0, 4), (66.67, 3), (0.4, None), (40.0, 5), (200.0, None), (None, None), ("50", 4), (True, None), (0.0, None)],
)
def test_a_total_must_fit_the_score(score: Any, total: int | None, tmp_path: Path) -> None:
    log = _read(tmp_path / "a.json", {"system": "A", "score": score, "resolvedIds": IDS[:2]})
    assert log.needs_total == (total is None)
    assert log.n_unlisted == (0 if total is None else total - 2)


def test_a_rounded_score_of_a_named_split(tmp_path: Path) -> None:
    source = "https://github.com/swe-bench/experiments/tree/main/evaluation/lite/20250101_a"
    log = _read(tmp_path / "a.json", {"score": 1.3, "source": source, "resolvedIds": IDS})
    assert (log.n_unlisted, log.metrics[0].aggregates) == (296, [])


def test_a_split_that_does_not_fit_the_score_is_not_taken(tmp_path: Path) -> None:
    log = _read(tmp_path / "a.json", {"score": 0.5, "source": "evaluation/lite/a", "resolvedIds": IDS})
    assert log.needs_total


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("results.json", {"resolved": [IDS[0], None], "no_logs": []}, "names of instances"),
        ("results.json", {"resolved": IDS, "no_logs": 3, "applied": []}, "list of instances"),
        ("results.json", {"no_generation": [], "no_logs": []}, 'a list "resolved"'),
        ("m.r.json", {"total_instances": "6", "resolved_ids": []}, "an integer"),
        (
            "m.r.json",
            {"total_instances": 6, "resolved_instances": 0, "completed_ids": IDS},
            '"resolved_ids" or "resolved"',
        ),
        ("m.r.json", {"total_instances": 10**400, "resolved_ids": []}, "an integer"),
        ("report.json", REPORT | {"resolved": "yes"}, "true or false"),
        ("report.json", {IDS[0]: REPORT, IDS[1]: 3}, "not a log of this format"),
        ("report.json", REPORT | {"tests_status": {"FAIL_TO_PASS": {"success": 3}}}, "not a log of this format"),
        ("p.json", {f"instance_a__b-{0:040x}": True, "c": 1}, "true or false"),
        ("e.json", {"resolvedIds": [[IDS[0]]]}, "names of instances"),
    ],
)
def test_hostile_files(name: str, data: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        _read(tmp_path / name, data)


def test_many_instances_take_no_time(tmp_path: Path) -> None:
    ids = [f"a__a-{place}" for place in range(200_000)]
    log = _read(tmp_path / "m.r.json", {"total_instances": 10**6, "resolved_ids": ids, "completed_ids": ids})
    assert log.n_unlisted == 800_000


def test_a_share_of_nobody_knows_how_many_is_none(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"resolved": ["django__django-1", "django__django-2"]}), encoding="utf-8")
    (entry,) = inventory_of(logs_found(str(path))).entries
    assert (entry.n_items, entry.score, entry.agrees) == (2, None, None)
    assert "to compare and rank" in entry.notes[-1]
