"""Agreement of several raters, some ratings possibly missing: raw, Gwet's AC1, Fleiss' kappa, Krippendorff's alpha."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.metrics.base import Metric

LEVELS = ("nominal", "ordinal", "interval", "ratio")


def one_less_ratio(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Return 1 − observed/expected disagreement; 1 if both are 0, as nobody disagreed."""
    has_chance = expected > 0
    return np.asarray(1 - np.divide(observed, expected, out=np.zeros(np.shape(expected)), where=has_chance))


class _OfRaters(Metric):
    """A coefficient 1 − D_o/D_e of units, each with the number of raters that chose each of c values."""

    higher_is_better = True
    score_range = (-1.0, 1.0)

    def disagreements(self, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the observed and the expected disagreement of totals, shape (..., k), both in sums over units."""
        raise NotImplementedError

    def largest(self, totals: FloatArray) -> float:
        """Return the largest possible ratio of the disagreement of one unit and the expected one."""
        raise NotImplementedError

    def score(self, totals: FloatArray) -> FloatArray:
        return one_less_ratio(*self.disagreements(np.asarray(totals, dtype=np.float64)))

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return minus each unit's disagreement, shape (n,); one unit has no coefficient of its own."""
        return 0.0 - rows[:, 0]


@dataclass(frozen=True)
class Agreement(_OfRaters):
    """The agreement of pairs of raters of a unit, corrected for chance or not.

    With n_uk of the m_u raters of unit u choosing value k, the agreement of units with m_u > 1 is the mean of
    Σ n_uk (n_uk − 1)/(m_u (m_u − 1)), and π_k is the mean of n_uk/m_u over all units. A coefficient is
    (agreement − p_e)/(1 − p_e), with p_e = 0 for "raw", Σ π_k² for "fleiss" and Σ π_k (1 − π_k)/(c − 1) for "ac1".

    Parameters
    ----------
    n_values : int
        c: the number of values that raters can choose.
    by_chance : {"raw", "fleiss", "ac1"}
        Which p_e.

    References
    ----------
    Fleiss 1971; Gwet 2008, Computing inter-rater reliability and its variance in the presence of high agreement. With
    missing ratings as in Gwet 2014, Handbook of inter-rater reliability, and R's irrCAC.

    Examples
    --------
    >>> counts = np.array([[3.0, 0], [2, 1], [0, 2], [1, 0]])
    >>> [round(float(m.score(m.rows(counts).sum(axis=0))), 4) for m in (Agreement(2, "fleiss"), Agreement(2, "ac1"))]
    [0.5, 0.6]
    """

    n_values: int
    by_chance: str = "raw"

    @property
    def name(self) -> str:  # type: ignore[override]
        return {"raw": "agreement", "fleiss": "fleiss-kappa", "ac1": "gwet-ac1"}[self.by_chance]

    @property
    def title(self) -> str:  # type: ignore[override]
        return {"raw": "raw agreement", "fleiss": "Fleiss' kappa", "ac1": "Gwet's AC1"}[self.by_chance]

    @property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("disagreement", "pairs", "rated", *(f"chosen {k + 1}" for k in range(self.n_values)))

    def rows(self, counts: FloatArray) -> FloatArray:
        """Return the rows of units, shape (n, c + 3), from the raters n_uk that chose each value, shape (n, c)."""
        raters = counts.sum(axis=1)
        paired, rated = raters > 1, raters > 0
        same = (counts * (counts - 1)).sum(axis=1)
        disagreement = 1 - np.divide(same, raters * (raters - 1), out=np.ones(len(counts)), where=paired)
        shares = counts / np.where(rated, raters, 1.0)[:, None]
        return np.column_stack([disagreement, paired, rated, shares])

    def disagreements(self, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        observed, pairs, rated, chosen = totals[..., 0], totals[..., 1], totals[..., 2], totals[..., 3:]
        shares = chosen / np.where(rated > 0, rated, 1.0)[..., None]
        if self.by_chance == "raw":
            return observed, pairs
        same = (shares**2).sum(axis=-1)
        return observed, pairs * (1 - same if self.by_chance == "fleiss" else 1 - (1 - same) / (self.n_values - 1))

    def largest(self, totals: FloatArray) -> float:
        _, expected = self.disagreements(totals)
        return float(totals[1] / expected)


@dataclass(frozen=True)
class Alpha(_OfRaters):
    """Krippendorff's alpha, from sums of coincidences, so that a weighted sum of rows is a weighted sample of units.

    With n_uc of the m_u > 1 raters of unit u choosing value c, o_ck = Σ_u n_uc (n_uk − [c = k])/(m_u − 1),
    n_c = Σ_k o_ck, n = Σ n_c, α = 1 − D_o/D_e, D_o = Σ o_ck δ²_ck / n and D_e = Σ n_c n_k δ²_ck / (n (n − 1)). Units
    with one rating do not count. Rows have the n_c, and Σ o_ck δ²_ck; for "ordinal", where δ depends on the n_c, the
    o_ck of c < k.

    Parameters
    ----------
    values : tuple of float
        The c values in ascending order; for "nominal" only their number matters.
    level : {"nominal", "ordinal", "interval", "ratio"}
        δ²: [c ≠ k]; (Σ_{g=c}^{k} n_g − (n_c + n_k)/2)²; (c − k)²; ((c − k)/(c + k))².

    References
    ----------
    Krippendorff 2011, Computing Krippendorff's alpha-reliability; Krippendorff 2019, Content analysis.

    Examples
    --------
    >>> counts = np.array([[2.0, 0, 0], [0, 1, 1], [0, 0, 2], [1, 1, 0]])
    >>> for level in LEVELS:
    ...     alpha = Alpha((1.0, 2.0, 3.0), level)
    ...     print(level, round(float(alpha.score(alpha.rows(counts).sum(axis=0))), 4))
    nominal 0.3333
    ordinal 0.7083
    interval 0.7083
    ratio 0.6649
    """

    values: tuple[float, ...]
    level: str = "nominal"

    name = "krippendorff-alpha"
    title = "Krippendorff's alpha"

    @property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        c = len(self.values)
        parts = c * (c - 1) // 2 if self.level == "ordinal" else 1
        return tuple(f"{name} {k + 1}" for name, n in (("disagreement", parts), ("chosen", c)) for k in range(n))

    def rows(self, counts: FloatArray) -> FloatArray:
        """Return the rows of units from the raters n_uc that chose each value, shape (n, c)."""
        raters = counts.sum(axis=1)
        paired = np.where(raters > 1, counts.T, 0.0).T
        scale = np.maximum(raters - 1, 1.0)[:, None]
        if self.level == "ordinal":
            first, second = np.triu_indices(len(self.values), 1)
            return np.column_stack([2 * paired[:, first] * paired[:, second] / scale, paired])
        return np.column_stack([self._products(paired) / scale[:, 0], paired])

    def _products(self, chosen: FloatArray) -> FloatArray:
        """Return Σ n_c n_k δ²_ck of counts, shape (..., c), at a level at which δ does not depend on the ratings."""
        if self.level == "nominal":  # without a matrix of all pairs of labels
            return np.asarray(chosen.sum(axis=-1) ** 2 - (chosen**2).sum(axis=-1))
        return np.asarray(((chosen @ self._distances()) * chosen).sum(axis=-1))

    def _distances(self) -> FloatArray:
        """Return δ², shape (c, c), of the levels interval and ratio."""
        values = np.asarray(self.values)[:, None]
        gaps, sums = values - values.T, values + values.T
        if self.level == "interval":
            return np.asarray(gaps**2)
        return np.asarray(np.divide(gaps, sums, out=np.zeros(sums.shape), where=sums != 0) ** 2)

    def disagreements(self, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        chosen = totals[..., -len(self.values) :]
        n = chosen.sum(axis=-1)
        if self.level != "ordinal":
            observed, products = totals[..., 0], self._products(chosen)
        else:
            ranks = np.cumsum(chosen, axis=-1) - chosen / 2
            first, second = np.triu_indices(len(self.values), 1)
            # Per n², so that both sums are linear in the weights of units to first order.
            squares = (ranks[..., first] - ranks[..., second]) ** 2 / np.maximum(n, 1.0)[..., None] ** 2
            observed = (totals[..., : len(first)] * squares).sum(axis=-1)
            products = 2 * (chosen[..., first] * chosen[..., second] * squares).sum(axis=-1)
        return observed, products / np.maximum(n - 1, 1.0)

    def largest(self, totals: FloatArray) -> float:
        chosen = totals[-len(self.values) :]
        if self.level == "ordinal":
            most = float(np.ptp(np.cumsum(chosen) - chosen / 2) / chosen.sum()) ** 2
        else:
            most = 1.0 if self.level == "nominal" else float(self._distances().max())
        _, expected = self.disagreements(totals)
        return most * float(chosen.sum() / expected)

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return minus each unit's disagreement, shape (n,); one unit has no coefficient of its own."""
        c = len(self.values)
        return np.asarray(0.0 - rows[:, : rows.shape[1] - c].sum(axis=1))


@dataclass(frozen=True)
class AlphaOfScores(_OfRaters):
    """Krippendorff's alpha at the level interval, from sums of scores, for any number of different scores.

    A unit with m > 1 scores v has the disagreement Σ (v_i − v_j)²/(m − 1) = 2 (m Σ v² − (Σ v)²)/(m − 1). Rows have it,
    m, Σ v and Σ v²; the expected disagreement is 2 (n Σ v² − (Σ v)²)/(n − 1). Of mid-ranks it is alpha at the level
    ordinal.

    Parameters
    ----------
    lowest, highest : float
        The range of the scores.

    Examples
    --------
    >>> alpha = AlphaOfScores(1.0, 3.0)
    >>> rows = alpha.rows(np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([1.0, 1, 2, 3, 3, 3, 1, 2]))
    >>> round(float(alpha.score(rows.sum(axis=0))), 4)
    0.7083
    """

    lowest: float
    highest: float

    name = "krippendorff-alpha"
    title = "Krippendorff's alpha"
    statistics = ("disagreement", "scores", "sum", "squares")

    def rows(self, units: AnyArray, scores: FloatArray) -> FloatArray:
        """Return the rows of units from the unit of each score, from 0, and the scores, shape (n,)."""
        centred = scores - (self.lowest + self.highest) / 2  # squares of large scores would lose digits
        m, sums, squares = (np.bincount(units, weights) for weights in (np.ones(len(units)), centred, centred**2))
        paired = m > 1
        disagreement = 2 * np.maximum(m * squares - sums**2, 0.0) / np.maximum(m - 1, 1.0)
        return np.where(paired, np.stack([disagreement, m, sums, squares]), 0.0).T

    def disagreements(self, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        observed, n, sums, squares = np.moveaxis(totals, -1, 0)
        return observed, 2 * np.maximum(n * squares - sums**2, 0.0) / np.maximum(n - 1, 1.0)

    def largest(self, totals: FloatArray) -> float:
        return (self.highest - self.lowest) ** 2 * float(totals[1] / self.disagreements(totals)[1])
