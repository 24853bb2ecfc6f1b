"""Leaderboards from board files, tables and data frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import outscore
from outscore import Labels, Rows, Scores
from outscore.design import Design
from outscore.errors import DataError, OptionError, OutscoreError
from outscore.metrics import F1, Accuracy, Mean

RNG = np.random.default_rng(8)
ITEMS = [f"q{i}" for i in range(12)]
SCORES = {name: (RNG.random(12) < q).astype(int).tolist() for name, q in (("a", 0.4), ("b", 0.7), ("c", 0.6))}
FAMILY = {"a": "old", "b": "new", "c": "new"}
DOCS = [f"d{i // 2}" for i in range(12)]


def long_rows() -> list[dict[str, object]]:
    return [
        {"system": name, "item": item, "score": score, "family": FAMILY[name], "cluster": doc}
        for name, scores in SCORES.items()
        for item, score, doc in zip(ITEMS, scores, DOCS, strict=True)
    ]


def wide_csv() -> str:
    lines = [",".join(["item", "cluster", *SCORES])]
    for i, item in enumerate(ITEMS):
        lines.append(",".join([item, DOCS[i], *(str(scores[i]) for scores in SCORES.values())]))
    return "\n".join(lines) + "\n"


def expected() -> outscore.Ranking:
    board = outscore.read(
        {name: dict(zip(ITEMS, scores, strict=True)) for name, scores in SCORES.items()},
        metric="accuracy",
        families=FAMILY,
        clusters=dict(zip(ITEMS, DOCS, strict=True)),
    )
    return outscore.rank(board, n_resamples=500)


def test_every_way_in_gives_the_same_ranking(tmp_path: Path) -> None:
    wanted = expected()
    assert wanted.n_units == 6
    assert [pair.same_family for pair in wanted.pairs].count(True) == 1
    rows = long_rows()
    frame = pl.DataFrame(rows)
    frame.write_csv(tmp_path / "long.csv")
    frame.write_parquet(tmp_path / "long.parquet")
    (tmp_path / "long.jsonl").write_text("\n".join(map(json.dumps, rows)))
    shuffled = [rows[i] for i in RNG.permutation(len(rows))]
    (tmp_path / "shuffled.jsonl").write_text("\n".join(map(json.dumps, shuffled)))
    for name in ("long.csv", "long.parquet", "long.jsonl"):
        assert outscore.rank(tmp_path / name, metric="accuracy", n_resamples=500) == wanted
    # Another order of items draws them otherwise; exact p-values stay.
    other = outscore.rank(tmp_path / "shuffled.jsonl", metric="accuracy", n_resamples=500)
    assert [pair.p_value for pair in other.pairs] == pytest.approx([pair.p_value for pair in wanted.pairs])
    for kind in (frame, pd.DataFrame(rows)):
        assert outscore.rank(kind, metric="accuracy", n_resamples=500) == wanted


def test_wide_tables_and_frames(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(wide_csv())
    wanted = expected()
    for board in (
        outscore.read(tmp_path / "wide.csv", metric="accuracy"),
        outscore.read(pl.read_csv(tmp_path / "wide.csv"), metric="accuracy"),
        outscore.read(pd.read_csv(tmp_path / "wide.csv").set_index("item"), metric="accuracy"),
    ):
        found = outscore.rank(board, n_resamples=500)
        assert found.n_units == 6
        assert [pair.p_value for pair in found.pairs] == [pair.p_value for pair in wanted.pairs]
        assert [system.family for system in found.systems] == [None] * 3


def test_columns_that_hold_no_scores_are_left_out_and_told(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("id,a,domain,b\nx,1,news,0\ny,0,news,1\nz,1,web,1\nw,1,web,0\n")
    board = outscore.read(tmp_path / "wide.csv", metric="accuracy", strata="domain")
    assert board.names == ("a", "b")
    assert board.notes == ()
    board = outscore.read(tmp_path / "wide.csv")
    assert outscore.rank(board, n_resamples=50).warnings[0] == (
        f'Column "domain" of {tmp_path}/wide.csv has no scores and was left out.'
    )


def test_a_first_column_that_counts_rows_is_no_system(tmp_path: Path) -> None:
    scores = {"old": [1, 0, 0, 1, 0], "new": [1, 1, 0, 1, 1]}
    for start in (0, 1):
        counted = pd.DataFrame({"Satz": range(start, start + 5), **scores})
        counted.to_csv(tmp_path / "counted.csv", index=False)
        for table, source in ((tmp_path / "counted.csv", f"{tmp_path}/counted.csv"), (counted, "frame")):
            read = outscore.read(table)
            assert (read.names, read.notes) == (
                ("old", "new"),
                (f'Column "Satz" of {source} numbers its rows and was left out.',),
            )
        assert len(outscore.compare(counted, baseline="old").comparisons) == 1
    # Neither are ids, however named in frames; what goes by twos or stands behind is a system.
    assert (
        outscore.compare(pd.DataFrame({"item": [5, 3, 4], "a": [1, 0, 1], "b": [0, 0, 1]}), baseline="a").n_items == 3
    )
    assert outscore.read(pd.DataFrame({"a": range(0, 10, 2), "b": range(5)})).names == ("a", "b")


def test_a_board_names_files_relative_to_itself(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for name, scores in SCORES.items():
        lines = [f"{item},{score},{doc}" for item, score, doc in zip(ITEMS, scores, DOCS, strict=True)]
        (tmp_path / "out" / f"{name}.csv").write_text("\n".join(["id,score,doc", *lines]))
    board = tmp_path / "board.toml"
    systems = [f'[[systems]]\nname = "{name}"\nfile = "out/{name}.csv"\nfamily = "{FAMILY[name]}"\n' for name in SCORES]
    board.write_text("\n".join(['metrics = ["accuracy", "mean"]\nclusters = "doc"\n', *systems]))
    read = outscore.read(board)
    assert [metric.name for metric in read.metrics] == ["accuracy", "mean"]
    assert outscore.rank(read, n_resamples=500) == expected()
    assert outscore.rank(read, metric="mean", n_resamples=500).metric.name == "mean"
    with pytest.raises(OptionError, match="unknown metric"):
        outscore.rank(read, metric="bleu")
    assert outscore.read(board, metric=["mean"]).metrics == (Mean(),)


def test_a_board_of_outputs(tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text("the cat sat\na dog ran off\nit rains again today\nyes it does\n")
    (tmp_path / "x.txt").write_text("the cat sat\na dog ran\nit rains today\nyes it did\n")
    (tmp_path / "y.txt").write_text("cat\na dog ran off\nit rains again today\nno\n")
    (tmp_path / "b.toml").write_text(
        'metrics = "bleu"\nreferences = "ref.txt"\n[[systems]]\nfile = "x.txt"\n[[systems]]\nfile = "y.txt"\n'
    )
    board = outscore.read(tmp_path / "b.toml")
    assert board.names == ("x", "y")
    (pair,) = outscore.rank(board, tests="bootstrap", n_resamples=200).pairs
    assert pair.n_exceeding is not None


@pytest.mark.parametrize(
    ("keys", "options"),
    [
        ('run = "seed"\nruns = "random"', {"run": "seed", "runs": "random"}),
        ('run = "seed"\nruns = "samples"\nreduce = "mean"', {"run": "seed", "runs": "samples", "reduce": "mean"}),
        ('strata = "part"\nweights = "macro"', {"strata": "part", "weights": "macro"}),
        ('strata = "part"\nweights = "weights.csv"', {"strata": "part", "weights": "weights.csv"}),
        ('strata = "part"\ncollapse_strata = true', {"strata": "part", "collapse_strata": True}),
        ('test_sets = "part"', {"test_sets": "part"}),
        ('missing = "drop"', {"drop_missing": True}),
        ('missing = "zero"', {"zero_missing": True}),
        ('missing = "error"', {}),
    ],
)
def test_a_board_holds_the_options_of_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: str, options: dict[str, Any]
) -> None:
    rng, out = np.random.default_rng(3), tmp_path / "out"
    out.mkdir()
    for name in "xy":
        items = [(i, run) for i in range(12) for run in (1, 2) if "missing" not in keys or (name, i) != ("y", 3)]
        rows = [
            f"{i},{'even' if i % 2 else 'odd'},{run},{rng.random():.3f}" for i, run in items if "run" in keys or run < 2
        ]
        (out / f"{name}.csv").write_text("\n".join(["id,part,seed,score", *rows]))
    (out / "weights.csv").write_text("stratum,weight\neven,3\nodd,1\n")
    named = "".join(f'[[systems]]\nfile = "{name}.csv"\n' for name in "xy")
    (out / "board.toml").write_text(f"{keys}\n{named}")
    if "error" in keys:
        with pytest.raises(outscore.DataError):
            outscore.read(out / "board.toml")
        return
    read = outscore.read(out / "board.toml")
    monkeypatch.chdir(out)  # options are relative to the working folder
    expected = outscore.read(Path("x.csv"), Path("y.csv"), **options)
    assert np.array_equal(read.rows[0][0].values, expected.rows[0][0].values)
    assert outscore.score(read) == outscore.score(expected)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("missing = 'leave'\n[[systems]]\nfile = 'x.csv'", "expected error, drop or zero for missing, got"),
        ("runs = 'other'\n[[systems]]\nfile = 'x.csv'\n[[systems]]\nfile = 'x.csv'", "b.toml: runs: unknown value"),
        ("[[systems]]\nfile = 'x.csv'\nfamilly = 'z'", 'system 1: unknown key "familly". Did you mean "family"'),
        ("[[systems]]\nfile = 'absent.csv'\n[[systems]]\nfile = 'gone.csv'", "absent.csv"),
        ("references = 'ref'\n[[systems]]\nfile = 'x.csv'", 'ref"'),
        ("metrics = 'mean'", "no-systems"),
        ("[[systems]]\nname = 'x'", "no-file"),
        ("[[systems]]\nfile = 3", "wrong-type"),
    ],
)
def test_what_is_wrong_with_a_board_is_said(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "x.csv").write_text("id,score\na,1\nb,0\n")
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(OutscoreError) as error:
        outscore.read(tmp_path / "b.toml")
    assert says in str(error.value)


def test_what_is_wrong_with_a_table_is_said(tmp_path: Path) -> None:
    def error_of(text: str, metric: str = "mean") -> str:
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(DataError) as error:
            outscore.rank(tmp_path / "t.csv", metric=metric, n_resamples=50)
        return str(error.value)

    head = "system,item,score,family,cluster\n"
    assert 'system "a" has several families: "f" and "g"' in error_of(head + "a,x,1,f,1\na,y,0,g,1\nb,x,1,f,1\n")
    assert '"x" has the label "2" here and "1" before' in error_of(
        head + "a,x,1,f,1\na,y,0,f,1\nb,x,1,f,2\nb,y,0,f,1\n"
    )
    assert "t.csv:4" in error_of(head + "a,x,1,f,1\na,y,0,f,1\nb,x,1,f,2\nb,y,0,f,1\n")
    assert "duplicate-id" in error_of(head + "a,x,1,f,1\na,x,0,f,1\nb,x,1,f,1\nb,y,0,f,1\n")
    assert "1 item(s)" in error_of(head + "a,x,1,f,1\na,y,0,f,1\na,z,0,f,1\nb,x,1,f,1\nb,y,1,f,1\n")
    assert "t.csv:5" in error_of(head + "a,x,1,f,1\na,y,0,f,1\nb,x,1,f,1\nb,y,oops,f,1\n")
    assert "no-ids" in error_of("system,score\na,1\na,0\nb,1\nb,0\n")
    assert "missing-system" in error_of("system,item,score\na,1,1\n,2,0\n")
    assert "no-systems" in error_of("1\n0\n1\n")
    assert "no-systems" in error_of("id,tp,gold\na,1,2\nb,1,1\n", "f1")
    assert "one-system" in error_of("id,a\nx,1\ny,0\n")
    frame = pd.DataFrame({"item": [1, 2, 1, 2], "llm": ["a", "b", "c", "d"], "correct": [1, 0, 1, 1]})
    with pytest.raises(DataError, match='duplicate item id "1" in column "item"'):
        outscore.compare(frame, baseline="a")
    with pytest.raises(DataError, match="one row per system and item"):
        outscore.compare(frame[:2], baseline="a")


def test_items_that_a_system_lacks_can_be_dropped(tmp_path: Path) -> None:
    text = "system,item,score,cluster\n" + "".join(f"a,{i},{i % 2},{i // 2}\n" for i in range(6))
    text += "".join(f"b,{i},{i % 3 == 0:d},{i // 2}\n" for i in range(1, 6))
    (tmp_path / "t.csv").write_text(text)
    ranking = outscore.rank(tmp_path / "t.csv", drop_missing=True, n_resamples=50)
    assert ranking.n_items == 5
    assert ranking.warnings[0] == "Left out 1 item(s) that not all systems have."


def test_systems_in_memory_can_be_wrong_too() -> None:
    with pytest.raises(DataError, match='duplicate system name "a"'):
        outscore.rank([1, 0], [1, 1], names=["a", "a"])
    with pytest.raises(DataError, match="at least two systems"):
        outscore.rank({"a": [1, 0]})
    with pytest.raises(OptionError, match="unknown system"):
        outscore.read({"a": [1, 0], "b": [1, 1]}, families={"c": "x"})
    with pytest.raises(DataError, match="at least two systems"):
        outscore.rank([1, 0, 1])


def test_one_call_takes_what_the_steps_take(tmp_path: Path) -> None:
    frame = pl.DataFrame(long_rows())
    frame.write_csv(tmp_path / "long.csv")
    plain = frame.drop("family", "cluster")
    scores = {name: dict(zip(ITEMS, values, strict=True)) for name, values in SCORES.items()}
    wanted = expected()
    for systems in (scores, plain, frame, tmp_path / "long.csv"):
        found = outscore.rank(systems, metric="accuracy", families=FAMILY, clusters=DOCS, n_resamples=500)
        assert found == wanted
    for systems in (plain, tmp_path / "long.csv"):
        found = outscore.rank(systems, clusters=Labels("c", tuple(DOCS), tuple(ITEMS)), strata=["x"] * 12, max_t=False)
        assert found.n_units == 6
        assert found.pairs[0].p_maxt is None
    ids = frame.rename({"item": "piece", "score": "points of it"})
    named = outscore.rank(ids, metric="accuracy", id_column="piece", score_column="points of it", n_resamples=500)
    assert named == wanted
    strict = outscore.rank(
        scores, metric="accuracy", ties="strict", estimator="plain", method="monte-carlo", n_resamples=500
    )
    assert "ties:strict|estimator:plain" in strict.signature
    fewer = {**scores, "a": {item: scores["a"][item] for item in ITEMS[1:]}}
    assert outscore.rank(fewer, drop_missing=True, n_resamples=50).n_items == 11


def test_what_one_call_cannot_heed_is_refused() -> None:
    scores = {name: dict(zip(ITEMS, values, strict=True)) for name, values in SCORES.items()}
    board = outscore.read(scores, metric="accuracy")
    assert {system.family for system in outscore.rank(board, families=FAMILY, n_resamples=50).systems} == {"old", "new"}
    assert outscore.rank(board, metric=Accuracy(), n_resamples=50).metric.name == "accuracy"
    arguments: tuple[tuple[str, Any], ...] = (
        ("metric", "f1"),
        ("metric", Mean(higher_is_better=False)),
        ("clusters", DOCS),
        ("strata", "domain"),
        ("id_column", "id"),
        ("drop_missing", True),
    )
    for argument, value in arguments:
        with pytest.raises(OptionError, match=argument):
            outscore.rank(board, **{argument: value}, n_resamples=50)
    frame = pl.DataFrame({"item": ITEMS, **SCORES})
    for families, says in (({"d": "x"}, "unknown system"), (["x", "y", "z"], "mapping"), ({"a": 1.5}, "as text")):
        for systems in (board, scores, frame):
            with pytest.raises(OptionError, match=says):
                outscore.rank(systems, families=families, n_resamples=50)  # type: ignore[arg-type]
    assert outscore.rank([np.arange(9.0), np.arange(9.0)[::-1]], n_resamples=50).systems[0].name == "system 1"
    with pytest.raises(DataError, match="clusters"):
        outscore.rank(frame, clusters=7)
    with pytest.raises(OptionError, match="score_column"):
        outscore.rank(frame, score_column="a")


def test_rows_of_another_metric_are_refused() -> None:
    good, bad = (Rows(name, np.ones((4, k))) for name, k in (("good", 3), ("bad", 2)))
    with pytest.raises(DataError, match="bad: expected rows of f1 with 3 statistics, got rows with 2"):
        outscore.rank(Scores((F1(),), ((good, bad),), (None, None), Design(4)))
