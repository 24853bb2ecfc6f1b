"""A format of input: NIST's STM files of transcripts. Registered by one line in `outscore.readers.registry`."""

from __future__ import annotations

import re

from outscore.data.items import Corpus, Utterance
from outscore.errors import DataError, Problem
from outscore.readers import ItemFormat
from outscore.text.naming import printable, quoted

# File, channel, speaker, begin and end in seconds, labels that may be left out, words.
_LINE = re.compile(r"(\S+)\s+(\S+)\s+\S+\s+([0-9.]+)\s+[0-9.]+(?:\s+<\S*>)?(?:\s+(.*))?")


class Stm(ItemFormat[Utterance]):
    """One utterance a line, ``file channel speaker begin end <labels> words``, known by file, channel and begin."""

    name = "STM"
    item_type = Utterance
    extensions = (".stm",)

    def sniff(self, text: str) -> bool:
        return _LINE.match(text) is not None

    def parse(self, text: str, source: str) -> Corpus[Utterance]:
        items: dict[str, Utterance] = {}
        lines: list[int] = []
        for number, line in enumerate(text.split("\n"), start=1):
            if not line.strip() or line.startswith(";;"):
                continue
            match = _LINE.fullmatch(line.rstrip())
            if match is None:
                where, what = f"{printable(source)}:{number}", f"expected an utterance of STM, got {quoted(line)}"
                raise DataError(Problem(where, what, "Correct the line, or name the right format.", "no-utterance"))
            items["-".join(match.group(1, 2, 3))] = Utterance(match[4] or "")
            lines.append(number)
        return Corpus(source, list(items.values()), lines, tuple(items))
