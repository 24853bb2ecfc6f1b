"""What a log of an evaluation harness holds, what a format of logs is, and how their files are read."""

from __future__ import annotations

import codecs
import json
import math
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.errors import DataError, FileAccessError, OutscoreError, Problem
from outscore.readers.files import (
    BYTE_ORDER_MARK,
    UTF_16,
    most_bytes,
    read_bytes,
    refuse_unreadable,
    refuse_written,
    too_large,
)
from outscore.readers.kept.packing import unpacked_name, unpacking
from outscore.text.naming import printable

_HEAD = 2**16
_LONGEST_LINE = 2**28
_AT_ONCE = 2**22
# All that is no bare token, strings as a whole, and then one.
_BARE = re.compile(
    rb'(?:[^"NI-]++|"(?:[^"\\]++|\\.)*+"|-(?!Infinity\b)|N(?!aN\b)|I(?!nfinity\b))*+(-?(?:NaN|Infinity))', re.DOTALL
)
# Each escape in JSON as a whole, pairs of surrogates, too; a lone surrogate is the group.
_HIGH, _LOW = rb"u[dD][89abAB][0-9a-fA-F]{2}", rb"u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rb"\\(?:%b\\%b|(%b|%b)|.)" % (_HIGH, _LOW, _HIGH, _LOW), re.DOTALL)
_AT_BYTE = re.compile(r"(.*) \(byte (\d+)\)")
_CUT = "Input data was truncated"
_LFS = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n.*?size (\d+)", re.DOTALL)


@dataclass(frozen=True)
class Aggregate:
    """A number that the harness itself computed of a metric, and that ours must equal.

    Attributes
    ----------
    statistic : str
        "mean": over items, of the mean over their runs; "mean-of-records": over all scores alike; "stderr": that of
        "mean", from the standard deviation of items with n − 1; "clustered-stderr" (Σ_c (Σ dev)²·C/(C − 1))^½/n;
        "pass@K", "pass^K", "best@K", "maj@K": the mean over items of that reducer.
    value : float
        As the harness wrote it.
    n : int, optional
        Over how many items it was computed, where the log says so: in a log that was cut, not those it still holds.
    cluster : str, optional
        Of a clustered standard error, the label of the clusters.
    scale : float
        How many of its units are one of the scores': 100 where it is per cent and they are shares.
    """

    statistic: str
    value: float
    n: int | None = None
    cluster: str | None = None
    scale: float = 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class LogMetric:
    """The scores of one metric in a log, one a record.

    Attributes
    ----------
    name : str
        As `-m` takes it: "exact_match,strict-match", "multi/ok".
    title : str
        As sentences and charts call it: "exact_match (strict-match)". The name by default.
    aliases : sequence of str
        What else `-m` takes for it: "acc,none".
    scores : ndarray, shape (n_records,)
        NaN where a record has none: an error, an answer that was not scored. A score is never made up.
    higher_is_better : bool
    lowest, highest : float, optional
        The range of a score, where the format fixes it.
    is_main : bool
        Whether it is the one that the harness would report, of several.
    is_by_convention : bool
        Whether it is the main one only by convention, so that a note names the others.
    aggregates : sequence of Aggregate
    aggregation : str, optional
        What the harness makes of the scores, where that is not their mean: "median".
    explanation : str, optional
        Why aggregates are not those of the scores, where the format tells.
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

    @property
    def shown(self) -> str:
        """What sentences call it."""
        return self.title or self.name


@dataclass(frozen=True, eq=False, kw_only=True)
class Log:
    """What one log says of one system on one task: records of an item, and of a run where items have several.

    Attributes
    ----------
    path : str
        The file that holds the scores, for messages and to read texts from.
    system, task : str
    item_ids : sequence of str
        One a record. An item that stands twice with the same run is a duplicate: readers leave it in.
    metrics : sequence of LogMetric
    runs : sequence of str, optional
        One a record: its epoch, trial or sample.
    runs_are : RunDesign, optional
        What runs are, where the format says so: epochs of Inspect are samples.
    n_errors : int
        Records that ended in an error and have no scores.
    labels : mapping from str to sequence of str
        What items may hang together by, one label a record: "repo", "metadata.cluster".
    cluster : str, optional
        The label by which items surely hang together, as the two turns of a question do.
    digests : mapping from str to sequence of str
        What tells whether two logs mean the same by an id, one a record: "document" (another one is refused),
        "prompt", "target". Of whatever length, as long as the same text has the same.
    facts : mapping from str to str
        What else should be the same in logs that are compared: "task version", "few-shot examples", "limit", "judge".
    apart : sequence of str
        The facts that two systems of one name differ in, as its agent or an argument of the task; other facts may
        differ between runs of one system.
    named_by_path : bool
        Whether the system is called by the log's folder or file, as no log of the format names it.
    groups : mapping from str to str
        Groups of tasks whose score the harness reports, and how tasks weigh in it: "size" or "macro".
    notes : sequence of str
        What a reader must know: the run is unfinished, the log was cut.
    n_unlisted : int
        Items of the test set that the log counts without naming them; each scores 0 by every metric.
    is_secondary : bool
        Whether the harness reports it beside the task that it is a part of, as another split: read if it is named.
    needs_total : bool
        Whether the log names only items that score, and does not say how many others there are.
    label_of : callable, optional
        From the id of an item that the log does not list to its labels, where ids tell them.
    fault : Problem, optional
        Why the log has no scores: the error where no other log has any, else a note.
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
        """The different ids in the order of their first record, and the place of each record's among them."""
        return coded(self.item_ids)

    @property
    def file(self) -> LogFile:
        """The file that holds the scores."""
        return LogFile(Path(self.path))


