"""Which column is the item id, and what happens if an id repeats: one rule for every command and for Python."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import outscore as library
from outscore import DataError
from tests.running import Runner

ID_NAMES = (
    *("id", "item", "item_id", "prompt_id", "question_id", "sample_id", "doc_id", "instance_id", "task_id"),
    *("example_id", "qid", "query_id", "user_input", "segment_id", "Prompt-ID", "questionId", "problem id"),
)
N, RATERS = 60, ("ann", "ben", "cid")


def ratings(id_column: str, seed: int = 0) -> pd.DataFrame:
    """Sixty items, each scored by three raters."""
    scores = np.random.default_rng(seed).integers(1, 6, 3 * N)
    items = [f"p{place}" for place in range(N) for _ in RATERS]
    return pd.DataFrame({id_column: items, "annotator": [*RATERS] * N, "score": scores})


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    for seed, name in enumerate(["judge", "other"]):
        ratings("item", seed).to_csv(tmp_path / f"{name}.csv", index=False)
    ratings("item", 1)[::-1].to_csv(tmp_path / "turned.csv", index=False)
    wide = ratings("prompt_id")
    wide["second"] = ratings("prompt_id", 1)["score"]
    wide.rename(columns={"score": "first"}).to_csv(tmp_path / "wide.csv", index=False)
    long = pd.concat([ratings("item", seed).assign(system=name) for seed, name in enumerate("ab")])
    long.to_csv(tmp_path / "long.csv", index=False)
    sets = ratings("idx").rename(columns={"annotator": "task"})
    sets.to_csv(tmp_path / "sets.csv", index=False)
    sets.rename(columns={"idx": "id"}).to_csv(tmp_path / "sets_of_ids.csv", index=False)


@pytest.mark.parametrize("name", ID_NAMES)
def test_three_rows_of_a_prompt_are_no_independent_items(outscore: Runner, tmp_path: Path, name: str) -> None:
    ratings(name).to_csv(tmp_path / "prompts.csv", index=False)
    run = outscore("score", "prompts.csv")
    assert (run.status, run.out, run.err.count("\n")) == (2, "", 1)
    says = f'prompts.csv:3: duplicate item id "p0" in column "{name}" (first at prompts.csv:2); 59 more repeat: "p1"'
    assert run.err.startswith(says)
    for way in ("--run COLUMN", f'--cluster "{name}"', '--rater "annotator"', "--id COLUMN", "[duplicate-id]"):
        assert way in run.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "judge.csv"],
        ["score", "judge.csv", "--lower-is-better"],
        ["compare", "judge.csv", "--against", "3"],
        ["compare", "judge.csv", "other.csv"],
        ["compare", "judge.csv", "other.csv", "--unpaired"],
        ["compare", "wide.csv:first", "wide.csv:second"],
        ["rank", "judge.csv", "other.csv"],
        ["rank", "wide.csv"],
        ["rank", "long.csv"],
        ["gate", "judge.csv", "other.csv", "--margin", "1"],
        ["plan", "power", "judge.csv", "other.csv", "--gain", "0.5", "--items", "90"],
        ["score", "sets.csv"],
        ["score", "judge.csv", "--cluster", "annotator"],
    ],
)
def test_every_command_refuses_ids_that_repeat_and_names_the_file(outscore: Runner, arguments: Sequence[str]) -> None:
    run = outscore(*arguments)
    assert (run.status, run.out, run.err.count("\n")) == (2, "", 1), run.err
    assert run.err.startswith(f"{arguments[1].partition(':')[0]}:" if arguments[0] != "plan" else "judge.csv:")
    assert "[duplicate-id]" in run.err


def n_units(outscore: Runner, *arguments: str) -> tuple[int, int]:
    """Return the numbers of items and of units that a command counts."""
    run = outscore(*arguments, "--format", "json", "--n-resamples", "1000")
    assert run.status == 0, run.err
    design = json.loads(run.out)["scores"][0]
    return design["n_items"], design["n_units"]


def test_each_way_out_that_the_error_names_works(outscore: Runner) -> None:
    assert n_units(outscore, "score", "judge.csv", "--rater", "annotator", "--raters", "fixed")[0] == N
    assert n_units(outscore, "score", "judge.csv", "--run", "annotator", "--runs", "samples")[0] == N
    for options in (["--cluster", "item"], ["--cluster", "item", "--cluster", "annotator"]):
        run = outscore("compare", "judge.csv", "other.csv", *options, "--format", "json", "--n-resamples", "1000")
        assert run.status == 0, run.err
    assert outscore("rank", "wide.csv", "--cluster", "prompt_id").status == 0
    assert outscore("rank", "long.csv", "--run", "annotator", "--runs", "fixed").status == 0
    for file in ("sets.csv", "sets_of_ids.csv"):
        run = outscore("score", file, "--test-set", "task", "--format", "json")
        assert run.status == 0, run.err
        assert {one["test_set"] for one in json.loads(run.out)["scores"]} >= set(RATERS)


def test_a_cluster_column_of_ids_has_the_same_rows_in_all_files(outscore: Runner) -> None:
    run = outscore("compare", "judge.csv", "turned.csv", "--cluster", "item")
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith('turned.csv:2: field "item": expected "p0", as at judge.csv:2, got "p59". ')


def test_an_id_column_that_is_named_as_clusters_too_is_refused_at_the_file(outscore: Runner) -> None:
    run = outscore("score", "judge.csv", "--id", "item", "--cluster", "item")
    assert run.status == 2
    assert run.err.startswith("judge.csv:3: duplicate item id")


@pytest.mark.parametrize(
    ("columns", "ids"),
    [
        ({"doc_id": [1, 1, 2, 2], "segment_id": [1, 2, 3, 4]}, "1 2 3 4"),
        ({"doc_id": [1, 1, 2, 2], "item": ["a", "b", "c", "d"]}, "a b c d"),
        ({"": [0, 1, 2, 3], "promptId": ["a", "b", "c", "d"]}, "a b c d"),
        ({"topic": ["a", "a", "b", "b"]}, None),
    ],
)
def test_the_column_of_ids_is_the_one_that_distinguishes_items(columns: dict[str, list[str]], ids: str | None) -> None:
    frame = pl.DataFrame({**columns, "score": [1, 0, 1, 1]})
    found = library.read({"a": frame, "b": frame}, score_column="score").rows[0][0].item_ids
    assert found == (None if ids is None else tuple(ids.split()))


def test_the_first_choice_for_documents_is_to_cluster_them(outscore: Runner, tmp_path: Path) -> None:
    rows = "".join(f"d{place // 5},{place % 3}\n" for place in range(60))
    (tmp_path / "docs.csv").write_text(f"doc_id,score\n{rows}")
    run = outscore("score", "docs.csv")
    assert run.status == 2
    assert 'explain repeated rows with --cluster "doc_id" (related items), --run' in run.err
    assert n_units(outscore, "score", "docs.csv", "--cluster", "doc_id") == (60, 12)


def test_python_refuses_them_in_the_names_of_arguments() -> None:
    frame = ratings("prompt_id")
    with pytest.raises(DataError) as caught:
        library.score(frame, score_column="score")
    assert str(caught.value).startswith('system[1]: duplicate item id "p0" in column "prompt_id" (first at system[0])')
    for way in ("run=COLUMN", 'clusters="prompt_id"', 'rater="annotator"', "id_column=COLUMN"):
        assert way in str(caught.value)
    for repeated in (frame.set_index("prompt_id"), frame.set_index("prompt_id")["score"], pl.from_pandas(frame)):
        column = None if isinstance(repeated, pd.Series) else "score"
        with pytest.raises(DataError, match='duplicate item id "p0"'):
            library.compare(repeated, against=3, score_column=column)


@pytest.mark.parametrize("library_of", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("options", "n_items"),
    [
        ({"clusters": "prompt_id"}, 3 * N),
        ({"clusters": list(ratings("prompt_id")["prompt_id"])}, 3 * N),
        ({"rater": "annotator", "raters": "fixed"}, N),
        ({"run": "annotator", "runs": "samples"}, N),
    ],
)
def test_the_arguments_that_it_names_work(library_of: type, options: dict[str, object], n_items: int) -> None:
    frame = library_of(ratings("prompt_id").to_dict("list"))
    assert library.score(frame, score_column="score", **options).scores[0].n_items == n_items  # type: ignore[arg-type]


@pytest.mark.parametrize("command", ["compare", "rank", "gate --margin 1", "plan power --gain 0.5 --items 9"])
def test_systems_without_common_items_are_sent_to_the_command_that_takes_them(
    outscore: Runner, tmp_path: Path, command: str
) -> None:
    for name, ids in (("one", "ab"), ("two", "xy")):
        (tmp_path / f"{name}.csv").write_text("id,score\n" + "".join(f"{item},{k}\n" for k, item in enumerate(ids)))
    run = outscore(*command.split(), "one.csv", "two.csv")
    assert run.status == 2
    assert "For different items or people, use outscore compare with --unpaired. [no-shared-ids]" in run.err
    with pytest.raises(DataError, match=r"use outscore\.compare with unpaired=True\."):
        library.rank([str(tmp_path / "one.csv"), str(tmp_path / "two.csv")])
