"""Valid files of every format, damaged: a result or one of our errors, through the readers and through the metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.kit import ITEM_FORMATS, OUTPUT_METRICS, Corpus, item_formats, output_metric, read_corpus

from outscore.errors import OptionError, OutscoreError

_TREE = "{}\tel\t_\tDET\t_\t_\t{}\tdet\t_\t_\n"
_SQUAD = {"data": [{"paragraphs": [{"qas": [{"id": "q1", "answers": [{"text": "a"}]}, {"id": "q2", "answers": []}]}]}]}

# A small valid file of every format, and the metrics that can be computed from it: (file name, text).
VALID = {
    "jsonl": ("a.jsonl", '{"id": "1", "output": "a b"}\n{"id": "2", "output": ""}\n'),
    "text": ("a.txt", "a b c\n\nd e\n"),
    "jsonl-transcripts": ("a.jsonl", '{"id": "1", "transcript": "a b"}\n{"id": "2", "transcript": ""}\n'),
    "trn": ("a.trn", "a b (u1)\n(u2)\n;; c\nd (u3)\n"),
    "kaldi": ("a.kaldi", "u1 a b\nu2\nu3 d\n"),
    "transcripts": ("a.txt", "a b\n\nd\n"),
    "conllu": (
        "a.conllu",
        "# sent_id = 1\n1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n"
        + _TREE.format(1, 2)
        + _TREE.format(2, 0)
        + "2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n# sent_id = 2\n"
        + _TREE.format(1, 0)
        + "\n",
    ),
    "conllx": ("a.conllx", _TREE.format(1, 2) + _TREE.format(2, 0) + "\n" + _TREE.format(1, 0) + "\n"),
    "brackets": ("a.mrg", "( (S (NP (D a) (N b))\n (VP-X (V c)) (. .)))\n(())\n(S (V d))\n"),
    "naacl": ("a.wa", "0001 1 1\n0001 2 1 P 0.5\n0003 1 1 S\n"),
    "naacl-gold": ("a.wa", "0001 1 1 S\n0001 2 1 P\n0003 1 1\n"),
    "pharaoh": ("a.pharaoh", "0-0 1-1\n\n0p1 2-2\n"),
    "pharaoh-gold": ("a.pharaoh", "0-0 1-1\n\n0p1 2?2\n"),
    "jsonl-spans": ("a.jsonl", '{"id": 1, "tokens": ["a", "b"], "spans": [[0, 2, "X"]]}\n{"id": 2, "spans": []}\n'),
    "tags": ("a.bio", "-DOCSTART- O\n\na\tB-X\nb\tI-X\n\nc\tO\nd\tS-Y\n"),
    "labels": ("a.csv", "id,gold,pred\n1,x,y\n2,y,y\n"),
    "gold-labels": ("a.tsv", "id\tgold\tpred\n1\tx\ty\n2\ty\ty\n"),
    "squad-predictions": ("a.json", '{"q1": "a",\n "q2": ""}'),
    "squad": ("a.json", json.dumps(_SQUAD, indent=1)),
    "answers": ("a.jsonl", '{"id": "q1", "prediction": "a"}\n{"id": "q2", "prediction": null}\n'),
    "gold-answers": ("a.jsonl", '{"id": "q1", "answers": ["a", "b"]}\n{"id": "q2", "answers": []}\n'),
    "trec-run": ("a.run", "q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 1.5 x\nq2 Q0 d1 1 1 x\n"),
    "qrels": ("a.qrels", "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"),
    "numbers": ("a.csv", "id,value\n1,0.5\n2,-3\n3,1e3\n"),
}

nasty = st.sampled_from(
    ["", "\n", "\n\n", "\t", " ", "\r", "\0", "\x1c", "\x85", "\u2028", "\ufeff", "\ud7ff", "é", "٣", "0", "-1", "1-2",
     "1.1", "99999999999", "9" * 5000, "1e999", "nan", "-", "_", "(", ")", "(" * 2000, "[", "]", "{", "}", '"',
     "\\ud800", "null", "true", ":", ",", "#", "I-X", "E-", "O", "Q0", "p", ";;", "u1", "-DOCSTART-"]
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """Return `text` with some pieces replaced by nasty ones or by other pieces of itself, and lines moved about."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 8)))
        match draw(st.sampled_from(["replace", "copy", "lines", "cut"])):
            case "replace":
                text = text[:start] + draw(nasty) + text[end:]
            case "copy":
                text = text[:start] + text[end:start:-1] + text[start:]
            case "lines":
                text = "\n".join(draw(st.permutations(text.split("\n"))))
            case _:
                text = text[:start]
    return text


def check(error: OutscoreError) -> None:
    assert error.problems
    for problem in error.problems:
        assert str(problem).isprintable()
        assert str(problem).endswith(f" [{problem.slug}]")


