"""Results on judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from outscore.results.record import (
    Keywords,
    Level,
    Messages,
    Natural,
    Positive,
    PValue,
    Seed,
    Share,
    Signature,
    Since,
    Size,
    Version,
    table,
)
from outscore.results.shown import Shown


@dataclass(frozen=True)
class Proportion:
    """A proportion with its interval.

    Attributes
    ----------
    value : float
        The proportion.
    low, high : float
        The ends of its interval.
    n_items : int
        Number of items.
    """

    value: Share
    low: Share
    high: Share
    n_items: Positive


@dataclass(frozen=True)
class FirstPosition:
    """How often verdicts are for the answer shown first, on items judged in both orders.

    Attributes
    ----------
    share : float
        The proportion of verdicts for the answer shown first, ties as half. It is 0.5 without position bias.
    low, high : float
        The ends of its interval.
    first, second : int
        Items whose verdicts in both orders favour the first place, and the second.
    n_items : int
        Number of items in both orders.
    p_value : float
        Exact sign test of `first` against `second`, two-sided.
    """

    share: Share
    low: Share
    high: Share
    first: Natural
    second: Natural
    n_items: Positive
    p_value: PValue


@dataclass(frozen=True)
class Judge:
    """One judge.

    Attributes
    ----------
    name : str
        The judge's name.
    n_verdicts : int
        Number of verdicts.
    consistency : Proportion or None
        Proportion of the same verdict in both orders. None without items in both orders.
    first_position : FirstPosition or None
        None if both orders, or the place of answers, are unknown.
    flips : Proportion or None
        Proportion of pairs of repetitions, in the same order, that disagree. None without repetitions.
    """

    name: str
    n_verdicts: Positive
    consistency: Proportion | None
    first_position: FirstPosition | None
    flips: Proportion | None


@dataclass(frozen=True)
class AgreementOfRaters:
    """A coefficient of agreement.

    Attributes
    ----------
    raters : sequence of str
        The raters: a judge and "people", all judges, or only "people" among themselves. With several people per item,
        the agreement of a judge with people is the mean over all pairs of a verdict of the judge and one of a person.
    measure : str
        The coefficient.
    value : float or None
        Its value. None if it is undefined, because all verdicts are the same.
    low, high : float or None
        The ends of its interval. None if the value is undefined, or of one item.
    n_items : int
        Number of items with at least two of these raters.
    """

    raters: tuple[str, ...]
    measure: Annotated[
        str, Keywords(enum=["agreement", "cohen-kappa", "gwet-ac1", "fleiss-kappa", "krippendorff-alpha"])
    ]
    value: float | None
    low: float | None
    high: float | None
    n_items: Natural

    @property
    def between(self) -> str:
        """The raters in one text."""
        return " and ".join(self.raters)


@dataclass(frozen=True)
class LeftOut:
    """The agreement of a person, or of a judge in their place, with the other people on the person's items.

    Attributes
    ----------
    person : str
        The person who is left out of people.
    rater : str
        The same person, or a judge.
    measure : str
        "agreement" for labels, else "krippendorff-alpha".
    value, low, high : float or None
        The agreement and the ends of its interval. None if it is undefined, or of one item.
    n_items : int
        Number of items.
    """

    person: str
    rater: str
    measure: Annotated[str, Keywords(enum=["agreement", "krippendorff-alpha"])]
    value: float | None
    low: float | None
    high: float | None
    n_items: Natural


@dataclass(frozen=True)
class WinRate:
    """How often an answer wins, by a judge or by people, as `outscore.compare` with against=0.5 would compute it.

    Attributes
    ----------
    rater : str
        The judge, or "people".
    answer : str
        The answer: its name or the word for it, such as A.
    share : float
        The proportion of verdicts for it, with ties as half.
    low, high : float
        The ends of its interval.
    p_value : float
        The test that both answers win equally often, two-sided.
    test : str
        The test.
    n_items : int
        Number of items.
    title : str
        The name of the test in sentences.
    """

    json_keys: ClassVar = "-title"

    rater: str
    answer: str
    share: Share
    low: float
    high: float
    p_value: PValue
    test: str
    n_items: Positive
    title: str = ""


@dataclass(frozen=True)
class ErrorRate:
    """How a judge errs on the outputs of a system.

    Attributes
    ----------
    system : str
        The system.
    measure : str
        "sensitivity": of what people accept, the proportion that the judge accepts. "specificity": of what people
        reject, the proportion that the judge rejects. "agreement": the proportion of the same verdict. "bias": the mean
        of the judge's score minus that of people.
    value : float
        Its value.
    low, high : float or None
        The ends of its interval. None of fewer than two items.
    n_items : int
        Number of items.
    """

    system: str
    measure: Annotated[str, Keywords(enum=["sensitivity", "specificity", "agreement", "bias"])]
    value: float
    low: float | None
    high: float | None
    n_items: Positive


@dataclass(frozen=True)
class Difference:
    """The difference between two judges in their agreement with people, or between two systems in a judge's errors.

    Attributes
    ----------
    measure : str
        The coefficient of agreement, or the measure of errors.
    higher, lower : str
        The judges or systems.
    difference : float
        The difference of their values.
    low, high : float
        The ends of its interval, uncorrected.
    p_value : float
        The p-value, two-sided, before correction.
    corrected_p_value : float
        The p-value after correction for all pairs: Holm's for rates, else max-T.
    n_items : int
        Number of items: those that all judges judged, or those of either system.
    """

    measure: str
    higher: str
    lower: str
    difference: Size
    low: float
    high: float
    p_value: PValue
    corrected_p_value: PValue
    n_items: Positive


@dataclass(frozen=True)
class Errors:
    """The errors of a judge by system, and whether they differ between systems.

    Attributes
    ----------
    judge : str
        The judge.
    rates : sequence of ErrorRate
        By system.
    differences : sequence of Difference
        By pair of systems.
    p_value : float or None
        The test of differential error, corrected for pairs and measures: of sensitivity and specificity if there are
        both, else of agreement or bias. None with one system.
    """

    judge: str
    rates: tuple[ErrorRate, ...]
    differences: tuple[Difference, ...]
    p_value: PValue | None


@dataclass(frozen=True, repr=False)
class JudgesResult(Shown):
    """How far the verdicts of judges can be trusted.

    This is the JSON output of outscore judges.

    Attributes
    ----------
    agreement : sequence of AgreementOfRaters
        Of each judge with people, and among judges.
    first_position : FirstPosition or None
        Over all judges. None if position bias cannot be measured.
    consistency : Proportion or None
        Over all judges. None without items in both orders.
    flips : Proportion or None
        Over all judges. None without repetitions.
    judges : sequence of Judge
        Each judge.
    comparison : sequence of Difference
        Every pair of judges, if there are verdicts of people.
    errors : sequence of Errors
        By judge, if there are verdicts of people and several systems.
    level : str
        The level of measurement of verdicts.
    n_items : int
        Number of items, which are the resampling units.
    alpha : float
        Level of tests; intervals have the confidence level 1 - alpha.
    seed : int
    signature : str
    version : str
    warnings : tuple of str
    notes : tuple of str
        How verdicts were read, and what cannot be computed.
    wins : sequence of WinRate
        By judge and by people, if verdicts are on the same two answers.
    left_out : sequence of LeftOut
        By person, if several people with names judged an item.
    """

    schema: ClassVar = "outscore/judges/1"
    json_keys: ClassVar = "agreement first_position consistency flips judges comparison errors"

    agreement: tuple[AgreementOfRaters, ...]
    first_position: FirstPosition | None
    consistency: Proportion | None
    flips: Proportion | None
    judges: Annotated[tuple[Judge, ...], Keywords(minItems=1)]
    comparison: tuple[Difference, ...]
    errors: tuple[Errors, ...]
    level: Annotated[str, Keywords(enum=["nominal", "ordinal", "interval", "ratio"])]
    n_items: Positive
    alpha: Level
    seed: Seed
    signature: Signature
    version: Version
    warnings: Messages = ()
    notes: tuple[str, ...] = ()
    wins: Annotated[tuple[WinRate, ...], Since("0.8.0")] = ()
    left_out: Annotated[tuple[LeftOut, ...], Since("0.8.0")] = ()

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one row per coefficient of agreement."""
        return table("between measure value low high n_items", [(one, self) for one in self.agreement])
