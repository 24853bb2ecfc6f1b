"""Gates: a candidate against another system, or against a stored baseline that counts every check."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import MISSING, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from outscore.data.coercion import choice, number, whole, wrong
from outscore.data.pairing import merged
from outscore.data.rows import Missing, Rows, RunDesign, is_none
from outscore.design.runs import Runs
from outscore.design.scores import Scores, Systems
from outscore.design.settling import Declaration
from outscore.errors import DataError, FileAccessError, OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.item_tables import ScoredItems, know_pair
from outscore.questions.looks import ErrorRate, GateRule, InconclusivePolicy, Look, Margins, left_level, look_at_two
from outscore.readers.door import Request, read_compared
from outscore.readers.kept.stored import is_store
from outscore.readers.reading import Files, Reading, Work, reference_files
from outscore.readers.sources import Source, sources_of
from outscore.signatures import asked_of, declared
from outscore.text.naming import listed, printable, quoted
from outscore.text.numbers import format_counted
from outscore.wings.gating import stores
from outscore.wings.gating.results import GateResult
from outscore.wings.gating.rule import gate_scores
from outscore.wings.gating.sequential import sequential_gate
from outscore.wings.gating.stores import STORED_OPTIONS, Store, StoredLook, StoredReading

if TYPE_CHECKING:
    from outscore.declared import GateAcceptOptions, GateOptions

# Environment variables in which CI services name the commit.
COMMIT_VARIABLES = (
    "GITHUB_SHA",
    "CI_COMMIT_SHA",
    "BUILDKITE_COMMIT",
    "CIRCLE_SHA1",
    "GIT_COMMIT",
    "BITBUCKET_COMMIT",
    "BUILD_SOURCEVERSION",
    "DRONE_COMMIT_SHA",
    "TRAVIS_COMMIT",
)
# How to decide: on all items at once, or item by item.
Decision = Callable[[Scores, GateRule, Look], GateResult]

# Options that describe the items; a stored baseline keeps them.
_OF_ITEMS = ("clusters", "strata", "weights", "test_sets")
_OF_COLUMNS = ("id_column", "score_column")


@declared
def gate(
    baseline: object,
    candidate: object,
    *,
    metric: object = None,
    margins: Mapping[str, float | str] | None = None,
    **options: Unpack[GateOptions],
) -> GateResult:
    """Test whether a candidate is worse than a baseline (regression gate).

    Parameters
    ----------
    baseline : str or path, array, list, mapping, data frame, series or Rows
        A system as for `read`, or the file of a stored baseline that `gate_accept` wrote, which counts this check.
    candidate : str or path, array, list, mapping, data frame, series or Rows
        As `baseline`.
    metric : AnyMetric or str, or a list of them, optional
        Default: the metrics of the stored baseline, or else as for `read`. All metrics and all tasks have to pass.
    margins : mapping from str to float or str, optional
        Margins of single metrics, or of a metric on one task as ``task/metric``.

    Returns
    -------
    GateResult

    Raises
    ------
    OptionError
        The margin is missing, or an option is out of its range.
    DataError
        The systems cannot be paired, or the test set differs from the stored baseline's.
    NotApplicableError
        No test applies to the metric or the design.

    References
    ----------
    Tango (1998) for binary scores; Owen (1988); Berger (1982); Holm (1979).

    Examples
    --------
    >>> old, new = [1, 0] * 300, [1, 0] * 295 + [0, 0] * 5
    >>> result = gate(old, new, metric="accuracy", margin=0.05)
    >>> result.outcome.value, result.exit_status
    ('passed', 0)
    """
    _check_metric(metric)
    asked, how, _ = asked_of("gate", options)
    looks, inconclusive, seed = asked["looks"], asked["inconclusive"], asked["seed"]
    rule = GateRule(
        Margins(asked["margin"], dict(margins or {}), dict.fromkeys(margins or {}, "margins")),
        number(asked["alpha"], "alpha"),
        choice(ErrorRate, asked["error"], opt("error")),
        None if looks is None else whole(looks, "looks"),
        None if inconclusive is None else choice(InconclusivePolicy, inconclusive, opt("inconclusive")),
    )
    if isinstance(baseline, str | os.PathLike) and is_store(os.fspath(baseline)):
        only = sources_of((candidate,), metric=metric, references=how.references)
        sources: Sequence[Source] = [Source.of(os.fspath(baseline)), *only]
    else:
        sources = sources_of((baseline, candidate), metric=metric, references=how.references)
    decide = partial(sequential_gate, seed=whole(seed, "seed")) if asked["sequential"] else gate_scores
    return gate_sources(sources, metric, how, rule, commit=asked["commit"], decide=decide)


@declared
def gate_accept(
    system: object, store: str | os.PathLike[str], *, metric: object = None, **options: Unpack[GateAcceptOptions]
) -> None:
    """Store a system as the baseline of a gate and restart the count of checks.

    The file holds scores, item ids, a digest of the test set, versions and checks, but no texts.

    Parameters
    ----------
    system : str or path, array, list, mapping, data frame, series or Rows
        As for `gate`.
    store : str or path
        The file to write. It may hold an older baseline.
    metric : AnyMetric or str, or a list of them, optional
        As for `read`.

    Raises
    ------
    OptionError
        The scores were checked against the older baseline, or a metric cannot be stored.
    DataError, FileAccessError
        The system cannot be read, the file cannot be written, or it is not a baseline.
    """
    _check_metric(metric)
    asked, how, _ = asked_of("gate_accept", options)
    sources = sources_of((system,), metric=metric, references=how.references)
    accept_source(sources, os.fspath(store), metric, how, **asked)


def _check_metric(metric: object) -> None:
    if not isinstance(metric, str | list | tuple | AnyMetric | None):
        raise wrong("metric", 'a metric such as outscore.F1() or "f1"', metric)


def commit_at_work(commit: str | None) -> str | None:
    """Return the named commit, or else the one that a CI service is working on; None if "" is named."""
    if commit is None:
        return next((os.environ[name] for name in COMMIT_VARIABLES if os.environ.get(name)), None)
    return commit or None


def gate_sources(
    sources: Sequence[Source],
    metric: object,
    reading: Reading,
    rule: GateRule,
    *,
    commit: str | None = None,
    work: Work | None = None,
    decide: Decision = gate_scores,
) -> GateResult:
    """Return the gate of a candidate, the second source, against a baseline, the first; see `gate`."""
    _check_two(len(sources), "Name two systems, or a stored baseline and one system.")
    commit = commit_at_work(commit)
    first, candidate = sources
    check_baseline(first)
    if first.is_store:
        with looking(first.spec):
            return _at_stored(first.spec, candidate, metric, reading, rule, commit, work, decide)
    systems = read_compared(Request(sources, metric or None, reading, work))
    scores = systems.paired()
    _check_two(len(scores), "Pass one candidate at a time.")
    result = decide(scores, rule, look_at_two(rule, commit))
    know_pair(result, ScoredItems.of(systems, scores))
    return result


def check_baseline(baseline: Source) -> None:
    """Refuse a baseline that names a missing JSON file; often it was not accepted yet, or not kept.

    Raises
    ------
    FileAccessError
    """
    if baseline.spec.endswith(".json") and not Path(baseline.spec).exists():
        path = baseline.shown
        advice = f"Check the path, or store a baseline first: outscore gate accept SYSTEM -o {path}."
        raise FileAccessError(Problem(path, "there is no such file", advice, "cannot-read"))


def _check_two(n_systems: int, advice: str) -> None:
    if n_systems != 2:
        what = f"expected a baseline and one candidate, got {format_counted(n_systems, 'system')}"
        raise OptionError(Problem("outscore gate", what, advice, "usage"))


def accept_source(
    sources: Sequence[Source],
    path: str,
    metric: object,
    reading: Reading,
    *,
    commit: str | None = None,
    same_run: bool = False,
    work: Work | None = None,
) -> Store:
    """Store a system as a baseline and return the stored file's content; see `gate_accept`."""
    reading.refuse(dict.fromkeys(("human", "judge"), "cannot be stored in a baseline"), "not-for-labels")
    if len(sources) != 1:
        what = f"expected one system, got {len(sources)}"
        raise OptionError(Problem("outscore gate accept", what, "Name one system.", "usage"))
    taken = False
    with suppress(OSError, ValueError):  # no file, or a path that cannot be one: writing says so
        taken = Path(path).stat().st_size > 0 and not is_store(path)
    if taken:
        what = "exists and is not a baseline"
        raise OptionError(Problem(printable(path) or '""', what, "Choose another file with -o.", "not-a-store"))
    systems = _settled(one_system(Request(sources, metric or None, reading, work).systems()))
    systems.paired()  # refuse a design that cannot be stored before storing it
    name = systems.rows[0][0].name
    commit = commit_at_work(commit)
    with stores.locked(path):
        files = reference_files(reading.references, of_files=sources[0].path is not None)
        how = _stored_reading(replace(reading, references=files), systems.metrics)
        store = stores.store_of(systems, name, commit, how)
        if is_store(path):
            store = _after(stores.read_store(path), store, path, same_run=same_run)
        stores.write_store(store, path)
    return store


