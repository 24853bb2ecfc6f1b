"""Options of formats, as they are written on the command line: ``tags:scheme=IOB2,strict=true``."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from outscore.errors import OptionError, Problem
from outscore.naming import nearest, quoted
from outscore.readers.corpora.base import CorpusFormat

__all__ = ["with_options"]

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def with_options(known: CorpusFormat[Any], name: str, text: str) -> CorpusFormat[Any]:
    """Return a format with the options in ``option=value,option=value``.

    Parameters
    ----------
    known : CorpusFormat
    name : str
        What the user calls the format, for messages.
    text : str

    Raises
    ------
    OptionError
        An option that the format does not have, or a value that the option cannot take.

    Examples
    --------
    >>> from outscore.readers.corpora.tagged import TagColumns
    >>> with_options(TagColumns(), "tags", "scheme=IOB2,strict")
    TagColumns(scheme='IOB2', strict=True)
    """
    options: list[str] = [field.name for field in fields(known)] if is_dataclass(known) else []
    kinds = get_type_hints(type(known)) if options else {}
    given: dict[str, object] = {}
    for part in filter(None, text.split(",")):
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if option not in options:
            offer = nearest(option, options) if options else "It has none."
            what = f"{name} has no option {quoted(option)}"
            raise OptionError(Problem("--input-format", what, offer, "unknown-format-option"))
        given[option] = _value(f"{name}:{option}", value if equals else "true", kinds[option])
    try:
        return replace(known, **given) if given else known  # type: ignore[type-var]
    except OptionError as error:
        raise OptionError(
            *(
                Problem(f"--input-format {name}:{problem.where}", problem.what, problem.advice, problem.slug)
                for problem in error.problems
            )
        ) from None


def _value(option: str, text: str, kind: Any) -> object:
    """Return what the text says for a field of that type."""
    kinds = [one for one in get_args(kind) or (kind,) if one is not NoneType]
    if text.lower() == "none" and NoneType in get_args(kind):
        return None
    if kinds == [bool]:
        if text.lower() in _TRUTH:
            return _TRUTH[text.lower()]
    elif kinds == [int]:
        if text.isascii() and text.isdigit() and len(text) < 10:
            return int(text)
    elif text and (kinds == [str] or get_origin(kinds[0]) is Literal):  # the format checks its own choices
        return text
    expected = {bool: "true or false", int: "a whole number"}.get(kinds[0], "a value")
    what = f"{option}: expected {expected}, got {quoted(text)}"
    raise OptionError(Problem("--input-format", what, "Write it as NAME:OPTION=VALUE.", "bad-format-option"))
