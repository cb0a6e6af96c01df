"""Promises of learning, staircase and test: never above what is promised, or an error.

The oracles are fractions, mpmath and the definitions; the inputs are the nasty ones.
"""

from __future__ import annotations

import copy
import dataclasses
import itertools
import math
import pickle
import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from privlib import UncertifiedError
from privlib.laplace import erm
from privlib.research.binomial_test import binomial_test
from privlib.research.private_estimators import PrivateLinearClassifier, PrivateRidge
from privlib.research.staircase import Staircase

LOGISTIC, SQUARED = erm.LOSSES["logistic"], erm.LOSSES["squared"]
SIZES = [5e-324, 1e-320, 1e-308, 1e-200, 1e-12, 0.1, 1.0, 3.0, 1e5, 1e150, 1e300, 1.7e308]
PEOPLE = [1, 2, 3, 1000, 10**8, 2**31 - 1, 2**31 + 1, 2**53 + 1, 2**62 + 1]
LEVELS = [1e-300, 1e-17, 1e-8, 1e-3, 0.1, 1.0, 30.0, 1e4, 1e300]


def data(rng, n=20, d=3, reach=1.0, loss=LOGISTIC):
    X = rng.standard_normal((n, d))
    X *= reach * rng.random((n, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    y = rng.choice([-1.0, 1.0], n) if loss.classes else rng.uniform(-1, 1, n)
    return X, y


def attempt(function, *args, **kwargs):
    """The result and no message, or no result and the message of a ValueError or RuntimeError."""
    try:
        return function(*args, **kwargs), ""
    except (ValueError, RuntimeError) as error:
        return None, str(error)


# --- bounds ------------------------------------------------------------------------------------


def test_the_sensitivity_is_never_below_the_bound():
    """By fractions: where n * Lambda is beyond all floats it was 0."""
    refused = 0
    for n, strength, slope in itertools.product(PEOPLE, SIZES, SIZES):
        exact = 2 * Fraction(slope) / (n * Fraction(strength))
        found, error = attempt(erm.sensitivity, n, regularization=strength, lipschitz=slope)
        if error:
            assert "within the range of floats" in error
            assert exact > 1e307
            refused += 1
            continue
        assert Fraction(float(found)) >= exact
        assert Fraction(float(found)) <= exact * (1 + Fraction(1, 10**12)) + Fraction(20e-324)
    assert 0 < refused < 600


def test_the_sensitivity_of_many_sizes_at_once():
    found = erm.sensitivity(PEOPLE, regularization=1e308, lipschitz=[[1.0], [1e-10]])
    assert found.shape == (2, len(PEOPLE))
    assert (found > 0).all()


@pytest.mark.parametrize(
    "strength", [*SIZES, Fraction(1, 3), Fraction(7, 2), 1 - 2**-53, 1 + 2**-52]
)
def test_no_ridge_solution_is_longer_than_its_radius(strength):
    radius, exact = Fraction(erm.ridge_radius(strength)), Fraction(float(strength))
    if exact <= 1:
        assert 4 * exact * radius**2 >= 1
    else:
        assert radius * (1 + exact) >= 1
    assert radius <= Fraction(
        1 / (2 * math.sqrt(exact)) if exact <= 1 else 1 / (1 + float(exact))
    ) * (1 + Fraction(1, 10**15)) + Fraction(10e-324)


@pytest.mark.parametrize("tight", [False, True])
def test_noise_and_determinant_never_take_more_than_epsilon(tight):
    """By mpmath, for 60 digits: e^spent (1 + c / (n (Lambda + Delta)))^k <= e^epsilon."""
    k, answered = (1 if tight else 2), 0
    for n, eps, strength, c in itertools.product(PEOPLE, LEVELS, SIZES, [1e-300, 0.25, 1.0, 1e300]):
        settings = {"epsilon": eps, "regularization": strength, "curvature": c, "tight": tight}
        found, error = attempt(erm.budget, n, **settings)
        if error:
            assert "no regularization in floats is enough" in error
            continue
        spent, extra = found
        answered += 1
        assert spent > 0
        assert extra >= 0
        assert math.isfinite(extra)
        with mpmath.workdps(60):
            ratio = mpmath.mpf(c) / (mpmath.mpf(n) * mpmath.mpf(strength + extra))
            taken = k * mpmath.log1p(ratio) if ratio > 1e-40 else k * ratio
            assert spent + taken <= mpmath.mpf(eps) * (1 + mpmath.mpf(10) ** -12)
    assert answered > 3000


def test_budget_without_privacy_and_with_what_floats_do_not_hold():
    assert erm.budget(3, epsilon=math.inf, regularization=1, curvature=1) == (math.inf, 0.0)
    assert erm.budget(3, epsilon=np.float32("inf"), regularization=1, curvature=1)[0] == math.inf
    for wrong, message in [
        ({"epsilon": 5e-324}, "epsilon must be at least 1e-300"),
        ({"n": 10**400}, "n must be in 1..9223372036854775807"),
        ({"regularization": Fraction(1, 10**400)}, "regularization must not be so small"),
        ({"curvature": 10**400}, "curvature must be within the range of floats"),
    ]:
        arguments = {"n": 3, "epsilon": 1, "regularization": 1, "curvature": 1} | wrong
        with pytest.raises(ValueError, match=f"^budget: {message}"):
            erm.budget(arguments.pop("n"), **arguments)


# --- records -----------------------------------------------------------------------------------


def length(row):
    return sum(Fraction(float(v)) ** 2 for v in row)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bound", [1e-300, 1e-160, 0.7, 1.0, 1e160, 1.7e308])
@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_no_clipped_record_is_longer_than_the_bound_exactly(d, bound):
    """Records as long as the bound to the last digit, much longer, and much shorter."""
    rng = np.random.default_rng(d)
    X = rng.standard_normal((120, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X *= 1 + rng.integers(-4, 5, (120, 1)) * 2.0**-53
    X *= bound
    X[:20] = 0
    X[range(20), rng.integers(0, d, 20)] = bound  # exactly as long
    X[20:30] /= 3
    X[30:40] *= 1e100 if bound < 1e200 else 1
    X[40:50] = np.sign(X[40:50]) * 1.7e308
    clipped = erm.clip_rows(X, bound=bound)
    most = Fraction(bound) ** 2
    for before, after in zip(X, clipped):
        if length(before) <= most:
            np.testing.assert_array_equal(before, after)
        else:
            assert length(after) <= most
            assert length(after) >= most * (1 - Fraction(1, 10**13))
    # A record depends on itself alone.
    order = rng.permutation(120)
    np.testing.assert_array_equal(erm.clip_rows(X[order], bound=bound), clipped[order])
    for i in (0, 55, 119):
        np.testing.assert_array_equal(erm.clip_rows(X[[i]], bound=bound)[0], clipped[i])


def test_a_table_of_people_loses_who_they_are():
    table = pd.DataFrame({"a": [3.0, 0.3], "b": [4.0, 0.4]}, index=["Ann", "Bob"])
    assert type(erm.clip_rows(table)) is np.ndarray
    records = table / 10
    labels = pd.Series([1, -1], index=["Ann", "Bob"])
    found = erm.minimise(records, labels, regularization=1).weights
    np.testing.assert_array_equal(
        found, erm.minimise(records.values, [1, -1], regularization=1).weights
    )
    swapped = labels.iloc[::-1]
    for fit in (erm.minimise, erm.output_perturbation, erm.objective_perturbation):
        more = {} if fit is erm.minimise else {"epsilon": 1}
        with pytest.raises(ValueError, match=rf"^{fit.__name__}: X and y must have the same index"):
            fit(records, swapped, regularization=1, **more)


SECRET = 0.7316254
PRIVATE = [
    ([[SECRET, 0.9]], [1]),
    ([[1e200 * SECRET, 0.9]], [1]),
    ([[0.1, 0.2]], [SECRET]),
    ([[0.1, 0.2]], [SECRET * 3]),
    ([[math.nan, SECRET / 9]], [1]),
    ([[math.inf, SECRET / 9]], [1]),
    ([["0.7316254", 0.1]], [1]),
    ([[0.1, 0.2]], ["0.7316254"]),
    ([[0.1, SECRET], [0.1]], [1, 1]),
    ([[0.1, None]], [1]),
    ([[0.1, 0.7316254j]], [1]),
    ([[0.1, Fraction(7316254, 10**7)], [10**400, 0]], [1, 1]),
    (np.array([[True, False]]), [1]),
]


@pytest.mark.parametrize("case", range(len(PRIVATE)))
@pytest.mark.parametrize(
    "name", ["minimise", "output_perturbation", "objective_perturbation", "ridge"]
)
def test_no_message_quotes_the_data(case, name):
    X, y = PRIVATE[case]
    settings = {"regularization": 0.1}
    if name != "minimise":
        settings |= {"epsilon": 1.0}
    fit = erm.output_perturbation if name == "ridge" else getattr(erm, name)
    if name == "ridge":
        settings["loss"] = "squared"
        y = [v if isinstance(v, str) else 2 * v for v in y]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises((TypeError, ValueError)) as caught:
            fit(X, y, **settings)
    chain = [caught.value, caught.value.__cause__, caught.value.__context__]
    for error in filter(None, chain):
        for private in ("73162", "1.46", "2.19", "nan", "None"):
            assert private not in str(error)


# --- what a loss says of itself ----------------------------------------------------------------

LIARS = {
    "slope": dataclasses.replace(LOGISTIC, lipschitz=0.5),
    "slope of one label": dataclasses.replace(
        LOGISTIC, derivative=lambda y, z: np.where(y > 0, 3, 1) * LOGISTIC.derivative(y, z)
    ),
    "curvature": dataclasses.replace(LOGISTIC, curvature=0.1),
    "hidden curvature": dataclasses.replace(
        erm.huber_hinge(0.05), curvature=0.25, second_derivative=LOGISTIC.second_derivative
    ),
    "not convex": dataclasses.replace(
        LOGISTIC, derivative=lambda y, z: np.sin(z), second_derivative=lambda y, z: 0 * z
    ),
    "negative curvature": dataclasses.replace(LOGISTIC, second_derivative=lambda y, z: z * 0 - 0.1),
    "not a number": dataclasses.replace(LOGISTIC, derivative=lambda y, z: z * math.nan),
    "another shape": dataclasses.replace(LOGISTIC, derivative=lambda y, z: 0.0),
    "no bound": dataclasses.replace(LOGISTIC, lipschitz=math.nan),
    "negative bound": dataclasses.replace(LOGISTIC, curvature=-1.0),
}


@pytest.mark.parametrize("name", LIARS)
@pytest.mark.parametrize("fit", [erm.output_perturbation, erm.objective_perturbation])
def test_a_loss_that_breaks_its_own_bounds_is_refused(fit, name):
    X, y = data(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"loss must|Loss: |lipschitz must be"):
        fit(X, y, loss=LIARS[name], epsilon=1, regularization=0.1)


@pytest.mark.parametrize("fit", [erm.output_perturbation, erm.objective_perturbation])
def test_a_loss_that_lies_at_the_records_alone_is_uncertified(fit):
    """Honest on the grid, steep where the records of this fit have their scores."""
    lies = []

    def derivative(y, z):
        slopes = LOGISTIC.derivative(y, z)
        return 2.5 * slopes if lies and z.size == 20 else slopes

    loss = dataclasses.replace(LOGISTIC, derivative=derivative)
    X, y = data(np.random.default_rng(0))
    fit(X, y, loss=loss, epsilon=1, regularization=10.0)
    lies.append(True)
    with pytest.raises(UncertifiedError, match=r"slope above 1, the bound .*; nothing is returned"):
        fit(X, y, loss=loss, epsilon=1, regularization=10.0)


# --- noise -------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
def test_the_noise_covers_the_swing_of_one_record_or_nothing_is_returned(loss):
    """Two neighbours at the edge of what is accepted: their minimisers, far less than the noise."""
    chosen, answered = erm.LOSSES[loss], 0
    for n, eps, strength in itertools.product(
        [1, 2, 5], LEVELS[1:], [1e-300, 1e-5, 0.3, 50.0, 1e250]
    ):
        X = np.zeros((n, 1))
        X[0] = 1 + 1e-12
        y = np.ones(n)
        found = []
        for sign in (1, -1):
            model, error = attempt(
                erm.output_perturbation,
                X,
                sign * y,
                loss=loss,
                epsilon=eps,
                regularization=strength,
            )
            if error:
                assert "nan" not in error
                break
            assert model.epsilon == eps
            assert model.gradient_norm == erm.TOL  # not that of the data
            found.append(model.noise_scale)
            answered += 1
            slope = chosen.lipschitz if chosen.classes else 1 + erm.ridge_radius(strength)
            exact = 2 * Fraction(slope) * Fraction(1 + 1e-12) / (n * Fraction(strength))
            assert Fraction(model.noise_scale) * Fraction(eps) >= exact
        if len(found) == 2:
            assert found[0] == found[1]  # it depends on nothing private
            pair = [
                erm.minimise(X, sign * y, loss=loss, regularization=strength).weights[0]
                for sign in (1, -1)
            ]
            assert abs(pair[0] - pair[1]) <= found[0] * eps
    assert answered > 60


@pytest.mark.parametrize("tight", [False, True])
def test_objective_noise_covers_records_at_the_edge(tight):
    for n, eps, strength in itertools.product([1, 3, 50], [1e-8, 0.1, 5.0, 1e4], [1e-3, 1.0, 1e10]):
        X = np.zeros((n, 1))
        X[0] = 1 + 1e-12
        model = erm.objective_perturbation(
            X, np.ones(n), epsilon=eps, regularization=strength, tight=tight
        )
        with mpmath.workdps(40):
            reach = mpmath.mpf(1) + mpmath.mpf("1e-12")
            total = mpmath.mpf(strength + model.extra_regularization)
            taken = (1 if tight else 2) * mpmath.log1p(0.25 * reach**2 / (n * total))
            level = 2 * reach / mpmath.mpf(model.noise_scale) + taken
            assert level <= mpmath.mpf(eps) * (1 + mpmath.mpf("1e-12"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"regularization": 1e308}, r"the noise scale must be in 1e-290\.\.1e\+290, got 1e-309"),
        ({"epsilon": 1e-300, "regularization": 1e-5}, "the noise scale must be in"),
        (
            {"regularization": 1e-320},
            r"lipschitz / \(n \* regularization\) must be within|must be in",
        ),
        ({"epsilon": 1e14}, r"n \* epsilon must be at most about 1e13"),
        ({"epsilon": 1e300}, r"n \* epsilon must|the noise scale must"),
        ({"epsilon": Fraction(1, 10**400)}, "epsilon must not be so small that its float is 0"),
        ({"epsilon": math.nan}, "epsilon must be finite"),
        ({"epsilon": -math.inf}, "epsilon must be finite"),
    ],
)
def test_noise_that_floats_do_not_carry_is_refused(settings, message):
    X, y = data(np.random.default_rng(1))
    with pytest.raises(ValueError, match=message):
        erm.output_perturbation(X, y, **({"epsilon": 1, "regularization": 0.1} | settings))


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("epsilon", [1e-4, 1e-8, 1e-10])
def test_the_gradient_that_is_left_is_small_beside_one_record(loss, epsilon, monkeypatch):
    """However large the noise: it leaves a hundredth of a record's slope at most, exactly."""
    added = []

    def noise(dimension, *, scale, rng, size=None):
        added.append(rng.standard_normal(dimension) * scale * math.sqrt(dimension))
        return added[-1]

    monkeypatch.setattr(erm, "spherical_laplace", noise)
    tried = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(1, 40)), int(rng.integers(1, 30))
        X, y = erm.clip_rows(rng.normal(size=(n, d))), rng.choice([-1.0, 1.0], n)
        strength = 10.0 ** rng.integers(-6, 2)
        found, error = attempt(
            erm.objective_perturbation,
            X,
            y,
            epsilon=epsilon,
            regularization=strength,
            loss=loss,
            rng=seed,
        )
        if error:
            continue
        slopes = erm.LOSSES[loss].derivative(y, X @ found.weights)
        left = [
            math.fsum(
                [*(X[:, j] * slopes), n * (strength + found.extra_regularization) * w, added[-1][j]]
            )
            for j, w in enumerate(found.weights)
        ]
        # What is left of a sum of numbers as large as the noise has their rounding.
        rounding = 1e-14 * float(np.abs(added[-1]).max()) * d
        assert math.hypot(*left) <= 0.01 + rounding
        tried += 1
    assert tried > 50


def test_a_minimiser_that_is_too_coarse_for_its_noise_is_refused():
    X, y = data(np.random.default_rng(1), n=50)
    settings = {"epsilon": 1, "regularization": 0.1}
    with pytest.raises(ValueError, match=r"tol must be at most 0.0002 for 50 records, got 0.01"):
        erm.objective_perturbation(X, y, tol=1e-2, **settings)
    erm.objective_perturbation(X, y, tol=2e-4, **settings)


@pytest.mark.parametrize("fit", [erm.output_perturbation, erm.objective_perturbation])
def test_what_is_no_minimiser_is_not_returned(monkeypatch, fit):
    X, y = data(np.random.default_rng(1))
    search = erm._minimise

    def off(*arguments):
        weights, norm = search(*arguments)
        return weights + 1e-6, norm

    monkeypatch.setattr(erm, "_minimise", off)
    with pytest.raises(UncertifiedError, match="the gradient, summed again, is larger"):
        fit(X, y, epsilon=1, regularization=0.1)


@pytest.mark.parametrize("infinity", [math.inf, np.inf, np.float32("inf")])
@pytest.mark.parametrize("fit", [erm.output_perturbation, erm.objective_perturbation])
def test_without_privacy_there_is_no_noise(fit, infinity):
    X, y = data(np.random.default_rng(1))
    model = fit(X, y, epsilon=infinity, regularization=0.1)
    exact = erm.minimise(X, y, regularization=0.1).weights
    np.testing.assert_array_equal(model.weights, exact)
    assert (model.epsilon, model.noise_scale, model.extra_regularization) == (math.inf, 0, 0)


def test_models_are_not_written_to():
    X, y = data(np.random.default_rng(1))
    model = erm.output_perturbation(X, y, epsilon=1, regularization=0.1)
    for one in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        with pytest.raises(ValueError, match="read-only"):
            one.weights[0] = 0
        np.testing.assert_array_equal(one.weights, model.weights)
        assert one.noise_scale == model.noise_scale


def test_spherical_noise_stays_within_floats():
    for scale in (1e-290, 1e290):
        noise = erm.spherical_laplace(40, scale=scale, size=200)
        assert np.isfinite(noise).all()
        assert (noise != 0).all()
    for scale in (5e-324, 1e-300, 1e300, 1.7e308):
        with pytest.raises(
            ValueError, match=r"^spherical_laplace: scale must be in 1e-290..1e\+290"
        ):
            erm.spherical_laplace(2, scale=scale)
    with pytest.raises(ValueError, match="size times dimension must be at most 1000000000"):
        erm.spherical_laplace(2**40, scale=1, size=2**40)


class Zeros(np.random.Generator):
    """Normal numbers that are all 0, which floats allow."""

    def standard_normal(self, size):
        return np.zeros(size)


def test_noise_without_a_direction_gets_one():
    noise = erm.spherical_laplace(3, scale=1, rng=Zeros(np.random.PCG64(1)), size=4)
    assert np.isfinite(noise).all()
    assert (np.linalg.norm(noise, axis=1) > 0).all()


# --- estimators --------------------------------------------------------------------------------


def people(n=60):
    rng = np.random.default_rng(8)
    X = rng.uniform(-2, 2, (n, 3))
    return X, np.where(X[:, 0] > 0, "well", "ill"), X @ [1.0, -2.0, 0.5]


@pytest.mark.parametrize("loss", ["logistic", LOGISTIC])
def test_probabilities_are_a_function_of_the_private_model(loss):
    X, y, _ = people()
    model = PrivateLinearClassifier(epsilon=5.0, loss=loss, classes=["well", "ill"]).fit(X, y)
    scores = model.decision_function(X)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances[:, 1], 1 / (1 + np.exp(-scores)), rtol=1e-12)
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-15)
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    large = model.predict_proba(1e6 * X)
    assert np.isfinite(large).all()


