r"""Post randomisation (PRAM): every value of a table rewritten by the rows of a matrix.

Every record is rewritten independently by a row-stochastic matrix *A* (rows: true categories,
columns: shown ones), given as an array, a pandas DataFrame with labelled rows and columns, a sparse
matrix or the weights of a networkx graph. `retention_matrix` makes the usual one, `apply_pram`
rewrites a table. What is guaranteed if a random sample of the result is released, shuffled, is in
`privlib.disclosure.anonymity`; `privlib.disclosure.publish` makes such a release.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib.disclosure import _rewriting as rewriting
from privlib.disclosure import validation as valid

MAX_ENTRIES = 10**8  # of a matrix that is written out


def retention_matrix(keep: checks.Number, categories: Any) -> Any:
    r"""Return the matrix that keeps a value, or else draws one of all values uniformly.

    Parameters
    ----------
    keep : int, Fraction or float
        Probability :math:`\rho` in [0, 1] with which a value is kept without a draw.
    categories : int or sequence of labels
        Number of categories *N*, at least 1, or their labels.

    Returns
    -------
    ndarray or DataFrame, shape (N, N)
        :math:`\rho I + (1 - \rho)/N \, J`, fractions if `keep` is rational; with labels a DataFrame
        (this needs pandas).

    Raises
    ------
    ValueError, TypeError
        `keep` is not a probability, or `categories` is less than 1.

    Notes
    -----
    :math:`\gamma = (1 - \rho)/(1 + (N - 1)\rho)` and :math:`g_2 = \gamma^2`: the least that
    :math:`g_2` can be, so that these matrices gain most from sampling. The inverse
    :math:`\rho = (1 - \gamma)/(1 + (N - 1)\gamma)` is the same map. Also known as *k*-ary
    randomised response.

    References
    ----------
    Section 2.1; the matrix of the examples in the paper's reference [7].

    Examples
    --------
    >>> from fractions import Fraction
    >>> retention_matrix(Fraction(1, 2), 2)
    array([[Fraction(3, 4), Fraction(1, 4)],
           [Fraction(1, 4), Fraction(3, 4)]], dtype=object)
    """
    where = "retention_matrix"
    rho = checks.rational(where, "keep", keep)
    checks.bounded(where, "keep", rho, "be in [0, 1]", lambda x: 0 <= x <= 1)
    labelled = hasattr(categories, "__len__") and not isinstance(categories, str)
    count = len(categories) if labelled else categories
    size = checks.integer(where, "categories", count, low=1)
    _safety.limit(where, "entries of the matrix", size * size, MAX_ENTRIES)
    matrix = np.full((size, size), (1 - rho) / size)
    np.fill_diagonal(matrix, rho + (1 - rho) / size)
    if not labelled:
        return matrix
    return checks.optional(where, "pandas").DataFrame(matrix, categories, categories)


def apply_pram(
    values: Any,
    transition: Any,
    *,
    rng: np.random.Generator | int | None = None,
    categories: npt.ArrayLike | None = None,
) -> npt.NDArray[Any]:
    r"""Rewrite every value of a table independently.

    Parameters
    ----------
    values : array_like or Series, shape (n,)
        Codes ``0..N-1``, or labels: those of `transition` if its rows have some, those of
        `categories`, or a categorical Series. The index of a Series names people: it is dropped.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix: rows true, columns shown categories.
    rng : numpy.random.Generator or int, optional
        Source of randomness; one uniform number for each record. A seed is for studies, never for a
        release: whoever guesses it undoes the rewriting (with ``rng=1``, retention 0.6 and two
        values, 61 % of the true values are certain), and two columns rewritten with one seed flip
        at the same places.
    categories : array_like, shape (N,), optional
        Distinct labels of the rows, and of the columns (*M* = *N*).

    Returns
    -------
    ndarray, shape (n,)
        Shown codes, or labels, in the order of `values`.

    Raises
    ------
    ValueError, TypeError
        A value is missing or not one of the categories, `transition` is not row-stochastic, or
        `categories` does not fit it; or an entry of a matrix of fractions would be 0 as a float.

    Notes
    -----
    *This is not a release yet.* Line *j* is still record *j*: the levels of `anonymity` are for a
    random sample, shuffled, and a slice of the result is none. `privlib.disclosure.publish`
    samples, shuffles and rewrites in one call.

    Walker's alias method: *M* columns of height 1/*M* in every row, each with at most two
    categories. A uniform number picks the column by its integer part and the category by its
    fraction: no search, no loop over records. Zero entries are never shown. The tables are added up
    again before anything is drawn, and each positive entry must come out to a relative 1e-9; a
    uniform number that lies too near a limit for its 53 bits to decide gets 63 more, so that
    entries far below :math:`2^{-53}` have their probability, too.

    References
    ----------
    Section 2.1.

    Examples
    --------
    >>> flip = [[0.0, 1.0], [1.0, 0.0]]
    >>> apply_pram([0, 1, 1], flip)
    array([1, 0, 0])
    >>> apply_pram(["a", "b"], flip, categories=["a", "b"])
    array(['b', 'a'], dtype='<U1')
    """
    where = "apply_pram"
    A, rows, shown = valid.matrix(where, transition)
    rng = checks.generator(where, rng)
    if rows is None:
        rows = shown = valid.own_categories(where, values) if categories is None else categories
    codes = valid.codes(where, "values", values, A.shape[0], labels=rows)
    if shown is not None and len(shown) != A.shape[1]:
        raise ValueError(f"{where}: transition must be square with categories, got {A.shape}")
    result = rewriting.rewritten(where, codes, A, rng)
    return result if shown is None else np.asarray(valid.label_array(shown)[result])
