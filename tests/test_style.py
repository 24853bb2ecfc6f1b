"""Plain English in the documentation and in the strings of the source: habits that make sentences hard to read."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
START = r"(?:^|(?<=[.:;!?] ))"  # of a sentence or clause
HABITS = {
    "What ... as a subject": re.compile(START + r"(?:What(?:ever)?|Who(?:ever)?) (?!.*\?)", re.MULTILINE),
    "fronted Of": re.compile(START + r"Of (?!course\b)\w", re.MULTILINE),
    "stands, in place of is": re.compile(r"\bstands?\b(?!-)", re.IGNORECASE),
    "law, in place of distribution": re.compile(r"\blaws?\b", re.IGNORECASE),
    "things that tell": re.compile(r"\bt(?:ells?|old)\b", re.IGNORECASE),
    "where 5% is meant": re.compile(r"\bwhere [\d.]+ ?% is meant", re.IGNORECASE),
    "is none": re.compile(r"\b(?:is|are) none\b", re.IGNORECASE),
    "one item a line": re.compile(r"\bone \w+ an? \w", re.IGNORECASE),
    ", too": re.compile(r", too\b", re.IGNORECASE),
    "hang together": re.compile(r"\bhangs? together\b", re.IGNORECASE),
    "but for": re.compile(r"\bbut for\b", re.IGNORECASE),
    "these very items": re.compile(r"\bth(?:e|is|at|ese|ose) very\b", re.IGNORECASE),
    "says so": re.compile(r"\bsays? so\b", re.IGNORECASE),
}
LIMITS = {"docs": 60, "source": 150}


def paragraphs(page: Path) -> Iterator[str]:
    """Yield the lines of a page outside of blocks of code, without code in them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for line in text.splitlines():
        yield re.sub(r"`[^`]*`", "CODE", line.lstrip("#>-*| "))


def literals(module: Path) -> Iterator[str]:
    """Yield the strings and docstrings of a module, each on one line."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield " ".join(node.value.split())


def texts(group: str) -> Iterator[tuple[Path, str]]:
    if group == "source":
        for module in sorted((ROOT / "src").rglob("*.py")):
            yield from ((module, text) for text in literals(module))
        return
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if "changelog" not in page.name.lower():
            yield from ((page, text) for text in paragraphs(page))


@pytest.mark.parametrize("group", LIMITS)
def test_habits_are_rare(group: str) -> None:
    found: Counter[str] = Counter()
    places = []
    for path, text in texts(group):
        for habit, pattern in HABITS.items():
            found[habit] += (count := len(pattern.findall(text)))
            if count:
                places.append(f"{path.relative_to(ROOT)}: {habit}: {text[:100]}")
    assert found.total() <= LIMITS[group], "\n".join([str(found), *places])
