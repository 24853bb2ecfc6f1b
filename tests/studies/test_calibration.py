"""Calibration and transfer, on populations whose truth is known."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from outscore import StudyOptions
from outscore.errors import DataError, OptionError
from outscore.results import Alternative, Estimator, Method, Ties
from outscore.significance import Resampling
from tests.laws.kit import clopper_pearson
from tests.studies.boards import ACCURACY, F1_METRIC, answers, board_of, counts, normal_board
from tests.studies.kit import calibration_study, counts_beyond, drawn_from, gain_study, pair_tests, transfer_study

OPTIONS = StudyOptions(resampling=Resampling(n_resamples=400))
SAMPLED = StudyOptions(resampling=Resampling(Method.MONTE_CARLO, 2000))


def test_shares_are_those_of_a_plain_loop() -> None:
    systems = board_of(answers(5, 300, seed=1), ACCURACY)
    study = calibration_study(systems, OPTIONS, items=60, repeats=12)
    truth = dict(zip(systems.names, systems.scores, strict=True))
    tested = right = 0
    p_values = []
    for test_set in drawn_from(systems, 60, 12, OPTIONS.resampling.seed):
        found = gain_study(systems.take(test_set.index), OPTIONS)
        for pair in found.pairs:
            if 0.16 < pair.p_value <= 0.5:
                tested += 1
                p_values.append(pair.p_value)
                right += truth[pair.candidate] > truth[pair.baseline]
    bins = [each for each in study.bins if each.low >= 0.16]
    assert sum(each.n_tests for each in bins) == tested > 0
    assert sum(each.n_right for each in bins) == right
    nominal = sum((each.nominal or 0) * each.n_tests for each in bins) / tested
    assert nominal == pytest.approx(1 - np.mean(p_values))


def test_equal_chances_beforehand_make_p_values_true() -> None:
    """Where gains of all sizes are as likely one way as the other, 1 − p of the tests are right.

    A population of 60 systems with skills far apart beside a test's noise: gains of pairs are about uniform near 0. The
    share near 0.05 is within 3 points of 95%: pairs and sets make for a standard error of about 0.7 points.
    """
    gains = np.random.default_rng(2).uniform(0, 2, 60)
    systems = normal_board(gains, 3000, seed=3)
    study = calibration_study(systems, OPTIONS, items=60, repeats=40)
    assert study.window.n_tests > 1000
    assert study.window.share == pytest.approx(0.95, abs=0.03)
    assert study.window.share_low is not None
    assert study.window.share_high is not None
    assert study.window.share_low < study.window.share < study.window.share_high  # type: ignore[operator]


def test_systems_that_hardly_differ_make_p_values_promise_too_much() -> None:
    """Gains of a tenth of a standard error: which system a test favours is nearly chance, whatever its p-value."""
    gains = np.array([0.0, 0.005, 0.01, 0.015])
    study = calibration_study(normal_board(gains, 4000, seed=4), OPTIONS, items=40, repeats=150)
    assert study.window.share is not None
    assert study.window.n_tests > 20
    assert study.window.share < 0.85


def test_pairs_without_a_better_system_are_left_out() -> None:
    one, other = answers(2, 80, seed=5)
    study = calibration_study(board_of([one, one, other], ACCURACY), OPTIONS, items=40, repeats=5)
    assert study.n_equal == 1
    with pytest.raises(DataError, match="all systems score the same"):
        calibration_study(board_of([one, one], ACCURACY), OPTIONS, items=40, repeats=5)


def test_threads_change_nothing() -> None:
    systems = board_of(counts(5, 200, seed=6), F1_METRIC)
    one = calibration_study(systems, OPTIONS, items=50, repeats=8)
    with ThreadPoolExecutor(2) as executor:
        options = replace(OPTIONS, resampling=replace(OPTIONS.resampling, executor=executor))
        assert calibration_study(systems, options, items=50, repeats=8) == one


@pytest.mark.parametrize(("items", "repeats"), [(1, 10), (0, 10), (50, 1)])
def test_sizes_out_of_range_are_refused(items: int, repeats: int) -> None:
    with pytest.raises(OptionError):
        calibration_study(board_of(answers(3, 40, seed=7), ACCURACY), OPTIONS, items=items, repeats=repeats)


@pytest.mark.parametrize("ties", list(Ties))
def test_counts_are_those_of_the_ranking(ties: Ties) -> None:
    from tests.significance.kit import Hypothesis, SystemTable, draw_scores

    systems = board_of(counts(7, 60, seed=8), F1_METRIC)
    order = SystemTable.order(systems.metric, systems.rows)
    table = SystemTable(systems.metric, [systems.rows[i] for i in order])
    draws = draw_scores(table.metric, table.rows, None, Resampling(n_resamples=3000))
    question = Hypothesis(Alternative.GREATER, 0.0, ties)
    expected = draws.scan(table.pairs, question, 0.025).n_exceeding
    assert counts_beyond(draws, table.pairs, ties).tolist() == expected.tolist()


@pytest.mark.parametrize("ties", list(Ties))
@pytest.mark.parametrize("method", list(Method))
def test_many_test_sets_give_the_p_values_of_one(method: Method, ties: Ties) -> None:
    same = answers(2, 60, seed=9)
    for systems in (board_of(counts(5, 60, seed=9), F1_METRIC), board_of([*answers(4, 60, seed=9), *same], ACCURACY)):
        if method is Method.EXACT and systems.metric is F1_METRIC:
            continue
        one, many = (pair_tests(systems, Resampling(method, 500), ties=ties, many=flag) for flag in (False, True))
        assert many.p_values.tolist() == one.p_values.tolist()
        assert many.exact is one.exact is (method is not Method.MONTE_CARLO and systems.metric is ACCURACY)


def test_transfer_counts_signs() -> None:
    here = normal_board(np.linspace(0, 0.5, 12), 200, seed=10).named("here")
    there = normal_board(np.linspace(0, 0.5, 12), 200, seed=11).named("there")
    study = transfer_study(here, [there], SAMPLED)
    scores = dict(zip(there.names, there.scores, strict=True))
    every = gain_study(here, SAMPLED).pairs
    for each in study.bins:
        pairs = [p for p in every if each.low < p.p_value <= each.high]
        kept = [p for p in pairs if scores[p.candidate] > scores[p.baseline]]
        assert (each.n_pairs, each.n_kept) == (len(pairs), len(kept))
        if pairs:
            assert (each.share_low, each.share_high) == clopper_pearson(len(kept), len(pairs), 0.95)
        else:
            assert each.share is None
    assert [each.low for each in study.bins] == [0.00125, 0.0025, 0.005, 0.01, 0.02, 0.04]


def test_transfer_knows_systems_by_name() -> None:
    here = normal_board(np.linspace(0, 0.5, 5), 100, seed=12).named("here")
    turned = replace(here, names=here.names[::-1], rows=here.rows[::-1]).named("turned")
    fewer = replace(here, names=("s0", "s3", "x", "y", "z")).named("fewer")
    study = transfer_study(here, [turned, fewer], OPTIONS)
    assert all(each.n_kept == each.n_pairs for each in study.bins if each.other == "turned")
    assert sum(each.n_pairs for each in study.bins if each.other == "fewer") <= 1
    assert any("fewer lacks 3 of the 5 systems" in warning for warning in study.warnings)
    with pytest.raises(DataError, match="at least two systems"):
        transfer_study(here, [replace(here, names=("a", "b", "c", "d", "s0"))], OPTIONS)
    with pytest.raises(OptionError, match=r"^others"):
        transfer_study(here, [], OPTIONS)


def test_bins_below_the_smallest_p_value_are_one() -> None:
    systems = normal_board(np.linspace(0, 1, 6), 300, seed=13)
    few, many = (
        calibration_study(systems, replace(SAMPLED, resampling=Resampling(Method.MONTE_CARLO, r)), items=80, repeats=20)
        for r in (500, 800)
    )
    assert [(each.low, each.high) for each in few.bins[:2]] == [(0.0, 0.0025), (0.0025, 0.005)]
    assert [(each.low, each.high) for each in many.bins[:2]] == [(0.0, 0.00125), (0.00125, 0.0025)]
    assert few.bins[0].n_tests > 0
    (said,) = few.warnings
    assert said.startswith("With 500 resamples, p-values below 0.002 are indistinguishable: the bins up to 0.0025 are")
    assert "800 resamples (n_resamples)" in said
    assert many.warnings == ()


def test_the_window_holds_no_p_values_that_no_resample_met() -> None:
    systems = normal_board(np.array([0.0, 3.0]), 300, seed=14)
    sampled = replace(SAMPLED, resampling=Resampling(Method.MONTE_CARLO, 19))
    study = calibration_study(systems, sampled, items=80, repeats=5)
    assert (study.window.n_tests, study.window.share, study.window.nominal) == (0, None, None)
    assert (study.bins[0].high, study.bins[0].n_tests) == (0.08, 5)


@pytest.mark.parametrize("r", [1, 2])
@pytest.mark.parametrize("estimator", list(Estimator))
def test_the_fewest_resamples_leave_a_bin(r: int, estimator: Estimator) -> None:
    systems = normal_board(np.array([0.0, 3.0]), 300, seed=14)
    sampled = replace(SAMPLED, resampling=Resampling(Method.MONTE_CARLO, r), estimator=estimator)
    study = calibration_study(systems, sampled, items=80, repeats=5)
    assert [(each.low, each.high) for each in study.bins] == [(0.0, 0.5)]


def test_transfer_counts_no_pairs_in_bins_below_the_smallest_p_value() -> None:
    here = normal_board(np.linspace(0, 1.5, 12), 100, seed=15).named("here")
    there = normal_board(np.linspace(0, 1.5, 12), 100, seed=16).named("there")
    study = transfer_study(here, [there], replace(SAMPLED, resampling=Resampling(Method.MONTE_CARLO, 300)))
    # 1/301 lies between 0.0025 and 0.005, and most pairs have that p-value.
    assert [each.n_pairs for each in study.bins if each.low < 1 / 301] == [0, 0]
    assert sum(each.n_pairs for each in study.bins) > 0
    (said,) = study.warnings
    assert said.startswith("With 300 resamples, p-values below 0.00332 are indistinguishable")
    assert transfer_study(here, [there], SAMPLED).warnings == ()
