"""Every option is written once, and messages name it as users of the command line or of Python write it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import outscore
from outscore.cli.arguments import computing
from outscore.errors import OptionError
from outscore.options import Option, opt, speaking_options
from tests.cli.kit import EXAMPLES, all_options, options_of, options_of_function
from tests.frozen.cases import run
from tests.test_documentation import load

SOURCE = Path(outscore.__file__).parent
STUB = load(Path(__file__).parent.parent / "docs" / "stub.py")
TABLE_ROWS = [of for _, of in all_options()]
ARGUMENTS = {of.argument for of in TABLE_ROWS}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
COMMANDS = [command for command in EXAMPLES if command not in ("", "--install-completion", "plan", "study")]


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules that are neither commands nor the table."""
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        if place.parts[0] != "cli" and place.name not in ("command.py", "options.py", "wing_options.py"):
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


def test_messages_of_wings_name_options_by_the_table() -> None:
    for path in sorted(SOURCE.rglob("command.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = [node for node in ast.walk(tree) if isinstance(node, DOCUMENTED)]
        said: set[object] = {ast.get_docstring(node, clean=False) for node in documented}
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        named = [word.value for call in calls for word in call.keywords if word.arg in ("name", "alias")]
        said |= {name.value for name in named if isinstance(name, ast.Constant)}
        constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        texts = [text for text in constants if isinstance(text, str) and text not in said]
        found = [text for text in texts if re.search(r"(?<![\w-])--[a-z]", text)]
        assert not found, path


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
    known = {of.written for of in TABLE_ROWS}
    not_in_the_table = {"help", "version", "no-max-t", "empty-to", "empty-transfer", "empty-window"}
    of_others = {"shell", "names"}  # of the command that installs completion, and of Python
    assert offered() - not_in_the_table == known - of_others


def test_the_stub_is_what_the_script_writes() -> None:
    assert STUB.stub() == STUB.STUB.read_text(encoding="utf-8"), "write it with: python docs/stub.py --write"


ADDED = r'''
import importlib.util, inspect, sys, types
spec = importlib.util.find_spec("outscore.options")
table = open(spec.origin, encoding="utf-8").read()
added = """
        Option("shade", "Shade of the items. See --zeal.", name="tint", commands="read", key="shades"),
        Option("zeal", "How hard to try.", "whole", commands="compare"),"""
start = '    "Systems and metrics": ('
assert table.count(start) == 1
sys.modules[spec.name] = module = types.ModuleType(spec.name)
exec(compile(table.replace(start, start + added), spec.origin, "exec"), module.__dict__)
import outscore
from outscore.cli.app import help_of
from outscore.readers.boards import board_files
from outscore.readers.reading import Reading
from tests.test_options import STUB
from tests.frozen.cases import run

with board_files(sys.argv[1], (), Reading()) as board:
    assert board.reading.shade == "dark"
assert Reading(shade="pale").shade == "pale"
for function in (outscore.read, outscore.compare):
    argument = "shade" if function is outscore.read else "zeal"
    assert inspect.signature(function).parameters[argument].default is None
    assert f"\n{argument} : " in function.__doc__
assert "See `zeal`." in outscore.read.__doc__
assert "    shade: str | None\n" in STUB.stub() and "    zeal: int | None\n" in STUB.stub()
text = help_of(["compare"]).text(everything=True)
assert "--tint VALUE" in text and "--zeal VALUE" in text
assert "--tint" in help_of(["gate"]).text(everything=True)
if importlib.util.find_spec("sphinx"):  # the page of a command in the documentation
    from tests.test_documentation import ROOT, load
    page = load(ROOT / "docs" / "conf.py").command_lines(["compare"])
    assert ".. option:: --tint VALUE" in page and ".. option:: --zeal VALUE" in page
status, _, error = run("compare a.csv b.csv --shade x")
assert "Use --tint." in error
status, _, error = run("compare a.csv b.csv --zeal many")
assert status == 2 and "--zeal" in error
'''


def test_an_option_is_one_line_of_the_table(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n0\n")
    board = tmp_path / "board.toml"
    board.write_text('shades = "dark"\n[[systems]]\nfile = "a.txt"\n')
    done = subprocess.run(
        [sys.executable, "-c", ADDED, board], capture_output=True, text=True, check=False, cwd=SOURCE.parents[1]
    )
    assert done.returncode == 0, done.stderr


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
    with speaking_options(), computing(2)[1] as executor:
        assert executor is not None
        assert executor.submit(opt, "clusters").result() == "--cluster"


def test_warnings_name_arguments_in_python_and_options_on_the_command_line(tmp_path: Path) -> None:
    scores = {"base.txt": [1.0, 2.5, 3.0, 4.5, 2.0, 1.0], "new.txt": [2.0, 2.0, 4.5, 5.0, 3.0, 2.5]}
    for name, values in scores.items():
        (tmp_path / name).write_text("".join(f"{value}\n" for value in values))
    status, out, _ = run(f"compare {tmp_path}/base.txt {tmp_path}/new.txt -m mean --test bootstrap")
    assert status == 0
    assert "Omit --test" in " ".join(out.split())
    shown = " ".join(str(outscore.compare(*scores.values(), metric="mean", tests="bootstrap")).split())
    assert "Omit tests" in shown
    assert not re.search("--[a-z]", shown)


def test_errors_of_objects_speak_of_arguments() -> None:
    with pytest.raises(OptionError, match=r"^hurt: "):
        outscore.Rates(hurt=2.0)


# Options that the functions and commands which read systems take, and whose names differ.
RENAMED = [
    of for of in TABLE_ROWS if of.argument in options_of_function("read") and (of.parameter != of.argument or of.short)
]


@pytest.mark.parametrize("of", RENAMED, ids=lambda of: of.argument)
@pytest.mark.parametrize("function", [outscore.compare, outscore.gate, outscore.study_gain, outscore.pilot])
def test_python_names_the_argument_of_an_option(function: Callable[..., Any], of: Option) -> None:
    name = of.parameter if of.parameter != of.argument else of.short
    with pytest.raises(TypeError, match=rf"unexpected keyword argument '{name}'\. Use .*{of.argument}"):
        function([1, 0], [1, 1], **{name: "x"})


@pytest.mark.parametrize("value", [True, False])
def test_a_flag_is_suggested_with_its_value(value: bool) -> None:
    """Only another name for the same value could be the opposite."""
    given: dict[str, Any] = {"higher_is_better": value}
    with pytest.raises(TypeError, match=r'Did you mean "lower_is_better=True"\?'):
        outscore.compare([1, 0], [1, 1], **given)


@pytest.mark.parametrize("command", ["compare", "gate", "rank", "score", "plan items", "plan runs", "study gain"])
@pytest.mark.parametrize("of", [of for of in RENAMED if of.parameter != of.argument], ids=lambda of: of.argument)
def test_commands_name_the_option_of_an_argument(command: str, of: Option) -> None:
    if f"--{of.written}" in options_of(command):
        status, _, message = run(f"{command} a.csv b.csv --{of.argument.replace('_', '-')} x")
        assert status == 2
        with speaking_options():
            assert f"Use {opt(of.argument, True if of.value else None)}." in message