def _after(old: Store, new: Store, path: str, *, same_run: bool) -> Store:
    """Return a new baseline if it may replace the old one."""
    if same_run:
        return new.continuing(old) if old.run == new.run else new.taking_the_place_of(old)
    seen = next((look.look for look in old.looks if look.run == new.run), None)
    if old.run == new.run:
        what = f"already holds these scores, with {format_counted(len(old.looks), 'check')}"
    elif seen is not None:
        what = (
            f"check {seen} used these scores; a baseline chosen because it won is too high and fails 35 to 49% of "
            "equally good candidates"
        )
    elif new.run in old.former:
        what = "already used these scores, as a candidate or as the baseline, so checks would be forgotten"
    else:
        return new.taking_the_place_of(old)
    advice = f"Run the system again and accept that run, or pass {opt('same_run', True)} if it is deterministic."
    raise OptionError(Problem(printable(path), what, advice, "same-run"))


def _at_stored(
    path: str,
    candidate: Source,
    metric: object,
    reading: Reading,
    rule: GateRule,
    commit: str | None,
    work: Work | None,
    decide: Decision,
) -> GateResult:
    """Return the gate of a candidate against a stored baseline, which counts the check."""
    refuse_known(path, reading)
    if reading.missing is Missing.DROP:
        what = "without the missing items the test set differs from the baseline's"
        raise OptionError(
            Problem(opt(Missing.DROP.argument), what, f"Score them, or pass {Missing.ZERO.option}.", "other-test-set")
        )
    with stores.locked(path):
        store = stores.read_store(path)
        former = store.runs_of(commit)
        systems = _beside(store, path, former, candidate, reading, work)
        # The candidate beside the stored baseline.
        own = replace(systems, rows=tuple((row[-1],) for row in systems.rows), families=(None,), texts=None)
        _check_test_set(store, path, own)
        own = _settled(own)
        rows = stores.on_items_of(store, [of for (of,) in own.rows])
        digest = stores.run_digest([of for (of,) in own.rows])
        is_new = all(look.run != digest for look in store.looks_at(commit))
        scores, n_runs = _joined(store, path, systems, own, is_new=is_new)
        look = look_at(store, rule, commit, n_runs)
        scores = on_metrics(scores, metric)
        result = decide(scores, rule, look)
        result = replace(result, warnings=(*result.warnings, *_about_commit(store, result)))
        # The stored baseline has no texts; logs of the candidate provide them by item id.
        know_pair(result, ScoredItems(scores, read_texts=own.read_texts))
        entry = StoredLook(look.total, commit, digest, look.level, result.outcome, result.candidate)
        stores.write_store(store.with_look(entry, stores.stored_runs(rows) if is_new else []), path)
    return result


