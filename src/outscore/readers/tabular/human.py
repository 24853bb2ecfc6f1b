"""Formats of human evaluation: Appraise (ESA, DA, MQM), MQM of Google, Pearmut and the JSON Lines of WMT.

Each becomes a long table with one row per rating: system, item, document, rater, task and score, and a domain if the
names of all documents have one. The formats are those of the files that WMT published in 2020 to 2026, and of Pearmut
1.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from outscore.errors import DataError, Problem
from outscore.readers.base import Conventions, Table, TableFormat, normal_name
from outscore.readers.files import lines_in
from outscore.readers.tabular.cells import number_in, text_in
from outscore.readers.tabular.formats import Csv, JsonLines, Tsv
from outscore.text.naming import printable, quoted
from outscore.text.numbers import format_count

# WMT24 writes test-en-news_paper.1, WMT25 en-cs_CZ_#_news_#_paper, WMT26 news_###_paper; then the number of a segment.
_DOMAINS = (
    re.compile(r"[a-z]+-[a-z]{2,3}-([a-z]+)_."),
    re.compile(r"[^#]+_#_([^#]+)_#_."),
    re.compile(r"([^#]+)_###_."),
)
_SEGMENT = re.compile(r"(.+)_#(?:##)?_(\d+)")
_NUMBER = re.compile(r"[0-9]{1,9}")
_WAVE = re.compile(r"human(\d*)")
_OF_WMT25 = re.compile(r"([^#]+_#_[^#]+_#_.+)_#_(\d+)")
_LANGUAGES = re.compile(r"([A-Za-z_]+-[A-Za-z_]+?)_#_.")
_TARGETS = re.compile(rb"[^,]+,[^,]+,[^,]+,(TGT|BAD|REF|CHK|SRC),")


class Rating(NamedTuple):
    """One score of one output by one rater, and its line."""

    line: int
    system: str
    document: str
    item: str
    annotator: str
    task: str
    score: object


@dataclass
class _Ratings:
    """The ratings of a file, the numbers of ratings left out, and notes."""

    source: str
    ratings: list[Rating] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def table(self, what: str) -> Table:
        """Return the ratings as a table. Raise DataError if there are no ratings."""
        if not self.ratings:
            advice = "Check that this is the right file."
            raise DataError(Problem(printable(self.source), f"no {what} found", advice, "no-ratings"))
        domains = [domain_of(rating.document) for rating in self.ratings]
        columns: dict[str, Sequence[object]] = {
            "system": [rating.system for rating in self.ratings],
            "item": [f"{rating.document}:{rating.item}" if rating.document else rating.item for rating in self.ratings],
            "document": [rating.document for rating in self.ratings],
            "rater": [rating.annotator for rating in self.ratings],
            "task": [rating.task for rating in self.ratings],
            "domain": domains,
            "score": [rating.score for rating in self.ratings],
        }
        known = {name for name, cells in columns.items() if all(cell not in ("", None) for cell in cells)}
        columns = {name: cells for name, cells in columns.items() if name in known or name == "score"}
        notes = tuple(self.notes)
        if self.left_out:
            counted = ", ".join(f"{format_count(count)} {why}" for why, count in self.left_out.items())
            notes = (f"Ratings left out: {counted}.", *notes)
        conventions = Conventions(
            clusters="document" if "document" in known else None,
            strata="domain" if "domain" in known else None,
            levels={"rater": "rater"} if "rater" in known else {},
            task="task" if "task" in known else None,
            notes=notes,
        )
        return Table(self.source, columns, [rating.line for rating in self.ratings], conventions=conventions)


def domain_of(document: str) -> str:
    """Return the domain in the name of a document of WMT24 to WMT26; "" if there is none.

    Examples
    --------
    >>> domain_of("test-en-news_paper.1"), domain_of("en-cs_CZ_#_social_#_103"), domain_of("talk 1")
    ('news', 'social', '')
    """
    match = next(filter(None, (pattern.match(document) for pattern in _DOMAINS)), None)
    return "" if match is None else match[1]


class Appraise(Csv):
    """Scores as Appraise exports them, without a header, for ESA, DA and MQM.

    Columns are rater, system, item, type, source and target language, score, document, whether the score is of a whole
    document, error spans (not DA), start and end. Like the organisers of WMT24, this leaves out control items (types
    other than TGT), systems called tutorial, documents called canary, and those marked #dup or #incomplete.

    If all scores are 0, as in campaigns of MQM, they are minus the weights of the error spans. If documents are called
    DOCUMENT#SYSTEM, items may be numbered within batches: see `_placed`.
    """

    name = "Appraise"

    def sniff(self, first_line: bytes) -> bool:
        return _TARGETS.match(first_line) is not None

    def parse(self, data: bytes, source: str) -> Table:
        found, width, spans = _Ratings(source), 0, list[str]()
        for line, cells in self.records(lines_in(data, source), printable(source)):
            if not cells:
                continue
            width = width or len(cells)
            if len(cells) != width or width < 7 or number_in(cells[6]) is None:
                what = "expected the columns of Appraise: rater, system, item, type, two languages and a score"
                if width >= 7 and len(cells) != width:
                    what = f"expected {width} columns, as in the lines before, got {len(cells)}"
                advice = "Check the line. A cell with a comma needs quotes."
                raise DataError(Problem(f"{printable(source)}:{line}", what, advice, "not-appraise"))
            annotator, system, item, kind, from_language, to_language, score = cells[:7]
            document = cells[7] if len(cells) > 9 else ""
            whole = len(cells) > 9 and cells[8] == "True"
            why = _control(system, kind, document, whole=whole)
            if why:
                found.left_out[why] += 1
                continue
            task = f"{from_language}-{to_language}"
            found.ratings.append(Rating(line, system, document, item, annotator, task, score))
            spans.append(cells[9] if len(cells) > 9 and cells[9].startswith(("[", "{")) else "[]")
        if found.ratings and not any(number_in(one.score) for one in found.ratings):
            places = (f"{printable(source)}:{one.line}" for one in found.ratings)
            of_spans = [*map(_weight_of_spans, spans, places)]
            found.ratings = [one._replace(score=0.0 - own) for one, own in zip(found.ratings, of_spans, strict=True)]
            found.notes.append(_OF_SPANS if any(of_spans) else "All scores are 0, and no errors are marked.")
        _placed(found)
        return found.table("ratings of type TGT")


def _control(system: str, kind: str, document: str, *, whole: bool) -> str:
    """Return why the organisers of WMT leave out a rating; "" if they keep it."""
    if "tutorial" in system:
        return "of tutorials"
    if "#dup" in document or "#incomplete" in document:
        return "of documents marked #dup or #incomplete"
    if kind != "TGT":
        return "of control items"
    if document == "canary":
        return "of the canary"
    return "of whole documents" if whole else ""


# The weights of the script of Kocmi et al. 2024 (arXiv 2406.11580), whose interface for MQM is Appraise's.
_SPANS = {"minor": 1.0, "major": 5.0, "critical": 25.0, "undecided": 0.0, "neutral": 0.0}
_OF_SPANS = (
    "All scores are 0, so error spans are scored: minus 1 for minor, 5 for major, 25 for critical, 0.1 for punctuation."
)


def _weight_of_spans(text: str, where: str) -> float:
    """Return the weight of the error spans of an output.

    Raise DataError for no list of spans, or an unknown severity.
    """
    try:
        spans = json.loads(text)
    except (ValueError, RecursionError):
        spans = None
    spans = spans.get("errors") if isinstance(spans, dict) else spans
    weight = 0.0
    for span in spans if isinstance(spans, list) else [None]:
        facts = span if isinstance(span, dict) else {}
        severity = str(facts.get("severity")).lower()
        if severity not in _SPANS:
            what = f"expected error spans with a severity ({', '.join(_SPANS)}), got {quoted(text[:80])}"
            raise DataError(Problem(where, what, "Fix the line.", "unknown-severity"))
        weight += 0.1 if "Punctuation" in str(facts.get("error_type")) else _SPANS[severity]
    return weight


def _placed(found: _Ratings) -> None:
    """Remove the names of systems from those of documents, and number items by document if batches number them.

    A batch numbers the segments of its documents in order. So the place of a segment is that of its number among those
    of its document, system and rater. A document that does not fit in a batch goes on in that of the next rater, by
    name. Documents with fewer segments than for other systems are left out, because their places are unknown.
    """
    documents = [_document_without_system(one) for one in found.ratings]
    if documents == [one.document for one in found.ratings]:
        return
    found.ratings = [one._replace(document=own) for one, own in zip(found.ratings, documents, strict=True)]
    if not all(_NUMBER.fullmatch(one.item) for one in found.ratings):
        return
    numbers = dict[tuple[str, str], dict[str, set[int]]]()
    for one in found.ratings:
        numbers.setdefault((one.document, one.system), {}).setdefault(one.annotator, set()).add(int(one.item))
    of_systems, lengths = dict[str, list[set[int]]](), Counter[str]()
    for (document, _), of_raters in numbers.items():
        of_systems.setdefault(document, []).append(set().union(*of_raters.values()))
        lengths[document] = max(lengths[document], *map(len, of_raters.values()))
    # Numbers of segments are the same for all systems but for missing ones; those of batches are others for each.
    differ = [len(set().union(*sets)) > max(map(len, sets)) for sets in of_systems.values() if len(sets) > 1]
    if 2 * sum(differ) <= len(differ):
        return
    places = dict[tuple[str, str, str, int], int]()
    for (document, system), of_raters in numbers.items():
        parts = [[(person, number) for number in sorted(of_raters[person])] for person in sorted(of_raters)]
        joined = [segment for part in parts if len(part) < lengths[document] for segment in part]
        for segments in (*parts, joined):
            if len(segments) == lengths[document]:
                places |= {(document, system, *segment): place for place, segment in enumerate(segments, 1)}
    of_ratings = [places.get((one.document, one.system, one.annotator, int(one.item))) for one in found.ratings]
    if None in of_ratings:
        found.left_out["of documents with fewer segments than for other systems"] = of_ratings.count(None)
    found.ratings = [one._replace(item=str(own)) for one, own in zip(found.ratings, of_ratings, strict=True) if own]


def _document_without_system(rating: Rating) -> str:
    """Return the document of an output; Appraise's tools write DOCUMENT#SYSTEM, where systems may be TEST.SYSTEM."""
    document, _, system = rating.document.rpartition("#")
    return document if document and f".{rating.system}".endswith(f".{system}") else rating.document


