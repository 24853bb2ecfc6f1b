"""Error rates of speech recognition equal jiwer's."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.errors import MissingDependencyError
from tests.kit import item_format, output_metrics

Cer, Wer = output_metrics("cer wer")

jiwer = pytest.importorskip("jiwer")

SYSTEMS = ["azure", "deepspeech", "google", "watson"]
SAID = ["the cat sat", "", "Oh, it's  a <laugh> dog!", "a\tb", "x"]
REFERENCES = ["the cat sat down", "well", "oh it is a dog", " a b ", ""]


def transcripts(path: Path) -> dict[str, str]:
    corpus = item_format("kaldi").parse(path.read_text(encoding="utf-8"), path.name)
    assert corpus.item_ids is not None
    return dict(zip(corpus.item_ids, corpus.items, strict=True))


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("folder", ["", "raw"])
def test_all_systems_score_as_in_jiwer(data: Callable[[str], Path], folder: str, system: str) -> None:
    root = data("asr-librispeech-test-clean")
    references = transcripts(root / folder / "ref.txt")
    said = transcripts((root / "raw" if folder else root / "systems") / f"{system}.txt")
    assert said.keys() == references.keys()
    outputs, gold = [said[utterance] for utterance in references], list(references.values())
    for ours, theirs in ((Wer(), jiwer.process_words), (Cer(), jiwer.process_characters)):
        totals = ours.rows(outputs, gold).sum(axis=0)
        found = theirs(gold, outputs)
        edits = found.substitutions + found.deletions + found.insertions
        assert totals.tolist() == [edits, found.hits + found.substitutions + found.deletions]
        assert float(ours.score(totals)) == (found.wer if isinstance(ours, Wer) else found.cer)


def test_published_word_errors(data: Callable[[str], Path]) -> None:
    root = data("asr-librispeech-test-clean")
    references = transcripts(root / "ref.txt")
    for line in (root / "systems.tsv").read_text(encoding="utf-8").rstrip("\n").split("\n")[1:]:
        system, _, errors, words, *_ = line.split("\t")
        said = transcripts(root / "systems" / f"{system}.txt")
        rows = Wer().rows([said[utterance] for utterance in references], list(references.values()))
        assert rows.sum(axis=0).tolist() == [float(errors), float(words)]


@pytest.mark.parametrize("metric", [Wer, Cer])
def test_options_are_the_transformations_of_jiwer(metric: Any) -> None:
    steps = {
        "to_lower_case": jiwer.ToLowerCase(),
        "expand_common_english_contractions": jiwer.ExpandCommonEnglishContractions(),
        "remove_kaldi_non_words": jiwer.RemoveKaldiNonWords(),
        "remove_punctuation": jiwer.RemovePunctuation(),
    }
    default = jiwer.transformations.wer_default if metric is Wer else jiwer.transformations.cer_default
    process = jiwer.wer if metric is Wer else jiwer.cer
    for names in ([], *([name] for name in steps), list(steps)):
        split = jiwer.Compose([*(steps[name] for name in names), default])
        ours = metric(**dict.fromkeys(names, True))
        expected = process(REFERENCES, SAID, split, split)
        assert float(ours.score(ours.rows(SAID, REFERENCES).sum(axis=0))) == expected


texts = st.lists(st.tuples(st.text("ab \t\u2028é", max_size=8), st.text("ab \t\u2028é", max_size=8)), min_size=1)


@settings(max_examples=50)
@given(texts)
def test_any_text_is_scored_as_in_jiwer(pairs: list[tuple[str, str]]) -> None:
    outputs, references = [a for a, _ in pairs], [b for _, b in pairs]
    for ours, theirs in ((Wer(), jiwer.wer), (Cer(), jiwer.cer)):
        rows = ours.rows(outputs, references)
        totals = rows.sum(axis=0)
        if totals[1]:
            assert float(ours.score(totals)) == theirs(references, outputs)
        one_by_one = [ours.rows([a], [b])[0].tolist() for a, b in pairs]
        assert rows.tolist() == one_by_one
        assert ours.item_scores(rows).tolist() == [theirs(b, a) for a, b in pairs]


def test_scores_of_no_references_and_many_totals() -> None:
    metric = Wer()
    assert metric.rows([], []).shape == (0, 2)
    totals = np.array([[[0.0, 0.0], [1.0, 4.0]], [[2.0, 0.0], [3.0, 3.0]]])
    assert metric.score(totals).tolist() == [[0.0, 0.25], [0.0, 1.0]]
    assert pickle.loads(pickle.dumps(Wer(to_lower_case=True))) == Wer(to_lower_case=True)


def test_missing_jiwer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jiwer", None)
    with pytest.raises(MissingDependencyError, match=r"pip install jiwer rapidfuzz \["):
        Cer().rows(["a"], ["a"])
