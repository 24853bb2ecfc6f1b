"""Verdicts of judges from a long table: who judged what, in which order, and what people said."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.data.coercion import described
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.families.raters import LEVELS
from outscore.options import opt
from outscore.readers.base import Table
from outscore.readers.files import split_spec
from outscore.readers.in_memory import table_from
from outscore.readers.registry import InputFiles
from outscore.readers.tabular.cells import is_missing, number_in, text_in
from outscore.readers.tabular.columns import column_called, named_column
from outscore.text.naming import listed, nearest, printable, quoted
from outscore.text.numbers import format_counted

# The usual names of columns, by role.
COLUMNS = {
    "item": "item item_id prompt prompt_id question question_id pair pair_id segment segment_id example unit id",
    "judge": "judge rater annotator coder evaluator judge_model judge_name rater_id annotator_id",
    "order": "order position presentation swap swapped first",
    "repetition": "repetition repeat rep run sample trial seed",
    "verdict": "verdict score decision preference winner choice rating label judgment judgement vote value",
    "human": "human people gold expert human_verdict human_score human_label human_preference",
    "system": "system candidate system_name",
}
_SURE = {"item", "judge", "order", "verdict", "score", "human", "system"}  # names that need no other evidence
_OFTEN_GOLD = {"preference", "winner", "choice", "rating", "label", "value"}  # names of verdicts, and of gold labels
_NESTED = re.compile(r"judge?ments?|decisions?|verdicts?|votes?|ratings?|preferences?|winners?", re.IGNORECASE)
_FEWEST_ALIKE = 5  # items: two judges who guess between two answers agree on so many with probability 1/32
PEOPLE = "people"
_PEOPLE = {"human", "humans", "people", "gold", "expert"}
_TIES = {"tie", "tied", "draw", "equal", "both", "neither", "same"}
_FIRST, _SECOND = {"first", "1st", "left"}, {"second", "2nd", "right"}
_YES = {"yes", "true", "correct", "pass", "good", "positive", "win", "accept"}
_NO = {"no", "false", "incorrect", "wrong", "fail", "bad", "negative", "loss", "reject"}
_WORDS = _FIRST | _SECOND | _YES | _NO | {"a", "b"}
_AS_GIVEN = {"original", "forward", "normal", "unswapped", "first", "0", "false", "ab"}
_IS_FIRST = {"1": "AB", "true": "AB", "0": "BA", "false": "BA"}  # of a column such as first
_SWAPPED = {"swapped", "swap", "reverse", "reversed", "flipped", "second", "1", "true", "ba"}
_MOST_STEPS = 10  # of a scale that is ordinal by default
_MOST_LABELS, _MOST_SCORES = 200, 2000  # distinct ones: memory grows with their number


@dataclass(frozen=True, eq=False)
class Verdicts:
    """N verdicts.

    Attributes
    ----------
    judges, systems : tuple of str
        Names; no systems without such a column.
    item, judge, system, order, repetition : ndarray of int, shape (N,)
        Codes from 0; 0 without such a column.
    values : ndarray, shape (c,)
        The distinct verdicts in ascending order: scores, or 1 for the main answer, 0 for the other and 0.5 for a tie.
    are_numbers : bool
        Whether `values` are more than codes of labels.
    verdict, human : ndarray of int, shape (N,)
        Codes of values; −1 if people did not judge the item.
    first : ndarray, shape (N,), or None
        1 if the verdict is for the answer shown first, 0.5 for a tie. None if that is unknown.
    level : str
        The level of measurement.
    notes : tuple of str
    columns : mapping of str to str
        The columns of the table, by role.
    """

    judges: tuple[str, ...]
    systems: tuple[str, ...]
    item: IntArray
    judge: IntArray
    system: IntArray
    order: IntArray
    repetition: IntArray
    values: FloatArray
    are_numbers: bool
    verdict: IntArray
    human: IntArray
    first: FloatArray | None
    level: str
    notes: tuple[str, ...]
    columns: Mapping[str, str]

    @property
    def is_binary(self) -> bool:
        """Whether verdicts are 0, 1 and perhaps 0.5."""
        return self.are_numbers and {*self.values.tolist()} <= {0.0, 0.5, 1.0}


def read_verdicts(
    data: object, columns: Mapping[str, str], level: str | None = None, *, positions: bool = False
) -> Verdicts:
    """Return the verdicts in a file or data frame, or raise what `judges` raises."""
    for option, names, known in (("columns", columns, list(COLUMNS)), ("level", [level] if level else [], LEVELS)):
        for name in names:
            if name not in known:
                what = f"unknown {'role' if option == 'columns' else option} {quoted(name)}"
                raise OptionError(Problem(opt(option), what, nearest(name, known), f"unknown-{option}"))
    if isinstance(data, str):
        data, column = split_spec(data)
        columns = columns if column is None else {"verdict": column, **columns}
    table = InputFiles().read(data) if isinstance(data, str) else table_from(data, "judges")
    if table is None:
        what = f"expected a file or a data frame, got {described(data)}"
        raise OptionError(Problem("judges", what, "", "wrong-type"))
    cells, named = {}, {role: named_column(table, column) for role, column in columns.items()}
    taken = {role: column for role in COLUMNS if (column := named.get(role) or _usual(table, role, named)) is not None}
    for role in ("item", "verdict"):
        if role not in taken:
            what = f"expected a column {role}, got {listed(list(table.columns))}"
            advice = f"Name it with {opt('columns', f'{role}=COLUMN')}."
            nested = _nested(table) if role == "verdict" else None
            raise DataError(Problem(printable(table.source), what, advice, f"no-{role}") if nested is None else nested)
    for role in {"verdict", "human"} & taken.keys() - named.keys():
        _refuse_doubtful(table, role, taken)
    for role, column in taken.items():
        cells[role] = ["" if is_missing(cell) else text_in(cell) or "" for cell in table.columns[column]]
        if role == "order" and "first" in column.lower():
            cells[role] = [_IS_FIRST.get(cell.lower(), cell) for cell in cells[role]]
    if "verdict" not in named and "judge" in taken and taken["verdict"].lower() in _OFTEN_GOLD:
        _refuse_gold(table, taken["verdict"], cells)
    if positions and "order" not in cells:
        what, advice = "needs a column order", f"Name it with {opt('columns', 'order=COLUMN')}."
        raise OptionError(Problem(opt("positions", True), what, advice, "no-order"))
    read = _Reader(table, cells).verdicts(level, positions)
    return replace(read, columns=taken)


def _usual(table: Table, role: str, named: Mapping[str, str]) -> str | None:
    """Return the column with a usual name of this role that the user gave no other role."""
    called = (column_called(table, name) for name in COLUMNS[role].split())
    return next((column for column in called if column not in (None, *named.values())), None)


def _refuse_doubtful(table: Table, role: str, taken: Mapping[str, str]) -> None:
    """Refuse a column whose role is a guess if others have the same standing: usual names, or the same values."""
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
        key = next((key for key in inner if _NESTED.fullmatch(str(key))), None) if isinstance(inner, dict) else None
        if key is not None or (cell is not None and _NESTED.fullmatch(column)):
            what = f"decisions are nested in the column {quoted(column)}" + (f" ({quoted(key)})" if key else "")
            advice = f"Write each into a column verdict, or name another one with {opt('columns', 'verdict=COLUMN')}."
            return Problem(printable(table.source), what, advice, "nested-verdicts")
    return None


def _refuse_gold(table: Table, column: str, cells: Mapping[str, Sequence[str]]) -> None:
    """Refuse verdicts that are the same for all judges of an item, as gold labels are."""
    verdicts: dict[tuple[str, ...], dict[str, str]] = {}
    beside = [cells[role] for role in ("item", "order", "repetition", "system") if role in cells]
    for judge, verdict, *key in zip(cells["judge"], cells["verdict"], *beside, strict=True):
        verdicts.setdefault(tuple(key), {})[judge] = verdict
    shared = [{*of.values()} for of in verdicts.values() if len(of) > 1]
    if len(shared) >= _FEWEST_ALIKE and all(len(of) == 1 for of in shared) and len(set.union(*shared)) > 1:
        what = f"column {quoted(column)} is the same for all judges of an item, as gold labels are"
        advice = f"Name the verdicts with {opt('columns', 'verdict=COLUMN')}, the gold labels with human=COLUMN."
        raise DataError(Problem(printable(table.source), what, advice, "gold-as-verdict"))


def _codes(texts: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """Return the distinct texts in order of appearance, and the code of each."""
    names = {name: code for code, name in enumerate(dict.fromkeys(texts))}
    return tuple(names), np.array([names[text] for text in texts], dtype=np.int64)


class _Reader:
    """The columns of a table of verdicts as text, without rows that lack a verdict, and the verdicts of people."""

    def __init__(self, table: Table, cells: Mapping[str, Sequence[str]]) -> None:
        self.table, n = table, len(table)
        places = [place for place in range(n) if cells["verdict"][place]]
        judges = cells.get("judge", [""] * n)
        people = {place for place in places if "human" not in cells and judges[place].lower() in _PEOPLE}
        for role in ("item", "judge", "order", "system"):
            needed = [] if role not in cells else [one for one in places if role != "order" or one not in people]
            lacking = next((place for place in needed if not cells[role][place]), None)
            if lacking is not None:
                what = f"expected {'an' if role in ('item', 'order') else 'a'} {role}, got nothing"
                raise DataError(Problem(table.place(lacking), what, "", f"no-{role}"))
        self.empty = n - len(places)
        said = cells.get("human") or [cells["verdict"][place] if place in people else "" for place in range(n)]
        systems, self.human = cells.get("system", [""] * n), dict[tuple[str, str], str]()
        for place in (place for place in range(n) if said[place] and cells["item"][place]):
            key = cells["item"][place], systems[place]
            if self.human.setdefault(key, said[place]) != said[place]:
                both = f"{quoted(self.human[key])} and {quoted(said[place])}"
                what = f"item {quoted(key[0])} has two verdicts of people: {both}"
                raise DataError(Problem(table.place(place), what, "Give one, such as the majority.", "several-humans"))
        self.places = [place for place in places if place not in people]
        self.text = {role: [of[place] for place in self.places] for role, of in cells.items()}
        if len({*self.text["item"]}) < 2:
            what = "expected verdicts on at least 2 items"
            raise DataError(Problem(printable(table.source), what, "Check that this is the right file.", "empty"))

    def _of(self, role: str, default: str = "") -> Sequence[str]:
        return self.text.get(role) or [default] * len(self.places)

    def verdicts(self, level: str | None, positions: bool) -> Verdicts:
        """Return the verdicts as codes."""
        texts = self._of("verdict")
        number = self._numbers([*dict.fromkeys((*texts, *self.human.values()))], positions)
        are_numbers = number is not None
        if number is None:
            number = {text: float(code) for code, text in enumerate(sorted({*texts, *self.human.values()}))}
        names = {role: _codes(self._of(role, role)) for role in ("item", "judge", "system", "order", "repetition")}
        self._refuse_repeated([codes for _, codes in names.values()])
        orders, order = names["order"]
        if len(orders) > 2:
            what = f"expected at most 2 orders, got {len(orders)}: {listed(list(orders))}"
            advice = f"If it is no order, name another column: {opt('columns', 'order=COLUMN')}."
            raise DataError(Problem(printable(self.table.source), what, advice, "several-orders"))
        verdict = np.array([number[text] for text in texts])
        keys = zip(self._of("item"), self._of("system"), strict=True)
        human = np.array([number[self.human[key]] if key in self.human else np.nan for key in keys])
        is_binary = are_numbers and {*number.values()} <= {0.0, 0.5, 1.0}
        placed = is_binary and (positions or {text.lower() for text in texts} - _TIES <= _FIRST | _SECOND)
        main_first, first = _main_first(orders, number) if "order" in self.text else None, None
        if placed and "order" in self.text and main_first is None and (len(orders) < 2 or self.human):
            what = f"verdicts are for places, and {listed(list(orders))} as order does not tell which answer was first"
            advice = "Name orders such as AB and BA, or original and swapped."
            raise DataError(Problem(printable(self.table.source), what, advice, "unknown-order"))
        if main_first is not None or (placed and len(orders) == 2):
            # If names do not tell which order is swapped, the verdicts of one of them are turned all the same.
            swapped = ~np.array(main_first or (True, False))[order]
            turned = np.where(swapped, 1 - verdict, verdict)
            first, verdict = (verdict, turned) if placed else (turned if is_binary else None, verdict)
        level, notes = _level(level, np.unique([*number.values()]), are_numbers=are_numbers)
        words = {text.lower() for text in texts} - _TIES
        if len(orders) == 2 and words <= {"a", "b"} and not placed:
            advice = f"If A is the place shown first, pass {opt('positions', True)}."
            notes = (*notes, f"Verdicts A and B name answers. {advice}")
        if self.empty:
            notes = (*notes, f"{format_counted(self.empty, 'row')} without a verdict left out.")
        values = np.unique(np.concatenate([verdict, human[np.isfinite(human)]]))
        return Verdicts(
            tuple(map(printable, names["judge"][0])),
            tuple(map(printable, names["system"][0])) if "system" in self.text else (),
            **{role: codes for role, (_, codes) in names.items()},
            values=values,
            are_numbers=are_numbers,
            verdict=np.searchsorted(values, verdict),
            human=np.where(np.isfinite(human), np.searchsorted(values, human), -1),
            first=first,
            level=level,
            notes=notes,
            columns={},
        )

    def _numbers(self, texts: Sequence[str], positions: bool) -> dict[str, float] | None:
        """Return verdicts as numbers: 1 for the first or main answer, 0 for the other, or scores; None for labels."""
        lower = {text: text.lower() for text in texts}
        values = {text: number for text in texts if (number := number_in(text)) is not None and math.isfinite(number)}
        others = sorted({of for text, of in lower.items() if text not in values} - _TIES)
        if not others:
            if positions and {*values.values()} <= {0.5, 1.0, 2.0}:
                values = {text: number if number == 0.5 else 2 - number for text, number in values.items()}
            return {**dict.fromkeys(lower, 0.5), **values}
        groups = [(_FIRST | {"a"}, _SECOND | {"b"}), (_YES, _NO)]
        if len(others) == 2 and not positions:
            groups.append(({others[0]}, {others[1]}))  # names of two answers: the first in the alphabet is the main one
        for high, low in groups:
            if {*others} <= high | low and {*values.values()} <= {0.0, 0.5, 1.0}:
                return {**{text: 0.5 if of in _TIES else float(of in high) for text, of in lower.items()}, **values}
        if positions:
            what = f"expected verdicts first and second, A and B, 1 and 2, or 1 and 0, got {listed(others)}"
            raise OptionError(Problem(opt("positions", True), what, "Leave it out.", "no-positions"))
        if 2 * len(values) > len(texts):
            odd = next(text for text in texts if text not in values)
            texts_of = zip(self.places, self._of("verdict"), strict=True)
            where = (self.table.place(place) for place, text in texts_of if text == odd)
            what = f"expected a number, as most verdicts are, got {quoted(odd)}"
            raise DataError(Problem(next(where, "people"), what, "Correct it, or leave it empty.", "not-a-number"))
        return None

    def _refuse_repeated(self, codes: Sequence[IntArray]) -> None:
        """Refuse two verdicts of a judge on an item, a system, an order and a repetition."""
        _, first, times = np.unique(np.column_stack(codes), axis=0, return_index=True, return_inverse=True)[:3]
        again = np.flatnonzero(first[times.ravel()] != np.arange(len(self.places)))
        if len(again):
            row = int(again[0])
            known = (self.text[role][row] for role in ("item", "judge", "system", "order") if role in self.text)
            lacking = [role for role in ("judge", "order", "repetition", "system") if role not in self.text]
            tip = f"If a column tells them apart, name it: {opt('columns', f'{lacking[0]}=COLUMN')}." if lacking else ""
            what = f"second verdict on {', '.join(map(quoted, known))}"
            raise DataError(Problem(self.table.place(self.places[row]), what, tip, "several-verdicts"))


def _level(level: str | None, values: FloatArray, *, are_numbers: bool) -> tuple[str, tuple[str, ...]]:
    """Return the level of measurement, and how it was chosen."""
    if len(values) > (most := _MOST_LABELS if level in LEVELS[:2] or not are_numbers else _MOST_SCORES):
        what = f"expected at most {most} different verdicts, got {len(values)}"
        of_labels = f"Use {opt('level', 'interval')}." if are_numbers else "Check the column of verdicts."
        advice = of_labels if most == _MOST_LABELS else "Round them."
        raise DataError(Problem("judges", what, advice, "many-values"))
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
    chosen, said = ("ordinal", "whole numbers of a short scale") if is_scale else ("interval", "numbers")
    return chosen, (f"Scores are {said}, so their level is {chosen} (change it with {opt('level')}).",)


def _main_first(orders: Sequence[str], numbers: Mapping[str, float]) -> tuple[bool, ...] | None:
    """Return whether each of up to two orders shows the main answer first, or None if their names do not tell."""
    called = {value: text.lower() for text, value in numbers.items() if number_in(text) is None}
    main, other = called.get(1.0, "a"), called.get(0.0, "b")
    if {*orders} <= {"1", "2"}:
        return (orders[0] == "1", orders[1] == "1") if len(orders) == 2 and {main, other} <= _WORDS else None
    found = [_shows_first(order.lower(), main, other) for order in orders]
    shown = tuple(one for one in found if one is not None)
    return shown if len({*shown}) == len(orders) else None


def _shows_first(order: str, main: str, other: str) -> bool | None:
    """Return whether an order such as "AB", "A-first", "swapped" or "new-second" shows the main answer first."""
    if order in (main, other):
        return order == main
    words = re.findall(r"[^\s\-_/,>]+", order)
    second = bool(words) and words[-1] in _SECOND
    # A name of one letter must be a word; of two names at the same place the longer one is meant.
    places = [order.find(name) if len(name) > 1 else [*words, name].index(name) for name in (main, other)]
    there = [place >= 0 if len(name) > 1 else name in words for place, name in zip(places, (main, other), strict=True)]
    if all(there):
        return (places[0], -len(main)) < (places[1], -len(other))
    if any(there):
        return there[0] != second
    if not {main, other} <= _WORDS:
        return None  # two names, and the order has neither
    if order in _AS_GIVEN or (words and words[-1] in _FIRST):
        return True
    return False if order in _SWAPPED or second else None
