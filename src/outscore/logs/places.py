"""Where logs stand: files beside them, and folders that systems are called by."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from outscore.logs.base import LogFile
from outscore.readers.kept.packing import PACKED_SUFFIXES


def beside(folder: Path, name: str) -> LogFile | None:
    """Return the file of a name in one folder, compressed or not; None where there is none.

    The name may be what a log says: with a separator or dots alone it is none.
    """
    if name in ("", ".", "..") or any(mark in name for mark in "/\\\0"):
        return None
    try:
        paths = (folder / f"{name}{suffix}" for suffix in ("", *PACKED_SUFFIXES))
        return next((LogFile(path) for path in paths if path.is_file()), None)
    except OSError:  # a name that no file can have
        return None


def whole_path(path: Path) -> Path:
    """Return a path from the root on, without "..", whose folders may name a system; links stay what they are."""
    return Path(os.path.abspath(path))  # noqa: PTH100 (a link to the folder of a system has its own name)


def named_folder(folder: Path, but: Collection[str] = ()) -> Path:
    """Return a folder or the innermost one above it that a system can be called by: none of some names."""
    folder = whole_path(folder)
    return next((one for one in (folder, *folder.parents) if one.name and one.name.lower() not in but), folder)


def folder_name(folder: Path, but: Collection[str] = ()) -> str:
    """Return the name of the `named_folder`; nothing where there is none.

    Examples
    --------
    >>> folder_name(Path("/runs/gpt-4/logs"), but={"logs"})
    'gpt-4'
    """
    name = named_folder(folder, but).name
    return "" if name.lower() in but else name
