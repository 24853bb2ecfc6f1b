"""The systems in logs, ready for pairing like those of tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TypeAlias

from outscore.data.items import ItemTexts
from outscore.data.reducers import reducer_named
from outscore.data.rows import Labels, Missing, is_none
from outscore.design.missing import refuse_unequal_items
from outscore.design.scores import Systems
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.readers.door import assembled, labels_in_file
from outscore.readers.files import is_readable, split_spec
from outscore.readers.reading import Reading, declared_of
from outscore.readers.registry import InputFiles
from outscore.readers.sources import Source
from outscore.readers.tabular.columns import CLUSTERS
from outscore.results.audit import PairingAudit
from outscore.text.naming import listed, nearest, quoted
from outscore.wings.logs.archives import real_path
from outscore.wings.logs.base import links_of
from outscore.wings.logs.pairing.audit import notes_of, pairing_of
from outscore.wings.logs.pairing.choosing import System, chosen, metric_names, systems_in
from outscore.wings.logs.pairing.records import (
    UNLISTED,
    Records,
    Task,
    metric_of,
    records_of,
    refuse_other_documents,
    rows_of,
    with_all_items,
)
from outscore.wings.logs.values import proposed_labels
from outscore.words.warnings import may_be_correlated

# The records of all systems on one task, by the prefix of their item ids.
_OfTasks: TypeAlias = Mapping[str, Sequence[Records]]


def _fingerprint(records: _OfTasks) -> str:
    """Return a digest of documents and targets, to compare the items of logs.

    It is that of the first system, without prompts, as these are often what is changed.
    """
    digest = sha256()
    for prefix, (first, *_) in sorted(records.items()):
        for kind in ("document", "target"):
            digest.update(f"{prefix}\n{kind}\n".encode())
            digests = first.by_item(lambda log, kind=kind: log.digests.get(kind))  # type: ignore[misc]
            digest.update(
                "".join(f"{item}\t{digests[item]}\n" for item in sorted(digests)).encode(errors="surrogatepass")
            )
    return digest.hexdigest()


def _texts(records: _OfTasks, items: Collection[str]) -> Mapping[str, Mapping[str, ItemTexts]]:
    """Return inputs and answers of some items, by system and item, of the first run; read again."""
    texts: dict[str, dict[str, ItemTexts]] = {}
    for prefix, system_records in records.items():
        ids = {item.removeprefix(prefix) for item in items if item.startswith(prefix)}
        for system in system_records:
            named, log, read = system.logs[0], system.first, dict[str, ItemTexts]()
            if named.format is not None and log.path:
                with links_of(named.spec, follow_links=named.follow_links):
                    read |= named.format.texts(replace(log, path=real_path(log.path)), ids)
            texts.setdefault(system.system, {}).update({f"{prefix}{item}": text for item, text in read.items()})
    return texts


def logged_systems(
    sources: Sequence[Source],
    metric: object,
    reading: Reading,
    *,
    apart: bool = False,
) -> list[tuple[Systems, Sequence[str]]]:
    """Return the systems in logs, paired or separately, and the files or folders of each as the user named them.

    Sources are files, folders and log objects. Logs of one system on different tasks are one system, in any files. Two
    arguments with the same system on the same task are two systems, named after their files. By default, the metric is
    the main one of each task. With `apart`, systems are kept separate, each with its own items and tasks.
    """
    refused = {
        "references": "logs contain scores, so answers are not scored again",
        "input_format": "the format of logs is recognized",
        "lower_is_better": "logs define the direction of their metrics",
        "id_column": "logs define the ids of their items",
        "records": "a map of the logs names their records" if reading.mapping else "logs define their records",
        "score_column": f"metrics of logs are chosen by {opt('metric')}",
        "run": f"logs define their runs; {opt('runs')} sets their kind",
    }
    reading.refuse(refused, "not-for-logs")
    left_out: list[str] | None = [] if reading.skip_unreadable else None
    wanted = metric_names(metric)
    systems, notes = systems_in(sources, reading, wanted, left_out)
    notes += left_out or []
    groups = [[system] for system in systems] if apart else [systems]
    return [_paired(group, wanted, reading, notes if group is groups[0] else []) for group in groups]


def _paired(
    systems: Sequence[System], wanted: Sequence[str], reading: Reading, notes: Sequence[str]
) -> tuple[Systems, Sequence[str]]:
    """Return systems on the items that have scores for all of them."""
    choice = chosen(systems, wanted, reading)
    systems, several = choice.systems, len(choice.metrics) > 1
    tasks = [
        Task(name, f"{name}: " if several else "", [records_of(system, name, reading) for system in systems], metrics)
        for name, metrics in choice.metrics.items()
    ]
    for task in tasks:
        refuse_other_documents(task)
    tasks = [replace(task, records=with_all_items(task.records, reading)) for task in tasks]
    metric_indices = range(len(tasks[0].metrics))
    metrics = tuple(metric_of(tasks, index) for index in metric_indices)
    rows = [
        [rows_of(system.name, tasks, at, index, metric) for at, system in enumerate(systems)]
        for index, metric in enumerate(metrics)
    ]
    pairings = tuple(pairing_of(task, index) for index in metric_indices for task in tasks)
    audit = PairingAudit(pairings, "zero" if reading.missing is Missing.ZERO else "dropped")
    if reading.missing is Missing.ERROR:
        # Averages over subsets of samples, such as pass@k, need no equal numbers of samples.
        any_number = reading.reduce is not None and reducer_named(reading.reduce).of_subsets
        refuse_unequal_items(rows[0], cells=not any_number)
    items = {task.name: task.records[0].items for task in tasks}
    labelled, label_notes = _with_labels(reading, tasks, items, choice.group)
    runs_are = {records.first.runs_are for task in tasks for records in task.records} - {None}
    if reading.runs is None and reading.reduce is None and any(row.cells is not None for row in rows[0]):
        labelled = replace(labelled, runs=runs_are.pop() if len(runs_are) == 1 else None)
    records, files = {task.prefix: task.records for task in tasks}, InputFiles()
    declared = declared_of(labelled, files)
    together = assembled(
        [*zip(metrics, rows, strict=True)],
        labelled,
        # Logs often lack items.
        declared if declared.missing is Missing.ZERO else replace(declared, missing=Missing.DROP),
        files,
        partial(labels_in_file, item_ids=rows[0][0].item_ids, files=files),
        notes=(*notes, *choice.notes, *label_notes, *notes_of(audit, tasks, rows[0])),
        audit=audit,
        read_texts=partial(_texts, records),
        fingerprint=partial(_fingerprint, records),
    )
    return together, [system.spec for system in systems]


def _with_labels(
    reading: Reading, tasks: Sequence[Task], items: Mapping[str, Sequence[str]], group: str | None
) -> tuple[Reading, list[str]]:
    """Return the reading options with labels of the logs in place of their names, and notes."""
    declared = [name for name in _declared(tasks) if name not in (reading.strata, reading.test_sets)]
    labels = _labels(tasks, items, declared)
    notes: list[str] = []
    labelled: dict[str, object] = {}
    without = [name for name in ("clusters", "strata") if is_none(getattr(reading, name))]
    for name in without:
        reading = replace(reading, **{name: None})  # type: ignore[arg-type]
    undecided = reading.clusters is None and "clusters" not in without
    if undecided and len(declared) == 1 and declared[0] in labels:
        reading, notes = reading.by_default(clusters=declared[0])
        notes = [f"{note} {opt('clusters', 'none')} resamples them one by one." for note in notes]
    elif undecided and declared:
        raise _undecided(declared, labels)
    elif undecided and len(tasks) == 1:
        proposed = [
            f"{opt('clusters', name)} ({len(set(labels[name].labels)):,})"
            for name in proposed_labels(tasks[0].records[0].first)
            if name in labels and 1 < len(set(labels[name].labels)) <= len(labels[name].labels) / 2
        ]
        if proposed:
            notes.append(may_be_correlated(proposed[:3]))
    clusters = reading.clusters
    several = clusters if isinstance(clusters, tuple | list) else [clusters]
    for option, names in (
        (opt("clusters"), several),
        (opt("strata"), [reading.strata]),
        (opt("test_sets"), [reading.test_sets]),
    ):
        for spec in names:
            if isinstance(spec, str) and spec not in labels and not is_readable(split_spec(spec)[0]):
                what = f"{quoted(spec)} is neither a file nor a label in all logs"
                raise OptionError(Problem(option, what, nearest(spec, labels) if labels else "", "unknown-label"))

    def labels_named(spec: object) -> object:
        return labels.get(spec, spec) if isinstance(spec, str) else spec

    labelled["clusters"] = (
        tuple(map(labels_named, clusters)) if isinstance(clusters, tuple | list) else labels_named(clusters)
    )
    labelled["strata"], labelled["test_sets"] = labels_named(reading.strata), labels_named(reading.test_sets)
    if any(value is not None for value in labelled.values()):
        unlisted = sum(item.startswith(UNLISTED) for ids in items.values() for item in ids)
        if unlisted:
            what = f"{unlisted:,} items are counted in the logs without ids, so they have no labels"
            raise OptionError(Problem(opt("total"), what, "Pass a file of the ids of all items.", "unlisted-items"))
    if len(tasks) > 1:
        task_of = {
            f"{task.prefix}{item}": task.name for task in tasks for records in task.records for item in records.ids
        }
        task_labels = Labels("tasks", tuple(task_of.values()), tuple(task_of))
        if group is None and labelled["test_sets"] is None:
            labelled["test_sets"] = task_labels
        elif group is not None and labelled["strata"] is None and "strata" not in without:
            labelled["strata"] = task_labels
            labelled["weights"] = reading.weights or ("macro" if group == "macro" else None)
    return replace(reading, **labelled), notes  # type: ignore[arg-type]


def _declared(tasks: Sequence[Task]) -> list[str]:
    """Return the labels by which items are correlated: of the format or of standard errors, else by their names."""
    logs = [(task, named.log) for task in tasks for records in task.records for named in records.logs]
    surely = dict.fromkeys(log.cluster for _, log in logs if log.cluster is not None)
    for task, log in logs:
        surely |= dict.fromkeys(
            label for metric in log.metrics if metric.name in task.metrics for label in metric.clusters
        )
    named = dict.fromkeys(label for _, log in logs for label in log.labels if label.rpartition(".")[2] in CLUSTERS)
    return list(surely or named)


def _undecided(declared: Sequence[str], labels: Mapping[str, Labels]) -> OptionError:
    """Return the error of clusters that are declared, but ambiguous or unknown."""
    choices = [opt("clusters", name) for name in declared if name in labels]
    what = f"the logs declare that items of one {listed(declared)} are correlated"
    if len(choices) < len(declared):
        what += f", but {listed([name for name in declared if name not in labels])} is not a label of all items"
    advice = f"Pass {' or '.join([*(choices or [opt('clusters', 'FILE')]), opt('clusters', 'none')])}."
    return OptionError(Problem(opt("clusters"), what, advice, "declared-clusters"))


def _labels(tasks: Sequence[Task], items: Mapping[str, Sequence[str]], declared: Sequence[str]) -> dict[str, Labels]:
    """Return the labels of all tasks, for the items of all systems; those of unlisted items from their ids.

    If only some tasks have a declared label, each item of the others is a cluster of its own.
    """
    names = dict.fromkeys([*tasks[0].records[0].first.labels, *declared])
    labels = {}
    for name in names:
        label_by_id: dict[str, str] = {}
        for task in tasks:
            for records in task.records:
                label_of_item = records.by_item(lambda log, name=name: log.labels.get(name))  # type: ignore[misc]
                label_by_id = {
                    f"{task.prefix}{item}": str(label) for item, label in label_of_item.items()
                } | label_by_id
            for label_of in {records.first.label_of for records in task.records} - {None}:
                for item in items[task.name]:
                    if label_of is None or item.startswith(UNLISTED):
                        continue
                    if f"{task.prefix}{item}" not in label_by_id:
                        label_by_id |= {f"{task.prefix}{item}": label_of(item)[name]} if name in label_of(item) else {}
        if name in declared and label_by_id:
            every = [f"{task.prefix}{item}" for task in tasks for item in items[task.name]]
            label_by_id = {item: item for item in every if item not in label_by_id} | label_by_id
        if all(any(item.startswith(task.prefix) for item in label_by_id) for task in tasks):
            labels[name] = Labels(name, tuple(label_by_id.values()), tuple(label_by_id))
    return labels
