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
from outscore.text.naming import printable
from outscore.wings.replication.results import ReplicateRun, Unit

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
    train
        The training set, possibly .gz. May be repeated for files that are aligned by item.
    out
        The folder of the runs and the leaderboard file.
    sizes
        Fractions of the training set, above 0 and at most 1, or percentages: 50%.
    replicates
        Number of training sets of each size.
    seed
        Random seed, or none for a random seed. Default: $OUTSCORE_SEED, or 12345.
    family
        Name of the family. Default: that of the script or program.
    unit
        Type of items: lines, blocks (separated by blank lines), conllu or jsonl. Default: from the file name, or lines.
    header
        Number of header lines, which are copied to every drawn set.
    suffix
        Suffix of {out}. Default: that of the reference, or .txt.
    reference
        For the leaderboard file: a file of references. May be repeated.
    metric
        For the leaderboard file. May be repeated. A run fails if the metric cannot read its outputs.
    jobs
        Number of parallel runs; it does not change the result. Default: 1, or on a cluster the number of its workers.
    executor
        The cluster for the runs: dask://HOST:PORT, a Dask scheduler. Default: $OUTSCORE_EXECUTOR, or none. Training
        sets and outputs are transferred; other files of the command must exist there.
    timeout
        Time limit per run in seconds.
    redo
        Repeat the runs of this call. Each old run is kept until the new one is finished.
    keep_training_sets
        Keep the drawn sets.
    format
        Output format. Default: text, or from the name of the output file (.txt, .json).
    output
        Output file (written atomically).
    quiet
        Print only failures.
    """
    from outscore.reports import report
    from outscore.results.record import json_text
    from outscore.wings.replication import replicate as carry_out
    from outscore.wings.replication.documents import tell_failure

    def report_failure(run: ReplicateRun) -> None:
        if not run.done:
            complain(f"outscore: {tell_failure(run)}")

    chosen = format or ("text" if output is None else format_of_file(output, FORMATS))
    _, cluster = computing(1, executor)
    _refuse_among_runs(output, out)
    try:
        with destination(output) as write:
            for word in (*train, *(reference or ()), *command):
                # The command may name a file as it is, or as --option=FILE; files that trainers read are not searched.
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


def _sizes(text: str) -> list[float]:
    # 33.3% is 0.333 to the last digit, as sizes are part of run names.
    return [float(f"{number(part, opt('sizes')):.12g}") for part in text.split(",")]
