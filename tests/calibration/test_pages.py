"""Pages and data files of docs/calibration are those that the scripts write from what was measured."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.calibration import real
from tests.calibration.populations import EVERY

ROOT = Path(__file__).resolve().parents[2]
# Of each kind the cheapest task, or nearly.
KINDS = (
    "default/normal/8",
    "default/binary, r = 0/8",
    "default/F1/8",
    "default/strata: 4 of 5/20",
    "small/normal",
    "against",
    "boards/20 items/10",
    "runs/1-9/10/0",
    "scores/accuracy, error rate 0.02, n = 100",
    "power/normal/12/+1",
    "power/binary, 15.00% lost/20",
    "binary/10",
    "chosen/2 equal systems/200",
    "unpaired/Rates(n_baseline=10, n_candidate=10, null=0.0)",
    "unpaired/normal/(20, 20)",
    "unpaired/permutation/normal, standard deviations of 3 and 1/(20, 20)",
    "plan/64/0.005/0.1",
    "gains/binary, r12 = 0.5, gain 0.05/20",
    "few/normal, r12 = 0.5/10",
    "differing/3",
    "margin/30/0.1/0",
    "gate/0",
)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("calibration")


def headings(page: str) -> list[str]:
    return re.findall(r"^#+ .*$", page, re.MULTILINE)


@pytest.mark.slow
def test_tasks_of_each_kind_find_what_the_pages_show(script: ModuleType, tmp_path: Path) -> None:
    results = {name: script.measured((name, script.LEAST))[1] for name in KINDS} | {"version": "0.0.0"}
    script.written(json.loads(json.dumps(results)), tmp_path)
    assert "| normal | " in (tmp_path / "calibration.md").read_text(encoding="utf-8")
    for name, line in (
        ("default", "items,normal,8,"),
        ("rankings", "20 items,10,"),
        ("scores", '"accuracy, error rate 0.02, n = 100",'),
    ):
        assert f"\n{line}" in (tmp_path / "calibration" / f"{name}.csv").read_text(encoding="utf-8")


def test_the_pages_and_data_files_are_those_of_the_results(script: ModuleType, tmp_path: Path) -> None:
    docs = ROOT / "docs"
    results = json.loads((docs / "calibration" / "results.json").read_text(encoding="utf-8"))
    script.written(results, tmp_path)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in written} >= {path.name for path in (docs / "calibration").glob("*.md")}
    for path in written:
        there = docs / path.relative_to(tmp_path)
        assert path.read_text(encoding="utf-8") == there.read_text(encoding="utf-8"), path.name


def test_pages_can_be_written_without_some_results(script: ModuleType) -> None:
    written = script.calibration_pages.pages({"version": "0.0.0"})
    for place, page in written.items():
        assert headings(page) == headings((ROOT / "docs" / place).read_text(encoding="utf-8"))


def test_tables_of_other_pages_are_those_of_their_data_files(script: ModuleType) -> None:
    for name, tables in script.figures.TABLES.items():
        page = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert script.figures.renewed(page, tables) == page, "write them again with: python benchmarks/figures.py"


def test_statements_that_are_checked_are_in_the_documentation(script: ModuleType) -> None:
    pages = script.calibration_claims
    texts = {
        place: " ".join((ROOT / place).read_text(encoding="utf-8").replace("**", "").split())
        for place in {claim.place for claim in pages.claims()}
    }
    missing = [claim for claim in pages.claims() if claim.text not in texts[claim.place]]
    assert not missing
    assert "; ".join(pages.EXCEPTIONS) in texts["README.md"]


def test_passages_that_quote_figures_are_in_the_documentation(script: ModuleType) -> None:
    for quoted in script.calibration_claims.quoted():
        text = (ROOT / quoted.place).read_text(encoding="utf-8")
        assert len(quoted.pattern.findall(text)) == 1, quoted.passage
        assert quoted.renewed(text, {}) == text


def test_quoted_figures_are_renewed(script: ModuleType) -> None:
    [quoted] = [of for of in script.calibration_claims.quoted() if of.passage.startswith("it has **{}%**")]
    text = "At a nominal 5% it has **11.2%** false positives, ours 5.2% on the same bootstrap samples."
    renewed = quoted.renewed(text, {"sacrebleu": {"theirs": 0.1234, "ours": 0.05}})
    assert renewed == "At a nominal 5% it has **12.3%** false positives, ours 5.0% on the same bootstrap samples."


def test_a_statement_that_does_not_hold_is_reported(script: ModuleType) -> None:
    pages = script.calibration_claims
    level = {"sets": 10_000, "at_5": 0.081}
    results = {"default/normal/50": level, "default/normal/20": level, "default/rare wins/50": level}
    [problem] = [line for line in pages.broken_claims(results) if "at most 7%" in line]
    assert problem.endswith("does not hold: normal, 50 units: 8.1%")


def test_every_exception_names_populations(script: ModuleType) -> None:
    pages = script.calibration_claims
    names = [*EVERY, *(corpus.name for corpus in real.corpora()[0])]
    for phrase, starts in pages.EXCEPTIONS.items():
        assert any(name.startswith(starts) for name in names), phrase


def test_cells_of_the_pages_are_names_of_tasks(script: ModuleType) -> None:
    pages = script.calibration_pages
    cells = (*pages.POWER, *pages.BOARDS, *pages.FIRST, *pages.BATTLES)
    named = {task for _, task in cells} | {f"scores/{name}" for name in pages.SCORES}
    by_units = {task.rpartition("/")[0] for task in script.TASKS}
    shipped = (ROOT / "docs" / "calibration" / "results.json").read_text(encoding="utf-8")
    assert named <= set(script.TASKS) | set(json.loads(shipped))
    assert {task for _, task in pages.DEFAULT if task.startswith("default/")} <= by_units
