"""Every option is written once, and messages name it as users of the command line or of Python write it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import outscore
from outscore.cli.app import options_of
from outscore.cli.arguments import computing
from outscore.cli.helping import EXAMPLES
from outscore.design.options import CROSSED_OPTIONS
from outscore.errors import OptionError
from outscore.options import OPTIONS, opt, option_of, speaking_options
from tests.frozen.cases import run

SOURCE = Path(outscore.__file__).parent
ARGUMENTS = {argument for options in OPTIONS.values() for argument in options} | {of.name for of in CROSSED_OPTIONS}
COMMANDS = [command for command in EXAMPLES if command not in ("", "--install-completion", "plan", "study")]


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules that are neither commands nor the table."""
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        if place.parts[0] != "cli" and place.name not in ("command.py", "options.py"):
            yield place.as_posix(), ast.parse(path.read_text(encoding="utf-8"))
    yield "design/options.py", ast.parse((SOURCE / "design" / "options.py").read_text(encoding="utf-8"))


def offered() -> set[str]:
    return {option.removeprefix("--") for command in COMMANDS for option in options_of(command)}


def test_no_option_is_written_outside_the_commands_and_the_table() -> None:
    names = "|".join(sorted(offered(), key=len, reverse=True))
    written = re.compile(rf"(?<![\w-])--(?:{names})(?![\w-])")
    assert written.search("Pass --runs random.")
    found = [
        f"{place}:{node.lineno}: {node.value}"
        for place, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and written.search(node.value)
    ]
    assert not found


def test_no_option_is_put_together_outside_the_commands_and_the_table() -> None:
    found = [
        f"{place}:{node.lineno}"
        for place, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for before, after in pairwise(node.values)
        if isinstance(after, ast.FormattedValue) and isinstance(before, ast.Constant)
        if re.search(r"(?<![\w!-])--$", str(before.value))
    ]
    assert not found


def test_messages_name_arguments_that_are_in_the_table() -> None:
    named = {
        (node.args[0].value, place)
        for place, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "opt"
        if isinstance(node.args[0], ast.Constant)
    }
    assert len(named) > 100
    assert {(argument, place) for argument, place in named if argument not in ARGUMENTS} == set()


def test_the_table_has_the_options_of_the_commands() -> None:
    known = {option_of(argument).split()[0] for argument in ARGUMENTS}
    help_and_opposites = {"help", "version", "no-max-t", "empty-to", "empty-transfer", "empty-window"}
    assert offered() - help_and_opposites == known - {"shell"}  # that is of the command that installs completion


def test_options_are_arguments_in_python() -> None:
    assert [opt("runs", "random"), opt("id_column", '"a b"'), opt("baseline", "NAME"), opt("header", "1")] == [
        'runs="random"',
        'id_column="a b"',
        "baseline=NAME",
        "header=1",
    ]
    with speaking_options():
        assert [opt("id_column", "x"), opt("zero_missing", True), opt("references", short=True)] == [
            "--id x",
            "--missing zero",
            "-r",
        ]
        with speaking_options(speaks=False):
            assert opt("clusters") == "clusters"
    assert opt("clusters") == "clusters"


def test_threads_of_a_command_name_options() -> None:
    with speaking_options(), computing(2, None) as executor:
        assert executor is not None
        assert executor.submit(opt, "clusters").result() == "--cluster"


def test_warnings_name_arguments_in_python_and_options_on_the_command_line(tmp_path: Path) -> None:
    scores = {"base.txt": [1.0, 2.5, 3.0, 4.5, 2.0, 1.0], "new.txt": [2.0, 2.0, 4.5, 5.0, 3.0, 2.5]}
    for name, values in scores.items():
        (tmp_path / name).write_text("".join(f"{value}\n" for value in values))
    status, out, _ = run(f"compare {tmp_path}/base.txt {tmp_path}/new.txt -m mean --test bootstrap")
    assert status == 0
    assert "Leave --test out" in " ".join(out.split())
    shown = " ".join(str(outscore.compare(*scores.values(), metric="mean", tests="bootstrap")).split())
    assert "Leave tests out" in shown
    assert not re.search("--[a-z]", shown)


def test_errors_of_objects_speak_of_arguments() -> None:
    with pytest.raises(OptionError, match=r"^hurt: "):
        outscore.Rates(hurt=2.0)
