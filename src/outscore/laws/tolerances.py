"""Tolerances, and limits of work: the constants of numerics, each with the argument for its value.

Three kinds of constants are not here. Coefficients and cut-offs of one formula are beside that formula. Rules of
statistics, such as the number of runs that a verdict needs, are beside the rule. Sizes that random streams depend on,
such as that of a shard, are beside the scheme that draws: changing one of them changes every sampled result.
"""

from __future__ import annotations

# Equal up to rounding
# --------------------

# Scores, sums of scores and gains that differ by less than this, relative to their size, are equal. The typical
# rounding error of a sum of a million scores is 1e-13 of it. Scores in files have at most nine decimals, so real
# differences are 1e-9 or more. A smaller tolerance misses ties of averages of the same scores in another order, and a
# missed tie changes a p-value. A larger one creates ties.
NOISE = 1e-12
# The rounding error of one subtraction, or of a sum of few terms, relative to the largest term: two roundings to 2⁻⁵³
# and the rounding of both terms when they were read. Where the values are known to be exact, it replaces `NOISE`, which
# would hide small differences beside large scores.
LAST_BITS = 2.0**-50
# `NOISE` for samples in single precision, relative to the largest standard error: a rounding error of 6e-8 in each of
# some hundred terms.
SINGLE_NOISE = 1e-5
ALMOST_1 = 1 - 2.0**-53  # the largest double below 1: a probability that is 1 only by rounding
LEAST_P = 5e-324  # the smallest positive double: a p-value is never 0, even where it underflows

# From here on all doubles are whole, so a whole number may be a rounded fraction.
NO_FRACTIONS = 2.0**52
# Sums of whole numbers up to this are exact in any order.
LARGEST_EXACT = 2.0**53
# Decimals are searched for up to this many places. With more, the rounding error of a score near 1 (1e-16) times the
# power of ten comes near `BETWEEN_DECIMALS`.
MOST_DECIMALS = 9
# Distance from a decimal, in units of its last place, within which a number is that decimal. Arbitrary numbers are this
# near with a probability of 0.2%, so that a column of them is not taken for decimals.
BETWEEN_DECIMALS = 1e-3
# A rounding error above this part of the standard error is reported: it would show in the third digit of t.
COARSE = 1e-3
# A score above this leaves no bits for differences of others below 1,024: the sum is refused.
LARGEST_HIDING = 2.0**63

# Gains that are ratios of counts and differ by less, relative to the larger of 1 and their size, may be equal: they are
# then compared as fractions. Four divisions and subtractions leave less than 1e-15.
RATIO_NOISE = 1e-14

# Equal to a level
# ----------------

# A p-value equal to the level, up to rounding, is significant. Tails of t and binomial distributions have a relative
# error of some 1e-14. Exact p-values often equal a level such as 1/20 in real arithmetic.
ROUNDING_SLACK = 1 + 1e-12
# The same for proportions of subsets, which are sums of up to half a million products, exact to ten digits.
SHARE_SLACK = 1 + 1e-9
# A cumulated probability that equals a level, up to rounding, reaches it, so that quantiles at 0.05 of 100,000 samples
# are the 5,000th and not the next. Products of a level and a count have a relative error of 1e-16, and cumulated sums
# of probabilities one of 1e-14.
JUST_BELOW, JUST_ABOVE = 1 - 1e-13, 1 + 1e-13
# Stated relative error of tails of t and beta distributions. Measured is 1e-14; rounding of t itself adds up to a
# hundred times that where the tail is steep.
TAIL_ERROR = 1e-12
# That of normal and binomial tails, whose arguments are exact or enter less steeply.
CLOSED_TAIL_ERROR = 1e-13
# Statistics of permuted samples that differ relatively by less are equal. They are ratios of differences, which cancel
# up to three digits more than sums do.
EQUAL_STATISTICS = 1e-9
# A variance of a proportion below this is rounding error: the square of `NOISE`, and a millionth of what one of 1e9
# items adds.
NO_VARIANCE = 1e-24

# Limits of exact computations
# ----------------------------
# Beyond these, samples or an approximation are cheaper and as good.

# Cells of a sum on a grid, which take some 100 MB and 0.7 seconds.
MOST_GRID_CELLS = 2**24
# Samples of an enumeration, in about a second: C(23, 12) = 1,352,078 draws of 12 units are fewer.
MOST_COMPOSITIONS = 1_400_000
# Units whose 2²⁰ swaps are all computed, as Yeh (2000, section 3.3) does.
MOST_SWITCHED_UNITS = 20
MOST_SWAPS = 2**MOST_SWITCHED_UNITS
# Combinations of the counts of units in a subset, in all groups of equal units but the largest.
MOST_COMBINATIONS = 300_000
# Enumerations of recomputed metrics have at most about ten thousand samples, C(15, 8) = 6,435 draws or 2¹³ swaps, since
# each costs two scores of a whole test set.
FEW_RECOMPUTED_UNITS = 8
FEW_RECOMPUTED_SWAPS = 13
# Labellings of whole runs, a million: swaps of 20 paired runs, or 11 runs of each system.
MOST_RUN_LABELLINGS = 2**20
# Labellings of the items of two samples, in less than a second; twice the usual number of permutations.
MOST_LABELLINGS = 200_000
# Additions for the exact distribution of a rank sum: a tenth of a second.
MOST_RANK_SUM_STEPS = 2 * 10**8
# Steps of sampled permutations: some 2 to 10 seconds. At least 2,000 permutations are drawn even so: then a two-sided p
# can be .001, and a p of .05 has a standard error of .005.
MOST_PERMUTATION_STEPS = 2 * 10**8
FEWEST_PERMUTATIONS = 2_000
# Differences whose sign patterns are counted exactly by rank sum: the sum of the counts, 2⁶⁰, fits in 64 bits.
MOST_COUNTED_RANKS = 60
# Items in each of two samples for the exact test of two rates, which take 2 seconds. A t-test of more is as good.
MOST_RATE_ITEMS = 200_000

# Numbers of samples
# ------------------

# Samples that are drawn first, and usually decide: with 10,000 of them a p-value of 0.05 is known to ± 0.0043.
FIRST_RESAMPLES = 10_000
# The first samples of a sum, which are cheaper: at least 2¹², with which a p-value of 0.05 is known to ± 0.007, and
# multiples of that if there are few units. 2²³ weights take about 10 ms. Other numbers would waste a part of the last
# task.
FEWEST_FIRST, WEIGHTS_OF_FIRST = 2**12, 2**23
# With this many samples that meet an event, the standard error of its probability is a tenth of it: two digits.
TWO_DIGITS = 100
# The probability that all samples decide otherwise than the first ones, per decision (Gandy 2009).
RISK_OF_FIRST = 0.001

# Blocks
# ------
# Arrays are computed block by block where that keeps them in a processor's cache. Results do not depend on the sizes.

SCORE_BLOCK = 2**14  # samples: three arrays of so many doubles stay in the L2 cache
MOST_TAIL_VALUES = 2**25  # values in tails that are kept at once: 256 MB
RECOMPUTED_BLOCK = 2**16  # items of samples scored together: their numbers and ranks stay in the L2 cache
LEFT_OUT_AT_ONCE = 256  # units left out at once: weights for all would be n × n
COUNTS_BLOCK = 2**18  # counts: 2 MB; 1 and 8 MB take as long or longer
RANDOM_NUMBERS_BLOCK = 2**22  # random numbers: 32 MB of indices
GLANCE = 32  # items that are looked at first, because they usually refute that all have a property
