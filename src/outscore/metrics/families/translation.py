"""The machine translation metrics BLEU, chrF and TER, as computed by sacreBLEU."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec
from itertools import zip_longest
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.errors import FileAccessError, MissingDependencyError, OptionError, Problem, missing_package
from outscore.metrics.base import RatioMetric
from outscore.metrics.edit_rate import TokenizedReferences
from outscore.metrics.families.text import CASE, PUNCTUATION, UNICODE_FORM, TextMetric, refuse_empty, whole_clauses
from outscore.metrics.ngrams import END, FOREIGN, Tokens, ngrams, shared_ngrams
from outscore.metrics.tokens import Words, characters, prepared_for_13a, split_at_edge, split_by_13a
from outscore.text.naming import nearest, printable, quoted

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Scorer
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

_Kept = TypeVar("_Kept")

LONGEST = 100  # order of n-grams: longer ones are useless and slow to count
# Default smoothing value of each method (Chen & Cherry 2014).
SMOOTHING = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}
_LOG_OF_ZERO = -9999999999.0  # sacreBLEU's: small enough for a score of 0, finite
_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # sacreBLEU's, by target language
_BLANKS_PART_WORDS = ("13a", "intl", "none")
_OWN_TOKENIZERS = ("13a", "none")  # all others are sacreBLEU's
_NO_LENGTH = 1 << 60
_MANY_TOKENIZED = 100  # sacreBLEU's
_PACKAGES = {"ja-mecab": "sacrebleu[ja]", "ko-mecab": "sacrebleu[ko]"}
_EPSILON = 1e-16  # sacreBLEU's, after chrF++.py


def sacrebleu_metrics(asker: str) -> ModuleType:
    """Return the module of sacreBLEU's metrics; if it is missing, raise an error that names the metric `asker`."""
    try:
        from sacrebleu import metrics
    except ImportError:
        raise missing_package(asker, "sacrebleu") from None
    return metrics


def _installed(asker: str) -> ModuleSpec:
    """Return the spec of sacreBLEU; if it is missing, raise an error that names the metric `asker`."""
    package = find_spec("sacrebleu")
    if package is None:
        raise missing_package(asker, "sacrebleu")
    return package


def _version(asker: str) -> str:
    """Return sacreBLEU's version, as in its signatures.

    It is read from a module of its own: importing all of sacreBLEU takes longer than scoring a test set.
    """
    spec = PathFinder.find_spec("sacrebleu.version", _installed(asker).submodule_search_locations)
    if spec is None or spec.loader is None:
        return str(sacrebleu_metrics(asker).base.__version__)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.__version__)


@contextmanager
def _unlogged() -> Iterator[None]:
    """Suppress sacreBLEU's warnings: the metrics' remarks repeat them once, with the system's name."""
    import logging

    def quiet(record: logging.LogRecord) -> bool:
        return record.levelno != logging.WARNING

    logger = logging.getLogger("sacrebleu")
    logger.addFilter(quiet)
    try:
        yield
    finally:
        logger.removeFilter(quiet)


def _cased(texts: Sequence[str], *, lowercase: bool) -> Sequence[str]:
    return [text.lower() for text in texts] if lowercase else texts


