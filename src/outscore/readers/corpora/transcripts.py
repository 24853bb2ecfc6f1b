"""What transcripts in Kaldi's and sclite's way share: one utterance a line, known by its id."""

from __future__ import annotations

from abc import abstractmethod

from outscore.errors import DataError, Problem
from outscore.items import Corpus, Utterance
from outscore.naming import printable, quoted
from outscore.readers.base import empty
from outscore.readers.corpora.base import CorpusFormat

__all__ = ["PlainTranscripts", "Transcripts"]


class Transcripts(CorpusFormat[Utterance]):
    """One utterance a line: its words, which may be none, and its id."""

    item_type = Utterance

    @abstractmethod
    def utterance(self, line: str) -> tuple[str, str] | str:
        """Return the id and the words of a line, or what was expected instead of it.

        Parameters
        ----------
        line : str
            Without white space around it, and not empty.
        """

    def is_comment(self, line: str) -> bool:
        """Say whether a line is to be passed over."""
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
                advice = "Mend the line, or name the right format."
                problems.append(Problem(f"{place}:{number}", what, advice, "no-utterance" if line else "blank-line"))
            elif read[0] in lines:
                what = f"utterance id {quoted(read[0])} stands here a second time (first at {place}:{lines[read[0]]})"
                problems.append(Problem(f"{place}:{number}", what, "Give every utterance one line.", "duplicate-id"))
            else:
                lines[read[0]] = number
                segments.append(Utterance(read[1]))
        if not text.strip(" \t\n"):
            raise empty(source, "an empty file")
        if problems:
            raise DataError(*problems)
        if not segments:
            raise empty(source, "nothing but comments")
        return Corpus(source, segments, tuple(lines.values()), tuple(lines))


class PlainTranscripts(CorpusFormat[Utterance]):
    """One utterance a line, without ids: known by its position. An empty line is an utterance without words."""

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
