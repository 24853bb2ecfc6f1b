"""docs/benchmarks.md has the sections that benchmarks/run.py writes, and a run renews its own alone."""

from __future__ import annotations

import re

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
