r"""Laplace noise from the ground up (a study note on privacy in data analysis).

For a release (exact noise by OpenDP, no seed; public bounds and categories):

>>> from privlib.laplace import PrivacyBudget, histogram, private_mean
>>> budget = PrivacyBudget("1")
>>> bounds = {"lower": 0, "upper": 1, "granularity": 0.1}
>>> mean = private_mean([0.2, 0.4, 0.9, 0.5], **bounds, epsilon=budget.spend("1/2", "mean"))
>>> drinks = ["milk", "tea"]
>>> counts = histogram(["tea", "tea"], categories=drinks, epsilon=budget.spend("1/2", "drinks"))
>>> type(mean), counts.shape, budget.remaining
(<class 'float'>, (2,), Fraction(0, 1))

The textbook's mechanism, in floating point, for studies: its low bits can give the answer away.

>>> from privlib.laplace import laplace_mechanism
>>> @laplace_mechanism(epsilon=1.0, sensitivity=1 / 4)
... def mean(database):
...     return sum(database) / len(database)
>>> type(mean([0.2, 0.4, 0.9, 0.5])), round(float(mean.tolerance_for(0.05)), 3)
(<class 'float'>, 0.749)

A query *q* with :math:`L_1` sensitivity :math:`\Delta = \max_{D \sim D'} \|q(D) - q(D')\|_1` is
answered by :math:`q(D) + r`, every coordinate of *r* an independent
:math:`\mathrm{Lap}(\Delta / \varepsilon)`. The densities of two neighbouring answers differ at
most by a factor :math:`e^{\varepsilon}`. Neighbours differ in the value of one record; the number
of records is public.

- `mechanism`: the mechanism as a decorator of a query, `laplace_mechanism`;
- `accuracy`: exact error probabilities, tolerances and the :math:`\varepsilon` that they ask for;
- `erm`: regularised learning, privately: output and objective perturbation;
- `bounded`: counts, sums and means of clamped values, for real releases;
- `budget`: a total level, which refuses what exceeds it;
- `discrete`: noise for real releases, how far it errs, private counts of given categories,
  `histogram`, and the attack on textbook samplers.

Beyond the note, in `privlib.research`: `staircase`, `binomial_test`, `auditing` and
`private_estimators`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
