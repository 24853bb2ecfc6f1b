"""The forms of JSON that outscore writes, as JSON Schemas (draft 2020-12): one file a form and version.

Parts that several share are written in docs/schemas.json, from where docs/schemas.py puts them into each file.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from outscore.errors import OptionError, Problem
from outscore.naming import nearest, quoted

__all__ = ["names", "schema_of", "schema_text"]

_PREFIX = "outscore/"


def names() -> tuple[str, ...]:
    """Return the names of all forms, as they stand under the key "schema", in alphabetical order.

    Examples
    --------
    >>> names()[:2]
    ('outscore/comparison/1', 'outscore/comparisons/1')
    """
    return tuple(sorted(_forms()))


def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a form.

    Keys may be added to a form within its version, so that unknown keys are allowed. The schema refers to nothing
    outside itself.

    Parameters
    ----------
    name : str
        What stands under the key "schema", ``outscore/study-gain/1``, or without the version, ``study-gain``, for the
        newest.

    Raises
    ------
    OptionError
        An unknown name.

    Examples
    --------
    >>> schema_of("plan-table")["title"]
    "Jansen's table of p-values to expect"
    """
    found: dict[str, Any] = json.loads(schema_text(name))
    return found


def schema_text(name: str) -> str:
    """Return the file of a form's JSON Schema, named as for `schema_of`.

    Raises
    ------
    OptionError
        An unknown name.
    """
    forms = _forms()
    newest = {full.split("/")[1]: full for full in sorted(forms, key=_version)}
    full = newest.get(name, name)
    if full not in forms:
        known = forms if name.startswith(_PREFIX) else newest
        what = f"unknown form of JSON {quoted(name)}"
        raise OptionError(Problem("outscore schema", what, nearest(name, sorted(known)), "unknown-schema"))
    return files(__name__).joinpath(forms[full]).read_text(encoding="utf-8")


@cache
def _forms() -> dict[str, str]:
    """Return the files by the names of their forms: study-gain-1.json by outscore/study-gain/1."""
    held = (file.name for file in files(__name__).iterdir() if file.name.endswith(".json"))
    parts = ((file, *file.removesuffix(".json").rpartition("-")) for file in held)
    return {f"{_PREFIX}{name}/{version}": file for file, name, _, version in parts}


def _version(full: str) -> int:
    return int(full.rpartition("/")[2])
