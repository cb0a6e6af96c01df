"""Labels that come with pandas objects: numbers go to those they belong to, or are refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from privlib.correlated import FiniteLaw, GaussianModel

NAMES = list("abc")
PRECISION = pd.DataFrame([[3, -1, 0], [-1, 2, -0.5], [0, -0.5, 4]], NAMES, NAMES)


def test_widths_and_weights_follow_the_labels_of_the_precision():
    plain = GaussianModel(PRECISION.to_numpy(), width=[10, 1, 2], weights=[1, 2, 3])
    width, weights = pd.Series([10, 1, 2], NAMES), pd.Series([1, 2, 3], NAMES)
    turned = GaussianModel(PRECISION, width=width[::-1], weights=weights[["b", "c", "a"]])
    assert turned.noise_scale(1.0) == plain.noise_scale(1.0)
    with pytest.raises(ValueError, match="width must have the labels"):
        GaussianModel(PRECISION, width=pd.Series([10, 1, 1], list("xyz")))


def test_rows_and_columns_of_a_precision_have_the_same_labels():
    turned = GaussianModel(PRECISION[["c", "a", "b"]])
    np.testing.assert_array_equal(
        turned.leakage_coefficients(), GaussianModel(PRECISION).leakage_coefficients()
    )
    with pytest.raises(ValueError, match="precision must have the labels"):
        GaussianModel(PRECISION.set_axis(list("xyz"), axis=1))


def test_queries_and_weights_follow_the_labels_of_the_law():
    rows, columns = pd.Index([0, 1], name="x"), pd.Index([0, 1], name="y")
    joint = pd.DataFrame([[0.3, 0.1], [0.2, 0.4]], rows, columns)
    query = pd.DataFrame([[0, 1], [7, 3]], rows, columns)
    one, other = (FiniteLaw(joint, query=q) for q in (query, query.loc[[1, 0], [1, 0]]))
    assert one.bdp_leakage(0, scale=3) == other.bdp_leakage(0, scale=3)
    plain = FiniteLaw(joint.to_numpy(), weights=[1, 5])
    named = FiniteLaw(joint, weights=pd.Series({"y": 5, "x": 1}))
    assert named.bdp_leakage(0, scale=3) == plain.bdp_leakage(0, scale=3)
    with pytest.raises(ValueError, match="weights must have the labels"):
        FiniteLaw(joint, weights=pd.Series({"z": 5, "x": 1}))


def test_a_model_does_not_change_with_the_array_it_was_made_from():
    law = np.array([[0.49, 0.01], [0.01, 0.49]])
    model = FiniteLaw(law)
    before = model.bdp_leakage(0, scale=10)
    law[0, 0] = 5
    assert model.bdp_leakage(0, scale=10) == before
    matrix = PRECISION.to_numpy().copy()
    gaussian = GaussianModel(matrix)
    matrix[0, 0] = 100
    np.testing.assert_array_equal(
        gaussian.leakage_coefficients(), GaussianModel(PRECISION.to_numpy()).leakage_coefficients()
    )
