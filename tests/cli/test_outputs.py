"""`outscore compare --reference`: systems that are files of outputs."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.running import Runner

TREE = (
    "1\tA\t_\tX\t_\t_\t{}\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t{}\tnsubj\t_\t_\n3\tran\t_\tVERB\t_\t_\t{}\troot\t_\t_\n\n"
)

TASKS: Mapping[str, tuple[str, Sequence[str], str, str, str, float, float]] = {
    # metric: suffix, options, reference, baseline, candidate, their scores
    "bleu": ("txt", [], "a b c d e\nf g h i j\n", "a b c d x\nf g h i x\n", "a b c d e\nf g h i j\n", 66.874, 100.0),
    "chrf": ("txt", [], "abcdef\nghijkl\n", "abcdef\nghijkl\n", "abcdef\nghijkl\n", 100.0, 100.0),
    "ter": ("txt", [], "a b c d\na b c d\n", "a b c x\na b c d\n", "a b c d\na b c d\n", 12.5, 0.0),
    "rouge1": (
        "txt",
        [],
        "the cat sat\na dog ran\n",
        "the cat ate\na dog ran\n",
        "the cat sat\na dog ran\n",
        5 / 6,
        1.0,
    ),
    "wer": ("txt", [], "a b\nc d\n", "a x\nc d\n", "a b\nc d\n", 0.25, 0.0),
    "uas": ("conllu", [], TREE.format(2, 3, 0) * 2, TREE.format(3, 3, 0) * 2, TREE.format(2, 3, 0) * 2, 2 / 3, 1.0),
    "aer": ("txt", [], "0-0 1-1\n0-0 1p1\n", "0-0\n0-1\n", "0-0 1-1\n0-0\n", 0.6, 0.0),
    "span-f1": ("bio", [], "A\tB-X\n\nB\tB-X\n", "A\tB-X\n\nB\tO\n", "A\tB-X\n\nB\tB-X\n", 2 / 3, 1.0),
    "accuracy": ("txt", [], "x\ny\nx\n", "x\nx\ny\n", "x\ny\nx\n", 1 / 3, 1.0),
    "macro-f1": ("txt", [], "x\ny\n", "x\nx\n", "x\ny\n", 1 / 3, 1.0),
    "mcc": ("txt", [], "x\ny\nx\n", "x\nx\ny\n", "x\ny\nx\n", -0.5, 1.0),
    "exact-match": ("txt", [], "The cat\nblue\n", "a dog\nBlue.\n", "cat\nblue\n", 0.5, 1.0),
    "mae": ("txt", [], "1\n2\n", "1\n3\n", "1\n2\n", 0.5, 0.0),
    "bracket-f1": (
        "mrg",
        [],
        "(S (NP (D a) (N b)) (V c))\n(S (V d))\n",
        "(S (D a) (N b) (V c))\n(S (V d))\n",
        "(S (NP (D a) (N b)) (V c))\n(S (V d))\n",
        0.8,
        1.0,
    ),
}


@pytest.mark.parametrize("metric", TASKS)
def test_every_task_from_its_files(metric: str, outscore: Runner, tmp_path: Path) -> None:
    suffix, options, reference, baseline, candidate, low, high = TASKS[metric]
    for name, text in (("r", reference), ("a", baseline), ("b", candidate)):
        (tmp_path / f"{name}.{suffix}").write_text(text)
    files = [f"{name}.{suffix}" for name in "rab"]
    run = outscore("compare", "-m", metric, "-r", *files, *options, "--format", "json", "--n-resamples", "500")
    assert run.status == 0, run.err
    [comparison] = json.loads(run.out)["comparisons"]
    assert comparison["baseline_score"] == pytest.approx(low, abs=1e-3)
    assert comparison["candidate_score"] == pytest.approx(high, abs=1e-9)
    assert comparison["gain"] == pytest.approx(abs(high - low), abs=1e-3)


def test_retrieval_runs_are_paired_by_query(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 2\n")
    (tmp_path / "a.run").write_text("q2 Q0 d2 1 2.0 a\nq1 Q0 d9 1 2.0 a\nq1 Q0 d1 2 1.0 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 d1 1 2.0 b\nq2 Q0 d2 1 2.0 b\nq3 Q0 d3 1 1.0 b\n")
    run = outscore("compare", "-m", "rr", "-m", "p@1", "-r", "qrels.txt", "a.run", "b.run", "--format", "json")
    results = json.loads(run.out)
    assert results["schema"] == "outscore/comparisons/1"
    reciprocal, precision = (result["comparisons"][0] for result in results["results"])
    assert (reciprocal["baseline_score"], reciprocal["candidate_score"]) == (0.5, 1.0)
    assert (precision["baseline_score"], precision["candidate_score"]) == (pytest.approx(1 / 3), 1.0)


def test_several_metrics_share_the_draws_and_are_all_printed(outscore: Runner, tmp_path: Path) -> None:
    for name, text in (("r", "x\ny\nx\n"), ("a", "x\nx\ny\n"), ("b", "x\ny\nx\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    run = outscore("compare", "-m", "accuracy", "-m", "kappa", "-r", "r.txt", "a.txt", "b.txt", "-q")
    assert run.status == 0, run.err
    assert "(accuracy in %, 3 items)" in run.out
    assert "(Cohen's kappa, 3 items)" in run.out


def test_a_metric_named_twice_is_there_once(outscore: Runner, tmp_path: Path) -> None:
    for name, text in (("r", "x\ny\nx\n"), ("a", "x\nx\ny\n"), ("b", "x\ny\nx\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    twice = outscore("compare", "-m", "accuracy", "-m", "accuracy", "-r", "r.txt", "a.txt", "b.txt")
    assert twice.out == outscore("compare", "-m", "accuracy", "-r", "r.txt", "a.txt", "b.txt").out


@pytest.mark.parametrize(
    ("format_name", "shown"),
    [
        ("text", "micro F1 (labels=x) (%) 50 +50"),
        ("text --details", "(micro F1 (labels=x) in %, 3 items)"),
        ("markdown", "(micro F1 (labels=x) in %, 3 items)"),
        ("latex", "& Micro F1 (labels=x) (%)"),
        ("json", "(micro F1 (labels=x) in %, 3 items)"),
    ],
)
def test_metrics_are_told_apart_by_their_options(
    outscore: Runner, tmp_path: Path, format_name: str, shown: str
) -> None:
    for name, text in (("r", "x\ny\nx\n"), ("a", "x\nx\ny\n"), ("b", "x\ny\nx\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    options = [
        "-m",
        "micro-f1",
        "-m",
        "micro-f1:labels=x",
        "-r",
        "r.txt",
        "a.txt",
        "b.txt",
        "--format",
        *format_name.split(),
    ]
    run = outscore("compare", *options)
    assert run.status == 0, run.err
    plain = run.out.replace("\\", "")
    assert shown in " ".join(plain.split())
    if format_name != "text":
        assert "|metric:micro-f1:labels=x|" in plain
        assert "|metric:micro-f1|" in plain


def test_fractions_of_retrieval_are_percentages_for_people(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 2\n")
    (tmp_path / "a.run").write_text("q2 Q0 d2 1 2.0 a\nq1 Q0 d9 1 2.0 a\nq1 Q0 d1 2 1.0 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 d1 1 2.0 b\nq2 Q0 d2 1 2.0 b\nq3 Q0 d3 1 1.0 b\n")
    metrics = [part for name in ("ap", "ndcg@10", "p@1", "rr", "recall@100") for part in ("-m", name)]
    run = outscore("compare", *metrics, "-r", "qrels.txt", "a.run", "b.run", "-q")
    assert run.status == 0, run.err
    for line, title in zip(run.out.splitlines(), ("MAP", "nDCG@10", "P@1", "MRR", "Recall@100"), strict=True):
        assert re.search(r"scores 100(\.0)? against ", line)
        assert f"({title} in %, 3 items)" in line


def test_clusters_of_items_with_ids_come_from_another_table(outscore: Runner, tmp_path: Path) -> None:
    for name, text in (
        ("r", "u1 a b\nu2 c d\nu3 e f\n"),
        ("a", "u1 a x\nu2 c d\nu3 e x\n"),
        ("b", "u3 e f\nu1 a b\nu2 c d\n"),
    ):
        (tmp_path / f"{name}.kaldi").write_text(text)
    (tmp_path / "items.tsv").write_text("item\tutterance\tspeaker\n0\tu1\ts\n1\tu2\tt\n2\tu3\ts\n")
    files = ["r.kaldi", "a.kaldi", "b.kaldi"]
    run = outscore("compare", "-m", "wer", "-r", *files, "--cluster", "items.tsv:speaker", "--format", "json")
    found = json.loads(run.out)
    assert (found["n_items"], found["n_units"]) == (3, 2)


SAME = {"r": "a\nb\n", "a": "a\nb\n", "b": "a\nb\n"}


@pytest.mark.parametrize(
    ("files", "options", "says"),
    [
        ({"r": "a\nb\n", "a": "a\n", "b": "a\nb\n"}, ["-m", "accuracy"], ["a.txt", "2", "1", "[different-lengths]"]),
        (SAME, ["-m", "acuracy"], ["accuracy", "[unknown-metric]"]),
        (
            SAME,
            ["-m", "bleu:tokenise=zh"],
            ["tokenize", "[unknown-metric-option]"],
        ),
        (SAME, ["-m", "bleu:max_ngram_order=x"], ["[bad-metric-option]"]),
        (SAME, ["-m", "wer", "-r", "r.txt"], ["[several-references]"]),
        (
            SAME,
            ["-m", "wer", "--input-format", "kaldy"],
            ["kaldi", "[unknown-format]"],
        ),
        ({"r": "a\n", "a": "a\n", "b": "a\n"}, ["-m", "accuracy"], ["[one-item]"]),
        ({"r": "0-0\n1-1\n", "a": "0-0\n1:1\n", "b": "0-0\n1-1\n"}, ["-m", "aer"], ["a.txt:2", "[malformed-link]"]),
        (
            {"r": "(S (A a))\n(S (A a))\n", "a": "(S (A a))\n(S (A a)\n", "b": "(S (A a))\n"},
            ["-m", "bracket-f1"],
            ["a.txt", "[unbalanced-brackets]"],
        ),
        (
            {"r": "A\tO\n\nB\tO\n", "a": "A\tO\n\nC\tO\n", "b": "A\tO\n\nB\tO\n"},
            ["-m", "span-f1", "--input-format", "tags"],
            ["a.txt:3", "[different-tokens]"],
        ),
    ],
)
def test_bad_outputs_are_one_line(
    files: Mapping[str, str], options: Sequence[str], says: Sequence[str], outscore: Runner, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / f"{name}.txt").write_text(text)
    run = outscore("compare", *options, "-r", "r.txt", "a.txt", "b.txt")
    assert run.status == 2
    assert run.out == ""
    assert run.err.count("\n") == 1, run.err
    for part in says:
        assert part in run.err, run.err


def test_a_metric_of_outputs_needs_references(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")
    run = outscore("compare", "-m", "bleu", "a.txt", "a.txt")
    assert run.status == 2
    assert "--reference" in run.err


def test_all_metrics_are_listed(outscore: Runner) -> None:
    from outscore.metrics import METRICS
    from tests.kit import OUTPUT_METRICS

    run = outscore("metrics")
    assert run.status == 0
    listed = {line.split()[0].split("@")[0] for line in run.out.splitlines() if line.strip()}
    assert {*METRICS, *OUTPUT_METRICS} <= listed
    assert "conllu" in run.out


def test_standard_input_serves_several_metrics(
    outscore: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["the cat sat on the mat", "dogs bark at night", "it rains in town"]
    for name, text in (("r", lines), ("a", [line[:-2] for line in lines])):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    data = (tmp_path / "r").read_bytes()
    for given in (["-r", "r", "a", "-"], ["-r", "-", "a", "r"]):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        result = outscore("compare", "-m", "bleu", "-m", "wer", *given, "--format", "json")
        assert [one["comparisons"][0]["candidate_score"] for one in json.loads(result.out)["results"]] == [
            pytest.approx(100),
            0,
        ]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--lower-is-better"], "--lower-is-better: metrics of outputs define their direction"),
        (["--id", "id"], "--id: outputs are paired by the ids in their files, or line by line"),
        (["--score", "text"], "--score: outputs have no scores"),
        (["--missing", "drop"], "--missing drop: every system needs an output for every reference"),
    ],
)
@pytest.mark.parametrize("command", ["compare", "rank"])
def test_options_of_score_tables_are_refused(
    command: str, options: Sequence[str], says: str, outscore: Runner, tmp_path: Path
) -> None:
    for name in "rab":
        (tmp_path / f"{name}.txt").write_text("x\ny\n")
    run = outscore(command, "-m", "accuracy", "-r", "r.txt", "a.txt", "b.txt", *options)
    assert (run.status, run.out) == (2, "")
    assert run.err == f"{says}. Omit the option. [not-for-outputs]\n"


def test_ids_that_stand_twice_among_outputs(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": "1", "label": "x"}\n{"id": "2", "label": "y"}\n')
    (tmp_path / "a.jsonl").write_text('{"id": "1", "label": "x"}\n{"id": "1", "label": "y"}\n')
    run = outscore("compare", "-m", "accuracy", "-r", "r.jsonl", "r.jsonl", "a.jsonl")
    assert run.status == 2
    assert run.err.startswith('a.jsonl:2: duplicate item id "1" (first at a.jsonl:1). ')
    assert "--id" not in run.err


def test_an_edit_rate_of_nothing_is_refused(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n\n")
    (tmp_path / "a.txt").write_text("a\nb\n")
    run = outscore("compare", "-m", "ter", "-r", "empty.txt", "empty.txt", "a.txt")
    assert run.status == 2
    assert run.err.startswith("empty.txt: the ter of the whole set is undefined: all references are empty. ")


def test_options_of_metrics_of_columns(outscore: Runner, tmp_path: Path) -> None:
    for name, numbers in (("a", "1\n2\n4\n"), ("b", "1\n1\n3\n")):
        (tmp_path / f"{name}.txt").write_text(numbers)
    run = outscore("compare", "-m", "mean:higher_is_better=false", "a.txt", "b.txt", "--format", "json")
    assert run.status == 0, run.err
    other = outscore("compare", "--lower-is-better", "a.txt", "b.txt", "--format", "json")
    assert json.loads(run.out)["comparisons"] == json.loads(other.out)["comparisons"]
    assert json.loads(run.out)["comparisons"][0]["gain"] == pytest.approx(2 / 3)


def test_unknown_metrics_are_offered_once(outscore: Runner) -> None:
    run = outscore("metrics", "nosuch")
    known = run.err.partition("Known: ")[2].partition(". [")[0].split(", ")
    assert "accuracy" in known
    assert len(known) == len(set(known))


@pytest.mark.parametrize(
    "text", ['Yes, "no".\n"x" y\n', "The\tO\nend\tO\n\nIt\tO\n", "q Q0 d 1 0.5 tag\n", "one, two\nthree\n"]
)
def test_outputs_that_are_read_as_scores_say_what_they_need(outscore: Runner, text: str) -> None:
    for name in ("a.txt", "b.txt"):
        Path(name).write_text(text, encoding="utf-8")
    run = outscore("compare", "a.txt", "b.txt")
    assert run.status == 2
    assert "need --metric and --reference" in run.err
    Path("b.txt").write_text("1\nx\n", encoding="utf-8")
    Path("a.txt").write_text("1\n2\n", encoding="utf-8")
    assert "--reference" not in outscore("compare", "a.txt", "b.txt").err
