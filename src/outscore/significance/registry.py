"""The tests by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.significance.base import SignificanceTest
from outscore.text.aliases import TEST_ALIASES, own_name
from outscore.text.naming import nearest

_TESTS = {
    "auto": "auto:Auto",
    "bootstrap": "bootstrap:Bootstrap",
    "bootstrap-uncentred": "bootstrap:BootstrapUncentred",
    "randomization": "randomization:Randomization",
    "score": "score_test:ScoreTest",
    "paired-t": "t_tests:PairedT",
    "cr2-t": "t_tests:RobustT",
    "skew-t": "t_tests:SkewT",
    "sign": "classical:Sign",
    "wilcoxon": "classical:Wilcoxon",
    "mcnemar": "classical:McNemar",
    "binomial": "score_intervals:Binomial",
    "two-sample-t": "classical:TwoSampleT",
    "two-proportion": "classical:TwoProportion",
    "chi-squared": "classical:ChiSquared",
    "crossed-t": "crossed:CrossedT",
    "permute-runs": "crossed:PermuteRuns",
    "pigeonhole": "crossed:Pigeonhole",
    "two-way-t": "t_tests:TwoWayT",
}
# Available by name only: `all` means all sound tests.
_BY_NAME = {
    "randomization-by-response": "by_response:RandomizationByResponse",
    "sacrebleu-bootstrap": "sacrebleu:SacrebleuBootstrap",
    "sacrebleu-randomization": "sacrebleu:SacrebleuRandomization",
}


class _Tests(Mapping[str, type[SignificanceTest]]):
    """A mapping from names to tests, each imported on first access."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> type[SignificanceTest]:
        return _imported(self._places[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


TESTS: Mapping[str, type[SignificanceTest]] = _Tests(_TESTS)
BY_NAME: Mapping[str, type[SignificanceTest]] = _Tests(_BY_NAME)


def _imported(address: str) -> type[SignificanceTest]:
    module, _, test = address.partition(":")
    kind: type[SignificanceTest] = getattr(import_module(f"outscore.significance.{module}"), test)
    return kind


def test_named(name: str) -> SignificanceTest:
    """Return the test of that name or alias (`outscore.text.aliases`), ignoring case.

    It raises an OptionError that suggests the nearest name if the name is unknown.
    """
    places = _TESTS | _BY_NAME
    full_name = own_name(name.strip(), list(places), TEST_ALIASES)
    if full_name not in places:
        raise OptionError(Problem(opt("tests"), f'unknown test "{name}"', nearest(name, list(places)), "unknown-test"))
    return _imported(places[full_name])()


test_named.__test__ = False  # type: ignore[attr-defined]  # pytest would collect it as a test
