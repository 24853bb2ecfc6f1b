"""Options of commands from the table, and the conversion of their values: numbers, seeds, executors."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from outscore import results
from outscore.asking import DEFAULT_SEED
from outscore.data.coercion import whole_number
from outscore.design.options import as_member, defaults_of_function, options_of_command, options_of_function
from outscore.errors import OptionError, Problem
from outscore.laws.executors import executor_of
from outscore.options import Option, opt, speak_options

if TYPE_CHECKING:
    from concurrent.futures import Executor

SEED_VARIABLE = "OUTSCORE_SEED"
EXECUTOR_VARIABLE = "OUTSCORE_EXECUTOR"

_Described = TypeVar("_Described", bound=Callable[..., Any])
_KINDS: Mapping[str, Any] = {
    "text": str,
    "texts": list[str],
    "words": list[str],
    "flag": bool,
    "whole": int,
    "wholes": list[str],
    "count": str,
    "seed": str,
    "number": float,
    "pair": tuple[float, float],
}
_SYSTEMS = Option("systems", default="", name="SYSTEM", hyphen=True)


def from_table(command: str, **defaults: Any) -> Callable[[_Described], _Described]:
    """Return a decorator that adds the options of a command: types, defaults, short names, help.

    `command` is its name in the table, or a group of options for a class: read, boards or writes. `defaults` are those
    that differ from the table. The docstring of the command takes precedence over the help of the table. The module
    imports this one as `arguments`.
    """
    options = options_of_command(command)
    # The defaults are looked up when the module of the command is imported, once for all calls in one process.
    _defaults(command)
    defaults_of_function(command)

    def described(function: _Described) -> _Described:
        doc = inspect.cleandoc(function.__doc__ or "")
        if "\n-----" not in doc:
            doc += "\n\nParameters\n----------"
        for name, option in options.items():
            function.__annotations__[name] = f'arguments.parameter("{command}", "{name}")'
            if f"\n{name}\n" not in doc:
                help_text = option.help.replace("{runs}", "--runs")
                doc += f"\n{name}\n    {help_text}"
        function.__doc__ = doc
        if not isinstance(function, type):
            if function.__annotations__.get("systems") == "str":
                function.__annotations__["systems"] = f'arguments.parameter("{command}", "systems")'
            parameters = [
                parameter
                for parameter in inspect.signature(function).parameters.values()
                if parameter.kind is not parameter.VAR_KEYWORD
            ]
            keyword = inspect.Parameter.KEYWORD_ONLY
            function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
                [
                    *(parameter for parameter in parameters if parameter.name not in options),
                    *(
                        inspect.Parameter(name, keyword, default=defaults.get(name, default_of(option)))
                        for name, option in options.items()
                    ),
                ]
            )
        return function

    return described


def class_of(options: str, module: str) -> Any:
    """Return a class with the options of a group of commands, for a module that imports this one as `arguments`."""
    fields = [(name, object, default_of(option)) for name, option in options_of_command(options).items()]
    namespace = {"__doc__": f"Options of {options}."}
    made = make_dataclass(f"{options.title()}Options", fields, namespace=namespace, frozen=True, kw_only=True)
    made.__module__ = module  # in the namespace Python 3.12 would replace it by this module
    return from_table(options)(made)


def default_of(option: Option) -> Any:
    """Return the default of an option of the table, as a member of its enumeration if it has one."""
    if option.required:
        return inspect.Parameter.empty
    if option.type == "flag":
        return option.default is True
    return as_member(option, option.default)


@cache
def parameter(command: str, name: str) -> Any:
    """Return the annotation of an option of a command for cyclopts."""
    from cyclopts import Parameter

    of_systems = name == "systems" and command in ("compare", "rank", "score")
    option = _SYSTEMS if of_systems else options_of_command(command)[name]
    words: Any = option.type
    kind = Literal[words] if isinstance(words, tuple) else _KINDS.get(words) or getattr(results, words)
    is_flag, is_list = option.type == "flag", kind == list[str]
    settings: dict[str, Any] = {}
    if option.short:
        settings["alias"] = [f"-{option.short}"]
    if option.name.isupper():
        settings["name"] = option.name
    if option.hyphen:
        settings["allow_leading_hyphen"] = True
    if is_list or (is_flag and option.default is not True):
        settings["negative"] = ""
    always = is_flag or option.default is not None or option.required
    return Annotated[kind if always else kind | None, Parameter(**settings)]


def taken_by(function: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a command's options, by argument, that a function takes as well; None means its default."""
    known = options_of_function(function)
    return {argument: value for argument, value in values.items() if argument in known and value is not None}


