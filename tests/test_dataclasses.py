"""Our dataclasses beside the standard library's, which they stand for."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from outscore import _dataclasses

Decorator = Callable[..., Any]
NAN = float("nan")


def classes(dataclass: Decorator) -> tuple[type[Any], ...]:
    @dataclass(frozen=True)
    class Plain:
        number: float
        name: str = "a"
        unseen: object = dataclasses.field(default=None, repr=False)
        beside: object = dataclasses.field(default=None, compare=False)
        unhashed: object = dataclasses.field(default=None, hash=False)

    @dataclass(frozen=True)
    class Derived(Plain):
        more: tuple[int, ...] = ()

    @dataclass(frozen=True, eq=False)
    class ByIdentity:
        number: float

    @dataclass(frozen=True, repr=False)
    class OfItself(ByIdentity):
        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "shown"

    @dataclass(frozen=True, slots=True)
    class Slotted:
        number: float
        name: str = "a"

    @dataclass(frozen=True, kw_only=True)
    class Hashed:
        number: float

        def __hash__(self) -> int:
            return 7

    return Plain, Derived, ByIdentity, OfItself, Slotted, Hashed


OURS, STANDARD = classes(_dataclasses.dataclass), classes(dataclasses.dataclass)


@pytest.mark.parametrize(("ours", "standard"), [*zip(OURS, STANDARD, strict=True)])
def test_they_are_alike(ours: Any, standard: Any) -> None:
    arguments: list[dict[str, Any]] = [
        {"number": 1.0},
        {"number": 1.0},
        {"number": NAN},
        {"number": NAN},
        {"number": 2},
    ]
    if "beside" in {field.name for field in dataclasses.fields(standard)}:
        arguments += [
            {"number": 1.0, "beside": 3},
            {"number": 1.0, "unhashed": [3]},
            {"number": 1.0, "unseen": 3},
            {"number": 1.0, "name": "b"},
        ]
    made, others = ([kind(**each) for each in arguments] for kind in (ours, standard))
    of = ours.__qualname__.replace(ours.__name__, "")
    assert [repr(one).replace(of, "") for one in made] == [repr(one).replace(of, "") for one in others]
    assert [[one == other for other in made] for one in made] == [[one == other for other in others] for one in others]
    assert made[0] != others[0] or ours.__name__ == "OfItself"
    for one, other in zip(made, others, strict=True):
        if ours.__name__ != "ByIdentity" and one.number == one.number:
            assert hash(one) == hash(other)
        assert copy.copy(one) == one or ours.__name__ == "ByIdentity"
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.number = 5
    assert ours.__match_args__ == standard.__match_args__
    assert dataclasses.replace(made[0], number=NAN).number is NAN


def test_what_holds_itself_is_shown_once() -> None:
    inner: list[object] = []
    one = OURS[0](1.0, unhashed=inner)
    inner.append(one)
    assert repr(one).endswith("unhashed=[...])")


def test_slots_are_pickled() -> None:
    from outscore.errors import Problem

    problem = Problem("a", "b", "c", "d")
    assert pickle.loads(pickle.dumps(problem)) == problem
    assert not hasattr(problem, "__dict__")
