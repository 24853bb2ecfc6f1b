"""outscore gate where it runs: JUnit XML, and what GitHub Actions shows."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.gating.actions import MARKER
from tests.running import Runner

GATE = ("gate", "old.csv", "new.csv", "-m", "accuracy", "--margin", "0.02")


@pytest.fixture(autouse=True)
def systems(outscore: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, wrong in (("old", range(20)), ("new", range(20, 80)), ("same", range(20))):
        lines = [f"q{item},{int(item not in wrong)}" for item in range(400)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,accuracy", *lines]))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))


def test_junit_is_written_beside_the_report(outscore: Runner) -> None:
    run = outscore(*GATE, "--junit", "gate.xml")
    assert run.status == 1
    assert run.out.startswith("Failed: new is worse than old in accuracy")
    case = ElementTree.parse("gate.xml").find("testsuite/testcase/failure")
    assert case is not None
    assert run.out.split(" (")[0] in str(case.get("message"))
    assert not Path("summary.md").exists()


def test_junit_that_cannot_be_written_is_no_look(outscore: Runner) -> None:
    outscore("gate", "accept", "old.csv", "-m", "accuracy", "-o", "store.json")
    before = Path("store.json").read_bytes()
    run = outscore("gate", "store.json", "new.csv", "--margin", "0.02", "--junit", "nowhere/gate.xml")
    assert run.status == 2
    assert "[cannot-write]" in run.err
    assert Path("store.json").read_bytes() == before


def test_github_has_annotations_after_the_report_and_two_files(outscore: Runner) -> None:
    plain = outscore(*GATE).out
    run = outscore(*GATE, "--github")
    assert run.status == 1
    report, _, annotation = run.out.rpartition("::error title=outscore gate%3A failed::Failed: new is worse than old")
    assert report == plain
    assert annotation.count("\n") == 1
    assert Path("summary.md").read_text(encoding="utf-8").startswith("**Failed**: new is worse than old in accuracy (")
    assert Path("output").read_text() == "outcome=failed\nlook=1\nexit-status=1\n"


def test_a_comment_is_the_summary_and_a_hidden_marker(outscore: Runner) -> None:
    run = outscore(*GATE, "--github", "--comment", "comment.md")
    assert run.status == 1
    summary, comment = (Path(name).read_text(encoding="utf-8") for name in ("summary.md", "comment.md"))
    assert comment == f"{summary}\n{MARKER}\n"
    first, _, table, *_ = comment.split("\n\n")
    assert first.startswith("**Failed**: new is worse than old in accuracy (gain -10.0 points, 90% interval -13.7 to")
    assert {"gain", "90% interval", "margin", "outcome"} <= {cell.strip() for cell in table.split("\n")[0].split("|")}
    assert (
        "<details><summary>10 of the largest losses in accuracy (20 wins, 60 losses, 320 ties)</summary>\n\n| item |"
        in comment
    )
    bad = outscore(*GATE[:-2], "--margin", "x", "--comment", "other.md")
    assert (bad.status, Path("other.md").exists()) == (2, False)


@pytest.mark.parametrize("where", [(), ("-o", "-")])
def test_json_on_standard_output_stays_json(outscore: Runner, where: tuple[str, ...]) -> None:
    run = outscore(*GATE, "--github", "--format", "json", *where)
    assert json.loads(run.out)["outcome"] == "failed"
    assert run.err.startswith("::error title=outscore gate%3A failed::")


def test_names_that_look_like_commands_are_fenced(outscore: Runner, tmp_path: Path) -> None:
    text = (tmp_path / "new.csv").read_text().replace("q", "::error::q")
    (tmp_path / "new.csv").write_text(text)
    (tmp_path / "old.csv").write_text((tmp_path / "old.csv").read_text().replace("q", "::error::q"))
    lines = outscore(*GATE, "--github").out.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    assert len(token) == 32
    assert lines[-2] == f"::{token}::"
    assert lines[-1].startswith("::error title=")
    assert any(line.lstrip().startswith("::error::q") for line in lines[1:-2])
