"""`outscore rank -m bradley-terry` and `outscore.rank`: tables of battles."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest

import outscore as library
from outscore.errors import DataError, OptionError
from outscore.results import Ranking, Rankings
from outscore.schemas import schema_of
from tests.running import Runner

WORDS = {1: "win", 0: "loss", 0.5: "tie"}


def battles() -> list[tuple[str, str, float, str]]:
    """Return three systems' battles by twelve users: what each says follows from its number."""
    pairs = (("x", "y"), ("y", "z"), ("z", "x"), ("x", "z"))
    return [
        (a, b, (1, 1, 0.5, 0)[(3 * user + 5 * place + user * place) % 4], f"u{user}")
        for user in range(12)
        for place, (a, b) in enumerate(pairs)
    ]


def written(path: Path, rows: Sequence[tuple[object, ...]], header: str = "system_a,system_b,outcome,user") -> str:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path.name


@pytest.fixture
def table(tmp_path: Path) -> str:
    return written(tmp_path / "battles.csv", [*battles()])


ASKED = ("-m", "bradley-terry", "--cluster", "user", "--n-resamples", "300")


def test_json_of_battles_clustered_by_user(outscore: Runner, table: str) -> None:
    run = outscore("rank", table, *ASKED, "--format", "json")
    assert run.status == 0
    found = json.loads(run.out)
    assert (found["schema"], found["n_items"], found["n_units"]) == ("outscore/ranking/1", 48, 12)
    assert found["metric"]["name"] == "bradley-terry"
    assert found["tests"] == ["skew-t"]
    assert {one["name"] for one in found["systems"]} == {"x", "y", "z"}
    assert sum(one["score"] for one in found["systems"]) == pytest.approx(0, abs=1e-9)
    for pair in found["pairs"]:
        assert 0.5 <= pair["p_beats"] < 1
        assert pair["wins"] + pair["ties"] + pair["losses"] in {12, 24}
        assert pair["interval"]["method"] == "skew-t"
    assert "unit:cluster" in found["signature"]
    assert not found["warnings"]
    again = outscore("rank", table, *ASKED, "--format", "json", "--jobs", "3")
    assert json.loads(again.out) == found


def test_python_gives_the_same_of_files_and_frames(outscore: Runner, table: str, tmp_path: Path) -> None:
    found = json.loads(outscore("rank", table, *ASKED, "--format", "json").out)
    frame = pd.read_csv(tmp_path / table)
    for source in (table, tmp_path / table, frame):
        ranking = library.rank(source, metric="bradley-terry", clusters="user", n_resamples=300)
        assert isinstance(ranking, Ranking)
        assert json.loads(ranking.to_json()) == found
    labels = list(frame["user"])
    several = library.rank(frame, metric=["Bradley_Terry"], clusters=labels, n_resamples=300)
    assert isinstance(several, Rankings)
    assert json.loads(several[0].to_json()) == found


def test_words_of_arenas_mean_the_same(outscore: Runner, table: str, tmp_path: Path) -> None:
    found = json.loads(outscore("rank", table, *ASKED, "--format", "json").out)
    arena = {1: "model_a", 0: "model_b", 0.5: "tie (bothbad)"}
    ways = {
        "words": [(a, b, WORDS[y], user) for a, b, y, user in battles()],
        "arena": [(a, b, arena[y], user) for a, b, y, user in battles()],
        "sides": [(a, b, {1: "A", 0: "B", 0.5: "Tie"}[y], user) for a, b, y, user in battles()],
        "names": [(a, b, {1: a, 0: b, 0.5: "tie"}[y], user) for a, b, y, user in battles()],
    }
    for name, rows in ways.items():
        path = written(tmp_path / f"{name}.csv", rows, "model_a,model_b,winner,user")
        own = json.loads(outscore("rank", path, *ASKED, "--format", "json").out)
        assert own.pop("warnings") == ['Columns: system_a "model_a", system_b "model_b", outcome "winner".']
        assert {**own, "warnings": found["warnings"]} == found, name


