r"""Frequencies from users who trust nobody: the count mean sketches and their poisoning.

*Local* differential privacy: each user sends a randomised report :math:`M(d)` with

.. math:: \Pr(M(d_1) = z) \le e^\varepsilon \Pr(M(d_2) = z)
          \quad\text{for all items } d_1, d_2 \text{ and outputs } z,

and the server de-noises the sum of many reports. Two schemes hash items into rows of a
:math:`k \times m` sketch: `CountMeanSketch` (*m* noisy signs a report) and
`HadamardCountMeanSketch` (one noisy sign). Both estimate
:math:`\tilde f(d) = \frac{m}{m-1}\bigl(\frac1k \sum_j M_{j,h_j(d)} - \frac nm\bigr)`.

What nobody checks, an attacker may send: whoever controls a share of the users moves the
estimates. `privlib.sketch.poisoning` has the attacks in closed form, and
`privlib.sketch.transfer` (optional extra) the protocols that try to enforce the noise.

Rows, columns and hash values count from 0 here and from 1 in the paper.
"""

from privlib.sketch._scheme import Sketch
from privlib.sketch.count_mean import CountMeanSketch
from privlib.sketch.hadamard import HadamardCountMeanSketch

__all__ = ["CountMeanSketch", "HadamardCountMeanSketch", "Sketch"]
