"""Logs of Inspect (inspect_ai): ``.eval``, a ZIP file of JSON, and ``.json``; and what its own functions return."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.errors import OutscoreError
from outscore.logs.base import Aggregate, Log, LogFile, LogFormat, LogMetric, as_score, json_in, name_in, wrong_log
from outscore.logs.heads import keys_at
from outscore.logs.records import RecordBuilder
from outscore.logs.values import SHARE, UNKNOWN, digest_of, under
from outscore.logs.zips import Archive
from outscore.text.naming import printable

_HEADER, _START, _SUMMARIES, _REDUCTIONS = "header.json", "_journal/start.json", "summaries.json", "reductions.json"
_JOURNAL = re.compile(r"_journal/summaries/(\d{1,9})\.json")
# A sample as one entry; or one whose messages and events stand in entries of their own beside it.
_SAMPLE = re.compile(r"samples/([^/]+)\.json|samples/(.+)/sample\.json", re.DOTALL)
_PLACEHOLDER = "88F74D2C"  # the scorer's name in samples of 2024, when there was one alone
_KNOWN_VERSION = 3

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_REMOVED = "Key removed from summary (> 1k)"

_MOST_KEYS, _MOST_CELLS = 1_000, 2**27
_LONGEST_FACT = 100
# Summaries keep the first thousand characters of a text at least, samples all of it: both have these.
_DIGEST_SCAN, _DIGEST_LENGTH = 1_000, 500
_LABELS_FROM_SAMPLES = 2**28  # bytes of samples that are read for labels alone

_GENERATION = (
    *("temperature", "top_p", "top_k", "max_tokens", "seed", "num_choices", "frequency_penalty", "presence_penalty"),
    *("best_of", "reasoning_effort", "reasoning_tokens"),
)
_LIMITS = (
    *("limit", "epochs", "sample_shuffle", "message_limit", "token_limit", "turn_limit", "time_limit"),
    *("working_limit", "cost_limit"),
)
_SECRET = re.compile(r"key|token(?!s|_limit)|secret|passw|auth|credential|header|cookie|url|account", re.IGNORECASE)
_LOOKS_SECRET = re.compile(r"\b(?:sk|pk|hf|gh[opsu]|xox[abp]|AKIA|AIza|glpat|eyJ)[-_A-Za-z0-9]{12,}|://[^/\s]*@")


class Inspect(LogFormat):
    """Logs of UK AISI's Inspect, versions 1 to 3: whole, unfinished, cancelled.

    Items are samples, runs are epochs. A scorer is a metric; one whose values are mappings or lists is one a key,
    ``scorer/key``. The main one is that of the headline metric, as Inspect itself resolves it: the one that the task
    declares, else the first. Grades are 1 (C), 0.5 (P) and 0 (I, N), and numbers are what they are; what is neither
    has no score here, though Inspect counts it 0.
    """

    name = "Inspect"
    suffixes = (".eval", ".json")

    def recognizes(self, file: LogFile) -> bool:
        if file.name.lower().endswith(".eval"):
            return file.head.startswith((b"PK\3\4", b"PK\5\6"))
        if b'"eval"' not in file.head:
            return False
        place = keys_at(file.head).get("eval")
        keys = keys_at(file.head, place) if place is not None else None
        return keys is not None and keys.mark("task") == '"' and '"' in (keys.mark("created"), keys.mark("model"))

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        empty, some = [], False
        for log in _one_of_each_run([_read(file) for file in files]):
            if len(log):
                some = True
                yield log
            else:
                empty.append(log)
        # A folder of logs often holds some of runs that failed at once.
        if some:
            yield from empty
        elif empty:
            what = "expected samples with their scores, got none"
            raise wrong_log(printable(empty[0].path), what, "Read a log of a run that came so far.", "empty")

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        wanted: dict[str, str] = {}  # the first run of each item
        for place, item in enumerate(log.item_ids):
            if item in items and item not in wanted:
                wanted[item] = "1" if log.runs is None else log.runs[place]
        texts: dict[str, ItemTexts] = {}
        for sample in _samples_with_texts(log.file, wanted):
            item = name_in(sample.id)
            if item in wanted and (item not in texts or name_in(sample.epoch) == wanted[item]):
                texts[item] = _texts_of(sample)
        return texts


class _Score(msgspec.Struct, gc=False):
    value: Any = None


class _Sample(msgspec.Struct, gc=False):
    """What a summary and a sample have in common; nothing else of either is built."""

    id: Any = None
    epoch: Any = 1
    scores: dict[str, _Score] | None = None
    score: _Score | None = None
    error: Any = None
    metadata: dict[str, Any] | None = None
    input: msgspec.Raw = msgspec.Raw()
    target: msgspec.Raw = msgspec.Raw()
    attachments: msgspec.Raw = msgspec.Raw()


class _Results(msgspec.Struct):
    scores: Any = None
    scorer: Any = None
    metrics: Any = None
    headline: Any = None
    completed_samples: Any = None


class _Reduced(msgspec.Struct):
    sample_id: Any = None
    value: Any = None


class _Reduction(msgspec.Struct):
    scorer: str
    samples: list[_Reduced]
    reducer: str | None = None


class _Header(msgspec.Struct):
    eval: dict[str, Any]
    version: Any = None
    status: Any = "started"
    plan: Any = None
    results: _Results | None = None
    invalidated: Any = False


class _Whole(_Header):
    samples: list[_Sample] | None = None
    reductions: list[_Reduction] | None = None


def _is_archive(file: LogFile) -> bool:
    return file.name.lower().endswith(".eval")


def _decoded(data: bytes, where: str, of: Any) -> Any:
    return json_in(data, where, of, bare_as_null=True)


def _read(file: LogFile) -> tuple[_Header, Log]:
    return _log_of_archive(file) if _is_archive(file) else _log_of_json(file)


def _one_of_each_run(logs: Sequence[tuple[_Header, Log]]) -> Iterator[Log]:
    """Yield each log, but only the best of those of one run; others as notes, without scores.

    A retry and a conversion keep the id of the task. A retry holds all samples of the attempts before it.
    """
    runs: dict[tuple[str, str, str], list[tuple[_Header, Log]]] = {}
    for place, (header, log) in enumerate(logs):
        task_id = name_in(header.eval.get("task_id"))
        runs.setdefault((task_id, log.system, log.task) if task_id else (str(place), "", ""), []).append((header, log))
    for of in runs.values():
        best, last = max(of, key=_rank)
        yield last
        for header, log in of:
            if log is not last:
                same = header.eval.get("eval_id") == best.eval.get("eval_id")
                what = "holds the same run as" if same else "is another attempt at the run of"
                note = f"{what} {Path(last.path).name}, and is left out"
                yield replace(log, item_ids=[], metrics=[], runs=None, labels={}, digests={}, notes=[note])


def _rank(one: tuple[_Header, Log]) -> tuple[bool, str, bool, int]:
    """Return what orders the logs of one run: finished, late, with samples of their own, packed."""
    header, log = one
    return (
        header.status == "success",
        name_in(header.eval.get("created")),
        log.path.lower().endswith(".eval"),
        len(log),
    )


def _log_of_archive(file: LogFile) -> tuple[_Header, Log]:
    with _opened(file) as archive:
        notes = []
        if _HEADER in archive:
            header = _decoded(archive.read(_HEADER), f"{file.where}:{_HEADER}", _Header)
        elif _START in archive:
            header = _decoded(archive.read(_START), f"{file.where}:{_START}", _Header)
        else:
            what = f"expected a log of Inspect, with an entry {_HEADER} or {_START}, got a ZIP file without"
            raise wrong_log(file.where, what, slug="no-header")
        records = _Records(where=file.where)
        summaries = _summaries_of(archive, file.where)
        if not summaries:
            for sample in _entries_of_samples(archive, file.where):
                records.add_sample(sample)
        elif all(one.metadata is None for one in summaries) and _cheap(archive):  # before March 2025
            metadata = {_key(one): one.metadata for one in _entries_of_samples(archive, file.where)}
            for one in summaries:
                one.metadata = metadata.get(_key(one))
        _refuse_two_forms(summaries, file.where)
        # A sample that was run again stands behind the attempt that it replaces.
        latest = {_key(one): one for one in summaries}
        for one in latest.values():
            records.add_sample(one)
        n_replaced = len(summaries) - len(latest)
        if n_replaced:
            notes.append(f"{n_replaced:,} samples that were run again count by their last attempt")
        if not len(records) and _REDUCTIONS in archive:
            data = archive.read(_REDUCTIONS)
            _add_reductions(records, _decoded(data, f"{file.where}:{_REDUCTIONS}", list[_Reduction]), notes)
    return header, _described(str(file.path), header, records, notes)


def _log_of_json(file: LogFile) -> tuple[_Header, Log]:
    whole = _decoded(file.data, file.where, _Whole)
    records, notes = _Records(where=file.where), list[str]()
    for sample in whole.samples or ():
        records.add_sample(sample)
    whole.samples = None
    if not len(records):
        _add_reductions(records, whole.reductions or (), notes)
    return whole, _described(str(file.path), whole, records, notes)


def _opened(file: LogFile) -> Archive:
    try:
        return Archive(str(file.path))
    except OutscoreError:
        raise
    except (OSError, ValueError) as error:
        what = f"expected a file that can be read, got: {printable(str(error))}"
        raise wrong_log(file.where, what, "Check the path and its permissions.", "cannot-read") from None


def _key(sample: _Sample) -> tuple[str, str]:
    return name_in(sample.id), name_in(sample.epoch)


def _refuse_two_forms(samples: Iterable[_Sample], where: str) -> None:
    """Refuse ids that are the same as texts alone: a number in one sample, and its figures in another."""
    forms: dict[str, bool] = {}
    for sample in samples:
        _refuse_other_form(forms, sample.id, where)


def _refuse_other_form(forms: dict[str, bool], sample_id: object, where: str) -> None:
    if forms.setdefault(name_in(sample_id), isinstance(sample_id, str)) is not isinstance(sample_id, str):
        what = f"has samples of the id {name_in(sample_id)} as a number, and of the same as a text"
        raise wrong_log(where, what, "Give each item an id of its own, whatever the type.", "two-forms-of-id")


def _cheap(archive: Archive) -> bool:
    """Tell whether all samples can be read for their metadata alone."""
    return sum(archive.size(name) for name in archive.names if _SAMPLE.fullmatch(name)) <= _LABELS_FROM_SAMPLES


def _summaries_of(archive: Archive, where: str) -> list[_Sample]:
    """Return the summaries of samples, or of an unfinished run those in its journal, the last attempts last."""
    if _SUMMARIES in archive:
        summaries: list[_Sample] = _decoded(archive.read(_SUMMARIES), f"{where}:{_SUMMARIES}", list[_Sample])
        return summaries
    entries = [(int(match[1]), name) for name in archive.names if (match := _JOURNAL.fullmatch(name))]
    journal: list[_Sample] = []
    for _, name in sorted(entries):
        journal += _decoded(archive.read(name), f"{where}:{name}", list[_Sample])
    return journal


def _entries_of_samples(archive: Archive, where: str, of: Any = _Sample) -> Iterator[Any]:
    """Yield all samples, one at a time."""
    for name in archive.names:
        if _SAMPLE.fullmatch(name):
            yield _entry_of_sample(archive, where, name, of)


def _entry_of_sample(archive: Archive, where: str, name: str, of: Any) -> Any:
    """Return a sample, with what stands in entries beside it: metadata, and the first texts that were taken out."""
    sample = _decoded(archive.read(name), f"{where}:{printable(name)}", of)
    folder = name.removesuffix("/sample.json")
    if folder != name:
        beside = f"{folder}/metadata.json"
        if beside in archive and not sample.metadata:
            sample.metadata = _decoded(archive.read(beside), f"{where}:{printable(beside)}", dict[str, Any])
        beside = f"{folder}/attachments/0.json"
        if b"attachment://" in bytes(sample.input) + bytes(sample.target) and beside in archive:
            stored = _decoded(archive.read(beside), f"{where}:{printable(beside)}", list[str])
            sample.attachments = msgspec.Raw(msgspec.json.encode({str(i): text for i, text in enumerate(stored)}))
    return sample


def _add_reductions(records: _Records, reductions: Iterable[_Reduction], notes: list[str]) -> None:
    """Add what is left of a log without samples: means over epochs."""
    by_item: dict[str, dict[str, _Score]] = {}
    for reduction in reductions:
        if reduction.reducer in (None, "mean"):
            for one in reduction.samples:
                by_item.setdefault(name_in(one.sample_id), {})[reduction.scorer] = _Score(one.value)
    for item, scores in by_item.items():
        if item:
            records.add_sample(_Sample(item, 1, scores))
    if len(records):
        records.are_reduced = True
        notes.append("holds no samples (log_samples=False), only their scores averaged over epochs")


_Place: TypeAlias = tuple[str, str | None]  # a scorer, and a key of its values where they are mappings or lists


@dataclass(eq=False)
class _Records(RecordBuilder):
    """What samples come to, a record a sample and epoch; the samples themselves are not kept."""

    where: str = ""
    metrics_are: str = "scorers and keys of their values"
    ungraded: set[_Place] = field(default_factory=set)  # of which not all are grades or truths
    n_odd: Counter[_Place] = field(default_factory=Counter)  # what Inspect counts 0 since it is no number
    are_reduced: bool = False  # whether they are means over epochs
    _forms: dict[str, bool] = field(default_factory=dict)  # of each id, whether it is a text
    _digests: dict[int, str] = field(default_factory=dict)

    def add_sample(self, sample: _Sample) -> None:
        item = name_in(sample.id)
        if not item:
            what = f'sample {len(self) + 1}: expected a number or a name as "id", got none'
            raise wrong_log(self.where, what)
        _refuse_other_form(self._forms, sample.id, self.where)
        texts = {"document": sample.input, "target": sample.target}
        digests = {name: self._digest(text, sample.attachments) for name, text in texts.items()}
        place = self.add(item, name_in(sample.epoch, "1"), digests=digests)
        self.metadata.add(sample.metadata or {})
        scores = sample.scores or {}
        if sample.score is not None and not scores:
            scores = {_PLACEHOLDER: sample.score}
        if sample.error is not None and sample.error != "" and not scores:
            self.n_errors += 1
        for scorer, score in scores.items():
            if isinstance(score.value, dict | list) and len(score.value) <= _MOST_KEYS:
                pairs = score.value.items() if isinstance(score.value, dict) else enumerate(score.value)
                for key, one in pairs:
                    self._add_value(place, (scorer, str(key)), one)
            else:
                self._add_value(place, (scorer, None), score.value)

    def _add_value(self, place: int, column: _Place, value: object) -> None:
        grade = _GRADES.get(value) if isinstance(value, str) else None
        if grade is None:
            grade = _number(value)
            if grade is None:
                # A NaN is null in older logs; within a mapping null is a value, of which Inspect warns.
                self.n_odd[column] += value is not None or column[1] is not None
                grade = math.nan
            elif not (isinstance(value, bool) or math.isnan(grade) or str(value).lower() in _WORDS):
                self.ungraded.add(column)
        self.score(place, column, grade, self.where)

    def _digest(self, raw: msgspec.Raw, attachments: msgspec.Raw) -> str:
        """Return the digest of a text, computed once for all epochs of an item."""
        data = bytes(raw)
        if not data:
            return ""
        key = hash((data, bytes(attachments))) if b"attachment://" in data else hash(data)
        digest = self._digests.get(key)
        if digest is None:
            digest = self._digests[key] = _digest(_text_in(raw, attachments))
        return digest


def _number(value: object) -> float | None:
    """Return the number that a value stands for, as Inspect's `value_to_float` has it; None of what is none."""
    if isinstance(value, str):
        grade = _GRADES.get(value)
        if grade is None:
            grade = _WORDS.get(value.lower())
        if grade is not None:
            return grade
        number = as_score(value)
        return number if math.isfinite(number) else None
    if isinstance(value, float):
        return value
    return as_score(value) if isinstance(value, int) else None


