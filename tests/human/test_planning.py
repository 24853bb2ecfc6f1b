"""Plans of human evaluations: variance components of simulated pilots, and what they say of documents and ratings."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import outscore
from outscore.cli import main
from outscore.errors import OptionError
from outscore.human.components import Ratings, components_of
from tests.human import made


def simulated(rng: np.random.Generator, *, leniency: float = 5.0, systems: int = 8, documents: int = 40) -> Ratings:
    """Return ratings with known variances: one of 20 raters per system and document, 3 segments each."""
    own, lenient, hard = (
        rng.normal(0, 3, (systems, documents)),
        rng.normal(0, leniency, 20),
        rng.normal(0, 4, documents),
    )
    rows = []
    for system in range(systems):
        for document in range(documents):
            rater = int(rng.integers(20))
            mean = own[system, document] + lenient[rater] + hard[document]
            rows += [(system, document, 3 * document + place, rater, 0, mean + rng.normal(0, 6)) for place in range(3)]
    columns = np.array(rows)
    system, document, item, rater, domain = columns[:, :5].astype(np.int64).T
    return Ratings(system, document, item, rater, domain, columns[:, 5])


def test_components_are_those_of_the_simulation() -> None:
    rng = np.random.default_rng(5)
    found = [components_of(simulated(rng)) for _ in range(60)]
    different = np.mean([one.different for one in found])
    assert different == pytest.approx(0.95, abs=0.01)
    # 2·3² + 2·5²·0.95, 2·6² and 5²; standard errors are about 2, 0.5 and 1.1.
    assert np.mean([one.document for one in found]) == pytest.approx(65.5, abs=7)
    assert np.mean([one.segment for one in found]) == pytest.approx(72, abs=2)
    assert np.mean([one.leniency for one in found]) == pytest.approx(25, abs=4)


def test_without_leniency_ratings_help_little() -> None:
    rng = np.random.default_rng(6)
    found = components_of(simulated(rng, leniency=0.0))
    assert found.variance(40, 3) > 0.8 * found.variance(40, 1)
    assert found.variance(80, 1) == pytest.approx(found.variance(40, 1) / 2)


def test_the_standard_error_is_that_of_the_ranking(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    plan = outscore.plan_human(path, documents=[24], ratings=[1])
    intervals = [pair.interval for pair in outscore.rank(path).pairs]
    halves = [(interval.high - interval.low) / 2 / 2.08 for interval in intervals]
    assert plan.rows[0].se == pytest.approx(np.sqrt(np.mean(np.square(halves))), rel=0.15)


def test_the_documents_needed_detect_the_gain(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    plan = outscore.plan_human(path, gain=3.0, power="90%", comparisons=3)
    for ratings, needed in plan.needed.items():
        enough, fewer = outscore.plan_human(
            path, documents=[needed, needed - 1], ratings=[ratings], power=0.9, comparisons=3
        ).rows
        assert enough.gain <= 3 < fewer.gain
    assert [*plan.needed] == [1, 2, 3]
    assert plan.needed[1] >= plan.needed[3]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    with pytest.raises(SystemExit) as done:
        main(["plan", "human", str(path), "--gain", "3", "--ratings", "1,2", "--format", "json"])
    assert not done.value.code
    written = json.loads(capsys.readouterr().out)
    assert written["schema"] == "outscore/plan-human/1"
    assert {row["ratings"] for row in written["rows"]} == {1, 2}
    with pytest.raises(SystemExit):
        main(["plan", "human", str(path), "--documents", "100,200"])
    assert "100 documents with one rating of each detect a gain of" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "wrong", [{"gain": -1}, {"power": 1.5}, {"ratings": [0]}, {"comparisons": 0}, {"clusters": "x"}]
)
def test_what_is_wrong_is_refused(wrong: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    with pytest.raises(outscore.OutscoreError):
        outscore.plan_human(path, **wrong)  # type: ignore[arg-type]


def test_a_table_without_documents_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,item,score\na,1,3\nb,1,4\na,2,3\nb,2,5\n", encoding="utf-8")
    with pytest.raises(OptionError, match="no column of documents"):
        outscore.plan_human(path)
