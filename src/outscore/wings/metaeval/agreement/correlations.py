"""Correlations over systems, of many segments or resamples at once: shape (S, N) to (N,), NaN if undefined."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from outscore._types import AnyArray, FloatArray

_CONSTANT = 1e-13  # largest relative variance that rounding leaves to equal numbers


def pairs_of(scores: FloatArray) -> FloatArray:
    """Return the differences of all pairs i < j of systems, shape (S(S − 1)/2, N)."""
    first, second = np.triu_indices(len(scores), 1)
    return np.asarray(scores[first] - scores[second])


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Pearson's correlation."""
    both = np.isfinite(x) & np.isfinite(y)
    n = both.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        dx, dy = (np.where(both, side - np.where(both, side, 0.0).sum(axis=0) / n, 0.0) for side in (x, y))
        xx, yy = (dx * dx).sum(axis=0), (dy * dy).sum(axis=0)
        squares = [(np.where(both, side, 0.0) ** 2).sum(axis=0) for side in (x, y)]
        varies = (xx > _CONSTANT * squares[0]) & (yy > _CONSTANT * squares[1])
        return np.where(varies, (dx * dy).sum(axis=0) / (np.sqrt(xx) * np.sqrt(yy)), np.nan)


def spearman(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Spearman's correlation, with mean ranks of equal scores."""
    both = np.isfinite(x) & np.isfinite(y)
    return pearson(*(_ranks(np.where(both, side, np.nan)) for side in (x, y)))


def _ranks(scores: FloatArray) -> FloatArray:
    """Return centred mean ranks of scores, NaN for NaN."""
    ranks = np.array([np.sign(score - scores) for score in scores])  # NaN of what is missing
    return np.where(np.isnan(scores), np.nan, np.nansum(ranks, axis=1) / 2)


def _signs(x: FloatArray, y: FloatArray) -> tuple[AnyArray, AnyArray]:
    """Return the signs of the differences of all pairs in both, NaN where a score is missing."""
    signs_x, signs_y = pairs_of(x), pairs_of(y)
    return np.sign(signs_x), np.sign(signs_y)


def kendall_b(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Kendall's τ-b: concordant less discordant pairs over √(pairs untied in x · pairs untied in y)."""
    signs_x, signs_y = _signs(x, y)
    both = np.isfinite(signs_x) & np.isfinite(signs_y)
    product = np.where(both, signs_x * signs_y, 0.0).sum(axis=0)
    untied = [(both & (side != 0)).sum(axis=0) for side in (signs_x, signs_y)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((untied[0] > 0) & (untied[1] > 0), product / np.sqrt(untied[0] * untied[1]), np.nan)


def kendall_c(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Stuart's τ-c: 2m(C − D)/(n²(m − 1)), m the smaller number of distinct scores."""
    signs_x, signs_y = _signs(x, y)
    is_finite = np.isfinite(signs_x) & np.isfinite(signs_y)
    product = np.where(is_finite, signs_x * signs_y, 0.0).sum(axis=0)
    both = np.isfinite(x) & np.isfinite(y)
    n = both.sum(axis=0)
    distinct = [_distinct(np.where(both, side, np.nan)) for side in (x, y)]
    m = np.minimum(*distinct)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(m > 1, 2 * m * product / (n**2 * (m - 1.0)), np.nan)


def _distinct(scores: FloatArray) -> AnyArray:
    """Return the number of distinct scores of each column, without NaN."""
    ordered = np.sort(scores, axis=0)  # NaN last
    steps = (np.diff(ordered, axis=0) > 0).sum(axis=0)
    return np.where(np.isfinite(ordered[0]), steps + 1, 0)


def pairwise_accuracy(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the proportion of pairs of systems that are in the same order in both (Kocmi et al. 2021)."""
    signs_x, signs_y = _signs(x, y)
    both = np.isfinite(signs_x) & np.isfinite(signs_y)
    count = both.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, (both & (signs_x == signs_y)).sum(axis=0) / count, np.nan)


Correlation = Callable[[FloatArray, FloatArray], FloatArray]