def test_the_other_losses_have_no_probabilities():
    model = PrivateLinearClassifier(loss="huber")
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba needs loss='logistic'"):
        _ = model.predict_proba


def test_estimators_without_privacy_learn_without_noise():
    X, y, z = people()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is promised, so nothing is warned of
        model = PrivateLinearClassifier(epsilon=math.inf, fit_intercept=False, norm_bound=3).fit(
            X, y
        )
    u = erm.clip_rows(X, bound=3.0) / 3
    signs = np.where(y == "well", 1, -1)
    exact = erm.minimise(u, signs, regularization=0.01).weights / 3
    np.testing.assert_allclose(model.coef_[0], exact, rtol=1e-12)
    ridge = PrivateRidge(epsilon=math.inf, fit_intercept=False, norm_bound=3, label_bound=9).fit(
        X, z
    )
    exact = erm.minimise(u, np.clip(z, -9, 9) / 9, loss="squared", regularization=0.01).weights
    np.testing.assert_allclose(ridge.coef_, 3 * exact, rtol=1e-12)
    assert model.noise_scale_ == ridge.noise_scale_ == 0


def test_labels_read_off_the_data_are_warned_of_and_public_ones_are_not():
    X, y, _ = people()
    with pytest.warns(UserWarning, match="which of them occur is not covered by epsilon"):
        PrivateLinearClassifier().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrivateLinearClassifier(classes=["ill", "well"]).fit(X, y)


