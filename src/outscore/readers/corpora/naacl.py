"""NAACL: the format of the word alignment shared task (WPT 2003), one line a link, ``0001 3 4 S 0.9``."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import defaultdict
from dataclasses import dataclass
from typing import TypeVar

from outscore.errors import DataError, OptionError, Problem
from outscore.items import Alignment, Corpus, GoldAlignment, Link
from outscore.naming import printable, quoted
from outscore.readers.base import empty
from outscore.readers.corpora.links import AlignmentFormat, check_links

__all__ = ["Naacl", "NaaclGold"]

Item = TypeVar("Item", Alignment, GoldAlignment)

# Pair, source and target position, kind, confidence.
_LINE = re.compile(
    r"[ \t]*([0-9]{1,9})[ \t]+([0-9]{1,9})[ \t]+([0-9]{1,9})(?:[ \t]+([SP]))?(?:[ \t]+[0-9.eE+-]+)?[ \t]*"
)
MOST_PAIRS = 1_000_000  # a number mistyped must not fill the memory with empty pairs


@dataclass(frozen=True)
class _Naacl(AlignmentFormat[Item]):
    """One link a line: ``pair source target [S|P] [confidence]``, all counted from 1.

    Without S or P a link is sure, and confidences are passed over. Lines may stand in any order; a link given twice
    counts once.

    A pair without links has no line. Pairs between the first and the last that have a line are read as pairs without
    links; for those before and after, say how many pairs there are, or give the sentences. Links to the empty word
    (position 0), which the shared task has in one of its two evaluations, are refused.

    Attributes
    ----------
    n_pairs : int, optional
        The number of sentence pairs, which are then 1 to `n_pairs`; by default the number of aligned sentences, where
        `source` or `target` is given.
    """

    n_pairs: int | None = None

    extensions = (".naacl", ".wa", ".nonullwa")

    def __post_init__(self) -> None:
        if self.n_pairs is not None and not 1 <= self.n_pairs <= MOST_PAIRS:
            what = f"expected a number of pairs from 1 to {MOST_PAIRS}, got {self.n_pairs}"
            raise OptionError(Problem("n_pairs", what, "Give the number of sentences.", "out-of-range"))

    @staticmethod
    @abstractmethod
    def _item(sure: frozenset[Link], possible: frozenset[Link]) -> Item: ...

    def sniff(self, text: str) -> bool:
        line = next((line for line in text.split("\n") if line.strip(" \t")), "")
        return _LINE.fullmatch(line) is not None

    def parse(self, text: str, source: str) -> Corpus[Item]:
        sure: dict[int, set[Link]] = defaultdict(set)
        possible: dict[int, set[Link]] = defaultdict(set)
        first_lines: dict[int, int] = {}
        problems: list[Problem] = []
        place = printable(source)
        sentences = self.sentences()
        n_pairs = self.n_pairs or next((len(side) for side in sentences if side is not None), None)
        for number, line in enumerate(text.split("\n"), start=1):
            if not line.strip(" \t"):
                continue
            match = _LINE.fullmatch(line)
            if match is None:
                problems.append(_malformed(f"{place}:{number}", line))
                continue
            pair, i, j = int(match[1]), int(match[2]), int(match[3])
            if i == 0 or j == 0:
                problems.append(_empty_word(f"{place}:{number}", line))
            if pair == 0 or (n_pairs is not None and pair > n_pairs):
                problems.append(_outside(f"{place}:{number}", pair, n_pairs))
            first_lines.setdefault(pair, number)
            (possible if match[4] == "P" else sure)[pair].add((i - 1, j - 1))
        if problems:
            raise DataError(*problems)
        if not first_lines:
            raise empty(source, "an empty file")
        pairs = range(min(first_lines), max(first_lines) + 1) if n_pairs is None else range(1, n_pairs + 1)
        if n_pairs is None and len(pairs) > MOST_PAIRS:
            raise DataError(_outside(f"{place}:{first_lines[pairs[-1]]}", pairs[-1], pairs[0] + MOST_PAIRS - 1))
        items = [self._item(frozenset(sure.get(pair, ())), frozenset(possible.get(pair, ()))) for pair in pairs]
        # A pair without links has no line of its own; that of the pair before is nearest.
        lines: list[int] = []
        for pair in pairs:
            lines.append(first_lines.get(pair, lines[-1] if lines else 1))
        corpus = Corpus(source, items, lines, tuple(str(pair) for pair in pairs))
        check_links(corpus, *sentences)
        return corpus


@dataclass(frozen=True)
class Naacl(_Naacl[Alignment]):
    r"""A system's links; those marked as possible are links like the others.

    Examples
    --------
    >>> corpus = Naacl().parse("0001 1 1\n0003 2 1 P 0.5\n", "a.wa")
    >>> corpus.item_ids, [sorted(item.links) for item in corpus.items]
    (('1', '2', '3'), [[(0, 0)], [], [(1, 0)]])
    """

    name = "NAACL"
    item_type = Alignment

    @staticmethod
    def _item(sure: frozenset[Link], possible: frozenset[Link]) -> Alignment:
        return Alignment(sure | possible)


@dataclass(frozen=True)
class NaaclGold(_Naacl[GoldAlignment]):
    r"""Sure and possible gold links.

    Examples
    --------
    >>> gold = NaaclGold().parse("0001 1 1 S\n0001 3 2 P\n", "gold.wa").items[0]
    >>> sorted(gold.sure), sorted(gold.possible)
    ([(0, 0)], [(0, 0), (2, 1)])
    """

    name = "NAACL, sure and possible links"
    item_type = GoldAlignment

    @staticmethod
    def _item(sure: frozenset[Link], possible: frozenset[Link]) -> GoldAlignment:
        return GoldAlignment(sure, possible)


def _malformed(place: str, line: str) -> Problem:
    what = f"expected PAIR SOURCE TARGET [S|P] [CONFIDENCE], got {quoted(line)}"
    return Problem(place, what, "Write whole numbers that count from 1, such as 0001 3 4 S.", "malformed-link")


def _empty_word(place: str, line: str) -> Problem:
    what = f"expected positions that count from 1, got {quoted(line)}"
    return Problem(place, what, "Leave out links to the empty word (position 0).", "position-zero")


def _outside(place: str, pair: int, most: int | None) -> Problem:
    what = f"expected sentence pairs from 1{'' if most is None else f' to {most}'}, got {pair}"
    return Problem(place, what, "Check the numbers of the pairs.", "outside-corpus")
