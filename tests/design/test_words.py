"""Outside of the design no module names a crossed factor: what is known of one is in its own file."""

from __future__ import annotations

import tokenize
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "outscore"
WORDS = {"template", "templates", "n_templates", "rater", "raters", "two_way", "claims_other_runs", "of_items_alone"}
# What results find of each factor, by the names that JSON has for it.
FINDINGS = {"questions/findings.py", "results/findings.py"}


@pytest.mark.parametrize(
    "package", ["gains", "significance", "questions", "results", "readers", "reports", "cli", "planning", "studies"]
)
def test_no_module_names_a_factor(package: str) -> None:
    found = []
    for path in sorted((SOURCE / package).rglob("*.py")):
        where = str(path.relative_to(SOURCE))
        if where in FINDINGS:
            continue
        with path.open("rb") as file:
            names = {token.string for token in tokenize.tokenize(file.readline) if token.type == tokenize.NAME}
        found += [f"{where}: {word}" for word in sorted(names & WORDS)]
    assert found == []
