"""What `outscore.pilot` takes, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import outscore

BASELINE = [0.4, 0.1, 0.9, 0.3, 0.2, 0.6, 0.5, 0.8, 0.3, 0.7, 0.2, 0.4]
CANDIDATE = [0.5, 0.3, 0.8, 0.4, 0.6, 0.7, 0.4, 0.9, 0.6, 0.8, 0.1, 0.7]
IDS = [f"q{i}" for i in range(12)]


def gain_found(*systems: Any, **options: Any) -> float:
    pilot = outscore.pilot(*systems, n_sets=500, **options)
    return outscore.plan_gain(pilot, 100, tests="paired-t").rows[0].gain


def test_systems_of_every_kind_make_the_same_pilot(tmp_path: Path) -> None:
    order = [3, 1, 0, 5, 4, 2, 11, 7, 6, 10, 8, 9]
    frame = pd.DataFrame({"id": IDS, "score": BASELINE})
    other = pl.DataFrame({"id": [IDS[i] for i in order], "score": [CANDIDATE[i] for i in order]})
    (tmp_path / "a.csv").write_text(frame.to_csv(index=False))
    expected = gain_found(BASELINE, CANDIDATE)
    assert gain_found(np.array(BASELINE), tuple(CANDIDATE)) == expected
    assert gain_found(dict(zip(IDS, BASELINE, strict=True)), other) == expected
    assert gain_found(frame, other) == expected
    assert gain_found(tmp_path / "a.csv", other, id_column="id", score_column="score") == expected


def test_outputs_are_scored_against_references() -> None:
    gold = ["the cat sat on the mat", "dogs bark at night", "it rains in the town", "she reads a long book"] * 3
    one = ["the cat sat on a mat", "dogs bark in night", "it rain in town", "she read a book"] * 3
    other = ["the cat sat on the mat", "dogs bark at the night", "it rains in a town", "she reads the long book"] * 3
    pilot = outscore.pilot(one, other, references=gold, metric="chrf")
    compared = outscore.compare(one, other, references=gold, metric="chrf", n_resamples=100)
    assert pilot.observed.gain == compared.comparisons[0].gain
    assert pilot.describe() == "A pilot of 12 items: candidate against baseline, chrf."


def test_clusters_are_units_of_a_pilot(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    lines = [f"{i},{d},{x}" for i, d, x in zip(IDS, "aabcdefghijk", BASELINE, strict=True)]
    path.write_text("\n".join(["id,doc,score", *lines]) + "\n")
    by_column = outscore.pilot(path, dict(zip(IDS, CANDIDATE, strict=True)), clusters="doc")
    by_labels = outscore.pilot(BASELINE, CANDIDATE, clusters=list("aabcdefghijk"))
    for pilot in (by_column, by_labels):
        assert (pilot.pair.n_units, pilot.n_items) == (11, 12)


def test_labels_stay_with_their_items_where_some_are_left_out() -> None:
    fewer = dict(list(zip(IDS, CANDIDATE, strict=True))[1:])
    pilot = outscore.pilot(
        dict(zip(IDS, BASELINE, strict=True)), fewer, clusters=list("abbcdefghijk"), drop_missing=True
    )
    assert (pilot.pair.n_units, pilot.n_items) == (10, 11)


def test_lower_is_better_turns_the_gain() -> None:
    turned = outscore.pilot(BASELINE, CANDIDATE, lower_is_better=True)
    assert turned.observed.gain == -outscore.pilot(BASELINE, CANDIDATE).observed.gain
    compared = outscore.compare(BASELINE, CANDIDATE, lower_is_better=True, tests="sign")
    assert compared.comparisons[0].gain == turned.observed.gain


def test_names_are_those_given() -> None:
    pilot = outscore.pilot(BASELINE, CANDIDATE, names=["old", "new"])
    assert "new against old" in pilot.describe()


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"n_sets": 3}, "out-of-range"),
        ({"n_sets": "many"}, "not-whole"),
        ({"n_checks": 5000}, "out-of-range"),
        ({"seed": -1}, "out-of-range"),
        ({"names": ["one"]}, "names"),
        ({"metric": "f3"}, "unknown-metric"),
        ({"metric": outscore.Mean(), "lower_is_better": True}, "wrong-direction"),
        ({"metric": "accuracy", "lower_is_better": True}, "wrong-direction"),
        ({"metric": "bleu", "references": ["a"] * 12, "lower_is_better": True}, "not-for-outputs"),
        ({"metric": "spearman", "references": CANDIDATE}, "recomputed-metric"),
        ({"clusters": [1, 2]}, "different-lengths"),
        ({"clusters": [1] * 12}, "one-cluster"),
        ({"clusters": list("aabbccddeeff")}, "small-pilot"),
    ],
    ids=str,
)
def test_what_makes_no_pilot_is_told_in_a_line(options: dict[str, Any], slug: str) -> None:
    with pytest.raises(outscore.OutscoreError) as error:
        outscore.pilot(BASELINE, CANDIDATE, **options)
    assert str(error.value).endswith(f"[{slug}]")
    assert len(str(error.value).splitlines()) == 1


def test_systems_that_do_not_differ_make_no_pilot() -> None:
    with pytest.raises(outscore.DataError, match="no-spread"):
        outscore.pilot(BASELINE, BASELINE)
