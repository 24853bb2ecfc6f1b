"""Put the systems of a board into one table of wrong tags, and a board of its columns beside it: BOARD FOLDER."""

from __future__ import annotations

import csv
import gzip
import sys
import tomllib
from pathlib import Path

board, folder = map(Path, sys.argv[1:])
systems = tomllib.loads(board.read_text(encoding="utf-8"))["systems"]
columns = []
for system in systems:
    with (board.parent / system["file"]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns.append([int(row["denominator"]) - int(row["numerator"]) for row in rows])
lines = [",".join(system["name"] for system in systems)]
lines += [",".join(map(str, wrong)) for wrong in zip(*columns, strict=True)]
# Without a date in it, the same table gives the same file.
packed = gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0)
(folder / "wrong.csv.gz").write_bytes(packed)
lines = [
    "# Three taggers, trained on resampled training sets: wrong tags in each sentence. See README.md.",
    'metrics = ["mean"]',
    "lower_is_better = true",
]
for system in systems:
    lines += ["", "[[systems]]", f'name = "{system["name"]}"', f'file = "wrong.csv.gz:{system["name"]}"']
    lines += [f'family = "{system["family"]}"']
(folder / "board.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
