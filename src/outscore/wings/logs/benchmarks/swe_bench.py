"""Logs of SWE-bench: lists of resolved instances, summaries of the harness, reports of instances, SWE-bench Pro."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from outscore.data.rows import Missing
from outscore.options import opt
from outscore.text.naming import listed, printable, quoted
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
from outscore.wings.logs.files import Keys, each_key, first_of_array, folder_name, keys_at, named_folder, whole_path
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, count_in

# Instances of the official splits, according to the dataset cards and the leaderboard.
# For "multimodal" these disagree, so a total must be passed.
_SIZES = {"verified": 500, "bash-only": 500, "lite": 300, "test": 2294, "multilingual": 300}
_TASKS = {
    "verified": "SWE-bench Verified",
    "bash-only": "SWE-bench Verified",
    "lite": "SWE-bench Lite",
    "test": "SWE-bench",
    "multimodal": "SWE-bench Multimodal",
    "multilingual": "SWE-bench Multilingual",
}
_OF_SIZE = {500: "verified", 300: "lite", 2294: "test"}
_SPLIT = re.compile(r"(?:^|/)evaluation/([a-z-]+)(?:/|$)")
_ID = re.compile(r"[\w.-]+__[\w.-]+-\d+")
_PRO_ID = re.compile(r"instance_(.+?)-[0-9a-f]{40}(?:-v.*)?")
_REPOSITORIES = frozenset(
    (
        *("astropy__astropy", "django__django", "matplotlib__matplotlib", "mwaskom__seaborn", "pallets__flask"),
        *("psf__requests", "pydata__xarray", "pylint-dev__pylint", "pytest-dev__pytest"),
        *("scikit-learn__scikit-learn", "sphinx-doc__sphinx", "sympy__sympy"),
    )
)
# Keys of results.json, of all ages, beside "resolved".
_OTHER_LISTS = frozenset(
    (
        *("no_generation", "no_logs", "generated", "with_logs", "install_fail", "reset_failed", "no_apply", "applied"),
        *("test_errored", "test_timeout"),
    )
)
# Folders that are not named after a system.
_NO_SYSTEM = frozenset(
    ("logs", "log", "results", "result", "reports", "evaluation", "run_evaluation", "eval", "output", "outputs")
)
_DETAILS = "per_instance_details.json"
_REPORT = "report.json"


class SweBench(LogFormat):
    """Resolved instances of SWE-bench, in any of six layouts.

    A list of only resolved instances (results.json) has no denominator. It is taken from a total or score in the
    file, from the official split in the path, or must be passed. All reports of instances in the folder of a system
    are one log. Instances without an answer count as not resolved if the harness counts them.
    """

    name = "SWE-bench"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        return _layout_of(file) is not None

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        readers = {
            "results": _results,
            "summary": _summary,
            "score": _with_score,
            "details": _details,
            "pro": _pro,
        }
        trees: dict[Path, list[LogFile]] = {}
        lists: list[_Outcome] = []
        for file in files:
            layout = _layout_of(file)
            if layout in readers:
                lists.append(readers[layout](file))
            elif layout == "report":
                trees.setdefault(whole_path(file.path).parent.parent, []).append(file)
        yield from (outcome.log() for outcome in _merged(lists, _of_trees(trees)))


@dataclass(eq=False, kw_only=True)
class _Outcome:
    """The data of one system: instances in the order of the log, with repeated ones."""

    path: str
    system: str
    split: str = ""
    resolved: list[tuple[str, float]] = field(default_factory=list)
    shares: dict[str, float] = field(default_factory=dict)  # of the tests that had to pass, by id
    total: int | None = None
    needs_total: bool = False
    pro: bool = False
    n_errors: int = 0
    aggregates: list[Aggregate] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    run: str = ""  # "model.run", of reports as of summaries
    named_by_path: bool = False

    def log(self) -> Log:
        records = RecordBuilder(n_errors=self.n_errors, labels={"repo": []})
        for item, score in self.resolved:
            scores = {"resolved": score, "fail_to_pass": self.shares.get(item, math.nan)}
            records.add(item, scores=scores, labels={"repo": _repository(item, self.pro)})
        different = len(set(records.items))
        if self.total is not None and different > self.total:
            what = f"expected at most {self.total:,} instances, got {different:,}"
            raise wrong_log(printable(self.path), what, f"Pass {opt('total')} with the ids of the test set.")
        resolved = records.scores("resolved")
        metrics = [LogMetric(name="resolved", scores=resolved, is_main=True, aggregates=self.aggregates, **SHARE)]
        if self.shares:
            metrics.append(LogMetric(name="fail_to_pass", scores=records.scores("fail_to_pass"), **SHARE))
        return records.log(
            self.path,
            printable(self.system) or "unnamed",
            self._task(frozenset(records.labels["repo"])),
            metrics,
            label_of=_labels_of_pro if self.pro else _labels_of,
            facts=self.facts,
            named_by_path=self.named_by_path,
            notes=self.notes,
            n_unlisted=0 if self.total is None else self.total - different,
            needs_total=self.needs_total,
        )

    def _task(self, repositories: frozenset[str]) -> str:
        """Return the split; if the path has none, the split of this size, if all repositories belong to it."""
        if self.pro:
            return "SWE-bench Pro"
        split = self.split
        if not split and self.total is not None and repositories <= _REPOSITORIES:
            split = _OF_SIZE.get(self.total, "")
        return _TASKS.get(split, "SWE-bench")


def _labels_of(item: str) -> Mapping[str, str]:
    """Return the label of an instance that a list does not contain."""
    return {"repo": _repository(item, False)}


def _labels_of_pro(item: str) -> Mapping[str, str]:
    return {"repo": _repository(item, True)}


def _repository(item: str, pro: bool) -> str:
    """Return "django__django" for "django__django-11066"; for Pro, the part before the hash."""
    if pro:
        match = _PRO_ID.fullmatch(item)
        return printable(match[1] if match else item)
    return printable(item.rpartition("-")[0] or item)


def _layout_of(file: LogFile) -> str | None:
    head = file.head
    if not head.lstrip().startswith(b"{"):
        return None
    if b'"resolved' not in head and b'"instance_' not in head and file.name != "results.json":
        return None
    if file.name == _REPORT:
        return "report" if _is_report(head) else None
    keys = keys_at(head)
    if "total_instances" in keys and ({"resolved_ids", "completed_ids"} & keys.keys() or keys.mark("resolved") == "["):
        return "summary"
    if keys.mark("resolvedIds") == "[":
        return "score"
    if _is_results(file, head, keys):
        return "results"
    first = next(iter(keys), "")
    if file.name == _DETAILS:
        return "details" if _ID.fullmatch(first) and "resolved" in keys_at(head, keys[first]) else None
    if _PRO_ID.fullmatch(first):
        return "pro" if head[keys[first] : keys[first] + 4] in (b"true", b"fals", b"null") else None
    return None


def _is_results(file: LogFile, head: bytes, keys: Keys) -> bool:
    """Return whether keys are those of results.json: "resolved", and related keys, or ids of instances in it."""
    others = [key for key in keys if key in _OTHER_LISTS and keys.mark(key) == "["]
    if "resolved" not in keys:
        return file.name == "results.json" and len(others) > 1
    start = first_of_array(head, keys["resolved"])
    if start is None:
        return False
    first = re.compile(rb'"([^"\\]{1,200})"').match(head, start)
    return bool(others) or (first is not None and _ID.fullmatch(first[1].decode("utf-8", "replace")) is not None)


def _is_report(head: bytes) -> bool:
    """Return whether it is the report of one instance, with or without its id."""
    for position in (next((start for _, start in each_key(head)), 0), 0):
        before: set[str] = set()
        for key, _ in each_key(head, position):  # lists of tests come after it, and are not needed
            if key == "resolved":
                return bool(before & {"patch_exists", "patch_is_None", "patch_successfully_applied"})
            before.add(key)
    return False


def _system_of(folder: Path) -> str:
    return folder_name(folder, _NO_SYSTEM)


def _split_in(text: str) -> str:
    """Return the official split in a path or address of SWE-bench/experiments; empty if there is none."""
    match = _SPLIT.search(text.replace("\\", "/"))
    return match[1] if match is not None and match[1] in _TASKS else ""


def _names_in(value: object, where: str, key: str) -> list[str]:
    """Return a list of ids, or an error that names the key with something else."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong_log(where, f"key {quoted(key)}: expected a list of instances")
    names = [name_in(name) for name in value]
    if not all(names):
        raise wrong_log(where, f"key {quoted(key)}: expected names of instances")
    return names


