"""Pages, read as text; tests/browser opens them in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.options import OPTIONS, opt, speaking_options
from outscore.reports.html.items import SHORTEST, STATIC, TextPool
from outscore.reports.html.wording import without_options
from outscore.results import ComparisonResult, Interval, ItemTable, Ranking, Verdict
from outscore.words.rankings import lead
from tests.gating.made import TOO_FEW, gate
from tests.kit import format_p
from tests.reports.kit import Axis, data_block, plain, script, shown, spanning, summary, tag, write

from .conftest import ACCURACY, ERRORS, RESULTS, WEIRD, a_comparison, a_result
from .rankings import a_ranking, letters_of, renamed
from .tables import a_table, result_of
from .written import to_html

VOID = {"br", "hr", "input", "link", "meta"}
RANKINGS: dict[str, Callable[[], Ranking]] = {
    "12 systems": a_ranking,
    "40 systems": lambda: a_ranking(40),
    "2 systems": lambda: a_ranking(2),
    "no max-T": lambda: a_ranking(6, max_t=False),
    "errors": lambda: a_ranking(6, metric=ERRORS),
    "accuracy": lambda: a_ranking(6, metric=ACCURACY),
    "weird names": lambda: renamed(a_ranking(6), [WEIRD, "line\nbreak\x1b[31m", "模型-é-🙂", "\u202egnp.exe"]),
}


class Page(HTMLParser):
    """Reads a page, and fails where an element is not closed in its turn."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.blocks: dict[str, Any] = {}
        self.code: dict[str, str] = {}
        self.rows: list[list[str]] = []
        self.block = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.attributes += attributes
        self.ids += [given["id"] or ""] if "id" in given else []
        self.references += (given.get("aria-labelledby") or "").split()
        self.references += [(given["href"] or "").removeprefix("#")] if "href" in given else []
        self.references += [given["data-source"] or ""] if "data-source" in given else []
        if name not in VOID and name != "wbr":
            self.open.append(name)
        self.block = given.get("id") or "" if name == "script" else ""
        if name == "tr":
            self.rows.append([])
        elif name in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name

    def handle_data(self, data: str) -> None:
        where = self.open[-1] if self.open else ""
        if where == "script" and self.block:
            self.blocks[self.block] = json.loads(data)
        elif where in {"script", "style"}:
            self.code[where] = data
        else:
            self.text.append(data)
            if {"td", "th"} & set(self.open[-3:]):
                self.rows[-1][-1] += data


def every_page() -> dict[str, Callable[[], str]]:
    pages: dict[str, Callable[[], str]] = {}
    for name, make in RESULTS.items():
        pages[name] = lambda make=make: to_html(make())  # type: ignore[misc]
    for name, rank in RANKINGS.items():
        pages[name] = lambda rank=rank: to_html(rank())  # type: ignore[misc]
    pages["items"] = lambda: to_html(result_of(a_table(120)), [a_table(120)])
    return pages


PAGES = every_page()


@pytest.fixture(params=PAGES)
def html(request: pytest.FixtureRequest) -> str:
    return PAGES[request.param]()


def test_every_page_is_well_formed_and_refers_to_what_is_there(html: str) -> None:
    page = Page(html)
    assert html.startswith("<!DOCTYPE html>\n")
    assert html.endswith("</html>\n")
    assert len(page.ids) == len(set(page.ids))
    assert set(page.references) <= set(page.ids)
    assert dict(page.attributes)["lang"] is not None


