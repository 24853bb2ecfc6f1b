"""The content of a log of an evaluation harness, the interface of log formats, and reading of files."""

from __future__ import annotations

import codecs
import json
import math
import os
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

import msgspec
import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.errors import DataError, FileAccessError, OutscoreError, Problem
from outscore.options import opt
from outscore.readers.files import (
    BYTE_ORDER_MARK,
    UTF_16,
    is_folder,
    most_bytes,
    read_bytes,
    refuse_unreadable,
    refuse_written,
    too_large,
)
from outscore.readers.kept.packing import unpacked_name, unpacking
from outscore.text.naming import printable
from outscore.text.numbers import format_counted

_HEAD = 2**16
_LONGEST_LINE = 2**28
_AT_ONCE = 2**22
# Everything before a bare token, with whole strings, and then the token.
_BARE = re.compile(
    rb'(?:[^"NI-]++|"(?:[^"\\]++|\\.)*+"|-(?!Infinity\b)|N(?!aN\b)|I(?!nfinity\b))*+(-?(?:NaN|Infinity))', re.DOTALL
)
# Each escape in JSON as a whole, including surrogate pairs; a lone surrogate is the group.
_HIGH, _LOW = rb"u[dD][89abAB][0-9a-fA-F]{2}", rb"u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rb"\\(?:%b\\%b|(%b|%b)|.)" % (_HIGH, _LOW, _HIGH, _LOW), re.DOTALL)
_AT_BYTE = re.compile(r"(.*) \(byte (\d+)\)")
_CUT = "Input data was truncated"
_LFS = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n.*?size (\d+)", re.DOTALL)


@dataclass(frozen=True)
class Aggregate:
    """A number that the harness itself computed, which ours should equal.

    Attributes
    ----------
    statistic : str
        "mean": mean over items of the mean over their runs; "mean-of-records": mean over all scores; "stderr":
        standard error of "mean", from the standard deviation of items with n − 1; "clustered-stderr" (Σ_c (Σ
        dev)²·C/(C − 1))^½/n; "pass@K", "pass^K", "best@K", "maj@K": the mean over items of that reducer.
    value : float
        The value as written by the harness.
    n : int, optional
        The number of items in the computation, if the log states it; a truncated log has fewer.
    cluster : str, optional
        For a clustered standard error, the label of the clusters.
    scale : float
        Factor from the unit of the scores to that of the value: 100 if it is a percentage and they are proportions.
    """

    statistic: str
    value: float
    n: int | None = None
    cluster: str | None = None
    scale: float = 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class LogMetric:
    """The scores of one metric in a log, one per record.

    Attributes
    ----------
    name : str
        The name for `-m`: "exact_match,strict-match", "multi/ok".
    title : str
        The name in sentences and charts: "exact_match (strict-match)". Default: the name.
    aliases : sequence of str
        Other names for `-m`: "acc,none".
    scores : ndarray, shape (n_records,)
        NaN if a record has no score, because of an error or an unscored answer.
    lowest, highest : float, optional
        The range of a score, if the format fixes it.
    is_main : bool
        Whether the harness would report this metric.
    is_by_convention : bool
        Whether it is the main one only by convention; a note then lists the others.
    aggregation : str, optional
        The harness's aggregation, if it is not the mean: "median".
    explanation : str, optional
        Why aggregates differ from those of the scores, if the format says why.
    clusters : sequence of str
        The labels by which the harness clusters the standard error. `Log.labels` may lack them.
    """

    name: str
    scores: FloatArray
    title: str = ""
    aliases: Sequence[str] = ()
    higher_is_better: bool = True
    lowest: float | None = None
    highest: float | None = None
    is_main: bool = False
    is_by_convention: bool = False
    aggregates: Sequence[Aggregate] = ()
    aggregation: str | None = None
    explanation: str | None = None
    clusters: Sequence[str] = ()

    @property
    def shown(self) -> str:
        """The name in sentences."""
        return self.title or self.name


