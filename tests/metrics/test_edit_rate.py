"""The edits of TER are those of sacreBLEU, to the last one, whatever the lengths, repeats and limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.metrics.edit_rate import layout, shifts
from tests.kit import item_format, output_metrics

Ter = output_metrics("ter")[0]

lib_ter = pytest.importorskip("sacrebleu.metrics.lib_ter")
sacrebleu = pytest.importorskip("sacrebleu.metrics")

Find = Callable[[str], Path]
Pair = tuple[Sequence[str], Sequence[str]]
OPTIONS = [
    Ter(),
    Ter(normalized=True, no_punct=True, asian_support=True, case_sensitive=True),
    Ter(normalized=True),
    Ter(no_punct=True),
]
SETS = {"mt-wmt21-de-en": ("ref.A.en.txt", "ref.B.en.txt"), "mt-wmt24-en-cs": ("ref.A.cs.txt",)}


def edits_of(pairs: Sequence[Pair]) -> list[int]:
    return list(
        shifts.n_edits([" ".join(output) for output, _ in pairs], [" ".join(reference) for _, reference in pairs])
    )


def edits_of_sacrebleu(pairs: Sequence[Pair]) -> list[int]:
    return [lib_ter.translation_edit_rate(list(output), list(reference))[0] for output, reference in pairs]


def segments(path: Path) -> list[str]:
    return list(item_format("text").parse(path.read_bytes().decode(), path.name).items)


def assert_rows_of_sacrebleu(metric: Any, outputs: Sequence[str], streams: Sequence[Sequence[str]]) -> None:
    expected = sacrebleu.TER(**metric.__getstate__())._extract_corpus_statistics(outputs, streams)
    assert metric.rows(outputs, list(zip(*streams, strict=True))).tolist() == expected


def words(most: int, n_words: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from([chr(97 + k) for k in range(n_words)]), max_size=most)


@st.composite
def related(draw: st.DrawFn, most: int, n_words: int) -> Pair:
    """Return an output and a reference that share phrases, which stand elsewhere."""
    reference = draw(words(most, n_words))
    output = list(reference)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(output)))
        phrase = output[start : start + draw(st.integers(1, 12))]
        del output[start : start + len(phrase)]
        target = draw(st.integers(0, len(output)))
        output[target:target] = draw(st.sampled_from([phrase, [], [*phrase, "a"], ["new"]]))
    return (output, reference) if draw(st.booleans()) else (reference, output)


def unrelated(most: int, n_words: int) -> st.SearchStrategy[Pair]:
    return st.tuples(words(most, n_words), words(most, n_words))


batches = st.one_of(
    st.lists(related(12, 3), max_size=8),
    st.lists(unrelated(12, 2), max_size=8),
    st.lists(st.one_of(related(60, 5), related(60, 26), unrelated(60, 4)), max_size=3),
    st.lists(st.one_of(related(12, 5), related(60, 12)), max_size=5),
)


@settings(max_examples=80, deadline=None)
@given(batches)
def test_edits_are_those_of_sacrebleu(pairs: list[Pair]) -> None:
    assert edits_of(pairs) == edits_of_sacrebleu(pairs)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=4), st.integers(0, 260), st.lists(st.integers(0, 259), max_size=6))
def test_lengths_that_differ_widely_move_and_widen_the_band(output: list[str], n: int, places: list[int]) -> None:
    reference = ["x"] * n
    for place, word in zip(places, "abcabc", strict=False):
        if place < n:
            reference[place] = word
    pairs = [(output, reference), (reference, output), (output * 6, reference), (reference, output * 6)]
    assert edits_of(pairs) == edits_of_sacrebleu(pairs)


@settings(max_examples=15, deadline=None)
@given(st.lists(related(60, 4), min_size=2, max_size=3))
def test_blocks_change_nothing(pairs: list[Pair]) -> None:
    expected = edits_of(pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "_MOST_WINDOWS", 8)
        for name in ("_PAIRS_AT_ONCE", "_ROWS_AT_ONCE", "_CELLS_AT_ONCE"):
            patch.setattr(shifts, name, 50)
        assert edits_of(pairs) == expected


def far_apart(n: int, moved: int) -> Pair:
    """Return the same words, of which the first ones stand at the end in the output: outside the band, if many."""
    reference = [f"w{k}" for k in range(n)]
    return reference[moved:] + reference[:moved], reference


@pytest.mark.parametrize("moved", [10, 11, 24, 26, 50, 51])
def test_the_limits_of_shifts_and_of_the_band_are_those_of_sacrebleu(moved: int) -> None:
    pairs = [far_apart(56, moved)]
    assert edits_of(pairs) == edits_of_sacrebleu(pairs)


def test_after_a_thousand_candidates_the_last_shift_is_not_done() -> None:
    pairs: list[Pair] = []
    for seed in (18, 23):
        draws = np.random.default_rng(seed)
        pairs.append((draws.choice(["a", "b"], 24).tolist(), draws.choice(["a", "b"], 24).tolist()))
    expected = edits_of_sacrebleu(pairs)
    assert edits_of(pairs) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shifts, "_MOST", 10**9)
        assert edits_of(pairs) != expected  # so that the limit does matter here


@pytest.mark.parametrize("metric", OPTIONS, ids=str)
def test_rows_of_real_outputs_are_those_of_sacrebleu(data: Find, metric: Any) -> None:
    for name, references in SETS.items():
        folder = data(name)
        streams = [segments(folder / reference) for reference in references]
        every = slice(OPTIONS.index(metric), None, 40)
        system = sorted((folder / "systems").iterdir())[OPTIONS.index(metric)]
        assert_rows_of_sacrebleu(metric, segments(system)[every], [stream[every] for stream in streams])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
@pytest.mark.parametrize("name", SETS)
def test_rows_of_every_whole_system_are_those_of_sacrebleu(data: Find, name: str, part: int) -> None:
    folder = data(name)
    streams = [segments(folder / reference) for reference in SETS[name]]
    for system in sorted((folder / "systems").iterdir())[part::8]:
        assert_rows_of_sacrebleu(Ter(), segments(system), streams)


def test_references_may_differ_in_number_and_be_empty() -> None:
    outputs = ["a b c", "", "a b", "c b a", "x"]
    references = [("a b", "c b a b"), ("a",), ("", "b a"), ("a b c",), ("", "", "x y")]
    streams: list[list[Any]] = [[several[k] if k < len(several) else None for several in references] for k in range(3)]
    expected = sacrebleu.TER()._extract_corpus_statistics(outputs, streams)
    assert Ter().rows(outputs, references).tolist() == expected


def test_a_line_of_thousands_of_words_takes_little_time() -> None:
    draws = np.random.default_rng(1)
    common = [f"w{k}" for k in draws.zipf(1.3, 5000)]
    other = [f"w{k}" for k in draws.zipf(1.3, 5000)]
    distinct = [f"w{k}" for k in range(5000)]
    shuffled = [distinct[k ^ 3] for k in range(4000)] + distinct[4000:]
    started = time.process_time()
    edits = edits_of([(common, other), (["a"] * 5000, ["a"] * 4999 + ["b"]), (distinct[::-1], distinct)])
    assert edits[1] == 1
    assert 4990 <= edits[2] <= 5000
    assert edits_of([(shuffled, distinct)])[0] <= 4000
    assert time.process_time() - started < 15  # about one second
