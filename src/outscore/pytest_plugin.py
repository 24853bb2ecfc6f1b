"""A plugin of pytest: the fixture `outscore_gate`.

pytest loads it wherever outscore is installed, so that it imports nothing until a test gates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from outscore.gating.results import GateResult

_UNDECIDED = """\
The data do not tell, and what is not shown does not pass. Let it pass with outscore_gate(..., undecided="pass"), or \
take more items.
"""


class GateFixture(Protocol):
    """What the fixture is."""

    def __call__(self, baseline: object, candidate: object, **options: Any) -> GateResult:
        """Fail the test unless the candidate passes."""


@pytest.fixture
def outscore_gate() -> GateFixture:
    """Fail the test unless a candidate passes the gate; the options are those of outscore.gate.

    What is undecided fails, as the exit status of outscore gate is not 0 either: a test that is green says that
    something was shown. undecided="pass" lets it pass. A stored baseline counts every look, so that a test that is run
    again has to be a run of the same commit again, which joins the average: pass commit=, or let the service for
    continuous integration say it.

    Examples
    --------
    def test_no_regression(outscore_gate):
        outscore_gate("store.json", "new.csv", margin=0.02)
    """
    return _gate


def _gate(baseline: object, candidate: object, **options: Any) -> GateResult:
    """Return what a gate says of a candidate that passes; see `outscore_gate`."""
    __tracebackhide__ = True
    from outscore.errors import OutscoreError
    from outscore.gating import gate
    from outscore.gating.results import GateOutcome

    refusal = None
    try:
        result = gate(baseline, candidate, **options)
    except OutscoreError as error:
        refusal = str(error)
    if refusal is not None:  # outside of the handler, where pytest would show the error twice
        pytest.fail(refusal, pytrace=False)
    if not result.passed:
        hint = f"\n\n{_UNDECIDED}" if result.counted_as(result.outcome) is GateOutcome.UNDECIDED else ""
        pytest.fail(f"{result!r}{hint}", pytrace=False)
    return result
