"""Studies of leaderboards from Python: boards, and the strata of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import outscore
from outscore.significance import Resampling

S, N = 12, 120
OPTIONS = outscore.StudyOptions(min_pairs=2, resampling=Resampling(n_resamples=500))
KINDS = ["news"] * 60 + ["web"] * 40 + ["mail"] * 20


def scores() -> dict[str, list[float]]:
    stream = np.random.default_rng(3)
    return {f"s{i}": stream.normal(i / 15, 1, N).tolist() for i in range(S)}


def part(kind: str) -> outscore.Leaderboard:
    chosen = [place for place, name in enumerate(KINDS) if name == kind]
    return outscore.Leaderboard.from_scores({name: [x[j] for j in chosen] for name, x in scores().items()})


def test_transfer_between_strata_is_that_between_their_boards() -> None:
    board = outscore.Leaderboard.from_scores(scores(), strata=KINDS)
    study = outscore.study_transfer(board, options=OPTIONS, stratum="web")
    apart = outscore.study_transfer(part("web"), {name: part(name) for name in ("news", "mail")}, OPTIONS, name="web")
    assert (study.board, study.others) == ("web", ("news", "mail"))
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
        (["web", *["news"] * (N - 1)], {"stratum": "web"}, "one-item"),
    ],
)
def test_what_cannot_be_transferred_is_told_in_a_line(strata: Any, asked: dict[str, Any], slug: str) -> None:
    board = outscore.Leaderboard.from_scores(scores(), strata=strata)
    with pytest.raises(outscore.OptionError) as error:
        outscore.study_transfer(board, options=OPTIONS, **asked)
    assert str(error.value).endswith(f"[{slug}]")


def test_strata_keep_their_names_where_items_are_left_out() -> None:
    """The only items of the first stratum are among those left out: the others' names must not move up."""
    ids = [f"q{j}" for j in range(N)]
    systems = {name: dict(zip(ids, x, strict=True)) for name, x in scores().items()}
    for item in ids[:2]:
        del systems["s1"][item]
    strata = ["gone", "gone", *["news"] * 58, *["web"] * 60]
    board = outscore.Leaderboard.from_scores(systems, strata=strata, drop_missing=True)
    study = outscore.study_domains(board, OPTIONS, subsets=2)
    assert {(point.domain, point.n_items) for point in study.points} == {("news", 58), ("web", 60)}
