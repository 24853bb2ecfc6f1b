"""Take the pictures of charts and reports in docs/images. This needs Chromium and Playwright."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
CHARTS = {
    "cruxeval": "rank examples/cruxeval/board.toml",
    "power": "plan power --hurt 5% --gain 1%,2%,4% --items 250,500,1000,2000",
}
REPORTS = {"report-ranking": "rank examples/cruxeval/board.toml"}


def run(command: str, *options: str) -> None:
    """Run outscore, and print nothing."""
    program = [sys.executable, "-m", "outscore", *command.split(), *options]
    subprocess.run(program, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Write all pictures."""
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1240, "height": 900}, color_scheme="light")
        shown = Path(folder) / "shown.html"
        for name, command in CHARTS.items():
            # In an SVG every machine has letters of other widths. The PNG is for print, and larger than needed here.
            run(command, "--chart", str(Path(folder) / f"{name}.png"))
            shown.write_text(f'<img src="{name}.png" width="1000">', encoding="utf-8")
            page.goto(shown.as_uri())
            page.locator("img").screenshot(path=IMAGES / f"{name}.png")
        for name, command in REPORTS.items():
            run(command, "--report", str(shown))
            page.goto(shown.as_uri())
            page.screenshot(path=IMAGES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
