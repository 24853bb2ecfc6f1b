"""Names of systems where there is little room: folded, or cut."""

from __future__ import annotations

import re
from collections.abc import Callable

# Signs of one column each: most of names, what reports write, and what they mark styles by, of the private area.
NARROW = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u00ff\u0370-\u0377\u0384-\u03ff\u2010-\u2027"
    "\u2190-\u2193\u2200-\u22ff\u2500-\u259f\ue000-\uf8ff]*"
)


def cell_len(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if NARROW.fullmatch(text):
        return len(text)
    from rich.cells import cell_len as measured  # it reads tables of all signs

    return measured(text)


PART = re.compile(r"[^-_/@ ]*[-_/@ ]*")
SHORT = 10  # characters after which a hyphen may end a line


def cut(name: str, room: int, mark: str = "…") -> str:
    """Return a name of at most `room` columns; a longer one loses its middle, because names differ at the ends.

    Wide signs take two columns. `mark`, one column wide, replaces the middle.

    Examples
    --------
    >>> cut("chatgpt-4o-latest-24-09-07", 16), cut("nova", 16), cut("chatgpt-4o-latest", 9, "~")
    ('chatgpt-…4-09-07', 'nova', 'chat~test')
    """
    if cell_len(name) <= room:
        return name
    if room < 2:
        return mark[: max(room, 0)]
    tail = _fitting(name[::-1], (room - 1) // 2)[::-1]
    return f"{_fitting(name, room - 1 - cell_len(tail))}{mark}{tail}"


def broken(name: str, room: int, *, measure: Callable[[str], int] = cell_len) -> list[str]:
    """Return a name on lines of at most `room` columns, parted after ``- _ / @`` or a blank wherever that is possible.

    Examples
    --------
    >>> broken("chatgpt-4o-latest-24-09-07", 16)
    ['chatgpt-4o-', 'latest-24-09-07']
    """
    lines = [""]
    for part in PART.findall(name):
        if measure(lines[-1] + part.rstrip(" ")) <= room:
            lines[-1] += part
            continue
        rest = part
        if measure(part) > room and lines[-1]:
            head = _fitting(rest, room - measure(lines[-1]), measure)
            lines[-1] += head
            rest = rest[len(head) :]
        while measure(rest.rstrip(" ")) > room:
            head = _fitting(rest, room, measure) or rest[0]
            lines.append(head)
            rest = rest[len(head) :]
        lines.append(rest)
    return [line for line in lines if line]


def pieces(name: str) -> list[str]:
    """Return the pieces of a name that belong on one line: a hyphen does not part what is short.

    Examples
    --------
    >>> pieces("gpt-4o-mini-2024-07-18"), pieces("UFAL-UDPipe-1-2_sw1_2017-05-15-09-58-56"), pieces("nova")
    (['gpt-4o-mini-', '2024-07-18'], ['UFAL-UDPipe-', '1-2_', 'sw1_', '2017-05-15-', '09-58-56'], ['nova'])
    """
    parts = [""]
    for part in PART.findall(name):
        if (parts[-1][-1:] == "-" and len(parts[-1]) < SHORT) or not parts[-1]:
            parts[-1] += part
        else:
            parts.append(part)
    return [piece for piece in parts if piece] or [name]


def _fitting(text: str, room: int, measure: Callable[[str], int] = cell_len) -> str:
    """Return as much of the beginning as fits."""
    text = text[: max(room, 0) + 2]  # two signs may take no room
    while text and measure(text) > room:
        text = text[:-1]
    return text