def test_a_fitted_model_is_pickled_and_copied_without_its_seed():
    X, y, z = people()
    for model in (
        PrivateLinearClassifier(classes=["ill", "well"], rng=7),
        PrivateRidge(rng=np.random.default_rng(7)),
        PrivateRidge(random_state=7),
    ):
        assert pickle.loads(pickle.dumps(model)).get_params().keys() == model.get_params().keys()
        seeds = {model.rng, model.random_state} - {None}
        before = pickle.loads(pickle.dumps(model))
        assert len({before.rng, before.random_state} - {None}) == len(seeds)  # not fitted: kept
        model.fit(X, y if hasattr(model, "classes") else z)
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert other.rng is None
            assert other.random_state is None
            np.testing.assert_array_equal(other.predict(X), model.predict(X))


def test_random_state_is_another_name_of_the_seed():
    X, _, z = people()
    one = PrivateRidge(rng=3).fit(X, z).coef_
    np.testing.assert_array_equal(PrivateRidge(random_state=3).fit(X, z).coef_, one)
    np.testing.assert_array_equal(PrivateRidge(rng=9, random_state=3).fit(X, z).coef_, one)
    assert (PrivateRidge(rng=3, random_state=0).fit(X, z).coef_ != one).all()  # 0 is a seed


