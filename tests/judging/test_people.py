"""Several people per item, people named by a pattern, nested decisions, and any number of different verdicts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import rankdata

import outscore
from outscore.errors import DataError, OptionError
from tests.judging.kit import JudgesResult
from tests.judging.plain import alpha

CASES = Path(__file__).parents[2] / "../shared/cases/people"
MODELS = ("ape", "bee", "cat")


def share(pairs: Sequence[tuple[object, object]]) -> float:
    return sum(one == other for one, other in pairs) / len(pairs)


def values(result: JudgesResult, measure: str = "agreement") -> dict[tuple[str, ...], float | None]:
    return {one.raters: one.value for one in result.agreement if one.measure == measure}


def mt_bench(seed: int = 3) -> list[dict[str, object]]:
    """Return votes in the form of MT-bench's human judgments: people saw pairs in any order, some pairs nobody."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for question, (one, other), turn in (
        (q, pair, t) for q in range(20) for pair in combinations(MODELS, 2) for t in (1, 2)
    ):
        people = rng.choice(["expert_0", "expert_1", "expert_2", "author_7"], rng.integers(0, 4), replace=False)
        for judge in [["gpt-4", "pair-v2"], *people.tolist()]:
            pair = (one, other) if rng.random() < 0.5 else (other, one)
            better = rng.choice([one, other, "tie"], p=[0.6, 0.25, 0.15])
            winner = "tie (inconsistent)" if better == "tie" else "model_a" if better == pair[0] else "model_b"
            rows.append({"question_id": question, "model_a": pair[0], "model_b": pair[1], "winner": winner,
                         "judge": judge, "turn": turn, "conversation_a": [{"role": "user"}]})  # fmt: skip
    return rows


def by_output(rows: list[dict[str, object]]) -> list[dict[str, str]]:
    """Return who voted for which system of each pair, as FastChat's compute_agreement.py counts votes."""
    found: dict[object, dict[str, str]] = defaultdict(dict)
    for row in rows:
        better = {"model_a": row["model_a"], "model_b": row["model_b"]}.get(str(row["winner"]), "tie")
        judge = "judge" if isinstance(row["judge"], list) else str(row["judge"])
        found[row["question_id"], frozenset((row["model_a"], row["model_b"])), row["turn"]][judge] = str(better)
    return list(found.values())


def test_mt_benchs_votes(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in mt_bench()))
    result = outscore.judges(path, people="expert_*,author_*")
    votes = by_output(mt_bench())
    with_people = [(own, vote) for of in votes if (own := of.pop("judge")) for vote in of.values()]
    among = [pair for of in votes for pair in permutations(of.values(), 2)]
    found = values(result)
    assert found["gpt-4, pair-v2", "people"] == pytest.approx(share(with_people))
    assert found["people",] == pytest.approx(share(among))
    assert values(result, "krippendorff-alpha")["people",] == pytest.approx(
        alpha([[("tie", *MODELS).index(vote) for vote in of.values()] for of in _by_place(votes)], "nominal")
    )
    assert not result.wins  # of other systems in each pair
    left_out = {(one.person, one.rater): one.value for one in result.left_out}
    judged = by_output(mt_bench())
    for person in ("expert_0", "expert_1", "expert_2", "author_7"):
        others = [(of[person], vote) for of in votes if person in of for who, vote in of.items() if who != person]
        theirs = [
            (of["judge"], vote)
            for of in judged
            if person in of
            for who, vote in of.items()
            if who not in {person, "judge"}
        ]
        assert left_out[person, person] == pytest.approx(share(others))
        assert left_out[person, "gpt-4, pair-v2"] == pytest.approx(share(theirs))


