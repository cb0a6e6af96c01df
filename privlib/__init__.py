"""Four papers and a study note on data privacy, as code: the reusable part of the book.

One subpackage for each; each is loaded when it is first named, so that ``import privlib`` costs
nothing:

>>> import privlib
>>> privlib.correlated.finite.FiniteLaw.__module__
'privlib.correlated.finite'

`privlib.notebook` has what the notebooks need and no paper defines: claims, figures, data.
"""

from privlib._lazy import lazy as _lazy

__version__ = "0.2.0.dev0"
__getattr__, __dir__, __all__ = _lazy(
    __name__,
    dict.fromkeys(["correlated", "disclosure", "notebook", "laplace", "location", "sketch"], ())
    | {"_safety": ("UncertifiedError",)},
)
