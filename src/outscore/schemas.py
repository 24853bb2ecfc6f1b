"""The JSON formats of results, as JSON Schemas (draft 2020-12), each made from the class of the result."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from typing import Any

from outscore.errors import OptionError, Problem
from outscore.results.record import schema_of_record
from outscore.text.naming import nearest, quoted

_PREFIX = "outscore/"
_FORMS = {
    "results.comparisons": ("ComparisonResult", "ComparisonResults"),
    "wings.gating.results": ("GateResult",),
    "wings.human.results": ("HumanPlan",),
    "wings.judging.results": ("JudgesResult",),
    "wings.logs.results": ("Inventory",),
    "wings.metaeval.results": ("MetaResult",),
    "wings.planning.results": ("GainPlan", "GatePlan", "ItemsPlan", "PlanTable", "PowerPlan", "RunsPlan"),
    "results.rankings": ("Ranking", "Rankings"),
    "wings.replication.results": ("FinishedRun", "Replication"),
    "results.scores": ("ScoreResult", "UnpairedResult"),
    "wings.studies.results": ("CalibrationStudy", "DomainStudy", "GainStudy", "SizeStudy", "Studies", "TransferStudy"),
    "results.test_sets": ("TestSetsResult",),
    "reports.lists": ("FormatList", "MetricList"),
}


def names() -> tuple[str, ...]:
    """Return the names of all JSON formats, the values of the key "schema", in alphabetical order.

    Examples
    --------
    >>> names()[:2]
    ('outscore/comparison/1', 'outscore/comparisons/1')
    """
    return tuple(sorted(_forms()))


def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a JSON format.

    Unknown keys are allowed, because keys may be added within a version. The schema is self-contained.

    Parameters
    ----------
    name : str
        The value of the key "schema", such as ``outscore/study-gain/1``, or ``study-gain`` for the newest version.

    Raises
    ------
    OptionError
        If the name is unknown.

    Examples
    --------
    >>> schema_of("plan-table")["title"]
    "Jansen's expected p-values, and the losses allowed"
    """
    forms = _forms()
    newest = {full.split("/")[1]: full for full in sorted(forms, key=_version)}
    full = newest.get(name, name)
    if full not in forms:
        names = forms if name.startswith(_PREFIX) else newest
        what = f"unknown JSON format {quoted(name)}"
        raise OptionError(Problem("outscore schema", what, nearest(name, sorted(names)), "unknown-schema"))
    return schema_of_record(forms[full])


def schema_text(name: str) -> str:
    """Return the JSON Schema of a JSON format as text; see `schema_of`."""
    return json.dumps(schema_of(name), indent=2) + "\n"


@cache
def _forms() -> dict[str, type]:
    """Return the classes by the names of their JSON formats."""
    classes = (getattr(import_module(f"outscore.{module}"), name) for module, names in _FORMS.items() for name in names)
    return {kind.schema: kind for kind in classes}


def _version(full: str) -> int:
    return int(full.rpartition("/")[2])
