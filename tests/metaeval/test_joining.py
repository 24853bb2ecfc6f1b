"""What identifies items, documents and metrics in files and arrays, and that nothing is left out without a note."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.errors import DataError, OptionError
from tests.metaeval.kit import MetaReading, read_judgements

meta: Callable[..., object] = outscore.meta  # of any arguments
DOCUMENTS, SEGMENTS, SYSTEMS = 8, 5, 3
Row = dict[str, object]


def rows(seed: int = 0, **fixed: object) -> list[Row]:
    """Return a row per segment and system, with segments numbered within documents."""
    rng = np.random.default_rng(seed)
    return [
        {
            "system": f"s{system}",
            "doc": f"d{document}",
            "segment_id": segment,
            "human": int(rng.integers(0, 5)),
            "m": round(float(rng.normal()), 3),
            **fixed,
        }
        for system in range(SYSTEMS)
        for document in range(DOCUMENTS)
        for segment in range(SEGMENTS)
    ]


def table(path: Path, of: Sequence[Mapping[str, object]], columns: str | None = None) -> Path:
    names = columns.split() if columns else list(of[0])
    path.write_text("\n".join([",".join(names), *(",".join(str(row[name]) for name in names) for row in of)]) + "\n")
    return path


def read(*specs: object, **options: Any) -> list[Any]:
    return read_judgements(list(map(str, specs)), MetaReading(**options))


@pytest.mark.parametrize("clusters", [None, "none", "genre"])
def test_clusters_do_not_change_which_items_there_are(tmp_path: Path, clusters: str | None) -> None:
    own = [{**row, "genre": f"g{str(row['doc'])[1:]}"} for row in rows()]
    path = table(tmp_path / "t.csv", own)
    (data,) = read(f"{path}:human", f"{path}:m", documents=clusters)
    assert len(data.items) == DOCUMENTS * SEGMENTS
    assert (data.documents is None) == (clusters == "none")


def test_ratings_of_several_raters_have_their_mean(tmp_path: Path) -> None:
    several = [{**row, "item": f"{row['doc']}.{row['segment_id']}", "rater": f"r{k}"} for row in rows() for k in (0, 1)]
    path = table(tmp_path / "t.csv", several, "system item rater human m")
    (data,) = read(f"{path}:human", f"{path}:m")
    assert len(data.items) == DOCUMENTS * SEGMENTS
    assert "240 outputs with several scores have their mean." in data.notes  # 120 by people, 120 by m
    with pytest.raises(DataError, match=r'is in "r0" and in "r1"'):
        read(f"{path}:human", f"{path}:m", documents="rater")


def test_columns_with_the_same_name_keep_both_metrics(tmp_path: Path) -> None:
    own = [{**row, "score": row["m"]} for row in rows()]
    human = table(tmp_path / "hum.csv", own, "system doc segment_id human")
    one, other = (table(tmp_path / f"{name}.csv", own, "system doc segment_id score") for name in ("one", "other"))
    (data,) = read(human, one, other)
    assert list(data.metrics) == ["one", "other"]
    with pytest.raises(DataError, match="two metrics are called"):
        read(f"{human}:human", one, one)
    scores = np.arange(6.0).reshape(3, 2)
    with pytest.raises(DataError, match="two metrics are called"):
        outscore.meta(scores, {"x": scores}, {"x": scores})


def test_metrics_may_score_more_than_people_rated(tmp_path: Path) -> None:
    own = rows()
    human = table(tmp_path / "hum.csv", [row for row in own if row["segment_id"] != 4], "system doc segment_id human")
    metric = table(tmp_path / "m.csv", own, "system doc segment_id m")
    result = outscore.meta(human, metric)
    assert (result.unit, result.n_units, result.tasks[0].n_segments) == ("document", DOCUMENTS, DOCUMENTS * 4)
    assert result.tasks[0].n_documents == DOCUMENTS


def test_documents_may_be_in_the_metric_table_only(tmp_path: Path) -> None:
    own = [{**row, "item": f"{row['doc']}.{row['segment_id']}"} for row in rows()]
    human = table(tmp_path / "hum.csv", own, "system item human")
    metric = table(tmp_path / "m.csv", own, "system item doc m")
    assert outscore.meta(human, metric).unit == "document"
    other = [{**row, "doc": "d9"} for row in own]
    with pytest.raises(DataError, match=r"item .* is in"):
        outscore.meta(table(tmp_path / "hum.csv", other, "system item doc human"), metric)


def test_an_item_without_a_document_is_an_error(tmp_path: Path) -> None:
    own = [{**row, "item": f"{row['doc']}.{row['segment_id']}"} for row in rows()]
    gaps = [{**row, "doc": "" if row["item"] == "d2.3" else row["doc"]} for row in own]
    path = table(tmp_path / "t.csv", gaps, "system item doc human m")
    with pytest.raises(DataError, match=r'item "d2.3" has no document\. .*none'):
        outscore.meta(f"{path}:human", f"{path}:m")
    assert outscore.meta(f"{path}:human", f"{path}:m", clusters="none").unit == "segment"


def test_ids_that_repeat_need_documents_in_all_tables(tmp_path: Path) -> None:
    human = table(tmp_path / "hum.csv", rows(), "system doc segment_id human")
    metric = table(tmp_path / "m.csv", rows(), "system segment_id m")
    with pytest.raises(DataError, match="expected a column of documents"):
        read(human, metric)


def test_wide_tables_have_documents_and_test_sets(tmp_path: Path) -> None:
    lines = [
        {"lp": lp, "document": f"d{i // 3}", "item": i, "A": i % 4, "B": (i * i) % 5} for lp in "xy" for i in range(9)
    ]
    files = [table(tmp_path / f"{name}.csv", lines) for name in ("human", "m")]
    data = read(*files, test_sets="lp")
    assert [one.name for one in data] == ["x", "y"]
    assert all(one.systems == ("A", "B") and one.documents is not None and len(set(one.documents)) == 3 for one in data)
    with pytest.raises(DataError, match="has several rows"):
        read(*files)


def mt(root: Path, pair: str, n: int = 6, **kinds: str) -> Path:
    """Write human and metric scores of three systems in the layout of mt-metrics-eval."""
    rng = np.random.default_rng(0)
    for name, kind in {"mqm": f"human-scores/{pair}.mqm", **kinds}.items():
        path = root / f"{kind or f'metric-scores/{pair}/{name}-src'}.seg.score"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{system}\t{rng.integers(5)}\n" for system in "ABC" for _ in range(n)))
    return root / f"human-scores/{pair}.mqm.seg.score"


def test_language_pairs_with_regions(tmp_path: Path) -> None:
    human = mt(tmp_path, "en-cs_CZ", m="")
    docs = tmp_path / "documents/en-cs_CZ.docs"
    docs.parent.mkdir()
    docs.write_text("news d1\n" * 3 + "news d2\n" * 3)
    (data,) = read(human, tmp_path / "metric-scores/en-cs_CZ")
    assert (data.name, data.documents) == ("en-cs_CZ", ("news d1",) * 3 + ("news d2",) * 3)
    docs.write_text("news d1\n" * 5)
    with pytest.raises(DataError, match=r"one document per segment \(6\), got 5\. .*none"):
        read(human, tmp_path / "metric-scores/en-cs_CZ")


def test_clusters_of_segment_scores_may_be_named(tmp_path: Path) -> None:
    human = mt(tmp_path, "en-de", m="")
    (tmp_path / "genres.txt").write_text("a\na\na\nb\nb\nb\n")
    (data,) = read(human, tmp_path / "metric-scores/en-de", documents=str(tmp_path / "genres.txt"))
    assert data.documents == ("a",) * 3 + ("b",) * 3
    for option in ("test_sets", "id_column"):
        with pytest.raises(OptionError, match="applies only to tables"):
            read(human, tmp_path / "metric-scores/en-de", **{option: "x"})
    with pytest.raises(DataError, match="neither a column of the scores nor a file"):
        read(human, tmp_path / "metric-scores/en-de", documents="nothing")


@pytest.mark.parametrize("score", ["inf", "nan", "1_0", "x"])
def test_segment_scores_are_finite_numbers(tmp_path: Path, score: str) -> None:
    human = mt(tmp_path, "en-de", m="")
    path = tmp_path / "metric-scores/en-de/m-src.seg.score"
    path.write_text(path.read_text().replace("B\t", f"B\t{score}\nB\t", 1))
    with pytest.raises(DataError, match=r"m-src.seg.score:7: expected a system and a score"):
        read(human, path)


def test_system_scores_of_none_are_absent(tmp_path: Path) -> None:
    human = mt(tmp_path, "en-de", m="")
    (tmp_path / "metric-scores/en-de/m-src.sys.score").write_text("A 9\nB None\nC 3\n")
    (data,) = read(human, tmp_path / "metric-scores/en-de")
    assert not data.system_scores


def test_messages_of_segment_scores(tmp_path: Path) -> None:
    human = mt(tmp_path, "en-de", m="", other="human-scores/en-de.da")
    with pytest.raises(OptionError, match="got two of"):
        read(human, tmp_path / "human-scores/en-de.da.seg.score", tmp_path / "metric-scores/en-de")
    with pytest.raises(OptionError, match="got a folder"):
        read(tmp_path / "human-scores", tmp_path / "metric-scores/en-de")
    assert list(read(human, tmp_path / "metric-scores/en-de/m-src.seg.score")[0].metrics) == ["m[noref]"]
    (same,) = read(human.rename(tmp_path / "x.seg.score"), tmp_path / "x.seg.score")
    assert list(same.metrics) == ["x"]
    with pytest.raises(OptionError, match=r"SCORES: expected human scores and at least one metric"):
        read(tmp_path / "x.seg.score")


def wmt(path: Path, lines: Sequence[Row]) -> Path:
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


def segments(pair: str, *, with_ids: bool) -> list[Row]:
    rng = np.random.default_rng(1)
    return [
        {
            "doc_id": f"{pair}_#_news_#_{document}",
            **({"item_id": segment} if with_ids else {}),
            "scores": {s: {"human": int(rng.integers(5)), "m": float(rng.normal())} for s in "ABC"},
        }
        for document in range(3)
        for segment in range(4)
    ]


@pytest.mark.parametrize("with_ids", [True, False])
def test_json_lines_have_documents_and_language_pairs(tmp_path: Path, with_ids: bool) -> None:
    lines = [*segments("en-cs_CZ", with_ids=with_ids), *segments("en-de_DE", with_ids=with_ids)]
    path = wmt(tmp_path / "wmt.jsonl", lines)
    data = read(f"{path}:human", f"{path}:m")
    assert [(one.name, len(one.items)) for one in data] == [("en-cs_CZ", 12), ("en-de_DE", 12)]
    assert [one.documents and len(set(one.documents)) for one in data] == [3, 3]
    with pytest.raises(OptionError, match="JSON Lines"):
        read(f"{path}:human", f"{path}:m", id_column="item_id")
    with pytest.raises(DataError, match=r'column "other" not found'):
        read(f"{path}:human", f"{path}:other")
    with pytest.raises(DataError, match="expected scores as"):
        read(f"{wmt(path, [{'scores': {}, 'doc_id': 'x'}])}:human")


def test_columns_are_found_as_elsewhere(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", rows())
    assert list(read(f"{path}:HUMAN")[0].metrics) == ["m"]
    plain = table(tmp_path / "plain.csv", [{"item": i, "human": i % 3, "m": i} for i in range(6)])
    (data,) = read(f"{plain}:human")
    assert (list(data.metrics), data.systems) == (["m"], ("",))
    with pytest.raises(DataError, match="expected one column of human scores"):
        read(path, path)


def test_cells_that_are_not_numbers_are_errors(tmp_path: Path) -> None:
    own = rows()
    own[7]["m"], own[8]["m"] = "", "n/a"
    path = table(tmp_path / "t.csv", own)
    assert np.isnan(read(f"{path}:human", f"{path}:m")[0].metrics["m"]).sum() == 2
    own[9]["m"] = "0;5"
    with pytest.raises(DataError, match=r't.csv:11: field "m": expected a number, got "0;5"'):
        read(f"{table(path, own)}:human", f"{path}:m")


def test_systems_and_test_sets_that_are_left_out_are_named(tmp_path: Path) -> None:
    own = rows()
    human = table(tmp_path / "hum.csv", [row for row in own if row["system"] != "s1"], "system doc segment_id human")
    metric = table(tmp_path / "m.csv", own, "system doc segment_id m")
    (data,) = read(human, metric)
    columns = 'Columns: human "human", item "segment_id", system "system", document "doc".'
    assert data.notes == (columns, 'Left out, because people rated none of their outputs: "s1".')
    (data,) = read(
        table(human, own, "system doc segment_id human"), table(metric, own[:-40], "system doc segment_id m")
    )
    assert data.notes == (columns, 'Left out, because not all metrics score them: "s2".')
    sets = [*rows(lp="x"), *({**row, "human": ""} for row in rows(lp="y"))]
    path = table(tmp_path / "sets.csv", sets)
    (data,) = read(f"{path}:human", f"{path}:m", test_sets="lp")
    assert data.notes == (columns, 'Left out, because people rated nothing of them: "y".')


def test_a_system_of_nan_is_absent() -> None:
    rng = np.random.default_rng(0)
    human, scores = rng.integers(0, 5, (20, 4)).astype(float), rng.normal(size=(20, 4))
    lacking = scores.copy()
    lacking[:, 2] = np.nan
    for systems in ("fixed", "sampled"):
        result = outscore.meta(
            human, {"a": scores, "b": lacking}, statistic="pearson-system", systems=systems, n_resamples=200
        )
        assert result.tasks[0].n_systems == 3
        assert any('"system 3"' in note for note in result.notes)


def test_data_frames_are_matched_by_their_labels() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    human = pandas.DataFrame(rng.integers(0, 5, (30, 3)), columns=list("ABC"), index=[f"i{k}" for k in range(30)])
    scores = human + rng.normal(size=(30, 3))
    expected = outscore.meta(human, {"m": scores})["m"].score
    assert outscore.meta(human, {"m": scores[list("CAB")].sample(frac=1, random_state=1)})["m"].score == expected
    assert outscore.meta(human, {"m": scores.to_numpy()})["m"].score == expected
    assert outscore.meta(human, {"m": scores}, clusters="None")["m"].score == expected
    with pytest.raises(OptionError, match="got other labels"):
        outscore.meta(human, {"m": scores.rename(columns={"A": "X"})})


def _other(value: object) -> Any:
    """Return a value of a type that the function does not accept."""
    return value


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda h: meta("f.csv:human", h), "expected files"),
        (lambda h: meta(h, {"m": h}, clusters=5), "clusters: expected a list of values, got 5"),
        (lambda h: meta(h, {"m": h}, clusters="doc"), "one cluster per item"),
        (lambda h: meta(h, {"m": h}, test_sets="lp"), "applies only to tables"),
        (lambda h: meta(h, {"m": h / 0}), "finite"),
        (lambda h: meta(h, {"m": h}, tests=[]), "expected a test"),
        (lambda h: meta(h, {"m": h}, statistic=5), "statistic: expected a list of strings, got 5"),
        (lambda h: meta(h, {"m": h}, weights={"acc-t": "x"}), "weights"),
        (lambda h: meta(h, {"m": h}, statistic="spa", weights={"spa": 0}), "not all of them 0"),
        (lambda h: meta("f.csv:human", "f.csv:m", clusters=[1]), "FILE:COLUMN"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_wrong_arguments(call: Callable[[Any], object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call(np.arange(1.0, 13.0).reshape(6, 2))


def test_labels_are_numbers_if_all_are(tmp_path: Path) -> None:
    of = {"1": "1.0", "0": "0.0", "2": "2"}
    path = table(tmp_path / "t.csv", [{"item": i, "human": h, "m": of[h]} for i, h in enumerate("012012")])
    assert outscore.meta(f"{path}:human", f"{path}:m", statistic="agreement")["m"].score == 1
    twice = [{"item": "x", "human": label, "m": "yes"} for label in ("yes", "no")]
    with pytest.raises(DataError, match="several labels"):
        outscore.meta(f"{table(path, twice)}:human", f"{path}:m", statistic="agreement")
