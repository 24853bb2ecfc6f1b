"""Pages of studies and plans in a real browser."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tests.reports.written import to_html
from tests.studies.made import OVERVIEWS, a_gain_study, a_plan_table, a_size_study, renamed

from .conftest import Open
from .test_report import HOSTILE, LIGHTNESS

if TYPE_CHECKING:
    from playwright.sync_api import Page

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed").expect
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def gains(open_page: Open) -> Page:
    """A study of gains."""
    return open_page(to_html([a_gain_study()]))


@pytest.mark.parametrize("kind", OVERVIEWS)
@pytest.mark.parametrize("width", [360, 1200])
def test_every_page_is_drawn_and_fits(open_page: Open, kind: str, width: int) -> None:
    page = open_page(to_html([OVERVIEWS[kind]()]), viewport={"width": width, "height": 800})
    assert page.locator("svg.plot").count() >= 1
    assert page.locator("table.said tbody tr").count() >= 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for box in page.locator("svg.plot .mark-point").evaluate_all(
        "all => all.map(each => [each.getBoundingClientRect().x, each.closest('svg').getBoundingClientRect().x])"
    ):
        assert math.isfinite(box[0])
        assert box[0] >= box[1]


def test_marks_tell_what_they_are(gains: Page) -> None:
    study = a_gain_study()
    mark = gains.locator(".mark-point:not(.key *)").first
    mark.hover(force=True)
    said = gains.locator(".tip").inner_text()
    assert any(said.startswith(f"{pair.candidate} over {pair.baseline}: gain +") for pair in study.pairs)
    gains.locator("svg.plot").focus()
    for _ in range(2):
        gains.keyboard.press("ArrowRight")
    told = gains.locator("svg.plot + .unseen").inner_text()
    assert " over " in told
    assert gains.locator(".tip").inner_text() == told
    gains.keyboard.press("Escape")
    assert gains.locator(".tip").is_hidden()


def test_a_finger_reads_marks_too(open_page: Open) -> None:
    page = open_page(to_html([a_size_study()]), has_touch=True)
    page.locator(".series .mark-point:not(.key *)").first.tap(force=True)
    assert page.locator(".tip").is_visible()
    page.locator("h1").tap()
    assert page.locator(".tip").is_hidden()


def test_pairs_are_sorted_and_searched(gains: Page) -> None:
    study = a_gain_study()
    rows = gains.locator(".explorer tbody tr")
    assert rows.count() == len(study.pairs)
    gains.get_by_role("button", name="gain").click()
    shown = [float(text) for text in gains.locator(".explorer tbody td:nth-child(3)").all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    gains.get_by_label("Search").fill("s3 same-family")
    expect(gains.locator(".count")).to_contain_text("in all")
    found = [pair for pair in study.pairs if pair.relation == "same-family" and "s3" in (pair.baseline, pair.candidate)]
    assert rows.count() == len(found)


def test_text_of_users_is_shown_and_not_run(open_page: Open) -> None:
    for name in HOSTILE:
        page = open_page(to_html([renamed(a_gain_study(), name)]))
        assert page.evaluate("window.ran") is None


def test_several_studies_stand_on_one_page(open_page: Open) -> None:
    page = open_page(to_html([a_gain_study(), a_size_study()]))
    assert page.locator("nav a").count() == 2
    assert page.locator("h2").count() == 2
    assert (
        len(set(page.locator("[id]").evaluate_all("all => all.map(each => each.id)"))) == page.locator("[id]").count()
    )


def test_without_a_script_everything_is_there(open_page: Open) -> None:
    study = a_gain_study()
    page = open_page(to_html([study]), java_script_enabled=False)
    assert page.locator("noscript tbody tr").count() == len(study.pairs)
    assert page.locator("svg.plot .mark-point").count() > 0
    assert page.locator(".tools:visible").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(open_page: Open, scheme: str) -> None:
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1."""
    page = open_page(to_html([a_plan_table()]), color_scheme=scheme)
    for selector in ("p", "td", "th", "a", "li", "h4"):
        assert all(ratio >= 4.5 for ratio in page.evaluate(LIGHTNESS, selector)), selector
