"""LaTeX that compiles, and shows names as they are."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.reports.latex import escape, math
from outscore.results import ComparisonResult
from tests.kit import printable

from .written import to_latex

# What LaTeX sets for what `escape` writes.
COMMANDS = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"{\char34}": '"',
    r"$\alpha$": "α",
    r"$\delta$": "δ",
    r"$\chi$": "χ",
    r"$^2$": "²",
    r"$\leq$": "≤",
    r"$\geq$": "≥",
    r"$\pm$": "±",
    r"$^\dagger$": "†",
    r"$\downarrow$": "↓",
    r"$\surd$": "√",
    r"$\cdot$": "·",
    r"$\lambda$": "λ",
    "$-$": "−",
    "{--}": "–",
}
TOKEN = re.compile("|".join(map(re.escape, COMMANDS)) + r"|\\[{}_%&#$]|[{}]|[^{}\\]")


def set_by_latex(source: str) -> str:
    """Return what is printed for a source that uses no more of LaTeX than names need."""
    tokens = TOKEN.findall(source)
    assert "".join(tokens) == source, "an unknown command"
    printed = [COMMANDS.get(token, token.removeprefix("\\") if len(token) == 2 else token) for token in tokens]
    depth = 0
    for token in tokens:
        depth += {"{": 1, "}": -1}.get(token, 0)
        assert depth >= 0
        assert not re.fullmatch(r"[_%&#$~^]", token), "a bare special character"
    assert depth == 0
    return "".join(p for p, token in zip(printed, tokens, strict=True) if token not in "{}")


@given(st.text())
def test_a_name_is_set_as_it_stands(name: str) -> None:
    assert set_by_latex(escape(name)) == printable(name)


@given(st.text(alphabet="-'`?[]*\\{}", max_size=8))
def test_no_ligature_swallows_a_sign(name: str) -> None:
    source = escape(name)
    assert set_by_latex(source) == name
    assert not re.search(r"--|''|``|\?`|!`", source)
    assert not source.startswith(("[", "*"))


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("p = 0.0003", "$p$ = 0.0003"),
        ("p > 0.9999", "$p$ $>$ 0.9999"),
        ("3.20e-05", r"$3.20 \times 10^{-5}$"),
        ("± 4e-14", r"$\pm 4 \times 10^{-14}$"),
        ("±3.0", r"$\pm 3.0$"),
        ("|gain| ≥ 3.0", r"$|$gain$|$ $\geq$ 3.0"),
        ("α = 0.05", r"$\alpha$ = 0.05"),
        ("100,000", "100,000"),
        ("99.9%", r"99.9\%"),
        ("undefined", "undefined"),
    ],
)
def test_numbers_and_formulas(text: str, source: str) -> None:
    assert math(text) == source


def test_there_is_a_table_of_tests_where_there_are_several(results: dict[str, ComparisonResult]) -> None:
    assert to_latex(results["one_exact"], details=True).count(r"\begin{table}") == 2
    assert to_latex(results["assumes_independence"], details=True).count(r"\begin{table}") == 3
    assert to_latex(results["assumes_independence"]).count(r"\begin{table}") == 1


def test_every_row_has_as_many_cells_as_the_table_has_columns(result: ComparisonResult) -> None:
    for table in to_latex(result, details=True).split(r"\begin{table}")[1:]:
        found = re.search(r"\\begin\{tabular\}\{([lr]+)\}", table)
        assert found is not None
        rows = [line for line in table.splitlines() if line.endswith(r"\\")]
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(found[1]) - 1}


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_it_compiles(results: dict[str, ComparisonResult], tmp_path: Path) -> None:
    # Chinese and emoji need another engine and fonts.
    tables = [to_latex(result, details=True).replace("模型-é-🙂", "é") for result in results.values()]
    preamble = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    source = preamble + "\n\\clearpage\n".join(tables) + "\n\\end{document}\n"
    (tmp_path / "tables.tex").write_text(source, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
