"""Training-set resampling (BK12, section 3.2.1): many systems of one family from one trainer.

`replicate` draws training sets with replacement, runs a command on each and writes a leaderboard file of the systems.
"""

from __future__ import annotations

from outscore.wings.replication.replicating import replicate
from outscore.wings.replication.results import Unit

__all__ = ["Unit", "replicate"]