def _text_in(raw: msgspec.Raw, attachments: msgspec.Raw) -> str:
    """Return the text of an input or a target: of messages the texts in them, a picture as summaries have it."""
    data = bytes(raw)
    if not data:
        return ""
    try:
        value = msgspec.json.decode(data)
        if isinstance(value, str):
            return value
        stored = {}
        if b"attachment://" in data and bytes(attachments):
            stored = msgspec.json.decode(attachments, type=dict[str, str])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError, UnicodeDecodeError):
        return ""
    return _joined(value, lambda text: stored.get(text.removeprefix("attachment://"), text) if stored else text)


def _joined(value: object, resolved: Callable[[str], str] = str) -> str:
    if isinstance(value, str):
        return resolved(value)
    texts = []
    for message in value if isinstance(value, list) else ():
        content = under(message, "content") if isinstance(message, Mapping) else message
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                texts.append(resolved(part))
            elif isinstance(part, Mapping):
                kind, text = part.get("type"), part.get("text")
                texts.append(resolved(text) if isinstance(text, str) else f"({str(kind).capitalize()})")
    return "\n".join(texts)


def _digest(text: str) -> str:
    return digest_of(" ".join(text[:_DIGEST_SCAN].split())[:_DIGEST_LENGTH])


def _described(path: str, header: _Header, records: _Records, notes: list[str]) -> Log:
    """Return the log with what its header says of it."""
    spec = header.eval
    results = header.results or _Results()
    entries = _entries(results)
    n = len(records)
    _rename_placeholder(records, entries)
    seen = set(records.items)
    epochs_differ = len(seen) < n and len(set(zip(records.items, records.runs, strict=True))) > len(seen)
    notes = [*_notes_on(header, records), *notes]
    records.labels = records.metadata.telling(records.items, but=_REMOVED)
    metrics = _metrics(spec, results, entries, records, notes)
    facts = _facts(header)
    return records.log(
        path,
        name_in(spec.get("model"), "unknown model"),
        name_in(spec.get("task"), Path(path).stem).rpartition("/")[2] or "unknown task",
        metrics,
        has_runs=epochs_differ,
        runs_are=RunDesign.SAMPLES,
        facts=facts,
        apart=[name for name in facts if _tells_apart(name)],
        notes=notes,
    )


