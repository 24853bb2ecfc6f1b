"""Options and keys of earlier versions, as listed in `outscore.options.FORMER_OPTIONS`."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from outscore.cli.streams import complain
from outscore.errors import OptionError, Problem
from outscore.options import former_option


def current_argument(user: str, argument: str, value: object, where: str, others: Container[str] = ()) -> str:
    """Return today's name of a command's argument. A new name prints a line.

    Raise OptionError if the argument was dropped, or if its new name is among `others`, which were given as well.
    """
    former = former_option(user, argument, value)
    if former is None:
        return argument
    slug = "renamed" if former.is_renamed else "dropped"
    problem = Problem(f"{where} {former.value}".rstrip(), former.what, former.advice, slug)
    if not former.is_renamed:
        raise OptionError(problem)
    (current,) = former.now
    if current in others:
        raise OptionError(replace(problem, advice=f"Pass only {current}."))
    complain(str(problem))
    return current
