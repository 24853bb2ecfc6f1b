"""Pharaoh: one line a sentence pair, links such as ``0-0 1-2 2p2``."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import TypeVar

from outscore.errors import DataError, Problem
from outscore.items import Alignment, Corpus, GoldAlignment, Link
from outscore.naming import printable, quoted
from outscore.readers.base import empty
from outscore.readers.corpora.links import AlignmentFormat, check_links

__all__ = ["Pharaoh", "PharaohGold"]

Item = TypeVar("Item", Alignment, GoldAlignment)

_LINK = re.compile(r"([0-9]{1,9})([-p?])([0-9]{1,9})")
_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True)
class _Pharaoh(AlignmentFormat[Item]):
    """One sentence pair a line, its links written as in ``0-0 1-2``.

    A link is ``source-target`` (``sourceptarget`` or ``source?target`` for links
    that are only possible), in any order; a link given twice counts once. An empty line is a pair without links.

    Attributes
    ----------
    one_based : bool
        Positions count from 1 rather than from 0.
    """

    one_based: bool = False

    extensions = (".pharaoh",)

    @staticmethod
    @abstractmethod
    def _item(sure: frozenset[Link], possible: frozenset[Link]) -> Item: ...

    def sniff(self, text: str) -> bool:
        line = next((line for line in text.split("\n") if line.strip(" \t")), "")
        links = _BLANKS.split(line.strip(" \t"))
        return all(_LINK.fullmatch(link) for link in links)

    def parse(self, text: str, source: str) -> Corpus[Item]:
        if not text:
            raise empty(source, "an empty file")
        items: list[Item] = []
        problems: list[Problem] = []
        for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
            found: dict[str, set[Link]] = {"-": set(), "p": set(), "?": set()}
            for link in _BLANKS.split(line.strip(" \t")) if line.strip(" \t") else ():
                match = _LINK.fullmatch(link)
                if match is None:
                    problems.append(_malformed(source, number, link))
                    continue
                i, j = int(match[1]) - self.one_based, int(match[3]) - self.one_based
                if i < 0 or j < 0:
                    problems.append(_from_zero(source, number, link))
                found[match[2]].add((i, j))
            items.append(self._item(frozenset(found["-"]), frozenset(found["p"] | found["?"])))
        if problems:
            raise DataError(*problems)
        corpus = Corpus(source, items, range(1, len(items) + 1))
        check_links(corpus, *self.sentences())
        return corpus


@dataclass(frozen=True)
class Pharaoh(_Pharaoh[Alignment]):
    """A system's links; those marked as possible are links like the others.

    Examples
    --------
    >>> sorted(Pharaoh().parse("0-0 2-1", "a.txt").items[0].links)
    [(0, 0), (2, 1)]
    """

    name = "Pharaoh"
    item_type = Alignment

    @staticmethod
    def _item(sure: frozenset[Link], possible: frozenset[Link]) -> Alignment:
        return Alignment(sure | possible)


@dataclass(frozen=True)
class PharaohGold(_Pharaoh[GoldAlignment]):
    """Sure and possible gold links.

    Examples
    --------
    >>> gold = PharaohGold(one_based=True).parse("1-1 3p2", "gold.txt").items[0]
    >>> sorted(gold.sure), sorted(gold.possible)
    ([(0, 0)], [(0, 0), (2, 1)])
    """

    name = "Pharaoh, sure and possible links"
    item_type = GoldAlignment

    @staticmethod
    def _item(sure: frozenset[Link], possible: frozenset[Link]) -> GoldAlignment:
        return GoldAlignment(sure, possible)


def _malformed(source: str, line: int, link: str) -> Problem:
    return Problem(
        f"{printable(source)}:{line}",
        f"expected links such as 0-0 or 1p2, got {quoted(link)}",
        "Write source-target, positions as whole numbers, links separated by spaces.",
        "malformed-link",
    )


def _from_zero(source: str, line: int, link: str) -> Problem:
    return Problem(
        f"{printable(source)}:{line}",
        f"expected positions that count from 1, got {quoted(link)}",
        "Read it without the option one_based, or leave out links to the empty word.",
        "position-zero",
    )
