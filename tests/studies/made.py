"""Studies and plans as they come out, small: what their reports are tested with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from outscore import Rates, StudyOptions, plan_gain, plan_items, plan_power, plan_table
from outscore.significance import Resampling
from tests.reports.kit import Shown
from tests.studies.boards import ACCURACY, answers, board_of
from tests.studies.kit import (
    StudySystems,
    WindowRule,
    calibration_study,
    domain_study,
    gain_study,
    size_study,
    transfer_study,
)

S, N = 9, 160
OPTIONS = StudyOptions(min_pairs=2, resampling=Resampling(n_resamples=200, seed=3))


def a_board(*, seed: int = 5) -> StudySystems:
    """Return nine systems of three families on 160 items."""
    return board_of(answers(S, N, seed=seed), ACCURACY, [f"family {i % 3}" for i in range(S)])


@cache
def a_gain_study() -> Any:
    return gain_study(a_board(), OPTIONS)


@cache
def a_size_study() -> Any:
    return size_study(a_board(), [40, 80, 160], OPTIONS, subsets=3)


@cache
def a_domain_study() -> Any:
    board = a_board()
    parts = {
        "news": np.arange(N // 2),
        "a domain with a long name, longer than any axis has room for": np.arange(N // 2, N),
    }
    # On 80 items no exact p-value lies between 0.04 and 0.06.
    options = replace(OPTIONS, rule=WindowRule(0.01, 0.1))
    return domain_study([board.take(index).named(name) for name, index in parts.items()], options, subsets=2)


@cache
def a_calibration_study() -> Any:
    return calibration_study(a_board(), OPTIONS, items=60, repeats=6)


@cache
def a_transfer_study() -> Any:
    return transfer_study(a_board().named("here"), [a_board(seed=6).named("there"), a_board(seed=7)], OPTIONS)


@cache
def a_plan_table() -> Any:
    return plan_table([100, 500, 2000, 10_000], [0.005, 0.01, 0.02], hurt_percents=[0, 5, 10])


POPULATION = Rates(0.05)
# A plan for each question, and one of power by gain.
PLANS: dict[str, Callable[[], Any]] = {
    "power by items": cache(lambda: plan_power(POPULATION, [100, 1000], [0.02, 0.04])),
    "power by gain": cache(lambda: plan_power(POPULATION, 500, [0.01, 0.02, 0.04])),
    "gain": cache(lambda: plan_gain(POPULATION, [100, 1000])),
    "items": cache(lambda: plan_items(POPULATION, [0.1, 0.2])),
}
# One of each kind, computed when a test asks for it: all together take seconds.
OVERVIEWS: dict[str, Callable[[], Shown]] = {
    "gain study": a_gain_study,
    "size study": a_size_study,
    "domain study": a_domain_study,
    "calibration study": a_calibration_study,
    "transfer study": a_transfer_study,
    "plan table": a_plan_table,
    **PLANS,
}


def renamed(study: Any, name: str) -> Any:
    """Return the study with another name for one of its systems."""
    old = study.pairs[0].candidate
    pairs = [
        replace(
            pair,
            candidate=name if pair.candidate == old else pair.candidate,
            baseline=name if pair.baseline == old else pair.baseline,
        )
        for pair in study.pairs
    ]
    return replace(study, pairs=tuple(pairs))
