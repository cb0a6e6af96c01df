r"""The best private test of a share.

Of *n* people *k* have some property, each with probability *p* and independently. Is *p* larger
than :math:`p_0`? A test says *yes* with a probability :math:`\varphi(k)`: averaged over the order
of the people every private test becomes one of the count, as powerful and as private. It is
:math:`\varepsilon`-private if, with :math:`b = e^{\varepsilon}`,

.. math:: \varphi(k) \le b\,\varphi(k \pm 1), \qquad
          1 - \varphi(k) \le b\,(1 - \varphi(k \pm 1)).

**The best one** climbs as fast as it may:
:math:`\varphi(k + 1) = h(\varphi(k))`, :math:`h(v) = \min(b v, 1 - (1 - v) / b)`, from a start
that makes its level :math:`\alpha`. That is :math:`\varphi(k) = F(k - m)`, *F* the distribution
function of discrete Laplace noise plus a uniform number of [-1/2, 1/2) (*Tulap* noise, or a
staircase with the step 1/2): say yes if the noisy count is at least *m*.

**Why.** Let another private test have a level of at most :math:`\alpha`. Where it is at or below
:math:`\varphi` at *k*, it is so at *k + 1*, since *h* increases. So it is above first, and below
from some *k* on. The ratio of the binomial distributions under :math:`p > p_0` and :math:`p_0`
increases in *k*: the second weighs more there than what is gained before. This holds for every
:math:`p > p_0` at once, so one test is best against all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from privlib import _checks as checks
from privlib import _safety
from privlib.research.staircase import Staircase

LARGEST_N = 10**7
"""People; a test keeps a chance for each count."""

ENTRIES = 2 * 10**6
"""Of a table of counts by values, which is made in parts of that size."""


@dataclass(frozen=True, eq=False)
class BinomialTest(_safety.OwnsArrays):
    r"""A private test of a share; made by `binomial_test`.

    Parameters
    ----------
    n : int
        Number of people.
    null : float
        The share :math:`p_0` that the test may refute.
    noise : Staircase
        The noise of `release`, with the level of privacy; neighbours differ in one person's
        property.
    level : float
        Probability of a yes at the share `null`, at most.
    threshold : float
        The number *m* that a noisy count is compared with.
    chances : ndarray, shape (n + 1,)
        Probability of a yes for each count, :math:`\varphi`. Near 1 a float has lost the
        probability of a no; answer by comparing `release` with `threshold`, not by these chances.

    Examples
    --------
    A noisy count of 58.5 among 100 people refutes that half of all have the property.

    >>> test = binomial_test(100, 0.5, epsilon=1.0)
    >>> round(test.threshold, 1), bool(test.power(0.5) <= test.level)
    (58.5, True)
    """

    n: int
    null: float
    noise: Staircase
    level: float
    threshold: float
    chances: checks.FloatArray = field(repr=False)

    def power(self, share: npt.ArrayLike) -> np.float64 | checks.FloatArray:
        """Return the probability of a yes where the share is `share`.

        Parameters
        ----------
        share : array_like, shape (...)
            Shares of people with the property, in [0, 1].

        Returns
        -------
        float64 or ndarray, shape (...)
            One probability for each share.

        Examples
        --------
        >>> test = binomial_test(100, 0.5, epsilon=1.0)
        >>> test.power([0.5, 0.7]).round(2)
        array([0.05, 0.99])
        """
        p = checks.reals("power", "share", share, "in [0, 1]", lambda v: (v >= 0) & (v <= 1))
        counts = np.arange(self.n + 1)

        def chance(shares: checks.FloatArray) -> checks.FloatArray:
            distribution = stats.binom.pmf(counts, self.n, shares[:, None])
            return np.asarray(distribution @ self.chances)

        return _in_parts(chance, p, self.n + 1)[()]

    def release(self, count: npt.ArrayLike, *, rng: Any = None) -> Any:
        """Return counts with Tulap noise; a yes is one of `threshold` at least.

        Parameters
        ----------
        count : array_like of int, shape (...)
            Numbers of people with the property, in 0..n.
        rng : None, int or numpy.random.Generator
            Source of the noise, or its seed. Whoever can guess the seed can subtract the noise.

        Returns
        -------
        float or ndarray of float64, shape (...)
            Each number has the level of `noise`; double precision, see `Staircase`.

        Raises
        ------
        ValueError
            A count is no integer or not in 0..n; the message does not quote it.

        Examples
        --------
        >>> test = binomial_test(100, 0.5, epsilon=1.0)
        >>> noisy = test.release(80, rng=1)
        >>> round(float(noisy), 1), bool(noisy >= test.threshold)  # a yes
        (80.5, True)
        """
        try:
            whole = checks.integers("release", "count", count, low=0, high=self.n, records=True)
        except (TypeError, ValueError):
            whole = None
        if whole is None:  # the count is private: no message quotes it
            raise ValueError(f"release: count must hold integers in 0..{self.n}")
        return whole + self.noise.sample(whole.shape or None, rng=rng)

    def p_value(self, released: npt.ArrayLike) -> np.float64 | checks.FloatArray:
        """Return the p-values of noisy counts; a yes has one of at most `level`.

        Parameters
        ----------
        released : array_like, shape (...)
            What `release` returned.

        Returns
        -------
        float64 or ndarray, shape (...)
            One p-value for each count.

        Examples
        --------
        >>> test = binomial_test(100, 0.5, epsilon=1.0)
        >>> bool(test.p_value(test.threshold) <= 0.05)
        True
        """
        z = checks.reals("p_value", "released", released)
        counts = np.arange(self.n + 1)
        distribution = stats.binom.pmf(counts, self.n, self.null)

        def chance(noisy: checks.FloatArray) -> checks.FloatArray:
            return np.asarray(self.noise.cdf(counts - noisy[:, None]) @ distribution)

        return np.asarray(np.minimum(_in_parts(chance, z, self.n + 1), 1.0))[()]


def _in_parts(
    function: Callable[[checks.FloatArray], checks.FloatArray],
    values: checks.FloatArray,
    entries: int,
) -> checks.FloatArray:
    """Apply a function that needs so many entries for each value to as many as fit at a time."""
    flat = values.ravel()
    step = max(1, ENTRIES // entries)
    parts = [function(flat[i : i + step]) for i in range(0, flat.size, step)]
    return np.concatenate([np.empty(0), *parts]).reshape(values.shape)


def binomial_test(n: int, null: float, *, epsilon: float, level: float = 0.05) -> BinomialTest:
    r"""Return the most powerful private test of a share against all larger ones.

    Parameters
    ----------
    n : int
        Number of people, public, at most ten million.
    null : float
        The share :math:`p_0`, in (0, 1).
    epsilon : float
        Level of differential privacy, in 1e-17..700. Not infinite: the best test without privacy
        is that of ``scipy.stats.binomtest``.
    level : float
        Probability :math:`\alpha` of a yes at :math:`p_0`, in (0, 1). Where the chances climb
        steeply, at a large `epsilon`, levels below 1e-10 *n* may lie between two thresholds in
        floats, whose spacing grows with the threshold.

    Returns
    -------
    BinomialTest
        The chances of a yes, its power, and p-values.

    Raises
    ------
    ValueError
        A number is out of its range, or no threshold in floats comes up to `level` within 2e-6.
    TypeError
        An argument is not a number of its kind.
    privlib.UncertifiedError
        The chances do not keep the level of privacy or that of the test.

    Notes
    -----
    Before it is returned, the chances of a yes and of a no are computed apart and compared for
    all neighbouring counts; and the level is summed again, by parts, from the distribution
    function in place of the probabilities.

    **Not covered.** `epsilon` is about one release of one count, and neighbours that differ in
    one person's property: whether somebody took part at all is public, as *n* is.

    A test against smaller shares is this one for those who have *not* the property. P-values
    against other shares cost nothing: they are computed from the release.

    References
    ----------
    Awan and Slavković, Differentially private uniformly most powerful tests for binomial data
    (2018).

    Examples
    --------
    Twenty customers, one in five is late as a rule:

    >>> test = binomial_test(20, 0.2, epsilon=0.6931471805599453)
    >>> test.power([0.2, 0.5]).round(3), round(test.threshold, 2)
    (array([0.05 , 0.708]), 8.44)
    >>> bool(0 <= test.p_value(test.release(9)) <= 1)
    True
    """
    where = "binomial_test"
    size = checks.integer(where, "n", n, low=1)
    _safety.limit(where, "n", size, LARGEST_N)
    inside: Any = "in (0, 1)", lambda v: (v > 0) & (v < 1)
    null = float(checks.reals(where, "null", null, *inside, ndim=0))
    level = float(checks.reals(where, "level", level, *inside, ndim=0))
    eps = checks.privacy_level(where, "epsilon", epsilon)
    if math.isinf(eps):
        raise ValueError(
            f"{where}: epsilon must be finite, got inf; without privacy use scipy.stats.binomtest"
        )
    checks.bounded(where, "epsilon", eps, "be in 1e-17..700", lambda e: 1e-17 <= e <= 700)
    counts, noise = np.arange(size + 1), Staircase(epsilon=eps, step=0.5)
    # Counts beyond these have together less than e^-160, by Bernstein's inequality, and do not move
    # a level.
    variance = size * null * (1 - null)
    reach = 160 / 3 + math.sqrt((160 / 3) ** 2 + 2 * 160 * variance)
    first, last = math.floor(size * null - reach), math.ceil(size * null + reach)
    likely = np.arange(max(first, 0), min(last, size) + 1)
    distribution = stats.binom.pmf(likely, size, null)

    def reached(m: float) -> float:
        return float(distribution @ noise.cdf(likely - m))

    ends = np.log1p(-level) / eps - 2, size + 2 - np.log(level) / eps
    rule = "be one that a threshold in floats reaches (not {:.17g}) at this epsilon"
    most_often = reached(ends[0])
    checks.bounded(where, "level", level, rule.format(most_often), lambda v: v <= most_often)
    threshold = float(optimize.brentq(lambda m: reached(m) - level, *ends, xtol=1e-13))
    # Thresholds on the grid of the largest count, so that no difference is rounded: of that the
    # chances would lose digits. The search ends on either side; go to the first one that does not
    # exceed the level.
    grid = math.ulp(max(size + 1.0, abs(threshold)))
    threshold = round(threshold / grid) * grid
    most = level * (1 + 1e-10)
    for _ in range(200):
        if reached(threshold) <= most:
            break
        threshold += grid
    for _ in range(200):
        if reached(threshold) > level * (1 - 1e-7) or reached(threshold - grid) > most:
            break
        threshold -= grid
    level_reached = reached(threshold)
    rule = rule.format(level_reached)
    checks.bounded(where, "level", level, rule, lambda v: v * (1 - 2e-6) < level_reached <= most)
    yes = np.asarray(noise.cdf(counts - threshold))
    no = np.asarray(noise.cdf(threshold - counts))
    _certify(where, (size, null, level, eps), yes, no)
    return BinomialTest(size, null, noise, level, threshold, yes)


def _certify(
    where: str,
    setting: tuple[int, float, float, float],
    yes: checks.FloatArray,
    no: checks.FloatArray,
) -> None:
    """Compare the chances of neighbouring counts, both ways, and sum the level by parts."""
    size, null, level, eps = setting
    # Chances below 1e-300 lose their digits, and no event so rare occurs.
    for chances in (yes, no):
        logs = np.log(np.maximum(chances, 1e-300))
        steps = np.abs(np.diff(logs))
        unit = 1e-15 * (1 + float(np.abs(logs).max()))
        promise = "the loss between neighbouring counts"
        _safety.certify(where, promise, steps, eps, unit=unit)
    _safety.certify(where, "the distance of yes and no from 1", np.abs(yes + no - 1), 1e-9)
    # Sum of distribution(k) yes(k) = yes(0) + sum of P(K >= k) (yes(k) - yes(k - 1)).
    rises = np.diff(yes)
    there = np.flatnonzero(rises > 0)
    tails = stats.binom.sf(there, size, null)
    total = float(yes[0] + tails @ rises[there])
    _safety.certify(where, "the level of the test", total, level)
