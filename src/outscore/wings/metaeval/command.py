"""`outscore meta`: which metric agrees better with people."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from outscore.cli.arguments import seed_of
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, progress_bar, writing
from outscore.data.coercion import number, whole_number
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.results import Correction
from outscore.text.naming import printable
from outscore.wings.metaeval.asking import ask_meta
from outscore.wings.metaeval.reading.tables import MetaReading, read_judgements


def meta(
    *scores: Annotated[str, Parameter(name="SCORES", allow_leading_hyphen=True)],
    statistic: Annotated[str, Parameter(alias="-s")] = "acc-t",
    epsilon: Annotated[str, Parameter(allow_leading_hyphen=True)] = "best",
    systems: str = "fixed",
    weights: str | None = None,
    cluster: str | None = None,
    test_set: str | None = None,
    id: str | None = None,  # noqa: A002 - the option's name
    records: str | None = None,
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

    The metrics are compared on the translations, summaries or answers that people rated. All pairs of metrics are
    tested, with documents as units if they are known.

    Parameters
    ----------
    scores
        The human scores, then the scores of the metrics. These are files of mt-metrics-eval
        (human-scores/LP.NAME.seg.score or .seg.rating, metric-scores/LP/METRIC-REF.seg.score or their folder; one
        human file per language pair), columns of a table with the columns system and item as FILE:COLUMN, tables of
        items and systems (one file of human scores and one per metric), or JSON lines with scores.SYSTEM.NAME.
    statistic
        Statistic of agreement. acc-t: accuracy on pairs, with ties. spa: soft pairwise accuracy. pearson: over all
        translations. pearson-item, spearman-item, kendall-item and kendall-c-item: mean correlation per segment.
        pearson-system, spearman-system, kendall-system, kendall-c-system and pairwise-accuracy: of the systems' means.
        preference: accuracy on pairs such as chosen and rejected. agreement and kappa: of labels. Several are averaged,
        such as spa,acc-t.
    epsilon
        Largest difference of scores that acc-t counts as a tie. best: the best one for each metric. refit: the best
        one in each resample. Or a number.
    systems
        Claim about these systems (fixed) or about new systems (sampled). If sampled, systems are the units. Names of
        systems, such as A,B,C or sampled,A,B,C, restrict the comparison to them.
    weights
        Weights of language pairs and statistics in the average, as NAME=WEIGHT,... Default: equal weights.
    cluster
        Column of documents, FILE:COLUMN, or none. Default: the documents of mt-metrics-eval, or a column called
        document.
    test_set
        Column of language pairs or tasks. The score is their average.
    id
        Column of items. Default: recognized by its name.
    records
        Dotted path of the list of records in a JSON file that has several, such as run.results.
    test
        Test. Default: as for outscore rank, but the bootstrap for statistics of the systems' means.
    correction
        Correction for the number of pairs. Default: max-t if it applies, else holm.
    alpha
        Significance level (default: 0.05). Intervals have the confidence level 1 - alpha.
    confidence_level
        Confidence level, 1 - alpha. 0.95 is the same as --alpha 0.05.
    n_resamples
        Maximum number of bootstrap samples or permutations. Default: 1e4 for statistics of the systems' means, else
        1e5.
    seed
        Random seed, or none for a random seed. Default: $OUTSCORE_SEED, or 12345.
    emulate
        Also print the results of another program. mtme: mt-metrics-eval, for acc-t and spa.
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
        reading = MetaReading(cluster, test_set, id, records, question.labels, question.chosen)
        refuse_mistaken(scores, "meta")
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
