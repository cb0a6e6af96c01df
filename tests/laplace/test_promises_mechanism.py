"""What leaves a private release, and how much it promises: labels, counts, integers, accuracy.

The oracles are fractions, long arithmetic, and the mechanism run on every noise of a fine grid.
"""

from __future__ import annotations

import collections
import copy
import decimal
import functools
import itertools
import math
import pickle
import re
import time
import tracemalloc
import types
import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

import privlib
from privlib.laplace import accuracy, discrete, erm, histogram, laplace_mechanism
from privlib.laplace.mechanism import LaplaceMechanism, ToleranceWarning
from privlib.research import auditing
from privlib.research.auditing import audit

SECRET = 987_654_321


def identity(database, *more, **named):
    return database


def returned(query, database):
    return query(database)


def sums(database):
    return sum(database)


@laplace_mechanism(epsilon=1.0, sensitivity=1 / 4)
def decorated(database):
    """Mean of four numbers."""
    return sum(database) / 4


named_elsewhere = laplace_mechanism(epsilon=2.0, sensitivity=1, dimension=3, norm="linf")(sums)


class Hospital:
    beds = 4

    @laplace_mechanism(epsilon=1.0, sensitivity=1.0)
    def occupied(self, people, ward=None):
        return sum(1 for person in people if ward in (None, person)) + self.beds

    @classmethod
    @laplace_mechanism(epsilon=1.0, sensitivity=1.0)
    def size(cls, people):
        return len(people) + cls.beds

    @staticmethod
    @laplace_mechanism(epsilon=1.0, sensitivity=1.0)
    def count(people):
        return len(people)


class Grid(np.random.Generator):
    """A generator that returns a given noise, in place of every draw."""

    def __init__(self, noise):
        super().__init__(np.random.PCG64(0))
        self.noise = noise

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return self.noise if size is None else np.full(size, self.noise)


# --- labels ------------------------------------------------------------------------------------

PEOPLE = ["flu"] * 50 + ["cold"] * 49 + ["HIV"]


def labelled_answers():
    """Answers of a query whose labels, order or presence come from the data."""
    people = pd.Series(PEOPLE, name="ill")
    counts = people.value_counts()
    table = pd.crosstab(people, pd.Series([i % 2 for i in range(100)], name="sex"))
    coded = people.map({"flu": 2, "cold": 0, "HIV": 1})
    return {
        "value_counts": counts,
        "shares": people.value_counts(normalize=True),
        "sorted by label": counts.sort_index(),
        "categories known": people.astype("category").value_counts(),
        "codes as labels": coded.value_counts(),
        "codes that begin at 1": (coded + 1).value_counts().sort_index(),
        "codes with a gap": pd.Series([3, 4, 5], index=[0, 1, 3]),
        "codes as floats": coded.astype(float).value_counts().sort_index(),
        "yes or no": (people == "flu").value_counts().sort_index(),
        "groups": people.groupby(people).size(),
        "two keys": people.groupby([people, coded]).size(),
        "crosstab": table,
        "columns only": table.T.reset_index(drop=True),
        "index only": pd.DataFrame([[1, 2], [3, 4]], index=["flu", "HIV"]),
        "list of Series": [counts, counts],
        "nested": [[counts], (counts,)],
        "dictionary": counts.to_dict(),
        "Counter": collections.Counter(PEOPLE),
        "dictionary in a list": [collections.Counter(PEOPLE)],
        "items": list(collections.Counter(PEOPLE).items()),
        "values": collections.Counter(PEOPLE).values(),
        "record": counts.reset_index().to_records(index=False),
        "structured": np.array([(3, 4)], dtype=[("flu", int), ("HIV", int)]),
        "table with labels": counts.reset_index(),
        "dates": pd.Series([1, 2], index=pd.to_datetime(["2020-01-01", "2020-01-02"])),
        "object of Series": np.array([counts, None], dtype=object)[:1],
        "groupby": people.groupby(people),
        "most common": people.mode(),
        "categories": people.astype("category"),
        "set": {SECRET, 3},
        "unique": people.unique(),
    }


@pytest.mark.parametrize("name", labelled_answers())
def test_no_label_leaves(name):
    answer = labelled_answers()[name]
    size = len(answer) if hasattr(answer, "__len__") else 1
    calls = [
        lambda: discrete.discrete_laplace(answer, scale=200.0),
        lambda: laplace_mechanism(epsilon=0.01, sensitivity=2)(identity)(answer),
        lambda: laplace_mechanism(epsilon=0.01, sensitivity=2, dimension=size)(identity)(answer),
        lambda: laplace_mechanism(epsilon=math.inf, sensitivity=2, dimension=size)(identity)(
            answer
        ),
    ]
    for call in calls:
        with pytest.raises((ValueError, TypeError)) as seen:
            call()
        assert not re.search(r"HIV|flu|cold|\bill\b|sex|50|49|\b[1-9]{3}", str(seen.value))
        assert seen.value.__cause__ is None
        assert seen.value.__suppress_context__ or seen.value.__context__ is None


def test_the_message_names_the_remedy_and_the_remedy_works():
    counts = pd.Series(PEOPLE).value_counts()
    with pytest.raises(ValueError, match=r"reindex\(categories, fill_value=0\)\.to_numpy\(\)"):
        discrete.discrete_laplace(counts, scale=2.0)
    known = ["cold", "flu", "HIV", "measles"]
    answer = counts.reindex(known, fill_value=0).to_numpy()
    assert discrete.discrete_laplace(answer, scale=0).tolist() == [49, 50, 1, 0]
    private = laplace_mechanism(epsilon=math.inf, sensitivity=2, dimension=4)(identity)
    assert private(answer).tolist() == [49, 50, 1, 0]


@pytest.mark.parametrize(
    "answer",
    [
        pd.Series([3, 4]),
        pd.Series([3, 4], index=[0, 1], name="counts"),
        pd.Series([3, 4], dtype="Int64"),
        [3, 4],
        (3, np.int8(4)),
        [np.uint8(3), np.int64(4)],
        np.array([3, 4], dtype=np.uint64),
        np.array([3, 4], dtype=object),
        np.ma.array([3, 4]),
        range(3, 5),
    ],
)
def test_positions_are_no_labels(answer):
    for noisy in (
        laplace_mechanism(epsilon=math.inf, sensitivity=2, dimension=2)(identity)(answer),
        discrete.discrete_laplace(answer, scale=0),
    ):
        assert type(noisy) is np.ndarray
        assert noisy.tolist() == [3, 4]


# --- messages ----------------------------------------------------------------------------------


class Odd:
    def __repr__(self):
        return str(SECRET)


