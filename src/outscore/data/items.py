"""Types of items in outputs and references that are more than a line of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import numpy as np

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Corpus(Generic[Item]):
    """The items of one file of outputs or references.

    Attributes
    ----------
    name : str
        As the user typed it.
    items : sequence
        In the order of the file.
    lines : sequence of int
        The line (from 1) on which each item starts.
    item_ids : tuple of str, optional
        One id per item; None if items are identified by position.
    table : object, optional
        The table of which the items are a column.
    column : str, optional
        That column.
    guessed : bool
        Whether several columns had a usual name.
    notes : tuple of str
        Notes on items that were left out.
    """

    name: str
    items: Sequence[Item]
    lines: Sequence[int]
    item_ids: tuple[str, ...] | None = None
    table: object = None
    column: str | None = None
    guessed: bool = False
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)


# (source position, target position), both from 0.
Link: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The links of a sentence pair given by a system."""

    links: frozenset[Link]


@dataclass(frozen=True, slots=True)
class GoldAlignment:
    """The gold links of a sentence pair. Possible links always include the sure ones."""

    sure: frozenset[Link]
    possible: frozenset[Link] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "possible", self.possible | self.sure)


# (start, end, type): tokens or characters, from 0, without `end`.
Span: TypeAlias = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """The typed spans of a sentence, such as names or chunks.

    Attributes
    ----------
    tokens : tuple of str, optional
        None if a file has only spans. Then nothing can be checked.
    """

    tokens: tuple[str, ...] | None
    spans: frozenset[Span]


class Utterance(str):
    """The words of an utterance, transcribed or recognized."""

    __slots__ = ()


class Label(str):
    """The label of an item given by a system."""

    __slots__ = ()


class GoldLabel(Label):
    """The correct label. It has its own type because one file may contain both, in columns with different names."""

    __slots__ = ()


class Answer(str):
    """A system's answer to a question; "" means no answer."""

    __slots__ = ()


class GoldAnswers(tuple[str, ...]):
    """The correct answers to a question; empty if it has none."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """The documents that a retrieval system returned for a query.

    Attributes
    ----------
    documents : tuple of str
        Distinct document ids, best first; empty if the system returned none.
    """

    documents: tuple[str, ...] = ()

    @classmethod
    def by_score(cls, scores: Mapping[str, float]) -> RankedDocuments:
        """Return documents in the order of trec_eval: descending by score, as a 32-bit float, then by id.

        Examples
        --------
        >>> RankedDocuments.by_score({"d1": 1.0, "d2": 1.0 + 1e-9, "d3": 2.0}).documents
        ('d3', 'd2', 'd1')
        >>> RankedDocuments.by_score({"d2": 1.0, "d1": 1.0 + 1e-9}).documents
        ('d2', 'd1')
        """
        with np.errstate(over="ignore"):  # as in trec_eval, scores beyond 3.4e38 are equal
            rounded = np.fromiter(scores.values(), np.float64, len(scores)).astype(np.float32).tolist()
        ranked = sorted(zip(rounded, scores, strict=True), reverse=True)
        return cls(tuple(document for _, document in ranked))


@dataclass(frozen=True, slots=True)
class Judgements:
    """The relevance of documents to a query.

    Attributes
    ----------
    grades : mapping of str to int
        Grades of judged documents; 0 or less means not relevant. Other documents are not relevant.
    """

    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence, and its head.

    Attributes
    ----------
    tag : str
        Coarse part of speech.
    head : int
        Number, from 1, of the word that it depends on; 0 for a root.
    relation : str
        Relation to the head, including the subtype: "nsubj:pass".
    start, end : int
        Its characters in the sentence's text, without `end`; for a word in a multiword token, those of the token.
    in_multiword : bool
        Whether it is part of a multiword token, such as "de" and "el" in "del".
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
    """The words of a sentence with their heads.

    Attributes
    ----------
    text : str
        The tokens of the sentence joined without spaces.
    words : tuple of Word
        In the order of the text.
    """

    text: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class BracketedTree:
    """A constituency tree as labelled ranges of words; without words if the parser found no tree.

    Attributes
    ----------
    words, tags : tuple of str
        The leaves, and the labels of the brackets directly around them.
    brackets : tuple of (label, start, end)
        All other brackets, over words from `start` to before `end`, from 0.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    brackets: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class ItemTexts:
    """The source, references and outputs of an item; None if unknown."""

    input: str | None = None
    target: str | None = None
    answer: str | None = None


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of the items of a test set, in the order of its references.

    Attributes
    ----------
    sources : sequence of n texts, optional
        One per item.
    references : sequence of n sequences of texts, optional
        Of each item.
    outputs : sequence of sequences of n texts, or None for a system whose outputs are not known
        One per system.
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
        Over items in the order of the file, without ids, so that it does not depend on the format.
    by_id : str, optional
        Over items and ids in the order of ids; None without ids.
    """

    in_order: str
    by_id: str | None = None

    def matches(self, other: ReferenceDigest) -> bool:
        """Return whether both have the same references, in the same order or with the same ids."""
        return self.in_order == other.in_order or (self.by_id is not None and self.by_id == other.by_id)
