"""The options of functions and commands, including those that declare the factors in `FACTORS`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import make_dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

from outscore import results
from outscore.data.coercion import choice
from outscore.design.crossed import CrossedFactor
from outscore.design.registry import crossed_factors
from outscore.options import FACTOR_OPTIONS, OPTIONS, Option, table

if TYPE_CHECKING:
    from outscore.declared import ReadingOptions as ReadingOptions

CROSSED_OPTIONS: tuple[Option, ...] = tuple(
    option._replace(commands="read", key=option.argument) for factor in crossed_factors() for option in factor.options
)


# Commands and functions of the core, which take no option of a wing.
_CORE = {"read", "boards", "writes", "compare", "rank", "score", "rows", "metrics", "formats", "schema", "skill"}


def all_options(*, of_core: bool = False) -> Iterator[tuple[str, Option]]:
    """Yield all options in the order of the help, each with its group; those of wings last."""
    of_table = [(group, option) for group in OPTIONS for option in OPTIONS[group]] if of_core else table()
    for group in dict.fromkeys(group for group, _ in of_table):
        yield from ((group, option) for option in (CROSSED_OPTIONS if group == FACTOR_OPTIONS else ()))
        yield from ((group, option) for own_group, option in of_table if own_group == group)


@cache
def _by_user(*, of_core: bool) -> tuple[Mapping[str, Mapping[str, Option]], Mapping[str, Mapping[str, Option]]]:
    """Return the options of commands by parameter, and those of functions by argument.

    If several arguments share an option, the first one defines it.
    """
    commands, functions = defaultdict[str, dict[str, Option]](dict), defaultdict[str, dict[str, Option]](dict)
    for _, option in all_options(of_core=of_core):
        for name in option.commands.split():
            commands[name].setdefault(option.parameter, option)
        for name in (option.commands if option.functions is None else option.functions).split():
            functions[name][option.argument] = option
    return commands, functions


def options_of_function(name: str) -> Mapping[str, Option]:
    """Return the options of a function of Python by argument; "read" is all that read systems."""
    return _by_user(of_core=name in _CORE)[1][name]


def options_of_command(name: str) -> Mapping[str, Option]:
    """Return the options of a command by parameter."""
    return _by_user(of_core=name in _CORE)[0][name]


def default_in_python(option: Option) -> object:
    """Return the default of an option in Python."""
    if option.annotation == "bool":
        return option.default is True
    return as_member(option, option.default if option.python_default is None else option.python_default)


def as_member(option: Option, value: object) -> object:
    """Return a default as a member of the option's enumeration, if it has one."""
    return value if option.enumeration is None or value is None else getattr(results, option.enumeration)(value)


def with_defaults(name: str, given: Mapping[str, object]) -> dict[str, Any]:
    """Return the options of a function: those that are given, words as members of enumerations, and the defaults.

    Raise OptionError if a word is not in its enumeration.
    """
    defaults, kinds = defaults_of_function(name)
    values = {**defaults, **{argument: value for argument, value in given.items() if argument in defaults}}
    for argument, kind in kinds.items():
        if values[argument] is not defaults[argument]:
            values[argument] = choice(kind, values[argument], argument)
    return values


@cache
def defaults_of_function(name: str) -> tuple[Mapping[str, object], Mapping[str, type[StrEnum]]]:
    """Return the defaults of a function's options, and their enumerations.

    Modules of commands call it when they are imported, for their own function only: enumerations import results.
    """
    options = options_of_function(name).values()
    kinds = {option.argument: getattr(results, option.enumeration) for option in options if option.enumeration}
    return {option.argument: default_in_python(option) for option in options}, kinds


if not TYPE_CHECKING:  # type checkers read declared.pyi
    ReadingOptions = make_dataclass(
        "ReadingOptions",
        [
            (name, object, False if option.annotation == "bool" else None)
            for name, option in options_of_function("read").items()
        ],
        frozen=True,
        kw_only=True,
    )


def crossed_options(options: ReadingOptions) -> Mapping[str, object]:
    """Return the options of crossed factors that are given, by name."""
    given = {option.argument: getattr(options, option.argument) for option in CROSSED_OPTIONS}
    return {argument: value for argument, value in given.items() if value is not None and value is not False}


def declared_factors(options: ReadingOptions) -> tuple[CrossedFactor, ...]:
    """Return the crossed factors that options declare. May raise OptionError."""
    if not crossed_options(options):
        return ()
    factors = (kind.declared(options) for kind in crossed_factors())
    return tuple(factor for factor in factors if factor is not None)