def _marked(resolved: Sequence[str], others: Iterable[str]) -> list[tuple[str, float]]:
    """Return resolved instances, as often as listed, and once all others that are known."""
    rest = dict.fromkeys(others)
    for item in resolved:
        rest.pop(item, None)
    return [*((item, 1.0) for item in resolved), *((item, 0.0) for item in rest)]


def _results(file: LogFile) -> _Outcome:
    """Return the results of results.json of SWE-bench/experiments."""
    lists = file.json(dict[str, Any])
    if "resolved" not in lists:
        raise wrong_log(file.where, 'a list "resolved" is missing')
    resolved = _names_in(lists["resolved"], file.where, "resolved")
    others: list[str] = []
    for key in sorted(_OTHER_LISTS & lists.keys()):
        others += _names_in(lists[key], file.where, key)
    folder = whole_path(file.path).parent
    split = _split_in(str(folder))
    total = _SIZES.get(split)
    outcome = _Outcome(
        path=str(file.path),
        system=_system_of(folder),
        split=split,
        resolved=_marked(resolved, others),
        total=total,
        needs_total=total is None,
        facts={"split": split} if split else {},
        named_by_path=True,
    )
    if total is not None:
        outcome.notes.append(
            f"lists the resolved ones of the {_instances(total)} of the split {split}, which is in its path"
        )
    return outcome


