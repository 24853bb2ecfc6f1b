"""The metric that docs/extending.md shows how to write."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import outscore

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("own_metric", DOCS / "own_metric.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "own_metric", module)  # pickle finds its class there
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_the_example() -> None:
    _, code = (DOCS / "own_metric.py").read_text(encoding="utf-8").split('"""\n\n', 1)
    assert f"```python\n{code}```" in (DOCS / "extending.md").read_text(encoding="utf-8")


def test_the_test_of_the_example_passes(example: ModuleType) -> None:
    example.test_length_error()


def test_the_example_compares_systems(example: ModuleType) -> None:
    references = ["a b c", "d e", "f", "g h i j"]
    outputs = ["a", "d", "f g", "g h i j k"], ["a b c", "d e", "f g", "g h i"]
    tests = ("auto", "randomization")
    result = outscore.compare(*outputs, references=references, metric=example.LengthError(), tests=tests)
    comparison = result.comparisons[0]
    assert (comparison.baseline_score, comparison.candidate_score) == (5 / 10, 2 / 10)
    assert comparison.gain == pytest.approx(3 / 10, rel=1e-15)
    assert [(test.name, test.exact) for test in comparison.tests] == [("skew-t", False), ("randomization", True)]
