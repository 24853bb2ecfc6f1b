"""What results find of runs, templates and the like: one field, of which JSON, schemas and reports are made."""

from __future__ import annotations

import io
import json
import pickle
import tokenize
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

import outscore
from outscore.questions import comparing, findings
from outscore.results import Comparison, Finding
from outscore.results.findings import drawn, facts, sampled
from outscore.results.record import computed, deferred, found, json_text, record, schema_of_record
from tests.reports.kit import claims

SOURCE = Path(outscore.__file__).parent
# These are about runs by definition: runs that are planned, replicated, or found in logs.
OF_RUNS = ("findings", "gate_plans", "inventories", "plans", "replications", "run_plans")
FACTORS = {"runs", "run_sd", "template", "templates", "n_templates", "rater", "raters", "RunDesign", "sampling_share"}


class OfForm:
    """What forms may find."""

    languages: int | None = found("How many there are.", since="0.9.0")


@record
class Form(OfForm):
    """A form."""

    schema = "outscore/test/1"

    first: int
    findings: tuple[Finding, ...]
    last: int


def compared(runs: str | None = None, templates: str | None = None) -> Comparison:
    rng = np.random.default_rng(5)
    return outscore.compare(*rng.random((2, 20, 3)), runs=runs, templates=templates).comparisons[0]


def test_findings_are_keys_in_the_place_of_their_field() -> None:
    two = Form(1, (Finding("languages", key="languages", value=7), Finding("more", "A sentence.")), 3)
    assert list(json.loads(json_text(two)).items()) == [
        ("schema", Form.schema),
        ("first", 1),
        ("languages", 7),
        ("last", 3),
    ]
    assert two.languages == 7
    nothing = Form(1, (Finding("languages", key="languages", value=None),), 3)
    assert "languages" not in json.loads(json_text(nothing))
    assert nothing.languages is Form(1, (), 3).languages is None


def test_findings_that_no_table_lists_are_the_last_keys() -> None:
    form = Form(1, (Finding("dialects", key="dialects", value=[2]), Finding("accents", key="accents")), 3)
    assert list(json.loads(json_text(form))) == ["schema", "first", "last", "dialects"]


def test_a_schema_describes_findings_and_does_not_require_them() -> None:
    schema = schema_of_record(Form)
    about = "How many there are. Since outscore 0.9.0; omitted without a value."
    assert list(schema["properties"]) == ["schema", "first", "languages", "last"]
    assert schema["properties"]["languages"] == {"description": about, "type": "integer"}
    assert schema["required"] == ["schema", "first", "last"]


def test_a_finding_is_computed_when_it_is_asked_for() -> None:
    with patch.object(findings, "_runs") as of_runs, patch.object(comparing, "agreeing") as interval:
        comparison = compared(runs="random")
        assert comparison.over == "means over 3 runs each"
        assert comparison.run_sd is not None
        assert claims(comparison.findings) == ", for new runs on new items"
        assert not of_runs.called
        assert not interval.called


def test_computed_results_have_nothing_left_to_compute() -> None:
    asked: list[str] = []

    def compute() -> str:
        asked.append("sentence")
        return "A sentence."

    computed(Form(1, (Finding("a", deferred(compute)),), 3))
    assert asked == ["sentence"]
    comparison = compared(runs="fixed")
    assert pickle.loads(pickle.dumps(comparison)) == comparison


def test_reports_print_all_sentences_and_say_what_is_claimed() -> None:
    comparison = compared(runs="random")
    told = list(facts(comparison.findings))
    assert [label for label, _ in told][:3] == ["runs", "run sd", "variance"]
    for written in (comparison.to_text(details=True), comparison.to_markdown(), comparison.to_html()):
        for _, sentence in told:
            assert sentence[-30:] in " ".join(written.split())
    assert comparison.sentence.endswith("for new runs on new items.")
    assert (sampled(comparison.findings), drawn(comparison.findings)) == (["runs"], ["runs"])
    fixed = compared(runs="fixed").findings
    assert (claims(fixed), sampled(fixed), drawn(fixed)) == (", for these runs on new items", [], ["runs"])


def test_a_page_shows_what_is_found_of_templates_alone() -> None:
    comparison = compared(templates="random")
    page = comparison.to_html()
    assert ">Templates</h2>" in page
    assert "This does not extend to other templates." in page


@pytest.mark.parametrize("folder", ["results", "reports"])
def test_no_module_of_results_and_reports_names_a_factor(folder: str) -> None:
    named = {
        f"{path.relative_to(SOURCE)}: {token.string}"
        for path in (SOURCE / folder).rglob("*.py")
        if path.stem not in OF_RUNS
        for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
        if token.type == tokenize.NAME and token.string in FACTORS
    }
    assert not named
