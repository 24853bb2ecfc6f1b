"""Plain versions of the statistics of agreement, and scores made with a fixed seed."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from outscore._types import FloatArray


def made(seed: int, n: int = 60, s: int = 5) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return human scores with ties, shape (n, s), and two metrics that share their errors."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(n, s)) + np.linspace(0, 0.8, s)
    human = (2 * quality + rng.normal(size=quality.shape)).round()
    shared = rng.normal(size=quality.shape)
    metrics = {
        "a": quality + 0.5 * shared + 0.5 * rng.normal(size=quality.shape),
        "b": 10 * (quality + 0.5 * shared + 0.8 * rng.normal(size=quality.shape)),
    }
    return human, metrics


def acc_t(human: FloatArray, scores: FloatArray, epsilon: float) -> float:
    """Return acc-t of scores of items and systems, pair by pair."""
    items = []
    for h, m in zip(human, scores, strict=True):
        agree = []
        for i, j in combinations(range(len(h)), 2):
            if np.isnan(h[i]) or np.isnan(h[j]):
                continue
            metric = 0 if abs(m[i] - m[j]) <= epsilon else np.sign(m[i] - m[j])
            agree.append(metric == np.sign(h[i] - h[j]))
        if agree:
            items.append(np.mean(agree))
    return float(np.mean(items))


def best_acc_t(human: FloatArray, scores: FloatArray) -> float:
    """Return the largest acc-t over all ε."""
    gaps = {abs(m[i] - m[j]) for m in scores for i, j in combinations(range(len(m)), 2)}
    return max(acc_t(human, scores, epsilon) for epsilon in {0.0, *gaps})


def sign_p_value(differences: FloatArray) -> float:
    """Return P(Σ±d > Σd) + P(Σ±d = Σd)/2 over all signs."""
    total = differences.sum()
    sums = np.array([np.dot(signs, differences) for signs in product((-1, 1), repeat=len(differences))])
    close = 1e-9 * np.abs(differences).sum()
    return float((sums > total + close).mean() + (np.abs(sums - total) <= close).mean() / 2)
