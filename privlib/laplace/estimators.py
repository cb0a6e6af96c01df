r"""Private linear models as scikit-learn estimators.

`privlib.laplace.erm` proves what weights reveal about records of Euclidean norm at most 1 with
labels in [-1, 1]. The estimators bring other data there, record by record, so that neighbours stay
neighbours. A record *x* longer than the public bound *B* is shortened to it, and

.. math:: u = \frac{1}{\sqrt 2} \Bigl( \frac{x}{B},\ 1 \Bigr), \qquad \|u\| \le 1,

is what they learn from; without an intercept :math:`u = x / B`. Weights *v* of *u* are the
coefficients :math:`v_{1..d} / (B \sqrt 2)` and the intercept :math:`v_{d+1} / \sqrt 2`. The
penalty :math:`(\Lambda/2) \|v\|^2` includes the intercept.

Bounds, labels and all settings are public. Whatever is read off private data (their largest norm,
their set of labels, a regularisation chosen by cross-validation) is an answer of its own, which
epsilon does not cover. Nor does it cover several fits from one seed, or of clones
of a model with a generator, which scikit-learn copies: they share their noise, and
where their data differ, the difference of the models has little of it.

Needs scikit-learn, the extra ``learning``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from privlib import _checks as checks
from privlib._checks import FloatArray
from privlib.laplace import erm

_WHERE = "privlib.laplace.estimators"


class _Missing:
    """Stands in for scikit-learn's classes where it is not installed; no estimator can be made."""

    def __post_init__(self) -> None:
        checks.optional(_WHERE, "sklearn.base")


class _MissingMixin:
    """Stands in for scikit-learn's mixins."""


base: Any
try:
    base = checks.optional(_WHERE, "sklearn.base")
    multiclass = checks.optional(_WHERE, "sklearn.utils.multiclass")
    validation = checks.optional(_WHERE, "sklearn.utils.validation")
except ImportError:  # the module can be looked at without; see `_Missing`
    base = SimpleNamespace(
        BaseEstimator=_Missing, ClassifierMixin=_MissingMixin, RegressorMixin=_MissingMixin
    )


