"""Values of options that are more than a word: sizes like 1e6, seeds like none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from outscore.arguments import DEFAULT_SEED
from outscore.coercion import whole_number
from outscore.errors import OptionError, Problem

__all__ = ["processes_and_threads", "seed", "several", "threads", "whole_numbers"]

SEED_VARIABLE = "OUTSCORE_SEED"


def whole_numbers(texts: Sequence[str], option: str) -> list[int]:
    """Return the whole numbers of an option that takes several, as 100,500 or by repetition."""
    return [whole_number(part, option) for part in several(texts)]


def several(texts: Sequence[str]) -> list[str]:
    """Return the values of an option that takes several, as 1%,2% or by repetition."""
    return [part.strip() for text in texts for part in text.split(",")]


def processes_and_threads(jobs: int | None) -> tuple[int, int]:
    """Return how many processes may score outputs, and how many threads resample.

    By default all cores score, which is soon done and done once, and one thread resamples.

    Raises
    ------
    OptionError
        Less than one.
    """
    if jobs is None:
        return _cores(), 1
    return threads(jobs), jobs


def threads(jobs: int) -> int:
    """Return the number of threads that --jobs asks for, at least 1.

    Raises
    ------
    OptionError
        Less than one.
    """
    if jobs < 1:
        raise OptionError(Problem("--jobs", f"expected at least 1, got {jobs}", "", "out-of-range"))
    return jobs


def _cores() -> int:
    with suppress(AttributeError):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def seed(text: str | None) -> int:
    """Return the seed of an option, of the environment variable OUTSCORE_SEED, or the default, in this order.

    "none" draws one.
    """
    where = "--seed"
    if text is None and os.environ.get(SEED_VARIABLE):
        text, where = os.environ[SEED_VARIABLE], SEED_VARIABLE
    if text is None:
        return DEFAULT_SEED
    if text.strip().lower() == "none":
        import secrets

        return secrets.randbits(32)
    return whole_number(text, where)