def _entries(results: _Results) -> list[Mapping[str, Any]]:
    """Return Inspect's own figures, one a scorer (or key of its values) and reducer."""
    scores = results.scores
    if not isinstance(scores, list) and isinstance(results.scorer, Mapping):  # of 2024
        scores = [{"metrics": results.metrics, **results.scorer}]
    return [one for one in scores if isinstance(one, Mapping)] if isinstance(scores, list) else []


def _rename_placeholder(records: _Records, entries: Sequence[Mapping[str, Any]]) -> None:
    name = next((name_in(one.get("name")) for one in entries), "") or "score"
    for scorer, key in list(records.columns):
        if scorer == _PLACEHOLDER and (name, key) not in records.columns:
            records.columns[name, key] = records.columns.pop((scorer, key))
            records.n_odd[name, key] = records.n_odd.pop((scorer, key), 0)
            if (scorer, key) in records.ungraded:
                records.ungraded.add((name, key))


def _notes_on(header: _Header, records: _Records) -> list[str]:
    notes, n = [], len(records)
    if header.status == "started":
        notes.append("is of a run that is not finished, or was killed")
    elif header.status in ("error", "cancelled"):
        notes.append(
            "is of a run that ended in an error" if header.status == "error" else "is of a run that was cancelled"
        )
    if isinstance(header.version, int) and header.version > _KNOWN_VERSION:
        notes.append(f"has version {header.version}, later than {_KNOWN_VERSION}, the last that is known here")
    if header.invalidated is True:
        notes.append("has samples that were declared invalid")
    completed = header.results.completed_samples if header.results is not None else None
    if n == 0:
        notes.append("holds no samples")
    elif isinstance(completed, int) and completed > n and not records.are_reduced:
        notes.append(f"holds {n:,} of the {completed:,} samples that were evaluated")
    return notes


