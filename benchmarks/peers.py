"""Compare outscore with other tools that test a difference: docs/peers.md and docs/calibration/peers.csv.

    python -m venv build/peers && build/peers/bin/pip install -e . -r benchmarks/peers.txt
    build/peers/bin/python benchmarks/peers.py --write

About ten minutes on one core; `--quick` takes two. Data are in ../shared/data, or in OUTSCORE_DATA. Without them
those of examples/ are used. A tool that is not installed is left out.

Each of 40 data sets is a pair of systems, from which items, or whole clusters, are drawn with replacement. The real run
compares the two: the true difference is that of the whole pair. In the null run there is none, because the systems'
scores are exchanged on a random half of the items or clusters, or because the mean difference was subtracted.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from measuring import DATA, QUICK, ROOT, cpu_seconds, pretty, table, told
from scipy.stats import skew

import outscore

PAGE = ROOT / "docs" / "peers.md"
FIGURES = ROOT / "docs" / "calibration" / "peers.csv"
EXAMPLES = ROOT / "examples"
LEVEL = 0.05
AT_LEVEL = 2.0  # Standard errors of a real difference, which half of the samples find.
RESAMPLES = 999  # In rates. At least 19 are needed at 5%, and sign flips then hold their level exactly.
Array = npt.NDArray[Any]
Row = dict[str, Any]
PARTS = ("false positives", "coverage and power", "BLEU", "time and hard cases")
FAIR = ("0/1", "real", "10 items")  # Most tools keep 5% there, so that their power can be compared.
COUNTS = (
    "samples",
    "null differ",
    "null p < 5%",
    "null covered",
    "real samples",
    "real differ",
    "real p < 5%",
    "real covered",
    "refused",
)
KEYS = ("tool", "version", "kind", "set")
HARD: Mapping[str, tuple[Sequence[float], Sequence[float]]] = {
    "one item, better": ([0.0], [1.0]),
    "50 equal scores": ([1.0, 0.0] * 25, [1.0, 0.0] * 25),
    "3 items, all better": ([0.0] * 3, [1.0] * 3),
}


@dataclass(frozen=True)
class Items:
    """Two systems on the same items: scores between 0 and 1, or texts with references; with clusters or without."""

    baseline: Array
    candidate: Array
    clusters: Array | None = None
    references: Array | None = None

    def at(self, places: Array, clusters: Array | None = None) -> Items:
        references = None if self.references is None else self.references[places]
        return Items(self.baseline[places], self.candidate[places], clusters, references)

    def drawn(self, rng: np.random.Generator, n: int) -> Items:
        """Draw n items, or n clusters, with replacement."""
        if self.clusters is None:
            return self.at(rng.integers(0, len(self.baseline), n))
        groups = [np.flatnonzero(self.clusters == one) for one in rng.choice(np.unique(self.clusters), n)]
        return self.at(np.concatenate(groups), np.repeat(np.arange(n), [len(group) for group in groups]))

    def exchanged(self, rng: np.random.Generator) -> Items:
        """Exchange the systems on a random half of the items or clusters."""
        units = np.arange(len(self.baseline)) if self.clusters is None else self.clusters
        swaps = rng.integers(0, 2, units.max() + 1).astype(bool)[units]
        one, other = (
            np.where(swaps, *two) for two in ((self.candidate, self.baseline), (self.baseline, self.candidate))
        )
        return replace(self, baseline=one, candidate=other)

    def centred(self) -> Items:
        """Subtract the mean difference, and fit the scores into 0 to 1 again."""
        both = np.stack([self.baseline, self.candidate - (self.candidate - self.baseline).mean()])
        one, other = (both - both.min()) / (both.max() - both.min())
        return replace(self, baseline=one, candidate=other)

    @property
    def gain(self) -> float:
        """The true difference of a pair, in BLEU points if they are texts."""
        if self.references is None:
            return float((self.candidate - self.baseline).mean())
        return float(outscore_bleu(self, None).gain)


@dataclass(frozen=True)
class Answer:
    """What a tool says of two systems: whether they differ, and p-value and interval where it has them."""

    differ: bool
    p: float | None = None
    low: float | None = None
    high: float | None = None
    gain: float = math.nan

    def holds(self, truth: float) -> bool:
        return self.low is not None and self.high is not None and self.low - 1e-9 <= truth <= self.high + 1e-9

    def __str__(self) -> str:
        p = "" if self.p is None else f"p = {self.p:.2g}"
        ends = "" if self.low is None or self.high is None else f"[{self.low:.2g}, {self.high:.2g}]"
        return ", ".join([*filter(None, (p, ends)), *(["**differ**"] if self.differ else [])]) or "no difference"


# Adapters: each asks a tool as its documentation does, with its defaults; `resamples` is None or a smaller number.


def by_outscore(items: Items, _: int | None, **options: Any) -> Answer:
    if items.clusters is not None:
        options["clusters"] = items.clusters.tolist()
    [found] = outscore.compare(items.baseline.tolist(), items.candidate.tolist(), **options).comparisons
    differ = str(found.verdict) in {"better", "worse"}
    return Answer(differ, found.p_value, found.interval.low, found.interval.high, found.gain)


def outscore_bleu(items: Items, _: int | None) -> Answer:
    assert items.references is not None
    return by_outscore(items, None, references=items.references.tolist(), metric="bleu")


def abeval(items: Items, resamples: int | None) -> Answer:
    from abeval import paired_compare

    found = paired_compare(items.baseline.tolist(), items.candidate.tolist(), reps=resamples or 10_000)
    return Answer(found.p_permutation < LEVEL, found.p_permutation, found.ci_lo, found.ci_hi)


def errorbars(items: Items, _: int | None) -> Answer:
    from errorbars.compare import paired_compare

    found = paired_compare(items.candidate, items.baseline, clusters=items.clusters)
    if items.clusters is None:
        return Answer(found.p_value < LEVEL, found.p_value, found.ci_low, found.ci_high)
    p = found.p_value_clustered
    return Answer(p < LEVEL, p, found.ci_low_clustered, found.ci_high_clustered)


def evalci(items: Items, resamples: int | None) -> Answer:
    import evalci

    found = evalci.compare(items.candidate, items.baseline, n_resamples=resamples or 9_999, random_state=1)
    return Answer(found.p_value < LEVEL, found.p_value, *found.ci)


def evalsig(items: Items, resamples: int | None) -> Answer:
    from evalsig import compare
    from evalsig.types import ItemResult, RunFrame

    groups = [None] * len(items.baseline) if items.clusters is None else [f"c{one}" for one in items.clusters]
    systems = [
        RunFrame(
            name,
            name,
            "task",
            "score",
            [ItemResult(str(k), *of) for k, of in enumerate(zip(scores, groups, strict=True))],
        )
        for name, scores in (("baseline", items.baseline.tolist()), ("candidate", items.candidate.tolist()))
    ]
    cluster = None if items.clusters is None else "group"
    found = compare(*systems, cluster=cluster, n_resamples=resamples or 10_000)
    return Answer(found.significant, found.p_value, *found.ci)


def evalstats(items: Items, _: int | None) -> Answer:
    import evalstats
    import pandas as pd

    n = len(items.baseline)
    scores = np.concatenate([items.baseline, items.candidate])
    frame = pd.DataFrame({"model": ["baseline"] * n + ["candidate"] * n, "item": [*range(n)] * 2, "score": scores})
    [found] = evalstats.compare(evalstats.load_from(frame), factors="model").to_dict()["pairwise"]
    return Answer(found["significant"], found["p_value"], -found["ci_high"], -found["ci_low"])


def honestboard(items: Items, resamples: int | None) -> Answer:
    from honestboard import Board

    board = Board(["baseline", "candidate"], np.stack([items.baseline, items.candidate]), clusters=items.clusters)
    clustered = items.clusters is not None
    found = board.compare("baseline", "candidate", B=resamples or 5_000, cluster=clustered)
    return Answer(found["p_two_sided"] < LEVEL, found["p_two_sided"], *found["ci"])


def inspect(items: Items, _: int | None) -> Answer:
    """Ask whether the intervals of two logs overlap, as the documentation of `ci` proposes."""
    from inspect_ai.scorer import SampleScore, Score, ci, ci_wilson

    binary = set(np.unique([items.baseline, items.candidate])) <= {0.0, 1.0}
    interval: Any = (ci_wilson if binary else ci)(cluster=None if items.clusters is None else "group")
    groups = np.zeros(len(items.baseline)) if items.clusters is None else items.clusters
    one, other = (
        interval(
            [
                SampleScore(score=Score(value=score), sample_metadata={"group": group})
                for score, group in zip(scores.tolist(), groups.tolist(), strict=True)
            ]
        )
        for scores in (items.baseline, items.candidate)
    )
    return Answer(one["upper"] < other["lower"] or other["upper"] < one["lower"])


def lm_eval(items: Items, _: int | None) -> Answer:
    """Test the difference of two scores by their standard errors, as scripts/model_comparator.py does."""
    from lm_eval.api.metrics import mean, mean_stderr  # type: ignore[import-untyped]

    one, other = items.baseline.tolist(), items.candidate.tolist()
    error = np.hypot(mean_stderr(one), mean_stderr(other))
    p = math.erfc(abs(np.divide(mean(other) - mean(one), error)) / math.sqrt(2))
    return Answer(p < LEVEL, p)


def ranx(items: Items, _: int | None) -> Answer:
    """Ask for DCG@1 of queries for which each run retrieves one document, whose grade is the score."""
    from ranx import Qrels, Run, compare

    scores = {"baseline": items.baseline, "candidate": items.candidate}
    queries = [f"q{k}" for k in range(len(items.baseline))]
    whole = 10**6  # Grades are integers. A millionth is the least difference.
    grades = [{name: round(float(of[k]) * whole) for name, of in scores.items()} for k in range(len(queries))]
    runs = [Run({query: {name: 1.0} for query in queries}, name=name) for name in scores]
    found = compare(Qrels(dict(zip(queries, grades, strict=True))), runs, metrics=["dcg@1"], max_p=LEVEL)
    both = found.comparisons["baseline", "candidate"]["dcg@1"]
    return Answer(bool(both["significant"]), both["p_value"])


def scipy_t(items: Items, _: int | None) -> Answer:
    from scipy.stats import ttest_rel

    found: Any = ttest_rel(items.candidate, items.baseline)
    return Answer(found.pvalue < LEVEL, found.pvalue, *found.confidence_interval())


def scipy_resampling(items: Items, resamples: int | None) -> Answer:
    from scipy.stats import bootstrap, permutation_test

    found: Any = permutation_test(
        (items.candidate, items.baseline),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples",
        n_resamples=resamples or 9_999,
        vectorized=True,
        rng=1,
    )
    differences = (items.candidate - items.baseline,)
    ends = bootstrap(differences, np.mean, n_resamples=resamples or 9_999, rng=1).confidence_interval
    return Answer(found.pvalue < LEVEL, found.pvalue, *ends)


def sacrebleu(items: Items, resamples: int | None, kind: str) -> Answer:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.significance import PairedTest

    assert items.references is not None
    systems = [("baseline", items.baseline.tolist()), ("candidate", items.candidate.tolist())]
    test = PairedTest(systems, {"BLEU": BLEU()}, [items.references.tolist()], kind, n_samples=resamples or 0)
    found: Any = test()[1]["BLEU"][1]
    return Answer(found.p_value < LEVEL, found.p_value)


@dataclass(frozen=True)
class Peer:
    """A tool: the package to install, how to ask it, and what it can do."""

    package: str
    ask: Callable[[Items, int | None], Answer]
    clusters: bool = False
    texts: bool = False
    every: int = 1  # Slow tools are asked about one in so many samples.


PEERS: Mapping[str, Peer] = {
    "outscore": Peer("outscore", by_outscore, clusters=True),
    "abeval": Peer("abeval", abeval, every=10),
    "errorbars": Peer("errorbars", errorbars, clusters=True),
    "evalci": Peer("evalci", evalci),
    "evalsig": Peer("evalsig", evalsig, clusters=True),
    "evalstats": Peer("evalstats", evalstats, every=2),
    "honestboard": Peer("honestboard", honestboard, clusters=True, every=10),
    "Inspect": Peer("inspect-ai", inspect, clusters=True, every=3),
    "lm-eval": Peer("lm-eval", lm_eval),
    "ranx": Peer("ranx", ranx, every=10),
    "SciPy ttest_rel": Peer("scipy", scipy_t),
    "SciPy permutation_test": Peer("scipy", scipy_resampling),
    "outscore -m bleu": Peer("outscore", outscore_bleu, texts=True),
    "sacreBLEU --paired-bs": Peer("sacrebleu", partial(sacrebleu, kind="bs"), texts=True, every=5),
    "sacreBLEU --paired-ar": Peer("sacrebleu", partial(sacrebleu, kind="ar"), texts=True, every=10),
}


def installed(peer: Peer) -> str | None:
    """Return the version of a tool, or nothing where it is not installed."""
    if peer.package == "outscore":
        return outscore.__version__
    try:
        return version(peer.package)
    except PackageNotFoundError:
        return None


@dataclass(frozen=True)
class DataSet:
    """A pair of systems, how many items or clusters are drawn, and how the null is made."""

    name: str
    items: Items
    n: int
    centred: bool = False

    def null(self, rng: np.random.Generator) -> Items:
        return self.items.centred().drawn(rng, self.n) if self.centred else self.items.drawn(rng, self.n).exchanged(rng)


def columns(path: Path, separator: str, first: int = 0) -> dict[str, Array]:
    """Read a table of one system per column."""
    header, *lines = (line.split(separator) for line in path.read_text(encoding="utf-8").splitlines())
    return {name: np.array([float(line[k]) for line in lines]) for k, name in enumerate(header) if k >= first}


def pairs(
    systems: Mapping[str, Array], count: int, rank: Callable[[Array], float], clusters: Array | None = None
) -> Iterator[tuple[str, Items]]:
    """Yield pairs of distinct systems, the better one as the candidate, those of the smallest rank first."""
    ranked = []
    for names in combinations(systems, 2):
        one, other = sorted(names, key=lambda name: float(np.nanmean(systems[name])))
        differences = systems[other] - systems[one]
        differences = differences[~np.isnan(differences)]
        if differences.std() > 0:
            ranked.append((rank(differences), one, other))
    used: set[str] = set()
    for _, one, other in sorted(ranked):
        if not used & {one, other} and count:
            used |= {one, other}
            count -= 1
            kept = ~np.isnan(systems[one] + systems[other])
            groups = None if clusters is None else np.unique(clusters[kept], return_inverse=True)[1]
            yield f"{one} and {other}", Items(systems[one][kept], systems[other][kept], groups)


def size(differences: Array, n: int) -> float:
    """Return how far the difference is from one that half of all samples of n items find."""
    return abs(float(math.sqrt(n) * differences.mean() / differences.std()) - AT_LEVEL)


def human() -> tuple[dict[str, Array], Array]:
    """Return the ratings of systems on segments, and the document of each segment."""
    path = DATA / "human-wmt24-esa" / "esa_wave2_eng-ces.csv"
    cells: dict[tuple[str, str], dict[str, list[float]]] = {}
    with (path if path.is_file() else EXAMPLES / "human" / "esa.csv").open(encoding="utf-8", newline="") as file:
        for _, system, item, kind, _, _, score, document, *_ in csv.reader(file):
            if kind == "TGT" and "tutorial" not in system and not re.search("#dup|#incomplete|^canary$", document):
                cells.setdefault((document, item), {}).setdefault(system, []).append(float(score) / 100)
    systems = sorted({system for of in cells.values() for system in of})
    scores = {system: np.array([np.mean(of.get(system, [np.nan])) for of in cells.values()]) for system in systems}
    return scores, np.unique([document for document, _ in cells], return_inverse=True)[1]


def translations() -> tuple[dict[str, Array], Array]:
    """Return the translations of systems, and the references."""
    folder = DATA / "mt-wmt21-de-en"
    if folder.is_dir():
        paths, reference = sorted((folder / "systems").glob("*.txt")), folder / "ref.A.en.txt"
    else:
        folder = EXAMPLES / "designs"
        paths, reference = sorted([*folder.glob("base.*.txt"), *folder.glob("new.*.txt")]), folder / "reference.txt"
    lines = {path.stem: np.array(path.read_text("utf-8").removesuffix("\n").split("\n")) for path in paths}
    return lines, np.array(reference.read_text("utf-8").removesuffix("\n").split("\n"))


def made(n: int) -> Iterator[tuple[str, Items]]:
    """Yield made differences with long tails, of a true mean of about two standard errors of n items."""
    rng = np.random.default_rng(7)
    many = 20_000  # items, of which samples are drawn
    rare = rng.random(many) < 0.05
    kinds = {
        "exponential": rng.exponential(size=many),
        "log-normal": np.exp(rng.normal(size=many)),
        "rare gains": rare + 0.1 * rng.normal(size=many),
        "rare losses": -1.0 * rare + 0.1 * rng.normal(size=many),
        "rare gains and losses": rare * rng.choice([-1.0, 3.0], many) + 0.1 * rng.normal(size=many),
    }
    for name, values in kinds.items():
        differences = (values - values.mean()) / values.std() + AT_LEVEL / math.sqrt(n)
        baseline = rng.normal(size=many)
        both = np.stack([baseline, baseline + differences])
        one, other = (both - both.min()) / (both.max() - both.min())
        yield name, Items(one, other)


def data_sets() -> dict[str, list[DataSet]]:
    """Return the data sets by kind: 35 of scores and five of texts."""
    answers = columns(EXAMPLES / "cruxeval" / "correct.tsv", "\t", first=1)
    ratings, documents = human()
    trec = DATA / "ir-trec8-scores"
    retrieval = (
        {kind: columns(trec / f"adhoc8_{kind}.csv", ",") for kind in ("ap", "p10", "rr")} if trec.is_dir() else {}
    )
    precision = retrieval.get("ap", ratings)
    summaries = DATA / "summ-realsumm" / "scores.litepyramid_recall.tsv"
    pyramid = columns(summaries, "\t", first=1) if summaries.is_file() else ratings

    def skewed(differences: Array) -> float:
        return -abs(float(skew(differences))) if size(differences, 50) < 0.5 else 1.0

    lines, references = translations()
    repeated = [
        (f"{name}, five times", Items(*(np.repeat(of, 5) for of in (items.baseline, items.candidate, np.arange(800)))))
        for name, items in pairs(answers, 2, lambda d: size(d, 40))
    ]
    texts = [
        (f"{one} and {other}", Items(lines[one], lines[other], references=references))
        for one, other in list(zip(lines, [*lines][1:], strict=False))[::2][:5]
    ]
    kinds: dict[str, list[DataSet]] = {
        "0/1": [DataSet(*of, n=100) for of in pairs(answers, 5, lambda d: size(d, 100))],
        "few differ": [DataSet(*of, n=60) for of in pairs(answers, 5, lambda d: float((d != 0).mean()))],
        "real": [
            DataSet(*of, n=50)
            for scores, count in ((precision, 3), (pyramid, 2))
            for of in pairs(scores, count, lambda d: size(d, 50))
        ],
        "skewed": [
            DataSet(*of, n=50, centred=True)
            for scores, count in ((precision, 2), (retrieval.get("rr", ratings), 2), (pyramid, 1))
            for of in pairs(scores, count, skewed)
        ],
        "long tails": [DataSet(*of, n=100, centred=True) for of in made(100)],
        "10 items": [
            DataSet(*of, n=10)
            for scores, count in ((precision, 3), (answers, 2))
            for of in pairs(scores, count, lambda d: size(d, 10))
        ],
        "clusters": [
            *(DataSet(*of, n=40) for of in pairs(ratings, 3, lambda d: size(d, 60), documents)),
            *(DataSet(*of, n=40) for of in repeated),
        ],
        "BLEU": [DataSet(*of, n=100) for of in texts],
    }
    return kinds


def measured(name: str, kind: str, one: DataSet, place: Sequence[int], nulls: int, reals: int) -> Row:
    """Ask a tool about samples of a data set, and count its claims and the intervals that hold the truth."""
    peer, counts = PEERS[name], Counter[str]()
    for run, samples in (("null", nulls), ("real", reals)):
        truth = 0.0 if run == "null" else one.items.gain
        for k in range(0, samples, peer.every):
            rng = np.random.default_rng([*place, run == "null", k])
            items = one.null(rng) if run == "null" else one.items.drawn(rng, one.n)
            try:
                answer = peer.ask(items, RESAMPLES)
            except Exception:  # Each tool has errors of its own.
                counts["refused"] += 1
                continue
            counts["samples" if run == "null" else "real samples"] += 1
            counts[f"{run} differ"] += answer.differ
            counts[f"{run} p < 5%"] += answer.p is not None and answer.p < LEVEL
            counts[f"{run} covered"] += answer.holds(truth)
    return {
        "tool": name,
        "version": installed(peer),
        "kind": kind,
        "set": one.name,
        **{key: counts[key] for key in COUNTS},
    }


def rows_of(names: Sequence[str], kinds: Mapping[str, list[DataSet]], nulls: int, reals: int) -> Iterator[Row]:
    for name in names:
        start = time.process_time()
        for i, (kind, sets) in enumerate(kinds.items()):
            if PEERS[name].texts == (kind == "BLEU"):
                yield from (measured(name, kind, one, (i, j), nulls, reals) for j, one in enumerate(sets))
        told(f"{name}: {time.process_time() - start:.0f} s")


def timed_items(texts: bool) -> list[Items]:
    """Return what tools are timed on: 200 binary and 200 real scores, or 100 translations."""
    rng = np.random.default_rng(1)
    if texts:
        lines, references = translations()
        one, other = [*lines.values()][:2]
        return [Items(one[:100], other[:100], references=references[:100])]
    right, real = rng.random(200), rng.random(200) / 2
    return [
        Items((right < 0.6) * 1.0, (right + 0.1 * rng.normal(size=200) < 0.65) * 1.0),
        Items(real, real + 0.5 * rng.random(200)),
    ]


def seconds(name: str) -> list[float]:
    """Return the least processor seconds of a comparison, by kind of scores."""
    times = []
    for items in timed_items(PEERS[name].texts):
        PEERS[name].ask(items, None)  # The first loads modules, and ranx compiles.
        times.append(cpu_seconds(partial(PEERS[name].ask, items, None), repeats=3))
    return times


def said(name: str, items: Items) -> str:
    """Return what a tool answers, or the kind of its error."""
    try:
        return str(PEERS[name].ask(items, None))
    except Exception as error:
        return f"`{type(error).__name__}`"


def rate(rows: Iterable[Row], part: str, whole: str = "samples") -> float | None:
    """Return a rate in %, or nothing where there is nothing to count."""
    counts = [(int(row[part]), int(row[whole])) for row in rows]
    samples = sum(n for _, n in counts)
    return 100 * sum(k for k, _ in counts) / samples if samples else None


def total(row: Row, keys: Iterable[str]) -> int:
    return sum(int(row[key]) for key in keys)


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def mean_of(values: Collection[float]) -> float | None:
    return sum(values) / len(values) if values else None


def rate_tables(rows: Sequence[Row]) -> list[str]:
    """Return the tables of false positives, of coverage and power, and of BLEU, from the rows of the CSV."""
    kinds = list(dict.fromkeys(row["kind"] for row in rows if row["kind"] != "BLEU"))
    plain = [kind for kind in kinds if kind != "clusters"]
    by: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by.setdefault((row["tool"], row["kind"]), []).append(row)
    names = list(dict.fromkeys(row["tool"] for row in rows if row["kind"] != "BLEU"))

    def covered(name: str, kind: str) -> float | None:
        held, samples = (("null covered", "real covered"), ("samples", "real samples"))
        counts = [{"held": total(row, held), "of": total(row, samples)} for row in by[name, kind]]
        return rate(counts, "held", "of") or None  # A tool without intervals holds nothing.

    false = []
    for name in names:
        marks = ["" if kind != "clusters" or PEERS[name].clusters else "\\*" for kind in kinds]
        cells = [percent(rate(by[name, kind], "null differ")) + mark for kind, mark in zip(kinds, marks, strict=True)]
        samples = sum(int(row["samples"]) for row in by[name, kinds[0]])
        false.append((f"{name} {by[name, kinds[0]][0]['version']}", *cells, f"{samples}"))
    quality = []
    for name in names:
        known = {kind: value for kind in plain if (value := covered(name, kind)) is not None}
        least = min(known, key=known.__getitem__, default="")
        lowest = f"{percent(known[least])} ({least})" if known else "–"
        power = [percent(rate(by[name, kind], "real differ", "real samples")) for kind in FAIR]
        quality.append((name, percent(mean_of(known.values())), lowest, percent(covered(name, "clusters")), *power))
    texts = []
    for name in dict.fromkeys(row["tool"] for row in rows if row["kind"] == "BLEU"):
        found = by[name, "BLEU"]
        null, real = rate(found, "null differ"), rate(found, "real differ", "real samples")
        samples = sum(int(row["samples"]) for row in found)
        cells = [*map(percent, (null, covered(name, "BLEU"), real)), f"{samples}"]
        texts.append((f"{name}, {found[0]['version']}", *cells))
    return [
        table(("tool", *kinds, "samples"), false),
        table(("tool", "coverage", "lowest", "clusters", *(f"power, {kind}" for kind in FAIR)), quality),
        table(("BLEU", "false positives", "coverage", "power", "samples"), texts),
    ]


def other_table(names: Sequence[str]) -> str:
    """Return the table of processor times, as multiples of outscore's, and of answers in hard cases."""
    times = {name: seconds(name) for name in names}
    cases = {case: Items(*map(np.array, both)) for case, both in HARD.items()}

    def cells(name: str) -> list[str]:
        ours = times.get("outscore -m bleu" if PEERS[name].texts else "outscore", times[name])
        beside = [
            pretty(one) if one is of else f"{float(f'{one / of:.2g}'):g} ×"
            for one, of in zip(times[name], ours, strict=True)
        ]
        if PEERS[name].texts:
            return [name, *beside, *["–"] * (1 + len(cases))]
        return [name, *beside, *(said(name, items) for items in cases.values())]

    return table(("tool", "0/1", "real", *cases), map(cells, names))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a fifteenth of the samples")
    parser.add_argument("--nulls", type=int, default=10 if QUICK else 150, help="null samples of each data set")
    parser.add_argument("--reals", type=int, default=10 if QUICK else 50, help="samples with the real difference")
    parser.add_argument("--only", nargs="*", choices=PEERS, help="tools to compare (default: all that are installed)")
    parser.add_argument("--csv", type=Path, help="where the counts are written (default: a temporary folder)")
    parser.add_argument("--measured", action="store_true", help="read the counts from the CSV, and draw no samples")
    parser.add_argument("--write", action="store_true", help="write the page and its CSV, beside printing the tables")
    options = parser.parse_args()
    keeps = options.write or options.measured
    counts = options.csv or (FIGURES if keeps else Path(tempfile.gettempdir()) / FIGURES.name)
    warnings.simplefilter("ignore")
    names = [name for name in options.only or PEERS if installed(PEERS[name])]
    for name in PEERS:
        if not installed(PEERS[name]):
            told(f"{name}: not installed")
    if not options.measured:
        with counts.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*KEYS, *COUNTS], lineterminator="\n")
            writer.writeheader()
            for row in rows_of(names, data_sets(), options.nulls, options.reals):
                writer.writerow(row)
                file.flush()
    with counts.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    tables = [*rate_tables(rows), other_table(names)]
    print("\n\n".join(tables))
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        for part, new in zip(PARTS, tables, strict=True):
            start, end = f"<!-- {part}, written by benchmarks/peers.py -->", "<!-- end -->"
            before, after = text.split(start)
            text = f"{before}{start}\n\n{new}\n\n{end}{after.partition(end)[2]}"
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
