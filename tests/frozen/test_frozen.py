"""Every command line and Python call of the corpus gives what it gave, byte for byte.

A change on purpose stands in CHANGELOG.md; then `python -m tests.frozen.record --write`. Under other versions of
packages than the recorded ones, and on processors whose exp and log have other last digits, numbers are compared to
nine digits or nine places, and digests and versions are not; OUTSCORE_FROZEN=strict or OUTSCORE_FROZEN=close has it
one way or the other.
"""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import pytest

from tests.frozen.cases import VERSIONS, Json, cases, line_of, outcome, prepared, recorded
from tests.frozen.record import difference

pytestmark = pytest.mark.smoke

CHUNKS = 12
NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
DIGEST = re.compile(r"(?<![\w.])[0-9a-f]{16}\b|(?:sacrebleu|jiwer|rapidfuzz|rouge-score):[\d.]+")


def same(expected: Json, found: Json) -> bool:
    """Tell whether two outcomes are the same but for last digits, digests, and the versions of packages of metrics."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return list(expected) == list(found) and all(same(expected[name], found[name]) for name in expected)
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(same, expected, found))
    if isinstance(expected, str) and isinstance(found, str):
        expected, found = DIGEST.sub("", expected), DIGEST.sub("", found)
        pairs = zip(NUMBER.findall(expected), NUMBER.findall(found), strict=False)
        alike = all(a == b or same(float(a.replace("−", "-")), float(b.replace("−", "-"))) for a, b in pairs)
        return alike and NUMBER.sub("0", expected) == NUMBER.sub("0", found)
    if isinstance(expected, int | float) and isinstance(found, int | float):
        return math.isclose(expected, found, rel_tol=1e-9, abs_tol=1e-9)
    return bool(expected == found)


def test_every_case_is_recorded_and_named_once() -> None:
    names = cases()
    assert len(names) == len(set(names))
    assert list(recorded()[1]) == names


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_nothing_has_changed(chunk: int, tmp_path: Path) -> None:
    versions, expected = recorded()
    strict = os.environ.get("OUTSCORE_FROZEN", "strict" if versions == VERSIONS else "close") == "strict"
    changed = []
    with prepared(tmp_path.resolve()) as here:
        for name in cases()[chunk::CHUNKS]:
            found = outcome(name, here)
            if not (line_of(expected[name]) == line_of(found) or (not strict and same(expected[name], found))):
                changed.append(difference(name, expected[name], found))
    assert not changed, f"{len(changed)} changed, the first of them:\n" + "\n\n".join(changed[:3])
