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

from outscore.logs.base import Aggregate, Log, LogFile, LogFormat, LogMetric, as_score, json_in, name_in, wrong_log
from outscore.logs.files import Keys, each_key, first_of_array, folder_name, keys_at, named_folder, whole_path
from outscore.logs.records import RecordBuilder
from outscore.logs.values import SHARE, count_in
from outscore.options import opt
from outscore.text.naming import listed, printable, quoted

# Instances of the official splits, as the cards of the data sets and the leaderboard have them.
# Of "multimodal" they say different things, so that a total has to be named.
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
# Folders that no system is called by.
_NO_SYSTEM = frozenset(
    ("logs", "log", "results", "result", "reports", "evaluation", "run_evaluation", "eval", "output", "outputs")
)
_DETAILS = "per_instance_details.json"
_REPORT = "report.json"


class SweBench(LogFormat):
    """Whether systems resolve the instances of SWE-bench, in any of six layouts.

    A list of the resolved instances alone (results.json) has no denominator: it is taken from the total or the score
    beside the list, from the official split that the path names, or must be told. All reports of instances in the
    folder of one system are one log. Instances without an answer count as not resolved where the harness counts them.
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
                trees.setdefault(_whole(file).parent.parent, []).append(file)
        yield from (outcome.log() for outcome in _merged(lists, _of_trees(trees)))


@dataclass(eq=False, kw_only=True)
class _Outcome:
    """What is known of one system: instances in the order of the log, an id more than once where it stands so."""

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
        """Return the split; where no path names it that of its size, if it holds nothing but its repositories."""
        if self.pro:
            return "SWE-bench Pro"
        split = self.split
        if not split and self.total is not None and repositories <= _REPOSITORIES:
            split = _OF_SIZE.get(self.total, "")
        return _TASKS.get(split, "SWE-bench")


def _labels_of(item: str) -> Mapping[str, str]:
    """Return the label of an instance that a list does not name."""
    return {"repo": _repository(item, False)}


def _labels_of_pro(item: str) -> Mapping[str, str]:
    return {"repo": _repository(item, True)}


def _repository(item: str, pro: bool) -> str:
    """Return "django__django" of "django__django-11066"; of Pro what stands before the hash."""
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
    """Tell whether keys are those of results.json: "resolved", and others of their kind or ids of instances in it."""
    others = [key for key in keys if key in _OTHER_LISTS and keys.mark(key) == "["]
    if "resolved" not in keys:
        return file.name == "results.json" and len(others) > 1
    place = first_of_array(head, keys["resolved"])
    if place is None:
        return False
    first = re.compile(rb'"([^"\\]{1,200})"').match(head, place)
    return bool(others) or (first is not None and _ID.fullmatch(first[1].decode("utf-8", "replace")) is not None)


def _is_report(head: bytes) -> bool:
    """Tell whether it is the report of one instance, under its id or by itself."""
    for place in (next((start for _, start in each_key(head)), 0), 0):
        before: set[str] = set()
        for key, _ in each_key(head, place):  # lists of tests come after it, and need not be looked at
            if key == "resolved":
                return bool(before & {"patch_exists", "patch_is_None", "patch_successfully_applied"})
            before.add(key)
    return False


def _whole(file: LogFile) -> Path:
    """Return the path from the root on, which names the system."""
    return whole_path(file.path)


def _system_of(folder: Path) -> str:
    return folder_name(folder, _NO_SYSTEM)


def _split_in(text: str) -> str:
    """Return the official split that a path or address of SWE-bench/experiments names; nothing where there is none."""
    match = _SPLIT.search(text.replace("\\", "/"))
    return match[1] if match is not None and match[1] in _TASKS else ""


def _names_in(value: object, where: str, key: str) -> list[str]:
    """Return a list of ids, or an error that says which key holds something else."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong_log(where, f"key {quoted(key)}: expected a list of instances, got something else")
    names = [name_in(one) for one in value]
    if not all(names):
        raise wrong_log(where, f"key {quoted(key)}: expected names of instances, got something else")
    return names


def _marked(resolved: Sequence[str], others: Iterable[str]) -> list[tuple[str, float]]:
    """Return resolved instances, as often as they are listed, and once all others that are known."""
    rest = dict.fromkeys(others)
    for item in resolved:
        rest.pop(item, None)
    return [*((item, 1.0) for item in resolved), *((item, 0.0) for item in rest)]


def _results(file: LogFile) -> _Outcome:
    """Return what results.json of SWE-bench/experiments says."""
    lists = file.json(dict[str, Any])
    if "resolved" not in lists:
        raise wrong_log(file.where, 'expected a list "resolved", got none')
    resolved = _names_in(lists["resolved"], file.where, "resolved")
    others: list[str] = []
    for key in sorted(_OTHER_LISTS & lists.keys()):
        others += _names_in(lists[key], file.where, key)
    folder = _whole(file).parent
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
            f"lists what was resolved of the {_instances(total)} of the split {split}, which its path names"
        )
    return outcome


class _Scored(msgspec.Struct):
    resolvedIds: Any = None  # noqa: N815
    system: Any = None
    score: Any = None
    source: Any = None


def _with_score(file: LogFile) -> _Outcome:
    """Return what a list of resolved instances with its score in per cent says."""
    row = file.json(_Scored)
    resolved = _names_in(row.resolvedIds, file.where, "resolvedIds")
    split = _split_in(name_in(row.source)) or _split_in(str(_whole(file).parent))
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
        if off < 1e-9 * score:  # what was rounded is no figure to check oneself against
            outcome.aggregates.append(Aggregate("mean", score, total, scale=100.0))
        else:
            outcome.notes.append(f"lists what was resolved of {_instances(total)}, by the score or the split it names")
    return outcome


