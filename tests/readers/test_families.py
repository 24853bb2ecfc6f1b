"""Tables of families: what they say of each system, and what they must not leave open."""

from __future__ import annotations

from pathlib import Path

import pytest

import outscore
from outscore.errors import DataError

SCORES = {"a": [1, 0, 1, 1], "b": [0, 0, 1, 1], "c": [1, 1, 0, 0]}


def families(folder: Path, *rows: str, head: str = "system\tgroup") -> tuple[str | None, ...]:
    table = folder / "systems.tsv"
    table.write_text("\n".join([head, *rows]) + "\n")
    return outscore.read(SCORES, families=f"{table}:group").families


@pytest.mark.parametrize("blank", ["", " ", "NA", "null"])
def test_families_left_empty_are_not_known(tmp_path: Path, blank: str) -> None:
    assert families(tmp_path, f"a\t{blank}", f"b\t{blank}", "c\tx") == (None, None, "x")


def test_systems_without_families_are_no_family(tmp_path: Path) -> None:
    families(tmp_path, "a\t", "b\t", "c\tx")
    board = outscore.read(SCORES, families=f"{tmp_path / 'systems.tsv'}:group")
    assert [pair.relation for pair in outscore.study_gain(board).pairs] == [None] * 3
    assert outscore.read(SCORES, families={"a": "", "b": " "}).families == (None, None, None)


def test_a_system_of_two_families_is_refused_with_both_lines(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        families(tmp_path, "a\tx", "b\ty", "c\tx", "a\ty")
    said = str(error.value).replace(str(tmp_path / "systems.tsv"), "systems.tsv")
    wanted = 'systems.tsv:5: system "a": expected one group, got "y" here and "x" at systems.tsv:2.'
    assert said == f"{wanted} Remove one of them. [two-families]"


def test_nothing_and_a_family_are_two(tmp_path: Path) -> None:
    with pytest.raises(DataError, match='got nothing here and "x" at'):
        families(tmp_path, "a\tx", "b\ty", "c\tx", "a\t")


def test_one_family_may_be_said_twice(tmp_path: Path) -> None:
    assert families(tmp_path, "a\tx", "b\ty", "c\tx", "a\tx", "other\tx", "other\ty") == ("x", "y", "x")


def test_names_stand_in_whatever_column_has_most_of_them(tmp_path: Path) -> None:
    assert families(tmp_path, "1\tx\ta", "2\ty\tb", "3\tz\tc", head="system\tgroup\twhich") == ("x", "y", "z")