def test_no_message_of_an_estimator_quotes_the_data():
    X, y, z = people(6)
    named = X.astype(object)
    named[2, 1] = "HIV positive"
    for model, records, labels in (
        (PrivateRidge(), named, z),
        (PrivateRidge(), X, ["HIV positive"] * 6),
        (PrivateLinearClassifier(classes=["ill", "well"]), X, ["HIV positive", *y[1:]]),
        (PrivateLinearClassifier(epsilon=math.inf), X, ["HIV positive"] * 6),
    ):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            model.fit(records, labels)
        for error in (caught.value, caught.value.__cause__, caught.value.__context__):
            assert "HIV" not in str(error)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bound", [5e-324, 1e-301, 1e-300, 1e-150, 1.0, 1e150, 1.7e308])
def test_bounds_of_any_size_give_a_model_or_a_name(bound):
    X, y, z = people()
    X[:4] *= [[1e307], [1e200], [1e-200], [0]]
    for model, labels in (
        (PrivateRidge(norm_bound=bound), z),
        (PrivateRidge(label_bound=bound), z * 1e300),
        (PrivateLinearClassifier(norm_bound=bound, classes=["ill", "well"]), y),
    ):
        fitted, error = attempt(model.fit, X, labels)
        if error:
            assert error.startswith(type(model).__name__ + ": ")
            assert "_bound" in error
        else:
            assert np.isfinite(fitted.coef_).all()


