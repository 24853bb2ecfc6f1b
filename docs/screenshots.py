"""Take the pictures of reports that the pages show: docs/images/report-*.png. It takes Chromium and Playwright."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
TABLE = "examples/cruxeval/correct.tsv"
SHOTS = {
    "report-ranking": "rank examples/cruxeval/board.toml",
    "report-comparison": f"compare {TABLE}:gpt-4-turbo-2024-04-09 {TABLE}:claude-3-5-sonnet-20241022 -m accuracy",
}


def main() -> None:
    """Write all pictures."""
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme="light")
        for name, command in SHOTS.items():
            report = Path(folder) / f"{name}.html"
            program = [sys.executable, "-m", "outscore", *command.split(), "--quiet", "--report", str(report)]
            subprocess.run(program, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            page.goto(report.as_uri())
            page.screenshot(path=ROOT / "docs" / "images" / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
