"""What a metric says of itself, and the scores that it gives: sound, or an error of one line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from outscore._types import FloatArray
from outscore.errors import OptionError, OutscoreError, Problem
from outscore.naming import printable

__all__ = ["checked_score", "checked_scores", "failures_told", "metric_error"]

_ADVICE = "Mend the metric: outscore.testing.check_metric finds such faults."


def metric_error(name: str, what: str, slug: str) -> OptionError:
    """Return the error that says what a metric of that name did wrong."""
    return OptionError(Problem(printable(name), printable(what), _ADVICE, slug))


@contextmanager
def failures_told(name: str, what: str, slug: str) -> Iterator[None]:
    """Tell whatever a metric raises on one line; what outscore itself has to say of its data passes.

    Parameters
    ----------
    name : str
        Of the metric.
    what : str
        What it cannot do: "cannot score 15 items".
    slug : str

    Raises
    ------
    OptionError
        With the error of the metric as its cause.
    """
    try:
        yield
    except (OutscoreError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # a metric may be anybody's
        reason = " ".join(str(error).split())
        raise metric_error(name, f"{what}: {type(error).__name__}{': ' if reason else ''}{reason}", slug) from error


def checked_score(name: str, compute: Callable[[], object]) -> float:
    """Return the one finite number that a metric computes as a score.

    Raises
    ------
    OptionError
        Text, several numbers, none that is finite, or any error while it is computed.
    """
    with failures_told(name, "cannot score a test set", "bad-score"):
        found = compute()
        if isinstance(found, float) and math.isfinite(found):  # almost always, and at once
            return float(found)
        array = np.asarray(found)
    if array.ndim or array.dtype.kind not in "biuf":
        got = f"numbers of shape {array.shape}" if array.ndim else repr(found)
        raise metric_error(name, f"expected a number as the score of a test set, got {got}", "bad-score")
    score = float(array)
    if not math.isfinite(score):
        raise metric_error(name, f"expected a finite score of a test set, got {score}", "bad-score")
    return score


def checked_scores(name: str, compute: Callable[[], object], count: int) -> FloatArray:
    """Return the finite scores that a metric computes of so many test sets at once, shape (count,).

    Raises
    ------
    OptionError
        As `checked_score`; another number of scores.
    """
    with failures_told(name, f"cannot score {count} test sets at once", "bad-score"):
        found = np.asarray(compute())
    if found.shape != (count,) or found.dtype.kind not in "biuf":
        got = f"{found.dtype} of shape {found.shape}"
        raise metric_error(name, f"expected a number for each of {count} test sets, got {got}", "bad-score")
    scores = found.astype(np.float64)
    odd = np.flatnonzero(~np.isfinite(scores))
    if len(odd):
        raise metric_error(name, f"expected a finite score of every test set, got {scores[odd[0]]}", "bad-score")
    return scores