BAD_ANSWERS = {
    "string": str(SECRET),
    "strings": [str(SECRET), "b"],
    "none": [SECRET, None],
    "decimal": decimal.Decimal(SECRET),
    "complex": SECRET + 1j,
    "bool": [True, False],
    "object": Odd(),
    "ragged": [[SECRET], [SECRET, SECRET]],
    "ragged deep": [[[SECRET]], [[SECRET], [1]]],
    "nan": [SECRET, math.nan],
    "inf": [SECRET, -math.inf],
    "nan among fractions": [Fraction(SECRET, 7), math.nan],
    "masked": np.ma.array([SECRET, 2], mask=[False, True]),
    "missing": pd.Series([SECRET, None], dtype="Int64"),
    "time": np.array([SECRET, 4], dtype="m8[ns]"),
    "date": np.array(["2020-01-01"], dtype="M8[D]"),
    "sparse": sparse.csr_array([[SECRET, 0]]),
    "generator": (entry for entry in [SECRET]),
    "too many": [SECRET] * 3,
    "too few": [SECRET],
    "two axes": [[SECRET, 1, 1]],
    "none at all": [],
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_no_message_quotes_an_answer(name):
    answer = BAD_ANSWERS[name]
    mechanisms = [laplace_mechanism(epsilon=1.0, sensitivity=10**6, dimension=2)(identity)]
    if name not in ("too many", "too few", "two axes", "none at all"):
        mechanisms.append(functools.partial(discrete.discrete_laplace, scale=2.0))
    for mechanism in mechanisms:
        with pytest.raises((ValueError, TypeError)) as seen:
            mechanism(answer)
        assert str(SECRET)[:5] not in str(seen.value)
        assert seen.value.__suppress_context__ or seen.value.__context__ is None


def test_other_refusals_quote_no_answer_either():
    for answer in (0.1 + SECRET, np.float32(SECRET), np.float16(987), np.array([SECRET + 0.1])):
        with pytest.raises(ValueError, match="must have a last bit of at most") as seen:
            laplace_mechanism(epsilon=1.0, sensitivity=1e-9, dimension=np.ndim(answer) or None)(
                identity
            )(answer)
        assert str(SECRET)[:5] not in str(seen.value)
    with pytest.raises(ValueError, match=r"must hold integers that a float holds exactly$"):
        laplace_mechanism(epsilon=math.inf, sensitivity=1)(identity)(2**60 + 129)
    with pytest.raises(ValueError, match=r"^discrete_laplace: values must be in -2\*\*63"):
        discrete.discrete_laplace([1, -(2**70) - SECRET], scale=1.0)
    with pytest.raises(TypeError, match=r"values must hold integers, got float64"):
        discrete.discrete_laplace([SECRET + 0.5], scale=1.0)
    with pytest.raises(TypeError, match=r"values must hold integers, got object"):
        discrete.discrete_laplace([Fraction(SECRET, 2)], scale=1.0)


def test_what_the_query_raises_passes_through():
    def broken(database):
        raise KeyError(database)

    with pytest.raises(KeyError, match="HIV"):
        laplace_mechanism(epsilon=1.0, sensitivity=1.0)(broken)("HIV")


# --- the histogram -----------------------------------------------------------------------------

KNOWN = ["cold", "flu", "HIV", "other"]


def same_data():
    """One list of people in every form."""
    people = ["flu", "cold", "flu", "flu"]
    return [
        people,
        tuple(people),
        np.array(people),
        np.array(people, dtype=object),
        pd.Series(people, index=[7, 7, 3, 1]),
        pd.Series(people, dtype="category"),
        pd.Series(people, dtype="string"),
        pd.Categorical(people),
        pd.Index(people),
        iter(people),
        (person for person in people),
        collections.deque(people),
    ]


def test_counts_are_those_of_the_categories_in_their_order():
    for order in itertools.permutations(KNOWN):
        counts = histogram(["flu", "cold", "flu"], categories=order, epsilon=math.inf)
        assert counts.dtype == np.int64
        assert dict(zip(order, counts.tolist())) == {"flu": 2, "cold": 1, "HIV": 0, "other": 0}
    for data in same_data():
        found = histogram(data, categories=KNOWN, epsilon=np.float32("inf"))
        assert found.tolist() == [1, 3, 0, 0]
    for categories in (
        tuple(KNOWN),
        np.array(KNOWN),
        pd.Index(KNOWN),
        pd.Series(KNOWN, index=[3, 2, 1, 0]),
    ):
        assert histogram(["flu"], categories=categories, epsilon=math.inf).tolist() == [0, 1, 0, 0]
    days = np.array(["2020-01-01", "2020-01-02"], dtype="M8[ns]")
    assert histogram(days[[1, 1, 0]], categories=days, epsilon=math.inf).tolist() == [1, 2]
    stamps = pd.Series(days)
    assert histogram(stamps, categories=stamps[::-1], epsilon=math.inf).tolist() == [1, 1]
    assert histogram([], categories=[1, 2], epsilon=math.inf).tolist() == [0, 0]
    codes = np.array([0, 1, 1, 5])
    assert histogram(codes, categories=range(6), epsilon=math.inf).tolist() == [1, 2, 0, 0, 0, 1]
    assert histogram([(1, 2)], categories=[(1, 2), (2, 1)], epsilon=math.inf).tolist() == [1, 0]


@pytest.mark.parametrize("missing", [None, math.nan, np.float64("nan"), pd.NA, pd.NaT])
def test_unknown_and_missing_values_are_refused_or_counted_in_other(missing):
    data = ["flu", f"dengue {SECRET}", missing, "cold", "other"]
    for given in (data, pd.Series(data, dtype=object), np.array(data, dtype=object)):
        with pytest.raises(ValueError, match=r'categories=\[\*categories, "other"\]') as seen:
            histogram(given, categories=KNOWN, epsilon=1.0)
        assert "dengue" not in str(seen.value)
        assert str(SECRET) not in str(seen.value)
        counts = histogram(given, categories=KNOWN, epsilon=math.inf, other="other")
        assert counts.tolist() == [1, 1, 0, 3]
        counts = histogram(given, categories=KNOWN, epsilon=math.inf, other="flu")
        assert counts.tolist() == [1, 3, 0, 1]
    only = ["flu", missing]
    with pytest.raises(ValueError, match="must hold categories only"):
        histogram(only, categories=KNOWN, epsilon=1.0)
    assert histogram(only, categories=KNOWN, epsilon=math.inf, other="HIV")[2] == 1
    with pytest.raises(ValueError, match="categories must have no missing value"):
        histogram(["flu"], categories=["flu", missing], epsilon=1.0)


def test_missing_values_of_arrays_and_tables():
    masked = np.ma.array([0, 1, 1], mask=[False, False, True])
    with pytest.raises(ValueError, match="must hold categories only"):
        histogram(masked, categories=[0, 1], epsilon=1.0)
    counted = histogram(masked, categories=[0, 1, -1], other=-1, epsilon=math.inf)
    assert counted.tolist() == [1, 1, 1]
    numbers = pd.Series([1, None, 2], dtype="Int64")
    counted = histogram(numbers, categories=[1, 2, 9], other=9, epsilon=math.inf)
    assert counted.tolist() == [1, 1, 1]
    floats = np.array([1.0, math.nan, math.inf])
    counted = histogram(floats, categories=[1, 9], other=9, epsilon=math.inf)
    assert counted.tolist() == [1, 2]
    few = pd.Series(["a", None], dtype=pd.CategoricalDtype(["a"]))
    counted = histogram(few, categories=["a", "z"], other="z", epsilon=math.inf)
    assert counted.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"categories": []}, ValueError, "categories must not be empty"),
        ({"categories": ["a", "b", "a"]}, ValueError, "categories must be distinct, got 'a' twice"),
        ({"categories": [1, True]}, ValueError, "categories must be distinct"),
        ({"categories": "ab"}, TypeError, "categories must be a sequence of one value each, got a"),
        ({"categories": {"a", "b"}}, TypeError, "categories must be a sequence of one value each"),
        ({"categories": {"a": 1}}, TypeError, "categories must be a sequence of one value each"),
        (
            {"categories": 3},
            TypeError,
            "categories must be a sequence of one value each, got a int",
        ),
        ({"categories": [["a"]]}, TypeError, "categories must be hashable"),
        ({"other": "z"}, ValueError, "other must be one of the categories, got 'z'; pass"),
        ({"other": ["a"]}, ValueError, "other must be one of the categories"),
        ({"epsilon": 0}, ValueError, "epsilon must be positive, got 0"),
        ({"epsilon": -math.inf}, ValueError, "epsilon must be finite, got -inf"),
        ({"epsilon": "one"}, ValueError, "epsilon must be a positive, finite number, got 'one'"),
        ({"epsilon": 5e-324}, ValueError, "sensitivity / epsilon must be finite, got inf"),
        ({"neighbours": "remove"}, ValueError, "neighbours must be one of replace, add-remove"),
        ({"data": {"a": 3}}, TypeError, "data must be a sequence of one value each, got a dict"),
        ({"data": collections.Counter("ab")}, TypeError, "data must be a sequence of one value"),
        ({"data": {"a"}}, TypeError, "data must be a sequence of one value each, got a set"),
        ({"data": "ab"}, TypeError, "data must be a sequence of one value each, got a str"),
        ({"data": 3}, TypeError, "data must be a sequence of one value each, got a int"),
        ({"data": np.array(3)}, TypeError, "data must be a sequence of one value each, got a tab"),
        ({"data": pd.DataFrame({"a": ["a"]})}, TypeError, "data must be a sequence of one value"),
        ({"data": np.array([["a"]])}, TypeError, "data must be a sequence of one value each"),
        ({"data": [["a"], ["b"]]}, TypeError, "data must hold one hashable value a record"),
    ],
)
def test_bad_arguments_of_the_histogram(arguments, error, message):
    given = {"data": ["a", "b"], "categories": ["a", "b"], "epsilon": 1.0} | arguments
    with pytest.raises(error, match=f"^histogram: {message}"):
        histogram(given.pop("data"), **given)


