"""docs/benchmarks.md has the sections that benchmarks/run.py writes, and a run renews its own alone."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from .test_documentation import ROOT, load

RUN = load(ROOT / "benchmarks" / "run.py")
PAGE = RUN.PAGE.read_text(encoding="utf-8")
BY_NAME = {group.name: group for group in RUN.GROUPS}


def names_in(page: str) -> list[str]:
    return re.findall(r"^<!-- measured by benchmarks/run.py (\S+) -->$", page, re.MULTILINE)


def test_the_page_has_sections_of_groups_in_their_order() -> None:
    names = names_in(PAGE)
    assert names == [name for name in BY_NAME if name in names]
    for name in names:
        group = BY_NAME[name]
        text = PAGE.partition(f"{group.begin}\n")[2].partition(f"{group.end}\n")[0]
        assert text.startswith(f"## {group.title}\n\n")
        assert "<!--" not in text
    assert re.findall(r"^## (.*)$", PAGE, re.MULTILINE) == [BY_NAME[name].title for name in names]


def test_every_group_has_a_script() -> None:
    assert all((ROOT / "benchmarks" / group.script).is_file() for group in RUN.GROUPS)


def new(name: str) -> str:
    return f"{BY_NAME[name].begin}\n## New\n{BY_NAME[name].end}\n"


@pytest.mark.parametrize("name", BY_NAME)
def test_a_section_is_renewed_in_its_place_and_others_stay(name: str) -> None:
    once = RUN.with_section(PAGE, BY_NAME[name], new(name))
    assert RUN.with_section(once, BY_NAME[name], new(name)) == once
    assert new(name) in once
    assert names_in(once) == [one for one in BY_NAME if one in {*names_in(PAGE), name}]
    for other in set(names_in(PAGE)) - {name}:
        begin, end = BY_NAME[other].begin, BY_NAME[other].end
        assert once.partition(begin)[2].partition(end)[0] == PAGE.partition(begin)[2].partition(end)[0]
    assert once.startswith(PAGE.partition("<!--")[0])
    assert "\n\n\n" not in once


def test_a_group_that_fails_leaves_the_page_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "benchmarks.md"
    page.write_text(PAGE, encoding="utf-8")
    (tmp_path / "works.py").write_text("import sys\nprint('body of', *sys.argv[1:])\n")
    (tmp_path / "fails.py").write_text("print('half of a body')\nraise SystemExit('no')\n")
    groups = tuple(
        RUN.Group(name, name, str(tmp_path / f"{script}.py"))
        for name, script in (("compare", "works"), ("ranking", "fails"))
    )
    monkeypatch.setattr(RUN, "PAGE", page)
    monkeypatch.setattr(RUN, "GROUPS", groups)
    monkeypatch.setattr(sys, "argv", ["run.py"])
    assert RUN.main() == 1
    renewed = page.read_text(encoding="utf-8")
    assert "body of\n" in renewed
    assert "load (of 1, 5 and 15 minutes)" in renewed
    assert "half of a body" not in renewed
    begin, end = BY_NAME["ranking"].begin, BY_NAME["ranking"].end
    assert renewed.partition(begin)[2].partition(end)[0] == PAGE.partition(begin)[2].partition(end)[0]
    assert "failed, and left as they were: ranking" in capfd.readouterr().err
    monkeypatch.setattr(sys, "argv", ["run.py", "--quick", "compare"])
    assert RUN.main() == 0
    assert page.read_text(encoding="utf-8") == renewed
    assert "body of --quick" in capfd.readouterr().out