class _Scored(msgspec.Struct):
    resolvedIds: Any = None  # noqa: N815
    system: Any = None
    score: Any = None
    source: Any = None


def _with_score(file: LogFile) -> _Outcome:
    """Return the results of a list of resolved instances with its score as a percentage."""
    row = file.json(_Scored)
    resolved = _names_in(row.resolvedIds, file.where, "resolvedIds")
    split = _split_in(name_in(row.source)) or _split_in(str(whole_path(file.path).parent))
    score = math.nan if isinstance(row.score, bool) else as_score(row.score)
    count = len(set(resolved))
    total = _total(count, score, _SIZES.get(split))
    outcome = _Outcome(
        path=str(file.path),
        system=name_in(row.system) or printable(_stem(file)),
        split=split,
        resolved=_marked(resolved, ()),
        total=total,
        needs_total=total is None,
        facts={"split": split} if split else {},
    )
    if total:
        off = abs(100 * count / total - score)
        if off < 1e-9 * score:  # rounded figures are not used as a check
            outcome.aggregates.append(Aggregate("mean", score, total, scale=100.0))
        else:
            outcome.notes.append(f"lists the resolved ones of {_instances(total)}, according to its score or split")
    return outcome


def _total(count: int, score: float, size: int | None) -> int | None:
    """Return the only number of instances of which `count` are `score` percent, to the digits of the score.

    If there are several, return the size of the named split; None if that does not fit either.
    """
    if not 0 < score <= 100 or count == 0:
        return size
    exponent = Decimal(repr(score)).as_tuple().exponent
    digits = max(1, -exponent) if isinstance(exponent, int) else 1

    def fits(total: int) -> bool:
        return total >= count and abs(100 * count / total - score) <= 0.5 * 10.0**-digits + 1e-9

    total = round(100 * count / score)
    if fits(total) and not fits(total - 1) and not fits(total + 1):
        return total
    return size if size is not None and fits(size) else None


class _Summed(msgspec.Struct):
    total_instances: Any = None
    resolved_instances: Any = None
    submitted_instances: Any = None
    completed_ids: Any = None
    incomplete_ids: Any = None
    empty_patch_ids: Any = None
    submitted_ids: Any = None
    resolved_ids: Any = None
    resolved: Any = None
    unresolved_ids: Any = None
    error_ids: Any = None
    schema_version: Any = None


