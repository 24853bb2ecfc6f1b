"""`outscore meta`: which metric agrees better with people."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from outscore.cli import arguments
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, progress_bar, writing
from outscore.data.coercion import number
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.text.naming import printable
from outscore.wings.metaeval.asking import ask_meta
from outscore.wings.metaeval.reading.tables import read_judgements


@arguments.from_table("meta")
def meta(
    *scores: Annotated[str, Parameter(name="SCORES", allow_leading_hyphen=True)],
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
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
    """
    values = arguments.values_of("meta", options)
    question = ask_meta(**arguments.taken_by("meta", values | {"weights": _weights(values["weights"])}))
    with writing(writes) as write:
        refuse_mistaken(scores, "meta")
        data = read_judgements(scores, question.reading(values))
        with progress_bar(shown=not writes.quiet) as progress:
            result = question.answer(data, progress)
        write(result, **({"pairs": True} if values["pairs"] else {}), details=values["details"])


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
