"""`outscore rows`, and `outscore compare` with what it kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu

from tests.readers.kit import Scoring, score_systems
from tests.running import Runner

TEXTS = {
    "r": "the cat sat on the mat\na dog ran far away\nbirds sing in the trees\n",
    "a": "the cat sat on a mat\na dog ran far\nbirds sing in trees\n",
    "b": "the cat sat on the mat\ndogs run far away\nbirds in the trees\n",
}


@pytest.fixture
def texts(tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text)


def figures(out: str) -> Any:
    result = json.loads(out)
    del result["metric"]["signature"]  # kept rows have their own
    for comparison in result["comparisons"]:
        for name in ("baseline", "candidate", "sentence"):
            del comparison[name]
    return result


@pytest.mark.usefixtures("texts")
def test_kept_rows_take_the_place_of_outputs(outscore: Runner, tmp_path: Path) -> None:
    for system in "ab":
        run = outscore("rows", "-m", "bleu", "-r", "r.txt", f"{system}.txt", "-o", f"{system}.bleu.npz")
        assert (run.status, run.err) == (0, "")
    options = ["--format", "json", "--n-resamples", "300", "-t", "bootstrap,randomization"]
    expected = figures(outscore("compare", "-m", "bleu", "-r", "r.txt", "a.txt", "b.txt", *options).out)
    for command in (
        ["a.bleu.npz", "b.bleu.npz"],
        ["a.bleu.npz", "b.bleu.npz", "-m", "bleu", "-r", "r.txt"],
        ["a.bleu.npz", "b.txt", "-r", "r.txt"],
    ):
        run = outscore("compare", *command, *options)
        assert run.status == 0, run.err
        assert figures(run.out) == expected
    (tmp_path / "documents.txt").write_text("d1\nd2\nd1\n")
    run = outscore("compare", "a.bleu.npz", "b.bleu.npz", "--cluster", "documents.txt", *options)
    assert figures(run.out)["n_units"] == 2


@pytest.mark.usefixtures("texts")
def test_several_systems_and_metrics_go_into_a_folder(outscore: Runner, tmp_path: Path) -> None:
    options = ["-m", "bleu:tokenize=char", "-m", "chrf", "-m", "rouge1"]
    run = outscore("rows", *options, "-r", "r.txt", "a.txt", "b.txt", "-o", "kept/")
    assert run.status == 0, run.err
    lines, reference = {name: text.splitlines() for name, text in TEXTS.items()}, [TEXTS["r"].splitlines()]
    bleu = {name: sacrebleu.corpus_bleu(lines[name], reference, tokenize="char").score for name in "ab"}
    chrf = {name: sacrebleu.corpus_chrf(lines[name], reference).score for name in "ab"}
    assert run.out == (
        "system  metric              items  score  file\n"
        f"a.txt   bleu:tokenize=char      3  {bleu['a']:.2f}  kept/a.bleu-tokenize=char.npz\n"
        f"b.txt   bleu:tokenize=char      3  {bleu['b']:.2f}  kept/b.bleu-tokenize=char.npz\n"
        f"a.txt   chrf                    3  {chrf['a']:.2f}  kept/a.chrf.npz\n"
        f"b.txt   chrf                    3  {chrf['b']:.2f}  kept/b.chrf.npz\n"
        # The means of 10/12, 8/9 and 8/9, and of 1, 4/9 and 8/9: twice the words in common over all words.
        "a.txt   rouge1 in %             3   87.0  kept/a.rouge1.npz\n"
        "b.txt   rouge1 in %             3   77.8  kept/b.rouge1.npz\n"
    )
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == sorted(
        line.split("kept/")[1] for line in run.out.splitlines()[1:]
    )
    before = {path: path.read_bytes() for path in (tmp_path / "kept").iterdir()}
    run = outscore("rows", *options, "-r", "r.txt", "a.txt", "b.txt", "-o", "kept", "--quiet", "--jobs", "1")
    assert (run.status, run.out, run.err) == (0, "", "")
    assert before == {path: path.read_bytes() for path in (tmp_path / "kept").iterdir()}
    run = outscore("compare", "-m", "chrf", "kept/a.chrf.npz", "kept/b.chrf.npz", "-q", "--n-resamples", "100")
    assert run.status == 0, run.err


def test_labels_of_all_systems_are_fixed_at_once(outscore: Runner, tmp_path: Path) -> None:
    for name, text in (("r", "x\ny\nx\n"), ("a", "x\nz\ny\n"), ("b", "x\ny\ny\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    outscore("rows", "-m", "macro-f1", "-r", "r.txt", "a.txt", "b.txt", "-o", "./")
    expected = outscore("compare", "-m", "macro-f1", "-r", "r.txt", "a.txt", "b.txt", "--format", "json")
    run = outscore("compare", "a.macro-f1.npz", "b.macro-f1.npz", "--format", "json")
    assert figures(run.out) == figures(expected.out)
    outscore("rows", "-m", "macro-f1", "-r", "r.txt", "b.txt", "-o", "b.npz")
    run = outscore("compare", "a.macro-f1.npz", "b.npz")
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert "b.npz: has scores of macro-f1 for labels other than those of a.macro-f1.npz" in run.err
    assert "one call of outscore rows" in run.err


@pytest.mark.parametrize(
    ("command", "slug"),
    [
        (["compare", "a.npz", "c.npz"], "other-metric"),
        (["compare", "a.npz", "d.npz"], "other-references"),
        (["compare", "a.npz", "b.npz", "-m", "chrf"], "other-metric"),
        (["compare", "a.npz", "b.npz", "-m", "bleu", "-m", "chrf"], "other-metric"),
        (["compare", "a.npz", "b.npz", "-r", "b.txt"], "other-references"),
        (["compare", "a.npz", "b.txt"], "no-reference"),
        (["compare", "a.txt", "b.txt", "-r", "r.txt"], "no-metric"),
        (["compare", "a.npz", "b.npz", "-t", "randomization-by-response"], "not-applicable"),
        (["compare", "a.npz", "not.npz"], "not-kept-rows"),
        (["rows", "-m", "bleu", "-r", "r.txt", "a.txt", "-o", "a.txt"], "unknown-kept-format"),
        (["rows", "-m", "bleu", "-r", "r.txt", "a.txt", "b.txt", "-o", "x.npz"], "several-files"),
        (["rows", "-m", "bleu", "-m", "ter", "-r", "r.txt", "a.txt", "-o", "x.npz"], "several-files"),
        (["rows", "-m", "bleu", "-r", "r.txt", "a.txt", "./a.txt", "-o", "x/"], "same-name"),
        (["rows", "-m", "bleu", "-r", "r.txt", "a.npz", "-o", "x/"], "kept-already"),
        (["rows", "-m", "bleu", "-r", "r.txt", "none.txt", "-o", "x/"], "cannot-read"),
        (["rows", "-m", "bleu", "-r", "r.txt", "short.txt", "-o", "x.npz"], "different-lengths"),
        (["rows", "-m", "bleo", "-r", "r.txt", "a.txt", "-o", "x.npz"], "unknown-metric"),
        (["rows", "-m", "mean", "-r", "r.txt", "a.txt", "-o", "x.npz"], "unknown-metric"),
        (["rows", "-m", "bleu", "-r", "r.txt", "a.txt", "-o", "none/x.npz"], "cannot-write"),
        (["rows", "-m", "bleu", "-r", "r.txt", "a.txt", "-o", "a.txt/"], "cannot-write"),
        (["rows", "-m", "bleu", "-r", "r.txt", "a.txt", "-o", "x.npz", "--jobs", "0"], "out-of-range"),
        (["rows", "-m", "bleu", "-r", "r.txt", "-x", "-o", "x.npz"], "usage"),
        (["rows", "-m", "bleu", "-r", "-", "-", "-o", "x.npz"], "usage"),
        (["rows", "-m", "bleu", "-r", "r.txt", "a.txt", "-o", "x.parquet"], "unknown-kept-format"),
        (["compare", "a.npz", "foreign.npz"], "not-kept-rows"),
        (["compare", "a.npz", "former.parquet"], "not-kept-rows"),
        (["compare", "a.npz", "-"], "no-reference"),
        (["rows", "-m", "bleu", "-r", "r.txt", "-o", "x.npz"], "usage"),
        (["rows", "-r", "r.txt", "a.txt", "-o", "x.npz"], "usage"),
    ],
)
@pytest.mark.usefixtures("texts")
def test_bad_use_is_one_line_and_writes_nothing(
    command: Sequence[str], slug: str, outscore: Runner, tmp_path: Path
) -> None:
    (tmp_path / "not.npz").write_bytes(b"PK\x03\x04 no rows")
    (tmp_path / "short.txt").write_text("a\nb\n")
    (tmp_path / "former.parquet").write_bytes(b"PAR1 and outscore.header")
    np.savez(tmp_path / "foreign.npz", values=np.zeros((2, 3)))
    for name, metric, reference in (
        ("a", "bleu", "r.txt"),
        ("b", "bleu", "r.txt"),
        ("c", "chrf", "r.txt"),
        ("d", "bleu", "b.txt"),
    ):
        assert outscore("rows", "-m", metric, "-r", reference, "a.txt", "-o", f"{name}.npz", "-q").status == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    run = outscore(*command)
    assert (run.status, run.out) == (2, "")
    assert run.err.count("\n") == 1, run.err
    assert f"[{slug}]" in run.err, run.err
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.usefixtures("texts")
def test_standard_input_is_read_once_for_all_metrics(
    outscore: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for side in ("r.txt", "a.txt"):
        monkeypatch.setattr("sys.stdin", StringIO((tmp_path / side).read_text()))
        files = ["-r", "-", "a.txt"] if side == "r.txt" else ["-r", "r.txt", "-"]
        run = outscore("rows", "-m", "bleu", "-m", "ter", "-m", "rouge1", *files, "-o", f"kept-{side}/", "-q")
        assert (run.status, run.err) == (0, "")
        assert len(list((tmp_path / f"kept-{side}").iterdir())) == 3


@pytest.mark.usefixtures("texts")
def test_a_file_of_kept_rows_may_have_no_name_but_its_extension(outscore: Runner) -> None:
    assert outscore("rows", "-m", "bleu", "-r", "r.txt", "a.txt", "-o", ".npz", "-q").status == 0
    run = outscore("compare", ".npz", ".npz", "-q", "--n-resamples", "50")
    assert run.status == 0, run.err


@pytest.mark.usefixtures("texts")
def test_several_metrics_of_kept_rows_are_compared_at_once(outscore: Runner) -> None:
    options = ["-m", "bleu:tokenize=char", "-m", "chrf"]
    assert outscore("rows", *options, "-r", "r.txt", "a.txt", "b.txt", "-o", "kept/", "-q").status == 0
    settings = ["--format", "json", "--n-resamples", "100"]
    run = outscore("compare", *options, "kept/a.{metric}.npz", "kept/b.{metric}.npz", *settings)
    expected = outscore("compare", *options, "-r", "r.txt", "a.txt", "b.txt", *settings)
    assert run.status == 0, run.err
    results, wanted = (json.loads(one.out)["results"] for one in (run, expected))
    assert len(results) == 2
    for result, other in zip(results, wanted, strict=True):
        one, two = result["comparisons"][0], other["comparisons"][0]
        assert (one["baseline"], one["candidate"]) == ("a", "b")
        assert (one["gain"], one["tests"]) == (two["gain"], two["tests"])
    run = outscore("compare", "kept/a.{metric}.npz", "kept/b.{metric}.npz")
    assert run.err.startswith("kept/a.{metric}.npz: {metric} in the file name needs --metric.")
    run = outscore("compare", "-m", "ter", "kept/a.{metric}.npz", "kept/b.{metric}.npz")
    assert run.err.startswith("kept/a.ter.npz: cannot read file")
    run = outscore("compare", *options, "kept/a.chrf.npz", "kept/b.chrf.npz")
    assert "For several metrics, write {metric} in the file names. [other-metric]" in run.err


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("command", ["compare", "rank", "rows"])
def test_all_cores_score_by_default(command: str, outscore: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = []

    def score(*given: Any, scoring: Scoring, **options: Any) -> Any:
        jobs.append(scoring.jobs)
        return score_systems(*given, **options)

    monkeypatch.setattr("outscore.readers.outputs.score_systems", score)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(7), raising=False)
    ends = ["-o", "kept/"] if command == "rows" else ["--n-resamples", "50"]
    for options in ([], ["--jobs", "3"]):
        run = outscore(command, "-m", "bleu", "-r", "r.txt", "a.txt", "b.txt", "-q", *options, *ends)
        assert run.status == 0, run.err
    assert jobs == [7, 3]
