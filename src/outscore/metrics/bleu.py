"""BLEU, as sacreBLEU computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import FloatArray
from outscore.errors import FileAccessError, MissingDependencyError, OptionError, Problem
from outscore.metrics.text import whole_clauses
from outscore.metrics.translation import LONGEST, TranslationMetric, sacrebleu_metrics
from outscore.naming import nearest, printable, quoted

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

__all__ = ["Bleu"]

# What each method adds by default (Chen & Cherry 2014).
SMOOTHING = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}
_LOG_OF_ZERO = -9999999999.0  # sacreBLEU's: small enough for a score of 0, finite
_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # sacreBLEU's, by target language
_BLANKS_PART_WORDS = ("13a", "intl", "none")
_MANY_TOKENIZED = 100  # sacreBLEU's
_PACKAGES = {"ja-mecab": "sacrebleu[ja]", "ko-mecab": "sacrebleu[ko]"}


@dataclass(frozen=True)
class Bleu(TranslationMetric):
    """BLEU (Papineni et al. 2002), from 0 to 100, equal to sacreBLEU's corpus score.

    BP · exp(Σₙ log(matchesₙ / n-gramsₙ) / N), with BP = min(1, exp(1 − reference length / output length)); section 2.3
    of the paper. With several references a match is clipped by the largest count in one of them, and the reference
    length is the one closest to the output's, the shorter of two.

    A row holds the lengths of output and reference in tokens, then for every order 1 to N the n-grams matched, then
    for every order those in the output. The gain is not linear. Scores differ from sacreBLEU's in their last bits at
    most (relative 1e-14): logarithms are summed in another order.

    Parameters
    ----------
    lowercase : bool
    force : bool
        Leave out the warning where outputs look tokenized.
    tokenize : str, optional
        A tokenizer of sacreBLEU: 13a, intl, zh, ja-mecab, ko-mecab, char, none, spm, flores101, flores200, spBLEU-1K.
        By default that of `trg_lang`, or 13a.
    smooth_method : {"exp", "floor", "add-k", "none"}
        What is done about orders without a match (Chen & Cherry 2014): on a corpus they are rare.
    smooth_value : float, optional
        What `floor` and `add-k` add; 0.1 and 1 by default.
    max_ngram_order : int
        N.
    effective_order : bool
        Leave orders out in which the output has no n-gram at all. This is meant for scores of single segments, of
        which it is always done; on a corpus it changes nothing unless all its segments are shorter than N.
    trg_lang : str
        The target language, for the default of `tokenize`.

    Examples
    --------
    >>> metric = Bleu()
    >>> rows = metric.rows(["The cat sat on the mat."], [("The cat sat on a mat.",)])
    >>> rows
    array([[7., 7., 6., 4., 2., 1., 7., 6., 5., 4.]])
    >>> round(float(metric.score(rows.sum(axis=0))), 4)
    48.8923
    """

    name = "bleu"
    title = "BLEU"
    higher_is_better = True
    score_range = (0.0, 100.0)
    citation = "Papineni et al. 2002; Post 2018 (sacreBLEU)"

    lowercase: bool = False
    force: bool = False
    tokenize: str | None = None
    smooth_method: str = "exp"
    smooth_value: float | None = None
    max_ngram_order: int = 4
    effective_order: bool = False
    trg_lang: str = ""

    def __post_init__(self) -> None:
        if self.smooth_method not in SMOOTHING:
            what = f"unknown smoothing method {quoted(self.smooth_method)}"
            raise OptionError(
                Problem("bleu:smooth_method", what, nearest(self.smooth_method, SMOOTHING), "unknown-smoothing")
            )
        if self.smooth_value is not None and not 0 <= self.smooth_value < np.inf:
            what = f"expected a number from 0 on, got {self.smooth_value}"
            raise OptionError(Problem("bleu:smooth_value", what, "The defaults are 0.1 and 1.", "out-of-range"))
        if not 1 <= self.max_ngram_order <= LONGEST:
            what = f"expected a whole number from 1 to {LONGEST}, got {self.max_ngram_order}"
            raise OptionError(Problem("bleu:max_ngram_order", what, "The default is 4.", "out-of-range"))

    @property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        orders = range(1, self.max_ngram_order + 1)
        return (
            "output_length",
            "reference_length",
            *(f"matches_{n}" for n in orders),
            *(f"ngrams_{n}" for n in orders),
        )

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        return tuple((f"matches_{n}", f"ngrams_{n}") for n in range(1, self.max_ngram_order + 1))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the scores of totals, shape (..., k) to (...); 0 where nothing matches."""
        order = self.max_ngram_order
        output_length, reference_length = totals[..., 0], totals[..., 1]
        matches, ngrams = totals[..., 2 : 2 + order], totals[..., 2 + order :]
        if self.smooth_method != "add-k" and matches.size and matches.min() > 0:
            # Resamples of a corpus have matches of all orders: nothing is to be smoothed or left out.
            logs = sum(np.log(100.0 * matches[..., n] / ngrams[..., n]) for n in range(order))
            return np.asarray(_brevity(output_length, reference_length) * np.exp(logs / order))

        value = SMOOTHING[self.smooth_method] if self.smooth_value is None else self.smooth_value
        if self.smooth_method == "add-k":
            added = np.where(np.arange(order) > 0, value, 0.0)
            matches, ngrams = matches + added, ngrams + added
        present = np.logical_and.accumulate(ngrams > 0, axis=-1)
        missed = present & (matches == 0)
        percent = 100.0 * matches
        if self.smooth_method == "exp" and missed.any():
            percent = np.where(missed, 100.0 / np.exp2(np.cumsum(missed, axis=-1)), percent)
        elif self.smooth_method == "floor":
            percent = np.where(missed, 100.0 * value, percent)

        precisions = np.divide(percent, ngrams, out=np.zeros(ngrams.shape), where=present)
        logs = np.log(precisions, out=np.full(ngrams.shape, _LOG_OF_ZERO), where=precisions > 0)
        if self.effective_order:
            mean_log = np.where(present, logs, 0.0).sum(axis=-1) / np.maximum(present.sum(axis=-1), 1)
        else:
            mean_log = logs.sum(axis=-1) / order
        brevity = _brevity(output_length, reference_length)
        any_match = totals[..., 2 : 2 + order].any(axis=-1)
        return np.asarray(np.where(any_match, brevity * np.exp(mean_log), 0.0))

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each segment's BLEU, shape (n,), with effective order, as sacreBLEU recommends for segments."""
        return replace(self, effective_order=True).score(rows)

    def remark_on_script(self, script: str) -> str | None:
        if self._tokenizer not in _BLANKS_PART_WORDS:
            return None
        best = {"Chinese": "bleu:tokenize=zh", "Japanese": "bleu:tokenize=ja-mecab"}.get(script)
        instead = "bleu:tokenize=char" if best is None else f"{best} or bleu:tokenize=char"
        return whole_clauses(script, f"bleu with the tokenizer {self._tokenizer}", instead)

    def remarks_on_references(self, references: Sequence[tuple[str, ...]]) -> Sequence[str]:
        """Return what sacreBLEU, too, would say of the tokenizer."""
        best = _TOKENIZERS.get(self.trg_lang)
        if best is not None and self.tokenize not in (None, best):
            return (f"The tokenizer is {self.tokenize}, and the one for {self.trg_lang} is bleu:tokenize={best}.",)
        return super().remarks_on_references(references)

    def remarks_on_outputs(self, outputs: Sequence[str]) -> Sequence[str]:
        """Return what sacreBLEU, too, would say of outputs that look tokenized."""
        tokenized = 0 if self.force else sum(output.endswith(" .") for output in outputs)
        if tokenized < _MANY_TOKENIZED:
            return ()
        return (
            f"{tokenized} outputs end in a blank and a full stop, as tokenized text does; BLEU is defined on text that "
            "is not (bleu:force leaves this out).",
        )

    @property
    def _tokenizer(self) -> str:
        return self.tokenize or _TOKENIZERS.get(self.trg_lang, "13a")

    def _scorer(self) -> BLEU:
        implementation = sacrebleu_metrics(self.name).BLEU
        if self.tokenize is not None and self.tokenize not in implementation.TOKENIZERS:
            what = f"unknown tokenizer {quoted(self.tokenize)}"
            advice = nearest(self.tokenize, implementation.TOKENIZERS)
            raise OptionError(Problem("bleu:tokenize", what, advice, "unknown-tokenizer"))
        try:
            scorer: BLEU = implementation(**asdict(self))
        except (ImportError, RuntimeError):  # what sacreBLEU raises for MeCab
            tokenizer = self.tokenize or f"{self.trg_lang}-mecab"
            what = f"the tokenizer {tokenizer} needs a package that is not installed"
            advice = f'Run: pip install "{_PACKAGES.get(tokenizer, "sentencepiece")}".'
            raise MissingDependencyError(Problem("bleu:tokenize", what, advice, "missing-dependency")) from None
        except OSError as error:
            what = f"the model of the tokenizer {self.tokenize} cannot be had: {printable(str(error))}"
            advice = "sacreBLEU downloads it once: run it where there is a network."
            raise FileAccessError(Problem("bleu:tokenize", what, advice, "no-tokenizer-model")) from None
        return scorer


def _brevity(output_length: FloatArray, reference_length: FloatArray) -> FloatArray:
    """Return the brevity penalty, min(1, exp(1 − reference length / output length))."""
    excess = np.divide(
        reference_length,
        output_length,
        out=np.where(reference_length > 0, np.inf, 1.0),
        where=output_length > 0,
    )
    return np.asarray(np.exp(np.minimum(0.0, 1.0 - excess)))
