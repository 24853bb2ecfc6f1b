"""A pair of systems on one metric: its gain, and the form in which the gain is resampled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.exact import TwoCounts
from outscore.metrics import AnyMetric, Metric, RatioMetric
from outscore.strata import n_draws

__all__ = ["AnyPair", "Pair", "SharedDenominators", "pseudo_values"]

_ROUNDING = 1e-12
_MOST_DECIMALS = 9
_BETWEEN_DECIMALS = 1e-3  # so close to a decimal, in units of its last place, few numbers are by chance
_LAST_BITS = 2.0**-50  # what subtracting scores loses, relative to the largest


@dataclass(frozen=True, eq=False)
class SharedDenominators:
    """A linear gain: Σ d / Σ ℓ.

    Attributes
    ----------
    d : ndarray, shape (n,)
        Differences of the numerators, turned so that positive is better.
    shared : ndarray, shape (n,)
        The denominators ℓ that both systems have, unit by unit.
    """

    d: FloatArray
    shared: FloatArray

    def centred(self, null_gain: float) -> FloatArray:
        """Return dᵢ − δ₀ℓᵢ, shape (n,)."""
        centred = self.d - null_gain * self.shared
        # What rounding leaves of a unit on which nothing differs is not a difference.
        negligible = np.abs(centred) <= _ROUNDING * np.abs(self.d).max(initial=0.0)
        return np.where(negligible, 0.0, centred)


class AnyPair(ABC):
    """A baseline and a candidate, paired unit by unit: what every test may ask of them.

    Attributes
    ----------
    metric : AnyMetric
    strata : ndarray of int, shape (n_units,), optional
        Codes of the units' strata.
    baseline_score, candidate_score : float
    gain : float
        δ: positive where the candidate is better.
    tolerance : float
        How far apart two gains can be that are equal in real arithmetic, scaled to the data.
    """

    metric: AnyMetric
    strata: AnyArray | None
    baseline_score: float
    candidate_score: float
    gain: float
    tolerance: float

    @property
    @abstractmethod
    def n_units(self) -> int: ...

    @property
    def n_draws(self) -> int:
        """How many units a resample draws, Σ (n_h − 1) over strata: below about 30 strata have too few points."""
        return n_draws(self.strata, self.n_units)

    @property
    @abstractmethod
    def n_differing(self) -> int:
        """How many units the systems differ on."""

    @abstractmethod
    def jackknife(self) -> FloatArray:
        """Return the gain without each unit, shape (n_units,)."""

    @property
    @abstractmethod
    def pseudo_scores(self) -> tuple[FloatArray, FloatArray]:
        """What each unit makes of the score of the baseline and of the candidate, shape (n_units,) each.

        Turned so that higher is better, with the scores as means. For a linear gain what they differ by is about
        `linear.d`, and for a plain mean they are the units' own scores; else they are jackknife pseudo-values
        (Tukey 1958), and NaN where the score without a unit is undefined.
        """

    @property
    def swapped(self) -> AnyPair:
        """The pair in the units that randomization swaps: mostly itself."""
        return self

    @property
    def sign(self) -> float:
        """1 where higher is better, −1 where lower is."""
        return 1.0 if self.metric.higher_is_better else -1.0

    @property
    def sizes(self) -> FloatArray:
        """How much each unit weighs, shape (n_units,), non-negative: words, spans, items of a cluster."""
        return np.ones(self.n_units)

    # What only some pairs have: a linear gain, two counts, a score for each unit, proportions.

    @property
    def linear(self) -> SharedDenominators | None:
        return None

    @property
    def two_counts(self) -> TwoCounts | None:
        return None

    @property
    def equal_weights(self) -> bool:
        return False

    @property
    def scores(self) -> tuple[FloatArray, FloatArray] | None:
        return None

    @property
    def binary(self) -> bool:
        return False

    @property
    def successes(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        return None


@dataclass(frozen=True, eq=False)
class Pair(AnyPair):
    """A baseline and a candidate on a metric whose rows add up.

    Attributes
    ----------
    metric : Metric
    baseline, candidate : ndarray, shape (n, k)
        Rows of the units: items, or clusters with their rows summed.
    strata : ndarray of int, shape (n,), optional
        Codes of the units' strata.
    responses : Pair, optional
        The same two systems in the units that randomization is to swap instead: single responses.
    """

    metric: Metric
    baseline: FloatArray
    candidate: FloatArray
    strata: AnyArray | None = None
    responses: Pair | None = None

    @property
    def n_units(self) -> int:
        return len(self.baseline)

    @property
    def swapped(self) -> Pair:
        return self if self.responses is None else self.responses

    @property
    def n_differing(self) -> int:
        return int((self.baseline != self.candidate).any(axis=1).sum())

    @cached_property
    def sizes(self) -> FloatArray:
        """The denominators, those of the two systems averaged; of other metrics the sizes of the rows."""
        if self.linear is not None:
            return np.abs(self.linear.shared)
        if isinstance(self.metric, RatioMetric):
            bottom = np.asarray(self.metric.denominator)
            return np.asarray(np.abs(self.baseline @ bottom + self.candidate @ bottom) / 2)
        return np.asarray((np.abs(self.baseline).sum(axis=1) + np.abs(self.candidate).sum(axis=1)) / 2)

    @cached_property
    def baseline_score(self) -> float:  # type: ignore[override]
        return self.metric.score_of_set(self.baseline)

    @cached_property
    def candidate_score(self) -> float:  # type: ignore[override]
        return self.metric.score_of_set(self.candidate)

    @cached_property
    def gain(self) -> float:  # type: ignore[override]
        """δ: positive where the candidate is better."""
        if self.linear is not None:
            # Differences first: nothing is lost to cancellation, and equal systems give exactly 0.
            return float(self.linear.d.sum() / self.linear.shared.sum())
        return self.sign * (self.candidate_score - self.baseline_score)

    @cached_property
    def tolerance(self) -> float:  # type: ignore[override]
        """How far apart two gains can be that are equal in real arithmetic, scaled to the data."""
        if self.linear is not None:
            return _ROUNDING * float(np.abs(self.linear.d).sum() / self.linear.shared.sum())
        # Scores of the rows' sizes: what sums up to a score of 0 may be anything but small.
        scores = [self.metric.score(np.abs(rows).sum(axis=0)) for rows in (self.baseline, self.candidate)]
        return _ROUNDING * max(float(np.abs(score)) for score in scores)

    @cached_property
    def linear(self) -> SharedDenominators | None:
        """The gain as a linear one, or None where the denominators differ between the systems."""
        metric = self.metric
        if not isinstance(metric, RatioMetric):
            return None
        bottom = np.asarray(metric.denominator)
        shared = self.baseline @ bottom
        if not np.array_equal(shared, self.candidate @ bottom):
            return None
        if not shared.any():
            # Neither system's score has a denominator: both are 0 by definition, in every resample.
            return SharedDenominators(np.zeros_like(shared), np.ones_like(shared))
        top = np.asarray(metric.numerator)
        return SharedDenominators(self.sign * _differences(self.baseline @ top, self.candidate @ top), shared)

    @cached_property
    def two_counts(self) -> TwoCounts | None:
        """The rows as two counts a unit, or None where they are not whole numbers."""
        metric = self.metric
        if not isinstance(metric, RatioMetric):
            return None
        form = np.column_stack([metric.numerator, metric.denominator])
        counts = [self.baseline @ form, self.candidate @ form]
        if any((part != np.rint(part)).any() or np.abs(part).sum() > 2**53 for part in counts):
            return None
        baseline, candidate = (part.astype(np.int64) for part in counts)
        return TwoCounts(baseline, candidate, sign=int(self.sign))

    @cached_property
    def columns(self) -> FloatArray:
        """What is summed under resampling, shape (n, columns): d and ℓ, or the rows of both systems."""
        if self.linear is not None:
            return np.column_stack([self.linear.d, self.linear.shared])
        return np.column_stack([self.baseline, self.candidate])

    def gains(self, totals: FloatArray) -> FloatArray:
        """Return the gains of weighted totals of `columns`, shape (r, columns) to (r,)."""
        if self.linear is not None:
            return np.divide(totals[:, 0], totals[:, 1], out=np.zeros(len(totals)), where=totals[:, 1] > 0)
        k = self.baseline.shape[1]
        return self.sign * (self.metric.score(totals[:, k:]) - self.metric.score(totals[:, :k]))

    def jackknife(self) -> FloatArray:
        return self.gains(self.columns.sum(axis=0) - self.columns)

    @cached_property
    def pseudo_scores(self) -> tuple[FloatArray, FloatArray]:
        if self.linear is not None and isinstance(self.metric, RatioMetric):
            shared, top = self.linear.shared, self.sign * np.asarray(self.metric.numerator)
            mean = float(shared.mean())
            scores = self.sign * self.baseline_score, self.sign * self.candidate_score
            one, other = (
                rows @ top + score * (mean - shared)
                for rows, score in zip((self.baseline, self.candidate), scores, strict=True)
            )
            return one, other
        one, other = (
            self.sign * pseudo_values(float(self.metric.score(totals)), self.metric.score(totals - rows))
            for rows in (self.baseline, self.candidate)
            for totals in [rows.sum(axis=0)]
        )
        return one, other

    def changes(self, null_gain: float) -> FloatArray:
        """Return what swapping a unit takes from the candidate, shape (n, columns).

        For a linear gain the signs of dᵢ − δ₀ℓᵢ are flipped; other gains know no null value but 0.
        """
        if self.linear is not None:
            return self.linear.centred(null_gain)[:, None]
        return self.candidate - self.baseline

    def gains_after(self, taken: FloatArray, null_gain: float) -> FloatArray:
        """Return the gains after swaps whose changes add up to `taken`, shape (r, columns) to (r,)."""
        if self.linear is not None:
            centred = float(self.changes(null_gain).sum())
            return null_gain + (centred - 2 * taken[:, 0]) / float(self.linear.shared.sum())
        candidate = self.metric.score(self.candidate.sum(axis=0) - taken)
        return self.sign * (candidate - self.metric.score(self.baseline.sum(axis=0) + taken))

    @cached_property
    def equal_weights(self) -> bool:
        """Whether the gain is a mean over units of equal weight, so that each unit has a score of its own."""
        return self.linear is not None and bool(np.ptp(self.linear.shared) == 0)

    @cached_property
    def scores(self) -> tuple[FloatArray, FloatArray] | None:
        """The units' own scores, shape (n,) each, where `equal_weights` holds."""
        return (self.metric.score(self.baseline), self.metric.score(self.candidate)) if self.equal_weights else None

    @cached_property
    def successes(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """(successes, trials) of baseline and candidate, where the score is a share of trials, else None."""
        metric = self.metric
        if not isinstance(metric, RatioMetric):
            return None
        if not metric.is_proportion and not self.binary:
            return None
        found = []
        for rows in (self.baseline, self.candidate):
            totals = rows.sum(axis=0)
            found.append((float(totals @ np.asarray(metric.numerator)), float(totals @ np.asarray(metric.denominator))))
        # A system that answered nothing has no trials, and no proportion.
        return (found[0], found[1]) if all(trials > 0 for _, trials in found) else None

    @cached_property
    def binary(self) -> bool:
        """Whether every unit is right or wrong: scores of 0 and 1 with weight 1."""
        if self.scores is None or self.linear is None or self.linear.shared[0] != 1:
            return False
        return all(bool(((scores == 0) | (scores == 1)).all()) for scores in self.scores)


def pseudo_values(score: float, without: FloatArray) -> FloatArray:
    """Return the jackknife pseudo-values of a score, given those without each unit, moved so that it is their mean."""
    influence = (len(without) - 1) * (score - without)
    return np.asarray(score + influence - influence.mean())


def _differences(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return after − before without the rounding noise of large scores: differences of decimals are decimals."""
    noise = _LAST_BITS * max(float(np.abs(before).max()), float(np.abs(after).max()))
    for places in range(_MOST_DECIMALS + 1):
        scale = 10.0**places
        if noise * scale > _BETWEEN_DECIMALS:
            break
        scaled = before * scale, after * scale
        one, other = (np.rint(part) for part in scaled)
        if max(np.abs(scaled[0] - one).max(), np.abs(scaled[1] - other).max()) <= noise * scale:
            return np.asarray((other - one) / scale)
    return _without_noise(after - before, noise)


def _without_noise(differences: FloatArray, noise: float) -> FloatArray:
    """Return the differences, those that lie within `noise` of each other made equal, and of 0 made 0."""
    order = np.argsort(differences, kind="stable")
    ordered = differences[order]
    starts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > noise]))
    same = np.repeat(ordered[starts], np.diff(np.append(starts, len(ordered))))
    cleaned = np.empty_like(differences)
    cleaned[order] = np.where(np.abs(same) <= noise, 0.0, same)
    return cleaned