def test_families_and_what_no_user_says(outscore: Runner, table: str, tmp_path: Path) -> None:
    written(tmp_path / "some.csv", [("x", "p"), ("y", "p"), ("z", "q")], "system,family")
    run = outscore("rank", table, "-m", "bradley-terry", "--families", "some.csv:family", "--format", "json")
    found = json.loads(run.out)
    assert {pair["same_family"] for pair in found["pairs"]} == {True, False}
    assert "--cluster" in found["warnings"][0]
    assert "unit:battle" in found["signature"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (("x", "x", 1, "u1"), 'battles.csv:50: a system is compared with itself: "x".'),
        (("x", "y", 2, "u1"), 'battles.csv:50: field "outcome": expected 1, 0.5 or 0, or which side won, got "2".'),
        (("x", "y", "", "u1"), 'field "outcome": expected 1, 0.5 or 0, or which side won, got "".'),
        (("a", "b", "b", "u1"), "got"),
        (("x", "y", 1, ""), 'battles.csv:50: field "user": expected a user, got "".'),
        (("", "y", 1, "u1"), 'battles.csv:50: field "system_a": expected a system, got "".'),
        (("b", "a", "a", "u1"), '"a" names a side, and is also the name of the other system.'),
    ],
)
def test_rows_that_are_no_battles_are_told_with_their_place(
    outscore: Runner, tmp_path: Path, row: tuple[object, ...], told: str
) -> None:
    run = outscore("rank", written(tmp_path / "battles.csv", [*battles(), row]), *ASKED)
    assert run.status == 2
    assert told in run.err
    assert len(run.err.splitlines()) == 1


def test_tables_of_one_user_or_without_columns(outscore: Runner, tmp_path: Path) -> None:
    one = written(tmp_path / "one.csv", [(a, b, y, "u") for a, b, y, _ in battles()])
    assert "expected at least 5 users (clusters) to resample, got 1" in outscore("rank", one, *ASKED).err
    scores = written(tmp_path / "scores.csv", [("x", "i", 1)], "system,item,score")
    assert 'column "system_a" not found' in outscore("rank", scores, *ASKED).err
    alone = written(tmp_path / "alone.csv", [("x", "x", 1, "u")])
    assert "a system is compared with itself" in outscore("rank", alone, *ASKED).err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--stratum", "user"], "--stratum: does not apply to pairwise comparisons"),
        (["-r", "ref.txt"], "--reference: does not apply to pairwise comparisons"),
        (["--missing", "drop"], "--missing drop: does not apply to pairwise comparisons"),
        (["-t", "randomization"], "--test: pairwise comparisons are tested by skew-t, got randomization"),
        (["--interval", "bca"], "--interval: expected test"),
        (["--method", "exact"], "--method exact: strengths have no exact distribution"),
        (
            ["-m", "mean"],
            "--metric: bradley-terry ranks pairwise comparisons and cannot be combined with other metrics.",
        ),
        (["--n-resamples", "9"], "--n-resamples: expected 20 or more, got 9."),
        (["more.csv"], "systems: expected one table of pairwise comparisons, got 2"),
    ],
)
def test_options_that_battles_have_not_are_refused(outscore: Runner, table: str, options: list[str], told: str) -> None:
    run = outscore("rank", table, *ASKED[:4], *options)
    assert run.status == 2
    assert told in run.err
    assert len(run.err.splitlines()) == 1


def test_other_commands_know_the_name(outscore: Runner, table: str) -> None:
    run = outscore("compare", f"{table}:outcome", f"{table}:outcome", "-m", "bradley-terry")
    assert run.err.startswith("--metric: bradley-terry ranks")
    assert "strengths" in outscore("metrics", "bradley_terry").out.lower()
    assert "bradley-terry" in outscore("metrics").out
    with pytest.raises(DataError, match="one pairwise comparison per row, got none"):
        library.rank(pd.read_csv(table).head(0), metric="bradley-terry")
    with pytest.raises(OptionError, match="a file or a data frame of pairwise comparisons"):
        library.rank({"x": [1, 2]}, metric="bradley-terry")


def test_other_rankings_have_no_key_for_battles(outscore: Runner, tmp_path: Path) -> None:
    written(tmp_path / "right.csv", [(i % 2, 1, i % 3 == 0) for i in range(20)], "a,b,c")
    found = json.loads(outscore("rank", "right.csv", "--n-resamples", "100", "--format", "json").out)
    assert all("p_beats" not in pair for pair in found["pairs"])
    pairs = schema_of("ranking")["properties"]["pairs"]["items"]
    assert "p_beats" in pairs["properties"]
    assert "p_beats" not in pairs["required"]
