"""The examples of docs/extending.md: each is one file, and at most one line of a registry."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest

import outscore
from outscore import formats, reports
from outscore.errors import DataError
from outscore.readers import registry
from outscore.wings.logs import registry as logs
from tests.kit import Utterance, read_corpus, schema_of_record
from tests.logs.kit import inventory_of
from tests.logs.kit import logs_found as logs_in
from tests.significance.kit import DecidesCounts, DecidesDraws

DOCS = Path(__file__).resolve().parents[1] / "docs"
EXAMPLES = DOCS / "examples_of_extending"


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    own = {"stm": "input_format:Stm", "stars": "column_format:StarColumn"}
    monkeypatch.setattr(registry, "ITEM_FORMATS", own | registry.ITEM_FORMATS)
    monkeypatch.setattr(logs, "LOG_FORMATS", {"sample log": "log_format:SampleLog"} | logs.LOG_FORMATS)
    logs.log_formats.cache_clear()
    known = dict(formats.FORMATS)
    monkeypatch.setattr(reports, "KINDS", dict(reports.KINDS))
    monkeypatch.chdir(tmp_path)
    yield
    formats.FORMATS.clear()
    formats.FORMATS.update(known)
    logs.log_formats.cache_clear()


def test_every_example_is_on_the_page_and_tested() -> None:
    page, here = (DOCS / "extending.md").read_text(), Path(__file__).read_text()
    for path in EXAMPLES.glob("*.py"):
        assert f"(examples_of_extending/{path.name})" in page
        assert path.stem in here


def test_a_log_is_read_paired_and_checked() -> None:
    for model, scores in (("one", [1, 0, 1, 1]), ("two", [1, 1, 0, 1])):
        samples = [{"id": f"q{place}", "score": score} for place, score in enumerate(scores)]
        Path(f"{model}.json").write_text(json.dumps({"model": model, "mean": 0.75, "samples": samples}))
    assert outscore.read("one.json").names == ("one",)
    comparison = outscore.compare("one.json", "two.json").comparisons[0]
    assert (comparison.helped, comparison.hurt) == (1, 1)
    assert [entry.agrees for entry in inventory_of(logs_in(".")).entries] == [True, True]
    Path("bad.json").write_text('{"model": "three", "samples": [{"score": 1}]}')
    with pytest.raises(DataError, match=r"^bad\.json: not a log of this format: .*\[wrong-log\]$"):
        outscore.compare("one.json", "bad.json")


def test_a_format_of_reports_writes_every_result() -> None:
    import_module("report_format")
    comparison = outscore.compare([1, 0, 1, 0], [1, 1, 1, 0])
    ranking = outscore.rank({"a_b": [1, 0, 1], "c": [1, 1, 0]}, n_resamples=50)
    table = outscore.plan_table([100], [0.02])
    for result in (comparison, ranking, table):
        assert "\n|-+-" in reports.report([result], "org")
    assert "| a_b |" in reports.report([ranking], "org")


def test_a_study_is_written_and_drawn_by_all() -> None:
    study = import_module("study")
    result = study.study_wins(outscore.read({"a": [1, 2, 3, 9], "b": [2, 1, 3, 0]}))
    assert str(result).startswith("a alone is best on 2 of 4 items.")
    assert json.loads(result.to_json())["systems"] == [{"system": "a", "items": 2}, {"system": "b", "items": 1}]
    assert result.to_csv() == "system,items\na,2\nb,1\n"
    assert "| a | 2 |" in result.to_markdown().replace("  ", " ")
    assert r"\toprule" in result.to_latex()
    assert "Lonely wins" in result.to_html()
    assert "Lonely wins" in result.chart().to_json()
    properties = schema_of_record(study.WinsStudy)["properties"]
    assert list(properties) == ["schema", "systems", "n_items", "version"]
    assert all("description" in one for one in properties.values())


def test_a_format_is_found_by_name_content_and_option() -> None:
    text = "m 1 ann 0.0 1.5 <o,f0> he hoped\n\nm 1 bob 2.5 3 so\n"
    for name, option in (("a.stm", None), ("a", None), ("a.txt", "stm")):
        Path(name).write_text(text)
        corpus = read_corpus(name, Utterance, option)
        assert corpus.items == ["he hoped", "so"]
        assert (corpus.item_ids, corpus.lines) == (("m-1-0.0", "m-1-2.5"), [1, 3])
    Path("a.stm").write_text(";; a comment\nno utterance\n")
    with pytest.raises(DataError, match=r'^a\.stm:2: expected an utterance of STM, got "no utterance"'):
        read_corpus("a.stm", Utterance)


def test_a_new_type_of_item_is_read_from_every_format_of_tables() -> None:
    kind = import_module("column_format").Stars
    rows = [{"id": "a", "stars": 3, "other": 2}, {"id": "b", "stars": 5, "other": 1}]
    pl.DataFrame(rows).write_parquet("a.parquet")
    pl.DataFrame(rows).write_csv("a.csv")
    pl.DataFrame(rows).write_csv("a.tsv", separator="\t")
    Path("a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for name in ("a.parquet", "a.csv", "a.tsv", "a.jsonl"):
        corpus = read_corpus(name, kind)
        assert (corpus.items, corpus.item_ids) == ([3, 5], ("a", "b"))
        assert read_corpus(f"{name}:other", kind).items == [2, 1]
    Path("a").write_text("3\n5\n")
    assert read_corpus("a", kind).items == [3, 5]
    Path("a").write_text("3\n6\n")
    with pytest.raises(DataError, match=r'^a:2: expected 1, 2, 3, 4 or 5, got "6"\. .*\[no-stars\]'):
        read_corpus("a", kind)


RNG = np.random.default_rng(4)
BASELINE = (RNG.random(120) < 0.5).astype(float)
CANDIDATE = np.where(RNG.random(120) < 0.3, 1.0, BASELINE)


@pytest.fixture
def own_test() -> ModuleType:
    return import_module("significance_test")


def test_it_compares_as_the_sign_test_does(own_test: ModuleType) -> None:
    comparison = outscore.compare(BASELINE, CANDIDATE, tests=[own_test.MedianSign(), "sign"]).comparisons[0]
    own, sign = comparison.tests
    assert own.name == "median-sign"
    assert own.p_value == sign.p_value
    assert comparison.interval.method == "median"
    assert "A toy." in comparison.warnings
    assert "toy interval" in comparison.sentence
    assert "two-sided sign test of the median" in comparison.sentence


def test_it_ranks(own_test: ModuleType) -> None:
    systems = {"a": BASELINE, "b": CANDIDATE, "c": 1 - BASELINE}
    own, sign = (outscore.rank(systems, tests=test) for test in (own_test.MedianSign(), "sign"))
    np.testing.assert_allclose([pair.p_value for pair in own.pairs], [pair.p_value for pair in sign.pairs], rtol=1e-12)
    assert own.tests == ("median-sign",)


def test_it_is_planned_for(own_test: ModuleType) -> None:
    test = own_test.MedianSign()
    assert [isinstance(test, able) for able in (DecidesCounts, DecidesDraws)] == [True, True]
    own, sign = outscore.plan_power(outscore.Rates(0.05), 400, 0.04, tests=[test, outscore.Sign()]).rows
    assert own.power.value == sign.power.value
    noisy = BASELINE + 0.1 * RNG.normal(size=120)
    pilot = outscore.pilot(noisy, noisy + RNG.normal(0.05, 0.2, size=120))
    own, sign = outscore.plan_power(pilot, 200, 0.08, tests=[test, outscore.Sign()]).rows
    assert own.power.value == sign.power.value


LANGUAGES = """
import sys
from outscore.design import registry
from factor import Languages

