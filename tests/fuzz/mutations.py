"""What befalls files: bits that flip, halves, copies, and what people, programs and attackers put into them."""

from __future__ import annotations

import gzip
import json
import re
import sys
import tomllib
import warnings
from collections.abc import Callable, Sequence
from io import BytesIO
from random import Random
from typing import Any

import polars as pl
import tomli_w

from tests.readers.kit import held_back

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

__all__ = ["mutated"]

LARGEST = 2**18

HOSTILE: Sequence[bytes] = (
    b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\r\n", b"\n\n", b"\x0b", b"\x0c", b"\x1c",
    b"\x85", b"\x1b[31m", b"\x1b]0;x\x07", "\u2028".encode(), "\u202e".encode(), "\u00a0".encode(), "\u3000".encode(),
    "é".encode(), "e\u0301".encode(), "\U0001f642".encode(), "１".encode(), "٣".encode(), "İ".encode(), "ß".encode(),
    b"nan", b"NaN", b"-inf", b"Infinity", b"1e308", b"-1e308", b"1e309", b"1e-320", b"5e-324", b"-0.0", b"1_000",
    b"0x10", b"1e400", b"1e100", b"1.0000000000000002", b"9007199254740993", b"18446744073709551616", b"-1",
    b"1" * 400, b"9" * 5000, b"true", b"null", b"None", b"NA", b"", b" ", b"\t", b",", b";", b":", b"|", b'"', b"'",
    b'""', b"\\", b"\\u0000", b"\\ud800", b"#", b"//", b"/", b"%", b"=", b"-", b"--", b"@", b"*", b"_", b"O", b"B-",
    b"I-X", b"E-X", b"L-", b"0-0", b"1p1", b"99999-99999", b"(", b")", b"((", b"))", b"( (", b"[", b"]", b"{", b"}",
    b"[[", b"]]", b"{}", b"[]", b'{"a":', b"id", b"score", b"system", b"item", b"text", b"output", b"label",
    b"answers", b"tokens", b"spans", b"<script>", b"${x}", b"{metric}", b"../", b"/dev/null", b"a" * 3000,
)  # fmt: skip

JSON_VALUES: Sequence[object] = (
    None, True, 0, -1, 1.5, 1e308, 10**400, "", "a\0b", "\x1b[0m", "\ud800", "x" * 999,
    [], {}, [[]], [None], {"": None}, [1, 2], {"a": [1]},
)  # fmt: skip

NAMES: Sequence[str] = (
    "id", "score", "system", "item", "doc", "run", "family", "label", "tp", "predicted", "gold", "text", "", "0", "é",
)  # fmt: skip

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD, zipfile.ZIP_BZIP2)

Mutation = Callable[[bytes, Random], bytes]


def mutated(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """Return the bytes of a file after one to five mutations; `others` are files that parts may come from."""
    if data.startswith(b"PAR1"):
        return _parquet_or_less(data, random)
    for _ in range(random.choice((1, 1, 1, 1, 2, 3, 5))):
        kind = random.choices(MUTATIONS, WEIGHTS)[0]
        data = _spliced(data, others, random) if kind is None else kind(data, random)
        data = data[:LARGEST]
    return data


def _place(data: bytes, random: Random) -> int:
    return random.randint(0, len(data))


def _bits(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8))):
        if changed:
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _cut(data: bytes, random: Random) -> bytes:
    start, end = sorted((_place(data, random), _place(data, random)))
    return random.choice((data[:start], data[start:], data[:start] + data[end:]))


def _inserted(data: bytes, random: Random) -> bytes:
    place = _place(data, random)
    return data[:place] + random.choice(HOSTILE) + data[place:]


def _token(data: bytes, random: Random) -> bytes:
    """Put something hostile in the place of a word or a number."""
    tokens = list(re.finditer(rb"[\w.+-]+", data))
    if not tokens:
        return _inserted(data, random)
    token = random.choice(tokens)
    new = random.choice(
        (random.choice(HOSTILE), random.choice(tokens)[0], token[0] * 2, str(random.randint(-9, 99)).encode())
    )
    return data[: token.start()] + new + data[token.end() :]


def _lines(data: bytes, random: Random) -> bytes:
    """Double, drop, swap or repeat lines: ids stand twice, records are missing."""
    lines = data.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            lines.insert(j, lines[i])
        case 1:
            del lines[i]
        case 2:
            lines[i], lines[j] = lines[j], lines[i]
        case _:
            lines[i:i] = [lines[i]] * random.choice((2, 10, 300))
    return b"\n".join(lines)


