"""The samples of a log of Inspect: their records, with data from its header and results."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from outscore.data.coercion import TRUE_FALSE
from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.readers.tabular.cells import LETTERS, YES_NO
from outscore.text.naming import printable
from outscore.wings.logs.base import Aggregate, Log, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, UNKNOWN, digest_of, under

_PLACEHOLDER = "88F74D2C"  # the scorer's name in samples of 2024, when there was just one
_KNOWN_VERSION = 3
_GRADES = {letter.upper(): grade for letter, grade in LETTERS.items()}  # Inspect's are capital
_WORDS = {**YES_NO, **TRUE_FALSE}
_REMOVED = "Key removed from summary (> 1k)"
_MOST_KEYS, _MOST_CELLS = 1_000, 2**27
_LONGEST_FACT = 100
# Summaries keep at least the first thousand characters of a text, samples all of it: both have these.
_DIGEST_SCAN, _DIGEST_LENGTH = 1_000, 500
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


class Score(msgspec.Struct, gc=False):
    """The value of one scorer."""

    value: Any = None


class Sample(msgspec.Struct, gc=False):
    """The common part of a summary and a sample; nothing else is decoded."""

    id: Any = None
    epoch: Any = 1
    scores: dict[str, Score] | None = None
    score: Score | None = None
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


class Reduction(msgspec.Struct):
    """Scores of one scorer, reduced over epochs."""

    scorer: str
    samples: list[_Reduced]
    reducer: str | None = None


class Header(msgspec.Struct):
    """A log without its samples."""

    eval: dict[str, Any]
    version: Any = None
    status: Any = "started"
    plan: Any = None
    results: _Results | None = None
    invalidated: Any = False


class SampleWithTexts(Sample):
    """A sample with the model's output."""

    output: Any = None


def refuse_other_form(forms: dict[str, bool], sample_id: object, where: str) -> None:
    """Refuse an id that is a number in one sample, and text with the same digits in another."""
    if forms.setdefault(name_in(sample_id), isinstance(sample_id, str)) is not isinstance(sample_id, str):
        what = f"samples have the id {name_in(sample_id)} both as a number and as text"
        raise wrong_log(where, what, "Give each item a unique id, regardless of its type.", "two-forms-of-id")


_ScoreKey: TypeAlias = tuple[str, str | None]  # a scorer, and a key of its values if these are mappings or lists


@dataclass(eq=False)
class SampleRecords(RecordBuilder):
    """The records of samples, one per sample and epoch; the samples themselves are not kept."""

    where: str = ""
    metrics_are: str = "scorers and keys of their values"
    ungraded: set[_ScoreKey] = field(default_factory=set)  # which are not all grades or truth values
    n_odd: Counter[_ScoreKey] = field(
        default_factory=Counter
    )  # values that Inspect counts as 0, as they are not numbers
    are_reduced: bool = False  # whether they are means over epochs
    _forms: dict[str, bool] = field(default_factory=dict)  # whether each id is text
    _digests: dict[int, str] = field(default_factory=dict)

    def add_sample(self, sample: Sample) -> None:
        item = name_in(sample.id)
        if not item:
            what = f'sample {len(self) + 1}: expected a number or a name as "id"'
            raise wrong_log(self.where, what)
        refuse_other_form(self._forms, sample.id, self.where)
        texts = {"document": sample.input, "target": sample.target}
        digests = {name: self._digest(text, sample.attachments) for name, text in texts.items()}
        record = self.add(item, name_in(sample.epoch, "1"), digests=digests)
        self.metadata.add(sample.metadata or {})
        scores = sample.scores or {}
        if sample.score is not None and not scores:
            scores = {_PLACEHOLDER: sample.score}
        if sample.error is not None and sample.error != "" and not scores:
            self.n_errors += 1
        for scorer, score in scores.items():
            if isinstance(score.value, dict | list) and len(score.value) <= _MOST_KEYS:
                pairs = score.value.items() if isinstance(score.value, dict) else enumerate(score.value)
                for key, element in pairs:
                    self._add_value(record, (scorer, str(key)), element)
            else:
                self._add_value(record, (scorer, None), score.value)

    def _add_value(self, record: int, column: _ScoreKey, value: object) -> None:
        grade = _GRADES.get(value) if isinstance(value, str) else None
        if grade is None:
            grade = _number(value)
            if grade is None:
                # NaN is null in older logs; within a mapping, null is a value, of which Inspect warns.
                self.n_odd[column] += value is not None or column[1] is not None
                grade = math.nan
            elif not (isinstance(value, bool) or math.isnan(grade) or str(value).lower() in _WORDS):
                self.ungraded.add(column)
        self.score(record, column, grade, self.where)

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
    """Return the number of a value, as Inspect's `value_to_float` does; None for other values."""
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
    """Return the text of an input or target: for messages, their texts; pictures as in summaries."""
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


