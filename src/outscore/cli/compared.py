"""The systems of `outscore compare`: files, a folder, a board or a table, and which of them is the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from outscore.cli.systems import one_of_all
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.naming import nearest, printable, quoted
from outscore.readers import Tables
from outscore.readers.inputs import Reading, SystemsRead, read_item_labels, read_systems
from outscore.readers.system_files import SystemFile, split_name, system_files
from outscore.resampling import Progress
from outscore.rows import Labels, Rows

if TYPE_CHECKING:
    from outscore.readers.boards import Board
    from outscore.readers.corpora.registry import Corpora

__all__ = ["Compared", "read_compared"]


@dataclass(frozen=True, eq=False)
class Compared:
    """Systems to compare, the baseline first.

    Attributes
    ----------
    metrics : list of AnyMetric
    rows : list of lists of Rows
        For each metric those of every system.
    reading : Reading
        What the command, and a board, say.
    specs : list of str, optional
        The systems' files; None where all stand in one table.
    clusters, strata : Labels, optional
    notes : tuple of str
    """

    metrics: Sequence[AnyMetric]
    rows: Sequence[Sequence[Rows]]
    reading: Reading
    specs: Sequence[str] | None
    clusters: Labels | None
    strata: Labels | None
    notes: tuple[str, ...]


def read_compared(
    systems: Sequence[str],
    baseline: str | None,
    reading: Reading,
    *,
    with_responses: bool,
    tables: Tables,
    corpora: Corpora | None,
    jobs: int,
    progress: Progress | None,
) -> Compared:
    """Return the systems that are named, the baseline first.

    Parameters
    ----------
    systems : sequence of str
        ``FILE``, ``FILE:COLUMN`` or ``NAME=FILE``, folders, or one board or table.
    baseline : str, optional
        The name or the file of one of them; the first by default.
    reading, with_responses, tables, corpora, jobs, progress
        As for `read_systems`.

    Raises
    ------
    OutscoreError
        Fewer than two systems, no baseline among them, and whatever reading can raise.
    """
    files = system_files(systems)
    whole = one_of_all(files, reading)
    is_board = whole is not None and whole.lower().endswith(".toml")
    if baseline is None and (is_board or (systems and Path(split_name(systems[0])[1]).is_dir())):
        what = "holds several systems, and which of them is the baseline is not said"
        raise OptionError(Problem(printable(systems[0]), what, "Name it with --baseline.", "no-baseline"))
    if len(files) < 2 and (whole is None or baseline is None):
        got = f"{printable(files[0].spec)} alone" if files else "none"
        what = f"expected a baseline and at least one candidate, got {got}"
        advice = "Name both; of a table of all systems name the baseline with --baseline."
        raise OptionError(Problem("outscore compare", what, advice, "no-candidate"))
    if whole is not None and not is_board:
        from outscore.readers.boards import read_board

        return _of_board(read_board(whole, reading, tables, jobs=jobs, progress=progress), str(baseline), reading)

    def compared(files: Sequence[SystemFile], reading: Reading) -> Compared:
        read = read_systems(
            files,
            reading,
            with_responses=with_responses,
            tables=tables,
            corpora=corpora,
            jobs=jobs,
            progress=progress,
        )
        read = _with_baseline(read, baseline, files[0])
        clusters, strata = read_item_labels(read.specs, read.rows[0], reading, tables)
        return Compared(read.metrics, read.rows, reading, read.specs, clusters, strata, read.notes)

    if whole is not None:
        from outscore.readers.boards import board_files

        with board_files(whole, reading) as found:
            return compared(found.files, found.reading)
    return compared(files, reading)


def _with_baseline(read: SystemsRead, baseline: str | None, first: SystemFile) -> SystemsRead:
    """Return systems with the baseline first.

    Raises
    ------
    OptionError
        No system of that name.
    DataError
        A baseline that was left out, since it cannot be read.
    """
    wanted = first.spec if baseline is None else baseline
    for spec, why in read.left_out.items():
        if wanted in (spec, PurePath(spec).name, PurePath(spec).stem) or (baseline is None and spec == first.spec):
            raise DataError(
                Problem(printable(spec), f"the baseline cannot be left out; {why}", "Mend it.", "no-baseline")
            )
    if baseline is None:
        return read
    return read.with_first(_place_of(baseline, read.names, read.specs))


def _place_of(baseline: str, names: Sequence[str], specs: Sequence[str]) -> int:
    for known in (names, specs, [PurePath(spec).name for spec in specs]):
        if baseline in known:
            return list(known).index(baseline)
    what = f"no system is called {quoted(baseline)}"
    raise OptionError(Problem("--baseline", what, nearest(baseline, names), "unknown-system"))


def _of_board(board: Board, baseline: str, reading: Reading) -> Compared:
    """Return the systems of one table."""
    place = _place_of(baseline, [entry.name for entry in board.entries], [])
    entries = [board.entries[place], *(entry for i, entry in enumerate(board.entries) if i != place)]
    if len(entries) < 2:
        what = "expected at least two systems, got one"
        raise DataError(Problem(quoted(baseline), what, "Name more systems.", "one-system"))
    rows = [[entry.rows[i] for entry in entries] for i in range(len(board.metrics))]
    return Compared(board.metrics, rows, reading, None, board.clusters, board.strata, board.notes)
