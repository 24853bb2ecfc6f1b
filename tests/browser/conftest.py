"""A real browser for the tests of pages: Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Watch:
    """What a page said and asked for."""

    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


Open = Callable[..., "Page"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, without a window."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium is installed")
    with api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=list(QUIET))
        yield started
        started.close()


@pytest.fixture
def watch() -> Watch:
    """What the pages of one test say and ask for."""
    return Watch()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path, watch: Watch) -> Iterator[Open]:
    """A function that opens a report; afterwards nothing may have been complained about, or asked for."""
    contexts: list[Any] = []
    count = 0

    def opened(html: str, **settings: Any) -> Page:
        nonlocal count
        count += 1
        path = tmp_path / f"report-{count}.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **settings})
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: watch.messages.append(message.text))
        page.on("pageerror", lambda error: watch.messages.append(str(error)))
        page.on("request", lambda request: watch.requests.append(request.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert watch.messages == []
    assert all(url.startswith(tmp_path.as_uri()) for url in watch.requests)
    assert len(watch.requests) == count