def _summary(file: LogFile) -> _Outcome:
    """Return the results of the summary MODEL.RUN.json of the harness, or of a results.json with the same content."""
    row = file.json(_Summed)
    if row.resolved_ids is None:
        row.resolved_ids = row.resolved
    if row.resolved_ids is None:
        raise wrong_log(file.where, 'a list "resolved_ids" or "resolved" is missing')
    lists = {
        key: _names_in(getattr(row, key), file.where, key) for key in _Summed.__struct_fields__ if key.endswith("_ids")
    }
    resolved = lists["resolved_ids"]
    count = count_in(row.resolved_instances)
    if count is not None and count != len(set(resolved)):
        what = f"expected {_instances(count)} in the list of resolved ones, got {len(set(resolved)):,}"
        raise wrong_log(file.where, what)
    names_listed: dict[str, None] = {}
    for key in ("completed_ids", "unresolved_ids", "error_ids", "empty_patch_ids", "incomplete_ids"):
        names_listed.update(dict.fromkeys(lists[key]))
    # Submitted ids need not be in the dataset; completed ones are.
    strange = [item for item in resolved if item not in names_listed] if lists["completed_ids"] else []
    if strange:
        what = f"resolved instances are not among the completed ones: {listed(strange)}"
        raise wrong_log(file.where, what)
    for key in ("unresolved_ids", "error_ids", "empty_patch_ids", "incomplete_ids"):
        both = sorted(set(resolved) & set(lists[key]))
        if both:
            what = f'instances in "{key}" are also resolved: {listed(both)}'
            raise wrong_log(file.where, what)
    total = count_in(row.total_instances)
    if total is None:
        raise wrong_log(file.where, 'expected an integer as "total_instances"')
    folder = whole_path(file.path).parent
    split = _split_in(str(folder))
    in_folder = _stem(file).lower() in _NO_SYSTEM
    outcome = _Outcome(
        path=str(file.path),
        system=_system_of(folder) if in_folder else _model_in(_stem(file)),
        split=split if _SIZES.get(split, total) == total else "",  # a path may call another test set "verified"
        resolved=_marked(resolved, names_listed),
        total=total,
        run=_stem(file),
        named_by_path=in_folder,
    )
    if count is not None and total:
        outcome.aggregates.append(Aggregate("mean", count / total, total))
    submitted = count_in(row.submitted_instances)
    unanswered = len(lists["incomplete_ids"])
    if submitted is None:
        submitted = len(set(lists["submitted_ids"])) or None
    if submitted is not None and submitted < total:
        answered = f"answers to {submitted:,} of {_instances(total)} were submitted"
        outcome.notes.append(f"{answered}; the others count as not resolved, as in the harness")
    elif unanswered:
        outcome.notes.append(f"{_instances(unanswered)} had no answer and count as not resolved, as in the harness")
    for key, what in (("error_ids", "ended in an error"), ("empty_patch_ids", "had an empty patch")):
        if lists[key]:
            outcome.notes.append(f"{_instances(len(lists[key]))} {what} and count as not resolved, as in the harness")
    return outcome


def _instances(count: int) -> str:
    return "1 instance" if count == 1 else f"{count:,} instances"


def _stem(file: LogFile) -> str:
    return file.name.removesuffix(".json")


def _model_in(stem: str) -> str:
    """Return MODEL from MODEL.RUN; dots within version numbers do not separate."""
    model, dot, run = stem.rpartition(".")
    if not dot or not model or (model[-1].isdigit() and re.fullmatch(r"\d{1,2}(?:\D.*)?", run)):
        return stem
    return model


class _Detail(msgspec.Struct):
    resolved: Any = None


def _details(file: LogFile) -> _Outcome:
    """Return the results of per_instance_details.json: every instance, and whether it was resolved."""
    rows = file.json(dict[str, _Detail])
    folder = whole_path(file.path).parent
    split = _split_in(str(folder))
    return _Outcome(
        path=str(file.path),
        system=_system_of(folder),
        split=split,
        resolved=[(name, _truth(row.resolved, f"{file.where}: {quoted(name)}")) for name, row in rows.items()],
        facts={"split": split} if split else {},
        named_by_path=True,
    )


def _pro(file: LogFile) -> _Outcome:
    """Return the results of eval_results.json of SWE-bench Pro: missing instances were not evaluated."""
    rows = file.json(dict[str, Any])
    return _Outcome(
        path=str(file.path),
        system=_system_of(whole_path(file.path).parent),
        resolved=[(name, _truth(value, f"{file.where}: {quoted(name)}")) for name, value in rows.items()],
        pro=True,
        named_by_path=True,
    )


