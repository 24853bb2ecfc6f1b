"""Tables with raters: z-scores, raters in columns, and raters that are nested in documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import outscore
from outscore.errors import DataError, OptionError
from tests.human import made


def ratings(design: str = "crossed", seed: int = 3, *, n_documents: int = 12) -> pd.DataFrame:
    """Return ratings of two systems by raters who use the scale differently.

    Designs: "crossed" (each item by all raters), "own" (a rater per document), "shared" (six raters share out the
    documents), "mixed" (one of six raters per document and system).
    """
    rng = np.random.default_rng(seed)
    leniency, spread = rng.normal(0, 12, n_documents), rng.uniform(0.5, 2, n_documents)
    prefers = rng.normal(0, 3, (2, n_documents))
    rows = []
    for place, (system, quality) in enumerate((("base", 60.0), ("new", 66.0))):
        for document in range(n_documents):
            own = rng.normal(0, 4)
            one = {"own": document, "shared": document % 6, "mixed": int(rng.integers(6))}
            of = range(6) if design == "crossed" else [one[design]]
            for item in range(3):
                for rater in of:
                    score = quality + leniency[rater] + prefers[place, rater] + spread[rater] * (own + rng.normal(0, 5))
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


@pytest.mark.parametrize("parted", [False, True])
def test_z_scores_of_systems_with_other_raters_are_warned_of(parted: bool) -> None:
    table = ratings("own")
    if parted:
        table["rater"] += table["system"]
    how: dict[str, Any] = {"rater": "rater", "raters": "sampled", "standardize": "raters", "clusters": "document"}
    ranking = outscore.rank(table, **how)
    said = "Some systems share no rater with others: z-scores remove the differences between them."
    assert any(said in warning for warning in ranking.warnings) is parted


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


@pytest.mark.parametrize(
    ("design", "unit", "said"),
    [
        ("own", "document", "Each rater scored one document, so new documents have new raters."),
        (
            "shared",
            "rater",
            'Each document has one rater, so all documents of a rater are one unit (clusters="rater").',
        ),
    ],
)
def test_clusters_carry_raters_who_are_nested(design: str, unit: str, said: str) -> None:
    table = ratings(design)
    ranking = outscore.rank(table, rater="rater", raters="sampled", clusters="document")
    plain = outscore.rank(table, clusters=unit, id_column="item")
    assert ranking.pairs[0].p_value == plain.pairs[0].p_value
    assert ranking.warnings[0] == said
    with pytest.raises(outscore.OutscoreError):
        outscore.rank(table, rater="rater", raters="sampled")


def test_no_claim_about_new_raters_who_scored_parts_of_several_documents() -> None:
    table = ratings("mixed")
    with pytest.raises(OptionError, match=r'^raters="sampled": expected raters who scored .*\[partly-crossed\]$'):
        outscore.rank(table, rater="rater", raters="sampled", clusters="document")
    assert outscore.rank(table.drop(columns="rater"), clusters="document").n_units == 12


def test_raters_of_wide_tables_are_clusters(tmp_path: Path) -> None:
    long = ratings()
    rater = {document: f"r{place % 6}" for place, document in enumerate(dict.fromkeys(long["document"]))}
    wide = long.pivot_table(index=["item", "document", "rater"], columns="system", values="score").reset_index()
    wide = wide[wide["rater"] == wide["document"].map(rater)]
    wide.to_csv(tmp_path / "wide.csv", index=False)
    systems = (f"{tmp_path}/wide.csv:base", f"{tmp_path}/wide.csv:new")
    ours = outscore.compare(*systems, rater="rater", raters="sampled", clusters="document")[0]
    plain = outscore.compare(*systems, clusters="rater", id_column="item")[0]
    assert ours.tests == plain.tests
    assert ours.warnings[0].startswith("Each document has one rater, so all documents of a rater are one unit")


def test_the_ratings_of_one_rater_of_a_format_are_averaged_first(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text + text.partition("\n")[0] + "\n", encoding="utf-8")
    assert "1 of 216 outputs have several ratings, which are averaged." in outscore.rank(path).warnings


@pytest.mark.slow
def test_raters_who_share_out_documents_are_the_units() -> None:
    """Raters prefer different systems. 400 nulls: by chance more than 8.5% with a probability of 0.003 at 5%."""
    rng = np.random.default_rng(11)
    rejected = 0
    for _ in range(400):
        prefers = rng.normal(0, 3, (20, 2))
        rows = [
            (system, f"d{k}:{i}", f"d{k}", f"r{k % 20}", 80 + prefers[k % 20, place] + rng.normal(0, 8))
            for k in range(60)
            for place, system in enumerate("AB")
            for i in range(3)
        ]
        table = pd.DataFrame(rows, columns=["system", "item", "document", "rater", "score"])
        ranking = outscore.rank(table, clusters="document", rater="rater", raters="sampled")
        rejected += ranking.pairs[0].p_value <= 0.05
    assert rejected <= 34


def test_a_rater_of_one_score_that_is_no_binary_fraction_gives_0() -> None:
    table = ratings()
    table.loc[table["rater"] == "r1", "score"] = 0.1
    ranking = outscore.rank(table, rater="rater", raters="fixed", standardize="raters")
    assert ranking.warnings[0].endswith("1 rater gives all outputs the same score, so their z-scores are 0.")


@pytest.mark.filterwarnings("error")
def test_a_rater_without_scores_is_skipped() -> None:
    table = ratings("own")
    table.loc[table["rater"] == "r1", "score"] = np.nan
    how: dict[str, Any] = {"rater": "rater", "raters": "sampled", "standardize": "raters", "clusters": "document"}
    ours = outscore.rank(table, drop_missing=True, **how)
    without = outscore.rank(table[table["rater"] != "r1"], **how)
    assert ours.pairs[0].gain == pytest.approx(without.pairs[0].gain)


def test_item_ids_that_start_again_in_each_document_are_an_error() -> None:
    table = ratings()
    table["item"] = table.groupby(["system", "document", "rater"]).cumcount().astype(str)
    for claim in ("fixed", "sampled"):
        with pytest.raises(DataError, match=r'item "0" has the label .* unique in the whole file\. \[two-labels\]'):
            outscore.rank(table, rater="rater", raters=claim, clusters="document")


def test_scores_of_fixed_raters_are_averaged_if_they_scored_all_systems_of_an_item() -> None:
    table = ratings()
    document, rater = table["document"].str[1:].astype(int), table["rater"].str[1:].astype(int)
    ring = table[(rater - document) % 6 < 2]  # two raters of each document
    how: dict[str, Any] = {"rater": "rater", "clusters": "document"}
    ranking = outscore.rank(ring, raters="fixed", **how)
    averaged = ring.groupby(["system", "document", "item"], as_index=False)["score"].mean()
    plain = outscore.rank(averaged, clusters="document")
    assert [pair.p_value for pair in ranking.pairs] == pytest.approx([pair.p_value for pair in plain.pairs])
    assert any("averaged over its raters" in warning for warning in ranking.warnings)
    with pytest.raises(OptionError, match=r'Pass raters="fixed": .*\[partly-crossed\]$'):
        outscore.rank(ring, raters="sampled", **how)
    with pytest.raises(OptionError, match=r"Average the scores .*\[partly-crossed\]$"):
        outscore.rank(ratings("mixed"), raters="fixed", **how)
