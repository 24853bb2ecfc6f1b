"""docs/benchmarks.md and docs/peers.md are what their scripts write from the figures that they keep."""

from __future__ import annotations

import csv
import json
from types import ModuleType

import numpy as np
import pytest

from .test_documentation import ROOT, load

RUN = load(ROOT / "benchmarks" / "run.py")
RESULTS = json.loads(RUN.DATA.read_text(encoding="utf-8"))


def test_the_page_is_that_of_the_figures() -> None:
    written = "write it again with: python benchmarks/run.py --page"
    assert RUN.PAGE.read_text(encoding="utf-8") == RUN.page(RESULTS), written


def test_lines_that_the_page_shows_are_measured() -> None:
    for group in RUN.GROUPS:
        lines = [line[0] for of in RESULTS.get(group.name, {"tables": []})["tables"] for line in of["rows"]]
        for start in group.shown if lines else ():
            assert any(line.startswith(start) for line in lines), (group.name, start)


def test_tables_of_scripts_are_read() -> None:
    text = "Text.\n\n| a | b |\n| --- | --- |\n| 1 | **2** |\n\nMore.\n\n| c |\n| --- |\n"
    assert RUN.tables_of(text) == [{"header": ["a", "b"], "rows": [["1", "**2**"]]}, {"header": ["c"], "rows": []}]


def test_every_group_has_a_script() -> None:
    assert set(RESULTS) <= {group.name for group in RUN.GROUPS}
    assert all((ROOT / "benchmarks" / group.script).is_file() for group in RUN.GROUPS)


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return load(ROOT / "benchmarks" / "peers.py")


@pytest.mark.parametrize("name", ["outscore", "SciPy ttest_rel", "SciPy permutation_test"])
def test_tools_are_asked_about_scores(name: str, peers: ModuleType) -> None:
    rng = np.random.default_rng(1)
    baseline = rng.random(30) / 2
    better = peers.Items(baseline, baseline + 0.2 * rng.random(30))
    answer = peers.PEERS[name].ask(better, 99)
    assert answer.differ
    assert answer.p < 0.05
    assert answer.holds(better.gain)
    assert not answer.holds(-better.gain)
    same = peers.PEERS[name].ask(better.exchanged(rng), 99)
    assert same.p > answer.p


@pytest.mark.parametrize("name", ["outscore -m bleu", "sacreBLEU --paired-bs", "sacreBLEU --paired-ar"])
def test_tools_are_asked_about_texts(name: str, peers: ModuleType) -> None:
    pytest.importorskip("sacrebleu")
    references = np.array([f"the {k} cat sat on the large mat number {k}" for k in range(12)])
    worse = np.array([f"a {k} cat was on some large mat number {k}" for k in range(12)])
    answer = peers.PEERS[name].ask(peers.Items(worse, references, references=references), 99)
    assert answer.differ
    assert answer.p < 0.05


def test_clusters_are_drawn_and_exchanged_whole(peers: ModuleType) -> None:
    rng, clusters = np.random.default_rng(1), np.repeat(np.arange(5), 3)
    drawn = peers.Items(clusters / 10.0, clusters / 10.0 + 0.5, clusters).drawn(rng, 8)
    assert len(drawn.baseline) == 24
    exchanged = drawn.exchanged(rng)
    for cluster in range(8):
        assert len({*exchanged.baseline[exchanged.clusters == cluster]}) == 1
    assert set(np.abs(exchanged.candidate - exchanged.baseline).round(9)) == {0.5}
    assert {*np.sign(exchanged.candidate - exchanged.baseline)} == {-1.0, 1.0}


def test_a_centred_pair_has_no_difference(peers: ModuleType) -> None:
    centred = peers.Items(np.array([0.0, 0.2, 1.0]), np.array([0.5, 0.9, 1.0])).centred()
    assert centred.gain == pytest.approx(0)
    assert min(centred.baseline.min(), centred.candidate.min()) == 0
    assert max(centred.baseline.max(), centred.candidate.max()) == 1


def test_the_page_of_peers_has_the_counts_of_its_csv(peers: ModuleType) -> None:
    with peers.FIGURES.open(encoding="utf-8", newline="") as file:
        tables = peers.rate_tables(list(csv.DictReader(file)))
    text = peers.PAGE.read_text(encoding="utf-8")
    for table in tables:
        assert table in text, "write it again with: python benchmarks/peers.py --measured --write"
