"""Dependency trees in ten columns: CoNLL-U and CoNLL-X."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from outscore.data.items import Corpus, DependencyTree, Word
from outscore.errors import DataError, Problem
from outscore.readers.base import ItemFormat, empty
from outscore.text.naming import printable, quoted

_COLUMNS = 10
_ID, _FORM, _TAG, _HEAD, _RELATION = 0, 1, 3, 6, 7
_NUMBER = re.compile(r"[0-9]{1,9}")
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")
_SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(.*\S)")
_FIRST_ID = re.compile(r"1|1-[0-9]+|0\.[0-9]+")


@dataclass
class _Sentence:
    """The lines of one sentence read so far."""

    line: int
    sent_id: str | None = None
    words: list[Word] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    text: str = ""
    token: tuple[int, int] = (0, 0)  # characters of the current multiword token
    token_end: int = 0  # the number of its last word
    token_line: int = 0


class _LineError(Exception):
    """An error in a line: what, advice, slug; and the line number if it is not the last line read."""

    def __init__(self, what: str, advice: str, slug: str, line: int | None = None) -> None:
        super().__init__(what)
        self.what, self.advice, self.slug, self.line = what, advice, slug, line


class _Conll(ItemFormat[DependencyTree]):
    """One word per line, in ten columns separated by tabs, and a blank line after each sentence."""

    item_type = DependencyTree
    several_roots: ClassVar[bool]

    def parse(self, text: str, source: str) -> Corpus[DependencyTree]:
        """Return the trees of a file.

        Raise DataError for a line without ten columns, an empty form, words not numbered 1, 2, 3, ..., a head outside
        the sentence, a multiword token that does not match its words, a cycle, no root, several roots in CoNLL-U, or no
        sentence. The first problem of each sentence is reported.
        """
        sentences: list[_Sentence] = []
        problems = []
        for start, block in _blocks(text.split("\n")):
            sentence = _Sentence(start)
            number = start
            try:
                for number, line in enumerate(block, start=start):
                    _read_line(line, number, sentence)
                if sentence.words or sentence.text:
                    self._check(sentence)
                    sentences.append(sentence)
            except _LineError as fault:
                where = f"{printable(source)}:{fault.line or number}"
                problems.append(Problem(where, fault.what, fault.advice, fault.slug))
        if problems:
            raise DataError(*problems)
        if not sentences:
            raise empty(source, "no sentence")
        # Ids that repeat, as in concatenated treebanks, are ignored.
        ids = dict.fromkeys(sentence.sent_id for sentence in sentences if sentence.sent_id is not None)
        return Corpus(
            source,
            [DependencyTree(sentence.text, tuple(sentence.words)) for sentence in sentences],
            [sentence.line for sentence in sentences],
            tuple(ids) if len(ids) == len(sentences) else None,
        )

    def _check(self, sentence: _Sentence) -> None:
        words = sentence.words
        if sentence.token_end > len(words):
            what = f"the token ends at word {sentence.token_end}, but the sentence has {len(words)}"
            raise _LineError(what, "Correct the range.", "wrong-range", sentence.token_line)
        for word, line in zip(words, sentence.lines, strict=True):
            if word.head > len(words):
                what = f"expected a head from 0 to {len(words)}, got {word.head}"
                raise _LineError(what, "Correct the tree.", "head-outside", line)
        roots = [line for word, line in zip(words, sentence.lines, strict=True) if word.head == 0]
        if not roots:
            raise _LineError("the sentence has no root (head 0)", "Correct the tree.", "no-root", sentence.lines[0])
        if len(roots) > 1 and not self.several_roots:
            what = f"expected one root (head 0), got a second one (first at line {roots[0]})"
            raise _LineError(
                what, "Correct the tree, or rename the file to .conll if it is CoNLL-X.", "several-roots", roots[1]
            )
        cyclic = _in_cycle([word.head for word in words])
        if cyclic is not None:
            what = f"word {cyclic} is in a cycle of heads"
            raise _LineError(what, "Correct the tree.", "cycle", sentence.lines[cyclic - 1])


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Return the blocks of lines between blank lines, each with its first line number."""
    block: list[str] = []
    for number, line in enumerate([*lines, ""], start=1):
        if line.strip(" "):
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def _read_line(line: str, number: int, sentence: _Sentence) -> None:
    if line.startswith("#"):
        named = _SENT_ID.match(line)
        if named:
            sentence.sent_id = named[1]
        return
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        what = f"expected {_COLUMNS} columns separated by tabs, got {len(cells)}"
        raise _LineError(what, "Check the format of the file.", "wrong-columns")
    following = len(sentence.words) + 1
    is_next = cells[_ID] == str(following)  # true for most words, which need no other check
    if not is_next and _EMPTY_NODE.fullmatch(cells[_ID]):
        return
    form = _without_spaces(cells[_FORM])
    if not form:
        raise _LineError("the form (second column) is empty", "Fill it in.", "empty-form")
    start = len(sentence.text)
    multiword = None if is_next else _RANGE.fullmatch(cells[_ID])
    in_multiword = following <= sentence.token_end
    if multiword:
        first, last = int(multiword[1]), int(multiword[2])
        if in_multiword or first != following or last < first:
            what = f"expected a range that starts with {following}, got {quoted(cells[_ID])}"
            what = f"{what} inside another" if in_multiword else what
            raise _LineError(what, "Number words 1, 2, 3, ...", "wrong-range")
        sentence.text += form
        sentence.token = (start, len(sentence.text))
        sentence.token_end, sentence.token_line = last, number
        return
    if not is_next and (not _NUMBER.fullmatch(cells[_ID]) or int(cells[_ID]) != following):
        what = f"expected the word number {following}, got {quoted(cells[_ID])}"
        raise _LineError(what, "Number words 1, 2, 3, ...", "wrong-number")
    if not _NUMBER.fullmatch(cells[_HEAD]):
        what = f"expected the number of a head in column {_HEAD + 1}, got {quoted(cells[_HEAD])}"
        raise _LineError(what, "Give every word a head.", "not-a-head")
    if not in_multiword:
        sentence.text += form
    # Spaces are removed only from token forms, as in the CoNLL 2018 evaluation. Words inside a token are not its text.
    shown, span = (cells[_FORM], sentence.token) if in_multiword else (form, (start, len(sentence.text)))
    sentence.words.append(Word(shown, cells[_TAG], int(cells[_HEAD]), cells[_RELATION], *span, in_multiword))
    sentence.lines.append(number)


