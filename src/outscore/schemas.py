"""The forms of JSON that outscore writes, as JSON Schemas (draft 2020-12), each made from the class of its results."""

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
    "gating.results": ("GateResult",),
    "human.results": ("HumanPlan",),
    "logs.results": ("Inventory",),
    "metaeval.results": ("MetaResult",),
    "planning.results": ("GainPlan", "GatePlan", "ItemsPlan", "PlanTable", "PowerPlan", "RunsPlan"),
    "results.rankings": ("Ranking", "Rankings"),
    "replication.results": ("FinishedRun", "Replication"),
    "results.scores": ("ScoreResult", "UnpairedResult"),
    "studies.results": ("CalibrationStudy", "DomainStudy", "GainStudy", "SizeStudy", "Studies", "TransferStudy"),
    "results.test_sets": ("TestSetsResult",),
    "reports.lists": ("FormatList", "MetricList"),
}


def names() -> tuple[str, ...]:
    """Return the names of all forms, as they stand under the key "schema", in alphabetical order.

    Examples
    --------
    >>> names()[:2]
    ('outscore/comparison/1', 'outscore/comparisons/1')
    """
    return tuple(sorted(_forms()))


def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a form.

    Keys may be added to a form within its version, so that unknown keys are allowed. The schema refers to nothing
    outside itself.

    Parameters
    ----------
    name : str
        What stands under the key "schema", ``outscore/study-gain/1``, or without the version, ``study-gain``, for the
        newest.

    Raises
    ------
    OptionError
        An unknown name.

    Examples
    --------
    >>> schema_of("plan-table")["title"]
    "Jansen's table of expected p-values"
    """
    forms = _forms()
    newest = {full.split("/")[1]: full for full in sorted(forms, key=_version)}
    full = newest.get(name, name)
    if full not in forms:
        known = forms if name.startswith(_PREFIX) else newest
        what = f"unknown form of JSON {quoted(name)}"
        raise OptionError(Problem("outscore schema", what, nearest(name, sorted(known)), "unknown-schema"))
    return schema_of_record(forms[full])


def schema_text(name: str) -> str:
    """Return a form's JSON Schema as text, named as for `schema_of`.

    Raises
    ------
    OptionError
        An unknown name.
    """
    return json.dumps(schema_of(name), indent=2) + "\n"


@cache
def _forms() -> dict[str, type]:
    """Return the classes by the names of their forms."""
    classes = (getattr(import_module(f"outscore.{module}"), name) for module, names in _FORMS.items() for name in names)
    return {kind.schema: kind for kind in classes}


def _version(full: str) -> int:
    return int(full.rpartition("/")[2])
