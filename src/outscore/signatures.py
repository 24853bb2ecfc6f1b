"""Signatures and docstrings of functions from the table of options."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from outscore import results
from outscore.data.arguments import checked_options, typed
from outscore.design.options import (
    CROSSED_OPTIONS,
    all_options,
    default_in_python,
    options_of_function,
    with_defaults,
)
from outscore.laws.executors import executor_of
from outscore.options import Option, named_otherwise, opt
from outscore.readers.reading import Reading
from outscore.text.naming import nearest, quoted

if TYPE_CHECKING:
    from concurrent.futures import Executor

_Function = TypeVar("_Function", bound=Callable[..., Any])

_WIDTH = 116  # of docstrings, within an indentation of four spaces


def declared(function: _Function) -> _Function:
    """Return a public function of systems with the arguments of the table that bear its name, checked as by `typed`.

    The function takes them, and those of `read`, as ``**options``. Its docstring takes precedence over the table.
    """
    return _declared(function, reads=function.__name__ != "read")


def declared_alone(function: _Function) -> _Function:
    """Return a function as `declared`, without the arguments of `read`."""
    return _declared(function, reads=False)


def _declared(function: _Function, *, reads: bool) -> _Function:
    name = function.__name__
    options = options_of_function(name)
    signature = inspect.signature(function)
    *own_parameters, _ = signature.parameters.values()
    of_table = [
        inspect.Parameter(
            argument, inspect.Parameter.KEYWORD_ONLY, default=default_in_python(option), annotation=option.annotation
        )
        for argument, option in options.items()
    ]
    reading = inspect.Parameter("reading", inspect.Parameter.VAR_KEYWORD, annotation="Unpack[ReadOptions]")
    parameters = [*own_parameters, *of_table, *([reading] if reads else [])]
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    before, section, after = inspect.cleandoc(function.__doc__ or "").partition("\n\nRaises\n")
    returns = before.find("\n\nReturns\n")
    if returns >= 0:
        before, section = before[:returns], before[returns:] + section
    described = {
        argument for line in re.findall(r"^(\w.*?)(?: : |$)", before, re.MULTILINE) for argument in line.split(", ")
    }
    entries = [_entry(option) for argument, option in options.items() if argument not in described]
    if reads:
        entries.append("**reading\n    Arguments of `read`: references, clusters, strata, names, ...")
    if "\nParameters\n" not in before:
        before += "\n\nParameters\n----------"
    function.__doc__ = "\n".join([before, *entries]) + section + after
    return typed(function, options)


def asked_of(name: str, options: Mapping[str, object]) -> tuple[dict[str, Any], Reading, Executor | None]:
    """Return the options of a question, how to read its systems, and where to compute, from arguments of a function."""
    known = options_of_function(name)
    how_read = reading_of({argument: value for argument, value in options.items() if argument not in known})
    values = with_defaults(name, {argument: value for argument, value in options.items() if argument in known})
    return values, how_read, executor_of(values.pop("executor", None))


def reading_of(options: Mapping[str, object]) -> Reading:
    """Return the options of `read` as an object, or raise TypeError for an unknown argument."""
    known, of_compare = options_of_function("read"), options_of_function("compare")
    for name, given in options.items():
        if name not in known:
            names = ["metric", *known, *of_compare]
            flags = {argument for argument, option in {**known, **of_compare}.items() if option.type == "flag"}
            offer = nearest(name, [opt(other, True) if other in flags else other for other in names])
            ours = named_otherwise(name)
            if ours:
                offer = f"Use {next((way for way in ours if way.startswith(f'{given}_')), ' or '.join(ours))}."
            elif name in {"candidate", "candidates"}:
                offer = "Pass baseline: all other systems are candidates."
            elif name in of_compare:
                offer = "It is an argument of outscore.compare."
            elif not offer.startswith("Did"):
                offer = "See help(outscore.read) for the arguments of reading."
            raise TypeError(f"unexpected keyword argument {name!r}. {offer}")
    types = {argument: option.annotation for argument, option in known.items()}
    return Reading(**checked_options(options, types, CROSSED_OPTIONS))


def _entry(option: Option) -> str:
    """Return the entry of an option in the section "Parameters" of a docstring."""
    kinds = option.kinds or _kinds(option)
    optional = ", optional" if default_in_python(option) is None else ""
    return f"{option.argument} : {kinds}{optional}\n{_wrapped(_in_python(option.doc or option.help), '    ')}"


def _kinds(option: Option) -> str:
    """Return the values of an argument in words."""
    if option.enumeration:
        return _listed([*getattr(results, option.enumeration)])
    kinds = re.sub(r"Literal\[(.*?)\]", r"{\1}", option.annotation.removesuffix(" | None"))
    return _listed(option.type) if isinstance(option.type, tuple) and kinds[0] not in "b{" else _in_words(kinds)


def _in_words(kinds: str) -> str:
    kinds = re.sub(r"Mapping\[(.*?), (.*?)\]", r"mapping from \1 to \2", kinds)
    return re.sub(r"Sequence\[(.*?)\]", r"sequence of \1", kinds).replace(" | ", " or ")


def _listed(words: Sequence[str]) -> str:
    return "{" + ", ".join(quoted(word) for word in words) + "}"


@cache
def _arguments() -> Mapping[str, str]:
    """Return the arguments of the core by the names of their options."""
    return {option.written: option.argument for _, option in all_options(of_core=True)}


def _in_python(text: str) -> str:
    """Return a text in which options of the command line are arguments of Python."""
    arguments = _arguments()
    text = re.sub(r'"([^"]*\*[^"]*)"', r"``\1``", text)  # in docstrings a star or underscore would be markup
    text = re.sub(r"--([a-z-]+)", lambda found: f"`{arguments.get(found[1], found[1])}`", text)
    return re.sub(r"outscore (read|compare|rank|score)\b", r"`\1`", text.replace("{runs}", "`runs`"))


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
