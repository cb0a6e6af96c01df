"""Who attacks: the enumeration of all adversaries, and the front door of the part."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from privlib import correlated
from privlib.correlated.adversary import Adversary, adversaries


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_everybody_once_and_in_order(n):
    found = list(adversaries(np.int64(n)))
    words = {  # every tuple is the target, known or unknown
        (target, tuple(j for j in range(n) if mask >> j & 1))
        for target in range(n)
        for mask in range(2**n)
        if not mask >> target & 1
    }
    assert set(found) == words
    assert len(found) == n * 2 ** (n - 1)
    assert found == sorted(found, key=lambda a: (a.target, len(a.known), a.known))


def test_an_adversary_is_a_pair():
    assert Adversary(1, (0, 2)) == (1, (0, 2))
    assert Adversary(3) == (3, ())


@pytest.mark.parametrize(("n", "error"), [(0, ValueError), (2.0, TypeError)])
def test_bad_input(n, error):
    with pytest.raises(error, match="adversaries: n must be"):
        list(adversaries(n))


def test_names_load_when_they_are_asked_for():
    assert {"GaussianModel", "FiniteDistribution", "gaussian", "networks"} <= set(dir(correlated))
    assert all(hasattr(correlated, name) for name in dir(correlated))
    with pytest.raises(AttributeError, match="attribute laplace"):
        _ = correlated.laplace
    code = (
        "import sys, privlib.correlated as c; before = 'numpy' in sys.modules; "
        "c.finite; sys.exit(before or 'privlib.correlated.gaussian' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
