"""That no format of logs of code and agents takes what is another's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.logs.recognition import ROOT, files_of_sets, ordinary_files, recognized

OWN = {
    "SWE-bench": (
        *("swebench-harness-reports", "swebench-pro-evalresults", "swebench-verified-resolved"),
        *("faults/multi-swe-bench-results", "faults/swe-bench-pro-two-files", "faults/swe-bench-malformed-coder"),
    ),
    "EvalPlus": (),
    "BigCodeBench": (),
    "EvalPerf": ("evalplus-evalperf",),
    "HumanEval": (),
    "LiveCodeBench": ("livecodebench-codegen-2024_02", "livecodebench-evalall-o1", "livecodebench-testgen"),
    "tau-bench": ("taubench-airline",),
    "tau2-bench": ("faults/tau2-four-agents-one-model",),
    "BFCL": ("faults/bfcl-2024-07-idx",),
    "aider": (),
    "terminal-bench": ("faults/unknown-terminal-bench",),
    "Harbor": (),
    "simple-evals": ("faults/unknown-others",),
    "DeepEval": ("faults/unknown-others",),
    "MLflow": ("faults/unknown-others",),
    "ragas": ("faults/unknown-others",),
}


def test_ordinary_inputs_are_no_logs() -> None:
    assert not {path.name: names for path in ordinary_files() if (names := recognized(path, list(OWN)))}


def test_every_log_of_the_corpus_is_of_one_format() -> None:
    for folder in sorted((ROOT / "tests" / "fuzz" / "corpus").glob("log-*")):
        for path in sorted(folder.iterdir()):
            if path.is_file() and not path.name.startswith("beside-"):
                assert recognized(path, list(OWN)) == {folder.name.removeprefix("log-")} & OWN.keys(), path


def test_the_sets_are_of_their_format_alone(logs: Callable[[str], Path]) -> None:
    root = logs("swebench-verified-resolved").parent
    for path in files_of_sets(logs):
        names = recognized(path, list(OWN))
        first, second, *_ = (*path.relative_to(root).parts, "")
        name = f"{first}/{second}" if first == "faults" else first
        assert names <= {known for known, sets in OWN.items() if name in sets}, path


@pytest.mark.parametrize(
    "text",
    [
        '{"resolved": 3}',
        '{"resolved": ["a", "b"]}',
        '{"resolved": {"a__b-1": true}}',
        '{"a": {"resolved": true}}',
        '{"q1": true, "q2": false}',
        '{"instance_1": true}',
        '[{"question_id": "1", "score": 1}]',
        '[{"task_id": "1", "score": 1}]',
        '[{"task_id": 1, "reward": 1.0}]',
        '{"eval": {"a": [1, 2]}}',
        '{"eval": {"model": "m"}, "samples": []}',
        '{"performances": [1, 2]}',
        '{"info": {"num_trials": 2}}',
        '{"accuracy": 0.5}',
        '{"id": "q1", "score": 1}\n{"id": "q2", "score": 0}',
        '{"task_id": "1", "passed": true}',
        '{"tests_outcomes": [true]}',
        "[",
        "{",
        "",
        '"resolved"',
    ],
)
@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "results.json", "report.json", "a_eval_results.json"])
def test_what_only_looks_like_a_log_is_none(text: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert recognized(tmp_path / name, list(OWN)) == set()
