"""Links in folders of logs: those that lead out of the folder are followed only on request."""

from __future__ import annotations

import shutil
import sys
import tarfile
from pathlib import Path

import pytest

import outscore
from outscore.errors import OutscoreError
from tests.running import Runner

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
LOGS = Path(__file__).resolve().parents[2] / "examples" / "logs" / "lm-eval"
CAREFUL, HASTY = LOGS / "made-up__careful", LOGS / "made-up__hasty"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one system, beside a folder with another."""
    shutil.copytree(CAREFUL, tmp_path / "in" / CAREFUL.name)
    shutil.copytree(HASTY, tmp_path / "out" / HASTY.name)
    return tmp_path / "in"


def systems(folder: Path, *, follow_links: bool = False) -> set[str]:
    ranking = outscore.rank(folder, metric="acc", task="compare_larger", follow_links=follow_links)
    return {system.name for system in ranking.systems}


@pytest.mark.parametrize("of_files", [False, True])
def test_links_out_are_left_out_with_one_line(folder: Path, outscore: Runner, of_files: bool) -> None:
    target = folder.parent / "out" / HASTY.name
    if of_files:
        (folder / HASTY.name).mkdir()
        for file in target.iterdir():
            (folder / HASTY.name / file.name).symlink_to(file)
        said = "this and 3 other links lead out of the folder and are not followed without --follow-links"
    else:
        (folder / HASTY.name).symlink_to(target)
        said = "this link leads out of the folder and is not followed without --follow-links"
    run = outscore("logs", "in")
    assert run.status == 0
    assert said in " ".join(run.out.split())
    assert "hasty " not in run.out
    followed = outscore("logs", "in", "--follow-links")
    assert "made-up/hasty" in followed.out
    assert "link" not in followed.out


def test_a_folder_of_nothing_but_links_is_an_error_that_says_so(folder: Path, outscore: Runner) -> None:
    (folder.parent / "links").mkdir()
    (folder.parent / "links" / "runs").symlink_to(folder)
    (folder.parent / "links" / "more").symlink_to(folder.parent / "out")
    for command in ("logs", "rank"):
        run = outscore(command, "links")
        assert run.status == 2
        assert run.err == (
            "links/more: this and 1 other link lead out of the folder and are not followed without --follow-links. "
            "[link]\n"
        )
    assert systems(folder.parent / "links", follow_links=True) == {"made-up/careful", "made-up/hasty"}


def test_links_within_the_folder_and_to_it_are_followed(folder: Path) -> None:
    shutil.copytree(HASTY, folder / ".store" / HASTY.name)
    (folder / "latest").symlink_to(folder / ".store" / HASTY.name)
    (folder.parent / "given").symlink_to(folder)
    assert systems(folder.parent / "given") == {"made-up/careful", "made-up/hasty"}


def test_files_beside_a_log_are_not_read_through_links(folder: Path) -> None:
    (results,) = (folder / CAREFUL.name).glob("results_*")
    for samples in (folder / CAREFUL.name).glob("samples_*"):
        samples.rename(folder.parent / samples.name)
        samples.symlink_to(folder.parent / samples.name)
    for path in (results, folder):
        with pytest.raises(OutscoreError, match=r"not followed without follow_links=True"):
            outscore.score(path, metric="acc", task="compare_larger")
    assert outscore.score(results, metric="acc", task="compare_larger", follow_links=True)


def test_texts_are_read_as_their_log_was(folder: Path) -> None:
    """Other reading of the same folder, by default without such links, must not change an earlier result."""
    careful = folder / CAREFUL.name
    for samples in careful.glob("samples_*"):
        samples.rename(folder.parent / samples.name)
        samples.symlink_to(folder.parent / samples.name)
    task = "compare_larger"
    result = outscore.compare(careful, folder.parent / "out", metric="acc", task=task, follow_links=True)
    with pytest.raises(OutscoreError, match="link"):
        outscore.read(careful, metric="acc", task=task)
    assert all(record["source"] for record in outscore.explore(result).records())


def test_a_link_that_is_named_has_texts(folder: Path) -> None:
    (samples,) = (folder / CAREFUL.name).glob("samples_compare_larger_*")
    link = folder.parent / "named" / samples.name
    link.parent.mkdir()
    link.symlink_to(samples)
    result = outscore.compare(
        link, next((folder.parent / "out" / HASTY.name).glob(samples.name[:22] + "*")), metric="acc"
    )
    assert all(record["source"] for record in outscore.explore(result).records())


def test_a_link_to_everything_is_not_walked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(HASTY, folder / HASTY.name)
    (folder / "root").symlink_to("/")
    (folder / "loop").symlink_to(folder / "loop")
    assert len(systems(folder)) == 2


def test_links_in_archives_are_never_followed(folder: Path) -> None:
    with tarfile.open(folder.parent / "logs.tar", "w") as archive:
        archive.add(folder, "in")
        shutil.copytree(HASTY, folder / HASTY.name)
        archive.add(folder / HASTY.name, f"in/{HASTY.name}")
        link = tarfile.TarInfo("in/samples_secret_2026-11-22T14-17-15.807895.jsonl")
        link.type, link.linkname = tarfile.SYMTYPE, str(folder.parent / "secret")
        archive.addfile(link)
    (folder.parent / "secret").write_text("{}")
    assert len(systems(folder.parent / "logs.tar", follow_links=True)) == 2


def test_the_option_is_for_logs(tmp_path: Path, outscore: Runner) -> None:
    (tmp_path / "a.txt").write_text("1\n0\n1\n")
    run = outscore("compare", "a.txt", "a.txt", "--follow-links")
    assert run.err == "--follow-links: applies only to evaluation logs. Omit the option. [no-logs]\n"
