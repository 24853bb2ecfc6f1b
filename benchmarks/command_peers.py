"""What others' packages do in a command's place: read the same files, score both systems, and print the scores.

    python benchmarks/command_peers.py wer REFERENCE BASELINE CANDIDATE

Each is the short script that a user of the package would write. Packages are imported where they are used.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Mapping
from pathlib import Path


def wer(reference: str, *systems: str) -> None:
    """Score transcripts by jiwer: Kaldi's text, an id and words per line."""
    import jiwer

    def transcripts(path: str) -> dict[str, str]:
        lines = (line.partition(" ") for line in Path(path).read_text("utf-8").splitlines())
        return {item: words for item, _, words in lines}

    expected = transcripts(reference)
    for path in systems:
        heard = transcripts(path)
        print(path, jiwer.wer(list(expected.values()), [heard[item] for item in expected]))


def span_f1(reference: str, *systems: str) -> None:
    """Score BIO tags by seqeval: a token and its tag per line, a blank line after a sentence."""
    from seqeval.metrics import f1_score  # type: ignore[import-untyped]

    def sentences(path: str) -> list[list[str]]:
        blocks = Path(path).read_text("utf-8").strip("\n").split("\n\n")
        return [[line.rsplit("\t", 1)[1] for line in block.split("\n")] for block in blocks]

    gold = sentences(reference)
    for path in systems:
        print(path, f1_score(gold, sentences(path)))


def rouge(reference: str, *systems: str) -> None:
    """Score summaries by rouge-score: one per line."""
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

    kinds = ["rouge1", "rouge2", "rougeL"]
    scorer = RougeScorer(kinds)
    expected = Path(reference).read_text("utf-8").splitlines()
    for path in systems:
        summaries = Path(path).read_text("utf-8").splitlines()
        scores = [scorer.score(target, summary) for target, summary in zip(expected, summaries, strict=True)]
        print(path, *(sum(score[kind].fmeasure for score in scores) / len(scores) for kind in kinds))


def ir(reference: str, *systems: str) -> None:
    """Score TREC runs by ir-measures."""
    from ir_measures import calc_aggregate, parse_measure, read_trec_qrels, read_trec_run

    for path in systems:
        judgements, run = read_trec_qrels(reference), read_trec_run(path)  # type: ignore[no-untyped-call]
        print(path, calc_aggregate([parse_measure("nDCG@10")], judgements, run))


def ranx(reference: str, *systems: str) -> None:
    """Score and compare TREC runs by ranx, with its own test."""
    from ranx import Qrels, Run, compare

    runs = [Run.from_file(path, kind="trec") for path in systems]
    print(compare(Qrels.from_file(reference, kind="trec"), runs, metrics=["ndcg@10"]))


def permutation(table: str) -> None:
    """Test the difference of two columns of 0 and 1 by SciPy."""
    import numpy as np
    from scipy.stats import permutation_test

    with Path(table).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    baseline, candidate = (np.array([float(row[name]) for row in rows]) for name in list(rows[0])[1:])
    result = permutation_test(
        (candidate, baseline),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples",
        n_resamples=10_000,
        vectorized=True,
        rng=1,
    )
    print(result.statistic, result.pvalue)


def inspect(*logs: str) -> None:
    """Read logs by Inspect."""
    from inspect_ai.log import read_eval_log

    for path in logs:
        log = read_eval_log(path)
        print(log.eval.model, len(log.samples or ()))


PEERS: Mapping[str, Callable[..., None]] = {
    "wer": wer,
    "span-f1": span_f1,
    "rouge": rouge,
    "ir": ir,
    "ranx": ranx,
    "permutation": permutation,
    "inspect": inspect,
}

if __name__ == "__main__":
    PEERS[sys.argv[1]](*sys.argv[2:])