def _metrics(
    spec: Mapping[str, Any],
    results: _Results,
    entries: Sequence[Mapping[str, Any]],
    records: _Records,
    notes: list[str],
) -> list[LogMetric]:
    n = len(records)
    keyed = {scorer for scorer, key in records.columns if key is not None}
    columns: dict[_Place, bool] = {}  # whether there is a number at all
    for place, (_, values) in records.columns.items():
        numeric = not all(map(math.isnan, values))
        if records.n_odd[place] and not numeric:
            notes.append(f"scorer {_name(place)} has values that are no numbers, and is left out")
        # A scorer whose values are mappings has NaN in the place of one that it did not score.
        elif numeric or place[1] is not None or place[0] not in keyed:
            columns[place] = numeric
    if len(columns) * n > _MOST_CELLS:
        what = f"expected at most {_MOST_CELLS:,} scores, got {len(columns):,} metrics of {n:,} samples"
        raise wrong_log(records.where, what, slug="too-many-metrics")
    main = _main(spec, results, entries, columns)
    metrics = []
    for place, numeric in columns.items():
        explanation = None
        if records.n_odd[place]:
            explanation = (
                f"Inspect counts {records.n_odd[place]:,} values that are no numbers as 0; here they are not scored"
            )
        metrics.append(
            LogMetric(
                name=_name(place),
                scores=records.scores(place),
                is_main=place == main,
                aggregates=_aggregates(place, entries, spec, results, records),
                explanation=explanation,
                **(SHARE if numeric and place not in records.ungraded else UNKNOWN),
            )
        )
    return metrics


