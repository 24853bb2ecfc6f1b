"""Precision, recall and F1 of typed spans, micro, macro and by type: named entities, chunks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from outscore._types import FloatArray
from outscore.data.items import Corpus, Span, TaggedSentence
from outscore.errors import DataError, Problem
from outscore.metrics.base import RatioMetric, ResponseMetric
from outscore.text.naming import listed, nearest, printable, quoted


class _Spans(ResponseMetric[TaggedSentence, TaggedSentence]):
    """Base of the metrics of spans. A span is correct if its start, end and type equal those of a gold span."""

    output_type = TaggedSentence
    reference_type = TaggedSentence
    higher_is_better = True
    as_percentage = True
    score_range = (0.0, 1.0)
    cites = ("tjongkimsang2003",)
    citation = (
        "Tjong Kim Sang and De Meulder 2003, Introduction to the CoNLL-2003 Shared Task, section 2.3 (conlleval); "
        "Nakayama 2018, seqeval"
    )

    def paired(self, outputs: Corpus[TaggedSentence], references: Corpus[TaggedSentence]) -> Corpus[TaggedSentence]:
        """Return a system's sentences in the order of the references.

        Sentences without ids are first compared token by token. An extra or missing blank line shifts all sentences
        after it, and the first token that differs shows its place.
        """
        if len(outputs.lines) and (outputs.item_ids is None or references.item_ids is None):
            _check_order(outputs, references)
        return super().paired(outputs, references)

    def check_outputs(self, outputs: Sequence[TaggedSentence], references: Sequence[TaggedSentence]) -> None:
        """Raise a DataError if outputs and references have types, but none in common."""
        given, gold = _types_in(outputs), _types_in(references)
        if given and gold and not given & gold:
            what = f"no type of the outputs is one of the references' types {listed(sorted(gold))}: "
            what += f"got {listed(sorted(given))}"
            advice = "Use the type names of the references in the outputs, with the same case."
            raise DataError(Problem("outputs", what, advice, "not-labels"))


class _MicroSpans(RatioMetric, _Spans):
    """Rows of (tp, predicted, gold): the counts of spans of all types, or of one."""

    statistics = ("tp", "predicted", "gold")
    shared_statistics = ("gold",)
    signed = False
    parts = (("tp", "predicted"), ("tp", "gold"))
    type: str | None

    def _counted(self, sentence: TaggedSentence) -> frozenset[Span]:
        if self.type is None:
            return sentence.spans
        return frozenset(span for span in sentence.spans if span[2] == self.type)

    def responses(self, output: TaggedSentence, reference: TaggedSentence) -> Mapping[Hashable, Sequence[float]]:
        return {span: (float(span in reference.spans), 1.0, 0.0) for span in self._counted(output)}

    def rows(self, outputs: Sequence[TaggedSentence], references: Sequence[TaggedSentence]) -> FloatArray:
        """Return the counts (tp, predicted, gold) of each sentence, shape (n, 3)."""
        _check_tokens(outputs, references)
        counts = []
        for output, reference in zip(outputs, references, strict=True):
            predicted, gold = self._counted(output), self._counted(reference)
            counts.append((len(predicted & gold), len(predicted), len(gold)))
        rows = np.array(counts, dtype=np.float64).reshape(-1, 3)
        if self.type is not None and references and not rows[:, 2].any():
            what = f"expected spans of type {quoted(self.type)}, but the references have none"
            advice = nearest(self.type, sorted(_types_in(references)))
            raise DataError(Problem(f"{self.name}:type", what, advice, "unknown-type"))
        return rows


@dataclass(frozen=True)
class SpanPrecision(_MicroSpans):
    """The proportion of the system's spans that are correct, from 0 to 1: tp / predicted.

    Attributes
    ----------
    type : str, optional
        Count only spans of this type; all by default.

    Examples
    --------
    >>> gold = TaggedSentence(("Ada", "met", "Bo"), frozenset({(0, 1, "PER"), (2, 3, "PER")}))
    >>> system = TaggedSentence(("Ada", "met", "Bo"), frozenset({(0, 1, "PER"), (1, 2, "LOC"), (2, 3, "LOC")}))
    >>> metric = SpanPrecision()
    >>> round(float(metric.score(metric.rows([system], [gold]).sum(axis=0))), 3)
    0.333
    """

    type: str | None = None

    name = "span-precision"
    title = "span precision"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 0.0)
    is_proportion = True


@dataclass(frozen=True)
class SpanRecall(_MicroSpans):
    """The proportion of the gold spans that were found, from 0 to 1: tp / gold.

    Attributes
    ----------
    type : str, optional
        Count only spans of this type; all by default.

    Examples
    --------
    >>> gold = TaggedSentence(("Ada", "met", "Bo"), frozenset({(0, 1, "PER"), (2, 3, "PER")}))
    >>> system = TaggedSentence(("Ada", "met", "Bo"), frozenset({(0, 1, "PER"), (2, 3, "LOC")}))
    >>> SpanRecall().rows([system], [gold]).tolist()
    [[1.0, 2.0, 2.0]]
    """

    type: str | None = None

    name = "span-recall"
    title = "span recall"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 0.0, 1.0)
    is_proportion = True


@dataclass(frozen=True)
class SpanF1(_MicroSpans):
    """The harmonic mean of micro precision and recall of spans, from 0 to 1: 2 tp / (predicted + gold).

    It is the score of conlleval, and seqeval's micro average.

    Attributes
    ----------
    type : str, optional
        Count only spans of this type; all by default.

    Examples
    --------
    >>> import numpy as np
    >>> arcada = np.array([373.0, 787.0, 1079.0])  # WNUT 2017
    >>> round(float(SpanF1().score(arcada)), 4)
    0.3998
    """

    type: str | None = None

    name = "span-f1"
    title = "span F1"
    numerator = (2.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 1.0)


@dataclass(frozen=True)
class _MacroSpans(_Spans):
    """The mean over types of a ratio of each type's counts. A row is (tp, predicted, gold) of every type.

    As in seqeval, the mean is over the types in the references or in this system's outputs. A type that neither has is
    left out, and a type that only one of them has scores 0. The same rule holds in every sample, so the score is that
    of seqeval on the resampled sentences.
    """

    types: tuple[str, ...] = ()

    signed = False
    top: ClassVar[tuple[float, float, float]]  # coefficients of (tp, predicted, gold) of a type
    bottom: ClassVar[tuple[float, float, float]]

    @property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(f"{count} {kind}" for kind in self.types for count in ("tp", "predicted", "gold"))

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        return tuple((f"tp {kind}", f"{whole} {kind}") for kind in self.types for whole in ("predicted", "gold"))

    def with_types(self, *corpora: Iterable[TaggedSentence]) -> Self:
        """Return this metric with the types that occur in the corpora: the references and all systems."""
        return replace(self, types=tuple(sorted({kind for corpus in corpora for kind in _types_in(corpus)})))

    def fitted(self, references: Sequence[TaggedSentence], outputs: Sequence[Sequence[TaggedSentence]]) -> Self:
        """Return this metric with the types of the references and of all systems, if none were given."""
        return self if self.types else self.with_types(references, *outputs)

    def responses(self, output: TaggedSentence, reference: TaggedSentence) -> Mapping[Hashable, Sequence[float]]:
        return {
            span: np.kron([kind == span[2] for kind in self.types], [span in reference.spans, 1.0, 0.0]).tolist()
            for span in output.spans
        }

    def rows(self, outputs: Sequence[TaggedSentence], references: Sequence[TaggedSentence]) -> FloatArray:
        """Return the counts of each sentence by type, shape (n, 3 · number of types)."""
        _check_tokens(outputs, references)
        columns = {kind: 3 * j for j, kind in enumerate(self.types)}
        rows = np.zeros((len(references), 3 * len(self.types)))
        for i, (output, reference) in enumerate(zip(outputs, references, strict=True)):
            for offset, spans in enumerate((output.spans & reference.spans, output.spans, reference.spans)):
                for span in spans:
                    if span[2] not in columns:
                        raise _unlisted(i, span[2], self.types)
                    rows[i, columns[span[2]] + offset] += 1
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        counts = totals.reshape(*totals.shape[:-1], len(self.types), 3)
        tops, bottoms = counts @ np.array(self.top), counts @ np.array(self.bottom)
        scores = np.divide(tops, bottoms, out=np.zeros(bottoms.shape), where=bottoms > 0)
        n_types = (counts[..., 1] + counts[..., 2] > 0).sum(axis=-1)
        return np.asarray(scores.sum(axis=-1) / np.maximum(n_types, 1))

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each item's own score, shape (n,); 1 for a sentence without spans on either side."""
        return np.where(rows.any(axis=1), self.score(rows), 1.0)


