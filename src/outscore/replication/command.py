"""`outscore replicate`: one trainer, many resampled training sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from outscore.cli.arguments import computing, seed_of
from outscore.cli.output import destination, format_of_file, progress_bar, terminal_layout
from outscore.cli.streams import complain
from outscore.data.coercion import number, whole_number
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.readers.files import refuse_written
from outscore.replication.results import ReplicateRun, Unit
from outscore.text.naming import printable

SOME_FAILED = 1
FORMATS = ("text", "json")


def replicate(
    *command: str,
    train: Annotated[list[str], Parameter(negative="")],
    out: Annotated[str, Parameter(allow_leading_hyphen=True)],
    sizes: Annotated[str, Parameter(allow_leading_hyphen=True)] = "1.0,0.5,0.25",
    replicates: Annotated[str, Parameter(allow_leading_hyphen=True)] = "10",
    seed: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    family: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    unit: Unit | None = None,
    header: Annotated[int | None, Parameter(allow_leading_hyphen=True)] = None,
    suffix: str | None = None,
    reference: Annotated[list[str] | None, Parameter(alias="-r", negative="")] = None,
    metric: Annotated[list[str] | None, Parameter(alias="-m", negative="")] = None,
    jobs: Annotated[int | None, Parameter(allow_leading_hyphen=True)] = None,
    executor: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    timeout: Annotated[float | None, Parameter(allow_leading_hyphen=True)] = None,
    redo: Annotated[bool, Parameter(negative="")] = False,
    keep_training_sets: Annotated[bool, Parameter(negative="")] = False,
    format: Literal["text", "json"] | None = None,  # noqa: A002 - the option's name
    output: Annotated[str | None, Parameter(alias="-o", allow_leading_hyphen=True)] = None,
    quiet: Annotated[bool, Parameter(alias="-q", negative="")] = False,
) -> int:
    """Train one system on many resampled training sets, and write a board of them.

    outscore replicate --train train.conllu --out runs -- python tag.py {train} test.conllu {out}

    Training sets are drawn with replacement, item by item; the command, which stands after --, is run on each. The
    same call goes on where an earlier one ended. Call again with another command and the same --out for another
    family: runs/board.toml lists the systems of all. Exit status: 1 where a run failed.

    Parameters
    ----------
    command
        The trainer, not read by a shell. {train} is replaced by a training set ({train2}, ... by files drawn together
        with it), {out} by the file to which the outputs for the test set must be written, {seed} by a seed for
        the trainer, {name} by the name of the run.
    train
        The training set; .gz is read. May be repeated: files that are aligned item by item.
    out
        The folder of the runs and the board.
    sizes
        Shares of the training set, above 0 and at most 1, or in per cent: 50%.
    replicates
        Training sets of each size.
    seed
        A whole number, or none to draw one. Default: $OUTSCORE_SEED, or 12345.
    family
        Name of the command. Default: that of its script or program.
    unit
        What an item is: lines, blocks (blank lines between them), conllu, jsonl. Default: what the name says, or lines.
    header
        Lines at the top of the training set that belong to every drawn set.
    suffix
        Of {out}. Default: that of the reference, or .txt.
    reference
        For the board: a file of references for the outputs. May be repeated.
    metric
        For the board. May be repeated. Outputs that it cannot read or that do not fit fail their run.
    jobs
        Runs at a time. Default: 1; on a cluster as many as it works on. The result does not depend on it.
    executor
        The cluster that makes the runs: dask://HOST:PORT, the scheduler of Dask. Default: $OUTSCORE_EXECUTOR, or none.
        Training sets are sent there and outputs come back; what else the command names has to be there.
    timeout
        Seconds for each run.
    redo
        Make the runs of this call again; each old one stays until the new one is finished.
    keep_training_sets
        Keep the drawn sets.
    format
        Default: text, or what the name of the output file says (.txt, .json).
    output
        Write to this file; whole, or not at all.
    quiet
        Print no summary and no progress, failures only.
    """
    from outscore.replication import replicate as carry_out
    from outscore.replication.documents import tell_failure
    from outscore.reports import report
    from outscore.results.record import json_text

    def report_failure(run: ReplicateRun) -> None:
        if not run.done:
            complain(f"outscore: {tell_failure(run)}")

    chosen = format or ("text" if output is None else format_of_file(output, FORMATS))
    _, cluster = computing(1, executor)
    _refuse_among_runs(output, out)
    try:
        with destination(output) as write:
            for word in (*train, *(reference or ()), *command):
                # A file may stand in the command as it is, or in --option=FILE; what trainers read is not read here.
                for name in filter(None, (word, word.partition("=")[2])):
                    refuse_written(name)
            with cluster as running, progress_bar(shown=not quiet, doing="training") as progress:
                result = carry_out(
                    command,
                    train,
                    out,
                    sizes=_sizes(sizes),
                    replicates=whole_number(replicates, opt("replicates")),
                    seed=seed_of(seed),
                    family=family,
                    unit=unit,
                    header=header,
                    suffix=suffix,
                    references=reference or (),
                    metrics=metric or (),
                    jobs=jobs,
                    executor=running,
                    timeout=timeout,
                    redo=redo,
                    keep_training_sets=keep_training_sets,
                    progress=progress,
                    ended=report_failure,
                )
            if chosen == "json":
                write(json_text(result))
            elif not quiet:
                write(report([result], "text", **terminal_layout(to_file=output is not None)))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"outscore: interrupted; {_left(printable(out), redo=redo)}") from None
    return SOME_FAILED if result.failures else 0


def _left(out: str, *, redo: bool) -> str:
    """Say what an interruption leaves, and how to go on."""
    if not redo:
        return f"what is finished is kept in {out}. The same call goes on from there."
    return (
        f"runs that were made again are in {out}, and the others are as they were. The same call, with {opt('redo')}, "
        f"makes all of them again; without {opt('redo')}, only those that are missing."
    )


def _refuse_among_runs(output: str | None, out: str) -> None:
    """Refuse a summary in the folder of the runs."""
    if output is None or output == "-":
        return
    if Path(output).resolve().is_relative_to(Path(out).resolve()):
        what = f"lies in {printable(out)}, the folder of the runs"
        raise OptionError(Problem(printable(output), what, "Name a file elsewhere with -o.", "overwrites-run"))


def _sizes(text: str) -> list[float]:
    # 33.3% is 0.333 to the last digit: sizes name the runs.
    return [float(f"{number(part, opt('sizes')):.12g}") for part in text.split(",")]
