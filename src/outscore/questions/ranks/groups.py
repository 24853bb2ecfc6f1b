"""Ranks, best systems, letters and tiers (`clusters`) from corrected tests of all pairs.

All of these come from one boolean matrix, `better`: whether the system of a row is significantly better than that of a
column. Systems are sorted by score, the best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.results.intervals import Interval
from outscore.results.rankings import RankedSystem

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_MOST_COLUMNS_A_SYSTEM, _MOST_COLUMNS = 4, 512  # more than so many letters are thinned out at once ...
_MOST_THINNED = 32  # ... and so often at most: sets of systems that do not differ can be exponentially many


def ranked_systems(
    names: Sequence[str],
    families: Sequence[str | None],
    scores: FloatArray,
    gains: FloatArray,
    better: BoolArray,
    intervals: Sequence[Interval],
    shares_of_best: FloatArray,
) -> tuple[RankedSystem, ...]:
    """Return the ranks, letters and tiers of all systems. Neighbours without a gain share a rank.

    `gains`, shape (s, s), has the gains of each system over the ones below it in the upper triangle.
    """
    s = len(names)
    ranks = [1]
    for above, below in pairwise(range(s)):
        ranks.append(ranks[-1] if gains[above, below] == 0 else below + 1)
    lows, highs = rank_intervals(better)
    letters, parts = letter_groups(better | better.T), clusters(better)
    return tuple(
        RankedSystem(
            name=names[i],
            family=families[i],
            score=float(scores[i]),
            interval=intervals[i],
            rank=ranks[i],
            rank_low=int(lows[i]),
            rank_high=int(highs[i]),
            group=letters[i],
            cluster=int(parts[i]),
            among_best=not better[0, i],
            p_best=float(shares_of_best[i]),
            gain_to_next=float(gains[i, i + 1]) if i + 1 < s else 0.0,
            gain_to_best=float(gains[0, i]),
        )
        for i in range(s)
    )


def rank_intervals(better: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the ends of the rank intervals, shape (s,) each.

    They are 1 + the number of significantly better systems, and s − the number of significantly worse ones. If the
    family-wise error rate of the tests is at most α, all intervals contain the true ranks with a probability of at
    least 1 − α (Mogstad, Romano, Shaikh & Wilhelm 2024).
    """
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def clusters(better: BoolArray) -> IntArray:
    """Return the tiers of systems (WMT's clusters), numbered from 1, shape (s,).

    A new tier begins where every system above is significantly better than every system from there on. Systems of one
    tier may still differ significantly, because a chain of close neighbours can join them.
    """
    s = len(better)
    # [i, j]: all of the first i + 1 systems are significantly better than system j.
    beaten = np.logical_and.accumulate(better, axis=0)
    begins = [True, *(bool(beaten[i - 1, i:].all()) for i in range(1, s))]
    return np.cumsum(begins)


def letter_groups(different: BoolArray) -> list[str]:
    """Return the letters of each system: two systems share a letter unless they are significantly different.

    This is the compact letter display of Piepho (2004): insert and absorb, then sweep out redundant letters. Letters go
    from a to z, then a1, b1, and so on. The best system has the letter a. `different` is symmetric, shape (s, s).

    Examples
    --------
    >>> letter_groups(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ['a', 'ab', 'b']
    """
    s = len(different)
    columns, n_thinned = [(1 << s) - 1], 0
    for first in range(s):
        others = sum(1 << int(second) for second in first + 1 + np.flatnonzero(different[first, first + 1 :]))
        if others:
            columns = _inserted(columns, 1 << first, others)
            if len(columns) > min(_MOST_COLUMNS_A_SYSTEM * s, _MOST_COLUMNS):
                columns, n_thinned = _swept(columns, s), n_thinned + 1
                if n_thinned == _MOST_THINNED:
                    columns = _one_by_one(different)
                    break
    members = [[i for i in range(s) if column >> i & 1] for column in _swept(columns, s)]
    letters = [""] * s
    for index, group in enumerate(sorted(members)):
        for system in group:
            letters[system] += _letter(index)
    return letters


def _letter(index: int) -> str:
    round_, letter = divmod(index, len(_ALPHABET))
    return _ALPHABET[letter] + (str(round_) if round_ else "")


def _inserted(columns: Sequence[int], first: int, others: int) -> list[int]:
    """Split every column with a system and some that differ from it, and absorb subsets of other columns.

    Columns are sets of systems, as the bits of an integer. Splitting pair by pair gives the same result.
    """
    kept = [column for column in columns if not (column & first and column & others)]
    split = [
        part for column in columns if column & first and column & others for part in (column & ~first, column & ~others)
    ]
    # Only a new column can be part of another one: an old one would have been part of what was split.
    for new in sorted(set(split), key=int.bit_count, reverse=True):
        if not any(new & column == new for column in kept):
            kept.append(new)
    return kept


def _one_by_one(different: BoolArray) -> list[int]:
    """Return columns that cover all pairs without a significant difference, starting from the first uncovered pair.

    There may be redundant columns, but never more columns than pairs.
    """
    s = len(different)
    alike = [sum(1 << int(j) for j in np.flatnonzero(~different[i]) if j != i) for i in range(s)]
    # With each system itself, so that one that differs from all has a column of its own.
    missing, columns = [others | 1 << i for i, others in enumerate(alike)], list[int]()
    for i in range(s):
        while missing[i]:
            column, others, first = 1 << i, alike[i], missing[i] & alike[i]
            while others:
                chosen = first or others
                lowest = chosen & -chosen
                column, first = column | lowest, 0
                others &= alike[lowest.bit_length() - 1]
            for member in range(s):
                if column >> member & 1:
                    missing[member] &= ~column
            columns.append(column)
    return columns


def _swept(columns: Sequence[int], s: int) -> list[int]:
    """Remove columns whose pairs and systems are all in other columns, the smallest first."""
    ordered = sorted(columns, key=int.bit_count)
    inside = np.array([[column >> i & 1 for i in range(s)] for column in ordered], dtype=bool)
    times = inside.T.astype(np.float32) @ inside.astype(np.float32)  # whole numbers, of which single precision is quick
    kept = []
    for column, members in zip(ordered, inside, strict=True):
        places = np.ix_(members, members)
        if (times[places] > 1).all():
            times[places] -= 1
        else:
            kept.append(column)
    return kept
