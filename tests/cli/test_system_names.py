"""Which system a name means, which column of a long table names systems, and what mistaken calls are answered."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import outscore as library
from outscore import OptionError
from tests.kit import place_of
from tests.running import Runner

HAIKU = "replay/claude-3-haiku-20240307"
NAMES = (HAIKU, "openai/gpt-4o-mini", "openai/gpt-4o")


def scores(column: str) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    cells = [(name, f"q{item}", rng.integers(0, 2)) for name in NAMES for item in range(60)]
    return pd.DataFrame(cells, columns=[column, "qid", "score"])


@pytest.mark.parametrize(
    ("name", "place"),
    [("claude-3-haiku", 0), ("HAIKU", 0), ("4o-mini", 1), ("gpt-4o", 2), ("OpenAI/GPT-4o", 2), (NAMES[1], 1)],
)
def test_any_part_that_one_system_has_names_it(name: str, place: int) -> None:
    assert place_of(name, NAMES) == place


def test_a_part_that_several_systems_have_lists_them(outscore: Runner, tmp_path: Path) -> None:
    scores("model").to_csv(tmp_path / "long.csv", index=False)
    run = outscore("compare", "long.csv", "--baseline", "gpt")
    assert (run.status, run.out) == (2, "")
    assert run.err == (
        '--baseline: "gpt" matches 2 systems: "openai/gpt-4o-mini", "openai/gpt-4o". '
        "Use a longer part of the name. [ambiguous-system]\n"
    )
    with pytest.raises(OptionError, match='baseline: unknown system "llama"'):
        library.compare(tmp_path / "long.csv", baseline="llama")


def test_a_part_names_a_system_for_every_door(outscore: Runner, tmp_path: Path) -> None:
    scores("model").to_csv(tmp_path / "long.csv", index=False)
    for arguments in (["long.csv", "--baseline", "haiku"], ["long.csv:haiku", "long.csv:mini"]):
        run = outscore("compare", *arguments, "--format", "json", "--n-resamples", "1000")
        assert run.status == 0, run.err
        assert json.loads(run.out)["comparisons"][0]["baseline"] in {HAIKU, "haiku"}
    result = library.compare(scores("model"), baseline="haiku", n_resamples=1000)
    assert result.comparisons[0].baseline == HAIKU
    assert len(library.explore(result, "4o-mini").views) == 1


def test_a_baseline_that_cannot_be_read_is_not_replaced_by_one_with_a_longer_name(
    outscore: Runner, tmp_path: Path
) -> None:
    for name in ("gpt-mini", "llama"):
        (tmp_path / f"{name}.csv").write_text("id,score\n" + "".join(f"{i},{i % 2}\n" for i in range(30)))
    (tmp_path / "gpt.csv").write_text("id,score\na,oops\n")
    arguments = ["gpt-mini.csv", "llama.csv", "gpt.csv", "--skip-unreadable", "--baseline", "gpt"]
    run = outscore("compare", *arguments)
    assert run.status == 2
    assert "the baseline cannot be left out" in run.err


@pytest.mark.parametrize("column", ["system", "model", "model_name", "assistant", "candidate", "run", "Model Name"])
def test_the_column_of_systems_has_several_names(outscore: Runner, tmp_path: Path, column: str) -> None:
    scores(column).to_csv(tmp_path / "long.csv", index=False)
    run = outscore("rank", "long.csv", "-m", "accuracy", "--format", "json", "--n-resamples", "200")
    assert run.status == 0, run.err
    assert {one["name"] for one in json.loads(run.out)["systems"]} == set(NAMES)
    assert set(library.read(scores(column)).names) == set(NAMES)


def test_a_column_that_is_named_as_runs_or_holds_numbers_names_no_systems() -> None:
    frame = scores("run")
    with pytest.raises(library.DataError, match="one-system"):
        library.rank(frame, run="run", runs="fixed")
    both = frame.rename(columns={"run": "model"}).assign(run=1)
    assert set(library.read(both).names) == set(NAMES)
    wide = pd.DataFrame({"item": range(30), "baseline": [0.5, 1] * 15, "candidate": [1, 0.5] * 15})
    assert library.read(wide).names == ("baseline", "candidate")


def predictions() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    gold = rng.choice(["a", "b", "c"], 60)
    frame = pd.DataFrame({"text": [f"text {i}" for i in range(60)], "tree": gold, "forest": gold, "gold": gold})
    for name in ("tree", "forest"):
        frame.loc[rng.choice(60, 15, replace=False), name] = "a"
    return frame.assign(doc=np.arange(60) // 6)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_frame_of_predictions_names_its_column_of_references(kind: type) -> None:
    frame = predictions()
    known = library.compare(
        list(frame["tree"]), list(frame["forest"]), references=list(frame["gold"]), metric="macro-f1"
    )
    given = kind(frame.to_dict("list"))
    found = library.compare(given, baseline="tree", metric="macro-f1", references="gold")
    assert [(one.baseline, one.candidate) for one in found.comparisons] == [("tree", "forest")]
    assert found.comparisons[0].test.p_value == known.comparisons[0].test.p_value
    assert found.comparisons[0].gain == known.comparisons[0].gain
    assert {one.name for one in library.rank(given, metric="macro-f1", references="gold").systems} == {"tree", "forest"}
    clustered = library.score(given, metric="accuracy", references="gold", clusters="doc")
    assert [(one.system, one.n_units) for one in clustered.scores] == [("tree", 10), ("forest", 10)]


def test_a_frame_without_that_column_offers_the_nearest() -> None:
    with pytest.raises(library.DataError, match=r'column "golt" not found. Did you mean "gold"\?'):
        library.compare(predictions(), baseline="tree", metric="macro-f1", references="golt")
    with pytest.raises(library.DataError, match="no-systems"):
        library.compare(predictions()[["gold", "doc"]], metric="macro-f1", references="gold")


def test_a_function_is_to_be_wrapped() -> None:
    def overlap(outputs: object, references: object) -> float:
        return float(outputs == references)

    says = r"metric: expected a metric, got the function overlap\. Wrap it: outscore\.Recomputed\(overlap, "
    with pytest.raises(OptionError, match=says):
        library.compare(["x", "y"], ["x", "z"], references=["x", "y"], metric=overlap)  # type: ignore[call-overload]
    with pytest.raises(OptionError, match=r"outscore\.Recomputed\(f, "):
        library.score(["x", "y"], references=["x", "y"], metric=lambda one, other: 1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [[], ["-m", "accuracy"]])
def test_a_table_of_pairwise_comparisons_needs_its_metric(outscore: Runner, tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "battles.csv").write_text("question_id,model_a,model_b,winner,turn\n1,x,y,model_a,1\n2,y,x,tie,1\n")
    run = outscore("rank", "battles.csv", *options)
    assert (run.status, run.out) == (2, "")
    assert "Pass -m bradley-terry to outscore rank." in run.err
    with pytest.raises(library.DataError, match='Pass metric="bradley-terry"'):
        library.rank(tmp_path / "battles.csv")


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("-i", "Pass the systems without an option, baseline first"),
        ("--paired-bs", "Pass --emulate sacrebleu"),
        ("--paired-ar", "Pass --emulate sacrebleu"),
        ("-b", "Use outscore score for scores"),
        ("--paired-bs-n", "Use --n-resamples."),
        ("-l", "-m bleu:trg_lang=zh"),
    ],
)
def test_options_of_sacrebleu_are_answered(outscore: Runner, option: str, says: str) -> None:
    run = outscore("compare", "base.txt", "new.txt", "-r", "ref.txt", "-m", "bleu", option)
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith(f"{option}: unknown option. It is an option of sacreBLEU. ")
    assert says in run.err


def test_the_command_that_installs_a_package_has_its_own_name() -> None:
    source = Path(library.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in source.rglob("*.py")]
    assert not [text for text in texts if re.search(r"pip install [\"'\\]*outscore\[", text)]
