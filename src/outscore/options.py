"""The options of the command line and the arguments of Python, in one table, and how messages call them.

A message calls an option by `opt`: the same line is ``--runs random`` on the command line and ``runs="random"`` in
Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

# The group of crossed factors' options, which stand beside the factors and are called like their arguments.
FACTOR_OPTIONS = "Runs, samples, strata that weigh and test sets"


def _alike(arguments: str) -> dict[str, str]:
    return {argument: argument.replace("_", "-") for argument in arguments.split()}


# By group of the help: what Python calls an argument, and what the command line calls it, with a value that it implies.
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "Systems and items": {
        **_alike("metric input_format lower_is_better baseline against families relations to from source"),
        **_alike("collapse_strata skip_unreadable task total duplicates"),
        "references": "reference",
        "id_column": "id",
        "score_column": "score",
        "drop_missing": "missing drop",
        "zero_missing": "missing zero",
        "clusters": "cluster",
        "strata": "stratum",
        "others": "transfer",
        "stratum": "transfer-from",
    },
    FACTOR_OPTIONS: {
        **_alike("run_law run_sd weights tasks combination item_sd interaction_sd cost_item cost_run"),
        "test_sets": "test-set",
    },
    "What is asked": {
        **_alike("items gain observed helped hurt sd sizes subsets repeats unit claim margin alternative correction"),
        **_alike("comparisons alpha confidence_level interval window min_pairs unpaired looks look error undecided"),
        **_alike("commit config same_run sequential"),
        "target": "power",
        "hurt_percents": "hurt-percent",
        "rule": "fit",
    },
    "Training sets and runs": _alike("train out replicates family header suffix timeout redo keep_training_sets"),
    "Tests and resamples": {
        **_alike("test emulate method n_resamples n_sets seed jobs executor ties estimator double_check max_t"),
        "tests": "test",
        "n_checks": "checks",
    },
    "Output": _alike("format output report chart chart_of pairs table quiet details bare shell junit github"),
}
_BY_ARGUMENT = {argument: option for options in OPTIONS.values() for argument, option in options.items()}
_SHORT = {"metric": "m", "references": "r", "output": "o"}

_SPEAKS_OPTIONS: ContextVar[bool] = ContextVar("outscore_speaks_options", default=False)


@contextmanager
def speaking_options(*, speaks: bool = True) -> Iterator[None]:
    """Let messages name options of the command line, as it does; else they name arguments of Python."""
    token = _SPEAKS_OPTIONS.set(speaks)
    try:
        yield
    finally:
        _SPEAKS_OPTIONS.reset(token)


def speak_options(*, speaks: bool = True) -> None:
    """Do so from now on, in a thread or process of its own, which takes over nothing of the one that starts it."""
    _SPEAKS_OPTIONS.set(speaks)


def speaks_options() -> bool:
    """Tell whether messages name options of the command line."""
    return _SPEAKS_OPTIONS.get()


def opt(argument: str, value: str | Literal[True] | None = None, *, short: bool = False) -> str:
    """Return how users write an argument: as an option on the command line, as an argument in Python.

    Parameters
    ----------
    argument : str
        As Python calls it.
    value : str or True, optional
        A word, or what stands for one in capital letters, or quoted text; True is that of a flag.
    short : bool
        Whether the command line has it as ``-m``.

    Examples
    --------
    >>> opt("runs", "random"), opt("clusters"), opt("drop_missing", True)
    ('runs="random"', 'clusters', 'drop_missing=True')
    >>> with speaking_options():
    ...     opt("runs", "random"), opt("clusters"), opt("drop_missing", True), opt("metric", "f", short=True)
    ('--runs random', '--cluster', '--missing drop', '-m f')
    """
    if speaks_options():
        option = f"-{_SHORT[argument]}" if short else f"--{option_of(argument)}"
        return option if value is None or value is True else f"{option} {value}"
    if value is None:
        return argument
    if isinstance(value, bool) or value.startswith('"') or value.isupper() or value.replace(".", "").isdigit():
        return f"{argument}={value}"
    return f'{argument}="{value}"'


def option_of(argument: str) -> str:
    """Return the name of the option that an argument of Python is, without hyphens before it.

    Examples
    --------
    >>> option_of("id_column"), option_of("raters")
    ('id', 'raters')
    """
    return _BY_ARGUMENT.get(argument, argument.replace("_", "-"))


def leave_out() -> str:
    """Return the advice to leave out the option or argument that a problem is about."""
    return "Leave the option out." if speaks_options() else "Leave it out."