@pytest.mark.parametrize(("neighbours", "moved"), [("replace", 2), ("add-remove", 1)])
@pytest.mark.parametrize("epsilon", [0.3, 1, 4.0, Fraction(1, 3)])
def test_the_noise_of_the_histogram_is_that_of_its_promise(neighbours, moved, epsilon):
    """No seed by design: the threshold is one in a thousand million."""
    cells, reach = 20_000, 12
    found = histogram([3, 3], categories=range(cells), epsilon=epsilon, neighbours=neighbours)
    noise = found - 2 * (np.arange(cells) == 3)
    width = reach * max(1, round(moved / float(epsilon)))
    q = mpmath.exp(-mpmath.mpf(float(epsilon)) / moved)
    law = [float((1 - q) / (1 + q) * q ** abs(k)) for k in range(-width, width + 1)]
    law[0] = law[-1] = (1 - sum(law[1:-1])) / 2
    seen = np.bincount(np.clip(noise, -width, width) + width, minlength=2 * width + 1)
    cells_of = [np.arange(2 * width + 1)[np.array(law) * cells >= 5]]
    rest = 1 - sum(law[k] for k in cells_of[0])
    left = seen.sum() - seen[cells_of[0]].sum()
    observed, expected = seen[cells_of[0]], np.array(law)[cells_of[0]] * cells
    if rest * cells >= 5:
        observed, expected = np.append(observed, left), np.append(expected, rest * cells)
    expected = expected * observed.sum() / expected.sum()
    assert stats.chisquare(observed, expected).pvalue > 1e-9
    # The worst pair of neighbours, by the law: its log ratio is the level, no more.
    shifts = [1, -1] if moved == 2 else [1]
    loss = sum(abs(shift) * -mpmath.log(q) for shift in shifts)
    assert float(loss) <= float(epsilon) * (1 + 1e-15)


@pytest.mark.slow
def test_the_audit_finds_labels_that_leave_and_none_in_the_histogram():
    """The record is HIV in one database, flu in the other; the attacker asks: is HIV listed?"""
    epsilon, draws = 0.01, 1000

    def listed(databases, rng):
        for people in databases:
            counts = pd.Series(people).value_counts()
            noisy = pd.Series(counts + rng.laplace(0, 2 / epsilon, len(counts)))
            yield "HIV" in noisy.index

    def counted(databases, rng):
        for people in databases:
            yield histogram(people, categories=["flu", "HIV"], epsilon=epsilon)[1] > 0

    with_hiv, without = ["flu"] * 9 + ["HIV"], ["flu"] * 10
    leaks, keeps = (
        audit(lambda d, rng, m=m: list(m(d, rng)), with_hiv, without, rng=1, draws=draws)
        for m in (listed, counted)
    )
    assert leaks.epsilon > 4.5
    assert keeps.epsilon < 0.3


def test_a_scale_that_is_too_small_is_not_used(monkeypatch):
    monkeypatch.setattr(discrete, "_not_below", lambda scale, exact: scale * (1 - 1e-6))
    with pytest.raises(privlib.UncertifiedError, match="OpenDP's account of the privacy loss"):
        histogram(["a"], categories=["a"], epsilon=1.23)


def test_scales_are_rounded_up():
    """2 / epsilon as a float may be too small for epsilon, by half a unit in the last place."""
    rng = np.random.default_rng(0)
    seen = []
    for epsilon in 10 ** rng.uniform(-8, 4, 2000):
        scale = discrete._not_below(2 / epsilon, Fraction(2) / Fraction(epsilon))
        assert Fraction(2) / Fraction(scale) <= Fraction(epsilon)
        seen.append(scale > 2 / epsilon)
    assert any(seen)


