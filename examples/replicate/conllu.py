"""What the three taggers share: sentences of CoNLL-U, and how many of their tags are right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple


class Sentence(NamedTuple):
    """The words of a sentence and their universal parts of speech."""

    name: str
    words: Sequence[str]
    tags: Sequence[str]


def read_sentences(path: str) -> list[Sentence]:
    """Return the sentences of the file `path`."""
    found = []
    for block in Path(path).read_text(encoding="utf-8").strip().split("\n\n"):
        lines = block.split("\n")
        name = next(line.removeprefix("# sent_id = ") for line in lines if line.startswith("# sent_id = "))
        words = [line.split("\t") for line in lines if line.partition("\t")[0].isdigit()]
        found.append(Sentence(name, [word[1] for word in words], [word[3] for word in words]))
    return found


def write_counts(path: str, gold: Sequence[Sentence], tagged: Iterable[Sequence[str]]) -> None:
    """Write right tags and words of every sentence: rows of `outscore`'s metric ratio, which is then the accuracy."""
    rows = ["id,numerator,denominator"]
    for sentence, tags in zip(gold, tagged, strict=True):
        right = sum(tag == guess for tag, guess in zip(sentence.tags, tags, strict=True))
        rows.append(f"{sentence.name},{right},{len(sentence.words)}")
    Path(path).write_text("\n".join(rows) + "\n", encoding="utf-8")
