"""Run the `$ outscore …` examples of README.md and docs, or of the pages named; with --write, put their output there.

Output that is Markdown itself stands between a comment with the command and a comment that ends it. What follows a bar,
as in `outscore … | head -n 8`, the shell does to the output.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```console\n\$ outscore (?P<arguments>[^\n]*)\n(?P<output>.*?)```", re.DOTALL)

MARKDOWN = re.compile(r"<!-- \$ outscore (?P<arguments>[^\n]*) -->\n(?P<output>.*?)<!-- end of output -->", re.DOTALL)


def pages() -> list[Path]:
    """Return the pages that may hold examples."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def output_of(arguments: str) -> str:
    """Return what the command prints, errors included, at 80 columns and without colour."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OUTSCORE")}
    environment |= {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    run = subprocess.run(
        [sys.executable, "-m", "outscore", *shlex.split(arguments)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if "Traceback (most recent call last)" in run.stderr:
        raise SystemExit(f"outscore {arguments}\n{run.stderr}")
    # Progress lines of what succeeded depend on the machine; of what failed they are the output.
    return run.stdout if run.returncode == 0 else run.stdout + run.stderr


def shown(arguments: str) -> str:
    """Return what is left of the output after the pipe behind the command, where there is one."""
    command, _, pipe = arguments.partition(" | ")
    output = output_of(command)
    if not pipe:
        return output
    return subprocess.run(pipe, shell=True, input=output, capture_output=True, encoding="utf-8", check=True).stdout


def refreshed(page: str) -> str:
    """Return the page with the real output under every command."""
    page = BLOCK.sub(lambda block: f"```console\n$ outscore {block['arguments']}\n{shown(block['arguments'])}```", page)
    return MARKDOWN.sub(
        lambda part: f"<!-- $ outscore {part['arguments']} -->\n\n{shown(part['arguments'])}\n<!-- end of output -->",
        page,
    )


def main() -> int:
    """Check all pages, or those named, or write them."""
    named = [Path(name).resolve() for name in sys.argv[1:] if name != "--write"]
    stale = 0
    for path in named or pages():
        before = path.read_text(encoding="utf-8")
        after = refreshed(before)
        if after != before:
            stale += 1
            print(
                f"{path.relative_to(ROOT)}: {'written' if '--write' in sys.argv else 'is not what the program prints'}"
            )
            if "--write" in sys.argv:
                path.write_text(after, encoding="utf-8")
    return 0 if "--write" in sys.argv else min(stale, 1)


if __name__ == "__main__":
    sys.exit(main())
