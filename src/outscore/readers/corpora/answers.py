"""Answers to questions and their gold answers: SQuAD JSON, a column of a table, or one per line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from outscore.data.items import Answer, Corpus, GoldAnswers
from outscore.errors import DataError, Problem
from outscore.readers.base import Cell, ItemFormat, ReadableFile, Table, empty
from outscore.readers.corpora.simple import Column, one_a_line
from outscore.readers.tabular.cells import in_words, text_in
from outscore.text.naming import printable, quoted

Item = TypeVar("Item")

_MOST_MISSES = 100
_PREDICTED = ("prediction", "predictions", "predicted", "pred", "prediction_text", "predicted_answer", "model_answer",
    "output", "response", "answer", "text")  # fmt: skip
_GOLD = ("answers", "gold_answers", "gold", "golds", "gold_answer", "references", "reference", "targets", "target",
    "ground_truth", "ground_truths", "expected", "answer")  # fmt: skip


def _answer(cell: Cell) -> str | None:
    """Return a cell as an answer, "" for null; None if it is not an answer."""
    if cell is None:
        return ""
    return str(cell) if isinstance(cell, str) else text_in(cell)


def _gold_answers(cell: Cell) -> tuple[str, ...] | None:
    """Return a cell as gold answers, from a text, a list of texts, or an object with the field "text"."""
    if isinstance(cell, dict):
        return _gold_answers(cell["text"]) if "text" in cell and not isinstance(cell["text"], dict) else None
    texts = [_answer(part) for part in cell] if isinstance(cell, list) else [_answer(cell)]
    return None if None in texts else tuple(text for text in texts if text)


@dataclass(frozen=True)
class _Answers(Column[Item]):
    """One answer per line, or one per record of a table.

    A null, an empty cell or a blank line is no answer.

    Parameters
    ----------
    column : str, optional
        The column of answers; found by its name by default.
    """

    column: str | None = None

    items = "answers"
    advice = "Correct the line."
    slug = "not-an-answer"

    def sniff(self, text: str) -> bool:
        return bool(text) and _whole_object(text) is None

    def bare_table(self, text: str, source: str) -> Table:
        if not text:
            raise empty(source, "an empty file")
        return one_a_line(text.removesuffix("\n").split("\n"), source)


@dataclass(frozen=True)
class PredictedAnswers(_Answers[Answer]):
    """The answers of a system.

    Examples
    --------
    >>> PredictedAnswers().parse('{"id": 7, "answer": "Nantes", "prediction": null}', "a.jsonl").items
    ['']
    """

    name = "answers"
    item_type = Answer
    names = _PREDICTED
    expected = "an answer"

    def item(self, cell: Cell) -> Answer | None:
        text = _answer(cell)
        return None if text is None else Answer(text)


@dataclass(frozen=True)
class GoldAnswerFields(_Answers[GoldAnswers]):
    """The correct answers, one or several per question.

    Examples
    --------
    >>> GoldAnswerFields().parse('{"id": 7, "answers": ["Nantes", "in Nantes"]}', "a.jsonl").items
    [('Nantes', 'in Nantes')]
    """

    name = "gold answers"
    item_type = GoldAnswers
    names = _GOLD
    expected = "an answer or a list of answers"

    def item(self, cell: Cell) -> GoldAnswers | None:
        texts = _gold_answers(cell)
        return None if texts is None else GoldAnswers(texts)


class _RepeatedNameError(ValueError):
    """A duplicate name in a JSON object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise _RepeatedNameError(next(name for name in times if times[name] > 1))
    return fields


