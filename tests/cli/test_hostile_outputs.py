"""Bad outputs and references, each told on one line with file and line: what people hand over by mistake."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.running import Runner

TWO = "the cat sat\na dog ran\n"
WORD = "{}\t{}\t_\tX\t_\t_\t{}\tdep\t_\t_\n"
TREE = (WORD.format(1, "a", 2) + WORD.format(2, "b", 0) + "\n") * 2
BIO = "A\tB-X\nB\tI-X\n\nC\tO\nD\tO\n"
PARSES = "(S (NP (D a) (N b)) (V c))\n(S (V d))\n"
NAACL = "1 1 1 S\n2 1 1 S\n2 2 2 P\n3 1 1 S\n"
QRELS = "q1 0 d1 1\nq2 0 d2 1\n"
RUN = "q1 Q0 d1 1 1.0 x\n"
BOTH = '{"id": 1, "reference": "x y", "output": "x"}\n{"id": 2, "reference": "z", "output": "z"}\n'
SQUAD = json.dumps({"data": [{"paragraphs": [{"qas": [{"id": "q1", "answers": []}, {"id": "q2", "answers": []}]}]}]})

# metric, more options, reference, baseline, what the message says; the candidate is the reference or a good file.
CASES: dict[str, tuple[str, Sequence[str], tuple[str, str], tuple[str, str], Sequence[str]]] = {
    "lengths": ("bleu", [], ("r", TWO), ("a", "x\n"), ["a: expected 2 items as in r, got 1", "[different-lengths]"]),
    "no outputs": ("bleu", [], ("r", TWO), ("a", ""), ["a: ", "an empty file", "[empty]"]),
    "latin-1": ("bleu", [], ("r", TWO), ("a", "caf\udce9\nx\n"), ["a:1: ", "UTF-8", "0xE9", "[not-utf8]"]),
    "nothing said": ("wer", [], ("r", "\n \n"), ("a", TWO), ["r: the wer", "all references are empty"]),
    "CoNLL columns": (
        "las",
        [],
        ("r.conllu", TREE),
        ("a.conllu", TREE.replace("\tX\t_", "", 1)),
        ["a.conllu:1: ", "10 col"],
    ),
    "CoNLL head": (
        "las",
        [],
        ("r.conllu", TREE),
        ("a.conllu", TREE[:-5].replace("\t2\t", "\t9\t")),
        ["a.conllu:1: ", "from 0 to 2, got 9"],
    ),
    "CoNLL cycle": (
        "uas",
        [],
        ("r.conllu", TREE),
        ("a.conllu", WORD.format(1, "a", 2) + WORD.format(2, "b", 1) + WORD.format(3, "c", 0) + "\n" + TREE),
        ["a.conllu:1: word 1 is in a cycle", "[cycle]"],
    ),
    "CoNLL other text": (
        "uas",
        [],
        ("r.conllu", TREE),
        ("a.conllu", TREE.replace("\tb\t", "\tc\t")),
        ["a.conllu:1: ", "[different-text]"],
    ),
    "brackets open": ("bracket-f1", [], ("r", PARSES), ("a", PARSES[:-2]), ["a:2: ", "[unbalanced-brackets]"]),
    "brackets closed": ("bracket-f1", [], ("r", PARSES), ("a", ")" + PARSES), ["a:1: ", "[unbalanced-brackets]"]),
    "brackets nested": (
        "bracket-f1",
        [],
        ("r", PARSES),
        ("a", "(" * 100_000),
        ["a:1: ", "100000 bracket(s) are open"],
    ),
    "other words": (
        "bracket-f1:max_error=0",
        [],
        ("r", PARSES),
        ("a", PARSES.replace("d", "x")),
        ['a:2: expected "d" as word 1', "[different-words]"],
    ),
    "tokens": (
        "span-f1",
        [],
        ("r.bio", BIO),
        ("a.bio", BIO.replace("D", "E")),
        ['a.bio:5: token 2: expected "D"', "[different-tokens]"],
    ),
    "blank line lost": (
        "span-f1",
        [],
        ("r.bio", BIO),
        ("a.bio", BIO.replace("\n\n", "\n")),
        ["a.bio:3: token 3: expected the end"],
    ),
    "I- under a strict scheme": (
        "span-f1",
        ["--input-format", "tags:scheme=IOB2,strict"],
        ("r.bio", BIO),
        ("a.bio", BIO.replace("B-X", "O")),
        ["a.bio:2: ", "scheme IOB2", 'I- of "X" that continues no span', "[ill-formed-span]"],
    ),
    "letter of another scheme": (
        "span-f1",
        ["--input-format", "tags:scheme=IOB2"],
        ("r.bio", BIO),
        ("a.bio", BIO.replace("I-X", "E-X")),
        ["a.bio:2: ", "expected a tag of IOB2", "[not-in-scheme]"],
    ),
    "unknown scheme": (
        "span-f1",
        ["--input-format", "tags:scheme=IOB"],
        ("r.bio", BIO),
        ("a.bio", BIO),
        ["IOB1, IOB2, IOBES, BILOU", "[bad-format-option]"],
    ),
    "unknown type": ("span-f1:type=Y", [], ("r.bio", BIO), ("a.bio", BIO), ['"Y"', "Known: X.", "[unknown-type]"]),
    "unknown label": ("macro-f1:labels=q", [], ("r", TWO), ("a", TWO), ['"q"', "[unknown-label]"]),
    "malformed link": ("aer", [], ("r", "0-0\n1-1\n"), ("a", "0-0\n1-99999999999\n"), ["a:2: ", "[malformed-link]"]),
    "link outside": (
        "aer",
        ["--input-format", "pharaoh:source=s,target=t"],
        ("r", "0-0\n1-1\n"),
        ("a", "0-0\n0-2\n"),
        ["a:2: target token 3 is aligned, but the sentence has 2", "[outside-sentence]"],
    ),
    "link outside, NAACL": (
        "aer",
        ["--input-format", "naacl:source=s"],
        ("r.wa", "1 1 1\n2 2 1\n"),
        ("a.wa", "1 1 1\n2 3 1\n"),
        ["a.wa:2: source token 3 is aligned, but the sentence has 2", "[outside-sentence]"],
    ),
    "pair that the gold lacks": (
        "aer",
        [],
        ("r.wa", NAACL),
        ("a.wa", NAACL + "9 1 1\n"),
        ["a.wa:5: ", '"9"', "n_pairs", "[unknown-pair]"],
    ),
    "unknown queries": (
        "ap",
        [],
        ("r.qrels", QRELS),
        ("a.run", RUN.replace("q1", "q3")),
        ["a.run: ", '"q3"', "[unknown-query]"],
    ),
    "run of five fields": (
        "ap",
        [],
        ("r.qrels", QRELS),
        ("a.run", RUN.replace(" x", "")),
        ["a.run:1: ", "6 fields", "[wrong-fields]"],
    ),
    "score that is none": (
        "ap",
        [],
        ("r.qrels", QRELS),
        ("a.run", RUN.replace("1.0", "n/a")),
        ['a.run:1: field "score"', "[not-a-number]"],
    ),
    "unknown metric": ("blue", [], ("r", TWO), ("a", TWO), ['Did you mean "bleu"?', "[unknown-metric]"]),
    "metric of columns": (
        "F1",
        [],
        ("r.bio", BIO),
        ("a.bio", BIO),
        ["columns of counts", "span-f1", "[unknown-metric]"],
    ),
    "metric of another program": ("COMET-22", [], ("r", TWO), ("a", TWO), ["one per segment", "[unknown-metric]"]),
    "a line too many": ("accuracy", [], ("r", TWO), ("a", TWO + "x\n"), ["header", "[different-lengths]"]),
    "unknown option": (
        "bleu:lowercased",
        [],
        ("r", TWO),
        ("a", TWO),
        ['Did you mean "lowercase"?', "[unknown-metric-option]"],
    ),
    "unknown option of a format": (
        "aer",
        ["--input-format", "pharaoh:onebased"],
        ("r", "0-0\n"),
        ("a", ""),
        ['Did you mean "one_based"?'],
    ),
    "which field": (
        "bleu",
        [],
        ("r", TWO),
        ("a.jsonl", BOTH),
        ["a.jsonl: ", '2 ("reference", "output")', "FILE:FIELD", "[which-field]"],
    ),
    "no such field": (
        "bleu",
        [],
        ("r", TWO),
        ("a.jsonl:outputs", BOTH),
        ["a.jsonl: ", 'Did you mean "output"?', "[wrong-column]"],
    ),
    "column of no table": ("bracket-f1", [], ("r", PARSES), ("a:parse", PARSES), ["a:parse: ", "[no-table]"]),
    "which numbers": (
        "mae",
        [],
        ("r", "1\n2\n"),
        ("a.csv", "x,y\n1,2\n3,4\n"),
        ["a.csv: ", "FILE:COLUMN", "[which-column]"],
    ),
    "no number": (
        "mae",
        [],
        ("r", "1\n2\n"),
        ("a.csv", "id,y\na,2\nb,?\nc,1\n"),
        ["a.csv:3: ", 'got "?"', "[not-a-number]"],
    ),
    "missing label": (
        "accuracy",
        [],
        ("r.csv", "label,n\nx,1\n,2\n"),
        ("a", "x\ny\n"),
        ["r.csv:3: ", "[missing-label]"],
    ),
    "missing question": (
        "exact-match",
        [],
        ("r.json", SQUAD),
        ("a.json", '{"q1": ""}'),
        ["a.json: 1 item(s)", '"q2"', "[missing-ids]"],
    ),
    "answers nested": ("exact-match", [], ("r.json", SQUAD), ("a.json", '{"a":' * 50_000), ["a.json: ", "[not-json]"]),
    "utterance twice": (
        "wer",
        [],
        ("r.kaldi", "u1 a\nu2 b\n"),
        ("a.trn", "a (u1)\nb (u1)\n"),
        ["a.trn:2: ", "[duplicate-id]"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_outputs_are_told_on_one_line(case: str, outscore: Runner, tmp_path: Path) -> None:
    metric, options, (reference, gold), (baseline, text), says = CASES[case]
    for name, content in ((reference, gold), (baseline, text), ("s", "x y\nx y\n"), ("t", "u v\nu v\n")):
        (tmp_path / name.partition(":")[0]).write_bytes(content.encode("utf-8", "surrogateescape"))
    run = outscore("compare", "-m", metric, *options, "-r", reference, baseline, baseline)
    assert run.status == 2
    assert run.out == ""
    assert run.err.split("\n")[0].endswith("]")
    for part in says:
        assert part in run.err.split("\n")[0], run.err


SAME: Mapping[str, tuple[str, str, str]] = {  # metric: reference, empty output, score of the empty output
    "bleu": (TWO, "\n\n", "0"),
    "chrf++": (TWO, "\n \n", "0"),
    "ter": (TWO, "\n\n", "100"),
    "rouge2": (TWO, "\n\n", "0"),
    "wer": (TWO, "\n\n", "1"),
    "cer": (TWO, "\t\n\n", "1"),
    "exact-match": (TWO, "\n\n", "0"),
    "token-f1": (TWO, " \n\n", "0"),
    "aer": ("0-0\n1-1\n", "\n\n", "1"),
    "alignment-precision": ("0-0\n1-1\n", "\n0-1\n", "0"),
    "bracket-f1": (PARSES, "(())\n()\n", "0"),
    "span-f1": (BIO, BIO.replace("B-X", "O").replace("I-X", "O"), "0"),
}


@pytest.mark.parametrize("metric", SAME)
def test_empty_outputs_are_scored(metric: str, outscore: Runner, tmp_path: Path) -> None:
    reference, empty, score = SAME[metric]
    suffix = ".bio" if metric == "span-f1" else ""
    for name, text in (("r", reference), ("a", empty), ("b", reference)):
        (tmp_path / f"{name}{suffix}").write_text(text)
    files = [f"{name}{suffix}" for name in "rab"]
    run = outscore("compare", "-m", metric, "-r", *files, "--n-resamples", "100", "--format", "json")
    assert run.status == 0, run.err
    [comparison] = json.loads(run.out)["comparisons"]
    assert comparison["baseline_score"] == pytest.approx(float(score), abs=1e-12)


def test_files_as_other_systems_write_them(outscore: Runner, tmp_path: Path) -> None:
    lines = "the cat sat here\na dog ran off\n"
    (tmp_path / "r").write_bytes(b"\xef\xbb\xbf" + lines.replace("\n", "\r\n").encode())
    (tmp_path / "a").write_bytes(lines.rstrip("\n").encode())
    for metric in ("bleu", "chrf", "ter", "rouge1", "wer", "cer", "exact-match", "token-f1", "accuracy", "macro-f1"):
        run = outscore("compare", "-m", metric, "-r", "r", "a", "r", "--format", "json", "--n-resamples", "100")
        assert run.status == 0, run.err
        [comparison] = json.loads(run.out)["comparisons"]
        assert (
            comparison["baseline_score"]
            == comparison["candidate_score"]
            == pytest.approx({"bleu": 100.0, "chrf": 100.0, "ter": 0.0, "wer": 0.0, "cer": 0.0}.get(metric, 1.0))
        )


def test_fields_and_columns_of_one_file(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text(BOTH)
    (tmp_path / "s.csv").write_text("id,human,bleu,comet\na,1,10,.5\nb,2,11,.7\nc,3,9,.9\n")
    for metric, files, scores in (
        ("wer", ["d.jsonl:reference", "d.jsonl:output", "d.jsonl:reference"], (1 / 3, 0.0)),
        ("exact-match", ["d.jsonl:reference", "d.jsonl:output", "d.jsonl:reference"], (0.5, 1.0)),
        ("accuracy", ["d.jsonl:reference", "d.jsonl:output", "d.jsonl:reference"], (0.5, 1.0)),
        ("rouge1", ["d.jsonl:reference", "d.jsonl:output", "d.jsonl:reference"], (5 / 6, 1.0)),
        ("pearson", ["s.csv:human", "s.csv:bleu", "s.csv:comet"], (-0.5, 1.0)),
    ):
        run = outscore("compare", "-m", metric, "-r", *files, "--format", "json", "--n-resamples", "100")
        assert run.status == 0, run.err
        found = json.loads(run.out)
        [comparison] = found["comparisons"]
        assert (comparison["baseline"], comparison["candidate"]) == tuple(file.split(":")[1] for file in files[1:])
        assert (comparison["baseline_score"], comparison["candidate_score"]) == pytest.approx(scores)


def test_pairs_without_links_have_no_line(outscore: Runner, tmp_path: Path) -> None:
    for name, text in (("r.wa", NAACL), ("a.wa", "2 1 1\n"), ("b.wa", "3 1 1\n1 1 1\n")):
        (tmp_path / name).write_text(text)
    for options, n_items in (([], 3), (["--input-format", "naacl:n_pairs=5"], 5)):
        run = outscore("compare", "-m", "aer", "-r", "r.wa", "a.wa", "b.wa", *options, "--format", "json")
        found = json.loads(run.out)
        assert found["n_items"] == n_items
        [comparison] = found["comparisons"]
        assert comparison["baseline_score"] == pytest.approx(1 - 2 / 4)
        assert comparison["candidate_score"] == pytest.approx(1 - 4 / 5)


NOTHING = BIO.replace("B-X", "O").replace("I-X", "O")


@pytest.mark.parametrize(
    ("metric", "reference", "baseline", "candidate"),
    [
        ("span-precision", BIO, NOTHING, NOTHING),
        ("span-precision", BIO, BIO, NOTHING),
        ("span-recall", NOTHING, BIO, NOTHING),
        ("span-f1", NOTHING, NOTHING, NOTHING),
        ("macro-span-precision", BIO, NOTHING, NOTHING),
        ("macro-span-recall", NOTHING, BIO, NOTHING),
    ],
)
def test_a_score_without_a_denominator_is_0(
    metric: str, reference: str, baseline: str, candidate: str, outscore: Runner, tmp_path: Path
) -> None:
    for name, text in (("r", reference), ("a", baseline), ("b", candidate)):
        (tmp_path / f"{name}.bio").write_text(text)
    run = outscore("compare", "-m", metric, "-r", "r.bio", "a.bio", "b.bio", "-t", "all", "--format", "json")
    assert run.status == 0, run.err
    [comparison] = json.loads(run.out)["comparisons"]
    assert comparison["candidate_score"] == 0
    if comparison["baseline_score"] == 0:
        assert comparison["gain"] == 0
        assert [test["p_value"] for test in comparison["tests"]] == pytest.approx([1.0] * len(comparison["tests"]))


ESCAPE = "\x1b]0;owned\x07\x1b[31m"


def hostile_rows(path: Path) -> None:
    """Write a long table whose systems, items, documents and families are called as a terminal obeys."""
    lines = [
        {
            "system": f"{name}{ESCAPE}",
            "item": f"{i}{ESCAPE}",
            "score": (i * k) % 7,
            "family": f"{name}{ESCAPE}",
            f"d{ESCAPE}": 1,
        }
        for k, name in enumerate("abc", start=2)
        for i in range(12)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_no_report_says_to_a_terminal_what_names_say(outscore: Runner, tmp_path: Path) -> None:
    hostile_rows(tmp_path / "board.jsonl")
    more: tuple[str, ...] = ("--report", "a.html", "--chart", "a.svg")
    for form in ("text", "markdown", "latex", "csv", "json"):
        run = outscore("rank", "board.jsonl", "--n-resamples", "200", "--format", form, *more)
        assert (run.status, "owned" in run.out) == (0, True)
        more = ()  # the files are the same
        for text in (run.out, run.err, *(Path(name).read_text(encoding="utf-8") for name in ("a.html", "a.svg"))):
            assert not {"\x1b", "\x07"} & {*text}


def test_no_error_says_to_a_terminal_what_names_say(outscore: Runner, tmp_path: Path) -> None:
    hostile_rows(tmp_path / "board.jsonl")
    for arguments in (
        ["rank", "board.jsonl", "--score", ESCAPE],
        ["rank", "board.jsonl", "-m", ESCAPE],
        ["rank", "board.jsonl", f"--{ESCAPE}"],
        ["compare", f"a{ESCAPE}", "b"],
        ["compare", "board.jsonl:x", "board.jsonl:y"],
        [ESCAPE],
    ):
        run = outscore(*arguments)
        assert run.status == 2
        assert run.err.rstrip("\n").isprintable()
