"""Segment scores in the layout of mt-metrics-eval: ``METRIC-REFERENCE.seg.score``, a system and a score per line.

``NAME.seg.rating`` has a system, the errors that a rater marked, as JSON, and often the rater.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from glob import escape
from pathlib import Path

from outscore.readers.tabular.human import scored_line
from outscore.text.naming import listed, printable, quoted
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, metrics_called, wrong_log
from outscore.wings.logs.files import beside
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import aggregates_of

_ENDINGS = (".seg.score", ".seg.rating")
_WHOLE = ".sys.score"
_HUMAN = re.compile(r"([A-Za-z]+-[A-Za-z]+)\.(.+)")


class MtMetricsEval(LogFormat):
    """Metric or human scores of the segments of several systems, in the layout of mt-metrics-eval.

    An item is a segment, by its place; segments of one document are one cluster. The score of a rating is minus the sum
    of its errors' scores.
    """

    name = "mt-metrics-eval"
    suffixes = _ENDINGS

    def recognizes(self, file: LogFile) -> bool:
        if not file.name.endswith(_ENDINGS):
            return False
        line, more, _ = file.head.partition(b"\n")
        if file.name.endswith(_ENDINGS[1]):
            return scored_line(line, rating=True) is not None or (not more and b'\t{"errors": ' in line)
        return scored_line(line, rating=False) is not None

    def asked_for(self, files: Sequence[LogFile], tasks: Sequence[str], metrics: Sequence[str]) -> Sequence[LogFile]:
        sets = _sets(files)
        sets_of_tasks = {
            set_name: by_metric for set_name, by_metric in sets.items() if _task(*set_name) in tasks
        } or sets
        names = list(dict.fromkeys(metric for by_metric in sets_of_tasks.values() for metric in by_metric))
        parts = [part for text in metrics for part in ([text] if metrics_called(text, names) else text.split(","))]
        called = [metrics_called(part, names) for part in parts]
        # An error on an unknown metric lists all metrics.
        wanted = (
            {name for names_of_metric in called for name in names_of_metric} if all(called) and called else set(names)
        )
        return [file for by_metric in sets_of_tasks.values() for metric, file in by_metric.items() if metric in wanted]

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for (root, languages), by_metric in _sets(files).items():
            yield from _logs_of(root, languages, by_metric)


def _sets(files: Iterable[LogFile]) -> Mapping[tuple[Path, str], Mapping[str, LogFile]]:
    """Return the files of each test set, by metric; a test set is a folder and languages."""
    sets: dict[tuple[Path, str], dict[str, LogFile]] = {}
    for file in files:
        root, languages, metric = _parts_of_path(file)
        by_metric = sets.setdefault((root, languages), {})
        by_metric[metric if metric not in by_metric else f"{metric} ({printable(file.path.parent.name)})"] = file
    return sets


def _task(root: Path, languages: str) -> str:
    return " ".join(part for part in (printable(root.resolve().name), printable(languages)) if part)


def _parts_of_path(file: LogFile) -> tuple[Path, str, str]:
    """Return the folder of the test set, the languages and the metric, from a file's path."""
    folder, stem = file.path.parent, _stem(file)
    if folder.parent.name == "metric-scores":
        return folder.parent.parent, folder.name, printable(stem)
    match = _HUMAN.fullmatch(stem)
    if folder.name == "human-scores" and match is not None:
        return folder.parent, match[1], printable(match[2])
    return folder, "", printable(stem)


def _stem(file: LogFile) -> str:
    return file.name.removesuffix(_ENDINGS[0]).removesuffix(_ENDINGS[1])


def _scores_in(file: LogFile) -> Mapping[str, array[float]]:
    """Return the scores of each system, in the order of their segments."""
    systems: dict[bytes, array[float]] = {}
    rating = file.name.endswith(_ENDINGS[1])
    for number, line in file.lines():
        scored = scored_line(line.rstrip(b"\r"), rating=rating)
        if scored is None:
            what = f"expected a system and {'a rating' if rating else 'a score'}, "
            raise wrong_log(f"{file.where}:{number}", f"{what}got {quoted(line[:80].decode(errors='replace'))}")
        systems.setdefault(scored[0], array("d")).append(scored[1])
    return {printable(system.decode(errors="replace")): scores for system, scores in systems.items()}


def _logs_of(root: Path, languages: str, files: Mapping[str, LogFile]) -> Iterable[Log]:
    systems: dict[str, RecordBuilder] = {}
    scored = {metric: _scores_in(file) for metric, file in files.items()}
    rated = {
        system
        for by_system in scored.values()
        for system, scores in by_system.items()
        if not all(map(math.isnan, scores))
    }
    unrated = dict.fromkeys(
        system for by_system in scored.values() for system in by_system if rated and system not in rated
    )
    for metric, by_system in scored.items():
        for system, scores in by_system.items():
            if system in unrated:
                continue
            records = systems.setdefault(system, RecordBuilder())
            for index, score in enumerate(scores):
                if index == len(records):
                    records.add(str(index + 1))
                records.score(index, metric, score)
    system_scores = {metric: _of_systems(file) for metric, file in files.items()}
    domains, documents = _documents(root, languages)
    task = _task(root, languages)
    first = next(iter(files.values()))
    beside_first = [system for system in _systems_beside(first, languages) if system not in systems]
    if others := list(dict.fromkeys([*unrated, *beside_first])):
        elsewhere = f"; other files of {task} have some" if beside_first else ""
        note = f"has no scores of {listed(others)}, which are left out{elsewhere}"
        yield Log(path=str(first.path), system="", task=task, item_ids=[], metrics=[], notes=[note])
    for system, records in systems.items():
        metrics = [
            LogMetric(
                name=metric,
                scores=records.scores(metric),
                aggregates=aggregates_of({"mean": system_scores[metric].get(system)}),
                explanation="this metric's system score is not the mean over segments",
            )
            for metric in records.columns
        ]
        has_documents = len(documents) == len(records)
        if has_documents:
            records.labels |= {"document": documents, "domain": domains}
        yield records.log(first.path, system, task, metrics, cluster="document" if has_documents else None)


def _of_systems(file: LogFile) -> Mapping[str, float]:
    """Return the system scores of the same metric, if they exist."""
    whole = beside(file.path.parent, _stem(file) + _WHOLE)
    return {} if whole is None else {system: values[0] for system, values in _scores_in(whole).items()}


def _systems_beside(file: LogFile, languages: str) -> Sequence[str]:
    """Return the systems with a system score of any metric on a test set: these files are small."""
    if not languages:
        return ()
    folder = file.path.parent
    root = folder.parent if folder.name == "human-scores" else folder.parent.parent
    wholes = [
        *root.glob(f"metric-scores/{escape(languages)}/*{_WHOLE}"),
        *root.glob(f"human-scores/{escape(languages)}.*{_WHOLE}"),
    ]
    return list(dict.fromkeys(system for path in sorted(wholes) for system in _scores_in(LogFile(path))))


def _documents(root: Path, languages: str) -> tuple[list[str], list[str]]:
    """Return the domain and the document of each segment, if they are known."""
    file = beside(root / "documents", f"{languages}.docs") if languages else None
    if file is None:
        return [], []
    domains, documents = list[str](), list[str]()
    for _, line in file.lines():
        domain, _, document = printable(line.decode(errors="replace").strip().replace("\t", " ")).partition(" ")
        domains.append(domain)
        documents.append(document.strip() or domain)
    return domains, documents
