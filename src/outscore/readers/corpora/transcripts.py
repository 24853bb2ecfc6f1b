"""Transcripts with one utterance per line: plain, Kaldi, and NIST's sclite (trn)."""

from __future__ import annotations

import re
from abc import abstractmethod

from outscore.data.items import Corpus, Utterance
from outscore.errors import DataError, Problem
from outscore.readers.base import ItemFormat, empty
from outscore.text.naming import printable, quoted

_BLANKS = re.compile("[ \t]+")
_DIGIT = re.compile(r"\d")
_UTTERANCE = re.compile(r"(.*)\(([^()\s]+)\)", re.DOTALL)
_ALTERNATION = re.compile(r"(?:^|[ \t])\{[ \t]")


class _WithIds(ItemFormat[Utterance]):
    """One utterance per line: its words, which may be none, and its id."""

    item_type = Utterance

    @abstractmethod
    def utterance(self, line: str) -> tuple[str, str] | str:
        """Return the id and the words of a line, or a description of what was expected instead.

        Parameters
        ----------
        line : str
            Not empty, without surrounding white space.
        """

    def is_comment(self, line: str) -> bool:
        """Return whether a line is a comment."""
        del line
        return False

    def parse(self, text: str, source: str) -> Corpus[Utterance]:
        place = printable(source)
        lines: dict[str, int] = {}
        segments = []
        problems = []
        for number, raw in enumerate(text.rstrip(" \t\n").split("\n"), start=1):
            line = raw.strip(" \t")
            if self.is_comment(line):
                continue
            read = self.utterance(line) if line else "an utterance"
            if isinstance(read, str):
                what = f"expected {read}, got {quoted(line) if line else 'a blank line'}"
                advice = "Correct the line, or choose another format."
                problems.append(Problem(f"{place}:{number}", what, advice, "no-utterance" if line else "blank-line"))
            elif read[0] in lines:
                what = f"duplicate utterance id {quoted(read[0])} (first at {place}:{lines[read[0]]})"
                problems.append(Problem(f"{place}:{number}", what, "Write one line per utterance.", "duplicate-id"))
            else:
                lines[read[0]] = number
                segments.append(Utterance(read[1]))
        if not text.strip(" \t\n"):
            raise empty(source, "an empty file")
        if problems:
            raise DataError(*problems)
        if not segments:
            raise empty(source, "only comments")
        return Corpus(source, segments, tuple(lines.values()), tuple(lines))


class Kaldi(_WithIds):
    r"""One utterance per line, ``id words ...``, as in the file ``text`` of a Kaldi data directory.

    Read as plain text, the file would have an extra word per line; read as Kaldi, plain text would lose its first
    words. So this format is detected only if all lines start with different words that contain a digit. Otherwise use
    the extension ``.kaldi`` or name the format.

    Examples
    --------
    >>> corpus = Kaldi().parse("utt-1 he hoped\nutt-2\n", "text")
    >>> corpus.item_ids, corpus.items
    (('utt-1', 'utt-2'), ['he hoped', ''])
    """

    name = "Kaldi"
    extensions = (".kaldi",)

    def sniff(self, text: str) -> bool:
        firsts = [line.split(maxsplit=1)[0] for line in text.split("\n") if line.strip()]
        return len(firsts) > 1 and len(set(firsts)) == len(firsts) and all(_DIGIT.search(first) for first in firsts)

    def utterance(self, line: str) -> tuple[str, str] | str:
        utterance_id, *words = _BLANKS.split(line, maxsplit=1)
        return utterance_id, "".join(words)


class Trn(_WithIds):
    r"""One utterance per line, ``words ... (id)``. Lines that start with ``;;`` are comments.

    Alternations ``{ a / b }``, which sclite expands, are rejected. Words in parentheses, which sclite treats as
    optional, are ordinary words here.

    Examples
    --------
    >>> corpus = Trn().parse("he hoped (utt-1)\n(utt-2)\n", "a.trn")
    >>> corpus.item_ids, corpus.items
    (('utt-1', 'utt-2'), ['he hoped', ''])
    """

    name = "trn"
    extensions = (".trn",)

    def sniff(self, text: str) -> bool:
        """Return whether there are at least two lines, and each ends in a different id in parentheses."""
        lines = [line.strip(" \t") for line in text.rstrip(" \t\n").split("\n")]
        matches = [_UTTERANCE.fullmatch(line) for line in lines if not self.is_comment(line)]
        return len(matches) > 1 and len({match and match[2] for match in matches} - {None}) == len(matches)

    def is_comment(self, line: str) -> bool:
        return line.startswith(";;")

    def utterance(self, line: str) -> tuple[str, str] | str:
        match = _UTTERANCE.fullmatch(line)
        if match is None:
            return "words and an utterance id in parentheses"
        if _ALTERNATION.search(match[1]):
            return "words without alternations in braces"
        return match[2], match[1].rstrip(" \t")


class PlainTranscripts(ItemFormat[Utterance]):
    """One utterance per line, without ids. An empty line is an utterance without words."""

    name = "plain text"
    item_type = Utterance

    def sniff(self, text: str) -> bool:
        del text
        return True

    def parse(self, text: str, source: str) -> Corpus[Utterance]:
        lines = text.removesuffix("\n").split("\n")
        if not text:
            raise empty(source, "an empty file")
        return Corpus(source, [Utterance(line) for line in lines], range(1, len(lines) + 1))