def _truth(value: object, where: str) -> float:
    if value is None:
        return math.nan
    if not isinstance(value, bool):
        raise wrong_log(where, "expected true or false for an instance")
    return float(value)


class _Tests(msgspec.Struct):
    success: list[Any] = []
    failure: list[Any] = []


class _Status(msgspec.Struct):
    FAIL_TO_PASS: _Tests | None = None


class _Report(msgspec.Struct):
    resolved: Any = None
    tests_status: _Status | None = None


class _Bare(_Report):
    patch_exists: Any = None
    patch_is_None: Any = None  # noqa: N815


def _of_trees(trees: Mapping[Path, Sequence[LogFile]]) -> Iterator[_Outcome]:
    """Yield the reports in the folder of each system; folders of one name are distinguished by their parents."""
    names = Counter(_system_of(folder) for folder in trees)
    for folder, files in trees.items():
        system = _system_of(folder)
        if names[system] > 1:
            system = f"{_system_of(folder.parent)}/{system}"
        named = named_folder(folder, _NO_SYSTEM)
        outcome = _Outcome(
            path=str(files[0].path if len(files) == 1 else files[0].path.parent.parent),
            system=system,
            split=_split_in(str(folder)),
            run=f"{named.name}.{named.parent.name}",
        )
        for file in files:
            for item, report in _reports_in(file):
                outcome.resolved.append((item, _truth(report.resolved, file.where)))
                tests = None if report.tests_status is None else report.tests_status.FAIL_TO_PASS
                if tests is not None and (tests.success or tests.failure):
                    share = len(tests.success) / (len(tests.success) + len(tests.failure))
                    outcome.shares[item] = share
        if any(file.root != file.path for file in files):
            _add_unreported(outcome, folder)
        yield outcome


def _reports_in(file: LogFile) -> Iterator[tuple[str, _Report]]:
    """Yield the ids and reports in a file; a bare report has its id only in the path."""
    data = file.data
    bare = json_in(data, file.where, _Bare)
    if bare.resolved is not None or bare.patch_exists is not None:
        yield printable(whole_path(file.path).parent.name), bare
        return
    yield from ((printable(name), report) for name, report in json_in(data, file.where, dict[str, _Report]).items())


def _add_unreported(outcome: _Outcome, folder: Path) -> None:
    """Add instances whose folders have no report: they ended in an error, and have no score."""
    resolved = {item for item, _ in outcome.resolved}
    try:
        with os.scandir(folder) as entries:
            missing = sorted(
                entry.name
                for entry in entries
                if entry.name not in resolved and _ID.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return
    outcome.resolved += [(printable(item), math.nan) for item in missing]
    outcome.n_errors += len(missing)
    if missing:
        what = f"has no report and counts as not resolved, as in the harness ({Missing.ZERO.option})"
        outcome.notes.append(f"the folder of {_instances(len(missing))} {what}")


def _merged(lists: Sequence[_Outcome], trees: Iterable[_Outcome]) -> Iterator[_Outcome]:
    """Yield all outcomes; reports that a list or summary covers are merged with it."""
    by_run = {outcome.run: outcome for outcome in lists if outcome.run}
    by_submission = {(outcome.split, outcome.system): outcome for outcome in lists if outcome.split}
    for tree in trees:
        whole = by_run.get(tree.run) or (by_submission.get((tree.split, tree.system)) if tree.split else None)
        if whole is None:
            yield tree
            continue
        scores, reported = dict(whole.resolved), dict(tree.resolved)
        others = [item for item in reported if item not in scores]
        if whole.needs_total or (whole.total is not None and whole.total >= len(scores) + len(others)):
            whole.resolved += [(item, 0.0) for item in others]
        whole.shares.update(tree.shares)
        odd = sum(reported[item] == 1 for item in others)
        odd += sum(not math.isnan(score) and scores.get(item, score) != score for item, score in reported.items())
        if odd:
            whole.notes.append(f"reports of {_instances(odd)} next to it disagree, and were ignored")
    yield from lists
