"""Bring the parts that JSON Schemas share up to date in every one of them; with --write, put them there.

What is written by hand stands above "$defs" in src/outscore/schemas/*.json, and the shared parts in docs/schemas.json.
Each file gets those that it refers to, other forms among them, so that it can be used alone. All are laid out alike.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
PARTS = DOCS / "schemas.json"
FORMS = DOCS.parent / "src" / "outscore" / "schemas"
WIDTH = 120
REFERENCE = re.compile(r'"#/\$defs/([^"]+)"')


def current() -> dict[Path, str]:
    """Return what every file must hold, the shared parts included."""
    parts = json.loads(PARTS.read_text(encoding="utf-8"))
    own = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FORMS.glob("*.json"))}
    for schema in own.values():
        schema.pop("$defs", None)
    known = {**parts, **{path.stem.rpartition("-")[0]: embedded(schema) for path, schema in own.items()}}
    held = {path: with_parts(schema, known) for path, schema in own.items()}
    return {path: laid_out(schema) + "\n" for path, schema in {**held, PARTS: parts}.items()}


def embedded(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a form as a part of another: its name and version stand in its key "schema" all the same."""
    return {key: value for key, value in schema.items() if key not in ("$schema", "$id")}


def with_parts(schema: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return a form with all parts that it refers to, directly or through others."""
    needed: set[str] = set()
    new = referred(schema)
    while new:
        needed |= new
        new = {name for one in new for name in referred(known[one])} - needed
    return {**schema, "$defs": {name: known[name] for name in sorted(needed)}}


def referred(schema: dict[str, Any]) -> set[str]:
    """Return the names of the parts that are referred to."""
    return set(REFERENCE.findall(json.dumps(schema)))


def laid_out(value: Any, indent: str = "", before: int = 0) -> str:
    """Write what fits on a line on one line."""
    line = json.dumps(value)
    if len(indent) + before + len(line) < WIDTH or not isinstance(value, dict | list) or not value:
        return line
    inner = indent + "  "
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        filled = textwrap.fill(line[1:-1], WIDTH - 1, initial_indent=inner, subsequent_indent=inner)
        return f"[\n{filled}\n{indent}]"
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + laid_out(one, inner) for one in value) + f"\n{indent}]"
    keys = {json.dumps(key): one for key, one in value.items()}
    held = (f"{inner}{key}: {laid_out(one, inner, len(key) + 2)}" for key, one in keys.items())
    return "{\n" + ",\n".join(held) + f"\n{indent}}}"


def main() -> int:
    """Check all files, or write them."""
    stale = [(path, text) for path, text in current().items() if path.read_text(encoding="utf-8") != text]
    for path, text in stale:
        print(f"{path.name}: {'written' if '--write' in sys.argv else 'is not up to date'}")
        if "--write" in sys.argv:
            path.write_text(text, encoding="utf-8", newline="\n")
    return 0 if "--write" in sys.argv else min(len(stale), 1)


if __name__ == "__main__":
    sys.exit(main())