# Other weights are in `error_weight`. Severities of test errors and of no error have the weight 0.
_SEVERITIES = {"critical": 5.0, "major": 5.0, "minor": 1.0, "neutral": 0.0, "no_error": 0.0, "hotw_test": 0.0}
_SEVERITIES |= {"": 0.0, "nan": 0.0, "none": 0.0, "found": 0.0, "missed": 0.0}
_SEGMENTS = ("global_seg_id", "globalsegid", "seg_id", "segid", "doc_seg_id", "docsegid")


class GoogleMqm(Tsv):
    """MQM ratings in the TSV files of Google, one line per marked error.

    The score of a segment is minus the sum of its errors' weights: critical and major 5, minor 1, minor punctuation
    (Fluency/Punctuation) 0.1, Non-translation 25, neutral 0 (Freitag et al. 2021, arXiv 2104.14478). As at WMT24,
    errors of the source and reinterpretations have the weight 0.
    """

    name = "MQM"

    def sniff(self, first_line: bytes) -> bool:
        names = {normal_name(name) for name in first_line.decode("utf-8", "replace").split("\t")}
        return names >= {"system", "rater", "category", "severity"} and not names.isdisjoint(_SEGMENTS)

    def records(self, lines: Sequence[str], source: str) -> list[tuple[int, list[str]]]:
        """Return the records. Cells after the severity, such as comments, may be missing or have no name."""
        records = super().records(lines, source)
        names = [normal_name(name) for name in records[0][1]]
        severity = names.index("severity") if "severity" in names else len(names)
        return [
            (line, [*cells, *[""] * (len(names) - len(cells))][: len(names)] if len(cells) > severity else cells)
            for line, cells in records
        ]

    def parse(self, data: bytes, source: str) -> Table:
        errors = super().parse(data, source)
        called = {normal_name(name): name for name in errors.columns}
        document = called.get("doc", called.get("document", ""))
        names = [called["system"], document, next(called[name] for name in _SEGMENTS if name in called)]
        names += [called["rater"], called["category"], called["severity"]]
        blank = [""] * len(errors)
        cells = [errors.columns.get(name, blank) for name in names]
        found, sums = _Ratings(source), dict[tuple[str, ...], float]()
        lines: dict[tuple[str, ...], int] = {}
        for index, (*key, category, severity) in enumerate(zip(*cells, strict=True)):
            rating = tuple(text_in(cell) or "" for cell in key)
            weight = error_weight(text_in(category) or "", text_in(severity) or "")
            if weight is None:
                what = f"expected a severity (critical, major, minor, neutral or no-error), got {quoted(str(severity))}"
                raise DataError(Problem(errors.place(index), what, "Fix the line.", "unknown-severity"))
            sums[rating] = sums.get(rating, 0.0) + weight
            lines.setdefault(rating, (errors.lines or range(len(errors)))[index])
        for rating, weight in sums.items():
            system, named, segment, annotator = rating
            if named == "canary":
                found.left_out["of the canary"] += 1
            else:
                found.ratings.append(Rating(lines[rating], system, named, segment, annotator, "", 0.0 - weight))
        return found.table("MQM ratings")


