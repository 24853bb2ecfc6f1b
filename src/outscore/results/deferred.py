"""Fields of frozen results that are computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

__all__ = ["computed", "deferred", "deferring"]

Value = TypeVar("Value")
Result = TypeVar("Result")


class _Deferred:
    """A computation that stands for its value."""

    def __init__(self, compute: Callable[[], object]) -> None:
        self.compute = compute


class _Field:
    """A field of a dataclass that computes what stands for its value, once."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> object:
        if instance is None:
            return self
        values = vars(instance)
        value = values[self._name]
        if isinstance(value, _Deferred):
            value = values[self._name] = value.compute()
        return value

    def __set__(self, instance: object, value: object) -> None:
        vars(instance)[self._name] = value


def deferred(compute: Callable[[], Value]) -> Value:
    """Return what stands for a value in a field of a `deferring` dataclass; several may share a cached computation.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @deferring("square")
    ... @dataclass(frozen=True)
    ... class Result:
    ...     number: int
    ...     square: int
    >>> Result(3, deferred(lambda: 9)) == Result(3, 9)
    True
    """
    return cast(Value, _Deferred(compute))


def deferring(*names: str) -> Callable[[type[Result]], type[Result]]:
    """Return a decorator that lets these fields of a frozen dataclass be `deferred`.

    From outside nothing is to be seen of it: what is asked for, compared, copied or pickled is computed.
    """

    def with_state(self: object) -> dict[str, Any]:
        return dict(vars(computed(self)))

    def decorated(kind: type[Result]) -> type[Result]:
        for name in names:
            setattr(kind, name, _Field(name))
        kind.__getstate__ = with_state  # type: ignore[method-assign]
        return kind

    return decorated


def computed(result: Result) -> Result:
    """Return a result with nothing left to compute."""
    for name in vars(result):
        getattr(result, name)
    return result
