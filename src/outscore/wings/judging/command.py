"""`outscore judges`: how far judges can be trusted."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from outscore.cli.arguments import seed_of, several
from outscore.cli.output import Writes, writing
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.text.naming import quoted
from outscore.wings.judging.asking import ask_judges


def judges(
    verdicts: Annotated[str, Parameter(name="FILE", allow_leading_hyphen=True)],
    /,
    *,
    columns: Annotated[list[str] | None, Parameter(negative="")] = None,
    level: str | None = None,
    positions: Annotated[bool, Parameter(negative="")] = False,
    records: str | None = None,
    people: str | None = None,
    alpha: float | None = None,
    seed: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Check judges: consistency in both orders, position bias, flips, agreement.

    Agreement is computed with people, among people and among judges, errors by system, and judges are compared on the
    same items. Of verdicts on two answers, the share of wins is compared with a half.
    Items are the units of all intervals and tests.

    Parameters
    ----------
    verdicts
        A table with one row per verdict: columns item and verdict (or score), and optionally judge, order (or
        position), repetition, turn, system, and human. Verdicts are 1, 0 and 0.5; words such as A, B and tie, A>B,
        model_a or first; 1 and 2; names of two answers; labels; or scores. Or the outputs of JudgeBench, LLMBar or
        RewardBench.
    columns
        Names of columns as ROLE=COLUMN,..., such as judge=annotator. Default: the usual names.
    level
        Level of measurement: nominal, ordinal, interval or ratio. Default: nominal; of scores ordinal up to 10 whole
        numbers, else interval.
    positions
        Verdicts such as A and B are places (A: shown first). Default: they are answers.
    records
        Dotted path of the list of records in a JSON file that has several, such as run.results.
    people
        Names of people among the judges, or of columns of their verdicts, such as "expert_*,author_*". Default: the
        column human, or a judge called human or people.
    alpha
        Significance level (default: 0.05). Intervals have the confidence level 1 - alpha.
    seed
        Random seed, or none to draw one. Default: $OUTSCORE_SEED, or 12345.
    """
    named = {}
    for text in several(columns or ()):
        role, equals, column = text.partition("=")
        if not (equals and column):
            what = f"expected ROLE=COLUMN, got {quoted(text)}"
            raise OptionError(Problem(opt("columns"), what, "", "bad-column"))
        named[role.strip()] = column.strip()
    question = ask_judges(
        named, level, positions=positions, records=records, people=people or (), alpha=alpha, seed=seed_of(seed)
    )
    with writing(writes) as write:
        write(question.answer(verdicts))
