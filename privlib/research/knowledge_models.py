r"""What the attacker knows against what is released: one level for each pair.

*The k-anonymous sample.* Whatever happened before, the release is shuffled at the end. So in every
world, that is for every table, every sample and every rewriting, the *f* slots that show one value
are equally likely to be the record's:

.. math:: \Pr[\Pi(r) = r' \mid \tau'] = \frac{\Pr[r \text{ is shown as } a \mid \tau']}{f}
          \le \frac1f .

A release whose every shown value is shown at least *k* times is Pk-anonymous against everybody,
also against an attacker who knows the whole table and who took part. Membership is another matter:
where all people with a value are shown, it is certain.

*The map.* With :math:`\gamma, g_2` of `privlib.disclosure.anonymity`, *s* of *n* records released
and *f* slots that show the value of the target's, the swap lemma gives the levels

- :math:`f + (n - s)\gamma + (s - f) g_2` if the attacker knows the table;
- :math:`f + (s - f) g_2` if she also knows who took part, or only that the target did;
- if she knows :math:`n_0` records, the target's among them, and takes the others for independent
  draws that have the target's value with probability at least :math:`c = 1/n_0` (as equation (1)
  does), for *f* = 1

  .. math:: 1 + (\hat n + K)\gamma' + (n_0 - 1 - K)\gamma + K g_2 + (s - 1 - K) g_2' , \qquad
            \hat n = n - n_0 - (s - 1),

  at the worse end of :math:`\max(0, -\hat n) \le K \le \min(n_0 - 1, s - 1)`, the number of other
  known records in the sample. Her rows for unknown records are mixtures, at worst of two rows:
  :math:`\gamma' = \min\,(c + (1 - c) R)`, and :math:`g_2'` the least ratio of two such numbers.

Sampling alone is :math:`\gamma = g_2 = g_2' = 0`, :math:`\gamma' = c`. Then *f* is free, and
the level of the last attacker is :math:`f + \max(\hat n, 0)/n_0`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib.disclosure import bounds
from privlib.disclosure import ratios as pairs
from privlib.disclosure import validation as valid

ATTACKERS = ("some records", "the table", "the table and who took part")


def pk_level_map(
    transition: Any, n: int, *, n_known: int, n_sampled: int, shown: int
) -> npt.NDArray[Any]:
    r"""Return the level of every release against every attacker.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column, for the two releases
        with PRAM.
    n : int
        Number of records of the table.
    n_known : int
        Number of records that the first attacker knows, in ``1..n``.
    n_sampled : int
        Number of records in the release, in ``1..n``; all of them for PRAM alone.
    shown : int
        How often each value is shown at least in the *k*-anonymous sample, in ``1..n_sampled``.

    Returns
    -------
    ndarray, shape (3, 4)
        Levels, one row for each of `ATTACKERS`, one column for each release: a sample, a
        *k*-anonymous sample, PRAM, PRAM and a sample; fractions for a rational matrix, else floats
        rounded down.

    Raises
    ------
    ValueError, TypeError
        `transition` is not row-stochastic or has a 0 beside a positive entry of its column, or a
        number is out of its range.

    Notes
    -----
    All twelve hold for every release of their kind. Those of the last two rows are attained by a
    record among records that are all alike (with PRAM in a sample if `anonymity.is_tight`). In the
    first row the samples attain theirs if only the target has its value among the known records and
    the other slots show values of nobody known (to which equation (1) gives probability 0: its own
    worst case, `sampling.worst_case_risk`, is a little better); PRAM does, for retention, if the
    other known records are all alike; PRAM in a sample does for *s* = 1 and *s* = *n*, and in
    between the same table is above the bound by at most :math:`n_0 - 1` times the slope in *K*.
    (With :math:`n_0 = 1` she is sure that everybody has the target's value; her true level is *n*.)

    References
    ----------
    Claim 4.1, Theorem 5.1 and section 3, which names the two ways to uncertainty.

    Examples
    --------
    >>> from privlib.disclosure import retention_matrix
    >>> half = retention_matrix(0.5, 10)
    >>> print(pk_level_map(half, 1000, n_known=10, n_sampled=100, shown=5).round(2))
    [[ 90.1   94.1   19.07 165.62]
     [  1.     5.     9.26  83.64]
     [  1.     5.     9.26   1.82]]
    """
    where = "pk_level_map"
    n, s = valid.sizes(where, n, n_sampled, required=True)
    n0 = checks.integer(where, "n_known", n_known, low=1, high=n)
    f = checks.integer(where, "shown", shown, low=1, high=s)
    f = f if 2 * f <= s else s  # no room for a second value
    ratios = pairs.extremes(where, transition)
    c = Fraction(1, n0)
    own, mixed = _mixtures(ratios, c)
    noise = ratios.gamma, ratios.g2, own, mixed
    plain = Fraction(0), Fraction(0), c, Fraction(0)
    releases: list[tuple[int, int, tuple[Any, ...]]] = [
        (s, 1, plain),
        (s, f, plain),
        (n, 1, noise),
        (s, 1, noise),
    ]

    # A second time from logarithms of ratios, and at more than the two ends of K.
    logs = np.exp(ratios.logs)
    with np.errstate(over="ignore"):
        highs = np.exp(ratios.log_highs)
    chance = float(c)
    again_own = chance + (1 - chance) * logs
    again_mixed = 1.0
    if n0 > 1:  # one ratio may be infinite, and nothing of it counts for one known record
        again_mixed = float((again_own / (chance + (1 - chance) * highs)).min())
    again = (*ratios.again, float(again_own.min()), again_mixed)
    seconds: list[tuple[Any, ...]] = [plain, plain, again, again]

    cells = np.empty((len(ATTACKERS), len(releases)), dtype=object)
    for column, second in enumerate(seconds):
        size, times, minima = releases[column]
        least = _levels(n, n0, size, times, minima, inside=0)
        fractions = tuple(Fraction(number) for number in second)
        checked = _levels(n, n0, size, times, fractions, inside=16)
        for row, (level, once_more) in enumerate(zip(least, checked)):
            bounds.certify_level(where, level, bounds.float_down(once_more))
            cells[row, column] = bounds.as_given(level, exact=ratios.exact)
    return cells if ratios.exact else cells.astype(np.float64)


def _mixtures(ratios: pairs.Extremes, c: Fraction) -> tuple[Fraction, Fraction]:
    """Return gamma' and g2' of rows mixed with the worst one, neither above the true one."""
    own = c + (1 - c) * ratios.gamma
    if c == 1 or ratios.gamma == 1:
        return own, Fraction(1)
    if ratios.exact:
        return own, ((c + (1 - c) * ratios.low) / (c + (1 - c) * ratios.high)).min()
    chance = float(c)
    # The scale of a row is that of the ratio; then some eight roundings of positive numbers.
    low = ratios.low / float(ratios.unevenness)
    high = ratios.high * float(ratios.unevenness)
    with np.errstate(over="ignore"):
        mixed = (chance + (1 - chance) * low) / (chance + (1 - chance) * high)
    return own, Fraction(float(mixed.min()) * (1 - 2.0**-49))


def _levels(
    n: int, n0: int, s: int, f: int, minima: tuple[Any, ...], *, inside: int
) -> list[Fraction]:
    """Return the levels of a release against the three attackers."""
    gamma, g2, own, mixed = minima
    rest, left = s - f, n - n0 - s + 1
    first, last = max(0, -left), min(n0, s) - 1
    counts = {first, last, *range(first, last, max(1, (last - first) // (inside + 1)))}
    if not inside:
        counts = {first, last}
    some = min(
        f + (left + K) * own + (n0 - 1 - K) * gamma + K * g2 + (rest - K) * mixed for K in counts
    )
    known = f + rest * g2
    return [some, known + (n - s) * gamma, known]