def _without_spaces(form: str) -> str:
    """Return a form without any spaces, so that spaces at token borders do not matter."""
    if form.isprintable():  # no space other than ASCII's
        return form.replace(" ", "")
    return "".join(c for c in form if unicodedata.category(c) != "Zs")


def _in_cycle(heads: Sequence[int]) -> int | None:
    """Return the number of a word on a cycle, or None if there is no cycle."""
    reached_by = [0] * (len(heads) + 1)  # the word whose path to the root first visited it
    for origin in range(1, len(heads) + 1):
        word = origin
        while word and not reached_by[word]:
            reached_by[word] = origin
            word = heads[word - 1]
        if word and reached_by[word] == origin:
            return word
    return None


def _columns_of_first_word(text: str) -> list[str]:
    line = next((line for line in text.split("\n") if line.strip(" ") and not line.startswith("#")), "")
    return line.split("\t")


class ConllU(_Conll):
    r"""Universal Dependencies' format, with multiword tokens (``3-4``). Empty nodes (``3.1``) are skipped.

    Item ids are the ``sent_id`` if every sentence has a different one.

    Examples
    --------
    >>> text = "# sent_id = a\n1\tBirds\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsing\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    >>> corpus = ConllU().parse(text, "gold.conllu")
    >>> corpus.item_ids, corpus.items[0].text, corpus.items[0].words[0].relation
    (('a',), 'Birdssing', 'nsubj')
    """

    name = "CoNLL-U"
    extensions = (".conllu",)
    several_roots = False

    def sniff(self, text: str) -> bool:
        """Return whether there are ten columns, and a comment or a multiword token, which CoNLL-X does not have."""
        cells = _columns_of_first_word(text)
        is_table = len(cells) == _COLUMNS and _FIRST_ID.fullmatch(cells[_ID]) is not None
        return is_table and re.search(r"^(#|[0-9]+[-.][0-9]+\t)", text, re.MULTILINE) is not None


class ConllX(_Conll):
    r"""The format of the shared tasks of 2006 and 2007: as CoNLL-U, but a sentence may have several roots.

    Examples
    --------
    >>> text = "1\tYes\t_\tUH\t_\t_\t0\tROOT\t_\t_\n2\t.\t_\t.\t_\t_\t0\tROOT\t_\t_\n"
    >>> [word.form for word in ConllX().parse(text, "gold.conll").items[0].words]
    ['Yes', '.']
    """

    name = "CoNLL-X"
    extensions = (".conll", ".conllx")
    several_roots = True

    def sniff(self, text: str) -> bool:
        cells = _columns_of_first_word(text)
        return len(cells) == _COLUMNS and cells[_ID] == "1"
