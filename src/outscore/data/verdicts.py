"""The one table of words for verdicts on two answers: A, B, tie, model_a, first, A>>B, 1 and 2, win, both bad, ..."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from outscore.data.coercion import TRUE_FALSE
from outscore.text.naming import in_a_row, quoted

_ANSWER = "(?:model|system|assistant|answer|response|output|option|candidate|generator)?"
_BETTER = "(?:is)?(?:much|slightly|significantly)?(?:better|wins|won)?"
# Letters are compared in lower case, without blanks and marks: "[[A>>B]]" is a>>b and "tie (bothbad)" is tiebothbad.
_MARKS = re.compile(r"[^a-z0-9<=>]+")
_PLACES = {1.0: re.compile(r"first|1st|left"), 0.0: re.compile(r"second|2nd|right")}
_WORDS = {
    1.0: re.compile(rf"{_ANSWER}a{_BETTER}|{_ANSWER[:-1]}1|a>+b|b<+a|1>+2|2<+1|wins?|won"),
    0.0: re.compile(rf"{_ANSWER}b{_BETTER}|{_ANSWER[:-1]}2|b>+a|a<+b|2>+1|1<+2|loss|loses?|lost"),
    0.5: re.compile(
        r"tie[ds]?(?:bothbad|inconsistent)?|draw|equal|same|neither|both(?:bad|good)?|[ab]=+[ab]|[12]=+[12]"
    ),
}
_NUMBERS = {1.0: 1.0, 0.5: 0.5, 0.0: 0.0}
_OF_TWO = {1.0: 1.0, 1.5: 0.5, 0.5: 0.5, 2.0: 0.0}  # numbers of the better answer; AlpacaEval writes 1.5 for a tie


def word_value(text: str) -> float | None:
    """Return 1 if a word is for the first answer, 0 for the second, 0.5 for a tie; None for other texts and numbers.

    Examples
    --------
    >>> [word_value(text) for text in ("A", "model_b", "[[A>>B]]", "tie (bothbad)", "second", "a man", "1")]
    [1.0, 0.0, 1.0, 0.5, 0.0, None, None]
    """
    plain = _MARKS.sub("", text.lower())
    tables = (_WORDS, _PLACES)
    return next((value for table in tables for value, words in table.items() if words.fullmatch(plain)), None)


def is_place(text: str) -> bool:
    """Return whether a word says where the better answer was shown (first, second) rather than which one it is."""
    plain = _MARKS.sub("", text.lower())
    return any(words.fullmatch(plain) for words in _PLACES.values())


def verdict_values(texts: Iterable[str]) -> Mapping[str, float]:
    """Return the values of those texts of a column that are verdicts, as `word_value`, and of numbers.

    The numbers 1 and 2 are the first and the second answer, if 2 occurs and 0 does not. Otherwise 1 is for the first
    answer, 0 for the second, and 0.5 a tie.

    Examples
    --------
    >>> verdict_values(["1", "2", "tie"]), verdict_values(["A", "0", "clear"])
    ({'1': 1.0, '2': 0.0, 'tie': 0.5}, {'0': 0.0, 'A': 1.0})
    """
    numbers, values = dict[str, float](), dict[str, float]()
    for text in texts:
        value = word_value(text)
        if value is not None:
            values[text] = value
        else:
            try:
                numbers[text] = float(TRUE_FALSE.get(text.lower(), text))
            except ValueError:
                continue
    known = _OF_TWO if 2.0 in numbers.values() and 0.0 not in numbers.values() else _NUMBERS
    return {**{text: known[number] for text, number in numbers.items() if number in known}, **values}


def spelled_out(values: Mapping[str, float]) -> str:
    """Return which words were read as which values.

    Examples
    --------
    >>> spelled_out({"tie": 0.5, "B": 0.0, "A": 1.0})
    '"A" is 1, "B" is 0 and "tie" is 0.5'
    """
    order = sorted(values, key=lambda text: ((1.0, 0.0, 0.5).index(values[text]), text))
    return in_a_row([f"{quoted(text)} is {values[text]:g}" for text in order])


# Orders of two answers that do not name the answers: as given, or swapped.
_AS_GIVEN = {"original", "forward", "normal", "unswapped", "0", "false", "ab"}
_SWAPPED = {"swapped", "swap", "reverse", "reversed", "flipped", "1", "true", "ba"}
_PARTS = re.compile(r"[^\s\-_/,>]+")


def main_first(orders: Sequence[str], main: str = "A", other: str = "B") -> tuple[bool, ...] | None:
    """Return whether each of up to two orders shows the main answer first, or None if their names do not tell.

    `orders` are such as AB and BA, original and swapped, 1 and 2, A-first and B-first, or names of the answer shown
    first. `main` and `other` are the names of the answers.

    Examples
    --------
    >>> main_first(["AB", "BA"]), main_first(["swapped"]), main_first(["gpt first", "llama first"], "llama", "gpt")
    ((True, False), (False,), (False, True))
    >>> main_first(["x", "y"]) is None
    True
    """
    are_named = (main, other) != ("A", "B")
    if {*orders} <= {"1", "2"}:
        return (orders[0] == "1", orders[1] == "1") if len(orders) == 2 and not are_named else None
    found = [_shows_first(order.lower(), main.lower(), other.lower(), are_named=are_named) for order in orders]
    shown = tuple(word for word in found if word is not None)
    return shown if len({*shown}) == len(orders) else None


def _shows_first(order: str, main: str, other: str, *, are_named: bool) -> bool | None:
    """Return whether an order such as "AB", "A-first", "swapped" or "new-second" shows the main answer first."""
    if order in (main, other):
        return order == main
    words = _PARTS.findall(order)
    shown_at = word_value(words[-1]) if words and is_place(words[-1]) else None
    # A name of one letter must be a word; of two names at the same place the longer one is meant.
    places = [order.find(name) if len(name) > 1 else [*words, name].index(name) for name in (main, other)]
    there = [at >= 0 if len(name) > 1 else name in words for at, name in zip(places, (main, other), strict=True)]
    if all(there):
        return (places[0], -len(main)) < (places[1], -len(other))
    if any(there):
        return there[0] != (shown_at == 0)
    if are_named:
        return None  # the order has neither name
    if order in _AS_GIVEN or shown_at == 1:
        return True
    return False if order in _SWAPPED or shown_at == 0 else None
