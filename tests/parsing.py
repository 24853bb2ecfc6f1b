"""What the command line's parser makes of a command's signature, kept: tests run thousands of lines in one process.

To look through fifty annotated options takes a tenth of a second, ten times what most lines take to answer. A user's
process does it once; here it is done once for each command, and every line parses with a copy as good as new.
"""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any

from cyclopts import App, ArgumentCollection, core
from cyclopts.argument import Argument
from cyclopts.utils import UNSET

__all__ = ["keep_signatures"]


def _as_new(arguments: ArgumentCollection) -> ArgumentCollection:
    """Return arguments that no line has been parsed into; what they are stays shared."""
    copies: dict[int, Argument] = {}
    for argument in arguments:
        assert not argument.tokens
        assert argument._value is UNSET
        copies[id(argument)] = other = copy(argument)
        other.tokens = []
    for other in copies.values():
        other.children = ArgumentCollection(copies[id(child)] for child in other.children)  # type: ignore[no-untyped-call]
    return ArgumentCollection(copies.values())  # type: ignore[no-untyped-call]


def keep_signatures() -> None:
    """Have signatures of outscore's own commands looked through once in this process."""
    assemble = App.assemble_argument_collection
    kept: dict[Any, ArgumentCollection] = {}
    # By what they are made of, which lives as long as this process.
    negatives: dict[tuple[int, int], tuple[str, ...]] = {}
    derived: Any = vars(Argument)["negatives"].fget

    def negatives_of(argument: Argument) -> Any:
        own = negatives.get((id(argument.parameter), id(argument.field_info)))
        return derived(argument) if own is None else own

    def assembled(app: App, **options: Any) -> ArgumentCollection:
        command = app.default_command
        # Help needs more than parsing does, and functions that are made anew are others every time.
        if options or getattr(command, "__closure__", None) or not _is_ours(command):
            return assemble(app, **options)
        if command not in kept:
            kept[command] = assemble(app)
            for argument in kept[command]:
                negatives[id(argument.parameter), id(argument.field_info)] = tuple(argument.negatives)
        return _as_new(kept[command])

    App.assemble_argument_collection = assembled  # type: ignore[method-assign,assignment]
    Argument.negatives = property(negatives_of)  # type: ignore[assignment,method-assign]
    core.validate_command = cache(core.validate_command)  # type: ignore[attr-defined]


def _is_ours(command: Any) -> bool:
    return str(getattr(command, "__module__", "")).startswith("outscore.")
