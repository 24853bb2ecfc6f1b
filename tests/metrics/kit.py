"""What several tests use of the modules of metrics: a module moves with one edit here."""

from __future__ import annotations

from outscore.metrics.descriptions import Exactness, Kind, describe
from outscore.metrics.options import describe_metric, options_of, parsed, spec_of, written
