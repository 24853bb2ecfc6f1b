"""Words that stand for scores, such as pass and fail: in tables, arrays and logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

# Sets of words and their scores, in lower case. All words of a column belong to one set.
YES_NO: Mapping[str, float] = {"yes": 1.0, "no": 0.0}
TRUE_FALSE: Mapping[str, float] = {"true": 1.0, "false": 0.0}
LETTERS: Mapping[str, float] = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0}  # Inspect: correct, partial, incorrect, none
GRADES = (
    TRUE_FALSE,
    YES_NO,
    {"pass": 1.0, "fail": 0.0},
    {"passed": 1.0, "failed": 0.0},
    {"correct": 1.0, "incorrect": 0.0},
    LETTERS,
)


def grades_of(texts: Iterable[str]) -> Mapping[str, float]:
    """Return the set to which most texts belong, with the score of each word; empty if there is none.

    P and N without C and I may be any labels, such as positive and negative.

    Examples
    --------
    >>> grades_of(["Pass", "FAIL ", "error"])
    {'pass': 1.0, 'fail': 0.0}
    >>> grades_of(["pass", "0.5"]), grades_of(["N", "P"])
    ({}, {})
    """
    counts = Counter(text.strip().lower() for text in texts)
    for words in GRADES:
        if 2 * sum(counts[word] for word in words) > counts.total():
            return words if words is not LETTERS or counts["c"] + counts["i"] else {}
    return {}


def written(words: Iterable[str]) -> list[str]:
    """Return words as people write them: letters are capital."""
    return [word.upper() if len(word) == 1 else word for word in words]


def note_on(words: Mapping[str, float]) -> str:
    """Return the note on words that were read as scores.

    Examples
    --------
    >>> note_on(YES_NO)
    'Words were read as scores: yes = 1, no = 0.'
    """
    scores = (f"{word} = {score:g}" for word, score in zip(written(words), words.values(), strict=True))
    return f"Words were read as scores: {', '.join(scores)}."
