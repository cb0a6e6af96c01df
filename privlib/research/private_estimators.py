r"""Private linear models as scikit-learn estimators.

`privlib.laplace.erm` proves what weights reveal about records of Euclidean norm at most 1 with
labels in [-1, 1]. The estimators bring other data there, record by record, so that neighbours stay
neighbours. A record *x* longer than the public bound *B* is shortened to it, and

.. math:: u = \frac{1}{\sqrt 2} \Bigl( \frac{x}{B},\ 1 \Bigr), \qquad \|u\| \le 1,

is what they learn from; without an intercept :math:`u = x / B`. Weights *v* of *u* are the
coefficients :math:`v_{1..d} / (B \sqrt 2)` and the intercept :math:`v_{d+1} / \sqrt 2`. The
penalty :math:`(\Lambda/2) \|v\|^2` includes the intercept.

Bounds, labels, the number of records, the number and the names of the features, and all settings
are public. Whatever is read off private data (their largest norm, their set of labels, a
regularisation chosen by cross-validation) is an answer of its own, which epsilon does not cover.
Nor does it cover several fits from one seed, or of clones of a model with a generator, which
scikit-learn copies: they share their noise, and where their data differ, the difference of the
models has little of it. Whoever can guess the seed can subtract the noise: a fitted model is
pickled and copied without its seed or generator, but ``get_params()`` still shows a seed.

Whatever is computed from a fitted model and public records (scores, labels, probabilities) is as
private as the model. Scores on the records that it was fitted to are not.

Needs scikit-learn.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from privlib import _checks as checks
from privlib._checks import FloatArray
from privlib.laplace import erm

_WHERE = "privlib.research.private_estimators"


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


def _without_data(where: str, error: Exception) -> str:
    """Return a message of scikit-learn without the records that it quotes."""
    said = str(error)
    if said.startswith("Complex data not supported"):
        return f"{where}: Complex data not supported; X and y must hold real numbers"
    if "could not convert" in said or isinstance(error, OverflowError):
        return f"{where}: X and y must hold real numbers"
    # An array with too few axes, which may be all that is secret.
    said = re.sub(r":\narray=.*\n(?=Reshape your data)", ". ", said, flags=re.DOTALL)
    return re.sub(r", got scalar `.*", "", said, flags=re.DOTALL)


def _not_masked(where: str, name: str, value: Any) -> None:
    """Refuse masked entries, in an array or in arrays of a list: they would be read as data."""
    parts = [value, *value] if isinstance(value, (list, tuple)) else [value]
    if any(np.ma.is_masked(part) for part in parts):
        raise ValueError(f"{where}: {name} must have no masked entries")


def _as_written(where: str, name: str, given: Any, array: npt.NDArray[Any]) -> None:
    """Refuse labels of which NumPy made others: text without its last NUL, numbers beside text."""
    if array.dtype.kind not in "US":
        return
    kept = set(array.ravel().tolist())
    if not set(np.asarray(given, dtype=object).ravel().tolist()) <= kept:
        raise ValueError(
            f"{where}: {name} must hold labels that NumPy keeps as they are, all of one kind, and "
            "text without a NUL at its end"
        )


@dataclass(kw_only=True, eq=False, repr=False)
class _PrivateLinear(base.BaseEstimator):  # type: ignore[misc]
    epsilon: float = 1.0
    regularization: float = 0.01
    norm_bound: float = 1.0
    fit_intercept: bool = True
    rng: Any = None
    random_state: Any = None

    def _records(self, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
        """Return what scikit-learn makes of records and labels; no message quotes them."""
        where = type(self).__name__
        erm.same_people(where, X, y=y)
        for value in (X, y):
            _not_masked(where, "X and y", value)
        records, labels = self._validated(X, y, **options)
        if options.get("y_numeric") and labels.dtype.kind not in "biuf":
            raise ValueError(f"{where}: y must hold real numbers")
        return records, labels

    def _validated(self, *data: Any, **options: Any) -> Any:
        """Return what scikit-learn makes of data, and quote none of it where it would."""
        # It would read what has one named field as numbers.
        for name, value in zip(("X", "y"), data):
            if getattr(getattr(value, "dtype", None), "kind", "") == "V":
                raise TypeError(f"{type(self).__name__}: {name} must hold real numbers")
        try:
            return validation.validate_data(self, *data, dtype=np.float64, **options)
        except (ValueError, TypeError, OverflowError) as error:
            said = _without_data(type(self).__name__, error)
            if said == str(error):
                raise
        raise ValueError(said)  # out here it carries no trace of the first message

    def _learn(self, perturb: Callable[..., Any], X: Any, y: Any, **loss: Any) -> None:
        """Learn from records of any length and labels in [-1, 1]."""
        where = type(self).__name__
        bound = checks.positive(where, "norm_bound", self.norm_bound)
        checks.bounded(where, "norm_bound", bound, "be at least 1e-300", lambda v: v >= 1e-300)
        columns = int(checks.flag(where, "fit_intercept", self.fit_intercept))  # one, or none
        constant = np.ones((len(X), columns))
        root = math.sqrt(1 + constant.shape[1])
        d = X.shape[1]
        u = np.hstack([erm.clip_rows(X, bound=bound) / bound, constant]) / root
        rng = self.rng if self.random_state is None else self.random_state
        settings = {"epsilon": self.epsilon, "regularization": self.regularization}
        model = perturb(u, y, rng=rng, **settings, **loss)
        v = model.weights / root
        with np.errstate(over="ignore"):
            coefficients = v[:d] / bound
        if not np.isfinite(coefficients).all():
            raise ValueError(
                f"{where}: norm_bound is too small for coefficients within the range of floats, "
                f"got {bound:g}"
            )
        self.noise_scale_ = model.noise_scale
        self.coef_, self.intercept_ = coefficients, v[d:].sum()

    def _scores(self, X: Any) -> FloatArray:
        validation.check_is_fitted(self)
        _not_masked(type(self).__name__, "X", X)
        records = self._validated(X, reset=False)
        return np.asarray(records @ np.ravel(self.coef_) + self.intercept_)

    def __getstate__(self) -> Any:
        """Return what is pickled and copied: with a model that is fitted goes no seed.

        A seed or the state of a generator gives the noise back, and with it the private model.
        """
        state = super().__getstate__()
        if hasattr(self, "coef_"):
            state = {**state, "rng": None, "random_state": None}
        return state


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateLinearClassifier(base.ClassifierMixin, _PrivateLinear):  # type: ignore[misc]
    r"""An epsilon-private classifier for two classes: logistic, or a smooth support vector machine.

    Parameters
    ----------
    epsilon : float
        Level of differential privacy of a fit; neighbours differ in one record and its label.
        Infinite: no noise.
    regularization : float
        :math:`\Lambda`, positive: more of it, less noise.
    norm_bound : float
        Public bound of the norm of a record; longer ones are shortened to it.
    fit_intercept : bool
        Learn a constant term.
    rng : None, int or numpy.random.Generator
        Source of the noise, or its seed. With ``None`` each fit draws its own noise; a seed or a
        generator, which clones share, is for studies: whoever can guess it undoes the privacy.
    random_state : None, int or numpy.random.Generator
        The same under the name that scikit-learn uses; if given, it counts and `rng` does not.
    loss : {"logistic", "huber"} or privlib.laplace.erm.Loss
        What is minimised in the mean; a model with a `Loss` of its own cannot be pickled.
    perturbation : {"objective", "output"}
        Where the noise goes, see `privlib.laplace.erm`.
    classes : array_like, shape (2,), optional
        The two labels, public. Without it they are read off the data, as is the custom of
        scikit-learn: that shows which labels occur, which epsilon does not cover, and a warning
        says so.

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
    >>> model = PrivateLinearClassifier(epsilon=1.0, classes=["ill", "well"]).fit(X, y)
    >>> model.predict_proba([[-0.5, 0], [0.5, 0]]).shape
    (2, 2)
    """

    loss: erm.Loss | str = "logistic"
    perturbation: str = "objective"
    classes: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from records and their labels.

        Parameters
        ----------
        X : array_like, shape (n, d)
            The records.
        y : array_like, shape (n,)
            Their labels, two of them.

        Returns
        -------
        PrivateLinearClassifier
            Itself, fitted.

        Raises
        ------
        ValueError
            A parameter is out of its range, or the labels are not two, none of `classes`, or
            changed by NumPy (text with a NUL at its end, numbers beside text). No message quotes a
            record or a label.
        TypeError
            A parameter or the data have a wrong type.

        Examples
        --------
        >>> X, y = [[-0.9], [-0.8], [0.9], [0.8]] * 100, ["ill", "ill", "well", "well"] * 100
        >>> model = PrivateLinearClassifier(epsilon=1.0, classes=["ill", "well"]).fit(X, y)
        >>> model.coef_.shape, model.classes_.tolist()
        ((1, 1), ['ill', 'well'])
        """
        where, choices = "PrivateLinearClassifier", ("objective", "output")
        name = checks.choice(where, "perturbation", self.perturbation, choices)
        labels = y
        X, y = self._records(X, y)
        _as_written(where, "y", labels, y)
        occurring = None
        try:
            multiclass.check_classification_targets(y)
            occurring = np.unique(y)
        except TypeError:  # Python's own, of what has no order
            pass
        if occurring is None:
            raise ValueError(f"{where}: y must hold labels of one kind, such as strings")
        if self.classes is None:
            self.classes_ = occurring
            if self.epsilon != math.inf:
                warnings.warn(
                    f"{where}: the labels are read off y; which of them occur is not covered by "
                    "epsilon. Pass the public labels as classes=",
                    stacklevel=2,
                )
        else:
            given = self.classes
            checks.not_masked(where, "classes", given)
            given = list(given) if isinstance(given, (set, frozenset)) else given
            self.classes_ = np.unique(given)
            _as_written(where, "classes", given, self.classes_)
        # No label of the data in a message.
        if self.classes_.size != 2:
            raise ValueError(
                f"{where}: y must be of two classes, got {self.classes_.size} class(es). Only "
                "binary classification is supported."
            )
        if not np.isin(occurring, self.classes_).all():
            raise ValueError(
                f"{where}: y must have no other labels than those of classes={self.classes}"
            )
        signs = np.where(y == self.classes_[1], 1.0, -1.0)
        self._learn(getattr(erm, f"{name}_perturbation"), X, signs, loss=self.loss)
        self.coef_, self.intercept_ = self.coef_[None], self.intercept_[None]
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of records.

        Parameters
        ----------
        X : array_like, shape (m, d)
            The records.

        Returns
        -------
        ndarray of float64, shape (m,)
            Positive for the second label.

        Examples
        --------
        Without noise:

        >>> X, y = [[-0.9], [-0.8], [0.9], [0.8]] * 100, ["ill", "ill", "well", "well"] * 100
        >>> model = PrivateLinearClassifier(epsilon=math.inf, classes=["ill", "well"]).fit(X, y)
        >>> (model.decision_function([[-0.5], [0.5]]) > 0).tolist()
        [False, True]
        """
        return self._scores(X)

    def predict(self, X: Any) -> Any:
        """Return the labels of records.

        Parameters
        ----------
        X : array_like, shape (m, d)
            The records.

        Returns
        -------
        ndarray, shape (m,)
            One label a record.

        Examples
        --------
        Without noise:

        >>> X, y = [[-0.9], [-0.8], [0.9], [0.8]] * 100, ["ill", "ill", "well", "well"] * 100
        >>> model = PrivateLinearClassifier(epsilon=math.inf, classes=["ill", "well"]).fit(X, y)
        >>> model.predict([[-0.5], [0.5]]).tolist()
        ['ill', 'well']
        """
        positive = self._scores(X) > 0
        return self.classes_[positive.astype(int)]

    @property
    def predict_proba(self) -> Callable[[Any], FloatArray]:
        """The function that gives the probabilities of the two labels, with the logistic loss.

        Of records of shape (m, d) it returns an array of shape (m, 2), in the order of
        `classes_`: 1 / (1 + exp(-score)) for the second label. It is a function of the private
        model and costs no privacy. The noise in the model makes no allowance for itself: the
        probabilities are too sure of themselves where there is much of it.

        Examples
        --------
        Without noise, and with the probability of "well" second:

        >>> X, y = [[-0.9], [-0.8], [0.9], [0.8]] * 100, ["ill", "ill", "well", "well"] * 100
        >>> model = PrivateLinearClassifier(epsilon=math.inf, classes=["ill", "well"]).fit(X, y)
        >>> chances = model.predict_proba([[0.5]])
        >>> chances.sum(axis=1), bool(chances[0, 1] > 0.5)
        (array([1.]), True)
        """
        if self.loss != "logistic" and self.loss != erm.LOSSES["logistic"]:
            raise AttributeError("predict_proba needs loss='logistic'")
        return self._probabilities

    def _probabilities(self, X: Any) -> FloatArray:
        scores = self._scores(X)
        return np.column_stack([expit(-scores), expit(scores)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateRidge(base.RegressorMixin, _PrivateLinear):  # type: ignore[misc]
    r"""Epsilon-private ridge regression by output perturbation.

    Parameters
    ----------
    epsilon : float
        Level of differential privacy of a fit; neighbours differ in one record and its number.
        Infinite: no noise.
    regularization : float
        :math:`\Lambda`, positive: more of it, less noise.
    norm_bound : float
        Public bound of the norm of a record; longer ones are shortened to it.
    fit_intercept : bool
        Learn a constant term.
    rng : None, int or numpy.random.Generator
        Source of the noise, or its seed. With ``None`` each fit draws its own noise; a seed or a
        generator, which clones share, is for studies: whoever can guess it undoes the privacy.
    random_state : None, int or numpy.random.Generator
        The same under the name that scikit-learn uses; if given, it counts and `rng` does not.
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
    >>> model = PrivateRidge(epsilon=1.0, label_bound=5).fit(X, 3 * X[:, 0] + 1)
    >>> model.predict([[0.5]]).shape
    (1,)
    """

    label_bound: float = 1.0

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from records and their numbers.

        Parameters
        ----------
        X : array_like, shape (n, d)
            The records.
        y : array_like, shape (n,)
            Their numbers.

        Returns
        -------
        PrivateRidge
            Itself, fitted.

        Raises
        ------
        ValueError
            A parameter is out of its range. No message quotes a record or a number.
        TypeError
            A parameter or the data have a wrong type.

        Examples
        --------
        >>> X = np.linspace(-1, 1, 1001)[:, None]
        >>> model = PrivateRidge(epsilon=1.0, label_bound=5).fit(X, 3 * X[:, 0] + 1)
        >>> model.coef_.shape, model.noise_scale_ > 0
        ((1,), True)
        """
        bound = checks.positive("PrivateRidge", "label_bound", self.label_bound)
        X, y = self._records(X, y, y_numeric=True)
        labels = np.clip(y, -bound, bound) / bound
        self._learn(erm.output_perturbation, X, labels, loss="squared")
        with np.errstate(over="ignore"):
            coefficients, constant = bound * self.coef_, bound * self.intercept_
        if not (np.isfinite(coefficients).all() and np.isfinite(constant)):
            raise ValueError(
                "PrivateRidge: label_bound is too large for coefficients within the range of "
                f"floats, got {bound:g}"
            )
        self.coef_, self.intercept_ = coefficients, constant
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the predictions for records.

        Parameters
        ----------
        X : array_like, shape (m, d)
            The records.

        Returns
        -------
        ndarray of float64, shape (m,)
            One number a record.

        Examples
        --------
        Without noise; the regularisation moves 1 + 3/2 towards 0.

        >>> X = np.linspace(-1, 1, 1001)[:, None]
        >>> model = PrivateRidge(epsilon=math.inf, label_bound=5).fit(X, 3 * X[:, 0] + 1)
        >>> model.predict([[0.5]]).round(2)
        array([2.4])
        """
        return self._scores(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # how good a fit is, the noise decides
        return tags