def _line_ends(data: bytes, random: Random) -> bytes:
    ends = (b"\n", b"\r\n", b"\r", b"\n\r", b"\x85", "\u2028".encode())
    return b"".join(line + random.choice(ends) if random.random() < 0.5 else line + b"\n" for line in data.split(b"\n"))


def _long(data: bytes, random: Random) -> bytes:
    """Repeat a part very often: long lines, many columns, deep nesting, long runs of one sign."""
    start = _place(data, random)
    part = data[start : start + random.choice((1, 1, 2, 5, 20))] if random.random() < 0.6 else random.choice(HOSTILE)
    return data[:start] + part * random.choice((50, 2_000, 40_000)) + data[start:]


def _nested(data: bytes, random: Random) -> bytes:
    start, end = sorted((_place(data, random), _place(data, random)))
    left, right = random.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b"(X ", b")"), (b'"', b'"')))
    depth = random.choice((1, 1, 5, 500, 20_000))
    return data[:start] + left * depth + data[start:end] + right * (depth - random.choice((0, 0, 1))) + data[end:]


def _json_value(data: bytes, random: Random) -> bytes:
    """Put another value in the place of one of JSON, so that it is JSON still."""
    values = list(re.finditer(rb'"[^"\n]*"|-?\d[\d.e+-]*|true|false|null|\[[^\[\]\n]*\]|\{[^{}\n]*\}', data))
    if not values:
        return _token(data, random)
    value = random.choice(values)
    new = random.choice(JSON_VALUES)
    return data[: value.start()] + json.dumps(new).encode() + data[value.end() :]


def _structure(data: bytes, random: Random) -> bytes:
    """Change what a file means and leave it of its format: zip, gzip, TOML, JSON, or else a table."""
    try:
        if data.startswith(b"PK"):
            return _zip(data, random)
        if data.startswith(b"\x1f\x8b"):
            return gzip.compress(_structure(gzip.decompress(data), random), mtime=0)
        text = data.decode()
        if text.lstrip().startswith("[") and "=" in text:
            return tomli_w.dumps(_tree(tomllib.loads(text), random)).encode()
        if text.lstrip().startswith(("{", "[")):
            return _json(text, random).encode("utf-8", "surrogatepass")
    except Exception:  # what is damaged already, and what a format cannot hold
        return _token(data, random)
    return _table(data, random)


def _json(text: str, random: Random) -> str:
    """Change values of JSON, or of one line of JSON Lines."""
    try:
        return json.dumps(_tree(json.loads(text), random), ensure_ascii=random.random() < 0.5)
    except ValueError:
        lines = text.split("\n")
        place = random.randrange(len(lines))
        lines[place] = json.dumps(_tree(json.loads(lines[place]), random))
        return "\n".join(lines)


def _tree(value: Any, random: Random) -> Any:
    """Change one to three nodes: another value, no value, that of another node, another key, more or fewer of it."""
    for _ in range(random.choice((1, 1, 2, 3))):
        nodes: list[tuple[Any, Any]] = []
        open_nodes = [value]
        while open_nodes:
            node = open_nodes.pop()
            keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
            nodes += [(node, key) for key in keys]
            open_nodes += [node[key] for key in keys]
        if not nodes:
            return _copy(random.choice(JSON_VALUES))
        parent, key = random.choice(nodes)
        donor, of_donor = random.choice(nodes)
        other = _copy(donor[of_donor])
        match random.randrange(8):
            case 0 | 1:
                parent[key] = _copy(random.choice(JSON_VALUES))
            case 2:
                del parent[key]
            case 3:
                parent[key] = other
            case 4 if isinstance(parent, dict):
                parent[random.choice((str(of_donor), *NAMES))] = parent.pop(key)
            case 5:
                parent[key] = random.choice(([parent[key]], {"a": parent[key]}, str(parent[key]), [parent[key]] * 300))
            case 6 if isinstance(parent[key], int | float):
                parent[key] = random.choice((-1, 0, 0.5, 2, 1e300, -parent[key], 2**63, float("nan"), float("inf")))
            case _ if isinstance(parent, list):
                parent.insert(key, other)
            case _:
                parent[random.choice(NAMES)] = other
    return value


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def _table(data: bytes, random: Random) -> bytes:
    """Change cells, rows and columns of what has lines and signs between fields: tables, runs, columns of tags."""
    lines = data.decode("latin-1").split("\n")
    sign = max("\t,; |", key=lines[0].count)
    rows = [line.split(sign) for line in lines]
    place = random.randrange(len(rows))
    column = random.randrange(len(rows[place]))
    match random.randrange(8):
        case 0 | 1:
            rows[place][column] = random.choice(HOSTILE).decode("latin-1")
        case 2:
            rows[place][column] = random.choice(rows[random.randrange(len(rows))])
        case 3:
            rows[0][column % len(rows[0])] = random.choice(NAMES)
        case 4:
            rows = [row[:column] + row[column + 1 :] for row in rows]
        case 5:
            rows = [row[: column + 1] + row[column:] for row in rows]
        case 6:
            rows[place] = random.choice((rows[place][:column], rows[place] * 2))
        case _:
            cell = random.choice(rows[place])
            rows = [rows[0], *([*row[:column], cell, *row[column + 1 :]] for row in rows[1:])]
    return "\n".join(map(sign.join, rows)).encode("latin-1")


