"""Tests of `privlib.disclosure.sampling`: every small world, algebra, quadrature, bad input."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from privlib.disclosure import posterior, sampling

# ---------------------------------------------------------------------------------------------
# Oracles
# ---------------------------------------------------------------------------------------------


def empirical(known, unknown, _):
    """Equation (1): unknown records are independent draws from the known ones."""
    return math.prod((Fraction(known.count(u), len(known)) for u in unknown), start=Fraction(1))


def polya(alpha):
    """A Dirichlet prior with parameter alpha: a Polya urn that starts with the known records."""

    def belief(known, unknown, categories):
        weight, seen = Fraction(1), list(known)
        for u in unknown:
            weight *= Fraction(seen.count(u) + alpha) / (len(seen) + alpha * categories)
            seen.append(u)
        return weight

    return belief


def worlds(known, n, s, categories, belief):
    """Joint law of the release and of who is where: every table, every ordered sample."""
    law, behind = Counter(), Counter()
    for unknown in itertools.product(range(categories), repeat=n - len(known)):
        weight = belief(known, unknown, categories)
        if weight:
            table = (*known, *unknown)
            for order in itertools.permutations(range(n), s):
                release = tuple(table[t] for t in order)
                law[release] += weight
                for slot, record in enumerate(order):
                    behind[release, record, slot] += weight
    return law, behind


def largest(known, n, s, categories, belief, records):
    """The largest match probability of the given records over all releases in the support."""
    law, behind = worlds(known, n, s, categories, belief)
    return max(
        behind[release, record, slot] / law[release]
        for release in law
        for record in records
        for slot in range(s)
    )


def known_tables(n0):
    """Every known table, up to names of the values: one for each partition of n0."""
    for table in itertools.combinations_with_replacement(range(n0), n0):
        counts = [table.count(v) for v in range(n0)]
        if counts == sorted(counts, reverse=True):
            yield table


def by_counts(known, n, shown):
    """E[1 / N_v | release] for every shown value v, from the law of the category counts alone.

    Prior: multinomial counts of the unknown records. Likelihood: multivariate hypergeometric.
    """
    n0, m = sum(known), n - sum(known)
    total, inverse = Fraction(0), [Fraction(0)] * len(known)
    for unknown in itertools.product(range(m + 1), repeat=len(known)):
        if sum(unknown) == m:
            weight = Fraction(math.factorial(m))
            for c, x, f in zip(known, unknown, shown):
                weight *= Fraction(c, n0) ** x / math.factorial(x) * math.comb(c + x, f)
            total += weight
            for v, (c, x) in enumerate(zip(known, unknown)):
                inverse[v] += weight / (c + x)
    return [part / total for part, f in zip(inverse, shown) if f] if total else []


SIZES = [(n, n0, s) for n in range(1, 5) for n0 in range(1, n + 1) for s in range(1, n + 1)]


# ---------------------------------------------------------------------------------------------
# Claim 4.1
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "n0", "s"), SIZES)
def test_every_world_of_up_to_four_records(n, n0, s):
    worst = max(largest(known, n, s, n0, empirical, range(n)) for known in known_tables(n0))
    assert (
        worst
        == sampling.worst_case_risk(n, n0, n_sampled=s)
        <= sampling.identification_risk(n, n0, n_sampled=s)
    )


@pytest.mark.parametrize("n", [5, 6])
def test_every_release_of_up_to_six_records_by_counts(n):
    for n0, s in itertools.product(range(1, n + 1), repeat=2):
        worst = Fraction(0)
        for table in known_tables(n0):
            known = [table.count(v) for v in range(n0) if v in table]
            for shown in itertools.product(range(s + 1), repeat=len(known)):
                if sum(shown) == s:
                    worst = max([worst, *by_counts(known, n, shown)])
        assert worst == sampling.worst_case_risk(n, n0, n_sampled=s)
        assert worst <= sampling.identification_risk(n, n0, n_sampled=s)
        attained = worst == sampling.identification_risk(n, n0, n_sampled=s)
        assert attained == (s == 1 or n - n0 - s + 1 <= -1), (n, n0, s)


@pytest.mark.parametrize(
    ("n", "n0", "s"), [(7, 3, 2), (9, 2, 4), (12, 4, 6), (10, 5, 6), (10, 5, 7)]
)
def test_the_worst_release_by_the_general_posterior(n, n0, s):
    """Identity matrix plus a row for the unknown records: the package's other module."""
    rows = [[int(u == v) for v in range(n0)] for u in range(n0)] + [[Fraction(1, n0)] * n0]
    table, release = [*range(n0), *[n0] * (n - n0)], [0] + [1] * (s - 1)
    exact = posterior.match_probability(
        table, release, transition=rows, record=0, slot=0, method="generating"
    )
    assert exact == sampling.worst_case_risk(n, n0, n_sampled=s)


