r"""Bayesian differential privacy on correlated data (Yang, Sato, Nakagawa).

A database is a random vector :math:`x = (x_1, \dots, x_n)` with a public joint law. The
adversary :math:`A(i, K)` attacks tuple *i*, knows the tuples in *K* and is uncertain about the
rest *U*. Its *Bayesian differential privacy leakage* under a mechanism *r* is

.. math:: \mathrm{BDPL}_{A(i,K)} = \sup_{x_i, x_i', x_K, S}
          \log \frac{\Pr(r \in S \mid x_i, x_K)}{\Pr(r \in S \mid x_i', x_K)},

and the mechanism is :math:`\varepsilon`-BDP when no adversary exceeds :math:`\varepsilon`.

- `finite`: exact leakage of any finite joint distribution, numeric and symbolic;
- `gaussian`: the Gaussian correlation model, where the leakage has a closed form;
- `networks`: from graphs to precision matrices;
- `chain`: binary Markov chains, all adversaries in polynomial time.
"""