def test_records_and_labels_of_different_people_are_refused():
    X, _, z = people(5)
    table, labels = pd.DataFrame(X), pd.Series(z)
    with pytest.raises(ValueError, match="PrivateRidge: X and y must have the same index"):
        PrivateRidge().fit(table, labels.sample(frac=1, random_state=1))


def test_a_message_does_not_name_people():
    X, _, z = people(5)
    names = ["Ann Smith", "Ben", "Cem", "Dan", "Eve"]
    table, labels = pd.DataFrame(erm.clip_rows(X), index=names), pd.Series(z, index=names[::-1])
    for fit in (
        PrivateRidge().fit,
        lambda X, y: erm.output_perturbation(X, y, epsilon=1, regularization=1),
        lambda X, y: erm.minimise(X, np.sign(y), regularization=1),
    ):
        with pytest.raises(ValueError, match=r"X and y must have the same index") as caught:
            fit(table, labels)
        for error in (caught.value, caught.value.__cause__, caught.value.__context__):
            assert "Ann" not in str(error)
            assert "Eve" not in str(error)


def test_records_of_another_form_are_not_quoted():
    X, y, z = people(6)
    secret = X.copy()
    secret[0, 0] = 0.1234567
    huge = secret.astype(object)
    huge[1, 1] = 10**400
    mixed = np.array(["ill", 0.1234567, *y[2:]], dtype=object)
    private = PrivateLinearClassifier(classes=["ill", "well"])
    for model, records, labels, message in (
        (PrivateRidge(), secret + 0j, z, "Complex data not supported; X and y must hold real"),
        (PrivateRidge(), secret, z + 0.1234567j, "Complex data not supported; X and y must hold"),
        (PrivateRidge(), secret[:, 0], z, "Expected 2D array, got 1D array instead. Reshape"),
        (PrivateRidge(), secret[0, 0], z, "Expected 2D array, got scalar array instead. Reshape"),
        (PrivateRidge(), secret, z[0], "y should be a 1d array"),
        (PrivateRidge(), huge, z, "X and y must hold real numbers"),
        (private, secret, mixed, "y must hold labels of one kind"),
    ):
        with pytest.raises((ValueError, TypeError), match=message) as caught:
            model.fit(records, labels)
        for error in (caught.value, caught.value.__cause__, caught.value.__context__):
            assert "1234567" not in str(error)
            assert str(z[0]) not in str(error)


