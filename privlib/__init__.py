"""Four papers and a study note on data privacy, as code: the reusable part of the book.

One subpackage for each has what the paper defines; `privlib.research` has what goes beyond the
papers. Each is loaded when it is first named, so that ``import privlib`` costs nothing:

>>> import privlib
>>> privlib.correlated.finite.FiniteDistribution.__module__
'privlib.correlated.finite'

`privlib.notebook` has what the notebooks need and no paper defines: claims, figures, data.
"""

import lazy_loader

__version__ = "0.2.0.dev0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
