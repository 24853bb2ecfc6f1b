"""Names and other text of users: on one line, marked in reports, and matched to known names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

LONGEST_QUOTE = 60
SHORTEST_BEGINNING = 4
MOST_NAMED = 4  # names in a sentence; more would make it hard to read
_COMMANDS = re.compile(r"::|##\[")


def printable(text: str) -> str:
    r"""Return `text` as it can be shown on one line: control and invisible characters are spelt out.

    Examples
    --------
    >>> print(printable("a\tb\x1b[31m é"))
    a\tb\x1b[31m é
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def fence(text: str, token: str) -> tuple[str, str]:
    r"""Return text to print before and after, so that GitHub Actions reads no commands in between.

    A system, an item or a file may be named "::error::x". Both parts are empty if the text has no such signs. The token
    is an unguessable word that is not a command.

    Examples
    --------
    >>> fence("::add-mask::y.csv: expected a number", "3f6a")
    ('::stop-commands::3f6a\n', '::3f6a::\n')
    """
    return (f"::stop-commands::{token}\n", f"::{token}::\n") if _COMMANDS.search(text) else ("", "")


def quoted(text: str) -> str:
    """Return `text` in quotes, on one line, shortened if it is long.

    Examples
    --------
    >>> quoted("n/a")
    '"n/a"'
    """
    return f'"{shortened(text)}"'


def shortened(text: str) -> str:
    """Return `text` within a line, shortened if it is long."""
    shown = printable(text[: LONGEST_QUOTE + 1])
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[:LONGEST_QUOTE]}..."


