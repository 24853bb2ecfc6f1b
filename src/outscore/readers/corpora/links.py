"""Links of word alignments: that they lie inside their sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from outscore.errors import DataError, Problem
from outscore.items import Alignment, Corpus, GoldAlignment
from outscore.naming import printable
from outscore.readers.corpora.base import CorpusFormat
from outscore.readers.files import read_bytes, text_in

__all__ = ["AlignmentFormat", "check_links"]

LONGEST = 1000  # tokens of a sentence whose text is not known

Item = TypeVar("Item", Alignment, GoldAlignment)

_TOKEN = re.compile(r"[^ \t]+")  # not str.split, which also splits at no-break spaces inside a token


@dataclass(frozen=True)
class AlignmentFormat(CorpusFormat[Item]):
    """Links are between tokens of two sentences.

    Attributes
    ----------
    source, target : str, optional
        Files of the aligned sentences, one a line, tokens separated by spaces: links then have to lie inside them.
        Without them a link to a token beyond the 1,000th is refused.
    """

    source: str | None = None
    target: str | None = None

    def sentences(self) -> tuple[list[str] | None, list[str] | None]:
        """Return the sentences of both sides, None for a side without a file."""
        source, target = (None if path is None else _lines_of(path) for path in (self.source, self.target))
        return source, target


def _lines_of(path: str) -> list[str]:
    return text_in(read_bytes(path), path).removesuffix("\n").split("\n")


def check_links(
    corpus: Corpus[Alignment] | Corpus[GoldAlignment], sources: Sequence[str] | None, targets: Sequence[str] | None
) -> None:
    """Refuse links to tokens that a sentence does not have, or where nobody knows it, that hardly one has.

    Parameters
    ----------
    corpus : Corpus of n alignments
    sources, targets : sequence of n str, or None
        The sentences that are aligned, in the same order, tokens separated by spaces; None where they are not known.

    Raises
    ------
    DataError
        Another number of sentences than of alignments, or a link outside its sentence; positions in the message
        count from 1, as the tokens of a sentence do for people.

    Examples
    --------
    >>> aligned = Corpus("a.txt", [Alignment(frozenset({(1, 0)}))], lines=[1])
    >>> check_links(aligned, ["hello there"], ["hallo"])
    >>> check_links(aligned, ["hello"], ["hallo"])
    Traceback (most recent call last):
    ...
    outscore.errors.DataError: a.txt:1: source token 2 is aligned, the sentence has 1. Check ... [outside-sentence]
    """
    items: Sequence[Alignment | GoldAlignment] = corpus.items
    problems = []
    name = printable(corpus.name)
    for axis, (side, sentences) in enumerate((("source", sources), ("target", targets))):
        if sentences is not None and len(sentences) != len(corpus):
            what = f"expected {len(corpus)} {side} sentences, one an alignment, got {len(sentences)}"
            raise DataError(Problem(name, what, "Give the text that was aligned.", "different-lengths"))
        for index, (item, line) in enumerate(zip(items, corpus.lines, strict=True)):
            links = item.links if isinstance(item, Alignment) else item.possible
            furthest = max((link[axis] for link in links), default=-1)
            length = LONGEST if sentences is None else len(_TOKEN.findall(sentences[index]))
            if furthest < length:
                continue
            if sentences is None:
                what = f"{side} token {furthest + 1} is aligned, hardly a sentence has more than {LONGEST:,}"
                advice = f"Mend the link; for texts so long, name their file: --input-format FORMAT:{side}=FILE."
            else:
                what = f"{side} token {furthest + 1} is aligned, the sentence has {length}"
                advice = "Check the order of source and target, and whether positions count from 0 or from 1."
            problems.append(Problem(f"{name}:{line}", what, advice, "outside-sentence"))
    if problems:
        raise DataError(*problems)
