"""Base of metrics of text: segments, each with one or more references."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, Problem
from outscore.metrics.base import OutputMetric
from outscore.text.numbers import format_count, format_counted, format_share

Item = TypeVar("Item", bound=str | tuple[Any, ...])

# Scripts without spaces between words, by their letters and marks.
_UNSPACED = {
    "Japanese": "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "Chinese": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af",
    "Thai": "\u0e01-\u0e3a\u0e40-\u0e4e",
    "Lao": "\u0e81-\u0ecd",
    "Khmer": "\u1780-\u17d3",
    "Burmese": "\u1000-\u103f\u1050-\u109d",
    "Tibetan": "\u0f40-\u0fbc",
}
_IN_SCRIPT = {name: re.compile(f"[{letters}]") for name, letters in _UNSPACED.items()}
_RUN = re.compile(f"[{''.join(_UNSPACED.values())}]+")
_LETTER = re.compile(r"[^\W\d_]")
_LARGE_SHARE = 0.3  # of the letters
_SAMPLED = 150  # texts, of which the shares of formatting are known to some per cent of the errors
_DROPPED = 1 / 3  # of the letters: enough to change scores, more than foreign names in English texts
# Difference between the shares of two systems: below the 10% at which a warning is due (20% and less than half of it),
# because few words can be many n-grams, and above what is usual between translations, whose quotes and dashes differ.
_UNEQUAL = 0.04
_BETWEEN = "\0"  # texts are changed together, which is faster
_MARKS = frozenset("!\"#%&'()*,-./:;?@[\\]_{}")  # the punctuation in ASCII, without symbols such as $ and +
_MOST = 0.5  # of the errors: whatever the difference, few words decide the verdict
CASE, PUNCTUATION, UNICODE_FORM = "case", "punctuation", "Unicode form"
_LONG_WORD = 7.0  # such letters between two spaces: words of segmented text have fewer


def unspaced_script(texts: Iterable[str]) -> str | None:
    """Return the script of texts without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan.

    None if few letters are of such a script, or if spaces separate the words, as in segmented text.

    Examples
    --------
    >>> unspaced_script(["我们今天去北京参观故宫博物院。"]), unspaced_script(["我们 今天 去 北京 。"])
    ('Chinese', None)
    """
    whole = "\n".join(texts)
    runs = _RUN.findall(whole)
    n_unspaced = sum(map(len, runs))
    if not runs or n_unspaced < _LARGE_SHARE * max(len(_LETTER.findall(whole)), 1):
        return None
    if n_unspaced < _LONG_WORD * sum(_RUN.search(word) is not None for word in whole.split()):
        return None
    inside = "".join(runs)
    counts = {name: len(letters.findall(inside)) for name, letters in _IN_SCRIPT.items()}
    # Chinese has no kana; Japanese has both.
    if counts["Japanese"] > 0.05 * counts["Chinese"] and counts["Japanese"] > 0:
        counts["Japanese"] += counts["Chinese"]
    return max(counts, key=counts.__getitem__)


def refuse_empty(references: Sequence[str | tuple[str, ...]], metric: str) -> None:
    """Raise a DataError if all references are empty, for a rate per word or character."""
    if references and not any("".join(reference).strip() for reference in references):
        what = f"the {metric} of the whole set is undefined: all references are empty"
        raise DataError(Problem("references", what, "Check that this is the right file.", "zero-denominator"))


def whole_clauses(script: str, metric: str, instead: str) -> str:
    """Return the warning that texts in such a script have no words to count, with the metric to use."""
    what = f"The references are {script}, which has no spaces between words: {metric} treats whole clauses as words"
    return f"{what}; use {instead}."


def sampled(items: Sequence[Item]) -> Sequence[Item]:
    """Return all items, or some hundred evenly spaced in alphabetical order, so that their order does not matter."""
    step = -(-len(items) // _SAMPLED)
    return sorted(items)[::step] if step > 1 else items


def remark_on_empty(what: str, texts: Iterable[str]) -> list[str]:
    """Return the number of empty texts, if there are any."""
    empty = [not text.strip() for text in texts]
    count = sum(empty)
    return [f"{format_count(count)} of {format_counted(len(empty), what)} {_are(count)} empty."] if count else []


def remark_on_letters(metric: str, references: Sequence[str], kept: Sequence[str], note: str) -> list[str]:
    """Return a warning with a note if a tokenizer drops many letters of the references, but not all."""
    n_kept, count = (sum(len(_LETTER.findall(text)) for text in texts) for texts in (kept, references))
    if count - n_kept <= _DROPPED * count:
        return []
    return [
        f"The tokenizer of {metric} drops {format_share(count - n_kept, count)} of the letters in references{note}."
    ]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def without(kind: str, texts: Sequence[str]) -> list[str]:
    """Return texts without differences in "case", "punctuation" (Unicode's categories P) or "Unicode form" (NFC).

    Examples
    --------
    >>> without("punctuation", ["Don't!"]), without("Unicode form", ["e\u0301"]) == ["\u00e9"]
    (['Dont'], True)
    """
    whole = _BETWEEN.join(texts)
    if whole.count(_BETWEEN) >= max(len(texts), 1):
        return without(kind, [text.replace(_BETWEEN, " ") for text in texts])
    if kind == CASE:
        whole = whole.lower()
    elif kind == UNICODE_FORM and not whole.isascii():
        from unicodedata import normalize

        whole = normalize("NFC", whole)
    elif kind == PUNCTUATION:
        marks = set(whole)
        if whole.isascii():
            marks &= _MARKS
        else:
            from unicodedata import category

            marks = {sign for sign in marks if category(sign).startswith("P")}
        for mark in marks:
            whole = whole.replace(mark, "")
    return whole.split(_BETWEEN) if texts else []


def without_all(kinds: Iterable[str], texts: Sequence[str]) -> Sequence[str]:
    """Return texts without differences of several kinds, see `without`."""
    for kind in kinds:
        texts = without(kind, texts)
    return texts


def formatting_errors(
    kinds: Sequence[str], outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> list[list[str]]:
    """Return for each system the kinds of formatting that may account for an unequal proportion of its errors.

    Counts words of a sample of outputs that are not in the references, with and without formatting. This costs a few
    milliseconds and decides whether the systems are scored again.

    Parameters
    ----------
    outputs : sequence of sequences of n str
        Of each system.
    references : sequence of n sequences of str
        Of each item.
    """
    some, *others = zip(*sampled([*zip(references, *outputs, strict=True)]), strict=True)
    golds = [{word for text in several for word in _words(text)} for several in some]
    unmatched = [
        [(words - gold, gold - words) for words, gold in zip(map(_words, texts), golds, strict=True)]
        for texts in others
    ]
    distinct = list(
        {word for sides_of_item in unmatched for sides in sides_of_item for words in sides for word in words}
    )

    def shares(ignored: Sequence[str]) -> list[float]:
        plain = dict(zip(distinct, without_all(ignored, distinct), strict=True))
        counts = []
        for sides_of_item in unmatched:
            pairs = [[{plain[word] for word in words} - {""} for words in sides] for sides in sides_of_item]
            left = _errors((extra - lacking, lacking - extra) for extra, lacking in pairs)
            counts.append(1 - left / max(_errors(sides_of_item), 1))
        return counts

    every = shares(kinds)
    if max(every) - min(every) < _UNEQUAL and max(every) < _MOST:
        return [[] for _ in outputs]
    # Where the kinds add up, one of several that reach `_UNEQUAL` together has at least this part of it.
    unlike = {kind: shares([other for other in kinds if other != kind]) for kind in kinds}
    return [
        [kind for kind in kinds if share - unlike[kind][index] >= _UNEQUAL / len(kinds)]
        for index, share in enumerate(every)
    ]


def _words(text: str) -> set[str]:
    """Return the words of a text, or its characters if it has no spaces."""
    return set(text.split() if " " in text else text)


def _errors(items: Iterable[tuple[Collection[str], Collection[str]]]) -> int:
    """Return the least number of edits, given the words that only the output and only the references have."""
    return sum(max(len(extra), len(lacking)) for extra, lacking in items)


class TextMetric(OutputMetric[str, tuple[str, ...]]):
    """A metric that compares segments of text with one or more references each."""

    output_type = str
    reference_type = str
    takes_several_references = True

    def remarks_on_references(self, references: Sequence[tuple[str, ...]]) -> Sequence[str]:
        """Return warnings about references without spaces between words, of dropped letters, and empty ones."""
        sets = [(several,) if isinstance(several, str) else several for several in references]
        script = unspaced_script(text for several in sets for text in several)
        remark = None if script is None else self.remark_on_script(script)
        some = sampled([text for several in sets for text in several])
        kept = self.kept_of(some)
        return (
            *filter(None, [remark]),
            *([] if kept is None else remark_on_letters(self.name, some, *kept)),
            *remark_on_empty("reference", ("".join(several) for several in sets)),
        )

    def remarks_on_outputs(self, outputs: Sequence[str]) -> Sequence[str]:
        """Return the number of empty outputs, if there are any."""
        return remark_on_empty("output", outputs)

    def kept_of(self, texts: Sequence[str]) -> tuple[Sequence[str], str] | None:
        """Return what the tokenizer keeps of texts, and a note on it; None if it keeps all letters."""
        del texts
        return None

    def remark_on_script(self, script: str) -> str | None:
        """Return a warning about texts in a script without spaces between words."""
        del script
        return None

    def rows(self, outputs: Sequence[str], references: Sequence[tuple[str, ...]]) -> FloatArray:
        """Return the rows, shape (n, k), of n outputs and n tuples of references.

        Empty outputs and references are allowed. The number of references may differ between items; a string counts
        as one.

        Raises
        ------
        DataError
            If the number of outputs differs from the number of items, an item has no reference, or is not text.
        OptionError, MissingDependencyError
            If the reference implementation rejects an option, or a required package is not installed.
        """
        if len(outputs) != len(references):
            raise DataError(
                Problem(
                    "outputs",
                    f"expected {len(references)} segments, one for each reference, got {len(outputs)}",
                    "Check that both are from the same test set.",
                    "different-lengths",
                )
            )
        sets = tuple((texts,) if isinstance(texts, str) else tuple(texts) for texts in references)
        problems = [
            Problem(f"[{i}]", f"expected {expected}, got {got}", "Correct the item, or remove it.", slug)
            for i, (output, several) in enumerate(zip(outputs, sets, strict=True))
            for bad, expected, got, slug in (
                (not several, "at least one reference", "none", "no-reference"),
                (not all(isinstance(text, str) for text in (output, *several)), "text", "another type", "not-text"),
            )
            if bad
        ]
        if problems:
            raise DataError(*problems)
        return self.text_rows(outputs, sets) if len(outputs) else np.zeros((0, len(self.statistics)))

    @abstractmethod
    def text_rows(self, outputs: Sequence[str], references: tuple[tuple[str, ...], ...]) -> FloatArray:
        """Return the rows, shape (n, k), of n ≥ 1 outputs and as many non-empty tuples of references."""
