"""A gate as JUnit XML: what Jenkins validates, and what GitLab and GitHub's reporters read."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from xml.etree import ElementTree

import pytest

from outscore.wings.gating.junit import gate_to_junit
from tests.gating.kit import GateOutcome, GateResult, InconclusivePolicy
from tests.gating.made import ENOUGH, HOSTILE, LOST, TOO_FEW, gate

# Of each element: attributes that it must have, others that it may have, and the elements within. As in the schema of
# Jenkins' xUnit plugin (junit-10.xsd).
STRUCTURE: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": (
        {"name"},
        {"time", "classname", "group"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
}


def parsed(result: GateResult) -> ElementTree.Element:
    """Return the XML that other programs read, after it went through a file."""
    root = ElementTree.fromstring(gate_to_junit(result).encode("utf-8"))
    for element in root.iter():
        needed, others, within = STRUCTURE[element.tag]
        assert needed <= set(element.attrib) <= needed | others, element.tag
        assert {child.tag for child in element} <= within, element.tag
    suite = root.find("testsuite")
    assert suite is not None
    cases = suite.findall("testcase")
    counted = {"tests": cases, "failures": suite.findall(".//failure"), "skipped": suite.findall(".//skipped")}
    assert {name: suite.get(name) for name in counted} == {name: str(len(own)) for name, own in counted.items()}
    assert suite.get("errors") == "0"
    return root


def test_a_failed_check_says_what_is_lost_and_where() -> None:
    case = parsed(gate(LOST)).find("testsuite/testcase")
    assert case is not None
    assert case.attrib == {"classname": "outscore.gate", "name": "accuracy", "time": "0"}
    failure = case.find("failure")
    assert failure is not None
    assert failure.text is not None
    assert failure.get("type") == "failed"
    assert (failure.get("message") or "").startswith("Failed: new is worse than base in accuracy (gain -14.5 points")
    assert failure.text.startswith(failure.get("message") or "-")
    assert "10 of the largest losses in accuracy (2 wins, 60 losses, 338 ties):" in failure.text
    assert next(line.split() for line in failure.text.splitlines() if " q" in line) == ["q5", "100.0", "0.0"]


def test_a_passed_check_has_neither_failure_nor_skip() -> None:
    root = parsed(replace(gate(ENOUGH), total_looks=0))
    assert root.find(".//failure") is root.find(".//skipped") is None
    assert (root.findtext(".//system-out") or "").startswith("Passed: new is not worse than base by 3.00 points")
    said = {one.get("name"): one.get("value") for one in root.iter("property")}
    assert (said["outscore.outcome"], said["outscore.exit-status"]) == ("passed", "0")
    assert not {"outscore.look", "outscore.error", "outscore.rules-file"} & said.keys()
    stored = parsed(replace(gate(ENOUGH), total_looks=4, look=4))
    said = {one.get("name"): one.get("value") for one in stored.iter("property")}
    assert (said["outscore.look"], said["outscore.error"]) == ("4", "per-baseline")


@pytest.mark.parametrize(("policy", "tag"), [(None, "skipped"), ("pass", None), ("fail", "failure")])
def test_the_policy_says_what_an_inconclusive_check_is(policy: str | None, tag: str | None) -> None:
    result = gate(TOO_FEW, inconclusive=None if policy is None else InconclusivePolicy(policy))
    assert result.outcome is GateOutcome.INCONCLUSIVE
    found = [element.tag for element in parsed(result).iter() if element.tag in ("failure", "skipped", "error")]
    assert found == ([tag] if tag else [])


def test_there_is_a_failure_exactly_where_the_exit_status_is_one() -> None:
    statuses = set()
    for policy, *sizes in product((None, *InconclusivePolicy), (LOST, TOO_FEW, ENOUGH), (LOST, TOO_FEW, ENOUGH)):
        result = gate(dict(zip(("a", "b"), sizes, strict=True)), inconclusive=policy)
        root = parsed(result)
        failures, skips = root.findall(".//failure"), root.findall(".//skipped")
        assert (1 if failures else 3 if skips else 0) == result.exit_status
        statuses.add(result.exit_status)
    assert statuses == {0, 1, 3}


def test_every_task_is_a_test_of_its_own() -> None:
    names = [case.get("name") for case in parsed(gate({"law": ENOUGH, "art": LOST})).iter("testcase")]
    assert sorted(map(str, names)) == ["accuracy on art", "accuracy on law"]


def test_no_two_tests_have_one_name() -> None:
    one = gate(LOST)
    metric = replace(one.checks[0].metric, spec="accuracy:other")
    result = replace(one, checks=(one.checks[0], one.checks[0], replace(one.checks[0], metric=metric)))
    names = [str(case.get("name")) for case in parsed(result).iter("testcase")]
    assert names == ["accuracy (accuracy)", "accuracy (accuracy) (2)", "accuracy (accuracy:other)"]


def test_the_name_of_a_test_stays_from_commit_to_commit() -> None:
    first, second = (gate(LOST, names=("base", commit)) for commit in ("new-1", "new-2"))
    assert [c.attrib for c in parsed(first).iter("testcase")] == [c.attrib for c in parsed(second).iter("testcase")]


def test_what_xml_cannot_hold_is_spelt_out() -> None:
    root = parsed(gate({HOSTILE: LOST, "other": LOST}, names=("b" + HOSTILE, "c" + HOSTILE), prefix=HOSTILE))
    text = "".join(root.itertext())
    failure = root.find(".//failure")
    assert failure is not None
    spelt = r"""a\x1b[31m\x00\n::error::\ud800\ufffe ]]> <b> & "'"""
    assert spelt in str(failure.get("message"))
    assert spelt.split(" ")[0] in text
    assert "\x1b" not in text


def test_junitparser_reads_it() -> None:
    junitparser = pytest.importorskip("junitparser")
    suites = list(junitparser.JUnitXml.fromstring(gate_to_junit(gate({"a": LOST, "b": ENOUGH})).encode()))
    assert [(suite.name, suite.tests, suite.failures, suite.skipped) for suite in suites] == [
        ("outscore gate", 2, 1, 0)
    ]
    assert sorted(case.is_passed for suite in suites for case in suite) == [False, True]
