"""A gate as JUnit XML, which CI services show as tests: one test per metric and task.

The elements and attributes are those that Jenkins' xUnit plugin validates and that GitLab and GitHub reporters
read. GitLab and Jenkins identify a test by its class and name, so neither contains the candidate's name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from outscore.text.naming import printable
from outscore.wings.gating.documents import check_text
from outscore.wings.gating.results import GateCheck, GateOutcome, GateResult

_CLASS = "outscore.gate"
_FAILURE, _SKIPPED = "failure", "skipped"
# The element for each outcome; a test that passed has none.
_ELEMENTS = {GateOutcome.FAILED: _FAILURE, GateOutcome.INCONCLUSIVE: _SKIPPED}


def gate_to_junit(result: GateResult) -> str:
    r"""Return a gate as JUnit XML, in UTF-8: one test suite with one test case per metric and task.

    A test case fails if its outcome is failed. An inconclusive one is skipped, passes or fails, as the policy of
    the gate sets. The suite has a failure if and only if the exit status is 1. Characters that XML cannot hold
    (control characters, lone surrogates) are escaped, as in ``\x1b``.
    """
    parts = [(check, _ELEMENTS.get(result.counted_as(check.outcome))) for check in result.checks]
    counts = Counter(part for _, part in parts)
    totals = {"tests": len(parts), "failures": counts[_FAILURE], "errors": 0}
    root = _element("testsuites", {"name": "outscore gate", **totals})
    # A gate is not timed, but readers expect a number.
    attributes = {"name": "outscore gate", **totals, "skipped": counts[_SKIPPED], "time": "0"}
    suite = _element("testsuite", attributes, within=root)
    properties = _element("properties", {}, within=suite)
    for name, value in _properties(result):
        _element("property", {"name": name, "value": value}, within=properties)
    for (check, part), name in zip(parts, _names(result.checks), strict=True):
        case = _element("testcase", {"classname": _CLASS, "name": name, "time": "0"}, within=suite)
        lead, table = check_text(result, check)
        text = f"{lead}\n\n{table}" if table else lead
        if part is None:
            _element("system-out", {}, text, within=case)
        else:
            _element(part, {"type": check.outcome.value, "message": lead}, text, within=case)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _properties(result: GateResult) -> list[tuple[str, object]]:
    stored = result.total_looks > 0  # only a stored baseline counts its checks
    properties = {
        "outcome": result.outcome.value,
        "exit-status": result.exit_status,
        "baseline": result.baseline,
        "candidate": result.candidate,
        "commit": result.commit,
        "look": result.look if stored else None,
        "level": f"{result.level:.4g}",
        "alpha": f"{result.alpha:g}",
        "error": result.error.value if stored else None,
        "rules-file": result.rules_file,
        "signature": result.signature,
        "version": result.version,
    }
    return [(f"outscore.{name}", value) for name, value in properties.items() if value is not None]


def _names(checks: Sequence[GateCheck]) -> list[str]:
    """Return unique names for the test cases: GitLab drops test cases of the same name."""
    names = [check.name for check in checks]
    times = Counter(names)
    full = [f"{name} ({c.metric.spec})" if times[name] > 1 else name for name, c in zip(names, checks, strict=True)]
    before: Counter[str] = Counter()
    unlike = []
    for name in full:
        before[name] += 1
        unlike.append(f"{name} ({before[name]})" if before[name] > 1 else name)
    return unlike


def _element(
    tag: str,
    attributes: Mapping[str, object],
    text: str | None = None,
    *,
    within: ElementTree.Element | None = None,
) -> ElementTree.Element:
    """Return an element on its own line, with all attributes on that line."""
    written = {name: printable(str(value)) for name, value in attributes.items()}
    element = ElementTree.Element(tag, written) if within is None else ElementTree.SubElement(within, tag, written)
    element.text = text
    return element
