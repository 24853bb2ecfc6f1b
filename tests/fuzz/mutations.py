"""What befalls files: bits that flip, halves, copies, and what people, programs and attackers put into them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random

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

Mutation = Callable[[bytes, Random], bytes]


def mutated(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """Return the bytes of a file after one to five mutations; `others` are files that parts may come from."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5))):
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


def _spliced(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    other = random.choice(others)
    start = _place(other, random)
    return (
        data[: _place(data, random)]
        + other[start : start + random.choice((10, 100, 1000))]
        + data[_place(data, random) :]
    )


MUTATIONS: Sequence[Mutation | None] = (
    _bits, _cut, _inserted, _token, _lines, _line_ends, _long, _nested, _json_value, None,
)  # fmt: skip
WEIGHTS = (4, 3, 6, 8, 5, 1, 1, 1, 4, 2)