@dataclass(frozen=True)
class TranslationMetric(TextMetric):
    """A metric of sacreBLEU: its options are fields, and its segment statistics are the rows.

    Data computed from the references are cached for the next system with the same references.
    """

    extra = "mt"
    packages = ("sacrebleu",)
    signed = False

    @property
    def formatting(self) -> Mapping[str, str | None]:
        option = {} if getattr(self, "lowercase", True) else {CASE: "lowercase"}
        return {**option, PUNCTUATION: None, UNICODE_FORM: None}

    @abstractmethod
    def _scorer(self) -> Scorer:
        """Return sacreBLEU's own metric with these options."""

    def signature(self, n_references: int | None = 1) -> str:
        """Return sacreBLEU's signature with its version; the number of references is left out if it varies."""
        scorer = self._own_scorer()
        arguments = {**vars(scorer), "num_refs": -1 if n_references is None else n_references}
        return str(scorer._SIGNATURE_TYPE(arguments))

    def reference_signature(self, references: Sequence[tuple[str, ...]]) -> str:
        """Return sacreBLEU's signature of the score of a test set with these references."""
        counts = {len(several) for several in references}
        return self.signature(counts.pop() if len(counts) == 1 else None)

    def _kept_of(self, references: tuple[tuple[str, ...], ...], make: Callable[[Any], _Kept]) -> _Kept:
        """Return what is cached for references; it is computed if the last call had other references."""
        kept: tuple[object, _Kept] | None = self.__dict__.get("_kept")
        if kept is None or kept[0] != references:
            kept = references, make(references)
            self.__dict__["_kept"] = kept  # one assignment, so that threads see all of it or nothing
        return kept[1]

    def own_score(self, totals: Any) -> float:
        """Return sacreBLEU's score of totals, to the last bit, in the type in which it sums them."""
        return float(self._own_scorer()._compute_score_from_stats(totals).score)

    def _own_scorer(self) -> Scorer:
        scorer: Scorer | None = self.__dict__.get("_own")
        if scorer is None:
            with _unlogged():
                scorer = self.__dict__["_own"] = self._scorer()
        return scorer

    def __getstate__(self) -> dict[str, Any]:
        # Only the options: what is cached is large and quickly recomputed.
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Bleu(TranslationMetric):
    """BLEU (Papineni et al. 2002), from 0 to 100, equal to sacreBLEU's corpus score.

    BP · exp(Σₙ log(matchesₙ / n-gramsₙ) / N), with BP = min(1, exp(1 − reference length / output length)); section 2.3
    of the paper. With several references a match is clipped by the largest count in one of them. The reference length
    is the one closest to the output's, the shorter one of two equally close.

    A row is the lengths of output and reference in tokens, then the matched n-grams of each order 1 to N, then the
    output's n-grams of each order. The gain is not linear. Scores differ from sacreBLEU's at most in the last bits
    (relative 1e-14), because logarithms are summed in another order.

    Parameters
    ----------
    force : bool
        Omit the warning if outputs look tokenized.
    tokenize : str, optional
        A tokenizer of sacreBLEU: 13a, intl, zh, ja-mecab, ko-mecab, char, none, spm, flores101, flores200, spBLEU-1K.
        By default that of `trg_lang`, or 13a.
    smooth_method : {"exp", "floor", "add-k", "none"}
        Smoothing of orders without a match (Chen & Cherry 2014), which are rare on a corpus.
    smooth_value : float, optional
        Value that `floor` and `add-k` add; 0.1 and 1 by default.
    max_ngram_order : int
        N.
    effective_order : bool
        Leave out orders for which the output has no n-grams. It is meant for scores of single segments, where it is
        always on. On a corpus it has no effect unless all segments are shorter than N.
    trg_lang : str
        Target language, which sets the default of `tokenize`.

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
    cites = ("papineni2002", "post2018")
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
            what = f"expected a number of at least 0, got {self.smooth_value}"
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
        """Return the scores of totals, shape (..., k) to (...); 0 if nothing matches."""
        order = self.max_ngram_order
        output_length, reference_length = totals[..., 0], totals[..., 1]
        matches, ngrams = totals[..., 2 : 2 + order], totals[..., 2 + order :]
        if self.smooth_method != "add-k" and matches.size and matches.min() > 0:
            # Bootstrap samples of a corpus have matches of all orders: no smoothing and no order left out.
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
        """Return sacreBLEU's warning about the tokenizer."""
        best, remarks = _TOKENIZERS.get(self.trg_lang), super().remarks_on_references(references)
        if best is not None and self.tokenize not in (None, best):
            message = f"The tokenizer is {self.tokenize}, but the one for {self.trg_lang} is bleu:tokenize={best}."
            return (message, *remarks)
        return remarks

    def kept_of(self, texts: Sequence[str]) -> tuple[Sequence[str], str] | None:
        """Return the tokens of sacreBLEU's tokenizers; 13a and none drop no letters."""
        kept = None if self._tokenizer in _OWN_TOKENIZERS else self._tokenized(texts)
        return None if kept is None else (kept, f" (tokenize={self._tokenizer})")

    def remarks_on_outputs(self, outputs: Sequence[str]) -> Sequence[str]:
        """Return sacreBLEU's warning if outputs look tokenized, and the number of empty outputs."""
        empty = super().remarks_on_outputs(outputs)
        tokenized = 0 if self.force else sum(output.endswith(" .") for output in outputs)
        if tokenized < _MANY_TOKENIZED:
            return empty
        return (
            *empty,
            f"{tokenized} outputs end in a space and a full stop, as tokenized text does; BLEU is defined for "
            "detokenized text (bleu:force omits this warning).",
        )

    def text_rows(self, outputs: Sequence[str], references: tuple[tuple[str, ...], ...]) -> FloatArray:
        words, lengths = self._kept_of(references, self._words_of)
        tokens, order = words.numbered(outputs), self.max_ngram_order
        output_lengths = tokens.lengths
        # The shorter one of two equally close.
        closest = np.argmin(2 * np.abs(lengths - output_lengths) + (lengths > output_lengths), axis=0)
        reference_length = np.take_along_axis(lengths, closest[None], axis=0)[0]
        (matches,) = shared_ngrams(tokens, words.references, order, clipped=True)
        return np.column_stack([output_lengths, reference_length, matches, ngrams(output_lengths, order)]).astype(
            np.float64
        )

    def _words_of(self, references: tuple[tuple[str, ...], ...]) -> tuple[Words, IntArray]:
        """Return the words of references and their numbers of words, shape (R, n); a very large number if missing."""
        texts, missing = _streams(references)
        if self._tokenizer in _OWN_TOKENIZERS:
            _installed(self.name)
            by_13a = self._tokenizer == "13a"
            prepare = self._prepared_for_13a if by_13a else partial(_cased, lowercase=self.lowercase)
            words = Words(texts, prepare, split_by_13a if by_13a else None)
        else:
            words = Words(texts, self._tokenized)
        lengths = np.array([reference.lengths for reference in words.references])
        return words, np.where(missing, _NO_LENGTH, lengths)

    def _prepared_for_13a(self, texts: Sequence[str]) -> Sequence[str]:
        return prepared_for_13a(_cased(texts, lowercase=self.lowercase))

    def _tokenized(self, texts: Sequence[str]) -> Sequence[str]:
        tokenizer = vars(self._own_scorer())["tokenizer"]
        return [tokenizer(text.rstrip()) for text in _cased(texts, lowercase=self.lowercase)]

    def signature(self, n_references: int | None = 1) -> str:
        if self._tokenizer not in _OWN_TOKENIZERS:
            return super().signature(n_references)
        smoothing = self.smooth_method
        if smoothing in ("floor", "add-k"):
            value = SMOOTHING[smoothing] if self.smooth_value is None else self.smooth_value
            smoothing = f"{smoothing}[{value:.2f}]"
        case, effective = "lc" if self.lowercase else "mixed", "yes" if self.effective_order else "no"
        options = {"case": case, "eff": effective, "tok": self._tokenizer, "smooth": smoothing}
        return _signature(self.name, n_references, options)

    @property
    def _tokenizer(self) -> str:
        return _TOKENIZERS.get(self.trg_lang, "13a") if self.tokenize is None else self.tokenize

    def _scorer(self) -> BLEU:
        implementation = sacrebleu_metrics(self.name).BLEU
        if self.tokenize is not None and self.tokenize not in implementation.TOKENIZERS:
            what = f"unknown tokenizer {quoted(self.tokenize)}"
            advice = nearest(self.tokenize, implementation.TOKENIZERS)
            raise OptionError(Problem("bleu:tokenize", what, advice, "unknown-tokenizer"))
        try:
            scorer: BLEU = implementation(**asdict(self))
        except (ImportError, RuntimeError):  # raised by sacreBLEU for MeCab
            tokenizer = self.tokenize or f"{self.trg_lang}-mecab"
            what = f"the tokenizer {tokenizer} needs a package that is not installed"
            advice = f'Run: pip install "{_PACKAGES.get(tokenizer, "sentencepiece")}".'
            raise MissingDependencyError(Problem("bleu:tokenize", what, advice, "missing-dependency")) from None
        except OSError as error:
            what = f"the model of the tokenizer {self.tokenize} is not available: {printable(str(error))}"
            advice = "sacreBLEU downloads it once: run it with a network connection."
            raise FileAccessError(Problem("bleu:tokenize", what, advice, "no-tokenizer-model")) from None
        return scorer


