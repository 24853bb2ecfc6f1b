"""The site of the documentation as a reader has it: opened from disk, without a server and without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

import pytest

from .conftest import Watch
from .searches import SEARCHES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("furo", reason="the extra docs is not installed")

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DOCS = Path(__file__).resolve().parents[2] / "docs"
# All that the site links to outside of itself. Nobody follows these links here.
ELSEWHERE = {
    "arxiv.org",
    "distributed.dask.org",
    "github.com",
    "kubernetes.dask.org",
    "narwhals-dev.github.io",
    "pradyunsg.me",
    "semver.org",
    "www.sphinx-doc.org",
}


def links_of(site: Path) -> dict[Path, set[str]]:
    """Return where the links of every page lead."""
    return {
        page: set(re.findall(r'<a\b[^>]*?\bhref="([^"]*)"', page.read_text(encoding="utf-8")))
        for page in site.rglob("*.html")
    }


def search(tab: Page, site: Path, query: str) -> list[str]:
    """Return the pages that the search finds, the best first."""
    tab.goto((site / "search.html").as_uri() + f"?q={quote(query)}")
    results = tab.locator("#search-results li a")
    results.first.wait_for()
    pages = [str(link.get_attribute("href")).partition("#")[0] for link in results.all()]
    return [page.removesuffix(".html") for page in pages]


def test_the_site_works_from_disk(browser: Browser, watch: Watch, tmp_path: Path) -> None:
    """Built once: it takes a quarter of a minute."""
    site = tmp_path / "site"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(DOCS), str(site)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

    ids = {
        page.resolve(): set(re.findall(r'\bid="([^"]*)"', page.read_text(encoding="utf-8")))
        for page in site.rglob("*.html")
    }
    assert len(ids) > 80
    elsewhere = set()
    for page, links in links_of(site).items():
        for link in links:
            parts = urlsplit(link.replace("&amp;", "&"))
            if parts.scheme:
                assert parts.scheme == "https", link
                elsewhere.add(parts.netloc)
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
            assert target.is_file(), f"{page.name}: {link}"
            if parts.fragment and target in ids:
                assert unquote(parts.fragment) in ids[target], f"{page.name}: {link}"
    assert elsewhere == ELSEWHERE

    context = browser.new_context(viewport={"width": 390, "height": 800})
    context.set_default_timeout(20_000)
    tab = context.new_page()
    tab.on("console", lambda message: watch.messages.append(message.text))
    tab.on("pageerror", lambda error: watch.messages.append(str(error)))
    tab.on("request", lambda request: watch.requests.append(request.url))
    for name in ("index", "start/five-minutes", "which", "statistics/default", "reference/commands/compare"):
        tab.goto((site / f"{name}.html").as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390, name
    tab.goto((site / "start" / "five-minutes.html").as_uri())
    prompt = tab.locator(".highlight-console:not(.sentences) .gp").first
    command = prompt.evaluate(
        """prompt => {
            const range = document.createRange();
            range.setStartBefore(prompt);
            range.setEndBefore(prompt.parentElement.querySelector(".go"));
            return [range.getBoundingClientRect().right, prompt.closest("pre").getBoundingClientRect().right];
        }"""
    )
    assert command[0] <= command[1], "a command is read without scrolling"
    tab.goto((site / "statistics" / "default.html").as_uri())
    assert tab.locator("math mfrac").count() >= 4
    assert tab.evaluate("document.fonts.load('16px \"STIX Two Math\"').then(fonts => fonts.length)") == 1
    tab.goto((site / "search.html").as_uri() + "?q=clopper")
    tab.get_by_role("link", name="How p-values are computed").first.wait_for()
    first = {query: search(tab, site, query)[0] for query in SEARCHES}
    missed = {query: page for query, page in first.items() if page not in SEARCHES[query]}
    assert len(missed) <= 1, missed
    assert search(tab, site, "calibration")[0] == "calibration"  # evidence is last, not lost
    # The excerpt of a page whose title was typed says what the page is for, that of another page has the words.
    assert tab.locator("#search-results li p").first.inner_text().startswith("This page shows how often the tests")
    assert search(tab, site, "bahadur")[0] == "statistics/default"
    assert "bahadur" in tab.locator("#search-results li p").first.inner_text().lower()
    context.close()
    assert not watch.messages
    assert all(url.startswith(("file:", "data:")) for url in watch.requests)
