"""`outscore meta`: which metric agrees better with people."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from outscore.cli.arguments import seed_of
from outscore.cli.output import Writes, progress_bar, writing
from outscore.data.coercion import number, whole_number
from outscore.errors import OptionError, Problem
from outscore.metaeval.asking import ask_meta
from outscore.metaeval.reading.tables import MetaReading, read_judgements
from outscore.options import opt
from outscore.results import Correction
from outscore.text.naming import printable


def meta(
    *scores: Annotated[str, Parameter(name="SCORES", allow_leading_hyphen=True)],
    statistic: Annotated[str, Parameter(alias="-s")] = "acc-t",
    epsilon: Annotated[str, Parameter(allow_leading_hyphen=True)] = "best",
    systems: str = "fixed",
    weights: str | None = None,
    cluster: str | None = None,
    test_set: str | None = None,
    id: str | None = None,  # noqa: A002 - the option's name
    test: Annotated[str, Parameter(alias="-t")] = "auto",
    correction: Correction | None = None,
    alpha: float | None = None,
    confidence_level: float | None = None,
    n_resamples: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    seed: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    emulate: Literal["mtme"] | None = None,
    pairs: Annotated[bool, Parameter(negative="")] = False,
    details: Annotated[bool, Parameter(negative="")] = False,
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Rank metrics by their agreement with people (meta-evaluation).

    outscore meta HUMAN METRIC... compares metrics on the translations, summaries or answers that people rated. All
    pairs of metrics are tested, with documents as units if they are known.

    Parameters
    ----------
    scores
        HUMAN METRIC..., the human scores and those of metrics. Files of mt-metrics-eval
        (human-scores/LP.NAME.seg.score, metric-scores/LP/METRIC-REF.seg.score or their folder; several human files are
        several language pairs), columns of a table as FILE:COLUMN with the columns system and item, tables of items and
        systems (one file for people and one per metric), or JSON lines with scores.SYSTEM.NAME.
    statistic
        Statistic of agreement. acc-t: accuracy of pairs with ties. spa: soft pairwise accuracy. pearson: over all
        translations. pearson-item, spearman-item, kendall-item and kendall-c-item: means over segments of
        correlations. pearson-system, spearman-system, kendall-system, kendall-c-system and pairwise-accuracy: of means
        of systems. preference: of pairs such as chosen and rejected. agreement and kappa: of labels. The average of
        several: spa,acc-t.
    epsilon
        Threshold of ties of acc-t. best: the best one of each metric. refit: the best one in each resample. Or a
        number.
    systems
        Claim about these systems (fixed) or also about others (sampled). Systems are then the units.
    weights
        Weights of language pairs and statistics in the average, as NAME=WEIGHT,... Default: all weigh the same.
    cluster
        Documents: a column, or FILE:COLUMN, or none. Default: those of mt-metrics-eval, or a column called document.
    test_set
        Column of language pairs or tasks. The score is their average.
    id
        Column of items. Default: recognized by its name.
    test
        Test. Default: as for outscore rank; for statistics of system means the bootstrap.
    correction
        Correction for the number of pairs. Default: max-t, or holm.
    alpha
        Significance level (default: 0.05). Intervals have the confidence level 1 - alpha.
    confidence_level
        Confidence level, 1 - alpha. 0.95 is the same as --alpha 0.05.
    n_resamples
        Largest number of resamples. Default: 1e4 for statistics of system means, else 1e5.
    seed
        Random seed, or none to draw one. Default: $OUTSCORE_SEED, or 12345.
    emulate
        Also print what another program prints. mtme: mt-metrics-eval, for acc-t and spa.
    pairs
        CSV and Parquet: one row per pair of metrics.
    details
        Also show all pairs and the signature.
    """
    question = ask_meta(
        statistic,
        epsilon=epsilon,
        systems=systems,
        weights=_weights(weights),
        tests=test,
        correction=correction,
        alpha=alpha,
        confidence_level=confidence_level,
        n_resamples=None if n_resamples is None else whole_number(n_resamples, opt("n_resamples")),
        seed=seed_of(seed),
        emulate=emulate,
    )
    with writing(writes) as write:
        reading = MetaReading(cluster, test_set, id, question.labels)
        data = read_judgements(scores, reading)
        with progress_bar(shown=not writes.quiet) as progress:
            result = question.answer(data, progress)
        write(result, **({"pairs": True} if pairs else {}), details=details)


def _weights(text: str | None) -> dict[str, float]:
    """Return the weights of tasks by their names."""
    weights = {}
    for part in text.split(",") if text else ():
        name, equals, value = part.rpartition("=")
        if not (equals and name):
            what = f"expected NAME=WEIGHT, got {printable(part)}"
            raise OptionError(Problem(opt("weights"), what, "", "bad-weight"))
        weights[name.strip()] = number(value, opt("weights"))
    return weights
