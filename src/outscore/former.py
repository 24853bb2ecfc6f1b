"""Modules, names and attributes of earlier versions. Moved ones work and warn; for others the error says what to use.

This module is imported only if a name is unknown.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from operator import attrgetter
from types import ModuleType
from typing import Any


class Dropped(str):
    """Advice on a name that was dropped."""

    __slots__ = ()


# By the name in 0.7.0, without outscore: the module now, "module:name", or advice; and attributes by their class.
# Modules that had such names need a `__getattr__` that calls `module_attribute`.
FORMER_NAMES: Mapping[str, str] = {
    "arguments": "data.arguments",
    "exact": "laws.exact",
    "gating": "wings.gating",
    "investigations": "wings.studies.investigations",
    "items": "data.items",
    "naming": "text.naming",
    "numbers": "text.numbers",
    "planning": "wings.planning",
    "readers.cells": "readers.tabular.cells",
    "readers.logs": "wings.logs",
    "replication": "wings.replication",
    "resampling": "laws.resampling",
    "results.Plan": "wings.planning.results:Plan",
    "results.PlanRow": "wings.planning.results:PlanRow",
    "results.PlanTable": "wings.planning.results:PlanTable",
    "results.PlanTableRow": "wings.planning.results:PlanTableRow",
    "results.Power": "wings.planning.results:Power",
    "results.PowerCheck": "wings.planning.results:PowerCheck",
    "results.studies": "wings.studies.results",
    "rows": "data.rows",
    "scores": "design.scores",
    "significance.pair": "gains.pair",
    "studies": "wings.studies",
    "testing.check_responses": Dropped("Omit it: responses need no check of their own."),
    "Unit": Dropped('Pass tests="randomization-by-response".'),
    "Comparison.n_candidates": "multiplicity.size",
    "Design.on_items": "take",
    "Design.two_way": "crossed_clusters",
    **dict.fromkeys(
        (f"Design.{name}" for name in ("paired_runs", "reducer", "strata_are", "templates", "weights")),
        Dropped("See Design.factors."),
    ),
    "GateResult.undecided": "inconclusive",
    "RankedPair.n_tilted": Dropped("Small p-values of samples are bounds now; see is_bound."),
    "Rows.responses": Dropped("See Rows.scored."),
    "Rows.runs": "cells",
}


# Packages between a line of the user and a warning.
_NOT_OF_USERS = ("outscore", "importlib", "_frozen_importlib", "_frozen_importlib_external")


def spec_of(place: str) -> ModuleSpec | None:
    """Return how to import a module of an earlier version; None if there was none.

    Raise DroppedError if it was dropped, or if it was a name of a module that was dropped.
    """
    former = place.removeprefix("outscore.")
    parts = former.split(".")
    # A submodule of a moved package has moved along.
    for n in range(len(parts), 0, -1):
        now = FORMER_NAMES.get(".".join(parts[:n]))
        if now is not None:
            break
    else:
        return None
    if isinstance(now, Dropped):
        raise DroppedError(_dropped(place, now), name=place)
    return None if ":" in now else ModuleSpec(place, _Moved(".".join(["outscore", now, *parts[n:]])), is_package=True)


class DroppedError(ImportError):
    """A module or name was dropped; the message says what to use."""


class _Moved(Loader):
    """Loads a module from where it is now."""

    def __init__(self, now: str) -> None:
        self.now = now

    def exec_module(self, module: ModuleType) -> None:
        """Give a module the attributes of the one that has moved."""
        _warn(module.__name__, self.now)
        module.__getattr__ = partial(getattr, import_module(self.now))  # type: ignore[method-assign]


def module_attribute(owner: str, name: str) -> Any:
    """Return a module or name that has moved, and make it an attribute of the module that had it.

    For others raise AttributeError.
    """
    place = f"{owner}.{name}"
    now = FORMER_NAMES.get(place.removeprefix("outscore."))
    if now is None or isinstance(now, Dropped):
        raise AttributeError(f"module {owner!r} has no attribute {name!r}" if now is None else _dropped(place, now))
    _warn(place, f"outscore.{now.replace(':', '.')}")
    module, _, attribute_name = now.partition(":")
    value: Any = import_module(f"outscore.{module}")
    if attribute_name:
        value = getattr(value, attribute_name)
    setattr(sys.modules[owner], name, value)  # `from owner import name` gets the attribute twice, and warns once
    return value


def attribute(owner: object, name: str) -> Any:
    """Return an attribute that was renamed. For others raise AttributeError."""
    for kind in type(owner).__mro__:
        place = f"{kind.__name__}.{name}"
        now = FORMER_NAMES.get(place)
        if isinstance(now, Dropped):
            raise AttributeError(_dropped(place, now), name=name, obj=owner)
        if now is not None:
            _warn(place, now)
            return attrgetter(now)(owner)
    return object.__getattribute__(owner, name)  # raises the first error again


def _dropped(place: str, advice: Dropped) -> str:
    return f"{place} was dropped in version 1.0. {advice}"


def _warn(place: str, now: str) -> None:
    """Warn at the line of the user, which the import system and a `__getattr__` of the package may have called from."""
    message = f"{place} is now {now}. The old name works until version 2."
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_OF_USERS:
        frame = frame.f_back
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, FutureWarning, frame.f_code.co_filename, frame.f_lineno, registry=registry)
