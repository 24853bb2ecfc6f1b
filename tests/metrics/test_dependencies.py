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
from outscore.metrics.families.dependencies import Clas, Las, Uas, aligned_words
from tests.kit import Corpus, DependencyTree, Word, item_format

DATA = "dep-conll17-cs_cac"
Data: TypeAlias = Callable[[str], Path]
METRICS = [Uas(), Uas(punctuation=False), Las(), Las(subtypes=True, punctuation=False), Clas(), Clas(subtypes=True)]

# What conll18_ud_eval.py --counts prints for CLAS: correct and system words; there are 7022 gold words.
CLAS_COUNTS = """\
C2L2_sw5_2017-05-12-09-27-46 5886 7021
C2L2_sw6_2017-05-11-00-21-07 5865 7028
CLCL_sw2_2017-05-14-12-15-56 5489 6983
HIT-SCIR_sw4_2017-05-10-17-38-36 5638 7008
IIT-Kharagpur_sw3_2017-05-13-17-01-25 5402 7025
IMS_sw2_2017-05-19-16-00-44 5926 7033
IMS_sw4_2017-05-09-23-23-01 5807 7026
Koc-University_sw3_2017-05-11-18-53-35 5588 7043
LATTICE_sw7_2017-05-15-11-18-08 5720 7036
LIMSI-LIPN_sw2_2017-05-13-16-28-36 5540 7026
LyS-FASTPARSE_sw5_2017-05-13-02-21-56 5527 7015
METU_sw2_2017-05-14-08-05-06 5357 7030
MQuni_sw2_2017-05-09-20-35-48 5597 7022
Mengest_sw1_2017-05-15-09-38-56 5585 7026
MetaRomance_sw1_2017-05-12-10-34-18 3014 7926
NAIST-SATO_sw1_2017-05-13-11-52-21 5775 7031
NAIST-SATO_sw1_2017-05-15-08-05-20 5861 7052
OpenU-NLP-Lab_sw6_2017-05-14-16-57-08 4710 6397
OpenU-NLP-Lab_sw6_2017-05-15-10-14-12 5260 7019
Orange-Deskin_sw1_2017-05-10-12-02-22 5756 7018
ParisNLP_sw1_2017-05-12-00-02-52 3761 6950
ParisNLP_sw1_2017-05-15-02-05-49 4852 6996
RACAI_sw1_2017-05-10-19-08-11 5462 7012
RACAI_sw1_2017-05-14-21-47-35 5465 7014
Stanford_sw1_2017-05-13-04-08-02 6207 7040
Stanford_sw1_2017-05-14-10-36-20 6203 7036
TurkuNLP_sw1_2017-05-14-02-33-45 5686 7014
TurkuNLP_sw3_2017-05-12-15-15-19 5669 7010
UALING_sw1_2017-05-15-06-10-21 5249 7017
UALING_sw2_2017-05-16-12-04-27 5230 7050
UFAL-UDPipe-1-2_sw1_2017-05-15-09-58-56 5675 7006
UParse_sw1_2017-05-12-22-37-39 5763 7016
UT_sw1_2017-05-14-17-15-26 5239 6981
UT_sw1_2017-05-15-01-44-30 5268 6977
Uppsala_sw1_2017-05-14-17-46-28 5630 7020
Uppsala_sw3_2017-05-21-22-25-52 5782 7028
Wanghao-ftd-SJTU_sw2_2017-05-14-12-32-00 5436 7014
Wenba-NLU_sw1_2017-05-20-15-43-16 5317 7042
conll17-baseline_sw2_2017-05-15-09-35-05 5540 7026
darc_sw1_2017-05-09-19-56-24 5510 7023
darc_sw4_2017-05-14-23-40-19 4841 7033
fbaml_sw1_2017-05-11-02-06-37 5612 7041
naistCL_sw1_2017-05-14-05-33-50 5468 7032
"""


@cache
def read(path: Path) -> Corpus[DependencyTree]:
    return item_format("conllu").parse(path.read_text("utf-8"), path.name)


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


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.exhaustive) for part in range(1, 6))], ids="part {}".format
)
def test_every_system_has_its_published_counts(data: Data, part: int) -> None:
    folder = data(DATA)
    gold = read(folder / "gold.conllu")
    with (folder / "systems.tsv").open(encoding="utf-8") as table:
        systems = list(csv.DictReader(table, delimiter="\t"))
    content_words = CLAS_COUNTS.strip().split("\n")
    assert len(systems) == len(content_words) == 43
    for row in systems[part::6]:
        system = read(folder / "systems" / f"{row['system']}.conllu")
        assert system.item_ids == gold.item_ids
        assert gold.item_ids is not None
        n = int(row["tokens"])
        uas = Uas().rows(system.items, gold.items).sum(axis=0)
        las = Las().rows(system.items, gold.items).sum(axis=0)
        clas = Clas().rows(system.items, gold.items).sum(axis=0)
        assert uas.tolist() == [int(row["correct_heads"]), n, n]
        assert las.tolist() == [int(row["correct_heads_and_labels"]), n, n]
        assert f"{row['system']} {clas[0]:.0f} {clas[1]:.0f}" in content_words
        assert clas[2] == 7022
        assert round(100 * float(Uas().score(uas)), 4) == float(row["UAS_here"])
        assert round(100 * float(Las().score(las)), 4) == float(row["LAS_here"])


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
            shared = (0, 0, sum(map(metric._counts, gold.words)))
            assert row.tolist() == np.sum([shared, *given_responses.values()], axis=0).tolist()
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
