"""Parts of results by name, and the attributes of a result's only part."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outscore
from outscore.errors import ResultAttributeError, ResultKeyError

OLD, NEW, SAME = [1, 0, 0, 1, 0, 1, 0, 0], [1, 1, 1, 1, 0, 1, 1, 1], [1, 0, 0, 1, 0, 1, 0, 1]
OF_COMPARISON = ["p_value", "gain", "interval", "verdict", "baseline", "candidate", "baseline_score", "candidate_score"]
OUTPUTS = ["a b c d e", "e f g h i"], ["a b c d f", "e f g h i"]
REFERENCES = ["a b c d f", "e f g h i"]


def compared(**options: Any) -> Any:
    return outscore.compare(OLD, NEW, SAME, names=["old", "new", "same"], metric="accuracy", **options)


@pytest.mark.parametrize("unpaired", [False, True])
def test_the_only_comparison_has_its_attributes_on_the_result(unpaired: bool) -> None:
    options: Any = {"unpaired": unpaired}
    result: Any = outscore.compare({"old": OLD, "new": NEW}, metric="accuracy", **options)
    assert len(result) == 1
    assert list(result) == [result["new"]] == [result[0]]
    assert [getattr(result, name) for name in OF_COMPARISON] == [getattr(result["new"], name) for name in OF_COMPARISON]
    assert result.p_value == result.comparisons[0].tests[0].p_value
    assert (result.baseline, result.candidate, result.gain) == ("old", "new", 0.5)


@pytest.mark.parametrize("unpaired", [False, True])
def test_attributes_of_one_of_several_candidates_are_refused(unpaired: bool) -> None:
    result = compared(unpaired=unpaired)
    assert [one.candidate for one in result] == ["new", "same"]
    assert result.baseline == "old"
    for name in set(OF_COMPARISON) - {"baseline"}:
        assert not hasattr(result, name)
        with pytest.raises(
            ResultAttributeError, match=r'expected one candidate, got 2: "new", "same"\. Choose one, as'
        ) as error:
            getattr(result, name)
        assert isinstance(error.value, outscore.OptionError)


def test_p_values_of_a_comparison_are_those_of_its_first_test() -> None:
    comparison = compared(tests=["bootstrap", "randomization"])["new"]
    assert comparison.p_value == comparison.tests[0].p_value
    assert comparison.adjusted_p_value == comparison.tests[0].adjusted_p_value == 2 * comparison.p_value


def test_names_are_keys() -> None:
    result = compared()
    assert "new" in result
    assert "old" not in result
    assert result["new"] in result
    assert 3 not in result
    assert result[-1] is result["same"]
    assert result[0:1] == (result["new"],)
    with pytest.raises(KeyError):
        result["old"]
    with pytest.raises(outscore.OptionError, match=r'result\["nwe"\]: no such candidate\. Did you mean "new"\?'):
        result["nwe"]
    with pytest.raises(IndexError):
        result[2]


def test_metrics_are_keys() -> None:
    options: Any = {"references": REFERENCES, "metric": ["bleu:tokenize=13a", "bleu:tokenize=char", "chrf"]}
    results = outscore.compare(*OUTPUTS, **options)
    assert results["chrf"] is results[2]
    assert results["bleu:tokenize=char"] is results[1]
    assert [one.metric.name for one in results] == ["bleu", "bleu", "chrf"]
    with pytest.raises(ResultKeyError, match=r'one metric, found 2\. Pass .* result\["bleu:tokenize=13a"\]') as error:
        results["bleu"]
    assert error.value.problems[0].slug == "several-parts"
    rankings = outscore.rank(*OUTPUTS, **options)
    assert rankings["chrf"] is rankings[2]
    assert "ter" not in rankings


def test_test_sets_are_keys() -> None:
    result: Any = outscore.compare({"old": OLD, "new": NEW}, metric="accuracy", test_sets=list("aaaabbbb"))
    assert len(result) == 1
    assert [one.test_set for one in result["new"]] == ["a", "b"]
    assert result["new"]["b"].candidate_score == 0.75
    rankings: Any = outscore.rank({"old": OLD, "new": NEW}, metric="accuracy", test_sets=list("aaaabbbb"))
    assert rankings["b"].test_set == "b"


def test_scores_are_found_by_system_metric_and_test_set() -> None:
    one = outscore.score(OLD, metric="accuracy")
    assert one.score == one["accuracy"].score == 0.375
    assert one.interval == one.scores[0].interval
    two = outscore.score({"old": OLD, "new": NEW}, metric="accuracy")
    assert two["new"].score == 0.875
    assert "old" in two
    assert len(two) == 2
    with pytest.raises(ResultAttributeError, match=r'expected one score, got 2: "old", "new"'):
        _ = two.score
    several = outscore.score({"a": OUTPUTS[0], "b": OUTPUTS[1]}, references=REFERENCES, metric=["bleu", "chrf"])
    assert several["b", "chrf"] is several[3]
    assert several["bleu", "a"] is several[0]
    assert ("a", "ter") not in several
    with pytest.raises(ResultKeyError, match=r'found 2\. Pass all names, as in result\["b", "bleu"\]'):
        several["b"]
    tasks = outscore.score(OLD, names=["old"], metric="accuracy", test_sets=list("aaaabbbb"))
    assert tasks["old", "b"].score == tasks["b"].score == 0.25


def test_a_gate_has_its_checks_by_metric() -> None:
    result = outscore.gate([1, 0] * 300, [1, 0] * 295 + [0, 0] * 5, metric="accuracy", margin=0.05)
    check = result["accuracy"]
    assert (result.gain, result.interval, result.p_pass, result.p_fail) == (
        check.gain,
        check.interval,
        check.p_pass,
        check.p_fail,
    )
    assert list(result) == [check]
    assert result.passed


def test_plans_have_what_was_asked_for() -> None:
    spread, rates = outscore.Spread(0.3), outscore.Rates(0.05, 0.05)
    items = outscore.plan_items(spread, 0.02)
    assert items.items == items.rows[0].items
    power = outscore.plan_power(spread, items.items, 0.02)
    assert power.power == power.rows[0].power.value >= 0.8
    gain = outscore.plan_gain(spread, items.items)
    assert gain.gain == gain.rows[0].gain == pytest.approx(0.02, rel=0.01)
    runs = outscore.plan_runs(gain=0.06, items=500, item_sd=0.35, run_sd=0.006, interaction_sd=0.28)
    assert runs.runs == 4
    gate = outscore.plan_gate(rates, margin=0.02, looks=3)
    assert gate.items == gate.rows[0].items
    with pytest.raises(ResultAttributeError, match=r"expected one row, got 2\. Choose one of result\.rows\."):
        _ = outscore.plan_items(spread, [0.02, 0.03]).items


scores = st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=2, max_size=5)


@given(scores)
def test_pairs_of_a_ranking_are_found_in_both_directions(numbers: list[list[int]]) -> None:
    systems = {f"s{i}": own for i, own in enumerate(numbers)}
    ranking = outscore.rank(systems, n_resamples=100)
    assert all(ranking.pair(pair.baseline, pair.candidate) == pair for pair in ranking.pairs)
    assert list(ranking) == list(ranking.systems)
    assert all(ranking[one.name] is one for one in ranking)
    for one in ranking:
        for other in ranking:
            if one is not other:
                pair, turned = ranking.pair(one.name, other.name), ranking.pair(other.name, one.name)
                assert (pair.baseline, pair.candidate) == (one.name, other.name)
                np.testing.assert_allclose(pair.gain, other.score - one.score, atol=1e-12)
                assert (pair.gain, pair.wins, pair.ties, pair.losses, pair.p_value, pair.p_holm) == (
                    -turned.gain,
                    turned.losses,
                    turned.ties,
                    turned.wins,
                    turned.p_value,
                    turned.p_holm,
                )
                assert (pair.interval.low, pair.interval.high) == (-turned.interval.high, -turned.interval.low)
                wins = sum(b > a for a, b in zip(systems[one.name], systems[other.name], strict=True))
                assert pair.wins == wins


def test_a_pair_has_two_systems() -> None:
    ranking = outscore.rank({"a": OLD, "b": NEW})
    assert "a" in ranking
    assert "c" not in ranking
    assert ranking["b"].rank == 1
    assert ranking[0].name == "b"
    with pytest.raises(KeyError, match="no such system"):
        ranking.pair("a", "c")
    with pytest.raises(outscore.OptionError, match='expected two systems, got "a" twice'):
        ranking.pair("a", "a")


def test_the_turned_interval_of_a_ranking_is_that_of_the_turned_comparison() -> None:
    turned = outscore.rank({"a": OLD, "b": NEW}, metric="accuracy").pair("b", "a")
    comparison = outscore.compare({"b": NEW, "a": OLD}, metric="accuracy")
    assert turned.p_value == comparison.p_value
    assert turned.gain == comparison.gain
    assert (turned.interval.low, turned.interval.high) == pytest.approx(
        (comparison.interval.low, comparison.interval.high)
    )


def test_results_with_parts_are_copied_and_pickled() -> None:
    for result in (compared(), outscore.rank({"a": OLD, "b": NEW}), outscore.score(OLD)):
        assert pickle.loads(pickle.dumps(result)) == copy.deepcopy(result) == result
    with pytest.raises(ResultKeyError) as error:
        compared()["x"]
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


@pytest.mark.parametrize("unpaired", [False, True])
def test_rows_of_a_table_have_the_p_value_of_their_own_test(unpaired: bool) -> None:
    tests = ["welch", "rank-sum"] if unpaired else ["bootstrap", "randomization"]
    result = compared(unpaired=unpaired, tests=tests)
    found = [(row["candidate"], row["test"], row["p_value"], row["adjusted_p_value"]) for row in result.records()]
    expected = [(one.candidate, of.name, of.p_value, of.adjusted_p_value) for one in result for of in one.tests]
    assert found == expected