def listed(names: Sequence[str]) -> str:
    """Return the first three of several names in quotes, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c", "d"])
    ('"a", "b"', '"a", "b", "c" and 1 more')
    """
    shown = ", ".join(quoted(name) for name in names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def few_named(names: Sequence[str], marked: Callable[[str], str] = printable) -> str:
    """Return the first of several names in a row, each as `marked` writes it, and how many more there are."""
    more = len(names) - MOST_NAMED
    return in_a_row([*map(marked, names[:MOST_NAMED]), *([f"{more} more"] if more > 0 else [])])


class Note(str):
    """A message on what was taken, such as a column: among warnings of results, but shown as a note."""

    __slots__ = ()


def in_roles(columns: Mapping[str, str | None], *, always: bool = False) -> list[str]:
    """Return a note on the columns that were read, by role; unless `always`, none if all are called like their roles.

    Examples
    --------
    >>> in_roles({"item": "pair_id", "verdict": "decision"})
    ['Columns: item "pair_id", verdict "decision".']
    >>> in_roles({"item": "item", "verdict": None})
    []
    """
    chosen = {role: column for role, column in columns.items() if column is not None}
    if not always and all(role == column for role, column in chosen.items()):
        return []
    return [Note(f"Columns: {', '.join(f'{role} {quoted(column)}' for role, column in chosen.items())}.")]


def listed_paths(paths: Sequence[str]) -> str:
    """Return the first three of several paths without common folders, and the number of others.

    Examples
    --------
    >>> listed_paths(["logs/run/a/x.json", "logs/run/b/x.json"])
    '"a/x.json", "b/x.json" in logs/run'
    """
    parts = [re.split(r"[/\\]", path) for path in paths]
    shared = 0
    while all(len(part) > shared + 1 and part[shared] == parts[0][shared] for part in parts):
        shared += 1
    # A name is not cut: its end may be the difference.
    names = ", ".join('"' + printable("/".join(part[shared:])) + '"' for part in parts[:3])
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    folder = printable("/".join(parts[0][:shared]) or "/")
    return f"{names}{more} in {folder}" if shared else f"{names}{more}"


def nearest(name: str, known_names: Iterable[str]) -> str:
    """Return a sentence that suggests the known name nearest to `name`, or lists all.

    Examples
    --------
    >>> nearest("acuracy", ["accuracy", "mean"])
    'Did you mean "accuracy"?'
    >>> nearest("referance", ["bare", "reference"])
    'Did you mean "reference"?'
    >>> nearest("bleu", ["accuracy", "mean"])
    'Known: accuracy, mean.'
    """
    from difflib import get_close_matches  # only for typing errors

    names = list(dict.fromkeys(known_names))
    short = [name for name in names if len(name) <= LONGEST_QUOTE]
    begun = [name_ for name_ in short if len(name) >= SHORTEST_BEGINNING and name_.startswith(name.lower())]
    close = begun if len(begun) == 1 else get_close_matches(name[:LONGEST_QUOTE].lower(), short, n=1)
    return f'Did you mean "{printable(close[0])}"?' if close else f"Known: {', '.join(map(shortened, names))}."


def short_names(names: Sequence[str]) -> list[str]:
    """Return names that look like paths without folders, as far as they stay distinct.

    Examples
    --------
    >>> short_names(["runs/a/out.txt", "runs/b/out.txt"]), short_names(["runs/a/base.txt", "new.txt", "nova"])
    (['a', 'b'], ['base.txt', 'new.txt', 'nova'])
    """
    return distinguished([tuple(part for part in re.split(r"[/\\]", name) if part) or (name,) for name in names])


def distinguished(paths: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the shortest distinct parts of paths of at least one part each; equal paths get equal names.

    This is the last part if it is distinct. If all last parts are equal, it is the nearest part before it that differs.
    If some are equal, theirs is followed by that part.

    Examples
    --------
    >>> distinguished([("x", "out"), ("y", "out")]), distinguished([("x", "base"), ("y", "base"), ("y", "new")])
    (['x', 'y'], ['base (x)', 'base (y)', 'new'])
    """
    different = list(dict.fromkeys(paths))
    shared = Counter(path[-1] for path in different)
    names = {path: path[-1] for path in different}
    for last, times in shared.items():
        if times > 1:
            alike = [path for path in different if path[-1] == last]
            parts = _differing(alike)
            alone = times == len(different) and all(parts)
            for path, part in zip(alike, parts, strict=True):
                names[path] = part if alone else f"{last} ({part})" if part else last
    if len(set(names.values())) < len(different):
        names = {path: "/".join(path) for path in different}
    return [names[path] for path in paths]


def _differing(paths: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the part of each path, next to its last, that no other has; or all parts in which they differ."""
    depth = max(map(len, paths))
    columns = list(zip(*(("",) * (depth - len(path)) + path[:-1] for path in paths), strict=True))
    for column in reversed(columns):
        if len(set(column)) == len(paths):
            return list(column)
    varying = [column for column in columns if len(set(column)) > 1]
    return ["-".join(filter(None, parts)) for parts in zip(*varying, strict=True)]


def in_a_row(parts: Sequence[str]) -> str:
    """Return parts of a sentence with commas and an "and": "a, b and c"."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


# Text has marks for parts that each format of reports writes differently, such as names and verdicts. A mark is a
# character of Unicode's private area. `printable` escapes these, so that users' text cannot contain marks.


class Mark(StrEnum):
    """Kinds of marked text. The value is the character that opens it."""

    NAME = "\ue010"  # of a user, written unchanged
    STRONG = "\ue011"
    VERDICT = "\ue012"
    RAISED = "\ue013"  # a symbol that a legend explains
    HANGING = "\ue014"  # the same, after a number, so that it takes no room
    LETTERS = "\ue015"  # of groups, after a number
    CITED = "\ue016"  # keys of works, with commas


END = "\ue01f"


_MARKED = re.compile(f"([{''.join(Mark)}])([^{END}]*){END}")


def marked(mark: Mark, text: str) -> str:
    """Return text with a mark."""
    return f"{mark.value}{text}{END}" if text else ""


def name(text: str) -> str:
    """Return users' text as a name, on one line."""
    return marked(Mark.NAME, printable(text))


def strong(text: str) -> str:
    """Return text in bold, if the format has bold."""
    return marked(Mark.STRONG, text)


def verdict(text: str) -> str:
    """Return the word of a verdict."""
    return marked(Mark.VERDICT, text)


def write_marks(text: str, write: Callable[[Mark | None, str], str]) -> str:
    """Return text with each part written by a function, including parts without a mark.

    Examples
    --------
    >>> write_marks(f"{name('a_b')} wins", lambda mark, part: part.upper() if mark else part)
    'A_B wins'
    """
    parts, at = [], 0
    for match in _MARKED.finditer(text):
        parts += [write(None, text[at : match.start()])] if match.start() > at else []
        parts.append(write(Mark(match[1]), match[2]))
        at = match.end()
    return "".join([*parts, write(None, text[at:])] if at < len(text) else parts)


def plain(text: str) -> str:
    """Return text without its marks, on one line."""
    return write_marks(text, lambda _, part: printable(part))


def capital(heading: str) -> str:
    """Return text as a heading begins: "Accuracy", but "chrF"."""
    first = plain(heading).split(" ")[0]
    if not first.islower() or first == "p":
        return heading
    start = heading[:1] in set(Mark)
    return f"{heading[:start]}{heading[start].upper()}{heading[start + 1 :]}"
