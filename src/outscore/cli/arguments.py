"""Values of options that are more than a word: sizes like 1e6, seeds like none."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation

from outscore.arguments import DEFAULT_SEED
from outscore.errors import OptionError, Problem

__all__ = ["fraction", "percentages", "processes_and_threads", "seed", "threads", "whole_number", "whole_numbers"]

SEED_VARIABLE = "OUTSCORE_SEED"


def whole_number(text: str, option: str) -> int:
    """Return the whole number that `text` writes, as 100000 or 1e5.

    Raises
    ------
    OptionError
        No number, or not a whole one.
    """
    try:
        value = Decimal(text)
        if value.is_finite() and abs(value) < 10**40 and value == int(value) and "_" not in text:
            return int(value)
    except InvalidOperation:
        pass
    raise OptionError(Problem(option, f'expected a whole number, such as 100000 or 1e5, got "{text}"', "", "not-whole"))


def whole_numbers(texts: Sequence[str], option: str) -> list[int]:
    """Return the whole numbers of an option that takes several, as 100,500 or by repetition."""
    return [whole_number(part, option) for text in texts for part in text.split(",")]


def fraction(text: str, option: str) -> float:
    """Return the number that `text` writes, as 0.02 or 2%.

    Raises
    ------
    OptionError
        No number.
    """
    bare, sign, rest = text.strip().partition("%")
    return _number(bare, text, option) / 100 if sign and not rest else _number(text, text, option)


def percentages(texts: Sequence[str], option: str) -> list[float]:
    """Return numbers in per cent, as 1,2 or 1%,2% or by repetition.

    Raises
    ------
    OptionError
        No number.
    """
    parts = [part.strip() for text in texts for part in text.split(",")]
    return [_number(part.removesuffix("%"), part, option) for part in parts]


def _number(text: str, given: str, option: str) -> float:
    try:
        value = float(Decimal(text.strip()))
    except InvalidOperation:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise OptionError(Problem(option, f'expected a number, such as 0.02 or 2%, got "{given}"', "", "not-a-number"))
    return value


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
