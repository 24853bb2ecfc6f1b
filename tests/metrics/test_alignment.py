"""Metrics of word alignments against the published figures of 13 systems on the Canadian Hansards."""

from __future__ import annotations

import csv
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.errors import OptionError
from tests.kit import Alignment, GoldAlignment, item_format, output_metrics
from tests.readers.kit import check_links

Aer, AlignmentPrecision, AlignmentRecall, AlignmentF1 = output_metrics(
    "aer alignment-precision alignment-recall alignment-f1"
)
LINKS = ("both", "sure", "possible")
METRICS: list[Any] = [
    Aer(),
    *(kind(links) for kind in (AlignmentPrecision, AlignmentRecall, AlignmentF1) for links in LINKS),
]
NONE = frozenset[tuple[int, int]]()

links = st.frozensets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)
pairs = st.lists(st.tuples(st.builds(Alignment, links), st.builds(GoldAlignment, links, links)), max_size=6)


def test_the_published_figures_of_all_systems(data: Callable[[str], Path]) -> None:
    folder = data("align-hansards-en-fr")
    gold = item_format("pharaoh-gold").parse((folder / "gold.pharaoh.txt").read_text("utf-8"), "gold.pharaoh.txt")
    same = item_format("naacl-gold").parse((folder / "gold.naacl.txt").read_text("utf-8"), "gold.naacl.txt")
    assert gold.items == same.items
    english, french = (
        (folder / name).read_text("utf-8").removesuffix("\n").split("\n") for name in ("source.en.txt", "target.fr.txt")
    )
    check_links(gold, english, french)
    with (folder / "systems.tsv").open(encoding="utf-8", newline="") as table:
        systems = list(csv.DictReader(table, delimiter="\t"))
    assert len(systems) == 13
    for system in systems:
        name = f"{system['system']}.txt"
        corpus = item_format("pharaoh").parse((folder / "systems" / name).read_text("utf-8"), name)
        check_links(corpus, english, french)
        totals = Aer().rows(corpus.items, gold.items).sum(axis=0)
        counts = ("hyp_links", "hyp_and_sure", "hyp_and_possible", "sure_links")
        assert totals.tolist() == [*(int(system[count]) for count in counts), 4038 + 13400]
        a, a_s, a_p, s, _ = totals.tolist()
        assert float(Aer().score(totals)) == pytest.approx(1 - (a_s + a_p) / (a + s), abs=1e-12)
        assert f"{float(Aer().score(totals)):.6f}" == system["AER_here"]
        published = {
            "published_AER_pct": Aer(),
            "published_P_pct": AlignmentPrecision(),
            "published_R_pct": AlignmentRecall(),
        }
        for column, metric in published.items():
            # One of the 36 printed figures, 92.3, does not follow from its own counts: 4527 / 4899 = 92.41 %.
            if system[column] and (system["system"], column) != ("fast_align.intersection", "published_P_pct"):
                assert f"{100 * float(metric.score(totals)):.1f}" == system[column], (name, column)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@given(pairs)
def test_rows_are_what_their_responses_add_up_to(metric: Any, given: list[tuple[Alignment, GoldAlignment]]) -> None:
    outputs, references = [a for a, _ in given], [g for _, g in given]
    rows = metric.rows(outputs, references)
    assert rows.shape == (len(given), 5)
    shared = metric.rows([Alignment(frozenset())] * len(references), references)
    for row, start, output, gold in zip(rows, shared, outputs, references, strict=True):
        assert row.tolist() == np.sum([start, *metric.responses(output, gold).values()], axis=0).tolist()
    assert np.array_equal(rows[::-1], metric.rows(outputs[::-1], references[::-1]))  # each item on its own
    merged = Alignment(merge(a.links for a in outputs))
    gold = GoldAlignment(merge(g.sure for g in references), merge(g.possible for g in references))
    assert np.array_equal(metric.rows([merged], [gold])[0], rows.sum(axis=0))  # additivity
    stacked = np.stack([rows, 2 * rows])
    assert np.array_equal(metric.score(stacked)[0], [float(metric.score(row)) for row in rows])
    scores = metric.score(rows)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert pickle.loads(pickle.dumps(metric)) == metric


def merge(items: Iterable[frozenset[tuple[int, int]]]) -> frozenset[tuple[int, int]]:
    """Return the links of all items as those of one long sentence pair."""
    return frozenset((10 * n + i, j) for n, links in enumerate(items) for i, j in links)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_nothing_to_align_and_nothing_aligned_is_the_best_that_an_item_can_be(metric: Any) -> None:
    rows = metric.rows([Alignment(NONE)], [GoldAlignment(NONE)])
    assert float(metric.score(rows[0])) == 0
    assert metric.item_scores(rows).tolist() == [1.0 if metric.higher_is_better else 0.0]


@given(links, links)
def test_with_sure_links_alone_all_definitions_agree(
    a: frozenset[tuple[int, int]], s: frozenset[tuple[int, int]]
) -> None:
    totals = Aer().rows([Alignment(a)], [GoldAlignment(s)])[0]
    scores = [float(AlignmentF1(which).score(totals)) for which in LINKS]
    expected = 1 - float(Aer().score(totals)) if a or s else 0.0
    assert scores == pytest.approx([expected] * 3, abs=1e-12)


def test_the_shared_tasks_two_f_measures() -> None:
    totals = np.array([5489.0, 3698.0, 5242.0, 4038.0, 17438.0])
    assert float(AlignmentF1("sure").score(totals)) == pytest.approx(2 * 3698 / (5489 + 4038), abs=1e-12)
    assert float(AlignmentF1("possible").score(totals)) == pytest.approx(2 * 5242 / (5489 + 17438), abs=1e-12)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(OptionError, match=r'alignment-f1:links: .*Did you mean "sure"\? \[unknown-option\]'):
        AlignmentF1("shure")
