"""Word alignments: Pharaoh, ``0-0 1-2 2p2``, and NAACL, ``0001 3 4 S``, from the shared task of WPT 2003."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from outscore.data.items import Alignment, Corpus, GoldAlignment, Link
from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.readers.base import ItemFormat, empty
from outscore.readers.files import decoded, read_bytes
from outscore.text.naming import printable, quoted

LONGEST = 1000  # maximum number of tokens of a sentence without text

Item = TypeVar("Item", Alignment, GoldAlignment)

MOST_PAIRS = 1_000_000  # so that a mistyped number does not fill the memory with empty pairs

_TOKEN = re.compile(r"[^ \t]+")  # not str.split, which also splits at no-break spaces inside a token
_LINK = re.compile(r"([0-9]{1,9})([-p?])([0-9]{1,9})")
_BLANKS = re.compile(r"[ \t]+")
# Pair, source position, target position, kind, confidence.
_LINE = re.compile(
    r"[ \t]*([0-9]{1,9})[ \t]+([0-9]{1,9})[ \t]+([0-9]{1,9})(?:[ \t]+([SP]))?(?:[ \t]+[0-9.eE+-]+)?[ \t]*"
)


@dataclass(frozen=True)
class _Alignments(ItemFormat[Item]):
    """Links between the tokens of two sentences.

    Attributes
    ----------
    source, target : str, optional
        Files of the aligned sentences, one per line, with tokens separated by spaces. Then links must be within the
        sentences. Otherwise tokens after the 1,000th are rejected.
    """

    source: str | None = None
    target: str | None = None

    def sentences(self) -> tuple[list[str] | None, list[str] | None]:
        """Return the sentences of both sides, None for a side without a file."""
        source, target = (None if path is None else _lines_of(path) for path in (self.source, self.target))
        return source, target

    def _item(self, sure: frozenset[Link], possible: frozenset[Link]) -> Item:
        """Return the item of a sentence pair. All links of a system are alike."""
        item: Any = Alignment(sure | possible) if self.item_type is Alignment else GoldAlignment(sure, possible)
        return item  # type: ignore[no-any-return]


def _lines_of(path: str) -> list[str]:
    return decoded(read_bytes(path), path).removesuffix("\n").split("\n")


@dataclass(frozen=True)
class _Pharaoh(_Alignments[Item]):
    """One sentence pair per line, with links such as ``0-0 1-2``.

    A link is ``source-target``, or ``sourceptarget`` or ``source?target`` if it is only possible. Links are in any
    order, and a duplicate counts once. An empty line is a pair without links.

    Attributes
    ----------
    one_based : bool
        Whether positions count from 1 instead of 0.
    """

    one_based: bool = False

    extensions = (".pharaoh",)

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
            links: dict[str, set[Link]] = {"-": set(), "p": set(), "?": set()}
            for link in _BLANKS.split(line.strip(" \t")) if line.strip(" \t") else ():
                match = _LINK.fullmatch(link)
                if match is None:
                    problems.append(_no_link(source, number, link))
                    continue
                i, j = int(match[1]) - self.one_based, int(match[3]) - self.one_based
                if i < 0 or j < 0:
                    problems.append(_from_zero(source, number, link))
                links[match[2]].add((i, j))
            items.append(self._item(frozenset(links["-"]), frozenset(links["p"] | links["?"])))
        if problems:
            raise DataError(*problems)
        corpus = Corpus(source, items, range(1, len(items) + 1))
        check_links(corpus, *self.sentences())
        return corpus


@dataclass(frozen=True)
class Pharaoh(_Pharaoh[Alignment]):
    """A system's links. Links marked as possible count like the others.

    Examples
    --------
    >>> sorted(Pharaoh().parse("0-0 2-1", "a.txt").items[0].links)
    [(0, 0), (2, 1)]
    """

    name = "Pharaoh"
    item_type = Alignment


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


@dataclass(frozen=True)
class _Naacl(_Alignments[Item]):
    """One link per line: ``pair source target [S|P] [confidence]``, all counted from 1.

    A link without S or P is sure. Confidences are ignored. Lines are in any order, and a duplicate link counts once.

    A pair without links has no line. Pairs between the first and the last line are read as pairs without links. For
    pairs before and after, give their number or the sentences. Links to the empty word (position 0), which occur in one
    of the two evaluations of the shared task, are rejected.

    Attributes
    ----------
    n_pairs : int, optional
        The number of sentence pairs, numbered from 1 to `n_pairs`. By default the number of aligned sentences, if
        `source` or `target` is given.
    """

    n_pairs: int | None = None

    extensions = (".naacl", ".wa", ".nonullwa")

    def __post_init__(self) -> None:
        if self.n_pairs is not None and not 1 <= self.n_pairs <= MOST_PAIRS:
            what = f"expected a number of pairs from 1 to {MOST_PAIRS}, got {self.n_pairs}"
            raise OptionError(Problem("n_pairs", what, "Pass the number of sentences.", "out-of-range"))

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
                problems.append(_no_line(f"{place}:{number}", line))
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
        # A pair without links has no line. Use the line of the pair before.
        lines: list[int] = []
        for pair in pairs:
            lines.append(first_lines.get(pair, lines[-1] if lines else 1))
        corpus = Corpus(source, items, lines, tuple(str(pair) for pair in pairs))
        check_links(corpus, *sentences)
        return corpus


@dataclass(frozen=True)
class Naacl(_Naacl[Alignment]):
    r"""A system's links. Links marked as possible count like the others.

    Examples
    --------
    >>> corpus = Naacl().parse("0001 1 1\n0003 2 1 P 0.5\n", "a.wa")
    >>> corpus.item_ids, [sorted(item.links) for item in corpus.items]
    (('1', '2', '3'), [[(0, 0)], [], [(1, 0)]])
    """

    name = "NAACL"
    item_type = Alignment


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


def check_links(
    corpus: Corpus[Alignment] | Corpus[GoldAlignment], sources: Sequence[str] | None, targets: Sequence[str] | None
) -> None:
    """Raise if a link is outside its sentence, or improbably far if the sentence is unknown.

    `sources` and `targets` are the aligned sentences in the same order, with tokens separated by spaces; None if
    unknown. Raise DataError if the number of sentences is not that of alignments, or a link is outside its sentence.
    Positions in the message count from 1.

    Examples
    --------
    >>> aligned = Corpus("a.txt", [Alignment(frozenset({(1, 0)}))], lines=[1])
    >>> check_links(aligned, ["hello there"], ["hallo"])
    >>> check_links(aligned, ["hello"], ["hallo"])
    Traceback (most recent call last):
    ...
    outscore.errors.DataError: a.txt:1: source token 2 is aligned, but the sentence has 1. Check ... [outside-sentence]
    """
    items: Sequence[Alignment | GoldAlignment] = corpus.items
    problems = []
    name = printable(corpus.name)
    for axis, (side, sentences) in enumerate((("source", sources), ("target", targets))):
        if sentences is not None and len(sentences) != len(corpus):
            what = f"expected {len(corpus)} {side} sentences, one per alignment, got {len(sentences)}"
            raise DataError(Problem(name, what, "Use the text that was aligned.", "different-lengths"))
        for index, (item, line) in enumerate(zip(items, corpus.lines, strict=True)):
            links = item.links if isinstance(item, Alignment) else item.possible
            furthest = max((link[axis] for link in links), default=-1)
            length = LONGEST if sentences is None else len(_TOKEN.findall(sentences[index]))
            if furthest < length:
                continue
            if sentences is None:
                what = f"{side} token {furthest + 1} is aligned, but sentences rarely have more than {LONGEST:,}"
                advice = (
                    f"Correct the link. For longer texts, pass their file: {opt('input_format')} FORMAT:{side}=FILE."
                )
            else:
                what = f"{side} token {furthest + 1} is aligned, but the sentence has {length}"
                advice = "Check the order of source and target, and whether positions count from 0 or from 1."
            problems.append(Problem(f"{name}:{line}", what, advice, "outside-sentence"))
    if problems:
        raise DataError(*problems)


def _no_link(source: str, line: int, link: str) -> Problem:
    return Problem(
        f"{printable(source)}:{line}",
        f"expected links such as 0-0 or 1p2, got {quoted(link)}",
        "Write source-target with whole numbers, and separate links with spaces.",
        "malformed-link",
    )


def _from_zero(source: str, line: int, link: str) -> Problem:
    return Problem(
        f"{printable(source)}:{line}",
        f"expected positions that count from 1, got {quoted(link)}",
        "Remove the option one_based, or remove links to the empty word.",
        "position-zero",
    )


def _no_line(place: str, line: str) -> Problem:
    what = f"expected PAIR SOURCE TARGET [S|P] [CONFIDENCE], got {quoted(line)}"
    return Problem(place, what, "Write whole numbers from 1, such as 0001 3 4 S.", "malformed-link")


def _empty_word(place: str, line: str) -> Problem:
    what = f"expected positions that count from 1, got {quoted(line)}"
    return Problem(place, what, "Remove links to the empty word (position 0).", "position-zero")


def _outside(place: str, pair: int, most: int | None) -> Problem:
    what = f"expected sentence pairs from 1{'' if most is None else f' to {most}'}, got {pair}"
    return Problem(place, what, "Check the numbers of the pairs.", "outside-corpus")
