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

Fractions stay fractions. The two sketches fit the same frame, in the mean over hash families.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privlib import _checks as checks
from privlib._checks import Number

ATTACKS = ("rpa", "ria", "mga", "demotion")
"""Names of the attacks, a part of those of `poisoning`."""


@dataclass(frozen=True)
class Oracle:
    """Probabilities of support of one frequency oracle.

    Attributes
    ----------
    name : str
        Any label; `grr`, `oue` and `olh` take "GRR", "OUE" and "OLH".
    own, other : Fraction or float
        *P* and *Q*: chances that a report supports the item of its sender, and another item;
        *P* is the larger one.
    blind : Fraction or float
        Chance that a report drawn uniformly from all possible ones supports an item.
    items : int or None
        Number of items, at least 2, if a report names exactly one of them, else None.

    Raises
    ------
    ValueError
        A chance is not finite or not in [0, 1], `own` is not above `other`, or `items` is below 2.
    TypeError
        A chance is not a real number, or `items` is neither an integer nor None.

    Examples
    --------
    >>> frequency_gain(Oracle("a fair ballot", 1, 0, 0), "mga", n_fake=1, targets=1)
    1.0
    """

    name: str
    own: Number
    other: Number
    blind: Number
    items: int | None = None

    def __post_init__(self) -> None:
        for name in ("own", "other", "blind"):
            checks.probability("Oracle", name, getattr(self, name))
        checks.bounded("Oracle", "own", self.own, "be above other", lambda own: own > self.other)
        checks.integer("Oracle", "items", 2 if self.items is None else self.items, low=2)

    @property
    def variance(self) -> Number:
        """Variance per honest user of the count of an item that nobody has.

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
    return Oracle("GRR", E / (E + items - 1), 1 / (E + items - 1), Fraction(1, items), items)


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
        `odds` is no number above 1, or is not finite.

    References
    ----------
    Wang, Blocki, Li, Jha, USENIX Security 2017.

    Examples
    --------
    >>> frequency_gain(oue(3), "mga", n_fake=1, targets=2)
    Fraction(6, 1)
    """
    return Oracle("OUE", Fraction(1, 2), 1 / (_odds("oue", odds) + 1), Fraction(1, 2))


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
    E = _odds("olh", odds)
    g = round(E) + 1 if buckets is None else checks.integer("olh", "buckets", buckets, low=2)
    return Oracle("OLH", E / (E + g - 1), Fraction(1, g), Fraction(1, g))


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
    most = None if oracle.items is None else oracle.items - 1  # a report of GRR names some item
    r = checks.integer(where, "targets", targets, low=1, high=most)
    supported = {
        "rpa": r * oracle.blind,
        "ria": oracle.own + (r - 1) * oracle.other,
        "mga": r if oracle.items is None else 1,
        "demotion": 0,
    }[attack]
    return n_fake * (supported - r * oracle.other) / (oracle.own - oracle.other)


def _odds(where: str, odds: Any) -> Number:
    """Return e^epsilon, exact if it is rational."""
    E = checks.rational(where, "odds", odds)
    return checks.bounded(where, "odds", E, "be above 1", lambda number: number > 1)