def values_of(command: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a command's options by argument: those given, converted, and the defaults."""
    values = {**_defaults(command)}
    for name, option in options_of_command(command).items():
        if name in given:
            values[option.argument] = _converted(option, given[name])
    if "seed" in values:
        values["seed"] = seed_of(values["seed"])
    return values


@cache
def _defaults(command: str) -> Mapping[str, Any]:
    options = [option for option in options_of_command(command).values() if not option.required]
    return {option.argument: _converted(option, default_of(option)) for option in options}


def _converted(option: Option, value: Any) -> Any:
    """Return a value of the command line as that of the argument; seeds stay text."""
    if value is None:
        return None
    if option.type == "count":
        return whole_number(str(value), opt(option.argument))
    if option.type == "wholes":
        return whole_numbers(value, opt(option.argument))
    return several(value) if option.type == "words" else value


def whole_numbers(texts: Sequence[str], option: str) -> list[int]:
    """Return the integers of an option of several values, written as 100,500 or repeated."""
    return [whole_number(part, option) for part in several(texts)]


def several(texts: Sequence[str]) -> list[str]:
    """Return the values of an option of several values, written as 1%,2% or repeated."""
    return [part.strip() for text in texts for part in text.split(",")]


def seed_of(text: str | None) -> int:
    """Return the seed of the option, of the environment variable OUTSCORE_SEED, or the default, in this order.

    "none" returns a random seed.
    """
    where = "--seed"
    if text is None and os.environ.get(SEED_VARIABLE):
        text, where = os.environ[SEED_VARIABLE], SEED_VARIABLE
    if text is None:
        return DEFAULT_SEED
    if text.strip().lower() == "none":
        import secrets

        return secrets.randbits(32)
    return whole_number(text, where)


def processes_of(jobs: int | None) -> int:
    """Return the maximum number of processes for scoring, by default one per core.

    Raise OptionError if `jobs` is less than 1.
    """
    if jobs is not None and jobs < 1:
        raise OptionError(Problem("--jobs", f"expected at least 1, got {jobs}", "", "out-of-range"))
    if jobs is None and hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return jobs or os.cpu_count() or 1


def computing(jobs: int | None, executor: str | None = None) -> tuple[int, AbstractContextManager[Executor | None]]:
    """Return the maximum number of processes for scoring, and a context of the executor for resampling.

    The executor is the cluster of the option or of the environment variable OUTSCORE_EXECUTOR, or else --jobs threads.
    It is None for the current thread. By default all cores score and one thread resamples. The cluster is not
    contacted yet.

    Raises
    ------
    OptionError, MissingDependencyError
        See `processes_of` and `executor_of`.
    """
    processes, where = processes_of(jobs), None
    if executor is None and os.environ.get(EXECUTOR_VARIABLE):
        executor, where = os.environ[EXECUTOR_VARIABLE], EXECUTOR_VARIABLE
    if executor is not None:
        return processes, _quietly(executor_of(executor, where))
    if jobs is None or jobs == 1:
        return processes, nullcontext()
    from concurrent.futures import ThreadPoolExecutor  # one thread does not need it

    return processes, ThreadPoolExecutor(jobs, initializer=speak_options)


@contextmanager
def _quietly(cluster: Executor | None) -> Iterator[Executor | None]:
    """Yield a cluster without its log messages; errors are raised in one line."""
    import logging

    level = logging.root.manager.disable
    logging.disable()
    try:
        with cluster or nullcontext():
            yield cluster
    finally:
        logging.disable(level)
