"""Lines of numbers, parsed by whole blocks: what `float` makes of each, to the last bit."""

from __future__ import annotations

import warnings

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray

# No blank among them, so that a line of two numbers is none of them.
OF_NUMBERS = b"0123456789+-.eE\n"
_BLOCK = 2**18  # bytes: what is computed of them stays in the processor's cache
_WORD = 8  # bytes of one word, and so the most digits on one side of the point
_MOST_WHOLE = 7  # digits before the point: with eight behind it still below 2⁵³
_SCALE = 10.0**_WORD
_ZEROS = np.uint64(0x3030303030303030)  # "00000000"
_SIXES, _HIGH = np.uint64(0x0606060606060606), np.uint64(0xF0F0F0F0F0F0F0F0)
_PAIRS = np.uint64(0x000000FF000000FF)
_HUNDREDS, _ONES = np.uint64(100 + (10**6 << 32)), np.uint64(1 + (10**4 << 32))
# The bytes of a word, the first of which is the lowest, in which so many characters stand: the first or the last ones.
_AT_START = np.array([(1 << 8 * count) - 1 for count in range(_WORD + 1)], dtype=np.uint64)
_AT_END = ~_AT_START[::-1]


def numbers_of_lines(data: bytes) -> FloatArray | None:
    r"""Return the numbers of lines that hold one each, in ASCII and without blanks, shape (n,); None of any others.

    Lines end in ``\n``, behind the last one or not.
    """
    if not data:
        return None
    numbers = np.empty(data.count(b"\n") + (not data.endswith(b"\n")))
    start = done = 0
    while start < len(data):
        end = len(data) if len(data) - start <= _BLOCK else data.rfind(b"\n", start, start + _BLOCK) + 1
        if end == 0:
            return None  # no number is as long as a block
        block = data[start:end]
        block = block if block.endswith(b"\n") else block + b"\n"
        of_block = _decimals(block)
        if of_block is None:
            of_block = _any_numbers(block)
        if of_block is None:
            return None
        numbers[done : done + len(of_block)] = of_block
        done += len(of_block)
        start = end
    return numbers


def _any_numbers(block: bytes) -> FloatArray | None:
    """Return the numbers of a block of lines, of whatever form."""
    if block.startswith(b"\n") or b"\n\n" in block or block.translate(None, OF_NUMBERS):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # which NumPy before 2.4 gives of what is no number
            numbers = np.fromstring(block, sep="\n")
    except (ValueError, DeprecationWarning):
        return None
    # A line holds at least one number, so that as many numbers as lines are one on each: not 1.5.3, nor 1-2.
    return numbers if len(numbers) == block.count(b"\n") else None


def _decimals(block: bytes) -> FloatArray | None:
    """Return the numbers of a block of lines of decimals without exponents and of few digits; None of others.

    The digits before the point, and those behind it, are a word of memory each, of which a few operations make a
    number; and m/10⁸ with m < 2⁵³ is rounded once, as `float` does it.
    """
    if b"e" in block or b"E" in block:
        return None
    padding = b"0" * _WORD
    characters = np.frombuffer(padding + block + padding, dtype=np.uint8)
    words = np.ndarray(len(characters) - _WORD + 1, dtype="<u8", buffer=characters, strides=(1,))
    numbers = _of_one_width(block, characters, words)
    if numbers is not None:
        return numbers
    ends = np.flatnonzero(characters == ord("\n"))
    first = np.concatenate([[_WORD], ends[:-1] + 1])
    negative = characters[first] == ord("-")
    first += negative
    points = np.flatnonzero(characters == ord("."))
    places = ends.copy()
    places[np.searchsorted(ends, points)] = points
    before, behind = places - first, np.maximum(ends - places - 1, 0)
    if not (before + behind).all() or before.max() > _MOST_WHOLE or behind.max() > _WORD:
        return None
    numbers = _joined(words[places - _WORD], before, words[places + (behind > 0)], behind)
    return numbers if numbers is None else np.negative(numbers, out=numbers, where=negative)


def _of_one_width(block: bytes, characters: AnyArray, words: AnyArray) -> FloatArray | None:
    """Return the same of lines that are equally long, with their points, if any, one below the other."""
    width, dot = block.find(b"\n") + 1, block.find(b".")
    count = len(block) // width
    lines = characters[_WORD : _WORD + count * width].reshape(count, width)
    if width == 1 or len(block) != count * width or (lines[:, -1] != ord("\n")).any():
        return None
    if width == 2:
        digits = lines[:, 0] ^ ord("0")
        return digits.astype(np.float64) if digits.max() <= 9 else None
    if not 0 <= dot < width:
        dot = width - 1
    elif width == 2 + (dot == 0) or (lines[:, dot] != ord(".")).any():
        return None
    behind = max(width - 2 - dot, 0)
    if dot > _MOST_WHOLE or behind > _WORD:
        return None
    return _joined(words[dot::width][:count], dot, words[_WORD + dot + (behind > 0) :: width][:count], behind)


def _joined(wholes: AnyArray, before: IntArray | int, parts: AnyArray, behind: IntArray | int) -> FloatArray | None:
    """Return the numbers with these digits before the point, at the ends of words, and behind it, at their starts."""
    numbers = _integers(wholes, _AT_END[before])
    if numbers is None or np.max(behind) == 0:
        return None if numbers is None else numbers.astype(np.float64)
    of_parts = _integers(parts, _AT_START[behind])
    return None if of_parts is None else (numbers * 10**_WORD + of_parts) / _SCALE


def _integers(words: AnyArray, digits: AnyArray) -> IntArray | None:
    """Return the numbers that words of eight characters are, with zeros where `digits` has none; None of no digits."""
    words = ((words ^ _ZEROS) & digits).view(np.uint64)
    if (((words + _SIXES) | words) & _HIGH).any():  # a byte above 9
        return None
    # Two digits, then four, then eight at once: ten times the first, plus the next one.
    words = words * np.uint64(10) + (words >> np.uint64(8))
    words = (words & _PAIRS) * _HUNDREDS + ((words >> np.uint64(16)) & _PAIRS) * _ONES
    return (words >> np.uint64(32)).view(np.int64)
