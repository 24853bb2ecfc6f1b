"""What notebooks show, in a real browser: items to sort and search, and all of it without a script."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import outscore
from outscore import Rates, plan_power
from outscore.exploring import Exploration
from tests.reports.kit import Shown

from .conftest import Open, Watch

if TYPE_CHECKING:
    from playwright.sync_api import Page

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed").expect
pytestmark = [pytest.mark.browser, pytest.mark.slow]

DESIGNS = Path(__file__).parents[2] / "examples" / "designs"
# As JupyterLab shows outputs: colours of its themes, and its own styles of tables.
SHEET = """<!DOCTYPE html><meta charset="utf-8"><style>
body { margin: 0; background: %s; color: %s; font: 14px/1.57 sans-serif; }
table { table-layout: fixed; margin: 0 auto; } td, th { text-align: right; white-space: normal; padding: 0.5em; }
</style>"""
THEMES = {"light": ("#fff", "rgba(0, 0, 0, 0.87)"), "dark": ("#111", "rgba(255, 255, 255, 0.87)")}


def notebook(*shown: str, theme: str = "light") -> str:
    return SHEET % THEMES[theme] + "".join(shown)


@pytest.fixture(scope="module")
def exploration() -> Exploration:
    """BLEU of 120 sentences, with their texts."""
    result = outscore.compare(
        DESIGNS / "base.1.txt",
        DESIGNS / "new.1.txt",
        references=DESIGNS / "reference.txt",
        metric="bleu",
        n_resamples=99,
    )
    return outscore.explore(result)


def ids(page: Page) -> list[str]:
    return page.locator("tbody:not([hidden]) th").all_inner_texts()


def test_items_are_filtered_searched_sorted_and_paged(open_page: Open, exploration: Exploration, watch: Watch) -> None:
    page = open_page(notebook(exploration._repr_html_()))
    assert len(ids(page)) == 10
    assert ids(page)[0] == "43"  # the largest loss
    expect(page.locator("details")).to_have_count(0)
    page.get_by_role("button", name="wins").click()
    gains = [float(text) for text in page.locator("tbody:not([hidden]) td.number:last-child").all_inner_texts()]
    assert min(gains) > 0
    page.locator("th", has_text="difference").click()
    page.locator("th", has_text="difference").click()
    gains = [float(text) for text in page.locator("tbody:not([hidden]) td.number:last-child").all_inner_texts()]
    assert gains == sorted(gains, reverse=True)
    expect(page.locator("th", has_text="difference")).to_have_attribute("aria-sort", "descending")
    first = ids(page)
    page.get_by_role("button", name="Next").click()
    assert not set(ids(page)) & set(first)
    page.get_by_role("searchbox").fill("ancient bread")
    texts = page.locator("tbody:not([hidden])").all_inner_texts()
    assert texts
    assert all("ancient" in text and "bread" in text for text in texts)
    page.get_by_role("searchbox").fill("no such word")
    expect(page.get_by_role("status")).to_have_text("No item.")
    assert watch.messages == []
    assert all(url.startswith("file:") for url in watch.requests)


def test_one_output_twice_works_twice(open_page: Open, exploration: Exploration, watch: Watch) -> None:
    html = exploration._repr_html_()
    page = open_page(notebook(html, html))
    assert [page.locator(".pager").count(), page.get_by_role("searchbox").count()] == [2, 2]
    page.get_by_role("button", name="losses").first.click()
    assert watch.messages == []


def test_without_a_script_the_worst_items_and_all_others_are_there(open_page: Open, exploration: Exploration) -> None:
    page = open_page(notebook(exploration._repr_html_()), java_script_enabled=False)
    assert page.locator("tbody").count() > 10
    visible = [body for body in page.locator("tbody").all() if body.is_visible()]
    assert len(visible) == 10
    page.locator("summary").click()
    assert all(body.is_visible() for body in page.locator("tbody").all())


SHOWN: dict[str, Callable[[], Exploration | Shown]] = {
    "items": lambda: outscore.explore(outscore.compare(*np.random.default_rng(3).integers(0, 2, (2, 60)).tolist())),
    "comparison": lambda: outscore.compare([0, 1] * 40, [1, 1, 0, 1] * 20, metric="accuracy"),
    "candidates": lambda: outscore.compare([0, 1] * 40, {"a": [1, 1, 0, 1] * 20, "b": [1] * 80}, metric="accuracy"),
    "gate": lambda: outscore.gate([1, 0] * 300, [1, 0] * 295 + [0, 0] * 5, metric="accuracy", margin=0.05),
    "ranking": lambda: outscore.rank({"a": [0, 1] * 40, "b": [1, 1, 0, 1] * 20, "c": [1] * 80}, n_resamples=999),
    "plan": lambda: plan_power(Rates(hurt=0.02), items=[200, 400], gain=0.02),
}


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    """What results of each kind show."""
    return {name: make()._repr_html_() for name, make in SHOWN.items()}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [390, 1920])
def test_outputs_fit_and_are_read_in_both_themes(
    open_page: Open, shown: dict[str, str], width: int, theme: str
) -> None:
    page = open_page(notebook(*shown.values(), theme=theme), viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name, html in shown.items():
        assert len(html.encode()) < 60_000, name
        assert ("<svg" in html) == (name != "items")
    # Text has the notebook's colour, or a share of it, and is read on its ground.
    light = page.evaluate(
        """() => ["p", "td", "th", "svg text"].flatMap(n => [...document.querySelectorAll(`.outscore ${n}`)]).map(e => {
          const canvas = document.createElement("canvas").getContext("2d");
          const style = getComputedStyle(e);
          canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
          canvas.fillRect(0, 0, 1, 1);
          canvas.fillStyle = e instanceof SVGElement ? style.fill : style.color;
          canvas.fillRect(0, 0, 1, 1);
          const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        })"""
    )
    assert len(light) > 50
    assert max(light) < 150 if theme == "light" else min(light) > 80
