"""Methods of results with several parts: iteration, length, and access by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar, Generic, TypeAlias, TypeVar, overload

from outscore.errors import Problem, ResultAttributeError, ResultKeyError
from outscore.text.naming import listed, nearest, quoted

Part = TypeVar("Part")
Key: TypeAlias = str | tuple[str, ...]


def only(rows: Sequence[Part], kind: str) -> Part:
    """Return the row of a result that has one.

    Raises
    ------
    ResultAttributeError
        It has several.
    """
    if len(rows) == 1:
        return rows[0]
    advice = f"Choose one of result.{kind}s."
    raise ResultAttributeError(Problem("result", f"expected one {kind}, got {len(rows)}", advice, "several-parts"))


class Parts(ABC, Generic[Part]):
    """A result that holds others: ``len(result)``, iteration, ``result[0]``, ``result["name"]``, ``"name" in result``.

    A part that takes several names to find, such as a system and a metric, is ``result["gpt-4o", "bleu"]``.
    """

    _part: ClassVar[str] = "part"  # what messages call one of them

    @abstractmethod
    def _all_parts(self) -> Sequence[Part]:
        """Return the parts in their order."""

    @abstractmethod
    def _labels(self, part: Part) -> Sequence[Collection[str]]:
        """Return the names of a part; each may be written in several ways, the usual one first."""

    @property
    def _only(self) -> Part:
        """The part, where there is one."""
        parts = self._all_parts()
        if len(parts) == 1:
            return parts[0]
        names = [" on ".join(next(iter(names)) for names in self._labels(part)) for part in parts]
        what = f"expected one {self._part}, got {len(parts)}: {listed(names)}"
        advice = f"Choose one, as in result[{self._written(parts[0])}]."
        raise ResultAttributeError(Problem("result", what, advice, "several-parts"))

    def __len__(self) -> int:
        return len(self._all_parts())

    def __iter__(self) -> Iterator[Part]:
        return iter(self._all_parts())

    def __contains__(self, key: object) -> bool:
        words = key if isinstance(key, tuple) else (key,)
        if all(isinstance(word, str) for word in words):
            return any(self._is_called(part, words) for part in self._all_parts())
        return any(part == key for part in self._all_parts())

    @overload
    def __getitem__(self, key: int | Key) -> Part: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Part]: ...
    def __getitem__(self, key: int | slice | Key) -> Part | Sequence[Part]:
        parts = self._all_parts()
        if not isinstance(key, str | tuple):
            return parts[key]
        words = key if isinstance(key, tuple) else (key,)
        matching = [part for part in parts if self._is_called(part, words)]
        if len(matching) == 1:
            return matching[0]
        where = f"result[{', '.join(quoted(str(word)) for word in words)}]"
        if matching:
            what = f"expected one {self._part}, found {len(matching)}"
            advice = f"Pass all names, as in result[{self._written(matching[0])}]."
            raise ResultKeyError(Problem(where, what, advice, "several-parts"))
        names_known = [next(iter(names)) for part in parts for names in self._labels(part)]
        unknown = next((str(word) for word in words if word not in names_known), str(words[-1]))
        raise ResultKeyError(Problem(where, f"no such {self._part}", nearest(unknown, names_known), "unknown-name"))

    def _is_called(self, part: Part, words: tuple[object, ...]) -> bool:
        """Return whether each word is a name of the part."""
        labels = self._labels(part)
        return all(any(word in names for names in labels) for word in words)

    def _written(self, part: Part) -> str:
        """Return the key of a part as Python writes it."""
        return ", ".join(quoted(next(iter(names))) for names in self._labels(part))
