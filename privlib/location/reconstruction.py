r"""The truth behind a release of Algorithm 1, for an attacker who knows how it was made.

The true histogram is :math:`(x(\alpha) - \alpha \tilde\pi) / (1 - \alpha)`, and few :math:`\alpha`
make that a vector of whole numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _safety
from privlib._checks import Array
from privlib.location import gain
from privlib.location import validation as valid

EPS = float(np.finfo(np.float64).eps)
SLACK = 1e-9  # of a weight: what rounding is forgiven
WHOLE = 1e-6  # a number of people this near to an integer counts as whole
CANDIDATES = 50_000_000  # numbers that `reconstruct_true` looks at


def reconstruct_true(
    before: npt.ArrayLike,
    published: npt.ArrayLike,
    *,
    transition: Any,
    step: float | None = None,
) -> list[tuple[float, Any]]:
    r"""Return every (weight, whole histogram) from which Algorithm 1 makes `published`.

    Parameters
    ----------
    before : array_like, shape (L,)
        The histogram from which the prediction was made; with the published one for
        :math:`\pi(t-1)`, as Algorithm 1 has it, everybody knows it.
    published : array_like, shape (L,)
        The release :math:`\pi^*(t)`, not rounded.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic.
    step : float, optional
        Step *s* in (0, 1), known to the attacker. Without it every weight in [0, 1) is possible.

    Returns
    -------
    list of (float, ndarray of int, shape (L,))
        By ascending weight. For the prediction itself, weight 0 and the prediction if that is
        whole, else none: with :math:`\alpha = 1` every truth is possible.

    Raises
    ------
    ValueError
        More than 5e7 numbers would have to be looked at, `step` is not in (0, 1) or so small that
        its float has lost digits, or somebody is in a state that no transition leaves.

    Notes
    -----
    :math:`x = (\pi^* - \alpha \tilde\pi) / (1 - \alpha)` has to be a histogram of whole
    numbers, to :math:`10^{-6}` or what rounding leaves of so many people, with the total of
    `before` and nobody where no transition leads. With a step, all :math:`\alpha = ks < 1` are
    tried at once. Without, the true histogram lies on the ray from :math:`\tilde\pi` through
    :math:`\pi^*`, whose points with a whole number in the coordinate that changes most are at most
    *N* + 1. A second hit needs a coincidence among the digits of :math:`\tilde\pi`; rounding the
    release to whole numbers makes hits plentiful.

    Examples
    --------
    >>> P = [[0.61, 0.27, 0.12], [0.18, 0.65, 0.17], [0.14, 0.23, 0.63]]
    >>> from privlib.location import private_histogram
    >>> found = private_histogram([9, 6, 5], [12, 4, 4], transition=P, epsilon=0.5, step=0.05)
    >>> found.histogram.round(3)
    array([8.926, 6.262, 4.812])
    >>> reconstruct_true([9, 6, 5], found.histogram, transition=P, step=0.05)
    [(0.65, array([12,  4,  4]))]
    """
    where = "reconstruct_true"
    s = None if step is None else valid.step_size(where, step)
    pi, release, P = valid.step(where, before, published, transition, whole=False, name="published")
    P = valid.floats(where, P)
    end = gain.predicted_masses(pi, P)
    people = float(pi.sum())
    away = release - end
    tried = people + 1 if s is None else 1 / s
    _safety.limit(where, "numbers to look at", math.ceil(tried) * pi.size, CANDIDATES)
    rounding = 4 * EPS * people
    if np.abs(away).max() <= max(WHOLE * 1e-3, rounding):
        alphas: Array = np.zeros(1)
    elif s is not None:
        alphas = np.arange(0, math.ceil(1 / s - SLACK)) * s
    else:
        j = int(np.abs(away).argmax())
        stretch = (np.arange(round(people) + 1) - end[j]) / away[j]
        alphas = np.sort(1 - 1 / stretch[stretch >= 1 - SLACK])
    points = end + away / (1 - alphas)[:, None]
    whole = np.rint(points)
    # Rounding of the masses grows as they are stretched; nothing is whole to a quarter.
    near = np.minimum(np.maximum(WHOLE, rounding / (1 - alphas)), 0.25)
    good = (np.abs(points - whole) <= near[:, None]).all(axis=1) & (whole >= 0).all(axis=1)
    good &= np.abs(whole.sum(axis=1) - people) <= WHOLE
    good &= (whole[:, end == 0] == 0).all(axis=1)
    return list(zip(alphas[good].tolist(), whole[good].astype(np.int64)))
