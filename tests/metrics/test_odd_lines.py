"""Lines that are empty, blank, or hold what other programs take for line ends: scored as the references do."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit import Utterance, output_metric, read_corpus

sacrebleu = pytest.importorskip("sacrebleu.metrics")
rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")
jiwer = pytest.importorskip("jiwer")

SACREBLEU: dict[str, Any] = {
    "bleu": sacrebleu.BLEU(),
    "bleu:tokenize=intl": sacrebleu.BLEU(tokenize="intl"),
    "bleu:tokenize=none": sacrebleu.BLEU(tokenize="none"),
    "bleu:tokenize=char": sacrebleu.BLEU(tokenize="char"),
    "bleu:tokenize=zh": sacrebleu.BLEU(tokenize="zh"),
    "chrf": sacrebleu.CHRF(),
    "chrf:whitespace": sacrebleu.CHRF(whitespace=True),
    "chrf++": sacrebleu.CHRF(word_order=2),
    "ter": sacrebleu.TER(),
    "ter:normalized,no_punct": sacrebleu.TER(normalized=True, no_punct=True),
}
ROUGE = ("rouge1", "rouge2", "rougeL", "rougeLsum")

pieces = st.sampled_from(["the", "cat", "a", ".", "é", "中", " ", " ", "  ", "\t", "\u2028", "\x0b", "\x0c", "\x1c",
    "\x85", "\u00a0", "\u3000", "\u200b", "\ufeff", ""])  # fmt: skip
segments = st.lists(pieces, max_size=8).map("".join)
corpora = st.lists(st.tuples(segments, segments), min_size=2, max_size=5)


def expected_score(spec: str, outputs: list[str], references: list[str]) -> float:
    """Return the reference implementation's corpus score."""
    if spec in SACREBLEU:
        return float(SACREBLEU[spec].corpus_score(outputs, [references]).score)
    if spec in ROUGE:
        scorer = rouge_scorer.RougeScorer([spec])
        pairs = zip(references, outputs, strict=True)
        return float(np.mean([scorer.score(reference, output)[spec].fmeasure for reference, output in pairs]))
    return float({"wer": jiwer.wer, "cer": jiwer.cer}[spec](references, outputs))


def our_score(spec: str, outputs: Any, references: Any) -> float:
    metric: Any = output_metric(spec)
    sets = [(reference,) for reference in references] if metric.takes_several_references else references
    return float(metric.score(metric.rows(outputs, sets).sum(axis=0)))


def edits_of(spec: str, reference: str) -> float:
    """Return the length of a reference as TER counts it, by what deleting all of it costs."""
    return float(SACREBLEU[spec].corpus_score([""], [[reference]]).num_edits)


@pytest.mark.parametrize("spec", [*SACREBLEU, *ROUGE, "wer", "cer"])
def test_odd_lines_are_scored_as_by_the_reference_implementation(spec: str) -> None:
    @settings(max_examples=30, deadline=None)
    @given(corpora)
    def check(corpus: list[tuple[str, str]]) -> None:
        outputs, references = [a for a, _ in corpus], [b for _, b in corpus]
        if spec in {"wer", "cer"} and not any(reference.strip() for reference in references):
            return  # no rate of anything
        if spec.startswith("ter") and not any(edits_of(spec, reference) for reference in references):
            return  # the same; docs/metrics.md says so
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of empty references
            expected = expected_score(spec, outputs, references)
        assert our_score(spec, outputs, references) == pytest.approx(expected, rel=1e-12, abs=1e-9)

    check()


@settings(max_examples=30, deadline=None)
@given(st.lists(segments, min_size=1), st.booleans(), st.booleans(), st.booleans())
def test_files_give_the_very_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], windows: bool, mark: bool, ended: bool
) -> None:
    if mark or not lines[0].startswith("\ufeff"):  # one byte order mark is none of the text
        path: Path = tmp_path_factory.mktemp("odd") / "a.txt"
        end = "\r\n" if windows else "\n"
        text = end.join(lines) + (end if ended or not lines[-1] else "")
        path.write_bytes(("\ufeff" * mark + text).encode())
        for item_type in (str, Utterance):
            format_name = "transcripts" if item_type is Utterance else None  # words with digits look like ids
            assert list(read_corpus(str(path), item_type, format_name).items) == lines
