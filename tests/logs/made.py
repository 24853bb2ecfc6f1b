"""Logs made for tests: of lm-evaluation-harness, as it is plain, and of any number of systems, tasks and metrics."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

STAMP = "2026-01-02T03-04-05.678901"

Scores = Sequence[float | None]


def lm_eval_log(
    folder: Path,
    system: str,
    scores: Mapping[str, Scores] | Scores,
    *,
    task: str = "sums",
    stamp: str = STAMP,
    ids: Sequence[Any] | None = None,
    results: Mapping[str, Any] | None = None,
    **hashes: Sequence[str],
) -> Path:
    """Write samples and results of a system on a task, and return the samples' file.

    Parameters
    ----------
    scores : mapping from str to sequence, or sequence
        By metric ("acc" by default), one a document; None is NaN.
    hashes : sequences of str
        doc_hash, prompt_hash, target_hash.
    """
    of_metrics = scores if isinstance(scores, Mapping) else {"acc": scores}
    n = len(next(iter(of_metrics.values())))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{stamp}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for place in range(n):
            row: dict[str, Any] = {
                "doc_id": place if ids is None else ids[place],
                "doc": {},
                "target": "t",
                "filter": "none",
            }
            row |= {
                "arguments": [[f"question {place}"]],
                "resps": [["r"]],
                "filtered_resps": [f"{system} says {place}"],
            }
            row |= {name: of[place] for name, of in hashes.items()}
            row["metrics"] = list(of_metrics)
            row |= {name: float("nan") if of[place] is None else of[place] for name, of in of_metrics.items()}
            file.write(json.dumps(row) + "\n")
    described = {
        "model_name": system,
        "results": {task: {}},
        "higher_is_better": {task: dict.fromkeys(of_metrics, True)},
        "n-samples": {task: {"original": n, "effective": n}},
        "versions": {task: 1.0},
        "config": {},
    }
    (folder / f"results_{stamp}.json").write_text(json.dumps(described | dict(results or {})), encoding="utf-8")
    return path