def log_of_samples(path: str, header: Header, records: SampleRecords, notes: list[str]) -> Log:
    """Return the log with the data of its header."""
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
    """Return Inspect's own figures, one per scorer (or key of its values) and reducer."""
    scores = results.scores
    if not isinstance(scores, list) and isinstance(results.scorer, Mapping):  # of 2024
        scores = [{"metrics": results.metrics, **results.scorer}]
    return [score for score in scores if isinstance(score, Mapping)] if isinstance(scores, list) else []


def _rename_placeholder(records: SampleRecords, entries: Sequence[Mapping[str, Any]]) -> None:
    name = next((name_in(entry.get("name")) for entry in entries), "") or "score"
    for scorer, key in list(records.columns):
        if scorer == _PLACEHOLDER and (name, key) not in records.columns:
            records.columns[name, key] = records.columns.pop((scorer, key))
            records.n_odd[name, key] = records.n_odd.pop((scorer, key), 0)
            if (scorer, key) in records.ungraded:
                records.ungraded.add((name, key))


def _notes_on(header: Header, records: SampleRecords) -> list[str]:
    notes, n = [], len(records)
    if header.status == "started":
        notes.append("comes from a run that is unfinished or was killed")
    elif header.status in ("error", "cancelled"):
        notes.append(
            "comes from a run that ended in an error"
            if header.status == "error"
            else "comes from a run that was cancelled"
        )
    if isinstance(header.version, int) and header.version > _KNOWN_VERSION:
        notes.append(f"has version {header.version}; the last known version is {_KNOWN_VERSION}")
    if header.invalidated is True:
        notes.append("has samples that were declared invalid")
    completed = header.results.completed_samples if header.results is not None else None
    if n == 0:
        notes.append("has no samples")
    elif isinstance(completed, int) and completed > n and not records.are_reduced:
        notes.append(f"has {n:,} of the {completed:,} evaluated samples")
    return notes


def _metrics(
    spec: Mapping[str, Any],
    results: _Results,
    entries: Sequence[Mapping[str, Any]],
    records: SampleRecords,
    notes: list[str],
) -> list[LogMetric]:
    n = len(records)
    keyed = {scorer for scorer, key in records.columns if key is not None}
    columns: dict[_ScoreKey, bool] = {}  # whether there is any number
    for column, values in records.columns.items():
        numeric = not all(map(math.isnan, values))
        if records.n_odd[column] and not numeric:
            notes.append(f"scorer {_name(column)} has non-numeric values, and is left out")
        # A scorer with mappings as values has NaN for a key that it did not score.
        elif numeric or column[1] is not None or column[0] not in keyed:
            columns[column] = numeric
    if len(columns) * n > _MOST_CELLS:
        what = f"expected at most {_MOST_CELLS:,} scores, got {len(columns):,} metrics of {n:,} samples"
        raise wrong_log(records.where, what, slug="too-many-metrics")
    main = _main(spec, results, entries, columns)
    metrics = []
    for column, numeric in columns.items():
        explanation = None
        if records.n_odd[column]:
            explanation = f"Inspect counts {records.n_odd[column]:,} non-numeric values as 0; here they have no score"
        metrics.append(
            LogMetric(
                name=_name(column),
                scores=records.scores(column),
                is_main=column == main,
                aggregates=_aggregates(column, entries, spec, results, records),
                explanation=explanation,
                clusters=_clusters(column, entries, spec, records),
                **(SHARE if numeric and column not in records.ungraded else UNKNOWN),
            )
        )
    return metrics


