r"""Noise as a draw from slots: rational probabilities, and the levels that they have.

If *T* of *N* slots hold a sign *w* and the others :math:`-w`, a uniform draw keeps *w* with the
probability :math:`T/N`. One drawn sign is then private with

.. math:: \varepsilon_N = \ln \frac{T}{N - T}, \qquad c_N = \frac{1}{2T/N - 1} = \frac{N}{2T - N},

(twice :math:`\varepsilon_N` for CMS, where two items differ in two signs), and only these
:math:`\varepsilon` exist. A server that de-noises with the constant *c* of another
:math:`\varepsilon` scales what it estimates by :math:`c/c_N`.
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

_LOGARITHM = 4 * math.ulp(1.0)
"""What a level that somebody computed by `math.log` may be off, relatively."""


def checked_slots(where: str, slots: int, *, true: int) -> tuple[int, int]:
    """Return the numbers of slots and of true slots, of which there must be a majority.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    slots : int
        Number *N* of slots, in 3..65,535.
    true : int
        Number *T* of slots with the true sign, more than half of them and less than all.

    Returns
    -------
    tuple of int and int
        *N* and *T*.

    Raises
    ------
    ValueError
        A number is out of its range.
    TypeError
        A number is no integer.

    Examples
    --------
    >>> checked_slots("report", 11, true=8)
    (11, 8)
    >>> checked_slots("report", 11, true=5)
    Traceback (most recent call last):
        ...
    ValueError: report: true must be in 6..10, got 5
    """
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

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    slots : int
        Number *N* of slots, in 3..65,535.
    true : int
        Number *T* of slots with the true sign, more than half of them and less than all.
    epsilon : float
        Level of the scheme, which must be that of the slots to nine digits.
    bits : int
        Number of signs in which two items may differ: 1 for HCMS, 2 for CMS.

    Returns
    -------
    tuple of int and int
        *N* and *T*.

    Raises
    ------
    ValueError
        A number is out of its range, or the slots have another level than `epsilon`.
    TypeError
        A number is no integer.

    Examples
    --------
    >>> agreed_slots("report", 11, true=8, epsilon=slot_epsilon(11, 8), bits=1)
    (11, 8)
    >>> agreed_slots("report", 11, true=8, epsilon=1.0, bits=1)
    Traceback (most recent call last):
        ...
    ValueError: report: the epsilon of the scheme must be that of 8 true slots of 11, ...
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

    Parameters
    ----------
    slots : int
        Number *N* of slots, in 3..65,535.
    true : int
        Number *T* of slots with the true sign, more than half of them and less than all.

    Returns
    -------
    Fraction
        The constant, more than 1.

    Raises
    ------
    ValueError
        A number is out of its range.
    TypeError
        A number is no integer.

    Examples
    --------
    >>> slot_constant(11, 8)
    Fraction(11, 5)
    """
    slots, true = checked_slots("slot_constant", slots, true=true)
    return Fraction(slots, 2 * true - slots)


@dataclass(frozen=True)
class Slots:
    """A rational probability near that of a given epsilon.

    Parameters
    ----------
    slots : int
        Number *N* of slots.
    true : int
        Number *T* of true ones.
    epsilon : float
        What they give, at most what was asked for.
    variance_cost : float
        Relative growth of the variance of the noise.

    Examples
    --------
    >>> best = slots_for(1.0, 30)[-1]
    >>> best.slots, best.true, best.epsilon <= 1.0
    (26, 19, True)
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
    s = math.exp(-epsilon / bits)  # q/p
    gap = -math.expm1(-epsilon / bits)  # 1 - q/p
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
