"""Real logs and boards with samples, strata and test sets: results agree with what harnesses say of them.

They lie beside the repository, in ../shared; without them the tests are skipped.
"""

from __future__ import annotations

import csv
import json
import math
import struct
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

import outscore
from tests.kit import TestSetsResult

SHARED = Path(__file__).resolve().parents[2] / "shared"


def folder(name: str) -> Path:
    path = SHARED / name
    if not path.is_dir():
        pytest.skip(f"{path} is not here")
    return path


class Log(NamedTuple):
    """What a log of inspect_ai holds: samples by item and epoch, and the harness's own aggregates by reducer."""

    samples: dict[str, list[float]]
    aggregates: dict[str, dict[str, float]]


def _entry(path: Path, info: zipfile.ZipInfo) -> Any:
    """Return JSON from an archive of method 93 (Zstandard), which `zipfile` does not read."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    with path.open("rb") as file:
        file.seek(info.header_offset + 26)
        name, extra = struct.unpack("<HH", file.read(4))
        file.seek(name + extra, 1)
        packed = pyarrow.BufferReader(file.read(info.compress_size))
    return json.loads(pyarrow.input_stream(packed, compression="zstd").read())


def _log(path: Path) -> tuple[str, Log]:
    if path.suffix == ".json":
        header = json.loads(path.read_text(encoding="utf-8"))
        samples = header["samples"]
    else:
        entries = {info.filename: info for info in zipfile.ZipFile(path).infolist()}
        header = _entry(path, entries["header.json"])
        samples = [_entry(path, info) for name, info in entries.items() if name.startswith("samples/")]
    answered = [sample for sample in samples if "multi" in (sample.get("scores") or {})]
    by_item: dict[str, list[float]] = defaultdict(list)
    for sample in sorted(answered, key=lambda one: (str(one["id"]), one["epoch"])):
        by_item[str(sample["id"])].append(float(sample["scores"]["multi"]["value"]["ok"]))
    aggregates = {
        result["reducer"]: {name: metric["value"] for name, metric in result["metrics"].items()}
        for result in header["results"]["scores"]
        if result["scorer"] == "multi" and result["name"] == "ok"
    }
    return header["eval"]["model"].removeprefix("mockllm/"), Log(dict(by_item), aggregates)


@pytest.fixture(scope="module")
def inspect_logs() -> dict[str, Log]:
    paths = sorted(folder("logs/inspect-made-gsm8k-epochs").glob("2026-*"))
    logs = dict(map(_log, paths))
    assert len(logs) == 5
    return logs


def long_table(logs: dict[str, Log], path: Path) -> str:
    lines = ["system,item,epoch,score"]
    for system, log in logs.items():
        lines += [
            f"{system},{item},{epoch},{score:g}"
            for item, scores in log.samples.items()
            for epoch, score in enumerate(scores, 1)
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("reducer", "harness"), [("mean", "mean"), ("pass@2", "pass_at_2")])
def test_scores_of_epochs_are_those_of_inspect(
    inspect_logs: dict[str, Log], reducer: str, harness: str, tmp_path: Path
) -> None:
    table = long_table(inspect_logs, tmp_path / "epochs.csv")
    for system, log in inspect_logs.items():
        [score] = outscore.score(f"{table}:{system}", metric="mean", run="epoch", runs="samples", reduce=reducer).scores
        assert score.score == pytest.approx(log.aggregates[harness]["accuracy"], abs=1e-12)
        assert score.n_items == len(log.samples)


def test_pairs_of_epochs_agree_with_the_standard_error_of_differences(
    inspect_logs: dict[str, Log], tmp_path: Path
) -> None:
    """The mean difference and its standard error over the items that both logs have, by their definition."""
    table = long_table(inspect_logs, tmp_path / "epochs.csv")
    systems = list(inspect_logs)
    for baseline, candidate in [(systems[0], system) for system in systems[1:]]:
        of = [inspect_logs[system].samples for system in (baseline, candidate)]
        common = sorted(of[0].keys() & of[1].keys())
        d = np.array([np.mean(of[1][item]) - np.mean(of[0][item]) for item in common])
        [comparison] = outscore.compare(
            f"{table}:{baseline}", f"{table}:{candidate}", metric="mean", run="epoch", runs="samples",
            tests=["paired-t", "bootstrap"], drop_missing=True,
        ).comparisons  # fmt: skip
        assert comparison.gain == pytest.approx(d.mean(), abs=1e-12)
        assert comparison.n_items == len(common)
        assert comparison.test.p_value == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-9)
        assert comparison.tests[1].exact
        assert (comparison.verdict is outscore.Verdict.INCONCLUSIVE) == (comparison.test.p_value > 0.05)


PUBLISHED = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}  # README of tau-bench, airline, gpt-4o with tool calls


SHIPPED = Path(__file__).resolve().parents[1] / "examples" / "designs" / "airline.csv"


def test_the_shipped_airline_is_the_published_one() -> None:
    for k, published in PUBLISHED.items():
        [score] = outscore.score(f"{SHIPPED}:gpt-4o", run="trial", runs="samples", reduce=f"pass^{k}").scores
        assert round(score.score, 3) == published


@pytest.fixture(scope="module")
def wmt() -> tuple[Path, list[str]]:
    path = folder("data/mt-wmt24-en-cs")
    with (path / "items.tsv").open(encoding="utf-8") as file:
        return path, [row["domain"] for row in csv.DictReader(file, delimiter="\t")]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


@pytest.mark.slow
def test_macro_bleu_over_domains_is_the_mean_of_sacrebleus(wmt: tuple[Path, list[str]]) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    path, domains = wmt
    references = _lines(path / "ref.A.cs.txt")
    outputs = {name: _lines(path / "systems" / f"{name}.txt") for name in ("CUNI-GA", "Claude-3.5")}

    def bleu(name: str, domain: str) -> float:
        kept = [place for place, of in enumerate(domains) if of == domain]
        of = [[lines[place] for place in kept] for lines in (outputs[name], references)]
        return float(sacrebleu.corpus_bleu(of[0], [of[1]]).score)

    kinds = sorted(set(domains))
    macro = {name: np.mean([bleu(name, domain) for domain in kinds]) for name in outputs}
    baseline, candidate = outputs.values()

    def compared(weights: str) -> outscore.Comparison:
        result = outscore.compare(
            baseline, candidate, references=references, metric="bleu", strata=domains, weights=weights, n_resamples=200
        )
        return result.comparisons[0]

    comparison = compared("macro")
    assert comparison.baseline_score == pytest.approx(macro["CUNI-GA"])
    assert comparison.candidate_score == pytest.approx(macro["Claude-3.5"])
    assert "macro average of 4 strata" in comparison.sentence
    assert compared("size").gain != pytest.approx(comparison.gain, abs=1e-3)

    sets = outscore.compare(
        baseline, candidate, references=references, metric="bleu", test_sets=domains, tasks="fixed", n_resamples=200
    )
    assert isinstance(sets, TestSetsResult)
    [both] = sets.comparisons
    assert both.average is not None
    assert both.average.gain == pytest.approx(comparison.gain)
    for one in both.test_sets:
        assert one.candidate_score == pytest.approx(bleu("Claude-3.5", one.test_set))
        assert one.n_items == domains.count(one.test_set)
    assert both.k_hat == len(both.better_on)


@pytest.mark.slow
def test_speakers_are_tasks_of_which_others_are_drawn() -> None:
    """The t-test over speakers is SciPy's of their word error rates."""
    path = folder("data/asr-librispeech-test-clean")
    pytest.importorskip("jiwer")
    with (path / "items.tsv").open(encoding="utf-8") as file:
        speakers = {row["utterance"]: row["speaker"] for row in csv.DictReader(file, delimiter="\t")}
    names = ("google", "azure")
    ids = [line.split(" ")[0] for line in _lines(path / "ref.txt")]
    labels = [speakers[utterance] for utterance in ids]
    files = [str(path / "systems" / f"{name}.txt") for name in names]
    result = outscore.compare(
        *files, references=str(path / "ref.txt"), metric="wer", input_format="kaldi",
        test_sets=dict(zip(ids, labels, strict=True)), tasks="random", n_resamples=1000,
    )  # fmt: skip
    assert isinstance(result, TestSetsResult)
    [both] = result.comparisons
    gains = np.array([one.gain for one in both.test_sets])
    assert len(gains) == len(set(labels)) == 40
    assert sum(one.n_items for one in both.test_sets) == 2620
    assert both.average is not None
    assert both.average.gain == pytest.approx(gains.mean())
    assert both.average.tests[0].p_value == pytest.approx(stats.ttest_1samp(gains, 0).pvalue, rel=1e-6)
    n = len(gains)
    reach = stats.t.ppf(0.975, n - 1) * gains.std(ddof=1) / math.sqrt(n)
    assert both.average.interval.low == pytest.approx(gains.mean() - reach)
    assert both.k_hat == len(both.better_on) >= 1
