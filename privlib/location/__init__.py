r"""Adversarial privacy for continual releases of location histograms.

*N* people move between *L* places by a public Markov chain; every minute the histogram of places
is published. A release is :math:`\varepsilon`-adversarially private against a class of attackers
if no guess "this person is now at *j*" gains more than a factor :math:`e^\varepsilon`:

.. math:: \frac{p(X_t = j \mid \text{knowledge}, \pi(t))}{p(X_t = j \mid \text{knowledge})}
          \le e^\varepsilon .

- `flow`: the most likely movement between two histograms, and all savings of one person from it;
- `exact`: the true probability of a histogram after another, and who moved where, exactly;
- `gain`: what a release gives the three attackers, as printed and exactly;
- `release`: histograms that bound the gain, and the optimal mechanism;
- `paths`, `ngram`: paths of several places, and the differentially private baseline;
- `railway`: a seeded synthetic day of two railway networks;
- `ranking`: how near two rankings of frequent paths are.
"""
