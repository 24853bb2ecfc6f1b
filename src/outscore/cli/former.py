"""Options and keys of earlier versions, as listed in `outscore.options.FORMER_OPTIONS`."""

from __future__ import annotations

from outscore.cli.streams import complain
from outscore.errors import OptionError, Problem
from outscore.options import former_option


def current_argument(user: str, argument: str, value: object, where: str) -> str:
    """Return today's name of a command's argument. A new name prints a line; raise OptionError if it was dropped."""
    former = former_option(user, argument, value)
    if former is None:
        return argument
    slug = "renamed" if former.is_renamed else "dropped"
    problem = Problem(f"{where} {former.value}".rstrip(), former.what, former.advice, slug)
    if not former.is_renamed:
        raise OptionError(problem)
    complain(str(problem))
    return former.now[0]
