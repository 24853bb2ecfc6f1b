"""Battles of users with tastes of their own, and how intervals and corrections do on many sets of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from outscore._types import FloatArray
from outscore.results import Correction, Method
from outscore.significance import Resampling
from outscore.wings.battles.ranking import rank_battles
from tests.battles.kit import Battles, connected, strengths
from tests.kit import RankingSettings

TIES = 0.2


@dataclass(frozen=True)
class Arena:
    """A population of users, who have one and the same number of battles between systems drawn at random.

    Attributes
    ----------
    users, per_user : int
    taste : float
        The standard deviation, over users, of what each adds to each system's strength.
    systems : int
    spread : float
        By how much each system is stronger than the next.
    """

    users: int
    per_user: int
    taste: float
    systems: int = 5
    spread: float = 0.0

    @property
    def means(self) -> FloatArray:
        return np.asarray(-self.spread * np.arange(self.systems))

    def truth(self, rng: np.random.Generator, n_users: int = 40_000) -> FloatArray:
        """Return the strengths that all users together would show: ties and tastes draw them towards each other."""
        own = self.means + self.taste * rng.normal(size=(n_users, self.systems))
        won = (1 / (1 + np.exp(own[:, None, :] - own[:, :, None]))).mean(axis=0)
        won = (1 - TIES) * won + TIES / 2
        np.fill_diagonal(won, 0.0)
        return np.asarray(strengths(won[None])[0])

    def drawn(self, rng: np.random.Generator) -> Battles:
        """Return one set of battles."""
        s, n = self.systems, self.users * self.per_user
        own = self.means + self.taste * rng.normal(size=(self.users, s))
        user = np.repeat(np.arange(self.users), self.per_user)
        a = rng.integers(0, s, n)
        b = (a + rng.integers(1, s, n)) % s
        won = rng.random(n) < 1 / (1 + np.exp(own[user, b] - own[user, a]))
        halves = np.where(rng.random(n) < TIES, 1, 2 * won)
        halves = np.where(a < b, halves, 2 - halves)
        names = tuple(f"s{i:02}" for i in range(s))
        return Battles("made", names, np.minimum(a, b), np.maximum(a, b), halves, user, "cluster")


@dataclass
class Measured:
    """Counts over sets of battles.

    Attributes
    ----------
    sets : int
        Those whose systems are connected.
    first_pair, all_pairs, strengths, of_battles : float
        Sums of shares of intervals that hold the truth: of the two strongest systems, of all pairs, of strengths, and
        of the two strongest where battles are taken for independent.
    holm, max_t : int
        Sets in which a correction calls two equal systems different.
    """

    sets: int = 0
    first_pair: float = 0.0
    all_pairs: float = 0.0
    strengths: float = 0.0
    of_battles: float = 0.0
    holm: int = 0
    max_t: int = 0


def measure(arena: Arena, count: int, seed: int, n_resamples: int = 499, *, by_battle: bool = False) -> Measured:
    """Return what rankings of `count` sets say, of those whose systems are connected."""
    rng = np.random.default_rng(seed)
    truth = dict(zip((f"s{i:02}" for i in range(arena.systems)), arena.truth(rng).tolist(), strict=True))
    found = Measured()
    for trial in range(count):
        battles = arena.drawn(rng)
        if not connected(battles.wins[None])[0]:
            continue
        settings = RankingSettings(resampling=Resampling(Method.AUTO, n_resamples, trial))
        ranking = rank_battles(battles, settings)
        held = {
            frozenset((pair.candidate, pair.baseline)): pair.interval.holds(
                truth[pair.candidate] - truth[pair.baseline]
            )
            for pair in ranking.pairs
        }
        found.sets += 1
        found.first_pair += held[frozenset(("s00", "s01"))]
        found.all_pairs += _share(list(held.values()))
        found.strengths += _share([one.interval.holds(truth[one.name]) for one in ranking.systems])
        if arena.spread == 0:
            corrected = {
                correction: min(pair.corrected(correction) for pair in ranking.pairs) <= ranking.alpha
                for correction in (Correction.HOLM, Correction.MAX_T)
            }
            found.holm += corrected[Correction.HOLM]
            found.max_t += corrected[Correction.MAX_T]
        if by_battle:
            alone = replace(battles, units=np.arange(len(battles)), unit="battle")
            pairs = rank_battles(alone, settings).pairs
            [pair] = [one for one in pairs if {one.candidate, one.baseline} == {"s00", "s01"}]
            found.of_battles += pair.interval.holds(truth[pair.candidate] - truth[pair.baseline])
    return found


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held)
