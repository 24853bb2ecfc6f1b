"""The text: its layout at several widths, and how it looks."""

from __future__ import annotations

import re
from dataclasses import replace
from textwrap import dedent

import pytest
from rich.cells import cell_len

from outscore.reports import names
from outscore.results import ComparisonResult, format_adjusted_p
from tests.kit import state_p

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
            assert state_p(c.test.adjusted_p_value, c.alpha, bound=c.test.is_bound) in " ".join(text.split())
            assert number in text


def test_the_tests_are_listed_where_they_were_named(results: dict[str, ComparisonResult]) -> None:
    [c] = results["assumes_independence"].comparisons
    named = replace(results["assumes_independence"], comparisons=(replace(c, tests_named=True),))
    text = to_text(named)
    for test in c.tests:
        assert re.search(rf"^  {test.name}\b", text, re.MULTILINE)
    assert "With a correlation of" in " ".join(text.split())
    assert text.splitlines()[-1].startswith("left out") or "shows the distribution and the signature." in text
    several = results["several_with_holm"]
    assert "randomization" not in to_text(several)
    each = replace(several, comparisons=tuple(replace(one, tests_named=True) for one in several.comparisons))
    listed = re.findall(r"^(?:gpt-4o|claude-3-opus) +(bootstrap|randomization) +0\.\d+", to_text(each), re.MULTILINE)
    assert listed == ["bootstrap", "randomization"] * 2


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


def test_output_in_latin_1_can_be_had(results: dict[str, ComparisonResult]) -> None:
    to_text(results["weird_names"], ascii_only=True).encode("latin-1")


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


def test_several_candidates_are_summed_up_first(results: dict[str, ComparisonResult]) -> None:
    assert " ──" not in to_text(results["several_with_holm"]).split("\n\n", 2)[2]  # none by itself
    lines = to_text(results["several_with_holm"], details=True).splitlines()
    table = lines[lines.index("") + 1 :]
    assert [line.split()[0] for line in table[2:5]] == ["gpt-4-turbo", "gpt-4o", "claude-3-opus"]
    assert table[2].endswith("baseline")
    assert sum(line.startswith("gpt-4o ──") for line in lines) == 1


def test_a_disagreeing_check_stands_out(results: dict[str, ComparisonResult]) -> None:
    text = to_text(results["sampled_with_warning"], details=True)
    assert re.search(r"^    check: agrees +0\.0493  4,924 of 100,000 resamples  0\.0479 to 0\.0506$", text, re.M)
    assert re.search(r"^    check: DISAGREES +0\.0612  exact: two counts$", text, re.M)


def test_an_exact_comparison_as_it_looks(results: dict[str, ComparisonResult]) -> None:
    text = """\
        gpt-4o scores 72.4 against 68.1 for gpt-4-turbo (accuracy in %, 800 items): a
        gain of +4.3 points (95% percentile bootstrap interval +2.0 to +6.5; one-sided
        paired bootstrap test, p = 0.00032, exact).

        verdict      better. The test rejects a gain of 0 or less at α = 0.05.
        items        61 wins (7.6%), 27 losses (3.4%), 712 ties (89%)
        correlation  0.744 between the systems' item scores

        tests of H0: gain ≤ 0 (alternative: greater)
          test       p        computed        error bound
          ───────────────────────────────────────────────
          bootstrap  0.00032  exact: lattice  ± 7e-17

        bootstrap distribution of the gain (exact; the outermost bars hold the tails)
           ┊               ▂▆██▆▂
           ┊              ▄██████▄
           ┊             ▆████████▆
           ┊            ▇██████████▇
           ┊          ▂██████████████▂
           ┊        ▁▅████████████████▅▁
           ┊   ▁▁▂▄▆████████████████████▆▄▂▁▁
          ─┬──────────────────┬───────────────────
           0              δ = +4.3
                    ├──────────────────┤ 95% interval +2.0 to +6.5

        signature  test:bootstrap|centre:2d|alternative:greater|ties:count|r:exact|n:800|unit:item|seed:12345|"""
    expected = dedent(text) + "metric:accuracy|version:0.1.0\n"
    assert to_text(results["one_exact"], details=True) == expected
    brief = dedent("""\
        verdict  better. The test rejects a gain of 0 or less at α = 0.05.
        items    61 wins (7.6%), 27 losses (3.4%), 712 ties (89%)
        details  to_text(details=True) shows the distribution, other tests and the
                 signature.
        """)
    assert to_text(results["one_exact"]) == f"{expected.partition(chr(10) * 2)[0]}\n\n{brief}"


def test_equivalence_names_the_margin_and_marks_it(results: dict[str, ComparisonResult]) -> None:
    text = to_text(results["equivalence"], details=True)
    assert "tests of H0: |gain| ≥ 3.00 (two one-sided tests)" in text
    assert re.search(r"^ +-3\.00 +0 +\+3\.00$", text, re.M)


def test_identical_systems_are_no_error(results: dict[str, ComparisonResult]) -> None:
    text = " ".join(to_text(results["identical"], details=True).split())
    assert "The systems score the same on every item here, but may differ on other items." in text
    assert "every resample has the gain 0.0000" in text


def test_signs_that_are_taken_for_narrow_are() -> None:
    signs = [chr(code) for code in range(0x10000) if names.NARROW.fullmatch(chr(code))]
    assert {cell_len(sign) for sign in signs} == {1}


@pytest.mark.parametrize("text", ["", "plain", "gain δ ≤ ±1", "名前", "e\u0301", "a\u200bb", "soft\xadhyphen", "👍"])
def test_texts_are_as_wide_as_rich_says(text: str) -> None:
    assert names.cell_len(text) == cell_len(text)