@contextmanager
def looking(path: str) -> Iterator[None]:
    """Replace the advice of errors by advice that fits a stored baseline."""
    try:
        yield
    except (DataError, FileAccessError) as error:
        raise type(error)(*(_at_look(problem, path) for problem in error.problems)) from error.__cause__


def _at_look(problem: Problem, path: str) -> Problem:
    """Return a problem with advice for a stored baseline: the file is written, and no item can be dropped."""
    if problem.slug == "cannot-write" and problem.where == printable(path):
        return replace(problem, advice="Every check is saved, so make the file and its folder writable.")
    if Missing.DROP.option not in problem.advice:
        return problem
    if problem.where == printable(path):
        return replace(problem, advice="Leave out the extra items, or accept a baseline on this test set.")
    return replace(problem, advice=f"Score them, or pass {Missing.ZERO.option}.")


def look_at(store: Store, rule: GateRule, commit: str | None, n_runs: int = 1) -> Look:
    """Return the next check against a stored baseline. Its level is at most the rest of alpha after earlier checks.

    If alpha bounds the errors per commit, an unknown commit counts as a new one.
    """
    before = store.looks if rule.error is ErrorRate.PER_BASELINE else store.looks_at(commit)
    counted = len(before) + 1
    return Look(counted, len(store.looks) + 1, left_level(rule, [look.level for look in before]), commit, n_runs)