def _total(count: int, score: float, size: int | None) -> int | None:
    """Return the only number of instances of which `count` are `score` per cent, to as many digits as the score has.

    The size of the split that is named where several are, and none where that does not fit either.
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
    """Return what the summary MODEL.RUN.json of the harness says, or results.json that holds one."""
    row = file.json(_Summed)
    if row.resolved_ids is None:
        row.resolved_ids = row.resolved
    if row.resolved_ids is None:
        raise wrong_log(file.where, 'expected a list "resolved_ids" or "resolved", got none')
    lists = {
        key: _names_in(getattr(row, key), file.where, key) for key in _Summed.__struct_fields__ if key.endswith("_ids")
    }
    resolved = lists["resolved_ids"]
    count = count_in(row.resolved_instances)
    if count is not None and count != len(set(resolved)):
        what = f"expected {_instances(count)} as resolved ones, got {len(set(resolved)):,}"
        raise wrong_log(file.where, what)
    known: dict[str, None] = {}
    for key in ("completed_ids", "unresolved_ids", "error_ids", "empty_patch_ids", "incomplete_ids"):
        known.update(dict.fromkeys(lists[key]))
    # Ids that were submitted need not be of the data set, those that were completed are.
    strange = [item for item in resolved if item not in known] if lists["completed_ids"] else []
    if strange:
        what = f"expected instances among those that were completed as resolved ones, got {listed(strange)}"
        raise wrong_log(file.where, what)
    for key in ("unresolved_ids", "error_ids", "empty_patch_ids", "incomplete_ids"):
        both = sorted(set(resolved) & set(lists[key]))
        if both:
            what = f'expected other instances in "{key}" than those that were resolved, got {listed(both)}'
            raise wrong_log(file.where, what)
    total = count_in(row.total_instances)
    if total is None:
        raise wrong_log(file.where, 'expected a whole number as "total_instances", got none')
    folder = _whole(file).parent
    split = _split_in(str(folder))
    in_folder = _stem(file).lower() in _NO_SYSTEM
    outcome = _Outcome(
        path=str(file.path),
        system=_system_of(folder) if in_folder else _model_in(_stem(file)),
        split=split if _SIZES.get(split, total) == total else "",  # a path may call another test set "verified"
        resolved=_marked(resolved, known),
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
        outcome.notes.append(f"{answered}: the others are not resolved, as the harness counts")
    elif unanswered:
        outcome.notes.append(f"{_instances(unanswered)} had no answer: not resolved, as the harness counts")
    for key, what in (("error_ids", "ended in an error"), ("empty_patch_ids", "had an empty patch")):
        if lists[key]:
            outcome.notes.append(f"{_instances(len(lists[key]))} {what}: not resolved, as the harness counts")
    return outcome


def _instances(count: int) -> str:
    return "1 instance" if count == 1 else f"{count:,} instances"


def _stem(file: LogFile) -> str:
    return file.name.removesuffix(".json")


def _model_in(stem: str) -> str:
    """Return MODEL of MODEL.RUN; a dot within the number of a version separates nothing."""
    model, dot, run = stem.rpartition(".")
    if not dot or not model or (model[-1].isdigit() and re.fullmatch(r"\d{1,2}(?:\D.*)?", run)):
        return stem
    return model


class _Detail(msgspec.Struct):
    resolved: Any = None


def _details(file: LogFile) -> _Outcome:
    """Return what per_instance_details.json says: every instance with whether it was resolved."""
    rows = file.json(dict[str, _Detail])
    folder = _whole(file).parent
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
    """Return what eval_results.json of SWE-bench Pro says: an instance that it does not name was not evaluated."""
    rows = file.json(dict[str, Any])
    return _Outcome(
        path=str(file.path),
        system=_system_of(_whole(file).parent),
        resolved=[(name, _truth(value, f"{file.where}: {quoted(name)}")) for name, value in rows.items()],
        pro=True,
        named_by_path=True,
    )


def _truth(value: object, where: str) -> float:
    if value is None:
        return math.nan
    if not isinstance(value, bool):
        raise wrong_log(where, "expected true or false for an instance, got something else")
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
    """Yield what the reports in the folder of each system say; folders of one name are told apart by their parents."""
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
    """Yield the ids and reports in a file; a bare report has its id in the path alone."""
    data = file.data
    bare = json_in(data, file.where, _Bare)
    if bare.resolved is not None or bare.patch_exists is not None:
        yield printable(_whole(file).parent.name), bare
        return
    yield from ((printable(name), report) for name, report in json_in(data, file.where, dict[str, _Report]).items())


def _add_unreported(outcome: _Outcome, folder: Path) -> None:
    """Add instances whose folders hold no report: they ended in an error, and have no score."""
    known = {item for item, _ in outcome.resolved}
    try:
        with os.scandir(folder) as entries:
            missing = sorted(
                entry.name
                for entry in entries
                if entry.name not in known and _ID.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return
    outcome.resolved += [(printable(item), math.nan) for item in missing]
    outcome.n_errors += len(missing)
    if missing:
        what = f"has no report of it: not resolved, as the harness counts ({opt('zero_missing', True)})"
        outcome.notes.append(f"the folder of {_instances(len(missing))} {what}")


def _merged(lists: Sequence[_Outcome], trees: Iterable[_Outcome]) -> Iterator[_Outcome]:
    """Yield all outcomes; the reports of what a list or summary sums up are one with it."""
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
            whole.notes.append(f"reports of {_instances(odd)} beside it say otherwise, and were left aside")
    yield from lists
