"""How results name a metric: the options that a user gave, and what computed its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

import outscore
from outscore._types import FloatArray
from outscore.cli import main
from outscore.metrics import AnyMetric, metric_named
from outscore.results import MetricDescription
from tests.kit import OUTPUT_METRICS, output_metric
from tests.metrics.kit import describe_metric

GOLD = ["pos", "neg", "neg", "pos", "neg", "pos"]
SYSTEMS = [["pos", "pos", "pos", "neg", "neg", "pos"], ["pos", "neg", "neg", "pos", "neg", "neg"]]


def described(metric: str, references: object = GOLD, systems: Sequence[Sequence[str]] = SYSTEMS) -> MetricDescription:
    return outscore.compare(*systems, references=references, metric=metric, n_resamples=200).metric


def test_the_registry_has_each_metric_by_its_name() -> None:
    assert [metric.name for metric in OUTPUT_METRICS.values()] == list(OUTPUT_METRICS)
    assert len(OUTPUT_METRICS) == len(set(OUTPUT_METRICS.values()))
    assert "blue" not in OUTPUT_METRICS


@pytest.mark.parametrize("name", [*OUTPUT_METRICS, "mean", "f1"])
def test_a_metric_without_options_is_its_name(name: str) -> None:
    metric: AnyMetric = output_metric(name) if name in OUTPUT_METRICS else metric_named(name)
    found = describe_metric(metric)
    assert found.spec == found.name
    assert found.spec.split("@")[0] == name


@pytest.mark.parametrize(
    "spec", ["span-f1:type=person", "ndcg@5", "bleu:lowercase=true,tokenize=zh", "macro-f1:labels=a"]
)
def test_options_are_as_a_user_writes_them(spec: str) -> None:
    assert describe_metric(output_metric(spec)).spec == spec


def test_the_direction_is_no_part_of_it() -> None:
    assert describe_metric(outscore.Mean(higher_is_better=False)).spec == "mean"


def test_what_was_found_in_the_data_is_no_part_of_it() -> None:
    found = outscore.compare(*SYSTEMS, references=GOLD, metric="macro-f1", tests="randomization")
    assert found.metric.spec == "macro-f1"
    assert "|metric:macro-f1|" in found.signature
    named = outscore.compare(*SYSTEMS, references=GOLD, metric="macro-f1:labels=neg,labels=pos", tests="randomization")
    assert named.metric.spec == "macro-f1:labels=neg,labels=pos"


def test_the_signature_of_sacrebleu_counts_the_references() -> None:
    pytest.importorskip("sacrebleu")
    texts = [[f"{label} and so on" for label in labels] for labels in (GOLD, *SYSTEMS)]
    one, two = described("bleu:tokenize=intl", texts[0], texts[1:]), described("bleu", [texts[0]] * 2, texts[1:])
    number = version("sacrebleu")
    assert one.signature == f"nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:{number}"
    assert two.signature == f"nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:{number}"


def test_other_packages_are_named_with_their_versions() -> None:
    pytest.importorskip("rouge_score")
    found = described("rouge1:use_stemmer=true")
    assert found.signature == f"rouge1:use_stemmer=true|rouge-score:{version('rouge-score')}"
    assert described("accuracy").signature is None


def test_rows_that_were_kept_say_what_computed_them(tmp_path: Path) -> None:
    pytest.importorskip("rouge_score")
    for name, labels in zip("rab", (GOLD, *SYSTEMS), strict=True):
        (tmp_path / f"{name}.txt").write_text("\n".join(labels) + "\n")
    for name in "ab":
        with pytest.raises(SystemExit) as end:
            main(
                [
                    "rows",
                    "-m",
                    "rouge1",
                    "-r",
                    f"{tmp_path}/r.txt",
                    f"{tmp_path}/{name}.txt",
                    "-o",
                    f"{tmp_path}/{name}.npz",
                ]
            )
        assert end.value.code == 0
    found = outscore.compare(f"{tmp_path}/a.npz", f"{tmp_path}/b.npz", metric=output_metric("rouge1")).metric
    assert found.spec == "rouge1"
    assert found.signature is not None
    assert f"rouge-score:{version('rouge-score')}" in found.signature


def test_options_cannot_break_a_signature() -> None:
    pytest.importorskip("rouge_score")
    spec = 'rougeLsum:sentence_separator=" | "'
    found = outscore.compare(*SYSTEMS, references=GOLD, metric=spec)
    assert found.metric.spec == spec
    parts = dict(part.split(":", 1) for part in found.signature.split("|"))
    assert parts["metric"] == "rougeLsum:sentence_separator=%22%20%7C%20%22"
    assert parts["version"] == found.version


@dataclass(frozen=True)
class Overlap(outscore.OutputMetric[str, str]):
    """A metric whose options cannot all be written, and need not have defaults."""

    weights: object
    least: int

    name = "overlap"
    statistics = ("shared",)
    higher_is_better = True
    output_type = reference_type = str
    citation = "its formula"

    def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
        raise NotImplementedError

    def score(self, totals: FloatArray) -> FloatArray:
        return totals[..., 0]


def test_what_cannot_be_written_is_left_out() -> None:
    assert describe_metric(Overlap(print, 3)).spec == "overlap:least=3"
    assert describe_metric(outscore.Recomputed(lambda a, b: 0.0, name="distinct")).spec == "distinct"