def _name(place: _Place) -> str:
    scorer, key = place
    return printable(scorer if key is None else f"{scorer}/{key}") or "score"


def _column_of(entry: Mapping[str, Any], columns: Collection[_Place]) -> _Place | None:
    """Return which column an entry of the results is about."""
    name = name_in(entry.get("name"))
    scorer = name_in(entry.get("scorer")) or name
    places: list[_Place] = [(scorer, None), (scorer, name)] if name == scorer else [(scorer, name)]
    return next((place for place in places if place in columns), None)


def _main(
    spec: Mapping[str, Any],
    results: _Results,
    entries: Sequence[Mapping[str, Any]],
    columns: Collection[_Place],
) -> _Place | None:
    """Return the column of the headline metric, as Inspect resolves it: what is declared narrows the entries."""
    declared = results.headline or spec.get("headline_metric")
    if isinstance(declared, Mapping):
        chosen = [
            one
            for one in entries
            if all(declared.get(key) in (None, one.get(of)) for key, of in (("scorer", "scorer"), ("score", "name")))
            and (declared.get("metric") is None or declared["metric"] in (one.get("metrics") or ()))
        ]
        if chosen:
            return _column_of(chosen[0], columns)
    if entries:
        return _column_of(entries[0], columns)
    scorers = spec.get("scorers")
    first = name_in(under(scorers[0], "name")) if isinstance(scorers, list) and scorers else ""
    return (first, None) if (first, None) in columns else None


