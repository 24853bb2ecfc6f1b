"""The formats of docs/examples_of_extending: each is a file, and a line of the registry."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import polars as pl
import pytest

from outscore.errors import DataError
from outscore.items import Utterance
from outscore.readers import registry
from outscore.readers.registry import read_corpus

DOCS = Path(__file__).resolve().parents[2] / "docs" / "examples_of_extending"


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    own = {"stm": "input_format:Stm", "stars": "column_format:StarColumn"}
    monkeypatch.setattr(registry, "ITEM_FORMATS", own | registry.ITEM_FORMATS)
    monkeypatch.chdir(tmp_path)


def test_a_format_is_found_by_name_content_and_option() -> None:
    text = "m 1 ann 0.0 1.5 <o,f0> he hoped\n\nm 1 bob 2.5 3 so\n"
    for name, option in (("a.stm", None), ("a", None), ("a.txt", "stm")):
        Path(name).write_text(text)
        corpus = read_corpus(name, Utterance, option)
        assert corpus.items == ["he hoped", "so"]
        assert (corpus.item_ids, corpus.lines) == (("m-1-0.0", "m-1-2.5"), [1, 3])
    Path("a.stm").write_text(";; a comment\nno utterance\n")
    with pytest.raises(DataError, match=r'^a\.stm:2: expected an utterance of STM, got "no utterance"'):
        read_corpus("a.stm", Utterance)


def test_a_new_type_of_item_is_read_from_every_format_of_tables() -> None:
    kind = importlib.import_module("column_format").Stars
    rows = [{"id": "a", "stars": 3, "other": 2}, {"id": "b", "stars": 5, "other": 1}]
    pl.DataFrame(rows).write_parquet("a.parquet")
    pl.DataFrame(rows).write_csv("a.csv")
    pl.DataFrame(rows).write_csv("a.tsv", separator="\t")
    Path("a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for name in ("a.parquet", "a.csv", "a.tsv", "a.jsonl"):
        corpus = read_corpus(name, kind)
        assert (corpus.items, corpus.item_ids) == ([3, 5], ("a", "b"))
        assert read_corpus(f"{name}:other", kind).items == [2, 1]
    Path("a").write_text("3\n5\n")
    assert read_corpus("a", kind).items == [3, 5]
    Path("a").write_text("3\n6\n")
    with pytest.raises(DataError, match=r'^a:2: expected 1, 2, 3, 4 or 5, got "6"\. .*\[no-stars\]'):
        read_corpus("a", kind)
