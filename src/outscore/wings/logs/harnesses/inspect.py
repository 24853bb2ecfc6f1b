"""Logs of Inspect (inspect_ai): ``.eval``, a ZIP file of JSON, and ``.json``; and the objects of its functions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from outscore.data.items import ItemTexts
from outscore.errors import OutscoreError
from outscore.text.naming import printable
from outscore.wings.logs.archives import Archive
from outscore.wings.logs.base import Log, LogFile, LogFormat, json_in, name_in, wrong_log
from outscore.wings.logs.files import keys_at
from outscore.wings.logs.harnesses.inspect_samples import (
    Header,
    Reduction,
    Sample,
    SampleRecords,
    SampleWithTexts,
    Score,
    log_of_samples,
    refuse_other_form,
    texts_of,
)

_HEADER, _START, _SUMMARIES, _REDUCTIONS = "header.json", "_journal/start.json", "summaries.json", "reductions.json"
_JOURNAL = re.compile(r"_journal/summaries/(\d{1,9})\.json")
# A sample as one entry, or with its messages and events in separate entries.
_SAMPLE = re.compile(r"samples/([^/]+)\.json|samples/(.+)/sample\.json", re.DOTALL)
_LABELS_FROM_SAMPLES = 2**28  # bytes of samples that are read just for labels


class Inspect(LogFormat):
    """Logs of UK AISI's Inspect, versions 1 to 3: whole, unfinished, cancelled.

    Items are samples, runs are epochs. A scorer is a metric; with mappings or lists as values, it is one metric per
    key, ``scorer/key``. The main one is the headline metric, resolved as in Inspect: the one that the task
    declares, else the first. Grades are 1 (C), 0.5 (P) and 0 (I, N); numbers are kept. Other values have no score,
    although Inspect counts them as 0.
    """

    name = "Inspect"
    suffixes = (".eval", ".json")

    def recognizes(self, file: LogFile) -> bool:
        if file.name.lower().endswith(".eval"):
            return file.head.startswith((b"PK\3\4", b"PK\5\6"))
        if b'"eval"' not in file.head:
            return False
        start = keys_at(file.head).get("eval")
        keys = keys_at(file.head, start) if start is not None else None
        return keys is not None and keys.mark("task") == '"' and '"' in (keys.mark("created"), keys.mark("model"))

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        empty, some = [], False
        for log in _one_of_each_run([_read(file) for file in files]):
            if len(log):
                some = True
                yield log
            else:
                empty.append(log)
        # A folder of logs often contains runs that failed at once.
        if some:
            yield from empty
        elif empty:
            what = "expected samples with their scores, got none"
            raise wrong_log(printable(empty[0].path), what, "Use a log of a run that produced samples.", "empty")

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        wanted: dict[str, str] = {}  # the first run of each item
        for index, item in enumerate(log.item_ids):
            if item in items and item not in wanted:
                wanted[item] = "1" if log.runs is None else log.runs[index]
        texts: dict[str, ItemTexts] = {}
        for sample in _samples_with_texts(log.file, wanted):
            item = name_in(sample.id)
            if item in wanted and (item not in texts or name_in(sample.epoch) == wanted[item]):
                texts[item] = texts_of(sample)
        return texts


class _Whole(Header):
    samples: list[Sample] | None = None
    reductions: list[Reduction] | None = None


def _is_archive(file: LogFile) -> bool:
    return file.name.lower().endswith(".eval")


def _decoded(data: bytes, where: str, type_: Any) -> Any:
    return json_in(data, where, type_, bare_as_null=True)


def _read(file: LogFile) -> tuple[Header, Log]:
    return _log_of_archive(file) if _is_archive(file) else _log_of_json(file)


def _one_of_each_run(logs: Sequence[tuple[Header, Log]]) -> Iterator[Log]:
    """Yield each log, but only the best of one run; others as notes, without scores.

    A retry or conversion keeps the id of the task. A retry contains all samples of earlier attempts.
    """
    runs: dict[tuple[str, str, str], list[tuple[Header, Log]]] = {}
    for index, (header, log) in enumerate(logs):
        task_id = name_in(header.eval.get("task_id"))
        runs.setdefault((task_id, log.system, log.task) if task_id else (str(index), "", ""), []).append((header, log))
    for run in runs.values():
        best, last = max(run, key=_rank)
        yield last
        for header, log in run:
            if log is not last:
                same = header.eval.get("eval_id") == best.eval.get("eval_id")
                what = "is the same run as" if same else "is another attempt at the run of"
                note = f"{what} {Path(last.path).name}, and is left out"
                yield replace(log, item_ids=[], metrics=[], runs=None, labels={}, digests={}, notes=[note])


def _rank(header_and_log: tuple[Header, Log]) -> tuple[bool, str, bool, int]:
    """Return the order of the logs of one run: finished, late, with samples, packed."""
    header, log = header_and_log
    return (
        header.status == "success",
        name_in(header.eval.get("created")),
        log.path.lower().endswith(".eval"),
        len(log),
    )


def _log_of_archive(file: LogFile) -> tuple[Header, Log]:
    with _opened(file) as archive:
        notes = []
        if _HEADER in archive:
            header = _decoded(archive.read(_HEADER), f"{file.where}:{_HEADER}", Header)
        elif _START in archive:
            header = _decoded(archive.read(_START), f"{file.where}:{_START}", Header)
        else:
            what = f"expected a log of Inspect, with an entry {_HEADER} or {_START}, got a ZIP file without"
            raise wrong_log(file.where, what, slug="no-header")
        records = SampleRecords(where=file.where)
        summaries = _summaries_of(archive, file.where)
        if not summaries:
            for sample in _entries_of_samples(archive, file.where):
                records.add_sample(sample)
        elif all(summary.metadata is None for summary in summaries) and _cheap(archive):  # before March 2025
            metadata = {_key(sample): sample.metadata for sample in _entries_of_samples(archive, file.where)}
            for summary in summaries:
                summary.metadata = metadata.get(_key(summary))
        _refuse_two_forms(summaries, file.where)
        # A sample that was run again comes after the attempt that it replaces.
        latest = {_key(summary): summary for summary in summaries}
        for summary_of_sample in latest.values():
            records.add_sample(summary_of_sample)
        n_replaced = len(summaries) - len(latest)
        if n_replaced:
            notes.append(f"{n_replaced:,} samples were run again; the last attempt counts")
        if not len(records) and _REDUCTIONS in archive:
            data = archive.read(_REDUCTIONS)
            _add_reductions(records, _decoded(data, f"{file.where}:{_REDUCTIONS}", list[Reduction]), notes)
    return header, log_of_samples(str(file.path), header, records, notes)


def _log_of_json(file: LogFile) -> tuple[Header, Log]:
    whole = _decoded(file.data, file.where, _Whole)
    records, notes = SampleRecords(where=file.where), list[str]()
    for sample in whole.samples or ():
        records.add_sample(sample)
    whole.samples = None
    if not len(records):
        _add_reductions(records, whole.reductions or (), notes)
    return whole, log_of_samples(str(file.path), whole, records, notes)


def _opened(file: LogFile) -> Archive:
    try:
        return Archive(str(file.path))
    except OutscoreError:
        raise
    except (OSError, ValueError) as error:
        what = f"cannot be read: {printable(str(error))}"
        raise wrong_log(file.where, what, "Check the path and its permissions.", "cannot-read") from None


def _key(sample: Sample) -> tuple[str, str]:
    return name_in(sample.id), name_in(sample.epoch)


def _refuse_two_forms(samples: Iterable[Sample], where: str) -> None:
    """Refuse ids that are equal only as text: a number in one sample, its digits in another."""
    forms: dict[str, bool] = {}
    for sample in samples:
        refuse_other_form(forms, sample.id, where)


def _cheap(archive: Archive) -> bool:
    """Return whether it is feasible to read all samples just for their metadata."""
    return sum(archive.size(name) for name in archive.names if _SAMPLE.fullmatch(name)) <= _LABELS_FROM_SAMPLES


def _summaries_of(archive: Archive, where: str) -> list[Sample]:
    """Return the summaries of samples, or for an unfinished run those in its journal, the last attempts last."""
    if _SUMMARIES in archive:
        summaries: list[Sample] = _decoded(archive.read(_SUMMARIES), f"{where}:{_SUMMARIES}", list[Sample])
        return summaries
    entries = [(int(match[1]), name) for name in archive.names if (match := _JOURNAL.fullmatch(name))]
    journal: list[Sample] = []
    for _, name in sorted(entries):
        journal += _decoded(archive.read(name), f"{where}:{name}", list[Sample])
    return journal


def _entries_of_samples(archive: Archive, where: str, type_: Any = Sample) -> Iterator[Any]:
    """Yield all samples."""
    for name in archive.names:
        if _SAMPLE.fullmatch(name):
            yield _entry_of_sample(archive, where, name, type_)


def _entry_of_sample(archive: Archive, where: str, name: str, type_: Any) -> Any:
    """Return a sample, with its separate entries: metadata, and the first texts that were moved out."""
    sample = _decoded(archive.read(name), f"{where}:{printable(name)}", type_)
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


def _add_reductions(records: SampleRecords, reductions: Iterable[Reduction], notes: list[str]) -> None:
    """Add the remains of a log without samples: means over epochs."""
    by_item: dict[str, dict[str, Score]] = {}
    for reduction in reductions:
        if reduction.reducer in (None, "mean"):
            for sample in reduction.samples:
                by_item.setdefault(name_in(sample.sample_id), {})[reduction.scorer] = Score(sample.value)
    for item, scores in by_item.items():
        if item:
            records.add_sample(Sample(item, 1, scores))
    if len(records):
        records.are_reduced = True
        notes.append("has no samples (log_samples=False), only scores averaged over epochs")


def _samples_with_texts(file: LogFile, wanted: Mapping[str, str]) -> Iterator[SampleWithTexts]:
    """Yield the samples of some items, of the given epochs if these are known."""
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
                yield _entry_of_sample(archive, file.where, name, SampleWithTexts)
        if absent:  # an id that cannot be used in a name unchanged
            for sample in _entries_of_samples(archive, file.where, SampleWithTexts):
                if name_in(sample.id) in absent:
                    yield sample


class _WholeTexts(msgspec.Struct):
    samples: list[SampleWithTexts] | None = None


def log_of_object(data: object) -> list[Log] | None:
    """Return the logs in an object of Inspect: an `EvalLog`, or several in a list; None for other objects.

    Objects come from `inspect_ai.eval` or `inspect_ai.log.read_eval_log`; inspect_ai is not imported. A log that was
    read without its samples is a DataError.
    """
    if isinstance(data, list | tuple) and data and all(_is_eval_log(element) for element in data):
        return [_log_of_eval_log(element) for element in data]
    return [_log_of_eval_log(data)] if _is_eval_log(data) else None


def _is_eval_log(data: object) -> bool:
    return all(hasattr(data, name) for name in ("eval", "plan", "results", "samples", "status"))


def _log_of_eval_log(data: Any) -> Log:
    where = printable(str(getattr(data, "location", "") or "the log"))
    content = {name: _dumped(getattr(data, name)) for name in ("eval", "plan", "results", "version", "status")}
    try:
        header = msgspec.convert(content | {"invalidated": getattr(data, "invalidated", None)}, Header)
    except msgspec.ValidationError as error:
        raise wrong_log(where, f"not a log of this format: {printable(str(error))}") from None
    if data.samples is None:
        raise wrong_log(where, "expected a log with its samples, got only its header", "Read it without header_only.")
    records = SampleRecords(where=where)
    for sample in data.samples:
        scores = {str(name): Score(score.value) for name, score in (sample.scores or {}).items()}
        records.add_sample(
            Sample(
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
    return log_of_samples("", header, records, [])


def _dumped(part: Any, only: set[str] | None = None) -> Any:
    return part.model_dump(mode="json", include=only) if hasattr(part, "model_dump") else part


def _raw(value: Any) -> msgspec.Raw:
    """Return an input, possibly messages, as the JSON of a log."""
    if isinstance(value, list):
        value = [_dumped(message, {"content"}) for message in value]
    return msgspec.Raw(msgspec.json.encode(value))


def logs_of_frame(data: object) -> list[Log] | None:
    """Return the logs in a data frame of samples from `inspect_ai.analysis.samples_df`; None for other objects.

    The system is in the column `model` (``columns=SampleSummary + EvalModel + EvalTask``). Without it, the system
    is taken from the log in the column `log` if that exists, else it is the name of that log. The frame may be of any
    library that narwhals supports.
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
    records = SampleRecords(where="the frame of samples")
    for row in rows:
        scores = {}
        for name in scorers:
            value = _cell(columns[name][row])
            if isinstance(value, str) and value.startswith(("{", "[")):
                value = _decoded(value.encode(), f"row {row}, column {printable(name)}", Any)
            if value is not None:
                scores[name.removeprefix("score_")] = Score(value)
        metadata = {
            name.removeprefix("metadata_"): _cell(values[row])
            for name, values in columns.items()
            if name.startswith("metadata_")
        }
        texts = [_raw(_cell(columns[name][row]) or "") for name in ("input", "target")]
        error = _cell(columns["error"][row])
        records.add_sample(
            Sample(_cell(columns["id"][row]), _cell(columns["epoch"][row]), scores, None, error, metadata, *texts)
        )
    del records.digests["document"]  # a frame joins the messages of an input in its own way
    stem = Path(str(path)).stem if path else "unknown model"
    model = _cell(columns["model"][first]) or spec.get("model") or stem
    task = _cell(columns["task_name"][first]) or spec.get("task") or "unknown task"
    return log_of_samples("", Header({**spec, "model": model, "task": task}, status="success"), records, [])


def _cell(value: Any) -> Any:
    """Return the value of a cell: None if it is missing, in any notation of data frames."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if hasattr(value, "item"):
        value = value.item()
    return None if type(value).__name__ in ("NAType", "NaTType") or value != value else value


def _header_beside(path: object) -> Header | None:
    """Return the header of the log of a frame; None if it no longer exists."""
    if not isinstance(path, str):
        return None
    file = LogFile(Path(path.removeprefix("file://")))
    try:
        if not Inspect().recognizes(file):
            return None
        if not _is_archive(file):
            return _decoded(file.data, file.where, Header)  # type: ignore[no-any-return]
        with _opened(file) as archive:
            name = _HEADER if _HEADER in archive else _START
            return _decoded(archive.read(name), file.where, Header) if name in archive else None
    except OutscoreError:
        return None
