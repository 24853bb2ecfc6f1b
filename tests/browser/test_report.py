"""Reports in a real browser. The whole file takes about ten seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from outscore.results import Correction, ItemTable
from outscore.text.naming import short_names
from tests.kit import format_p
from tests.reports.conftest import ERRORS, a_comparison, a_result, several_with_holm
from tests.reports.rankings import a_ranking, renamed
from tests.reports.tables import a_table, result_of
from tests.reports.written import to_html

from .conftest import Open, Watch

if TYPE_CHECKING:
    from playwright.sync_api import Page

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed").expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HOSTILE = (
    "<script>window.ran = 1</script>",
    "</script><script>window.ran = 1</script><!-- <![CDATA[",
    "<img src=x onerror='window.ran = 1'>",
    '" onfocus="window.ran = 1" autofocus=\'',
    "&lt;b&gt; &amp; \u2028\u2029 `${window.ran = 1}` \\u003c",
    "abc \u202edefg\u202c \u2066x\u2069 \x00\x07 \ud800",
)


@pytest.fixture
def items(open_page: Open) -> Page:
    """A comparison of 200 items."""
    table = a_table()
    return open_page(to_html(result_of(table), [table]))


@pytest.fixture
def ranking(open_page: Open) -> Page:
    """A ranking of twelve systems, with p-values in its cells."""
    return open_page(to_html(a_ranking()))


def differences(page: Page) -> list[float]:
    return [float(text) for text in page.locator(".items td:nth-child(4)").all_inner_texts()]


def test_the_largest_changes_come_first(items: Page) -> None:
    shown = [abs(each) for each in differences(items)]
    assert len(shown) == 25
    assert shown == sorted(shown, reverse=True)
    assert shown[0] == pytest.approx(100 * max(abs(each) for each in a_table().differences or ()), abs=0.051)


def test_items_are_sorted_by_any_column(items: Page) -> None:
    for column, name in enumerate(("item", "baseline", "candidate", "difference")):
        head = items.locator(".items thead th").nth(column)
        for _ in range(2):
            head.locator("button").click()
            order = head.get_attribute("aria-sort")
            cells = items.locator(f".items tbody tr:first-child > :nth-child({column + 1})").all_inner_texts()
            if name == "item":
                keys = [[int(part) for part in cell.removeprefix("doc").split(":")] for cell in cells]
                assert keys == sorted(keys, reverse=order == "descending")
            else:
                numbers = [float(cell) for cell in cells]
                assert numbers == sorted(numbers, reverse=order == "descending")
        assert items.locator(".items th[aria-sort=ascending], .items th[aria-sort=descending]").count() == 1


def test_items_are_searched_by_words_and_ids(items: Page) -> None:
    items.get_by_label("Search").fill("doc7:3")
    expect(items.locator(".items tbody")).to_have_count(1)
    assert items.locator(".items tbody th").inner_text() == "doc7:3"
    assert items.locator(".count").inner_text() == "1 to 1 of 1 (200 in all)"
    items.get_by_label("Search").fill("HOUSE river nowhere-at-all")
    expect(items.locator(".items tbody")).to_have_count(0)
    assert items.locator(".count").inner_text() == "None of 200."


def test_items_are_filtered_by_what_became_of_them(items: Page) -> None:
    table = a_table()
    losses = sum(each < 0 for each in table.differences or ())
    items.get_by_role("radio", name=f"losses {losses}").check()
    assert all(each < 0 for each in differences(items))
    assert f"of {losses} (200 in all)" in items.locator(".count").inner_text()
    items.get_by_label("Sort by").select_option("wins")
    items.get_by_role("radio", name="all 200").check()
    shown = differences(items)
    assert shown == sorted(shown, reverse=True)
    assert shown[0] > 0


def test_pages_are_turned(items: Page) -> None:
    items.get_by_label("Next page").click()
    assert items.locator(".count").inner_text() == "26 to 50 of 200"
    items.get_by_label("Last page").click()
    assert items.locator(".count").inner_text() == "176 to 200 of 200"
    assert items.get_by_label("Next page").is_disabled()


@pytest.mark.parametrize(
    ("baseline", "candidate", "left", "right"),
    [
        (["the cat sat on the mat", "同じ文"], ["the cat lay on a mat", "同じ文"], ["sat", "the"], ["lay", "a"]),
        (
            ["one two three four five six", "one two"],
            ["seven eight nine ten eleven six", "three four"],
            ["one two three four five"],
            ["seven eight nine ten eleven"],
        ),
    ],
    ids=["most are shared", "few are shared"],
)
def test_words_that_differ_are_marked(
    open_page: Open, baseline: list[str], candidate: list[str], left: list[str], right: list[str]
) -> None:
    table = ItemTable(
        ["1", "2"], [0.5, 0.5], [0.9, 0.5], [0.4, 0.0], baseline_outputs=baseline, candidate_outputs=candidate
    )
    page = open_page(to_html(result_of(table), [table]))
    assert page.locator("mark.baseline").all_inner_texts() == left
    assert page.locator("mark.candidate").all_inner_texts() == right


def test_letters_are_sorted_by_place_and_blanks_come_last(open_page: Open) -> None:
    given = a_ranking(4)
    groups = ("z", "a1", "b", "a")
    systems = tuple(replace(one, group=group) for one, group in zip(given.systems, groups, strict=True))
    page = open_page(to_html(replace(given, systems=systems)))

    def column(name: str) -> list[str]:
        place = page.locator(".systems thead th").all_inner_texts().index(name)
        return page.locator(f".systems tbody tr > :nth-child({place + 1})").all_inner_texts()

    page.locator(".systems thead button", has_text="group").click()
    assert column("group") == ["a", "b", "z", "a1"]
    for _ in range(2):
        page.locator(".systems thead button", has_text="to next").click()
        assert column("to next")[-1] == ""
        page.locator(".systems thead button", has_text="to best").click()
        assert column("to best")[-1] == ""


def test_names_stand_on_one_line_on_a_wide_window(open_page: Open) -> None:
    page = open_page(to_html(renamed(a_ranking(12), ["claude-3-5-sonnet-2024-06-20-v1", "x" * 60])))
    heights = page.locator(".systems tbody .name").evaluate_all("all => all.map(each => each.offsetHeight)")
    assert len({heights[0], *heights[2:]}) == 1
    assert heights[1] > heights[0]


def test_a_phone_shows_groups_and_keeps_names_of_rows(open_page: Open) -> None:
    given = renamed(a_ranking(12), ["claude-3-5-sonnet-2024-06-20-with-a-long-name-that-is-wide-WWWWMMMM"])
    page = open_page(to_html(given), viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    heads = page.locator(".systems thead th:visible").all_inner_texts()
    assert heads[:5] == ["rank", "system", "bleu", "95% interval", "group"]
    assert "to next" in heads
    drawing = page.locator(".forest .narrow-only svg")
    inside = """svg => [...svg.querySelectorAll("text")].every(text => {
        const [inner, outer] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
        return inner.left >= outer.left && inner.right <= outer.right + 1;
    })"""
    assert drawing.evaluate(inside)
    shown = drawing.locator("text").all_text_contents()
    assert all(system.group in shown for system in given.systems)
    page.locator(".heat-box").evaluate("box => { box.scrollLeft = 400; }")
    left = "each => each.getBoundingClientRect().left"
    name = page.locator(".heat tbody th span").nth(8)
    assert name.evaluate(left) == pytest.approx(page.locator(".heat-box").evaluate(left), abs=2)
    assert name.evaluate("each => each.offsetWidth") > 20


def test_text_of_users_is_shown_and_not_run(open_page: Open) -> None:
    n = len(HOSTILE)
    table = ItemTable(
        [f"{i}{text}" for i, text in enumerate(HOSTILE)],
        [0.1] * n,
        [0.2] * n,
        [0.1] * n,
        sources=HOSTILE,
        references=[(text, text) for text in HOSTILE],
        baseline_outputs=HOSTILE,
        candidate_outputs=[text[::-1] for text in HOSTILE],
    )
    c = a_comparison(baseline=HOSTILE[0], candidate=HOSTILE[1], warnings=HOSTILE, helped=n, hurt=0, unchanged=0)
    page = open_page(to_html(a_result(c), [table]))
    shown = page.locator("body").inner_text()
    assert "<script>window.ran = 1</script>" in shown
    assert "<img src=x onerror='window.ran = 1'>" in shown
    assert r"abc \u202edefg\u202c" in shown
    assert page.evaluate("window.ran") is None
    assert page.locator("main script:not([type='application/json'])").count() == 0
    assert page.locator("img").count() == 0

    page = open_page(to_html(renamed(a_ranking(), HOSTILE)))
    page.locator("td[data-pair='0']").click()
    assert "<script>window.ran = 1</script>" in page.locator("dialog h2").inner_text()
    assert page.evaluate("window.ran") is None


def test_scripts_that_are_not_ours_do_not_run(open_page: Open, watch: Watch) -> None:
    page = open_page(to_html(result_of(a_table(20))))
    refused = page.evaluate("""() => new Promise((done) => {
        document.addEventListener("securitypolicyviolation", (event) => done(event.violatedDirective));
        const added = document.createElement("script");
        added.textContent = "window.ran = 1";
        document.body.append(added);
    })""")
    assert refused == "script-src-elem"
    assert page.evaluate("window.ran") is None
    assert len(watch.messages) == 1  # that it was refused
    watch.messages.clear()


def test_2000_items_are_sorted_searched_and_turned_over(open_page: Open) -> None:
    table = a_table(2000, words=40)
    html = to_html(result_of(table), [table])
    assert len(html.encode()) < 10_000_000
    page = open_page(html)
    changes: tuple[Callable[[], object], ...] = (
        lambda: page.locator(".items thead button").nth(3).click(),
        lambda: page.get_by_label("Search").fill("river"),
        lambda: page.get_by_label("Next page").click(),
    )
    for change in changes:
        change()
        page.wait_for_timeout(100)  # what the search waits for the next key
        assert page.locator(".items tbody").count() == 25


def test_corrections_are_switched_for_all_figures(ranking: Page) -> None:
    given = a_ranking()
    cells = ranking.locator("#r0-heat td[data-pair]")
    points = ranking.locator("#r0-points [data-pair]")
    assert ranking.locator(".corrections").count() == 1
    assert ranking.locator(".corrections input:checked").get_attribute("value") == given.correction

    def heights() -> dict[int, float]:
        read = "all => all.map(each => [each.dataset.pair, each.getAttribute('transform').match(/ (.+)\\)/)[1]])"
        return {int(pair): float(y) for pair, y in points.evaluate_all(read)}

    def expected(correction: Correction) -> dict[int, float]:
        # 1 − p lies on an axis from 330 up to 14.
        return {k: 330 - 316 * (1 - pair.corrected(correction)) for k, pair in enumerate(given.pairs)}

    assert heights() == pytest.approx(expected(given.correction), abs=0.051)
    for name, correction in (
        ("Holm", Correction.HOLM),
        ("Benjamini–Hochberg", Correction.BH),
        ("none", Correction.NONE),
        ("max-T", Correction.MAX_T),
    ):
        ranking.get_by_role("radio", name=name, exact=True).check()
        assert heights() == pytest.approx(expected(correction), abs=0.051)
        captions = ranking.locator("[data-correction]").all_inner_texts()
        words = "without correction for the number of pairs" if name == "none" else f"after {name} correction"
        assert captions == [f"p-values {words}."] * 2
        for place, text in cells.evaluate_all("all => all.map(each => [each.dataset.pair, each.textContent])"):
            assert text == format_p(given.pairs[int(place)].corrected(correction))
        significant = ranking.locator("#r0-heat td:is(.l1, .l2, .l3)").count()
        assert significant == sum(pair.corrected(correction) <= 0.05 for pair in given.pairs)


@pytest.mark.parametrize("where", ["heat map", "points", "table"])
def test_a_click_on_a_pair_opens_it(ranking: Page, where: str) -> None:
    given = a_ranking()
    pair = given.pairs[5]
    target = {
        "heat map": "#r0-heat td[data-pair='5']",
        "points": "#r0-points [data-pair='5']",
        "table": ".pairs tr[data-pair='5'] button",
    }[where]
    ranking.locator(target).click(force=where == "points")
    dialog = ranking.locator("dialog[open]")
    text = dialog.inner_text()
    assert dialog.locator("h2").inner_text() == f"{pair.candidate} over {pair.baseline}"
    assert f"{pair.candidate} scores " in text
    assert format_p(pair.p_holm) in text
    assert f"{pair.wins} / {pair.ties} / {pair.losses}" in text
    ranking.keyboard.press("Escape")
    assert ranking.locator("dialog[open]").count() == 0


def test_the_heat_map_is_walked_by_keyboard(ranking: Page) -> None:
    given = a_ranking()
    names = [system.name for system in given.systems]
    ranking.locator("#r0-heat td[tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        ranking.keyboard.press(key)
    # From (1, 2) two to the right is (1, 4), one down (2, 4).
    now = ranking.evaluate("document.activeElement.getAttribute('aria-label')")
    assert now.startswith(f"{names[1]} over {names[3]}: gain ")
    assert ranking.locator("#r0-heat td[tabindex='0']").count() == 1
    ranking.keyboard.press("Enter")
    assert ranking.locator("dialog[open] h2").inner_text() == f"{names[1]} over {names[3]}"
    ranking.keyboard.press("Escape")
    assert ranking.evaluate("document.activeElement.getAttribute('aria-label')") == now
    ranking.keyboard.press("Home")
    for _ in range(20):
        ranking.keyboard.press("ArrowUp")
    assert ranking.evaluate("document.activeElement.dataset.pair") is not None


def test_the_points_are_walked_by_keyboard(ranking: Page) -> None:
    given = a_ranking()
    ranking.locator("#r0-points").focus()
    ranking.keyboard.press("End")
    largest = max(given.pairs, key=lambda pair: pair.gain)
    said = ranking.locator("#r0-gains [role=status]").inner_text()
    assert said.startswith(f"{largest.candidate} over {largest.baseline}: ")
    assert ranking.locator(".tip").inner_text() == said
    ranking.keyboard.press("Enter")
    assert ranking.locator("dialog[open] h2").inner_text() == f"{largest.candidate} over {largest.baseline}"


def test_systems_are_sorted(ranking: Page) -> None:
    head = ranking.locator(".systems thead th", has_text="P(best)")
    head.locator("button").focus()
    ranking.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    ranking.keyboard.press("Enter")
    names = ranking.locator(".systems tbody th").all_inner_texts()
    assert a_ranking().systems[0].name in names[-1]


def test_pairs_are_searched_and_sorted(ranking: Page) -> None:
    name = a_ranking().systems[3].name
    ranking.get_by_label("Search").fill(name)
    expect(ranking.locator(".pairs tbody tr")).to_have_count(11)
    ranking.locator(".pairs thead button", has_text="p (Holm)").click()
    shown = [float(cell.lstrip("< ")) for cell in ranking.locator(".pairs tbody td:nth-child(6)").all_inner_texts()]
    assert shown == sorted(shown)


def test_60_systems_are_corrected_sorted_and_chosen(open_page: Open) -> None:
    html = to_html(a_ranking(60))
    assert len(html.encode()) < 10_000_000
    page = open_page(html)
    changes: tuple[Callable[[], object], ...] = (
        lambda: page.get_by_role("radio", name="none", exact=True).check(),
        lambda: page.get_by_role("radio", name="Holm", exact=True).check(),
        lambda: page.locator(".pairs thead button").nth(2).click(),
        lambda: page.locator("#r0-heat td[data-pair='70']").click(),
    )
    for change in changes:
        change()
        page.evaluate("() => new Promise(requestAnimationFrame)")
    assert page.locator("dialog[open]").count() == 1


def a_pair() -> str:
    table = a_table(60)
    return to_html(result_of(table), [table])


def several_candidates() -> str:
    result = several_with_holm()
    return to_html(result, [a_table(30, seed=seed) for seed in range(len(result.comparisons))])


def several_metrics() -> str:
    table = a_table(60)
    return to_html([result_of(table), result_of(table)], [[table], [table]])


PAGES: dict[str, Callable[[], str]] = {
    "a pair": a_pair,
    "several candidates": several_candidates,
    "several metrics": several_metrics,
    "few systems": lambda: to_html(a_ranking(5)),
    "many systems": lambda: to_html(a_ranking(32)),
    "two systems": lambda: to_html(a_ranking(2)),
    "several rankings": lambda: to_html([a_ranking(5), a_ranking(5, metric=ERRORS)]),
    "long names": lambda: to_html(renamed(a_ranking(16), ["x" * 200, "a-b/" * 40])),
}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_overflows_on_a_phone(open_page: Open, name: str) -> None:
    html = PAGES[name]()
    page = open_page(html, viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page = open_page(html, viewport={"width": 360, "height": 740}, java_script_enabled=False)
    boxes = [each.bounding_box() for each in page.locator("main > *").all()]
    assert all(box is None or box["x"] + box["width"] <= 360 for box in boxes)


def test_without_a_script_everything_is_there_as_tables(open_page: Open) -> None:
    table = a_table(300)
    page = open_page(to_html(result_of(table), [table]), java_script_enabled=False)
    heads = page.locator("#c0-items h4").all_inner_texts()
    assert heads == ["Largest wins", "Largest losses"]
    assert page.locator("#c0-items .plain").first.locator("tbody tr").count() == 50
    assert page.locator("#c0-items .plain tbody tr").count() == 300
    assert page.locator("#c0-tests tbody tr").count() == 2
    assert page.locator(".law svg").first.is_visible()
    assert page.locator(".tools:visible").count() == 0

    given = a_ranking()
    page = open_page(to_html(given), java_script_enabled=False)
    assert page.locator("#r0-pairs tbody tr:visible").count() == len(given.pairs)
    assert page.locator("#r0-systems tbody tr").count() == len(given.systems)
    assert page.locator("#r0-heat td[data-pair]").count() == len(given.pairs)
    assert page.locator(".tools:visible").count() == 0


LIGHTNESS = """(selector) => [...document.querySelectorAll(selector)].filter(each => each.offsetParent).map((each) => {
    const parts = (text) => text.match(/[\\d.]+/g).map(Number);
    const lightness = ([r, g, b]) => {
        const linear = [r, g, b].map(c => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    let behind = each;
    while (behind && parts(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
    const a = lightness(parts(getComputedStyle(each).color));
    const b = lightness(parts(getComputedStyle(behind).backgroundColor));
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(open_page: Open, scheme: str) -> None:
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1."""
    table = a_table(60)
    for html in (to_html(result_of(table), [table]), to_html(a_ranking())):
        page = open_page(html, color_scheme=scheme)
        for selector in ("p", "td", "th", "mark", "a", "button:not(:disabled)", ".verdict", "dt", "summary", "li"):
            assert all(ratio >= 4.5 for ratio in page.evaluate(LIGHTNESS, selector)), selector


def test_the_theme_is_chosen(items: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = items.evaluate(ground)
    button = items.locator("#theme")
    button.click()
    assert (button.inner_text(), items.evaluate(ground)) == ("Theme: light", light)
    button.click()
    assert button.inner_text() == "Theme: dark"
    assert items.evaluate(ground) != light


def test_the_keyboard_reaches_the_report_first(items: Page) -> None:
    items.keyboard.press("Tab")
    assert items.evaluate("document.activeElement.textContent") == "Skip to the report"
    items.keyboard.press("Enter")
    assert items.evaluate("document.activeElement.id") == "report"


def test_on_paper_there_is_no_dark_and_nothing_to_press(open_page: Open) -> None:
    page = open_page(to_html(a_ranking(20)), color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".tools:visible, .pager:visible, .top:visible").count() == 0
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.printed[open]").count() == 1
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_a_system_without_a_family_and_one_system_alone(open_page: Open) -> None:
    given = a_ranking(4)
    alone = replace(given, systems=given.systems[:1], pairs=())
    page = open_page(to_html(alone))
    assert page.locator(".systems tbody tr").count() == 1
    assert page.locator("#r0-pairs").count() == 0
    nobody = replace(
        given,
        systems=tuple(replace(one, family=None) for one in given.systems),
        pairs=tuple(replace(one, same_family=None) for one in given.pairs),
    )
    page = open_page(to_html(nobody))
    assert page.locator("#r0-gains .legend").count() == 0
    assert page.locator("#r0-points [data-pair]").count() == 6


@pytest.mark.parametrize(("s", "shown"), [(20, 0), (25, 1)])
def test_long_tables_are_filtered_by_name(open_page: Open, s: int, shown: int) -> None:
    given = a_ranking(s)
    page = open_page(to_html(given))
    field = page.get_by_label("Filter rows")
    assert field.count() == shown
    if shown:
        field.focus()
        page.keyboard.type(given.systems[7].name.upper())
        expect(page.locator(".systems tbody tr:visible")).to_have_count(1)
        assert given.systems[7].name in page.locator(".systems tbody tr:visible").inner_text()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        expect(page.locator(".systems tbody tr:visible")).to_have_count(s)


def test_warnings_are_open_and_can_be_folded(open_page: Open) -> None:
    c = a_comparison(warnings=("First warning.", "Second warning."))
    page = open_page(to_html(a_result(c)))
    assert page.locator(".callout summary").inner_text() == "2 warnings"
    assert page.get_by_text("Second warning.").is_visible()
    assert page.locator(".answer .verdict").is_visible()
    page.locator(".callout summary").click()
    assert not page.get_by_text("Second warning.").is_visible()


@pytest.mark.parametrize("width", [390, 1300, 1920])
@pytest.mark.parametrize("name", ["several candidates", "several metrics", "many systems", "long names"])
def test_navigation_and_page_fit_any_width(open_page: Open, name: str, width: int) -> None:
    page = open_page(PAGES[name](), viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for link in page.locator(".top nav a:visible, .top summary, #theme").all():
        box = link.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_bars_where_the_baseline_is_better_are_hatched(open_page: Open) -> None:
    page = open_page(to_html(a_result(a_comparison())))
    fills = page.locator("svg rect.bar").evaluate_all(
        "bars => bars.map(bar => [bar.classList[1], getComputedStyle(bar).fill])"
    )
    assert {side for side, _ in fills} == {"win", "loss"}
    assert all(("-hatch" in fill) == (side == "loss") for side, fill in fills)


@pytest.mark.parametrize("width", [360, 390])
@pytest.mark.parametrize("name", ["a pair", "several candidates", "several metrics", "few systems"])
def test_p_and_verdict_are_in_sight_on_a_phone(open_page: Open, name: str, width: int) -> None:
    page = open_page(PAGES[name](), viewport={"width": width, "height": 800})
    cells = page.locator(":is(td:has(.verdict), td[data-label='p'], td[data-label^='p (']):not(:empty)")
    assert cells.count() >= 2
    assert page.locator("td .verdict").count() == page.locator("td .verdict:visible").count()
    for left, right in cells.evaluate_all(
        "all => all.map(each => each.getBoundingClientRect()).map(box => [box.left, box.right])"
    ):
        assert 0 <= left < right <= width


def test_p_and_corrected_p_stand_side_by_side(open_page: Open) -> None:
    page = open_page(several_candidates())
    for head in page.locator("table.said thead tr").all():
        names = head.locator("th").all_inner_texts()
        assert names.index("p (Holm)") == names.index("p") + 1
    page.set_viewport_size({"width": 390, "height": 800})
    for row in page.locator("table.said tbody tr:has([data-label='p']:not(:empty))").all():
        p, corrected = (row.locator(f"[data-label='{name}']").bounding_box() for name in ("p", "p (Holm)"))
        assert p is not None
        assert corrected is not None
        assert corrected["y"] == p["y"]
        assert corrected["x"] > p["x"]


@pytest.mark.parametrize("width", [1300, 1920])
def test_tables_are_as_wide_as_their_contents(open_page: Open, width: int) -> None:
    """A row of words is at most 80 characters wide, and a table of few numbers does not fill the window."""
    page = open_page(several_candidates(), viewport={"width": width, "height": 900})
    for table in page.locator("table.said:visible").all():
        box = table.bounding_box()
        assert box is not None
        assert box["width"] < 1000
    html = to_html(result_of(a_table(20, words=300)), [a_table(20, words=300)])
    page = open_page(html, viewport={"width": width, "height": 900})
    ch = page.locator(".items .texts p").first.evaluate(
        "each => { const ruler = document.createElement('i'); ruler.style.cssText = 'display:inline-block;width:80ch';"
        " each.append(ruler); const { width } = ruler.getBoundingClientRect(); ruler.remove(); return width; }"
    )
    widths = page.locator(".items .texts p").evaluate_all("all => all.map(each => each.offsetWidth)")
    assert max(widths) <= ch + 1


@pytest.mark.parametrize(("width", "beside"), [(1000, False), (1200, True), (1920, True)])
def test_blocks_stand_in_two_columns_where_there_is_room(open_page: Open, width: int, beside: bool) -> None:
    page = open_page(to_html(a_result(a_comparison())), viewport={"width": width, "height": 900})
    tests, law = (page.locator(f"#c0-{name}").bounding_box() for name in ("tests", "law"))
    assert tests is not None
    assert law is not None
    assert (law["x"] >= tests["x"] + tests["width"]) == beside
    assert (law["y"] >= tests["y"] + tests["height"]) == (not beside)


def test_the_chart_of_candidates_is_sorted_and_marked_by_verdict(open_page: Open) -> None:
    page = open_page(several_candidates())
    comparisons = sorted(several_with_holm().comparisons, key=lambda c: -c.gain)
    drawing = page.locator("#g0-plot")
    names = drawing.locator("text[text-anchor='end']").evaluate_all("all => all.map(each => each.firstChild.data)")
    short = dict(zip((c.candidate for c in comparisons), short_names([c.candidate for c in comparisons]), strict=True))
    assert [name.rstrip("…") for name in names] == [short[c.candidate][:29] for c in comparisons]
    said = drawing.locator(".mark-point title").all_text_contents()
    assert sorted(text.rsplit(", ", 1)[1] for text in said) == sorted(c.verdict for c in comparisons)
    colours = set(drawing.locator(".mark-point").evaluate_all("all => all.map(each => getComputedStyle(each).fill)"))
    zero = drawing.locator(".at").evaluate("each => getComputedStyle(each).stroke")
    assert zero not in colours
    assert len(colours) == len({c.verdict for c in comparisons})
    assert "Verdicts are after Holm's correction" in page.locator("#g0").inner_text()
