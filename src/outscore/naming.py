"""Suggestions for names that a user got wrong."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["nearest"]


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a sentence that offers the name nearest to `name`, or all that there are.

    Examples
    --------
    >>> nearest("acuracy", ["accuracy", "mean"])
    'Did you mean "accuracy"?'
    >>> nearest("bleu", ["accuracy", "mean"])
    'Known: accuracy, mean.'
    """
    names = list(known)
    close = get_close_matches(name.lower(), names, n=1)
    return f'Did you mean "{close[0]}"?' if close else f"Known: {', '.join(names)}."
