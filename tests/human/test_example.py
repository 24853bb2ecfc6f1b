"""The example of human scores is what its script makes."""

from __future__ import annotations

from tests.human import made
from tests.test_documentation import load

FOLDER = made.ROOT / "examples" / "human"


def test_the_example_is_made_by_its_script() -> None:
    script = load(FOLDER / "make.py")
    for name, lines in (("esa", script.made()), ("judged", script.judged())):
        assert "\n".join(lines) + "\n" == (FOLDER / f"{name}.csv").read_text(encoding="utf-8")
