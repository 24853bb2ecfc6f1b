"""The site of the documentation: every page, command and public name has a place, and links lead to files."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest

import outscore

from .browser.searches import SEARCHES

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FENCED = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 5
    assert all(len(block.splitlines()) <= 11 for block in blocks)  # the command, and ten lines


def test_every_page_is_listed_once() -> None:
    navigation = tomllib.loads((DOCS / "navigation.toml").read_text(encoding="utf-8"))
    listed = [page for captions in navigation.values() for pages in captions.values() for page in pages]
    assert sorted(["index", *listed]) == sorted(str(path.relative_to(DOCS).with_suffix("")) for path in PAGES)


def test_what_the_search_names_is_there() -> None:
    """Pages, captions of the navigation, and headings as "page > heading"."""
    table = tomllib.loads((DOCS / "search.toml").read_text(encoding="utf-8"))
    captions = tomllib.loads((DOCS / "navigation.toml").read_text(encoding="utf-8"))["index"]
    for name in {*table["weights"], *table["synonyms"], *(page for pages in SEARCHES.values() for page in pages)}:
        page, _, heading = name.partition(" > ")
        assert name in captions or (DOCS / f"{page}.md").is_file(), name
        if heading:
            lines = (DOCS / f"{page}.md").read_text(encoding="utf-8").splitlines()
            assert heading in {line.lstrip("#").strip() for line in lines if line.startswith("#")}, name


def test_every_command_has_a_page() -> None:
    from tests.cli.kit import command_app

    commands = {name for name in command_app() if not name.startswith("-")}
    assert {path.stem for path in (DOCS / "reference" / "commands").glob("*.md")} == {*commands, "README"}


def test_every_public_name_has_a_place() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference" / "python").glob("*.md"))
    documented = re.findall(r"^\.\. auto(?:class|function):: (\w+)$", text, re.MULTILINE)
    assert sorted(set(documented) & set(outscore.__all__)) == sorted(set(outscore.__all__) - {"__version__"})
    assert len(documented) == len(set(documented))


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *PAGES], ids=str)
def test_links_lead_to_files(page: Path) -> None:
    """On a repository host as well, and to what lies outside of the site; headings are Sphinx's to check."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http", "#", "mailto:")):
            assert (page.parent / unquote(target.partition("#")[0])).exists(), target
