"""A gate in GitHub Actions, by the rules that GitHub documents."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from outscore.errors import FileAccessError
from outscore.wings.gating.github import (
    LARGEST_COMMENT,
    LARGEST_SUMMARY,
    MARKER,
    command,
    gate_annotations,
    gate_comment,
    gate_outputs,
    gate_summary,
    write_to_github,
)
from tests.gating.kit import GateResult, InconclusivePolicy
from tests.gating.made import ENOUGH, HOSTILE, LOST, TOO_FEW, gate
from tests.kit import fence


def read(lines: str) -> list[tuple[str, str, str]]:
    """Return kind, title and message of commands, as the runner reads them: one a line, unescaped."""
    commands = []
    for line in lines.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) title=([^:,]*)::(.*)", line)
        assert match, line
        title, message = match[2], match[3]
        for sign, written in ((":", "%3A"), (",", "%2C"), ("\n", "%0A"), ("\r", "%0D"), ("%", "%25")):
            title = title.replace(written, sign)
            message = message if sign in ":," else message.replace(written, sign)
        commands.append((match[1], title, message))
    return commands


def test_commands_come_back_as_they_were_written() -> None:
    title, message = "50%, a:b%0A\r\n", "::error::x, y: 100%\r\n%25 %3A"
    assert read(command("error", title, message)) == [("error", title, message)]


@pytest.mark.parametrize(
    ("sizes", "policy", "kind", "title"),
    [
        (ENOUGH, None, "notice", "outscore gate: passed"),
        (LOST, "pass", "error", "outscore gate: failed"),
        (TOO_FEW, None, "warning", "outscore gate: inconclusive"),
        (TOO_FEW, "pass", "notice", "outscore gate: inconclusive"),
        (TOO_FEW, "fail", "error", "outscore gate: inconclusive"),
    ],
)
def test_the_outcome_is_one_annotation(sizes: tuple[int, int, int], policy: str | None, kind: str, title: str) -> None:
    result = gate(sizes, inconclusive=None if policy is None else InconclusivePolicy(policy))
    ((said_kind, said_title, message),) = [one for one in read(gate_annotations(result)) if one[1] != "outscore gate"]
    assert (said_kind, said_title) == (kind, title)
    counts = "" if policy is None or sizes == LOST else f" (counts as {policy}ed)"
    assert message.startswith(f"{result.outcome.value.capitalize()}{counts}: ")
    assert ("\n  q5 " in message) == (sizes == LOST)  # the first of ten that are spread over the losses


def test_tasks_that_did_not_pass_follow() -> None:
    said = read(gate_annotations(replace(gate({"law": LOST, "art": ENOUGH, "few": TOO_FEW}), warnings=())))
    assert [one[:2] for one in said] == [
        ("error", "outscore gate: failed"),
        ("error", "accuracy on law: failed"),
        ("warning", "accuracy on few: inconclusive"),
    ]
    assert "in 1 of 3 tasks" in said[0][2]
    largest, few = (message.splitlines()[2] for _, _, message in said[1:])
    assert largest == "10 of the largest losses in accuracy on law (2 wins, 60 losses, 338 ties):"
    assert few == "Largest losses in accuracy on few (1 wins, 1 losses, 18 ties):"


def test_no_kind_has_more_annotations_than_a_step_shows() -> None:
    one = gate(LOST)
    checks = tuple(replace(one.checks[0], test_set=f"task {number}") for number in range(25))
    said = read(gate_annotations(replace(one, checks=checks, warnings=("first", "second"))))
    kinds = [kind for kind, _, _ in said]
    assert (kinds.count("error"), kinds.count("warning")) == (10, 2)
    # The outcome and eight tasks are there; 17 tasks are not.
    assert said[9][2] == "17 more of this kind are in the summary."


def test_names_cannot_write_commands_or_files() -> None:
    result = gate({HOSTILE: LOST, "other": LOST}, names=("b" + HOSTILE, "c" + HOSTILE), prefix=HOSTILE)
    for _, _, message in read(gate_annotations(result)):
        assert not [line for line in message.splitlines() if line.lstrip().startswith("::")]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\ud800-\udfff]", gate_summary(result) + gate_annotations(result))
    assert gate_outputs(result) == "outcome=failed\nlook=1\nexit-status=1\n"


@pytest.mark.parametrize("sign", ["::error::", " ::add-mask::", "##[error]"])
def test_a_report_whose_names_look_like_commands_is_fenced(sign: str) -> None:
    assert fence(gate(LOST).to_json(), "token") == ("", "")
    assert fence(gate(LOST, names=("base", sign)).to_json(), "token") == ("::stop-commands::token\n", "::token::\n")
    assert fence(gate(LOST, prefix=sign).to_json(), "token") == ("::stop-commands::token\n", "::token::\n")


def test_files_are_appended_to(tmp_path: Path) -> None:
    result = gate(LOST)
    environment = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_OUTPUT": str(tmp_path / "output")}
    (tmp_path / "summary").write_text("before\n", encoding="utf-8")
    write_to_github(result, environment)
    assert (tmp_path / "summary").read_text(encoding="utf-8") == f"before\n{gate_summary(result)}"
    assert (tmp_path / "output").read_text(encoding="utf-8") == gate_outputs(result)
    assert result.to_markdown() in gate_summary(result)


def test_outside_of_github_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_to_github(gate(LOST), {"GITHUB_STEP_SUMMARY": "", "PATH": "x"})
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match=r"cannot write: .*\[cannot-write\]"):
        write_to_github(gate(LOST), {"GITHUB_OUTPUT": str(tmp_path)})


def long(result: GateResult, tasks: int) -> GateResult:
    return replace(
        result, checks=tuple(replace(result.checks[0], test_set=f"task {n} é{2000 * 'x'}") for n in range(tasks))
    )


def test_a_summary_never_takes_more_than_a_step_may_write(tmp_path: Path) -> None:
    result, where = long(gate(LOST), 400), tmp_path / "summary"
    assert len(result.to_markdown().encode()) > LARGEST_SUMMARY
    text = gate_summary(result)
    assert len(text.encode()) <= LARGEST_SUMMARY
    assert text.endswith("\n\nTruncated: GitHub accepts no longer text here.\n")
    for _ in range(2):
        write_to_github(result, {"GITHUB_STEP_SUMMARY": str(where)})
        assert where.stat().st_size <= LARGEST_SUMMARY


def test_a_comment_has_room_for_its_marker() -> None:
    text = gate_comment(long(gate(LOST), 400))
    assert len(text) <= LARGEST_COMMENT
    assert text.endswith(f"\n\nTruncated: GitHub accepts no longer text here.\n\n{MARKER}\n")


@pytest.mark.parametrize("room", [0, 10, 60, 100, 500])
def test_whole_lines_are_kept(room: int) -> None:
    full, cut = gate_summary(gate(LOST)), gate_summary(gate(LOST), room)
    assert len(cut.encode()) <= room
    lines = cut.splitlines()[:-2]
    assert full.splitlines()[: len(lines)] == lines
