"""Every metric keeps what tests rely on, and the published checks catch metrics that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from outscore import OutputMetric, RatioMetric, RecomputedMetric
from outscore._types import AnyArray, FloatArray
from outscore.errors import OptionError
from outscore.metrics import METRICS, AnyMetric
from outscore.testing import (
    check_additivity,
    check_corpus_score,
    check_declaration,
    check_direction,
    check_metric,
    check_monotone,
    check_pickling,
    check_ratio,
    check_recomputation,
    check_shared_statistics,
    check_vectorisation,
)
from tests.kit import (
    OUTPUT_METRICS,
    Alignment,
    Answer,
    BracketedTree,
    DependencyTree,
    GoldAlignment,
    GoldAnswers,
    GoldLabel,
    Judgements,
    Label,
    RankedDocuments,
    TaggedSentence,
    Utterance,
    item_format,
    output_metric,
)


def trees(*texts: str) -> Sequence[BracketedTree]:
    return item_format("brackets").parse("\n".join(texts), "trees").items


def parses(*sentences: str) -> Sequence[DependencyTree]:
    """Return sentences written as "word/head/relation" with spaces between them."""
    blocks = []
    for sentence in sentences:
        words = [part.rsplit("/", 2) for part in sentence.split()]
        blocks.append(
            "\n".join(f"{i}\t{w}\t_\tX\tX\t_\t{h}\t{r}\t_\t_" for i, (w, h, r) in enumerate(words, start=1)) + "\n\n"
        )
    return item_format("conllx").parse("".join(blocks), "parses").items


def tagged(tokens: str, *spans: tuple[int, int, str]) -> TaggedSentence:
    return TaggedSentence(tuple(tokens.split()), frozenset(spans))


TEXTS = (
    ["The cat sat on the mat.", "", "He is at home now, is he not?", "Nothing matches here", "Two words"],
    [
        ("The cat sat on a mat.", "A cat was on the mat."),
        ("It rains.",),
        ("Is he at home now?", "He is at home now, isn't he?"),
        ("Quite other text",),
        ("Two words", "Three more words"),
    ],
    ["The cat sat on a mat.", "It rains.", "Is he at home now?", "Quite other text", "Two words"],
)
TAGGED = (
    [
        tagged("Ada met Bo in Rome", (0, 1, "PER"), (2, 3, "LOC"), (4, 5, "LOC")),
        tagged("nothing here"),
        tagged("the Acme Corp", (1, 3, "ORG")),
        tagged("Bo left", (0, 2, "PER")),
    ],
    [
        tagged("Ada met Bo in Rome", (0, 1, "PER"), (2, 3, "PER"), (4, 5, "LOC")),
        tagged("nothing here"),
        tagged("the Acme Corp", (1, 3, "ORG")),
        tagged("Bo left", (0, 1, "PER")),
    ],
)
LABELS = (
    [Label(label) for label in ("1", "2", "3", "3", "1", "2")],
    [GoldLabel(label) for label in ("1", "3", "3", "2", "1", "1")],
)
NUMBERS = ([1.0, 2.5, -0.5, 4.0, 0.0], [1.5, 2.0, 0.0, 3.0, -1.0])
JUDGED = [
    Judgements({"a": 2, "b": 1, "c": 0}),
    Judgements({"a": 1}),
    Judgements({"c": 0}),
    Judgements({"d": 3, "e": 1}),
]

# Of every type of output: outputs of a system, references, outputs without errors.
SETS: Mapping[type, tuple[Sequence[Any], Sequence[Any], Sequence[Any]]] = {
    str: TEXTS,
    Utterance: (
        ["the cat sat", "", "oh well", "yes"],
        ["the cat sat down", "", "oh", "no"],
        ["the cat sat down", "", "oh", "no"],
    ),
    DependencyTree: (
        parses("the/2/det cat/3/nsubj sat/0/root ./3/punct", "go/0/root home/1/obj", "is/2/cop it/0/root"),
        parses("the/2/det cat/3/nsubj sat/0/root ./2/punct", "go/0/root home/1/advmod", "is/2/cop it/0/root"),
        parses("the/2/det cat/3/nsubj sat/0/root ./2/punct", "go/0/root home/1/advmod", "is/2/cop it/0/root"),
    ),
    BracketedTree: (
        trees("(S (NP (D the)) (VP (N cat) (V sat)))", "(S (A a) (, ,) (B b))", "(S (X (A a)) (Y (B b)))"),
        trees("(S (NP (D the) (N cat)) (VP (V sat)))", "(S (A a) (, ,) (B b))", "(S (X (A a) (B b)))"),
        trees("(S (NP (D the) (N cat)) (VP (V sat)))", "(S (A a) (, ,) (B b))", "(S (X (A a) (B b)))"),
    ),
    Alignment: (
        [
            Alignment(frozenset({(0, 0), (1, 1), (2, 1)})),
            Alignment(frozenset()),
            Alignment(frozenset({(0, 0), (1, 0)})),
        ],
        [
            GoldAlignment(frozenset({(0, 0), (1, 2)}), frozenset({(1, 1)})),
            GoldAlignment(frozenset({(0, 0)})),
            GoldAlignment(frozenset({(0, 0)}), frozenset({(1, 1)})),
        ],
        [Alignment(frozenset({(0, 0), (1, 2)})), Alignment(frozenset({(0, 0)})), Alignment(frozenset({(0, 0)}))],
    ),
    TaggedSentence: (*TAGGED, TAGGED[1]),
    Label: (*LABELS, [Label(label) for label in LABELS[1]]),
    Answer: (
        [Answer("The Loire."), Answer("Nantes"), Answer(""), Answer("in the year 1900")],
        [GoldAnswers(("Loire", "river Loire")), GoldAnswers(("Tours",)), GoldAnswers(()), GoldAnswers(("1900",))],
        [Answer("Loire"), Answer("Tours"), Answer(""), Answer("1900")],
    ),
    RankedDocuments: (
        [RankedDocuments(documents) for documents in (("c", "a", "x"), (), ("c",), ("e", "d"))],
        JUDGED,
        [RankedDocuments(documents) for documents in (("a", "b"), ("a",), (), ("d", "e"))],
    ),
    float: (*NUMBERS, NUMBERS[1]),
}
SPECS = [
    *OUTPUT_METRICS,
    *("bleu:smooth_method=floor", "bleu:smooth_method=add-k,max_ngram_order=2,effective_order"),
    *("bleu:smooth_method=none", "bleu:tokenize=char,lowercase", "chrf:eps_smoothing"),
    *("chrf:char_order=2,beta=1,whitespace", "ter:normalized", "ter:no_punct,case_sensitive", "rouge1:measure=p"),
    *("rougeL:measure=r,use_stemmer", "rougeLsum:sentence_separator=.", "uas:punctuation=false", "las:subtypes"),
    *("las:punctuation=no", "clas:subtypes", "bracket-f1:labelled=false", 'bracket-f1:delete_label="",eq_label=""'),
    *("bracket-recall:skip=no", "alignment-f1:links=sure", "alignment-f1:links=possible"),
    *("alignment-precision:links=sure", "alignment-recall:links=possible", "span-f1:type=PER"),
    *("span-recall:type=LOC", "macro-span-f1:types=PER,types=LOC,types=ORG", "micro-f1:labels=1"),
    *("micro-precision:labels=1,labels=2", "macro-f1:labels=1,labels=2", "kappa:weights=linear"),
    *("kappa:weights=quadratic", "exact-match:normalize=false", "token-f1:normalize=false"),
    *("wer:to_lower_case,remove_punctuation", "cer:to_lower_case", "ap:rel=2", "ndcg@1", "ndcg:k=none", "p@2"),
    *("p:k=none", "rr@1", "recall@1"),
]  # fmt: skip
COLUMNS: Mapping[str, tuple[list[Any], list[Any] | None]] = {
    "mean": ([0.5, 1.25, -3.0, 0.0], [1.0, 2.0, 0.0, 0.0]),
    "accuracy": ([0, 1, 1, 0], [1, 1, 1, 1]),
    "ratio": ([[3, 10], [0, 4], [5, 5]], [[10, 10], [4, 4], [5, 5]]),
    "precision": ([[1, 2, 3], [0, 0, 1], [2, 2, 2]], [[3, 3, 3], [1, 1, 1], [2, 2, 2]]),
    "recall": ([[1, 2, 3], [0, 0, 1], [2, 2, 2]], [[3, 3, 3], [1, 1, 1], [2, 2, 2]]),
    "f1": ([[1, 2, 3], [0, 0, 1], [2, 2, 2]], [[3, 3, 3], [1, 1, 1], [2, 2, 2]]),
    "perplexity": ([[69.3, 40], [0.0, 60], [700.0, 100]], [[0.0, 40], [0.0, 60], [0.0, 100]]),
    "bits-per-byte": ([[69.3, 40], [0.0, 60], [700.0, 100]], [[0.0, 40], [0.0, 60], [0.0, 100]]),
}


@pytest.mark.parametrize("spec", SPECS)
def test_every_metric_of_outputs_conforms(spec: str) -> None:
    metric = output_metric(spec)
    outputs, references, perfect = SETS[metric.output_type]
    if metric.output_type is str and not metric.takes_several_references:
        references = [first for first, *_ in references]
    check_metric(metric, outputs, references, perfect=perfect)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_of_columns_conforms(name: str) -> None:
    columns, perfect = COLUMNS[name]
    check_metric(METRICS[name](), columns, perfect=perfect)


def test_corpus_scores_of_other_implementations() -> None:
    import sacrebleu

    accuracy_score = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed").accuracy_score

    def corpus_bleu(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> float:
        return float(sacrebleu.corpus_bleu(outputs, [[several[0] for several in references]]).score)

    outputs, references, _ = SETS[str]
    check_corpus_score(output_metric("bleu"), outputs, [sides[:1] for sides in references], corpus_score=corpus_bleu)
    labels, gold, _ = SETS[Label]
    check_corpus_score(output_metric("accuracy"), labels, gold, corpus_score=lambda out, of: accuracy_score(of, out))
    check_corpus_score(METRICS["mean"](), [1.0, 2.0, 6.0], corpus_score=np.mean)


# Metrics that break one promise each.


@dataclass(frozen=True)
class Right(RatioMetric, OutputMetric[float, float]):
    """The mean absolute error: nothing is wrong with it."""

    scale: float = 1.0

    name = "right"
    statistics = ("error", "items")
    shared_statistics = ("items",)
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)
    higher_is_better = False
    output_type = float
    reference_type = float
    citation = "none"

    def rows(self, outputs: Sequence[float], references: Sequence[float]) -> FloatArray:
        errors = np.abs(np.asarray(outputs) - np.asarray(references)) * self.scale
        return np.column_stack([errors, np.ones(len(errors))])


@dataclass(frozen=True)
class Centred(Right):
    def rows(self, outputs: Sequence[float], references: Sequence[float]) -> FloatArray:
        rows = super().rows(outputs, references)
        return np.column_stack([rows[:, 0] - rows[:, 0].mean(), rows[:, 1]])


@dataclass(frozen=True)
class OneAtATime(Right):
    def score(self, totals: FloatArray) -> FloatArray:
        return np.asarray(totals[0] / totals[1] if totals[1] else 0.0)


@dataclass(frozen=True)
class Normalizing(Right):
    def score(self, totals: FloatArray) -> FloatArray:
        totals /= np.maximum(totals[..., 1:], 1.0)
        return np.asarray(totals[..., 0] * 1.0)


@dataclass(frozen=True)
class Relative(Right):
    def score(self, totals: FloatArray) -> FloatArray:
        scores = super().score(totals)
        return np.asarray(scores - scores.mean() if scores.size else scores)


@dataclass(frozen=True)
class Rounded(Right):
    def score(self, totals: FloatArray) -> FloatArray:
        return super().score(totals).astype(np.float32)


@dataclass(frozen=True)
class Undefined(Right):
    def score(self, totals: FloatArray) -> FloatArray:
        return np.asarray(totals[..., 0] / totals[..., 1])


@dataclass(frozen=True)
class Silent(Right):
    def score(self, totals: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            return np.asarray(totals[..., 0] / totals[..., 1])


@dataclass(frozen=True)
class Taking(Right):
    def rows(self, outputs: Sequence[float], references: Sequence[float]) -> FloatArray:
        rows = super().rows(outputs, references)
        rows[:, 1] = np.where(np.asarray(outputs) < 0, -1.0, 1.0)
        return rows


@dataclass(frozen=True)
class Boastful(Right):
    higher_is_better = True


@dataclass(frozen=True)
class Unshared(Right):
    shared_statistics = ("error",)


@dataclass(frozen=True)
class Whole(Right):
    def rows(self, outputs: Sequence[float], references: Sequence[float]) -> FloatArray:
        return np.asarray(np.rint(super().rows(outputs, references)), dtype=np.int64)


@dataclass(frozen=True)
class Short(Right):
    numerator = (1.0,)  # type: ignore[assignment]


@dataclass
class Thawed:
    name = "thawed"


@dataclass(frozen=True)
class Forgetful(Right):
    kept: list[float] = field(default_factory=list)

    def __getstate__(self) -> dict[str, Any]:
        return {"scale": 2.0, "kept": []}


@dataclass(frozen=True)
class Ordered(RecomputedMetric[float, float]):
    """The error of the first item, as if it were that of all."""

    name = "ordered"
    higher_is_better = False
    output_type = float
    reference_type = float
    citation = "none"

    def score_of(self, outputs: Sequence[float], references: Sequence[float]) -> float:
        return abs(outputs[0] - references[0])


@dataclass(frozen=True)
class Wavering(Ordered):
    seen: list[int] = field(default_factory=list)

    def score_of(self, outputs: Sequence[float], references: Sequence[float]) -> float:
        self.seen.append(1)
        return float(len(self.seen))


@dataclass(frozen=True)
class Fussy(Ordered):
    def score_of(self, outputs: Sequence[float], references: Sequence[float]) -> float:
        return float(np.sum(outputs) / np.ptp(outputs))


@dataclass(frozen=True)
class Full(Right):
    """A ratio but for totals without a denominator, where its laws take it for 0."""

    def score(self, totals: FloatArray) -> FloatArray:
        return np.where(totals[..., 1] > 0, super().score(totals), 1.0)


@dataclass(frozen=True)
class Root(Right):
    def score(self, totals: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(super().score(totals)))


@dataclass(frozen=True)
class Together(RecomputedMetric[float, float]):
    """Mean errors; of test sets that are scored together, those of the first."""

    name = "together"
    higher_is_better = False
    output_type = float
    reference_type = float
    citation = "none"

    def score_of(self, outputs: Sequence[float], references: Sequence[float]) -> float:
        return float(np.abs(np.subtract(outputs, references)).mean())

    def scores_of(self, outputs: AnyArray, references: AnyArray) -> AnyArray:
        scores = super().scores_of(outputs, references)
        return np.full(scores.shape, scores.flat[0])


@dataclass(frozen=True)
class Flattened(Together):
    def scores_of(self, outputs: AnyArray, references: AnyArray) -> AnyArray:
        return super(Together, self).scores_of(outputs, references).ravel()


def test_the_metrics_that_the_broken_ones_derive_from_conform() -> None:
    outputs, references, perfect = SETS[float]
    check_metric(
        Right(), outputs, references, corpus_score=lambda x, y: np.abs(np.subtract(x, y)).mean(), perfect=perfect
    )


@pytest.mark.parametrize(
    ("check", "metric", "says"),
    [
        (check_additivity, Centred(), "expected rows that depend only on their own item; an item's row changed"),
        (
            check_additivity,
            Whole(),
            "expected rows of 64-bit floats of shape (5, 2), one column per statistic; got int64",
        ),
        (check_vectorisation, OneAtATime(), "expected scores of shape (4, 8) for totals of shape (4, 8, 2); "),
        (check_vectorisation, Normalizing(), "expected the totals to be unchanged; score changed them"),
        (check_vectorisation, Relative(), "expected every score to depend only on its own totals; it depends"),
        (check_vectorisation, Rounded(), ", as 64-bit floats; got float32"),
        (check_monotone, Undefined(), "expected finite scores of no items; RuntimeWarning: invalid value"),
        (check_monotone, Silent(), "expected finite scores of no items; got nan for [[0.0, 0.0]]"),
        (check_monotone, Taking(), "expected a denominator that grows with every item; item 2 reduces it"),
        (
            check_ratio,
            Full(),
            "expected a score of numerator / denominator, 0 for a denominator of 0; for [0.0, 0.0] it",
        ),
        (
            check_ratio,
            Root(),
            "expected a score of numerator / denominator, 0 for a denominator of 0; for [0.5, 1.0] it",
        ),
        (
            check_recomputation,
            Together(),
            "expected test sets scored together to have the same scores as separately; got [",
        ),
        (
            check_recomputation,
            Flattened(),
            "expected scores of shape (2, 1) for sides of shape (2, 1, 5); got shape (2",
        ),
        (check_pickling, Forgetful(), "expected to equal itself after pickling; got"),
        (check_recomputation, Ordered(), "expected a score that does not depend on the order of the items; got"),
        (check_recomputation, Wavering(), "expected the same score for the same items; got "),
        (check_recomputation, Fussy(), "expected a finite score of items drawn with replacement; RuntimeWarning"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, AnyMetric) else None,
)
def test_broken_metrics_are_caught(check: Any, metric: AnyMetric, says: str) -> None:
    outputs, references, _ = SETS[float]
    for one in (check, check_metric):
        with pytest.raises(AssertionError) as caught:
            one(metric, outputs, references)
        assert str(caught.value).startswith(f"{metric.name}: expected ")
        assert says in str(caught.value)


def test_a_metric_of_a_local_class_cannot_be_pickled() -> None:
    @dataclass(frozen=True)
    class Local(Right):
        pass

    outputs, references, _ = SETS[float]
    with pytest.raises(AssertionError, match=r"right: expected to be pickled; .*Local"):
        check_pickling(Local(), outputs, references)


def test_a_wrong_corpus_score_is_caught() -> None:
    outputs, references, _ = SETS[float]
    with pytest.raises(AssertionError, match=r"the summed rows to be the corpus score; on 5 items, the rows score 0.7"):
        check_corpus_score(Right(), outputs, references, corpus_score=1.0)
    # The mean of the items' own scores, which happens to be the accuracy of these but not of other selections.
    with pytest.raises(AssertionError, match=r"corpus score; on 5 items"):
        check_corpus_score(
            METRICS["f1"](), [[1, 1, 1], [0, 1, 1], [1, 1, 1]], corpus_score=lambda table: table[:2, 0].mean() + 1 / 6
        )


def test_a_wrong_direction_is_caught() -> None:
    outputs, references, perfect = SETS[float]
    with pytest.raises(AssertionError, match=r"with higher_is_better=True; they score 0.0, the others 0.7"):
        check_direction(Boastful(), outputs, references, perfect=perfect)


def test_statistics_that_are_not_shared_are_caught() -> None:
    outputs, references, perfect = SETS[float]
    with pytest.raises(AssertionError, match="the shared statistic 'error' to be the same for all systems; it differs"):
        check_shared_statistics(Unshared(), outputs, references, others=perfect)


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        (Thawed(), "expected to be a frozen dataclass; Thawed is not"),
        (Short(), "expected one coefficient per statistic in its numerator; there are 1 for 2 statistics"),
    ],
)
def test_wrong_declarations_are_caught(metric: Any, says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        check_declaration(metric)


@pytest.mark.parametrize(
    ("metric", "outputs", "references", "says"),
    [
        (METRICS["mean"](), [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], "metric of columns"),
        (Right(), [1.0, 2.0, 3.0], [1.0, 2.0], "one for each reference, got 3"),
        (Right(), [1.0, 2.0], [1.0, 2.0], "at least 3 items, got 2"),
        (Thawed(), [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], "expected an instance of ColumnMetric"),
    ],
)
def test_what_cannot_be_checked_is_told(metric: Any, outputs: Any, references: Any, says: str) -> None:
    with pytest.raises(OptionError, match=says):
        check_additivity(metric, outputs, references)
