"""Placeholders, and commands that cannot be meant."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from outscore.errors import OptionError
from outscore.wings.replication.trainers import Command

VALUES = {"train": "T {out} T", "train1": "T", "train2": "U", "out": "O", "seed": "7", "name": "N"}


def test_placeholders_are_replaced_once_and_other_braces_stay() -> None:
    words = (
        sys.executable,
        "-c",
        "d = {'a': {}}",
        "--in={train}",
        "{out}.model",
        "{out}",
        "{seed}{name}",
        "{0}",
        "{x}",
    )
    filled = Command(words, 1).filled(VALUES)
    assert filled == [sys.executable, "-c", "d = {'a': {}}", "--in=T {out} T", "O.model", "O", "7N", "{0}", "{x}"]


@pytest.mark.parametrize(
    ("words", "n_train", "says"),
    [
        ((), 1, "expected a command"),
        (("{python}", "x"), 1, "{train}"),
        ((sys.executable, "{out}"), 1, "expected {train} in it"),
        ((sys.executable, "{train}"), 1, "expected {out} in it"),
        ((sys.executable, "{train}", "{out}"), 2, "expected {train2} in it"),
        ((sys.executable, "{train}", "{train2}", "{out}"), 1, "{train2} has no file"),
        ((sys.executable, "{train}", "{train0}", "{out}"), 1, "{train0} has no file"),
        ((sys.executable, "a\0b", "{train}", "{out}"), 1, "NUL"),
        (("no-such-program-here", "{train}", "{out}"), 1, "command-not-found"),
        (("", "{train}", "{out}"), 1, "command-not-found"),
    ],
)
def test_commands_that_cannot_be_meant_are_refused(words: tuple[str, ...], n_train: int, says: str) -> None:
    with pytest.raises(OptionError) as caught:
        Command(words, n_train)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_program_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(OptionError, match="command-not-found"):
        Command((str(tmp_path / "notes.txt"), "{train}", "{out}"), 1)


def test_a_family_is_named_after_the_script_or_the_program(tmp_path: Path) -> None:
    script = tmp_path / "tag crf.py"
    script.write_text("")
    assert Command((sys.executable, str(script), "{train}", "{out}"), 1).short_name == "tag crf"
    assert Command(("sh", "-c", "cp {train} {out}"), 1).short_name == "sh"


def test_files_of_the_command_are_told_apart_by_content(tmp_path: Path) -> None:
    config = tmp_path / "c.ini"
    config.write_text("a")
    command = Command((sys.executable, str(config), f"--config={config}", "{train}", "{out}", "x" * 5000), 1)
    before = command.file_digests()
    assert list(before) == [str(config)]
    config.write_text("b")
    assert command.file_digests() != before
