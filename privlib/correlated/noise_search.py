"""The smallest noise at which nobody leaks more than a level, for models of correlated data.

No leakage increases with the scale of the noise (`privlib.correlated.finite`), so each adversary
has a smallest scale of its own, and the largest of these is wanted. The adversary who is the worst
at one scale says which scale to try next.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from privlib import _safety

__all__ = ["smallest_scale"]

_UNIT = float(np.finfo(np.float64).eps)

Leakage = Callable[[float], float]
"""What one adversary leaks at a scale."""


def smallest_scale(
    where: str, worst_at: Callable[[float], tuple[float, Leakage]], epsilon: float, enough: float
) -> float:
    """Return the smallest scale at which nobody leaks more than `epsilon`, to a relative 1e-11.

    Parameters
    ----------
    where : str
        The public function.
    worst_at : callable
        For a scale, the largest leakage at it, and the leakage of who has it as a function of the
        scale.
    epsilon : float
        The largest leakage allowed, positive and finite.
    enough : float
        A scale that is enough for everybody but for rounding.

    Returns
    -------
    float
        A scale at which the largest leakage that `worst_at` gives is at most `epsilon`.

    Raises
    ------
    UncertifiedError
        If none was found up to a relative 1e-6 above `enough`.

    Examples
    --------
    Nobody leaks more than 2 over the scale.

    >>> worst_at = lambda scale: (2 / scale, lambda other: 2 / other)
    >>> smallest_scale("noise_scale", worst_at, 0.5, 10.0)
    4.0
    """
    from scipy.optimize import brentq  # a third of the import time, and needed here only

    top = math.log(enough)
    root = top
    leakage, of_worst = worst_at(enough)
    while leakage <= epsilon and root > top - 40:
        root -= 1.0
        leakage, of_worst = worst_at(math.exp(root))
    if leakage <= epsilon:
        # What little noise adds to the leakage without it is lost in rounding.
        return math.exp(root)
    scale = math.exp(root)
    for _ in range(200):
        if leakage <= epsilon:
            return scale
        if root >= top:
            break

        def excess(log_scale: float, of_one: Leakage = of_worst) -> float:
            return of_one(math.exp(log_scale)) - epsilon

        if excess(top) >= 0:
            root = top
        else:
            root = min(top, float(brentq(excess, root, top, xtol=1e-13, rtol=1e-15)))
            while excess(root) > 0 and root < top:
                root = min(top, root + 2.0**-41 * max(1.0, abs(root)))
        scale = math.exp(root)
        leakage, of_worst = worst_at(scale)
    # What is enough but for rounding may need a few units more.
    scale = max(scale, enough)
    for steps in range(60):
        if worst_at(scale)[0] <= epsilon:
            return scale
        scale *= 1 + 2.0**steps * _UNIT
        if scale > enough * (1 + 1e-6):
            break
    raise _safety.UncertifiedError(
        f"{where}: no scale of up to {enough:.6g} was found that keeps epsilon = {epsilon:.6g}; "
        "the conditional distributions agree to rounding"
    )
