"""Five papers on data privacy, as code: the reusable part of the book.

One subpackage a paper; each is loaded when it is first named, so that ``import privlib`` costs
nothing:

>>> import privlib
>>> privlib.correlated.finite.FiniteLaw.__module__
'privlib.correlated.finite'

`privlib.kit` has what the notebooks need and no paper defines: checks of claims, figures, data.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
__all__ = ["correlated", "disclosure", "kit", "laplace", "location", "sketch"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"privlib.{name}")
    raise AttributeError(f"module 'privlib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
