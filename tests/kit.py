"""The one door through which tests reach into the package: what is not public, by name, and what many tests do.

Tests import public names from `outscore` and its rooms, and everything else from here. A module moves without an edit
in the tests but one here. A test of one module alone, such as a format or a law, imports that module.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from outscore.data.items import Corpus
from outscore.data.rows import RunDesign
from outscore.design.runs import Runs
from outscore.gains.crossing import Crossing
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.influence import Leverage
from outscore.gains.pair import Pair
from outscore.gains.tables import SystemTable
from outscore.laws.exact import bootstrap_law, swap_law
from outscore.laws.law import Law, Probability, SampledLaw, clopper_pearson
from outscore.laws.resampling import BootstrapScheme, Engine
from outscore.metrics.outputs import OUTPUT_METRICS, output_metric_named
from outscore.questions.comparing import compare_scores
from outscore.questions.looks import ErrorRate, GateRule, InconclusivePolicy, Look, Margins, spent_level
from outscore.questions.ranks.inquiry import RankingSettings
from outscore.questions.ranks.ranking import rank_scores
from outscore.questions.settings import Settings
from outscore.readers import ItemFormat
from outscore.readers.registry import InputFiles, format_of, item_formats
from outscore.reports.documents import plain
from outscore.results.shown import Shown
from outscore.results.test_sets import TestSetsResult
from outscore.significance.corrections import holm
from outscore.significance.p_values import PValue
from outscore.text.naming import Note, printable
from outscore.text.numbers import format_p
from outscore.wings.gating.results import GateOutcome, GateResult
from outscore.wings.gating.rule import gate_scores
from outscore.wings.gating.streaming import StreamedItems
from outscore.wings.judging.results import JudgesResult
from outscore.wings.logs.base import Log, LogFile, LogMetric
from outscore.wings.logs.checking import checked, inventory_of
from outscore.wings.logs.finding import NamedLog
from outscore.wings.logs.finding import logs_in as logs_found
from outscore.wings.logs.registry import format_of_log, log_formats
from outscore.wings.planning import Simulation, pilot_of
from outscore.wings.planning.levels import Margin

__all__ = [
    "OUTPUT_METRICS",
    "BootstrapScheme",
    "Corpus",
    "Crossing",
    "Engine",
    "ErrorRate",
    "GainLaws",
    "GateOutcome",
    "GateResult",
    "GateRule",
    "Hypothesis",
    "InconclusivePolicy",
    "JudgesResult",
    "Law",
    "Leverage",
    "Log",
    "LogFile",
    "LogMetric",
    "Look",
    "Margin",
    "Margins",
    "NamedLog",
    "Note",
    "PValue",
    "Pair",
    "Probability",
    "RankingSettings",
    "RunDesign",
    "Runs",
    "SampledLaw",
    "Settings",
    "Shown",
    "Simulation",
    "StreamedItems",
    "SystemTable",
    "TestSetsResult",
    "bootstrap_law",
    "checked",
    "clopper_pearson",
    "compare_scores",
    "format_of",
    "format_of_log",
    "format_p",
    "gate_scores",
    "holm",
    "inventory_of",
    "item_format",
    "item_formats",
    "log_formats",
    "logs_found",
    "output_metric",
    "output_metrics",
    "pilot_of",
    "plain",
    "printable",
    "rank_scores",
    "read_corpus",
    "spent_level",
    "swap_law",
]


def output_metric(spec: str, **options: Any) -> Any:
    """Return a metric of outputs by its name, with options as Python values, or as users write it."""
    return OUTPUT_METRICS[spec](**options) if options else output_metric_named(spec)


def output_metrics(names: str) -> list[Any]:
    """Return the classes of metrics of outputs, by their names as users write them."""
    return [OUTPUT_METRICS[name] for name in names.split()]


def read_corpus(path: str, item_type: type, format_name: str | None = None) -> Corpus[Any]:
    return InputFiles().read(path, item_type, format_name)


def item_format(name: str, **options: Any) -> ItemFormat[Any]:
    """Return a format of outputs or references by its name, with options."""
    known = item_formats()[name]
    return replace(known, **options) if options else known  # type: ignore[type-var]
