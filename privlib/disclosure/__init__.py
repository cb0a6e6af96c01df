r"""Who is behind this record? Identification risk of sampling and randomisation.

A table is rewritten and sampled; how sure can an attacker be of one record of the release?

>>> from privlib.disclosure import match_probability, pk_level, publish, retention_matrix
>>> A = retention_matrix(0.5, categories=3)  # keep a value with 1/2, else draw one of three
>>> release = publish([0, 1, 1, 2, 2, 2], n_sampled=4, transition=A).release
>>> pk_level(A, 6, n_sampled=4)  # whoever attacks: at most one in so many
1.6875
>>> chance = match_probability([0, 1, 1, 2, 2, 2], release, transition=A, record=0, slot=0)
>>> chance <= 1 / 1.6875  # for this release, which is another one each time
True

A table of *n* records is released as *s* = *pn* shuffled *slots*: a sample without replacement,
each sampled value perhaps rewritten by a transition matrix *A* (post randomisation, PRAM). The
attack on record *r* and slot :math:`r'` succeeds with probability
:math:`\Pr[\Pi(r) = r' \mid T' = \tau']`; the release is Pk-anonymous if that is at most
:math:`1/k` for every record, every slot, every release and every attacker.

**One lemma proves everything (swap lemma).** A sample with shuffle is an injection
:math:`\sigma` of slots into records. Give it the weight :math:`w(\sigma)`, the product over the
slots of the probability that the record shows the slot's value. Every :math:`\sigma'` that puts
another record *t* behind :math:`r'` comes exactly once from a :math:`\sigma` with
:math:`\sigma(r') = r`, by exchange of *r* and *t*. Hence

.. math::

    \frac{1}{\Pr[\Pi(r) = r' \mid \tau']} = 1 +
    \frac{\sum_{\sigma(r') = r} w(\sigma) \sum_{t \ne r} \rho_t(\sigma)}
         {\sum_{\sigma(r') = r} w(\sigma)} ,

where, with :math:`L_x(a)` the probability that record *x* shows the value *a*, *u* the value of
the slot :math:`r'` and *v* that of the slot of *t*,

.. math::

    \rho_t = \frac{L_t(u)}{L_r(u)} \; (t \text{ not sampled}), \qquad
    \rho_t = \frac{L_t(u)\,L_r(v)}{L_r(u)\,L_t(v)} \; (t \text{ sampled}).

There are *n* − *s* terms of the first kind and *s* − 1 of the second. (Where some
:math:`L_x(a)` is 0, a :math:`\sigma'` may come from a :math:`\sigma` without weight; the right
side is then a lower bound.) Bounds on the two ratios bound the risk: with :math:`\gamma` and
:math:`g_2` their minima over *A*,
:math:`k \ge 1 + (n - s)\gamma + (s - 1) g_2`.

- `sampling`: sampling alone, against attackers who know a part of the table;
- `posterior`: the exact probability for an attacker who knows the whole table;
- `pram`: post randomisation: the matrix of retention, and rewriting a table;
- `anonymity`: the levels that it guarantees, also for strata and unequal probabilities;
- `columns`: levels and risks of whole lines, where a release has several columns;
- `local_dp`: local differential privacy of a matrix, beside these levels;
- `linkage`: attackers who link, scored on a population;
- `design`: the least noise for a level, and what it costs in accuracy;
- `intervals`: exact intervals for the shares, also of small groups;
- `bounds`, `ratios`, `validation`: rounding to the safe side, ratios of the rows of a matrix, and
  checks of arguments.

Beyond the paper, in `privlib.research`: `knowledge_models` and `pram_estimation`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
