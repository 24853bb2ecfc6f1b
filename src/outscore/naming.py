"""Names and other text of users: how it is shown on one line, and what they may have meant."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["nearest", "printable", "quoted", "shortened"]

LONGEST_QUOTE = 60


def printable(text: str) -> str:
    r"""Return `text` as it can be shown on one line: control and invisible characters are spelt out.

    Examples
    --------
    >>> print(printable("a\tb\x1b[31m é"))
    a\tb\x1b[31m é
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def quoted(text: str) -> str:
    """Return `text` in quotes, on one line, shortened where it is long.

    Examples
    --------
    >>> quoted("n/a")
    '"n/a"'
    """
    return f'"{shortened(text)}"'


def shortened(text: str) -> str:
    """Return `text` as it can be shown within a line, without its end where it is long."""
    shown = printable(text[: LONGEST_QUOTE + 1])
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[:LONGEST_QUOTE]}..."


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a sentence that offers the name nearest to `name`, or all that there are.

    Examples
    --------
    >>> nearest("acuracy", ["accuracy", "mean"])
    'Did you mean "accuracy"?'
    >>> nearest("bleu", ["accuracy", "mean"])
    'Known: accuracy, mean.'
    """
    from difflib import get_close_matches  # for mistakes alone

    names = list(dict.fromkeys(known))
    close = get_close_matches(name[:LONGEST_QUOTE].lower(), [each for each in names if len(each) <= LONGEST_QUOTE], n=1)
    return f'Did you mean "{printable(close[0])}"?' if close else f"Known: {', '.join(map(shortened, names))}."
