"""The recipe for conda, the files for Debian and the citation agree with pyproject.toml."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from outscore import __version__

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DEBIAN = ROOT / "packaging" / "debian"
# A requirement: its name, its lowest version, and the first Python that does without it.
Requirements = dict[str, tuple[str, str | None]]


def yaml(path: str) -> Any:
    return msgspec.yaml.decode((ROOT / path).read_bytes())


def required() -> Requirements:
    """Return what pyproject.toml requires, with Python itself."""
    form = re.compile(r"([\w.-]+)>=([\d.]+)(?:; python_version < '([\d.]+)')?")
    found: Requirements = {"python": (PROJECT["project"]["requires-python"].removeprefix(">="), None)}
    for requirement in PROJECT["project"]["dependencies"]:
        parts = form.fullmatch(requirement)
        assert parts is not None, requirement
        found[parts[1]] = (parts[2], parts[3])
    return found


def of_conda() -> Requirements:
    form = re.compile(r"([\w.-]+) >=([\d.]+)")
    found: Requirements = {}
    for requirement in yaml("packaging/conda/recipe.yaml")["requirements"]["run"]:
        text, before = requirement, None
        if isinstance(requirement, dict):
            condition = re.fullmatch(r'match\(python, "<([\d.]+)"\)', requirement["if"])
            assert condition is not None
            text, before = requirement["then"], condition[1]
        parts = form.fullmatch(text)
        assert parts is not None, text
        found[parts[1]] = (parts[2], before)
    return found


def paragraphs(path: Path) -> list[dict[str, str]]:
    """Return the paragraphs of a control file, with its fields; lines that go on are joined."""
    parts = re.split(r"\n{2,}", path.read_text(encoding="utf-8").strip())
    return [dict(re.findall(r"^(\S+?):[ ]?(.*(?:\n .*)*)", part, re.MULTILINE)) for part in parts]


def of_debian() -> Requirements:
    least = r"\(>= ([\d.]+)\)"
    form = re.compile(rf"(?:python3 {least} \| )?python3(?:-([\w.-]+))? {least}")
    [_, package] = paragraphs(DEBIAN / "control")
    found: Requirements = {}
    for text in filter(None, re.split(r",\s*", package["Depends"].strip())):
        if text != "${misc:Depends}":
            parts = form.fullmatch(text)
            assert parts is not None, text
            found[parts[2] or "python"] = (parts[3], parts[1])
    return found


@pytest.mark.parametrize("found", [of_conda, of_debian])
def test_the_dependencies_are_those_of_the_project(found: Any) -> None:
    assert found() == required()
    assert len(required()) > 8


def test_versions_are_those_of_the_package() -> None:
    assert yaml("packaging/conda/recipe.yaml")["context"]["version"] == __version__
    first = (DEBIAN / "changelog").read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(rf"outscore \({re.escape(__version__)}-\d+\) \w+; urgency=\w+", first)
    assert yaml("CITATION.cff")["version"] == __version__


def test_both_build_with_the_backend_of_the_project() -> None:
    [backend] = PROJECT["build-system"]["requires"]
    recipe = yaml("packaging/conda/recipe.yaml")
    [source, _] = paragraphs(DEBIAN / "control")
    assert recipe["requirements"]["host"] == ["python", "pip", backend]
    assert f" python3-{backend}," in source["Build-Depends"].splitlines()
    lowest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert recipe["build"]["skip"] == [f'match(python, "<{lowest}")']
    assert f" python3-all (>= {lowest})," in source["Build-Depends"].splitlines()


def test_the_source_package_has_what_debian_needs() -> None:
    assert (DEBIAN / "source" / "format").read_text(encoding="utf-8") == "3.0 (quilt)\n"
    assert (DEBIAN / "rules").read_text(encoding="utf-8").startswith("#!/usr/bin/make -f\n")
    assert (DEBIAN / "rules").stat().st_mode & stat.S_IXUSR
    assert "/outscore-(.+)" in (DEBIAN / "watch").read_text(encoding="utf-8")
    [tests] = paragraphs(DEBIAN / "tests" / "control")
    assert tests["Test-Command"] == " && ".join(yaml("packaging/conda/recipe.yaml")["tests"][1]["script"])


def test_the_citation_is_complete() -> None:
    citation = yaml("CITATION.cff")
    assert {"cff-version", "message", "title", "abstract", "type", "authors", "license", "keywords"} <= citation.keys()
    names = {author["family-names"] for work in citation["references"] for author in work["authors"]}
    assert {"Yeh", "Koehn", "Berg-Kirkpatrick", "Jansen", "Jurafsky", "Noreen", "Efron", "Hall", "Tango"} <= names
    for work in citation["references"]:
        assert work["title"]
        assert "year" in work or "edition" in work
        assert work.keys() & {"collection-title", "journal", "publisher", "edition"} or work["type"] == "generic"
