"""What a metric says of itself, and the scores that it gives: sound, or an error of one line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from outscore._types import FloatArray
from outscore.errors import OptionError, OutscoreError, Problem
from outscore.text.naming import printable

_ADVICE = "Mend the metric: outscore.testing.check_metric finds such faults."


def metric_error(name: str, what: str, slug: str, advice: str = _ADVICE) -> OptionError:
    """Return the error that says what a metric of that name did wrong."""
    return OptionError(Problem(printable(name), printable(what), advice, slug))


@contextmanager
def metric_failures(name: str, what: str, slug: str, advice: str = _ADVICE) -> Iterator[None]:
    """Tell whatever a metric raises on one line; what outscore itself has to say of its data passes."""
    try:
        yield
    except (OutscoreError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # a metric may be anybody's
        reason = " ".join(str(error).split())
        what = f"{what}: {type(error).__name__}{': ' if reason else ''}{reason}"
        raise metric_error(name, what, slug, advice) from error


def checked_score(name: str, compute: Callable[[], object]) -> float:
    """Return the one finite number that a metric computes as a score."""
    with metric_failures(name, "cannot score a test set", "bad-score"):
        value = compute()
        if isinstance(value, float) and math.isfinite(value):  # almost always, and at once
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
    """Return the finite scores that a metric computes of so many test sets at once, shape (count,)."""
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