def test_a_page_asks_for_nothing_and_runs_our_script_alone(html: str) -> None:
    page = Page(html)
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")}
    assert "style" not in names
    assert "src" not in names
    assert all((value or "").startswith("#") for name, value in page.attributes if name == "href")
    policy = next(value for name, value in page.attributes if name == "content" and value and "default" in value)
    for kind in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(page.code[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    for forbidden in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "http:",
    ):
        assert forbidden not in page.code["script"].replace("http://www.w3.org/2000/svg", "")


def test_a_page_says_sentence_verdict_and_tests(result: ComparisonResult) -> None:
    page = Page(to_html(result))
    text = "".join(page.text)
    for c in result.comparisons:
        assert c.sentence in text
        assert c.verdict.value in text
        for test in c.tests:
            assert format_p(test.p_value, c.alpha) in text
    assert result.signature in text
    assert "no difference" not in text


def test_names_are_shown_as_they_stand() -> None:
    html = to_html(RESULTS["weird_names"]())
    assert "<script>alert" not in html
    assert WEIRD in "".join(Page(html).text)
    assert r"line\nbreak\x1b[31mred" in "".join(Page(html).text)


def test_files_are_called_without_their_folders() -> None:
    c = a_comparison(baseline="runs/de/base/out.txt", candidate="runs/de/new/out.txt")
    page = Page(to_html(a_result(c)))
    assert page.text.count("new against base") == 2  # title and heading
    assert [value for name, value in page.attributes if name == "title"].count(c.candidate) == 1
    other = replace(c, candidate="runs/de/new/other.txt")
    result = a_result(c, other)
    several = Page(to_html(result))
    assert "out.txt (base)" in several.text
    sentences = {plain(summary(result)), *(each.sentence for each in result.comparisons)}
    assert not any("runs/de" in text for text in several.text if text not in sentences)


def test_a_law_is_drawn_with_zero_gain_and_interval() -> None:
    text = Page(to_html(RESULTS["one_exact"]())).text
    for mark in ("0", "δ = +4.3", "95% interval +2.0 to +6.5"):
        assert mark in text
    for name, marks in {"equivalence": ("-3.00", "+3.00"), "not_worse": ("-0.0050",)}.items():
        assert set(marks) <= set(Page(to_html(RESULTS[name]())).text)


def test_a_mark_far_from_the_law_stands_at_its_edge() -> None:
    assert "◂ 0" in Page(to_html(RESULTS["extreme_p"]())).text


def test_items_are_in_the_data_with_their_texts() -> None:
    table = a_table(50)
    page = Page(to_html(result_of(table), [table]))
    data, texts = page.blocks["c0-items-data"], page.blocks["texts"]
    assert [column["title"] for column in data["columns"]] == ["item", "baseline", "candidate", "difference"]
    assert data["cells"][0] == table.item_ids
    assert data["values"][3] == table.differences
    for part, held in zip(
        data["parts"], (table.sources, None, table.baseline_outputs, table.candidate_outputs), strict=True
    ):
        shown_texts = [[texts[number] for number in numbers] for numbers in part["texts"]]
        assert shown_texts == ([[text] for text in held] if held else [list(each) for each in table.references or ()])
    assert len(texts) == len(set(texts))


def test_items_without_scores_and_without_texts() -> None:
    result = result_of(a_table(3))
    page = Page(to_html(result, [ItemTable(["a", "b", "c"])]))
    assert page.blocks["c0-items-data"]["cells"] == [["a", "b", "c"]]
    bare = ItemTable(["a", "b", "c"], baseline_outputs=["x", "y", "z"])
    assert Page(to_html(result, [bare])).blocks["texts"] == ["x", "y", "z"]
    undefined = ItemTable(["a", "b"], [float("nan"), 1.0], [0.5, float("inf")], [float("nan"), float("-inf")])
    data = Page(to_html(result, [undefined])).blocks["c0-items-data"]
    assert data["values"][3] == [None, None]
    assert data["cells"][1][0] == "undefined"


def test_without_a_script_the_most_helped_and_hurt_have_their_texts() -> None:
    table = a_table(300)
    rows = [row for row in Page(to_html(result_of(table), [table])).rows if row and row[0] in table.item_ids]
    assert sorted(row[0] for row in rows) == sorted(table.item_ids)
    with_texts = [row for row in rows if len(row) == 8]
    assert len(with_texts) == 2 * STATIC
    order = sorted(range(300), key=lambda i: -(table.differences or ())[i])
    assert [row[0] for row in with_texts[:STATIC]] == [table.item_ids[i] for i in order[:STATIC]]
    first = with_texts[0]
    assert first[4:] == [
        (table.sources or ())[order[0]],
        (table.references or ())[order[0]][0],
        (table.baseline_outputs or ())[order[0]],
        (table.candidate_outputs or ())[order[0]],
    ]


def test_there_is_one_table_of_items_a_comparison() -> None:
    result = RESULTS["several_with_holm"]()
    with pytest.raises(ValueError, match="expected 3 tables of items, got 1"):
        to_html(result, [a_table(5)])
    with pytest.raises(ValueError, match="sources: expected one entry per item, 2, got 1"):
        ItemTable(["a", "b"], sources=["x"])


def test_a_page_of_long_texts_stays_below_10_megabytes() -> None:
    table = a_table(2000)
    long = replace(table, sources=[f"{i} {'длинно ' * 3000}" for i in range(2000)])
    html = to_html(result_of(long), [long])
    assert len(html.encode()) < 10_000_000
    assert "Texts are cut after" in "".join(Page(html).text)
    assert "more characters]" in html


def test_more_items_than_a_page_holds() -> None:
    n = 20_010
    differences = [float(i % 7 - 3) + i * 1e-9 for i in range(n)]
    table = ItemTable([str(i) for i in range(n)], differences=differences)
    page = Page(to_html(result_of(table), [table]))
    assert len(page.blocks["c0-items-data"]["places"]) == 20_000
    assert "The 20,000 items that changed most, of 20,010." in page.text


@given(st.lists(st.text(max_size=200), max_size=30), st.integers(0, 4000))
def test_texts_are_cut_to_what_fits(texts: list[str], most: int) -> None:
    pool = TextPool(most)
    numbers = [pool.add(text) for text in texts]
    held = pool.all()
    assert [held[number] for number in numbers] == [pool.cut(text) for text in texts]
    kept = [shown(text)[: pool.longest] for text in set(texts)]
    assert pool.longest == SHORTEST or sum(len(text.encode()) for text in set(kept)) <= most or not pool.is_cut
    for text, number in zip(texts, numbers, strict=True):
        assert held[number].startswith(shown(text)[: pool.longest])
        assert (held[number] == shown(text)) == (len(shown(text)) <= pool.longest)


anything = st.text(st.characters(exclude_categories=()), max_size=60) | st.sampled_from(
    ["</script>", "<!--", "<script>", "\u2028", "\ud800", "\u202e", "'\"&<>"]
)


@given(anything)
def test_text_is_shown_without_what_could_do_harm(text: str) -> None:
    safe = shown(text)
    safe.encode()
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\u2029\x00-\x08\x0b-\x1f\x7f]", safe)
    assert shown(safe) == safe