def error_weight(category: str, severity: str) -> float | None:
    """Return the weight of an error that a rater marked, by the rules of `GoogleMqm`; None for an unknown severity."""
    weight = _SEVERITIES.get(normal_name(severity))
    if not weight or category.lower().startswith("source") or "Reinterpretation" in category:
        return None if weight is None else 0.0
    if category.lower().startswith("non-translation"):
        return 25.0
    return 0.1 if weight == 1 and "fluency/punctuation" in category.lower() else weight


def score_of_rating(text: bytes) -> float | None:
    """Return minus the weights of the errors in a rating of mt-metrics-eval, NaN for "None"; None for other text."""
    if text == b"None":
        return math.nan
    try:
        errors = json.loads(text)["errors"]
        weights = [
            error_weight(error.get("category") or "", error["severity"])
            if error.get("score") is None
            else float(error["score"])
            for error in errors
        ]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError, OverflowError):
        return None
    known = [weight for weight in weights if weight is not None and math.isfinite(weight)]
    return 0.0 - sum(known) if len(known) == len(weights) else None


def scored_line(line: bytes, *, rating: bool) -> tuple[bytes, float] | None:
    """Return the system and the score on a line of mt-metrics-eval, NaN for "None"; None for other lines.

    A line of ``.seg.rating`` (`rating`) has a system, errors as JSON, and often the rater.
    """
    words = line.split(b"\t" if rating else None)
    if not words or not words[0] or (len(words) != 2 and not (rating and len(words) == 3)):
        return None
    system, word = words[0], words[1]
    if word == b"None":
        return system, math.nan
    if rating:
        score = score_of_rating(word)
        return None if score is None else (system, score)
    try:
        score = float(word)
    except ValueError:
        return None
    return (system, score) if math.isfinite(score) and b"_" not in word else None