@dataclass(frozen=True, eq=False, kw_only=True)
class Log:
    """The log of one system on one task: one record per item, or per item and run.

    Attributes
    ----------
    path : str
        The file with the scores, for messages and for reading texts.
    system, task : str
        Names, for results and for pairing logs.
    item_ids : sequence of str
        One per record. Readers keep repeated records of an item and run.
    runs : sequence of str, optional
        One per record: its epoch, trial or sample.
    runs_are : RunDesign, optional
        The kind of runs, if the format fixes it: epochs of Inspect are samples.
    n_errors : int
        Records that ended in an error and have no scores.
    labels : mapping from str to sequence of str
        Labels by which items may be correlated, one per record: "repo", "metadata.cluster".
    cluster : str, optional
        The label by which items are certainly correlated, as the two turns of a question are.
    digests : mapping from str to sequence of str
        Digests that show whether an id means the same in two logs, one per record: "document" (must be equal),
        "prompt", "target". Any length; equal texts must have equal digests.
    facts : mapping from str to str
        Other settings that should agree between compared logs: "task version", "few-shot examples", "limit", "judge".
    apart : sequence of str
        The facts that distinguish systems of one name, such as the agent or an argument of the task. Other facts
        may differ between runs of a system.
    named_by_path : bool
        Whether the system is named after the folder or file, as the format has no name for it.
    groups : mapping from str to str
        Groups of tasks whose score the harness reports, with the weights of tasks: "size" or "macro".
    notes : sequence of str
        Notes for readers: the run is unfinished, the log is truncated.
    n_unlisted : int
        Number of items that the log counts without listing them; each scores 0 on every metric.
    is_secondary : bool
        Whether it is a secondary part of a task, such as another split, which is read only on request.
    needs_total : bool
        Whether the log lists only items that score, without the number of others.
    label_of : callable, optional
        Function from the id of an unlisted item to its labels, if ids determine them.
    fault : Problem, optional
        Why the log has no scores: an error if no other log has any, else a note.
    """

    path: str
    system: str
    task: str
    item_ids: Sequence[str]
    metrics: Sequence[LogMetric]
    runs: Sequence[str] | None = None
    runs_are: RunDesign | None = None
    n_errors: int = 0
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cluster: str | None = None
    digests: Mapping[str, Sequence[str]] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    apart: Sequence[str] = ()
    named_by_path: bool = False
    groups: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    n_unlisted: int = 0
    is_secondary: bool = False
    needs_total: bool = False
    label_of: Callable[[str], Mapping[str, str]] | None = None
    fault: Problem | None = None

    def __len__(self) -> int:
        return len(self.item_ids)

    @cached_property
    def items(self) -> tuple[list[str], IntArray]:
        """The distinct ids in the order of their first record, and the index of each record's id among them."""
        return coded(self.item_ids)

    @property
    def file(self) -> LogFile:
        """The file that holds the scores. Its links were accepted when the log was read."""
        return LogFile(Path(self.path), Path(self.path))


_CLOSED: ContextVar[str] = ContextVar("closed", default="")  # the folder that links may not lead out of, if any


@contextmanager
def links_of(path: str, *, follow_links: bool) -> Iterator[None]:
    """Let links in a folder, or in the folder of a file, lead out of it only if they are followed."""
    real = os.path.abspath(path)  # noqa: PTH100 - keeps links
    folder = real if is_folder(real) else os.path.dirname(real)  # noqa: PTH120
    token = _CLOSED.set("" if follow_links else folder)
    try:
        yield
    finally:
        _CLOSED.reset(token)


def leads_out(path: str | Path) -> bool:
    """Return whether a path leads out of the folder that was named, through links that may not be followed."""
    real, folder = os.path.abspath(path), _CLOSED.get()  # noqa: PTH100 - keeps links
    if not folder or not PurePath(real).is_relative_to(folder):
        return False
    return not PurePath(os.path.realpath(real)).is_relative_to(os.path.realpath(folder))


def link_problem(links: Sequence[str | Path]) -> Problem:
    """Return the problem of links that are not followed, as they lead out of the folder of logs."""
    others = format_counted(len(links) - 1, "other link")
    links_lead = "this link leads" if len(links) == 1 else f"this and {others} lead"
    follow = opt("follow_links", True)
    what = f"{links_lead} out of the folder and {'is' if len(links) == 1 else 'are'} not followed without {follow}"
    return Problem(printable(str(links[0])), what, "", "link")


