"""The tests by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.significance.base import SignificanceTest
from outscore.text.aliases import TEST_ALIASES, own_name
from outscore.text.naming import nearest


class _Tests(Mapping[str, type[SignificanceTest]]):
    """Tests by their names, of which each is imported when it is asked for: most comparisons take one."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> type[SignificanceTest]:
        module, _, test = self._places[name].partition(":")
        kind: type[SignificanceTest] = getattr(import_module(f"outscore.significance.{module}"), test)
        return kind

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


TESTS: Mapping[str, type[SignificanceTest]] = _Tests(
    {
        "auto": "auto:Auto",
        "bootstrap": "bootstrap:Bootstrap",
        "bootstrap-uncentred": "bootstrap:BootstrapUncentred",
        "randomization": "randomization:Randomization",
        "score": "score_test:ScoreTest",
        "paired-t": "t_tests:PairedT",
        "cr2-t": "t_tests:RobustT",
        "skew-t": "t_tests:SkewT",
        "sign": "signs:Sign",
        "wilcoxon": "signs:Wilcoxon",
        "mcnemar": "signs:McNemar",
        "binomial": "binomial:Binomial",
        "two-sample-t": "independent:TwoSampleT",
        "two-proportion": "independent:TwoProportion",
        "chi-squared": "independent:ChiSquared",
        "crossed-t": "crossed:CrossedT",
        "permute-runs": "crossed:PermuteRuns",
        "pigeonhole": "crossed:Pigeonhole",
        "two-way-t": "t_tests:TwoWayT",
    }
)

# By name only: whoever asks for all tests asks for sound ones.
EMULATIONS: Mapping[str, type[SignificanceTest]] = _Tests(
    {
        "sacrebleu-bootstrap": "sacrebleu:SacrebleuBootstrap",
        "sacrebleu-randomization": "sacrebleu:SacrebleuRandomization",
    }
)


def known_test(name: str) -> type[SignificanceTest] | None:
    """Return the class of the test of this very name, or None."""
    return TESTS.get(name) or EMULATIONS.get(name)


def test_named(name: str) -> SignificanceTest:
    """Return the test of that name, in any letter case, or by another name that it has (`outscore.text.aliases`).

    Raises
    ------
    OptionError
        An unknown name; the nearest one is offered.
    """
    names = [*TESTS, *EMULATIONS]
    known = known_test(own_name(name.strip(), names, TEST_ALIASES))
    if known is None:
        raise OptionError(Problem(opt("tests"), f'unknown test "{name}"', nearest(name, names), "unknown-test"))
    return known()


test_named.__test__ = False  # type: ignore[attr-defined]  # not a test, whatever pytest thinks of its name
