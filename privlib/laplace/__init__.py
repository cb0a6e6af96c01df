r"""Laplace noise from the ground up (a study note on privacy in data analysis).

A query *q* with :math:`L_1` sensitivity :math:`\Delta = \max_{D \sim D'} \|q(D) - q(D')\|_1` is
answered by :math:`q(D) + r`, every coordinate of *r* an independent
:math:`\mathrm{Lap}(\Delta / \varepsilon)`. The densities of two neighbouring answers differ at
most by a factor :math:`e^{\varepsilon}`. Neighbours differ in the value of one record; the number
of records is public.

- `accuracy`: exact error probabilities, tolerances and the :math:`\varepsilon` that they ask for;
- `mechanism`: the mechanism as a decorator of a query;
- `erm`: regularised learning, privately: output and objective perturbation;
- `discrete`: noise for real releases, and the attack on textbook samplers.
"""
