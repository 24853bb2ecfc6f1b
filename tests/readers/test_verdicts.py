"""Words for verdicts on two answers: their table, and what commands read of them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest
from tests.kit import Note

import outscore
from outscore.data.verdicts import is_place, main_first, verdict_values, word_value
from outscore.errors import DataError, OptionError

FIRST = ("A", "a", "[[A]]", "A>B", "A>>B", "[[A >> B]]", "B<A", "model_a", "Model A", "model_1", "assistant_a",
         "Output (a)", "A is better", "first", "1st", "left", "win", "won")  # fmt: skip
SECOND = (
    "B",
    "[[B]]",
    "B>A",
    "B>>A",
    "A<B",
    "A<<B",
    "model_b",
    "model-2",
    "response_b",
    "second",
    "2nd",
    "right",
    "lose",
    "loss",
)
TIE = ("tie", "Tie", "ties", "tied", "draw", "A=B", "B=A", "both bad", "both_bad", "bothbad", "tie (bothbad)", "both",
       "neither", "equal", "tie (inconsistent)")  # fmt: skip
OTHER = ("", "C", "[[C]]", "gpt-4", "a man", "about", "model_c", "5", "yes", "aa", "A>A", "tie it")


@pytest.mark.parametrize(("words", "value"), [(FIRST, 1.0), (SECOND, 0.0), (TIE, 0.5), (OTHER, None)])
def test_words(words: tuple[str, ...], value: float | None) -> None:
    assert {word: word_value(word) for word in words} == dict.fromkeys(words, value)


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        ("1 2", {"1": 1, "2": 0}),
        ("1 2 1.5 tie", {"1": 1, "2": 0, "1.5": 0.5, "tie": 0.5}),
        ("1 0 0.5", {"1": 1, "0": 0, "0.5": 0.5}),
        ("1 1.0 True false", {"1": 1, "1.0": 1, "True": 1, "false": 0}),
        ("0 1 2", {"0": 0, "1": 1}),  # a scale: 2 is no verdict
        ("1 2 3", {"1": 1, "2": 0}),
        ("A 2 nan", {"A": 1, "2": 0}),
    ],
)
def test_numbers(texts: str, values: dict[str, float]) -> None:
    assert verdict_values(texts.split()) == values


def test_places_are_no_answers() -> None:
    assert [word for word in (*FIRST, *SECOND, *TIE, *OTHER) if is_place(word)] == [
        "first", "1st", "left", "second", "2nd", "right",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("orders", "shown"),
    [
        (("AB", "BA"), (True, False)),
        (("BA", "AB"), (False, True)),
        (("original", "swapped"), (True, False)),
        (("second", "first"), (False, True)),
        (("B-first", "A-first"), (False, True)),
        (("1", "2"), (True, False)),
        (("AB",), (True,)),
        (("left", "middle"), None),
        (("AB", "original"), None),
    ],
)
def test_orders(orders: tuple[str, ...], shown: tuple[bool, ...] | None) -> None:
    assert main_first(orders) == shown


def in_both_orders(n: int = 30) -> pl.DataFrame:
    """Return verdicts A, B and tie on prompts in the orders AB and BA; A wins in 55%."""
    verdicts = np.random.default_rng(4).choice(["A", "B", "tie"], 2 * n, p=[0.45, 0.35, 0.2])
    items = [f"p{i // 2}" for i in range(2 * n)]
    return pl.DataFrame({"prompt": items, "order": ["AB", "BA"] * n, "verdict": verdicts})


WORTH = {"A": 1.0, "B": 0.0, "tie": 0.5}


def spelled(frame: pl.DataFrame, how: str) -> pl.DataFrame:
    """Return the same verdicts in other words."""
    words = {"model": "model_a model_b draw", "marks": "[[A>>B]] [[B>A]] [[A=B]]", "numbers": "1 2 1.5"}
    if how in words:
        return frame.with_columns(pl.col("verdict").replace(dict(zip(WORTH, words[how].split(), strict=True))))
    swap = {("AB", "A"): "first", ("AB", "B"): "second", ("BA", "A"): "second", ("BA", "B"): "first"}
    places = [swap.get((order, verdict), verdict) for _, order, verdict in frame.rows()]
    return frame.with_columns(verdict=pl.Series(places))


@pytest.mark.parametrize("how", ["as it is", "model", "marks", "numbers", "places"])
def test_every_command_reads_the_same_words(tmp_path: Path, how: str) -> None:
    """The share of wins is that of 1, 0 and 0.5, compared with 0.5 with both orders of a prompt as a cluster."""
    frame = in_both_orders()
    scores = [WORTH[verdict] for verdict in frame["verdict"]]
    expected = outscore.compare(scores, against=0.5, clusters=frame["prompt"].to_list())[0]
    written = frame if how == "as it is" else spelled(frame, how)
    path = tmp_path / "verdicts.csv"
    written.write_csv(path)
    for data in (written, str(path)):
        [found] = outscore.compare(data, against=0.5)
        assert (found.candidate, found.candidate_score) == ("A", float(np.mean(scores)))
        assert (found.p_value, found.interval) == (expected.p_value, expected.interval)
        assert found.first_position is not None
        result = outscore.judges(data)
        [win] = result.wins
        assert "skewness-corrected t-test against 50%, p = " in result.to_text()
        assert (win.share, win.p_value) == pytest.approx((np.mean(scores), expected.p_value))
        assert (win.low, win.high) == pytest.approx((0.5 + expected.interval.low, 0.5 + expected.interval.high))
        assert result.first_position is not None
        assert result.first_position.share == pytest.approx(found.first_position.share)
        assert (result.first_position.first, result.first_position.second) == found.first_position.disagree


def test_one_verdict_per_item_has_the_binomial_test() -> None:
    verdicts = ["model_a"] * 18 + ["model_b"] * 7
    result = outscore.judges(pl.DataFrame({"item": range(25), "winner": verdicts}))
    assert result.wins[0].p_value == pytest.approx(binomtest(18, 25).pvalue)
    assert (result.wins[0].test, result.wins[0].answer) == ("binomial", "model_a")


def test_what_was_taken_is_said() -> None:
    result = outscore.compare(in_both_orders(), against=0.5)
    begins = ("Verdicts: ", "If they are the places", "The two orders")
    taken, doubt, order = (next(note for note in result[0].warnings if begin in note) for begin in begins)
    assert taken == 'Verdicts: "A" is 1, "B" is 0 and "tie" is 0.5.'
    assert [isinstance(note, Note) for note in (taken, doubt, order)] == [True, False, True]
    frame = spelled(in_both_orders(), "places")
    (taken,) = (note for note in outscore.compare(frame, against=0.5)[0].warnings if "Verdicts: " in note)
    assert isinstance(taken, Note)
    assert 'They are positions, so verdicts in the swapped order were reversed ("order").' in taken


@pytest.mark.parametrize("choices", ["ABAB", "ABCA"])
def test_a_column_of_scores_comes_before_one_of_verdicts(choices: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    pl.DataFrame({"item": range(4), "choice": list(choices), "score": [1, 0, 1, 1]}).write_csv(path)
    for source in (str(path), pl.read_csv(path)):
        found = outscore.compare(source, against=0.5)[0]
        assert (found.candidate_score, found.candidate == "A") == (0.75, False)
        assert not any("erdicts" in note for note in found.warnings)


@pytest.mark.parametrize(
    ("verdicts", "orders", "message"),
    [
        (
            ["A", "B", "A", "unclear"],
            None,
            r'\[3\]: field "verdict": expected a verdict such as "A", "B", got "unclear"',
        ),
        (["first", "second"] * 2, ["x", "y"] * 2, '"x", "y" as order does not tell which answer was first'),
    ],
)
def test_bad_verdicts(verdicts: list[str], orders: list[str] | None, message: str) -> None:
    frame = pl.DataFrame({"item": [0, 0, 1, 1], "verdict": verdicts})
    frame = frame if orders is None else frame.with_columns(order=pl.Series(orders))
    with pytest.raises(DataError, match=message):
        outscore.compare(frame, against=0.5)


def test_other_columns_of_words_are_no_verdicts() -> None:
    frame = pl.DataFrame(
        {"item": range(4), "group": list("ABAB"), "winner": ["ann", "bob", "ann", "eve"], "score": range(4)}
    )
    assert outscore.compare(frame, against=0.5)[0].candidate_score == 1.5
    assert outscore.score(frame.with_columns(rating=pl.Series([1, 2, 1, 1]))[:, [0, 4]])[0].score == 1.25


def test_wins_of_systems_are_ranked() -> None:
    rows = [
        (system, item, verdict) for item in range(8) for system, verdict in (("x", "win"), ("y", "tie"), ("z", "loss"))
    ]
    ranking = outscore.rank(pl.DataFrame(rows, schema=["system", "item", "verdict"], orient="row"))
    assert {one.name: one.score for one in ranking} == {"x": 1.0, "y": 0.5, "z": 0.0}


@pytest.mark.parametrize("words", ["1 2", "model_a model_b", "A>>B B>A", "first second", "x y"])
def test_battles_in_other_words(words: str) -> None:
    first, second = words.split()
    rows = [("x", "y", 1)] * 7 + [("x", "y", 0)] * 4 + [("x", "y", 0.5)] * 2
    told = [(a, b, {1: first, 0: second, 0.5: "tie (bothbad)"}[won]) for a, b, won in rows]
    expected, found = (
        outscore.rank(
            pl.DataFrame(battles, ["model_a", "model_b", "winner"], orient="row", strict=False),
            metric="bradley-terry",
            n_resamples=100,  # scores do not depend on them
        )
        for battles in (rows, told)
    )
    assert [(one.name, one.score) for one in found] == [(one.name, one.score) for one in expected]


@pytest.mark.parametrize("words", ["model_a model_b", "1 0"])
def test_verdicts_for_several_systems_are_no_proportion_of_wins(words: str) -> None:
    won, lost = words.split()
    frame = pl.DataFrame({"model_a": ["gpt", "llama"] * 5, "model_b": ["llama", "gpt"] * 5, "winner": [won, lost] * 5})
    if words == "1 0":
        frame = frame.with_columns(pl.col("winner").cast(int))
    message = (
        'verdicts are for several systems, got "gpt", "llama" in the column "model_a". Pass metric="bradley-terry"'
    )
    with pytest.raises(DataError, match=re.escape(message)):
        outscore.compare(frame, against=0.5)
    same = frame.with_columns(model_a=pl.lit("gpt"), model_b=pl.lit("llama"))
    assert outscore.compare(same, against=0.5)[0].candidate_score == 0.5
    with pytest.raises(DataError, match="expected scores of systems, got a table of pairwise comparisons"):
        outscore.rank(frame)


def test_verdicts_1_0_and_minus_1_are_not_compared_with_half() -> None:
    verdicts = [1] * 6 + [0] * 3 + [-1]
    message = 'only 1, 0 and -1, so a tie is 0, not 0.5. If they are wins, ties and losses, pass against="?0'
    for data in (verdicts, pl.DataFrame({"id": [f"q{i}" for i in range(10)], "winner": verdicts})):
        with pytest.raises(OptionError, match=message):
            outscore.compare(data, against=0.5)
        assert outscore.compare(data, against=0)[0].candidate_score == 0.5
    assert outscore.compare([*verdicts, 0.25], against=0.5)[0].candidate_score == pytest.approx(5.25 / 11)


def test_words_for_verdicts_without_a_column_say_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Verdicts need a data frame with a column verdict, or the numbers 1"):
        outscore.compare(["A", "B", "tie"], against=0.5)
    path = tmp_path / "verdicts.txt"
    path.write_text("A\nB\ntie\n")
    with pytest.raises(DataError, match="Verdicts need a table with a column verdict"):
        outscore.compare(str(path), against=0.5)