def _streams(references: tuple[tuple[str, ...], ...]) -> tuple[list[list[str]], BoolArray]:
    """Return one sequence of texts per reference, shape (R, n), and where an item has fewer than R references."""
    streams = list(zip_longest(*references))
    missing = np.array([[text is None for text in texts] for texts in streams])
    return [["" if text is None else text for text in texts] for texts in streams], missing


def _signature(asker: str, n_references: int | None, options: Mapping[str, object]) -> str:
    """Return sacreBLEU's signature of a score with these options."""
    options_shown = {"nrefs": "var" if n_references is None else n_references, **options, "version": _version(asker)}
    return "|".join(f"{name}:{value}" for name, value in options_shown.items())


def _brevity(output_length: FloatArray, reference_length: FloatArray) -> FloatArray:
    """Return the brevity penalty, min(1, exp(1 − reference length / output length))."""
    excess = np.divide(
        reference_length,
        output_length,
        out=np.where(reference_length > 0, np.inf, 1.0),
        where=output_length > 0,
    )
    return np.asarray(np.exp(np.minimum(0.0, 1.0 - excess)))


@dataclass(frozen=True)
class ChrF(TranslationMetric):
    """chrF (Popović 2015), from 0 to 100, equal to sacreBLEU's corpus score.

    (1 + β²) · P · R / (β² · P + R), where P and R are the mean precision and recall of all orders for which both texts
    have n-grams; equation 1 of the paper. Of several references sacreBLEU uses the one with the highest score, segment
    by segment.

    A row is, for each order of characters and then of words, the n-grams of the output, those of the reference, and
    the matches. The gain is not linear. Scores differ from sacreBLEU's at most in the last bits (relative 1e-14),
    because precisions are summed in another order.

    Parameters
    ----------
    char_order, word_order : int
        Maximum order of character and word n-grams; chrF++ has a `word_order` of 2.
    beta : int
        Weight of recall relative to precision.
    whitespace : bool
        Whether character n-grams include white space.
    eps_smoothing : bool
        Average the orders' F scores, with almost 0 for those without n-grams, as in chrF++.py and NLTK.

    Examples
    --------
    >>> metric = ChrF()
    >>> rows = metric.rows(["The cat sat on the mat."], [("The cat sat on a mat.",)])
    >>> rows[:, :3]
    array([[18., 16., 15.]])
    >>> round(float(metric.score(rows.sum(axis=0))), 4)
    71.4225
    """

    name = "chrf"
    title = "chrF"
    higher_is_better = True
    score_range = (0.0, 100.0)
    cites = ("popovic2015", "post2018")
    citation = "Popović 2015; Post 2018 (sacreBLEU)"

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    def __post_init__(self) -> None:
        orders = self.char_order, self.word_order
        if min(orders) < 0 or max(orders) > LONGEST or max(orders) == 0:
            what = f"expected orders from 0 to {LONGEST}, not both 0, got {self.char_order} and {self.word_order}"
            advice = "The defaults are 6 and 0; 6 and 2 for chrf++."
            raise OptionError(Problem(f"{self.name}:char_order, word_order", what, advice, "out-of-range"))

    @property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        orders = [f"char_{n + 1}" for n in range(self.char_order)] + [f"word_{n + 1}" for n in range(self.word_order)]
        return tuple(f"{what}_{order}" for order in orders for what in ("output", "reference", "matches"))

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        orders = [name.removeprefix("matches_") for name in self.statistics if name.startswith("matches_")]
        return tuple((f"matches_{order}", f"{whole}_{order}") for order in orders for whole in ("output", "reference"))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the scores of totals, shape (..., k) to (...); 0 if no order counts."""
        counts = totals.reshape(*totals.shape[:-1], self.char_order + self.word_order, 3)
        in_output, in_reference, matches = counts[..., 0], counts[..., 1], counts[..., 2]
        factor = self.beta**2
        if self.eps_smoothing:
            precisions = _ratio(matches, in_output, _EPSILON)
            recalls = _ratio(matches, in_reference, _EPSILON)
            return np.asarray(100.0 * _f(precisions, recalls, factor, _EPSILON).sum(axis=-1) / counts.shape[-2])
        counted = (in_output > 0) & (in_reference > 0)
        n_counted = np.maximum(counted.sum(axis=-1), 1)
        precision = np.where(counted, _ratio(matches, in_output), 0.0).sum(axis=-1) / n_counted
        recall = np.where(counted, _ratio(matches, in_reference), 0.0).sum(axis=-1) / n_counted
        return np.asarray(100.0 * _f(precision, recall, factor))

    def remark_on_script(self, script: str) -> str | None:
        return None if self.word_order == 0 else whole_clauses(script, f"{self.name}, which also counts words,", "chrf")

    def text_rows(self, outputs: Sequence[str], references: tuple[tuple[str, ...], ...]) -> FloatArray:
        in_texts, words, missing = self._kept_of(references, self._tokens_of)
        recall_weight = float(self.beta**2)  # raises OverflowError here, before any score is computed
        kinds = [(self._characters(outputs, FOREIGN), in_texts, self.char_order)]
        if words is not None:
            kinds.append((words.numbered(outputs), words.references, self.word_order))
        counts = np.concatenate([_counts(*kind) for kind in kinds], axis=2)
        if len(counts) == 1:
            best = counts[0]
        else:
            scores = np.where(missing, -1.0, self._segment_scores(counts, recall_weight))
            best = counts[np.argmax(scores, axis=0), np.arange(len(outputs))]  # the first of the best
        return np.asarray(best.reshape(len(outputs), -1), dtype=np.float64)

    def _tokens_of(self, references: tuple[tuple[str, ...], ...]) -> tuple[tuple[Tokens, ...], Words | None, BoolArray]:
        """Return characters and, if they count, words of references; and where a reference is missing."""
        _installed(self.name)
        texts, missing = _streams(references)
        prepare = partial(_cased, lowercase=self.lowercase)
        words = Words(texts, prepare, split_at_edge) if self.word_order else None
        return tuple(self._characters(text, END) for text in texts), words, missing

    def _characters(self, texts: Sequence[str], end: int) -> Tokens:
        return characters(_cased(texts, lowercase=self.lowercase), end, blanks=self.whitespace)

    def _segment_scores(self, counts: IntArray, recall_weight: float) -> FloatArray:
        """Return the scores of segments, shape (..., orders, 3) to (...), bit-identical to those sacreBLEU compares."""
        weight, n_orders = float(1 + self.beta**2), counts.shape[-2]
        total, precision, recall, n_counted = (np.zeros(counts.shape[:-2]) for _ in range(4))
        for order in range(n_orders):
            in_output, in_reference, matches = np.moveaxis(counts[..., order, :], -1, 0)
            precisions, recalls = _ratio(matches, in_output, _EPSILON), _ratio(matches, in_reference, _EPSILON)
            total += _ratio(weight * precisions * recalls, recall_weight * precisions + recalls, _EPSILON)
            counted = (in_output > 0) & (in_reference > 0)
            precision += np.where(counted, precisions, 0.0)
            recall += np.where(counted, recalls, 0.0)
            n_counted += counted
        if self.eps_smoothing:
            return np.asarray(100 * total / n_orders)
        precision, recall = _ratio(precision, n_counted), _ratio(recall, n_counted)
        return np.asarray(100 * _ratio(weight * precision * recall, recall_weight * precision + recall))

    def signature(self, n_references: int | None = 1) -> str:
        case, effective = "lc" if self.lowercase else "mixed", "no" if self.eps_smoothing else "yes"
        orders = {"nc": self.char_order, "nw": self.word_order}
        options = {"case": case, "eff": effective, **orders, "space": "yes" if self.whitespace else "no"}
        return _signature(self.name, n_references, options)

    def _scorer(self) -> CHRF:
        scorer: CHRF = sacrebleu_metrics(self.name).CHRF(**asdict(self))
        return scorer


@dataclass(frozen=True)
class ChrFPlusPlus(ChrF):
    """chrF++ (Popović 2017), from 0 to 100: `ChrF` with single words and pairs of words.

    Examples
    --------
    >>> metric = ChrFPlusPlus()
    >>> rows = metric.rows(["The cat sat on the mat."], [("The cat sat on a mat.",)])
    >>> round(float(metric.score(rows.sum(axis=0))), 4)
    72.6591
    """

    name = "chrf++"
    title = "chrF++"
    cites = ("popovic2017", "post2018")
    citation = "Popović 2017; Post 2018 (sacreBLEU)"

    word_order: int = 2


def _counts(outputs: Tokens, references: Sequence[Tokens], longest: int) -> IntArray:
    """Return n-grams in outputs, in references and in both, shape (R, n, N, 3), as in sacreBLEU.

    For an order without n-grams in the reference, the output's count is set to 0.
    """
    in_reference = np.array([ngrams(reference.lengths, longest) for reference in references])
    in_output = np.where(in_reference > 0, ngrams(outputs.lengths, longest), 0)
    return np.stack([in_output, in_reference, shared_ngrams(outputs, references, longest)], axis=-1)


def _ratio(part: FloatArray, whole: FloatArray, otherwise: float = 0.0) -> FloatArray:
    return np.asarray(np.divide(part, whole, out=np.full(whole.shape, otherwise), where=whole > 0))


def _f(precision: FloatArray, recall: FloatArray, factor: int, otherwise: float = 0.0) -> FloatArray:
    return _ratio((1 + factor) * precision * recall, factor * precision + recall, otherwise)


@dataclass(frozen=True)
class Ter(RatioMetric, TranslationMetric):
    """Translation edit rate (Snover et al. 2006), in edits per 100 words, equal to sacreBLEU's corpus score.

    100 · edits / reference length: insertions, deletions, substitutions and shifts of phrases; section 2.2 of the
    paper. With several references, it uses the edits to the closest one and their mean length. It may exceed 100.

    A row is (edits, reference length in words). The length is the same for both systems, so the gain is linear and
    has exact distributions.

    Tokenization is sacreBLEU's. Shifts and edit distances are computed by `outscore.metrics.edit_rate`, for many
    segments at once, with the same results: it has the same limits and the same choice among equal shifts.

    Parameters
    ----------
    normalized : bool
        Tokenize, and decode XML characters.
    no_punct : bool
        Remove punctuation.
    asian_support : bool
        Split and clean Chinese, Japanese and Korean, with `normalized` or `no_punct`.

    Examples
    --------
    >>> metric = Ter()
    >>> rows = metric.rows(["The cat sat on the mat."], [("The cat sat on a mat.",)])
    >>> rows
    array([[1., 6.]])
    >>> round(float(metric.score(rows.sum(axis=0))), 4)
    16.6667
    """

    name = "ter"
    title = "TER"
    statistics = ("edits", "reference_length")
    shared_statistics = ("reference_length",)
    signed = False
    numerator = (100.0, 0.0)
    denominator = (0.0, 1.0)
    higher_is_better = False
    score_range = (0.0, math.inf)
    cites = ("snover2006", "post2018")
    citation = "Snover et al. 2006; Post 2018 (sacreBLEU)"

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def fitted(self, references: Sequence[tuple[str, ...]], outputs: Sequence[Sequence[str]]) -> Self:
        """Return this metric, after checking that the references have words.

        sacreBLEU scores empty references 100 if there is an edit and 0 otherwise.
        """
        del outputs
        refuse_empty(references, self.name)
        return self

    @property
    def formatting(self) -> Mapping[str, str | None]:
        case = {CASE: None} if self.case_sensitive else {}
        return {**case, **({} if self.no_punct else {PUNCTUATION: "no_punct"}), UNICODE_FORM: None}

    def kept_of(self, texts: Sequence[str]) -> tuple[Sequence[str], str]:
        """Return the words of texts."""
        return [self._own_scorer()._preprocess_segment(text) for text in texts], ""

    def text_rows(self, outputs: Sequence[str], references: tuple[tuple[str, ...], ...]) -> FloatArray:
        return self._kept_of(references, self._tokenized).rows(outputs)

    def _tokenized(self, references: tuple[tuple[str, ...], ...]) -> TokenizedReferences:
        return TokenizedReferences(self._own_scorer()._preprocess_segment, references)

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each segment's TER, shape (n,); for an empty reference 100 if there is an edit, as sacreBLEU does."""
        return np.where(rows[:, 1] == 0, np.where(rows[:, 0] > 0, 100.0, 0.0), self.score(rows))

    def remark_on_script(self, script: str) -> str | None:
        splits = script in ("Chinese", "Japanese")
        if splits and self.normalized and self.asian_support:
            return None
        return whole_clauses(script, self.name, "ter:normalized,asian_support" if splits else "chrf")

    def _scorer(self) -> TER:
        scorer: TER = sacrebleu_metrics(self.name).TER(**asdict(self))
        return scorer
