"""Many systems that are equally good: how often `outscore.rank` calls any two of them different."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import outscore
from outscore._types import AnyArray, FloatArray
from tests.calibration import real
from tests.calibration.new_runs import item_rows
from tests.calibration.populations import Rng, sizes_of

Systems = dict[str, Any]
Draw = Callable[[Rng, int], tuple[Systems, dict[str, Any]]]

ALPHA = 0.05


@dataclass(frozen=True)
class Board:
    """Where the scores of many systems come from.

    Attributes
    ----------
    name : str
    systems : int
    draw : callable
        (rng, systems) to the scores of each, and keyword arguments of `outscore.rank`.
    better : float
        By how many standard errors the second half of the systems is better.
    sets : float
        How many sets are drawn, for one of the default test's.
    is_hard : bool
        Whether units are few, or do not show the skewness of some systems, so that the error is above 5%.
    """

    name: str
    systems: int
    draw: Draw
    better: float = 0.0
    sets: float = 0.05
    is_hard: bool = False


@dataclass
class Found:
    """What rankings made of many sets of systems.

    Attributes
    ----------
    sets : int
    holm, max_t : int
        Sets in which any two equal systems are called different by the correction; max-T 0 where it does not apply.
    ranks : int
        Sets in which each rank interval holds all ranks that its system shares.
    power_of_holm, power_of_max_t : float
        Sums over sets of the proportion of true differences that are found.
    """

    sets: int = 0
    holm: int = 0
    max_t: int = 0
    ranks: int = 0
    power_of_holm: float = 0.0
    power_of_max_t: float = 0.0


def judge(board: Board, count: int, seed: int = 0) -> Found:
    """Rank `count` sets of systems."""
    found = Found()
    for index in range(count):
        rng = np.random.default_rng([seed, index, board.systems])
        systems, asked = board.draw(rng, board.systems)
        ranking = outscore.rank(systems, seed=index, **{"n_resamples": 999, **asked})
        half = board.systems // 2 if board.better else 0
        better = {name: bool(board.better) and place >= half for place, name in enumerate(systems)}
        null = np.array([better[pair.candidate] == better[pair.baseline] for pair in ranking.pairs])
        corrected = {
            "holm": np.array([pair.p_holm for pair in ranking.pairs]),
            "max_t": np.array([1.0 if pair.p_maxt is None else pair.p_maxt for pair in ranking.pairs]),
        }
        found.sets += 1
        wins = board.systems - half if board.better else 0
        found.ranks += all(
            (one.rank_low <= 1 and wins <= one.rank_high)
            if better[one.name]
            else (one.rank_low <= 1 + wins and board.systems <= one.rank_high)
            for one in ranking.systems
        )
        for name, p in corrected.items():
            setattr(found, name, getattr(found, name) + int((p[null] <= ALPHA).any()))
            if board.better:
                power = f"power_of_{name}"
                setattr(found, power, getattr(found, power) + float((p[~null] <= ALPHA).mean()))
    return found


def _named(columns: AnyArray) -> Systems:
    """Return systems by name, one per row."""
    return {f"s{place:03}": column for place, column in enumerate(columns)}


def items(n: int, kind: str = "normal", better: float = 0.0) -> Draw:
    """Items without clusters or strata."""

    def draw(rng: Rng, s: int) -> tuple[Systems, dict[str, Any]]:
        shared = rng.normal(size=n)
        half = np.arange(s)[:, None] >= s // 2
        if kind == "binary":
            right = 1 / (1 + np.exp(-0.8 - 1.5 * shared))
            return _named((rng.random((s, n)) < right) * 1.0), {"metric": "accuracy"}
        own = rng.normal(size=(s, n))
        if kind == "half lognormal":
            own = np.where(half, np.exp(0.5) - np.exp(own), own)
        elif kind == "lognormal":
            return _named(np.exp(own)), {}
        elif kind == "half with rare losses":
            own = np.where(half, 0.5 - 10.0 * (rng.random((s, n)) < 0.05), own)
        return _named(shared + own + half * better * np.sqrt(2 / n)), {}

    return draw


def real_items(scores: FloatArray, n: int, better: float = 0.0) -> Draw:
    """Items of a real board, drawn with replacement, of systems drawn without; all have the same mean."""
    centred = scores - scores.mean(axis=0)

    def draw(rng: Rng, s: int) -> tuple[Systems, dict[str, Any]]:
        own = centred[:, rng.permutation(centred.shape[1])[:s]].T
        # A standard error of a difference, by the root of the mean variance of all differences.
        error = np.sqrt(2 * own.var(axis=0, ddof=1).mean() / n)
        drawn = own[:, rng.integers(own.shape[1], size=n)]
        return _named(drawn + (np.arange(s)[:, None] >= s // 2) * better * error), {}

    return draw


def f1(n: int) -> Draw:
    """Rows of F1: systems that find 70% of the spans of a sentence, more or less."""

    def draw(rng: Rng, s: int) -> tuple[Systems, dict[str, Any]]:
        gold = np.broadcast_to(rng.poisson(2, n), (s, n))
        found = rng.binomial(gold, np.clip(0.7 + 0.15 * rng.normal(size=n), 0.05, 0.95))
        rows = np.stack([found, found + rng.poisson(0.6, (s, n)), gold], axis=-1).astype(float)
        return _named(rows), {"metric": "f1"}

    return draw


def clusters(kind: str, n: int) -> Draw:
    """Items in clusters, with an intraclass correlation of the differences of 0.3."""

    def draw(rng: Rng, s: int) -> tuple[Systems, dict[str, Any]]:
        sizes = sizes_of(kind, rng, (1, n))[0].astype(int)
        codes = np.repeat(np.arange(n), sizes)
        own = np.sqrt(0.3) * rng.normal(size=(s, n))[:, codes] + np.sqrt(0.7) * rng.normal(size=(s, len(codes)))
        return _named(rng.normal(size=len(codes)) + own), {"clusters": [f"c{code}" for code in codes]}

    return draw


def strata(*sizes: int, binary: bool = False) -> Draw:
    """Items in strata of equal weight."""

    def draw(rng: Rng, s: int) -> tuple[Systems, dict[str, Any]]:
        names = [f"h{code:02}" for code, size in enumerate(sizes) for _ in range(size)]
        scores = rng.normal(size=len(names)) + rng.normal(size=(s, len(names)))
        asked: dict[str, Any] = {"strata": names, "weights": "macro"}
        if binary:
            return _named((scores > -0.6) * 1.0), {**asked, "metric": "accuracy"}
        return _named(scores), asked

    return draw


def runs(kind: str, n: int) -> Draw:
    """Five runs of each system on clusters of items, meant to hold for new runs."""

    def draw(rng: Rng, s: int) -> tuple[Systems, dict[str, Any]]:
        rows, names = item_rows(kind, n, rng, systems=s, ratio=0.02)
        return {f"s{place}": row for place, row in enumerate(rows)}, {
            "clusters": names,
            "runs": "random",
            "n_resamples": 99,
        }

    return draw


BOARDS = (
    Board("lognormal clusters, 50", 25, clusters("lognormal", 50), sets=0.03),
    Board("lognormal clusters, 200", 25, clusters("lognormal", 200), sets=0.03),
    Board("lognormal clusters, 200", 10, clusters("lognormal", 200)),
    Board("200 clusters, one with half of the items", 10, clusters("one with half", 200)),
    Board("clusters of 1 to 9, 50", 25, clusters("1-9", 50), sets=0.03),
    Board("strata: 2 of 5, 300", 10, strata(5, 5, 300)),
    Board("strata: 2 of 5, 300, binary", 10, strata(5, 5, 300, binary=True)),
    Board("strata: 10 of 3, 300", 10, strata(*[3] * 10, 300)),
    Board("strata: 10 of 5, 500, binary", 10, strata(*[5] * 10, 500, binary=True)),
    Board("strata: 10, 20, 40, 80, 350", 10, strata(10, 20, 40, 80, 350)),
    Board("8 items", 6, items(8), sets=0.06),
    Board("10 items", 20, items(10), sets=0.05),
    Board("20 items", 10, items(20)),
    Board("20 items", 12, items(20), sets=0.06),
    Board("50 items", 25, items(50), sets=0.05),
    Board("200 items", 25, items(200), sets=0.03),
    Board("50 binary items", 25, items(50, "binary"), sets=0.03),
    Board("200 binary items", 25, items(200, "binary"), sets=0.03),
    Board("F1 of 50 sentences", 25, f1(50), sets=0.03),
    Board("50 lognormal items", 25, items(50, "lognormal"), sets=0.03),
    Board("half lognormal, 50 items", 25, items(50, "half lognormal"), sets=0.03, is_hard=True),
    Board("half lognormal, 200 items", 12, items(200, "half lognormal")),
    Board("half lognormal, 1,000 items", 12, items(1000, "half lognormal")),
    Board("half with rare large losses, 200 items", 12, items(200, "half with rare losses")),
    Board("new runs, 20 lognormal clusters", 5, runs("lognormal", 20)),
    Board("new runs, 20 clusters, one with half", 5, runs("one with half", 20)),
    Board("50 items, half of the systems better by 3", 25, items(50, better=3.0), better=3.0, sets=0.03),
    Board("200 items, half of the systems better by 4", 12, items(200, better=4.0), better=4.0),
)


def every() -> tuple[Board, ...]:
    """Return all boards, of real systems where their scores are there."""
    return (*BOARDS, *real_boards())


@cache
def real_boards() -> tuple[Board, ...]:
    """Return the boards of real systems whose scores are in ../shared/data."""
    found: list[Board] = []
    if (folder := real.DATA / "ir-trec8-scores").is_dir():
        scores = real.of_trec(folder, "ap")
        found += [
            Board(f"AP, TREC-8, {n} topics", s, real_items(scores, n), sets=sets, is_hard=True)
            for s, n, sets in (
                (6, 8, 0.06),
                (12, 20, 0.06),
                (12, 50, 0.08),
                (20, 10, 0.08),
                (40, 25, 0.03),
                (40, 50, 0.05),
                (129, 50, 0.004),
            )
        ]
        found.append(Board("P@10, TREC-8, 50 topics", 40, real_items(real.of_trec(folder, "p10"), 50), sets=0.03))
    if (folder := real.DATA / "summ-realsumm").is_dir():
        found.append(Board("ROUGE-2, REALSumm, 50", 24, real_items(real.of_realsumm(folder, "rouge_2_f_score"), 50)))
    if (folder := real.DATA / "meta-wmt23-en-de").is_dir():
        metric = real.wmt23_metric(folder, "COMET-refA")
        found += [
            Board("MQM, WMT23, 100 segments", 12, real_items(real.wmt23_mqm(folder), 100), sets=0.06),
            Board("COMET, WMT23, 50 segments", 12, real_items(metric, 50), sets=0.06),
            Board("COMET, WMT23, 50, half better by 3", 12, real_items(metric, 50, better=3.0), better=3.0),
        ]
    return tuple(found)
