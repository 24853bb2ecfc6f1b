"""`outscore plan human`: how many documents and ratings a human evaluation needs."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from outscore.cli.arguments import whole_numbers
from outscore.cli.output import Writes, writing
from outscore.options import opt
from outscore.wings.human.planning import RATINGS, plan_human


def human(
    pilot: Annotated[str, Parameter(name="PILOT")],
    /,
    *,
    gain: str | None = None,
    documents: Annotated[list[str] | None, Parameter(negative="")] = None,
    ratings: Annotated[list[str] | None, Parameter(negative="")] = None,
    power: str = "0.8",
    alpha: float = 0.05,
    comparisons: int = 1,
    cluster: str | None = None,
    rater: str | None = None,
    stratum: str | None = None,
    score: str | None = None,
    records: str | None = None,
    task: str | None = None,
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Find how many documents and ratings a human evaluation needs, from last year's scores.

    The variance components of the pilot (documents, segments, raters) determine the gain that more documents detect,
    or more ratings of each document by different raters.

    Parameters
    ----------
    pilot
        File of human scores: Appraise, MQM, Pearmut, WMT, or a table with the columns system, item, document, score and
        optionally rater.
    gain
        Smallest gain of interest, in points of the scale. The result is then the number of documents needed.
    documents
        Numbers of documents, such as 100,200. Default: 0.5 to 3 times those of the pilot.
    ratings
        Numbers of ratings of each document of a system, by different raters. Default: 1,2,3.
    power
        Target power: 0.8 or 80%.
    alpha
        Significance level over all comparisons.
    comparisons
        Number of planned comparisons. Each is tested at alpha divided by this number.
    cluster
        Column of documents. Default: that of the format, or document.
    rater
        Column of raters. Default: that of the format, or rater.
    stratum
        Column of domains. Default: that of the format.
    score
        Column of scores. Default: score.
    records
        Dotted path of the list of records in a JSON file that has several, such as run.results.
    task
        Task, such as a language pair, if the pilot has several.
    """
    with writing(writes) as write:
        write(
            plan_human(
                pilot,
                gain=gain,
                documents=None if documents is None else whole_numbers(documents, opt("documents")),
                ratings=RATINGS if ratings is None else whole_numbers(ratings, opt("ratings")),
                power=power,
                alpha=alpha,
                comparisons=comparisons,
                clusters=cluster,
                rater=rater,
                strata=stratum,
                score_column=score,
                records=records,
                task=task,
            )
        )
