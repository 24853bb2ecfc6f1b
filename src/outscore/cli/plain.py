"""Plain command lines, parsed without cyclopts.

Importing cyclopts and building its sixty options takes as long as a small comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from outscore import results
from outscore.cli.output import Writes
from outscore.cli.reading import BoardReads, SystemReads
from outscore.design.options import options_of_command
from outscore.options import Option

_READS: Mapping[str, type[SystemReads]] = {"compare": SystemReads, "rank": BoardReads, "score": SystemReads}


def plain_command(argv: Sequence[str]) -> Callable[[], object] | None:
    """Return a function that runs a command line as cyclopts would, or None if it needs cyclopts.

    A command line is plain if its command is compare, rank or score, and all options are from the table, each with its
    value in the next word. Other words must begin with a letter, digit, point or slash.
    """
    if not argv or argv[0] not in _READS:
        return None
    command = getattr(import_module(f"outscore.cli.{argv[0]}"), argv[0])
    groups: dict[str, type] = {"reads": _READS[argv[0]], "writes": Writes}
    users = {"": argv[0], "reads": "read", "writes": "writes"}
    table = {
        name: (group, option) for group, user in users.items() for name, option in options_of_command(user).items()
    }
    if argv[0] == "rank":
        table |= {name: ("reads", option) for name, option in options_of_command("boards").items()}
    options = {f"--{name.replace('_', '-')}": name for name in table}
    options |= {f"-{option.short}": name for name, (_, option) in table.items() if option.short}
    systems: list[str] = []
    given: dict[str, dict[str, Any]] = {"": {}, **{group: {} for group in groups}}
    words = iter(argv[1:])
    try:
        for word in words:
            if word not in options:
                systems.append(_plain(word))
                continue
            name = options[word]
            group, option = table[name]
            already = given[group]
            if option.type in ("texts", "words"):
                already.setdefault(name, []).append(_plain(next(words, "")))
            elif name in already or (option.type == "flag" and option.default is True):
                return None
            else:
                already[name] = True if option.type == "flag" else _value(option, _plain(next(words, "")))
    except ValueError:
        return None
    made = {name: kind(**given[name]) for name, kind in groups.items() if name == "reads" or given[name]}
    return partial(command, *systems, **made, **given[""])


def _plain(word: str) -> str:
    """Return a word, or raise ValueError if it needs cyclopts."""
    if not word[:1].isalnum() and word[:1] not in {".", "/"}:
        raise ValueError(word)
    return word


def _value(option: Option, word: str) -> object:
    """Return the value of an option, or raise ValueError if cyclopts has to convert or refuse it."""
    if option.type in ("text", "count", "seed"):
        return word
    if isinstance(option.type, tuple) and word in option.type:
        return word
    if option.type == "whole" and word.isascii() and word.isdecimal():
        return int(word)
    if option.type == "number" and word.isascii() and word.replace(".", "", 1).isdecimal():
        return float(word)
    if isinstance(option.type, str) and hasattr(results, option.type):
        return getattr(results, option.type)(word)
    raise ValueError(word)