def _whole_object(text: str) -> dict[str, Any] | None:
    """Return the text as a single JSON object, or None."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _parsed(text: str, source: str, example: str) -> dict[str, Any]:
    """Return the JSON object in a file. Duplicate names are errors."""
    where = printable(source)
    advice = f"Write {example}."
    try:
        value = json.loads(text, object_pairs_hook=_object)
    except _RepeatedNameError as error:
        what = f"duplicate name {quoted(str(error))} in an object"
        raise DataError(Problem(where, what, "Give every question one answer.", "duplicate-field")) from None
    except json.JSONDecodeError as error:
        what = f"not valid JSON ({printable(error.msg)} at character {error.colno})"
        raise DataError(Problem(f"{where}:{error.lineno}", what, advice, "not-json")) from None
    except (ValueError, RecursionError):
        what = "JSON is nested too deeply or has too long a number"
        raise DataError(Problem(where, what, advice, "not-json")) from None
    if not isinstance(value, dict):
        raise DataError(Problem(where, f"expected an object, got {in_words(value)}", advice, "not-an-object"))
    if not value:
        raise empty(source, "an object without fields")
    return value


def _lines(text: str, ids: Iterable[str]) -> list[int]:
    """Return the line of each id, in order. An id written with escapes gets the line of the one before."""
    lines, position, line, missed = [], 0, 1, 0
    for item in ids:
        # Every miss searches the whole text, so many misses must not take forever.
        start = text.find(json.dumps(item, ensure_ascii=False), position) if missed < _MOST_MISSES else -1
        missed += start < 0
        if start >= 0:
            line += text.count("\n", position, start)
            position = start
        lines.append(line)
    return lines


class SquadPredictions(ItemFormat[Answer]):
    """SQuAD predictions: one object of question ids and answers. An empty answer or null means no answer.

    Examples
    --------
    >>> corpus = SquadPredictions().parse('{"q1": "Nantes", "q2": ""}', "system.json")
    >>> corpus.items, corpus.item_ids
    (['Nantes', ''], ('q1', 'q2'))
    """

    name = "SQuAD predictions"
    item_type = Answer
    extensions = (".json",)

    def sniff(self, text: str) -> bool:
        return _whole_object(text) is not None

    def read(self, file: ReadableFile) -> Corpus[Answer]:
        return PredictedAnswers().read(file) if file.text.lstrip().startswith("[") else super().read(file)

    def parse(self, text: str, source: str) -> Corpus[Answer]:
        predictions = _parsed(text, source, 'one object of ids and answers, such as {"q1": "Nantes"}')
        answers = {item: _answer(cell) for item, cell in predictions.items()}
        lines = _lines(text, answers)
        problems = [
            Problem(
                f"{printable(source)}:{line}",
                f"question {quoted(item)}: expected an answer, got {in_words(predictions[item])}",
                'Write one object of ids and answers, such as {"q1": "Nantes"}.',
                "not-an-answer",
            )
            for line, item in zip(lines, answers, strict=True)
            if answers[item] is None
        ]
        if problems:
            raise DataError(*problems)
        return Corpus(source, [Answer(text) for text in answers.values()], lines, tuple(answers))


class SquadQuestions(ItemFormat[GoldAnswers]):
    """SQuAD datasets, 1.1 and 2.0: data, paragraphs, qas, each with an id and answers.

    Examples
    --------
    >>> qa = '{"id": "q1", "question": "Where?", "answers": [{"text": "Nantes", "answer_start": 0}]}'
    >>> SquadQuestions().parse('{"data": [{"paragraphs": [{"qas": [' + qa + "]}]}]}", "dev.json").items
    [('Nantes',)]
    """

    name = "SQuAD JSON"
    item_type = GoldAnswers
    extensions = (".json",)

    def sniff(self, text: str) -> bool:
        return "data" in (_whole_object(text) or {})

    def read(self, file: ReadableFile) -> Corpus[GoldAnswers]:
        return GoldAnswerFields().read(file) if file.text.lstrip().startswith("[") else super().read(file)

    def parse(self, text: str, source: str) -> Corpus[GoldAnswers]:
        data_set = _parsed(text, source, 'SQuAD\'s JSON, {"data": [{"paragraphs": [{"qas": [...]}]}]}')
        ids, items = [], []
        for place, qa in _questions(data_set, source):
            item = text_in(qa.get("id"))
            answers = _parts(qa, "answers", place, source)
            texts = [part.get("text") for _, part in answers]
            if item is None:
                raise _not_squad(source, place, 'a question with an "id"', in_words(qa.get("id")))
            if not all(isinstance(text, str) for text in texts):
                raise _not_squad(source, place, 'answers with a "text"', "one without")
            ids.append(item)
            items.append(GoldAnswers(str(text) for text in texts))
        if not items:
            raise empty(source, "no questions")
        return Corpus(source, items, _lines(text, ids), tuple(ids))


def _questions(data_set: dict[str, Any], source: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for at_article, article in _parts(data_set, "data", "", source):
        for at_paragraph, paragraph in _parts(article, "paragraphs", at_article, source):
            yield from _parts(paragraph, "qas", at_paragraph, source)


def _parts(whole: dict[str, Any], name: str, place: str, source: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the objects in the list `name`, each with its path, such as "data[0].paragraphs[2]"."""
    at = f"{place}.{name}" if place else name
    members = whole.get(name)
    if not isinstance(members, list):
        raise _not_squad(source, at, "a list", in_words(members))
    for index, part in enumerate(members):
        if not isinstance(part, dict):
            raise _not_squad(source, f"{at}[{index}]", "an object", in_words(part))
    return [(f"{at}[{index}]", part) for index, part in enumerate(members)]


def _not_squad(source: str, place: str, expected: str, got: str) -> DataError:
    return DataError(
        Problem(
            printable(source),
            f"{place}: expected {expected}, got {got}",
            "Write SQuAD JSON, or JSON Lines with id and answers.",
            "not-squad",
        )
    )
