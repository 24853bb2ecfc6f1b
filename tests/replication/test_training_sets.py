"""Items are found as they stand in the file, byte by byte."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.errors import DataError, FileAccessError, OptionError
from tests.replication.kit import TrainingSet, Unit, check_aligned, read_training_set

WORD = b"1\tdog\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n"


def read(folder: Path, content: bytes, name: str = "t.txt", unit: Unit | None = None, **more: int) -> TrainingSet:
    path = folder / name
    path.write_bytes(content)
    return read_training_set(str(path), unit, **more)


def items(of: TrainingSet) -> list[bytes]:
    return [of.data[start:end] for start, end in zip(of.starts, of.ends, strict=True)]


def written(of: TrainingSet, folder: Path, drawn: list[int]) -> bytes:
    of.write(np.array(drawn, dtype=np.int64), folder / "drawn")
    return (folder / "drawn").read_bytes()


def test_lines_end_at_line_feeds_alone(tmp_path: Path) -> None:
    of = read(tmp_path, b"a\x0b\xe2\x80\xa8b\n\xff\xfe not UTF-8\rc\nlast\n")
    assert items(of) == [b"a\x0b\xe2\x80\xa8b\n", b"\xff\xfe not UTF-8\rc\n", b"last\n"]


@pytest.mark.parametrize(
    ("content", "drawn"),
    [(b"a\nb", b"b\na\nb\n"), (b"a\r\nb", b"b\r\na\r\nb\r\n"), (b"a\r\nb\r\n", b"b\r\na\r\nb\r\n")],
    ids=["no final newline", "no final newline after CRLF", "CRLF"],
)
def test_every_line_ends_as_the_first_does(tmp_path: Path, content: bytes, drawn: bytes) -> None:
    assert written(read(tmp_path, content), tmp_path, [1, 0, 1]) == drawn


def test_a_byte_order_mark_stays_in_front(tmp_path: Path) -> None:
    of = read(tmp_path, b"\xef\xbb\xbfa\nb\n")
    assert items(of) == [b"a\n", b"b\n"]
    assert written(of, tmp_path, [1, 0]) == b"\xef\xbb\xbfb\na\n"


def test_blocks_are_parted_by_blank_lines_however_many(tmp_path: Path) -> None:
    of = read(tmp_path, b"\n \na\nb\n\n\t\r\n\nc", unit=Unit.BLOCKS)
    assert items(of) == [b"a\nb\n", b"c\n"]
    assert written(of, tmp_path, [1, 0, 0]) == b"c\n\na\nb\n\na\nb\n\n"


def test_blocks_of_a_file_with_carriage_returns_keep_them(tmp_path: Path) -> None:
    of = read(tmp_path, b"a\r\nb\r\n\r\nc\r\n", unit=Unit.BLOCKS)
    assert written(of, tmp_path, [1, 0]) == b"c\r\n\r\na\r\nb\r\n\r\n"


def test_sentences_keep_their_comments(tmp_path: Path) -> None:
    of = read(tmp_path, b"# sent_id = 1\n" + WORD + b"\n" + WORD, "t.conllu")
    assert of.unit is Unit.CONLLU
    assert items(of) == [b"# sent_id = 1\n" + WORD, WORD]


def test_records_are_lines_and_blank_lines_are_none(tmp_path: Path) -> None:
    of = read(tmp_path, b'{"a": 1}\n\n[2]\n', "t.jsonl")
    assert items(of) == [b'{"a": 1}\n', b"[2]\n"]


def test_blank_lines_are_items_where_lines_are_asked_for(tmp_path: Path) -> None:
    assert items(read(tmp_path, b"a\n\nb\n\n", unit=Unit.LINES)) == [b"a\n", b"\n", b"b\n", b"\n"]


def test_a_header_is_no_item_and_is_kept(tmp_path: Path) -> None:
    of = read(tmp_path, b"text,label\na,1\nb,0\n", "t.csv", header=1)
    assert len(of) == 2
    assert written(of, tmp_path, [1]) == b"text,label\nb,0\n"


def test_gzip_is_read_and_drawn_sets_are_plain(tmp_path: Path) -> None:
    of = read(tmp_path, gzip.compress(WORD), "t.conllu.gz")
    assert (of.suffix, of.unit) == (".conllu", Unit.CONLLU)
    assert of.digest == hashlib.sha256(WORD).hexdigest()
    assert written(of, tmp_path, [0]) == WORD + b"\n"


@given(lines=st.lists(st.binary(max_size=4).map(lambda line: line.translate(None, b"\n\0")), min_size=1, max_size=20))
def test_lines_put_together_are_the_file(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    content = b"".join(b"x" + line + b"\n" for line in lines)
    folder = tmp_path_factory.mktemp("lines")
    of = read(folder, content, unit=Unit.LINES)
    assert items(of) == [b"x" + line + b"\n" for line in lines]
    assert written(of, folder, list(range(len(of)))) == content


@given(lines=st.lists(st.sampled_from([b"a", b" b", b"", b" ", b"\r", b"\t c"]), max_size=12))
def test_blocks_are_those_of_a_plain_loop(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    expected: list[list[bytes]] = [[]]
    for line in lines:
        if line.strip():
            expected[-1].append(line + b"\n")
        elif expected[-1]:
            expected.append([])
    blocks = [b"".join(block) for block in expected if block]
    content = b"".join(line + b"\n" for line in lines)
    folder = tmp_path_factory.mktemp("blocks")
    if blocks:
        assert items(read(folder, content, unit=Unit.BLOCKS)) == blocks
    else:
        with pytest.raises(DataError, match=r"\[empty\]"):
            read(folder, content, unit=Unit.BLOCKS)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.txt", b"", "expected lines to draw from"),
        ("t.txt", b"\n\n", "expected lines to draw from"),
        ("t.txt", "a\nb\n".encode("utf-16"), "not-text"),
        ("t.parquet", b"PAR1\0\n", "offset 4"),
        ("t.jsonl", b"\n", "expected records"),
        ("t.jsonl", b'{"a": 1}\n\n{"a"\n', r"t\.jsonl:3: expected a JSON value"),
        ("t.jsonl", b"[]\n" + b"[" * 50_000, r"t\.jsonl:2: expected a JSON value"),
        ("t.jsonl", b'"\xff"\n', r"t\.jsonl:1: expected a JSON value"),
        ("t.conllu", WORD + b"\n# a comment\n\n" + WORD, r"t\.conllu:3: .*only comments"),
        ("t.conllu", WORD + b"\n# text\ndog\tNOUN\n", r"t\.conllu:4: .*10 columns, got 2"),
    ],
)
def test_what_cannot_be_drawn_from_is_refused(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    with pytest.raises(DataError, match=says):
        read(tmp_path, content, name)


def test_a_header_of_the_whole_file_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="and header"):
        read(tmp_path, b"a\nb\n", header=2)


def test_blank_lines_must_be_explained(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r't\.txt:2: .*unit="blocks"'):
        read(tmp_path, b"the DET\n\na DET\n")


def test_a_table_must_say_whether_it_has_a_header(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="header=1"):
        read(tmp_path, b"a,1\n", "t.csv")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="cannot-read"):
        read_training_set(str(tmp_path / "none.txt"))


def test_files_of_different_lengths_are_not_aligned(tmp_path: Path) -> None:
    sets = [read(tmp_path, b"a\nb\n", "t.en"), read(tmp_path, b"a\n", "t.fr")]
    with pytest.raises(DataError, match=r"t\.fr: expected 2 lines, as in .*t\.en, got 1"):
        check_aligned(sets)
