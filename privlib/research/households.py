r"""One noise for a class of households in which an illness spreads: a certified worst case.

A household has *k* members. Each is infected from outside with the chance :math:`1 - B`, and
whoever is infected infects each other member with the chance :math:`1 - Q`, all independently. In
this model, of Reed and Frost within the household and of Longini and Koopman [1]_ with the outside,
the members of a given set of size *j*, and nobody else, fall ill with the probability

.. math:: p_j = m_j B^{k - j} Q^{j (k - j)}, \qquad
          m_j = 1 - \sum_{i < j} \binom{j}{i} m_i B^{j - i} Q^{i (j - i)},

where :math:`m_j` is the chance that all of a household of *j* fall ill. Released is the number of
ill people in many households, plus Laplace noise of the scale *b*. What is known from outside
studies is seldom the pair of chances, but a range of each. `Households` is the class of all
distributions whose chances lie in these ranges, and its noise is enough for each of them.

**Attackers.** Members are exchangeable, so an attacker is a pair: of those whom she knows, *c* are
ill, and *r* others than her target are unknown to her. With *v* for the value of the target, she
compares for :math:`v = 0, 1` the averages of :math:`e^{-|y - v - t| / b}` over the number *t* of
ill people among the unknown, with the weights :math:`\binom{r}{t} p_{c + v + t}`. The largest log
ratio is found at an integer *y* from 0 to r + 1 (`privlib.correlated.finite`), and it is
:math:`(r + 1) / b` at most.

**From chances to ranges.** Put :math:`o = (1 - B) / B`, the odds of an infection from outside. Then

.. math:: \frac{p_j}{B^k} = M_j\, Q^{j (k - j)}, \qquad
          M_j = \sum_{s = 1}^{j} \binom{j}{s} o^s R_{s, j - s},

with the chance :math:`R_{s, n}` that *s* infected members infect all the *n* others, which adds up
one generation after the other,

.. math:: R_{s, n} = \sum_{i = 1}^{n} \binom{n}{i} (1 - Q^s)^i\, Q^{s (n - i)} R_{i, n - i} .

All terms are positive, so that no digits are lost. Decide for each pair of members, by one uniform
number for all chances, whether one would infect the other: with a larger chance more do, so
:math:`R_{s, n}` grows with it. Hence :math:`M_j / o` grows in both chances, and
:math:`Q^{j (k - j)}` falls in one of them. If the chances lie in a rectangle, each weight lies
between two products of values at its corners, and that is all that is used of the rectangle: over
weights that may lie anywhere between their ends a weighted average is largest if the largest values
have their upper end and the others their lower end, at one of *r + 1* thresholds.

**Branch and bound.** That gives an upper bound of the leakage in the rectangle, and any
distribution in it gives a lower one. Rectangles are halved until no upper bound is more than `GAP`
above the largest leakage found. Where both chances may be 0, all :math:`M_j` may be, and another
bound takes over: of *j + 1* people who are all infected, at least one can be left out such that the
others are still all infected without her, so :math:`m_{j + 1} \le (j + 1)\, m_j (1 - B Q^j)`, which
bounds all weights by the first one.

**Several households** that do not depend on one another add nothing: to whoever knows all others
their numbers are a constant, to anybody else they are more noise. Their chances may differ within
the ranges.

**Integers.** The discrete Laplace distribution of the same scale, with probabilities proportional
to :math:`e^{-|y - s| / b}`, has the same log ratios at integers *y*, where the largest one is
found. It leaks as much, and no more.

References
----------
.. [1] Longini and Koopman, "Household and community transmission parameters from final
   distributions of infections in households", Biometrics 38 (1982).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray
from privlib.correlated.finite import FiniteDistribution
from privlib.correlated.noise_search import smallest_scale

LARGEST = 10
"""Most members of a household."""
GAP = 1e-3
"""By how much a certified leakage may exceed one that was found, relatively."""
MOST_CELLS = 50_000
"""Most rectangles of chances that are looked at."""
DEEPEST = 500
"""Most members divided by the scale of the noise: beyond it densities leave the range of floats."""

_WEIGHT = 1e-11  # bound of the rounding of a weight, relatively; sums of positive terms
_VANISHING = 1e-300  # what underflow may take from a weight
_LEAKAGE = 1e-9  # bound of the rounding of a leakage, relatively; it is 1 / scale at least
_NEAR_ZERO = 1e-6  # the smallest share of the largest odds at which leakages are looked for


@dataclass(frozen=True)
class ClassLeakage:
    """The worst leakage over a class of households: a bound, and what was found.

    Attributes
    ----------
    bound : float
        No attacker on any household of the class learns more.
    found : float
        What the worst attacker learns in the household named.
    size : int
        Members of that household.
    outside, within : float
        Its chances, in the ranges of the class.
    """

    bound: float
    found: float
    size: int
    outside: float
    within: float


@dataclass(frozen=True)
class Households:
    r"""All households of some sizes whose chances of infection lie in two ranges.

    Parameters
    ----------
    sizes : sequence of int
        Sizes that households may have, each from 1 to `LARGEST`: ``range(1, 7)``.
    outside : pair of float
        Smallest and largest chance to be infected from outside of the household, over the whole
        time that is counted; the largest in (0, 1).
    within : pair of float
        Smallest and largest chance that an infected member infects another one; in [0, 1].

    Attributes
    ----------
    sizes : tuple of int
        The sizes, each once, in increasing order.
    outside, within : tuple of float
        The ranges.

    Raises
    ------
    TypeError
        If sizes are no integers, or a range is no pair of numbers.
    ValueError
        If there is no size, or one is out of 1 to `LARGEST`; if the ends of a range are in the
        wrong order or outside of what is said above.

    Notes
    -----
    **Who is covered.** An attacker on one member, who knows any part of the household, everybody
    outside of it, its size, and its two chances; one release. The ranges must be public: taken
    from other studies, never from the data to be released.

    **What the class is not.** Its members are exactly the distributions of the model: all people of
    a household have the same two chances, the same towards each other. Children who are infected
    more easily, vaccinated members, an illness that is brought in by common guests, households that
    infect one another, and households that do not answer and so count as healthy are not covered.
    Neither is an attacker who is unsure of the chances within their ranges: to her one household
    tells about the chances of another. The bound for a group, noise of the scale
    ``max(sizes) / epsilon``, covers every dependence within a household; `noise_scale` is never
    above it.

    **The ends.** Probabilities of 0 do not take part (the reading ``"positive"`` of
    `FiniteDistribution`), and the bounds hold in the limit as well: `outside` may begin at 0, where
    nobody is ill and nothing can be compared. If `within` reaches 1, everybody or nobody may be
    ill, and only the bound for the group is left. If it is 0, people are independent.

    **Series are not covered.** The model says who falls ill, not when. If the new cases of several
    weeks are released, and each person falls ill at most once, whoever changes moves two numbers by
    1. Then noise of the scale ``2 * max(sizes) / epsilon`` on each number covers every dependence
    within a household, and no less can be promised without a distribution of the weeks: if all
    members fall ill in one week, the first or the second, the noise must be that large.

    References
    ----------
    Longini and Koopman, "Household and community transmission parameters from final distributions
    of infections in households", Biometrics 38 (1982). The leakage is that of Yang, Sato, Nakagawa,
    Definition 4.1.

    Examples
    --------
    >>> flu = Households(range(1, 7), outside=(0.01, 0.1), within=(0.05, 0.2))
    >>> round(flu.noise_scale(1), 2)
    4.14
    >>> worst = flu.leakage(6.0)
    >>> round(worst.found, 3), worst.bound <= worst.found * 1.002
    (0.675, True)
    >>> worst.size, round(worst.outside, 3), round(worst.within, 3)
    (6, 0.01, 0.2)
    """

    sizes: Any
    _: KW_ONLY
    outside: Any
    within: Any

    def __post_init__(self) -> None:
        where = "Households"
        sizes = checks.integers(where, "sizes", self.sizes, low=1, high=LARGEST, ndim=1)
        if not sizes.size:
            raise ValueError(f"{where}: sizes must name at least one size, got none")
        outside = _range(where, "outside", self.outside)
        if not 0 < outside[1] < 1:
            rule = "the largest chance of outside must be in (0, 1)"
            raise ValueError(f"{where}: {rule}, got {outside[1]!r}")
        # The class is frozen for its users; these are the last changes.
        object.__setattr__(self, "sizes", tuple(sorted(set(sizes.tolist()))))
        object.__setattr__(self, "outside", outside)
        object.__setattr__(self, "within", _range(where, "within", self.within))

    def noise_scale(self, epsilon: float) -> float:
        r"""Return a scale of Laplace noise that is enough for every household of the class.

        Parameters
        ----------
        epsilon : float
            The largest leakage allowed, positive; infinite: no privacy is asked for.

        Returns
        -------
        float
            The scale. No attacker on any household of the class leaks more than `epsilon`. It is
            never above ``max(sizes) / epsilon``, up to the last digit, and, unless it is that, some
            household needs a scale that is smaller by a relative 0.2 % at most, or a few times as
            much where little noise changes the leakage fast.

        Raises
        ------
        TypeError
            If `epsilon` is no number.
        ValueError
            If `epsilon` is not positive, above ``DEEPEST / max(sizes)``, or so small that the scale
            is above 1e100; `UncertifiedError` if `MOST_CELLS` rectangles are not enough, or a
            second computation finds more than `epsilon` in the worst household that was found.

        Notes
        -----
        A scale is taken that is a little more than the worst household found needs, and its
        leakage is bounded over the whole class; a worse household that is found on the way gives
        the next scale.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 4.1 and Section 4.2.3, for a class of distributions.

        Examples
        --------
        The smaller the chances within the household, the less noise:

        >>> for most in (0.0, 0.1, 0.2, 0.5, 1.0):
        ...     homes = Households(range(1, 7), outside=(0.05, 0.2), within=(0, most))
        ...     print(most, round(homes.noise_scale(1), 2))
        0.0 1.0
        0.1 2.56
        0.2 3.89
        0.5 5.77
        1.0 6.0
        """
        where = "noise_scale"
        eps = checks.privacy_level(where, "epsilon", epsilon)
        if eps == math.inf:
            return 0.0
        size = self.sizes[-1]
        rule = f"be at most {DEEPEST} / {size} and at least {size} / 1e100"
        checks.bounded(where, "epsilon", eps, rule, lambda e: size / 1e100 <= e <= DEEPEST / size)
        group = _quotient(size, eps)
        if self.within[1] == 0:  # nobody infects anybody
            return _quotient(1, eps)
        worst = self._worst(where, group)
        margin = 2 * GAP
        while True:
            scale = min(worst.scale_for(where, eps) * (1 + margin), group)
            if scale == group:
                return group
            worst = self._worst(where, scale)
            if worst.bound <= eps:
                break
            margin *= 2
        promise = f"the leakage of the worst household found, at scale {scale:.6g}"
        _safety.certify(where, promise, worst.again(scale), eps)
        return scale

    def leakage(self, scale: float) -> ClassLeakage:
        r"""Return what anybody can learn at most in any household of the class.

        Parameters
        ----------
        scale : float
            Scale of the Laplace noise on the number of ill people.

        Returns
        -------
        ClassLeakage
            A bound for the whole class, never above ``max(sizes) / scale``, and the worst
            household that was found. The bound is at most a relative `GAP` above what was found
            there.

        Raises
        ------
        TypeError
            If `scale` is no number.
        ValueError
            If `scale` is not positive, below ``max(sizes) / DEEPEST`` or above 1e100;
            `UncertifiedError` if `MOST_CELLS` rectangles are not enough, or a second computation
            finds more than the bound in the worst household that was found.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 4.1, for a class of distributions.

        Examples
        --------
        Noise for one person, in a family of five:

        >>> family = Households([5], outside=(0.05, 0.2), within=(0.1, 0.5))
        >>> round(family.leakage(1.0).bound, 1)
        4.4
        """
        where = "leakage"
        noise = checks.positive(where, "scale", scale)
        size = self.sizes[-1]
        rule = f"be at least {size} / {DEEPEST} and at most 1e100"
        checks.bounded(where, "scale", noise, rule, lambda s: size / DEEPEST <= s <= 1e100)
        worst = self._worst(where, noise)
        promise = f"the leakage of the worst household found, at scale {noise:.6g}"
        _safety.certify(where, promise, worst.again(noise), worst.bound)
        # From odds to chances and back the last digit may change.
        outside = min(max(worst.outside, self.outside[0]), self.outside[1])
        return ClassLeakage(worst.bound, worst.found, worst.size, outside, worst.within)

    def _worst(self, where: str, scale: float) -> _Worst:
        """Return a bound of the leakage over the class, and the worst household found."""
        outside = np.array(self.outside)
        low, high = (outside / (1 - outside)).tolist()
        least = max(low, high * _NEAR_ZERO)
        box = np.array([[low, high, *self.within]])
        found = _Worst(0.0, 0.0, self.sizes[-1], high, self.within[1])
        bound = 0.0
        cells = 0
        for size in reversed(self.sizes):
            for odds, within in product((least, high), self.within):
                found = found.or_worse(size, odds, within, scale)
            still = box
            while len(still):
                cells += len(still)
                if cells > MOST_CELLS:
                    raise _safety.UncertifiedError(
                        f"{where}: the leakage of the class is between {found.found:.6g} and "
                        f"{size / scale:.6g}, and {MOST_CELLS} rectangles of chances are not "
                        "enough to tell more; make the ranges narrower, or take the bound for a "
                        "group, the scale max(sizes) / epsilon"
                    )
                bounds = _bounds(size, still, scale)
                middle = _middles(still)[bounds.argmax()]
                found = found.or_worse(size, max(middle[0], least), middle[1], scale)
                undecided = bounds > found.found * (1 + GAP)
                bound = max(bound, float(bounds[~undecided].max(initial=0.0)))
                still = _halves(still[undecided])
        # Rounded up, but never above the bound for a group.
        bound = min(max(bound, found.found) * (1 + _LEAKAGE), _quotient(self.sizes[-1], scale))
        return replace(found, bound=bound)


@dataclass(frozen=True)
class _Worst:
    """The worst household found, and the bound of the class."""

    bound: float
    found: float
    size: int
    odds: float
    within: float

    @property
    def outside(self) -> float:
        return self.odds / (1 + self.odds)

    def or_worse(self, size: int, odds: float, within: float, scale: float) -> _Worst:
        """Return the household of these chances if it leaks more, else this one."""
        leakage = _leakage(size, odds, within, scale)
        return _Worst(0.0, leakage, size, odds, within) if leakage > self.found else self

    def scale_for(self, where: str, epsilon: float) -> float:
        """Return the scale that this household needs."""
        leakage = partial(_leakage, self.size, self.odds, self.within)

        def only_one(scale: float) -> tuple[float, Callable[[float], float]]:
            return leakage(scale), leakage

        return smallest_scale(where, only_one, epsilon, self.size / epsilon)

    def again(self, scale: float) -> float:
        """Return the leakage from the joint distribution of all members, in fractions."""
        distribution = household(self.size, outside=self.outside, within=self.within)
        members = range(self.size)
        return max(float(distribution.leakage(0, members[1:][:u], scale=scale)) for u in members)


def household(size: int, *, outside: float, within: float) -> FiniteDistribution:
    r"""Return the distribution of who is ill in one household.

    Parameters
    ----------
    size : int
        Members, at most `LARGEST`.
    outside : float
        The chance of each to be infected from outside.
    within : float
        The chance that an infected member infects another one.

    Returns
    -------
    FiniteDistribution
        The joint distribution of the members, 1 for who is ill; the query is their number. It is
        computed in fractions from the numbers given, and rounded once.

    Raises
    ------
    TypeError
        If `size` is no integer, or a chance no number.
    ValueError
        If `size` is out of 1 to `LARGEST`, or a chance out of [0, 1].

    References
    ----------
    Longini and Koopman (1982), as in `Households`.

    Examples
    --------
    >>> pair = household(2, outside=0.1, within=0.5)
    >>> pair.joint.round(3)
    array([[0.81 , 0.045],
           [0.045, 0.1  ]])
    >>> round(pair.noise_scale(1), 3)
    1.678
    """
    where = "household"
    size = checks.integer(where, "size", size, low=1, high=LARGEST)
    escape = 1 - Fraction(checks.probability(where, "outside", outside))
    avoid = 1 - Fraction(checks.probability(where, "within", within))
    everybody: list[Fraction] = []  # m_0, m_1, ...
    for j in range(size + 1):
        rest = Fraction(1)
        for i in range(j):
            rest -= math.comb(j, i) * everybody[i] * escape ** (j - i) * avoid ** (i * (j - i))
        everybody.append(rest)
    chances = []
    for j in range(size + 1):
        chances.append(float(everybody[j] * escape ** (size - j) * avoid ** (j * (size - j))))
    ill = np.indices((2,) * size).sum(axis=0)
    return FiniteDistribution(np.array(chances)[ill])


def _range(where: str, name: str, value: Any) -> tuple[float, float]:
    """Return a pair of probabilities in order."""
    pair = isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.ndim == 1)
    if not pair or len(value) != 2:
        rule = f"{name} must be a pair of chances, the smallest and the largest"
        raise TypeError(f"{where}: {rule}, got {value!r}")
    low = checks.probability(where, name, value[0])
    high = checks.probability(where, name, value[1])
    if low > high:
        rule = f"{name} must begin with the smaller chance"
        raise ValueError(f"{where}: {rule}, got {(low, high)}")
    return low, high


def _quotient(members: int, level: float) -> float:
    """Return ``members / level``, rounded up."""
    quotient = members / level
    if Fraction(quotient) * Fraction(level) < members:
        return float(_safety.next_up(quotient))
    return quotient


# --- weights -----------------------------------------------------------------------------------


def _all_ill(size: int, odds: Any, within: Any) -> list[Any]:
    """Return ``M_j / o`` for ``j = 1, ..., size`` (and 1 for 0), of arrays of chances."""
    spread: dict[tuple[int, int], Any] = {}
    with np.errstate(divide="ignore"):  # the logarithm of 0 is what it has to be
        avoid_one = np.log1p(-within)
        escape = [np.exp(s * avoid_one) for s in range(1, size + 1)]
        caught = [-np.expm1(s * avoid_one) for s in range(1, size + 1)]
    for n in range(size):
        for s in range(1, size - n + 1):
            chance = np.ones_like(within) if n == 0 else np.zeros_like(within)
            for i in range(1, n + 1):
                first = math.comb(n, i) * caught[s - 1] ** i * escape[s - 1] ** (n - i)
                chance = chance + first * spread[i, n - i]
            spread[s, n] = chance
    everybody = [np.ones_like(within)]
    for j in range(1, size + 1):
        terms = [math.comb(j, s) * odds ** (s - 1) * spread[s, j - s] for s in range(1, j + 1)]
        everybody.append(sum(terms))
    return everybody


def _attackers(size: int) -> Iterator[tuple[int, int]]:
    """Yield how many the attacker does not know, and how many ill people she knows."""
    for unknown in range(1, size):
        for known_ill in range(size - unknown):
            yield unknown, known_ill


def _powers(size: int, least_ill: int, unknown: int) -> list[int]:
    """Return the exponents of Q in the weights, less what they have in common."""
    exponents = [j * (size - j) for j in range(least_ill, least_ill + unknown + 1)]
    common = min(exponents)
    return [exponent - common for exponent in exponents]


# --- the leakage of one household ----------------------------------------------------------------


def _leakage(size: int, odds: float, within: float, scale: float) -> float:
    """Return the leakage of the worst attacker on one household."""
    everybody = _all_ill(size, np.float64(odds), np.float64(within))
    avoid = 1 - within
    best = 1 / scale  # who knows all others
    for unknown, known_ill in _attackers(size):
        weights = np.empty((2, unknown + 1))
        for value in (0, 1):
            least_ill = known_ill + value
            powers = _powers(size, least_ill, unknown)
            for t in range(unknown + 1):
                one = math.comb(unknown, t) * everybody[least_ill + t] * avoid ** powers[t]
                if least_ill == 0 and t > 0:  # beside the weight 1 of a healthy household
                    one = one * odds
                weights[value, t] = one
        total = weights.sum(axis=1)
        if total.min() < _VANISHING:  # one value of the target is impossible
            continue
        shares = weights / total[:, None]
        for output in range(unknown + 2):
            missing, present = _kernels(unknown, output, scale)
            if size <= scale / 2:
                logs = np.log1p(-(shares * missing).sum(axis=1))
            else:
                logs = np.log((shares * present).sum(axis=1))
            best = max(best, float(abs(logs[1] - logs[0])))
    return best


def _kernels(unknown: int, output: int, scale: float) -> tuple[FloatArray, FloatArray]:
    """Return ``1 - exp(-|y - v - t| / scale)`` and 1 less it; a row for each value of the target.

    The first keeps its digits where there is much noise.
    """
    ill = np.arange(unknown + 1) + np.array([[0], [1]])
    distance = np.abs(output - ill) / scale
    return -np.expm1(-distance), np.exp(-distance)


# --- bounds over rectangles ----------------------------------------------------------------------


def _bounds(size: int, cells: FloatArray, scale: float) -> FloatArray:
    """Return upper bounds of the leakage in rectangles, one row for each of them.

    A row holds the smallest and largest odds, and the smallest and largest chance within.
    """
    low_odds, high_odds, low_within, high_within = cells.T
    low = _all_ill(size, low_odds, low_within)
    high = _all_ill(size, high_odds, high_within)
    best = np.full(len(cells), 1 / scale)
    for unknown, known_ill in _attackers(size):
        ends = []
        for value in (0, 1):
            ends.append(_ends(size, cells, low, high, known_ill + value, unknown))
        allowed = (unknown + 1) / scale
        for output in range(unknown + 2):
            missing, present = _kernels(unknown, output, scale)
            logs = []
            for value in (0, 1):
                if size <= scale / 2:
                    most = np.log1p(_largest_average(*ends[value], -missing[value]))
                    least = np.log1p(-_largest_average(*ends[value], missing[value]))
                else:
                    most = np.log(_largest_average(*ends[value], present[value]))
                    least = np.log(-_largest_average(*ends[value], -present[value]))
                logs.append((least, most))
            ratio = np.maximum(logs[1][1] - logs[0][0], logs[0][1] - logs[1][0])
            # What is no number, because all weights may be 0, is as large as it is allowed to be.
            best = np.fmax(best, np.fmin(ratio, allowed))
    return best


def _ends(
    size: int,
    cells: FloatArray,
    low: list[FloatArray],
    high: list[FloatArray],
    least_ill: int,
    unknown: int,
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the weights, rounded outwards; a column for each rectangle."""
    low_odds, high_odds, low_within, high_within = cells.T
    powers = _powers(size, least_ill, unknown)
    lower = np.empty((unknown + 1, len(cells)))
    upper = np.empty((unknown + 1, len(cells)))
    for t in range(unknown + 1):
        ways = math.comb(unknown, t)
        lower[t] = ways * low[least_ill + t] * (1 - high_within) ** powers[t]
        upper[t] = ways * high[least_ill + t] * (1 - low_within) ** powers[t]
        if least_ill == 0 and t > 0:
            lower[t] *= low_odds
            upper[t] *= high_odds
    corner = (low_odds == 0) & (low_within == 0)
    if corner.any():
        # Relative to the first weight, each of the next ones by (j + 1) (1 / B - Q^j).
        avoid = 1 - high_within[corner]
        chance = np.ones(int(corner.sum()))
        for t in range(unknown + 1):
            lower[t, corner] = 1.0 if t == 0 else 0.0
            power = powers[t] - powers[0]
            with np.errstate(divide="ignore"):
                growth = avoid ** float(min(power, 0))
            upper[t, corner] = math.comb(unknown, t) * chance * growth
            j = least_ill + t
            chance = chance * (j + 1) * (1 + high_odds[corner] - avoid**j)
    lower = np.maximum(lower * (1 - _WEIGHT) - _VANISHING, 0.0)
    upper = upper * (1 + _WEIGHT) + _VANISHING
    return lower, upper


