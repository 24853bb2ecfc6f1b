"""A gate in GitHub Actions: the summary, annotations and outputs of a step, and a comment on a pull request.

The rules are those of "Workflow commands for GitHub Actions" (docs.github.com). GitHub does not show a summary longer
than 1 MiB per step, and refuses a comment longer than 65,536 characters. A step shows ten annotations of each kind.
The message of a command escapes %, CR and LF; its properties also escape colons and commas.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from outscore.errors import FileAccessError, Problem
from outscore.text.naming import Note, printable
from outscore.wings.gating.documents import check_text
from outscore.wings.gating.results import GateOutcome, GateResult

LARGEST_SUMMARY = 1024 * 1024  # bytes, over the whole step
LARGEST_COMMENT = 65_536  # characters
MARKER = "<!-- outscore gate -->"  # by which a workflow finds the comment that it updates
_MOST = 10  # annotations of each kind that a step shows
_LEFT_OUT = "\n\nTruncated: GitHub accepts no longer text here.\n"
# The kind of annotation for each outcome.
_KINDS = {GateOutcome.PASSED: "notice", GateOutcome.FAILED: "error", GateOutcome.INCONCLUSIVE: "warning"}


def command(kind: str, title: str, message: str) -> str:
    r"""Return a workflow command on one line.

    Parameters
    ----------
    message : str
        May have several lines.

    Examples
    --------
    >>> print(command("error", "gate: 5% lost", "a, b:\n100%"))
    ::error title=gate%3A 5%25 lost::a, b:%0A100%25
    """
    return f"::{kind} title={_escaped(title).replace(':', '%3A').replace(',', '%2C')}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def gate_annotations(result: GateResult) -> str:
    """Return the annotations of a gate, one command per line.

    The outcome comes first: an error if the gate failed, a notice if it passed, and as the policy sets if it is
    inconclusive. With several metrics or tasks, those that did not pass follow; failed ones list the items that
    lose most. Warnings come last. No kind has more than ten, as a step shows no more.
    """
    from outscore.reports import answers

    texts = ["\n\n".join(filter(None, check_text(result, check))) for check in result.checks]
    answer = texts[0] if len(texts) == 1 else answers([result])[0]
    commands = [(_KINDS[result.counted_as(result.outcome)], f"outscore gate: {result.outcome.value}", answer)]
    for outcome in (GateOutcome.FAILED, GateOutcome.INCONCLUSIVE) if len(texts) > 1 else ():
        commands += [
            (_KINDS[result.counted_as(outcome)], f"{printable(check.name)}: {outcome.value}", text)
            for check, text in zip(result.checks, texts, strict=True)
            if check.outcome is outcome
        ]
    kinds = [("notice" if isinstance(text, Note) else "warning", printable(text)) for text in result.warnings]
    commands += [(kind, "outscore gate", text) for kind, text in kinds]
    return "".join(f"{line}\n" for line in _shown(commands))


def _shown(commands: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return the first ten commands of each kind; the tenth gives the number of the others."""
    lines = []
    for kind in ("error", "warning", "notice"):
        kept = [(title, message) for kind_of_command, title, message in commands if kind_of_command == kind]
        if len(kept) > _MOST:
            more = len(kept) - _MOST + 1
            kept = [*kept[: _MOST - 1], ("outscore gate", f"{more} more of this kind are in the summary.")]
        lines += [command(kind, title, message) for title, message in kept]
    return lines


def gate_summary(result: GateResult, room: int = LARGEST_SUMMARY) -> str:
    """Return the Markdown of a gate for the summary of a step.

    If it needs more bytes than `room`, it is cut at a line, with a note; without any room it is empty.
    """
    text = f"{result.to_markdown()}\n"
    if len(text.encode()) <= room:
        return text
    kept, left = [], room - len(_LEFT_OUT.encode())
    for line in text.splitlines(keepends=True):
        left -= len(line.encode())
        if left < 0:
            break
        kept.append(line)
    return f"{''.join(kept).rstrip()}{_LEFT_OUT}" if kept else ""


def gate_comment(result: GateResult) -> str:
    """Return the Markdown of a gate for a comment on a pull request: that of `gate_summary`, and a hidden marker.

    The marker is the last line, the HTML comment `MARKER`.
    """
    return f"{gate_summary(result, LARGEST_COMMENT - len(MARKER) - 2)}\n{MARKER}\n"


def gate_outputs(result: GateResult) -> str:
    """Return the outputs of a step as lines ``name=value``: outcome, look and exit-status."""
    return f"outcome={result.outcome.value}\nlook={result.look}\nexit-status={result.exit_status}\n"


def write_to_github(result: GateResult, environment: Mapping[str, str]) -> None:
    """Append a gate to the summary of the step and to its outputs.

    ``GITHUB_STEP_SUMMARY`` and ``GITHUB_OUTPUT`` name the files. If a variable is not set, as outside of GitHub,
    nothing is written to it. A file that cannot be written raises a FileAccessError.
    """
    if where := environment.get("GITHUB_STEP_SUMMARY"):
        used = Path(where).stat().st_size if Path(where).is_file() else 0
        _append(where, gate_summary(result, max(0, LARGEST_SUMMARY - used)))
    if where := environment.get("GITHUB_OUTPUT"):
        _append(where, gate_outputs(result))


def _append(where: str, text: str) -> None:
    try:
        with Path(where).open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        what = f"cannot write: {(error.strerror or os.fspath(where)).lower()}"
        problem = Problem(printable(where), what, "The path comes from GitHub Actions.", "cannot-write")
        raise FileAccessError(problem) from None
