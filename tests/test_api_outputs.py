"""compare() on outputs and references, in memory and in files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu

import outscore
from outscore._types import FloatArray
from outscore.results import Method
from tests.frozen.calls import Own as LengthRatio
from tests.kit import output_metric, output_metrics

Bleu = output_metrics("bleu")[0]

REFERENCES = ["the cat sat on the mat", "dogs bark at night", "it rains in the town", "she reads a long book"]
BASELINE = ["the cat sat on a mat", "dogs bark in night", "it rain in town", "she read a book"]
CANDIDATE = ["the cat sat on the mat", "dogs bark at the night", "it rains in a town", "she reads the long book"]


def first(*systems: Any, **options: Any) -> outscore.Comparison:
    result: outscore.ComparisonResult = outscore.compare(*systems, **options)
    return result.comparisons[0]


def written(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_outputs_in_memory_and_in_files_are_the_same(tmp_path: Path) -> None:
    files = [written(tmp_path / f"{i}.txt", lines) for i, lines in enumerate((BASELINE, CANDIDATE, REFERENCES))]
    here = first(BASELINE, CANDIDATE, references=REFERENCES, metric="bleu")
    there = first(*files[:2], references=files[2], metric=Bleu())
    mixed = first(BASELINE, str(files[1]), references=REFERENCES, metric="bleu")
    for found in (there, mixed):
        assert (found.gain, found.test.p_value) == (here.gain, here.test.p_value)
    assert (here.baseline, here.candidate) == ("baseline", "candidate")
    assert here.candidate_score == pytest.approx(sacrebleu.corpus_bleu(CANDIDATE, [REFERENCES]).score, abs=1e-9)


def test_a_format_is_named_where_no_name_tells_it(tmp_path: Path) -> None:
    named = [
        written(tmp_path / f"{i}.out", [json.dumps({"said": line, "text": "x"}) for line in lines])
        for i, lines in enumerate((BASELINE, CANDIDATE, REFERENCES))
    ]
    here = first(BASELINE, CANDIDATE, references=REFERENCES, metric="bleu")
    options = {"references": named[2], "metric": "bleu", "input_format": "jsonl:field=said"}
    assert first(*named[:2], **options).gain == here.gain
    systems = "".join(f'[[systems]]\nname = "{path.stem}"\nfile = "{path.name}"\n' for path in named[:2])
    (tmp_path / "board.toml").write_text(f'references = "{named[2].name}"\n{systems}')
    ranking = outscore.rank(tmp_path / "board.toml", metric="bleu", input_format="jsonl:field=said", n_resamples=50)
    assert {system.score for system in ranking.systems} == {here.baseline_score, here.candidate_score}
    with pytest.raises(outscore.OptionError, match="input_format"):
        outscore.compare([1, 0], [1, 1], input_format="jsonl")


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
    with pytest.raises(outscore.DataError, match=r"1 item.* missing"):
        outscore.compare(gold, {"q1": "neg", "q2": "neg"}, references=gold, metric="accuracy")


def test_responses_from_tags() -> None:
    gold = [["B-PER", "I-PER", "O"], ["B-LOC", "O", "B-PER"]]
    one, other = [["B-PER", "O", "O"], ["O", "O", "B-PER"]], [["B-PER", "I-PER", "O"], ["B-LOC", "O", "O"]]
    tests = ["auto", "randomization-by-response"]
    found = first(one, other, references=gold, metric="span-f1", tests=tests)
    assert [(test.name, test.unit, test.n_units) for test in found.tests] == [
        ("skew-t", "item", 2),
        ("randomization-by-response", "response", 4),
    ]
    assert first(one, other, references=gold, metric=output_metric("span-f1"), tests=tests) == found


def test_rows_that_were_computed_before() -> None:
    metric = Bleu()
    sets = [(reference,) for reference in REFERENCES]
    rows = [outscore.Rows(name, metric.rows(lines, sets)) for name, lines in (("a", BASELINE), ("b", CANDIDATE))]
    found = first(*rows, metric=metric)
    assert found.gain == first(BASELINE, CANDIDATE, references=REFERENCES, metric="bleu").gain
    assert (found.baseline, found.candidate) == ("a", "b")


def test_a_metric_of_ones_own() -> None:
    found = first(BASELINE, CANDIDATE, references=REFERENCES, metric=LengthRatio())
    assert found.test.computation == "asymptotic"
    assert found.candidate_score == sum(map(len, CANDIDATE)) / sum(map(len, REFERENCES))


@pytest.mark.usefixtures("order_as_given")
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
    expected = first(kept["a"], kept["b"], references=gold, metric=output_metric("pearson"), **given)
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
        ({"metric": "bleu", "references": REFERENCES, "tests": "randomization-by-response"}, "needs outputs of spans"),
        ({"metric": Bleu()}, "outputs need references"),
        ({"references": REFERENCES}, r"^baseline: outputs need metric\. Choose a metric, such as bleu\."),
        ({"metric": Bleu, "references": REFERENCES}, r"got the class Bleu\. Call it: Bleu\(\)\."),
        ({"metric": "f1", "references": REFERENCES}, "It needs columns of counts; for outputs use .*span-f1"),
        ({"metric": "ter", "references": ["", " ", "", ""]}, "ter of the whole set is undefined: all references are"),
        ({"metric": "wer", "references": [REFERENCES, REFERENCES]}, r"references\[0\]: expected utterance"),
    ],
    ids=str,
)
def test_what_cannot_be_compared_is_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(outscore.OutscoreError, match=message) as error:
        outscore.compare(BASELINE, CANDIDATE, **options)
    assert all(line.endswith("]") for line in str(error.value).splitlines())


def test_without_references_the_metric_is_the_mean() -> None:
    assert outscore.compare([1, 2, 3], [2, 2, 4]).metric.name == "mean"
    with pytest.raises(outscore.OptionError, match='unknown metric "" of columns'):
        outscore.compare([1, 2, 3], [2, 2, 4], metric="")


@dataclass(frozen=True)
class Own(outscore.RatioMetric, outscore.OutputMetric[str, str]):
    """Items that are right; `fault` says what it does wrong."""

    fault: str = ""

    name = "own"
    statistics = ("right", "items")
    shared_statistics = ("items",)
    numerator, denominator = (1.0, 0.0), (0.0, 1.0)
    higher_is_better = True
    output_type = reference_type = str
    citation = "none"

    def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
        found = np.array([(float(a == b), 1.0) for a, b in zip(outputs, references, strict=True)])
        if self.fault == "one row":
            return found[:1]
        if self.fault == "NaN" and outputs == CANDIDATE:
            found[2] = np.nan
        if self.fault == "objects":
            return found.astype(object)
        if self.fault == "raises":
            raise KeyError("boom")
        return found

    def score(self, totals: FloatArray) -> FloatArray:
        return np.sqrt(super().score(totals)) if self.fault == "root" else super().score(totals)

    def fitted(self, references: Sequence[str], outputs: Sequence[Sequence[str]]) -> Own:
        if self.fault == "fits nothing":
            raise ZeroDivisionError
        return super().fitted(references, outputs)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            "one row",
            r"expected numbers of shape \(4, 2\), .*, for baseline, got float64 of shape \(1, 2\)\. .*bad-rows",
        ),
        ("objects", r"expected numbers of .*, got object of shape \(4, 2\)\. .*bad-rows"),
        (
            "NaN",
            r'returned \[nan, nan\] for candidate\[2\]: statistic "right": expected a finite number, got nan\. '
            r".*bad-rows",
        ),
        ("raises", r"cannot score the 4 items of baseline: KeyError: 'boom'\. .*bad-rows"),
        ("root", r"returned 0\.5, but numerator / denominator is 0\.25: .*bad-score"),
        ("fits nothing", r"cannot be fitted to the items: ZeroDivisionError\. .*bad-rows"),
    ],
)
def test_a_metric_that_does_wrong_is_told_so(fault: str, message: str) -> None:
    assert first(BASELINE, CANDIDATE, references=REFERENCES, metric=Own()).candidate_score == 0.25
    with pytest.raises(outscore.OptionError, match=rf"^own: {message}\]$"):
        outscore.compare(BASELINE, CANDIDATE, references=REFERENCES, metric=Own(fault))


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (lambda outputs, references: float("nan"), "expected a finite score of a test set, got nan"),
        (lambda outputs, references: "0.5", "expected a number as the score of a test set, got '0.5'"),
        (lambda outputs, references: np.ones(3), r"got numbers of shape \(3,\)"),
        (lambda outputs, references: len(outputs) / 0, "cannot score a test set: ZeroDivisionError: division by zero"),
        (lambda outputs, references: 1 / (len(set(references)) - 1), "cannot score a test set: ZeroDivisionError: .*"),
    ],
)
def test_a_function_without_a_score_is_told_so(score: Any, message: str) -> None:
    metric = outscore.Recomputed(score)
    with pytest.raises(outscore.OptionError, match=rf"^recomputed: .*{message}\. .* \[bad-score\]$") as error:
        # The last function fails in resamples, which the JSON needs.
        outscore.compare(range(4), range(1, 5), references=range(4), metric=metric, n_resamples=50).to_json()
    assert (error.value.__cause__ is None) == ("Zero" not in message)


def test_a_metric_that_says_too_little_of_itself() -> None:
    class NoName(outscore.OutputMetric[str, str]):
        statistics = ("right",)

        def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
            return np.ones((len(outputs), 1))

        def score(self, totals: FloatArray) -> FloatArray:
            return np.asarray(totals[..., 0])

    with pytest.raises(outscore.OptionError, match=r"^NoName: expected to have a name .*it is None\. .*broken-metric"):
        outscore.compare(BASELINE, CANDIDATE, references=REFERENCES, metric=NoName())
    NoName.name = "no-name"
    NoName.higher_is_better = True
    with pytest.raises(outscore.OptionError, match=r"^no-name: expected to have a output_type; it is None"):
        outscore.compare(BASELINE, CANDIDATE, references=REFERENCES, metric=NoName())


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_correlations_with_one_number(metric: str) -> None:
    numbers = [1.0, 2.0, 4.0, 3.0]
    with pytest.raises(outscore.DataError, match=rf"^references: the {metric} of .*all references are 2\. .*constant"):
        outscore.compare(numbers, numbers[::-1], references=[2.0] * 4, metric=metric)
    found = first([7.0] * 4, numbers[::-1], references=numbers, metric=metric, n_resamples=99)
    assert found.baseline_score == 0
    assert "baseline: All outputs are the same number" in found.warnings[0]
    other = first(numbers, numbers, references=numbers, metric=metric)
    assert not any("same number" in line for line in other.warnings)


def test_another_formula_is_refused_where_outputs_are_scored() -> None:
    from tests.kit import Corpus
    from tests.readers.kit import score_systems

    systems = [Corpus(name, lines, ()) for name, lines in (("a", BASELINE), ("b", CANDIDATE))]
    with pytest.raises(outscore.OptionError, match="derive from Metric instead"):
        score_systems(Own("root"), systems, REFERENCES)


def test_rankings_of_documents_in_memory_are_scored() -> None:
    judged = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}, "q3": {"x": 2, "y": 0}}
    one, other = {"q1": ["b", "a"], "q2": ["c"], "q3": ["y", "x"]}, {"q1": ["a", "b"], "q2": ["c", "d"], "q3": ["x"]}
    by_id = outscore.compare(one, other, references=judged, metric="rr").comparisons[0]
    assert by_id.baseline_score == pytest.approx(2 / 3)
    assert by_id.candidate_score == 1.0
    plain = outscore.compare(
        list(one.values()), list(other.values()), references=list(judged.values()), metric="rr"
    ).comparisons[0]
    assert plain.gain == by_id.gain
    with_another = outscore.compare({"q9": ["b"], **one}, other, references=judged, metric="rr").comparisons[0]
    assert with_another.gain == by_id.gain
    assert any("has no judgements and was left out" in warning for warning in with_another.warnings)


def test_a_method_may_be_named() -> None:
    from outscore.significance import Resampling

    assert Resampling("exact").method is Method.EXACT  # type: ignore[arg-type]
    with pytest.raises(outscore.OptionError, match="unknown value"):
        Resampling("exactly")  # type: ignore[arg-type]