@dataclass(kw_only=True, eq=False, repr=False)
class _PrivateLinear(base.BaseEstimator):  # type: ignore[misc]
    epsilon: float = 1.0
    regularization: float = 0.01
    norm_bound: float = 1.0
    fit_intercept: bool = True
    rng: Any = None

    def _learn(self, perturb: Callable[..., Any], X: Any, y: Any, **loss: Any) -> None:
        """Learn from records of any length and labels in [-1, 1]."""
        bound = checks.positive(type(self).__name__, "norm_bound", self.norm_bound)
        constant = np.ones((len(X), int(self.fit_intercept)))  # one column, or none
        root, d = math.sqrt(1 + constant.shape[1]), X.shape[1]
        u = np.hstack([erm.clip_rows(X, bound=bound) / bound, constant]) / root
        settings = {"epsilon": self.epsilon, "regularization": self.regularization}
        found = perturb(u, y, rng=self.rng, **settings, **loss)
        v, self.noise_scale_ = found.weights / root, found.noise_scale
        self.coef_, self.intercept_ = v[:d] / bound, v[d:].sum()

    def _scores(self, X: Any) -> FloatArray:
        validation.check_is_fitted(self)
        records = validation.validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(records @ np.ravel(self.coef_) + self.intercept_)


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateLinearClassifier(base.ClassifierMixin, _PrivateLinear):  # type: ignore[misc]
    r"""An epsilon-private classifier for two classes: logistic, or a smooth support vector machine.

    Parameters
    ----------
    epsilon : float
        Level of differential privacy of a fit; neighbours differ in one record and its label.
    regularization : float
        :math:`\Lambda`, positive: more of it, less noise.
    loss : {"logistic", "huber"} or privlib.laplace.erm.Loss
        What is minimised in the mean; a model with a `Loss` of its own cannot be pickled.
    perturbation : {"objective", "output"}
        Where the noise goes, see `privlib.laplace.erm`.
    norm_bound : float
        Public bound of the norm of a record; longer ones are shortened to it.
    fit_intercept : bool
        Learn a constant term.
    classes : array_like, shape (2,), optional
        The two labels. Without it they are read off the data, which shows that both occur.
    rng : None, int or numpy.random.Generator
        Source of the noise, or its seed. With ``None`` each fit draws its own noise; a seed or a
        generator, which clones share, is for studies.

    Attributes
    ----------
    classes\_ : ndarray, shape (2,)
        The labels, sorted; positive scores speak for the second one.
    coef\_ : ndarray, shape (1, d)
        Coefficients of the records.
    intercept\_ : ndarray, shape (1,)
        The constant term.
    noise_scale\_ : float
        Scale of the noise, in the weights *v* or in the objective.

    Examples
    --------
    >>> X = [[-0.9, 0.2], [-0.8, 0.1], [0.9, -0.1], [0.8, 0.3]] * 100
    >>> y = ["ill", "ill", "well", "well"] * 100
    >>> model = PrivateLinearClassifier(epsilon=1.0, rng=0).fit(X, y)
    >>> model.predict([[-0.5, 0], [0.5, 0]]).tolist()
    ['ill', 'well']
    """

    loss: erm.Loss | str = "logistic"
    perturbation: str = "objective"
    classes: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from records of shape (n, d) and their labels, shape (n,)."""
        where, choices = "PrivateLinearClassifier", ("objective", "output")
        name = checks.choice(where, "perturbation", self.perturbation, choices)
        X, y = validation.validate_data(self, X, y, dtype=np.float64)
        multiclass.check_classification_targets(y)
        found = np.unique(y)
        self.classes_ = found if self.classes is None else np.unique(self.classes)
        if self.classes_.size != 2 or not np.isin(found, self.classes_).all():
            raise ValueError(
                f"{where}: y must be of two classes, got {found.size} class(es), {found}, with "
                f"classes={self.classes}. Only binary classification is supported."
            )
        signs = np.where(y == self.classes_[1], 1.0, -1.0)
        self._learn(getattr(erm, f"{name}_perturbation"), X, signs, loss=self.loss)
        self.coef_, self.intercept_ = self.coef_[None], self.intercept_[None]
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores, shape (m,), of records of shape (m, d)."""
        return self._scores(X)

    def predict(self, X: Any) -> Any:
        """Return the labels, shape (m,), of records of shape (m, d)."""
        positive = self._scores(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateRidge(base.RegressorMixin, _PrivateLinear):  # type: ignore[misc]
    r"""Epsilon-private ridge regression by output perturbation.

    Parameters
    ----------
    epsilon, regularization, norm_bound, fit_intercept, rng
        See `PrivateLinearClassifier`.
    label_bound : float
        Public bound of a label's absolute value; what is beyond is moved to it.

    Attributes
    ----------
    coef\_ : ndarray, shape (d,)
        Coefficients of the records.
    intercept\_ : float
        The constant term.
    noise_scale\_ : float
        Scale of the noise in the weights *v* for labels in [-1, 1].

    Examples
    --------
    >>> X = np.linspace(-1, 1, 100_000)[:, None]
    >>> model = PrivateRidge(epsilon=1.0, label_bound=5, rng=0).fit(X, 3 * X[:, 0] + 1)
    >>> model.predict([[0.5]]).round(1)
    array([2.4])
    """

    label_bound: float = 1.0

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from records of shape (n, d) and their numbers, shape (n,)."""
        bound = checks.positive("PrivateRidge", "label_bound", self.label_bound)
        X, y = validation.validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self._learn(erm.output_perturbation, X, np.clip(y / bound, -1, 1), loss="squared")
        self.coef_, self.intercept_ = bound * self.coef_, bound * self.intercept_
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the predictions, shape (m,), for records of shape (m, d)."""
        return self._scores(X)
