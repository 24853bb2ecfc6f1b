"""`outscore metrics`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from outscore.metrics import METRICS
from tests.kit import OUTPUT_METRICS
from tests.packages import installed
from tests.running import Runner


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_all_metrics_are_listed_at_any_width(outscore: Runner, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    run = outscore("metrics")
    assert run.status == 0
    assert run.err == ""
    lines = run.out.splitlines()
    assert max(map(len, lines)) <= int(columns)
    assert {*METRICS, *OUTPUT_METRICS} <= {line.split()[0].split("@")[0] for line in lines if line.strip()}
    for part in ("Columns of a table", "conllu, conllx", "needs sacrebleu", "spearman", "span-f1", "matches_1-4"):
        assert part in " ".join(run.out.split())
    assert {"ndcg@10", "p@10", "recall@100"} <= set(run.out.split())
    assert run.out.count("Pedregosa") == 1  # what several metrics share is said once
    assert "lm-evaluation-harness'" in run.out  # words are whole


@pytest.mark.parametrize("name", [*METRICS, *OUTPUT_METRICS])
def test_one_metric_speaks_the_language_of_the_command_line(
    outscore: Runner, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    run = outscore("metrics", name)
    # Formulas and names of options are whole.
    broken = [line for line in run.out.splitlines() if " " in line.strip() and not line.startswith("    (c n − Σ")]
    assert max(map(len, broken)) <= 40
    text = run.out.split("Options, with their defaults:")[-1]
    for word in ("None", "True", "False", "(*", "fitted", "with_types"):
        assert word not in text
    classes = {metric.__name__ for metric in (*METRICS.values(), *OUTPUT_METRICS.values())}
    assert not classes & set(re.findall(r"`(\w+)`", run.out))


def test_a_metric_may_be_named_with_its_options(outscore: Runner) -> None:
    assert outscore("metrics", "ndcg@10").out == outscore("metrics", "ndcg").out
    assert "k=10  (whole number or none)" in outscore("metrics", "ndcg").out


def test_two_metrics_of_one_name_are_both_shown(outscore: Runner) -> None:
    out = outscore("metrics", "accuracy").out
    assert "Columns of a table: correct" in out
    assert "Outputs: labels" in out


def test_a_file_is_written(outscore: Runner, tmp_path: Path) -> None:
    run = outscore("metrics", "bleu", "-o", "bleu.txt")
    assert run.out == ""
    assert (tmp_path / "bleu.txt").read_text(encoding="utf-8").startswith("bleu: BLEU")


def test_an_unknown_metric_is_one_line(outscore: Runner) -> None:
    run = outscore("metrics", "blue")
    assert (run.status, run.out) == (2, "")
    assert run.err == 'outscore metrics: unknown metric "blue". Did you mean "bleu"? [unknown-metric]\n'


def test_metrics_of_other_packages_are_listed(
    outscore: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    monkeypatch.syspath_prepend(docs)
    monkeypatch.syspath_prepend(tmp_path)
    points = {"length-error": "own_metric:LengthError", "lost": "no_such_module:Lost"}
    installed(tmp_path, "outscore.metrics", points)
    run = outscore("metrics")
    assert run.status == 0
    assert "registered by tiny 1.2" in " ".join(run.out.split())
    assert run.err.startswith('tiny 1.2: outscore.metrics: lost: "no_such_module:Lost" cannot be loaded')
    assert run.err.count("\n") == 1
    one = outscore("metrics", "length-error")
    assert "tolerance=0  (whole number)" in one.out
    broken = outscore("metrics", "lost")
    assert (broken.status, broken.out, broken.err.count("\n")) == (2, "", 1)
    for name, text in {"r": "a b\nc d e\nf\n", "a": "a\nc\nf g\n", "b": "a b\nc d\nf\n"}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    compared = outscore("compare", "-m", "length-error", "-r", "r.txt", "a.txt", "b.txt", "--format", "json")
    assert compared.status == 0, compared.err
    assert json.loads(compared.out)["comparisons"][0]["candidate_score"] == pytest.approx(1 / 6)
