"""What is read is bounded, in linear time, and one line says what was too much."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.gating.kit import StreamedItems
from tests.logs.kit import Archive, inventory_of
from tests.logs.kit import logs_found as logs_in
from tests.readers.kit import NumberLines, is_kept, most_bytes, number_in, numbers_in, read_bytes, unpacked

import outscore
from outscore.errors import DataError, OptionError, OutscoreError
from outscore.metrics import METRICS
from outscore.readers import read_system, read_table

# Each took between 26 and 60 seconds, or ended in a traceback; benchmarks/bounds.py measures what some take.
TOO_MUCH: dict[str, tuple[str, Callable[[], str], str]] = {
    "long integer": ("b.toml", lambda: f"metrics = {'1' * 5000}\n", "not-toml"),
    "long integer of a system": ("b.toml", lambda: f'[[systems]]\nname = {hex(10**5000)}\nfile = "a"\n', "wrong-type"),
    "nested arrays": ("b.toml", lambda: f"metrics = {'[' * 50_000}\n", "not-toml"),
    "nested tables": ("b.toml", lambda: f"a = {'{a=' * 50_000}\n", "not-toml"),
    "dotted keys": ("b.toml", lambda: f"{'.'.join('a' * 40_000)} = 1\n", "unknown-key"),
    "dotted headings": ("b.toml", lambda: f"[{'.'.join('a' * 40_000)}]\n", "unknown-key"),
    "dotted quotes": ("b.toml", lambda: " . ".join(['"a"'] * 40_000) + " = 1\n", "unknown-key"),
    "quotes": ("b.toml", lambda: "'\"" * 100_000, "not-toml"),
    "columns": ("a.csv", lambda: f"{','.join(f'c{i}' for i in range(40_000))}\n", "too-many-fields"),
    "columns of one name": ("a.csv", lambda: f"id,{','.join(['c'] * 9_000)}\n", "duplicate-column"),
    "fields": ("a.jsonl", lambda: "".join(f'{{"q{i}": {i}}}\n' for i in range(9_999)), "too-many-fields"),
    "fields of one line": ("a.jsonl", lambda: json.dumps({f"q{i}": i for i in range(40_000)}), "too-many-fields"),
}


@pytest.mark.parametrize("case", TOO_MUCH)
def test_too_much_is_refused_on_one_line(case: str, tmp_path: Path) -> None:
    name, made, slug = TOO_MUCH[case]
    path = tmp_path / name
    path.write_text(made())
    with pytest.raises(OutscoreError) as caught:
        outscore.read(path)
    assert caught.value.problems[0].slug == slug
    for problem in caught.value.problems:
        assert str(problem).isprintable()
        assert len(str(problem)) < 1000


@pytest.mark.slow
def test_as_many_columns_as_there_may_be_are_read(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    columns = [f"system {i}" for i in range(9_999)]
    path.write_text("\n".join([",".join(["id", *columns]), *(f"q{i},{','.join(['1'] * 9_999)}" for i in range(3))]))
    assert len(outscore.read(path)) == 9_999


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a file without end")
def test_files_without_end_end() -> None:
    program = "import sys; from outscore.cli import main; main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", program, "compare", "/dev/zero", "/dev/zero"],
        capture_output=True,
        text=True,
        timeout=300,
        env={"OUTSCORE_MAX_BYTES": "20M", "PYTHONPATH": ":".join(sys.path)},
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "/dev/zero: expected at most 20 MiB, got more. Use a smaller file, or raise the limit with the environment "
        "variable OUTSCORE_MAX_BYTES, such as OUTSCORE_MAX_BYTES=8G. [too-large]\n"
    )


def test_a_little_gzip_of_very_much_takes_no_more_memory_than_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTSCORE_MAX_BYTES", "4M")
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(bytes(2**28), 1))
    tracemalloc.start()
    with pytest.raises(DataError, match="too-large"):
        read_bytes(str(path))
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()
    (tmp_path / "b.txt").write_bytes(bytes(2**22 + 1))
    with pytest.raises(DataError, match="expected at most 4 MiB, got more"):
        read_bytes(str(tmp_path / "b.txt"))
    (tmp_path / "c.txt").write_bytes(bytes(2**22))
    assert len(read_bytes(str(tmp_path / "c.txt"))) == 2**22


@pytest.mark.parametrize(("asked", "limit"), [("7", 7), ("2k", 2048), ("3MB", 3 * 2**20), (" 1G ", 2**30)])
def test_the_limit_is_what_the_environment_says(asked: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTSCORE_MAX_BYTES", asked)
    assert most_bytes() == limit


@pytest.mark.parametrize("asked", ["much", "0", "-1", "1.5G", "\x1b[31m"])
def test_another_limit_is_refused(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTSCORE_MAX_BYTES", asked)
    with pytest.raises(OptionError, match="expected a size such as 8G") as caught:
        most_bytes()
    assert str(caught.value).isprintable()


TAU = Path(__file__).parents[2] / "examples" / "logs" / "tau-bench" / "gpt-4o-airline.json"


@pytest.mark.parametrize("size", ["1e300", "-1e300", "1.1e100"])
def test_all_readers_have_one_bound_of_magnitudes(tmp_path: Path, size: str) -> None:
    (tmp_path / "log.json").write_text(TAU.read_text().replace('"reward": 0.0', f'"reward": {size}', 1))
    (tmp_path / "table.csv").write_text(f"id,score\nq1,{size}\nq2,0\n")
    for source in (tmp_path / "log.json", tmp_path / "table.csv", [float(size), 0.0]):
        with pytest.raises(DataError, match="expected numbers between 1e-100 and 1e100 in size") as caught:
            outscore.score(source, metric="reward" if source == tmp_path / "log.json" else "mean")
        assert caught.value.problems[0].slug == "out-of-scale"
    items = StreamedItems(BytesIO((tmp_path / "table.csv").read_bytes()), [METRICS["mean"]()])
    with pytest.raises(DataError, match="expected numbers between 1e-100 and 1e100 in size"):
        list(items)
    entry = next(one for one in inventory_of(logs_in(str(tmp_path / "log.json"))).entries if one.metric == "reward")
    assert (entry.score, entry.agrees) == (None, None)
    assert "between 1e-100 and 1e100" in str(entry.explanation)


def _npz_with_a_header_of(shape: tuple[int, ...]) -> bytes:
    header, values, file = BytesIO(), BytesIO(), BytesIO()
    np.save(header, np.frombuffer(b"{}", dtype=np.uint8))
    np.lib.format.write_array_header_1_0(values, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("outscore.header.npy", header.getvalue())
        archive.writestr("outscore.values.npy", values.getvalue())
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", b"PAR1" + b"x" * 100 + (2**31).to_bytes(4, "little") + b"PAR1"),
        ("b.parquet", b"PAR1" + b"x" * 100 + (2**31).to_bytes(4, "little") + b"cut."),
        ("c.parquet", b"PAR1"),
        ("d.npz", _npz_with_a_header_of((2**24, 8))),
    ],
)
def test_a_length_that_a_file_states_takes_no_memory_that_the_file_does_not_fill(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = str(tmp_path / name)
    Path(path).write_bytes(content)
    tracemalloc.start()
    if is_kept(path):
        with pytest.raises(DataError):
            unpacked(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24


def test_a_length_in_a_zip_file_of_a_log_takes_no_memory(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("header.json", "{}")
    data = (tmp_path / "a.eval").read_bytes()
    place = data.index(b"PK\1\2") + 20
    (tmp_path / "a.eval").write_bytes(data[:place] + (2**30).to_bytes(4, "little") + data[place + 4 :])
    tracemalloc.start()
    with Archive(str(tmp_path / "a.eval")) as archive, pytest.raises(DataError, match="fewer bytes than the directory"):
        archive.read("header.json")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_long_cell_of_csv_is_not_blamed_on_quotes(tmp_path: Path, quote: str) -> None:
    text = f"id,score,answer\nq1,1,{quote}short{quote}\nq2,0,{quote}{'long' * 50_000}{quote}\n"
    (tmp_path / "a.csv").write_text(text)
    expected = "a.csv:3: expected cells of at most 131,072 characters, got a longer one. Remove the column"
    with pytest.raises(DataError, match=expected) as caught:
        outscore.read(tmp_path / "a.csv")
    assert caught.value.problems[0].slug == "too-long"
    with pytest.raises(DataError, match=expected.removeprefix("a.csv")):
        list(StreamedItems(BytesIO(text.encode()), [METRICS["mean"]()]))


lines = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**30), 10**30).map(str),
    st.from_regex(r"[-+]?\d{0,25}\.?\d{0,25}([eE][-+]?\d{1,3})?", fullmatch=True),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(lines, min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
@example(["0.1", "1e400", "-0.0", "2.2250738585072011e-308"], "\n", True)
@example(["1-2", "3"], "\n", True)
@example(["1.5.3"], "\n", True)
def test_numbers_a_line_are_those_of_python_to_the_last_bit(
    tmp_path: Path, written: list[str], end: str, last: bool
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes((end.join(written) + end * last).encode())
    while written and not written[-1]:
        written.pop()
    if not written or not all(written):
        with pytest.raises(DataError):
            read_table(str(path))
        return
    cells = read_table(str(path)).columns[""]
    found, lacking = numbers_in(cells)
    numbers = [number_in(line) for line in written]
    assert lacking == [place for place, number in enumerate(numbers) if number is None]
    expected = np.array([np.nan if number is None else number for number in numbers])
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    assert isinstance(cells, NumberLines) == (not lacking)
    assert list(cells) == [cells[i] for i in range(len(cells))] == written == list(cells[:])
    assert cells[-1] == written[-1]


def test_scores_a_line_take_little_more_than_their_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"0.123456\n" * 200_000)
    tracemalloc.start()
    read_system(str(path), METRICS["mean"]())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * path.stat().st_size  # a text for each line takes twice as much


def test_json_lines_take_little_more_than_their_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"id": "q{i}", "score": 0.{i}}}\n' for i in range(50_000)))
    tracemalloc.start()
    read_system(str(path), METRICS["mean"]())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * path.stat().st_size
