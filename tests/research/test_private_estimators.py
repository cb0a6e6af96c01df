"""Tests of `privlib.research.private_estimators`: scikit-learn's contract."""

from __future__ import annotations

import importlib
import math
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn import base, linear_model, model_selection, pipeline, preprocessing
from sklearn.utils.estimator_checks import parametrize_with_checks

from privlib.laplace import erm
from privlib.research.private_estimators import PrivateLinearClassifier, PrivateRidge

# A fit draws fresh noise unless it gets a seed, and the checks compare fits.
SEEDED = [
    PrivateLinearClassifier(rng=0),
    PrivateLinearClassifier(rng=0, loss="huber", perturbation="output", fit_intercept=False),
    PrivateRidge(rng=0),
    PrivateRidge(rng=0, epsilon=1e4, norm_bound=5.0, label_bound=3.0, fit_intercept=False),
]


@pytest.mark.filterwarnings("ignore:PrivateLinearClassifier. the labels are read off y")
@parametrize_with_checks([*SEEDED, PrivateLinearClassifier(), PrivateRidge()])
def test_the_contract_of_scikit_learn(estimator, check):
    """Also without a seed of ours: the checks set `random_state` where they compare fits."""
    check(estimator)


def people(n, rng, reach=3.0):
    """Records beyond and within the bound, and numbers that depend on them."""
    X = rng.uniform(-reach, reach, (n, 3))
    return X, X @ [1.0, -2.0, 0.5] + 0.7


def embed(X, bound, intercept):
    """The records that the guarantee is about, one at a time."""
    rows = []
    for x in X:
        length = math.sqrt(sum(v * v for v in x))
        row = [v / max(length, bound) for v in x]
        rows.append([v / math.sqrt(2) for v in [*row, 1.0]] if intercept else row)
    return np.array(rows)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", ["logistic", "huber", erm.huber_hinge(0.1)])
@pytest.mark.parametrize("perturbation", ["output", "objective"])
def test_classifier_is_the_function_on_embedded_records(perturbation, loss, intercept):
    X, z = people(60, np.random.default_rng(1))
    settings = {"epsilon": 0.7, "regularization": 0.05, "rng": 9, "loss": loss}
    u = embed(X, 2.0, intercept)
    assert np.linalg.norm(u, axis=1).max() <= 1 + 1e-15
    model = getattr(erm, f"{perturbation}_perturbation")(u, np.where(z > 0, 1, -1), **settings)
    private = PrivateLinearClassifier(
        classes=["no", "yes"],
        perturbation=perturbation,
        norm_bound=2.0,
        fit_intercept=intercept,
        **settings,
    ).fit(X, np.where(z > 0, "yes", "no"))
    assert private.noise_scale_ == model.noise_scale
    inside = X[np.linalg.norm(X, axis=1) <= 2]  # others are scored without being shortened
    scores = embed(inside, 2.0, intercept) @ model.weights
    np.testing.assert_allclose(private.decision_function(inside), scores, rtol=1e-9)
    np.testing.assert_array_equal(private.predict(inside), np.where(scores > 0, "yes", "no"))
    assert (private.coef_.shape, private.intercept_.shape) == ((1, 3), (1,))
    assert intercept or private.intercept_ == 0


@pytest.mark.parametrize("intercept", [True, False])
def test_ridge_is_the_function_on_embedded_records(intercept):
    X, z = people(60, np.random.default_rng(2))
    settings = {"epsilon": 0.7, "regularization": 0.05, "rng": 9}
    labels = np.clip(z, -4, 4) / 4
    assert (np.abs(labels) == 1).any()
    model = erm.output_perturbation(
        embed(X, 2.0, intercept), labels, loss="squared", **settings
    )  # fmt: skip
    private = PrivateRidge(
        norm_bound=2.0, label_bound=4.0, fit_intercept=intercept, **settings
    ).fit(X, z)  # fmt: skip
    assert private.noise_scale_ == model.noise_scale
    inside = X[np.linalg.norm(X, axis=1) <= 2]
    expected = 4 * embed(inside, 2.0, intercept) @ model.weights
    np.testing.assert_allclose(private.predict(inside), expected, rtol=1e-9)


