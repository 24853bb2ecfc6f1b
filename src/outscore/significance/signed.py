"""Tests by the signs of per-unit differences: what the sign test, McNemar's and Wilcoxon's share."""

from __future__ import annotations

import numpy as np

from outscore._types import FloatArray
from outscore.exact import swap_law
from outscore.laws import Probability
from outscore.significance.base import Outcome, Question, tail
from outscore.significance.pair import AnyPair

__all__ = ["no_median", "no_unit_scores", "sign_flip_outcome", "unit_differences"]


def no_unit_scores(pair: AnyPair) -> str | None:
    """Say why the pair has no differences unit by unit, or None where it has."""
    if pair.linear is None:
        return (
            f"needs a difference of scores for every unit, and {pair.metric.name} has none: "
            "the systems' denominators differ"
        )
    return None


def no_median(pair: AnyPair, question: Question) -> str | None:
    """Say why a test of the differences' median does not apply, or None where it does."""
    if question.null_gain != 0:
        return "knows no margin of the gain: it is about the median of the differences, not their mean"
    return no_unit_scores(pair)


def unit_differences(pair: AnyPair, null_gain: float) -> FloatArray:
    """Return dᵢ − δ₀ℓᵢ for every unit, shape (n,); rounding noise is 0."""
    assert pair.linear is not None
    return pair.linear.centred(null_gain)


def sign_flip_outcome(values: FloatArray, question: Question, statistic: float, computation: str) -> Outcome:
    """Return the outcome of Σ values under random signs: exact, from its law on a grid."""
    law = swap_law(values, np.ones(len(values))) if values.any() else None
    if law is None:
        return Outcome(Probability(1.0), computation, statistic=statistic)
    probability = tail(law, question, float(values.mean()), centre=0.0)
    return Outcome(probability, computation, statistic=statistic, least=law.least)
