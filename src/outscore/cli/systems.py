"""What the subcommands that take files of systems share: files that are no options, and outputs that are no inputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from outscore.errors import OptionError, Problem
from outscore.readers.files import split_spec

__all__ = ["format_of", "refuse_options", "refuse_overwriting"]


def refuse_options(specs: Sequence[str], command: str, *, beside: Sequence[str] = ()) -> None:
    """Refuse systems that were meant as options; - alone is standard input, once among them and the other inputs.

    Raises
    ------
    OptionError
        An unknown option, or standard input for several files.
    """
    for spec in specs:
        if spec.startswith("-") and spec != "-" and not spec.startswith("-:"):
            advice = f"Try 'outscore {command} --help'; a file of this name is ./-NAME."
            raise OptionError(Problem(spec, "unknown option", advice, "usage"))
    if [*specs, *beside].count("-") > 1:
        what = "standard input can be only one of the files"
        raise OptionError(Problem("-", what, "Name its columns as -:COLUMN, or use files.", "usage"))


def refuse_overwriting(output: str | None, specs: Sequence[str]) -> None:
    """Refuse an output file that is one of the inputs.

    Raises
    ------
    OptionError
    """
    if output is None or not Path(output).exists():
        return
    for spec in specs:
        path, _ = split_spec(spec)
        if Path(path).exists() and Path(path).samefile(output):
            raise OptionError(
                Problem(output, "is one of the systems", "Name another file with -o.", "overwrites-input")
            )


def format_of(output: str | None, suffixes: dict[str, str]) -> str:
    """Return the format that the name of the output file says, or text."""
    return suffixes.get(PurePath(output or "").suffix.lower(), "text")
