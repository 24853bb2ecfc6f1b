"""Tables with raters: z-scores, raters in columns, and raters that are nested in documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import outscore
from outscore.errors import OptionError
from tests.human import made


def ratings(*, nested: bool = False, seed: int = 3) -> pd.DataFrame:
    """Return ratings of two systems by raters who use the scale differently: each item by all, or by one."""
    rng = np.random.default_rng(seed)
    leniency, spread = rng.normal(0, 12, 6), rng.uniform(0.5, 2, 6)
    rows = []
    for system, quality in (("base", 60.0), ("new", 66.0)):
        for document in range(12):
            own = rng.normal(0, 4)
            raters = [rng.integers(6)] if nested else range(6)
            for item in range(3):
                for rater in raters:
                    score = quality + leniency[rater] + spread[rater] * (own + rng.normal(0, 5))
                    rows.append((system, f"d{document}.{item}", f"d{document}", f"r{rater}", float(score)))
    return pd.DataFrame(rows, columns=["system", "item", "document", "rater", "score"])


def z_scores(table: pd.DataFrame) -> pd.DataFrame:
    of_raters = table.groupby("rater")["score"]
    return table.assign(score=(table["score"] - of_raters.transform("mean")) / of_raters.transform("std"))


@pytest.mark.parametrize("raters", ["fixed", "sampled"])
def test_z_scores_are_those_of_pandas(raters: str) -> None:
    table = ratings()
    ours = outscore.rank(table, rater="rater", raters=raters, standardize="raters", clusters="document")
    theirs = outscore.rank(z_scores(table), rater="rater", raters=raters, clusters="document")
    assert [pair.gain for pair in ours.pairs] == pytest.approx([pair.gain for pair in theirs.pairs])
    assert [pair.p_value for pair in ours.pairs] == pytest.approx([pair.p_value for pair in theirs.pairs])
    assert ours.warnings[0].startswith("Scores are z-scores by rater")
    assert "not in points of the scale" in ours.warnings[0]


def test_z_scores_do_not_depend_on_the_scale_of_a_rater() -> None:
    table = ratings()
    other = table.assign(score=np.where(table["rater"] == "r2", 3 * table["score"] - 40, table["score"]))
    gains = [
        outscore.rank(of, rater="rater", raters="fixed", standardize="raters").pairs[0].gain for of in (table, other)
    ]
    assert gains[0] == pytest.approx(gains[1])


def test_z_scores_of_files_and_wide_tables(tmp_path: Path) -> None:
    long = ratings()
    wide = long.pivot_table(index=["item", "rater"], columns="system", values="score").reset_index()
    long.to_csv(tmp_path / "long.csv", index=False)
    wide.to_csv(tmp_path / "wide.csv", index=False)
    how: dict[str, Any] = {"rater": "rater", "raters": "sampled", "standardize": "raters"}
    first = outscore.rank(tmp_path / "long.csv", id_column="item", **how).pairs[0]
    second = outscore.rank(tmp_path / "wide.csv", **how).pairs[0]
    [third] = outscore.compare(f"{tmp_path}/wide.csv:base", f"{tmp_path}/wide.csv:new", **how).comparisons
    assert first.gain == pytest.approx(second.gain) == pytest.approx(third.gain)
    assert first.p_value == pytest.approx(second.p_value)


def test_z_scores_need_one_table_and_raters(tmp_path: Path) -> None:
    table = ratings()
    for system, own in table.groupby("system"):
        own.drop(columns="system").to_csv(tmp_path / f"{system}.csv", index=False)
    files = [tmp_path / "base.csv", tmp_path / "new.csv"]
    with pytest.raises(OptionError, match="expected one table of all systems"):
        outscore.compare(*files, rater="rater", raters="sampled", standardize="raters")
    with pytest.raises(OptionError, match="expected a column of raters"):
        outscore.rank(table.drop(columns="rater"), standardize="raters")


def test_a_rater_of_one_score_gives_0() -> None:
    table = ratings()
    table.loc[table["rater"] == "r1", "score"] = 70.0
    ranking = outscore.rank(table, rater="rater", raters="fixed", standardize="raters")
    assert ranking.warnings[0].endswith("1 rater gives all outputs the same score, so their z-scores are 0.")
    assert np.isfinite(ranking.pairs[0].gain)


def test_raters_in_columns_are_raters_in_rows(tmp_path: Path) -> None:
    long = ratings()
    wide = long.pivot_table(index=["system", "item", "document"], columns="rater", values="score").reset_index()
    wide.to_csv(tmp_path / "wide.csv", index=False)
    columns = "r0,r1,r2, r3,r4,r5"
    ours = outscore.rank(tmp_path / "wide.csv", rater=columns, raters="sampled", id_column="item")
    theirs = outscore.rank(long, rater="rater", raters="sampled", id_column="item")
    assert ours.pairs[0].p_value == pytest.approx(theirs.pairs[0].p_value)
    assert ours.over == "means over 6 raters"
    in_memory = outscore.rank(wide, rater=columns, raters="sampled", id_column="item")
    assert in_memory.pairs[0].p_value == ours.pairs[0].p_value


def test_nested_raters_need_clusters() -> None:
    table = ratings(nested=True)
    ranking = outscore.rank(table, rater="rater", raters="sampled", clusters="document")
    plain = outscore.rank(table.drop(columns="rater"), clusters="document")
    assert ranking.pairs[0].p_value == plain.pairs[0].p_value
    assert ranking.warnings[0].startswith("Each document of a system has one rater, so raters are nested in documents.")
    with pytest.raises(outscore.OutscoreError):
        outscore.rank(table, rater="rater", raters="sampled")


def test_nested_raters_of_wide_tables(tmp_path: Path) -> None:
    long = ratings()
    rater = {document: f"r{place % 6}" for place, document in enumerate(dict.fromkeys(long["document"]))}
    wide = long.pivot_table(index=["item", "document", "rater"], columns="system", values="score").reset_index()
    wide = wide[wide["rater"] == wide["document"].map(rater)]
    wide.to_csv(tmp_path / "wide.csv", index=False)
    systems = (f"{tmp_path}/wide.csv:base", f"{tmp_path}/wide.csv:new")
    ours = outscore.compare(*systems, rater="rater", raters="sampled", clusters="document")[0]
    plain = outscore.compare(*systems, clusters="document")[0]
    assert ours.tests == plain.tests
    assert ours.warnings[0].startswith("Each document of a system has one rater, so raters are nested in documents.")


def test_partly_crossed_raters_are_averaged() -> None:
    table = ratings()
    rng = np.random.default_rng(1)
    some = table[rng.random(len(table)) < 0.4]
    some = some[some.groupby(["item"])["system"].transform("nunique") == 2]
    both = some.groupby("item")["system"].transform("nunique") == 2
    ranking = outscore.rank(some[both], rater="rater", raters="sampled", clusters="document")
    assert ranking.warnings[0].startswith("Most of the 6 raters scored few of the items")
    means = some[both].groupby(["system", "item", "document"], as_index=False)["score"].mean()
    assert ranking.pairs[0].gain == pytest.approx(outscore.rank(means, clusters="document").pairs[0].gain)


def test_the_ratings_of_one_rater_of_a_format_are_averaged_first(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text + text.partition("\n")[0] + "\n", encoding="utf-8")
    assert "1 of 216 outputs have several ratings, which are averaged." in outscore.rank(path).warnings
