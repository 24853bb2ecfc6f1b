"""docs/design/idea.md lists the functions that matter, and a comparison enters no more functions than it counts."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.test_documentation import load

WALK: ModuleType = load(Path(__file__).resolve().parent.parent / "docs" / "walk.py")
PAGE = WALK.PAGE.read_text(encoding="utf-8")
# Other versions of Python enter a few more or fewer functions, as comprehensions are made otherwise.
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the page was written with Python 3.11")


@pytest.fixture(scope="module")
def walks() -> dict[str, Any]:
    return {comparison: WALK.walk_of(comparison) for comparison in WALK.COMPARISONS}


def test_the_page_is_what_the_script_writes(walks: dict[str, Any]) -> None:
    assert WALK.page_of(walks) == PAGE, "write it with: python docs/walk.py --write"


def test_comparisons_enter_no_more_functions_than_the_page_counts(walks: dict[str, Any]) -> None:
    assert [*WALK.counts_on(PAGE)] == [*WALK.COMPARISONS]
    assert [*WALK.grown(walks, PAGE)] == []


def test_the_functions_that_matter_are_all_called(walks: dict[str, Any]) -> None:
    first = walks[next(iter(WALK.COMPARISONS))]
    assert {(file, name) for file, name, _ in first.matter} == set(WALK.MATTER)
