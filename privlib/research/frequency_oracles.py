r"""Three other frequency oracles in the words of `poisoning`: GRR, OUE and OLH.

A report *supports* some items, its sender's own with probability *P* and each other with *Q* < *P*.
The count of an item is estimated by :math:`\sum (s - Q)/(P - Q)` over all reports, *s* = 1 for
those that support it and 0 for the rest. So one report that supports *s* of *r* targets adds

.. math:: \frac{s - rQ}{P - Q}

to them, whoever sent it, and an attack is a choice of *s*. Another item has the variance
:math:`Q(1 - Q)/(P - Q)^2` a user. With :math:`E = e^\varepsilon`:

.. math:: \begin{array}{lllll}
    & P & Q & \text{largest } s & s \text{ of a blind report} \\
    \text{GRR, } D \text{ items} & E/(E + D - 1) & 1/(E + D - 1) & 1 & r/D \\
    \text{OUE} & 1/2 & 1/(E + 1) & r & r/2 \\
    \text{OLH, } g \text{ buckets} & E/(E + g - 1) & 1/g & r & r/g
    \end{array}

Fractions stay fractions, at any size; where one number is a float, all are. The two sketches fit
the same frame, in the mean over hash families. These are numbers about mechanisms, from
:math:`\varepsilon`; nothing here makes a report.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Number

ATTACKS = ("rpa", "ria", "mga", "demotion")
"""Names of the attacks, a part of those of `poisoning`."""


@dataclass(frozen=True)
class Oracle:
    """Probabilities of support of one frequency oracle.

    Parameters
    ----------
    name : str
        Any label; `grr`, `oue` and `olh` take "GRR", "OUE" and "OLH".
    own, other : Fraction or float
        *P* and *Q*: chances that a report supports the item of its sender, and another item;
        *P* is the larger one. Integers become fractions.
    blind : Fraction or float
        Chance that a report drawn uniformly from all possible ones supports an item.
    items : int, optional
        Number of items, at least 2, if a report names exactly one of them; else None.

    Raises
    ------
    ValueError
        A chance is not finite or not in [0, 1], as it is, not as a float; `own` is not above
        `other`; `items` is below 2; or one chance is a float and another so small that its float
        is 0.
    TypeError
        A chance is not a real number, or `items` is neither an integer nor None.

    Examples
    --------
    >>> frequency_gain(Oracle("a fair ballot", 1, 0, 0), "mga", n_fake=1, targets=1)
    Fraction(1, 1)
    """

    name: str
    own: Number
    other: Number
    blind: Number
    items: int | None = None

    def __post_init__(self) -> None:
        where = "Oracle"
        chances: dict[str, Number] = {}
        for name in ("own", "other", "blind"):
            chance = checks.rational(where, name, getattr(self, name))
            if not 0 <= chance <= 1:
                # Compared as it is: its float may be 1 although it is larger.
                got = _text(chance)
                raise ValueError(f"{where}: {name} must be a probability in [0, 1], got {got}")
            chances[name] = chance
        if not all(isinstance(chance, Fraction) for chance in chances.values()):
            chances = {n: _safety.exact_float(where, n, chance) for n, chance in chances.items()}
        for name, chance in chances.items():
            object.__setattr__(self, name, chance)
        checks.bounded(where, "own", self.own, "be above other", lambda own: own > self.other)
        if self.items is not None:
            items = checks.integer(where, "items", self.items, low=2)
            object.__setattr__(self, "items", items)

    @property
    def variance(self) -> Number:
        """Variance per honest user of the count of an item that nobody has.

        Examples
        --------
        >>> oue(3).variance
        Fraction(3, 1)
        """
        return self.other * (1 - self.other) / (self.own - self.other) ** 2


def grr(odds: Any, *, items: int) -> Oracle:
    r"""Return generalised randomised response (kRR): the own item with odds E to each other one.

    Parameters
    ----------
    odds : Fraction, int or float
        :math:`E = e^\varepsilon > 1`; exact if rational.
    items : int
        Number *D* of items, at least 2.

    Returns
    -------
    Oracle
        Its probabilities.

    Raises
    ------
    ValueError
        `odds` is not above 1 or not finite, or `items` is below 2.
    TypeError
        `odds` is no number, or `items` no integer.

    References
    ----------
    Wang, Blocki, Li, Jha, USENIX Security 2017 (as "direct encoding").

    Examples
    --------
    >>> frequency_gain(grr(3, items=4), "mga", n_fake=1, targets=1)
    Fraction(5, 2)
    """
    E = _odds("grr", odds)
    items = checks.integer("grr", "items", items, low=2)
    others = _like("grr", "items", items - 1, E)
    P, Q = E / (E + others), 1 / (E + others)
    _certify("grr", P, Q, odds=E)
    return Oracle("GRR", P, Q, Fraction(1, items), items)


def oue(odds: Any) -> Oracle:
    r"""Return optimised unary encoding: a box an item, the own one ticked with probability 1/2.

    Parameters
    ----------
    odds : Fraction, int or float
        :math:`E = e^\varepsilon > 1`; exact if rational.

    Returns
    -------
    Oracle
        Its probabilities.

    Raises
    ------
    ValueError, TypeError
        `odds` is no number above 1, or is not finite; or a float so near 1 that *Q* is 1/2 in
        floats.

    References
    ----------
    Wang, Blocki, Li, Jha, USENIX Security 2017.

    Examples
    --------
    >>> frequency_gain(oue(3), "mga", n_fake=1, targets=2)
    Fraction(6, 1)
    """
    E = _odds("oue", odds)
    Q = 1 / (E + 1)
    # Two reports differ in two boxes: the own one is ticked or not with 1/2, the other with Q.
    _certify("oue", 1 - Q, Q, odds=E)
    return Oracle("OUE", Fraction(1, 2), Q, Fraction(1, 2))


def olh(odds: Any, *, buckets: int | None = None) -> Oracle:
    r"""Return optimised local hashing: GRR on the hash value, under a hash function of one's own.

    Parameters
    ----------
    odds : Fraction, int or float
        :math:`E = e^\varepsilon > 1`; exact if rational.
    buckets : int, optional
        Number *g* of hash values, at least 2; without it *E* rounded, and one more.

    Returns
    -------
    Oracle
        Its probabilities, in the mean over random hash functions.

    Raises
    ------
    ValueError, TypeError
        `odds` is no number above 1, `buckets` no integer from 2 on; or `odds` is a float so large
        that *P* is not above *Q* in floats (twice the odds overflow).

    Notes
    -----
    The gain of ``mga`` is that of a fake that has found a hash function which sends all targets to
    one value. Cao, Jia and Gong state it for :math:`g = E + 1`, where it is that of OUE; with the
    whole number of buckets that a client can have it is a little more or less.

    References
    ----------
    Wang, Blocki, Li, Jha, USENIX Security 2017; for the gain Cao, Jia, Gong, 2021, as below.

    Examples
    --------
    >>> olh(3).other, olh(3).own
    (Fraction(1, 4), Fraction(1, 2))
    """
    where = "olh"
    E = _odds(where, odds)
    g = round(E) + 1 if buckets is None else checks.integer(where, "buckets", buckets, low=2)
    others = _like(where, "buckets", g - 1, E)
    P = E / (E + others)
    # The own value against each other one, of which there are g - 1.
    _certify(where, P, 1 / (E + others), odds=E)
    return Oracle("OLH", P, Fraction(1, g), Fraction(1, g))


def frequency_gain(oracle: Oracle, attack: str, *, n_fake: int, targets: int) -> Number:
    r"""Return the expected total gain of the targets' estimates, as in `poisoning`.

    Parameters
    ----------
    oracle : Oracle
        What `grr`, `oue` or `olh` returns.
    attack : {"rpa", "ria", "mga", "demotion"}
        ``rpa``: a report drawn uniformly from all. ``ria``: a uniformly drawn target, perturbed
        honestly. ``mga``: the report that supports most targets. ``demotion``: one that supports
        none.
    n_fake : int
        Number *n'* of fake users.
    targets : int
        Number *r* of targets.

    Returns
    -------
    Fraction or float
        :math:`n' (s - rQ)/(P - Q)`, in users; ``ria`` has :math:`s = P + (r - 1) Q`, gain *n'*.

    Raises
    ------
    ValueError
        The attack is unknown, a number is too small, or with GRR every item is a target.
    TypeError
        `oracle` is none, or a number of fakes or targets is no integer.

    References
    ----------
    Cao, Jia, Gong, USENIX Security 2021, has the gains of the first three attacks as shares of all
    reports; there the targets' own share goes down with the honest users' weight.

    Examples
    --------
    >>> import math
    >>> round(frequency_gain(grr(math.e, items=43), "mga", n_fake=1, targets=1), 2)
    25.44
    """
    where = "frequency_gain"
    if not isinstance(oracle, Oracle):
        raise TypeError(f"{where}: oracle must be what grr, oue or olh returns, got {oracle!r}")
    checks.choice(where, "attack", attack, ATTACKS)
    n_fake = checks.integer(where, "n_fake", n_fake, low=0)
    _like(where, "n_fake", n_fake, oracle.own)
    most = None if oracle.items is None else oracle.items - 1  # a report of GRR names some item
    r = checks.integer(where, "targets", targets, low=1, high=most)
    _like(where, "targets", r, oracle.own)
    supported = {
        "rpa": r * oracle.blind,
        "ria": oracle.own + (r - 1) * oracle.other,
        "mga": r if oracle.items is None else 1,
        "demotion": 0,
    }[attack]
    gain = n_fake * (supported - r * oracle.other) / (oracle.own - oracle.other)
    if isinstance(gain, float) and not math.isfinite(gain):
        raise ValueError(f"{where}: n_fake and targets must have a gain within the range of floats")
    return gain


def _odds(where: str, odds: Any) -> Number:
    """Return e^epsilon, exact if it is rational."""
    E = checks.rational(where, "odds", odds)
    return checks.bounded(where, "odds", E, "be above 1", lambda number: number > 1)


def _text(number: Number) -> str:
    """Return a number as text, unless that has thousands of digits."""
    if isinstance(number, Fraction):
        bits = max(number.numerator.bit_length(), number.denominator.bit_length())
        if bits > 2000:
            return f"a fraction of {bits} bits"
    return str(number)


def _like(where: str, name: str, number: int, other: Number) -> Number:
    """Return an integer as a fraction if `other` is one, else as a float that is equal to it."""
    if isinstance(other, Fraction):
        return Fraction(number)
    return _safety.exact_float(where, name, number)


def _certify(where: str, likely: Number, unlikely: Number, *, odds: Number) -> None:
    """Refuse probabilities of one report whose ratio is above the odds, exactly for fractions.

    A probability that is 0 in floats is left to `Oracle`, which wants P above Q.
    """
    if isinstance(odds, Fraction):
        if likely != odds * unlikely:
            raise _safety.UncertifiedError(f"{where}: the ratio of two reports is not the odds")
    else:
        _safety.certify(where, "the ratio of two reports", likely, odds * unlikely)