# --- the dimension -----------------------------------------------------------------------------


def test_an_undeclared_mechanism_is_one_number():
    private = laplace_mechanism(epsilon=1, sensitivity=2)(identity)
    for answer in (np.arange(10), [1.0], [[1]], [], pd.Series([1, 2]), np.zeros((2, 5))):
        with pytest.raises(ValueError, match=r"must be one number.*dimension=10"):
            private(answer)
    for answer in (3, 3.0, np.float64(3), np.int16(3), np.array(3), Fraction(3)):
        assert type(private(answer)) is float


def test_accuracy_never_speaks_for_one_coordinate_of_ten():
    """Two records of ten bins: beyond 6 with 40 percent, not the 5 of a single bin."""
    rng = np.random.default_rng(4)
    error = np.abs(rng.laplace(0, 2, (100_000, 10)))
    for norm, size in (("l1", error.sum(axis=1)), ("linf", error.max(axis=1))):
        private = laplace_mechanism(epsilon=1, sensitivity=2, dimension=10, norm=norm)(identity)
        noisy = np.abs(private(np.zeros(10), rng=3))
        assert noisy.shape == (10,)
        share = (size > 6).mean()
        assert abs(private.error_probability(6) - share) < 0.01
        assert abs((size > private.tolerance_for(0.05)).mean() - 0.05) < 0.004
        with pytest.raises(ValueError, match=r"must have the declared dimension 10, got another$"):
            private(np.zeros(9))


def test_nothing_is_remembered():
    private = laplace_mechanism(epsilon=1, sensitivity=2, dimension=10)(identity)
    before = dict(private.__dict__)
    private(np.full(10, SECRET))
    assert private.__dict__ == before


# --- advice ------------------------------------------------------------------------------------


