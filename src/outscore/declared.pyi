"""The options of the table, for type checkers. Written by docs/stub.py."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from outscore.data.coercion import Numbers
from outscore.data.rows import RunDesign
from outscore.laws.executors import AnyExecutor
from outscore.readers.reading import Families
from outscore.results import (
    Alternative,
    Claim,
    Correction,
    Estimator,
    Family,
    IntervalMethod,
    Method,
    RunLaw,
    Ties,
)
from outscore.results.test_sets import Tasks
from outscore.significance import SignificanceTest
from outscore.wings.planning import Level

@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """The arguments of `read`, which all functions of systems accept."""

    references: object = None
    names: Sequence[str | None] | None = None
    input_format: str | None = None
    lower_is_better: bool = False
    records: str | None = None
    skip_unreadable: bool = False
    task: str | Sequence[str] | None = None
    mapping: object = None
    total: int | str | None = None
    duplicates: str | None = None
    follow_links: bool = False
    families: Families = None
    run: str | None = None
    runs: RunDesign | str | None = None
    reduce: str | None = None
    pair_runs: bool = False
    template: str | None = None
    templates: RunDesign | str | None = None
    rater: str | None = None
    raters: RunDesign | str | None = None
    standardize: Literal["raters"] | None = None
    id_column: str | None = None
    score_column: str | None = None
    drop_missing: bool = False
    zero_missing: bool = False
    clusters: object = None
    strata: object = None
    collapse_strata: bool = False
    weights: object = None
    test_sets: object = None
    human: str | None = None
    judge: str | None = None

class ReadOptions(TypedDict, total=False):
    """The arguments of `read`, which all functions of systems accept."""

    references: object
    names: Sequence[str | None] | None
    input_format: str | None
    lower_is_better: bool
    records: str | None
    skip_unreadable: bool
    task: str | Sequence[str] | None
    mapping: object
    total: int | str | None
    duplicates: str | None
    follow_links: bool
    families: Families
    run: str | None
    runs: RunDesign | str | None
    reduce: str | None
    pair_runs: bool
    template: str | None
    templates: RunDesign | str | None
    rater: str | None
    raters: RunDesign | str | None
    standardize: Literal["raters"] | None
    id_column: str | None
    score_column: str | None
    drop_missing: bool
    zero_missing: bool
    clusters: object
    strata: object
    collapse_strata: bool
    weights: object
    test_sets: object
    human: str | None
    judge: str | None

class CompareOptions(ReadOptions, total=False):
    """The arguments of `compare`."""

    baseline: str | None
    against: float | str | None
    alternative: Alternative | str
    claim: Claim | str
    margin: float | str | None
    best_of: int | None
    alpha: float | None
    confidence_level: float | None
    interval: IntervalMethod | str
    tasks: Tasks | str | None
    combination: str
    family: Family | str
    tests: SignificanceTest | str | Sequence[SignificanceTest | str] | None
    method: Method | str
    n_resamples: int
    seed: int
    executor: AnyExecutor | None
    ties: Ties | str
    estimator: Estimator | str
    double_check: bool
    run_law: RunLaw | str
    run_sd: float | str | None

class RankOptions(ReadOptions, total=False):
    """The arguments of `rank`."""

    alternative: Alternative | str
    correction: Correction | str | None
    alpha: float | None
    confidence_level: float | None
    interval: IntervalMethod | str
    tasks: Tasks | str | None
    tests: SignificanceTest | str | Sequence[SignificanceTest | str] | None
    emulate: Literal["wmt24", "wmt25", "wmt26"] | None
    method: Method | str
    n_resamples: int
    seed: int
    executor: AnyExecutor | None
    ties: Ties | str
    estimator: Estimator | str
    max_t: bool
    run_law: RunLaw | str
    run_sd: float | str | None

class ScoreOptions(ReadOptions, total=False):
    """The arguments of `score`."""

    best_of: int | None
    alpha: float | None
    confidence_level: float | None
    method: Method | str
    n_resamples: int
    seed: int
    executor: AnyExecutor | None

class GateOptions(ReadOptions, total=False):
    """The arguments of `gate`."""

    margin: float | str | None
    alpha: float
    looks: int | None
    error: str
    inconclusive: str | None
    commit: str | None
    sequential: bool
    seed: int

class GateAcceptOptions(ReadOptions, total=False):
    """The arguments of `gate_accept`."""

    commit: str | None
    same_run: bool

class PilotOptions(ReadOptions, total=False):
    """The arguments of `pilot`."""

    seed: int
    executor: AnyExecutor | None
    n_sets: int | None
    n_checks: int | None

class PlanRunsOptions(ReadOptions, total=False):
    """The arguments of `plan_runs`."""

    item_sd: float | str | None
    interaction_sd: float | str | None
    cost_item: float | str | None
    cost_run: float | str | None
    items: int | Iterable[int] | None
    target: float | str
    level: Level | None
    seed: int
    run_sd: float | str | None

class StudyCalibrationOptions(ReadOptions, total=False):
    """The arguments of `study_calibration`."""

    items: int | None
    repeats: int

class StudyDomainsOptions(ReadOptions, total=False):
    """The arguments of `study_domains`."""

    relations: Mapping[str, str] | None
    items: int | None
    subsets: int

class StudyGainOptions(ReadOptions, total=False):
    """The arguments of `study_gain`."""

    relations: Mapping[str, str] | None

class StudySizeOptions(ReadOptions, total=False):
    """The arguments of `study_size`."""

    relations: Mapping[str, str] | None
    subsets: int

class StudyTransferOptions(ReadOptions, total=False):
    """The arguments of `study_transfer`."""

    stratum: str | None

class JudgesOptions(TypedDict, total=False):
    """The arguments of `judges`."""

    records: str | None
    alpha: float | None
    columns: Mapping[str, str] | None
    level: str | None
    positions: bool
    people: str | Sequence[str]
    seed: int

class MetaOptions(TypedDict, total=False):
    """The arguments of `meta`."""

    records: str | None
    id_column: str | None
    clusters: str | Sequence[object] | None
    test_sets: str | None
    weights: Mapping[str, float] | None
    alpha: float | None
    confidence_level: float | None
    statistic: str | Sequence[str]
    epsilon: str | float
    systems: str | Sequence[str]
    correction: Correction | str | None
    seed: int
    tests: SignificanceTest | str
    emulate: str | None
    n_resamples: int | None

class MetaScoresOptions(TypedDict, total=False):
    """The arguments of `meta_scores`."""

    records: str | None
    id_column: str | None
    clusters: str | Sequence[object] | None
    test_sets: str | None
    weights: Mapping[str, float] | None
    statistic: str | Sequence[str]
    epsilon: str | float

class PlanGainOptions(TypedDict, total=False):
    """The arguments of `plan_gain`."""

    target: float | str
    level: Level | None
    tests: Sequence[SignificanceTest | str] | SignificanceTest | str

class PlanGateOptions(TypedDict, total=False):
    """The arguments of `plan_gate`."""

    target: Numbers | None
    look: int
    looks: int | None
    error: str
    alpha: float
    seed: int | None

class PlanHumanOptions(TypedDict, total=False):
    """The arguments of `plan_human`."""

    records: str | None
    task: str | None
    clusters: str | None
    rater: str | None
    strata: str | None
    score_column: str | None
    gain: float | str | None
    documents: Sequence[int] | None
    ratings: Sequence[int]
    power: float | str
    alpha: float
    comparisons: int

class PlanItemsOptions(TypedDict, total=False):
    """The arguments of `plan_items`."""

    target: float | str
    claim: Claim | str
    margin: float | str | None
    level: Level | None
    tests: Sequence[SignificanceTest | str] | SignificanceTest | str

class PlanPowerOptions(TypedDict, total=False):
    """The arguments of `plan_power`."""

    claim: Claim | str
    margin: float | str | None
    level: Level | None
    tests: Sequence[SignificanceTest | str] | SignificanceTest | str

class PlanTableOptions(TypedDict, total=False):
    """The arguments of `plan_table`."""

    hurt_percents: Numbers | None
    alpha: float
    alternative: str
    test: SignificanceTest | str | None

@dataclass(frozen=True, kw_only=True)
class ReadOptionsOfCommands:
    """The options of commands for read."""

    metric: list[str] | None = None
    reference: list[str] | None = None
    input_format: str | None = None
    lower_is_better: bool = False
    records: str | None = None
    skip_unreadable: bool = False
    task: list[str] | None = None
    map: str | None = None
    total: str | None = None
    duplicates: str | None = None
    follow_links: bool = False
    run: str | None = None
    runs: str | None = None
    reduce: str | None = None
    pair_runs: bool = False
    template: str | None = None
    templates: str | None = None
    rater: str | None = None
    raters: str | None = None
    standardize: str | None = None
    id: str | None = None
    score: str | None = None
    missing: str = "error"
    cluster: list[str] | None = None
    stratum: str | None = None
    collapse_strata: bool = False
    weights: str | None = None
    test_set: str | None = None
    human: str | None = None
    judge: str | None = None

@dataclass(frozen=True, kw_only=True)
class BoardsOptionsOfCommands:
    """The options of commands for boards."""

    families: str | None = None

@dataclass(frozen=True, kw_only=True)
class WritesOptionsOfCommands:
    """The options of commands for writes."""

    format: str | None = None
    bare: bool = False
    output: str | None = None
    report: str | None = None
    title: str | None = None
    chart: str | None = None
    quiet: bool = False
