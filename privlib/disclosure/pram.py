r"""Post randomisation (PRAM) with sampling: from the matrix to the level, and back to a design.

With :math:`\gamma = \min A_{u,a} / A_{v,a}` and
:math:`g_2 = \min A_{u,b} A_{v,a} / (A_{u,a} A_{v,b})`, a release of *s* of *n* records, each
rewritten by *A*, has Pk-anonymity with

.. math:: k \ge 1 + (n - s)\,\gamma + (s - 1)\,g_2 .

Two modules of one subject, under one name:

- matrices, levels, tightness, local differential privacy (`privlib.disclosure._levels`);
- the largest retention for a level, strata, unbiased estimates and the best thinning
  (`privlib.disclosure.design`).
"""

from privlib.disclosure._levels import (
    RatioMinima,
    WorstCase,
    amplified_epsilon,
    apply_pram,
    homogeneous_worst_case,
    is_tight,
    local_dp_epsilon,
    local_dp_pk_level,
    membership_bound,
    pk_level,
    pk_level_response_knowledge,
    ratio_minima,
    retention_matrix,
)
from privlib.disclosure.design import (
    Shares,
    Thinning,
    best_thinning,
    conditional_poisson_pk_level,
    estimate_shares,
    retention_for_k,
    share_variance,
    stratified_pk_level,
)

__all__ = [
    "RatioMinima",
    "Shares",
    "Thinning",
    "WorstCase",
    "amplified_epsilon",
    "apply_pram",
    "best_thinning",
    "conditional_poisson_pk_level",
    "estimate_shares",
    "homogeneous_worst_case",
    "is_tight",
    "local_dp_epsilon",
    "local_dp_pk_level",
    "membership_bound",
    "pk_level",
    "pk_level_response_knowledge",
    "ratio_minima",
    "retention_for_k",
    "retention_matrix",
    "share_variance",
    "stratified_pk_level",
]