@given(anything, anything)
def test_what_is_written_is_read_as_it_was(text: str, value: str) -> None:
    read = Page(write(tag("p", shown(text), tag("b", "x"), title=shown(value))))
    assert "".join(read.text) == f"{shown(text)}x"
    assert dict(read.attributes)["title"] == shown(value)


@given(st.recursive(anything.map(shown) | st.integers() | st.none(), lambda inner: st.lists(inner, max_size=3)))
def test_data_are_read_as_they_were(data: object) -> None:
    block = write(data_block("data", data))
    assert Page(block).blocks["data"] == data
    assert "<" not in block.removeprefix('<script type="application/json" id="data">').removesuffix("</script>")


def test_our_own_script_is_refused_where_it_would_end_itself() -> None:
    with pytest.raises(ValueError, match="must not hold what ends it"):
        script("const a = '</script>';")


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.booleans(), st.integers(20, 200))
def test_ticks_are_round_apart_and_on_the_axis(low: float, width: float, percentage: bool, spacing: int) -> None:
    axis = Axis(low, low + width, 10.0, 700.0)
    if axis.high - axis.low < 1e-6 * max(abs(low), 1.0):
        return
    ticks = axis.ticks(spacing, percentage=percentage)
    places = [axis.at(value) for value, _ in ticks]
    assert all(b - a >= spacing * 0.999 for a, b in pairwise(places))
    assert all(10 <= place <= 700 for place in places)
    scale = 100 if percentage else 1
    for value, text in ticks:
        assert float(text) == pytest.approx(value * scale, rel=1e-6, abs=1e-9 * width * scale)


def test_an_axis_needs_finite_values() -> None:
    assert spanning([float("nan")], 0.0, 1.0) is None
    assert spanning([3.0, 3.0], 0.0, 1.0) is not None
    axis = spanning([1.0, 2.0, float("inf")], 0.0, 100.0, margin=0.5)
    assert axis == Axis(0.5, 2.5, 0.0, 100.0)


@pytest.mark.parametrize("name", RANKINGS)
def test_a_ranking_shows_every_system_and_pair(name: str) -> None:
    ranking = RANKINGS[name]()
    page = Page(to_html(ranking))
    data = page.blocks["r0-data"]
    assert len(data["sentences"]) == len(ranking.pairs)
    for k, pair in enumerate(ranking.pairs):
        assert data["values"][2][k] == pair.gain
        assert ranking.systems[data["rows"][k]].name == pair.candidate
        assert ranking.systems[data["others"][k]].name == pair.baseline
        for correction in data["corrections"]:
            p = next(pair.corrected(each) for each in type(ranking.correction) if each.value == correction["key"])
            assert data["values"][correction["column"]][k] == p
            assert data["cells"][correction["column"]][k] == format_p(p)
    assert ("max-t" in {each["key"] for each in data["corrections"]}) == (ranking.pairs[0].p_maxt is not None)
    pairs = [value for attribute, value in page.attributes if attribute == "data-pair"]
    # Once in the heat map, once among the points.
    assert sorted(map(int, filter(None, pairs))) == sorted([*range(len(ranking.pairs))] * 2)
    text = "".join(page.text)
    assert plain(lead(ranking)) in text
    assert ranking.signature in text
    for system in ranking.systems:
        assert system.group in text