registry.FACTORS = (*registry.FACTORS, Languages)
from outscore.cli import main

main(sys.argv[1:])
"""


def in_languages(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with the factor of the example registered."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(EXAMPLES), *sys.path]), "COLUMNS": "120"}
    command = [sys.executable, "-c", LANGUAGES, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_factor_is_one_file_and_one_line() -> None:
    stream = np.random.default_rng(3)
    one = stream.normal(size=(30, 1)) + stream.normal(0, 0.2, (1, 4)) + stream.normal(0, 0.5, (30, 4))
    other = one + 0.5 + stream.normal(0, 0.2, (1, 4)) + stream.normal(0, 0.3, (30, 4))
    lines = [
        f"{name},q{item},{lang},{float(scores[item, place])!r}"
        for name, scores in (("a", one), ("b", other))
        for item in range(30)
        for place, lang in enumerate(["cs", "de", "fi", "ja"])
    ]
    Path("scores.csv").write_text("\n".join(["system,item,lang,score", *lines]))
    systems = ("scores.csv:a", "scores.csv:b")
    shown = in_languages("compare", *systems, "--languages", "random", "--details")
    text = " ".join(shown.stdout.split())
    assert "means over 4 languages, 30 items" in text
    assert ", for new languages on new items." in text
    assert "For these languages on new items, the default test gives" in text
    assert "|languages:random|L:4|" in text
    assert "template" not in text
    options = ["--language", "lang", "--languages", "random", "-t", "crossed-t", "--format", "json"]
    (c,) = json.loads(in_languages("compare", *systems, *options).stdout)["comparisons"]
    assert c["languages"]["names"] == ["cs", "de", "fi", "ja"]
    assert c["languages"]["candidate_scores"] == pytest.approx(other.mean(axis=0))
    # The same as templates by another name.
    templates = outscore.compare(one, other, templates="random", tests="crossed-t").comparisons[0].test
    assert c["tests"][0]["p_value"] == pytest.approx(templates.p_value, rel=1e-12)
    for command in ("rank scores.csv", "score scores.csv:a scores.csv:b"):
        told = in_languages(*command.split(), "--languages", "random")
        assert (told.returncode, "4 languages" in " ".join(told.stdout.split())) == (0, True), told.stderr
    assert "--languages" in in_languages("compare", "--help-all").stdout
    refused = in_languages("compare", *systems, "--language", "lang")
    assert refused.stderr.endswith("(new languages as well). [languages-undeclared]\n")


def test_a_factor_has_an_argument_and_an_axis_in_python() -> None:
    program = (
        LANGUAGES.partition("from outscore.cli")[0]
        + """
import numpy as np, outscore
one = np.random.default_rng(1).normal(size=(20, 3))
[c] = outscore.compare(one, one + np.arange(3), languages="random").comparisons
assert c.sentence.endswith(", for new languages on new items."), c.sentence
try:
    outscore.compare(one, one, language="lang")
except outscore.OptionError as error:
    print(error)
"""
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(EXAMPLES), *sys.path])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "(new languages as well). [languages-undeclared]" in done.stdout
