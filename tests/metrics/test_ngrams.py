"""Statistics of BLEU and chrF, n-gram by n-gram, beside those that sacreBLEU extracts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from outscore._types import AnyArray
from outscore.metrics import ngrams as counting
from outscore.metrics import tokens as numbering
from outscore.metrics.families.translation import Bleu, ChrF, ChrFPlusPlus, TranslationMetric
from outscore.metrics.ngrams import END, FIRST, FOREIGN, Tokens, shared_ngrams
from outscore.metrics.tokens import characters

sacrebleu = pytest.importorskip("sacrebleu.metrics")

Find = Callable[[str], Path]
Corpus = list[tuple[str, tuple[str, ...]]]  # of each segment the output, and its references


def statistics(metric: TranslationMetric, outputs: Sequence[str], references: Sequence[tuple[str, ...]]) -> AnyArray:
    """Return what sacreBLEU extracts."""
    scorer = metric._scorer()
    scorer._ref_cache = scorer._cache_references(list(zip_longest(*references)))
    return np.array(scorer._extract_corpus_statistics(outputs, None), dtype=np.float64)


def assert_parity(metric: TranslationMetric, outputs: Sequence[str], references: Sequence[tuple[str, ...]]) -> None:
    rows = metric.rows(outputs, references)
    expected = statistics(metric, outputs, references)
    wrong = np.flatnonzero((rows != expected).any(axis=1))
    assert not len(wrong), (metric, outputs[wrong[0]], references[wrong[0]], rows[wrong[0]], expected[wrong[0]])
    assert rows.dtype == np.float64


# Where tokenizers part words, what they decode, letters whose lower case is longer or depends on what follows, all
# kinds of white space and ends of lines, characters outside the first plane, and halves of them.
MARKS = [
    *"aabbcAB019.,-'!\"/&;<>(:~",
    "é",
    "É",
    "Σ",
    "İ",
    "ß",
    "中",
    "。",
    "“",
    "…",
    "€",
    "𝔄",
    "😀",
    "\ud800",
    "\x00",
    "½",
]
BLANKS = [
    " ",
    " ",
    " ",
    "  ",
    "\n",
    "-\n",
    "\r",
    "\t",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1f",
    "\x85",
    "\xa0",
    "\u2003",
    "\u2028",
    "\u3000",
]
WORDS = [
    "<skipped>",
    "<skip",
    "ped>",
    "&quot;",
    "&amp;",
    "&lt;",
    "&gt;",
    "&amp;lt;",
    "1.5",
    "1,000",
    "A.B.",
    "x-1",
    "1-x",
]
texts = st.lists(st.one_of(*map(st.sampled_from, (MARKS, BLANKS, WORDS))), max_size=14).map("".join)
small_texts = st.lists(st.sampled_from(["a", "b", " ", ".", "a b", "aa"]), max_size=9).map("".join)


def corpora(of: st.SearchStrategy[str]) -> st.SearchStrategy[Corpus]:
    return st.lists(st.tuples(of, st.lists(of, min_size=1, max_size=3).map(tuple)), min_size=1, max_size=6)


metrics: st.SearchStrategy[TranslationMetric] = st.one_of(
    st.builds(
        Bleu,
        lowercase=st.booleans(),
        tokenize=st.sampled_from([None, None, None, "13a", "none", "intl", "char", "zh"]),
        max_ngram_order=st.one_of(st.integers(1, 6), st.sampled_from([20, 100])),
    ),
    st.builds(
        ChrF,
        char_order=st.one_of(st.integers(1, 7), st.sampled_from([0, 20])),
        word_order=st.integers(1, 3),
        beta=st.integers(-1, 3),
        lowercase=st.booleans(),
        whitespace=st.booleans(),
        eps_smoothing=st.booleans(),
    ),
    st.builds(ChrF, whitespace=st.booleans(), beta=st.integers(0, 3), eps_smoothing=st.booleans()),
)


@settings(max_examples=400, deadline=None)
@given(metrics, st.one_of(corpora(texts), corpora(small_texts)))
@example(Bleu(), [("a<skip-\nped>", ("a <skipped> b",)), ("x-\n", ("x-",)), ("..5 ,.,5 a..5", (".,5",))])
@example(Bleu(lowercase=True), [("ΑΣ Σ", ("ας σ",)), ("İ", ("i\u0307",))])
@example(ChrF(), [("", ("",)), ("a", ("", "b")), ("ab", ("a", "ab", "ab"))])
def test_any_text_has_the_statistics_of_sacrebleu(metric: TranslationMetric, corpus: Corpus) -> None:
    outputs, references = map(list, zip(*corpus, strict=True))
    assert_parity(metric, outputs, references)
    assert_parity(metric, references and [several[0] for several in references], references)  # they are kept


@settings(max_examples=100, deadline=None)
@given(corpora(small_texts), st.integers(1, 4), st.booleans())
def test_references_that_score_alike_are_told_apart_as_in_sacrebleu(corpus: Corpus, beta: int, eps: bool) -> None:
    outputs, references = map(list, zip(*corpus, strict=True))
    for metric in (ChrF(char_order=2, beta=beta, eps_smoothing=eps), ChrF(1, 1, beta=beta), ChrF(6, 2, beta=beta)):
        assert_parity(metric, outputs, [several + several[::-1] for several in references])


@settings(max_examples=60, deadline=None)
@given(
    metrics,
    st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3).map(tuple)), min_size=3, max_size=20),
    st.integers(1, 4),
)
def test_blocks_and_words_change_nothing(metric: TranslationMetric, corpus: Corpus, size: int) -> None:
    outputs, references = map(list, zip(*corpus, strict=True))
    expected = metric.rows(outputs, references)
    with pytest.MonkeyPatch.context() as patched:
        metric.__dict__.pop("_kept")
        patched.setattr(counting, "_BLOCK", 7 * size)
        patched.setattr(numbering, "_AT_ONCE", size)
        assert np.array_equal(metric.rows(outputs, references), expected)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.lists(st.lists(st.integers(0, 5), max_size=8), min_size=3, max_size=3), min_size=1, max_size=5),
    st.integers(1, 9),
    st.sampled_from([0, 9, 30, 200]),
    st.booleans(),
)
def test_ngrams_are_shared_as_often_as_they_occur(
    corpus: list[list[list[int]]], longest: int, spread: int, clipped: bool
) -> None:
    """Counted one by one; numbers that are far apart need many bits."""
    outputs, *references = (
        [[(one + 2) * (spread + 1) for one in several[place]] for several in corpus] for place in range(3)
    )

    def tokens(texts: list[list[int]], end: int) -> Tokens:
        numbers = [number for text in texts for number in (*text, end)]
        return Tokens(np.array(numbers), np.cumsum([len(text) + 1 for text in texts]) - 1)

    def counts(text: list[int], n: int) -> Counter[tuple[int, ...]]:
        return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))

    shared = shared_ngrams(
        tokens(outputs, FOREIGN), [tokens(texts, END) for texts in references], longest, clipped=clipped
    )
    for i, output in enumerate(outputs):
        for n in range(1, longest + 1):
            each = [counts(texts[i], n) for texts in references]
            wanted = [each[0] | each[1]] if clipped else each
            assert [(counts(output, n) & one).total() for one in wanted] == shared[:, i, n - 1].tolist()


def test_numbers_that_need_many_bits_are_ranked() -> None:
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(30_000)]
    references = [(" ".join(rng.choice(words, 3000)),) for _ in range(10)]
    outputs = [" ".join(word if rng.random() < 0.9 else "x" for word in several[0].split()) for several in references]
    assert_parity(Bleu(max_ngram_order=9), outputs, references)
    far = ["".join(map(chr, rng.integers(0x4E00, 0x9FFF, 9000))) for _ in range(2)]
    assert_parity(ChrF(), [far[0][:5000] + "\U0010ffff" + far[0][4000:], far[1]], [(far[0],), (far[1][::-1],)])


def test_white_space_is_what_python_splits_at() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    assert characters([every], END, blanks=False).lengths == [len("".join(every.split()))]
    assert characters([every], END, blanks=True).numbers.tolist()[:2] == [FIRST, FIRST + 1]


@pytest.mark.parametrize("references", [("a b",), ("a b", "b")])
def test_a_beta_that_no_number_holds_fails_as_in_sacrebleu(references: tuple[str, ...]) -> None:
    for extract in (statistics, ChrF.rows):
        with pytest.raises(OverflowError, match="int too large to convert to float"):
            extract(ChrF(beta=10**200), ["a"], [references])


def segments(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")[:-1]


REAL: list[TranslationMetric] = [
    Bleu(),
    Bleu(lowercase=True, max_ngram_order=6),
    Bleu(tokenize="none"),
    Bleu(tokenize="intl"),
    Bleu(tokenize="zh"),
    Bleu(tokenize="char"),
    ChrF(),
    ChrF(lowercase=True, whitespace=True, eps_smoothing=True),
    ChrFPlusPlus(),
    ChrFPlusPlus(lowercase=True, word_order=3, beta=3),
]


@pytest.mark.parametrize("metric", REAL, ids=str)
@pytest.mark.parametrize(
    ("name", "language"), [("mt-wmt24-en-cs", "cs"), ("mt-wmt21-de-en", "en")], ids=["wmt24", "wmt21"]
)
@pytest.mark.parametrize("most", [100, pytest.param(None, marks=pytest.mark.slow)])
def test_every_segment_of_wmt_has_the_statistics_of_sacrebleu(
    data: Find, metric: TranslationMetric, name: str, language: str, most: int | None
) -> None:
    """Of all systems; of a hundred segments elsewhere in each system, and of every third system, where not slow."""
    folder = data(name)
    references = list(zip(*map(segments, sorted(folder.glob(f"ref.*.{language}.txt"))), strict=True))
    for place, path in enumerate(sorted((folder / "systems").iterdir())):
        if most is None:
            chosen = slice(None)
        elif place % 3 == 0:
            chosen = slice(30 * place, 30 * place + most)
        else:
            continue
        for several in (references, [one[:1] for one in references]) if len(references[0]) > 1 else (references,):
            assert_parity(metric, segments(path)[chosen], several[chosen])


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        metrics,
        st.builds(
            Bleu,
            lowercase=st.booleans(),
            tokenize=st.sampled_from([None, "13a", "none", "intl"]),
            smooth_method=st.sampled_from(["exp", "floor", "add-k", "none"]),
            smooth_value=st.sampled_from([None, 0.0, 0.127, 2.0]),
            effective_order=st.booleans(),
            trg_lang=st.sampled_from(["", "zh", "de"]),
        ),
    ),
    st.sampled_from([None, 0, 1, 2]),
)
def test_a_signature_is_sacrebleus(metric: TranslationMetric, n_references: int | None) -> None:
    scorer: Any = metric._scorer()
    scorer.num_refs = -1 if n_references is None else n_references
    assert metric.signature(n_references) == str(scorer.get_signature())
