"""The library's front door: systems in memory to a result, in one call."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar

from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric, ColumnMetric, metric_named
from outscore.metrics.declarations import check_declared
from outscore.naming import nearest, printable
from outscore.readers import Tables, labels_from, read_labels, read_system, system_from
from outscore.readers.kept_files import is_kept
from outscore.results import Alternative, Claim, ComparisonResult, Estimator, IntervalMethod, Method, Ties, Unit
from outscore.rows import Labels, Rows, align, align_labels
from outscore.significance import (
    TESTS,
    Bootstrap,
    Randomization,
    Resampling,
    Settings,
    SignificanceTest,
    compare_rows,
    test_named,
)

__all__ = ["DEFAULT_SEED", "compare", "compare_systems"]

DEFAULT_SEED = 12345
_A_TEST = 'tests such as outscore.Randomization() or "randomization"'

_Choice = TypeVar("_Choice", bound=StrEnum)


def compare(
    baseline: object,
    *candidates: object,
    metric: AnyMetric | str | None = None,
    references: object = None,
    tests: SignificanceTest | str | Sequence[SignificanceTest | str] | None = None,
    method: Method | str = Method.AUTO,
    n_resamples: int = 100_000,
    seed: int = DEFAULT_SEED,
    alternative: Alternative | str = Alternative.GREATER,
    ties: Ties | str = Ties.COUNT,
    estimator: Estimator | str = Estimator.ADD_ONE,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    interval: IntervalMethod | str = IntervalMethod.PERCENTILE,
    clusters: object = None,
    strata: object = None,
    unit: Unit | str = Unit.ITEM,
    claim: Claim | str = Claim.BETTER,
    margin: float | None = None,
    double_check: bool = False,
    drop_missing: bool = False,
    names: Sequence[str] | None = None,
    id_column: str | None = None,
    score_column: str | None = None,
    executor: Executor | None = None,
) -> ComparisonResult:
    """Compare candidates with a baseline and say whether their gains are real or chance.

    Parameters
    ----------
    baseline, *candidates : array, list, mapping from item id to score, dataframe, series, Rows, str or path
        One number an item for metrics of one column; shape (n, columns) for `ratio` (numerator, denominator)
        and for `precision`, `recall`, `f1` (tp, predicted, gold). Dataframes of any library that narwhals
        knows; items are paired by id where all systems have ids, by position otherwise. A str or path names a file,
        or ``FILE:COLUMN``, as on the command line. With `references`, systems are outputs: the path of a file, or a
        list, series or mapping from item id of texts, labels, lists of tags, ... For a metric of outputs without
        `references`, `Rows` that are its rows already, or paths of kept rows.
    metric : AnyMetric or str, optional
        Such as ``outscore.F1()`` or ``"f1"``; with `references` one of outputs, such as ``"bleu:tokenize=zh"``. By
        default the mean of scores, and for kept rows their own.
    references : str, path, list, series or mapping, optional
        What outputs are scored against, one an item. For metrics that take several references also a list of such
        lists (or of paths), one for each reference that the items have.
    tests : SignificanceTest or str, or a sequence of them, or "all"
        The first gives the verdict. "all" leaves out the tests that do not apply, and says so. By default the
        bootstrap; randomization where responses are swapped.
    method : {"auto", "exact", "monte-carlo"}
        auto derives p-values exactly where that is possible and samples otherwise.
    n_resamples : int
        Resamples where p-values are sampled, at least 1.
    seed : int
        Of the resamples, at least 0. The same seed gives the same result to the last bit.
    alternative : {"greater", "less", "two-sided"}
        About the gain, which is positive where the candidate is better. Claims with a margin have their own.
    ties : {"count", "strict"}
        Whether a replicate equal to the threshold counts (≥) or not (>, as BK12 write it).
    estimator : {"add-one", "plain"}
        (c + 1)/(r + 1) or c/r, of sampled p-values.
    alpha : float
        Level of the verdict, in (0, 1).
    confidence_level : float
        Of the interval of the gain, in (0, 1).
    interval : {"percentile", "basic", "bca"}
    clusters, strata : sequence, mapping from item id, series, Labels or str, optional
        One label an item; where the baseline is a file also a str, as on the command line.
        Clusters (documents, prompts) are resampled and swapped whole; strata keep their size.
    unit : {"item", "response"}
        What randomization swaps: outputs of items (or clusters), or single responses, of metrics that have them.
    claim : {"better", "not-worse", "equivalent"}
        The last two need a `margin`: a large p-value of a difference is no evidence of equality.
    margin : float, optional
        The largest loss that would not matter, positive, in the unit of the score.
    double_check : bool
        Compute resampling tests a second time, with other resamples, and exactly where one can (Yeh 2000).
    drop_missing : bool
        Compare on the items that all systems have instead of raising.
    names : sequence of str, optional
        Of the baseline and the candidates; those of their files, or "baseline" and "candidate", by default.
    id_column, score_column : str, optional
        Columns of dataframes; guessed by default.
    executor : concurrent.futures.Executor, optional
        Where resamples are computed; the result does not depend on it.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    DataError
        Systems that cannot be paired, numbers that are not finite, counts that contradict each other.
    OptionError
        An argument out of its range, or an unknown name.
    NotApplicableError
        A named test that does not fit the metric, or no exact law under ``method="exact"``.

    Examples
    --------
    Jansen's ten questions: right (1) or wrong (0).

    >>> baseline = [1, 1, 1, 0, 0, 0, 0, 1, 1, 0]
    >>> candidate = [0, 0, 0, 1, 1, 1, 1, 1, 1, 0]
    >>> result = compare(baseline, candidate, metric="accuracy")
    >>> comparison = result.comparisons[0]
    >>> round(comparison.gain, 3), round(comparison.tests[0].p_value, 9), str(comparison.verdict)
    (0.1, 0.429402952, 'inconclusive')

    Outputs and references, scored by a metric:

    >>> gold = ["pos", "neg", "neg", "pos", "neg", "pos"]
    >>> one, other = ["pos", "pos", "pos", "neg", "neg", "pos"], ["pos", "neg", "neg", "pos", "neg", "neg"]
    >>> result = compare(one, other, references=gold, metric="macro-f1", tests="randomization")
    >>> result.comparisons[0].tests[0].p_value
    0.3125
    """
    if not candidates:
        raise OptionError(Problem("compare", "expected a baseline and at least one candidate", "", "no-candidate"))
    given = [baseline, *candidates]
    if names is not None and (isinstance(names, str) or not all(isinstance(name, str) for name in names)):
        raise _wrong("names", "a list of texts", names)
    if names is not None and len(names) != len(given):
        raise OptionError(
            Problem("names", f"expected {len(given)} names, got {len(names)}", "Name every system.", "names")
        )
    what_is_swapped = _choice(Unit, unit, "unit")
    tables = Tables()
    default_names = _default_names(len(candidates))
    of = _metric(metric, [os.fspath(data) for data in given if isinstance(data, str | os.PathLike)], references)
    if isinstance(of, ColumnMetric):
        if references is not None:
            raise _wrong("references", f"none, as {of.name} is a metric of columns", references)
        systems = [
            read_system(
                os.fspath(data),
                of,
                id_column=id_column,
                score_column=score_column,
                drop_missing=drop_missing,
                tables=tables,
            )
            if isinstance(data, str | os.PathLike)
            else system_from(data, of, name=name, id_column=id_column, score_column=score_column)
            for name, data in zip(default_names, given, strict=True)
        ]
    elif references is None and all(isinstance(data, Rows) for data in given):
        systems = [data for data in given if isinstance(data, Rows)]
    else:
        _refuse_for_outputs(id_column=id_column, score_column=score_column, drop_missing=drop_missing)
        of, systems = _scored(of, default_names, given, references, what_is_swapped)
    if names is not None:
        systems = [replace(system, name=printable(name)) for system, name in zip(systems, names, strict=True)]

    def labels(given_labels: object, name: str) -> Labels | None:
        if given_labels is None:
            return None
        if isinstance(given_labels, str) and isinstance(baseline, str | os.PathLike):
            table = os.fspath(baseline) if isinstance(of, ColumnMetric) else None
            return read_labels(given_labels, table, id_column, item_ids=systems[0].item_ids, tables=tables)
        return labels_from(given_labels, name)

    if tests is None:
        tests = Bootstrap() if what_is_swapped is Unit.ITEM else Randomization()
    every = isinstance(tests, str) and tests == "all"
    settings = Settings(
        tests=_tests(tests),
        skip_inapplicable=every,
        resampling=Resampling(
            _choice(Method, method, "method"), _whole(n_resamples, "n_resamples"), _whole(seed, "seed"), executor
        ),
        alternative=_choice(Alternative, alternative, "alternative"),
        ties=_choice(Ties, ties, "ties"),
        estimator=_choice(Estimator, estimator, "estimator"),
        claim=_choice(Claim, claim, "claim"),
        margin=None if margin is None else _number(margin, "margin"),
        alpha=_number(alpha, "alpha"),
        confidence_level=_number(confidence_level, "confidence_level"),
        interval=_choice(IntervalMethod, interval, "interval"),
        double_check=double_check,
        unit=what_is_swapped,
    )
    return compare_systems(
        of,
        systems,
        settings,
        clusters=labels(clusters, "clusters"),
        strata=labels(strata, "strata"),
        drop_missing=drop_missing,
    )


def compare_systems(
    metric: AnyMetric,
    systems: Sequence[Rows],
    settings: Settings,
    *,
    clusters: Labels | None = None,
    strata: Labels | None = None,
    drop_missing: bool = False,
) -> ComparisonResult:
    """Pair systems item by item and compare them: the first is the baseline.

    Parameters
    ----------
    metric : AnyMetric
    systems : sequence of Rows
        Rows of this metric, checked.
    settings : Settings
    clusters, strata : Labels, optional
        Of the baseline's items.
    drop_missing : bool
    """
    first = systems[0]
    clusters, strata = (_of_items(labels, first) for labels in (clusters, strata))
    aligned = align(systems, drop_missing=drop_missing)
    baseline, *others = aligned
    notes = []
    known = {item for system in systems for item in (*(system.item_ids or ()), *system.dropped)}
    if drop_missing and len(known) > len(baseline):
        notes.append(f"{len(known) - len(baseline)} item(s) that not all systems have were left out.")
    if len({system.item_ids is None for system in systems}) == 2:
        notes.append("Not all systems have item ids: items are paired by position.")
    return compare_rows(
        metric,
        baseline,
        others,
        settings,
        clusters=None if clusters is None else align_labels(clusters, baseline),
        strata=None if strata is None else align_labels(strata, baseline),
        notes=notes,
    )


def _metric(metric: AnyMetric | str | None, paths: Sequence[str], references: object) -> AnyMetric:
    """Return the metric that was named; by default that of kept rows, if there are some, or else the mean."""
    kept = next((path for path in paths if is_kept(path)), None)
    if metric is None and kept is not None:
        from outscore.readers.kept_rows import read_kept_rows

        return read_kept_rows(kept).named
    if metric is None and references is not None:
        what = "expected the metric that scores outputs against the references, got none"
        raise OptionError(Problem("metric", what, 'Name one, such as metric="bleu".', "no-metric"))
    if metric is None:
        return metric_named("mean")
    if isinstance(metric, str):
        if kept is None and references is None:
            return metric_named(metric)
        from outscore.metrics.outputs import output_metric_named

        return output_metric_named(metric)
    if isinstance(metric, type) and issubclass(metric, AnyMetric):
        what = f"expected a metric, got the class {metric.__name__}"
        raise OptionError(Problem("metric", what, f"Call it: {metric.__name__}().", "wrong-type"))
    if not isinstance(metric, AnyMetric):
        raise _wrong("metric", 'a metric such as outscore.F1() or "f1"', metric)
    check_declared(metric)
    return metric


def _refuse_for_outputs(**given: object) -> None:
    """Refuse what is told of score tables where there are none, rather than to leave it unheard."""
    for argument, value in given.items():
        if value:
            what = "it tells how score tables are read, and outputs are none"
            raise OptionError(Problem(argument, what, "Leave it out.", "not-for-outputs"))


def _scored(
    metric: AnyMetric, names: Sequence[str], systems: Sequence[object], references: object, unit: Unit
) -> tuple[AnyMetric, list[Rows]]:
    """Return the rows of systems whose outputs are files or in memory."""
    # Dozens of formats: who compares columns does not wait for them.
    from outscore.metrics.base import AnyOutputMetric
    from outscore.readers.in_memory import corpus_from
    from outscore.readers.outputs import read_outputs

    if not isinstance(metric, AnyOutputMetric):
        raise _wrong("metric", "a metric of columns or of outputs", metric)

    def corpus(data: object, kind: type, name: str) -> Any:
        return os.fspath(data) if isinstance(data, str | os.PathLike) else corpus_from(data, kind, name)

    several = (
        metric.takes_several_references
        and isinstance(references, list | tuple)
        and not any(isinstance(one, str) for one in references)
    )
    given: Sequence[Any] = () if references is None else references if several else [references]  # type: ignore[assignment]
    return read_outputs(
        [corpus(data, metric.output_type, name) for name, data in zip(names, systems, strict=True)],
        [corpus(one, metric.reference_type, "references") for one in given],
        metric,
        with_responses=unit is Unit.RESPONSE,
    )


def _default_names(n_candidates: int) -> Sequence[str]:
    if n_candidates == 1:
        return ("baseline", "candidate")
    return ("baseline", *(f"candidate {i + 1}" for i in range(n_candidates)))


def _of_items(labels: Labels | None, baseline: Rows) -> Labels | None:
    """Give labels by position the baseline's ids, so that they stay with their items when some are left out."""
    if labels is None or labels.item_ids is not None or len(labels.labels) != len(baseline):
        return labels
    return replace(labels, item_ids=baseline.item_ids)


