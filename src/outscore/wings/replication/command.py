"""`outscore replicate`: one trainer, many resampled training sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from outscore.cli import arguments
from outscore.cli.arguments import computing
from outscore.cli.output import destination, format_of_file, progress_bar, terminal_layout
from outscore.cli.streams import complain
from outscore.data.coercion import number
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.readers.files import refuse_written
from outscore.text.naming import printable
from outscore.wings.replication.results import ReplicateRun, Unit

SOME_FAILED = 1
FORMATS = ("text", "json")


@arguments.from_table("replicate")
def replicate(*command: str, **options: Any) -> int:
    """Train a system on many resampled training sets and write a leaderboard file.

    outscore replicate --train train.conllu --out runs -- python tag.py {train} test.conllu {out}

    Training sets are drawn with replacement, by item. The command after -- is run on each. Repeat the call to
    continue an interrupted one. For another family, use another command and the same --out; runs/board.toml lists
    the systems of all families. Exit status 1: a run failed.

    Parameters
    ----------
    command
        The trainer, run without a shell. Placeholders: {train}, a training set ({train2} and so on for further
        files); {out}, the file for the outputs on the test set; {seed}, a seed for the trainer; {name}, the name of
        the run.
    """
    from outscore.reports import report
    from outscore.results.record import json_text
    from outscore.wings.replication import replicate as carry_out
    from outscore.wings.replication.documents import tell_failure

    def report_failure(run: ReplicateRun) -> None:
        if not run.done:
            complain(f"outscore: {tell_failure(run)}")

    values = arguments.values_of("replicate", options)
    train, out, redo = values["train"], values["out"], values["redo"]
    format_, output, quiet, executor = (values.pop(name) for name in ("format", "output", "quiet", "executor"))
    chosen = format_ or ("text" if output is None else format_of_file(output, FORMATS))
    _, cluster = computing(1, executor)
    _refuse_among_runs(output, out)
    try:
        with destination(output) as write:
            for word in (*train, *(values["references"] or ()), *command):
                # The command may name a file as it is, or as --option=FILE; files that trainers read are not searched.
                for name in filter(None, (word, word.partition("=")[2])):
                    refuse_written(name)
            with cluster as running, progress_bar(shown=not quiet, doing="training") as progress:
                result = carry_out(
                    command, executor=running, progress=progress, ended=report_failure, **_converted(values)
                )
            if chosen == "json":
                write(json_text(result))
            elif not quiet:
                write(report([result], "text", **terminal_layout(to_file=output is not None)))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"outscore: interrupted; {_left(printable(out), redo=redo)}") from None
    return SOME_FAILED if result.failures else 0


def _left(out: str, *, redo: bool) -> str:
    """Say what an interruption leaves, and how to continue."""
    if not redo:
        return f"finished runs are kept in {out}. Repeat the call to continue."
    return (
        f"repeated runs are in {out}; the others are unchanged. Repeat the call with {opt('redo')} to make all of "
        f"them again, or without {opt('redo')} to make only the missing ones."
    )


def _refuse_among_runs(output: str | None, out: str) -> None:
    """Refuse an output file in the folder of the runs."""
    if output is None or output == "-":
        return
    if Path(output).resolve().is_relative_to(Path(out).resolve()):
        what = f"lies in {printable(out)}, the folder of the runs"
        raise OptionError(Problem(printable(output), what, "Choose a file elsewhere with -o.", "overwrites-run"))


def _converted(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the runs, with their values as Python has them."""
    return values | {
        # 33.3% is 0.333 to the last digit, as sizes are part of run names.
        "sizes": [float(f"{number(part, opt('sizes')):.12g}") for part in values["sizes"].split(",")],
        "unit": None if values["unit"] is None else Unit(values["unit"]),
        "references": values["references"] or (),
        "metrics": values.pop("metric") or (),
    }