class MqmAverages(TableFormat):
    """The average MQM score of each segment, as Google publishes it: system, score and segment between blanks."""

    name = "MQM averages"

    def sniff(self, first_line: bytes) -> bool:
        return first_line.split() == [b"system", b"mqm_avg_score", b"seg_id"]

    def parse(self, data: bytes, source: str) -> Table:
        found = _Ratings(source, notes=["The file does not name documents, so segments are treated as independent."])
        for line, text in enumerate(lines_in(data, source)[1:], start=2):
            system, score, item, *others = [*text.split(), "", "", ""]
            if len(others) != 3 or (score != "None" and number_in(score) is None):
                what = f"expected a system, a score and a segment, got {quoted(text[:80])}"
                raise DataError(Problem(f"{printable(source)}:{line}", what, "Write None for no score.", "wrong-line"))
            if score == "None":
                found.left_out["without a score"] += 1
            else:
                found.ratings.append(Rating(line, system, "", item, "", "", number_in(score)))
        return found.table("scores")


class WmtScores(JsonLines):
    """Segments of WMT25 and WMT26: each line has the scores of all systems.

    They are ``scores.SYSTEM.human``; ``human1``, ``human2`` with ``annotator1``, ``annotator2`` of two waves; or a list
    of objects with ``score`` or ``human``, and ``annotator``.
    """

    name = "WMT scores"

    def sniff(self, first_line: bytes) -> bool:
        return first_line.startswith(b"{") and all(key in first_line for key in (b'"scores"', b'"doc_id"'))

    def parse(self, data: bytes, source: str) -> Table:
        records, found = super().parse(data, source), _Ratings(source)
        for one in scores_by_system(records):
            line = (records.lines or range(len(records)))[one.place]
            for annotator, score in one.ratings:
                found.ratings.append(Rating(line, one.system, one.document, one.item, annotator, one.task, score))
        return found.table('scores as "scores": {"SYSTEM": {"human": ...}}')


