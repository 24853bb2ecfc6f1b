"""Base of metrics of text: segments, each with one or more references."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, Problem
from outscore.metrics.base import OutputMetric

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
    """Return the warning that a metric of words has none to count in such a script, and which metric to use."""
    what = f"The references are {script}, which has no spaces between words: {metric} treats whole clauses as words"
    return f"{what}; use {instead}."


class TextMetric(OutputMetric[str, tuple[str, ...]]):
    """A metric that compares segments of text with one or more references each."""

    output_type = str
    reference_type = str
    takes_several_references = True

    def remarks_on_references(self, references: Sequence[tuple[str, ...]]) -> Sequence[str]:
        """Return the warning of `remark_on_script` if the references have no spaces between words."""
        script = unspaced_script(
            text for several in references for text in ((several,) if isinstance(several, str) else several)
        )
        remark = None if script is None else self.remark_on_script(script)
        return () if remark is None else (remark,)

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
