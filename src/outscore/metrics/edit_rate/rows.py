"""The rows of translation edit rate: edits to the closest reference, and the mean length of the references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from outscore._types import FloatArray
from outscore.metrics.edit_rate.shifts import n_edits


class TokenizedReferences:
    """References, one or more per item, in words, to be used for the outputs of many systems.

    `tokenize` returns the words of a text, separated by spaces.
    """

    def __init__(self, tokenize: Callable[[str], str], references: Sequence[tuple[str, ...]]) -> None:
        self._tokenize = tokenize
        self._numbers = np.array([len(several) for several in references])
        self._starts = np.cumsum(self._numbers) - self._numbers
        self._texts = [tokenize(text) for text in chain.from_iterable(references)]
        lengths = np.array([len(text.split()) for text in self._texts])
        self._lengths = np.add.reduceat(lengths, self._starts) / self._numbers

    def rows(self, outputs: Sequence[str]) -> FloatArray:
        """Return edits and reference length, shape (n, 2), of n ≥ 1 outputs."""
        tokenized = [self._tokenize(output) for output in outputs]
        repeated = [text for text, number in zip(tokenized, self._numbers.tolist(), strict=True) for _ in range(number)]
        edits = np.minimum.reduceat(n_edits(repeated, self._texts), self._starts)
        return np.column_stack([edits, self._lengths])
