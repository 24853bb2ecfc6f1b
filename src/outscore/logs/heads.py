"""What stands at the beginning of JSON that need not be whole: the keys of an object, and where their values begin."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

import msgspec

# A string that the end cuts off is a token, too: so that no text is looked at twice.
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[{}\[\],]', re.DOTALL)
_SPACE = b" \t\r\n"


class Keys(dict[str, int]):
    """The keys of an object, and where their values begin, in the bytes that they were read from.

    Attributes
    ----------
    is_whole : bool
        Whether the object ends in these bytes, so that it has no other keys.
    """

    is_whole: bool = False

    def __init__(self, head: bytes) -> None:
        super().__init__()
        self._head = head

    def mark(self, key: str) -> str:
        """Return the first character of a key's value, a bracket or a quote; nothing where it is not there."""
        place = self.get(key, len(self._head))
        return self._head[place : place + 1].decode("ascii", "replace")


def keys_at(head: bytes, place: int = 0) -> Keys:
    """Return the keys of the object at a place; none where no object begins there.

    Values of objects and arrays begin at their bracket. Of a key that stands twice the first place is returned.

    Examples
    --------
    >>> keys = keys_at(b'{"a": [1, {"b": 2}], "c": {"d')
    >>> dict(keys), keys.mark("a"), keys.is_whole
    ({'a': 6, 'c': 26}, '[', False)
    """
    keys = Keys(head)

    def scanned() -> Iterator[tuple[str, int]]:
        keys.is_whole = yield from each_key(head, place)

    for key, start in scanned():
        keys.setdefault(key, start)
    return keys


def first_keys(head: bytes) -> Keys:
    """Return the keys of the first object of a file: of one object, of lines of them, or of an array of them.

    Examples
    --------
    >>> keys = first_keys(b'[{"id": 3, "games": [{"score": 1}]}, {"te')
    >>> sorted(keys), keys.is_whole
    (['games', 'id'], True)
    """
    return keys_at(head, first_of_array(head) or 0)


def each_key(head: bytes, place: int = 0) -> Generator[tuple[str, int], None, bool]:
    """Yield the keys of the object at a place, and where their values begin; what is not wanted is not looked at.

    Returns
    -------
    bool
        Whether the object ends in these bytes.

    Examples
    --------
    >>> next(each_key(b'{"a": 1, "b": [2, 3'))
    ('a', 6)
    """
    place = _after_space(head, place)
    if head[place : place + 1] != b"{":
        return False
    depth, expected = 0, False
    for token in _TOKEN.finditer(head, place):
        match token[0][:1]:
            case b"{" | b"[":
                depth += 1
                expected = depth == 1
            case b"}" | b"]":
                depth -= 1
                if depth <= 0:
                    return True
            case b",":
                expected = depth == 1
            case _ if depth == 1 and expected:
                expected = False
                colon = _after_space(head, token.end())
                if head[colon : colon + 1] != b":":
                    return False
                yield _text(token[0]), _after_space(head, colon + 1)
    return False


def first_of_array(head: bytes, place: int = 0) -> int | None:
    """Return where the first element of the array at a place begins; None where no array begins there.

    Examples
    --------
    >>> first_of_array(b' [ {"a": 1}'), first_of_array(b"{}")
    (3, None)
    """
    place = _after_space(head, place)
    return _after_space(head, place + 1) if head[place : place + 1] == b"[" else None


def _after_space(head: bytes, place: int) -> int:
    """Return the place of the first byte at or after one that is no blank."""
    while head[place : place + 1] and head[place] in _SPACE:
        place += 1
    return place


def _text(token: bytes) -> str:
    """Return the text of a string of JSON, nothing where it is none."""
    try:
        return msgspec.json.decode(token, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
