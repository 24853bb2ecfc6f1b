"""What several tests use of the modules of significance tests and gains: a module moves with one edit here."""

from __future__ import annotations

from outscore.gains.canonical import in_canonical_order, row_order
from outscore.gains.carriers import FEW
from outscore.gains.crossing import Crossing
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.influence import (
    NORMAL_KURTOSIS,
    Leverage,
    Spread,
    combined,
    cr2_degrees,
    joined,
    of_normal,
    spread_of_gaps,
    without_rounding,
)
from outscore.gains.pair import Pair
from outscore.gains.positions import order_with_first, position_effect, sign_p_value
from outscore.gains.recomputed import RecomputedPair, recomputed_scores, scores_without
from outscore.gains.score_draws import Pairs, ScoreDraws, draw_scores
from outscore.gains.skewness import skew_p_values
from outscore.gains.tables import SystemTable
from outscore.gains.variance import (
    GainVariance,
    LevelsPart,
    covariance_of_levels,
    far_levels,
    gain_variance,
    tipping_sd,
)
from outscore.metrics.families.averages import StratumMean, mean_of_cells
from outscore.questions.claims import hypotheses_of, verdict
from outscore.significance.base import DecidesCounts, DecidesDraws
from outscore.significance.corrections import Place, benjamini_hochberg, corrected, holm, step_down_p_values
from outscore.significance.p_values import PValue
from outscore.significance.sacrebleu import bootstrap_exceeding, randomization_exceeding
from outscore.significance.score_test import reweighted_variance, score_interval, score_statistics
from outscore.significance.simulated import SimulatedSets, line_through
from outscore.significance.two_rates import Right, corrected_score, rates_interval, rates_p_value, smallest_p
from outscore.significance.two_samples import Sample, TwoSamples, sample_of
