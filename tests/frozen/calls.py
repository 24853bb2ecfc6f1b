"""Python calls of the frozen corpus: each is a function without arguments, called in the folder of `inputs`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import outscore
from outscore import Level, Rates, Rows, Scores, Spread, StudyOptions
from outscore._types import FloatArray
from tests.kit import output_metric
from tests.reports.kit import Shown
from tests.studies.kit import ScaledFit

BASE = [1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0]
NEW = [1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1]
THIRD = [0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1]
IDS = [f"q{i}" for i in range(12)]
ORDER = [3, 1, 0, 5, 4, 2, 11, 7, 6, 10, 8, 9]
DOCS = [f"d{i // 2}" for i in range(12)]
PARTS = ["news", "news", "web", "web"] * 3
REALS = [0.4, 0.1, 0.9, 0.3, 0.2, 0.6, 0.5, 0.8, 0.3, 0.7, 0.2, 0.4]
OTHERS = [0.5, 0.3, 0.8, 0.4, 0.6, 0.7, 0.4, 0.9, 0.6, 0.8, 0.1, 0.7]
REFERENCES = ["the cat sat on the mat", "dogs bark at night", "it rains in the town", "she reads a long book"] * 6
ONE = ["the cat sat on a mat", "dogs bark in night", "it rain in town", "she read a book"] * 6
TWO = ["the cat sat on the mat", "dogs bark at the night", "it rains in a town", "she reads the long book"] * 6
GOLD_TAGS = [["B-PER", "I-PER", "O"], ["B-LOC", "O", "B-PER"]] * 3
TAGS = [["B-PER", "O", "O"], ["O", "O", "B-PER"]] * 3
BETTER_TAGS = [["B-PER", "I-PER", "O"], ["B-LOC", "O", "O"]] * 3
COUNTS = np.array([[1, 2, 2], [0, 1, 2], [2, 2, 3], [1, 1, 1]] * 3)
MORE_COUNTS = np.array([[2, 2, 2], [1, 1, 2], [2, 3, 3], [1, 2, 1]] * 3)

CALLS: dict[str, Callable[[], object]] = {}
few: dict[str, Any] = {"n_resamples": 50}


def call(function: Callable[[], object]) -> Callable[[], object]:
    CALLS[function.__name__.replace("_", " ")] = function
    return function


def calls(start: str, cases: Mapping[str, Callable[[], object]]) -> None:
    named = {f"{start}: {name}": function for name, function in cases.items()}
    assert not named.keys() & CALLS.keys()
    CALLS.update(named)


def by_id(scores: Sequence[Any], order: Sequence[int] = ORDER) -> dict[str, Any]:
    return {IDS[i]: scores[i] for i in order}


def frame(scores: Sequence[Any], order: Sequence[int] = range(12)) -> dict[str, list[Any]]:
    return {"id": [IDS[i] for i in order], "score": [scores[i] for i in order]}


def p_of(*systems: Any, **options: Any) -> list[Any]:
    """Return figures of a comparison: where only the systems are told in other ways these are enough."""
    found = outscore.compare(*systems, **{"tests": "randomization"} | options)
    return [(c.baseline, c.candidate, c.gain, c.tests[0].p_value, c.interval.low) for c in found.comparisons]


def compare(*systems: Any, **options: Any) -> Callable[[], object]:
    return lambda: outscore.compare(*systems, **options)


def board(**options: Any) -> Scores:
    systems = {"old": BASE, "new": NEW, "third": THIRD}
    return outscore.read(systems, metric="accuracy", **options)


def long_frame() -> dict[str, list[Any]]:
    systems = {"a": BASE, "b": NEW, "c": THIRD}
    return {
        "system": [name for name in systems for _ in IDS],
        "item": IDS * 3,
        "score": [score for scores in systems.values() for score in scores],
        "family": [name for name in ("old", "new", "new") for _ in IDS],
        "cluster": DOCS * 3,
    }


def in_threads(ask: Callable[[ThreadPoolExecutor], object]) -> object:
    with ThreadPoolExecutor(2) as pool:
        return ask(pool)


@dataclass(frozen=True)
class Own(outscore.OutputMetric[str, str], outscore.RatioMetric):
    """Characters of output for each of the reference."""

    name = "length-ratio"
    statistics = ("output", "reference")
    numerator, denominator = (1.0, 0.0), (0.0, 1.0)
    higher_is_better = True
    output_type = reference_type = str
    citation = "none"

    def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
        return np.array([(len(a), len(b)) for a, b in zip(outputs, references, strict=True)], dtype=np.float64)


def shared_words(outputs: Sequence[str], references: Sequence[str]) -> float:
    pairs = zip(outputs, references, strict=True)
    return float(np.mean([len({*a.split()} & {*b.split()}) for a, b in pairs])) ** 2


calls(
    "systems",
    {
        "lists": lambda: p_of(BASE, NEW),
        "arrays": lambda: p_of(np.array(BASE), np.array(NEW, dtype=bool), metric="accuracy"),
        "tuples and three": lambda: p_of(tuple(BASE), NEW, THIRD, names=["a", "b", "c"]),
        "mappings": lambda: p_of(by_id(BASE), by_id(NEW, range(12))),
        "pandas frames": lambda: p_of(pd.DataFrame(frame(BASE)), pd.DataFrame(frame(NEW, ORDER))),
        "pandas by index": lambda: p_of(pd.DataFrame({"s": BASE}), pd.DataFrame({"s": NEW}).sort_values("s")),
        "pandas series": lambda: p_of(pd.Series(BASE, index=IDS), pd.Series(NEW, index=IDS)[::-1]),
        "polars frames": lambda: p_of(pl.DataFrame(frame(BASE)), pl.DataFrame(frame(NEW, ORDER))),
        "polars series": lambda: p_of(pl.Series("a", BASE), pl.Series("b", NEW)),
        "Rows": lambda: p_of(Rows("x", np.array(BASE, float)[:, None]), Rows("y", np.array(NEW, float)[:, None])),
        "one frame of all": lambda: outscore.score(pl.DataFrame({"a": BASE, "b": NEW}), **few),
        "paths": lambda: p_of(Path("base.csv"), "new.csv", metric="accuracy"),
        "a column of a path": lambda: p_of("right.csv:s1", "right.csv:s6", metric="accuracy"),
        "a path and a mapping": lambda: p_of("base.csv", {f"q{i}": i % 2 for i in range(24)}),
        "parquet": lambda: p_of("base.parquet", "new.jsonl"),
        "named columns": lambda: p_of("base.csv", "new.csv", id_column="id", score_column="score"),
        "dropped items": lambda: p_of("base.csv", "few.csv", drop_missing=True),
        "dropped in memory": lambda: p_of(by_id(BASE), by_id(NEW, ORDER[2:]), drop_missing=True),
        "counts": compare(COUNTS, MORE_COUNTS, metric="f1", **few),
        "counts in a frame": compare(
            pd.DataFrame(COUNTS, columns=["tp", "predicted", "gold"]),
            pd.DataFrame(MORE_COUNTS, columns=["tp", "predicted", "gold"]),
            metric=outscore.Precision(),
            **few,
        ),
        "kept rows": compare("kept/one.bleu.npz", "kept/two.bleu.npz", **few),
        "kept rows and outputs": compare("kept/one.bleu.npz", "two.txt", references="gold.txt", **few),
    },
)

calls(
    "compare",
    {
        "default": compare(BASE, NEW),
        "three": compare(BASE, NEW, THIRD, metric="accuracy", **few),
        "all tests": compare(BASE, NEW, metric="accuracy", tests="all", double_check=True),
        "tests by class": compare(REALS, OTHERS, tests=[outscore.PairedT(), outscore.Wilcoxon(), outscore.Sign()]),
        "a test of options": compare(REALS, OTHERS, tests=outscore.Bootstrap(), interval="bca", **few),
        "monte carlo": compare(REALS, OTHERS, method="monte-carlo", seed=3, estimator="plain", ties="strict", **few),
        "less": compare(REALS, OTHERS, alternative=outscore.Alternative.LESS, lower_is_better=True),
        "not worse": compare(BASE, NEW, metric="accuracy", claim="not-worse", margin=0.1, alpha=0.1),
        "not worse, in per cent": compare(BASE, NEW, metric="accuracy", claim="not-worse", margin="10%"),
        "equivalent": compare(REALS, OTHERS, claim=outscore.Claim.EQUIVALENT, margin=0.3, interval="basic", **few),
        "clusters": compare(REALS, OTHERS, clusters=DOCS, confidence_level=0.9, **few),
        "clusters by id": compare(by_id(BASE), by_id(NEW), clusters=dict(zip(IDS, DOCS, strict=True))),
        "clusters of a series": compare(BASE, NEW, clusters=pd.Series(DOCS), tests="randomization"),
        "clusters of a column": compare("base.csv", "new.csv", clusters="doc", metric="accuracy", **few),
        "clusters of a file": compare("base.txt", "new.txt", clusters="documents.txt", metric="accuracy", **few),
        "strata": compare(REALS, OTHERS, strata=PARTS, **few),
        "strata and clusters": compare(BASE, NEW, strata=["x"] * 6 + ["y"] * 6, clusters=DOCS, **few),
        "collapsed strata": compare(BASE, NEW, strata=["x"] + ["y"] * 11, collapse_strata=True, **few),
        "several metrics": compare(BASE, NEW, THIRD, metric=["accuracy", "mean"], **few),
        "metrics by class": compare(BASE, NEW, metric=[outscore.Accuracy(), outscore.Mean(higher_is_better=False)]),
        "same systems": compare(BASE, BASE, metric="accuracy"),
        "names": compare(BASE, NEW, names=["old & grey", "new_one"]),
        "unpaired": compare(REALS, OTHERS[:9], NEW, unpaired=True),
        "unpaired, two tests": compare(
            BASE, NEW[:7], unpaired=True, tests=["welch", "rank-sum"], alternative="greater"
        ),
        "an executor": lambda: in_threads(
            lambda pool: outscore.compare(COUNTS, MORE_COUNTS, metric="f1", executor=pool, **few)
        ),
        "references": compare(ONE, TWO, references=REFERENCES, metric="bleu", **few),
        "references in files": compare(
            "one.txt", "two.txt", references="gold.txt", metric=output_metric("bleu"), **few
        ),
        "mixed outputs": compare(ONE, "two.txt", references=Path("gold.txt"), metric="chrf", **few),
        "several references": compare("one.txt", "two.txt", references=["gold.txt", "gold2.txt"], metric="chrf", **few),
        "references of several metrics": compare(ONE, TWO, references=REFERENCES, metric=["ter", "rouge1"], **few),
        "labels by id": compare(by_id(BASE), by_id(NEW), references=by_id(THIRD), metric="kappa", **few),
        "numbers": compare(REALS, OTHERS, references=NEW, metric="pearson", method="monte-carlo", **few),
        "ranks": compare(REALS, OTHERS, references=THIRD[::-1], metric="spearman", tests="bootstrap", **few),
        "tags": compare(
            TAGS,
            BETTER_TAGS,
            references=GOLD_TAGS,
            metric=output_metric("span-f1"),
            tests=["auto", "randomization-by-response"],
        ),
        "answers": compare(["x", "y", "z"], ["x", "b", "c"], references=[["x", "w"], "b", ["d"]], metric="token-f1"),
        "links": compare([[(0, 0)], [(1, 0)]], [[(0, 1)], [(1, 1)]], references=[[(0, 1)], [(1, 1)]], metric="aer"),
        "a format": compare(
            "one.said.jsonl",
            "two.said.jsonl",
            references="gold.said.jsonl",
            metric="chrf",
            input_format="jsonl:field=text",
            **few,
        ),
        "a metric of one's own": compare(ONE, TWO, references=REFERENCES, metric=Own(), **few),
        "any function": compare(
            ONE,
            TWO,
            references=REFERENCES,
            metric=outscore.Recomputed(shared_words, name="words"),
            tests="bootstrap",
            **few,
        ),
        "metric options": compare("one.txt", "two.txt", references="gold.txt", metric="bleu:tokenize=char", **few),
    },
)


calls(
    "rank",
    {
        "a mapping": lambda: outscore.rank({"a": BASE, "b": NEW, "c": THIRD}, metric="accuracy", **few),
        "a mapping of paths": lambda: outscore.rank({"a": "base.csv", "b": "new.csv"}, metric="accuracy", **few),
        "paths": lambda: outscore.rank(["base.csv", "new.csv", "third.csv"], metric="accuracy", **few),
        "a board": lambda: outscore.rank("board.toml", **few),
        "a table": lambda: outscore.rank("long.csv", metric="accuracy", **few),
        "a polars frame": lambda: outscore.rank(pl.DataFrame(long_frame()), metric="accuracy", **few),
        "a pandas frame": lambda: outscore.rank(pd.DataFrame(long_frame()), metric=["accuracy", "mean"], **few),
        "a leaderboard": lambda: outscore.rank(board(families={"old": "x", "new": "y"}), **few),
        "tests": lambda: outscore.rank(
            {"a": REALS, "b": OTHERS, "c": NEW}, tests=["randomization", "paired-t"], correction="bh", **few
        ),
        "no max-t": lambda: outscore.rank({"a": REALS, "b": OTHERS, "c": NEW}, max_t=False, alpha=0.1, **few),
        "clusters": lambda: outscore.rank({"a": BASE, "b": NEW}, clusters=DOCS, alternative="greater", **few),
        "strata": lambda: outscore.rank({"a": BASE, "b": NEW}, strata=PARTS, correction="none", **few),
        "references": lambda: outscore.rank(
            {"a": ONE, "b": TWO}, references=REFERENCES, metric=["chrf", "ter"], method="monte-carlo", **few
        ),
        "ranks": lambda: outscore.rank(
            {"a": REALS, "b": OTHERS, "c": REALS},
            references=THIRD[::-1],
            metric="spearman",
            tests=["bootstrap", "randomization"],
            **few,
        ),
        "intervals": lambda: outscore.rank({"a": REALS, "b": OTHERS, "c": NEW}, interval="bca", **few),
        "intervals of a test": lambda: outscore.rank(
            {"a": BASE, "b": NEW, "c": THIRD}, tests="randomization", interval="test", **few
        ),
        "outputs in files": lambda: outscore.rank(["one.txt", "two.txt"], references="gold.txt", metric="ter", **few),
        "a board of outputs": lambda: outscore.rank("fewer.toml", metric="chrf", **few),
        "families of a file": lambda: outscore.rank(
            "right.csv", families="systems.tsv:group", metric="accuracy", **few
        ),
        "read": lambda: outscore.rank("board.toml", metric="mean", **few),
        "read with labels": lambda: outscore.rank("right.csv", metric="accuracy", clusters="document", **few),
        "from scores": lambda: outscore.rank(board(clusters=DOCS), seed=4, estimator="plain", ties="strict", **few),
        "from a frame": lambda: outscore.rank(pl.DataFrame(long_frame()), metric="accuracy", **few),
        "from a wide frame": lambda: outscore.rank(
            pd.DataFrame({"item": IDS, "a": REALS, "b": OTHERS, "doc": DOCS}),
            clusters="doc",
            lower_is_better=True,
            **few,
        ),
        "what a board knows": lambda: [
            (one.names, one.families, tuple(metric.name for metric in one.metrics))
            for one in (board(), outscore.read("board.toml"))
        ],
    },
)
calls(
    "score",
    {
        "one": lambda: outscore.score(BASE, metric="accuracy"),
        "several": lambda: outscore.score(REALS, OTHERS[:9], names=["a", "b"], **few),
        "a mapping": lambda: outscore.score({"a": BASE, "b": NEW}, metric=["accuracy", "mean"], **few),
        "a list of paths": lambda: outscore.score(["base.csv", "new.csv"], metric="accuracy", **few),
        "clusters": lambda: outscore.score(REALS, OTHERS, clusters=DOCS, confidence_level=0.8, **few),
        "strata": lambda: outscore.score("base.csv", strata="domain", **few),
        "outputs": lambda: outscore.score(ONE, TWO, references=REFERENCES, metric=["bleu", "ter"], **few),
        "counts": lambda: outscore.score(COUNTS, metric="f1", method="monte-carlo", seed=2, **few),
        "dropped": lambda: outscore.score("base.csv", "few.csv", drop_missing=True, clusters="doc", **few),
        "lower is better": lambda: outscore.score(REALS, lower_is_better=True, alpha=0.1),
    },
)


def small_pilot(**options: Any) -> outscore.Pilot:
    return outscore.pilot("right.csv:s1", "right.csv:s6", metric="accuracy", n_sets=128, **options)


calls(
    "plan",
    {
        "power": lambda: outscore.plan_power(Rates(hurt=0.05), [100, 500], 0.02),
        "power of a spread": lambda: outscore.plan_power(Spread(0.4), 100, [0.1, 0.2], tests=["paired-t", "sign"]),
        "power of a pilot": lambda: outscore.plan_power(small_pilot(seed=2), 100, "10%"),
        "power of a claim": lambda: outscore.plan_power(Spread(0.4), 100, claim="not-worse", margin=0.1),
        "power of rates": lambda: outscore.plan_power(Rates(0.05, 0.08), 1000, level=Level(0.01, 2)),
        "gain": lambda: outscore.plan_gain(Rates(hurt=0.05), 500, target="90%", tests="mcnemar"),
        "gain of a pilot": lambda: outscore.plan_gain(small_pilot(), 100, tests="paired-t"),
        "gain of strata": lambda: outscore.plan_gain(small_pilot(strata="domain"), 100, tests="randomization"),
        "items": lambda: outscore.plan_items(Spread(0.4), [0.2], level=Level(alternative=outscore.Alternative.GREATER)),
        "items of a claim": lambda: outscore.plan_items(Rates(hurt=0.05), claim="equivalent", margin="2%"),
        "items of a pilot": lambda: outscore.plan_items(
            outscore.pilot(REALS * 2, OTHERS * 2, n_sets=128, n_checks=3, names=["x", "y"]), 0.3, tests="paired-t"
        ),
        "table": lambda: outscore.plan_table([100, 200], "2%", hurt_percents=[0, 5, 10]),
        "table of a test": lambda: outscore.plan_table(100, [0.01, 0.02], test="sign", hurt_percents="5%", alpha=0.01),
        "pilots": lambda: [
            pilot.describe()
            for pilot in (
                outscore.pilot(REALS, OTHERS),
                outscore.pilot("real.csv:s0", "real.csv:s1", clusters="document", lower_is_better=True),
                outscore.pilot("one.txt", "two.txt", references="gold.txt", metric="chrf", names=["a", "b"]),
            )
        ],
    },
)


def study_board(name: str = "right.csv", **options: Any) -> Scores:
    return outscore.read(name, metric="accuracy", **options)


def options(**changed: Any) -> StudyOptions:
    resampling = outscore.significance.Resampling(n_resamples=50)
    asked: dict[str, Any] = {"rule": ScaledFit(), "resampling": resampling}
    return StudyOptions(**asked | changed)


calls(
    "study",
    {
        "gain": lambda: outscore.study_gain(study_board(), options()),
        "gain with relations": lambda: outscore.study_gain(
            study_board(families="systems.tsv:group"), options(min_pairs=1), relations={"s5": "combination"}
        ),
        "gain by another test": lambda: outscore.study_gain(
            study_board(), options(test=outscore.McNemar(), ties="strict")
        ),
        "size": lambda: outscore.study_size(study_board(), [8, 16], options(), subsets=2),
        "domains": lambda: outscore.study_domains(
            {"all": study_board(), "half": study_board("half.csv")}, options(), subsets=2
        ),
        "domains of strata": lambda: outscore.study_domains(
            study_board(strata="domain"), options(), subsets=1, items=12
        ),
        "calibration": lambda: outscore.study_calibration(study_board(), options(), items=12, repeats=3),
        "transfer": lambda: outscore.study_transfer(
            study_board(), {"half": study_board("half.csv")}, options(), name="all"
        ),
        "transfer of strata": lambda: outscore.study_transfer(
            study_board(strata="domain"), None, options(), stratum="d1"
        ),
    },
)


def shown(result: Callable[[], Shown]) -> Callable[[], object]:
    """Return a result in every format that it can be written in from Python, and as a table."""

    def call() -> object:
        it = result()
        frame = it.to_dataframe(backend="polars")
        table = {name: [str(kind), [*map(str, frame[name])]] for name, kind in frame.schema.items()}
        written = {"repr": repr(it), "markdown": it.to_markdown(), "latex": it.to_latex(), "csv": it.to_csv()}
        return {**written, "table": table, "columns": [*it.to_dataframe(backend="pandas").columns]}

    return call


calls(
    "shown",
    {
        "comparison": shown(lambda: outscore.compare(BASE, NEW, metric="accuracy")),
        "candidates": shown(lambda: outscore.compare(BASE, NEW, THIRD, metric="accuracy", **few)),
        "comparisons": shown(lambda: outscore.compare(BASE, NEW, metric=["accuracy", "mean"])),
        "unpaired": shown(lambda: outscore.compare(REALS, OTHERS, unpaired=True)),
        "ranking": shown(lambda: outscore.rank(board(), **few)),
        "rankings": shown(lambda: outscore.rank({"a": BASE, "b": NEW}, metric=["accuracy", "mean"], **few)),
        "scores": shown(lambda: outscore.score(BASE, NEW, metric="accuracy")),
        "plan": shown(lambda: outscore.plan_power(Rates(hurt=0.05), 100, 0.1)),
        "plan table": shown(lambda: outscore.plan_table(100, 0.02, hurt_percents=[0, 5])),
        "study": shown(lambda: outscore.study_gain(study_board(), options())),
        "options": lambda: [
            outscore.compare(BASE, NEW, THIRD, metric="accuracy", **few).to_latex(bare=True),
            outscore.compare(BASE, NEW, THIRD, metric="accuracy", **few).to_latex(details=True),
            outscore.rank(board(), **few).to_latex(pairs=True),
            outscore.rank(board(), **few).to_csv(pairs=True),
        ],
    },
)

WRONG: dict[str, dict[str, Any]] = {
    "alpha": {"alpha": "little"},
    "alpha of 1": {"alpha": 1.0},
    "two levels": {"alpha": 0.05, "confidence_level": 0.9},
    "a level in per cent": {"confidence_level": 95},
    "margin": {"margin": "x", "claim": "not-worse"},
    "a negative margin": {"margin": -1.0, "claim": "not-worse"},
    "a large margin": {"margin": 2.0, "claim": "not-worse", "metric": "accuracy"},
    "no margin": {"claim": "equivalent"},
    "a direction of a claim": {"claim": "equivalent", "margin": 0.1, "alternative": "less"},
    "claim": {"claim": "best"},
    "tests": {"tests": 3},
    "no tests": {"tests": []},
    "a class of tests": {"tests": outscore.Bootstrap},
    "a test's name": {"tests": "bootstraps"},
    "a class of metrics": {"metric": outscore.F1},
    "metric": {"metric": "f2"},
    "names": {"names": [1, 2]},
    "too few names": {"names": ["one"]},
    "no resamples": {"n_resamples": 0},
    "half a resample": {"n_resamples": 2.5},
    "seed": {"seed": -1},
    "method": {"method": "exactly"},
    "interval": {"interval": "t"},
    "clusters": {"clusters": [1, 2]},
    "one cluster": {"clusters": [1] * 12},
    "a stratum of one": {"strata": [1] + [2] * 11},
    "clusters across strata": {"strata": [1, 1, 2] * 4, "clusters": DOCS},
    "metric of outputs": {"metric": "bleu"},
    "unpaired clusters": {"unpaired": True, "clusters": DOCS},
    "format": {"input_format": "jsonl"},
}
calls("error", {name: compare(BASE, NEW, **wrong) for name, wrong in WRONG.items()})
calls(
    "error",
    {
        "no candidate": lambda: outscore.compare(BASE),
        "lengths": compare(BASE, NEW[:5]),
        "no numbers": compare(BASE, ["x"] * 12),
        "not finite": compare(BASE, [float("nan")] * 12),
        "not binary": compare(BASE, REALS, metric="accuracy"),
        "missing ids": compare(by_id(BASE), by_id(NEW, ORDER[3:])),
        "other ids": compare(by_id(BASE), {"x": 1, "y": 0}),
        "a missing file": compare("nowhere.txt", BASE),
        "no metric of outputs": compare(ONE, TWO, references=REFERENCES),
        "too few references": compare(ONE, TWO, references=REFERENCES[:3], metric="bleu"),
        "references of columns": compare(ONE, TWO, references=REFERENCES, metric="f1"),
        "ids of outputs": compare(ONE, TWO, references=REFERENCES, metric="bleu", id_column="id"),
        "one system to rank": lambda: outscore.rank({"a": BASE}),
        "a board's metric": lambda: outscore.rank("board.toml", metric="bleu"),
        "a correction": lambda: outscore.rank(board(), correction="max"),
        "rank what": lambda: outscore.rank(3),
        "from scores": lambda: outscore.read([BASE, NEW]).names,
        "from a frame": lambda: outscore.rank([1, 2]),
        "a board's keys": lambda: outscore.read("bad-key.toml"),
        "families": lambda: board(families={"nobody": "x"}),
        "score nothing": lambda: outscore.score(),
        "a pilot without spread": lambda: outscore.pilot(BASE, BASE),
        "a small pilot": lambda: outscore.pilot(BASE, NEW, clusters=DOCS),
        "sets of a pilot": lambda: outscore.pilot(BASE, NEW, n_sets=3),
        "rates": lambda: Rates(hurt=0.7, helped=0.6),
        "spread": lambda: Spread(0),
        "level": lambda: Level(alpha=2),
        "plan without gain": lambda: outscore.plan_items(Rates(hurt=0.05)),
        "plan items": lambda: outscore.plan_gain(Rates(hurt=0.05), 1),
        "study what": lambda: outscore.study_gain("right.csv"),
        "study sizes": lambda: outscore.study_size(study_board(), 400, options()),
        "study options": lambda: StudyOptions(min_pairs=0),
        "study a stratum": lambda: outscore.study_transfer(study_board(strata="domain"), None, options(), stratum="x"),
        "write nowhere": lambda: outscore.compare(BASE, NEW).to_json("no/such/folder.json"),
    },
)
