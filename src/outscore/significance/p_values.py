"""The p-value of a test of one pair or of many, with its estimator, limits and bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray
from outscore.laws.law import Law, Probability, clopper_pearson
from outscore.laws.tolerances import ALMOST_1, LEAST_P
from outscore.results import Estimator, Moments

# Computations that use the null distribution itself or samples of it. All others are asymptotic.
_OF_NULL_DISTRIBUTION = ("exact", "Monte Carlo")
_is_asymptotic = np.vectorize(lambda how: not how.startswith(_OF_NULL_DISTRIBUTION), otypes=[bool])

Number = TypeVar("Number", float, AnyArray)


@dataclass(frozen=True, eq=False)
class PValue(Generic[Number]):
    """The p-value of a test of one pair, or those of m pairs as arrays of shape (m,).

    Attributes
    ----------
    probability : float or ndarray
        Probability of the event, before the estimator is applied; c / r if it was sampled.
    how : str or ndarray
        Method of computation: "exact: lattice", "Monte Carlo". For an asymptotic p-value, the distribution
        assumed for the statistic, such as "t distribution".
    error : float or ndarray
        A bound on the absolute error of a probability that was not sampled: rounding, aliasing, truncation.
    least : float or ndarray
        The smallest p-value possible for these data.
    n_resamples : int or None
        r, the number of samples; None if none were drawn.
    n_exceeding : int or ndarray
        c, the number of samples that meet the event; −1 if the probability was not sampled.
    n_surely, n_possibly : int or None
        For gains blurred by rounding: how many samples surely meet the event, and how many may.
    factor : int or ndarray
        2 if the p-value is twice the probability, at most 1.
    statistic : float or None
        The test's own statistic, of one pair.
    degrees : float or None
        Degrees of freedom of the statistic, if they are to be reported.
    moments : Moments or None
        The numbers from which the skewness-corrected t-test follows.
    sign : int, ndarray or None
        The direction of the test's own statistic: 1 if it favours the candidate, −1 if it favours the baseline, 0 if
        it has its null value. None if the statistic is the gain. Only tests with `SignificanceTest.tests` have a sign.
    estimator : Estimator
        The rule that makes p-values of counts.
    """

    probability: Number
    how: Any
    error: float | AnyArray = 0.0
    statistic: float | None = None
    least: float | AnyArray = LEAST_P
    n_resamples: int | None = None
    n_exceeding: float | AnyArray = -1
    n_surely: int | None = None
    n_possibly: int | None = None
    factor: int | AnyArray = 1
    degrees: float | None = None
    moments: Moments | None = None
    sign: Any = None
    estimator: Estimator = Estimator.ADD_ONE

    @staticmethod
    def of_event(law: Law, event: Probability, factor: int = 1) -> PValue[float]:
        """Return the p-value of an event under the distribution `law`."""
        return PValue(
            event.value,
            law.how,
            event.error,
            least=law.least,
            n_resamples=event.n_resamples,
            n_exceeding=-1 if event.n_exceeding is None else event.n_exceeding,
            n_surely=event.n_surely,
            n_possibly=event.n_possibly,
            factor=factor,
        )

    @staticmethod
    def of_counts(counts: Number, n_resamples: int) -> PValue[Number]:
        """Return the p-value of an event that so many samples meet."""
        r = n_resamples
        return PValue(counts / r, "Monte Carlo", least=1 / (r + 1), n_resamples=r, n_exceeding=counts)

    @staticmethod
    def of_pairs(p_values: Sequence[PValue[float]]) -> PValue[AnyArray]:
        """Return the p-values of single pairs as arrays.

        A statistic that is the gain has the sign 1, because candidates score at least as well.
        """
        signs = [p.sign for p in p_values]
        columns: dict[str, Any] = {name: np.array([getattr(p, name) for p in p_values]) for name in _COLUMNS}
        return PValue(
            how=np.array([p.how for p in p_values], dtype=object),
            n_resamples=next((p.n_resamples for p in p_values if p.n_resamples is not None), None),
            sign=None if signs.count(None) == len(signs) else np.array([1 if sign is None else sign for sign in signs]),
            **columns,
        )

    def with_identical(self, identical: BoolArray) -> PValue[AnyArray]:
        """Return the p-values of m pairs, with a p-value of 1 where `identical`, shape (m,), is true."""
        columns: dict[str, Any] = {
            name: np.where(identical, getattr(IDENTICAL, name), getattr(self, name)) for name in _COLUMNS
        }
        is_sampled = bool((columns["n_exceeding"] >= 0).any())
        how = np.where(identical, IDENTICAL.how, np.asarray(self.how, dtype=object))
        return PValue(how=how, n_resamples=self.n_resamples if is_sampled else None, sign=self.sign, **columns)

    def estimated(self, estimator: Estimator) -> PValue[Number]:
        """Return the p-value by another estimator."""
        return replace(self, estimator=estimator)

    @property
    def is_sampled(self) -> Any:
        """Whether the probability was sampled."""
        return self.n_exceeding >= 0

    @cached_property
    def is_asymptotic(self) -> Any:
        """Whether the p-value is an approximation, from a normal, t or chi-squared distribution for example."""
        return _plain(_is_asymptotic(self.how))

    @cached_property
    def value(self) -> Number:
        """The p-value, in (0, 1].

        Sampled: (c + 1)/(r + 1), which keeps the level of the test (Davison & Hinkley 1997, section 4.2), or c/r.
        Exact: the probability.

        It is never 0. If no sample reaches the event, the value is an upper bound, the probability of the rarest
        sample; c/r with c = 0 is bounded by 1/r. A p-value that is 1 only by rounding is the largest number below 1.
        """
        value = np.clip(np.maximum(self.probability, self.least) * self.factor, 0.0, 1.0)
        is_rounded = (value == 1) & (self.factor == 1) & (self.probability - self.error < 1)
        value = np.where(is_rounded, ALMOST_1, value)
        if self.n_resamples is not None:
            c, r = self.n_exceeding, self.n_resamples
            estimate = (c + 1) / (r + 1) if self.estimator is Estimator.ADD_ONE else np.maximum(c, 1) / r
            value = np.where(self.is_sampled, np.clip(estimate * self.factor, 0.0, 1.0), value)
        p: Number = _plain(value)
        return p

    @cached_property
    def limits(self) -> tuple[Number, Number]:
        """The error bounds of the p-value; Clopper and Pearson's 95% confidence interval if it was sampled."""
        low, high = self.probability - self.error, self.probability + self.error
        high = np.maximum(high, np.maximum(self.probability, self.least))
        if self.n_resamples is not None:
            # Where rounding decides whether samples meet the event, the interval reaches from the low end for the sure
            # ones to the high end for the possible ones.
            counts = [self.n_exceeding] if self.n_surely is None else [self.n_surely, self.n_possibly]
            ends = [_confidence_limits(c, self.n_resamples) for c in counts]
            low, high = np.where(self.is_sampled, ends[0][0], low), np.where(self.is_sampled, ends[-1][1], high)
        low, high = (np.clip(end * self.factor, 0.0, 1.0) for end in (low, high))
        return _plain(low), _plain(high)

    @property
    def is_bound(self) -> Any:
        """Whether the value is only an upper bound, because no sample reached the threshold."""
        return _plain(np.where(self.n_exceeding < 0, self.least > self.probability, self.n_exceeding == 0))


_COLUMNS = ("probability", "error", "least", "n_exceeding", "factor")  # what each pair has a value of
IDENTICAL = PValue(1.0, "exact: identical systems")


def _plain(values: AnyArray) -> Any:
    """Return an array, or the Python value of an array without axes."""
    return values if np.ndim(values) else values.item()


def _confidence_limits(counts: Any, n_resamples: int) -> FloatArray:
    """Return the lower and upper 95% limits, shape (2, ...), of counts of samples."""
    # Many pairs have the same count, and each interval takes two root searches.
    distinct, codes = np.unique(counts, return_inverse=True)
    ends = [clopper_pearson(c, n_resamples, 0.95) if c >= 0 else (0.0, 1.0) for c in distinct.tolist()]
    return np.array(ends).T[:, codes.reshape(np.shape(counts))]
