"""Training sets as bytes, decoded only if needed: boundaries of items, and draws of items."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import numpy as np
import numpy.typing as npt

from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.readers.files import BYTE_ORDER_MARK, STANDARD_INPUT, read_bytes
from outscore.text.naming import printable
from outscore.text.numbers import format_count
from outscore.wings.replication.results import Unit

Indices = npt.NDArray[np.int64]
_CONLLU_SUFFIXES = (".conllu", ".conllup")
_JSONL_SUFFIXES = (".jsonl", ".ndjson", ".jsonlines")
_TABLE_SUFFIXES = (".csv", ".tsv")
_CONLLU_TABS = 9
_BLOCKS = (Unit.BLOCKS, Unit.CONLLU)
_KEY = 0x7265706C  # separates these random streams from those of the sampling schemes
_WORD = 32


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """A file with the positions of its items."""

    source: str  # name of the file, as the user passed it
    suffix: str  # suffix of the file name, without ``.gz``; drawn sets have the same
    unit: Unit
    header: int  # number of header lines, copied to every drawn set
    digest: str  # SHA-256 of the content, decompressed
    data: bytes
    preamble: bytes  # A byte order mark, and the header
    separator: bytes  # text between items: none for lines, which include their line end, an empty line for blocks
    # Both of shape (n,): item i is ``data[starts[i]:ends[i]]``.
    starts: Indices
    ends: Indices

    def __len__(self) -> int:
        return len(self.starts)

    def write(self, indices: Indices, path: Path) -> None:
        """Write the items `drawn`, in that order, to `path`; repeated items are repeated."""
        view = memoryview(self.data)
        with path.open("wb") as file:
            file.write(self.preamble)
            for start, end in zip(self.starts[indices].tolist(), self.ends[indices].tolist(), strict=True):
                file.write(view[start:end])
                file.write(self.separator)


def read_training_set(path: str, unit: Unit | None = None, header: int | None = None) -> TrainingSet:
    r"""Return the items of the file `path`.

    Lines end at ``\n``, and keep a preceding ``\r``. A last line without a line end gets that of the first line.
    One or more blank lines separate blocks; a blank line may contain white space.

    The default unit follows from the name (``.conllu``, ``.jsonl``), else it is lines. A file with some blank lines
    could consist of blocks, and needs a unit. A ``.csv`` or ``.tsv`` file needs the number of header lines.
    """
    where = printable(path)
    data = read_bytes(path)
    suffix = PurePath(path.removesuffix(".gz")).suffix.lower() if path != STANDARD_INPUT else ""
    digest = hashlib.sha256(data).hexdigest()
    nul = data.find(b"\0")
    if nul >= 0:
        what = f"expected text, got binary data or UTF-16 (a NUL byte at offset {nul})"
        raise DataError(Problem(where, what, "Pass the training set as text, such as JSON Lines.", "not-text"))
    first_end = data.find(b"\n")
    newline = b"\r\n" if first_end > 0 and data[first_end - 1 : first_end] == b"\r" else b"\n"
    if data and not data.endswith(b"\n"):
        data += newline
    starts, ends = _lines(data)
    if header is None and unit in (None, Unit.LINES) and suffix in _TABLE_SUFFIXES:
        what = "it is unknown whether the first line is a header"
        raise OptionError(
            Problem(
                where, what, f"Pass {opt('header', '1')}, or {opt('header', '0')} if it is not one.", "header-unknown"
            )
        )
    top = header or 0
    preamble = data[: int(starts[top]) if top < len(starts) else len(data)]
    starts, ends = starts[top:], ends[top:]
    blank = _blank(data, starts, ends)
    unit = unit or _unit_of(suffix, blank, where, top)
    first, last = _runs(~blank) if unit in _BLOCKS else _single(blank, unit)
    starts, ends = starts[first], ends[last]
    if not len(starts):
        advice = f"Check the path, and {opt('header')}." if top else "Check the path."
        raise DataError(Problem(where, f"expected {unit.plural} to draw from, got none", advice, "empty"))
    check = {Unit.CONLLU: _check_sentence, Unit.JSONL: _check_record}.get(unit)
    if check is not None:
        for line, start, end in zip((first + top + 1).tolist(), starts.tolist(), ends.tolist(), strict=True):
            check(data[start:end], where, line)
    separator = newline if unit in _BLOCKS else b""
    return TrainingSet(path, suffix, unit, top, digest, data, preamble, separator, starts, ends)


def check_aligned(sets: list[TrainingSet]) -> None:
    """Refuse files with different numbers of items, as drawn sets would not be aligned."""
    first = sets[0]
    problems = [
        Problem(
            printable(other.source),
            f"expected {format_count(len(first))} {other.unit.plural}, as in {printable(first.source)}, "
            f"got {format_count(len(other))}",
            "Align the files by item.",
            "different-lengths",
        )
        for other in sets[1:]
        if len(other) != len(first)
    ]
    if problems:
        raise DataError(*problems)


def _lines(data: bytes) -> tuple[Indices, Indices]:
    """Return the boundaries of lines, including line ends, excluding a byte order mark."""
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")).astype(np.int64) + 1
    starts = np.concatenate([np.zeros(min(1, len(ends)), dtype=np.int64), ends[:-1]])
    if data.startswith(BYTE_ORDER_MARK):
        starts[0] = len(BYTE_ORDER_MARK)
    return starts, ends


def _blank(data: bytes, starts: Indices, ends: Indices) -> npt.NDArray[np.bool_]:
    """Return which lines contain only white space."""
    # Only lines that begin with white space are checked: in a large file they are few.
    blank = np.isin(np.frombuffer(data, dtype=np.uint8)[starts], np.frombuffer(b" \t\r\n", dtype=np.uint8))
    for i in np.flatnonzero(blank).tolist():
        blank[i] = not data[starts[i] : ends[i]].strip(b" \t\r\n")
    return blank


def _unit_of(suffix: str, blank: npt.NDArray[np.bool_], where: str, top: int) -> Unit:
    """Return the unit for the file's name."""
    if suffix in _CONLLU_SUFFIXES:
        return Unit.CONLLU
    if suffix in _JSONL_SUFFIXES:
        return Unit.JSONL
    if blank.any() and not blank.all():
        line = int(np.argmax(blank)) + top + 1
        what = "the type of items is unknown, as this line is blank"
        blocks, lines = opt("unit", "blocks"), opt("unit", "lines")
        advice = f"Pass {blocks} if blank lines separate items, or {lines} if every line is an item."
        raise OptionError(Problem(f"{where}:{line}", what, advice, "no-unit"))
    return Unit.LINES


