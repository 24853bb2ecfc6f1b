"""Files of human evaluation: their scores, what is left out, and what their columns mean."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import outscore
from outscore.errors import DataError, OptionError
from outscore.readers.tabular.human import domain_of
from tests.human import made
from tests.kit import format_of

CASES = made.ROOT.parent / "shared" / "cases" / "people"
WRITERS = [made.appraise, made.wmt, made.pearmut]


def by_system(scores: dict[tuple[str, str, str, int], float]) -> dict[str, float]:
    """Return the macro average over domains, plainly."""
    means = {}
    for system in ("good", "fair", "poor"):
        of_domains = [
            np.mean([score for key, score in scores.items() if key[:2] == (system, domain)]) for domain in made.DOMAINS
        ]
        means[system] = float(np.mean(of_domains))
    return means


@pytest.mark.parametrize("write", WRITERS, ids=["appraise", "wmt", "pearmut"])
def test_a_file_is_enough(write: Callable[[Path], dict[tuple[str, str, str, int], float]], tmp_path: Path) -> None:
    path = tmp_path / ("esa.csv" if write is made.appraise else "esa.jsonl")
    scores = by_system(write(path))
    more = 0.5 if write is made.pearmut else 0.0  # the second rater gives a point more
    ranking = outscore.rank(path)
    assert {system.name: round(system.score, 9) for system in ranking.systems} == pytest.approx(
        {system: round(score + more, 9) for system, score in scores.items()}
    )
    assert (ranking.n_items, ranking.n_units, ranking.over) == (72, 24, "macro average of 3 strata")
    said = " ".join(ranking.warnings)
    assert 'By default items of one document are resampled together (clusters="document") and the score is the' in said
    assert "macro average over each domain" in said


def test_the_defaults_are_those_options(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    scores = made.appraise(path)
    table = tmp_path / "plain.csv"
    rows = [f"{key[0]},{key[2]}:{key[3]},{key[2]},{key[1]},{score}" for key, score in scores.items()]
    table.write_text("system,item,document,domain,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    ours = outscore.rank(path)
    same = outscore.rank(table, clusters="document", strata="domain", weights="macro")
    assert [pair.p_value for pair in ours.pairs] == [pair.p_value for pair in same.pairs]
    by_items = outscore.rank(path, clusters="item", weights="size")
    without = outscore.rank(table, strata="domain", weights="size")
    assert [pair.gain for pair in by_items.pairs] == pytest.approx([pair.gain for pair in without.pairs])
    assert by_items.n_units == 72


def test_what_the_organisers_leave_out_is_counted(tmp_path: Path) -> None:
    for spans in (True, False):
        path = tmp_path / "esa.csv"
        made.appraise(path, spans=spans)
        first = outscore.rank(path).warnings[0]
        assert first == (
            "Ratings left out: 1 of control items, 2 of documents marked #dup or #incomplete, 1 of tutorials, "
            "1 of the canary, 1 of whole documents."
        )


def test_two_systems_of_a_file_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    [comparison] = outscore.compare(f"{path}:fair", f"{path}:good").comparisons
    pair = outscore.rank(path).pair("fair", "good")
    assert comparison.gain == pytest.approx(pair.gain)
    assert comparison.test.p_value == pytest.approx(pair.p_value)


def test_errors_weigh_as_in_the_paper(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    made.mqm(path)
    scores = outscore.read(path)
    assert scores.names == ("a", "b")
    assert {name: rows.values[:, 0].tolist() for name, rows in zip("ab", scores.rows[0], strict=True)} == {
        name: pytest.approx(of) for name, of in made.MQM_SCORES.items()
    }
    path.write_text(path.read_text().replace("critical", "dreadful"), encoding="utf-8")
    with pytest.raises(DataError, match=r"mqm.tsv:9: expected a severity .* got \"dreadful\""):
        outscore.read(path)


def test_several_language_pairs_need_a_name(tmp_path: Path) -> None:
    path = tmp_path / "wmt25.jsonl"
    made.wmt(path, ("en-cs_CZ", "en-ja_JP"))
    with pytest.raises(
        OptionError, match=r'expected one task, got 2: "en-cs_CZ", "en-ja_JP". Pass task="en-cs_CZ", for example\.'
    ):
        outscore.rank(path)
    assert outscore.rank(path, task="en-ja_JP").n_items == 72
    with pytest.raises(OptionError, match="expected one task"):
        outscore.rank(path, task="en-de_DE")


def test_crossed_raters_are_averaged_or_sampled(tmp_path: Path) -> None:
    path = tmp_path / "pearmut.jsonl"
    made.pearmut(path, raters=("ana", "ben", "cem", "dia", "eva"))
    averaged, sampled = outscore.rank(path), outscore.rank(path, raters="sampled")
    assert "216 of 216 outputs have several ratings, which are averaged." in averaged.warnings
    assert [system.score for system in averaged.systems] == pytest.approx([system.score for system in sampled.systems])
    assert sampled.over == "means over 5 raters, macro average of 3 strata"
    assert "new raters" in sampled.to_text()


def test_nested_raters_are_carried_by_documents(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    nested, usual = outscore.rank(path, raters="sampled"), outscore.rank(path)
    assert nested.pairs[0].p_value == usual.pairs[0].p_value
    assert "Each rater scored one document, so new documents have new raters." in nested.warnings


def test_small_domains_are_merged(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("en-news_doc.7", "en-literary_doc.7"), encoding="utf-8")
    ranking = outscore.rank(path)
    assert ranking.over == "macro average of 3 strata"
    assert any("Domain literary has fewer than 5 documents" in one.replace('"', "") for one in ranking.warnings)
    assert outscore.rank(path, strata="domain", weights="macro", collapse_strata=True).n_units == 24


@pytest.mark.parametrize("document", ["talk 1", "", "test-en", "doc_#_x"])
def test_other_documents_have_no_domain(document: str) -> None:
    assert domain_of(document) == ""


@pytest.mark.parametrize(
    ("name", "first", "format_name"),
    [
        ("a.csv", b"u,sys,1,TGT,eng,ces,3,doc,False,[],1,2", "Appraise"),
        ("a.csv", b"u,sys,1,BAD,eng,ces,3,doc,False,1,2", "Appraise"),
        ("a.csv", b"system,item,TGT,score", "CSV"),
        ("a.tsv", made.MQM_HEADER.encode(), "MQM"),
        ("a.tsv", b"system mqm_avg_score seg_id", "MQM averages"),
        ("-", b"system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata", "MQM"),
        ("a.tsv", b"system\tseverity\trater", "TSV"),
        ("a.jsonl", b'{"scores": {}, "doc_id": "a"}', "WMT scores"),
        ("a.jsonl", b'{"scores": 3}', "JSON Lines"),
        ("a.jsonl", b'{"annotation": [], "item_i": 3}', "Pearmut"),
        ("a.jsonl", b'{"annotation": 3}', "JSON Lines"),
    ],
)
def test_layouts_are_recognized_by_their_first_line(name: str, first: bytes, format_name: str) -> None:
    assert format_of(name, first + b"\n").name == format_name


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    path.write_text("u,sys,1,TGT,eng,ces,3,doc,False,[],1,2\nu,sys,2,TGT,eng,ces,many,doc,False,[],1,2\n")
    with pytest.raises(DataError, match=r"esa.csv:2: expected the columns of Appraise"):
        outscore.rank(path)
    path.write_text("u,sys,1,TGT,eng,ces,3,doc,False,[],1,2\nu,sys,2,TGT,eng,ces,5,doc\n")
    with pytest.raises(DataError, match=r"esa.csv:2: expected 12 columns, as in the lines before, got 8"):
        outscore.rank(path)
    path.write_text("u,sys,1,BAD,eng,ces,3,doc,False,[],1,2\n")
    with pytest.raises(DataError, match="no ratings of type TGT found"):
        outscore.rank(path)


def test_labels_are_found_in_the_file_that_has_them(tmp_path: Path) -> None:
    one, scores = tmp_path / "good.csv", made.appraise(tmp_path / "all.csv")
    lines = (tmp_path / "all.csv").read_text(encoding="utf-8").splitlines()
    one.write_text("\n".join(line for line in lines if ",good," in line), encoding="utf-8")
    plain = tmp_path / "plain.csv"
    rows = [f"{doc}:{segment},{score}" for (system, _, doc, segment), score in scores.items() if system == "fair"]
    plain.write_text("\n".join(["item,score", *rows]) + "\n", encoding="utf-8")
    there = outscore.compare(plain, one).comparisons[0]
    back = outscore.compare(one, plain).comparisons[0]
    assert there.n_units == back.n_units == 24
    assert there.gain == pytest.approx(-back.gain)
    assert there.test.p_value == pytest.approx(back.test.p_value)


def test_a_file_may_begin_with_any_type_of_item_and_case(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    first = lines[0].replace(",TGT,", ",SRC,")
    assert format_of("esa.csv", f"{first}\n".encode()).name == "Appraise"
    assert format_of("mqm.tsv", made.MQM_HEADER.title().encode()).name == "MQM"


def of_systems(path: Path) -> dict[str, list[float]]:
    """Return the scores of each system in the order of the names of the items."""
    scores = outscore.read(path)
    return {
        rows.name: [score for _, score in sorted(zip(rows.item_ids or (), rows.values[:, 0].tolist(), strict=True))]
        for rows in scores.rows[0]
    }


def test_items_numbered_within_batches_are_placed_in_their_documents(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.batches(path)
    assert of_systems(path) == made.OF_BATCHES
    assert set(outscore.read(path).rows[0][0].item_ids or ()) == {"one:1", "one:2", "one:3", "two:1", "two:2"}
    assert outscore.rank(path).n_units == 2


def test_documents_without_all_segments_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.batches(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line for line in lines if ",73,one#MT," not in line), encoding="utf-8")
    with pytest.raises(DataError, match="one:1"):
        outscore.read(path)
    scores = outscore.read(path, drop_missing=True)
    assert scores.design.n_items == 2
    assert "2 of documents with fewer segments than for other systems" in scores.notes[0]


def test_numbers_that_systems_share_are_those_of_segments(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    rows = [f"r,{system},{item},TGT,eng,deu,{item},one#{system},False,[],1,2" for system in "ab" for item in (4, 7, 9)]
    path.write_text("\n".join(rows[:-2] + rows[-1:]) + "\n", encoding="utf-8")
    scores = outscore.read(path, drop_missing=True)
    assert scores.rows[0][0].item_ids == ("one:4", "one:9")


def test_spans_are_weighed_if_all_scores_are_0(tmp_path: Path) -> None:
    path = tmp_path / "mqm.csv"
    minor, major, critical = ({"severity": name, "error_type": None} for name in ("minor", "major", "critical"))
    comma = {"severity": "major", "error_type": ["Linguistic conventions", "Punctuation"]}
    spans = [[minor, major], [critical], [comma, {"severity": "undecided"}], [critical, critical]]
    made.batches(path, tuple(json.dumps(one) for one in spans))
    # two:2 of MT, a control item, two:2 and two:1 of ref
    assert of_systems(path) == {"wmt23.ref": [0, 0, 0, -50, pytest.approx(-0.1)], "wmt23.MT": [0, 0, 0, 0, -6]}
    assert any("error spans are scored: minus 1 for minor" in note for note in outscore.read(path).notes)
    made.batches(path, ("[]",))
    assert "All scores are 0, and no errors are marked." in outscore.read(path).notes
    for wrong in ('[{"severity": "dreadful"}]', "[3]", "[", '{"a": 1}'):
        made.batches(path, (wrong,))
        with pytest.raises(DataError, match=r"mqm.csv:1: expected error spans with a severity \(minor, major"):
            outscore.read(path)


@pytest.mark.skipif(not CASES.is_dir(), reason=f"no {CASES}")
@pytest.mark.parametrize(
    ("name", "n_items", "expected"),
    [
        ("appraise-doc-system.csv", 71, {"refA": 80.648, "AlphaMT": 78.408, "BetaMT": 76.225, "GammaMT": 69.577}),
        ("appraise-mqm.csv", 71, {"BetaMT": -1.5634, "AlphaMT": -1.9718, "refA": -2.1408, "GammaMT": -3.8873}),
        ("wmt25.jsonl", 48, {"CC": 80.9248, "AA": 80.8149, "BB": 80.4732}),
    ],
)
def test_shared_cases(name: str, n_items: int, expected: dict[str, float]) -> None:
    ranking = outscore.rank(CASES / name)
    assert (ranking.n_items, ranking.n_units) == (n_items, 12)
    assert {system.name: system.score for system in ranking.systems} == pytest.approx(expected, abs=5e-4)
    assert [system.name for system in ranking.systems] == list(expected)


@pytest.mark.parametrize("form", ["numbered", "partly", "list"])
def test_waves_of_wmt25_are_averaged(form: str, tmp_path: Path) -> None:
    path = tmp_path / "wmt25.jsonl"
    ratings = made.waves(path, form)
    scores = outscore.read(path)
    assert scores.names == tuple(ratings)
    for rows, of_segments in zip(scores.rows[0], ratings.values(), strict=True):
        assert rows.values[:, 0].tolist() == [np.mean(of_segment) for of_segment in of_segments]
    assert (rows.item_ids or ())[:3] == (
        "en-cs_CZ_#_news_#_doc0:0",
        "en-cs_CZ_#_news_#_doc0:1",
        "en-cs_CZ_#_news_#_doc1:0",
    )
    assert outscore.rank(path).n_units == 10  # documents, not segments


def test_missing_waves_may_be_null_or_nan(tmp_path: Path) -> None:
    path = tmp_path / "wmt25.jsonl"
    lists = ([{"score": 3}, {"score": float("nan")}], [{"score": 5}, {"score": None}], [{"human": 7}, {"human": 8}])
    lines = [json.dumps({"scores": {"a": one, "b": one}, "doc_id": str(place)}) for place, one in enumerate(lists)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert of_systems(path) == {"a": [3, 5, 7.5], "b": [3, 5, 7.5]}


def test_comments_of_mqm_may_lack_cells_or_a_name(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    made.mqm(path)
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    for text in ([f"{header}\tcomment", lines[0] + "\tso", *lines[1:]], [header, lines[0] + "\tso", *lines[1:]]):
        path.write_text("\n".join(text) + "\n", encoding="utf-8")
        assert of_systems(path) == {name: pytest.approx(scores) for name, scores in made.MQM_SCORES.items()}
    path.write_text("\n".join([header, *lines, lines[0].rpartition("\t")[0]]) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"mqm.tsv:12: expected 9 cells as on the first line, got 8"):
        outscore.read(path)


def test_averages_of_mqm(tmp_path: Path) -> None:
    path = tmp_path / "mqm_ted.avg_seg_scores.tsv"
    lines = ["system mqm_avg_score seg_id", "a.1\t-1.500000 1", "a.1\t-0.000000 2", "a.1 None 3", "b -5 1", "b 0.0 2"]
    path.write_text("\n".join([*lines, "b None 3"]) + "\n", encoding="utf-8")
    assert of_systems(path) == {"a.1": [-1.5, 0], "b": [-5, 0]}
    notes = outscore.read(path).notes
    assert notes[0] == "Ratings left out: 2 without a score."
    assert "The file does not name documents, so segments are treated as independent." in notes
    path.write_text("\n".join([*lines, "b many 3"]) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="tsv:7: expected a system, a score and a segment"):
        outscore.read(path)


def test_documents_of_wmt26(tmp_path: Path) -> None:
    path = tmp_path / "pearmut.jsonl"
    made.pearmut(path)
    text = path.read_text(encoding="utf-8").replace("en-cs_#_", "").replace("_#_", "_###_")
    path.write_text(text, encoding="utf-8")
    ranking = outscore.rank(path)
    assert (ranking.n_items, ranking.n_units, ranking.over) == (72, 24, "macro average of 3 strata")


def test_none_overrides_what_a_format_declares(tmp_path: Path) -> None:
    made.appraise(tmp_path / "esa.csv")
    ranking = outscore.rank(tmp_path / "esa.csv", clusters="none", strata="none")
    assert (ranking.n_items, ranking.n_units, ranking.over) == (72, 72, None)
    assert not any("By default" in note for note in ranking.warnings)
