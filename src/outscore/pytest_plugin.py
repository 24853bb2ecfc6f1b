"""A pytest plugin with the fixture `outscore_gate`.

pytest loads it whenever outscore is installed, so it imports nothing until the fixture is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from outscore.gating.results import GateResult

_UNDECIDED = """\
The result is inconclusive, which does not pass. Use more items, or pass outscore_gate(..., undecided="pass").
"""


class GateFixture(Protocol):
    """The type of the fixture."""

    def __call__(self, baseline: object, candidate: object, **options: Any) -> GateResult:
        """Fail the test unless the candidate passes."""


@pytest.fixture
def outscore_gate() -> GateFixture:
    """Fail the test unless a candidate passes the gate. The options are those of `outscore.gate`.

    Inconclusive results fail, as outscore gate then exits with a status other than 0; pass undecided="pass" to accept
    them. With a stored baseline every check counts. A test that runs again must belong to a new run of the same commit,
    which joins the average. Pass commit=, or let the CI service provide it.

    Examples
    --------
    def test_no_regression(outscore_gate):
        outscore_gate("store.json", "new.csv", margin=0.02)
    """
    return _gate


def _gate(baseline: object, candidate: object, **options: Any) -> GateResult:
    """Return the result of a gate if the candidate passes; see `outscore_gate`."""
    __tracebackhide__ = True
    from outscore.errors import OutscoreError
    from outscore.gating import gate
    from outscore.gating.results import GateOutcome

    refusal = None
    try:
        result = gate(baseline, candidate, **options)
    except OutscoreError as error:
        refusal = str(error)
    if refusal is not None:  # outside of the handler, so that pytest does not show the error twice
        pytest.fail(refusal, pytrace=False)
    if not result.passed:
        hint = f"\n\n{_UNDECIDED}" if result.counted_as(result.outcome) is GateOutcome.UNDECIDED else ""
        pytest.fail(f"{result!r}{hint}", pytrace=False)
    return result
