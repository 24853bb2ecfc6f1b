"""What holds of every format, over all hand-made results."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from outscore.formats import FORMATS as REGISTERED
from outscore.formats import Medium
from outscore.reports import documents_of
from outscore.reports.documents import Facts, Notes, plain
from outscore.results import ComparisonResult
from tests.cli.kit import options_of_command

from .conftest import RESULTS
from .written import WRITERS as FORMATS
from .written import to_html

Format = Callable[[ComparisonResult], str]
formats = pytest.mark.parametrize("write", FORMATS.values(), ids=FORMATS)
IN_FULL = partial(FORMATS["latex"], details=True)
for_people = pytest.mark.parametrize("write", [*(FORMATS[name] for name in ("text", "markdown")), IN_FULL])
in_full = pytest.mark.parametrize("write", [partial(FORMATS["text"], details=True), FORMATS["markdown"], IN_FULL])


RST = """
from outscore.reports.documents import Paragraph, plain

def documents_to_rst(documents):
    blocks = [block for document in documents for block in document.blocks if isinstance(block, Paragraph)]
    return "".join(f"{plain(block.text)}\\n" for block in blocks)
"""
REGISTER = """
import sys
from outscore.formats import FORMATS, Format, Medium
FORMATS["rst"] = Format("rst_format:documents_to_rst", (".rst",), Medium.MARKUP)
from outscore.cli import main
import outscore
for written in (["--format", "rst"], ["-o", "out.rst"]):
    try:
        main(["compare", "a.txt", "b.txt", *written])
    except SystemExit as end:
        assert not end.code
