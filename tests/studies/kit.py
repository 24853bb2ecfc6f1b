"""What several tests use of the modules of studies: a module moves with one edit here."""

from __future__ import annotations

from outscore.wings.studies import (
    IsotonicFit,
    LogisticFit,
    ScaledFit,
    StudySystems,
    ThresholdRule,
    WindowRule,
    by_stratum,
    calibration_study,
    domain_study,
    gain_study,
    size_study,
    transfer_study,
)
from outscore.wings.studies.pair_tests import PairTests, counts_beyond, pair_tests
from outscore.wings.studies.results import (
    ALL_PAIRS,
    DIFFERENT_FAMILY,
    SAME_FAMILY,
    DomainStudy,
    GainStudy,
    PartOrder,
    SizeFit,
    SizeStudy,
    Study,
    Threshold,
    TransferStudy,
)
from outscore.wings.studies.systems import drawn_from, subsets_of
