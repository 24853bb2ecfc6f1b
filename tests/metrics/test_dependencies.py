"""Attachment scores against the CoNLL 2017 systems' figures, and alignment of words against a plain oracle."""

from __future__ import annotations

import csv
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.errors import DataError
from outscore.items import Corpus, DependencyTree, Word
from outscore.metrics.dependencies import Clas, Las, Uas, aligned_words
from outscore.readers.corpora.conllu import ConllU

DATA = "dep-conll17-cs_cac"
Data: TypeAlias = Callable[[str], Path]
METRICS = [Uas(), Uas(punctuation=False), Las(), Las(subtypes=True, punctuation=False), Clas(), Clas(subtypes=True)]
FUNCTIONAL = {"aux", "case", "cc", "clf", "cop", "det", "mark", "punct"}  # what is left of UD's 37 relations


@cache
def read(path: Path) -> Corpus[DependencyTree]:
    return ConllU().parse(path.read_text("utf-8"), path.name)


def words(tokens: str, heads: Sequence[int] = (), relations: Sequence[str] = ()) -> DependencyTree:
    """Return a sentence of tokens with spaces between them; ``del=de+el`` is a multiword token."""
    found: list[Word] = []
    text = ""
    for token in tokens.split():
        form, _, parts = token.partition("=")
        start, text = len(text), text + form
        found += [Word(part, "_", 0, "dep", start, len(text), bool(parts)) for part in (parts or form).split("+")]
    heads = heads or range(len(found))
    relations = relations or ["dep"] * len(found)
    pairs = zip(found, heads, relations, strict=True)
    return DependencyTree(text, tuple(replace(word, head=h, relation=r) for word, h, r in pairs))


def test_every_system_has_its_published_counts(data: Data) -> None:
    folder = data(DATA)
    gold = read(folder / "gold.conllu")
    with (folder / "systems.tsv").open(encoding="utf-8") as table:
        systems = list(csv.DictReader(table, delimiter="\t"))
    assert len(systems) == 43
    for row in systems:
        system = read(folder / "systems" / f"{row['system']}.conllu")
        assert system.item_ids == gold.item_ids
        assert gold.item_ids is not None
        n = int(row["tokens"])
        uas = Uas().rows(system.items, gold.items).sum(axis=0)
        las = Las().rows(system.items, gold.items).sum(axis=0)
        clas = Clas().rows(system.items, gold.items).sum(axis=0)
        assert uas.tolist() == [int(row["correct_heads"]), n, n]
        assert las.tolist() == [int(row["correct_heads_and_labels"]), n, n]
        assert clas.tolist() == content_words(system.items, gold.items)
        assert round(100 * float(Uas().score(uas)), 4) == float(row["UAS_here"])
        assert round(100 * float(Las().score(las)), 4) == float(row["LAS_here"])


def content_words(systems: Sequence[DependencyTree], golds: Sequence[DependencyTree]) -> list[int]:
    """Return CLAS's counts where system and gold have the same words."""
    pairs = [pair for s, g in zip(systems, golds, strict=True) for pair in zip(s.words, g.words, strict=True)]
    labels = [[w.relation.split(":")[0] for w in pair] for pair in pairs]
    correct = sum(
        a.head == b.head and x == y and y not in FUNCTIONAL for (a, b), (x, y) in zip(pairs, labels, strict=True)
    )
    return [correct, sum(x not in FUNCTIONAL for x, _ in labels), sum(y not in FUNCTIONAL for _, y in labels)]


def test_figures_of_the_conll_2018_script(data: Data) -> None:
    # conll18_ud_eval.py --counts, run on these files.
    folder = data(DATA)
    gold = read(folder / "gold.conllu")
    for system, expected in CLAS_COUNTS.items():
        found = Clas().rows(read(folder / "systems" / f"{system}.conllu").items, gold.items)
        assert tuple(found.sum(axis=0)) == expected