def test_groups_are_drawn_as_they_are_lettered() -> None:
    ranking = a_ranking(12)
    html = to_html(ranking)
    letters = sum(len(letters_of(system.group)) for system in ranking.systems)
    assert len(re.findall(r'<circle [^>]*class="group"', html)) == letters


def test_what_a_ranking_begins_with() -> None:
    ranking = a_ranking(6)
    systems = [replace(one, among_best=False) for one in ranking.systems]
    alone = replace(ranking, systems=tuple(systems))
    assert plain(lead(alone)).endswith(
        ", significantly better than every other (two-sided bootstrap test, α = 0.05, after max-T correction over 15 "
        "pairs)."
    )
    every = replace(ranking, systems=tuple(replace(one, among_best=True) for one in ranking.systems))
    assert "but not significantly better than any other (" in plain(lead(every))
    one = replace(ranking, systems=(ranking.systems[0], replace(systems[1], among_best=True), *systems[2:]))
    assert f"but not significantly better than {systems[1].name} (" in plain(lead(one))


def test_numbers_that_are_not_finite_do_not_break_a_page() -> None:
    ranking = a_ranking(3)
    nan, inf = float("nan"), float("inf")
    interval = Interval(nan, inf, 0.95, ranking.systems[0].interval.method, exact=False)
    systems = tuple(replace(one, score=nan, interval=interval) for one in ranking.systems)
    pairs = tuple(replace(one, gain=nan, interval=interval, p_value=nan) for one in ranking.pairs)
    page = Page(to_html(replace(ranking, systems=systems, pairs=pairs)))
    assert "The scores are not finite and cannot be drawn." in page.text
    assert "The gains are not finite and cannot be drawn." in page.text
    assert page.blocks["r0-data"]["ends"] == [[None, None, None]] * 3


def test_systems_that_score_the_same_may_stand_in_either_order() -> None:
    ranking = a_ranking(3)
    first, *others = ranking.pairs
    turned = replace(first, baseline=first.candidate, candidate=first.baseline, gain=0.0)
    page = Page(to_html(replace(ranking, pairs=(turned, *others))))
    assert page.blocks["r0-data"]["rows"][0] == 1


def test_several_metrics_share_texts() -> None:
    table = a_table(20)
    result = result_of(table)
    page = Page(to_html([result, result], [[table], [table]]))
    once = Page(to_html(result, [table]))
    assert page.blocks["texts"] == once.blocks["texts"]
    assert {"c0", "c1"} <= set(page.ids)


def test_every_verdict_has_a_sign() -> None:
    from tests.gating.kit import GateOutcome
    from tests.reports.kit import SIGNS

    assert set(SIGNS) == {*Verdict, *GateOutcome}
    assert len({SIGNS[verdict] for verdict in Verdict}) == len(Verdict)
    assert len({SIGNS[outcome] for outcome in GateOutcome}) == len(GateOutcome)


def test_options_are_said_in_words() -> None:
    for speaks in (True, False):
        with speaking_options(speaks=speaks):
            advice = f"Raise {opt('n_resamples')}. For the average use {opt('tasks', 'fixed')}."
            named = [opt(option.argument) for options in OPTIONS.values() for option in options]
        assert without_options(advice) == "Raise the number of resamples. For the average use fixed tasks."
        for option in named:
            assert not re.search(r"--[a-z]|n_resamples|run_", without_options(f"Pass {option}, or not."))
    assert without_options("a--p and mean:lowest=0,highest=1") == "a--p and mean:lowest=0,highest=1"
    assert "To settle inconclusive results meanwhile, let them pass or fail." in to_html(gate(TOO_FEW))
    page = to_html(a_result(a_comparison(warnings=("Too close to call. Raise --n-resamples.",))))
    assert "Raise the number of resamples." in page
    assert "--n-resamples" not in page


def test_a_title_replaces_the_names() -> None:
    for result in (a_result(a_comparison()), a_ranking(3)):
        assert "<title>Ours &amp; theirs</title>" in result.to_html(title="Ours & theirs")
        assert "<h1>Ours &amp; theirs</h1>" in result.to_html(title="Ours & theirs")