def test_the_full_double_sum_is_the_closed_form():
    """As an identity in n0, for every n_hat up to 12, by its values at enough places.

    Cleared of denominators, both sides are polynomials of degree n_hat + 1 at most.
    """
    for n_hat in range(13):
        span = range(1, n_hat + 2)
        for n0 in range(2, n_hat + 5):
            risk = sum(
                math.comb(n_hat, i - 1)
                / sum(j * math.comb(n_hat, j - 1) * Fraction(n0 - 1) ** (i - j) for j in span)
                for i in span
            )
            assert risk == Fraction(n0, n0 + n_hat)
            assert risk == sampling.identification_risk(n0 + n_hat + 4, n0, n_sampled=5)


def test_the_examples_worked_by_hand():
    assert sampling.identification_risk(1000, 10, n_sampled=901) == Fraction(1, 10)
    assert sampling.identification_risk(4, 2, n_sampled=4) == 1
    assert sampling.identification_risk(6, 2, n_sampled=2) == Fraction(2, 5)
    assert sampling.identification_risk(4, 2, n_sampled=2) == Fraction(2, 3)
    assert sampling.worst_case_risk(5, 2, n_sampled=3) == Fraction(6, 11)
    assert sampling.worst_case_risk(4, 2, n_sampled=2) == Fraction(4, 7)
    assert sampling.worst_case_risk(9, 1, n_sampled=5) == Fraction(1, 9)
    assert sampling.worst_case_risk(3, 3, n_sampled=3) == 1


# ---------------------------------------------------------------------------------------------
# The attacker who learns
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [Fraction(1, 3), Fraction(1), Fraction(5, 2)])
@pytest.mark.parametrize(
    ("n", "n0", "s", "categories"),
    [(2, 1, 1, 2), (3, 1, 2, 2), (4, 1, 3, 2), (4, 2, 2, 3), (4, 2, 3, 3), (5, 2, 2, 3),
     (4, 3, 2, 4), (3, 2, 1, 2), (3, 3, 3, 4)],
)  # fmt: skip
def test_the_learning_attacker_in_every_world(n, n0, s, categories, alpha):
    tables = itertools.combinations_with_replacement(range(categories), n0)
    worst = max(largest(known, n, s, categories, polya(alpha), range(n0)) for known in tables)
    bound = sampling.learning_attacker_risk(
        n, n0, n_sampled=s, concentration=alpha, categories=categories
    )
    assert worst == bound
    assert isinstance(bound, Fraction)


def test_where_the_learning_bound_is_not_attained():
    """Two values, two known records: the other slots cannot avoid the known values."""
    tables = itertools.combinations_with_replacement(range(2), 2)
    worst = max(largest(known, 4, 2, 2, polya(1), range(2)) for known in tables)
    assert worst < sampling.learning_attacker_risk(4, 2, n_sampled=2, concentration=1, categories=2)


def test_the_limit_of_a_vanishing_prior():
    limit = sampling.learning_attacker_risk(1000, 10, n_sampled=100)
    assert limit == Fraction(109, 1000)
    a, N = sympy.symbols("a N", positive=True)
    n, n0, s = sympy.symbols("n n0 s", positive=True)
    seen = n0 + a * N + s - 1
    risk = seen / (seen + (1 + a) * (n - n0 - s + 1))
    assert sympy.simplify(sympy.limit(risk, a, 0, "+") - (n0 + s - 1) / n) == 0
    close = sampling.learning_attacker_risk(
        1000, 10, n_sampled=100, concentration=1e-9, categories=50
    )
    assert isinstance(close, float)
    assert close == pytest.approx(0.109, rel=1e-7)
    assert sampling.learning_attacker_risk(5, 3, n_sampled=4) == 1


# ---------------------------------------------------------------------------------------------
# Sample sizes
# ---------------------------------------------------------------------------------------------


