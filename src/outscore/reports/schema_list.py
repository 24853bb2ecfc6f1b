"""The list of the forms of JSON, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

__all__ = ["schemas_to_text"]

_NARROWEST, _PROSE = 60, 120


def schemas_to_text(titles: Mapping[str, str], *, width: int = 80) -> str:
    """Write what forms there are, each with its title, and how to get one.

    Parameters
    ----------
    titles : mapping from name to title
    width : int
        Columns; where they are few, titles go on in a second line.
    """
    columns = min(max(width, _NARROWEST), _PROSE)
    label = max(map(len, titles)) + 2
    lines = [
        textwrap.fill(title, columns, initial_indent=name.ljust(label), subsequent_indent=" " * label)
        for name, title in titles.items()
    ]
    end = "The JSON Schema of one: outscore schema NAME, with or without the version."
    return "\n".join([*lines, "", textwrap.fill(end, columns)]) + "\n"
