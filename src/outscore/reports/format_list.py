"""The list of formats of outputs and references, and one in full: as text and JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from outscore.metrics.descriptions import Option
from outscore.results.record import json_text

__all__ = ["FormatDescription", "FormatList", "format_to_text", "formats_to_json", "formats_to_text"]

_NARROWEST, _PROSE = 60, 100


@dataclass(frozen=True)
class FormatDescription:
    """What there is to know about a format.

    Attributes
    ----------
    name : str
        As `--input-format` takes it.
    title : str
        As people call it.
    summary : str
        One sentence or two.
    details : tuple of str
        Paragraphs.
    extensions : tuple of str
        Those of files that are taken for it, whatever they hold.
    outputs_of : tuple of str
        The metrics whose outputs may be in this format.
    references_of : tuple of str
        The metrics whose references may be in this format.
    options : tuple of Option
        In the order of their declaration.
    """

    name: str
    title: str
    summary: str
    details: tuple[str, ...]
    extensions: tuple[str, ...]
    outputs_of: tuple[str, ...]
    references_of: tuple[str, ...]
    options: tuple[Option, ...]


@dataclass(frozen=True)
class FormatList:
    """Formats of outputs and references.

    Written by outscore formats as JSON.

    Attributes
    ----------
    formats : tuple of FormatDescription
        In the order of the list that people are shown.
    """

    schema: ClassVar = "outscore/formats/1"

    formats: tuple[FormatDescription, ...]


def formats_to_text(formats: Sequence[FormatDescription], *, width: int = 80) -> str:
    """Write what formats there are, a few lines for each.

    Returns
    -------
    str
        The lines that are not indented begin with the name of a format, but for the last.
    """
    parts = []
    for one in formats:
        facts = [one.summary, _read_by(one)]
        if one.extensions:
            facts.append(f"Files: {', '.join(one.extensions)}")
        if one.options:
            facts.append(f"Options: {', '.join(option.name for option in one.options)}")
        parts.append("\n".join([_heading(one), *(_filled(fact, width) for fact in facts)]))
    end = "One format in full, with its options: outscore formats NAME. Use: --input-format NAME:OPTION=VALUE,..."
    return "\n\n".join([*parts, _filled(end, width, indent="")]) + "\n"


def format_to_text(one: FormatDescription, *, width: int = 80) -> str:
    """Write all that is known of one format."""
    parts = [_heading(one), *(_filled(text, width, indent="") for text in (one.summary, *one.details))]
    facts = [_read_by(one)]
    if one.extensions:
        facts.append(f"Files that are taken for it: {', '.join(one.extensions)}.")
    parts.append("\n".join(_filled(fact, width, indent="") for fact in facts))
    if one.options:
        lines = [f"Options, as in --input-format {one.name}:{one.options[0].name}=VALUE, with their defaults:"]
        for text, alike in groupby(one.options, key=lambda option: option.description):
            lines += [
                f"  {option.name}{'=' if option.default else ''}{option.default}  ({option.type})" for option in alike
            ]
            lines += [_filled(text, width, indent=" " * 6)] if text else []
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def formats_to_json(formats: Sequence[FormatDescription]) -> str:
    """Write all that is known of formats as JSON (schema "outscore/formats/1")."""
    return json_text(FormatList(tuple(formats)))


def _heading(one: FormatDescription) -> str:
    return one.name if one.title.lower() == one.name else f"{one.name}: {one.title}"


def _read_by(one: FormatDescription) -> str:
    """Say which metrics read a format, and whether as outputs, as references, or both."""
    if one.outputs_of == one.references_of:
        return f"Outputs and references of {', '.join(one.outputs_of)}."
    sides = (("Outputs", one.outputs_of), ("References", one.references_of))
    return " ".join(f"{side} of {', '.join(names)}." for side, names in sides if names)


def _filled(text: str, width: int, *, indent: str = "  ") -> str:
    columns = min(max(width, _NARROWEST), _PROSE)
    return textwrap.fill(text, columns, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