@given(st.integers(1, 40), st.data(), st.fractions(1, 30, max_denominator=7))
def test_the_largest_sample_by_search(n, data, k):
    n0 = data.draw(st.integers(1, n))
    for attacker, risk in [
        ("fixed", sampling.identification_risk), ("learning", sampling.learning_attacker_risk),
    ]:  # fmt: skip
        unknown = Fraction(1, n - n0) if attacker == "learning" and n0 < n else 0
        allowed = [
            s for s in range(1, n + 1) if max(risk(n, n0, n_sampled=s), unknown) <= 1 / k or k == 1
        ]
        assert allowed == list(range(1, len(allowed) + 1))  # the risk grows
        if allowed:
            assert sampling.max_sample_size(n, n0, k=k, attacker=attacker) == len(allowed)
        else:
            with pytest.raises(ValueError, match=r"unreachable"):
                sampling.max_sample_size(n, n0, k=k, attacker=attacker)


def test_levels_that_are_floats_are_taken_exactly():
    assert sampling.max_sample_size(1000, 10, k=10.0) == 901
    assert sampling.max_sample_size(1000, 10, k=math.nextafter(10.0, 11)) == 900
    assert sampling.max_sample_size(1000, 10, k=100) == 1
    with pytest.raises(ValueError, match=r"k must be at most n / n_known = 100 \(unreachable"):
        sampling.max_sample_size(1000, 10, k=101)


# ---------------------------------------------------------------------------------------------
# Bernoulli sampling
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "p"), [(30, Fraction(1, 10)), (1000, Fraction(1, 10)), (12, 1)])
@pytest.mark.parametrize("failure", [0.3, 1e-3, 1e-6, 1e-12])
def test_bernoulli_against_the_exact_tail(n, p, failure):
    p = Fraction(p)
    mass = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    more = [Fraction(0), *itertools.accumulate(reversed(mass))][:-1][::-1]  # Pr(S > k)
    size = next(k for k in range(1, n + 1) if more[k] <= failure)
    result = sampling.bernoulli_risk(n, 2, p=p, failure=failure)
    assert result.size == size
    assert result.failure == pytest.approx(float(more[size]), rel=1e-11, abs=0)
    assert result.risk == sampling.identification_risk(n, 2, n_sampled=size)
    assert result.expected_size == max(int(n * p), 1)
    assert result.expected_risk == sampling.identification_risk(
        n, 2, n_sampled=result.expected_size
    )


def test_without_failure_nothing_is_gained():
    result = sampling.bernoulli_risk(1000, 10, p=0.1, failure=0)
    assert (result.size, result.risk, result.failure) == (1000, 1, 0)
    assert sampling.bernoulli_risk(5, 2, p=0.001, failure=0.5).size == 1
    million = sampling.bernoulli_risk(10**6, 100, p=0.1, failure=1e-9)
    assert stats.binom.sf(million.size, 10**6, 0.1) <= 1e-9
    assert stats.binom.sf(million.size - 1, 10**6, 0.1) > 1e-9


# ---------------------------------------------------------------------------------------------
# Benedetti and Franconi
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [1, 2, 3, 10, 32, 33, 200])
@pytest.mark.parametrize("p", [0.02, 0.1, 0.499, 0.5, 0.501, 0.9, 1.0])
def test_benedetti_franconi_by_summation_and_quadrature(f, p):
    extra = np.arange(200_000)
    direct = np.sum(stats.nbinom.pmf(extra, f, p) / (f + extra))
    by_quad = quad(lambda y: y ** (f - 1) * p / (p + (1 - p) * y), 0, 1, epsabs=0, epsrel=1e-12)[0]
    result = sampling.benedetti_franconi_risk(f, p)
    assert result == pytest.approx(direct, rel=1e-11)
    assert result == pytest.approx(by_quad, rel=1e-11)


