"""A pytest plugin with the fixture `outscore_gate`.

pytest loads it whenever outscore is installed, so it imports nothing until the fixture is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from outscore.wings.gating.results import GateResult

_INCONCLUSIVE = """\
An inconclusive result fails the test. Test more items, or accept it with outscore_gate(..., inconclusive="pass").
"""


class GateFixture(Protocol):
    """The type of the fixture."""

    def __call__(self, baseline: object, candidate: object, **options: Any) -> GateResult:
        """Fail the test unless the candidate passes."""


@pytest.fixture
def outscore_gate() -> GateFixture:
    """Fail the test unless a candidate passes the gate. The options are those of `outscore.gate`.

    An inconclusive result fails the test, unless inconclusive="pass" is passed. A stored baseline counts every check:
    pass commit=, or set it in the environment of the CI service, so that repeated runs of one commit are averaged.

    Examples
    --------
    def test_no_regression(outscore_gate):
        outscore_gate("base.csv", "head.csv", metric="accuracy", margin=0.02)
    """
    return _gate


def _gate(baseline: object, candidate: object, **options: Any) -> GateResult:
    """Return the result of a gate if the candidate passes; see `outscore_gate`."""
    __tracebackhide__ = True
    from outscore.errors import OutscoreError
    from outscore.wings.gating import gate
    from outscore.wings.gating.results import GateOutcome

    refusal = None
    try:
        result = gate(baseline, candidate, **options)
    except OutscoreError as error:
        refusal = str(error)
    if refusal is not None:  # outside of the handler, so that pytest does not show the error twice
        pytest.fail(refusal, pytrace=False)
    if not result.passed:
        hint = f"\n\n{_INCONCLUSIVE}" if result.counted_as(result.outcome) is GateOutcome.INCONCLUSIVE else ""
        pytest.fail(f"{result!r}{hint}", pytrace=False)
    return result