def _by_place(votes: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return votes for the first and the second system of a pair in the alphabet, as MODELS[0] and MODELS[1]."""
    pairs = [pair for _ in range(20) for pair in combinations(MODELS, 2) for _ in (1, 2)]
    return [
        {who: vote if vote == "tie" else MODELS[pair.index(vote)] for who, vote in of.items()}
        for of, pair in zip(votes, pairs, strict=True)
    ]


def test_people_without_names() -> None:
    rng = np.random.default_rng(5)
    people = rng.random((40, 3)) < 0.7
    judge = rng.random(40) < 0.6
    rows = [(item, "human", int(of)) for item in range(40) for of in people[item]]
    rows += [(item, "g", int(of)) for item, of in enumerate(judge)]
    result = outscore.judges(pl.DataFrame(rows, ["item", "judge", "verdict"], orient="row"))
    assert values(result)["g", "people"] == pytest.approx((people == judge[:, None]).mean())
    among = np.mean([people[:, i] == people[:, j] for i, j in combinations(range(3), 2)])
    assert values(result)["people",] == pytest.approx(among)
    assert values(result, "krippendorff-alpha")["people",] == pytest.approx(
        alpha(people.astype(float).tolist(), "nominal")
    )
    assert not result.left_out
    assert any("no names of their own" in note for note in result.notes)


def test_people_in_columns_are_people_in_rows() -> None:
    rng = np.random.default_rng(6)
    wide = pl.DataFrame(
        {"item": range(30), "verdict": rng.integers(1, 6, 30), **{f"ann_{k}": rng.integers(1, 6, 30) for k in (1, 2)}}
    )
    long = wide.unpivot(["verdict", "ann_1", "ann_2"], index="item", variable_name="judge", value_name="score")
    found, expected = (outscore.judges(data, people=["ann_*"]) for data in (wide, long))
    assert [(one.measure, one.value) for one in found.agreement] == [
        (one.measure, one.value) for one in expected.agreement
    ]
    assert [one.value for one in found.left_out] == [one.value for one in expected.left_out]
    assert {one.measure for one in found.left_out} == {"krippendorff-alpha"}


def test_only_people_are_judges() -> None:
    rows = [row for row in mt_bench() if isinstance(row["judge"], str)]
    frame = pl.DataFrame(rows).drop("conversation_a")
    assert outscore.judges(frame, people="*_?").agreement == outscore.judges(frame).agreement


def test_unknown_people() -> None:
    with pytest.raises(OptionError, match=r'no judge or column is called "exprt_\*".*\[no-people\]'):
        outscore.judges(pl.DataFrame({"item": [1, 2], "judge": ["expert_1", "g"], "verdict": "AB"}), people="exprt_*")


@pytest.mark.parametrize("people", ["", ",", "expert_*,", [" "]])
def test_empty_names_are_nobody(people: str | list[str]) -> None:
    """An empty pattern would take a judge without a name as a person, who agrees with himself."""
    frame = pl.DataFrame({"item": [1, 2, 3], "verdict": [1, 0, 1], "expert_1": [1, 1, 0]})
    found = outscore.judges(frame, people=people)
    assert values(found) == ({("judge", "people"): 1 / 3} if "expert" in people else {})


def test_judges_and_people_with_other_words() -> None:
    judge, people = ["A", "B", "A", "tie", "B"] * 4, ["model_a", "model_b", "model_b", "tie (bothbad)", "model_b"] * 4
    frame = pl.DataFrame({"item": range(20), "verdict": judge, "human": people})
    assert values(outscore.judges(frame))["judge", "people"] == pytest.approx(0.8)
    numbers = frame.with_columns(human=pl.Series(["1", "2", "2", "1.5", "2"] * 4))
    assert values(outscore.judges(numbers))["judge", "people"] == pytest.approx(0.8)
    for other in (["gpt", "llama"], ["pos", "neg"], ["good answer", "bad answer"]):
        unlike = frame.with_columns(human=pl.Series(other * 10))
        with pytest.raises(DataError, match=r"no verdict in common: .*\[unlike-verdicts\]"):
            outscore.judges(unlike)
    labels = pl.DataFrame({"item": range(6), "verdict": list("xyzxyz"), "human": list("uvwuvw")})
    with pytest.raises(DataError, match="no verdict in common"):
        outscore.judges(labels)


def judge_bench(n: int = 30) -> list[dict[str, object]]:
    """Return pairs in the form of JudgeBench's outputs: the second decision is on swapped answers and names places."""
    rng = np.random.default_rng(8)
    decisions = ["A>B", "B>A", "A=B"]
    return [
        {
            "pair_id": f"p{place}", "question": f"q{place % 20}", "response_A": "x", "response_B": "y",
            "label": decisions[rng.integers(2)], "judge_name": "arena_hard",
            "judgments": [
                None if rng.random() < 0.05 else
                {"judgment": {"judge_model": "m-1", "response": ""}, "decision": decisions[rng.integers(3)]}
                for _ in range(2)
            ],
        }
        for place in range(n)
    ]  # fmt: skip


def test_judge_benchs_outputs(tmp_path: Path) -> None:
    path = tmp_path / "dataset=judgebench.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in judge_bench()))
    result = outscore.judges(path)
    swap = {"A>B": "B>A", "B>A": "A>B", "A=B": "A=B"}
    pairs, both = [], []
    for row in judge_bench():
        of = [None if one is None else one["decision"] for one in row["judgments"]]  # type: ignore[attr-defined]
        of = [of[0], None if of[1] is None else swap[of[1]]]
        pairs += [(one, row["label"]) for one in of if one is not None]
        both += [(of[0], of[1])] if None not in of else []
    assert values(result)["arena_hard, m-1", "people"] == pytest.approx(share(pairs))
    assert result.consistency is not None
    assert result.consistency.value == pytest.approx(share(both))
    assert result.first_position is not None
    assert 'verdict "judgments.decision", human "label"' in result.notes[-1]
    assert not any("--positions" in note for note in result.notes)


def test_one_decision_in_a_list() -> None:
    path = CASES / "judgebench_min.jsonl"
    if not path.exists():
        pytest.skip("needs shared/cases")
    result = outscore.judges(path)
    assert values(result) == {("a", "people"): 0.5, ("b", "people"): 0.5, ("a", "b"): 0.0}


def test_llm_bars_outputs(tmp_path: Path) -> None:
    """The winner of each order names the answer, and the last result counts; figures as in its statistics.json."""
    rng = np.random.default_rng(9)
    rows = [
        {"input": f"i{place}", "output_1": "x", "output_2": "y", "label": int(rng.integers(1, 3)), "results": [
            {"swap = False": {"winner": "1"}, "swap = True": {"winner": "1"}},
            {f"swap = {swap}": {"completion": "x", "winner": str(rng.integers(1, 3))} for swap in (False, True)},
        ]}
        for place in range(25)
    ]  # fmt: skip
    path = tmp_path / "result.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    result = outscore.judges(path)
    last = [(row["label"], row["results"][-1]["swap = False"], row["results"][-1]["swap = True"]) for row in rows]  # type: ignore[index]
    right = [one["winner"] == str(label) for label, *both in last for one in both]
    assert values(result)["judge", "people"] == pytest.approx(np.mean(right))
    assert result.consistency is not None
    assert result.consistency.value == pytest.approx(
        np.mean([one["winner"] == other["winner"] for _, one, other in last])
    )


def test_reward_benchs_outputs(tmp_path: Path) -> None:
    results = [1, 1, 0, 1, 1, 0, 1, 1, 1, 1]
    rows = [
        {
            "prompt": "p",
            "results": one,
            "scores_chosen": 0.5,
            "scores_rejected": 0.1,
            "text_chosen": "a",
            "subset": "chat",
        }
        for one in results
    ]
    path = tmp_path / "model_outputs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    result = outscore.judges(path)
    assert values(result)["judge", "people"] == pytest.approx(0.8)
    assert result.n_items == 10
    assert result.notes[0].startswith("The chosen answer of each pair counts as correct")


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_any_number_of_values(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alpha of 100 different values is that of the definition, also in parts; of 2,001 values it is computed at all."""
    rng = np.random.default_rng(11)
    human = rng.permutation(100) + 1
    judge = np.where(rng.random(100) < 0.5, human, rng.permutation(100) + 1)
    frame = pl.DataFrame({"item": range(100), "score": judge, "human": human})
    result = outscore.judges(frame, level=level)
    expected = alpha(np.column_stack([judge, human]).astype(float).tolist(), level)
    assert values(result, "krippendorff-alpha")["judge", "people"] == pytest.approx(expected)
    monkeypatch.setattr("outscore.wings.judging.measures._MOST_CELLS", 1000)
    again = outscore.judges(frame, level=level)
    known = {one.measure: one for one in result.agreement}
    for one in again.agreement:
        other = known[one.measure]
        assert one.value == pytest.approx(other.value)
        assert (one.low, one.high) == pytest.approx((other.low, other.high))
    monkeypatch.undo()
    many = rng.lognormal(size=2001)
    large = pl.DataFrame({"item": range(2001), "score": many, "human": many * rng.lognormal(0, 0.1, 2001)})
    found = values(outscore.judges(large, level=level), "krippendorff-alpha")["judge", "people"]
    if level == "ordinal":
        ranks = rankdata(np.concatenate([large["score"], large["human"]])).reshape(2, -1).T
        assert found == pytest.approx(1 - _interval(ranks), abs=1e-3)  # in classes of ranks
    elif level == "interval":
        assert found == pytest.approx(1 - _interval(large.select("score", "human").to_numpy()))
    assert found is not None


def _interval(pairs: np.ndarray) -> float:
    """Return D_o/D_e of two ratings per unit at the level interval: mean squared differences, of pairs and of all."""
    every = pairs.ravel()
    return float(np.mean((pairs[:, 0] - pairs[:, 1]) ** 2) / (2 * every.var(ddof=1)))


def test_columns_of_people_are_named_in_a_note() -> None:
    verdicts = ["A", "B", "tie"] * 4
    frame = pl.DataFrame({"item": [f"q{place}" for place in range(12)], "verdict": verdicts})
    frame = frame.with_columns(human_1=pl.Series(verdicts), human_2=pl.Series(verdicts), human_notes=pl.lit("x"))
    note = 'If "human_1", "human_2" are verdicts of people, pass people="human_1,human_2".'
    assert note in outscore.judges(frame).notes
    named = outscore.judges(frame, people="human_1,human_2")
    assert note not in named.notes
    assert "people" in {rater for pair in values(named) for rater in pair}
