"""`outscore judges`: how far judges can be trusted."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from outscore.cli import arguments
from outscore.cli.arguments import several
from outscore.cli.output import Writes, writing
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.text.naming import quoted
from outscore.wings.judging.asking import ask_judges


@arguments.from_table("judges")
def judges(
    verdicts: Annotated[str, Parameter(name="FILE", allow_leading_hyphen=True)],
    /,
    *,
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
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
    """
    values, named = arguments.values_of("judges", options), {}
    for text in several(values["columns"] or ()):
        role, equals, column = text.partition("=")
        if not (equals and column):
            what = f"expected ROLE=COLUMN, got {quoted(text)}"
            raise OptionError(Problem(opt("columns"), what, "", "bad-column"))
        named[role.strip()] = column.strip()
    question = ask_judges(**arguments.taken_by("judges", values | {"columns": named}))
    with writing(writes) as write:
        write(question.answer(verdicts))