print(outscore.compare("a.txt", "b.txt").to_rst(), end="")
"""


def test_the_formats_are_those_of_the_command_line() -> None:
    assert options_of_command("writes")["format"].type == tuple(REGISTERED)


def test_one_line_registers_a_format_everywhere(tmp_path: Path) -> None:
    (tmp_path / "rst_format.py").write_text(RST)
    for name, scores in {"a": "0101101", "b": "1101111"}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(scores) + "\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-c", REGISTER],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    half = len(run.stdout) // 2
    assert run.stdout[:half] == run.stdout[half:] == (tmp_path / "out.rst").read_text()
    assert run.stdout.startswith("b scores ")


@formats
def test_a_report_is_a_pure_function_of_the_result_in_clean_lines(
    write: Format, result: ComparisonResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write(result)
    for name, value in {"COLUMNS": "33", "NO_COLOR": "1", "FORCE_COLOR": "1", "TERM": "dumb", "LANG": "C"}.items():
        monkeypatch.setenv(name, value)
    assert write(result) == text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert all(character == "\n" or character.isprintable() for character in text)
    assert all(line == line.rstrip() for line in text.split("\n"))
    if write is FORMATS["csv"]:  # one row a test
        assert all(test.signature in text for c in result.comparisons for test in c.tests)
    elif write is not FORMATS["bibtex"]:
        assert result.signature in (FORMATS["text"](result, details=True) if write is FORMATS["text"] else text)


def test_no_mark_is_left(result: ComparisonResult) -> None:
    shown = [*(write(result) for write in FORMATS.values()), to_html(result), result._repr_html_()]
    shown += [FORMATS["text"](result, color=True, details=True), FORMATS["latex"](result, details=True)]
    assert not any(re.search(r"[\ue000-\ue0ff]|ue0[012]", text) for text in shown)


@for_people
def test_a_verdict_never_says_that_there_is_no_difference(write: Format, results: dict[str, ComparisonResult]) -> None:
    for result in results.values():
        text = write(result).lower()
        assert "no difference" not in text
        assert "not significant" not in text
        assert str(result.comparisons[0].verdict) in text


@pytest.mark.parametrize("write", [FORMATS["text"], FORMATS["markdown"]])
def test_an_inconclusive_verdict_is_explained(write: Format, results: dict[str, ComparisonResult]) -> None:
    text = " ".join(write(results["jansen"]).split())
    assert "The test does not reject a gain of 0" in text
    assert "This does not show that the systems are equal." in text


@pytest.mark.parametrize("name", [name for name, form in REGISTERED.items() if form.medium is Medium.MARKUP])
def test_facts_and_warnings_are_in_every_format_of_markup(name: str, results: dict[str, ComparisonResult]) -> None:
    for result in results.values():
        written = _letters(FORMATS[name](result))
        for document in documents_of([result], Medium.MARKUP):
            for block in document.blocks:
                if isinstance(block, Facts):
                    assert all(_letters(plain(fact.text)) in written for fact in block.facts)
                if isinstance(block, Notes):
                    assert all(_letters(plain(text)) in written for text in (*block.notes, *block.warnings))


def _letters(text: str) -> str:
    """Return the letters and digits, which no escape or markup changes."""
    return re.sub(r"[\W_]|<[^>]*>", "", text)


@for_people
def test_an_interval_that_is_open_on_one_side_is_a_bound(write: Format, results: dict[str, ComparisonResult]) -> None:
    text = " ".join(write(results["one_sided"]).split())
    assert "at least" in text
    assert "at most" in text
    assert not re.search(r"\b(inf|nan|None|undefined)\b", text)


@for_people
def test_the_tests_of_several_candidates_are_named_above_their_p_values(
    write: Format, results: dict[str, ComparisonResult]
) -> None:
    text = " ".join(write(results["one_sided"]).split())
    assert "first test" not in text
    assert "p-values of the one-sided paired randomization test (for gpt-4o: one-sided paired t-test of a loss)" in text
    assert "p (randomization)" not in text
    assert "p-values of the one-sided paired bootstrap test" in " ".join(write(results["several_with_holm"]).split())


@for_people
def test_p_is_never_printed_as_zero(write: Format, results: dict[str, ComparisonResult]) -> None:
    text = write(results["extreme_p"])
    assert "0.000" not in text
    assert "p < 1e-12" in text or r"$p$ $<$ $10^{-12}$" in text


@in_full
def test_tests_that_assume_independence_are_marked_and_explained(
    write: Format, results: dict[str, ComparisonResult]
) -> None:
    text = " ".join(write(results["assumes_independence"]).split())
    assert text.count("†") == 3 or text.count(r"$^\dagger$") == 3
    assert "With a correlation of 0.744 this overstates the standard deviation of the gain by a factor of 1.98." in text


@for_people
def test_what_is_said_of_all_candidates_is_said_once(write: Format, results: dict[str, ComparisonResult]) -> None:
    assert write(results["several_with_holm"]).count("needs binary items (1 correct, 0 incorrect)") == 1


@for_people
def test_names_are_shown_as_they_are_but_for_escapes(write: Format, results: dict[str, ComparisonResult]) -> None:
    text = "".join(write(results["weird_names"]).replace("\\", "").split())
    assert ":smile:" in text
    assert "模型-é-🙂" in text
    # The line break and the escape in a name are spelt out.
    assert "linenbreakx1b" in text.replace("textbackslash{}", "")
    assert "\x1b" not in text


finite = st.floats(-1e18, 1e18) | st.floats(-1, 1)
anything = finite | st.sampled_from([math.nan, math.inf, -math.inf, 0.0, 5e-324, 1e300])
p_values = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 0.05, 1e-20, 0.0499999, math.nan])


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(anything, anything, anything, anything, anything),
    st.tuples(p_values, p_values, p_values, p_values),
    st.text(),
    st.floats(1e-4, 0.999),
    st.none() | st.floats(1e-6, 1e6),
    st.sampled_from(["several_with_holm", "assumes_independence", "sampled_with_warning", "equivalence"]),
)
def test_no_number_or_name_breaks_a_report(
    numbers: tuple[float, float, float, float, float],
    p: tuple[float, float, float, float],
    name: str,
    alpha: float,
    margin: float | None,
    which: str,
) -> None:
    result = RESULTS[which]()
    comparisons = tuple(
        replace(
            c,
            candidate=name,
            candidate_score=numbers[0],
            gain=numbers[1],
            interval=replace(c.interval, low=numbers[2], high=numbers[3]),
            correlation=None if abs(numbers[4]) > 1 else numbers[4],
            alpha=alpha,
            margin=c.margin and margin,
            tests=tuple(
                replace(t, p_value=p[0], adjusted_p_value=p[1], p_value_low=p[2], p_value_high=p[3]) for t in c.tests
            ),
        )
        for c in result.comparisons
    )
    result = replace(result, comparisons=comparisons)
    for write in FORMATS.values():
        assert write(result).endswith("\n")
    assert FORMATS["text"](result, details=True).endswith("\n")
    lines = FORMATS["text"](result).splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert "…" not in "".join(lines) or "…" in name
    assert repr(result)
    assert result._repr_html_()


def test_only_text_imports_rich() -> None:
    code = "import sys, outscore.reports; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
