"""What references are, in a few bytes: a digest of the items, whatever file they came from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from outscore.errors import OptionError, Problem

__all__ = ["ReferenceDigest", "digest_of"]


@dataclass(frozen=True, slots=True)
class ReferenceDigest:
    """SHA-256 of the references of a test set, in hexadecimal.

    Attributes
    ----------
    in_order : str
        Of the items in the order of the file, their ids left out, so that it does not depend on the format.
    by_id : str, optional
        Of the items in the order of their ids, the ids included; None where they have none.
    """

    in_order: str
    by_id: str | None = None

    def matches(self, other: ReferenceDigest) -> bool:
        """Tell whether both are of the same references, in the same order or with the same ids."""
        return self.in_order == other.in_order or (self.by_id is not None and self.by_id == other.by_id)


def digest_of(streams: Sequence[Sequence[Any]], item_ids: Sequence[str] | None) -> ReferenceDigest:
    r"""Return the digest of references.

    Every item is written as one line of JSON: sets and mappings sorted, objects as the lists of their fields.

    Parameters
    ----------
    streams : sequence of sequences of n items
        One sequence for each reference that the items have.
    item_ids : sequence of str, optional

    Raises
    ------
    OptionError
        Items of a type that has no such form.

    Examples
    --------
    >>> one, other = digest_of([["a", "b"]], ["2", "1"]), digest_of([["b", "a"]], ["1", "2"])
    >>> one.in_order == other.in_order, one.matches(other)
    (False, True)
    """
    lines = [[_line(item) for item in items] for items in streams]
    in_order = _hashed(lines)
    if item_ids is None:
        return ReferenceDigest(in_order)
    order = sorted(range(len(item_ids)), key=item_ids.__getitem__)
    ids = [json.dumps(item_ids[i]) for i in order]
    return ReferenceDigest(in_order, _hashed([ids, *([items[i] for i in order] for items in lines)]))


def _hashed(streams: Sequence[Sequence[str]]) -> str:
    digest = hashlib.sha256()
    for lines in streams:
        digest.update(f"{len(lines)}\n".encode())  # what is one stream of 2n lines is not two of n
        digest.update("".join(f"{line}\n" for line in lines).encode())
    return digest.hexdigest()


def _line(item: object) -> str:
    return json.dumps(item if isinstance(item, str) else _plain(item))


def _plain(item: Any) -> object:
    if item is None or isinstance(item, str | int | float):
        return item
    if isinstance(item, tuple | list):
        return [_plain(part) for part in item]
    if isinstance(item, frozenset | set):
        return sorted((_plain(part) for part in item), key=json.dumps)
    if isinstance(item, Mapping):
        return sorted(([_plain(key), _plain(value)] for key, value in item.items()), key=json.dumps)
    if is_dataclass(item) and not isinstance(item, type):
        return [_plain(getattr(item, field.name)) for field in fields(item)]
    what = f"expected references of text, numbers, tuples or dataclasses, got {type(item).__name__}"
    raise OptionError(
        Problem("--metric", what, "Rows of such a metric cannot be kept: score outputs.", "cannot-be-kept")
    )
