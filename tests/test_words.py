"""Sentences about results are in `words`: no other room that makes or shows results writes one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "outscore"
ROOMS = ("questions", "significance", "gains", "results", "reports/documents", "reports/figures")
DESCRIPTIONS = "record.py"  # of what the JSON Schema holds
FEWEST_WORDS = 5  # of a sentence


def written(node: ast.AST) -> str | None:
    """Return the text of a string, with "{}" in place of values; None of anything else."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the sentences below a node, with their lines: no docstrings, and nothing of an error."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Assign) and {"what", "advice"} & {ast.unparse(target) for target in node.targets}:
            continue
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Problem", "doc", "found"):
            continue
        text = written(node)
        if text is None:
            yield from sentences(node)
        elif text.endswith(".") and text[:1].isupper() and len(text.split()) >= FEWEST_WORDS:
            yield getattr(node, "lineno", 0), text


@pytest.mark.parametrize("room", ROOMS)
def test_sentences_are_in_the_room_of_words(room: str) -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in sorted((SOURCE / room).glob("**/*.py"))
        if path.name != DESCRIPTIONS
        for line, text in sentences(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []
