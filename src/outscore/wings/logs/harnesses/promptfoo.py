"""Output of promptfoo: ``promptfoo eval -o output.json``, ``.jsonl`` or ``.csv``, and ``promptfoo export eval``."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.text.naming import printable
from outscore.wings.logs.base import (
    Aggregate,
    Log,
    LogFile,
    LogFormat,
    LogMetric,
    as_score,
    json_in,
    name_in,
    wrong_log,
)
from outscore.wings.logs.files import first_of_array, keys_at, rows_in
from outscore.wings.logs.harnesses.promptfoo_table import is_table, results_of_table
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import (
    SHARE,
    UNKNOWN,
    aggregates_of,
    count_in,
    digest_of,
    facts_of,
    number_in,
    text_in,
    under,
)

_ERROR = 2  # ResultFailureReason: no answer, as opposed to one that an assertion rejected (1)
_MOST_NAMED, _LONGEST_ID, _LONGEST_LABEL = 1_000, 200, 40


class Promptfoo(LogFormat):
    """Results of promptfoo, version 3 and the versions 1 and 2 before it; lines of results (JSONL); tables (CSV).

    Items are tests, identified by description and variables, as repetitions have different test numbers;
    repetitions are runs. A system is a provider, with a prompt if there are several, in promptfoo's order. Errors
    have no score and are not failures. Files with the same result ids, such as a JSON and a JSONL file of one run,
    are one log, and a CSV beside a JSON of its name is left out. Untested on real files of version 1, which are read
    as the code writes them.
    """

    name = "promptfoo"
    suffixes = (".json", ".jsonl", ".csv")

    def recognizes(self, file: LogFile) -> bool:
        if is_table(file):
            return True
        if b'"results"' not in file.head and b'"testIdx"' not in file.head:
            return False
        return _is_whole(file) or keys_at(file.head).keys() >= {"promptIdx", "testIdx", "success", "namedScores"}

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        read: dict[str, str] = {}  # by the id of a result, the file that contains it
        whole_files = {file.path.with_suffix("") for file in files if not is_table(file)}
        files = [file for file in files if not (is_table(file) and file.path.with_suffix("") in whole_files)]
        for file in sorted(files, key=lambda file: not _is_whole(file)):  # lines of results do not state the evaluation
            whole = _read(file)
            columns = _Columns(file, whole)
            ids = []
            for result in _results_of(file, whole, _Result):
                columns.of(result).add(result)
                ids.append(name_in(result.id))
            if not columns.by_place:
                raise wrong_log(file.where, "expected results of tests, got none", slug="empty")
            seen = [read[id_] for id_ in ids if id_ in read]
            if len(seen) == len(ids):
                continue
            if seen:
                what = (
                    f"expected results of one run, got {len(seen):,} of {len(ids):,} results that are also in {seen[0]}"
                )
                raise wrong_log(file.where, what, "Pass the file with all results.", "parts-of-a-run")
            read |= {id_: file.where for id_ in ids if id_}
            for position, system, column in columns.named():
                yield _log_of(file, whole, system, position, column)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        whole = _read(log.file)
        columns = _Columns(log.file, whole)
        for result in _results_of(log.file, whole, _TextResult):
            column = columns.of(result)
            item = column.item_of(result)
            if item in items and item not in column.texts:
                answer = under(result.response, "output")
                column.texts[item] = ItemTexts(_text(under(result.prompt, "raw")), None, _text(answer))
        return next((column.texts for _, name, column in columns.named() if name == log.system), {})


class _Result(msgspec.Struct, rename="camel"):
    id: Any = None
    provider: Any = None
    prompt_idx: Any = None
    prompt_id: Any = None
    test_idx: Any = None
    test_case: Any = None
    description: Any = None
    vars: Any = None
    success: Any = None
    score: Any = None
    named_scores: Any = None
    failure_reason: Any = None
    error: Any = None
    grading_result: Any = None
    prompt: Any = None


class _TextResult(_Result):
    response: Any = None


class _Summary(msgspec.Struct):
    version: Any = None
    prompts: Any = None
    table: Any = None
    results: list[msgspec.Raw] = []


class _Output(msgspec.Struct):
    results: _Summary
    config: Any = None
    metadata: Any = None


@dataclass(eq=False)
class _Column:
    """The results of one provider on one prompt."""

    where: str
    provider: str
    prompt: str
    label: str
    records: RecordBuilder = field(default_factory=lambda: RecordBuilder(_MOST_NAMED + 2, "named scores"))
    texts: dict[str, ItemTexts] = field(default_factory=dict)
    first_variables: dict[str, str] = field(default_factory=dict)  # by description, its first variables
    without_vars: bool = False

    def add(self, result: _Result) -> None:
        item, failed = self.item_of(result), _is_error(result)
        success = float(result.success) if isinstance(result.success, bool) else math.nan
        record = self.records.add(
            item,
            str(self.records.time(item) + 1),
            {} if failed else {"success": success, "score": as_score(result.score)},
            digests={"document": _vars_digest(result)},
        )
        self.records.n_errors += failed
        named = result.named_scores if isinstance(result.named_scores, Mapping) and not failed else {}
        for name, value in named.items():
            self.records.score(record, ("named", name), as_score(value), self.where)
        metadata = under(result.test_case, "metadata")
        entries = metadata.items() if isinstance(metadata, Mapping) else ()
        self.records.metadata.add({key: value for key, value in entries if not key.startswith("_")})

    def item_of(self, result: _Result) -> str:
        """Return the name of a test: its description, or its variables if that is missing or ambiguous."""
        digest = _vars_digest(result)
        described = name_in(under(result.test_case, "description")) or name_in(result.description)
        if described and len(described) <= _LONGEST_ID:
            first = self.first_variables.setdefault(described, digest)
            return described if first == digest else f"{described} {digest}"
        if digest:
            return f"vars {digest}"
        self.without_vars = True
        return f"test {name_in(result.test_idx, '0')}"


class _Columns:
    """The results of a file by provider and prompt, which are the columns of promptfoo's table.

    Since version 3, results name their column; before, it is the one with their provider and prompt.
    """

    def __init__(self, file: LogFile, whole: _Output | None) -> None:
        self.where = file.where
        self.heads = _heads(whole)
        self.by_place: dict[tuple[str, int], _Column] = {}
        self._others: dict[str, int] = {}  # positions after the heads, by the prompt of results without a head

    def of(self, result: _Result) -> _Column:
        """Return the column of a result."""
        provider = _provider(result.provider)
        label = _label_of(result.prompt)
        position = (
            result.prompt_idx if isinstance(result.prompt_idx, int) else self._prompt_index(result.provider, label)
        )
        column = self.by_place.get((provider, position))
        if column is None:
            head = self.heads[position] if 0 <= position < len(self.heads) else None
            prompt = _prompt_of(head) or name_in(result.prompt_id) or label or str(position)
            label = _label_of(head) or label
            column = self.by_place[provider, position] = _Column(self.where, provider, prompt, label)
        return column

    def _prompt_index(self, provider: object, label: str) -> int:
        names = {"", name_in(provider), name_in(under(provider, "id")), name_in(under(provider, "label"))}
        for index, head in enumerate(self.heads):
            if _label_of(head) == label and name_in(under(head, "provider")) in names:
                return index
        return self._others.setdefault(label, len(self.heads) + len(self._others))

    def named(self) -> list[tuple[int, str, _Column]]:
        """Return the columns in promptfoo's order with their positions and names."""
        columns = sorted(self.by_place.items(), key=lambda item: item[0][1])
        prompts = [*map(_prompt_of, self.heads), *(column.prompt for _, column in columns)]
        numbers = {prompt: index + 1 for index, prompt in enumerate(dict.fromkeys(filter(None, prompts)))}
        several = len({column.prompt for _, column in columns}) > 1
        return [
            (position, f"{provider}, {_shown(column.label, numbers[column.prompt])}" if several else provider, column)
            for (provider, position), column in columns
        ]


def _heads(whole: _Output | None) -> list[Any]:
    """Return promptfoo's data on each column: its provider, its prompt, its figures."""
    if whole is None:
        return []
    prompts = whole.results.prompts
    if not isinstance(prompts, list):
        prompts = under(whole.results.table, "head", "prompts")
    return prompts if isinstance(prompts, list) else []


def _prompt_of(head: object) -> str:
    """Return the identity of a prompt before variables are filled in; empty if a head has none."""
    return name_in(under(head, "id")) or _label_of(head) or (text_in(under(head, "raw")) or "")


def _label_of(prompt: object) -> str:
    """Return the label of a prompt, called "display" in old files."""
    return text_in(under(prompt, "label")) or text_in(under(prompt, "display")) or ""


def _shown(label: str, number: int) -> str:
    """Return the name of a prompt: its number, and its label if it has one, on one line."""
    line = printable(" ".join(label.split()))
    line = line if len(line) <= _LONGEST_LABEL else f"{line[:_LONGEST_LABEL].rstrip()}..."
    return f"prompt {number} ({line})" if line else f"prompt {number}"


def _is_whole(file: LogFile) -> bool:
    """Return whether a file is one output with all results, as opposed to lines of them."""
    head = file.head
    start = keys_at(head).get("results")
    keys = keys_at(head, start) if start is not None else None
    if keys is None or not keys.mark("version").isdigit():
        return False
    if "timestamp" in keys:
        return True
    first = first_of_array(head, keys["results"]) if "results" in keys else None
    return first is not None and {"provider", "prompt", "vars"} <= keys_at(head, first).keys()


def _read(file: LogFile) -> _Output | None:
    """Return the whole output, with raw results; None for lines of results."""
    if not _is_whole(file):
        return None
    output: _Output = file.json(_Output, bare_as_null=True)
    return output


def _results_of(file: LogFile, whole: _Output | None, type_: Any) -> Iterator[Any]:
    if whole is not None:
        for index, raw in enumerate(whole.results.results):
            yield json_in(bytes(raw), f"{file.where}: result {index + 1}", type_)
        return
    if is_table(file):
        yield from (msgspec.convert(result, type_) for result in results_of_table(file))
        return
    for _, row in rows_in(file, type_):
        yield row


def _provider(provider: object) -> str:
    """Return the id of a provider and its label, which distinguishes providers with the same id."""
    if not isinstance(provider, Mapping):
        return name_in(provider, "unknown provider")
    name, label = name_in(provider.get("id"), "unknown provider"), name_in(provider.get("label"))
    return name if label in ("", name) else f"{label} ({name})"


def _is_error(result: _Result) -> bool:
    if isinstance(result.failure_reason, int):
        return result.failure_reason == _ERROR
    # Before failures had a reason, an ungraded result has an error and nothing else.
    return bool(result.error) and not result.success and not isinstance(result.grading_result, Mapping)


def _vars_digest(result: _Result) -> str:
    values = under(result.test_case, "vars")
    values = values if isinstance(values, Mapping) and values else result.vars
    if not isinstance(values, Mapping) or not values:
        return ""
    return digest_of(msgspec.json.encode(values, order="deterministic"))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None if value is None else msgspec.json.encode(value).decode()


def _log_of(file: LogFile, whole: _Output | None, system: str, position: int, column: _Column) -> Log:
    records, n = column.records, len(column.records)
    heads = _heads(whole)
    figures = under(heads[position], "metrics") if 0 <= position < len(heads) else None
    figures_of_column: Mapping[str, Any] = figures if isinstance(figures, Mapping) else {}
    counted = sum(
        count_in(figures_of_column.get(key)) or 0 for key in ("testPassCount", "testFailCount", "testErrorCount")
    )
    explanation = f"promptfoo counts {counted:,} results, of which this file has {n:,}" if counted != n else None
    rated = [
        LogMetric(
            name=name,
            scores=records.scores(name),
            is_main=name == "success",
            aggregates=_shares(under(figures_of_column, key), figures_of_column),
            explanation=explanation,
            **(SHARE if name == "success" else UNKNOWN),
        )
        for name, key in (("success", "testPassCount"), ("score", "score"))
    ]
    for name in (key[1] for key in records.columns if isinstance(key, tuple)):
        scores, called = records.scores(("named", name)), printable(name) or "unnamed"
        rated.append(
            LogMetric(
                name=called if called not in ("success", "score") else f"named/{called}",
                scores=scores,
                aggregates=_of_named(name, figures_of_column, int((~np.isnan(scores)).sum())),
            )
        )
    version = None if whole is None else whole.results.version
    notes = []
    if isinstance(version, int) and version > 3:
        notes.append(f"has version {version}; the last known version is 3")
    if column.without_vars:
        notes.append("has tests without variables and descriptions, which are matched by number")
    if is_table(file):
        notes.append("has scores rounded to two decimals, because it is CSV; the JSON output has all digits")
    records.labels = records.metadata.telling(records.items)
    samples = RunDesign.SAMPLES
    return records.log(file.path, system, _task(whole), rated, runs_are=samples, facts=_facts(whole), notes=notes)


def _shares(total: object, figures: Mapping[str, Any]) -> list[Aggregate]:
    """Return a sum as a proportion of the graded tests: promptfoo counts errors separately."""
    graded = sum(count_in(figures.get(key)) or 0 for key in ("testPassCount", "testFailCount"))
    return aggregates_of({"mean-of-records": number_in(total) / graded}) if graded else []


def _of_named(name: str, figures: Mapping[str, Any], n: int) -> list[Aggregate]:
    """Return the mean of a named score from promptfoo's sum; None if assertions have different weights."""
    total = under(figures.get("namedScores"), name)
    weights = [under(figures.get(key), name) for key in ("namedScoreWeights", "namedScoresCount")]
    if not n or any(weight not in (None, n) for weight in weights) or not any(weights):
        return []
    return aggregates_of({"mean-of-records": number_in(total) / n})


def _task(whole: _Output | None) -> str:
    """Return the name of the evaluation in the configuration, or the file of its tests."""
    config = None if whole is None else whole.config
    tests = under(config, "tests")
    if isinstance(tests, list) and len(tests) == 1:
        tests = tests[0]
    described = name_in(under(config, "description"))
    if described and len(described) <= _LONGEST_ID:
        return described
    if isinstance(tests, str) and len(tests) <= _LONGEST_ID and "://" not in tests.removeprefix("file://"):
        return printable(Path(tests.removeprefix("file://")).name) or "promptfoo"
    return "promptfoo"


def _facts(whole: _Output | None) -> dict[str, str]:
    if whole is None:
        return {}
    facts: dict[str, object] = {"promptfoo version": under(whole.metadata, "promptfooVersion")}
    judge = under(whole.config, "defaultTest", "options", "provider")
    facts["judge"] = under(judge, "id") if isinstance(judge, Mapping) else judge
    return facts_of(facts)
