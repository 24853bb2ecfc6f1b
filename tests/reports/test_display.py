"""How results show themselves: the sentence, in a terminal and in a notebook."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from outscore.results import ComparisonResult
from tests.kit import printable

from .written import to_text


def test_a_sentence_is_one_line_and_one_sentence(result: ComparisonResult) -> None:
    for sentence in (*result.sentences, *(comparison.sentence for comparison in result.comparisons)):
        assert sentence.isprintable()
        assert sentence.endswith(").")


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