def test_masked_records_are_not_learned_from():
    X, _, z = people(6)
    X = erm.clip_rows(X)
    hidden = np.ma.array(X, mask=np.median(X) < X)
    for fit in (
        PrivateRidge().fit,
        lambda X, y: erm.output_perturbation(X, y, loss="squared", epsilon=1, regularization=1),
        lambda X, y: erm.clip_rows(X),
    ):
        for records in (hidden, list(hidden)):
            with pytest.raises(ValueError, match="must have no masked entries"):
                fit(records, z)
    with pytest.raises(ValueError, match="must have no masked entries"):
        PrivateRidge().fit(X, np.ma.array(z, mask=z > np.median(z)))
    assert PrivateRidge().fit(np.ma.array(X), z).coef_.shape == (X.shape[1],)


def test_classes_may_be_a_set():
    X, y, _ = people()
    model = PrivateLinearClassifier(classes={"well", "ill"}, epsilon=math.inf).fit(X, y)
    assert model.classes_.tolist() == ["ill", "well"]


# --- staircase ---------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("epsilon", [1e-17, 1e-8, 0.3, 4.0, 60.0, 700.0])
@pytest.mark.parametrize("step", [None, 0.0, 5e-324, 1e-17, 0.25, 1 - 2**-53, 1.0, Fraction(1, 3)])
def test_the_stated_density_is_that_of_the_law_and_loses_epsilon_at_most(epsilon, step):
    noise = Staircase(epsilon=epsilon, step=step)
    gamma = mpmath.mpf(noise.step)
    t = np.array([0.001, 0.2, 0.4, 0.6, 0.999, 1.1, 1.3, 1.7, 2.1, 2.6])
    stated = noise.pdf(t)
    with mpmath.workdps(40):
        q = mpmath.exp(-mpmath.mpf(epsilon))
        top = -mpmath.expm1(-mpmath.mpf(epsilon)) / (2 * (gamma + q * (1 - gamma)))
        law = [top * q ** (math.floor(v) + (mpmath.mpf(v) % 1 >= gamma)) for v in t.tolist()]
        for value, exact in zip(stated.tolist(), law):
            assert abs(value - exact) <= exact * mpmath.mpf("1e-12") + mpmath.mpf("1e-300")
        most = mpmath.exp(mpmath.mpf(epsilon)) * (1 + mpmath.mpf("1e-30"))
        for (a, f), (b, g) in itertools.product(zip(t, law), repeat=2):
            if abs(a - b) < 1 or a + b < 1:
                assert f <= g * most