@dataclass(frozen=True)
class MacroSpanPrecision(_MacroSpans):
    """The mean over types of the precision of each type's spans, from 0 to 1: seqeval's macro average.

    A row is (tp, predicted, gold) of every type. For the types that count see `MacroSpanF1`.

    Attributes
    ----------
    types : tuple of str
        As for `MacroSpanF1`.
    """

    name = "macro-span-precision"
    title = "macro span precision"
    top = (1.0, 0.0, 0.0)
    bottom = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class MacroSpanRecall(_MacroSpans):
    """The mean over types of the recall of each type's spans, from 0 to 1: seqeval's macro average.

    A row is (tp, predicted, gold) of every type. For the types that count see `MacroSpanF1`.

    Attributes
    ----------
    types : tuple of str
        As for `MacroSpanF1`.
    """

    name = "macro-span-recall"
    title = "macro span recall"
    top = (1.0, 0.0, 0.0)
    bottom = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class MacroSpanF1(_MacroSpans):
    """The mean over types of the F1 of each type's spans, from 0 to 1: seqeval's macro average.

    A row is (tp, predicted, gold) of every type. As in seqeval, the mean is over the types in the references or in
    this system's outputs. A type that neither has is left out, and a type in the outputs only has an F1 of 0. The
    same rule holds in every sample, so the score is that of seqeval on the resampled sentences.

    Attributes
    ----------
    types : tuple of str
        The types that have columns, equal for all compared systems; by default all types that occur. Extra types
        have no effect.

    Examples
    --------
    >>> gold = TaggedSentence(("Ada", "met", "Bo"), frozenset({(0, 1, "PER"), (2, 3, "ORG")}))
    >>> system = TaggedSentence(("Ada", "met", "Bo"), frozenset({(0, 1, "PER")}))
    >>> metric = MacroSpanF1().with_types([gold, system])
    >>> metric.statistics
    ('tp ORG', 'predicted ORG', 'gold ORG', 'tp PER', 'predicted PER', 'gold PER')
    >>> float(metric.score(metric.rows([system], [gold]).sum(axis=0)))
    0.5
    """

    name = "macro-span-f1"
    title = "macro span F1"
    top = (2.0, 0.0, 0.0)
    bottom = (0.0, 1.0, 1.0)


