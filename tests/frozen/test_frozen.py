"""Every command line and Python call of the corpus gives what it gave, to nine digits.

A change on purpose is listed in CHANGELOG.md; then run `python -m tests.frozen.record --write`. Last digits depend on
the processor: OUTSCORE_FROZEN=bytes compares them, too.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.frozen.alike import difference, settled
from tests.frozen.cases import Json, cases, outcome, prepared, recorded, text_of

pytestmark = pytest.mark.smoke

CHUNKS = 12


def test_every_case_is_recorded() -> None:
    expected, every = recorded(), cases()
    assert len({name.casefold() for name in every}) == len(every)
    assert {name: kept["case"] for name, kept in expected.items()} == every


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_nothing_has_changed(chunk: int, tmp_path: Path) -> None:
    expected, changed = recorded(), []
    with prepared(tmp_path.resolve()) as here:
        for name, case in list(cases().items())[chunk::CHUNKS]:
            found = outcome(case, here)
            if os.environ.get("OUTSCORE_FROZEN") != "bytes":
                found = settled(expected[name], found)
            if text_of(expected[name]) != text_of(found):
                changed.append(difference(name, expected[name], found))
    assert not changed, f"{len(changed)} changed, the first of them:\n" + "\n\n".join(changed[:3])


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        (0.1, 0.1 + 1e-12, True),
        (0.1, 0.1001, False),
        (1, 1.0, False),
        (1, True, False),
        ("p = .0125, 24 items", "p = .0126, 24 items", True),
        ("p = .0125, 24 items", "p = .0127, 24 items", False),
        ("p = .0125, 24 items", "p = .0125, 25 items", False),
        ("a gain of +1.5e-05", "a gain of +1.6e-05", True),
        ("a gain of +1.5", "a gain of -1.5", False),
        ({"a": [0.1], "b": 1}, {"a": [0.1 + 1e-12], "b": 1}, True),
        ({"a": 1, "b": 1}, {"b": 1, "a": 1}, False),
    ],
)
def test_last_digits_and_the_rounding_of_a_number_may_differ(expected: Json, found: Json, same: bool) -> None:
    kept = text_of({"found": settled(expected, found)})
    assert (kept == text_of({"found": expected})) == same
