"""BLEU, chrF and TER: sacreBLEU's corpus scores, from rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.errors import DataError, MissingDependencyError, OptionError
from outscore.metrics.families.translation import SMOOTHING, Bleu, ChrF, ChrFPlusPlus, Ter, TranslationMetric
from tests.kit import item_format

sacrebleu = pytest.importorskip("sacrebleu.metrics")

Find = Callable[[str], Path]
PEERS: dict[type[TranslationMetric], str] = {Bleu: "BLEU", ChrF: "CHRF", ChrFPlusPlus: "CHRF", Ter: "TER"}
METRICS = tuple(PEERS)
ALL = [metric() for metric in METRICS]
WHOLE = pytest.param(None, marks=pytest.mark.exhaustive)  # of most segments
PARTS = [0, *(pytest.param(part, marks=pytest.mark.exhaustive) for part in range(1, 4))]  # of four: every fourth system


def peer(metric: TranslationMetric) -> Any:
    return getattr(sacrebleu, PEERS[type(metric)])(**metric.__getstate__())


def segments(path: Path) -> list[str]:
    return list(item_format("text").parse(path.read_bytes().decode(), path.name).items)


def systems(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for path in sorted((folder / "systems").iterdir()):
        yield path.stem, segments(path)


def published(folder: Path) -> dict[str, dict[str, str]]:
    header, *lines = ((folder / "systems.tsv").read_text("utf-8")).rstrip("\n").split("\n")
    names = header.split("\t")
    return {line.split("\t")[0]: dict(zip(names, line.split("\t"), strict=True)) for line in lines}


def score(metric: TranslationMetric, outputs: list[str], references: list[tuple[str, ...]]) -> float:
    return float(metric.score(metric.rows(outputs, references).sum(axis=0)))


def assert_parity(metric: TranslationMetric, folder: Path, names: list[str], most: int | None) -> None:
    streams = [segments(folder / name)[:most] for name in names]
    references = list(zip(*streams, strict=True))
    for system, outputs in systems(folder):
        other = peer(metric)
        expected = other.corpus_score(outputs[:most], streams).score
        assert score(metric, outputs[:most], references) == pytest.approx(expected, rel=1e-13, abs=1e-9), system
        assert metric.signature(len(names)) == str(other.get_signature())


@pytest.mark.parametrize("metric", [Bleu(), ChrF(), ChrFPlusPlus()], ids=lambda metric: metric.name)
@pytest.mark.parametrize("which", ["A", "B", "AB"])
@pytest.mark.parametrize("most", [20, WHOLE])
def test_every_system_of_wmt21_scores_as_in_sacrebleu(
    data: Find, metric: TranslationMetric, which: str, most: int | None
) -> None:
    assert_parity(metric, data("mt-wmt21-de-en"), [f"ref.{name}.en.txt" for name in which], most)


@pytest.mark.parametrize("metric", [Bleu(), pytest.param(ChrF(), marks=pytest.mark.exhaustive)], ids=["bleu", "chrf"])
@pytest.mark.parametrize("which", ["A", "B", "AB"])
@pytest.mark.parametrize("part", PARTS, ids="part {}".format)
def test_every_system_of_wmt21_scores_as_published(
    data: Find, metric: TranslationMetric, which: str, part: int
) -> None:
    folder = data("mt-wmt21-de-en")
    references = list(zip(*(segments(folder / f"ref.{name}.en.txt") for name in which), strict=True))
    official = published(folder)
    for system, outputs in [*systems(folder)][part::4]:
        expected = float(official[system][f"official_{metric.name}_ref{which}"])
        assert score(metric, outputs, references) == pytest.approx(expected, abs=5.1e-5), system


@pytest.mark.parametrize(
    "metric",
    [
        Bleu(),
        Bleu(tokenize="intl", lowercase=True),
        Bleu(tokenize="char"),
        Bleu(tokenize="zh"),
        Bleu(tokenize="none", max_ngram_order=2, smooth_method="add-k"),
        ChrF(lowercase=True, whitespace=True),
        ChrFPlusPlus(beta=3, eps_smoothing=True),
    ],
    ids=str,
)
@pytest.mark.parametrize("most", [10, WHOLE])
def test_every_system_of_wmt24_scores_as_in_sacrebleu(data: Find, metric: TranslationMetric, most: int | None) -> None:
    assert_parity(metric, data("mt-wmt24-en-cs"), ["ref.A.cs.txt"], most)


@pytest.mark.slow
@pytest.mark.parametrize(
    "metric", [Ter(), Ter(normalized=True, no_punct=True, asian_support=True, case_sensitive=True)], ids=str
)
@pytest.mark.parametrize("most", [5, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_every_system_has_the_ter_of_sacrebleu(data: Find, metric: Ter, most: int) -> None:
    assert_parity(metric, data("mt-wmt21-de-en"), ["ref.A.en.txt", "ref.B.en.txt"], most)
    assert_parity(metric, data("mt-wmt24-en-cs"), ["ref.A.cs.txt"], most // 4)


@pytest.mark.exhaustive
def test_every_whole_system_has_the_ter_of_sacrebleu(data: Find) -> None:
    assert_parity(Ter(), data("mt-wmt21-de-en"), ["ref.A.en.txt"], None)


words = st.lists(st.sampled_from(["a", "b", "c.", "(d", "É", "中文", "&amp;", ""]), max_size=7).map(" ".join)
corpora = st.lists(st.tuples(words, words, words), min_size=1, max_size=5)
metrics = st.one_of(
    st.builds(
        Bleu,
        lowercase=st.booleans(),
        tokenize=st.sampled_from([None, "13a", "intl", "char", "zh", "none"]),
        smooth_method=st.sampled_from(["exp", "floor", "add-k", "none"]),
        smooth_value=st.sampled_from([None, 0.0, 0.5, 2.0]),
        max_ngram_order=st.integers(1, 6),
        effective_order=st.booleans(),
    ),
    st.builds(
        ChrF,
        char_order=st.integers(1, 7),
        word_order=st.integers(0, 3),
        beta=st.integers(0, 3),
        lowercase=st.booleans(),
        whitespace=st.booleans(),
        eps_smoothing=st.booleans(),
    ),
    st.builds(
        Ter,
        normalized=st.booleans(),
        no_punct=st.booleans(),
        asian_support=st.booleans(),
        case_sensitive=st.booleans(),
    ),
)


@settings(max_examples=40, deadline=None)
@given(metrics, corpora, st.integers(1, 2))
def test_any_corpus_scores_as_in_sacrebleu(metric: TranslationMetric, corpus: Any, n_references: int) -> None:
    outputs = [output for output, *_ in corpus]
    references = [tuple(several[:n_references]) for _, *several in corpus]
    other = peer(metric)
    expected = other.corpus_score(outputs, list(zip(*references, strict=True))).score
    if isinstance(metric, Ter) and not metric.rows(outputs, references)[:, 1].any():
        expected = 0.0  # a rate of nothing: not 100, as in sacreBLEU, but 0 as in all ratios
    assert score(metric, outputs, references) == pytest.approx(expected, rel=1e-12, abs=1e-9)
    assert metric.signature(n_references) == str(other.get_signature())


@settings(max_examples=40, deadline=None)
@given(metrics, corpora)
def test_rows_add_up_and_totals_are_scored_along_any_axes(metric: TranslationMetric, corpus: Any) -> None:
    outputs = [output for output, *_ in corpus]
    references = [tuple(several) for _, *several in corpus]
    rows = metric.rows(outputs, references)
    assert rows.shape == (len(outputs), len(metric.statistics))
    assert rows.dtype == np.float64
    assert np.isfinite(rows).all()
    one_by_one = [metric.rows([output], [several])[0] for output, several in zip(outputs, references, strict=True)]
    assert np.array_equal(rows, one_by_one)

    totals = np.stack([rows, rows[::-1] + rows])
    scores = metric.score(totals)
    assert scores.shape == totals.shape[:-1]
    for index in product(*map(range, scores.shape)):
        assert scores[index] == pytest.approx(float(metric.score(totals[index])), rel=1e-13)
    own = metric.item_scores(rows)
    assert own is not None
    assert np.isfinite(own).all()


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
def test_nothing_scores_nothing(metric: TranslationMetric) -> None:
    k = len(metric.statistics)
    assert metric.rows([], []).shape == (0, k)
    assert metric.score(np.zeros(k)) == 0
    assert metric.score(np.zeros((2, 3, k))).shape == (2, 3)
    assert score(metric, [""], [("a b",)]) == peer(metric).corpus_score([""], [["a b"]]).score
    if not isinstance(metric, Ter):
        assert score(metric, ["a b"], [("",)]) == peer(metric).corpus_score(["a b"], [[""]]).score


def test_an_edit_rate_of_empty_references_is_refused() -> None:
    for references in ([("",), (" ",)], ["", "\n"]):
        with pytest.raises(DataError, match=r"^references: the ter of the whole set is undefined: all references are"):
            Ter().fitted(references, [["a", "b"]])  # type: ignore[arg-type]
    metric = Ter().fitted([("",), ("", "a")], [["a b", ""]])
    rows = metric.rows(["a b", "c", ""], [("",), ("a",), ("",)])
    assert metric.item_scores(rows).tolist() == [100.0, 100.0, 0.0]  # as sacreBLEU scores segments
    assert float(metric.score(rows[0])) == 0.0  # what the law of the gain, a ratio, takes it for
    assert metric.score_of_set(rows) == 300.0


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
def test_references_may_differ_in_number(metric: TranslationMetric) -> None:
    outputs, references = ["a b c d", "e f g h"], [("a b c d x", "a b c"), ("e f g",)]
    other = peer(metric)
    expected = other.corpus_score(outputs, [["a b c d x", "e f g"], ["a b c", None]]).score
    assert score(metric, outputs, references) == pytest.approx(expected, abs=1e-9)
    assert metric.signature(None) == str(other.get_signature())


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
def test_other_references_are_not_taken_for_those_before(metric: TranslationMetric) -> None:
    before = metric.rows(["a b c"], [("a b c",)])
    assert not np.array_equal(before, metric.rows(["a b c"], [("x y z",)]))
    assert np.array_equal(before, metric.rows(["a b c"], ["a b c"]))  # type: ignore[list-item]


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
def test_a_pickled_metric_is_its_options(metric: TranslationMetric) -> None:
    fresh = len(pickle.dumps(metric))
    metric.rows(["a b c"] * 50, [("a b d",)] * 50)
    assert len(pickle.dumps(metric)) == fresh
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_an_item_has_the_score_of_its_segment(data: Find) -> None:
    folder = data("mt-wmt24-en-cs")
    references = segments(folder / "ref.A.cs.txt")[:30]
    _, outputs = next(systems(folder))
    rows = Bleu().rows(outputs[:30], [(reference,) for reference in references])
    other = sacrebleu.BLEU(effective_order=True)
    expected = [other.sentence_score(*pair).score for pair in zip(outputs, ([r] for r in references), strict=False)]
    assert Bleu().item_scores(rows) == pytest.approx(expected, rel=1e-13, abs=1e-9)


@pytest.mark.parametrize(
    ("outputs", "references", "slug"),
    [
        (["a"], [], "different-lengths"),
        (["a"], [()], "no-reference"),
        (["a", None], [("a",), ("b",)], "not-text"),
        (["a"], [("a", 7)], "not-text"),
    ],
)
def test_bad_items_are_named(outputs: Any, references: Any, slug: str) -> None:
    for metric in ALL:
        with pytest.raises(DataError, match=rf"\[{slug}\]$"):
            metric.rows(outputs, references)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Bleu(smooth_method="expp"), 'bleu:smooth_method: .* Did you mean "exp"'),
        (lambda: Bleu(smooth_value=-1.0), "out-of-range"),
        (lambda: Bleu(max_ngram_order=0), "out-of-range"),
        (lambda: Bleu(max_ngram_order=10**9), "out-of-range"),
        (lambda: ChrF(char_order=10**6), "out-of-range"),
        (lambda: Bleu(tokenize="13").rows(["a"], [("a",)]), 'Did you mean "13a".*unknown-tokenizer'),
        (lambda: ChrF(char_order=0), "out-of-range"),
        (lambda: ChrF(word_order=-1), "out-of-range"),
    ],
)
def test_bad_options_are_told(make: Callable[[], object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make()


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentencepiece", None)
    with pytest.raises(MissingDependencyError, match='pip install "sentencepiece"'):
        Bleu(tokenize="flores200").signature()
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_ja_mecab.MeCab", None)
    with pytest.raises(MissingDependencyError, match=r'ja-mecab needs .* pip install "sacrebleu\[ja\]"'):
        Bleu(trg_lang="ja").signature()
    monkeypatch.setitem(__import__("sys").modules, "sacrebleu", None)
    with pytest.raises(MissingDependencyError, match=r"pip install sacrebleu \["):
        ChrF().rows(["a"], [("a",)])


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize("smooth_method", SMOOTHING)
def test_a_score_does_not_depend_on_its_company(smooth_method: str, effective_order: bool) -> None:
    """Totals that all have matches are scored in a shorter way than those among which one has none."""
    rng = np.random.default_rng(0)
    matches = np.sort(rng.integers(1, 500, size=(300, 4)))[:, ::-1]
    ngrams = matches + rng.integers(0, 500, size=(300, 4))
    totals = np.column_stack([ngrams[:, 0], rng.integers(300, 900, size=300), matches, ngrams]).astype(float)
    metric = Bleu(smooth_method=smooth_method, effective_order=effective_order)
    alone = metric.score(totals)
    among = metric.score(np.vstack([totals, np.zeros(10), totals[:1]]))
    assert among[:300] == pytest.approx(alone, rel=1e-14)
    assert among[300] == 0.0
    assert 0 < alone.min() < alone.max() <= 100
