r"""Bayesian differential privacy on correlated data (Yang, Sato, Nakagawa).

>>> import networkx as nx
>>> from privlib.correlated import GaussianModel
>>> club = GaussianModel.from_graph(nx.karate_club_graph(), 1.0, width=1)
>>> round(float(club.leakage_coefficients().max()), 2)  # over all weak adversaries
16.58
>>> round(club.noise_scale(1.0), 2)  # Laplace scale that makes the released sum 1-BDP
17.58

A database is a random vector :math:`x = (x_1, \dots, x_n)` with a public joint distribution. The
adversary :math:`A(i, K)` attacks tuple *i*, knows the tuples in *K* and is uncertain about the
rest *U*. Its *Bayesian differential privacy leakage* under a mechanism *r* is

.. math:: \mathrm{BDPL}_{A(i,K)} = \sup_{x_i, x_i', x_K, S}
          \log \frac{\Pr(r \in S \mid x_i, x_K)}{\Pr(r \in S \mid x_i', x_K)},

and the mechanism is :math:`\varepsilon`-BDP when no adversary exceeds :math:`\varepsilon`.

- `adversary`: who attacks, and what the worst of them learns;
- `finite`: exact leakage of any finite joint distribution, numeric and symbolic
  (`FiniteDistribution`);
- `gaussian`: the Gaussian correlation model, where the leakage has a closed form
  (`GaussianModel`), Proposition 5.1 and Algorithm 1;
- `networks`: from graphs to precision matrices;
- `matrices`, `noise_search`, `validation`: linear algebra with bounds of its rounding, the search
  for the smallest noise, and checks of arguments.

The models, also those of `privlib.research`, have the same verbs:
``leakage(target, known, scale=...)`` for one adversary, ``worst_adversary(scale=...)`` for all, and
``noise_scale(epsilon)``.

Beyond the paper, in `privlib.research`: `markov_chain`, `markov_random_field`, `households` (a
whole class of distributions, by ``leakage(scale)`` and ``noise_scale(epsilon)``), `optimal_query`
and `sparse_gaussian`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