def _types_in(corpus: Iterable[TaggedSentence]) -> set[str]:
    return {kind for sentence in corpus for _, _, kind in sentence.spans}


def _unlisted(index: int, kind: str, types: Iterable[str]) -> DataError:
    what = f"got a span of type {quoted(kind)}, which is not one of the metric's types"
    return DataError(Problem(f"[{index}]", what, nearest(kind, types), "unknown-type"))


def _check_tokens(
    outputs: Sequence[TaggedSentence],
    references: Sequence[TaggedSentence],
    place_of: Callable[[int, int], str] = lambda sentence, _: f"[{sentence}]",
) -> None:
    """Raise an error if the tokens of outputs and references differ; `place` returns where a token of a sentence is."""
    problems = []
    for index, (output, reference) in enumerate(zip(outputs, references, strict=False)):
        token = _differing_token(output, reference)
        if token is not None:
            problems.append(_different_tokens(place_of(index, token), output, reference, token))
    if problems:
        raise DataError(*problems)


def _check_order(outputs: Corpus[TaggedSentence], references: Corpus[TaggedSentence]) -> None:
    """Raise an error at the first token in which outputs and references differ, with its line.

    A token has a line of its own only if sentences have one token per line, so that the next sentence begins after
    their last token.
    """
    spaced = zip(outputs.lines, outputs.lines[1:], outputs.items, strict=False)
    is_column = all(following - line > len(item.tokens or ()) for line, following, item in spaced)
    name = printable(outputs.name)
    _check_tokens(
        outputs.items,
        references.items,
        lambda sentence, token: f"{name}:{outputs.lines[sentence] + token * is_column}",
    )


def _differing_token(output: TaggedSentence, reference: TaggedSentence) -> int | None:
    """Return the index of the first token in which two sentences differ, None if none does or tokens are unknown."""
    if output.tokens is None or reference.tokens is None or output.tokens == reference.tokens:
        return None
    pairs = enumerate(zip(output.tokens, reference.tokens, strict=False))
    shorter = min(len(output.tokens), len(reference.tokens))
    return next((index for index, (mine, theirs) in pairs if mine != theirs), shorter)


def _different_tokens(where: str, output: TaggedSentence, reference: TaggedSentence, token: int) -> Problem:
    """Return the problem of an output whose token at that index differs from the reference's."""
    got, expected = (
        quoted(sentence.tokens[token])
        if sentence.tokens and token < len(sentence.tokens)
        else "the end of the sentence"
        for sentence in (output, reference)
    )
    return Problem(
        where,
        f"token {token + 1}: expected {expected} as in the reference, got {got}",
        "Outputs and references must have the same tokens, and the same blank lines between sentences.",
        "different-tokens",
    )
