"""Every command line and Python call of the corpus gives what it gave, to nine digits.

A change on purpose is listed in CHANGELOG.md; then run `python -m tests.frozen.record --write`. Last digits depend on
the processor: OUTSCORE_FROZEN=bytes compares them, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.frozen.alike import difference, settled
from tests.frozen.cases import Json, cases, outcome, prepared, recorded, text_of
from tests.frozen.sentences import each_once, shortened

pytestmark = pytest.mark.smoke

CHUNKS = 12
Corpus: TypeAlias = dict[str, dict[str, Json]]


@pytest.fixture(scope="module")
def expected() -> Corpus:
    return recorded()


@pytest.fixture(scope="module")
def holders(expected: Corpus) -> dict[str, str]:
    return each_once(expected)[1]


def test_every_case_is_recorded(expected: Corpus) -> None:
    every = cases()
    assert len({name.casefold() for name in every}) == len(every)
    assert {name: kept["case"] for name, kept in expected.items()} == every
    assert each_once(expected)[0] == expected


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with prepared(tmp_path_factory.mktemp("frozen").resolve()) as folder:
        yield folder


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_nothing_has_changed(chunk: int, here: Path, expected: Corpus, holders: dict[str, str]) -> None:
    changed = []
    for name, case in list(cases().items())[chunk::CHUNKS]:
        found = shortened(name, outcome(case, here), holders)
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


def test_a_sentence_is_in_full_in_one_case_and_a_new_one_in_each() -> None:
    said = "With 12 items the bootstrap rejects true nulls too often. Take another test that does not."
    wrapped = ["warning  With 12 items the bootstrap rejects true nulls too often. Take", "         another test."]
    plain: dict[str, Json] = {"case": said, "out": [said, "  12  0.05", said]}
    other: dict[str, Json] = {"case": "of numbers", "value": {"a": 1, "warnings": [said], "err": f"two lines\n{said}"}}
    kept, holders = each_once({"other": other, "plain": plain, "wrapped": {"out": wrapped}})
    brief = "With 12 items the bootstrap ⋯"
    assert list(kept) == ["other", "plain", "wrapped"]
    assert kept["plain"] == plain
    assert kept["other"] == other | {"value": {"a": 1, "warnings": [brief], "err": f"two lines\n{brief}"}}
    assert kept["wrapped"] == {"out": wrapped}  # its last sentence is in no other case
    assert each_once(kept) == (kept, holders)
    assert shortened("other", other, holders) == kept["other"]
    reworded = {"value": [said.replace("too often", "often")]}
    assert shortened("other", reworded, holders) == reworded
    of_13 = {"value": [said.replace("12", "13")]}
    assert shortened("other", of_13, holders) == {"value": [brief.replace("12", "13")]}
