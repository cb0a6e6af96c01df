r"""Frequencies from users who trust nobody: the count mean sketches and their poisoning.

>>> from privlib.sketch import HadamardCountMeanSketch
>>> scheme = HadamardCountMeanSketch(epsilon=4.0, hashes=64, width=128, seed=1)
>>> reports = scheme.privatize(["tea"] * 3000 + ["milk"] * 1000)  # one noisy sign a user
>>> sketch = scheme.aggregate(reports, batch="3 May")
>>> sketch.n, sketch.estimate(["tea", "milk"]).shape
(4000, (2,))

The example has no seed, because whoever guesses the seed of the reports undoes their privacy. A
study may have one:

>>> scheme.simulate({"tea": 3000, "milk": 1000}, rng=1).estimate(["tea", "milk"]).round()
array([2965., 1006.])

*Local* differential privacy: each user sends a randomised report :math:`M(d)` with

.. math:: \Pr(M(d_1) = z) \le e^\varepsilon \Pr(M(d_2) = z)
          \quad\text{for all items } d_1, d_2 \text{ and outputs } z,

and the server de-noises the sum of many reports. Two schemes hash items into rows of a
:math:`k \times m` sketch: `CountMeanSketch` (*m* noisy signs a report) and
`HadamardCountMeanSketch` (one noisy sign). Both estimate
:math:`\tilde f(d) = \frac{m}{m-1}\bigl(\frac1k \sum_j M_{j,h_j(d)} - \frac nm\bigr)`.

- `count_mean`, `hadamard`, `hashing`: the two schemes, and families of hash functions;
- `scheme`: what the two schemes share, and the sum of their reports, `Sketch`;
- `poisoning`: whoever controls a share of the users moves the estimates, and by how much;
- `defences`: consistent estimates, and statistics in which an attack shows;
- `frequent`: the most frequent items, with error bars that hold for the whole list;
- `transfer` (extra ``transfer``), `slots`: oblivious transfer, and noise drawn from slots;
- `threat_model`: who can do what in each variant of the protocol;
- `data`: the item counts of the paper's experiments;
- `group`, `items`, `one_use`: the group of the protocols, items as codes, objects that are used
  once.

Beyond the paper, in `privlib.research`: `frequency_oracles`, `verifiable_noise` and
`distributed_sketches`.

The level is that of **one report**, against whoever sees it. Reports of one user add their levels,
and nothing here counts them. It does not cover who reports, when, and from where.

Users' items are strings or integers in a sequence, an array or a pandas Series; counts of items a
mapping or what ``Series.value_counts()`` returns. Results are arrays in the order of what was
given. Rows, columns and hash values count from 0 here
and from 1 in the paper.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
