"""Texts as numbered tokens: characters, or words as in BLEU and chrF."""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, count, repeat

import numpy as np

from outscore._types import BoolArray
from outscore.metrics.ngrams import END, FIRST, FOREIGN, Tokens

Prepare = Callable[[Sequence[str]], Sequence[str]]
Split = Callable[[Sequence[str]], Iterable[Sequence[str]]]
_AT_ONCE = 1 << 14  # texts per block: their words are Python objects until they are numbered
_LAST_BLANK = 0x3000  # Unicode has no white space above

# ASCII symbols except apostrophes, commas, full stops and hyphens. 13a makes a token of each.
_SYMBOLS = [mark for mark in string.punctuation if mark not in "',.-"]
_ALWAYS_APART = frozenset(_SYMBOLS) | frozenset(",.")  # where a word ends
_POINT_AFTER = re.compile(r"([^0-9])([.,])")
_POINT_BEFORE = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])-")
_PUNCTUATION = frozenset(string.punctuation)


class Words:
    """The words of references, R sequences of n texts, as numbers, and a numbering for the words of outputs.

    `prepare` is applied to texts, some thousands at once, which are then split at white space. `split` returns the
    tokens of each of the given words; each distinct word is split only once.
    """

    def __init__(self, references: Sequence[Sequence[str]], prepare: Prepare, split: Split | None = None) -> None:
        self._prepare, self._split = prepare, split
        vocabulary: defaultdict[str, int] = defaultdict(count(FIRST).__next__)
        self.references = tuple(
            self._numbered(texts, END, lambda tokens: map(vocabulary.__getitem__, tokens)) for texts in references
        )
        self._vocabulary = dict(vocabulary)

    def numbered(self, outputs: Sequence[str]) -> Tokens:
        """Return the words of n outputs, with FOREIGN for words that are in no reference."""
        return self._numbered(outputs, FOREIGN, lambda tokens: map(self._vocabulary.get, tokens, repeat(FOREIGN)))

    def _numbered(self, texts: Sequence[str], end: int, number: Callable[[list[str]], Iterable[int]]) -> Tokens:
        return _joined(self._of_few(self._prepare(some), end, number) for some in _in_parts(texts))

    def _of_few(self, texts: Sequence[str], end: int, number: Callable[[list[str]], Iterable[int]]) -> Tokens:
        words: list[str | None] = []
        for text in texts:
            words += text.split()
            words.append(None)  # the end of the text
        number_of: defaultdict[str | None, int] = defaultdict(count(1).__next__, {None: 0})
        position = np.fromiter(map(number_of.__getitem__, words), dtype=np.int64, count=len(words))
        del number_of[None]
        distinct: list[str] = list(number_of)  # type: ignore[arg-type]
        if self._split is None:
            numbers = np.fromiter(chain([end], number(distinct)), dtype=np.int32, count=1 + len(distinct))
            return Tokens(numbers[position], np.flatnonzero(position == 0))
        pieces = list(self._split(distinct))
        sizes = np.fromiter(chain([1], map(len, pieces)), dtype=np.int64, count=1 + len(pieces))
        numbers = np.fromiter(chain([end], number([*chain.from_iterable(pieces)])), np.int32, int(sizes.sum()))
        size, begins = sizes[position], np.cumsum(sizes) - sizes
        ends = np.cumsum(size)
        index = np.arange(ends[-1]) + np.repeat(begins[position] - (ends - size), size)
        return Tokens(numbers[index], ends[position == 0] - 1)


def characters(texts: Sequence[str], end: int, *, blanks: bool) -> Tokens:
    """Return the characters of n texts, by their code points, with the number `end` after each text.

    `end` is END for references and FOREIGN for outputs. White space (as of `str.split`) is kept only with `blanks`.
    """
    return _joined(_characters(some, end, blanks) for some in _in_parts(texts))


def _characters(texts: Sequence[str], end: int, blanks: bool) -> Tokens:
    whole = "\n".join([*texts, ""]).encode("utf-32-le", "surrogatepass")
    points = np.frombuffer(whole, dtype="<u4")
    ends = np.cumsum([len(text) + 1 for text in texts]) - 1
    numbers = points + np.uint32(FIRST)
    numbers[ends] = end
    if not blanks:
        kept = ~_is_blank()[np.minimum(points, _LAST_BLANK + 1)]
        kept[ends] = True
        numbers, ends = numbers[kept], np.cumsum(kept)[ends] - 1
    return Tokens(numbers, ends)


@cache
def _is_blank() -> BoolArray:
    return np.array([chr(point).isspace() for point in range(_LAST_BLANK + 2)])


def _in_parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    return (texts[first : first + _AT_ONCE] for first in range(0, len(texts), _AT_ONCE))


def _joined(parts: Iterable[Tokens]) -> Tokens:
    several = list(parts)
    if len(several) == 1:
        return several[0]
    before = np.cumsum([0, *(len(tokens.numbers) for tokens in several)])
    return Tokens(
        np.concatenate([tokens.numbers for tokens in several]),
        np.concatenate([tokens.ends + begin for tokens, begin in zip(several, before, strict=False)]),
    )


def prepared_for_13a(texts: Sequence[str]) -> list[str]:
    """Return texts, shape (n,), prepared to be split at spaces by the tokenizer 13a: one line, entities replaced.

    13a is the tokenizer of NIST's mteval-v13a.pl, as implemented in sacreBLEU.
    """
    whole = "\n".join(texts)
    if whole.count("\n") == len(texts) - 1:
        whole = whole.replace("<skipped>", "")
    else:
        lines = (text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ") for text in texts)
        whole = "\n".join(lines)
    if "&" in whole:
        for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
            whole = whole.replace(entity, character)
    return whole.split("\n")


def split_by_13a(words: Sequence[str]) -> list[Sequence[str]]:
    """Return the tokens of each word: punctuation is split off, except points, commas and dashes inside numbers.

    The rules of 13a depend on at most two neighbours, and spaces separate all words. So a word is split in the same
    way wherever it occurs, and all words are split at once, one per line.
    """
    odd: list[str] = []
    pieces: list[Sequence[str] | None] = []
    for word in words:
        if word.isalnum():
            pieces.append((word,))
        elif word[-1] in _ALWAYS_APART and word[:-1].isalnum():
            pieces.append((word[:-1], word[-1]))
        else:
            odd.append(word)
            pieces.append(None)
    whole = " \n ".join(odd)
    for symbol in _SYMBOLS:
        whole = whole.replace(symbol, f" {symbol} ")
    whole = _POINT_AFTER.sub(r"\1 \2 ", f" {whole} ")
    whole = _POINT_BEFORE.sub(r" \1 \2", whole)
    whole = _DASH_AFTER_DIGIT.sub(r"\1 - ", whole)
    lines = iter(whole.split("\n"))
    return [next(lines).split() if piece is None else piece for piece in pieces]


def split_at_edge(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield each word with its final or else its first punctuation mark split off.

    Only one mark is split off, as in Popović's chrF++.py.
    """
    for word in words:
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            yield word[:-1], word[-1]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            yield word[0], word[1:]
        else:
            yield (word,)
