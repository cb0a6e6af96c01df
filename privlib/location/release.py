r"""A histogram between the true and the predicted one: Algorithm 1, and the walk along bridges.

The release is a point of the segment from the true histogram *x* to the prediction
:math:`\tilde\pi = \pi P`,

.. math:: x(\alpha) = (1 - \alpha)\, x + \alpha\, \tilde\pi ,

and Algorithm 1 takes steps in :math:`\alpha` until no gain exceeds :math:`e^\varepsilon`. At
:math:`\alpha = 1` the printed gain is 1 by definition, so the loop ends. Between, the largest
gain need not fall: which weights keep the bound is in `privlib.location.segment`, and what an
attacker finds who knows how the release was made in `privlib.location.reconstruction`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray
from privlib.location import _bridge_walk as walk
from privlib.location import gain
from privlib.location import validation as valid
from privlib.location.segment import BRIDGE, SLACK, Segment, log_gain

STEPS = 1_000_000  # of Algorithm 1
RESOLVED = 1e-6  # how well masses in floats determine the bridge that `certify` computes anew


@dataclass(frozen=True, eq=False, repr=False)
class Release(_safety.OwnsArrays):
    r"""What Algorithm 1 publishes, and how it got there.

    The arrays are copies that cannot be written to.

    Parameters
    ----------
    histogram : ndarray, shape (L,)
        The release :math:`\pi^*(t)`: real masses with the total *N*.
    alpha : float
        Weight of the prediction.
    gain : float
        Largest gain of the release.
    alphas : ndarray, shape (k,)
        Every weight that was tried.
    gains : ndarray, shape (k,)
        The largest gain of each.

    Examples
    --------
    Six people in state 0 are 1.5 times as many as predicted. With epsilon = 0.3 a release may show
    1.35 times as many.

    >>> P = [[0.5, 0.5], [0.5, 0.5]]
    >>> release = private_histogram(
    ...     [4, 4], [6, 2], transition=P, epsilon=0.3, adversary="MK", definition="exact"
    ... )
    >>> release.histogram.round(2), release.gain
    (array([5.4, 2.6]), 1.35)
    """

    histogram: FloatArray
    alpha: float
    gain: float
    alphas: FloatArray
    gains: FloatArray

    def __repr__(self) -> str:
        return (
            f"Release({self.histogram.size} states, alpha {self.alpha:.4g}, gain {self.gain:.4g}, "
            f"{self.alphas.size} weights tried)"
        )


def prediction(before: npt.ArrayLike, transition: Any) -> Any:
    r"""Return the predicted histogram :math:`\tilde\pi(t) = \pi(t-1) P`.

    Parameters
    ----------
    before : array_like, shape (L,)
        Histogram :math:`\pi(t-1)`, people or real masses.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic; fractions give fractions.

    Returns
    -------
    ndarray, shape (L,)
        The mean of the next histogram.

    Raises
    ------
    ValueError
        Somebody is in a state that no transition leaves (an empty row of a sparse matrix).

    References
    ----------
    Section 3.2.1. Section 4.2 prints :math:`\pi(t)` in place of :math:`\pi(t-1)`.

    Examples
    --------
    >>> prediction([8, 2], [[0.1, 0.9], [0.9, 0.1]])
    array([2.6, 7.4])
    """
    where = "prediction"
    P, states = valid.states_of(where, transition)
    pi = valid.histogram(where, "before", before, states, whole=False)
    valid.exits(where, pi, P)
    return np.asarray(pi @ P)


@gain.quoting_no_truth
def private_histogram(
    before: npt.ArrayLike,
    true: npt.ArrayLike,
    *,
    transition: Any,
    epsilon: float,
    step: float | None = None,
    adversary: str = "NPK",
    definition: str = "printed",
    unit: str = "person",
) -> Release:
    r"""Return the release of Algorithm 1, or that of the smallest feasible weight.

    Parameters
    ----------
    before : array_like, shape (L,)
        What the check takes for :math:`\pi(t-1)`: the true histogram for the class NPK, or the
        published one as Algorithm 1 says.
    true : array_like, shape (L,)
        The true histogram :math:`\pi(t)`.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic.
    epsilon : float
        Level, in 0..700, or infinity: no privacy is asked for, and the truth is published.
    step : float, optional
        Step *s* in (0, 1), at least 1e-6. Without it, the smallest feasible weight, see
        `segment.feasible_intervals`.
    adversary : {"NPK", "OPK", "MK"}
        Class of attackers.
    definition : {"printed", "exact", "bridge"}
        How the gain is defined, see `privlib.location.gain`. Candidates are real masses: the exact
        definition exists for the class MK only, the bridge needs a step.
    unit : {"person", "infinitesimal"}
        Unit of the savings in the printed definition: the paper's whole person, or an infinitely
        small share of one.

    Returns
    -------
    Release
        The published histogram with its weight and its gain.

    Raises
    ------
    ValueError
        `definition` is combined with a class or a step that it cannot have, or somebody is in a
        state that no transition leaves.
    UndefinedGainError
        No movement joins the histograms, or a gain on the way is not defined, see
        `gain.gain_table`.
    UncertifiedError
        The gain of what would be published, computed anew, is above :math:`e^\varepsilon`.

    Notes
    -----
    Algorithm 1 without its slips: its update prints :math:`\max(\alpha + s, 1)`, its end point
    :math:`\pi(t) P`. The last line of its loop, :math:`N \pi / \|\pi\|`, changes nothing in the
    1-norm, because both ends have the total *N*; in the 2-norm the total would be wrong.

    Before the release is returned, the gain of every guess is computed for the masses that are
    published, with duals that prove every flow if the definition is the printed one; the costs of
    the search are not used. At a weight where a gain meets its bound exactly, rounding decides: the
    logarithm of a gain is compared with :math:`\varepsilon (1 + 10^{-9})` and the rounding error of
    the costs, which grows with the number of people (some 1e-15 of the largest
    :math:`-N \log P_{ij}` for the unit ``"person"``).

    What is bounded is the gain of the named class by the named definition from this one release, of
    an attacker who takes it for the truth. The printed definition has not the true probabilities.
    Neither the attacker who knows this algorithm (and may find the truth, see
    `reconstruction.reconstruct_true`) nor one who sees several releases is covered, and no class is
    that knows more than `before` and *P*.

    References
    ----------
    Algorithm 1, section 4.2.

    Examples
    --------
    >>> P = [[1/2, 1/4, 1/4], [1/4, 1/2, 1/4], [1/8, 3/8, 1/2]]
    >>> options = {"transition": P, "epsilon": 0.5}
    >>> for step in (0.25, None):
    ...     found = private_histogram([2, 2, 1], [1, 2, 2], step=step, **options)
    ...     print(round(found.alpha, 4), found.histogram.round(3), round(found.gain, 4))
    0.5 [1.312 1.938 1.75 ] 1.5869
    0.4587 [1.287 1.943 1.771] 1.6487
    """
    where = "private_histogram"
    segment = Segment.make(
        where,
        before,
        true,
        transition=transition,
        epsilon=epsilon,
        adversary=adversary,
        definition=definition,
        unit=unit,
    )
    if step is None:
        lowest, upper = segment.feasible_weights()[0].tolist()
        alpha, largest = segment.inside(lowest, upper)
        alphas = [alpha]
        gains = [largest]
    else:
        size = valid.step_size(where, step)
        _safety.limit(where, "1 / step", math.ceil(1 / size), STEPS, "take a larger step")
        alphas = [0.0]
        gains = [segment.largest(0.0)]
        while log_gain(gains[-1]) > segment.allowed and alphas[-1] < 1:
            # Multiples of the step, not sums of it: ten tenths are 1.
            alpha = len(alphas) * size
            if alpha > 1 - SLACK:
                alpha = 1.0
            alphas.append(alpha)
            gains.append(segment.largest(alpha))
        gains[-1] = segment.largest(alphas[-1], certify=True)
    _safety.certify(
        where,
        "the logarithm of the largest gain",
        log_gain(gains[-1]),
        segment.level,
        slack=SLACK,
        unit=segment.rounding,
    )
    published = segment.at(alphas[-1])
    return Release(published, alphas[-1], gains[-1], np.array(alphas), np.array(gains))


@gain.quoting_no_truth
def bridge_histogram(
    before: npt.ArrayLike,
    true: npt.ArrayLike,
    *,
    transition: Any,
    epsilon: float,
    two_sided: bool = False,
    certify: bool = True,
) -> Release:
    r"""Return the first release on the bridge walk that meets the bound of the large-*N* gain.

    Parameters
    ----------
    before : array_like, shape (L,)
        What the check takes for :math:`\pi(t-1)`, see the notes.
    true : array_like, shape (L,)
        The true histogram :math:`\pi(t)`.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic.
    epsilon : float
        Level, in 0..700, or infinity: no privacy is asked for, and the truth is published.
    two_sided : bool
        Let no gain fall below :math:`e^{-\varepsilon}` either.
    certify : bool
        Solve for the bridge to the published masses anew, without the walk, and compare its gains
        with the bound too. This may double the time; that the published masses are those of the
        walk is always checked.

    Returns
    -------
    Release
        Its `alpha` is the largest weight of the prediction in a connected part of the network,
        its `gain` the largest gain by the definition ``"bridge"``; nothing is tried on the way. A
        part of the network in which the truth keeps the bound publishes the truth, with weight 0.

    Raises
    ------
    ValueError
        Somebody is in a state that no transition leaves.
    TypeError
        An argument does not hold numbers, or a flag is neither True nor False.
    UndefinedGainError
        No movement joins the histograms: the truth counts people where no transition leads, or
        more of them than can come there. The release would have probability 0.
    UncertifiedError
        The gain of what would be published, computed anew, is above :math:`e^\varepsilon`. Masses
        in floats do not determine the gains of transitions whose people are too few beside the
        others, about one in 1e9.

    Notes
    -----
    The bridge from :math:`\pi` to *x* is :math:`b_{ij} = \pi_i P_{ij} s_j / c_i` with
    :math:`c_i = \sum_k P_{ik} s_k`, so its gains are :math:`s_j / c_i`, and the prediction has
    :math:`s = 1`. Walk from *s* to 1 in these coordinates, :math:`s + v` for :math:`v \ge 0`.
    Then :math:`c` becomes :math:`c + v`: every gain moves monotonically towards 1, the condition
    :math:`s_j + v \le e^\varepsilon (c_i + v)` is linear, and the smallest *v* is

    .. math:: v = \max_{\pi_i P_{ij} > 0} \frac{(s_j - e^\varepsilon c_i)^+}{e^\varepsilon - 1} .

    Scales of *s* do not matter, so each connected part has a *v* of its own; the weight is
    :math:`\alpha = v / (1 + v)` where the mean of *c* over the people of the part is 1. From one
    source the walk is that of Algorithm 1.

    Where the truth excludes a possible move, *s* is infinite. If the truth keeps the bound, it is
    published, and the gain of that move is 0. If not, the walk starts beside the truth: every move
    that is excluded takes a millionth of the people at either of its ends (more, but at most a
    thousandth, where floats of so many people would not show it). The gains of the release are
    those of its own *s*, whatever it starts from.

    The bound is that of one release, for attackers who start from the histogram `before` that the
    walk starts from. The gain of class MK, :math:`\pi^*_j / \tilde\pi_j`, is then a mean of these
    gains: at most :math:`e^\varepsilon` for any number of people. That of NPK is the exact one of
    many people. With the published histogram of yesterday as `before`, class NPK, which knows the
    true one, may gain more. With the true one nothing is promised for class MK, which knows the
    published one, and the walk heads for :math:`\pi(t-1) P`, which tells :math:`\pi(t-1)` where
    *P* can be inverted. Like Algorithm 1 it takes the release for the truth: who knows how it is
    made can go back.

    References
    ----------
    Algorithm 1 with the Schroedinger bridge in place of equation (3).

    Examples
    --------
    >>> P = [[1/2, 1/4, 1/4], [1/4, 1/2, 1/4], [1/8, 3/8, 1/2]]
    >>> found = bridge_histogram([2, 2, 1], [1, 2, 2], transition=P, epsilon=0.25)
    >>> found.histogram.round(3), round(found.alpha, 4), round(found.gain, 4)
    (array([1.262, 1.946, 1.792]), 0.4103, 1.284)
    """
    where = "bridge_histogram"
    two_sided = checks.flag(where, "two_sided", two_sided)
    certify = checks.flag(where, "certify", certify)
    pi, x, P = valid.step(where, before, true, transition, whole=False, name="true")
    level = valid.privacy_level(where, epsilon)
    arcs = walk.Arcs.make(where, pi, x, valid.floats(where, P))
    i = arcs.i
    j = arcs.j
    label = arcs.label
    # Logarithms throughout: beside a truth on the border, s has many orders of magnitude.
    log_s, log_truth = walk.walk_start(where, arcs, pi, x)
    log_c = walk.log_sums(i, np.log(arcs.chance) + log_s[j], pi.size)
    sources = np.flatnonzero(pi)
    home = arcs.of_source[sources]
    people = np.bincount(home, pi[sources], arcs.count)
    with np.errstate(divide="ignore", invalid="ignore"):  # some labels are of states without arcs
        mean = walk.log_sums(home, log_c[sources] + np.log(pi[sources]), arcs.count) - np.log(
            people
        )
    log_s -= np.where(arcs.of_sink >= 0, mean[arcs.of_sink], 0.0)
    log_c -= np.where(arcs.of_source >= 0, mean[arcs.of_source], 0.0)
    forced = arcs.parts.forced
    log_truth[forced] = log_s[j[forced]] - log_c[i[forced]]
    # A part publishes the truth only if the truth itself keeps the bound.
    allowed = level * (1 + SLACK) + BRIDGE
    broken = log_truth > allowed
    if two_sided:
        broken |= log_truth < -allowed
    kept = np.bincount(label, broken, arcs.count) == 0
    log_v = walk.walk_length(
        log_s[j], log_c[i], label, level, two_sided=two_sided, count=arcs.count
    )
    log_v[kept] = -np.inf
    # v / (1 + v) and 1 / (1 + v)
    log_weight = -np.logaddexp(0.0, -log_v)[label]
    log_rest = -np.logaddexp(0.0, log_v)[label]
    above = np.logaddexp(log_rest + log_s[j], log_weight)
    below = np.logaddexp(log_rest + log_c[i], log_weight)
    log_odds = np.where(kept[label], log_truth, above - below)
    odds = np.exp(log_odds)
    mixed = np.bincount(j, pi[i] * arcs.chance * odds, pi.size)
    published = np.where((arcs.of_sink < 0) | kept[arcs.of_sink], x, mixed).astype(np.float64)
    walk.certify_bridge(where, arcs, pi, published, odds)
    if two_sided:  # what floats round to nobody excludes the guess
        log_odds = np.where(published[j] > 0, log_odds, -np.inf)
    walk.certify_level(where, log_odds, level, slack=SLACK, unit=BRIDGE, two_sided=two_sided)
    if certify:
        again = walk.bridge_again(where, arcs, pi, published, kept)
        walk.certify_level(where, again, level, slack=RESOLVED, unit=SLACK, two_sided=two_sided)
    alpha = float(np.exp(-np.logaddexp(0.0, -log_v)).max())
    top = float(odds.max())
    return Release(published, alpha, top, np.array([alpha]), np.array([top]))
