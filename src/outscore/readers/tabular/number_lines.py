"""Parse lines of numbers in blocks, with the same result as `float` on each line."""

from __future__ import annotations

import numpy as np

from outscore._types import AnyArray, FloatArray

# No blanks, so that a line of two numbers is rejected.
OF_NUMBERS = b"0123456789+-.eE\n"
_BLOCK = 2**18  # bytes; the arrays computed from a block fit in the processor's cache
_WORD = 8  # bytes of a word, and its digits
_MOST_WORDS = 3  # after the point; the 17 digits of a double of at least 1e-7 fit
_EXACT, _EXACT_POWER = 2.0**53, 22  # whole numbers below this, and powers of ten up to 10²², are doubles
_LARGEST = 1.8e19  # estimates of whole numbers below this are of numbers below 2⁶⁴
# The 80-bit numbers of x86 hold whole numbers below 2⁶⁴ and powers of ten up to 10²⁷, so a quotient is rounded once.
# Their first 64 bits are the digits. A double has the first 53 of these.
_HAS_WIDE = np.finfo(np.longdouble).nmant == 63
_LOST, _HALF = np.uint64(2**11 - 1), np.uint64(2**10)
_ZEROS = np.uint64(0x3030303030303030)  # "00000000"
_SIXES, _HIGH = np.uint64(0x0606060606060606), np.uint64(0xF0F0F0F0F0F0F0F0)
_PAIRS = np.uint64(0x000000FF000000FF)
_HUNDREDS, _ONES = np.uint64(100 + (10**6 << 32)), np.uint64(1 + (10**4 << 32))
# Masks of the last bytes of a word. The first byte is the lowest.
_AT_END = ~np.array([(1 << 8 * count) - 1 for count in range(_WORD + 1)], dtype=np.uint64)[::-1]
_POWERS = 10 ** np.arange(20, dtype=np.uint64)  # up to 10¹⁹
_WIDE_POWERS = np.cumprod(np.full(_WORD * _MOST_WORDS + 1, 10, dtype=np.longdouble)) / 10
_SIZES = _WIDE_POWERS.astype(np.float64)


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
        of_block = _of_one_digit(block)
        if of_block is None:
            of_block = _of_block(block)
        if of_block is None:
            return None
        numbers[done : done + len(of_block)] = of_block
        done += len(of_block)
        start = end
    return numbers


def _of_one_digit(block: bytes) -> FloatArray | None:
    """Return the numbers of lines of one digit each; None for other lines."""
    characters = np.frombuffer(block, dtype=np.uint8)
    if len(block) % 2 or (characters[1::2] != ord("\n")).any():
        return None
    digits = characters[::2] ^ ord("0")
    return digits.astype(np.float64) if digits.max() <= 9 else None


def _of_block(block: bytes) -> FloatArray | None:
    """Return the numbers of a block of lines; None if one has no number.

    The digits before the point, and each eight after it, are a 64-bit word, converted by a few operations. Lines with
    more digits, exponents or faults are left to `float`.
    """
    padding = b"0" * _WORD * _MOST_WORDS
    characters = np.frombuffer(padding + block, dtype=np.uint8)
    words = np.ndarray(len(characters) - _WORD + 1, dtype="<u8", buffer=characters, strides=(1,))
    ends = np.flatnonzero(characters == ord("\n"))
    starts = np.concatenate([[len(padding)], ends[:-1] + 1])
    negative = characters[starts] == ord("-")
    points = np.flatnonzero(characters == ord("."))
    if len(points) == len(ends) and (points < ends).all() and (points >= starts).all():
        places = points  # one point in each line
    else:
        places = ends.copy()
        places[np.searchsorted(ends, points)] = points
    before, behind = places - starts - negative, np.maximum(ends - places - 1, 0)
    odd = (before + behind == 0) | (before > _WORD) | (behind > _WORD * _MOST_WORDS)
    behind = np.minimum(behind, _WORD * _MOST_WORDS)
    whole, has_others = _integers(words[places - _WORD], np.minimum(before, _WORD))
    odd |= has_others
    scaled, sizes = whole * _POWERS[np.minimum(behind, 19)], whole * _SIZES[behind]
    for word in range(min(-(-int(behind.max()) // _WORD), _MOST_WORDS)):
        part, has_others = _integers(words[ends - _WORD * (word + 1)], np.clip(behind - _WORD * word, 0, _WORD))
        odd |= has_others
        scaled += part * _POWERS[_WORD * word]
        sizes += part * _SIZES[_WORD * word]
    exact = (sizes < _EXACT) & (behind <= _EXACT_POWER)
    if exact.all() or not _HAS_WIDE:
        odd |= ~exact
        numbers: FloatArray = scaled / _SIZES[behind]
    else:
        wide = scaled.astype(np.longdouble) / _WIDE_POWERS[behind]
        numbers = wide.astype(np.float64)
        # Halfway between two doubles, the digits that an 80-bit number has lost decide.
        odd |= (sizes >= _LARGEST) | ((wide.view(np.uint64)[::2] & _LOST) == _HALF)
    np.negative(numbers, out=numbers, where=negative)
    if odd.any():
        if block.translate(None, OF_NUMBERS):
            return None
        limits = zip((starts[odd] - len(padding)).tolist(), (ends[odd] - len(padding)).tolist(), strict=True)
        try:
            numbers[odd] = [float(block[start:end]) for start, end in limits]
        except ValueError:
            return None
    return numbers


def _integers(words: AnyArray, counts: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the last digits of words, `counts` of each, as integers, and where one of these is not a digit."""
    words = (words ^ _ZEROS) & _AT_END[counts]
    no_digits = (((words + _SIXES) | words) & _HIGH) != 0  # a byte above 9
    # Combine digits into pairs, pairs into fours and fours into eights.
    words = words * np.uint64(10) + (words >> np.uint64(8))
    words = (words & _PAIRS) * _HUNDREDS + ((words >> np.uint64(16)) & _PAIRS) * _ONES
    return words >> np.uint64(32), no_digits
