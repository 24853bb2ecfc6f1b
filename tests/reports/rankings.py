"""Rankings made for reports: simulated systems, whose p-values come from the normal law of their gains."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from outscore.results import (
    Alternative,
    Correction,
    Interval,
    IntervalMethod,
    MetricDescription,
    RankedPair,
    RankedSystem,
    Ranking,
)

BLEU = MetricDescription("bleu", higher_is_better=True, as_percentage=False)
FAMILIES = ("Northwind", "Contoso", "Fabrikam", "Litware", "Tailspin", None)
DRAWS = 2000


@cache
def a_ranking(
    s: int = 12,
    *,
    n: int = 1000,
    seed: int = 1,
    alpha: float = 0.05,
    max_t: bool = True,
    metric: MetricDescription = BLEU,
) -> Ranking:
    """Return a ranking of s systems on n items, some of one family and some of none."""
    rng = np.random.default_rng(seed)
    family = [FAMILIES[i % len(FAMILIES)] for i in range(s)]
    difficulty = rng.normal(0, 14, (n, 1))
    shared = {name: rng.normal(0, 6, (n, 1)) for name in FAMILIES}
    skill = np.sort(rng.normal(30, 2.4, s))[::-1]
    items = skill + difficulty + np.hstack([shared[name] for name in family]) + rng.normal(0, 9, (n, s))
    sign = 1.0 if metric.higher_is_better else -1.0
    order = np.argsort(-items.mean(axis=0), kind="stable")
    items, family = items[:, order], [family[i] for i in order]
    scores = items.mean(axis=0)
    names = [f"{(family[i] or 'solo').lower()}-{chr(97 + i % 26)}{i + 1}" for i in range(s)]
    draws = rng.multivariate_normal(np.zeros(s), np.cov(items.T) / n, size=DRAWS, method="cholesky")

    places = [(i, j) for i in range(s) for j in range(i + 1, s)]
    errors = np.array([np.std(items[:, i] - items[:, j]) / math.sqrt(n) for i, j in places])
    gains = np.array([scores[i] - scores[j] for i, j in places])
    p = [math.erfc(gain / error / math.sqrt(2)) for gain, error in zip(gains, errors, strict=True)]
    z = np.abs(np.stack([draws[:, i] - draws[:, j] for i, j in places], axis=1)) / errors
    holm, bh = _holm(p), _benjamini_hochberg(p)
    largest = z.max(axis=1)
    joint = [(1 + float(np.sum(largest >= gain / e))) / (DRAWS + 1) for gain, e in zip(gains, errors, strict=True)]
    pairs = []
    for k, (i, j) in enumerate(places):
        wins = int(np.sum(items[:, i] > items[:, j] + 1))
        losses = int(np.sum(items[:, j] > items[:, i] + 1))
        known = family[i] is not None and family[j] is not None
        count = round(p[k] * 100_000)
        pairs.append(
            RankedPair(
                baseline=names[j],
                candidate=names[i],
                gain=float(gains[k]),
                interval=_interval(gains[k], errors[k]),
                wins=wins,
                ties=n - wins - losses,
                losses=losses,
                p_value=p[k],
                p_holm=holm[k],
                p_bh=bh[k],
                p_maxt=joint[k] if max_t else None,
                exact=False,
                n_exceeding=count,
                p_value_low=max(0.0, p[k] - 0.001),
                p_value_high=min(1.0, p[k] + 0.001),
                other_p_values={"randomization": min(1.0, p[k] * 1.1)},
                same_family=family[i] == family[j] if known else None,
            )
        )
    correction = Correction.MAX_T if max_t else Correction.HOLM
    different = np.zeros((s, s), dtype=bool)
    for (i, j), pair in zip(places, pairs, strict=True):
        different[i, j] = different[j, i] = pair.corrected(correction) <= alpha
    letters = _letters(different)
    best = np.argmax(scores + draws, axis=1)
    systems = []
    for i in range(s):
        beaten_by, beats = int(different[i, :i].sum()), int(different[i, i + 1 :].sum())
        error = float(np.std(items[:, i])) / math.sqrt(n)
        systems.append(
            RankedSystem(
                name=names[i],
                family=family[i],
                score=sign * float(scores[i]) + (0.0 if sign > 0 else 60.0),
                interval=replace(_interval(sign * scores[i] + (0.0 if sign > 0 else 60.0), error), method="skew-t"),
                rank=i + 1,
                rank_low=1 + beaten_by,
                rank_high=s - beats,
                group=letters[i],
                cluster=1,
                among_best=not different[0, i],
                p_best=float(np.mean(best == i)),
                gain_to_next=float(scores[i] - scores[i + 1]) if i + 1 < s else 0.0,
                gain_to_best=float(scores[0] - scores[i]),
            )
        )
    return Ranking(
        metric=metric,
        n_items=n,
        n_units=n,
        tests=("bootstrap", "randomization"),
        alternative=Alternative.TWO_SIDED,
        correction=correction,
        alpha=alpha,
        systems=tuple(systems),
        pairs=tuple(pairs),
        n_resamples=100_000,
        seed=12345,
        signature=f"test:bootstrap|alternative:two-sided|n:{n}|s:{s}|seed:12345|metric:{metric.name}|version:0.1.0",
        version="0.1.0",
    )


def renamed(ranking: Ranking, names: Sequence[str]) -> Ranking:
    """Return a ranking whose first systems have other names."""
    new = dict(zip((system.name for system in ranking.systems), names, strict=False))
    return replace(
        ranking,
        systems=tuple(replace(one, name=new.get(one.name, one.name)) for one in ranking.systems),
        pairs=tuple(
            replace(one, baseline=new.get(one.baseline, one.baseline), candidate=new.get(one.candidate, one.candidate))
            for one in ranking.pairs
        ),
    )


def _interval(centre: float, error: float) -> Interval:
    low, high = float(centre - 1.96 * error), float(centre + 1.96 * error)
    return Interval(low, high, 0.95, IntervalMethod.PERCENTILE, exact=False)


def _holm(p: Sequence[float]) -> list[float]:
    adjusted, running = [0.0] * len(p), 0.0
    for rank, k in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        running = max(running, min(1.0, (len(p) - rank) * p[k]))
        adjusted[k] = running
    return adjusted


def _benjamini_hochberg(p: Sequence[float]) -> list[float]:
    adjusted, running = [0.0] * len(p), 1.0
    for left, k in enumerate(sorted(range(len(p)), key=p.__getitem__, reverse=True)):
        running = min(running, len(p) / (len(p) - left) * p[k])
        adjusted[k] = running
    return adjusted


def _letters(different: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> list[str]:
    """Return one letter for every largest set of systems of which no two differ."""
    alike = [{j for j in range(len(different)) if j != i and not different[i, j]} for i in range(len(different))]

    def largest(held: set[int], free: set[int], done: set[int]) -> Iterator[list[int]]:
        if not free and not done:
            yield sorted(held)
        pivot = max(free | done, key=lambda i: len(alike[i]), default=None)
        for i in sorted(free - (alike[pivot] if pivot is not None else set())):
            yield from largest(held | {i}, free & alike[i], done & alike[i])
            free, done = free - {i}, done | {i}

    letters = [""] * len(different)
    for k, group in enumerate(sorted(largest(set(), set(range(len(different))), set()))):
        for i in group:
            letters[i] += chr(97 + k % 26) + (str(k // 26) if k >= 26 else "")
    return letters


def letters_of(group: str) -> list[str]:
    """Return the letters of a group: "abc1" is a, b and c1."""
    return re.findall(r"[a-z]\d*", group)