def _tests(tests: SignificanceTest | str | Sequence[SignificanceTest | str]) -> Sequence[SignificanceTest]:
    if isinstance(tests, str) and tests == "all":
        return [test() for test in TESTS.values()]
    several = [tests] if isinstance(tests, str | SignificanceTest) else tests
    try:
        found = [test_named(test) if isinstance(test, str) else test for test in several]
    except TypeError:
        raise _wrong("tests", _A_TEST, tests) from None
    for test in found:
        if not isinstance(test, SignificanceTest):
            raise _wrong("tests", _A_TEST, test)
    return found


def _choice(kind: type[_Choice], value: str, argument: str) -> _Choice:
    try:
        return kind(value)
    except ValueError:
        raise OptionError(
            Problem(argument, f'unknown value "{value}"', nearest(str(value), list(kind)), "unknown-value")
        ) from None


def _wrong(argument: str, expected: str, got: object) -> OptionError:
    # Of an array only the type: its numbers would fill the screen.
    simple = got is None or isinstance(got, str | int | float)
    shown = printable(repr(got)) if simple else f"an object of type {type(got).__name__}"
    return OptionError(Problem(argument, f"expected {expected}, got {shown}", "", "wrong-type"))


def _number(value: float, argument: str) -> float:
    if isinstance(value, bool | str):
        raise _wrong(argument, "a number", value)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise _wrong(argument, "a number", value) from None


def _whole(value: int, argument: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise OptionError(Problem(argument, f"expected a whole number, got {value!r}", "", "not-whole")) from None