class LogFile:
    """A file that a user named, or that is in the folder `root` that the user named.

    Raises FileAccessError if the file is beside another one, and links lead to it that may not be followed.
    """

    def __init__(self, path: Path, root: Path | None = None) -> None:
        if root is None and leads_out(path):
            raise FileAccessError(link_problem([path]))
        self.path = path
        self.root = path if root is None else root

    @property
    def name(self) -> str:
        """The name of the file, without ``.gz`` and other suffixes of compression."""
        return unpacked_name(self.path.name)

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB, decompressed and as UTF-8; empty for a damaged file. A Git LFS pointer is refused."""
        try:
            with self.path.open("rb") as file:
                head = unpacking(file).read(_HEAD)
        except PermissionError:
            refuse_unreadable(str(self.path))
            return b""
        except (OSError, EOFError, zlib.error, ValueError):
            return b""
        return self._content(head, is_whole=False)

    def _content(self, data: bytes, *, is_whole: bool = True) -> bytes:
        """Return the first bytes, or all, as UTF-8 without a byte order mark; a Git LFS pointer is refused."""
        if data.startswith(UTF_16):
            return codecs.getincrementaldecoder("utf-16")("replace").decode(data, is_whole).encode()
        pointer = _LFS.match(data)
        if pointer is not None:
            what = f"expected a log, got a Git LFS pointer to a file of {int(pointer[1]):,} bytes"
            raise DataError(Problem(self.where, what, "Run git lfs pull to get the file.", "lfs-pointer"))
        return data.removeprefix(BYTE_ORDER_MARK)

    def forget(self) -> None:
        """Release the first bytes: a folder may hold a hundred thousand files."""
        self.__dict__.pop("head", None)

    @property
    def where(self) -> str:
        """The name of the file in messages."""
        return printable(str(self.path))

    @property
    def data(self) -> bytes:
        """The whole content, decompressed as by `read_bytes`; not cached."""
        return self._content(read_bytes(str(self.path)))

    def json(self, type_: Any = Any, *, bare_as_null: bool = False) -> Any:
        """Return the single value of JSON in the file, as `json_in` does."""
        return json_in(self.data, self.where, type_, bare_as_null=bare_as_null)

    def parts(self) -> Iterator[bytes]:
        """Yield the decompressed content, some MiB at a time.

        A file that cannot be read raises a FileAccessError, and one above `most_bytes` a DataError.
        """
        refuse_written(str(self.path))
        limit = most_bytes()
        try:
            with self.path.open("rb") as raw:
                stream, done, decoder = unpacking(raw), 0, None
                while part := stream.read(_AT_ONCE):
                    if done == 0 and part.startswith(UTF_16):
                        decoder = codecs.getincrementaldecoder("utf-16")("replace")
                    content = self._content(part) if done == 0 and decoder is None else part
                    done += len(part)
                    if stream is not raw and done > limit:
                        raise too_large(str(self.path), limit)
                    yield content if decoder is None else decoder.decode(part).encode()
        except OutscoreError:
            raise
        except (OSError, EOFError, zlib.error, ValueError) as error:
            what = f"cannot be read: {printable(str(error))}"
            raise FileAccessError(
                Problem(self.where, what, "Check the path and its permissions.", "cannot-read")
            ) from None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the non-blank lines with their numbers, from 1, with only some MiB in memory.

        It raises as `parts` does, and a DataError for a line above 256 MiB.
        """
        number, rest = 0, b""
        for part in self.parts():
            *whole, last = part.split(b"\n")
            if whole:
                whole[0] = rest + whole[0]
                rest = last
            else:
                rest += last
            if len(rest) > _LONGEST_LINE:
                what = f"expected lines of at most {_LONGEST_LINE >> 20} MiB"
                raise DataError(Problem(f"{self.where}:{number + 1}", what, "", "too-large"))
            for line in whole:
                number += 1
                if line and not line.isspace():
                    yield number, line
        if rest and not rest.isspace():
            yield number + 1, rest


class LogFormat(ABC):
    """A format of logs.

    Attributes
    ----------
    name : str
        The name of the harness: "Inspect".
    suffixes : tuple of str
        Suffixes of files that may have this format, in lower case, without ``.gz``.
    """

    name: str
    suffixes: tuple[str, ...] = (".json", ".jsonl")

    @abstractmethod
    def recognizes(self, file: LogFile) -> bool:
        """Return whether a file has this format, from its name and first bytes.

        It must not recognize files of other formats, nor tables, leaderboard files and outputs.
        """

    @abstractmethod
    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        """Yield the logs in all recognized files, sorted by name.

        Files that belong together (results and samples, the files of a run's folder) are combined here. Files next
        to a single named file may also be read. Texts are not kept.

        Raises
        ------
        FileAccessError, DataError
            A file cannot be read or understood.
        """

    def asked_for(self, files: Sequence[LogFile], tasks: Sequence[str], metrics: Sequence[str]) -> Sequence[LogFile]:
        """Return the files of some tasks and metrics; all files, unless names allow a choice.

        An empty list means all tasks or metrics. Unknown names have no effect.
        """
        del tasks, metrics
        return files

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        """Return the texts of some items of a log that `read` returned, of their first run; read again."""
        del log, items
        return {}


def metrics_called(text: str, names: Sequence[str]) -> list[str]:
    """Return the metrics of this name: the whole name, or its part before or after a comma or slash.

    Examples
    --------
    >>> metrics_called("acc", ["acc", "acc_norm"]), metrics_called("strict-match", ["exact_match,strict-match"])
    (['acc'], ['exact_match,strict-match'])
    """
    wanted = text.strip().lower()
    if text in names:
        return [text]
    for parts in ((0,), (1, 2)):
        matches = [
            name
            for name in names
            if any(
                [name.lower(), *re.split("[,/]", name.lower(), maxsplit=1)][part : part + 1] == [wanted]
                for part in parts
            )
        ]
        if matches:
            return matches
    return []


