"""Plans of human evaluations: variance components of simulated pilots, and what they say of documents and ratings."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import outscore
from outscore.cli import main
from outscore.errors import DataError, OptionError
from outscore.wings.human.components import Ratings, components_of
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


@pytest.mark.parametrize("shared", [False, True])
def test_several_ratings_of_a_document_show_what_one_varies_by(shared: bool) -> None:
    """The planned variance for one, two and four ratings is that of the simulation, whatever the pilot has."""
    rng, found = np.random.default_rng(7), []
    for ratings in (2, 3):
        rows = []
        lenient = rng.normal(0, 6, 40)
        lenient *= 6 / lenient.std()
        for document in range(150):
            raters = rng.choice(40, (6, ratings), replace=True)
            for system in range(6):
                own = rng.normal(0, 3)
                for rater in rng.choice(40, ratings, replace=False) if not shared else np.unique(raters[0]):
                    rows += [
                        (system, document, 2 * document + place, rater, 0, own + lenient[rater] + rng.normal(0, 5))
                        for place in range(2)
                    ]
        system, document, item, rater, domain = np.array(rows)[:, :5].astype(np.int64).T
        components = components_of(Ratings(system, document, item, rater, domain, np.array(rows)[:, 5]))
        for planned in (1, 2, 4):
            between = 2 * 9 + 2 * (25 / 2 + (0 if shared else 36 * (1 - planned / 40))) / planned
            found.append(components.variance(100, planned) * 100 / between)
    assert found == pytest.approx([1] * 6, rel=0.15)


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
    ("argument", "value"),
    [
        ("gain", -1),
        ("power", 1.5),
        ("power", 0.01),
        ("ratings", [0]),
        ("comparisons", 0),
        ("clusters", "x"),
        ("task", "x"),
    ],
)
def test_what_is_wrong_is_refused(argument: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    with pytest.raises(outscore.OutscoreError):
        outscore.plan_human(path, **{argument: value})  # type: ignore[arg-type]


def test_a_table_without_documents_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,item,score\na,1,3\nb,1,4\na,2,3\nb,2,5\n", encoding="utf-8")
    with pytest.raises(OptionError, match="no column of documents"):
        outscore.plan_human(path)


def table(path: Path, score: str = "score", *, within: bool) -> Path:
    """Write the scores with ids of items that are unique, or that start anew in each document."""
    lines = [
        f"{system},{document}{'' if within else segment},{document},{segment if within else 0},{value}"
        for (system, _, document, segment), value in made.scores().items()
    ]
    header = "system,other,document,item" if within else "system,item,document,other"
    path.write_text("\n".join([f"{header},{score}", *lines]) + "\n", encoding="utf-8")
    return path


def test_ids_of_items_may_start_anew_in_each_document(tmp_path: Path) -> None:
    plans = [
        outscore.plan_human(table(tmp_path / "human.csv", within=within), clusters="document", strata=None)
        for within in (False, True)
    ]
    assert plans[0] == plans[1]
    assert "24 documents with 72 segments" in plans[0].basis


def test_a_pilot_of_several_tasks_needs_the_name_of_one(tmp_path: Path) -> None:
    path = tmp_path / "wmt.jsonl"
    made.wmt(path, ("en-cs_CZ", "en-ja_JP"))
    with pytest.raises(OptionError, match=r"expected one task, got 2.*\[several-tasks\]$"):
        outscore.plan_human(path)
    one = outscore.plan_human(path, task="en-ja_JP")
    made.wmt(path, ("en-ja_JP",))
    assert one == outscore.plan_human(path)


def test_what_was_left_out_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    assert any(note.startswith("Ratings left out: ") for note in outscore.plan_human(path).notes)
    scores = table(tmp_path / "human.csv", "esa", within=False)
    with pytest.raises(DataError, match=r'column "score" not found'):
        outscore.plan_human(scores)
    whole = outscore.plan_human(scores, score_column="esa")
    scores.write_text(scores.read_text() + "good,x,y,0,\n", encoding="utf-8")
    lacking = outscore.plan_human(scores, score_column="esa")
    assert lacking.rows == whole.rows
    assert "1 row without a score left out." in lacking.notes


def test_leniency_does_not_depend_on_the_order_of_a_large_pilot() -> None:
    ratings = simulated(np.random.default_rng(0), leniency=8.0, systems=40, documents=80)
    by_rater = np.argsort(ratings.raters, kind="stable")
    columns = ("systems", "documents", "items", "raters", "domains", "scores")
    ordered = components_of(replace(ratings, **{name: getattr(ratings, name)[by_rater] for name in columns}))
    assert ordered.leniency == pytest.approx(components_of(ratings).leniency, rel=0.15)
    assert ordered.leniency > 40, "drawn with a variance of 64"


def test_without_a_column_of_raters_each_document_of_a_system_has_its_own(tmp_path: Path) -> None:
    path = table(tmp_path / "human.csv", within=False)
    frame = pd.read_csv(path)
    frame["rater"] = frame["system"] + frame["document"]
    frame.to_csv(tmp_path / "raters.csv", index=False)
    plans = [outscore.plan_human(of) for of in (frame.drop(columns="rater"), frame)]
    assert plans[0] == plans[1]
    assert plans[0].components.raters == 0
    assert not any("ratings of each document by different raters" in note for note in plans[0].notes)


@pytest.mark.parametrize(
    ("cells", "slug", "n"), [(["nan", "inf"], "not-finite", 2), ([], "not-finite", 0), (None, "no-scores", 1)]
)
def test_scores_that_are_not_finite_or_lacking_are_refused(
    cells: list[str] | None, slug: str, n: int, tmp_path: Path
) -> None:
    path = table(tmp_path / "human.csv", within=False)
    frame = pd.read_csv(path, dtype=str)
    frame["score"] = [*cells, *frame["score"][len(cells) :]] if cells is not None else ""
    frame.to_csv(path, index=False)
    if not n:
        outscore.plan_human(path)
        return
    with pytest.raises(DataError) as caught:
        outscore.plan_human(path)
    assert [problem.slug for problem in caught.value.problems] == [slug] * n
