"""The examples in Python of docs/planning.md."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "planning.md"


def test_the_examples_in_python_give_what_they_show() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 10
    assert found.failed == 0