def test_with_hardly_any_noise_it_agrees_with_scikit_learn():
    rng = np.random.default_rng(3)
    X = erm.clip_rows(rng.standard_normal((200, 3)))
    y, n, strength = X @ [1.0, -2.0, 0.5] + 0.3 * rng.standard_normal(200) > 0, 200, 0.02
    settings = {"epsilon": 1e9, "regularization": strength, "fit_intercept": False, "rng": 0}
    theirs = linear_model.LogisticRegression(
        C=1 / (n * strength), fit_intercept=False, tol=1e-10, max_iter=1000
    ).fit(X, y)
    ours = PrivateLinearClassifier(classes=[False, True], **settings).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_array_equal(ours.classes_, [False, True])
    z = np.clip(X @ [0.5, -0.3, 0.1], -1, 1)
    ridge = linear_model.Ridge(alpha=n * strength, fit_intercept=False).fit(X, z)
    np.testing.assert_allclose(PrivateRidge(**settings).fit(X, z).coef_, ridge.coef_, atol=1e-5)


def test_fits_draw_fresh_noise_unless_they_get_a_seed():
    X, z = people(30, np.random.default_rng(4))
    fresh = [PrivateRidge().fit(X, z).coef_ for _ in range(2)]
    assert (fresh[0] != fresh[1]).all()
    seeded = [PrivateRidge(rng=3).fit(X, z).coef_ for _ in range(2)]
    np.testing.assert_array_equal(*seeded)
    model = PrivateRidge(rng=np.random.default_rng(3))
    first, second = model.fit(X, z).coef_, model.fit(X, z).coef_
    np.testing.assert_array_equal(first, seeded[0])
    assert (first != second).all()


def test_defaults():
    common = {"epsilon": 1, "regularization": 0.01, "norm_bound": 1, "fit_intercept": True}
    common |= {"rng": None, "random_state": None}
    own = {"loss": "logistic", "perturbation": "objective", "classes": None}
    assert PrivateRidge().get_params() == common | {"label_bound": 1}
    assert PrivateLinearClassifier().get_params() == common | own


def test_classes_can_be_public():
    X, z = people(30, np.random.default_rng(5))
    model = PrivateLinearClassifier(classes=["yes", "no"], epsilon=1e3, rng=0)
    model.fit(X, ["no"] * 30)
    np.testing.assert_array_equal(model.classes_, ["no", "yes"])
    assert (model.predict(X) == "no").mean() > 0.9
    # No message quotes a label of the data.
    one = r"^PrivateLinearClassifier: y must be of two classes, got 1 class\(es\)\. Only binary"
    with pytest.raises(ValueError, match=one), pytest.warns(UserWarning, match="not covered"):
        PrivateLinearClassifier().fit(X, ["no"] * 30)
    other = r"PrivateLinearClassifier: y must have no other labels than those of classes=\(1, 2\)$"
    with pytest.raises(ValueError, match=other):
        PrivateLinearClassifier(classes=(1, 2)).fit(X, (z > 0).astype(int))
    with (
        pytest.raises(ValueError, match="Only binary classification is supported"),
        pytest.warns(UserWarning, match="not covered"),
    ):
        PrivateLinearClassifier().fit(X, np.arange(30) % 3)


def test_they_work_with_what_is_built_on_estimators():
    rng = np.random.default_rng(6)
    X, z = people(400, rng)
    table = pd.DataFrame(X, columns=["age", "height", "weight"])
    labels = pd.Series(np.where(z > 0, "well", "ill"))
    model = PrivateLinearClassifier(
        epsilon=50.0, norm_bound=4.0, classes=["ill", "well"], rng=0
    )  # fmt: skip
    scores = model_selection.cross_val_score(model, table, labels, cv=3)
    assert scores.min() > 0.85
    chain = pipeline.make_pipeline(preprocessing.FunctionTransformer(lambda X: 2 * X), model)
    assert chain.fit(table, labels).score(table, labels) > 0.85
    model.fit(table, labels)
    np.testing.assert_array_equal(model.feature_names_in_, table.columns)
    assert base.clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(table), model.predict(table))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0}, "objective_perturbation: epsilon must be positive, got 0"),
        ({"norm_bound": -1}, "PrivateLinearClassifier: norm_bound must be positive, got -1"),
        ({"regularization": 0}, "objective_perturbation: regularization must be positive"),
        ({"perturbation": "input"}, "PrivateLinearClassifier: perturbation must be one of obj"),
        ({"loss": "squared"}, "objective_perturbation: loss must have a bounded slope"),
        ({"rng": -1}, "objective_perturbation: rng must be a non-negative seed"),
    ],
)
def test_settings_are_checked_in_fit(settings, message):
    model = PrivateLinearClassifier(classes=(0, 1), **settings)
    with pytest.raises(ValueError, match=f"^{message}"):
        model.fit([[0.1], [0.2]], [0, 1])


