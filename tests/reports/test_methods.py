"""The paragraph on methods, and the works that it cites."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import outscore
from outscore.metrics import METRICS
from outscore.metrics.registry import CITED_ELSEWHERE, RANKED_ELSEWHERE
from outscore.reports.methods import keys_of_metric, keys_of_test
from outscore.results import Correction
from outscore.results.intervals import _INTERVALS, _OF_TESTS, CITES
from outscore.significance import BY_NAME, TESTS
from outscore.significance.unpaired import UNPAIRED_TESTS
from outscore.words.methods import _POWERED
from outscore.words.references import SOFTWARE, bibliography, works
from tests.kit import OUTPUT_METRICS
from tests.running import Runner

ROOT = Path(__file__).resolve().parent.parent.parent
# What needs no source: averages and counts, and what is no correction.
WITHOUT = {"mean", "ratio", "accuracy", "precision", "recall", "f1"}


def cited() -> dict[str, tuple[str, ...]]:
    """Return the keys of everything that can be cited."""
    found: dict[str, tuple[str, ...]] = {f"test {name}": TESTS[name].cites for name in TESTS if name != "auto"}
    found |= {f"test {name}": kind.cites for name, kind in BY_NAME.items()}
    found |= {f"unpaired test {name}": UNPAIRED_TESTS[name].cites for name in UNPAIRED_TESTS}
    found |= {f"interval {name}": keys for name, keys in CITES.items()}
    found |= {f"correction {one}": one.cites for one in Correction if one is not Correction.NONE}
    found |= {f"metric {name}": METRICS[name].cites for name in METRICS if name not in WITHOUT}
    found |= {f"output metric {name}": OUTPUT_METRICS[name].cites for name in OUTPUT_METRICS}
    found["human and judge labels"] = _POWERED
    return found | {f"ranking {name}": CITED_ELSEWHERE[name] for name in RANKED_ELSEWHERE}


def test_every_test_interval_correction_and_metric_has_works_that_exist() -> None:
    found = cited()
    assert [name for name, keys in found.items() if not keys] == []
    assert {key for keys in found.values() for key in keys} <= works().keys()
    assert {*_INTERVALS, *_OF_TESTS, "unconditional", "welch"} == CITES.keys()
    assert [METRICS[name].cites for name in WITHOUT] == [()] * len(WITHOUT)


def test_the_file_has_no_work_that_nothing_cites() -> None:
    named = {key for keys in cited().values() for key in keys} | {SOFTWARE, "schuirmann1987"}
    titles = {bare(one["title"]) for one in citation()["references"]}
    assert [key for key in works() if key not in named and bare(works()[key].fields["title"]) not in titles] == []


def bare(title: str) -> str:
    return re.sub(r"[{}]", "", title).lower()


def citation() -> Any:
    return msgspec.yaml.decode((ROOT / "CITATION.cff").read_bytes())


def test_all_entries_are_read() -> None:
    text = (ROOT / "src" / "outscore" / "words" / "references.bib").read_text(encoding="utf-8")
    assert len(works()) == len(re.findall(r"^@", text, re.MULTILINE)) > 50
    for key, work in works().items():
        assert {"author", "title"} <= work.fields.keys(), key
        assert work.text.count("{") == work.text.count("}"), key
        year = re.search(r"\d{4}$", key)
        assert (year[0] if year else None) == (None if key == SOFTWARE else work.fields.get("year")), key
        surname = re.sub(r"[^a-z]", "", work.fields["author"].split(",")[0].lower().translate(LETTERS))
        assert re.sub(r"\d", "", key) in (surname, SOFTWARE), key


LETTERS = str.maketrans("äöüćčé", "aoucce")


def test_the_file_agrees_with_the_citation_of_the_project() -> None:
    by_title = {bare(work.fields["title"]): work for work in works().values()}
    for one in citation()["references"]:
        work = by_title[bare(one["title"])]
        surnames = [author.split(",")[0] for author in work.fields["author"].split(" and ")]
        assert surnames == [author["family-names"] for author in one["authors"]]
        assert str(one.get("year", work.fields.get("year"))) == work.fields.get("year", "None")
        for field, name in (("volume", "volume"), ("issue", "number"), ("doi", "doi")):
            assert str(one.get(field)) == work.fields.get(name, "None"), one["title"]
        if "start" in one:
            assert work.fields["pages"] == f"{one['start']}--{one['end']}"
    project = works()[SOFTWARE].fields
    assert (project["title"], project["url"]) == (citation()["title"], citation()["repository-code"])


def test_the_works_of_metrics_are_those_that_their_descriptions_name() -> None:
    for metrics in (METRICS, OUTPUT_METRICS):
        for name in metrics:
            metric: Any = metrics[name]
            for key in metric.cites:
                if "sklearn" not in metric.citation:
                    assert works()[key].fields["author"].split(",")[0] in metric.citation, name
                    assert works()[key].fields["year"] in metric.citation, name


def test_the_works_are_those_of_the_pages_on_statistics() -> None:
    page = (ROOT / "docs" / "statistics" / "README.md").read_text(encoding="utf-8")
    known = {(work.fields["author"].split(",")[0].strip("{}"), work.fields.get("year")) for work in works().values()}
    named = set(re.findall(r"(?:[|;] )([A-Z][\w-]+)[\w&,. -]*? (\d{4})(?=[ ;])", page))
    assert len(named) > 12
    surnames = {name for name, _ in known}
    # Benjamini and Heller's test of several datasets has no paragraph, nor have gates, of Berger's (1982) rule.
    without = {("Benjamini", "2008"), ("Berger", "1982")}
    assert {one for one in named if one[0] in surnames and one not in known} == without


def the_result() -> Any:
    rng = np.random.default_rng(1)
    base, new, third = (rng.binomial(1, p, 300).tolist() for p in (0.5, 0.7, 0.6))
    return outscore.compare(base, new, third, metric=["accuracy", "mean"], tests="bootstrap", method="monte-carlo")


def test_the_paragraph_states_what_was_done() -> None:
    result = the_result()
    text = result.methods
    assert "\n" not in text
    assert text.count(". ") <= 4 + text.count("et al. ")
    for part in (
        "We compared candidate1 and candidate2 with the baseline baseline by accuracy and mean on 300 items.",
        "the two-sided paired bootstrap test (Efron, 1979; Koehn, 2004; Berg-Kirkpatrick et al., 2012) at a ",
        "a significance level of 0.05.",
        "from 100,000 resamples, corrected by Holm's method (Holm, 1979) over 2 comparisons and not corrected for ",
        "The 95% intervals of the gains are symmetric bootstrap intervals (Hall, 1988), "
        "without correction for multiple comparisons.",
        f"outscore {outscore.__version__} (The outscore authors, 2026) and the random seed 12345.",
    ):
        assert part in re.sub(r"candidate (\d)", r"candidate\1", text), part


def test_the_references_are_those_that_are_cited() -> None:
    result = the_result()
    keys = re.findall(r"^@\w+\{(\w+),$", result.bibtex, re.MULTILINE)
    assert keys == ["efron1979", "koehn2004", "bergkirkpatrick2012", "holm1979", "hall1988", "outscore"]
    latex = result.to_latex(methods=True)
    assert [key for group in re.findall(r"\\citep\{(.*?)\}", latex) for key in group.split(",")] == keys
    assert f"version = {{{outscore.__version__}}}" in result.bibtex
    assert result.to_typst(methods=True).count("@") == len(keys)
    assert result.to_text(methods=True).split() == result.methods.split()
    assert max(map(len, result.to_text(methods=True).splitlines())) <= 80


def test_rankings_and_scores_have_paragraphs() -> None:
    rng = np.random.default_rng(1)
    systems = {name: rng.normal(k, 1, 100).tolist() for k, name in enumerate("abcde")}
    ranking = outscore.rank(systems)
    assert ranking.methods.startswith("We ranked 5 systems by mean on 100 items.")
    assert "max-T correction for 10 pairs" in ranking.methods
    assert "(Westfall and Young, 1993; Romano and Wolf, 2005)" in ranking.methods
    assert "@article{romano2005," in ranking.bibtex
    scores = outscore.score(systems["a"])
    assert "on 100 items. The 95% intervals of the scores are skewness-corrected t intervals (Bell" in scores.methods
    unpaired = outscore.compare(systems["a"], systems["b"], unpaired=True)
    assert "100 items for baseline and 100 items for candidate" in unpaired.methods


def test_strict_ties_are_named_where_they_have_an_effect() -> None:
    right = {"one": [1, 0, 1, 0, 1, 1] * 4, "two": [1, 1, 1, 0, 1, 1] * 4}
    ties = "test with ties of resamples not counted"
    for test, has_ties in (("bootstrap", True), ("randomization", True), ("mcnemar", False), ("paired-t", False)):
        for strict in (False, True):
            setting: Any = {"metric": "accuracy", "tests": test, "ties": "strict" if strict else "count"}
            comparison, ranking = outscore.compare(*right.values(), **setting), outscore.rank(right, **setting)
            sentences = comparison.comparisons[0].sentence, comparison.methods, ranking.methods, ranking.to_text()
            assert [ties in " ".join(text.split()) for text in sentences] == [has_ties and strict] * 4, (test, strict)


def test_upper_bounds_are_not_called_exact() -> None:
    ones, zeros = [1.0] * 12, [0.0] * 12
    result = outscore.compare(zeros, ones, tests="bootstrap")
    assert result.comparisons[0].test.computation.startswith("bound")
    assert "The p-values are upper bounds." in result.methods
    mixed = outscore.compare(zeros, ones, [1.0, *zeros[1:]], tests="bootstrap").methods
    assert "The p-values are upper bounds for candidate 1; exact for candidate 2 and corrected by Holm" in mixed
    metrics = ["accuracy", "mean"]
    both = outscore.compare(zeros, ones, [1.0, *zeros[1:]], metric=metrics, tests="bootstrap", family="all").methods
    assert "upper bounds for candidate 1 by accuracy and candidate 1 by mean; exact for candidate 2 by" in both
    apart = outscore.compare([0] * 400, [1] * 400, metric="accuracy", unpaired=True)
    assert apart.comparisons[0].tests[0].is_bound
    assert "The p-values are upper bounds." in apart.methods


def test_several_rankings_are_corrected_apart() -> None:
    right = {name: [1] * k + [0] * (30 - k) for k, name in zip((10, 15, 20), "abc", strict=True)}
    assert "at a significance level of 0.05, for each metric separately." in (
        outscore.rank(right, metric=["accuracy", "mean"]).methods
    )


def test_works_are_found_by_the_names_of_results() -> None:
    assert keys_of_metric("ndcg@10") == ("jarvelin2002",)
    assert keys_of_metric("recall@100") == ("buckley2005",)
    assert keys_of_metric("accuracy") == keys_of_metric("my-own") == ()
    assert keys_of_test("sacrebleu-bootstrap") == ("koehn2004", "post2018")
    assert keys_of_test("my-own") == ()


def test_the_command_prints_only_the_paragraph(outscore: Runner, tmp_path: Path) -> None:
    for name, right in (("base", 3), ("new", 8)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{int(k % 10 < right)}\n" for k in range(100)))
    for command, start in (("compare", "We compared new with"), ("rank", "We ranked"), ("score", "We scored base and")):
        run = outscore(command, "base.txt", "new.txt", "-m", "accuracy", "--methods")
        assert (run.status, run.err) == (0, "")
        assert run.out.startswith(start)
        assert "\n\n" not in run.out
        bib = outscore(command, "base.txt", "new.txt", "-m", "accuracy", "--methods", "-o", "refs.bib")
        assert bib.status == 0, bib.err
        assert "@software{outscore," in (tmp_path / "refs.bib").read_text(encoding="utf-8")
    refused = outscore("compare", "base.txt", "new.txt", "--methods", "--format", "json")
    assert refused.err.startswith("--methods: json has no paragraph on methods. Choose one of the formats text,")
    assert outscore("compare", "base.txt", "new.txt", "--methods", "--table", "scores").status == 2


def test_another_program_reads_all_entries(tmp_path: Path) -> None:
    typst = pytest.importorskip("typst", reason="the typst package is not installed")
    (tmp_path / "refs.bib").write_text(bibliography(list(works()), "1.2.3"), encoding="utf-8")
    cites = " ".join(f"@{key}" for key in works())
    (tmp_path / "main.typ").write_text(f'{cites}\n#bibliography("refs.bib", style: "apa")\n', encoding="utf-8")
    assert typst.compile(str(tmp_path / "main.typ"), format="pdf").startswith(b"%PDF")


def test_papers_have_signatures_as_comments() -> None:
    systems = ["a b c d", "a b c d e"] * 20, ["a b c", "a b c d e"] * 20
    result = outscore.compare(*systems, references=["a b c d e", "a b c d e"] * 20, metric="bleu")
    signature = result.metric.signature
    assert signature is not None
    assert signature in result.methods
    for written, comment in ((result.to_latex(methods=True), "%"), (result.to_typst(methods=True), "//")):
        assert f"{comment} Signature of BLEU: {signature}" in written.splitlines()
        assert "with the signature" not in written
    assert result.to_latex(methods=True).startswith("% Needs \\usepackage{natbib}")


def test_rankings_have_the_same_names_of_tests_as_comparisons() -> None:
    rng = np.random.default_rng(1)
    systems = {name: rng.normal(k, 1, 60) for k, name in enumerate("ab")}
    for test in ("skew-t", "paired-t", "bootstrap"):
        ranking, comparison = outscore.rank(systems, tests=test), outscore.compare(*systems.values(), tests=test)
        assert ranking.test_title == comparison.comparisons[0].test.title
        assert f"two-sided {ranking.test_title}" in ranking.methods
        assert f"two-sided {ranking.test_title}" in " ".join(ranking.to_text(table="scores").split())
