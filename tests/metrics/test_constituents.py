"""Brackets against the raw output of EVALB, sentence by sentence, and its rules one by one."""

from __future__ import annotations

import csv
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.errors import DataError
from tests.kit import BracketedTree, Corpus, item_format, output_metrics

BracketF1, BracketPrecision, BracketRecall = output_metrics("bracket-f1 bracket-precision bracket-recall")

DATA = "const-greynir-is"
Data: TypeAlias = Callable[[str], Path]
METRICS = [BracketF1, BracketPrecision, BracketRecall]
PLAIN: dict[str, Any] = {
    "delete_label": "S0",
    "eq_label": "",
}  # the rules that EVALB's output in the data was made with


@cache
def read(path: Path) -> Corpus[BracketedTree]:
    return item_format("brackets").parse(path.read_text("utf-8"), path.name)


def tree(text: str) -> BracketedTree:
    return item_format("brackets").parse(text, "tree").items[0]  # type: ignore[no-any-return]


def counts(system: str, gold: str, **options: Any) -> list[float]:
    row: list[float] = BracketF1(**options).rows([tree(system)], [tree(gold)])[0].tolist()
    return row


def test_every_system_and_sentence_is_as_evalb_counts_it(data: Data) -> None:
    folder = data(DATA)
    gold = read(folder / "gold.mrg")
    with (folder / "systems.tsv").open(encoding="utf-8") as table:
        systems = list(csv.DictReader(table, delimiter="\t"))
    assert len(systems) == 12
    for row in systems:
        parses = read(folder / "systems" / f"{row['system']}.mrg")
        printed = (folder / "evalb" / f"{row['system']}.txt").read_text("utf-8").split("\n")
        sentences = [line.split() for line in printed]
        sentences = [cells for cells in sentences if len(cells) == 12 and cells[0].isdigit()]
        assert len(sentences) == 500
        rows = BracketF1(**PLAIN).rows(parses.items, gold.items)
        assert rows.tolist() == [[int(cells[5]), int(cells[7]), int(cells[6])] for cells in sentences]
        totals = rows.sum(axis=0)
        assert totals.tolist() == [int(row[name]) for name in ("matched", "test_brackets", "gold_brackets")]
        assert f"{100 * float(BracketF1(**PLAIN).score(totals)):.4f}" == row["F1_here_pct"]
        for metric, name in zip(METRICS, ("f1", "precision", "recall"), strict=True):
            assert f"{100 * float(metric(**PLAIN).score(totals)):.2f}" == row[f"evalb_{name}"]
            printed_scores = [round(100 * float(x), 2) for x in metric(**PLAIN).item_scores(rows)]
            if name != "f1":
                column = {"recall": 3, "precision": 4}[name]
                assert printed_scores == pytest.approx([float(cells[column]) for cells in sentences], abs=0.0051)


GOLD = "(TOP (S (NP-SBJ (D the) (N cat)) (VP (V sleeps) (ADVP (R well))) (. .)))"


@pytest.mark.parametrize(
    ("system", "options", "expected"),
    [
        (GOLD, {}, [4, 4, 4]),
        (GOLD, {"delete_label": "", "eq_label": ""}, [5, 5, 5]),
        # The tail of a label does not count, whichever sign begins it.
        ("(S (NP=2 (D the) (N cat)) (VP-X (V sleeps) (ADVP (R well))) (. .))", {}, [4, 4, 4]),
        # PRT is ADVP, unless nothing says so.
        ("(S (NP (D the) (N cat)) (VP (V sleeps) (PRT (R well))) (. .))", {}, [4, 4, 4]),
        ("(S (NP (D the) (N cat)) (VP (V sleeps) (PRT (R well))) (. .))", {"eq_label": ""}, [3, 4, 4]),
        # Punctuation is no word, wherever it hangs and whatever it is.
        ("(S (NP (D the) (N cat)) (VP (V sleeps) (ADVP (R well)) (: ;)))", {}, [4, 4, 4]),
        # A bracket over deleted words alone is none.
        ("(S (NP (D the) (N cat)) (VP (V sleeps) (ADVP (R well))) (X (. .)))", {}, [4, 4, 4]),
        # An empty outer label counts, as in EVALB.
        ("( (S (NP (D the) (N cat)) (VP (V sleeps) (ADVP (R well))) (. .)))", {}, [4, 5, 4]),
        # Labels.
        ("(S (X (D the) (N cat)) (VP (V sleeps) (ADVP (R well))))", {}, [3, 4, 4]),
        ("(S (X (D the) (N cat)) (VP (V sleeps) (ADVP (R well))))", {"labelled": False}, [4, 4, 4]),
        # A bracket is matched as often as it stands in the gold tree.
        ("(S (S (NP (NP (D the) (N cat))) (VP (V sleeps) (ADVP (R well)))))", {}, [4, 6, 4]),
        # No parse, fewer words, other words: left out.
        ("(())", {}, [0, 0, 0]),
        ("(())", {"skip": False}, [0, 0, 4]),
        ("(S (NP (D the) (N cat)))", {}, [0, 0, 0]),
        ("(S (NP (D the) (N dog)) (VP (V sleeps) (R well)))", {}, [0, 0, 0]),
        ("(S (NP (D the) (N dog)) (VP (V sleeps) (R well)))", {"skip": False}, [0, 0, 4]),
    ],
)
def test_rules_of_evalb(system: str, options: dict[str, Any], expected: list[int]) -> None:
    assert counts(system, GOLD, **options) == expected


