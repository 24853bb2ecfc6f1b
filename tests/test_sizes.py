"""No room of the core and no wing is larger than docs/design/rules.md allows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "outscore"
FOLDERS = {
    path.parent.name: path.parent
    for pattern in ("*/__init__.py", "wings/*/__init__.py")
    for path in SOURCE.glob(pattern)
    if path.parent.name != "wings"
}
RULES = (ROOT / "docs" / "design" / "rules.md").read_text(encoding="utf-8")
MOST = {name: int(lines.replace(",", "")) for name, lines in re.findall(r"^\| `(\w+)` \| ([\d,]+) \|$", RULES, re.M)}


def n_lines(*paths: Path) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def test_every_folder_has_a_size() -> None:
    assert sorted(MOST) == sorted(FOLDERS)


@pytest.mark.parametrize("room", MOST)
def test_no_room_is_larger_than_its_size(room: str) -> None:
    assert n_lines(*FOLDERS[room].rglob("*.py")) <= MOST[room]


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "design").glob("*.md")), ids=lambda page: page.name)
def test_a_page_on_the_design_is_short(page: Path) -> None:
    assert n_lines(page) <= 200
