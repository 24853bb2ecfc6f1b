"""Frozen dataclasses that take less time to make, for modules that every comparison imports.

The standard decorator compiles six methods a class, and a comparison imports more than a hundred classes: that is a
fifth of its time. Three of the six need no code of their own.
"""

from __future__ import annotations

import dataclasses
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool, eq: bool = True, repr: bool = True, **options: Any) -> Any:  # noqa: A002
        """Return what `dataclasses.dataclass` returns, for frozen classes."""
        assert frozen

        def decorated(cls: type) -> type:
            own = dict(vars(cls))
            made = dataclasses.dataclass(cls, frozen=True, eq=False, repr=False, **options)
            methods = _comparing(made) if eq else {}
            if repr:
                methods["__repr__"] = _shown(made)
            for name, method in methods.items():
                if own.get(name) is None:
                    method.__qualname__ = f"{cls.__qualname__}.{name}"
                    setattr(made, name, method)
            return made

        return decorated


def _comparing(cls: Any) -> dict[str, Any]:
    """Return equality and hash by the values of the fields that are compared."""
    compared = [field.name for field in dataclasses.fields(cls) if field.compare]
    hashed = [field.name for field in dataclasses.fields(cls) if (field.compare if field.hash is None else field.hash)]

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807 - set as such
        if other.__class__ is not self.__class__:
            return NotImplemented
        # Of tuples: what is the same is equal, NaN as well.
        return tuple(getattr(self, name) for name in compared) == tuple(getattr(other, name) for name in compared)

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(tuple(getattr(self, name) for name in hashed))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _shown(cls: Any) -> Any:
    shown = [field.name for field in dataclasses.fields(cls) if field.repr]

    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    return __repr__
