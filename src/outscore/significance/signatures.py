"""Signatures: one line that says how a p-value came about, in the manner of sacreBLEU."""

from __future__ import annotations

from outscore._version import __version__
from outscore.laws import Probability
from outscore.results import Estimator
from outscore.significance.base import Question, SignificanceTest

__all__ = ["signature"]


def signature(
    test: SignificanceTest,
    question: Question,
    probability: Probability,
    *,
    metric: str,
    n_units: int,
    unit: str,
    seed: int,
    estimator: Estimator,
) -> str:
    """Return `test:…|centre:…|alternative:…|ties:…|r:…|n:…|unit:…|seed:…|metric:…|version:…`."""
    parts = {"test": test.name}
    if test.centre is not None:
        parts["centre"] = test.centre
    parts["alternative"] = question.alternative.value
    if question.null_gain != 0:
        parts["null"] = f"{question.null_gain:g}"
    if test.resamples:
        parts["ties"] = question.ties.value
        if probability.n_resamples is not None:
            parts["estimator"] = estimator.value
    parts["r"] = "exact" if probability.n_resamples is None else str(probability.n_resamples)
    parts |= {"n": str(n_units), "unit": unit, "seed": str(seed), "metric": metric, "version": __version__}
    return "|".join(f"{key}:{value}" for key, value in parts.items())
