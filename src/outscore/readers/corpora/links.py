"""Links of word alignments: that they lie inside their sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from outscore.errors import DataError, Problem
from outscore.items import Alignment, Corpus, GoldAlignment
from outscore.naming import printable

__all__ = ["check_links"]

_TOKEN = re.compile(r"[^ \t]+")  # not str.split, which also splits at no-break spaces inside a token


def check_links(
    corpus: Corpus[Alignment] | Corpus[GoldAlignment], sources: Sequence[str], targets: Sequence[str]
) -> None:
    """Refuse links to tokens that a sentence does not have.

    Parameters
    ----------
    corpus : Corpus of n alignments
    sources, targets : sequence of n str
        The sentences that are aligned, in the same order, tokens separated by spaces.

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
    for side, sentences in (("source", sources), ("target", targets)):
        if len(sentences) != len(corpus):
            what = f"expected {len(corpus)} {side} sentences, one an alignment, got {len(sentences)}"
            raise DataError(Problem(name, what, "Give the text that was aligned.", "different-lengths"))
    for item, line, *pair in zip(items, corpus.lines, sources, targets, strict=True):
        links = item.links if isinstance(item, Alignment) else item.possible
        for side, sentence, positions in zip(("source", "target"), pair, zip(*links, strict=True), strict=False):
            length, furthest = len(_TOKEN.findall(sentence)), max(positions)
            if furthest >= length:
                what = f"{side} token {furthest + 1} is aligned, the sentence has {length}"
                advice = "Check the order of source and target, and whether positions count from 0 or from 1."
                problems.append(Problem(f"{name}:{line}", what, advice, "outside-sentence"))
    if problems:
        raise DataError(*problems)