def _zip(data: bytes, random: Random) -> bytes:
    """Change an entry of a zip, or drop, double or rename it, or write it in another way."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        entries = [(info.filename, archive.read(info)) for info in archive.infolist()]
    place = random.randrange(len(entries))
    name, content = entries[place]
    match random.randrange(6):
        case 0 | 1 | 2:
            entries[place] = name, mutated(content, [content], random)
        case 3:
            del entries[place]
        case 4:
            entries.insert(random.randrange(len(entries)), (name, random.choice(entries)[1]))
        case _:
            names = ("", "/", "../a", "header.json", "a" * 300, name[:-1], name * 2, "samples/1_epoch_1.json")
            entries[place] = random.choice(names), content + b" " * random.choice((0, 2**23))
    file, method = BytesIO(), random.choice(METHODS)
    with zipfile.ZipFile(file, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that stands twice
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return file.getvalue()


def _parquet_or_less(data: bytes, random: Random) -> bytes:
    """Change Parquet that is Parquet still, or cut it off: polars ends the process at some bytes that are wrong."""
    if random.random() < 0.9:
        try:
            with held_back():
                return _parquet(data, random)
        except (Exception, pl.exceptions.PanicException):  # what there is no Parquet of
            pass
    return data[: _place(data, random)]


def _parquet(data: bytes, random: Random) -> bytes:
    """Change types, values and names of the columns of Parquet, or their number."""
    frame = pl.read_parquet(BytesIO(data))
    name = random.choice(frame.columns)
    column = pl.col(name)
    match random.randrange(8):
        case 0 | 1:
            kinds: tuple[Any, ...] = (
                pl.String, pl.Binary, pl.Int8, pl.UInt64, pl.Float32, pl.Boolean, pl.Date, pl.Duration, pl.Null,
                pl.Categorical, pl.Decimal(10, 2), pl.List(pl.String), pl.List(pl.Int64), pl.Datetime("ns", "UTC"),
            )  # fmt: skip
            frame = frame.with_columns(column.cast(random.choice(kinds), strict=False))
        case 2:
            value = random.choice((None, "", "x", -1, 1e308, float("nan"), float("inf"), True, b"\xff", [1], {"a": 1}))
            frame = frame.with_columns(pl.lit(value, allow_object=False).alias(name))
        case 3:
            frame = frame.drop(name)
        case 4:
            frame = frame.rename({name: random.choice(NAMES)})
        case 5:
            frame = frame.with_columns(column.alias(random.choice(NAMES)))
        case 6:
            frame = random.choice((frame.clear(), frame.head(1), pl.concat([frame] * 3), frame.reverse()))
        case _:
            frame = frame.with_columns(
                random.choice((pl.struct(column), pl.concat_list(column), column.reverse())).alias(name)
            )
    file = BytesIO()
    frame.write_parquet(file, compression=random.choice(("zstd", "snappy", "gzip", "uncompressed")), row_group_size=2)
    return file.getvalue()


def _spliced(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    other = random.choice(others)
    start = _place(other, random)
    return (
        data[: _place(data, random)]
        + other[start : start + random.choice((10, 100, 1000))]
        + data[_place(data, random) :]
    )


MUTATIONS: Sequence[Mutation | None] = (
    _bits, _cut, _inserted, _token, _lines, _line_ends, _long, _nested, _json_value, _structure, None,
)  # fmt: skip
WEIGHTS = (4, 3, 6, 8, 5, 1, 1, 1, 4, 12, 2)