def _about_commit(store: Store, result: GateResult) -> list[str]:
    """Return warnings about an unknown commit, or a commit with several candidates."""
    if result.commit is None and result.error is ErrorRate.PER_COMMIT:
        return [
            f"The commit is unknown, so this check counts as the first of a new commit. Pass {opt('commit')}; "
            "otherwise repeated runs exceed alpha."
        ]
    names = [*(look.candidate for look in store.looks_at(result.commit) if look.candidate), result.candidate]
    names = list(dict.fromkeys(names))
    if result.n_runs == 1 or len(names) == 1:
        return []
    return [
        f"The averaged runs of this commit have different names: {listed(names)}. If they are different "
        f"candidates, pass a {opt('commit')} for each, such as the commit and the name."
    ]


def _beside(
    store: Store, path: str, former: Sequence[stores.StoredRun], candidate: Source, reading: Reading, work: Work | None
) -> Systems:
    """Return the baseline's runs, former runs of the commit and the candidate, as systems."""
    metric = store.reading.get("metric")
    stored = [Source.in_memory(system) for system in stores.stored_systems(store, path, [*store.runs, *former])]
    how = read_like(store, reading)
    with _named_references(path, None if reading.has_references else how.references):
        return Request([*stored, candidate], metric, how, work).systems()


def read_like(store: Store, reading: Reading) -> Reading:
    """Return the reading options of a candidate: those given, and for the rest those of its baseline."""
    known: dict[str, Any] = {
        name: value
        for name, value in store.reading.items()
        if name in _DEFAULTS and getattr(reading, name) == _DEFAULTS[name]
    }
    if "references" in known:
        known["references"] = Files(known["references"])
    return replace(reading, **known)


@contextmanager
def _named_references(path: str, references: object) -> Iterator[None]:
    """Add to errors on references that their names come from the stored baseline."""
    try:
        yield
    except FileAccessError as error:
        advice = (
            f"{printable(path)} was accepted with these references. Pass {opt('references')}, or run in the "
            "folder of the references."
        )
        named = references if isinstance(references, Files) else ()
        of = [
            replace(problem, advice=advice)
            if any(printable(name).startswith(problem.where) for name in named)
            else problem
            for problem in error.problems
        ]
        raise FileAccessError(*of) from None


