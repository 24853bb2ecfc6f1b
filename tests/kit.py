"""The facade of the package for tests: what is not public, by name, and what many tests do.

Tests import public names from `outscore` and its rooms, and other names from here, or from `kit.py` beside the tests
of that room or wing. A facade has at most 60 names, and no modules. A module moves with one
edit there. A test of one module alone, such as a format or a law, imports that module.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from outscore.data.coercion import as_written, place_of, shortest_decimals
from outscore.data.items import (
    Alignment,
    Answer,
    BracketedTree,
    Corpus,
    DependencyTree,
    GoldAlignment,
    GoldAnswers,
    GoldLabel,
    Judgements,
    Label,
    RankedDocuments,
    TaggedSentence,
    Utterance,
    Word,
)
from outscore.data.pairing import align, label_codes
from outscore.data.reducers import Reducer, narrowing, reducer_named, sampling_share
from outscore.data.rows import MissingTreatment, RunDesign
from outscore.design import Runs
from outscore.metrics.outputs import OUTPUT_METRICS, output_metric_named
from outscore.questions.comparing import compare_scores, inflation
from outscore.questions.ranks.inquiry import RankingSettings
from outscore.questions.ranks.max_t import NormalDraws
from outscore.questions.ranks.ranking import rank_scores
from outscore.questions.settings import Settings
from outscore.questions.several_tests import at_least, check_tasks, deciding_tasks
from outscore.readers import ItemFormat
from outscore.readers.registry import ITEM_FORMATS, InputFiles, format_of, item_formats, table_formats
from outscore.results.record import Table, computed, parquet_bytes, schema_of_record
from outscore.results.test_sets import TestSetsResult
from outscore.text.naming import Note, distinguished, fence, listed, printable, quoted, short_names
from outscore.text.numbers import ScoreFormat, format_p, state_p


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