CLAS_COUNTS = {
    "C2L2_sw5_2017-05-12-09-27-46": (5886, 7021, 7022),
    "LIMSI-LIPN_sw2_2017-05-13-16-28-36": (5540, 7026, 7022),
    "OpenU-NLP-Lab_sw6_2017-05-15-10-14-12": (5260, 7019, 7022),
    "TurkuNLP_sw3_2017-05-12-15-15-19": (5669, 7010, 7022),
    "Wanghao-ftd-SJTU_sw2_2017-05-14-12-32-00": (5436, 7014, 7022),
}


@pytest.mark.parametrize(
    ("gold", "system", "aligned"),  # as counted by conll18_ud_eval.py
    [
        ("a b c", "a b c", 3),
        ("ab c", "a b c", 1),
        ("abc", "a b c", 0),
        ("del=de+el rey", "del rey", 1),
        ("del=de+el rey", "de l rey", 2),
        ("del=de+el rey", "del=DE+EL rey", 3),
        ("del=de+el rey", "delrey=de+el+rey", 3),
        ("a del=de+el rey", "adel=a+de+el rey", 4),
        ("del=de+el rey", "de lrey=el+rey", 3),
        ("x del=de+el rey", "xdel rey", 1),
        ("dámelo=da+me+lo ya", "dámelo=dame+lo ya", 2),
        ("abab=a+b+a+b", "abab=b+a+b+a", 3),
        ("ab=x+y", "ab=y+x", 1),
    ],
)
def test_alignment_of_other_words(gold: str, system: str, aligned: int) -> None:
    pair = words(system), words(gold)
    assert len(aligned_words(*pair)) == aligned
    assert aligned_words(*pair) == oracle(*pair)


def oracle(system: DependencyTree, gold: DependencyTree) -> dict[int, int]:
    """Align words by colouring characters and by trying all subsequences."""
    multiword = [(w.start, w.end) for w in system.words + gold.words if w.in_multiword]
    colour = list(range(len(gold.text)))
    for _ in multiword:
        for start, end in multiword:
            colour[start:end] = [min(colour[start:end])] * (end - start)
    spans = {}
    for start, _ in multiword:
        spans[colour[start]] = {i for i, c in enumerate(colour) if c == colour[start]}
    found = {}
    for span in spans.values():
        inside = [
            [i for i, w in enumerate(tree.words) if span.issuperset(range(w.start, w.end))] for tree in (system, gold)
        ]
        found.update(longest(system, gold, *inside))
    outside = [
        [
            (w.start, w.end, i)
            for i, w in enumerate(t.words)
            if not any(span & {*range(w.start, w.end)} for span in spans.values())
        ]
        for t in (system, gold)
    ]
    return found | {i: j for a, b, i in outside[0] for c, d, j in outside[1] if (a, b) == (c, d)}


def longest(system: DependencyTree, gold: DependencyTree, s: Sequence[int], g: Sequence[int]) -> dict[int, int]:
    for size in range(min(len(s), len(g)), 0, -1):
        found = [
            dict(zip(chosen, others, strict=True))
            for chosen in combinations(s, size)
            for others in combinations(g, size)
            if all(
                system.words[i].form.lower() == gold.words[j].form.lower() for i, j in zip(chosen, others, strict=True)
            )
        ]
        if found:
            return min(found, key=lambda pairs: [min(p) for p in pairs.items()])
    return {}


@st.composite
def tokenizations(draw: st.DrawFn, text: str) -> DependencyTree:
    cuts = draw(st.sets(st.integers(1, len(text) - 1))) if len(text) > 1 else set()
    borders = [0, *sorted(cuts), len(text)]
    forms = st.sampled_from(["a", "b", "A", "ab"])
    tokens = []
    for start, end in pairwise(borders):
        parts = draw(st.lists(forms, min_size=1, max_size=3)) if draw(st.booleans()) else []
        tokens.append(text[start:end] + ("=" + "+".join(parts) if parts else ""))
    n = len(words(" ".join(tokens)).words)
    heads = [draw(st.integers(0, i)) for i in range(n)]
    relations = draw(st.lists(st.sampled_from(["nsubj", "nsubj:pass", "det", "punct"]), min_size=n, max_size=n))
    return words(" ".join(tokens), heads, relations)


