"""Reading verdicts: columns, missing parts, and errors of one line."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import outscore
from outscore.errors import DataError, OptionError

FULL = """\
prompt_id,judge,order,run,verdict,human
p1,x,AB,1,A,A
p1,x,BA,1,B,A
p2,x,AB,1,B,B
p2,x,BA,1,B,B
p3,x,AB,1,tie,A
p3,x,BA,1,,A
"""


def test_files_and_frames_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.csv"
    path.write_text(FULL)
    own = outscore.judges(str(path))
    assert outscore.judges(path) == own
    assert outscore.judges(pl.read_csv(path)) == own
    pl.read_csv(path).write_parquet(tmp_path / "verdicts.parquet")
    assert outscore.judges(str(tmp_path / "verdicts.parquet")) == own
    pl.read_csv(path).write_ndjson(tmp_path / "verdicts.jsonl")
    assert outscore.judges(str(tmp_path / "verdicts.jsonl")) == own
    assert own.judges[0].n_verdicts == 5  # the empty one is missing


def test_columns_by_name(tmp_path: Path) -> None:
    usual = pl.read_csv(FULL.encode())
    other = usual.rename({"verdict": "answer", "judge": "llm", "human": "majority"})
    columns = {"verdict": "answer", "judge": "llm", "human": "majority"}
    assert outscore.judges(other, columns=columns) == outscore.judges(usual)


@pytest.mark.parametrize(
    ("rows", "notes"),
    [
        ([("a", "x", "AB", 1), ("b", "x", "AB", 0)], ["No item was judged in two orders", "One judge and no verdicts"]),
        (
            [("a", "x", "AB", 1), ("a", "x", "BA", 0), ("b", "x", "AB", 0), ("b", "y", "AB", 0)],
            ["No verdicts of people"],
        ),
        ([("a", "x", "left", 1), ("a", "x", "mid", 0), ("b", "x", "mid", 0)], ["The orders do not tell", "One judge"]),
    ],
)
def test_what_cannot_be_computed_is_said(rows: list[tuple[str, str, str, int]], notes: list[str]) -> None:
    result = outscore.judges(pl.DataFrame(rows, schema=["item", "judge", "order", "verdict"], orient="row"))
    assert [note[: len(start)] for note, start in zip(result.notes, notes, strict=True)] == notes


@pytest.mark.parametrize(
    ("text", "message", "slug"),
    [
        ("item,judge\na,x\nb,x\n", "expected a column verdict, got", "no-verdict"),
        ("verdict\n1\n0\n", "expected a column item, got", "no-item"),
        ("item,verdict\na,1\na,0\nb,1\n", 'verdicts.csv:3: second verdict on "a". If a column', "several-verdicts"),
        ("item,verdict,human\na,1,1\nb,1,0\nb,1,1\n", 'item "b" has two verdicts of people', "several-humans"),
        ("item,order,verdict\na,1,1\na,2,1\nb,3,1\n", "expected at most 2 orders, got 3", "several-orders"),
        ("item,judge,verdict\na,x,1\nb,,1\n", "verdicts.csv:3: expected a judge, got nothing", "no-judge"),
        ("item,verdict\na,1\n", "expected verdicts on at least 2 items", "empty"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, message: str, slug: str) -> None:
    path = tmp_path / "verdicts.csv"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        outscore.judges(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.problems[0].slug == slug


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"level": "ratios"}, "unknown level"),
        ({"level": "interval"}, "needs verdicts that are numbers"),
        ({"columns": {"model": "x"}}, 'unknown role "model"'),
        ({"positions": True}, "expected verdicts first and second"),
    ],
)
def test_bad_options(how: dict[str, object], message: str) -> None:
    data = pl.DataFrame({"item": ["a", "b", "c"], "verdict": ["red", "green", "blue"]})
    with pytest.raises(OptionError, match=message):
        outscore.judges(data, **how)  # type: ignore[arg-type]


def test_ratio_needs_positive_scores() -> None:
    data = pl.DataFrame({"item": ["a", "b"], "score": [-1.5, 2.0]})
    with pytest.raises(OptionError, match=r"needs scores of 0 or more, got -1\.5"):
        outscore.judges(data, level="ratio")