@pytest.mark.parametrize("step", [None, 0.0, 0.25, 0.5, 1.0])
def test_every_epsilon_of_the_range_has_its_staircase(step):
    for epsilon in np.concatenate([np.linspace(200, 700, 501), np.geomspace(1e-17, 200, 100)]):
        assert Staircase(epsilon=float(epsilon), step=step).epsilon == epsilon


def test_a_level_that_no_threshold_reaches_is_named():
    for n, null, epsilon in ((5, 0.2, 1e-6), (5, 0.2, 143.3), (60, 1e-17, 1.0)):
        with pytest.raises(ValueError, match="binomial_test: level must be one that a threshold"):
            binomial_test(n, null, epsilon=epsilon, level=1 - 2**-53)


def test_a_density_that_falls_too_far_is_uncertified(monkeypatch):
    honest = Staircase._height
    monkeypatch.setattr(Staircase, "_height", lambda self, t: honest(self, t) ** 1.01)
    with pytest.raises(UncertifiedError, match="Staircase: the loss between answers"):
        Staircase(epsilon=2.0)
    monkeypatch.setattr(Staircase, "_height", lambda self, t: 1.01 * honest(self, t))
    with pytest.raises(UncertifiedError, match="Staircase: the distance of the mass from 1"):
        Staircase(epsilon=2.0)


@pytest.mark.parametrize("infinity", [math.inf, np.float32("inf")])
def test_staircase_without_privacy_is_no_noise(infinity):
    noise = Staircase(epsilon=infinity, sensitivity=3)
    assert noise.sample() == 0
    assert noise.sample((2, 0)).shape == (2, 0)
    assert not noise.sample(1000).any()
    assert noise.error == 0
    assert noise.cdf([-1e-300, 0, 2]).tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match="there is no density at epsilon = inf"):
        noise.pdf(0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 1.0, "sensitivity": 1e-300}, "sensitivity must be at least 1e-290"),
        ({"epsilon": 1e-17, "sensitivity": 1e290}, "sensitivity / epsilon must be at most 1e300"),
        ({"epsilon": Fraction(1, 10**400)}, "epsilon must not be so small"),
        ({"epsilon": 1.0, "sensitivity": 2**53 + 1}, "sensitivity must be an integer that a float"),
        ({"epsilon": math.nan}, "epsilon must be finite"),
        ({"epsilon": -math.inf}, "epsilon must be finite"),
    ],
)
def test_staircases_that_floats_do_not_hold(arguments, message):
    with pytest.raises(ValueError, match=f"^Staircase: {message}"):
        Staircase(**arguments)


def test_samples_are_finite_and_their_number_is_limited():
    for epsilon, sensitivity in [(1e-17, 1e280), (700.0, 1e-290), (1.0, 1e300), (1e-8, 1.0)]:
        sample = Staircase(epsilon=epsilon, sensitivity=sensitivity).sample(10_000)
        assert np.isfinite(sample).all()
    noise = Staircase(epsilon=1.0)
    with pytest.raises(ValueError, match=r"^Staircase.sample: the size must be at most 1000000000"):
        noise.sample((2**40, 2**40))
    with pytest.raises(ValueError, match=r"^Staircase.sample: size must be at least 0, got -1"):
        noise.sample(-1)
    with pytest.raises(TypeError, match=r"^Staircase.sample: size must be an integer, got 2.5"):
        noise.sample(2.5)
    with pytest.raises(ValueError, match="density must be within the range of floats"):
        Staircase(epsilon=700.0, sensitivity=1e-280).pdf(0)


