"""Values of options that are more than a word: sizes like 1e6, seeds like none."""

from __future__ import annotations

import os
import secrets
from decimal import Decimal, InvalidOperation

from outscore.api import DEFAULT_SEED
from outscore.errors import OptionError, Problem

__all__ = ["seed", "whole_number"]

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
        return secrets.randbits(32)
    return whole_number(text, where)