def _aggregates(
    place: _Place,
    entries: Sequence[Mapping[str, Any]],
    spec: Mapping[str, Any],
    results: _Results,
    records: _Records,
) -> list[Aggregate]:
    """Return what Inspect computed of a column and what can be computed again."""
    own = [one for one in entries if _column_of(one, records.columns) == place]
    reducers = under(spec.get("config"), "epochs_reducer")
    named = any(one.get("reducer") is not None for one in own) or isinstance(reducers, list)
    aggregates: list[Aggregate] = []
    for one in own:
        reducer, figures = one.get("reducer"), one.get("metrics")
        for figure in figures.values() if isinstance(figures, Mapping) else ():
            if not isinstance(figure, Mapping) or figure.get("group") is not None:
                continue
            value, params = figure.get("value"), figure.get("params") or {}
            kind = str(figure.get("name")).removeprefix("inspect_ai/")
            if isinstance(value, bool) or not isinstance(value, int | float) or not isinstance(params, Mapping):
                continue
            # Without reducers Inspect takes the mean over epochs and does not say so; with an empty list of them none.
            statistic = _statistic(kind, reducer, params, unreduced=reducer is None and named)
            cluster = f"metadata.{printable(str(params.get('cluster')))}"
            if statistic is None or (statistic == "clustered-stderr" and cluster not in records.labels):
                continue
            aggregates.append(
                Aggregate(
                    statistic,
                    as_score(value),
                    _n_computed(one, results, records),
                    cluster if statistic == "clustered-stderr" else None,
                )
            )
    return aggregates


def _statistic(kind: str, reducer: object, params: Mapping[str, Any], *, unreduced: bool) -> str | None:
    """Return our name of a metric under a reducer; None of one that is not computed here."""
    options = {key: value for key, value in params.items() if value is not None}
    cluster = options.pop("cluster", None)
    if options:
        return None
    if kind in ("accuracy", "mean"):
        if reducer in (None, "mean"):
            return "mean-of-records" if unreduced else "mean"
        match = re.fullmatch(r"pass_(at|k)_(\d{1,6})", str(reducer))
        return None if match is None else f"pass{'@' if match[1] == 'at' else '^'}{match[2]}"
    if kind == "stderr" and reducer in (None, "mean") and not unreduced:
        return "stderr" if cluster is None else "clustered-stderr"
    return None


def _n_computed(entry: Mapping[str, Any], results: _Results, records: _Records) -> int | None:
    """Return over how many items a figure was computed; of old logs, which do not say it, only if some were cut."""
    scored = entry.get("scored_samples")
    if isinstance(scored, int):
        return scored
    completed, n = results.completed_samples, len(records)
    if isinstance(completed, int) and completed > n and not records.are_reduced:
        most = max((int(epoch) for epoch in set(records.runs) if re.fullmatch(r"\d{1,6}", epoch)), default=1)
        return completed // max(most, 1)
    return None


def _facts(header: _Header) -> dict[str, str]:
    spec, facts = header.eval, dict[str, object]()
    facts["task version"] = spec.get("task_version")
    facts["dataset"] = under(spec, "dataset", "name")
    facts["solver"] = spec.get("solver")
    for kind in ("solver", "task", "model"):
        facts |= _arguments(f"{kind} argument", spec.get(f"{kind}_args"))
    for source in (under(header.plan, "config"), spec.get("model_generate_config")):
        for key in _GENERATION:
            if under(source, key) is not None:
                facts[key.replace("_", " ")] = under(source, key)
    for key in _LIMITS:
        facts[key.replace("_", " ")] = under(spec.get("config"), key)
    scorers = spec.get("scorers")
    for scorer in scorers if isinstance(scorers, list) else ():
        facts |= _arguments(f"scorer {name_in(under(scorer, 'name'))}", under(scorer, "options"))
    roles = spec.get("model_roles")
    for role, config in roles.items() if isinstance(roles, Mapping) else ():
        models = config if isinstance(config, list) else [config]
        facts[f"model role {role}"] = ", ".join(name_in(under(one, "model")) for one in models)
    facts["inspect version"] = under(spec.get("packages"), "inspect_ai")
    facts["commit"] = under(spec.get("revision"), "commit")
    return {
        printable(name): shown
        for name, fact in list(facts.items())[:200]
        if len(name) <= _LONGEST_FACT and (shown := _fact(fact)) is not None
    }


