r"""Noise as a draw from slots: rational probabilities, what they cost, and who can cheat how.

If *T* of *N* slots hold a sign *w* and the others :math:`-w`, a uniform draw keeps *w* with the
probability :math:`T/N`. One drawn sign is then private with

.. math:: \varepsilon_N = \ln \frac{T}{N - T}, \qquad c_N = \frac{1}{2T/N - 1} = \frac{N}{2T - N},

(twice :math:`\varepsilon_N` for CMS, where two items differ in two signs), and only these
:math:`\varepsilon` exist. A server that de-noises with the constant *c* of another
:math:`\varepsilon` scales what it estimates by :math:`c/c_N`.

A protocol in which a client **sees** the draw before it has to answer lets it stop when it is
unlucky. With one target and a wide sketch, such a client gains
:math:`\frac TN c_N = e^\varepsilon / (e^\varepsilon - 1)` a session instead of 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from privlib import _checks as checks
from privlib import _safety
from privlib.sketch._levels import exact_level, rounded_up

MAX_SLOTS = (1 << 16) - 1
"""Largest number of slots: the number of one is sent in two bytes."""

_MAX_TARGETS = 1024
_LOGARITHM = 4 * math.ulp(1.0)
"""What a level that somebody computed by `math.log` may be off, relatively."""


def checked_slots(where: str, slots: int, *, true: int) -> tuple[int, int]:
    """Return the numbers of slots and of true slots, of which there must be a majority."""
    slots = checks.integer(where, "slots", slots, low=2, high=MAX_SLOTS)
    if slots == 2:
        raise ValueError(f"{where}: slots must be at least 3: 2 have no majority that is not all")
    true = checks.integer(where, "true", true, low=slots // 2 + 1, high=slots - 1)
    return slots, true


def agreed_slots(
    where: str, slots: int, *, true: int, epsilon: float, bits: int
) -> tuple[int, int]:
    """Return the numbers of slots and of true slots, which must realise the scheme's `epsilon`.

    With a smaller epsilon the reports would tell more than it says, with a larger one the constant
    that belongs to it would be too small. In both cases the estimates would be biased.
    """
    slots, true = checked_slots(where, slots, true=true)
    level = slot_epsilon(slots, true, bits=bits)
    call = f"slot_epsilon({slots}, {true}{', bits=2' if bits == 2 else ''})"
    rule = f"the epsilon of the scheme must be that of {true} true slots of {slots}, {call}"
    if level * (1 - _LOGARITHM) > epsilon:
        reason = "or its reports tell more than its epsilon says and its estimates are biased"
        raise ValueError(f"{where}: {rule} = {level:.6f}, {reason}; got {epsilon}")
    if epsilon > level * (1 + _safety.SLACK):
        raise ValueError(
            f"{where}: {rule} = {level:.6f}, or its estimates are biased; got {epsilon}"
        )
    return slots, true


def slot_epsilon(slots: int, true: int, *, bits: int = 1) -> float:
    r"""Return the level of privacy of one draw from slots.

    Parameters
    ----------
    slots : int
        Number *N* of slots.
    true : int
        Number *T* of slots with the true sign, more than half of them and less than all.
    bits : int, optional
        Number of signs in which two items may differ: 1 for HCMS, 2 for CMS.

    Returns
    -------
    float
        ``bits * ln(T / (N - T))``, rounded up to a double. The level of one draw: each further
        report on the same item, and each slot that is opened besides, adds its own.

    Raises
    ------
    ValueError
        A number is out of its range: with half of the slots true there is no information, with all
        of them no privacy.
    TypeError
        A number is no integer.

    Examples
    --------
    >>> round(slot_epsilon(11, 8), 4), round(slot_epsilon(8, 5, bits=2), 4)
    (0.9808, 1.0217)
    """
    where = "slot_epsilon"
    slots, true = checked_slots(where, slots, true=true)
    bits = checks.integer(where, "bits", bits, low=1)
    _safety.limit(where, "bits", bits, 1 << 24)
    level = rounded_up(exact_level(Fraction(true, slots - true), bits))
    # By doubles: neither the logarithm nor the rounding is that of the line above.
    rough = bits * math.log1p((2 * true - slots) / (slots - true))
    _safety.certify(where, "the level of the slots", rough, level)
    _safety.certify(where, "the level that is returned", level, rough)
    return level


def slot_constant(slots: int, true: int) -> Fraction:
    """Return the de-noising constant N/(2T - N) of a draw from slots, exactly.

    >>> slot_constant(11, 8)
    Fraction(11, 5)
    """
    slots, true = checked_slots("slot_constant", slots, true=true)
    return Fraction(slots, 2 * true - slots)


@dataclass(frozen=True)
class Slots:
    """A rational probability near that of a given epsilon.

    Attributes
    ----------
    slots : int
        Number *N* of slots.
    true : int
        Number *T* of true ones.
    epsilon : float
        What they give, at most what was asked for.
    variance_cost : float
        Relative growth of the variance of the noise.
    """

    slots: int
    true: int
    epsilon: float
    variance_cost: float


def slots_for(epsilon: float, max_slots: int, *, bits: int = 1) -> list[Slots]:
    r"""Return the best numbers of slots for an epsilon, from below.

    Parameters
    ----------
    epsilon : float
        Level of privacy that must not be exceeded, positive and finite: slots always hide
        something.
    max_slots : int
        Largest number *N* of slots, at most 65,535.
    bits : int, optional
        1 for HCMS, 2 for CMS.

    Returns
    -------
    list of Slots
        By rising *N*, each one closer to `epsilon` than all before; empty if none is that small.

    Raises
    ------
    ValueError, TypeError
        `epsilon` is no positive number, `max_slots` no integer in 2..65,535, or `bits` not 1 or
        2.

    Notes
    -----
    *T* is the largest integer whose exact level is at most `epsilon`, so that
    :math:`T/N \le p = e^{\varepsilon/b}/(1 + e^{\varepsilon/b})`. Hence ``math.log(2)``, a double
    below the number :math:`\ln 2`, is no level of two of three slots; ``slot_epsilon(3, 2)`` is.
    The noise of an estimate grows with :math:`c^2` (HCMS; the variance per user is
    :math:`F^2 c^2`) or :math:`(c^2 - 1)/4` (CMS). With :math:`s = q/p = e^{-\varepsilon/b}` these
    are :math:`(1 + s)^2/(1 - s)^2` and :math:`s/(1 - s)^2`, which do not cancel; a growth beyond
    the largest double is ``inf``.

    Examples
    --------
    >>> [(s.slots, s.true, round(s.variance_cost, 4)) for s in slots_for(1.0, 30)][-3:]
    [(7, 5, 0.1627), (11, 8, 0.0336), (26, 19, 0.0025)]
    """
    epsilon = checks.positive("slots_for", "epsilon", epsilon)
    max_slots = checks.integer("slots_for", "max_slots", max_slots, low=2)
    _safety.limit("slots_for", "max_slots", max_slots, MAX_SLOTS)
    bits = checks.integer("slots_for", "bits", bits, low=1, high=2)
    s, gap = math.exp(-epsilon / bits), -math.expm1(-epsilon / bits)  # q/p and 1 - q/p
    # Of c^2 or, for CMS with one sign and half the constant, c^2 - 1: the numerator over gap^2.
    asked = (1 + s) ** 2 if bits == 1 else max(4 * s, math.ulp(0.0))
    results: list[Slots] = []
    best = Fraction(1, 2)
    for slots in range(2, max_slots + 1):
        true = min(math.floor(slots / (1 + s)) + 1, slots - 1)  # or less: the double may be off
        while _exceeds(true, slots - true, bits=bits, epsilon=epsilon):
            true -= 1
        share = Fraction(true, slots)
        if share > best:
            best = share
            cost = float(slot_constant(slots, true) ** 2 - (bits - 1)) * gap**2 / asked - 1
            results.append(Slots(slots, true, slot_epsilon(slots, true, bits=bits), cost))
    for slot in results:
        # The rounded level of what is returned: the loop compared exact ones.
        _safety.certify("slots_for", "the level of the slots", slot.epsilon, epsilon, slack=0.0)
    return results


def _exceeds(true: int, false: int, *, bits: int, epsilon: float) -> bool:
    """Tell whether the level of so many true and false slots is above `epsilon`, exactly."""
    level = bits * math.log(true / false)
    if abs(level - epsilon) > 1e-12 * epsilon:
        return level > epsilon
    if true <= false:
        return False
    return exact_level(Fraction(true, false), bits) > Decimal(epsilon)


Pair = tuple[float, float]
Law = list[Pair]


def _binomial(count: int) -> Law:
    """Values of a sum of `count` fair signs, with their probabilities."""
    return [(2 * k - count, math.comb(count, k) / 2**count) for k in range(count + 1)]


def _sum_law(targets: int, width: int) -> Law:
    r"""Return the law of the sum of the Hadamard signs of targets, at a uniform coordinate.

    The *r* targets lie at independent uniform positions; coordinate 0 has the sign +1 everywhere.

    >>> sum(abs(s) * p for s, p in _sum_law(8, 128))
    2.2329...
    """
    law = [(value, p * (1 - 1 / width)) for value, p in _binomial(targets)]
    return [*law[:-1], (targets, law[-1][1] + 1 / width)]


@dataclass(frozen=True)
class Threat:
    """One variant of the protocol, and who can do what.

    Attributes
    ----------
    name : str
        Short name.
    variant : str
        What happens in it.
    curious : float
        Privacy (epsilon) of an honest client's report against a server that keeps to the protocol
        and keeps what it sees. 0: the report tells nothing.
    malicious : float
        The same against a server that does not keep to the protocol (V3 and V4: if the transfer
        is secure against a malicious receiver).
    gain_cms : float
        Largest mean gain of one fake client in CMS, in users, over all targets together.
    gain_hcms : float
        The same in HCMS.
    aborts : float
        Largest mean gain in HCMS, a session, of a client that stops whenever it sees that it would
        lose.
    unfinished : float
        Share of the sessions of that client that never end.
    """

    name: str
    variant: str
    curious: float
    malicious: float
    gain_cms: float
    gain_hcms: float
    aborts: float
    unfinished: float


def threat_matrix(epsilon: float, targets: int, *, width: int = 128) -> list[Threat]:
    r"""Return privacy and largest gain for each variant of the protocol.

    Parameters
    ----------
    epsilon : float
        Level of privacy that the noise is made for; ``math.inf`` for no noise. The columns
        `curious` and `malicious` repeat it: for slots, pass their `slot_epsilon`.
    targets : int
        Number *r* of items that the fakes promote, at most 1024.
    width : int, optional
        Number *m* of columns, at most 2^24.

    Returns
    -------
    list of Threat
        V0 to V6, and V5' (the server draws row and coordinate, nobody commits to an item).

    Raises
    ------
    ValueError, TypeError
        `epsilon` is no positive number or so small that a gain is beyond the largest double, or
        another argument no integer in its range.

    Notes
    -----
    Gains are means over a uniformly random hash family; a report that ends in the sketch costs
    its targets :math:`F r/m`. With free output a sign is worth *c* (HCMS) or :math:`(c+1)/2`
    (CMS). With enforced noise a sign of the client's choice is worth its mean,
    :math:`c (p - q) = 1`. That is *r* in V5 if the client finds a coordinate where all targets
    have one sign (CMS: writes +1 at all of them). Where the server draws the coordinate, the
    client's best sign gains the mean of the absolute value of *r* fair signs, about
    :math:`\sqrt{2r/\pi}`, exactly, as coordinate 0 just pays for the *F r/m*. Where the item is
    committed before that, one item gains 1 whatever *r* is.

    A client that sees the coin (V5, V5', V6) and stops when its report would lose keeps the
    positive part of its gain. In V6 it sees the coordinate too before it decides, and can stop
    where the other targets come out badly: then the gain is
    :math:`\frac12 (c\,E|\sum_t H| + 1)` for wide sketches, which is
    :math:`e^\varepsilon/(e^\varepsilon - 1)` for *r* = 1 only.

    Examples
    --------
    >>> rows = {row.name: row for row in threat_matrix(1.0, 8)}
    >>> [round(rows[name].gain_hcms, 3) for name in ("V1", "V3", "V5", "V5'", "V6")]
    [17.385, 17.385, 8.0, 2.188, 1.0]
    >>> [f"{rows[name].aborts:.2f}, {rows[name].unfinished:.0%}" for name in ("V5", "V6")]
    ['12.71, 27%', '2.94, 57%']
    """
    where = "threat_matrix"
    epsilon = checks.privacy_level(where, "epsilon", epsilon)
    r = checks.integer(where, "targets", targets, low=1)
    _safety.limit(where, "targets", r, _MAX_TARGETS)
    width = checks.integer(where, "width", width, low=2)
    _safety.limit(where, "width", width, 1 << 24)
    if epsilon < 1e-290:  # 1/tanh(epsilon / 4), times so many targets, is no double any more
        raise ValueError(f"{where}: epsilon must be at least 1e-290, got {epsilon}")
    sums = _sum_law(r, width)
    factor, load = width / (width - 1), r / width
    cms, hcms = 1 / math.tanh(epsilon / 4), 1 / math.tanh(epsilon / 2)
    offer = factor * (r * (cms + 1) / 2 - load), factor * (r * hcms - load)
    best = factor * (sum(abs(s) * p for s, p in sums) - load)

    def kept(law: Law) -> Pair:
        """Gain of who stops when it loses, and how often; `law`: true sign times signs' sum."""
        cases = [(hcms * t * s - load, p * (1 + t / hcms) / 2) for s, p in law for t in (1, -1)]
        gain = factor * sum(p * value for value, p in cases if value > 0)
        return gain, sum(p for value, p in cases if value <= 0)

    # The sign of the committed item times the sum: its own 1, and the signs of the others.
    own = [(1 + s, p * (1 - 1 / width)) for s, p in _binomial(r - 1)] + [(r, 1 / width)]
    none, sees_all, level = (0.0, 0.0), (math.inf, math.inf), (epsilon, epsilon)
    unbounded, free = (math.inf, math.inf), (float(r), float(r))
    signed, hidden = kept([(abs(s), p) for s, p in sums]), kept(own)
    rows: list[tuple[str, str, Pair, Pair, Pair | None]] = [
        ("V0", "plain reports", level, offer, None),
        ("V1", "two slots, the server knows their order", sees_all, offer, None),
        ("V1'", "no transfer: the server flips signs that it is sent", sees_all, free, None),
        ("V2", "two slots in an order that the client hides", none, unbounded, None),
        ("V3", "N slots, shuffled by the client", level, offer, None),
        ("V4", "V3 with a proof of what the slots hold", level, free, None),
        ("V5", "commitment, public coin, proof; no transfer", level, free, kept([(r, 1.0)])),
        ("V5'", "V5, row and coordinate drawn by the server", level, (float(r), best), signed),
        ("V6", "V5' with a commitment to the item before that draw", level, (1.0, 1.0), hidden),
    ]
    return [
        Threat(name, variant, *privacy, *gain, *(stopping or (gain[1], 0.0)))
        for name, variant, privacy, gain, stopping in rows
    ]
