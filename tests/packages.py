"""Packages with entry points, as tests install them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def installed(folder: Path, group: str, points: Mapping[str, str], name: str = "tiny", version: str = "1.2") -> Path:
    """Return the metadata of a package that registers entry points of one group, made in a folder of modules."""
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = "".join(f"{point} = {place}\n" for point, place in points.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{lines}")
    return info
