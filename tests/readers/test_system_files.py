"""Which files systems are, and what systems are called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.kit import distinguished, short_names

import outscore
from outscore import Rows
from outscore.errors import DataError, OptionError
from outscore.readers.sources import Source, called, sources_named


def names_of(specs: Sequence[str]) -> list[str]:
    rows = [Rows(spec, np.ones((2, 1)), lines=[1, 2]) for spec in specs]
    return [one.name for one in called([Source.of(spec) for spec in specs], rows)]


def specs_of(arguments: Sequence[str]) -> list[str]:
    return [source.spec for source in sources_named(arguments)]


@pytest.mark.parametrize(
    ("specs", "names"),
    [
        (["out/a-1.5.txt", "out/b.txt"], ["a-1.5", "b"]),
        (["llama-3.1", "gpt-4.1"], ["llama-3.1", "gpt-4.1"]),
        (["base.txt", "new.jsonl.gz"], ["base", "new"]),
        (["a.txt", "a.csv"], ["a.txt", "a.csv"]),
        (["base.hyp", "new.hyp"], ["base", "new"]),
        (["x/out.txt", "y/out.txt"], ["x", "y"]),
        (["runs/x/1/out.txt", "runs/y/1/out.txt"], ["x", "y"]),
        (["x/base.txt", "y/base.txt", "y/new.txt"], ["base (x)", "base (y)", "new"]),
        (["a/x/out", "a/y/out", "b/x/out", "b/y/out"], ["a-x", "a-y", "b-x", "b-y"]),
        (["-", "base.txt"], ["stdin", "base"]),
        (["a.txt", "a.txt"], ["a", "a"]),
    ],
)
def test_names_are_the_shortest_parts_that_tell_files_apart(specs: list[str], names: list[str]) -> None:
    assert names_of(specs) == names
    assert not any("/" in name for name in names)


def test_columns_of_one_table_are_called_by_their_names(tmp_path: Path) -> None:
    for name in ("t.csv", "u.csv"):
        (tmp_path / name).write_text("x,y\n1,0\n0,1\n")
    t, u = str(tmp_path / "t.csv"), str(tmp_path / "u.csv")
    assert names_of([f"{t}:x", f"{t}:y"]) == ["x", "y"]
    assert names_of([f"{t}:x", f"{u}:x"]) == ["t", "u"]
    assert names_of([f"{t}:x", f"{t}:y", f"{u}:x"]) == ["x (t)", "y", "x (u)"]


def test_parts_of_paths_tell_them_apart_whatever_they_are() -> None:
    assert short_names(["org/model", "other/model"]) == ["org", "other"]
    assert short_names(["/", "a"]) == ["/", "a"]
    assert distinguished([]) == []
    assert distinguished([("a", "b (c)"), ("c", "b"), ("d", "b")]) == ["a/b (c)", "c/b", "d/b"]  # never two of one name


def test_a_name_is_what_stands_before_the_first_sign_of_equality_that_a_file_follows(tmp_path: Path) -> None:
    file = tmp_path / "lr=0.1.txt"
    file.write_text("1\n")

    def parsed(argument: str) -> tuple[str | None, str]:
        source = Source.named(argument)
        return source.name, source.spec

    assert parsed(str(file)) == (None, str(file))
    assert parsed(f"new={file}") == ("new", str(file))
    assert parsed(f"a=b={file}") == ("a=b", str(file))
    assert parsed("new=missing.txt") == ("new", "missing.txt")
    assert parsed("runs/lr=missing.txt") == (None, "runs/lr=missing.txt")
    assert parsed("new=-:gpt") == ("new", "-:gpt")
    with pytest.raises(OptionError, match="expected NAME=FILE, got no name"):
        sources_named([f"={file}"])


def test_a_folder_stands_for_its_files_but_those_named_by_themselves(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", ".hidden", "c.txt.gz"):
        (tmp_path / name).write_text("1\n0\n")
    whole = [str(tmp_path / name) for name in ("a.txt", "b.txt", "c.txt.gz")]
    assert specs_of([str(tmp_path)]) == whole
    assert specs_of([f"{tmp_path}/"]) == whole
    assert specs_of([str(tmp_path / "b.txt"), str(tmp_path)]) == [whole[1], whole[0], whole[2]]
    with pytest.raises(OptionError, match="one file for the name x"):
        sources_named([f"x={tmp_path}"])


def test_a_folder_that_is_empty_or_mixed_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="got an empty one"):
        sources_named([str(tmp_path)])
    (tmp_path / "a.txt").write_text("1\n0\n")
    (tmp_path / "b.json").write_text("[]")
    with pytest.raises(DataError, match=r"expected files of one format, one per system, got 1 \.txt, 1 \.json"):
        sources_named([str(tmp_path)])
    (tmp_path / "b.json").unlink()
    (tmp_path / "more").mkdir()
    with pytest.raises(DataError, match=r"contains 1 folder\(s\)"):
        sources_named([str(tmp_path)])


def test_runs_whose_endings_say_no_format_are_of_one_kind(tmp_path: Path) -> None:
    for name in ("input.ok8alx", "input.att99atc", "gpt-4.1"):
        (tmp_path / name).write_text("1\n0\n")
    assert len(sources_named([str(tmp_path)])) == 3


def test_unreadable_systems_are_left_out_by_name_and_reason(tmp_path: Path) -> None:
    for place in range(4):
        (tmp_path / f"s{place}.txt").write_text("".join(f"{(i * place) % 3}\n" for i in range(20)))
    (tmp_path / "s4.txt").write_text("1\nnone\n")
    (tmp_path / "s5.txt").write_text("1\n0\n1\n")
    files = [str(tmp_path / name) for name in (*(f"s{place}.txt" for place in range(6)), "gone.txt")]
    with pytest.raises(DataError):
        outscore.read(files[:6])
    read = outscore.read(files, skip_unreadable=True)
    assert read.names == ("s0", "s1", "s2", "s3")
    told = "\n".join(read.notes)
    assert 's4.txt:2: expected a number, got "none"' in told
    assert "s5.txt: expected 20 items as in" in told
    assert "gone.txt: cannot read file" in told
    with pytest.raises(DataError, match="at least two readable systems, got 1 of 2"):
        outscore.read(files[0], files[4], skip_unreadable=True)
