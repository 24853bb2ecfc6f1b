"""Texts of systems that differ in formatting: case, punctuation and Unicode form."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.data.rows import Rows
from outscore.metrics import AnyMetric
from outscore.text.numbers import score_format
from outscore.words import warnings

_LARGE_SHARE = 0.2  # of the errors: a fifth of them is more than most systems differ by
_UNLIKE = 0.5  # of the share of another system: equal shares do not favour a system


def in_other_formatting(metric: AnyMetric, systems: Sequence[Rows], verdicts: tuple[str, str] | None) -> list[str]:
    """Return a warning if formatting accounts for unequal shares of the errors, or if the verdict depends on it.

    `verdicts` are those with and without the errors of formatting.
    """
    reformatted = [(system, system.reformatted) for system in systems if system.reformatted is not None]
    if len(reformatted) < 2 or metric.score_range is None:
        return []
    best = metric.score_range[1 if metric.higher_is_better else 0]
    scores = [(metric.score_of_set(system.values), metric.score_of_set(other.values)) for system, other in reformatted]
    shares = [max(0.0, (after - before) / (best - before)) if best != before else 0.0 for before, after in scores]
    indices = range(len(shares))
    most, least = max(indices, key=shares.__getitem__), min(indices, key=shares.__getitem__)
    turned = verdicts is not None and verdicts[0] != verdicts[1]
    if not turned and not (shares[most] >= _LARGE_SHARE and shares[least] < _UNLIKE * shares[most]):
        return []
    written = score_format([score for pair in scores for score in pair], [], percentage=metric.as_percentage)
    options = {kind: option for _, other in reformatted for kind, option in other.options.items()}
    message = warnings.formatting(
        list(reformatted[most][1].options or options),
        warnings.ignoring(metric.name, options),
        [(reformatted[index][0].name, shares[index]) for index in (most, least)],
        [(reformatted[index][0].name, written.score(scores[index][1])) for index in (most, least)],
    )
    return [message if verdicts is None else f"{message} {warnings.without_formatting(verdicts[1])}"]
