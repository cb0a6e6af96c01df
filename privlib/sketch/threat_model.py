r"""Who can do what in each variant of the protocol: privacy against servers, gains of fake clients.

The noise of a report is a draw from slots (`privlib.sketch.slots`). A protocol in which a client
**sees** the draw before it has to answer lets it stop when it is unlucky. With one target and a
wide sketch, such a client gains :math:`e^\varepsilon / (e^\varepsilon - 1)` a session instead of 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from privlib import _checks as checks
from privlib import _safety

_MAX_TARGETS = 1024

_Pair = tuple[float, float]
_Distribution = list[_Pair]


def _binomial(count: int) -> _Distribution:
    """Values of a sum of `count` fair signs, with their probabilities."""
    return [(2 * k - count, math.comb(count, k) / 2**count) for k in range(count + 1)]


def _sum_of_signs(targets: int, width: int) -> _Distribution:
    r"""Return the distribution of a sum of Hadamard signs of targets, at a uniform coordinate.

    The *r* targets lie at independent uniform positions; coordinate 0 has the sign +1 everywhere.

    >>> sum(abs(s) * p for s, p in _sum_of_signs(8, 128))
    2.2329...
    """
    masses = [(value, p * (1 - 1 / width)) for value, p in _binomial(targets)]
    return [*masses[:-1], (targets, masses[-1][1] + 1 / width)]


@dataclass(frozen=True)
class Threat:
    """One variant of the protocol, and who can do what.

    Parameters
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

    Examples
    --------
    A commitment to the item and a public coin leave fakes nothing but their own vote.

    >>> for threat in threat_matrix(1.0, 8):
    ...     if threat.name in ("V0", "V6"):
    ...         print(threat.variant, threat.malicious, round(threat.gain_hcms, 1))
    plain reports 1.0 17.4
    V5' with a commitment to the item before that draw 1.0 1.0
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
    sums = _sum_of_signs(r, width)
    factor = width / (width - 1)
    load = r / width
    cms = 1 / math.tanh(epsilon / 4)
    hcms = 1 / math.tanh(epsilon / 2)
    offer = factor * (r * (cms + 1) / 2 - load), factor * (r * hcms - load)
    best = factor * (sum(abs(s) * p for s, p in sums) - load)

    def kept(products: _Distribution) -> _Pair:
        """Return the gain of a client that stops when it loses, and how often it does.

        `products` are the values of the true sign times the sum of the signs.
        """
        gain = 0.0
        stops = 0.0
        for s, p in products:
            for shown in (1, -1):  # times the true sign
                value = hcms * shown * s - load
                probability = p * (1 + shown / hcms) / 2
                if value > 0:
                    gain += probability * value
                else:
                    stops += probability
        return factor * gain, stops

    # The sign of the committed item times the sum: its own 1, and the signs of the others.
    own = [(1 + s, p * (1 - 1 / width)) for s, p in _binomial(r - 1)] + [(r, 1 / width)]
    none = (0.0, 0.0)
    sees_all = (math.inf, math.inf)
    level = (epsilon, epsilon)
    unbounded = (math.inf, math.inf)
    free = (float(r), float(r))
    signed = kept([(abs(s), p) for s, p in sums])
    hidden = kept(own)
    rows: list[tuple[str, str, _Pair, _Pair, _Pair | None]] = [
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
