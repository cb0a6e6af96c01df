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

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
