"""Typed spans: CoNLL columns of tokens and tags, and JSON Lines of spans."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias

from outscore.data.items import Corpus, Span, TaggedSentence
from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.readers.base import ItemFormat, empty
from outscore.readers.tabular.cells import in_words, text_in
from outscore.text.naming import nearest, printable, quoted

Scheme: TypeAlias = Literal["IOB1", "IOB2", "IOBES", "BILOU"]
Notation: TypeAlias = Literal["B-LOC", "LOC-B", "B_LOC", "LOC_B", "lowercase", "LOC"]

_LETTERS = {"IOB1": "IB", "IOB2": "IB", "IOBES": "IBES", "BILOU": "IBLU"}
_AS_IOBES = {"L": "E", "U": "S"}
_DOCSTART = "-DOCSTART-"
# How tags are written. The last one matches most words.
_NOTATIONS: Mapping[Notation, re.Pattern[str]] = {
    "B-LOC": re.compile(r"(?P<letter>[IBESLU])(-(?P<kind>.*))?"),
    "LOC-B": re.compile(r"(?P<kind>.+)-(?P<letter>[IBESLU])"),
    "B_LOC": re.compile(r"(?P<letter>[IBESLU])_(?P<kind>.+)"),
    "LOC_B": re.compile(r"(?P<kind>.+)_(?P<letter>[IBESLU])"),
    "lowercase": re.compile(r"(?P<letter>[ibeslu])(-(?P<kind>.*))?"),
    "LOC": re.compile(r"(?P<letter>)(?P<kind>[^\W\d_][\w-]*)"),
}
_NO_SPANS: frozenset[Span] = frozenset()

_Tag: TypeAlias = tuple[str, str]  # letter, type
_Marked: TypeAlias = tuple[int, str, str]  # token index, IOBES letter, type
_OUTSIDE: _Tag = ("O", "")


@dataclass(frozen=True)
class TagColumns(ItemFormat[TaggedSentence]):
    r"""One token per line with its tag in the last column, and a blank line between sentences.

    Columns are separated by tabs if the first token's line has tabs, else by spaces. Columns between the first and the
    last are ignored, and so are -DOCSTART- lines. A tag is O, or a letter, a hyphen and a type.

    Attributes
    ----------
    scheme : {"IOB1", "IOB2", "IOBES", "BILOU"}, optional
        By default the rules of conlleval and seqeval's default mode: any letter may occur anywhere, and an I- or E-
        that does not continue a span of its type starts one. L- and U- are read as E- and S-, unlike in seqeval's
        default mode. With a scheme, as in seqeval's strict mode, only well-formed spans count, and other letters are
        rejected. In IOB1, a B- that separates nothing makes its whole span ill-formed; seqeval still finds a span in
        the rest of it.
    strict : bool
        Whether to reject spans that are ill-formed in the scheme, or without a scheme an I- or E- that continues none.
    notation : {"B-LOC", "LOC-B", "B_LOC", "LOC_B", "lowercase", "LOC"}
        How files write a tag whose letter is B and whose type is LOC; lowercase is b-loc, read in capitals. LOC has no
        letters: neighbours of one type are a span. Files that write B-LOC throughout are read so in any case.

    Examples
    --------
    >>> text = "Ada\tB-PER\nLovelace\tI-PER\nmet\tO\nBabbage\tI-PER\n"
    >>> sorted(TagColumns().parse(text, "a.bio").items[0].spans)
    [(0, 2, 'PER'), (3, 4, 'PER')]
    >>> sorted(TagColumns(scheme="IOB2").parse(text, "a.bio").items[0].spans)
    [(0, 2, 'PER')]
    >>> sorted(TagColumns(notation="LOC-B").parse("Ada\tPER-B\nmet\tO\n", "a.bio").items[0].spans)
    [(0, 1, 'PER')]
    """

    scheme: Scheme | None = None
    strict: bool = False
    notation: Notation = "B-LOC"

    name: ClassVar[str] = "CoNLL columns of tags"
    item_type = TaggedSentence
    extensions = (".bio", ".iob", ".iob2", ".iobes", ".bilou", ".conll")

    def __post_init__(self) -> None:
        if self.scheme is not None and self.scheme not in _LETTERS:
            what = f"expected one of {', '.join(_LETTERS)}, got {quoted(str(self.scheme))}"
            raise OptionError(Problem("scheme", what, nearest(str(self.scheme), _LETTERS), "unknown-option"))
        if self.notation not in _NOTATIONS:
            what = f"expected one of {', '.join(_NOTATIONS)}, got {quoted(str(self.notation))}"
            raise OptionError(Problem("notation", what, nearest(str(self.notation), _NOTATIONS), "unknown-option"))

    def sniff(self, text: str) -> bool:
        row = _first_row(text.split("\n"))
        token, separator, rest = row.partition(_separator(row))
        return token != "" and separator != "" and _tag(rest, separator) is not None

    def parse(self, text: str, source: str) -> Corpus[TaggedSentence]:
        if self.notation != "B-LOC":
            try:
                return replace(self, notation="B-LOC").parse(text, source)
            except DataError as error:
                if any(problem.slug != "malformed-tag" for problem in error.problems):
                    raise
        items: list[TaggedSentence] = []
        begun: list[int] = []
        problems: list[Problem] = []
        tags: dict[str, _Tag] = {}  # cached by the text after the token, which repeats in most files
        unread: set[str] = set()
        tokens: list[str] = []
        marked: list[_Marked] = []  # tokens with a tag other than O
        lines = [*text.split("\n"), ""]  # the last sentence ends with the file
        separator = _separator(_first_row(lines))
        for number, line in enumerate(lines, start=1):
            token, _, rest = line.partition(separator)
            tag = tags.get(rest)
            if tag is None or not token or token == _DOCSTART:
                if _separates(line):
                    if tokens:
                        spans, faults = _spans(marked, self.scheme)
                        items.append(TaggedSentence(tuple(tokens), spans))
                        begun.append(number - len(tokens))
                        if self.strict:
                            problems += [_ill_formed(source, begun[-1] + at, why, self.scheme) for at, why in faults]
                        tokens, marked = [], []
                    continue
                tag = _tag(rest, separator, self.notation) if token else None
                if tag is None:
                    problems.append(_malformed(source, number, line))
                    unread.add(rest)
                    tag = _OUTSIDE
                else:
                    tags[rest] = tag
            if tag is not _OUTSIDE:
                letter, kind = tag
                if self.scheme is not None and letter not in _LETTERS[self.scheme]:
                    problems.append(_not_in_scheme(source, number, tag, self.scheme))
                marked.append((len(tokens), _AS_IOBES.get(letter, letter), kind))
            tokens.append(token)
        if unread:
            advice = _on_notation([*tags, *unread], separator)
            problems = [replace(fault, advice=advice) if fault.slug == "malformed-tag" else fault for fault in problems]
        if problems:
            raise DataError(*problems)
        if not items:
            raise empty(source, "no sentence")
        return Corpus(source, items, begun)


def _separates(line: str) -> bool:
    """Return whether a line separates sentences: it is blank or starts a document."""
    return line.replace("\t", " ").strip(" ").partition(" ")[0] in ("", _DOCSTART)


def _first_row(lines: Iterable[str]) -> str:
    """Return the first line that has a token, or ""."""
    return next((line for line in lines if not _separates(line)), "")


def _separator(row: str) -> str:
    return "\t" if "\t" in row else " "


def _tag(rest: str, separator: str, notation: Notation = "B-LOC") -> _Tag | None:
    """Return the tag in the last column, or None if it is not a tag."""
    tag = rest.rstrip(" \t").rpartition(separator)[2]
    if tag == "O" or (tag == "o" and notation == "lowercase"):
        return _OUTSIDE
    parts = _NOTATIONS[notation].fullmatch(tag)
    if parts is None:
        return None
    letter, kind = parts["letter"] or "I", parts["kind"] or "_"  # seqeval calls a missing type "_"
    return (letter.upper(), kind.upper()) if notation == "lowercase" else (letter, kind)


def _spans(marked: Sequence[_Marked], scheme: Scheme | None) -> tuple[frozenset[Span], list[tuple[int, str]]]:
    """Return the spans that count, and the ill-formed ones as (token index, reason).

    A span starts at B or S, or at an I or E that does not continue a span of its type. It ends after E or S, or before
    a token that does not continue it. The scheme determines whether it is well-formed.
    """
    if not marked:
        return _NO_SPANS, []
    spans: list[Span] = []
    faults: list[tuple[int, str]] = []
    needs_end = scheme in ("IOBES", "BILOU")
    start, end, kind = 0, -1, ""  # the current span
    is_open, sound = False, True

    def close(has_end: bool) -> None:
        if needs_end and not has_end:
            faults.append((end - 1, f"a span of {quoted(kind)} without an end"))
        if scheme is None or (sound and (has_end or not needs_end)):
            spans.append((start, end, kind))

    for index, letter, this in marked:
        follows = index == end and this == kind  # continues a span of its type, closed or open
        if not (is_open and follows and letter in "IE"):
            if is_open:
                close(has_end=False)
            sound = (letter == "I" or follows) if scheme == "IOB1" else letter in "BS"
            if not sound:
                faults.append((index, f"{letter}- of {quoted(this)} that continues no span of that type"))
            start, kind, is_open = index, this, True
        end = index + 1
        if letter in "ES":
            close(has_end=True)
            is_open = False
    if is_open:
        close(has_end=False)
    return frozenset(spans), faults


@dataclass(frozen=True)
class JsonlSpans(ItemFormat[TaggedSentence]):
    """One JSON object per line: ``{"id": "s1", "tokens": ["Ada", "met"], "spans": [[0, 1, "PER"]]}``.

    A span is [start, end, type] with `end` excluded, counted from 0. Ids are on all lines or none. Tokens are optional;
    without them spans may also count characters. Spans may overlap, and a duplicate counts once.

    Examples
    --------
    >>> corpus = JsonlSpans().parse('{"id": 7, "spans": [[0, 2, "PER"]]}', "a.jsonl")
    >>> corpus.item_ids, sorted(corpus.items[0].spans)
    (('7',), [(0, 2, 'PER')])
    """

    name: ClassVar[str] = "JSON Lines of spans"
    item_type = TaggedSentence
    extensions = (".jsonl", ".ndjson", ".jsonlines")

    def sniff(self, text: str) -> bool:
        return text.lstrip().startswith("{") and '"spans"' in text.lstrip().partition("\n")[0]

    def parse(self, text: str, source: str) -> Corpus[TaggedSentence]:
        items: list[TaggedSentence] = []
        lines: list[int] = []
        ids: list[str | None] = []
        problems: list[Problem] = []
        for number, line in enumerate(text.split("\n"), start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
                items.append(_sentence(record))
            except (ValueError, RecursionError) as error:
                problems.append(
                    _not_spans(
                        source, number, str(error) if isinstance(error, _NotSpansError) else "text that is not JSON"
                    )
                )
                continue
            lines.append(number)
            ids.append(text_in(record.get("id")))
        known_ids = tuple(item for item in ids if item is not None)
        if known_ids and len(known_ids) < len(ids):
            problems.append(_not_spans(source, lines[ids.index(None)], 'no "id", although other lines have one'))
        if problems:
            raise DataError(*problems)
        if not items:
            raise empty(source, "an empty file")
        return Corpus(source, items, lines, known_ids or None)


class _NotSpansError(ValueError):
    """The content of a line that has no valid spans."""


def _sentence(record: Any) -> TaggedSentence:
    if not isinstance(record, dict):
        raise _NotSpansError(in_words(record))
    tokens, spans = record.get("tokens"), record.get("spans")
    if tokens is not None and not (isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)):
        raise _NotSpansError('"tokens" that are not a list of strings')
    if not isinstance(spans, list):
        raise _NotSpansError(f'{in_words(spans)} for "spans"')
    for span in spans:
        match span:
            case [int(start), int(end), str(kind)] if 0 <= start < end and kind and bool not in map(type, span):
                if tokens is not None and end > len(tokens):
                    raise _NotSpansError(f"a span that ends after token {in_words(end)} of {len(tokens)}")
            case _:
                raise _NotSpansError(f"the span {quoted(json.dumps(span))}")
    return TaggedSentence(None if tokens is None else tuple(tokens), frozenset(map(tuple, spans)))


def _malformed(source: str, line: int, got: str) -> Problem:
    what = f"expected a token and a tag such as O or B-PER, got {quoted(got)}"
    return Problem(f"{printable(source)}:{line}", what, "", "malformed-tag")


def _on_notation(rests: Sequence[str], separator: str) -> str:
    """Return how to read a file with these texts after its tokens, if only one notation fits all tags."""
    tags = {notation: [_tag(rest, separator, notation) for rest in rests] for notation in _NOTATIONS}
    fitting = [notation for notation, read in tags.items() if None not in read]
    others = (tag for notation, read in tags.items() for tag in read if notation != "LOC")
    if _OUTSIDE not in tags["LOC"] or {*others} - {None, _OUTSIDE}:  # LOC fits any words
        fitting = [notation for notation in fitting if notation != "LOC"]
    if len(fitting) != 1:
        return "Put the token in the first column and the tag in the last."
    return f"If the notation of tags is {fitting[0]}, pass {opt('input_format', f'tags:notation={fitting[0]}')}."


def _not_in_scheme(source: str, line: int, tag: _Tag, scheme: Scheme) -> Problem:
    letters = ", ".join(f"{letter}-" for letter in _LETTERS[scheme])
    what = f"expected a tag of {scheme} (O, {letters}), got {quoted('-'.join(tag))}"
    return Problem(f"{printable(source)}:{line}", what, "Choose the scheme of the file.", "not-in-scheme")


def _ill_formed(source: str, line: int, why: str, scheme: Scheme | None) -> Problem:
    rules = "" if scheme is None else f" under the scheme {scheme}"
    advice = "Correct the tags, or remove the option strict."
    return Problem(
        f"{printable(source)}:{line}", f"expected well-formed spans{rules}, got {why}", advice, "ill-formed-span"
    )


def _not_spans(source: str, line: int, got: str) -> Problem:
    return Problem(
        f"{printable(source)}:{line}",
        f"expected one JSON object with spans, got {got}",
        'Write one item per line, such as {"id": "s1", "tokens": ["Ada", "met"], "spans": [[0, 1, "PER"]]}.',
        "malformed-spans",
    )
