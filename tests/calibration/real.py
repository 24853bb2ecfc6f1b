"""Real systems: a corpus is the population, test sets are drawn from it with replacement, and the true gain is known.

The corpora lie beside the repository, in ../shared/data; populations that are not there are left out.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import cast
from zlib import crc32

import numpy as np

import outscore
from outscore.metrics import ColumnMetric, Mean
from tests.calibration.populations import NUMBERS
from tests.calibration.sets import FloatArray, Sets, of_means, of_rows

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


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of systems of a board, each data set of another one, in either direction and with a gain of 0.

    Attributes
    ----------
    name : str
    scores : ndarray, shape (N, s)
    counts : tuple of int
    least_skewness : float
        Pairs whose differences are less skewed are left out.
    """

    name: str
    scores: FloatArray
    counts: tuple[int, ...]
    least_skewness: float = 0.0
    gain: float = 0.0

    @cached_property
    def differences(self) -> FloatArray:
        """The differences of all pairs, less their mean and in units of their standard deviation, shape (pairs, N)."""
        i, j = np.triu_indices(self.scores.shape[1], 1)
        d = (self.scores[:, j] - self.scores[:, i]).T
        d = d - d.mean(axis=1, keepdims=True)
        d = d[d.std(axis=1) > 0]
        d /= d.std(axis=1, keepdims=True)
        return np.asarray(d[np.abs((d**3).mean(axis=1)) >= self.least_skewness])

    def draw(self, rng: np.random.Generator, shape: tuple[int, int]) -> Sets:
        """Draw data sets, shape (sets, units)."""
        d = self.differences
        places = rng.integers(d.shape[1], size=shape)
        return of_means(
            rng.choice([-1.0, 1.0], (shape[0], 1)) * d[rng.integers(len(d), size=shape[0])[:, None], places]
        )

    def drawn(self, n: int, count: int, seed: int) -> Iterator[Sets]:
        """Draw data sets of n units, batch by batch."""
        most = max(NUMBERS // n, 1)
        for start in range(0, count, most):
            rng = np.random.default_rng([seed, n, start, crc32(self.name.encode())])
            yield self.draw(rng, (min(most, count - start), n))


def corpora() -> tuple[list[Corpus | Pairs], list[str]]:
    """Return the populations of real systems, and what is missing."""
    found: list[Corpus | Pairs] = []
    missing = []
    for name, read in READERS:
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
    with (folder / "items.tsv").open(encoding="utf-8") as file:
        items = list(csv.DictReader(file, delimiter="\t"))
    for unit, counts in (("speaker", (20, 40)), ("chapter", (20, 50))):
        one, other = (_summed(known[name], [item[unit] for item in items]) for name in ("azure", "google"))
        found.append(Corpus(f"WER, LibriSpeech: azure, google, {unit}s", metric, one, other, counts))
    # Utterances weighted as little as makes the corpus WERs of two recognisers equal.
    one, other = known["azure"], known["watson"]
    weights = _tilted(one[:, 0] - other[:, 0])
    several = (20, 30, 50, 100, 200, 500)
    return [Corpus("WER, LibriSpeech: azure, watson, made equal", metric, one, other, several, weights), *found]


def _summed(rows: FloatArray, names: Sequence[str]) -> FloatArray:
    """Return the sums of rows by name."""
    codes = np.unique(names, return_inverse=True)[1]
    return np.stack([np.bincount(codes, column) for column in rows.T], axis=1).astype(np.float64)


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
    documents = [_summed(own, [line[column] for line in table]) for own in rows]
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


def of_trec(folder: Path, measure: str) -> FloatArray:
    """Return a measure of 129 runs on 50 topics, shape (50, 129)."""
    return np.genfromtxt(folder / f"adhoc8_{measure}.csv", delimiter=",", skip_header=1)


@cache
def _retrieval(folder: Path) -> list[Corpus | Pairs]:
    scores = of_trec(folder, "ap")
    pairs = ((2, 3), (5, 6), (1, 8), (3, 40), (10, 77), (60, 100), (25, 126))
    found: list[Corpus | Pairs] = [*_of_columns("AP, TREC-8", scores, pairs, (20, 50))]
    for measure, name in (("rr", "reciprocal rank"), ("p10", "P@10")):
        found += _of_columns(f"{name}, TREC-8", of_trec(folder, measure), pairs[3:6], (20, 50))
    # In these pairs one topic is an outlier, which 36% of the samples of 50 topics do not contain.
    found += _of_columns("AP, TREC-8, one outlying topic", scores, ((0, 55), (26, 27), (34, 35)), (20, 50, 200))
    return [
        *found,
        Pairs("AP, TREC-8: all pairs", scores, (20, 50, 200)),
        Pairs("AP, TREC-8: pairs of skewness 3 and more", scores, (20, 50, 200), least_skewness=3.0),
    ]


def of_realsumm(folder: Path, metric: str) -> FloatArray:
    """Return a metric of 25 systems on 100 documents, shape (100, 25)."""
    return np.genfromtxt(folder / f"scores.{metric}.tsv", delimiter="\t", skip_header=1)[:, 1:]


@cache
def _summaries(folder: Path) -> list[Corpus | Pairs]:
    scores, pairs = of_realsumm(folder, "rouge_2_f_score"), ((0, 5), (3, 12))
    pyramids = of_realsumm(folder, "litepyramid_recall")
    return [
        *_of_columns("ROUGE-2, REALSumm", scores, pairs, (20, 50, 100)),
        Pairs("ROUGE-2, REALSumm: all pairs", scores, (20, 50, 200)),
        Pairs("litePyramid, REALSumm: all pairs", pyramids, (20, 50, 200)),
    ]


def _of_segments(path: Path) -> dict[str, FloatArray]:
    """Return scores of segments by system, NaN where a segment has none."""
    found: dict[str, list[float]] = {}
    with path.open(encoding="utf-8") as file:
        for name, _, score in (line.rstrip("\n").partition("\t") for line in file):
            found.setdefault(name, []).append(np.nan if score == "None" else float(score))
    return {name: np.array(scores) for name, scores in found.items()}


_REFERENCES = {"refA", "synthetic_ref"}


@cache
def wmt23_mqm(folder: Path) -> FloatArray:
    """Return the MQM scores of the rated segments by 12 systems, shape (460, 12)."""
    scores = _of_segments(folder / "wmt23" / "human-scores" / "en-de.mqm.seg.score")
    table = np.stack([of for name, of in scores.items() if name not in _REFERENCES], axis=1)
    return np.asarray(table[~np.isnan(table).any(axis=1)])


@cache
def wmt23_metric(folder: Path, metric: str) -> FloatArray:
    """Return a metric's scores of all segments by 12 systems, shape (557, 12)."""
    scores = _of_segments(folder / "wmt23" / "metric-scores" / "en-de" / f"{metric}.seg.score")
    return np.stack([of for name, of in scores.items() if name not in _REFERENCES], axis=1)


@cache
def _metrics(folder: Path) -> list[Corpus | Pairs]:
    return [
        Pairs("MQM, WMT23: all pairs", wmt23_mqm(folder), (20, 50, 200)),
        *(
            Pairs(f"{name}, WMT23: all pairs", wmt23_metric(folder, file), (20, 50, 200))
            for name, file in (("COMET", "COMET-refA"), ("BLEU of segments", "BLEU-refA"), ("GEMBA", "GEMBA-MQM-src"))
        ),
    ]


@cache
def _models(folder: Path) -> list[Corpus | Pairs]:
    """Proportions of correct answers of several models: graded scores."""
    # Names of items have a "#".
    right = np.genfromtxt(folder / "correct.tsv", delimiter="\t", skip_header=1, comments="%")[:, 1:]
    found: list[Corpus | Pairs] = []
    for size in (3, 8):
        scores = np.stack([right[:, k : k + size].mean(axis=1) for k in range(0, 50 // size * size, size)], axis=1)
        found.append(Pairs(f"CRUXEval, means of {size} models: all pairs", scores, (20, 50, 200)))
    return found


@cache
def _annotations(folder: Path) -> list[Corpus | Pairs]:
    """ESA scores of segments and documents, and the annotators' seconds with their breaks."""
    table: dict[str, dict[tuple[str, str], list[tuple[float, float]]]] = {}
    with (folder / "esa_wave2_eng-ces.csv").open(encoding="utf-8") as file:
        for _, system, item, kind, _, _, score, document, _, _, start, end in csv.reader(file):
            odd = "tutorial" in system or "#" in document or document == "canary"
            if kind == "TGT" and not odd:
                own = table.setdefault(system, {}).setdefault((document, item), [])
                own.append((float(score), float(end) - float(start)))
    items = sorted(set.intersection(*(set(own) for own in table.values())))
    values = np.array([[np.mean(own[item], axis=0) for own in table.values()] for item in items])
    documents = _summed(np.column_stack([values[:, :, 0], np.ones(len(items))]), [document for document, _ in items])
    pairs = ((0, 1), (4, 9), (7, 12))
    return [
        Pairs("ESA scores, WMT24: all pairs", values[:, :, 0], (20, 50, 200)),
        *(
            Corpus(
                f"ESA scores of documents, WMT24: systems {i}, {j}",
                Mean(),
                documents[:, [i, -1]],
                documents[:, [j, -1]],
                (30, 80),
            )
            for i, j in pairs
        ),
        Pairs("seconds of annotators, WMT24: all pairs", values[:, :, 1], (20, 50, 200)),
    ]


READERS: tuple[tuple[str, Callable[[Path], Sequence[Corpus | Pairs]]], ...] = (
    ("asr-librispeech-test-clean", _speech),
    ("mt-wmt24-en-cs", _translation),
    ("ner-wnut17", _entities),
    ("ir-trec8-scores", _retrieval),
    ("summ-realsumm", _summaries),
    ("meta-wmt23-en-de", _metrics),
    ("llm-cruxeval", _models),
    ("human-wmt24-esa", _annotations),
)
