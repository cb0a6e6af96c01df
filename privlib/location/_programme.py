r"""The linear programme of a best mechanism, and what is done to the solver's channel.

What the solver leaves undone, and why the channel is repaired, is in `privlib.location.mechanism`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from privlib._checks import Array, IntArray

# Outputs that are rarer join the most frequent one, which keeps every promise that they keep.
RARE = 1e-9

TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
# How the solver is asked, until it answers: method, options, whether columns are scaled.
ATTEMPTS: tuple[tuple[str, dict[str, Any], bool], ...] = (
    ("highs", TIGHT, False),
    ("highs", TIGHT, True),
    ("highs-ds", {**TIGHT, "presolve": False}, False),
    ("highs-ipm", TIGHT, False),
    ("highs", {}, False),
    ("highs", {}, True),
)


def solutions(
    weighted: Array, constraints: Any, *, seconds: float
) -> Iterator[tuple[Array, float] | str]:
    """Yield channels of least loss, with a lower bound of the loss, or why there is none.

    `weighted` (m, m) has the losses times the probabilities of the truths. Each channel is one more
    attempt at the same programme, of so many seconds at most.
    """
    from scipy import optimize  # a third of the import time, and needed here only

    m = len(weighted)
    rows = sparse.csr_array(constraints)
    largest = float(np.abs(weighted).max())
    unit = 1.0
    if largest > 0 and not 1e-3 <= largest <= 1e3:
        unit = largest
    every = sparse.kron(sparse.eye(m), np.ones((1, m))).tocsr()
    columns = np.ones(m)
    if rows.nnz:
        columns = np.abs(rows).max(axis=0).toarray().ravel()
        columns = np.where(columns > 0, columns, 1.0)
    for method, options, scaled in ATTEMPTS:
        scale = np.ones(m)
        sums_to_one = every
        if scaled:
            # The solver drops entries below 1e-9: divide them by the largest of each truth.
            scale = columns
            sums_to_one = (every / np.repeat(scale, m)).tocsr()
        solved = optimize.linprog(
            (weighted / scale[:, None]).ravel() / unit,
            # Every constraint once for each output: the identity runs over the outputs.
            A_ub=sparse.kron(rows / scale, sparse.eye(m)).tocsr(),
            b_ub=np.zeros(rows.shape[0] * m),
            A_eq=sums_to_one,
            b_eq=np.ones(m),
            method=method,
            options={**options, "time_limit": seconds},
        )
        if solved.status:
            yield str(solved.message)
            if solved.status == 1:
                return  # no time is left
            continue
        Q = np.maximum(solved.x.reshape(m, m) / scale[:, None], 0)
        sums = Q.sum(axis=1, keepdims=True)
        if not (sums > 0).all():
            yield "a row of the channel is empty"
            continue
        # Any multipliers that are not negative prove a lower bound.
        free = np.maximum(-solved.ineqlin.marginals * unit, 0).reshape(-1, m)
        least = float((weighted + rows.T @ free).min(axis=1).sum())
        yield Q / sums, least


def merged(Q: Array, distribution: Array) -> tuple[Array, IntArray]:
    """Return the channel with rare outputs joined to the most frequent one, and who remains."""
    chance = distribution @ Q
    keep = chance > RARE
    Q = Q.copy()
    # Merging outputs adds their constraints, so it keeps the promise.
    Q[:, chance.argmax()] += Q[:, ~keep].sum(axis=1)
    return Q[:, keep], np.flatnonzero(keep)


def repaired(Q: Array, constraints: Any) -> Array:
    """Return the channel that puts out each output as much more often as it breaks a promise."""
    if not constraints.shape[0]:
        return Q
    short = -np.asarray(constraints.sum(axis=1)).reshape(-1, 1)
    more = np.asarray((constraints @ Q) / short).max(axis=0).clip(0)
    return np.asarray((Q + more) / (1 + more.sum()))


def flattened(Q: Array, constraints: Array) -> Array:
    """Return the nearest channel with ``constraints @ Q == 0``, mixed with a constant one."""
    _, sizes, directions = np.linalg.svd(constraints, full_matrices=False)
    directions = directions[sizes > 1e-13 * sizes.max(initial=0)]
    Q = Q - directions.T @ (directions @ Q)
    more = (-Q.min(axis=0)).clip(0)
    return np.asarray((Q + more) / (1 + more.sum())).clip(0)


def joined(
    Q: Array, kept: IntArray, distribution: Array, broken: npt.NDArray[np.bool_]
) -> tuple[Array, IntArray]:
    """Join outputs whose ratios are too large to the most frequent one."""
    Q = Q.copy()
    first = int((distribution @ Q).argmax())
    joined = broken.copy()
    joined[first] = False
    Q[:, first] += Q[:, joined].sum(axis=1)
    return Q[:, ~joined], kept[~joined]
