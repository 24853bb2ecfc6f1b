"""JSON documents as tables: lists, scores by id, objects by id, columns, and lists inside an object."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kit import Note, format_of
from tests.running import Runner

import outscore as library
from outscore.errors import OutscoreError
from outscore.readers import Table
from outscore.readers.tabular.formats import Json
from outscore.readers.tabular.records import records_in, value_at

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "json-records"


def parsed(document: object, path: str | None = None, indent: int | None = None) -> Table:
    return Json(path).parse(json.dumps(document, indent=indent).encode(), "a.json")


def cells(table: Table) -> dict[str, list[Any]]:
    return {name: [*column] for name, column in table.columns.items()}


ROWS: list[dict[str, Any]] = [{"id": "q1", "score": 1}, {"id": "q2", "score": 0}, {"id": "q3", "score": 0.5}]
TABLE: dict[str, list[Any]] = {"id": ["q1", "q2", "q3"], "score": [1, 0, 0.5]}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "document",
    [
        ROWS,
        {"q1": 1, "q2": 0, "q3": 0.5},
        {"q1": {"score": 1}, "q2": {"score": 0}, "q3": {"score": 0.5}},
        TABLE,
        {name: dict(zip("012", column, strict=True)) for name, column in TABLE.items()},  # DataFrame.to_json
        {"columns": ["id", "score"], "index": [0, 1, 2], "data": [[*row.values()] for row in ROWS]},  # orient="split"
        {"model": "m", "config": {"t": 0.5, "n": 3}, "results": ROWS},
        {"a": {"b": {"c": ROWS}}, "tags": ["x", "y"]},
        {"model": "m", "scores": {"q1": 1, "q2": 0, "q3": 0.5}},
    ],
)
def test_every_form_of_a_document_is_the_same_table(document: object, indent: int | None) -> None:
    assert cells(parsed(document, indent=indent)) == TABLE


def test_records_are_counted_and_keep_missing_fields() -> None:
    table = parsed([{"id": 1}, {"id": 2, "x": [1, {"y": 2}]}])
    assert list(table.lines or ()) == [1, 2]
    assert cells(table) == {"id": [1, 2], "x": [None, [1, {"y": 2}]]}


def test_a_list_of_values_is_a_table_without_names() -> None:
    table = parsed([None, 0.5, "x"])
    assert table.bare
    assert cells(table) == {"": [None, 0.5, "x"]}


def test_scores_by_system_are_columns_and_a_note_says_so() -> None:
    table = parsed({"old": {"q1": 1, "q2": 0, "q3": 1}, "new": {"q1": 1, "q2": 1, "q4": 0}})
    assert cells(table) == {"id": ["q1", "q2", "q3", "q4"], "old": [1, 0, 1, None], "new": [1, 1, None, 0]}
    assert table.note == "The keys of the JSON file were read as columns, and the keys inside them as items."
    table = parsed({"q1": [1, 0, 1], "q2": [0, 0, 1]})
    assert cells(table) == {"q1": [1, 0, 1], "q2": [0, 0, 1]}
    assert table.note == "The keys of the JSON file were read as columns, and the places in their lists as items."
    assert isinstance(table.note, Note)
    assert parsed(TABLE).note == parsed({"id": ["q1", "q2"], "old": [0, 1], "new": [1, 1]}).note == ""


def test_ids_that_are_keys_stand_beside_ids_that_are_fields() -> None:
    assert cells(parsed({"a": {"id": 1, "x": "s"}, "b": {"id": 2, "x": "t"}})) == {
        "key": ["a", "b"], "id": [1, 2], "x": ["s", "t"],
    }  # fmt: skip


@pytest.mark.parametrize("text", ['{"id": 1, "score": 0.5}', '{"tp": 3, "predicted": 4, "gold": 5}', '{"text": "a"}'])
def test_an_object_on_one_line_that_is_no_map_of_scores_is_one_record(text: str) -> None:
    record = json.loads(text)
    assert cells(Json().parse(text.encode(), "-")) == {name: [cell] for name, cell in record.items()}


def test_objects_on_lines_of_their_own_are_json_lines_whatever_the_name() -> None:
    text = "\n".join(map(json.dumps, ROWS))
    for name in ("a.json", "a.jsonl", "-"):
        assert cells(format_of(name, text.encode()).parse(text.encode(), name)) == TABLE
    whole = json.dumps(ROWS).encode()
    assert cells(format_of("a.jsonl", whole).parse(whole, "a.jsonl")) == TABLE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.json: expected one line per item, got an empty file"),
        ("[ ]", "a.json: expected a list of records, got an empty list"),
        ('[{"a": 1},\n]', "a.json:2: expected JSON, got text that is not JSON (Illegal trailing comma before end of"),
        ("[1", "a.json:1: expected JSON, got text that is not JSON (Expecting ',' delimiter at character 3)"),
        ('[{"a": 1}] x', "a.json:1: expected JSON, got text that is not JSON (Extra data at character 11)"),
        ('[\n{"a": 1},\n{"a"}]', "a.json:3: expected JSON, got text that is not JSON"),
        ("[" * 10**5, "a.json: expected JSON, got JSON that is nested too deeply"),
        ('{"a":' * 10**5, "a.json: expected JSON, got JSON that is nested too deeply"),
        ('[{"a": 1}, [2], 3]', "a.json:2: expected one JSON object, got a list"),
        ('[{"a": 1, "a": 2}]', "a.json:1: expected one JSON object, got a duplicate field"),
        ('{"q1": 1, "q1": 0, "q2": 1}', 'a.json: duplicate key "q1" in an object'),
        ('{\n"a": {"x": 1}, "b": "c"}', 'a.json: expected a list of records, got an object with "a", "b"'),
        ("7", "a.json: expected a list of records, got none"),
        ('{"a": [{"x": 1}], "b": {"c": [{"x": 1}, {"x": 2}]}}',
         'a.json: expected one list of records, got several: "b.c", "a". Choose one with records="b.c".'),
        ('{"a": {"b": {"c": {"d": [{"x": 1}]}}},\n"e": 1}', "a.json: expected a list of records, got an object with"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(OutscoreError) as error:
        Json().parse(text.encode(), "a.json")
    assert str(error.value).startswith(message)


def test_records_names_a_list() -> None:
    document = {"errors": [{"id": 1}], "runs": [{"items": ROWS}], "a.b": {"c": ROWS}}
    assert cells(parsed(document, "runs.0.items")) == TABLE
    assert cells(parsed(document, "a.b.c")) == TABLE
    for path, what in (
        ("run", 'records: the path "run" is not in a.json. Known: "errors", "runs", "a.b.c".'),
        ("runs.1.items", 'records: the path "runs.1.items" is not in a.json.'),
        ("runs.0", 'records: expected a list of records at "runs.0" in a.json.'),
        ("." * 1000, "records: the path "),
    ):
        with pytest.raises(OutscoreError) as error:
            parsed(document, path)
        assert str(error.value).startswith(what)


SCALARS = st.none() | st.booleans() | st.integers() | st.text()


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30))
@settings(max_examples=200, deadline=None)
def test_any_document_is_a_table_or_refused(document: object) -> None:
    for indent in (None, 1):
        try:
            table = parsed(document, indent=indent)
        except OutscoreError:
            continue
        assert {len(column) for column in table.columns.values()} == {len(table.lines or ())}
    for path in records_in(document):
        assert path == "" or value_at(document, path) is not None


def test_the_commands_read_documents(outscore: Runner, tmp_path: Path) -> None:
    rng = random.Random(3)
    systems = {name: {f"q{i}": int(rng.random() < p) for i in range(40)} for name, p in (("old", 0.4), ("new", 0.6))}
    for name, scores in systems.items():
        Path(f"{name}.json").write_text(json.dumps(scores))
        rows = [{"id": item, "score": score, "topic": item[-1]} for item, score in scores.items()]
        Path(f"{name}-list.json").write_text(json.dumps(rows, indent=1))
        Path(f"{name}-inside.json").write_text(json.dumps({"run": {"errors": [{"id": 1}], "items": rows}}))
        Path(f"{name}.csv").write_text("id,score\n" + "".join(f"{item},{score}\n" for item, score in scores.items()))
    expected = outscore("compare", "old.csv", "new.csv", "-q").out
    assert outscore("compare", "old.json", "new.json", "-q").out == expected
    of_lists = outscore("compare", "old-list.json", "new-list.json", "-q").out
    assert of_lists.replace("-list", "") == expected
    inside = outscore("compare", "old-inside.json", "new-inside.json")
    assert (inside.status, inside.out) == (2, "")
    assert inside.err == (
        'old-inside.json: expected one list of records, got several: "run.items", "run.errors". Choose one with '
        "--records run.items. [which-records]\n"
    )
    for command in (
        ("compare",),
        ("rank",),
        ("score",),
        ("gate", "--margin", "0.9"),
        ("plan", "power", "--items", "100", "--gain", "5%"),
    ):
        run = outscore(*command, "old-inside.json", "new-inside.json", "--records", "run.items", "--stratum", "topic")
        assert run.status in (0, 1), run.err
    assert outscore("score", "old.csv", "--records", "x").err == (
        "--records: applies only to JSON files. Omit the option. [not-json]\n"
    )
    inside_one = {"model": "x", "items": [{"id": item, **row} for item, row in zip("ab", ROWS, strict=False)]}
    Path("one.json").write_text(json.dumps(inside_one))
    assert 'Records were read from "items" in the JSON file.' in " ".join(outscore("score", "one.json").out.split())
    assert library.compare("old.json", "new.json").comparisons[0].p_value == pytest.approx(
        library.compare("old.csv", "new.csv").comparisons[0].p_value, abs=0
    )


def test_judges_meta_rank_and_plans_of_people_name_a_list(outscore: Runner) -> None:
    rng = random.Random(1)
    verdicts = [
        {"item": i, "order": order, "verdict": rng.choice("AB"), "human": "AB"[i % 2]}
        for i in range(20)
        for order in ("AB", "BA")
    ]
    rated = [
        {"system": system, "item": i, "document": i // 2, **{of: rng.random() for of in ("human", "score", "b")}}
        for system in "xyz"
        for i in range(20)
    ]
    battles = [{"model_a": "x", "model_b": "y", "winner": rng.choice(["model_a", "model_b"])} for _ in range(30)]
    document = {"other": [{"y": 1}], "out": {"verdicts": verdicts, "rated": rated, "battles": battles}}
    Path("all.json").write_text(json.dumps(document))
    for command, path in (
        (("judges", "all.json"), "out.verdicts"),
        (("meta", "all.json:human"), "out.rated"),
        (("plan", "human", "all.json"), "out.rated"),
        (("rank", "all.json", "-m", "bradley-terry"), "out.battles"),
    ):
        assert "[which-records]" in outscore(*command).err
        run = outscore(*command, "--records", path, "--format", "json")
        assert run.status == 0, run.err
        assert json.dumps(f'Records were read from "{path}" in the JSON file.') in run.out


def test_records_of_files_that_are_no_documents_are_refused_by_every_reader(outscore: Runner) -> None:
    Path("a.csv").write_text("model_a,model_b,winner\nx,y,model_a\ny,x,model_a\n")
    Path("h.csv").write_text("system,document,score\n" + "".join(f"{s},{d},{d}\n" for s in "xy" for d in range(9)))
    Path("map.toml").write_text('item = "document"\nsystem = "system"\nrecords = "x.y"\n[metrics]\nscore = "higher"\n')
    for command in (
        ("rank", "a.csv", "-m", "bradley-terry", "--records", "x.y"),
        ("plan", "human", "h.csv", "--records", "x.y"),
        ("rank", "h.csv", "--map", "map.toml"),
    ):
        run = outscore(*command)
        assert (run.status, run.err) == (2, "--records: applies only to JSON files. Omit the option. [not-json]\n")
    rows = [{"id": i, "a": i % 2, "b": i % 3 / 2, "t": "xy"[i % 2]} for i in range(30)]
    Path("a.json").write_text(json.dumps({"x": rows, "y": [{"z": 1}]}))
    Path("topics.csv").write_text("id,topic\n" + "".join(f"{row['id']},{row['t']}\n" for row in rows))
    beside = outscore("compare", "a.json:a", "a.json:b", "--records", "x", "--stratum", "topics.csv")
    assert beside.status == 0, beside.err


@pytest.mark.parametrize("path", [3, ["x"]])
def test_a_path_of_records_is_text(path: Any, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(ROWS))
    for call in (library.read, library.judges, library.plan_human):
        with pytest.raises(OutscoreError, match=r"records: expected text, got"):
            call(str(tmp_path / "a.json"), records=path)


def test_the_lists_of_mmlu_pro(outscore: Runner) -> None:
    """Its scripts write a list of questions with the right answer and the extracted one, or null."""
    rng = random.Random(5)
    right: dict[str, list[bool]] = {"old": [], "new": []}
    gold = [rng.choice("ABCDEFGHIJ") for _ in range(50)]
    for name, skill in (("old", 0.5), ("new", 0.7)):
        rows = []
        for place, answer in enumerate(gold):
            predicted = None if place % 17 == 0 else answer if rng.random() < skill else rng.choice("ABCDEFGHIJ")
            right[name].append(predicted == answer)
            rows.append({
                "question_id": 7687 + place, "question": "Q?", "options": ["x", "y"], "answer": answer,
                "answer_index": ord(answer) - 65, "cot_content": "", "category": ("math", "law")[place % 2],
                "src": "ori_mmlu", "pred": predicted, "model_outputs": "The answer is (A).",
            })  # fmt: skip
        Path(f"{name}.json").write_text(json.dumps(rows))
    arguments = ("compare", "-m", "accuracy", "-r", "old.json:answer", "old.json:pred", "new.json:pred")
    run = outscore(*arguments, "--format", "json")
    assert run.status == 0, run.err
    compared = json.loads(run.out)["comparisons"][0]
    means = [sum(own) / len(own) for own in right.values()]
    assert [compared["baseline_score"], compared["candidate_score"]] == pytest.approx(means)
    assert compared["helped"] == sum(b > a for a, b in zip(*right.values(), strict=True))


def test_lists_of_answers(outscore: Runner) -> None:
    Path("gold.json").write_text(json.dumps([{"id": 1, "answers": ["a", "b"]}, {"id": 2, "answers": ["c"]}]))
    for name, answer in (("x", "b"), ("y", "c")):
        rows = [{"id": 2, "prediction": "c"}, {"id": 1, "prediction": answer}]
        Path(f"{name}.json").write_text(json.dumps(rows))
    run = outscore("compare", "-m", "exact-match", "-r", "gold.json", "x.json", "y.json", "-q")
    assert run.out.startswith("y scores 50 against 100 for x"), run.err


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside the repository")
@pytest.mark.parametrize(("baseline", "candidate"), [("a", "b"), ("ad", "bd")])
def test_the_shared_cases(baseline: str, candidate: str) -> None:
    result = library.compare(str(CASES / f"{baseline}.json"), str(CASES / f"{candidate}.json"))
    (compared,) = result.comparisons
    assert (compared.baseline_score, compared.candidate_score) == (0.40, 0.625)
    assert compared.p_value == pytest.approx(0.1078, abs=5e-5)


@pytest.mark.parametrize("key", ["seed", "total", "n", "mean", "accuracy", "Average", "overall", "score", "timestamp"])
@pytest.mark.parametrize("indent", [None, 1])
def test_keys_of_a_summary_are_not_items(outscore: Runner, key: str, indent: int | None) -> None:
    items = {f"q{place}": place % 2 for place in range(6)}
    Path("keys.json").write_text(json.dumps({**items, key: 3}, indent=indent))
    rows = [{"id": item, "score": score} for item, score in {**items, key: 0.5}.items()]
    Path("rows.json").write_text(json.dumps(rows, indent=indent))
    for path in ("keys.json", "rows.json"):
        message = f'{path}: expected ids of items, got "{key}" beside "q0", "q1", "q2" and 3 more. Remove what is'
        assert message in outscore("compare", path, "--against", "0.5").err
