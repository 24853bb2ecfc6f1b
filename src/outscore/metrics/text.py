"""What metrics of text share: segments, each with one reference or several."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, Problem
from outscore.metrics.base import OutputMetric

__all__ = ["TextMetric", "refuse_empty"]


def refuse_empty(references: Sequence[str | tuple[str, ...]], metric: str) -> None:
    """Raise a DataError where no reference holds anything, on behalf of a rate per word or character of them."""
    if references and not any("".join(reference).strip() for reference in references):
        what = f"the {metric} of the whole set is undefined: all references are empty"
        raise DataError(Problem("references", what, "Check that this is the right file.", "zero-denominator"))


class TextMetric(OutputMetric[str, tuple[str, ...]]):
    """A metric that compares segments of text with one or more references each."""

    output_type = str
    reference_type = str
    takes_several_references = True

    def rows(self, outputs: Sequence[str], references: Sequence[tuple[str, ...]]) -> FloatArray:
        """Return the rows, shape (n, k), of n outputs and n tuples of references.

        Empty outputs and references are segments like any other. The number of references may differ from item to
        item; a bare string counts as one.

        Raises
        ------
        DataError
            Not as many outputs as items with references, an item without one, or what is no text.
        OptionError, MissingDependencyError
            An option that the reference implementation does not know, or a package that it needs.
        """
        if len(outputs) != len(references):
            raise DataError(
                Problem(
                    "outputs",
                    f"expected {len(references)} segments, one for each reference, got {len(outputs)}",
                    "Check that both are of the same test set.",
                    "different-lengths",
                )
            )
        sets = tuple((given,) if isinstance(given, str) else tuple(given) for given in references)
        problems = [
            Problem(f"[{i}]", f"expected {expected}, got {got}", "Mend the item, or leave it out.", slug)
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
