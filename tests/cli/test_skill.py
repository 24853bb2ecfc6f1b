"""`outscore skill`: where the files for agents are, and that they say what is true."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import tomllib
from pathlib import Path

import msgspec
import pytest

import outscore as package
from tests.cli.kit import command_app
from tests.cli.test_help import files  # noqa: F401 - a fixture
from tests.running import Runner

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = Path(str(package.__file__)).parent / "skills" / "outscore"
SKILL = (FOLDER / "SKILL.md").read_text(encoding="utf-8")
PAGES = (FOLDER / "llms.txt").read_text(encoding="utf-8")
LINK = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\.html\): (\S.*\S)$", re.MULTILINE)
# Pages that an index beside them lists, or that are for developers.
NOT_LISTED = re.compile(r"(calibration|logs|reference/commands)/(?!README)|design/(?!idea)|fuzzing|walk|site")


def test_the_folder_is_one_line(outscore: Runner) -> None:
    run = outscore("skill")
    assert (run.status, run.out, run.err) == (0, f"{FOLDER}\n", "")
    assert sorted(path.name for path in FOLDER.iterdir()) == ["SKILL.md", "llms.txt"]


def test_a_file_is_printed_or_written(outscore: Runner) -> None:
    assert outscore("skill", "SKILL.md").out == SKILL
    written = outscore("skill", "llms.txt", "-o", "pages.txt")
    assert (written.status, written.out) == (0, "")
    assert Path("pages.txt").read_text(encoding="utf-8") == PAGES


def test_an_unknown_file_is_an_error_of_one_line(outscore: Runner) -> None:
    run = outscore("skill", "llm.txt")
    assert (run.status, run.out) == (2, "")
    assert run.err == 'outscore skill: unknown file "llm.txt". Did you mean "llms.txt"? [unknown-file]\n'


def test_the_skill_has_a_name_and_a_description_as_agents_expect() -> None:
    before, front, body = SKILL.split("---\n", 2)
    fields = msgspec.yaml.decode(front.encode())
    assert before == ""
    assert fields["name"] == FOLDER.name == "outscore"
    assert 100 < len(fields["description"]) <= 1024
    assert body.lstrip().startswith("# outscore\n")
    assert len(SKILL.splitlines()) <= 150


def test_python_examples_of_the_skill_give_what_they_show() -> None:
    options = {"module_relative": False, "encoding": "utf-8", "optionflags": doctest.ELLIPSIS}
    done = doctest.testfile(str(FOLDER / "SKILL.md"), **options)  # type: ignore[arg-type]
    assert (done.failed, done.attempted > 5) == (0, True)


def commands() -> list[str]:
    lines = re.findall(r"`(outscore [^`]*?)`", SKILL.replace("\n", " "))
    return [line for line in dict.fromkeys(lines) if not re.search(r"[A-Z]{4,}", line)]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("line", commands())
def test_commands_of_the_skill_run(outscore: Runner, line: str) -> None:
    arguments = shlex.split(line)[1:]
    run = outscore(*arguments, *(["--help"] if arguments in (["rank"], ["gate"], ["gate", "accept"]) else []))
    assert (run.status, run.err.count("Traceback")) == (0, 0), run.err


def test_the_skill_names_five_commands_and_functions_that_exist() -> None:
    rows = re.findall(r"^\| [^|]+\? \| `outscore (\w+) [^|]*` \| `outscore\.(\w+)` \|$", SKILL, re.MULTILINE)
    assert [command for command, _ in rows] == ["compare", "rank", "score", "gate", "plan"]
    assert all(command in command_app() and function in package.__all__ for command, function in rows)


def test_fields_and_verdicts_of_the_skill_are_those_of_json() -> None:
    table = SKILL.partition("| field | meaning |")[2].partition("\n\n")[0]
    named = [name.removesuffix("[0]") for name in re.findall(r"^\| `([\w\[\]]+)` \|", table, re.MULTILINE)]
    whole = json.loads(package.compare([1, 0, 1, 1], [1, 1, 1, 0]).to_json())
    [comparison] = whole["comparisons"]
    known = {*comparison, *comparison["tests"][0], "signature"}
    assert len(named) == 8
    assert set(named) <= known
    assert all(f"`{verdict}`" in table for verdict in package.Verdict)


def test_the_list_of_pages_has_the_form_of_llmstxt_org() -> None:
    title, blank, summary, *_ = PAGES.splitlines()
    assert (title, blank) == ("# outscore", "")
    assert summary.startswith("> ")
    sections = re.findall(r"^## (.+)$", PAGES, re.MULTILINE)
    assert sections[-1] == "Optional"
    for section in re.split(r"^## .+$", PAGES, flags=re.MULTILINE)[1:]:
        assert all(LINK.fullmatch(line) for line in section.strip().splitlines())


def test_the_list_of_pages_has_every_page_once() -> None:
    navigation = tomllib.loads((ROOT / "docs" / "navigation.toml").read_text(encoding="utf-8"))
    pages = [page for captions in navigation.values() for group in captions.values() for page in group]
    listed = [page for _, page, _ in LINK.findall(PAGES)]
    expected = [page for page in pages if not NOT_LISTED.match(page)]
    assert sorted(listed) == sorted(expected), f"list new pages in {FOLDER / 'llms.txt'}"


def test_the_site_has_the_list_at_its_root() -> None:
    conf = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    [path] = re.findall(r'^html_extra_path = \["(.+)"\]$', conf, re.MULTILINE)
    assert (ROOT / "docs" / path).resolve() == (FOLDER / "llms.txt").resolve()
