"""Markdown that GitHub shows as it is meant."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from outscore.reports.markdown import escape
from outscore.results import ComparisonResult
from tests.kit import printable

from .written import to_markdown

RENDER = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def shown(markdown: str) -> str:
    """Return the text that a reader sees."""
    tokens = RENDER.parse(markdown)
    return "\n".join(
        "".join(
            child.content for child in token.children or () if child.type in ("text", "text_special", "code_inline")
        )
        for token in tokens
        if token.type == "inline"
    )


def test_every_row_of_a_table_has_as_many_cells_as_its_heading(result: ComparisonResult) -> None:
    for block in to_markdown(result).split("\n\n"):
        lines = [line for line in block.split("\n") if line.startswith("| ")]
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) <= 1


def test_a_reader_sees_the_sentences(result: ComparisonResult) -> None:
    text = shown(to_markdown(result))
    for sentence in result.sentences:
        assert sentence in text


def test_nothing_in_a_name_is_html(results: dict[str, ComparisonResult]) -> None:
    html = RENDER.render(to_markdown(results["weird_names"]))
    assert "<script" not in html
    assert "&lt;script&gt;alert('x')&lt;/script&gt;" in html


@given(st.text(min_size=1).filter(lambda name: name == name.strip()))
def test_a_name_is_shown_as_it_stands(name: str) -> None:
    assert shown(escape(name)) == printable(name)
    row = shown(f"| a | b |\n| --- | --- |\n| {escape(name)} | x |\n")
    assert row == f"a\nb\n{printable(name)}\nx"


def test_with_several_candidates_a_note_says_whose_it_is(results: dict[str, ComparisonResult]) -> None:
    text = to_markdown(results["several_with_holm"])
    assert "\n- Left out: mcnemar: " in text
    assert "\n- runs/2024-05-13/llama-3-70b-instruct/temperature-0.2/scores.txt: **Warning:** 2 items" in text


# The forms that GitHub's documentation lists ("Autolinked references and URLs", "Mentioning people and teams"), as
# html-pipeline finds them in rendered text: a mention is not preceded by a letter, digit or underscore.
LINKED = re.compile(r"(^|\W)@[a-z0-9]|#\d|(^|\W)GH-\d|/(issues|pull|discussions)/\d", re.IGNORECASE | re.ASCII)


@given(st.text(alphabet="@#aG1/H-_`|\\. é", min_size=1).filter(lambda name: name == name.strip()))
@example("@bob")
@example("(@org/team) #1 GH-2 owner/repository#3 https://github.com/o/r/issues/4#issuecomment-5")
@example("a`@b")
def test_a_name_mentions_nobody(name: str) -> None:
    for markdown in (escape(name), f"| a |\n| --- |\n| **{escape(name)}** |\n"):
        texts = [child for token in RENDER.parse(markdown) for child in token.children or ()]
        outside = "".join(child.content if child.type != "code_inline" else "\0" for child in texts)
        assert not LINKED.search(outside)
    assert shown(escape(name)) == name


def test_a_revision_of_a_model_is_not_changed() -> None:
    assert shown(escape("org/model@5a3c")) == "org/model@5a3c"
    assert "`" not in escape("org/model@5a3c, recall@10, C#, #a")
