"""Parse lines of numbers in blocks, with the same result as `float` on each line."""

from __future__ import annotations

import warnings

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray

# No blanks, so that a line of two numbers is rejected.
OF_NUMBERS = b"0123456789+-.eE\n"
_BLOCK = 2**18  # bytes; the arrays computed from a block fit in the processor's cache
_WORD = 8  # bytes of a word, the maximum number of digits on each side of the point
_MOST_WHOLE = 7  # digits before the point; with eight after it the number is below 2⁵³
_SCALE = 10.0**_WORD
_ZEROS = np.uint64(0x3030303030303030)  # "00000000"
_SIXES, _HIGH = np.uint64(0x0606060606060606), np.uint64(0xF0F0F0F0F0F0F0F0)
_PAIRS = np.uint64(0x000000FF000000FF)
_HUNDREDS, _ONES = np.uint64(100 + (10**6 << 32)), np.uint64(1 + (10**4 << 32))
# Masks of the first or last bytes of a word. The first byte is the lowest.
_AT_START = np.array([(1 << 8 * count) - 1 for count in range(_WORD + 1)], dtype=np.uint64)
_AT_END = ~_AT_START[::-1]


def numbers_of_lines(data: bytes) -> FloatArray | None:
    r"""Return the numbers of lines with one number each, in ASCII without blanks, shape (n,); None for other lines.

    Lines end in ``\n``; the last one need not.
    """
    if not data:
        return None
    numbers = np.empty(data.count(b"\n") + (not data.endswith(b"\n")))
    start = done = 0
    while start < len(data):
        end = len(data) if len(data) - start <= _BLOCK else data.rfind(b"\n", start, start + _BLOCK) + 1
        if end == 0:
            return None  # no number is this long
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
    """Return the numbers of a block of lines, in any notation."""
    if block.startswith(b"\n") or b"\n\n" in block or block.translate(None, OF_NUMBERS):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # NumPy before 2.4 gives this for invalid numbers
            numbers = np.fromstring(block, sep="\n")
    except (ValueError, DeprecationWarning):
        return None
    # Each line has at least one number. As many numbers as lines means one per line, so not 1.5.3 or 1-2.
    return numbers if len(numbers) == block.count(b"\n") else None


def _decimals(block: bytes) -> FloatArray | None:
    """Return the numbers of a block of decimals with few digits and no exponents; None for other lines.

    The digits before and after the point are one 64-bit word each, converted by a few operations. Then m/10⁸ with
    m < 2⁵³ is rounded once, like `float`.
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
    """Return the same for lines of equal length whose points, if any, are aligned."""
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
    """Return numbers from right-aligned words of digits before the point and left-aligned words of digits after it."""
    numbers = _integers(wholes, _AT_END[before])
    if numbers is None or np.max(behind) == 0:
        return None if numbers is None else numbers.astype(np.float64)
    of_parts = _integers(parts, _AT_START[behind])
    return None if of_parts is None else (numbers * 10**_WORD + of_parts) / _SCALE


def _integers(words: AnyArray, digits: AnyArray) -> IntArray | None:
    """Return words of eight digits as integers, with zeros where `digits` has none; None if a byte is not a digit."""
    words = ((words ^ _ZEROS) & digits).view(np.uint64)
    if (((words + _SIXES) | words) & _HIGH).any():  # a byte above 9
        return None
    # Combine digits into pairs, pairs into fours and fours into eights.
    words = words * np.uint64(10) + (words >> np.uint64(8))
    words = (words & _PAIRS) * _HUNDREDS + ((words >> np.uint64(16)) & _PAIRS) * _ONES
    return (words >> np.uint64(32)).view(np.int64)
