"""`outscore compare`: one baseline, one or several candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from outscore.asking import ask_comparison
from outscore.cli import arguments
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import SystemReads
from outscore.errors import OptionError, Problem
from outscore.questions.item_tables import ScoredItems
from outscore.readers.files import refuse_written
from outscore.readers.reading import Files, Work
from outscore.results import Alternative, Claim, ComparisonResult

OPTION = "--emulate sacrebleu"


def tests_beside_sacrebleu(clusters: Sequence[str] | None, values: Mapping[str, Any]) -> list[str]:
    """Return the names of the tests: outscore's own, the first of which gives the verdict, then sacreBLEU's.

    Raise OptionError if there are other tests, one side, a claim with a margin, or clusters.
    """
    claim, alternative = values["claim"], values["alternative"]
    if values["tests"] is not None:
        named = ",".join(values["tests"])
        what = f"cannot be combined with --test {named}"
        advice = "Omit one of them, or use --test bootstrap,sacrebleu-bootstrap."
        raise OptionError(Problem(OPTION, what, advice, "emulate-with-test"))
    if alternative not in (None, Alternative.TWO_SIDED):
        what = f"sacreBLEU's tests are two-sided, got --alternative {alternative}"
        raise OptionError(Problem(OPTION, what, "Omit --alternative.", "emulate-one-sided"))
    if claim not in (None, Claim.BETTER):
        what = f"sacreBLEU's tests have no margin, got --claim {claim}"
        raise OptionError(Problem(OPTION, what, "Omit --claim or --emulate.", "emulate-with-claim"))
    if clusters:
        what = f"sacreBLEU's tests resample segments, got --cluster {' --cluster '.join(clusters)}"
        raise OptionError(Problem(OPTION, what, "Omit --cluster or --emulate.", "emulate-other-units"))
    return ["bootstrap", "randomization", "sacrebleu-bootstrap", "sacrebleu-randomization"]


@arguments.from_table("compare")
def compare(
    *systems: str,
    reads: SystemReads | None = None,
    writes: Writes | None = None,
    **options: Any,
) -> None:
    """Compare candidates with a baseline, and test whether the gain is real.

    Each system is a file with one score per line, or a CSV, TSV, JSONL or Parquet table with a column of scores and
    optionally one of item ids. Write FILE:COLUMN to choose a column and NAME=FILE to name the system. Files may be
    compressed (.gz), and - is standard input. With --reference the files are outputs. A folder means all its files.
    Or pass one leaderboard file, or one table of all systems (wide, or long with a column system), with --baseline.

    Parameters
    ----------
    systems
        The baseline, then the candidates. Each candidate is compared with the baseline. With several candidates or
        datasets the p-values have Holm's correction.
    reads
        How systems are read.
    writes
        Output files and formats.
    """
    reads, writes = reads or SystemReads(), writes or Writes()
    reading, values = reads.reading, arguments.values_of("compare", options)
    emulate, source, tests, unpaired = (values[name] for name in ("emulate", "source", "tests", "unpaired"))
    with writing(writes, table=values["table"], methods=values["methods"]) as write:
        if unpaired:
            from outscore.questions.unpaired import refuse_of_pairs

            refuse_of_pairs(emulate=emulate is not None, source=source is not None)
        if emulate not in (None, "sacrebleu"):
            what = "WMT's rules rank the systems of human scores"
            raise OptionError(Problem(f"--emulate {emulate}", what, "Use outscore rank.", "emulates-rankings"))
        if emulate is not None:
            values["tests"] = tests_beside_sacrebleu(reads.cluster, values)
        processes, pool = arguments.computing(values.pop("jobs"), values.pop("executor"))
        question = ask_comparison(reading, unpaired=unpaired, **arguments.taken_by("compare", values))
        named = {"metrics": reads.metric, "references": reads.reference, "tests": tests, "source": source}
        refuse_mistaken(systems, "compare", **named)
        if source is not None and writes.report is None:
            raise OptionError(Problem("--source", "needs a report", "Add --report FILE.", "usage"))
        if source is not None:
            refuse_written(source)  # it is read last
        with progress_bar(shown=not writes.quiet and bool(reads.reference), doing="scoring") as scored:
            work = Work(source=source, jobs=processes, progress=scored)
            read: Any = question.read(Files(systems), reads.metric or None, reading, work)
            if isinstance(read, ScoredItems) and writes.report is not None and read.texts is not None:
                texts = read.texts()  # before anything is computed
                read = replace(read, texts=lambda: texts)
        if unpaired and len(read.metrics) > 1:
            what = f"expected one metric with --unpaired, got {len(read.metrics)}"
            raise OptionError(Problem("--metric", what, "Run one comparison per metric.", "several-metrics"))
        with pool as running, ExitStack() as bar:
            progress = bar.enter_context(progress_bar(shown=not writes.quiet))
            results = question.answer(read, running, progress)
            layout: dict[str, Any] = {"details": values["details"]}
            if isinstance(results[0], ComparisonResult):
                layout["items"] = []
                if writes.report is not None:
                    from outscore.results.items import MOST_ITEMS

                    pairs = [(0, index) for index in range(1, len(read.scores))]
                    layout["items"] = [read.tables(index, pairs, MOST_ITEMS) for index in range(len(results))]
            write(*results, rendered=bar.close, **layout)