# --- the best test of a share ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_level_and_loss_of_a_test_are_never_above_what_it_says(seed):
    """By fractions: the binomial law, and the chances as they are stated."""
    rng = np.random.default_rng(seed)
    answered = 0
    for _ in range(60):
        n = int(rng.choice([1, 2, 3, 10, 40]))
        null = float(rng.choice([0.5, rng.random(), 1e-9, 1 - 1e-9, 5e-324]))
        epsilon = float(10 ** rng.uniform(-17, 2.8))
        level = float(rng.choice([0.05, rng.random(), 1e-9, 1 - 1e-9]))
        test, error = attempt(binomial_test, n, null, epsilon=epsilon, level=level)
        if error:
            assert "that a threshold in floats reaches" in error
            continue
        answered += 1
        p = Fraction(null)
        law = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        yes = [Fraction(c) for c in test.chances.tolist()]
        assert sum(a * b for a, b in zip(law, yes)) <= Fraction(level) * (1 + Fraction(1, 10**9))
        assert test.power(null) <= level * (1 + 1e-9)
        with mpmath.workdps(40):
            b = mpmath.exp(mpmath.mpf(epsilon)) * (1 + mpmath.mpf("1e-9"))
            for chances in (yes, [1 - c for c in yes]):
                floats = [mpmath.mpf(c.numerator) / c.denominator for c in chances]
                for one, other in itertools.pairwise(floats):
                    # 1 - yes is rounded where yes is next to 1, and events below 1e-300 are none.
                    assert one <= b * (other + 2.3e-16) + 1e-300
                    assert other <= b * (one + 2.3e-16) + 1e-300
    assert answered > 40


def test_p_values_are_never_too_small():
    """P(p <= a) under the null by the exact law: a sum over counts of the noise's own chances."""
    test = binomial_test(12, 0.3, epsilon=0.7, level=0.1)
    z = np.linspace(-30, 45, 301)
    p = test.p_value(z)
    assert ((p >= 0) & (p <= 1)).all()
    assert (np.diff(p) <= 0).all()
    counts = np.arange(13)
    for released, value in zip(z[::20], p[::20]):
        beyond = [float(1 - test.noise.cdf(released - k)) for k in counts]
        assert value >= np.dot(stats.binom.pmf(counts, 12, 0.3), beyond) * (1 - 1e-9) - 1e-15
    many = test.p_value(np.full((400, 500), 5.0))  # more than fits in one part
    assert many.shape == (400, 500)
    assert (many == test.p_value(5.0)).all()
    assert test.p_value([]).shape == (0,)
    assert test.power([[]]).shape == (1, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 1e4}, r"epsilon must be in 1e-17\.\.700, got 10000"),
        ({"epsilon": 1e-18}, r"epsilon must be in 1e-17\.\.700, got 1e-18"),
        ({"epsilon": math.inf}, "epsilon must be finite, got inf; without privacy use scipy.stats"),
        ({"epsilon": math.nan}, "epsilon must be finite"),
        ({"n": 2**31}, "n must be at most 10000000, got 2147483648"),
        ({"n": 10**400}, "n must be at most 10000000"),
        ({"null": Fraction(1, 10**400)}, "null must not be so small that its float is 0"),
        ({"level": 0}, r"level must be in \(0, 1\)"),
    ],
)
def test_a_test_names_itself_in_its_errors(changes, message):
    arguments = {"n": 20, "null": 0.2, "epsilon": 1.0, "level": 0.05} | changes
    n, null = arguments.pop("n"), arguments.pop("null")
    with pytest.raises(ValueError, match=f"^binomial_test: {message}"):
        binomial_test(n, null, **arguments)


def test_an_error_does_not_quote_the_count():
    test = binomial_test(20, 0.2, epsilon=1.0)
    for count in (731, -731, [3, 731], 7.31, "731", 10**400 + 731, None):
        with pytest.raises(
            ValueError, match=r"^release: count must hold integers in 0\.\.20$"
        ) as error:
            test.release(count)
        assert error.value.__context__ is None
    assert test.release([3, 4]).shape == (2,)
    assert test.release(pd.Series([3, 4], index=["a", "b"])).shape == (2,)
    assert isinstance(float(test.release(3)), float)


def test_a_test_is_not_written_to():
    test = binomial_test(20, 0.2, epsilon=1.0)
    for one in (test, copy.deepcopy(test), pickle.loads(pickle.dumps(test))):
        with pytest.raises(ValueError, match="read-only"):
            one.chances[0] = 1
        assert one.power(0.5) == test.power(0.5)


def test_noise_without_its_level_makes_no_test(monkeypatch):
    """Noise of a larger epsilon than is said: the chances show it."""
    honest = Staircase.cdf

    def sharper(self, x):
        return honest(dataclasses.replace(self, epsilon=1.001 * self.epsilon), x)

    monkeypatch.setattr(Staircase, "cdf", sharper)
    with pytest.raises(
        UncertifiedError, match="binomial_test: the loss between neighbouring counts"
    ):
        binomial_test(20, 0.2, epsilon=1.0)


def test_many_people():
    test = binomial_test(10**6, 0.3, epsilon=0.01)
    assert test.power(0.3) == pytest.approx(0.05, rel=1e-8)
    assert test.power(0.3) <= 0.05 * (1 + 1e-9)
