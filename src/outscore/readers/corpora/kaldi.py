"""Kaldi's `text` files of transcripts."""

from __future__ import annotations

import re

from outscore.readers.corpora.transcripts import Transcripts

__all__ = ["Kaldi"]

_DIGIT = re.compile(r"\d")


class Kaldi(Transcripts):
    r"""One utterance a line, ``id words ...``, as in the file ``text`` of a Kaldi data directory.

    Such a file looks like plain text, of which the first word of every line would be lost. So it is guessed only
    where every line begins with another word, and all these words hold a digit, as ids of utterances do; else it has
    the extension ``.kaldi``, or somebody says that it is one.

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
        utterance_id, *words = re.split("[ \t]+", line, maxsplit=1)
        return utterance_id, "".join(words)
