"""Logs that are compressed, in archives, in UTF-16, behind links, damaged, or pointers to files elsewhere."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import outscore
from outscore.errors import DataError, OutscoreError
from tests.frozen.cases import run
from tests.logs.kit import LogFile, are_logs, json_in
from tests.logs.kit import logs_found as logs_in
from tests.logs.made import lm_eval_log
from tests.logs.test_pairing import one_line

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

OLD, NEW = [0.0, 1.0] * 6, [1.0, 1.0, 0.0, 1.0] * 3
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n"


def two_systems(folder: Path) -> Path:
    for name, right in (("old", OLD), ("new", NEW)):
        lm_eval_log(folder / name, name, right)
    return folder


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def tarred(path: Path, folder: Path) -> None:
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w:xz") as tar:
        tar.add(folder, arcname=folder.name)


def zipped(path: Path, folder: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for one in files_in(folder):
            file.write(one, one.relative_to(folder.parent).as_posix())


def summary(path: Path) -> object:
    scores = outscore.read(str(path))
    return scores.names, [rows.values.tolist() for rows in scores.rows[0]]


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [(".gz", gzip.compress), (".xz", lzma.compress), (".zst", zstd.compress), (".bz2", bz2.compress)],
)
def test_compressed_files_are_read(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    plain = summary(two_systems(tmp_path / "plain"))
    for path in files_in(two_systems(tmp_path / "packed")):
        half = len(path.read_bytes()) // 2  # in two streams
        path.with_name(f"{path.name}{suffix}").write_bytes(
            pack(path.read_bytes()[:half]) + pack(path.read_bytes()[half:])
        )
        path.unlink()
    assert summary(tmp_path / "packed") == plain
    first = next(path for path in files_in(tmp_path / "packed") if "samples" in path.name)
    assert are_logs(str(first))
    first.with_name(first.name.removesuffix(suffix)).write_text("", encoding="utf-8")
    assert str(first) not in [one.log.path for one in logs_in(str(tmp_path / "packed"))]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstd.compress, bz2.compress])
def test_compressed_bombs_and_cut_files_are_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setenv("OUTSCORE_MAX_BYTES", "1M")
    path = tmp_path / "samples_t_2026-01-02T03-04-05.678901.jsonl"
    path.write_bytes(pack(b'{"doc_id": 0}' + b" " * 2**24))
    for read in (lambda: LogFile(path).data, lambda: list(LogFile(path).lines())):
        with pytest.raises(OutscoreError, match="expected at most 1 MiB"):
            read()
    path.write_bytes(pack(os.urandom(2000))[:-900])
    for read in (lambda: LogFile(path).data, lambda: list(LogFile(path).lines())):
        with pytest.raises(OutscoreError, match="cannot-read"):
            read()


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read(tmp_path: Path, order: str) -> None:
    plain = summary(two_systems(tmp_path / "plain"))
    for path in files_in(two_systems(tmp_path / "wide")):
        path.write_bytes(f"\ufeff{path.read_text(encoding='utf-8')}".encode(order))
    assert summary(tmp_path / "wide") == plain


@pytest.mark.parametrize(("name", "pack"), [("runs.zip", zipped), ("runs.tar.gz", tarred), ("runs.tar.xz", tarred)])
def test_archives_are_folders_of_logs(tmp_path: Path, name: str, pack: Callable[[Path, Path], None]) -> None:
    plain = summary(two_systems(tmp_path / "made"))
    (tmp_path / "all").mkdir()
    path = tmp_path / "all" / name
    pack(path, tmp_path / "made")
    assert summary(path) == summary(path.parent) == plain
    assert {one.log.path.partition(name)[0] for one in logs_in(str(path))} == {f"{path.parent}{os.sep}"}
    page = tmp_path / "page.html"
    status, _, err = run(f"compare {path} --baseline old --report {page}")
    assert (status, err) == (0, "")
    assert "old says 0" in page.read_text(encoding="utf-8")
    two_systems(path.parent / "runs")  # unpacked beside it
    assert summary(path.parent) == plain


def test_errors_name_the_archive(tmp_path: Path) -> None:
    two_systems(tmp_path / "made")
    cut = next(path for path in files_in(tmp_path / "made") if "samples" in path.name)
    cut.write_text(cut.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    zipped(tmp_path / "runs.zip", tmp_path / "made")
    with pytest.raises(DataError) as error:
        logs_in(str(tmp_path / "runs.zip"))
    assert error.value.problems[0].where.startswith(f"{tmp_path / 'runs.zip'}/made/new/samples_sums")


def test_archives_write_nowhere_else_and_no_more_than_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTSCORE_MAX_BYTES", "1M")
    names = ["../up.json", "/tmp/outscore-absolute.json", "a/../../up.json", "C:\\x.json", ".hidden/a.json", "a.exe"]
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as file:
        for name in names:
            file.writestr(name, "{}")
    with tarfile.open(tmp_path / "odd.tar", "w") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 2
            tar.addfile(member, io.BytesIO(b"{}"))
        link = tarfile.TarInfo("link.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    for name in ("odd.zip", "odd.tar"):
        with pytest.raises(DataError, match="unrecognized log format"):
            logs_in(str(tmp_path / name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["odd.tar", "odd.zip"]
    assert not (tmp_path.parent / "up.json").exists()
    assert not Path("/tmp/outscore-absolute.json").exists()
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for place in range(8):
            file.writestr(f"{place}.json", b" " * 2**18)
    with tarfile.open(tmp_path / "bomb.tar.gz", "w:gz") as tar:
        member = tarfile.TarInfo("a.json")
        member.size = 2**21
        tar.addfile(member, io.BytesIO(b" " * 2**21))
    for name in ("bomb.zip", "bomb.tar.gz"):
        with pytest.raises(DataError, match="expected at most 1 MiB"):
            logs_in(str(tmp_path / name))


def test_what_cannot_be_unpacked_is_named_with_the_reason(tmp_path: Path) -> None:
    two_systems(tmp_path)
    (tmp_path / "more.7z").write_bytes(b"7z")
    (tmp_path / "cut.zip").write_bytes(b"PK\3\4")
    (tmp_path / "no.tar").write_bytes(b"no archive")
    notes = outscore.read(str(tmp_path)).notes
    for name, reason in (
        ("more.7z", "is left out, as its compression is not supported"),
        ("cut.zip", "is left out: expected a ZIP file, got one without its end"),
        ("no.tar", "is left out: expected a tar archive, got"),
    ):
        assert [note for note in notes if note.startswith(f"{tmp_path / name}: {reason}")]
    assert "[packed]" in one_line(f"logs {tmp_path / 'more.7z'}")


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_links_to_folders_are_followed_once(tmp_path: Path) -> None:
    two_systems(tmp_path / "elsewhere")
    root = tmp_path / "beside" / "root"
    root.mkdir(parents=True)
    lm_eval_log(tmp_path / "beside" / "not-asked-for", "other", OLD)
    for name in ("a", "b"):
        (root / name).symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (root / "up").symlink_to(tmp_path / "beside", target_is_directory=True)
    (tmp_path / "elsewhere" / "back").symlink_to(root, target_is_directory=True)
    assert outscore.read(str(root), follow_links=True).names == ("new", "old")


def test_pointers_of_git_lfs_are_one_line(tmp_path: Path) -> None:
    two_systems(tmp_path)
    for name in ("x.json", "y.jsonl", "z.eval"):
        (tmp_path / name).write_text(POINTER, encoding="utf-8")
    said = f"{tmp_path}: 3 files are Git LFS pointers instead of logs, the first {tmp_path / 'x.json'}"
    line = one_line(f"rank {tmp_path}")
    assert f"{said}. Run git lfs pull to get the files. [lfs-pointer]" in line
    status, out, _ = run(f"logs {tmp_path} --format json")
    assert (status, len(json.loads(out)["notes"])) == (0, 1)
    assert json.loads(out)["notes"][0].endswith("x.json. Run git lfs pull to get the files.")


@pytest.mark.parametrize(
    ("text", "what", "advice"),
    [
        (b'{"a": [1,\n 2,]}', "malformed JSON at line 2, column 4: trailing comma in array", "Correct the file there"),
        (b'{"a" 1}', "malformed JSON at byte 5: expected ':'", "Correct the file there"),
        (b'{"a": NaN,\n x}', "malformed JSON at line 2, column 2: Expecting property name", "Correct the file there"),
        (b'{"a": 1', "JSON with its end missing", "Check that the log is complete"),
        (b"  ", "an empty text", "Check that the log is complete"),
        (b"3", "not a log of this format", "Leave the file out, or write the log again"),
    ],
)
def test_errors_in_json_say_where_they_are_and_what_helps(text: bytes, what: str, advice: str) -> None:
    with pytest.raises(DataError) as error:
        json_in(text, "x.json", dict[str, object])
    assert what in str(error.value)
    assert error.value.problems[0].advice.startswith(advice)


def test_sentences_end_in_one_full_stop_and_folders_without_logs_give_the_error_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_bytes(b"PK\3\4")
    (tmp_path / "results.json").write_text('{"resolved": [], "no_generation": [],}', encoding="utf-8")
    line = one_line(f"logs {tmp_path}")
    assert ".." not in line.replace("...", "")
    assert "whole" not in line


def test_paths_of_several_logs_are_not_cut_where_they_differ(tmp_path: Path) -> None:
    folder = tmp_path / "a-folder-with-a-name-that-is-longer-than-all-of-a-line" / "of-a-message-that-shows-two-paths"
    for stamp in ("2026-01-02T03-04-05.678901", "2026-01-03T03-04-05.678901"):
        lm_eval_log(folder, "old", OLD, task="high_school_computer_science", stamp=stamp)
    with pytest.raises(OutscoreError) as error:
        outscore.read(str(folder))
    names = [f'"samples_high_school_computer_science_2026-01-0{day}T03-04-05.678901.jsonl"' for day in (2, 3)]
    assert f"{', '.join(names)} in {folder}" in str(error.value)
