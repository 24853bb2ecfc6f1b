"""Ranks, letters and clusters from tests of all pairs, against their definitions."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore._types import BoolArray
from outscore.questions.ranks.groups import clusters, letter_groups, rank_intervals, ranked_systems
from outscore.results import Interval


@st.composite
def outcomes(draw: st.DrawFn) -> BoolArray:
    """Any outcome of tests of all pairs, in which better systems stand higher."""
    s = draw(st.integers(1, 9))
    better = np.zeros((s, s), dtype=bool)
    for pair in combinations(range(s), 2):
        better[pair] = draw(st.booleans())
    return better


def letters_of(group: str) -> set[str]:
    return set(re.findall(r"[a-z]\d*", group))


@given(outcomes())
def test_two_systems_share_a_letter_unless_they_differ(better: BoolArray) -> None:
    groups = [letters_of(group) for group in letter_groups(better | better.T)]
    assert all(groups)
    for i, j in combinations(range(len(better)), 2):
        assert bool(groups[i] & groups[j]) == (not better[i, j])


@given(outcomes())
def test_no_letter_can_be_spared(better: BoolArray) -> None:
    groups = [letters_of(group) for group in letter_groups(better | better.T)]
    for letter in set().union(*groups):
        without = [group - {letter} for group in groups]
        pairs = combinations(range(len(better)), 2)
        assert not all(without) or any(not better[i, j] and not without[i] & without[j] for i, j in pairs)


@given(outcomes())
def test_ranks_and_clusters_are_what_they_say(better: BoolArray) -> None:
    s = len(better)
    low, high = rank_intervals(better)
    intervals = [Interval(0.0, 0.0, 0.95, "t", exact=False)] * s
    ranked = ranked_systems([""] * s, [None] * s, np.zeros(s), np.zeros((s, s)), better, intervals, np.zeros(s))
    found = clusters(better)
    assert found[0] == 1
    for i in range(s):
        assert 1 <= low[i] <= i + 1 <= high[i] <= s  # no test contradicts the order of the scores
        assert low[i] == 1 + sum(better[j, i] for j in range(s))
        assert high[i] == s - sum(better[i, j] for j in range(s))
        assert ranked[i].among_best == (i == 0 or not better[0, i])
    for i, j in combinations(range(s), 2):
        if found[i] != found[j]:
            assert better[i, j]
    for i in range(1, s):
        begins = all(better[above, below] for above in range(i) for below in range(i, s))
        assert found[i] - found[i - 1] == int(begins)


def test_clusters_are_not_transitive() -> None:
    # a ~ b and b ~ c, but a beats c: one cluster, two letters.
    better = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    assert clusters(better).tolist() == [1, 1, 1]
    assert letter_groups(better | better.T) == ["a", "ab", "b"]


@pytest.mark.parametrize("s", [26, 27, 60])
def test_letters_go_on_beyond_z(s: int) -> None:
    groups = letter_groups(~np.eye(s, dtype=bool))
    assert groups[25] == "z"
    assert groups[26:28] == ["a1", "b1"][: s - 26]
    assert len(set(groups)) == s


def test_many_pairs_without_a_chain_stay_quick() -> None:
    # Thirty disjoint pairs that differ have 2³⁰ largest sets of systems alike; a few dozen letters do.
    different = np.zeros((60, 60), dtype=bool)
    for i in range(30):
        different[i, i + 30] = different[i + 30, i] = True
    groups = [letters_of(group) for group in letter_groups(different)]
    assert len(set().union(*groups)) <= 60
    for i, j in combinations(range(60), 2):
        assert bool(groups[i] & groups[j]) == (not different[i, j])
