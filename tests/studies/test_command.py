"""`outscore study`: what it prints and writes, and how it fails."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from tests.running import Runner

S, N = 24, 160


@pytest.fixture
def board(tmp_path: Path) -> str:
    """Right or wrong answers, one column a system, and a table of families and marks beside it."""
    stream = np.random.default_rng(1)
    hard = stream.normal(size=N)
    right = np.array([(stream.normal(size=N) + 0.5 * i / S > hard).astype(int) for i in range(S)])
    lines = [",".join(["item", "domain", *(f"s{i}" for i in range(S))])]
    lines += [",".join([f"q{j}", f"d{j % 2}", *map(str, right[:, j])]) for j in range(N)]
    (tmp_path / "board.csv").write_text("\n".join(lines) + "\n")
    marks = [f"s{i}\tf{i % 4}\t{'combination' if i == 5 else ''}" for i in range(S)]
    (tmp_path / "systems.tsv").write_text("\n".join(["system\tgroup\tkind", *marks]) + "\n")
    systems = [f'[[systems]]\nname = "s{i}"\nfile = "board.csv:s{i}"\n' for i in range(2)]
    (tmp_path / "told.toml").write_text("lower_is_better = true\n" + "".join(systems))
    return "board.csv"


BOARD = ("board.csv", "-m", "accuracy", "--stratum", "domain")
FAMILIES = ("--families", "systems.tsv:group")


def test_gain_as_json_has_the_keys_of_its_schema(outscore: Runner, board: str) -> None:
    run = outscore("study", "gain", *BOARD, *FAMILIES, "--min-pairs", "2", "--format", "json")
    assert (run.status, run.err) == (0, "")
    found = json.loads(run.out)
    assert list(found)[:3] == ["schema", "pairs", "thresholds"]
    assert found["schema"] == "outscore/study-gain/1"
    assert len(found["pairs"]) == S * (S - 1) // 2
    assert list(found["pairs"][0])[:5] == ["baseline", "candidate", "gain", "p_value", "relation"]
    assert list(found["thresholds"][0])[:5] == ["relation", "threshold", "low", "high", "n_pairs"]
    assert [each["relation"] for each in found["thresholds"]] == ["all", "same-family", "different-family"]
    assert {pair["relation"] for pair in found["pairs"]} == {"same-family", "different-family"}
    assert all(pair["gain"] >= 0 for pair in found["pairs"])
    gains = [pair["gain"] for pair in found["pairs"] if 0.04 <= pair["p_value"] <= 0.06]
    assert found["thresholds"][0]["threshold"] == pytest.approx(float(np.percentile(gains, 95)))
    assert found["alternative"] == "greater"
    assert found["direction"] == "data"


def test_marks_make_a_relation(outscore: Runner, board: str) -> None:
    run = outscore("study", "gain", *BOARD, *FAMILIES, "--relations", "systems.tsv:kind", "--format", "json")
    relations = [pair["relation"] for pair in json.loads(run.out)["pairs"]]
    assert relations.count("combination") == S - 1


@pytest.mark.parametrize("mark", ["all", "Same-Family", " different-family", "Family unknown", "a/b"])
def test_marks_are_told_from_other_relations(outscore: Runner, board: str, tmp_path: Path, mark: str) -> None:
    marks = [f"s{i},{mark if i == 3 else ''}" for i in range(S)]
    (tmp_path / "marks.csv").write_text("\n".join(["system,kind", *marks]) + "\n")
    run = outscore("study", "gain", *BOARD, "--relations", "marks.csv:kind")
    assert run.status == 2
    assert run.err.startswith("--relations: a mark cannot")
    assert run.err.endswith("[reserved-name]\n")


def test_csv_is_tidy(outscore: Runner, board: str) -> None:
    run = outscore("study", "gain", *BOARD, *FAMILIES, "--format", "csv")
    rows = list(csv.DictReader(StringIO(run.out)))
    assert len(rows) == S * (S - 1) // 2
    assert list(rows[0]) == ["baseline", "candidate", "gain", "p_value", "relation", "metric"]
    run = outscore("study", "gain", *BOARD, *FAMILIES, "--format", "csv", "--table", "thresholds")
    rows = list(csv.DictReader(StringIO(run.out)))
    assert [row["relation"] for row in rows] == ["all", "same-family", "different-family"]


@pytest.mark.parametrize("fit", ["window", "isotonic", "logistic", "scaled"])
def test_every_fit_gives_a_threshold_or_a_reason(outscore: Runner, board: str, fit: str) -> None:
    run = outscore("study", "gain", *BOARD, "--fit", fit, "--format", "json")
    found = json.loads(run.out)
    assert found["fit"] == fit
    for each in found["thresholds"]:
        assert (each["threshold"] is None) <= (each["reason"] is not None)
    assert found["thresholds"][0]["threshold"] == pytest.approx(0.09, abs=0.03)


def test_systems_may_be_files(outscore: Runner, tmp_path: Path) -> None:
    stream = np.random.default_rng(2)
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{x}\n" for x in stream.integers(0, 2, 40)))
    run = outscore("study", "gain", "a.txt", "b.txt", "c.txt", "-m", "accuracy", "--format", "json")
    assert {pair["candidate"] for pair in json.loads(run.out)["pairs"]} <= {"a", "b", "c"}


def test_size_domains_and_calibration_write_every_format(outscore: Runner, board: str, tmp_path: Path) -> None:
    commands = {
        "size": [*BOARD, "--sizes", "40,80,160", "--subsets", "3"],
        "domains": [*BOARD, "--subsets", "2"],
        "calibration": [*BOARD, "--items", "50", "--repeats", "6"],
    }
    for name, arguments in commands.items():
        for suffix, start in ((".json", "{"), (".csv", ""), (".md", ""), (".txt", "")):
            run = outscore("study", name, *arguments, "-o", f"{name}{suffix}")
            assert (run.status, run.out, run.err) == (0, "", "")
            text = (tmp_path / f"{name}{suffix}").read_text(encoding="utf-8")
            assert text.startswith(start)
            assert text.endswith("\n")
            assert not text.endswith("\n\n")
        assert json.loads((tmp_path / f"{name}.json").read_text())["schema"] == f"outscore/study-{name}/1"
    domains = json.loads((tmp_path / "domains.json").read_text())
    assert {point["domain"] for point in domains["points"]} == {"d0", "d1"}
    assert domains["items"] == N // 2


def test_domains_of_several_boards_and_transfer(outscore: Runner, board: str, tmp_path: Path) -> None:
    text = (tmp_path / "board.csv").read_text().splitlines()
    (tmp_path / "other.csv").write_text("\n".join(text[:81]) + "\n")
    run = outscore("study", "domains", "board.csv", "other.csv", "-m", "accuracy", "--subsets", "2", "--format", "json")
    found = json.loads(run.out)
    assert {(point["domain"], point["n_items"]) for point in found["points"]} == {("board", 160), ("other", 80)}
    run = outscore("study", "calibration", "board.csv", "-m", "accuracy", "--transfer", "other.csv", "--format", "json")
    found = json.loads(run.out)
    assert found["schema"] == "outscore/study-transfer/1"
    assert found["others"] == ["other"]
    run = outscore("study", "calibration", "board.csv", "-m", "accuracy", "--transfer", "other.csv")
    assert "other" in run.out


def test_transfer_between_the_strata_of_one_board(outscore: Runner, board: str) -> None:
    run = outscore("study", "calibration", *BOARD, "--transfer-from", "d1", "--format", "json")
    found = json.loads(run.out)
    assert (run.err, found["schema"]) == ("", "outscore/study-transfer/1")
    assert (found["board"], found["others"]) == ("d1", ["d0"])
    turned = json.loads(outscore("study", "calibration", *BOARD, "--transfer-from", "d0", "--format", "json").out)
    assert turned["bins"] != found["bins"]


def test_transfer_is_a_command_of_its_own(outscore: Runner, board: str, tmp_path: Path) -> None:
    text = (tmp_path / "board.csv").read_text().splitlines()
    (tmp_path / "other.csv").write_text("\n".join(text[:81]) + "\n")
    for new, old in (
        (
            ["board.csv", "-m", "accuracy", "--to", "other.csv"],
            ["board.csv", "-m", "accuracy", "--transfer", "other.csv"],
        ),
        ([*BOARD, "--from", "d1"], [*BOARD, "--transfer-from", "d1"]),
    ):
        run = outscore("study", "transfer", *new)
        assert (run.status, run.err) == (0, "")
        assert run.out == outscore("study", "calibration", *old).out
    for wrong, said in (
        ([], "study transfer: expected other test sets"),
        (["--from", "d0", "--to", "other.csv"], "--from: signs are compared"),
        (["--to", "other.csv", "--min-pairs", "3"], "--min-pairs: applies to thresholds and relations"),
    ):
        run = outscore("study", "transfer", *BOARD, *wrong)
        assert (run.status, run.out) == (2, "")
        assert run.err.startswith(said)
        assert run.err.endswith("[usage]\n")


def test_domains_of_outputs_are_strata(outscore: Runner, tmp_path: Path) -> None:
    stream = np.random.default_rng(3)
    (tmp_path / "gold.labels").write_text("".join(f"{x}\n" for x in stream.choice(["a", "b"], 40)))
    (tmp_path / "domains.txt").write_text("news\nweb\n" * 20)
    names = [f"s{i}.labels" for i in range(4)]
    for name in names:
        (tmp_path / name).write_text("".join(f"{x}\n" for x in stream.choice(["a", "b"], 40)))
    run = outscore(
        "study",
        "domains",
        *names,
        "-m",
        "accuracy",
        "-r",
        "gold.labels",
        "--stratum",
        "domains.txt",
        "--format",
        "json",
    )
    assert run.err == ""
    assert {point["domain"] for point in json.loads(run.out)["points"]} == {"news", "web"}


@pytest.mark.parametrize("suffix", [".svg", ".json"])
def test_charts_are_drawn(outscore: Runner, board: str, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    commands = {
        "gain": [*BOARD, *FAMILIES, "--min-pairs", "2"],
        "size": [*BOARD, *FAMILIES, "--sizes", "40,80,160", "--subsets", "3"],
        "domains": [*BOARD, "--subsets", "2"],
        "calibration": [*BOARD, "--items", "50", "--repeats", "6"],
    }
    for name, arguments in commands.items():
        run = outscore("study", name, *arguments, "-q", "--chart", f"{name}{suffix}")
        assert (run.status, run.err) == (0, "")
        drawn = (tmp_path / f"{name}{suffix}").read_text(encoding="utf-8")
        assert drawn.startswith("<svg" if suffix == ".svg" else "{")
    if suffix == ".svg":
        assert "same-family" in (tmp_path / "gain.svg").read_text(encoding="utf-8")


BAD = [
    (["gain", "board.csv", "-m", "accuracy", "--families", "systems.tsv:team"], "wrong-column"),
    (["gain", "board.csv", "-m", "accuracy", "--families", "absent.tsv:group"], "cannot-read"),
    (["gain", "board.csv:s1", "-m", "accuracy"], "one-system"),
    (["gain", "-m", "accuracy"], "one-system"),
    (["gain", "board.csv", "-m", "accuracy", "--window", "0.06", "0.04"], "out-of-range"),
    (["gain", "board.csv", "-m", "accuracy", "--min-pairs", "0"], "out-of-range"),
    (["gain", "board.csv", "-m", "accuracy", "--n-resamples", "0"], "out-of-range"),
    (["gain", "board.csv", "-m", "accuracy", "--jobs", "0"], "out-of-range"),
    (["gain", "board.csv", "-m", "accuracy", "--fit", "straight"], "usage"),
    (["gain", "board.csv", "-m", "accuracy", "--chart", "x.gif"], "chart-format"),
    (["gain", "board.csv", "-m", "accuracy", "-o", "board.csv"], "overwrites-input"),
    (["size", "board.csv", "-m", "accuracy", "--sizes", "100,161"], "out-of-range"),
    (["size", "board.csv", "-m", "accuracy", "--sizes", "ten"], "not-whole"),
    (["size", "board.csv", "-m", "accuracy", "--sizes", ","], "no-sizes"),
    (["size", "board.csv", "-m", "accuracy"], "usage"),
    (["domains", "board.csv", "-m", "accuracy"], "one-domain"),
    (["domains", "board.csv", "board.csv", "-m", "accuracy"], "usage"),
    (["domains", "-m", "accuracy"], "one-domain"),
    (["domains", "board.csv", "-m", "accuracy", "--stratum", "domain", "--items", "100"], "out-of-range"),
    (["calibration", "board.csv", "-m", "accuracy", "--items", "1"], "out-of-range"),
    (["calibration", "board.csv", "-m", "accuracy", "--items", "0"], "out-of-range"),
    (["calibration", "board.csv", "-m", "accuracy", "--repeats", "1"], "out-of-range"),
    (["calibration", "board.csv", "-m", "accuracy", "--transfer", "board.csv", "--items", "7"], "usage"),
    (["calibration", *BOARD, "--transfer-from", "d0", "--items", "0", "--repeats", "3"], "usage"),
    (["gain", "board.csv", "-m", "accuracy", "--table", "thresholds"], "usage"),
    (["gain", "board.csv", "-m", "accuracy", "--table", "pairs", "-o", "x.json"], "usage"),
    (["gain", "board.csv", "-m", "accuracy", "--empty-window"], "usage"),
    (["domains", "board.csv", "told.toml", "-m", "accuracy"], "wrong-direction"),
    (["domains", "told.toml", "board.csv", "-m", "accuracy", "--lower-is-better"], "wrong-direction"),
    (["calibration", "board.csv", "-m", "accuracy", "--transfer", "absent.csv"], "cannot-read"),
    (["calibration", "board.csv", "-m", "accuracy", "--transfer-from", "d0"], "no-strata"),
    (["calibration", *BOARD, "--transfer-from", "d2"], "unknown-stratum"),
    (["calibration", *BOARD, "--fit", "scaled"], "usage"),
    (["calibration", *BOARD, "--min-pairs", "3"], "usage"),
    (["calibration", *BOARD, "--relations", "systems.tsv:kind"], "usage"),
    (["calibration", *BOARD, "--families", "systems.tsv:group"], "usage"),
    (["calibration", *BOARD, "--transfer-from", "d0", "--window", "0.01", "0.02"], "usage"),
    (["calibration", "told.toml", "board.csv"], "several-boards"),
    (["calibration", *BOARD, "--transfer-from", "d0", "--transfer", "board.csv"], "usage"),
]


@pytest.mark.parametrize(("arguments", "slug"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_bad_input_is_one_line_with_advice(outscore: Runner, board: str, arguments: list[str], slug: str) -> None:
    run = outscore("study", *arguments)
    assert run.status == 2
    assert run.out == ""
    assert run.err.count("\n") == 1
    assert run.err.rstrip().endswith(f"[{slug}]"), run.err


def test_a_board_is_blamed_for_what_stands_in_it(outscore: Runner, board: str) -> None:
    run = outscore("study", "domains", "board.csv", "told.toml", "-m", "accuracy")
    said = (
        "told.toml: lower_is_better: accuracy has its own direction. Remove lower_is_better from the leaderboard file."
    )
    assert run.err == f"{said} [wrong-direction]\n"
    run = outscore("study", "gain", "told.toml", "-m", "accuracy", "--lower-is-better")
    assert run.err.startswith("--lower-is-better: ")


def test_several_boards_are_no_systems(outscore: Runner, board: str) -> None:
    said = "a leaderboard file cannot be combined with other systems, got 3 files. Pass only the leaderboard file."
    for command in (("study", "gain"), ("rank",)):
        run = outscore(*command, "told.toml", "told.toml", "told.toml")
        assert (run.status, run.err) == (2, f"told.toml: {said} [several-boards]\n")


def test_a_window_has_no_use_where_no_test_sets_are_drawn(outscore: Runner, board: str) -> None:
    asked = ("study", "calibration", *BOARD, "--window", "0.02", "0.08")
    assert outscore(*asked, "--items", "50", "--repeats", "4").status == 0
    run = outscore(*asked, "--fit", "scaled", "--transfer-from", "d0")
    assert run.err.startswith("--fit, --window: applies to thresholds and relations")


def test_options_that_have_no_use_are_named(outscore: Runner, board: str) -> None:
    run = outscore("study", "calibration", *BOARD, "--transfer-from", "d0", "--items", "0", "--repeats", "3")
    assert run.err.startswith("--items, --repeats: does not apply with --transfer-from, which draws no test sets.")


def test_sizes_of_calibration_are_not_bounded_by_the_board(outscore: Runner, board: str) -> None:
    run = outscore("study", "calibration", *BOARD, "--items", "1")
    assert run.err.startswith(
        "--items: expected 2 to 10,000,000 items of each test set, got 1. A single unit has no variance"
    )
    assert outscore("study", "calibration", *BOARD, "--items", str(N + 1), "--repeats", "2").status == 0


@pytest.mark.parametrize("name", ["gain", "size", "domains", "calibration"])
def test_help_has_no_options_that_empty_others(outscore: Runner, name: str) -> None:
    shown = outscore("study", name, "--help-all").out
    assert "--window" in shown
    assert "--empty" not in shown


def test_ascii_terminals_get_ascii(board: str, tmp_path: Path) -> None:
    from outscore import study_gain
    from outscore.api import read
    from tests.reports.written import to_text

    study = study_gain(read(tmp_path / board, metric="accuracy"))
    assert to_text([study], ascii_only=True).isascii()