def _name(column: _ScoreKey) -> str:
    scorer, key = column
    return printable(scorer if key is None else f"{scorer}/{key}") or "score"


def _column_of(entry: Mapping[str, Any], columns: Collection[_ScoreKey]) -> _ScoreKey | None:
    """Return the column of an entry of the results."""
    name = name_in(entry.get("name"))
    scorer = name_in(entry.get("scorer")) or name
    keys: list[_ScoreKey] = [(scorer, None), (scorer, name)] if name == scorer else [(scorer, name)]
    return next((index for index in keys if index in columns), None)


def _main(
    spec: Mapping[str, Any],
    results: _Results,
    entries: Sequence[Mapping[str, Any]],
    columns: Collection[_ScoreKey],
) -> _ScoreKey | None:
    """Return the column of the headline metric, resolved as in Inspect: declared names narrow the entries."""
    declared = results.headline or spec.get("headline_metric")
    if isinstance(declared, Mapping):
        chosen = [
            entry
            for entry in entries
            if all(
                declared.get(key) in (None, entry.get(its_key))
                for key, its_key in (("scorer", "scorer"), ("score", "name"))
            )
            and (declared.get("metric") is None or declared["metric"] in (entry.get("metrics") or ()))
        ]
        if chosen:
            return _column_of(chosen[0], columns)
    if entries:
        return _column_of(entries[0], columns)
    scorers = spec.get("scorers")
    first = name_in(under(scorers[0], "name")) if isinstance(scorers, list) and scorers else ""
    return (first, None) if (first, None) in columns else None


def _aggregates(
    column: _ScoreKey,
    entries: Sequence[Mapping[str, Any]],
    spec: Mapping[str, Any],
    results: _Results,
    records: SampleRecords,
) -> list[Aggregate]:
    """Return Inspect's figures of a column that can be recomputed."""
    entries_of_column = [entry for entry in entries if _column_of(entry, records.columns) == column]
    reducers = under(spec.get("config"), "epochs_reducer")
    named = any(entry_of_column.get("reducer") is not None for entry_of_column in entries_of_column) or isinstance(
        reducers, list
    )
    aggregates: list[Aggregate] = []
    for entry_of_column in entries_of_column:
        reducer, figures = entry_of_column.get("reducer"), entry_of_column.get("metrics")
        for figure in figures.values() if isinstance(figures, Mapping) else ():
            if not isinstance(figure, Mapping) or figure.get("group") is not None:
                continue
            value, params = figure.get("value"), figure.get("params") or {}
            kind = str(figure.get("name")).removeprefix("inspect_ai/")
            if isinstance(value, bool) or not isinstance(value, int | float) or not isinstance(params, Mapping):
                continue
            # Without reducers, Inspect averages over epochs without recording it; with an empty list, it does not
            # reduce.
            statistic = _statistic(kind, reducer, params, unreduced=reducer is None and named)
            cluster = f"metadata.{printable(str(params.get('cluster')))}"
            if statistic is None or (statistic == "clustered-stderr" and cluster not in records.labels):
                continue
            aggregates.append(
                Aggregate(
                    statistic,
                    as_score(value),
                    _n_computed(entry_of_column, results, records),
                    cluster if statistic == "clustered-stderr" else None,
                )
            )
    return aggregates


