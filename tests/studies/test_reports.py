"""What reports of studies say first, and what they say where there is little to say."""

from __future__ import annotations

from dataclasses import replace

from outscore.reports import documents_of
from tests.studies.made import a_calibration_study, a_gain_study, a_size_study, a_transfer_study


def answer(study: object) -> str:
    return documents_of([study])[0].lead


def test_gains_begin_with_the_thresholds_or_say_why_there_is_none() -> None:
    study = a_gain_study()
    threshold = study.thresholds[0].threshold
    assert threshold is not None
    said = answer(study)
    assert said.startswith("9 systems on 160 items, 36 pairs. 95% of the gains above ")
    assert f"{100 * threshold:.1f}" in said
    none = replace(study.thresholds[0], threshold=None, reason="no pair has p-values from 0.04 to 0.06")
    assert answer(replace(study, thresholds=(none, *study.thresholds[1:]))).endswith(
        "No threshold in accuracy: no pair has p-values from 0.04 to 0.06."
    )


def test_sizes_begin_with_a_threshold_each_and_the_exponent() -> None:
    said = answer(a_size_study())
    assert all(f"{n} items " in said for n in (40, 80, 160))
    assert "proportional to n to the power of -0." in said


def test_calibration_tells_no_share_of_few_tests() -> None:
    study = a_calibration_study()
    share = study.window.n_right / study.window.n_tests
    enough = replace(study, setting=replace(study.setting, min_pairs=1))
    assert f"In {share:.0%} of " in answer(enough)
    few = replace(study, setting=replace(study.setting, min_pairs=study.window.n_tests + 1))
    assert answer(few).startswith(f"Only {study.window.n_tests} tests had p-values from 0.04 to 0.06, too few")
    none = replace(study, window=replace(study.window, n_tests=0, n_right=0, share=None))
    assert answer(none).startswith("No test has p-values from 0.04 to 0.06")


def test_transfer_begins_with_the_share_on_each_other_board() -> None:
    study = a_transfer_study()
    said = answer(study)
    for other in study.others:
        bins = [each for each in study.bins if each.other == other]
        n_pairs, n_kept = sum(each.n_pairs for each in bins), sum(each.n_kept for each in bins)
        assert f"{n_kept / n_pairs:.0%} of {n_pairs} on {other}" in said