class LogFile:
    """A file among those that a user named, or that stand in a folder.

    Attributes
    ----------
    path : Path
    root : Path
        The folder, or the file, that the user named.
    """

    def __init__(self, path: Path, root: Path | None = None) -> None:
        self.path = path
        self.root = path if root is None else root

    @property
    def name(self) -> str:
        """The name of the file, without ``.gz`` and other suffixes of compression."""
        return unpacked_name(self.path.name)

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB, decompressed and as UTF-8; nothing of a damaged file.

        Raises
        ------
        FileAccessError, DataError
            A file that may not be read; a pointer of Git LFS, in place of the file that it stands for.
        """
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
        """Return the first bytes, or all, as UTF-8 without a mark of their order; a pointer to a file is refused."""
        if data.startswith(UTF_16):
            return codecs.getincrementaldecoder("utf-16")("replace").decode(data, is_whole).encode()
        pointer = _LFS.match(data)
        if pointer is not None:
            what = f"expected a log, got a Git LFS pointer to a file of {int(pointer[1]):,} bytes"
            raise DataError(Problem(self.where, what, "Run git lfs pull to get the file.", "lfs-pointer"))
        return data.removeprefix(BYTE_ORDER_MARK)

    def forget(self) -> None:
        """Let go of the first bytes: a folder may hold a hundred thousand files."""
        self.__dict__.pop("head", None)

    @property
    def where(self) -> str:
        """What messages call the file."""
        return printable(str(self.path))

    @property
    def data(self) -> bytes:
        """All of it, decompressed, as `read_bytes` has it; not kept."""
        return self._content(read_bytes(str(self.path)))

    def json(self, of: Any = Any, *, bare_as_null: bool = False) -> Any:
        """Return the one value of JSON that it holds, as `json_in` does."""
        return json_in(self.data, self.where, of, bare_as_null=bare_as_null)

    def parts(self) -> Iterator[bytes]:
        """Yield the content, decompressed, some MiB at once.

        Raises
        ------
        FileAccessError, DataError
            A file that cannot be read; more in all than `most_bytes` of a compressed one.
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
            what = f"expected a file that can be read, got: {printable(str(error))}"
            raise FileAccessError(
                Problem(self.where, what, "Check the path and its permissions.", "cannot-read")
            ) from None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are not blank with their numbers, from 1 on; only some MiB stand in memory at once.

        Raises
        ------
        FileAccessError, DataError
            As of `parts`; a line of more than 256 MiB.
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
                what = f"expected lines of at most {_LONGEST_LINE >> 20} MiB, got more"
                raise DataError(Problem(f"{self.where}:{number + 1}", what, "", "too-large"))
            for line in whole:
                number += 1
                if line and not line.isspace():
                    yield number, line
        if rest and not rest.isspace():
            yield number + 1, rest


class LogFormat(ABC):
    """A way in which a harness writes logs.

    Attributes
    ----------
    name : str
        As people call the harness: "Inspect".
    suffixes : tuple of str
        Endings of the names of files that can be of this format, in lower case, without ``.gz``.
    """

    name: str
    suffixes: tuple[str, ...] = (".json", ".jsonl")

    @abstractmethod
    def recognizes(self, file: LogFile) -> bool:
        """Tell from a file's name and first bytes whether it belongs to a log of this format.

        No other format may recognize it, nor anything that outscore reads already: tables, boards, outputs.
        """

    @abstractmethod
    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        """Yield the logs in all files that were recognized, in the order of their names.

        Files that belong together (results and samples, the files of a run's folder) are sorted out here; what stands
        beside a file that was named alone may be read, too. Texts are not kept.

        Raises
        ------
        FileAccessError, DataError
            Files that cannot be read or understood.
        """

    def asked_for(self, files: Sequence[LogFile], tasks: Sequence[str], metrics: Sequence[str]) -> Sequence[LogFile]:
        """Return the files of some tasks and metrics, as users name them: all, unless their names tell.

        An empty list asks for all tasks or metrics. What no file is of has no effect.
        """
        del tasks, metrics
        return files

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        """Return the texts of some items of a log that `read` gave, of their first run; read anew."""
        del log, items
        return {}