def _clusters(
    column: _ScoreKey, entries: Sequence[Mapping[str, Any]], spec: Mapping[str, Any], records: SampleRecords
) -> list[str]:
    """Return the labels of stderr(cluster=...) of a column; not those with which each item is a cluster of its own."""
    scorers = spec.get("scorers")
    declared: list[object] = [entry for entry in entries if _column_of(entry, records.columns) == column]
    # Unfinished logs have no figures.
    declared += (
        [scorer for scorer in scorers if under(scorer, "name") == column[0]] if isinstance(scorers, list) else []
    )
    keys = dict.fromkeys(_cluster_keys(declared))
    return [
        f"metadata.{printable(key)}"
        for key in keys
        if not records.metadata.tells_apart(key, records.items) or f"metadata.{printable(key)}" in records.labels
    ]


def _cluster_keys(parameters: object) -> Iterator[str]:
    """Yield the keys of metadata in the parameters of metrics, at any depth."""
    if isinstance(parameters, Mapping):
        for name, value in parameters.items():
            key = under(value, "cluster") if name in ("params", "options") else None
            yield from [key] if isinstance(key, str) else _cluster_keys(value)
    elif isinstance(parameters, list):
        for element in parameters:
            yield from _cluster_keys(element)


def _statistic(kind: str, reducer: object, params: Mapping[str, Any], *, unreduced: bool) -> str | None:
    """Return our name of a metric under a reducer; None if it is not computed here."""
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


def _n_computed(entry: Mapping[str, Any], results: _Results, records: SampleRecords) -> int | None:
    """Return the number of items of a figure; for old logs, which do not state it, only if some were cut."""
    scored = entry.get("scored_samples")
    if isinstance(scored, int):
        return scored
    completed, n = results.completed_samples, len(records)
    if isinstance(completed, int) and completed > n and not records.are_reduced:
        most = max((int(epoch) for epoch in set(records.runs) if re.fullmatch(r"\d{1,6}", epoch)), default=1)
        return completed // max(most, 1)
    return None


def _facts(header: Header) -> dict[str, str]:
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
        facts[f"model role {role}"] = ", ".join(name_in(under(model, "model")) for model in models)
    facts["inspect version"] = under(spec.get("packages"), "inspect_ai")
    facts["commit"] = under(spec.get("revision"), "commit")
    return {
        printable(name): shown
        for name, fact in list(facts.items())[:200]
        if len(name) <= _LONGEST_FACT and (shown := _fact(fact)) is not None
    }


def _tells_apart(fact: str) -> bool:
    """Return whether a fact distinguishes systems: an argument, a solver, a generation setting."""
    settings = {key.replace("_", " ") for key in _GENERATION}
    kinds = ("solver", "task argument ", "model argument ", "model role ")
    return "seed" not in fact and (fact in settings or fact.startswith(kinds))


def _arguments(kind: str, arguments: object) -> dict[str, object]:
    """Return arguments by name, without possible secrets."""
    if not isinstance(arguments, Mapping):
        return {}
    return {f"{kind} {key}": value for key, value in list(arguments.items())[:100] if not _SECRET.search(str(key))}


def _fact(value: object) -> str | None:
    """Return a short value on one line; a digest of a longer one, such as a prompt."""
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
        return {str(key): _without_secrets(element) for key, element in value.items() if not _SECRET.search(str(key))}
    return [_without_secrets(element) for element in value] if isinstance(value, list) else value


def texts_of(sample: SampleWithTexts) -> ItemTexts:
    """Return the input, the target and the answer of a sample."""
    answer = under(sample.output, "completion")
    choices = under(sample.output, "choices")
    if not isinstance(answer, str) and isinstance(choices, list) and choices:
        answer = _joined([under(choices[0], "message")])
    target = _text_in(sample.target, sample.attachments)
    return ItemTexts(_text_in(sample.input, sample.attachments) or None, target or None, answer or None)
