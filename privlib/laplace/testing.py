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
from some *k* on. The ratio of the binomial laws under :math:`p > p_0` and :math:`p_0` increases
in *k*: the second weighs more there than what is gained before. This holds for every
:math:`p > p_0` at once, so one test is best against all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from privlib import _checks as checks
from privlib.laplace.staircase import Staircase


@dataclass(frozen=True, eq=False)
class BinomialTest:
    r"""A private test of a share; made by `binomial_test`.

    Attributes
    ----------
    n : int
        Number of people.
    null : float
        The share :math:`p_0` that the test may refute.
    noise : Staircase
        The noise of `release`, with the level of privacy; neighbours differ in one person's
        property.
    level : float
        Probability of a yes at the share `null`.
    threshold : float
        The number *m* that a noisy count is compared with.
    chances : ndarray, shape (n + 1,)
        Probability of a yes for each count, :math:`\varphi`.
    """

    n: int
    null: float
    noise: Staircase
    level: float
    threshold: float
    chances: checks.FloatArray = field(repr=False)

    def power(self, share: npt.ArrayLike) -> np.float64 | checks.FloatArray:
        """Return the probability of a yes where the share is `share`, shape (...)."""
        p = checks.reals("power", "share", share, "in [0, 1]", lambda v: (v >= 0) & (v <= 1))
        law = stats.binom.pmf(np.arange(self.n + 1), self.n, p[..., None])
        return np.asarray(law @ self.chances)[()]

    def release(self, count: npt.ArrayLike, *, rng: Any = None) -> Any:
        """Return `count`, shape (...), with Tulap noise from `rng`; a yes is >= `threshold`."""
        noise = self.noise.sample(np.shape(count), rng=rng)
        return checks.integers("release", "count", count, low=0, high=self.n) + noise

    def p_value(self, released: npt.ArrayLike) -> np.float64 | checks.FloatArray:
        """Return the p-values of noisy counts, shape (...); a yes has one of at most `level`."""
        z = checks.reals("p_value", "released", released)
        law = stats.binom.pmf(np.arange(self.n + 1), self.n, self.null)
        return np.asarray(self.noise.cdf(np.arange(self.n + 1) - z[..., None]) @ law)[()]


def binomial_test(n: int, null: float, *, epsilon: float, level: float = 0.05) -> BinomialTest:
    r"""Return the most powerful private test of a share against all larger ones.

    Parameters
    ----------
    n : int
        Number of people, public.
    null : float
        The share :math:`p_0`, in (0, 1).
    epsilon : float
        Level of differential privacy, positive.
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
        A number is out of its range, or no threshold in floats comes within 1e-6 of `level`.
    TypeError
        An argument is not a number of its kind.

    Notes
    -----
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
    >>> float(test.p_value(test.release(9, rng=2)).round(3))
    0.135
    """
    size = checks.integer("binomial_test", "n", n, low=1)
    inside: Any = "in (0, 1)", lambda v: (v > 0) & (v < 1)
    null = float(checks.reals("binomial_test", "null", null, *inside, ndim=0))
    level = float(checks.reals("binomial_test", "level", level, *inside, ndim=0))
    counts, noise = np.arange(size + 1), Staircase(epsilon=epsilon, step=0.5)
    law = stats.binom.pmf(counts, size, null)
    ends = np.log1p(-level) / noise.epsilon - 2, size + 2 - np.log(level) / noise.epsilon
    threshold = optimize.brentq(lambda m: law @ noise.cdf(counts - m) - level, *ends, xtol=1e-13)
    yes = np.asarray(noise.cdf(counts - threshold))
    rule = f"be one that a threshold in floats reaches (not {law @ yes:.9g}) at this epsilon"
    checks.bounded("binomial_test", "level", level, rule, lambda v: abs(law @ yes - v) < v / 1e6)
    return BinomialTest(size, null, noise, level, threshold, yes)
