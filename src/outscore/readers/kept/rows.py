"""Rows cached in a file, compared later without scoring again, and checks that they can be combined."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from outscore._version import __version__
from outscore.data.items import ReferenceDigest
from outscore.data.rows import Rows
from outscore.errors import DataError, OptionError, OutscoreError, Problem
from outscore.metrics.base import AnyOutputMetric, Metric
from outscore.metrics.options import option_values, spec_of, versions_of
from outscore.metrics.outputs import OUTPUT_METRICS, output_metric_named
from outscore.metrics.plugins import plugins
from outscore.options import opt
from outscore.readers.kept.files import Packed, not_kept_rows, to_npz, unpacked
from outscore.text.naming import printable, quoted


def digest_of(streams: Sequence[Sequence[Any]], item_ids: Sequence[str] | None) -> ReferenceDigest:
    """Return the digest of references.

    `streams` are sequences of items, one per reference of an item. Each item is written as one line of JSON, with sets
    and mappings sorted, and objects as lists of their fields. Raise OptionError for items of an unsupported type.

    Examples
    --------
    >>> one, other = digest_of([["a", "b"]], ["2", "1"]), digest_of([["b", "a"]], ["1", "2"])
    >>> one.in_order == other.in_order, one.matches(other)
    (False, True)
    """
    lines = [[_line(item) for item in items] for items in streams]
    in_order = _hashed(lines)
    if item_ids is None:
        return ReferenceDigest(in_order)
    order = sorted(range(len(item_ids)), key=item_ids.__getitem__)
    ids = [json.dumps(item_ids[i]) for i in order]
    return ReferenceDigest(in_order, _hashed([ids, *([items[i] for i in order] for items in lines)]))


def _hashed(streams: Sequence[Sequence[str]]) -> str:
    digest = hashlib.sha256()
    for lines in streams:
        digest.update(f"{len(lines)}\n".encode())  # distinguishes one stream of 2n lines from two of n
        digest.update("".join(f"{line}\n" for line in lines).encode())
    return digest.hexdigest()


def _line(item: object) -> str:
    return json.dumps(item if isinstance(item, str) else _plain(item))


def _plain(item: Any) -> object:
    if item is None or isinstance(item, str | int | float):
        return item
    if isinstance(item, tuple | list):
        return [_plain(part) for part in item]
    if isinstance(item, frozenset | set):
        return sorted((_plain(part) for part in item), key=json.dumps)
    if isinstance(item, Mapping):
        return sorted(([_plain(key), _plain(value)] for key, value in item.items()), key=json.dumps)
    if is_dataclass(item) and not isinstance(item, type):
        return [_plain(getattr(item, field.name)) for field in fields(item)]
    what = f"expected references that are text, numbers, tuples or dataclasses, got {type(item).__name__}"
    raise OptionError(
        Problem(
            opt("metric"), what, "Scores of this metric cannot be cached. Pass the outputs instead.", "cannot-be-kept"
        )
    )


_KIND, _VERSION = "outscore/rows", 1

AnyMetric: TypeAlias = AnyOutputMetric[Any, Any]


@dataclass(frozen=True)
class Implementation:
    """The code that computed rows, besides the metric's name and options.

    Attributes
    ----------
    packages : mapping of str to str
        Versions of outscore, which reads outputs and computes most rows, of the `packages` of the metric, and of the
        package that registers it.
    """

    packages: Mapping[str, str]

    def __str__(self) -> str:
        return ", ".join(f"{name} {version}" for name, version in self.packages.items()) or "an unknown version"


def implementation_of(metric: AnyMetric) -> Implementation:
    """Return the installed implementation of this metric."""
    of_plugin = {} if type(metric).name in OUTPUT_METRICS else _registrant(type(metric).name)
    return Implementation({**versions_of(metric), **of_plugin, "outscore": __version__})


def _registrant(name: str) -> Mapping[str, str]:
    """Return the package that registers a metric of this name, with its version."""
    distributions = (plugin.entry_point.dist for plugin in plugins() if plugin.name == name)
    return {distribution.name: distribution.version for distribution in distributions if distribution is not None}


@dataclass(frozen=True, eq=False)
class KeptRows:
    """The rows of one system, and the data that decide what they can be compared with.

    Attributes
    ----------
    named : AnyOutputMetric
        The metric as the user named it.
    metric : AnyOutputMetric
        The same, fitted to the labels or types of the systems that were scored together; the metric of the rows.
    rows : Rows
        Named after the system that was scored.
    """

    named: AnyMetric
    metric: AnyMetric
    implementation: Implementation
    references: ReferenceDigest
    rows: Rows

    def digest(self) -> ReferenceDigest:
        """Return the digest of the references."""
        return self.references

    @property
    def fixed(self) -> Mapping[str, object]:
        """The options that were fitted to the data."""
        before, after = option_values(self.named), option_values(self.metric)
        return {name: value for name, value in after.items() if value != before[name]}

    @property
    def signature(self) -> str:
        """Properties that rows must share to be compared: metric, options, options fitted to the data, and versions.

        For example ``bleu:tokenize=zh|sacrebleu:2.6.0|outscore:0.1.0`` and
        ``macro-f1|labels:0f3c92d1|outscore:0.1.0``.
        """
        digests = (f"{name}:{_digest(value)}" for name, value in self.fixed.items())
        versions = (f"{name}:{version}" for name, version in self.implementation.packages.items())
        return "|".join((spec_of(self.named), *digests, *versions))


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:8]


def packed_rows(kept: KeptRows) -> bytes:
    """Return the bytes of a file of cached rows; raises the errors of `packed`."""
    return to_npz(packed(kept))


def packed(kept: KeptRows) -> Packed:
    """Return the content of a file of cached rows.

    Raise OptionError if the metric is not registered, or its rows are not finite numbers.
    """
    values, name = kept.rows.values, type(kept.named).name
    options = dict(option_values(kept.named))
    if values.dtype.kind not in "iuf" or values.ndim != 2 or not np.isfinite(values).all():
        raise _cannot_be_kept(name, "its rows are not finite numbers")
    try:
        if _rebuilt(name, json.loads(json.dumps(options))) != kept.named:
            raise _cannot_be_kept(name, "its options are not numbers or strings")
    except TypeError:
        raise _cannot_be_kept(name, "its options are not numbers or strings") from None
    header = {
        "kind": _KIND,
        "version": _VERSION,
        "outscore": __version__,
        "signature": kept.signature,
        "metric": name,
        "options": options,
        "fixed": dict(kept.fixed),
        "packages": dict(kept.implementation.packages),
        "statistics": list(kept.metric.statistics),
        "system": kept.rows.name,
        "references": {"in_order": kept.references.in_order, "by_id": kept.references.by_id},
    }
    return Packed(header, values, kept.rows.item_ids, kept.rows.lines)


def _cannot_be_kept(name: str, why: str) -> OptionError:
    return OptionError(
        Problem(
            opt("metric"),
            f"scores of {quoted(name)} cannot be cached: {why}",
            "Pass the outputs instead.",
            "cannot-be-kept",
        )
    )


def read_kept_rows(path: str) -> KeptRows:
    """Return the rows in a file, named after the file.

    Raise FileAccessError for an unreadable file. Raise DataError for a file that has no cached rows, is damaged, or was
    written by a newer version. Raise OptionError for a metric unknown to this version and the installed packages.
    """
    return kept_rows_of(unpacked(path), path)


def kept_rows_of(content: Packed, path: str) -> KeptRows:
    """Return the rows in the content of a file. Raises the errors of `read_kept_rows`."""
    header = content.header
    if header.get("kind") != _KIND or not isinstance(header.get("version"), int):
        raise not_kept_rows(path, "a file of another kind")
    if header["version"] > _VERSION:
        writer = quoted(str(header.get("outscore")))
        raise not_kept_rows(path, f"version {header['version']} of the format, written by outscore {writer}")
    try:
        return _checked(path, content)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, OutscoreError):
            raise
        raise not_kept_rows(path, f"a header that cannot be understood ({type(error).__name__})") from None


def _checked(path: str, content: Packed) -> KeptRows:
    header = content.header
    name, system, statistics = header["metric"], header["system"], header["statistics"]
    references = ReferenceDigest(header["references"]["in_order"], header["references"]["by_id"])
    packages = header["packages"]
    texts = [name, system, references.in_order, references.by_id or "", *packages, *packages.values(), *statistics]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError
    if not all(text.isprintable() for pair in packages.items() for text in pair):
        raise not_kept_rows(path, "invalid names or versions of packages")
    try:
        named = _rebuilt(name, header["options"])
        metric = replace(named, **_with_tuples(header["fixed"]))  # type: ignore[type-var]
    except (OutscoreError, TypeError) as error:
        reason = error.problems[0].what if isinstance(error, OutscoreError) else "its options are unknown"
        what = f"has scores of {quoted(name)}, written by outscore {quoted(str(header.get('outscore')))}: {reason}"
        advice = "Install the package of this metric, or score the outputs again."
        raise OptionError(Problem(printable(path), what, advice, "unknown-metric")) from None
    if list(metric.statistics) != statistics or content.values.shape[1] != len(statistics):
        raise not_kept_rows(path, f"columns that are not those of {quoted(name)}")
    if isinstance(metric, Metric):
        fault = next(metric.faults_of_rows(content.values), None)
        if fault is not None:
            raise not_kept_rows(path, f"an impossible row, number {fault.index + 1}: {fault.what}")
        try:
            metric.score_of_set(content.values)
        except OptionError as error:
            raise not_kept_rows(path, f"rows without a score: {error.problems[0].what}") from None
    rows = Rows(printable(path), content.values, content.item_ids, content.lines, printable(system))
    return KeptRows(named, metric, Implementation(packages), references, rows)


def _rebuilt(name: str, options: Mapping[str, Any]) -> AnyMetric:
    return type(output_metric_named(name))(**_with_tuples(options))


def _with_tuples(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as before JSON, with tuples instead of lists."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}


def refitted(kept: KeptRows, metric: AnyMetric) -> Rows | None:
    """Return cached rows as rows of the same metric fitted to other systems, or None if that is impossible.

    Raise DataError if rows would lose digits.
    """
    try:
        values = kept.metric.refitted(kept.rows.values, metric)
    except DataError as error:
        raise DataError(*(replace(problem, where=kept.rows.name) for problem in error.problems)) from None
    return None if values is None else replace(kept.rows, values=values)


def refuse_mixture(first: KeptRows, other: KeptRows) -> None:
    """Raise if two systems' rows cannot be compared.

    Raise OptionError if the metric, its options, the references, the items, the fitted labels, or the versions of
    packages differ.
    """
    mine, theirs = first.rows.name, other.rows.name
    again = "Score all systems with one call of outscore rows."
    if first.named != other.named:
        what = f"expected scores of {spec_of(first.named)}, as in {mine}, got {spec_of(other.named)}"
        raise OptionError(Problem(theirs, what, "Pass scores of one metric.", "other-metric"))
    if not first.references.matches(other.references):
        what = f"was scored against references other than those of {mine}"
        raise OptionError(Problem(theirs, what, "Score both against the same references.", "other-references"))
    ids = first.rows.item_ids, other.rows.item_ids
    if len(first.rows) != len(other.rows) or (ids[0] is not None and ids[1] is not None and {*ids[0]} != {*ids[1]}):
        raise OptionError(Problem(theirs, f"has items other than those of {mine}", again, "other-items"))
    if refitted(other, first.metric) is None:
        names = " and ".join(dict.fromkeys([*first.fixed, *other.fixed]))
        what = f"has scores of {spec_of(first.named)} for {names} other than those of {mine}"
        raise OptionError(Problem(theirs, what, again, "other-labels"))
    if first.implementation != other.implementation:
        what = f"was computed by {other.implementation}, {mine} by {first.implementation}"
        raise OptionError(Problem(theirs, what, again, "other-version"))