def warned(**options):
    """Return the epsilon that the warning says would do, None without a warning."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        laplace_mechanism(**options)(identity)
    if not seen:
        return None
    assert seen[0].category is ToleranceWarning
    return float(re.search(r"; epsilon = (\S+) would do$", str(seen[0].message))[1])


@pytest.mark.slow
def test_the_advice_is_true():
    options = {"epsilon": 0.1, "sensitivity": 1, "tolerance": 1, "level": 0.01}
    assert warned(**options) == 4.606  # log(100) is 4.6052
    rng = np.random.default_rng(12)
    followed = 0
    for _ in range(1200):
        options = {
            "epsilon": 10 ** rng.uniform(-8, 4),
            "sensitivity": 10 ** rng.uniform(-30, 30),
            "level": float(rng.choice([10 ** rng.uniform(-300, -0.001), rng.random(), 0.5])),
            "dimension": [None, 1, 2, 3, 10, 1000][rng.integers(6)],
            "norm": str(rng.choice(["l1", "linf"])),
        }
        options["tolerance"] = options["sensitivity"] * 10 ** rng.uniform(-4, 4)
        advised = warned(**options)
        if advised is None:
            continue
        followed += 1
        assert warned(**(options | {"epsilon": advised})) is None
        # It is not wasteful either: a ten thousandth or so less would not do.
        assert warned(**(options | {"epsilon": advised * 0.998})) is not None
        if followed % 10 == 0 and (options["norm"] == "linf" or (options["dimension"] or 1) == 1):
            with mpmath.workdps(340):
                ratio = mpmath.mpf(options["tolerance"]) / mpmath.mpf(options["sensitivity"])
                within = 1 - mpmath.exp(-ratio * mpmath.mpf(advised))
                risk = 1 - within ** (options["dimension"] or 1)
                assert risk <= mpmath.mpf(options["level"]) * (1 + mpmath.mpf(10) ** -9)
    assert followed > 500


# --- accuracy ----------------------------------------------------------------------------------


def long_tail(t, d, norm):
    """Pr(error > t) by 400 digits."""
    with mpmath.workdps(400):
        t = mpmath.mpf(t)
        if norm == "linf":
            return 1 - (1 - mpmath.exp(-t)) ** d
        return mpmath.exp(-t) * mpmath.fsum(t**j / mpmath.factorial(j) for j in range(d))


DELTAS = [5e-324, 1e-300, 1e-16, 0.05, 0.5, 1 - 1e-6, 1 - 2**-40, 1 - 2**-53, 1.0]


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_no_risk_is_above_its_promise(norm):
    rng = np.random.default_rng(5)
    drawn = [*DELTAS, *rng.random(60), *10 ** rng.uniform(-300, 0, 60)]
    for k, delta in enumerate(drawn):
        d = int([1, 2, 3, 7, 40][k % 5])
        epsilon, size = 10 ** rng.uniform(-8, 4), 10 ** rng.uniform(-200, 200)
        law = {"sensitivity": size, "dimension": d, "norm": norm}
        a = accuracy.tolerance_for(delta, epsilon=epsilon, **law)
        promised = accuracy.error_probability(a, epsilon=epsilon, **law)
        assert promised <= delta
        t = Fraction(float(a)) / (Fraction(size) / Fraction(epsilon))
        true = long_tail(mpmath.mpf(t.numerator) / t.denominator, d, norm)
        assert true <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -9) + mpmath.mpf(1e-307)
        assert true <= mpmath.mpf(float(promised)) * (1 + mpmath.mpf(10) ** -9) + mpmath.mpf(1e-307)
        if a == 0 or delta == 1:
            continue
        needed = accuracy.epsilon_for(a, delta, **law)
        assert accuracy.error_probability(a, epsilon=needed, **law) <= delta
        assert needed == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_thousands_of_settings_come_back_below_delta(norm):
    rng = np.random.default_rng(6)
    n = 4000
    delta = np.where(rng.random(n) < 0.5, rng.random(n), 10 ** rng.uniform(-300, 0, n))
    delta[:200] = 1 - 10 ** rng.uniform(-15, -3, 200)
    law = {
        "sensitivity": 10 ** rng.uniform(-30, 30, n),
        "dimension": (10 ** rng.uniform(0, 3, n)).astype(int),
        "norm": norm,
    }
    epsilon = 10 ** rng.uniform(-8, 4, n)
    a = accuracy.tolerance_for(delta, epsilon=epsilon, **law)
    assert (accuracy.error_probability(a, epsilon=epsilon, **law) <= delta).all()
    enough = accuracy.epsilon_for(a, delta, **law)
    assert (accuracy.error_probability(a, epsilon=enough, **law) <= delta).all()


@pytest.mark.parametrize("d", [2**40, 10**12, 2**62])
def test_the_largest_of_very_many_errors(d):
    """exp(-t) is 0 as a float where d of them still have a probability."""
    for t in (650.0, 720.0, 744.0, 750.0):
        found = accuracy.error_probability(t, epsilon=1, sensitivity=1, dimension=d, norm="linf")
        true = mpmath.mpf(d) * mpmath.exp(-mpmath.mpf(t))
        assert float(found) == pytest.approx(float(true), rel=1e-9)
        assert found > 0
    a = accuracy.tolerance_for(5e-324, epsilon=1, sensitivity=1, dimension=d, norm="linf")
    assert a == pytest.approx(math.log(d) - math.log(5e-324), rel=1e-9)


def test_too_many_coordinates_are_refused_at_once():
    start = time.perf_counter()
    for function, argument in (
        (accuracy.error_probability, 1.0),
        (accuracy.tolerance_for, 0.5),
    ):
        with pytest.raises(ValueError, match="dimension must be at most 1000000000, got"):
            function(argument, epsilon=1.0, sensitivity=1.0, dimension=2**60)
    assert time.perf_counter() - start < 1


def test_scales_without_digits_are_refused():
    """3e-324 / 1.4 is 5e-324 as a float, like 5e-324 / 1."""
    for make in (
        lambda **law: accuracy.error_probability(1e-320, **law),
        lambda **law: accuracy.tolerance_for(0.5, **law),
        laplace_mechanism,
        lambda **law: LaplaceMechanism(identity, **law),
    ):
        with pytest.raises(ValueError, match="sensitivity / epsilon must be"):
            make(sensitivity=1e-323, epsilon=1.4)
    with pytest.raises(ValueError, match="epsilon"):
        accuracy.epsilon_for(1e-320, 0.5, sensitivity=1e-320)


@pytest.mark.parametrize("name", ["gammaincc", "gammainccinv"])
def test_a_wrong_risk_is_not_returned(monkeypatch, name):
    right = getattr(accuracy.special, name)
    lies = types.SimpleNamespace(**vars(accuracy.special))
    setattr(lies, name, lambda d, t: right(d, t) * (1 - 1e-6))
    monkeypatch.setattr(accuracy, "special", lies)
    law = {"epsilon": 1.0, "sensitivity": 1.0, "dimension": 5}
    if name == "gammaincc":
        with pytest.raises(privlib.UncertifiedError, match=r"^error_probability: the probability"):
            accuracy.error_probability(3.0, **law)
        lies.gammainccinv = lambda d, p: stats.gamma.isf(p * (1 + 1e-6), d)
        with pytest.raises(privlib.UncertifiedError, match=r"^tolerance_for: the probability"):
            accuracy.tolerance_for(0.3, **law)
        assert accuracy.error_probability(3.0, **law, certify=False) < 1
    else:
        monkeypatch.setattr(lies, "gammaincc", accuracy.special.gammaincc)
        assert accuracy.error_probability(accuracy.tolerance_for(0.3, **law), **law) <= 0.3


def test_discrete_tolerances_are_true():
    rng = np.random.default_rng(7)
    scales = [0, 1e-320, 1e-3, *10 ** rng.uniform(-3, 9, 40)]
    for scale, delta in itertools.product(scales, [5e-324, 1e-200, 0.05, 0.5, 1 - 2**-53, 1.0]):
        a = int(discrete.tolerance_for(delta, scale))
        assert discrete.error_probability(a, scale) <= delta
        if scale == 0:
            continue
        with mpmath.workdps(60):
            q = mpmath.exp(-1 / mpmath.mpf(scale))
            true = 2 * q ** (a + 1) / (1 + q)
            assert true <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -9) + mpmath.mpf(1e-307)


def test_a_wrong_discrete_risk_is_not_returned(monkeypatch):
    right = discrete._risk
    monkeypatch.setattr(discrete, "_risk", lambda a, size: right(a, size) * (1 - 1e-6))
    with pytest.raises(privlib.UncertifiedError, match=r"^error_probability: the probability"):
        discrete.error_probability(3, 2.0)
    delta = right(np.array(3.0), np.array(2.0)) * (1 - 5e-7)
    with pytest.raises(privlib.UncertifiedError, match=r"^tolerance_for: the probability"):
        discrete.tolerance_for(delta, 2.0)


# --- integers, fractions, floats ---------------------------------------------------------------

LEVELS = (np.arange(1000) + 0.5) / 1000
NOISE = stats.laplace.ppf(LEVELS)


def largest_loss(one, other, *, epsilon=1.0, sensitivity=1.0):
    """Largest log ratio of the shares of an output over a grid of the noise.

    An output of a few points of the grid is left out: its share is not known well enough.
    """
    scale = sensitivity / epsilon
    private = laplace_mechanism(epsilon=epsilon, sensitivity=sensitivity)(identity)
    counted = [
        collections.Counter(private(answer, rng=Grid(scale * r)) for r in NOISE.tolist())
        for answer in (one, other)
    ]
    worst = 0.0
    for first, second in (counted, counted[::-1]):
        for output, times in first.items():
            if times >= 50:
                worst = max(worst, math.log(times / max(second[output], 0.5)))
    return worst


@pytest.mark.parametrize("power", [30, 52, 53, 54, 60, 63, 64, 200])
@pytest.mark.parametrize("kind", [int, np.int64, np.uint64, Fraction, float, np.float32])
def test_neighbours_beyond_2_to_the_53_stay_neighbours(power, kind):
    """Whole answers that differ by 1: no output is likelier by more than e, or an error."""
    tried = 0
    for low in (0, 1, 128, 255):
        one, other = 2**power + low, 2**power + low + 1
        if kind is np.float32 and power > 127:
            continue
        try:
            one, other = kind(one), kind(other)
        except OverflowError:
            continue
        try:
            assert largest_loss(one, other) < 1.05
            tried += 1
        except ValueError:
            assert kind in (float, np.float32)
            assert power >= (52 if kind is float else 23)
    if kind in (int, Fraction) or (kind is float and power < 52):
        assert tried


def test_the_reviewed_pair_has_outputs_in_common():
    private = laplace_mechanism(epsilon=1.0, sensitivity=1)(identity)
    one = {private(2**60 + 128, rng=k) - 2**60 for k in range(300)}
    other = {private(2**60 + 129, rng=k) - 2**60 for k in range(300)}
    assert one == other == {0, 256}


@pytest.mark.parametrize("answer", [2**53 + 1, 2**64 + 1, -(2**70) - 3, 10**400, -(10**400)])
@pytest.mark.parametrize("noise", [0.75, -1e-300, 1e20])
def test_the_sum_is_rounded_once(answer, noise):
    limit = Fraction(float(np.finfo(float).max))
    for exact in (answer, Fraction(answer, 3), Fraction(1, 3) + Fraction(answer, 10**400)):
        private = laplace_mechanism(epsilon=1.0, sensitivity=1)(identity)
        expected = min(max(Fraction(exact) + Fraction(noise), -limit), limit)
        assert private(exact, rng=Grid(noise)) == float(expected)
        many = laplace_mechanism(epsilon=1.0, sensitivity=1, dimension=3)(identity)
        mixed = many([exact, 0.5, 7], rng=Grid(noise))
        assert mixed.tolist() == [float(expected), 0.5 + noise, 7 + noise]


def test_a_list_does_not_round_its_integers():
    many = laplace_mechanism(epsilon=1.0, sensitivity=1, dimension=2)(identity)
    for answer in (
        [2**60 + 129, 0.5],
        [0.5, 2**60 + 129][::-1],
        [2**60 + 129, np.float64(0.5)],
        (np.int64(2**60 + 129), 0.5),
        pd.Series([2**60 + 129, 0.5], dtype=object),
        pd.DataFrame({0: [2**60 + 129], 1: [0.5]}),
        np.array([2**60 + 129, 0.5], dtype=object),
    ):
        noisy = np.ravel(many(answer, rng=Grid(-2.0)))
        assert noisy.tolist() == [2.0**60, -1.5]  # 129 - 2 is below the middle, 129 is above
    for answer in ([2**63, -1], np.array([2**63, 5], dtype=np.uint64)):
        assert many(answer, rng=Grid(3.0))[0] == 2.0**63


def test_floats_that_the_query_rounded_are_refused():
    for sensitivity, good, bad in (
        (1.0, [0.1, 1e9, -4e9, 2.0**52 - 1, 1e12], [1e12 + 0.5, -1e11 - 0.1, 2.0**52, 1e300]),
        (1e-3, [0.5, 1e6], [1e9, 0.1 + 1e8]),
        (1e-8, [0.5, 1.0], [1e3]),
        (1e20, [1e29, 2.0**80], [1e37]),
        (1e-318, [], [0.0, 1.0]),
    ):
        epsilon = min(1.0, sensitivity * 1e300)
        private = laplace_mechanism(epsilon=epsilon, sensitivity=sensitivity)(identity)
        for answer in good:
            assert math.isfinite(private(answer))
        for answer in bad:
            with pytest.raises(ValueError, match="must have a last bit of at most"):
                private(answer)
            with pytest.raises(ValueError, match="must have a last bit of at most"):
                private(np.array(answer))
    narrow = laplace_mechanism(epsilon=1.0, sensitivity=1.0)(identity)
    for answer in (np.float32(3), np.float32(2**23 - 1), np.float16(1023), np.float32(0.5)):
        assert math.isfinite(narrow(answer))
    for answer in (np.float32(2**23), np.float32(1000.5), np.float16(1024), np.float16(0.3)):
        with pytest.raises(ValueError, match="must have a last bit of at most"):
            narrow(answer)


@pytest.mark.parametrize(("wide", "last"), [(np.float64, 52), (np.float32, 23), (np.float16, 10)])
@pytest.mark.parametrize("sensitivity", [1.0, 1.5, 2.0, 1.999])
def test_whole_floats_that_were_rounded_are_no_further_apart(wide, last, sensitivity):
    """Exact sums one sensitivity apart, each rounded to a float: no further apart, or refused."""
    private = laplace_mechanism(epsilon=1.0, sensitivity=sensitivity)(identity)
    move = Fraction(sensitivity)
    taken = 0
    for power in range(last - 3, last + 2):
        for eighths in range(64):
            exact = 2**power + Fraction(eighths, 8)
            answers = [wide(float(exact)), wide(float(exact + move))]
            try:
                noisy = [private(answer, rng=Grid(0.0)) for answer in answers]
            except ValueError:
                continue
            assert abs(noisy[1] - noisy[0]) <= sensitivity * (1 + 2**-20)
            taken += 1
    if sensitivity in (1.0, 2.0):
        assert taken


def test_decimals_have_a_remedy():
    for answer in (decimal.Decimal("0.1"), [decimal.Decimal("0.1"), 2]):
        private = laplace_mechanism(epsilon=1.0, sensitivity=1.0, dimension=np.size(answer))(
            identity
        )
        with pytest.raises(TypeError, match=r"pass fractions.Fraction\(answer\)"):
            private(answer)
    exact = laplace_mechanism(epsilon=1.0, sensitivity=1.0)(Fraction)
    assert exact(decimal.Decimal("0.5"), rng=Grid(0.25)) == 0.75


def test_shapes_that_do_not_fit_are_named():
    two, three = [0.1, 0.2], [0.1, 0.2, 0.3]
    for call, names in (
        (lambda: accuracy.error_probability(two, epsilon=three, sensitivity=1), "tolerance, scale"),
        (lambda: accuracy.error_probability(1, epsilon=two, sensitivity=three), "epsilon, sens"),
        (lambda: accuracy.tolerance_for(two, epsilon=three, sensitivity=1), "delta, scale"),
        (lambda: accuracy.epsilon_for(two, three, sensitivity=1), "tolerance, delta"),
        (lambda: discrete.pmf([1, 2], three), "k, scale"),
        (lambda: discrete.error_probability(two, three), "tolerance, scale"),
        (lambda: discrete.tolerance_for(two, three), "delta, scale"),
        (lambda: erm.sensitivity([1, 2], regularization=three), "n, regularization"),
    ):
        with pytest.raises(ValueError, match=rf"^\w+: {names}.* must broadcast, got the shapes"):
            call()
    with pytest.raises(ValueError, match="error_probability: epsilon must be a rectangular array"):
        accuracy.error_probability(1, epsilon=[[1], [1, 2]], sensitivity=1)
    with pytest.raises(TypeError, match="error_probability: epsilon must be dense"):
        accuracy.error_probability(1, epsilon=sparse.eye(2), sensitivity=1)


def test_an_audit_says_what_it_cannot_audit():
    with pytest.raises(
        TypeError, match="audit: mechanism must be callable, got one of the type in"
    ):
        audit(3, 0, 1)
    with pytest.raises(ValueError, match="audit: y must be rectangular"):
        audit(lambda copies, rng: copies, 0, [[1], [1, 2]])


def test_releases_stay_in_the_range_of_floats():
    largest = float(np.finfo(float).max)
    for answer in (largest, -largest, 10**308, Fraction(-(10**308)), 10**400):
        private = laplace_mechanism(epsilon=1.0, sensitivity=1e305)(identity)
        many = laplace_mechanism(epsilon=1.0, sensitivity=1e305, dimension=1)(identity)
        for noise in (3e307, -3e307):
            noisy = private(answer, rng=Grid(noise))
            assert abs(noisy) <= largest
            assert many([answer], rng=Grid(noise)).tolist() == [noisy]


def test_noise_that_could_overflow_is_refused():
    """Infinite noise would make outputs that one answer can give and its neighbour cannot."""
    for sensitivity, epsilon in ((1e306, 1), (1e308, 0.9), (1.0, 1e-306)):
        with pytest.raises(
            ValueError, match=r"sensitivity / epsilon must be in 2.*\.\.1e\+305, got"
        ):
            laplace_mechanism(epsilon=epsilon, sensitivity=sensitivity)


def test_discrete_noise_ends_at_the_ends_of_int64():
    top, bottom = 2**63 - 1, -(2**63)
    noisy = discrete.discrete_laplace([top, bottom] * 40, scale=1e30)
    assert set(noisy.tolist()) == {top, bottom}
    for values in ([top, 0.5], [2**63], np.array([2**63], dtype=np.uint64), 2**63, -(2**63) - 1):
        with pytest.raises((ValueError, TypeError)):
            discrete.discrete_laplace(values, scale=1.0)
    huge = np.array([top, 3], dtype=np.uint64)
    assert discrete.discrete_laplace(huge, scale=0).tolist() == [top, 3]
    assert discrete.discrete_laplace([], scale=1.0).dtype == np.int64


def test_the_scale_of_discrete_noise_is_never_less_than_asked_for(monkeypatch):
    used = []
    real = discrete._sampler
    monkeypatch.setattr(
        discrete, "_sampler", lambda scale, where: used.append(scale) or real(scale, where)
    )
    for scale in (Fraction(1, 3), Fraction(2, 3), Fraction(10**30, 7), 0.1, 5):
        discrete.discrete_laplace(1, scale=scale)
        assert Fraction(used[-1]) >= scale
    for scale in (Fraction(1, 10**400), Fraction(10**400), math.inf, -1, "1"):
        with pytest.raises((ValueError, TypeError), match=r"^discrete_laplace: scale must"):
            discrete.discrete_laplace(1, scale=scale)


# --- no privacy asked for ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "endless", [math.inf, np.float64("inf"), np.float32("inf"), np.float16("inf")]
)
def test_an_infinite_epsilon_of_every_type(endless):
    exact = laplace_mechanism(epsilon=endless, sensitivity=3.0)(identity)
    assert exact.scale == 0
    assert type(exact.epsilon) is float
    assert [exact(answer) for answer in (0.1, 7, Fraction(1, 2), 1e300)] == [0.1, 7, 0.5, 1e300]
    assert exact.error_probability(0) == 0
    assert accuracy.tolerance_for(0.05, epsilon=endless, sensitivity=3.0) == 0
    assert histogram(["a"], categories=["a", "b"], epsilon=endless).tolist() == [1, 0]
    assert LaplaceMechanism(identity, endless, 3.0)(0.1) == 0.1


# --- the decorator -----------------------------------------------------------------------------


def test_mechanisms_can_be_pickled():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(decorated, protocol)) is decorated
        again = pickle.loads(pickle.dumps(named_elsewhere, protocol))
        assert (again.query, again.epsilon, again.sensitivity) == (sums, 2.0, 1.0)
        assert (again.dimension, again.norm, again.__name__) == (3, "linf", "sums")
        method = pickle.loads(pickle.dumps(Hospital.occupied, protocol))
        assert method is Hospital.occupied
        assert pickle.loads(pickle.dumps(Hospital.count, protocol)) is Hospital.count
    bound = pickle.loads(pickle.dumps(Hospital().occupied))
    assert bound(["a"], rng=1) == Hospital().occupied(["a"], rng=1)
    numpy_mean = pickle.loads(pickle.dumps(laplace_mechanism(epsilon=1, sensitivity=1)(np.mean)))
    assert numpy_mean.query is np.mean
    twice = laplace_mechanism(epsilon=3.0, sensitivity=1)(decorated)
    assert pickle.loads(pickle.dumps(twice)).query is decorated
    bare = pickle.loads(pickle.dumps(LaplaceMechanism(sums, 1.0, 1.0)))
    assert bare.query is sums


def test_what_cannot_be_pickled_says_why():
    def inner(database):
        return 1.0

    for query in (inner, lambda database: 1.0):
        private = laplace_mechanism(epsilon=1, sensitivity=1)(query)
        with pytest.raises(TypeError, match=r"cannot be pickled.*at the top of a module"):
            pickle.dumps(private)
        assert copy.copy(private) is copy.deepcopy(private) is private


def test_methods_and_further_arguments():
    hospital = Hospital()
    for noise in (0.0, 2.5):
        rng = Grid(noise)
        assert hospital.occupied(["a", "b"], rng=rng) == 6 + noise
        assert hospital.occupied(["a", "b"], "a", rng=rng) == 5 + noise
        assert hospital.occupied(people=["a", "b"], ward="a", rng=rng) == 5 + noise
        assert Hospital.occupied(hospital, ["a"], rng=rng) == 5 + noise
        assert Hospital.size(["a"], rng=rng) == hospital.size(["a"], rng=rng) == 5 + noise
        assert Hospital.count(["a"], rng=rng) == hospital.count(["a"], rng=rng) == 1 + noise
    assert hospital.occupied.scale == 1.0
    assert hospital.occupied.tolerance_for(0.05) == pytest.approx(math.log(20))
    keyed = laplace_mechanism(epsilon=1, sensitivity=1)(lambda *, database, self: database + self)
    assert keyed(database=2, self=3, rng=Grid(0.0)) == 5
    with pytest.raises(TypeError, match="unexpected keyword argument 'seed'"):
        decorated([1, 2], seed=3)


def test_what_cannot_be_a_query():
    async def later(database):
        return 1.0

    def one_by_one(database):
        yield 1.0

    async def both(database):
        yield 1.0

    class Later:
        async def __call__(self, database):
            return 1.0

    for query in (later, one_by_one, both, Later()):
        with pytest.raises(
            TypeError, match=r"^laplace_mechanism: the query must return its answer, but it"
        ):
            laplace_mechanism(epsilon=1, sensitivity=1)(query)
    hidden = laplace_mechanism(epsilon=1, sensitivity=1)(functools.partial(returned, later))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match="must hold real numbers, got one of the type corouti"):
            hidden([])

    def with_rng(database, rng=None):
        return 1.0

    for query in (with_rng, functools.partial(with_rng, [])):
        with pytest.raises(
            TypeError, match=r"^laplace_mechanism: the query must have no parameter rng"
        ):
            laplace_mechanism(epsilon=1, sensitivity=1)(query)


def test_a_bare_decorator_says_what_it_needs():
    for arguments in ((sums,), (1.0, 2.0)):
        with pytest.raises(
            TypeError,
            match=r"^laplace_mechanism: takes keywords only; write @laplace_mechanism\(eps",
        ):
            laplace_mechanism(*arguments)
    with pytest.raises(TypeError, match="sensitivity"):
        laplace_mechanism(epsilon=1.0)


def test_a_mechanism_made_by_hand_is_checked_too():
    for fields, message in (
        ((identity, 0, 1), "epsilon must be positive"),
        ((identity, 1, -1), "sensitivity must not be negative"),
        ((identity, 1, 1, 0), "dimension must be at least 1"),
        ((identity, 1, 1, 1, "l3"), "norm must be one of"),
        ((identity, 1e-200, 1e200), "sensitivity / epsilon must be"),
    ):
        with pytest.raises(ValueError, match=message):
            LaplaceMechanism(*fields)
    with pytest.raises(TypeError, match="the query must be callable"):
        LaplaceMechanism(3, 1.0, 1.0)


def test_scales_keep_their_level_in_fractions():
    rng = np.random.default_rng(9)
    for _ in range(2000):
        epsilon, size = 10 ** rng.uniform(-8, 4), 10 ** rng.uniform(-250, 250)
        scale = Fraction(laplace_mechanism(epsilon=epsilon, sensitivity=size)(identity).scale)
        assert Fraction(size) / scale <= Fraction(epsilon) * (1 + Fraction(1, 10**9))


# --- the audit ---------------------------------------------------------------------------------


def exact_bound(hits, others, n, beta):
    """Clopper and Pearson's limits by bisection of exact binomial sums, 50 digits."""
    with mpmath.workdps(50):
        beta = mpmath.mpf(beta)

        def upper_tail(h, p):
            return mpmath.fsum(
                mpmath.binomial(n, j) * p**j * (1 - p) ** (n - j) for j in range(h, n + 1)
            )

        def solve(holds):
            low, high = mpmath.mpf(0), mpmath.mpf(1)
            for _ in range(90):
                middle = (low + high) / 2
                low, high = (middle, high) if holds(middle) else (low, middle)
            return low

        if hits == 0:
            return mpmath.mpf(0)
        one = solve(lambda p: upper_tail(hits, p) <= beta / 2)
        other = mpmath.mpf(1)
        if others < n:
            other = solve(lambda p: 1 - upper_tail(others + 1, p) > beta / 2)
        return max(mpmath.mpf(0), mpmath.log(one / other))


