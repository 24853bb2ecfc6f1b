"""What several tests use of the modules of judging: a module moves with one edit here."""

from __future__ import annotations

from outscore.wings.judging.measures import coefficient_interval, proportion, rates_compared
from outscore.wings.judging.results import JudgesResult
