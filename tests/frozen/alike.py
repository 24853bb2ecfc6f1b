"""How outcomes are compared: to nine digits, so that other processors and versions of NumPy give the same ones."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping

from tests.frozen.cases import Json, text_of
from tests.frozen.sentences import NUMBER


def settled(expected: Json, found: Json) -> Json:
    """Return what was found, with the expected numbers where these are the same to nine digits or nine places."""
    if type(expected) is not type(found):
        return found
    if isinstance(found, dict):
        return {name: settled(expected[name], value) if name in expected else value for name, value in found.items()}
    if isinstance(found, list) and len(expected) == len(found):
        return [settled(*pair) for pair in zip(expected, found, strict=True)]
    if isinstance(found, float):
        return expected if math.isclose(expected, found, rel_tol=1e-9, abs_tol=1e-9) else found
    return expected if isinstance(found, str) and _reads_alike(expected, found) else found


def _reads_alike(expected: str, found: str) -> bool:
    """Tell whether texts differ at most in how a number was rounded: by one in its last place after the point."""
    if NUMBER.sub("0", expected) != NUMBER.sub("0", found):
        return False
    return all(map(_rounded_alike, NUMBER.findall(expected), NUMBER.findall(found)))


def _rounded_alike(expected: str, found: str) -> bool:
    if expected == found:
        return True
    mantissa, _, exponent = expected.partition("e")
    places = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - places) if places else 0.0
    values = [float(one.replace("−", "-")) for one in (expected, found)]
    return math.isclose(*values, rel_tol=1e-9, abs_tol=max(1.001 * unit, 1e-9))


def difference(name: str, expected: Mapping[str, Json], found: Mapping[str, Json], most: int = 30) -> str:
    """Return the first lines of a diff of two outcomes."""
    old, new = (text_of(one).splitlines() for one in (expected, found))
    lines = list(difflib.unified_diff(old, new, f"expected: {name}", f"found: {name}", lineterm="", n=1))
    more = [f"... and {len(lines) - most} lines more"] if len(lines) > most else []
    return "\n".join(lines[:most] + more)
