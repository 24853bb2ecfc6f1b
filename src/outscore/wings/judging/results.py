"""Results on judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from outscore.results.record import (
    Level,
    Messages,
    Natural,
    Positive,
    PValue,
    Seed,
    Share,
    Signature,
    Size,
    Version,
    doc,
    record,
    table,
)
from outscore.results.shown import Shown


@record
class Proportion:
    """A proportion with its interval."""

    value: Share = doc("The proportion.")
    low: Share = doc("The ends of its interval.")
    high: Share = doc("The ends of its interval.")
    n_items: Positive = doc("Number of items.")


@record
class FirstPosition:
    """How often verdicts are for the answer shown first, on items judged in both orders."""

    share: Share = doc(
        "The proportion of verdicts for the answer shown first, ties as half. It is 0.5 without position bias."
    )
    low: Share = doc("The ends of its interval.")
    high: Share = doc("The ends of its interval.")
    first: Natural = doc("Items whose verdicts in both orders favour the first place, and the second.")
    second: Natural = doc("Items whose verdicts in both orders favour the first place, and the second.")
    n_items: Positive = doc("Number of items in both orders.")
    p_value: PValue = doc("Exact sign test of `first` against `second`, two-sided.")


@record
class Judge:
    """One judge."""

    name: str = doc("The judge's name.")
    n_verdicts: Positive = doc("Number of verdicts.")
    consistency: Proportion | None = doc(
        "Proportion of the same verdict in both orders. None without items in both orders."
    )
    first_position: FirstPosition | None = doc("None if both orders, or the place of answers, are unknown.")
    flips: Proportion | None = doc(
        "Proportion of pairs of repetitions, in the same order, that disagree. None without repetitions."
    )


@record
class AgreementOfRaters:
    """A coefficient of agreement."""

    raters: tuple[str, ...] = doc(
        'The raters: a judge and "people", all judges, or only "people" among themselves. With several people per '
        "item, the agreement of a judge with people is the mean over all pairs of a verdict of the judge and one of a "
        "person."
    )
    measure: str = doc(
        "The coefficient.", enum=["agreement", "cohen-kappa", "gwet-ac1", "fleiss-kappa", "krippendorff-alpha"]
    )
    value: float | None = doc("Its value. None if it is undefined, because all verdicts are the same.")
    low: float | None = doc("The ends of its interval. None if the value is undefined, or of one item.")
    high: float | None = doc("The ends of its interval. None if the value is undefined, or of one item.")
    n_items: Natural = doc("Number of items with at least two of these raters.")

    @property
    def between(self) -> str:
        """The raters in one text."""
        return " and ".join(self.raters)


@record
class LeftOut:
    """The agreement of a person, or of a judge in their place, with the other people on the person's items."""

    person: str = doc("The person who is left out of people.")
    rater: str = doc("The same person, or a judge.")
    measure: str = doc('"agreement" for labels, else "krippendorff-alpha".', enum=["agreement", "krippendorff-alpha"])
    value: float | None = doc("The agreement and the ends of its interval. None if it is undefined, or of one item.")
    low: float | None = doc("The agreement and the ends of its interval. None if it is undefined, or of one item.")
    high: float | None = doc("The agreement and the ends of its interval. None if it is undefined, or of one item.")
    n_items: Natural = doc("Number of items.")


@record
class WinRate:
    """How often an answer wins, by a judge or by people, as `outscore.compare` with against=0.5 would compute it."""

    json_keys: ClassVar = "-title"

    rater: str = doc('The judge, or "people".')
    answer: str = doc("The answer: its name or the word for it, such as A.")
    share: Share = doc("The proportion of verdicts for it, with ties as half.")
    low: float = doc("The ends of its interval.")
    high: float = doc("The ends of its interval.")
    p_value: PValue = doc("The test that both answers win equally often, two-sided.")
    test: str = doc("The test.")
    n_items: Positive = doc("Number of items.")
    title: str = doc("The name of the test in sentences.", default="")


@record
class ErrorRate:
    """How a judge errs on the outputs of a system."""

    system: str = doc("The system.")
    measure: str = doc(
        '"sensitivity": of what people accept, the proportion that the judge accepts. "specificity": of what people '
        'reject, the proportion that the judge rejects. "agreement": the proportion of the same verdict. "bias": the '
        "mean of the judge's score minus that of people.",
        enum=["sensitivity", "specificity", "agreement", "bias"],
    )
    value: float = doc("Its value.")
    low: float | None = doc("The ends of its interval. None of fewer than two items.")
    high: float | None = doc("The ends of its interval. None of fewer than two items.")
    n_items: Positive = doc("Number of items.")


@record
class Difference:
    """The difference between two judges in their agreement with people, or between two systems in a judge's errors."""

    measure: str = doc("The coefficient of agreement, or the measure of errors.")
    higher: str = doc("The judges or systems.")
    lower: str = doc("The judges or systems.")
    difference: Size = doc("The difference of their values.")
    low: float = doc("The ends of its interval, uncorrected.")
    high: float = doc("The ends of its interval, uncorrected.")
    p_value: PValue = doc("The p-value, two-sided, before correction.")
    corrected_p_value: PValue = doc("The p-value after correction for all pairs: Holm's for rates, else max-T.")
    n_items: Positive = doc("Number of items: those that all judges judged, or those of either system.")


@record
class Errors:
    """The errors of a judge by system, and whether they differ between systems."""

    judge: str = doc("The judge.")
    rates: tuple[ErrorRate, ...] = doc("By system.")
    differences: tuple[Difference, ...] = doc("By pair of systems.")
    p_value: PValue | None = doc(
        "The test of differential error, corrected for pairs and measures: of sensitivity and specificity if there are "
        "both, else of agreement or bias. None with one system."
    )


@record
class JudgesResult(Shown):
    """How far the verdicts of judges can be trusted.

    This is the JSON output of outscore judges.
    """

    schema: ClassVar = "outscore/judges/1"
    json_keys: ClassVar = "agreement first_position consistency flips judges comparison errors"

    agreement: tuple[AgreementOfRaters, ...] = doc("Of each judge with people, and among judges.")
    first_position: FirstPosition | None = doc("Over all judges. None if position bias cannot be measured.")
    consistency: Proportion | None = doc("Over all judges. None without items in both orders.")
    flips: Proportion | None = doc("Over all judges. None without repetitions.")
    judges: tuple[Judge, ...] = doc("Each judge.", minItems=1)
    comparison: tuple[Difference, ...] = doc("Every pair of judges, if there are verdicts of people.")
    errors: tuple[Errors, ...] = doc("By judge, if there are verdicts of people and several systems.")
    level: str = doc("The level of measurement of verdicts.", enum=["nominal", "ordinal", "interval", "ratio"])
    n_items: Positive = doc("Number of items, which are the resampling units.")
    alpha: Level = doc("Level of tests; intervals have the confidence level 1 - alpha.")
    seed: Seed
    signature: Signature
    version: Version
    warnings: Messages = ()
    notes: tuple[str, ...] = doc("How verdicts were read, and what cannot be computed.", default=())
    wins: tuple[WinRate, ...] = doc(
        "By judge and by people, if verdicts are on the same two answers.", default=(), since="1.0.0"
    )
    left_out: tuple[LeftOut, ...] = doc(
        "By person, if several people with names judged an item.", default=(), since="1.0.0"
    )

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one row per coefficient of agreement."""
        return table("between measure value low high n_items", [(coefficient, self) for coefficient in self.agreement])