def _largest_average(lower: FloatArray, upper: FloatArray, values: FloatArray) -> FloatArray:
    """Return the largest average of values (first axis) with weights between two ends."""
    order = np.argsort(-values, kind="stable")
    value = values[order, None]
    up = upper[order]
    down = lower[order]
    with np.errstate(invalid="ignore", over="ignore"):
        # Up to each threshold the upper ends, after it the lower ones.
        weight = up.cumsum(axis=0)
        weighted = (up * value).cumsum(axis=0)
        weight[:-1] += down[:0:-1].cumsum(axis=0)[::-1]
        weighted[:-1] += (down * value)[:0:-1].cumsum(axis=0)[::-1]
        averages = weighted / weight
    return np.asarray(averages.max(axis=0))


def _middles(cells: FloatArray) -> FloatArray:
    """Return the odds and chances at which rectangles are halved."""
    low_odds, high_odds, low_within, high_within = cells.T
    odds = np.sqrt(np.maximum(low_odds, high_odds / 16) * high_odds)
    small = np.sqrt(np.maximum(low_within, high_within / 16) * high_within)
    within = np.where(high_within > 0.5, (low_within + high_within) / 2, small)
    middles = np.stack([odds, within], axis=1)
    return np.asarray(np.clip(middles, cells[:, [0, 2]], cells[:, [1, 3]]))


def _halves(cells: FloatArray) -> FloatArray:
    """Return rectangles halved across the side along which the weights change most, roughly."""
    low_odds, high_odds, low_within, high_within = cells.T
    middles = _middles(cells)
    near_odds = np.maximum(low_odds, high_odds / 16)
    near_within = np.maximum(low_within, high_within / 16)
    change_outside = np.log((high_odds + high_within) / (near_odds + high_within))
    change_within = np.log((near_odds + high_within) / (near_odds + near_within))
    with np.errstate(divide="ignore"):
        change_within = change_within + np.log1p(-low_within) - np.log1p(-high_within)
    across = np.where(change_outside > change_within, 0, 1)
    rows = np.arange(len(cells))
    first = cells.copy()
    second = cells.copy()
    first[rows, 2 * across + 1] = middles[rows, across]
    second[rows, 2 * across] = middles[rows, across]
    return np.concatenate([first, second])
