"""`outscore plan human`: how many documents and ratings a human evaluation needs."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from outscore.cli import arguments
from outscore.cli.output import Writes, writing
from outscore.wings.human.planning import plan_human


@arguments.from_table("plan-human")
def human(
    pilot: Annotated[str, Parameter(name="PILOT")],
    /,
    *,
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Find how many documents and ratings a human evaluation needs, from last year's scores.

    The variance components of the pilot (documents, segments, raters) determine the gain that more documents detect,
    or more ratings of each document by different raters.

    Parameters
    ----------
    pilot
        File of human scores: Appraise, MQM, Pearmut, WMT, or a table with the columns system, item, document, score and
        optionally rater.
    """
    with writing(writes) as write:
        write(plan_human(pilot, **arguments.taken_by("plan_human", arguments.values_of("plan-human", options))))
