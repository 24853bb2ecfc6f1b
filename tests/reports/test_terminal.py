"""The text: its layout at several widths, and how it looks."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from outscore.reports import names
from outscore.results import ComparisonResult, format_adjusted_p
from outscore.text.numbers import state_p

from .written import to_text

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("width", [72, 80, 100, 132, 200])
def test_no_line_is_wider_than_the_terminal(result: ComparisonResult, width: int, ascii_only: bool) -> None:
    *lines, signature = to_text(result, width=width, ascii_only=ascii_only, details=True).splitlines()
    lines += to_text(result, width=width, ascii_only=ascii_only).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert signature == f"signature  {result.signature}"


def test_a_comparison_is_short_and_says_where_there_is_more(results: dict[str, ComparisonResult]) -> None:
    for name, result in results.items():
        if len(result.comparisons) > 1:
            continue
        [c] = result.comparisons
        short = result if name == "weird_names" else replace(result, comparisons=(replace(c, warnings=()),))
        text = to_text(short)
        assert len(text.splitlines()) <= 12, text
        assert "to_text(details=True) shows the distribution" in " ".join(text.split())
        for left_out in ("tests of H0", "correlation  ", "distribution of the gain", "signature  "):
            assert left_out not in text
        for number in (format_adjusted_p(test, c.alpha) for test in c.tests[:1]):
            assert f"({state_p(c.tests[0].adjusted_p_value, c.alpha, bound=c.tests[0].is_bound)}" in text
            assert number in text


@pytest.mark.parametrize("width", [72, 80, 100, 200])
def test_numbers_of_tables_are_whole_at_any_width(results: dict[str, ComparisonResult], width: int) -> None:
    text = to_text(results["several_with_holm"], width=width, details=True)
    for number in ("+2.0 to +6.5", "0.00032", "0.00096", "0.0213", "0.0426", "0.7121"):
        assert number in text
    assert "…" not in text


def test_narrow_terminals_are_given_what_fits_into_72_columns(result: ComparisonResult) -> None:
    assert to_text(result, width=10) == to_text(result, width=72)


def test_ascii_output_is_ascii(result: ComparisonResult) -> None:
    assert to_text(result, ascii_only=True).isascii()


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
def test_colour_adds_nothing_but_colour(result: ComparisonResult, ascii_only: bool) -> None:
    coloured = to_text(result, color=True, ascii_only=ascii_only)
    assert "\x1b[" in coloured
    without = "\n".join(line.rstrip() for line in ANSI.sub("", coloured).splitlines()) + "\n"
    assert without == to_text(result, ascii_only=ascii_only)


def test_formulas_are_not_broken(result: ComparisonResult) -> None:
    for width in range(72, 110):
        for line in to_text(result, width=width).splitlines():
            assert not re.search(r"(, p|α|with r12| [=<])$", line)


def test_a_disagreeing_check_stands_out(results: dict[str, ComparisonResult]) -> None:
    text = to_text(results["sampled_with_warning"], details=True)
    assert re.search(r"^    check: agrees +0\.0493  4,924 of 100,000 resamples  0\.0479 to 0\.0506$", text, re.M)
    assert re.search(r"^    check: DISAGREES +0\.0612  exact: two counts$", text, re.M)


def test_signs_that_are_taken_for_narrow_are() -> None:
    signs = [chr(code) for code in range(0x10000) if names.NARROW.fullmatch(chr(code))]
    assert {cell_len(sign) for sign in signs} == {1}


@pytest.mark.parametrize("text", ["", "plain", "gain δ ≤ ±1", "名前", "e\u0301", "a\u200bb", "soft\xadhyphen", "👍"])
def test_texts_are_as_wide_as_rich_says(text: str) -> None:
    assert names.cell_len(text) == cell_len(text)
