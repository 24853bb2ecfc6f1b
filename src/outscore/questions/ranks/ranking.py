"""Rankings of many systems: tests of all pairs, corrected for multiple comparisons, and groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore._version import __version__
from outscore.data.rows import Rows
from outscore.design import Units
from outscore.design.scores import Scores
from outscore.design.strata import Labelled
from outscore.gains.canonical import in_canonical_order
from outscore.gains.carriers import FEW
from outscore.gains.gain_laws import Hypothesis
from outscore.gains.influence import enough_units
from outscore.gains.tables import RecomputedTable, SystemTable
from outscore.laws.tolerances import NOISE
from outscore.metrics import AnyMetric
from outscore.metrics.options import describe_metric
from outscore.questions.chosen import as_chosen, first_place
from outscore.questions.comparing import remarks_on
from outscore.questions.findings import claims_of
from outscore.questions.ranks.groups import ranked_systems
from outscore.questions.ranks.inquiry import Inquiry, RankingSettings
from outscore.questions.ranks.max_t import MaxT
from outscore.questions.ranks.tables import table_of
from outscore.questions.signatures import signature
from outscore.questions.system_scores import SettledScore, settled_score
from outscore.results import (
    Alternative,
    Correction,
    IntervalMethod,
    Ranking,
)
from outscore.results.findings import Finding, drawn
from outscore.results.rankings import IntervalColumn, OtherPValues, PairColumns
from outscore.results.record import deferred
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.corrections import benjamini_hochberg, holm
from outscore.significance.p_values import PValue
from outscore.significance.t_tests import InfluenceT
from outscore.words import warnings
from outscore.words.comparisons import worth_of_labels

_NEGLIGIBLE_BOUND = 1e-12
# docs/calibration.md: family-wise errors of 12% to 18% with 10 topics and 190 or more pairs, and of 4% to 8% with 28 or
# fewer, or 20 topics.
_FEW_FOR_MANY, _MANY_PAIRS = 15, 20
_NORMAL_95 = 1.96  # standard deviations to each side with 95% of a normal distribution


def rank_scores(scores: Scores, settings: RankingSettings) -> list[Ranking]:
    """Return the ranking of all systems on every metric.

    The null hypothesis of every pair is that the two systems' scores over the population of items are equal. With
    `greater` it is that the better-scoring system is not better, although the data decide which system that is.

    Errors are fewer than two systems or clusters, two systems of the same name, a cluster in several strata, a test
    that does not fit a pair, and an exact p-value that is required and not possible.

    Notes
    -----
    Cost of the default test: one pass over the units per pair, and 1 to 6 ns per pair and sample of max-T. Cost of the
    bootstrap: one product of shapes (r, n) and (n, s·k), and about 3 ns per pair and resample. For a metric that is
    recomputed it is r·s scores of n items, and for other resampling tests 2r per pair. Memory: 8rs bytes and 400 MB.
    """
    scores.check_names()
    return [
        _ranked(metric, systems, scores, settings) for metric, systems in zip(scores.metrics, scores.rows, strict=True)
    ]


def _ranked(metric: AnyMetric, systems: Sequence[Rows], scores: Scores, settings: RankingSettings) -> Ranking:
    ids, design = systems[0].item_ids, scores.design
    if metric.fits_systems:
        metric, systems, design = metric.on_systems(systems, design)
    systems, design = in_canonical_order(systems, design)
    units, labelled = design.units, design.get(Labelled)
    table, order = table_of(metric, systems, units, design)
    settings = settings.on_table(design, table, units.name)
    ordered, families = [systems[i] for i in order], [scores.families[i] for i in order]
    inquiry = Inquiry(table, settings)
    p_values = inquiry.p_values()
    first = p_values[0]
    entering = inquiry.entering(first.value)
    corrected = inquiry.max_t(first.value, entering)
    pairs = _pair_columns(metric, ordered, families, inquiry, p_values, entering, corrected)
    correction, r = settings.correction or Correction.HOLM, inquiry.n_resamples(corrected)
    significant = pairs.corrected(correction) <= settings.alpha
    shares_of_best = inquiry.errors.shares_of_best(table.sign * table.scores, r)
    without = table.without if isinstance(table, RecomputedTable) else [None] * len(order)
    settled = [
        settled_score(metric, system, design, settings.alpha, scores_without)
        for system, scores_without in zip(ordered, without, strict=True)
    ]
    gains = np.zeros((len(order), len(order)))
    gains[table.pairs.better, table.pairs.worse] = table.pairs.gains
    systems_ranked = ranked_systems(
        [system.name for system in ordered],
        families,
        table.scores,
        gains,
        _better(inquiry, significant & ~pairs.opposed),
        [score.interval for score in settled],
        shares_of_best,
    )
    systems_ranked = as_chosen(
        systems_ranked,
        first_place(gains[0], inquiry.errors, inquiry.tail),
        lambda i, share: settled_score(metric, ordered[i], design, share * settings.alpha, without[i]).interval,
        higher_is_better=metric.higher_is_better,
    )
    findings = claims_of(design)
    if labelled is not None:
        findings = (*findings, Finding("labels", worth_of_labels(labelled.powered)))
    return Ranking(
        metric=describe_metric(metric),
        n_items=len(systems[0]),
        n_units=units.count,
        tests=tuple(test.name for test in settings.tests),
        alternative=settings.alternative,
        correction=correction,
        alpha=settings.alpha,
        systems=systems_ranked,
        pairs=pairs,
        n_resamples=r,
        seed=settings.resampling.seed,
        # Without a reference to the inquiry, whose samples take much memory.
        signature=deferred(
            partial(_signature, settings, inquiry.hypothesis, first, correction, metric, units, len(systems), r)
        ),
        version=__version__,
        warnings=(
            *scores.notes,
            *(() if labelled is None else labelled.remarks),
            *remarks_on(metric, *systems),
            *table.remarks_on_rounding(units, ids),
            *inquiry.few_carriers(units.name),
            *_on_few({system.name: score for system, score in zip(ordered, settled, strict=True)}, units.name),
            *_warnings(pairs, first, table, settings, correction, r, unit=units.name),
            *_contradictions(pairs, settings),
            *_opposed(pairs, significant, settings.tests[0]),
            *inquiry.of_levels(ordered),
        ),
        findings=findings,
        test_title=settings.tests[0].titled(*drawn(findings))
        + (f" of the {settings.tests[0].tests}" if pairs.signed else ""),
        over=design.over(systems),
        pairing=scores.audit_on(metric),
        prediction_powered=None if labelled is None else labelled.powered,
    )


def _pair_columns(
    metric: AnyMetric,
    systems: Sequence[Rows],
    families: Sequence[str | None],
    inquiry: Inquiry,
    p_values: Sequence[PValue[AnyArray]],
    entering: FloatArray,
    corrected: MaxT | None,
) -> PairColumns:
    """Return the results of all pairs of systems, in the order of the table."""
    table, first = inquiry.table, p_values[0]
    better, worse, m = table.pairs.better, table.pairs.worse, len(table.pairs)
    wins, ties, losses = _item_outcomes(metric, [system.values for system in systems], table)
    called, low, high = np.array([system.name for system in systems], dtype=object), *first.limits
    others = zip(inquiry.settings.tests[1:], p_values[1:], strict=True)
    tested = inquiry.settings.tests[0].tests
    return PairColumns(
        {
            "baseline": called[worse],
            "candidate": called[better],
            "gain": table.pairs.gains,
            "interval": inquiry.pair_intervals(first.value),
            "wins": wins,
            "ties": ties,
            "losses": losses,
            "p_value": first.value,
            "p_holm": holm(first.value, entering),
            "p_value_corrected_from": _or_none(entering, entering != first.value),
            "p_bh": benjamini_hochberg(first.value),
            "p_maxt": [None] * m if corrected is None else corrected.p_values,
            "exact": ~(first.is_sampled | first.is_asymptotic),
            "n_exceeding": _or_none(np.asarray(first.n_exceeding), first.is_sampled),
            "p_value_low": low,
            "p_value_high": high,
            "other_p_values": OtherPValues({test.name: of_test.value for test, of_test in others}, m),
            "same_family": _same_family(families, better, worse),
            "is_bound": first.is_bound,
            "computation": _or_none(np.full(m, "asymptotic"), first.is_asymptotic),
            "sign": [None] * m if first.sign is None or tested is None else first.sign,
        }
    )


def _on_few(scores: Mapping[str, SettledScore], unit: str) -> list[str]:
    """Return warnings if the intervals of some scores come from few units, or have no width."""
    few = [name for name, score in scores.items() if score.on_few]
    alike = [name for name, score in scores.items() if score.interval.low == score.interval.high]
    return [
        *([warnings.few_carry_in_scores(few, len(scores), FEW, unit)] if few else []),
        *([warnings.same_score_in(alike, unit)] if alike else []),
    ]


def _opposed(pairs: PairColumns, significant: BoolArray, test: SignificanceTest) -> list[str]:
    """Return a warning of the significant pairs whose statistic and mean have different directions."""
    opposed = [pairs[int(index)] for index in np.flatnonzero(pairs.opposed & significant)]
    if not opposed or test.tests is None:
        return []
    names = [(pair.candidate, pair.baseline) for pair in opposed]
    return [warnings.opposed_in(names, len(pairs), test.name, test.tests)]


def _contradictions(pairs: PairColumns, settings: RankingSettings) -> list[str]:
    """Return a warning if the test could not be inverted and the intervals shown contradict it."""
    intervals = pairs.columns["interval"]
    if settings.interval is not IntervalMethod.TEST or isinstance(intervals, IntervalColumn) or pairs.signed:
        return []
    against = [
        interval.method
        for interval, gain, p in zip(intervals, pairs.columns["gain"], pairs.columns["p_value"], strict=True)
        if gain > 0 and (p <= settings.alpha) == interval.holds(0.0)
    ]
    if not against:
        return []
    return [warnings.contradicted_in(len(against), settings.tests[0].name, list(dict.fromkeys(against)))]


def _better(inquiry: Inquiry, significant: BoolArray) -> BoolArray:
    """Return whether each system is significantly better than each other one, shape (s, s), given significant pairs."""
    table = inquiry.table
    better = np.zeros((len(table.scores), len(table.scores)), dtype=bool)
    significant = significant & (table.pairs.gains > 0)
    for index in np.flatnonzero(significant) if inquiry.may_withhold else ():
        significant[index] = not inquiry.withheld(int(index))
    better[table.pairs.better, table.pairs.worse] = significant
    return better


def _same_family(families: Sequence[str | None], better: IntArray, worse: IntArray) -> AnyArray:
    """Return whether the systems of each pair are of one family, shape (m,), or None without families."""
    codes = {family: code for code, family in enumerate(dict.fromkeys(families))}
    family_codes = np.array([codes[family] for family in families])
    unknown = np.array([family is None for family in families])
    return _or_none(family_codes[better] == family_codes[worse], ~(unknown[better] | unknown[worse]))


def _or_none(values: AnyArray, is_known: BoolArray) -> AnyArray:
    column = values.astype(object)
    column[~is_known] = None
    return column


def _item_outcomes(
    metric: AnyMetric, systems: Sequence[FloatArray], table: SystemTable
) -> tuple[Sequence[int | None] | IntArray, ...]:
    """Return wins, ties and losses over the items, one column each, of None without scores per item."""
    m, n = len(table.pairs), len(systems[0])
    if table.right_alone is not None and table.n_units == n:
        won, lost = table.right_alone
        return won, n - won - lost, lost
    item_scores = [metric.item_scores(values) for values in systems]
    if any(scores is None for scores in item_scores):
        return ([None] * m,) * 3
    scores = np.array(item_scores, dtype=np.float64)
    sign = 1.0 if metric.higher_is_better else -1.0
    wins, losses = [], []
    for better in range(len(scores)):
        others = scores[better + 1 :]
        gains = sign * (scores[better] - others)
        noise = NOISE * np.maximum(np.abs(scores[better]), np.abs(others))
        wins.append((gains > noise).sum(axis=1))
        losses.append((gains < -noise).sum(axis=1))
    won, lost = np.concatenate(wins), np.concatenate(losses)
    return won, n - won - lost, lost


def _signature(
    settings: RankingSettings,
    hypothesis: Hypothesis,
    p: PValue[AnyArray],
    correction: Correction,
    metric: AnyMetric,
    units: Units,
    n_systems: int,
    r: int,
) -> str:
    further = {"systems": str(n_systems), "correction": correction.value}
    if correction is Correction.MAX_T:
        # Sampled even if the p-values of the test are exact.
        further["maxt"] = f"r={r}"
    if settings.interval is not IntervalMethod.TEST:
        further["interval"] = settings.interval.value
    further |= settings.design_parts
    return signature(
        settings.tests[0],
        hypothesis,
        p,
        metric=describe_metric(metric).spec,
        n_units=units.count,
        unit=units.name,
        seed=settings.resampling.seed,
        further=further,
    )


def _warnings(
    pairs: PairColumns,
    p: PValue[AnyArray],
    table: SystemTable,
    settings: RankingSettings,
    correction: Correction,
    r: int,
    *,
    unit: str,
) -> list[str]:
    """Return the warnings of a ranking; p-values are those of the first test."""
    alpha, m = settings.alpha, len(pairs)
    messages, sampled = [], p.is_sampled
    if settings.alternative is Alternative.GREATER:
        messages.append(warnings.DIRECTION_FROM_DATA)
    least = 1 / (r + 1)
    low, high = p.limits
    if correction is Correction.HOLM and m * least > alpha and bool((sampled & (m * low <= alpha)).any()):
        messages.append(warnings.few_resamples(r, least, m))
    close = int((sampled & (low <= alpha) & (alpha <= high)).sum())
    if close and correction is Correction.NONE:
        messages.append(warnings.too_close_in(close, alpha))
    if correction is Correction.MAX_T:
        # Pairs whose 95% Wilson interval contains α.
        error = _NORMAL_95 * math.sqrt(alpha * (1 - alpha) / r)
        p_maxt = pairs.corrected(correction)
        close = int(((sampled | (p_maxt != p.value)) & (np.abs(p_maxt - alpha) <= error)).sum())
        if close:
            messages.append(warnings.too_close_by_max_t(close, alpha))
    if table.n_units < enough_units(alpha) and isinstance(settings.tests[0], Bootstrap):
        messages.append(warnings.few_for_bootstrap(table.n_units, unit))
    few = table.n_units < _FEW_FOR_MANY and m > _MANY_PAIRS and isinstance(settings.tests[0], InfluenceT)
    if few and correction in (Correction.MAX_T, Correction.HOLM):
        messages.append(warnings.few_for_many_pairs(table.n_units, unit, m))
    same = int(table.identical.sum())
    if same:
        messages.append(warnings.same_rows(same))
    if correction is Correction.BH:
        messages.append(warnings.FALSE_DISCOVERY)
    bounds = p.is_bound
    if (bounds & (p.value > _NEGLIGIBLE_BOUND)).any():
        messages.append(warnings.bounds_in(int(bounds.sum())))
    return messages
