"""Columns that the user did not name: ids of other names, runs without ids, and scores among others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from tests.kit import Note
from tests.running import Runner

import outscore
from outscore.errors import DataError, OptionError
from outscore.metrics.families.columns import direction_of

PAIRED = 'Rows are paired by the column "request", whose values are the same in another order.'
IN_PLACE = "Rows are paired by their place, because no column has ids"
IDENTICAL = "The systems have identical scores. Is it the same file or column twice?"


@pytest.fixture
def frame() -> pd.DataFrame:
    """Return requests of one system, with no column of a usual name of ids."""
    rng = np.random.default_rng(1)
    requests = [f"r{place:03d}" for place in range(80)]
    return pd.DataFrame({"request": requests, "points": rng.permutation(80) * 0.013 + 0.2, "text": ["same"] * 80})


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=2).reset_index(drop=True)


def as_csv(frame: pd.DataFrame, path: Path) -> str:
    frame.to_csv(path, index=False)
    return f"{path}:points"


def as_json_lines(frame: pd.DataFrame, path: Path) -> str:
    frame.to_json(path, orient="records", lines=True)
    return f"{path}:points"


def ties(result: outscore.ComparisonResult) -> int:
    return result.comparisons[0].unchanged or 0


WAYS: list[Callable[[pd.DataFrame, Path], object]] = [
    as_csv,
    as_json_lines,
    lambda frame, _: frame,
    lambda frame, _: pl.from_pandas(frame),
]


def compared(way: Callable[[pd.DataFrame, Path], object], frames: list[pd.DataFrame], folder: Path, **how: Any) -> Any:
    systems = [way(frame, folder / f"{place}.data.{way.__name__[3:6]}") for place, frame in enumerate(frames)]
    how = how if isinstance(systems[0], str) else {"score_column": "points", **how}
    return outscore.compare(*systems, **how)


@pytest.mark.parametrize("way", WAYS)
def test_a_file_against_itself_in_another_order_is_all_ties(
    way: Callable[[pd.DataFrame, Path], object], frame: pd.DataFrame, tmp_path: Path
) -> None:
    result = compared(way, [frame, shuffled(frame)], tmp_path)
    assert ties(result) == 80
    assert result.warnings[:2] == (PAIRED, IDENTICAL)
    assert compared(way, [frame, frame], tmp_path).warnings[0] == IDENTICAL  # the order is the same
    named = compared(way, [frame, shuffled(frame)], tmp_path, id_column="request")
    assert (named.gain, named.p_value) == (result.gain, result.p_value)


@pytest.mark.parametrize("way", WAYS)
def test_columns_that_imply_different_pairings_stop(
    way: Callable[[pd.DataFrame, Path], object], frame: pd.DataFrame, tmp_path: Path
) -> None:
    other = shuffled(frame).assign(shown=frame["request"])
    frames = [frame.assign(shown=frame["request"]), other]
    with pytest.raises(DataError, match=r'columns "request" and "shown" pair the rows .* differently.*\[which-ids\]'):
        compared(way, frames, tmp_path)
    assert ties(compared(way, frames, tmp_path, id_column="request")) == 80
    both = [frame.assign(also=frame["request"]), shuffled(frame.assign(also=frame["request"]))]
    assert ties(compared(way, both, tmp_path)) == 80  # they imply the same pairing


@pytest.mark.parametrize("way", WAYS)
def test_rows_without_ids_are_said_to_be_paired_by_place(
    way: Callable[[pd.DataFrame, Path], object], frame: pd.DataFrame, tmp_path: Path
) -> None:
    frames = [frame.drop(columns="request"), shuffled(frame).drop(columns="request")]
    result = compared(way, frames, tmp_path)
    assert result.warnings[0].startswith(IN_PLACE)
    assert isinstance(result.warnings[0], Note)
    assert ties(result) < 80  # a unique column of scores is no id
    numbers = [one.drop(columns="text") for one in frames]
    assert not compared(way, numbers, tmp_path).warnings
    assert not compared(way, frames, tmp_path, unpaired=True).warnings


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_a_rank_of_scores_is_no_id(way: Callable[[pd.DataFrame, Path], object], up: bool, tmp_path: Path) -> None:
    """Paired by it, two independent samples of 200 items correlate by .99, and any gain is significant."""
    rng = np.random.default_rng(7)
    frames = [pd.DataFrame({"points": rng.normal(mean, 1, 200), "noise": rng.normal(size=200)}) for mean in (0, 0.15)]
    ranked = [frame.assign(rank=frame["points"].rank(ascending=up).astype(int)) for frame in frames]
    result = compared(way, ranked, tmp_path)
    scores = [frame["points"].to_numpy() for frame in frames]
    assert result.comparisons[0].correlation == pytest.approx(np.corrcoef(scores)[0, 1])
    assert result.p_value > 0.05
    assert result.warnings[0].startswith(IN_PLACE)
    by_rank = compared(way, ranked, tmp_path, id_column="rank")  # the user may say so
    assert by_rank.comparisons[0].correlation > 0.98
    request = [f"r{place}" for place in range(200)]
    shown = [ranked[0].assign(request=request), ranked[1].assign(request=rng.permutation(request))]
    assert compared(way, shown, tmp_path).warnings[0] == PAIRED  # a rank does not contradict it
    tied = [frame.assign(points=frame["points"] > 0).astype({"points": int}) for frame in ranked]
    assert compared(way, tied, tmp_path).warnings[0].startswith(IN_PLACE)


def test_numbers_that_follow_the_scores_by_chance_are_ids() -> None:
    """All items but the last are right, which looks like a rank. So do 2 of the n orders that these scores may have."""
    for n in (5, 20):
        right = [int(place < n - 1) for place in range(n)]
        frame = pd.DataFrame({"number": np.arange(n) * 7 + 3, "score": right})
        result = outscore.compare(frame, shuffled(frame))
        assert result.warnings[0].startswith('Rows are paired by the column "number"')
        assert ties(result) == n


def test_a_text_contradicts_ids_that_only_number_the_rows(frame: pd.DataFrame, tmp_path: Path) -> None:
    """An index in a file is no id; a column called id is, so that both cannot be right."""
    for name in ("a", "b"):
        own = frame if name == "a" else shuffled(frame)
        own.to_csv(tmp_path / f"{name}.index.csv")
        own.assign(id=range(80)).to_csv(tmp_path / f"{name}.id.csv", index=False)
        own.assign(id=range(80)).drop(columns="request").to_csv(tmp_path / f"{name}.only.csv", index=False)
    paths = {kind: [f"{tmp_path / name}.{kind}.csv:points" for name in "ab"] for kind in ("index", "id", "only")}
    assert ties(outscore.compare(*paths["index"])) == 80
    with pytest.raises(DataError, match=r'columns "request" and "id" pair the rows .* differently'):
        outscore.compare(*paths["id"])
    assert ties(outscore.compare(*paths["id"], id_column="id")) < 80
    assert not outscore.compare(*paths["only"]).warnings


def test_many_systems_and_runs_in_files(frame: pd.DataFrame, tmp_path: Path) -> None:
    """Three orders of the same scores are equal in rankings, and runs of a system are merged by the same column."""
    specs = []
    for place in range(3):
        own = frame.sample(frac=1, random_state=place).reset_index(drop=True)
        specs.append(as_csv(own, tmp_path / f"{place}.csv"))
    ranking = outscore.rank(*specs)
    assert PAIRED in ranking.warnings
    assert {pair.gain for pair in ranking.pairs} == {0.0}
    joined = f"{specs[0]},{specs[1]}"
    assert ties(outscore.compare(f"a={joined}", f"b={specs[2]},{specs[0]}", runs="fixed")) == 80


def test_outputs_are_paired_with_references_by_the_column_that_both_have(outscore: Runner, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    labels = pd.DataFrame({"request": [f"q{i}" for i in range(60)], "label": rng.choice(["yes", "no"], 60)})
    own = labels.assign(prediction=rng.choice(["yes", "no"], 60))
    labels.to_csv(tmp_path / "gold.csv", index=False)
    own.to_csv(tmp_path / "a.csv", index=False)
    shuffled(own).to_csv(tmp_path / "b.csv", index=False)
    run = outscore("compare", "-m", "accuracy", "-r", "gold.csv", "a.csv", "b.csv", "--format", "json")
    (found,) = json.loads(run.out)["comparisons"]
    assert found["candidate_score"] == found["baseline_score"] == (own["label"] == own["prediction"]).mean()
    assert found["unchanged"] == 60
    assert found["warnings"][:2] == ['Columns: outputs "prediction".', PAIRED]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("id", "request_id"), 'columns "id" and "request_id", which share'),
        (("traceId", "id"), 'columns "traceId" and "id", which share'),
        (("trace_id", "request_id"), 'columns "trace_id" and "request_id", which share'),
        (("request", "request"), 'column "request", which shares'),
    ],
)
def test_columns_that_share_most_of_their_ids_pair_the_rows(
    way: Callable[[pd.DataFrame, Path], object], names: tuple[str, str], said: str, frame: pd.DataFrame, tmp_path: Path
) -> None:
    first, second = (
        of.rename(columns={"request": name}) for of, name in zip([frame, shuffled(frame)], names, strict=True)
    )
    if names[0] != names[1]:
        result = compared(way, [first, second], tmp_path)
        assert ties(result) == 80
        assert f"Rows are paired by the {said} 80 of 80 values." in result.warnings
    for other in (second.iloc[:60], second.iloc[:60].sort_index()):  # without 20 items, and with one of another id
        cut = pd.concat(
            [other, pd.DataFrame({names[1]: ["r999"], "points": [0.5], "text": ["same"]})], ignore_index=True
        )
        with pytest.raises(DataError, match=r"\[missing-ids\]"):
            compared(way, [first, cut], tmp_path)
        result = compared(way, [first, cut], tmp_path, drop_missing=True)
        assert ties(result) == result.n_items == 60
        assert f"Rows are paired by the {said} 60 of 61 values." in result.warnings


def test_a_few_ids_that_differ_in_place_are_no_reason_to_pair_by_place(frame: pd.DataFrame) -> None:
    other = frame.assign(request=frame["request"].replace({"r079": "r080"}))
    with pytest.raises(DataError, match=r'are missing that .* has: "r080".*\[missing-ids\]'):
        outscore.compare(frame, other, score_column="points")


def test_outputs_that_mostly_agree_are_no_ids() -> None:
    """Answers of two systems, which are the same in most rows, and half of the time in the same words."""
    rng = np.random.default_rng(11)
    answers = [f"the answer is {number}" for number in range(60)]
    others = [answer if rng.random() < 0.7 else f"I think {answer}" for answer in answers]
    frames = [pd.DataFrame({"answer": own, "score": rng.random(60)}) for own in (answers, others)]
    assert outscore.compare(*frames).n_items == 60


def test_ids_of_outputs_and_references_may_have_other_names(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    labels = pd.DataFrame({"id": [f"q{i}" for i in range(60)], "label": rng.choice(["yes", "no"], 60)})
    own = labels.rename(columns={"id": "request_id"}).assign(prediction=rng.choice(["yes", "no"], 60))
    labels.to_csv(tmp_path / "gold.csv", index=False)
    systems = []
    for name, of in (("a", own), ("b", shuffled(own)), ("c", shuffled(own).iloc[:50])):
        of.drop(columns="label").to_csv(tmp_path / f"{name}.csv", index=False)
        systems.append(str(tmp_path / f"{name}.csv"))
    how: Any = {"metric": "accuracy", "references": str(tmp_path / "gold.csv")}
    result = outscore.compare(*systems[:2], **how)
    assert result.candidate_score == result.baseline_score == (own["label"] == own["prediction"]).mean()
    with pytest.raises(DataError, match=r"10 item\(s\) of .*gold.csv are missing.*\[missing-ids\]"):
        outscore.compare(*systems[1:], **how)


def scores_of(name: str, ids: list[int], **others: list[str]) -> pd.DataFrame:
    """Return scores of items with numbers as ids; odd items are right."""
    return pd.DataFrame({name: ids, **others, "score": [one % 2 for one in ids]})


@pytest.mark.parametrize("names", [("ticket", "case_no"), ("ticket", "ticket"), ("id", "case_no"), ("case_no", "id")])
@pytest.mark.parametrize("texts", [{}, {"text": ["a b"] * 6}])
def test_numbers_of_any_name_are_ids(names: tuple[str, str], texts: dict[str, list[str]]) -> None:
    ids = [101, 102, 103, 104, 105, 106]
    first, second = scores_of(names[0], ids, **texts), scores_of(names[1], ids[3:] + ids[:3], **texts)
    result = outscore.compare(first, second)
    assert ties(result) == 6
    assert result.warnings[0].startswith("Rows are paired by the column")
    other = scores_of(names[1], [104, 105, 106, 101, 102, 999], **texts)
    with pytest.raises(DataError, match=r"\[missing-ids\]"):
        outscore.compare(first, other)
    assert ties(outscore.compare(first, other, drop_missing=True)) == 5


@pytest.mark.parametrize(
    ("names", "ids", "said"),
    [
        (("ticket", "ticket"), [101, 102, 103, 104, 105, 999], 'column "ticket" shares 5 of 6 values'),
        (("ticket", "case_no"), [101, 102, 104, 103, 998, 999], 'columns "ticket" and "case_no" share 4 of 6 values'),
    ],
)
def test_numbers_that_may_be_ids_are_named_in_a_warning(names: tuple[str, str], ids: list[int], said: str) -> None:
    """Most are in the same rows, or few are shared."""
    result = outscore.compare(scores_of(names[0], [101, 102, 103, 104, 105, 106]), scores_of(names[1], ids))
    assert result.n_items == 6
    assert result.warnings[0].startswith(f"Rows are paired by their place, although the {said}. ")


def test_numbers_of_rows_and_ranks_are_no_ids_under_another_name() -> None:
    rng = np.random.default_rng(9)
    places = [pd.DataFrame({name: rng.permutation(30) + 1, "score": rng.random(30)}) for name in ("trial", "nth")]
    result = outscore.compare(*places)
    assert result.warnings[0].startswith('Rows are paired by their place, although the columns "trial" and "nth" share')
    ranked = [pd.DataFrame({"nth": np.arange(30) * 3 + k * 6, "score": rng.random(30)}) for k in (0, 1)]
    for frame in ranked:
        frame["nth"] = np.sort(frame["nth"])[frame["score"].rank().astype(int) - 1]
    assert outscore.compare(*ranked).warnings[0].startswith("Rows are paired by their place, although")


def test_numbers_that_are_the_same_by_chance_say_nothing() -> None:
    """Two tables with 30 of 2,000 latencies share half of them with a probability below 1e-20."""
    rng = np.random.default_rng(10)
    for _ in range(20):
        frames = [
            pd.DataFrame({"latency_ms": rng.choice(2000, 30, replace=False), "score": rng.random(30)}) for _ in "ab"
        ]
        assert not any("Rows are" in warning for warning in outscore.compare(*frames, tests="paired-t").warnings)


def test_a_repeated_text_contradicts_ids_that_only_number_the_rows() -> None:
    said = 'Most paired rows differ in the column "prompt", although it has the same values in another order. If "id"'
    prompts = ["p", "p", "r", "s", "t", "u"]
    frame = pd.DataFrame({"id": range(6), "prompt": prompts, "score": [1, 1, 1, 0, 0, 0]})
    moved = frame.iloc[[3, 4, 5, 0, 1, 2]].reset_index(drop=True).assign(id=range(6))
    assert outscore.compare(frame, moved).warnings[0].startswith(said)
    assert not any("paired rows" in one for one in outscore.compare(frame, frame.assign(score=1)).warnings)
    numbered = [frame.assign(prompt=[7, 14, 21, 28, 35, 42]), moved.assign(prompt=[28, 35, 42, 7, 14, 21])]
    assert outscore.compare(*numbered).warnings[0].startswith(said)


GAMES, SEEDS = 26, 5


def played(effect: float, *, of: str = "seed", item: str = "game") -> pd.DataFrame:
    """Return scores of games with several seeds, whose differences between systems are those of games."""
    rng, of_games = np.random.default_rng(4), np.random.default_rng(5).normal(size=GAMES)
    rows = [
        {item: f"g{game}", of: seed, "score": effect * of_games[game] + rng.normal(0, 0.1)}
        for game in range(GAMES)
        for seed in range(SEEDS)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("of", ["seed", "run", "trial", "epoch", "repeat", "attempt", "sample"])
@pytest.mark.parametrize("way", [lambda frame: frame, lambda frame: pl.from_pandas(frame), None])
def test_repeated_runs_stop_without_a_column_of_ids(of: str, way: Any, tmp_path: Path) -> None:
    systems: list[Any] = []
    for place, effect in enumerate((0.0, 1.0)):
        own = played(effect, of=of)
        own.to_csv(tmp_path / f"{place}.csv", index=False)
        systems.append(tmp_path / f"{place}.csv" if way is None else way(own))
    with pytest.raises(DataError, match=r"5 runs per item without a claim.*\[runs-undeclared\]"):
        outscore.compare(*systems)
    with pytest.raises(DataError, match=r"\[runs-undeclared\]"):
        outscore.score(systems[0])
    fixed = outscore.compare(*systems, run=of, runs="fixed", tests="paired-t")
    assert fixed.n_items == GAMES
    gains = (played(1.0)["score"] - played(0.0)["score"]).to_numpy().reshape(GAMES, SEEDS).mean(axis=1)
    assert fixed.p_value == pytest.approx(stats.ttest_1samp(gains, 0).pvalue, rel=1e-9)
    assert outscore.compare(*systems, runs="random").n_items == GAMES


def test_runs_whose_items_are_unknown_stop() -> None:
    parts = played(1.0).assign(level=lambda frame: frame["game"].str[-1])
    names = parts.drop(columns="game").assign(move=np.arange(len(parts)) % 7)
    with pytest.raises(DataError, match=r'"seed" repeat, so items have several runs, but no column names the items'):
        outscore.compare(names, names)
    twice = parts.assign(other=[f"h{(place // SEEDS + place % SEEDS) % GAMES}" for place in range(len(parts))])
    assert not twice.duplicated(["other", "seed"]).any()
    with pytest.raises(DataError, match=r'several columns could name the items: "game", "other".*\[no-ids\]'):
        outscore.compare(twice, twice)


@pytest.mark.parametrize("cells", [["s"] * 10, [f"s{i}" for i in range(10)]])
def test_one_run_or_a_run_per_row_is_no_repetition(cells: list[str]) -> None:
    frame = pl.DataFrame({"sample": cells, "score": np.arange(10) % 3})
    assert outscore.compare(frame, frame.with_columns(score=pl.col("score") + 1)).n_items == 10


RUNS_THAN_ITEMS = r"expected scores of shape \(n items, runs\), got \(3, 300\): more runs than items.*\[wrong-shape\]"


@pytest.mark.parametrize("runs", ["random", "fixed", "samples"])
@pytest.mark.parametrize("as_given", [np.asarray, list, lambda scores: [list(row) for row in scores]])
def test_more_runs_than_items_are_refused(runs: str, as_given: Callable[[Any], Any]) -> None:
    scores = np.random.default_rng(6).normal(size=(2, 3, 300))
    with pytest.raises(DataError, match=RUNS_THAN_ITEMS):
        outscore.compare(as_given(scores[0]), as_given(scores[1]), runs=runs)
    named = [{f"item {place}": row for place, row in enumerate(system)} for system in scores]
    assert outscore.compare(*named, runs=runs).n_items == 3  # items are named, so their number is no mistake
    if runs == "fixed":
        result = outscore.compare(*(system.T for system in scores), runs=runs, tests="paired-t")
        expected = stats.ttest_1samp((scores[1] - scores[0]).mean(axis=0), 0)
        assert result.p_value == pytest.approx(expected.pvalue, rel=1e-9)


TABLE = "request_id,correct,cost_usd,latency_s\n" + "".join(
    f"q{i},{i % 3 % 2},{i}.5,{i * 7 % 11}.25\n" for i in range(30)
)
OTHER = TABLE.replace(",0,", ",1,")


def test_one_of_several_columns_of_scores_is_not_taken_silently(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    (tmp_path / "b.csv").write_text(OTHER)
    said = 'Scores are the column "correct", not "cost_usd", "latency_s" (choose with --score).'
    commands = (["compare", "a.csv", "b.csv"], ["score", "a.csv"], ["rank", "a.csv", "b.csv"])
    for command in (*commands, ["gate", "a.csv", "b.csv", "--margin", "0.1"]):
        run = outscore(*command, "--format", "json")
        assert (
            json.loads(run.out).get("warnings", json.loads(run.out).get("comparisons", [{}])[0].get("warnings"))[0]
            == said
        )
        assert said not in outscore(*command, "--score", "correct", "--format", "json").out
    wide = outscore("rank", "a.csv")
    assert wide.status == 2
    assert '"correct", which names scores' in wide.err


def test_what_was_taken_is_a_note_and_no_warning(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    (tmp_path / "b.csv").write_text(OTHER)
    for command in (["compare", "a.csv", "b.csv"], ["score", "a.csv"], ["rank", "a.csv", "b.csv"]):
        said = 'Scores are the column "correct", not "cost_usd"'
        for options in ([], ["--details"], ["--format", "markdown"]):
            (line,) = [line for line in outscore(*command, *options).out.splitlines() if said.split(",")[0] in line]
            assert "warning" not in line.lower()
        outscore(*command, "--report", "page.html")
        page = (tmp_path / "page.html").read_text()
        assert "Scores are the column" in page
        assert not re.search(r"callout printed(?:(?!</details>).)*Scores are the column", page, re.DOTALL)


@pytest.mark.parametrize("options", [["--score", "cost_usd,latency_s"], ["-m", "cost_usd,latency_s"]])
def test_several_columns_are_several_metrics(outscore: Runner, tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    (tmp_path / "b.csv").write_text(OTHER)
    lower = ["--lower-is-better"]
    found = json.loads(outscore("compare", "a.csv", "b.csv", *options, *lower, "--format", "json").out)["results"]
    assert [one["metric"]["name"] for one in found] == ["cost_usd", "latency_s"]
    for one in found:
        name = one["metric"]["name"]
        alone = json.loads(outscore("compare", f"a.csv:{name}", f"b.csv:{name}", *lower, "--format", "json").out)
        own, known = one["comparisons"][0], alone["comparisons"][0]
        assert (own["gain"], own["interval"], own["tests"][0]["p_value"]) == (
            known["gain"],
            known["interval"],
            known["tests"][0]["p_value"],
        )
    assert [one["metric"]["higher_is_better"] for one in found] == [False, False]
    assert outscore("score", "a.csv", *options, *lower).status == 0
    assert (
        'column "cost" not found. Did you mean "cost_usd"?' in outscore("score", "a.csv", "--score", "correct,cost").err
    )
    assert "[unknown-metric]" in outscore("score", "a.csv", "-m", "correct,cost").err


def test_a_long_table_has_several_metrics_too() -> None:
    rows = [
        {"system": s, "item": i, "em": (i + k) % 2, "f1": i * k / 20} for k, s in enumerate("ab") for i in range(20)
    ]
    rankings: Any = outscore.rank(pl.DataFrame(rows), score_column="em,f1")
    assert [ranking.metric.name for ranking in rankings] == ["em", "f1"]
    systems = pl.DataFrame(rows).partition_by("system")
    for how in ({"score_column": "em,f1"}, {"metric": "em,f1"}, {"metric": ["em", "f1"]}):
        (option,) = how
        with pytest.raises(OptionError, match=rf'{option}: expected one metric with unpaired=True, got "em", "f1"'):
            outscore.compare(*systems, unpaired=True, **how)
        with pytest.raises(OptionError, match=r"\[several-metrics\]"):  # before anything is read
            outscore.compare("a/missing.csv", "b/missing.csv", unpaired=True, **how)
    with pytest.raises(OptionError, match=r"each score column is a system"):
        outscore.rank(pl.DataFrame({"a": [1, 0], "b": [0, 1], "c": [1, 1]}), score_column="a,b")
    with pytest.raises(OptionError, match=r"several columns are metrics themselves.*\[several-metrics\]"):
        outscore.rank(pl.DataFrame(rows), score_column="em,f1", metric="accuracy")


def test_raters_are_proposed_only_for_columns_of_raters() -> None:
    systems = pl.DataFrame({"id": ["x", "y"], **{f"Model-{i}": [1, 2] for i in range(51)}})
    assert not any("rater" in warning for warning in outscore.score(systems).warnings)
    raters = pl.DataFrame({"id": ["x", "y"], **{f"rater_{i}": [1, 2] for i in range(3)}})
    with pytest.raises(DataError, match=r'If they are scores of raters, pass rater="rater_0,rater_1,rater_2"'):
        outscore.score(raters)


def test_the_direction_of_a_function_is_said_unless_it_is_stated() -> None:
    """Mean absolute errors of .9 and .1: the candidate is better only if lower scores are."""
    systems, gold = ([0.9] * 20, [0.1] * 20), [0.0] * 20

    def error(outputs: list[float], references: list[float]) -> float:
        return sum(abs(own - of) for own, of in zip(outputs, references, strict=True)) / len(outputs)

    def result(**how: bool) -> Any:
        metric = outscore.Recomputed(error, "error", **how)
        return outscore.compare(*systems, references=gold, metric=metric, n_resamples=100)

    said = "outscore.Recomputed(..., higher_is_better=False)"
    assert said in result().warnings[0]
    assert result().gain < 0 < result(higher_is_better=False).gain
    assert not any(
        said in one for one in (*result(higher_is_better=True).warnings, *result(higher_is_better=False).warnings)
    )
    with pytest.raises(
        OptionError, match=r"outscore.Recomputed\(error, higher_is_better=True\).*higher_is_better=False if"
    ):
        outscore.compare(*systems, references=gold, metric=error)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "options",
    [
        {"score_column": "accuracy,latency"},
        {"score_column": "accuracy,latency", "lower_is_better": True},
        {"score_column": "accuracy,latency,quality"},
        {"metric": ["accuracy", "latency"]},
    ],
)
def test_columns_of_different_directions_are_refused(options: dict[str, Any]) -> None:
    frame = pd.DataFrame({"id": range(9), "accuracy": [0, 1, 1] * 3, "latency": range(9), "quality": 1.5, "wer": 0.5})
    message = (
        'by their names, higher is better for "accuracy" and lower is better for "latency". Score them one at a time, '
        'with lower_is_better=True for "latency". [directions]'
    )
    with pytest.raises(OptionError, match=re.escape(message)):
        outscore.compare(frame, frame, **options)


LOWER, LEAVE = "If lower scores are better, pass lower_is_better=True.", "leave lower_is_better out."


@pytest.mark.parametrize(
    ("options", "warnings"),
    [
        ({"score_column": "wer"}, [LOWER]),
        ({"metric": "wer"}, [LOWER]),
        ({"score_column": "wer", "lower_is_better": True}, [None]),
        ({"score_column": "accuracy", "lower_is_better": True}, [LEAVE]),
        ({"score_column": "wer,quality"}, [LOWER, None]),
        ({"score_column": "time_management,quality"}, [None, None]),
    ],
)
@pytest.mark.parametrize("is_long", [False, True])
def test_a_direction_against_the_name_is_a_warning(
    options: dict[str, Any], warnings: list[str | None], is_long: bool
) -> None:
    frame = pd.DataFrame({"id": range(9), "accuracy": [0, 1, 1] * 3, "wer": range(9), "quality": range(9)})
    frame["time_management"] = frame["wer"]
    both = pd.concat([frame.assign(system="a"), frame.assign(system="b")])
    results: Any = outscore.rank(both, **options) if is_long else outscore.compare(frame, frame, **options)
    found = [
        [text for text in result.warnings if "The name of the column" in text]
        for result in (results if len(warnings) > 1 else [results])
    ]
    assert [len(texts) for texts in found] == [int(warning is not None) for warning in warnings]
    assert all(warning in texts[0] for texts, warning in zip(found, warnings, strict=True) if warning is not None)


def test_columns_that_are_systems_have_no_direction(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,ppl,greedy\n" + "".join(f"{i},{i},{i % 3}\n" for i in range(9)))
    assert not any("name of the column" in w for w in outscore.compare(*_columns(tmp_path, "ppl", "greedy")).warnings)
    assert any("name of the column" in w for w in outscore.compare(*_columns(tmp_path, "ppl", "ppl")).warnings)


def _columns(folder: Path, *names: str) -> list[str]:
    return [f"{folder / 't.csv'}:{name}" for name in names]


@pytest.mark.parametrize("name", ["price_level", "error_detection", "cost_benefit", "real_time", "mean_time_saved"])
def test_words_of_costs_count_only_at_the_end_of_a_name(name: str) -> None:
    assert direction_of(name) is None


@pytest.mark.parametrize("name", ["word_error_rate", "time", "Latency (ms)", "cost_usd", "Errors", "total time [s]"])
def test_costs_are_lower_is_better(name: str) -> None:
    assert direction_of(name) is False