texts = st.text("ab.", min_size=1, max_size=5)
pairs = texts.flatmap(lambda text: st.tuples(tokenizations(text), tokenizations(text)))


@given(pairs)
def test_alignment_is_a_largest_one(pair: tuple[DependencyTree, DependencyTree]) -> None:
    found, expected = aligned_words(*pair), oracle(*pair)
    assert len(found) == len(expected)
    assert len(set(found.values())) == len(found)
    system, gold = pair
    for s, g in found.items():
        a, b = system.words[s], gold.words[g]
        assert (a.start, a.end) == (b.start, b.end) or a.form.lower() == b.form.lower()


@given(st.lists(pairs, min_size=1, max_size=4))
def test_rows_are_counts_that_add_up(pairs: list[tuple[DependencyTree, DependencyTree]]) -> None:
    systems, golds = zip(*pairs, strict=True)
    for metric in METRICS:
        rows = metric.rows(systems, golds)
        assert rows.shape == (len(pairs), 3)
        assert (rows[:, 0] <= rows[:, 1:].min(axis=1)).all()
        for row, system, gold in zip(rows, systems, golds, strict=True):
            assert row.tolist() == metric.rows([system], [gold])[0].tolist()
            given_responses = metric.responses(system, gold)
            assert len(given_responses) == sum(map(metric._counts, system.words))
            perfect = metric.rows([gold], [gold])[0]
            assert perfect.tolist() == [perfect[2]] * 3
        assert metric.score(rows).shape == (len(pairs),)
        assert metric.score(np.stack([rows, rows])).tolist() == [metric.score(rows).tolist()] * 2


def test_equal_responses_have_equal_keys() -> None:
    gold = words("la vida es bella", [2, 4, 4, 0])
    one, other = words("la vida es bella", [2, 3, 4, 0]), words("la vida es=e+s bella", [2, 4, 5, 3, 0])
    a, b = Uas().responses(one, gold), Uas().responses(other, gold)
    assert {key: a[key] for key in a.keys() & b.keys()} == {(1, 2, ""): (True, 1, 0), (4, 0, ""): (True, 1, 0)}


def test_relations() -> None:
    gold = words("a b c", [2, 0, 2], ["nsubj:pass", "root", "punct"])
    system = words("a b c", [2, 0, 2], ["nsubj", "root", "det"])
    assert Las().rows([system], [gold]).tolist() == [[2, 3, 3]]
    assert Las(subtypes=True).rows([system], [gold]).tolist() == [[1, 3, 3]]
    assert Clas().rows([system], [gold]).tolist() == [[2, 2, 2]]
    assert Clas(subtypes=True).rows([system], [gold]).tolist() == [[1, 2, 2]]


def test_punctuation_is_told_by_its_characters() -> None:
    gold = words("Ja , $ ... „", [0, 1, 1, 1, 1])
    assert Uas(punctuation=False).rows([gold], [gold]).tolist() == [[2, 2, 2]]
    assert Las(punctuation=False).rows([gold], [gold]).tolist() == [[2, 2, 2]]


def test_other_characters_are_an_error() -> None:
    with pytest.raises(
        DataError, match=r'^\[1\]: expected .*, "c", got "d" from character 2 on\. .*\[different-text\]$'
    ):
        Uas().rows([words("a"), words("b d")], [words("a"), words("bc")])
    with pytest.raises(DataError, match=r'"", got "d" from character 2'):
        Uas().rows([words("b d")], [words("b")])


@pytest.mark.parametrize("metric", METRICS)
def test_empty_totals_and_pickles(metric: Uas | Las | Clas) -> None:
    assert metric.score(np.zeros(3)) == 0
    assert metric.score(np.zeros((2, 3))).tolist() == [0, 0]
    nothing = DependencyTree("", ())
    assert metric.rows([nothing], [nothing]).tolist() == [[0, 0, 0]]
    assert pickle.loads(pickle.dumps(metric)) == metric
