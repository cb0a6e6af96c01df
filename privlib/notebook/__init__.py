"""What the notebooks need and no paper defines: one import line at the top of each.

- `claim`, `misprints`: a verdict that comes out of checks (`privlib.notebook.claims`);
- `derivation`, `increasing`: a chain of expressions, each step proved, shown as mathematics;
- `table`: a table with its caption;
- `check`: whether the answer to an exercise is right, and one hint if it is not (yet);
- `plots`, `interactive`: figures in one style, and figures with sliders;
- `datasets`, `synthetic_trips`: data sets by checksum, and a synthetic day of railway trips.

Needs the extra ``notebooks``. Each name is loaded when it is first used, so that a notebook
depends on those modules only that it names.
"""

from privlib._lazy import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy(
    __name__,
    {
        "claims": ["claim", "misprints"],
        "datasets": [],
        "derivations": ["derivation", "increasing"],
        "exercises": ["check"],
        "interactive": ["Slider"],
        "plots": [],
        "synthetic_trips": [],
        "tables": ["table"],
    },
)
