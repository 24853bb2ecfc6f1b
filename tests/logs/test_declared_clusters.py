"""Clusters that logs declare are used, or a decision is required; fields that hold answers are never proposed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import outscore
from outscore.errors import OptionError

# Of 25 items each; all items of a cluster have the same difference.
DIFFERENCES = (1, 1, 1, 1, 0, 0, 1, -1)


def stderr(*keys: str) -> dict[str, Any]:
    """Return the metrics of a scorer as Inspect writes them: accuracy, and stderr(cluster=...) for each key."""
    figures = {"accuracy": {"name": "accuracy", "value": 0.5, "params": {}}}
    of_keys = {
        f"stderr{place or ''}": {"name": "stderr", "value": 0.1, "params": {"cluster": key}}
        for place, key in enumerate(keys)
    }
    return figures | of_keys


def write_log(
    path: Path,
    model: str,
    correct: Sequence[int],
    metadata: Mapping[str, Sequence[Any]],
    metrics: Mapping[str, Any],
    *,
    task: str = "made",
    targets: Sequence[str] | None = None,
    scorers: Sequence[Mapping[str, Any]] = (),
) -> None:
    spec: dict[str, Any] = {
        "run_id": model,
        "created": "2026-01-01T00:00:00+00:00",
        "task": task,
        "model": model,
        "dataset": {},
    }
    spec |= {"config": {}, "scorers": [*scorers]}
    scores = [{"name": "match", "scorer": "match", "reducer": None, "params": {}, "metrics": dict(metrics)}]
    samples = [
        {
            "id": f"q{place}",
            "epoch": 1,
            "target": "" if targets is None else targets[place],
            "scores": {"match": {"value": "C" if right else "I"}},
            "metadata": {key: values[place] for key, values in metadata.items()},
        }
        for place, right in enumerate(correct)
    ]
    status = "success" if metrics else "started"
    results = {"results": {"scores": scores}} if metrics else {}
    path.write_text(json.dumps({"version": 2, "status": status, "eval": spec, **results, "samples": samples}))


Write = Callable[..., list[str]]


@pytest.fixture
def logs(tmp_path: Path) -> Write:
    def write(metadata: Mapping[str, Sequence[Any]], metrics: Mapping[str, Any], **more: Any) -> list[str]:
        task = more.get("task", "made")
        base = [int(gain < 0) for gain in DIFFERENCES for _ in range(25)]
        new = [int(gain > 0) for gain in DIFFERENCES for _ in range(25)]
        for model, correct in (("base", base), ("new", new)):
            write_log(tmp_path / f"{task}-{model}.json", model, correct, metadata, metrics, **more)
        return [str(tmp_path / f"{task}-{model}.json") for model in ("base", "new")]

    return write


GROUPS = [f"g{k}" for k in range(8) for _ in range(25)]


def test_the_clusters_of_the_logs_standard_error_are_used(logs: Write) -> None:
    files = logs({"group": GROUPS}, stderr("group"))
    result = outscore.compare(*files, tests="paired-t")
    assert (result.n_items, result.n_units) == (200, 8)
    expected = scipy.stats.ttest_1samp(DIFFERENCES, 0).pvalue
    assert expected == pytest.approx(0.1036, abs=1e-4)
    assert result.p_value == pytest.approx(expected, rel=1e-9)
    assert any('clusters="metadata.group"' in said and 'clusters="none"' in said for said in result.warnings)
    apart = outscore.compare(*files, tests="paired-t", clusters="none")
    assert apart.n_units == 200
    assert apart.p_value < 1e-10  # as if 200 items were independent
    assert not any("resampled" in said for said in apart.warnings)


def test_the_default_test_never_takes_items_for_independent_that_the_log_clusters(logs: Write) -> None:
    result = outscore.compare(*logs({"group": GROUPS}, stderr("group")))
    assert result.n_units == 8
    assert result.p_value > 0.01


def test_a_run_without_figures_declares_its_clusters_by_its_scorers(logs: Write) -> None:
    metrics = [{"name": "inspect_ai/accuracy", "options": {}}]
    metrics += [{"name": "inspect_ai/stderr", "options": {"cluster": "group"}}]
    files = logs({"group": GROUPS}, {}, scorers=[{"name": "match", "options": {}, "metrics": metrics}])
    assert outscore.compare(*files).n_units == 8


@pytest.mark.parametrize("name", ["cluster", "document", "doc_id"])
def test_a_field_that_is_called_a_cluster_is_one(logs: Write, name: str) -> None:
    assert outscore.compare(*logs({name: GROUPS, "topic": ["a", "b"] * 100}, stderr())).n_units == 8


def test_the_standard_error_precedes_the_name_of_a_field(logs: Write) -> None:
    files = logs({"cluster": ["a", "b"] * 100, "group": GROUPS}, stderr("group"))
    assert outscore.compare(*files).n_units == 8


def test_a_stratum_is_not_also_a_cluster(logs: Write) -> None:
    result = outscore.compare(*logs({"group": GROUPS}, stderr("group")), strata="metadata.group")
    assert result.n_units == 200


@pytest.mark.parametrize(
    ("metadata", "keys", "advice"),
    [
        ({"group": GROUPS, "half": ["a", "b"] * 100}, ("group", "half"), 'clusters="metadata.half"'),
        ({"topic": GROUPS}, ("group",), "clusters=FILE"),
        ({"group": [0.5, *GROUPS[1:]]}, ("group",), "clusters=FILE"),  # not a label of the first sample
    ],
)
def test_unclear_clusters_require_a_decision(
    logs: Write, metadata: dict[str, list[Any]], keys: tuple[str, ...], advice: str
) -> None:
    files = logs(metadata, stderr(*keys))
    with pytest.raises(OptionError) as caught:
        outscore.compare(*files)
    assert "declared-clusters" in str(caught.value)
    assert advice in str(caught.value)
    assert 'clusters="none"' in str(caught.value)
    assert outscore.compare(*files, clusters="none").n_units == 200


def test_clusters_of_one_item_need_no_decision(logs: Write) -> None:
    result = outscore.compare(*logs({"group": [f"g{place}" for place in range(200)]}, stderr("group")))
    assert result.n_units == 200
    assert not any("resampled" in said for said in result.warnings)


def test_items_of_a_task_without_the_clusters_are_clusters_of_their_own(logs: Write) -> None:
    files = [*logs({"group": GROUPS}, stderr("group")), *logs({}, stderr(), task="other")]
    result: Any = outscore.compare(*files, baseline="base", tests="paired-t")
    made, other = result.comparisons[0]["made"], result.comparisons[0]["other"]
    assert made.p_value == pytest.approx(scipy.stats.ttest_1samp(DIFFERENCES, 0).pvalue, rel=1e-9)
    assert other.p_value == pytest.approx(scipy.stats.ttest_1samp(np.repeat(DIFFERENCES, 25), 0).pvalue, rel=1e-6)


def test_levels_with_few_labels_are_proposed_and_answers_are_not(logs: Write) -> None:
    answers = [f"{place % 40}" for place in range(200)]
    metadata = {
        "level": ["easy", "hard", "hard", "harder"] * 50,
        "final": answers,
        "gold_answer": answers,
        "number": [f"{place % 40}.9" for place in range(200)],
        "reply": answers,  # the same as the targets
        "source": [f"s{place % 40}" for place in range(200)],
    }
    files = logs(metadata, stderr(), targets=answers)
    [note] = [said for said in outscore.compare(*files).warnings if "Items may be correlated" in said]
    assert 'clusters="metadata.level" (3) or clusters="metadata.source" (40)' in note
    assert not any(name in note for name in ("final", "gold", "number", "reply"))
    assert outscore.compare(*files, strata="metadata.final").n_units == 200  # it can be named
