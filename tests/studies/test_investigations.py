"""Studies of leaderboards from Python: boards, and the strata of one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.results import Estimator, Method, Ties
from outscore.significance import Resampling
from tests.reports.written import to_json

S, N = 12, 120
OPTIONS = outscore.StudyOptions(min_pairs=2, resampling=Resampling(n_resamples=500))
KINDS = ["news"] * 60 + ["web"] * 40 + ["mail"] * 20


def scores() -> dict[str, list[float]]:
    stream = np.random.default_rng(3)
    return {f"s{i}": stream.normal(i / 15, 1, N).round(2).tolist() for i in range(S)}  # on a grid: exact laws


def part(kind: str) -> object:
    chosen = [place for place, name in enumerate(KINDS) if name == kind]
    return outscore.read({name: [x[j] for j in chosen] for name, x in scores().items()})


def test_transfer_between_strata_is_that_between_their_boards() -> None:
    board = outscore.read(scores(), strata=KINDS)
    options = replace(OPTIONS, resampling=Resampling(Method.EXACT))  # a stratum is sorted otherwise than a whole board
    study = outscore.study_transfer(board, options=options, stratum="web")
    apart = outscore.study_transfer(part("web"), {name: part(name) for name in ("mail", "news")}, options, name="web")
    assert (study.board, study.others) == ("web", ("mail", "news"))
    assert study == apart
    assert sum(each.n_pairs for each in study.bins) > 5


@pytest.mark.parametrize(
    ("strata", "asked", "slug"),
    [
        (KINDS, {}, "usage"),
        (KINDS, {"others": {}, "stratum": "web"}, "usage"),
        (KINDS, {"stratum": "wed"}, "unknown-stratum"),
        (None, {"stratum": "web"}, "no-strata"),
        (["web"] * N, {"stratum": "web"}, "one-stratum"),
        (["web", *["news"] * (N - 1)], {"stratum": "web"}, "one-unit-stratum"),
    ],
)
def test_what_cannot_be_transferred_is_told_in_a_line(strata: Any, asked: dict[str, Any], slug: str) -> None:
    with pytest.raises((outscore.OptionError, outscore.DataError)) as error:
        outscore.study_transfer(scores(), options=OPTIONS, strata=strata, **asked)
    assert str(error.value).endswith(f"[{slug}]")


def test_strata_keep_their_names_where_items_are_left_out() -> None:
    """The only items of the first stratum are among those left out: the others' names must not move up."""
    ids = [f"q{j}" for j in range(N)]
    systems = {name: dict(zip(ids, x, strict=True)) for name, x in scores().items()}
    for item in ids[:2]:
        del systems["s1"][item]
    strata = ["gone", "gone", *["news"] * 58, *["web"] * 60]
    board = outscore.read(systems, strata=strata, drop_missing=True)
    study = outscore.study_domains(board, OPTIONS, subsets=2)
    assert {(point.domain, point.n_items) for point in study.points} == {("news", 58), ("web", 60)}


BOARD = outscore.read(scores())


def loose(function: Any) -> Any:
    return function


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: outscore.study_size(BOARD, loose([100.5])), r"^sizes\[0\]: expected a whole number, got 100\.5"),
        (lambda: outscore.study_size(BOARD, loose("60")), '^sizes: expected a whole number, got "60"'),
        (lambda: outscore.study_calibration(BOARD, items=loose(10.5)), r"^items: expected a whole number, got 10\.5"),
        (lambda: outscore.study_calibration(BOARD, repeats=loose(2.5)), "^repeats: expected a whole number"),
        (lambda: outscore.study_transfer(BOARD, loose([BOARD])), "others: expected a mapping from names"),
        (lambda: outscore.study_gain(BOARD, loose("scaled")), "options: expected an outscore.StudyOptions"),
        (lambda: outscore.study_gain(BOARD, relations=loose(["s1"])), "relations: expected a mapping"),
        (lambda: outscore.StudyOptions(test=loose("bootstrp")), 'unknown test "bootstrp". Did you mean "bootstrap"'),
        (lambda: outscore.StudyOptions(test=loose(3)), "tests: expected a test such as"),
        (lambda: outscore.StudyOptions(rule=loose("scaled")), "rule: expected a rule such as"),
        (lambda: outscore.StudyOptions(ties=loose("none")), 'ties: unknown value "none"'),
        (lambda: outscore.StudyOptions(min_pairs=loose(2.5)), "min_pairs: expected a whole number"),
        (lambda: outscore.StudyOptions(confidence_level=loose("most")), "confidence_level: expected a number"),
        (lambda: outscore.StudyOptions(resampling=loose(100)), "resampling: expected an"),
    ],
)
def test_what_is_of_another_type_is_told_in_a_line(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(outscore.OptionError, match=said):
        ask()


def test_names_are_what_they_name() -> None:
    by_name = outscore.StudyOptions(test=loose("randomization"), ties=loose("strict"), estimator=loose("plain"))
    assert by_name == outscore.StudyOptions(test=outscore.Randomization(), ties=Ties.STRICT, estimator=Estimator.PLAIN)
    assert by_name.ties is Ties.STRICT


def test_numbers_of_any_kind_make_json() -> None:
    whole: Any = np.int64
    options = outscore.StudyOptions(
        min_pairs=whole(2), confidence_level=loose(np.float32)(0.95), resampling=Resampling(n_resamples=whole(500))
    )
    studies: list[Any] = [
        outscore.study_size(BOARD, loose(np.array)([60, 120]), options, subsets=whole(2)),
        outscore.study_calibration(BOARD, options, items=whole(50), repeats=whole(3)),
        outscore.study_domains({"a": BOARD, "b": BOARD}, options, items=whole(50), subsets=whole(2)),
    ]
    for study in studies:
        json.loads(to_json([study]))
    assert outscore.study_size(BOARD, 60, options).points == outscore.study_size(BOARD, [60], options).points
