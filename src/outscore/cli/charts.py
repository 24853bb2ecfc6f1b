"""Where charts go: a file whose name says the format, written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from outscore.errors import FileAccessError, Problem

__all__ = ["chart_destination"]


@contextmanager
def chart_destination(path: str | None) -> Iterator[Callable[[Any], None] | None]:
    """Yield a function that draws a chart to `path`, or None where none is asked for.

    What can be known before anything is computed is checked first: the format, the packages, the folder.

    Raises
    ------
    OptionError, MissingDependencyError, FileAccessError
    """
    if path is None:
        yield None
        return
    from outscore.reports.plan_charts import drawing_format, drawn

    kind = drawing_format(path)
    target = Path(path).resolve()
    if target.is_dir() or not target.parent.is_dir():
        raise _cannot_write(path, "no such folder" if not target.is_dir() else "it is a directory")
    part = target.with_name(f".{target.name}.part")

    def draw(chart: Any) -> None:
        try:
            part.write_bytes(drawn(chart, kind))
            part.replace(target)
        except OSError as error:
            raise _cannot_write(path, (error.strerror or str(error)).lower()) from None

    try:
        yield draw
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _cannot_write(path: str, reason: str) -> FileAccessError:
    return FileAccessError(
        Problem(path or '""', f"cannot write: {reason}", "Name another file with --chart.", "cannot-write")
    )
