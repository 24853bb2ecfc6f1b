"""The transcripts of NIST's sclite."""

from __future__ import annotations

import re

from outscore.readers.corpora.transcripts import Transcripts

__all__ = ["Trn"]

_UTTERANCE = re.compile(r"(.*)\(([^()\s]+)\)", re.DOTALL)
_ALTERNATION = re.compile(r"(?:^|[ \t])\{[ \t]")


class Trn(Transcripts):
    r"""One utterance a line, ``words ... (id)``; lines that begin with ``;;`` are comments.

    Alternations, ``{ a / b }``, which sclite expands, are refused rather than scored as words. Its words in
    parentheses, which may be left out of an output, are words here.

    Examples
    --------
    >>> corpus = Trn().parse("he hoped (utt-1)\n(utt-2)\n", "a.trn")
    >>> corpus.item_ids, corpus.items
    (('utt-1', 'utt-2'), ['he hoped', ''])
    """

    name = "trn"
    extensions = (".trn",)

    def sniff(self, text: str) -> bool:
        """Say whether each line, of two at least, ends in an id of its own in parentheses."""
        lines = [line.strip(" \t") for line in text.rstrip(" \t\n").split("\n")]
        found = [_UTTERANCE.fullmatch(line) for line in lines if not self.is_comment(line)]
        return len(found) > 1 and len({match and match[2] for match in found} - {None}) == len(found)

    def is_comment(self, line: str) -> bool:
        return line.startswith(";;")

    def utterance(self, line: str) -> tuple[str, str] | str:
        found = _UTTERANCE.fullmatch(line)
        if found is None:
            return "words and an utterance id in parentheses"
        if _ALTERNATION.search(found[1]):
            return "words without alternations in braces"
        return found[2], found[1].rstrip(" \t")