class SystemScores(NamedTuple):
    """The scores of one output by name, the raters with the scores of people, and the place of their record."""

    place: int
    system: str
    document: str
    item: str
    task: str
    scores: Mapping[str, object]
    ratings: Sequence[tuple[str, object]]


def scores_by_system(records: Table) -> Iterator[SystemScores]:
    """Yield the scores of each system in records with ``scores.SYSTEM.NAME``. Without ids, items are counted.

    The score called "human" is the mean of several.
    """
    blank, places = [None] * len(records), Counter[str]()
    columns = [
        next((cells for name in names if (cells := records.columns.get(name)) is not None), blank)
        for names in (("scores",), ("doc_id", "document"), ("item_id", "item", "id"), ("langs", "language_pair"))
    ]
    for index, (of_systems, cell, item_cell, pair) in enumerate(zip(*columns, strict=True)):
        document, segment = text_in(cell) or "", ""
        if match := _OF_WMT25.fullmatch(document):
            document, segment = match.groups()
        item = text_in(item_cell) or segment or str(places[document])
        places[document] += 1
        languages = _LANGUAGES.match(document)
        task = text_in(pair) or ("" if languages is None else languages[1])
        for system, scores in of_systems.items() if isinstance(of_systems, Mapping) else ():
            ratings, named = [*_human_ratings(scores)], scores if isinstance(scores, Mapping) else {}
            numbers = [number for _, score in ratings if (number := number_in(score)) is not None]
            if "human" not in named and numbers:
                named = {**named, "human": sum(numbers) / len(numbers)}
            if named:
                yield SystemScores(index, system, document, item, task, named, ratings)


