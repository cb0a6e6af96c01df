r"""The most frequent items of a sketch, with error bars that hold for all of them at once.

An item that is on top of a list of estimates is there because it is frequent, or because its error
is large. So the error bar of an item that was chosen beforehand fails on the top of a list: at
:math:`\varepsilon = 1` it covered 35 % of the top twenty in one study of this book. What holds for
a list that was chosen by its estimates are bars that hold for **all candidates at once**.

**Noise.** Given the hash functions, the estimate of one item is a sum over reports, each of which
adds :math:`F(\pm w + o - 1/m)`, with :math:`w = c` for HCMS, *c*/2 for CMS (*c* the de-noising
constant, :math:`F = m/(m-1)`). The reports are independent, so by Hoeffding's inequality

.. math:: \Pr(|\hat f - E \hat f| \ge t) \le 2 e^{-t^2 / (2 n F^2 w^2)} .

Of *D* candidates none is farther than :math:`t = F w \sqrt{2 n \ln(2D/\alpha)}`, with probability
:math:`1 - \alpha`. This costs about a tenth more than the normal quantile would, because nearly all
of the variance is noise: it is no approximation.

**Collisions.** :math:`E \hat f` misses *f* by what other items add to its cells. If no item has
more than *L* of the *n* reports, the moment generating function of this sum is largest for *n*/*L*
items of *L* reports each (it is convex in the counts). So Chernoff's bound for a binomial number of
collisions holds: over fully random hash functions the sum is beyond :math:`F n (q - 1/m)` on either
side with probability at most
:math:`2 e^{-(k n / L)\,\mathrm{KL}(q \,\|\, 1/m)}`. *L* is *n*, unless every user's item is among
the candidates. Then the largest count is at most the largest estimate, its bar for noise, and
*F n*/*m*, by which collisions lower an estimate at most.

**Fakes.** Each of *r* fake reports adds what it likes: between :math:`F(-w + o - 1/m)` and
:math:`F(w + o - 1/m)`. So *r* fakes hide within bars that are wider by so much, and no narrower bar
is true if one allows for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib.sketch._cells import check_kind, is_hadamard
from privlib.sketch.count_mean import CountMeanSketch
from privlib.sketch.hadamard import HadamardCountMeanSketch
from privlib.sketch.items import Item, Items, distinct_items
from privlib.sketch.scheme import Sketch


@dataclass(frozen=True, eq=False, repr=False)
class TopItems(_safety.OwnsArrays):
    """The items with the largest estimates, largest first.

    Parameters
    ----------
    items : tuple of str or int
        The items.
    estimate, low, high : ndarray of float, shape (number,)
        Estimates, unbiased for an item that was chosen beforehand and so too large here, and
        limits of the counts of honest users, within 0 and the number of reports.
    certain : ndarray of bool, shape (number,)
        Whether the item is one of the `number` most frequent candidates for certain: its lower
        limit is above the upper limit of every candidate that is not listed.
    level : float
        Probability with which the limits of *all* candidates hold at once.

    Examples
    --------
    >>> from privlib.sketch import HadamardCountMeanSketch
    >>> scheme = HadamardCountMeanSketch(2.0, hashes=256, width=1024, seed=7)
    >>> sketch = scheme.simulate({"tea": 60_000, "milk": 30_000, "mate": 500}, rng=1)
    >>> found = top(sketch, ["mate", "milk", "tea"], number=1)
    >>> found.items, bool(found.low[0] <= 60_000 <= found.high[0]), bool(found.certain[0])
    (('tea',), True, True)
    """

    items: tuple[Item, ...]
    estimate: Any
    low: Any
    high: Any
    certain: Any
    level: float

    def __repr__(self) -> str:
        return f"TopItems({len(self.items)} items, level {self.level:g})"

    def __str__(self) -> str:
        """Return a table: item, estimate, limits, and a star where it is certainly on top."""
        widest = max(len(str(item)) for item in self.items) + 2
        rows = []
        for item, *numbers, sure in zip(
            self.items, self.estimate, self.low, self.high, self.certain
        ):
            middle, low, high = (f"{number:10.0f}" for number in numbers)
            rows.append(f"{item!s:{widest}s}{middle}{low}{high}{'  *' if sure else ''}")
        return "\n".join(rows)


def top(
    sketch: Sketch,
    items: Items,
    *,
    number: int,
    complete: bool = False,
    level: float = 0.95,
    fakes: int = 0,
) -> TopItems:
    r"""Return the items with the largest estimates, with simultaneous error bars.

    Parameters
    ----------
    sketch : Sketch
        What the server holds.
    items : sequence of str or int
        All candidates, each once: the list must not be chosen by this sketch.
    number : int
        How many to return, at least 1 and at most the number of candidates.
    complete : bool
        Whether the item of every user is among the candidates. Only then do the estimates bound
        the largest count, and the bars for collisions are narrower.
    level : float
        Probability in (0, 1) with which the limits of all candidates hold at once.
    fakes : int
        Number of fake reports that the bars allow for, in ``0..n``.

    Returns
    -------
    TopItems
        Largest estimate first; ties in the order of `items`.

    Raises
    ------
    ValueError
        A candidate comes twice, the sketch is empty, or `number`, `level` or `fakes` is out of its
        range.
    TypeError
        `sketch` is no sketch, an item neither str nor int, or a number no integer.
    UncertifiedError
        The bar does not have its probability by another computation.

    Notes
    -----
    The promise is about **users' reports**: with probability `level`, at least, over flips and
    fully random hash functions (the families of this package are pseudorandom), the number of
    honest reports of every candidate is within its limits. Half of 1 − `level` is for noise and
    half for collisions. Not covered: a hash family that was chosen with the items in view, more
    fakes than `fakes`, an item that is missing from a list called complete, and several looks at
    one sketch that is added to from day to day (divide 1 − `level` among them). It reads the
    estimates only, so it costs no privacy.

    The listed estimates are too large on average; `privlib.sketch.defences.norm_sub` of the
    estimates of all items takes most of this back.

    References
    ----------
    Hoeffding (1963), Probability inequalities for sums of bounded random variables.

    Examples
    --------
    >>> from privlib.sketch import HadamardCountMeanSketch
    >>> scheme = HadamardCountMeanSketch(2.0, hashes=256, width=1024, seed=7)
    >>> sketch = scheme.simulate({"tea": 60_000, "milk": 30_000, "mate": 500}, rng=1)
    >>> found = top(sketch, ["mate", "milk", "tea", "rum"], number=2, complete=True)
    >>> found.items, found.certain
    (('tea', 'milk'), array([ True,  True]))
    >>> top(sketch, ["mate", "milk", "tea", "rum"], number=2, complete=True, fakes=20_000).certain
    array([ True, False])
    """
    where = "top"
    if not isinstance(sketch, Sketch):
        raise TypeError(f"{where}: sketch must be a Sketch, got {type(sketch).__name__}")
    scheme: Any = sketch.scheme
    check_kind(where, scheme, CountMeanSketch, HadamardCountMeanSketch)
    candidates, codes = distinct_items(where, items)
    if len(candidates) < codes.size or not codes.size:
        got = f"{codes.size} entries of {len(candidates)} items"
        raise ValueError(f"{where}: items must hold at least one candidate, each once, got {got}")
    in_order = [candidates[code] for code in codes.tolist()]
    count = checks.integer(where, "number", number, low=1, high=len(in_order))
    probability = checks.real(where, "level", level)
    checks.bounded(where, "level", probability, "be in (0, 1)", lambda x: 0 < x < 1)
    n = sketch.n
    if not n:
        raise ValueError(f"{where}: sketch must hold at least one report")
    false = checks.integer(where, "fakes", fakes, low=0, high=n)
    complete = checks.flag(where, "complete", complete)
    estimates = sketch.estimate(in_order)
    each = (1 - probability) / 2 / len(in_order)  # for noise, and as much for collisions
    hadamard = is_hadamard(scheme)
    weight = scheme.factor * scheme.debias_factor / (1 if hadamard else 2)
    shift = scheme.factor * ((0 if hadamard else 1 / 2) - 1 / scheme.width)
    noise = weight * math.sqrt(2 * n * math.log(2 / each)) * (1 + 1e-12)
    _safety.certify(where, "the chance of more noise", _chance(noise, n, weight), each)
    # What fakes add at most and at least, in all.
    added = (false * (shift - weight), false * (shift + weight))
    largest = float(n)
    if complete:
        lowered = scheme.factor * n / scheme.width
        largest = min(float(estimates.max()) + noise + lowered - added[0], largest)
    bar = noise + _collisions(each, n, largest, scheme)
    low = np.clip(estimates - bar - added[1], 0, n)
    high = np.clip(estimates + bar - added[0], 0, n)
    order = np.argsort(-estimates, kind="stable")
    chosen = order[:count]
    best_of_the_rest = float(high[order[count:]].max(initial=-math.inf))
    certain = low[chosen] > best_of_the_rest
    names = tuple(in_order[place] for place in chosen.tolist())
    return TopItems(names, estimates[chosen], low[chosen], high[chosen], certain, probability)


def _chance(bar: float, n: int, weight: float) -> float:
    """Return Hoeffding's bound from the least of exp(-h t + n (h w)^2 / 2) over a grid of h."""
    best = bar / (n * weight**2)
    slopes = best * np.linspace(0.5, 1.5, 101)
    return float(2 * np.exp((-slopes * bar + n * (slopes * weight) ** 2 / 2).min()))


def _collisions(each: float, n: int, largest: float, scheme: Any) -> float:
    """Return Chernoff's bar for what other items add to the cells of one."""
    from scipy.optimize import brentq  # heavy, and needed here only

    chance = 1 / scheme.width
    exponent = max(largest, 0.0) * math.log(2 / each) / (scheme.hashes * n)
    if exponent >= math.log(scheme.width):
        share = 1.0  # all others in the cells of this item
    else:
        share = brentq(lambda q: _divergence(q, chance) - exponent, chance, 1.0, xtol=1e-15)
        share = min(share * (1 + 1e-9), 1.0)
        _safety.certify("top", "the exponent of collisions", exponent, _divergence(share, chance))
    return float(scheme.factor * n * (share - chance))


def _divergence(q: float, p: float) -> float:
    """Return the divergence of two coins in natural units, for p <= q <= 1."""
    rest = 0.0 if q == 1 else (1 - q) * math.log((1 - q) / (1 - p))
    return q * math.log(q / p) + rest
