"""Lines of numbers, parsed by whole blocks, against the reader that goes line by line."""

from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.readers.kit import numbers_in

from outscore.errors import DataError
from outscore.readers import read_table
from outscore.readers.tabular import formats, number_lines

DECIMALS = st.builds(
    lambda sign, whole, dot, part: sign + whole + dot + part,
    st.sampled_from(["", "", "", "-", "+", "--"]),
    st.text("0123456789", max_size=9),
    st.sampled_from([".", ".", "", ".."]),
    st.text("0123456789", max_size=10),
)
ODD = st.sampled_from(
    ["1e5", "1E-7", "nan", "inf", "-inf", "1_000", "١", "1.5.3", "1-2", "0x1", "", " ", "1 ", " 1", "\t1", "NA", "-"]
)  # fmt: skip
# Of one form, as programs write them, or of any.
LINES = st.one_of(
    st.lists(st.sampled_from(["0", "1"]), min_size=1, max_size=40),
    st.lists(st.floats(0, 1).map(lambda x: f"{x:.6f}"), min_size=1, max_size=40),
    st.lists(st.floats(-99, 99).map(lambda x: repr(round(x, 4))), min_size=1, max_size=40),
    st.lists(st.floats(allow_nan=False, allow_infinity=False).map(repr), min_size=1, max_size=20),
    st.lists(st.integers(-(10**9), 10**9).map(str), min_size=1, max_size=20),
    st.lists(st.one_of(DECIMALS, DECIMALS, ODD), min_size=1, max_size=12),
)


def outcome(data: bytes) -> object:
    """What a file of lines is: its numbers to the last bit, its cells and lines, or what is wrong with it."""
    try:
        table = formats.Plain().parse(data, "a.txt")
    except DataError as error:
        return [str(problem) for problem in error.problems]
    numbers, lacking = numbers_in(table.columns[""])
    return numbers.tobytes(), lacking, [str(cell) for cell in table.columns[""]], list(table.lines or ())


@given(
    LINES,
    st.sampled_from(["\n", "\n", "\r\n"]),
    st.sampled_from(["", "\n", "\n\n", "\r\n", " \n", "\n  "]),
    st.booleans(),
    st.sampled_from([1, 12, 50, 2**18]),
)
@example(["0.5", "", "1.5"], "\n", "\n", False, 50)
@example(["1", "-0.0", "5.", ".5", "007"], "\n", "", True, 2**18)
@example(["9999999.99999999", "-9999999.99999999"], "\n", "\n", False, 2**18)
def test_blocks_are_what_lines_are(lines: list[str], end: str, last: str, marked: bool, block: int) -> None:
    data = (b"\xef\xbb\xbf" if marked else b"") + (end.join(lines) + last).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(number_lines, "_BLOCK", block)
        by_blocks = outcome(data)
        patch.setattr(formats, "number_table", lambda data, source: None)
        by_lines = outcome(data)
    assert by_blocks == by_lines


@pytest.mark.skipif(np.finfo(np.longdouble).nmant != 63, reason="long double has no 64 bits here")
@pytest.mark.parametrize(
    "lines",
    [
        ["0", "1", "1"],
        ["0.123456", "1.000000", "0.500000"],
        ["-0.5", "12.25", "3", "-7", "0.00000001"],
        ["0.6931471805599453", "-0.0012345678901234567", "1234.5678901234567"],
    ],
)
def test_usual_lines_are_not_parsed_one_by_one(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = np.tile([float(line) for line in lines], 50_000)
    monkeypatch.setattr(number_lines, "float", None, raising=False)
    numbers = number_lines.numbers_of_lines("\n".join(lines * 50_000).encode())
    assert numbers is not None
    assert np.array_equal(numbers, expected)


def test_long_decimals_are_rounded_once() -> None:
    """Halfway between two doubles the last digit decides, also below a power of two."""
    rng = np.random.default_rng(0)
    lines = [
        f"{x:.{digits}f}" for digits in range(14, 25) for x in (rng.random(2_000) * 10.0 ** rng.uniform(-6, 4, 2_000))
    ]
    for exponent in range(-12, 12):
        middle = Decimal(2) ** exponent * (1 - Decimal(2) ** -54)
        lines += [str(round(middle + step * Decimal(10) ** -17, 17)) for step in range(-30, 31)]
    lines = [line for line in lines if "E" not in line]
    _agrees_with_float(lines)
    # 10²³ is no double.
    _agrees_with_float([f"0.{number:023d}" for number in range(1, 3_000, 7)])


def _agrees_with_float(lines: list[str]) -> None:
    numbers = number_lines.numbers_of_lines("\n".join(lines).encode())
    assert numbers is not None
    assert np.array_equal(numbers, [float(line) for line in lines])


def test_gzip_and_a_fault_late_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"0.25\n" * 100_000))
    assert len(read_table(str(path))) == 100_000
    path.write_bytes(gzip.compress(b"0.25\n" * 100_000 + b"\n1\n"))
    with pytest.raises(DataError, match=r"a\.txt\.gz:100001: expected a value, got a blank line"):
        read_table(str(path))