def _tells_apart(fact: str) -> bool:
    """Tell whether runs that differ in a fact are of two systems: in an argument, a solver, a setting of generation."""
    settings = {key.replace("_", " ") for key in _GENERATION}
    kinds = ("solver", "task argument ", "model argument ", "model role ")
    return "seed" not in fact and (fact in settings or fact.startswith(kinds))


def _arguments(kind: str, arguments: object) -> dict[str, object]:
    """Return arguments by their names, but for those that may be secrets."""
    if not isinstance(arguments, Mapping):
        return {}
    return {f"{kind} {key}": value for key, value in list(arguments.items())[:100] if not _SECRET.search(str(key))}


def _fact(value: object) -> str | None:
    """Return a short value on one line; of a longer one, such as a prompt, only what tells it from another."""
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping | list):
        try:
            value = msgspec.json.encode(_without_secrets(value)).decode()
        except (TypeError, ValueError, RecursionError, OverflowError):
            return None
    text = str(value)
    if not text:
        return None
    if len(text) > _LONGEST_FACT or "\n" in text or _LOOKS_SECRET.search(text):
        return f"text {digest_of(text)}"
    return printable(text)


def _without_secrets(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _without_secrets(one) for key, one in value.items() if not _SECRET.search(str(key))}
    return [_without_secrets(one) for one in value] if isinstance(value, list) else value


class _SampleTexts(_Sample):
    output: Any = None


def _samples_with_texts(file: LogFile, wanted: Mapping[str, str]) -> Iterator[_SampleTexts]:
    """Yield the samples of some items, of the given epochs where they can be told."""
    if not _is_archive(file):
        yield from _decoded(file.data, file.where, _WholeTexts).samples or ()
        return
    with _opened(file) as archive:
        absent = set()
        for item, epoch in wanted.items():
            names = (f"samples/{item}_epoch_{epoch}.json", f"samples/{item}_epoch_{epoch}/sample.json")
            name = next((name for name in names if name in archive), None)
            if name is None:
                absent.add(item)
            else:
                yield _entry_of_sample(archive, file.where, name, _SampleTexts)
        if absent:  # an id that cannot stand in a name as it is
            for sample in _entries_of_samples(archive, file.where, _SampleTexts):
                if name_in(sample.id) in absent:
                    yield sample


class _WholeTexts(msgspec.Struct):
    samples: list[_SampleTexts] | None = None


def _texts_of(sample: _SampleTexts) -> ItemTexts:
    answer = under(sample.output, "completion")
    choices = under(sample.output, "choices")
    if not isinstance(answer, str) and isinstance(choices, list) and choices:
        answer = _joined([under(choices[0], "message")])
    target = _text_in(sample.target, sample.attachments)
    return ItemTexts(_text_in(sample.input, sample.attachments) or None, target or None, answer or None)


def log_of_object(data: object) -> list[Log] | None:
    """Return the log that an object of Inspect holds: an `EvalLog`, or several in a list.

    Parameters
    ----------
    data : object
        As `inspect_ai.eval` and `inspect_ai.log.read_eval_log` return it; inspect_ai is not imported.

    Returns
    -------
    list of Log, or None
        None of anything else.

    Raises
    ------
    DataError
        A log that was read without its samples.
    """
    if isinstance(data, list | tuple) and data and all(_is_eval_log(one) for one in data):
        return [_log_of_eval_log(one) for one in data]
    return [_log_of_eval_log(data)] if _is_eval_log(data) else None


def _is_eval_log(data: object) -> bool:
    return all(hasattr(data, name) for name in ("eval", "plan", "results", "samples", "status"))


