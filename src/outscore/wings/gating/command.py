"""`outscore gate` and its subcommands: test a candidate against a baseline, and store baselines."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any

from cyclopts import App, Parameter

from outscore.cli import arguments
from outscore.cli.arguments import processes_of
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, destination, progress_bar, writing
from outscore.cli.reading import SystemReads
from outscore.cli.streams import annotate
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.questions.looks import ErrorRate, GateRule, InconclusivePolicy, Margins
from outscore.readers.kept.stored import is_store
from outscore.readers.reading import Work
from outscore.readers.sources import sources_named
from outscore.text.naming import fence, listed, printable
from outscore.wings.gating import accept_source, baseline_scores, gate_sources, gate_streamed
from outscore.wings.gating.configuration import Configuration, read_configuration
from outscore.wings.gating.results import GateResult
from outscore.wings.gating.rule import gate_scores
from outscore.wings.gating.sequential import gate_order, sequential_gate

gate = App(
    name="gate",
    help="Fail if a candidate is worse than the baseline (regression gate).",
)


_System = Annotated[str, Parameter(name="SYSTEM", allow_leading_hyphen=True)]


@gate.default
@arguments.from_table("gate")
def check(
    *systems: _System,
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> int:
    """Test whether a candidate is worse than a baseline (regression gate).

    Exit status 0 (passed): a loss of the margin or more is ruled out. 1 (failed): it is not ruled out, and
    the candidate is significantly worse. 3 (inconclusive): neither. 2: bad input. Two systems are compared once, at
    level alpha. With a stored baseline, written by outscore gate accept, every check is counted and uses part of alpha.

    Parameters
    ----------
    systems
        Baseline and candidate: the scores of two commits. All systems of outscore compare are accepted, and the
        baseline may be a stored one.
    """
    values = arguments.values_of("gate", options)
    configuration, commit, sequential = read_configuration(values["config"]), values["commit"], values["sequential"]
    rule = _rule(configuration, *(values[name] for name in ("margin", "alpha", "looks", "error", "inconclusive")))
    if options.get("seed") is not None and not sequential:
        what = f"applies only to {opt('sequential')}: it sets the order of the items"
        raise OptionError(Problem(opt("seed"), what, "Leave it out.", "usage"))
    with ExitStack() as stack:
        write = stack.enter_context(writing(writes))
        write_files = {
            name: stack.enter_context(destination(values[name], opt(name)))
            for name in ("junit", "comment")
            if values[name] is not None
        }
        refuse_mistaken(systems, "gate", metrics=reads.metric, references=reads.reference)
        metric = _metric(systems, reads, configuration)
        sources = sources_named(systems)
        with progress_bar(shown=not writes.quiet and bool(reads.reference), doing="scoring") as scored:
            work = Work(jobs=processes_of(values["jobs"]), progress=scored)
            if sequential and systems[1:] == ("-",):
                whole = partial(gate_streamed, sources[0], sys.stdin.buffer, seed=values["seed"])
                result = whole(metric, reads.reading, rule, commit=commit, work=work)
            else:
                decide = partial(sequential_gate, seed=values["seed"]) if sequential else gate_scores
                result = gate_sources(sources, metric, reads.reading, rule, commit=commit, work=work, decide=decide)
        for name, write_file in write_files.items():
            write_file(_as_file(result, name))
        if values["github"]:
            _write_to_github(result, writes, lambda: write(result))
        else:
            write(result)
    return result.exit_status


@gate.command
@arguments.from_table("gate-accept")
def accept(*systems: _System, reads: SystemReads = SystemReads(), **options: Any) -> None:  # noqa: B008 - frozen
    """Store a system as the baseline of a gate and restart the count of checks.

    The file holds scores, item ids, a digest of the test set, versions and checks, but no texts. Scores that were
    checked against the previous baseline are refused: a baseline chosen because it won fails 35 to 49% of equally
    good candidates. Run the system again and accept that run.

    Parameters
    ----------
    systems
        One system, as for outscore compare.
    """
    values = arguments.values_of("gate-accept", options)
    configuration, output, quiet = read_configuration(values["config"]), values["output"], values["quiet"]
    refuse_mistaken(systems, "gate accept", metrics=reads.metric, references=reads.reference)
    with progress_bar(shown=not quiet and bool(reads.reference), doing="scoring") as scored:
        work = Work(jobs=processes_of(values["jobs"]), progress=scored)
        store = accept_source(
            sources_named(systems),
            output,
            _metric(systems, reads, configuration),
            reads.reading,
            commit=values["commit"],
            same_run=values["same_run"],
            work=work,
        )
    if not quiet:
        with destination(None) as write:
            metrics = printable(", ".join(metric.spec for metric in store.metrics))
            sentence = f"{printable(store.system)} is the baseline ({metrics}; {store.n_items:,} items)"
            write(f"{printable(output)}: {sentence}.\n")


@gate.command
@arguments.from_table("gate-order")
def order(*systems: _System, reads: SystemReads = SystemReads(), **options: Any) -> None:  # noqa: B008 - frozen
    """Print the ids of a baseline's items in the random order that outscore gate --sequential uses.

    Items are sorted by the SHA-256 of the seed, a colon and the id, in UTF-8. Scoring items in this order avoids
    waiting.

    Parameters
    ----------
    systems
        The baseline, stored or not.
    """
    values = arguments.values_of("gate-order", options)
    configuration = read_configuration(values["config"])
    refuse_mistaken(systems, "gate order", metrics=reads.metric, references=reads.reference)
    if len(systems) != 1:
        what = f"expected a baseline, got {len(systems)} systems"
        raise OptionError(Problem("outscore gate order", what, "Name one system.", "usage"))
    (source,) = sources_named(systems)
    work = Work(jobs=processes_of(values["jobs"]))
    ids = gate_order(
        baseline_scores(source, _metric(systems, reads, configuration), reads.reading, work), values["seed"]
    )
    with destination(values["output"]) as write:
        write("".join(f"{item}\n" for item in ids))


def _as_file(result: GateResult, name: str) -> str:
    """Return a result as the option of this name writes it."""
    from outscore.wings.gating.github import gate_comment
    from outscore.wings.gating.junit import gate_to_junit

    return gate_to_junit(result) if name == "junit" else gate_comment(result)


def _write_to_github(result: GateResult, writes: Writes, write: Callable[[], None]) -> None:
    """Write a result, and what GitHub Actions shows of it."""
    from outscore.wings.gating.github import gate_annotations, write_to_github

    if writes.printed and writes.chosen in ("json", "csv", "parquet"):
        # Standard output is kept free of workflow commands; the runner reads them in both streams.
        write()
        annotate(gate_annotations(result))
    else:
        before, after = fence(result.to_json(), secrets.token_hex(16)) if writes.printed else ("", "")
        with destination(None) as print_:
            print_(before)
            write()
            print_(after + gate_annotations(result))
    write_to_github(result, os.environ)


def _metric(systems: tuple[str, ...], reads: SystemReads, configuration: Configuration) -> list[str] | None:
    """Return the metrics given on the command line, or else in the configuration; a stored baseline has its own."""
    stored = bool(systems) and is_store(systems[0])
    return reads.metric or (None if stored else list(configuration.metric)) or None


def _rule(
    configuration: Configuration,
    margin: list[str] | None,
    alpha: float | None,
    looks: int | None,
    error: str | None,
    inconclusive: str | None,
) -> GateRule:
    """Return the rule from the options, then the configuration, then the defaults.

    A margin of all metrics replaces all margins of the file, so a pull request cannot raise it by a named one. The
    margin of a metric also replaces those of the metric on single tasks.
    """
    plain = [text for text in margin or () if "=" not in text]
    if len(plain) > 1:
        what = f"expected one margin for all metrics, got {listed(plain)}"
        raise OptionError(Problem(opt("margin"), what, "Use METRIC=MARGIN for the other metrics.", "bad-margin"))
    default, margins, origins = (
        (None, {}, {}) if plain else (configuration.margin, dict(configuration.margins), dict(configuration.places))
    )
    for text in margin or ():
        name, equals, value = text.rpartition("=")
        if equals and not (name and value):
            what = f"expected METRIC=MARGIN, got {printable(text)}"
            raise OptionError(Problem(opt("margin"), what, "", "bad-margin"))
        if equals:
            for key in [key for key in origins if key == name or key.endswith(f"/{name}")]:
                del margins[key], origins[key]
            margins[name] = value
        else:
            default = value
    usual = GateRule(Margins())
    advice = f"Pass {opt('margin')}, or write it to outscore.toml in the current folder."
    return GateRule(
        Margins(default, margins, origins, advice),
        alpha if alpha is not None else configuration.alpha if configuration.alpha is not None else usual.alpha,
        ErrorRate(error) if error is not None else configuration.error or usual.error,
        looks if looks is not None else configuration.looks,
        configuration.inconclusive if inconclusive is None else InconclusivePolicy(inconclusive),
        configuration.where or None,
    )
