"""compare() on outputs and references, in memory and in files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu

import outscore
from outscore._types import FloatArray
from outscore.metrics.bleu import Bleu
from outscore.metrics.regression import Pearson
from outscore.metrics.spans import SpanF1

REFERENCES = ["the cat sat on the mat", "dogs bark at night", "it rains in the town", "she reads a long book"]
BASELINE = ["the cat sat on a mat", "dogs bark in night", "it rain in town", "she read a book"]
CANDIDATE = ["the cat sat on the mat", "dogs bark at the night", "it rains in a town", "she reads the long book"]


def first(*systems: Any, **options: Any) -> outscore.Comparison:
    return outscore.compare(*systems, **options).comparisons[0]


def written(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_outputs_in_memory_and_in_files_are_the_same(tmp_path: Path) -> None:
    files = [written(tmp_path / f"{i}.txt", lines) for i, lines in enumerate((BASELINE, CANDIDATE, REFERENCES))]
    here = first(BASELINE, CANDIDATE, references=REFERENCES, metric="bleu")
    there = first(*files[:2], references=files[2], metric=Bleu())
    mixed = first(BASELINE, str(files[1]), references=REFERENCES, metric="bleu")
    for found in (there, mixed):
        assert (found.gain, found.tests[0].p_value) == (here.gain, here.tests[0].p_value)
    assert (here.baseline, here.candidate) == ("baseline", "candidate")
    assert here.candidate_score == pytest.approx(sacrebleu.corpus_bleu(CANDIDATE, [REFERENCES]).score, abs=1e-9)


def test_several_references(tmp_path: Path) -> None:
    others = ["a cat sat there", "dogs bark by night", "there is rain in the town", "she reads a thick book"]
    here = first(BASELINE, CANDIDATE, references=[REFERENCES, others], metric="chrf")
    assert here.candidate_score == pytest.approx(sacrebleu.corpus_chrf(CANDIDATE, [REFERENCES, others]).score, abs=1e-9)
    files = [written(tmp_path / f"{i}.txt", lines) for i, lines in enumerate((REFERENCES, others))]
    assert first(BASELINE, CANDIDATE, references=files, metric="chrf").gain == here.gain


def test_items_are_paired_by_id() -> None:
    gold = {"q1": "pos", "q2": "neg", "q3": "pos"}
    shuffled = {"q3": "pos", "q1": "pos", "q2": "pos"}
    found = first({"q1": "neg", "q2": "neg", "q3": "neg"}, shuffled, references=gold, metric="accuracy")
    assert (found.baseline_score, found.candidate_score) == pytest.approx((1 / 3, 2 / 3))
    with pytest.raises(outscore.DataError, match="lacks 1 item"):
        outscore.compare(gold, {"q1": "neg", "q2": "neg"}, references=gold, metric="accuracy")


def test_responses_from_tags() -> None:
    gold = [["B-PER", "I-PER", "O"], ["B-LOC", "O", "B-PER"]]
    one, other = [["B-PER", "O", "O"], ["O", "O", "B-PER"]], [["B-PER", "I-PER", "O"], ["B-LOC", "O", "O"]]
    found = first(one, other, references=gold, metric="span-f1", unit="response")
    test = found.tests[0]
    assert (test.name, test.unit, test.n_units) == ("randomization", "response", 4)
    assert first(one, other, references=gold, metric=SpanF1(), unit=outscore.Unit.RESPONSE) == found


def test_rows_that_were_computed_before() -> None:
    metric = Bleu()
    sets = [(reference,) for reference in REFERENCES]
    rows = [outscore.Rows(name, metric.rows(lines, sets)) for name, lines in (("a", BASELINE), ("b", CANDIDATE))]
    found = first(*rows, metric=metric)
    assert found.gain == first(BASELINE, CANDIDATE, references=REFERENCES, metric="bleu").gain
    assert (found.baseline, found.candidate) == ("a", "b")


def test_a_metric_of_ones_own() -> None:
    @dataclass(frozen=True)
    class LengthRatio(outscore.OutputMetric[str, str], outscore.RatioMetric):
        """Characters of output for each of the reference."""

        name = "length-ratio"
        statistics = ("output", "reference")
        numerator, denominator = (1.0, 0.0), (0.0, 1.0)
        higher_is_better = True
        output_type = reference_type = str
        citation = "none"

        def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
            return np.array([(len(a), len(b)) for a, b in zip(outputs, references, strict=True)], dtype=np.float64)

    found = first(BASELINE, CANDIDATE, references=REFERENCES, metric=LengthRatio())
    assert found.tests[0].exact
    assert found.candidate_score == sum(map(len, CANDIDATE)) / sum(map(len, REFERENCES))


def test_any_function_of_indices() -> None:
    """What an expensive scorer keeps is found again by index; p-values are those of the metric that has rows."""
    rng = np.random.default_rng(4)
    gold = rng.normal(size=40)
    kept = {"a": gold + rng.normal(size=40), "b": gold + 0.7 * rng.normal(size=40)}

    def correlation(outputs: Sequence[tuple[str, int]], references: Sequence[int]) -> float:
        x = [kept[system][i] for system, i in outputs]
        return float(np.corrcoef(x, gold[list(references)])[0, 1])

    metric = outscore.Recomputed(correlation, name="correlation")
    systems = [[(system, i) for i in range(40)] for system in "ab"]
    given: dict[str, Any] = {"tests": ["bootstrap", "randomization"], "n_resamples": 400}
    found = first(*systems, references=range(40), metric=metric, **given)
    expected = first(kept["a"], kept["b"], references=gold, metric=Pearson(), **given)
    assert [test.n_exceeding for test in found.tests] == [test.n_exceeding for test in expected.tests]
    assert "correlation" in found.sentence
    assert found.helped is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "bleu"}, "It compares outputs with references"),
        ({"metric": "blue", "references": REFERENCES}, "unknown metric"),
        ({"metric": outscore.F1(), "references": REFERENCES}, "metric of columns"),
        ({"metric": "bleu", "references": "nowhere.txt"}, "nowhere.txt"),
        ({"metric": "bleu", "references": REFERENCES[:3]}, "expected 3 items"),
        ({"metric": "bleu", "references": 3}, "expected a list"),
        ({"metric": "bleu", "references": REFERENCES, "unit": "word"}, "unit"),
        ({"metric": "bleu", "references": REFERENCES, "unit": "response"}, "no single responses"),
        ({"metric": "bleu", "references": REFERENCES, "unit": "response", "tests": "bootstrap"}, "none of the tests"),
        ({"metric": Bleu()}, "expected --reference"),
        ({"metric": "wer", "references": [REFERENCES, REFERENCES]}, r"references\[0\]: expected Utterance"),
    ],
    ids=str,
)
def test_what_cannot_be_compared_is_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(outscore.OutscoreError, match=message) as error:
        outscore.compare(BASELINE, CANDIDATE, **options)
    assert all(line.endswith("]") for line in str(error.value).splitlines())
