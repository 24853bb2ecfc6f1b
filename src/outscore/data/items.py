"""What one item is, on the side of the outputs and on that of the references, where it is more than a line of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import numpy as np

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Corpus(Generic[Item]):
    """The items of one file, outputs or references.

    Attributes
    ----------
    name : str
        As the user typed it.
    items : sequence
        In the order of the file.
    lines : sequence of int
        The line (from 1) on which each item begins.
    item_ids : tuple of str, optional
        One id an item; None where items are known by position only.
    """

    name: str
    items: Sequence[Item]
    lines: Sequence[int]
    item_ids: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.items)


# (source position, target position), both counted from 0.
Link: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The links that a system gives to one sentence pair."""

    links: frozenset[Link]


@dataclass(frozen=True, slots=True)
class GoldAlignment:
    """The gold links of one sentence pair; the possible ones include the sure ones, given so or not."""

    sure: frozenset[Link]
    possible: frozenset[Link] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "possible", self.possible | self.sure)


# (start, end, type): tokens, or characters, from `start` up to but not including `end`, both counted from 0.
Span: TypeAlias = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """The typed spans of one sentence or post: names, chunks.

    Attributes
    ----------
    tokens : tuple of str, optional
        None where a file gives spans alone; nothing can be checked then.
    spans : frozenset of (start, end, type)
    """

    tokens: tuple[str, ...] | None
    spans: frozenset[Span]


class Utterance(str):
    """The words of one utterance, of a transcript or of a recognizer."""

    __slots__ = ()


class Label(str):
    """The label that a system gave to an item."""

    __slots__ = ()


class GoldLabel(Label):
    """The label that is right: a type of its own, as one file may hold both, in columns of different names."""

    __slots__ = ()


class Answer(str):
    """A system's answer to a question; the empty one says that there is none."""

    __slots__ = ()


class GoldAnswers(tuple[str, ...]):
    """The answers to a question that are right; none where it has no answer."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """What a retrieval system returned for one query.

    Attributes
    ----------
    documents : tuple of str
        Document ids, the best first, each once; empty where the system returned none.
    """

    documents: tuple[str, ...] = ()

    @classmethod
    def by_score(cls, scores: Mapping[str, float]) -> RankedDocuments:
        """Return documents in the order of trec_eval: by score, as a 32-bit float, then by id, both descending.

        Examples
        --------
        >>> RankedDocuments.by_score({"d1": 1.0, "d2": 1.0 + 1e-9, "d3": 2.0}).documents
        ('d3', 'd2', 'd1')
        >>> RankedDocuments.by_score({"d2": 1.0, "d1": 1.0 + 1e-9}).documents
        ('d2', 'd1')
        """
        with np.errstate(over="ignore"):  # scores beyond 3.4e38 are equal there, too
            rounded = np.fromiter(scores.values(), np.float64, len(scores)).astype(np.float32).tolist()
        ranked = sorted(zip(rounded, scores, strict=True), reverse=True)
        return cls(tuple(document for _, document in ranked))


@dataclass(frozen=True, slots=True)
class Judgements:
    """Which documents are relevant to one query.

    Attributes
    ----------
    grades : mapping of str to int
        Of every judged document: 0 or less where it is not relevant. A document that is not here counts as such.
    """

    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence, and where it hangs.

    Attributes
    ----------
    form : str
    tag : str
        The coarse part of speech.
    head : int
        The number, from 1, of the word that it depends on; 0 for a root.
    relation : str
        To the head, subtype included: "nsubj:pass".
    start, end : int
        The characters of the sentence's text that it covers, `end` excluded; those of the whole token for a word in a
        multiword token.
    in_multiword : bool
        Whether it is one of the words of a multiword token, such as "de" and "el" in "del".
    """

    form: str
    tag: str
    head: int
    relation: str
    start: int
    end: int
    in_multiword: bool = False


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """A sentence's words, each with its head.

    Attributes
    ----------
    text : str
        The sentence's tokens, joined, without spaces of any kind.
    words : tuple of Word
        In the order of the text.
    """

    text: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class BracketedTree:
    """A constituency tree as labelled ranges of words; without words where a parser found no tree.

    Attributes
    ----------
    words, tags : tuple of str
        The leaves, and the labels of the brackets directly around them, of equal number.
    brackets : tuple of (label, start, end)
        All other brackets, over the words from `start` on and before `end`, counted from 0.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    brackets: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class ItemTexts:
    """What was asked in one item, what was expected, and what was answered; None of what is not known."""

    input: str | None = None
    target: str | None = None
    answer: str | None = None


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts of the items of a test set, in the order of its references.

    Attributes
    ----------
    sources : sequence of n texts, optional
    references : sequence of n sequences of texts, optional
    outputs : sequence of sequences of n texts, or None for a system whose outputs are not known
        One a system.
    """

    sources: Sequence[str] | None
    references: Sequence[Sequence[str]] | None
    outputs: Sequence[Sequence[str] | None]


@dataclass(frozen=True, slots=True)
class ReferenceDigest:
    """SHA-256 of the references of a test set, in hexadecimal.

    Attributes
    ----------
    in_order : str
        Of the items in the order of the file, their ids left out, so that it does not depend on the format.
    by_id : str, optional
        Of the items in the order of their ids, the ids included; None where they have none.
    """

    in_order: str
    by_id: str | None = None

    def matches(self, other: ReferenceDigest) -> bool:
        """Tell whether both are of the same references, in the same order or with the same ids."""
        return self.in_order == other.in_order or (self.by_id is not None and self.by_id == other.by_id)
