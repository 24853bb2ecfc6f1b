"""Emulated tests are marked wherever people or programs read."""

from __future__ import annotations

import json

from outscore.results import ComparisonResult

from .written import WRITERS as FORMATS
from .written import to_text

NOTE = "The formula of sacreBLEU, for comparison only. The verdict does not use it."


def test_they_stand_beside_the_sound_ones_and_are_marked(results: dict[str, ComparisonResult]) -> None:
    result = results["emulation"]
    signs = {"text": " ‡", "markdown": " ‡", "latex": r"$^\ddagger$"}
    for name, sign in signs.items():
        text = FORMATS[name](result, **({"details": True} if name in ("text", "latex") else {}))
        assert f"sacrebleu-bootstrap{sign}" in text, name
        assert f"sacrebleu-randomization{sign}" in text, name
        assert text.count(sign.strip()) == 3, name
        assert NOTE in " ".join(text.split()), name
        assert text.index("randomization") < text.index("sacrebleu-bootstrap"), name


def test_nothing_else_is_marked(results: dict[str, ComparisonResult]) -> None:
    for name, result in results.items():
        if name != "emulation":
            for format_name, write in FORMATS.items():
                text = write(result, **({"details": True} if format_name == "latex" else {}))
                # A claim with a margin has the same sign in tables for papers.
                assert result.comparisons[0].margin is not None or "ddagger" not in text
                assert result.comparisons[0].margin is not None or "‡" not in text


def test_they_are_marked_without_unicode_too(results: dict[str, ComparisonResult]) -> None:
    text = to_text(results["emulation"], ascii_only=True, details=True)
    assert text.isascii()
    assert "sacrebleu-bootstrap ++" in text


def test_they_are_marked_in_json(results: dict[str, ComparisonResult]) -> None:
    tests = json.loads(results["emulation"].to_json())["comparisons"][0]["tests"]
    assert [test["emulates"] for test in tests] == [None, None, "sacreBLEU", "sacreBLEU"]