def refuse_known(path: str, reading: Reading, *, streamed: bool = False) -> None:
    """Refuse options that describe the items, as a stored baseline has them. A stream may have options of columns."""
    known = [*_OF_ITEMS, *(name for name in _DEFAULTS if name not in _OF_COLUMNS)] if streamed else _OF_ITEMS
    for name in known:
        value = getattr(reading, name)
        if is_none(value) and name not in stores.read_store(path).labels:
            continue
        if value is not None and value is not False:
            what = f"applies only when a baseline is accepted; {printable(path)} keeps it"
            raise OptionError(Problem(opt(name), what, "Leave it out.", "already-stored"))


def one_system(systems: Systems) -> Systems:
    """Return systems to be stored as a baseline; refuse several."""
    if len(systems.families) != 1:
        what = f"expected one system, got {len(systems.families)}: {listed(systems.names)}"
        raise OptionError(Problem("outscore gate", what, "Name one system.", "usage"))
    return systems


def _settled(systems: Systems) -> Systems:
    """Return one system with its samples reduced to one score per item."""
    declared = systems.declared
    if declared.crossed and declared.samples is None:
        return systems
    alone = replace(declared, missing=Missing.ERROR) if declared.missing is Missing.ZERO else declared
    of_metrics = [alone.settled(metric, list(rows)) for metric, rows in zip(systems.metrics, systems.rows, strict=True)]
    metrics, rows_of = zip(*of_metrics, strict=True)
    rows = tuple(tuple(replace(row, cells=None) for row in rows) for rows in rows_of)
    kept = Declaration(missing=declared.missing, weights=declared.weights)
    return replace(systems, metrics=metrics, rows=rows, declared=kept)


def _check_test_set(store: Store, path: str, own: Systems) -> None:
    """Refuse a candidate whose items have the same ids as the baseline's but different content."""
    if stores.test_set_digest(own) == store.digest:
        return
    items = store.metrics[0].items
    ids = own.rows[0][0].item_ids
    if ids is None or not isinstance(items, list) or {*ids} != {*items}:
        return  # differing ids are reported where systems are paired
    rows = own.rows[0][0]
    what = f"has the same item ids as {printable(path)}, but different references, documents or targets"
    advice = "Accept a baseline on this test set."
    raise DataError(Problem(rows.where, what, advice, "other-test-set"))


def _joined(store: Store, path: str, systems: Systems, own: Systems, *, is_new: bool) -> tuple[Scores, int]:
    """Return the stored baseline paired with the candidate and former runs of its commit, and their number."""
    declared, stored_runs = systems.declared, store.random_or_fixed
    own_runs = declared.get(Runs)
    if own_runs is not None and own_runs.is_random and stored_runs is not RunDesign.RANDOM:
        what = f"{printable(path)} has one run, or another kind of runs, so the variance between runs is unknown"
        random = opt("runs", "random")
        advice = f"Pass {opt('runs', 'fixed')} or samples, or accept a baseline of several runs with {random}."
        raise OptionError(Problem(random, what, advice, "one-run"))
    n_baseline, n_runs = len(store.runs), 1
    several: list[tuple[Rows, ...]] = []
    for index, rows in enumerate(systems.rows):
        baseline, former, (now,) = rows[:n_baseline], rows[n_baseline:-1], own.rows[index]
        parts = [*former, *(_runs(now) if is_new or not former else [])]
        n_runs = len(parts)
        called = printable(store.system)
        several.append(
            (
                # If each commit is accepted into the same file, two systems have the same name.
                replace(_merged(baseline, baseline[0]), name=f"{called} (baseline)" if called == now.name else called),
                _merged(parts, now),
            )
        )
    claim = stored_runs or (None if own_runs is None else own_runs.claim)
    if claim in (None, RunDesign.SAMPLES):
        claim = RunDesign.SAMPLES if n_runs > 1 else None
    joined = _on_design(store, path, replace(systems, metrics=own.metrics), several)
    stored = joined.declared.get(Runs)
    crossed = () if claim is None else (Runs(claim, stored is not None and stored.paired),)
    declared = replace(joined.declared, crossed=crossed, missing=declared.missing)
    return replace(joined, declared=declared).paired(), n_runs


