# ruff: noqa: T201 (it is run by hand)
"""Show which cases of the frozen corpus have changed, or write it anew: `python -m tests.frozen.record [--write]`.

With words after the options only cases that hold all of them are run and shown.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import tempfile
import time
from pathlib import Path

from tests.frozen.cases import EXPECTED, VERSIONS, Json, cases, line_of, outcome, prepared, recorded


def difference(name: str, expected: Json, found: Json) -> str:
    """Return a unified diff of two outcomes."""
    old, new = (json.dumps(one, indent=1, ensure_ascii=False).splitlines() for one in (expected, found))
    return "\n".join(difflib.unified_diff(old, new, f"expected: {name}", f"found: {name}", lineterm="", n=2))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the outcomes, rather than to compare them")
    parser.add_argument("--check", action="store_true", help="say only which cases have changed")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="name the slowest cases")
    parser.add_argument("words", nargs="*", help="only cases that hold all of these")
    asked = parser.parse_args()
    _, expected = recorded()
    names = [name for name in cases() if all(word in name for word in asked.words)]
    found, seconds = {}, {}
    with tempfile.TemporaryDirectory() as folder, prepared(Path(folder).resolve()) as here:
        for name in names:
            begun = time.process_time()
            found[name] = outcome(name, here)
            seconds[name] = time.process_time() - begun
    changed = [name for name in names if expected.get(name) is None or line_of(expected[name]) != line_of(found[name])]
    gone = sorted(expected.keys() - set(cases()))
    for name in changed:
        print(name if asked.check else difference(name, expected.get(name, {}), found[name]))
    for name in gone:
        print(f"no longer a case: {name}")
    for name in sorted(seconds, key=lambda name: -seconds[name])[: asked.slowest]:
        print(f"{seconds[name]:6.2f} s  {name}")
    print(f"{len(names)} cases, {len(changed)} changed, {len(gone)} gone, {sum(seconds.values()):.1f} s")
    if asked.write:
        kept = expected | found
        lines = [json.dumps(VERSIONS), *(line_of(kept[name]) for name in cases() if name in kept)]
        EXPECTED.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return bool(changed or gone) and not asked.write


if __name__ == "__main__":
    sys.exit(main())
