"""Error rates of rankings of human scores, and of WMT's rules, on real ratings without a true difference.

    python benchmarks/human.py [--nulls 400] [--write]

Two nulls are made from pairs of systems of WMT24 (ESA, wave 2), which lie in ../shared/data and are not shipped. Both
keep what makes human scores hard: documents of unequal length, scores with a ceiling, and one rater per document.

- signs: the two systems of a pair are exchanged on random whole documents.
- resampled: documents are drawn with replacement within domains, from differences whose domain means were subtracted.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import outscore
from outscore.readers.reading import Reading
from outscore.readers.registry import read_table
from outscore.readers.tabular.human import domain_of
from outscore.readers.tabular.ratings import rated
from outscore.wings.human.emulations import RULES, Rule

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data" / "human-wmt24-esa"
SETS = {"en-cs": "esa_wave2_eng-ces.csv", "en-ja": "esa_wave2_eng-jpn.csv"}
NULLS = ("signs", "resampled")
RULE_NAMES = ("documents (default)", "documents, all domains", "segments", "WMT26", "WMT25", "WMT24")
LEVEL = 0.05


def scores_of(languages: str) -> tuple[np.ndarray, list[str], list[str], list[str]]:
    """Return scores, shape (systems, segments), and the document, domain and merged domain of each segment."""
    table = read_table(str(DATA / SETS[languages]))
    table, _, _ = rated(table, Reading())
    systems = list(dict.fromkeys(table.columns["system"]))
    items = list(dict.fromkeys(table.columns["item"]))
    scores = np.full((len(systems), len(items)), np.nan)
    document, merged = {}, {}
    for system, item, own, of, score in zip(
        *(table.columns[name] for name in ("system", "item", "document", "domain", "score")), strict=True
    ):
        scores[systems.index(system), items.index(item)] = float(score)
        document[item], merged[item] = own, of
    documents = [str(document[item]) for item in items]
    return scores, documents, [domain_of(one) for one in documents], [str(merged[item]) for item in items]


def nulls_of(kind: str, scores: np.ndarray, documents: list[str], domains: list[str], rng: np.random.Generator) -> Any:
    """Return differences without a true difference, and which segment each is of."""
    first, second = rng.choice(len(scores), 2, replace=False)
    differences = scores[first] - scores[second]
    names = list(dict.fromkeys(documents))
    codes = np.array([names.index(one) for one in documents])
    if kind == "signs":
        return differences * rng.choice([-1.0, 1.0], len(names))[codes], np.arange(len(codes)), codes
    of_domains = np.array(domains)
    centred = differences.copy()
    places: list[np.ndarray] = []
    drawn: list[np.ndarray] = []
    for domain in dict.fromkeys(domains):
        own = of_domains == domain
        centred[own] -= centred[own].mean()
        for document in rng.choice(np.unique(codes[own]), len(np.unique(codes[own]))):
            mine = np.flatnonzero(codes == document)
            places.append(mine)
            drawn.append(np.full(len(mine), len(drawn)))
    chosen = np.concatenate(places)
    return centred[chosen], chosen, np.unique(np.concatenate(drawn), return_inverse=True)[1]


def rejections(kind: str, languages: str, nulls: int, seed: int) -> Iterator[list[bool]]:
    """Yield which rules reject on each null, in the order of `RULE_NAMES`."""
    scores, documents, domains, merged = scores_of(languages)
    rng = np.random.default_rng(seed)
    for _ in range(nulls):
        differences, places, codes = nulls_of(kind, scores, documents, merged, rng)
        of_domains, of_merged = ([labels[place] for place in places] for labels in (domains, merged))
        systems = {"a": np.zeros(len(differences)), "b": differences}

        def p_value(**how: Any) -> float:
            ranking = outscore.rank(systems, correction="none", max_t=False, **how)  # noqa: B023
            return float(ranking.pairs[0].p_value)

        units = [str(code) for code in codes]
        numbers = np.unique(of_domains, return_inverse=True)[1]
        yield [
            p_value(clusters=units, strata=of_merged, weights="macro") < LEVEL,
            p_value(clusters=units, strata=of_domains, weights="macro", collapse_strata=True) < LEVEL,
            p_value(strata=of_merged, weights="macro") < LEVEL,
            *(_rejects(RULES[name], differences, numbers) for name in ("wmt26", "wmt25", "wmt24")),
        ]


def _rejects(rule: Rule, differences: np.ndarray, domains: np.ndarray) -> bool:
    """Return whether a rule rejects. One-sided tests are in favour of the system with the higher mean."""
    turned = differences if differences.mean() >= 0 else -differences
    return rule.p_value(list(turned[:, None]), list(np.zeros((len(turned), 1))), domains) < rule.level


def measured(nulls: int) -> Iterator[list[str]]:
    """Yield the rows of the data file."""
    for languages in SETS:
        for kind in NULLS:
            rates = 100 * np.mean([*rejections(kind, languages, nulls, seed=7)], axis=0)
            row = [f"{languages}, {kind}", *(f"{rate:.1f}" for rate in rates)]
            print(", ".join(row), flush=True)
            yield row


if __name__ == "__main__":
    import figures

    parser = argparse.ArgumentParser()
    parser.add_argument("--nulls", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help="docs/calibration/human-scores.csv, and its table")
    arguments = parser.parse_args()
    made = [*measured(arguments.nulls)]
    if arguments.write:
        figures.write("human-scores", ("data, null", *RULE_NAMES), made)
        figures.renew()
