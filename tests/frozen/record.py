# ruff: noqa: T201 (it is run by hand)
"""Show which cases of the frozen corpus have changed, or write these anew: `python -m tests.frozen.record [--write]`.

With words after the options only cases that hold all of them are run and shown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.frozen.alike import difference, settled
from tests.frozen.cases import EXPECTED, cases, file_of, outcome, prepared, recorded, text_of
from tests.frozen.sentences import each_once, shortened


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the files of changed cases, remove those of none")
    parser.add_argument("--bytes", action="store_true", help="compare byte for byte, not to nine digits")
    parser.add_argument("--check", action="store_true", help="name the changed cases, without differences")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="name the slowest cases")
    parser.add_argument("words", nargs="*", help="only cases that hold all of these")
    asked = parser.parse_args()
    expected, every = recorded(), cases()
    _, holders = each_once(expected)
    names = [name for name, case in every.items() if all(word in case for word in asked.words)]
    changed, seconds = {}, {}
    with tempfile.TemporaryDirectory() as folder, prepared(Path(folder).resolve()) as here:
        for name in names:
            begun = time.process_time()
            found = outcome(every[name], here)
            seconds[name] = time.process_time() - begun
            brief = shortened(name, found, holders)
            if not asked.bytes:
                found, brief = (settled(expected.get(name, {}), one) for one in (found, brief))
            if name not in expected or text_of(expected[name]) != text_of(brief):
                changed[name] = found
                print(f"{'changed' if name in expected else 'new'}: {every[name]}")
                if name in expected and not asked.check:
                    print(difference(name, expected[name], brief))
    gone = sorted(expected.keys() - every.keys())
    for name in gone:
        print(f"no longer a case: {name}")
    for name in sorted(seconds, key=lambda name: -seconds[name])[: asked.slowest]:
        print(f"{seconds[name]:6.2f} s  {every[name]}")
    print(f"{len(names)} cases, {len(changed)} changed or new, {len(gone)} gone, {sum(seconds.values()):.1f} s")
    if asked.write:
        EXPECTED.mkdir(exist_ok=True)
        known = expected | changed
        kept, _ = each_once({name: known[name] for name in every if name in known})
        for name, found in kept.items():
            if name not in expected or text_of(expected[name]) != text_of(found):
                file_of(name).write_text(text_of(found), encoding="utf-8")
        for name in gone:
            file_of(name).unlink()
    return bool(changed or gone) and not asked.write


if __name__ == "__main__":
    sys.exit(main())
