"""What goes beyond the papers: the code of the research notes, one flat module a topic.

No paper needs these modules, and no part of the package imports them. They build on the parts.

- `staircase`: the noise of least error for one number, beside Laplace noise;
- `binomial_test`: the best private test of a proportion;
- `auditing`: a lower bound of the privacy level of a mechanism, from its answers alone;
- `private_estimators`: private learning as estimators of scikit-learn;
- `markov_chain`: correlated data along a Markov chain, all adversaries in polynomial time, and two
  published mechanisms;
- `markov_random_field`: the same for distributions that factorise over a graph of small treewidth;
- `households`: one noise for a class of households in which an illness spreads;
- `optimal_query`: the linear query and the noise with the least error at a given level;
- `sparse_gaussian`: bounds and estimates of leakage on Gaussian networks of a million tuples;
- `knowledge_models`: what an attacker knows against what is released, as one map of levels;
- `pram_estimation`: maximum likelihood after randomisation, invariant matrices, bounded noise;
- `location_certificate`: proofs in fractions that a mechanism for histograms is the best;
- `robust_release`: the best release of a histogram against a class of transition matrices;
- `frequency_oracles`: poisoning gains of the other mechanisms for frequencies, GRR, OUE and OLH;
- `distributed_sketches`: sums of sketches over many machines (extra ``distributed``);
- `sigma_proofs`: proofs of ors of ands of logarithms (extra ``transfer``);
- `verifiable_noise`: randomised response whose noise the server can check (extra ``transfer``).

>>> from privlib.research.staircase import Staircase
>>> round(Staircase(epsilon=1.0, sensitivity=1).error, 3)
0.96
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
