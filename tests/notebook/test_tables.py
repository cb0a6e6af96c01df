"""Tables: numbers on the right, a column of differences, refusals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privlib.notebook import table


def test_numbers_stand_right_and_texts_left_and_everything_is_escaped():
    made = table(
        {"a < b": ["x", "$y$"], "n": np.array([1, 20]), "p": [Fraction(1, 3), 0.5]},
        caption="Of *all*.",
        formats={"p": ".3f", "n": ",d"},
    )
    assert made.rows == (("x", "1", "0.333"), ("$y$", "20", "0.500"))
    shown = made._repr_mimebundle_()["text/html"]
    assert '<th style="text-align:left">a &lt; b</th>' in shown
    assert '<td style="text-align:right">20</td>' in shown
    assert r"<td style=\"text-align:left\">\(y\)</td>".replace('\\"', '"') in shown
    assert "<caption>Of <em>all</em>.</caption>" in shown
    assert str(made).splitlines()[2] == "x       1  0.333"


def test_differences_have_a_sign():
    made = table(
        {"ours": [1.25, 2], "printed": [1.2, 2.5]}, caption="c", difference=("ours", "printed"),
        formats={"ours": ".2f"},
    )  # fmt: skip
    assert [row[-1] for row in made.rows] == ["+0.05", "-0.50"]


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"a": [1], "b": [1, 2]}, {}, "one length"),
        ({"a": [1]}, {"formats": {"c": "d"}}, "no column"),
        ({"a": [1]}, {"difference": ("a", "b")}, "no column"),
        ({"a": [1]}, {"caption": " "}, "caption"),
    ],
)
def test_refusals(columns, options, message):
    with pytest.raises(ValueError, match=message):
        table(columns, **{"caption": "c", **options})
