"""Real systems: a corpus is the population, test sets are drawn from it with replacement, and the true gain is known.

The corpora lie beside the repository, in ../shared/data; populations that are not there are left out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast
from zlib import crc32

import numpy as np

import outscore
from outscore.metrics import ColumnMetric, Mean
from tests.calibration.populations import NUMBERS
from tests.calibration.sets import FloatArray, Sets, of_rows

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@dataclass(frozen=True, eq=False)
class Corpus:
    """Two systems on all items, or on documents.

    Attributes
    ----------
    name : str
    metric : ColumnMetric
    one, other : ndarray, shape (N, k)
        Rows of the baseline and of the candidate.
    counts : tuple of int
        Sizes of test sets.
    weights : ndarray, shape (N,), optional
        The probability of each item to be drawn.
    """

    name: str
    metric: ColumnMetric
    one: FloatArray
    other: FloatArray
    counts: tuple[int, ...]
    weights: FloatArray | None = None

    @property
    def gain(self) -> float:
        """The true gain."""
        p = np.full(len(self.one), 1 / len(self.one)) if self.weights is None else self.weights
        sign = 1.0 if self.metric.higher_is_better else -1.0
        return sign * float(self.metric.score(p @ self.other) - self.metric.score(p @ self.one))

    def drawn(self, n: int, count: int, seed: int) -> Iterator[Sets]:
        """Draw test sets of n items, batch by batch."""
        most = max(NUMBERS // (n * self.one.shape[1]), 1)
        for start in range(0, count, most):
            rng = np.random.default_rng([seed, n, start, crc32(self.name.encode())])
            places = rng.choice(len(self.one), (min(most, count - start), n), p=self.weights)
            with np.errstate(divide="ignore"):  # BLEU of documents without a match is 0
                yield of_rows(self.metric, self.one[places], self.other[places])


def corpora() -> tuple[list[Corpus], list[str]]:
    """Return the populations of real systems, and what is missing."""
    found, missing = [], []
    for name, read in (
        ("asr-librispeech-test-clean", _speech),
        ("mt-wmt24-en-cs", _translation),
        ("ner-wnut17", _entities),
        ("ir-trec8-scores", _retrieval),
        ("summ-realsumm", _summaries),
    ):
        if (DATA / name).is_dir():
            found += list(read(DATA / name))
        else:
            missing.append(f"../shared/data/{name} is missing: its populations are left out")
    return found, missing


def _rows(metric: str, reference: Path, systems: Sequence[Path]) -> tuple[ColumnMetric, list[FloatArray]]:
    scores = outscore.read(*map(str, systems), references=str(reference), metric=metric)
    return cast("ColumnMetric", scores.metrics[0]), [np.asarray(rows.values, dtype=float) for rows in scores.rows[0]]


@cache
def _speech(folder: Path) -> list[Corpus]:
    names = ("azure", "watson", "google", "deepspeech")
    metric, rows = _rows("wer", folder / "ref.txt", [folder / "systems" / f"{name}.txt" for name in names])
    known = dict(zip(names, rows, strict=True))
    pairs = (("azure", "watson"), ("google", "azure"), ("deepspeech", "google"))
    found = [
        Corpus(f"WER, LibriSpeech: {one}, {other}", metric, known[one], known[other], (20, 50, 200))
        for one, other in pairs
    ]
    # Utterances weighted as little as makes the corpus WERs of two recognisers equal.
    one, other = known["azure"], known["watson"]
    weights = _tilted(one[:, 0] - other[:, 0])
    counts = (20, 30, 50, 100, 200, 500)
    return [Corpus("WER, LibriSpeech: azure, watson, made equal", metric, one, other, counts, weights), *found]


def _tilted(d: FloatArray) -> FloatArray:
    """Return weights, exponential in d, under which the mean of d is 0."""
    low, high = -50.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        weights = np.exp(middle * d / np.abs(d).max())
        low, high = (middle, high) if weights @ d < 0 else (low, middle)
    return np.asarray(weights / weights.sum())


@cache
def _translation(folder: Path) -> list[Corpus]:
    names = ("CUNI-GA", "GPT-4", "ONLINE-G", "CycleL")
    metric, rows = _rows("bleu", folder / "ref.A.cs.txt", [folder / "systems" / f"{name}.txt" for name in names])
    with (folder / "items.tsv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file, delimiter="\t"))
    column = next(name for name in table[0] if "doc" in name.lower())
    codes = np.unique([line[column] for line in table], return_inverse=True)[1]
    documents = [np.stack([np.bincount(codes, of) for of in own.T], axis=1).astype(np.float64) for own in rows]
    found = []
    for i in range(3):
        pair = f"BLEU, WMT24: {names[i]}, {names[i + 1]}"
        found.append(Corpus(pair, metric, rows[i], rows[i + 1], (20, 50, 100)))
        found.append(Corpus(f"{pair}, documents", metric, documents[i], documents[i + 1], (30, 80)))
    return found


@cache
def _entities(folder: Path) -> list[Corpus]:
    names = ("UH-RiTUAL", "Arcada", "Drexel-CCI")
    metric, rows = _rows("span-f1", folder / "gold.bio", [folder / "systems" / f"{name}.bio" for name in names])
    return [
        Corpus(f"F1, WNUT17: {names[i]}, {names[i + 1]}", metric, rows[i], rows[i + 1], (60, 100, 200))
        for i in range(2)
    ]


def _of_columns(
    name: str, scores: FloatArray, pairs: Sequence[tuple[int, int]], counts: tuple[int, ...]
) -> list[Corpus]:
    ones = np.ones(len(scores))
    return [
        Corpus(
            f"{name}: systems {i}, {j}",
            Mean(),
            np.column_stack([scores[:, i], ones]),
            np.column_stack([scores[:, j], ones]),
            counts,
        )
        for i, j in pairs
    ]


@cache
def _retrieval(folder: Path) -> list[Corpus]:
    scores = np.genfromtxt(folder / "adhoc8_ap.csv", delimiter=",", skip_header=1)
    pairs = ((2, 3), (5, 6), (1, 8), (3, 40), (10, 77), (60, 100), (25, 126))
    return _of_columns("AP, TREC-8", scores, pairs, (20, 50))


@cache
def _summaries(folder: Path) -> list[Corpus]:
    with (folder / "scores.rouge_2_f_score.tsv").open(encoding="utf-8") as file:
        lines = list(csv.reader(file, delimiter="\t"))
    scores = np.array([[float(of) for of in line[1:]] for line in lines[1:]])
    scores = scores if len(scores) >= scores.shape[1] else scores.T
    return _of_columns("ROUGE-2, REALSumm", scores, ((0, 5), (3, 12)), (20, 50, 100))
