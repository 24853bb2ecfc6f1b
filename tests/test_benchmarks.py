"""docs/benchmarks.md is what benchmarks/run.py writes from the figures that it keeps."""

from __future__ import annotations

import json

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