def merged_systems(store: Store, path: str, systems: Systems) -> Systems:
    """Return the runs of a stored baseline, read as several systems, as one system with its design."""
    rows = [(replace(_merged(row, row[0]), name=printable(store.system)),) for row in systems.rows]
    return _on_design(store, path, systems, rows)


def _on_design(store: Store, path: str, systems: Systems, rows: Sequence[tuple[Rows, ...]]) -> Systems:
    """Return systems on the items of a stored baseline, in its order; rows for each metric of `systems`."""
    labels = stores.stored_labels(store, path)
    return Systems(
        systems.metrics,
        tuple(rows),
        tuple(None for _ in rows[0]),
        clusters=labels.get("clusters"),
        strata=labels.get("strata"),
        notes=systems.notes,
        declared=stores.stored_declaration(store),
        test_sets=labels.get("test_sets"),
        other_clusters=labels.get("other_clusters"),
    )


def _runs(rows: Rows) -> list[Rows]:
    """Return the runs of a system one by one, without the items that each is missing."""
    if rows.cells is None:
        return [rows]
    parts = []
    for values in rows.cells.each():
        there = np.flatnonzero(~np.isnan(values[:, 0]))
        ids = None if rows.item_ids is None else tuple(rows.item_ids[place] for place in there.tolist())
        parts.append(replace(rows, values=values[there], item_ids=ids, cells=None, lines=None))
    return parts


def _merged(parts: Sequence[Rows], named: Rows) -> Rows:
    """Return several runs as one system, under one name."""
    if len(parts) == 1:
        return replace(parts[0], name=named.name, path=named.path)
    whole = merged(parts, [str(place) for place in range(1, len(parts) + 1)], named.name)
    return replace(whole, path=named.path)


def on_metrics(scores: Scores, metric: object) -> Scores:
    """Return the scores on the named metrics; on all if none is named."""
    if metric is None or metric == []:
        return scores
    known = [describe_metric(metric).spec for metric in scores.metrics]
    named = [metric] if isinstance(metric, str | AnyMetric) else list(metric)  # type: ignore[call-overload]
    places = []
    for one in named:
        specs = [one] if one in known else one.split(",") if isinstance(one, str) else [describe_metric(one).spec]
        for spec in specs:
            if spec not in known:
                what = f"the baseline was accepted with {listed(known)}, got {quoted(spec)}"
                raise OptionError(Problem(opt("metric"), what, "Leave it out, or accept one with it.", "other-metric"))
            places.append(known.index(spec))
    places = list(dict.fromkeys(places))
    return replace(
        scores,
        metrics=tuple(scores.metrics[index] for index in places),
        rows=tuple(scores.rows[index] for index in places),
    )


# Reading options of the baseline that a candidate takes over. Options that describe the items are stored with them;
# objects in memory cannot be stored.
_DEFAULTS: dict[str, Any] = {
    field.name: field.default
    for field in fields(Reading)
    if field.default is not MISSING and field.name not in {*_OF_ITEMS, "collapse_strata", "families", "names"}
}


def _stored_reading(reading: Reading, metrics: Sequence[AnyMetric]) -> StoredReading:
    """Return the reading options that JSON can hold, with references as files."""
    options: dict[str, Any] = {"metric": [describe_metric(metric).spec for metric in metrics]}
    for name, default in _DEFAULTS.items():
        value = getattr(reading, name)
        if value is None or value == default or name not in STORED_OPTIONS:
            continue
        if isinstance(value, str | bool | int):
            options[name] = value
        elif isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            options[name] = list(value)
    return options
