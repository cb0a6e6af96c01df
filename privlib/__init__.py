"""Five papers on data privacy, as code: the reusable part of the book.

One subpackage a paper. ``import privlib`` loads none of them, so that it costs nothing;
import the part that you need::

    from privlib.correlated import finite, gaussian

Shared modules: `privlib.ledger` (evidence for claims), `privlib.datasets` (files with
checksums), `privlib.plots` (the only module that imports matplotlib) and `privlib.interactive`
(figures with sliders).
"""

__version__ = "0.1.0"
