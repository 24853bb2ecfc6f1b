"""Warnings of systems that are not comparable: scales, formatting, dropped letters, empty texts, probabilities."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.errors import DataError
from outscore.metrics.families.text import (
    CASE,
    PUNCTUATION,
    UNICODE_FORM,
    formatting_errors,
    sampled,
    without,
    without_all,
)
from tests.kit import output_metric
from tests.reports.written import to_html, to_markdown, to_text

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
WORDS = "the cat sat down on café naïve élan river stone light house green seven winter garden".split()  # noqa: SIM905


@pytest.fixture
def case() -> Callable[[str], Path]:
    def find(name: str) -> Path:
        if not (CASES / name).is_dir():
            pytest.skip(f"the case {name} is not in ../shared")
        return CASES / name

    return find


def texts(n: int, rate: float, seed: int) -> tuple[list[str], list[str]]:
    """Return n references of eight words, and outputs in which words are replaced at a rate."""
    rng = np.random.default_rng(seed)
    gold = [list(rng.choice(WORDS, 8)) for _ in range(n)]
    said = [[word if rng.random() > rate else "wrong" for word in words] for words in gold]
    return [" ".join(words) for words in gold], [" ".join(words) for words in said]


def warned(baseline: Any, candidate: Any, **options: Any) -> list[str]:
    return list(outscore.compare(baseline, candidate, **options).comparisons[0].warnings)


def rate(outputs: Sequence[str], references: Sequence[str]) -> float:
    """Return the word error rate by an edit distance of its own."""
    edits = words = 0
    for output, reference in zip(outputs, references, strict=True):
        a, b = output.split(), reference.split()
        row = list(range(len(b) + 1))
        for i, word in enumerate(a, 1):
            diagonal, row[0] = row[0], i
            for j, other in enumerate(b, 1):
                diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
        edits, words = edits + row[-1], words + len(b)
    return edits / words


CHANGES: dict[str, tuple[Callable[[str], str], str, str]] = {
    "upper": (str.upper, "Case makes up", "pass wer:to_lower_case."),
    "punctuated": (
        lambda text: f"{text.capitalize()}.",
        "Case and punctuation make up",
        "pass wer:to_lower_case,remove_punctuation.",
    ),
    "both at once": (
        lambda text: ", ".join(text.upper().split()) + "!",
        "Case and punctuation make up",
        "pass wer:to_lower_case,remove_punctuation.",
    ),
    "decomposed": (
        lambda text: unicodedata.normalize("NFD", text),
        "The Unicode form makes up",
        "convert all texts to Unicode's NFC.",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_formatting_that_favours_a_system(change: str) -> None:
    pytest.importorskip("jiwer")
    gold, good = texts(120, 0.1, 1)
    _, worse = texts(120, 0.2, 1)
    made, what, advice = CHANGES[change]
    changed = list(map(made, good))
    (said,) = [one for one in warned(worse, changed, references=gold, metric="wer") if "errors" in one]
    before, after = rate(changed, gold), rate(good, gold)
    assert said.startswith(f"{what} {100 * (before - after) / before:.0f}% of the errors of candidate, but 0% of")
    assert f"candidate scores {100 * after:.1f} and baseline scores {100 * rate(worse, gold):.1f}." in said
    assert f"To ignore them, {advice}" in said
    assert said.endswith('The verdict would be "better".')
    assert not warned(worse, good, references=gold, metric="wer")
    # Both systems alike: a warning only if the verdict depends on it.
    alike = outscore.compare(list(map(made, worse)), changed, references=gold, metric="wer").comparisons[0]
    assert any("errors" in one for one in alike.warnings) == (alike.verdict.value != "better")


def test_a_verdict_that_turns_with_few_errors() -> None:
    pytest.importorskip("jiwer")
    gold, one = texts(400, 0.2, 2)
    # The candidate's errors are those of the baseline but for 4% of the words, and it writes some words in capitals.
    rng = np.random.default_rng(3)
    other = []
    for said, reference in zip(one, gold, strict=True):
        pairs = zip(said.split(), reference.split(), strict=True)
        better = [right if rng.random() < 0.1 else word for word, right in pairs]
        other.append(" ".join(word.upper() if rng.random() < 0.03 else word for word in better))
    plain = [text.lower() for text in other]
    assert outscore.compare(one, other, references=gold, metric="wer").comparisons[0].verdict.value != "better"
    assert outscore.compare(one, plain, references=gold, metric="wer").comparisons[0].verdict.value == "better"
    (said,) = [text for text in warned(one, other, references=gold, metric="wer") if "errors" in text]
    share = (rate(other, gold) - rate(plain, gold)) / rate(other, gold)
    assert share < 0.2
    assert f"Case makes up {100 * share:.0f}%" in said
    assert said.endswith('The verdict would be "better".')


def test_the_scores_without_formatting_are_those_of_the_options() -> None:
    pytest.importorskip("jiwer")
    gold, said = texts(60, 0.2, 4)
    said = [f"«{text.capitalize()}»… ¿no?" for text in said]
    ours = output_metric("wer").rows(without_all([CASE, PUNCTUATION], said), without_all([CASE, PUNCTUATION], gold))
    assert ours.tolist() == output_metric("wer", to_lower_case=True, remove_punctuation=True).rows(said, gold).tolist()


def test_options_that_ignore_formatting_are_not_named() -> None:
    pytest.importorskip("jiwer")
    gold, good = texts(80, 0.1, 5)
    upper = [text.upper() for text in good]
    assert not any("errors" in one for one in warned(good, upper, references=gold, metric="wer:to_lower_case"))


@pytest.mark.parametrize(("metric", "advice"), [("bleu", "pass bleu:lowercase"), ("chrf", "pass chrf:lowercase")])
def test_translations_in_capitals(metric: str, advice: str) -> None:
    pytest.importorskip("sacrebleu")
    gold, good = texts(80, 0.1, 6)
    _, worse = texts(80, 0.3, 6)
    upper = [text.upper() for text in good]
    (said,) = [one for one in warned(worse, upper, references=gold, metric=metric) if "errors" in one]
    assert advice in said
    lower = outscore.compare(worse, upper, references=gold, metric=f"{metric}:lowercase").comparisons[0]
    assert f"candidate scores {lower.candidate_score:.2f}" in said
    ranking = outscore.rank({"x": worse, "y": upper, "z": good}, references=gold, metric=metric)
    assert any("errors of y" in one for one in ranking.warnings)


def test_each_system_has_its_own_kinds_of_formatting() -> None:
    pytest.importorskip("jiwer")
    gold, good = texts(120, 0.1, 1)
    _, worse = texts(120, 0.2, 1)
    systems = {"worse": worse, "upper": list(map(str.upper, good)), "ends": [f"{text}?!" for text in good]}
    result: Any = outscore.compare(systems, references=gold, metric="wer", baseline="worse")
    said = [next(one for one in of.warnings if "errors" in one) for of in result.comparisons]
    assert said[0].startswith("Case makes up")
    assert "To ignore them, pass wer:to_lower_case. " in said[0]
    assert said[1].startswith("Punctuation makes up")
    assert "To ignore them, pass wer:remove_punctuation. " in said[1]


def test_formatting_is_counted_in_words_of_a_sample() -> None:
    gold, good = texts(1000, 0.2, 7)
    kinds = [CASE, PUNCTUATION, UNICODE_FORM]
    sides = [(text,) for text in gold]
    assert formatting_errors(kinds, [good, [text.upper() for text in good]], sides) == [[], [CASE]]
    assert formatting_errors(kinds, [good, [f"{text}?!" for text in good]], sides) == [[], [PUNCTUATION]]
    assert formatting_errors(kinds, [good, good], sides) == [[], []]
    assert formatting_errors(kinds, [[text.upper() for text in good]] * 2, sides) == [[CASE], [CASE]]
    assert without(PUNCTUATION, ["a\0b", "c."]) == ["a b", "c"]
    assert without(CASE, []) == []


@pytest.mark.parametrize("name", ["b_upper", "b_punct", "b_nfd"])
def test_the_case_of_speech(case: Callable[[str], Path], name: str) -> None:
    pytest.importorskip("jiwer")
    root = case("asr-normalization")
    files = [str(root / f"{one}.txt") for one in ("a", name, "ref")]
    result = outscore.compare(*files[:2], references=files[2], metric="wer").comparisons[0]
    expected = {"b_upper": (100.0, "worse"), "b_punct": (41.9, "worse"), "b_nfd": (33.7, "inconclusive")}[name]
    assert (round(100 * result.candidate_score, 1), result.verdict.value) == expected
    (said,) = result.warnings
    assert f"{name} scores 18.4 and a scores 31.1" in said
    assert said.endswith('The verdict would be "better".')


@pytest.mark.parametrize("script", ["ru", "el", "mix"])
def test_the_case_of_scripts(case: Callable[[str], Path], script: str) -> None:
    pytest.importorskip("rouge_score")
    root = case("rouge-script")
    files = [str(root / f"{side}_{script}.txt") for side in ("a", "b", "ref")]
    said = warned(*files[:2], references=files[2], metric="rouge1")[0]
    letters = [sign for sign in Path(files[2]).read_text(encoding="utf-8") if sign.isalpha()]
    foreign = sum(not sign.isascii() for sign in letters) / len(letters)
    assert said.startswith(f"The tokenizer of rouge1 drops {100 * foreign:.0f}% of the letters in references")
    assert not [one for one in warned(*files[:2], references=files[2], metric="bleu") if "tokenizer" in one]


@pytest.mark.parametrize(("share", "warns"), [(0.3, False), (0.37, True)])
def test_more_than_a_third_of_the_letters(share: float, warns: bool) -> None:
    pytest.importorskip("rouge_score")
    size = round(100 * share)
    gold = [f"{'x' * (100 - size)} {'ж' * size}"] * 9
    said = warned(gold, [*gold[:8], "x"], references=gold, metric="rougeL")
    assert any("drops" in one for one in said) == warns


def test_letters_that_options_drop() -> None:
    pytest.importorskip("jiwer")
    gold = ["[laughing out loud] yes", "[noise] no no"] * 5
    said = warned(gold, [*gold[:9], "x"], references=gold, metric="wer:remove_kaldi_non_words")
    assert any(one.startswith("The tokenizer of wer drops") and "(RemoveKaldiNonWords)" in one for one in said)


def test_empty_texts_are_counted(case: Callable[[str], Path]) -> None:
    pytest.importorskip("sacrebleu")
    root = case("empty-outputs")
    a, nothing, few, gold, lacking = (
        str(root / f"{name}.txt") for name in ("a", "a_allempty", "b_empty", "ref", "ref_empty")
    )
    assert "a_allempty: 60 of 60 outputs are empty." in warned(a, nothing, references=gold, metric="bleu")
    said = warned(a, few, references=lacking, metric="bleu")
    assert said == ["1 of 60 references is empty.", "b_empty: 3 of 60 outputs are empty."]
    assert not warned(a, str(root / "a.txt"), references=gold, metric="chrf")[2:]


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "rouge1", "wer", "cer"])
def test_every_metric_of_texts_counts_them(metric: str) -> None:
    pytest.importorskip({"rouge1": "rouge_score", "wer": "jiwer", "cer": "jiwer"}.get(metric, "sacrebleu"))
    gold, said = texts(20, 0.3, 8)
    found = warned(["", " ", *said[2:]], said, references=[*gold[:19], ""], metric=metric)
    assert [one for one in found if "empty" in one] == [
        "1 of 20 references is empty.",
        "baseline: 2 of 20 outputs are empty.",
    ]


METRICS_OF_LABELS = ["accuracy", "macro-f1", "micro-f1", "kappa", "mcc"]


@pytest.mark.parametrize("metric", METRICS_OF_LABELS)
def test_the_case_of_probabilities(case: Callable[[str], Path], metric: str) -> None:
    table = case("probabilities") / "binary.csv"
    with pytest.raises(DataError, match=r'lr: .* labels "0", "1": got "0\.452.*threshold.*\[not-labels\]'):
        outscore.compare(f"{table}:lr", f"{table}:rf", references=f"{table}:label", metric=metric)


@pytest.mark.parametrize("metric", METRICS_OF_LABELS)
@pytest.mark.parametrize(
    ("gold", "outputs"),
    [
        (["0", "1", "0", "1"], ["0.1", "0.9", "0", "1"]),  # a fraction is no label, although 0 and 1 are
        (["1", "1", "1", "1"], ["0.1", "0.9", "0.3", "1"]),
        (["0", "1", "0", "1"], ["0.0", "1.0", "0.0", "1.0"]),
        (["yes", "no", "yes", "no"], ["Yes", "No", "Yes", "No"]),
        (["a", "b", "b", "a"], ["the answer is a", "b.", "b.", ""]),
    ],
)
def test_outputs_that_are_no_labels(metric: str, gold: list[str], outputs: list[str]) -> None:
    with pytest.raises(DataError, match=r"candidate: .*\[not-labels\]"):
        outscore.compare(gold, outputs, references=gold, metric=metric)


@pytest.mark.parametrize(
    ("gold", "outputs"),
    [
        (["a", "b", "b", "a"], ["c", "c", "c", "a"]),  # one label is known
        (["a", "b", "b", "a"], ["", "", "", ""]),  # no answers
        (["a", "a", "a", "a"], ["b", "b", "b", "b"]),  # the references happen to have one label
        (["1", "2", "3", "1"], ["0.5", "1", "2", "3"]),  # grades
    ],
)
def test_outputs_that_may_be_labels(gold: list[str], outputs: list[str]) -> None:
    result = outscore.compare(gold, outputs, references=gold, metric="accuracy").comparisons[0]
    assert result.candidate_score == np.mean([a == b for a, b in zip(gold, outputs, strict=True)])


def test_scores_on_two_scales() -> None:
    rng = np.random.default_rng(9)
    share = rng.uniform(0.2, 0.6, 50)
    percent = np.round(100 * np.clip(share + rng.normal(0, 0.1, 50), 0, 1), 1)
    said = "The scores of baseline are between 0 and 1, those of candidate between 0 and 100. Check that they are on"
    assert any(one.startswith(said) for one in warned(share, percent))
    ranking = outscore.rank({"x": share, "y": percent, "z": share / 2})
    assert any(one.startswith("The scores of z and x are between 0 and 1") for one in ranking.warnings)
    for one, other in (
        (share, share / 2),
        (100 * share, percent),
        (rng.integers(0, 2, 50).astype(float), rng.integers(0, 4, 50).astype(float)),  # counts
        (-share, percent),
        (share, 10 * percent),
    ):
        assert not any("scale" in text for text in warned(one, other))


def test_a_score_is_written_as_0_only_if_it_is_0() -> None:
    low, high = [0.4] * 5, [0.0, 0.0, 315.0, 0.0, 0.0]
    text = to_text(outscore.compare(low, high))
    assert "scores 63 against 0.4" in text.replace("\n", " ")


def test_identical_graded_systems_have_no_interval() -> None:
    scores = [0.25, 0.5, 0.75, 0.125, 1.0, 0.375]
    result = outscore.compare(scores, list(scores))
    comparison = result.comparisons[0]
    assert (comparison.gain, result.p_value) == (0.0, 1.0)
    assert comparison.warnings[-1].startswith("No item differs, so the variance of the gain is unknown.")
    ranking = outscore.rank({"x": scores, "y": list(scores), "z": [0.0, *scores[1:]]})
    for written in (
        to_text(result, details=True),
        to_markdown(result),
        to_html(result),
        to_text(ranking, details=True),
        to_text(outscore.compare(scores, list(scores), tests="bootstrap")),
        to_text(outscore.compare(scores, list(scores), tests="paired-t")),
    ):
        assert "no item differs" in " ".join(written.split())
        assert "0.0000 to 0.0000" not in written
    assert "no interval, because no item differs" in " ".join(to_text(result).split())


@pytest.mark.parametrize("n", [2, 5, 40])
def test_identical_binary_systems_keep_their_interval(n: int) -> None:
    text = to_text(outscore.compare([1] * n, [1] * n, metric="accuracy"))
    assert "no item differs" not in text
    interval = outscore.compare([1] * n, [1] * n, metric="accuracy").comparisons[0].interval
    assert interval.low < 0 < interval.high
    assert math.isclose(interval.low, -interval.high) or not math.isfinite(interval.low)


def test_formatting_is_found_whatever_the_order_of_a_large_file() -> None:
    """Every third text of one system is in capitals, so that every third text shows all or nothing of it."""
    references, outputs = texts(450, 0.1, 5)
    capital = [text.upper() if place % 3 == 0 else text for place, text in enumerate(outputs)]
    found = []
    for seed in (None, 1, 2, 3):
        order = np.arange(450) if seed is None else np.random.default_rng(seed).permutation(450)
        several = [[of[place] for place in order] for of in (references, outputs, capital)]
        gold = [(text,) for text in several[0]]
        found.append((formatting_errors([CASE, PUNCTUATION], several[1:], gold), sampled(several[0])))
    assert found == [found[0]] * 4
    assert found[0][0] == [[], [CASE]]