def _log_of_eval_log(data: Any) -> Log:
    where = printable(str(getattr(data, "location", "") or "the log"))
    content = {name: _dumped(getattr(data, name)) for name in ("eval", "plan", "results", "version", "status")}
    try:
        header = msgspec.convert(content | {"invalidated": getattr(data, "invalidated", None)}, _Header)
    except msgspec.ValidationError as error:
        raise wrong_log(where, f"expected a log of another form: {printable(str(error))}") from None
    if data.samples is None:
        raise wrong_log(where, "expected a log with its samples, got its header alone", "Read it without header_only.")
    records = _Records(where=where)
    for sample in data.samples:
        scores = {str(name): _Score(score.value) for name, score in (sample.scores or {}).items()}
        records.add_sample(
            _Sample(
                sample.id,
                sample.epoch,
                scores,
                None,
                sample.error,
                dict(sample.metadata or {}),
                _raw(sample.input),
                _raw(sample.target),
            )
        )
    return _described("", header, records, [])


def _dumped(part: Any, only: set[str] | None = None) -> Any:
    return part.model_dump(mode="json", include=only) if hasattr(part, "model_dump") else part


def _raw(value: Any) -> msgspec.Raw:
    """Return an input, which may be messages, as the JSON that a log would hold."""
    if isinstance(value, list):
        value = [_dumped(one, {"content"}) for one in value]
    return msgspec.Raw(msgspec.json.encode(value))


def logs_of_frame(data: object) -> list[Log] | None:
    """Return the logs in a frame of samples, as `inspect_ai.analysis.samples_df` makes it.

    The system is in the column `model` (``columns=SampleSummary + EvalModel + EvalTask``); without one, it is in the
    log that the column `log` names, if that is there, else the name of that log.

    Parameters
    ----------
    data : data frame
        Of any library that narwhals knows.

    Returns
    -------
    list of Log, or None
        None of anything else.
    """
    import narwhals as nw

    frame = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or not {"id", "epoch", "sample_id", "eval_id"} <= set(frame.columns):
        return None
    scorers = [name for name in frame.columns if name.startswith("score_")]
    columns = {name: frame[name].to_list() for name in frame.columns if name.startswith(("score_", "metadata_"))}
    columns |= {
        name: frame[name].to_list() if name in frame.columns else [None] * len(frame)
        for name in ("id", "epoch", "eval_id", "model", "task_name", "log", "error", "input", "target")
    }
    by_log: dict[str, list[int]] = {}
    for row, name in enumerate(columns["eval_id"]):
        by_log.setdefault(str(name), []).append(row)
    return [_log_of_rows(columns, scorers, rows) for rows in by_log.values()]


def _log_of_rows(columns: Mapping[str, list[Any]], scorers: Sequence[str], rows: Sequence[int]) -> Log:
    first = rows[0]
    path = _cell(columns["log"][first])
    header = _header_beside(path) if _cell(columns["model"][first]) is None else None
    spec = {} if header is None else header.eval
    records = _Records(where="the frame of samples")
    for row in rows:
        scores = {}
        for name in scorers:
            value = _cell(columns[name][row])
            if isinstance(value, str) and value.startswith(("{", "[")):
                value = _decoded(value.encode(), f"row {row}, column {printable(name)}", Any)
            if value is not None:
                scores[name.removeprefix("score_")] = _Score(value)
        metadata = {
            name.removeprefix("metadata_"): _cell(values[row])
            for name, values in columns.items()
            if name.startswith("metadata_")
        }
        texts = [_raw(_cell(columns[name][row]) or "") for name in ("input", "target")]
        error = _cell(columns["error"][row])
        records.add_sample(
            _Sample(_cell(columns["id"][row]), _cell(columns["epoch"][row]), scores, None, error, metadata, *texts)
        )
    del records.digests["document"]  # a frame has the messages of an input joined in its own way
    stem = Path(str(path)).stem if path else "unknown model"
    model = _cell(columns["model"][first]) or spec.get("model") or stem
    task = _cell(columns["task_name"][first]) or spec.get("task") or "unknown task"
    return _described("", _Header({**spec, "model": model, "task": task}, status="success"), records, [])


def _cell(value: Any) -> Any:
    """Return what a cell holds: None where it is missing, as frames say it in several ways."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if hasattr(value, "item"):
        value = value.item()
    return None if type(value).__name__ in ("NAType", "NaTType") or value != value else value


def _header_beside(path: object) -> _Header | None:
    """Return the header of the log that a frame was made of; None where it is not there any more."""
    if not isinstance(path, str):
        return None
    file = LogFile(Path(path.removeprefix("file://")))
    try:
        if not Inspect().recognizes(file):
            return None
        if not _is_archive(file):
            return _decoded(file.data, file.where, _Header)  # type: ignore[no-any-return]
        with _opened(file) as archive:
            name = _HEADER if _HEADER in archive else _START
            return _decoded(archive.read(name), file.where, _Header) if name in archive else None
    except OutscoreError:
        return None
