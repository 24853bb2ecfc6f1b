"""What several tests use of the modules of distributions: a module moves with one edit here."""

from __future__ import annotations

from outscore.laws.exact import (
    TwoCounts,
    bootstrap_law,
    enumerated_bootstrap_law,
    enumerated_swap_law,
    swap_law,
    two_count_swap_law,
)
from outscore.laws.exact.lattice import find_step
from outscore.laws.exact.subsets import score_ends, step_ratio_quantiles, subset_share
from outscore.laws.law import (
    AtomicLaw,
    Law,
    MirroredLaw,
    Probability,
    SampledLaw,
    StagedLaw,
    clopper_pearson,
    first_reaching_smoothly,
    proportion_ends,
    proportions_ends,
    root,
)
from outscore.laws.resampling import BootstrapScheme, Engine, Scheme, SwapScheme
from outscore.laws.resampling.engine import Statistic, distinct_columns, exactly_summable
from outscore.laws.resampling.groups import GroupScheme, grouped
from outscore.laws.resampling.schemes import (
    SHARD,
    multinomial_weights,
    plain_multinomial_weights,
    poisson_rate,
    shard_stream,
)
from outscore.laws.resampling.words import Fractions, WordLaws, poisson_fours, poisson_singles
from outscore.laws.student import (
    normal_quantile,
    student_p_value,
    student_p_values,
    student_quantile,
    student_quantiles,
)
from outscore.laws.tolerances import (
    FEW_RECOMPUTED_SWAPS,
    FEW_RECOMPUTED_UNITS,
    MOST_COMPOSITIONS,
    MOST_RATE_ITEMS,
    MOST_SWITCHED_UNITS,
)
