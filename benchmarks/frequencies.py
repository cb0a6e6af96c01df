"""What the benchmarks of frequency estimates share: the users, and a check of estimates.

Estimates are random, so two programs agree if each has the mean and variance that theory gives it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
from privlib.sketch.data import shop_counts

SEED = 1
EPSILON, HASHES, WIDTH = 1.0, 1024, 128
SCHEMES: tuple[type[CountMeanSketch | HadamardCountMeanSketch], ...] = (
    CountMeanSketch,
    HadamardCountMeanSketch,
)
CHUNK = 250_000  # users
LEVEL = 1e-5  # p-values below it, or above one minus it, are disagreements

Estimates = list[npt.NDArray[np.float64]]


def scheme_of(kind: type[CountMeanSketch | HadamardCountMeanSketch]) -> Any:
    return kind(EPSILON, hashes=HASHES, width=WIDTH, seed=SEED)


def workload(n: int) -> dict[str, int]:
    """Draw n users with the shares of the 43 shop items."""
    shop = shop_counts()
    shares = np.array(list(shop.values())) / sum(shop.values())
    drawn = np.random.default_rng(SEED).multinomial(n, shares)
    return dict(zip(shop, drawn.tolist()))


def agreement(scheme: Any, counts: Mapping[Any, int], estimates: Estimates) -> list[float]:
    """Compare estimates of several runs with the exact moments of this family.

    Returns the p-values of two chi-squares: of the means (a wrong mean shows) and of all runs (a
    wrong variance shows). Estimates of two items correlate by about 1/m only, which the chi-squares
    do not feel.
    """
    moments = scheme.moments(counts)
    z = (np.array(estimates) - moments.mean) / moments.sd
    means = z.mean(axis=0) * math.sqrt(len(z))
    centre, spread = (float(chi2.sf((x**2).sum(), x.size)) for x in (means, z))
    if not (LEVEL < centre < 1 - LEVEL and LEVEL < spread < 1 - LEVEL):
        raise AssertionError(
            f"estimates of {scheme!r} disagree with their exact moments: "
            f"p = {centre:.3g} of the means, {spread:.3g} of all runs"
        )
    return [centre, spread]


def recorded(call: Callable[[], Any], into: Estimates) -> Callable[[], Any]:
    """Keep what each run returns."""

    def run() -> None:
        into.append(call())

    return run


def chunk_counts() -> dict[int, int]:
    return dict(enumerate(workload(CHUNK).values()))


def chunk(scheme: Any, seed: int) -> Any:
    """Reports of the users of one chunk, from its own seed wherever it is made.

    It stands here and not in a script, so that a worker imports it instead of being sent its code.
    """
    counts = chunk_counts()
    users = np.repeat(np.fromiter(counts, int), np.fromiter(counts.values(), int))
    return scheme.privatize(users, np.random.default_rng([SEED, seed]))


def chunks(scheme: Any, number: int) -> Iterable[Any]:
    return (chunk(scheme, seed) for seed in range(number))
