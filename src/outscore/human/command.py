"""`outscore plan human`: how many documents and ratings a human evaluation needs."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from outscore.cli.arguments import whole_numbers
from outscore.cli.output import Writes, writing
from outscore.human.planning import RATINGS, plan_human
from outscore.options import opt


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
    task: str | None = None,
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Find how many documents and ratings a human evaluation needs, from last year's scores.

    Variance components of the pilot (documents, segments, raters) give the gain that is detected with more documents,
    or with more ratings of each document by different raters.

    Parameters
    ----------
    pilot
        A file of human scores: Appraise, MQM, Pearmut, WMT, or a table with the columns system, item, document, score
        and perhaps rater.
    gain
        The smallest gain of interest, in points of the scale. The number of documents that it needs is then reported.
    documents
        Numbers of documents; several as 100,200 or by repetition. Default: 0.5 to 3 times those of the pilot.
    ratings
        Ratings of each document of a system, by different raters. Default: 1,2,3.
    power
        The power: 0.8 or 80%.
    alpha
        Significance level over all comparisons.
    comparisons
        Number of planned comparisons; each is tested at alpha divided by it.
    cluster
        Column of documents. Default: the format's, or document.
    rater
        Column of raters. Default: the format's, or rater.
    stratum
        Column of domains. Default: the format's.
    score
        Column of scores. Default: score.
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
                task=task,
            )
        )
