"""The works that results cite: one file of BibTeX entries, and how a text refers to them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from outscore.text.naming import Mark, in_a_row, marked

SOFTWARE = "outscore"  # the key of outscore itself
_ENTRY = re.compile(r"^@\w+\{(?P<key>\w+),\n(?P<fields>.*?)^\}\n", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
_CITED = re.compile(rf" ?{Mark.CITED}([\w,]+).")


class Work(NamedTuple):
    """One work.

    Attributes
    ----------
    text : str
        Its entry in BibTeX.
    fields : mapping of str to str
        The fields of the entry.
    """

    text: str
    fields: Mapping[str, str]

    @property
    def said(self) -> str:
        """Authors and year, as in brackets: "Westfall and Young, 1993"."""
        names = [author.split(",")[0].strip("{}") for author in self.fields["author"].split(" and ")]
        who = f"{names[0]} et al." if len(names) > 2 else in_a_row(names)
        return ", ".join(filter(None, [who, self.fields.get("year", "")]))


@cache
def works() -> Mapping[str, Work]:
    """Return all works by their keys."""
    text = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    return {match["key"]: Work(match[0], dict(_FIELD.findall(match["fields"]))) for match in _ENTRY.finditer(text)}


def cite(keys: Sequence[str]) -> str:
    """Return a mark for works, to be put after a word; nothing if there are none."""
    return f" {marked(Mark.CITED, ','.join(keys))}" if keys else ""


def cited_once(text: str) -> tuple[str, list[str]]:
    """Return a text that cites each work where it is first cited, and the keys in this order."""
    seen: list[str] = []

    def first(match: re.Match[str]) -> str:
        keys = [key for key in match[1].split(",") if key not in seen]
        seen.extend(keys)
        return cite(keys)

    return _CITED.sub(first, text), seen


def spelt_out(text: str) -> str:
    """Return a text with authors and years in brackets."""
    return _CITED.sub(lambda match: f" ({'; '.join(works()[key].said for key in match[1].split(','))})", text)


def bibliography(keys: Sequence[str], version: str) -> str:
    """Return the BibTeX entries of some works; outscore's own names the version."""
    return "\n".join(works()[key].text for key in keys).replace("{VERSION}", f"{{{version}}}")
