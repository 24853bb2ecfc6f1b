"""How results show themselves: the sentence, in a terminal and in a notebook."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from outscore.results import Alternative, Claim, ComparisonResult, Interval, IntervalMethod
from outscore.significance import Auto
from tests.kit import printable

from .written import to_text


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        (
            "one_exact",
            "gpt-4o scores 72.4 against 68.1 for gpt-4-turbo (accuracy in %, 800 items): a gain of +4.3 points "
            "(95% percentile bootstrap interval +2.0 to +6.5; one-sided paired bootstrap test, p = 0.00032, "
            "exact).",
        ),
        (
            "sampled_with_warning",
            "gpt-4o scores 70.0 against 68.1 for gpt-4-turbo (f1 in %, 800 items): a gain of +1.9 points "
            "(95% percentile bootstrap interval -0.4 to +4.2; one-sided paired bootstrap test, p = 0.0488, "
            "estimated from 100,000 resamples).",
        ),
        (
            "equivalence",
            "gpt-4o scores 67.88 against 68.13 for gpt-4-turbo (accuracy in %, 800 items in 75 clusters): a gain of "
            "-0.25 points (95% percentile bootstrap interval -2.54 to +2.04; two one-sided paired bootstrap tests of "
            "equivalence with a margin of ±3.00 points, p = 0.0131, exact).",
        ),
        (
            "not_worse",
            "gpt-4o scores 0.1251 against 0.1240 for gpt-4-turbo (ratio, lower is better, 800 items): a gain of "
            "-0.0011 (95% percentile bootstrap interval -0.0052 to +0.0030; one-sided paired bootstrap test of "
            "non-inferiority with a margin of 0.0050, p = 0.0317, exact).",
        ),
        (
            "a_loss",
            "gpt-4o scores 65.2 against 68.1 for gpt-4-turbo (accuracy in %, 800 items): a gain of -3.0 points "
            "(95% percentile bootstrap interval -5.3 to -0.7; two-sided paired bootstrap test, p = 0.0121, exact).",
        ),
    ],
)
def test_sentences(results: dict[str, ComparisonResult], name: str, sentences: str) -> None:
    assert results[name].sentences == (sentences,)


def test_sentences_of_several_candidates_name_the_correction(results: dict[str, ComparisonResult]) -> None:
    first, _, third = results["several_with_holm"].sentences
    assert "p = 0.00096 after Holm's correction over 3 comparisons and 0.00032 before it, exact" in first
    assert "p = 0.7121 before and after Holm's correction over 3 comparisons, exact" in third


def test_a_sentence_is_one_line_and_one_sentence(result: ComparisonResult) -> None:
    for sentence in (*result.sentences, *(comparison.sentence for comparison in result.comparisons)):
        assert sentence.isprintable()
        assert sentence.endswith(").")


def test_other_tests_and_intervals_are_named(results: dict[str, ComparisonResult]) -> None:
    comparison = results["one_exact"].comparisons[0]
    marked = results["assumes_independence"].comparisons[0].tests[2]
    assert (
        "one-sided two-proportion z-test that assumes independence, p = 0.0318)"
        in replace(comparison, tests=(marked,)).sentence
    )
    less = replace(
        comparison.tests[0], alternative=Alternative.LESS, name="randomization", title="paired randomization test"
    )
    assert "one-sided paired randomization test of a loss, p" in replace(comparison, tests=(less,)).sentence
    equivalent = replace(comparison, claim=Claim.EQUIVALENT, margin=0.01, tests=(less,))
    assert "two one-sided paired randomization tests of equivalence with a margin of ±1.0 points" in equivalent.sentence
    bca = replace(comparison, interval=Interval(0.01, 0.08, 0.99, IntervalMethod.BCA, exact=False))
    assert "(99% BCa bootstrap interval +1.0 to +8.0;" in bca.sentence
    own = replace(comparison, tests=(replace(comparison.tests[0], title="test of mine"),))
    assert "one-sided test of mine, p" in own.sentence
    assert Auto.titled() == "auto test"  # it has no title


def test_a_result_shows_its_report(result: ComparisonResult) -> None:
    assert f"{result!r}\n" == to_text(result)
    assert f"{result}\n" == to_text(result)
    for c in result.comparisons:
        shown = repr(c).split("signature  ")[0]
        assert " ".join(shown.split()).startswith(" ".join(c.sentence.split()))


class Reader(HTMLParser):
    """Collects the text and the tags of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.opened: list[str] = []
        self.closed: list[str] = []
        self.feed(page)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.closed.append(tag)


def test_a_notebook_shows_names_and_does_not_run_them(result: ComparisonResult) -> None:
    for shown in (result._repr_html_(), *(comparison._repr_html_() for comparison in result.comparisons)):
        page = Reader(shown)
        html = {"div", "style", "p", "b", "code", "table", "thead", "tbody", "tr", "th", "td"}
        drawn = {"svg", "title", "pattern", "rect", "line", "text", "g", "path", "polyline", "ul", "li"}
        assert set(page.opened) <= html | {"span", "strong", "h4", "details", "summary"} | drawn
        assert sorted(page.opened) == sorted(page.closed)
        assert not re.search(r"<[^>]* on[a-z]+=|javascript:|https?://", shown)
    page = Reader(result._repr_html_())
    for sentence in result.sentences[: len(result.sentences) == 1]:
        assert sentence in page.text
    assert sum(text.strip(" .") == result.comparisons[0].verdict for text in page.text) >= 1


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a b", "a b"),
        ("a\nb", r"a\nb"),
        ("\x1b[31m", r"\x1b[31m"),
        ("é模🙂", "é模🙂"),
        ("\u202e\ud800", r"\u202e\ud800"),
    ],
)
def test_names_are_shown_on_one_line(name: str, shown: str) -> None:
    assert printable(name) == shown