def _single(blank: npt.NDArray[np.bool_], unit: Unit) -> tuple[Indices, Indices]:
    """Return the lines as items; blank lines are items unless all are blank."""
    kept = ~blank if unit is Unit.JSONL or blank.all() else np.ones(len(blank), dtype=bool)
    lines = np.flatnonzero(kept).astype(np.int64)
    return lines, lines


def _runs(mask: npt.NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """Return the first and the last index of every run of true values."""
    edges = np.diff(mask.astype(np.int8), prepend=0, append=0)
    return np.flatnonzero(edges == 1).astype(np.int64), np.flatnonzero(edges == -1).astype(np.int64) - 1


def _check_sentence(item: bytes, where: str, line: int) -> None:
    for number, text in enumerate(item.split(b"\n"), line):
        if text.strip() and not text.startswith(b"#"):
            if text.count(b"\t") == _CONLLU_TABS:
                return
            columns = text.count(b"\t") + 1
            what = f"expected a word of CoNLL-U in 10 columns, got {columns}"
            raise DataError(
                Problem(
                    f"{where}:{number}", what, f"Pass {opt('unit', 'blocks')} if the file is not CoNLL-U.", "not-conllu"
                )
            )
    what = "expected a sentence of CoNLL-U, got only comments"
    raise DataError(Problem(f"{where}:{line}", what, f"Pass {opt('unit', 'blocks')} if they are items.", "not-conllu"))


def _check_record(item: bytes, where: str, line: int) -> None:
    try:
        json.loads(item)
    except (ValueError, RecursionError):  # also undecodable bytes and very deep nesting
        what = "expected a JSON value"
        raise DataError(
            Problem(f"{where}:{line}", what, f"Pass {opt('unit', 'lines')} if it is not JSON Lines.", "not-json")
        ) from None


@dataclass(frozen=True)
class Draw:
    """A training set to draw."""

    size: float  # the fraction of the whole set, in (0, 1]
    n_items: int  # number of items drawn, with replacement
    replicate: int  # from 1
    seed: int

    def indices(self, n: int) -> npt.NDArray[np.int64]:
        """Return `n_items` independent draws from 0 to n − 1, each equally likely.

        They depend only on the seed, `n_items`, `replicate` and n, not on the trainer, other sizes or the order of
        runs. So trainers can be compared on the same training sets. Only raw words of the generator are used, which
        are the same in all versions of NumPy. They are mapped to the range without bias by multiplication and
        rejection (Lemire 2019, algorithm 5).
        """
        words = np.random.Philox(np.random.SeedSequence(self.seed, spawn_key=(_KEY, self.n_items, self.replicate)))
        mask, factor = np.uint64(2**_WORD - 1), np.uint64(n)
        threshold = np.uint64(2**_WORD % n)
        products = (words.random_raw(self.n_items) >> np.uint64(_WORD)) * factor
        while len(unfair := np.flatnonzero((products & mask) < threshold)):
            products[unfair] = (words.random_raw(len(unfair)) >> np.uint64(_WORD)) * factor
        return (products >> np.uint64(_WORD)).astype(np.int64)

    @property
    def trainer_seed(self) -> int:
        """A seed for the trainer, in [0, 2³¹), different for each run."""
        spawned = np.random.SeedSequence(self.seed, spawn_key=(_KEY, self.n_items, self.replicate, 1))
        return int(spawned.generate_state(1)[0] >> 1)


def planned_draws(n: int, sizes: Sequence[float], replicates: int, seed: int) -> Sequence[Draw]:
    """Return the draws of all sizes, by size as given, then by number.

    Sizes are fractions in (0, 1]; larger ones would only repeat items. Half items are rounded to even.
    """
    if seed < 0:
        raise OptionError(Problem(opt("seed"), f"expected 0 or more, got {seed}", "", "out-of-range"))
    if replicates < 1:
        raise OptionError(Problem(opt("replicates"), f"expected at least 1, got {replicates}", "", "out-of-range"))
    if not sizes:
        raise OptionError(
            Problem(opt("sizes"), "expected a size", f"Pass {opt('sizes', '1.0,0.5')}, for example.", "out-of-range")
        )
    sizes_drawn: dict[int, float] = {}
    for size in sizes:
        if not (math.isfinite(size) and 0 < size <= 1):
            what = f"expected fractions of the training set above 0 and at most 1, got {size!r}"
            raise OptionError(Problem(opt("sizes"), what, "Write 0.5 for half of it.", "out-of-range"))
        n_items = round(size * n)
        if n_items == 0:
            what = f"{size!r} of {format_count(n)} items is less than one item"
            raise OptionError(Problem(opt("sizes"), what, "Use a larger size.", "out-of-range"))
        if n_items in sizes_drawn:
            what = f"{sizes_drawn[n_items]!r} and {size!r} both draw {format_count(n_items)} items"
            raise OptionError(Problem(opt("sizes"), what, "Leave one out.", "duplicate-size"))
        sizes_drawn[n_items] = size
    return [
        Draw(size, n_items, replicate, seed)
        for n_items, size in sizes_drawn.items()
        for replicate in range(1, replicates + 1)
    ]
