"""The example of human scores is what its script makes."""

from __future__ import annotations

from tests.human import made
from tests.test_documentation import load

FOLDER = made.ROOT / "examples" / "human"


def test_the_example_is_made_by_its_script() -> None:
    script = load(FOLDER / "make.py")
    assert "\n".join(script.made()) + "\n" == (FOLDER / "esa.csv").read_text(encoding="utf-8")