def test_the_bound_of_labels_is_checked():
    with pytest.raises(ValueError, match=r"^PrivateRidge: label_bound must be positive, got 0"):
        PrivateRidge(label_bound=0).fit([[0.1], [0.2]], [0, 1])


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "privlib.research.private_estimators")
    module = importlib.import_module("privlib.research.private_estimators")
    message = r"^privlib.research.private_estimators: needs scikit-learn; pip install scikit-learn$"
    for name in ("PrivateLinearClassifier", "PrivateRidge"):
        with pytest.raises(ImportError, match=message):
            getattr(module, name)()


def example():
    """Return a few records of one column and their labels."""
    X = np.array([[0.5], [-0.5], [0.25], [-0.25]])
    return X, np.sign(X[:, 0])


@pytest.mark.parametrize("intercept", [0.5, 2, 10**9, "False", None, 1, 0])
def test_an_intercept_is_fitted_or_not(intercept):
    X, y = example()
    for model in (PrivateLinearClassifier(classes=[-1, 1]), PrivateRidge()):
        model.set_params(fit_intercept=intercept)
        message = f"{type(model).__name__}: fit_intercept must be True or False"
        with pytest.raises(TypeError, match=message):
            model.fit(X, y)
    fitted = PrivateRidge(epsilon=math.inf, fit_intercept=np.bool_(False)).fit(X, y)
    assert fitted.intercept_ == 0


def test_records_under_a_mask_get_no_prediction():
    X, y = example()
    hidden = np.ma.masked_array(X, mask=[[False], [False], [False], [True]])
    for model in (PrivateLinearClassifier(classes=[-1, 1]), PrivateRidge()):
        model.set_params(epsilon=math.inf).fit(X, y)
        for records in (hidden, list(hidden)):
            message = f"{type(model).__name__}: X must have no masked entries"
            with pytest.raises(ValueError, match=message):
                model.predict(records)
        assert model.predict(np.ma.masked_array(X)).tolist() == model.predict(X).tolist()


def test_records_with_named_fields_are_no_numbers():
    X, y = example()
    named = np.zeros(X.shape, dtype=[("age", float)])
    for model in (PrivateLinearClassifier(classes=[-1, 1]), PrivateRidge()):
        with pytest.raises(TypeError, match="X must hold real numbers"):
            model.set_params(epsilon=math.inf).fit(named, y)
        model.fit(X, y)
        with pytest.raises(TypeError, match="X must hold real numbers"):
            model.predict(named)


def test_classes_under_a_mask_are_not_read():
    X, y = example()
    hidden = np.ma.masked_array([-1, 1], mask=[False, True])
    with pytest.raises(TypeError, match="PrivateLinearClassifier: classes must be without a mask"):
        PrivateLinearClassifier(epsilon=math.inf, classes=hidden).fit(X, y)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["a\0", "b"], ["a", "b"]),  # NumPy drops the NUL
        ([b"a\0", b"b"], [b"a", b"b"]),
        ([1, "b"], ["1", "b"]),  # and makes text of a number beside text
        (["a", "b"], ["a\0", "b"]),
        (["a", "b"], {"a\0", "b"}),
        (["1", "b"], [1, "b"]),
    ],
)
def test_a_label_is_not_read_as_another(labels, classes):
    X = [[-0.9], [0.9]] * 10
    model = PrivateLinearClassifier(epsilon=math.inf, classes=classes)
    with pytest.raises(ValueError, match="must hold labels that NumPy keeps as they are"):
        model.fit(X, labels * 10)