def without_scores(fault: Problem, path: Path) -> Log:
    """Return a log that has no scores, but the reason why."""
    return Log(path=str(path), system="", task="", item_ids=(), metrics=(), notes=(fault.what,), fault=fault)


def called(log: Log, name: str) -> LogMetric:
    """Return the metric of a log by its name."""
    return next(metric for metric in log.metrics if name == metric.name or name in metric.aliases)


def coded(labels: Sequence[str]) -> tuple[list[str], IntArray]:
    """Return the distinct labels in the order of their first occurrence, and the index of each label among them."""
    code_of: dict[str, int] = {}
    codes = [code_of.setdefault(label, len(code_of)) for label in labels]
    return list(code_of), np.array(codes, dtype=np.int64)


def wrong_log(where: str, what: str, advice: str = "", slug: str = "wrong-log") -> DataError:
    """Return the error of a log that cannot be understood."""
    return DataError(Problem(where, what, advice or "Leave the file out, or write the log again.", slug))


def json_in(data: bytes, where: str, type_: Any = Any, *, bare_as_null: bool = False) -> Any:
    """Return the value in JSON; the bare tokens NaN, Infinity and -Infinity are accepted, as Python writes them.

    Lone surrogates, from programs that cut texts between UTF-16 units, become U+FFFD. Keys that the type, a msgspec
    Struct, does not name are skipped. `where`, for messages, is a file or ``file:line``. With `bare_as_null`, bare
    tokens become null, which is faster, but loses infinities. Raw parts (msgspec.Raw) need it. Other input is a
    DataError.
    """
    try:
        return msgspec.json.decode(data, type=type_)
    except msgspec.ValidationError as error:
        raise wrong_log(where, f"not a log of this format: {printable(str(error))}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        first = error
    whole = _ESCAPE.sub(_whole_character, data) if rb"\ud" in data or rb"\uD" in data else data
    if whole != data:
        return json_in(whole, where, type_, bare_as_null=bare_as_null)
    try:
        if b"NaN" not in data and b"Infinity" not in data:
            raise first
        if bare_as_null:
            return msgspec.json.decode(_without_bare(data), type=type_)
        return msgspec.convert(json.loads(data), type=type_)
    except msgspec.ValidationError as error:
        raise wrong_log(where, f"not a log of this format: {printable(str(error))}") from None
    except (ValueError, RecursionError) as error:
        raise _not_json(error, data, where) from None


def _not_json(error: Exception, data: bytes, where: str) -> DataError:
    """Return the error of malformed JSON, with its place."""
    if isinstance(error, json.JSONDecodeError):
        # The place is in characters.
        reason, offset = error.msg, len(error.doc[: error.pos].encode(errors="surrogatepass"))
    else:
        match = _AT_BYTE.fullmatch(printable(str(error)))
        reason = printable(str(error)) if match is None else match[1]
        offset = -1 if match is None else int(match[2])
    reason = reason.removeprefix("JSON is malformed: ")
    if not data.strip() or reason == _CUT or offset >= len(data.rstrip()):
        cut = "an empty text" if not data.strip() else "JSON with its end missing"
        return wrong_log(where, f"expected JSON, got {cut}", "Check that the log is complete.", "not-json")
    line, column = data.count(b"\n", 0, offset) + 1, offset - data.rfind(b"\n", 0, offset)
    at = "" if offset < 0 else f" at line {line}, column {column}" if b"\n" in data else f" at byte {offset}"
    what = f"expected JSON, got malformed JSON{at}: {reason}"
    return wrong_log(where, what, "Correct the file there, or write the log again.", "not-json")


def _without_bare(data: bytes) -> bytes:
    """Return JSON in which NaN, Infinity and -Infinity are null.

    Examples
    --------
    >>> _without_bare(b'{"a": [NaN, "NaN", -Infinity, -1]}')
    b'{"a": [null, "NaN", null, -1]}'
    """
    parts, start = [], 0
    while match := _BARE.match(data, start):
        parts += [data[start : match.start(1)], b"null"]
        start = match.end(1)
    return b"".join([*parts, data[start:]]) if parts else data


def _whole_character(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if escape[1] else escape[0]


def as_score(value: object) -> float:
    """Return a score as a number, NaN if it is not one: true is 1, and null is NaN.

    Examples
    --------
    >>> as_score(True), as_score(0.25), as_score(None), as_score("0.5")
    (1.0, 0.25, nan, 0.5)
    """
    if isinstance(value, bool | int | float):
        try:
            return float(value)
        except OverflowError:
            return math.nan
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return math.nan
    return math.nan


def name_in(value: object, otherwise: str = "") -> str:
    """Return text or a number as a name on one line, "3" for 3; other values are returned unchanged."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return otherwise
    return printable(str(value)) or otherwise
