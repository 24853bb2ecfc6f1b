"""Error rates of `outscore meta` on null hypotheses made from WMT23, English to German.

    python benchmarks/meta_nulls.py DATA [--write]

It writes docs/calibration/meta.csv and its table in docs/human-measured.md. DATA is a folder of mt-metrics-eval, wmt23.
Two metrics are standardised, and their scores are exchanged on each document with probability ½, so that neither is
better. In the second kind of null the documents are drawn with replacement before. Seeds are fixed.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from outscore._types import IntArray
from outscore.wings.metaeval.asking import ask_meta
from outscore.wings.metaeval.judgements import Judgements, standardised
from outscore.wings.metaeval.reading.tables import MetaReading, read_judgements

PAIRS = (
    ("XCOMET-Ensemble-refA", "MetricX-23-refA"),
    ("COMET-refA", "CometKiwi-src"),
    ("GEMBA-MQM-src", "BERTscore-refA"),
)
STATISTICS = {"acc-t": 1000, "pearson": 1000, "kendall-item": 1000, "pearson-system": 400, "spa": 200}
RESAMPLES = 1000
LEVELS = (0.05, 0.01)


@dataclass(frozen=True)
class Rate:
    """How often a test rejected.

    Attributes
    ----------
    rejected : tuple of int
        At each of `LEVELS`.
    sets : int
    """

    rejected: tuple[int, ...]
    sets: int


def read_pair(root: Path, one: str, other: str) -> Judgements:
    """Return the rated segments of two metrics, standardised."""
    files = [
        root / "human-scores/en-de.mqm.seg.score",
        *(root / f"metric-scores/en-de/{name}.seg.score" for name in (one, other)),
    ]
    (data,) = read_judgements(list(map(str, files)), MetaReading())
    data = taken(data, np.flatnonzero(data.rated.all(axis=0)))
    return replace(
        data, metrics={name: standardised(scores) for name, scores in data.metrics.items()}, system_scores={}
    )


def taken(data: Judgements, places: IntArray) -> Judgements:
    """Return the judgements of some of the segments."""
    return replace(
        data,
        items=tuple(data.items[place] for place in places.tolist()),
        human=data.human[:, places],
        metrics={name: scores[:, places] for name, scores in data.metrics.items()},
        documents=None if data.documents is None else tuple(data.documents[place] for place in places.tolist()),
    )


def null_data(data: Judgements, rng: np.random.Generator, *, resampled: bool) -> Judgements:
    """Return judgements with two metrics exchanged on random documents, which may be drawn with replacement."""
    documents = np.array(data.documents)
    names = np.unique(documents)
    if resampled:
        drawn = rng.choice(len(names), len(names))
        parts = [np.flatnonzero(documents == names[place]) for place in drawn]
        places = np.concatenate(parts)
        data = taken(data, places)
        documents = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        items = tuple(map(str, range(len(places))))
        data = replace(data, items=items, documents=tuple(map(str, documents)))
    _, codes = np.unique(documents, return_inverse=True)
    swapped = (rng.random(codes.max() + 1) < 0.5)[codes]
    (one, first), (other, second) = data.metrics.items()
    metrics = {one: np.where(swapped, second, first), other: np.where(swapped, first, second)}
    return replace(data, metrics=metrics)


def null_rate(data: Judgements, statistic: str, sets: int, seed: int, *, resampled: bool) -> Rate:
    """Return how often the default test of a statistic rejects a null hypothesis."""
    rng = np.random.default_rng(seed)
    question = ask_meta(statistic=statistic, n_resamples=RESAMPLES)
    p = np.array([question.answer([null_data(data, rng, resampled=resampled)]).pairs[0].p_value for _ in range(sets)])
    return Rate(tuple(int((p <= level).sum()) for level in LEVELS), sets)


def main() -> None:
    """Measure, and write the data file."""
    import figures

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true", help="docs/calibration/meta.csv, and its table")
    given = parser.parse_args()
    rows = []
    for statistic, sets in STATISTICS.items():
        for place, (one, other) in enumerate(PAIRS):
            data = read_pair(given.data, one, other)
            for resampled, called in ((False, "swapped"), (True, "swapped, drawn")):
                rate = null_rate(data, statistic, sets, 100 + place, resampled=resampled)
                rates = (f"{100 * count / rate.sets:.1f}" for count in rate.rejected)
                names = " and ".join(name.rpartition("-")[0] for name in (one, other))
                rows.append((statistic, names, called, *rates, str(rate.sets)))
                print(", ".join(rows[-1]), flush=True)
    if given.write:
        figures.write("meta", ("statistic", "metrics", "null", "at_5", "at_1", "data_sets"), rows)
        figures.renew()


if __name__ == "__main__":
    main()
