r"""Sampling alone: what an attacker who knows a part of the table can still tell.

The attacker knows :math:`n_0` of *n* records, believes that the other *n* − :math:`n_0` are
independent draws from the values seen among the known ones (equation (1) of the paper), and sees
*s* = *pn* records drawn without replacement and shuffled. The swap lemma of the package with no
rewriting (*A* = *I*) gives for a known record of value *v*, which stands *f* times in the release
and :math:`c_v` times among the known records,

.. math::

    \frac{1}{\Pr[\Pi(r) = r' \mid \tau']}
    = 1 + q_v\,E[U] + E[W] + (f - 1), \qquad q_v = \frac{c_v}{n_0},

*U* the number of unknown records, *W* that of known records of value *v*, that were left out of
the sample. At least :math:`\hat n = n - n_0 - (s - 1)` unknown records are left out and
:math:`q_v \ge 1/n_0`, so the risk is at most

.. math:: \frac{1}{1 + \hat n / n_0} = \frac{n_0}{n - s + 1} .

That is the double sum of the paper's Claim 4.1: given the release, the number of records with
the value is *size-biased*, and a size-biased expectation of 1/*N* is 1/E[*N*].

**Where it fails.** The belief gives probability 0 to a value that no known record has, and does not
change when the release is seen. An attacker who updates it (a Dirichlet prior) has the risk
:math:`(n_0 + s - 1)/n` for a record that she knows, and up to :math:`1/(n - n_0)` for one of the
:math:`n - n_0` others. And an attacker who knows that the record was sampled has risk 1 as soon as
its value stands once in the release.

Fractions are exact; floats are rounded up where they are risks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib.disclosure import bounds
from privlib.disclosure import validation as valid

ATTACKERS = ("fixed", "learning")


@dataclass(frozen=True)
class BernoulliRisk:
    """Risk of a sample that takes every record independently with the same probability.

    Parameters
    ----------
    size : int
        Sample size that is exceeded with probability at most the failure asked for.
    risk : Fraction
        Risk of a release of that size or of a smaller one.
    failure : float
        Bound on the probability that the sample is larger than `size`: up to rounding the
        probability itself; for standard deviations of the sample size above some 10^5 records, the
        bound of Zubkov and Serov, which is not more than the probability for one record less.
    expected_size : int
        Size of the sample of fixed size to compare with: the integer part of *np*, at least 1.
    expected_risk : Fraction
        Its risk.

    Examples
    --------
    A sample of a tenth of 1,000 records has more than 148 of them once in a million samples.

    >>> result = bernoulli_risk(1000, 10, p=0.1, failure=1e-6)
    >>> result.expected_size, result.size, result.failure < 1e-6
    (100, 148, True)
    """

    size: int
    risk: Fraction
    failure: float
    expected_size: int
    expected_risk: Fraction


def identification_risk(n: int, n_known: int, *, n_sampled: int, shown: int = 1) -> Fraction:
    r"""Return the bound of Claim 4.1 on the risk of a simple random sample.

    Parameters
    ----------
    n : int
        Number of records of the table.
    n_known : int
        Number of records that the attacker knows, in ``1..n``.
    n_sampled : int
        Number of records in the release, in ``1..n``.
    shown : int
        Number *f* of slots that are known to show the value of the target's slot, itself included.

    Returns
    -------
    Fraction
        :math:`1/(f + \hat n/n_0)`, for *f* = 1 :math:`n_0 / (n - s + 1)`; 1/*f* where
        :math:`\hat n < 0`. It holds for every known table, release, record and slot, of unknown
        records too.

    Raises
    ------
    ValueError, TypeError
        A number is out of its range, or not an integer.

    Notes
    -----
    With *N* = 1 + *X*, *X* ~ Bin(:math:`\hat n`, 1/n_0), the sum over all
    :math:`i, j = 1..\hat n + 1` is :math:`\sum_i \Pr(N = i) / \sum_j j \Pr(N = j) = 1 / E[N]`. The
    printed limits stop at :math:`\hat n - 1`. Both sums lose terms, the lower one more: for
    :math:`\hat n \ge 2` the printed value is still a bound. For :math:`\hat n \le 1` its outer sum
    is empty, 0, which bounds nothing. The reason: it is :math:`1/E[N \mid N < \hat n]`, and to
    know that *N* is small lowers its mean.

    All that the bound needs of the belief is that unknown records have the target's value
    independently with probability at least :math:`1/n_0`. Among such beliefs it is attained: the
    other slots show values that no known record has.

    References
    ----------
    Claim 4.1 and the display at the end of its proof.

    Examples
    --------
    >>> identification_risk(1000, 10, n_sampled=100)
    Fraction(10, 901)
    """
    n, n0, s, n_hat = _sizes("identification_risk", n, n_known, n_sampled)
    f = checks.integer("identification_risk", "shown", shown, low=1, high=s)
    risk = 1 / (f + Fraction(max(n_hat, 0), n0))
    if 0 <= n_hat <= _DOUBLE_SUM:
        # The display of the claim, with the sums up to n_hat + 1 people of the target's value.
        chance = Fraction(1, n0)
        probabilities = [
            math.comb(n_hat, x) * chance**x * (1 - chance) ** (n_hat - x) for x in range(n_hat + 1)
        ]
        again = sum(probabilities) / sum((f + x) * weight for x, weight in enumerate(probabilities))
        _safety.certify("identification_risk", "the double sum of Claim 4.1", again, risk)
    return risk


def worst_case_risk(n: int, n_known: int, *, n_sampled: int) -> Fraction:
    r"""Return the largest risk among the releases that the attacker holds possible.

    Parameters
    ----------
    n, n_known, n_sampled : int
        As for `identification_risk`.

    Returns
    -------
    Fraction
        :math:`n_0 / (n_0 + \hat n + \kappa)` with
        :math:`\kappa = n_0 (s - 1) / (n_0 (s - 1) + \hat n + 1)`, for :math:`n_0 \ge 2` and
        :math:`\hat n \ge -1`; 1 for a smaller :math:`\hat n`; 1/*n* for one known record.

    Notes
    -----
    The release that the paper names, all other slots with values that nobody known has, has
    probability 0 under equation (1) when *s* > 1. Inside the support,
    :math:`U = \hat n + K`, *K* the number of the other slots that known records fill. Put
    :math:`s_w` slots on value *w*. The weight of *K* = *j* is
    :math:`a_j\,m!/(m - s + 1 + j)!` with *m* = *n* − :math:`n_0` and

    .. math::

        \sum_j a_j x^j = \prod_w \sum_j \binom{s_w}{j} \frac{c_w!}{(c_w - j)!}
        \Bigl(\frac{n_0}{c_w}\Bigr)^j x^j = 1 + n_0 (s - 1) x + a_2 x^2 + \dots

    The first two coefficients are the same for every release, the others are not negative and
    belong to values *K* ≥ 2 > :math:`\kappa`. So E[*K*] is smallest, :math:`\kappa`, if they
    vanish: all other slots show *one* value that *one* known record has. A value of the target
    that stands twice in the release adds 1, one that two known records have doubles; an unknown
    target has risk at most :math:`1/(n - n_0 + 1)`. None is worse.

    References
    ----------
    Claim 4.1; the exact value is not in the paper.

    Examples
    --------
    >>> worst_case_risk(5, 2, n_sampled=3), identification_risk(5, 2, n_sampled=3)
    (Fraction(6, 11), Fraction(2, 3))
    """
    n, n0, s, n_hat = _sizes("worst_case_risk", n, n_known, n_sampled)
    if n0 == 1:
        return Fraction(1, n)  # the belief: everybody has the same value
    if n_hat <= -1:
        return Fraction(1)
    others = n0 * (s - 1)
    risk = n0 / (n0 + n_hat + Fraction(others, others + n_hat + 1))
    # A second time from the two weights: no other slot is a known record's, or one is.
    m = n - n0
    # In units of m! / (m - s + 2)!; the weight of none is 0 for n_hat = -1.
    none = m - s + 2
    one = others
    mean = Fraction(one, none + one) if one else Fraction(0)
    _safety.certify("worst_case_risk", "the risk", 1 / (1 + (n_hat + mean) / n0), risk)
    bound = identification_risk(n, n0, n_sampled=s)
    _safety.certify("worst_case_risk", "the risk", risk, bound)
    return risk


def learning_attacker_risk(
    n: int,
    n_known: int,
    *,
    n_sampled: int,
    concentration: checks.Number = 0,
    categories: int | None = None,
) -> checks.Number:
    r"""Return the risk of a known record for an attacker who learns from the release.

    Known records only: an unknown one may be at greater risk, up to 1/(*n* − *n_known*).

    Parameters
    ----------
    n, n_known, n_sampled : int
        As for `identification_risk`.
    concentration : int, Fraction or float
        Parameter :math:`\alpha \ge 0` of the symmetric Dirichlet prior; 0 is the limit
        :math:`\alpha \to 0`.
    categories : int, optional
        Number of values *N*, needed if `concentration` is positive.

    Returns
    -------
    Fraction or float
        :math:`1 / (1 + (1 + \alpha) \hat n / m)` with :math:`m = n_0 + \alpha N + s - 1`, and 1
        for :math:`\hat n < 0`; a float, rounded up, if `concentration` is one. The limit is
        :math:`(n_0 + s - 1)/n`.

    Raises
    ------
    ValueError, TypeError
        As for `identification_risk`; also if `concentration` is negative or comes without
        `categories`.

    Notes
    -----
    The swap lemma with :math:`q_v` replaced by the probability that the next unknown record has
    the target's value after the known ones and the at most *s* − 1 sampled unknown ones, at least
    :math:`(1 + \alpha)/(n_0 + \alpha N + s - 1)`. Attained for :math:`\alpha > 0` when the
    target's value is unique among the known records and in the release and the other slots show
    values that no known record has (possible for *s* = 1, or for *N* > 2, or for one known record
    and *N* = 2). By symmetry the risk of an *unknown* record is at most
    :math:`1/(n - n_0)`, which this number does not cover: a slot with a value that nobody had met
    is an unknown record's for sure, and if there is one only, it is found. `max_sample_size` covers
    both.

    References
    ----------
    Not in the paper, whose attacker (equation (1)) does not learn.

    Examples
    --------
    >>> learning_attacker_risk(1000, 10, n_sampled=901)
    Fraction(91, 100)
    >>> learning_attacker_risk(10, 2, n_sampled=3, concentration=1, categories=4)
    Fraction(2, 5)
    """
    where = "learning_attacker_risk"
    n, n0, s, n_hat = _sizes(where, n, n_known, n_sampled)
    alpha = checks.rational(where, "concentration", concentration)
    checks.bounded(where, "concentration", alpha, "not be negative", lambda x: x >= 0)
    if alpha and categories is None:
        raise ValueError(f"{where}: categories must be given with concentration > 0, got None")
    if categories is None:
        categories = 1
    total = checks.integer(where, "categories", categories, low=1)
    weight = Fraction(alpha)  # floats are fractions too, of which none overflows
    left = max(n_hat, 0)
    seen = n0 + s - 1 + weight * total
    risk = seen / (seen + (1 + weight) * left)
    # A second time from the chance that the next unknown record has the target's value.
    chance = (1 + weight) / (n0 + weight * total + s - 1)
    _safety.certify(where, "the risk", bounds.float_down(1 / (1 + left * chance)), float(risk))
    return bounds.as_given(risk, exact=isinstance(alpha, Fraction), up=True)


def max_sample_size(n: int, n_known: int, *, k: checks.Number, attacker: str = "fixed") -> int:
    r"""Return the largest sample in which every record has a risk of at most 1/*k*.

    Parameters
    ----------
    n, n_known : int
        As for `identification_risk`.
    k : int, Fraction or float
        Level, at least 1.
    attacker : {"fixed", "learning"}
        Who attacks: `identification_risk`, or `learning_attacker_risk` in its limit; both attack
        records that they know and records that they do not.

    Returns
    -------
    int
        Number of records in the release.

    Raises
    ------
    ValueError, TypeError
        Not even one record can be released (*k* > *n* / `n_known`, or, for the attacker who
        learns, *k* > *n* − `n_known` with `n_known` < *n*), `k` is less than 1, or a number is out
        of its range.

    Notes
    -----
    Both risks grow with *s*: :math:`s \le n + 1 - k n_0` for the attacker of equation (1),
    :math:`s \le n/k - n_0 + 1` for the one who learns. At *s* = 1 both are :math:`n_0/n`. For the
    one who learns, a slot may be an unknown record's for sure, and then it is each of the
    :math:`n - n_0` unknown ones with the same probability, whatever *s* is: so *k* may be at most
    :math:`n - n_0` besides. For the fixed attacker an unknown record is never easier.

    Not covered: who knows that the target was sampled, or knows more than :math:`n_0` records.

    References
    ----------
    Section 1.2: the necessary sampling rate becomes clear.

    Examples
    --------
    >>> max_sample_size(1000, 10, k=10), max_sample_size(1000, 10, k=10, attacker="learning")
    (901, 91)
    """
    where = "max_sample_size"
    n, n0, _, _ = _sizes(where, n, n_known, 1)
    level = Fraction(valid.level(where, k))  # a float is a fraction too
    checks.choice(where, "attacker", attacker, ATTACKERS)
    if level == 1:
        return n
    if attacker == "learning" and n0 < n < n0 + level:
        most = f"n - n_known = {n - n0} (unreachable: only unknown records hide unknown ones)"
        raise ValueError(f"{where}: k must be at most {most}, got {k!r}")
    bound = n + 1 - level * n0 if attacker == "fixed" else n / level - n0 + 1
    if bound < 1:
        most = f"n / n_known = {Fraction(n, n0)} (unreachable even with one sampled record)"
        raise ValueError(f"{where}: k must be at most {most}, got {k!r}")
    size = math.floor(bound)
    risk = identification_risk if attacker == "fixed" else learning_attacker_risk
    worst = Fraction(risk(n, n0, n_sampled=size))
    if attacker == "learning" and n0 < n:
        worst = max(worst, Fraction(1, n - n0))
    if worst * level > 1:  # in fractions, so without slack
        raise _safety.UncertifiedError(f"{where}: the risk must be at most 1/k, got {worst}")
    return size


def bernoulli_risk(n: int, n_known: int, *, p: checks.Number, failure: float) -> BernoulliRisk:
    r"""Return the risk of Bernoulli sampling, except with a small probability.

    Parameters
    ----------
    n, n_known : int
        As for `identification_risk`; *n* may be larger than any machine's integer.
    p : int, Fraction or float
        Probability that a record is taken, independently of the others, in (0, 1].
    failure : float
        Probability that the guarantee may fail, in [0, 1).

    Returns
    -------
    BernoulliRisk
        The size that is exceeded with probability at most `failure`, and its risk.

    Raises
    ------
    ValueError, TypeError
        A number is out of its range.

    Notes
    -----
    Given its size *S*, a Bernoulli sample is a simple random sample of that size, and the risk
    grows with *S*. With `failure` 0 the size is *n* and the risk 1: the strict criterion that the
    paper uses. A publisher who draws again while *S* > ``size`` has the strict guarantee.

    The size is found by an inequality with 60 digits (Zubkov and Serov): with
    :math:`D(x) = x \ln(x/p) + (1 - x) \ln((1 - x)/(1 - p))` and :math:`\Phi` the normal
    distribution function, :math:`\Pr(S > m) \le 1 - \Phi(\pm\sqrt{2 n D(m/n)})`, + for *m* > *np*,
    and not less than the same for *m* + 1. So it leaves two sizes, and a sum over the tail decides
    for the smaller one, if it is not too long; else the size may be one record larger than need
    be. The incomplete beta function of SciPy confirms the tail where *n* has at most 15 digits.

    References
    ----------
    Section 4.6; Zubkov and Serov (2012), the inequality.

    Examples
    --------
    >>> result = bernoulli_risk(1000, 10, p=0.1, failure=1e-6)
    >>> result.size, float(result.risk), float(result.expected_risk)
    (148, 0.011723, 0.011099)
    """
    where = "bernoulli_risk"
    n, n0, _, _ = _sizes(where, n, n_known, 1)
    rate = Fraction(valid.sampling_rate(where, p))
    allowed = checks.probability(where, "failure", failure)
    checks.bounded(where, "failure", allowed, "be in [0, 1)", lambda x: x < 1)
    size = n
    exceeded = 0.0
    if allowed and rate < 1:
        size = max(1, _first(lambda m: _tail_bound(m, n, rate) <= allowed, n))
        exceeded = bounds.mpf_up(_tail_bound(size, n, rate))
        for candidate in (size - 1, size):  # is one less enough, and how much is it truly?
            tail = _tail_sum(candidate, n, rate) if candidate else None
            if tail is not None and tail <= allowed:
                size = candidate
                exceeded = tail
                break
        _certify_tail(where, size, n, rate, allowed)
    expected = max(math.floor(rate * n), 1)
    risk = identification_risk(n, n0, n_sampled=size)
    expected_risk = identification_risk(n, n0, n_sampled=expected)
    return BernoulliRisk(size, risk, exceeded, expected, expected_risk)


def benedetti_franconi_risk(f: Any, p: npt.ArrayLike) -> Any:
    r"""Return the individual risk of Benedetti and Franconi, E[1/*N*].

    Parameters
    ----------
    f : array_like of int or Series, shape (...)
        Number of sampled records with the value, at least 1 (the ``value_counts`` of a sample).
    p : array_like or Series, shape (...)
        Sampling rate, in (0, 1]. The arguments broadcast; two Series must have the same index.

    Returns
    -------
    float or ndarray, shape (...)
        In the order of the arguments, without an index: expectation of 1/*N* when *N* − *f* has the
        negative binomial distribution with *f* successes of probability *p*.

    Raises
    ------
    ValueError, TypeError
        `f` does not hold integers of at least 1, or `p` numbers in (0, 1].

    Notes
    -----
    From :math:`1/N = \int_0^1 t^{N - 1} dt` and the substitution :math:`y = pt/(1 - (1-p)t)`,

    .. math:: r_f = \int_0^1 \frac{y^{f-1}}{1 + y (1-p)/p}\,dy
              = \frac{p}{f}\,{}_2F_1(1, 1; f + 1; 1 - p) .

    The terms of the series are positive; 64 of them are exact to rounding for *p* > 1/2 or
    *f* > 32. Otherwise
    :math:`r_{f+1} = \frac{p}{1-p} (\frac1f - r_f)` from
    :math:`r_1 = \frac{p}{1-p} \ln \frac1p`, which damps errors for *p* < 1/2.

    References
    ----------
    Benedetti and Franconi (1998); Franconi and Polettini (2004), the paper's reference [6].

    Examples
    --------
    >>> benedetti_franconi_risk([1, 2, 3], 0.1).round(5)
    array([0.25584, 0.08268, 0.04637])
    """
    where = "benedetti_franconi_risk"
    _safety.same_records(where, f=f, p=p)
    counts = checks.integers(where, "f", f, low=1, records=True)
    unit = "in (0, 1]", lambda x: (x > 0) & (x <= 1)
    rates = checks.reals(where, "p", p, *unit, records=True)
    counts, rates = np.broadcast_arrays(counts, rates)
    shape = counts.shape
    counts = counts.ravel()
    rates = rates.ravel()
    result = np.ones(counts.shape)
    for k in range(_TERMS, 0, -1):  # Horner's rule
        result = 1 + result * k * (1 - rates) / (counts + k)
    result *= rates / counts
    few = (rates <= 0.5) & (counts <= _FEW)
    odds = rates[few] / (1 - rates[few])
    risk = -odds * np.log(rates[few])
    for j in range(1, int(counts[few].max(initial=1))):
        risk = np.where(j < counts[few], odds * (1 / j - risk), risk)
    result[few] = risk
    return result.reshape(shape) if shape else result[0]


# ---------------------------------------------------------------------------------------------

_TERMS = 64
_FEW = 32
_DOUBLE_SUM = 12  # people left out up to which the double sum of Claim 4.1 is carried out
_LEAST = Fraction(1, 2**1000)
_TAIL = 2 * 10**6  # terms of the binomial tail that are added one by one


def _sizes(where: str, n: int, n_known: int, n_sampled: int) -> tuple[int, int, int, int]:
    """Return the checked sizes and n_hat, the least number of unknown records left out."""
    records, s = valid.sizes(where, n, n_sampled, required=True)
    n0 = checks.integer(where, "n_known", n_known, low=1, high=records)
    return records, n0, s, records - n0 - (s - 1)


def _first(good: Callable[[int], bool], n: int) -> int:
    """Return the first of 0, ..., n that is good, when all after it are, and n is."""
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if good(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _tail_bound(m: int, n: int, rate: Fraction) -> Any:
    """Return a bound on the probability of more than m successes: that of Zubkov and Serov."""
    mp = bounds.mpmath()
    if m >= n:
        return mp.mpf(0)
    with mp.workdps(bounds.DIGITS):
        if m == 0:
            p = mp.mpf(rate.numerator) / rate.denominator
            tail = -mp.expm1(n * mp.log1p(-p))  # 1 - (1 - p)^n
        else:
            # The two terms cancel, so that p and q need the digits of n, too.
            with mp.workdps(bounds.DIGITS + 2 * len(str(n))):
                p = mp.mpf(rate.numerator) / rate.denominator
                q = mp.mpf(rate.denominator - rate.numerator) / rate.denominator
                above = m * (mp.log(mp.mpf(m) / n) - mp.log(p))
                below = (n - m) * (mp.log(mp.mpf(n - m) / n) - mp.log(q))
                root = mp.sqrt(max(above + below, mp.mpf(0)))
            root = min(root, mp.mpf(10) ** 100)  # the bound falls with it; mpmath goes so far
            if Fraction(m, n) <= rate:
                root = -root
            tail = mp.erfc(root) / 2
        return tail * (1 + mp.mpf(10) ** -40)


def _tail_sum(m: int, n: int, rate: Fraction) -> float | None:
    """Return the probability of more than m successes, rounded up; None if the sum is too long."""
    if m >= n:
        return 0.0
    above = m + 1 > rate * n
    start = m + 1 if above else m  # the largest term of the sum
    # Down from the mode or up from it, the terms fall; each is the one before times a ratio.
    spread = math.isqrt(math.ceil(n * rate * (1 - rate))) + 1
    terms_left = n - start if above else start
    steps = min(terms_left, 40 * spread + 800)
    if steps > _TAIL:
        return None
    exact_odds = rate / (1 - rate)
    if not _LEAST <= exact_odds <= 1 / _LEAST:
        return None  # as a float it is 0, infinite or short of digits
    odds = float(exact_odds)
    j = np.arange(steps, dtype=np.float64)
    with np.errstate(under="ignore"):
        if above:
            ratios = (n - start - j) / (start + 1 + j) * odds
        else:
            ratios = (start - j) / (n - start + 1 + j) / odds
        terms = np.cumprod(ratios)
    # Each ratio has four roundings, each product one more, and a sum of terms has no more.
    total = 1 + math.fsum(terms)
    error = 8 * (steps + 1) * 2.0**-53
    last = float(ratios[-1]) if steps else 0.0
    if last >= 1:
        return None
    ended = steps == (n - start if above else start)
    rest = 0.0 if ended else float(terms[-1]) * last / (1 - last)
    mp = bounds.mpmath()
    with mp.workdps(bounds.DIGITS + 2 * len(str(n))):
        p = mp.mpf(rate.numerator) / rate.denominator
        q = mp.mpf(rate.denominator - rate.numerator) / rate.denominator
        ways = mp.loggamma(n + 1) - mp.loggamma(start + 1) - mp.loggamma(n - start + 1)
        peak = mp.exp(ways + start * mp.log(p) + (n - start) * mp.log(q))
        if above:
            tail = peak * (total * (1 + error) + rest * (1 + error))
        else:
            tail = 1 - peak * total * (1 - error)
        return bounds.mpf_up(min(tail * (1 + mp.mpf(10) ** -30), mp.mpf(1)))


def _certify_tail(where: str, m: int, n: int, rate: Fraction, allowed: float) -> None:
    """Raise unless the incomplete beta function has the tail within what is allowed."""
    if m >= n or n > 10**15:
        return
    from scipy import special  # an eighth of a second that the other functions need not pay

    again = float(special.betainc(m + 1.0, float(n - m), float(rate)))
    # Its arguments are rounded to 53 bits; that moves the tail by so much, relatively.
    deviation = math.sqrt(n * rate * (1 - rate))
    slack = 1e-9 + 1e-15 * math.sqrt(n) * (abs(m - n * rate) / max(deviation, 1) + 1) * 8
    _safety.certify(where, "the probability of a larger sample", again, allowed, slack=slack)
