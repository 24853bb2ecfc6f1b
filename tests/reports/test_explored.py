"""The items behind results: which they are, in text, in a notebook and on a page."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import re
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.errors import DataError, OptionError
from outscore.exploring import Exploration
from outscore.results import ItemTable
from tests.reports.kit import items_known_to

EXAMPLES = Path(__file__).parents[2] / "examples"
RETRIEVAL, DESIGNS = EXAMPLES / "retrieval", EXAMPLES / "designs"
OLD, NEW = [1, 0, 0, 1, 0, 1], [1, 1, 0, 0, 1, 1]


def explored(html: str) -> list[tuple[str, str]]:
    """Return id and change of the items that HTML shows, in their order."""
    return re.findall(r'<tbody data-change="(\w+)"><tr><th scope="row">([^<]*)', html)


def compared(**options: Any) -> Any:
    return outscore.compare(OLD, NEW, metric="accuracy", names=["old", "new"], n_resamples=99, **options)


def test_items_are_shown_worst_first() -> None:
    exploration = outscore.explore(compared())
    html = exploration._repr_html_()
    assert explored(html) == [
        ("losses", "4"),
        ("ties", "1"),
        ("ties", "3"),
        ("ties", "6"),
        ("wins", "2"),
        ("wins", "5"),
    ]
    assert "accuracy: 2 wins, 1 loss, 3 ties on 6 items." in html
    lines = repr(exploration).splitlines()
    assert lines[0] == "new against old, accuracy: 2 wins, 1 loss, 3 ties on 6 items."
    assert lines[4].split() == ["4", "100", "0", "-100"]
    frame = exploration.to_dataframe(backend="polars")
    assert frame["difference"].to_list() == [0, 1, 0, -1, 1, 0]


def test_where_less_is_better_more_is_hurt() -> None:
    result = outscore.compare([1.0, 2.0, 3.0], [1.5, 1.0, 3.0], lower_is_better=True, n_resamples=99)
    assert [change for change, _ in explored(outscore.explore(result)._repr_html_())] == ["losses", "ties", "wins"]


def test_every_way_to_compare_knows_its_items() -> None:
    gold, old, new = ["a", "b", "c"] * 4, ["a", "b", "x"] * 4, ["a", "y", "c"] * 4
    several = outscore.compare(old, {"new": new, "newer": gold}, references=gold, metric=["accuracy"], n_resamples=99)
    views = outscore.explore(several).views
    assert [(view.baseline, view.candidate, view.metric.spec) for view in views] == [
        ("baseline", "new", "accuracy"),
        ("baseline", "newer", "accuracy"),
    ]
    for one in (several[0], several.comparisons[1]):
        assert outscore.explore(one, "newer").views[0].candidate == "newer"
    table = outscore.explore(several, "newer").views[0].table
    assert table.references is not None
    assert (table.references[1], table.baseline_outputs, table.candidate_outputs) == (["b"], old, gold)
    scores = outscore.read({"old": OLD, "new": NEW, "best": [1] * 6}, metric="accuracy")
    assert outscore.explore(scores).views[0].table.differences == [0, 1, 0, -1, 1, 0]
    against = outscore.compare([1, 0.5, 0] * 10, against=0.5, n_resamples=99)
    assert outscore.explore(against).views[0].table.differences == [0.5, 0, -0.5] * 10


def test_of_a_ranking_any_two_systems_are_shown_by_default_the_best() -> None:
    ranking = outscore.rank({"old": OLD, "new": NEW, "best": [1] * 6}, metric="accuracy", n_resamples=99)
    (view,) = outscore.explore(ranking).views
    assert (view.baseline, view.candidate) == ("new", "best")
    (view,) = outscore.explore(ranking, "best", "old").views
    assert view.table.differences == [0, -1, -1, 0, -1, 0]
    with pytest.raises(OptionError, match=r"expected two systems \(baseline and candidate\), got 1"):
        outscore.explore(ranking, "best")


def test_a_gate_shows_what_it_hurts() -> None:
    result = outscore.gate([1, 0] * 300, [1, 0] * 295 + [0, 0] * 5, metric="accuracy", margin=0.05)
    table = outscore.explore(result).views[0].table
    assert table.differences is not None
    assert [item for item, difference in zip(table.item_ids, table.differences, strict=True) if difference < 0] == [
        str(place) for place in range(591, 600, 2)
    ]


def test_a_gate_at_a_stored_baseline_shows_what_the_candidate_said(tmp_path: Path) -> None:
    logs, store = EXAMPLES / "logs" / "openai-evals", tmp_path / "store.json"
    outscore.gate_accept(logs / "careful.jsonl", store, metric="accuracy", commit="a")
    result = outscore.gate(store, logs / "hasty.jsonl", margin=0.1, commit="b")
    table = outscore.explore(result).views[0].table
    assert table.differences is not None
    assert sum(difference < 0 for difference in table.differences) == result.checks[0].hurt
    assert table.candidate_outputs is not None
    assert table.baseline_outputs is None


def test_test_sets_are_named_and_one_can_be_chosen() -> None:
    result = outscore.compare(DESIGNS / "subjects.csv", metric="accuracy", baseline="base", test_sets="subject")
    table = outscore.explore(result).views[0].table
    law = outscore.explore(result, test_set="law").views[0].table
    assert table.test_sets is not None
    assert len(law) == list(table.test_sets).count("law") == 200
    assert "<td>law</td>" in outscore.explore(result, test_set="law")._repr_html_()
    with pytest.raises(OptionError, match=r'unknown dataset "lax".*algebra'):
        outscore.explore(result, test_set="lax")


def test_logs_are_read_again_for_their_texts() -> None:
    logs = EXAMPLES / "logs" / "inspect"
    result = outscore.compare(logs / "adds-badly.eval", logs / "adds-well.eval", runs="samples", n_resamples=99)
    row = outscore.explore(result).records()[0]
    assert re.fullmatch(r"\d+ \+ \d+ = \?", str(row["source"]))
    assert row["reference"] == str(sum(map(int, re.findall(r"\d+", str(row["source"])))))
    assert str(row["candidate_output"]).isdigit()


def test_rankings_of_documents_show_the_first_ten_and_what_is_relevant() -> None:
    result = outscore.compare(
        RETRIEVAL / "bm25.run",
        RETRIEVAL / "hybrid.run",
        references=RETRIEVAL / "relevant.qrels",
        metric="ndcg@10",
        n_resamples=99,
    )
    row = next(row for row in outscore.explore(result).records() if row["item"] == "q01")
    assert len(str(row["candidate_output"]).split()) == 10
    assert str(row["reference"]).startswith("d0119 (2) ")


def test_words_that_differ_are_marked_and_texts_are_no_markup() -> None:
    gold, old, new = ["a b <i>c</i>"] * 2, ["a b <i>c</i>", "zzz"], ["a x <i>c</i>", "yyy"]
    result = outscore.compare(old, new, references=gold, metric="exact-match", n_resamples=99)
    html = outscore.explore(result)._repr_html_()
    assert '<span lang="" dir="auto">a <mark>x</mark> &lt;i&gt;c&lt;/i&gt;</span>' in html
    assert "<i>" not in html
    assert "<mark>zzz" not in html  # they have no word in common


def test_long_texts_are_cut_and_what_is_left_out_is_told() -> None:
    n = 400
    gold, old, new = ["a"] * n, ["a"] * n, ["word " * 100 if place % 2 else "a" for place in range(n)]
    exploration = outscore.explore(outscore.compare(old, new, references=gold, metric="exact-match", n_resamples=99))
    html = exploration._repr_html_()
    shown = len(explored(html))
    assert 10 <= shown < 200
    assert f"The {shown} items that changed most, of 400." in html
    assert {change for change, _ in explored(html)} == {"losses"}
    assert "… [199 more characters]" in html
    assert len(html.encode()) < 70_000
    assert len(explored(outscore.explore(compared(), most=1)._repr_html_())) == 6  # ten in any case
    assert exploration.to_html().count("word ") >= 100


def test_metrics_whose_items_have_no_score_show_them_in_their_order() -> None:
    rng = np.random.default_rng(7)
    gold, old, new = rng.normal(size=(3, 12)).tolist()
    result = outscore.compare(old, new, references=gold, metric="pearson", n_resamples=99)
    html = outscore.explore(result)._repr_html_()
    assert "12 items without scores per item." in html
    assert re.findall(r'<tbody><tr><th scope="row">(\d+)', html) == [str(place) for place in range(1, 13)]


def test_only_the_result_itself_knows_its_items() -> None:
    result = compared()
    copies: list[Callable[[], Any]] = [lambda: pickle.loads(pickle.dumps(result)), lambda: copy.deepcopy(result)]
    for copied in copies:
        assert copied() == result
        with pytest.raises(DataError, match=r"this result has no items\. .* \[no-items\]"):
            outscore.explore(copied())
    assert "items_known" not in result.to_json()
    assert json.loads(result.to_json()) == json.loads(pickle.loads(pickle.dumps(result)).to_json())
    unpaired = outscore.compare(OLD, NEW, unpaired=True)
    with pytest.raises(DataError, match="this result has no items"):
        outscore.explore(unpaired)


def test_items_go_when_their_results_go() -> None:
    result = compared()
    known = [weakref.ref(items_known_to(one)) for one in (result, result.comparisons[0])]
    del result
    gc.collect()
    assert [one() for one in known] == [None, None]


def test_what_is_not_there_is_refused() -> None:
    result = compared()
    for arguments, said in (
        ((("newest",), {}), 'unknown system "newest"'),
        (((), {"metric": "f1"}), 'unknown metric "f1"'),
        (((), {"most": 0}), "expected at least 1, got 0"),
        (((), {"test_set": "law"}), "There is only one dataset."),
    ):
        with pytest.raises(OptionError, match=said):
            outscore.explore(result, *arguments[0], **arguments[1])


def test_a_page_holds_all_items(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    old, new = rng.integers(0, 2, (2, 700))
    exploration = outscore.explore(outscore.compare(old, new, metric="accuracy", n_resamples=99))
    page = exploration.to_html(tmp_path / "items.html")
    assert (tmp_path / "items.html").read_text(encoding="utf-8") == page
    data = json.loads(re.findall(r'<script type="application/json" id="i0-data">(.*?)</script>', page)[0])
    assert len(data["places"]) == 700
    assert len(explored(exploration._repr_html_())) == 200


def test_several_comparisons_are_folded_and_share_the_room() -> None:
    rng = np.random.default_rng(6)
    old, *others = rng.integers(0, 2, (5, 300))
    names = {f"c{place}": of for place, of in enumerate(others)}
    html = outscore.explore(outscore.compare(old, names, metric="accuracy", n_resamples=99))._repr_html_()
    assert html.count("<details") == 8  # four comparisons, each with more items below
    assert len(explored(html)) == 200


def test_tables_have_one_entry_an_item() -> None:
    table = ItemTable(("a", "b", "c"), differences=[0.0, 1.0, -1.0], test_sets=["x", "y", "x"])
    assert table.on([2, 0]) == ItemTable(["c", "a"], differences=[-1.0, 0.0], test_sets=["x", "x"])
    with pytest.raises(ValueError, match="test_sets: expected one entry per item, 3, got 1"):
        ItemTable(("a", "b", "c"), test_sets=["x"])


def test_an_exploration_is_the_same_each_time() -> None:
    exploration = outscore.explore(compared())
    assert isinstance(exploration, Exploration)
    assert exploration._repr_html_() == outscore.explore(compared())._repr_html_()


def test_a_result_on_one_metric_has_no_other() -> None:
    rows = {f"q{item}": [1, 1, 1] for item in range(50)}
    results = outscore.compare({"old": rows, "new": {**rows, "q1": [0, 1, 1]}}, metric=["precision", "recall"])
    with pytest.raises(OptionError, match=r'this result has no metric "recall". Known: "precision"'):
        outscore.explore(results.results[0], metric="recall")
