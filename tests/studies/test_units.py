"""What studies say of clusters, of few units, and of thresholds that cannot be."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import outscore
from outscore import StudyOptions
from outscore.errors import OptionError
from outscore.metrics import Metric
from outscore.significance import PairedT, Resampling
from outscore.wings.studies.figures import UNKNOWN
from tests.reports.written import figure_of, to_json, to_text
from tests.scored import scored
from tests.studies.boards import ACCURACY, F1_METRIC, MEAN, answers, board_of, counts, normal_board
from tests.studies.kit import (
    DomainStudy,
    GainStudy,
    ScaledFit,
    SizeStudy,
    Study,
    StudySystems,
    Threshold,
    TransferStudy,
    calibration_study,
    domain_study,
    gain_study,
    size_study,
    transfer_study,
)

S, DOCUMENTS, N = 8, 70, 280
OPTIONS = StudyOptions(min_pairs=1, resampling=Resampling(n_resamples=100))


def clustered(n: int = N, *, seed: int = 4) -> StudySystems:
    """Return systems on documents of three to five items."""
    documents = np.sort(np.arange(n) % (n // 4))
    documents[:-1] = np.where(np.arange(n - 1) % 8 == 3, documents[1:], documents[:-1])
    rows = [ACCURACY.rows_of(outscore.Rows(f"s{i}", x[:, None])) for i, x in enumerate(answers(S, n, seed=seed))]
    return StudySystems.of_scores(scored(ACCURACY, rows, clusters=documents), source="here")


def studies(systems: StudySystems, other: StudySystems) -> list[Study]:
    return [
        gain_study(systems, OPTIONS),
        size_study(systems, [20, 40], OPTIONS, subsets=2),
        domain_study([systems, other], OPTIONS, items=20, subsets=2),
        calibration_study(systems, OPTIONS, items=20, repeats=3),
        transfer_study(systems, [other], OPTIONS),
    ]


def test_clusters_are_called_clusters() -> None:
    for study in studies(clustered(), clustered(seed=5).named("there")):
        held = json.loads(to_json([study]))
        both = isinstance(study, DomainStudy)
        assert (held["n_items"], held["n_units"], held["unit"]) == (N * (1 + both), DOCUMENTS * (1 + both), "cluster")
        assert held["n_systems"] == S
        text = to_text([study], ascii_only=False)
        assert f"{DOCUMENTS} items" not in text
        assert "20 items" not in text
        assert isinstance(study, TransferStudy) or "clusters" in text
        figure = figure_of(study)
        assert "items" not in " ".join([figure.x.title, figure.y.title, *figure.notes])


def test_the_items_of_part_of_the_clusters_are_counted() -> None:
    systems = clustered()
    first = systems.take(np.arange(35))
    assert systems.sizes is not None
    assert (first.n_units, first.n_items) == (35, int(systems.sizes[:35].sum()))
    points = domain_study([first.named("first"), systems], OPTIONS, subsets=1).points
    assert {(point.n_units, point.n_items) for point in points} == {(35, first.n_items), (DOCUMENTS, N)}


def test_domains_of_items_and_of_clusters_have_no_common_size() -> None:
    items = board_of(answers(S, 90, seed=1), ACCURACY).named("there")
    with pytest.raises(OptionError, match="got items in there and clusters in here"):
        domain_study([clustered(), items], OPTIONS)


def test_items_of_calibration_are_units_and_those_of_the_population_by_default() -> None:
    study = calibration_study(clustered(), OPTIONS, repeats=2)
    assert (study.items, study.n_units, study.n_items) == (DOCUMENTS, DOCUMENTS, N)


def test_every_study_warns_of_few_units() -> None:
    small = board_of(answers(S, 40, seed=1), ACCURACY)
    said = [study.warnings for study in studies(small, small.named("there"))]
    sizes = ("40", "20 and 40", "20", "20", "40")
    assert said == [(f"With {n} items the bootstrap has too many false positives.",) for n in sizes]


def test_only_the_bootstrap_and_only_few_units_are_warned_of() -> None:
    assert gain_study(board_of(answers(S, 50, seed=1), ACCURACY), OPTIONS).warnings == ()
    tested = replace(OPTIONS, test=PairedT())
    assert gain_study(board_of(answers(S, 40, seed=1), ACCURACY), tested).warnings == ()


def test_a_threshold_beyond_all_gains_is_refused() -> None:
    systems = board_of(answers(30, 60, seed=2, spread=1.0), ACCURACY)
    study = size_study(systems, [2, 3, 50], replace(OPTIONS, rule=ScaledFit()), subsets=5)
    beyond = "it would exceed the possible range of accuracy"
    assert any(point.threshold.reason == beyond for point in study.points if point.items < 5)
    known = [point.threshold for point in study.points]
    assert all(end is None or end <= 1 for each in known for end in (each.threshold, each.high))
    assert any(point.threshold.threshold for point in study.points if point.items == 50)
    assert beyond in " ".join(to_text([study], ascii_only=False).split())


@pytest.mark.parametrize(
    ("columns", "metric", "largest"),
    [
        (answers(3, 40, seed=1), ACCURACY, 1.0),
        ([np.array([2.0, 5.0, 3.0]), np.array([-1.0, 4.0, 7.5])], MEAN, 8.5),
        (counts(3, 20, seed=1), F1_METRIC, None),
    ],
)
def test_scores_differ_by_no_more_than_those_of_single_items(
    columns: list[np.ndarray], metric: Metric, largest: float | None
) -> None:
    systems = board_of(columns, metric)  # type: ignore[arg-type]
    assert systems.largest_gain is not None
    if largest is not None:
        assert systems.largest_gain == largest
    stream = np.random.default_rng(1)
    for _ in range(50):
        part = systems.take(stream.integers(systems.n_units, size=2))
        assert np.ptp(part.scores) <= systems.largest_gain


def test_size_and_domains_say_why_a_relation_has_no_threshold() -> None:
    systems = board_of(answers(S, 120, seed=3), ACCURACY)
    size: SizeStudy = size_study(systems, [60, 120], OPTIONS, subsets=2)
    domains = domain_study([systems.named("a"), systems.named("b")], OPTIONS, subsets=1)
    for study in (size, domains):
        text = to_text([study], ascii_only=False)
        assert text.count("same-family: the families are unknown.") == 1, text


def test_reasons_of_some_sizes_name_them() -> None:
    size = size_study(board_of(answers(S, 120, seed=3), ACCURACY), [60, 120], OPTIONS, subsets=0)
    first, *others = size.points
    changed = replace(first, threshold=Threshold("all", None, None, None, 0, "no pair is left"))
    text = to_text([replace(size, points=(changed, *others))], ascii_only=False)
    assert "all, 60 items (first): no pair is left." in text


def test_signatures_name_all_boards_and_no_rule_that_is_not_used() -> None:
    here = board_of(answers(S, 90, seed=1), ACCURACY).named("here")
    there = board_of(answers(S - 2, 60, seed=2), ACCURACY).named("there, too")
    domains = domain_study([here, there], OPTIONS, subsets=1).signature
    assert f"|systems:{S},{S - 2}|n:90,60|unit:item|items:60|" in domains
    transfer = transfer_study(here, [there], OPTIONS).signature
    assert "|others:there%2C%20too|seed:" in transfer
    assert "fit:" not in transfer
    calibration = calibration_study(here, OPTIONS, items=60, repeats=2).signature
    assert "|window:0.04-0.06|" in calibration
    assert "fit:" not in calibration


def test_no_mark_is_called_what_reports_call_unknown_pairs() -> None:
    with pytest.raises(OptionError, match="reserved-name"):
        StudySystems.of_scores(scored(ACCURACY, []), [UNKNOWN])


def test_one_is_singular() -> None:
    two: GainStudy = gain_study(normal_board(np.array([0.0, 1.0]), 60, seed=1), OPTIONS)
    assert "1 pair." in to_text([two], ascii_only=False)
    stream = np.random.default_rng(1)
    columns = [stream.integers(0, 2, 60).astype(float) for _ in range(2)]
    alike = board_of([*columns, columns[0]], ACCURACY)
    told = to_text([calibration_study(alike, OPTIONS, items=60, repeats=2)], ascii_only=False)
    assert "1 pair of equal score on the population is left out." in told


def test_boards_without_the_metric_are_named() -> None:
    scores = {f"s{i}": x.tolist() for i, x in enumerate(answers(3, 60, seed=1))}
    boards = {"here": outscore.read(scores, metric="accuracy"), "there": outscore.read(scores)}
    said = 'there: expected the metric "accuracy" as on the other leaderboards, got mean. Pass one metric .* -m'
    with pytest.raises(OptionError, match=said):
        outscore.study_domains(boards, OPTIONS, metric="accuracy")
    with pytest.raises(OptionError, match=said):
        outscore.study_transfer(boards["here"], {"there": boards["there"]}, OPTIONS, metric="accuracy")