def test_too_many_other_words_are_an_error() -> None:
    gold = [tree("(S (N a) (N b))")] * 3
    systems = [tree("(S (N a) (N c))"), tree("(())"), tree("(S (N a))")]
    assert BracketF1(max_error=2).rows(systems, gold).sum() == 0
    with pytest.raises(DataError) as caught:
        BracketF1(max_error=1).rows(systems, gold)
    first, second = str(caught.value).split("\n")
    assert first.startswith('[0]: expected "b" as word 2, as in the gold tree, got "c". ')
    assert second.startswith("[2]: expected a tree over 2 words as in the gold tree, got 1. ")
    assert second.endswith(" [different-words]")


def test_a_missing_parse_is_a_response() -> None:
    metric, gold = BracketF1(), tree(GOLD)
    assert metric.responses(tree("(())"), gold) == {"no parse": (0, 0, -4)}
    assert metric.responses(gold, gold)["S", 0, 4, 0] == (True, 1, 0)


def in_brackets(label: str, children: list[str]) -> str:
    return f"({label} {' '.join(children)})"


labels = st.sampled_from(["S", "NP", "NP-SBJ", "ADVP", "PRT", "TOP", ""])
leaves = st.sampled_from(["(N a)", "(. .)", "(V b)"])
texts = st.recursive(leaves, lambda inner: st.builds(in_brackets, labels, st.lists(inner, min_size=1, max_size=3)))
trees = st.lists(texts, min_size=1, max_size=3).map(lambda inner: tree(in_brackets("S", inner)))


@given(st.lists(st.tuples(trees, trees), min_size=1, max_size=5), st.booleans(), st.booleans())
def test_rows_are_counts_that_add_up(
    pairs: list[tuple[BracketedTree, BracketedTree]], labelled: bool, skip: bool
) -> None:
    systems, golds = zip(*pairs, strict=True)
    for metric in (kind(labelled=labelled, skip=skip) for kind in METRICS):
        rows = metric.rows(systems, golds)
        assert rows.shape == (len(pairs), 3)
        assert (rows >= 0).all()
        assert (rows[:, 0] <= rows[:, 1:].min(axis=1)).all()
        for row, system, gold in zip(rows, systems, golds, strict=True):
            assert row.tolist() == metric.rows([system], [gold])[0].tolist()
            shared = (0, 0, metric._brackets(gold).total())
            summed = np.array([shared, *metric.responses(system, gold).values()]).sum(axis=0)
            assert row.tolist() == summed.tolist()
        assert metric.score(np.stack([rows, rows])).tolist() == [metric.score(rows).tolist()] * 2
        perfect = metric.rows(golds, golds)
        assert (perfect == perfect[:, :1]).all()


@pytest.mark.parametrize("kind", METRICS)
def test_empty_totals_and_pickles(kind: Any) -> None:
    metric = kind(delete_label="X")
    assert metric.score(np.zeros(3)) == 0
    assert metric.score(np.zeros((2, 3))).tolist() == [0, 0]
    nothing = BracketedTree((), (), ())
    assert metric.rows([nothing], [nothing]).tolist() == [[0, 0, 0]]
    assert pickle.loads(pickle.dumps(metric)) == metric
