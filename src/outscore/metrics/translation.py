"""What metrics of machine translation share: rows that sacreBLEU extracts."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import zip_longest
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from outscore._types import FloatArray
from outscore.errors import missing_package
from outscore.metrics.text import TextMetric

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Scorer

__all__ = ["LONGEST", "TranslationMetric", "sacrebleu_metrics"]

LONGEST = 100  # n-grams: nobody counts longer ones, and counting would take for ever


def sacrebleu_metrics(asker: str) -> ModuleType:
    """Return the module of sacreBLEU's metrics, or raise a MissingDependencyError on behalf of the metric `asker`."""
    try:
        from sacrebleu import metrics
    except ImportError:
        raise missing_package(asker, "sacrebleu", "mt") from None
    return metrics


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep sacreBLEU's warnings from standard error: the metrics' remarks say the same once, with the system's name."""
    logger, quiet = logging.getLogger("sacrebleu"), _NoWarnings()
    logger.addFilter(quiet)
    try:
        yield
    finally:
        logger.removeFilter(quiet)


class _NoWarnings(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno != logging.WARNING


@dataclass(frozen=True)
class TranslationMetric(TextMetric):
    """A metric of sacreBLEU: its options are the fields, its segment statistics are the rows.

    sacreBLEU tokenizes and counts; the score is computed here, for many totals at once. What sacreBLEU counted in the
    references is kept for the next system with the same references.
    """

    extra = "mt"
    packages = ("sacrebleu",)
    signed = False

    @abstractmethod
    def _scorer(self) -> Scorer:
        """Return sacreBLEU's own metric with these options."""

    def signature(self, n_references: int | None = 1) -> str:
        """Return sacreBLEU's signature, its version included; no number of references where that varies."""
        scorer = self._own_scorer()
        vars(scorer)["num_refs"] = -1 if n_references is None else n_references
        return str(scorer.get_signature())

    def reference_signature(self, references: Sequence[tuple[str, ...]]) -> str:
        """Return sacreBLEU's signature of the score of a test set with these references."""
        counts = {len(several) for several in references}
        return self.signature(counts.pop() if len(counts) == 1 else None)

    def text_rows(self, outputs: Sequence[str], references: tuple[tuple[str, ...], ...]) -> FloatArray:
        with _unlogged():
            statistics = self._prepared(references)._extract_corpus_statistics(outputs, None)
        return np.array(statistics, dtype=np.float64)

    def own_score(self, totals: Any) -> float:
        """Return the score that sacreBLEU itself gives totals, to the last bit, in whatever type it sums them."""
        scorer: Scorer | None = self.__dict__.get("_own")
        if scorer is None:
            scorer = self.__dict__["_own"] = self._own_scorer()
        return float(scorer._compute_score_from_stats(totals).score)

    def _own_scorer(self) -> Scorer:
        with _unlogged():
            return self._scorer()

    def _prepared(self, references: tuple[tuple[str, ...], ...]) -> Scorer:
        kept: tuple[object, Scorer] | None = self.__dict__.get("_kept")
        if kept is None or kept[0] != references:
            scorer = self._own_scorer()
            # One stream a reference; None says, as in sacreBLEU, that an item has fewer.
            scorer._ref_cache = scorer._cache_references(list(zip_longest(*references)))
            kept = references, scorer
            self.__dict__["_kept"] = kept  # in one assignment, so that threads see all of it or nothing
        return kept[1]

    def __getstate__(self) -> dict[str, Any]:
        # The options alone: what is kept of the references is large, and soon made again.
        return {field.name: getattr(self, field.name) for field in fields(self)}
