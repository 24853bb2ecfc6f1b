"""Arguments of public functions, checked by the types in their signatures."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from inspect import CO_VARARGS
from typing import Any, TypeVar

import numpy as np

from outscore.data.coercion import number, whole, wrong
from outscore.options import OPTIONS, Option, explaining_names

_Function = TypeVar("_Function", bound=Callable[..., Any])

_OPTIONS = {option.argument: option for options in OPTIONS.values() for option in options}
_MEMBERS = re.compile(r" \| (?![^\[\]]*\])")  # of a union; those within brackets belong to a sequence or mapping
_WORDS = re.compile(r'"([^"]*)"')
_SEVERAL = {"str": "strings", "int": "whole numbers", "float": "numbers"}


def typed(function: _Function, options_of: Mapping[str, Option] | None = None) -> _Function:
    """Return a public function that refuses unknown names and wrong types, as `explaining_names` and `checked`.

    The annotations of the function are the types of its own arguments. `options_of` has the options that it takes as
    ``**options``, by name of argument.
    """
    options_of = options_of or {}
    types = function.__annotations__ | {argument: option.annotation for argument, option in options_of.items()}
    code, explaining = function.__code__, explaining_names(function)
    places = code.co_varnames[: code.co_argcount]
    several = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & CO_VARARGS else ""

    @wraps(function)
    def call(*values: Any, **options: Any) -> Any:
        names = [*places, *[several] * (len(values) - len(places))]
        positional = [checked(value, name, types.get(name, "")) for name, value in zip(names, values, strict=False)]
        return explaining(*positional, *values[len(names) :], **checked_options(options, types, options_of.values()))

    return call  # type: ignore[return-value]


def checked_options(
    values: Mapping[str, object], types: Mapping[str, Any], others: Iterable[Option] = ()
) -> dict[str, Any]:
    """Return the values of arguments, each as `checked`.

    `types` are annotations; arguments without one are not checked. `others` are options that are not in the table of
    the core, or differ from it.
    """
    options = _OPTIONS | {option.argument: option for option in others}
    return {
        name: checked(value, name, types[name], options.get(name)) if name in types else value
        for name, value in values.items()
    }


def checked(value: object, argument: str, annotation: Any, option: Option | None = None) -> Any:
    """Return the value of an argument if it has the annotated type.

    Text, flags, numbers, and sequences and mappings of them are checked. Whole numbers of any type become int, and
    iterables become lists, so a generator is read once. Values are returned unchanged if one of several types is
    another class, which whoever uses it checks.

    Raises
    ------
    OptionError

    Examples
    --------
    >>> checked((n for n in (1, 2)), "sizes", "Sequence[int] | None"), checked("2%", "gain", "float | str")
    ([1, 2], '2%')
    """
    kinds, words = _parts(getattr(annotation, "__forward_arg__", annotation))
    if not words and "bool" not in kinds and option is not None and isinstance(option.type, tuple):
        words = option.type
    if words and not isinstance(value, str | None):
        raise wrong(argument, f"one of {', '.join(words)}", value)
    if not all(kind in _CHECKS or kind.startswith(("Sequence[", "Mapping[str, ")) for kind in kinds):
        return value
    if (value is None and "None" in kinds) or (isinstance(value, str) and "str" in kinds):
        return value
    *_, kind = sorted(kinds, key=lambda kind: (kind != "None", kind != "str", _is_like(value, kind)))
    if kind.startswith("Sequence["):
        return _listed(value, argument, kind[9:-1])
    if kind.startswith("Mapping["):
        return _mapped(value, argument, kind[13:-1])
    return _CHECKS[kind](value, argument)


@cache
def _parts(annotation: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the members of a union, and the words that are allowed."""
    kinds = tuple(_MEMBERS.split(annotation))
    return kinds, tuple(word for kind in kinds if kind.startswith("Literal[") for word in _WORDS.findall(kind))


def _is_like(value: object, kind: str) -> bool:
    is_several = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    return is_several == kind.startswith(("Sequence[", "Mapping["))


def _listed(value: Any, argument: str, kind: str) -> list[Any]:
    expected = f"a list of {_SEVERAL.get(kind.partition(' ')[0], 'values')}"
    if isinstance(value, str | bytes | Mapping):
        raise wrong(argument, expected, value)
    try:
        members = list(value)
    except TypeError:  # an array of shape () has the method of an iterable
        raise wrong(argument, expected, value) from None
    return [checked(member, f"{argument}[{index}]", kind) for index, member in enumerate(members)]


def _mapped(value: object, argument: str, kind: str) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise wrong(argument, "a mapping from names", value)
    return {name: checked(member, f"{argument}[{name}]", kind) for name, member in value.items()}


def _flag(value: object, argument: str) -> bool:
    if isinstance(value, bool | np.bool_) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise wrong(argument, "True or False", value)


def _number(value: object, argument: str) -> object:
    as_float = number(value, argument)
    return as_float if isinstance(value, str) else value


def _text(value: object, argument: str) -> str:
    if not isinstance(value, str):
        raise wrong(argument, "text", value)
    return value


def _path(value: Any, argument: str) -> object:
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise wrong(argument, "a path", value)
    return value


def _nothing(value: object, argument: str) -> None:
    if value is not None:
        raise wrong(argument, "None", value)


_CHECKS: Mapping[str, Callable[[Any, str], object]] = {
    "bool": _flag,
    "int": whole,
    "float": _number,
    "str": _text,
    "os.PathLike[str]": _path,
    "None": _nothing,
}