def test_every_format_has_its_valid_file(tmp_path: Path) -> None:
    assert VALID.keys() == item_formats().keys()
    types = {key: known.item_type.__name__ for key, known in item_formats().items()}
    assert {key: place.split()[0] for key, place in ITEM_FORMATS.items()} == types
    for key, (name, text) in VALID.items():
        (tmp_path / name).write_text(text, "utf-8")
        corpus = read_corpus(str(tmp_path / name), item_formats()[key].item_type)  # found without being named
        assert len(corpus) >= 2
        assert list(corpus.items) == list(item_formats()[key].parse(text, name).items)


@pytest.mark.parametrize("key", VALID)
def test_damaged_files_are_corpora_or_errors(key: str) -> None:
    name, valid = VALID[key]
    known = item_formats()[key]

    @settings(max_examples=30, deadline=None)
    @given(st.one_of(damaged(valid), damaged(valid), st.text()))
    def read(text: str) -> None:
        known.sniff(text)
        try:
            corpus = known.parse(text, name)
        except OutscoreError as error:
            check(error)
            return
        assert len(corpus) == len(corpus.lines) > 0
        assert corpus.item_ids is None or len(corpus.item_ids) == len(corpus)
        assert all(1 <= line <= text.count("\n") + 1 for line in corpus.lines)
        assert all(isinstance(item, known.item_type) for item in corpus.items)

    read()


def scored(metric: Any, outputs: Corpus[Any], references: Corpus[Any]) -> np.ndarray[Any, Any]:
    outputs = metric.paired(outputs, references)
    sets = [(one,) for one in references.items] if metric.takes_several_references else references.items
    found: np.ndarray[Any, Any] = metric.fitted(sets, [outputs.items]).rows(outputs.items, sets)
    return found


# Reading is tested above: here the few formats whose items differ most, against what they are compared with.
@pytest.mark.parametrize(
    ("key", "gold", "spec"),
    [
        ("text", "text", "bleu"),
        ("text", "text", "ter"),
        ("jsonl", "jsonl", "chrf"),
        ("jsonl", "jsonl", "rougeLsum"),
        ("kaldi", "kaldi", "wer"),
        ("transcripts", "transcripts", "cer"),
        ("conllu", "conllu", "las"),
        ("conllx", "conllx", "clas"),
        ("brackets", "brackets", "bracket-f1"),
        ("naacl", "naacl-gold", "aer"),
        ("pharaoh", "pharaoh-gold", "alignment-f1"),
        ("tags", "tags", "macro-span-f1"),
        ("jsonl-spans", "jsonl-spans", "span-f1"),
        ("labels", "gold-labels", "kappa"),
        ("labels", "gold-labels", "macro-f1"),
        ("squad-predictions", "squad", "token-f1"),
        ("answers", "gold-answers", "exact-match"),
        ("trec-run", "qrels", "ap"),
        ("trec-run", "qrels", "ndcg"),
        ("numbers", "numbers", "pearson"),
    ],
)
def test_damaged_outputs_are_scored_or_refused(key: str, gold: str, spec: str) -> None:
    assert spec in OUTPUT_METRICS
    metric: Any = output_metric(spec)
    name, valid = VALID[key]
    references = item_formats()[gold].parse(VALID[gold][1], VALID[gold][0])

    @settings(max_examples=40, deadline=None)
    @given(damaged(valid))
    def score(text: str) -> None:
        try:
            rows = scored(metric, item_formats()[key].parse(text, name), references)
        except OutscoreError as error:
            check(error)
            return
        assert len(rows) == len(references)
        assert np.isfinite(rows).all()

    score()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(sorted(VALID)),
    st.one_of(st.none(), st.sampled_from([*VALID, "tags:scheme=IOB2,strict", "naacl:n_pairs=3", "pharaoh:one_based"])),
    st.one_of(st.none(), nasty, st.sampled_from(["id", "pred", "output"])),
    st.data(),
)
def test_any_file_under_any_name_and_format(
    tmp_path: Path, key: str, format_name: str | None, column: str | None, data: st.DataObject
) -> None:
    name, valid = VALID[data.draw(st.sampled_from(sorted(VALID)))]
    path = tmp_path / name
    path.write_bytes(data.draw(damaged(valid)).encode("utf-8", "surrogatepass"))
    spec = str(path) if column is None else f"{path}:{column}"
    try:
        corpus = read_corpus(spec, item_formats()[key].item_type, format_name)
    except OutscoreError as error:
        check(error)
    else:
        assert corpus.name == spec
        assert len(corpus) > 0


@settings(max_examples=40)
@given(st.sampled_from(sorted(VALID)), st.one_of(st.text(), st.lists(nasty, max_size=5).map("=,".join)))
def test_any_options_are_a_format_or_an_error(key: str, options: str) -> None:
    with pytest.raises(OutscoreError) as caught:
        read_corpus("no such file", str, f"{key}:{options}")
    check(caught.value)