def test_benedetti_franconi_closed_forms_and_shapes():
    p = np.array([1e-9, 1e-3, 0.3])
    odds = p / (1 - p)
    np.testing.assert_allclose(
        sampling.benedetti_franconi_risk(1, p), odds * np.log(1 / p), rtol=1e-14
    )
    np.testing.assert_allclose(
        sampling.benedetti_franconi_risk(2, p), odds - odds**2 * np.log(1 / p), rtol=1e-12
    )
    grid = sampling.benedetti_franconi_risk(np.arange(1, 50)[:, None], np.linspace(0.01, 1, 37))
    assert grid.shape == (49, 37)
    assert (np.diff(grid, axis=0) < 0).all()
    assert (np.diff(grid, axis=1) > 0).all()
    for i, j in [(0, 0), (31, 18), (32, 18), (48, 36)]:
        alone = sampling.benedetti_franconi_risk(i + 1, np.linspace(0.01, 1, 37)[j])
        assert isinstance(alone, float)
        assert alone == grid[i, j]


# ---------------------------------------------------------------------------------------------
# Bad input
# ---------------------------------------------------------------------------------------------

RISKS = [
    sampling.identification_risk, sampling.worst_case_risk, sampling.learning_attacker_risk,
]  # fmt: skip


@pytest.mark.parametrize("risk", RISKS)
def test_sizes_out_of_range_are_refused(risk):
    name = risk.__name__
    for sizes, message in [
        ((0, 1, 1), "n must be at least 1, got 0"),
        ((5, 0, 1), r"n_known must be in 1\.\.5, got 0"),
        ((5, 6, 1), r"n_known must be in 1\.\.5, got 6"),
        ((5, 1, 0), r"n_sampled must be in 1\.\.5, got 0"),
        ((5, 1, 6), r"n_sampled must be in 1\.\.5, got 6"),
    ]:
        with pytest.raises(ValueError, match=f"^{name}: {message}"):
            risk(*sizes[:2], n_sampled=sizes[2])
    for sizes in [(5.0, 1, 1), (5, True, 1), (5, 1, "1")]:
        with pytest.raises(TypeError, match=f"^{name}: .* must be an integer"):
            risk(*sizes[:2], n_sampled=sizes[2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sampling.learning_attacker_risk(9, 1, n_sampled=2, concentration=1),
            r"learning_attacker_risk: categories must be given with concentration > 0, got None",
        ),
        (
            lambda: sampling.learning_attacker_risk(9, 1, n_sampled=2, concentration=-1),
            r"learning_attacker_risk: concentration must not be negative, got -1",
        ),
        (
            lambda: sampling.learning_attacker_risk(
                9, 1, n_sampled=2, concentration=1, categories=0
            ),
            r"learning_attacker_risk: categories must be at least 1, got 0",
        ),
        (
            lambda: sampling.max_sample_size(9, 1, k=Fraction(1, 2)),
            r"max_sample_size: k must be at least 1, got 1/2",
        ),
        (
            lambda: sampling.max_sample_size(9, 1, k=math.inf),
            r"max_sample_size: k must be finite, got inf",
        ),
        (
            lambda: sampling.max_sample_size(9, 1, k=2, attacker="slow"),
            r"max_sample_size: attacker must be one of fixed, learning, got 'slow'",
        ),
        (
            lambda: sampling.bernoulli_risk(9, 1, p=0, failure=0.1),
            r"bernoulli_risk: p must be in \(0, 1\], got 0",
        ),
        (
            lambda: sampling.bernoulli_risk(9, 1, p=0.5, failure=1),
            r"bernoulli_risk: failure must be in \[0, 1\), got 1",
        ),
        (
            lambda: sampling.bernoulli_risk(9, 1, p=0.5, failure=-0.1),
            r"bernoulli_risk: failure must be a probability in \[0, 1\], got -0.1",
        ),
        (
            lambda: sampling.benedetti_franconi_risk(0, 0.5),
            r"benedetti_franconi_risk: f must be at least 1, got 0",
        ),
        (
            lambda: sampling.benedetti_franconi_risk(1, [0.5, 0]),
            r"benedetti_franconi_risk: p must be in \(0, 1\], got 0",
        ),
    ],
)
def test_bad_values_are_refused(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


def test_bad_types_are_refused():
    with pytest.raises(TypeError, match=r"^max_sample_size: k must be a real number, got '2'"):
        sampling.max_sample_size(9, 1, k="2")
    with pytest.raises(TypeError, match=r"^benedetti_franconi_risk: f must hold integers"):
        sampling.benedetti_franconi_risk(1.0, 0.5)
    with pytest.raises(TypeError, match=r"^bernoulli_risk: p must be a real number"):
        sampling.bernoulli_risk(9, 1, p=None, failure=0.1)
