"""Reading verdicts: columns, missing parts, and errors of one line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import outscore
from outscore.errors import DataError, OptionError
from tests.judging.kit import JudgesResult

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
    found, expected = outscore.judges(other, columns=columns), outscore.judges(usual)
    assert replace(found, notes=()) == replace(expected, notes=())
    assert found.notes[-1] == (
        'Columns: item "prompt_id", judge "llm", order "order", repetition "run", verdict "answer", human "majority".'
    )


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
    *found, last = result.notes
    assert [note[: len(start)] for note, start in zip(found, notes, strict=True)] == notes
    assert last == 'Columns: item "item", judge "judge", order "order", verdict "verdict".'  # always


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
    data = pl.DataFrame({"item": ["a", "b", "c"], "order": ["AB"] * 3, "verdict": ["red", "green", "blue"]})
    with pytest.raises(OptionError, match=message):
        outscore.judges(data, **how)  # type: ignore[arg-type]


def test_ratio_needs_positive_scores() -> None:
    data = pl.DataFrame({"item": ["a", "b"], "score": [-1.5, 2.0]})
    with pytest.raises(OptionError, match=r"needs scores of 0 or more, got -1\.5"):
        outscore.judges(data, level="ratio")


def read(text: str, **how: object) -> JudgesResult:
    return outscore.judges(pl.read_csv(text.encode()), **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("cells", [("1", "0"), ("true", "false")])
def test_a_column_first_says_whether_the_main_answer_is_first(cells: tuple[str, str]) -> None:
    rows = "".join(f"{item},{cells[0]},A\n{item},{cells[1]},B\n" for item in range(6))
    position = read(f"item,first,verdict\n{rows}").first_position
    assert position is not None
    assert position.share == 1


@pytest.mark.parametrize("orders", [("original", "swapped"), ("AB", "BA"), ("1", "2")])
def test_names_of_answers_in_orders_without_names(orders: tuple[str, str]) -> None:
    rows = "".join(f"{item},{orders[0]},gpt\n{item},{orders[1]},llama\n" for item in range(3))
    result = read(f"item,order,verdict\n{rows}")
    assert result.first_position is None
    assert result.notes[0].startswith("The orders do not tell")


@pytest.mark.parametrize("human", ["A", "B"])
def test_places_in_one_order_are_turned(human: str) -> None:
    place = {"A": "second", "B": "first"}[human]
    result = read(f"item,order,verdict,human\n1,BA,{place},{human}\n2,BA,{place},{human}\n")
    assert result.agreement[0].value == 1


@pytest.mark.parametrize(
    ("text", "positions", "message"),
    [
        ("item,order,verdict\n1,o1,first\n2,o1,second\n", False, "verdicts are for places"),
        ("item,order,verdict,human\n1,o1,first,A\n1,o2,second,A\n2,o1,first,A\n", False, "verdicts are for places"),
        ("item,verdict\n1,A\n2,B\n", True, "needs a column order"),
    ],
)
def test_places_without_a_known_order_are_refused(text: str, positions: bool, message: str) -> None:
    with pytest.raises((DataError, OptionError), match=message):
        read(text, positions=positions)


def test_a_row_number_is_no_item() -> None:
    assert read("id,question_id,judge,verdict\n0,0,a,1\n1,0,b,1\n2,1,a,0\n3,1,b,0\n").n_items == 2


def test_undefined_alpha_is_not_compared() -> None:
    rows = "".join(f"{item},a,3,3\n{item},{judge},{score},3\n" for item in range(4) for judge, score in [("b", item)])
    result = read(f"item,judge,score,human\n{rows}", level="interval")
    assert not result.comparison
    assert "a and people gave one verdict only, so a is not compared." in result.notes


def test_judges_without_a_common_item_are_not_compared() -> None:
    result = read("item,judge,verdict,human\n1,a,1,1\n2,a,0,0\n3,b,1,1\n4,b,0,0\n")
    assert not result.comparison
    assert result.notes[-2].startswith("Fewer than 2 items")


def test_few_items() -> None:
    assert read("item,verdict,human\n1,1,1\n2,0,0\n").agreement[-1].value == 1
    (errors,) = read("item,system,verdict,human\n1,x,1,1\n1,y,1,1\n2,x,0,0\n2,y,0,0\n").errors
    assert {one.measure for one in errors.differences} == {"bias"}


@pytest.mark.parametrize(
    "how", [{"alpha": 2}, {"columns": ["judge"]}, {"columns": {"judge": None}}, {"level": 3}, {"level": ["nominal"]}]
)
def test_wrong_types(how: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        read("item,verdict\n1,A\n2,B\n", **how)


def test_people_of_rows_without_a_verdict() -> None:
    result = read("item,judge,verdict,human\n1,a,1,\n1,b,,1\n2,a,0,\n2,b,,0\n")
    assert result.agreement[0].n_items == 2
    assert "2 rows without a verdict left out." in result.notes


def test_people_need_no_order() -> None:
    rows = "".join(f"{item},a,AB,A\n{item},a,BA,A\n{item},human,,A\n" for item in range(3))
    assert read(f"item,judge,order,verdict\n{rows}").agreement[0].value == 1
    with pytest.raises(DataError, match="expected an order, got nothing"):
        read("item,order,verdict\n1,AB,A\n2,,A\n")


def test_verdicts_that_name_no_answers_are_said() -> None:
    notes = read("item,order,winner\n1,AB,1\n1,BA,2\n2,AB,1\n2,BA,1\n").notes
    assert any("--positions" in note or "positions=True" in note for note in notes)


def judgebench() -> list[dict[str, object]]:
    """Return 20 pairs with a gold label, and two judges who always disagree, with decisions in a list."""
    return [
        {"pair_id": f"p{i}", "judge_name": name, "label": "AB"[i % 2], "judgments": [{"decision": "AB"[(i + k) % 2]}]}
        for i in range(20)
        for k, name in enumerate("ab")
    ]


@pytest.mark.parametrize("words", ["yes no", "Pass fail", "passed FAILED", "correct incorrect", "good bad"])
def test_grades_are_not_two_answers(words: str) -> None:
    right, wrong = words.split()
    frame = pl.DataFrame({"item": range(8), "verdict": [right, *[wrong] * 3] * 2, "human": [right, wrong] * 4})
    numbers = frame.with_columns(pl.col("verdict", "human").replace({right: "1", wrong: "0"}))
    found = outscore.judges(frame)
    assert (found.wins, found) == ((), outscore.judges(numbers))


def test_options_of_a_question_are_no_verdicts() -> None:
    frame = pl.DataFrame({"item": range(4), "choices": [["x", "y"]] * 4, "winner": list("ABAA")})
    assert outscore.judges(frame).wins[0].share == 0.75


@pytest.mark.parametrize(("verdict", "order"), [("outcome", "presentation_order"), ("vote", "answer order")])
def test_usual_columns_are_those_of_compare(verdict: str, order: str) -> None:
    frame = pl.DataFrame({"item": [1, 1, 2, 2], verdict: list("ABAA"), order: ["AB", "BA"] * 2})
    found = outscore.judges(frame)
    assert found.consistency is not None
    assert found.consistency.value == 0.5


def test_other_nested_decisions_are_named_instead_of_reading_gold_labels(tmp_path: Path) -> None:
    path = tmp_path / "judges.jsonl"
    lists = [{"votes" if key == "judgments" else key: of for key, of in row.items()} for row in judgebench()]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in lists))
    with pytest.raises(DataError, match=r'nested in the column "votes" \("decision"\).*\[nested-verdicts\]'):
        outscore.judges(str(path))


def test_gold_labels_are_no_verdicts() -> None:
    """The two judges of each item disagree: raw agreement is 0, and each agrees with people on all items or none."""
    flat = pl.DataFrame(judgebench()).with_columns(decision=pl.col("judgments").list[0].struct[0]).drop("judgments")
    result = outscore.judges(flat, columns={"human": "label"})
    assert result.notes[-1] == 'Columns: item "pair_id", judge "judge_name", verdict "decision", human "label".'
    agreement = {one.raters: one.value for one in result.agreement if one.measure == "agreement"}
    assert agreement == {("a", "people"): 1.0, ("b", "people"): 0.0, ("a", "b"): 0.0}
    with pytest.raises(DataError, match=r'could be the verdict: "decision", "label".*\[which-verdict\]'):
        outscore.judges(flat)
    with pytest.raises(DataError, match=r'could be the verdict: "label", "chosen".*\[which-verdict\]'):
        outscore.judges(flat.rename({"decision": "chosen"}))  # it has the same values
    with pytest.raises(DataError, match=r'"label" is the same for all judges of an item.*\[gold-as-verdict\]'):
        outscore.judges(flat.drop("decision"))
    assert outscore.judges(flat.drop("decision"), columns={"verdict": "label"}).agreement[0].value == 1


@pytest.mark.parametrize("columns", [("human_score", "gold"), ("human_label", "expert")])
def test_two_columns_of_people_are_not_guessed(columns: tuple[str, str]) -> None:
    frame = pl.DataFrame({"item": [1, 2, 3], "verdict": [1, 0, 1], columns[0]: [1, 0, 0], columns[1]: [0, 0, 1]})
    with pytest.raises(DataError, match=r"several columns could be the human: .*\[which-human\]"):
        outscore.judges(frame)
    assert outscore.judges(frame, columns={"human": columns[0]}).agreement
