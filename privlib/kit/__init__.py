"""What the notebooks need and no paper defines: one import line at the top of each.

- `claim`, `slips`: a verdict that comes out of checks (`privlib.kit.evidence`);
- `reader`: the one reader of claims and of what the notebooks showed;
- `plots`, `interactive`: figures in one style, and figures with sliders;
- `datasets`, `railway`: data sets by checksum, and a synthetic railway day.

Needs the extra ``notebooks``. Each name is loaded when it is first used, so that a notebook
depends on those modules only that it names.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privlib.kit.evidence import claim, slips
    from privlib.kit.interactive import Slider

_MODULES = ("datasets", "evidence", "interactive", "plots", "railway", "reader")
_HOMES = {"Slider": "interactive", "claim": "evidence", "slips": "evidence"}

__all__ = ["Slider", "claim", "slips"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"privlib.kit.{name}")
    if name in _HOMES:
        return getattr(import_module(f"privlib.kit.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'privlib.kit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_MODULES, *_HOMES])