def metrics_called(text: str, names: Sequence[str]) -> list[str]:
    """Return the metrics that users call so: by the whole name, or by a part of it before or after a comma or slash.

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
    """Return a log of which there is only to say why it has no scores."""
    return Log(path=str(path), system="", task="", item_ids=(), metrics=(), notes=(fault.what,), fault=fault)


def called(log: Log, name: str) -> LogMetric:
    """Return the metric of a log that goes by a name."""
    return next(metric for metric in log.metrics if name == metric.name or name in metric.aliases)


def coded(labels: Sequence[str]) -> tuple[list[str], IntArray]:
    """Return different labels in the order in which they first stand, and the place of each among them."""
    places: dict[str, int] = {}
    codes = [places.setdefault(label, len(places)) for label in labels]
    return list(places), np.array(codes, dtype=np.int64)


def wrong_log(where: str, what: str, advice: str = "", slug: str = "wrong-log") -> DataError:
    """Return the error of a log that cannot be understood."""
    return DataError(Problem(where, what, advice or "Leave the file out, or write the log again.", slug))


def json_in(data: bytes, where: str, of: Any = Any, *, bare_as_null: bool = False) -> Any:
    """Return the value in JSON; the bare tokens NaN, Infinity and -Infinity are read, as Python writes them.

    Half a character, as programs write it that cut texts between two UTF-16 units, becomes U+FFFD.

    Parameters
    ----------
    data : bytes
    where : str
        For messages: a file, or ``file:line``.
    of : type
        As msgspec takes it: keys that a Struct does not name are skipped without being built.
    bare_as_null : bool
        Whether bare tokens are null, so that no more has to be built because of one; but infinities are gone. Parts
        that are left as they stand (msgspec.Raw) need it.

    Raises
    ------
    DataError
        What is no JSON, or JSON of another form.
    """
    try:
        return msgspec.json.decode(data, type=of)
    except msgspec.ValidationError as error:
        raise wrong_log(where, f"expected a log of another form: {printable(str(error))}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        first = error
    whole = _ESCAPE.sub(_whole_character, data) if rb"\ud" in data or rb"\uD" in data else data
    if whole != data:
        return json_in(whole, where, of, bare_as_null=bare_as_null)
    try:
        if b"NaN" not in data and b"Infinity" not in data:
            raise first
        if bare_as_null:
            return msgspec.json.decode(_without_bare(data), type=of)
        return msgspec.convert(json.loads(data), type=of)
    except msgspec.ValidationError as error:
        raise wrong_log(where, f"expected a log of another form: {printable(str(error))}") from None
    except (ValueError, RecursionError) as error:
        raise _not_json(error, data, where) from None


def _not_json(error: Exception, data: bytes, where: str) -> DataError:
    """Return the error of malformed JSON, with its place."""
    if isinstance(error, json.JSONDecodeError):
        # The place is in characters.
        reason, place = error.msg, len(error.doc[: error.pos].encode(errors="surrogatepass"))
    else:
        match = _AT_BYTE.fullmatch(printable(str(error)))
        reason = printable(str(error)) if match is None else match[1]
        place = -1 if match is None else int(match[2])
    reason = reason.removeprefix("JSON is malformed: ")
    if not data.strip() or reason == _CUT or place >= len(data.rstrip()):
        cut = "an empty text" if not data.strip() else "JSON that is cut off at its end"
        return wrong_log(where, f"expected JSON, got {cut}", "Check that the log is whole.", "not-json")
    line, column = data.count(b"\n", 0, place) + 1, place - data.rfind(b"\n", 0, place)
    at = "" if place < 0 else f" at line {line}, column {column}" if b"\n" in data else f" at byte {place}"
    what = f"expected JSON, got malformed JSON{at}: {reason}"
    return wrong_log(where, what, "Correct the file there, or write the log again.", "not-json")


def _without_bare(data: bytes) -> bytes:
    """Return JSON in which NaN, Infinity and -Infinity are null.

    Examples
    --------
    >>> _without_bare(b'{"a": [NaN, "NaN", -Infinity, -1]}')
    b'{"a": [null, "NaN", null, -1]}'
    """
    parts, place = [], 0
    while match := _BARE.match(data, place):
        parts += [data[place : match.start(1)], b"null"]
        place = match.end(1)
    return b"".join([*parts, data[place:]]) if parts else data


def _whole_character(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if escape[1] else escape[0]


def as_score(value: object) -> float:
    """Return the number that a score is, NaN where it is none: truth is 1, and null is no score.

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
    """Return text or a number as a name on one line, "3" of 3; otherwise what was given for it."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return otherwise
    return printable(str(value)) or otherwise
