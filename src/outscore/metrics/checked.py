"""Checks of a metric's declaration and scores, with one-line errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from outscore._types import FloatArray
from outscore.errors import OptionError, OutscoreError, Problem
from outscore.text.naming import printable

_ADVICE = "Correct the metric: outscore.testing.check_metric finds such faults."


def metric_error(name: str, what: str, slug: str, advice: str = _ADVICE) -> OptionError:
    """Return the error about a fault of the metric of that name."""
    return OptionError(Problem(printable(name), printable(what), advice, slug))


@contextmanager
def metric_failures(name: str, what: str, slug: str, advice: str = _ADVICE) -> Iterator[None]:
    """Turn any error that a metric raises into an OptionError of one line; errors of outscore pass through."""
    try:
        yield
    except (OutscoreError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # user code may raise anything
        reason = " ".join(str(error).split())
        what = f"{what}: {type(error).__name__}{': ' if reason else ''}{reason}"
        raise metric_error(name, what, slug, advice) from error


def checked_score(name: str, compute: Callable[[], object]) -> float:
    """Return the score that a metric computes, checked to be one finite number."""
    with metric_failures(name, "cannot score a test set", "bad-score"):
        value = compute()
        if isinstance(value, float) and math.isfinite(value):  # the usual case
            return float(value)
        array = np.asarray(value)
    if array.ndim or array.dtype.kind not in "biuf":
        got = f"numbers of shape {array.shape}" if array.ndim else repr(value)
        raise metric_error(name, f"expected a number as the score of a test set, got {got}", "bad-score")
    score = float(array)
    if not math.isfinite(score):
        raise metric_error(name, f"expected a finite score of a test set, got {score}", "bad-score")
    return score


def checked_scores(name: str, compute: Callable[[], object], count: int, advice: str = _ADVICE) -> FloatArray:
    """Return the scores of `count` test sets, shape (count,), checked to be finite."""
    with metric_failures(name, f"cannot score {count} test sets at once", "bad-score", advice):
        values = np.asarray(compute())
    if values.shape != (count,) or values.dtype.kind not in "biuf":
        got = f"{values.dtype} of shape {values.shape}"
        raise metric_error(name, f"expected a number for each of {count} test sets, got {got}", "bad-score", advice)
    scores = values.astype(np.float64)
    odd = np.flatnonzero(~np.isfinite(scores))
    if len(odd):
        raise metric_error(name, f"expected a finite score of every test set, got {scores[odd[0]]}", "bad-score")
    return scores