@pytest.mark.parametrize("confidence", [0.5, 0.95, 1 - 1e-6])
def test_the_bound_is_never_above_that_of_exact_sums(confidence):
    rng = np.random.default_rng(10)
    positive = 0
    for k in range(15):
        p, q = [(0.9, 0.1), (1.0, 0.0), (0.5, 0.4), (1.0, 0.5), (0.02, 0.0)][k % 5]

        def mechanism(values, rng, p=p, q=q):
            return rng.random(values.shape) < np.where(values == 1, p, q)

        found = audit(
            mechanism, 0, 1, rng=rng, draws=int(rng.integers(4, 60)), confidence=confidence
        )
        exact = exact_bound(*found.hits, found.draws, 1 - found.confidence)
        assert mpmath.mpf(found.epsilon) <= exact
        assert float(exact) == pytest.approx(found.epsilon, rel=1e-9, abs=1e-12)
        positive += found.epsilon > 0
    assert positive > 2


def test_wrong_limits_are_moved_to_the_safe_side(monkeypatch):
    right = auditing.special.betaincinv
    lies = types.SimpleNamespace(**vars(auditing.special))
    upper = auditing.special.betainccinv
    monkeypatch.setattr(auditing, "special", lies)

    def mechanism(values, rng):
        return values + rng.laplace(0, 1, values.shape)

    lies.betaincinv = right
    honest = audit(mechanism, 0.0, 1.0, rng=1, draws=2000)
    lies.betaincinv = lambda a, b, p: right(a, b, p) * (1 + 1e-7)
    lies.betainccinv = lambda a, b, p: upper(a, b, p) * (1 - 1e-7)
    moved = audit(mechanism, 0.0, 1.0, rng=1, draws=2000)
    assert moved.hits == honest.hits
    assert honest.epsilon - 1e-5 < moved.epsilon <= honest.epsilon * (1 + 1e-12)