def _human_ratings(scores: object) -> Iterator[tuple[str, object]]:
    """Yield the rater, or else the wave, and the score of each rating of an output. Missing scores are null or NaN.

    A rater of two waves has a name in each.
    """
    waves: list[tuple[str, object, object]] = []
    if isinstance(scores, list):
        several = [(str(place), rating) for place, rating in enumerate(scores, 1) if isinstance(rating, Mapping)]
        waves = [(wave, rating.get("annotator"), rating.get("score", rating.get("human"))) for wave, rating in several]
    elif isinstance(scores, Mapping):
        numbers = [match[1] for name in scores if (match := _WAVE.fullmatch(name))]
        waves = [(number, scores.get(f"annotator{number}"), scores[f"human{number}"]) for number in numbers]
    known = set[str]()
    for wave, annotator, score in waves:
        if score is not None and score == score:
            person = text_in(annotator) or wave
            yield f"{person} ({wave})" if person in known else person, score
            known.add(person)


# Pearmut's names of tasks that are not part of the campaign.
_NOT_OF_CAMPAIGN = ("welcome_", "random_", "goodbye_")


class Pearmut(JsonLines):
    """Annotations of Pearmut: each line is a document that one rater annotated, with scores by system and segment.

    As in Pearmut's export, welcome and goodbye tasks are left out. So are segments with a rule for attention checks
    ("validation") and skipped scores. The last score of a rater counts.
    """

    name = "Pearmut"

    def sniff(self, first_line: bytes) -> bool:
        return first_line.startswith(b"{") and all(key in first_line for key in (b'"annotation"', b'"item_i"'))

    def parse(self, data: bytes, source: str) -> Table:
        records = super().parse(data, source)
        blank = [None] * len(records)
        cells = (records.columns.get(name, blank) for name in ("annotation", "item", "item_i", "user_id"))
        found, latest = _Ratings(source), dict[tuple[str, ...], Rating]()
        for index, (of_items, items, place, user) in enumerate(zip(*cells, strict=True)):
            if isinstance(place, str) and place.startswith(_NOT_OF_CAMPAIGN):
                found.left_out["of tutorials"] += 1
                continue
            segments = _segments(of_items, items, str(place))
            first = segments[0][0] if segments else ""
            document = match[1] if (match := _SEGMENT.fullmatch(first)) else first
            for item, checked, of_systems in segments:
                for system, score in _scores_of(of_systems):
                    why = "of attention checks" if checked else "that were skipped" if score is None else ""
                    if why:
                        found.left_out[why] += 1
                        continue
                    line = (records.lines or range(len(records)))[index]
                    languages = _LANGUAGES.match(item)
                    task = "" if languages is None else languages[1]
                    rating = Rating(line, system, document, item, text_in(user) or "", task, score)
                    latest[system, item, rating.annotator] = rating
        found.ratings += [replaced._replace(item=_within(replaced)) for replaced in latest.values()]
        return found.table("annotations with scores")


def _segments(annotations: object, items: object, place: str) -> list[tuple[str, bool, object]]:
    """Return the id of each segment of a document, whether it is an attention check, and its scores by system."""
    several = annotations if isinstance(annotations, list) else [annotations]
    known = items if isinstance(items, list) else [items] * len(several)
    if len(known) != len(several):
        known = [None] * len(several)
    segments = []
    for number, (segment, item) in enumerate(zip(several, known, strict=True)):
        facts = item if isinstance(item, Mapping) else {}
        item_id = text_in(facts.get("item_id")) or text_in(facts.get("src")) or place
        twice = item_id == place and len(several) > 1
        segments.append((f"{item_id}_#_{number}" if twice else item_id, bool(facts.get("validation")), segment))
    return segments


def _scores_of(of_systems: object) -> Iterator[tuple[str, object]]:
    for system, annotation in of_systems.items() if isinstance(of_systems, Mapping) else ():
        if isinstance(annotation, Mapping) and "score" in annotation:
            yield system, annotation["score"]


def _within(rating: Rating) -> str:
    """Return the id of a segment in its document."""
    return rating.item.removeprefix(rating.document).lstrip("_#") or "1"
