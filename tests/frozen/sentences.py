"""Sentences of the corpus: one case holds each in full, the others its first words and its numbers.

A change of wording then changes few files of the corpus. A sentence that no case holds in full is a difference still.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = Any
NUMBER = re.compile(r"(?<![\w.])[-+−]?\d*(?:\.\d+)?(?:e[-+]?\d+)?(?<=\d)")
WORD = re.compile(r"(?<!\S)[a-z]{2,}[.,:;]?(?!\S)")
LEFT_OUT = "⋯"
FIRST = 5  # words that are kept
PROSE = 7  # words at least; less is a title or a row of a table
WRAPPED = 50  # a line of text that goes on below is at least as long


def brief(paragraph: Sequence[str]) -> str:
    """Return the first words of a paragraph, and the numbers of the others."""
    words = " ".join(paragraph).split()
    return " ".join([*words[:FIRST], LEFT_OUT, *NUMBER.findall(" ".join(words[FIRST:]))])


def paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    """Put lines together with those on which they go on, which are indented more."""
    paragraph: list[str] = []
    for line in lines:
        wrapped = paragraph and len(paragraph[-1]) >= WRAPPED and _indent(line) > _indent(paragraph[0])
        if paragraph and not (wrapped and WORD.search(line)):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield paragraph


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def sentences(paragraph: Sequence[str]) -> set[str]:
    """Return the sentences of a paragraph, without their numbers; none of a title or a row of a table."""
    text = " ".join(" ".join(paragraph).split())
    if len(WORD.findall(text)) < PROSE or LEFT_OUT in text or text.startswith("|"):
        return set()
    return set(re.split(r"(?<=[.:;!?]) ", NUMBER.sub("#", text)))


def shortened(name: str, kept: Json, holders: Mapping[str, str]) -> Json:
    """Return the outcome of a case, brief where other cases hold all sentences of a paragraph."""

    def short(part: Json) -> Json:
        if isinstance(part, Mapping):
            return {key: value if key == "case" else short(value) for key, value in part.items()}
        if isinstance(part, str):
            return "\n".join(short(part.split("\n")))
        if not isinstance(part, list):
            return part
        if not all(isinstance(line, str) for line in part):
            return [short(value) for value in part]
        lines: list[str] = []
        for paragraph in paragraphs(part):
            found = sentences(paragraph)
            known = found and all(holders.get(sentence, name) != name for sentence in found)
            lines += [brief(paragraph)] if known else paragraph
        return lines

    return short(kept)


def held(kept: Json) -> set[str]:
    """Return all sentences of an outcome, but for those of paragraphs that are brief."""
    if isinstance(kept, Mapping):
        return set().union(*(held(value) for name, value in kept.items() if name != "case"))
    if isinstance(kept, str):
        return held(kept.split("\n"))
    if not isinstance(kept, list):
        return set()
    if all(isinstance(line, str) for line in kept):
        return set().union(*map(sentences, paragraphs(kept)))
    return set().union(*map(held, kept))


def each_once(outcomes: Mapping[str, dict[str, Json]]) -> tuple[dict[str, dict[str, Json]], dict[str, str]]:
    """Return the outcomes with each sentence in full in one case, a plain one of text, and which case that is."""
    once: dict[str, dict[str, Json]] = {}
    holders: dict[str, str] = {}

    def plain(name: str) -> tuple[bool, int, str]:
        return not isinstance(outcomes[name].get("out"), list), len(name), name

    for name in sorted(outcomes, key=plain):
        once[name] = shortened(name, outcomes[name], holders)
        for sentence in held(once[name]):
            holders.setdefault(sentence, name)
    return {name: once[name] for name in outcomes}, holders
