"""Write src/outscore/declared.pyi, the options of the table for type checkers: python docs/stub.py --write."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import outscore
from outscore.design.options import default_in_python, options_of_command, options_of_function
from outscore.options import Option

STUB = Path(outscore.__file__).with_name("declared.pyi")
# Functions that do not read systems.
ALONE = (
    *("judges", "meta", "meta_scores"),
    *("plan_gain", "plan_gate", "plan_human", "plan_items", "plan_power", "plan_table"),
)
# Functions that read systems; the arguments of `read` have their own class.
READ = (
    *("compare", "rank", "score", "gate", "gate_accept", "pilot", "plan_runs"),
    *("study_calibration", "study_domains", "study_gain", "study_size", "study_transfer"),
)
# Modules of the types in annotations other than the enumerations of `outscore.results`.
MODULES = {
    "AnyExecutor": "laws.executors",
    "Families": "readers.reading",
    "Level": "wings.planning",
    "Numbers": "data.coercion",
    "RunDesign": "data.rows",
    "SignificanceTest": "significance",
    "Tasks": "results.test_sets",
}


def stub() -> str:
    """Return the text of `declared.pyi`."""
    classes = [
        "\n".join(_dataclass("ReadingOptions", options_of_function("read"), _summary("read"))),
        *("\n".join(_typed_dict(name)) for name in ("read", *READ, *ALONE)),
        *("\n".join(_of_commands(name)) for name in ("read", "boards", "writes")),
    ]
    text = "\n\n".join(classes)
    options = [of for name in ("read", *READ, *ALONE) for of in options_of_function(name).values()]
    enumerations = {of.enumeration for of in options if of.enumeration}
    modules = {"results": sorted(enumerations)} | {module: [name] for name, module in MODULES.items()}
    imports = [
        f"from outscore.{module} import {names[0] if len(names) == 1 else _in_lines(names)}"
        for module, names in sorted(modules.items())
    ]
    head = [
        '"""The options of the table, for type checkers. Written by docs/stub.py."""',
        "",
        "from collections.abc import Iterable, Mapping, Sequence",
        "from dataclasses import dataclass",
        "from typing import Literal, TypedDict",
        "",
        *imports,
    ]
    return "\n".join(head) + "\n\n" + text + "\n"


def _summary(name: str) -> str:
    return f"The arguments of `{name}`{', which all functions of systems accept' if name == 'read' else ''}."


def _in_lines(names: Sequence[str]) -> str:
    return "(\n" + "".join(f"    {name},\n" for name in names) + ")"


def _typed_dict(name: str) -> Iterator[str]:
    base = "TypedDict" if name in ("read", *ALONE) else "ReadOptions"
    yield f"class {name.title().replace('_', '')}Options({base}, total=False):"
    yield f'    """{_summary(name)}"""\n'
    for argument, of in options_of_function(name).items():
        yield f"    {argument}: {of.annotation}"


def _dataclass(name: str, options: Mapping[str, Option], summary: str) -> Iterator[str]:
    yield "@dataclass(frozen=True, kw_only=True)"
    yield f"class {name}:"
    yield f'    """{summary}"""\n'
    for argument, of in options.items():
        yield f"    {argument}: {of.annotation} = {default_in_python(of)!r}"


def _of_commands(name: str) -> Iterator[str]:
    kinds = {"text": "str", "texts": "list[str]", "flag": "bool", "whole": "int", "number": "float"}
    yield "@dataclass(frozen=True, kw_only=True)"
    yield f"class {name.title()}OptionsOfCommands:"
    yield f'    """The options of commands for {name}."""\n'
    for parameter, of in options_of_command(name).items():
        kind = "str" if isinstance(of.type, tuple) else kinds[of.type]
        default = "False" if of.type == "flag" else "None" if of.default is None else f'"{of.default}"'
        yield f"    {parameter}: {kind}{' | None' if default == 'None' else ''} = {default}"


def main() -> None:
    """Write the stub."""
    if sys.argv[1:] != ["--write"]:
        raise SystemExit("usage: python docs/stub.py --write")
    STUB.write_text(stub(), encoding="utf-8")


if __name__ == "__main__":
    main()
