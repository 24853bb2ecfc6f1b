"""Verdicts of judges from a long table: who judged what, in which order, and what people said."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.families.raters import LEVELS
from outscore.options import opt
from outscore.readers.base import Table
from outscore.readers.in_memory import table_from
from outscore.readers.registry import InputFiles
from outscore.readers.tabular.cells import number_in, text_in
from outscore.readers.tabular.columns import column_called, named_column
from outscore.text.naming import listed, nearest, printable, quoted

# The usual names of columns, by role.
COLUMNS = {
    "item": "item id item_id prompt prompt_id question question_id pair pair_id segment segment_id example unit",
    "judge": "judge rater annotator coder evaluator judge_model judge_name rater_id annotator_id",
    "order": "order position presentation swap swapped first",
    "repetition": "repetition repeat rep run sample trial seed",
    "verdict": "verdict score preference winner choice rating label judgment judgement vote value",
    "human": "human people gold expert human_verdict human_score human_label human_preference",
    "system": "system candidate system_name",
}
PEOPLE = "people"
_PEOPLE = {"human", "humans", "people", "gold", "expert"}
_TIES = {"tie", "tied", "draw", "equal", "both", "neither", "same"}
_FIRST, _SECOND = {"first", "1st", "left"}, {"second", "2nd", "right"}
_YES = {"yes", "true", "correct", "pass", "good", "positive", "win", "accept"}
_NO = {"no", "false", "incorrect", "wrong", "fail", "bad", "negative", "loss", "reject"}
_AS_GIVEN = {"original", "forward", "normal", "unswapped", "first", "0", "false", "ab"}
_SWAPPED = {"swapped", "swap", "reverse", "reversed", "flipped", "second", "1", "true", "ba"}
_MOST_STEPS = 10  # of a scale that is ordinal by default


@dataclass(frozen=True, eq=False)
class Verdicts:
    """N verdicts.

    Attributes
    ----------
    items, judges, systems, orders : tuple of str
        Names; systems and orders are empty without such a column. If both orders are known, the first one shows the
        main answer first.
    item, judge, system, order, repetition : ndarray of int, shape (N,)
        Codes, 0 without such a column.
    values : tuple of str
        The values of verdicts, in ascending order of `numbers`.
    numbers : tuple of float or None
        The values as numbers: scores, or 1 for the main answer, 0 for the other and 0.5 for a tie. None for other text.
    verdict, human : ndarray of int, shape (N,)
        Codes of values; −1 if people did not judge the item.
    first : ndarray, shape (N,), or None
        1 if the verdict is for the answer shown first, 0.5 for a tie. None if that is unknown.
    level : str
        The level of measurement.
    notes : tuple of str
    """

    items: tuple[str, ...]
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    orders: tuple[str, ...]
    item: IntArray
    judge: IntArray
    system: IntArray
    order: IntArray
    repetition: IntArray
    values: tuple[str, ...]
    numbers: tuple[float, ...] | None
    verdict: IntArray
    human: IntArray
    first: FloatArray | None
    level: str
    notes: tuple[str, ...]


def read_verdicts(
    data: object, columns: Mapping[str, str], level: str | None = None, *, positions: bool = False
) -> Verdicts:
    """Return the verdicts in a file or data frame.

    Raises
    ------
    DataError, FileAccessError
        A table without verdicts or items, several verdicts where there can be one, more than two orders.
    OptionError
        An unknown role or level, or a level that needs numbers.
    """
    for role in columns:
        if role not in COLUMNS:
            advice = nearest(role, list(COLUMNS))
            raise OptionError(Problem(opt("columns"), f"unknown role {quoted(role)}", advice, "unknown-role"))
    if level is not None and level not in LEVELS:
        advice = nearest(level, LEVELS)
        raise OptionError(Problem(opt("level"), f"unknown level {quoted(level)}", advice, "unknown-level"))
    table = InputFiles().read(data) if isinstance(data, str) else table_from(data, "judges")
    if table is None:
        what = f"expected a file or a data frame, got {type(data).__name__}"
        raise OptionError(Problem("judges", what, "", "wrong-type"))
    found = {role: _column(table, role, columns.get(role)) for role in COLUMNS}
    for role in ("item", "verdict"):
        if found[role] is None:
            what = f"expected a column {role}, got {listed(list(table.columns))}"
            advice = f"Name it with {opt('columns', f'{role}=COLUMN')}."
            raise DataError(Problem(printable(table.source), what, advice, f"no-{role}"))
    return _Reader(table, {role: name for role, name in found.items() if name is not None}).verdicts(level, positions)


def _column(table: Table, role: str, chosen: str | None) -> str | None:
    if chosen is not None:
        return named_column(table, chosen)
    return next((one for name in COLUMNS[role].split() if (one := column_called(table, name)) is not None), None)


def _codes(texts: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """Return the distinct texts in order of appearance, and the code of each."""
    names = {name: code for code, name in enumerate(dict.fromkeys(texts))}
    return tuple(names), np.array([names[text] for text in texts], dtype=np.int64)


class _Reader:
    """The columns of a table of verdicts as text, without rows that lack a verdict."""

    def __init__(self, table: Table, roles: Mapping[str, str]) -> None:
        self.table, self.roles, self.notes = table, roles, list[str]()
        cells = {role: [text_in(cell) for cell in table.columns[name]] for role, name in roles.items()}
        kept = [place for place, text in enumerate(cells["verdict"]) if text is not None]
        for role in ("item", "judge", "order", "system"):
            for place in kept if role in cells else ():
                if cells[role][place] is None:
                    raise DataError(Problem(table.place(place), f"expected a {role}, got nothing", "", f"no-{role}"))
        people = [place for place in kept if "judge" in cells and str(cells["judge"][place]).lower() in _PEOPLE]
        self.by_people: dict[tuple[str, str], str] = {}
        if people and "human" not in cells:
            for place in people:
                self._human(cells, place, str(cells["verdict"][place]))
            kept = sorted({*kept} - {*people})
        else:
            for place in kept:
                text = cells["human"][place] if "human" in cells else None
                if text is not None:
                    self._human(cells, place, text)
        if len({cells["item"][place] for place in kept}) < 2:
            what = "expected verdicts on at least 2 items"
            raise DataError(Problem(printable(table.source), what, "Check that this is the right file.", "empty"))
        self.places = kept
        self.text = {role: [of[place] or "" for place in kept] for role, of in cells.items()}

    def _human(self, cells: Mapping[str, Sequence[str | None]], place: int, text: str) -> None:
        """Keep the verdict of people on an item, which must be one."""
        key = cells["item"][place] or "", cells["system"][place] or "" if "system" in cells else ""
        if self.by_people.setdefault(key, text) != text:
            what = f"item {quoted(key[0])} has two verdicts of people: {quoted(self.by_people[key])}, {quoted(text)}"
            raise DataError(Problem(self.table.place(place), what, "Give one, such as the majority.", "several-humans"))

    def _of(self, role: str) -> Sequence[str]:
        return self.text.get(role) or [""] * len(self.places)

    def verdicts(self, level: str | None, positions: bool) -> Verdicts:
        orders, order = _codes(self._of("order"))
        if len(orders) > 2:
            what = f"expected at most 2 orders, got {len(orders)}: {listed(list(orders))}"
            advice = f"If it is no order, name another column: {opt('columns', 'order=COLUMN')}."
            raise DataError(Problem(printable(self.table.source), what, advice, "several-orders"))
        texts = self._of("verdict")
        people = [self.by_people.get(key, "") for key in zip(self._of("item"), self._of("system"), strict=True)]
        placed = positions or {text.lower() for text in texts} - _TIES <= _FIRST | _SECOND
        numbers = _numbers([*dict.fromkeys((*texts, *self.by_people.values()))], positions)
        main_first = None if len(orders) < 2 else _main_first(orders, numbers or {})
        if placed and main_first is None and len(orders) == 2:
            main_first = True, False  # whichever it is, the same answer has two places
        if main_first is not None and not main_first[0]:
            orders, order, main_first = orders[::-1], 1 - order, main_first[::-1]
        first = None
        own, human = list(texts), list(people)
        if placed:  # verdicts are places: turn those of swapped answers
            assert numbers is not None
            first = np.array([numbers[text] for text in texts])
            turned = {text: _with_number(numbers, 1 - number) for text, number in numbers.items()}
            numbers |= {other: 1 - numbers[text] for text, other in turned.items()}
            if main_first is not None:
                own = [turned[text] if of else text for text, of in zip(texts, order, strict=True)]
        elif main_first is not None and numbers is not None and set(numbers.values()) <= {0.0, 0.5, 1.0}:
            values = np.array([numbers[text] for text in texts])
            first = np.where(order == 0, values, 1 - values)
        level, numbers = self._level(level, numbers)
        names = sorted({*own, *human} - {""}, key=lambda text: (numbers[text] if numbers else 0.0, text))
        if numbers:  # one name per number
            called = {numbers[name]: name for name in names[::-1]}
            names = [called[number] for number in sorted(called)]
            own, human = ([called[numbers[text]] if text else "" for text in of] for of in (own, human))
        code = {name: place for place, name in enumerate(names)}
        items, item = _codes(self._of("item"))
        judges, judge = _codes(self._of("judge") if "judge" in self.text else ["judge"] * len(texts))
        systems, system = _codes(self._of("system"))
        _, repetition = _codes(self._of("repetition"))
        self._refuse_repeated(item, judge, system, order, repetition)
        return Verdicts(
            items,
            tuple(map(printable, judges)),
            tuple(map(printable, systems)) if "system" in self.text else (),
            orders if "order" in self.text else (),
            item,
            judge,
            system,
            order,
            repetition,
            tuple(names),
            None if numbers is None else tuple(numbers[name] for name in names),
            np.array([code[text] for text in own], dtype=np.int64),
            np.array([code.get(text, -1) for text in human], dtype=np.int64),
            first if len(orders) == 2 or placed else None,
            level,
            tuple(self.notes),
        )

    def _level(self, level: str | None, numbers: dict[str, float] | None) -> tuple[str, dict[str, float] | None]:
        """Return the level of measurement, and what values count."""
        values = sorted(set((numbers or {}).values()))
        if level in LEVELS[1:] and numbers is None:
            what = "needs verdicts that are numbers"
            raise OptionError(Problem(opt("level", str(level)), what, f"Use {opt('level', 'nominal')}.", "no-numbers"))
        if level == "ratio" and values[0] < 0:
            what = f"needs scores of 0 or more, got {values[0]:g}"
            raise OptionError(Problem(opt("level", "ratio"), what, f"Use {opt('level', 'interval')}.", "negative"))
        if level is None:
            level = "nominal"
            if not set(values) <= {0.0, 0.5, 1.0}:
                whole = all(value.is_integer() for value in values) and len(values) <= _MOST_STEPS
                level = "ordinal" if whole else "interval"
                said = "whole numbers of a short scale" if whole else "numbers"
                self.notes.append(f"Scores are {said}, so their level is {level} (change it with {opt('level')}).")
        return level, numbers

    def _refuse_repeated(self, *codes: IntArray) -> None:
        """Refuse two verdicts of a judge on an item, a system, an order and a repetition."""
        seen: dict[tuple[int, ...], int] = {}
        for row, key in enumerate(zip(*(of.tolist() for of in codes), strict=True)):
            if key in seen:
                known = (self.text[role][row] for role in ("item", "judge", "system", "order") if role in self.text)
                lacking = [role for role in ("judge", "order", "repetition", "system") if role not in self.roles]
                advice = "Remove one."
                if lacking:
                    advice = f"If a column tells them apart, name it: {opt('columns', f'{lacking[0]}=COLUMN')}."
                where = self.table.place(self.places[row])
                what = f"second verdict on {', '.join(map(quoted, known))}"
                raise DataError(Problem(where, what, advice, "several-verdicts"))
            seen[key] = row


def _with_number(numbers: Mapping[str, float], number: float) -> str:
    """Return the verdict with a number; that of a missing one is its number."""
    return next((text for text, of in numbers.items() if of == number), f"{number:g}")


def _numbers(texts: Sequence[str], positions: bool) -> dict[str, float] | None:
    """Return verdicts as numbers: 1 for the first or main answer, 0 for the other, or scores; None for other text."""
    lower = {text: text.lower() for text in texts}
    values = {text: number for text in texts if (number := number_in(text)) is not None and math.isfinite(number)}
    words = {of for text, of in lower.items() if text not in values}
    others = sorted(words - _TIES)
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
    return None


def _main_first(orders: Sequence[str], numbers: Mapping[str, float]) -> tuple[bool, bool] | None:
    """Return whether each of two orders shows the main answer first, or None if their names do not tell."""
    called = {value: text.lower() for text, value in numbers.items() if number_in(text) is None}
    main, other = called.get(1.0, "a"), called.get(0.0, "b")
    if {*orders} == {"1", "2"}:
        return orders[0] == "1", orders[1] == "1"
    one, two = (_shows_first(order.lower(), main, other) for order in orders)
    return None if one is None or two is None or one == two else (one, two)


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
    if order in _AS_GIVEN or (words and words[-1] in _FIRST):
        return True
    return False if order in _SWAPPED or second else None
