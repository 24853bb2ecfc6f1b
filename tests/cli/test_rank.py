"""`outscore rank`: many systems from files, boards and tables."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from outscore import rank
from outscore.options import speaking_options
from tests.running import Runner

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the evaluation data are not here")

OPTIONS = ["--format", "json", "--n-resamples", "500"]
RIGHT = {"one": "1010110101", "two": "1110111111", "three": "1010010001"}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, digits in RIGHT.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(digits) + "\n")
    return [f"{name}.txt" for name in RIGHT]


def table(tmp_path: Path) -> str:
    rows = [",".join(["item", *RIGHT])]
    rows += [",".join([f"q{i}", *(digits[i] for digits in RIGHT.values())]) for i in range(10)]
    (tmp_path / "board.csv").write_text("\n".join(rows))
    return "board.csv"


def test_files_and_a_table_give_the_same_ranking(outscore: Runner, files: list[str], tmp_path: Path) -> None:
    by_files = outscore("rank", *files, "-m", "accuracy", "--format", "json", "--n-resamples", "500")
    by_table = outscore("rank", table(tmp_path), "-m", "accuracy", "--format", "json", "--n-resamples", "500")
    assert by_files.status == by_table.status == 0
    assert by_files.err == ""
    assert json.loads(by_files.out) == json.loads(by_table.out)
    assert [system["name"] for system in json.loads(by_files.out)["systems"]] == ["two", "one", "three"]


def test_the_sentence_stands_alone(outscore: Runner, files: list[str]) -> None:
    level = "any other (two-sided paired randomization test, α = 0.05, after max-T correction over 3 pairs)."
    one, several = (outscore("rank", *files, "-m", metric, "-q") for metric in ("accuracy", "accuracy,mean"))
    first = f"two scores best of 3 systems: 90 (accuracy in %, 10 items), but not significantly better than {level}"
    assert one.out == f"{first}\n"
    assert several.out.splitlines() == [first, first.replace("90 (accuracy in %", "0.90 (mean")]
    pair = outscore("rank", *files[:2], "-m", "accuracy", "-q").out
    assert pair.endswith("but not significantly better than one (two-sided paired randomization test, α = 0.05).\n")
    table = outscore("rank", *files, "-m", "accuracy,mean").out.split("\n\n")[0]
    assert " ".join(table.split()) == (
        "two scores best of 3 systems by both metrics (10 items). It is significantly better than every other by none "
        "of the metrics. "
        "Ranks are from the two-sided paired randomization test (α = 0.05, after max-T correction over 3 pairs, for "
        "each metric separately)."
    )


def test_a_metric_named_twice_makes_one_ranking(outscore: Runner, files: list[str]) -> None:
    run = outscore("rank", *files, "-m", "accuracy", "-m", "accuracy", *OPTIONS)
    assert json.loads(run.out)["schema"] == "outscore/ranking/1"


def test_every_pair_on_demand(outscore: Runner, files: list[str]) -> None:
    run = outscore("rank", *files, "-m", "accuracy", "--format", "csv", "--pairs", "-t", "mcnemar,paired-t")
    rows = list(csv.DictReader(StringIO(run.out)))
    assert [(row["candidate"], row["baseline"]) for row in rows] == [("two", "one"), ("two", "three"), ("one", "three")]
    assert [row["wins"] for row in rows] == ["3", "5", "2"]
    assert float(rows[1]["p_value"]) == 2 * 0.5**5
    assert {row["exact"] for row in rows} == {"true"}
    assert all(0 < float(row["p_paired-t"]) <= 1 for row in rows)


def test_the_output_file_says_its_format(outscore: Runner, files: list[str], tmp_path: Path) -> None:
    for name, mark in (("r.json", "{"), ("r.csv", "name,"), ("r.md", "two"), ("r.tex", "%")):
        run = outscore("rank", *files, "-m", "accuracy", "--n-resamples", "200", "-o", name)
        assert (run.status, run.out) == (0, "")
        assert (tmp_path / name).read_text().startswith(mark)


def test_columns_of_one_table_can_be_chosen(outscore: Runner, files: list[str], tmp_path: Path) -> None:
    del files
    records = [f"{i},{i % 7},{i // 3},{i % 2},1,0" for i in range(9)]
    (tmp_path / "wide.csv").write_text("\n".join(["id,length,doc,a,b,c", *records]))
    found = outscore("rank", "wide.csv", "-m", "accuracy", *OPTIONS)
    assert sorted(system["name"] for system in json.loads(found.out)["systems"]) == ["a", "b", "c"]
    assert [text[:16] for text in json.loads(found.out)["warnings"][:2]] == ['Column "length" ', 'Column "doc" of ']
    chosen = outscore("rank", "wide.csv:a", "wide.csv:length", "-m", "mean", "--cluster", "doc", *OPTIONS)
    assert sorted(system["name"] for system in json.loads(chosen.out)["systems"]) == ["a", "length"]
    assert json.loads(chosen.out)["n_units"] == 3
    refused = outscore("rank", "wide.csv", "--score", "a", *OPTIONS)
    assert refused.status == 2
    assert "--score" in refused.err
    assert "FILE:COLUMN" in refused.err


def test_a_chart_of_several_metrics_has_a_panel_for_each(outscore: Runner, files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    systems = "".join(f"[[systems]]\nfile = '{name}'\n" for name in files)
    (tmp_path / "two.toml").write_text(f"metrics = ['accuracy', 'mean']\n{systems}")
    run = outscore("rank", "two.toml", "--chart", "c.json", "--n-resamples", "200")
    assert run.status == 0
    panels = json.loads((tmp_path / "c.json").read_text())["vconcat"]
    assert len(panels) == 2


def test_kept_rows_are_called_as_what_was_scored(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text("a b c d e\n" * 8)
    for name, text in (("x", "a b c d e\n"), ("y", "a b c e f\n")):
        (tmp_path / f"{name}.txt").write_text(text * 8)
    assert outscore("rows", "x.txt", "y.txt", "-m", "ter", "-r", "ref.txt", "-o", "kept/").status == 0
    (tmp_path / "systems.tsv").write_text("system\tgroup\nx\tone\ny\ttwo\n")
    run = outscore("rank", "kept/x.ter.npz", "kept/y.ter.npz", *OPTIONS, "--families", "systems.tsv:group")
    held = json.loads(run.out)
    assert [(system["name"], system["family"]) for system in held["systems"]] == [("x", "one"), ("y", "two")]
    placed = outscore("rank", "kept/x.{metric}.npz", "kept/y.{metric}.npz", "-m", "ter", *OPTIONS)
    assert [system["name"] for system in json.loads(placed.out)["systems"]] == ["x", "y"]


def test_threads_give_the_same_ranking(outscore: Runner, files: list[str]) -> None:
    options = ["rank", *files, "-m", "accuracy", "--n-resamples", "2e4", "--format", "json", "--method", "monte-carlo"]
    assert outscore(*options).out == outscore(*options, "--jobs", "3").out


def test_families_stand_in_a_table_of_systems(outscore: Runner, files: list[str], tmp_path: Path) -> None:
    (tmp_path / "systems.tsv").write_text("system\tgroup\none\tx\ntwo\tx\nthree\ty\nmore\tz\n")
    options = ["rank", *files, "-m", "accuracy", "--n-resamples", "200", "--format", "json"]
    held = json.loads(outscore(*options, "--families", "systems.tsv:group").out)
    assert {system["name"]: system["family"] for system in held["systems"]} == {"one": "x", "two": "x", "three": "y"}
    assert [pair["same_family"] for pair in held["pairs"]] == [True, False, False]
    (tmp_path / "systems.tsv").write_text("system\tgroup\none\tx\n")
    run = outscore(*options, "--families", "systems.tsv:group")
    assert run.status == 2
    assert '2 of the 3 systems are missing: "two", "three"' in run.err
    (tmp_path / "systems.tsv").write_text("system\tclan\none\tx\ntwo\tx\nthree\ty\n")
    assert "wrong-column" in outscore(*options, "--families", "systems.tsv").err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["one.txt"], ["one", "no-systems"]),
        (["-m", "accuracy"], ["at least two systems", "one-system"]),
        (["one.txt", "one.txt"], ['duplicate system name "one"', "duplicate-system"]),
        (["one.txt", "short.txt"], ["different-lengths"]),
        (["one.txt", "graded.txt", "-m", "accuracy"], ["graded", "not-binary"]),
        (["ids.csv", "fewer.csv"], ["1 item(s)", "missing-ids"]),
        (["counts.csv", "ids.csv", "-m", "f1"], ["ids.csv", "f1", "wrong-column"]),
        (["one.txt", "gone.txt"], ["gone.txt", "cannot-read"]),
        (["board.toml"], ['file "gone.txt" not found', "missing-file"]),
        (["lonely.toml"], ["at least two systems", "one-system"]),
        (["one.txt", "two.txt", "--alternative", "less"], ["not available in rankings"]),
        (["one.txt", "two.txt", "--correction", "max-t", "--no-max-t"], ["max-t"]),
        (["one.txt", "two.txt", "--jobs", "0"], ["--jobs"]),
        (["one.txt", "two.txt", "--alpha", "2"], ["--alpha"]),
        (["one.txt", "two.txt", "--correction", "bonferroni"], ["bonferroni"]),
        (["one.txt", "two.txt", "-t", "bootstrapp"], ["Did you mean"]),
        (["graded.csv", "-m", "accuracy"], ['field "b": expected 0 or 1, got 0.5', "not-binary"]),
        (["one.txt", "graded.txt", "-t", "mcnemar"], ["mcnemar", "not-applicable"]),
        (["one.txt", "two.txt", "-o", "one.txt"], ["overwrites-input"]),
        (["one.txt", "--unknown"], ["unknown"]),
        (["-", "-"], ["standard input"]),
        (["counts.csv:tp", "-r", "one.txt"], ["one-system"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_wrong_is_one_line(
    outscore: Runner, files: list[str], tmp_path: Path, arguments: list[str], says: list[str]
) -> None:
    (tmp_path / "short.txt").write_text("1\n0\n")
    (tmp_path / "graded.txt").write_text("0.5\n" * 10)
    (tmp_path / "ids.csv").write_text("id,score\na,1\nb,0\nc,1\n")
    (tmp_path / "fewer.csv").write_text("id,score\na,1\nb,0\n")
    (tmp_path / "counts.csv").write_text("tp,predicted,gold\n1,2,2\n1,1,3\n0,1,1\n")
    (tmp_path / "graded.csv").write_text("id,a,b\nx,1,1\ny,0,0.5\n")
    (tmp_path / "board.toml").write_text("[[systems]]\nfile = 'one.txt'\n[[systems]]\nfile = 'gone.txt'\n")
    (tmp_path / "lonely.toml").write_text("[[systems]]\nfile = 'one.txt'\n")
    run = outscore("rank", *arguments)
    assert run.status == 2
    assert run.out == ""
    for part in says:
        assert part in run.err
    assert "Traceback" not in run.err


def test_identical_systems_are_ranked_alike(outscore: Runner, files: list[str], tmp_path: Path) -> None:
    (tmp_path / "copy.txt").write_text((tmp_path / "two.txt").read_text())
    run = outscore("rank", *files, "copy.txt", "-m", "accuracy", "--format", "json", "--n-resamples", "300")
    held = json.loads(run.out)
    assert [system["rank"] for system in held["systems"]] == [1, 1, 3, 4]
    assert (held["pairs"][0]["p_value"], held["pairs"][0]["p_maxt"]) == (1.0, 1.0)
    assert any("identical scores" in warning for warning in held["warnings"])


@needs_data
def test_a_leaderboard_of_language_models(outscore: Runner) -> None:
    folder = DATA / "llm-cruxeval"
    options = ["-m", "accuracy", "--families", f"{folder}/systems.tsv:group", "--n-resamples", "1000"]
    held = json.loads(outscore("rank", str(folder / "correct.tsv"), *options, "--format", "json").out)
    assert len(held["systems"]) == 51
    assert len(held["pairs"]) == 1275
    assert all(pair["exact"] for pair in held["pairs"])
    rows = csv.DictReader(StringIO((folder / "systems.tsv").read_text()), delimiter="\t")
    published = {row["system"]: float(row["accuracy_pct"]) for row in rows}
    for system in held["systems"]:
        assert 100 * system["score"] == pytest.approx(published[system["name"]], abs=1e-9)


@needs_data
def test_a_leaderboard_of_summaries_and_of_parsers(outscore: Runner) -> None:
    scores = DATA / "summ-realsumm" / "scores.rouge_1_f_score.tsv"
    held = json.loads(outscore("rank", str(scores), *OPTIONS, "-t", "paired-t", "--method", "monte-carlo").out)
    same = [pair for pair in held["pairs"] if pair["gain"] == 0]
    assert [{pair["baseline"], pair["candidate"]} for pair in same] == [{"abs.bart", "ext.bart"}]
    assert same[0]["p_value"] == 1
    runs = sorted((DATA / "dep-conll17-cs_cac" / "systems").glob("*.conllu"))[:6]
    gold = DATA / "dep-conll17-cs_cac" / "gold.conllu"
    options = ["-m", "las", "-r", str(gold), "--method", "monte-carlo", "--n-resamples", "500"]
    run = outscore("rank", *map(str, runs), *options)
    assert run.status == 0
    assert runs[0].stem in run.out


def test_a_metric_that_is_recomputed_ranks_as_in_python(outscore: Runner, tmp_path: Path) -> None:
    gold = [0.1, 0.5, 0.2, 0.9, 0.3, 0.35, 0.8, 0.7, 0.15, 0.65]
    systems = {
        name: [round(x + k * x * (1 - x) * (-1) ** i, 3) for i, x in enumerate(gold)] for k, name in enumerate("abc")
    }
    for name, values in {"gold": gold, **systems}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{value}\n" for value in values))
    tests = ["bootstrap", "randomization"]
    ran = outscore(
        "rank", "a.txt", "b.txt", "c.txt", "-m", "spearman", "-r", "gold.txt", "-t", ",".join(tests), *OPTIONS
    )
    with speaking_options():
        ranking = rank(systems, references=gold, metric="spearman", tests=tests, n_resamples=500)
        assert ran.out == ranking.to_json()
    assert (
        "W/T/L"
        in outscore("rank", "a.txt", "b.txt", "-m", "spearman", "-r", "gold.txt", "--n-resamples", "50", "--pairs").out
    )
