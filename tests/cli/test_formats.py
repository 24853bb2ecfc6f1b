"""`outscore formats`, and formats that are named."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from tests.kit import item_formats, read_corpus
from tests.running import Runner


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_all_formats_are_listed_at_any_width(outscore: Runner, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    run = outscore("formats")
    assert (run.status, run.err) == (0, "")
    lines = run.out.splitlines()
    assert max(map(len, lines)) <= max(int(columns), 60)
    heads = [line.partition(":")[0] for line in lines if line and not line.startswith(" ")]
    assert heads[: len(item_formats())] == list(item_formats())
    assert " ".join(run.out.split()).endswith("Use: --input-format NAME:OPTION=VALUE,...")


def test_all_that_is_known_of_formats_is_written_as_json(outscore: Runner) -> None:
    found = json.loads(outscore("formats", "--format", "json").out)
    assert found["schema"] == "outscore/formats/1"
    for one, (name, known) in zip(found["formats"], item_formats().items(), strict=True):
        assert one["name"] == name
        assert one["extensions"] == list(known.extensions)
        options: list[str] = [field.name for field in fields(known)] if is_dataclass(known) else []
        assert sorted(option["name"] for option in one["options"]) == sorted(options)
        assert all(option["description"] for option in one["options"])
        assert one["summary"]
        assert one["outputs_of"] or one["references_of"]


def test_values_of_options_are_understood_in_any_letter_case(tmp_path: Path) -> None:
    path = tmp_path / "a.bio"
    path.write_text("a\tI-X\n\nb\tB-X\n")
    kind = item_formats()["tags"].item_type
    spans = [read_corpus(str(path), kind, f"tags:scheme={scheme}").items for scheme in ("IOB2", "iob2", "Iob2")]
    assert spans[0] == spans[1] == spans[2]
    assert [len(item.spans) for item in spans[0]] == [0, 1]


def test_a_format_that_a_metric_does_not_read_is_refused(outscore: Runner, tmp_path: Path) -> None:
    for name in "rab":
        (tmp_path / name).write_text("a O\n\nb B-X\n")
    compared = ["compare", "-m", "span-f1", "-r", "r", "a", "b", "-q", "--n-resamples", "50", "--input-format"]
    for name, status in (("tags", 0), ("trn", 2), ("naacl:n_pairs=2", 2)):
        run = outscore(*compared, name)
        assert run.status == status, run.err
        if status:
            told = f'span-f1 does not read the format "{name.partition(":")[0]}". Supported formats: jsonl-spans, tags.'
            assert run.err == f"--input-format: {told} [other-format]\n"
    run = outscore("rows", "-m", "bleu", "-r", "r", "a", "-o", "x.npz", "--input-format", "tags")
    assert "[other-format]" in run.err
    (tmp_path / "links").write_text("1 1 1\n2 1 1\n")
    run = outscore("compare", "-m", "aer", "-r", "links", "links", "links", "-q", "--input-format", "naacl:n_pairs=2")
    assert run.status == 0, run.err


@pytest.mark.parametrize("command", ["score", "compare"])
def test_records_of_every_eval_ever_are_no_longer_written(outscore: Runner, command: str) -> None:
    run = outscore(command, "a.txt", "b.txt", "--format", "every-eval-ever")
    assert (run.status, run.out) == (2, "")
    assert run.err == "--format every-eval-ever: dropped in version 1.0. Use --format json. [dropped]\n"
