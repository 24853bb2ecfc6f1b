"""The options of functions and commands, including those that declare the factors in `FACTORS`."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator, Mapping
from dataclasses import make_dataclass
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
    of_table = [(group, of) for group in OPTIONS for of in OPTIONS[group]] if of_core else table()
    groups = dict.fromkeys(group for group, _ in of_table)
    for group in groups:
        yield from ((group, of) for of in (CROSSED_OPTIONS if group == FACTOR_OPTIONS else ()))
        yield from ((group, of) for own, of in of_table if own == group)


@cache
def options_of_function(name: str) -> Mapping[str, Option]:
    """Return the options of a function of Python by argument; "read" is all that read systems."""
    options = [of for _, of in all_options(of_core=name in _CORE)]
    options = [of for of in options if name in (of.commands if of.functions is None else of.functions).split()]
    return {of.argument: of for of in options}


def default_of_argument(of: Option) -> object:
    """Return the default of an option in Python."""
    if of.enumeration and "." in of.written_default:
        return getattr(results, of.enumeration)[of.written_default.partition(".")[2]]
    return literal_eval(of.written_default)


def with_defaults(name: str, given: Mapping[str, object]) -> dict[str, Any]:
    """Return the options of a function: those that are given, words as members of enumerations, and the defaults.

    Raises
    ------
    OptionError
        If a word is none of an enumeration.
    """
    options = options_of_function(name)
    own = {argument: _as_member(options[argument], value) for argument, value in given.items() if argument in options}
    return {**_defaults(name), **own}


@cache
def _defaults(name: str) -> Mapping[str, object]:
    """Return the defaults of a function's options; parsing them takes as long as a small comparison's statistics."""
    return {argument: default_of_argument(of) for argument, of in options_of_function(name).items()}


def _as_member(of: Option, value: object) -> object:
    if of.enumeration is None or (value is None and of.written_default == "None"):
        return value
    return choice(getattr(results, of.enumeration), value, of.argument)


@cache
def options_of_command(name: str) -> Mapping[str, Option]:
    """Return the options of a command by parameter. If several arguments share an option, the first one defines it."""
    found: dict[str, Option] = {}
    for _, of in all_options(of_core=name in _CORE):
        if name in of.commands.split():
            found.setdefault(of.parameter, of)
    return found


if not TYPE_CHECKING:  # type checkers read declared.pyi
    ReadingOptions = make_dataclass(
        "ReadingOptions",
        [
            (name, object, False if of.annotation == "bool" else None)
            for name, of in options_of_function("read").items()
        ],
        frozen=True,
        kw_only=True,
    )


def said_of(options: ReadingOptions) -> Mapping[str, object]:
    """Return the values of the options of crossed factors, by name."""
    return {option.argument: getattr(options, option.argument) for option in CROSSED_OPTIONS}


def declared_factors(options: ReadingOptions) -> tuple[CrossedFactor, ...]:
    """Return the crossed factors that options declare.

    Raises
    ------
    OptionError
    """
    if all(said is None or said is False for said in said_of(options).values()):
        return ()
    factors = (kind.declared(options) for kind in crossed_factors())
    return tuple(factor for factor in factors if factor is not None)