HUGE = {
    "brackets": [("(" * 100_000, False), ("(" * 100_000 + "N a" + ")" * 100_000, True)],
    "naacl": [("1 1 99999999999", False), ("1 1 999999999\n2 1 1", False), ("1 1 1\n999999999 1 1", False)],
    "pharaoh": [("0-99999999999", False), ("0-999999999", False), ("0-999", True)],
    "squad": [('{"data": ' * 50_000, False), ("[" * 100_000, False)],
    "squad-predictions": [('{"a": ' + "9" * 5000 + "}", False)],
    "jsonl-spans": [('{"spans": [[0, ' + "9" * 4000 + ', "X"]]}', True), ('{"spans": ' + "[" * 100_000, False)],
    "conllu": [("1-999999999\tx" + "\t_" * 8, False), (_TREE.format(1, 999999999), False)],
    "numbers": [("9" * 5000, False)],
    "qrels": [("q 0 d " + "9" * 5000, False)],
}


@pytest.mark.parametrize("key", HUGE)
def test_huge_nests_and_numbers_are_read_or_refused(key: str) -> None:
    for text, is_corpus in HUGE[key]:
        try:
            item_formats()[key].parse(text, "a")
        except OutscoreError as error:
            check(error)
            assert not is_corpus
        else:
            assert is_corpus


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tagz", r'unknown format "tagz"\. Did you mean "tags"\? \[unknown-format\]'),
        ("tags:schema=IOB2", r'tags has no option "schema"\. Did you mean "scheme"\? \[unknown-format-option\]'),
        ("tags:scheme=IOB3", r"input_format: tags:scheme expected one of IOB1, .* \[bad-format-option\]"),
        ("tags:strict=maybe", r'tags:strict expected true or false, got "maybe"\..*\[bad-format-option\]'),
        ("tags:scheme=", r'tags:scheme expected one of IOB1, IOB2, IOBES, BILOU, got ""'),
        ("text:x=1", r'text has no option "x"\. text has no options\.'),
        (
            "naacl:n_pairs=0",
            r'input_format="naacl:n_pairs": expected a number of pairs from 1 to .*, got 0\..*\[out-of-range\]',
        ),
        ("naacl:n_pairs=1e3", r'naacl:n_pairs expected whole number or none, got "1e3"'),
        ("tags:scheme=IOB2,scheme=IOB1", r"tags:scheme takes one value, got several"),
        ('tags:scheme="IOB2', r"input_format: expected a comma or the end .* \[bad-quotes\]"),
        ("tags@3", r"input_format: tags has no cutoff \(@3\).*\[unknown-format-option\]"),
    ],
)
def test_bad_formats_are_told(spec: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        read_corpus("no such file", str, spec)


def test_columns_and_options_are_read(tmp_path: Path) -> None:
    table = tmp_path / "all.csv"
    table.write_text("id,reference,output,human,metric\nq2,a b,a,1,10\nq1,c,c d,2,20\n")
    for item_type, column, items in (
        ("text", "output", ["a", "c d"]),
        ("transcripts", "reference", ["a b", "c"]),
        ("labels", "human", ["1", "2"]),
        ("gold-labels", "metric", ["10", "20"]),
        ("gold-answers", "reference", [("a b",), ("c",)]),
        ("answers", "output", ["a", "c d"]),
        ("numbers", "metric", [10.0, 20.0]),
    ):
        corpus = read_corpus(f"{table}:{column}", item_formats()[item_type].item_type)
        assert list(corpus.items) == items
        assert (corpus.name, corpus.item_ids, list(corpus.lines)) == (f"{table}:{column}", ("q2", "q1"), [2, 3])
    assert read_corpus(f"{table}:id", item_formats()["labels"].item_type).item_ids is None
    with pytest.raises(OutscoreError, match=r":output: cannot read column .*\[no-table\]"):
        read_corpus(f"{table}:output", item_formats()["brackets"].item_type)
    # A table of another name, told apart by its first line as the user says that it is one.
    other = tmp_path / "scores"
    other.write_text("system\tvalue\nx\t1\ny\t2\n")
    assert list(read_corpus(f"{other}:value", float).items) == [1.0, 2.0]


def test_options_serve_outputs_and_gold(tmp_path: Path) -> None:
    names = {"a.wa": "2 1 1\n", "gold.wa": "1 1 1 S\n", "source": "x\ny z\nx\n", "target": "u\nv\nw\n"}
    for name, text in names.items():
        (tmp_path / name).write_text(text)
    texts = f"naacl:source={tmp_path / 'source'},target={tmp_path / 'target'}"
    for option in (texts, "naacl:n_pairs=3"):
        for name, key in (("a.wa", "naacl"), ("gold.wa", "naacl-gold")):
            corpus = read_corpus(str(tmp_path / name), item_formats()[key].item_type, option)
            assert corpus.item_ids == ("1", "2", "3")
    (tmp_path / "a.wa").write_text("2 3 1\n")
    with pytest.raises(OutscoreError, match=r"a\.wa:1: source token 3 is aligned, but the sentence has 2\."):
        read_corpus(str(tmp_path / "a.wa"), item_formats()["naacl"].item_type, texts)
    # Gold in another format is read as what it is.
    (tmp_path / "gold.txt").write_text("0-0\n\n0p0\n")
    assert len(read_corpus(str(tmp_path / "gold.txt"), item_formats()["naacl-gold"].item_type, texts)) == 3
