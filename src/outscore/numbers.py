"""All rounding of numbers for people, in one place. Rounding never claims more than the number does."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["format_gain", "format_p", "format_score", "score_decimals"]

SMALLEST_P = 1e-12


def format_p(p: float, alpha: float = 0.05) -> str:
    """Write a p-value: three significant digits or four decimals, never 0, never rounded across alpha.

    Examples
    --------
    >>> format_p(0.04996), format_p(0.05), format_p(0.2717356), format_p(3.2e-5), format_p(0.0)
    ('0.04996', '0.0500', '0.2717', '3.20e-05', '< 1e-12')
    >>> format_p(0.99999), format_p(1.0)
    ('0.99999', '1.0000')
    """
    if p < SMALLEST_P:
        return "< 1e-12"
    if p < 0.001:
        return _without_crossing(p, alpha, lambda digits: f"{p:.{digits}e}", 2)
    return _without_crossing(p, alpha, lambda digits: f"{p:.{digits}f}", 4)


def _without_crossing(p: float, alpha: float, write: Callable[[int], str], digits: int) -> str:
    for more in range(digits, 18):
        text = write(more)
        shown = float(text)
        if (shown < alpha) == (p < alpha) and (shown > alpha) == (p > alpha) and (shown < 1) == (p < 1):
            return text
    return repr(p)


def score_decimals(scale: float) -> int:
    """Return how many decimals show a score whose gains are of the size `scale`: at least 1, at most 10.

    Two significant digits of the scale are kept.

    Examples
    --------
    >>> score_decimals(1.8), score_decimals(0.023), score_decimals(250.0), score_decimals(0.0)
    (1, 3, 1, 4)
    """
    if scale == 0 or not math.isfinite(scale):
        return 4
    return min(max(1, 1 - math.floor(math.log10(scale))), 10)


def format_score(value: float, decimals: int, *, percentage: bool = False) -> str:
    """Write a score with that many decimals, as a percentage without its sign if asked to.

    Examples
    --------
    >>> format_score(0.4753, 2), format_score(0.4753, 1, percentage=True), format_score(-1e-9, 1)
    ('0.48', '47.5', '0.0')
    """
    text = f"{value * 100 if percentage else value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def format_gain(value: float, decimals: int, *, percentage: bool = False) -> str:
    """Write a gain like a score, with its sign.

    Examples
    --------
    >>> format_gain(0.025, 1, percentage=True), format_gain(-0.025, 3), format_gain(0.0, 1)
    ('+2.5', '-0.025', '0.0')
    """
    text = format_score(value, decimals, percentage=percentage)
    return f"+{text}" if float(text) > 0 else text