def test_the_database_is_not_copied():
    database = np.zeros(5000)

    def mechanism(copies, rng):
        assert copies.shape == (200_000, 5000)
        assert not copies.flags.writeable
        return copies[:, 0] + rng.laplace(0, 1, len(copies))

    tracemalloc.start()
    audit(mechanism, database, database + 1, rng=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200e6


def test_a_mechanism_that_writes_takes_a_copy():
    def writes(copies, rng):
        copies += rng.laplace(0, 1, copies.shape)
        return copies

    with pytest.raises(ValueError, match="read-only"):
        audit(writes, 0.0, 1.0, draws=100)
    assert audit(lambda c, rng: writes(c.copy(), rng), 0.0, 1.0, rng=0, draws=100).epsilon < 1


def test_audits_that_are_too_large_are_refused_at_once():
    for draws in (50_000_001, 10**12, 2**70):
        with pytest.raises(ValueError, match="audit: draws must be at most 50000000, got"):
            audit(lambda c, rng: pytest.fail("it was called"), 0.0, 1.0, draws=draws)


def test_an_event_cannot_be_changed():
    found = audit(lambda v, rng: v + rng.laplace(0, 1, v.shape), 0.0, 1.0, rng=0, draws=100)
    with pytest.raises(ValueError, match="read-only"):
        found.event[0, 0] = 7


HIDDEN = np.ma.array([[SECRET, 2], [3, 4]], mask=[[False, True], [False, False]])


@pytest.mark.parametrize("answer", [list(HIDDEN), tuple(HIDDEN), [HIDDEN[0], [3, 4]], [[*HIDDEN]]])
def test_an_answer_of_masked_arrays_is_not_read(answer):
    mechanism = laplace_mechanism(epsilon=1.0, sensitivity=10**6, dimension=4)(identity)
    for call in (mechanism, functools.partial(discrete.discrete_laplace, scale=2.0)):
        with pytest.raises(ValueError, match="must have no masked entries") as seen:
            call(answer)
        assert str(SECRET)[:5] not in str(seen.value)


@pytest.mark.parametrize("truth", [True, np.bool_(False)])
def test_a_truth_value_among_numbers_is_no_number(truth):
    mechanism = laplace_mechanism(epsilon=1.0, sensitivity=10**6, dimension=2)(identity)
    for answer in ([truth, SECRET], (SECRET, truth), [[truth], [SECRET]]):
        for call in (mechanism, functools.partial(discrete.discrete_laplace, scale=2.0)):
            if call is mechanism and np.ndim(answer) > 1:
                continue
            with pytest.raises(TypeError, match="must hold real numbers, got one of the") as seen:
                call(answer)
            assert str(SECRET)[:5] not in str(seen.value)
