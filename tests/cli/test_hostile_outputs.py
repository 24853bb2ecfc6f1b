"""Bad outputs and references, each told on one line with file and line: what people hand over by mistake."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.running import Runner

TWO = "the cat sat\na dog ran\n"
BIO = "A\tB-X\nB\tI-X\n\nC\tO\nD\tO\n"
PARSES = "(S (NP (D a) (N b)) (V c))\n(S (V d))\n"
NAACL = "1 1 1 S\n2 1 1 S\n2 2 2 P\n3 1 1 S\n"
SQUAD = json.dumps({"data": [{"paragraphs": [{"qas": [{"id": "q1", "answers": []}, {"id": "q2", "answers": []}]}]}]})

# metric, more options, reference, baseline, what the message says; the candidate is the reference or a good file.
CASES: dict[str, tuple[str, Sequence[str], tuple[str, str], tuple[str, str], Sequence[str]]] = {
    "nothing said": ("wer", [], ("r", "\n \n"), ("a", TWO), ["r: the wer", "all references are empty"]),
    "brackets nested": (
        "bracket-f1",
        [],
        ("r", PARSES),
        ("a", "(" * 100_000),
        ["a:1: ", "100000 bracket(s) are open"],
    ),
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
    "metric of columns": (
        "F1",
        [],
        ("r.bio", BIO),
        ("a.bio", BIO),
        ["columns of counts", "span-f1", "[unknown-metric]"],
    ),
    "metric of another program": ("COMET-22", [], ("r", TWO), ("a", TWO), ["one per segment", "[unknown-metric]"]),
    "a line too many": ("accuracy", [], ("r", TWO), ("a", TWO + "x\n"), ["header", "[different-lengths]"]),
    "answers nested": ("exact-match", [], ("r.json", SQUAD), ("a.json", '{"a":' * 50_000), ["a.json: ", "[not-json]"]),
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
