"""What several tests use of the modules of pairwise preferences: a module moves with one edit here."""

from __future__ import annotations

from outscore.wings.battles.metric import Battles, connected, parts_of, strengths
from outscore.wings.battles.reading import battles_of, read_battles
