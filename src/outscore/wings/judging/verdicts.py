"""Verdicts of judges from a long table: who judged what, in which order, and what people said."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.data.coercion import described
from outscore.data.verdicts import is_place, main_first, verdict_values, word_value
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.families.raters import LEVELS
from outscore.options import opt
from outscore.readers.base import Table, normal_name
from outscore.readers.files import split_spec
from outscore.readers.in_memory import table_from
from outscore.readers.registry import InputFiles
from outscore.readers.tabular.cells import GRADES, LETTERS, is_missing, number_in, text_in
from outscore.readers.tabular.columns import ORDERS, SIDES, VERDICTS, column_called, named_column
from outscore.text.naming import listed, nearest, printable, quoted
from outscore.text.numbers import format_counted
from outscore.wings.judging.nested import unnested

# The usual names of columns, by role.
COLUMNS = {
    "item": "item item_id prompt prompt_id question question_id pair pair_id segment segment_id example unit id "
    "instruction",
    "judge": "judge rater annotator coder evaluator judge_model judge_name rater_id annotator_id",
    "order": " ".join((*ORDERS, "presentation swap first")),
    "repetition": "repetition repeat rep run sample trial seed",
    "turn": "turn",
    "verdict": " ".join(("verdict score", *VERDICTS, "rating label value")),
    "human": "human people gold expert human_verdict human_score human_label human_preference",
    "system": "system candidate system_name",
}
_SURE = {"item", "judge", "order", "verdict", "score", "human", "system"}  # names that need no other evidence
_OFTEN_GOLD = {"preference", "winner", "choice", "rating", "label", "value"}  # names of verdicts, and of gold labels
_NESTED = {f"{name}{end}" for name in (*VERDICTS, "rating") for end in ("", "s")} - {"choice", "choices"}  # or options
_FEWEST_ALIKE = 5  # items: two judges who guess between two answers agree on so many with probability 1/32
PEOPLE = "people"
_PEOPLE = {"human", "humans", "people", "gold", "expert"}
_GRADES = [pair for words in GRADES if words is not LETTERS for pair in words.items()]
_YES = {word for word, value in _GRADES if value} | {"good", "positive", "accept"}
_NO = {word for word, value in _GRADES if not value} | {"wrong", "bad", "negative", "reject"}
_IS_FIRST = {"1": "AB", "true": "AB", "0": "BA", "false": "BA"}  # of a column first; else 1 is the swapped order
_MOST_STEPS = 10  # of a scale that is ordinal by default
_MOST_RATIOS, _DIGITS = 2000, 3  # ratios of all pairs of scores take 32 MB; rounding moves alpha by less than 0.001
_MOST_CELLS = 2**24  # of verdicts and pairs of ordinal scores, 128 MB
_MOST_CLASSES = 100  # of ranks: more move alpha by less than 0.001
_CODED = ("item", "system", "part", "judge", "order", "repetition")
_OF_PERSON = ("item", "system", "part")  # what people judge: whatever the order and the repetition


@dataclass(frozen=True, eq=False)
class Verdicts:
    """N verdicts."""

    # judges, systems: names; no systems without such a column.
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    # All of shape (N,): codes from 0; 0 without such a column. Parts of an item are its turns and the pairs of systems.
    item: IntArray
    judge: IntArray
    system: IntArray
    part: IntArray
    order: IntArray
    repetition: IntArray
    # Shape (c,): the distinct verdicts in ascending order: scores, or 1 for the main answer, 0 for the other and 0.5
    # for a tie.
    values: FloatArray
    are_numbers: bool  # whether `values` are more than codes of labels
    verdict: IntArray  # shape (N,): codes of values
    # Shape (N,): 1 if the verdict is for the answer shown first, 0.5 for a tie. None if that is unknown.
    first: FloatArray | None
    answer: str  # the main answer, if verdicts are on two answers to the same item and no other system; else ""
    level: str  # the level of measurement
    # Their verdicts, with the same codes of items, systems, parts and values; `judges` are their names.
    people: Verdicts | None
    # All of shape (N,): the code of a person's verdict on the same output, the person's code, and a number that
    # distinguishes persons of an item. −1, −1 and 0 in verdicts that are not beside those of people.
    human: IntArray
    who: IntArray
    person: IntArray
    notes: tuple[str, ...]
    columns: Mapping[str, str]  # the columns of the table, by role

    @property
    def is_binary(self) -> bool:
        """Whether verdicts are 0, 1 and perhaps 0.5."""
        return self.are_numbers and {*self.values.tolist()} <= {0.0, 0.5, 1.0}

    def beside(self, people: Verdicts | None) -> Verdicts:
        """Return one row per verdict and person with a verdict on the same output. A verdict is not beside itself."""
        if people is None:
            people = _taken(self, np.zeros(0, dtype=np.int64))
        both = (np.column_stack([getattr(verdicts, role) for role in _OF_PERSON]) for verdicts in (self, people))
        codes = np.unique(np.concatenate([*both]), axis=0, return_inverse=True)[1].ravel()
        ours, theirs = codes[: len(self.item)], codes[len(self.item) :]
        by_code = np.argsort(theirs, kind="stable")
        start, end = (np.searchsorted(theirs[by_code], ours, side) for side in ("left", "right"))
        rows = np.repeat(np.arange(len(ours)), end - start)
        person = np.arange(len(rows)) - np.repeat(np.cumsum(end - start) - (end - start), end - start)
        at = by_code[np.repeat(start, end - start) + person]
        if people is self:
            rows, person, at = (codes_of[rows != at] for codes_of in (rows, person, at))
        return replace(_taken(self, rows), human=people.verdict[at], who=people.judge[at], person=person)


def _taken(data: Verdicts, rows: IntArray) -> Verdicts:
    """Return some of the verdicts."""
    arrays = {name: getattr(data, name)[rows] for name in (*_CODED, "verdict", "human", "who", "person")}
    return replace(data, first=None if data.first is None else data.first[rows], **arrays)


def read_verdicts(
    data: object,
    columns: Mapping[str, str],
    level: str | None = None,
    *,
    positions: bool = False,
    records: str | None = None,
    people: Sequence[str] = (),
) -> Verdicts:
    """Return the verdicts in a file or data frame, or raise what `judges` raises."""
    for option, names, allowed in (("columns", columns, list(COLUMNS)), ("level", [level] if level else [], LEVELS)):
        for name in names:
            if name not in allowed:
                what = f"unknown {'role' if option == 'columns' else option} {quoted(name)}"
                raise OptionError(Problem(opt(option), what, nearest(name, allowed), f"unknown-{option}"))
    if isinstance(data, str):
        data, column = split_spec(data)
        columns = columns if column is None else {"verdict": column, **columns}
    files = InputFiles(records)
    table = files.file(data).table() if isinstance(data, str) else table_from(data, "judges")
    if table is None:
        what = f"expected a file or a data frame, got {described(data)}"
        raise OptionError(Problem("judges", what, "", "wrong-type"))
    nested, notes = (None if "verdict" in columns else unnested(table)), tuple[str, ...]()
    if nested is not None:
        table, columns, notes = nested[0], {**nested[1], **columns}, (*nested[2],)
    cells, named = {}, {role: named_column(table, column) for role, column in columns.items()}
    taken = {role: column for role in COLUMNS if (column := named.get(role) or _usual(table, role, named)) is not None}
    if people and "human" not in named:
        taken.pop("human", None)
    for role in ("item", "verdict"):
        if role not in taken:
            what = f"expected a column {role}, got {listed(list(table.columns))}"
            advice = f"Name it with {opt('columns', f'{role}=COLUMN')}."
            inner = _nested(table) if role == "verdict" else None
            raise DataError(Problem(printable(table.source), what, advice, f"no-{role}") if inner is None else inner)
    for role in {"verdict", "human"} & taken.keys() - named.keys():
        _refuse_doubtful(table, role, taken)
    for role, column in taken.items():
        cells[role] = _texts(table, column)
        if role == "order" and "first" in column.lower():
            cells[role] = [_IS_FIRST.get(cell.lower(), cell) for cell in cells[role]]
    if not people and "human" not in taken:
        notes += (*_of_unnamed_people(table, {*taken.values()}, {*cells["verdict"]} - {""}),)
    if "verdict" not in named and "judge" in taken and taken["verdict"].lower() in _OFTEN_GOLD:
        _refuse_gold(table, taken["verdict"], cells)
    if positions and "order" not in cells:
        what, advice = "needs a column order", f"Name it with {opt('columns', 'order=COLUMN')}."
        raise OptionError(Problem(opt("positions", True), what, advice, "no-order"))
    if taken["item"].lower() == "instruction" and (more := column_called(table, "input")) is not None:
        cells["item"] = ["\n".join(both) for both in zip(cells["item"], _texts(table, more), strict=True)]
    pair = [next(filter(None, (column_called(table, name) for name in names)), None) for names in SIDES]
    if None not in pair and not {*pair} & {*taken.values()}:
        taken |= {f"answer {letter}": str(column) for letter, column in zip("AB", pair, strict=True)}
        cells |= {side: _texts(table, str(column)) for side, column in zip(("a", "b"), pair, strict=True)}
    read = _Reader(table, cells, taken, people, positions, is_nested=nested is not None).verdicts(level)
    if nested is not None:  # their answers are of other systems in each pair, so none of them wins
        read = replace(read, answer="")
    return replace(read, columns=taken, notes=(*files.notes, *notes, *read.notes))


def _of_unnamed_people(table: Table, taken: Collection[str], verdicts: Collection[str]) -> Iterator[str]:
    """Yield advice on columns such as human_1, whose verdicts are like those of the judges."""
    free = [name for name in table.columns if name not in taken]
    theirs = [name for name in free if normal_name(name).partition("_")[0].rstrip("0123456789") in _PEOPLE]
    alike = [name for name in theirs if not {*_texts(table, name)}.isdisjoint(verdicts)]
    if alike:
        yield f"If {listed(alike)} are verdicts of people, pass {opt('people', ','.join(map(printable, alike)))}."


def _texts(table: Table, column: str) -> Sequence[str]:
    """Return the cells of a column as text, "" for missing ones; a list such as ["gpt-4", "pair-v2"] in one text."""
    joined = (", ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in table.columns[column])
    return ["" if is_missing(cell) else text_in(cell) or "" for cell in joined]


def _usual(table: Table, role: str, named: Mapping[str, str]) -> str | None:
    """Return the column with a usual name of this role that the user gave no other role."""
    called = (column_called(table, name) for name in COLUMNS[role].split())
    return next((column for column in called if column not in (None, *named.values())), None)


def _refuse_doubtful(table: Table, role: str, taken: Mapping[str, str]) -> None:
    """Refuse a column that was guessed for a role if another column would fit as well, by its name or its values."""
    column = taken[role]
    if column.lower() in _SURE:
        return
    if role == "verdict" and (nested := _nested(table)) is not None:
        raise DataError(nested)
    values = _distinct(table, column)
    free = [name for name in table.columns if name not in taken.values()]
    usual = {column_called(table, name) for name in COLUMNS[role].split()}
    alike = [name for name in free if name in usual or (len(values) > 1 and _distinct(table, name) == values)]
    if alike:
        what = f"several columns could be the {role}: {listed([column, *alike])}"
        advice = f"Name it with {opt('columns', f'{role}=COLUMN')}."
        raise DataError(Problem(printable(table.source), what, advice, f"which-{role}"))


def _distinct(table: Table, column: str) -> set[str | None]:
    return {*map(text_in, table.columns[column])} - {None}


def _nested(table: Table) -> Problem | None:
    """Return the problem of a column whose cells hold decisions, such as lists of judgements; None without one."""
    for column, cells in table.columns.items():
        cell = next((cell for cell in cells if isinstance(cell, list | dict)), None)
        inner = cell[0] if isinstance(cell, list) and cell else cell
        key = next((key for key in inner if str(key).lower() in _NESTED), None) if isinstance(inner, dict) else None
        if key is not None or (cell is not None and column.lower() in _NESTED):
            what = f"decisions are nested in the column {quoted(column)}" + (f" ({quoted(key)})" if key else "")
            advice = f"Write each into a column verdict, or name another one with {opt('columns', 'verdict=COLUMN')}."
            return Problem(printable(table.source), what, advice, "nested-verdicts")
    return None


def _refuse_gold(table: Table, column: str, cells: Mapping[str, Sequence[str]]) -> None:
    """Refuse verdicts that are the same for all judges of an item, as gold labels are."""
    verdicts: dict[tuple[str, ...], dict[str, str]] = {}
    beside = [cells[role] for role in ("item", "order", "repetition", "turn", "system") if role in cells]
    for judge, verdict, *key in zip(cells["judge"], cells["verdict"], *beside, strict=True):
        verdicts.setdefault(tuple(key), {})[judge] = verdict
    shared = [{*by_judge.values()} for by_judge in verdicts.values() if len(by_judge) > 1]
    if len(shared) >= _FEWEST_ALIKE and all(len(by_judge) == 1 for by_judge in shared) and len(set.union(*shared)) > 1:
        what = f"column {quoted(column)} is the same for all judges of an item, as gold labels are"
        advice = f"Name the verdicts with {opt('columns', 'verdict=COLUMN')}, the gold labels with human=COLUMN."
        raise DataError(Problem(printable(table.source), what, advice, "gold-as-verdict"))


def _codes(texts: Sequence[str], others: Sequence[str] = ()) -> tuple[tuple[str, ...], IntArray, IntArray]:
    """Return the distinct texts in order of appearance, the code of each, and those of others, which may be new."""
    names = {name: code for code, name in enumerate(dict.fromkeys(texts))}
    codes = {name: code for code, name in enumerate(dict.fromkeys((*texts, *others)))}
    ours, theirs = (
        np.array([codes[text] for text in texts_of_side], dtype=np.int64) for texts_of_side in (texts, others)
    )
    return tuple(names), ours, theirs


class _Statement(NamedTuple):
    """A verdict of a person, and its row."""

    row: int
    person: str
    text: str


class _Reader:
    """The columns of a table of verdicts as text, without rows that lack a verdict, and the verdicts of people."""

    def __init__(
        self,
        table: Table,
        cells: Mapping[str, Sequence[str]],
        columns: Mapping[str, str],
        people: Sequence[str],
        positions: bool,
        *,
        is_nested: bool,
    ) -> None:
        self.table, self.columns, self.positions, n = table, columns, positions, len(table)
        self.is_nested = is_nested  # its verdicts are known to name answers
        self.cells = dict(cells)
        blank = [""] * n
        a, b, turn = (cells.get(role, blank) for role in ("a", "b", "turn"))
        # Pairs of systems have one name in both orders, and verdicts are for the first system in the alphabet.
        self.is_swapped = [first > second for first, second in zip(a, b, strict=True)]
        self.cells["part"] = ["\n".join((*sorted(pair), turn_of)) for *pair, turn_of in zip(a, b, turn, strict=True)]
        for role in {"verdict", "human"} & cells.keys() if "a" in cells else ():
            self.cells[role] = [*map(_as_side, cells[role], a, b)]
        filled = [row for row in range(n) if self.cells["verdict"][row]]
        judges = cells.get("judge", blank)
        self.statements, persons = list(self._people(filled, judges, people)), {*()}
        if "human" not in cells:
            persons = {
                statement.row
                for statement in self.statements
                if statement.person == judges[statement.row] and statement.person
            }
            distinct = {(*self._key(statement.row), statement.person) for statement in self.statements}
            if len(distinct) == len(persons) == len(filled):
                self.statements, persons = [], {*()}  # all judges are people: their agreement is that of judges
        for role in ("item", "judge", "order", "system"):
            needed = [] if role not in cells else [index for index in filled if role != "order" or index not in persons]
            lacking = next((row for row in needed if not cells[role][row]), None)
            if lacking is not None:
                what = f"expected {'an' if role in ('item', 'order') else 'a'} {role}, got nothing"
                raise DataError(Problem(table.place(lacking), what, "", f"no-{role}"))
        self.empty = n - len(filled)
        self.rows = [index for index in filled if index not in persons]
        if len({cells["item"][index] for index in self.rows}) < 2:
            what = "expected verdicts on at least 2 items"
            raise DataError(Problem(printable(table.source), what, "Check that this is the right file.", "empty"))

    def _key(self, row: int) -> tuple[str, str, str]:
        return self._at("item", row), self._at("system", row), self._at("part", row)

    def _at(self, role: str, row: int) -> str:
        return self.cells[role][row] if role in self.cells else role

    def _people(self, rows: Sequence[int], judges: Sequence[str], patterns: Sequence[str]) -> Iterator[_Statement]:
        """Yield the verdicts of people: in the column of people, in their own columns, or in their own rows."""
        columns = ["human"] if "human" in self.cells else []
        if patterns and not any(_matches(judge, patterns) for judge in judges):
            others = {*self.table.columns} - {*self.columns.values()}
            columns = [column for column in self.table.columns if column in others and _matches(column, patterns)]
            if not columns:
                names = list(dict.fromkeys(judge for judge in judges if judge)) or list(self.table.columns)
                what = f"no judge or column is called {' or '.join(map(quoted, patterns))}: got {listed(names)}"
                raise OptionError(Problem(opt("people"), what, nearest(patterns[0], names), "no-people"))
        for column in columns:
            texts = self.cells["human"] if column == "human" else _texts(self.table, column)
            statements: dict[tuple[str, str, str], _Statement] = {}
            for index, text in enumerate(texts):
                if text and self.cells["item"][index]:
                    statement = statements.setdefault(
                        self._key(index), _Statement(index, "" if column == "human" else column, text)
                    )
                    if statement.text != text and self._value_of(statement) != self._value_of(
                        _Statement(index, "", text)
                    ):
                        what = f"item {quoted(self.cells['item'][index])} has two verdicts of people: "
                        what += f"{quoted(statement.text)} and {quoted(text)}"
                        advice = f"Give each person a row, and name them with {opt('people', 'NAMES')}."
                        raise DataError(Problem(self.table.place(index), what, advice, "several-humans"))
            yield from statements.values()
        for index in rows if not columns else ():
            if _matches(judges[index], patterns) if patterns else judges[index].lower() in _PEOPLE:
                yield _Statement(index, judges[index], self.cells["verdict"][index])

    def _value_of(self, statement: _Statement) -> float | str:
        value = word_value(statement.text)
        return statement.text if value is None else 1 - value if self.is_swapped[statement.row] else value

    def verdicts(self, level: str | None) -> Verdicts:
        """Return the verdicts as codes."""
        texts, statements = [self.cells["verdict"][index] for index in self.rows], self.statements
        distinct = [[*dict.fromkeys(texts)], [*dict.fromkeys(statement.text for statement in statements)]]
        number, answers = self._numbers(*distinct, is_scale=level not in (None, "nominal"))
        are_numbers = number is not None
        if number is None:
            self._refuse_unlike(texts)
            number = {text: float(code) for code, text in enumerate(sorted({*distinct[0], *distinct[1]}))}
        number, rounding = self._rounded(number, level, texts)
        names = {role: [self._at(role, index) for index in self.rows] for role in _CODED}
        theirs = {role: [self._at(role, statement.row) for statement in statements] for role in _OF_PERSON}
        coded = {role: _codes(texts_of_role, theirs.get(role, ())) for role, texts_of_role in names.items()}
        self._refuse_repeated([codes for _, codes, _ in coded.values()])
        orders, order, _ = coded["order"]
        if len(orders) > 2:
            what = f"expected at most 2 orders, got {len(orders)}: {listed(list(orders))}"
            advice = f"If it is no order, name another column: {opt('columns', 'order=COLUMN')}."
            raise DataError(Problem(printable(self.table.source), what, advice, "several-orders"))
        verdict = self._turned([number[text] for text in texts], self.rows)
        human = self._turned(
            [number[statement.text] for statement in statements], [statement.row for statement in statements]
        )
        is_binary = are_numbers and {*number.values()} <= {0.0, 0.5, 1.0}
        if "a" in self.cells and not is_binary:
            what = f"expected verdicts on two systems, such as A, B and tie, got {listed(distinct[0])}"
            advice = f"Name the column with {opt('columns', 'verdict=COLUMN')}."
            raise DataError(Problem(printable(self.table.source), what, advice, "no-verdicts"))
        decided = [text for text in distinct[0] if number[text] != 0.5]
        placed = is_binary and (self.positions or all(map(is_place, decided)))
        has_orders = "order" in self.cells
        shown_first, first = main_first(orders, *(answers or ("A", "B"))) if has_orders else None, None
        if placed and has_orders and shown_first is None and (len(orders) < 2 or statements):
            what = f"verdicts are for places, and {listed(list(orders))} as order does not tell which answer was first"
            advice = "Name orders such as AB and BA, or original and swapped."
            raise DataError(Problem(printable(self.table.source), what, advice, "unknown-order"))
        if shown_first is not None or (placed and len(orders) == 2):
            # If names do not tell which order is swapped, the verdicts of one of them are turned all the same.
            swapped = ~np.array(shown_first or (True, False))[order]
            signed = np.where(swapped, 1 - verdict, verdict)
            first, verdict = (verdict, signed) if placed else (signed if is_binary else None, verdict)
        level, notes = _level(level, np.unique([*number.values()]), are_numbers=are_numbers)
        if len(orders) == 2 and is_binary and answers == ("A", "B") and not placed and not self.is_nested:
            shown = [*map(printable, sorted(decided)[:2])]
            advice = f"If {shown[0]} is the place shown first, pass {opt('positions', True)}."
            notes = (*notes, f"Verdicts {' and '.join(shown)} name answers. {advice}")
        notes += rounding
        if self.empty:
            notes = (*notes, f"{format_counted(self.empty, 'row')} without a verdict left out.")
        values = np.unique(np.concatenate([verdict, human]))
        on_two = is_binary and "a" not in self.cells and "system" not in self.cells and (answers or has_orders)
        codes_of_role = {role: codes for role, (_, codes, _) in coded.items()}
        judges, people, judge = coded["judge"][0], *_codes([statement.person for statement in statements])[:2]
        result = Verdicts(
            tuple(map(printable, judges)),
            tuple(map(printable, coded["system"][0])) if "system" in self.cells else (),
            **codes_of_role,
            values=values,
            are_numbers=are_numbers,
            verdict=np.searchsorted(values, verdict),
            first=first,
            answer="" if not on_two else self._main(number, decided, answers),
            level=level,
            people=None,
            human=np.full(len(verdict), -1),
            who=np.full(len(verdict), -1),
            person=np.zeros(len(verdict), dtype=np.int64),
            notes=notes,
            columns={},
        )
        if not statements:
            return result
        nothing = np.zeros(len(statements), dtype=np.int64)
        persons = replace(
            result,
            judges=tuple(printable(name) or PEOPLE for name in people),
            **{role: codes for role, (_, _, codes) in coded.items() if role in _OF_PERSON},  # type: ignore[arg-type]
            judge=judge,
            order=nothing,
            repetition=nothing,
            verdict=np.searchsorted(values, human),
            first=None,
            human=nothing - 1,
            who=nothing - 1,
            person=nothing,
        )
        return replace(result, people=persons)

    def _rounded(
        self, number: dict[str, float], level: str | None, texts: Sequence[str]
    ) -> tuple[dict[str, float], tuple[str, ...]]:
        """Return scores rounded to fewer different ones if all pairs of them would take much memory, and a note."""
        distinct = {*number.values()}
        if level == "ratio" and len(distinct) > _MOST_RATIOS:
            note = f"More than {_MOST_RATIOS:,} different scores were rounded to {_DIGITS} digits."
            return {text: float(f"{value:.{_DIGITS}g}") for text, value in number.items()}, (note,)
        if level == "ordinal" and len(distinct) ** 2 * len(texts) > 2 * _MOST_CELLS:
            most = min(max(math.isqrt(2 * _MOST_CELLS // len(texts)), _MOST_STEPS), _MOST_CLASSES)
            values = np.sort([number[text] for text in (*texts, *(statement.text for statement in self.statements))])
            classes = {
                text: float(most * int(np.searchsorted(values, value)) // len(values)) for text, value in number.items()
            }
            return classes, (f"Ordinal scores count in {most} classes of about the same size, as there are very many.",)
        return number, ()

    def _turned(self, values: Sequence[float], rows: Sequence[int]) -> FloatArray:
        """Return values for the first system of each pair in the alphabet."""
        signed = np.array(values, dtype=np.float64)
        return np.where([self.is_swapped[index] for index in rows], 1 - signed, signed) if "a" in self.cells else signed

    @staticmethod
    def _main(number: Mapping[str, float], decided: Sequence[str], answers: tuple[str, str] | None) -> str:
        """Return the name of the main answer."""
        if answers is not None and answers != ("A", "B"):
            return answers[0]
        words = sorted(text for text in decided if number[text] == 1)
        return "A" if not words or any(map(is_place, words)) else words[0]

    def _numbers(
        self, texts: Sequence[str], people: Sequence[str], *, is_scale: bool
    ) -> tuple[dict[str, float] | None, tuple[str, str] | None]:
        """Return verdicts as numbers, and the names of both answers.

        Numbers are 1 for the first or main answer, 0 for the other, or scores; None for labels. Without two answers
        there are no names. A and B stand for all verdicts in the table of words.
        """
        every = [*dict.fromkeys((*texts, *people))]
        lower = {text: text.lower() for text in every}
        values = {text: number for text in every if (number := number_in(text)) is not None and math.isfinite(number)}
        by_column = {**verdict_values(people), **verdict_values(texts)}
        named = self.columns["verdict"].lower().rpartition(".")[2] in (*VERDICTS, "label")
        words = [text for text in every if text not in values]
        is_of_two = 2.0 in values.values() and named and not is_scale
        if by_column.keys() >= {*every} and (
            self.positions or is_of_two or any(word_value(text) != 0.5 for text in words)
        ):
            return by_column, ("A", "B")
        others = sorted({lower[text] for text in words if word_value(text) != 0.5})
        if not others:
            return {**dict.fromkeys(lower, 0.5), **values}, None
        groups = [(_YES, _NO, None)]
        if len(others) == 2 and not self.positions:
            # Names of two answers: the first in the alphabet is the main one.
            groups.append(({others[0]}, {others[1]}, (others[0], others[1])))  # type: ignore[arg-type]
        for high, low, answers in groups:
            if {*others} <= high | low and {*values.values()} <= {0.0, 0.5, 1.0}:
                if answers is not None:
                    self._refuse_unlike([self.cells["verdict"][index] for index in self.rows])
                word_numbers = {
                    text: 0.5 if lower[text] not in high | low else float(lower[text] in high) for text in words
                }
                return {**word_numbers, **values}, answers
        if self.positions:
            what = f"expected verdicts first and second, A and B, 1 and 2, or 1 and 0, got {listed(others)}"
            raise OptionError(Problem(opt("positions", True), what, "Leave it out.", "no-positions"))
        if 2 * len(values) > len(every):
            odd = next(text for text in every if text not in values)
            texts_of = ((index, self.cells["verdict"][index]) for index in self.rows)
            where = (self.table.place(row) for row, text in texts_of if text == odd)
            what = f"expected a number, as most verdicts are, got {quoted(odd)}"
            raise DataError(Problem(next(where, "people"), what, "Correct it, or leave it empty.", "not-a-number"))
        return None, None

    def _refuse_unlike(self, texts: Sequence[str]) -> None:
        """Refuse labels of a judge of which people use none: they are other names of the same labels."""
        theirs = {statement.text for statement in self.statements}
        texts_of_judges: dict[str, dict[str, None]] = {}
        for index, text in zip(self.rows, texts, strict=True):
            texts_of_judges.setdefault(self._at("judge", index), {})[text] = None
        for judge, labels in texts_of_judges.items() if theirs else ():
            if not theirs & labels.keys() and (len(labels) > 1 or len(texts_of_judges) == 1):
                who = f"judge {quoted(judge)}" if "judge" in self.cells else "the judge"
                what = (
                    f"{who} and people have no verdict in common: {listed(list(labels))} and {listed(sorted(theirs))}"
                )
                raise DataError(Problem(printable(self.table.source), what, "Write them alike.", "unlike-verdicts"))

    def _refuse_repeated(self, codes: Sequence[IntArray]) -> None:
        """Refuse two verdicts of a judge on an item, a system, an order and a repetition."""
        _, first, times = np.unique(np.column_stack(codes), axis=0, return_index=True, return_inverse=True)[:3]
        again = np.flatnonzero(first[times.ravel()] != np.arange(len(self.rows)))
        if len(again):
            row = self.rows[int(again[0])]
            cells_of_row = (
                self.cells[role][row] for role in ("item", "judge", "system", "order") if role in self.cells
            )
            lacking = [role for role in ("judge", "order", "repetition", "system") if role not in self.cells]
            tip = f"If a column tells them apart, name it: {opt('columns', f'{lacking[0]}=COLUMN')}." if lacking else ""
            what = f"second verdict on {', '.join(map(quoted, cells_of_row))}"
            raise DataError(Problem(self.table.place(row), what, tip, "several-verdicts"))


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in patterns)


def _as_side(text: str, first: str, second: str) -> str:
    """Return a verdict that is the name of a system as A or B."""
    return text if word_value(text) is not None else "A" if text == first else "B" if text == second else text


def _level(level: str | None, values: FloatArray, *, are_numbers: bool) -> tuple[str, tuple[str, ...]]:
    """Return the level of measurement, and how it was chosen."""
    if level in LEVELS[1:] and not are_numbers:
        advice = f"Use {opt('level', 'nominal')}."
        what = "needs verdicts that are numbers"
        raise OptionError(Problem(opt("level", str(level)), what, advice, "no-numbers"))
    if level == "ratio" and values[0] < 0:
        what = f"needs scores of 0 or more, got {values[0]:g}"
        raise OptionError(Problem(opt("level", "ratio"), what, f"Use {opt('level', 'interval')}.", "negative"))
    if level is not None or not are_numbers or {*values.tolist()} <= {0.0, 0.5, 1.0}:
        return level or "nominal", ()
    is_scale = len(values) <= _MOST_STEPS and not (values % 1).any()
    chosen, reason = ("ordinal", "whole numbers of a short scale") if is_scale else ("interval", "numbers")
    return chosen, (f"Scores are {reason}, so their level is {chosen} (change it with {opt('level')}).",)
