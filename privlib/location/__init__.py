r"""Adversarial privacy for continual releases of location histograms.

>>> from privlib import location
>>> P = [[0.61, 0.27, 0.12], [0.18, 0.65, 0.17], [0.14, 0.23, 0.63]]
>>> before, after = [9, 6, 5], [9, 5, 6]
>>> location.max_gain(before, after, transition=P, definition="exact")
1.48
>>> location.private_histogram(before, after, transition=P, epsilon=0.5).histogram
array([7.904, 6.571, 5.525])

*N* people move between *L* places by a public Markov chain; every minute the histogram of places
is published. A release is :math:`\varepsilon`-adversarially private against a class of attackers
if no guess "this person is now at *j*" gains more than a factor :math:`e^\varepsilon`:

.. math:: \frac{p(X_t = j \mid \text{knowledge}, \pi(t))}{p(X_t = j \mid \text{knowledge})}
          \le e^\varepsilon .

- `flow`: the most likely movement between two histograms, and all savings of one person from it;
- `exact`: the true probability of a histogram after another, and who moved where, exactly;
- `gain`: what a release gives the three attackers, as printed and exactly, and a day of releases;
- `release`: histograms that bound the gain; `segment`: which mixtures with the prediction do;
- `reconstruction`: the truth behind a release, for who knows how it was made;
- `mechanism`: what an attacker who knows the mechanism learns, and the best one;
- `paths`, `ngram`: paths of several places, and the differentially private baseline;
- `ranking`: how near two rankings of frequent paths are;
- `validation`: checks of transition matrices and histograms.

Beyond the paper, in `privlib.research`: `location_certificate` and `robust_release`.

Histograms come in the order of time, the one before first, and count people in the order of the
states of the transition matrix: an array, a DataFrame with the same labels on both axes, a sparse
matrix or a networkx graph. Results are arrays in that order; a histogram with labels of its own is
refused (pass ``counts.reindex(states, fill_value=0).to_numpy()``).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
